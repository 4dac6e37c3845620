"""Questions behind lemmas: right with any lemmas whatever, and quick with those of a plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from qsage_validate.certificates import check as checking
from qsage_validate.certificates.check import CertificateProved, CertificateRefuted, check
from qsage_validate.certificates.compiler import compile_plan
from qsage_validate.certificates.lemmas import compile_with_lemmas, known_after
from qsage_validate.certificates.plan import Plan, Planner, PlanNode
from qsage_validate.circuit.aig import FALSE, TRUE, Aig, AigBuilder
from qsage_validate.circuit.sat import Answer, Satisfiable, Unsatisfiable
from qsage_validate.circuit.simplify import (
    LemmaBatch,
    LemmaEffort,
    LemmaMethod,
    satisfy_with_lemmas,
)
from qsage_validate.circuit.simulate import GraphSimulator, pack, unpack
from qsage_validate.encodings.grid import encode_lifted
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.bddl.rules import BddlGame, BddlPosition
from qsage_validate.games.protocol import Player
from qsage_validate.games.registry import resolve_command
from qsage_validate.solvers.search import SearchSolver
from qsage_validate.system.limits import Deadline
from tests.support.certificate_truth import falsifying_choice
from tests.support.minimax import minimax
from tests.support.models import models
from tests.support.search import WinningStrategy

pytestmark = pytest.mark.slow

INPUTS = 4


@st.composite
def questions(draw: Callable[..., object]) -> tuple[Aig, int, list[LemmaBatch]]:
    """A small graph, a literal of it, and steps of any clauses with any cuts."""
    pick: Callable[[st.SearchStrategy[int]], int] = draw  # type: ignore[assignment]
    builder = AigBuilder(INPUTS)
    literals = [FALSE, TRUE, *builder.inputs]
    for _ in range(pick(st.integers(1, 20))):
        any_of = st.sampled_from(literals)
        sides = [pick(any_of) ^ pick(st.integers(0, 1)) for _ in range(2)]
        literals.append(builder.and_(*sides))
    aig, moved = builder.build(literals)
    some = st.sampled_from(moved).flatmap(lambda x: st.sampled_from((x, x ^ 1)))
    steps: list[LemmaBatch] = []
    for number in range(pick(st.integers(0, 3))):
        lemmas = draw(st.lists(st.lists(some, max_size=3).map(tuple), max_size=4).map(tuple))
        uses = st.lists(st.integers(0, number - 1), max_size=2) if number else st.just([])
        attempt = st.builds(LemmaMethod, st.lists(some, max_size=3).map(tuple), uses.map(tuple))
        attempts = draw(st.lists(attempt, min_size=1, max_size=2).map(tuple))
        steps.append(LemmaBatch(lemmas, attempts))  # type: ignore[arg-type]
    return aig, moved[-1] ^ pick(st.integers(0, 1)), steps


@settings(max_examples=60)
@given(questions())
def test_the_answer_does_not_depend_on_the_lemmas(
    question: tuple[Aig, int, list[LemmaBatch]],
) -> None:
    """With wrong lemmas, useless ones and cuts anywhere the answer is that of trying all inputs."""
    aig, literal, steps = question
    every = np.array([[n >> k & 1 for k in range(INPUTS)] for n in range(1 << INPUTS)], dtype=bool)
    values = unpack(GraphSimulator(aig, [literal]).run(pack(every)), len(every))[:, 0]
    answer, _ = satisfy_with_lemmas(aig, literal, steps)
    if isinstance(answer, Satisfiable):
        assert values[every.tolist().index(list(answer.inputs))]
    else:
        assert isinstance(answer, Unsatisfiable)
        assert not values.any()


def test_limits_end_without_an_answer() -> None:
    """A deadline that has passed proves nothing, lemmas or not."""
    builder = AigBuilder(INPUTS)
    literal = builder.and_all(builder.inputs)
    aig, (moved,) = builder.build([literal])
    answer, effort = satisfy_with_lemmas(
        aig, moved, [LemmaBatch(((moved,),))], deadline=Deadline.after(-1)
    )
    assert answer is None
    assert effort == LemmaEffort()


def _plan(model: Model, hero: Player) -> Plan:
    game = BddlGame(model)
    return Planner(game, hero, WinningStrategy(SearchSolver(game), hero).is_win).build()


@pytest.fixture
def efforts(monkeypatch: pytest.MonkeyPatch) -> list[LemmaEffort]:
    """What the lemmas of each check took."""
    found: list[LemmaEffort] = []

    def spy(*arguments: object, **options: object) -> tuple[Answer | None, LemmaEffort]:
        answer, effort = satisfy_with_lemmas(*arguments, **options)  # type: ignore[arg-type]
        found.append(effort)
        return answer, effort

    monkeypatch.setattr("qsage_validate.circuit.simplify.satisfy_with_lemmas", spy)
    return found


@settings(max_examples=25)
@given(models(max_side=2, max_depth=4))
def test_certificates_with_lemmas_are_valid(model: Model) -> None:
    """For whoever wins: the certificate is valid by trying everything, and proved with lemmas."""
    encoding = encode_lifted(model)
    plan = _plan(model, minimax(BddlGame(model)))
    certificate, larger, lemmas = compile_with_lemmas(encoding, plan)
    assert falsifying_choice(encoding.qbf, certificate) is None
    assert isinstance(check(encoding.qbf, larger, lemmas=lemmas), CertificateProved)
    assert set(certificate.functions) == set(larger.functions)


@settings(max_examples=20)
@given(models(max_side=2, max_depth=3))
def test_wrong_certificates_are_refuted_all_the_same(model: Model) -> None:
    """Lemmas of another certificate do not make a wrong one right."""
    encoding = encode_lifted(model)
    plan = _plan(model, minimax(BddlGame(model)))
    _, larger, lemmas = compile_with_lemmas(encoding, plan)
    wrong = replace(larger, functions={v: x ^ 1 for v, x in larger.functions.items()})
    assume(falsifying_choice(encoding.qbf, wrong) is not None)
    found = check(encoding.qbf, wrong, lemmas=lemmas)
    assert isinstance(found, CertificateRefuted)


@pytest.mark.parametrize(
    "words",
    [
        "httt --size 3x3 --shape tippy --depth 9",
        "breakthrough --size 2x4 --second --depth 9",
        "breakthrough --size 2x4 --depth 13",
        "connect-c --connect 3 --size 3x3 --depth 9",
        "domineering --size 4x4 --depth 8",
        "evader-pursuer --size 4x4 --pursuer 2,3 --depth 3",
    ],
)
def test_all_lemmas_of_a_plan_hold(words: str, efforts: list[LemmaEffort]) -> None:
    """Each lemma is proved in the end, and the question behind them takes no search."""
    model = resolve_command(words.split())
    result = SearchSolver(BddlGame(model)).solve()
    assert result.winner is not None
    encoding = encode_lifted(model)
    certificate, larger, lemmas = compile_with_lemmas(encoding, _plan(model, result.winner))
    assert isinstance(check(encoding.qbf, larger, lemmas=lemmas), CertificateProved)
    (effort,) = efforts
    assert effort.open == 0
    assert effort.proved == sum(_cared(step.lemmas) for step in lemmas)
    assert isinstance(check(encoding.qbf, certificate), CertificateProved)


def _cared(lemmas: tuple[checking.Lemma, ...]) -> int:
    return sum(1 for lemma in lemmas if TRUE not in lemma.graph)


def test_what_is_known_of_a_node_holds_in_all_its_positions() -> None:
    """The abstract interpretation of a plan, beside all plays of it."""
    model = resolve_command(["httt", "--size", "3x3", "--shape", "el", "--depth", "5"])
    game = BddlGame(model)
    plan = _plan(model, Player.BLACK)
    known = known_after(plan, game)
    seen: dict[PlanNode, list[int]] = {}

    def play(position: BddlPosition, node: PlanNode | None) -> None:
        if node is None or position.outcome is not None:
            return
        after = position.play(node.move)
        seen.setdefault(node, []).append(after.state)
        replies: Mapping[object, PlanNode] = node.table
        for move in after.legal_moves():
            play(after.play(move), replies.get(move))

    play(game.initial, plan.root)
    assert set(seen) == set(plan.nodes())
    for node, states in seen.items():
        for state in states:
            assert state & known[node].ones == known[node].ones
            assert not state & known[node].zeros


def test_the_certificate_of_the_plain_compiler_is_not_larger() -> None:
    """Rewriting is what keeps the samples small; without it gates stay as they were asked for."""
    model = resolve_command(["httt", "--size", "4x4", "--shape", "tic", "--depth", "5"])
    plan = _plan(model, Player.BLACK)
    encoding = encode_lifted(model)
    plain = compile_plan(encoding, plan).aig.num_gates
    assert plain <= compile_with_lemmas(encoding, plan)[0].aig.num_gates
