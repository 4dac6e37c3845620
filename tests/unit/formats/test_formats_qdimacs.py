from __future__ import annotations

import itertools
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope
from qsage_validate.errors import InputError
from qsage_validate.formats.policy import be_strict, tolerating
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.formats.qdimacs import clausal_form, parse_qdimacs, qbf_to_qdimacs, qdimacs_text
from qsage_validate.formats.writing import qcir_text
from tests.support.generated import qbfs
from tests.support.qbf_truth import qbf_truth
from tests.support.readers import read_qcir, read_qdimacs, write_qdimacs

E, A = Quantifier.EXISTS, Quantifier.FORALL


def clauses_of(qbf: Qbf) -> list[tuple[int, ...]]:
    return list(clausal_form(qbf).clauses)


def test_prefix_clauses_and_comments() -> None:
    qbf = parse_qdimacs(
        "c a comment\nc #@layout 1\np cnf 6 4\ne 1 2 0\na 3 0\ne 4 0\nc between\n"
        "1 -3 0\n-1 2\n 2 0 4 0\n0\n"
    )
    assert qbf.scopes == (Scope(E, (1, 2)), Scope(A, (3,)), Scope(E, (4,)))
    assert qbf.gates == {
        7: Gate(Connective.OR, (1, -3)),
        8: Gate(Connective.OR, (-1, 2)),
        9: Gate(Connective.OR, ()),
        10: Gate(Connective.AND, (7, 8, 4, 9)),
    }
    assert qbf.output == 10
    assert qbf.comments == ((1, " a comment"), (2, "@layout 1"), (7, " between"))


def test_free_variables_are_outermost_and_existential() -> None:
    qbf = parse_qdimacs("p cnf 4 1\na 2 0\n1 2 -4 0\n")
    assert qbf.scopes == (Scope(E, (1, 4)), Scope(A, (2,)))


def test_empty_and_neighbouring_scopes_and_unused_variables() -> None:
    qbf = parse_qdimacs("p cnf 5 1\ne 0\ne 1 0\ne 2 0\na 5 0\n1 0\n")
    assert qbf.scopes == (Scope(E, ()), Scope(E, (1,)), Scope(E, (2,)), Scope(A, (5,)))
    text = qbf_to_qdimacs(qbf)
    assert text == "p cnf 5 1\ne 1 2 0\na 5 0\n1 0\n"


def test_line_ends_of_other_systems() -> None:
    text = "c x\np cnf 3 2\ne 1 0\na 2 3 0\n1 2 0\n-3\n 1 0\n"
    assert parse_qdimacs(text.replace("\n", "\r\n")) == parse_qdimacs(text)


