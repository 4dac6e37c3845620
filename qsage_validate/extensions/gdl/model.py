"""Descriptions in GDL: their rules as data, which relations depend on which, and what is wrong.

Source: He, Saffidine and Thielscher 2024, section 2.1; the language is that of Love et al.,
"General Game Playing: Game Description Language Specification".  The semantics is in
``machine``.

*Dependencies.*  Source: the GDL specification's predicate dependency graph; relations of one name
and different numbers of arguments are different.  ``next`` and ``true`` are not connected: time
is between them.

*Validity.*  Source: He, Saffidine and Thielscher 2024, section 2.1, and the GDL specification
that it cites: where the keywords may stand, what they may depend on, stratification (Definition 6
of the specification), allowedness, and the restriction of recursion that keeps all relations
finite.

*One role against all others.*  A single-player game becomes one against a role that can only
wait: reachability.  For more roles there is the paranoid assumption (He, Saffidine and Thielscher
2024, section 5; Saito and Winands 2010): all other roles play together against one.  The
description is rewritten: its own ``role``, ``legal``, ``does`` and ``goal`` get other names, and
two new roles move in their place, one as the role that is asked about, the other with joint moves
``(together M N ...)``.  So whatever takes a game of two roles takes these, and a state has the
same fluents as before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from itertools import product
from os.path import basename
from typing import ClassVar, Final, TypeAlias, TypeVar

from qsage_validate.errors import InputError, UsageError, visible
from qsage_validate.formats.source import Source, quoted, unpacked_name

# The typed model of a game in GDL, and its rules as normal clauses


@dataclass(frozen=True, slots=True, order=True)
class Variable:
    """A variable; ``name`` is without the question mark."""

    name: str

    def __str__(self) -> str:
        return f"?{self.name}"


Ground: TypeAlias = "str | tuple[Ground, ...]"
"""A ground term: a constant, or a functor with its arguments as a tuple.

Plain values, because a play looks at very many of them.
"""

Term: TypeAlias = "Variable | str | tuple[Term, ...]"
"""A term; a function term is a tuple with the functor first."""

KEYWORDS: Final[Mapping[str, int]] = {
    "role": 1,
    "init": 1,
    "true": 1,
    "next": 1,
    "legal": 2,
    "does": 2,
    "terminal": 0,
    "goal": 2,
    "input": 2,
    "base": 1,
}
"""The relations that have a meaning of their own, with their numbers of arguments (Table 1)."""

_WIDTH: Final = 100
MAX_CLAUSES: Final = 4096
"""No rule may stand for more normal clauses than this (each ``or`` multiplies)."""


@dataclass(frozen=True, slots=True)
class Atom:
    """A relation with its arguments; ``offset`` is where it begins in the file."""

    relation: str
    arguments: tuple[Term, ...] = ()
    offset: int = field(default=0, compare=False)

    def __str__(self) -> str:
        if not self.arguments:
            return self.relation
        return f"({' '.join((self.relation, *map(term_text, self.arguments)))})"

    @property
    def key(self) -> Key:
        """Relations of one name and different numbers of arguments are different."""
        return self.relation, len(self.arguments)


Key: TypeAlias = "tuple[str, int]"
"""The key of a relation: its name and its number of arguments."""


@dataclass(frozen=True, slots=True)
class Distinct:
    """``(distinct left right)``: the terms are syntactically different."""

    left: Term
    right: Term
    offset: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"(distinct {term_text(self.left)} {term_text(self.right)})"


@dataclass(frozen=True, slots=True)
class GdlNot:
    """``(not part)``."""

    part: Formula
    offset: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"(not {self.part})"


@dataclass(frozen=True, slots=True)
class GdlAnd:
    """``(and part ...)``."""

    parts: tuple[Formula, ...]
    offset: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"({' '.join(('and', *map(str, self.parts)))})"


@dataclass(frozen=True, slots=True)
class GdlOr:
    """``(or part ...)``."""

    parts: tuple[Formula, ...]
    offset: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"({' '.join(('or', *map(str, self.parts)))})"


Formula: TypeAlias = "Atom | Distinct | GdlNot | GdlAnd | GdlOr"


@dataclass(frozen=True, slots=True)
class GdlRule:
    """``(<= head body ...)``, or a fact when there is no body."""

    head: Atom
    body: tuple[Formula, ...] = ()
    offset: int = field(default=0, compare=False)

    def __str__(self) -> str:
        if not self.body:
            return str(self.head)
        return f"({' '.join(('<=', str(self.head), *map(str, self.body)))})"

    def text(self) -> str:
        """The rule on several lines where it is long."""
        line = str(self)
        if len(line) <= _WIDTH:
            return line
        return "\n    ".join((f"(<= {self.head}", *map(str, self.body))) + ")"


@dataclass(frozen=True, slots=True)
class GdlLiteral:
    """An atom or a comparison of two terms, or its negation; part of a normal clause."""

    atom: Atom | Distinct
    positive: bool = True

    def __str__(self) -> str:
        return str(self.atom) if self.positive else f"(not {self.atom})"


@dataclass(frozen=True, slots=True)
class Clause:
    """A rule without ``or`` and ``and``; ``rule`` is the rule of the file that it is part of."""

    head: Atom
    body: tuple[GdlLiteral, ...]
    rule: GdlRule


@dataclass(frozen=True)
class Description:
    """A game description: its rules in the order of the file."""

    rules: tuple[GdlRule, ...]
    source: Source = field(compare=False, default_factory=lambda: Source(""))

    @property
    def name(self) -> str:
        """The file's name without its ending, for people."""
        return visible(unpacked_name(basename(self.source.path or "game")).rsplit(".", 1)[0])

    def text(self) -> str:
        """The description in KIF, which parses back; comments of the file are not kept."""
        return "".join(f"{rule.text()}\n" for rule in self.rules)

    @cached_property
    def clauses(self) -> tuple[Clause, ...]:
        """The rules as normal clauses (disjunctive normal form of the bodies).

        Raises ``InputError`` for a rule that stands for too many.
        """
        return tuple(clause for rule in self.rules for clause in self._clauses_of(rule))

    def _clauses_of(self, rule: GdlRule) -> Iterator[Clause]:
        count = 1
        for part in rule.body:
            count *= _size(part, positive=True)
            if count > MAX_CLAUSES:
                raise self.source.error(
                    rule.offset,
                    f"a rule that stands for more than {MAX_CLAUSES:,} clauses",
                    "fewer 'or' in one rule",
                )
        for bodies in product(*(_normal(part, positive=True) for part in rule.body)):
            body = tuple(dict.fromkeys(literal for part in bodies for literal in part))
            yield Clause(rule.head, body, rule)


