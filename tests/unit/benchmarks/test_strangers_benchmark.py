"""The campaign on others' formulas: its brute force, forms, faults and laws."""

from __future__ import annotations

import contextlib
import random
from dataclasses import replace
from pathlib import Path

import pytest

from qsage_validate.encodings.registry import encode
from qsage_validate.errors import MissingExtraError
from qsage_validate.games.bddl.parser import read_model
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.protocol import Player
from research.benchmarks import strangers, strangers_page
from research.benchmarks.models import Case
from research.benchmarks.strangers import (
    Answer,
    Row,
    hold_against_truth,
    main,
    numbers_of_positions,
)
from research.benchmarks.strangers_truth import (
    FAULTS,
    Formula,
    Grid,
    Hex,
    Minimax,
    TooLargeError,
    Truth,
    clausified,
    faulty,
    judge,
    judge_drawn,
    parse_qcir,
    parse_qdimacs,
    permuted,
    read_formula,
    value_after,
)
from tests.support.places import REPOSITORY

SAMPLES = REPOSITORY / "certificates"


@pytest.fixture(scope="module")
def puzzle() -> Hex:
    return Hex((SAMPLES / "puzzle.pg").read_text())


@pytest.mark.parametrize(
    ("name", "truth"),
    [("puzzle", Truth(157, 0)), ("puzzle-wrong", Truth(9, 1, ("a2", "b2"), game=True))],
)
def test_brute_force_tells_the_samples_apart_in_each_form(
    puzzle: Hex, name: str, truth: Truth
) -> None:
    formula = read_formula(SAMPLES / f"{name}.qcir")
    reading = numbers_of_positions(formula, puzzle)
    assert judge(formula, puzzle, reading) == truth
    for polarity in (False, True):
        clauses = parse_qdimacs(clausified(formula, polarity=polarity).text())
        assert judge(clauses, puzzle, reading) == truth
    renamed, names = permuted(formula, 3)
    assert parse_qcir(renamed.text()).prefix == renamed.prefix
    moved = [{m: {names[v]: x for v, x in c.items()} for m, c in ply.items()} for ply in reading]
    assert judge(renamed, puzzle, moved) == truth


@pytest.mark.parametrize("form", strangers.CODES)
def test_a_formula_in_other_codes_is_right_by_these_and_wrong_by_its_own(form: str) -> None:
    case = next(one for one in strangers.own_formulas() if one.encoding == "la")
    other = strangers.recoded_case(case, form, 1)
    assert case.rules is not None
    assert case.reading is not None
    assert other is not None
    assert other.reading is not None
    rules, formula = case.rules(), other.formula()
    assert judge(formula, rules, other.reading(formula, rules)).first is None
    assert judge(formula, rules, case.reading(case.formula(), rules)).first is not None


def test_drawn_plays_tell_the_samples_apart(puzzle: Hex) -> None:
    for name, right in (("puzzle", True), ("puzzle-wrong", False)):
        formula = read_formula(SAMPLES / f"{name}.qcir")
        reading = numbers_of_positions(formula, puzzle)
        truth = judge_drawn(formula, puzzle, reading, 60, random.Random(1))
        assert (truth.first is None) is right
        if truth.first is not None:
            assert value_after(formula, reading, truth.first) is not truth.game
    shorter = [{m: c for m, c in ply.items() if m != "a2"} for ply in reading]
    assert judge_drawn(formula, puzzle, shorter, 60, random.Random(1)).first is not None


def test_faults_of_each_kind_are_made_and_some_are_wrong(puzzle: Hex) -> None:
    formula = read_formula(SAMPLES / "puzzle.qcir")
    reading = numbers_of_positions(formula, puzzle)
    rng = random.Random(2)
    found = set()
    for kind in FAULTS:
        for _ in range(4):
            other = faulty(formula, kind, rng)
            if other is None:
                continue
            assert (other.prefix, other.gates) != (formula.prefix, formula.gates)
            with contextlib.suppress(TooLargeError):
                found.add((kind, judge(other, puzzle, reading).first is None))
    assert {kind for kind, _ in found} == set(FAULTS)
    assert {right for _, right in found} == {True, False}


