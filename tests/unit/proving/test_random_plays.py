"""Random plays on arrays are the plays of the adversary that works play by play."""

from __future__ import annotations

import hashlib
import multiprocessing
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsage_validate.arena.adversary import BoardAdversary, Draws, LeastSeen, ManyDraws, PlayResults
from qsage_validate.arena.play_engine import PlayEngine
from qsage_validate.certificates.routes import Certified
from qsage_validate.certificates.simulation_oracle import SimulationOracle
from qsage_validate.errors import Undecided, UsageError
from qsage_validate.games.bddl.arrays import ArrayRules
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate
from qsage_validate.problems.load import BoardProblem, Files
from qsage_validate.proving import random_plays
from qsage_validate.proving.random_plays import VectorAdversary, attack
from qsage_validate.proving.run import LevelInterrupted, LevelResult
from qsage_validate.proving.vector_walk import VectorWalk
from qsage_validate.strategies.skolem import SkolemReader
from qsage_validate.system.limits import Deadline, Progress
from qsage_validate.validation.finding import FindingKind, Refuted, Sampled
from tests.support.certifying import certify_game
from tests.support.models import models
from tests.support.plays import (
    BREAKTHROUGH,
    CONNECT,
    DOMINO,
    EL,
    HELD,
    certified,
    with_flipped_fanin,
    with_function,
)

pytestmark = pytest.mark.slow


def walk_for(made: Certified, certificate: CircuitCertificate) -> VectorWalk:
    oracle = SimulationOracle(certificate, made.encoding.qbf)
    reader = SkolemReader(made.encoding.layout, oracle)
    game = load_game(made.encoding.model)
    return VectorWalk(reader, game, oracle, lambda: PlayEngine(reader, game))


def both_ways(
    walk: VectorWalk,
    numbers: Sequence[int],
    *,
    illegal: float = 0.0,
    bias: bool = False,
    merge: bool = True,
) -> tuple[PlayResults, PlayResults]:
    reference = BoardAdversary(walk.play_engine, seed=3, illegal=illegal, bias=bias)
    vector = VectorAdversary(
        walk, lambda: reference, seed=3, illegal=illegal, bias=bias, merge=merge
    )
    return vector.play(numbers), reference.play(numbers)


def assert_same(fast: PlayResults, plain: PlayResults) -> None:
    assert fast.texts == plain.texts
    assert fast.promised == plain.promised
    assert (fast.tried, fast.flagged) == (plain.tried, plain.flagged)
    assert fast.findings == plain.findings


# -- the numbers ----------------------------------------------------------------------------


@given(st.integers(), st.lists(st.integers(0, 1 << 70), min_size=1, max_size=5, unique=True))
def test_many_draws_are_the_draws_of_each(seed: int, plays: list[int]) -> None:
    many, single = ManyDraws(seed, plays), [Draws(seed, play) for play in plays]
    rows = np.arange(len(plays))
    for bound in (1, 2, 7, 1000, (1 << 32) - 1):
        bounds = np.full(len(plays), bound)
        assert many.below(rows, bounds).tolist() == [draws.below(bound) for draws in single]
        # Only some of them draw.
        assert many.random(rows[::2]).tolist() == [draws.random() for draws in single[::2]]


def test_draws_are_even() -> None:
    plays = range(20_000)
    drawn = ManyDraws(1, plays).below(np.arange(20_000), np.full(20_000, 5))
    counts = np.bincount(drawn, minlength=5)
    assert len(counts) == 5
    assert abs(counts - 4000).max() < 300


def test_the_least_seen_move_is_chosen() -> None:
    least = LeastSeen()
    assert [least.choose("a", 1, "xyz", 1) for _ in range(6)] == [1, 2, 0, 1, 2, 0]
    least.choose("b", 1, "xyz", 2)
    # Seen as often here: the one that was seen least at this ply.
    assert least.choose("c", 1, "xyz", 2) == 0
    assert least.choose("d", 2, "xyz", 2) == 2


# -- the rules ------------------------------------------------------------------------------


