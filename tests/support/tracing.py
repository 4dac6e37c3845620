"""Traces of formulas by the solvers that PyQBF brings, and formulas that make them work."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.formats.qdimacs import parse_qdimacs
from qsage_validate.solvers.backend import Missing
from qsage_validate.solvers.backends import get_backend
from qsage_validate.system.limits import Deadline, Limits

WAYS = (("depqbf", False), ("depqbf", True), ("qute", False))
"""Solver and whether its trace is binary."""


def require_solvers() -> None:
    """Skip the test where a solver that writes traces is missing."""
    for name, _ in WAYS:
        found = get_backend(name).availability()
        if isinstance(found, Missing):
            pytest.skip(f"{name} is missing: {found.reason}")


def traced(formula: Qbf, folder: Path, solver: str, *, binary: bool = False) -> tuple[bool, Path]:
    """The answer of a solver and the file of its trace."""
    path = folder / f"{solver}.trace"
    outcome = get_backend(solver).solve(
        formula, Limits(Deadline.after(60)), workdir=folder, trace=path, binary_trace=binary
    )
    assert outcome.truth is not None, outcome.why
    assert outcome.trace == path
    return outcome.truth, path


def hard_qdimacs(rng: Random) -> Qbf:
    """Clauses of three to five literals over three to six scopes; about half are true."""
    letter = rng.choice("ea")
    lines, universal, following = [], set[int](), 1
    for _ in range(rng.randint(2, 5)):
        variables = list(range(following, following + rng.randint(2, 7)))
        following = variables[-1] + 1
        if letter == "a":
            universal |= set(variables)
        lines.append(" ".join([letter, *map(str, variables), "0"]))
        letter = "e" if letter == "a" else "a"
    variables = list(range(following, following + rng.randint(3, 8)))
    lines.append(" ".join(["e", *map(str, variables), "0"]))
    last = variables[-1]
    clauses = []
    for _ in range(int(last * rng.uniform(1.2, 3))):
        chosen = list(universal)
        while sum(v in universal for v in chosen) > 2 or not chosen:
            chosen = rng.sample(range(1, last + 1), rng.choice((3, 3, 4, 4, 5)))
        clauses.append(" ".join(str(v * rng.choice((1, -1))) for v in chosen) + " 0")
    return parse_qdimacs("\n".join([f"p cnf {last} {len(clauses)}", *lines, *clauses]) + "\n")
