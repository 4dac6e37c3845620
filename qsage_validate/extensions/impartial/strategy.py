"""Strategies as guarded moves: transitions as formulas, half-ground rules, a check by values.

Effects are functions of the state and the parameters, so that the successor state is put into
formulas by substitution; no variables of its own are needed (Definition 5 of the SynMS paper
has them).

Candidates are read off single moves: each parameter's value in a state is written as a number,
as a variable, or as a variable or a difference of two variables plus a small number.

This shares nothing with the proofs: no SMT solver, no substitution, no arrays; the formula is
evaluated as it stands, and the moves are those of the rules.  The search
(:mod:`qsage_validate.solvers.search`) is that of all other games.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product
from typing import Final

from qsage_validate.errors import InputError, UndecidedError, counted
from qsage_validate.extensions.impartial.heap_game import HeapGame, HeapPosition
from qsage_validate.extensions.impartial.model import (
    TRUE,
    ImpartialAction,
    ImpartialFormula,
    ImpartialGame,
    Linear,
    conjunction,
    disjunction,
    without_not,
)
from qsage_validate.extensions.impartial.parser import parse_expression, parse_formula
from qsage_validate.extensions.impartial.rules import (
    EndlessGameError,
    ImpartialMove,
    ImpartialRules,
    State,
    reach,
    semi_ground_text,
)
from qsage_validate.formats.source import Source, quoted
from qsage_validate.games.protocol import Player
from qsage_validate.solvers.search import SearchSolver
from qsage_validate.solvers.search_engine import MAX_PLIES
from qsage_validate.system.limits import Deadline, Limits

# The effects of actions, as formulas over the state before them


@dataclass(frozen=True)
class ActionOutcome:
    """One case of an action: where ``guard`` holds, the variables get these expressions."""

    guard: ImpartialFormula
    assignment: dict[str, Linear]


def outcomes(action: ImpartialAction) -> list[ActionOutcome]:
    """The cases of an action's conditional effects; exactly one guard holds in each state.

    When several effects of one variable apply, the first one counts, as in the rules.
    """
    conditions = list(dict.fromkeys(e.condition for e in action.effects if e.condition != TRUE))
    found: list[ActionOutcome] = []
    for choice in _choices(len(conditions)):
        true = {c for c, chosen in zip(conditions, choice, strict=True) if chosen}
        assignment: dict[str, Linear] = {}
        for effect in action.effects:
            if effect.condition == TRUE or effect.condition in true:
                assignment.setdefault(effect.variable, effect.expression)
        guard = conjunction(
            c if chosen else c.negated() for c, chosen in zip(conditions, choice, strict=True)
        )
        found.append(ActionOutcome(guard, assignment))
    return found


def _choices(count: int) -> Iterator[tuple[bool, ...]]:
    if not count:
        yield ()
        return
    for rest in _choices(count - 1):
        yield (*rest, True)
        yield (*rest, False)


def after(action: ImpartialAction, formula: ImpartialFormula) -> ImpartialFormula:
    """The formula that holds before the action exactly when ``formula`` holds after it."""
    cases = outcomes(action)
    if len(cases) == 1:
        return formula.substitute(cases[0].assignment)
    return disjunction(
        conjunction((case.guard, formula.substitute(case.assignment))) for case in cases
    )


@dataclass(frozen=True)
class ActionPlies:
    """The plies that one outcome of an action makes: from a legal state that is no end.

    ``holds`` is over the state variables and the action's parameters: the state is legal and no
    end, the action is applicable, and the state after it is legal.  ``values`` is that state.
    """

    index: int
    action: ImpartialAction
    holds: ImpartialFormula
    values: dict[str, Linear]


def steps(game: ImpartialGame) -> list[ActionPlies]:
    """All plies that the rules allow; every play is a sequence of them."""
    running = without_not(game.ending).negated()
    found = []
    for index, action in enumerate(game.actions):
        for outcome in outcomes(action):
            legal = game.constraint.substitute(outcome.assignment)
            parts = (game.constraint, running, action.precondition, outcome.guard, legal)
            values = {
                name: outcome.assignment.get(name, Linear.variable(name)) for name in game.variables
            }
            found.append(ActionPlies(index, action, without_not(conjunction(parts)), values))
    return found


def reaches(action: ImpartialAction, target: ImpartialFormula) -> ImpartialFormula:
    """The action is applicable and leads to a state with ``target`` (parameters stay free)."""
    return conjunction((action.precondition, after(action, target)))


# Semi-ground actions: an action with expressions over the state for its parameters


MAX_OFFSET: Final = 64
"""The largest number that is added to a variable; with numbers alone there is no limit."""

MAX_DIFFERENCE_OFFSET: Final = 24
"""The largest number that is added to a difference of two variables."""

MAX_SUM_OFFSET: Final = 1
"""The largest number that is added to a sum or difference of three variables."""

# How many expressions there may be for each parameter of an action with so many of them.
_MAX_CHOICES: Final = {0: 0, 1: 64, 2: 14, 3: 7}
_MANY_PARAMETERS: Final = 4
_MAX_CANDIDATES: Final = 60_000


@dataclass(frozen=True)
class SemiGround:
    """The action ``index`` of a game with an expression for each of its parameters."""

    index: int
    name: str
    arguments: tuple[Linear, ...]

    def action(self, game: ImpartialGame) -> ImpartialAction:
        """The action without parameters."""
        action = game.actions[self.index]
        return action.grounded(dict(zip(action.parameters, self.arguments, strict=True)))

    @cached_property
    def size(self) -> int:
        """The size of the arguments together."""
        return sum(argument.size for argument in self.arguments)

    def text(self, game: ImpartialGame) -> str:
        """The action for people: ``take(v1 - v2)``."""
        return semi_ground_text(game.actions[self.index], self.arguments)


def expressions(variables: Sequence[str], state: State, value: int) -> list[Linear]:
    """Small expressions over ``variables`` that are ``value`` in ``state``, the smallest first."""
    found = [Linear((), value)]
    for name, number in zip(variables, state, strict=True):
        if abs(value - number) <= MAX_OFFSET:
            found.append(Linear(((name, 1),), value - number))
    for i, left in enumerate(variables):
        for j, right in enumerate(variables):
            offset = value - state[i] + state[j]
            if i != j and abs(offset) <= MAX_DIFFERENCE_OFFSET:
                found.append(Linear.of({left: 1, right: -1}, offset))
    for i, j, k in permutations(range(len(state)), 3) if len(state) > 2 else ():
        if j < k:
            names = variables[i], variables[j], variables[k]
            found += _sums(names, value, state[i], state[j] + state[k])
    return sorted(found, key=lambda e: e.size)


def _sums(names: tuple[str, str, str], value: int, one: int, two: int) -> list[Linear]:
    """``a - b - c`` and ``b + c - a``, where they are ``value`` but for a small number."""
    a, b, c = names
    found = []
    if abs(value - (one - two)) <= MAX_SUM_OFFSET:
        found.append(Linear.of({a: 1, b: -1, c: -1}, value - (one - two)))
    if abs(value - (two - one)) <= MAX_SUM_OFFSET:
        found.append(Linear.of({a: -1, b: 1, c: 1}, value - (two - one)))
    return found


def generalisations(game: ImpartialGame, state: State, move: ImpartialMove) -> Iterator[SemiGround]:
    """Semi-ground actions that are ``move`` in ``state``, those of small expressions first."""
    most = _MAX_CHOICES.get(len(move.arguments), _MANY_PARAMETERS)
    choices = [expressions(game.variables, state, value)[:most] for value in move.arguments]
    for arguments in product(*choices):
        yield SemiGround(move.action, move.name, arguments)


def coverage(
    game: ImpartialGame, moves: Iterable[tuple[int, State, Iterable[ImpartialMove]]]
) -> dict[SemiGround, int]:
    """For each candidate the set (as bits) of the states in which it is a move.

    ``moves`` gives each state with a number for it, and the moves that are wanted there.  When
    there are very many candidates, the last states go without.
    """
    found: dict[SemiGround, int] = {}
    count = 0
    for number, state, wanted in moves:
        bit = 1 << number
        for move in wanted:
            for candidate in generalisations(game, state, move):
                found[candidate] = found.get(candidate, 0) | bit
                count += 1
        if count > _MAX_CANDIDATES:
            break
    return found


def greedy_cover(
    covered: dict[SemiGround, int], wanted: int, chosen: Iterable[SemiGround] = ()
) -> list[SemiGround]:
    """Few candidates that cover all states of the set ``wanted`` that can be covered.

    Each step takes the candidate with the most states that are left; of several the one with
    the most states altogether, and then the smallest.
    Those in ``chosen`` are taken first and are not in the answer.
    """
    for one in chosen:
        wanted &= ~covered.get(one, 0)
    found: list[SemiGround] = []
    left = {c: bits & wanted for c, bits in covered.items() if bits & wanted}
    while left:
        best = max(left, key=lambda c: _rank(left[c], covered[c], c))
        found.append(best)
        bits = left[best]
        left = {c: b & ~bits for c, b in left.items() if b & ~bits}
    return found


def _rank(left: int, all_states: int, candidate: SemiGround) -> tuple[int, ...]:
    counts = left.bit_count(), all_states.bit_count()
    return (*counts, -candidate.size, *_reverse(candidate))


def _reverse(candidate: SemiGround) -> tuple[int, ...]:
    """Ties are broken so that the answer does not depend on the order of a dictionary."""
    terms = tuple(value for a in candidate.arguments for value in (a.constant, len(a.terms)))
    return (-candidate.index, *(-value for value in terms))


# Strategies: rules of a condition and a semi-ground action, with text form and answers


ARROW = "->"

_RULE = re.compile(r"(?P<condition>.*?)\s*->\s*(?P<name>[^\s()]+)\s*\((?P<arguments>.*)\)\s*")


@dataclass(frozen=True)
class ImpartialRule:
    """A rule of a strategy: where ``condition`` holds, ``action`` leads to a losing state."""

    condition: ImpartialFormula
    action: SemiGround

    @property
    def size(self) -> int:
        """The sizes of the condition and of the arguments, and one for the action."""
        return self.condition.size + self.action.size + 1

    def text(self, game: ImpartialGame) -> str:
        """``v % 4 = 1 -> take(1)``."""
        return f"{self.condition} {ARROW} {self.action.text(game)}"

    def move(self, game: ImpartialGame, state: State) -> ImpartialMove:
        """The ground action that the rule asks for in ``state``; it need not be applicable."""
        values = game.state(state)
        arguments = tuple(argument.value(values) for argument in self.action.arguments)
        return ground_move(game, self.action.index, arguments, state)


def ground_move(
    game: ImpartialGame, index: int, arguments: tuple[int, ...], state: State
) -> ImpartialMove:
    """The move that the action with these arguments is in ``state``, applicable or not."""
    action = game.actions[index]
    values = game.state(state) | dict(zip(action.parameters, arguments, strict=True))
    after = dict(game.state(state))
    for outcome in outcomes(action):
        if outcome.guard.holds(values):
            after |= {v: e.value(values) for v, e in outcome.assignment.items()}
            break
    return ImpartialMove(
        index, action.name, arguments, tuple(after[name] for name in game.variables)
    )


@dataclass(frozen=True)
class ImpartialStrategy:
    """Rules in an order; the first one whose condition holds is played."""

    rules: tuple[ImpartialRule, ...]

    @property
    def size(self) -> int:
        """The sum of the rules' sizes."""
        return sum(rule.size for rule in self.rules)

    def fires(self, game: ImpartialGame, state: State) -> tuple[int, ImpartialMove] | None:
        """The number of the rule that is played in ``state``, with its move; ``None``: none."""
        values = game.state(state)
        for number, rule in enumerate(self.rules):
            if rule.condition.holds(values):
                return number, rule.move(game, state)
        return None

    def text(self, game: ImpartialGame) -> str:
        """One rule a line."""
        return "\n".join(rule.text(game) for rule in self.rules)


