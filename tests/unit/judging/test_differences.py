"""A difference comes with its board and with gates that are enough, and several in groups."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope
from qsage_validate.circuit.rewriting import residual
from qsage_validate.games.languages import load_game
from qsage_validate.games.registry import find_command
from qsage_validate.judging.judged import judge_formula
from qsage_validate.judging.positions import comment_above, deciding_gates, gate_lines
from qsage_validate.judging.residuals import stages_of, trimmed
from qsage_validate.render.console import finding_lines, group_lines
from qsage_validate.system.limits import Deadline
from qsage_validate.validation.finding import Finding, Refuted
from tests.support.places import SAMPLES
from tests.support.random_qbf import truth
from tests.support.readers import read_qcir


def _formula(random: Random) -> Qbf:
    """A circuit with all connectives over four scopes of two variables."""
    scopes = tuple(Scope(random.choice(tuple(Quantifier)), (k, k + 1)) for k in range(1, 9, 2))
    gates: dict[int, Gate] = {}
    arities = {Connective.XOR: 2, Connective.ITE: 3}
    for number in range(9, 9 + random.randint(3, 9)):
        kind = random.choice(tuple(Connective))
        arity = arities.get(kind, random.randint(1, 3))
        inputs = [random.choice((1, -1)) * random.randint(1, number - 1) for _ in range(arity)]
        gates[number] = Gate(kind, tuple(inputs))
    return Qbf(scopes, gates, random.choice((1, -1)) * max(gates))


def _only(formula: Qbf, values: dict[int, bool], kept: set[int]) -> Qbf:
    """The formula in which gates but ``kept`` may be anything, from where they stand."""
    stages, gates = stages_of(formula, values)
    scopes: list[Scope] = []
    for (quantifier, variables), own in zip(stages, gates, strict=True):
        loose = tuple(number for number in own if number not in kept)
        scopes += [Scope(quantifier, variables), Scope(Quantifier.EXISTS, loose)]
    left = {number: gate for number, gate in formula.gates.items() if number in kept}
    whole = replace(formula, scopes=tuple(s for s in scopes if s.variables), gates=left)
    return residual(whole, values)


def test_the_gates_are_enough_and_none_is_too_many() -> None:
    random = Random(5)
    cores = 0
    for _ in range(150):
        formula = trimmed(_formula(random))
        values = {v: random.random() < 0.5 for v in (1, 2)}
        left = residual(formula, values)
        core = set(deciding_gates(formula, values))
        if truth(left):
            assert not core
            continue
        asked = set(left.gates if set(left.gates) - {abs(left.output)} else formula.gates)
        sure = set(formula.gates) - asked
        assert core <= asked
        assert not truth(_only(formula, values, core | sure))
        assert all(truth(_only(formula, values, (core - {g}) | sure)) for g in core)
        cores += bool(core) and core < asked
    assert cores > 10


def test_no_gates_after_the_deadline() -> None:
    scope = Scope(Quantifier.EXISTS, (1,))
    formula = Qbf((scope,), {2: Gate(Connective.AND, (1, -1))}, 2)
    assert deciding_gates(formula, {}) == (2,)
    assert deciding_gates(formula, {}, Deadline.after(0)) == ()


def test_gates_have_the_line_and_the_comment_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "f.qcir"
    path.write_text(
        "#QCIR-G14\nexists(x)\noutput(b)\n# the first\n# condition:\na = and(x)\n\n b = or(a)\n"
    )
    formula = read_qcir(path)
    names = {formula.name(gate): gate for gate in formula.gates}
    assert gate_lines(formula, names.values()) == {names["a"]: 6, names["b"]: 8}
    assert comment_above(formula, 8) == "the first condition"
    assert comment_above(formula, 4) == ""
    path.unlink()
    assert gate_lines(formula, names.values()) == {}


def _differences(most: int, output: int = 0) -> tuple[Finding, ...]:
    formula = read_qcir(SAMPLES / "puzzle-wrong.qcir")
    game = load_game(find_command([str(SAMPLES / "puzzle.pg")]))
    right = read_qcir(SAMPLES / "puzzle.qcir")
    layout = judge_formula(right, game).layout
    if output:
        formula = replace(right, gates={**right.gates, abs(right.output): Gate(Connective.AND, ())})
    verdict = judge_formula(formula, game, layout, most_differences=most).verdict
    assert isinstance(verdict, Refuted)
    return verdict.findings


def test_a_difference_shows_the_board_and_the_fault() -> None:
    """The encoder forgets Black's stones of the start."""
    (finding,) = _differences(1)
    lines = list(finding_lines(finding))
    assert lines[:4] == ["play: a2 b2", "    a b c", "    ----- Black", "1 \\ B W . \\"]
    assert any("Black's stones of the start: " in line for line in lines)
    assert finding.board is not None
    told = finding.to_dict()
    assert told["position"] == "BW./BWW/... ply 3"
    assert len(finding.gates) == len(told["gates"]) > 0  # type: ignore[arg-type]


def test_a_formula_that_is_true_has_no_gates_that_decide() -> None:
    (finding,) = _differences(1, output=1)
    assert "the formula is true" in finding.text
    assert not finding.gates
    assert "it is true by its own choices, and no gates alone decide that" in finding_lines(finding)


def test_differences_are_grouped_by_the_last_move() -> None:
    findings = _differences(12)
    assert len(findings) == 12
    lines = list(group_lines(findings))
    assert lines[:3] == ["2 plies, White's last move b2: 2", "  a2 b2", "  a3 b2"]
    assert "3 plies, Black's last move a3: 4" in lines
    assert sum(line.startswith("  ") for line in lines) == 12


def test_the_shortest_play_is_among_several() -> None:
    """Its value follows from longer plays, and is asked for all the same."""
    (shortest,) = _differences(1)
    assert _differences(5)[0].text == shortest.text
