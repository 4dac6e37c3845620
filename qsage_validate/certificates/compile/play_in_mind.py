"""The play that a hero has in mind while a certificate is compiled, which is one by the rules.

Where a formula does something else than lose for White when White writes an illegal move, Black
takes White to have made a legal one, and where it ignores Black's, White does so too:

* of positional games, the first open position of the table.  The formula ignores such a move, so
  the opponent's stones in mind always contain those in the formula, and the hero's are the same:
  the hero's moves are legal in both, and a win in mind is one in the formula;
* in COVER, the first open position of the cover, for a move that does nothing; and the first
  position outside the cover for any of them;
* of games in GDL, what the encoding itself puts in its place (``encodings/gdl/completion.py``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.encodings.encoding import TableEncoding
from qsage_validate.encodings.gdl.completion import Completion
from qsage_validate.encodings.gdl.encoders import GdlTables
from qsage_validate.encodings.layout.layout import Ply
from qsage_validate.encodings.positional.cover import CoverEncoding, covered
from qsage_validate.games.positional.masks import members
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.protocol import Player


class PlayInMind(Protocol):
    """Which moves are made, as literals of the graph."""

    def over(self, table: Ply) -> int | None:
        """Whether no move can be made at a ply because the play has ended; ``None``: it can."""
        ...

    def fallback(self, table: Ply) -> Sequence[int]:
        """A literal for each move, one of them true: what is made when the play has ended."""
        ...

    def replaced(self, table: Ply, made: Sequence[int]) -> Sequence[int]:
        """Legal moves of the opponent's for those that are written, where play goes on anyway."""
        ...

    def decides(self, variable: int) -> bool:
        """Whether a variable of a move is one, and not a constant in the formula's clothes."""
        ...

    def play(self, table: Ply, made: Sequence[int], variables: Mapping[int, int]) -> None:
        """Go on to the next ply; ``variables`` are the values of all that are known by now."""
        ...


def play_in_mind(encoding: TableEncoding, builder: AigBuilder) -> PlayInMind:
    """The play of an encoding's model, before the first ply."""
    if isinstance(encoding, GdlTables):
        return _GdlPlay(encoding, builder)
    if isinstance(encoding, CoverEncoding):
        return _CoverPlay(encoding, builder)
    return _Claims(encoding, builder)


def first_true(builder: AigBuilder, literals: Sequence[int]) -> list[int]:
    """For each literal, whether it is the first that is true."""
    found = []
    none = TRUE
    for literal in literals:
        found.append(builder.and_(none, literal))
        none = builder.and_(none, literal ^ 1)
    return found


class _Claims:
    """A positional game: who claims a position for the first time has it."""

    def __init__(self, encoding: TableEncoding, builder: AigBuilder) -> None:
        model = encoding.model
        assert isinstance(model, PositionalModel), "GDL has a play of its own"
        self.builder = builder
        self._taken = frozenset(model.names(model.black | model.white))
        self._claims: dict[str, list[int]] = {}

    def _open(self, table: Ply) -> list[int]:
        return [
            FALSE if name in self._taken else self.builder.or_all(self._claims.get(name, ())) ^ 1
            for name in table.moves
        ]

    def over(self, table: Ply) -> int | None:
        return None

    def fallback(self, table: Ply) -> Sequence[int]:
        return first_true(self.builder, self._open(table))

    def replaced(self, table: Ply, made: Sequence[int]) -> Sequence[int]:
        is_open = self._open(table)
        right = [self.builder.and_(a, b) for a, b in zip(made, is_open, strict=True)]
        wrong = self.builder.or_all(right) ^ 1
        return [
            self.builder.or_(a, self.builder.and_(wrong, b))
            for a, b in zip(right, first_true(self.builder, is_open), strict=True)
        ]

    def decides(self, variable: int) -> bool:
        return True

    def play(self, table: Ply, made: Sequence[int], variables: Mapping[int, int]) -> None:
        for name, literal in zip(table.moves, made, strict=True):
            if literal != FALSE:
                self._claims.setdefault(name, []).append(literal)


class _CoverPlay:
    """The game of a cover, for Black: she stops when she has won."""

    def __init__(self, encoding: CoverEncoding, builder: AigBuilder) -> None:
        model = encoding.model
        assert isinstance(model, PositionalModel), "GDL has a play of its own"
        self.builder = builder
        self.model = model
        self.played = encoding.played
        size = len(model.positions)
        self._black = [TRUE if model.black >> v & 1 else FALSE for v in range(size)]
        self._white = [TRUE if model.white >> v & 1 else FALSE for v in range(size)]
        self._cover: Sequence[int] = ()

    def over(self, table: Ply) -> int | None:
        builder, black = self.builder, self._black
        wins = self.model.black_wins
        return builder.or_all(builder.and_all(black[v] for v in members(win)) for win in wins)

    def fallback(self, table: Ply) -> Sequence[int]:
        return [FALSE] * len(table.moves)

    def replaced(self, table: Ply, made: Sequence[int]) -> Sequence[int]:
        builder = self.builder
        stones = zip(self._cover, self._black, self._white, strict=True)
        places = [builder.and_all((c, b ^ 1, w ^ 1)) for c, b, w in stones]
        inside = [builder.and_(m, p) for m, p in zip(made, places, strict=False)]
        if self.played:
            outside = [
                c ^ 1 if self.model.open >> v & 1 else FALSE for v, c in enumerate(self._cover)
            ]
            out = builder.or_all(builder.and_(m, o) for m, o in zip(made, outside, strict=True))
            counted = [builder.and_(out, first) for first in first_true(builder, outside)]
        else:
            out = made[-1]
            counted = [*(FALSE for _ in places), out]
            inside.append(FALSE)
            places.append(FALSE)
        wrong = builder.or_(out, builder.or_all(inside)) ^ 1
        instead = (builder.and_(wrong, first) for first in first_true(builder, places))
        return [builder.or_all(some) for some in zip(inside, counted, instead, strict=True)]

    def decides(self, variable: int) -> bool:
        return True

    def play(self, table: Ply, made: Sequence[int], variables: Mapping[int, int]) -> None:
        builder = self.builder
        if table.player is Player.BLACK:
            self._black = [builder.or_(b, m) for b, m in zip(self._black, made, strict=True)]
        else:
            stones = zip(self._white, made, self._cover, strict=False)
            self._white = [builder.or_(w, builder.and_(m, c)) for w, m, c in stones]
        if table.ply == 1:
            self._cover = covered(builder, self.model, self._black)


class _GdlPlay:
    """A game in GDL: the formula's own gates say what is legal and when the play has ended."""

    def __init__(self, encoding: GdlTables, builder: AigBuilder) -> None:
        self._known: dict[int, int] = {}
        self._variables = frozenset(encoding.inner.qbf.levels())
        self._inner = encoding.inner
        self._completion = Completion(encoding.inner, builder, self._known)

    def over(self, table: Ply) -> int | None:
        return self._completion.literal(self._inner.ended[(table.ply - 1) // 2])

    def fallback(self, table: Ply) -> Sequence[int]:
        return [FALSE] * len(table.moves)

    def replaced(self, table: Ply, made: Sequence[int]) -> Sequence[int]:
        return self._completion.white(table.ply // 2, made)

    def decides(self, variable: int) -> bool:
        return variable in self._variables

    def play(self, table: Ply, made: Sequence[int], variables: Mapping[int, int]) -> None:
        self._known.update((v, x) for v, x in variables.items() if v in self._variables)
