"""The layout inside a formula's file, as comments that other tools skip.

Each line is a comment that begins with ``@`` (``#@ move 1 black …`` in QCIR, ``c @ …`` in
QDIMACS).  ``docs/reference/layout.md`` describes the lines: ``lines`` writes them,
``layout_reader`` reads them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from qsage_validate.circuit.qbf import Connective, Qbf
from qsage_validate.encodings.layout.codings import Bits, OneHotCoding
from qsage_validate.encodings.layout.layout import FIRST, Layout, Ply, StateView
from qsage_validate.errors import InputError

# --- Writing ----------------------------------------------------------------------------------


def layout_comments(layout: Layout, output: int | None = None) -> tuple[str, ...]:
    """The comment lines for ``layout``, without the format's comment sign.

    A verdict that is ``output`` is called that, and not by its number.
    """
    from qsage_validate.encodings.layout.lines import lines_of

    return tuple(f"@ {line}" for line in lines_of(layout, output))


# --- Layouts and formulas ---------------------------------------------------------------------


def with_layout(qbf: Qbf, layout: Layout) -> Qbf:
    """``qbf`` with the layout as its only comments, and without names.

    The layout may name variables and, in a circuit, gates.  The gates of a conjunction of clauses
    get other numbers when it is written as QDIMACS: of these only the output can be named.
    Variables lose their names, if they had any: a layout goes by numbers, and says what they mean.
    Raises ``ValueError`` for a literal that the formula does not have.
    """
    clausal = is_clausal(qbf)
    known = set(qbf.levels()) | (set() if clausal else set(qbf.gates))
    literals = [*layout.gates.values(), *layout.state.position, *layout.state.literals]
    if layout.verdict is not None and layout.verdict != qbf.output:
        literals.append(layout.verdict)
    for ply in layout.moves:
        literals += [*ply.all_variables, *ply.says_legal]
    for literal in literals:
        if literal and abs(literal) not in known:
            what = "variable" if clausal else "variable or gate"
            raise ValueError(f"the layout names {literal}, which is no {what} of the formula")
    comments = layout_comments(layout, output=qbf.output if clausal else None)
    return replace(qbf, names={}, comments=tuple(enumerate(comments, start=1)))


def comments_in_clauses(qbf: Qbf, variables: Collection[int]) -> tuple[str, ...]:
    """The comments of ``qbf`` for a clausal form in which only ``variables`` mean what they did.

    A layout names only these then; other comments stay as they are, and stand first.
    """
    layout = layout_from_comments(qbf)
    own = {number for number, _ in layout_lines(qbf)}
    others = tuple(text for number, text in qbf.comments if number not in own)
    if layout is None:
        return others
    return others + layout_comments(only_variables(layout, variables, qbf.output), qbf.output)


def only_variables(layout: Layout, variables: Collection[int], output: int) -> Layout:
    """The layout without the literals that are none of ``variables``, the ``output`` apart.

    Moves without a variable are left out: those that cannot be made.  A board or indicators that
    lose a literal are left out as a whole.
    """

    def kept(bits: Bits) -> Bits:
        found = tuple(x if abs(x) in variables else 0 for x in bits)
        return found if any(found) else ()

    def all_kept(bits: Iterable[int]) -> bool:
        return all(abs(x) in variables for x in bits)

    indicators = all(
        all_kept(ply.indicators.literals) for ply in layout.moves if ply.indicators is not None
    )

    def made(ply: Ply) -> Ply:
        legal = kept(ply.legal)
        ply = replace(ply, indicators=ply.indicators if indicators else None)
        if ply.coding.numbers or all_kept(ply.variables):
            return replace(ply, legal=legal)
        places = [k for k, x in enumerate(ply.variables) if abs(x) in variables]
        moves = tuple(ply.moves[k] for k in places)
        coding = OneHotCoding(moves, tuple(ply.variables[k] for k in places))
        return replace(ply, coding=coding, legal=tuple(legal[k] for k in places) if legal else ())

    def told() -> StateView:
        state = layout.state
        if state.is_board:
            return state if all_kept(state.literals) else StateView()
        return replace(state, states=tuple(map(kept, state.states)))

    verdict = layout.verdict
    known = verdict is None or verdict == output or abs(verdict) in variables
    return replace(
        layout,
        moves=tuple(map(made, layout.moves)),
        state=told(),
        verdict=verdict if known else None,
        gates={name: x for name, x in layout.gates.items() if abs(x) in variables},
    )


def is_clausal(qbf: Qbf) -> bool:
    """True if the matrix is a conjunction of clauses, which QDIMACS takes as it is.

    Then a layout cannot name gates.
    """
    top = qbf.gates.get(qbf.output)
    if top is None or top.connective is not Connective.AND:
        return False
    for literal in top.inputs:
        gate = qbf.gates.get(abs(literal))
        if gate is None:
            continue
        nested = any(abs(x) in qbf.gates for x in gate.inputs)
        if literal < 0 or nested or gate.connective is not Connective.OR:
            return False
    return True


# --- Reading ----------------------------------------------------------------------------------


def layout_from_comments(qbf: Qbf) -> Layout | None:
    """The layout that the comments of ``qbf`` carry; ``None`` without one.

    Raises ``InputError`` with the line of the first comment that is not as described, or that
    names a variable or gate which the formula does not have.
    """
    from qsage_validate.encodings.layout.layout_reader import LayoutReader

    lines = layout_lines(qbf)
    return LayoutReader(qbf).read(lines) if lines else None


def layout_lines(qbf: Qbf) -> list[tuple[int, str]]:
    """The comments of ``qbf`` that begin with ``@``, without that: (line, text).

    There are none in a file of another tool.
    Raises ``InputError`` for a layout that begins with another line: it would count for nothing.
    """
    from qsage_validate.encodings.layout.layout_reader import KEYWORDS

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
