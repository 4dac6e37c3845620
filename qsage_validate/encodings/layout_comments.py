"""The layout inside a formula's file, as comments that other tools skip.

Each line is a comment that begins with ``@`` (``#@ move 1 black …`` in QCIR, ``c @ …`` in
QDIMACS).  ``docs/reference/layout.md`` describes the lines: ``lines`` writes them,
``layout_reader`` reads them.
"""

from __future__ import annotations

from collections.abc import Iterable

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.layout import FIRST, Layout
from qsage_validate.errors import InputError


def layout_from_comments(qbf: Qbf) -> Layout | None:
    """The layout that the comments of ``qbf`` carry; ``None`` without one.

    Raises ``InputError`` with the line of the first comment that is not as described, or that
    names a variable or gate which the formula does not have.
    """
    from qsage_validate.encodings.layout_reader import LayoutReader

    lines = layout_lines(qbf)
    return LayoutReader(qbf).read(lines) if lines else None


def layout_lines(qbf: Qbf) -> list[tuple[int, str]]:
    """The comments of ``qbf`` that begin with ``@``, without that: (line, text).

    There are none in a file of another tool.
    Raises ``InputError`` for a layout that begins with another line: it would count for nothing.
    """
    from qsage_validate.encodings.layout_reader import KEYWORDS

    lines = [(number, content[1:].strip()) for number, content in _contents(qbf)]
    keywords = [(text.split(maxsplit=1) or [""])[0] for _, text in lines]
    if any(k in KEYWORDS or k.startswith(FIRST) for k in keywords):
        if not keywords[0].startswith(FIRST):
            number, text = lines[0]
            raise InputError(qbf.path, number, 1, f"'@ {text}'", f"the line '@ {FIRST}'")
        return lines
    return []


def _contents(qbf: Qbf) -> Iterable[tuple[int, str]]:
    for number, text in qbf.comments:
        content = text.strip().removeprefix("#").strip()
        if content.startswith("@"):
            yield number, content
