"""Clauses by brute force, and a reader of LRAT files that shares nothing with the product's."""

from __future__ import annotations

from itertools import product

from tests.support.rup import Clause, RupChecker


def satisfiable(clauses: list[Clause]) -> bool:
    """Whether some values satisfy all clauses, by trying all."""
    variables = sorted({abs(x) for clause in clauses for x in clause})
    for values in product((False, True), repeat=len(variables)):
        true = {v if value else -v for v, value in zip(variables, values, strict=True)}
        if all(any(x in true for x in clause) for clause in clauses):
            return True
    return False


def lrat_clauses(text: str) -> list[Clause]:
    """The steps of a proof, deletions left out."""
    lines = [line.split() for line in text.splitlines()]
    return [tuple(map(int, w[1 : w.index("0")])) for w in lines if w[1] != "d"]


def refutes(clauses: list[Clause], lrat: str) -> bool:
    """Whether the steps follow by unit propagation without any hint, down to the empty clause."""
    checker = RupChecker(clauses)
    steps = lrat_clauses(lrat)
    return all(map(checker.follows, steps)) and steps[-1] == ()
