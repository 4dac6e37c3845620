"""A two-player game in GDL by the protocol of all games: whose turn it is, moves, outcomes.

What is read how:

* Black is the role whose win is asked for (the first role unless another is named), White the
  other.  Black wins when the play ends with a goal of Black's of at least ``win``, within
  ``plies`` rounds; everything else is White's, draws among it (Definition 5 of He, Saffidine
  and Thielscher 2024).
* A ply is a round: both roles move at once, and the move that is played is that of the role
  that has a choice; the other makes its only move.  Where neither has a choice it is the turn of
  the role whose turn it is by the rhythm of the game, or else of the one whose move is not what
  it does while it waits.  It makes no difference to the game.
* A state in which both have a choice is an error that names it: the game is not turn-taking.
* A player may move several times in a row, so search asks :mod:`rounds`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from qsage_validate.errors import (
    IllegalMoveError,
    InputError,
    MalformedMoveError,
    QsageError,
    UsageError,
)
from qsage_validate.formats.sexpr import read_nodes
from qsage_validate.formats.source import Source, quoted
from qsage_validate.games.gdl.explain import why_not
from qsage_validate.games.gdl.grid import Grid, drawing, find_grid
from qsage_validate.games.gdl.horizon import Step, horizon, move_domains, turn_order
from qsage_validate.games.gdl.machine import State, StateMachine, state_text
from qsage_validate.games.gdl.model import (
    Description,
    Ground,
    Term,
    Variable,
    term_order,
    term_text,
)
from qsage_validate.games.gdl.parser import parse_ground
from qsage_validate.games.protocol import (
    Board,
    Game,
    Illegality,
    Kernel,
    Move,
    Outcome,
    Player,
    Position,
    Square,
)

MAX_PLIES: Final = 10_000

# Rows of a table that shows a state.
_MAX_ROWS: Final = 60

_POSITION = re.compile(r"\s*\{(.*)\}(?:\s+ply\s+([0-9]{1,6}))?\s*", re.DOTALL)
_CALL = re.compile(r"\s*[^\s();,]+\s*\(.*\)\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class GdlMove:
    """A move of a role: ``(mark 1 1)``, ``noop``."""

    term: Ground

    def __str__(self) -> str:
        return term_text(self.term)


class NotTurnTakingError(QsageError):
    """Both roles have a choice in a state that can be reached."""


@dataclass(frozen=True)
class GdlPosition(Position):
    """A state and the number of the round that comes next."""

    game: GdlGame = field(repr=False)
    state: State
    ply_number: int

    def __str__(self) -> str:
        return f"{state_text(self.state)} ply {self.ply_number}"

    @property
    def to_move(self) -> Player:
        return self.game.mover(self.state, self.ply_number)

    @property
    def ply(self) -> int:
        return self.ply_number

    @property
    def outcome(self) -> Outcome | None:
        game = self.game
        outcome = game.end(self.state)
        if outcome is None and self.ply_number > game.plies:
            return Outcome(Player.WHITE, f"held out for {rounds_text(game.plies)}")
        return outcome

    @property
    def board(self) -> Board:
        return self.game.board(self.state)

    @property
    def drawing(self) -> str:
        """The position in the description's words: the grid, and a table of the rest."""
        return drawing(self.game.grid, self.state)

    def legal_moves(self) -> Sequence[GdlMove]:
        if self.outcome is not None:
            return ()
        return [GdlMove(move) for move in self.game.choices(self.state)[self.to_move]]

    def joint(self, move: Move) -> dict[Ground, Ground]:
        """What each role does when the player to move plays ``move``."""
        if not isinstance(move, GdlMove) or not self.is_legal(move):
            illegality = self.illegality(move)
            assert illegality is not None, "illegal but without a reason"
            raise IllegalMoveError(illegality.text)
        player = self.to_move
        (other,) = self.game.choices(self.state)[player.other]
        roles = self.game.roles
        return {roles[player]: move.term, roles[player.other]: other}

    def play(self, move: Move) -> GdlPosition:
        after = self.game.machine.successor(self.state, self.joint(move))
        return GdlPosition(self.game, after, self.ply_number + 1)

    def is_legal(self, move: Move) -> bool:
        return (
            isinstance(move, GdlMove)
            and self.outcome is None
            and move.term in self.game.choices(self.state)[self.to_move]
        )

    def illegality(self, move: Move) -> Illegality | None:
        if self.is_legal(move):
            return None
        outcome = self.outcome
        if outcome is not None:
            return Illegality.after_end(move, outcome)
        if not isinstance(move, GdlMove):
            return Illegality("unknown move", f"{move}: no move of {self.game.name}")
        return self.game.illegality(self.state, self.to_move, move)


