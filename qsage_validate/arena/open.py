"""Plays of a problem: what answers in them, what conducts them, and who attacks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from qsage_validate.certificates.choose_oracle import OracleKind
from qsage_validate.certificates.oracle import Oracle
from qsage_validate.encodings.layout import Layout
from qsage_validate.errors import UsageError
from qsage_validate.games.protocol import TwoPlayerGame
from qsage_validate.kernel.certificate import (
    CertificateKind,
    CircuitCertificate,
    opponent_variables,
)
from qsage_validate.problems.load import BoardProblem, Problem
from qsage_validate.strategies.reader import knows_illegal
from qsage_validate.strategies.skolem import reader_of

if TYPE_CHECKING:
    from qsage_validate.arena.adversary import Adversary, BoardAdversary
    from qsage_validate.arena.board_engine import Engine
    from qsage_validate.arena.frame import Names, PlayState
    from qsage_validate.arena.play_engine import PlayEngine
    from qsage_validate.strategies.reader import CertificateReader


def open_engine(problem: Problem) -> Engine:
    """The engine for a person's play of a problem."""
    from qsage_validate.arena.board_engine import BoardEngine

    oracle, solves = problem.oracle(OracleKind.SAT), problem.solving is not None
    if not isinstance(problem, BoardProblem):
        from qsage_validate.arena.blocks import BlockEngine

        return BlockEngine(
            problem.qbf,
            problem.answering,
            oracle,
            problem.title,
            _notes(problem),
            solves=solves,
            asserted=problem.assertions,
        )
    from qsage_validate.arena.frame import Names

    names = Names(problem.layout, problem.formula)
    play_engine = play_engine_with_names(problem, oracle, names, names.at_ply)
    return BoardEngine(
        play_engine,
        names,
        problem.play_title,
        _notes(problem),
        details=problem.details,
        solves=solves,
    )


def watched(problem: Problem) -> str:
    """The assertions that plays of a problem look at, in words; empty without any."""
    if not problem.assertions:
        return ""
    from qsage_validate.arena.watch import coverage

    layout = problem.layout
    told = None if layout is None or problem.game is not None else _told(problem, layout)
    return coverage(problem.assertions, board=layout is not None, told=told)


def _told(problem: Problem, layout: Layout) -> frozenset[str]:
    """The names of positions that the formula tells at some time; not what the opponent chooses."""
    from qsage_validate.validation.assertions import AssertionVocabulary

    state, certificate = layout.state, problem.answering
    if state.is_board:
        return frozenset(AssertionVocabulary(problem.formula, layout, None).words)
    skolem = certificate.kind is CertificateKind.SKOLEM
    free = set(opponent_variables(certificate, problem.formula)) if skolem else set()
    rows = (zip(state.kinds, row, strict=False) for row in state.states)
    kinds = {kind for row in rows for kind, x in row if x and abs(x) not in free}
    return frozenset({f"{k} {p}" for k in kinds for p in state.places} if state.axes else kinds)


def _notes(problem: Problem) -> tuple[str, ...]:
    return (*problem.notes, *filter(None, (watched(problem),)))


def open_adversary(problem: Problem, *, seed: int, illegal: float, bias: bool = False) -> Adversary:
    """A random adversary; ``illegal`` is how often it tries an illegal move.

    With ``bias`` it prefers the moves that it has made least (on a board only).  Raises
    ``UsageError`` where illegal moves are asked for and nothing tells them.
    """
    from qsage_validate.arena.blocks import BlockAdversary

    if isinstance(problem, BoardProblem):
        return open_board_adversary(problem, seed=seed, illegal=illegal, bias=bias)
    if illegal:
        raise UsageError("found --illegal, but no layout says which moves are illegal")
    oracle = problem.oracle(OracleKind.SIMULATION)
    return BlockAdversary(
        problem.qbf,
        problem.answering,
        oracle,
        seed=seed,
        replay=problem.replay,
        replies=_replies(problem),
        asserted=problem.assertions,
    )


def open_board_adversary(
    problem: BoardProblem, *, seed: int, illegal: float, bias: bool = False
) -> BoardAdversary:
    from qsage_validate.arena.adversary import BoardAdversary

    play_engine = open_play_engine(problem, problem.oracle(OracleKind.SIMULATION))
    check_illegal(play_engine.reader, problem.game, illegal)
    return BoardAdversary(play_engine, seed=seed, illegal=illegal, bias=bias, replay=problem.replay)


def check_illegal(reader: CertificateReader, game: TwoPlayerGame | None, illegal: float) -> None:
    """Raise ``UsageError`` where illegal moves are asked for and nothing tells them."""
    if illegal and not knows_illegal(reader, game):
        raise UsageError(
            f"found --illegal, but {reader.layout.source} does not say where the formula "
            "keeps what is legal"
        )


def open_reader(problem: BoardProblem, oracle: Oracle) -> CertificateReader:
    """The plays of a problem as its formula sees them."""
    certificate, formula, game = problem.answering, problem.formula, problem.game
    return reader_of(problem.layout, certificate, formula, oracle, game, problem.refuter)


def open_play_engine(problem: BoardProblem, oracle: Oracle) -> PlayEngine:
    """Plays on a board that ``oracle`` answers."""
    from qsage_validate.arena.frame import Names

    names = Names(problem.layout, problem.formula)
    return play_engine_with_names(problem, oracle, names, lambda ply: ())


def play_engine_with_names(
    problem: BoardProblem, oracle: Oracle, names: Names, gates: Callable[[int], Sequence[int]]
) -> PlayEngine:
    """Plays on a board; ``gates`` are those looked at before each ply."""
    from qsage_validate.arena.play_engine import PlayEngine

    certificate, formula, game = problem.answering, problem.formula, problem.game
    layout = problem.layout
    guesses = None
    if certificate.kind is CertificateKind.HERBRAND and isinstance(certificate, CircuitCertificate):
        from qsage_validate.certificates.parts import variables_read
        from qsage_validate.strategies.guesses import Guesses, told

        position = told(layout, game)
        if problem.unassigned or not variables_read(certificate).isdisjoint(position):
            from qsage_validate.certificates.simulation_oracle import SimulationOracle

            graph = SimulationOracle(certificate, formula)
            guesses = Guesses(layout, graph, problem.unassigned, position)
    watch: Callable[[Sequence[PlayState]], list[PlayState]] = list
    if problem.assertions:
        from qsage_validate.arena.watch import Watch

        watch = Watch(problem.assertions, oracle, game, _replies(problem))
    return PlayEngine(
        open_reader(problem, oracle),
        game,
        name=names.variable,
        gates=gates,
        guesses=guesses,
        watch=watch,
        sparing=problem.solving is not None,
    )


def _replies(problem: Problem) -> tuple[int, ...]:
    """The variables that a solver answers, before it tells what follows from them."""
    if problem.solving is None or problem.formula is None:
        return ()
    return problem.formula.variables(problem.answering.kind.decides)
