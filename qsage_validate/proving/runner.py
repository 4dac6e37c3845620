"""Runs the levels of a validation, one after the other, and gathers a report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from qsage_validate import __version__
from qsage_validate.arena.open import open_play_engine, watched
from qsage_validate.certificates.checker.functions import NotDefinitionalError
from qsage_validate.certificates.oracles.choose import OracleKind
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.layout.layout import variables_of
from qsage_validate.errors import Undecided
from qsage_validate.games.bddl.checks import check_model
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.protocol import NotPlayableError, Player, TwoPlayerGame
from qsage_validate.judging.encoding import judge
from qsage_validate.kernel.certificate import Certificate, CircuitCertificate
from qsage_validate.problems.files import Files
from qsage_validate.problems.load import Problem, why_no_rules
from qsage_validate.problems.validated import command_of, load_to_validate
from qsage_validate.proving.blame import blame
from qsage_validate.proving.formula_level import (
    check_dependencies,
    check_formula,
    check_trace_level,
    lost_part,
)
from qsage_validate.proving.levels import Level, LevelInterrupted, LevelResult
from qsage_validate.proving.plays.exhaustive import exhaust
from qsage_validate.proving.plays.random_plays import attack
from qsage_validate.proving.report import ValidationReport
from qsage_validate.proving.statements import conclude
from qsage_validate.system.limits import Limits, Stopwatch
from qsage_validate.system.progress import Progress, Tell, nobody, telling
from qsage_validate.system.reading import reads_within
from qsage_validate.validation.finding import Finding, FindingKind, grouped
from qsage_validate.validation.proofs.strategy import LevelAnswer, prove_boards, prove_rules
from qsage_validate.validation.verdict import Proved, Refuted, Unsupported, Verdict

if TYPE_CHECKING:
    from qsage_validate.proving.assertions_level import AssertionAnswer
    from qsage_validate.system.pool import Send

StrategyProver = Callable[..., LevelAnswer]

_NO_MOVES = (FindingKind.ILLEGAL_REPLY, FindingKind.UNREADABLE_REPLY)

# How long the search may take that tells a wrong certificate from a wrong answer.
_SEARCH_SECONDS = 20.0


@dataclass(frozen=True)
class ValidationOptions:
    """Options of a validation.

    ``levels`` in the order in which they are run; ``games``, ``seed`` and ``illegal`` are for
    random plays; ``limits`` are those of the whole, its positions those of the exhaustive
    adversary; ``jobs`` is the number of processes, ``trace`` the file of a solver's trace;
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
    obligations: bool = False
    minimal: bool = False
    differences: int = 1


def validate(
    problem: Problem,
    options: ValidationOptions,
    *,
    tell: Tell = nobody,
    done: Callable[[LevelResult], None] | None = None,
) -> ValidationReport:
    """Run the levels of ``options`` on ``problem``, which ``to_validate`` has made.

    ``tell`` is called with each progress report, by the levels' names, ``done`` with each result.
    Ctrl-C ends with a report of what is known (``ValidationReport.interrupted``).
    """
    run = _ValidationRun(problem, options, tell)
    results: list[LevelResult] = []
    interrupted = False
    try:
        for level in options.levels:
            result = run.level(level)
            if result is not None:
                results.append(result)
                if done is not None:
                    done(result)
        winner = run.winner(results)
    except LevelInterrupted as interruption:
        results.append(interruption.partial)
        interrupted, winner = True, None
    except KeyboardInterrupt:
        interrupted, winner = True, None
    hero = None if problem.certificate is None else problem.certificate.kind.player
    warnings = run.model_warnings()
    conclusions = conclude(results, hero, run.claimed_game)
    return ValidationReport(
        subject=problem.files.name,
        results=tuple(results),
        conclusions=conclusions,
        blame=(
            conclusions.contradictions[0].detail
            if conclusions.contradictions
            else blame(results, hero, winner, len(warnings))
        ),
        interrupted=interrupted,
        facts={
            **problem.facts,
            "version": __version__,
            "winner by the rules": None if winner is None else winner.value,
            "model warnings": warnings,
        },
    )