@given(models(max_side=4, max_depth=4), st.data())
@settings(max_examples=40, deadline=None)
def test_rules_on_masks_are_the_rules(model: Model, data: st.DataObject) -> None:
    game = load_game(model)
    assert isinstance(game, BddlGame)
    rules = ArrayRules(game.grounding)
    position = game.initial
    while position.outcome is None:
        column = rules.columns([position.state])
        assert rules.state(column[:, 0]) == position.state
        player = position.to_move
        actions = game.grounding.actions[player]
        legal = rules.legal(column, player)[0]
        names = [str(game.move_table[player][a.number]) for a in actions]
        assert [n for n, fine in zip(names, legal, strict=True) if fine] == list(
            map(str, position.legal_moves())
        )
        for each in Player:
            assert rules.wins(column, each)[0] == game.grounding.wins(position.state, each)
        assert rules.can_move(column, player)[0]
        occupied, white = rules.occupied_and_white(column)
        assert occupied[0].tolist() == [s.value != "." for s in position.board.squares]
        assert white[0].tolist() == [s.value == "W" for s in position.board.squares]
        chosen = data.draw(st.sampled_from(np.flatnonzero(legal).tolist()))
        after = rules.after(column, player, np.asarray([chosen]))
        position = position.play(game.parse_move(names[chosen], player))
        assert rules.state(after[:, 0]) == position.state


def test_boards_of_more_squares_than_a_word_has() -> None:
    model = certified(("httt", "--size=9x9", "--shape=domino", "--depth=3")).encoding.model
    game = load_game(model)
    assert isinstance(game, BddlGame)
    rules = ArrayRules(game.grounding)
    position = game.initial
    for move in ("occupy(9,9)", "occupy(1,8)", "occupy(1,1)"):
        column = rules.columns([position.state])
        names = [
            str(game.move_table[position.to_move][a.number])
            for a in game.grounding.actions[position.to_move]
        ]
        chosen = names.index(move)
        legal = rules.legal(column, position.to_move)[0]
        assert legal.sum() == len(position.legal_moves())
        after = rules.after(column, position.to_move, np.asarray([chosen]))
        position = position.play(game.parse_move(move, position.to_move))
        assert rules.state(after[:, 0]) == position.state


# -- the plays ------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [DOMINO, EL, BREAKTHROUGH, CONNECT], ids=" ".join)
@pytest.mark.parametrize("bias", [False, True], ids=["even", "biased"])
@pytest.mark.parametrize("merge", [True, False], ids=["merged", "apart"])
def test_good_certificates(words: tuple[str, ...], bias: bool, merge: bool) -> None:
    made = certified(words)
    walk = walk_for(made, made.certificate)
    fast, plain = both_ways(walk, range(5, 155), illegal=0.3, bias=bias, merge=merge)
    assert_same(fast, plain)
    assert all(fast.promised)
    assert not fast.findings
    assert fast.tried == fast.flagged > 0


@pytest.mark.parametrize(
    ("words", "stride"), [(DOMINO, 9), (CONNECT, 13), (EL, 37), (BREAKTHROUGH, 211)]
)
def test_damaged_certificates(words: tuple[str, ...], stride: int) -> None:
    """What is found, and everything else, is the same."""
    made = certified(words)
    found = 0
    for gate in range(0, made.certificate.aig.num_gates, stride):
        walk = walk_for(made, with_flipped_fanin(made.certificate, gate))
        fast, plain = both_ways(walk, range(60), illegal=0.2, bias=bool(gate % 2))
        assert_same(fast, plain)
        found += bool(fast.findings)
    assert found >= 3


@pytest.mark.parametrize(("words", "stride"), [(DOMINO, 1), (BREAKTHROUGH, 5)])
def test_constant_functions(words: tuple[str, ...], stride: int) -> None:
    """Each variable that plays read is made a constant: both see the same."""
    made = certified(words)
    layout = made.encoding.layout
    variables = {abs(v) for move in layout.moves for v in move.variables}
    variables |= {abs(m.stop) for m in layout.moves if m.stop is not None}
    variables |= {abs(v) for state in layout.state.states for v in state}
    found = 0
    chosen = sorted(variables & made.certificate.functions.keys())[::stride]
    for variable in chosen:
        for constant in (0, 1):
            walk = walk_for(made, with_function(made.certificate, variable, constant))
            fast, plain = both_ways(walk, range(30))
            assert_same(fast, plain)
            found += bool(fast.findings)
    assert found >= len(chosen) // 3


