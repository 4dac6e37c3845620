"""The options of ``qsage play --web``: the board in a browser."""

from __future__ import annotations

from dataclasses import dataclass

from qsage_validate.cli.parameters import OptionGroup, flag, option
from qsage_validate.errors import UsageError

_PANEL = "In a browser"
PORT, HOST = 8000, "127.0.0.1"


@dataclass(frozen=True)
class WebOptions(OptionGroup):
    """Options of a board in a browser."""

    web: bool = flag("Show the board in a browser instead of this terminal.", panel=_PANEL)
    port: int | None = option(
        f"The port ({PORT}; 0: one that is free).", "N", min=0, max=65535, panel=_PANEL
    )
    host: str | None = option(
        f"The address to listen on ({HOST}: this machine alone).", "ADDRESS", panel=_PANEL
    )

    def check(self) -> None:
        """Raise ``UsageError`` for the others without ``--web``."""
        for name, value in (("--port", self.port), ("--host", self.host)):
            if value is not None and not self.web:
                raise UsageError(f"found {name} without --web, expected both")
