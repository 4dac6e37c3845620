"""``qsage validate``: prove a certificate or an encoding, attack it, say what is wrong."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from qsage_validate.cli.commands import subcommand
from qsage_validate.cli.common import SearchLine, emit, emit_json, narrate
from qsage_validate.cli.options import (
    AssertOption,
    CertOptions,
    DialectOptions,
    JsonOption,
    RulesOptions,
    TimeoutOption,
    names_rules,
)
from qsage_validate.cli.parameters import OptionGroup, argument, option, output_option
from qsage_validate.errors import Exit, UsageError, counted, one_line
from qsage_validate.proving.levels import LEVELS, Level, levels_named
from qsage_validate.system.limits import Deadline, Limits

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from qsage_validate.problems.load import Files, Problem
    from qsage_validate.proving.levels import Level
    from qsage_validate.proving.report import ValidationReport
    from qsage_validate.proving.run import LevelResult, ValidationOptions
    from qsage_validate.proving.theorems import VerifiedTheorem


@dataclass(frozen=True)
class AttackOptions(OptionGroup):
    """The options of the adversaries, random and exhaustive."""

    panel = "Attack"

    games: int = option("How many random plays.", min=1, default=1000)
    seed: int = option("The seed of the random plays.", default=0)
    illegal: float = option("How often an illegal move is tried.", "P", min=0, max=1, default=0.1)
    positions: int = option("The limit of the exhaustive adversary.", min=1, default=200_000)
    all_differences: int = option(
        "So many differences between formula and game are listed.", "N", min=1, default=1
    )
    checkpoint: str | None = output_option(
        "Where the exhaustive adversary keeps its place.", "FILE", panel=None
    )
    jobs: int = option("Processes; the results do not change.", min=1, default=1)


@dataclass(frozen=True)
class ProofOptions(OptionGroup):
    """Options for trust and for output files."""

    panel = "Output"

    trust: str = option(
        "'minimal': by the kernel alone, slower; 'verified': by the checker that is proved in Coq "
        "besides; else 'all' that is quick.",
        "HOW",
        default="all",
        panel="Proof",
    )
    proof: str | None = output_option(
        "Write CNFs and LRAT proofs of the levels for 'qsage verify'.", "DIR"
    )
    report: str | None = output_option("Write a self-contained HTML page.", "FILE")

    def check(self, memory: int | None) -> None:
        """Raise ``UsageError`` for an unknown trust, or for a proof with a limit of memory."""
        if self.trust not in ("all", "minimal", "verified"):
            raise UsageError(f"found --trust {self.trust}, expected minimal, verified or all")
        if self.trust == "verified":
            from qsage_validate.proving.theorems import require_program

            if memory is not None:
                raise UsageError("found --trust verified with --memory, expected one of them")
            require_program()
        if self.proof is not None and memory is not None:
            raise UsageError("found --proof with --memory: a proof is written without a limit")


class TraceAxioms(str, Enum):
    """Which initial clauses and cubes of a trace are taken."""

    PLAIN = "plain"
    GENERAL = "general"


@dataclass(frozen=True)
class PartOptions(OptionGroup):
    panel = "Solver"

    solver: str | None = option(
        "Who decides what a part of a certificate leaves open, or functions that are missing; "
        "default: what is there.",
        "NAME|auto",
        complete="solvers",
    )
    blocks: int | None = option(
        "Use the functions of the certificate's first N blocks only.", "N", min=1
    )

    def of(self, files: Files) -> Files:
        if self.blocks is None:
            return replace(files, solver=self.solver)
        from qsage_validate.problems.searched import AUTO

        return replace(files, solver=self.solver or AUTO, blocks=self.blocks)


@dataclass(frozen=True)
class BehindFormulaOptions(OptionGroup):
    """What stands behind a formula: its certificate, its game, or both."""

    behind: tuple[str, ...] = argument(
        "The certificate, as by --cert; and the game, as by --game or --model.",
        "[CERT] [GAME]",
        default=(),
        complete="files",
    )
    cert: str | None = option("The certificate.", "FILE", panel="Files")

    def taken_apart(self, rules: RulesOptions) -> tuple[str | None, RulesOptions]:
        """The certificate and the rules; raises ``UsageError`` where one is named twice."""
        cert, words = self.cert, [*self.behind]
        if words and " " in words[-1]:
            from qsage_validate.problems.searched import game_words

            words[-1:] = game_words(words[-1])
        if words and not names_rules(words):
            cert = CertOptions(words.pop(0), cert).path
        if not words:
            return cert, rules
        if rules.words():
            raise UsageError(
                f"found {one_line(shlex.join(words))} with --game or --model, expected one of them"
            )
        return cert, replace(rules, model=shlex.join(words))


@subcommand(
    "qsage validate sample:tic sample:tic.aig --report tic.html",
    "qsage validate sample:puzzle sample:puzzle.pg",
)
def command(
    *,
    formula: str | None = argument(
        "QCIR or QDIMACS; a clause certificate (Pedant) does alone.",
        "FORMULA",
        None,
        complete="files",
    ),
    certificate: BehindFormulaOptions,
    trace: str | None = option(
        "A QBF solver's trace: QRP, binary QRP or Qute's.", "FILE", panel="Files"
    ),
    axioms: TraceAxioms = option(
        "Which initial clauses and cubes of a trace count: 'plain', those of the formula, or "
        "'general', also those that the formula's value under them implies.",
        "KIND",
        default=TraceAxioms.PLAIN,
        panel="Files",
    ),
    solution: str | None = option(
        "In the place of a formula: walk through all plays of a solution file ('qsage solve "
        "--solution').",
        "FILE",
        panel="Files",
    ),
    part: PartOptions,
    rules: RulesOptions,
    assertions: AssertOption = (),
    level: tuple[str, ...] = option(
        f"Only these levels: {', '.join(LEVELS)}. May be repeated.",
        "NAME",
        complete="levels",
        panel="Levels",
        default=(),
    ),
    attack: AttackOptions,
    timeout: TimeoutOption = None,
    memory: int | None = option("Give up when more memory is needed.", "MB", min=1, panel="Limits"),
    proof: ProofOptions,
    read: DialectOptions,
    json_output: JsonOption = False,
) -> Exit:
    """Prove a certificate, attack it, and say what is wrong.

    Without a certificate the encoding is proved.

    Levels: trace (each step of a solver's trace follows), dependencies (each function reads only
    variables left of its own), formula (no choice of the opponent beats the functions; by SAT),
    random and all (plays), rules (the strategy wins every play by the rules; by SAT), boards (what
    the formula says of the board and of legal moves is what the rules say; by SAT), encoding (the
    formula is true exactly when Black wins by the rules; by SAT, needs no certificate), assertions
    (what the files of --assert say holds in every play; by SAT).

    With --solution the file's replies are the strategy: every move of the loser is tried, by the
    rules of the model in the file (that has to be the one of --model or --game, if named).

    Exit code 0: something is proved and nothing refuted, 1: refuted, 2: bad input, 3: undecided,
    or plays were only sampled, 130: interrupted.
    """
    from qsage_validate.formats.source import Format, sniff
    from qsage_validate.proving.run import ValidationOptions

    cert, rules = certificate.taken_apart(rules)
    if solution is not None:
        given = {
            "a formula": formula is not None or cert is not None,
            "--trace": trace is not None,
            "--meta": rules.meta is not None,
            "--level": bool(level),
            "--assert": bool(assertions),
        }
        expected = "the solution's file, alone or with --model"
        for name in (name for name, there in given.items() if there):
            raise UsageError(f"found --solution with {name}, expected {expected}")
        for group in (part, attack, proof, read):
            group.refuse(f"--solution, expected {expected}")
        from qsage_validate.cli.deepening import validate_solution

        limits = Limits(Deadline.after(timeout), memory)
        return validate_solution(solution, rules.words(), limits, json_output)
    if formula is None:
        raise UsageError("found no formula, expected FORMULA or --solution FILE")
    if cert is None and formula != "-" and sniff(formula) is Format.PEDANT:
        cert = formula  # a clause certificate defines what it needs of the formula itself
    if cert is None and read.dialect is not None:
        raise UsageError("found --dialect without --cert, whose dialect it would be")
    if trace is None and axioms is not TraceAxioms.PLAIN:
        raise UsageError("found --axioms without --trace, whose axioms they would be")
    files = replace(rules.files(formula, cert, read), assertions=assertions)
    sets = trace is None and proof.proof is None and proof.trust != "verified"
    files = replace(part.of(files), sets=sets)
    inputs = [formula, cert, trace, *rules.paths, *files.assertions]
    proof.check(memory)
    if "-" in (formula, cert, trace, *files.assertions):
        raise UsageError("a validation needs its files by name, not '-'")
    if proof.proof is not None:
        from qsage_validate.proving.bundle import check_folder

        check_folder(proof.proof, [*inputs, proof.report, attack.checkpoint])
    options = ValidationOptions(
        levels=_levels(
            level, certificate=cert is not None, trace=trace is not None, asserted=bool(assertions)
        ),
        games=attack.games,
        seed=attack.seed,
        illegal=attack.illegal,
        limits=Limits(Deadline.after(timeout), memory, attack.positions),
        jobs=attack.jobs,
        checkpoint=attack.checkpoint,
        trace=trace,
        generalised=axioms is TraceAxioms.GENERAL,
        minimal=proof.trust == "minimal",
        obligations=proof.proof is not None or proof.trust == "verified",
        differences=attack.all_differences,
    )
    problem, result = _run(files, options, memory)
    if "prenex" in result.facts:
        narrate(f"{formula}: {result.facts['prenex']}")
    if not json_output:
        _show(result)
    code = result.exit_code
    verified: tuple[VerifiedTheorem, ...] = ()
    if problem is not None and proof.proof is not None and not result.interrupted:
        _prove(files, problem, result, options, proof.proof)
    if problem is not None and proof.trust == "verified" and code is Exit.FINE:
        from qsage_validate.proving.theorems import theorems_of_validation

        with SearchLine(sys.stderr) as line:
            end, tell = options.limits.deadline, line.tell
            verified = theorems_of_validation(files, problem, result, proof.proof, end, tell)
            line.clear()
        if not any(each.proved for each in verified):
            code = Exit.UNDECIDED
    if proof.report is not None:
        _write_page(proof.report, result, problem)
    if json_output:
        told = {"verified": [each.to_dict() for each in verified]} if verified else {}
        emit_json({**result.to_dict(), **told})
    else:
        emit(result.last_line)
        for each in verified:
            emit(
                one_line(
                    f"verified in Coq: {each.sentence}"
                    if each.proved
                    else f"not verified in Coq: {each.about}: {each.reason}"
                )
            )
        if code is Exit.UNDECIDED and not verified and proof.trust == "verified":
            emit("not verified in Coq: no level is proved by SAT")
    return code


def _levels(
    names: Sequence[str], *, certificate: bool, trace: bool, asserted: bool
) -> tuple[Level, ...]:
    """The levels that were named; all that apply when none were."""
    wanted = levels_named(names) if names else tuple(Level)
    if names and Level.TRACE in wanted and not trace:
        raise UsageError("found --level trace, expected --trace FILE with it")
    if asserted and not certificate:
        raise UsageError("found --assert without --cert, expected a certificate that plays")
    if names and Level.ASSERTIONS in wanted and not asserted:
        raise UsageError("found --level assertions, expected --assert FILE with it")
    if not certificate:
        possible = Level.TRACE if trace else Level.ENCODING
        if names and not set(wanted) <= {Level.ENCODING, Level.TRACE}:
            can = "levels 'trace' and 'encoding'" if trace else "level 'encoding'"
            raise UsageError(f"without --cert only the {can} can be checked")
        wanted = wanted if names else (possible,)
    return wanted


def _run(
    files: Files, options: ValidationOptions, memory: int | None
) -> tuple[Problem | None, ValidationReport]:
    """The report, and its problem if this process has read it."""
    from qsage_validate.problems.validated import load_to_validate
    from qsage_validate.proving.report import validate, validate_apart

    with SearchLine(sys.stderr) as line:

        def done(result: LevelResult) -> None:
            line.clear()

        if memory is not None:
            return None, validate_apart(files, options, tell=line.tell, done=done)
        problem = load_to_validate(files, trace=options.trace)
        return problem, validate(problem, options, tell=line.tell, done=done)


def _show(result: ValidationReport) -> None:
    """Print the table of levels and the findings."""
    from qsage_validate.render.console import finding_lines, group_lines, show_table

    rows = []
    for each in result.results:
        refuted = len(each.findings)
        text = each.said
        if refuted:
            text = counted(refuted, "finding")
        rows.append((each.level.value, each.word, f"{each.seconds:.2f}", text))
    show_table(("level", "verdict", "seconds", "evidence"), rows)
    if "reading" in result.facts:
        rests_on = (x.evidence.get("rests on") for x in result.results)
        why = "".join(f" ({text})" for text in rests_on if text)
        emit(f"layout {result.facts['reading']}{why}")
    for each in result.results:
        # Each broken assertion has a play of its own.
        shown = len(each.findings) if each.level is Level.ASSERTIONS else 1
        for finding in each.findings[:shown]:
            more = len(each.findings) - shown
            rest = f" (and {more} more)" if more > 0 else ""
            emit(f"{each.level.value}: {finding.text}{rest}")
            for line in finding_lines(finding):
                emit(f"  {line}")
            if finding.replay:
                emit(f"  replay: {finding.replay}")
        if each.level is Level.ENCODING and len(each.findings) > 1:
            for line in group_lines(each.findings):
                emit(f"  {line}")
    for line in _about_assertions(result):
        emit(line)
    for finding in result.contradictions:
        emit(f"contradiction: {finding.detail}")
    warnings = result.facts.get("model warnings")
    for warning in warnings if isinstance(warnings, list) else ():
        emit(f"model: {warning}")


def _about_assertions(result: ValidationReport) -> Iterator[str]:
    """Print the answer of each assertion, and the assertions that plays looked at."""
    for each in result.results:
        told = each.evidence.get("assertions")
        if isinstance(told, str):
            yield f"{each.level.value}: {told}"
        for answer in told if isinstance(told, list) else ():
            why = f" ({answer['why']})" if "why" in answer else ""
            yield one_line(f"{answer['verdict']}: {answer['place']}: {answer['text']}{why}")


def _prove(
    files: Files,
    problem: Problem,
    result: ValidationReport,
    options: ValidationOptions,
    folder: str,
) -> None:
    from qsage_validate.proving.bundle import write_bundle
    from qsage_validate.system.signals import orderly_termination

    # The folder that is made beside the old one is removed also when the program is told to end.
    with orderly_termination(), SearchLine(sys.stderr) as line:
        bundle = write_bundle(
            folder, files, problem, result, minimal=options.minimal, tell=line.tell
        )
        line.clear()
    if bundle is None:
        rest = problem.solving is not None
        what = "no functions of the rest are proved" if rest else "no level is proved by SAT"
        narrate(f"no proof is written: {what}")
        return
    levels = ", ".join(
        f"{x.level} ({counted(x.clauses, 'clause')}, {counted(x.steps, 'step')})"
        for x in bundle.proofs
    )
    narrate(f"proof: {bundle.folder}: {levels}")


def _write_page(path: str, result: ValidationReport, problem: Problem | None) -> None:
    from qsage_validate.api.reports import report_page
    from qsage_validate.formats.writing import write_atomic

    game = None if problem is None else problem.game
    write_atomic(path, report_page(result, problem, game).encode())
    narrate(f"report: {'<stdout>' if path == '-' else path}")
