"""The commands ``qsage`` and ``qsage-play``, and the one place where errors become lines.

Exit codes are those of :class:`~qsage_validate.errors.Exit`.  An error is one line on standard
error; with ``QSAGE_DEBUG=1`` the traceback comes before it.
"""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from typing import TextIO

import click

from qsage_validate import __version__
from qsage_validate.cli.commands import (
    LazyCommand,
    Root,
    completion_options,
    run_words,
    variable_of,
)
from qsage_validate.cli.streams import fill_closed_streams, forget_output, say, was_interrupt
from qsage_validate.errors import Exit, InputError, QsageError, UndecidedError, one_line
from qsage_validate.formats.policy import tolerating

# A line of 'qsage --help' each, whole on 80 columns; no other module is loaded for it.
_SUMMARIES = {
    "help": "Show a page of the documents, or the list of them.",
    "demo": "Show what the commands do, step by step, on the samples.",
    "games": "List the games by name with their options; or the encodings.",
    "info": "Tell what FILE is: format, kind, variables, gates, layout.",
    "encode": "Write the formula that says: Black wins MODEL.",
    "solve": "Say whether a formula is true, or who wins a game.",
    "certify": "Decide a formula or a game, and write a certificate.",
    "validate": "Prove a certificate, attack it, and say what is wrong.",
    "layout": "Find out which variables of FORMULA are the moves of a game.",
    "compare": "Say whether the strategy of FIRST wins in SECOND, too.",
    "verify": "Check the proofs of a bundle, and what they are about.",
    "export": "Write a page that plays a proof, a table, or a game.",
    "minimise": "Make a certificate smaller: fewer gates, another proof.",
    "play": "Play against a certificate: its strategy answers.",
}

# Of commands that have no module of their name.
_PLACES = {
    "demo": "help:demo_command",
    "games": "help:games_command",
    "minimise": "export:minimise_command",
    "play": "play.command:command",
    "verify": "export:verify_command",
}


def _version(context: click.Context, option: click.Parameter, wanted: bool) -> None:
    if wanted:
        print(f"qsage-validate {__version__}")
        context.exit()


def _qsage() -> Root:
    version = click.Option(
        ["--version"],
        is_flag=True,
        default=False,
        is_eager=True,
        expose_value=False,
        callback=_version,
        help="Print the version.",
    )
    group = Root(
        "qsage demo",
        "qsage solve httt --size 3x3 --shape el --depth 5",
        help="Find, prove, attack and play winning strategies of two-player games through QBF.",
        params=[version, *completion_options()],
    )
    for name, summary in _SUMMARIES.items():
        place = _PLACES.get(name, f"{name}:command")
        group.add_command(LazyCommand(name, summary, f"{__package__}.{place}"))
    return group


PROGRAMS: Mapping[str, click.Command] = {
    "qsage": _qsage(),
    "qsage-play": LazyCommand("qsage-play", "", f"{__package__}.play.command:program"),
}


def _warn(fault: str) -> None:
    from qsage_validate.cli.common import narrate

    narrate(f"warning: {fault}")


def run(program: click.Command, arguments: Sequence[str], name: str) -> int:
    """Run a program and return its exit code; whatever is raised becomes one line."""
    fill_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # A terminal without a sign shows its code instead; it is no reason to stop.
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        try:
            variable = variable_of(name)
            if asked := os.environ.get(variable):
                from click.shell_completion import shell_complete

                return shell_complete(program, {}, name, variable, asked)
            with tolerating(_warn):
                return run_words(program, arguments, name)
        finally:
            # Output from before an error stands before its line, in a file as well.
            sys.stdout.flush()
    except BaseException as error:  # noqa: BLE001 - nothing may leave as a traceback
        if os.environ.get("QSAGE_DEBUG") == "1":
            traceback.print_exc()
        return _report(error)


def _report(error: BaseException) -> int:
    """Say on standard error what happened; returns the exit code."""
    pipe = error.__context__ if isinstance(error, SystemExit) else error
    if isinstance(pipe, BrokenPipeError):
        forget_output()
        return Exit.BROKEN_PIPE
    if isinstance(error, OSError) and error.filename is None:
        forget_output()
    line, code = _explain(error)
    if sys.stderr is not None and isinstance(error, InputError) and sys.stderr.isatty():
        line += f"\n{caret(error, _columns(sys.stderr))}".removesuffix("\n")
    say(sys.stderr, f"{line}\n")
    return code


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
    if isinstance(error, click.ClickException):
        text = " ".join(error.format_message().split()).removesuffix(".")
        context = getattr(error, "ctx", None)
        command = "qsage" if context is None else context.command_path
        return f"qsage: error: {one_line(text)} (see {command} --help)", Exit.BAD_INPUT
    if isinstance(error, KeyboardInterrupt | EOFError) or was_interrupt(error):
        return "qsage: interrupted", Exit.INTERRUPTED
    if _lacks_memory(error):
        return "qsage: error: out of memory", Exit.UNDECIDED
    if isinstance(error, RecursionError):
        return "qsage: error: the input is nested too deeply", Exit.BAD_INPUT
    if isinstance(error, OSError) and error.errno == errno.EBADF and not error.filename:
        return "qsage: error: standard output is closed", Exit.BAD_INPUT
    if isinstance(error, FileNotFoundError) and not error.filename and not _has_folder():
        return "qsage: error: the working directory is gone", Exit.BAD_INPUT
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


def _has_folder() -> bool:
    """True unless the working directory has been removed."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return False
    return True


# What the loader of modules, and threads, say where there is no memory.
_NO_MEMORY = ("failed to map segment", "cannot allocate memory", "can't start new thread")


def _lacks_memory(error: BaseException | None) -> bool:
    """True if an error, or one that it comes from, says that there is no memory."""
    while error is not None:
        if isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM:
            return True
        if isinstance(error, SystemError | ImportError) and f"{__package__}.watched" in sys.modules:
            return True  # in little memory a library does not say what it lacks, nor does hashlib
        if isinstance(error, ImportError | RuntimeError):
            said = str(error).lower()
            if any(text in said for text in _NO_MEMORY):
                return True
        error = error.__cause__ or error.__context__
    return False


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
