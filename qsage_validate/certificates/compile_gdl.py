"""Compiles a winning plan of a game in GDL into a certificate, and makes such plans by search.

The plan is one of the game by rounds (``games/gdl/rounds.py``), whose plies are those of the
layout.  Where a code of White's names no legal move, the formula leaves it to Black's side to
choose one, and the plan goes on from the move that ``encodings/gdl_completion.py`` chooses.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from qsage_validate.certificates.certificate import CircuitCertificate, Dialect, Kind
from qsage_validate.certificates.decisions import Decisions
from qsage_validate.certificates.plan import Plan, Planner, Witness
from qsage_validate.circuit.aig import AigBuilder
from qsage_validate.encodings.gdl_completion import Completion, code_is, everything_else
from qsage_validate.encodings.gdl_tables import GdlTables
from qsage_validate.encodings.table_layout import MoveTable
from qsage_validate.errors import UndecidedError
from qsage_validate.games.gdl.task import GdlModel, rounds_game
from qsage_validate.games.protocol import Move, Player, Position
from qsage_validate.solvers.search import (
    Limits,
    ProgressCallback,
    SearchResult,
    Solver,
    WinningStrategy,
)


def plan_gdl(
    model: GdlModel,
    *,
    limits: Limits | None = None,
    progress: ProgressCallback | None = None,
    stage: Callable[[str], None] | None = None,
) -> tuple[Plan, SearchResult]:
    """Who wins a game, by search, and the winner's plan, all within the limits' time.

    ``stage`` is told ``"search"`` and ``"plan"``.  Raises ``UndecidedError`` at a limit.
    """
    deadline = None
    if limits is not None and limits.seconds is not None:
        deadline = time.monotonic() + limits.seconds
    if stage is not None:
        stage("search")
    game = rounds_game(model)
    solver = Solver(game, limits=limits, progress=progress)
    result = solver.solve()
    if result.winner is None:
        raise UndecidedError(result.reason)
    if stage is not None:
        stage("plan")
    strategy = WinningStrategy(solver, result.winner)
    planner = Planner(game, result.winner, strategy.is_win, _no_witnesses, deadline=deadline)
    return planner.build(), result


def _no_witnesses(_: Position, __: Player) -> frozenset[Witness]:
    """A formula of GDL asks for no witness of a goal."""
    return frozenset()


def compile_gdl_plan(encoding: GdlTables, plan: Plan) -> CircuitCertificate:
    """The certificate that plays ``plan``: Skolem when the hero is Black, else Herbrand.

    All variables that the certificate decides get a function.  The result is not checked here.
    """
    return _Compiler(encoding, plan).certificate()


class _Compiler:
    def __init__(self, encoding: GdlTables, plan: Plan) -> None:
        self.encoding = encoding
        self.plan = plan
        self.kind = Kind.SKOLEM if plan.hero is Player.BLACK else Kind.HERBRAND
        self.builder = AigBuilder()
        self.inputs = encoding.qbf.variables(self.kind.decides.dual)
        self.literals = {v: self.builder.input() for v in self.inputs}
        # Moves by number over all plies: a table may be another one at each ply.
        tables = [t for t in encoding.layout.moves if t.player is plan.hero.other]
        self.numbers = {
            text: number
            for number, text in enumerate(dict.fromkeys(m for t in tables for m in t.moves))
        }
        self.width = max(len(self.numbers) - 1, 1).bit_length()
        self.decisions = Decisions(self.builder, plan, self._number)

    def _number(self, move: Move) -> tuple[int]:
        return (self.numbers[str(move)],)

    def certificate(self) -> CircuitCertificate:
        black = self.kind is Kind.SKOLEM
        functions = self._black() if black else self._white()
        decided = self.encoding.qbf.variables(self.kind.decides)
        aig, moved = self.builder.build([functions[v] for v in decided])
        return CircuitCertificate(
            self.kind, aig, self.inputs, dict(zip(decided, moved, strict=True)), Dialect.CAQE
        )

    def _decide(self, table: MoveTable, opponent: Sequence[int]) -> tuple[int, ...]:
        """The number of the hero's move in the table, after the opponent's, as bits."""
        self.decisions.arrive((tuple(opponent),) if opponent else ())
        index = {text: number for number, text in enumerate(table.moves)}
        width = len(table.code) or max(len(table.moves) - 1, 0).bit_length()
        bits = self.decisions.column(lambda node: index[str(node.move)], width)
        self.decisions.leave()
        return bits

    def _made(self, table: MoveTable, literals: Sequence[int]) -> tuple[int, ...]:
        """The number of the opponent's move, of which ``literals`` say which it is."""
        numbers = [self.numbers[text] for text in table.moves]
        return tuple(
            self.builder.or_all(
                x for x, number in zip(literals, numbers, strict=True) if number >> bit & 1
            )
            for bit in reversed(range(self.width))
        )

    def _black(self) -> dict[int, int]:
        """Black's moves, White's where the code names none, and the gates that are variables."""
        encoding, builder = self.encoding, self.builder
        completion = Completion(encoding.inner, builder, self.literals)
        functions: dict[int, int] = {}
        opponent: tuple[int, ...] = ()
        plies = iter(encoding.layout.moves)
        for time_step, (ours, theirs) in enumerate(zip(plies, plies, strict=True), start=1):
            bits = self._decide(ours, opponent)
            going = completion.literal(-encoding.inner.ended[time_step - 1])
            for number, variable in enumerate(ours.literals):
                functions[variable] = builder.and_(going, code_is(builder, bits, number))
            self.literals.update(functions)
            code = [self.literals[v] for v in theirs.code]
            named = [code_is(builder, code, number) for number in range(len(theirs.moves))]
            opponent = self._made(theirs, completion.white(time_step, named))
        known = encoding.qbf.quantifiers()
        gates = [gate for gate in encoding.inner.qbf.gates if gate in known]
        return functions | everything_else(completion, gates)

    def _white(self) -> dict[int, int]:
        functions: dict[int, int] = {}
        plies = iter(self.encoding.layout.moves)
        for theirs, ours in zip(plies, plies, strict=True):
            made = [self.literals[v] for v in theirs.literals]
            bits = self._decide(ours, self._made(theirs, made))
            functions.update(zip(ours.code, bits, strict=True))
        return functions