def parse_strategy(text: str, game: ImpartialGame, file: str | None = None) -> ImpartialStrategy:
    """Reads what :meth:`ImpartialStrategy.text` prints; empty lines and ``#`` comments are skipped.

    Raises :class:`~qsage_validate.errors.InputError` at the first thing that is not understood.
    """
    source = Source(text, file)
    source.check_not_empty("rules CONDITION -> ACTION(EXPRESSION, ...)")
    rules = [
        _rule(source, game, number, offset, line)
        for number, offset, line in source.lines()
        if line.strip() and not line.lstrip().startswith("#")
    ]
    return ImpartialStrategy(tuple(rules))


def _rule(
    source: Source, game: ImpartialGame, number: int, offset: int, line: str
) -> ImpartialRule:
    match = _RULE.fullmatch(line)
    if match is None:
        raise source.line_error(
            number, quoted(line.strip()), "CONDITION -> ACTION(EXPRESSION, ...)"
        )
    names = [action.name for action in game.actions]
    if match["name"] not in names:
        raise source.error(
            offset + match.start("name"),
            f"the action {quoted(match['name'])}",
            f"one of {', '.join(names)}",
        )
    index = names.index(match["name"])
    words = match["arguments"].split(",") if match["arguments"].strip() else []
    wanted = game.actions[index].parameters
    if len(words) != len(wanted):
        raise source.error(
            offset + match.start("arguments"),
            counted(len(words), "argument"),
            f"{len(wanted)} for {match['name']}",
        )
    with_place = _Placed(source, number)
    condition = with_place.formula(match["condition"], match.start("condition"), game)
    starts = _starts(match.start("arguments"), words)
    arguments = tuple(
        with_place.expression(word, start, game) for word, start in zip(words, starts, strict=True)
    )
    return ImpartialRule(condition, SemiGround(index, match["name"], arguments))


