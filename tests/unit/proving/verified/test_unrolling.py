"""The unrolling of games for the verified checker, without that checker: who wins is the rules'."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from qsage_validate.circuit.qbf import Quantifier
from qsage_validate.errors import UsageError
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.positional.model import Network, PositionalModel, alternating
from qsage_validate.games.positional.rules import PositionalGame
from qsage_validate.games.protocol import Player, TwoPlayerGame
from qsage_validate.kernel.certificate import CircuitCertificate
from qsage_validate.problems.load import Files, Problem
from qsage_validate.problems.validated import load_to_validate
from qsage_validate.proving.formula_cnf import NotProvedError, formula_proof
from qsage_validate.proving.verified_games import (
    NoGameProofError,
    VerifiedUnrolling,
    game_certificate,
    prove_game,
    rules_in_coq,
    unroll,
    write_game,
)
from qsage_validate.system.limits import Deadline
from research.benchmarks.verified_fuzz import black_wins, random_grid, random_positional

SAMPLES = ("tic", "hex", "evader", "domineering", "connect3", "breakthrough")


def truth(unrolling: VerifiedUnrolling) -> bool:
    """The value of the formula, where a block is one move, none, or two (of which one counts)."""
    formula = unrolling.formula

    def value(ply: int, given: dict[int, bool]) -> bool:
        if ply == len(unrolling.blocks):
            return formula.truth(given)
        block = unrolling.blocks[ply]
        choices = [{v: v == w for v in block} for w in block]
        choices.append(dict.fromkeys(block, False))
        choices += [{v: v in pair for v in block} for pair in itertools.pairwise(block[:3])]
        exists = formula.scopes[ply].quantifier is Quantifier.EXISTS
        found = (value(ply + 1, given | choice) for choice in choices)
        return any(found) if exists else all(found)

    return value(0, {})


def random_game(seed: int) -> TwoPlayerGame | None:
    rng = Random(seed)
    try:
        if seed % 2:
            return PositionalGame(random_positional(rng))
        return BddlGame(random_grid(rng))
    except UsageError:
        return None


@pytest.mark.parametrize("shard", range(4))
def test_the_unrolling_is_true_exactly_if_black_wins_by_the_executable_rules(shard: int) -> None:
    seen: set[bool] = set()
    for seed in range(60 * shard, 60 * shard + 60):
        game = random_game(seed)
        if game is None:
            continue
        rules = rules_in_coq(game)
        if isinstance(rules, str):
            continue
        count = [len(rules.moves[player]) + 3 for player in rules.turns]
        if len(count) > 3 or sum(count) > 20:
            continue
        wins = black_wins(game.initial, {})
        assert truth(unroll(rules)) is wins, (seed, rules.files)
        seen.add(wins)
    assert seen == {True, False}


@pytest.fixture(scope="module")
def problems(repository: Path) -> dict[str, Problem]:
    folder = repository / "certificates"
    return {
        name: load_to_validate(Files(str(folder / f"{name}.qcir"), str(folder / f"{name}.aig")))
        for name in SAMPLES
    }


@pytest.mark.parametrize("name", SAMPLES)
def test_the_moves_of_each_sample_win_by_the_unrolled_rules(
    problems: dict[str, Problem], name: str
) -> None:
    found, _, derivation = prove_game(problems[name])
    assert any(derivation.lines())
    certificate = problems[name].certificate
    assert certificate is not None
    assert ("true" in found.statement) is (certificate.kind.player is Player.BLACK)


def test_moves_that_do_not_win_have_no_proof(problems: dict[str, Problem]) -> None:
    problem = problems["tic"]
    certificate = problem.certificate
    assert isinstance(certificate, CircuitCertificate)
    # Each function is the constant false: the first legal move is made at every ply.
    functions = dict.fromkeys(certificate.functions, 0)
    idle = replace(problem, certificate=replace(certificate, functions=functions))
    found = game_certificate(idle)
    with pytest.raises(NotProvedError):
        formula_proof(found.unrolling.formula, found.functions)
    with pytest.raises(NoGameProofError, match="do not win by the rules in Coq"):
        prove_game(idle)


def test_the_entry_of_the_manifest_says_why_there_is_no_proof(
    problems: dict[str, Problem], tmp_path: Path
) -> None:
    bare = problems["tic"].on_board.blocks()
    assert write_game(str(tmp_path), bare) == {"none": "there are no rules and no layout"}
    assert list(tmp_path.iterdir()) == []


def test_a_proof_that_takes_too_long_is_left_out_and_said(
    problems: dict[str, Problem], tmp_path: Path
) -> None:
    entry = write_game(str(tmp_path), problems["tic"], deadline=Deadline.after(-1))
    assert entry == {"none": "no proof is written: time is up"}
    assert list(tmp_path.iterdir()) == []


def test_games_that_pg_has_no_words_for_are_said_not_to_be_covered() -> None:
    network = Network((2, 1), 1, 2, short=Player.WHITE)
    cut = PositionalModel("cut", ("a", "b"), alternating(2), network=network)
    assert "White connects" in str(rules_in_coq(PositionalGame(cut)))
    joined = PositionalModel("j", ("a", "b"), alternating(2), network=Network((2, 1), 1, 2, True))
    assert "touch" in str(rules_in_coq(PositionalGame(joined)))
    empty = PositionalModel("e", ("a", "b"), alternating(2), (0,))
    assert "empty" in str(rules_in_coq(PositionalGame(empty)))
