"""Formulas and expressions as Python source, over variables given as identifiers."""

from __future__ import annotations

import keyword
from collections.abc import Mapping

from qsage_validate.games.impartial.formula import (
    And,
    Comparison,
    Congruence,
    Formula,
    Linear,
    Not,
    Or,
    Truth,
)

_RELATIONS = {"=": "=="}


def identifiers(variables: tuple[str, ...]) -> dict[str, str]:
    """A Python identifier for each variable: its own name, unless that is a keyword."""
    return {v: f"{v}_" if keyword.iskeyword(v) else v for v in variables}


def linear_source(expression: Linear, names: Mapping[str, str]) -> str:
    """The expression as Python source; ``names`` says what each variable is called there."""
    return str(Linear.of({names[n]: a for n, a in expression.terms}, expression.constant))


def formula_source(formula: Formula, names: Mapping[str, str]) -> str:
    """The formula as a Python expression; ``names`` as in :func:`linear_source`."""
    match formula:
        case Truth(value):
            return str(value)
        case Comparison(relation, left, right):
            sign = _RELATIONS.get(relation, relation)
            return f"{linear_source(left, names)} {sign} {linear_source(right, names)}"
        case Congruence(expression, modulus, residue, equal):
            sign = "==" if equal else "!="
            if residue.is_constant:
                rest = residue.constant % modulus
            else:
                expression, rest = expression - residue, 0
            divided = linear_source(expression, names)
            if not divided.isidentifier():
                divided = f"({divided})"
            return f"{divided} % {modulus} {sign} {rest}"
        case And(parts):
            return "(" + " and ".join(formula_source(p, names) for p in parts) + ")"
        case Or(parts):
            return "(" + " or ".join(formula_source(p, names) for p in parts) + ")"
        case Not(part):
            return f"(not {formula_source(part, names)})"
    raise TypeError(f"no formula: {formula!r}")
