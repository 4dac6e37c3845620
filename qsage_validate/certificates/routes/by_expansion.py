"""Certificates of small formulas by eliminating quantifiers from the inside, on a graph.

``∃x f`` is ``f[x := 0] ∨ f[x := 1]``, and ``f[x := 1]`` is a Skolem function of x: where some
value makes f true, 1 does, or 0 does where 1 does not.  Universal variables are the dual case.
What is left of the matrix in the end is a constant, the formula's truth; the functions of the
side that wins, with those of outer variables put in, are a certificate.  This takes no solver
and no extra, but each step may double the graph.

Jiang, *Quantifier elimination via functional composition* (CAV 2009).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from qsage_validate.circuit.aig import FALSE, TRUE, Aig, AigBuilder
from qsage_validate.circuit.embed import embed
from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.circuit.sweep import sweep
from qsage_validate.errors import UndecidedError
from qsage_validate.kernel.certificate import CircuitCertificate, Dialect, Kind
from qsage_validate.system.limits import NEVER, Deadline

MAX_GATES: Final = 100_000
"""The graph of a step may have so many gates."""

# Below this many gates sweeping costs more than it saves.
_SWEEP_FROM: Final = 500


@dataclass(frozen=True, slots=True)
class _Choice:
    """A function that makes the matrix true (or false) wherever its variable can do that.

    Its graph has all variables as inputs; it reads only those to the left of its own.
    """

    variable: int
    aig: Aig
    literal: int


def expand(
    formula: Qbf, *, deadline: Deadline = NEVER, max_gates: int = MAX_GATES
) -> CircuitCertificate:
    """Decide a closed formula, and give functions of the side that wins.

    Raises ``UndecidedError`` at the deadline, or when the graph of a step has more than
    ``max_gates``.
    """
    order = [(v, s.quantifier) for s in formula.scopes for v in s.variables]
    place = {v: k for k, (v, _) in enumerate(order)}
    builder = AigBuilder(len(order))
    matrix = formula.add_to(builder, {v: builder.inputs[place[v]] for v, _ in order})
    aig, (matrix,) = builder.build([matrix])
    choices: dict[Quantifier, list[_Choice]] = {quantifier: [] for quantifier in Quantifier}
    for variable, quantifier in reversed(order):
        if deadline.over:
            raise UndecidedError("the time for the expansion is over")
        aig, matrix, with_one = _eliminate(aig, matrix, place[variable], quantifier, deadline)
        if aig.num_gates > max_gates:
            raise UndecidedError(f"the expansion needs more than {max_gates:,} gates")
        # The universal player wants it false, and takes 1 where 1 does that.
        wanted = with_one ^ (quantifier is Quantifier.FORALL)
        choices[quantifier].append(_Choice(variable, aig, wanted))
    assert matrix in (FALSE, TRUE), "no variable is left"
    kind = Kind.SKOLEM if matrix == TRUE else Kind.HERBRAND
    return _compose(formula, kind, choices[kind.decides][::-1], place)


def _eliminate(
    aig: Aig, matrix: int, place: int, quantifier: Quantifier, deadline: Deadline
) -> tuple[Aig, int, int]:
    """A graph with the matrix without the input ``place``, and with the one where it is true."""
    builder = AigBuilder(aig.num_inputs)
    cofactors = []
    for value in (FALSE, TRUE):
        inputs = list(builder.inputs)
        inputs[place] = value
        cofactors += embed(builder, aig, inputs, [matrix])
    combine = builder.or_ if quantifier is Quantifier.EXISTS else builder.and_
    smaller, outputs = builder.build([combine(*cofactors), cofactors[1]])
    if smaller.num_gates >= _SWEEP_FROM:
        swept = sweep(smaller, outputs, deadline=deadline)
        smaller, outputs = swept.aig, list(swept.outputs)
    return smaller, outputs[0], outputs[1]


def _compose(
    formula: Qbf, kind: Kind, choices: list[_Choice], place: dict[int, int]
) -> CircuitCertificate:
    """The functions over the opponent's variables alone; ``choices`` from the outside."""
    opponent = formula.variables(kind.decides.dual)
    builder = AigBuilder(len(opponent))
    inputs = [FALSE] * len(place)
    for variable, literal in zip(opponent, builder.inputs, strict=True):
        inputs[place[variable]] = literal
    functions: dict[int, int] = {}
    for choice in choices:
        (literal,) = embed(builder, choice.aig, inputs, [choice.literal])
        inputs[place[choice.variable]] = functions[choice.variable] = literal
    aig, moved = builder.build(list(functions.values()))
    return CircuitCertificate(
        kind,
        aig,
        opponent,
        dict(zip(functions, moved, strict=True)),
        Dialect.CAQE,
        recognised="made here",
    )
