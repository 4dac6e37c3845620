"""Pages in which a certificate plays: what the script says is what the conductor says."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from qsage_validate.api.games import game
from qsage_validate.api.strategies import Strategy, certify, load
from qsage_validate.errors import Exit, UsageError
from qsage_validate.formats.source import sample_path
from qsage_validate.proving.pages import play_page
from tests.support.commands import run_qsage
from tests.support.page_plays import conducted, page_table

_SCRIPT = Path(play_page.__file__).with_name("play.js")
_PLAYS = Path(__file__).parent.parent / "support" / "page_plays.js"


def _strategy(name: str) -> Strategy:
    return load(sample_path(f"sample:{name}"), sample_path(f"sample:{name}.aig"))


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node to run the script")
@pytest.mark.parametrize(("name", "games"), [("tic", 200), ("hex", 200), ("breakthrough", 60)])
def test_the_script_plays_as_the_conductor_does(tmp_path: Path, name: str, games: int) -> None:
    _compare(tmp_path, _strategy(name), games)


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node to run the script")
@pytest.mark.parametrize("encoding", ["cor", "cor-lean"])
def test_so_it_does_where_moves_are_a_list(tmp_path: Path, encoding: str) -> None:
    strategy = certify(game("hex-network", size=(3, 3), depth=5), encoding=encoding)
    _compare(tmp_path, strategy, 200)


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node to run the script")
def test_a_play_is_over_where_the_opponent_cannot_move(tmp_path: Path) -> None:
    """In Domineering this is how Black wins."""
    _compare(tmp_path, certify(game("domineering", size=(3, 3))), 200)


def _compare(tmp_path: Path, strategy: Strategy, games: int) -> None:
    strategy.save_page(tmp_path / "play.html", timeout=5)
    data = page_table((tmp_path / "play.html").read_text("utf-8"))
    plays, expected = conducted(strategy, games, seed=7)
    run = subprocess.run(
        ["node", str(_PLAYS), str(_SCRIPT)],
        input=json.dumps({"data": data, "plays": plays}),
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    for moves, own, page in zip(plays, expected, json.loads(run.stdout), strict=True):
        assert page == own, moves


def test_the_page_forbids_the_network_and_bears_verdict_and_hashes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "play.html"
    formula, cert = sample_path("sample:hex"), sample_path("sample:hex.aig")
    words = ["export", "page", formula, "--cert", cert, "-o", str(output), "--json"]
    assert run_qsage(words) == Exit.FINE
    page = output.read_text("utf-8")
    assert "default-src 'none'" in page
    assert not re.search(r"(?:src|href)=|@import|url\(|fetch\(", page.partition("<main>")[2])
    for path in (formula, cert):
        assert hashlib.sha256(Path(path).read_bytes()).hexdigest() in page
    told = json.loads(capsys.readouterr().out)
    assert told["verdict"] == "valid"
    assert told["summary"].partition(": ")[2][:40] in page


def test_hostile_names_end_no_script(tmp_path: Path) -> None:
    formula = tmp_path / "<\u202eb>&\"'.qcir"
    shutil.copy(sample_path("sample:hex"), formula)
    load(str(formula), sample_path("sample:hex.aig")).save_page(tmp_path / "play.html")
    page = (tmp_path / "play.html").read_text("utf-8")
    assert "<\u202e" not in page
    assert "\u202e" not in page
    assert page.count("</script>") == 2
    assert "<b>" not in page


def test_what_cannot_travel_is_refused_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    strategy = _strategy("hex")
    monkeypatch.setattr(play_page, "MOST_GATES", 10)
    with pytest.raises(UsageError, match="expected at most 10 for a page"):
        strategy.save_page(tmp_path / "play.html")
    assert not (tmp_path / "play.html").exists()
