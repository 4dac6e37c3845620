"""Games as plain simulators: what a formula is judged by needs five methods and a number.

A researcher's own rules, an OpenSpiel game and this package's games are judged alike.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from qsage_validate.errors import IllegalMoveError
from qsage_validate.games.protocol import Player, Position, TwoPlayerGame
from qsage_validate.system.limits import NEVER, Deadline, Limits

if TYPE_CHECKING:
    from qsage_validate.solvers.search import SearchSolver


class Simulator(Protocol):
    """A two-player game of bounded depth, on states that are hashable.

    Nothing has ended before :meth:`winner` says so, ``plies`` plies are made, or no move is legal;
    where nobody has won then, White has held out.
    """

    @property
    def plies(self) -> int:
        """The largest number of plies of a play."""
        ...

    def start(self) -> Any:
        """The state before ply 1."""
        ...

    def to_move(self, state: Any) -> Player:
        """The player who makes the next ply; asked only of states in which the play goes on."""
        ...

    def legal_moves(self, state: Any) -> Sequence[str]:
        """The texts of the legal moves, each once."""
        ...

    def play(self, state: Any, move: str) -> Any:
        """The state after a legal move."""
        ...

    def winner(self, state: Any) -> Player | None:
        """The player who has won, or ``None``."""
        ...


class GameSimulator:
    """A game of this package as a simulator; its states are positions."""

    def __init__(self, game: TwoPlayerGame) -> None:
        self.game = game
        self.plies = game.plies

    def start(self) -> Position:
        return self.game.initial

    def to_move(self, state: Position) -> Player:
        return state.to_move

    def legal_moves(self, state: Position) -> Sequence[str]:
        return [str(move) for move in state.legal_moves()]

    def play(self, state: Position, move: str) -> Position:
        return state.after(self.game.parse_move(move, state.to_move))

    def winner(self, state: Position) -> Player | None:
        outcome = state.outcome
        return None if outcome is None else outcome.winner


def simulator_of(game: TwoPlayerGame) -> GameSimulator:
    """A game of this package as a simulator."""
    return GameSimulator(game)


class GameValues:
    """Who wins after each play: minimax on the states of a simulator, each looked at once.

    ``search`` says who wins from a state, in the place of minimax, where something quicker does.
    """

    def __init__(
        self,
        simulator: Simulator,
        *,
        search: Callable[[Any], Player] | None = None,
        deadline: Deadline = NEVER,
    ) -> None:
        self.simulator = simulator
        self._search = search
        self._deadline = deadline
        self._known: dict[tuple[Hashable, int], Player] = {}
        self._moves: dict[Hashable, Sequence[str]] = {}

    @classmethod
    def of_game(cls, game: TwoPlayerGame, *, deadline: Deadline = NEVER) -> GameValues:
        """The values of a game of this package, by its search."""
        solver: list[SearchSolver] = []

        def search(position: Position) -> Player:
            if not solver:
                from qsage_validate.solvers.search import search_for

                solver.append(search_for(game, limits=Limits(deadline)))
            return solver[0].winner(position)

        return cls(GameSimulator(game), search=search, deadline=deadline)

    def ended(self, state: Any, made: int) -> Player | None:
        """The winner of a play that has ended in ``state`` after ``made`` plies, or ``None``."""
        winner = self.simulator.winner(state)
        if winner is None and (made >= self.simulator.plies or not self.legal(state)):
            return Player.WHITE
        return winner

    def legal(self, state: Any) -> Sequence[str]:
        """The legal moves in a state in which nobody has won."""
        found = self._moves.get(state)
        if found is None:
            found = self._moves[state] = tuple(self.simulator.legal_moves(state))
        return found

    def winner(self, state: Any, made: int) -> Player:
        """The player who wins from ``state``, which ``made`` plies lead to.

        Raises ``UndecidedError`` at the deadline.
        """
        known = self._known.get((state, made))
        if known is not None:
            return known
        found = self.ended(state, made)
        if found is None:
            self._deadline.check("the game's value is looked for")
            found = self._search(state) if self._search else self._minimax(state, made)
        self._known[state, made] = found
        return found

    def _minimax(self, state: Any, made: int) -> Player:
        player, play = self.simulator.to_move(state), self.simulator.play
        after = (self.winner(play(state, move), made + 1) for move in self.legal(state))
        return player if player in after else player.other

    def after(self, moves: Sequence[str]) -> Any:
        """The state after a play; raises ``IllegalMoveError`` where a move is not legal."""
        state = self.simulator.start()
        for made, move in enumerate(moves):
            if self.ended(state, made) is not None or move not in self.legal(state):
                shown = " ".join(moves[:made]) or "the start"
                raise IllegalMoveError(f"{move} is not legal after {shown}")
            state = self.simulator.play(state, move)
        return state

    def value(self, moves: Sequence[str]) -> bool:
        """True if Black wins after a play of legal moves."""
        return self.winner(self.after(moves), len(moves)) is Player.BLACK
