from __future__ import annotations

from pathlib import Path

import pytest

from qsage_validate.errors import InputError
from qsage_validate.formats.qdimacs import parse_pedant
from tests.support.readers import read_pedant

MODEL = b"p cnf 6 3\nc Model for variable 3.\n3 -1 0\n-3 1 0\nc Model for variable 4.\n-4 5 6 0\n"


def test_clauses_and_defined_variables() -> None:
    model = parse_pedant(MODEL)
    assert model.literals.tolist() == [3, -1, 0, -3, 1, 0, -4, 5, 6, 0]
    assert model.defined == {3, 4}
    assert (model.max_variable, model.num_clauses) == (6, 3)


@pytest.mark.parametrize(
    ("data", "line", "column", "message"),
    [
        (b"p cnf 2 1\n1 2 0\n", 1, 1, "a CNF without a comment 'c Model for variable N.'"),
        (MODEL[:-10], 1, 1, "a header of 3 clauses, expected 2"),
        (MODEL.replace(b"variable 4.", b"variable 7."), 5, 1, "a model for variable 7"),
        (MODEL.replace(b"variable 4.", b"variable x."), 5, 1, "a model for variable x"),
        (MODEL.replace(b"5 6", b"5 7"), 6, 6, "variable 7, expected at most 6"),
        (MODEL.replace(b"p cnf 6 3", b"p cnf 6 2"), 1, 1, "a header of 2 clauses, expected 3"),
    ],
)
def test_errors_name_the_place(data: bytes, line: int, column: int, message: str) -> None:
    with pytest.raises(InputError) as error:
        parse_pedant(data, "model.cnf")
    assert message in str(error.value)
    assert (error.value.line, error.value.column) == (line, column)


@pytest.mark.parametrize(
    ("folder", "clauses", "defined", "variables"),
    [("httt_4_4_tic", 20234, 313, 2455), ("httt_3_3_el_grounded", 10458, 336, 1548)],
)
def test_real_files(
    shared_data: Path, folder: str, clauses: int, defined: int, variables: int
) -> None:
    model = read_pedant(shared_data / "certificates" / "pedant-cnf" / folder / "certificate.cnf")
    assert (model.num_clauses, len(model.defined)) == (clauses, defined)
    assert model.max_variable == variables
    assert max(abs(model.literals)) == variables
