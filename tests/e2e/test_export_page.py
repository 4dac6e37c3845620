"""Pages in which a certificate plays: what the script says is what the conductor says."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from qsage_validate.api.games import game
from qsage_validate.api.strategies import Strategy, certify, load
from qsage_validate.errors import Exit, UsageError
from qsage_validate.formats.source import sample_path
from qsage_validate.kernel.certificate import CircuitCertificate
from qsage_validate.proving.pages import play_page, rules_table
from tests.support.commands import run_qsage
from tests.support.page_plays import accused, conducted, page_table

_SCRIPTS = [str(Path(play_page.__file__).with_name(name)) for name in ("play.js", "rules.js")]
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


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node to run the script")
@pytest.mark.parametrize("name", ["hex", "hex-network"])
def test_faults_of_a_certificate_are_found_against_the_rules(name: str) -> None:
    """At the steps at which the conductor finds them, which has the rules themselves."""
    listed = name == "hex-network"
    hexes = game("hex-network", size=(3, 3), depth=5)
    strategy = certify(hexes, encoding="cor") if listed else _strategy(name)
    report = strategy.validate(timeout=5).whole
    certificate = strategy.problem.answering
    assert isinstance(certificate, CircuitCertificate)
    steps = set[int]()
    variables = list(certificate.functions)
    for variable in variables[:: len(variables) // 7]:
        functions = {**certificate.functions, variable: certificate.functions[variable] ^ 1}
        faulty = replace(certificate, functions=functions)
        wrong = replace(strategy, problem=replace(strategy.problem, certificate=faulty))
        plays, _ = conducted(wrong, 4, seed=5)
        page = play_page.play_page(wrong.problem.with_checked_dependencies(), report)
        told = [told["findings"] for _, _, told in _in_the_page(page_table(page), plays)]
        expected = accused(wrong, plays)
        assert [sorted({each["plies"] for each in found}) for found in told] == expected
        steps.update(*expected)
    assert len(steps) > 2


def test_rules_that_are_too_large_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules_table, "MOST_POSITIONS", 2349)
    _strategy("hex").save_page(tmp_path / "play.html", timeout=5)
    page = (tmp_path / "play.html").read_text("utf-8")
    assert page_table(page)["rules"] is None
    assert "with more than 2,349 positions, are too large to travel." in page
    monkeypatch.setattr(rules_table, "MOST_POSITIONS", 2350)
    _strategy("hex").save_page(tmp_path / "play.html", timeout=5)
    page = (tmp_path / "play.html").read_text("utf-8")
    assert page_table(page)["rules"]["positions"] == 2350
    assert "compared with the rules of the game, which have 2,350 positions." in page


def _compare(tmp_path: Path, strategy: Strategy, games: int) -> None:
    strategy.save_page(tmp_path / "play.html", timeout=5)
    data = page_table((tmp_path / "play.html").read_text("utf-8"))
    plays, expected = conducted(strategy, games, seed=7)
    for moves, own, page in zip(plays, expected, _in_the_page(data, plays), strict=True):
        *page, against = page
        assert page == own, moves
        assert against["findings"] == [], moves
        assert against["ending"].startswith("By the rules Black has won"), moves


def _in_the_page(data: dict[str, Any], plays: list[list[str]]) -> list[Any]:
    run = subprocess.run(
        ["node", str(_PLAYS), *_SCRIPTS],
        input=json.dumps({"data": data, "plays": plays}),
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    told: list[Any] = json.loads(run.stdout)
    return told


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