def _starts(start: int, words: Iterable[str]) -> list[int]:
    found = []
    for word in words:
        found.append(start)
        start += len(word) + 1
    return found


class _Placed:
    """Parses a part of a line, with errors at their place in the whole text."""

    def __init__(self, source: Source, line: int) -> None:
        self.source, self.line = source, line

    def _error(self, error: InputError, start: int) -> InputError:
        column = start + (error.column or 1)
        return self.source.line_error(self.line, error.found, error.expected, column)

    def formula(self, text: str, start: int, game: ImpartialGame) -> ImpartialFormula:
        try:
            return parse_formula(text, game.variables)
        except InputError as error:
            raise self._error(error, start) from None

    def expression(self, text: str, start: int, game: ImpartialGame) -> Linear:
        try:
            return parse_expression(text, game.variables)
        except InputError as error:
            raise self._error(error, start) from None


# Compares a synthesised answer with backward induction, and with a search, state by state


@dataclass(frozen=True)
class CrossCheck:
    """The result of a comparison: the number of states compared, and the first that disagrees.

    ``complete`` says whether all requested states were compared.  States from which plays are
    endless or too many are left out.
    """

    states: int
    complete: bool
    mistake: State | None = None
    reason: str = ""

    @property
    def agrees(self) -> bool:
        return self.mistake is None


