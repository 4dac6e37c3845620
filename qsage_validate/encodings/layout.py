"""The layout of an encoding: what its variables and gates mean in the game, and codings of moves.

A ply codes its move by variables: as the numbers of a grid, a number, or one literal.  Codings
know moves by their texts, in the words of the rules: ``occupy(2,3)``, ``b2``, ``(mark 1 1)``.

Plies count from 1; state ``t`` is the one before ply ``t + 1``, so ``states[0]`` is the initial
position.  Bit vectors are tuples of signed literals, most significant bit first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property, lru_cache
from itertools import chain
from typing import Final, Protocol

from qsage_validate.errors import UsageError, counted
from qsage_validate.games.protocol import Player, Square

# Codings of moves by the variables of a ply: as the numbers of a grid, a number, or one literal


Bits = tuple[int, ...]
Pattern = tuple[bool | None, ...]
"""Values of the variables of a ply; ``None`` is either."""

_GRID_MOVE: Final = re.compile(r"([^\s(]+)\((\d{1,6}),(\d{1,6})\)")


def value_bits(value: int, width: int) -> tuple[bool, ...]:
    """``value`` as ``width`` bits, most significant first."""
    return tuple(bool(value >> k & 1) for k in range(width - 1, -1, -1))


def bits_value(bits: tuple[bool, ...]) -> int:
    """The number that ``bits`` stand for, most significant first."""
    value = 0
    for bit in bits:
        value = 2 * value + bit
    return value


def literal_value(values: Mapping[int, bool], literal: int) -> bool:
    """The value of a signed literal; variables without a value are false."""
    return values.get(abs(literal), False) != (literal < 0)


@dataclass(frozen=True, slots=True)
class Number:
    """A number in bits, with the values 0 to ``size`` - 1; larger ones have no meaning."""

    bits: Bits
    size: int

    def set(self, number: int) -> dict[int, bool]:
        """The values of variables that say ``number``."""
        values = value_bits(number, len(self.bits))
        return {abs(x): bit != (x < 0) for x, bit in zip(self.bits, values, strict=True)}

    def read(self, values: Mapping[int, bool]) -> int:
        """The number that the bits stand for, which may mean nothing."""
        return bits_value(tuple(literal_value(values, literal) for literal in self.bits))

    def equals(self, number: int) -> Bits:
        """The literals that hold where the bits stand for ``number``."""
        values = value_bits(number, len(self.bits))
        return tuple(x if bit else -x for x, bit in zip(self.bits, values, strict=True))


class MoveCoding(Protocol):
    """Translates the moves of a ply to values of its variables and back."""

    @property
    def numbers(self) -> tuple[Number, ...]:
        """The numbers that make a move; none where each move has a literal."""
        ...

    @property
    def variables(self) -> Bits:
        """The literals that make the move, without the stop variable."""
        ...

    @property
    def moves(self) -> tuple[str, ...]:
        """Every move, legal or not, in a fixed order."""
        ...

    @property
    def no_moves(self) -> tuple[str, ...]:
        """Texts of the values that are no move: squares off the board, for example."""
        ...

    def place(self, move: str) -> tuple[int, ...]:
        """The :attr:`numbers` of a move; where there are none, its place among :attr:`moves`."""
        ...

    def can_say(self, move: str) -> bool:
        """True if the variables have values for ``move``, which may be one of :attr:`no_moves`."""
        ...

    def encode(self, move: str) -> dict[int, bool]:
        """The values of the variables for ``move``, which :meth:`can_say`."""
        ...

    def decode(self, values: Mapping[int, bool]) -> tuple[str | None, str]:
        """The move that ``values`` stand for; ``None`` and what they say where that is none.

        Variables without a value are false.
        """
        ...

    def patterns(self) -> Iterator[tuple[str, Pattern]]:
        """The moves that can be said, each with the values of :attr:`variables` that say it."""
        ...

    def labels(self) -> Iterator[tuple[int, str]]:
        """Each literal with its name in the ply."""
        ...


@dataclass(frozen=True)
class GridCoding:
    """A move is an action with coordinates: three numbers, from 0 in bits and from 1 in texts.

    An axis of length 1 and a single action need no bits; where a formula has them all the same,
    they mean nothing (they are 0 when written and not looked at when read).
    """

    actions: tuple[str, ...]
    action: Bits
    x: Number
    y: Number

    @cached_property
    def numbers(self) -> tuple[Number, ...]:
        return Number(self.action, len(self.actions)), self.x, self.y

    @cached_property
    def variables(self) -> Bits:
        return self.action + self.x.bits + self.y.bits

    @property
    def moves(self) -> tuple[str, ...]:
        return _grid_moves(self.actions, self.x.size, self.y.size)

    @property
    def no_moves(self) -> tuple[str, ...]:
        width, height = map(_most, (self.x, self.y))
        return tuple(
            f"{action}({x},{y})"
            for action in self.actions
            for y in range(1, height + 1)
            for x in range(1, width + 1)
            if x > self.x.size or y > self.y.size
        )

    def can_say(self, move: str) -> bool:
        parts = grid_move(move)
        if parts is None or parts[0] not in self.actions:
            return False
        return 1 <= parts[1] <= _most(self.x) and 1 <= parts[2] <= _most(self.y)

    def place(self, move: str) -> tuple[int, ...]:
        parts = grid_move(move)
        if parts is None:
            raise ValueError(f"{move} has no action and coordinates")
        action, x, y = parts
        return self.actions.index(action), x - 1, y - 1

    def encode(self, move: str) -> dict[int, bool]:
        pairs = zip(self.numbers, self.place(move), strict=True)
        return dict(chain.from_iterable(own.set(number).items() for own, number in pairs))

    def decode(self, values: Mapping[int, bool]) -> tuple[str | None, str]:
        read = (0 if own.size == 1 else own.read(values) for own in self.numbers)
        number, x, y = read
        if number >= len(self.actions):
            return None, f"the action bits say {number + 1} of {len(self.actions)} actions"
        move = f"{self.actions[number]}({x + 1},{y + 1})"
        if x >= self.x.size or y >= self.y.size:
            return None, f"{move} is off the {self.x.size}x{self.y.size} board"
        return move, ""

    def patterns(self) -> Iterator[tuple[str, Pattern]]:
        actions, columns, rows = ([_axis(n, k) for k in range(n.size)] for n in self.numbers)
        for name, action in zip(self.actions, actions, strict=True):
            for x, column in enumerate(columns, start=1):
                for y, row in enumerate(rows, start=1):
                    if action is not None and column is not None and row is not None:
                        yield f"{name}({x},{y})", (*action, *column, *row)

    def labels(self) -> Iterator[tuple[int, str]]:
        for part, number in zip(("action", "x", "y"), self.numbers, strict=True):
            yield from bit_labels(number.bits, f"{part} bit")


@lru_cache(maxsize=64)
def _grid_moves(actions: tuple[str, ...], width: int, height: int) -> tuple[str, ...]:
    squares = [f"({x},{y})" for y in range(1, height + 1) for x in range(1, width + 1)]
    return tuple(f"{action}{square}" for action in actions for square in squares)


@lru_cache(maxsize=1 << 14)
def grid_move(text: str) -> tuple[str, int, int] | None:
    """Action and coordinates of ``occupy(2,3)``; ``None`` for other texts."""
    match = _GRID_MOVE.fullmatch(text)
    return None if match is None else (match[1], int(match[2]), int(match[3]))


def _most(axis: Number) -> int:
    """The largest coordinate that the bits can say."""
    return 1 if axis.size == 1 else 1 << len(axis.bits)


def _axis(own: Number, number: int) -> Pattern | None:
    """The values of bits that stand for a number; where there is but one, they mean nothing."""
    if own.size == 1:
        return (None,) * len(own.bits)
    return None if number >> len(own.bits) else value_bits(number, len(own.bits))


def bit_labels(bits: Bits, what: str) -> Iterator[tuple[int, str]]:
    for place, literal in enumerate(bits, start=1):
        yield literal, f"{what} {len(bits) - place}"


# The layout of an encoding: what its variables and gates mean in the game


ANY_GAME: Final = "any"
"""The kind of game of a layout that does not say one: its moves are texts of any game."""

FIRST: Final = "qsage-layout"
"""The first line of a layout in a file."""

OUTPUT: Final = "output"
"""The name of the formula's output in a file whose matrix is clauses, where it has no number."""

