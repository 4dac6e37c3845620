from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings

from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope
from qsage_validate.errors import InputError
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.formats.writing import qcir_text
from tests.support.generated import qbfs
from tests.support.readers import read_qcir

E, A = Quantifier.EXISTS, Quantifier.FORALL


def test_a_cleansed_file_keeps_its_numbers() -> None:
    qbf = parse_qcir(
        "#QCIR-G14 9\n# layout\nexists(1, 4)\nexists(7)\nforall(3)\noutput(-9)\n"
        "5 = and(1, -3)\n#@x\n9 = or(5, -4, 7)\n"
    )
    assert qbf.scopes == (Scope(E, (1, 4)), Scope(E, (7,)), Scope(A, (3,)))
    assert qbf.merged_scopes() == (Scope(E, (1, 4, 7)), Scope(A, (3,)))
    assert qbf.gates == {
        5: Gate(Connective.AND, (1, -3)),
        9: Gate(Connective.OR, (5, -4, 7)),
    }
    assert qbf.output == -9
    assert qbf.names == {}
    assert qbf.comments == ((2, " layout"), (8, "@x"))


def test_names_blanks_comments_and_cases() -> None:
    qbf = parse_qcir(
        "Exists( p ,\n # in the middle\n q_1 )FORALL(Z)\n output ( - g ) # out\n"
        "t=AND() g = Ite(- p, t,\tZ) # end"
    )
    numbers = {name: number for number, name in qbf.names.items()}
    assert list(numbers) == ["p", "q_1", "Z", "g", "t"]
    assert sorted(qbf.names) == [1, 2, 3, 4, 5]
    assert qbf.scopes == (Scope(E, (1, 2)), Scope(A, (3,)))
    assert qbf.gates[4] == Gate(Connective.ITE, (-1, 5, 3))
    assert qbf.output == -4
    assert qbf.comments == ((2, " in the middle"), (4, " out"), (5, " end"))


def test_named_gates_follow_the_numbers_of_a_mixed_file() -> None:
    qbf = parse_qcir("exists(4, x, 2)\noutput(g)\ng = xor(x, 007)\n007 = or(4, 2)\n")
    assert qbf.names == {5: "x", 6: "g", 7: "007"}


def test_an_absurd_number_is_a_name() -> None:
    qbf = parse_qcir("exists(4000000000, 3)\noutput(4000000000)\n")
    assert qbf.scopes == (Scope(E, (4, 3)),)
    assert qbf.names == {4: "4000000000"}
    assert parse_qcir(qcir_text(qbf)) == qbf


def test_free_variables_are_outermost_and_existential() -> None:
    qbf = parse_qcir("free(1)\nforall(2)\noutput(3)\n3 = or(1, 2)\n")
    assert qbf.scopes == (Scope(E, (1,)), Scope(A, (2,)))


def test_constants_and_an_output_that_is_a_variable() -> None:
    qbf = parse_qcir("forall(1)\noutput(1)\n2 = and()\n3 = or( )\n")
    assert qbf.output == 1
    assert (qbf.gates[2].inputs, qbf.gates[3].inputs) == ((), ())


def test_gates_out_of_order_are_sorted() -> None:
    qbf = parse_qcir("exists(1)\noutput(2)\n2 = and(3, 4)\n4 = or(3, 1)\n3 = and(1)\n")
    assert list(qbf.gates) == [3, 4, 2]


def test_deep_circuits_in_reverse_need_no_recursion() -> None:
    depth = 20_000
    gates = [f"{k} = and({k - 1})" for k in range(2, depth)]
    text = "\n".join(["exists(1)", f"output({depth - 1})", *reversed(gates)])
    qbf = parse_qcir(text)
    assert list(qbf.gates) == list(range(2, depth))
    assert qbf.truth({1: True})


def test_line_ends_of_other_systems() -> None:
    text = "#QCIR-G14 3\n# a\nexists(1)\nforall(2)\noutput(3)\n3 = and(1,\n2) # b\n"
    assert parse_qcir(text.replace("\n", "\r\n")) == parse_qcir(text)


