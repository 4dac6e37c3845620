"""Replies of a winner in many positions at once, in machine code: what numba compiles."""

from __future__ import annotations

from typing import Any

from qsage_validate.extensions.fast.arrays import FAR, PACKING, RACE, HashTable, RuleArrays
from qsage_validate.extensions.fast.machine import (
    _compiled,
    _has_move,
    _holds,
    _key,
    _packing,
    _race,
    find,
    lines_of,
)

UNKNOWN = -1
"""No reply that keeps the win is known without a search."""


@_compiled
def _threatens(words: Any, rules: RuleArrays, state: Any, at: int, player: int) -> bool:
    for threat in range(rules.threats[player], rules.threats[player + 1]):
        if _holds(words, state, at, rules.threat_care, rules.threat_value, threat):
            return True
    return False


@_compiled
def _moves(words: Any, rules: RuleArrays, state: Any, at: int, player: int) -> int:
    count = 0
    for action in range(rules.starts[player], rules.starts[player + 1]):
        if _holds(words, state, at, rules.care, rules.value, action):
            count += 1
    return count


@_compiled
def _keeps(
    words: Any,
    rules: RuleArrays,
    table: HashTable,
    state: Any,
    at: int,
    player: int,
    plies: int,
    symmetric: int,
    lines: Any,
) -> bool:
    """Whether ``player``, who has moved, is known to win; the opponent has so many plies left.

    ``state`` has room for a key and an image behind the position at ``at``.
    """
    size = len(words)
    other = 1 - player
    if _threatens(words, rules, state, at, other):
        return False
    if plies <= 1:
        # White's last ply: it is there or not; behind it White has held out.
        if player == 1:
            return plies == 0 or _has_move(words, rules, state, at, 0)
        return plies == 1 and not _has_move(words, rules, state, at, 1)
    if rules.kind == PACKING:
        bounds = _packing(rules, state[at], other, plies)
        win, lose = bounds & 0xFFFF, (bounds >> 16) & 0xFFFF
        if player == 0 and plies >= win:
            return True
        if player == 1 and plies <= lose:
            return True
    elif rules.kind == RACE and player == 1:
        lines_of(words, rules, state, at, lines)
        if plies <= _race(words, rules, state, at, other, plies, lines, 0, -1):
            return True
    mark = 2 * other + (1 if plies >= symmetric else 0)
    _key(words, rules, state, at, state[at + 2 * size :], state, at + size, mark)
    entry = find(table, state, at + size, rules.key_words)
    if entry == 0:
        return False
    if player == 0:
        return plies >= entry & FAR
    lose = (entry >> 16) & FAR
    return plies <= lose


@_compiled
def replies(
    words: Any,
    rules: RuleArrays,
    table: HashTable,
    states: Any,
    player: int,
    plies: int,
    symmetric: int,
    scratch: Any,
    lines: Any,
    chosen: Any,
) -> int:
    """Write for each position the number of a reply that keeps the win, or ``UNKNOWN``.

    ``plies`` are left, the reply's included.  Of the replies known to keep it the one that leaves
    the opponent the fewest moves; positions with a win at once are left to the caller.
    ``scratch`` has room for six states, ``lines`` for one of ``Frames.lines``.
    """
    size = len(words)
    room = 5 * size
    unknown = 0
    for row in range(states.shape[0]):
        for w in range(size):
            scratch[room + w] = states[row, w]
        chosen[row] = UNKNOWN
        if _threatens(words, rules, scratch, room, player):
            unknown += 1
            continue
        least = 1 << 30
        for action in range(rules.starts[player], rules.starts[player + 1]):
            if not _holds(words, scratch, room, rules.care, rules.value, action):
                continue
            for w in range(size):
                scratch[w] = (scratch[room + w] & rules.keep[action * size + w]) | rules.put[
                    action * size + w
                ]
            moves = _moves(words, rules, scratch, 0, 1 - player)
            if moves >= least:
                continue
            if _keeps(words, rules, table, scratch, 0, player, plies - 1, symmetric, lines):
                least = moves
                chosen[row] = rules.number[action]
        if chosen[row] == UNKNOWN:
            unknown += 1
    return unknown
