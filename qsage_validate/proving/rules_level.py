"""The levels that hold formula and rules side by side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from qsage_validate.encodings.layout import variables_of
from qsage_validate.judging.encoding import judge
from qsage_validate.kernel.certificate import CircuitCertificate
from qsage_validate.kernel.composition import NotDefinitionalError
from qsage_validate.problems.load import BoardProblem, Problem, why_no_rules
from qsage_validate.proving.levels import Level
from qsage_validate.proving.run import NO_FUNCTIONS, LevelResult, unsupported
from qsage_validate.system.limits import Tell
from qsage_validate.validation.finding import Refuted, Unsupported, grouped
from qsage_validate.validation.proofs import LevelAnswer, prove_boards, prove_rules

if TYPE_CHECKING:
    from qsage_validate.proving.run import ValidationRun


def rules_level(run: ValidationRun) -> LevelResult | None:
    return _by_rules(run, Level.RULES, prove_rules)


def boards_level(run: ValidationRun) -> LevelResult | None:
    return _by_rules(run, Level.BOARDS, prove_boards)


def _by_rules(
    run: ValidationRun, level: Level, prove: Callable[..., LevelAnswer]
) -> LevelResult | None:
    """A level that holds certificate, layout and rules side by side."""
    problem = run.problem
    layout, game, undecided_game = problem.layout, problem.game, problem.undecided_game
    if undecided_game is not None:
        layout, game = undecided_game.layout, undecided_game.game
    if problem.no_board is not None:
        return unsupported(level, problem.no_board)
    certificate = problem.certificate
    if certificate is None or layout is None:
        return None
    if game is None:
        return unsupported(level, why_no_rules(layout))
    enough = False  # the rules ask for no functions but those of the certificate's moves
    if level is Level.RULES and isinstance(certificate, CircuitCertificate):
        moves = {v for ply in layout.of(certificate.kind.player) for v in variables_of(ply)}
        enough = moves <= certificate.functions.keys()
    played = run.played if enough else run.whole
    if played is None:
        return unsupported(level, NO_FUNCTIONS)
    circuit = _circuit(played)
    if isinstance(circuit, Unsupported):
        return LevelResult(level, circuit, 0.0)
    asked, rewrite = (problem.formula, layout, circuit, game), not run.options.minimal

    def ask(tell: Tell) -> LevelAnswer:
        answer = prove(*asked, deadline=run.deadline, tell=tell, rewrite=rewrite)
        verdict = answer.verdict
        if answer.guessed and isinstance(verdict, Refuted):
            verdict = run.guessed(verdict, answer.guessed)
        evidence = {"compared": answer.compared} if answer.compared else {}
        return replace(answer, verdict=run.with_replays(verdict, played), evidence=evidence)

    result = run.timed(level, ask)
    if undecided_game is not None and isinstance(result.verdict, Refuted):
        # It may win by the rules all the same; that it does not is no fault.
        why = f"{undecided_game.why}: by the rules it does not win"
        return replace(result, verdict=Unsupported(why))
    return result


def _circuit(problem: Problem) -> CircuitCertificate | Unsupported:
    certificate = problem.answering
    if isinstance(certificate, CircuitCertificate):
        return certificate
    from qsage_validate.certificates.definitions import definitions

    try:
        return definitions(certificate, problem.formula).circuit
    except NotDefinitionalError as error:
        return Unsupported(f"the clauses are no definitions: {error}")


def encoding_level(run: ValidationRun) -> LevelResult | None:
    """The level that asks for nothing but formula, layout and rules.

    For games whose moves are listed, plays with a certificate are a part of what is compared here:
    beside them it is asked where it is named.
    """
    problem, options = run.problem, run.options
    formula, game = problem.formula, problem.claimed_game
    if formula is None or not isinstance(problem, BoardProblem) or game is None:
        return None
    every = len(options.levels) == len(Level)
    layout, found = problem.layout, problem.found
    if problem.certificate is not None and every and not layout.state.is_board:
        return None

    def ask(tell: Tell) -> LevelAnswer:
        if found is None:
            answer = judge(
                formula,
                layout,
                game,
                deadline=run.deadline,
                tell=tell,
                obligations=options.obligations,
                most_differences=options.differences,
            )
        else:
            from qsage_validate.judging.judged import judge_found

            answer = judge_found(
                formula,
                found,
                deadline=run.deadline,
                tell=tell,
                obligations=options.obligations,
                most_differences=options.differences,
            ).answer
        evidence: dict[str, object] = {"implies": list(answer.implies), **answer.evidence}
        # The plays of a difference need not be the certificate's: none has a replay.
        if isinstance(answer.verdict, Refuted) and len(answer.verdict.findings) > 1:
            evidence["groups"] = [group.to_dict() for group in grouped(answer.verdict.findings)]
        return replace(answer, evidence=evidence)

    return run.timed(Level.ENCODING, ask)


def assertions_level(run: ValidationRun) -> LevelResult | None:
    if run.problem.certificate is None or not run.problem.assertions:
        return None
    from qsage_validate.proving.assertions_level import prove_assertions

    problem = run.whole or run.played  # without functions of the rest each one is undecided

    def ask(tell: Tell) -> LevelAnswer:
        found, answers = prove_assertions(
            problem, deadline=run.deadline, tell=tell, rewrite=not run.options.minimal
        )
        evidence = {"assertions": [answer.to_dict() for answer in answers]}
        return replace(found, verdict=run.with_replays(found.verdict, problem), evidence=evidence)

    return run.timed(Level.ASSERTIONS, ask)
