"""Help begins with examples that work, and has groups; the shell completes names and files."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from qsage_validate.cli import completion
from qsage_validate.cli.app import PROGRAMS
from qsage_validate.cli.commands import commands_below, records_of
from qsage_validate.encodings.registry import encoders
from qsage_validate.games.library.catalogue import library_games
from qsage_validate.kernel.certificate import Dialect
from qsage_validate.proving.levels import LEVELS
from qsage_validate.solvers.backends import _KNOWN, NONE, PREPROCESSORS
from tests.support.commands import run_play, run_qsage
from tests.unit.project.test_import_hygiene import HEAVY, modules_after


def commands() -> Iterator[tuple[str, Any]]:
    """All commands and groups by their words."""
    group = PROGRAMS["qsage"]
    yield "", group
    for name, command in commands_below(group).items():
        loaded = getattr(command, "loaded", command)
        yield name, loaded
        for inner, below in commands_below(loaded).items():
            yield f"{name} {inner}", below


def examples(command: Any) -> tuple[str, ...]:
    found: tuple[str, ...] = command.examples
    return found


@pytest.mark.parametrize("words", [words for words, _ in commands()])
def test_help_begins_with_two_examples(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_qsage((*words.split(), "--help")) == 0
    out = capsys.readouterr().out
    assert "None" not in out, "a limit that there is not"
    lines = out.splitlines()
    assert lines[0].startswith(f"Usage: qsage {words}".rstrip())
    begin = lines.index("Examples:")
    assert not any(line.startswith("  ") and not line.strip() for line in lines[1:begin])
    shown = lines[begin + 1 : begin + 3]
    assert lines[begin + 3] == ""
    assert all(line.startswith("  qsage") for line in shown)
    assert shown[-1].startswith((f"  qsage {words}", "  qsage-play"))


def test_help_of_compare_says_what_first_and_second_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run_qsage(("compare", "--help")) == 0
    assert "FIRST and SECOND are the files of two formulas" in capsys.readouterr().out


@pytest.mark.parametrize("words", [words for words, _ in commands()])
def test_examples_are_lines_that_their_commands_take(words: str) -> None:
    known = dict(commands())
    for line in examples(known[words]):
        program, *rest = shlex.split(line)
        if program == "qsage-play":
            command: Any = PROGRAMS["qsage-play"]
        else:
            name = rest.pop(0)
            while rest and (below := f"{name} {rest[0]}") in known:
                name, rest = below, rest[1:]
            command = known[name]
        with command.make_context(line, rest):
            pass


_RUN = [
    line
    for words, command in commands()
    for line in examples(command)
    if not words.startswith(("bench", "count", "lsp", "mcp", "play")) and line != "qsage demo"
]


@pytest.mark.slow
def test_examples_do_what_they_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for line in _RUN:
        code = run_qsage(shlex.split(line)[1:])
        assert code in (0, 10, 20), (line, capsys.readouterr())
    assert run_qsage(("bench", "table2", "--only", "httt*3x3*domino*", "--timeout", "10")) == 0
    assert run_qsage(("bench", "table", "bench-table2.jsonl")) == 0
    assert run_play(("sample:tic", "--moves", "occupy(1,1)")) in (0, 3)
    assert Path("tic.html").stat().st_size > 0


def test_options_stand_in_groups() -> None:
    for words, command in commands():
        with command.make_context(words, [], resilient_parsing=True) as context:
            found = records_of(command, context)
        rows = [(text, heading) for heading, shown in found.items() for text, _ in shown]
        place = {text.split()[0].rstrip(","): heading for text, heading in rows}
        for option, heading in (
            ("--json", "Output"),
            ("--depth", "Game"),
            ("--dialect", "Files"),
            ("--shard", "Limits, and where runs are made"),
        ):
            assert place.get(option, heading) == heading, (words, option)
        assert len(found.get("Options", [])) <= 9, words


# -- completion ----------------------------------------------------------------------------------


def test_what_completes_an_option_by_name_is_there() -> None:
    """A name is looked up when the key is pressed: a wrong one would end the completion."""
    for _, command in commands():
        context = click.Context(command)
        for one in command.params:
            assert isinstance(one.shell_complete(context, "no such word"), list), one.name


def completed(
    words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> list[str]:
    """What bash is offered for the last of ``words``."""
    program = words.split(maxsplit=1)[0]
    monkeypatch.setenv(f"_{program.replace('-', '_').upper()}_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split(" ")) - 1))
    run = run_play if program == "qsage-play" else run_qsage
    assert run(()) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return [line.removeprefix("plain,") for line in out.split()]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("tic.qcir", "tic.aig", ".hidden"):
        (tmp_path / name).touch()
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "d.ig").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("qsage compa", ["compare"]),
        ("qsage bench ta", ["table2", "table"]),
        ("qsage solve ", [*(g.name for g in library_games()), "games/", "tic.aig", "tic.qcir"]),
        ("qsage encode bre", ["breakthrough"]),
        ("qsage solve httt --shape ti", ["tic", "tippy"]),
        ("qsage solve httt --solver ", ["search", *(backend.name for backend in _KNOWN)]),
        ("qsage certify httt --encoding ", list(encoders())),
        ("qsage validate ", ["games/", "tic.aig", "tic.qcir"]),
        ("qsage validate tic.qcir tic.a", ["tic.aig"]),
        ("qsage info games/", ["games/d.ig"]),
        ("qsage info .h", [".hidden"]),
        ("qsage info sample:t", ["sample:tic"]),
        ("qsage help solv", ["solver-authors", "solving", "solvers-ini"]),
        ("qsage info nowhere/", []),
        ("qsage validate x --level ", list(LEVELS)),
        ("qsage minimise tic.qcir tic.aig --dialect qb", ["qbfcert-ascii", "qbfcert-binary"]),
        ("qsage synthesize wyt", ["wythoff-3"]),
        ("qsage solve x --preprocess ", ["bloqqer", "hqspre", "qratpre", "none"]),
        ("qsage solve x --port", ["--portfolio"]),
        ("qsage-play kn", ["knightthrough"]),
        ("qsage play --solv", ["--solver"]),
    ],
)
def test_names_and_files_are_completed(
    words: str,
    expected: list[str],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert completed(words, monkeypatch, capsys) == expected


@pytest.mark.parametrize(
    "words",
    [
        "qsage ",
        "qsage solve h",
        "qsage solve httt --shape t",
        "qsage encode x --encoding l",
        "qsage solve x --solver d",
        "qsage validate x --level r",
        "qsage validate x --dialect q",
        "qsage info ",
        "qsage synthesize t",
        "qsage games h",
    ],
)
def test_completion_loads_nothing_heavy(words: str, folder: Path) -> None:
    """With each press of the key a process starts."""
    program = f"""
