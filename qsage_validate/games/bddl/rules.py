"""The rules of a BDDL model: an executable reading of the paper's section 3.3.

The interpretation where the paper leaves a choice:

* The implicit y-bound of Definition 4 is ``n - u_y``; black is "not open and not white".
* A move is an action at a position in the bounds of its precondition and effect
  (Definition 7).  All effects happen at once, on the board before the move; squares that no
  effect names stay as they are.  An effect overwrites whatever stood on its square, so pieces
  can be captured, and an effect may put back what was there (``stay``).  Two effects on one
  square that agree are one; two that disagree hold in no state, so such a move does not exist.
* Two actions (or positions) that lead to the same board are two moves.
* A goal is looked at after a move of the player whose goal it is, and only then
  (Definition 10).  For models that satisfy Definition 9 this makes no difference; for others
  it is what the definition literally says: a goal that holds at the beginning, or that the
  opponent brings about, does not end the play, but the next own move after which it holds does.
* A player to move who has no legal move has lost, as long as plies are left.  So with an even
  depth Black wins either before the last ply or by leaving White without a legal move at it.
  When all plies are played without a win for Black, White has held out, whether or not there
  would be another legal move.
* With ``#blackturn second`` White makes ply 1, and there are ``#depth`` - 1 plies.

This module shares no code with the encodings, which are checked against it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from qsage_validate.errors import AmbiguousMoveError, MalformedMoveError, UsageError
from qsage_validate.formats.grid_names import column_letters, column_names
from qsage_validate.formats.source import quoted
from qsage_validate.games.bddl.ground import BddlMove as BddlMove  # noqa: PLC0414 (re-exported)
from qsage_validate.games.bddl.ground import (
    GroundAction,
    GroundGoal,
    Grounding,
    action_of,
    leaves_board,
    satisfies,
)
from qsage_validate.games.bddl.model import Action, Model, SubCondition
from qsage_validate.games.protocol import (
    BoardPicture,
    Illegality,
    Move,
    MoveCondition,
    Outcome,
    Player,
    Position,
    Shape,
    Square,
    Symmetry,
    TwoPlayerGame,
    shaped_like,
)

if TYPE_CHECKING:
    from qsage_validate.games.bddl.kernel import BddlKernel
    from qsage_validate.games.bddl.speech import Speech

_MOVE = re.compile(r"\s*([A-Za-z0-9_][A-Za-z0-9_-]*)\s*\(\s*([0-9]+)\s*,\s*([0-9]+)\s*\)\s*")
_MAX_DIGITS = 6
_MAX_SAID = 3
"""So many squares with a piece are named; more would be no help."""
_MAX_NAMED = 8
"""Moves that are named in an error."""
_THINGS = {Square.OPEN: "empty", Square.BLACK: "black", Square.WHITE: "white"}


@dataclass(frozen=True, slots=True)
class GoalInstance:
    """A goal that holds: its number, from 0, among the player's goals, and where."""

    condition: int
    x: int
    y: int


