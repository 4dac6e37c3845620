"""``qsage certify``: a game or a formula to a checked certificate."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from qsage_validate.cli.common import SearchLine, check_streams, emit_json, narrate, protect_inputs
from qsage_validate.cli.encode import FormulaFormat, format_of, formula_text
from qsage_validate.cli.formula import encoding_of, formula_path, load_formula, without_depth
from qsage_validate.cli.model_arguments import ModelArguments, takes_model
from qsage_validate.cli.option_groups import REQUIRED, option
from qsage_validate.cli.options import (
    EncodingOption,
    FormulaOptions,
    JsonOption,
    LimitOptions,
    parse_dialect,
)
from qsage_validate.errors import Exit, UsageError

if TYPE_CHECKING:
    from qsage_validate.certificates.routes.routes import CertifiedFormula
    from qsage_validate.circuit.qbf import Qbf
    from qsage_validate.encodings.encoding import Encoding
    from qsage_validate.encodings.layout.layout import Layout
    from qsage_validate.kernel.certificate import CircuitCertificate, Dialect


@partial(takes_model, or_formula=True)
def command(
    *,
    model: ModelArguments,
    output: str = option(
        "The certificate's file: AIGER, in ASCII when its name ends in .aag.",
        "FILE",
        "-o",
        "--output",
        default=REQUIRED,
    ),
    formula: str | None = option(
        "Write the formula too, as QCIR, or QDIMACS by its name; the certificate is "
        "then one of what is written.",
        "FILE",
    ),
    encoding: EncodingOption = None,
    route: str = option(
        "auto (default), search, bloqqer, trace, tool or expansion (see docs/solving.md).",
        "NAME",
        default="auto",
    ),
    solver: str | None = option("A QBF solver that writes traces or certificates.", "NAME"),
    minimise: bool = option("Make the certificate smaller, as 'qsage minimise'.", default=False),
    dialect: str | None = option("caqe (default), qbfcert-ascii or qbfcert-binary.", "NAME"),
    read: FormulaOptions,
    jobs: int = option("Processes that check the certificate.", "N", min=1, default=1),
    limits: LimitOptions,
    json_output: JsonOption = False,
) -> Exit:
    """Decide a formula, or who wins a game, and write a certificate of the answer.

    The functions of the side that wins, Skolem (true, Black) or Herbrand (false, White), come
    from a search on the rules of a game, or from QBF solvers, by the routes that there are. They
    are written only after both levels of the check have proved them; see 'qsage validate'.
    """
    from qsage_validate.certificates.routes.routes import SEARCH, RouteOptions, certify_formula
    from qsage_validate.encodings.gdl.ground_program import grounding_within
    from qsage_validate.encodings.layout.layout import inconclusive

    for file in (output, formula):
        check_streams(file, json_output)
    path = formula_path(model)
    protect_inputs([output, formula], model.files if path is None else [path, read.meta])
    chosen = parse_dialect(dialect)
    options = RouteOptions(route, solver, limits.begin(), minimise, jobs)
    model, deepens = without_depth(model)
    if deepens:
        raise UsageError("found --depth auto, expected a number (see 'qsage solve --depth auto')")
    if path is None and read.meta is not None:
        raise UsageError("found --meta with a game, which has its layout")
    with grounding_within(limits.memory):
        asked = _encoded(model, encoding) if path is None else _read(path, model, read)
    with SearchLine(sys.stderr) as line:
        proved = certify_formula(
            asked.qbf, options, encoding=asked.encoding, layout=asked.layout, tell=line.tell
        )
    gates = _write(proved, output, formula, chosen)
    why_no_winner = None if proved.route == SEARCH else inconclusive(asked.layout, proved.truth)
    facts = _facts(proved, output, formula, asked.encoding, why_no_winner) | {"gates": gates}
    if json_output:
        emit_json(facts)
    narrate(_text(proved, output, asked, gates, why_no_winner))
    return Exit.FINE


@dataclass(frozen=True)
class _Question:
    """The formula to be certified, and the game that it is known to be of."""

    qbf: Qbf
    layout: Layout | None
    name: str
    encoding: Encoding | None


def _read(path: str, model: ModelArguments, read: FormulaOptions) -> _Question:
    problem = load_formula(path, model, read)
    assert problem.formula is not None, "it was read"
    return _Question(problem.formula, problem.layout, problem.files.name, encoding_of(problem))


def _encoded(model: ModelArguments, encoding: str | None) -> _Question:
    from qsage_validate.encodings.registry import encode

    encoded = encode(model.resolve(), encoding)
    return _Question(encoded.qbf, encoded.layout, encoded.model.name, encoded)


def _write(
    proved: CertifiedFormula, output: str, formula: str | None, dialect: Dialect | None
) -> int:
    """Write the certificate and, if wanted, the formula; returns the number of AND gates."""
    from qsage_validate.certificates.files.writer import certificate_bytes
    from qsage_validate.formats.source import write_atomic

    certificate, qbf = proved.certificate, proved.formula
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
    proved: CertifiedFormula,
    output: str,
    formula: str | None,
    encoded: Encoding | None,
    why_no_winner: str | None,
) -> dict[str, Any]:
    certificate = proved.certificate
    return {
        "certificate": output,
        "formula": formula,
        "game": None if encoded is None else encoded.model.name,
        "verdict": "true" if proved.truth else "false",
        "winner": None if encoded is None or why_no_winner else certificate.kind.player.value,
        "kind": certificate.kind.value,
        "gates": certificate.aig.num_gates,
        "functions": len(certificate.functions),
        "dont_cares": len(proved.proved.dont_cares),
        "route": proved.route,
        "by": proved.by,
        "note": proved.note,
        "stages": [{"stage": name, "seconds": round(s, 3)} for name, s in proved.stages],
        "seconds": round(proved.seconds(), 3),
        "check_seconds": round(proved.seconds("check"), 3),
        "attempts": [{"route": a.route, "why": a.why} for a in proved.attempts],
    }


def _text(
    proved: CertifiedFormula, output: str, asked: _Question, gates: int, why_no_winner: str | None
) -> str:
    kind = proved.certificate.kind
    verdict = "true" if proved.truth else "false"
    whose = f" ({verdict})" if asked.encoding is None else f" for {kind.player}"
    note = f", {proved.note}" if proved.note else ""
    note += f", {why_no_winner}" if why_no_winner else ""
    stages = ", ".join(f"{stage} {seconds:.1f} s" for stage, seconds in proved.stages)
    return (
        f"{output}: {kind.value} certificate of {asked.name}{whose}, {gates:,} AND gates{note}; "
        f"by {proved.by}: {stages}"
    )
