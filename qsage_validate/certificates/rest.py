"""Certificates in parts: first blocks from a solution, and the rest of a strategy.

The solution's replies in the winner's first plies are a plan that ends early.  Functions that are
compiled from it are right in these plies and arbitrary behind them, where they are cut off.

The functions of the part become gates: what is left is a formula about the other variables, which
has the promised value exactly when functions of these complete the part.  A certificate of what is
left gives them, or shows the play in which the part is lost whatever they are.

The clausal form of a formula has more variables: a certificate gets functions of them, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from qsage_validate.certificates.by_expansion import expand
from qsage_validate.certificates.check import CertificateProved, check
from qsage_validate.certificates.compiler import NotCompiledError, compile_plan
from qsage_validate.certificates.parts import first_blocks, for_clausal_form, joined, left_by
from qsage_validate.certificates.plan import Plan, PlanNode
from qsage_validate.certificates.routes import (
    AUTO,
    EXPANSION,
    CertifiedFormula,
    CheckFailedError,
    RouteOptions,
    certify_formula,
)
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.errors import MissingExtraError, UndecidedError
from qsage_validate.games.protocol import Move, Position
from qsage_validate.kernel.certificate import CircuitCertificate
from qsage_validate.solutions.check import Lookup
from qsage_validate.solutions.walk import SolutionClaim
from qsage_validate.solvers.backend import SolverMissingError
from qsage_validate.solvers.qbf_solving import constant_value
from qsage_validate.system.limits import NEVER, Deadline, Tell, nobody

# From a solution file to the functions of the winner's first blocks


def part_of(
    encoded: Encoding, solution: SolutionClaim, blocks: int, deadline: Deadline = NEVER
) -> CircuitCertificate:
    """The functions of the winner's first ``blocks``, of an encoding of the solution's model.

    Nothing is proved of them.  Raises ``UsageError`` for more blocks than there are,
    ``NotCompiledError`` for what no plan of the rules is compiled to, ``InputError`` where the
    solution has no reply and ``UndecidedError`` at the deadline.
    """
    game, winner = solution.game, solution.winner
    plies = range(1, game.plies)
    if winner in encoded.planned_on or any(
        game.player_at(k) is game.player_at(k + 1) for k in plies
    ):
        name = encoded.layout.encoding
        raise NotCompiledError(
            f"{game.name}: found the encoding {name} with a solution, expected one whose plies "
            "are the players' in turn"
        )
    lookup, known = Lookup(solution), dict[Position, PlanNode]()

    def node(position: Position, left: int) -> PlanNode:
        found = known.get(position)
        if found is None:
            deadline.check("the solution's replies were put together")
            move = lookup.reply(position)
            after = position.play(move)
            goals = game.witnesses(after, winner) if after.outcome else frozenset()
            found = PlanNode(position.ply, move, bool(goals), goals)
            known[position] = found
            if after.outcome is None and left > 1:
                found.table.update(replies(after, left - 1))
        return found

    def replies(position: Position, left: int) -> dict[Move, PlanNode]:
        after = {move: position.play(move) for move in position.legal_moves()}
        return {move: node(p, left) for move, p in after.items() if p.outcome is None}

    initial = game.initial
    if initial.outcome is not None:
        raise NotCompiledError(f"{game.name}: found a play that has ended before ply 1")
    # Each of the winner's plies has a block of its own, or several.
    if initial.to_move is winner:
        plan = Plan(winner, node(initial, blocks), {})
    else:
        plan = Plan(winner, None, replies(initial, blocks))
    return first_blocks(compile_plan(encoded, plan, None), encoded.qbf, blocks)


# The rest of a strategy: functions for the variables that a part of a certificate leaves open


# Seconds to expand what is left, and for a solver to decide it before it is preprocessed.
_AT_FIRST: Final = 20.0
# Where an expansion needs more gates, solvers are quicker.
_EXPANDED: Final = 20_000
_FEW_BLOCKS: Final = 3


@dataclass(frozen=True, slots=True)
class Completed:
    """A part with functions of the rest: a claim, which the caller checks; ``by`` found them."""

    certificate: CircuitCertificate
    by: str


@dataclass(frozen=True, slots=True)
class Beaten:
    """The part loses: the formula that is left has the other value.

    The opponent wins with ``choice`` where the rest is false.

    ``choice`` has the opponent's variables; a proved certificate of ``left`` gave it.
    """

    left: Qbf
    choice: Mapping[int, bool]
    by: str


def complete(
    formula: Qbf,
    part: CircuitCertificate,
    options: RouteOptions,
    *,
    as_it_is: bool = False,
    tell: Tell = nobody,
) -> Completed | Beaten:
    """Functions of what ``part`` leaves open, or why there are none.

    Something is left open, and the functions of ``part`` read only what stands left of their
    variables.  ``options`` say how the rest is found; with ``as_it_is`` as in :func:`certified`.
    Raises ``UndecidedError``, and the errors of ``certify_formula`` where there are no solvers.
    """
    left = left_by(formula, part)
    if constant_value(left) is not None:
        options = replace(options, route=EXPANSION, solver=None)
    elif options.route == AUTO and options.solver is None and (as_it_is or _is_little(left)):
        deadline = options.limits.deadline.sooner(_AT_FIRST)
        with suppress(UndecidedError):
            found = expand(formula, part, deadline=deadline, max_gates=_EXPANDED)
            if found.kind is part.kind:
                return Completed(found, EXPANSION)
            if isinstance(check(left, found, deadline=options.limits.deadline), CertificateProved):
                return _beaten(formula, left, found, EXPANSION)
    made = (certified if as_it_is else certify_formula)(left, options, tell=tell)
    if made.certificate.kind is part.kind:
        return Completed(joined(formula, part, made.certificate), made.by)
    return _beaten(formula, left, made.certificate, made.by)


def _is_little(left: Qbf) -> bool:
    return len(left.merged_scopes()) <= _FEW_BLOCKS


def _beaten(formula: Qbf, left: Qbf, opponent: CircuitCertificate, by: str) -> Beaten:
    values = evaluate(opponent, {})
    variables = formula.variables(opponent.kind.decides)
    return Beaten(left, {v: values.get(v, False) for v in variables}, by)


def certified(formula: Qbf, options: RouteOptions, *, tell: Tell = nobody) -> CertifiedFormula:
    """Decide a formula with few variables left: first without preprocessing."""
    if options.route == AUTO and options.solver is None:
        at_first = replace(options.limits, deadline=options.limits.deadline.sooner(_AT_FIRST))
        with suppress(UndecidedError, SolverMissingError, MissingExtraError):
            quick = replace(options, route="trace", limits=at_first)
            return certify_formula(formula, quick, tell=tell)
    return certify_formula(formula, options, tell=tell)


def evaluate(certificate: CircuitCertificate, choice: Mapping[int, bool]) -> dict[int, bool]:
    """The values of a certificate's functions; variables without a value are false."""
    aig = certificate.aig
    values = [False, *(choice.get(v, False) for v in certificate.inputs)]
    for a, b in zip(aig.fanin0.tolist(), aig.fanin1.tolist(), strict=True):
        values.append((values[a >> 1] != bool(a & 1)) and (values[b >> 1] != bool(b & 1)))
    return {v: values[f >> 1] != bool(f & 1) for v, f in certificate.functions.items()}


def proved_clausal_form(
    certificate: CircuitCertificate, formula: Qbf, clausal: Qbf
) -> CircuitCertificate:
    """The certificate for the clausal form, proved anew; raises ``CheckFailedError``."""
    extended = for_clausal_form(certificate, formula, clausal)
    checked = check(clausal, extended)
    if not isinstance(checked, CertificateProved):
        raise CheckFailedError(f"the certificate of the clausal form does not hold: {checked}")
    return extended
