"""Quantified Boolean formulas: a prefix of scopes and a matrix circuit.

Variables and gates share one numbering of positive integers; a literal is a signed integer,
as in QCIR and QDIMACS.  Formulas in conjunctive normal form are the special case of a
conjunction of disjunctions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from enum import Enum

from qsage_validate.circuit.aig import AigBuilder
from qsage_validate.errors import counted


class Quantifier(Enum):
    """The quantifier of a scope; the values are QCIR's keywords."""

    EXISTS = "exists"
    FORALL = "forall"

    @property
    def dual(self) -> Quantifier:
        return Quantifier.FORALL if self is Quantifier.EXISTS else Quantifier.EXISTS


class Connective(Enum):
    """The connective of a gate; the values are QCIR's keywords."""

    AND = "and"
    OR = "or"
    XOR = "xor"
    ITE = "ite"


@dataclass(frozen=True, slots=True)
class Scope:
    """One block of the prefix."""

    quantifier: Quantifier
    variables: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Gate:
    """A gate over signed literals: any number for and/or, two for xor, three for ite."""

    connective: Connective
    inputs: tuple[int, ...]


class PrenexOrder(Enum):
    """The place of the quantifiers of quantifier gates: as far out or as far in as possible."""

    UP = "up"
    DOWN = "down"


@dataclass(frozen=True, slots=True)
class Prenexed:
    """The transformation of a formula with quantifier gates to prenex form.

    ``gates`` is the number of its quantifier gates, ``copies`` that of bound variables which
    stand in the prefix more than once; ``scopes`` says for either order how many scopes the
    prefix has with it.
    """

    order: PrenexOrder
    gates: int
    copies: int
    scopes: Mapping[PrenexOrder, int]

    def __str__(self) -> str:
        other = PrenexOrder.DOWN if self.order is PrenexOrder.UP else PrenexOrder.UP
        copies = f", {counted(self.copies, 'bound variable')} copied" if self.copies else ""
        scopes = counted(self.scopes[self.order], "scope")
        return (
            f"quantifier gates ({self.gates}) brought into prenex form, {self.order.value}: "
            f"{scopes} ({other.value}: {self.scopes[other]}){copies}"
        )


