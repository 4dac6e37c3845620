"""``qsage verify``: check a bundle of proofs again, by our own checker and by those of others."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from qsage_validate.cli.commands import subcommand
from qsage_validate.cli.common import SearchLine, emit, emit_json, narrate
from qsage_validate.cli.options import JsonOption, TimeoutOption
from qsage_validate.cli.parameters import (
    argument,
    flag,
    option,
    output_option,
)
from qsage_validate.errors import Exit, UsageError, did_you_mean, one_line
from qsage_validate.system.limits import Deadline

if TYPE_CHECKING:
    from qsage_validate.proving.bundle_check import BundleVerification


@subcommand(
    "qsage validate sample:tic sample:tic.aig --level formula --proof proofs",
    "qsage verify proofs",
)
def command(
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
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from qsage_validate.render.console import PlainConsole

    for fault in result.faults:
        emit(f"refuted: {fault}")
    if not result.theorems:
        return
    table = Table(box=SIMPLE_HEAD, header_style="bold", pad_edge=False, show_edge=False)
    for column in ("level", "checker", "answer", "seconds", "reason"):
        table.add_column(column, justify="right" if column == "seconds" else "left")
    for each in result.theorems:
        for outcome in each.outcomes:
            seconds = f"{outcome.seconds:.2f}"
            answer = outcome.answer.value
            table.add_row(
                each.theorem.level.value, outcome.checker, answer, seconds, outcome.reason
            )
    for proved in result.verified:
        seconds = f"{proved.seconds:.2f}"
        about = f"theorem, {proved.about}"
        table.add_row(about, "coq", proved.word, seconds, proved.reason)
    PlainConsole(file=sys.stdout, highlight=False, markup=False).print(table)
    for each in result.theorems:
        if each.statement is None:
            said = "the theorem is not known"
        else:
            said = "" if each.unsatisfiable else "not proved: "
            said += one_line(each.statement, 4000)
        emit(f"{each.theorem.level.value}: {said}")
        for sentence in each.sentences:
            emit(f"  {one_line(sentence)}")
        for beside in each.beside:
            emit(f"  not in the CNF: {one_line(beside)}")
    for proved in result.verified:
        if proved.proved:
            emit(f"coq: {one_line(proved.sentence)}")
