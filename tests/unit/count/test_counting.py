"""Counts of strategies and first moves, held against all trees and all functions."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from random import Random

import pytest

from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.extensions.count.cli import MOST_BITS, Amount, count_formula, count_game
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.games.protocol import Player, Position
from qsage_validate.system.limits import Limits
from tests.support.commands import run_qsage
from tests.support.minimax import minimax, minimax_from
from tests.support.random_games import random_model

NODES = 100_000


def strategies(position: Position, player: Player) -> list[object]:
    """All winning strategies of a player, each written down as a tree."""
    if position.outcome is not None:
        return ["end"] if position.outcome.winner is player else []
    below = [strategies(position.after(m), player) for m in position.legal_moves()]
    if position.to_move is player:
        return [(number, one) for number, trees in enumerate(below) for one in trees]
    return list(product(*below))


@pytest.mark.parametrize("language", ["bddl", "positional", "gdl"])
def test_strategies_of_random_games_are_those_that_can_be_written_down(language: str) -> None:
    random = Random(42)
    written = 0
    while written < 40:
        _, game = random_model(random, language)
        found = count_game(game, Limits(positions=2_000))
        start = game.initial
        assert found.winner is minimax(game)
        if found.strategies.least > 2_000 or game.plies > 5:
            continue
        written += 1
        assert found.strategies == Amount(len(strategies(start, found.winner)))
        assert strategies(start, found.winner.other) == []
        moves = () if start.outcome is not None else start.legal_moves()
        winning = [str(m) for m in moves if minimax_from(start.after(m)) is start.to_move]
        assert list(found.first_moves) == winning
        assert found.legal == len(moves)


def by_functions(formula: Qbf, own: Quantifier) -> int:
    """The tuples of functions of one quantifier's variables that win: all of them are tried."""
    order = [(s.quantifier, v) for s in formula.merged_scopes() for v in s.variables]
    others = [v for quantifier, v in order if quantifier is not own]
    tables: list[list[dict[tuple[bool, ...], bool]]] = []
    mine: list[tuple[int, int]] = []
    read = 0
    for quantifier, variable in order:
        if quantifier is not own:
            read += 1
            continue
        mine.append((variable, read))
        rows = list(product((False, True), repeat=read))
        outputs = product((False, True), repeat=len(rows))
        tables.append([dict(zip(rows, each, strict=True)) for each in outputs])
    plays = list(product((False, True), repeat=len(others)))

    def wins(chosen: tuple[Mapping[tuple[bool, ...], bool], ...]) -> bool:
        for play in plays:
            values = dict(zip(others, play, strict=True))
            for (variable, width), table in zip(mine, chosen, strict=True):
                values[variable] = table[play[:width]]
            if formula.truth(values) != (own is Quantifier.EXISTS):
                return False
        return True

    return sum(wins(chosen) for chosen in product(*tables))


def random_formula(random: Random) -> Qbf:
    """A formula of at most five variables, some of which nothing reads."""
    names = "abcde"[: random.randint(1, 5)]
    lines = [f"{random.choice(('exists', 'forall'))}({name})" for name in names]
    known = list(names)
    gates = []
    for number in range(random.randint(1, 5)):
        kind = random.choice(("and", "or", "xor", "ite"))
        size = {"xor": 2, "ite": 3}.get(kind, random.randint(0, 3))
        inputs = [random.choice(("", "-")) + random.choice(known) for _ in range(size)]
        gates.append(f"g{number} = {kind}({', '.join(inputs)})")
        known.append(f"g{number}")
    output = random.choice(("", "-")) + known[-1]
    return parse_qcir("\n".join(["#QCIR-G14", *lines, f"output({output})", *gates]))


def test_functions_of_random_formulas_are_counted_as_by_trying_all() -> None:
    pytest.importorskip("dd", reason="the extra count is not installed: no decision diagrams")
    random = Random(7)
    for _ in range(300):
        formula = random_formula(random)
        found = count_formula(formula, Limits(), NODES)
        own = Quantifier.EXISTS if found.truth else Quantifier.FORALL
        assert found.strategies == Amount(by_functions(formula, own))
        assert by_functions(formula, own.dual) == 0
        outer = formula.merged_scopes()[0]
        assert found.outermost == sum(
            value_after(formula, dict(zip(outer.variables, values, strict=True)))
            == (outer.quantifier is Quantifier.EXISTS)
            for values in product((False, True), repeat=len(outer.variables))
        )


def value_after(formula: Qbf, values: dict[int, bool]) -> bool:
    """The value of a formula after an assignment of its outermost block."""
    left = [(s.quantifier, v) for s in formula.merged_scopes() for v in s.variables]
    left = [(quantifier, v) for quantifier, v in left if v not in values]
    if not left:
        return formula.truth(values)
    quantifier, variable = left[0]
    both = (value_after(formula, {**values, variable: bit}) for bit in (False, True))
    return any(both) if quantifier is Quantifier.EXISTS else all(both)


def test_numbers_that_are_too_large_are_bounds() -> None:
    pytest.importorskip("dd", reason="the extra count is not installed: no decision diagrams")
    names = ", ".join(f"u{k}" for k in range(16))
    formula = parse_qcir(f"#QCIR-G14\nforall({names})\nexists(e)\noutput(g)\ng = or()\n")
    assert count_formula(formula, Limits(), NODES).truth is False
    formula = parse_qcir(f"#QCIR-G14\nforall({names})\nexists(e)\noutput(g)\ng = and()\n")
    found = count_formula(formula, Limits(), NODES)
    assert found.truth is True
    assert found.strategies == Amount((1 << MOST_BITS) - 1, 1 << 16)
    assert str(found.strategies) == "from about 2^8,192.0 to 2^65,536"


def test_a_diagram_that_is_too_large_leaves_bounds() -> None:
    pytest.importorskip("dd", reason="the extra count is not installed: no decision diagrams")
    formula = random_formula(Random(3))
    found = count_formula(formula, Limits(), 1)
    assert (found.truth, found.outermost, found.strategies.least) == (None, None, 0)
    assert not found.strategies.exact


def test_a_limit_of_positions_leaves_the_count_undecided(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["count", "httt", "--size", "4x4", "--shape", "tic", "--depth", "9"]
    assert run_qsage([*words, "--positions", "1000"]) == 3
    assert "there are more than 1,000 positions" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("httt --size 3x3 --shape el --depth 5", 0),  # the middle
        ("httt --size 2x2 --shape domino --depth 3", 1),  # any of four
        ("httt --size 2x2 --shape domino --depth 1", 1),  # none: White wins
        ("httt --size 3x3 --shape el --depth 5 --timeout 0.0001", 3),
        ("httt --size 3x3 --shape el --depth 5 --depth auto", 2),
    ],
)
def test_the_exit_code_says_whether_one_first_move_wins(words: str, code: int) -> None:
    assert run_qsage(["solve", *words.split(), "--first-moves", "all", "--unique"]) == code


def test_uniqueness_needs_all_first_moves(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_qsage(["solve", "httt", "--unique"]) == 2
    assert "expected --first-moves all" in capsys.readouterr().err
