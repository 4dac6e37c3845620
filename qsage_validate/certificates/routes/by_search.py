"""From a game to a checked certificate: search, plan, circuit, SAT check.

The search uses no knowledge of stones and no depths that can be raised.  Small games are
searched to the end, larger ones to a deadline.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from qsage_validate.certificates.checker.check import (
    CertificateProved,
    CertificateUndecided,
    CheckResult,
    check,
)
from qsage_validate.certificates.compile.compiler import NotCompiledError, compile_plan
from qsage_validate.certificates.compile.plan import Plan, Planner, must_play_plan
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.errors import Exit, QsageError, UndecidedError
from qsage_validate.games.languages import load_game
from qsage_validate.games.positional.rules import PositionalGame
from qsage_validate.games.protocol import PlanningGame, Player, Position, TwoPlayerGame
from qsage_validate.kernel.certificate import CircuitCertificate
from qsage_validate.solvers.search.solver import SearchResult, SearchSolver, search_for
from qsage_validate.system.limits import NEVER, Deadline, Limits, Progress, Stopwatch, Tell, nobody

# The winner of a game by a search of its positions, each once: for games made for planning


# Positions between two looks at the clock.
_TICK = 256


class PlainSearch:
    """The winners of a game's positions, kept; ``UndecidedError`` at the deadline."""

    def __init__(self, game: PlanningGame, deadline: Deadline = NEVER) -> None:
        self.game = game
        self.deadline = deadline
        self._winners: dict[Position, Player] = {}
        self._looked_at = 0

    def winner(self, position: Position) -> Player:
        if position.outcome is not None:
            return position.outcome.winner
        found = self._winners.get(position)
        if found is None:
            found = self._winners[position] = self._look(position)
        return found

    def _look(self, position: Position) -> Player:
        self._looked_at += 1
        if self._looked_at % _TICK == 0:
            self.deadline.check("the game of the formula was searched")
        settled = self.game.settled(position)
        if settled is not None:
            return settled
        mover = position.to_move
        after = [position.play(move) for move in position.legal_moves()]
        # Plays that end at once are the cheapest ones to look at.
        after.sort(key=lambda one: one.outcome is None)
        return mover if any(self.winner(one) is mover for one in after) else mover.other


# From a game to a checked certificate: search, plan, circuit, SAT check


# Certificates with more gates are worth lemmas; below, to prove these takes longer.
_LARGE: Final = 4000
# Which part of the time a large certificate is tried as it stands before it is compiled again
# with lemmas, and the seconds of that where there is no limit.  Black's, whose matrix says of
# each ply that it is right, are soon proved behind lemmas or not at all; White's seldom are.
_AS_IT_STANDS: Final = {Player.BLACK: (1 / 3, 20.0), Player.WHITE: (1 / 2, 60.0)}
# Which part of the rest lemmas get.
_LEMMAS: Final = 2 / 3


class CheckFailedError(QsageError):
    """A certificate that was made here does not pass the check, and is not handed out."""

    exit_code = Exit.REFUTED


@dataclass(frozen=True, slots=True)
class Certified:
    """A formula, a proved certificate of it, and the cost of making it.

    ``decisions`` counts the nodes of the plan; the seconds are wall-clock time.
    """

    encoding: Encoding
    certificate: CircuitCertificate
    check: CertificateProved
    search: SearchResult
    decisions: int
    search_seconds: float
    compile_seconds: float
    check_seconds: float

    @property
    def winner(self) -> Player:
        """The player whose strategy the certificate is."""
        return self.certificate.kind.player


def certify_encoding(
    encoded: Encoding,
    *,
    limits: Limits = Limits(),  # noqa: B008 (frozen)
    tell: Tell = nobody,
) -> Certified:
    """Find out who wins the game of an encoding, and certify it.

    ``tell`` hears of the stages ``"search"``, ``"plan"``, ``"compile"`` and ``"check"``.

    Raises ``UndecidedError`` at a limit, and ``CheckFailedError`` when the result does not
    pass levels 1 and 2 of the check: then nothing may be written.
    """
    deadline, watch = limits.deadline, Stopwatch()
    tell(Progress("search"))
    # The encoding's own model: its plies are those of the formula.
    game: TwoPlayerGame = load_game(encoded.model)
    solver = search_for(game, limits=limits, tell=tell)
    result = solver.solve()
    if result.winner is None:
        raise UndecidedError(result.reason)
    search_seconds = watch.lap()
    tell(Progress("plan"))
    planned: TwoPlayerGame | PlanningGame = game
    if result.winner in encoded.planned_on:
        planned = own = encoded.planned_on[result.winner]()
        plan = _own_plan(encoded, own, result.winner, deadline)
    else:
        plan = _plan(encoded, game, solver, result.winner, deadline)
    initial = planned.initial
    ended = planned.witnesses(initial, plan.hero) if initial.outcome else None
    tell(Progress("compile"))
    certificate = compile_plan(encoded, plan, ended)
    compile_seconds = watch.lap()
    tell(Progress("check"))
    checked, certificate = check_compiled(encoded, plan, certificate, deadline)
    decisions = sum(1 for _ in plan.nodes())
    seconds = search_seconds, compile_seconds, watch.lap()
    return Certified(encoded, certificate, checked, result, decisions, *seconds)


