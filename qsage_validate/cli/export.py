"""``qsage export``: a certificate in a form for people without this program."""

from __future__ import annotations

from dataclasses import replace

from qsage_validate.cli import completion
from qsage_validate.cli.commands import subcommand
from qsage_validate.cli.common import check_streams, emit_json, narrate
from qsage_validate.cli.options import CertOptions, DialectOptions, JsonOption, RulesOptions
from qsage_validate.cli.parameters import (
    REQUIRED,
    argument,
    option,
    output_option,
)
from qsage_validate.errors import Exit, UsageError

_KINDS = ("page",)


@subcommand(
    "qsage export page sample:hex sample:hex.aig -o play.html",
    "qsage export page sample:tic --cert sample:tic.aig -o play.html",
)
def command(
    *,
    kind: str = argument("What to write: page.", "page"),
    formula: str = argument("QCIR or QDIMACS.", "FORMULA", complete=completion.files),
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
    the verdict of 'qsage validate' and the SHA-256 of both files. Black's certificates (Skolem) of
    formulas with a layout can travel, up to a million gates. The page does not ask the rules of
    the game.

    Exit code 0: written and proved, 1: written and refuted, 2: bad input, 3: written and
    undecided, 130: interrupted.
    """
    from qsage_validate.api.strategies import Strategy
    from qsage_validate.problems.load import load

    if kind not in _KINDS:
        raise UsageError(f"found {kind!r}, expected what to export: {', '.join(_KINDS)}")
    if certificate.path is None:
        raise UsageError("found no certificate, expected FORMULA CERT, or FORMULA --cert CERT")
    check_streams(output, json_output)
    files = rules.files(formula, certificate.path, dialect)
    # A function that looks to its right is found by the validation.
    strategy = Strategy(load(replace(files, unchecked_dependencies=True)))
    report = strategy.save_page(output, timeout=timeout).whole
    if json_output:
        emit_json({"page": output, "verdict": report.word, "summary": report.last_line})
    narrate(f"{output}: {report.last_line}")
    return report.exit_code
