"""Random opponents: they lose to good certificates, and find what is wrong with bad ones."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

from qsage_validate.arena.adversary import AdversaryReport, BoardAdversary
from qsage_validate.certificates.check import CertificateProved, check
from qsage_validate.errors import UsageError
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.languages import load_game
from qsage_validate.validation.finding import FindingKind
from tests.support.certifying import certify_game
from tests.support.models import models
from tests.support.plays import (
    BREAKTHROUGH,
    CONNECT,
    DOMINEERING,
    DOMINO,
    EL,
    HELD,
    attack,
    certified,
    model_of,
    play_engine_for,
    with_flipped_fanin,
    with_function,
)

GAMES = (DOMINO, EL, BREAKTHROUGH, CONNECT, HELD, DOMINEERING)


@pytest.mark.parametrize("words", GAMES, ids=" ".join)
@pytest.mark.parametrize("simulate", [False, True], ids=["sat", "simulation"])
def test_a_good_certificate_wins_every_play(words: tuple[str, ...], simulate: bool) -> None:
    made = certified(words)
    game = load_game(made.encoding.model)
    play_engine = play_engine_for(made.encoding, made.certificate, game, simulate=simulate)
    report = attack(play_engine, 60, illegal=0.3)
    assert report.clean, [finding.text for finding in report.findings]
    assert report.wins == 60
    assert report.results.tried == report.results.flagged > 0


@pytest.mark.parametrize("words", [EL, DOMINEERING], ids=" ".join)
def test_the_same_seed_gives_the_same_plays(words: tuple[str, ...]) -> None:
    """However many plays run at a time, and whoever answers."""
    made = certified(words)
    game = load_game(made.encoding.model)

    def run(seed: int, batch: int, simulate: bool) -> AdversaryReport:
        play_engine = play_engine_for(made.encoding, made.certificate, game, simulate=simulate)
        return attack(play_engine, 50, seed=seed, illegal=0.2, batch=batch)

    reports = [run(7, 64, False), run(7, 1, False), run(7, 9, True)]
    assert len({report.digest for report in reports}) == 1
    assert len({report.results.tried for report in reports}) == 1
    assert run(8, 64, True).digest != reports[0].digest


@given(models(max_side=3, max_depth=4))
@settings(max_examples=40)
def test_any_certified_model_is_played_as_the_rules_say(model: Model) -> None:
    """Boards, legality, replies and ends agree with the rules; Skolem and Herbrand alike."""
    made = certify_game(model)
    report = attack(
        play_engine_for(made.encoding, made.certificate, load_game(model)), 15, illegal=0.3
    )
    assert report.clean, [finding.text for finding in report.findings]


@given(models(max_side=3, max_depth=3))
@settings(max_examples=20)
def test_plays_need_no_named_gates(model: Model) -> None:
    """The constraints of a Herbrand play are found in the matrix of any formula."""
    made = certify_game(model)
    encoding = replace(made.encoding, layout=replace(made.encoding.layout, gates={}))
    report = attack(play_engine_for(encoding, made.certificate, load_game(model)), 10, illegal=0.3)
    assert report.clean, [finding.text for finding in report.findings]


@pytest.mark.parametrize(
    ("words", "stride"),
    [(DOMINO, 5), (CONNECT, 5), (HELD, 45)],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_flipped_gate_is_caught(words: tuple[str, ...], stride: int) -> None:
    """What the check refutes, random plays find in nearly all cases; they accuse nobody else."""
    made = certified(words)
    game = load_game(made.encoding.model)
    refuted = caught = 0
    for gate in range(0, made.certificate.aig.num_gates, stride):
        damaged = with_flipped_fanin(made.certificate, gate)
        play_engine = play_engine_for(made.encoding, damaged, game, simulate=True)
        report = attack(play_engine, 80, batch=80)
        if isinstance(check(made.encoding.qbf, damaged), CertificateProved):
            assert report.clean, [finding.text for finding in report.findings]
        else:
            refuted += 1
            caught += not report.clean
    assert refuted >= 6
    assert caught >= 0.8 * refuted


def test_a_wrong_reply_is_an_illegal_one_with_its_bits() -> None:
    """Black's last move is made the same whatever White does: it will be on a taken square."""
    made = certified(DOMINO)
    last = made.encoding.layout.moves[2]
    damaged = made.certificate
    for literal in last.variables:
        damaged = with_function(damaged, literal, 0)
    report = attack(
        play_engine_for(made.encoding, damaged, load_game(made.encoding.model)), 100, batch=100
    )
    illegal = [f for f in report.findings if f.kind is FindingKind.ILLEGAL_REPLY]
    assert illegal
    assert report.losses
    finding = illegal[0]
    assert finding.ply == 3
    assert finding.move == "occupy(1,1)"
    assert finding.squares == ((1, 1),)
    assert finding.rule == "open(?x,?y)"
    assert {e.literal for e in finding.evidence} == set(last.variables)
    assert finding.moves[-1] == "occupy(1,1)"
    assert finding.replay == finding.moves[1]


def test_findings_replay_as_their_command_says() -> None:
    made = certified(DOMINO)
    damaged = with_function(made.certificate, made.encoding.layout.moves[0].x[0], 1)
    play_engine = play_engine_for(made.encoding, damaged, load_game(made.encoding.model))
    told: list[str] = []

    def replay(moves: object) -> str:
        told.append(str(moves))
        return f"play {moves}"

    report = BoardAdversary(play_engine, seed=1, replay=replay).run(20)
    assert not report.clean
    assert [f"play {moves}" for moves in told] == [finding.replay for finding in report.findings]


def test_numbers_out_of_range_are_refused() -> None:
    made = certified(DOMINO)
    play_engine = play_engine_for(made.encoding, made.certificate, None)
    with pytest.raises(UsageError, match=r"found 0 games, expected 1 or more"):
        BoardAdversary(play_engine, seed=1).run(0)
    with pytest.raises(UsageError, match=r"found the probability 1\.5, expected 0 to 1"):
        BoardAdversary(play_engine, seed=1, illegal=1.5)


def test_progress_is_told_batch_by_batch() -> None:
    made = certified(DOMINO)
    play_engine = play_engine_for(made.encoding, made.certificate, None)
    done: list[int] = []
    BoardAdversary(play_engine, seed=1).run(25, batch=10, progress=done.append)
    assert done == [10, 20, 25]


@pytest.mark.parametrize("words", [DOMINO, DOMINEERING], ids=" ".join)
def test_without_rules_the_formula_says_who_wins(words: tuple[str, ...]) -> None:
    made = certified(words)
    report = attack(play_engine_for(made.encoding, made.certificate, None), 40, illegal=0.3)
    assert report.clean
    assert report.results.tried == report.results.flagged > 0


def test_a_game_with_other_rules_is_found_out() -> None:
    """The certificate is right for its formula, but the formula is that of another game."""
    made = certified(DOMINO)
    play_engine = play_engine_for(made.encoding, made.certificate, load_game(model_of(HELD)))
    report = attack(play_engine, 60)
    assert report.losses == 60
    assert FindingKind.END_DIFFERS in {finding.kind for finding in report.findings}
