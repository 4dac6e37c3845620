"""Positional games and games in GDL through the installed commands, from names and from files."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from qsage_validate.errors import Exit
from qsage_validate.formats.pg import pg_text
from qsage_validate.games.positional.harary import harary_model

from .conftest import Qsage

EL = ("harary", "--size", "3x3", "--shape", "el")


def test_names_say_what_is_solved(qsage: Qsage) -> None:
    done = qsage("solve", *EL, "--depth", 5)
    assert (done.code, done.out) == (Exit.TRUE, "Black wins within 5 plies; first move b2\n")
    done = qsage("solve", *EL, "--depth", "auto")
    assert done.out.startswith("Black wins within 5 plies and not in fewer; first move ")
    assert qsage("solve", *EL, "--depth", 3).code == Exit.FALSE


def test_a_game_in_a_file_is_written_certified_and_played(qsage: Qsage) -> None:
    model = harary_model("el", 3, 3, plies=5, maker_breaker=True)
    Path("el.pg").write_text(pg_text(model.pg()), encoding="utf-8")
    assert qsage("solve", "el.pg").code == Exit.TRUE
    written = ("-o", "el.aig", "--formula", "el.qdimacs")
    done = qsage("certify", "el.pg", "--encoding", "ea", *written)
    assert done.code == Exit.FINE
    read = json.loads(qsage("validate", "el.qdimacs", "--cert", "el.aig", "--json").out)
    assert read["verdict"] == "valid"
    played = qsage("play", "el.qdimacs", "--cert", "el.aig", "--moves", "a1 c3")
    assert played.code == Exit.FINE
    assert played.out.splitlines()[-1].startswith("Black wins: reached its goal")


def test_a_game_is_certified_for_a_play(qsage: Qsage) -> None:
    words = "harary --size 3x3 --shape domino --depth 3"
    certified = ("play", *words.split(), "--certify")
    done = qsage(*certified, "--white", "random", "--games", 5)
    assert (done.code, done.out.splitlines()[1]) == (Exit.FINE, "findings: none")
    assert "a Skolem certificate for Black was made and proved" in done.err
    done = qsage(*certified, "--moves", "zz")
    assert done.code == Exit.BAD_INPUT


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("trails", "--cert", "x.aig"), "found --cert with trails, a game"),
        (("no.qcir", "--depth", "3"), "found --depth with no.qcir, expected a game"),
        (("no.qcir", "--encoding", "ea"), "found --encoding with no.qcir"),
        (("domineering", "--encoding", "ea"), "the encoding ea for domineering 4x4, a grid game"),
        (("harary", "--role", "x"), "found --role for harary"),
    ],
)
def test_words_that_do_not_fit(qsage: Qsage, words: tuple[str, ...], found: str) -> None:
    Path("no.qcir").write_text("#QCIR-G14\nexists(a)\noutput(a)\n", encoding="utf-8")
    done = qsage("play", *words)
    assert done.code == Exit.BAD_INPUT
    assert found in done.err


def test_both_players_are_asked_in_turn(qsage: Qsage) -> None:
    done = qsage("solve", *EL, "--depth", "auto", "--alternate", "--json")
    read = json.loads(done.out)
    assert (done.code, read["winner"], read["plies"]) == (Exit.TRUE, "black", 5)
    assert [a["player"] for a in read["answers"]] == ["white", "black"] * 3
    fatty = ("harary", "--size", "4x4", "--shape", "fatty", "--depth", "auto", "--alternate")
    done = qsage("solve", *fatty)
    assert done.code == Exit.FALSE
    drawn = done.out.splitlines()[2:]
    letters = [sign for row in drawn for sign in row.split() if sign != "."]
    # Each pair twice, and every square of four cells has both cells of one.
    assert all(letters.count(letter) == 2 for letter in letters)
    board = [row.split() for row in drawn]
    for y in range(3):
        for x in range(3):
            square = [board[y + j][x + i] for i in (0, 1) for j in (0, 1)]
            assert any(square.count(letter) == 2 for letter in square if letter != ".")


def test_one_sided_formulas_decide_nothing_alone(qsage: Qsage) -> None:
    pytest.importorskip("pyqbf", reason="the extra 'solve' is not installed")
    done = qsage("solve", *EL, "--depth", 3, "--encoding", "cover")
    assert done.code == Exit.UNDECIDED
    assert "of which no winner follows in cover" in done.out


def test_rounds_are_counted_in_games_of_gdl(qsage: Qsage) -> None:
    done = qsage("solve", "trails", "--depth", 3)
    assert (done.code, done.out) == (
        Exit.FALSE,
        "White wins: Black does not win within 3 rounds\n",
    )


def test_a_grounding_that_explodes_is_given_up_and_nothing_is_written(qsage: Qsage) -> None:
    done = qsage("encode", "trails", "--depth", 40, "--memory", 1, "-o", "trails.qcir")
    assert done.code == Exit.UNDECIDED
    assert "about what fits into 1 MB" in done.err
    assert len(done.err.splitlines()) == 1
    assert not Path("trails.qcir").exists()


def test_encodings_are_listed_by_kind(qsage: Qsage) -> None:
    read = json.loads(qsage("games", "--encodings", "--json").out)["encodings"]
    assert list(read) == ["grid", "positional", "gdl"]
    assert "lifted" in read["grid"]
    assert {"ea", "cor-lean", "pairing"} <= read["positional"].keys()


def test_a_block_is_shown_in_a_file_of_one_ply(qsage: Qsage, tmp_path: Path) -> None:
    """White's replies are to the whole board, whatever number of plies the file gives."""
    (tmp_path / "h.pg").write_text(
        "#times\nt1\n#blackturns\nt1\n#positions\na b c d e\n#blackwins\na c\na b d\nb c e\n"
        "#whitewins\n#blackinitials\n#whiteinitials\n"
    )
    done = qsage("solve", tmp_path / "h.pg", "--depth", "auto", "--alternate")
    assert done.code == Exit.FALSE, done.err
    assert done.out.startswith("White blocks within 2 plies")
    assert "to a White answers c" in done.out


def test_a_file_that_is_not_there_is_named_before_options(qsage: Qsage) -> None:
    for words in (
        ("encode", "nosuch.pg", "--encoding", "lifted", "-o", "f.qcir"),
        ("solve", "nosuch.pg", "--winner"),
        ("certify", "nosuch.gdl", "--depth", "3", "-o", "c.aag"),
    ):
        done = qsage(*words)
        assert done.code == Exit.BAD_INPUT
        assert done.err.endswith(": found no such file, expected a readable file\n"), done.err


def test_hex_on_a_large_board_is_refused_at_once(qsage: Qsage) -> None:
    started = time.process_time()
    done = qsage("solve", "hex", "--size", "1000x1000")
    assert done.code == Exit.BAD_INPUT
    assert "has more than 20000 winning sets" in done.err
    assert time.process_time() - started < 3