MOST_SQUARES: Final = 1 << 20
"""The largest board that is decoded: each square of it is a question to the certificate."""


FOUND: Final = "found: "
"""How the source of a layout begins that was found out."""

UNKNOWN: Final = "unknown"
"""The encoding of a layout that names none."""


class StateCode(Enum):
    """The meaning of the two state variables of a square."""

    OPEN_WHITE = "open white"
    OCCUPIED_WHITE = "occupied white"

    @property
    def kinds(self) -> tuple[str, ...]:
        """The name of what each of the two variables says."""
        return tuple(self.value.split())

    def decode(self, first: bool, second: bool) -> Square:
        """The content of the square that the two values stand for."""
        is_open = first if self is StateCode.OPEN_WHITE else not first
        if is_open:
            return Square.OPEN
        return Square.WHITE if second else Square.BLACK

    def encode(self, square: Square) -> tuple[bool, bool | None]:
        """The two values for ``square``; ``None`` where the second means nothing."""
        is_open = square is Square.OPEN
        second = None if is_open else square is Square.WHITE
        return is_open == (self is StateCode.OPEN_WHITE), second


@dataclass(frozen=True, slots=True)
class Indicators:
    """The literals that say of a White ply, whatever the move, that it is legal: all are true.

    ``bounds`` says that action and coordinates are legal (Table 1's *lb*; ``None`` where every
    value of the bits is); ``preconditions[k]`` that the k-th precondition of the chosen action
    holds (*P*).
    """

    bounds: int | None
    preconditions: Bits

    @property
    def literals(self) -> Bits:
        """All of them, the bounds first."""
        return (*(() if self.bounds is None else (self.bounds,)), *self.preconditions)


