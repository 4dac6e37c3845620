"""A strategy's play in the literals of a graph, handed to an encoding that completes it.

The compiler of certificates (``certificates/compile/compiler.py``) knows a winning plan: it makes
circuits for the hero's moves over the opponent's variables.  An encoding knows how everything else
that the hero decides follows from the moves.  This is what they say to each other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from qsage_validate.circuit.aig import FALSE, AigBuilder
from qsage_validate.encodings.layout.layout import Ply
from qsage_validate.games.protocol import Player, Witness

if TYPE_CHECKING:
    from qsage_validate.encodings.layout.codings import Bits

Goals = frozenset[Witness]
"""Goals that are reached together, at least one."""


def one_of(goals: Goals) -> Witness:
    """The same one of some goals whatever is asked about it."""
    return min(goals, key=str)


@dataclass(frozen=True)
class PlyLiterals:
    """One ply in literals of the graph.

    ``numbers`` are the bits of the numbers that make the move, as the ply's coding has them.
    ``stop`` is the game-stop variable's literal (FALSE where there is none).  ``variables`` maps
    the ply's QBF variables to literals, the stop variable among them.  ``moves`` makes
    :attr:`made`, once, when it is asked for: a grid has more moves than anybody wants to know of.
    """

    player: Player
    numbers: Sequence[Bits]
    stop: int
    variables: Mapping[int, int]
    moves: Callable[[], Sequence[int]]

    @cached_property
    def made(self) -> Sequence[int]:
        """For each move of the ply a literal that is true when it is made."""
        return self.moves()


class PlayLiterals(Protocol):
    """A whole play, ply by ply."""

    @property
    def builder(self) -> AigBuilder: ...

    @property
    def plies(self) -> Sequence[PlyLiterals]: ...

    @property
    def hero(self) -> Player:
        """The player whose strategy is completed."""
        ...

    @property
    def literals(self) -> Mapping[int, int]:
        """The literals of all variables known so far: the opponent's, and the hero's moves'."""
        ...

    def witness(self, value: Callable[[Goals], int], width: int) -> Bits:
        """A number about the goals that the hero reaches, as ``width`` bits.

        ``value`` gives the number for witnesses (of the game's own kind, such as the masks of
        winning sets).  Zeros for a hero without goals.
        """
        ...


Completion = Callable[[PlayLiterals], Mapping[int, int]]
"""The functions, for a given play, of the variables that the hero decides besides the moves.

Returns a literal of the play's graph for every one of them: for a Black hero the existentials
(Skolem), for a White hero the universals (Herbrand) that are not move variables.
"""


def nothing_else(_: PlayLiterals) -> Mapping[int, int]:
    """The completion of a player who decides moves and nothing else."""
    return {}


class ReferencePlay:
    """The play that a hero has in mind while a certificate is compiled, one by the rules.

    Where a formula does something else than lose for White when White writes an illegal move,
    Black takes White to have made a legal one, and where it ignores Black's, White does so too.
    Here it is a game that stops where the hero claims to have won; literals are the graph's.
    """

    witnesses: Sequence[tuple[Callable[[Goals], int], int]] = ()
    """Numbers about goals, with their widths, that belong to the ply at which a goal is claimed."""

    def over(self, ply: Ply) -> int | None:
        """The literal that the play has ended before a ply; ``None`` if it never has."""
        return None

    def fallback(self, ply: Ply) -> Sequence[int]:
        """For each move whether it is made at a ply of the hero's when the play has ended."""
        return [FALSE] * len(ply.moves)

    def replaced(self, ply: Ply, made: Sequence[int]) -> Sequence[int]:
        """Replace the opponent's moves by legal ones where the formula lets the play go on."""
        return made

    def decides(self, variable: int) -> bool:
        """True if a variable of a move is a real variable; false if it stands for a constant."""
        return True

    def play(self, ply: Ply, played: PlyLiterals, known: Mapping[int, int]) -> None:
        """Go on to the next ply; ``known`` are the values of all variables known by now."""
