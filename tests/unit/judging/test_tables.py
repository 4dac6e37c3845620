"""Tables of codes that are found by a formula's values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from math import inf
from pathlib import Path

import pytest

from qsage_validate.circuit.builder import CircuitBuilder
from qsage_validate.circuit.qbf import Qbf, Quantifier, Scope
from qsage_validate.circuit.sat import Solver, load
from qsage_validate.encodings.layout_lines import with_layout
from qsage_validate.encodings.layout_reader import layout_from_comments
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.formats.writing import qcir_text
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import Player, TwoPlayerGame
from qsage_validate.games.registry import find_command
from qsage_validate.judging.encoding import judge
from qsage_validate.judging.judged import judge_found
from qsage_validate.judging.move_codes import sketch_of, styles
from qsage_validate.judging.readings import find_layout
from qsage_validate.judging.screening import Screening
from qsage_validate.judging.tables import _Plays, _Search, whole_scopes
from qsage_validate.system.limits import NEVER
from qsage_validate.validation.finding import Proved
from tests.support.scrambled import Chosen, Claiming, by_tables

CELLS = ("a1", "a2", "a3", "b1", "b2", "b3")
LINES = (frozenset({"a1", "a2"}), frozenset({"a2", "b2", "b3"}), frozenset({"b1", "a3"}))
GAME = Claiming(CELLS, LINES, 5)
SHORT = Claiming(
    CELLS, (frozenset({"a1", "a2"}), frozenset({"a2", "b2"}), frozenset({"b1", "a3"})), 3
)
Table = Mapping[str, str]


def numbers(order: Sequence[str], code: Callable[[int], int] = lambda k: k, bits: int = 3) -> Table:
    return {cell: format(code(k), f"0{bits}b") for k, cell in enumerate(order)}


def one_of(count: int, number: int) -> str:
    return "".join("01"[k == number] for k in range(count))


def as_tall_as(count: int, number: int) -> str:
    return "".join("01"[k < number] for k in range(count))


USUAL = numbers(CELLS)
GRAY = numbers(CELLS, lambda k: k ^ k >> 1)
BACKWARDS = numbers(CELLS[::-1])
THREES = numbers(CELLS, lambda k: 3 * k, 4)
UNARY = {cell: one_of(2, "ab".index(cell[0])) + one_of(3, int(cell[1]) - 1) for cell in CELLS}
THERMOMETER = {
    cell: as_tall_as(1, "ab".index(cell[0])) + as_tall_as(2, int(cell[1]) - 1) for cell in CELLS
}
ELSEWHERE = numbers(("a1", "a2", "b2", "b1", "a3", "b3"))


def by_turns(blacks: Table, whites: Table) -> list[Table]:
    return [whites if GAME.player(ply) is Player.WHITE else blacks for ply in range(GAME.plies)]


FORMS: Mapping[str, list[Table]] = {
    "a Gray code": [GRAY] * 5,
    "gaps": [THREES] * 5,
    "a variable for each column and row": [UNARY] * 5,
    "columns and rows by how many variables are true": [THERMOMETER] * 5,
    "an order for each player": by_turns(USUAL, BACKWARDS),
    "another code for each player": by_turns(THERMOMETER, GRAY),
    "a player's two moves exchanged": by_turns(USUAL, ELSEWHERE),
    "another order at the first ply": [ELSEWHERE, *[USUAL] * 4],
    "another order at the last ply": [*[USUAL] * 4, ELSEWHERE],
    "another order at each ply": [
        ELSEWHERE,
        BACKWARDS,
        USUAL,
        GRAY,
        numbers(["b1", "a2", "a1", "b3", "b2", "a3"]),
    ],
}


def rules_of(game: Claiming, folder: Path) -> TwoPlayerGame:
    (folder / "game.pg").write_text(game.pg())
    return load_game(find_command([str(folder / "game.pg")]))


@pytest.mark.parametrize("form", FORMS)
def test_codes_of_any_kind_are_found(form: str, tmp_path: Path) -> None:
    formula, game = by_tables(GAME, FORMS[form]), rules_of(GAME, tmp_path)
    found = find_layout(formula, game)
    assert isinstance(judge_found(formula, found).verdict, Proved)


@pytest.mark.parametrize("ply", range(3))
@pytest.mark.parametrize("pair", [("a1", "b2"), ("a2", "b1"), ("a3", "b3"), ("b1", "b2")])
def test_a_ply_whose_moves_are_exchanged_refutes_nothing(
    ply: int, pair: tuple[str, str], tmp_path: Path
) -> None:
    """Nearly all plays agree with the other plies' table: two of these twelve were refuted."""
    one, other = pair
    exchanged = {**USUAL, one: USUAL[other], other: USUAL[one]}
    tables = [exchanged if k == ply else USUAL for k in range(SHORT.plies)]
    formula, game = by_tables(SHORT, tables), rules_of(SHORT, tmp_path)
    assert isinstance(judge_found(formula, find_layout(formula, game)).verdict, Proved)


