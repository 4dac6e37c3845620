"""``qsage minimise``: a smaller certificate of the same formula."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from qsage_validate.cli import completion
from qsage_validate.cli.commands import subcommand
from qsage_validate.cli.common import SearchLine, check_streams, emit_json, narrate
from qsage_validate.cli.options import (
    CertOptions,
    DialectOption,
    DialectOptions,
    JsonOption,
    RulesOptions,
    parse_dialect,
)
from qsage_validate.cli.parameters import (
    REQUIRED,
    argument,
    option,
    output_option,
)
from qsage_validate.errors import Exit, UsageError
from qsage_validate.system.limits import Deadline

if TYPE_CHECKING:
    from qsage_validate.certificates.smaller import Minimised
    from qsage_validate.kernel.certificate import Dialect


@subcommand(
    "qsage minimise sample:hex sample:hex.aig -o small.aig",
    "qsage minimise sample:hex --cert sample:hex.aig -o small.aag --timeout 5",
)
def command(
    *,
    formula: str = argument("QCIR or QDIMACS.", "FORMULA", complete=completion.files),
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
    from qsage_validate.certificates.writer import certificate_bytes
    from qsage_validate.formats.writing import write_atomic
    from qsage_validate.kernel.certificate import Dialect
    from qsage_validate.problems.load import load

    deadline, cert = Deadline.after(timeout), certificate.path
    if cert is None:
        raise UsageError("found no certificate, expected FORMULA CERT, or FORMULA --cert CERT")
    check_streams(output, json_output)
    chosen = _written_dialect(write)
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
    ascii_form = chosen is Dialect.QBFCERT_ASCII or output.endswith(".aag")
    content = certificate_bytes(
        found.certificate,
        problem.formula,
        dialect=chosen if chosen is not None else found.certificate.dialect,
        binary=not ascii_form,
    )
    write_atomic(output, content)
    if json_output:
        emit_json(_facts(found, output))
    if found.dropped:
        narrate(
            f"{found.dropped} functions of gates, which the formula defines itself, are left out"
        )
    if found.smaller:
        narrate(
            f"{output}: {found.gates:,} AND gates of {found.original:,} in {found.seconds:.1f} s; "
            f"{found.proof}"
        )
    else:
        narrate(f"{output}: nothing smaller than {found.original:,} AND gates was found and proved")
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
