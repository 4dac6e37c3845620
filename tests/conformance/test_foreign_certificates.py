"""Certificates of other tools with Q-sage's formulas, held against each other and the rules."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from qsage_validate.certificates.check import (
    CertificateProved,
    CertificateRefuted,
    CertificateUndecided,
    check,
)
from qsage_validate.certificates.definitions import definitions
from qsage_validate.certificates.oracle import Oracle
from qsage_validate.certificates.reader import parse_certificate, read_certificate
from qsage_validate.certificates.sat_oracle import SatOracle
from qsage_validate.certificates.simulation_oracle import SimulationOracle
from qsage_validate.certificates.writer import certificate_bytes
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.foreign import find_meta, layout_from_meta
from qsage_validate.encodings.layout import Bits, Layout, Ply, value_bits
from qsage_validate.errors import InputError
from qsage_validate.formats.meta import read_meta
from qsage_validate.formats.qdimacs import parse_qdimacs, qbf_to_qdimacs
from qsage_validate.games.bddl.ground import BddlMove
from qsage_validate.games.bddl.parser import read_model
from qsage_validate.games.bddl.rules import BddlGame, BddlPosition
from qsage_validate.games.protocol import BoardPicture, Player
from qsage_validate.kernel.certificate import (
    Certificate,
    CertificateKind,
    CircuitCertificate,
    Dialect,
    dont_cares,
)
from qsage_validate.system.limits import Deadline
from tests.support.plies import indicators_of
from tests.support.random_certificates import pedant_text
from tests.support.readers import read_qcir, read_qdimacs


@dataclass(frozen=True)
class Case:
    """A certificate with its formula (if there is one), and the game's rules in BDDL files."""

    certificate: str
    formula: str | None
    dialect: Dialect
    game: str
    kind: CertificateKind = CertificateKind.SKOLEM
    open: tuple[int, ...] = ()

    def __str__(self) -> str:
        return self.certificate


def quabs(
    name: str, suffix: str, game: str, kind: CertificateKind = CertificateKind.SKOLEM
) -> Case:
    return Case(f"quabs/{name}.{suffix}", f"quabs/{name}.qcir", Dialect.CAQE, game, kind)


TIC, EL, DOMINO = "httt/4x4_5_tic.ig", "httt/3x3_5_el.ig", "httt/3x3_3_domino.ig"
CIRCUITS = [
    quabs("httt-3x3_3_domino", "aag", DOMINO),
    quabs("httt-3x3_3_domino", "aig", DOMINO),
    quabs("connect-c-3x3_3_connect2", "aag", "connect-c/3x3_3_connect2.ig"),
    quabs("connect-c-3x3_3_connect2", "aig", "connect-c/3x3_3_connect2.ig"),
    quabs("domineering-2x2_2", "aag", "domineering/2x2_2.ig"),
    quabs("domineering-2x2_2", "aig", "domineering/2x2_2.ig"),
    quabs("domineering__4x2_5", "aig", "domineering/4x2_5.ig", CertificateKind.HERBRAND),
    quabs("hex__hein_12_4x4-07", "aig", "hex/hein_12_4x4-07.pg"),
    quabs("httt-3x3_5_el", "aig", EL),
    quabs("httt-4x4_5_tic", "aig", TIC),
    Case(
        "qbfcert-ascii/httt-4x4_5_tic.aag",
        "qbfcert-ascii/httt-4x4_5_tic.qcir",
        Dialect.QBFCERT_ASCII,
        TIC,
        open=(34,),
    ),
]
CLAUSES = [
    Case("pedant-cnf/httt_4_4_tic/certificate.cnf", None, Dialect.PEDANT, TIC),
    Case("pedant-cnf/httt_3_3_el_grounded/certificate.cnf", None, Dialect.PEDANT, EL),
]
# The same circuits are there in both forms of AIGER: one is asked what takes long.
ONCE = [c for c in CIRCUITS if c.certificate.endswith(".aig") or c.dialect is not Dialect.CAQE]
by_certificate = pytest.mark.parametrize("case", ONCE, ids=str)