def check_compiled(
    encoded: Encoding, plan: Plan, certificate: CircuitCertificate, deadline: Deadline = NEVER
) -> tuple[CertificateProved, CircuitCertificate]:
    """The proof of a certificate that was compiled from a plan, and what was proved.

    Raises ``UndecidedError`` at the deadline and ``CheckFailedError`` where it does not hold.
    """
    if encoded.layout.state.is_board and certificate.aig.num_gates > _LARGE:
        checked, certificate = _check_large(encoded, plan, certificate, deadline)
    else:
        checked = check(encoded.qbf, certificate, deadline=deadline)
    return _proved(encoded, checked), certificate


def proved_or_raise(
    encoded: Encoding, certificate: CircuitCertificate, deadline: Deadline = NEVER
) -> CertificateProved:
    """The proof of a certificate that was made here.

    Raises ``UndecidedError`` at the deadline and ``CheckFailedError`` where it does not hold.
    """
    return _proved(encoded, check(encoded.qbf, certificate, deadline=deadline))


def _proved(encoded: Encoding, checked: CheckResult) -> CertificateProved:
    name = encoded.model.name
    if isinstance(checked, CertificateUndecided):
        raise UndecidedError(f"the certificate of {name} was not fully checked: {checked}")
    if not isinstance(checked, CertificateProved):
        raise CheckFailedError(f"the certificate of {name} does not hold: {checked}")
    return checked


def _plan(
    encoded: Encoding, game: TwoPlayerGame, solver: SearchSolver, winner: Player, deadline: Deadline
) -> Plan:
    def won(position: Position) -> bool:
        return solver.winner(position) is winner

    wins = _within_first_moves(encoded, game, won) if game.first_player is winner else won
    if isinstance(game, PositionalGame) and winner is Player.BLACK:
        model = game.model
        if model.maker_breaker and model.alternates:
            return must_play_plan(game, wins, solver.best_move, deadline)
    return Planner(game, winner, wins, deadline=deadline).build()


def _own_plan(encoded: Encoding, game: PlanningGame, hero: Player, deadline: Deadline) -> Plan:
    """The plan of a winner whose strategies are planned on a game that is not the rules."""
    search = PlainSearch(game, deadline)
    if search.winner(game.initial) is not hero:
        name = encoded.layout.encoding
        raise NotCompiledError(
            f"{encoded.model.name}: found a win of {hero}'s that is none of those that the "
            f"encoding {name} is about, expected another encoding to certify it"
        )
    wins: Callable[[Position], bool] = lambda position: search.winner(position) is hero  # noqa: E731
    return Planner(game, hero, wins, deadline=deadline).build()


def _within_first_moves(
    encoded: Encoding, game: TwoPlayerGame, wins: Callable[[Position], bool]
) -> Callable[[Position], bool]:
    """``wins`` without the first moves that the encoding leaves out, for reasons of symmetry."""
    initial = game.initial
    if initial.outcome is not None or not encoded.layout.moves:
        return wins
    kept = set(encoded.layout.moves[0].moves)
    left_out = {initial.play(m) for m in initial.legal_moves() if str(m) not in kept}
    return lambda position: position not in left_out and wins(position)


def _check_large(
    encoding: Encoding, plan: Plan, certificate: CircuitCertificate, deadline: Deadline
) -> tuple[CheckResult, CircuitCertificate]:
    """The check of a large certificate, as it stands and behind lemmas; with what was checked.

    A certificate compiled with lemmas has its functions once more in a larger graph, gate by
    gate: what is proved of one holds for the other.
    """
    part, most = _AS_IT_STANDS[certificate.kind.player]
    first = deadline.share(part).or_after(most)
    found = check(encoding.qbf, certificate, deadline=first)
    if not isinstance(found, CertificateUndecided):
        return found, certificate
    from qsage_validate.certificates.compile.lemmas import compile_with_lemmas

    certificate, larger, lemmas = compile_with_lemmas(encoding, plan)
    found = check(encoding.qbf, larger, deadline=deadline.share(_LEMMAS), lemmas=lemmas)
    if isinstance(found, CertificateUndecided):
        found = check(encoding.qbf, certificate, deadline=deadline)
    return found, certificate
