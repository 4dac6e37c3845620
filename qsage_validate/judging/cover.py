"""What COVER calls White's moves: each position of the cover, and one move for all the others.

The cover are the shapes around Black's stones after Black's first move, so that what a move is
called depends on the play.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from qsage_validate.encodings.layout.layout import Layout
from qsage_validate.errors import InputError, UsageError
from qsage_validate.games.languages import model_from_parts
from qsage_validate.games.masks import members

if TYPE_CHECKING:
    from qsage_validate.games.positional.model import PositionalModel


class Cover:
    """The covers of a game on positions."""

    def __init__(self, model: PositionalModel) -> None:
        from qsage_validate.games.positional.cover_game import shapes_of
        from qsage_validate.games.positional.paths import with_winning_sets

        self._model = with_winning_sets(model)
        self._shapes = shapes_of(self._model)

    def around(
        self, black: Mapping[str, int], any_of: Callable[[Iterable[int]], int]
    ) -> dict[str, int]:
        """For each position whether it is in the cover, by where Black's stones are.

        Both are truth values, or literals, of which ``any_of`` makes a disjunction.
        """
        names = self._model.positions
        around: dict[str, list[int]] = {name: [] for name in names}
        for shape in self._shapes:
            own = [names[v] for v in members(shape)]
            touched = any_of([black[name] for name in own])
            for name in own:
                around[name].append(touched)
        return {name: any_of(touched) for name, touched in around.items()}

    def called(self, move: str, before: Sequence[str]) -> str:
        """The name of White's move after a play that Black has begun."""
        from qsage_validate.games.positional.cover_game import OUT_OF_COVER, in_the_cover

        names, stones = self._model.positions, self._model.black
        black = {name: name in before[:1] or stones >> v & 1 for v, name in enumerate(names)}
        inside = self.around(black, any).get(move, False)
        return in_the_cover(move) if inside else OUT_OF_COVER


def cover_of(layout: Layout) -> Cover | None:
    """The covers of the layout's game, where its moves are called by them."""
    if layout.game != "positional":
        return None
    from qsage_validate.games.positional.cover_game import OUT_OF_COVER
    from qsage_validate.games.positional.model import PositionalModel

    if not any(OUT_OF_COVER in ply.moves for ply in layout.moves):
        return None
    try:
        model = model_from_parts(layout.game, layout.model)
        return Cover(model) if isinstance(model, PositionalModel) else None
    except (InputError, UsageError):
        return None  # without the model nobody knows what the names mean
