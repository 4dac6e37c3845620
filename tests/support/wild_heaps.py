"""Random impartial games whose plays need not end, and who wins them by retrograde analysis.

The rules here are read off the typed model and share no code with the project's: every value of
every parameter is tried, and a position from which nobody can force a win is drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise, product
from random import Random

from qsage_validate.extensions.impartial.model import (
    TRUE,
    Congruence,
    ImpartialAction,
    ImpartialComparison,
    ImpartialEffect,
    ImpartialFormula,
    ImpartialGame,
    Linear,
    conjunction,
    disjunction,
)
from qsage_validate.extensions.impartial.termination import EndlessPlay
from tests.support.impartial_games import legal, naive_successors

State = tuple[int, ...]


def number(value: int) -> Linear:
    return Linear((), value)


def finite_game(random: Random) -> ImpartialGame:
    """One heap of 0 to at most 6 tokens; actions lead from one number to another, anywhere.

    Ends have no moves and no move leaves the legal states, so that the three constraints of a
    winning formula ask for nothing but who wins.
    """
    most = random.randint(2, 6)
    v = Linear.variable("v")
    end = random.randint(0, most)
    actions = []
    for index in range(random.randint(1, 2 * most)):
        before = random.choice([n for n in range(most + 1) if n != end])
        down = [n for n in range(most + 1) if n < before] or [end]
        after = random.choice(down if random.random() < 0.7 else range(most + 1))
        effect = ImpartialEffect("v", number(after))
        actions.append(
            ImpartialAction(f"a{index}", (), ImpartialComparison("=", v, number(before)), (effect,))
        )
    constraint = conjunction(
        (ImpartialComparison(">=", v), ImpartialComparison("<=", v, number(most)))
    )
    ending = ImpartialComparison("=", v, number(end))
    return ImpartialGame("finite", ("v",), tuple(actions), constraint, ending)


def wild_game(random: Random) -> ImpartialGame:
    """One or two heaps, often without an upper or a lower bound, that may grow and shrink."""
    names = ("v1", "v2")[: random.randint(1, 2)]
    legal_parts: list[ImpartialFormula] = []
    for name in names:
        v = Linear.variable(name)
        if random.random() < 0.85:
            legal_parts.append(ImpartialComparison(">=", v, number(random.choice([0, 0, 0, -3]))))
        if random.random() < 0.4:
            legal_parts.append(ImpartialComparison("<=", v, number(random.randint(1, 6))))
    actions = []
    for index in range(random.randint(1, 3)):
        target = random.choice(names)
        v, k = Linear.variable(target), Linear.variable("k")
        parts: list[ImpartialFormula] = [
            ImpartialComparison(">=", k, number(1)),
            ImpartialComparison("<=", k, number(2)),
        ]
        for _ in range(random.randint(0, 2)):
            one = Linear.variable(random.choice(names))
            kind = random.choice(["<=", ">=", "=", "!=", "%", "pair"])
            if kind == "%":
                modulus = random.choice([2, 3])
                parts.append(Congruence(one, modulus, number(random.randrange(modulus))))
            elif kind == "pair":
                parts.append(
                    ImpartialComparison(random.choice(["<", ">="]), v, one + random.randint(0, 2))
                )
            else:
                parts.append(ImpartialComparison(kind, one, number(random.randint(-1, 6))))
        other = Linear.variable(random.choice(names))
        value = random.choice([v - k, v - k, v - k, v + k, other - k, number(2) - k, v + other - k])
        effects = [ImpartialEffect(target, value)]
        if len(names) == 2 and random.random() < 0.4:
            second = names[1 - names.index(target)]
            w = Linear.variable(second)
            when = random.choice(
                [TRUE, ImpartialComparison("<", v, w), ImpartialComparison("=", k, number(1))]
            )
            effects.append(
                ImpartialEffect(second, random.choice([w + k, w - 1, v, number(3)]), when)
            )
        actions.append(ImpartialAction(f"a{index}", ("k",), conjunction(parts), tuple(effects)))
    ending = ImpartialComparison("=", Linear.variable(names[0]), number(random.randint(0, 2)))
    return ImpartialGame("wild", names, tuple(actions), conjunction(legal_parts), ending)


def successors(game: ImpartialGame, state: State) -> set[State]:
    """The states after the legal moves; none at an end."""
    if game.ending.holds(dict(zip(game.variables, state, strict=True))):
        return set()
    return {after for after in naive_successors(game, state) if legal(game, after)}


def graph(game: ImpartialGame, states: Iterable[State], most: int) -> dict[State, set[State]]:
    """The moves from ``states`` and from what they lead to, up to ``most`` states."""
    found: dict[State, set[State]] = {}
    waiting = [state for state in states if legal(game, state)]
    while waiting and len(found) < most:
        state = waiting.pop()
        if state not in found:
            found[state] = successors(game, state)
            waiting += found[state] - found.keys()
    return found


def has_cycle(moves: Mapping[State, set[State]]) -> bool:
    """Whether some play comes back to a state: what is left when ends are cut off has no end."""
    left = {state: after & moves.keys() for state, after in moves.items()}
    while True:
        ends = {state for state, after in left.items() if not after}
        if not ends:
            return bool(left)
        left = {s: after - ends for s, after in left.items() if s not in ends}


def outcomes(
    moves: Mapping[State, set[State]], *, misere: bool = False
) -> dict[State, bool | None]:
    """Who wins: true is the player to move, ``None`` nobody (the play can be kept up for ever)."""
    found: dict[State, bool | None] = {s: misere for s, after in moves.items() if not after}
    while True:
        new: dict[State, bool | None] = {}
        for state, after in moves.items():
            if state in found:
                continue
            if any(found.get(s) is False for s in after):
                new[state] = True
            elif all(found.get(s) is True for s in after):
                new[state] = False
        if not new:
            return {state: found.get(state) for state in moves}
        found |= new


def all_states(game: ImpartialGame, low: int, high: int) -> list[State]:
    """The legal states of a cube."""
    states = product(range(low, high + 1), repeat=len(game.variables))
    return [state for state in states if legal(game, state)]


def one_of(states: Iterable[State], variables: tuple[str, ...]) -> ImpartialFormula:
    """The formula that holds in ``states`` alone."""
    return disjunction(
        conjunction(
            ImpartialComparison("=", Linear.variable(name), number(value))
            for name, value in zip(variables, state, strict=True)
        )
        for state in states
    )


def goes_on(game: ImpartialGame, play: EndlessPlay, plies: int = 60) -> bool:
    """Whether the play is legal and goes on: round a cycle, or as its moves and numbers grow."""
    for (before, after), move in zip(pairwise(play.states), play.moves, strict=True):
        if _apply(game, move.action, move.arguments, before) != after:
            return False
    if play.states[-1] == play.states[0]:
        return True
    return _grows(game, play, plies) or _repeats(game, play, plies)


def _apply(game: ImpartialGame, index: int, arguments: State, state: State) -> State | None:
    """The state after a ground action, if it is a legal move."""
    action = game.actions[index]
    values = dict(zip(game.variables, state, strict=True))
    full = values | dict(zip(action.parameters, arguments, strict=True))
    if game.ending.holds(values) or not action.precondition.holds(full):
        return None
    for effect in reversed(action.effects):
        if effect.condition.holds(full):
            values[effect.variable] = effect.expression.value(full)
    after = tuple(values[name] for name in game.variables)
    return after if legal(game, after) else None


def _grows(game: ImpartialGame, play: EndlessPlay, plies: int) -> bool:
    """Two periods are shown; further ones have numbers that grow by the same amounts."""
    period = len(play.moves) // 2
    state = play.states[0]
    for ply in range(plies):
        time, place = divmod(ply, period)
        first, second = play.moves[place], play.moves[place + period]
        arguments = tuple(
            one + time * (two - one)
            for one, two in zip(first.arguments, second.arguments, strict=True)
        )
        after = _apply(game, first.action, arguments, state)
        if after is None:
            return False
        state = after
    return True


def _repeats(game: ImpartialGame, play: EndlessPlay, plies: int) -> bool:
    """The last move, again and again."""
    state, move = play.states[-1], play.moves[-1]
    for _ in range(plies):
        after = _apply(game, move.action, move.arguments, state)
        if after is None:
            return False
        state = after
    return True