@given(models(max_side=3, max_depth=4), st.booleans())
@settings(max_examples=30, deadline=None)
def test_any_model(model: Model, bias: bool) -> None:
    made = certify_game(model)
    if made.certificate.kind is not CertificateKind.SKOLEM or not made.encoding.layout.moves:
        return
    walk = walk_for(made, made.certificate)
    assert_same(*both_ways(walk, range(25), illegal=0.3, bias=bias))


def test_a_game_with_other_rules() -> None:
    """Rules and formula differ: the differences are the same ones."""
    made = certified(EL)
    other = certified(("httt", "--size=3x3", "--shape=domino", "--depth=5")).encoding.model
    oracle = SimulationOracle(made.certificate, made.encoding.qbf)
    reader = SkolemReader(made.encoding.layout, oracle)
    game = load_game(other)
    walk = VectorWalk(reader, game, oracle, lambda: PlayEngine(reader, game))
    fast, plain = both_ways(walk, range(60), illegal=0.3)
    assert_same(fast, plain)
    assert fast.findings


def test_batches_do_not_matter() -> None:
    made = certified(EL)
    walk = walk_for(made, made.certificate)
    whole, _ = both_ways(walk, range(100), illegal=0.3)
    parts = [both_ways(walk, range(k, k + 20), illegal=0.3)[0] for k in range(0, 100, 20)]
    digest = hashlib.sha256("\n".join(whole.texts).encode()).hexdigest()
    joined = "\n".join(text for part in parts for text in part.texts)
    assert hashlib.sha256(joined.encode()).hexdigest() == digest
    assert sum(part.tried for part in parts) == whole.tried


# -- the level ------------------------------------------------------------------------------


def setup_for(
    words: tuple[str, ...], certificate: CircuitCertificate | None = None, **changes: object
) -> BoardProblem:
    made = certified(words)
    problem = BoardProblem(
        Files(formula="game.qcir", certificate="game.aig"),
        made.encoding.qbf,
        certificate if certificate is not None else made.certificate,
        made.encoding.layout,
        load_game(made.encoding.model),
    )
    return replace(problem, **changes)  # type: ignore[arg-type]


def without_times(result: LevelResult) -> dict[str, object]:
    return {k: v for k, v in result.evidence.items() if k != "plays per second"}


@pytest.mark.parametrize("words", [EL, HELD], ids=" ".join)
def test_the_three_ways_of_playing(words: tuple[str, ...]) -> None:
    result = attack(setup_for(words), games=100, seed=4, illegal=0.4)
    assert isinstance(result.verdict, Sampled), str(result.verdict)
    parts = result.evidence["parts"]
    assert isinstance(parts, dict)
    assert [(name, part["plays"]) for name, part in parts.items()] == [
        ("legal moves", 34),
        ("with illegal moves", 33),
        ("least seen moves", 33),
    ]
    tried = [part["illegal moves tried"] for part in parts.values()]
    assert tried[0] == 0 < tried[1]
    assert result.evidence["illegal moves flagged"] == sum(tried)
    assert result.evidence["plays"] == result.evidence["won"] == 100


def test_one_way_of_playing() -> None:
    even = attack(setup_for(EL), games=50, bias=False)
    biased = attack(setup_for(EL), games=50, bias=True)
    assert even.evidence["digest"] != biased.evidence["digest"]
    assert list(even.evidence["parts"]) == ["random"]  # type: ignore[call-overload]
    # Arrays or not: the same plays.
    walk = walk_for(certified(EL), certified(EL).certificate)
    plain = BoardAdversary(walk.play_engine, seed=0).play(range(50))
    own = hashlib.sha256("".join(f"{text}\n" for text in plain.texts).encode()).digest()
    assert even.evidence["digest"] == hashlib.sha256(own).hexdigest()