def _size(formula: Formula, *, positive: bool) -> int:
    """The number of conjunctions in the formula's disjunctive normal form."""
    match formula:
        case GdlNot(part):
            return _size(part, positive=not positive)
        case GdlAnd(parts) | GdlOr(parts):
            sizes = [_size(part, positive=positive) for part in parts]
            if isinstance(formula, GdlOr) is positive:
                return sum(sizes)
            total = 1
            for size in sizes:
                total = min(total * size, MAX_CLAUSES + 1)
            return total
    return 1


def _normal(formula: Formula, *, positive: bool) -> list[tuple[GdlLiteral, ...]]:
    """The conjunctions whose disjunction the formula (or its negation) is."""
    match formula:
        case Atom() | Distinct():
            return [(GdlLiteral(formula, positive),)]
        case GdlNot(part):
            return _normal(part, positive=not positive)
        case GdlAnd(parts) | GdlOr(parts):
            normal = [_normal(part, positive=positive) for part in parts]
            if isinstance(formula, GdlOr) is positive:
                return [conjunction for part in normal for conjunction in part]
            return [
                tuple(literal for conjunction in choice for literal in conjunction)
                for choice in product(*normal)
            ]


def variables(terms: Iterable[Term]) -> Iterator[Variable]:
    """The variables of terms, from left to right, each as often as it occurs."""
    for term in terms:
        if isinstance(term, Variable):
            yield term
        elif isinstance(term, tuple):
            yield from variables(term[1:])


def arguments_of(atom: Atom | Distinct) -> tuple[Term, ...]:
    """The arguments of an atom, or the two sides of a comparison."""
    return atom.arguments if isinstance(atom, Atom) else (atom.left, atom.right)


def term_text(term: Term) -> str:
    """A term as it stands in a file: ``(cell 1 ?y b)``."""
    if isinstance(term, tuple):
        return f"({' '.join(map(term_text, term))})"
    return str(term)


