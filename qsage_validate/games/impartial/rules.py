"""The rules of an impartial game: moves, ends, and who wins, by backward induction.

Source: the SynMS paper, Definition 2.  A legal ending state is losing in normal play, whatever
its actions; any other state is winning when some action leads to a legal losing state.  In
misère play the player who would have to move at an end wins.  Actions that leave the legal
states are never played; that there is one makes a winning formula impossible wherever
Definition 6 asks about all actions, which is what :meth:`ImpartialRules.flaw` finds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from qsage_validate.errors import QsageError, UndecidedError
from qsage_validate.games.impartial.model import ImpartialGame, state_text
from qsage_validate.games.impartial.moves import (
    State,
    compile_moves,
    compile_successors,
    compile_test,
)
from qsage_validate.system.limits import NEVER

MAX_LABELS: Final = 4_000_000
"""No more states are labelled than this (some 600 MB)."""

MAX_DEPTH: Final = 300_000
"""What :attr:`ImpartialRules.max_depth` is at first (some 200 MB)."""

_CLOCK_EVERY: Final = 256


class EndlessGameError(QsageError):
    """A state leads back to itself, so that backward induction has no beginning there.

    ``cycle`` are the states of such a play; the first one is the last one too.
    """

    def __init__(self, game: ImpartialGame, cycle: Sequence[State]) -> None:
        super().__init__(
            f"found the state {state_text(game.variables, cycle[0])} that its own moves lead back "
            "to, expected a game that ends"
        )
        self.state = cycle[0]
        self.cycle = tuple(cycle)


@dataclass(frozen=True, slots=True)
class Move:
    """A ground action that is applicable, and the state after it."""

    action: int
    name: str
    arguments: tuple[int, ...]
    after: State

    def __str__(self) -> str:
        return f"{self.name}({','.join(map(str, self.arguments))})"


@dataclass(frozen=True, slots=True)
class Flaw:
    """Why no winning formula can exist (constraint 3 of Definition 6 fails whatever it says).

    ``state`` is losing by Definition 2, and yet an action leads from it to ``after``, which is
    losing too or not legal.
    """

    state: State
    after: State
    legal: bool

    def text(self, game: ImpartialGame) -> str:
        """One line for people."""
        kind = "another losing state" if self.legal else "a state that is not legal"
        text = (
            f"the losing state {state_text(game.variables, self.state)} has a move to {kind} "
            f"({state_text(game.variables, self.after)})"
        )
        if game.ending.holds(game.state(self.state)):
            return f"{text}, though it is an end: Definition 6 allows no such move"
        return text if self.legal else f"{text}: Definition 6 allows no such move"


class ImpartialRules:
    """The executable rules; labels of states are remembered.

    Raises ``InputError`` when an action has an unbounded parameter.
    """

    def __init__(self, game: ImpartialGame, *, misere: bool = False) -> None:
        self.game = game
        self.misere = misere
        self._moves = compile_moves(game)
        self._successors = compile_successors(game)
        self.is_legal = compile_test(game, "constraint")
        self.is_ending = compile_test(game, "ending")
        self.labels: dict[State, bool] = {}
        self.deadline = NEVER
        """When labelling is given up."""
        self.max_depth = MAX_DEPTH
        """No longer play is followed when a state is labelled."""

    def moves(self, state: State) -> Iterator[Move]:
        """The moves of the player whose turn it is: none at an ending state."""
        if self.is_ending(state):
            return
        for move in self.applicable(state):
            if self.is_legal(move.after):
                yield move

    def applicable(self, state: State) -> Iterator[Move]:
        """All applicable ground actions, also those at ends and out of the legal states."""
        seen = set()
        for action, arguments, after in self._moves(state):
            if (action, arguments) not in seen:
                seen.add((action, arguments))
                yield Move(action, self.game.actions[action].name, arguments, after)

    def allows(self, state: State, move: Move) -> bool:
        """Whether ``move`` is one of :meth:`moves`; the others are not made for that."""
        ground = (move.action, move.arguments, move.after)
        return (
            not self.is_ending(state)
            and self.is_legal(move.after)
            and any(ground == one for one in self._moves(state))
        )

    def winning(self, state: State) -> bool:
        """Whether the player to move wins at the legal ``state``.

        Raises :class:`EndlessGameError` when the game need not end, and ``UndecidedError``
        when there are too many states or the deadline has passed.
        """
        labels = self.labels
        if state in labels:
            return labels[state]
        is_ending, is_legal, successors = self.is_ending, self.is_legal, self._successors
        stack: list[State] = []
        waiting: list[tuple[Iterator[State], bool]] = []
        open_states: set[State] = set()
        pushed: State | None = state
        count = 0
        while True:
            if pushed is not None:
                count += 1
                if not count % _CLOCK_EVERY:
                    self._check_limits(len(stack))
                if is_ending(pushed):
                    labels[pushed] = self.misere
                else:
                    stack.append(pushed)
                    waiting.append((successors(pushed), False))
                    open_states.add(pushed)
                pushed = None
            if not stack:
                return labels[state]
            top = stack[-1]
            moves, moved = waiting[-1]
            result: bool | None = None
            for after in moves:
                label = labels.get(after)
                if label is None:
                    if not is_legal(after):
                        continue
                    if after in open_states:
                        raise EndlessGameError(self.game, [*stack[stack.index(after) :], after])
                    # The generator goes on behind ``after``, so it is looked at right now.
                    pushed = after
                    break
                moved = True
                if not label:
                    result = True
                    break
            if pushed is not None:
                waiting[-1] = (_again(pushed, moves), moved)
                continue
            if result is None:
                result = self.misere and not moved
            labels[top] = result
            stack.pop()
            waiting.pop()
            open_states.discard(top)

    def _check_limits(self, depth: int) -> None:
        if depth > self.max_depth:
            raise UndecidedError(
                f"a play of more than {self.max_depth:,} plies, which may be endless"
            )
        if len(self.labels) > MAX_LABELS:
            raise UndecidedError(f"more than {MAX_LABELS:,} states to label")
        self.deadline.check("states were labelled")

    def flaw(self, state: State) -> Flaw | None:
        """Why Definition 6 cannot be fulfilled at the legal ``state``, if so.

        Its label must be forced, as it is by induction wherever :meth:`winning` answers.
        """
        if self.winning(state):
            return None
        for after in self._successors(state):
            legal = self.is_legal(after)
            if not legal or not self.winning(after):
                return Flaw(state, after, legal)
        return None

    def winning_moves(self, state: State) -> list[Move]:
        """The moves to losing states."""
        return [move for move in self.moves(state) if not self.winning(move.after)]


def _again(first: State, rest: Iterator[State]) -> Iterator[State]:
    yield first
    yield from rest
