"""``qsage encode``: rules to QBF."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from qsage_validate.cli.commands import subcommand
from qsage_validate.cli.common import check_streams, emit_json, narrate
from qsage_validate.cli.formula import load_formula
from qsage_validate.cli.model_arguments import ModelArguments, formula_path, model_words
from qsage_validate.cli.options import (
    EncodingOption,
    FormulaOptions,
    JsonOption,
    PrenexOption,
    PrepareOption,
    StrictOption,
)
from qsage_validate.cli.parameters import REQUIRED, option, output_option
from qsage_validate.errors import Exit, UsageError

if TYPE_CHECKING:
    from qsage_validate.circuit.qbf import Qbf
    from qsage_validate.formats.qdimacs import Placement


class FormulaFormat(str, Enum):
    """The formats of a written formula."""

    QCIR = "qcir"
    QDIMACS = "qdimacs"


def format_of(path: str) -> FormulaFormat:
    """The format that the name of a file asks for."""
    from qsage_validate.formats.source import is_clausal_name

    return FormulaFormat.QDIMACS if is_clausal_name(path) else FormulaFormat.QCIR


class Clauses(str, Enum):
    """How a circuit is made into clauses."""

    TSEITIN = "tseitin"
    POLARITY = "polarity"
    EARLY = "early"


def formula_text(
    qbf: Qbf,
    path: str,
    file_format: FormulaFormat | None = None,
    clauses: Clauses = Clauses.TSEITIN,
) -> str:
    """The text of a formula in ``file_format``, by default what the name of its file says."""
    if (file_format or format_of(path)) is not FormulaFormat.QDIMACS:
        from qsage_validate.formats.qcir_writer import qcir_text

        return qcir_text(qbf)
    from qsage_validate.encodings.layout_lines import comments_in_clauses
    from qsage_validate.formats.qdimacs import clausal_form, qbf_to_qdimacs, qdimacs_text

    if clauses is Clauses.TSEITIN:
        return qbf_to_qdimacs(qbf)
    placement: Placement = "early" if clauses is Clauses.EARLY else "innermost"
    form = clausal_form(qbf, polarity=True, placement=placement)
    # The variable of a gate need not equal the gate here.
    named = {v: name for v, name in qbf.names.items() if v not in qbf.gates}
    return qdimacs_text(form, comments_in_clauses(qbf, qbf.levels()), named)


@subcommand(
    "qsage encode httt --size 4x4 --shape tic --depth 5 -o tic.qcir",
    "qsage encode tic.qcir -o tic.qdimacs",
)
def command(
    model: ModelArguments = model_words(or_formula=True),
    output: str = output_option(
        "The formula's file, or '-'.",
        "FILE",
        "-o",
        "--output",
        default=REQUIRED,
    ),
    file_format: FormulaFormat | None = option(
        "qcir or qdimacs; by default what the file's name says, else qcir.",
        None,
        "--format",
        panel="Output",
    ),
    encoding: EncodingOption = None,
    prepare: PrepareOption = False,
    clauses: Clauses | None = option(
        "In QDIMACS: tseitin (default); polarity: only the clauses that are needed "
        "(Plaisted and Greenbaum); early: gates beside their inputs besides.",
        panel="Output",
    ),
    memory: int | None = option(
        "Give up a game in GDL whose rules need more when grounded.", "MB", min=1, panel="Limits"
    ),
    prenex: PrenexOption = None,
    strict: StrictOption = False,
    json_output: JsonOption = False,
) -> Exit:
    """Write the formula that says: Black wins MODEL.

    For a formula: write it in prenex form, which certificates are about, or in clauses.
    """
    from qsage_validate.encodings.registry import encode
    from qsage_validate.formats.source import label
    from qsage_validate.formats.writing import write_atomic
    from qsage_validate.games.naming import name_of
    from qsage_validate.system.memory import memory_within

    check_streams(output, json_output)
    path = formula_path(model)
    if path is not None and encoding is not None:
        raise UsageError("found --encoding with a formula, expected a game")
    if path is not None and prepare:
        raise UsageError("found --prepare with a formula, expected a positional game")
    with memory_within(memory):
        if path is not None:
            problem = load_formula(path, model, FormulaOptions(prenex=prenex))
            qbf = problem.qbf
            about: dict[str, object] = {"formula": label(path)}
            title = f"formula {label(path)}"
        else:
            facts_left: dict[str, object] = {}
            if prepare:
                from qsage_validate.cli.prepare import prepare_model

                prepared = prepare_model(model, encoding, encodes=True)
                game = prepared.left
                encoded = encode(game, encoding)
                prepared.tell()
                facts_left = prepared.facts
            else:
                game = model.resolve(encoding)
                encoded = encode(game, encoding)
            qbf = encoded.qbf
            about = {
                "game": name_of(game),
                "depth": encoded.model.depth,
                "encoding": encoded.layout.encoding,
                **facts_left,
            }
            title = "{encoding} encoding of {game}, depth {depth}".format(**about)
    chosen = file_format or format_of(output)
    if clauses is not None and chosen is FormulaFormat.QCIR:
        raise UsageError("found --clauses with a formula in QCIR, which is no clausal form")
    write_atomic(output, formula_text(qbf, output, chosen, clauses or Clauses.TSEITIN))
    facts = {
        "file": output,
        **about,
        "format": chosen.value,
        "scopes": len(qbf.merged_scopes()),
        "variables": qbf.num_variables,
        "gates": len(qbf.gates),
    }
    if json_output:
        emit_json(facts)
    narrate(
        "{file}: {title}: {scopes} scopes, {variables} variables, {gates} gates".format(
            **facts, title=title
        )
    )
    return Exit.FINE
