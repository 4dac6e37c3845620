"""What a level of a validation is asked of, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from qsage_validate.certificates.choose_oracle import OracleKind
from qsage_validate.errors import Undecided
from qsage_validate.games.bddl.checks import check_model
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.protocol import NotPlayableError, Player
from qsage_validate.problems.load import BoardProblem, Problem
from qsage_validate.proving.levels import Level
from qsage_validate.registry import load
from qsage_validate.system.limits import Limits, Progress, Stopwatch, Tell, telling
from qsage_validate.validation.finding import (
    Claimed,
    Finding,
    FindingKind,
    Proved,
    Refuted,
    Sampled,
    Unsupported,
    Verdict,
)

if TYPE_CHECKING:
    from qsage_validate.kernel.certificate import CircuitCertificate
    from qsage_validate.kernel.obligation import Obligation
    from qsage_validate.validation.proofs import LevelAnswer

NO_FUNCTIONS: Final = "the certificate is a part, and no functions of the rest are proved"
"""The reason why a level that needs all functions does not apply to a part of a certificate."""

_NO_MOVES = (FindingKind.ILLEGAL_REPLY, FindingKind.UNREADABLE_REPLY)

# How long the search may take that tells a wrong certificate from a wrong answer.
_SEARCH_SECONDS = 20.0


@dataclass(frozen=True)
class LevelResult:
    """One level's verdict, wall-clock seconds, and evidence for ``--json`` and the report.

    ``evidence`` holds JSON values only (counts, names, sizes).  ``obligation`` has the claims that
    a SAT solver has proved, where the level is such a proof.  ``completed`` has all functions of a
    certificate that was given in part, where they are proved.
    """

    level: Level
    verdict: Verdict
    seconds: float
    evidence: Mapping[str, object] = field(default_factory=dict)
    obligation: Obligation | None = field(default=None, compare=False, repr=False)
    completed: CircuitCertificate | None = field(default=None, compare=False, repr=False)

    @property
    def word(self) -> str:
        return {
            Proved: "proved",
            Refuted: "refuted",
            Sampled: "sampled",
            Claimed: "claimed",
            Undecided: "undecided",
            Unsupported: "not applicable",
        }[type(self.verdict)]

    @property
    def said(self) -> str:
        """The verdict in words, without the one of :attr:`word`."""
        text = str(self.verdict)
        return text if isinstance(self.verdict, Sampled) else text.partition(": ")[2]

    @property
    def findings(self) -> tuple[Finding, ...]:
        return self.verdict.findings if isinstance(self.verdict, Refuted) else ()

    def to_dict(self) -> dict[str, object]:
        """The fields, for ``--json``."""
        from qsage_validate.formats.json_text import snake_case

        return {
            "level": self.level.value,
            "number": self.level.number,
            "verdict": self.word,
            "text": str(self.verdict),
            "seconds": round(self.seconds, 3),
            "findings": [finding.to_dict() for finding in self.findings],
            "evidence": snake_case(self.evidence),
        }

    def __repr__(self) -> str:
        return f"<LevelResult {self.level.value}: {self.word}>"


def unsupported(level: Level, why: str) -> LevelResult:
    return LevelResult(level, Unsupported(why), 0.0)


class LevelInterrupted(KeyboardInterrupt):
    """Ctrl-C in the middle of a level; ``partial`` is its undecided or refuted result so far."""

    def __init__(self, partial: LevelResult) -> None:
        super().__init__(str(partial.verdict))
        self.partial = partial


@dataclass(frozen=True)
class ValidationOptions:
    """Options of a validation.

    ``levels`` in the order in which they are run; ``games``, ``seed`` and ``illegal`` are for
    random plays; ``limits`` are those of the whole, its positions those of the exhaustive
    adversary; ``jobs`` is the number of processes, ``trace`` the file of a solver's trace,
    of which ``generalised`` takes generalised axioms;
    ``obligations`` asks that results keep the claims that were proved.  ``minimal`` asks the
    kernel alone: nothing is merged, split or proved beforehand.  ``differences`` is how many
    differences between formula and game are looked for.
    """

    levels: tuple[Level, ...] = tuple(Level)
    games: int = 1000
    seed: int = 0
    illegal: float = 0.1
    limits: Limits = Limits(positions=200_000)  # noqa: RUF009 (frozen)
    jobs: int = 1
    checkpoint: str | None = None
    trace: str | None = None
    generalised: bool = False
    obligations: bool = False
    minimal: bool = False
    differences: int = 1


class ValidationRun:
    """What the levels of one validation share: the problem, the options, and each other's results.

    The problem stays as it is, so that levels can be asked in any order.
    """

    def __init__(self, problem: Problem, options: ValidationOptions, tell: Tell) -> None:
        self.problem = problem
        self.options = options
        self._tell = tell
        self.deadline = options.limits.deadline
        self._results: dict[Level, LevelResult | None] = {}

    def result(self, level: Level) -> LevelResult | None:
        """The result of a level, which is asked once; ``None`` where it cannot be asked."""
        if level not in self._results:
            ask: Callable[[ValidationRun], LevelResult | None] = load(level.place)
            try:
                result = ask(self)
                result = None if result is None else self._without_unsaid(result)
            except NotPlayableError as error:
                # What other levels prove, of the formula above all, holds all the same.
                why = f"the rules do not say how a play goes on: {error}"
                result = unsupported(level, why)
            self._results[level] = result
        return self._results[level]

    def begin(self, level: Level) -> Tell:
        """Report the level's question; the result is the callback for the level's progress."""
        self._tell(Progress(level.value, level.question))
        return telling(self._tell, level.value)

    def timed(self, level: Level, ask: Callable[[Tell], LevelAnswer]) -> LevelResult:
        """The answer to a level's question as its result; undecided when time is up."""
        if self.deadline.over:
            return LevelResult(level, Undecided("time was up before it began"), 0.0)
        watch = Stopwatch()
        answer = ask(self.begin(level))
        kept = answer.obligation if self.options.obligations else None
        return LevelResult(level, answer.verdict, watch.seconds, answer.evidence, obligation=kept)

    # -- the certificate --------------------------------------------------------------------

    @cached_property
    def played(self) -> Problem:
        """The problem, whose replays allow functions to look right only where some do."""
        looked = self.result(Level.DEPENDENCIES)
        # Without a formula there is no prefix to look to the right in.
        if looked is None or isinstance(looked.verdict, Proved):
            return self.problem.with_checked_dependencies()
        return self.problem

    @cached_property
    def whole(self) -> Problem | None:
        """The problem with all functions; ``None`` where a part is not proved to have them."""
        if self.problem.solving is None:
            return self.played
        result = self.result(Level.FORMULA)
        found = None if result is None else result.completed
        if found is None:
            return None
        return replace(self.played, certificate=found, solving=None, replayed=False)

    def replay(self, moves: Sequence[str]) -> str:
        """The command that replays a play with these moves of the opponent."""
        return "" if self.problem.certificate is None else self.played.replay(moves)

    def replay_blocks(self, blocks: Sequence[str]) -> str:
        """The command that replays a play with these blocks of the opponent's."""
        return "" if self.problem.certificate is None else self.played.replay_blocks(blocks)

    def with_replays(self, verdict: Verdict, problem: Problem) -> Verdict:
        """A verdict whose findings have commands that replay their plays on the board."""
        if not isinstance(verdict, Refuted) or not isinstance(problem, BoardProblem):
            return verdict
        return Refuted(tuple(_with_replay(problem, f) for f in verdict.findings))

    # -- the rules --------------------------------------------------------------------------

    def _without_unsaid(self, result: LevelResult) -> LevelResult:
        """A result without replies that are no legal moves, if the layout was found.

        No file says then what the formula makes of them: encoders let such a reply do nothing, or
        another move stand in its place.  Where a search on the rules finds that the opponent wins,
        the strategy is no winner's all the same.
        """
        verdict, problem = result.verdict, self.problem
        layout, certificate = problem.layout, problem.certificate
        asked = result.level in (Level.RANDOM, Level.EXHAUSTIVE, Level.RULES)
        if not (asked and isinstance(verdict, Refuted) and layout is not None and layout.is_found):
            return result
        sure = tuple(finding for finding in verdict.findings if finding.kind not in _NO_MOVES)
        if sure:
            return replace(result, verdict=Refuted(sure))
        if certificate is not None and self.winner_by_search is certificate.kind.player.other:
            return result
        why = "no file says what the formula makes of a reply that is no legal move"
        return replace(result, verdict=Undecided(f"{verdict.findings[0].text}; {why}"))

    def playable(self, result: LevelResult, problem: Problem) -> LevelResult:
        """A result of plays, where replies may rest on what no play gives a value to.

        A finding that rests on no such value refutes in any case.
        """
        if problem.assertions:
            from qsage_validate.arena.watch import watched

            result = replace(result, evidence={**result.evidence, "assertions": watched(problem)})
        if not isinstance(result.verdict, Refuted):
            return result
        findings = result.verdict.findings
        sure = tuple(finding for finding in findings if not finding.guessed)
        if sure:
            return replace(result, verdict=Refuted(sure))
        guessed = sorted({variable for finding in findings for variable in finding.guessed})
        return replace(result, verdict=self.guessed(result.verdict, guessed))

    def guessed(self, refuted: Refuted, read: Sequence[int]) -> Verdict:
        """The verdict for a lost play whose replies read variables ``read`` that are no moves.

        In the play these have a value that was fixed beforehand; with another one the strategy
        may win.  So the play alone refutes nothing; but where a search on the rules finds that
        the opponent wins, no values can help.
        """
        certificate, formula = self.problem.certificate, self.problem.formula
        hero = None if certificate is None else certificate.kind.player
        names = [str(v) if formula is None else formula.name(v) for v in read]
        shown = ", ".join(names[:4]) + ", …" * (len(names) > 4)
        why = f"{hero}'s functions read variables that are no moves ({shown}): no play shows them"
        winner = self.winner_by_search
        if winner is not None and hero is not None and winner is hero.other:
            return refuted
        if winner is None:
            return Undecided(f"{why}; with one value of them, {refuted.findings[0].text}")
        return Unsupported(why)

    def winner(self, results: Sequence[LevelResult]) -> Player | None:
        """The winner by the rules, searched only after a certificate has failed."""
        game = self.problem.game
        failed = any(
            result.level in (Level.DEPENDENCIES, Level.FORMULA)
            and isinstance(result.verdict, Refuted)
            for result in results
        )
        return self.winner_by_search if game is not None and failed else None

    @cached_property
    def winner_by_search(self) -> Player | None:
        """The winner by a search on the rules, as far as it ends in time."""
        from qsage_validate.solvers.search import search_for

        game = self.problem.claimed_game
        if game is None:
            return None
        limits = Limits(self.deadline.sooner(_SEARCH_SECONDS), positions=5_000_000)
        return search_for(game, limits=limits).solve().winner

    def model_warnings(self) -> list[str]:
        """The doubtful points of the model of the rules."""
        game = self.problem.game
        if not isinstance(game, BddlGame):
            return []
        return [str(found) for found in check_model(game.model)]


def _with_replay(problem: BoardProblem, finding: Finding) -> Finding:
    # An assertion may be broken before the first move.
    shown = finding.moves or finding.kind is FindingKind.ASSERTION_BROKEN
    if finding.replay or not shown or finding.kind is FindingKind.LAYOUT_DIFFERS:
        return finding
    moves = finding.moves
    if finding.kind is FindingKind.LEGALITY_DIFFERS and len(moves) == finding.ply:
        moves = moves[:-1]  # the last one is a move that nobody can say
    from qsage_validate.arena.open import open_play_engine

    play_engine = open_play_engine(problem, problem.oracle(OracleKind.SAT))
    return finding.with_replay(problem.replay(play_engine.opponent_moves(moves)))
