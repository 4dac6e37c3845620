"""Functions of a formula's variables while they are changed, and what they may read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.circuit.embed import embed
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
        """Whether ``variable`` has a level."""
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
        """Whether any function will do for ``variable``."""
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
        """Whether ``variable`` may read what a literal reads."""
        return self._reach[abs(literal)] < self.level[variable]

    def falsity(self, literals: Iterable[int]) -> int:
        """Where all literals are false; clauses that begin alike share gates."""
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
        """Make ``literal`` true also where ``where``, of a known reach, is."""
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
