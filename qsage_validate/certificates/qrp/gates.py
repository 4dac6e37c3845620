"""Gates in clauses: which variables of a clausal form are conjunctions of others.

A form that Tseitin's transformation made says of most of its variables what they are.  Whatever
satisfies the clauses gives such a variable the value of its gate, so its Skolem function is that
gate, over the functions of the gate's inputs, and a proof need not be asked for it.
"""

from __future__ import annotations

from collections.abc import Mapping

from qsage_validate.circuit.qbf import Quantifier
from qsage_validate.formats.qdimacs import ClausalForm

Definitions = Mapping[int, tuple[int, ...]]
"""Signed variables and the literals that each is the conjunction of."""


def conjunctions(form: ClausalForm) -> Definitions:
    """The existential variables that clauses define as conjunctions or disjunctions.

    ``g`` in the result is the conjunction of its literals, ``-g`` says that the negation of
    ``g`` is.  All of the literals have smaller variables of the same scope or of one further
    left, so that the gates form a circuit.  One definition of each variable is taken.
    """
    levels = {v: k for k, scope in enumerate(form.scopes) for v in scope.variables}
    existential = {v for s in form.scopes if s.quantifier is Quantifier.EXISTS for v in s.variables}
    implied: set[tuple[int, int]] = set()
    for clause in form.clauses:
        if len(clause) == 2:
            a, b = clause
            implied |= {(-a, b), (-b, a)}
    found: dict[int, tuple[int, ...]] = {}
    for clause in form.clauses:
        head = max(clause, key=abs, default=0)
        variable = abs(head)
        if variable not in existential or head in found or -head in found:
            continue
        inputs = tuple(-x for x in clause if x != head)
        # head is implied by its inputs together; it must also imply each of them.
        if all((head, x) in implied and levels[abs(x)] <= levels[variable] for x in inputs):
            found[head] = inputs
    return found
