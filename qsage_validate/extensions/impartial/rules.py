"""The rules of an impartial game: lists of moves, ends, and who wins, by backward induction.

Source: the SynMS paper, Definition 2.  A legal ending state is losing in normal play, whatever
its actions; any other state is winning when some action leads to a legal losing state.  In
misère play the player who would have to move at an end wins.  Actions that leave the legal
states are never played; that there is one makes a winning formula impossible wherever
Definition 6 asks about all actions, which is what :meth:`ImpartialRules.flaw` finds.

Labelling asks for the moves of many thousands of states; loops over the parameters with their
bounds worked out beforehand are some fifty times quicker than walking through the formulas.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from qsage_validate.errors import InputError, QsageError, UndecidedError, counted
from qsage_validate.extensions.impartial.model import (
    OPERATORS,
    TRUE,
    Congruence,
    ImpartialAction,
    ImpartialAnd,
    ImpartialComparison,
    ImpartialFormula,
    ImpartialGame,
    ImpartialNot,
    ImpartialOr,
    Linear,
    Truth,
    formula_text,
    state_text,
    without_not,
)
from qsage_validate.formats.source import Place
from qsage_validate.games.protocol import Illegality
from qsage_validate.system.limits import NEVER

# Lists the moves of a state, by code that is generated once for each game


State = tuple[int, ...]
"""The values of the state variables, in the order of the game."""

GroundMove = tuple[int, tuple[int, ...], State]
"""The action's index, the values of its parameters, the state after it."""


def compile_moves(game: ImpartialGame) -> Callable[[State], Iterator[GroundMove]]:
    """A function that lists the applicable ground actions of a state, possibly repeated.

    Raises ``InputError`` when an action has an unbounded parameter.
    """
    found: Callable[[State], Iterator[GroundMove]]
    found = _compiled(_moves_source(game, successors_only=False), "moves")
    return found


def compile_successors(game: ImpartialGame) -> Callable[[State], Iterator[State]]:
    """:func:`compile_moves` without the moves: the successor states alone."""
    found: Callable[[State], Iterator[State]]
    found = _compiled(_moves_source(game, successors_only=True), "moves")
    return found


def compile_test(game: ImpartialGame, which: str) -> Callable[[State], bool]:
    """A function that says whether a state fulfils the game's ``constraint`` or ``ending``."""
    formula = game.constraint if which == "constraint" else game.ending
    names = _names(game.variables, "s")
    lines = ["def test(state):", *_unpacking(game), f"    return {formula_source(formula, names)}"]
    found: Callable[[State], bool] = _compiled("\n".join(lines), "test")
    return found


def _compiled(source: str, name: str) -> Any:
    # The source has names of our own making (s0, k1, ...) and integers, nothing of the file.
    scope: dict[str, Any] = {}
    exec(compile(source, "<rules of the game>", "exec"), scope)
    return scope[name]


def _names(variables: tuple[str, ...], letter: str) -> dict[str, str]:
    return {variable: f"{letter}{i}" for i, variable in enumerate(variables)}


def _unpacking(game: ImpartialGame) -> list[str]:
    names = "".join(f"s{i}," for i in range(len(game.variables)))
    return [f"    {names} = state"]


def _moves_source(game: ImpartialGame, *, successors_only: bool) -> str:
    lines = ["def moves(state):", *_unpacking(game)]
    for index, action in enumerate(game.actions):
        names = _names(game.variables, "s") | _names(action.parameters, "k")
        for ranges in parameter_ranges(action):
            indent = "    "
            for one in ranges:
                lines.append(f"{indent}{_loop(one, names)}")
                indent += "    "
            lines.append(f"{indent}if {formula_source(action.precondition, names)}:")
            after = f"({''.join(_value(action, v, names) + ',' for v in game.variables)})"
            if successors_only:
                lines.append(f"{indent}    yield {after}")
            else:
                chosen = "".join(f"k{i}," for i in range(len(action.parameters)))
                lines.append(f"{indent}    yield {index}, ({chosen}), {after}")
    # A generator even when no precondition can ever hold.
    lines += ["    return", "    yield"]
    return "\n".join(lines)