@cache
def load(folder: Path, case: Case) -> tuple[Certificate, Qbf | None, Layout]:
    path = folder / "certificates" / case.certificate
    formula = None if case.formula is None else read_qcir(folder / "certificates" / case.formula)
    certificate = read_certificate(path, formula)
    meta = find_meta(path)
    assert meta is not None
    decided = None if isinstance(certificate, CircuitCertificate) else certificate.defined
    return certificate, formula, layout_from_meta(read_meta(meta), formula, decided)


def load_circuit(folder: Path, case: Case) -> tuple[CircuitCertificate, Qbf, Layout]:
    certificate, formula, layout = load(folder, case)
    assert isinstance(certificate, CircuitCertificate)
    assert formula is not None
    return certificate, formula, layout


@pytest.mark.parametrize("case", CIRCUITS + CLAUSES, ids=str)
def test_the_dialect_is_recognised(shared_data: Path, case: Case) -> None:
    certificate, formula, _ = load(shared_data, case)
    assert certificate.dialect is case.dialect
    assert certificate.kind is case.kind
    assert certificate.recognised
    if formula is not None:
        assert dont_cares(certificate, formula) == case.open


@pytest.mark.parametrize("case", [c for c in CIRCUITS if c not in ONCE], ids=str)
def test_both_forms_of_aiger_are_one_circuit(shared_data: Path, case: Case) -> None:
    ascii_form, *_ = load_circuit(shared_data, case)
    name = case.certificate.replace(".aag", ".aig")
    binary_form, *_ = load_circuit(shared_data, replace(case, certificate=name))
    assert ascii_form.functions == binary_form.functions
    assert np.array_equal(ascii_form.aig.fanin0, binary_form.aig.fanin0)
    assert np.array_equal(ascii_form.aig.fanin1, binary_form.aig.fanin1)


@by_certificate
def test_the_certificate_is_proved(shared_data: Path, case: Case) -> None:
    certificate, formula, _ = load_circuit(shared_data, case)
    result = check(formula, certificate, deadline=Deadline.after(120))
    assert isinstance(result, CertificateProved), str(result)
    assert result.dont_cares == case.open


def test_a_certificate_of_the_clausal_form_wins(shared_data: Path) -> None:
    """Of the circuit it is proved above; of the clauses it satisfies all under any choice."""
    folder = shared_data / "certificates" / "qbfcert-ascii"
    formula = read_qdimacs(folder / "httt-4x4_5_tic.qdimacs")
    certificate = read_certificate(folder / "httt-4x4_5_tic.aag", formula)
    assert isinstance(certificate, CircuitCertificate)
    assert len(certificate.functions) == 425
    assert not certificate.extra
    simulation = SimulationOracle(certificate, formula)
    generator = random.Random(5)
    choices = [{v: generator.random() < 0.5 for v in simulation.opponent} for _ in range(500)]
    assert simulation.many(choices, [abs(formula.output)]).all() == (formula.output > 0)


@by_certificate
def test_sat_and_simulation_agree(shared_data: Path, case: Case) -> None:
    certificate, formula, _ = load_circuit(shared_data, case)
    simulation = SimulationOracle(certificate, formula)
    generator = random.Random(str(case))
    choices = [{v: generator.random() < 0.5 for v in simulation.opponent} for _ in range(30)]
    wanted = [*formula.quantifiers(), *formula.gates]
    wanted += [v for v in certificate.extra if v not in formula.gates]
    expected = simulation.many(choices, wanted)
    for simplify in (False, True):
        with SatOracle(certificate, formula, simplify=simplify) as oracle:
            assert np.array_equal(oracle.many(choices, wanted), expected)
    # A proved certificate wins whatever the opponent does.
    output = expected[:, wanted.index(abs(formula.output))] != (formula.output < 0)
    assert (output == (case.kind is CertificateKind.SKOLEM)).all()


