"""The search of games of connection in machine code: what numba compiles.

Who wins once the board is full is decided by *virtual connections* (Anshelevich 2002): two groups
are linked *fully* within a set of open positions, the carrier, if their owner connects them there
even as second player, and *by a move* if the owner does as first player.  Links are found from
smaller ones: two full links that share no position and meet in a stone are a full link, those that
meet in an open position one by a move (AND); links by moves whose carriers have no position in
common are a full link (OR).  A full link of both sides wins, and so does one by a move for who is
to move.  The opponent has to play within each carrier by which the sides are linked by a move, the
*must-play region*, and a win after one move tells in which carrier the others have to be
(Hayward et al. 2003).  Not all connections are found so: the search goes on where none is.

Positions are bits of one word; behind them are the two sides, as points of their own.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from qsage_validate.extensions.fast.arrays import (
    CROWDED,
    DEPTH,
    DONE,
    ENTER,
    FILLED,
    FIRST,
    MODE,
    NEXT,
    NODES,
    RESULT,
    RETURN,
    SLICE_OVER,
    HashTable,
    Words,
)
from qsage_validate.extensions.fast.machine import _called, _compiled, _lowest, _ones, find, keep

# An entry of the table: a mark that it is there, one that who is to move wins, and the zone.
_TAKEN = 1 << 62
WINS = 1 << 61
_ZONE = WINS - 1

# Of the links between two points the smallest ones are kept, so many of each kind.
_MOST_FULL = 12
_MOST_MOVES = 16
_QUEUE = 1 << 15


class ConnectionBoard(NamedTuple):
    """A game of connection: for each position its neighbours, and each player's two sides.

    A player without sides wins when the opponent can connect no more.
    """

    neighbours: Words
    sides: Words  # Black's start and end, White's
    connects: Words  # for each player 1 with sides
    all: int
    positions: int
    central: Words  # moves that are worth the same are ordered by this


class Links(NamedTuple):
    """The links of one player's groups; a pair of points is a number."""

    full: Words  # [pair, number]
    full_counts: Words
    moves: Words
    move_counts: Words
    queue: Words  # new full links: [place, pair and carrier]
    ends: Words  # of the queue: the first place and the one behind the last
    near: Words  # for each point the open positions next to it
    points: Words


class ConnectionFrames(NamedTuple):
    """The stack: for each depth the stones of who is to move and of the other, and its moves."""

    own: Words
    other: Words
    left: Words  # the moves that may still win
    zones: Words  # where the opponent wins after those that were searched
    chosen: Words
    ranks: Words  # [depth, position]
    key: Words


def new_links(positions: int) -> Links:
    """Room for the links between so many positions and two sides."""
    points = positions + 2
    pairs = points * points
    return Links(
        np.zeros((pairs, _MOST_FULL), dtype=np.int64),
        np.zeros(pairs, dtype=np.int64),
        np.zeros((pairs, _MOST_MOVES), dtype=np.int64),
        np.zeros(pairs, dtype=np.int64),
        np.zeros((_QUEUE, 2), dtype=np.int64),
        np.zeros(2, dtype=np.int64),
        np.zeros(points, dtype=np.int64),
        np.zeros(points, dtype=np.int64),
    )


def new_frames(positions: int) -> ConnectionFrames:
    """The stack for a board of so many positions."""
    depths = positions + 2
    own, other, left, zones, chosen = np.zeros((5, depths), dtype=np.int64)
    ranks = np.zeros((depths, positions), dtype=np.int64)
    return ConnectionFrames(own, other, left, zones, chosen, ranks, np.zeros(2, dtype=np.int64))


@_compiled
def _spread(neighbours: Any, mask: int) -> int:
    found = 0
    while mask:
        found |= neighbours[_lowest(mask)]
        mask &= mask - 1
    return found


@_compiled
def _flood(neighbours: Any, seed: int, through: int) -> int:
    reached = front = seed & through
    while front:
        front = _spread(neighbours, front) & through & ~reached
        reached |= front
    return reached


