"""Pages in which a certificate plays: what the script says is what the conductor says."""

from __future__ import annotations

import hashlib
import json
import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from qsage_validate.api.games import game
from qsage_validate.api.strategies import Strategy, certify, load
from qsage_validate.arena.conductor import Conductor
from qsage_validate.certificates.oracles.simulation import SimulationOracle
from qsage_validate.errors import Exit, UsageError
from qsage_validate.formats.source import sample_path
from qsage_validate.games.protocol import Square
from qsage_validate.kernel.certificate import CircuitCertificate
from qsage_validate.proving.pages import play_page
from qsage_validate.strategies.readers import reader_of
from tests.support.commands import run_qsage

_SCRIPT = Path(play_page.__file__).with_name("play.js")
_PLAYS = Path(__file__).parent.parent / "support" / "page_plays.js"
_LETTERS = {Square.BLACK: "B", Square.WHITE: "W", Square.OPEN: "."}


def _strategy(name: str) -> Strategy:
    return load(sample_path(f"sample:{name}"), sample_path(f"sample:{name}.aig"))


def _table(page: str) -> dict[str, Any]:
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.S)
    assert found is not None
    table: dict[str, Any] = json.loads(found[1])
    return table


def _expected(strategy: Strategy, games: int, seed: int) -> tuple[list[list[str]], list[Any]]:
    """Random plays by the formula alone, and what the conductor says of each step."""
    problem = strategy.problem.with_checked_dependencies()
    certificate = problem.answering
    assert isinstance(certificate, CircuitCertificate)
    assert problem.layout is not None
    oracle = SimulationOracle(certificate, problem.formula)
    reader = reader_of(problem.layout, certificate, problem.formula, oracle, problem.game)
    conductor, generator = Conductor(reader), random.Random(seed)
    plays, told = [], []
    for _ in range(games):
        state, moves, steps = conductor.start(), list[str](), list[Any]()
        while True:
            mine = state.ending is None and conductor.to_move(state) is conductor.player
            is_open = state.ending is not None or mine
            on_board = None if is_open else reader.code.moves(state.plies + 1)
            legal = None
            if on_board is not None:
                legal = [str(m) for m in on_board if conductor.is_legal(state, m)]
            board, atoms = state.board, state.reading.atoms
            squares = None if board is None else "".join(_LETTERS[s] for s in board.squares)
            true = [] if atoms is None else sorted(atoms.true)
            steps.append([list(state.moves), squares, true, legal])
            if state.ending is not None:
                break
            if mine:
                (state,) = conductor.answer_all([state])
                continue
            assert legal
            moves.append(generator.choice(legal))
            found = conductor.find(state, moves[-1])
            assert found is not None
            state = conductor.play(state, found)
        (verdict,) = reader.verdicts([state.assignment])
        plays.append(moves)
        told.append([steps, verdict.value])
    return plays, told


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node to run the script")
@pytest.mark.parametrize(("name", "games"), [("tic", 1000), ("hex", 1000), ("breakthrough", 200)])
def test_the_script_plays_as_the_conductor_does(tmp_path: Path, name: str, games: int) -> None:
    _compare(tmp_path, _strategy(name), games)


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node to run the script")
@pytest.mark.parametrize("encoding", ["cor", "cor-lean"])
def test_so_it_does_where_moves_are_a_list(tmp_path: Path, encoding: str) -> None:
    strategy = certify(game("hex-network", size=(3, 3), depth=5), encoding=encoding)
    _compare(tmp_path, strategy, 200)


def _compare(tmp_path: Path, strategy: Strategy, games: int) -> None:
    strategy.save_page(tmp_path / "play.html", timeout=5)
    data = _table((tmp_path / "play.html").read_text("utf-8"))
    plays, expected = _expected(strategy, games, seed=7)
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
