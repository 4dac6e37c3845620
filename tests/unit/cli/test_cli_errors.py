"""Whatever a command raises leaves as one line and an exit code of the table."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO

import click
import pytest

from qsage_validate.cli import start as beginning
from qsage_validate.cli.app import PROGRAMS, caret, run
from qsage_validate.cli.commands import commands_below
from qsage_validate.cli.common import protect_inputs
from qsage_validate.errors import (
    Exit,
    InputError,
    MissingExtraError,
    QsageError,
    UndecidedError,
    UsageError,
    install_line,
)
from tests.conftest import REPOSITORY
from tests.support.commands import run_qsage


def program(action: Callable[[], object]) -> click.Command:
    """A program that does ``action``."""
    return click.Command("program", callback=action)


def raising(error: BaseException) -> click.Command:
    def action() -> None:
        raise error

    return program(action)


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (
            InputError("f.qcir", 3, 7, "'xr('", "a gate"),
            Exit.BAD_INPUT,
            "f.qcir:3:7: found 'xr(', expected a gate",
        ),
        (UsageError("no such game: chess"), Exit.BAD_INPUT, "qsage: error: no such game: chess"),
        (
            MissingExtraError("reading GDL", "gdl"),
            Exit.BAD_INPUT,
            f"qsage: error: reading GDL needs the extra 'gdl': {install_line('gdl')}",
        ),
        (UndecidedError("60 s are over"), Exit.UNDECIDED, "qsage: undecided: 60 s are over"),
        (QsageError("two\nlines\x1b[2J"), Exit.BAD_INPUT, r"qsage: error: two\nlines\x1b[2J"),
        (KeyboardInterrupt(), Exit.INTERRUPTED, "qsage: interrupted"),
        (MemoryError(), Exit.UNDECIDED, "qsage: error: out of memory"),
        (RecursionError("x"), Exit.BAD_INPUT, "qsage: error: the input is nested too deeply"),
        (
            PermissionError(13, "Permission denied", "secret.qcir"),
            Exit.BAD_INPUT,
            "qsage: error: secret.qcir: Permission denied",
        ),
        (
            ZeroDivisionError("division\nby zero"),
            Exit.INTERNAL,
            r"qsage: internal error: ZeroDivisionError: division\nby zero "
            "(a bug: please report it; QSAGE_DEBUG=1 shows where it is)",
        ),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else None,
)
def test_an_exception_becomes_one_line(
    error: BaseException, code: Exit, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(raising(error), [], "qsage") == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"{line}\n"


def test_a_traceback_is_shown_only_on_request(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("QSAGE_DEBUG", "1")
    assert run(raising(KeyError("gate")), [], "qsage") == Exit.INTERNAL
    err = capsys.readouterr().err
    assert "Traceback (most recent call last)" in err
    assert err.splitlines()[-1].startswith("qsage: internal error: KeyError")


@pytest.mark.parametrize("code", [None, Exit.FINE, Exit.REFUTED, Exit.TRUE, Exit.FALSE])
def test_the_exit_code_is_what_the_command_returns(code: Exit | None) -> None:
    assert run(program(lambda: code), [], "qsage") == (code or 0)


@pytest.mark.parametrize("arguments", [["--no-such-option"], ["no-such-command"], ["--version=3"]])
def test_wrong_usage_is_one_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run_qsage(arguments) == Exit.BAD_INPUT
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("qsage: error: ")
    assert err.endswith("(see qsage --help)\n")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("solve hex --size", "Option '--size' requires an argument (see qsage solve --help)"),
        (
            "export page --cert",
            "Option '--cert' requires an argument (see qsage export page --help)",
        ),
        (
            "solve hex --timeout soon",
            "Invalid value for '--timeout': 'soon' is not a valid number (see qsage solve --help)",
        ),
        (
            "validate f --seed 1.5",
            "Invalid value for '--seed': '1.5' is not a valid whole number "
            "(see qsage validate --help)",
        ),
        (
            "validate f c hex --size 3x3",
            "found --size, an option of games, expected it with its game as one word: "
            "--model 'hex --size 3x3'",
        ),
        ("play hex --theme blue", "found 'blue' for --theme, expected dark or light"),
        ("help lsp --json", "found the unknown topic 'lsp', expected one of 'qsage help'"),
        ("solve -- --foo", "found the unknown game '--foo', expected DOMAIN and PROBLEM files"),
    ],
)
def test_what_is_wrong_with_an_option_and_of_which_command(
    words: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_qsage(words.split()) == Exit.BAD_INPUT
    assert capsys.readouterr().err.startswith(f"qsage: error: {expected}")


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (("solve", "hex --size 2"), Exit.TRUE),
        (("layout", "hex.qcir", "hex --size 2 --depth 3"), Exit.FINE),
        (("validate", "hex.qcir", "hex --size 2 --depth 3", "--level", "encoding"), Exit.FINE),
        (("validate", "hex.qcir", "hex.aig", "hex --size 2 --depth 3", "--level", "rules"), 0),
        (("play", "hex.qcir", "hex.aig", "hex --size 2 --depth 3", "--white", "random"), 0),
        (("export", "class", "a file.qcir", "-o", "class.html"), Exit.FINE),
    ],
)
def test_a_game_is_one_word_or_several_and_a_file_is_one(
    command: tuple[str, ...],
    code: Exit,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    game = ("hex", "--size", "2", "--depth", "3")
    assert run_qsage(("certify", *game, "-o", "hex.aig", "--formula", "hex.qcir")) == Exit.FINE
    for end in ("qcir", "aig"):
        Path(f"a file.{end}").write_bytes(Path(f"hex.{end}").read_bytes())
    capsys.readouterr()
    assert run_qsage(command) == code, capsys.readouterr().err


def test_options_of_a_game_in_one_word_that_it_does_not_have(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run_qsage(["solve", "hex --sise 3"]) == Exit.BAD_INPUT
    assert capsys.readouterr().err.startswith("qsage: error: found --sise for hex, expected one of")


@pytest.mark.parametrize("command", ["solve", "encode", "certify", "play"])
def test_what_is_neither_formula_nor_game_is_asked_for_both(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("h.hex").write_text("3 3\n")
    output = ("-o", "out") if command in ("encode", "certify") else ()
    assert run_qsage([command, "h.hex", *output]) == Exit.BAD_INPUT
    assert capsys.readouterr().err == (
        "h.hex:1:1: found a file of no known format, expected a formula (QCIR, QDIMACS or QAIGER) "
        "or a game (BDDL, PG, .hex, SGF or GDL)\n"
    )


def test_help_of_a_command_where_no_page_has_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_qsage(["help", "solve"]) == Exit.FINE
    assert capsys.readouterr().out.startswith("Usage: qsage solve ")
    assert run_qsage(["help", "bench"]) == Exit.FINE
    assert capsys.readouterr().out.startswith("# Experiments")


def command_names() -> list[str]:
    return list(commands_below(PROGRAMS["qsage"]))


@pytest.mark.parametrize("name", command_names())
def test_every_command_has_help_and_takes_wrong_usage_in_one_line(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_qsage([name, "--help"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith(f"Usage: qsage {name} ")
    assert err == ""
    assert run_qsage([name, "--no-such-option"]) == Exit.BAD_INPUT
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("qsage: error: No such option '--no-such-option'")
    # What the list of commands says of it, before it is loaded, is how its own help begins.
    command = commands_below(PROGRAMS["qsage"])[name]
    assert command.help == " ".join(command.loaded.help.split("\n\n")[0].split())
    assert len(command.help) <= 62, "the list of commands would cut it off on 80 columns"


def test_the_changelog_names_every_command() -> None:
    text = (REPOSITORY / "CHANGELOG.md").read_text("utf-8")
    assert [name for name in command_names() if f"`{name}`" not in text] == []


def test_the_exit_codes_of_the_documents_are_those_of_the_program() -> None:
    text = (REPOSITORY / "docs" / "reference" / "errors.md").read_text("utf-8")
    table = re.findall(r"^\| ([0-9, ]+) \|", text, re.M)
    told = {int(code) for cell in table for code in cell.split(",")}
    assert told == {int(code) for code in Exit}


def test_the_caret_stands_under_the_column_whatever_the_width() -> None:
    line = "".join(chr(ord("a") + i % 26) for i in range(200)) + "\tend"
    for column in range(1, len(line) + 2):
        error = InputError("f", 1, column, "x", "y", excerpt=line)
        for width in (20, 80, 300):
            shown, pointer = caret(error, width).splitlines()
            assert len(shown) <= width
            assert pointer.count("^") == 1
            under = shown[pointer.index("^") :][:1]
            assert under == line[column - 1 : column].replace("\t", " ")


def test_no_caret_without_a_place() -> None:
    assert caret(InputError("f", None, None, "x", "y"), 80) == ""


def test_an_output_never_overwrites_an_input(tmp_path: Path) -> None:
    formula = tmp_path / "f.qcir"
    formula.write_text("x")
    link = tmp_path / "link.qcir"
    link.symlink_to(formula)
    new = str(tmp_path / "new.aig")
    protect_inputs([new, None, "-"], [str(formula), "-", None, 7, new])
    for outputs in (
        [str(formula)],
        [str(link)],
        [str(tmp_path / "." / "f.qcir")],
        [new, str(tmp_path / ".." / tmp_path.name / "new.aig")],
    ):
        for others in ([str(formula)], [("a", [str(formula)])], [f"'{formula}' --depth 5"]):
            with pytest.raises(UsageError, match="would overwrite"):
                protect_inputs(outputs, others)


def qsage(*arguments: str, stdout: int | IO[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "qsage_validate", *arguments],
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full on this system")
def test_a_full_disk_is_one_line() -> None:
    with open("/dev/full", "w") as full:
        done = qsage("--help", stdout=full)
    assert done.returncode == Exit.BAD_INPUT
    assert done.stderr == "qsage: error: No space left on device\n"


@pytest.mark.skipif(os.name == "nt", reason="POSIX pipes")
def test_a_reader_that_leaves_early_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = qsage("--help", stdout=writing)
    os.close(writing)
    assert done.returncode == Exit.BROKEN_PIPE
    assert done.stderr == ""


@pytest.mark.skipif(os.name == "nt", reason="POSIX descriptors")
def test_a_closed_standard_output_is_one_line() -> None:
    command = f"'{sys.executable}' -m qsage_validate --help >&-"
    done = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == Exit.BAD_INPUT
    assert done.stderr == "qsage: error: standard output is closed\n"


def test_what_was_printed_stands_before_the_error() -> None:
    """In a file, too, where standard output is written late and standard error at once."""
    variables = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
    words = ["play", "certificates/tic.qcir", "--cert", "certificates/tic.aig"]
    done = subprocess.run(
        [sys.executable, "-m", "qsage_validate", *words, "--moves", "nosuch"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=REPOSITORY,
        env=variables,
        text=True,
        check=False,
    )
    *printed, last = done.stdout.splitlines()
    assert printed
    assert last.startswith("--moves:1:1: found 'nosuch'"), done.stdout


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full on this system")
def test_the_exit_code_holds_where_nothing_can_be_said() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "qsage_validate", "info", "nosuch.qcir"],
            stdout=subprocess.PIPE,
            stderr=full,
            check=False,
        )
    assert (done.returncode, done.stdout) == (Exit.BAD_INPUT, b"")


@pytest.mark.parametrize("start", ["main", "play_main"])
def test_ctrl_c_while_the_modules_load_is_one_line(start: str) -> None:
    program = f"""
