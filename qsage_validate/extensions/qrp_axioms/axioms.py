"""Is an initial clause or cube a generalised axiom of a formula?

The axioms are those of QRP+Gen (Lonsing, Egly and Seidl, *Q-resolution with generalized axioms*,
SAT 2016): a solver calls another one under its current assignment and learns from the answer.  Let
A be the negation of an initial clause C, and F the formula, of which F[A] is the rest under A.

*If F[A] is false, and each universal variable left of an existential one of A is in A, every model
(every set of Skolem functions) of F satisfies C in every play, and F and F with C have the same
models.*  For suppose that a play by a model ends in a leaf under A.  The values of A's existential
variables depend on universal ones left of them alone, which are in A: the model gives them these
values in each play in which the universal variables of A have theirs.  So its other functions win
F[A], which is false.

Existential variables of A that have other universal ones to their left are let be where they follow
from the rest of A by unit propagation with universal reduction: the model gives them these values
in each play under that rest.  Else the values of what is missing must not matter: C follows where
F[A, B] is false for all values B.  An assignment with pure literals may be neither.

Literals of the winning side right of all others need not help: the rules drop them from a step
anyway, and what follows without them follows with them.  DepQBF's cubes under blocked clause
elimination are such: F is false under their existential literals, which other values would repair.

Cubes are dual: F[A] is true, where A is the cube, and Herbrand functions stand for Skolem
functions; there is no propagation then.  Any calculus that is sound for formulas stays so: it is
given F with the clauses C, or with the cubes.

F[A] is decided by this package's own ways, and its certificate is checked.

*Functions.*  Once C, up to its last literal of the other side, is beaten in a play, the winning
side must win whatever was played left of that.  So its variables there that A leaves out count as
the other side's, and are moved outermost: the functions of F[A] under that prefix are a strategy of
the axiom.  Where A leaves out what follows by propagation, C only counts up to there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from qsage_validate.certificates.by_proof import AxiomStrategy
from qsage_validate.certificates.qrp_check import DeclaredAxioms, Literals, PrefixBits
from qsage_validate.certificates.routes import (
    CertifiedFormula,
    CheckFailedError,
    RouteOptions,
    certify_formula,
)
from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope
from qsage_validate.circuit.rewriting import residual
from qsage_validate.errors import MissingExtraError, Undecided, UndecidedError
from qsage_validate.formats.qdimacs import ClausalForm
from qsage_validate.games.masks import members
from qsage_validate.kernel.certificate import CircuitCertificate
from qsage_validate.system.limits import Deadline, Limits

AXIOMS: Final = (DeclaredAxioms("qsage_validate.extensions.qrp_axioms.axioms:GeneralisedAxioms"),)


class GeneralisedAxioms:
    """The axioms of a formula; ``cubes`` says which ones."""

    def __init__(self, bits: PrefixBits, *, cubes: bool) -> None:
        self._bits = bits
        self._cubes = cubes
        pivot = Quantifier.FORALL if cubes else Quantifier.EXISTS
        self._pivots, self._others = bits.of[pivot], bits.of[pivot.dual]
        self._formula = _as_circuit(bits.form)
        self._clauses = [bits.literals(clause) for clause in bits.form.clauses]
        self._known: dict[tuple[Literals, int], CertifiedFormula] = {}

    def check(self, literals: Literals, deadline: Deadline) -> str | None:
        """Why an initial clause or cube is not known to be an axiom; ``None`` for one.

        No answer refutes a trace: solvers have other reasons too (blocked clauses).
        """
        if literals[0] & literals[1]:
            return f"has {self._bits.names(literals[0] & literals[1])[0]} in both signs"
        # A clause is held against the formula under its negation, a cube against it under itself.
        assigned = literals if self._cubes else (literals[1], literals[0])
        told = self._told(assigned, deadline)
        reduced = self._up_to_last(assigned)
        if told is None or reduced == assigned:
            return told
        return told if self._told(reduced, deadline) is not None else None

    def strategy(self, literals: Literals, deadline: Deadline) -> AxiomStrategy:
        """The winning side's functions once an axiom is beaten.

        Raises ``UndecidedError`` for what is not known to be an axiom.
        """
        if self._cubes and self._satisfies(literals):
            return self._counted(literals, self._up_to_last(literals), None)
        told = self.check(literals, deadline)
        if told is not None:
            kind = "cube" if self._cubes else "clause"
            raise UndecidedError(f"the initial {kind} {self._text(literals)} {told}")
        assigned = literals if self._cubes else (literals[1], literals[0])
        below = self._up_to_last(assigned)
        missing = self._left_out(assigned)
        tries = [(assigned, missing, below), (below, missing, below)]
        for part in (assigned, below) if missing else ():
            early = (missing & -missing) - 1
            rest = self._up_to_last((assigned[0] & early, assigned[1] & early))
            tries.append((self._start(part, missing), 0, rest))
        for values, outer, rest in dict.fromkeys(tries):
            found = self._certified(values, outer, deadline)
            if found.truth is self._cubes:
                return self._counted(values, rest, found.certificate)
        raise AssertionError("an axiom has a strategy")

    def _counted(
        self, assigned: Literals, rest: Literals, functions: CircuitCertificate | None
    ) -> AxiomStrategy:
        """The strategy where ``rest`` of an assignment is played; its signs are those of steps."""
        own = assigned[0] & ~rest[0], assigned[1] & ~rest[1]
        own = own[0] & self._others, own[1] & self._others
        if self._cubes:
            return AxiomStrategy(rest, own, functions)
        return AxiomStrategy((rest[1], rest[0]), (own[1], own[0]), functions)

    def _satisfies(self, cube: Literals) -> bool:
        return all(cube[0] & clause[0] or cube[1] & clause[1] for clause in self._clauses)

    def _text(self, literals: Literals) -> str:
        """The literals as a trace has them."""
        positive = dict.fromkeys(members(literals[0]), 1)
        signs = positive | dict.fromkeys(members(literals[1]), -1)
        return " ".join(str(signs[b] * self._bits.order[b]) for b in sorted(signs)) or "without any"

    def _up_to_last(self, assigned: Literals) -> Literals:
        """Without the winning side's variables right of all others, which the rules may drop."""
        last = ((assigned[0] | assigned[1]) & self._pivots).bit_length()
        return assigned[0] & ((1 << last) - 1), assigned[1] & ((1 << last) - 1)

    def _left_out(self, assigned: Literals) -> int:
        """The winning side's variables left of the last other one that have no value."""
        both = assigned[0] | assigned[1]
        return self._others & ((1 << (both & self._pivots).bit_length()) - 1) & ~both

    def _told(self, assigned: Literals, deadline: Deadline) -> str | None:
        value = self._value(assigned, deadline)
        if isinstance(value, Undecided):
            return f"may be an axiom: {value.why}"
        if value is not self._cubes:
            found = "false under it" if self._cubes else "true under its negation"
            return f"is no axiom that is known: the formula is {found}"
        missing = self._missing(assigned)
        if not missing:
            return None
        if self._value(assigned, deadline, missing) is self._cubes:
            return None
        names = ", ".join(map(str, self._bits.names(missing)))
        return f"may be an axiom: its assignment leaves out {names}, left of its literals"

    def _missing(self, assigned: Literals) -> int:
        """The variables of the other player that the assignment would need besides."""
        missing = self._left_out(assigned)
        if not missing or self._cubes:
            return missing
        implied = self._propagated(self._start(assigned, missing))
        follows = implied is None or not (assigned[0] & ~implied[0] or assigned[1] & ~implied[1])
        return 0 if follows else missing

    def _start(self, assigned: Literals, missing: int) -> Literals:
        """Without the other side's literals right of a missing variable, which may follow."""
        keep = self._others | ((missing & -missing) - 1)
        return assigned[0] & keep, assigned[1] & keep

    def _propagated(self, start: Literals) -> Literals | None:
        """The assignment with what follows by unit propagation; ``None`` at a conflict."""
        positive, negative = start
        changed = True
        while changed:
            changed = False
            for clause in self._clauses:
                if clause[0] & positive or clause[1] & negative:
                    continue
                left = clause[0] & ~negative, clause[1] & ~positive
                pivots = (left[0] | left[1]) & self._pivots
                keep = (1 << pivots.bit_length()) - 1
                if (left[0] | left[1]) & keep & ~pivots or pivots & (pivots - 1):
                    continue  # several pivots, or a universal variable left of the only one
                if not pivots:
                    return None
                positive, negative = positive | (left[0] & pivots), negative | (left[1] & pivots)
                changed = True
        return positive, negative

    def _value(self, assigned: Literals, deadline: Deadline, outer: int = 0) -> bool | Undecided:
        """The value of the rest of the formula, by a certificate that was checked."""
        try:
            return self._certified(assigned, outer, deadline).truth
        except (UndecidedError, MissingExtraError, CheckFailedError) as error:
            return Undecided(f"the formula under an assignment is not decided: {error}")

    def _certified(self, assigned: Literals, outer: int, deadline: Deadline) -> CertifiedFormula:
        """The rest of the formula, with the variables ``outer`` as the other side's, outermost.

        Raises as ``certify_formula`` does.
        """
        if (assigned, outer) not in self._known:
            values = {
                self._bits.order[bit]: sign
                for sign, bits in ((True, assigned[0]), (False, assigned[1]))
                for bit in members(bits)
            }
            rest = residual(self._formula, values)
            moved = tuple(self._bits.names(outer))
            if moved:
                other = Quantifier.FORALL if self._cubes else Quantifier.EXISTS
                inner = (
                    Scope(s.quantifier, tuple(v for v in s.variables if v not in moved))
                    for s in rest.scopes
                )
                rest = replace(
                    rest, scopes=(Scope(other, moved), *(s for s in inner if s.variables))
                )
            found = certify_formula(rest, RouteOptions(limits=Limits(deadline)))
            self._known[assigned, outer] = found
        return self._known[assigned, outer]


def _as_circuit(form: ClausalForm) -> Qbf:
    """The clauses as gates."""
    first = form.max_variable + 1
    gates = {k: Gate(Connective.OR, clause) for k, clause in enumerate(form.clauses, start=first)}
    output = first + len(gates)
    return Qbf(form.scopes, {**gates, output: Gate(Connective.AND, tuple(gates))}, output)
