from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsage_validate.certificates.check import CertificateProved, check
from qsage_validate.certificates.reader import DESCRIPTIONS, parse_certificate, read_certificate
from qsage_validate.certificates.writer import certificate_bytes
from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope
from qsage_validate.errors import Exit, InputError, UsageError
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.kernel.certificate import (
    CertificateKind,
    CircuitCertificate,
    ClauseCertificate,
    Dialect,
    dont_cares,
    opponent_variables,
)


def formula() -> Qbf:
    """exists 1, forall 2, exists 3, forall 4, exists 5, with the gates 6 and 7."""
    e, a = Quantifier.EXISTS, Quantifier.FORALL
    scopes = tuple(Scope(q, (v,)) for v, q in enumerate((e, a, e, a, e), start=1))
    gates = {6: Gate(Connective.AND, (1, 2)), 7: Gate(Connective.OR, (6, 3, 4, 5))}
    return Qbf(scopes, gates, 7, path="f.qcir")


def circuit(text: str, form: Qbf | None, dialect: Dialect | None = None) -> CircuitCertificate:
    found = parse_certificate(text.encode(), form, dialect=dialect, path="c.aag")
    assert isinstance(found, CircuitCertificate)
    return found


def refusal(text: str | bytes, form: Qbf | None, dialect: Dialect | None = None) -> str:
    data = text.encode() if isinstance(text, str) else text
    with pytest.raises(InputError) as caught:
        parse_certificate(data, form, dialect=dialect, path="c.aag")
    assert caught.value.exit_code is Exit.BAD_INPUT
    message = str(caught.value)
    assert "\n" not in message
    return message


# Functions 3 := 2, 5 := 2 & !4, in each dialect.
INDICES = "aag 7 2 0 2 3\n4\n8\n6\n10\n6 14 14\n10 4 9\n14 4 1\n"
SYMBOLS = "aag 3 2 0 2 1\n2\n4\n2\n6\n6 2 5\ni0 2\ni1 4\no0 3\no1 5\n"
RESULT = "aag 3 2 0 3 1\n2\n4\n2\n6\n1\n6 2 5\ni0 2\ni1 4\no0 3\no1 5\no2 result\nc\nmade by hand\n"
LEVELS = "aag 3 2 0 2 1\n2\n4\n2\n6\n6 2 5\ni0 1 2\ni1 3 4\no0 2 3\no1 4 5\n"


@pytest.mark.parametrize(
    ("text", "dialect", "reason"),
    [
        (INDICES, Dialect.QBFCERT_ASCII, "an ASCII file without symbols"),
        (SYMBOLS, Dialect.QBFCERT_BINARY, "all inputs and outputs have symbols"),
        (RESULT, Dialect.CAQE, "the last output is called 'result'"),
        (LEVELS, Dialect.QAIGER, "the symbols of the inputs are levels with names"),
    ],
)
def test_every_dialect_is_recognised(text: str, dialect: Dialect, reason: str) -> None:
    found = circuit(text, formula())
    assert found.dialect is dialect
    assert found.recognised == reason
    assert found.kind is CertificateKind.SKOLEM
    assert found.inputs == (2, 4)
    assert set(found.functions) == {3, 5}
    assert dont_cares(found, formula()) == (1,)
    assert opponent_variables(found, formula()) == (2, 4)
    assert found.path == "c.aag"


def test_herbrand_functions_are_recognised() -> None:
    # 2 := !1; 4 is a don't-care.
    text = "aag 2 1 0 1 1\n2\n4\n4 3 3\n"
    found = circuit(text, formula())
    assert found.kind is CertificateKind.HERBRAND
    assert found.inputs == (1,)
    assert dont_cares(found, formula()) == (4,)
    result = "aag 1 1 0 2 0\n2\n3\n0\ni0 1\no0 2\no1 result\n"
    assert circuit(result, formula()).kind is CertificateKind.HERBRAND


def test_the_constant_may_be_a_gate() -> None:
    text = "aag 4 2 0 2 2\n2\n4\n2\n8\n6 1 1\n8 6 6\ni0 2\ni1 4\no0 3\no1 result\n"
    assert circuit(text, formula()).kind is CertificateKind.SKOLEM
    message = refusal(text.replace("8 6 6", "8 6 2"), formula())
    assert message == (
        "c.aag:11:1: found the output 'result' as a function, "
        "expected the constant 1 (Skolem) or 0 (Herbrand)"
    )


