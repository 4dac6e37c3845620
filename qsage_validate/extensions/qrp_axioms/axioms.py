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
in each play under that rest.  Else the values of what is missing are gone through, a few of them: C
follows where F[A, B] is false for all values B.  An assignment with pure literals may be neither.

Cubes are dual: F[A] is true, where A is the cube, and Herbrand functions stand for Skolem
functions; there is no propagation then.  Any calculus that is sound for formulas stays so: it is
given F with the clauses C, or with the cubes.

F[A] is decided by this package's own ways, and its certificate is checked.
"""

from __future__ import annotations

from itertools import product
from typing import Final

from qsage_validate.certificates.qrp_check import DeclaredAxioms
from qsage_validate.certificates.qrp_sets import Literals, PrefixBits
from qsage_validate.certificates.routes import CheckFailedError, RouteOptions, certify_formula
from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier
from qsage_validate.circuit.rewriting import residual
from qsage_validate.errors import MissingExtraError, Undecided, UndecidedError
from qsage_validate.formats.qdimacs import ClausalForm
from qsage_validate.games.masks import members
from qsage_validate.system.limits import Deadline, Limits

AXIOMS: Final = (DeclaredAxioms("qsage_validate.extensions.qrp_axioms.axioms:GeneralisedAxioms"),)
# Variables left of a literal that the assignment leaves out, whose values are gone through.
_MOST_MISSING: Final = 6


class GeneralisedAxioms:
    """The axioms of a formula; ``cubes`` says which ones."""

    def __init__(self, bits: PrefixBits, *, cubes: bool) -> None:
        self._bits = bits
        self._cubes = cubes
        pivot = Quantifier.FORALL if cubes else Quantifier.EXISTS
        self._pivots, self._others = bits.of[pivot], bits.of[pivot.dual]
        self._formula = _as_circuit(bits.form)
        self._clauses = [bits.literals(clause) for clause in bits.form.clauses]
        self._known: dict[Literals, bool | Undecided] = {}

    def check(self, literals: Literals, deadline: Deadline) -> str | None:
        """Why an initial clause or cube is not known to be an axiom; ``None`` for one.

        No answer refutes a trace: solvers have other reasons too (blocked clauses).
        """
        # A clause is held against the formula under its negation, a cube against it under itself.
        assigned = literals if self._cubes else (literals[1], literals[0])
        value = self._value(assigned, deadline)
        if isinstance(value, Undecided):
            return f"may be an axiom: {value.why}"
        if value is not self._cubes:
            found = "false under it" if self._cubes else "true under its negation"
            return f"is no axiom that is known: the formula is {found}"
        missing = self._missing(assigned)
        if not missing:
            return None
        names = ", ".join(map(str, self._bits.names(missing)))
        doubt = f"may be an axiom: its assignment leaves out {names}, left of its literals"
        if missing.bit_count() > _MOST_MISSING:
            return doubt
        every = [*members(missing)]
        for values in product((0, 1), repeat=len(every)):
            more = sum(v << bit for v, bit in zip(values, every, strict=True))
            whole = assigned[0] | more, assigned[1] | (missing & ~more)
            value = self._value(whole, deadline)
            if value is not self._cubes:
                return doubt
        return None

    def _missing(self, assigned: Literals) -> int:
        """The variables of the other player that the assignment would need besides."""
        both = assigned[0] | assigned[1]
        last = (both & self._pivots).bit_length()
        missing = self._others & ((1 << last) - 1) & ~both
        if not missing or self._cubes:
            return missing
        # What stands right of a missing variable may follow from what stands left of all.
        early = (missing & -missing) - 1
        keep = self._others | early
        start = assigned[0] & keep, assigned[1] & keep
        implied = self._propagated(start)
        follows = implied is None or not (assigned[0] & ~implied[0] or assigned[1] & ~implied[1])
        return 0 if follows else missing

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

    def _value(self, assigned: Literals, deadline: Deadline) -> bool | Undecided:
        """The value of the rest of the formula, by a certificate that was checked."""
        if assigned not in self._known:
            values = {
                self._bits.order[bit]: sign
                for sign, bits in ((True, assigned[0]), (False, assigned[1]))
                for bit in members(bits)
            }
            rest = residual(self._formula, values)
            try:
                found = certify_formula(rest, RouteOptions(limits=Limits(deadline)))
            except (UndecidedError, MissingExtraError, CheckFailedError) as error:
                return Undecided(f"the formula under an assignment is not decided: {error}")
            self._known[assigned] = found.truth
        return self._known[assigned]


def _as_circuit(form: ClausalForm) -> Qbf:
    """The clauses as gates."""
    first = form.max_variable + 1
    gates = {k: Gate(Connective.OR, clause) for k, clause in enumerate(form.clauses, start=first)}
    output = first + len(gates)
    return Qbf(form.scopes, {**gates, output: Gate(Connective.AND, tuple(gates))}, output)