def term_order(term: Ground) -> tuple[object, ...]:
    """A sort key of ground terms: numbers by value, before words, before function terms."""
    if isinstance(term, tuple):
        return (2, str(term[0]), len(term), *(term_order(part) for part in term[1:]))
    return (0, int(term), term) if _is_number(term) else (1, term)


def _is_number(word: str) -> bool:
    # Python refuses to convert very long ones.
    return word.isascii() and word.isdigit() and len(word) <= 1000


# The dependency graph of a description's relations, its components and its paths


Node = TypeVar("Node", str, int, Key)


def components(edges: Mapping[Node, Sequence[Node]]) -> tuple[frozenset[Node], ...]:
    """The strongly connected components, each behind those that its edges lead to (Tarjan)."""
    index: dict[Node, int] = {}
    low: dict[Node, int] = {}
    stack: list[Node] = []
    held: set[Node] = set()
    done: list[frozenset[Node]] = []
    for root in edges:
        if root in index:
            continue
        index[root] = low[root] = len(index)
        stack.append(root)
        held.add(root)
        work = [(root, iter(edges[root]))]
        while work:
            node, below = work[-1]
            for other in below:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    held.add(other)
                    work.append((other, iter(edges[other])))
                    break
                if other in held:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    found = {stack.pop()}
                    while node not in found:
                        found.add(stack.pop())
                    held -= found
                    done.append(frozenset(found))
    return tuple(done)


class Dependencies:
    """The graph of clauses; an edge goes from a head's relation to each of its body's."""

    def __init__(self, clauses: Sequence[Clause]) -> None:
        edges: dict[Key, dict[Key, None]] = {}
        for clause in clauses:
            below = edges.setdefault(clause.head.key, {})
            for literal in clause.body:
                if isinstance(literal.atom, Atom):
                    below[literal.atom.key] = None
                    edges.setdefault(literal.atom.key, {})
        self.edges: Mapping[Key, Sequence[Key]] = {key: tuple(to) for key, to in edges.items()}

    @cached_property
    def components(self) -> tuple[frozenset[Key], ...]:
        """The strongly connected components, each behind those that it depends on (Tarjan)."""
        return components(self.edges)

    @cached_property
    def component_of(self) -> Mapping[Key, frozenset[Key]]:
        return {key: component for component in self.components for key in component}

    def is_recursive(self, key: Key) -> bool:
        """True if the relation depends on itself."""
        return len(self.component_of.get(key, ())) > 1 or key in self.edges.get(key, ())

    def below(self, keys: Iterable[Key]) -> frozenset[Key]:
        """All relations that these depend on, these among them."""
        found = set(keys)
        waiting = list(found)
        while waiting:
            for other in self.edges.get(waiting.pop(), ()):
                if other not in found:
                    found.add(other)
                    waiting.append(other)
        return frozenset(found)

    def above(self, keys: Iterable[Key]) -> frozenset[Key]:
        """All relations that depend on one of these, these among them."""
        found = set(keys)
        for component in self.components:
            if any(
                key in found or any(other in found for other in self.edges[key])
                for key in component
            ):
                found |= component
        return frozenset(found)

    def path(self, start: Key, end: Key) -> tuple[Key, ...] | None:
        """A shortest way on which ``start`` depends on ``end``, both included."""
        before: dict[Key, Key | None] = {start: None}
        waiting = [start]
        for key in waiting:
            if key == end and key != start:
                break
            for other in self.edges.get(key, ()):
                if other not in before:
                    before[other] = key
                    waiting.append(other)
        if end not in before or start == end:
            return None
        way = [end]
        while (previous := before[way[-1]]) is not None:
            way.append(previous)
        return tuple(reversed(way))


# The conditions that make a description valid, each with the rule that breaks it


_REQUIRED: Final = ("role", "legal", "goal", "terminal")
_BODY_ONLY: Final = frozenset({"true", "does"})
_HEAD_ONLY: Final = frozenset({"init", "next", "input", "base"})
_OF_ROLES: Final = frozenset({"legal", "does", "goal", "input"})

# The relations that each relation must not depend on.
_FORBIDDEN: Final = (
    ("init", ("true", "does", "legal", "next", "terminal", "goal")),
    ("base", ("true", "does")),
    ("input", ("true", "does")),
    ("legal", ("does",)),
    ("terminal", ("does",)),
    ("goal", ("does",)),
)


