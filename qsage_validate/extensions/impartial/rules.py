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
from itertools import chain
from typing import Final

from qsage_validate.errors import QsageError, UndecidedError
from qsage_validate.extensions.impartial.formula import ImpartialAnd, ImpartialFormula
from qsage_validate.extensions.impartial.model import (
    ImpartialAction,
    ImpartialGame,
    formula_text,
    state_text,
)
from qsage_validate.extensions.impartial.moves import (
    State,
    compile_moves,
    compile_successors,
    compile_test,
)
from qsage_validate.formats.source import Place
from qsage_validate.games.protocol import Illegality
from qsage_validate.system.limits import NEVER

MAX_LABELS: Final = 4_000_000
"""No more states are labelled than this (some 600 MB)."""

MAX_DEPTH: Final = 300_000
"""The initial value of :attr:`ImpartialRules.max_depth` (some 200 MB)."""

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
class ImpartialMove:
    """A ground action that is applicable, and the state after it."""

    action: int
    name: str
    arguments: tuple[int, ...]
    after: State

    def __str__(self) -> str:
        return f"{self.name}({','.join(map(str, self.arguments))})"


@dataclass(frozen=True, slots=True)
class Flaw:
    """A proof that no winning formula exists: constraint 3 of Definition 6 fails for every formula.

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
        """The deadline at which labelling stops."""
        self.max_depth = MAX_DEPTH
        """No longer play is followed when a state is labelled."""

    def moves(self, state: State) -> Iterator[ImpartialMove]:
        """The moves of the player whose turn it is: none at an ending state."""
        if self.is_ending(state):
            return
        for move in self.applicable(state):
            if self.is_legal(move.after):
                yield move

    def applicable(self, state: State) -> Iterator[ImpartialMove]:
        """All applicable ground actions, also those at ends and out of the legal states."""
        seen = set()
        for action, arguments, after in self._moves(state):
            if (action, arguments) not in seen:
                seen.add((action, arguments))
                yield ImpartialMove(action, self.game.actions[action].name, arguments, after)

    def allows(self, state: State, move: ImpartialMove) -> bool:
        """True if ``move`` is one of :meth:`moves`; the other moves are not computed."""
        ground = (move.action, move.arguments, move.after)
        return (
            not self.is_ending(state)
            and self.is_legal(move.after)
            and any(ground == one for one in self._moves(state))
        )

    def winning(self, state: State) -> bool:
        """True if the player to move wins at the legal ``state``.

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
                waiting[-1] = (chain((pushed,), moves), moved)
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
        """The reason why Definition 6 cannot be fulfilled at the legal ``state``; ``None``: it can.

        Its label must be forced, as it is by induction wherever :meth:`winning` answers.
        """
        if self.winning(state):
            return None
        for after in self._successors(state):
            legal = self.is_legal(after)
            if not legal or not self.winning(after):
                return Flaw(state, after, legal)
        return None

    def winning_moves(self, state: State) -> list[ImpartialMove]:
        return [move for move in self.moves(state) if not self.winning(move.after)]


MAX_MOVES: Final = 200_000
"""No more moves are followed than this (some tenths of a second)."""


@dataclass(frozen=True)
class ImpartialReach:
    """The legal states that plays from a state lead to, in the order in which they end.

    ``longest`` is the length of the longest play in plies; ``smallest`` and ``largest`` are the
    extreme values of variables.
    """

    states: tuple[State, ...]
    longest: int

    @property
    def smallest(self) -> int:
        return min(min(state) for state in self.states)

    @property
    def largest(self) -> int:
        return max(max(state) for state in self.states)


def reach(rules: ImpartialRules, start: State, max_moves: int = MAX_MOVES) -> ImpartialReach | None:
    """Everything that can be reached from ``start``; ``None`` when there are too many moves.

    Raises ``EndlessGameError`` for a state that leads back to itself.
    """
    longest: dict[State, int] = {}
    successors = compile_successors(rules.game)

    def following(state: State) -> Iterator[State]:
        if rules.is_ending(state):
            return iter(())
        return (after for after in successors(state) if rules.is_legal(after))

    path: dict[State, tuple[Iterator[State], int]] = {start: (following(start), 0)}
    followed = 0
    while path:
        state, (moves, plies) = path.popitem()
        for after in moves:
            followed += 1
            if followed > max_moves:
                return None
            if after in path or after == state:
                passed = [*path, state]
                raise EndlessGameError(rules.game, [*passed[passed.index(after) :], after])
            known = longest.get(after)
            if known is None:
                path[state] = (chain((after,), moves), plies)
                path[after] = (following(after), 0)
                break
            plies = max(plies, known + 1)
        else:
            longest[state] = plies
    return ImpartialReach(tuple(longest), longest[start])


def illegality(
    rules: ImpartialRules, state: State, name: str, arguments: tuple[int, ...]
) -> Illegality | None:
    """The rule that forbids the action ``name(arguments)`` in ``state``; ``None``: it is legal.

    The formulas are evaluated as they stand, which shares no code with the compiled rules that
    list the legal moves.
    """
    game = rules.game
    shown = f"{name}({','.join(map(str, arguments))})"
    action = next((a for a in game.actions if a.name == name), None)
    if action is None or len(arguments) != len(action.parameters):
        return Illegality("unknown move", f"{shown}: no move of this game")
    values = game.state(state)
    if game.ending.holds(values):
        rule = formula_text(game.ending)
        text = f"{shown}: the play has ended, for {rule} is true"
        return Illegality(rule, text)
    chosen = dict(zip(action.parameters, arguments, strict=True))
    for index, (formula, rule, place) in enumerate(_conditions(action)):
        if not formula.holds(values | chosen):
            used = formula.variables()
            known = {n: v for n, v in (values | chosen).items() if n in used}
            where = _where(place)
            text = f"{shown}: {rule} is false for {state_text(tuple(known), tuple(known.values()))}"
            said = formula.fault(values | chosen)
            return Illegality(rule, text + where, index=index, sentence=said)
    after = state_after(action, game.variables, state, chosen)
    if not game.constraint.holds(game.state(after)):
        rule = formula_text(game.constraint)
        leads = state_text(game.variables, after)
        return Illegality(rule, f"{shown}: leads to {leads}, where {rule} is false")
    return None


def _conditions(action: ImpartialAction) -> list[tuple[ImpartialFormula, str, Place | None]]:
    if action.conditions:
        return [(one.formula, one.text, one.place) for one in action.conditions]
    whole = action.precondition
    parts = whole.parts if isinstance(whole, ImpartialAnd) else (whole,)
    return [(part, formula_text(part), None) for part in parts]


def _where(place: Place | None) -> str:
    if place is None:
        return ""
    return f" ({place.file or 'the game'}, line {place.line})"


def state_after(
    action: ImpartialAction, variables: tuple[str, ...], state: State, chosen: dict[str, int]
) -> State:
    """The state that the effects lead to, applicable or not; the first of a variable counts."""
    before = dict(zip(variables, state, strict=True))
    values = before | chosen
    after = dict(before)
    done: set[str] = set()
    for effect in action.effects:
        if effect.variable not in done and effect.condition.holds(values):
            done.add(effect.variable)
            after[effect.variable] = effect.expression.value(values)
    return tuple(after[name] for name in variables)
