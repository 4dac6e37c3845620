"""``qsage mcp``: the server for agents on standard input and output."""

from __future__ import annotations

import os
from importlib.util import find_spec

from qsage_validate.cli.commands import subcommand
from qsage_validate.cli.parameters import option
from qsage_validate.errors import Exit, InputError, MissingExtraError

_SECONDS = 60.0
_MEGABYTES = 2048


@subcommand("qsage mcp --folder work", "qsage mcp --folder work --seconds 10")
def command(
    *,
    folder: str = option("The folder in which all files are.", "DIR", default="."),
    seconds: float = option("The time of a call.", "SECONDS", min=0.1, default=_SECONDS),
    megabytes: int = option("The memory of a call.", "MB", min=64, default=_MEGABYTES),
) -> Exit:
    """Serve agents: encode, solve, certify, validate, play.

    The Model Context Protocol is spoken on standard input and output; a client starts the command.
    Each call is a process of its own with a limit of time and memory. Files are read and written
    in one folder; the samples of the package are read besides.
    """
    if find_spec("mcp") is None:
        raise MissingExtraError("the server for agents", "mcp")
    if not os.path.isdir(folder):
        found = "a file" if os.path.exists(folder) else "no such folder"
        raise InputError(folder, None, None, found, "a folder to work in")
    from qsage_validate.extensions.mcp.server import serve

    serve(folder, seconds, megabytes)
    return Exit.FINE
