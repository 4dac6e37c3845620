"""Readings of formulas whose variables are in no order inside the scopes.

Where no order of the bits can be taken from the file, each ply's is guessed by how often Black
wins: the share of true values with a code at a ply is held against the share of random plays that
Black wins with a move there.  Then ply after ply is arranged anew as long as more plays agree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, permutations, product
from math import factorial, prod, sqrt
from random import Random
from typing import Final

from qsage_validate.games.protocol import Player
from qsage_validate.judging.readings.codes import LSB, MoveStyle, styles
from qsage_validate.judging.readings.places import Windows, sequences, views
from qsage_validate.judging.readings.screening import ReadingGuess, Screened, Screening
from qsage_validate.judging.readings.values import Pattern

_SAMPLES: Final = 1200
_QUICK_PLAYS: Final = 24
_MOST_COMBINED: Final = 4000
_MOST_ORDERS: Final = 20_000
_MOST_WINDOWS: Final = 5040
_CONTEXTS: Final = 60
_FEW_PLAYS: Final = 16
_MOST_ARRANGEMENTS: Final = 150
_MOST_BITS: Final = 7
_MOST_SEQUENCES: Final = 4
_MOST_STARTS: Final = 4
_ROUNDS: Final = 4
# The cost of a reading whose bits are in no order of the file.
_COST: Final = 8


def rearranged(
    screening: Screening, start: Screened, effort: float, pools: Windows | None = None
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
                if screening.is_over(effort):
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
            if screening.is_over(effort):
                return whole
            one = screening.ask(reading)
            if one.share > whole.share:
                whole = one
    return whole


def _neighbours(reading: ReadingGuess, ply: int, pool: Sequence[int]) -> Iterator[ReadingGuess]:
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


def _with(reading: ReadingGuess, ply: int, window: tuple[int, ...]) -> ReadingGuess:
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


def shuffled(screening: Screening, effort: float) -> Iterator[Screened]:
    """Readings from which :func:`rearranged` may go on, the likeliest first."""
    sketch, formula = screening.sketch, screening.formula
    starts: list[tuple[float, MoveStyle, list[list[tuple[int, ...]]], Windows]] = []
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
            if screening.is_over(effort):
                return
            if max(map(len, pools[:-1]), default=0) > _MOST_BITS:
                continue
            starts.append(_by_rates(screening, style, pools))
    starts.sort(key=lambda start: -start[0])
    likely = starts[:_MOST_STARTS]
    ways: list[tuple[tuple[MoveStyle, Windows] | None, Iterator[ReadingGuess]]] = [
        (None, _combined(style, candidates)) for _, style, candidates, _ in likely
    ]
    all_of = [(style, pools) for _, style, _, pools in likely if _has_few_orders(style, pools)]
    ways += [(one, _every_order(*one)) for one in all_of]
    for every, way in ways:
        for reading in way:
            if screening.is_over(effort):
                return
            screening.tried += 1
            if screening.agrees(reading, _QUICK_PLAYS):
                one = screening.ask(reading)
                if one.fits:
                    yield one
        if every is not None:
            screening.orders_tried.add(order_key(*every))
    for _, style, candidates, pools in starts[:_MOST_STARTS]:
        if screening.is_over(effort):
            return
        reading = ReadingGuess(style, tuple(own[0] for own in candidates), _COST)
        yield rearranged(screening, screening.ask(reading, _FEW_PLAYS), effort, pools)


def _combined(
    style: MoveStyle, candidates: Sequence[Sequence[tuple[int, ...]]]
) -> Iterator[ReadingGuess]:
    """One candidate for each ply, those that stand first in their lists first."""
    ranked = (range(len(own)) for own in candidates)
    chosen = sorted(islice(product(*ranked), 50 * _MOST_COMBINED), key=sum)
    for places in chosen[:_MOST_COMBINED]:
        windows = tuple(own[k] for own, k in zip(candidates, places, strict=True))
        yield ReadingGuess(style, windows, _COST)


def order_key(style: MoveStyle, windows: Windows) -> tuple[str, tuple[frozenset[int], ...]]:
    """What readings have in common that differ in the order of their bits."""
    return style.words.removesuffix(LSB), tuple(map(frozenset, windows))


def _has_few_orders(style: MoveStyle, pools: Windows) -> bool:
    """True if each scope has the bits of its ply and no more, in orders that can all be tried."""
    widths = {code.width for code in style.codes.values()}
    alike = widths == set(map(len, pools))
    return alike and len(widths) == 1 and prod(map(factorial, map(len, pools))) <= _MOST_ORDERS


def _every_order(style: MoveStyle, pools: Windows) -> Iterator[ReadingGuess]:
    """All orders of the bits of all plies.

    Rates tell little of White's plies where illegal moves of White's do nothing, or lose.
    """
    for windows in product(*map(permutations, pools)):
        yield ReadingGuess(style, windows, _COST)


def _by_rates(
    screening: Screening, style: MoveStyle, pools: Windows
) -> tuple[float, MoveStyle, list[list[tuple[int, ...]]], Windows]:
    """Windows for each ply whose codes are true as often as Black wins, the best ones first.

    The first value is the sum of the best correlations of Black's plies.
    """
    sketch = screening.sketch
    rates = _rates(screening, pools)
    candidates: list[list[tuple[int, ...]]] = []
    total = 0.0
    for ply, (player, pool) in enumerate(zip(sketch.movers, pools, strict=True)):
        code = style.codes[player]
        expected = {
            code.patterns[move]: rate
            for move, rate in sketch.rates[ply].items()
            if move in code.patterns
        }
        if not rates[ply]:
            candidates.append([pool[: code.width]])
            continue
        scored: list[tuple[float, tuple[int, ...]]] = []
        for window in islice(permutations(pool, code.width), _MOST_WINDOWS):
            places = [pool.index(v) for v in window]
            scored.append((_correlation(rates[ply], places, expected, player), window))
        scored.sort(key=lambda one: -one[0])
        best = scored[0][0]
        total += best if player is Player.BLACK else min(0.0, best + 1)
        # Of Black's moves the rates tell much, of White's little more than which ones are legal.
        near = 0.25 if player is Player.BLACK else 1.9
        most = 4 if player is Player.BLACK else 24
        candidates.append([window for score, window in scored[:most] if score >= best - near])
    return total, style, candidates, pools


def _rates(screening: Screening, pools: Windows) -> list[dict[Pattern, float]]:
    """For each ply, how often the formula is true with values of its variables; empty if unknown.

    The other plies have random values, Black's those with which the formula can be true at all.
    """
    if pools in screening.rates:
        return screening.rates[pools]
    rng = Random(1)
    choices = _choices(screening, pools, rng)
    counts: list[dict[Pattern, list[int]]] = [{} for _ in pools]
    for _ in range(_SAMPLES):
        fixed = _drawn(pools, choices, rng)
        value = screening.values.value(fixed)
        for count, pool, choice in zip(counts, pools, choices, strict=True):
            if choice is not None and value is not None:
                own = count.setdefault(tuple(fixed[v] for v in pool), [0, 0])
                own[0] += value
                own[1] += 1
    found = [{bits: won / n for bits, (won, n) in count.items()} for count in counts]
    for shares, pool, player in zip(found, pools, screening.sketch.movers, strict=True):
        if shares and player is Player.BLACK:
            for bits in product((False, True), repeat=len(pool)):
                shares.setdefault(bits, 0.0)
    screening.rates[pools] = found
    return found


def _choices(screening: Screening, pools: Windows, rng: Random) -> list[list[Pattern] | None]:
    """The values of each ply's variables that tell something; ``None`` where there are too many.

    Those of Black's with which the formula can be true, and those of White's that differ from the
    others: what the formula makes of illegal moves is one and the same for all of them.
    """
    movers = screening.sketch.movers
    choices: list[list[Pattern] | None] = []
    for ply, pool in enumerate(pools):
        if len(pool) > _MOST_BITS:
            choices.append(None)
            continue
        every = list(product((False, True), repeat=len(pool)))
        live = screening.values.live(pools, ply) if movers[ply] is Player.BLACK else None
        choices.append(sorted(live) if live else every)
    for ply, pool in enumerate(pools):
        choice = choices[ply]
        if movers[ply] is Player.BLACK or choice is None:
            continue
        contexts = [_drawn(pools, choices, rng) for _ in range(_CONTEXTS)]
        alike: dict[tuple[bool | None, ...], list[Pattern]] = {}
        for bits in choice:
            own = dict(zip(pool, bits, strict=True))
            row = tuple(screening.values.value({**context, **own}) for context in contexts)
            alike.setdefault(row, []).append(bits)
        largest = max(alike.values(), key=len)
        if 1 < len(largest) < len(choice):
            choices[ply] = [bits for bits in choice if bits not in largest]
    return choices


def _drawn(
    pools: Windows, choices: Sequence[Sequence[Pattern] | None], rng: Random
) -> dict[int, bool]:
    fixed: dict[int, bool] = {}
    for pool, choice in zip(pools, choices, strict=True):
        if choice is not None:
            fixed.update(zip(pool, rng.choice(choice), strict=True))
    return fixed


def _correlation(
    rates: Mapping[Pattern, float],
    places: Sequence[int],
    expected: Mapping[Pattern, float],
    player: Player,
) -> float:
    """Pearson's correlation of the rates of codes with those of the moves that they would be.

    An illegal code of Black's wins nothing; White's are legal.
    """
    pairs: list[tuple[float, float]] = []
    for bits, rate in rates.items():
        wanted = expected.get(tuple(bits[place] for place in places))
        if wanted is None:
            if player is Player.WHITE:
                return -9.0  # what differs from illegal moves is legal
            wanted = 0.0
        pairs.append((rate, wanted))
    if len(pairs) < 3:
        return 0.0
    n = len(pairs)
    mean = [sum(pair[k] for pair in pairs) / n for k in (0, 1)]
    spread = [sqrt(sum((pair[k] - mean[k]) ** 2 for pair in pairs)) for k in (0, 1)]
    if not spread[0] or not spread[1]:
        return 0.0
    return sum((a - mean[0]) * (b - mean[1]) for a, b in pairs) / (spread[0] * spread[1])
