"""Certificates made smaller, shown to others, and proved by others: minimise, export, verify."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from qsage_validate.cli.commands import CommandGroup, subcommand
from qsage_validate.cli.common import (
    SearchLine,
    emit,
    emit_json,
    narrate,
    narrate_file,
)
from qsage_validate.cli.model_arguments import ModelArguments, model_words
from qsage_validate.cli.options import (
    CertOptions,
    DialectOption,
    DialectOptions,
    JsonOption,
    RulesOptions,
    TimeoutOption,
    parse_dialect,
)
from qsage_validate.cli.parameters import REQUIRED, argument, flag, option, output_option
from qsage_validate.errors import Exit, UsageError, counted, did_you_mean, one_line
from qsage_validate.system.limits import Deadline

if TYPE_CHECKING:
    from qsage_validate.api.strategies import Strategy
    from qsage_validate.certificates.smaller import Minimised
    from qsage_validate.kernel.certificate import Dialect
    from qsage_validate.proving.bundle_check import BundleVerification
    from qsage_validate.system.limits import Tell


# ``qsage export``: certificates and games in forms for people without this program


@subcommand(
    "qsage export page sample:hex sample:hex.aig -o play.html",
    "qsage export page sample:tic --cert sample:tic.aig -o play.html",
)
def page(
    *,
    formula: str = argument("QCIR or QDIMACS.", "FORMULA", complete="files"),
    certificate: CertOptions,
    output: str = output_option("The page: HTML.", "FILE", "-o", "--output", default=REQUIRED),
    rules: RulesOptions,
    dialect: DialectOptions,
    timeout: float = option(
        "How long to prove what stands on top.", "SECONDS", min=0.1, default=60.0, panel="Limits"
    ),
    json_output: JsonOption = False,
) -> Exit:
    """Write a page in which a certificate plays, for any browser.

    The page needs no network: the circuit of certificate and formula travels in it. It shows
    replies, legal and illegal moves with the reasons, and the verdict of each play. On top stand
    the aim, the verdict of 'qsage validate' and, folded, the SHA-256 of both files. Black's
    certificates (Skolem) of formulas with a layout can travel, up to a million gates; of White's
    (Herbrand) the answers to all plays of a small game do. The rules of a small game travel as a
    table, with which the page compares each step.

    Exit code 0: written and proved, 1: written and refuted, 2: bad input, 3: written and
    undecided, 130: interrupted.
    """
    from qsage_validate.api.strategies import Strategy
    from qsage_validate.problems.load import load, sorted_out

    files = sorted_out(rules.files(formula, certificate.path, dialect))
    # A function that looks to its right is found by the validation.
    strategy = Strategy(load(replace(files, unchecked_dependencies=True)))
    report = strategy.save_page(output, timeout=timeout).whole
    if json_output:
        emit_json({"page": output, "verdict": report.word, "summary": report.last_line})
    narrate_file(output, report.last_line)
    return report.exit_code


@subcommand(
    "qsage export class sample:tic sample:hex sample:connect3 -o class.html",
    "qsage export class sample:tic 'hex --size 3x3' -o class.html",
)
def class_(
    *,
    subjects: tuple[str, ...] = argument(
        "QCIR or QDIMACS with its certificate beside it, such as sample:hex, "
        "or a game by name, certified here: 'hex --size 3x3'.",
        "FORMULA|GAME...",
        complete="files",
    ),
    output: str = output_option("The page: HTML.", "FILE", "-o", "--output", default=REQUIRED),
    timeout: float = option(
        "How long to certify and to prove each game.",
        "SECONDS",
        min=0.1,
        default=60.0,
        panel="Limits",
    ),
    json_output: JsonOption = False,
) -> Exit:
    """Write one page for a class: games against proofs, boards to print, a solution sheet.

    The page is one file that needs no network: each game plays in it as on the page of 'qsage
    export page'. Boxes on top show games, boards and solutions; what is ticked of boards and
    solutions is printed. The solution sheet has the certificate's answer to each move.

    Exit code 0: written and proved, 1: written and one is refuted, 2: bad input, 3: written and one
    is undecided, or a game that was not certified in time, 130: interrupted.
    """
    from qsage_validate.formats.writing import write_atomic
    from qsage_validate.proving.play_page import ClassGame, class_page

    games: list[ClassGame] = []
    with SearchLine(sys.stderr) as line:
        for subject in subjects:
            strategy = _strategy_of(subject, timeout, line.tell)
            report = strategy.validate(timeout=timeout).whole
            if report.interrupted:
                raise KeyboardInterrupt  # the page has all games, or is not written
            games.append(ClassGame(strategy.playable, report))
    write_atomic(output, class_page(games))
    if json_output:
        facts = [{"verdict": g.report.word, "summary": g.report.last_line} for g in games]
        emit_json({"page": output, "games": facts})
    for game in games:
        narrate_file(output, game.report.last_line)
    codes = {game.report.exit_code for game in games}
    return next((code for code in (Exit.REFUTED, Exit.UNDECIDED) if code in codes), Exit.FINE)


def _strategy_of(subject: str, timeout: float, tell: Tell) -> Strategy:
    """The certificate of a formula, or of a game by name, which is certified at its depth."""
    from qsage_validate.api.games import Game
    from qsage_validate.api.strategies import Strategy, certify
    from qsage_validate.formats.source import sample_path
    from qsage_validate.games.registry import find_command
    from qsage_validate.problems.load import Files, load, sorted_out
    from qsage_validate.solvers.deepening import at_critical_depth
    from qsage_validate.system.limits import Limits

    path = sample_path(subject)
    try:
        words = [subject] if os.path.exists(path) else shlex.split(subject) or [subject]
    except ValueError as error:
        raise UsageError(f"found {subject!r}: {error}, expected a file or a game") from None
    if len(words) == 1 and (os.sep in path or "." in path or os.path.exists(path)):
        files = sorted_out(Files(path))
        return Strategy(load(replace(files, unchecked_dependencies=True)))
    model, deadline = find_command(words), Deadline.after(timeout)
    if not any(word.partition("=")[0] == "--depth" for word in words):
        model, _ = at_critical_depth(model, limits=Limits(deadline), tell=tell)
    return certify(Game(model), timeout=timeout, tell=tell)


@subcommand(
    "qsage export positions httt --size 3x3 --shape el --depth 5 -o table.csv",
    "qsage export positions hex --size 3x3 -o table.npz",
)
def positions(
    *,
    model: ModelArguments = model_words(),
    output: str = output_option(
        "The table: CSV, arrays of numpy where the name ends in .npz, '-' for standard output.",
        "FILE",
        "-o",
        "--output",
        default=REQUIRED,
    ),
    most: int = option(
        "Give up a game with more positions.",
        "N",
        "--positions",
        min=1,
        default=1_000_000,
        panel="Limits",
    ),
    timeout: TimeoutOption = None,
    json_output: JsonOption = False,
) -> Exit:
    """Write every position of a game with its winner, the plies left, and the best moves.

    The table is made from the rules alone, from the last plies back. The winner's best moves win
    soonest, the loser's lose latest. Columns: position, ply, to_move, winner, distance, best_moves
    (separated by semicolons). In .npz these are arrays of one length, with 'board' (0 open,
    1 Black, -1 White) and 'best' (a column for each of 'moves').

    Exit code 0: written, 2: bad input, 3: undecided (a limit), 130: interrupted.
    """
    from qsage_validate.formats.writing import write_atomic
    from qsage_validate.games.languages import load_game
    from qsage_validate.games.position_table import table_file, valued_positions
    from qsage_validate.system.limits import Limits

    game = load_game(model.resolve())
    table = valued_positions(game, Limits(Deadline.after(timeout), positions=most))
    write_atomic(output, table_file(output, table))
    start = table[0]
    if json_output:
        facts = {"positions": len(table), "winner": start.winner.value, "plies": start.distance}
        emit_json({"table": output, "game": game.name, **facts})
    narrate_file(
        output,
        f"{counted(len(table), 'position')} of {game.name}; {start.winner} wins in "
        f"{game.span(start.distance)} from the first",
    )
    return Exit.FINE


_FILES: Final = {"domain": "-domain.ig", "problem": ".ig", "pg": ".pg", "gdl": ".gdl"}
"""The ends of the names of files, by the parts of a model that are files."""


@subcommand(
    "qsage export game httt --size 3x3 --shape el --depth 5 --to gdl -o el",
    "qsage export game sample:puzzle.pg --to bddl -o puzzle",
)
def game(
    *,
    model: ModelArguments = model_words(),
    to: str = option("The language: bddl or gdl.", "LANGUAGE", "--to", default=REQUIRED),
    output: str = output_option(
        "What the files are called, with or without the end: 'puzzle' for puzzle.ig and "
        "puzzle-domain.ig, or puzzle.gdl.",
        "NAME",
        "-o",
        "--output",
        default=REQUIRED,
    ),
    most: int = option(
        "Hold so many positions of both games against each other.",
        "N",
        "--positions",
        min=1,
        default=1000,
        panel="Limits",
    ),
    json_output: JsonOption = False,
) -> Exit:
    """Write a game in another language: the same plays, by other rules.

    A positional game becomes a grid game whose goals are its winning sets, a grid game a
    description in GDL of its board and depth. Before anything is written both games are held
    against each other, position by position: moves, ends and winners.

    Exit code 0: written, 2: bad input, 130: interrupted.
    """
    from qsage_validate.comparing.compare import walk
    from qsage_validate.formats.writing import write_atomic
    from qsage_validate.games.conversion import converted

    if output == "-":
        raise UsageError("found '-' for the files' name, expected a name: there may be two files")
    given = model.resolve()
    made = converted(given, to)
    count, whole = walk(given, made, most)
    texts = {part: text for part, text in made.parts().items() if part in _FILES}
    ends = (_FILES[part] for part in texts if output.endswith(_FILES[part]))
    name = output.removesuffix(next(ends, ""))
    files = {part: f"{name}{_FILES[part]}" for part in texts}
    for part, text in texts.items():
        write_atomic(files[part], f"{text}\n")
    if json_output:
        facts = {"positions": count, "all_positions": whole}
        emit_json({"files": files, "game": given.name, "language": to, **facts})
    seen = counted(count, "position")
    which = f"the first {seen}" if not whole else f"all {seen}" if count > 1 else "its one position"
    narrate(f"{' and '.join(files.values())}: {given.name}; the same plays in {which}")
    return Exit.FINE


command = CommandGroup(
    "qsage export page sample:hex sample:hex.aig -o play.html",
    "qsage export class sample:tic sample:hex -o class.html",
    help="Write a page that plays a proof, a table, or a game.",
    commands=[page, class_, positions, game],
)


# ``qsage minimise``: a smaller certificate of the same formula


@subcommand(
    "qsage minimise sample:hex sample:hex.aig -o small.aig",
    "qsage minimise sample:hex --cert sample:hex.aig -o small.aag --timeout 5",
)
def minimise_command(
    *,
    formula: str = argument("QCIR or QDIMACS.", "FORMULA", complete="files"),
    certificate: CertOptions,
    output: str = output_option(
        "The smaller certificate: AIGER, in ASCII when its name ends in .aag.",
        "FILE",
        "-o",
        "--output",
        default=REQUIRED,
    ),
    rules: RulesOptions,
    timeout: float = option(
        "How long to look for a smaller one.", "SECONDS", min=0.1, default=60.0, panel="Limits"
    ),
    dialect: DialectOption = None,
    write: str | None = option(
        "The dialect to write: caqe, qbfcert-ascii or qbfcert-binary; else CERT's, "
        "where it is one of these, or caqe.",
        "NAME",
        "--as",
        panel="Output",
    ),
    json_output: JsonOption = False,
) -> Exit:
    """Make a certificate smaller: fewer gates, another proof.

    Gates that are equal or do not matter go, and functions are learnt anew from the plays that
    the certificate wins. A layout (in FORMULA's comments, or a meta file) makes them shorter.
    The result is written only when it is smaller and passes both levels of the check; else the
    certificate is written as it was.

    Exit code 0: written, 1: CERT does not hold, 2: bad input, 3: undecided, 130: interrupted.
    """
    from qsage_validate.certificates.smaller import minimised
    from qsage_validate.certificates.writer import certificate_bytes, check_name, is_ascii_name
    from qsage_validate.formats.source import unpacked_name
    from qsage_validate.formats.writing import write_atomic
    from qsage_validate.kernel.certificate import Dialect
    from qsage_validate.problems.load import load

    deadline, cert = Deadline.after(timeout), certificate.path
    if cert is None:
        raise UsageError("found no certificate, expected FORMULA CERT, or FORMULA --cert CERT")
    chosen = _written_dialect(write)
    check_name(output, chosen)
    # A function that looks to its right is found by the check, with the other ways to be wrong.
    problem = load(
        replace(rules.files(formula, cert, DialectOptions(dialect)), unchecked_dependencies=True)
    )
    if problem.formula is None:
        raise UsageError(f"found the certificate {cert} without its formula, expected FORMULA CERT")
    with SearchLine(sys.stderr) as line:
        found = minimised(
            problem.formula, problem.whole, layout=problem.layout, deadline=deadline, tell=line.tell
        )
    binary = not is_ascii_name(output)
    if chosen is None:
        chosen = found.certificate.dialect
        if chosen in (Dialect.QBFCERT_ASCII, Dialect.QBFCERT_BINARY):
            named = unpacked_name(output).endswith((".aag", ".aig"))
            binary = binary if named else chosen is Dialect.QBFCERT_BINARY
            chosen = Dialect.QBFCERT_BINARY if binary else Dialect.QBFCERT_ASCII
    content = certificate_bytes(
        found.certificate,
        problem.formula,
        dialect=chosen,
        binary=binary,
    )
    write_atomic(output, content)
    if json_output:
        emit_json(_facts(found, output))
    if found.dropped:
        functions = counted(found.dropped, "function")
        narrate(f"without {functions} of gates, which the formula defines itself")
    if found.smaller:
        narrate_file(
            output,
            f"{found.gates:,} AND gates of {found.original:,} in {found.seconds:.1f} s; "
            f"{found.proof}",
        )
    else:
        narrate_file(
            output, f"nothing smaller than {found.original:,} AND gates was found and proved"
        )
    return Exit.FINE


def _written_dialect(name: str | None) -> Dialect | None:
    """The dialect of ``--as``; raises ``UsageError`` for one that is not written."""
    from qsage_validate.kernel.certificate import Dialect

    chosen = parse_dialect(name, "--as")
    if chosen in (Dialect.OUTER, Dialect.PEDANT, Dialect.QAIGER):
        names = "caqe, qbfcert-ascii or qbfcert-binary"
        raise UsageError(f"found {name!r} for --as, which is not written, expected {names}")
    return chosen


def _facts(found: Minimised, output: str) -> dict[str, object]:
    return {
        "certificate": output,
        "kind": found.certificate.kind.value,
        "smaller": found.smaller,
        "gates_before": found.original,
        "gates": found.gates,
        "functions": len(found.certificate.functions),
        "functions_dropped": found.dropped,
        "seconds": round(found.seconds, 3),
        "stages": [
            {
                "name": stage.name,
                "gates": stage.gates,
                "seconds": round(stage.seconds, 3),
                "note": stage.note,
            }
            for stage in found.stages
        ],
    }


# ``qsage verify``: check a bundle of proofs again, by our own checker and by those of others


@subcommand(
    "qsage validate sample:tic sample:tic.aig --level formula --proof proofs",
    "qsage verify proofs",
)
def verify_command(
    folder: str = argument("What 'qsage validate --proof DIR' wrote.", "DIR"),
    checker: tuple[str, ...] = option(
        "qsage, lrat-check, drat-trim, dratify, acl2 or coq; may be repeated. "
        "Without it: all that are installed.",
        "NAME",
        default=(),
    ),
    formula: str | None = option("Where the formula is now.", "FILE", panel="Files"),
    cert: str | None = option("Where the certificate is now.", "FILE", panel="Files"),
    meta: str | None = option("Where the meta file is now.", "FILE", panel="Files"),
    theorem: str | None = output_option(
        "Write the theorem about the game, or else the formula, for Coq.", "FILE"
    ),
    cnf_only: bool = flag("Only check the proofs: not whose CNFs they refute."),
    timeout: TimeoutOption = None,
    json_output: JsonOption = False,
) -> Exit:
    """Check the proofs of a bundle, and what they are about.

    Each proof goes to each checker. Each CNF is made again from formula, certificate and rules and
    compared, for an unsatisfiable CNF of something else proves nothing of them.

    Exit code 0: all verified, 1: something is refuted, 2: bad input, 3: a checker gave up, or the
    inputs are not there.
    """
    from qsage_validate.proving.bundle import read_manifest
    from qsage_validate.proving.bundle_check import COQ, checker_names, installed, verify_bundle
    from qsage_validate.proving.theorems import require_program, write_theorem

    for name in checker:
        if name not in checker_names():
            known, near = ", ".join(checker_names()), did_you_mean(name, checker_names())
            raise UsageError(f"found --checker {name}{near}, expected one of {known}")
    if COQ in checker or theorem is not None:
        require_program()
    missing = [name for name in checker if name not in installed()]
    if missing:
        raise UsageError(
            f"the checker {missing[0]} is not installed ('qsage help verify' says how)"
        )
    places = {"formula": formula, "certificate": cert, "meta": meta}
    given = {role: path for role, path in places.items() if path is not None}
    if given and cnf_only:
        raise UsageError("found --cnf-only with a file to compare with, expected one of them")
    manifest = read_manifest(folder).moved(given)
    if theorem is not None:
        narrate(write_theorem(manifest, theorem, deadline=Deadline.after(timeout)))
    names = tuple(dict.fromkeys(checker)) if checker else installed()
    with SearchLine(sys.stderr) as line:
        result = verify_bundle(
            manifest, names, inputs=not cnf_only, timeout=timeout, tell=line.tell
        )
        line.clear()
    if json_output:
        emit_json(result.to_dict())
    else:
        _show(result)
        emit(result.last_line)
    return result.exit_code


def _show(result: BundleVerification) -> None:
    from qsage_validate.render.console import show_table

    for fault in result.faults:
        emit(f"refuted: {fault}")
    if not result.theorems:
        return
    rows = []
    for each in result.checks:
        for outcome in each.outcomes:
            seconds = f"{outcome.seconds:.2f}"
            answer = outcome.answer.value
            level = each.theorem.name
            rows.append((level, outcome.checker, answer, seconds, outcome.reason))
    for proved in result.verified:
        seconds = f"{proved.seconds:.2f}"
        about = f"theorem, {proved.about}"
        rows.append((about, "coq", proved.word, seconds, proved.reason))
    show_table(("level", "checker", "answer", "seconds", "reason"), rows)
    for each in result.checks:
        if each.statement is None:
            said = "the theorem is not known"
        else:
            said = "" if each.unsatisfiable else "not proved: "
            said += one_line(each.statement, 4000)
        emit(f"{each.theorem.name}: {said}")
        for sentence in each.sentences:
            emit(f"  {one_line(sentence)}")
        for beside in each.beside:
            emit(f"  not in the CNF: {one_line(beside)}")
    for proved in result.verified:
        if proved.proved:
            emit(f"coq: {one_line(proved.sentence)}")