@_compiled
def _without_larger(carriers: Any, pair: int, count: int, carrier: int) -> int:
    """Drop the carriers of a pair that contain another one; how many stay."""
    kept = 0
    for number in range(count):
        one = carriers[pair, number]
        if carrier & ~one:
            carriers[pair, kept] = one
            kept += 1
    return kept


@_compiled
def _put(carriers: Any, pair: int, count: int, most: int, carrier: int) -> int:
    """Add a carrier, in place of the largest one where there is no room; -1 if it is too large."""
    if count < most:
        carriers[pair, count] = carrier
        return count + 1
    largest = 0
    for number in range(most):
        if _ones(carriers[pair, number]) > _ones(carriers[pair, largest]):
            largest = number
    if _ones(carriers[pair, largest]) <= _ones(carrier):
        return -1
    carriers[pair, largest] = carrier
    return count


@_called
def _add_full(links: Links, pair: int, carrier: int) -> None:
    for number in range(links.full_counts[pair]):
        if links.full[pair, number] & ~carrier == 0:
            return
    count = _without_larger(links.full, pair, links.full_counts[pair], carrier)
    count = _put(links.full, pair, count, _MOST_FULL, carrier)
    if count < 0:
        return
    links.full_counts[pair] = count
    first, end = links.ends[0], links.ends[1]
    # A link that is not looked at makes no others: fewer are found.
    if end - first < _QUEUE:
        links.queue[end % _QUEUE, 0] = pair
        links.queue[end % _QUEUE, 1] = carrier
        links.ends[1] = end + 1


@_called
def _add_move(links: Links, pair: int, carrier: int) -> None:
    """Add a link by a move, and the full links that it makes with up to three others (OR)."""
    for number in range(links.full_counts[pair]):
        if links.full[pair, number] & ~carrier == 0:
            return
    for number in range(links.move_counts[pair]):
        if links.moves[pair, number] & ~carrier == 0:
            return
    count = _without_larger(links.moves, pair, links.move_counts[pair], carrier)
    links.move_counts[pair] = count
    count = _put(links.moves, pair, count, _MOST_MOVES, carrier)
    if count < 0:
        return
    links.move_counts[pair] = count
    common = carrier
    for number in range(count):
        common &= links.moves[pair, number]
    if common:
        return
    for a in range(count):
        one = links.moves[pair, a]
        if one == carrier:
            continue
        if carrier & one == 0:
            _add_full(links, pair, carrier | one)
            continue
        for b in range(a + 1, count):
            two = links.moves[pair, b]
            if carrier & one & two == 0:
                _add_full(links, pair, carrier | one | two)
                continue
            for c in range(b + 1, count):
                three = links.moves[pair, c]
                if carrier & one & two & three == 0:
                    _add_full(links, pair, carrier | one | two | three)


@_compiled
def _pair(board: ConnectionBoard, one: int, two: int) -> int:
    return min(one, two) * (board.positions + 2) + max(one, two)


@_called
def _first_links(board: ConnectionBoard, links: Links, player: int, own: int, free: int) -> int:
    """The links between neighbours; how many points there are, 0 if the sides are connected."""
    size = board.positions
    neighbours = board.neighbours
    start, end = board.sides[2 * player], board.sides[2 * player + 1]
    links.near[size], links.near[size + 1] = start & free, end & free
    count = 0
    rest = free
    while rest:
        links.points[count] = _lowest(rest)
        rest &= rest - 1
        count += 1
    open_points = count
    left = own
    while left:
        group = _flood(neighbours, left & -left, own)
        left &= ~group
        near = _spread(neighbours, group) & free
        if group & start and group & end:
            return 0
        if group & start:
            links.near[size] |= near
        elif group & end:
            links.near[size + 1] |= near
        else:
            point = _lowest(group)
            links.near[point] = near
            links.points[count] = point
            count += 1
    links.points[count], links.points[count + 1] = size, size + 1
    count += 2
    for i in range(count):
        for j in range(i):
            pair = _pair(board, links.points[i], links.points[j])
            links.full_counts[pair] = links.move_counts[pair] = 0
    links.ends[0] = links.ends[1] = 0
    for i in range(open_points):
        one = links.points[i]
        near = neighbours[one] & free
        for j in range(i):
            two = links.points[j]
            if near >> two & 1:
                _add_full(links, _pair(board, one, two), 0)
        for j in range(open_points, count):
            two = links.points[j]
            if links.near[two] >> one & 1:
                _add_full(links, _pair(board, one, two), 0)
    return count


