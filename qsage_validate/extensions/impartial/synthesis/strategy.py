"""Strategies: rules of a condition and a semi-ground action, with text form and answers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from qsage_validate.errors import InputError
from qsage_validate.extensions.impartial.formula import ImpartialFormula, Linear
from qsage_validate.extensions.impartial.infix import parse_expression, parse_formula
from qsage_validate.extensions.impartial.model import ImpartialGame
from qsage_validate.extensions.impartial.moves import State
from qsage_validate.extensions.impartial.rules import ImpartialMove
from qsage_validate.extensions.impartial.synthesis.semi_ground import SemiGround
from qsage_validate.extensions.impartial.synthesis.transitions import outcomes
from qsage_validate.formats.source import Source, quoted

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
            f"{len(words)} arguments",
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
