"""The dependency graph of a description's relations, its components and its paths.

Source: the GDL specification's predicate dependency graph; relations of one name and different
numbers of arguments are different.  ``next`` and ``true`` are not connected: time is between
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TypeVar

from qsage_validate.extensions.gdl.model import Atom, Clause, Key

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
