"""Explanations as a drawing and as a page of exercises: all of the program, and nothing foreign."""

from __future__ import annotations

import shlex
from functools import cache
from html import escape
from pathlib import Path
from xml.etree import ElementTree

import pytest

from qsage_validate.errors import Exit
from qsage_validate.extensions.explain.explanation import ExplainedProgram, ExplainOptions, explain
from qsage_validate.extensions.explain.shown import explanation_page, explanation_svg, lesson_page
from qsage_validate.games.languages import load_game
from qsage_validate.games.registry import find_command
from tests.support.commands import run_qsage

EL = "httt --size 3x3 --shape el --depth 5"


@cache
def found(max_nodes: int | None = None) -> ExplainedProgram:
    game = load_game(find_command(shlex.split(EL)))
    return explain(game, None, ExplainOptions(lookahead=1, max_nodes=max_nodes))


def words_of(text: str) -> str:
    return " ".join(" ".join(ElementTree.fromstring(text).itertext()).split())


def test_the_drawing_has_every_question_answer_and_board() -> None:
    explanation = found()
    text = explanation_svg(explanation)
    words = words_of(text)
    leaves = 0
    for node in explanation.root.walk():
        assert str(node.question or node.answer) in words
        leaves += node.answer is not None
    assert text.count("<g transform=") == leaves
    assert explanation.measure in words


def test_the_drawing_says_where_it_ends() -> None:
    cut = [node.cut for node in found(2).root.walk() if node.cut]
    words = words_of(explanation_svg(found(2)))
    assert len(cut) > 0
    for number in cut:
        assert f"{number} nodes more" in words or number == 1


def test_every_line_is_within_the_drawing() -> None:
    root = ElementTree.fromstring(explanation_svg(found()))
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    for element in root.iter("{http://www.w3.org/2000/svg}text"):
        if element.attrib.get("font-size") == "14":
            letters = len(element.text or "")
            assert float(element.attrib["x"]) + 8 * letters < width
            assert float(element.attrib["y"]) < height


def test_a_lesson_asks_for_each_answer_the_most_met_first() -> None:
    explanation = found()
    page = lesson_page(explanation)
    leaves = [node for node in explanation.root.walk() if node.answer is not None]
    assert page.count("<section>") == len(leaves)
    assert page.count("<details>") == len(leaves)
    met = sorted((len(node.met) for node in leaves), reverse=True)
    places = [page.index(f"({number:,} of ") for number in dict.fromkeys(met)]
    assert places == sorted(places)
    for node in leaves:
        assert f"<b>{escape(str(node.answer))}</b>" in page
    # The answer is no part of what is seen before it is asked for.
    first = page.partition("<details>")[0]
    assert "coloured" not in first
    assert str(leaves[0].answer) not in first


@pytest.mark.parametrize("page", [lesson_page, explanation_page])
def test_pages_need_no_script_and_nothing_from_elsewhere(page: object) -> None:
    assert callable(page)
    text = page(found())
    assert "<script" not in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")


def test_the_ending_says_the_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, begin in (("a.svg", "<svg"), ("a.lesson.html", "<!DOCTYPE"), ("a.html", "<!DOC")):
        assert run_qsage(["explain", *shlex.split(EL), "-o", str(tmp_path / name)]) == Exit.FINE
        assert (tmp_path / name).read_text().startswith(begin)
    assert "Lesson" in (tmp_path / "a.lesson.html").read_text()
    assert "Lesson" not in (tmp_path / "a.html").read_text()
    assert run_qsage(["explain", *shlex.split(EL), "-o", str(tmp_path / "a.pdf")]) == 2
    assert ".smt2, .lesson.html" in capsys.readouterr().err
