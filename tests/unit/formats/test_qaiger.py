from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsage_validate.certificates.writer import aiger_bytes
from qsage_validate.circuit.aig import Aig
from qsage_validate.circuit.qbf import Quantifier, Scope
from qsage_validate.errors import InputError
from qsage_validate.formats.formula import read_formula
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.formats.qcir_bulk import parse_qaiger
from qsage_validate.formats.writing import qcir_text
from tests.support.generated import aigs, values
from tests.support.qbf_truth import qbf_truth

E, A = Quantifier.EXISTS, Quantifier.FORALL
QUABS = (
    b"aag 8 2 0 1 6\n2\n4\n16\n6 4 3\n8 6 1\n10 5 2\n12 10 1\n14 13 9\n16 14 1\ni0 1 x\ni1 2 y\n"
    b"c\nTransformed to QAIGER\n"
)


def test_levels_are_scopes_and_names_are_kept() -> None:
    qbf = parse_qaiger(QUABS, "f.qaig")
    assert qbf.scopes == (Scope(A, (1,)), Scope(E, (2,)))
    assert (qbf.names, qbf.output) == ({1: "x", 2: "y"}, 8)
    assert qbf_truth(qbf)
    # y is not x: what qcir2qaiger wrote, whose constants are a gate here.
    for x in (False, True):
        for y in (False, True):
            assert qbf.truth({1: x, 2: y}) == (x == y)
    assert sorted(parse_qcir(qcir_text(qbf)).names.values()) == ["x", "y"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"aag 1 1 0 1 0\n2\n2\n", "input 0 without a symbol"),
        (b"aag 1 1 0 1 0\n2\n2\ni0 x\n", "input 0 with the symbol 'x'"),
        (b"aag 1 1 0 1 0\n2\n2\ni0 2147483648\n", "input 0 with the symbol"),
        (
            b"aag 1 1 0 2 0\n2\n2\n2\ni0 1\n",
            r"of 2 outputs \(a certificate\?\), expected a formula",
        ),
        (b"aag 2 1 1 1 0\n2\n4 2\n4\ni0 1\n", "1 latch, which is unsupported"),
    ],
)
def test_other_circuits_are_refused(data: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_qaiger(data, "f.qaig")


@given(
    graph=aigs(), levels=st.lists(st.integers(0, 4), min_size=8, max_size=8), binary=st.booleans()
)
def test_the_formula_has_the_values_of_the_circuit(
    graph: tuple[Aig, list[int]], levels: list[int], binary: bool
) -> None:
    aig, outputs = graph
    symbols = {k: f"{levels[k % 8]} v{k}" for k in range(aig.num_inputs)}
    outputs = [*outputs, 1]
    data = aiger_bytes(aig, outputs[:1], binary=binary, input_symbols=symbols)
    qbf = parse_qaiger(data)
    for number in range(min(2**aig.num_inputs, 16)):
        inputs = [number >> k & 1 == 1 for k in range(aig.num_inputs)]
        expected = values(aig, inputs)[outputs[0] >> 1] != bool(outputs[0] & 1)
        assert qbf.truth(dict(enumerate(inputs, start=1))) == expected


def test_a_file_of_it_is_a_formula(shared_data: Path) -> None:
    qbf = read_formula(shared_data / "outside/qaiger/f.qaig")
    assert [scope.quantifier for scope in qbf.scopes] == [A, E]
    assert not qbf_truth(qbf)