def _loop(one: Range, names: dict[str, str]) -> str:
    lower = [
        linear_source(low, names) if d == 1 else f"-(({linear_source(-low, names)}) // {d})"
        for low, d in one.lower
    ]
    upper = [
        linear_source(high, names) if d == 1 else f"({linear_source(high, names)}) // {d}"
        for high, d in one.upper
    ]
    first = lower[0] if len(lower) == 1 else f"max({', '.join(lower)})"
    last = upper[0] if len(upper) == 1 else f"min({', '.join(upper)})"
    return f"for {names[one.parameter]} in range({first}, {last} + 1):"


def _value(action: ImpartialAction, variable: str, names: dict[str, str]) -> str:
    """The variable's value after the action; the first effect that applies counts."""
    text = names[variable]
    for effect in reversed(action.effects):
        if effect.variable != variable:
            continue
        value = linear_source(effect.expression, names)
        if effect.condition == TRUE:
            text = value
        else:
            text = f"({value} if {formula_source(effect.condition, names)} else {text})"
    return text


def semi_ground_text(action: ImpartialAction, arguments: tuple[Linear, ...]) -> str:
    """The action with its arguments, for people: ``take(v1 - v2)``."""
    return f"{action.name}({', '.join(map(str, arguments))})"


_RELATIONS = {"=": "=="}


def identifiers(variables: tuple[str, ...]) -> dict[str, str]:
    """A Python identifier for each variable: its own name, unless that is a keyword."""
    names = {v: v for v in variables}
    for v in filter(keyword.iskeyword, variables):
        while names[v] == v or names[v] in variables:
            names[v] += "_"
    return names


def linear_source(expression: Linear, names: Mapping[str, str]) -> str:
    """The expression as Python source; ``names`` says what each variable is called there."""
    return str(Linear.of({names[n]: a for n, a in expression.terms}, expression.constant))


def formula_source(formula: ImpartialFormula, names: Mapping[str, str]) -> str:
    """The formula as a Python expression; ``names`` as in :func:`linear_source`."""
    match formula:
        case Truth(value):
            return str(value)
        case ImpartialComparison(relation, left, right):
            sign = _RELATIONS.get(relation, relation)
            return f"{linear_source(left, names)} {sign} {linear_source(right, names)}"
        case Congruence(expression, modulus, residue, equal):
            sign = "==" if equal else "!="
            if residue.is_constant:
                rest = residue.constant % modulus
            else:
                expression, rest = expression - residue, 0
            divided = linear_source(expression, names)
            if not divided.isidentifier():
                divided = f"({divided})"
            return f"{divided} % {modulus} {sign} {rest}"
        case ImpartialAnd(parts) | ImpartialOr(parts):
            return "(" + f" {formula.word} ".join(formula_source(p, names) for p in parts) + ")"
        case ImpartialNot(part):
            return f"(not {formula_source(part, names)})"
    raise TypeError(f"no formula: {formula!r}")


MAX_CUBES: Final = 256
# -- Bounds of an action's parameters ----------------------------------------------------------
#
# The precondition is split into cubes; in each one the parameters are eliminated one after the
# other (Fourier and Motzkin, over the rationals, so that the bounds may be too wide but never too
# narrow).  What is left bounds each parameter by the state and the parameters before it.

_MAX_INEQUALITIES: Final = 400


@dataclass(frozen=True)
class Range:
    """``max(lower / divisor) <= parameter <= min(upper / divisor)``, rounded inwards."""

    parameter: str
    lower: tuple[tuple[Linear, int], ...]
    upper: tuple[tuple[Linear, int], ...]


def parameter_ranges(action: ImpartialAction) -> tuple[tuple[Range, ...], ...]:
    """For each cube of the precondition the ranges of the parameters, outermost first.

    Every applicable ground action is in the ranges of some cube; the precondition itself must
    still be tested.  Raises ``InputError`` at the action when a parameter is unbounded.
    """
    if not action.parameters:
        return ((),)
    found: dict[tuple[Range, ...], None] = {}
    for cube in _cubes(action):
        inequalities = _inequalities(cube)
        if inequalities is not None:
            found[_ranges(action, inequalities)] = None
    return tuple(found)