@dataclass(frozen=True)
class Qbf:
    """A closed prenex QBF with a circuit as its matrix.

    ``gates`` maps a gate's variable to the gate; iteration order is topological (a gate comes
    after its inputs; readers guarantee it).  ``names`` has a name only for variables and gates
    that are called otherwise than by their number.  ``unwritten`` are the numbers of gates that a
    file in clauses has no number for: nothing else in the file can mean them.
    ``comments`` keeps the file's comments as ``(line, text)`` without the comment sign: layouts
    travel in them.  ``prenexed`` says what was done to a file's formula that was not prenex.
    ``free`` are the variables that nothing in the file quantifies: they are in an outermost
    existential scope.  ``depends`` has the dependency sets of a DQBF's existential variables: their
    functions may read these of the universal variables left of them, all others any of them.
    """

    scopes: tuple[Scope, ...]
    gates: Mapping[int, Gate]
    output: int
    names: Mapping[int, str] = field(default_factory=dict)
    comments: tuple[tuple[int, str], ...] = ()
    path: str | None = None
    unwritten: range = field(default=range(0), compare=False, repr=False)
    prenexed: Prenexed | None = field(default=None, compare=False)
    free: tuple[int, ...] = field(default=(), compare=False, repr=False)
    depends: Mapping[int, frozenset[int]] = field(default_factory=dict, repr=False)

    @property
    def num_variables(self) -> int:
        """The number of quantified variables."""
        return sum(len(scope.variables) for scope in self.scopes)

    @property
    def max_variable(self) -> int:
        """The largest number used by a variable or a gate (0 if there is none)."""
        quantified = max((max(s.variables, default=0) for s in self.scopes), default=0)
        return max(quantified, max(self.gates, default=0))

    def merged_scopes(self) -> tuple[Scope, ...]:
        """The prefix with neighbouring scopes of one quantifier merged, empty ones dropped."""
        merged: list[Scope] = []
        for scope in self.scopes:
            if not scope.variables:
                continue
            if merged and merged[-1].quantifier is scope.quantifier:
                scope = Scope(scope.quantifier, merged.pop().variables + scope.variables)
            merged.append(scope)
        return tuple(merged)

    def blocks(self, quantifier: Quantifier) -> list[frozenset[int]]:
        """The variables of the merged scopes of a quantifier, from the outermost."""
        return [frozenset(s.variables) for s in self.merged_scopes() if s.quantifier is quantifier]

    def levels(self) -> dict[int, int]:
        """The level of each variable: the index, from 0, of its merged scope."""
        return {
            variable: level
            for level, scope in enumerate(self.merged_scopes())
            for variable in scope.variables
        }

    @property
    def readable(self) -> str:
        """The variables that a function may read, in words."""
        return "variables of its dependency set" if self.depends else "variables left of its own"

    def sets(self) -> tuple[dict[int, int], Callable[[int], int]]:
        """A bit for each variable's dependency set, and the bits of the sets that lack a variable.

        The set of a variable is all that stands left of its scope, or what ``depends`` names.
        """
        levels = self.levels()
        last = max(levels.values(), default=0)
        more = {s: 2 << last + k for k, s in enumerate(dict.fromkeys(self.depends.values()))}
        bits = {v: 1 << level for v, level in levels.items()}
        bits |= {v: more[s] for v, s in self.depends.items()}
        return bits, lambda v: (1 << levels[v]) - 1 | sum(b for s, b in more.items() if v not in s)

    def quantifiers(self) -> dict[int, Quantifier]:
        return {v: scope.quantifier for scope in self.scopes for v in scope.variables}

    def variables(self, quantifier: Quantifier) -> tuple[int, ...]:
        """The variables under ``quantifier``, in the order of the prefix."""
        return tuple(v for s in self.scopes if s.quantifier is quantifier for v in s.variables)

    def name(self, variable: int) -> str:
        """The name of a variable or gate in the file."""
        return self.names.get(variable, str(variable))

    def by_text(self) -> dict[str, int]:
        """All variables and gates by what may stand for them in a file: names, or numbers.

        A file in clauses has numbers for all of them, a table of names besides or not.
        """
        written = [v for v in (*self.quantifiers(), *self.gates) if v not in self.unwritten]
        numbers = {str(v): v for v in written} if self.unwritten else {}
        return numbers | {self.name(v): v for v in written}

    @property
    def without_text(self) -> Set[int]:
        """The numbers that only the reader gave, to names and to clauses: no file means them."""
        return set(self.unwritten) if self.unwritten else self.names.keys()

    def evaluate(self, assignment: Mapping[int, bool]) -> dict[int, bool]:
        """The values of all gates under a total assignment of the variables."""
        values = dict(assignment)
        for variable, gate in self.gates.items():
            bits = [values[abs(x)] != (x < 0) for x in gate.inputs]
            values[variable] = _EVALUATE[gate.connective](bits)
        return values

    def truth(self, assignment: Mapping[int, bool]) -> bool:
        """The matrix under a total assignment of the variables."""
        return self.evaluate(assignment)[abs(self.output)] != (self.output < 0)

    def add_to(self, builder: AigBuilder, literals: dict[int, int]) -> int:
        """Build the matrix inside ``builder``; returns the AIG literal of the output.

        ``literals`` maps each quantified variable to an AIG literal; it gains an entry for
        each gate.
        """
        add_gates(builder, self.gates, literals)
        return literals[abs(self.output)] ^ (self.output < 0)

    def clauses(self) -> Iterator[list[int]]:
        """Clauses over the same numbering that define every gate (Tseitin, both directions).

        The output is not asserted.
        """
        for variable, gate in self.gates.items():
            yield from tseitin(variable, gate)

    def __repr__(self) -> str:
        return (
            f"<Qbf {counted(len(self.scopes), 'scope')}, {self.num_variables:,} variables, "
            f"{counted(len(self.gates), 'gate')}>"
        )


_EVALUATE: dict[Connective, Callable[[list[bool]], bool]] = {
    Connective.AND: all,
    Connective.OR: any,
    Connective.XOR: lambda bits: bits[0] != bits[1],
    Connective.ITE: lambda bits: bits[1] if bits[0] else bits[2],
}


def add_gates(builder: AigBuilder, gates: Mapping[int, Gate], literals: dict[int, int]) -> None:
    """Build gates, given in topological order, inside ``builder``.

    ``literals`` maps each variable that they read to an AIG literal; it gains an entry for each
    gate.
    """
    build: dict[Connective, Callable[[list[int]], int]] = {
        Connective.AND: builder.and_all,
        Connective.OR: builder.or_all,
        Connective.XOR: lambda xs: builder.xor(*xs),
        Connective.ITE: lambda xs: builder.ite(*xs),
    }
    for variable, gate in gates.items():
        inputs = [literals[abs(x)] ^ (x < 0) for x in gate.inputs]
        literals[variable] = build[gate.connective](inputs)


def tseitin(variable: int, gate: Gate) -> Iterator[list[int]]:
    """The clauses of ``variable <-> gate``."""
    match gate.connective:
        case Connective.AND:
            yield from ([-variable, x] for x in gate.inputs)
            yield [variable, *(-x for x in gate.inputs)]
        case Connective.OR:
            yield from ([variable, -x] for x in gate.inputs)
            yield [-variable, *gate.inputs]
        case Connective.XOR:
            a, b = gate.inputs
            yield from ([-variable, a, b], [-variable, -a, -b])
            yield from ([variable, -a, b], [variable, a, -b])
        case Connective.ITE:
            c, t, e = gate.inputs
            yield from ([-variable, -c, t], [-variable, c, e])
            yield from ([variable, -c, -t], [variable, c, -e])
