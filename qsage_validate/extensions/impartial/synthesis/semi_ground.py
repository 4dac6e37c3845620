"""Semi-ground actions: an action with expressions over the state for its parameters.

Candidates are read off single moves: each parameter's value in a state is written as a number,
as a variable, or as a variable or a difference of two variables plus a small number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product
from typing import Final

from qsage_validate.extensions.impartial.formula import Linear
from qsage_validate.extensions.impartial.model import ImpartialAction, ImpartialGame
from qsage_validate.extensions.impartial.moves import State, semi_ground_text
from qsage_validate.extensions.impartial.rules import ImpartialMove

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
