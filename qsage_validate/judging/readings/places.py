"""Where the variables of the plies may stand in a prefix, the likely places first."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from itertools import count, product
from typing import Final, NamedTuple

from qsage_validate.circuit.qbf import Qbf, Quantifier, Scope
from qsage_validate.games.protocol import Player

Windows = tuple[tuple[int, ...], ...]
"""The variables of each ply, in the order of the formula."""

_MOST_SEQUENCES: Final = 48
_MOST_OFFSETS: Final = 12
_MOST_STATES: Final = 20_000

QUANTIFIER: Final[Mapping[Player, Quantifier]] = {
    Player.BLACK: Quantifier.EXISTS,
    Player.WHITE: Quantifier.FORALL,
}


class WindowPlaces(NamedTuple):
    """Windows with how unusual they are: scopes that are passed over, and bits inside scopes."""

    cost: int
    windows: Windows


def views(formula: Qbf) -> list[tuple[Scope, ...]]:
    """The prefix as the file has it, and with neighbours of one quantifier merged."""
    own = tuple(scope for scope in formula.scopes if scope.variables)
    merged = formula.merged_scopes()
    return [own] if own == merged else [own, merged]


def places(
    formula: Qbf,
    movers: Sequence[Player],
    widths: Mapping[Player, int],
    *,
    any_quantifier: bool = False,
) -> Iterator[WindowPlaces]:
    """Places for plies whose moves have ``widths`` bits, the usual ones first, each once."""
    seen: set[Windows] = set()
    found: list[WindowPlaces] = []
    for view in views(formula):
        for gap, sequence in sequences(view, movers, widths, any_quantifier=any_quantifier):
            for cost, windows in _offsets(view, movers, widths, sequence):
                if windows not in seen:
                    seen.add(windows)
                    found.append(WindowPlaces(4 * gap + cost, windows))
    yield from sorted(found, key=lambda place: place.cost)


def passed_over(formula: Qbf, windows: Windows) -> tuple[int, ...] | None:
    """A scope without a ply, left of a ply and large enough for a move, of either quantifier."""
    least = min(map(len, windows))
    used = {v for window in windows for v in window}
    passed: list[tuple[int, ...]] = []
    for scope in formula.merged_scopes():
        if used.intersection(scope.variables):
            if passed:
                return passed[0]
        elif len(scope.variables) >= least:
            passed.append(scope.variables)
    return None


def sequences(
    view: Sequence[Scope],
    movers: Sequence[Player],
    widths: Mapping[Player, int],
    *,
    any_quantifier: bool = False,
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Scopes for the plies, in order, with how many that would do are passed over.

    Neighbouring plies of one player may share a scope.
    """

    def fits(index: int, player: Player) -> bool:
        scope = view[index]
        right = any_quantifier or scope.quantifier is QUANTIFIER[player]
        return right and len(scope.variables) >= max(1, widths[player])

    tie = count()
    heap: list[tuple[int, int, int, tuple[int, ...]]] = [(0, 0, next(tie), ())]
    given = states = 0
    while heap and given < _MOST_SEQUENCES and states < _MOST_STATES:
        gap, _, _, chosen = heapq.heappop(heap)
        states += 1
        if len(chosen) == len(movers):
            given += 1
            yield gap, chosen
            continue
        ply = len(chosen)
        player = movers[ply]
        first = chosen[-1] + 1 if chosen else 0
        passed = gap
        if chosen and movers[ply - 1] is player:
            room = len(view[chosen[-1]].variables) - widths[player] * chosen.count(chosen[-1])
            if room >= widths[player]:
                heapq.heappush(heap, (passed, -ply - 1, next(tie), (*chosen, chosen[-1])))
        for index in range(first, len(view)):
            if fits(index, player):
                heapq.heappush(heap, (passed, -ply - 1, next(tie), (*chosen, index)))
                passed += 1


def _offsets(
    view: Sequence[Scope],
    movers: Sequence[Player],
    widths: Mapping[Player, int],
    sequence: Sequence[int],
) -> Iterator[tuple[int, Windows]]:
    """Windows in the scopes of ``sequence``.

    A player's moves stand behind as many other variables in each scope, but in the first one:
    there none belong to an earlier ply.  Variables that are left in the scopes of moves are
    unusual, those of White's more so; helpers often share the scope of the last ply.
    """
    choices: list[list[tuple[int, int]]] = []
    players = sorted(set(movers), key=movers.index)
    for player in players:
        room = [
            len(view[scope].variables) - widths[player] * sequence.count(scope)
            for scope, own in zip(sequence, movers, strict=True)
            if own is player
        ]
        first = min(room[0], _MOST_OFFSETS)
        rest = min([_MOST_OFFSETS, *room[1:]]) if room[1:] else 0
        pairs = [(a, a) for a in range(min(first, rest) + 1)] if room[1:] else []
        pairs += [(a, b) for a in range(first + 1) for b in range(rest + 1) if (a, b) not in pairs]
        choices.append(pairs)
    left = sum(
        (1 if own is Player.BLACK else 4)
        * min(4, len(view[scope].variables) - widths[own] * sequence.count(scope))
        for scope, own in zip(sequence[:-1], movers, strict=False)
    )
    for combined in product(*choices):
        cost = left + sum(a + (0 if a == b else 1 + abs(b - a)) for a, b in combined)
        offsets = dict(zip(players, combined, strict=True))
        windows: list[tuple[int, ...]] = []
        made: dict[Player, int] = dict.fromkeys(players, 0)
        before = -1
        end = 0
        for scope, player in zip(sequence, movers, strict=True):
            a, b = offsets[player]
            start = a if not made[player] else b
            if scope == before:
                start = end
            made[player] += 1
            end = start + widths[player]
            windows.append(view[scope].variables[start:end])
            before = scope
        if all(len(w) == widths[p] for w, p in zip(windows, movers, strict=True)):
            yield cost, tuple(windows)
