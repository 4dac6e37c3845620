"""Scripted plays one by one: what the rules say, and what the formula says.

A slow and independent second opinion on ``judging/sandwich.py``: the rules are walked
move by move, the formula is asked by SAT with a copy for each square.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import astuple

from pysat.solvers import Solver

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.layout import Bits, Layout, Ply, value_bits
from qsage_validate.games.bddl.ground import BddlMove
from qsage_validate.games.bddl.rules import BddlGame, BddlPosition
from qsage_validate.games.protocol import Player

Script = dict[int, bool]


def scripted_differences(
    formula: Qbf, layout: Layout, game: BddlGame, count: int, seed: int
) -> list[Script]:
    """Those of ``count`` random scripted plays on which formula and rules differ."""
    rng = random.Random(seed)
    oracle = _Expanded(formula, layout)
    different = []
    for _ in range(count):
        script, black_wins = _random_script(layout, game, rng)
        if oracle.accepts(script) != black_wins:
            different.append(script)
    return different


def _fix(script: Script, bits: Bits, number: int) -> None:
    for signed, value in zip(bits, value_bits(number, len(bits)), strict=True):
        script[abs(signed)] = value != (signed < 0)


def _random_script(layout: Layout, game: BddlGame, rng: random.Random) -> tuple[Script, bool]:
    """A script, mostly of legal moves and of true claims, and whether Black wins it."""
    script: Script = {}
    position = game.initial
    result: bool | None = None
    for move in layout.moves:
        black = move.player is Player.BLACK
        chosen = _random_move(layout, position, move, rng) if result is None else None
        number = chosen if chosen is not None else (0, 0, 0)
        for bits, value in zip((move.action, move.x, move.y), number, strict=True):
            _fix(script, bits, value)
        stop = move.stop is not None and rng.random() < 0.15
        if result is not None:
            _stop(script, move, stop)
            continue
        after = _after(layout, game, position, move, number)
        reached = after is not None and bool(game.witnesses(after, move.player))
        if reached and move.stop is not None:
            stop = stop or rng.random() < 0.8
        _stop(script, move, stop)
        last = move.ply == len(layout.moves)
        if after is None:
            result = not black
        elif stop or (last and black):
            result = _claim(script, layout, after, move.player, rng) == black
        elif last:
            result = False
        elif move.stop is None and reached:
            result = black
        else:
            position = after
    _fill_claims(script, layout, rng)
    return script, bool(result)


def _stop(script: Script, move: Ply, stop: bool) -> None:
    if move.stop is not None:
        script[abs(move.stop)] = stop != (move.stop < 0)


def _random_move(
    layout: Layout, position: BddlPosition, move: Ply, rng: random.Random
) -> tuple[int, int, int]:
    moves = position.game.grounding.actions[move.player]
    legal = [a for a in moves if position.state & a.care == a.value]
    if legal and rng.random() < 0.9:
        action = rng.choice(legal)
        name = position.game.model.domain.actions(move.player)[action.action].name
        return layout.actions[move.player].index(name), action.x - 1, action.y - 1
    widths = (len(move.action), len(move.x), len(move.y))
    number = tuple(rng.randrange(1 << width) for width in widths)
    return number[0], number[1], number[2]


def _after(
    layout: Layout,
    game: BddlGame,
    position: BddlPosition,
    move: Ply,
    number: tuple[int, int, int],
) -> BddlPosition | None:
    """The position after the move that the numbers name, goals notwithstanding."""
    names = layout.actions[move.player]
    if number[0] >= len(names):
        return None
    named = BddlMove(names[number[0]], number[1] + 1, number[2] + 1)
    action = game.ground_action(named, move.player)
    if action is None or position.state & action.care != action.value:
        return None
    return BddlPosition(game, position.state & action.keep | action.put, position.ply + 1)


def _claim_bits(layout: Layout, player: Player) -> tuple[Bits, Bits, Bits]:
    goals = layout.goals
    if player is Player.BLACK:
        return goals.black_condition, goals.black_x, goals.black_y
    return goals.white_condition, goals.white_x, goals.white_y


def _claim(
    script: Script, layout: Layout, position: BddlPosition, player: Player, rng: random.Random
) -> bool:
    """Claim a goal, a true one where there is one; whether it holds."""
    held = sorted(position.game.witnesses(position, player), key=astuple)
    goals = position.game.model.problem.goals(player)
    bits = _claim_bits(layout, player)
    if held and rng.random() < 0.9:
        goal = rng.choice(held)
        for vector, value in zip(bits, (goal.condition, goal.x - 1, goal.y - 1), strict=True):
            _fix(script, vector, value if vector else 0)
        return True
    number = [rng.randrange(1 << len(vector)) for vector in bits]
    for vector, value in zip(bits, number, strict=True):
        _fix(script, vector, value)
    if number[0] >= len(goals):
        return False
    grounding = position.game.grounding
    for x, y in grounding.positions(goals[number[0]]):
        named = (not bits[1] or x - 1 == number[1]) and (not bits[2] or y - 1 == number[2])
        contents = grounding.contents(goals[number[0]], x, y)
        if named and contents is not None:
            care, value = grounding.pack(contents)
            if position.state & care == value:
                return True
    return False


def _fill_claims(script: Script, layout: Layout, rng: random.Random) -> None:
    for player in Player:
        for vector in _claim_bits(layout, player):
            for signed in vector:
                script.setdefault(abs(signed), rng.random() < 0.5)


class _Expanded:
    """The formula with a copy for each value of the symbolic square, in one solver."""

    def __init__(self, formula: Qbf, layout: Layout) -> None:
        symbolic = layout.state.position
        # Variables right of the symbolic square, and the square itself, differ from copy to copy.
        levels = formula.levels()
        inner = max((levels[abs(v)] for v in symbolic), default=max(levels.values(), default=0) + 1)
        own = {abs(v) for v in symbolic}
        self.solver = Solver("cadical153")
        top = formula.max_variable
        for number in range(1 << len(symbolic)):
            rename = {v: v for v, level in levels.items() if level <= inner and v not in own}
            for variable in (*levels, *formula.gates):
                if variable not in rename:
                    top += 1
                    rename[variable] = top
            for clause in formula.clauses():
                self.solver.add_clause([rename[abs(x)] * (1 if x > 0 else -1) for x in clause])
            here = value_bits(number, len(symbolic))
            for signed, value in zip(symbolic, here, strict=True):
                literal = rename[abs(signed)] * (1 if signed > 0 else -1)
                self.solver.add_clause([literal if value else -literal])
            output = rename[abs(formula.output)]
            self.solver.add_clause([output if formula.output > 0 else -output])

    def accepts(self, script: Mapping[int, bool]) -> bool:
        """Whether the remaining variables can be chosen such that every copy holds."""
        return bool(self.solver.solve(assumptions=[v if b else -v for v, b in script.items()]))


def same_plays(left: BddlGame, right: BddlGame) -> bool:
    """Whether two games treat every sequence of moves alike, by walking all of them.

    A move that is legal in one game only must lose at once in the other as well.
    """
    moves = {p: sorted({str(m) for g in (left, right) for m in g.moves(p)}) for p in Player}
    seen: set[tuple[int, int, int]] = set()

    def lost(position: BddlPosition, text: str) -> BddlPosition | None:
        """The position after a move, or ``None`` when the mover has lost by it."""
        player = position.to_move
        move = next((m for m in position.game.moves(player) if str(m) == text), None)
        if move is None or position.illegality(move) is not None:
            return None
        after = position.play(move)
        if after.outcome is not None and after.outcome.winner is not player:
            return None
        return after

    def walk(a: BddlPosition, b: BddlPosition) -> bool:
        key = (a.state, b.state, a.ply)
        if key in seen:
            return True
        seen.add(key)
        if (a.outcome is None) != (b.outcome is None):
            return False
        if a.outcome is not None and b.outcome is not None:
            return a.outcome.winner is b.outcome.winner
        for text in moves[a.to_move]:
            one, two = lost(a, text), lost(b, text)
            if (one is None) != (two is None):
                return False
            if one is not None and two is not None and not walk(one, two):
                return False
        return True

    return left.plies == right.plies and walk(left.initial, right.initial)
