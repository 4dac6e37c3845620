"""Reads formulas as people write them: ``v % 4 != 0 and not (v1 = v2 or v1 < 3)``.

Connectives are ``and or not`` (also ``& | ! ~ && ||``), relations ``= == != < <= > >=``,
expressions have ``+ -`` and products with a number; ``E % m`` is compared with a number, or with
another remainder of the same modulus.  Variables may be written with a question mark.  The reader
reads the ``str`` of a formula as the same formula.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, NoReturn

from qsage_validate.extensions.impartial.formula import (
    FALSE,
    TRUE,
    ZERO,
    Congruence,
    ImpartialComparison,
    ImpartialFormula,
    Linear,
    compare,
    conjunction,
    disjunction,
    negation,
)
from qsage_validate.extensions.impartial.parser import MAX_NUMBER
from qsage_validate.formats.sexpr import MAX_DEPTH
from qsage_validate.formats.source import Source, quoted

MAX_MODULUS: Final = 10_000
"""The largest modulus in ``E % m < r`` and the like, which become one congruence a residue."""

_TOKEN = re.compile(
    r"(?P<blank>\s+)|(?P<number>[0-9]+)|(?P<name>\??[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<sign>==|!=|<=|>=|&&|\|\||[=<>+\-*%()!~&|])"
)
_AND, _OR, _NOT = ("and", "&", "&&"), ("or", "|", "||"), ("not", "!", "~")
_RELATIONS = {"=": "=", "==": "=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    offset: int
    kind: str


def parse_formula(
    text: str, variables: Collection[str], file: str | None = None
) -> ImpartialFormula:
    """The formula in ``text`` over ``variables``; ``file`` names it in messages.

    Raises :class:`~qsage_validate.errors.InputError` at the first thing that is not understood.
    """
    return _Parser(Source(text, file), variables).whole_formula()


def parse_expression(text: str, variables: Collection[str], file: str | None = None) -> Linear:
    """The expression in ``text``; errors as in :func:`parse_formula`."""
    return _Parser(Source(text, file), variables).whole_expression()


@dataclass(frozen=True, slots=True)
class _Remainder:
    """``expression % modulus``."""

    expression: Linear
    modulus: int


class _Parser:
    def __init__(self, source: Source, variables: Collection[str]) -> None:
        self.source = source
        self.variables = frozenset(variables)
        source.check_not_empty("a formula")
        self.tokens = self._scan()
        self.at = 0
        self.depth = 0

    def _scan(self) -> list[_Token]:
        tokens, offset, text = [], 0, self.source.text
        while offset < len(text):
            match = _TOKEN.match(text, offset)
            if match is None:
                raise self.source.error(offset, quoted(text[offset]), "a formula")
            if match.lastgroup != "blank":
                tokens.append(_Token(match.group(), offset, str(match.lastgroup)))
            offset = match.end()
        return [*tokens, _Token("", len(text), "end")]

    @property
    def now(self) -> _Token:
        return self.tokens[self.at]

    def fail(self, expected: str, token: _Token | None = None) -> NoReturn:
        token = token or self.now
        found = "the end of the formula" if token.kind == "end" else quoted(token.text)
        raise self.source.error(token.offset, found, expected)

    def takes(self, *texts: str) -> bool:
        if self.now.text in texts:
            self.at += 1
            return True
        return False

    def whole_formula(self) -> ImpartialFormula:
        formula = self.disjunction()
        if self.now.kind != "end":
            self.fail("and, or or the end of the formula")
        return formula

    def whole_expression(self) -> Linear:
        expression = self.linear(self.side())
        if self.now.kind != "end":
            self.fail("+, - or the end of the expression")
        return expression

    def disjunction(self) -> ImpartialFormula:
        parts = [self.conjunction()]
        while self.takes(*_OR):
            parts.append(self.conjunction())
        return disjunction(parts) if len(parts) > 1 else parts[0]

    def conjunction(self) -> ImpartialFormula:
        parts = [self.literal()]
        while self.takes(*_AND):
            parts.append(self.literal())
        return conjunction(parts) if len(parts) > 1 else parts[0]

    def literal(self) -> ImpartialFormula:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.fail(f"at most {MAX_DEPTH} nested parentheses")
        try:
            if self.takes(*_NOT):
                return negation(self.literal())
            if self.now.text in ("true", "false") and self.now.text not in self.variables:
                return TRUE if self.tokens[self._step()].text == "true" else FALSE
            if self.now.text == "(" and self._parenthesis_holds_formula():
                self.at += 1
                inner = self.disjunction()
                if not self.takes(")"):
                    self.fail("and, or or ')'")
                return inner
            return self.relation()
        finally:
            self.depth -= 1

    def _step(self) -> int:
        self.at += 1
        return self.at - 1

    def _parenthesis_holds_formula(self) -> bool:
        """True if the parenthesis at hand contains a relation, a connective or a truth value."""
        depth = 0
        logical = (*_RELATIONS, *_AND, *_OR, *_NOT, "true", "false")
        for token in self.tokens[self.at :]:
            depth += (token.text == "(") - (token.text == ")")
            if token.text in logical:
                return True
            if not depth:
                break
        return False

    def relation(self) -> ImpartialFormula:
        left = self.side()
        sign = self.now
        relation = _RELATIONS.get(sign.text)
        if relation is None:
            self.fail("=, !=, <, <=, > or >=")
        self.at += 1
        right = self.side()
        if isinstance(left, Linear) and isinstance(right, Linear):
            return ImpartialComparison(relation, left, right)
        return self.remainders(left, relation, right, sign)

    def remainders(
        self, left: _Remainder | Linear, relation: str, right: _Remainder | Linear, sign: _Token
    ) -> ImpartialFormula:
        equal = relation == "="
        if isinstance(left, _Remainder) and isinstance(right, _Remainder):
            if left.modulus != right.modulus or relation not in ("=", "!="):
                self.fail("= or != between remainders of one modulus", sign)
            return Congruence(left.expression - right.expression, left.modulus, ZERO, equal)
        if isinstance(left, Linear):
            flipped = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
            return self.remainders(right, flipped.get(relation, relation), left, sign)
        assert isinstance(right, Linear)
        if not right.is_constant:
            self.fail("a remainder compared with a number or a remainder", sign)
        modulus, number = left.modulus, right.constant
        if relation in ("=", "!="):
            if not 0 <= number < modulus:
                return FALSE if equal else TRUE
            return Congruence(left.expression, modulus, Linear((), number), equal)
        if modulus > MAX_MODULUS:
            self.fail(f"a modulus of at most {MAX_MODULUS} with {relation}", sign)
        return disjunction(
            Congruence(left.expression, modulus, Linear((), residue))
            for residue in range(modulus)
            if compare(relation, residue - number)
        )

    def side(self) -> _Remainder | Linear:
        total = self.term()
        while self.now.text in ("+", "-"):
            sign = self.now
            self.at += 1
            other = self.term()
            if isinstance(total, _Remainder) or isinstance(other, _Remainder):
                self.fail("a remainder that stands alone on its side", sign)
            total = total + other if sign.text == "+" else total - other
        return total

    def linear(self, side: _Remainder | Linear) -> Linear:
        if isinstance(side, _Remainder):
            self.fail("an expression without remainders", self.tokens[self.at - 1])
        return side

    def term(self) -> _Remainder | Linear:
        product: _Remainder | Linear = self.factor()
        while self.now.text in ("*", "%"):
            sign = self.now
            self.at += 1
            other = self.factor()
            if sign.text == "%":
                if isinstance(product, _Remainder) or not other.is_constant:
                    self.fail("a number as modulus (anything else is not linear)", sign)
                if other.constant < 1:
                    found = "division by zero" if not other.constant else "a negative modulus"
                    raise self.source.error(sign.offset, found, "a positive modulus")
                product = _Remainder(product, other.constant)
                continue
            if isinstance(product, _Remainder) or not (product.is_constant or other.is_constant):
                self.fail("a linear term (a product with a number)", sign)
            if product.is_constant:
                product = other.scaled(product.constant)
            else:
                product = product.scaled(other.constant)
        return product

    def factor(self) -> Linear:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.fail(f"at most {MAX_DEPTH} nested parentheses")
        try:
            return self._factor()
        finally:
            self.depth -= 1

    def _factor(self) -> Linear:
        token = self.now
        self.at += token.kind != "end"
        if token.text == "-":
            return -self.factor()
        if token.text == "(":
            inner = self.linear(self.side())
            if not self.takes(")"):
                self.fail("+, - or ')'")
            return inner
        if token.kind == "number":
            if len(token.text.lstrip("0")) > len(str(MAX_NUMBER)):
                self.fail(f"a number of at most {MAX_NUMBER}", token)
            return Linear((), int(token.text))
        known = ", ".join(sorted(self.variables))
        if token.kind != "name" or token.text in (*_AND, *_OR, *_NOT):
            self.fail(f"a number or a variable ({known})", token)
        name = token.text.removeprefix("?")
        if name not in self.variables:
            raise self.source.error(
                token.offset, f"the undeclared variable {token.text}", f"one of {known}"
            )
        return Linear.variable(name)