def check_description(description: Description) -> None:
    """Raise ``InputError`` for the first rule, in the order of the checks, that is not valid."""
    _check_present(description)
    roles = role_names(description)
    for rule in description.rules:
        _check_places(description, rule.head, head=True)
        _check_role(description, rule.head, roles)
        if rule.head.relation == "role" and rule.body:
            raise _error(description, rule.offset, f"a rule for role, {rule.head}", "a fact")
    for clause in description.clauses:
        for literal in clause.body:
            if isinstance(literal.atom, Atom):
                _check_places(description, literal.atom, head=False)
                _check_role(description, literal.atom, roles)
        _check_allowed(description, clause)
        _check_goal_value(description, clause)
    graph = Dependencies(description.clauses)
    _check_reach(description, graph)
    _check_stratified(description, graph)
    for clause in description.clauses:
        _check_recursion(description, clause, graph)


def role_names(description: Description) -> tuple[Ground, ...]:
    """The roles in the order of the file."""
    found: list[Ground] = []
    for rule in description.rules:
        if rule.head.relation == "role" and not rule.body:
            (role,) = rule.head.arguments
            if not isinstance(role, Variable) and next(variables([role]), None) is None:
                found.append(role)  # type: ignore[arg-type]  # it has no variables
    return tuple(dict.fromkeys(found))


def _error(description: Description, offset: int, found: str, expected: str) -> InputError:
    return description.source.error(offset, found, expected)


def _check_present(description: Description) -> None:
    heads = {rule.head.relation for rule in description.rules}
    for relation in _REQUIRED:
        if relation not in heads:
            raise description.source.end_error(f"a rule or fact for {relation}")


def _check_places(description: Description, atom: Atom, *, head: bool) -> None:
    name = atom.relation
    if head and name in _BODY_ONLY:
        raise _error(description, atom.offset, f"{name} in a head", "it in bodies only")
    if not head and name in _HEAD_ONLY:
        raise _error(description, atom.offset, f"{name} in a body", "it in heads only")


def _check_role(description: Description, atom: Atom, roles: Sequence[Ground]) -> None:
    if atom.relation not in _OF_ROLES:
        return
    role = atom.arguments[0]
    if next(variables([role]), None) is None and role not in roles:
        raise _error(
            description,
            atom.offset,
            f"the role {quoted(term_text(role))} in {atom}",
            "one of the roles " + ", ".join(map(term_text, roles)),
        )


def _check_allowed(description: Description, clause: Clause) -> None:
    bound = {
        variable
        for literal in clause.body
        if literal.positive and isinstance(literal.atom, Atom)
        for variable in variables(literal.atom.arguments)
    }
    for variable in variables(clause.head.arguments):
        if variable not in bound:
            raise _error(
                description,
                clause.rule.offset,
                f"{variable} in the head {clause.head}",
                "it in a positive relation of the body too",
            )
    for literal in clause.body:
        if literal.positive and isinstance(literal.atom, Atom):
            continue
        for variable in variables(arguments_of(literal.atom)):
            if variable not in bound:
                raise _error(
                    description,
                    literal.atom.offset,
                    f"{variable} in {literal} (rule for {clause.head}, line "
                    f"{description.source.line_of(clause.rule.offset)})",
                    "it in a positive relation of the body too",
                )


def _check_goal_value(description: Description, clause: Clause) -> None:
    if clause.head.relation == "goal":
        value = clause.head.arguments[1]
        if not isinstance(value, Variable) and goal_value(value) is None:
            raise _error(
                description,
                clause.head.offset,
                f"the goal value {quoted(term_text(value))}",
                "a number from 0 to 100",
            )


def goal_value(term: Term) -> int | None:
    """The number that a goal's value means; ``None`` where it is none from 0 to 100."""
    if isinstance(term, str) and term.isascii() and term.isdigit() and len(term) <= 3:
        return int(term) if int(term) <= 100 else None
    return None


def _check_reach(description: Description, graph: Dependencies) -> None:
    for relation, forbidden in _FORBIDDEN:
        for other in forbidden:
            start, end = (relation, KEYWORDS[relation]), (other, KEYWORDS[other])
            way = graph.path(start, end)
            if way is not None:
                offset = _edge(description, way[0], way[1])
                names = " <- ".join(name for name, _ in way)
                raise _error(
                    description,
                    offset,
                    f"{relation} that depends on {other} ({names})",
                    "a rule independent of it",
                )


