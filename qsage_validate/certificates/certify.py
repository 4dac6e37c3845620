"""From a game to a checked certificate: search, plan, circuit, SAT check."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from qsage_validate.certificates.certificate import CircuitCertificate
from qsage_validate.certificates.check import (
    CertificateProved,
    CertificateUndecided,
    CheckResult,
    check,
)
from qsage_validate.certificates.compile import compile_plan, compile_with_lemmas
from qsage_validate.certificates.plan import Plan, Planner, Witness
from qsage_validate.encodings.encoding import Encoding, encode
from qsage_validate.errors import Exit, QsageError, UndecidedError
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.bddl.rules import BddlGame, BddlPosition
from qsage_validate.games.protocol import Player, Position
from qsage_validate.solvers.search import (
    Limits,
    ProgressCallback,
    SearchResult,
    Solver,
    WinningStrategy,
)

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
    """A formula, a certificate that was proved for it, and what that took.

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


def certify_game(
    model: Model,
    encoding: str = "lifted",
    *,
    limits: Limits | None = None,
    progress: ProgressCallback | None = None,
    stage: Callable[[str], None] | None = None,
) -> Certified:
    """Find out who wins ``model``, and certify it for its encoding.

    ``limits`` hold for the search; the rest of its time is the check's.  ``stage`` is told
    ``"search"``, ``"plan"``, ``"compile"`` and ``"check"`` when these begin.

    Raises ``UndecidedError`` at a limit, and ``CheckFailedError`` when the result does not
    pass levels 1 and 2 of the check: then nothing may be written.
    """
    say = stage if stage is not None else _silent
    started = time.monotonic()
    deadline = None
    if limits is not None and limits.seconds is not None:
        deadline = started + limits.seconds
    encoded = encode(model, encoding)
    say("search")
    game = BddlGame(model)
    solver = Solver(game, limits=limits, progress=progress)
    result = solver.solve()
    if result.winner is None:
        raise UndecidedError(result.reason)
    searched = time.monotonic()
    say("plan")
    strategy = WinningStrategy(solver, result.winner)
    plan = Planner(game, result.winner, strategy.is_win, goal_witnesses, deadline=deadline).build()
    say("compile")
    certificate = compile_plan(encoded, plan)
    compiled = time.monotonic()
    say("check")
    if certificate.aig.num_gates > _LARGE:
        checked, certificate = _check_large(encoded, plan, certificate, deadline)
    else:
        checked = check(encoded.qbf, certificate, timeout=_left(deadline))
    if isinstance(checked, CertificateUndecided):
        raise UndecidedError(f"the certificate of {model.name} was not fully checked: {checked}")
    if not isinstance(checked, CertificateProved):
        raise CheckFailedError(f"the certificate of {model.name} does not hold: {checked}")
    return Certified(
        encoded,
        certificate,
        checked,
        result,
        decisions=sum(1 for _ in plan.nodes()),
        search_seconds=searched - started,
        compile_seconds=compiled - searched,
        check_seconds=time.monotonic() - compiled,
    )


def _check_large(
    encoding: Encoding, plan: Plan, certificate: CircuitCertificate, deadline: float | None
) -> tuple[CheckResult, CircuitCertificate]:
    """The check of a large certificate, as it stands and behind lemmas; with what was checked.

    A certificate compiled with lemmas has its functions once more in a larger graph, gate by
    gate: what is proved of one holds for the other.
    """
    part, first = _AS_IT_STANDS[certificate.kind.player]
    left = _left(deadline)
    found = check(encoding.qbf, certificate, timeout=first if left is None else left * part)
    if not isinstance(found, CertificateUndecided):
        return found, certificate
    certificate, larger, lemmas = compile_with_lemmas(encoding, plan)
    left = _left(deadline)
    found = check(
        encoding.qbf, larger, timeout=None if left is None else left * _LEMMAS, lemmas=lemmas
    )
    if isinstance(found, CertificateUndecided):
        found = check(encoding.qbf, certificate, timeout=_left(deadline))
    return found, certificate


def _left(deadline: float | None) -> float | None:
    """The seconds until ``deadline``: never none at all, so that a check can say so itself."""
    return None if deadline is None else max(deadline - time.monotonic(), 0.1)


def _silent(_: str) -> None:
    """Tell nobody."""


def goal_witnesses(position: Position, player: Player) -> frozenset[Witness]:
    """The goal instances of ``player`` that hold in a position of a BDDL game."""
    if not isinstance(position, BddlPosition):
        raise TypeError(f"{position!r} is no BDDL position")
    return frozenset(position.goal_instances(player))
