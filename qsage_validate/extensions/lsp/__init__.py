"""A language server: faults, meanings and definitions in an editor, and grammars for colours."""

from typing import Final

from qsage_validate.registry import DeclaredCommand

DECLARES: Final = {"commands": "qsage_validate.extensions.lsp:COMMANDS"}
COMMANDS: Final = (
    DeclaredCommand(
        "lsp", "Serve an editor: faults, meanings and gates of files.", f"{__name__}.cli"
    ),
)
