"""The search in machine code: what numba compiles.  Imported only where numba is there.

It is the search of ``solvers/general_search.py``, with a stack of its own, so that it stops
after any number of nodes and goes on where it was, and with a table of fixed size.  The words of
a state are signed, for numba makes floating-point numbers of signed and unsigned ones together.
``words`` is a tuple with an entry for each word of a state: its length is part of its type, so
that the loops over words are unrolled.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba import types
from numba.extending import intrinsic

from qsage_validate.extensions.fast.arrays import (
    CROWDED,
    DEPTH,
    DONE,
    ENTER,
    FAR,
    FILLED,
    FIRST,
    MODE,
    NEXT,
    NO_BOUNDS,
    NODES,
    ORDERED,
    PACKING,
    PLIES,
    RACE,
    RESULT,
    RETURN,
    SLICE_OVER,
    SYMMETRIC,
    Frames,
    HashTable,
    RuleArrays,
)
from qsage_validate.extensions.fast.declared import cache_folder

F = TypeVar("F", bound=Callable[..., Any])


ASK_AFTER = 8
"""With more plies left the table is asked about all positions after a move first."""


def _compiled(function: F, *, inlined: bool = True) -> F:
    """A function in machine code, which is kept in the user's folder where that can be written.

    It counts no references to its arrays (``_nrt``): all of them come from the caller, who keeps
    them, and the counting, atomic and once for each use, took more than half of the time.
    """
    folder = cache_folder(Path(__file__).parent, numba.__version__)
    if folder is not None and "NUMBA_CACHE_DIR" not in os.environ:
        numba.config.CACHE_DIR = str(folder)
    keeps = folder is not None or "NUMBA_CACHE_DIR" in os.environ
    made: F = numba.njit(
        cache=keeps, nogil=True, error_model="numpy", forceinline=inlined, _nrt=False
    )(function)
    return made


def _called(function: F) -> F:
    """A function that stays one in machine code: it is large, and called in many places."""
    return _compiled(function, inlined=False)


@intrinsic  # type: ignore[untyped-decorator]
def _ones(typing_context: Any, word: Any) -> Any:
    """The number of bits of a word that are set."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), code


