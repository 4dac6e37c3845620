"""Stratified Datalog with function terms: the facts that follow from clauses and given facts.

Clauses become Python functions: nested loops over indexes, in an order that binds early.

A fact is a tuple of ground terms.  The function of a clause gets a *view*, which gives the facts
of a relation (``rel``), those that a negation looks at (``neg``), the facts that are new
(``delta``) and the indexes (``ix``), and a function that takes each fact derived.  An index maps
the values at some places of a fact to the facts that have the given shape and these values.

A :class:`JoinProgram` has three layers: what depends on nothing that changes, what depends on the
position (``true``), and what depends on the moves (``does``).  A :class:`LayerFacts` holds the
facts of one layer and asks the layer below it for the rest; relations are evaluated when they are
first asked for, recursive ones semi-naively.

Two views that look at each other for what is negated bound what is unknown: one holds what follows
at most, the other what follows at least (a three-valued reading of the same clauses).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType
from typing import Final, Protocol

from qsage_validate.errors import UndecidedError
from qsage_validate.extensions.gdl.dependencies import Dependencies
from qsage_validate.extensions.gdl.model import (
    Atom,
    Clause,
    GdlLiteral,
    Ground,
    Key,
    Term,
    Variable,
    arguments_of,
    variables,
)

Fact = tuple[Ground, ...]
Facts = set[Fact] | frozenset[Fact]
Index = dict[object, list[Fact]]


class Relations(Protocol):
    """The relations and indexes that clauses are evaluated on; ``Joins`` numbers them."""

    def rel(self, number: int) -> Facts: ...

    def neg(self, number: int) -> Facts: ...

    def delta(self, number: int) -> Facts: ...

    def ix(self, number: int) -> Index: ...


Derive = Callable[[Relations, Callable[[Fact], object]], None]


@dataclass(frozen=True, slots=True)
class IndexSpec:
    """The facts of an index, and the arguments that it is searched by.

    ``key`` gives a fact's value, or ``None`` for a fact of another shape.
    """

    relation: int
    key: Callable[[Fact], object | None]

    def build(self, facts: Facts) -> Index:
        """The index of ``facts``."""
        index: Index = {}
        self.extend(index, facts)
        return index

    def extend(self, index: Index, facts: Facts) -> None:
        """Put more facts into an index."""
        key = self.key
        for fact in facts:
            value = key(fact)
            if value is not None:
                index.setdefault(value, []).append(fact)


class Joins:
    """Compiles clauses; numbers the relations and the indexes that they need."""

    def __init__(self) -> None:
        self.numbers: dict[Key, int] = {}
        self.indexes: list[IndexSpec] = []
        self._index_numbers: dict[tuple[int, str], int] = {}

    def number(self, key: Key) -> int:
        return self.numbers.setdefault(key, len(self.numbers))

    def index(self, relation: int, source: str) -> int:
        """The number of the index with this key, as an expression over ``f``."""
        found = self._index_numbers.get((relation, source))
        if found is None:
            found = self._index_numbers[relation, source] = len(self.indexes)
            # The expressions are made of constants in quotes, tuples and numbers alone.
            key = eval(_code(f"lambda f: {source}", "<index>", "eval"))
            self.indexes.append(IndexSpec(relation, key))
        return found

    def compile(self, clause: Clause, delta: GdlLiteral | None = None) -> Derive:
        """The function of a clause; with ``delta``, this literal looks at new facts only."""
        return _ClauseWriter(self, clause, delta).function()


@lru_cache(maxsize=4096)
def _code(text: str, name: str, mode: str) -> CodeType:
    """The compiled text: a game is asked about with many bounds, and its clauses stay the same."""
    return compile(text, name, mode)


@dataclass(frozen=True, slots=True)
class _Shape:
    """The condition that a place holds a function term of that tuple length and functor."""

    path: str
    length: int
    functor: str

    def source(self, fact: str) -> str:
        at = f"{fact}{self.path}"
        test = f"{at}.__class__ is tuple and len({at}) == {self.length}"
        return f"{test} and {at}[0] == {self.functor!r}"


class _ClauseWriter:
    def __init__(self, joins: Joins, clause: Clause, delta: GdlLiteral | None) -> None:
        self.joins = joins
        self.clause = clause
        self.delta = delta
        self.names: dict[Variable, str] = {}
        self.setup: dict[str, str] = {}
        self.lines: list[str] = []
        self.indent = 1

    def function(self) -> Derive:
        waiting = list(self.clause.body)
        if self.delta is not None:
            waiting.remove(self.delta)
            self.scan(self.delta, new=True)
        while waiting:
            literal = self.choose(waiting)
            waiting.remove(literal)
            if self.is_bound(literal):
                self.test(literal)
            else:
                self.scan(literal, new=False)
        self.line(f"add({self.tuple_of(self.clause.head.arguments)})")
        if not self.clause.head.arguments:
            self.line("return")
        setup = [f" {name} = {source}" for name, source in self.setup.items()]
        text = "\n".join(("def derive(view, add):", *setup, *self.lines))
        scope: dict[str, Derive] = {}
        exec(_code(text, f"<clause for {self.clause.head}>", "exec"), scope)
        return scope["derive"]

    def line(self, text: str) -> None:
        self.lines.append(" " * self.indent + text)

    # -- the order ----------------------------------------------------------------------------

    def is_bound(self, literal: GdlLiteral) -> bool:
        return all(v in self.names for v in variables(arguments_of(literal.atom)))

    def choose(self, waiting: Sequence[GdlLiteral]) -> GdlLiteral:
        """The next literal: a pure test if any, else a connected one with few new variables."""
        for literal in waiting:
            if self.is_bound(literal):
                return literal
        return min((x for x in waiting if x.positive and isinstance(x.atom, Atom)), key=self.cost)

    def cost(self, literal: GdlLiteral) -> tuple[bool, bool, int]:
        atom = literal.atom
        assert isinstance(atom, Atom)
        found = set(variables(atom.arguments))
        free = sum(v not in self.names for v in found)
        return atom.relation != "does", bool(self.names) and free == len(found), free

    # -- code ---------------------------------------------------------------------------------

    def value(self, term: Term) -> str:
        if isinstance(term, Variable):
            return self.names[term]
        return repr(term) if isinstance(term, str) else self.tuple_of(term)

    def tuple_of(self, terms: Sequence[Term]) -> str:
        return f"({''.join(self.value(term) + ', ' for term in terms)})"

    def held(self, kind: str, number: int) -> str:
        """A local name for what ``view.kind(number)`` gives."""
        name = f"{kind}{number}"
        self.setup[name] = f"view.{kind}({number})"
        return name

    def test(self, literal: GdlLiteral) -> None:
        atom = literal.atom
        if isinstance(atom, Atom):
            kind = "rel" if literal.positive else "neg"
            facts = self.held(kind, self.joins.number(atom.key))
            word = "in" if literal.positive else "not in"
            self.line(f"if {self.tuple_of(atom.arguments)} {word} {facts}:")
        else:
            sign = "!=" if literal.positive else "=="
            self.line(f"if {self.value(atom.left)} {sign} {self.value(atom.right)}:")
        self.indent += 1

    def scan(self, literal: GdlLiteral, *, new: bool) -> None:
        """A loop over the facts that fit; new facts have no index, so they are looked at all."""
        atom = literal.atom
        assert isinstance(atom, Atom)
        shape: list[_Shape] = []
        keys: list[tuple[str, str]] = []
        fresh: list[tuple[str, Variable]] = []
        for place, term in enumerate(atom.arguments):
            self.match(f"[{place}]", term, shape, keys, fresh)
        number, fact = self.joins.number(atom.key), f"f{self.indent}"
        if new:
            self.line(f"for {fact} in {self.held('delta', number)}:")
            tests = [test.source(fact) for test in shape]
            tests += [f"{fact}{path} == {value}" for path, value in keys]
        elif shape or keys:
            paths = ", ".join(f"f{path}" for path, _ in keys)
            key = f"({paths},)" if len(keys) != 1 else paths
            key = "True" if not keys else key
            conditions = " and ".join(test.source("f") for test in shape)
            source = f"{key} if {conditions} else None" if shape else key
            index = self.held("ix", self.joins.index(number, source))
            values = ", ".join(value for _, value in keys)
            wanted = f"({values},)" if len(keys) != 1 else values
            wanted = "True" if not keys else wanted
            self.line(f"for {fact} in {index}.get({wanted}, ()):")
            tests = []
        else:
            self.line(f"for {fact} in {self.held('rel', number)}:")
            tests = []
        self.indent += 1
        if tests:
            self.line(f"if {' and '.join(tests)}:")
            self.indent += 1
        for path, variable in fresh:
            if variable in self.names:
                self.line(f"if {fact}{path} == {self.names[variable]}:")
                self.indent += 1
            else:
                self.names[variable] = f"v{len(self.names)}"
                self.line(f"{self.names[variable]} = {fact}{path}")

    def match(
        self,
        path: str,
        term: Term,
        shape: list[_Shape],
        keys: list[tuple[str, str]],
        fresh: list[tuple[str, Variable]],
    ) -> None:
        """Collect the conditions that a fact must meet at the place ``path`` to match ``term``."""
        if isinstance(term, Variable) and term not in self.names:
            fresh.append((path, term))
        elif isinstance(term, tuple):
            shape.append(_Shape(path, len(term), str(term[0])))
            for place, part in enumerate(term[1:], start=1):
                self.match(f"{path}[{place}]", part, shape, keys, fresh)
        else:
            keys.append((path, self.value(term)))


TRUE: Final[Key] = ("true", 1)
DOES: Final[Key] = ("does", 2)

MAX_FACTS: Final = 4_000_000
"""No relation may have more facts than this."""

STATIC, STATE, ACTION = 0, 1, 2

_NOTHING: Final[frozenset[Fact]] = frozenset()


class JoinProgram:
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

    def __init__(self, program: JoinProgram, keys: Sequence[Key]) -> None:
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


class LayerFacts:
    """The facts of one layer of a program; ``given`` are those of ``true`` or ``does``.

    ``below`` is the view of the layer before; :attr:`negated` is where negations look, the view
    itself unless it is set.
    """

    def __init__(
        self,
        program: JoinProgram,
        layer: int,
        given: Mapping[Key, Facts] | None = None,
        below: LayerFacts | None = None,
    ) -> None:
        self.program = program
        self.layer = layer
        self.below = below
        self.negated: LayerFacts = self
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