def test_constant_functions_need_no_inputs() -> None:
    found = circuit("aag 1 0 0 1 1\n2\n2 1 1\n", formula())
    assert (found.kind, found.inputs, list(found.functions)) == (CertificateKind.SKOLEM, (), [1])
    assert circuit("aag 2 0 0 1 1\n4\n4 0 0\n", formula()).kind is CertificateKind.HERBRAND


def test_gates_are_kept_apart() -> None:
    found = circuit("aag 6 1 0 2 2\n4\n6\n12\n6 4 4\n12 5 5\n", formula())
    assert list(found.functions) == [3]
    assert list(found.extra) == [6]


def test_a_function_of_nothing_in_the_formula_is_refused() -> None:
    text = "aag 9 1 0 3 3\n4\n6\n12\n18\n6 4 4\n12 5 5\n18 4 4\n"
    assert "found a function for '9', expected a variable of" in refusal(text, formula())


def test_names_are_names() -> None:
    plain = formula()
    named = Qbf(plain.scopes, plain.gates, 7, {2: "white", 3: "black", 6: "legal"})
    text = (
        RESULT.replace("i0 2", "i0 white").replace("o0 3", "o0 black").replace("o1 5", "o1 legal")
    )
    found = circuit(text, named)
    assert found.inputs == (2, 4)
    assert list(found.functions) == [3]
    assert list(found.extra) == [6]
    # An index is the name of a variable that is called by that number, and of no other.
    message = refusal(INDICES, named)
    assert message.startswith("c.aag:2:1: found an input for '2', expected a variable of")


def test_symbols_that_name_nothing_give_way_to_indices() -> None:
    text = INDICES + "i0 first\ni1 second\no0 x\no1 y\n"
    found = circuit(text, formula())
    assert found.dialect is Dialect.QBFCERT_ASCII
    assert found.recognised == "the indices are variables of the formula and the symbols are not"
    assert circuit(INDICES + "i1 second\n", formula()).recognised == (
        "an ASCII file in which not all inputs and outputs have symbols"
    )


def test_a_dialect_can_be_asked_for() -> None:
    both = "aag 5 2 0 2 2\n4\n8\n6\n10\n6 4 4\n10 9 9\ni0 4\ni1 2\no0 5\no1 3\n"
    by_symbols = circuit(both, formula())
    by_indices = circuit(both, formula(), Dialect.QBFCERT_ASCII)
    assert by_symbols.inputs == (4, 2)
    assert by_indices.inputs == (2, 4)
    assert by_indices.recognised == "it was asked for"
    assert "no symbol for input 0" in refusal(INDICES, formula(), Dialect.CAQE)
    assert "a CNF without" in refusal("p cnf 1 1\n1 0\n", formula(), Dialect.PEDANT)


def test_without_a_formula_the_kind_must_be_said() -> None:
    found = circuit(RESULT, None)
    assert (found.kind, found.inputs, list(found.functions)) == (
        CertificateKind.SKOLEM,
        (2, 4),
        [3, 5],
    )
    assert opponent_variables(found, None) == (2, 4)
    assert refusal(INDICES, None) == (
        "c.aag: found a certificate in the dialect qbfcert-ascii without its formula, "
        "expected the formula, which tells the kind"
    )
    assert "found 'white', expected a number" in refusal(RESULT.replace("i0 2", "i0 white"), None)
    assert "found a function for the input 4" in refusal(RESULT.replace("o1 5", "o1 4"), None)
    assert "a function for '3' once more" in refusal(RESULT.replace("o1 5", "o1 3"), None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            INDICES.replace("8\n6\n", "16\n6\n").replace("4 9", "4 17").replace("aag 7", "aag 8"),
            "c.aag:3:1: found an input for '8', expected a variable of the prefix of f.qcir",
        ),
        (
            RESULT.replace("i1 4", "i1 9"),
            "c.aag:9:1: found an input for '9', expected a variable of the prefix of f.qcir",
        ),
        (
            RESULT.replace("o0 3", "o0 seven"),
            "c.aag:10:1: found a function for 'seven', expected a variable of the prefix of f.qcir",
        ),
        (
            RESULT.replace("o0 3", "o0 5"),
            "c.aag:11:1: found a function for '5' once more, expected only one",
        ),
        (
            RESULT.replace("i1 4", "i1 2"),
            "c.aag:9:1: found an input for '2' once more, expected only one",
        ),
        (
            RESULT.replace("i1 4", "i1 3"),
            "c.aag:9:1: found an input for 3, which is existential, "
            "expected a universal variable: Skolem functions decide existential ones",
        ),
        (
            SYMBOLS.replace("o1 5", "o1 4"),
            "c.aag:10:1: found a function for 4, which is universal, "
            "expected an existential variable: these are Skolem functions",
        ),
        (
            SYMBOLS.replace("i1 4", "i1 3").replace("o0 3", "o0 4"),
            "c.aag: found inputs of both quantifiers, expected inputs of one quantifier",
        ),
        (
            INDICES.replace("6\n10\n6 14", "6\n11\n6 14"),
            "c.aag:5: found the output 11, "
            "expected an even literal, whose index is the variable that it decides",
        ),
        (
            "aag 3 2 0 1 0\n4\n6\n4\n",
            "c.aag:2:1: found an input for 2, which is universal, "
            "expected an existential variable: Herbrand functions decide universal ones",
        ),
    ],
)
def test_certificates_of_another_formula_are_refused(text: str, message: str) -> None:
    assert refusal(text, formula()) == message


