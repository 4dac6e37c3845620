"""``qsage certify``: rules to a checked certificate."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from qsage_validate.cli.common import (
    JsonOption,
    check_streams,
    emit_json,
    narrate,
    parse_dialect,
    protect_inputs,
)
from qsage_validate.cli.encode import FormulaFormat, format_of, formula_text
from qsage_validate.cli.model_arguments import ModelArguments, takes_model
from qsage_validate.cli.search_progress import SearchLine
from qsage_validate.cli.solver_options import MemoryOption, TimeoutOption, search_limits
from qsage_validate.errors import Exit

if TYPE_CHECKING:
    from qsage_validate.certificates.certificate import CircuitCertificate
    from qsage_validate.circuit.qbf import Qbf


@takes_model
def command(
    model: ModelArguments,
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="The certificate's file: AIGER, in ASCII when its name ends in .aag.",
        ),
    ],
    formula: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write the formula too: QCIR, or QDIMACS by its name."),
    ] = None,
    encoding: Annotated[str, typer.Option(metavar="NAME", help="The encoding.")] = "lifted",
    dialect: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="caqe (default), qbfcert-ascii or qbfcert-binary."),
    ] = None,
    timeout: TimeoutOption = None,
    memory: MemoryOption = None,
    json_output: JsonOption = False,
) -> Exit:
    """Find out who wins MODEL and write a certificate of it.

    The winner's strategy, found by search on the rules, is compiled into a Skolem (Black) or
    Herbrand (White) certificate for the encoding of MODEL. It is written only after both levels
    of the check have proved it; see 'qsage validate'.
    """
    from qsage_validate.certificates.certify import certify_game
    from qsage_validate.certificates.writer import certificate_bytes
    from qsage_validate.formats.source import write_atomic

    for file in (output, formula):
        check_streams(file, json_output)
    protect_inputs([output, formula], model.files)
    chosen = parse_dialect(dialect)
    with SearchLine(sys.stderr) as line:
        made = certify_game(
            model.resolve(),
            encoding,
            limits=search_limits(timeout, memory),
            progress=line.progress,
            stage=line.stage,
        )
    qbf, certificate = made.encoding.qbf, made.certificate
    # Both texts are made and proved to belong together before either file is touched.
    text = None if formula is None else formula_text(qbf, formula)
    if formula is not None and text is not None and format_of(formula) is FormulaFormat.QDIMACS:
        certificate, qbf = _clausal(certificate, qbf, text)
    content = certificate_bytes(
        certificate, qbf, dialect=chosen, binary=not output.endswith(".aag")
    )
    if formula is not None and text is not None:
        write_atomic(formula, text)
    write_atomic(output, content)
    facts = {
        "certificate": output,
        "formula": formula,
        "game": made.encoding.model.name,
        "winner": made.winner.value,
        "kind": certificate.kind.value,
        "gates": certificate.aig.num_gates,
        "functions": len(certificate.functions),
        "decisions": made.decisions,
        "search_seconds": round(made.search_seconds, 3),
        "compile_seconds": round(made.compile_seconds, 3),
        "check_seconds": round(made.check_seconds, 3),
    }
    if json_output:
        emit_json(facts)
    narrate(
        f"{output}: {certificate.kind.value} certificate of {made.encoding.model.name} for "
        f"{made.winner}, {certificate.aig.num_gates:,} AND gates, {made.decisions} decisions; "
        f"search {made.search_seconds:.1f} s, compilation {made.compile_seconds:.1f} s, "
        f"proof {made.check_seconds:.1f} s"
    )
    return Exit.FINE


def _clausal(
    certificate: CircuitCertificate, qbf: Qbf, text: str
) -> tuple[CircuitCertificate, Qbf]:
    """The certificate for the clausal form that ``text`` is, proved anew; and that form."""
    from qsage_validate.certificates.certify import CheckFailedError
    from qsage_validate.certificates.check import CertificateProved, check
    from qsage_validate.certificates.clausal import for_clausal_form
    from qsage_validate.formats.qdimacs import parse_qdimacs

    clausal = parse_qdimacs(text)
    extended = for_clausal_form(certificate, qbf, clausal)
    checked = check(clausal, extended)
    if not isinstance(checked, CertificateProved):
        raise CheckFailedError(f"the certificate of the clausal form does not hold: {checked}")
    return extended, clausal