@dataclass(frozen=True, slots=True, repr=False)
class BddlPosition(Position):
    """A position of a BDDL game: what stands on the board, and which ply comes next."""

    game: BddlGame = field(hash=False)
    state: int
    ply: int
    # Computed when first asked for; False says not yet.
    _legal: tuple[BddlMove, ...] | None = field(default=None, init=False, compare=False)
    _outcome: Outcome | bool | None = field(default=False, init=False, compare=False)
    _board: BoardPicture | None = field(default=None, init=False, compare=False)

    def __str__(self) -> str:
        return f"{self.board} ply {self.ply}"

    def __repr__(self) -> str:
        return f"<{self.game.name}: {self}>"

    @property
    def to_move(self) -> Player:
        return self.game.player_at(self.ply)

    @property
    def board(self) -> BoardPicture:
        board = self._board
        if board is None:
            board = self.game.drawn(self.game.grounding.board_of(self.state))
            object.__setattr__(self, "_board", board)
        return board

    @property
    def outcome(self) -> Outcome | None:
        if isinstance(self._outcome, bool):
            object.__setattr__(self, "_outcome", self._find_outcome())
        outcome = self._outcome
        assert not isinstance(outcome, bool)
        return outcome

    def _find_outcome(self) -> Outcome | None:
        game, mover = self.game, self.to_move
        last = mover.other
        if self.ply > 1 and game.grounding.wins(self.state, last):
            return Outcome(last, "reached its goal")
        if self.ply > game.plies:
            return Outcome(Player.WHITE, f"held out for {game.length}")
        if not any(a.value == self.state & a.care for a in game.grounding.actions[mover]):
            return Outcome(last, f"{mover} has no legal move", stuck=True, plies=1)
        return None

    def legal_moves(self) -> Sequence[BddlMove]:
        legal = self._legal
        if legal is None:
            legal = self._find_legal()
            object.__setattr__(self, "_legal", legal)
        return legal

    def _find_legal(self) -> tuple[BddlMove, ...]:
        if self.outcome is not None:
            return ()
        moves = self.game.move_table[self.to_move]
        return tuple(
            moves[action.number]
            for action in self.game.grounding.actions[self.to_move]
            if self.state & action.care == action.value
        )

    def after(self, move: Move) -> BddlPosition:
        if isinstance(move, str):
            return self.play(move)
        action = self.game.action_of(move, self.to_move)
        return BddlPosition(self.game, self.state & action.keep | action.put, self.ply + 1)

    def is_legal(self, move: Move) -> bool:
        action = self.game.ground_action(self.named(move), self.to_move)
        fits = action is not None and self.state & action.care == action.value
        return fits and self.outcome is None

    def illegality(self, move: Move) -> Illegality | None:
        move = self.named(move)
        if self.is_legal(move):
            return None
        game, player = self.game, self.to_move
        if self.outcome is not None:
            return Illegality.after_end(move, self.outcome)
        if not isinstance(move, BddlMove):
            return Illegality("unknown action", f"{move}: no move of {game.name}")
        action = action_of(game.model, player, move.action)
        if action is None:
            return Illegality(
                "unknown action", f"{move}: {player} has no action {quoted(move.action)}"
            )
        return self.broken_bound(move, action) or self._broken_condition(move, action)

    def broken_bound(self, move: BddlMove, action: Action) -> Illegality | None:
        """The edge of the board that a move breaks, if it breaks one."""
        width, height = self.game.grounding.width, self.game.grounding.height
        if not (1 <= move.x <= width and 1 <= move.y <= height):
            rule = f"({move.x},{move.y}) is not on the {width}x{height} board"
            return Illegality(rule, f"{move}: {rule}")
        for part in action.precondition + action.effect:
            axes = (("x", part.x, move.x, width), ("y", part.y, move.y, height))
            for axis, coordinate, value, size in axes:
                if leaves_board(coordinate, value, size):
                    rule = coordinate.text(axis)
                    text = f"{move}: {rule} leaves the board"
                    needed = coordinate.at(value, size)
                    said = _no_line(axis, needed, size)
                    return Illegality(rule, text, (move.x, move.y), sentence=said)
        return None

    def _broken_condition(self, move: BddlMove, action: Action) -> Illegality | None:
        board = self.board
        for index, part in enumerate(action.precondition):
            square = self.square_of(part, move)
            if not satisfies(board[square], part):
                text = f"{move}: {part} is false at ({square[0]},{square[1]})"
                said = _standing(board, square, part)
                return Illegality(str(part), text, square, index, said)
        put: dict[tuple[int, int], SubCondition] = {}
        for part in action.effect:
            square = self.square_of(part, move)
            first = put.setdefault(square, part)
            if first.predicate is not part.predicate:
                rule = f"the effects {first} and {part} contradict each other"
                where = f"({square[0]},{square[1]})"
                named, left = board.square_name(square), _THINGS[first.predicate]
                said = f"the move would leave {named} {left} and "
                said += f"{_THINGS[part.predicate]} at once"
                return Illegality(rule, f"{move}: {rule} at {where}", square, sentence=said)
        return None

    def square_of(self, part: SubCondition, move: BddlMove) -> tuple[int, int]:
        """The square, on the board or not, that a part of an action speaks about."""
        grounding = self.game.grounding
        return part.x.at(move.x, grounding.width), part.y.at(move.y, grounding.height)