def test_a_function_that_looks_to_its_right_is_refused_with_its_path() -> None:
    # 3 reads 4 through gates 8 and 7, which the file does not list in order.
    text = "aag 8 2 0 1 3\n4\n8\n6\n6 16 16\n16 15 4\n14 8 4\n"
    assert refusal(text, formula()) == (
        "c.aag:4:1: found a function of 3 that reads 4 (gates 3 > 8 > 7), "
        "expected one that reads only variables left of its own"
    )
    # What only seems to be read is no dependency.
    assert circuit(text.replace("16 15 4", "16 15 0"), formula()).functions


def test_long_paths_are_shortened() -> None:
    gates = "".join(f"{2 * k} {2 * k + 2} 4\n" for k in range(10, 30)) + "60 8 4\n"
    text = f"aag 30 2 0 1 22\n4\n8\n6\n6 20 20\n{gates}"
    message = refusal(text, formula())
    assert "(gates 3 > 10 > 11 > 12 > … 14 more … > 27 > 28 > 29 > 30)" in message


def test_binary_files_need_symbols() -> None:
    data = b"aig 2 1 0 1 1\n4\n\x02\x00i0 2\n"
    assert "a binary certificate without a symbol for output 0" in refusal(data, formula())
    found = parse_certificate(data + b"o0 3\n", formula())
    assert isinstance(found, CircuitCertificate)
    assert (found.dialect, found.inputs) == (Dialect.QBFCERT_BINARY, (2,))
    # In binary files there are no lines to point to.
    assert refusal(data + b"o0 nine\n", formula()).startswith("c.aag: found a function for 'nine'")


PEDANT = "p cnf 9 5\nc Model for variable 5.\n-9 2 0\n-9 -4 0\n9 -2 4 0\n-9 5 0\n9 -5 0\n"


def test_pedants_clauses_are_recognised() -> None:
    found = parse_certificate(PEDANT.encode(), formula(), path="c.cnf")
    assert isinstance(found, ClauseCertificate)
    assert (found.kind, found.dialect, set(found.defined)) == (
        CertificateKind.SKOLEM,
        Dialect.PEDANT,
        {5},
    )
    assert found.blocks == ((5, 0),)
    assert dont_cares(found, formula()) == (1, 3)
    assert opponent_variables(found, None) == (2, 4)
    assert opponent_variables(found, formula()) == (2, 4)


def test_the_blocks_of_a_clause_set_are_kept() -> None:
    text = (
        "c made by pedant\np cnf 5 3\nc Model for variable 5.\n5 -2 0 -5\n2 0\n"
        "c Model for variable 3.\n-3 0\n"
    )
    found = parse_certificate(text.encode(), formula())
    assert isinstance(found, ClauseCertificate)
    assert found.blocks == ((5, 0), (3, 6))
    assert found.literals.tolist() == [5, -2, 0, -5, 2, 0, -3, 0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            PEDANT.replace("variable 5", "variable 4"),
            "found a model for 4, which is universal, "
            "expected an existential variable: these are Skolem functions",
        ),
        (
            PEDANT.replace("variable 5", "variable 9"),
            "found no model of any variable, expected models of variables of the prefix of f.qcir",
        ),
    ],
)
def test_clauses_for_another_formula_are_refused(text: str, message: str) -> None:
    assert refusal(text, formula()) == f"c.aag: {message}"