class GdlGame(Game):
    """The game of a description, for so many rounds; ``black`` names a role.

    Raises ``InputError`` for a description that is not valid, ``UsageError`` for another number
    of roles than two, for a role that there is not, and for a number out of range.
    """

    language = "gdl"
    lists_moves = False

    def __init__(
        self,
        description: Description,
        plies: int,
        *,
        black: str | None = None,
        win: int = 100,
    ) -> None:
        self.machine = StateMachine(description)
        self.description = description
        names = [term_text(role) for role in self.machine.roles]
        if len(names) != 2:
            raise UsageError(
                f"found {len(names)} role{'s' * (len(names) > 1)} in {description.name} "
                f"({', '.join(names)}), expected two"
            )
        if black is not None and black.lower() not in [name.lower() for name in names]:
            raise UsageError(f"found the role {quoted(black)}, expected {' or '.join(names)}")
        if not 0 <= plies <= MAX_PLIES:
            raise UsageError(f"found {plies} rounds, expected 0 to {MAX_PLIES:,}")
        if not 0 < win <= 100:
            raise UsageError(f"found {win} as the goal that wins, expected 1 to 100")
        first, second = self.machine.roles
        swap = black is not None and black.lower() == names[1].lower()
        self.roles: Mapping[Player, Ground] = {
            Player.BLACK: second if swap else first,
            Player.WHITE: first if swap else second,
        }
        self.win = win
        self._plies = plies

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GdlGame):
            return NotImplemented
        return self is other or self.identity == other.identity

    def __hash__(self) -> int:
        return hash((self.name, self._plies, self.win))

    def __reduce__(self) -> tuple[object, ...]:
        # The machine has functions made for the clauses, which cannot be pickled: made anew.
        return _game, (self.description, self._plies, self.roles[Player.BLACK], self.win)

    @property
    def identity(self) -> tuple[object, ...]:
        return self.description.rules, self._plies, self.win, tuple(self.roles.items())

    @property
    def name(self) -> str:
        return self.description.name

    @property
    def plies(self) -> int:
        return self._plies

    @property
    def initial(self) -> GdlPosition:
        return GdlPosition(self, self.machine.initial, 1)

    # -- turns --------------------------------------------------------------------------------

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """What can happen in each round, at most."""
        return tuple(horizon(self.machine, max(self._plies, 1)))

    @cached_property
    def order(self) -> tuple[Player | None, ...] | None:
        """Who can have a choice in each round; ``None`` when that depends on the position.

        A game with an order is strictly turn-taking (section 3.3).
        """
        roles = turn_order(self.steps)
        players = {role: player for player, role in self.roles.items()}
        if roles is None:
            return None
        return tuple(None if role is None else players[role] for role in roles)

    def check_turns(self, plays: int = 20) -> None:
        """Look at a few random plays; errors as in :meth:`choices`, where one shows them.

        Games whose order of play is known need no look.
        """
        if self.order is not None:
            return
        rng = random.Random(0)
        for _ in range(plays):
            state = self.machine.initial
            for _ in range(self._plies):
                if self.machine.terminal(state):
                    break
                moves = self.choices(state)
                joint = {self.roles[p]: rng.choice(own) for p, own in moves.items()}
                state = self.machine.successor(state, joint)

    @property
    def first_player(self) -> Player:
        return self.mover(self.machine.initial, 1)

    def player_at(self, ply: int) -> Player:
        """Who makes a ply; raises ``UsageError`` where that depends on the position."""
        if self.order is not None and ply <= len(self.order):
            player = self.order[ply - 1]
            if player is not None:
                return player
        raise UsageError(f"in {self.name} the player of ply {ply} depends on the position")

    def choices(self, state: State) -> Mapping[Player, tuple[Ground, ...]]:
        """The legal moves of each player in a state that is not terminal.

        Raises ``NotTurnTakingError`` when both have a choice, ``QsageError`` when one has no
        legal move.
        """
        legal = {p: self.machine.legal(state, role) for p, role in self.roles.items()}
        for player, moves in legal.items():
            if not moves:
                raise QsageError(
                    f"found no legal move of {term_text(self.roles[player])} in "
                    f"{state_text(state)}, expected one: the game has not ended"
                )
        if all(len(moves) > 1 for moves in legal.values()):
            shown = " and ".join(
                f"{term_text(self.roles[player])} (" + _some(moves) + ")"
                for player, moves in legal.items()
            )
            raise NotTurnTakingError(
                f"found a choice of both roles, {shown}, in {state_text(state)}, expected a "
                "turn-taking game"
            )
        return legal

    def mover(self, state: State, ply: int) -> Player:
        """Whose turn it is; errors as in :meth:`choices`, Black's when the play has ended."""
        if self.machine.terminal(state):
            return Player.BLACK
        choices = self.choices(state)
        for player, moves in choices.items():
            if len(moves) > 1:
                return player
        if self.order is not None and ply <= len(self.order):
            known = self.order[ply - 1]
            if known is not None:
                return known
        acting = [p for p, moves in choices.items() if moves[0] not in self._waiting[p]]
        return acting[0] if len(acting) == 1 else Player.BLACK

    @cached_property
    def _waiting(self) -> Mapping[Player, frozenset[Ground]]:
        """What each player does while the other has a choice, as far as it is always the same."""
        found: dict[Player, set[Ground]] = {player: set() for player in Player}
        for step in self.steps:
            for player, role in self.roles.items():
                if len(step.moves[role]) == 1 and len(step.moves[self.roles[player.other]]) > 1:
                    found[player].add(step.moves[role][0])
        # What one role waits with is what the other waits with, if it has such a move at all.
        both = found[Player.BLACK] | found[Player.WHITE]
        return {
            player: frozenset(both.intersection(self._domains[role]))
            for player, role in self.roles.items()
        }

    @cached_property
    def _domains(self) -> Mapping[Ground, tuple[Ground, ...]]:
        return move_domains(self.steps)

    # -- ends ---------------------------------------------------------------------------------

    def end(self, state: State) -> Outcome | None:
        """How the play has ended in a terminal state; ``None`` in any other."""
        if not self.machine.terminal(state):
            return None
        role = self.roles[Player.BLACK]
        goals = self.machine.goals(state, role)
        shown = " and ".join(map(str, goals)) or "no value"
        best = max(goals, default=0)
        winner = Player.BLACK if best >= self.win else Player.WHITE
        short = "" if winner is Player.BLACK else f", less than {self.win}"
        return Outcome(winner, f"the game has ended with goal {shown} for {term_text(role)}{short}")

    def illegality(self, state: State, player: Player, move: GdlMove) -> Illegality:
        """Why a move is not legal in a state that is not terminal."""
        role = self.roles[player]
        clauses = self.machine.program.clauses_of(("legal", 2))
        failure = why_not(self.machine.view(state), clauses, (role, move.term))
        if failure is None:
            rule = f"no rule makes {move} legal for {term_text(role)}"
            return Illegality(rule, f"{move}: {rule}")
        line = self.description.source.line_of(failure.clause.rule.offset)
        rule = str(failure.literal)
        text = f"{move}: {failure.shown} is false (rule for {failure.clause.head}, line {line})"
        return Illegality(rule, text, None, failure.index)

    # -- pictures -----------------------------------------------------------------------------

    @cached_property
    def grid(self) -> Grid | None:
        """The fluents that look like a grid, if some do."""
        return find_grid(self.machine)

    def board(self, state: State) -> Board:
        """The state as a board, as far as that shows it.

        Where there is no grid it is a table: a row for each fluent, with a stone where it is true.
        """
        if self.grid is None:
            stones = tuple(Square.BLACK if f in state else Square.OPEN for f in self._table)
            return Board(1, len(stones), stones, names=tuple(map(term_text, self._table)))
        return self.grid.board(state, self.roles[Player.BLACK])

    @cached_property
    def _table(self) -> tuple[Ground, ...]:
        """The fluents that can be true in some round, as many as a person can look at."""
        steps = horizon(self.machine, self._plies + 1)
        found = {fluent for step in steps for fluent in step.possible}
        return tuple(sorted(found, key=term_order)[:_MAX_ROWS]) or tuple(self.machine.initial)

    def atoms(self, position: Position) -> frozenset[str]:
        assert isinstance(position, GdlPosition), "a position of this game"
        return frozenset(map(term_text, position.state))

    def board_of(self, atoms: Collection[str]) -> Board:
        return self.board(frozenset(map(self._ground, atoms)))

    def square_of(self, text: str) -> tuple[int, int] | None:
        """The last column and row of the grid among the words of a move."""
        if self.grid is None:
            return None
        return self.grid.square_of(self._ground(text))

    def witnesses(self, position: Position, player: Player) -> frozenset[Player]:
        """The player, where the play has ended by the description with a win of the player's."""
        assert isinstance(position, GdlPosition), "a position of this game"
        outcome = self.end(position.state)
        won = outcome is not None and outcome.winner is player
        return frozenset({player} if won else ())

    # -- texts --------------------------------------------------------------------------------

    @cached_property
    def _spelling(self) -> Mapping[str, str]:
        words: dict[str, str] = {}
        for clause in self.description.clauses:
            for atom in (clause.head, *(literal.atom for literal in clause.body)):
                for word in _words(getattr(atom, "arguments", ())):
                    words.setdefault(word.lower(), word)
        return words

    def _ground(self, text: str) -> Ground:
        return _respelt(parse_ground(text), self._spelling)

    def parse_move(self, text: str, player: Player) -> GdlMove:
        """The move in ``text``: ``(mark 1 1)``, or ``mark(1,1)``, or ``mark 1 1``.

        Its name and number of arguments are those of a move that the player can have.
        """
        shown = text.strip()
        if _CALL.fullmatch(shown) and not shown.startswith("("):
            name, _, rest = shown.partition("(")
            shown = f"({name} {rest.replace(',', ' ')}"
        elif shown and not shown.startswith("(") and len(shown.split()) > 1:
            shown = f"({shown})"
        try:
            term = self._ground(shown)
        except InputError:
            term = None
        if term is None or _form(term) not in self._forms[player]:
            moves = self.moves(player)
            example = str(moves[0]) if moves else "noop"
            raise MalformedMoveError(f"found {quoted(text)}, expected a move like {example}")
        return GdlMove(term)

    @cached_property
    def _forms(self) -> Mapping[Player, frozenset[tuple[Ground, int]]]:
        """The names and numbers of arguments of each player's moves."""
        return {
            player: frozenset(_form(move.term) for move in self.moves(player)) for player in Player
        }

    def parse_position(self, text: str) -> GdlPosition:
        """The position that ``text`` shows: ``{(cell 1 1 b) (control x)} ply 3``.

        Any fluents are taken, whether or not they can be true together in a play.
        """
        match = _POSITION.fullmatch(text)
        if match is None:
            raise UsageError(
                f"found {quoted(text)}, expected fluents in braces, then 'ply' and a number"
            )
        body = Source(match[1])
        try:
            nodes = read_nodes(body)
            ends = [node.offset for node in nodes[1:]] + [len(body.text)]
            starts = [node.offset for node in nodes]
            fluents = [self._ground(body.text[a:b]) for a, b in zip(starts, ends, strict=False)]
        except InputError as error:
            raise UsageError(f"found {error.found} among the fluents, expected terms") from None
        ply = int(match[2] or 1)
        if not 1 <= ply <= self.plies + 1:
            raise UsageError(f"found ply {ply}, expected 1 to {self.plies + 1}")
        return GdlPosition(self, frozenset(fluents), ply)

    def moves(self, player: Player) -> Sequence[GdlMove]:
        """All moves that can be legal for a player in some round, at most."""
        return [GdlMove(move) for move in self._domains.get(self.roles[player], ())]

    def kernel(self) -> Kernel | None:
        """None of its own: a player may move twice in a row, so ``rounds`` is searched."""
        raise UsageError(f"{self.name} is searched by rounds: RoundsGame")


def _game(description: Description, plies: int, black: Ground, win: int) -> GdlGame:
    return GdlGame(description, plies, black=term_text(black), win=win)


def _form(term: Ground) -> tuple[Ground, int]:
    return (term[0], len(term) - 1) if isinstance(term, tuple) else (term, 0)


def _words(terms: Sequence[Term]) -> list[str]:
    found: list[str] = []
    for term in terms:
        if isinstance(term, tuple):
            found += _words(term)
        elif not isinstance(term, Variable):
            found.append(term)
    return found


def _respelt(term: Ground, words: Mapping[str, str]) -> Ground:
    if isinstance(term, tuple):
        return tuple(_respelt(part, words) for part in term)
    return words.get(term.lower(), term)


def _some(moves: Sequence[Ground]) -> str:
    shown = ", ".join(map(term_text, moves[:3]))
    return shown + (", ..." if len(moves) > 3 else "")


def rounds_text(number: int | None) -> str:
    """So many rounds in words; ``None`` is any number."""
    if number is None:
        return "any number of rounds"
    return f"{number} {'round' if number == 1 else 'rounds'}"
