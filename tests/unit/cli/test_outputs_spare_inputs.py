"""No command overwrites an input, whichever of its options names the file that it writes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from qsage_validate.cli.commands import Command
from qsage_validate.errors import Exit, UsageError
from qsage_validate.formats.source import inputs_guarded, read_bytes
from qsage_validate.formats.writing import write_atomic
from tests.support.command_tree import Leaf, leaves
from tests.support.commands import run_qsage

LEAVES = leaves()
WRITING = [(leaf, name) for leaf in LEAVES for name in leaf.outputs]
EACH = pytest.mark.parametrize(
    ("leaf", "output"), WRITING, ids=[f"{leaf} {name}" for leaf, name in WRITING]
)
FILES = ("FILE", "FOLDER", "DIR")
SAYS_SO = ("write", "where the exhaustive", "where results go", "keep what")


def test_the_options_that_name_outputs_are_declared_as_such() -> None:
    found = {f"{leaf} {name}" for leaf, name in WRITING}
    assert {"encode output", "bench cactus output", "validate checkpoint", "solve resume"} <= found
    for leaf in LEAVES:
        assert isinstance(leaf.command, Command), f"{leaf} does not spare its inputs"
        for parameter in leaf.command.params:
            if parameter.metavar in FILES and _says_that_it_writes(parameter):
                assert parameter.name in leaf.outputs, f"{leaf}: {parameter.opts} is no output"


def _says_that_it_writes(parameter: Any) -> bool:
    text = (getattr(parameter, "help", None) or "").lower()
    panel = getattr(parameter, "panel", None)
    return panel == "Output" or any(words in text for words in SAYS_SO)


@EACH
def test_an_output_that_is_an_input_is_refused(
    leaf: Leaf,
    output: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    given = tmp_path / "given"
    (tmp_path / "link").symlink_to(given)
    (tmp_path / "hard").touch()
    for name in ("given", "link", "hard", "./given"):
        given.write_text("precious")
        os.unlink("hard")
        os.link(given, "hard")
        for parameter in leaf.takes_text():
            if parameter.name == output:
                continue
            line = leaf.line(**{output: name, parameter.name: str(given)})
            assert run_qsage(line) == Exit.BAD_INPUT
            out, err = capsys.readouterr()
            assert (out, err.count("\n")) == ("", 1)
            assert err.startswith("qsage: error: writing "), line
            assert "would overwrite" in err, line
            assert given.read_text() == "precious"
    assert sorted(os.listdir()) == ["given", "hard", "link"]


@EACH
def test_a_folder_that_is_not_there_is_told_before_the_work(
    leaf: Leaf,
    output: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def never(*_: object, **__: object) -> Exit:
        raise AssertionError("the command was begun")

    written = next(p for p in leaf.command.params if p.name == output)
    if written.metavar in ("DIR", "FOLDER"):
        return  # which may be made with the folders above
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(leaf.command, "callback", never)
    assert run_qsage(leaf.line(**{output: "gone/file"})) == Exit.BAD_INPUT
    said = "gone/file: found an error: No such file or directory, expected a file that can be"
    assert capsys.readouterr().err == f"{said} written\n"


@EACH
def test_a_folder_for_a_file_is_told_before_the_work(
    leaf: Leaf,
    output: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    begun = []

    def begin(*_: object, **__: object) -> Exit:
        begun.append(leaf)
        return Exit.FINE

    written = next(p for p in leaf.command.params if p.name == output)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(leaf.command, "callback", begin)
    Path("folder").mkdir()
    Path("file").touch()
    name, found, expected = "folder", "a directory", "a file that can be written"
    if written.metavar in ("DIR", "FOLDER"):
        name, found, expected = "file", "a file", "a folder that can be written"
    code = run_qsage(leaf.line(**{output: name}))
    if written.metavar == "NAME":  # of several files, with ends of their own
        assert (code, begun) == (Exit.FINE, [leaf])
        return
    assert (code, begun) == (Exit.BAD_INPUT, [])
    assert capsys.readouterr().err == f"{name}: found {found}, expected {expected}\n"


@EACH
def test_an_empty_name_is_told(
    leaf: Leaf, output: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_qsage(leaf.line(**{output: ""})) == Exit.BAD_INPUT
    said = "found '' for a file that is written, expected its name"
    assert capsys.readouterr().err == f"qsage: error: {said}\n"


def test_an_empty_name_of_an_input_is_seen(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_qsage(["validate", ""]) == Exit.BAD_INPUT
    assert capsys.readouterr().err == "'': found no such file, expected a readable file\n"


def test_what_is_found_beside_an_input_is_spared_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("f.qcir").write_text("#QCIR-G14\nexists(1)\noutput(1)\n")
    Path("f.meta").write_text("precious")
    assert run_qsage(["certify", "f.qcir", "-o", "f.meta"]) == Exit.BAD_INPUT
    assert "would overwrite" in capsys.readouterr().err
    assert Path("f.meta").read_text() == "precious"


def test_what_was_read_is_not_written_but_to_be_continued(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("old")
    with inputs_guarded():
        write_atomic(tmp_path / "new", "1")
        write_atomic(tmp_path / "new", "2")
        read_bytes(path)
        with pytest.raises(UsageError, match="would overwrite"):
            write_atomic(path, "new")
        assert path.read_text() == "old"
        write_atomic(path, "new", continued=True)
    read_bytes(path)
    write_atomic(path, "newer")
    assert path.read_text() == "newer"


@pytest.mark.parametrize("name", [".", "..", "there/"])
def test_a_name_of_files_that_is_none_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "in" / "there").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "in")
    words = ("export", "game", "httt", "--size", "2x2", "--shape", "domino", "--to", "gdl")
    assert run_qsage([*words, "-o", name]) == Exit.BAD_INPUT
    assert (
        capsys.readouterr().err
        == f"{name}: found a directory, expected a file that can be written\n"
    )
    assert [path.name for path in tmp_path.rglob("*")] == ["in", "there"]


def test_a_folder_that_takes_no_file_is_told_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    # The depth of this game is no number: that is told by the work.
    words = ("certify", "httt", "--depth", "none", "-o", "c.aig")
    Path("there.aig").touch()  # the new file takes its place
    for name in ("c.aig", "there.aig"):
        assert run_qsage([*words[:-1], name]) == Exit.BAD_INPUT
        assert capsys.readouterr().err == (
            f"{name}: found an error: Permission denied, expected a file that can be written\n"
        )
