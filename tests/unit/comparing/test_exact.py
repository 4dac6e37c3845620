"""Winning moves one by one, against minimax on the rules and the truth by definition."""

from __future__ import annotations

import shlex
from random import Random

import pytest

from qsage_validate.certificates.by_expansion import expand
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.circuit.rewriting import residual
from qsage_validate.comparing.exact import (
    ByBlocks,
    ByMoves,
    ExactComparison,
    Shared,
    compare_exactly,
)
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import Exit, UsageError
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import Player, Position
from qsage_validate.games.registry import find_command
from tests.support.faults import negated_gate
from tests.support.random_qbf import random_qbf, truth

HARARY = "harary --size 3x3 --shape el --maker-breaker --depth 3"
PAIRS = [
    ("hex-network --size 2x2 --depth 3", "cor-lean", "hex-network --size 2x2 --depth 3", "sn"),
    ("hex-network --size 2x2 --depth 1", "ea", "hex-network --size 2x2 --depth 1", "ln"),
    (
        "httt --shape domino --size 3x2 --depth 3",
        "lifted",
        "harary --shape domino --size 3x2 --depth 3",
        "cor-lean",
    ),
    (
        "domineering --size 3x2 --depth 4",
        "lifted",
        "domineering --size 3x2 --depth 4",
        "lifted-guarded",
    ),
    (HARARY, "cor-ladder", HARARY, "sn-httt"),
    (HARARY, "ea", HARARY, "cor-ladder"),
]


def _encoded(words: str, encoding: str) -> Encoding:
    return encode(find_command(tuple(shlex.split(words))), encoding)


def _value(formula: Qbf) -> bool:
    return expand(formula).kind.truth


def _exact(
    first: Encoding, second: Encoding, qbf: Qbf | None = None, most: int = 9999
) -> ExactComparison:
    formulas = first.qbf, second.qbf if qbf is None else qbf
    choices = ByMoves(formulas, (first.layout, second.layout), load_game(second.model))
    return compare_exactly(formulas, choices, _value, questions=most)


def _winner(position: Position) -> Player:
    if position.outcome is not None:
        return position.outcome.winner
    mover = position.to_move
    wins = any(_winner(position.play(move)) is mover for move in position.legal_moves())
    return mover if wins else mover.other


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[0]} {pair[1]} {pair[3]}")
def test_the_sets_are_those_of_minimax(pair: tuple[str, str, str, str]) -> None:
    first, second = _encoded(*pair[:2]), _encoded(*pair[2:])
    found = _exact(first, second)
    assert found.exit_code is Exit.FINE
    assert found.sentence.startswith("equal: ")
    initial = load_game(second.model).initial
    legal = {str(move): initial.play(move) for move in initial.legal_moves()}
    turn, *replies = found.turns
    assert turn.player is initial.to_move
    expected = {name: _winner(after) is initial.to_move for name, after in legal.items()}
    assert turn.wins == {name: (wins, wins) for name, wins in expected.items()}
    assert {reply.play[0] for reply in replies} == {n for n, p in legal.items() if not p.outcome}
    for reply in replies:
        position = legal[reply.play[0]]
        assert reply.player is position.to_move
        mover = position.to_move
        wins = {str(m): _winner(position.play(m)) is mover for m in position.legal_moves()}
        assert reply.wins == {name: (win, win) for name, win in wins.items()}


@pytest.mark.parametrize("gate", ["white 2 legal", "black 1 move"])
def test_faulty_formulas_differ_where_their_values_do(gate: str) -> None:
    sound = _encoded("httt --shape el --size 3x2 --depth 3", "lifted")
    faulty = negated_gate(sound.qbf, gate)
    found = _exact(sound, sound, faulty)
    assert found.exit_code is Exit.REFUTED
    plies = sound.layout.moves
    different = 0
    for turn in found.turns:
        fixed: dict[int, bool] = {}
        for ply, move in zip(plies, turn.play, strict=False):
            fixed |= ply.coding.encode(move) | ({} if ply.stop is None else {ply.stop: False})
        ply = plies[len(turn.play)]
        for name, pair in turn.wins.items():
            values = fixed | ply.coding.encode(name)
            for formula, wins in zip((sound.qbf, faulty), pair, strict=True):
                value = _value(residual(formula, values))
                assert wins is (value is (turn.player is Player.BLACK))
            different += pair[0] is not pair[1]
            text = " ".join((*turn.play, name))
            if different == 1 and pair[0] is not pair[1]:
                assert found.sentence.startswith(f"different: in one formula alone win {text}")
    assert different > 0


def test_what_is_not_asked_is_undecided() -> None:
    first, second = (_encoded("hex-network --size 2x2 --depth 3", e) for e in ("cor-lean", "sn"))
    found = _exact(first, second, most=5)
    assert found.exit_code is Exit.UNDECIDED
    assert found.sentence == (
        "undecided: 1 of 4 first choices and 0 of 12 replies win or lose in both alike, the rest "
        "is open: 5 questions were asked"
    )
    assert found.questions == 5
    whole = _exact(first, second)
    known = {(t.play, n): p for t in whole.turns for n, p in t.wins.items()}
    for turn in found.turns:
        for name, pair in turn.wins.items():
            expected = known[turn.play, name]
            assert all(x in (None, y) for x, y in zip(pair, expected, strict=True))


def test_values_of_blocks_are_those_of_the_residual_formulas() -> None:
    rng = Random(8)
    equal = different = second_turns = 0
    while equal < 15 or different < 15 or second_turns < 30:
        first, second = random_qbf(rng, most=6), random_qbf(rng, most=6)
        own, other = first.quantifiers(), second.quantifiers()
        shared = Shared({v: v for v in other if own.get(v) is other[v]}, "equal numbers")
        formulas = first, second
        try:
            choices = ByBlocks(formulas, shared)
        except UsageError:
            continue
        found = compare_exactly(formulas, choices, truth, questions=9999)
        assert found.exit_code is (
            Exit.REFUTED if any(t.different for t in found.turns) else Exit.FINE
        )
        equal += found.exit_code is Exit.FINE
        different += found.exit_code is Exit.REFUTED
        second_turns += len(found.turns) > 1
        numbers = {first.name(v): v for v in own}
        for turn in found.turns:
            for name, pair in turn.wins.items():
                words = " ".join((*turn.play, name)).split()
                values = {numbers[w.removeprefix("-")]: not w.startswith("-") for w in words}
                for formula, wins in zip(formulas, pair, strict=True):
                    value = truth(residual(formula, values))
                    assert wins is (value is (turn.player is Player.BLACK))


def test_blocks_that_cannot_be_compared() -> None:
    rng = Random(1)
    formulas = [random_qbf(rng, most=3) for _ in range(80)]
    leading = {f.merged_scopes()[0].quantifier: f for f in formulas if f.merged_scopes()}
    first, second = leading.values()
    with pytest.raises(UsageError, match="begin with blocks of different players"):
        ByBlocks((first, second), Shared({}, "nothing"))
    with pytest.raises(UsageError, match="the outermost blocks share no variable"):
        ByBlocks((first, first), Shared({}, "nothing"))


def test_formulas_without_a_move_in_common() -> None:
    first = _encoded("httt --shape el --size 3x2 --depth 3", "lifted")
    second = _encoded("breakthrough --size 2x4 --depth 3", "lifted")
    with pytest.raises(UsageError, match=r"first formula can say no first move, as left-diag"):
        _exact(first, second)
