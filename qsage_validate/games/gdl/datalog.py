"""Stratified Datalog with function terms: the facts that follow from clauses and given facts.

A program has three layers: what depends on nothing that changes, what depends on the position
(``true``), and what depends on the moves (``does``).  A :class:`View` holds the facts of one
layer and asks the view below it for the rest; relations are evaluated when they are first asked
for, recursive ones semi-naively.

Two views that look at each other for what is negated bound what is unknown: one holds what
follows at most, the other what follows at least (a three-valued reading of the same clauses).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from qsage_validate.errors import UndecidedError
from qsage_validate.games.gdl.dependencies import Dependencies
from qsage_validate.games.gdl.joins import Derive, Fact, Facts, Index, Joins
from qsage_validate.games.gdl.model import Atom, Clause, Key

TRUE: Final[Key] = ("true", 1)
DOES: Final[Key] = ("does", 2)

MAX_FACTS: Final = 4_000_000
"""No relation may have more facts than this."""

STATIC, STATE, ACTION = 0, 1, 2

_NOTHING: Final[frozenset[Fact]] = frozenset()


class Program:
    """Clauses made ready for evaluation; they must be stratified and allowed."""

    def __init__(self, clauses: Sequence[Clause]) -> None:
        self.graph = Dependencies(clauses)
        self.joins = Joins()
        for key in (TRUE, DOES, *self.graph.edges):
            self.joins.number(key)
        layers = dict.fromkeys(self.joins.numbers, STATIC)
        layers.update(dict.fromkeys(self.graph.above({TRUE}), STATE))
        layers.update(dict.fromkeys(self.graph.above({DOES}), ACTION))
        self.layers: list[int] = [layers[key] for key in self.joins.numbers]
        self._clauses: dict[Key, list[Clause]] = {}
        for clause in clauses:
            self._clauses.setdefault(clause.head.key, []).append(clause)
        self._keys = list(self.joins.numbers)
        self._steps: dict[int, Component] = {}

    def component(self, number: int) -> Component:
        """The component of the relation with that number, with its compiled clauses."""
        step = self._steps.get(number)
        if step is None:
            key = self._keys[number]
            keys = self.graph.component_of.get(key, frozenset({key}))
            step = Component(self, [k for k in self._keys if k in keys])
            self._steps.update((self.joins.number(k), step) for k in keys)
        return step

    def clauses_of(self, key: Key) -> Sequence[Clause]:
        """The clauses whose head is of this relation."""
        return self._clauses.get(key, ())


class Component:
    """The compiled clauses of relations that depend on each other, mostly just one.

    ``first`` derives without the relations themselves; ``again`` from new facts of theirs.
    """

    def __init__(self, program: Program, keys: Sequence[Key]) -> None:
        joins = program.joins
        self.relations = [joins.number(key) for key in keys]
        self.first: list[tuple[int, Derive]] = []
        self.again: list[tuple[int, Derive]] = []
        for key in keys:
            number = joins.number(key)
            for clause in program.clauses_of(key):
                own = [
                    literal
                    for literal in clause.body
                    if isinstance(literal.atom, Atom) and literal.atom.key in keys
                ]
                if not own:
                    self.first.append((number, joins.compile(clause)))
                self.again += [(number, joins.compile(clause, literal)) for literal in own]


class View:
    """The facts of one layer of a program; ``given`` are those of ``true`` or ``does``.

    ``below`` is the view of the layer before; :attr:`negated` is where negations look, the view
    itself unless it is set.
    """

    def __init__(
        self,
        program: Program,
        layer: int,
        given: Mapping[Key, Facts] | None = None,
        below: View | None = None,
    ) -> None:
        self.program = program
        self.layer = layer
        self.below = below
        self.negated: View = self
        self._facts: dict[int, Facts] = {}
        self._indexes: dict[int, Index] = {}
        self._new: dict[int, set[Fact]] = {}
        for key, facts in (given or {}).items():
            self._facts[program.joins.number(key)] = facts

    def facts(self, key: Key) -> Facts:
        """The facts of a relation; none for one that is not in the program."""
        number = self.program.joins.numbers.get(key)
        return _NOTHING if number is None else self.rel(number)

    def rel(self, number: int) -> Facts:
        """The facts of a relation by its number."""
        facts = self._facts.get(number)
        if facts is None:
            below = self.below
            if below is not None and self.program.layers[number] < self.layer:
                return below.rel(number)
            self._evaluate(self.program.component(number))
            facts = self._facts[number]
        return facts

    def neg(self, number: int) -> Facts:
        """The facts that a negation looks at."""
        return self.negated.rel(number)

    def delta(self, number: int) -> Facts:
        """The facts that the round before this one added."""
        return self._new.get(number, _NOTHING)

    def ix(self, number: int) -> Index:
        """An index by its number."""
        index = self._indexes.get(number)
        if index is None:
            spec = self.program.joins.indexes[number]
            below = self.below
            if (
                below is not None
                and spec.relation not in self._facts
                and self.program.layers[spec.relation] < self.layer
            ):
                return below.ix(number)
            index = self._indexes[number] = spec.build(self.rel(spec.relation))
        return index

    def _evaluate(self, component: Component) -> None:
        facts: dict[int, set[Fact]] = {number: set() for number in component.relations}
        if not component.again:
            for number, derive in component.first:
                derive(self, facts[number].add)
                self._check_size(facts[number])
            self._facts.update(facts)
            return
        for number, derive in component.first:
            derive(self, facts[number].add)
        self._facts.update(facts)
        new = {number: set(found) for number, found in facts.items()}
        while any(new.values()):
            self._new = new
            found: dict[int, set[Fact]] = {number: set() for number in component.relations}
            for number, derive in component.again:
                derive(self, found[number].add)
            self._new = {}
            new = {number: found[number] - facts[number] for number in component.relations}
            for number, more in new.items():
                facts[number] |= more
                self._check_size(facts[number])
            for at, index in self._indexes.items():
                spec = self.program.joins.indexes[at]
                if spec.relation in new:
                    spec.extend(index, new[spec.relation])

    def _check_size(self, facts: set[Fact]) -> None:
        if len(facts) > MAX_FACTS:
            raise UndecidedError(f"more than {MAX_FACTS:,} facts of one relation of the game")
