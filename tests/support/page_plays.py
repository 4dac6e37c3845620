"""Plays in a page (``qsage export page``), and the same plays by the conductor."""

from __future__ import annotations

import json
import random
import re
from typing import Any, Final

from qsage_validate.api.strategies import Strategy
from qsage_validate.arena.conductor import Conductor
from qsage_validate.certificates.oracles.simulation import SimulationOracle
from qsage_validate.games.protocol import Square
from qsage_validate.kernel.certificate import CircuitCertificate
from qsage_validate.strategies.readers import reader_of

_LETTERS: Final = {Square.BLACK: "B", Square.WHITE: "W", Square.OPEN: "."}


def page_table(page: str) -> dict[str, Any]:
    """The table that a page carries for its script."""
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.S)
    assert found is not None
    table: dict[str, Any] = json.loads(found[1])
    return table


def conducted(strategy: Strategy, games: int, seed: int) -> tuple[list[list[str]], list[Any]]:
    """Random plays by the formula alone, and what the conductor says of each step."""
    problem = strategy.problem.with_checked_dependencies()
    certificate = problem.answering
    assert isinstance(certificate, CircuitCertificate)
    assert problem.layout is not None
    oracle = SimulationOracle(certificate, problem.formula)
    reader = reader_of(problem.layout, certificate, problem.formula, oracle, problem.game)
    conductor, generator = Conductor(reader), random.Random(seed)
    plays, told = [], []
    for _ in range(games):
        state, moves, steps = conductor.start(), list[str](), list[Any]()
        while True:
            mine = state.ending is None and conductor.to_move(state) is conductor.player
            is_open = state.ending is not None or mine
            on_board = None if is_open else reader.code.moves(state.plies + 1)
            legal = None
            if on_board is not None:
                legal = [str(m) for m in on_board if conductor.is_legal(state, m)]
            board, atoms = state.board, state.reading.atoms
            squares = None if board is None else "".join(_LETTERS[s] for s in board.squares)
            true = [] if atoms is None else sorted(atoms.true)
            steps.append([list(state.moves), squares, true, legal or None])
            if state.ending is not None or legal == []:
                break
            if mine:
                (state,) = conductor.answer_all([state])
                continue
            assert legal
            moves.append(generator.choice(legal))
            found = conductor.find(state, moves[-1])
            assert found is not None
            state = conductor.play(state, found)
        (verdict,) = reader.verdicts([state.assignment])
        plays.append(moves)
        told.append([steps, verdict.value])
    return plays, told


def accused(strategy: Strategy, plays: list[list[str]]) -> list[list[int]]:
    """The plies at which the conductor has findings against plays, by the rules of the game."""
    problem = strategy.problem.with_checked_dependencies()
    certificate = problem.answering
    assert isinstance(certificate, CircuitCertificate)
    assert problem.layout is not None
    oracle = SimulationOracle(certificate, problem.formula)
    reader = reader_of(problem.layout, certificate, problem.formula, oracle, problem.game)
    conductor, found = Conductor(reader, problem.game), []
    for moves in plays:
        state, left = conductor.start(), list(moves)
        plies = {each.ply for each in state.findings}
        while state.ending is None:
            if conductor.to_move(state) is conductor.player:
                (state,) = conductor.answer_all([state])
                plies |= {each.ply for each in state.findings}
                continue
            (state,) = conductor.examine_all([state])
            plies |= {each.ply for each in state.findings}
            move = conductor.find(state, left.pop(0)) if left and state.ending is None else None
            if move is None or not conductor.is_legal(state, move):
                break  # The play goes on by the formula alone, if it does.
            state = conductor.play(state, move)
            plies |= {each.ply for each in state.findings}
        if state.ending is not None:
            plies |= {each.ply for each in conductor.finish_all([state])[0].findings}
        found.append(sorted(plies))
    return found