@pytest.mark.parametrize("case", CLAUSES, ids=str)
def test_clauses_answer_like_the_circuit_that_they_define(shared_data: Path, case: Case) -> None:
    certificate, _, layout = load(shared_data, case)
    assert not isinstance(certificate, CircuitCertificate)
    read = definitions(certificate)
    assert not any(read.contradictions.values())
    assert not any(read.openings.values())
    simulation = SimulationOracle(read.circuit)
    with SatOracle(certificate) as oracle:
        assert oracle.opponent == simulation.opponent
        generator = random.Random(str(case))
        choices = [{v: generator.random() < 0.5 for v in oracle.opponent} for _ in range(30)]
        wanted = sorted(certificate.defined)
        values = oracle.many(choices, wanted)
        assert np.array_equal(values, simulation.many(choices, wanted))
        assert layout.verdict is not None
        assert values[:, wanted.index(layout.verdict)].all()


def test_clauses_of_a_real_circuit_are_proved(shared_data: Path) -> None:
    case = CIRCUITS[0]
    certificate, formula, _ = load_circuit(shared_data, case)
    text = pedant_text(certificate, formula.max_variable + 1)
    clauses = parse_certificate(text.encode(), formula)
    assert clauses.dialect is Dialect.PEDANT
    assert isinstance(check(formula, clauses, deadline=Deadline.after(120)), CertificateProved)
    damaged = text.replace(" 0\n", " -8 0\n", 1)
    assert isinstance(
        check(formula, parse_certificate(damaged.encode(), formula), deadline=Deadline.after(120)),
        CertificateRefuted | CertificateUndecided,
    )


@pytest.mark.parametrize("case", [CIRCUITS[0], CIRCUITS[6], CIRCUITS[7]], ids=str)
@pytest.mark.parametrize("dialect", [Dialect.CAQE, Dialect.QBFCERT_ASCII, Dialect.QBFCERT_BINARY])
def test_translations_stay_proved(shared_data: Path, case: Case, dialect: Dialect) -> None:
    certificate, formula, _ = load_circuit(shared_data, case)
    binary = dialect is Dialect.QBFCERT_BINARY
    data = certificate_bytes(certificate, formula, dialect=dialect, binary=binary)
    back = parse_certificate(data, formula)
    assert (back.dialect, back.kind) == (dialect, case.kind)
    assert isinstance(check(formula, back, deadline=Deadline.after(120)), CertificateProved)


def test_a_certificate_of_another_formula_is_refused(shared_data: Path) -> None:
    folder = shared_data / "certificates" / "quabs"
    refused = 0
    for path in sorted(folder.glob("*.aig")):
        for formula in sorted(folder.glob("*.qcir")):
            if formula.stem != path.stem:
                try:
                    other = read_certificate(path, read_qcir(formula))
                except InputError:
                    refused += 1
                else:
                    # El's and Tic's variables have the same quantifiers here and there.
                    assert not isinstance(check(read_qcir(formula), other), CertificateProved)
    assert refused > 30


# --- Layouts, held against the rules --------------------------------------------------------


def rules(folder: Path, case: Case) -> BddlGame:
    problem = folder / "bddl" / case.game
    return BddlGame(read_model(problem.parent / "domain.ig", problem))


def bits(literals: Bits, number: int) -> dict[int, bool]:
    values = value_bits(number, len(literals))
    return {abs(v): b != (v < 0) for v, b in zip(literals, values, strict=True)}


