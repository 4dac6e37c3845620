"""Arithmetic on short bit vectors as circuits (paper, section 4.3, auxiliary circuits).

Vectors are tuples of signed literals, most significant bit first; values are modulo two to
the width.  Everything works for a vector of width 0, the coordinate of an axis of length 1.
"""

from __future__ import annotations

from collections.abc import Sequence

from qsage_validate.circuit.qbf import CircuitBuilder

Bits = tuple[int, ...]


def width_for(count: int) -> int:
    """The number of bits that can number ``count`` things from 0."""
    return max(count - 1, 0).bit_length()


def add_constant(circuit: CircuitBuilder, bits: Sequence[int], constant: int) -> Bits:
    """``bits + constant``, a ripple-carry adder (the paper's ADD; SUB for a negative constant)."""
    constant %= 1 << len(bits)
    result: list[int] = []
    carry: int | None = None
    for position, bit in enumerate(reversed(bits)):
        if constant >> position & 1:
            result.append(-bit if carry is None else circuit.iff(bit, carry))
            carry = bit if carry is None else circuit.or_(bit, carry)
        else:
            result.append(bit if carry is None else -circuit.iff(bit, carry))
            carry = None if carry is None else circuit.and_(bit, carry)
    return tuple(reversed(result))


def equality_clauses(circuit: CircuitBuilder, left: Sequence[int], right: Sequence[int]) -> Bits:
    """Literals whose conjunction says that two vectors are equal (the paper's EQ).

    Given as a list so that callers put them into one gate with whatever else must hold.
    """
    parts: list[int] = []
    for a, b in zip(left, right, strict=True):
        parts += [circuit.or_(-a, b), circuit.or_(a, -b)]
    return tuple(parts)


def constant_literals(bits: Sequence[int], value: int) -> Bits:
    """Literals whose conjunction says that ``bits`` have ``value`` (EQ with an integer)."""
    return tuple(
        bit if value >> position & 1 else -bit
        for position, bit in zip(range(len(bits) - 1, -1, -1), bits, strict=True)
    )


def less_than(circuit: CircuitBuilder, bits: Sequence[int], bound: int) -> int:
    """One literal: ``bits < bound`` (the paper's LT)."""
    if bound <= 0:
        return circuit.false
    if bound >= 1 << len(bits):
        return circuit.true
    return _less_than(circuit, tuple(bits), bound)


def _less_than(circuit: CircuitBuilder, bits: Bits, bound: int) -> int:
    # Leading bits of the bound alternate runs: a run of ones allows any zero among them to
    # decide, a run of zeros asks for all of them to be zero.
    if bound == 0:
        return circuit.false
    head = bound >> (len(bits) - 1) & 1
    run = 1
    while run < len(bits) and (bound >> (len(bits) - 1 - run) & 1) == head:
        run += 1
    rest = _less_than(circuit, bits[run:], bound & ((1 << (len(bits) - run)) - 1))
    zeros = tuple(-bit for bit in bits[:run])
    return circuit.or_(*zeros, rest) if head else circuit.and_(*zeros, rest)


def in_range(circuit: CircuitBuilder, bits: Sequence[int], low: int, high: int) -> Bits:
    """Literals whose conjunction says ``low <= bits <= high`` (the paper's BDCIR, one axis)."""
    if low > high:
        return (circuit.false,)
    parts = (-less_than(circuit, bits, low), less_than(circuit, bits, high + 1))
    return tuple(part for part in parts if part != circuit.true)
