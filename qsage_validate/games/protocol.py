"""The protocol that every kind of game answers: games, positions, moves, outcomes.

Referee, search, interface and adversaries are written once, against these types.  Positions
are frozen and hashable; moves have a text form that parses back, positions one that is complete.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, ClassVar, Protocol, TypeAlias, TypeVar, runtime_checkable

from qsage_validate.errors import AmbiguousMoveError, IllegalMoveError, QsageError, UsageError
from qsage_validate.formats.grid_names import column_letters, square_named
from qsage_validate.formats.source import quoted
from qsage_validate.kernel.player import Player as Player  # noqa: PLC0414 (re-exported)

# The protocol that every kind of game answers: games, positions, moves, outcomes


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a play: the winner, and the reason in words (``"reached its goal"``).

    ``stuck`` says that it ended because the player to move has no legal move.  ``plies`` are those
    that the end takes after the last move: 1 where a ply is counted at which nobody can move, or
    at which the win is claimed.
    """

    winner: Player
    reason: str
    stuck: bool = False
    plies: int = 0


@runtime_checkable
class Move(Protocol):
    """A move: hashable, and ``str(move)`` is its text form."""

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Illegality:
    """The reason why a move is illegal in a position.

    ``rule`` names the rule that fails in the model's own words (``"open(?x,?y)"``); ``text``
    is the move with what the rule says of it (``"occupy(2,3): open(?x,?y) is false at (2,3)"``);
    ``square`` is the place concerned, 1-based, where there is one; ``index`` is the number,
    from 0, of the failing precondition of the action, or ``None`` for a broken bound or an
    unknown action.  ``sentence`` says what stands on the board instead (``"Black already holds
    (2,3)"``); it is empty where ``text`` is all that there is to say.
    """

    rule: str
    text: str
    square: tuple[int, int] | None = None
    index: int | None = None
    sentence: str = ""

    @property
    def lines(self) -> tuple[str, ...]:
        """The sentence, if there is one, and the text."""
        return (self.sentence, self.text) if self.sentence else (self.text,)

    @property
    def reason(self) -> str:
        """The sentence and the text in one line."""
        return "; ".join(self.lines)

    @classmethod
    def after_end(cls, move: Move, outcome: Outcome) -> Illegality:
        """No move is legal once the play has ended."""
        rule = "the play has ended"
        return cls(rule, f"{move}: {rule}: {outcome.winner} has won")


class Square(Enum):
    """The content of a square of a grid."""

    OPEN = "."
    BLACK = "B"
    WHITE = "W"

    __hash__ = object.__hash__  # as in Player


@dataclass(frozen=True, slots=True)
class MoveCondition:
    """A condition of a move on one square: it breaks by the contents that ``said`` has.

    ``said`` says in a sentence what stands there then, ``rule`` names the condition in the model's
    words.  Without a square the move is illegal in every position.
    """

    square: tuple[int, int] | None
    rule: str
    said: Mapping[Square, str]


class Shape(Enum):
    """The style in which a grid is drawn."""

    RECTANGLE = "rectangle"
    HEXAGONS = "hexagons"
    HEAPS = "heaps"


