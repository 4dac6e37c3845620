"""``qsage certify`` on formulas: by every route what is written is proved, or nothing is."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from qsage_validate.certificates import by_proof as traced
from qsage_validate.certificates.by_expansion import expand
from qsage_validate.certificates.by_proof import extract
from qsage_validate.certificates.qrat import lift
from qsage_validate.certificates.writer import certificate_bytes
from qsage_validate.errors import Exit, install_line
from qsage_validate.formats.formula import read_formula
from qsage_validate.kernel.certificate import CircuitCertificate
from tests.support.random_qbf import random_qcir, random_qdimacs, truth

from .conftest import Qsage

# Two formulas of each kind and truth value, which no route finds trivial.
SEEDS = {("qcir", True): 3, ("qcir", False): 5, ("qdimacs", True): 7, ("qdimacs", False): 4}
WITHOUT_EXTRA = ("expansion", "auto")
WITH_EXTRA = ("bloqqer", "trace")


def write_formula(kind: str, true: bool) -> str:
    rng = Random(SEEDS[kind, true])
    while True:
        text = random_qcir(rng, named=True) if kind == "qcir" else random_qdimacs(rng)
        Path(f"f.{kind}").write_text(text)
        formula = read_formula(f"f.{kind}")
        scopes = formula.merged_scopes()
        if len(scopes) >= 3 and truth(formula) is true and len(formula.gates) > 8:
            return f"f.{kind}"


def validated(qsage: Qsage, formula: str, certificate: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(
        qsage(
            "validate",
            formula,
            "--cert",
            certificate,
            "--level",
            "dependencies",
            "--level",
            "formula",
            "--json",
        ).out
    )
    return read


@pytest.mark.parametrize("route", [*WITHOUT_EXTRA, *WITH_EXTRA])
@pytest.mark.parametrize("kind", ["qcir", "qdimacs"])
@pytest.mark.parametrize("true", [True, False])
def test_what_is_written_is_proved(qsage: Qsage, route: str, kind: str, true: bool) -> None:
    if route in WITH_EXTRA:
        pytest.importorskip("pyqbf", reason="the extra 'solve' is not there")
    formula = write_formula(kind, true)
    done = qsage("certify", formula, "-o", "c.aig", "--route", route)
    name = "Skolem" if true else "Herbrand"
    assert (done.code, done.out) == (Exit.FINE, "")
    assert done.err.startswith(f"c.aig: {name} certificate of {formula} ({str(true).lower()}), ")
    read = validated(qsage, formula, "c.aig")
    assert (read["verdict"], read["facts"]["kind"]) == ("valid", name)


@pytest.mark.parametrize("dialect", ["caqe", "qbfcert-ascii", "qbfcert-binary"])
@pytest.mark.parametrize("true", [True, False])
def test_dialects_of_a_bare_qdimacs_file(qsage: Qsage, dialect: str, true: bool) -> None:
    formula = write_formula("qdimacs", true)
    output = "c.aig" if dialect == "qbfcert-binary" else "c.aag"
    assert qsage("certify", formula, "-o", output, "--as", dialect).code == Exit.FINE
    read = validated(qsage, formula, output)
    assert (read["verdict"], read["facts"]["dialect"]) == ("valid", dialect)


def test_the_formula_is_written_in_clausal_form_with_its_own_certificate(qsage: Qsage) -> None:
    formula = write_formula("qcir", True)
    done = qsage("certify", formula, "-o", "c.aig", "--formula", "g.qdimacs")
    assert done.code == Exit.FINE
    read = validated(qsage, "g.qdimacs", "c.aig")
    assert read["verdict"] == "valid"


@pytest.mark.parametrize("solver", ["depqbf", "qute"])
def test_a_game_by_solvers(qsage: Qsage, solver: str) -> None:
    pytest.importorskip("pyqbf", reason="the extra 'solve' is not there")
    words = ("httt", "--size", "3x3", "--shape", "domino", "--depth", 3)
    done = qsage("certify", *words, "-o", "c.aig", "--formula", "f.qcir", "--solver", solver)
    assert done.code == Exit.FINE
    assert " for Black, " in done.err
    assert "Bloqqer" in done.err
    read = json.loads(qsage("validate", "f.qcir", "--cert", "c.aig", "--json").out)
    assert read["verdict"] == "valid"
    assert {"formula", "rules"} <= {level["level"] for level in read["levels"]}


def test_a_formula_of_a_game_is_searched_when_it_carries_its_model(qsage: Qsage) -> None:
    words = ("httt", "--size", "3x3", "--shape", "domino", "--depth", 3)
    qsage("encode", *words, "-o", "f.qcir")
    read = json.loads(qsage("certify", "f.qcir", "-o", "c.aig", "--json").out)
    assert (read["route"], read["game"], read["winner"]) == ("search", "httt 3x3 domino", "black")
    assert validated(qsage, "f.qcir", "c.aig")["verdict"] == "valid"
    # Another formula with the same comments is not searched: it is another formula.
    text = Path("f.qcir").read_text()
    output = next(line for line in text.splitlines() if line.startswith("output"))
    Path("g.qcir").write_text(text.replace(output, output.replace("(", "(-")))
    refused = qsage("certify", "g.qcir", "-o", "d.aig", "--route", "search")
    assert (refused.code, Path("d.aig").exists()) == (Exit.BAD_INPUT, False)


def test_facts_for_programs(qsage: Qsage) -> None:
    formula = write_formula("qdimacs", False)
    read = json.loads(
        qsage("certify", formula, "-o", "c.aig", "--route", "expansion", "--json").out
    )
    assert (read["verdict"], read["kind"], read["route"]) == ("false", "Herbrand", "expansion")
    assert [stage["stage"] for stage in read["stages"]] == ["expand", "check"]
    assert (read["game"], read["winner"], read["attempts"]) == (None, None, [])


def test_minimised(qsage: Qsage) -> None:
    formula = write_formula("qdimacs", True)
    done = qsage("certify", formula, "-o", "c.aig", "--route", "expansion", "--minimise", "--json")
    assert done.code == Exit.FINE
    read = json.loads(done.out)
    assert "minimise" in [stage["stage"] for stage in read["stages"]]
    assert validated(qsage, formula, "c.aig")["verdict"] == "valid"


# --- What does not work out ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--route", "magic"), "unknown route 'magic', expected one of: auto, search, bloqqer"),
        (("--route", "search"), "found --route search for a formula"),
        (("--route", "expansion", "--solver", "qute"), "found --solver with --route expansion"),
        (("--solver", "rareqs"), "the solver rareqs writes no traces, expected one of depqbf"),
        (("--depth", "3"), "found --depth with the formula"),
        (("--route", "tool", "--solver", "caqe"), "the solver caqe writes no certificates"),
    ],
)
def test_what_does_not_fit_is_one_line(
    qsage: Qsage, options: tuple[str, ...], message: str
) -> None:
    formula = write_formula("qdimacs", True)
    done = qsage("certify", formula, "-o", "c.aig", *options)
    assert (done.code, done.err.count("\n")) == (Exit.BAD_INPUT, 1)
    assert message in done.err
    assert not Path("c.aig").exists()


def test_the_formula_is_not_overwritten(qsage: Qsage) -> None:
    formula = write_formula("qdimacs", True)
    before = Path(formula).read_bytes()
    done = qsage("certify", formula, "-o", f"./{formula}")
    assert done.code == Exit.BAD_INPUT
    assert Path(formula).read_bytes() == before


@pytest.mark.parametrize("route", ["bloqqer", "trace"])
def test_a_certificate_that_does_not_hold_is_not_written(
    qsage: Qsage, monkeypatch: pytest.MonkeyPatch, route: str
) -> None:
    pytest.importorskip("pyqbf", reason="the extra 'solve' is not there")

    def wrong(make: Any) -> Any:
        def made(*arguments: Any, **options: Any) -> CircuitCertificate:
            right: CircuitCertificate = make(*arguments, **options)
            # Functions of existentials, all of them the other way round, cannot all be right.
            return replace(right, functions={v: f ^ 1 for v, f in right.functions.items()})

        return made

    Path("f.qdimacs").write_text("p cnf 3 4\na 1 0\ne 2 3 0\n1 2 0\n-1 -2 0\n2 3 0\n-2 -3 0\n")
    monkeypatch.setattr(traced, "lift", wrong(lift))
    monkeypatch.setattr(traced, "extract", wrong(extract))
    done = qsage("certify", "f.qdimacs", "-o", "c.aig", "--route", route)
    assert done.code == Exit.REFUTED
    assert "does not hold: refuted" in done.err
    assert sorted(p.name for p in Path().iterdir()) == ["f.qdimacs"]


def test_a_limit_leaves_no_files(qsage: Qsage) -> None:
    pytest.importorskip("pyqbf", reason="the extra 'solve' is not there")
    words = ("httt", "--size", "4x4", "--shape", "elly", "--depth", 7)
    done = qsage("certify", *words, "-o", "c.aig", "--route", "trace", "--timeout", "0.5")
    assert done.code == Exit.UNDECIDED
    assert done.err.startswith("qsage: undecided: ")
    assert (done.err.count("\n"), list(Path().iterdir())) == (1, [])


@pytest.mark.parametrize("route", ["bloqqer", "trace"])
def test_without_the_extra_the_install_line_is_told(
    qsage: Qsage, monkeypatch: pytest.MonkeyPatch, route: str
) -> None:
    monkeypatch.setattr(traced, "backends", dict)
    formula = write_formula("qdimacs", True)
    done = qsage("certify", formula, "-o", "c.aig", "--route", route)
    assert (done.code, done.err.count("\n")) == (Exit.BAD_INPUT, 1)
    assert install_line("solve") in done.err
    assert not Path("c.aig").exists()
    # Small formulas and games need none.
    assert qsage("certify", formula, "-o", "c.aig").code == Exit.FINE


def test_a_trace_that_is_cut_off_is_no_certificate(
    qsage: Qsage, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyqbf", reason="the extra 'solve' is not there")

    def cut(formula: Any, trace: Path) -> CircuitCertificate:
        trace.write_bytes(trace.read_bytes()[:-20])
        return extract(formula, trace)

    monkeypatch.setattr(traced, "extract", cut)
    formula = write_formula("qdimacs", True)
    done = qsage("certify", formula, "-o", "c.aig", "--route", "trace", "--solver", "depqbf")
    assert (done.code, done.err.count("\n")) == (Exit.UNDECIDED, 1)
    assert done.err.startswith("qsage: undecided: depqbf ")
    assert " wrote what cannot be used: " in done.err
    assert not Path("c.aig").exists()


# --- Solvers that write certificates themselves ----------------------------------------------


def install(name: str, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a program on the PATH."""
    Path("bin").mkdir()
    program = Path("bin") / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    path = os.pathsep.join([str(Path("bin").resolve()), os.environ["PATH"]])
    monkeypatch.setenv("PATH", path)


