"""Plays look at assertions: each position, each end, once in a play, and never in silence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsage_validate.arena.adversary import open_adversary
from qsage_validate.arena.frame import PlayState
from qsage_validate.arena.open import open_engine, open_play_engine
from qsage_validate.arena.play_engine import PlayEngine
from qsage_validate.arena.watch import watched
from qsage_validate.certificates.choose_oracle import OracleKind
from qsage_validate.circuit.aig import Aig
from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope
from qsage_validate.encodings.layout import Layout, Ply
from qsage_validate.encodings.list_codings import OneHotCoding
from qsage_validate.errors import Exit, UndecidedError
from qsage_validate.formats.assertions import parse_assertions
from qsage_validate.formats.source import Source
from qsage_validate.games.languages import load_game
from qsage_validate.games.positional.hex import hex_network
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate, Dialect
from qsage_validate.play.match import PlayMatch
from qsage_validate.play.report import exit_code, frame_lines
from qsage_validate.problems.load import BlockProblem, BoardProblem, Files, Problem
from qsage_validate.proving.exhaustive import digest_of, exhaust
from qsage_validate.proving.random_plays import attack
from qsage_validate.proving.state_walker import StateWalker
from qsage_validate.validation.assertions import AssertionVocabulary
from qsage_validate.validation.finding import FindingKind, Proved, Refuted
from tests.support.certifying import certify_game
from tests.support.plays import EL, HELD, certified
from tests.support.random_certificates import random_aig

BROKEN = FindingKind.ASSERTION_BROKEN


_P = TypeVar("_P", bound=Problem)


def asserted(problem: _P, text: str) -> _P:
    known = AssertionVocabulary(problem.formula, problem.layout, problem.game)
    return replace(problem, assertions=tuple(known.bound(parse_assertions(Source(text, "a")))))


def game(words: tuple[str, ...], text: str, *, rules: bool = True) -> BoardProblem:
    made = certified(words)
    files = Files(formula="f.qcir", certificate="f.aig", assertions=("a",))
    found = load_game(made.encoding.model) if rules else None
    problem = BoardProblem(files, made.encoding.qbf, made.certificate, made.encoding.layout, found)
    return asserted(problem, text)


def played(problem: Problem, *moves: str, force: bool = False) -> PlayMatch:
    match = PlayMatch(open_engine(problem))
    for move in moves:
        match.push(move, force=force)
    return match


def test_a_broken_assertion_is_found_once_where_it_is_first_broken() -> None:
    match = played(game(EL, "always open (3,1)\nply 2: white (3,1)"), "occupy(3,1)")
    (finding,) = match.findings
    assert (finding.kind, finding.ply, finding.detail) == (BROKEN, 2, "a:1: always open (3,1)")
    assert [str(evidence) for evidence in finding.evidence] == [
        "black (3,1) = 0",
        "white (3,1) = 1",
    ]
    assert exit_code(match) is Exit.REFUTED


def test_several_are_one_finding_and_all_are_named() -> None:
    match = played(game(EL, "ply 1: open (2,2)\nalways not black (2,2)"))
    (finding,) = match.findings
    assert finding.detail == "a:1: ply 1: open (2,2); a:2: always not black (2,2)"


def test_the_end_is_the_last_position_by_the_rules() -> None:
    problem = game(EL, "end: not goal\nalways not goal")
    play_engine = open_play_engine(problem, problem.oracle(OracleKind.SIMULATION))
    for state in ends(play_engine, play_engine.start()):
        (finding,) = [f for f in state.findings if f.kind is BROKEN]
        assert finding.detail == "a:1: end: not goal; a:2: always not goal"


def ends(play_engine: PlayEngine, state: PlayState) -> Iterator[PlayState]:
    if state.ending is not None:
        yield state
        return
    if play_engine.to_move(state) is play_engine.player:
        (state,) = play_engine.answer_all([state])
        yield from ends(play_engine, state)
        return
    for move in play_engine.legal_moves(state):
        yield from ends(play_engine, play_engine.play(state, move))


def test_from_an_illegal_move_on_there_is_no_position() -> None:
    problem = game(EL, "always open (2,2) or black (2,2)\nend: not goal")
    match = played(problem, "occupy(2,2)", force=True)
    assert [f for f in match.findings if f.kind is BROKEN] == []


def test_without_rules_the_formula_tells_positions() -> None:
    problem = game(EL, "always open (3,1)", rules=False)
    (finding,) = played(problem, "occupy(3,1)").findings
    assert (finding.kind, finding.ply) == (BROKEN, 2)
    assert "1 about positions (as far as the formula tells them)" in watched(problem)
    # Black's stones, too.
    (found,) = played(game(EL, "always not black (2,2)", rules=False)).findings
    assert found.ply == 1


def test_what_nobody_tells_is_said_not_to_be_looked_at() -> None:
    made = certify_game(hex_network(2, 2, 3), "sn")
    rules = load_game(made.encoding.model)
    files = Files(formula="f.qcir", certificate="f.aig")
    problem = BoardProblem(files, made.encoding.qbf, made.certificate, made.encoding.layout, rules)
    problem = replace(asserted(problem, "always not black a1\nend: goal"), game=None)
    assert watched(problem) == "assertions looked at: not the 2 about positions that no rules tell"
    grid = game(EL, "always not black (1,1)\nend: goal")
    assert watched(replace(grid, game=None)) == (
        "assertions looked at: 1 about positions (as far as the formula tells them); not the 1 "
        "about positions that no rules tell"
    )


def test_a_play_says_what_is_looked_at() -> None:
    problem = game(EL, "always open (3,1)\n1 0")
    match = played(problem)
    said = list(frame_lines(match, match.frames[0]))
    assert f"  {watched(problem)}" in said
    assert watched(problem) == (
        "assertions looked at: 1 about positions (by the rules); 1 about variables and gates "
        "(where plays end, under some values of what they leave open)"
    )
    bare = problem.blocks()
    assert watched(bare) == (
        "assertions looked at: not the 1 about positions, for values are played, no moves; "
        "1 about variables and gates (where plays end)"
    )
    assert watched(replace(problem, assertions=())) == ""


@pytest.mark.parametrize("words", [EL, HELD])
def test_every_adversary_looks(words: tuple[str, ...]) -> None:
    problem = game(words, "always open (1,1)")
    random = open_adversary(problem, seed=0, illegal=0.0).run(30)
    assert {f.kind for f in random.findings} == {BROKEN}
    assert all("--assert a" in f.replay for f in random.findings)
    for result in (attack(problem, games=30, jobs=2), exhaust(problem)):
        assert isinstance(result.verdict, Refuted)
        assert {f.kind for f in result.verdict.findings} == {BROKEN}
    true = asserted(problem, "always not (black (1,1) and white (1,1))")
    assert isinstance(exhaust(true).verdict, Proved)
    assert digest_of(true) != digest_of(problem)


def test_ends_that_nobody_answers_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = game(EL, "1 -1 0")
    oracle = problem.oracle(OracleKind.SIMULATION)
    play_engine = open_play_engine(problem, oracle)
    (before,) = [s for s in _path(play_engine) if s.plies == 4]

    monkeypatch.setattr(play_engine._watch, "_oracle", _Late(oracle.opponent))
    (after,) = play_engine.answer_all([before])
    assert after.ending is not None
    assert "assertions were not looked at: time is up" in after.ending.reason
    (after,) = play_engine.finish_all([after])
    assert after.ending is not None
    assert after.ending.promised is None


class _Late:
    """An oracle that never answers in time."""

    def __init__(self, opponent: tuple[int, ...]) -> None:
        self.opponent = opponent

    def many(self, choices: object, wanted: object) -> None:
        raise UndecidedError("time is up")


def _path(play_engine: PlayEngine) -> list[PlayState]:
    states = [play_engine.start()]
    while states[-1].ending is None:
        state = states[-1]
        if play_engine.to_move(state) is play_engine.player:
            states += play_engine.answer_all([state])
        else:
            states.append(play_engine.play(state, play_engine.legal_moves(state)[0]))
    return states


# -- Blocks ----------------------------------------------------------------------------------

COPY = Qbf(
    (Scope(Quantifier.FORALL, (1,)), Scope(Quantifier.EXISTS, (2,))),
    {3: Gate(Connective.XOR, (1, 2))},
    -3,
)


def copy(text: str) -> Problem:
    """Whatever 1 is, 2 is the same."""
    aig = Aig(1, np.zeros(0, np.int32), np.zeros(0, np.int32))
    certificate = CircuitCertificate(CertificateKind.SKOLEM, aig, (1,), {2: 2}, Dialect.CAQE)
    return asserted(BlockProblem(Files(formula="f"), COPY, certificate), text)


def test_blocks_are_looked_at_where_they_end() -> None:
    problem = copy("-1 2 0\n1 0")
    assert [f.kind for f in played(problem, "1=0").findings] == [BROKEN]
    assert played(problem, "1=1").findings == ()
    report = open_adversary(problem, seed=0, illegal=0.0).run(20)
    (finding,) = report.findings
    assert (finding.detail, finding.moves) == ("a:2: 1 0", ("1=0",))
    assert report.wins == 20


# -- Ends of plays on a board, merged and not -------------------------------------------------


def on_a_table(
    aig: Aig, functions: dict[int, int], gates: Sequence[tuple[int, ...]], clauses: str
) -> Problem:
    """Two plies of White's and two of Black's without rules, and clauses over everything."""
    players, quantifiers = (Player.WHITE, Player.BLACK), (Quantifier.FORALL, Quantifier.EXISTS)
    pairs = [(2 * k + 1, 2 * k + 2) for k in range(4)]
    plies = tuple(
        Ply(k + 1, players[k % 2], OneHotCoding(("a", "b"), own)) for k, own in enumerate(pairs)
    )
    scopes = tuple(Scope(quantifiers[k % 2], own) for k, own in enumerate(pairs))
    matrix = {9 + k: Gate(Connective.OR, own) for k, own in enumerate(gates)}
    formula = Qbf(scopes, {**matrix, 12: Gate(Connective.AND, ())}, 12)
    certificate = CircuitCertificate(
        CertificateKind.SKOLEM, aig, (1, 2, 5, 6), functions, Dialect.CAQE
    )
    problem = BoardProblem(
        Files(formula="f"), formula, certificate, Layout(plies, verdict=12), None
    )
    return asserted(problem, clauses)


@st.composite
def tables(draw: st.DrawFn) -> Problem:
    """Random functions, gates and clauses."""
    signed = st.integers(1, 8).flatmap(lambda v: st.sampled_from((v, -v)))
    gates = [tuple(draw(st.lists(signed, min_size=1, max_size=3))) for _ in range(3)]
    aig = random_aig(draw, 4)
    literal = st.integers(0, 2 * aig.num_variables + 1)
    functions = {v: draw(literal) for v in (3, 4, 7, 8)}
    numbers = st.integers(1, 11).flatmap(lambda v: st.sampled_from((v, -v)))
    clauses = draw(st.lists(st.lists(numbers, min_size=1, max_size=3), min_size=1, max_size=3))
    text = "\n".join(" ".join(map(str, [*c, 0])) for c in clauses)
    return on_a_table(aig, functions, gates, text)


def test_without_rules_beginnings_with_other_moves_are_not_merged() -> None:
    """Black plays b, whatever White does: behind a nobody can move, behind b White can."""
    nothing = Aig(4, np.zeros(0, np.int32), np.zeros(0, np.int32))
    problem = on_a_table(nothing, {3: 0, 4: 1, 7: 0, 8: 0}, [(1,), (1,), (1,)], "-3 0")
    result = exhaust(problem)
    assert isinstance(result.verdict, Refuted)
    (found,) = result.verdict.findings
    assert found.kind is FindingKind.UNREADABLE_REPLY


@given(tables())
@settings(max_examples=60, deadline=None)
def test_merged_plays_break_what_single_plays_break(problem: Problem) -> None:
    merged = exhaust(problem)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(StateWalker, "keys", lambda self, nodes: [s.moves for s in nodes])
        single = exhaust(problem)
    kinds = [
        {f.kind for f in r.verdict.findings} if isinstance(r.verdict, Refuted) else set()
        for r in (merged, single)
    ]
    assert kinds[0] == kinds[1]


def test_the_command_of_files_names_the_assertions() -> None:
    files = Files("f.qcir", "f.aig", assertions=("one.txt", "two words.txt"))
    assert files.command() == (
        "qsage-play f.qcir --cert f.aig --assert one.txt --assert 'two words.txt'"
    )