@dataclass(frozen=True, slots=True)
class BoardPicture:
    """The picture of a position as a grid; frozen and comparable.

    ``squares`` is row by row, ``width`` columns a row: square (x, y), 1-based with y growing
    downwards, is ``squares[(y - 1) * width + (x - 1)]``.  ``names`` are those of the rows, where
    they have names instead of numbers: heaps are rows of tokens.  ``columns`` are those of the
    columns, ``top`` who connects the top row with the bottom row (in Hex; the other one
    connects sideways), and ``pieces`` the squares of each piece that covers several (dominoes;
    ``None`` where all pieces stand on one square); these make no difference between boards.
    Nor does ``pursuer``, whose one piece hunts the other player's: an evader.
    """

    width: int
    height: int
    squares: tuple[Square, ...]
    shape: Shape = Shape.RECTANGLE
    names: tuple[str, ...] = ()
    columns: tuple[str, ...] = field(default=(), compare=False)
    top: Player | None = field(default=None, compare=False)
    pieces: tuple[tuple[tuple[int, int], ...], ...] | None = field(default=None, compare=False)
    pursuer: Player | None = field(default=None, compare=False)

    def __getitem__(self, square: tuple[int, int] | str) -> Square:
        x, y = self.square_at(square) if isinstance(square, str) else square
        return self.squares[(y - 1) * self.width + (x - 1)]

    def square_at(self, name: str) -> tuple[int, int]:
        """The square with a name: ``b2``, ``(2,3)``, ``2,3``, or the name of a row of a list.

        Column ``a`` is the first and row 1 the top one.  Raises ``UsageError`` for another name.
        """
        wanted = name.strip()
        if self.names and wanted in self.names:
            return 1, self.names.index(wanted) + 1
        x, y = square_named(wanted) or (0, 0)
        if not (1 <= x <= self.width and 1 <= y <= self.height):
            last = f"{column_letters(self.width)}{self.height}"
            found = f"found the square {quoted(name)}"
            raise UsageError(f"{found}, expected one from a1 to {last}, or (column,row)")
        return x, y

    def row_name(self, y: int) -> str:
        """The name of row ``y`` (1-based): its own name, else its number."""
        return self.names[y - 1] if self.names else str(y)

    def column_name(self, x: int) -> str:
        """The name of column ``x`` (1-based): its own name, else its number."""
        return self.columns[x - 1] if self.columns else str(x)

    def square_name(self, square: tuple[int, int]) -> str:
        """The name of a square: ``b2`` where columns have letters, else ``(2,3)``.

        In a list it is the name of its row; heaps have tokens (``v1, token 3``).
        """
        column, row = self.column_name(square[0]), self.row_name(square[1])
        if self.names and self.width == 1:
            return row
        if self.shape is Shape.HEAPS:
            return f"{row}, token {square[0]}"
        return f"{column}{row}" if column.isalpha() else f"({column},{row})"

    @property
    def joints(self) -> frozenset[tuple[tuple[int, int], tuple[int, int]]]:
        """The neighbours that one piece covers, the upper or left one first."""
        return frozenset(
            (square, near)
            for piece in self.pieces or ()
            for square in piece
            for near in ((square[0] + 1, square[1]), (square[0], square[1] + 1))
            if near in piece
        )

    @property
    def rows(self) -> str:
        """The rows in one line, with slashes between them: ``.B./.../W..``."""
        rows = range(0, self.width * self.height, self.width)
        return "/".join("".join(s.value for s in self.squares[r : r + self.width]) for r in rows)

    def __str__(self) -> str:
        return self.rows

    def differences(self, other: BoardPicture) -> list[tuple[int, int]]:
        """The squares, 1-based (x, y), on which two boards of one size differ."""
        return [
            (i % self.width + 1, i // self.width + 1)
            for i, (a, b) in enumerate(zip(self.squares, other.squares, strict=True))
            if a is not b
        ]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.width}x{self.height} {self.rows}>"


def shaped_like(board: BoardPicture, look: BoardPicture) -> BoardPicture:
    """``board`` in the shape of ``look``, with its names and sides; as it is in another size."""
    if (board.width, board.height) != (look.width, look.height):
        return board
    return replace(look, squares=board.squares)


P = TypeVar("P", bound="Position")


class Position(ABC):
    """A frozen, hashable position of a game of bounded depth.

    ``game`` has its rules, ``ply`` is the number, from 1, of the ply about to be played;
    ``str(position)`` tells all.  Moves may be given as text, which :meth:`named` reads.
    """

    __slots__ = ()
    game: Any  # a TwoPlayerGame; an encoding's own positions have a PlanningGame
    ply: int

    @property
    @abstractmethod
    def to_move(self) -> Player:
        """The player whose turn it is."""

    @property
    @abstractmethod
    def outcome(self) -> Outcome | None:
        """The result, or ``None`` while the play goes on.

        Covers goals, a player to move without a legal move (who has lost), and the depth
        bound: when all plies are played without a win for Black, White has held out.
        """

    @property
    @abstractmethod
    def board(self) -> BoardPicture:
        """The board that shows the position."""

    @abstractmethod
    def legal_moves(self) -> Sequence[Move]:
        """The legal moves in a fixed order; empty when the play has ended."""

    def __deepcopy__(self: P, memo: object) -> P:
        return self  # frozen, and its game is large

    def named(self, move: Move) -> Move:
        """The move that a text names, legal or not; any other ``move`` as it is.

        Raises ``MalformedMoveError`` and ``AmbiguousMoveError`` for a text that names no move.
        """
        if not isinstance(move, str):
            return move
        game: TwoPlayerGame = self.game
        try:
            return game.parse_move(move, self.to_move)
        except AmbiguousMoveError:
            legal = [found for found in game.meant(move, self.to_move) if self.is_legal(found)]
            if len(legal) != 1:
                raise
            return legal[0]

    @abstractmethod
    def after(self: P, move: Move) -> P:
        """The position after a legal move; a text is checked as by :meth:`play`."""

    def play(self: P, move: Move) -> P:
        """The position after ``move``; raises ``IllegalMoveError`` when it is illegal."""
        move = self.named(move)
        if not self.is_legal(move):
            illegality = self.illegality(move)
            why = f"{move} is illegal" if illegality is None else illegality.reason
            raise IllegalMoveError(why)
        return self.after(move)

    @abstractmethod
    def illegality(self, move: Move) -> Illegality | None:
        """The reason why ``move`` is illegal here, or ``None`` when it is legal."""

    def is_legal(self, move: Move) -> bool:
        """True if ``move`` is legal here; quicker than :meth:`illegality`."""
        return self.illegality(move) is None


