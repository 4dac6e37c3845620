"""``qsage demo`` runs its tour, and ``--export`` writes plays that read back."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

import pytest

from qsage_validate.errors import Exit
from tests.support.commands import run_play, run_qsage

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_tour_runs_and_leaves_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    temporary = folder / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    assert run_qsage(("demo",)) == Exit.FINE  # no terminal: no pause
    out, err = capsys.readouterr()
    shown = [line for line in out.splitlines() if line.startswith("$ qsage")]
    assert len(shown) >= 7
    assert {line.split()[2] for line in shown} >= {"solve", "validate", "certify", "compare"}
    assert "valid: Black wins httt 4x4 tic within 5 plies" in out
    assert "loses: " in out
    assert out.rstrip().endswith("'qsage --help' lists the commands.")
    assert "error" not in err
    assert not list(temporary.iterdir())
    assert os.getcwd() == str(folder)
    assert [path.name for path in folder.iterdir()] == ["temporary"]


def test_the_tour_ends_where_a_command_does_not_do_what_it_should(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from qsage_validate.cli import help

    steps = (help._DemoStep("", "qsage info nothing.qcir"), help._DemoStep("", "qsage games"))
    monkeypatch.setattr(help, "_STEPS", steps)
    assert run_qsage(("demo", "--no-pause")) == Exit.BAD_INPUT
    out, err = capsys.readouterr()
    assert "qsage games" not in out
    assert err.startswith("nothing.qcir: found no such file")


def test_the_tour_waits_at_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    from qsage_validate.cli import help

    asked: list[str] = []
    steps = tuple(help._DemoStep("", "qsage --version") for _ in range(3))
    monkeypatch.setattr(help, "_STEPS", steps)
    monkeypatch.setattr("builtins.input", asked.append)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert run_qsage(("demo", "--no-pause")) == Exit.FINE
    assert asked == []
    assert run_qsage(("demo",)) == Exit.FINE
    assert len(asked) == 2


GAMES = (
    ("sample:tic",),
    ("httt", "--size", "3x3", "--shape", "el", "--depth", "5"),
    ("take-away-3", "--state", "v=9"),
)


@pytest.mark.parametrize("game", GAMES, ids=["certificate", "search", "impartial"])
@pytest.mark.parametrize("suffix", [".svg", ".json", ".txt"])
def test_a_random_play_is_written(
    game: tuple[str, ...], suffix: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = (*game, "--white", "random", "--games", "1")
    assert run_play((*words, "--seed", "1", "--export", f"play{suffix}")) == Exit.FINE
    written = folder / f"play{suffix}"
    out, err = capsys.readouterr()
    assert f"play{suffix}: the play" in err
    assert "Black wins" in out.splitlines()[-1]
    if suffix == ".svg":
        assert written.read_text().startswith("<svg")
        return
    # What reads back is the same play, and the other seed gives another one.
    assert run_play((*game, "--moves-file", written.name, "--export", f"again{suffix}")) == 0
    if suffix == ".txt":
        assert (folder / "again.txt").read_text() == written.read_text()
    else:
        frames = [json.loads(path.read_text())["frames"] for path in folder.glob("*.json")]
        moves = [[frame["move"] for frame in each] for each in frames]
        assert moves[0] == moves[1]
        assert len(moves[0]) > 1


def test_a_scripted_play_is_written_also_when_it_is_not_over(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("sample:tic", "--moves", "occupy(1,1)", "--json")
    assert run_play((*words, "--export", "play.json")) == Exit.UNDECIDED
    printed = json.loads(capsys.readouterr().out)
    written = json.loads((folder / "play.json").read_text())
    assert [f["move"] for f in printed["frames"]] == [f["move"] for f in written["frames"]]
    assert not printed["over"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("--moves", "occupy(1,1)", "--export", "p.png"),
            "'p.png', expected one that ends in",
        ),
        (("--moves", "occupy(9,9)", "--export", "p.svg"), "occupy(9,9) is illegal"),
        (
            ("--export", "p.svg"),
            "found --export, expected it with --moves, --moves-file",
        ),
        (("--white", "random", "--export", "p.svg"), "found --export, expected it with --moves"),
        (("--white", "random", "--games", "2", "--export", "p.svg"), "found --export, expected"),
        (
            ("--white", "random", "--games", "1", "--illegal", "0.5", "--export", "p.svg"),
            "found --illegal with --export, expected legal moves",
        ),
        (("--moves-file", "m.txt", "--export", "m.txt"), "writing m.txt would overwrite m.txt"),
    ],
)
def test_what_cannot_be_written_is_one_line(
    words: tuple[str, ...], said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "m.txt").write_text("occupy(1,1)\n")
    assert run_play(("sample:tic", *words)) == Exit.BAD_INPUT
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1
    assert [path.name for path in folder.iterdir()] == ["m.txt"]
    assert (folder / "m.txt").read_text() == "occupy(1,1)\n"


def test_the_tour_ends_well_without_the_extra_of_impartial_games(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("qsage_validate.cli.help.find_spec", lambda name: None)
    monkeypatch.setattr("qsage_validate.cli.help._run", lambda step, pauses: step.code)
    assert run_qsage(("demo", "--no-pause")) == Exit.FINE
    assert "needs the extra 'impartial'" in capsys.readouterr().out
