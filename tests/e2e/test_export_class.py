"""One page for a class: games that play, boards to print, and a solution sheet that is right."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pytest

from qsage_validate.api.strategies import Strategy, load
from qsage_validate.errors import Exit
from qsage_validate.formats.source import sample_path
from qsage_validate.proving import play_page as pages
from qsage_validate.proving.play_page import ClassGame, class_page, play_page
from qsage_validate.proving.run import ValidationRun
from tests.support.chromium import chromium
from tests.support.commands import run_qsage
from tests.support.opened import NEEDS_CHROMIUM, Opened
from tests.support.page_plays import page_table


def _strategy(name: str) -> Strategy:
    return load(sample_path(f"sample:{name}"), sample_path(f"sample:{name}.aig"))


def _page(*names: str) -> str:
    games = []
    for name in names:
        own = _strategy(name)
        report = own.validate(levels="formula").whole
        games.append(ClassGame(own.playable, report))
    return class_page(games)


def _answers(page: str, number: int = 0) -> str:
    return page.split('<section class="answers">')[1 + number].partition("</section>")[0]


def test_each_game_is_the_page_of_its_own() -> None:
    page = _page("hex", "domineering")
    frames = [html.unescape(text) for text in re.findall(r'srcdoc="([^"]*)"', page)]
    assert len(frames) == 2
    own = _strategy("hex")
    report = own.validate(levels="formula").whole
    assert page_table(frames[0]) == page_table(play_page(own.playable, report))
    # A frame has the policy of the page around it as well as its own.
    policies = {re.search(r"'sha256-[^']*'", text)[0] for text in (page, *frames)}  # type: ignore[index]
    assert len(policies) == 1
    assert not re.search(r'(?:src|href)="(?!#)', page)
    assert 'src="' not in page


def test_a_title_says_what_was_found() -> None:
    """The page that quoted a proof said that Black claims one."""
    titles = re.findall(r"<h2[^>]*>([^<]*)", _page("hex"))
    assert titles[0] == "1. hex 3x3: Black has a proof. You are White"
    own = _strategy("hex")
    sampled = own.validate(levels="random", games=2).whole
    assert "hex 3x3: Black claims a proof" in play_page(own.playable, sampled)


def test_the_solution_sheet_has_the_answer_to_each_move() -> None:
    own = _strategy("hex")
    game = own.problem.game
    assert game is not None
    shown = _answers(_page("hex"))
    assert "Black begins: b2." in shown
    said = {}
    for move, reply in own.replies().items():
        assert reply is not None
        (x, y), (u, v) = game.square_of(move), game.square_of(reply)  # type: ignore[misc]
        said["abc"[x - 1] + str(y)] = "abc"[u - 1] + str(v)
    # The items of the outermost list: a move, the answer, and what follows.
    outer = re.sub(r"(?<=</b>)<ul>(?:(?!<ul>).)*?</ul>", "", shown)
    told = {
        move: reply
        for moves, reply in re.findall(r"<li>([^<]*): <b>([^<]*)</b>", outer)
        for move in moves.split(", ")
    }
    assert told == said


def test_moves_that_people_say_alike_are_told_once() -> None:
    for moves in re.findall(r"<li>([^<:]*)", _answers(_page("connect3"))):
        names = moves.split(", ")
        assert len(names) == len(set(names))


def test_a_sheet_that_is_not_whole_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "The sheet is made of the first" not in _page("hex")
    monkeypatch.setattr(pages, "MOST_ANSWERS", 20)
    assert "The sheet is made of the first" in _page("hex")


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "class.html"
    words = ["sample:hex", "httt --size 3x3 --shape domino"]
    assert run_qsage(["export", "class", *words, "-o", str(page), "--json"]) == Exit.FINE
    told = json.loads(capsys.readouterr().out)
    assert [game["verdict"] for game in told["games"]] == ["valid", "valid"]
    text = page.read_text("utf-8")
    assert text.count("<iframe") == 2
    assert "domino" in text


def test_an_interrupted_proof_is_no_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ValidationRun, "result", interrupt)
    page = tmp_path / "class.html"
    assert run_qsage(["export", "class", "sample:hex", "-o", str(page)]) == Exit.INTERRUPTED
    assert not page.exists()


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("sample:none", "no such sample"),
        ("nothing.qcir", "no such file"),
        ("chess", "unknown game 'chess'"),
        ("", "unknown game ''"),
        ("hex --size", "--size"),
        ("hex '", "quotation"),
    ],
)
def test_what_is_no_game_is_refused(
    word: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "class.html"
    code = run_qsage(["export", "class", "sample:hex", word, "-o", str(page)])
    err = capsys.readouterr().err
    assert code == Exit.BAD_INPUT, err
    assert said in err
    assert not page.exists()


@NEEDS_CHROMIUM
def test_the_games_play_in_the_page(tmp_path: Path) -> None:
    path = tmp_path / "class.html"
    path.write_text(_page("hex"), "utf-8")
    with chromium() as browser:
        page = Opened(browser, path).page
        assert page.run("document.querySelector('.sheet').checkVisibility()") is False
        page.run("document.querySelector('#boards').click()")
        assert page.run("document.querySelector('.sheet').checkVisibility()") is True