@dataclass(frozen=True)
class Symmetry:
    """A permutation of the squares that keeps rules and goals, with what it does to moves.

    ``moves`` maps every syntactically possible move of either player that can ever be legal.
    ``keeps_initial`` says that the initial position is mapped to itself.
    """

    name: str
    squares: Mapping[tuple[int, int], tuple[int, int]]
    moves: Mapping[Move, Move]
    keeps_initial: bool

    def board(self, board: BoardPicture) -> BoardPicture:
        squares = list(board.squares)
        for (x, y), (u, v) in self.squares.items():
            squares[(v - 1) * board.width + (u - 1)] = board[x, y]
        return BoardPicture(board.width, board.height, tuple(squares), board.shape)


def board_maps(width: int, height: int) -> list[tuple[str, Callable[[int, int], tuple[int, int]]]]:
    """The reflections and rotations of a board, as maps of squares (x, y), 1-based."""
    maps: list[tuple[str, Callable[[int, int], tuple[int, int]]]] = [
        ("identity", lambda x, y: (x, y)),
        ("left-right", lambda x, y: (width + 1 - x, y)),
        ("up-down", lambda x, y: (x, height + 1 - y)),
        ("half turn", lambda x, y: (width + 1 - x, height + 1 - y)),
    ]
    if width == height:
        maps += [
            ("diagonal", lambda x, y: (y, x)),
            ("antidiagonal", lambda x, y: (height + 1 - y, width + 1 - x)),
            ("quarter turn", lambda x, y: (height + 1 - y, x)),
            ("three-quarter turn", lambda x, y: (y, width + 1 - x)),
        ]
    return maps


def plies_text(number: int | None) -> str:
    """A number of plies in words; ``None`` is any number."""
    if number is None:
        return "any number of plies"
    return f"{number} {'ply' if number == 1 else 'plies'}"


Witness: TypeAlias = Hashable
"""A goal that holds: what a formula asks for, besides moves, when a player claims to have won."""


class NotPlayableError(QsageError):
    """A position can be reached in which the rules do not say how the play goes on."""


