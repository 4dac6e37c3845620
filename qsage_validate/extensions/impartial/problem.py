"""Plays of an impartial game, from the game's file and rules that are read or synthesised."""

from __future__ import annotations

import os
import random
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

from qsage_validate.errors import UndecidedError, UsageError
from qsage_validate.extensions.impartial.boxes import intervals
from qsage_validate.extensions.impartial.formula import ImpartialFormula
from qsage_validate.extensions.impartial.heap_game import HeapGame
from qsage_validate.extensions.impartial.infix import parse_formula
from qsage_validate.extensions.impartial.model import ImpartialGame, state_text
from qsage_validate.extensions.impartial.moves import State
from qsage_validate.extensions.impartial.rule_strategy import RuleStrategy
from qsage_validate.extensions.impartial.rules import ImpartialRules
from qsage_validate.extensions.impartial.synthesis.report import proved_rules, reason
from qsage_validate.extensions.impartial.synthesis.smt.session import (
    SynthesisOptions,
    Verdict,
    synthesise,
)
from qsage_validate.extensions.impartial.synthesis.strategy import ImpartialStrategy, parse_strategy
from qsage_validate.formats.json_text import parse_json
from qsage_validate.formats.source import Source
from qsage_validate.games.protocol import Player
from qsage_validate.system.progress import Tell

MAX_STATES: Final = 1_000_000
"""The largest number of states that an exhaustive opponent looks at."""

REPORT: Final = "report.json"
"""The file of a synthesis' folder that has the formula and the rules."""

# How many states are drawn before there seems to be none with a move.
_DRAWS = 20_000


@dataclass(frozen=True)
class HeapProblem:
    """Everything that plays of a game against a strategy need.

    ``words`` are those of the command line that name game and rules; ``origin`` says where the
    rules come from.
    """

    words: tuple[str, ...]
    strategy: RuleStrategy
    origin: str

    @property
    def rules(self) -> ImpartialRules:
        return self.strategy.rules

    @property
    def game(self) -> ImpartialGame:
        return self.strategy.rules.game

    def begins(self, start: State) -> Player:
        """The player who begins unless told otherwise: the side with which the strategy wins."""
        return Player.BLACK if self.strategy.winning(start) else Player.WHITE

    def notes(self, game: HeapGame) -> tuple[str, ...]:
        """Facts worth telling at the start of a play."""
        word = "winning" if self.strategy.winning(game.start) else "losing"
        play = "misère play: whoever cannot move wins" if self.rules.misere else "normal play"
        rules = [
            f"rule {number}: {rule.text(self.game)}"
            for number, rule in enumerate(self.strategy.all_rules, start=1)
        ]
        return (
            f"{self.origin}; {play}",
            f"winning formula: {self.strategy.formula}",
            *rules,
            f"{game.first_player} begins; the start is {word} for {game.first_player}",
            *self._endless(game),
        )

    def _endless(self, game: HeapGame) -> Iterator[str]:
        if game.endless is not None:
            state = state_text(self.game.variables, game.endless)
            yield (
                f"play need not end: it can come back to {state}; all that is said of winning and "
                "losing holds if plays end"
            )

    def replay(self, start: State, first: Player) -> Callable[[Sequence[str]], str]:
        """Makes the command that plays White's moves again from ``start``."""
        state = state_text(self.game.variables, start).replace(" = ", "=").replace(",", "")

        def command(moves: Sequence[str]) -> str:
            words = [*self.words, "--state", state, "--begins", first.value]
            return shlex.join(["qsage-play", *words, "--moves", " ".join(moves)])

        return command


def load_heaps(
    game: ImpartialGame,
    words: Sequence[str],
    path: str | None,
    *,
    misere: bool,
    seconds: float,
    tell: Tell,
) -> HeapProblem:
    """The play of ``game`` against the rules in ``path``, or against synthesised ones.

    Raises ``InputError`` for rules that cannot be read, ``UsageError`` for a game without a
    winning formula, ``UndecidedError`` when none is found in ``seconds``.
    """
    if path is not None:
        strategy, origin = load_rules(game, path, misere=misere)
        words = [*words, "--rules", path]
    else:
        strategy, origin = synthesised(game, misere=misere, seconds=seconds, tell=tell)
    words = [*words, "--misere"] if misere else words
    return HeapProblem(tuple(words), strategy, origin)