class Reading:
    """Reads a play through layout and oracle, plainly and one question at a time."""

    def __init__(self, layout: Layout, oracle: Oracle) -> None:
        self.layout = layout
        self.oracle = oracle

    def value(self, choice: dict[int, bool], literal: int) -> bool:
        return self.oracle.values(choice, [abs(literal)])[abs(literal)] != (literal < 0)

    def number(self, choice: dict[int, bool], literals: Bits) -> int:
        number = 0
        for literal in literals:
            number = 2 * number + self.value(choice, literal)
        return number

    def variables(self, move: BddlMove, own: Ply) -> dict[int, bool]:
        action = self.layout.actions[own.player].index(move.action)
        return {**bits(own.action, action), **bits(own.x, move.x - 1), **bits(own.y, move.y - 1)}

    def reply(self, choice: dict[int, bool], own: Ply) -> BddlMove:
        names = self.layout.actions[own.player]
        action = names[self.number(choice, own.action) if len(names) > 1 else 0]
        x = self.number(choice, own.x) if self.layout.state.size[0] > 1 else 0
        y = self.number(choice, own.y) if self.layout.state.size[1] > 1 else 0
        return BddlMove(action, x + 1, y + 1)

    def board(self, choice: dict[int, bool], plies: int) -> BoardPicture:
        state = self.layout.state
        (first, second), (width, height) = state.states[plies], state.size
        assert state.code is not None
        squares = []
        for y in range(height):
            for x in range(width):
                at = {**choice, **bits(state.x, x), **bits(state.y, y)}
                squares.append(state.code.decode(self.value(at, first), self.value(at, second)))
        return BoardPicture(width, height, tuple(squares))


def play_white(case: Case, game: BddlGame, reading: Reading, generator: random.Random) -> None:
    """One random play of White's against a Skolem certificate, every step compared."""
    layout = reading.layout
    choice: dict[int, bool] = {}
    position: BddlPosition = game.initial
    for own in layout.moves:
        assert reading.board(choice, own.ply - 1) == position.board
        if position.outcome is not None:
            break
        assert position.to_move is own.player
        if own.player is Player.BLACK:
            move = reading.reply(choice, own)
            assert position.illegality(move) is None, f"{move} at {position.board}"
        else:
            indicators = own.indicators
            assert indicators is not None
            literals = [*indicators.preconditions]
            literals += [] if indicators.bounds is None else [indicators.bounds]
            for candidate in game.moves(Player.WHITE):
                tried = choice | reading.variables(candidate, own)
                says = all(reading.value(tried, literal) for literal in literals)
                assert says == (position.illegality(candidate) is None), str(candidate)
                gate = layout.gates.get(f"white {own.ply} legal")
                assert gate is None or reading.value(tried, gate) == says
            move = generator.choice(list(position.legal_moves()))
            choice |= reading.variables(move, own)
        position = position.play(move)
        if own.stop is not None and own.player is Player.BLACK:
            # Black stops only where it has reached its goal.
            assert not reading.value(choice, own.stop) or position.outcome is not None
    outcome = position.outcome
    assert outcome is not None
    assert outcome.winner is Player.BLACK
    assert layout.verdict is not None
    assert reading.value(choice, layout.verdict)


@pytest.mark.parametrize(
    "case", [c for c in ONCE + CLAUSES if c.kind is CertificateKind.SKOLEM], ids=str
)
def test_random_plays_follow_the_rules(shared_data: Path, case: Case) -> None:
    certificate, formula, layout = load(shared_data, case)
    game = rules(shared_data, case)
    assert layout.plies == game.plies
    assert layout.state.size == (
        game.model.problem.width,
        game.model.problem.height,
    )
    for player in Player:
        names = [action.name for action in game.model.domain.actions(player)]
        assert list(layout.actions[player]) == names
    with SatOracle(certificate, formula, simplify=True) as oracle:
        reading = Reading(layout, oracle)
        generator = random.Random(str(case))
        for _ in range(2):
            play_white(case, game, reading, generator)


def test_a_herbrand_certificate_plays_white_by_the_rules(shared_data: Path) -> None:
    case = CIRCUITS[6]
    certificate, formula, layout = load_circuit(shared_data, case)
    game = rules(shared_data, case)
    generator = random.Random(1)
    reading = Reading(layout, SimulationOracle(certificate, formula))
    held = 0
    for _ in range(20):
        choice: dict[int, bool] = {}
        position: BddlPosition = game.initial
        for own in layout.moves:
            if position.outcome is not None:
                break
            if own.player is Player.WHITE:
                # White's functions read Black's indicators: say that all is well.
                move = reading.reply(choice, own)
                assert position.illegality(move) is None, f"{move} at {position.board}"
                indicators = own.indicators
                assert indicators is not None
                assert indicators.bounds is not None
                choice |= dict.fromkeys((indicators.bounds, *indicators.preconditions), True)
            else:
                move = generator.choice(list(position.legal_moves()))
                choice |= reading.variables(move, own)
            position = position.play(move)
        assert position.outcome is not None
        assert position.outcome.winner is Player.WHITE
        held += 1
    assert held == 20