def validate_apart(
    files: Files, options: ValidationOptions, *, tell: Tell, done: Callable[[LevelResult], None]
) -> ValidationReport:
    """Load and validate ``files`` in a process that keeps the limit of memory.

    When that is not enough, the levels that were not finished are undecided; the results of
    the others are kept, as after Ctrl-C.
    """
    from qsage_validate.system.pool import run_job

    results: list[LevelResult] = []

    def receive(sent: object) -> None:
        if isinstance(sent, LevelResult):
            results.append(sent)
            done(sent)
        elif isinstance(sent, Progress):
            tell(sent)

    interrupted = False
    try:
        outcome = run_job(_validate, files, options, limits=options.limits, receive=receive)
        if isinstance(outcome, ValidationReport):
            return outcome
        finished = {result.level for result in results}
        rest = [level for level in options.levels if level not in finished]
        results += [LevelResult(level, Undecided(outcome.why), 0.0) for level in rest]
    except KeyboardInterrupt:
        interrupted = True
    return ValidationReport(
        files.name,
        tuple(results),
        interrupted=interrupted,
        facts={"command": command_of(files, options.trace)},
    )


def _validate(send: Send, files: Files, options: ValidationOptions) -> ValidationReport:
    # The process itself has the limit of memory.
    with reads_within(options.limits.deadline, None):
        problem = load_to_validate(files, trace=options.trace)
    return validate(problem, options, tell=send, done=send)