@pytest.mark.parametrize("true", [True, False])
def test_a_solver_that_writes_certificates(
    qsage: Qsage, monkeypatch: pytest.MonkeyPatch, true: bool
) -> None:
    formula = write_formula("qcir", true)
    plain = replace(read_formula(formula), names={}, comments=())
    Path("made.aag").write_bytes(certificate_bytes(expand(plain), plain, binary=False))
    code = 10 if true else 20
    install(
        "quabs", f'test "$1" = -c && cat {Path("made.aag").resolve()}; exit {code}', monkeypatch
    )
    for options in (("--route", "tool"), ("--solver", "quabs")):
        done = qsage("certify", formula, "-o", "c.aig", *options)
        assert (done.code, "by quabs" in done.err) == (Exit.FINE, True), done.err
        assert validated(qsage, formula, "c.aig")["verdict"] == "valid"


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("exit 1", "quabs exited (exit code 1)"),
        ("kill -9 $$", "quabs was killed by a signal (exit code -9)"),
        ("echo rubbish; exit 10", "quabs wrote what cannot be used: line 1: found"),
        ("cat $MADE; exit 20", "quabs wrote a Skolem certificate and exited with 20"),
    ],
)
def test_tools_that_fail(
    qsage: Qsage, monkeypatch: pytest.MonkeyPatch, script: str, message: str
) -> None:
    formula = write_formula("qcir", True)
    plain = replace(read_formula(formula), names={}, comments=())
    Path("made.aag").write_bytes(certificate_bytes(expand(plain), plain, binary=False))
    monkeypatch.setenv("MADE", str(Path("made.aag").resolve()))
    install("quabs", script, monkeypatch)
    done = qsage("certify", formula, "-o", "c.aig", "--route", "tool")
    assert done.code == Exit.UNDECIDED
    assert message in done.err
    assert done.err.count("\n") == 1
    assert not Path("c.aig").exists()