def _cubes(action: ImpartialAction) -> Iterator[tuple[ImpartialFormula, ...]]:
    def split(formula: ImpartialFormula) -> list[tuple[ImpartialFormula, ...]]:
        match formula:
            case ImpartialOr(parts):
                cubes = [cube for part in parts for cube in split(part)]
            case ImpartialAnd(parts):
                cubes = [
                    tuple(atom for cube in choice for atom in cube)
                    for choice in product(*map(split, parts))
                ]
            case _:
                return [(formula,)]
        if len(cubes) > MAX_CUBES:
            raise _error(action, f"a precondition with more than {MAX_CUBES} cases", "fewer 'or'")
        return cubes

    yield from split(without_not(action.precondition))


def _error(action: ImpartialAction, found: str, expected: str) -> InputError:
    place = action.place
    if place is None:
        return InputError(None, None, None, f"{found} in action {action.name}", expected)
    return InputError(
        place.file, place.line, place.column, f"{found} in action {action.name}", expected
    )


def _inequalities(cube: Iterable[ImpartialFormula]) -> set[Linear] | None:
    """Expressions that are at least 0 in the cube; ``None`` when it is plainly empty."""
    found: set[Linear] = set()
    for atom in cube:
        if not isinstance(atom, ImpartialComparison):
            continue
        difference = atom.difference
        match atom.relation:
            case ">=":
                found.add(difference)
            case ">":
                found.add(difference - 1)
            case "<=":
                found.add(-difference)
            case "<":
                found.add(-difference - 1)
            case "=":
                found |= {difference, -difference}
    if any(e.is_constant and e.constant < 0 for e in found):
        return None
    return {e for e in found if not e.is_constant}


def _ranges(action: ImpartialAction, inequalities: set[Linear]) -> tuple[Range, ...]:
    ranges: list[Range] = []
    for parameter in reversed(action.parameters):
        lower: set[tuple[Linear, int]] = set()
        upper: set[tuple[Linear, int]] = set()
        rest: set[Linear] = set()
        for expression in inequalities:
            factor = dict(expression.terms).get(parameter, 0)
            if not factor:
                rest.add(expression)
                continue
            other = Linear.of(
                {n: a for n, a in expression.terms if n != parameter}, expression.constant
            )
            # factor * k + other >= 0
            if factor > 0:
                lower.add((-other, factor))
            else:
                upper.add((other, -factor))
        if not lower or not upper:
            side = "above" if lower else "below"
            raise _error(
                action,
                f"the parameter ?{parameter}, unbounded {side},",
                "a precondition that bounds it",
            )
        for low, low_divisor in lower:
            for high, high_divisor in upper:
                shadow = high.scaled(low_divisor) - low.scaled(high_divisor)
                if not shadow.is_constant:
                    rest.add(shadow)
        if len(rest) > _MAX_INEQUALITIES:
            raise _error(action, "too many bounds of parameters", "a simpler precondition")
        inequalities = rest
        ranges.append(Range(parameter, _sorted_tuple(lower), _sorted_tuple(upper)))
    return tuple(reversed(ranges))


def _order(bound: tuple[Linear, int]) -> str:
    return f"{bound[0]}/{bound[1]}"


def _sorted_tuple(bounds: set[tuple[Linear, int]]) -> tuple[tuple[Linear, int], ...]:
    return tuple(sorted(bounds, key=_order))


# Finite boxes of legal states, and the values of formulas on many states at once


Column = npt.NDArray[np.int64]
Bits = npt.NDArray[np.bool_]


def linear_values(expression: Linear, columns: Mapping[str, Column]) -> Column:
    """The values of an expression on states given as one array for each variable."""
    length = len(next(iter(columns.values())))
    total = np.full(length, expression.constant, dtype=np.int64)
    for name, factor in expression.terms:
        total += factor * columns[name]
    return total


def formula_values(formula: ImpartialFormula, columns: Mapping[str, Column]) -> Bits:
    """The truth values of a formula on states given as one array for each variable."""
    match formula:
        case ImpartialComparison(relation):
            found: Bits = OPERATORS[relation](linear_values(formula.difference, columns), 0)
            return found
        case Congruence(_, modulus, _, equal):
            zero: Bits = linear_values(formula.difference, columns) % modulus == 0
            return zero if equal else ~zero
        case ImpartialAnd(parts):
            bits = formula_values(parts[0], columns)
            for part in parts[1:]:
                bits = bits & formula_values(part, columns)
            return bits
        case ImpartialOr(parts):
            bits = formula_values(parts[0], columns)
            for part in parts[1:]:
                bits = bits | formula_values(part, columns)
            return bits
        case ImpartialNot(part):
            return ~formula_values(part, columns)
        case Truth(value):
            return np.full(len(next(iter(columns.values()))), value)
    raise TypeError(f"no formula: {formula!r}")


