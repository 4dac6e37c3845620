"""QCIR-14: quantified circuits, cleansed or with names.

Format: Jordan, Klieber, Seidl, *Non-CNF QBF Solving with QCIR* (BNP@AAAI 2016).  Choices
where the standard is silent or files in the wild differ from it:

- The header ``#QCIR-G14`` may be missing; ``#`` begins a comment anywhere; statements may
  span lines, and lines may hold several.
- ``free(...)`` before the prefix is read as an outermost existential scope: the formula is
  true when some value of its free variables makes it true.
- The standard wants gates defined before they are used.  Files that define all of them, in
  an order of their own, are read as well and sorted; cycles are errors.
- An identifier that is a positive number keeps it (unless it is so large that the numbering
  would be nearly empty); other identifiers get the numbers that follow the largest one, in
  the order in which they appear, and an entry in ``Qbf.names``.
- Quantifier gates (``g = exists(x; h)``) are brought into the prefix (``circuit/rewriting.py``).
  They may bind one name several times, also one of the prefix: the innermost binding counts.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from math import inf
from typing import TYPE_CHECKING, Final

from qsage_validate.circuit.qbf import Connective, Gate, PrenexOrder, Qbf, Quantifier, Scope
from qsage_validate.errors import InputError, counted
from qsage_validate.formats.source import (
    BARE_NAME,
    BOM,
    FREE,
    GATE,
    HASH,
    NAME,
    OUTPUT,
    Source,
    is_comment,
    largest_kept,
    quoted,
)

if TYPE_CHECKING:
    from qsage_validate.circuit.rewriting import AnyGate, NestedQbf, QuantifierGate, UnboundError
    from qsage_validate.formats.qcir_bulk import Suspicion

_COMMENT: Final = re.compile(r"#([^\r\n]*)")
_STATEMENT: Final = re.compile(rf"\s*(?:({NAME})\s*=\s*)?([A-Za-z]+)\s*\(([^()=]*)\)\s*")
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,9}")
_LITERAL: Final = re.compile(rf"-?\s*{NAME}")
_SEPARATOR: Final = re.compile(r"[,;]")

_CONNECTIVES: Final = {connective.value: connective for connective in Connective}
_QUANTIFIERS: Final = {quantifier.value: quantifier for quantifier in Quantifier}
_ARITY: Final = {Connective.XOR: 2, Connective.ITE: 3}
_STATEMENTS: Final = "exists, forall, free, output, or 'gate = and|or|xor|ite(...)'"
# Files that are larger are read in bulk; numpy need not be loaded for the others.
_LARGE: Final = 1 << 17


@dataclass(slots=True)
class _Statement:
    """``name = keyword(arguments)``, ``name = keyword(arguments; body)``; offsets into the text."""

    start: int
    name: str | None
    keyword: str
    arguments: list[str]
    arguments_at: int
    body: str | None = None

    @property
    def literals(self) -> list[str]:
        """The arguments and the body."""
        return self.arguments if self.body is None else [*self.arguments, self.body]


def parse_qcir(data: bytes | str, path: str | None = None, order: PrenexOrder | None = None) -> Qbf:
    """The formula in ``data``; one with quantifier gates becomes prenex by ``order``.

    Comments are kept with their lines; ``gates`` are in topological order.  Raises
    :class:`InputError` with line and column for anything that is no closed QCIR: bad syntax, a
    gate defined twice, on a cycle or never, a variable that the prefix has twice or that nothing
    quantifies where it is read, wrong numbers of inputs, none or several outputs.
    """
    if len(data) > _LARGE:
        from qsage_validate.formats.qcir_bulk import read_ordinary

        raw = data.encode() if isinstance(data, str) else data
        found = read_ordinary(raw, path)
        if isinstance(found, Qbf):
            return found
        _Reader(_source(data, path)).explain(found, raw)
    return read_carefully(data, path, order)


def read_carefully(
    data: bytes | str, path: str | None = None, order: PrenexOrder | None = None
) -> Qbf:
    """What :func:`parse_qcir` does with files of any size, statement by statement."""
    return _Reader(_source(data, path)).formula(order)


def parse_nested(data: bytes | str, path: str | None = None) -> NestedQbf | None:
    """The formula in ``data`` with its quantifier gates; ``None`` where it has none.

    Variables and gates have the numbers that :func:`parse_qcir` gives them.  Errors as there.
    """
    reader = _Reader(_source(data, path))
    reader.formula(None)
    return reader.nested


def _source(data: bytes | str, path: str | None) -> Source:
    return Source(data, path) if isinstance(data, str) else Source.decode(data, path, HASH)


class _Reader:
    def __init__(self, source: Source) -> None:
        source.check_not_empty("a QCIR formula")
        self.source = source
        self.comments, self.code = _split_comments(source.text)
        self.numbers: dict[str, int] = {}
        self.nested: NestedQbf | None = None

    def formula(self, order: PrenexOrder | None) -> Qbf:
        statements = list(self._checked(self._statements(), set()))
        prefix, gates, output = self._sort(statements)
        self._number(statements)
        quantified = self._check_prefix(prefix)
        definitions = self._gates(gates, quantified)
        scopes = tuple(
            Scope(
                _QUANTIFIERS.get(s.keyword, Quantifier.EXISTS),
                tuple(self.numbers[name] for name in s.arguments),
            )
            for s in prefix
        )
        result = self._output(output, quantified, definitions)
        names = {number: name for name, number in self.numbers.items() if name != str(number)}
        ordered = self._topological(definitions, gates)
        comments, path = self.comments, self.source.path
        plain = {number: gate for number, gate in ordered.items() if isinstance(gate, Gate)}
        free = tuple(self.numbers[v] for s in prefix if s.keyword == FREE for v in s.arguments)
        if len(plain) == len(ordered):
            return Qbf(scopes, plain, result, names, comments, path, free=free)
        from qsage_validate.circuit.rewriting import CopiesError, NestedQbf, UnboundError, prenex

        try:
            self.nested = NestedQbf(scopes, ordered, result, names, comments, path)
            return replace(prenex(self.nested, order), free=free)
        except CopiesError as error:
            raise self._too_many(error.gate, gates) from None
        except UnboundError as error:
            raise self._unbound(error, gates, output) from None

    def explain(self, suspicion: Suspicion, data: bytes) -> None:
        """Raise the error at a place where one is suspected in ``data``, if one is found there."""
        if not self.code.isascii():
            return
        if suspicion.gates is None:
            start, end = suspicion.start, suspicion.end
            if not self.source.text.isascii():
                plain = data.removeprefix(BOM)
                start, end = (len(_source(plain[:at], None).text) for at in (start, end))
            for _ in self._checked(self._statements(start, end), set(suspicion.behind)):
                pass
            return
        self.code = suspicion.shortened(self.code)
        if suspicion.on_cycle:
            raise self._cycle(next(s for s in self._statements() if s.name is not None))
        self.formula(None)

    # -- Syntax

    def _statements(self, at: int = 0, before: float = inf) -> Iterator[_Statement]:
        """The statements that begin at ``at`` or behind it, and before ``before``."""
        code = self.code
        end = min(len(code.rstrip()), before)
        while at < end:
            match = _STATEMENT.match(code, at)
            if match is None:
                raise self._syntax_error(at)
            name, keyword, inner = match.groups()
            start = match.start(1) if name is not None else match.start(2)
            keyword = keyword.lower()
            binds = name is not None and keyword in _QUANTIFIERS
            listed, _, last = inner.partition(";") if binds else (inner, "", "")
            arguments, body = _arguments(listed), _arguments(last)
            if arguments is None or body is None or (binds and len(body) != 1):
                raise self._argument_error(match.start(3), inner, binds=binds)
            yield _Statement(
                start, name, keyword, arguments, match.start(3), body[0] if binds else None
            )
            at = match.end()

    def _syntax_error(self, at: int) -> InputError:
        """The error in the statement at ``at``, found token by token."""
        expected = f"a statement ({_STATEMENTS})"
        pattern = re.compile(rf"\s*({NAME}|[-(),;=])")

        def step() -> tuple[str, int]:
            nonlocal at
            match = pattern.match(self.code, at)
            if match is None:
                return "", at + len(self.code[at:]) - len(self.code[at:].lstrip())
            at = match.end()
            return match.group(1), match.start(1)

        def error(token: str, where: int, wanted: str) -> InputError:
            if not token:
                return self.source.end_error(wanted)
            return self.source.error(where, quoted(token), wanted)

        token, where = step()
        if not BARE_NAME.fullmatch(token):
            return error(token, where, expected)
        first = token
        token, where = step()
        if token == "=":
            token, where = step()
            if not re.fullmatch(r"[A-Za-z]+", token):
                return error(token, where, "and, or, xor or ite")
            token, where = step()
            if token != "(":
                return error(token, where, "'('")
        elif token != "(":
            wanted = "'('" if first.lower() in _QUANTIFIERS else "'=' or '('"
            return error(token, where, wanted)
        elif not re.fullmatch(r"[A-Za-z]+", first):
            return self.source.error(where - len(first), quoted(first), expected)
        while token:
            token, where = step()
            if token and token in "(=":
                break
        return error(token, where, "')'")

    def _argument_error(self, at: int, inner: str, *, binds: bool) -> InputError:
        """The first item of an argument list that is no literal, or a separator out of place.

        A quantifier gate (``binds``) has a semicolon before its last argument.
        """
        start, behind = at, False
        for item in _SEPARATOR.split(inner):
            end = start + len(item)
            literal, sign = item.strip(), self.code[end]
            nothing = binds and not literal and start == at and sign == ";"
            if not _LITERAL.fullmatch(literal) and not nothing:
                where = start + len(item) - len(item.lstrip())
                found = quoted(literal or self.code[where])
                return self.source.error(where, found, "a variable or '-' and a variable")
            if sign == ";" and not binds:
                return self.source.error(end, "';'", "',' or ')'")
            if behind and sign != ")":
                return self.source.error(end, quoted(sign), "')'")
            behind = behind or sign == ";"
            start = end + 1
        return self.source.error(at + len(inner), "')'", "';' and the literal that is quantified")

    # -- Statements

    def _checked(self, statements: Iterable[_Statement], seen: set[str]) -> Iterator[_Statement]:
        """Statements that are right by themselves, and behind those of the kinds in ``seen``."""
        for s in statements:
            if s.name is not None:
                if s.keyword not in _CONNECTIVES and s.body is None:
                    found = f"the connective {quoted(s.keyword)}"
                    where = self._keyword_at(s)
                    raise self.source.error(where, found, "and, or, xor or ite")
                seen.add(GATE)
            elif s.keyword in _QUANTIFIERS or s.keyword == FREE:
                if GATE in seen:
                    found = f"{quoted(s.keyword)} behind a gate"
                    raise self.source.error(s.start, found, "the prefix before all gates")
                if s.keyword == FREE and not seen.isdisjoint(_QUANTIFIERS):
                    expected = "free variables before all quantifiers"
                    raise self.source.error(s.start, "'free' behind a quantifier", expected)
                for index, name in enumerate(s.arguments):
                    if name.startswith("-"):
                        where = self._argument_at(s, index)
                        raise self.source.error(where, quoted(name), "a variable")
                seen.add(s.keyword)
            elif s.keyword == OUTPUT:
                if OUTPUT in seen:
                    raise self.source.error(s.start, "a second output", "one output")
                if len(s.arguments) != 1:
                    found = f"an output of {counted(len(s.arguments), 'literal')}"
                    raise self.source.error(s.start, found, "an output of 1 literal")
                seen.add(OUTPUT)
            else:
                raise self.source.error(s.start, quoted(s.keyword), _STATEMENTS)
            yield s

    def _sort(
        self, statements: list[_Statement]
    ) -> tuple[list[_Statement], list[_Statement], _Statement]:
        gates = [s for s in statements if s.name is not None]
        others = [s for s in statements if s.name is None]
        output = next((s for s in others if s.keyword == OUTPUT), None)
        if output is None:
            raise self.source.end_error("a statement 'output(literal)'")
        return [s for s in others if s is not output], gates, output

    def _keyword_at(self, s: _Statement) -> int:
        return self.code.index("=", s.start) + 1 + self._blanks(self.code.index("=", s.start) + 1)

    def _blanks(self, at: int) -> int:
        match = re.compile(r"\s*").match(self.code, at)
        return match.end() - at if match else 0

    def _argument_at(self, s: _Statement, index: int) -> int:
        at = s.arguments_at
        for separator in islice(_SEPARATOR.finditer(self.code, at), index):
            at = separator.end()
        at += self._blanks(at)
        return at

    def _number(self, statements: list[_Statement]) -> None:
        order: dict[str, None] = {}
        for s in statements:
            if s.name is not None:
                order[s.name] = None
            for literal in s.literals:
                order[literal.removeprefix("-")] = None
        limit = largest_kept(len(order))
        largest = 0
        fresh: list[str] = []
        for name in order:
            if _NUMBER.fullmatch(name) and int(name) <= limit:
                self.numbers[name] = int(name)
                largest = max(largest, int(name))
            else:
                fresh.append(name)
        self.numbers.update((name, largest + k) for k, name in enumerate(fresh, start=1))

    def _check_prefix(self, prefix: list[_Statement]) -> dict[str, _Statement]:
        quantified: dict[str, _Statement] = {}
        for s in prefix:
            for index, name in enumerate(s.arguments):
                if name in quantified:
                    where = self._argument_at(s, index)
                    line = self.source.line_of(quantified[name].start)
                    found = f"variable {quoted(name)} again (it is in line {line})"
                    raise self.source.error(where, found, "each variable once in the prefix")
                quantified[name] = s
        return quantified

    def _gates(
        self, gates: list[_Statement], quantified: dict[str, _Statement]
    ) -> dict[int, AnyGate]:
        numbers = self.numbers
        defined: dict[str, _Statement] = {}
        for s in gates:
            name = s.name or ""
            if name in defined or name in quantified:
                other = defined.get(name) or quantified[name]
                what = "gate" if name in defined else "variable"
                line = self.source.line_of(other.start)
                found = f"a definition of {quoted(name)}, which is a {what} of line {line}"
                raise self.source.error(s.start, found, "each gate defined once")
            defined[name] = s
        known = {*quantified, *defined, *self._check_bindings(gates, defined)}
        result: dict[int, AnyGate] = {}
        for s in gates:
            if s.body is not None:
                result[numbers[s.name or ""]] = self._quantifier_gate(s, known)
                continue
            connective = _CONNECTIVES[s.keyword]
            arity = _ARITY.get(connective)
            if arity is not None and len(s.arguments) != arity:
                found = f"{s.keyword} of {counted(len(s.arguments), 'literal')}"
                raise self.source.error(self._keyword_at(s), found, f"{arity}")
            inputs: list[int] = []
            for index, literal in enumerate(s.arguments):
                negative = literal[0] == "-"
                name = literal[1:] if negative else literal
                if name not in known:
                    raise self._undefined(s, index, name)
                inputs.append(-numbers[name] if negative else numbers[name])
            result[numbers[s.name or ""]] = Gate(connective, tuple(inputs))
        return result

    def _check_bindings(
        self, gates: list[_Statement], defined: Mapping[str, _Statement]
    ) -> set[str]:
        """The variables that quantifier gates bind."""
        bound: set[str] = set()
        for s in gates:
            names = s.arguments if s.body is not None else ()
            for index, name in enumerate(names):
                if name.startswith("-"):
                    raise self.source.error(self._argument_at(s, index), quoted(name), "a variable")
                if name in defined or name in s.arguments[:index]:
                    found = f"{'the gate ' if name in defined else ''}{quoted(name)}"
                    again = "" if name in defined else " again"
                    expected = "variables that are no gates, each once"
                    raise self.source.error(self._argument_at(s, index), found + again, expected)
                bound.add(name)
        return bound

    def _quantifier_gate(self, s: _Statement, known: Collection[str]) -> QuantifierGate:
        from qsage_validate.circuit.rewriting import QuantifierGate

        body = s.body or ""
        name = body.removeprefix("-")
        if name not in known:
            raise self._undefined(s, len(s.arguments), name)
        variables = tuple(self.numbers[v] for v in s.arguments)
        literal = self.numbers[name] * (-1 if body.startswith("-") else 1)
        return QuantifierGate(_QUANTIFIERS[s.keyword], variables, literal)

    def _unbound(
        self, error: UnboundError, gates: list[_Statement], output: _Statement
    ) -> InputError:
        s = output if error.gate is None else self._statement_of(error.gate, gates)
        read = [self.numbers[x.removeprefix("-")] for x in s.literals]
        # A quantifier gate reads its last literal alone.
        index = len(read) - 1 if s.body is not None else read.index(error.variable)
        found = f"{quoted(s.literals[index].removeprefix('-'))}, which nothing quantifies here"
        return self.source.error(self._argument_at(s, index), found, "a quantified variable")

    def _too_many(self, gate: int, gates: list[_Statement]) -> InputError:
        from qsage_validate.circuit.rewriting import MAX_COPIES

        s = self._statement_of(gate, gates)
        found = f"gate {quoted(s.name or '')}, where copies have become more than {MAX_COPIES:,}"
        expected = "fewer quantifier gates inside others that are used in both polarities"
        return self.source.error(s.start, found, expected)

    def _statement_of(self, gate: int, gates: list[_Statement]) -> _Statement:
        return next(s for s in gates if self.numbers[s.name or ""] == gate)

    def _undefined(self, s: _Statement, index: int, name: str) -> InputError:
        found = f"{quoted(name)}, which is neither quantified nor a gate"
        expected = "a variable of the prefix or a gate"
        return self.source.error(self._argument_at(s, index), found, expected)

    def _output(
        self, output: _Statement, quantified: Collection[str], gates: Mapping[int, AnyGate]
    ) -> int:
        literal = output.arguments[0]
        name = literal.removeprefix("-")
        number = self.numbers[name]
        if name not in quantified and number not in gates:
            raise self._undefined(output, 0, name)
        return -number if literal.startswith("-") else number

    # -- Order

    def _topological(
        self, gates: dict[int, AnyGate], statements: list[_Statement]
    ) -> dict[int, AnyGate]:
        """``gates`` with every gate behind its inputs, otherwise in the order of the file."""
        done: set[int] = set()
        for variable, gate in gates.items():
            if any(abs(x) in gates and abs(x) not in done for x in gate.inputs):
                break
            done.add(variable)
        else:
            return gates
        ordered: dict[int, AnyGate] = {}
        path: dict[int, Iterator[int]] = {}
        for root, first in gates.items():
            if root not in ordered:
                path[root] = iter(first.inputs)
            while path:
                variable, inputs = next(reversed(path.items()))
                below = next((v for v in map(abs, inputs) if v in gates and v not in ordered), None)
                if below is None:
                    del path[variable]
                    ordered[variable] = gates[variable]
                elif below in path:
                    raise self._cycle(self._statement_of(below, statements))
                else:
                    path[below] = iter(gates[below].inputs)
        return ordered

    def _cycle(self, s: _Statement) -> InputError:
        found = f"gate {quoted(s.name or '')}, which depends on itself"
        return self.source.error(s.start, found, "gates without a cycle")


def _split_comments(text: str) -> tuple[tuple[tuple[int, str], ...], str]:
    """The comments as ``(line, text)``, and the text with blanks in their place."""
    comments: list[tuple[int, str]] = []
    pieces: list[str] = []
    line, counted, at = 1, 0, 0
    for match in _COMMENT.finditer(text):
        start, end = match.span()
        line += text.count("\n", counted, start)
        counted = start
        if is_comment(line, match.group(1)):
            comments.append((line, match.group(1).rstrip()))
        pieces += (text[at:start], " " * (end - start))
        at = end
    pieces.append(text[at:])
    return tuple(comments), "".join(pieces)


def _arguments(inner: str) -> list[str] | None:
    """The literals of a list, without blanks; ``None`` when an item is no literal."""
    if not inner.strip():
        return []
    items = inner.split(",")
    result: list[str] = []
    for item in items:
        literal = item.strip()
        if not _LITERAL.fullmatch(literal):
            return None
        if literal[0] == "-":
            literal = "-" + literal[1:].lstrip()
        result.append(literal)
    return result
