"""Drills: every line is asked once, answers are marked by the rules, and all can be resumed."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from qsage_validate.errors import InputError, UsageError
from qsage_validate.extensions.teaching.drill import (
    Drill,
    DrillFile,
    DrillMark,
    DrillProgress,
    StrategyTeacher,
)
from qsage_validate.extensions.teaching.prompt import DrillTalk
from qsage_validate.formats.json_text import parse_json
from qsage_validate.formats.source import Source
from qsage_validate.games.protocol import Player
from qsage_validate.play.match import PlayMatch
from tests.support.commands import run_play
from tests.support.plays import BREAKTHROUGH, DOMINO, EL, HELD, match_for
from tests.unit.arena.test_teacher_distance import longest, teacher_for

BLACK, WHITE = Player.BLACK, Player.WHITE


def drill_for(words: tuple[str, ...], side: Player, progress: DrillProgress | None = None) -> Drill:
    return Drill(teacher_for(words), progress or DrillProgress("key", side))


def replies(match: PlayMatch) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every reply of the certificate with the moves before it, by playing all plays."""
    moves = tuple(str(f.move) for f in match.frames if f.move is not None)
    if match.frame.by_certificate:
        yield moves[:-1], moves[-1]
    for move in () if match.over else match.legal_moves():
        match.push(move)
        yield from replies(match)
        match.undo()


@pytest.mark.parametrize("words", [DOMINO, EL, BREAKTHROUGH, HELD], ids=str)
def test_every_reply_is_asked_once(words: tuple[str, ...]) -> None:
    match = match_for(words)
    expected = dict(replies(match))
    drill = drill_for(words, match.facts.certificate_player)
    asked = {}
    while (question := drill.question) is not None:
        assert question.moves not in asked
        (answer,) = question.answers
        asked[question.moves] = answer
        assert drill.answer(answer) is DrillMark.RIGHT
    assert asked == expected
    assert drill.progress.done == drill.progress.right == len(expected)
    with pytest.raises(UsageError, match="the drill is over"):
        drill.answer("occupy(1,1)")


def test_of_the_other_side_the_longest_moves_are_asked() -> None:
    drill = drill_for(BREAKTHROUGH, WHITE)
    asked = 0
    while (question := drill.question) is not None:
        match = match_for(BREAKTHROUGH)
        for move in question.moves[::2]:
            match.push(move)
        before, lasts = match.frame.ply, {}
        for own in match.legal_moves():
            match.push(own)
            lasts[str(own)] = match.frame.ply - before + longest(match)
            match.undo()
        assert question.answers == {m for m, n in lasts.items() if n == max(lasts.values())}
        assert set(question.legal) == set(lasts)
        worse = next(m for m in question.legal if m not in question.answers)
        assert drill.answer(worse) is DrillMark.WRONG
        assert drill.question is question
        assert drill.answer(min(question.answers)) is DrillMark.RIGHT
        asked += 1
    assert asked
    progress = drill.progress
    assert (progress.done, progress.right, progress.wrong) == (asked, 0, asked)
    assert len(progress.missed) == asked


def test_a_move_that_also_wins_is_no_mistake() -> None:
    drill = drill_for(EL, BLACK)
    assert drill.question is not None
    first = drill.question
    assert drill.answer("occupy(1,1)") is DrillMark.WRONG  # by the search White wins after it
    assert drill.answer(min(first.answers)) is DrillMark.RIGHT
    question = drill.question
    others = [m for m in question.legal if m not in question.answers]
    marks = set()
    for move in others:
        again = drill_for(EL, BLACK, DrillProgress("key", BLACK, done=1))
        mark = again.answer(move)
        marks.add(mark)
        assert again.progress.wrong == (mark is DrillMark.WRONG)
        assert again.progress.done == 1 + (mark is DrillMark.ALSO_WINS)
    assert DrillMark.ALSO_WINS in marks
    # Without the rules nobody knows.
    bare = Drill(teacher_for(EL, rules=False), DrillProgress("key", BLACK))
    assert bare.answer("occupy(1,1)") is DrillMark.WRONG


