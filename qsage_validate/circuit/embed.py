"""Copies of graphs: into a builder, where equal gates meet, and reduced on their own."""

from __future__ import annotations

from collections.abc import Sequence

from qsage_validate.circuit.aig import FALSE, TRUE, Aig, AigBuilder


def embed(
    builder: AigBuilder, aig: Aig, inputs: Sequence[int], outputs: Sequence[int]
) -> list[int]:
    """Build the cone of ``outputs`` inside ``builder``; returns their literals there.

    ``inputs[k]`` is the literal in ``builder`` that stands for input ``k + 1`` of ``aig``.
    One linear pass; the builder's constant propagation, hashing and two-level rules apply to
    every gate.
    """
    if len(inputs) != aig.num_inputs:
        raise ValueError(f"{len(inputs)} literals for {aig.num_inputs} inputs")
    cone = aig.cone(outputs)
    literals = [FALSE, TRUE]
    for literal in inputs:
        literals += (literal, literal ^ 1)
    and_ = builder.and_
    for needed, left, right in zip(
        cone.tolist(), aig.fanin0.tolist(), aig.fanin1.tolist(), strict=True
    ):
        literal = and_(literals[left], literals[right]) if needed else FALSE
        literals += (literal, literal ^ 1)
    return [literals[output] for output in outputs]


def strash(aig: Aig, outputs: Sequence[int]) -> tuple[Aig, list[int]]:
    """An equivalent graph of the cone of ``outputs`` and the outputs in its numbering.

    Inputs keep their variables.  Certificates of QuAbS shrink to a tenth, for they repeat
    gates and keep constants.
    """
    builder = AigBuilder(aig.num_inputs)
    return builder.build(embed(builder, aig, builder.inputs, outputs))
