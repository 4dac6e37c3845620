"""Rules in GDL evaluated: joins over relations, and the machine that steps from state to state.

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

A state is the set of fluents that are true; a joint move says what each role does.  Nothing here
is shared with the encodings, which are checked against it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType
from typing import Final, Protocol, TypeAlias

from qsage_validate.errors import IllegalMoveError, QsageError, UndecidedError
from qsage_validate.extensions.gdl.model import (
    Atom,
    Clause,
    Dependencies,
    Description,
    GdlLiteral,
    Ground,
    Key,
    Term,
    Variable,
    arguments_of,
    check_description,
    goal_value,
    role_names,
    term_order,
    term_text,
    variables,
)

# Stratified Datalog with function terms: the facts that follow from clauses and given facts


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


# The state machine of a game: Definition 1 of He, Saffidine and Thielscher 2024, executed


State: TypeAlias = "frozenset[Ground]"
"""The fluents that are true."""

_KEPT_VIEWS: Final = 512


class StateMachine:
    """The semantics of a valid description.

    Raises ``InputError`` for a description that is not valid.
    """

    def __init__(self, description: Description) -> None:
        check_description(description)
        self.description = description
        self.roles = role_names(description)
        self.program = JoinProgram(description.clauses)
        self.static = LayerFacts(self.program, STATIC)
        self._views: OrderedDict[State, LayerFacts] = OrderedDict()

    @property
    def initial(self) -> State:
        """The state before the first move."""
        return frozenset(fact[0] for fact in self.static.facts(("init", 1)))

    def view(self, state: State) -> LayerFacts:
        """The facts of a state that do not depend on moves; the last few views are cached."""
        view = self._views.get(state)
        if view is None:
            view = LayerFacts(self.program, STATE, {TRUE: {(f,) for f in state}}, self.static)
            self._views[state] = view
            if len(self._views) > _KEPT_VIEWS:
                self._views.popitem(last=False)
        return view

    def facts(self, state: State, key: Key) -> Facts:
        """The facts of a relation that does not depend on moves."""
        return self.view(state).facts(key)

    def terminal(self, state: State) -> bool:
        """True if the play has ended."""
        return bool(self.facts(state, ("terminal", 0)))

    def legal(self, state: State, role: Ground) -> tuple[Ground, ...]:
        """The legal moves of a role, in a fixed order."""
        facts = self.facts(state, ("legal", 2))
        return tuple(sorted((move for r, move in facts if r == role), key=term_order))

    def goals(self, state: State, role: Ground) -> tuple[int, ...]:
        """The values of the role's goals that hold: one, in a well-formed description.

        Raises ``QsageError`` for a value that is no number from 0 to 100.
        """
        values = set()
        for r, value in self.facts(state, ("goal", 2)):
            if r == role:
                number = goal_value(value)
                if number is None:
                    raise QsageError(
                        f"found the goal value {term_text(value)} of {term_text(role)}, expected "
                        f"a number from 0 to 100, in {state_text(state)}"
                    )
                values.add(number)
        return tuple(sorted(values))

    def successor(self, state: State, moves: Mapping[Ground, Ground]) -> State:
        """The state after a joint move, whether or not it is legal."""
        given: dict[Key, Facts] = {DOES: set(moves.items())}
        view = LayerFacts(self.program, ACTION, given, self.view(state))
        return frozenset(fact[0] for fact in view.facts(("next", 1)))

    def play(self, state: State, moves: Mapping[Ground, Ground]) -> State:
        """The state after a joint move; raises ``IllegalMoveError`` where it is illegal."""
        if self.terminal(state):
            raise IllegalMoveError("the play has ended")
        for role in self.roles:
            if role not in moves:
                raise IllegalMoveError(f"no move of {term_text(role)}")
            if (role, moves[role]) not in self.facts(state, ("legal", 2)):
                raise IllegalMoveError(
                    f"{term_text(moves[role])} is not legal for {term_text(role)}"
                )
        return self.successor(state, moves)


def state_text(state: State) -> str:
    """A state as text: its fluents in order, ``{(cell 1 1 b) (control xplayer)}``."""
    return "{" + " ".join(term_text(f) for f in sorted(state, key=term_order)) + "}"


# -- What can be true, and be played, at each time step ----------------------------------------
#
# Two views of the same clauses bound the unknown state from above and from below, each looking at
# the other for what is negated.  So a fluent like ``(control xplayer)`` that follows a fixed rhythm
# is known exactly, and with it whose turn it is: this is how section 3.3's order of play is found,
# instead of by a theorem prover.

_LEGAL: Key = ("legal", 2)
_NEXT: Key = ("next", 1)


@dataclass(frozen=True)
class GdlBounds:
    """Bounds at a time step, for plays that have not ended before it.

    ``possible`` are the fluents that can be true, ``certain`` those that are; ``moves`` has for
    each role the moves that can be legal, in a fixed order; ``ended`` says that every play has
    ended by now.
    """

    possible: State
    certain: State
    moves: Mapping[Ground, tuple[Ground, ...]]
    ended: bool


def horizon(machine: StateMachine, steps: int) -> Iterator[GdlBounds]:
    """The bounds at time 1, 2, and so on; fewer than ``steps`` when every play has ended."""
    possible = certain = machine.initial
    for _ in range(steps):
        upper, lower = _states(machine, possible, certain)
        legal = upper.facts(_LEGAL)
        moves = {
            role: tuple(sorted((move for r, move in legal if r == role), key=term_order))
            for role in machine.roles
        }
        ended = bool(lower.facts(("terminal", 0))) or not all(moves.values())
        yield GdlBounds(possible, certain, moves, ended)
        if ended:
            return
        # A role that is known to have one legal move makes it.
        forced: set[Fact] = {(role, one[0]) for role, one in moves.items() if len(one) == 1}
        above = LayerFacts(machine.program, ACTION, {DOES: legal}, upper)
        below = LayerFacts(machine.program, ACTION, {DOES: forced}, lower)
        above.negated, below.negated = below, above
        possible, certain = _fluents(above.facts(_NEXT)), _fluents(below.facts(_NEXT))


def _states(
    machine: StateMachine, possible: State, certain: State
) -> tuple[LayerFacts, LayerFacts]:
    upper = LayerFacts(machine.program, STATE, {TRUE: {(f,) for f in possible}}, machine.static)
    lower = LayerFacts(machine.program, STATE, {TRUE: {(f,) for f in certain}}, machine.static)
    upper.negated, lower.negated = lower, upper
    return upper, lower


def _fluents(facts: Facts) -> State:
    return frozenset(fact[0] for fact in facts)


def turn_order(steps: Sequence[GdlBounds]) -> tuple[Ground | None, ...] | None:
    """The role that can have a choice at each step of a strictly turn-taking game.

    A step at which no role has a choice is ``None``.

    The result is ``None`` when at some step more than one role may have a choice as far as the
    bounds tell: the turn depends on the position, or the game is not turn-taking.
    """
    order: list[Ground | None] = []
    for step in steps:
        choosing = [role for role, moves in step.moves.items() if len(moves) > 1]
        if len(choosing) > 1:
            return None
        order.append(choosing[0] if choosing else None)
    return tuple(order)


def move_domains(steps: Sequence[GdlBounds]) -> dict[Ground, tuple[Ground, ...]]:
    """For each role the moves that can be legal at any of the steps."""
    found: dict[Ground, set[Ground]] = {}
    for step in steps:
        for role, moves in step.moves.items():
            found.setdefault(role, set()).update(moves)
    return {role: tuple(sorted(moves, key=term_order)) for role, moves in found.items()}


# -- Why a move is not legal: the legal rule that comes nearest, and its condition that fails --

Values = dict[Variable, Ground]


@dataclass(frozen=True, slots=True)
class ClauseFailure:
    """A clause whose head fits, the condition at which it fails, and its values there.

    ``index`` is the number, from 0, of the condition among those of the clause.
    """

    clause: Clause
    literal: GdlLiteral
    index: int
    values: Values

    @property
    def shown(self) -> str:
        """The condition with the values put in: ``(columnOpen 2)``."""
        atom = self.literal.atom
        terms = [term_text(replaced(term, self.values)) for term in arguments_of(atom)]
        name = atom.relation if isinstance(atom, Atom) else "distinct"
        text = f"({' '.join([name, *terms])})" if terms else name
        return text if self.literal.positive else f"(not {text})"

    def sentence(self, state: State) -> str:
        """The sentence on what ``state`` holds where the condition asks for a fluent.

        It is empty for a condition on anything else.
        """
        atom = self.literal.atom
        if not isinstance(atom, Atom) or atom.key != TRUE:
            return ""
        fluent = replaced(atom.arguments[0], self.values)
        shown = term_text(fluent)
        if not self.literal.positive:
            return f"{shown} is true here"
        near = sorted((f for f in state if _alike(fluent, f)), key=term_order)
        if len(near) == 1:
            return f"{shown} is not true here, but {term_text(near[0])} is"
        return f"{shown} is not true here"


def _alike(fluent: Term, other: Ground) -> bool:
    """True if two fluents differ in their last word alone: ``(cell 1 1 b)``, ``(cell 1 1 x)``."""
    if not isinstance(fluent, tuple) or not isinstance(other, tuple):
        return False
    return len(fluent) == len(other) and fluent[:-1] == other[:-1]


def why_not(
    view: LayerFacts, clauses: Sequence[Clause], fact: tuple[Ground, ...]
) -> ClauseFailure | None:
    """The failure that comes latest in its clause; ``None`` when no head fits ``fact``.

    ``clauses`` are those of a relation in which ``fact`` does not hold.
    """
    best: ClauseFailure | None = None
    for clause in clauses:
        for values in matches(clause.head.arguments, fact, {}):
            failure = _furthest(view, clause, 0, values)
            if failure is not None and (best is None or failure.index > best.index):
                best = failure
    return best


def replaced(term: Term, values: Values) -> Term:
    """The term with the values that are known put in."""
    if isinstance(term, Variable):
        return values.get(term, term)
    return tuple(replaced(part, values) for part in term) if isinstance(term, tuple) else term


def matches(terms: Sequence[Term], fact: tuple[Ground, ...], values: Values) -> Iterator[Values]:
    found = dict(values)
    if all(_match(term, ground, found) for term, ground in zip(terms, fact, strict=True)):
        yield found


def _match(term: Term, ground: Ground, values: Values) -> bool:
    if isinstance(term, Variable):
        return values.setdefault(term, ground) == ground
    if isinstance(term, tuple):
        return (
            isinstance(ground, tuple)
            and len(term) == len(ground)
            and all(_match(t, g, values) for t, g in zip(term, ground, strict=True))
        )
    return term == ground


def _furthest(view: LayerFacts, clause: Clause, index: int, values: Values) -> ClauseFailure | None:
    """The latest failure from a condition on; ``None`` when the conditions hold."""
    if index == len(clause.body):
        return None
    literal = clause.body[index]
    best = ClauseFailure(clause, literal, index, values)
    for more in _solutions(view, literal, values):
        failure = _furthest(view, clause, index + 1, more)
        if failure is None:
            return None
        if failure.index > best.index:
            best = failure
    return best


def _solutions(view: LayerFacts, literal: GdlLiteral, values: Values) -> Iterator[Values]:
    atom = literal.atom
    terms = [replaced(term, values) for term in arguments_of(atom)]
    free = next(variables(terms), None) is not None
    if not isinstance(atom, Atom):
        # A condition whose values come from a later one is not what fails.
        if free or (terms[0] != terms[1]) is literal.positive:
            yield values
    elif literal.positive:
        for fact in view.facts(atom.key):
            yield from matches(terms, fact, values)
    elif free or tuple(terms) not in view.facts(atom.key):
        yield values
