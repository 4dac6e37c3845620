"""Formulas as SMT-LIB 2, with the congruences over shared residue variables.

A solver that meets many terms ``(v - k) mod m`` treats each as a division of its own.  Here each
variable and modulus have one equation ``v = m q + r``, ``0 <= r < m``, and every congruence is a
choice among few values of a sum of residues; checks become up to a thousand times faster.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from qsage_validate.extensions.impartial.formula import (
    Congruence,
    ImpartialComparison,
    ImpartialFormula,
    Linear,
    Truth,
    prefix_text,
    without_not,
)


@dataclass(frozen=True)
class SmtQuestion:
    """An SMT-LIB script that is unsatisfiable when the claim ``title`` holds."""

    title: str
    text: str


def script(formulas: Iterable[ImpartialFormula], title: str = "") -> str:
    """An SMT-LIB script that asks whether the conjunction of ``formulas`` has a model."""
    writer = _Writer()
    formulas = [without_not(formula) for formula in formulas]
    assertions = [f"(assert {writer.formula(formula)})" for formula in formulas]
    lines = [f"; {line}" for line in title.splitlines()]
    names = sorted(set().union(*(formula.variables() for formula in formulas)))
    lines += ["(set-logic QF_LIA)", *(f"(declare-const {name} Int)" for name in names)]
    lines += writer.residue_lines() + assertions
    return "\n".join([*lines, "(check-sat)"]) + "\n"


def definition(name: str, variables: Sequence[str], formula: ImpartialFormula) -> str:
    """A ``define-fun`` of ``formula`` over ``variables``, with plain ``mod`` terms."""
    arguments = " ".join(f"({variable} Int)" for variable in variables)
    return f"(define-fun {name} ({arguments}) Bool\n  {_PlainWriter().formula(formula)})\n"


class _Writer:
    """Writes formulas and remembers which residues they need."""

    def __init__(self) -> None:
        self.residues: dict[tuple[str, int], str] = {}

    def residue_lines(self) -> list[str]:
        lines = []
        for (name, modulus), residue in self.residues.items():
            quotient = f"{name}!div{modulus}"
            lines += [
                f"(declare-const {quotient} Int)",
                f"(declare-const {residue} Int)",
                f"(assert (= {name} (+ (* {modulus} {quotient}) {residue})))",
                f"(assert (and (<= 0 {residue}) (< {residue} {modulus})))",
            ]
        return lines

    def formula(self, formula: ImpartialFormula) -> str:
        return prefix_text(formula, self._atom)

    def _atom(self, formula: ImpartialFormula) -> str:
        match formula:
            case Truth():
                return str(formula)
            case ImpartialComparison(relation):
                left, right = _sides(formula.difference)
                if relation == "!=":
                    return f"(not (= {left} {right}))"
                return f"({relation} {left} {right})"
            case Congruence():
                return self.congruence(formula)
        raise TypeError(f"no formula: {formula!r}")

    def congruence(self, atom: Congruence) -> str:
        """A choice among the multiples of the modulus that a sum of residues can be."""
        m = atom.modulus
        terms, low, high = [], atom.difference.constant, atom.difference.constant
        for name, factor in atom.difference.terms:
            # A factor near 0 leaves fewer multiples in reach.
            near = factor if 2 * factor <= m else factor - m
            residue = self.residues.setdefault((name, m), f"{name}!mod{m}")
            terms.append((residue, near))
            low += min(0, near * (m - 1))
            high += max(0, near * (m - 1))
        total = expression(Linear.of(dict(terms), atom.difference.constant))
        multiples = range(-(-low // m) * m, high + 1, m)
        choices = [f"(= {total} {_number(multiple)})" for multiple in multiples]
        some = choices[0] if len(choices) == 1 else f"(or {' '.join(choices)})"
        if not choices:
            some = "false"
        return some if atom.holds_equal else f"(not {some})"


def _sides(difference: Linear) -> tuple[str, str]:
    """Two expressions with positive factors that differ by ``difference``."""
    left = {name: factor for name, factor in difference.terms if factor > 0}
    right = {name: -factor for name, factor in difference.terms if factor < 0}
    constant = difference.constant
    return (
        expression(Linear.of(left, max(constant, 0))),
        expression(Linear.of(right, max(-constant, 0))),
    )


def expression(linear: Linear) -> str:
    parts = [
        name if factor == 1 else f"(* {_number(factor)} {name})" for name, factor in linear.terms
    ]
    if linear.constant or not parts:
        parts.append(_number(linear.constant))
    return parts[0] if len(parts) == 1 else f"(+ {' '.join(parts)})"


def _number(number: int) -> str:
    return str(number) if number >= 0 else f"(- {-number})"


class _PlainWriter(_Writer):
    """Writes congruences with ``mod``, which needs no variables of its own."""

    def congruence(self, atom: Congruence) -> str:
        left, residue = atom.expression, atom.residue
        if not residue.is_constant:
            left, residue = left - residue, Linear()
        rest = residue.constant % atom.modulus
        some = f"(= (mod {expression(left)} {atom.modulus}) {rest})"
        return some if atom.holds_equal else f"(not {some})"