@dataclass(frozen=True, slots=True)
class Ply:
    """The variables of one ply, from 1.

    ``stop`` is the game-stop variable (``None`` where there is none): the player claims to have
    won with this ply or, with ``stop_instead``, before it, so that the ply does not happen.

    ``legal`` has for each move a literal that is true exactly when the formula takes the move
    for legal; it is empty, or a literal is 0, where the formula does not say.  ``indicators`` say
    it of all moves of the ply together.
    """

    ply: int
    player: Player
    coding: MoveCoding
    stop: int | None = None
    stop_instead: bool = True
    legal: Bits = ()
    indicators: Indicators | None = None

    @property
    def moves(self) -> tuple[str, ...]:
        """The texts of all moves, legal or not, as the rules of the game write them."""
        return self.coding.moves

    @property
    def variables(self) -> Bits:
        """The literals that make the move, without the stop variable."""
        return self.coding.variables

    @property
    def all_variables(self) -> Bits:
        """The literals of the ply, the stop variable last."""
        return self.variables if self.stop is None else (*self.variables, self.stop)

    @property
    def vectors(self) -> tuple[Bits, ...]:
        """The bits of each number that makes the move: on a grid of action, x and y."""
        return tuple(number.bits for number in self.coding.numbers)

    @property
    def action(self) -> Bits:
        return self.vectors[0]

    @property
    def x(self) -> Bits:
        """The bits of a grid's column."""
        return self.vectors[1]

    @property
    def y(self) -> Bits:
        """The bits of a grid's row."""
        return self.vectors[2]

    @property
    def says_legal(self) -> Bits:
        """All literals that say whether a move is legal."""
        if self.indicators is not None:
            return self.indicators.literals
        return tuple(literal for literal in self.legal if literal)

    def __repr__(self) -> str:
        return f"<Ply {self.ply}, {self.player}: {counted(len(self.variables), 'variable')}>"


def variables_of(ply: Ply) -> list[int]:
    """The variables of a ply, with the one that stops the play."""
    return list(dict.fromkeys(map(abs, ply.all_variables)))


def on_grid(
    ply: int,
    player: Player,
    coding: GridCoding,
    stop: int | None = None,
    indicators: Indicators | None = None,
) -> Ply:
    """A ply whose moves are actions with coordinates; a claim goes with the move."""
    return Ply(ply, player, coding, stop, stop_instead=False, indicators=indicators)