class _ValidationRun:
    def __init__(self, problem: Problem, options: ValidationOptions, tell: Tell) -> None:
        self.problem = problem
        self.options = options
        self._tell = tell
        self.deadline = options.limits.deadline
        self._winner: tuple[Player | None] | None = None
        self._rest_result: LevelResult | None = None
        self._looked = False  # whether it is known if functions look to their right

    def level(self, level: Level) -> LevelResult | None:
        """Run one level; ``None`` when it is not a question that can be asked here."""
        runner = {
            Level.TRACE: self._trace,
            Level.DEPENDENCIES: self._dependencies,
            Level.FORMULA: self._formula,
            Level.RANDOM: self._random,
            Level.EXHAUSTIVE: self._exhaustive,
            Level.RULES: lambda: self._by_rules(Level.RULES, prove_rules),
            Level.BOARDS: lambda: self._by_rules(Level.BOARDS, prove_boards),
            Level.ENCODING: self._encoding,
            Level.ASSERTIONS: self._assertions,
        }[level]
        try:
            result = runner()
            return None if result is None else self._without_unsaid(result)
        except NotPlayableError as error:
            # What other levels prove, of the formula above all, holds all the same.
            return LevelResult(
                level, Unsupported(f"the rules do not say how a play goes on: {error}"), 0.0
            )

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
        if certificate is not None and self._winner_by_search() is certificate.kind.player.other:
            return result
        why = "no file says what the formula makes of a reply that is no legal move"
        return replace(result, verdict=Undecided(f"{verdict.findings[0].text}; {why}"))

    def _begin(self, level: Level) -> Tell:
        """Report the level's question; the result is the callback for the level's progress."""
        self._tell(Progress(level.value, level.question))
        return telling(self._tell, level.value)

    def _timed(self, level: Level, ask: Callable[[Tell], LevelAnswer]) -> LevelResult:
        if self.deadline.over:
            return LevelResult(level, Undecided("time was up before it began"), 0.0)
        watch = Stopwatch()
        answer = ask(self._begin(level))
        verdict = answer.verdict
        # The plays of an encoding's difference need not be the certificate's.
        if isinstance(verdict, Refuted) and level is not Level.ENCODING:
            problem = self._played()
            if problem is not None:
                verdict = Refuted(tuple(self._with_replay(problem, f) for f in verdict.findings))
        kept = answer.obligation if self.options.obligations else None
        evidence: dict[str, object] = {"compared": answer.compared} if answer.compared else {}
        if level is Level.ENCODING:
            evidence["implies"] = list(answer.implies)
            if isinstance(verdict, Refuted) and len(verdict.findings) > 1:
                evidence["groups"] = [group.to_dict() for group in grouped(verdict.findings)]
        return LevelResult(level, verdict, watch.seconds, evidence, obligation=kept)

    def _with_replay(self, problem: Problem, finding: Finding) -> Finding:
        # An assertion may be broken before the first move.
        shown = finding.moves or finding.kind is FindingKind.ASSERTION_BROKEN
        if finding.replay or not shown or problem.layout is None:
            return finding
        if finding.kind is FindingKind.LAYOUT_DIFFERS:
            return finding
        moves = finding.moves
        if finding.kind is FindingKind.LEGALITY_DIFFERS and len(moves) == finding.ply:
            moves = moves[:-1]  # the last one is a move that nobody can say
        play_engine = open_play_engine(problem, problem.oracle(OracleKind.SAT))
        return finding.with_replay(problem.replay(play_engine.opponent_moves(moves)))

    # -- the levels -------------------------------------------------------------------------

    def _trace(self) -> LevelResult | None:
        formula, trace = self.problem.formula, self.options.trace
        if formula is None or trace is None:
            return None
        tell = self._begin(Level.TRACE)
        return check_trace_level(formula, trace, deadline=self.deadline, tell=tell)

    def _dependencies(self) -> LevelResult | None:
        formula, certificate = self.problem.formula, self.problem.certificate
        if formula is None or certificate is None:
            return None
        self._begin(Level.DEPENDENCIES)
        result = check_dependencies(formula, certificate)
        self._looked = True
        if isinstance(result.verdict, Proved):
            self.problem = self.problem.with_checked_dependencies()
        return result

    def _played(self) -> Problem | None:
        """The problem, where there is a certificate to play.

        Its replays allow functions to look right only where some do.
        """
        formula, certificate = self.problem.formula, self.problem.certificate
        if certificate is None:
            return None
        if not self._looked:
            self._looked = True
            # Without a formula there is no prefix to look to the right in.
            if formula is None or isinstance(
                check_dependencies(formula, certificate).verdict, Proved
            ):
                self.problem = self.problem.with_checked_dependencies()
        return self.problem

    def _formula(self) -> LevelResult | None:
        formula, certificate = self.problem.formula, self.problem.certificate
        if formula is None or certificate is None:
            return None
        if self.problem.solving is not None:
            return self._rest()
        result = self._check_formula(formula, certificate, self._begin(Level.FORMULA))
        if Level.DEPENDENCIES in self.options.levels or not isinstance(result.verdict, Proved):
            return result
        # Asked alone, the level must not let functions pass that may not be used at all.
        wrong = check_dependencies(formula, certificate).verdict
        if not isinstance(wrong, Refuted):
            return result
        why = f"no choice beats the functions, but {wrong.findings[0].detail}: they prove nothing"
        return replace(result, verdict=Undecided(why))

    def _check_formula(self, formula: Qbf, certificate: Certificate, tell: Tell) -> LevelResult:
        return check_formula(
            formula,
            certificate,
            layout=self.problem.layout,
            replay=self._replay,
            replay_blocks=self._replay_blocks,
            deadline=self.deadline,
            jobs=self.options.jobs,
            minimal=self.options.minimal,
            tell=tell,
        )

    def _rest(self) -> LevelResult:
        """Level 2 of a part of a certificate; where it is proved, the problem has all functions.

        Asked once: other levels are about all functions, too.
        """
        from qsage_validate.proving.rest_level import check_rest

        formula, part, solving = (
            self.problem.formula,
            self.problem.certificate,
            self.problem.solving,
        )
        if self._rest_result is not None:
            return self._rest_result
        assert formula is not None, "a part is one of a formula's"
        assert isinstance(part, CircuitCertificate), "a part is a circuit"
        assert solving is not None, "the caller has looked"
        tell = self._begin(Level.FORMULA)
        wrong = check_dependencies(formula, part).verdict
        if isinstance(wrong, Refuted):
            why = f"{wrong.findings[0].detail}: the rest is not looked for"
            result, whole = LevelResult(Level.FORMULA, Undecided(why), 0.0), None
        else:
            result, whole = check_rest(
                formula,
                part,
                solving,
                lambda certificate: self._check_formula(formula, certificate, tell),
                partial(
                    lost_part,
                    formula,
                    part,
                    layout=self.problem.layout,
                    replay=self._replay,
                    replay_blocks=self._replay_blocks,
                ),
                deadline=self.deadline,
                tell=tell,
            )
        if whole is not None:
            self.problem = replace(self.problem, certificate=whole, solving=None, replayed=False)
        self._rest_result = result
        return result

    def _lacking(self, level: Level, needed: frozenset[int] | None = None) -> LevelResult | None:
        """The result of a level that needs functions which are not proved; ``None`` if none.

        ``needed`` are the variables that it reads, where they are not all.
        """
        certificate = self.problem.certificate
        if self.problem.solving is None or not isinstance(certificate, CircuitCertificate):
            return None
        if needed is not None and needed <= certificate.functions.keys():
            return None
        if isinstance(self._rest().verdict, Proved):
            return None
        why = "the certificate is a part, and no functions of the rest are proved"
        return LevelResult(level, Unsupported(why), 0.0)

    def _replay(self, moves: Sequence[str]) -> str:
        problem = self._played()
        return "" if problem is None else problem.replay(moves)

    def _replay_blocks(self, blocks: Sequence[str]) -> str:
        problem = self._played()
        return "" if problem is None else problem.replay_blocks(blocks)

    def _random(self) -> LevelResult | None:
        lacking = self._lacking(Level.RANDOM)
        if lacking is not None:
            return lacking
        problem = self._played()
        if problem is None:
            return None
        tell = self._begin(Level.RANDOM)
        result = attack(
            problem,
            games=self.options.games,
            seed=self.options.seed,
            illegal=self.options.illegal,
            jobs=self.options.jobs,
            deadline=self.deadline,
            tell=tell,
        )
        return self._playable(result)

    def _exhaustive(self) -> LevelResult | None:
        if self.problem.layout is None:
            return None
        lacking = self._lacking(Level.EXHAUSTIVE)
        if lacking is not None:
            return lacking
        problem = self._played()
        if problem is None:
            return None
        tell, options = self._begin(Level.EXHAUSTIVE), self.options
        result = exhaust(problem, limits=options.limits, tell=tell, checkpoint=options.checkpoint)
        return self._playable(result)

    def _playable(self, result: LevelResult) -> LevelResult:
        """A result of plays, where replies may rest on what no play gives a value to.

        A finding that rests on no such value refutes in any case.
        """
        looked = watched(self.problem)
        if looked:
            result = replace(result, evidence={**result.evidence, "assertions": looked})
        if not isinstance(result.verdict, Refuted):
            return result
        findings = result.verdict.findings
        sure = tuple(finding for finding in findings if not finding.guessed)
        if sure:
            return replace(result, verdict=Refuted(sure))
        guessed = sorted({variable for finding in findings for variable in finding.guessed})
        return replace(result, verdict=self._guessed(result.verdict, guessed))

    def _guessed(self, refuted: Refuted, read: Sequence[int]) -> Verdict:
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
        winner = self._winner_by_search()
        if winner is not None and hero is not None and winner is hero.other:
            return refuted
        if winner is None:
            return Undecided(f"{why}; with one value of them, {refuted.findings[0].text}")
        return Unsupported(why)

    def _bddl(self) -> BddlGame | None:
        game = self.problem.game
        return game if isinstance(game, BddlGame) else None

    @property
    def claimed_game(self) -> TwoPlayerGame | None:
        """The game about which the levels that compare with rules say something."""
        if self.problem.undecided_game is not None:
            return self.problem.undecided_game.game
        return self.problem.game

    def _circuit(self) -> CircuitCertificate | Unsupported:
        certificate = self.problem.certificate
        assert certificate is not None, "the caller has looked"
        if isinstance(certificate, CircuitCertificate):
            return certificate
        from qsage_validate.certificates.checker.definitions import definitions

        try:
            return definitions(certificate, self.problem.formula).circuit
        except NotDefinitionalError as error:
            return Unsupported(f"the clauses are no definitions: {error}")

    def _by_rules(self, level: Level, prove: StrategyProver) -> LevelResult | None:
        """A level that holds certificate, layout and rules side by side."""
        problem = self.problem
        layout, game, undecided_game = problem.layout, problem.game, problem.undecided_game
        if undecided_game is not None:
            layout, game = undecided_game.layout, undecided_game.game
        if problem.no_board is not None:
            return LevelResult(level, Unsupported(problem.no_board), 0.0)
        if problem.certificate is None or layout is None:
            return None
        if game is None:
            return LevelResult(level, Unsupported(why_no_rules(layout)), 0.0)
        hero = problem.certificate.kind.player
        moves = frozenset(v for ply in layout.of(hero) for v in variables_of(ply))
        lacking = self._lacking(level, moves if level is Level.RULES else None)
        if lacking is not None:
            return lacking
        circuit = self._circuit()
        if isinstance(circuit, Unsupported):
            return LevelResult(level, circuit, 0.0)
        asked, rewrite = (problem.formula, layout, circuit, game), not self.options.minimal

        def ask(tell: Tell) -> LevelAnswer:
            answer = prove(*asked, deadline=self.deadline, tell=tell, rewrite=rewrite)
            if answer.guessed and isinstance(answer.verdict, Refuted):
                return replace(answer, verdict=self._guessed(answer.verdict, answer.guessed))
            return answer

        result = self._timed(level, ask)
        if undecided_game is not None and isinstance(result.verdict, Refuted):
            # It may win by the rules all the same; that it does not is no fault.
            why = f"{undecided_game.why}: by the rules it does not win"
            return replace(result, verdict=Unsupported(why))
        return result

    def _encoding(self) -> LevelResult | None:
        """The level that asks for nothing but formula, layout and rules.

        For games whose moves are listed, plays with a certificate are a part of what is compared
        here: beside them it is asked where it is named.
        """
        problem, game = self.problem, self.claimed_game
        formula, layout = problem.formula, problem.layout
        if formula is None or layout is None or game is None:
            return None
        every = len(self.options.levels) == len(Level)
        if problem.certificate is not None and every and not layout.state.is_board:
            return None
        found = problem.found
        if found is not None:
            from qsage_validate.judging.judged import judge_found

            return self._timed(
                Level.ENCODING,
                lambda tell: (
                    judge_found(
                        formula,
                        found,
                        deadline=self.deadline,
                        tell=tell,
                        obligations=self.options.obligations,
                        most_differences=self.options.differences,
                    ).answer
                ),
            )
        return self._timed(
            Level.ENCODING,
            lambda tell: judge(
                formula,
                layout,
                game,
                deadline=self.deadline,
                tell=tell,
                obligations=self.options.obligations,
                most_differences=self.options.differences,
            ),
        )

    def _assertions(self) -> LevelResult | None:
        if self.problem.assertions and self.problem.solving is not None:
            self._rest()  # without functions of the rest each assertion is undecided
        problem = self._played()
        if problem is None or not problem.assertions:
            return None
        from qsage_validate.proving.assertions_level import prove_assertions

        answers: list[AssertionAnswer] = []

        def ask(tell: Tell) -> LevelAnswer:
            found, own = prove_assertions(
                problem, deadline=self.deadline, tell=tell, rewrite=not self.options.minimal
            )
            answers.extend(own)
            return found

        result = self._timed(Level.ASSERTIONS, ask)
        evidence = {"assertions": [answer.to_dict() for answer in answers]}
        return replace(result, evidence=evidence)

    # -- what else is known -----------------------------------------------------------------

    def winner(self, results: Sequence[LevelResult]) -> Player | None:
        """The winner by the rules, searched only after a certificate has failed."""
        game = self.problem.game
        failed = any(
            result.level in (Level.DEPENDENCIES, Level.FORMULA)
            and isinstance(result.verdict, Refuted)
            for result in results
        )
        return self._winner_by_search() if game is not None and failed else None

    def _winner_by_search(self) -> Player | None:
        """The winner by a search on the rules, as far as it ends in time; searched for once."""
        from qsage_validate.solvers.search.solver import search_for

        game = self.claimed_game
        if self._winner is None and game is not None:
            limits = Limits(self.deadline.sooner(_SEARCH_SECONDS), positions=5_000_000)
            self._winner = (search_for(game, limits=limits).solve().winner,)
        return None if self._winner is None else self._winner[0]

    def model_warnings(self) -> list[str]:
        """The doubtful points of the model of the rules."""
        game = self._bddl()
        return [] if game is None else [str(found) for found in check_model(game.model)]
