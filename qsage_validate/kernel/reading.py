"""The claims of a layout: codes of moves, positions and legality in the formula.

A layout is a claim of the file's.  Nothing that is proved with it rests on its being true: a
reading that is wrong makes a proof fail, or proves the same theorem by another strategy.

Literals are the formula's: signed numbers of variables or gates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from qsage_validate.circuit.aig import TRUE, AigBuilder
from qsage_validate.kernel.player import Player

Pattern = tuple[bool | None, ...]
"""Values of the literals of a ply; ``None`` is either."""


@dataclass(frozen=True, slots=True)
class PlyReading:
    """A ply: who makes it, and which values of ``literals`` stand for which move.

    ``codes`` has for each move, by its text, the patterns that stand for it; patterns of two
    moves never fit the same values (they are numbers, or have one true value each).  ``stop``
    is true when the player claims to have won: after this ply, or with ``stop_instead`` before
    it, so that the ply does not happen.
    """

    ply: int
    player: Player
    literals: tuple[int, ...]
    codes: Mapping[str, Sequence[Pattern]]
    stop: int | None = None
    stop_instead: bool = False


@dataclass(frozen=True, slots=True)
class Says:
    """The formula says of an atom at a time: where ``when`` holds, ``then`` must hold.

    Demanded where the atom has the value ``value`` by the rules.  ``when`` and ``then`` are
    conjunctions of the formula's literals; ``when`` picks a place of a symbolic position.
    """

    time: int
    atom: str
    value: bool
    when: tuple[int, ...]
    then: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Flags:
    """The formula takes White's move at a ply for legal exactly where all ``literals`` hold.

    ``move`` is the move that this is said of; ``None`` for whatever the ply's variables say.
    """

    ply: int
    move: str | None
    literals: tuple[int, ...]


class IllegalReplies(Enum):
    """The reading of a reply that is no legal move, in the strategy that is read off.

    ``ILLEGAL``: the strategy has none, and fails.  ``PASS``: it claims nothing, where that is
    never better than a move.  ``ANY``: it makes any legal move, and must win with each.
    """

    ILLEGAL = "illegal"
    PASS = "pass"
    ANY = "any"


@dataclass(frozen=True)
class Reading:
    """All claims of a layout.

    ``says`` and ``flags`` are about the formula's boards and legality.  ``told`` are variables
    that tell the position at a time, for an opponent who states what holds; ``granted`` are
    literals that such an opponent keeps true.  ``replies`` has for each player how replies that
    are no moves are read.  ``source`` says where the layout is from.
    """

    plies: tuple[PlyReading, ...]
    says: tuple[Says, ...] = ()
    flags: tuple[Flags, ...] = ()
    told: tuple[tuple[int, str, int], ...] = ()
    granted: tuple[int, ...] = ()
    replies: Mapping[Player, IllegalReplies] | None = None
    source: str = "the layout"

    def ply(self, number: int) -> PlyReading | None:
        """A ply by its number, from 1; ``None`` beyond the last one."""
        return self.plies[number - 1] if number <= len(self.plies) else None

    def reply(self, player: Player) -> IllegalReplies:
        return IllegalReplies.ILLEGAL if self.replies is None else self.replies[player]


class Matcher:
    """Literals for patterns over one row of literals.

    Halves of patterns that are equal become one literal, so that n moves with a variable each
    take n log n gates instead of n squared.
    """

    def __init__(self, builder: AigBuilder, literals: Sequence[int]) -> None:
        self._builder = builder
        self._literals = literals
        self._known: dict[tuple[int, Pattern], int] = {}

    def __call__(self, pattern: Pattern) -> int:
        """The literal that is true where the row has the values of the pattern."""
        if len(pattern) != len(self._literals):
            raise ValueError(f"a pattern of {len(pattern)} for {len(self._literals)} literals")
        return self._match(0, pattern)

    def _match(self, first: int, pattern: Pattern) -> int:
        if not pattern:
            return TRUE
        key = (first, pattern)
        found = self._known.get(key)
        if found is None:
            if len(pattern) == 1:
                literal = self._literals[first]
                found = TRUE if pattern[0] is None else literal ^ (not pattern[0])
            else:
                half = len(pattern) // 2
                left = self._match(first, pattern[:half])
                found = self._builder.and_(left, self._match(first + half, pattern[half:]))
            self._known[key] = found
        return found


def assignments(ply: PlyReading) -> Iterator[tuple[str, dict[int, bool]]]:
    """Each code of a ply as values of variables; codes that contradict themselves are left out."""
    for move, patterns in ply.codes.items():
        for pattern in patterns:
            values: dict[int, bool] = {}
            for literal, value in zip(ply.literals, pattern, strict=True):
                if value is None:
                    continue
                wanted = value != (literal < 0)
                if values.setdefault(abs(literal), wanted) != wanted:
                    break
            else:
                yield move, values