def test_no_clauses_is_true_and_the_empty_clause_false() -> None:
    assert parse_qdimacs("p cnf 0 0\n").truth({})
    assert not parse_qdimacs("p cnf 0 1\n0\n").truth({})


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 1, 1, "an empty file"),
        ("c only\n", 1, 7, "the end of the file, expected a header 'p cnf"),
        ("c x\np cnf 3\n1 0\n", 2, 1, "'p cnf 3', expected a header"),
        ("p dnf 1 1\n", 1, 1, "'p dnf 1 1'"),
        ("1 0\n", 1, 1, "'1 0', expected a header"),
        ("p cnf 1 1\np cnf 1 1\n1 0\n", 2, 1, "'p', expected a literal"),
        ("p cnf 2 1\na 1 0\ne 2 1 0\n1 2 0\n", 3, 5, "variable 1 again (it is in line 2)"),
        ("p cnf 2 1\ne 1 1 0\n1 2 0\n", 2, 5, "variable 1 again"),
        ("p cnf 2 1\ne 1 -2 0\n1 2 0\n", 2, 5, "-2, expected a variable"),
        ("p cnf 2 1\ne 1 0 2 0\n1 2 0\n", 2, 5, "0, expected a variable"),
        ("p cnf 2 1\ne 1\n1 2 0\n", 2, 4, "the end of a line, expected the variables"),
        ("p cnf 2 1\n1 -2147483648 0\n", 2, 3, "variable 2147483648, expected at most 1000026 (in"),
        ("p cnf 2 1\n1 2\n", 2, 4, "expected a 0 that ends the last clause"),
        ("p cnf 2 2\n1 2 0\ne 1 0\n", 3, 1, "'e', expected a literal"),
        ("p cnf 2 1\n1 --2 0\n", 2, 3, "'--2', expected"),
        ("p cnf 2 1\n1 2- 0\n", 2, 3, "'2-', expected"),
        ("p cnf 2 1\n1 -0\n", 2, 3, "'-0', expected"),
        ("p cnf 2 1\n1 - 2 0\n", 2, 3, "'-', expected"),
        ("p cnf 2 1\n1 2.5 0\n", 2, 3, "'2.5', expected"),
    ],
)
def test_errors_name_the_place(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(InputError) as error:
        parse_qdimacs(text, "file.qdimacs")
    assert message in str(error.value)
    assert (error.value.line, error.value.column) == (line, column)


FAULTS = [
    ("p cnf 2 1\ne 3 0\n1 2 0\n", "a header of 2 variables, expected 3, as in the file"),
    ("p cnf 2 1\n1 3 0\n", "a header of 2 variables, expected 3, as in the file"),
    ("p cnf 2 2\n1 2 0\n", "a header of 2 clauses, expected 1, as in the file"),
    ("p cnf 2 1\n1 2 0\n 1 0\n", "a header of 1 clause, expected 2, as in the file"),
    ("p cnf 1 0\n1 2 0\n", "a header of 1 variable and 0 clauses, expected 2 and 1, as in"),
    ("p cnf 4000000000 9000000000\n1 2 0\n", "4,000,000,000 variables and 9,000,000,000 clauses"),
]


@pytest.mark.parametrize(("text", "fault"), FAULTS)
def test_wrong_numbers_in_the_header_are_told_and_the_file_is_read(text: str, fault: str) -> None:
    told: list[str] = []
    tracemalloc.start()
    try:
        with tolerating(told.append):
            qbf = parse_qdimacs(text, "file.qdimacs")
            assert parse_qdimacs(text, "file.qdimacs") == qbf
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    (line,) = told
    assert line.startswith("file.qdimacs:1:1: found a header of ")
    assert fault in line
    there = max(v for scope in qbf.scopes for v in scope.variables)
    body = text.partition("\n")[2]
    right = f"p cnf {there} {body.count(' 0') - body.count('e ')}\n{body}"
    assert qdimacs_text(clausal_form(qbf)) == qdimacs_text(clausal_form(parse_qdimacs(right)))
    with tolerating(told.append):
        be_strict()
        with pytest.raises(InputError) as error:
            parse_qdimacs(text, "file.qdimacs")
    assert str(error.value) == line
    with pytest.warns(UserWarning, match="a header of"):
        parse_qdimacs(text)


@st.composite
def clause_sets(draw: st.DrawFn) -> tuple[str, list[tuple[int, ...]]]:
    count = draw(st.integers(1, 6))
    literal = st.integers(1, count).flatmap(lambda v: st.sampled_from((v, -v)))
    clauses = [tuple(c) for c in draw(st.lists(st.lists(literal, max_size=4), max_size=6))]
    lines = [" ".join(map(str, (*c, 0))) for c in clauses]
    prefix = f"a {' '.join(map(str, range(1, count + 1)))} 0"
    return "\n".join([f"p cnf {count} {len(clauses)}", prefix, *lines]) + "\n", clauses


@given(clause_sets())
@settings(max_examples=60)
def test_clauses_survive_reading_and_writing(case: tuple[str, list[tuple[int, ...]]]) -> None:
    text, clauses = case
    qbf = parse_qdimacs(text)
    expected = [tuple(dict.fromkeys(c)) for c in clauses if not any(-literal in c for literal in c)]
    assert clauses_of(qbf) == expected
    again = parse_qdimacs(qbf_to_qdimacs(qbf))
    assert clauses_of(again) == expected
    assert again.scopes == qbf.scopes


@given(qbf=qbfs())
@settings(max_examples=50)
def test_tseitin_keeps_every_model(qbf: Qbf) -> None:
    """Under each assignment of the variables, exactly the gates' values satisfy the clauses."""
    form = clausal_form(qbf)
    read = parse_qdimacs(qbf_to_qdimacs(qbf))
    variables = [v for scope in qbf.scopes for v in scope.variables]
    quantified = read.quantifiers()
    for gate in qbf.gates:
        assert quantified.get(gate, E) is E
    for bits in itertools.product((False, True), repeat=len(variables)):
        assignment = dict(zip(variables, bits, strict=True))
        values = qbf.evaluate(assignment)
        satisfied = all(any(values[abs(x)] == (x > 0) for x in clause) for clause in form.clauses)
        assert satisfied == qbf.truth(assignment)
        closed = {v: values.get(v, False) for v in quantified}
        assert read.truth(closed) == qbf.truth(assignment)
    assert [text for _, text in read.comments] == [text for _, text in qbf.comments]


def test_tseitin_variables_are_innermost() -> None:
    qbf = Qbf(
        scopes=(Scope(E, (1,)), Scope(A, (2,))),
        gates={5: Gate(Connective.XOR, (1, -2))},
        output=-5,
    )
    form = clausal_form(qbf)
    assert form.scopes == (Scope(E, (1,)), Scope(A, (2,)), Scope(E, (5,)))
    assert form.max_variable == 5
    assert (-5,) in form.clauses


def test_a_real_pair_of_circuit_and_clauses(shared_data: Path, tmp_path: Path) -> None:
    """The clausal form of Q-sage's circuit is, clause by clause, the one that was shipped."""
    stem = shared_data / "certificates" / "qbfcert-ascii" / "httt-4x4_5_tic"
    circuit = clausal_form(read_qcir(stem.with_suffix(".qcir")))
    clauses = clausal_form(read_qdimacs(stem.with_suffix(".qdimacs")))
    assert sorted(map(sorted, circuit.clauses)) == sorted(map(sorted, clauses.clauses))
    assert [set(s.variables) for s in circuit.scopes] == [set(s.variables) for s in clauses.scopes]
    write_qdimacs(read_qcir(stem.with_suffix(".qcir")), tmp_path / "out.qdimacs")
    assert clausal_form(read_qdimacs(tmp_path / "out.qdimacs")) == circuit


@given(qbfs())
def test_one_direction_of_each_gate_is_enough(qbf: Qbf) -> None:
    """Plaisted-Greenbaum: fewer clauses, the same truth, the same numbers."""
    full, half = clausal_form(qbf), clausal_form(qbf, polarity=True)
    assert half.max_variable == full.max_variable
    assert set(half.clauses) <= set(full.clauses)
    assert qbf_truth(parse_qdimacs(qdimacs_text(half))) is qbf_truth(qbf)
    used = {abs(x) for clause in half.clauses for x in clause}
    quantified = {v for scope in half.scopes for v in scope.variables}
    assert used <= quantified
    assert {v for scope in qbf.scopes for v in scope.variables} <= quantified


def test_directions_of_a_small_circuit() -> None:
    text = "#QCIR-G14\nexists(1, 2)\noutput(-5)\n3 = and(1, 2)\n4 = or(1, 2)\n5 = xor(3, 1)\n"
    form = clausal_form(parse_qcir(text), polarity=True)
    assert (4,) not in [scope.variables for scope in form.scopes]
    assert 4 not in {v for scope in form.scopes for v in scope.variables}
    assert set(form.clauses) == {
        (-3, 1),
        (-3, 2),
        (3, -1, -2),
        (5, -3, 1),
        (5, 3, -1),
        (-5,),
    }


@given(qbfs(), st.booleans())
def test_gates_stand_right_behind_what_they_depend_on(qbf: Qbf, polarity: bool) -> None:
    """Early placement: the same clauses and truth; no gate could stand further left."""
    form = clausal_form(qbf, polarity=polarity, placement="early")
    assert form.clauses == clausal_form(qbf, polarity=polarity).clauses
    written = parse_qdimacs(qdimacs_text(form))
    assert qbf_truth(written) is qbf_truth(qbf)
    level, quantifiers = written.levels(), written.quantifiers()
    for gate in qbf.gates.keys() & level.keys():
        inputs = [level[abs(x)] for x in qbf.gates[gate].inputs if abs(x) in level]
        innermost = max(inputs, default=0)
        universal = form.scopes[innermost].quantifier is A
        assert quantifiers[gate] is E
        assert level[gate] == innermost + universal


NAMED = "exists(row, col)\nforall(reply)\noutput(win)\nwin = or(row, hit)\nhit = and(col, -reply)\n"


def test_names_survive_clauses_in_a_table() -> None:
    text = qbf_to_qdimacs(parse_qcir(NAMED))
    assert text.startswith("c name 1 row\nc name 2 col\nc name 3 reply\nc name ")
    qbf = parse_qdimacs(text)
    assert {qbf.name(v) for v in qbf.quantifiers()} == {"row", "col", "reply", "hit", "win"}
    assert qbf.comments == ()
    assert qbf_to_qdimacs(qbf) == text
    back = parse_qcir(qcir_text(qbf))
    assert {back.name(v) for v in back.quantifiers()} == {"row", "col", "reply", "hit", "win"}
    assert qbf.by_text()["row"] == qbf.by_text()["1"] == 1
    assert "1" not in parse_qcir(NAMED).by_text()


def test_what_is_no_line_of_the_table_is_a_comment() -> None:
    text = (
        "c name 1 a\nc name 1 b\nc name 2 a\nc name 9 c\nc name 2 3\nc name 2\np cnf 2 1\n1 2 0\n"
    )
    qbf = parse_qdimacs(text)
    assert qbf.names == {1: "a"}
    assert [line for line, _ in qbf.comments] == [2, 3, 4, 5, 6]


@given(qbf=qbfs(named=True))
def test_names_and_truth_survive_clauses(qbf: Qbf) -> None:
    found = parse_qdimacs(qbf_to_qdimacs(qbf))
    assert {found.name(v) for v in found.quantifiers()} >= {
        qbf.name(v) for scope in qbf.scopes for v in scope.variables
    }
    assert qbf_truth(found) == qbf_truth(qbf)
