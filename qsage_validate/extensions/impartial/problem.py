"""A game with heaps and its strategy as a problem, and the referee of its plays.

Where no rule fires the player to move is lost, says the strategy; it then makes the first legal
move.  A winning formula without rules is a strategy too: any move to a state that it calls
losing.

A strategy's moves are compared with the rules of the game: each reply must be legal and leave a
state that is losing.  Losing is what backward induction says where the states are few enough, and
what the winning formula says everywhere; the two must agree.
"""

from __future__ import annotations

import os
import random
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

from qsage_validate.errors import UndecidedError, UsageError
from qsage_validate.extensions.impartial.formula import ImpartialFormula, disjunction
from qsage_validate.extensions.impartial.heap_game import HeapGame
from qsage_validate.extensions.impartial.model import ImpartialGame, state_text
from qsage_validate.extensions.impartial.moves import State, intervals
from qsage_validate.extensions.impartial.parser import parse_formula
from qsage_validate.extensions.impartial.rules import (
    EndlessGameError,
    ImpartialMove,
    ImpartialRules,
    illegality,
    state_after,
)
from qsage_validate.extensions.impartial.synthesis.report import (
    SynthesisOptions,
    Verdict,
    proved_rules,
    reason,
    synthesise,
)
from qsage_validate.extensions.impartial.synthesis.strategy import (
    ImpartialRule,
    ImpartialStrategy,
    parse_strategy,
)
from qsage_validate.formats.json_text import parse_json
from qsage_validate.formats.source import Source
from qsage_validate.games.protocol import Player
from qsage_validate.system.limits import Deadline
from qsage_validate.system.progress import Tell
from qsage_validate.validation.finding import FindingKind

# The strategy of synthesised rules: the rule that fires says what to play


@dataclass(frozen=True, slots=True)
class RuleReply:
    """A move and where it comes from.

    ``rule`` is the number, from 0, of the rule that fired; ``None`` when the formula alone
    chose the move or none wins.  The move of a wrong rule need not be legal.
    """

    move: ImpartialMove
    rule: int | None


@dataclass(frozen=True)
class RuleStrategy:
    """Rules with the winning formula that they belong to; ``strategy`` may be missing.

    With ``ends_win`` states without a move are winning whatever the formula says of them.
    """

    rules: ImpartialRules
    formula: ImpartialFormula
    strategy: ImpartialStrategy | None
    ends_win: bool = False

    @classmethod
    def of_rules(cls, rules: ImpartialRules, strategy: ImpartialStrategy) -> RuleStrategy:
        """Rules alone: a state is winning where one of them fires.

        In misère play states without a move are winning as well, though there is no rule.
        """
        parts = [rule.condition for rule in strategy.rules]
        return cls(rules, disjunction(parts), strategy, ends_win=rules.misere)

    @property
    def all_rules(self) -> Sequence[ImpartialRule]:
        """The rules in their order; none where there is a formula only."""
        return () if self.strategy is None else self.strategy.rules

    def winning(self, state: State) -> bool:
        """True if the player to move wins, as the formula says."""
        if self.formula.holds(self.rules.game.state(state)):
            return True
        return self.ends_win and next(self.rules.moves(state), None) is None

    def reply(self, state: State) -> RuleReply | None:
        """The move in ``state``; ``None`` when the player to move has none."""
        if next(self.rules.moves(state), None) is None:
            return None
        if self.strategy is not None:
            fired = self.strategy.fires(self.rules.game, state)
            if fired is not None:
                return RuleReply(fired[1], fired[0])
        elif self.winning(state):
            found = self.winning_move(state)
            if found is not None:
                return RuleReply(found, None)
        return RuleReply(next(self.rules.moves(state)), None)

    def winning_move(self, state: State) -> ImpartialMove | None:
        """A legal move to a state that the formula calls losing; ``None``: there is none."""
        return next((m for m in self.rules.moves(state) if not self.winning(m.after)), None)


# Plays of an impartial game, from the game's file and rules that are read or synthesised


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


# The referee of impartial games: rules, formula and strategy side by side, state by state


SECONDS: Final = 2.0
"""The time that backward induction may take for a state."""

LISTED: Final = 10_000
"""The largest sum of a state's values up to which all legal moves are listed for a reply."""

# After a state that took too long none is tried whose values have more than this part of its sum.
_SMALLER: Final = 4


@dataclass(frozen=True, slots=True)
class Objection:
    """Something that is wrong: the kind of finding, what it is, and the rule concerned."""

    kind: FindingKind
    detail: str
    rule: str | None = None


