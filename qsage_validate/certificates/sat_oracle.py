"""Asking a certificate through a SAT solver: the opponent's variables are the assumptions.

Works for every dialect, clause sets included.  Definitions are given to the solver when they
are first needed: the first reply of a strategy has a small cone even in a certificate of a
million gates, and an answer reads a model no longer than what was asked for so far.  With all
of the opponent's variables assumed, unit propagation alone decides a circuit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count, islice
from types import TracebackType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from qsage_validate.certificates.oracle import Choice, no_answer
from qsage_validate.circuit.aig import Aig, Literals, strash
from qsage_validate.circuit.qbf import Gate, Qbf, tseitin
from qsage_validate.circuit.sat import ClauseReceiver, Solver, circuit_clauses, load
from qsage_validate.kernel.certificate import (
    Certificate,
    CircuitCertificate,
    ClauseCertificate,
    opponent_variables,
)


class LazyCircuit:
    """Adds Tseitin clauses cone by cone, chains of gates as one wide conjunction."""

    def __init__(
        self,
        aig: Aig,
        inputs: Sequence[int],
        false: int,
        solver: ClauseReceiver,
        fresh: Iterator[int],
    ) -> None:
        """Prepare ``aig`` for ``solver`` (PySAT's); nothing is added yet.

        ``inputs`` are the solver literals of the inputs, ``false`` is a solver literal that
        is false, ``fresh`` yields solver variables that are used nowhere else, in a row.
        """
        self._aig = aig
        self._inputs = inputs
        self._solver = solver
        self._fresh = fresh
        # The solver literal of each AIG variable, 0 while it has none.
        self._known: Literals = np.zeros(aig.num_variables + 1, dtype=np.int32)
        self._known[0] = false
        self._known[1 : aig.num_inputs + 1] = inputs

    def load(self, literals: Iterable[int]) -> list[int]:
        """Add the cones of AIG literals; returns their solver literals."""
        wanted = list(literals)
        missing = [literal for literal in wanted if not self._known[literal >> 1]]
        if missing:
            self._add(missing)
        found = self._known[[literal >> 1 for literal in wanted]].tolist()
        return [-x if literal & 1 else x for x, literal in zip(found, wanted, strict=True)]

    def _add(self, literals: list[int]) -> None:
        first = next(self._fresh)
        clauses = circuit_clauses(
            self._aig, inputs=self._inputs, keep=literals, first=first, known=self._known
        )
        # The variables behind the first are taken as well.
        taken = max(0, clauses.max_variable - first)
        for _ in islice(self._fresh, taken):
            pass
        load(self._solver, clauses.literals)
        self._known = clauses.sat_of


# The quickest of PySAT's solvers at propagating and at handing a model over.
_SOLVER: Final = "minisat22"


class SatOracle:
    """Implements :class:`~qsage_validate.certificates.oracle.Oracle` with PySAT."""

    def __init__(
        self,
        certificate: Certificate,
        formula: Qbf | None = None,
        *,
        simplify: bool = False,
        solver: str = _SOLVER,
    ) -> None:
        """Prepare the solver; clauses follow with the questions.

        The solver gets the gates as they are in the file, so that nothing is shared with the
        simulation that it is compared to.  ``simplify`` merges equal gates first: QuAbS's
        circuits shrink to a tenth, for half a second a million gates.
        """
        self._path = certificate.path
        self._solver = Solver(name=solver)
        self._fresh = count(1)
        self.opponent = opponent_variables(certificate, formula)
        # Solver literals of names: the opponent's first, so that assumptions are ready.
        self._literal: dict[int, int] = {v: next(self._fresh) for v in self.opponent}
        self._false = -next(self._fresh)
        self._solver.add_clause([-self._false])
        self._gates: Mapping[int, Gate] = {} if formula is None else formula.gates
        decided = [] if formula is None else formula.variables(certificate.kind.decides)
        self._circuit: LazyCircuit | None = None
        self._functions: dict[int, int] = {}
        names: frozenset[int]
        if isinstance(certificate, CircuitCertificate):
            names = self._prepare_circuit(certificate, simplify)
        else:
            names = self._load_clauses(certificate, decided)
        models = certificate.defined if isinstance(certificate, ClauseCertificate) else ()
        for variable in (*decided, *models):
            if variable not in names and variable not in self._gates:
                self._literal[variable] = self._false

    def values(self, choice: Choice, wanted: Iterable[int]) -> dict[int, bool]:
        names = tuple(wanted)
        literals = self._define(names)
        return dict(zip(names, self._answer(choice, literals), strict=True))

    def many(self, choices: Sequence[Choice], wanted: Sequence[int]) -> NDArray[np.bool_]:
        literals = self._define(wanted)
        rows = np.zeros((len(choices), len(literals)), dtype=np.bool_)
        for row, choice in zip(rows, choices, strict=True):
            row[:] = self._answer(choice, literals)
        return rows

    def close(self) -> None:
        """Free the solver's memory."""
        self._solver.delete()

    def __enter__(self) -> SatOracle:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # -- Asking

    def _answer(self, choice: Choice, literals: Sequence[int]) -> list[bool]:
        assumed = dict.fromkeys(self.opponent, False)
        for variable, value in choice.items():
            if variable not in assumed:
                raise KeyError(variable)
            assumed[variable] = value
        assumptions = [
            self._literal[variable] if value else -self._literal[variable]
            for variable, value in assumed.items()
        ]
        if not self._solver.solve(assumptions=assumptions):
            raise no_answer(self._path, assumed)
        model = self._solver.get_model()
        return [(model[abs(x) - 1] > 0) == (x > 0) for x in literals]

    # -- Defining

    def _define(self, names: Iterable[int]) -> list[int]:
        """Give the solver what defines ``names``; returns their solver literals."""
        wanted = list(names)
        gates, functions = self._missing(wanted)
        if self._circuit is not None:
            literals = self._circuit.load(self._functions[name] for name in functions)
            self._literal.update(zip(functions, literals, strict=True))
        for gate in gates:
            self._literal[gate] = next(self._fresh)
        clauses = [clause for gate in gates for clause in self._clauses(gate)]
        self._solver.append_formula(clauses)
        return [self._literal[name] for name in wanted]

    def _clauses(self, variable: int) -> Iterator[list[int]]:
        gate, literal = self._gates[variable], self._literal
        inputs = tuple(literal[x] if x > 0 else -literal[-x] for x in gate.inputs)
        return tseitin(literal[variable], Gate(gate.connective, inputs))

    def _missing(self, names: Iterable[int]) -> tuple[list[int], list[int]]:
        """The gates of the matrix and the functions that ``names`` need, not loaded yet."""
        gates: list[int] = []
        functions: list[int] = []
        seen: set[int] = set()
        pending = list(names)
        while pending:
            name = pending.pop()
            if name in self._literal or name in seen:
                continue
            seen.add(name)
            if name in self._gates:
                gates.append(name)
                pending.extend(abs(x) for x in self._gates[name].inputs)
            elif name in self._functions:
                functions.append(name)
            else:
                raise KeyError(name)
        return gates, functions

    def _prepare_circuit(self, certificate: CircuitCertificate, simplify: bool) -> frozenset[int]:
        """Make the functions ready to be loaded; returns the names that have one."""
        self._functions = {**certificate.extra, **certificate.functions}
        aig = certificate.aig
        if simplify:
            aig, moved = strash(aig, list(self._functions.values()))
            self._functions = dict(zip(self._functions, moved, strict=True))
        inputs = [self._literal[variable] for variable in certificate.inputs]
        self._circuit = LazyCircuit(aig, inputs, self._false, self._solver, self._fresh)
        return frozenset(certificate.functions)

    def _load_clauses(
        self, certificate: ClauseCertificate, decided: Sequence[int]
    ) -> frozenset[int]:
        """Hand over all clauses; returns the names that they talk about.

        The certificate's helper variables have numbers that may be gates in the formula: they
        are renamed, and reachable by their number only where the formula has no such gate.
        """
        names = certificate.variables
        solver_variable = np.zeros(certificate.max_variable + 1, dtype=np.int64)
        prefix = set(self.opponent) | set(decided)
        for variable in sorted(names):
            literal = self._literal.get(variable)
            if literal is None:
                literal = next(self._fresh)
                if variable in prefix or variable not in self._gates:
                    self._literal[variable] = literal
            solver_variable[variable] = literal
        renamed = np.sign(certificate.literals) * solver_variable[np.abs(certificate.literals)]
        load(self._solver, renamed.astype(np.int32))
        self._solver.add_clause([next(self._fresh)])  # declares every variable
        # Where the clauses leave a choice, prefer false, and no unused variable stays open.
        self._solver.set_phases([-v for v in range(1, self._solver.nof_vars() + 1)])
        return names
