"""``qsage synthesize``, and ``qsage play`` on an impartial game."""

from typing import Final

from qsage_validate.cli.commands import DeclaredCommand

COMMANDS: Final = (
    DeclaredCommand(
        "synthesize",
        "Find the winning formula of an impartial game.",
        f"{__package__}.synthesize",
    ),
)
