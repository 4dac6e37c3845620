"""Plays that follow a program: the questions told with a reply are those that led to it."""

from __future__ import annotations

import random
import shlex
from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest
from textual.content import Content
from textual.widgets import Static

import qsage_validate as qs
from qsage_validate.arena.frame import Frame
from qsage_validate.extensions.explain.answers import Exactly, Leaf
from qsage_validate.extensions.explain.certificate import Explanation
from qsage_validate.extensions.explain.explanation import Followed
from qsage_validate.extensions.explain.shown import explanation_text
from qsage_validate.games.protocol import Player, Position
from qsage_validate.games.registry import find_command
from qsage_validate.play.match import PlayMatch
from qsage_validate.play.transcript import play_transcript, transcript_of
from qsage_validate.play.tui.panes import WhyPane
from qsage_validate.play.tui.play_area import PlayArea
from tests.support.pilot import Driver, drive
from tests.support.text_player import Memory, Seen, TextPlayer, seen

TIC = "httt --size 4x4 --shape tic --depth 5"
SECOND = "breakthrough --second --size 2x4 --depth 13"
HELD = "httt --size 2x2 --shape el --depth 3"
PAIRS = "harary --size 3x3 --shape fatty --maker-breaker"


@cache
def explained(words: str, positions: int = 50_000) -> Explanation:
    game = qs.Game(find_command(shlex.split(words)), tuple(shlex.split(words)), by_name=True)
    return qs.explain(game, lookahead=1 if words == TIC else 3, positions=positions)


def whole_play(match: PlayMatch, generator: random.Random) -> tuple[Frame, ...]:
    match.restart()
    while (move := match.random_move(generator)) is not None:
        match.push(move)
    return match.frames


def reading(position: Position, last: dict[Player, Seen]) -> Memory:
    return Memory(position, tuple(sorted(last.items(), key=str)))


@pytest.mark.parametrize(
    ("words", "positions"), [(TIC, 50_000), (SECOND, 50_000), (HELD, 50_000), (PAIRS, 6)]
)
def test_what_is_told_with_a_reply_led_to_it(words: str, positions: int) -> None:
    """Somebody who reads the printed text alone answers the questions alike, and plays the same."""
    found = explained(words, positions)
    program = found.whole
    reader = TextPlayer(explanation_text(program), program.hero)
    match, generator = found.play(), random.Random(1)
    replies = 0
    for _ in range(25):
        last: dict[Player, Seen] = {}
        frames = whole_play(match, generator)
        for before, frame in pairwise(frames):
            assert before.position is not None
            assert frame.position is not None
            assert frame.player is not None
            boards = before.position.board, frame.position.board
            made = seen(boards[0], str(frame.move), boards[1], frame.player)
            if frame.player is program.hero:
                memory = reading(before.position, last)
                *asked, answer = frame.remarks
                for remark in asked:
                    question, _, said = remark.rpartition("? ")
                    assert said == ("yes" if reader.holds(question, memory) else "no"), remark
                nodes = {node.number: node for node in program.root.walk()}
                assert [n.question for n in map(nodes.get, frame.way) if n is not None][-1] is None
                assert answer == str(nodes[frame.way[-1]].answer)
                assert reader.reply(memory)[1].text == str(frame.move)
                replies += 1
            else:
                assert (frame.way, frame.remarks) == ((), ())
            last[frame.player] = made
        assert frames[-1].outcome is not None
        assert frames[-1].outcome.winner is program.hero
    assert replies >= 25


def test_after_an_illegal_move_nothing_is_told() -> None:
    match = explained(TIC).play()
    assert match.frames[-1].way
    match.push("occupy(2,2)", force=True)
    assert match.frame.way == ()
    match.undo()
    match.push("occupy(1,1)")
    assert match.frame.way


def test_a_program_that_is_not_the_certificates_is_told_apart() -> None:
    found = explained(TIC)
    other = replace(found.whole.found, tree=Leaf(Exactly("occupy(4,4)")))
    program = Followed(replace(found.whole, found=other))
    first = found.play().frames
    told = program.told(first[:1], replace(first[1], remarks=()))
    assert told.remarks == (
        "the program says: play occupy(4,4); the certificate plays occupy(2,2)",
    )


def test_a_saved_play_is_replayed_with_its_reasons() -> None:
    match = explained(TIC).play()
    match.push("occupy(1,1)")
    told = [(frame.way, frame.remarks) for frame in match.frames]
    again = explained(TIC).play()
    play_transcript(again, transcript_of(match))
    assert [(frame.way, frame.remarks) for frame in again.frames] == told


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_the_pane_marks_the_way_of_the_reply_that_is_looked_at(size: tuple[int, int]) -> None:
    def text(driver: Driver) -> str:
        return str(driver.app.query_one("#why-text", Static).content)

    def bold(driver: Driver) -> list[str]:
        content = driver.app.query_one("#why-text", Static).content
        assert isinstance(content, Content)
        lines = content.split("\n")
        return [line.plain.strip() for line in lines if any(s.style == "bold" for s in line.spans)]

    async def scenario(driver: Driver) -> None:
        pane = driver.app.query_one(WhyPane)
        assert pane.border_title == "2 Why"
        assert driver.app.query_one(PlayArea).active == "why"
        assert bold(driver) == ["if it is Black's first move: yes", "play occupy(2,2)"]
        await driver.enter("occupy(4,4)")
        after = bold(driver)
        assert after[0] == "if it is Black's first move: no"
        assert after[-1].startswith("play ")
        assert after[-1] != "play occupy(2,2)"
        assert "next    it is Black's first move?" in text(driver)
        assert "it is Black's first move? no" in driver.said
        await driver.press("left_square_bracket", "left_square_bracket")
        assert bold(driver) == ["if it is Black's first move: yes", "play occupy(2,2)"]
        await driver.press("escape")
        await driver.enter("occupy(2,2)")
        assert "illegal" in text(driver)
        assert bold(driver) != after

    drive(explained(TIC).play(), scenario, size=size)
