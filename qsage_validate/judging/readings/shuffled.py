"""Readings of formulas whose variables are in no order inside the scopes.

Where no order of the bits can be taken from the file, each ply's is guessed by how often Black
wins: the share of true values with a code at a ply is held against the share of random plays that
Black wins with a move there.  Then ply after ply is arranged anew as long as more plays agree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, permutations, product
from math import factorial, sqrt
from random import Random
from typing import Final

from qsage_validate.games.protocol import Player
from qsage_validate.judging.readings.codes import Style, styles
from qsage_validate.judging.readings.places import Windows, sequences, views
from qsage_validate.judging.readings.screening import Reading, Screened, Screening
from qsage_validate.system.limits import Deadline

_SAMPLES: Final = 1200
_FEW_PLAYS: Final = 16
_MOST_ARRANGEMENTS: Final = 150
_MOST_BITS: Final = 7
_MOST_SEQUENCES: Final = 4
_MOST_STARTS: Final = 3
_ROUNDS: Final = 4
# The cost of a reading whose bits are in no order of the file.
_COST: Final = 4


def rearranged(
    screening: Screening, start: Screened, deadline: Deadline, pools: Windows | None = None
) -> Screened:
    """The best reading that is reached from ``start`` by arranging one ply after the other anew.

    ``pools`` are the variables that each ply may have; without them it keeps its own.
    """
    best = screening.ask(start.reading, _FEW_PLAYS)
    sets = pools or start.reading.windows
    plies = len(start.reading.windows)
    for _ in range(_ROUNDS):
        before = best
        for ply in range(plies):
            for reading in _neighbours(best.reading, ply, sets[ply]):
                if deadline.over:
                    return screening.ask(best.reading)
                one = screening.ask(reading, _FEW_PLAYS)
                if one.share > best.share:
                    best = one
            if best.fits:
                whole = screening.ask(best.reading)
                if whole.fits:
                    return whole
        if best is before:
            break
    whole = screening.ask(best.reading)
    if whole.fits or best.share < 0.8:
        return whole
    # Few plays leave ties: all of them decide between the last neighbours.
    for ply in range(plies):
        for reading in _neighbours(whole.reading, ply, sets[ply]):
            if deadline.over:
                return whole
            one = screening.ask(reading)
            if one.share > whole.share:
                whole = one
    return whole


def _neighbours(reading: Reading, ply: int, pool: Sequence[int]) -> Iterator[Reading]:
    """The readings with another arrangement of one ply's variables."""
    window = reading.windows[ply]
    others = [v for v in pool if v not in window]
    if not others and factorial(len(window)) <= _MOST_ARRANGEMENTS:
        arrangements: Iterator[tuple[int, ...]] = permutations(window)
    else:
        arrangements = _exchanged(window, others)
    for arranged in arrangements:
        if arranged != window:
            yield _with(reading, ply, arranged)


def _with(reading: Reading, ply: int, window: tuple[int, ...]) -> Reading:
    windows = (*reading.windows[:ply], window, *reading.windows[ply + 1 :])
    return replace(reading, windows=windows, cost=max(reading.cost, _COST))


