"""The state of lifting, which changes step by step: functions of variables, and clauses."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder, embed
from qsage_validate.kernel.certificate import CircuitCertificate, Dialect, Kind


class GrowingFunctions:
    """A function of each variable as a literal of one graph, whose inputs are the universals.

    ``level`` has the index of each variable's scope.  A function reads universals of smaller
    levels only; the largest that it reads, by its structure, is its *reach* (-1: none).  A
    variable may be *open*: then any function will do for it, also for all clauses so far.
    """

    __slots__ = ("_reach", "_value", "builder", "level", "universals")

    def __init__(self, level: Mapping[int, int], universals: Sequence[int]) -> None:
        size = max(level, default=0) + 1
        self.level = [level.get(v, -1) for v in range(size)]
        self.universals = tuple(universals)
        self.builder = AigBuilder(len(universals))
        self._value: list[int | None] = [None] * size
        self._reach = [-1] * size
        for variable, literal in zip(universals, self.builder.inputs, strict=True):
            self.set(variable, literal, level[variable])

    def knows(self, variable: int) -> bool:
        """True if ``variable`` has a level."""
        return 0 < variable < len(self.level) and self.level[variable] >= 0

    def set(self, variable: int, literal: int, reach: int) -> None:
        """Give ``variable`` a function of a known reach."""
        self._value[variable] = literal
        self._reach[variable] = -1 if literal in (FALSE, TRUE) else reach

    def take(self, certificate: CircuitCertificate, variables: Iterable[int]) -> None:
        """The functions of ``variables`` in a certificate, the constant false for the others."""
        wanted = [v for v in variables if v in certificate.functions]
        for variable in variables:
            self.set(variable, FALSE, -1)
        inputs, reach = [], [-1]
        for variable in certificate.inputs:
            known = self.knows(variable)
            inputs.append(self.literal(variable) if known else FALSE)
            reach.append(self._reach[variable] if known else -1)
        left, right = certificate.aig.fanin0 >> 1, certificate.aig.fanin1 >> 1
        for a, b in zip(left.tolist(), right.tolist(), strict=True):
            x, y = reach[a], reach[b]
            reach.append(x if x > y else y)  # noqa: FURB136 (max() is three times slower)
        outputs = [certificate.functions[v] for v in wanted]
        literals = embed(self.builder, certificate.aig, inputs, outputs)
        for variable, output, literal in zip(wanted, outputs, literals, strict=True):
            self.set(variable, literal, reach[output >> 1])

    def is_open(self, variable: int) -> bool:
        """True if any function will do for ``variable``."""
        return self._value[variable] is None

    def literal(self, literal: int) -> int:
        """The function of a literal; a variable that was open is false from now on."""
        variable = literal if literal > 0 else -literal
        value = self._value[variable]
        if value is None:
            value = self._value[variable] = FALSE
        return value ^ (literal < 0)

    def reach(self, literals: Iterable[int]) -> int:
        """The largest level of the universals that any of ``literals`` reads."""
        return max((self._reach[abs(x)] for x in literals), default=-1)

    def is_outer(self, literal: int, variable: int) -> bool:
        """True if ``variable`` may read what a literal reads."""
        return self._reach[abs(literal)] < self.level[variable]

    def falsity(self, literals: Iterable[int]) -> int:
        """The literal that all literals are false; clauses that begin alike share gates."""
        result = TRUE
        for literal in literals:
            result = self.builder.and_(result, self.literal(literal) ^ 1)
        return result

    def satisfy_freely(self, clause: Iterable[int]) -> bool:
        """Give an open variable of a clause the value that satisfies it, if there is one."""
        for literal in clause:
            if self._value[abs(literal)] is None:
                self.set(abs(literal), TRUE if literal > 0 else FALSE, -1)
                return True
        return False

    def make_true(self, literal: int, where: int, reach: int) -> None:
        """Extend the function of ``literal``: it becomes true where ``where`` is true, too."""
        new = self.builder.or_(self.literal(literal), where)
        variable = abs(literal)
        self.set(variable, new ^ (literal < 0), max(self._reach[variable], reach))

    def choose(self, condition: int, then: int, otherwise: int) -> None:
        """Make the variable ``then`` the literal ``otherwise`` where a literal is false.

        Where one of the two is open it becomes, or may stay, the other.
        """
        if self.is_open(abs(otherwise)):
            return
        new, reach = self.literal(otherwise), self._reach[abs(otherwise)]
        if not self.is_open(then):
            old = self.literal(then)
            if old == new:
                return
            new = self.builder.ite(self.literal(condition), old, new)
            reach = self.reach((then, otherwise, condition))
        self.set(then, new, reach)

    def certificate(self, variables: Iterable[int]) -> CircuitCertificate:
        """The Skolem functions of those of ``variables`` that are not open."""
        functions: dict[int, int] = {}
        for variable in variables:
            value = self._value[variable]
            if value is not None:
                functions[variable] = value
        aig, literals = self.builder.build(list(functions.values()))
        return CircuitCertificate(
            Kind.SKOLEM,
            aig,
            self.universals,
            dict(zip(functions, literals, strict=True)),
            Dialect.QBFCERT_ASCII,
        )


Clause = tuple[int, ...]

# As many literals as Bloqqer looks at when it tests for hidden tautologies.
_HIDDEN_STEPS: Final = 64


class ClauseTable:
    """A multiset of clauses over the variables below ``size``.

    Equal clauses may differ in the order of their literals.
    """

    __slots__ = ("_next", "_numbers", "_occurrences")

    def __init__(self, size: int) -> None:
        self._next = 0
        self._numbers: dict[Clause, list[int]] = {}
        # By literal, negative ones from the end of the list: number of the clause -> clause.
        self._occurrences: list[dict[int, Clause]] = [{} for _ in range(2 * size)]

    def __contains__(self, clause: Clause) -> bool:
        return tuple(sorted(clause)) in self._numbers

    def add(self, clause: Clause) -> None:
        """Add a clause, once more if it is there already."""
        self._numbers.setdefault(tuple(sorted(clause)), []).append(self._next)
        for literal in clause:
            self._occurrences[literal][self._next] = clause
        self._next += 1

    def discard(self, clause: Clause) -> None:
        """Drop one of the clauses that equal ``clause``, if there is one."""
        key = tuple(sorted(clause))
        numbers = self._numbers.get(key)
        if numbers is None:
            return
        number = numbers.pop()
        if not numbers:
            del self._numbers[key]
        for literal in key:
            self._occurrences[literal].pop(number, None)

    def having(self, literal: int) -> Collection[Clause]:
        """The clauses with a literal."""
        return self._occurrences[literal].values()

    def subsumes(self, clause: Clause) -> bool:
        """True if some clause is ``clause`` or a part of it."""
        if clause in self:
            return True
        own = set(clause)
        return any(own.issuperset(c) for x in clause for c in self.having(x))

    def forces(self, literal: int, false: Iterable[int]) -> bool:
        """True if one clause makes ``literal`` false once the literals ``false`` are."""
        allowed = {-literal, *false}
        return any(map(allowed.issuperset, self.having(-literal)))

    def makes_hidden_tautology(self, clause: Clause) -> bool:
        """True if unit propagation over the falsity of ``clause`` ends in a contradiction.

        It stops after some steps; Heule, Järvisalo and Biere, *Clause elimination procedures
        for CNF formulas* (LPAR 2010), hidden tautologies and asymmetric ones.
        """
        false = set(clause)
        stack = list(clause)
        for literal in stack:
            if len(stack) > _HIDDEN_STEPS + len(clause):
                return False
            for other_clause in self.having(literal):
                if len(other_clause) > len(false) + 1:
                    continue
                missing = 0
                for other in other_clause:
                    if other not in false:
                        if missing or -other in false:
                            break
                        missing = other
                else:
                    if not missing:
                        return True
                    false.add(-missing)
                    stack.append(-missing)
        return False
