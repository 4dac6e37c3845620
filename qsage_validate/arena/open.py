"""Plays of a problem: what answers in them, and what conducts them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from qsage_validate.certificates.choose_oracle import OracleKind
from qsage_validate.certificates.oracle import Oracle
from qsage_validate.kernel.certificate import (
    CertificateKind,
    CircuitCertificate,
)
from qsage_validate.problems.load import BoardProblem, Problem
from qsage_validate.strategies.skolem import reader_of

if TYPE_CHECKING:
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


def _notes(problem: Problem) -> tuple[str, ...]:
    if not problem.assertions:
        return problem.notes
    from qsage_validate.arena.watch import watched

    return (*problem.notes, watched(problem))


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

        watch = Watch(problem.assertions, oracle, game, replies_of(problem))
    return PlayEngine(
        open_reader(problem, oracle),
        game,
        name=names.variable,
        gates=gates,
        guesses=guesses,
        watch=watch,
        sparing=problem.solving is not None,
    )


def replies_of(problem: Problem) -> tuple[int, ...]:
    """The variables that a solver answers, before it tells what follows from them."""
    if problem.solving is None or problem.formula is None:
        return ()
    return problem.formula.variables(problem.answering.kind.decides)