def synthesised(
    game: ImpartialGame, *, misere: bool, seconds: float, tell: Tell
) -> tuple[RuleStrategy, str]:
    """A strategy that is found, proved and cross-checked now, and a note about it.

    Where it is not proved that every play ends, the note says so.
    """
    result = synthesise(game, SynthesisOptions(strategy=True, misere=misere, seconds=seconds), tell)
    if result.verdict is Verdict.IMPOSSIBLE:
        raise UsageError(
            f"{game.name}: found no winning formula ({result.formula.reason}), expected a game "
            "that has one, or --rules FILE"
        )
    formula = result.found or result.found_if_plays_end
    if formula is None:
        raise UndecidedError(f"{game.name}: no winning formula ({reason(result)})")
    rules = ImpartialRules(game, misere=misere)
    known = "synthesised and proved"
    if result.found is None:
        known = f"synthesised, right if plays end ({result.termination})"
    found = proved_rules(result)
    if found is None:
        return RuleStrategy(rules, formula, None), f"formula {known}, no rules"
    count = f"{len(found.rules)} rule{'s' * (len(found.rules) != 1)}"
    return RuleStrategy(rules, formula, found), f"{count} {known}"


def load_rules(game: ImpartialGame, path: str, *, misere: bool) -> tuple[RuleStrategy, str]:
    """The strategy of a file of rules, or of a report of ``qsage synthesize -o``.

    ``path`` may be the report's folder.  Rules without a report are their own formula: a state
    is winning where one of them fires.
    """
    rules = ImpartialRules(game, misere=misere)
    if os.path.isdir(path):
        path = os.path.join(path, REPORT)
    source = Source.open(path)
    if not source.text.lstrip().startswith("{"):
        strategy = parse_strategy(source.text, game, source.path)
        return RuleStrategy.of_rules(rules, strategy), _read(strategy, path)
    formula, found = _report(game, source, misere)
    return RuleStrategy(rules, formula, found), _read(found, path)


def _read(strategy: ImpartialStrategy | None, path: str) -> str:
    count = 0 if strategy is None else len(strategy.rules)
    return f"{count or 'no'} rule{'s' * (count != 1)} of {path}, which nothing has proved here"


def _report(
    game: ImpartialGame, source: Source, misere: bool
) -> tuple[ImpartialFormula, ImpartialStrategy | None]:
    """The formula and the rules of a report in JSON."""
    data = parse_json(source, "a report")
    variables = data["variables"].each(lambda name: isinstance(name, str), "a name")
    if list(variables) != list(game.variables):
        found = f"a report on the variables {', '.join(variables)}"
        raise data["variables"].error(found, ", ".join(game.variables))
    mark = data.given("misere")
    if (mark is not None and mark.boolean()) is not misere:
        found, wanted = ("normal", "misère") if misere else ("misère", "normal")
        raise (mark or data).error(f"a report on {found} play", f"{wanted} play")
    text = data.given("formula") or data.given("formula_if_plays_end")
    if text is None:
        raise data.error("a report without a formula", "a proved formula")
    formula = parse_formula(text.text(), game.variables, source.path)
    strategy = data.given("strategy")
    rules = None if strategy is None else strategy.given("rules")
    lines = "\n".join(
        f"{rule['condition'].line()} -> {rule['action'].line()}"
        for rule in ([] if rules is None else rules.items())
    )
    return formula, parse_strategy(lines, game, source.path) if lines else None


# -- states ---------------------------------------------------------------------------------


def _ranges(game: ImpartialGame, bound: int) -> list[range]:
    """The values from 0, or from where the constraint begins, up to ``bound``."""
    found = []
    for name, one in intervals(game).items():
        assert name in game.variables
        low = one.lower if one.lower is not None else min(0, one.upper or 0)
        high = bound if one.upper is None else min(bound, one.upper)
        found.append(range(low, high + 1))
    return found


def bounded_states(rules: ImpartialRules, bound: int) -> list[State]:
    """All legal states with variables up to ``bound``; raises ``UsageError`` for too many."""
    ranges = _ranges(rules.game, bound)
    count = 1
    for one in ranges:
        count *= len(one)
    if count > MAX_STATES:
        raise UsageError(f"found {count:,} states up to {bound}, expected at most {MAX_STATES:,}")
    return [state for state in product(*ranges) if rules.is_legal(state)]


def random_state(rules: ImpartialRules, bound: int, generator: random.Random) -> State:
    """A legal state with a move, its variables up to ``bound``; raises ``UsageError``."""
    ranges = _ranges(rules.game, bound)
    for _ in range(_DRAWS if all(ranges) else 0):
        state = tuple(generator.choice(one) for one in ranges)
        if rules.is_legal(state) and next(rules.moves(state), None) is not None:
            return state
    raise UsageError(f"found no state up to {bound} with a move, expected another --bound")