def test_clauses_in_a_gap_of_the_prefix_are_refused() -> None:
    gap = Qbf(
        (Scope(Quantifier.FORALL, (2, 4)), Scope(Quantifier.EXISTS, (5,))),
        {6: Gate(Connective.OR, (2, 4, 5))},
        6,
        path="f.qcir",
    )
    text = PEDANT.replace("9 -2 4", "9 -3 4")
    assert refusal(text, gap) == (
        "c.aag: found the variable 3, expected a variable of the prefix of f.qcir or one above 5"
    )


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"", "an empty file"),
        (b"hello\n", "a file of no known format"),
        (b"#QCIR-G14\nexists(1)\noutput(1)\n", "a QCIR file"),
        (b"\x89PNG\r\n\x1a\n\0\0", "a file of no known format"),
        (b"p cnf 2 1\n1 2 0\n", "a CNF without a comment 'c Model for variable N.'"),
    ],
)
def test_what_is_no_certificate_is_named(data: bytes, found: str) -> None:
    assert f"found {found}, expected" in refusal(data, formula())


def test_files_may_be_compressed(tmp_path: Path) -> None:
    path = tmp_path / "c.aag.gz"
    path.write_bytes(gzip.compress(RESULT.encode()))
    found = read_certificate(path, formula())
    assert isinstance(found, CircuitCertificate)
    assert found.path == str(path)


OUTER = "s cnf 1 7 1\nV -1 0\n"
PART = (
    RESULT.replace("3 2 0 3 1", "3 2 0 2 1")
    .replace("\n4\n2\n6\n1\n", "\n4\n2\n1\n")
    .replace(
        "o1 5\no2 result\nc\nmade by hand",
        "o1 result\nc\npart of a certificate: the first 2 of 3 blocks",
    )
)
SEEDS = [INDICES, SYMBOLS, RESULT, LEVELS, PEDANT, OUTER, PART]


def test_a_part_says_of_which_blocks_its_functions_are() -> None:
    found = circuit(PART, formula())
    assert (found.first_blocks, set(found.functions)) == (2, {3})
    written = certificate_bytes(found, formula(), binary=False).decode()
    assert circuit(written, formula()).first_blocks == 2
    # An inner function, other blocks, a comment that is none.
    inner = refusal(PART.replace("first 2", "first 1"), formula())
    assert inner == (
        "c.aag:9:1: found a function for 3, expected a variable of the first 1 of 3 blocks, "
        "as a comment says"
    )
    other = refusal(PART.replace("of 3", "of 4"), formula())
    assert other == (
        "c.aag: found a part of a certificate with 4 blocks, expected one for the 3 of the prefix "
        "of f.qcir"
    )
    for wrong in ("first 3 of 3", "first 0 of 3", "last 2 of 3"):
        message = refusal(PART.replace("first 2 of 3", wrong), formula())
        assert f"the {wrong} blocks', expected a comment like 'part of a certificate: " in message


@pytest.mark.parametrize(
    "text",
    [
        "s cnf 1 7 1\nV -1 0\n",
        "c CAQE\ns cnf 1\nV -1 0\n\nc Satisfiable\n",
        "V -1 0\nr SAT\n",
        "V  -1\ns cnf 1\n",
        "V -1 -6 0\r\n",
    ],
)
def test_the_values_of_the_outermost_block(text: str) -> None:
    found = circuit(text, formula())
    assert (found.dialect, found.kind) == (Dialect.OUTER, CertificateKind.SKOLEM)
    assert (found.functions, found.inputs) == ({1: 0}, (2, 4))
    assert found.first_blocks == 1
    assert found.extra == ({6: 0} if "6" in text else {})
    named = replace(formula(), names={1: "x1"})
    assert circuit(text.replace("-1", "-x1"), named).functions == {1: 0}


def test_values_of_the_only_block_are_a_whole_certificate() -> None:
    universal = tuple(Scope(s.quantifier.dual, s.variables) for s in formula().scopes[:2])
    form = Qbf(universal, {6: Gate(Connective.AND, (1, 2))}, 6, path="f.qcir")
    found = circuit("s cnf 0 2 1\nV -1 0\n", form)
    assert (found.kind, found.functions, found.first_blocks) == (
        CertificateKind.HERBRAND,
        {1: 0},
        None,
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "s cnf 0 7 1\nV 1 0\n",
            "1:1: found the result false, expected true: the outermost block is existential, and "
            "its values win a true formula",
        ),
        ("s cnf 1\nV 1 3 0\n", "2:5: found a value of 3, which stands in block 3, expected a v"),
        ("V 1 0\nr SAT\nV -1 0\n", "3:3: found a value of 1 once more, expected only one"),
        ("V 1 x9 0\n", "1:5: found a value of 'x9', expected a variable of the prefix of f.qcir"),
        ("V 1 0 2\n", "1:7: found '2', expected the end of the line behind 0"),
        ("V 1 --2 0\n", "1:5: found '--2', expected a variable, with '-' where it is false"),
        ("s cnf 1\nr UNSAT\nV 1 0\n", "2:1: found a second result, expected one result"),
        ("s cnf -1 7 1\nV 1 0\n", "1:1: found 's cnf -1 7 1', expected a result ('s cnf 1', "),
        ("s cnf 1 7 1\n", "1:12: found the end of the file, expected a line 'V LITERALS 0' with"),
        ("r SAT\nV 0\n", "2:4: found the end of the file, expected a value of a variable of the"),
        ("V 1 0\nSAT!\n1 0\n", "2:1: found 'SAT!', expected a result ('s cnf 1'"),
    ],
)
def test_values_that_are_none_of_the_formulas(text: str, message: str) -> None:
    assert refusal(text, formula()).startswith(f"c.aag:{message}")


