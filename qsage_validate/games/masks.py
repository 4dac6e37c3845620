"""Sets of positions as integers: position number k is bit k; and the bits that number them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence


def bits(mask: int) -> Iterator[int]:
    """The single bits of a mask, the lowest first."""
    while mask:
        low = mask & -mask
        yield low
        mask ^= low


def members(mask: int) -> Iterator[int]:
    """The numbers in a mask, ascending."""
    for bit in bits(mask):
        yield bit.bit_length() - 1


def width_for(count: int) -> int:
    """The number of bits that can number ``count`` things from 0."""
    return max(count - 1, 0).bit_length()


def mask_of(numbers: Iterable[int]) -> int:
    mask = 0
    for number in numbers:
        mask |= 1 << number
    return mask


def minimal(masks: Iterable[int]) -> tuple[int, ...]:
    """The masks that contain no other one, each once, the smallest first."""
    kept: list[int] = []
    # A subset of a mask has its lowest member among the mask's.
    by_low: dict[int, list[int]] = {}
    for mask in sorted(dict.fromkeys(masks), key=int.bit_count):
        if not mask:
            return (0,)
        if not any(m & mask == m for bit in bits(mask) for m in by_low.get(bit, ())):
            kept.append(mask)
            by_low.setdefault(mask & -mask, []).append(mask)
    return tuple(kept)


def spread(mask: int, neighbours: Sequence[int]) -> int:
    """All neighbours of the members of a mask."""
    result = 0
    while mask:
        low = mask & -mask
        result |= neighbours[low.bit_length() - 1]
        mask ^= low
    return result


def flood(seed: int, through: int, neighbours: Sequence[int]) -> int:
    """The positions connected within ``through`` with those of ``seed`` that lie in ``through``."""
    reached = frontier = seed & through
    while frontier:
        frontier = spread(frontier, neighbours) & through & ~reached
        reached |= frontier
    return reached
