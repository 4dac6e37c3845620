"""The server for agents: tools with typed arguments, each call confined, limited and apart."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Final

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from qsage_validate import __version__
from qsage_validate.errors import QsageError, Undecided
from qsage_validate.extensions.mcp import calls
from qsage_validate.formats.policy import confinement
from qsage_validate.system.limits import Deadline, Limits
from qsage_validate.system.pool import RemoteError, run_job

_GRACE: Final = 5.0  # seconds in which a call that keeps its limit by itself tells so
_INSTRUCTIONS: Final = (
    "Winning strategies of two-player games through QBF. A certificate is believed when 'validate' "
    "says so: quote its sentence as it is. 'undecided' means that a limit came first. Files are "
    "in one folder; 'sample:tic' and the like name the samples of the package."
)

Name = Annotated[
    str, Field(description="A game by name ('hex', 'httt'), or a file: a game or a formula.")
]
GameName = Annotated[
    str, Field(description="A game by name ('hex', 'httt'), or its file (BDDL, PG, GDL, .hex).")
]
Options = Annotated[
    dict[str, str | int | bool] | None,
    Field(description="The game's options, as {'size': '3x3', 'depth': 5}."),
]
Problem = Annotated[str | None, Field(description="The problem that belongs to a BDDL domain.")]
FormulaFile = Annotated[str, Field(description="A formula: QCIR, QDIMACS or QAIGER.")]
CertificateFile = Annotated[str, Field(description="A certificate of the formula.")]
Seconds = Annotated[
    float | None, Field(description="A limit of time that is shorter than the server's.", gt=0)
]


@dataclass(frozen=True, slots=True)
class CallLimits:
    """The limits of a call: seconds, and megabytes."""

    seconds: float
    megabytes: int

    def shorter(self, seconds: float | None) -> float:
        """The seconds that a call has which asked for so many."""
        return self.seconds if seconds is None else min(seconds, self.seconds)

    def run(
        self, seconds: float, work: Callable[..., calls.Facts], *arguments: object
    ) -> dict[str, Any]:
        """The result of a call; raises ``ToolError`` with the line of an error."""
        limits = Limits(Deadline.after(seconds + _GRACE), self.megabytes)
        try:
            found = run_job(work, *arguments, limits=limits)
        except RemoteError as error:
            raise ToolError(f"{error} (exit code {int(error.exit_code)})") from None
        except QsageError as error:
            raise ToolError(str(error)) from None
        if isinstance(found, Undecided):
            raise ToolError(f"{found} (exit code {int(found.exit_code)})")
        return found


def make_server(limits: CallLimits) -> MCPServer[Any]:
    """A server with all its tools."""
    server: MCPServer[Any] = MCPServer(
        "qsage", instructions=_INSTRUCTIONS, version=__version__, log_level="ERROR"
    )

    @server.tool()
    def encode(
        game: GameName,
        output: str,
        options: Options = None,
        problem: Problem = None,
        encoding: str | None = None,
    ) -> dict[str, Any]:
        """Write the formula that says: Black wins the game within its depth (QCIR, QDIMACS)."""
        given = (game, options or {}, problem, encoding, output)
        return limits.run(limits.seconds, calls.encoded, *given)

    @server.tool()
    def solve(
        subject: Name,
        options: Options = None,
        problem: Problem = None,
        solver: str | None = None,
        all_first_moves: bool = False,
        seconds: Seconds = None,
    ) -> dict[str, Any]:
        """Say who wins a game, or the value of a formula; a solver's word is no proof."""
        own = limits.shorter(seconds)
        given = (subject, options or {}, problem, solver, all_first_moves, own, limits.megabytes)
        return limits.run(own, calls.solved, *given)

    @server.tool()
    def certify(
        subject: Name,
        certificate: str,
        formula: str | None = None,
        options: Options = None,
        problem: Problem = None,
        encoding: str | None = None,
        solver: str | None = None,
        seconds: Seconds = None,
    ) -> dict[str, Any]:
        """Write the winner's strategy as a certificate (.aig, .aag), and the formula (.qcir)."""
        own = limits.shorter(seconds)
        given = (subject, options or {}, problem, encoding, solver, certificate, formula)
        return limits.run(own, calls.certified, *given, own, limits.megabytes)

    @server.tool()
    def validate(
        formula: FormulaFile,
        certificate: CertificateFile,
        levels: list[str] | None = None,
        seconds: Seconds = None,
    ) -> dict[str, Any]:
        """Prove a certificate, against the formula and the rules, or say what is wrong with it."""
        own = limits.shorter(seconds)
        return limits.run(own, calls.validated, formula, certificate, levels, own)

    @server.tool()
    def play(
        formula: FormulaFile,
        certificate: CertificateFile,
        moves: Annotated[list[str], Field(description="Your moves so far, in order.")],
    ) -> dict[str, Any]:
        """Play against a certificate: your moves are made, and answered by its strategy."""
        return limits.run(limits.seconds, calls.played, formula, certificate, moves)

    @server.tool()
    def explain(
        formula: FormulaFile,
        certificate: CertificateFile,
        lookahead: Annotated[int, Field(ge=0, le=3)] = 3,
        seconds: Seconds = None,
    ) -> dict[str, Any]:
        """Show a strategy as a small program that people can play by, proved."""
        own = limits.shorter(seconds)
        given = (formula, certificate, lookahead, own, limits.megabytes)
        return limits.run(own, calls.explained, *given)

    return server


def serve(folder: str, seconds: float, megabytes: int) -> None:
    """Serve on standard input and output until the client ends it; files are those of ``folder``.

    The processes of calls know of the folder from the environment, as those of boards in a browser.
    """
    with _confined(folder):
        make_server(CallLimits(seconds, megabytes)).run()


@contextlib.contextmanager
def _confined(folder: str) -> Iterator[None]:
    """While inside, this process and those that it starts are confined to the folder."""
    variables, place = confinement(folder, (), ()), os.getcwd()
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(place)
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