def test_values_are_written_and_read_again() -> None:
    form = replace(formula(), names={1: "x1"})
    found = circuit("V -x1 0\nr SAT\n", form)
    data = certificate_bytes(found, form, dialect=Dialect.OUTER, remarks=["why"])
    assert data == b"c why\ns cnf 1\nV -x1 0\n"
    assert circuit(data.decode(), form).functions == found.functions
    inner = replace(found, functions={3: 1})
    with pytest.raises(UsageError, match="found functions of inner blocks for the dialect 'outer'"):
        certificate_bytes(inner, form, dialect=Dialect.OUTER)


def test_values_need_their_formula() -> None:
    assert "values of an outermost block without their formula, expected" in refusal(OUTER, None)


@given(
    st.sampled_from(SEEDS),
    st.lists(
        st.tuples(st.integers(0, 400), st.integers(0, 3), st.sampled_from("0123456789 \nioaglc-")),
        min_size=1,
        max_size=4,
    ),
    st.booleans(),
)
@settings(max_examples=150)
def test_damaged_files_are_read_or_refused(
    seed: str, edits: list[tuple[int, int, str]], with_formula: bool
) -> None:
    text = seed
    for at, length, inserted in edits:
        place = at % (len(text) + 1)
        text = text[:place] + inserted + text[place + length :]
    try:
        found = parse_certificate(text.encode(), formula() if with_formula else None)
    except InputError:
        return  # anything else would be a traceback
    if with_formula and isinstance(found, CircuitCertificate):
        quantifiers = formula().quantifiers()
        assert all(quantifiers[v] is found.kind.decides for v in found.functions)
        assert all(quantifiers[v] is found.kind.decides.dual for v in found.inputs)


def test_each_dialect_is_described() -> None:
    assert DESCRIPTIONS.keys() == set(Dialect)


@pytest.mark.parametrize(
    ("prefix", "matrix", "kind"),
    [
        ("forall(a)", "or(a, -a)", CertificateKind.SKOLEM),
        ("exists(a)", "and(a, -a)", CertificateKind.HERBRAND),
        ("exists(a)\nforall(b)", "or(-a, b)", CertificateKind.SKOLEM),
        ("forall(b)\nexists(a)", "and(a, b)", CertificateKind.HERBRAND),
        ("exists(a)\nforall(b)", "or(-b, -a)", CertificateKind.SKOLEM),
    ],
)
@pytest.mark.parametrize("data", [b"aag 0 0 0 0 0\n", b"aig 0 0 0 0 0\n", b"aag 0 0 0 0 0\nc\nx\n"])
def test_a_certificate_without_functions_is_of_the_kind_that_it_proves(
    prefix: str, matrix: str, kind: CertificateKind, data: bytes
) -> None:
    qbf = parse_qcir(f"{prefix}\noutput(g)\ng = {matrix}\n")
    found = parse_certificate(data, qbf, path="c.aag")
    assert found.kind is kind
    assert isinstance(check(qbf, found), CertificateProved)


def test_a_certificate_that_reads_variables_and_decides_nothing_has_their_opponent_s_kind() -> None:
    qbf = parse_qcir("exists(a)\nforall(b)\noutput(g)\ng = or(-a, b)\n")
    for name, kind in (("b", CertificateKind.SKOLEM), ("a", CertificateKind.HERBRAND)):
        found = parse_certificate(f"aag 1 1 0 0 0\n2\ni0 {name}\n".encode(), qbf)
        assert found.kind is kind
        assert isinstance(check(qbf, found), CertificateProved) is (kind is CertificateKind.SKOLEM)