P = "exists(1)\nforall(2)\n"


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 1, 1, "found an empty file"),
        ("# nothing\n", 1, 10, "found the end of the file, expected a statement 'output"),
        (P, 2, 10, "expected a statement 'output(literal)'"),
        (P + "output(3)\n", 3, 8, "'3', which is neither quantified nor a gate"),
        (P + "output(1)\noutput(1)\n", 4, 1, "a second output"),
        (P + "output(1, 2)\n", 3, 1, "an output of 2 literals"),
        (P + "output()\n", 3, 1, "an output of 0 literals"),
        (P + "output(3)\n3 = and(1, 4)\n", 4, 12, "'4', which is neither"),
        (P + "output(3)\n3 = and(1,  -4)\n", 4, 13, "'4', which is neither"),
        (P + "output(3)\n3 = and(1)\n3 = or(2)\n", 5, 1, "'3', which is a gate of line 4"),
        (P + "output(2)\n2 = and(1)\n", 4, 1, "'2', which is a variable of line 2"),
        ("exists(1)\nforall(2, 1)\noutput(1)\n", 2, 11, "'1' again (it is in line 1)"),
        ("exists(1, 1)\noutput(1)\n", 1, 11, "'1' again"),
        ("exists(-1)\noutput(1)\n", 1, 8, "'-1', expected a variable"),
        (P + "output(3)\n3 = xor(1)\n", 4, 5, "found xor of 1 literal, expected 2"),
        (P + "output(3)\n3 = ite(1, 2)\n", 4, 5, "found ite of 2 literals, expected 3"),
        (P + "output(3)\n3 = nand(1, 2)\n", 4, 5, "'nand', expected and, or, xor or ite"),
        (P + "output(3)\n3 = and(1, 2\n", 4, 13, "the end of the file, expected ')'"),
        (P + "output(3)\n3 = and(1, 2)\nrubbish\n", 5, 8, "expected '=' or '('"),
        (P + "output(3)\n3 = and(1, 2))\n", 4, 14, "')', expected a statement"),
        (P + "output(3)\n3 = and(1,, 2)\n", 4, 11, "',', expected a variable"),
        (P + "output(3)\n3 = and(1, )\n", 4, 12, "')', expected a variable"),
        (P + "output(3)\n3 = and(1 2)\n", 4, 9, "'1 2', expected a variable"),
        (P + "output(3)\n3 = and(--1)\n", 4, 9, "'--1', expected a variable"),
        (P + "output(3)\n3 = and(1, (2))\n", 4, 12, "'(', expected ')'"),
        (P + "output(3)\n3 and(1, 2)\n", 4, 3, "'and', expected '=' or '('"),
        (P + "output(3)\n3 = 1\n", 4, 5, "'1', expected and, or, xor or ite"),
        (P + "output(3)\nxor(1, 2)\n", 4, 1, "'xor', expected exists, forall"),
        (P + "output(3)\n3 = and(4)\n4 = or(3)\n", 4, 1, "'3', which depends on itself"),
        (P + "output(3)\n3 = and(3)\n", 4, 1, "'3', which depends on itself"),
        (P + "output(3)\n3 = and(1)\nexists(4)\n", 5, 1, "'exists' behind a gate"),
        (P + "free(3)\noutput(1)\n", 3, 1, "'free' behind a quantifier"),
        (P + "output(3)\n3 = exists(4; 4)\n5 = and(4)\n6 = or(3, 5)\noutput(6)", 7, 1, "second"),
        (P + "output(6)\n3 = exists(4; 4)\n5 = and(1, 4)\n6 = or(3, 5)\n", 5, 12, "'4', which not"),
        (P + "output(3)\n3 = exists(4; 5)\n", 4, 15, "'5', which is neither quantified"),
        (P + "output(4)\n3 = exists(4; 4)\n", 3, 8, "'4', which is neither quantified"),
        (P + "output(3)\n3 = Forall(x, -y; 1)\n", 4, 15, "'-y', expected a variable"),
        (P + "output(3)\n3 = forall(x, x; 1)\n", 4, 15, "'x' again, expected variables that are"),
        (P + "output(3)\n3 = forall(3; 1)\n", 4, 12, "the gate '3', expected variables that are"),
        (P + "output(3)\n3 = exists(4)\n", 4, 13, "')', expected ';' and the literal"),
        (P + "output(3)\n3 = exists(4; 1, 2)\n", 4, 16, "',', expected ')'"),
        (P + "output(3)\n3 = exists(4; 1; 2)\n", 4, 16, "';', expected ')'"),
        (P + "output(3)\n3 = exists(4; )\n", 4, 15, "')', expected a variable or"),
        (P + "output(3)\n3 = exists(4, ; 1)\n", 4, 15, "';', expected a variable or"),
        (P + "output(3)\n3 = exists(4; 3)\n", 4, 1, "'3', which depends on itself"),
        (P + "output(3)\n3 = and(1; 2)\n", 4, 10, "';', expected ',' or ')'"),
        ("p cnf 1 1\n1 0\n", 1, 3, "'cnf', expected '=' or '('"),
    ],
)
def test_errors_name_the_place(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(InputError) as error:
        parse_qcir(text, "file.qcir")
    assert message in str(error.value)
    assert (error.value.line, error.value.column) == (line, column)


@given(qbf=qbfs())
@settings(max_examples=80)
def test_formulas_survive_writing_and_reading(qbf: Qbf) -> None:
    again = parse_qcir(qcir_text(qbf))
    assert (again.scopes, again.gates, again.output, again.names) == (
        qbf.scopes,
        qbf.gates,
        qbf.output,
        {},
    )
    assert [text for _, text in again.comments] == [text for _, text in qbf.comments]
    assert qcir_text(again) == qcir_text(qbf)
    assert parse_qcir(qcir_text(again)) == again


@given(qbf=qbfs(named=True))
@settings(max_examples=60)
def test_named_formulas_survive_up_to_numbering(qbf: Qbf) -> None:
    again = parse_qcir(qcir_text(qbf))
    assert qcir_text(again) == qcir_text(qbf)
    number = {name: k for k, name in again.names.items()}
    for gate, definition in qbf.gates.items():
        moved = tuple(number[qbf.name(abs(x))] * (1 if x > 0 else -1) for x in definition.inputs)
        assert again.gates[number[qbf.name(gate)]] == Gate(definition.connective, moved)
    assert parse_qcir(qcir_text(qbf, cleansed=True)).gates == qbf.gates


def test_comments_return_to_their_lines() -> None:
    text = "#QCIR-G14 3\n#@a\nexists(1)\n# b\nforall(2)\noutput(3)\n3 = and(1, 2)\n# last\n"
    assert qcir_text(parse_qcir(text)) == text


@pytest.mark.parametrize(
    "change",
    [
        {"names": {1: "x", 2: "x"}},
        {"names": {1: "a b"}},
        {"names": {1: "-x"}},
        {"names": {1: ""}},
        {"names": {1: "2"}},
        {"comments": ((1, "two\nlines"),)},
    ],
)
def test_what_has_no_text_is_not_written(change: dict[str, object]) -> None:
    qbf = parse_qcir("exists(1)\nforall(2)\noutput(3)\n3 = and(1, 2)\n")
    with pytest.raises(ValueError):  # noqa: PT011 - each case has its own text
        qcir_text(replace(qbf, **change))  # type: ignore[arg-type]


def test_real_files(shared_data: Path) -> None:
    files = sorted(shared_data.glob("certificates/*/*.qcir"))
    assert len(files) == 8
    for path in files:
        qbf = read_qcir(path)
        again = parse_qcir(qcir_text(qbf))
        assert (again.scopes, again.gates, again.output) == (qbf.scopes, qbf.gates, qbf.output)
        assert [text for _, text in again.comments] == [text for _, text in qbf.comments]
    tic = read_qcir(shared_data / "certificates/quabs/httt-4x4_5_tic.qcir")
    assert len(tic.gates) == 382
    assert sum(len(gate.inputs) == 0 for gate in tic.gates.values()) <= 2


def test_free_variables_are_told() -> None:
    assert parse_qcir("free(1)\nforall(2)\noutput(3)\n3 = or(1, 2)\n").free == (1,)
    nested = parse_qcir("free(a)\noutput(g)\ng = forall(b; h)\nh = or(a, b)\n")
    assert [nested.name(v) for v in nested.free] == ["a"]