def columns_of(variables: Sequence[str], states: Sequence[State]) -> dict[str, Column]:
    """One array for each variable, over ``states``."""
    table = np.array(states, dtype=np.int64).reshape(len(states), len(variables))
    return {name: table[:, i].copy() for i, name in enumerate(variables)}


@dataclass(frozen=True)
class Interval:
    """The values that the constraint leaves to one variable; ``None`` is no bound."""

    lower: int | None
    upper: int | None


def intervals(game: ImpartialGame) -> dict[str, Interval]:
    """The bounds of each variable that the constraint states outright.

    Conditions of one variable that the constraint has as a conjunct count, others do not.
    """
    constraint = without_not(game.constraint)
    parts = constraint.parts if isinstance(constraint, ImpartialAnd) else (constraint,)
    lower: dict[str, list[int]] = {name: [] for name in game.variables}
    upper: dict[str, list[int]] = {name: [] for name in game.variables}
    for part in parts:
        if not isinstance(part, ImpartialComparison) or len(part.difference.terms) != 1:
            continue
        ((name, factor),) = part.difference.terms
        constant = part.difference.constant
        for sign in _signs(part.relation):
            # sign * (factor * v + constant) >= offset, as one bound of v
            strict = part.relation in ("<", ">")
            if sign * factor > 0:
                lower[name].append(-((sign * constant - strict) // abs(factor)))
            else:
                upper[name].append((sign * constant - strict) // abs(factor))
    return {
        name: Interval(
            max(lower[name]) if lower[name] else None, min(upper[name]) if upper[name] else None
        )
        for name in game.variables
    }


def _signs(relation: str) -> tuple[int, ...]:
    return {"=": (1, -1), ">": (1,), ">=": (1,), "<": (-1,), "<=": (-1,)}.get(relation, ())


def box_states(game: ImpartialGame, states: int) -> list[State]:
    """Legal states in a box with about ``states`` points, sorted by sum and then by values.

    Variables that the constraint bounds to few values get all of them; the others share what
    is left alike.  A variable without a lower bound begins at minus a half of its share.
    """
    bounds = intervals(game)
    share = _shares(bounds, states)
    axes = []
    for name in game.variables:
        low, high, side = bounds[name].lower, bounds[name].upper, share[name]
        if low is None:
            low = -(side // 2) if high is None else high - side + 1
        last = low + side - 1
        axes.append(np.arange(low, last + 1 if high is None else min(last, high) + 1))
    grids = np.meshgrid(*axes, indexing="ij")
    columns = {
        name: grid.ravel().astype(np.int64)
        for name, grid in zip(game.variables, grids, strict=True)
    }
    if not len(next(iter(columns.values()))):
        return []
    legal = formula_values(game.constraint, columns)
    table = np.stack([columns[name][legal] for name in game.variables], axis=1)
    order = np.lexsort([*reversed(table.T), np.abs(table).sum(axis=1)])
    return [tuple(row) for row in table[order].tolist()]


def _shares(bounds: Mapping[str, Interval], states: int) -> dict[str, int]:
    """The number of values for each variable, so that the box has about ``states`` points."""
    widths = {
        name: one.upper - one.lower + 1
        for name, one in bounds.items()
        if one.lower is not None and one.upper is not None
    }
    share: dict[str, int] = {}
    left = states
    waiting = set(bounds)
    while waiting:
        side = max(2, int(left ** (1 / len(waiting)) + 1e-9))
        narrow = [name for name in waiting if widths.get(name, side + 1) <= side]
        if not narrow:
            return share | dict.fromkeys(waiting, side)
        for name in narrow:
            share[name] = max(1, widths[name])
            left = max(1, left // share[name])
            waiting.remove(name)
    return share


# The rules of an impartial game: moves, ends, and who wins, by backward induction


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
                f"a play of more than {counted(self.max_depth, 'ply')}, which may be endless"
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