@dataclass(frozen=True)
class StateView:
    """The literals in which a formula keeps the position.

    ``states[t][k]`` is the literal that says ``kinds[k]`` of the position before ply ``t + 1``;
    it is 0 where the formula has none (the atom is then left out of comparisons), and
    ``states[t]`` is empty where the formula has no state at that time.

    Without ``axes`` a kind is an atom, in the words of the game (``"black b2"``,
    ``"(cell 1 1 x)"``).  With a symbolic position, ``axes`` are the numbers that point at one of
    its places, and kinds are what may be there: the atom ``f"{kind} {place}"`` is read by giving
    ``axes`` the numbers of the place.  ``names`` are what places are called where there is one
    axis; on a grid, which has two, they are squares ``(x,y)``.

    On a grid two literals say by ``code`` what is on a square, so that the formula tells the
    whole board.

    Of a positional game ``one_sided`` says that clauses bind the literals to Black's disadvantage
    only: what is ``black`` for the formula is black, and what is white is ``white`` for it, but a
    solver's strategy may leave a black stone out, or lay a white one.
    """

    kinds: tuple[str, ...] = ()
    states: tuple[Bits, ...] = ()
    axes: tuple[Number, ...] = ()
    names: tuple[str, ...] = ()
    one_sided: bool = False
    code: StateCode | None = None

    @property
    def position(self) -> Bits:
        """The bits of the symbolic position; empty without one."""
        return tuple(literal for axis in self.axes for literal in axis.bits)

    @property
    def x(self) -> Bits:
        """The bits of a grid's column."""
        return self.axes[0].bits

    @property
    def y(self) -> Bits:
        """The bits of a grid's row."""
        return self.axes[1].bits

    @property
    def is_board(self) -> bool:
        """True if the formula has the content of each square of a grid."""
        return self.code is not None

    @property
    def lists_atoms(self) -> bool:
        """True if each kind is an atom: there is no symbolic position to give a value."""
        return not self.position and not self.is_board

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of a grid."""
        width, height = self.axes
        return width.size, height.size

    @property
    def literals(self) -> Iterator[int]:
        """The literals of all states that the formula has."""
        return (literal for state in self.states for literal in state if literal)

    @cached_property
    def squares(self) -> tuple[tuple[int, int], ...]:
        """The squares of a grid, from 1, row by row; empty where the formula has no board.

        Raises ``UsageError`` for a board of more than ``MOST_SQUARES`` squares: a layout's board
        is a line of text, while a board that is shown is asked for square by square.
        """
        if not self.is_board:
            return ()
        width, height = self.size
        if width * height > MOST_SQUARES:
            raise UsageError(
                f"the layout's board has {width}x{height} squares: boards of at "
                f"most {MOST_SQUARES:,} are played"
            )
        return tuple((x, y) for y in range(1, height + 1) for x in range(1, width + 1))

    @cached_property
    def places(self) -> tuple[str, ...]:
        """The names of the places that the symbolic position can be at, in a fixed order."""
        return tuple(f"({x},{y})" for x, y in self.squares) if self.is_board else self.names

    @cached_property
    def at_places(self) -> tuple[dict[int, bool], ...]:
        """The values of the symbolic position at each place; one empty one without a position."""
        if self.is_board:
            x_axis, y_axis = self.axes
            return tuple({**x_axis.set(x - 1), **y_axis.set(y - 1)} for x, y in self.squares)
        if not self.position:
            return ({},)
        return tuple(self.axes[0].set(number) for number in range(len(self.names)))

    def wrong(self, atom: str, by_formula: bool) -> bool:
        """True if ``by_formula`` is a fault where the rules give the atom the other value.

        A one-sided board may hide black stones and invent white ones.
        """
        return not self.one_sided or by_formula is atom.startswith("black ")

    def __repr__(self) -> str:
        return f"<StateView of {len(self.kinds)} kinds>"


def board_view(x: Number, y: Number, states: tuple[Bits, ...], code: StateCode) -> StateView:
    """The state of a grid: fix ``x`` and ``y``, read two literals by ``code``."""
    return StateView(code.kinds, states, (x, y), code=code)


@dataclass(frozen=True, slots=True)
class GoalVariables:
    """The variables that claim Black's goal and refute White's (the paper's B and W variables)."""

    black_condition: Bits = ()
    black_x: Bits = ()
    black_y: Bits = ()
    white_condition: Bits = ()
    white_x: Bits = ()
    white_y: Bits = ()
    counterexample: Bits = ()

    def claim(self, player: Player) -> tuple[Bits, Bits, Bits]:
        """The variables in which a player says which goal was reached, and where."""
        if player is Player.BLACK:
            return self.black_condition, self.black_x, self.black_y
        return self.white_condition, self.white_x, self.white_y


class IllegalMoves(Enum):
    """The effect, in a formula, of a move that the rules forbid.

    ``LOSES``: its player has lost.  ``IGNORED``: an illegal move of White's does nothing and
    the play goes on (the corrective way of Mayer-Eichberger and Saffidine 2020); Black's loses.
    ``REPLACED``: in the place of an illegal move of White's Black's side chooses a legal one of
    White's (He, Saffidine and Thielscher 2024, rules (3), (4) and (7)); Black's loses.
    """

    LOSES = "loses"
    IGNORED = "ignored"
    REPLACED = "replaced"


class UnspecifiedLegality(Enum):
    """The meaning of a formula that says nothing of the legality of a ply.

    ``UNSAID``: the rules decide, and the verdict whether the promise is kept (stateless
    encodings, for example).  ``FREE``: every move may be made (of Black's last ply in a formula
    that says of all others what is legal).
    """

    UNSAID = "unsaid"
    FREE = "free"


@dataclass(frozen=True)
class Layout:
    """The meaning of the variables of a formula.

    ``actions`` are the names of each player's actions, in the order of their numbers, where moves
    are made of action and coordinates; else there are none.  ``goals`` are the variables in which
    a goal is claimed; only where the formula tells a board a layout says which they are.

    ``gates`` names intermediate literals for people and for checks (``"white 2 legal"``,
    ``"black 1 move"``, …); ``verdict`` is the literal that is true when the certificate's side
    has won (usually the output); ``game`` is the kind of game (``"bddl"``, ``"positional"``,
    ``"gdl"``, ``"python"`` or ``ANY_GAME``) and ``model`` the text of the game's model by part,
    from which the registry of games makes the rules again.

    ``conclusive`` are the truth values of the formula that say who wins by the rules; a formula
    about some strategies only has one of them.  ``illegal`` is what the formula makes of illegal
    moves; with ``black_passes`` one of Black's does nothing either, whatever ``illegal`` says of
    it: no stone is laid and the play goes on, which only hurts Black.
    """

    moves: tuple[Ply, ...]
    state: StateView = StateView()
    actions: Mapping[Player, tuple[str, ...]] = field(default_factory=dict)
    goals: GoalVariables = GoalVariables()
    verdict: int | None = None
    gates: Mapping[str, int] = field(default_factory=dict)
    encoding: str = UNKNOWN
    game: str = "positional"
    model: Mapping[str, str] = field(default_factory=dict)
    source: str = "layout comments"
    conclusive: tuple[bool, ...] = (True, False)
    illegal: IllegalMoves = IllegalMoves.LOSES
    black_passes: bool = False
    silence: UnspecifiedLegality = UnspecifiedLegality.UNSAID

    @property
    def is_found(self) -> bool:
        """True if no file has the layout: it was found out."""
        return self.source.startswith(FOUND)

    @property
    def plies(self) -> int:
        return len(self.moves)

    def of(self, player: Player) -> Iterator[Ply]:
        return (ply for ply in self.moves if ply.player is player)

    def illegal_replies(self, player: Player) -> IllegalMoves:
        """The effect, in the formula, of a certificate's reply that is no legal move."""
        if player is Player.WHITE:
            return self.illegal
        return IllegalMoves.IGNORED if self.black_passes else IllegalMoves.LOSES

    def __repr__(self) -> str:
        return f"<Layout {self.encoding}: {counted(self.plies, 'ply')}, from {self.source}>"


def inconclusive(layout: Layout | None, truth: bool) -> str | None:
    """The reason why the formula's value decides no winner; ``None`` where it decides one."""
    if layout is None or truth in layout.conclusive:
        return None
    value = "true" if truth else "false"
    return f"the formula is {value}, of which no winner follows in {layout.encoding}"
