"""Functions of helpers of which nothing is known, from the claim that there are some.

"For every script there are values of the helpers" is a quantified formula itself: each input of
the scripts is universal, and stands left of the helpers that may depend on it.  Its quantifiers are
eliminated, and the functions that come out are suggestions like all others: the claims on whole
scripts are made with them, and the kernel checks these.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Final

from qsage_validate.circuit.aig import embed
from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope
from qsage_validate.errors import UndecidedError
from qsage_validate.kernel.certificate import CertificateKind
from qsage_validate.system.limits import Deadline

if TYPE_CHECKING:
    from qsage_validate.judging.sandwich import Scripts

_MOST_GATES: Final = 10_000
"""The size of a step of the elimination: some tenths of a second."""


def completion(
    script: Scripts, wrong: int, helpers: Mapping[int, int], deadline: Deadline
) -> dict[int, int]:
    """For each helper a literal of the script's graph, such that ``wrong`` is never true.

    ``helpers`` has the input that stands for each helper.  Nothing where there are no such
    functions, and where none were found before the deadline or in graphs of some size.
    """
    from qsage_validate.certificates.routes.by_expansion import expand

    formula = _claim(script, wrong, helpers)
    try:
        found = expand(formula, deadline=deadline, max_gates=_MOST_GATES)
    except UndecidedError:
        return {}
    if found.kind is not CertificateKind.SKOLEM:
        return {}
    inputs = [script.builder.inputs[v - 1] for v in found.inputs]
    variables = {literal: v for v, literal in helpers.items()}
    functions = {
        variables[script.builder.inputs[k - 1]]: literal for k, literal in found.functions.items()
    }
    literals = embed(script.builder, found.aig, inputs, list(functions.values()))
    return dict(zip(functions, literals, strict=True))


def _claim(script: Scripts, wrong: int, helpers: Mapping[int, int]) -> Qbf:
    """The formula that is true if some functions of the helpers keep ``wrong`` from being true.

    Its variables are the numbers of the graph's inputs, from 1.
    """
    aig, (root,) = script.builder.build([wrong ^ 1])
    places = {literal: script.codes.levels[v] for v, literal in helpers.items()}
    order = sorted(
        (places.get(literal, script.known.get(literal, 0)), literal in places, number)
        for number, literal in enumerate(script.builder.inputs, start=1)
    )
    scopes = tuple(
        Scope(
            Quantifier.EXISTS if helper else Quantifier.FORALL,
            tuple(number for _, _, number in block),
        )
        for (_, helper), block in groupby(order, lambda one: one[:2])
    )
    gates = {
        number: Gate(Connective.AND, (_signed(left), _signed(right)))
        for number, (left, right) in enumerate(aig.pairs(), start=aig.num_inputs + 1)
    }
    return Qbf(scopes, gates, _signed(root))


def _signed(literal: int) -> int:
    return -(literal >> 1) if literal & 1 else literal >> 1