@_called
def _link(
    board: ConnectionBoard, links: Links, player: int, own: int, free: int, by_move: bool
) -> int:
    """Find a player's links: the carrier of one between the sides with the mark of a win, or 0.

    The first full link ends it, and with ``by_move`` the first one by a move.
    """
    size = board.positions
    count = _first_links(board, links, player, own, free)
    if count == 0:
        return WINS
    sides = _pair(board, size, size + 1)
    while links.ends[0] < links.ends[1]:
        place = links.ends[0] % _QUEUE
        links.ends[0] += 1
        pair: int = links.queue[place, 0]
        carrier: int = links.queue[place, 1]
        kept = False
        for number in range(links.full_counts[pair]):
            kept |= links.full[pair, number] == carrier
        if not kept:
            continue
        if pair == sides:
            return WINS | carrier
        for turned in range(2):
            middle, end = pair // (size + 2), pair % (size + 2)
            if turned:
                middle, end = end, middle
            if middle >= size:
                continue
            stone = own >> middle & 1
            # Carriers may not run through the points that they link.
            barred = carrier | (1 << end if end < size else 0)
            for k in range(count):
                far = links.points[k]
                if far in (end, middle) or (far < size and carrier >> far & 1):
                    continue
                there, whole = _pair(board, middle, far), _pair(board, end, far)
                number = 0
                while number < links.full_counts[there]:
                    other = links.full[there, number]
                    number += 1
                    if other & barred:
                        continue
                    if stone:
                        _add_full(links, whole, carrier | other)
                    else:
                        _add_move(links, whole, carrier | other | 1 << middle)
                        if by_move and whole == sides and links.move_counts[sides]:
                            won: int = WINS | links.moves[sides, 0]
                            return won
    return 0


@_compiled
def _rank_ends(board: ConnectionBoard, links: Links, ranks: Any, free: int) -> None:
    """Let positions that are linked to a side go first."""
    size = board.positions
    rest = free
    while rest:
        v = _lowest(rest)
        rest &= rest - 1
        for side in range(size, size + 2):
            pair = _pair(board, v, side)
            ranks[v] += 20 if links.full_counts[pair] else 8 if links.move_counts[pair] else 0


@_called
def _look(
    board: ConnectionBoard, links: Links, frames: ConnectionFrames, depth: int, player: int
) -> int:
    """The result of a position at a glance, else 0: its moves are in the frame then.

    A result is the mark of an entry, the mark of a win of who is to move, and its zone.
    """
    size = board.positions
    own, other = frames.own[depth], frames.other[depth]
    free = board.all & ~(own | other)
    sides = _pair(board, size, size + 1)
    ranks = frames.ranks[depth]
    for v in range(size):
        ranks[v] = 0
    if board.connects[player]:
        won = _link(board, links, player, own, free, True)
        if won:
            return _TAKEN | won
        _rank_ends(board, links, ranks, free)
    else:
        start, end = board.sides[2 - 2 * player], board.sides[3 - 2 * player]
        if _flood(board.neighbours, start, other | free) & end == 0:
            return _TAKEN | WINS
    must, zone = free, 0
    if board.connects[1 - player]:
        won = _link(board, links, 1 - player, other, free, False)
        if won:
            return _TAKEN | won & _ZONE
        _rank_ends(board, links, ranks, free)
        for number in range(links.move_counts[sides]):
            carrier = links.moves[sides, number]
            must &= carrier
            zone |= carrier
            while carrier:
                ranks[_lowest(carrier)] += 3
                carrier &= carrier - 1
    else:
        start, end = board.sides[2 * player], board.sides[2 * player + 1]
        if _flood(board.neighbours, start, own | free) & end == 0:
            return _TAKEN
    if board.connects[player] and must & (must - 1):
        # The best move leaves the opponent the fewest answers.
        rest = must
        while rest:
            v = _lowest(rest)
            rest &= rest - 1
            after = free & ~(1 << v)
            won = _link(board, links, player, own | 1 << v, after, False)
            if won:
                result: int = _TAKEN | won | 1 << v
                return result
            for number in range(links.move_counts[sides]):
                after &= links.moves[sides, number]
            ranks[v] -= 100 * _ones(after)
    frames.left[depth], frames.zones[depth] = must, zone
    return 0


