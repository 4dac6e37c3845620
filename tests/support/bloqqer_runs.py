"""Bloqqer on many small formulas at once, straight through PyQBF.

A process can run Bloqqer once: its state survives, and a second run crashes.  A process for each
formula, each importing PyQBF, takes a second where Bloqqer takes a millisecond.  So one child
imports PyQBF and forks for each formula.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from qsage_validate.certificates.qrat import QratTrace, read_qrat
from qsage_validate.circuit.qbf import Quantifier
from qsage_validate.formats.qdimacs import ClausalForm
from tests.support.places import REPOSITORY
from tests.support.readers import output_form

Run = tuple[bool | ClausalForm, QratTrace]


def run_bloqqer(forms: Sequence[ClausalForm], folder: Path) -> list[Run]:
    """For each form the truth or what is left of the formula, and the trace."""
    tasks = []
    for k, form in enumerate(forms):
        signs = {Quantifier.EXISTS: 1, Quantifier.FORALL: -1}
        prefix = [v * signs[s.quantifier] for s in form.scopes for v in s.variables]
        tasks.append((prefix, form.clauses, form.max_variable, str(folder / f"{k}.qrat")))
    child = subprocess.run(
        [sys.executable, "-m", __name__],
        cwd=REPOSITORY,
        input=json.dumps(tasks),
        capture_output=True,
        text=True,
        check=True,
    )
    answers = [json.loads(line) for line in child.stdout.splitlines() if line.startswith("[")]
    assert len(answers) == len(forms), child.stderr
    return [
        _run(form, answer, read_qrat(folder / f"{k}.qrat"))
        for k, (form, (answer,)) in enumerate(zip(forms, answers, strict=True))
    ]


def _run(form: ClausalForm, answer: bool | list[list[int]], trace: QratTrace) -> Run:
    if isinstance(answer, bool):
        return answer, trace
    return output_form(form, trace, map(tuple, answer)), trace


def _serve() -> None:
    from pyqbf.formula import PCNF
    from pyqbf.process import Bloqqer

    for prefix, clauses, largest, trace in json.load(sys.stdin):
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            formula = PCNF(from_clauses=clauses)
            formula.prefix = prefix
            formula.nv = max(formula.nv, largest)
            bloqqer = Bloqqer()
            bloqqer.set_qrat_file(trace)
            left = bloqqer.preprocess(formula)
            print(json.dumps([left if isinstance(left, bool) else left.clauses]), flush=True)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status:
            raise SystemExit(f"Bloqqer ended with status {status} on {clauses} under {prefix}")


if __name__ == "__main__":
    _serve()