class TwoPlayerGame(ABC):
    """A two-player game of bounded depth; Black tries to win within ``plies`` plies.

    ``language`` is what its rules are written in, as the lines ``game`` of layouts call it.
    """

    language: ClassVar[str]
    lists_moves: ClassVar[bool] = True
    """True if all moves are known without a search."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name for sentences: true by the rules (``"httt 4x4 tic"``), or quoted as a label."""

    first_player: Player
    """The player who makes ply 1."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return self is other or self.identity == other.identity

    def __hash__(self) -> int:
        return hash(self.identity)

    @property
    @abstractmethod
    def identity(self) -> tuple[object, ...]:
        """The identity of the game: equal exactly for equal games, and with a text form."""

    @property
    @abstractmethod
    def plies(self) -> int:
        """The largest number of plies of a play (the formula's depth in moves)."""

    @property
    def moves_made(self) -> int:
        """The largest number of plies with a move; a ply that only claims a win is not counted."""
        return self.plies

    def count(self, plies: int) -> int:
        """The number of plies in the unit in which the game counts: plies, or rounds."""
        return plies

    def span(self, plies: int | None) -> str:
        """The length of so many plies in words: ``"5 plies"``, or in the unit of the game.

        ``None`` is any number of them.
        """
        return plies_text(plies)

    def without_goal(self, plies: int) -> str:
        """What a shortest win of Black's in so many plies comes from, in words: ``""`` for a goal.

        Said only in games that have goals.
        """
        return ""

    @property
    def length(self) -> str:
        """The largest length of the game, in words."""
        return self.span(self.plies)

    @property
    @abstractmethod
    def initial(self) -> Position:
        """The position before ply 1."""

    @abstractmethod
    def parse_move(self, text: str, player: Player) -> Move:
        """The move that ``text`` names, legal or not; raises ``MalformedMoveError``."""

    def say(self, move: Move, player: Player, board: BoardPicture) -> str:
        """A move as people say it: ``b2``, ``b2-b3``; :meth:`meant` reads it.

        ``board`` is the position before it.  Its text form where a game has no other words.
        """
        return str(move)

    def meant(self, text: str, player: Player) -> Sequence[Move]:
        """The moves, legal or not, that a person may mean by other words than the text form."""
        return ()

    def conditions(self, move: Move, player: Player) -> Sequence[MoveCondition]:
        """The conditions of a move on single squares, in the order in which they are told.

        None where a game has other conditions: pages then tell what the formula says alone.
        """
        return ()

    @abstractmethod
    def moves(self, player: Player) -> Sequence[Move]:
        """All syntactically possible moves of a player, in the order of ``legal_moves``."""

    def player_at(self, ply: int) -> Player:
        """The player who makes the ply ``ply`` (counted from 1)."""
        return self.first_player if ply % 2 else self.first_player.other

    # -- positions in words: what formulas and boards tell of them ---------------------------

    @abstractmethod
    def atoms(self, position: Position) -> frozenset[str]:
        """All atoms that are true in a position of this game; every other one is false.

        Atoms are the words of ``StateView.kinds``: ``black b2`` in positional games,
        ``black (2,3)`` on the grids of BDDL, fluents in GDL.
        """

    @property
    @abstractmethod
    def words(self) -> Collection[str]:
        """All atoms that are true in some position, and perhaps more; none where no list exists.

        The atoms of a place name its owner; atoms for open and occupied places are left out.
        """

    @abstractmethod
    def board_of(self, atoms: Collection[str]) -> BoardPicture:
        """The board that shows some atoms; atoms that it cannot show are left out."""

    def drawn(self, board: BoardPicture) -> BoardPicture:
        """A board of the same squares, whoever read it, as the rules say that it looks.

        Shape, names of rows and columns, and owners of the sides are those of the initial board.
        """
        return shaped_like(board, self.initial.board)

    @abstractmethod
    def square_of(self, text: str) -> tuple[int, int] | None:
        """The square, 1-based (x, y), that a move or place is drawn on, if it is on one."""

    @abstractmethod
    def witnesses(self, position: Position, player: Player) -> frozenset[Witness]:
        """The goals of ``player`` that hold in a position."""

    def can_ever_move(self, player: Player) -> bool:
        """True unless the player is known to have no possible move in any position."""
        return True

    def exchanged_first_moves(self, sayable: Collection[str]) -> Mapping[str, str]:
        """First moves that are not ``sayable``, each with one that is and is as good by symmetry.

        A symmetry keeps the rules, the goals and the first position, and exchanges the two:
        whatever answers one of them answers the other, in the mirror.  Encodings of positional
        games number one first move of each class; of other games nothing is looked for.
        """
        return {}

    def passed(self, position: Position) -> Position | None:
        """The position in which the ply did nothing, where that is never better than a move.

        ``None`` in games in which it may be: no rule allows it in any.
        """
        return None

    def skipped(self, position: Position) -> Position | None:
        """The position in which the ply did nothing, though no rule may allow that.

        The result tells what is threatened.  ``None`` where a game has no such positions.
        """
        return self.passed(position)

    def winning_squares(self, position: Position) -> tuple[tuple[int, int], ...]:
        """The squares that reached the winner's goal, as far as a game can point at them."""
        return ()

    def goal_words(self, player: Player) -> str:
        """The goal of a player, as ``three in a row or column``.

        Empty without a goal, and where no plain words say what the rules say.
        """
        return ""

    @property
    def falls(self) -> bool:
        """True if all pieces fall: each move puts one on the lowest open square of a column."""
        return False

    @property
    def target(self) -> tuple[str, ...]:
        """The shape that is to be formed, row by row (``XX``, ``X.``), if it is about one."""
        return ()

    # -- what makes a search quick ------------------------------------------------------------

    def symmetries(self) -> Sequence[Symmetry]:
        """Symmetries that keep rules and goals, without the identity; none unless known."""
        return ()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


def said_move(position: Position, text: str) -> str:
    """A move in a position as people say it; its text where it is not legal there."""
    game: TwoPlayerGame = position.game
    found = (move for move in position.legal_moves() if str(move) == text)
    return next((game.say(move, position.to_move, position.board) for move in found), text)
