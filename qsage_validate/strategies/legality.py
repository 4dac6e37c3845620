"""What a formula says of the legality of White's moves: by literals, or by earlier plies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, cached_property
from typing import TypeAlias

from qsage_validate.encodings.layout.layout import Layout
from qsage_validate.games.protocol import Player
from qsage_validate.strategies.readings import Assignment, LayoutMove, Legality, PlyCode, Values

Literals: TypeAlias = tuple[tuple[int, Values], ...]
"""Literals, each with the values of the symbolic position at which it is read."""


class FormulaLegality:
    """Which literals tell whether a move of White's is legal, and what their values mean.

    A ply may have indicators for whatever is said, or a literal for each move; then that is all
    there is to ask.  In a positional game a position that somebody has claimed cannot be claimed:

    - a board that the formula keeps exactly says whether it is claimed;
    - of a board that is bound from one side, a black stone is never wrong, while all other
      literals may be: they are evidence, but do not decide;
    - an earlier ply whose variables say the position has claimed it, in formulas without a
      board too.

    ``kinds`` are the literals of the atoms after so many plies.
    """

    def __init__(
        self, layout: Layout, code: PlyCode, kinds: Callable[[int], Mapping[str, int]]
    ) -> None:
        self._layout = layout
        self._code = code
        self._kinds: Callable[[int], Mapping[str, int]] = cache(kinds)
        self._exact: Callable[[int], Mapping[str, Literals]] = cache(self._exact_of)

    def tells(self, ply: int) -> bool:
        """Whether something is said of some moves of a ply."""
        if self._layout.moves[ply - 1].indicators is not None:
            return True
        return self._claims or any(self._exact(ply).values())

    @cached_property
    def _claims(self) -> bool:
        """Whether moves are positions, which nobody claims twice.

        There are encodings of positional games in which moves are something else; they have
        other words for each player.
        """
        if self._layout.game != "positional":
            return False
        by_player = {
            player: {text for ply in self._layout.of(player) for text in ply.moves}
            for player in Player
        }
        return by_player[Player.WHITE] <= by_player[Player.BLACK]

    def literals(self, ply: int, move: LayoutMove) -> Literals:
        """The literals that are true when ``move`` is legal; they need not decide it."""
        indicators = self._layout.moves[ply - 1].indicators
        if indicators is not None:
            return tuple((literal, {}) for literal in indicators.literals)
        exact = self._exact(ply).get(str(move))
        return () if exact is None else exact or self._stones(ply, str(move))

    def _exact_of(self, ply: int) -> Mapping[str, Literals]:
        """For each move the literals that are all true exactly when it is legal; or none."""
        own = self._layout.moves[ply - 1]
        if own.legal:
            told: list[Literals] = [((literal, {}),) if literal else () for literal in own.legal]
        elif self._layout.state.one_sided:
            told = [()] * len(own.moves)
        else:
            stones = (self._stones(ply, name) for name in own.moves)
            told = [found if len(found) == len(Player) else () for found in stones]
        return dict(zip(own.moves, told, strict=True))

    def _stones(self, ply: int, name: str) -> Literals:
        """That a position is not black and not white, as far as there are literals."""
        if self._layout.game != "positional":
            return ()
        kinds = self._kinds(ply - 1)
        if self._layout.state.position:
            at = self._at.get(name)
            texts = [] if at is None else [player.value for player in Player]
        else:
            at, texts = {}, [f"{player.value} {name}" for player in Player]
        return tuple((-kinds[text], at or {}) for text in texts if text in kinds)

    @cached_property
    def _at(self) -> Mapping[str, Values]:
        """The values of the symbolic position for each of its places."""
        state = self._layout.state
        return dict(zip(state.places, state.at_places, strict=False))

    def earlier(self, play: Assignment) -> Mapping[str, int]:
        """The positions that the variables of the plies so far claim, with the first such ply."""
        found: dict[str, int] = {}
        if self._claims:
            values = {**play.choice, **play.reply}
            for ply in range(1, play.plies + 1):
                answer = self._code.decode(ply, values)
                if answer.move is not None and not answer.stop:
                    found.setdefault(str(answer.move), ply)
        return found

    def verdict(
        self, ply: int, move: LayoutMove, false: tuple[int, ...], earlier: Mapping[str, int]
    ) -> Legality | None:
        """What is said of ``move``, of whose literals those in ``false`` are false.

        ``None``: nothing. A number behind the last move is no move for any formula.
        """
        if self._layout.moves[ply - 1].indicators is not None:
            return Legality(not false, false)
        exact = self._exact(ply).get(str(move))
        if exact is None:
            return Legality(False)
        if exact:
            return Legality(not false, false)
        claimed = earlier.get(str(move))
        is_black = any(x in false for x in self._black(ply, str(move)))
        if claimed is None and not is_black:
            return None
        return Legality(False, false, earlier=claimed)

    def _black(self, ply: int, name: str) -> tuple[int, ...]:
        """The literal that says that a position is not black, where there is one."""
        black = Player.BLACK.value
        literal = self._kinds(ply - 1).get(
            black if self._layout.state.position else f"{black} {name}"
        )
        return () if literal is None else (-literal,)
