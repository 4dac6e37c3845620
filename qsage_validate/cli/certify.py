"""``qsage certify``: a game or a formula to a checked certificate."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from qsage_validate.cli.common import (
    JsonOption,
    MetaOption,
    PrenexOption,
    check_streams,
    emit_json,
    narrate,
    parse_dialect,
    protect_inputs,
)
from qsage_validate.cli.encode import FormulaFormat, format_of, formula_text
from qsage_validate.cli.formula import (
    encoding_of,
    formula_path,
    load_formula,
    without_depth,
)
from qsage_validate.cli.model_arguments import ModelArguments, takes_model
from qsage_validate.cli.search_progress import SearchLine
from qsage_validate.cli.solve.options import (
    EncodingOption,
    MemoryOption,
    TimeoutOption,
)
from qsage_validate.errors import Exit, UsageError
from qsage_validate.system.limits import Deadline, Limits

if TYPE_CHECKING:
    from qsage_validate.certificates.routes.routes import CertifiedFormula
    from qsage_validate.circuit.qbf import Qbf
    from qsage_validate.encodings.encoding import AnyEncoding
    from qsage_validate.encodings.layout.tables import AnyLayout
    from qsage_validate.kernel.certificate import CircuitCertificate, Dialect


@partial(takes_model, or_formula=True)
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
        typer.Option(
            metavar="FILE",
            help="Write the formula too, as QCIR, or QDIMACS by its name; the certificate is "
            "then one of what is written.",
        ),
    ] = None,
    encoding: EncodingOption = None,
    route: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="auto (default), search, bloqqer, trace, tool or expansion (see docs/solving.md).",
        ),
    ] = "auto",
    solver: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="A QBF solver that writes traces or certificates."),
    ] = None,
    minimise: Annotated[
        bool, typer.Option(help="Make the certificate smaller, as 'qsage minimise'.")
    ] = False,
    dialect: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="caqe (default), qbfcert-ascii or qbfcert-binary."),
    ] = None,
    meta: MetaOption = None,
    prenex: PrenexOption = None,
    jobs: Annotated[
        int, typer.Option(min=1, metavar="N", help="Processes that check the certificate.")
    ] = 1,
    timeout: TimeoutOption = None,
    memory: MemoryOption = None,
    json_output: JsonOption = False,
) -> Exit:
    """Decide a formula, or who wins a game, and write a certificate of the answer.

    The functions of the side that wins, Skolem (true, Black) or Herbrand (false, White), come
    from a search on the rules of a game, or from QBF solvers, by the routes that there are. They
    are written only after both levels of the check have proved them; see 'qsage validate'.
    """
    from qsage_validate.certificates.routes.routes import SEARCH, RouteOptions, certify_formula
    from qsage_validate.encodings.gdl.ground_program import grounding_within
    from qsage_validate.encodings.layout.tables import inconclusive
    from qsage_validate.encodings.registry import encode

    for file in (output, formula):
        check_streams(file, json_output)
    path = formula_path(model)
    protect_inputs([output, formula], model.files if path is None else [path, meta])
    chosen = parse_dialect(dialect)
    limits = Limits(Deadline.after(timeout), memory)
    options = RouteOptions(route, solver, limits, minimise, jobs)
    model, deepens = without_depth(model)
    if deepens:
        raise UsageError("found --depth auto, expected a number (see 'qsage solve --depth auto')")
    encoded: AnyEncoding | None = None
    layout: AnyLayout | None
    if path is not None:
        with grounding_within(memory):
            problem = load_formula(path, model, meta, prenex)
            encoded = encoding_of(problem)
        assert problem.formula is not None, "it was read"
        qbf, layout, name = problem.formula, problem.layout, problem.files.name
    elif meta is not None:
        raise UsageError("found --meta with a game, which has its layout")
    else:
        with grounding_within(memory):
            made_of = encode(model.resolve(), encoding)
        qbf, layout, name = made_of.qbf, made_of.layout, made_of.model.name
        encoded = made_of
    with SearchLine(sys.stderr) as line:
        made = certify_formula(
            qbf,
            options,
            encoding=encoded,
            layout=layout,
            tell=line.tell,
        )
    gates = _write(made, output, formula, chosen)
    why_no_winner = None if made.route == SEARCH else inconclusive(layout, made.truth)
    facts = _facts(made, output, formula, encoded, why_no_winner) | {"gates": gates}
    if json_output:
        emit_json(facts)
    narrate(_text(made, output, name, encoded, gates, why_no_winner))
    return Exit.FINE


def _write(
    made: CertifiedFormula, output: str, formula: str | None, dialect: Dialect | None
) -> int:
    """Write the certificate and, if wanted, the formula; returns the number of AND gates."""
    from qsage_validate.certificates.files.writer import certificate_bytes
    from qsage_validate.formats.source import write_atomic

    certificate, qbf = made.certificate, made.formula
    # Both texts are made and proved to belong together before either file is touched.
    text = None if formula is None else formula_text(qbf, formula)
    if formula is not None and text is not None and format_of(formula) is FormulaFormat.QDIMACS:
        certificate, qbf = _clausal(certificate, qbf, text)
    content = certificate_bytes(
        certificate, qbf, dialect=dialect, binary=not output.endswith(".aag")
    )
    if formula is not None and text is not None:
        write_atomic(formula, text)
    write_atomic(output, content)
    return certificate.aig.num_gates


def _clausal(
    certificate: CircuitCertificate, qbf: Qbf, text: str
) -> tuple[CircuitCertificate, Qbf]:
    """The certificate for the clausal form that ``text`` is, proved anew; and that form."""
    from qsage_validate.certificates.checker.check import CertificateProved, check
    from qsage_validate.certificates.routes.by_search import CheckFailedError
    from qsage_validate.certificates.routes.clausal import for_clausal_form
    from qsage_validate.formats.qdimacs import parse_qdimacs

    clausal = parse_qdimacs(text)
    extended = for_clausal_form(certificate, qbf, clausal)
    checked = check(clausal, extended)
    if not isinstance(checked, CertificateProved):
        raise CheckFailedError(f"the certificate of the clausal form does not hold: {checked}")
    return extended, clausal


def _facts(
    made: CertifiedFormula,
    output: str,
    formula: str | None,
    encoded: AnyEncoding | None,
    why_no_winner: str | None,
) -> dict[str, Any]:
    certificate = made.certificate
    return {
        "certificate": output,
        "formula": formula,
        "game": None if encoded is None else encoded.model.name,
        "verdict": "true" if made.truth else "false",
        "winner": None if encoded is None or why_no_winner else certificate.kind.player.value,
        "kind": certificate.kind.value,
        "gates": certificate.aig.num_gates,
        "functions": len(certificate.functions),
        "dont_cares": len(made.proved.dont_cares),
        "route": made.route,
        "by": made.by,
        "note": made.note,
        "stages": [{"stage": name, "seconds": round(s, 3)} for name, s in made.stages],
        "seconds": round(made.seconds(), 3),
        "check_seconds": round(made.seconds("check"), 3),
        "attempts": [{"route": a.route, "why": a.why} for a in made.attempts],
    }


def _text(
    made: CertifiedFormula,
    output: str,
    name: str,
    encoded: AnyEncoding | None,
    gates: int,
    why_no_winner: str | None,
) -> str:
    kind = made.certificate.kind
    verdict = "true" if made.truth else "false"
    whose = f" ({verdict})" if encoded is None else f" for {kind.player}"
    note = f", {made.note}" if made.note else ""
    note += f", {why_no_winner}" if why_no_winner else ""
    stages = ", ".join(f"{stage} {seconds:.1f} s" for stage, seconds in made.stages)
    return (
        f"{output}: {kind.value} certificate of {name}{whose}, {gates:,} AND gates{note}; "
        f"by {made.by}: {stages}"
    )
