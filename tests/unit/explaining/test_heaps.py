"""Explanations of impartial games: the text is all that is needed, and every view has all of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from qsage_validate.errors import Exit
from qsage_validate.extensions.explain.certificate import FORMS
from qsage_validate.extensions.explain.heaps import LOST, HeapExplanation, explain_heaps
from qsage_validate.extensions.explain.shown import explanation_text
from qsage_validate.extensions.impartial import families
from qsage_validate.extensions.impartial.report import SynthesisOptions
from qsage_validate.extensions.impartial.rules import ImpartialRules, box_states
from tests.support.commands import run_qsage

pytest.importorskip("z3", reason="z3 is not installed (extra impartial)")

GAMES = ("take-away-3", "two-heap-nim", "subtract-a-square", "odd-wythoff")


@cache
def found(name: str, *, misere: bool = False) -> HeapExplanation:
    options = SynthesisOptions(strategy=True, misere=misere, seconds=60)
    return explain_heaps(families.load(name), options)


def followed(lines: Iterator[str], values: dict[str, int]) -> str:
    """What the lines of a program say in a state; they know nothing but the text."""
    line = next(lines).strip()
    asked = re.fullmatch(r"if (.*):", line)
    if asked is None:
        return line
    python = re.sub(r"(?<![!<>=])=(?!=)", "==", asked[1])
    yes = followed(lines, values)
    assert next(lines).strip() == "else:"
    no = followed(lines, values)
    return yes if eval(python, {}, dict(values)) else no


def explained() -> Iterator[Any]:
    for name in GAMES:
        yield pytest.param(name, False, id=name)
    for name in GAMES[:2]:
        yield pytest.param(name, True, id=f"{name} misere")


@pytest.mark.parametrize(("name", "misere"), explained())
def test_the_text_alone_wins_every_winning_state(name: str, misere: bool) -> None:
    """Backward induction, which knows no formula, says who wins."""
    explanation = found(name, misere=misere)
    game = explanation.game
    text = explanation_text(explanation, boards=False).splitlines()
    program = text[2 : text.index("", 2)]
    rules = ImpartialRules(game, misere=misere)
    won = 0
    for state in box_states(game, 300):
        values = game.state(state)
        if game.ending.holds(values):
            continue  # nobody is to move
        says = followed(iter(program), values)
        if not rules.winning(state):
            assert says == LOST
            continue
        action, _, arguments = says.rstrip(")").partition("(")
        words = [word for word in arguments.split(", ") if word]
        numbers = tuple(int(eval(word, {}, dict(values))) for word in words)
        moves = [m for m in rules.moves(state) if (m.name, m.arguments) == (action, numbers)]
        assert len(moves) == 1, (state, says)
        assert not rules.winning(moves[0].after), (state, says)
        won += 1
    assert won > 10


def test_the_tree_is_counted_and_proved() -> None:
    explanation = found("take-away-3")
    data = explanation.to_dict()
    assert (data["nodes"], data["depth"], data["proved"]) == (7, 3, True)
    assert data["questions"] == ["v % 4 != 0", "v % 4 = 1", "v % 4 = 2"]
    assert [node.number for node in explanation.root.walk()] == list(range(1, 8))
    (statement,) = data["statements"]
    assert "three constraints of a winning formula are valid" in statement
    assert "every play ends" in statement


def words_of(form: str, text: str) -> str:
    if form == "svg":
        text = " ".join(ElementTree.fromstring(text).itertext())
    return " ".join(text.replace("&lt;", "<").split())


@pytest.mark.parametrize("form", FORMS)
def test_each_form_has_every_question_and_answer(form: str) -> None:
    explanation = found("two-heap-nim")
    text = words_of(form, explanation.in_form(form))
    if form == "json":
        assert json.loads(text)["nodes"] == explanation.nodes
    if form == "py":
        module: dict[str, Any] = {}
        exec(explanation.in_form(form), module)
        assert module["is_winning"](3, 1)
        assert not module["is_winning"](2, 2)
        assert module["move"](3, 1) is not None
    elif form == "smt2":
        assert "define-fun" in text
    else:
        for node in explanation.root.walk():
            assert str(node.question or node.answer) in text


def test_a_lesson_asks_for_each_answer_with_a_state() -> None:
    explanation = found("take-away-3")
    page = explanation.in_form("lesson")
    leaves = [node for node in explanation.root.walk() if node.answer is not None and node.states]
    assert page.count("<section>") == len(leaves)
    for node in leaves:
        assert f"<pre>{node.posed}</pre>" in page
        assert f"<b>{node.answer}</b>" in page
        assert f"({len(node.states):,} of 100 states)" in page


def test_commands_write_and_refuse(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_qsage(["explain", "take-away-3", "-o", "take.svg"]) == Exit.FINE
    assert "take(1)" in words_of("svg", Path("take.svg").read_text("utf-8"))
    assert "Proved: in take-away-3 the player to move wins" in capsys.readouterr().out
    for words, told in (
        (["--cert", "x.aig"], "found --cert with an impartial game"),
        (["--lookahead", "1"], "found --lookahead with an impartial game"),
        (["--size", "3x3"], "found --size with an impartial game"),
        (["-o", "take.pdf"], "found the file name 'take.pdf', expected one that ends in .txt"),
    ):
        assert run_qsage(["explain", "take-away-3", *words]) == Exit.BAD_INPUT
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith(f"qsage: error: {told}")
    assert run_qsage(["explain", "take-away-3", "--timeout", "0"]) == Exit.UNDECIDED
    assert [path.name for path in tmp_path.iterdir()] == ["take.svg"]