@_compiled
def _key(frames: ConnectionFrames, depth: int, player: int) -> None:
    frames.key[0] = frames.own[depth] | player << 61
    frames.key[1] = frames.other[depth]


@_compiled
def find_position(table: HashTable, frames: ConnectionFrames, player: int) -> int:
    """The entry of the position of the first frame, 0 where there is none."""
    _key(frames, 0, player)
    entry: int = find(table, frames.key, 0, 2)
    return entry


@_called
def run_connections(
    words: Any,
    board: ConnectionBoard,
    table: HashTable,
    frames: ConnectionFrames,
    control: Any,
    links: Links,
    stop: int,
) -> int:
    """Search on until ``stop`` nodes were visited; why it came back.

    The result is 1 if who is to move in the first frame wins, else -1.
    """
    depth, mode, result = control[DEPTH], control[MODE], control[RESULT]
    nodes, filled = control[NODES], control[FILLED]
    room = table.slots // 2
    why = DONE
    while True:
        player = (control[FIRST] + depth) & 1
        if mode == ENTER:
            if nodes >= stop:
                why = SLICE_OVER
                break
            if filled > room and not table.full:
                why = CROWDED
                break
            nodes += 1
            _key(frames, depth, player)
            result = find(table, frames.key, 0, 2)
            if result == 0:
                result = _look(board, links, frames, depth, player)
                if result != 0:
                    filled += keep(table, frames.key, 0, 2, result)
            mode = NEXT
            if result != 0:
                depth -= 1
                mode = RETURN
        elif mode == RETURN:
            if depth < 0:
                break
            move = frames.chosen[depth]
            zone = result & _ZONE
            if result & WINS == 0:
                result = _TAKEN | WINS | zone | move
                _key(frames, depth, player)
                filled += keep(table, frames.key, 0, 2, result)
                depth -= 1
                continue
            frames.left[depth] &= zone & ~move
            frames.zones[depth] |= zone
            mode = NEXT
        if mode == NEXT:
            left = frames.left[depth]
            if left == 0:
                result = _TAKEN | frames.zones[depth]
                _key(frames, depth, player)
                filled += keep(table, frames.key, 0, 2, result)
                depth -= 1
                mode = RETURN
                continue
            best, most = 0, -(1 << 40)
            while left:
                v = _lowest(left)
                left &= left - 1
                rank = 1000 * frames.ranks[depth, v] + board.central[v]
                if rank > most:
                    best, most = v, rank
            move = 1 << best
            frames.left[depth] ^= move
            frames.chosen[depth] = move
            frames.own[depth + 1] = frames.other[depth]
            frames.other[depth + 1] = frames.own[depth] | move
            depth += 1
            mode = ENTER
    control[DEPTH], control[MODE] = depth, mode
    if why == DONE:
        result = 1 if result & WINS else -1
    control[RESULT] = result
    control[NODES], control[FILLED] = nodes, filled
    return why
