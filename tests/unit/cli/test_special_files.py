"""Files that are none: pipes, devices, folders, links to nothing, read and written."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
from pathlib import Path
from typing import Any

import pytest

from qsage_validate.errors import Exit
from qsage_validate.solvers.backends import config_path
from tests.support.command_tree import Leaf, leaves
from tests.support.commands import run_qsage

TIC = ("sample:tic", "sample:tic.aig")
LEAVES = leaves()
# What takes words that may name a file, by the metavar of the parameter.
READS = ("FORMULA", "CERT", "FILE", "RESULTS", "MODEL", "GAME", "DIR", "FIRST")
NARRATED = ("passed over", "qsage-play --help says what else can be played")
READING = [
    (leaf, parameter.name)
    for leaf in LEAVES
    for parameter in leaf.takes_text()
    if parameter.name not in leaf.outputs
    # An experiment would be run.
    and (leaf.words[0] != "bench" or leaf.words[1] in ("models", "formulas", "table", "cactus"))
    # The server for agents takes a folder.
    and leaf.words[0] != "mcp"
    and any(word in (parameter.metavar or "") for word in READS)
]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def one_line(capsys: pytest.CaptureFixture[str]) -> str:
    out, err = capsys.readouterr()
    *narrated, line = err.splitlines()
    assert all(text.endswith(NARRATED) for text in narrated), err
    assert line.startswith("qsage: error: ") or ": found " in line
    assert "internal error" not in err
    assert out == ""
    return line


@pytest.mark.parametrize("special", ["folder", "device", "folder/x", "gone"])
@pytest.mark.parametrize(
    ("leaf", "name"), READING, ids=[f"{leaf} {name}" for leaf, name in READING]
)
def test_what_is_no_file_is_one_line_to_every_command(
    leaf: Leaf, name: str, special: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("folder").mkdir()
    Path("folder/x").symlink_to("nowhere")
    Path("gone").symlink_to("gone")
    Path("device").symlink_to("/dev/zero")
    code = run_qsage(leaf.line(**{name: special}))
    assert code == Exit.BAD_INPUT, capsys.readouterr()
    one_line(capsys)


def test_a_packed_name_has_the_format_that_stands_before_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    game = ("httt", "--size", "2x2", "--shape", "domino", "--depth", "3")
    assert run_qsage(["encode", *game, "-o", "f.qdimacs.xz"]) == Exit.FINE
    assert run_qsage(["certify", *game, "-o", "c.aag.gz", "--formula", "c.qcir.bz2"]) == Exit.FINE
    assert run_qsage(["export", "positions", *game, "-o", "t.npz.gz"]) == Exit.FINE
    assert lzma.decompress(Path("f.qdimacs.xz").read_bytes()).startswith(b"c ")
    assert gzip.decompress(Path("c.aag.gz").read_bytes()).startswith(b"aag ")
    assert bz2.decompress(Path("c.qcir.bz2").read_bytes()).startswith(b"#QCIR-G14")
    assert gzip.decompress(Path("t.npz.gz").read_bytes()).startswith(b"PK")
    capsys.readouterr()
    assert run_qsage(["validate", "c.qcir.bz2", "c.aag.gz", "--level", "formula"]) == Exit.FINE
    assert "proved" in capsys.readouterr().out


def test_a_packed_game_is_called_as_the_plain_one(capsys: pytest.CaptureFixture[str]) -> None:
    for part, text in DOMINO.items():
        Path(f"{part}.gz").write_bytes(gzip.compress(text.encode()))
    pg = "#times\nt1\n#blackturns\nt1\n#positions\na\n#blackwins\na\n"
    Path("two.pg.xz").write_bytes(lzma.compress(pg.encode()))
    for words, name in (
        (("domain.ig.gz", "problem.ig.gz"), f'labelled "{Path.cwd().name} problem"'),
        (("two.pg.xz",), 'labelled "two"'),
    ):
        assert run_qsage(["encode", *words, "-o", "f.qcir"]) == Exit.FINE
        assert f"{name}, depth " in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["validate", *TIC, "--level", "all", "--checkpoint"],
        ["solve", "httt", "--size", "3x3", "--shape", "el", "--depth", "auto", "--resume"],
        ["play", *TIC, "--drill", "black", "--resume"],
    ],
)
@pytest.mark.parametrize("special", ["pipe", "/dev/zero", "."])
def test_what_is_continued_is_a_file(
    words: list[str], special: str, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo("pipe")
    assert run_qsage([*words, special]) == Exit.BAD_INPUT
    assert "expected a file" in one_line(capsys)


@pytest.mark.parametrize("special", ["pipe", "/dev/zero", ".", "nowhere", "large"])
def test_a_solvers_file_is_a_file(
    special: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo("pipe")
    with open("large", "wb") as file:
        file.truncate(1 << 33)
    monkeypatch.setenv("QSAGE_SOLVERS", special)
    assert run_qsage(["info", "--solvers"]) == Exit.BAD_INPUT
    assert one_line(capsys).startswith(f"{special}: found ")


def test_the_home_of_nobody(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("s.ini").write_text("[mine]\nkind = generic\nprogram = ~nosuchuser/x\nformats = qcir\n")
    monkeypatch.setenv("QSAGE_SOLVERS", "s.ini")
    assert run_qsage(["info", "--solvers"]) == Exit.BAD_INPUT
    expected = (
        "s.ini:3:1: found '~nosuchuser/x', the home of nobody, expected the path of a program"
    )
    assert one_line(capsys) == expected
    monkeypatch.delenv("QSAGE_SOLVERS")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)

    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    assert config_path() is None


def test_a_folder_of_models_with_a_link_to_nothing(
    capsys: pytest.CaptureFixture[str], repository: Path
) -> None:
    games = Path("games")
    games.mkdir()
    assert run_qsage(["bench", "models", str(games), "--list"]) == Exit.BAD_INPUT
    capsys.readouterr()
    for part, text in DOMINO.items():
        (games / part).write_text(text)
    (games / "a-link").symlink_to("nowhere")
    os.mkfifo(games / "b-pipe")
    assert run_qsage(["bench", "models", str(games), "--solver", "search", "--list"]) == Exit.FINE
    out, err = capsys.readouterr()
    assert out == "games/problem.ig: search\n"
    assert err == (
        "games/a-link: found no such file, expected a readable file; passed over\n"
        "games/b-pipe: found a pipe, expected a file; passed over\n"
    )


DOMINO = {
    "domain.ig": "#blackactions\n:action occupy\n:parameters (?x,?y)\n"
    ":precondition (open(?x,?y))\n:effect (black(?x,?y))\n#whiteactions\n:action occupy\n"
    ":parameters (?x,?y)\n:precondition (open(?x,?y))\n:effect (white(?x,?y))\n",
    "problem.ig": "#boardsize\n2 2\n#init\n#depth\n3\n#blackgoals\n(black(?x,?y) black(?x+1,?y))\n"
    "#whitegoals\n",
}


def record(**changes: Any) -> str:
    fields = {
        "kind": "run",
        "run": {
            "experiment": "models",
            "family": "f",
            "instance": "i",
            "source": ["a"],
            "solver": "search",
            "encoding": "-",
            "preprocessor": "none",
            "seconds": 9,
            "memory_mb": None,
            "options": {},
            "processor_time": False,
        },
        "result": {
            "status": "true",
            "decided": True,
            "seconds": 1,
            "why": "",
            "cpu_seconds": 1,
            "peak_mb": 1,
            "data": {},
        },
        "machine": "m",
        "when": "w",
    }
    for way, value in changes.items():
        *inner, last = way.split("__")
        place: Any = fields
        for step in inner:
            place = place[step]
        place[last] = value
    return json.dumps(fields)


@pytest.mark.parametrize(
    ("experiment", "words", "changes", "message"),
    [
        ("models", [], {"result__seconds": "x"}, "3:290: found a text for 'seconds', expected a n"),
        ("models", [], {"run": None}, "3:24: found null for 'run', expected an object"),
        (
            "models",
            ["--table", "certificates"],
            {"run__solver": "certify:search"},
            "found no 'certificate_gates', expected the data of a result with it",
        ),
        ("positional", ["--table", "sizes"], {"result__data": {"clauses": "x"}}, "'clauses'"),
        ("positional", ["--table", "sizes"], {"result__data": {"clauses": 1}}, "no 'scopes'"),
        ("table2", [], {"result__data": {"critical_plies": []}}, "'critical_plies'"),
        ("gdl", ["--table", "sizes"], {"result__data": {"plain": {}}}, "no 'variables'"),
        ("httt", [], {"result__data": {"plies": "3"}}, "found a text for 'plies'"),
        ("impartial", [], {"result__data": {"strategy": {"outcome": "proved"}}}, "no 'seconds'"),
        ("impartial", ["--table", "unsolved"], {"result__data": {"strategy": 3}}, "'strategy'"),
    ],
)
def test_results_that_do_not_fit_their_tables(
    experiment: str,
    words: list[str],
    changes: dict[str, Any],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    changes = {"run__experiment": experiment} | changes
    head = {"format": "qsage bench results 1", "experiment": experiment}
    machine = {"kind": "machine", "id": "m", "facts": {}}
    lines = [json.dumps(head), json.dumps(machine), record(**changes)]
    Path("r.jsonl").write_text("\n".join(lines) + "\n")
    assert run_qsage(["bench", "table", "r.jsonl", *words]) == Exit.BAD_INPUT
    err = one_line(capsys)
    assert err.startswith("r.jsonl:3:")
    assert message in err


def test_numbers_of_thousands_of_digits(capsys: pytest.CaptureFixture[str]) -> None:
    many = "9" * 5000
    plies = f'[{{"ply": {many}, "player": "black", "move": "m"}}]'
    play = f'{{"transcript": 1, "title": "t", "person": "white", "plies": {plies}}}'
    Path("play.json").write_text(play)
    answer = f'{{"plies": {many}, "truth": true, "by": "s", "seconds": 1}}'
    assert run_qsage([*HTTT, "--resume", "s.json", "--max-depth", "1"]) == Exit.UNDECIDED
    state = json.loads(Path("s.json").read_text())
    Path("s.json").write_text(json.dumps(state | {"answers": ["HERE"]}).replace('"HERE"', answer))
    checked = ["validate", *TIC, "--level", "all", "--positions", "1", "--checkpoint", "c.json"]
    assert run_qsage(checked) == Exit.UNDECIDED
    counts = json.loads(Path("c.json").read_text())
    Path("c.json").write_text(json.dumps(counts | {"replies": "HERE"}).replace('"HERE"', many))
    report = f'{{"variables": ["v"], "misere": {many}}}'
    Path("report.json").write_text(report)
    line = record(run__experiment="models").replace('"seconds": 9', f'"seconds": {many}')
    Path("r.jsonl").write_text(
        '{"format": "qsage bench results 1", "experiment": "models"}\n' + line + "\n"
    )
    capsys.readouterr()
    for words in (
        ["play", *TIC, "--moves-file", "play.json"],
        [*HTTT, "--resume", "s.json"],
        checked,
        ["play", "take-away-3", "--rules", "report.json", "--moves", "take(1)", "--state", "v=5"],
        ["bench", "table", "r.jsonl"],
    ):
        assert run_qsage(words) == Exit.BAD_INPUT, words
        assert "found 5,000 digits, expected " in one_line(capsys)


HTTT = ["solve", "httt", "--size", "3x3", "--shape", "el", "--depth", "auto"]
