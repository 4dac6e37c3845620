"""Reads game descriptions: KIF with the words of GDL.

Keywords and names are the same in upper and lower case, as GDL wants it: every name is kept
as it is first written.  Positions are kept, so that each error reads ``file:line:column``.
"""

from __future__ import annotations

from typing import Final, NoReturn

from qsage_validate.extensions.gdl.model import (
    KEYWORDS,
    Atom,
    Description,
    Distinct,
    Formula,
    GdlAnd,
    GdlNot,
    GdlOr,
    GdlRule,
    Ground,
    Term,
    Variable,
    variables,
)
from qsage_validate.extensions.gdl.splitting import split_by_constants
from qsage_validate.extensions.gdl.unfolding import unfolded
from qsage_validate.formats.sexpr import List, Node, SourceWord, node_text, read_nodes
from qsage_validate.formats.source import SEMICOLON, Path, Source, quoted

_CONNECTIVES: Final = frozenset({"<=", "not", "and", "or", "distinct"})


def read_description(path: Path) -> Description:
    """The game description in the file ``path`` (``-`` is standard input).

    Raises :class:`~qsage_validate.errors.InputError` at the first thing that is not understood.
    """
    return split_by_constants(_Reader(Source.open(path, SEMICOLON)).description())


def parse_description(text: str, file: str | None = None) -> Description:
    """The description in ``text``; ``file`` names it in messages.  Errors as when reading."""
    return split_by_constants(_Reader(Source(text, file)).description())


def parse_ground(text: str) -> Ground:
    """The ground term in ``text``: ``noop`` or ``(mark 1 1)``; names as they are written.

    Raises :class:`~qsage_validate.errors.InputError` for anything else.
    """
    source = Source(text)
    nodes = read_nodes(source)
    if len(nodes) != 1:
        offset = nodes[1].offset if nodes else 0
        found = node_text(nodes[1]) if nodes else "nothing"
        raise source.error(offset, found, "one term")
    reader = _Reader(source)
    reader.keep_case = True
    return reader.ground(nodes[0])


class _Reader:
    """Turns lists into rules."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.keep_case = False
        self.spelling: dict[str, str] = {word: word for word in (*KEYWORDS, *_CONNECTIVES)}

    def fail(self, node: Node, expected: str) -> NoReturn:
        raise self.source.error(node.offset, node_text(node), expected)

    def description(self) -> Description:
        self.source.check_not_empty("a game description: (role ...")
        nodes = read_nodes(self.source)
        if not nodes:
            raise self.source.end_error("a game description: (role ...")
        return unfolded(Description(tuple(self.rule(node) for node in nodes), self.source))

    def rule(self, node: Node) -> GdlRule:
        if self.keyword(node) != "<=":
            return GdlRule(self.head(node), (), node.offset)
        if isinstance(node, SourceWord):
            self.fail(node, "'(<= HEAD BODY ...)'")
        if len(node.items) < 2:
            raise self.source.error(node.end, "')'", "the head of the rule")
        head = self.head(node.items[1])
        return GdlRule(head, tuple(self.formula(part) for part in node.items[2:]), node.offset)

    def keyword(self, node: Node) -> str:
        """The first word of a list, or the word, in lower case; empty where there is none."""
        if isinstance(node, List):
            if not node.items:
                return ""
            node = node.items[0]
        return node.text.lower() if isinstance(node, SourceWord) else ""

    def head(self, node: Node) -> Atom:
        if self.keyword(node) in _CONNECTIVES:
            self.fail(node, "a fact or the head of a rule")
        return self.atom(node)

    def formula(self, node: Node) -> Formula:
        word = self.keyword(node)
        if word not in _CONNECTIVES:
            return self.atom(node)
        if isinstance(node, SourceWord) or word == "<=":
            self.fail(node, "a condition")
        parts = node.items[1:]
        if word == "distinct":
            left, right = self.exactly(node, 2, "two terms")
            return Distinct(self.term(left), self.term(right), node.offset)
        if word == "not":
            (part,) = self.exactly(node, 1, "one condition")
            return GdlNot(self.formula(part), node.offset)
        if not parts:
            raise self.source.error(node.end, "')'", "a condition")
        formulas = tuple(self.formula(part) for part in parts)
        return GdlOr(formulas, node.offset) if word == "or" else GdlAnd(formulas, node.offset)

    def exactly(self, node: List, count: int, expected: str) -> tuple[Node, ...]:
        parts = node.items[1:]
        if len(parts) < count:
            raise self.source.error(node.end, "')'", f"{expected} in {node_text(node)}")
        if len(parts) > count:
            raise self.source.error(
                parts[count].offset, node_text(parts[count]), f"')': {node_text(node)} has {count}"
            )
        return parts

    def atom(self, node: Node) -> Atom:
        if isinstance(node, SourceWord):
            name, parts = self.name(node, "a relation"), tuple[Node, ...]()
        else:
            if not node.items:
                raise self.source.error(node.end, "')'", "a relation")
            first = node.items[0]
            if isinstance(first, List):
                self.fail(first, "a relation")
            name, parts = self.name(first, "a relation"), node.items[1:]
        count = KEYWORDS.get(name)
        if count is not None and len(parts) != count:
            noun = "argument" if count == 1 else "arguments"
            raise self.source.error(
                node.offset, f"{quoted(name)} with {len(parts)}", f"{count or 'no'} {noun}"
            )
        if name == "sees" and len(parts) == 2:
            raise self.source.error(
                node.offset, "'sees'", "a game of perfect information (GDL, not GDL-II)"
            )
        return Atom(name, tuple(self.term(part) for part in parts), node.offset)

    def term(self, node: Node) -> Term:
        if isinstance(node, SourceWord):
            if node.text.startswith("?"):
                if len(node.text) == 1:
                    self.fail(node, "a variable's name behind '?'")
                return Variable(self.name(node, "a variable")[1:])
            return self.name(node, "a term")
        if not node.items:
            raise self.source.error(node.end, "')'", "a function's name")
        first = node.items[0]
        if isinstance(first, List):
            self.fail(first, "a function's name")
        name = self.name(first, "a function's name")
        if len(node.items) == 1:
            return name
        return (name, *(self.term(part) for part in node.items[1:]))

    def ground(self, node: Node) -> Ground:
        term = self.term(node)
        if next(variables([term]), None) is not None:
            self.fail(node, "a term without variables")
        return _as_ground(term)

    def name(self, word: SourceWord, what: str) -> str:
        if word.text.startswith("?") and what not in {"a variable", "a term"}:
            self.fail(word, what)
        if self.keep_case:
            return word.text
        if word.text.lower() in _CONNECTIVES:
            self.fail(word, what)
        return self.spelling.setdefault(word.text.lower(), word.text)


def _as_ground(term: Term) -> Ground:
    assert not isinstance(term, Variable)
    return tuple(map(_as_ground, term)) if isinstance(term, tuple) else term