def _edge(description: Description, head: Key, body: Key) -> int:
    """The offset in the file of the rule that makes ``head`` depend on ``body``."""
    for clause in description.clauses:
        if clause.head.key == head:
            for literal in clause.body:
                if isinstance(literal.atom, Atom) and literal.atom.key == body:
                    return clause.rule.offset
    raise AssertionError(f"no edge from {head} to {body}")


def _check_stratified(description: Description, graph: Dependencies) -> None:
    for clause in description.clauses:
        component = graph.component_of[clause.head.key]
        for literal in clause.body:
            if (
                not literal.positive
                and isinstance(literal.atom, Atom)
                and literal.atom.key in component
            ):
                raise _error(
                    description,
                    clause.rule.offset,
                    f"{clause.head.relation} that depends on its own negation through {literal}",
                    "a stratified description",
                )


def _check_recursion(description: Description, clause: Clause, graph: Dependencies) -> None:
    component = graph.component_of[clause.head.key]
    for literal in clause.body:
        atom = literal.atom
        if not literal.positive or not isinstance(atom, Atom) or atom.key not in component:
            continue
        if not graph.is_recursive(atom.key):
            continue
        for term in atom.arguments:
            if not _is_restricted(term, clause, component):
                raise _error(
                    description,
                    clause.rule.offset,
                    f"the recursion through {atom} with {quoted(term_text(term))}, which may grow",
                    "a ground term, an argument of the head, or one of a relation that does not "
                    "depend on the head",
                )


def _is_restricted(term: Term, clause: Clause, component: frozenset[Key]) -> bool:
    """True if only finitely many values of the term can arise, all else being finite.

    The specification asks for the term itself among the arguments of a relation that does not
    depend on the head; that its variables occur there at any depth is as good.
    """
    if term in clause.head.arguments:
        return True
    bound = {
        variable
        for literal in clause.body
        if literal.positive and isinstance(literal.atom, Atom) and literal.atom.key not in component
        for variable in variables(literal.atom.arguments)
    }
    return all(variable in bound for variable in variables([term]))


# One role against all the others together: a game of one or more roles as a game of two


NOBODY: Final = "nobody"
"""The other role of a single-player game."""

WAIT: Final = "wait"
"""The one move of that role."""

JOINT: Final = "together"
"""The functor of a joint move; its arguments are the moves of the other roles in their order."""

OTHERS: Final = "others"
"""The role that makes joint moves."""

_RENAMED: Final = ("role", "legal", "does", "goal", "base", "input")


def against_all(description: Description, role: str | None = None) -> Description:
    """The game of ``role`` (default: the first) against all others; two roles stay as they are.

    One role alone plays against nobody, who waits.

    Raises ``InputError`` for a description that is not valid, and ``UsageError`` for a role that
    there is not.
    """
    check_description(description)
    roles = role_names(description)
    wanted = term_text(roles[0]) if role is None else role
    black = next((r for r in roles if term_text(r).lower() == wanted.lower()), None)
    if black is None:
        *names, last = map(term_text, roles)
        choices = f"{', '.join(names)} or {last}" if names else last
        raise UsageError(f"found the role {quoted(wanted)}, expected {choices}")
    if len(roles) == 2:
        return description
    return _Rewriter(description, black, [r for r in roles if r != black]).description()


class RelationNames:
    """A description's rules with other names for some of its relations (``names``)."""

    names: Mapping[str, str]

    def rule(self, rule: GdlRule) -> GdlRule:
        return GdlRule(self.atom(rule.head), tuple(map(self.formula, rule.body)), rule.offset)

    def atom(self, atom: Atom) -> Atom:
        return Atom(self.names.get(atom.relation, atom.relation), atom.arguments, atom.offset)

    def formula(self, formula: Formula) -> Formula:
        match formula:
            case Atom():
                return self.atom(formula)
            case GdlNot(part):
                return GdlNot(self.formula(part), formula.offset)
            case GdlAnd(parts):
                return GdlAnd(tuple(map(self.formula, parts)), formula.offset)
            case GdlOr(parts):
                return GdlOr(tuple(map(self.formula, parts)), formula.offset)
        return formula