def _exchanged(window: tuple[int, ...], others: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Two variables of a window exchanged, or one of them with a variable outside of it."""
    for i in range(len(window)):
        for j in range(i):
            changed = list(window)
            changed[i], changed[j] = changed[j], changed[i]
            yield tuple(changed)
        for other in others:
            yield (*window[:i], other, *window[i + 1 :])


def shuffled(screening: Screening, deadline: Deadline) -> Iterator[Screened]:
    """Readings from which :func:`rearranged` may go on, the likeliest first."""
    sketch, formula = screening.sketch, screening.formula
    starts: list[tuple[float, Reading, Windows]] = []
    known: dict[tuple[int, ...], list[Windows]] = {}
    for style in styles(sketch, ordered=False):
        widths = {player: code.width for player, code in style.codes.items()}
        key = tuple(widths.values())
        if key not in known:
            known[key] = []
            for view in views(formula):
                found = islice(sequences(view, sketch.movers, widths), _MOST_SEQUENCES)
                for _, chosen in found:
                    pools = tuple(view[scope].variables for scope in chosen)
                    if pools not in known[key] and len(set(chosen)) == len(chosen):
                        known[key].append(pools)
        for pools in known[key]:
            if deadline.over:
                return
            if max(map(len, pools[:-1]), default=0) > _MOST_BITS:
                continue
            score, reading = _by_rates(screening, style, pools)
            starts.append((score, reading, pools))
    starts.sort(key=lambda start: -start[0])
    for _, reading, pools in starts[:_MOST_STARTS]:
        if deadline.over:
            return
        start = screening.ask(reading, _FEW_PLAYS)
        screening.tried += 1
        yield rearranged(screening, start, deadline, pools)


def _by_rates(screening: Screening, style: Style, pools: Windows) -> tuple[float, Reading]:
    """The reading whose codes are true as often as Black wins, with the sum of correlations."""
    sketch = screening.sketch
    rates = _rates(screening, pools)
    windows: list[tuple[int, ...]] = []
    total = 0.0
    for ply, (player, pool) in enumerate(zip(sketch.movers, pools, strict=True)):
        code = style.codes[player]
        expected = {
            code.patterns[move]: rate
            for move, rate in sketch.rates[ply].items()
            if move in code.patterns
        }
        best = (-2.0, pool[: code.width])
        if rates[ply]:
            for window in islice(permutations(pool, code.width), 6000):
                places = [pool.index(v) for v in window]
                best = max(best, (_correlation(rates[ply], places, expected, player), window))
            total += best[0]
        windows.append(best[1])
    return total, Reading(style, tuple(windows), _COST)


def _rates(screening: Screening, pools: Windows) -> list[dict[tuple[bool, ...], float]]:
    """For each ply, how often the formula is true with values of its variables; empty if unknown.

    The other plies have random values, Black's those with which the formula can be true at all.
    """
    if pools in screening.rates:
        return screening.rates[pools]
    rng = Random(1)
    movers = screening.sketch.movers
    choices: list[list[tuple[bool, ...]] | None] = []
    for ply, pool in enumerate(pools):
        if len(pool) > _MOST_BITS:
            choices.append(None)
            continue
        every = list(product((False, True), repeat=len(pool)))
        if movers[ply] is Player.BLACK:
            live = screening.values.live(pools, ply)
            every = sorted(live) if live else every
        choices.append(every)
    counts: list[dict[tuple[bool, ...], list[int]]] = [{} for _ in pools]
    for _ in range(_SAMPLES):
        fixed: dict[int, bool] = {}
        drawn: list[tuple[bool, ...] | None] = []
        for pool, choice in zip(pools, choices, strict=True):
            bits = None if choice is None else rng.choice(choice)
            drawn.append(bits)
            if bits is not None:
                fixed.update(zip(pool, bits, strict=True))
        value = screening.values.value(fixed)
        for count, bits in zip(counts, drawn, strict=True):
            if bits is not None and value is not None:
                own = count.setdefault(bits, [0, 0])
                own[0] += value
                own[1] += 1
    found = [{bits: won / n for bits, (won, n) in count.items()} for count in counts]
    screening.rates[pools] = found
    return found


def _correlation(
    rates: Mapping[tuple[bool, ...], float],
    places: Sequence[int],
    expected: Mapping[tuple[bool, ...], float],
    player: Player,
) -> float:
    """Pearson's correlation of the rates of codes with those of the moves that they would be.

    An illegal code of Black's wins nothing; of White's nothing is expected.
    """
    pairs: list[tuple[float, float]] = []
    for bits, rate in rates.items():
        wanted = expected.get(tuple(bits[place] for place in places))
        if wanted is None:
            if player is Player.WHITE:
                continue
            wanted = 0.0
        pairs.append((rate, wanted))
    if player is Player.BLACK:
        # Codes that can never be true are not drawn at all.
        missing = len(expected) - sum(wanted > 0 for _, wanted in pairs)
        pairs += [(0.0, 1.0)] * max(0, missing)
    if len(pairs) < 3:
        return 0.0
    n = len(pairs)
    mean = [sum(pair[k] for pair in pairs) / n for k in (0, 1)]
    spread = [sqrt(sum((pair[k] - mean[k]) ** 2 for pair in pairs)) for k in (0, 1)]
    if not spread[0] or not spread[1]:
        return 0.0
    return sum((a - mean[0]) * (b - mean[1]) for a, b in pairs) / (spread[0] * spread[1])
