"""``qsage validate``: is the certificate one for the formula?"""

from __future__ import annotations

from typing import Annotated

import typer

from qsage_validate.cli.common import DialectOption, JsonOption, emit, emit_json, parse_dialect
from qsage_validate.cli.solve import TimeoutOption
from qsage_validate.errors import Exit


def command(
    formula: Annotated[str, typer.Argument(metavar="FORMULA", help="QCIR or QDIMACS.")],
    cert: Annotated[str, typer.Option(metavar="FILE", help="The certificate.")],
    dialect: DialectOption = None,
    timeout: TimeoutOption = None,
    json_output: JsonOption = False,
) -> Exit:
    """Prove that a certificate makes FORMULA true (Skolem) or false (Herbrand).

    Level 1: each function reads only variables left of its own. Level 2, by SAT: no choice of
    the opponent's variables beats the functions. Exit code 0: proved, 1: refuted, 3: undecided.
    """
    from qsage_validate.certificates.check import (
        CertificateProved,
        CertificateRefuted,
        CertificateUndecided,
        check,
    )
    from qsage_validate.certificates.reader import read_certificate
    from qsage_validate.formats.formula import read_formula

    qbf = read_formula(formula)
    certificate = read_certificate(cert, qbf, dialect=parse_dialect(dialect))
    result = check(qbf, certificate, timeout=timeout)
    facts: dict[str, object] = {
        "formula": formula,
        "certificate": cert,
        "kind": certificate.kind.value,
        "dialect": certificate.dialect.value,
    }
    match result:
        case CertificateProved():
            facts |= {
                "verdict": "proved",
                "dont_cares": [qbf.name(v) for v in result.dont_cares],
                "gates": result.gates,
                "seconds": round(result.seconds, 3),
            }
        case CertificateRefuted():
            facts |= {"verdict": "refuted", "reason": result.reason}
            if result.choice is not None:
                facts["choice"] = {qbf.name(v): value for v, value in result.choice.items()}
        case CertificateUndecided():
            facts |= {"verdict": "undecided", "reason": result.why}
    if json_output:
        emit_json(facts)
    else:
        emit(str(result))
    return result.exit_code
