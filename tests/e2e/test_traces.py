"""Solvers' traces on the command line: ``qsage validate --trace`` and ``qsage info``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qsage_validate.circuit.qbf import Quantifier, Scope
from qsage_validate.errors import Exit
from qsage_validate.formats.qrp_steps import QrpDialect
from tests.support.trace_files import WrittenStep, trace_bytes

from .conftest import Qsage

FORMULA = "p cnf 3 3\ne 1 0\na 2 0\ne 3 0\n1 2 3 0\n-1 -2 3 0\n-3 0\n"
SCOPES = tuple(
    Scope(q, (v,))
    for v, q in enumerate((Quantifier.EXISTS, Quantifier.FORALL, Quantifier.EXISTS), 1)
)
STEPS = (
    WrittenStep(1, (1, 2, 3)),
    WrittenStep(2, (-1, -2, 3)),
    WrittenStep(3, (-3,)),
    WrittenStep(4, (1, 2), (1, 3)),
    WrittenStep(5, (1,), (4,)),
    WrittenStep(6, (-1, -2), (2, 3)),
    WrittenStep(7, (), (5, 6)),
)


@pytest.fixture
def formula(tmp_path: Path) -> str:
    """A small false formula."""
    path = tmp_path / "f.qdimacs"
    path.write_text(FORMULA)
    return str(path)


def write(folder: Path, dialect: QrpDialect, *steps: WrittenStep) -> str:
    """A refutation of it, or another one."""
    path = folder / f"t.{dialect.value}"
    path.write_bytes(trace_bytes(steps or STEPS, true=False, dialect=dialect, scopes=SCOPES))
    return str(path)


@pytest.mark.parametrize("dialect", QrpDialect)
def test_a_trace_proves_its_formula_false(
    qsage: Qsage, formula: str, tmp_path: Path, dialect: QrpDialect
) -> None:
    trace = write(tmp_path, dialect)
    done = qsage("validate", formula, "--trace", trace)
    assert done.code == Exit.FINE
    assert done.out.splitlines()[-1] == f"{formula}: valid: the formula is false (trace)"
    done = qsage("validate", formula, "--trace", trace, "--json")
    read = json.loads(done.out)
    assert (read["verdict"], read["claim"]) == ("valid", "the formula is false")
    (level,) = read["levels"]
    assert level["text"] == "proved: 7 clauses prove the formula false"
    assert level["evidence"]["dialect"] == dialect.value
    assert level["evidence"]["needed_steps"] == 7
    assert read["facts"]["command"].endswith(f"--trace {trace}")
    assert trace in read["facts"]["files"]


def test_a_wrong_step_is_named(qsage: Qsage, formula: str, tmp_path: Path) -> None:
    steps = [step if step.id != 5 else WrittenStep(5, (), (4,)) for step in STEPS[:5]]
    trace = write(tmp_path, QrpDialect.QRP, *steps)
    page = tmp_path / "page.html"
    done = qsage("validate", formula, "--trace", trace, "--report", str(page))
    assert done.code == Exit.REFUTED
    wrong = "step 5 (line 9) lacks the literal 1, which is no pivot"
    assert f"trace: trace is no proof: {wrong}" in done.out
    last = done.out.splitlines()[-1]
    assert last.endswith("refuted (trace): the solver's trace is wrong: it proves nothing")
    assert wrong in page.read_text()


def test_a_malformed_trace_is_one_line(qsage: Qsage, formula: str, tmp_path: Path) -> None:
    path = tmp_path / "t.qrp"
    path.write_bytes(Path(write(tmp_path, QrpDialect.QRP)).read_bytes()[:-20])
    done = qsage("validate", formula, "--trace", str(path))
    assert done.code == Exit.BAD_INPUT
    assert done.err.splitlines() == [
        f"{path}:10: found the end of the file, expected a line 'r SAT' or 'r UNSAT' at its end"
    ]


def test_limits(qsage: Qsage, formula: str, tmp_path: Path) -> None:
    trace = write(tmp_path, QrpDialect.QRP)
    done = qsage("validate", formula, "--trace", trace, "--timeout", "0")
    assert done.code == Exit.UNDECIDED
    assert "time was up after 0 of 7 steps" in done.out
    done = qsage("validate", formula, "--trace", trace, "--memory", "2000")
    assert done.code == Exit.FINE
    assert done.out.splitlines()[-1].endswith("valid: the formula is false (trace)")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--level", "trace"), "found --level trace, expected --trace FILE with it"),
        (
            ("--trace", "t", "--level", "formula"),
            "without --cert only the levels 'trace' and 'encoding' can be checked",
        ),
        (("--trace", "-"), "a validation needs its files by name, not '-'"),
    ],
)
def test_contradictory_options(
    qsage: Qsage, formula: str, options: tuple[str, ...], message: str
) -> None:
    done = qsage("validate", formula, *options)
    assert done.code == Exit.BAD_INPUT
    assert message in done.err


def test_a_trace_beside_a_certificate(qsage: Qsage, formula: str, tmp_path: Path) -> None:
    certificate = tmp_path / "c.aag"
    certificate.write_text("aag 1 1 0 2 0\n2\n2\n0\ni0 1\no0 2\no1 result\n")
    trace = write(tmp_path, QrpDialect.QRP)
    done = qsage("validate", formula, "--cert", str(certificate), "--trace", trace, "--json")
    assert done.code == Exit.FINE
    levels = {level["level"]: level["verdict"] for level in json.loads(done.out)["levels"]}
    assert levels["trace"] == levels["dependencies"] == levels["formula"] == "proved"


@pytest.mark.parametrize("dialect", QrpDialect)
def test_info(qsage: Qsage, tmp_path: Path, dialect: QrpDialect) -> None:
    trace = write(tmp_path, dialect)
    done = qsage("info", trace, "--json")
    assert done.code == Exit.FINE
    read = json.loads(done.out)
    assert read["result"] == "false"
    assert read["certificate"] == "Herbrand functions"
    assert (read["steps"], read["needed_steps"], read["initial_clauses_or_cubes"]) == (7, 7, 3)
    assert [scope["quantifier"] for scope in read["scopes"]] == ["exists", "forall", "exists"]
    assert "needed steps: 7" in qsage("info", trace).out
