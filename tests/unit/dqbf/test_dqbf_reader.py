"""DQDIMACS and DQCIR: dependency sets, and errors with their places."""

from __future__ import annotations

import pytest

from qsage_validate.circuit.qbf import Qbf, Quantifier, Scope
from qsage_validate.errors import InputError
from qsage_validate.extensions.dqbf.expansion import dependency_sets, parse_dqbf, read_dqbf
from qsage_validate.formats.source import Format, sniff_bytes

CLAUSES = b"p cnf 6 2\na 1 2 0\ne 3 0\na 4 0\ne 5 0\nd 6 1 4 0\n-1 6 3 5 0\n-2 -4 5 0\n"
CIRCUIT = (
    b"#QCIR-G14\nforall(1, 2)\nexists(3)\nforall(4)\nexists(5)\ndepend(6, 1, 4)\noutput(7)\n"
    b"8 = or(-1, 6, 3, 5)\n9 = or(-2, -4, 5)\n7 = and(8, 9)\n"
)
SETS = {3: (1, 2), 5: (1, 2, 4), 6: (1, 4)}


@pytest.mark.parametrize("data", [CLAUSES, CIRCUIT], ids=["DQDIMACS", "DQCIR"])
def test_both_formats_have_the_same_sets(data: bytes) -> None:
    formula = parse_dqbf(data)
    assert dependency_sets(formula) == SETS
    assert formula.depends == {6: frozenset({1, 4})}
    assert [v for s in formula.scopes for v in s.variables] == [1, 2, 3, 4, 5, 6]
    assert formula.truth({1: True, 2: False, 3: False, 4: False, 5: False, 6: True})
    assert not formula.truth({1: True, 2: False, 3: False, 4: False, 5: False, 6: False})


def test_formats_are_told_by_a_dependency_set_in_the_prefix() -> None:
    assert sniff_bytes(CLAUSES) is Format.DQDIMACS
    assert sniff_bytes(CIRCUIT) is Format.DQCIR
    assert sniff_bytes(CLAUSES.replace(b"d 6 1 4 0\n", b"e 6 0\n")) is Format.QDIMACS
    assert sniff_bytes(CIRCUIT.replace(b"depend(6, 1, 4)", b"exists(6)")) is Format.QCIR
    # However long the prefix is, and whatever its comments say.
    long = b"a %s 0\n" % b" ".join(b"%d" % v for v in range(7, 30_000))
    many = CLAUSES.replace(b"6 2", b"29999 2").replace(b"a 1 2 0\n", b"a 1 2 0\n" + long)
    assert sniff_bytes(many) is Format.DQDIMACS
    assert len(parse_dqbf(many).scopes) == 6
    assert sniff_bytes(b"p cnf 2 1\na 1 0\ne 2 0\nc d 2 1 0\n1 2 0\n") is Format.QDIMACS


def test_names_spacing_case_and_comments() -> None:
    text = b"#QCIR-14 # depend(z)\nFORALL(x_1 ,\n y)DePend ( z , y ) # why\ndepend(c)\n"
    formula = parse_dqbf(text + b"output(-g)\ng = xor(z, y)\n")
    named = {
        formula.name(v): [formula.name(u) for u in own]
        for v, own in dependency_sets(formula).items()
    }
    assert named == {"z": ["y"], "c": []}


def test_variables_that_nothing_quantifies_read_none() -> None:
    formula = parse_dqbf(b"p cnf 4 1\r\na 1 2 0\r\nd 03 2 00\r\n1 3 4 0\r\n")
    assert dependency_sets(formula) == {4: (), 3: (2,)}
    assert formula.scopes[0] == Scope(Quantifier.EXISTS, (4,))


@pytest.mark.parametrize(
    ("data", "line", "column", "found"),
    [
        (b"p cnf 3 1\na 1 0\nd 3 2 0\n1 3 0\n", 3, 5, "variable 2 in a dependency set"),
        (b"p cnf 3 1\na 1 0\ne 2 0\nd 3 2 0\n1 3 0\n", 4, 5, "variable 2 in a dependency set"),
        (b"p cnf 3 1\nd 3 1 0\na 1 0\n1 3 0\n", 2, 5, "variable 1 in a dependency set"),
        (b"p cnf 3 1\na 1 0\nd 3 1 0\nd 3 1 0\n1 3 0\n", 4, 3, "variable 3 again"),
        (b"p cnf 3 1\na 1 0\nd 3 1 0\ne 3 0\n1 3 0\n", 4, 3, "variable 3 again"),
        (b"p cnf 3 1\na 1 0\nd 1 1 0\n1 3 0\n", 3, 3, "variable 1 again"),
        (b"p cnf 3 1\na 1 0\nd 0\n1 3 0\n", 3, 3, "0"),
        (b"p cnf 3 1\na 1 0\nd 3 1\n1 3 0\n", 3, 6, "the end of a line"),
        (b"p cnf 3 1\na 1 0\nd 3 x 0\n1 3 0\n", 3, 5, "'x'"),
        (b"p cnf 3 1\na 1 0\nd -3 1 0\n1 3 0\n", 3, 3, "-3"),
        (b"p cnf 3 1\na 1 0\nd 3 1 0\n1 y 0\n", 4, 3, "'y'"),
        (b"forall(x)\ndepend(y, z)\noutput(y)\n", 2, 11, "'z' in a dependency set"),
        (b"depend(y, x)\nforall(x)\noutput(y)\n", 1, 11, "'x' in a dependency set"),
        (b"forall(x)\ndepend(y, -x)\noutput(y)\n", 2, 11, "'-x'"),
        (b"forall(x)\ndepend()\noutput(x)\n", 2, 8, "')'"),
        (b"forall(x)\ndepend(y, x,)\noutput(y)\n", 2, 13, "')'"),
        (b"forall(x)\ndepend(y)depend(y, x)\noutput(y)\n", 2, 17, "variable 'y' again"),
        (b"forall(x)\ndepend(x, x)\noutput(x)\n", 2, 8, "variable 'x' again"),
        (b"forall(x)\ndepend(y)\noutput(g)\ng = exists(z; y)\n", 4, 3, "a quantifier gate"),
        (b"forall(x)\ndepend(y)\noutput(g)\ng = and(y, w)\n", 4, 12, "'w', which is neither"),
        (b"forall(x)\ndepend(y)\n", 2, 10, "the end of the file"),
    ],
)  # fmt: skip
def test_errors_have_their_places(data: bytes, line: int, column: int, found: str) -> None:
    with pytest.raises(InputError) as raised:
        parse_dqbf(data, "file")
    error = raised.value
    assert (error.line, error.column) == (line, column), str(error)
    assert found in str(error)


def test_a_missing_file_is_one_line() -> None:
    with pytest.raises(InputError, match="no such file"):
        read_dqbf("nothing.dqdimacs")


def test_a_qbf_has_the_sets_of_its_prefix() -> None:
    formula = Qbf((Scope(Quantifier.FORALL, (1,)), Scope(Quantifier.EXISTS, (2,))), {}, 2)
    assert dependency_sets(formula) == {2: (1,)}
