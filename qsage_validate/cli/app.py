"""The commands ``qsage`` and ``qsage-play``, and the one place where errors become lines.

Exit codes are those of :class:`~qsage_validate.errors.Exit`.  An error is one line on standard
error; with ``QSAGE_DEBUG=1`` the traceback comes before it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Annotated, Any, NoReturn, TextIO

import typer

from qsage_validate import __version__
from qsage_validate.cli import (
    certify,
    compare,
    encode,
    games,
    info,
    minimise,
    synthesize,
    validate,
    verify,
)
from qsage_validate.cli.bench import command as bench_command
from qsage_validate.cli.play import command as play_command
from qsage_validate.cli.solve import command as solve_command
from qsage_validate.errors import Exit, InputError, QsageError, UndecidedError, one_line


def _program() -> typer.Typer:
    return typer.Typer(
        add_completion=True,
        context_settings={"help_option_names": ["-h", "--help"]},
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )


app = _program()
play_app = _program()


def _version(wanted: bool) -> None:
    if wanted:
        print(f"qsage-validate {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def qsage(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Find, prove, attack and play winning strategies of two-player games through QBF."""
    if context.invoked_subcommand is None:
        print(context.get_help())


app.command("games")(games.command)
app.command("info")(info.command)
app.command("encode")(encode.command)
app.command("solve")(solve_command.command)
app.command("certify")(certify.command)
app.command("validate")(validate.command)
app.command("compare")(compare.command)
app.command("verify")(verify.command)
app.command("minimise")(minimise.command)
app.command("synthesize")(synthesize.command)
app.command("play")(play_command.command)
app.add_typer(bench_command.app, name="bench")
play_app.command("qsage-play")(play_command.command)


def main() -> NoReturn:
    """Run ``qsage`` on the arguments of the process."""
    sys.exit(run(app, sys.argv[1:], "qsage"))


def play_main() -> NoReturn:
    """Run ``qsage-play``, which is ``qsage play``, on the arguments of the process."""
    sys.exit(run(play_app, sys.argv[1:], "qsage-play"))


def run(program: Callable[..., Any], arguments: Sequence[str], name: str) -> int:
    """Run a Typer program and return its exit code; whatever is raised becomes one line."""
    if sys.stdout is None:
        # Closed by the caller.  Only those commands fail that have something to print.
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    for stream in (sys.stdout, sys.stderr):
        # A terminal without a sign shows its code instead; it is no reason to stop.
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        try:
            code = program(args=list(arguments), prog_name=name, standalone_mode=False)
        finally:
            # What was printed before an error stands before its line, in a file as well.
            sys.stdout.flush()
    except BaseException as error:  # noqa: BLE001 - nothing may leave as a traceback
        if os.environ.get("QSAGE_DEBUG") == "1":
            traceback.print_exc()
        return _report(error)
    if code == Exit.INTERRUPTED:  # so Typer answers Ctrl-C
        return _report(KeyboardInterrupt())
    return int(code or 0)


def _report(error: BaseException) -> int:
    """Say on standard error what happened; returns the exit code."""
    pipe = error.__context__ if isinstance(error, SystemExit) else error
    if isinstance(pipe, BrokenPipeError):
        _forget_output()
        return Exit.BROKEN_PIPE
    if isinstance(error, OSError) and error.filename is None:
        _forget_output()
    line, code = _explain(error)
    if sys.stderr is not None:
        # Standard error may be what is full; the exit code still says what happened.
        with contextlib.suppress(OSError):
            print(line, file=sys.stderr)
            if isinstance(error, InputError) and sys.stderr.isatty():
                print(caret(error, _columns(sys.stderr)), end="", file=sys.stderr)
    return code


def _forget_output() -> None:
    """Lead what is left in the buffer of standard output nowhere.

    Its reader has gone or its disk is full: Python must not stumble over it once more at exit.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _explain(error: BaseException) -> tuple[str, int]:
    """The line and the exit code for an exception."""
    if isinstance(error, InputError):
        return str(error), error.exit_code
    if isinstance(error, UndecidedError):
        text = one_line(str(error))
        return (
            f"qsage: {'' if text.startswith('undecided') else 'undecided: '}{text}",
            error.exit_code,
        )
    if isinstance(error, QsageError):
        return f"qsage: error: {one_line(str(error))}", error.exit_code
    if isinstance(error, typer.TyperException):
        text = " ".join(error.format_message().split())
        context = getattr(error, "ctx", None)
        command = "qsage" if context is None else context.command_path
        return f"qsage: error: {one_line(text)} (see {command} --help)", Exit.BAD_INPUT
    if isinstance(error, KeyboardInterrupt | typer.Abort | EOFError):
        return "qsage: interrupted", Exit.INTERRUPTED
    if isinstance(error, MemoryError):
        return "qsage: error: out of memory", Exit.UNDECIDED
    if isinstance(error, RecursionError):
        return "qsage: error: the input is nested too deeply", Exit.BAD_INPUT
    if isinstance(error, OSError) and error.errno == errno.EBADF and not error.filename:
        return "qsage: error: standard output is closed", Exit.BAD_INPUT
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return f"qsage: error: {one_line(f'{place}{error.strerror or error}')}", Exit.BAD_INPUT
    if isinstance(error, SystemExit):
        raise error
    kind = type(error).__name__
    return (
        f"qsage: internal error: {one_line(f'{kind}: {error}')} "
        "(a bug: please report it; QSAGE_DEBUG=1 shows where it is)",
        Exit.INTERNAL,
    )


def caret(error: InputError, width: int) -> str:
    """The offending line with a caret under the column; empty when they are not known.

    At most ``width`` columns of the line around the place are shown.
    """
    if error.excerpt is None or error.column is None:
        return ""
    column = min(error.column - 1, len(error.excerpt))
    first = max(0, column - width // 2)
    shown = error.excerpt[first : first + width - 4]
    line = "".join(c if c.isprintable() else " " for c in shown)
    return f"  {line}\n  {' ' * (column - first)}^\n"


def _columns(stream: TextIO) -> int:
    try:
        return max(20, os.get_terminal_size(stream.fileno()).columns)
    except (OSError, ValueError):
        return 80
