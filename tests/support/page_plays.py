"""Plays in a page (``qsage export page``), and the same plays by the play engine."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping
from typing import Any, Final

from qsage_validate.api.strategies import Strategy
from qsage_validate.arena.play_engine import PlayEngine
from qsage_validate.certificates.simulation_oracle import SimulationOracle
from qsage_validate.games.protocol import Position, Square
from qsage_validate.kernel.certificate import CircuitCertificate
from qsage_validate.strategies.reader import LayoutMove
from qsage_validate.strategies.skolem import reader_of

_LETTERS: Final = {Square.BLACK: "B", Square.WHITE: "W", Square.OPEN: "."}


def page_table(page: str) -> dict[str, Any]:
    """The table that a page carries for its script."""
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.S)
    assert found is not None
    table: dict[str, Any] = json.loads(found[1])
    return table


def conducted(strategy: Strategy, games: int, seed: int) -> tuple[list[list[str]], list[Any]]:
    """Random plays by the formula, and what the play engine says of each step.

    Moves of which the formula says nothing are those that the rules allow, as long as a play is
    one by the rules.
    """
    play_engine, ruled = _play_engines(strategy)
    reader, generator = play_engine.reader, random.Random(seed)
    plays, told = [], []
    for _ in range(games):
        state, moves, steps = play_engine.start(), list[str](), list[Any]()
        position = None if ruled.game is None else ruled.game.initial
        while True:
            mine = state.ending is None and play_engine.to_move(state) is play_engine.player
            is_open = state.ending is not None or mine
            legal = None
            if not is_open:
                verdicts = play_engine.legality(state) or {}
                legal = [
                    str(move)
                    for move in reader.code.moves(state.plies + 1)
                    if (
                        play_engine.is_legal(state, move)
                        and _allowed(ruled, position, verdicts, move)
                    )
                ]
            board, atoms = state.board, state.reading.atoms
            squares = None if board is None else "".join(_LETTERS[s] for s in board.squares)
            true = [] if atoms is None else sorted(atoms.true)
            steps.append([list(state.moves), squares, true, legal or None])
            if state.ending is not None or legal == []:
                break
            if mine:
                (state,) = play_engine.answer_all([state])
            else:
                assert legal
                moves.append(generator.choice(legal))
                found = play_engine.find(state, moves[-1])
                assert found is not None
                state = play_engine.play(state, found)
            position = _after(ruled, position, state.moves[-1])
        (verdict,) = reader.verdicts([state.assignment])
        plays.append(moves)
        told.append([steps, [verdict.value, verdict.note]])
    return plays, told


def _play_engines(strategy: Strategy) -> tuple[PlayEngine, PlayEngine]:
    """The play engine by the formula alone, and the one by the rules of the game."""
    problem = strategy.problem.with_checked_dependencies()
    certificate = problem.answering
    assert isinstance(certificate, CircuitCertificate)
    assert problem.layout is not None
    oracle = SimulationOracle(certificate, problem.formula)
    reader = reader_of(problem.layout, certificate, problem.formula, oracle, problem.game)
    return PlayEngine(reader), PlayEngine(reader, problem.game)


def _allowed(
    ruled: PlayEngine,
    position: Position | None,
    verdicts: Mapping[LayoutMove, Any],
    move: LayoutMove,
) -> bool:
    """True if the formula decides on a move, or if the rules allow it."""
    if verdicts.get(move) is not None or ruled.referee is None:
        return True
    initial = ruled.referee.game.initial
    stones = {f"black {move}", f"white {move}"} & ruled.referee.game.atoms(initial)
    if stones and ruled.layout.game == "positional":
        return False
    if position is None or position.outcome is not None:
        return True
    known = ruled.referee.move(move, position.to_move)
    return known is not None and ruled.referee.is_legal(position, known)


def _after(ruled: PlayEngine, position: Position | None, text: str) -> Position | None:
    """The position after a move; ``None`` where the rules have none."""
    if position is None or position.outcome is not None:
        return None
    legal = {str(move): move for move in position.legal_moves()}
    return position.after(legal[text]) if text in legal else None


def refereed(strategy: Strategy, plays: list[list[str]]) -> list[Any]:
    """What the rules say of plays until their end by the rules: moves, and which are legal."""
    _, play_engine = _play_engines(strategy)
    found = []
    for moves in plays:
        state, left, steps = play_engine.start(), list(moves), list[Any]()
        while state.ending is None:
            mine = play_engine.to_move(state) is play_engine.player
            if mine:
                steps.append([list(state.moves), None])
                (state,) = play_engine.answer_all([state])
                continue
            steps.append([list(state.moves), [str(m) for m in play_engine.legal_moves(state)]])
            if not left:
                break
            move = play_engine.find(state, left.pop(0))
            assert move is not None
            state = play_engine.play(state, move)
        found.append(steps)
    return found


def accused(strategy: Strategy, plays: list[list[str]]) -> list[list[int]]:
    """The plies at which the play engine has findings against plays, by the rules of the game."""
    _, play_engine = _play_engines(strategy)
    found = []
    for moves in plays:
        state, left = play_engine.start(), list(moves)
        plies = {each.ply for each in state.findings}
        while state.ending is None:
            if play_engine.to_move(state) is play_engine.player:
                (state,) = play_engine.answer_all([state])
                plies |= {each.ply for each in state.findings}
                continue
            (state,) = play_engine.examine_all([state])
            plies |= {each.ply for each in state.findings}
            move = play_engine.find(state, left.pop(0)) if left and state.ending is None else None
            if move is None or not play_engine.is_legal(state, move):
                break  # The play goes on by the formula alone, if it does.
            state = play_engine.play(state, move)
            plies |= {each.ply for each in state.findings}
        if state.ending is not None:
            plies |= {each.ply for each in play_engine.finish_all([state])[0].findings}
        found.append(sorted(plies))
    return found
