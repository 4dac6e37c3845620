"""Texts from outside never command the terminal: names of files, games, moves, machines."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest

from qsage_validate.errors import visible
from tests.support.commands import run_qsage
from tests.unit.cli.test_special_files import DOMINO, record

# What sets a terminal's title, moves its cursor, begins a command in C1, turns the direction.
EVIL = "a\x1b]0;owned\x07\x1b[2J\x9b31m\u202egpj.\u2066b"
HTTT = ["httt", "--size", "2x2", "--shape", "el", "--depth", "3"]

WRITTEN = ["-o", f"{EVIL}/e.aig", "--formula", f"{EVIL}/e.qcir"]


def commands_of(text: str) -> set[str]:
    return {c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Cs") and c != "\n"}


@pytest.fixture(autouse=True)
def evil(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with files whose names, and the names in them, are hostile."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / EVIL
    folder.mkdir()
    for name, text in DOMINO.items():
        (folder / name).write_text(text)
    (folder / "f.qcir").write_text(
        f"#QCIR-G14\nexists({EVIL[-1]}{EVIL})\nforall(y)\noutput({EVIL[-1]}{EVIL})\n"
    )
    (folder / "g.qcir").write_text("#QCIR-G14\nexists(x)\nforall(y)\noutput(g)\ng = or(x, y, -y)\n")
    (folder / "q.qdimacs").write_text("p cnf 2 1\ne 1 0\na 2 0\n1 2 0\n")
    (folder / "game.gdl").write_text(
        f"(role b{EVIL}) (role w)\n(init (on 1))\n(<= (legal ?r take{EVIL}) (role ?r))\n"
        f"(<= (next (off 2)) (does w take{EVIL}))\n(<= terminal (true (off 2)))\n"
        f"(<= (goal b{EVIL} 100) terminal)\n(<= (goal w 0) terminal)\n"
    )
    (folder / "p.pg").write_text(
        f"#blackinitials\n#whiteinitials\n#times\nt1 t2 t3\n#blackturns\nt1 t3\n#positions\n"
        f"a{EVIL} b c\n#blackwins\na{EVIL} b\n#whitewins\nc\n"
    )
    (folder / "i.ig").write_text(f"(define (domain x{EVIL})\n")
    (folder / "s.ini").write_text(f"[x{EVIL}]\nkind = generic{EVIL}\n")
    play = {"transcript": 1, "title": EVIL, "person": EVIL, "plies": []}
    (folder / "t.json").write_text(json.dumps(play))
    (folder / "t.txt").write_text(
        f"qsage transcript 1\ntitle: {EVIL}\nperson: white\n\n1 black {EVIL}\n"
    )
    head = json.dumps({"format": "qsage bench results 1", "experiment": "models"})
    machine = json.dumps({"kind": "machine", "id": "m", "facts": {"cpu": EVIL, "system": EVIL}})
    evil_run = record(
        run__instance=EVIL, run__family=EVIL, run__solver=EVIL, machine="m", result__why=EVIL,
        result__status="crashed", result__decided=False,
    )  # fmt: skip
    (folder / "r.jsonl").write_text(f"{head}\n{machine}\n{record(run__solver=EVIL)}\n{evil_run}\n")
    return folder


@pytest.mark.parametrize(
    "words",
    [
        ["info", "f.qcir", "--names"],
        ["info", "g.qcir"],
        ["info", "game.gdl"],
        ["info", "p.pg"],
        ["info", "domain.ig", "problem.ig"],
        ["info", "nowhere.qcir"],
        ["info", "t.json"],
        ["solve", "f.qcir"],
        ["solve", "domain.ig", "problem.ig"],
        ["solve", "game.gdl"],
        ["solve", "p.pg"],
        ["certify", "g.qcir", "-o", "c.aig", "--formula", "c.qcir"],
        ["certify", "domain.ig", "problem.ig", "-o", "d.aig", "--formula", "d.qcir"],
        ["encode", "p.pg", "-o", "p.qcir"],
        ["encode", "domain.ig", "problem.ig", "-o", "-"],
        ["validate", "g.qcir", "g.aig"],
        ["validate", "e.qcir", "e.aig", "--level", "rules", "--report", "e.html"],
        ["minimise", "e.qcir", "e.aig", "-o", "m.aig"],
        ["compare", "e.qcir", "e.qcir", "--cert", "e.aig"],
        ["play", "e.qcir", "e.aig", "--moves", "x"],
        ["play", "e.qcir", "e.aig", "--white", "random", "--games", "1", "--export", "e.svg"],
        ["play", "e.qcir", "e.aig", "--white", "random", "--games", "1", "--export", "e.txt"],
        ["play", "e.qcir", "e.aig", "--white", "random", "--games", "1", "--export", "e.json"],
        ["play", "p.pg", "--white", "random", "--games", "2"],
        ["play", "game.gdl", "--white", "random", "--games", "2"],
        ["play", "e.qcir", "e.aig", "--moves-file", "t.json"],
        ["play", "e.qcir", "e.aig", "--moves-file", "t.txt"],
        ["explain", "e.qcir", "--cert", "e.aig"],
        ["explain", "p.pg"],
        ["export", "page", "e.qcir", "--cert", "e.aig", "-o", "page.html"],
        ["synthesize", "i.ig"],
        ["synthesize", "take-away-3", "--check", EVIL],
        ["verify", "nowhere"],
        ["games", EVIL],
        [EVIL],
        ["bench", EVIL],
        ["bench", "table", "r.jsonl"],
        ["bench", "table", "r.jsonl", "--table", "runs", "--markdown"],
        ["bench", "table", "r.jsonl", "--table", "runs", "--csv"],
        ["bench", "table", "r.jsonl", "--table", "runs", "-o", "r.md"],
        ["bench", "cactus", "r.jsonl", "-o", "r.svg", "--title", EVIL],
        ["bench", "scatter", "r.jsonl", "-x", "search", "-y", EVIL],
        ["bench", "models", ".", "--solver", "search", "--list"],
    ],
    ids=lambda words: " ".join(map(visible, words))[:60],
)
@pytest.mark.parametrize("to_dict", [False, True])
def test_no_command_passes_them_on(
    words: list[str], to_dict: bool, evil: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    if "e.qcir" in words:
        assert (
            run_qsage(["certify", *HTTT, "-o", f"{EVIL}/e.aig", "--formula", f"{EVIL}/e.qcir"]) == 0
        )
    if "g.aig" in words:
        assert run_qsage(["certify", f"{EVIL}/g.qcir", "-o", f"{EVIL}/g.aig"]) == 0
    capfd.readouterr()
    here = [f"{EVIL}/{word}" if "." in word and EVIL not in word else word for word in words]
    before = set(evil.iterdir())
    code = run_qsage([*here, *(["--json"] if to_dict else [])])
    out, err = capfd.readouterr()
    assert code in (0, 1, 2, 3, 10, 20), err
    assert "internal error" not in err
    assert not commands_of(out + err), (out, err)
    if to_dict and out and "-" not in words and "--list" not in words:
        json.loads(out)
    for made in set(evil.iterdir()) - before:
        if made.suffix in (".html", ".svg", ".txt", ".json", ".md"):
            assert not commands_of(made.read_text())


def test_what_is_shown() -> None:
    assert (
        visible("a\x1b[m\u202e\x9b\n\ud800é 漢 ♞") == r"a\x1b[m\u202e\x9b" + "\n" + r"\ud800é 漢 ♞"
    )
    assert visible("plain") == "plain"
