"""Games and formulas as text: the language of descriptions, and infix formulas.

``(define (domain N) (:objects ?v ..) (:tercondition F) (:constraint F) (:action A
:parameters (?k ..) :precondition F :effect E) ..)``; formulas are made of ``and or not = != < <=
> >= (%= e m r)``, expressions of numbers, variables, ``+ -`` and products with a number, effects
of ``assign``, ``and`` and ``when``.  ``;`` begins a comment.

Connectives are ``and or not`` (also ``& | ! ~ && ||``), relations ``= == != < <= > >=``,
expressions have ``+ -`` and products with a number; ``E % m`` is compared with a number, or with
another remainder of the same modulus.  Variables may be written with a question mark.  The reader
reads the ``str`` of a formula as the same formula.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final, NoReturn

from qsage_validate.extensions.impartial.model import (
    FALSE,
    TRUE,
    ZERO,
    Condition,
    Congruence,
    ImpartialAction,
    ImpartialComparison,
    ImpartialEffect,
    ImpartialFormula,
    ImpartialGame,
    Linear,
    compare,
    conjunction,
    disjunction,
    negation,
)
from qsage_validate.formats.sexpr import MAX_DEPTH, List, Node, SourceWord
from qsage_validate.formats.source import SEMICOLON, Path, Place, Source, quoted
from qsage_validate.system.reading import reading

# Reads impartial games in the published dialect: a small language like PDDL


MAX_NUMBER: Final = 999_999
"""The largest number in a file; larger ones are a mistake, and would be slow to compute with."""

_TOKEN = re.compile(r"\s+|;[^\n]*|[()]|[^\s();]+")
_NUMBER = re.compile(r"[+-]?[0-9]+")
_NAME = re.compile(r"\?[A-Za-z_][A-Za-z0-9_]*")
# Words of formulas as people write them, and of SMT-LIB: a variable of that name would be read
# as something else in an answer or a proof.
_RESERVED = frozenset(
    [
        *(
            "and",
            "or",
            "not",
            "true",
            "false",
            "_",
            "as",
            "let",
            "par",
            "exists",
            "forall",
            "match",
        ),
        *("abs", "div", "mod", "distinct", "ite", "xor", "implies", "select", "store", "assert"),
        *("Int", "Bool", "Real"),
    ]
)
_START = re.compile(r"\s*(?:;[^\n]*\n\s*)*\(\s*define\s*\(\s*domain\b")
_RELATIONS = ("=", "!=", "<", "<=", ">", ">=")


def is_impartial(text: str) -> bool:
    """True if ``text`` begins like a game of this language."""
    return _START.match(text) is not None


@reading()
def read_game(path: Path) -> ImpartialGame:
    """The game in the file ``path`` (``-`` is standard input).

    Raises :class:`~qsage_validate.errors.InputError` at the first thing that is not understood.
    """
    return _Reader(Source.open(path, SEMICOLON)).game()


def parse_game(text: str, file: str | None = None) -> ImpartialGame:
    """The game in ``text``; ``file`` names it in messages.  Errors as in :func:`read_game`."""
    return _Reader(Source(text, file)).game()


class _Reader:
    """One pass for the parentheses, one for the meaning."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.state: tuple[str, ...] = ()
        self.names: frozenset[str] = frozenset()

    # -- parentheses ------------------------------------------------------------------------

    def tree(self) -> List:
        expected = "a game: (define (domain ..."
        self.source.check_not_empty(expected)
        text, stack, starts = self.source.text, list[list[Node]](), list[int]()
        done: List | None = None
        for match in _TOKEN.finditer(text):
            word, offset = match.group(), match.start()
            if word[0].isspace() or word[0] == ";":
                continue
            if done is not None:
                raise self.source.error(offset, quoted(word), "nothing after the game's last ')'")
            if word == "(":
                if len(stack) >= MAX_DEPTH:
                    raise self.source.error(
                        offset, f"more than {MAX_DEPTH} nested parentheses", "a flatter formula"
                    )
                stack.append([])
                starts.append(offset)
            elif not stack:
                raise self.source.error(offset, quoted(word), "'(define (domain ...'")
            elif word == ")":
                node = List(tuple(stack.pop()), starts.pop(), offset)
                if stack:
                    stack[-1].append(node)
                else:
                    done = node
            else:
                stack[-1].append(SourceWord(word, offset))
        if done is None:
            if not starts:
                raise self.source.end_error(expected)
            line, column = self.source.position(starts[-1])
            raise self.source.end_error(f"')' for the '(' in line {line}, column {column}")
        return done

    def fail(self, node: Node, expected: str) -> NoReturn:
        raise self.source.error(node.offset, _shown(node), expected)

    def missing(self, inside: List, expected: str) -> NoReturn:
        raise self.source.error(inside.end, "')'", expected)

    def head(self, node: Node, expected: str) -> str:
        """The first word of a list, in lower case."""
        if not isinstance(node, List):
            self.fail(node, expected)
        if not node.items:
            self.missing(node, expected)
        first = node.items[0]
        if not isinstance(first, SourceWord):
            self.fail(first, expected)
        return first.text.lower()

    # -- the game ---------------------------------------------------------------------------

    def game(self) -> ImpartialGame:
        tree = self.tree()
        if self.head(tree, "define") != "define":
            self.fail(tree.items[0], "define")
        if len(tree.items) < 2:
            self.missing(tree, "(domain NAME)")
        domain = tree.items[1]
        if self.head(domain, "(domain NAME)") != "domain":
            self.fail(domain, "(domain NAME)")
        assert isinstance(domain, List)
        name = " ".join(_plain(item) for item in domain.items[1:])
        if not name:
            self.missing(domain, "the game's name")
        constraint: ImpartialFormula | None = None
        ending: ImpartialFormula | None = None
        actions: list[ImpartialAction] = []
        for section in tree.items[2:]:
            expected = "(:objects, (:tercondition, (:constraint or (:action"
            keyword = self.head(section, expected)
            assert isinstance(section, List)
            if keyword != ":objects" and not self.state:
                self.fail(section, "(:objects ?v ...) first")
            match keyword:
                case ":objects":
                    if self.state:
                        self.fail(section, "one section :objects only")
                    self.state = self.declared(section.items[1:])
                    if not self.state:
                        self.missing(section, "a state variable ?v")
                    self.names = frozenset(self.state)
                case ":tercondition":
                    if ending is not None:
                        self.fail(section, "one section :tercondition only")
                    ending = self.formula(self.only(section, "a formula"))
                case ":constraint":
                    if constraint is not None:
                        self.fail(section, "one section :constraint only")
                    constraint = self.formula(self.only(section, "a formula"))
                case ":action":
                    actions.append(self.action(section, {a.name for a in actions}))
                case _:
                    self.fail(section.items[0], expected.replace("(", ""))
        if ending is None:
            self.missing(tree, "(:tercondition F)")
        if constraint is None:
            self.missing(tree, "(:constraint F)")
        if not actions:
            self.missing(tree, "(:action ...")
        return ImpartialGame(name, self.state, tuple(actions), constraint, ending, self.source.path)

    def only(self, section: List, expected: str) -> Node:
        if len(section.items) < 2:
            self.missing(section, expected)
        if len(section.items) > 2:
            self.fail(section.items[2], f"')': {_shown(section.items[0])} has one part")
        return section.items[1]

    def declared(self, items: tuple[Node, ...]) -> tuple[str, ...]:
        names: list[str] = []
        for item in items:
            if not isinstance(item, SourceWord) or not _NAME.fullmatch(item.text):
                self.fail(item, "a variable such as ?v1 (letters, digits, underscores)")
            name = item.text[1:]
            if name in _RESERVED:
                self.fail(item, "a variable that is no word of formulas or of SMT-LIB")
            if name in names or name in self.state:
                self.fail(item, "each variable to be declared once")
            names.append(name)
        return tuple(names)

    def action(self, section: List, taken: set[str]) -> ImpartialAction:
        if len(section.items) < 2:
            self.missing(section, "the action's name")
        name = section.items[1]
        if not isinstance(name, SourceWord) or name.text.startswith((":", "?")):
            self.fail(name, "the action's name")
        unique, count = name.text, 2
        while unique in taken:  # some published files name two actions alike
            unique, count = f"{name.text}_{count}", count + 1
        parts: dict[str, Node] = {}
        items = section.items[2:]
        keys = (":parameters", ":precondition", ":effect")
        for key, value in zip(items[::2], items[1::2], strict=False):
            word = key.text.lower() if isinstance(key, SourceWord) else ""
            if word not in keys or word in parts:
                left = " or ".join(k for k in keys if k not in parts)
                self.fail(key, left or f"')' at the end of action {name.text}")
            parts[word] = value
        if len(items) % 2:
            self.missing(section, f"what belongs to {_shown(items[-1])}")
        for key_name in keys[1:]:
            if key_name not in parts:
                self.missing(section, f"{key_name} of action {name.text}")
        parameters = parts.get(":parameters")
        declared: tuple[str, ...] = ()
        if parameters is not None:
            if not isinstance(parameters, List):
                self.fail(parameters, "(?k ...)")
            declared = self.declared(parameters.items)
        self.names = frozenset(self.state + declared)
        place = self.place(name)
        precondition = self.formula(parts[":precondition"])
        conditions = tuple(self.conditions(parts[":precondition"]))
        effects = tuple(self.effects(parts[":effect"], TRUE))
        self.names = frozenset(self.state)
        return ImpartialAction(unique, declared, precondition, effects, place, conditions)

    def place(self, node: Node) -> Place:
        return Place(self.source.path, *self.source.position(node.offset))

    def conditions(self, node: Node) -> Iterator[Condition]:
        """The conjuncts of a precondition that was read without an error."""
        assert isinstance(node, List)
        if self.head(node, "") == "and":
            for item in node.items[1:]:
                yield from self.conditions(item)
        else:
            yield Condition(self.formula(node), _plain(node), self.place(node))

    def effects(self, node: Node, condition: ImpartialFormula) -> list[ImpartialEffect]:
        expected = "(assign ?v E), (when F EFFECT) or (and EFFECT ...)"
        keyword = self.head(node, expected)
        assert isinstance(node, List)
        rest = node.items[1:]
        if keyword == "and":
            return [effect for item in rest for effect in self.effects(item, condition)]
        if keyword not in ("assign", "when"):
            self.fail(node.items[0], "assign, when or and")
        if len(rest) < 2:
            self.missing(node, expected)
        if len(rest) > 2:
            self.fail(rest[2], f"')': {keyword} has two parts")
        if keyword == "when":
            return self.effects(rest[1], conjunction((condition, self.formula(rest[0]))))
        target = rest[0]
        name = target.text[1:] if isinstance(target, SourceWord) and target.text[0] == "?" else None
        if name is None or name not in self.state:
            self.fail(target, f"a state variable to assign to ({self.known(self.state)})")
        return [ImpartialEffect(name, self.expression(rest[1]), condition)]

    # -- formulas and expressions -----------------------------------------------------------

    def known(self, names: tuple[str, ...] | frozenset[str]) -> str:
        return ", ".join(f"?{name}" for name in sorted(names))

    def formula(self, node: Node) -> ImpartialFormula:
        expected = "a formula: and, or, not, =, !=, <, <=, >, >= or %="
        keyword = self.head(node, expected)
        assert isinstance(node, List)
        rest = node.items[1:]
        if keyword in ("and", "or"):
            join = conjunction if keyword == "and" else disjunction
            return join([self.formula(item) for item in rest])
        if keyword == "not":
            return negation(self.formula(self.only(node, "a formula")))
        if keyword == "%=":
            return self.congruence(node, rest)
        if keyword not in _RELATIONS:
            self.fail(node.items[0], expected)
        self.two(node, rest, f"two sides of {keyword}")
        return ImpartialComparison(keyword, self.expression(rest[0]), self.expression(rest[1]))

    def congruence(self, node: List, rest: tuple[Node, ...]) -> ImpartialFormula:
        if len(rest) < 3:
            self.missing(node, "(%= EXPRESSION MODULUS RESIDUE)")
        if len(rest) > 3:
            self.fail(rest[3], "')': %= has three parts")
        modulus = self.expression(rest[1])
        if not modulus.is_constant:
            self.fail(rest[1], "a number as modulus (anything else is not linear)")
        if modulus.constant < 1:
            found = "division by zero" if modulus.constant == 0 else _shown(rest[1])
            raise self.source.error(rest[1].offset, found, "a positive modulus")
        return Congruence(self.expression(rest[0]), modulus.constant, self.expression(rest[2]))

    def two(self, node: List, rest: tuple[Node, ...], expected: str) -> None:
        if len(rest) < 2:
            self.missing(node, expected)
        if len(rest) > 2:
            self.fail(rest[2], f"')': {expected}, no more")

    def expression(self, node: Node) -> Linear:
        if isinstance(node, SourceWord):
            return self.operand(node)
        keyword = self.head(node, "+, - or *")
        rest = node.items[1:]
        if keyword in ("/", "div", "mod", "%"):
            self.fail(node.items[0], "+, - or * (remainders are tested by %=)")
        if keyword not in ("+", "-", "*"):
            self.fail(node.items[0], "+, - or *")
        if keyword == "-" and len(rest) == 1:
            return -self.expression(rest[0])
        self.two(node, rest, f"two sides of {keyword}")
        left, right = self.expression(rest[0]), self.expression(rest[1])
        if keyword == "+":
            return left + right
        if keyword == "-":
            return left - right
        if not (left.is_constant or right.is_constant):
            self.fail(node, "a linear term (a product with a number)")
        return right.scaled(left.constant) if left.is_constant else left.scaled(right.constant)

    def operand(self, word: SourceWord) -> Linear:
        if _NUMBER.fullmatch(word.text):
            number = int(word.text) if len(word.text) < 20 else MAX_NUMBER + 1
            if abs(number) > MAX_NUMBER:
                self.fail(word, f"a number of at most {MAX_NUMBER}")
            return Linear((), number)
        if not _NAME.fullmatch(word.text):
            self.fail(word, f"a number or a variable ({self.known(self.names)})")
        name = word.text[1:]
        if name not in self.names:
            raise self.source.error(
                word.offset,
                f"the undeclared variable {word.text}",
                f"one of {self.known(self.names)}",
            )
        return Linear.variable(name)


def _shown(node: Node) -> str:
    if isinstance(node, SourceWord):
        return quoted(node.text)
    return quoted(_plain(node))


def _plain(node: Node) -> str:
    if isinstance(node, SourceWord):
        return node.text
    return f"({' '.join(map(_plain, node.items))})"


# Reads formulas as people write them: ``v % 4 != 0 and not (v1 = v2 or v1 < 3)``


MAX_MODULUS: Final = 10_000
"""The largest modulus in ``E % m < r`` and the like, which become one congruence a residue."""

_INFIX_TOKEN = re.compile(
    r"(?P<blank>\s+)|(?P<number>[0-9]+)|(?P<name>\??[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<sign>==|!=|<=|>=|&&|\|\||[=<>+\-*%()!~&|])"
)
_AND, _OR, _NOT = ("and", "&", "&&"), ("or", "|", "||"), ("not", "!", "~")
_SIGNS = {"=": "=", "==": "=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


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
            match = _INFIX_TOKEN.match(text, offset)
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
        logical = (*_SIGNS, *_AND, *_OR, *_NOT, "true", "false")
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
        relation = _SIGNS.get(sign.text)
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
