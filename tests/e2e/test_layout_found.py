"""``qsage layout`` finds the moves in a stranger's formula; ``validate`` does so by itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qsage_validate.circuit.builder import CircuitBuilder
from qsage_validate.errors import Exit
from qsage_validate.formats.qdimacs import qbf_to_qdimacs
from qsage_validate.formats.writing import qcir_text
from tests.support.scrambled import Chosen, Claiming, clausified, numbered

from .conftest import Qsage

GAME = Claiming(
    ("a1", "a2", "a3", "b1", "b2", "b3"),
    (frozenset({"a1", "a2"}), frozenset({"a2", "b2", "b3"}), frozenset({"b1", "a3"})),
    5,
)


def no_b2_at_first(circuit: CircuitBuilder, chosen: Chosen) -> int:
    return -chosen[0]["b2"]


@pytest.fixture(autouse=True)
def files(qsage: Qsage) -> None:
    Path("game.pg").write_text(GAME.pg())
    Path("right.qcir").write_text(qcir_text(numbered(GAME)))
    Path("wrong.qcir").write_text(qcir_text(numbered(GAME, wrong=no_b2_at_first)))
    Path("right.qdimacs").write_text(qbf_to_qdimacs(clausified(numbered(GAME, first=1))))


def test_a_validation_takes_the_game_behind_the_formula(qsage: Qsage) -> None:
    done = qsage("validate", "right.qcir", "game.pg")
    assert done.code == Exit.FINE, done.err
    by_option = qsage("validate", "right.qcir", "--model", "game.pg")
    assert done.out.splitlines()[-1] == by_option.out.splitlines()[-1]
    assert qsage("validate", "wrong.qcir", "game.pg").code == Exit.REFUTED
    for words in (["--model", "game.pg"], ["--game", "game.pg", "game.pg"]):
        done = qsage("validate", "right.qcir", "game.pg", *words)
        assert done.code == Exit.BAD_INPUT
        assert "found game.pg with --game or --model, expected one of them" in done.err
    # A certificate comes first, and then the game.
    done = qsage("validate", "sample:tic", "sample:tic.aig", "--level", "rules", "right.qcir")
    assert done.code == Exit.BAD_INPUT
    assert "right.qcir" in done.err
    done = qsage("validate", "sample:tic", "sample:tic.aig", "httt", "--level", "rules")
    assert done.code == Exit.BAD_INPUT
    assert "does not fit the layout" in done.err


def test_the_lines_are_printed_and_the_formula_is_judged(qsage: Qsage) -> None:
    done = qsage("layout", "right.qcir", "game.pg")
    assert done.code == Exit.FINE, done.err
    lines = done.out.splitlines()
    assert lines[:2] == ["#@ qsage-layout", "#@ encoding unknown"]
    assert "#@ list 1 a1 a2 a3 b1 b2 b3" in lines
    assert "#@ move 5 black list 1 code [13..15]" in lines
    assert [line.partition(" black 5")[2] for line in lines][-1] == " legal"
    assert "moves as numbers in the game's order: 60 of 60 plays agree" in done.err
    assert "proved" in done.err
    done = qsage("layout", "wrong.qcir", "game.pg", "--json")
    assert done.code == Exit.REFUTED
    told = json.loads(done.out)
    assert told["differences"][0]["moves"][0] == "b2"
    assert told["readings"][0]["reading"] == "numbers in the game's order"


def test_the_layout_is_written_into_the_file_or_a_copy(qsage: Qsage) -> None:
    before = Path("right.qdimacs").read_text()
    done = qsage("layout", "right.qdimacs", "game.pg", "-o", "copy.qdimacs")
    assert done.code == Exit.FINE, done.err
    assert Path("right.qdimacs").read_text() == before
    done = qsage("validate", "copy.qdimacs")
    assert done.code == Exit.FINE, done.out + done.err
    assert qsage("layout", "right.qcir", "game.pg", "--write").code == Exit.FINE
    assert Path("right.qcir").read_text().splitlines()[1] == "#@ qsage-layout"
    again = qsage("layout", "right.qcir", "game.pg", "--write")
    assert again.code == Exit.BAD_INPUT
    assert "has a layout" in again.err


def test_validate_finds_the_layout_by_itself(qsage: Qsage) -> None:
    done = qsage("validate", "right.qcir", "--model", "game.pg")
    assert done.code == Exit.FINE, done.out + done.err
    assert "layout found: moves as numbers in the game's order" in done.out
    done = qsage("validate", "wrong.qcir", "--model", "game.pg")
    assert done.code == Exit.REFUTED
    assert "play: b2" in done.out


def test_games_of_the_catalogue_are_tried(qsage: Qsage) -> None:
    """One of them is over at its start, and ended the search with an error of ours once."""
    words = ("--size", "2x2", "--depth", "3", "--encoding", "la")
    assert qsage("encode", "hex", *words, "-o", "own.qcir").code == Exit.FINE
    plain = [x for x in Path("own.qcir").read_text().splitlines() if not x.startswith("#@")]
    Path("hex.qcir").write_text("\n".join(plain) + "\n")
    done = qsage("layout", "hex.qcir", "--any-game", "--timeout", "30")
    assert done.code in (Exit.FINE, Exit.REFUTED, Exit.UNDECIDED), done.err
    assert "plays agree" in done.err


def test_bad_words_are_one_line(qsage: Qsage) -> None:
    small = Claiming(("a1", "a2", "b1"), (frozenset({"a1", "a2"}),), 3)
    Path("small.qcir").write_text(qcir_text(numbered(small)))
    cases = {
        ("layout",): "found no FORMULA",
        ("layout", "right.qcir"): "found no game",
        ("layout", "right.qcir", "game.pg", "--any-game"): "found a game with --any-game",
        ("layout", "right.qcir", "game.pg", "--write", "-o", "x"): "found --write with -o",
        ("layout", "small.qcir", "game.pg"): "no reading of the formula has the moves of",
    }
    for words, text in cases.items():
        done = qsage(*words)
        assert done.code == Exit.BAD_INPUT, words
        assert text in done.err
        assert done.err.count("\n") == 1
