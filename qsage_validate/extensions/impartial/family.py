"""Families of impartial games, and the functions that build their games from words."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from qsage_validate.extensions.impartial.formula import TRUE, Linear, conjunction
from qsage_validate.extensions.impartial.model import (
    ImpartialAction,
    ImpartialEffect,
    ImpartialGame,
)
from qsage_validate.extensions.impartial.parser import parse_expression, parse_formula

CATEGORIES: Final = ("Sub", "Nim", "Welter", "Wythoff", "Chomp")
"""The categories of the published benchmark; a family's number begins with theirs."""

PUBLISHED: Final = "published"
REPAIRED: Final = "repaired"

Parameter = tuple[str, int | str]
Build = Callable[[], ImpartialGame]


@dataclass(frozen=True)
class FamilyGame:
    """One game of a family, in two variants: as it was published, and repaired.

    ``published`` is ``None`` when the published file is no game at all; ``repaired`` is ``None``
    when nothing had to be repaired.  ``defect`` says what had to be.
    """

    name: str
    parameters: tuple[Parameter, ...]
    published: Build | None
    repaired: Build | None = None
    defect: str = ""

    def make(self, variant: str = REPAIRED) -> ImpartialGame:
        """The game; raises ``ValueError`` for a published variant that is no game."""
        build = self.published if variant == PUBLISHED else self.repaired or self.published
        if build is None:
            raise ValueError(f"{self.name} was published as a file that is no game")
        return replace(build(), name=self.name)


@dataclass(frozen=True)
class ImpartialFamily:
    """Games of one kind: ``number`` is that of the benchmark's class, as in ``2.8``."""

    number: str
    title: str
    games: tuple[FamilyGame, ...]

    @property
    def category(self) -> str:
        """The category in the paper's Table 4."""
        return CATEGORIES[int(self.number.partition(".")[0]) - 1]


def each(
    slug: str,
    build: Callable[..., ImpartialGame],
    values: Iterable[tuple[tuple[str, int], ...]] = ((),),
    dash: str = "-",
) -> tuple[FamilyGame, ...]:
    """A game for each choice of its parameters' values, which stand in its name."""
    games = []
    for parameters in values:
        numbers = [number for _, number in parameters]
        name = dash.join(filter(None, (slug, "-".join(map(str, numbers)))))
        games.append(FamilyGame(name, parameters, partial(build, *numbers)))
    return tuple(games)


# --- Games in words -------------------------------------------------------------------------


@dataclass(frozen=True)
class FamilyMove:
    """An action in words: ``("take", "k", "k > 0 and v1 >= k", ("v1 := v1 - k",))``.

    An effect may have a condition: ``v2 := k - 1 if v2 >= k``.
    """

    name: str
    parameters: str
    condition: str
    effects: tuple[str, ...]


def game(
    variables: Iterable[str], constraint: str, ending: str, moves: Iterable[FamilyMove]
) -> ImpartialGame:
    """The model of a game in words; its name is still empty."""
    names = tuple(variables)
    actions = tuple(_action(names, move) for move in moves)
    legal, ends = parse_formula(constraint, names), parse_formula(ending, names)
    return ImpartialGame("", names, actions, legal, ends)


def _action(variables: tuple[str, ...], move: FamilyMove) -> ImpartialAction:
    parameters = tuple(move.parameters.split())
    known = (*variables, *parameters)
    effects = []
    for text in move.effects:
        variable, _, rest = text.partition(" := ")
        value, _, condition = rest.partition(" if ")
        when = parse_formula(condition, known) if condition else TRUE
        effects.append(ImpartialEffect(variable, parse_expression(value, known), when))
    return ImpartialAction(
        move.name, parameters, parse_formula(move.condition, known), tuple(effects)
    )


def closed(game: ImpartialGame) -> ImpartialGame:
    """The game without the moves that leave its legal states; no effect may have a condition."""
    actions = []
    for action in game.actions:
        assert all(effect.condition == TRUE for effect in action.effects)
        after: dict[str, Linear] = {e.variable: e.expression for e in action.effects}
        legal = game.constraint.substitute(after)
        actions.append(replace(action, precondition=conjunction((action.precondition, legal))))
    return replace(game, actions=tuple(actions))


def every(parts: Iterable[str]) -> str:
    """All of the conditions."""
    return " and ".join(parts)


def some(parts: Iterable[str]) -> str:
    """One of the conditions, in parentheses."""
    return f"({' or '.join(f'({part})' for part in parts)})"


def piles(count: int) -> tuple[str, ...]:
    """The names of so many piles: ``v1``, ``v2``, ..."""
    return tuple(f"v{i}" for i in range(1, count + 1))


def at_least(names: Iterable[str], least: int = 0) -> str:
    """Each of the variables is at least so large."""
    return every(f"{name} >= {least}" for name in names)


def all_are(names: Iterable[str], value: int) -> str:
    """Each of the variables has this value."""
    return every(f"{name} = {value}" for name in names)


def take(number: int, *conditions: str) -> FamilyMove:
    """Take ``k`` tokens, at least one, from the pile of that number, under further conditions."""
    pile = f"v{number}"
    condition = every((f"{pile} >= k", "k > 0", *conditions))
    return FamilyMove(f"take{number}", "k", condition, (f"{pile} := {pile} - k",))


def bounded(constraint: str, name: str, bound: int | None) -> str:
    """The constraint, and that the variable is at most ``bound`` if that is a number."""
    return constraint if bound is None else f"{constraint} and {name} <= {bound}"


def bound_parameter(name: str, bound: int | None) -> tuple[Parameter, ...]:
    """The parameter that a bound is, if it is one."""
    return () if bound is None else ((f"{name} <=", bound),)


def bound_suffix(bound: int | None) -> str:
    """The suffix of a game's name that stands for a bound; empty without a bound."""
    return "" if bound is None else f"-le-{bound}"
