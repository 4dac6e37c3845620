"""The search of a game in rounds (GDL) in machine code: what numba compiles.

The same kind of search as ``machine.py``, with its table.  A node is the state before a round.  Its
successors are those of the player who has a choice; what ends the play is seen when it is made.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from qsage_validate.extensions.fast.arrays import (
    CROWDED,
    DEPTH,
    DONE,
    ENTER,
    FAR,
    FILLED,
    MODE,
    NEXT,
    NODES,
    RESULT,
    RETURN,
    SLICE_OVER,
    HashTable,
    Words,
)
from qsage_validate.extensions.fast.machine import _compiled, entry_of, find, keep, take_result

# The control block has the fields that both searches have, and these.
LEFT, NEEDED = range(FILLED + 1, FILLED + 3)
CONTROLS = FILLED + 3
# More reasons why the search came back.
NEEDS_EFFECT, NO_TURNS = range(CROWDED + 1, CROWDED + 3)


class RoundRules(NamedTuple):
    """A game: the masks of ``extensions/gdl/masks.py``, one after the other."""

    legal_starts: Words  # the cases of Black's moves, of White's, and their end
    legal_care: Words
    legal_value: Words
    black: int  # the number of Black's moves
    white: int
    pairs: Words  # for each joint move the number of its effect, -1 where it is not known yet
    keep: Words
    put: Words
    depends_starts: Words
    depends_bit: Words
    case_starts: Words
    case_care: Words
    case_value: Words
    end_starts: Words
    end_care: Words
    end_value: Words
    win_care: Words
    win_value: Words
    symmetries: Words  # [symmetry, byte, value of the byte, word]


class RoundFrames(NamedTuple):
    """The stack: for each depth a state, and its moves from ``nexts`` to ``ends``."""

    states: Words
    keys: Words
    image: Words
    wins: Words
    loses: Words
    bests: Words
    chosen: Words
    nexts: Words
    ends: Words
    movers: Words
    killers: Words
    moves: Words
    ranks: Words
    black: Words
    white: Words


def round_frames(rules: RoundRules, size: int, rounds: int) -> RoundFrames:
    """The stack for a search of so many rounds."""
    depth = rounds + 2
    most = max(rules.black, rules.white)

    def zeros(count: int) -> Words:
        return np.zeros(count, dtype=np.int64)

    return RoundFrames(
        states=zeros((depth + 1) * size),
        keys=zeros(depth * size),
        image=zeros(size),
        wins=zeros(depth),
        loses=zeros(depth),
        bests=zeros(depth),
        chosen=zeros(depth),
        nexts=zeros(depth),
        ends=zeros(depth),
        movers=zeros(depth),
        killers=zeros(depth) - 1,
        moves=zeros(depth * most),
        ranks=zeros(depth * most),
        black=zeros(rules.black),
        white=zeros(rules.white),
    )


@_compiled
def _any_case(
    words: Any, state: Any, at: int, care: Any, value: Any, first: int, last: int
) -> bool:
    size = len(words)
    for case in range(first, last):
        fits = True
        for w in range(size):
            if state[at + w] & care[case * size + w] != value[case * size + w]:
                fits = False
                break
        if fits:
            return True
    return False


@_compiled
def _after(words: Any, rules: RoundRules, states: Any, at: int, effect: int, to: int) -> None:
    """Write the state after a joint move."""
    size = len(words)
    for w in range(size):
        states[to + w] = (states[at + w] & rules.keep[effect * size + w]) | rules.put[
            effect * size + w
        ]
    for k in range(rules.depends_starts[effect], rules.depends_starts[effect + 1]):
        if _any_case(
            words,
            states,
            at,
            rules.case_care,
            rules.case_value,
            rules.case_starts[k],
            rules.case_starts[k + 1],
        ):
            for w in range(size):
                states[to + w] |= rules.depends_bit[k * size + w]


@_compiled
def round_key(
    words: Any, rules: RoundRules, state: Any, at: int, image: Any, keys: Any, to: int
) -> None:
    """Write the key of a state, its least symmetric image."""
    size = len(words)
    for w in range(size):
        keys[to + w] = state[at + w]
    many = rules.symmetries.shape[1]
    for s in range(rules.symmetries.shape[0]):
        for w in range(size):
            image[w] = 0
        for byte in range(many):
            part = (state[at + byte // 8] >> (byte % 8 * 8)) & 255
            for w in range(size):
                image[w] |= rules.symmetries[s, byte, part, w]
        for w in range(size - 1, -1, -1):
            if image[w] != keys[to + w]:
                if image[w] < keys[to + w]:
                    for v in range(size):
                        keys[to + v] = image[v]
                break


@_compiled
def find_round(words: Any, rules: RoundRules, table: HashTable, state: Any) -> int:
    """The entry of a state, 0 where there is none; ``state`` has room for key and image behind."""
    size = len(words)
    round_key(words, rules, state, 0, state[2 * size :], state, size)
    return find(table, state, size, size)


@_compiled
def _legal(
    words: Any, rules: RoundRules, states: Any, at: int, first: int, many: int, to: Any
) -> int:
    """Write the legal moves of a player, whose cases begin with move ``first``; their number."""
    count = 0
    for move in range(many):
        if _any_case(
            words,
            states,
            at,
            rules.legal_care,
            rules.legal_value,
            rules.legal_starts[first + move],
            rules.legal_starts[first + move + 1],
        ):
            to[count] = move
            count += 1
    return count


@_compiled
def run_rounds(
    words: Any,
    rules: RoundRules,
    table: HashTable,
    frames: RoundFrames,
    control: Any,
    history: Any,
    until: int,
) -> int:
    """Search on until so many nodes have been looked at, or it is over; why it came back."""
    size = len(words)
    depth, mode, result = control[DEPTH], control[MODE], control[RESULT]
    nodes, filled, rounds = control[NODES], control[FILLED], control[LEFT]
    slots = table.slots
    scratch = frames.states.shape[0] - size
    why = DONE
    while True:
        if mode == ENTER:
            if nodes >= until:
                why = SLICE_OVER
                break
            if not table.full and 4 * filled > 3 * slots:
                why = CROWDED
                break
            at = depth * size
            left = rounds - depth
            blacks = _legal(words, rules, frames.states, at, 0, rules.black, frames.black)
            whites = _legal(words, rules, frames.states, at, rules.black, rules.white, frames.white)
            if blacks == 0 or whites == 0 or (blacks > 1 and whites > 1):
                why = NO_TURNS
                break
            mover = 1 if whites > 1 else 0
            own = frames.white if mover == 1 else frames.black
            count = whites if mover == 1 else blacks
            # What won at once beside this node is tried first.
            for k in range(count):
                if own[k] == frames.killers[depth]:
                    own[k] = own[0]
                    own[0] = frames.killers[depth]
                    break
            start = end = frames.ends[depth - 1] if depth > 0 else 0
            best = 1 if mover == 1 else -1
            decided = False
            unknown = -1
            for k in range(count):
                black = frames.black[0] if mover == 1 else frames.black[k]
                white = frames.white[k] if mover == 1 else frames.white[0]
                effect = rules.pairs[black * rules.white + white]
                if effect < 0:
                    unknown = black * rules.white + white
                    break
                _after(words, rules, frames.states, at, effect, scratch)
                if _any_case(
                    words,
                    frames.states,
                    scratch,
                    rules.end_care,
                    rules.end_value,
                    rules.end_starts[effect],
                    rules.end_starts[effect + 1],
                ):
                    won = _any_case(
                        words,
                        frames.states,
                        scratch,
                        rules.win_care,
                        rules.win_value,
                        0,
                        rules.win_care.shape[0] // size,
                    )
                    if won == (mover == 0):
                        best = 1 if won else -1
                        decided = True
                        frames.killers[depth] = own[k]
                        break
                elif left == 1:
                    best = max(best, 0) if mover == 0 else min(best, 0)
                else:
                    frames.moves[end] = own[k]
                    end += 1
            if unknown >= 0:
                control[NEEDED] = unknown
                why = NEEDS_EFFECT
                break
            nodes += 1
            if decided or end == start:
                result = best
                depth -= 1
                mode = RETURN
                continue
            round_key(words, rules, frames.states, at, frames.image, frames.keys, at)
            entry = find(table, frames.keys, at, size)
            win, lose, hint = FAR, 0, -1
            if entry != 0:
                win, lose = entry & 0xFFFF, (entry >> 16) & 0xFFFF
                hint = ((entry >> 46) & 0xFFFF) - 1
                if left >= win or left <= lose:
                    result = 1 if left >= win else -1 if lose == FAR else 0
                    depth -= 1
                    mode = RETURN
                    continue
            # The most useful moves first.
            for k in range(start, end):
                move = frames.moves[k]
                rank = history[mover * rules.black + move] if move != hint else 1 << 62
                place = k
                while place > start and frames.ranks[place - 1] < rank:
                    frames.moves[place] = frames.moves[place - 1]
                    frames.ranks[place] = frames.ranks[place - 1]
                    place -= 1
                frames.moves[place] = move
                frames.ranks[place] = rank
            frames.wins[depth], frames.loses[depth], frames.bests[depth] = win, lose, best
            frames.chosen[depth] = 0
            frames.nexts[depth], frames.ends[depth] = start, end
            # The only move of the other player stands for all moves of a node.
            other = frames.black[0] if mover == 1 else frames.white[0]
            frames.movers[depth] = mover | other << 1
            if depth + 1 < frames.killers.shape[0]:
                frames.killers[depth + 1] = -1
            mode = NEXT
        elif mode == RETURN:
            if depth < 0:
                break
            mover = frames.movers[depth] & 1
            move = frames.moves[frames.nexts[depth] - 1]
            place = mover * rules.black + move
            take_result(frames, history, depth, mover, move, place, result, rounds - depth)
            mode = NEXT
        if mode == NEXT:
            at = depth * size
            mover, other = frames.movers[depth] & 1, frames.movers[depth] >> 1
            if frames.nexts[depth] < frames.ends[depth]:
                move = frames.moves[frames.nexts[depth]]
                frames.nexts[depth] += 1
                black = other if mover == 1 else move
                white = move if mover == 1 else other
                effect = rules.pairs[black * rules.white + white]
                _after(words, rules, frames.states, at, effect, at + size)
                depth += 1
                mode = ENTER
            else:
                result = frames.bests[depth]
                entry = entry_of(frames, depth, rounds - depth)
                filled += keep(table, frames.keys, at, size, entry)
                depth -= 1
                mode = RETURN
    control[DEPTH], control[MODE], control[RESULT] = depth, mode, result
    control[NODES], control[FILLED] = nodes, filled
    return why
