"""``qsage encode``: rules to QBF."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

from qsage_validate.cli.common import JsonOption, check_streams, emit_json, narrate, protect_inputs
from qsage_validate.cli.model_arguments import ModelArguments, takes_model
from qsage_validate.errors import Exit


class FormulaFormat(str, Enum):
    """What a formula can be written as."""

    QCIR = "qcir"
    QDIMACS = "qdimacs"


@takes_model
def command(
    model: ModelArguments,
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="The formula's file, or '-'.")
    ],
    file_format: Annotated[
        FormulaFormat | None,
        typer.Option(
            "--format", help="qcir or qdimacs; by default what the file's name says, else qcir."
        ),
    ] = None,
    encoding: Annotated[str, typer.Option(metavar="NAME", help="The encoding.")] = "lifted",
    json_output: JsonOption = False,
) -> Exit:
    """Write the formula that says: Black wins MODEL within its depth."""
    from qsage_validate.encodings.encoding import encode
    from qsage_validate.formats.qcir import write_qcir
    from qsage_validate.formats.qdimacs import write_qdimacs

    check_streams(output, json_output)
    protect_inputs([output], model.files)
    encoded = encode(model.resolve(), encoding)
    qbf = encoded.qbf
    if file_format is None:
        clausal = output.endswith((".qdimacs", ".dimacs", ".cnf"))
    else:
        clausal = file_format is FormulaFormat.QDIMACS
    (write_qdimacs if clausal else write_qcir)(qbf, output)
    facts = {
        "file": output,
        "game": encoded.model.name,
        "depth": encoded.model.problem.depth,
        "encoding": encoding,
        "format": (FormulaFormat.QDIMACS if clausal else FormulaFormat.QCIR).value,
        "scopes": len(qbf.merged_scopes()),
        "variables": qbf.num_variables,
        "gates": len(qbf.gates),
    }
    if json_output:
        emit_json(facts)
    narrate(
        "{file}: {encoding} encoding of {game}, depth {depth}: "
        "{scopes} scopes, {variables} variables, {gates} gates".format(**facts)
    )
    return Exit.FINE