def _no_line(axis: str, number: int, size: int) -> str:
    """The sentence for a move that needs a column or row which the board does not have."""
    if axis == "y":
        return f"the move needs row {number}, and the rows of the board are 1 to {size}"
    last = column_letters(size)
    if number < 1:
        return f"the move needs a column left of a, and the columns of the board are a to {last}"
    needed = column_letters(number)
    return f"the move needs column {needed}, and the columns of the board are a to {last}"


def _standing(board: BoardPicture, square: tuple[int, int], part: SubCondition) -> str:
    """The sentence on what stands on a square that does not satisfy a sub-condition."""
    said = _holds(board.square_name(square), board[square], part)
    if part.negated or part.predicate is Square.OPEN:
        return said
    return said + _instead(board, part.predicate)


def _holds(where: str, content: Square, part: SubCondition) -> str:
    """The sentence on the content of a square that does not satisfy a sub-condition."""
    if content is Square.OPEN:
        if part.negated:
            return f"{where} is empty, and a piece has to stand there"
        return f"no {_THINGS[part.predicate]} piece stands on {where}"
    holder = "Black" if content is Square.BLACK else "White"
    if part.negated:
        return f"{holder} holds {where}, where no {_THINGS[content]} piece may stand"
    if part.predicate is Square.OPEN:
        return f"{holder} already holds {where}"
    return f"{holder} holds {where}, where a {_THINGS[part.predicate]} piece has to stand"