@pytest.mark.parametrize("case", CIRCUITS[:1] + CIRCUITS[2:3] + CIRCUITS[4:5], ids=str)
def test_the_clausal_form_has_the_same_moves(shared_data: Path, case: Case) -> None:
    _, formula, layout = load_circuit(shared_data, case)
    clausal = parse_qdimacs(qbf_to_qdimacs(formula))
    meta = find_meta(shared_data / "certificates" / case.certificate)
    assert meta is not None
    found = layout_from_meta(read_meta(meta), clausal)
    assert found.moves == layout.moves
    assert found.state == layout.state
    assert found.gates == layout.gates


def test_a_flipped_gate_is_found(shared_data: Path) -> None:
    certificate, formula, _ = load_circuit(shared_data, CIRCUITS[0])
    aig = certificate.aig
    live = np.flatnonzero(aig.cone(list(certificate.functions.values()))).tolist()
    refuted = 0
    for gate in random.Random(3).sample(live, 20):
        left = aig.fanin0.copy()
        left[gate] ^= 1
        flipped = replace(certificate, aig=replace(aig, fanin0=left))
        result = check(formula, flipped, deadline=Deadline.after(120))
        if isinstance(result, CertificateRefuted):
            refuted += 1
            assert result.choice is not None
            functions = SimulationOracle(flipped).values(
                {v: result.choice[v] for v in certificate.inputs}, list(certificate.functions)
            )
            assert not formula.truth({**result.choice, **functions})
        else:
            # QuAbS's circuits are redundant: some gates make no difference.
            assert isinstance(result, CertificateProved)
    assert refuted >= 5


def test_layouts_are_what_the_files_were_seen_to_mean(shared_data: Path) -> None:
    layouts = {case.certificate: load(shared_data, case)[2] for case in CIRCUITS + CLAUSES}

    def stops(name: str) -> list[int | None]:
        return [move.stop for move in layouts[name].moves]

    assert stops("quabs/httt-4x4_5_tic.aig") == [6, 14, 20, 28, None]
    assert stops("quabs/hex__hein_12_4x4-07.aig") == [6, None, 19, None, 32, None, None]
    assert stops("quabs/domineering-2x2_2.aig") == [4, None]
    assert stops("pedant-cnf/httt_4_4_tic/certificate.cnf") == [6, None, 19, None, None]
    connect = layouts["quabs/connect-c-3x3_3_connect2.aig"]
    assert [m.action for m in connect.moves] == [(1,), (7,), (16,)]
    assert connect.actions[Player.WHITE] == ("occupy", "occupy-bottom")
    ((_, indicators),) = indicators_of(connect)
    assert indicators.preconditions == (13, 14)
    hexagons = layouts["quabs/hex__hein_12_4x4-07.aig"]
    assert (hexagons.state.x, hexagons.state.y) == ((49, 50, 51), ())
    assert hexagons.goals.black_condition == (46, 47, 48)
    assert hexagons.goals.black_x == ()
    tic = layouts["qbfcert-ascii/httt-4x4_5_tic.aag"]
    assert tic.gates == {"white 2 legal": 123, "white 4 legal": 189}
    goals = tic.goals
    assert (goals.black_condition, goals.black_x, goals.black_y) == ((35,), (36, 37), (38, 39))
    assert (goals.white_x, goals.white_y, goals.white_condition) == ((40, 41), (42, 43), (44,))
    assert goals.counterexample == (45, 46, 47)
    assert tic.verdict == 445
    assert layouts["pedant-cnf/httt_3_3_el_grounded/certificate.cnf"].verdict == 347