@intrinsic  # type: ignore[untyped-decorator]
def _lowest(typing_context: Any, word: Any) -> Any:
    """The number of the lowest bit of a word that is set; the word is not 0."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, 1))

    return types.int64(types.int64), code


# -- masks ---------------------------------------------------------------------------------


@_compiled
def _holds(words: Any, state: Any, at: int, care: Any, value: Any, number: int) -> bool:
    start = number * len(words)
    for w in range(len(words)):  # noqa: SIM110 (unrolled)
        if state[at + w] & care[start + w] != value[start + w]:
            return False
    return True


@_compiled
def _has_move(words: Any, rules: RuleArrays, state: Any, at: int, player: int) -> bool:
    for action in range(rules.starts[player], rules.starts[player + 1]):
        if _holds(words, state, at, rules.care, rules.value, action):
            return True
    return False


@_compiled
def _key(
    words: Any, rules: RuleArrays, state: Any, at: int, image: Any, keys: Any, to: int, mark: int
) -> None:
    """Write the key of a state: where ``mark`` is odd, that of its least symmetric image."""
    size = len(words)
    anything = 0
    for w in range(size):
        keys[to + w] = state[at + w] & rules.kept[w]
        anything |= keys[to + w]
    if anything == 0:
        mark &= 2  # the empty board is its own image, so both kinds of keys are one
    elif mark & 1:
        many = rules.symmetries.shape[1]
        for s in range(rules.symmetries.shape[0]):
            for w in range(size):
                image[w] = 0
            for byte in range(many):
                part = ((state[at + byte // 8] & rules.kept[byte // 8]) >> (byte % 8 * 8)) & 255
                for w in range(size):
                    image[w] |= rules.symmetries[s, byte, part, w]
            for w in range(size - 1, -1, -1):
                if image[w] != keys[to + w]:
                    if image[w] < keys[to + w]:
                        for v in range(size):
                            keys[to + v] = image[v]
                    break
    # Keys with and without symmetry, and of both players, are apart.
    keys[to + rules.mark_word] |= mark << rules.mark_bit


# -- the table -------------------------------------------------------------------------------

# A row of the table has an entry and, beside it in memory, its key.  The entry says in how many
# plies Black wins, within how many not (16 bits each), the plies that were searched (14), the
# number of the best move and 1 (16), and that it is used.


@_compiled
def _bucket(keys: Any, at: int, width: int, slots: int) -> int:
    mixed = 0x1B873593CC9E2D51
    for w in range(width):
        mixed = (mixed ^ (mixed >> 32) ^ keys[at + w]) * 0x2545F4914F6CDD1D
        mixed ^= mixed >> 29
    return ((mixed * 0x1B873593CC9E2D51) >> 7) & (slots - 1) & ~3


@_compiled
def find(table: HashTable, keys: Any, at: int, width: int) -> int:
    """The entry of a key, 0 where there is none."""
    row = width + 1
    start = _bucket(keys, at, width, table.slots) * row
    for slot in range(start, start + 4 * row, row):
        entry: int = table.rows[slot]
        if entry == 0:
            return 0
        same = True
        for w in range(width):
            if table.rows[slot + 1 + w] != keys[at + w]:
                same = False
                break
        if same:
            return entry
    return 0


@_compiled
def keep(table: HashTable, keys: Any, at: int, width: int, entry: int) -> int:
    """Write an entry, over the one that was searched least where there is no room; 1 if new."""
    row = width + 1
    start = _bucket(keys, at, width, table.slots) * row
    chosen, least = start, 1 << 20
    for slot in range(start, start + 4 * row, row):
        old = table.rows[slot]
        if old == 0:
            chosen, least = slot, -1
            break
        same = True
        for w in range(width):
            if table.rows[slot + 1 + w] != keys[at + w]:
                same = False
                break
        if same:
            table.rows[slot] = entry
            return 0
        searched = (old >> 32) & 0x3FFF
        if searched < least:
            chosen, least = slot, searched
    for w in range(width):
        table.rows[chosen + 1 + w] = keys[at + w]
    table.rows[chosen] = entry
    return 1 if least < 0 else 0


@_compiled
def take_result(
    frames: Any,
    history: Any,
    depth: int,
    player: int,
    move: int,
    place: int,
    result: int,
    left: int,
) -> None:
    """Take the result of a move into its node; ``place`` is the move's in ``history``.

    Black's moves look for a win (1), White's for any other result, which ends the node.
    """
    if (result == 1) == (player == 0):
        history[place] += left * left
        frames.bests[depth] = result
        frames.chosen[depth] = move + 1
        frames.nexts[depth] = frames.ends[depth]
    elif player == 0:
        frames.bests[depth] = max(frames.bests[depth], result)


@_compiled
def entry_of(frames: Any, depth: int, left: int) -> int:
    """The table's entry of a node whose moves are done, with ``left`` plies (or rounds) to go.

    From the lowest bit: within how many Black wins (16 bits), within how many not (16), how many
    were searched (14), the move that decided, from 1 on (16), and a mark that the slot is taken.
    """
    win, lose, result = frames.wins[depth], frames.loses[depth], frames.bests[depth]
    if result == 1:
        win = left
    else:
        lose = left if result == 0 else FAR
    entry: int = win | lose << 16 | left << 32
    entry |= (frames.chosen[depth] & 0xFFFF) << 46 | 1 << 62
    return entry


@_compiled
def move_over(old: HashTable, new: HashTable, width: int) -> int:
    """Copy a table into a larger one; the number of entries there."""
    count = 0
    for slot in range(0, old.slots * (width + 1), width + 1):
        if old.rows[slot] != 0:
            count += keep(new, old.rows, slot + 1, width, old.rows[slot])
    return count


@_compiled
def find_state(words: Any, rules: RuleArrays, table: HashTable, state: Any, mark: int) -> int:
    """The entry of a state, 0 where there is none; ``state`` has room for key and image behind."""
    size = len(words)
    _key(words, rules, state, 0, state[2 * size :], state, size, mark)
    return find(table, state, size, rules.key_words)


# -- bounds ----------------------------------------------------------------------------------


@_compiled
def _union(tables: Any, player: int, members: int) -> int:
    union = 0
    for byte in range(tables.shape[1]):
        union |= tables[player, byte, (members >> (8 * byte)) & 255]
    return union


@_compiled
def _most(rules: RuleArrays, player: int, live: int) -> int:
    count = 0
    hit = rules.hit[player]
    while live:
        live &= ~hit[_lowest(live)]
        count += 1
    return count


@_compiled
def _apart(rules: RuleArrays, player: int, live: int, reach: int) -> tuple[int, int]:
    """How many safe moves a player has, and the other moves that are chosen apart from them."""
    safe = live & ~_union(rules.dead, player, reach)
    sure = chosen = 0
    others = rules.apart[player]
    while safe:
        apart = others[_lowest(safe)]
        safe &= ~apart
        live &= ~apart
        sure += 1
    while live:
        chosen |= live & -live
        live &= ~others[_lowest(live)]
    return sure, chosen


@_compiled
def _moves(
    rules: RuleArrays, player: int, chosen: int, reach: int, others: int, begins: bool
) -> tuple[int, int]:
    """``Packing._plan``: the moves of those chosen that are sure, and what they take of reach."""
    once = twice = few = none = 0
    left = chosen
    spoilers, takes = rules.spoilers[player], rules.takes[player]
    while left:
        number = _lowest(left)
        left &= left - 1
        here = spoilers[number] & others
        twice |= once & here
        once |= here
        count = _ones(takes[number] & reach)
        none += count == 0
        few += count <= 1
    alone = 0
    left = chosen
    while left:
        alone += spoilers[_lowest(left)] & twice == 0
        left &= left - 1
    crowd = _ones(chosen) - alone
    spoilt = rules.most_taken[1 - player]
    rounds = 1 + spoilt
    worth = rounds * alone + 2 * crowd
    if not begins:
        worth -= max(rounds if alone > 0 else 0, 2 * min(crowd, spoilt))
    moves = (worth + 2 * rounds - 1) // (2 * rounds)
    return moves, max(0, moves - none) + max(0, moves - few)


@_compiled
def _packing(rules: RuleArrays, taken: int, player: int, left: int) -> int:
    """Black wins within the lower number of plies, and not within the upper one, in one number.

    A bound may be missing where it does not decide with so many plies left.
    """
    other = 1 - player
    own_live = rules.all[player] & ~_union(rules.dead, player, taken)
    other_live = rules.all[other] & ~_union(rules.dead, other, taken)
    own_most = _most(rules, player, own_live)
    other_most = _most(rules, other, other_live)
    own_reach = _union(rules.taken_by, player, own_live)
    other_reach = _union(rules.taken_by, other, other_live)
    own_sure, own_chosen = _apart(rules, player, own_live, other_reach)
    other_sure, other_chosen = _apart(rules, other, other_live, own_reach)
    own_within, other_within = other_most, own_most
    own_wins = other_wins = False
    win = lose = FAR
    # At best every other one of those chosen is sure, and takes what the opponent may take.
    hope = (_ones(own_chosen) + 1) // 2
    most = min(
        other_most,
        (_ones(other_reach) - hope * rules.most_taken[player]) // rules.least_taken[other],
    )
    if own_sure + hope > most or (player == 1 and left <= 2 * (own_sure + hope)):
        moves, squares = _moves(rules, player, own_chosen, other_reach, other_live, True)
        own_sure += moves
        most = (_ones(other_reach) - squares) // rules.least_taken[other]
        own_wins = own_sure > min(other_most, most)
        own_within = min(other_most, max(most, moves))
    else:
        own_sure += (_ones(own_chosen) + rules.most_taken[other]) // (1 + rules.most_taken[other])
    if not own_wins:
        hope = _ones(other_chosen) // 2
        most = min(
            own_most,
            (_ones(own_reach) - hope * rules.most_taken[other]) // rules.least_taken[player],
        )
        if other_sure + hope >= most or (player == 0 and left <= 2 * (other_sure + hope) + 1):
            moves, squares = _moves(rules, other, other_chosen, own_reach, own_live, False)
            other_sure += moves
            most = (_ones(own_reach) - squares) // rules.least_taken[player]
            other_wins = other_sure >= min(own_most, most)
            other_within = min(own_most, max(most, moves))
        else:
            other_sure += _ones(other_chosen) // (1 + rules.most_taken[player])
    if player == 0:
        if own_wins:
            win = 2 * own_within + 2
            lose = 0
        elif not other_wins:
            lose = 2 * other_sure + 1
    elif other_wins:
        win = 2 * other_within + 1
        lose = 2 * own_sure
    elif not own_wins:
        lose = 2 * own_sure
    # How much better the player stands than the other: for the order of moves.  Live moves tell
    # more than the most that can be made: fewer positions by a quarter on 7x7 and 8x7.
    better = _ones(own_live) - _ones(other_live) + own_sure - other_sure
    bounds: int = win | lose << 16 | (better + 1024) << 32
    return bounds


@_compiled
def lines_of(words: Any, rules: RuleArrays, state: Any, at: int, lines: Any) -> None:
    """Write the lines that no piece of a state contradicts."""
    size = len(words)
    for k in range(rules.line_words):
        lines[k] = 0
    for line in range(rules.spoilt.shape[0] // size):
        alive = True
        for w in range(size):
            if state[at + w] & rules.spoilt[line * size + w] != 0:
                alive = False
        if alive:
            lines[line // 64] |= 1 << (line % 64)


@_compiled
def _moves_to_line(
    words: Any,
    rules: RuleArrays,
    state: Any,
    at: int,
    lines: Any,
    first: int,
    action: int,
    enough: int,
) -> int:
    """A lower bound on Black's moves to a goal; the count ends as soon as it is ``enough``.

    ``lines`` has from ``first`` on those before an action, or those of the state if it is -1.
    """
    size = len(words)
    least = FAR
    most = rules.most_put
    count = rules.line_words
    for k in range(count):
        alive = lines[first + k]
        if action >= 0:
            alive &= ~rules.kills[action * count + k]
        if alive != 0 and most * enough >= rules.longest:
            return 1
        while alive:
            line = 64 * k + _lowest(alive)
            alive &= alive - 1
            missing = 0
            for w in range(size):
                missing += _ones(rules.wanted[line * size + w] & ~state[at + w])
            if missing < least:
                least = missing
                if missing <= most * enough:
                    return max(1, (least + most - 1) // most)
    if least == FAR:
        return FAR
    return max(1, (least + most - 1) // most)


@_compiled
def _more_pieces(words: Any, rules: RuleArrays, state: Any, at: int, player: int) -> int:
    size = len(words)
    more = 0
    for w in range(size):
        more += _ones(state[at + w] & rules.places[player * size + w])
        more -= _ones(state[at + w] & rules.places[(1 - player) * size + w])
    return more


@_compiled
def _race(
    words: Any,
    rules: RuleArrays,
    state: Any,
    at: int,
    player: int,
    left: int,
    lines: Any,
    first: int,
    action: int,
) -> int:
    """Within so many plies Black does not win; exact only where that is less than ``left``."""
    size = len(words)
    black_moves = (left + 1) // 2 if player == 0 else left // 2
    moves = 0
    rings = rules.rings.shape[0] // size
    if rings > 0:
        moves = FAR
        for ring in range(rings):
            if moves < FAR:
                break
            for w in range(size):
                if state[at + w] & rules.rings[ring * size + w] != 0:
                    moves = max(ring, 1)
                    break
    if rules.line_words > 0 and moves <= black_moves:
        moves = max(
            moves, _moves_to_line(words, rules, state, at, lines, first, action, black_moves)
        )
    before = FAR
    if moves < FAR:
        before = 2 * moves - 1 - (1 if player == 0 else 0)
    stuck = 0
    if rules.stuck[0] > 0:
        free = 0
        for w in range(size):
            free += _ones(~state[at + w] & rules.places[2 * size + w])
        if rules.stuck[0] == 2:
            stuck = free if (player == 1) == (free % 2 == 0) else FAR
        elif rules.stuck[1] > 0:
            stuck = (free + rules.stuck[1] - 1) // rules.stuck[1]
        elif free > 0:
            stuck = FAR
    if rules.stuck[2] > 0:
        pieces = 0
        for w in range(size):
            pieces += _ones(state[at + w] & rules.places[size + w])
        if rules.stuck[3] == 0:
            if pieces > 0:
                stuck = FAR
        else:
            needed = (pieces + rules.stuck[3] - 1) // rules.stuck[3]
            if needed > 0:
                stuck = max(stuck, 2 * needed - (1 if player == 0 else 0))
    return min(before, stuck)


# -- the search ------------------------------------------------------------------------------


@_compiled
def _quiet(words: Any, rules: RuleArrays, frames: Frames, depth: int, player: int) -> int:
    """Write the moves after which the opponent does not win at once; where they end."""
    size = len(words)
    at = depth * size
    state = frames.states
    # Of the opponent's threats only those can stand that the move before this position opened.
    standing = 0
    last = frames.last[depth]
    if last < 0:
        for threat in range(rules.threats[1 - player], rules.threats[2 - player]):
            if _holds(words, state, at, rules.threat_care, rules.threat_value, threat):
                frames.standing[standing] = threat
                standing += 1
    else:
        for k in range(rules.own_starts[last], rules.own_starts[last + 1]):
            threat = rules.own[k]
            if _holds(words, state, at, rules.threat_care, rules.threat_value, threat):
                frames.standing[standing] = threat
                standing += 1
    after = frames.states.shape[0] - size
    end = frames.ends[depth - 1] if depth > 0 else 0
    start = end
    for block in range(-1, size):
        pieces = 1 if block < 0 else state[at + block] & rules.pieces[player * size + block]
        while pieces:
            if block < 0:
                group = (player * (size + 1)) * 64
                pieces = 0
            else:
                group = (player * (size + 1) + 1 + block) * 64 + _lowest(pieces)
                pieces &= pieces - 1
            for action in range(rules.groups[group], rules.group_ends[group]):
                if not _holds(words, state, at, rules.care, rules.value, action):
                    continue
                for w in range(size):
                    state[after + w] = (state[at + w] & rules.keep[action * size + w]) | rules.put[
                        action * size + w
                    ]
                quiet = True
                for k in range(standing):
                    if _holds(
                        words,
                        state,
                        after,
                        rules.threat_care,
                        rules.threat_value,
                        frames.standing[k],
                    ):
                        quiet = False
                        break
                if quiet:
                    for k in range(rules.opened_starts[action], rules.opened_starts[action + 1]):
                        if _holds(words, state, after, rules.opened_care, rules.opened_value, k):
                            quiet = False
                            break
                if quiet:
                    frames.moves[end] = action
                    end += 1
    frames.nexts[depth] = start
    frames.ends[depth] = end
    return end


@_compiled
def _apply(
    words: Any, rules: RuleArrays, frames: Frames, depth: int, action: int, after: int
) -> None:
    size = len(words)
    for w in range(size):
        frames.states[after + w] = (
            frames.states[depth * size + w] & rules.keep[action * size + w]
        ) | rules.put[action * size + w]


@_compiled
def run(
    words: Any,
    rules: RuleArrays,
    table: HashTable,
    frames: Frames,
    control: Any,
    history: Any,
    stop: int,
) -> int:
    """Search on until ``stop`` nodes were visited; why it came back."""
    size = len(words)
    width = rules.key_words
    depth, mode, result = control[DEPTH], control[MODE], control[RESULT]
    nodes, filled = control[NODES], control[FILLED]
    plies, first = control[PLIES], control[FIRST]
    ordered, symmetric, kind = control[ORDERED], control[SYMMETRIC], rules.kind
    scratch = frames.states.shape[0] - size
    room = table.slots // 2
    why = DONE
    lines = rules.line_words
    while True:
        if mode == ENTER:
            if nodes >= stop:
                why = SLICE_OVER
                break
            if filled > room and not table.full:
                why = CROWDED
                break
            nodes += 1
            left = plies - depth
            player = (first + depth) & 1
            at = depth * size
            mark = 2 * player + (1 if left >= symmetric else 0)
            _key(words, rules, frames.states, at, frames.image, frames.keys, at, mark)
            entry = find(table, frames.keys, at, width)
            win, lose = FAR, 0
            if entry != 0:
                win, lose = entry & 0xFFFF, (entry >> 16) & 0xFFFF
                if left >= win or left <= lose:
                    result = 1 if left >= win else -1 if lose == FAR else 0
                    depth -= 1
                    mode = RETURN
                    continue
            frames.wins[depth], frames.loses[depth] = win, lose
            best = -1 if player == 0 else 1
            start = frames.ends[depth - 1] if depth > 0 else 0
            end = _quiet(words, rules, frames, depth, player)
            frames.chosen[depth] = 0
            if left == 2:
                if player == 0:
                    for k in range(start, end):
                        best = 0
                        _apply(words, rules, frames, depth, frames.moves[k], scratch)
                        if not _has_move(words, rules, frames.states, scratch, 1):
                            best = 1
                            break
                else:
                    best = 0 if end > start else 1
                frames.ends[depth] = start
            else:
                hint = ((entry >> 46) & 0xFFFF) - 1 if ordered else -1
                sorted_end = start
                for k in range(start, end):
                    action = frames.moves[k]
                    near = order = 0
                    if kind != NO_BOUNDS:
                        _apply(words, rules, frames, depth, action, scratch)
                        if kind == PACKING:
                            bounds = _packing(rules, frames.states[scratch], 1 - player, left - 1)
                            child_win, near = bounds & 0xFFFF, (bounds >> 16) & 0xFFFF
                            order = bounds >> 32
                        else:
                            child_win = FAR
                            near = _race(
                                words,
                                rules,
                                frames.states,
                                scratch,
                                1 - player,
                                left - 1,
                                frames.lines,
                                depth * lines,
                                action,
                            )
                        if left - 1 >= child_win:
                            if player == 0:
                                best = 1
                                sorted_end = start
                                break
                            continue
                        if left - 1 <= near:
                            value = -1 if near == FAR else 0
                            if player == 1:
                                best = value
                                sorted_end = start
                                break
                            best = max(best, value)
                            continue
                        if kind == RACE and ordered and left > ASK_AFTER:
                            # The position after the move may be in the table.
                            mark = 2 * (1 - player) + (1 if left - 1 >= symmetric else 0)
                            _key(
                                words,
                                rules,
                                frames.states,
                                scratch,
                                frames.image,
                                frames.keys,
                                at + size,
                                mark,
                            )
                            known = find(table, frames.keys, at + size, width)
                            if known != 0:
                                if left - 1 >= known & 0xFFFF:
                                    if player == 0:
                                        best = 1
                                        sorted_end = start
                                        frames.chosen[depth] = action + 1
                                        break
                                    continue
                                if left - 1 <= (known >> 16) & 0xFFFF:
                                    value = -1 if (known >> 16) & 0xFFFF == FAR else 0
                                    if player == 1:
                                        best = value
                                        sorted_end = start
                                        frames.chosen[depth] = action + 1
                                        break
                                    best = max(best, value)
                                    continue
                        if kind == RACE:
                            # Captures first; history orders what has as many pieces.
                            order = _more_pieces(words, rules, frames.states, scratch, 1 - player)
                    rank = -history[action]
                    near = -(1 << 20) if action == hint else order
                    place = sorted_end
                    while place > start:
                        before = place - 1
                        if frames.near[before] < near:
                            break
                        if frames.near[before] == near and frames.ranks[before] <= rank:
                            break
                        frames.near[place] = frames.near[before]
                        frames.ranks[place] = frames.ranks[before]
                        frames.moves[place] = frames.moves[before]
                        place = before
                    frames.near[place] = near
                    frames.ranks[place] = rank
                    frames.moves[place] = action
                    sorted_end += 1
                frames.ends[depth] = sorted_end
            frames.bests[depth] = best
            mode = NEXT
        elif mode == RETURN:
            if depth < 0:
                break
            player = (first + depth) & 1
            left = plies - depth
            action = frames.moves[frames.nexts[depth] - 1]
            take_result(frames, history, depth, player, action, action, result, left)
            mode = NEXT
        if mode == NEXT:
            if frames.nexts[depth] < frames.ends[depth]:
                action = frames.moves[frames.nexts[depth]]
                frames.nexts[depth] += 1
                _apply(words, rules, frames, depth, action, (depth + 1) * size)
                for k in range(lines):
                    frames.lines[(depth + 1) * lines + k] = (
                        frames.lines[depth * lines + k] & ~rules.kills[action * lines + k]
                    )
                frames.last[depth + 1] = action
                depth += 1
                mode = ENTER
            else:
                result = frames.bests[depth]
                entry = entry_of(frames, depth, plies - depth)
                filled += keep(table, frames.keys, depth * size, width, entry)
                depth -= 1
                mode = RETURN
    control[DEPTH], control[MODE], control[RESULT] = depth, mode, result
    control[NODES], control[FILLED] = nodes, filled
    return why
