"""Small DQBFs decided by expansion, assignment by assignment, until a candidate wins or none can.

An existential variable has a copy for each choice of values of its dependency set.  The matrix
under a choice of the universal variables is an *instance* over copies.  If no copies satisfy some
instances, the formula is false: its functions would.  Else the values of the copies are tables of
functions, which are false elsewhere.  A choice that beats them is the next instance, and if none
does they are Skolem functions.  There are as many rounds as choices at most.

Fröhlich, Kovásznai, Biere, Veith, *iDQ: instantiation-based DQBF solving* (POS 2014).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.circuit.sat import Satisfiable, Solver, TimedOut, circuit_clauses, load, satisfy
from qsage_validate.errors import UndecidedError
from qsage_validate.extensions.dqbf.reader import dependency_sets
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate, Dialect
from qsage_validate.kernel.composition import compose
from qsage_validate.system.limits import NEVER, Deadline, Progress, Tell, nobody

MAX_GATES: Final = 1_000_000
"""The instances, and the candidates, may have so many gates."""

_SOLVER: Final = "cadical195"
# Conflicts between two looks at the clock.
_LOOK_EVERY: Final = 500


@dataclass(frozen=True, slots=True)
class Expanded:
    """The value of a formula after ``instances`` of its ``choices``, with ``copies`` of variables.

    ``certificate`` has Skolem functions of a true formula.
    """

    instances: int
    choices: int
    copies: int
    certificate: CircuitCertificate | None

    @property
    def truth(self) -> bool:
        return self.certificate is not None


def expand(formula: Qbf, *, deadline: Deadline = NEVER, tell: Tell = nobody) -> Expanded:
    """Decide a closed DQBF (a QBF is one, too).

    Raises ``UndecidedError`` at the deadline, and with more than ``MAX_GATES`` gates.
    """
    with Solver(name=_SOLVER) as solver:
        return _Expansion(formula, solver, deadline, tell).decided()


class _Expansion:
    def __init__(self, formula: Qbf, solver: Solver, deadline: Deadline, tell: Tell) -> None:
        self.formula = formula
        self.solver = solver
        self.deadline = deadline
        self.tell = tell
        self.universal = formula.variables(Quantifier.FORALL)
        self.sets = dependency_sets(formula)
        # The SAT variable of each copy, by variable and values of its dependency set.
        self.copies: dict[tuple[int, tuple[bool, ...]], int] = {}
        self.variables = 0
        self.instances = self.gates = 0

    def decided(self) -> Expanded:
        choice: Mapping[int, bool] | None = dict.fromkeys(self.universal, False)
        certificate: CircuitCertificate | None = None
        while choice is not None:
            if not self._instance(choice):
                certificate = None
                break
            certificate = self._candidate(self._values())
            choice = self._beaten(certificate)
        return Expanded(self.instances, 1 << len(self.universal), len(self.copies), certificate)

    def _instance(self, choice: Mapping[int, bool]) -> bool:
        """Add the matrix under a choice; whether some values satisfy all instances."""
        self._look(self.gates)
        self.instances += 1
        builder = AigBuilder(len(self.sets))
        literals = {v: TRUE if value else FALSE for v, value in choice.items()}
        literals |= dict(zip(self.sets, builder.inputs, strict=True))
        aig, (output,) = builder.build([self.formula.add_to(builder, literals)])
        self.gates += aig.num_gates
        copies = [self._copy(v, choice) for v in self.sets]
        clauses = circuit_clauses(aig, inputs=copies, keep=[output], first=self.variables + 1)
        self.variables = max(self.variables, clauses.max_variable)
        load(self.solver, clauses.literals)
        self.solver.add_clause([clauses.literal(output)])
        while True:
            self._look(self.gates)
            self.solver.conf_budget(_LOOK_EVERY)
            answer = self.solver.solve_limited()
            if answer is not None:
                return bool(answer)

    def _copy(self, variable: int, choice: Mapping[int, bool]) -> int:
        key = variable, tuple(choice[v] for v in self.sets[variable])
        if key not in self.copies:
            self.variables += 1
            self.copies[key] = self.variables
        return self.copies[key]

    def _values(self) -> list[tuple[int, tuple[bool, ...]]]:
        """The copies that are true."""
        true = {x for x in self.solver.get_model() if x > 0}
        return [key for key, copy in self.copies.items() if copy in true]

    def _candidate(self, true: list[tuple[int, tuple[bool, ...]]]) -> CircuitCertificate:
        """The functions that are true exactly where a copy is."""
        builder = AigBuilder(len(self.universal))
        inputs = dict(zip(self.universal, builder.inputs, strict=True))
        cases: dict[int, list[int]] = {v: [] for v in self.sets}
        for variable, values in true:
            pairs = zip(self.sets[variable], values, strict=True)
            cases[variable].append(builder.and_all(inputs[v] ^ (not x) for v, x in pairs))
        aig, built = builder.build([builder.or_all(own) for own in cases.values()])
        functions = dict(zip(cases, built, strict=True))
        kind = CertificateKind.SKOLEM
        made = "made here"
        return CircuitCertificate(
            kind, aig, self.universal, functions, Dialect.CAQE, recognised=made
        )

    def _beaten(self, candidate: CircuitCertificate) -> Mapping[int, bool] | None:
        """A choice under which the candidate makes the matrix false."""
        composition = compose(candidate, self.formula)
        aig, (lost,) = composition.builder.build([composition.matrix ^ 1])
        self._look(aig.num_gates)
        answer = satisfy(aig, lost, deadline=self.deadline)
        if isinstance(answer, TimedOut):
            raise UndecidedError("the time for the expansion is over")
        if not isinstance(answer, Satisfiable):
            return None
        return dict(zip(composition.opponent, answer.inputs, strict=True))

    def _look(self, gates: int) -> None:
        done = f"{self.instances:,} instances with {len(self.copies):,} copies of variables"
        if self.deadline.over:
            raise UndecidedError(f"the time for the expansion is over after {done}")
        if gates > MAX_GATES:
            raise UndecidedError(f"the expansion needs more than {MAX_GATES:,} gates: {done}")
        self.tell(Progress("expansion", done))
