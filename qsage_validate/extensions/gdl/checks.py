"""Which relations depend on which, and what is wrong in a description.

Source: the GDL specification's predicate dependency graph; relations of one name and different
numbers of arguments are different.  ``next`` and ``true`` are not connected: time is between
them.

Source: He, Saffidine and Thielscher 2024, section 2.1, and the GDL specification that it cites:
where the keywords may stand, what they may depend on, stratification (Definition 6 of the
specification), allowedness, and the restriction of recursion that keeps all relations finite.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final, TypeVar

from qsage_validate.errors import InputError
from qsage_validate.extensions.gdl.model import (
    KEYWORDS,
    Atom,
    Clause,
    Description,
    Ground,
    Key,
    Term,
    Variable,
    arguments_of,
    term_text,
    variables,
)
from qsage_validate.formats.source import quoted

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
