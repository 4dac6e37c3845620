"""``qsage lsp``."""

from typing import Final

from qsage_validate.cli.commands import DeclaredCommand

COMMANDS: Final = (
    DeclaredCommand(
        "lsp", "Serve an editor: faults, meanings and gates of files.", f"{__package__}.command"
    ),
)
