"""The parentheses of KIF: words and lists, each with its place.

``;`` begins a comment.  Nothing is known here of what the words mean.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from qsage_validate.formats.source import Source, quoted

MAX_DEPTH: Final = 150
"""The greatest depth of nested parentheses; real files stay below 10."""

_TOKEN = re.compile(r"\s+|;[^\n]*|[()]|[^\s();]+")


@dataclass(frozen=True, slots=True)
class SourceWord:
    text: str
    offset: int


@dataclass(frozen=True, slots=True)
class List:
    """The nodes between parentheses; ``end`` is the offset of the closing one."""

    items: tuple[Node, ...]
    offset: int
    end: int


Node = SourceWord | List


def read_nodes(source: Source) -> tuple[Node, ...]:
    """All words and lists of a text, at the top.

    Raises :class:`~qsage_validate.errors.InputError` at a parenthesis without its other one: for
    one that is never closed, the place of the opening one.
    """
    done: list[Node] = []
    stack: list[list[Node]] = []
    starts: list[int] = []
    for match in _TOKEN.finditer(source.text):
        word, offset = match.group(), match.start()
        if word[0].isspace() or word[0] == ";":
            continue
        if word == "(":
            if len(stack) >= MAX_DEPTH:
                found = f"more than {MAX_DEPTH} nested parentheses"
                raise source.error(offset, found, "a flatter term")
            stack.append([])
            starts.append(offset)
            continue
        if word != ")":
            node: Node = SourceWord(word, offset)
        elif not stack:
            raise source.error(offset, "')' without a '(' before it", "'(' or the end of the file")
        else:
            node = List(tuple(stack.pop()), starts.pop(), offset)
        (stack[-1] if stack else done).append(node)
    if starts:
        # The outermost one: what follows it in the file stands inside it.
        last = source.line_of(len(source.text.rstrip()))
        found = f"'(' that is not closed by the end of the file, line {last}"
        raise source.error(starts[0], found, "')'")
    return tuple(done)


def node_text(node: Node) -> str:
    """The quotation of a node in a message: a word, or the beginning of a list."""
    if isinstance(node, SourceWord):
        return quoted(node.text)
    if not node.items:
        return "'()'"
    first = node.items[0]
    return f"'({first.text} ...)'" if isinstance(first, SourceWord) else "'(('"
