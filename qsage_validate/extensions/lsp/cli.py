"""``qsage lsp``: the language server on standard input and output, and the files for editors."""

from __future__ import annotations

from importlib.util import find_spec

from qsage_validate.cli.commands import subcommand
from qsage_validate.cli.common import narrate
from qsage_validate.cli.parameters import output_option
from qsage_validate.errors import Exit, MissingExtraError


@subcommand("qsage lsp", "qsage lsp --write-grammars qsage-colours")
def command(
    *,
    write_grammars: str | None = output_option(
        "Write the TextMate grammars into a new folder, which is an extension of VS Code, and end.",
        "DIR",
        panel=None,
    ),
) -> Exit:
    """Serve an editor: faults, meanings and gates of files.

    The language server protocol is spoken on standard input and output; an editor starts the
    command. Files in QCIR, BDDL, PG and GDL and files of assertions get their faults as
    diagnostics, with the places that 'qsage info' names. In QCIR the meaning of the variable or
    gate under the cursor is shown, by the layout in the file, and 'go to definition' leads to it.
    """
    if write_grammars is not None:
        from qsage_validate.extensions.lsp.documents import write_editor_files

        for name in write_editor_files(write_grammars):
            narrate(f"{name}: written")
        return Exit.FINE
    if find_spec("pygls") is None:
        raise MissingExtraError("the language server", "lsp")
    from qsage_validate.extensions.lsp.server import serve

    serve()
    return Exit.FINE
