"""Plays that a QBF solver answers, in the place of a certificate or of the part that it lacks."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from qsage_validate.certificates.oracles.oracle import NoAnswerError, Oracle
from qsage_validate.certificates.oracles.sat import SatOracle
from qsage_validate.certificates.oracles.solving import SolvingOracle
from qsage_validate.certificates.parts import own_blocks
from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.layout.layout import Layout
from qsage_validate.errors import UndecidedError, UsageError
from qsage_validate.formats.qcir_writer import qcir_text
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate, Dialect
from qsage_validate.solvers.qbf.backend import Backend, Missing, SolverFormat
from qsage_validate.solvers.qbf.backends import BLOQQER, backends
from qsage_validate.solvers.qbf.solving import Reply, SolverReplies, ValueChangedError, available

AUTO = "auto"
"""The name that stands for whatever solver is there: several at once."""

_RACERS = 2


class ContradictionError(NoAnswerError):
    """Solver contradicts solver: the value of a formula changed during a play."""


@dataclass(frozen=True)
class Solving:
    """A solver that plays, with its answers so far; ``seconds`` is the limit of each reply."""

    solver: str
    seconds: float | None
    replies: SolverReplies
    answered: list[Reply] = field(default_factory=list, compare=False)

    @classmethod
    def by(cls, solver: str, seconds: float | None) -> Solving:
        """Plays by the solver of that name, or :data:`AUTO`.

        Raises ``UsageError`` for a name that is not known, ``SolverMissingError`` and
        ``MissingExtraError`` for what is not installed.
        """
        contenders: Sequence[Backend]
        if solver == AUTO:
            contenders = [b for b in available() if b.gives_outer][:_RACERS] or available()[:1]
        else:
            known = backends()
            if solver.lower() not in known:
                names = ", ".join(known)
                raise UsageError(f"found the solver {solver!r}, expected {AUTO} or one of {names}")
            contenders = [known[solver.lower()]]
            contenders[0].program()
        clauses = any(SolverFormat.QDIMACS in backend.accepts for backend in contenders)
        there = clauses and not isinstance(BLOQQER.availability(), Missing)
        replies = SolverReplies(contenders, seconds, preprocessor=BLOQQER if there else None)
        return cls(solver, seconds, replies)

    @property
    def name(self) -> str:
        """The name of the player, for a title."""
        return "a portfolio of solvers" if self.solver == AUTO else self.solver

    def outermost(self, formula: Qbf) -> tuple[CircuitCertificate, str]:
        """Winning values of the outermost block, on the solver's word, and the solver's name.

        Raises ``UndecidedError`` when no solver answers in time, and where the side that wins has
        no value to choose there.
        """
        value = self.replies.value(formula)
        kind = CertificateKind.SKOLEM if value else CertificateKind.HERBRAND
        scopes = formula.merged_scopes()
        if not scopes or scopes[0].quantifier is not kind.decides:
            whose = f"the formula is {str(value).lower()}, and its outermost block is"
            raise UndecidedError(f"{whose} not {kind.player}'s, who wins: no value is chosen there")
        reply = self.replies.reply(formula, value)
        empty = without_functions(formula, kind, None)
        functions = {v: TRUE if bit else FALSE for v, bit in reply.values.items()}
        blocks = 1 if len(own_blocks(formula, kind)) > 1 else None
        return replace(empty, functions=functions, first_blocks=blocks), reply.by

    def oracle(
        self, certificate: CircuitCertificate, formula: Qbf, layout: Layout | None
    ) -> SolvingOracle:
        """Answers by the certificate's functions where it has them, else by the solver."""
        promised = certificate.kind.truth
        known = frozenset(certificate.functions)
        part: Oracle | None = SatOracle(certificate, formula) if known else None

        def ask(left: Qbf) -> Mapping[int, bool]:
            try:
                reply = self.replies.reply(left, promised)
            except ValueChangedError as changed:
                raise _contradiction(changed) from changed
            self.answered.append(reply)
            return reply.values

        follows, probes = _indicators(layout, certificate.kind, formula)
        return SolvingOracle(
            formula,
            certificate.kind,
            ask,
            decide=self.replies.value,
            part=part,
            known=known,
            follows=follows - known,
            probes=probes,
        )


def _indicators(
    layout: Layout | None, kind: CertificateKind, formula: Qbf
) -> tuple[frozenset[int], Sequence[Mapping[int, bool]]]:
    """The variables that may follow from the opponent's moves, with their dependencies.

    The latter are the values of the symbolic position.
    """
    if layout is None:
        return frozenset(), ()
    moves = {abs(x) for ply in layout.of(kind.player) for x in ply.all_variables}
    opponent = frozenset(formula.variables(kind.decides.dual))
    at_places = layout.state.at_places
    probes = [{}, *({v: x for v, x in at.items() if v in opponent} for at in at_places)]
    return frozenset(formula.variables(kind.decides)) - moves, probes


def without_functions(formula: Qbf, kind: CertificateKind, path: str | None) -> CircuitCertificate:
    """The certificate without functions, which leaves every answer to a solver."""
    opponents = formula.variables(kind.decides.dual)
    aig, _ = AigBuilder(len(opponents)).build([])
    return CircuitCertificate(kind, aig, opponents, {}, Dialect.QAIGER, path)


def kept(left: Qbf) -> str:
    """The file, in a new folder, in which a residual formula is kept for other solvers."""
    path = os.path.join(tempfile.mkdtemp(prefix="qsage-left-"), "residual.qcir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(qcir_text(left, cleansed=True))
    return path


def _contradiction(changed: ValueChangedError) -> ContradictionError:
    """The finding that the value has changed; the residual formula is kept."""
    return ContradictionError(f"{changed}; what is left is in {kept(changed.formula)}")
