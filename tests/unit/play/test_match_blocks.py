"""The game of variables: any formula, any certificate, block by block."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from qsage_validate.arena.adversary import BlockAdversary
from qsage_validate.arena.blocks import BlockEngine
from qsage_validate.arena.frame import BlockMove
from qsage_validate.certificates.sat_oracle import SatOracle
from qsage_validate.circuit.aig import Aig
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.errors import Exit, MalformedMoveError, UsageError
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.certificate import (
    CertificateKind,
    CircuitCertificate,
    ClauseCertificate,
    Dialect,
)
from qsage_validate.play.export import match_json
from qsage_validate.play.match import PlayMatch
from qsage_validate.play.report import exit_code
from qsage_validate.play.transcript import Transcript, play_transcript, transcript_of
from qsage_validate.strategies.reader import NamedGroup
from qsage_validate.validation.finding import FindingKind
from tests.support.plays import DOMINO, certified

# Whatever u and v are, x = u and y = not v.
COPYCAT = """#QCIR-G14
forall(u)
exists(x)
forall(v)
exists(y)
output(g)
a = xor(u, x)
b = xor(v, y)
g = and(-a, b)
"""


def no_gates(inputs: int) -> Aig:
    return Aig(inputs, np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int32))


def copycat(x: int = 2, y: int = 5) -> tuple[Qbf, CircuitCertificate]:
    """The formula, and the certificate with the AIG literals ``x`` and ``y`` as functions."""
    qbf = parse_qcir(COPYCAT)
    number = {name: v for v, name in qbf.names.items()}
    functions = {number["x"]: x, number["y"]: y}
    inputs = (number["u"], number["v"])
    return qbf, CircuitCertificate(
        CertificateKind.SKOLEM, no_gates(2), inputs, functions, Dialect.CAQE
    )


def blocks(x: int = 2, y: int = 5) -> PlayMatch:
    qbf, certificate = copycat(x, y)
    return PlayMatch(
        BlockEngine(qbf, certificate, SatOracle(certificate, qbf), "copycat", ["a note"])
    )


def test_blocks_are_played_in_turn() -> None:
    match = blocks()
    assert (match.facts.title, match.facts.notes) == ("copycat", ("a note",))
    assert (match.facts.plies, match.facts.has_board, match.facts.has_rules) == (4, False, False)
    assert match.person is Player.WHITE
    assert [str(move) for move in match.legal_moves()] == ["u=0", "u=1"]
    own, answer = match.push("u=1")
    assert (str(own.move), own.by_certificate) == ("u=1", False)
    assert (str(answer.move), answer.by_certificate) == ("x=1", True)
    assert [(v.variable, v.value, v.group) for v in answer.values] == [
        ("x", True, NamedGroup.BLOCK)
    ]
    _, last = match.push("v=0")
    assert str(last.move) == "y=1"
    assert match.over
    assert last.outcome is not None
    assert (last.outcome.winner, last.outcome.promised) == (Player.BLACK, True)
    assert last.values[-1].group is NamedGroup.VERDICT
    assert exit_code(match) is Exit.FINE
    assert match.legal_moves() == ()
    assert match.random_move(random.Random(1)) is None
    with pytest.raises(UsageError, match="the play is over"):
        match.push("v=1")


def test_a_wrong_function_loses_to_the_hint() -> None:
    match = blocks(y=4)
    hint = match.hint()
    assert hint is not None
    assert "refutes the certificate" in hint.text
    while not match.over:
        step = match.hint()
        assert step is not None
        match.push(step.move)
    assert match.outcome is not None
    assert (match.outcome.winner, match.outcome.promised) == (Player.WHITE, False)
    (finding,) = match.findings
    assert finding.kind is FindingKind.VERDICT_DIFFERS
    assert finding.moves == tuple(str(f.move) for f in match.frames if f.move is not None)
    assert exit_code(match) is Exit.REFUTED
    assert match.hint() is None


def test_a_good_certificate_leaves_no_hint_of_a_win() -> None:
    hint = blocks().hint()
    assert hint is not None
    assert "no values win" in hint.text


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("10", (True, False)),
        ("a=1 b=0", (True, False)),
        ("a = 1, b = 0", (True, False)),
        ("a -b", (True, False)),
        ("b=true", (False, True)),
        ("-", (False, False)),
        ("a", (True, False)),
    ],
)
def test_values_are_read_in_several_forms(text: str, values: tuple[bool, ...]) -> None:
    qbf = parse_qcir("#QCIR-G14\nforall(a, b)\nexists(x)\noutput(g)\ng = or(a, b, x)\n")
    x = qbf.scopes[1].variables[0]
    certificate = CircuitCertificate(
        CertificateKind.SKOLEM, no_gates(2), qbf.scopes[0].variables, {x: 1}, Dialect.CAQE
    )
    match = PlayMatch(BlockEngine(qbf, certificate, SatOracle(certificate, qbf), ""))
    move = match.parse_move(text)
    assert isinstance(move, BlockMove)
    assert move.values == values
    assert match.parse_move(str(move)) == move


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x=1", "found 'x=1', expected values for u, like u=1"),
        ("101", "found 3 digits, expected 1, one for each of u"),
        ("u=2", "found 'u=2'"),
    ],
)
def test_values_of_other_variables_are_refused(text: str, message: str) -> None:
    with pytest.raises(MalformedMoveError, match=message):
        blocks().parse_move(text)


def test_values_of_another_block_are_refused() -> None:
    match = blocks()
    (first, *_) = match.legal_moves()
    match.push(first)
    with pytest.raises(MalformedMoveError, match="expected values for v"):
        match.push(first)
    assert match.touched(first) == ()


def test_history_and_transcripts_work_as_on_a_board() -> None:
    match = blocks()
    match.push("u=1")
    match.push("v=1")
    again = blocks()
    play_transcript(again, Transcript.parse(str(transcript_of(match))))
    assert transcript_of(again) == transcript_of(match)
    assert match.undo()
    assert match.redo()
    assert match.over
    assert match_json(match)["outcome"] is not None


def test_clauses_without_an_answer_end_the_play() -> None:
    """u must be 0, say the clauses; hints need a circuit."""
    qbf, good = copycat()
    u, v = good.inputs
    x, y = good.functions
    literals = np.asarray([u, x, 0, -u, -x, 0, -u, 0, y, v, 0, -y, -v, 0], dtype=np.int32)
    certificate = ClauseCertificate(literals, qbf.max_variable, frozenset({x, y}))
    match = PlayMatch(BlockEngine(qbf, certificate, SatOracle(certificate, qbf), ""))
    assert match.hint() is None
    (last,) = match.push("u=1")
    assert last.outcome is not None
    assert last.outcome.promised is False
    assert match.findings[0].kind is FindingKind.CERTIFICATE_SILENT


@pytest.mark.parametrize("batch", [1, 7, 100])
def test_random_values(batch: int) -> None:
    qbf, certificate = copycat()
    oracle = SatOracle(certificate, qbf)
    adversary = BlockAdversary(qbf, certificate, oracle, seed=5, replay="; ".join)
    report = adversary.run(40, batch=batch)
    assert report.clean
    assert report.digest == adversary.run(40).digest
    with pytest.raises(UsageError):
        adversary.run(0)


def test_random_values_refute_a_wrong_function() -> None:
    qbf, certificate = copycat(x=3)
    oracle = SatOracle(certificate, qbf)
    report = BlockAdversary(qbf, certificate, oracle, seed=5, replay="; ".join).run(40)
    assert report.losses == 40
    assert report.findings_total == 4
    assert {f.replay for f in report.findings} == {f"u={a}; v={b}" for a in (0, 1) for b in (0, 1)}


def test_a_formula_with_a_layout_can_be_played_bare_as_well() -> None:
    made = certified(DOMINO)
    oracle = SatOracle(made.certificate, made.encoding.qbf)
    match = PlayMatch(BlockEngine(made.encoding.qbf, made.certificate, oracle, ""))
    generator = random.Random(4)
    while not match.over:
        move = match.random_move(generator)
        assert move is not None
        match.push(move)
    assert match.outcome is not None
    assert match.outcome.promised is True


def test_a_large_block_lists_only_some_moves() -> None:
    names = [f"u{k}" for k in range(9)]
    text = f"#QCIR-G14\nforall({', '.join(names)})\noutput(g)\ng = and()\n"
    qbf = parse_qcir(text)
    certificate = CircuitCertificate(
        CertificateKind.SKOLEM, no_gates(9), qbf.scopes[0].variables, {}, Dialect.CAQE
    )
    match = PlayMatch(BlockEngine(qbf, certificate, SatOracle(certificate, qbf), ""))
    assert len(match.legal_moves()) == 64
    move = match.random_move(random.Random(0))
    assert isinstance(move, BlockMove)
    assert len(move.values) == 9
    other = replace(move, values=(True,) * 9)
    match.push(other)
    assert match.over
