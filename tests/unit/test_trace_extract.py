"""Traces of real solvers: each is a proof, and gives functions that win."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from qsage_validate.certificates.certificate import Kind
from qsage_validate.certificates.check import CertificateProved, check
from qsage_validate.certificates.trace_check import TraceProved, check_trace
from qsage_validate.certificates.trace_extract import extract
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.formats.qrp import read_trace
from tests.support.random_qbf import random_qbf, truth
from tests.support.tracing import WAYS, hard_qdimacs, require_solvers, traced


def certify(formula: Qbf, folder: Path, solver: str, binary: bool) -> bool:
    """The answer, after everything that a trace leads to has been checked."""
    true, path = traced(formula, folder, solver, binary=binary)
    trace = read_trace(path)
    assert trace.true is true
    checked = check_trace(formula, trace)
    assert isinstance(checked, TraceProved), checked
    certificate = extract(formula, trace)
    assert certificate.kind is (Kind.SKOLEM if true else Kind.HERBRAND)
    proved = check(formula, certificate)
    assert isinstance(proved, CertificateProved), proved
    return true


@pytest.mark.parametrize(("solver", "binary"), WAYS)
def test_small_formulas_are_certified_and_agree_with_their_truth(
    solver: str, binary: bool, tmp_path: Path
) -> None:
    require_solvers()
    answers = []
    for seed in range(60):
        formula = random_qbf(Random(seed))
        answers.append(certify(formula, tmp_path, solver, binary))
        assert answers[-1] is truth(formula), seed
    assert 15 < sum(answers) < 45


@pytest.mark.parametrize(("solver", "binary"), WAYS)
def test_longer_proofs_are_certified(solver: str, binary: bool, tmp_path: Path) -> None:
    require_solvers()
    answers = [certify(hard_qdimacs(Random(seed)), tmp_path, solver, binary) for seed in range(25)]
    assert 3 < sum(answers) < 20