def test_biased_plays_see_more() -> None:
    """Every first move equally often, and more different plays."""
    walk = walk_for(certified(EL), certified(EL).certificate)
    plays = {}
    for bias in (False, True):
        reference = BoardAdversary(walk.play_engine, seed=1, bias=bias)
        vector = VectorAdversary(walk, lambda r=reference: r, seed=1, bias=bias)  # type: ignore[misc]
        plays[bias] = vector.play(range(48)).texts
    assert len(set(plays[True])) == 48 > len(set(plays[False]))
    firsts = Counter(text.split()[1] for text in plays[True])
    assert max(firsts.values()) - min(firsts.values()) <= 1


@pytest.mark.parametrize(
    ("words", "damage"), [(EL, True), (HELD, False)], ids=["damaged", "held out"]
)
def test_slices_and_processes_do_not_matter(
    words: tuple[str, ...], damage: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(random_plays, "_SLICE", 20)
    monkeypatch.setattr(random_plays, "_SLICE_ON_ARRAYS", 20)
    problem = setup_for(words)
    if damage:
        problem = setup_for(words, with_flipped_fanin(certified(words).certificate, 3))
    told: list[Progress] = []
    alone = attack(problem, games=90, seed=2, illegal=0.2, tell=told.append)
    both = attack(problem, games=90, seed=2, illegal=0.2, jobs=2)
    assert without_times(alone) == without_times(both)
    assert alone.verdict == both.verdict
    assert isinstance(alone.verdict, Refuted if damage else Sampled)
    assert told[-1] == Progress("random plays", "90 of 90 plays", 90, 90)


def test_findings_come_with_replays_the_shortest_first() -> None:
    problem = setup_for(EL, with_flipped_fanin(certified(EL).certificate, 5))
    verdict = attack(problem, games=60, seed=1, illegal=0.2).verdict
    assert isinstance(verdict, Refuted)
    plies = [finding.ply for finding in verdict.findings]
    assert plies == sorted(plies)
    assert all(f.replay.startswith("qsage-play game.qcir") for f in verdict.findings)


def test_time_is_up() -> None:
    result = attack(setup_for(EL), games=60, deadline=Deadline.after(0))
    assert isinstance(result.verdict, Undecided)
    assert str(result.verdict) == (
        "undecided: time is up after 0 of 60 plays, 0 of them won as promised"
    )


def test_a_number_of_plays_beyond_all_memory_waits_for_the_time_alone() -> None:
    many = 10**20
    result = attack(setup_for(EL), games=many, deadline=Deadline.after(0))
    assert str(result.verdict) == (
        f"undecided: time is up after 0 of {many:,} plays, 0 of them won as promised"
    )


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_leaves_what_is_known(jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_plays, "_SLICE_ON_ARRAYS", 20)

    def interrupt(progress: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(LevelInterrupted) as caught:
        attack(setup_for(EL), games=200, bias=False, jobs=jobs, tell=interrupt)
    partial = caught.value.partial
    assert str(partial.verdict) == (
        "undecided: interrupted after 20 of 200 plays, 20 of them won as promised"
    )
    assert partial.evidence["won"] == 20
    assert not multiprocessing.active_children()


def test_the_game_of_variables() -> None:
    problem = setup_for(DOMINO).blocks()
    result = attack(problem, games=70, illegal=0.5)
    assert isinstance(result.verdict, Sampled)
    assert list(result.evidence["parts"]) == ["random values"]  # type: ignore[call-overload]
    damaged = certified(DOMINO).certificate
    for literal in certified(DOMINO).encoding.layout.moves[-1].variables:
        damaged = with_function(damaged, literal, 0)
    result = attack(replace(problem, certificate=damaged), games=70)
    assert isinstance(result.verdict, Refuted)
    assert result.evidence["lost"] == len(
        [n for n in result.verdict.findings if n.kind is FindingKind.VERDICT_DIFFERS]
    )


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"games": 0}, "found 0 games, expected 1 or more"),
        ({"games": 5, "jobs": 0}, "found 0 jobs, expected 1 or more"),
        ({"games": 5, "illegal": 1.5}, "found the probability 1.5, expected 0 to 1"),
    ],
)
def test_numbers_that_cannot_be(options: dict[str, int], text: str) -> None:
    with pytest.raises(UsageError, match=text):
        attack(setup_for(DOMINO), **options)  # type: ignore[arg-type]
