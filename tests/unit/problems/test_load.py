"""What a problem says of its certificate: whose variables they are, and which no play gives."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from qsage_validate.arena.open import open_engine
from qsage_validate.arena.strategy_tree import tree_of
from qsage_validate.certificates import choose_oracle
from qsage_validate.certificates.choose_oracle import OracleKind
from qsage_validate.certificates.sat_oracle import SatOracle
from qsage_validate.certificates.simulation_oracle import SimulationOracle, WholeOracle
from qsage_validate.circuit.aig import Aig
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.registry import encode
from qsage_validate.formats.source import sample_path
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.certificate import (
    CertificateKind,
    CircuitCertificate,
    ClauseCertificate,
    Dialect,
)
from qsage_validate.play.match import PlayMatch
from qsage_validate.play.transcript import transcript_of
from qsage_validate.problems import load as problems
from qsage_validate.problems.load import Files
from tests.support.plays import EL, HELD, certified
from tests.support.plies import indicators_of
from tests.support.table_matches import TRAILS

# One row of three squares and two plies; White's first bit says which of two actions it is.
META = """\
#boardsize
3 1
#depth
3
#blackactions
put(?x,?y)
#whiteactions
put(?x,?y)
take(?x,?y)
#actionvars
[ ] [1,2] [ ]
[3] [4,5] [ ]
[ ] [9,10] [ ]
#symbolicpos
[20,21] [22]
#statevars
23 24
25 26
27 28
29 30
#goalvar
0
"""
# Of White's variables and of the symbolic position the clauses mention 4 alone.
DEFINED = (2, 9, 10, 22, *range(23, 31))
CLAUSES = f"p cnf 30 {2 + len(DEFINED)}\nc Model for variable 1.\n1 -4 0\n-1 4 0\n" + "".join(
    f"c Model for variable {v}.\n{v} 0\n" for v in DEFINED
)


def test_clauses_alone_leave_open_what_the_layout_gives_to_white(tmp_path: Path) -> None:
    """But not what they define: an axis of length 1 may have a bit that is nobody's choice."""
    meta, clauses = tmp_path / "row.meta", tmp_path / "row.cnf"
    meta.write_text(META, encoding="ascii")
    clauses.write_text(CLAUSES, encoding="ascii")
    found = problems.load(Files(certificate=str(clauses), meta=str(meta)))
    assert isinstance(found.certificate, ClauseCertificate)
    assert found.certificate.defined == {1, *DEFINED}
    assert found.certificate.open == {3, 4, 5, 20, 21}
    assert found.formula is None


def test_a_large_circuit_is_put_in_order_once_and_plays_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sample = Files(formula=sample_path("sample:tic"), certificate=sample_path("sample:tic.aig"))
    small = problems.load(sample)
    assert not small.is_evaluated
    assert small.oracle(OracleKind.SAT) is not small.oracle(OracleKind.SAT)
    monkeypatch.setattr(choose_oracle, "_SAT_GATES", 100)
    large = problems.load(sample)
    assert large.oracle(OracleKind.SAT) is large.oracle(OracleKind.SAT)
    assert isinstance(large.oracle(OracleKind.SAT), WholeOracle)
    # Who attacks it asks so much that equal gates are merged first, as before.
    assert isinstance(large.oracle(OracleKind.SIMULATION), SimulationOracle)
    asked = problems.load(replace(sample, engine=OracleKind.SAT))
    assert isinstance(asked.oracle(OracleKind.SAT), SatOracle)
    transcripts = []
    for problem in (small, large):
        match = PlayMatch(open_engine(problem))
        match.push("occupy(1,1)")
        match.push("occupy(3,3)")
        transcripts.append(str(transcript_of(match)))
    assert transcripts[0] == transcripts[1]
    sizes = [tree.size(tree.root) for tree in [tree_of(own.on_board) for own in (small, large)]]
    assert sizes[0] == sizes[1]


def reading(encoding: Encoding, *read: int, missing: int = 0) -> problems.BoardProblem:
    """A certificate whose replies of White's read these variables of Black's, one each.

    ``missing`` of them have no function.
    """
    replies = [abs(v) for p in encoding.layout.of(Player.WHITE) for v in p.all_variables]
    literals = [2 * (k % len(read) + 1) for k in range(len(replies))]
    functions = dict(zip(replies[missing:], literals[missing:], strict=True))
    nothing = np.zeros(0, dtype=np.int32)
    certificate = CircuitCertificate(
        CertificateKind.HERBRAND, Aig(len(read), nothing, nothing), read, functions, Dialect.CAQE
    )
    return problems.of(encoding, certificate, Files()).on_board


@pytest.mark.parametrize("missing", [0, 1])
def test_a_play_gives_moves_claims_and_indicators(missing: int) -> None:
    """Goals and states it does not give; a certificate of Black's reads nothing of hers."""
    made = certified(HELD)
    encoding, layout = made.encoding, made.encoding.layout
    first = layout.moves[0]
    assert first.stop is not None
    ((_, indicators),) = indicators_of(layout)
    played = (first.variables[0], first.stop, *indicators.literals)
    assert reading(encoding, *played, missing=missing).unassigned == ()
    goal, state = layout.goals.black_condition[0], layout.state.states[1][0]
    found = reading(encoding, played[0], state, goal, missing=missing)
    assert found.unassigned == tuple(sorted((goal, state)))
    assert any("which are no moves" in note for note in found.notes)
    skolem = certified(EL)
    assert problems.of(skolem.encoding, skolem.certificate, Files()).on_board.unassigned == ()


def test_where_the_rules_tell_the_position_its_atoms_are_given() -> None:
    encoding = encode(TRAILS, "gdl")
    layout = encoding.layout
    assert layout.state.lists_atoms
    black = {v for p in layout.of(Player.BLACK) for v in map(abs, p.all_variables)}
    existential = set(encoding.qbf.variables(CertificateKind.SKOLEM.decides))
    told = {abs(x) for row in layout.state.states for x in row} & existential
    assert told
    assert reading(encoding, min(told - black)).unassigned == ()
    other = min(existential - told - black)
    assert reading(encoding, min(told - black), other).unassigned == (other,)


def test_a_play_of_blocks_is_replayed_in_blocks(repository: Path) -> None:
    formula = str(repository / "certificates" / "tic.qcir")
    bare = problems.load(Files(formula, formula.replace(".qcir", ".aig"), as_blocks=True))
    assert "--bare" in shlex.split(bare.replay(("1=1",)))
    assert bare.replay(("1=1",)) == bare.replay_blocks(("1=1",))