GRIDS = (
    ("httt", "3x3_3_domino.ig"),
    ("domineering", "2x3_4.ig"),
    ("domineering", "3x2_2.ig"),
    ("connect-c", "2x2_3_connect2.ig"),
    ("evader_pursuer", "4x4_3_e-4-1_p-2-3.ig"),
    ("evader_pursuer_dual", "4x4_2_e-4-1_p-1-2.ig"),
)


@pytest.mark.parametrize(("folder", "problem"), GRIDS)
def test_its_rules_of_grids_are_those_of_the_package(
    shared_data: Path, folder: str, problem: str
) -> None:
    """Every state of some random plays: moves, winner, and who is to move."""
    place = shared_data / "bddl" / folder
    own = Grid((place / "domain.ig").read_text(), (place / problem).read_text())
    game = BddlGame(read_model(place / "domain.ig", place / problem))
    assert own.plies == game.plies
    rng = random.Random(1)
    for _ in range(40):
        state, position = own.start, game.initial
        for made in range(own.plies + 1):
            outcome = position.outcome
            winner = own.winner(state, made)
            assert winner is (None if outcome is None else outcome.winner is Player.BLACK)
            if winner is not None:
                break
            moves = own.moves(state, made)
            assert set(moves) == {str(move) for move in position.legal_moves()}
            assert own.black_moves(state, made) is (position.to_move is Player.BLACK)
            move = rng.choice(moves)
            state = own.play(state, made, move)
            position = position.after(game.parse_move(move, position.to_move))


def _case(name: str) -> strangers.Case:
    path = SAMPLES / f"{name}.qcir"
    game = SAMPLES / "puzzle.pg"
    return strangers.Case(
        name,
        "hex",
        lambda: read_formula(path),
        (str(game),),
        None,
        lambda: Hex(game.read_text()),
        numbers_of_positions,
        small=True,
    )


def _held(
    name: str, verdict: str, play: tuple[str, ...] | None = None, *, small: bool = True
) -> Row:
    """The row of an answer that the layout of the moves is known for."""
    from qsage_validate.encodings.layout import Layout
    from qsage_validate.encodings.list_codings import listed

    case = replace(_case(name), small=small)
    formula = case.formula()
    positions = tuple(Hex((SAMPLES / "puzzle.pg").read_text()).positions)
    plies = [
        listed(k, Player.BLACK if k % 2 else Player.WHITE, positions, code=formula.prefix[k - 1][1])
        for k in (1, 2, 3)
    ]
    row = Row(name, "hex", "as it is", "", "puzzle.pg")
    answer = Answer(verdict, "", Layout(tuple(plies)), play)
    hold_against_truth(row, answer, case, formula, {v: v for v in formula.variables})
    return row


def test_each_law_is_two_sided() -> None:
    assert _held("puzzle", "proved").lie == ""
    assert _held("puzzle-wrong", "proved").lie == "proved, and it differs after a2 b2"
    assert _held("puzzle", "refuted", ("a2", "b2")).lie == "refuted, and it is right"
    assert _held("puzzle-wrong", "refuted", ("a2", "b2")).lie == ""
    assert "there is no difference" in _held("puzzle-wrong", "refuted", ("a2",)).lie
    assert "an illegal play" in _held("puzzle-wrong", "refuted", ("a1",)).lie
    assert _held("puzzle-wrong", "undecided").truth == "wrong"
    assert _held("puzzle", "proved", small=False).truth == "right in drawn plays"
    assert "proved, and it differs after" in _held("puzzle-wrong", "proved", small=False).lie


def test_a_campaign_is_continued_and_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "r.jsonl"
    words = ["--groups", "own", "--only", "own/ea", "--seconds", "20", "-o", str(file)]
    assert main([*words, "--forms", "as it is", "permuted", "--faults", "2"]) == 0
    told = capsys.readouterr().out
    assert "4 formulas, 0 lies" in told
    assert len(file.read_text().splitlines()) == 4
    assert main(words) == 0
    assert "0 formulas, 0 lies" in capsys.readouterr().out
    assert main([*words, "--page"]) == 0
    table = capsys.readouterr().out
    assert table.startswith("# What published encodings say")
    assert table.count("| ea: hex --size 2x2 --depth 3 |") == 2
    assert "| ea: hex --size 2x2 --depth 3 | permuted | hex" in table
    assert "\n| all | 2 |" in table
    assert "- Of the 500 faults that are asked for, 498 were not run." in table
    assert main([*words, "--csv"]) == 0
    assert capsys.readouterr().out.startswith("name,group,form,fault")