import os, sys
os.chdir({str(folder)!r})
os.environ.update(
    _QSAGE_COMPLETE="bash_complete", COMP_WORDS={words!r}, COMP_CWORD={str(words.count(" "))!r})
from qsage_validate.cli import start
sys.argv[1:] = []
try:
    start.main()
except SystemExit as end:
    assert not end.code"""
    loaded = modules_after(program)
    assert not {name.partition(".")[0] for name in loaded} & HEAVY
    assert len([name for name in loaded if name.startswith("qsage_validate")]) <= 80


@pytest.mark.parametrize(
    ("shell", "line"),
    [
        ("bash", "    complete -o nosort -F _qsage_completion qsage"),
        ("zsh", "#compdef qsage"),
        ("fish", "complete --no-files --command qsage "),
        ("powershell", "Register-ArgumentCompleter -Native -CommandName qsage "),
    ],
)
def test_each_shell_has_its_script(
    shell: str, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_qsage(["--show-completion", shell]) == 0
    script = capsys.readouterr().out
    assert any(each.startswith(line) for each in script.splitlines())
    assert "_QSAGE_COMPLETE" in script
    assert run_play(["--show-completion", shell]) == 0
    assert "_QSAGE_PLAY_COMPLETE" in capsys.readouterr().out


def test_completion_is_installed_for_the_shell_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert run_qsage(["--install-completion", "fish"]) == 0
    written = tmp_path / ".config" / "fish" / "completions" / "qsage.fish"
    assert str(written) in capsys.readouterr().out
    assert "complete --no-files --command qsage" in written.read_text("utf-8")
    assert run_qsage(["--install-completion", "tcsh"]) == 2
    assert capsys.readouterr().err == (
        "qsage: error: found --install-completion tcsh, expected one of bash, zsh, fish\n"
    )


def test_the_shell_loads_what_is_installed_and_keeps_its_own_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".bashrc").write_text("alias ll='ls -l'\n")
    for shell, start in (("bash", ".bashrc"), ("zsh", ".zshrc")):
        for _ in range(2):
            assert run_qsage(["--install-completion", shell]) == 0
            assert run_play(["--install-completion", shell]) == 0
        lines = (tmp_path / start).read_text("utf-8").splitlines()
        assert len(set(lines)) == len(lines)
        if shutil.which(shell):
            asked = f"source ~/{start}; complete -p qsage qsage-play"
            subprocess.run([shell, "-c", asked], check=True, env={"HOME": str(tmp_path)})
    assert "alias ll='ls -l'" in (tmp_path / ".bashrc").read_text("utf-8")
    script = (tmp_path / ".zfunc" / "_qsage-play").read_text("utf-8")
    assert script.startswith("#compdef qsage-play")


def test_names_that_are_completed_are_those_that_there_are() -> None:
    assert sorted(dialect.value for dialect in Dialect) == list(completion.DIALECTS)
    assert tuple(backend.name for backend in _KNOWN) == completion.SOLVERS
    assert (*PREPROCESSORS, NONE) == completion.PREPROCESSORS