def _instead(board: BoardPicture, predicate: Square) -> str:
    """The squares that hold such pieces, if they are few."""
    name = _THINGS[predicate]
    found = [
        board.square_name((k % board.width + 1, k // board.width + 1))
        for k, content in enumerate(board.squares)
        if content is predicate
    ]
    if not found:
        return f"; there is no {name} piece on the board"
    if len(found) > _MAX_SAID:
        return ""
    if len(found) == 1:
        return f"; the {name} piece is on {found[0]}"
    return f"; the {name} pieces are on {', '.join(found[:-1])} and {found[-1]}"


class BddlGame(TwoPlayerGame):
    """The game that a BDDL model describes.

    Raises ``UsageError`` for models whose rules cannot be executed (see ``Grounding``) or whose
    moves would have no unique names.

    Its atoms are ``black (2,3)`` and ``white (2,3)``; a square without either is open.
    """

    language = "bddl"

    def __init__(self, model: Model) -> None:
        self.model = model
        self.first_player = model.problem.first_player
        self.grounding = Grounding(model)
        self.move_table: dict[Player, tuple[BddlMove, ...]] = {}
        for player in Player:
            names = [action.name for action in model.domain.actions(player)]
            if len(set(names)) != len(names):
                twice = next(name for name in names if names.count(name) > 1)
                raise UsageError(f"{player} has two actions called {twice}")
            self.move_table[player] = tuple(
                BddlMove(name, x, y)
                for name in names
                for x in range(1, self.grounding.width + 1)
                for y in range(1, self.grounding.height + 1)
            )

    @cached_property
    def name(self) -> str:
        from qsage_validate.games.library.catalogue import name_of  # looks through the library

        return name_of(self.model)

    @property
    def identity(self) -> tuple[object, ...]:
        return (self.model,)

    @cached_property
    def plies(self) -> int:
        return self.model.problem.plies

    @property
    def initial(self) -> BddlPosition:
        return BddlPosition(self, self.grounding.initial, 1)

    @cached_property
    def _by_move(self) -> dict[Player, dict[Move, GroundAction]]:
        return {
            player: {self.move_table[player][a.number]: a for a in self.grounding.actions[player]}
            for player in Player
        }

    def ground_action(self, move: Move, player: Player) -> GroundAction | None:
        """The grounded action of a move; ``None`` when it is possible in no position."""
        return self._by_move[player].get(move)

    def action_of(self, move: Move, player: Player) -> GroundAction:
        """The grounded action of a move; raises ``KeyError`` as :meth:`ground_action` has none."""
        return self._by_move[player][move]

    def moves(self, player: Player) -> Sequence[BddlMove]:
        return self.move_table[player]

    def can_ever_move(self, player: Player) -> bool:
        return bool(self.grounding.actions[player])

    @cached_property
    def _speech(self) -> Speech:
        from qsage_validate.games.bddl.speech import Speech

        return Speech(self.grounding, self.move_table, self._by_move, falls=self.falls)

    def say(self, move: Move, player: Player, board: BoardPicture) -> str:
        return self._speech.said(move, player, board) if isinstance(move, BddlMove) else str(move)

    def meant(self, text: str, player: Player) -> Sequence[BddlMove]:
        return self._speech.meant(text, player)

    def conditions(self, move: Move, player: Player) -> Sequence[MoveCondition]:
        assert isinstance(move, BddlMove), "a move of this game"
        action, start = action_of(self.model, player, move.action), self.initial
        if action is None:
            return ()
        broken = start.broken_bound(move, action)
        if broken is not None:
            said = dict.fromkeys(Square, broken.sentence or broken.rule)
            return (MoveCondition(None, broken.text.removeprefix(f"{move}: "), said),)
        found = []
        for part in action.precondition:
            square = start.square_of(part, move)
            name = start.board.square_name(square)
            said = {c: _holds(name, c, part) for c in Square if not satisfies(c, part)}
            rule = f"{part} is false at ({square[0]},{square[1]})"
            found.append(MoveCondition(square, rule, said))
        return found

    def parse_move(self, text: str, player: Player) -> BddlMove:
        match = _MOVE.fullmatch(text)
        names = [action.name for action in self.model.domain.actions(player)]
        known = ", ".join(names) or "none"
        if match is None:
            meant = self.meant(text, player)
            if len(meant) > 1:
                several = ", ".join(map(str, meant[:_MAX_NAMED])) + ", …" * (
                    len(meant) > _MAX_NAMED
                )
                raise AmbiguousMoveError(f"found {quoted(text)}, expected one of {several}")
            if meant:
                return meant[0]
            from qsage_validate.games.bddl.speech import check_squares

            check_squares(self.initial.board, text)
            raise MalformedMoveError(
                f"found {quoted(text)}, expected a move like {self._example(player, names)}; "
                f"the actions of {player}: {known}"
            )
        name, x, y = match.groups()
        if max(len(x), len(y)) > _MAX_DIGITS:
            raise MalformedMoveError(
                f"found {quoted(text)}, expected coordinates on the "
                f"{self.grounding.width}x{self.grounding.height} board"
            )
        fitting = [n for n in names if n == name]
        fitting = fitting or [n for n in names if n.lower() == name.lower()]
        if not fitting:
            raise MalformedMoveError(
                f"found the unknown action {quoted(name)}, expected one of {player}: {known}"
            )
        if len(fitting) > 1:
            raise AmbiguousMoveError(f"{quoted(name)} fits {' and '.join(fitting)}")
        return BddlMove(fitting[0], int(x), int(y))

    def _example(self, player: Player, names: Sequence[str]) -> str:
        """A move of the player's as people say it, and as the model writes it."""
        position = self.initial
        if position.to_move is not player or not position.legal_moves():
            return f"{names[0] if names else 'action'}(1,1)"
        move = position.legal_moves()[0]
        return f"{self.say(move, player, position.board)} or {move}"

    @cached_property
    def _places(self) -> Mapping[str, tuple[int, int]]:
        """The squares by their words, row by row."""
        rows, columns = range(1, self.grounding.height + 1), range(1, self.grounding.width + 1)
        return {f"({x},{y})": (x, y) for y in rows for x in columns}

    def atoms(self, position: Position) -> frozenset[str]:
        contents = zip(self._places, position.board.squares, strict=True)
        return frozenset(
            f"{square.name.lower()} {place}"
            for place, square in contents
            if square is not Square.OPEN
        )

    @property
    def words(self) -> Collection[str]:
        return [f"{player.value} {place}" for player in Player for place in self._places]

    def board_of(self, atoms: Collection[str]) -> BoardPicture:
        def content(place: str) -> Square:
            if f"black {place}" in atoms:
                return Square.BLACK
            return Square.WHITE if f"white {place}" in atoms else Square.OPEN

        width, height = self.grounding.width, self.grounding.height
        return self.drawn(BoardPicture(width, height, tuple(map(content, self._places))))

    def square_of(self, text: str) -> tuple[int, int] | None:
        """The square at the end of a text, as in ``occupy(2,3)`` and ``(2,3)``."""
        _, bracket, place = text.rpartition("(")
        return self._places.get(bracket + place)

    def witnesses(self, position: Position, player: Player) -> frozenset[GoalInstance]:
        """The goals that hold on the board, each meaning once."""
        assert isinstance(position, BddlPosition), "a position of this game"
        return frozenset(
            GoalInstance(goal.condition, goal.x, goal.y)
            for goal in self.grounding.goals[player]
            if position.state & goal.care == goal.value
        )

    def _held(self, goal: GroundGoal, player: Player) -> frozenset[tuple[int, int]]:
        """The squares on which a goal asks for pieces of the player's."""
        own = self.grounding.own(goal.value, player)
        return frozenset(square for k, square in enumerate(self._places.values()) if own >> k & 1)

    @cached_property
    def _look(self) -> BoardPicture:
        """A board with the look of all boards: columns have letters, as in Hex.

        Black's goals may be the chains of hexagons from top to bottom: then squares are drawn as
        hexagons.
        """
        from qsage_validate.games.goals import are_chains

        width, height = self.grounding.width, self.grounding.height
        open_squares, columns = (Square.OPEN,) * (width * height), column_names(width)
        look = BoardPicture(width, height, open_squares, columns=columns)
        if len(self.model.problem.initial) == 2:
            from qsage_validate.games.bddl.pursuit import pursuer_of

            look = replace(look, pursuer=pursuer_of(self.model))
        sets = self._winning_sets[Player.BLACK]
        if not are_chains(sets, width, height, self._most_pieces[Player.BLACK]):
            return look
        return replace(look, shape=Shape.HEXAGONS, top=Player.BLACK)

    def drawn(self, board: BoardPicture) -> BoardPicture:
        shown = shaped_like(board, self._look)
        if max(self._most_put.values()) < 2:
            return shown  # no piece covers several squares
        pieces = self._speech.pieces(shown)
        return shown if pieces is None else replace(shown, pieces=pieces)

    @cached_property
    def _most_put(self) -> Mapping[tuple[Player, Player], int]:
        """On how many squares an action of a mover puts a player, by player and mover."""
        grounding = self.grounding
        return {
            (player, mover): max(
                (grounding.own(a.put, player).bit_count() for a in actions), default=0
            )
            for player in Player
            for mover, actions in grounding.actions.items()
        }

    @cached_property
    def _most_pieces(self) -> Mapping[Player, int]:
        """A bound on the pieces of each player in a play: as if each ply put down the most."""
        grounding, plies = self.grounding, range(1, self.plies + 1)
        return {
            player: grounding.own(grounding.initial, player).bit_count()
            + sum(self._most_put[player, self.player_at(ply)] for ply in plies)
            for player in Player
        }

    @cached_property
    def _winning_sets(self) -> Mapping[Player, frozenset[frozenset[tuple[int, int]]]]:
        """The winning sets of each player whose goals ask for own pieces alone; else none."""
        from qsage_validate.games.goals import MOST_SETS

        found: dict[Player, frozenset[frozenset[tuple[int, int]]]] = {}
        for player in Player:
            goals = self.grounding.goals[player]
            own = Grounding.content_sets(BoardPicture(1, 1, (Square(player.value[0].upper()),)))[0]
            only = len(goals) <= MOST_SETS and all(
                (goal.care, goal.value)
                == self.grounding.pack(
                    {self.grounding.square(x, y): own for x, y in self._held(goal, player)}
                )
                for goal in goals
            )
            sets = {self._held(goal, player) for goal in goals} if only else set()
            found[player] = frozenset(s for s in sets if not any(other < s for other in sets))
        return found

    def winning_squares(self, position: Position) -> tuple[tuple[int, int], ...]:
        assert isinstance(position, BddlPosition), "a position of this game"
        outcome = position.outcome
        if outcome is None or outcome.stuck:
            return ()
        held = [
            self._held(goal, outcome.winner)
            for goal in self.grounding.goals[outcome.winner]
            if position.state & goal.care == goal.value
        ]
        if not held:
            return ()
        fewest = min(held, key=len)
        return tuple(sorted(fewest))

    def without_goal(self, plies: int) -> str:
        return self.grounding.stuck_words(self.player_at(plies))

    def goal_words(self, player: Player) -> str:
        from qsage_validate.games.goals import words_of

        if not any(self.grounding.goals.values()):
            return "the last move (whoever cannot move has lost)"
        grounding = self.grounding
        sets = self._winning_sets[player]
        return words_of(sets, grounding.width, grounding.height, self._most_pieces[player])

    @cached_property
    def falls(self) -> bool:
        return any(self.grounding.actions.values()) and all(
            self._drops(action) for p in Player for action in self.grounding.actions[p]
        )

    def _drops(self, action: GroundAction) -> bool:
        """True if the action fills one open square, a lowest one or one above a piece."""
        squares, width = self.grounding.squares, self.grounding.width
        filled = action.put >> 2 * squares
        changed = (~action.keep & (1 << 3 * squares) - 1) >> 2 * squares
        if filled.bit_count() != 1 or changed != filled:
            return False
        cared, wanted = action.care >> 2 * squares, action.value >> 2 * squares
        below = filled << width & self.grounding.plane
        return bool(cared & filled) and not wanted & filled and wanted & below == below

    @cached_property
    def target(self) -> tuple[str, ...]:
        """The shape whose placements are Black's goals."""
        from qsage_validate.games.goals import shape_of

        sets = self._winning_sets[Player.BLACK]
        return shape_of(sets, self.grounding.width, self.grounding.height)

    @cached_property
    def _symmetries(self) -> tuple[Symmetry, ...]:
        from qsage_validate.games.bddl.kernel import find_symmetries

        return tuple(find_symmetries(self.grounding, self.move_table))

    def symmetries(self) -> Sequence[Symmetry]:
        return self._symmetries

    @cached_property
    def _kernel(self) -> BddlKernel:
        parts = self.grounding, self.move_table, self._symmetries
        if self.grounding.is_positional:
            from qsage_validate.games.bddl.kernel import PositionalKernel

            return PositionalKernel(*parts)
        from qsage_validate.games.bddl.kernel import BddlKernel

        return BddlKernel(*parts)

    def skipped(self, position: Position) -> BddlPosition:
        assert isinstance(position, BddlPosition), "a position of this game"
        return BddlPosition(self, position.state, position.ply + 1)

    def kernel(self) -> BddlKernel:
        return self._kernel