def test_what_is_no_move_is_not_counted() -> None:
    drill = drill_for(EL, BLACK)
    with pytest.raises(UsageError, match=r"found occupy\(9,9\), expected a legal move"):
        drill.answer("occupy(9,9)")
    assert drill.progress == DrillProgress("key", BLACK)


def test_a_drill_goes_on_where_it_was() -> None:
    whole = drill_for(EL, BLACK)
    for number in range(6):
        kept = DrillProgress("key", BLACK, done=number)
        assert drill_for(EL, BLACK, kept).question == whole.question
        whole.give_up()


def test_without_a_certificate_there_is_no_drill() -> None:
    with pytest.raises(UsageError, match="expected one to drill"):
        Drill(StrategyTeacher(BLACK, None, None), DrillProgress("key", BLACK))


def talk(drill: Drill, path: str | None, *lines: str) -> str:
    console = Console(file=StringIO(), width=100)
    found = DrillTalk(drill, console, DrillFile(path))
    found.begin()
    for line in lines:
        if not found.do(line):
            break
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def test_the_prompt_asks_marks_and_keeps_the_progress(tmp_path: Path) -> None:
    path = str(tmp_path / "drill.json")
    drill = drill_for(DOMINO, BLACK)
    assert drill.question is not None
    (first,) = drill.question.answers
    said = talk(drill, path, "help", "jump(1)", first, "show", "quit", "never read")
    assert "1. Black to move. What does the strategy answer?" in said
    assert "right\n" in said
    assert "the answer is " in said
    assert "2 done, 1 right at the first try, 1 wrong answer" in said
    data = parse_json(Source.open(path), "a drill")
    kept = DrillProgress.from_json(data, "key", BLACK)
    assert kept == drill.progress
    again = drill_for(DOMINO, BLACK, kept)
    assert again.question == drill.question
    said = talk(again, None, *["show"] * 30)
    assert "resumed: 2 done, 1 right" in said
    assert "all lines are done: " in said
    assert "missed after " in said


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "1:1: found no 'key'"),
        ('{"key": "other"}', "found the drill of 'other', expected that of 'key'"),
        ('{"key": "key", "side": "white"}', "found a drill for the other side"),
        ('{"key": "key", "side": "black", "done": 1, "right": 2}', "found 2 right of 1"),
        ("[", "1:2: found"),
    ],
)
def test_a_file_of_something_else_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        DrillProgress.from_json(parse_json(Source(text, "d.json"), "a drill"), "key", BLACK)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["sample:tic", "--drill", "red"], "expected black or white"),
        (["sample:tic", "--resume", "x"], "found --resume, expected it with --drill"),
        (["sample:tic", "--drill", "black", "--teach"], "found --teach with a drill play"),
        (["sample:tic", "--white", "random", "--teach"], "found --teach with a random play"),
        (["hex", "--size", "2x2", "--drill", "black"], "expected a certificate: see --certify"),
        (["take-away-3", "--drill", "black"], "found --drill with an impartial game"),
        (["sample:tic", "--bare", "--drill", "black"], "without a certificate on a board"),
    ],
)
def test_options_that_do_not_fit_are_told(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_play(words) == 2
    assert message in capsys.readouterr().err


def test_a_file_is_written_anew_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "drill.json"
    for done in range(3):
        monkeypatch.setattr("sys.stdin", StringIO("show\nquit\n"))
        words = ["sample:tic", "--drill", "black", "--resume", str(path)]
        assert run_play(words) == 0
        out, err = capsys.readouterr()
        assert f"{done + 1} done" in out
        assert not err
        assert f'"done": {done + 1},' in path.read_text()


def test_lessons_of_scripts(capsys: pytest.CaptureFixture[str]) -> None:
    run_play(["sample:tic", "--moves", "occupy(1,1)", "--teach"])
    said = capsys.readouterr().out.splitlines()[-3:]
    assert said == [
        "b3 threatens to win by b1 or b4, and White cannot stop it",
        "Black wins within 2 more plies",
        "All moves lose within 2 more plies: none lasts longer than another",
    ]