import sys

class CtrlC:
    def find_spec(self, name, path=None, target=None):
        if name == "click":
            raise KeyboardInterrupt

sys.meta_path.insert(0, CtrlC())
from qsage_validate.cli.start import {start}
{start}()
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (Exit.INTERRUPTED, "")
    assert done.stderr == "qsage: interrupted\n"


def test_python_m_and_the_entry_point_are_the_same() -> None:
    done = qsage("--version", stdout=subprocess.PIPE)
    assert done.returncode == 0
    assert done.stdout.startswith("qsage-validate ")


class Interrupts:
    """An attribute during whose naming Ctrl-C comes."""

    def __set_name__(self, owner: type, name: str) -> None:
        raise KeyboardInterrupt


def test_ctrl_c_while_a_class_is_made_is_told_as_that(capsys: pytest.CaptureFixture[str]) -> None:
    """Modules make classes when they are loaded; Python 3.11 raises a RuntimeError of it."""

    def made() -> None:
        type("Made", (), {"field": Interrupts()})

    assert run(program(made), [], "qsage") == Exit.INTERRUPTED
    assert capsys.readouterr().err == "qsage: interrupted\n"


def test_no_memory_behind_the_end_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last step of a program had a traceback."""

    def none_left(text: str) -> None:
        raise MemoryError

    monkeypatch.setattr("sys.argv", ["qsage", "nonsense"])
    monkeypatch.setattr("builtins.eval", none_left)
    before = signal.getsignal(signal.SIGINT)
    try:
        assert beginning._run("qsage") == Exit.BAD_INPUT
    finally:
        signal.signal(signal.SIGINT, before)
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("watched", [False, True])
def test_in_little_memory_what_cannot_be_loaded_lacks_memory(
    watched: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without memory for OpenSSL, ``hashlib`` logs tracebacks and goes on without its functions."""

    def made() -> None:
        raise ImportError("cannot import name 'sha256' from 'hashlib'")

    monkeypatch.delitem(sys.modules, "qsage_validate.cli.watched", raising=False)
    if watched:
        monkeypatch.setitem(sys.modules, "qsage_validate.cli.watched", sys)
    code = run(program(made), [], "qsage")
    told = capsys.readouterr().err
    assert (code, "out of memory" in told) == (
        (Exit.UNDECIDED, True) if watched else (Exit.INTERNAL, False)
    )


def test_in_little_memory_only_our_own_line_is_told() -> None:
    program = (
        "import logging, os, sys\n"
        "from qsage_validate.cli.watched import _silence_libraries\n"
        "_silence_libraries()\n"
        "os.write(2, b'OpenBLAS: no memory')\n"
        "logging.exception('code for hash sha256 was not found.')\n"
        "print('ours', file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=REPOSITORY
    )
    assert done.stderr == "ours\n"
