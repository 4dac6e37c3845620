"""The layout of encodings whose moves are numbered or have a variable each.

The lifted encoding of grid games names a move by action and coordinates and has its layout in
``layout.py``.  Everything else, positional games and games in GDL, lists the moves of a ply: a
:class:`MoveTable` says which bits or which literal stand for each of them, and a
:class:`StateTable` where the formula keeps what it knows about the position.  State ``t`` is the
one before ply ``t + 1``, so ``states[0]`` is the initial position.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from qsage_validate.encodings.layout.grid import Bits, Layout, bits_value
from qsage_validate.games.protocol import Player


@dataclass(frozen=True, slots=True)
class MoveTable:
    """The variables of one ply.

    ``moves`` are the texts of all moves that the ply can say, as the rules of the game write
    them (``Game.parse_move`` reads them back); plies may share one tuple.  Either ``code`` are
    bits, most significant first, and move ``i`` has the number ``i`` (numbers behind the last
    move are no moves), or ``literals`` has one literal a move of which exactly one is true.
    ``stop`` is the game-stop variable: the player claims to have won before this ply, and the
    ply itself does not happen.  ``legal`` has for each move a literal that is true exactly when
    the formula takes the move for legal; it is empty, or a literal is 0, where the formula does
    not say.
    """

    ply: int
    player: Player
    moves: tuple[str, ...]
    code: Bits = ()
    literals: Bits = ()
    legal: Bits = ()
    stop: int | None = None

    @property
    def variables(self) -> Bits:
        """The literals that make the move, without the stop variable."""
        return self.code or self.literals

    def chosen(self, values: Mapping[int, bool]) -> str | None:
        """The move that values of the variables stand for; ``None`` when they name no move.

        Variables without a value are false.
        """
        bits = tuple(values.get(abs(v), False) != (v < 0) for v in self.variables)
        if self.code:
            number = bits_value(bits)
            return self.moves[number] if number < len(self.moves) else None
        made = list(self.moves)
        if self.literals:
            made = [move for move, bit in zip(self.moves, bits, strict=True) if bit]
        return made[0] if len(made) == 1 else None


@dataclass(frozen=True, slots=True)
class StateTable:
    """Where a formula keeps the position.

    ``atoms`` are the things that a position may contain, in the words of the game
    (``"black b2"``, ``"(cell 1 1 x)"``); ``states[t][k]`` is the literal that says that atom
    ``k`` is true before ply ``t + 1``, 0 where the formula has none (the atom is then left out
    of comparisons), and ``states[t]`` is empty where the formula has no state at that time.

    In an encoding with a symbolic position, ``position`` are its bits (most significant first),
    ``places`` the names of the positions by number, and ``atoms`` the kinds of things that may
    be on one of them (``("black", "white")``): the atom ``f"{kind} {place}"`` is read by giving
    ``position`` the number of the place.

    Of a positional game ``one_sided`` says that clauses bind the literals to Black's disadvantage
    only: what is ``black`` for the formula is black, and what is white is ``white`` for it, but a
    solver's strategy may leave a black stone out, or lay a white one.
    """

    atoms: tuple[str, ...] = ()
    states: tuple[Bits, ...] = ()
    position: Bits = ()
    places: tuple[str, ...] = ()
    one_sided: bool = False

    def wrong(self, atom: str, by_formula: bool) -> bool:
        """Whether the formula may not say this of an atom of which the rules say the opposite."""
        return not self.one_sided or by_formula is atom.startswith("black ")


class IllegalMoves(Enum):
    """What a formula makes of a move that the rules forbid.

    ``LOSES``: who makes it has lost.  ``IGNORED``: an illegal move of White's does nothing and
    the play goes on (the corrective way of Mayer-Eichberger and Saffidine 2020); Black's loses.
    ``REPLACED``: in the place of an illegal move of White's Black's side chooses a legal one of
    White's (He, Saffidine and Thielscher 2024, rules (3), (4) and (7)); Black's loses.
    """

    LOSES = "loses"
    IGNORED = "ignored"
    REPLACED = "replaced"


@dataclass(frozen=True)
class TableLayout:
    """What the variables of a formula mean, for encodings with tables of moves.

    ``gates`` names intermediate literals for people and for checks (``"white 2 legal"``);
    ``verdict`` is the literal that is true when Black has won (usually the output); ``game`` is
    the kind of game (``"positional"``, ``"gdl"``) and ``model`` the text of the game's model by
    part, from which the registry of games makes the rules again.  ``conclusive`` are the truth
    values of the formula that say who wins by the rules; a formula about some strategies only has
    one of them.  ``illegal`` is what the formula makes of illegal moves; with ``black_passes`` one
    of Black's does nothing either, whatever ``illegal`` says of it: no stone is laid and the play
    goes on, which only hurts Black.
    """

    moves: tuple[MoveTable, ...]
    state: StateTable = StateTable()
    verdict: int | None = None
    gates: Mapping[str, int] = field(default_factory=dict)
    encoding: str = "unknown"
    game: str = "positional"
    model: Mapping[str, str] = field(default_factory=dict)
    source: str = "layout comments"
    conclusive: tuple[bool, ...] = (True, False)
    illegal: IllegalMoves = IllegalMoves.LOSES
    black_passes: bool = False

    @property
    def plies(self) -> int:
        """The number of plies."""
        return len(self.moves)


AnyLayout: TypeAlias = Layout | TableLayout
"""Both kinds have ``plies``, ``moves`` (``ply``, ``player``, ``variables``, ``stop``), ``gates``,
``verdict``, ``encoding``, ``game``, ``model`` and ``source``."""


def illegal_replies(layout: AnyLayout, player: Player) -> IllegalMoves:
    """What the formula makes of a certificate's reply that is no legal move of this player's."""
    if not isinstance(layout, TableLayout):
        return IllegalMoves.LOSES
    if player is Player.WHITE:
        return layout.illegal
    return IllegalMoves.IGNORED if layout.black_passes else IllegalMoves.LOSES


def inconclusive(layout: AnyLayout | None, truth: bool) -> str | None:
    """Why the formula's value says nothing about the game; ``None`` where it says who wins."""
    if not isinstance(layout, TableLayout) or truth in layout.conclusive:
        return None
    value = "true" if truth else "false"
    return f"the formula is {value}, of which no winner follows in {layout.encoding}"
