"""A grammar of single-line faults, and faults drawn by it from the package's core.

Each place of a file where a rule of the grammar applies gives one fault, which changes one line:

==============  ==================================================================================
negated         the condition of an ``if``, a ``while``, a choice or a comprehension is negated
off by one      ``<`` becomes ``<=``, ``>=`` becomes ``>``, and so on; an integer gets one more
swapped         ``and`` becomes ``or``, ``or`` becomes ``and``
dropped         a call for its effect, an augmented assignment, an assignment to a part of something,
                ``continue``, ``break`` or ``raise`` becomes ``pass``
constant        ``True`` becomes ``False``, ``==`` becomes ``!=``, ``+`` becomes ``-``, and so on
==============  ==================================================================================

Docstrings, annotations, decorators, assertions and what only a type checker reads have no places.

Source: the operators of King and Offutt, "A Fortran Language System for Mutation-Based Software
Testing" (Software: Practice and Experience, 1991), as far as one line of Python has them.
"""

from __future__ import annotations

import ast
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

CORE: Final = (
    *("kernel", "circuit", "formats", "certificates", "encodings"),
    *("judging", "validation", "games", "play"),
)
_SIGNS: Final[Mapping[type[ast.AST], str]] = {
    ast.And: "and", ast.Or: "or",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Eq: "==", ast.NotEq: "!=", ast.In: "in", ast.NotIn: "not in",
    ast.Is: "is", ast.IsNot: "is not", ast.Add: "+", ast.Sub: "-",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip
_INSTEAD: Final[Mapping[str, Mapping[str, str]]] = {
    "swapped": {"and": "or", "or": "and"},
    "off by one": {"<": "<=", "<=": "<", ">": ">=", ">=": ">"},
    "constant": {
        "==": "!=",
        "!=": "==",
        "in": "not in",
        "not in": "in",
        "is": "is not",
        "is not": "is",
        "+": "-",
        "-": "+",
        "&": "|",
        "|": "&",
        "^": "|",
        "<<": ">>",
        ">>": "<<",
    },
}


@dataclass(frozen=True, slots=True, order=True)
class Mutation:
    """In a file of the package, line ``line`` (from 1) becomes ``new``, by a rule of the grammar.

    ``start`` and ``end`` are the columns, in bytes of UTF-8, of what is replaced.
    """

    file: str
    line: int
    start: int
    end: int
    rule: str
    new: str

    def apply(self, text: str) -> str:
        """The file's text with the fault."""
        lines = text.split("\n")
        lines[self.line - 1] = self._changed(lines[self.line - 1])
        return "\n".join(lines)

    def _changed(self, line: str) -> str:
        encoded = line.encode()
        return (encoded[: self.start] + self.new.encode() + encoded[self.end :]).decode()

    def told(self, text: str) -> str:
        """Both lines, for people; ``text`` is the file's without the fault."""
        before = text.split("\n")[self.line - 1]
        return f"{self.file}:{self.line}: {before.strip()}  ->  {self._changed(before).strip()}"


class _Places(ast.NodeVisitor):
    """Collects the faults of one file."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.lines = text.split("\n")
        self.found: list[Mutation] = []

    def _add(self, rule: str, line: int, start: int, end: int, new: str) -> None:
        self.found.append(Mutation(self.file, line, start, end, rule, new))

    def _replace(self, rule: str, node: ast.expr | ast.stmt, new: str) -> None:
        if node.lineno == node.end_lineno and node.end_col_offset is not None:
            self._add(rule, node.lineno, node.col_offset, node.end_col_offset, new)

    def _source(self, node: ast.expr) -> str:
        return self.lines[node.lineno - 1].encode()[node.col_offset : node.end_col_offset].decode()

    def _between(self, left: ast.expr, op: ast.AST, right: ast.expr) -> None:
        """Replace the operator between two operands that stand on one line."""
        if left.end_lineno != right.lineno or left.end_col_offset is None:
            return
        sign = _SIGNS.get(type(op))
        gap = self.lines[right.lineno - 1].encode()[left.end_col_offset : right.col_offset].decode()
        if sign is not None and gap.count(sign) == 1:
            start = left.end_col_offset + gap.index(sign)
            for rule, instead in _INSTEAD.items():
                if sign in instead:
                    self._add(rule, right.lineno, start, start + len(sign), instead[sign])

    # -- conditions
    def _negate(self, test: ast.expr) -> None:
        if test.lineno == test.end_lineno:
            self._replace("negated", test, f"(not ({self._source(test)}))")

    def visit_If(self, node: ast.If) -> None:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return
        self._negate(node.test)
        self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        if not isinstance(node.test, ast.Constant):
            self._negate(node.test)
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._negate(node.test)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for test in node.ifs:
            self._negate(test)
        self.generic_visit(node)

    # -- operators
    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        for left, right in zip(node.values, node.values[1:], strict=False):
            self._between(left, node.op, right)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        operands = (node.left, *node.comparators)
        for left, op, right in zip(operands, node.ops, operands[1:], strict=False):
            self._between(left, op, right)
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        self._between(node.left, node.op, node.right)
        self.generic_visit(node)

    # -- constants
    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self._replace("constant", node, str(not node.value))
        elif isinstance(node.value, int):
            self._replace("off by one", node, str(node.value + 1))

    # -- statements
    def _drop(self, node: ast.stmt) -> None:
        self._replace("dropped", node, "pass")

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call):
            self._drop(node)
        if not isinstance(node.value, ast.Constant):  # no docstring
            self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        if all(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets):
            self._drop(node)
        if not any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._drop(node)
        self.generic_visit(node)

    def visit_Continue(self, node: ast.Continue) -> None:
        self._drop(node)

    def visit_Break(self, node: ast.Break) -> None:
        self._drop(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        self._drop(node)
        self.generic_visit(node)

    # -- what has no places, or few
    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_arg(self, node: ast.arg) -> None:
        pass

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.visit(node.args)
        for below in node.body:
            self.visit(below)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for below in node.body:
            self.visit(below)

    def visit_Assert(self, node: ast.Assert) -> None:
        pass

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Places inside of an f-string have no columns of their own before Python 3.12."""


def places(file: str, text: str) -> list[Mutation]:
    """All single-line faults of a file that Python can compile, in the order of their places."""
    walker = _Places(file, text)
    walker.visit(ast.parse(text))
    return sorted(set(walker.found))


def drawn(package: Path, seed: int, parts: Sequence[str] = CORE) -> Iterator[Mutation]:
    """Faults without end of meaning, each once: parts in turn, then a rule, then a place of it.

    A rule that has few places is as likely as one that has many.
    """
    generator = random.Random(seed)
    by_part: dict[str, dict[str, list[Mutation]]] = {}
    for part in parts:
        found: dict[str, list[Mutation]] = defaultdict(list)
        by_part[part] = found
        for path in sorted((package / part).rglob("*.py")):
            name = path.relative_to(package).as_posix()
            for place in places(name, path.read_text(encoding="utf-8")):
                found[place.rule].append(place)
    while any(rules for rules in by_part.values()):
        for rules in by_part.values():
            if not rules:
                continue
            rule = generator.choice(sorted(rules))
            yield rules[rule].pop(generator.randrange(len(rules[rule])))
            if not rules[rule]:
                del rules[rule]