def test_a_missing_extra_ends_a_campaign_and_is_no_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rows said that formulas did not fit while the environment was made anew."""

    def without_solvers(*_: object, **__: object) -> None:
        raise MissingExtraError("a QBF solver", "solve")

    monkeypatch.setattr(strangers, "judge_formula", without_solvers)
    file = tmp_path / "r.jsonl"
    with pytest.raises(SystemExit, match="2"):
        main(["--groups", "own", "--only", "own/ea", "-o", str(file)])
    assert "a QBF solver" in capsys.readouterr().err
    assert not file.exists()


def test_definitions_are_moved_as_far_left_as_they_may_stand() -> None:
    """The clauses have the circuit's value under all moves, and each gate stands behind its own."""
    formula = read_formula(SAMPLES / "puzzle.qcir")
    moved = clausified(formula, polarity=False, moved=True)
    assert len(moved.prefix) > len(formula.prefix) + 1
    level = {v: k for k, (_, block) in enumerate(moved.prefix) for v in block}
    for gate, (_, inputs) in formula.gates.items():
        if gate in level:
            assert all(level[abs(x)] <= level[gate] for x in inputs)
    case = _case("puzzle")
    assert case.rules is not None
    rules = case.rules()
    assert judge(moved, rules, numbers_of_positions(formula, rules)).first is None


@pytest.mark.parametrize(
    ("puzzle", "positions"),
    [
        ("hein_04_3x3-03", "a2 a3"),
        ("hein_04_3x3-05", "a2 a3 b2 b3 c1"),
        ("hein_09_4x4-05", "c1 c2 c3 d3"),
    ],
)
def test_puzzles_are_preprocessed_as_sqvals_were(
    shared_data: Path, tmp_path: Path, puzzle: str, positions: str
) -> None:
    """SQval's moves have as many bits, and its comments as many witnesses, as these games need."""
    path = shared_data / "strangers" / "hex" / f"{puzzle}.pg"
    if not path.is_file():
        pytest.skip("the shared data has no strangers")
    own = tmp_path / "game.pg"
    own.write_text(strangers.preprocessed(path.read_text()))
    before, after = Hex(path.read_text()), Hex(own.read_text())
    assert " ".join(after.positions) == positions
    # What is left out decides nothing: the value is the puzzle's.
    assert Minimax(after).black_wins(after.start, 0) is Minimax(before).black_wins(before.start, 0)


def test_a_reading_may_say_that_nobody_has_stopped() -> None:
    """A proof of plays in which nobody stops was called a lie: brute force left the stops free."""
    layout = encode(Case("", "breakthrough --size 2x4 --depth 3").model(), "lifted").layout
    plain, going_on = strangers.reading_of(layout), strangers.reading_of(layout, going_on=True)
    assert going_on[0] == plain[0]
    for ply, before in ((1, layout.moves[0]), (2, layout.moves[1])):
        stop = {} if before.stop is None else {abs(before.stop): before.stop < 0}
        assert going_on[ply] == {move: {**code, **stop} for move, code in plain[ply].items()}
    assert layout.moves[0].stop is not None


def test_formulas_without_gates_are_read() -> None:
    assert parse_qcir("exists(1)\noutput(1)\n") == Formula((("e", (1,)),), {}, 1)


def test_a_layout_may_be_that_of_a_meta_file(
    shared_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only a formula that has such a file has this form, and its layout is that file's."""
    file = tmp_path / "r.jsonl"
    words = [str(shared_data), "--only", "/nib_dom23", "--forms", strangers_page.WITH_META]
    assert main([*words, "--groups", "grid", "own", "hex", "-o", str(file)]) == 0
    assert "1 formula, 0 lies" in capsys.readouterr().out
    rows = strangers.read_rows(file)
    assert {row.verdict for row in rows} == {"proved"}
    assert {row.truth for row in rows} == {"right"}
    assert all(row.layout.endswith(".meta") for row in rows), rows[0].layout


def test_the_page_is_made_from_its_file() -> None:
    rows = strangers.read_rows(REPOSITORY / "research" / "benchmarks" / "strangers.jsonl.xz")
    assert not [row.name for row in rows if row.lie]
    page = (REPOSITORY / "docs" / "results" / "strangers.md").read_text("utf-8")
    assert "\n".join(strangers_page.page(rows)) + "\n" == page