class HeapReferee:
    """Compares a strategy with the rules; labels of states are kept from call to call."""

    def __init__(self, strategy: RuleStrategy, *, seconds: float = SECONDS) -> None:
        """``seconds`` is the time for the backward induction of one state; 0 is none."""
        self.strategy = strategy
        # Rules of its own: their labels share nothing with those that a synthesis has used.
        self.rules = ImpartialRules(strategy.rules.game, misere=strategy.rules.misere)
        self._seconds = seconds
        self._too_large: int | None = None if seconds else 0

    def truth(self, state: State) -> bool | None:
        """True if the player to move wins, by backward induction.

        ``None``: too many states, or plays that come back to a state.
        """
        size = sum(map(abs, state))
        if self._too_large is not None and size >= self._too_large:
            return self.rules.labels.get(state)
        self.rules.deadline = Deadline.after(self._seconds)
        try:
            return self.rules.winning(state)
        except EndlessGameError:
            return None
        except UndecidedError:
            self._too_large = size // _SMALLER
            return None

    def state(self, state: State, before: State | None = None) -> list[Objection]:
        """The objections to the formula at ``state``, to which ``before`` has a legal move."""
        said, truth = self.strategy.winning(state), self.truth(state)
        if truth is not None and said != truth:
            who = "wins" if truth else "loses"
            detail = f"it says that {self._shown(state)} is {_word(said)}, but by the rules the "
            return [Objection(FindingKind.FORMULA_DIFFERS, f"{detail}player to move {who}")]
        if next(self.rules.moves(state), None) is None:
            if said is not self.rules.misere:
                detail = f"it says that {self._shown(state)} is {_word(said)}, where nobody can "
                return [Objection(FindingKind.FORMULA_DIFFERS, f"{detail}move")]
            return []
        if before is not None and not said and not self.strategy.winning(before):
            detail = f"it says that {self._shown(before)} is losing, but a move leads from there "
            detail += f"to {self._shown(state)}, which it says is losing too"
            return [Objection(FindingKind.FORMULA_DIFFERS, detail)]
        return []

    def reply(self, state: State, reply: RuleReply) -> list[Objection]:
        """The objections to the strategy's ``reply`` in ``state``, where there is a move.

        An objection of the kind ``ILLEGAL_REPLY`` comes alone: nothing follows such a reply.
        """
        rule = None if reply.rule is None else self._rule(reply.rule)
        move, winning = reply.move, self.strategy.winning(state)
        problem = illegality(self.rules, state, move.name, move.arguments)
        listed = sum(map(abs, state)) <= LISTED
        if problem is None and listed and not self.rules.allows(state, move):
            text = f"{move} is not among the legal moves, but no precondition forbids it"
            return [Objection(FindingKind.LEGALITY_DIFFERS, text, rule)]
        if problem is not None:
            return [Objection(FindingKind.ILLEGAL_REPLY, problem.text, rule)]
        found: list[Objection] = []
        if move.after != self._after(state, reply):
            detail = f"{move} leads to {self._shown(self._after(state, reply))}"
            found.append(Objection(FindingKind.BOARD_DIFFERS, detail, rule))
        if not winning:
            if rule is not None:
                detail = f"{self._shown(state)} is losing, says the formula"
                found.append(Objection(FindingKind.RULE_MISFIRES, detail, rule))
            return found
        if rule is None and self.strategy.strategy is not None:
            detail = f"{self._shown(state)} is winning, says the formula"
            found.append(Objection(FindingKind.RULES_SILENT, detail))
        elif self.strategy.winning(move.after) or self.truth(move.after):
            who = "the formula says" if self.strategy.winning(move.after) else "by the rules"
            detail = f"{move} leaves {self._shown(move.after)}, which is winning, {who}"
            found.append(Objection(FindingKind.REPLY_FAILS, detail, rule))
        return found

    def _after(self, state: State, reply: RuleReply) -> State:
        game = self.rules.game
        action = game.actions[reply.move.action]
        chosen = dict(zip(action.parameters, reply.move.arguments, strict=True))
        return state_after(action, game.variables, state, chosen)

    def _rule(self, number: int) -> str:
        return self.strategy.all_rules[number].text(self.rules.game)

    def _shown(self, state: State) -> str:
        return state_text(self.rules.game.variables, state)


def _word(winning: bool) -> str:
    return "winning" if winning else "losing"
