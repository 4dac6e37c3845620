"""A reader of SGF that shares nothing with the writer: collections, trees, nodes, properties."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_TOKEN = re.compile(r"\s*([();]|[A-Z]+(?=\s*\[)|\[(?:[^\]\\]|\\.)*\])", re.DOTALL)


@dataclass
class Node:
    """A node: its properties, and the nodes after it, the main line first."""

    properties: dict[str, list[str]] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)


def read_sgf(text: str) -> Node:
    """The root of the only game tree in ``text``; raises ``ValueError`` for anything else."""
    tokens = _tokens(text)
    root, rest = _tree(tokens)
    if rest:
        raise ValueError(f"found {rest[0]!r} behind the tree")
    return root


def _tokens(text: str) -> list[str]:
    tokens, at = [], 0
    while text[at:].strip():
        found = _TOKEN.match(text, at)
        if found is None:
            raise ValueError(f"found {text[at : at + 20]!r}")
        tokens.append(found[1])
        at = found.end()
    return tokens


def _tree(tokens: list[str]) -> tuple[Node, list[str]]:
    if tokens[:2] != ["(", ";"]:
        raise ValueError(f"found {tokens[:2]}, expected a tree with a node")
    tokens = tokens[1:]
    first: Node | None = None
    last: Node | None = None
    while tokens[0] == ";":
        node, tokens = _node(tokens[1:])
        if last is None:
            first = node
        else:
            last.children.append(node)
        last = node
    assert first is not None
    assert last is not None
    while tokens[0] == "(":
        child, tokens = _tree(tokens)
        last.children.append(child)
    if tokens[0] != ")":
        raise ValueError(f"found {tokens[0]!r}, expected the end of a tree")
    return first, tokens[1:]


def _node(tokens: list[str]) -> tuple[Node, list[str]]:
    node = Node()
    while tokens[0] not in ("(", ")", ";"):
        name, tokens = tokens[0], tokens[1:]
        if name in node.properties:
            raise ValueError(f"found {name} twice in a node")
        values = []
        while tokens[0].startswith("["):
            values.append(re.sub(r"\\(.)", r"\1", tokens[0][1:-1], flags=re.DOTALL))
            tokens = tokens[1:]
        node.properties[name] = values
    return node, tokens


def moves_of(root: Node) -> set[tuple[str, ...]]:
    """All plays of a tree up to an end, as ``B b2``."""
    own = next(
        (f"{name} {root.properties[name][0]}" for name in "BW" if name in root.properties), None
    )
    before = () if own is None else (own,)
    if not root.children:
        return {before}
    return {(*before, *play) for child in root.children for play in moves_of(child)}