def cross_check(
    rules: ImpartialRules,
    formula: ImpartialFormula,
    strategy: ImpartialStrategy | None,
    states: Sequence[State],
    deadline: Deadline,
) -> CrossCheck:
    """Compare a formula, and a strategy if there is one, with the rules on legal ``states``."""
    game = rules.game
    done, complete = 0, True
    rules.deadline = deadline
    for state in states:
        try:
            deadline.check("states were compared")
            winning = rules.winning(state)
        except EndlessGameError:
            complete = False
            continue
        except UndecidedError:
            return CrossCheck(done, complete=False)
        done += 1
        if formula.holds(game.state(state)) != winning:
            said = "winning" if not winning else "losing"
            return CrossCheck(done, True, state, f"it is said to be {said}, but is not")
        if strategy is None:
            continue
        reason = _mistake(rules, strategy, state, winning)
        if reason:
            return CrossCheck(done, True, state, reason)
    return CrossCheck(done, complete)


def _mistake(
    rules: ImpartialRules, strategy: ImpartialStrategy, state: State, winning: bool
) -> str:
    """The mistake of the strategy in ``state``, in words; empty when there is none."""
    fired = strategy.fires(rules.game, state)
    if fired is None:
        to_move = winning and any(True for _ in rules.moves(state))
        return "no rule fires in a winning state" if to_move else ""
    if not winning:
        return f"rule {fired[0] + 1} fires in a losing state"
    move = fired[1]
    if not rules.allows(state, move):
        return f"{move} of rule {fired[0] + 1} is not legal"
    if rules.winning(move.after):
        return f"{move} of rule {fired[0] + 1} leads to a winning state"
    return ""


def search_check(
    rules: ImpartialRules, said: Iterable[tuple[State, bool]], deadline: Deadline
) -> tuple[int, State | None]:
    """Compare who is ``said`` to win (the player to move: true) with a search of each state.

    Returns how many were compared, and the first that disagrees; stops when the time is over.
    States from which plays are too long, too many, or need not end, are left out.
    """
    asked: list[tuple[State, bool]] = []
    plies = 0
    for state, winning in said:
        try:
            found = None if deadline.over else reach(rules, state)
        except EndlessGameError:
            continue
        # One ply more than there are moves: in misère play the end itself is a win to be seen.
        if found is not None and found.longest < MAX_PLIES:
            asked.append((state, winning))
            plies = max(plies, found.longest + 1)
    if not asked:
        return 0, None
    game = HeapGame(rules, asked[-1][0], plies=plies)
    # One search for all states: they share its table.
    solver = SearchSolver(game, limits=Limits(deadline))
    for done, (state, winning) in enumerate(asked):
        try:
            deadline.check("states were searched")
            winner = solver.winner(HeapPosition(game, state, Player.BLACK, 1))
        except UndecidedError:
            return done, None
        if (winner is Player.BLACK) != winning:
            return done + 1, state
    return len(asked), None
