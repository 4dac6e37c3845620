"""Assertions of games in every encoding: true ones are proved, false ones broken by a play."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from qsage_validate.arena.adversary import open_adversary
from qsage_validate.certificates.compiler import NotCompiledError
from qsage_validate.certificates.routes import Certified
from qsage_validate.certificates.writer import certificate_bytes
from qsage_validate.encodings.registry import encoders
from qsage_validate.errors import UsageError
from qsage_validate.formats.writing import qcir_text
from qsage_validate.games.languages import load_game
from qsage_validate.games.model_text import GameModel
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.positional.hex import hex_network
from qsage_validate.games.protocol import Player, TwoPlayerGame
from qsage_validate.problems.load import Files, Problem, load
from qsage_validate.proving.assertions_level import BROKEN, HOLDS, VACUOUS
from qsage_validate.proving.levels import Level
from qsage_validate.proving.report import validate
from qsage_validate.proving.run import ValidationOptions
from qsage_validate.validation.finding import Proved, Refuted
from tests.support.certifying import certify_game
from tests.support.commands import run_play
from tests.support.gdl_heap import heap
from tests.support.plays import BREAKTHROUGH, CONNECT, DOMINEERING, EL, HELD, model_of

# Small games of each language, won by either player.
MODELS: dict[str, GameModel] = {
    **{
        " ".join(words): model_of(words) for words in (EL, HELD, BREAKTHROUGH, CONNECT, DOMINEERING)
    },
    "hex 2x2": hex_network(2, 2, 3),
    "el 3x3 3": harary_model("el", 3, 3, maker_breaker=True, plies=3),
    "tic maker-maker": harary_model("tic", 3, 3, maker_breaker=False, plies=5),
    "heap": heap(4, 4),
    "heap second": heap(4, 4, "second"),
}
# Its moves are none of the rules: White's are told apart by what they do in the formula.
OTHER_WORDS = ("cover",)
PAIRS = [
    (name, encoding)
    for name, model in MODELS.items()
    for encoding in encoders(model.language)
    if encoding not in OTHER_WORDS
]


@cache
def certified(name: str, encoding: str) -> Certified | None:
    """The game in an encoding, certified by search; ``None`` where the encoding has none."""
    try:
        return certify_game(MODELS[name], encoding)
    except (UsageError, NotCompiledError):
        return None


def true_lines(game: TwoPlayerGame, winner: Player) -> Iterator[str]:
    """What holds in every play of a strategy that wins."""
    for place in places(game):
        yield f"always not (black {place} and white {place})"
        yield f"always open {place} or black {place} or white {place}"
        yield f"always occupied {place} implies not open {place}"
    yield "end: goal" if winner is Player.BLACK else "end: not goal"
    yield "ply 0: not goal"


def places(game: TwoPlayerGame) -> list[str]:
    """Some places that players hold; none where positions are made of other things."""
    found = [word.removeprefix("black ") for word in game.words if word.startswith("black ")]
    return found[:3]


@pytest.fixture(params=PAIRS, ids=lambda pair: f"{pair[1]}: {pair[0]}")
def problem(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Problem:
    """A certified formula that lies in files."""
    made = certified(*request.param)
    if made is None:
        pytest.skip("no certificate by search")
    monkeypatch.chdir(tmp_path)
    Path("f.qcir").write_text(qcir_text(made.encoding.qbf))
    Path("f.aag").write_bytes(certificate_bytes(made.certificate, made.encoding.qbf, binary=False))
    Path("t.txt").write_text("ply 0: not goal\n")
    read = load(Files("f.qcir", "f.aag", assertions=("t.txt",)))
    if read.layout is None or read.game is None:
        pytest.skip("the formula's value says nothing of the game")
    return read


def asserting(problem: Problem, lines: Sequence[str]) -> Problem:
    """The problem with these assertions, read from a file."""
    Path("a.txt").write_text("\n".join(lines) + "\n")
    return load(replace(problem.files, assertions=("a.txt",)))


def test_what_is_true_by_construction_is_proved(problem: Problem) -> None:
    assert problem.game is not None
    lines = list(true_lines(problem.game, problem.answering.kind.player))
    asserted = asserting(problem, lines)
    report = validate(asserted, ValidationOptions(levels=(Level.EXHAUSTIVE, Level.ASSERTIONS)))
    plays, proved = report.results
    assert isinstance(proved.verdict, Proved), str(proved.verdict)
    assert isinstance(plays.verdict, Proved), str(plays.verdict)
    told = proved.evidence["assertions"]
    assert isinstance(told, list)
    assert {answer["verdict"] for answer in told} <= {HOLDS, VACUOUS}
    random = open_adversary(asserted, seed=1, illegal=0).run(20)
    assert random.findings == ()


def test_what_is_false_is_broken_by_a_play_that_replays(
    problem: Problem, capsys: pytest.CaptureFixture[str]
) -> None:
    """That a word is false throughout, of a word that comes true in some play."""
    game = problem.game
    assert game is not None
    words = sorted(game.words)[-4:] + sorted(game.words)[:4]
    asserted = asserting(problem, [f"always not {word}" for word in words])
    report = validate(asserted, ValidationOptions(levels=(Level.ASSERTIONS,)))
    (result,) = report.results
    if not isinstance(result.verdict, Refuted):
        assert not _come_true(asserted, words)
        return
    told = result.evidence["assertions"]
    assert isinstance(told, list)
    assert any(answer["verdict"] == BROKEN for answer in told)
    for finding in result.verdict.findings:
        program, *arguments = shlex.split(finding.replay)
        assert program == "qsage-play"
        capsys.readouterr()
        assert run_play(arguments) == 1
        shown = capsys.readouterr().out
        place = finding.detail.partition(":")[0]
        assert place == "a.txt"
        where = f"after ply {finding.ply}" if finding.ply else "at the start"
        assert f"FINDING assertion broken {where}: " in shown
        assert finding.detail in shown


def _come_true(problem: Problem, words: Sequence[str]) -> bool:
    """Whether a random play comes to a position with one of the words."""
    return bool(open_adversary(problem, seed=2, illegal=0).run(20).findings)


def test_games_of_both_players_take_part() -> None:
    made = [certified(*pair) for pair in PAIRS]
    assert {own.winner for own in made if own is not None} == set(Player)
    encodings = {pair[1] for pair, own in zip(PAIRS, made, strict=True) if own is not None}
    assert len(encodings) >= 10
    assert load_game(MODELS["heap"]).words