class _Rewriter(RelationNames):
    def __init__(self, description: Description, black: Ground, others: list[Ground]) -> None:
        self.given = description
        self.black = black
        self.others = others
        words = {word for rule in description.rules for word in words_of(rule)}
        self.names = {name: fresh_name(f"{name}_of_all", words) for name in _RENAMED}
        self.joint = fresh_name(JOINT if others else WAIT, words)
        self.together = fresh_name(OTHERS if others else NOBODY, words)

    def description(self) -> Description:
        rules = (*map(self.rule, self.given.rules), *self.added())
        return Description(rules, self.given.source)

    def added(self) -> list[GdlRule]:
        """The two roles, what they may do, and what that means."""
        moves = tuple(Variable(f"m{number}") for number in range(1, len(self.others) + 1))
        joint: Term = (self.joint, *moves) if moves else self.joint
        move, value = Variable("m"), Variable("v")
        others = self.together
        legal, does, goal = (self.names[name] for name in ("legal", "does", "goal"))
        allowed = tuple(Atom(legal, (role, m)) for role, m in zip(self.others, moves, strict=True))
        joined = Atom("does", (others, joint))
        rules = [
            GdlRule(Atom("role", (self.black,))),
            GdlRule(Atom("role", (others,))),
            GdlRule(Atom("legal", (self.black, move)), (Atom(legal, (self.black, move)),)),
            GdlRule(Atom("legal", (others, joint)), allowed),
            GdlRule(Atom(does, (self.black, move)), (Atom("does", (self.black, move)),)),
            GdlRule(Atom("goal", (self.black, value)), (Atom(goal, (self.black, value)),)),
        ]
        rules += [
            GdlRule(Atom(does, (role, m)), (joined,))
            for role, m in zip(self.others, moves, strict=True)
        ]
        offset = self.given.rules[0].offset
        return [GdlRule(rule.head, rule.body, offset) for rule in rules]


def fresh_name(name: str, words: set[str]) -> str:
    while name in words:
        name += "_"
    return name


def words_of(rule: GdlRule) -> list[str]:
    """The relations, functors and constants of a rule, in lower case."""
    found: list[str] = []
    waiting: list[object] = [rule.head, *rule.body]
    while waiting:
        match waiting.pop():
            case Atom(relation, arguments):
                found.append(relation.lower())
                waiting += arguments
            case Distinct(left, right):
                waiting += (left, right)
            case GdlNot(part):
                waiting.append(part)
            case GdlAnd(parts) | GdlOr(parts):
                waiting += parts
            case tuple(parts):
                waiting += parts
            case str(word):
                found.append(word.lower())
    return found


@dataclass(frozen=True)
class GdlModel:
    """A description with the question that is asked of it.

    ``rounds`` is the bound, ``role`` the role of Black (``None``: the first role), ``win`` the
    smallest goal that counts as a win (Definition 5 of He, Saffidine and Thielscher 2024).
    ``at_once`` is the bound that a game of simultaneous moves was rewritten for, and empty else.
    """

    language: ClassVar[str] = "gdl"

    description: Description
    rounds: int
    role: str | None = None
    win: int = 100
    at_once: str = field(default="", compare=False)

    @property
    def name(self) -> str:
        """The game's name, for people; who wins a bound says nothing of the game without it."""
        return self.description.name + (self.at_once and f" --at-once {self.at_once}")

    @property
    def in_words(self) -> str:
        return "game in GDL"

    @property
    def squares(self) -> int:
        """None: a description has no squares."""
        return 0

    @property
    def question(self) -> Mapping[str, object]:
        """The role that Black is, where it is named, and another goal than 100 that wins."""
        role: dict[str, object] = {} if self.role is None else {"role": self.role}
        return role | ({} if self.win == 100 else {"win": self.win})

    @property
    def depth(self) -> int:
        return self.rounds

    @property
    def plies(self) -> int:
        """Two a round, Black's part and White's."""
        return 2 * self.rounds

    def at_depth(self, depth: int) -> GdlModel:
        return replace(self, rounds=depth)

    def parts(self) -> dict[str, str]:
        """The name, the question and the description."""
        parts = {"name": self.name, "rounds": str(self.rounds), "win": str(self.win)}
        parts |= {} if self.role is None else {"role": self.role}
        return parts | {"gdl": self.description.text().rstrip("\n")}

    def fingerprint(self) -> str:
        """The digest of the description, the role and the goal that wins."""
        text = f"{self.description.text()}{self.role} {self.win}"
        return sha256(text.encode()).hexdigest()

    @cached_property
    def two_roles(self) -> Description:
        """The description of the role's game against all the others together.

        With two roles it is the description itself.  Raises ``InputError`` for one that is not
        valid.
        """
        return against_all(self.description, self.role)
