from __future__ import annotations

import random
import shutil
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings

from qsage_validate.certificates.check import CertificateProved, check_matrix
from qsage_validate.certificates.reader import parse_certificate, read_certificate
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.errors import InputError, UndecidedError, UsageError
from qsage_validate.formats.formula import read_formula
from qsage_validate.kernel.certificate import CircuitCertificate, Kind
from qsage_validate.proving.proof_file import NotProvedError, ProofFiles, write_proof
from tests.support.random_certificates import all_choices, certified, meaning, pedant_text
from tests.support.rup import RupChecker, accepts, parse_cnf, parse_drat

SAMPLES = ["tic", "hex", "evader", "domineering"]


def written(repository: Path, name: str, folder: Path) -> tuple[ProofFiles, str, str]:
    formula = read_formula(repository / "certificates" / f"{name}.qcir")
    certificate = read_certificate(repository / "certificates" / f"{name}.aig", formula)
    files = write_proof(formula, certificate, str(folder / name))
    return files, Path(files.cnf).read_text(), Path(files.drat).read_text()


@pytest.mark.parametrize("name", SAMPLES)
def test_a_checker_of_our_own_accepts_the_proofs_of_the_samples(
    name: str, repository: Path, tmp_path: Path
) -> None:
    files, cnf, drat = written(repository, name, tmp_path)
    assert accepts(cnf, drat)
    assert files.clauses == len(parse_cnf(cnf))
    assert files.steps == sum(not delete for delete, _ in parse_drat(drat))
    checker = next(filter(None, map(shutil.which, ("drat-trim", "dpr-trim"))), None)
    if checker is not None:
        done = subprocess.run(
            [checker, files.cnf, files.drat], capture_output=True, text=True, check=False
        )
        assert "s VERIFIED" in done.stdout


def test_damaged_proofs_are_rejected(repository: Path, tmp_path: Path) -> None:
    _, cnf, drat = written(repository, "tic", tmp_path)
    lines = drat.splitlines()
    assert not accepts(cnf, "")
    assert not accepts(cnf, "0\n"), "the end without its reasons"
    assert not accepts(cnf, "\n".join(lines[-40:]))
    assert not accepts(cnf, "\n".join(["6 0", *lines])), "6 is free"
    # Without the last clause, that the certificate loses, the CNF is satisfiable.
    *most, _ = cnf.splitlines()
    at = next(k for k, line in enumerate(most) if line.startswith("p"))
    _, _, variables, count = most[at].split()
    most[at] = f"p cnf {variables} {int(count) - 1}"
    assert not accepts("\n".join(most), drat)
    with pytest.raises(ValueError, match="header"):
        accepts(cnf.replace(f"cnf {variables} {count}", f"cnf {variables} 3"), drat)


def test_every_step_of_a_damaged_sample_counts() -> None:
    # (1 or 2), (1 or -2), (-1 or 2), (-1 or -2): "1" follows, and then nothing is left.
    clauses: list[tuple[int, ...]] = [(1, 2), (1, -2), (-1, 2), (-1, -2)]
    checker = RupChecker(clauses)
    assert checker.follows((1,))
    assert checker.refuted
    assert not RupChecker(clauses[:3]).follows((-1,))
    assert not RupChecker(clauses).follows(())


def test_the_cnf_says_what_the_files_say(repository: Path, tmp_path: Path) -> None:
    """Under the clauses but the last, each choice of the opponent has the play's values."""
    files, cnf, _ = written(repository, "hex", tmp_path)
    formula = read_formula(repository / "certificates" / "hex.qcir")
    certificate = read_certificate(repository / "certificates" / "hex.aig", formula)
    assert isinstance(certificate, CircuitCertificate)
    *clauses, last = parse_cnf(cnf)
    assert last == (-formula.output,)
    rng = random.Random(5)
    for _ in range(5):
        choice = {v: rng.random() < 0.5 for v in certificate.inputs}
        checker = RupChecker([*clauses, *((v if x else -v,) for v, x in choice.items())])
        assert not checker.refuted
        for variable, value in meaning(formula, certificate, choice).items():
            assert checker.follows((variable if value else -variable,))
            assert not checker.follows((-variable if value else variable,))
    header = [line for line in cnf.splitlines() if line.startswith("c ")]
    assert any("hex.qcir" in line for line in header)
    assert any(f"clauses {len(clauses) + 1} to {files.clauses}" in line for line in header)


@given(certified())
@settings(max_examples=150)
def test_there_is_a_proof_exactly_when_nothing_beats_the_certificate(
    case: tuple[Qbf, CircuitCertificate],
) -> None:
    formula, certificate = case
    with tempfile.TemporaryDirectory() as folder:
        stem = f"{folder}/case"
        beaten = any(
            (meaning(formula, certificate, choice)[abs(formula.output)] != (formula.output < 0))
            != (certificate.kind is Kind.SKOLEM)
            for choice in all_choices(formula.variables(certificate.kind.decides.dual))
        )
        if beaten:
            with pytest.raises(NotProvedError):
                write_proof(formula, certificate, stem)
            assert not list(Path(folder).iterdir())
        else:
            files = write_proof(formula, certificate, stem)
            assert accepts(Path(files.cnf).read_text(), Path(files.drat).read_text())


@given(certified())
@settings(max_examples=120, suppress_health_check=[HealthCheck.filter_too_much])
def test_clause_sets_have_proofs_too(case: tuple[Qbf, CircuitCertificate]) -> None:
    formula, certificate = case
    certificate = replace(certificate, extra={})
    assume(certificate.kind is Kind.SKOLEM and certificate.functions)
    # Helpers get numbers that are gates of the formula: they must be kept apart.
    first = max(v for scope in formula.scopes for v in scope.variables) + 1
    clauses = parse_certificate(pedant_text(certificate, first).encode())
    proved = isinstance(check_matrix(formula, certificate), CertificateProved)
    with tempfile.TemporaryDirectory() as folder:
        if not proved:
            with pytest.raises(NotProvedError):
                write_proof(formula, clauses, f"{folder}/case")
        else:
            files = write_proof(formula, clauses, f"{folder}/case")
            assert accepts(Path(files.cnf).read_text(), Path(files.drat).read_text())


def test_what_cannot_be_written_is_told_before_the_work(repository: Path, tmp_path: Path) -> None:
    source = repository / "certificates"
    formula = read_formula(source / "tic.qcir")
    certificate = read_certificate(source / "tic.aig", formula)
    with pytest.raises(InputError, match=r"missing/tic\.cnf: found an error: No such file"):
        write_proof(formula, certificate, str(tmp_path / "missing" / "tic"))
    (tmp_path / "tic.drat").mkdir()
    with pytest.raises(InputError, match=r"tic\.drat: found a directory"):
        write_proof(formula, certificate, str(tmp_path / "tic"))
    assert not (tmp_path / "tic.cnf").exists()
    (tmp_path / "in.cnf").write_text("")
    with pytest.raises(UsageError, match=r"in\.cnf as a proof file, which is an input"):
        write_proof(replace(formula, path=str(tmp_path / "in.cnf")), certificate, f"{tmp_path}/in")
    assert (tmp_path / "in.cnf").read_text() == ""
    with pytest.raises(UndecidedError, match="time is up"):
        write_proof(formula, certificate, str(tmp_path / "late"), deadline=0)
    assert not (tmp_path / "late.cnf").exists()