def test_the_words_and_the_layout_tell_the_codes_of_each_ply(tmp_path: Path) -> None:
    tables = FORMS["another order at the last ply"]
    formula, game = by_tables(GAME, tables), rules_of(GAME, tmp_path)
    found = find_layout(formula, game)
    words = found.readings[0].reading.style.words
    assert words == ("numbers in the game's order, but at ply 5 a3 is 4, at ply 5 b2 is 2")
    assert found.layout.source == f"found: moves as {words}: codes that its values alone tell"
    written = parse_qcir(qcir_text(with_layout(formula, found.layout)))
    layout = layout_from_comments(written)
    assert layout is not None
    for ply, table in zip(layout.moves, tables, strict=True):
        scope = formula.scopes[ply.ply - 1].variables
        for cell, bits in table.items():
            values = dict(zip(scope, (bit == "1" for bit in bits), strict=True))
            assert ply.coding.decode(values)[0] == cell
    assert isinstance(judge(written, layout, game).verdict, Proved)


def no_b2_at_first(circuit: CircuitBuilder, chosen: Chosen) -> int:
    return -chosen[0]["b2"]


def not_a1_and_b3(circuit: CircuitBuilder, chosen: Chosen) -> int:
    return -circuit.and_(chosen[0]["a1"], chosen[1]["b3"])


@pytest.mark.parametrize("wrong", [no_b2_at_first, not_a1_and_b3])
@pytest.mark.parametrize("form", ["a Gray code", "another order at the last ply"])
def test_no_table_makes_a_wrong_formula_right(
    form: str, wrong: Callable[[CircuitBuilder, Chosen], int], tmp_path: Path
) -> None:
    formula = by_tables(GAME, FORMS[form], wrong=wrong)
    found = find_layout(formula, rules_of(GAME, tmp_path))
    assert not isinstance(judge_found(formula, found).verdict, Proved)


@pytest.mark.parametrize(
    ("play", "black_wins"), [("a1 b1 a2", True), ("a1 b1 b3 a2 b2", False), ("a1 a1", None)]
)
def test_a_value_that_is_not_the_winner_is_no_explanation(
    play: str, black_wins: bool | None, tmp_path: Path
) -> None:
    """After an illegal move of White's nothing is wanted."""
    game = rules_of(GAME, tmp_path)
    plays = _Plays.of(game, sketch_of(game), NEVER)
    moves = play.split()
    for value in (False, True):
        clauses = plays.clauses(len(moves), value)
        if clauses is None:
            assert black_wins is None
            continue
        with Solver("minisat22") as solver:
            load(solver, clauses.literals)
            number = 0
            for move, names in zip_longest(moves, plays.names):
                for name in names:
                    number += 1
                    solver.add_clause([number if name == move else -number])
            assert solver.solve() is (black_wins is None or value is black_wins)


def test_a_code_of_blacks_that_is_no_move_loses(tmp_path: Path) -> None:
    game = rules_of(GAME, tmp_path)
    plays = _Plays.of(game, sketch_of(game), NEVER)
    for value in (False, True):
        clauses = plays.clauses(GAME.plies, value)
        assert clauses is not None
        with Solver("minisat22") as solver:
            load(solver, clauses.literals)
            for number in range(1, sum(map(len, plays.names)) + 1):
                solver.add_clause([-number])  # no code stands for a move
            assert solver.solve() is (not value)


def test_some_plays_have_a_code_of_blacks_that_is_no_legal_move(tmp_path: Path) -> None:
    game, formula = rules_of(GAME, tmp_path), by_tables(GAME, [USUAL] * 5)
    screening = Screening(formula, sketch_of(game))
    windows = tuple(scope.variables for scope in formula.scopes)
    plays = _Plays.of(game, screening.sketch, NEVER)
    usual = next(iter(styles(screening.sketch)))
    search = _Search(screening, plays, windows, usual, inf, NEVER)
    move_of = {tuple(bit == "1" for bit in bits): cell for cell, bits in USUAL.items()}
    table = {(0, code): move for code, move in move_of.items()}
    illegal = 0
    for _ in range(200):
        drawn = search._drawn((0,) * 5, table)
        assert drawn is not None
        codes, black_wins = drawn
        moves = [move_of.get(code) for code in codes]
        first = next((k for k, m in enumerate(moves) if m is None or m in moves[:k]), None)
        if first is not None:
            assert GAME.player(first) is Player.BLACK
            assert (len(codes), black_wins) == (5, False)
            illegal += 1
    assert 20 < illegal < 180


def test_whole_scopes_are_plies_where_players_take_turns_in_them() -> None:
    black, white = Player.BLACK, Player.WHITE
    scopes = (Scope(Quantifier.EXISTS, (1, 2)), Scope(Quantifier.FORALL, (3,)))
    helpers = Scope(Quantifier.EXISTS, (4, 5))
    formula = Qbf((*scopes, helpers), {}, 1)
    assert [*whole_scopes(formula, [black, white])] == [((1, 2), (3,))]
    assert [*whole_scopes(formula, [black, white, black])] == [((1, 2), (3,), (4, 5))]
    assert [*whole_scopes(formula, [white, black])] == []
    assert [*whole_scopes(formula, [black, white, black, white])] == []
