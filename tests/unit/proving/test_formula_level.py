"""Levels 1 and 2 as results: typed findings, evidence, and plays that can be replayed."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from qsage_validate.arena.open import open_engine
from qsage_validate.certificates.reader import parse_certificate
from qsage_validate.circuit.aig import Aig
from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope
from qsage_validate.errors import Exit, Undecided
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate, Dialect
from qsage_validate.play.match import PlayMatch
from qsage_validate.play.report import exit_code, run_script
from qsage_validate.problems.load import Files, Problem, load
from qsage_validate.proving.formula_level import check_dependencies, check_formula
from qsage_validate.proving.levels import Level
from qsage_validate.proving.run import LevelResult
from qsage_validate.system.limits import Deadline
from qsage_validate.validation.finding import Finding, FindingKind, Proved, Refuted
from tests.support.random_certificates import all_choices, certified, meaning

SAMPLES = ["tic", "hex", "evader", "connect3", "breakthrough", "domineering"]


def sample(repository: Path, name: str) -> tuple[Problem, Qbf, CircuitCertificate]:
    folder = repository / "certificates"
    problem = load(Files(str(folder / f"{name}.qcir"), str(folder / f"{name}.aig")))
    assert problem.formula is not None
    assert isinstance(problem.certificate, CircuitCertificate)
    return problem, problem.formula, problem.certificate


def negated_gate(certificate: CircuitCertificate, gate: int) -> CircuitCertificate:
    """The certificate with one input of one gate complemented."""
    aig = certificate.aig
    left = aig.fanin0.copy()
    left[gate] ^= 1
    return replace(certificate, aig=Aig(aig.num_inputs, left, aig.fanin1))


def only_finding(result: LevelResult) -> Finding:
    assert isinstance(result.verdict, Refuted)
    (finding,) = result.verdict.findings
    return finding


@pytest.mark.parametrize("name", SAMPLES)
def test_the_samples_are_proved_with_evidence(name: str, repository: Path) -> None:
    _, formula, certificate = sample(repository, name)
    first, second = check_dependencies(formula, certificate), check_formula(formula, certificate)
    assert (first.level, second.level) == (Level.DEPENDENCIES, Level.FORMULA)
    assert isinstance(first.verdict, Proved)
    assert isinstance(second.verdict, Proved)
    evidence = second.evidence
    assert evidence["certificate gates"] == certificate.aig.num_gates
    assert evidence["kind"] == certificate.kind.value
    assert isinstance(evidence["conflicts"], int)
    assert evidence["SAT calls"]
    json.dumps(second.to_dict())
    json.dumps(first.to_dict())


@given(certified())
@settings(max_examples=80)
def test_both_levels_say_what_trying_everything_says(
    case: tuple[Qbf, CircuitCertificate],
) -> None:
    formula, certificate = case
    opponent = formula.variables(certificate.kind.decides.dual)

    def lost(choice: dict[int, bool]) -> bool:
        value = meaning(formula, certificate, choice)[abs(formula.output)] != (formula.output < 0)
        return value != (certificate.kind is CertificateKind.SKOLEM)

    result = check_formula(formula, certificate, replay=" / ".join)
    # A function that peeks may still win: the levels are asked apart.
    assert isinstance(result.verdict, Proved) == (not any(map(lost, all_choices(opponent))))
    if isinstance(result.verdict, Refuted):
        finding = only_finding(result)
        assert finding.kind is FindingKind.CERTIFICATE_BEATEN
        said = dict(pair.split("=") for move in finding.moves for pair in move.split())
        choice = {v: said[str(v)] == "1" for v in opponent}
        assert lost(choice)
        values = meaning(formula, certificate, choice)
        assert said == {str(v): str(int(values[v])) for v in formula.quantifiers()}
        given_up = finding.replay.split(" / ") if finding.replay else []
        assert all(text in finding.moves for text in given_up)
    levels = formula.levels()
    for finding in check_dependencies(formula, certificate).findings:
        assert finding.kind is FindingKind.LOOKS_RIGHT
    for path in _paths(check_dependencies(formula, certificate)):
        assert levels[int(str(path["reads"]))] > levels[int(str(path["function"]))]


def _paths(result: LevelResult) -> list[dict[str, object]]:
    paths = result.evidence.get("paths", [])
    assert isinstance(paths, list)
    return paths


def test_all_functions_that_look_right_are_named_with_their_gates() -> None:
    # forall 1 exists 2 forall 3 exists 4: 2 is 3 through two gates, 4 may read both.
    formula = Qbf(
        (
            Scope(Quantifier.FORALL, (1,)),
            Scope(Quantifier.EXISTS, (2, 5)),
            Scope(Quantifier.FORALL, (3,)),
            Scope(Quantifier.EXISTS, (4,)),
        ),
        {6: Gate(Connective.OR, (2, -2, 4))},
        6,
        names={2: "early", 3: "late"},
    )
    left, right = np.array([2, 7], dtype=np.int32), np.array([4, 2], dtype=np.int32)
    certificate = CircuitCertificate(
        CertificateKind.SKOLEM, Aig(2, left, right), (1, 3), {2: 8, 5: 4, 4: 6}, Dialect.CAQE
    )
    result = check_dependencies(formula, certificate)
    assert isinstance(result.verdict, Refuted)
    assert [finding.text for finding in result.findings] == [
        "function looks right: a function of early that reads late (gates 4 > 3)",
        "function looks right: a function of 5 that reads late",
    ]
    assert result.evidence["paths"] == [
        {"function": "early", "reads": "late", "gates": [4, 3]},
        {"function": "5", "reads": "late", "gates": []},
    ]
    # Whatever they read, they win.
    assert isinstance(check_formula(formula, certificate).verdict, Proved)


@pytest.mark.parametrize("name", ["tic", "hex", "evader"])
def test_a_beaten_certificate_is_a_play_that_can_be_replayed(name: str, repository: Path) -> None:
    problem, formula, certificate = sample(repository, name)
    assert problem.layout is not None
    beaten = 0
    for gate in range(0, certificate.aig.num_gates, 17):
        wrong = replace(problem, certificate=negated_gate(certificate, gate))
        result = check_formula(
            formula,
            wrong.answering,
            layout=problem.layout,
            replay=wrong.replay,
            replay_blocks=wrong.replay_blocks,
        )
        if isinstance(result.verdict, Proved):
            continue
        finding = only_finding(result)
        beaten += 1
        assert finding.player is Player.WHITE
        assert finding.ply == len(finding.moves)
        words = shlex.split(finding.replay)
        unreadable = any(" is off the " in m or " bits say " in m for m in finding.moves[1::2])
        assert ("--bare" in words) == unreadable
        match = PlayMatch(open_engine(wrong.on_board.blocks() if unreadable else wrong))
        # The play, with the certificate's own answers, shows that something is wrong.
        assert run_script(match, words[words.index("--moves") + 1]) is None
        assert exit_code(match) is Exit.REFUTED
    assert beaten >= 2


def test_a_claim_and_an_illegal_move_end_the_play(repository: Path) -> None:
    problem, formula, certificate = sample(repository, "tic")
    texts = set()
    for gate in range(certificate.aig.num_gates):
        result = check_formula(formula, negated_gate(certificate, gate), layout=problem.layout)
        for finding in result.findings:
            for text in finding.moves[:-1]:
                assert "!" not in text
            texts.add(finding.moves[-1].partition(" ")[2])
        if {"", "!stop", "!illegal"} <= texts:
            return
    raise AssertionError(f"no gate leads to all three, but to {texts}")


@pytest.mark.parametrize("name", ["tic", "domineering"])
def test_the_finding_does_not_depend_on_the_number_of_processes(
    name: str, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from qsage_validate.certificates import check
    from qsage_validate.circuit import cubes

    def eager(*arguments: object, **options: object) -> object:
        splitting = cubes.Splitting(small=0, inputs=2, conflicts=0, parallel=0)
        return cubes.satisfy_by_cubes(*arguments, **options, splitting=splitting)  # type: ignore[arg-type]

    monkeypatch.setattr(check, "satisfy_by_cubes", eager)
    problem, formula, certificate = sample(repository, name)
    wrong = negated_gate(certificate, certificate.aig.num_gates - 3)
    one = check_formula(formula, wrong, layout=problem.layout)
    two = check_formula(formula, wrong, layout=problem.layout, jobs=2)
    assert isinstance(one.verdict, Refuted)
    assert one.verdict == two.verdict
    assert one.evidence == two.evidence


def test_time_and_clauses_that_say_too_little_are_undecided(repository: Path) -> None:
    _, formula, certificate = sample(repository, "tic")
    late = check_formula(formula, certificate, deadline=Deadline.after(0))
    assert late.verdict == Undecided("no answer within 0 seconds")
    echo = Qbf(
        (Scope(Quantifier.FORALL, (1, 2)), Scope(Quantifier.EXISTS, (3,))),
        {4: Gate(Connective.XOR, (3, -1))},
        4,
    )
    circular = parse_certificate(
        b"p cnf 6 4\nc Model for variable 3.\n-3 6 0\n3 -6 0\n"
        b"c Model for variable 5.\n-6 3 0\n6 -3 0\n"
    )
    for check in (check_dependencies, check_formula):
        result = check(echo, circular)
        assert isinstance(result.verdict, Undecided)
        assert "cannot be read as definitions" in result.verdict.why
    contradictory = parse_certificate(
        b"p cnf 3 3\nc Model for variable 3.\n3 -1 0\n-3 1 0\n-3 -2 0\n"
    )
    finding = only_finding(check_formula(echo, contradictory))
    assert finding.kind is FindingKind.CERTIFICATE_SILENT
    assert "the clauses of 3 contradict each other under 1 2" in finding.text
