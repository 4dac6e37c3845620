"""Descriptions in GDL: parsed, unfolded and split into what a search can use.

``(<= (goal ?r 0) (role ?r) (not (goal ?r 100)))`` makes the relation ``goal`` depend on its own
negation, but no fact depends on its own.  The goals of 100 become a relation ``goal_100`` as
well, and bodies that ask for ``(goal ?r 100)`` ask for that: the facts of ``goal`` stay the same.

Two habits of published descriptions break the letter of the specification (every variable of a head
in a positive relation of the body) and mean one thing only.  A role may be left open in the head of
``legal``, ``goal`` or ``input``: it stands for each role.  A relation may be defined by comparisons
alone, ``(<= (apart ?x ?y) (distinct ?x ?y))``, and be called with bound arguments: such a relation
is unfolded where it is called.

Keywords and names are the same in upper and lower case, as GDL wants it: every name is kept
as it is first written.  Positions are kept, so that each error reads ``file:line:column``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, NoReturn

from qsage_validate.extensions.gdl.model import (
    KEYWORDS,
    Atom,
    Clause,
    Dependencies,
    Description,
    Distinct,
    Formula,
    GdlAnd,
    GdlNot,
    GdlOr,
    GdlRule,
    Ground,
    Key,
    Term,
    Variable,
    term_text,
    variables,
)
from qsage_validate.formats.sexpr import List, Node, SourceWord, node_text, read_nodes
from qsage_validate.formats.source import SEMICOLON, Path, Source, quoted

# Relations split by a constant, where a description is stratified only then


def split_by_constants(description: Description) -> Description:
    """The description with relations split, if that makes it stratified; else as it is.

    Raises ``InputError`` for a rule that stands for too many clauses.
    """
    found, done = description, set[tuple[Key, int]]()
    while True:
        negation = _own_negation(found)
        if negation is None:
            return found
        place = _place(found, negation)
        if place is None or (negation.key, place) in done:
            return description
        done.add((negation.key, place))
        found = _Split(found, negation.key, place).description()


def _own_negation(description: Description) -> Atom | None:
    """A negated atom whose relation depends on the rule's own relation."""
    component_of = Dependencies(description.clauses).component_of
    for clause in description.clauses:
        component = component_of[clause.head.key]
        for literal in clause.body:
            atom = literal.atom
            if not literal.positive and isinstance(atom, Atom) and atom.key in component:
                return atom
    return None


def _place(description: Description, negation: Atom) -> int | None:
    """The place of an argument that is ground in the negation and in all heads of its relation."""
    heads = [rule.head for rule in description.rules if rule.head.key == negation.key]
    for place, term in enumerate(negation.arguments):
        if _is_ground(term) and all(_is_ground(head.arguments[place]) for head in heads):
            return place
    return None


def _is_ground(term: Term) -> bool:
    return next(variables([term]), None) is None


def _of(clause: Clause) -> Iterator[str]:
    yield clause.head.relation
    yield from (one.atom.relation for one in clause.body if isinstance(one.atom, Atom))


class _Split:
    """The relation ``key`` split by its argument at ``place``."""

    def __init__(self, description: Description, key: Key, place: int) -> None:
        self._description = description
        self._key = key
        self._place = place
        self._names: dict[Ground, str] = {}
        self._taken = {
            relation.lower() for clause in description.clauses for relation in _of(clause)
        }

    def description(self) -> Description:
        """The rules with the new relations, which stand behind the rules that they copy."""
        asking = [
            replace(rule, body=tuple(map(self._asked, rule.body)))
            for rule in self._description.rules
        ]
        rules: list[GdlRule] = []
        for rule in asking:
            rules.append(rule)
            if rule.head.key == self._key:
                name = self._names.get(self._value(rule.head))
                if name is not None:
                    rules.append(replace(rule, head=self._named(rule.head, name)))
        return replace(self._description, rules=tuple(rules))

    def _value(self, atom: Atom) -> Ground:
        return atom.arguments[self._place]  # type: ignore[return-value]  # it has no variables

    def _named(self, atom: Atom, name: str) -> Atom:
        place = self._place
        return Atom(name, atom.arguments[:place] + atom.arguments[place + 1 :], atom.offset)

    def _asked(self, formula: Formula) -> Formula:
        match formula:
            case Atom() if formula.key == self._key and _is_ground(formula.arguments[self._place]):
                return self._named(formula, self._name(self._value(formula)))
            case Atom() | Distinct():
                return formula
            case GdlNot(part):
                return replace(formula, part=self._asked(part))
            case GdlAnd(parts) | GdlOr(parts):
                return replace(formula, parts=tuple(map(self._asked, parts)))

    def _name(self, value: Ground) -> str:
        if value not in self._names:
            words = "_".join(term_text(value).strip("()").split()).replace("(", "").replace(")", "")
            name = f"{self._key[0]}_{words}"
            while name in self._taken:
                name += "_"
            self._taken.add(name)
            self._names[value] = name
        return self._names[value]


# Rules that are only safe where they are called, as general game players accept them


_MOST_CONDITIONS: Final = 10_000
_OPEN_ROLES: Final = frozenset({"legal", "goal", "input"})


def unfolded(description: Description) -> Description:
    """The description with open roles bound, and without relations that are unsafe by themselves.

    Rules that stay unsafe are left as they are; the checks name them.  Raises ``InputError`` for a
    rule that stands for too many clauses.
    """
    rules = [_with_role(rule, description) for rule in description.rules]
    found = replace(description, rules=tuple(rules))
    # A pass makes the relations that call the unfolded ones ready for the next.
    while macros := _macros(found):
        left = (rule for rule in found.rules if rule.head.key not in macros)
        found = replace(found, rules=tuple(_expanded(rule, macros, found) for rule in left))
    return found


def _clauses(rule: GdlRule, description: Description) -> tuple[Clause, ...]:
    return Description((rule,), description.source).clauses


def _bound(clause: Clause) -> set[Variable]:
    return {
        variable
        for literal in clause.body
        if literal.positive and isinstance(literal.atom, Atom)
        for variable in variables(literal.atom.arguments)
    }


def _with_role(rule: GdlRule, description: Description) -> GdlRule:
    if rule.head.relation not in _OPEN_ROLES or not isinstance(rule.head.arguments[0], Variable):
        return rule
    role = rule.head.arguments[0]
    if all(role in _bound(clause) for clause in _clauses(rule, description)):
        return rule
    return replace(rule, body=(*rule.body, Atom("role", (role,), rule.head.offset)))


@dataclass(frozen=True)
class _Macro:
    """A relation's definition over its parameters: a disjunction of bodies."""

    bodies: tuple[tuple[tuple[Variable, ...], tuple[Formula, ...]], ...]

    @cached_property
    def size(self) -> int:
        """The number of atoms and comparisons of the bodies."""
        return sum(map(_count, (part for _, body in self.bodies for part in body)))

    def has_local_variables(self) -> bool:
        """True if a body has variables that the head lacks: such a body cannot be negated."""
        return any(
            not set(_variables_of(body)) <= set(parameters) for parameters, body in self.bodies
        )

    def call(self, atom: Atom, taken: set[str]) -> Formula:
        """The definition with the arguments of ``atom``; local variables get fresh names."""
        parts = []
        for parameters, body in self.bodies:
            values: dict[Variable, Term] = dict(zip(parameters, atom.arguments, strict=True))
            for local in dict.fromkeys(_variables_of(body)):
                if local not in values:
                    values[local] = Variable(_fresh(local.name, taken))
            parts.append(GdlAnd(tuple(_put(part, values) for part in body), atom.offset))
        return GdlOr(tuple(parts), atom.offset)


def _fresh(name: str, taken: set[str]) -> str:
    number = 1
    while f"{name}_{number}" in taken:
        number += 1
    taken.add(f"{name}_{number}")
    return f"{name}_{number}"


def _macros(description: Description) -> Mapping[Key, _Macro]:
    """The relations that are unsafe by themselves and can be unfolded, by name and arity."""
    rules: dict[Key, list[GdlRule]] = {}
    for rule in description.rules:
        rules.setdefault(rule.head.key, []).append(rule)
    found: dict[Key, _Macro] = {}
    for key, own in rules.items():
        if key[0] in KEYWORDS or not any(_is_open(rule, description) for rule in own):
            continue
        bodies = []
        for rule in own:
            parameters = tuple(a for a in rule.head.arguments if isinstance(a, Variable))
            if len(set(parameters)) != key[1] or not rule.body:
                break
            bodies.append((parameters, rule.body))
        else:
            found[key] = _Macro(tuple(bodies))
    calls = _negative_calls(description)
    plain = {k: m for k, m in found.items() if not (calls[k] and m.has_local_variables())}
    # Relations that call themselves, or one another, are left to the checks.
    return {
        key: macro
        for key, macro in plain.items()
        if not any(
            atom.key in plain
            for _, body in macro.bodies
            for part in body
            for atom, _ in _atoms(part, positive=True)
        )
    }


def _is_open(rule: GdlRule, description: Description) -> bool:
    """True if a variable of the head is in no positive relation of the body."""
    head = set(variables(rule.head.arguments))
    return any(not head <= _bound(clause) for clause in _clauses(rule, description))


def _negative_calls(description: Description) -> Counter[Key]:
    return Counter(
        atom.key
        for rule in description.rules
        for part in rule.body
        for atom, positive in _atoms(part, positive=True)
        if not positive
    )


def _atoms(formula: Formula, *, positive: bool) -> Iterator[tuple[Atom, bool]]:
    match formula:
        case Atom():
            yield formula, positive
        case GdlNot(part):
            yield from _atoms(part, positive=not positive)
        case GdlAnd(parts) | GdlOr(parts):
            for part in parts:
                yield from _atoms(part, positive=positive)


def _count(formula: Formula) -> int:
    match formula:
        case GdlNot(part):
            return _count(part)
        case GdlAnd(parts) | GdlOr(parts):
            return sum(map(_count, parts))
    return 1


def _variables_of(formulas: Sequence[Formula]) -> Iterator[Variable]:
    for formula in formulas:
        match formula:
            case Atom(_, arguments):
                yield from variables(arguments)
            case Distinct(left, right):
                yield from variables((left, right))
            case GdlNot(part):
                yield from _variables_of((part,))
            case GdlAnd(parts) | GdlOr(parts):
                yield from _variables_of(parts)


def _expanded(rule: GdlRule, macros: Mapping[Key, _Macro], description: Description) -> GdlRule:
    calls = [
        macros[atom.key]
        for part in rule.body
        for atom, _ in _atoms(part, positive=True)
        if atom.key in macros
    ]
    if not calls:
        return rule
    if sum(macro.size for macro in calls) > _MOST_CONDITIONS:
        raise description.source.error(
            rule.offset,
            f"a rule that stands for more than {_MOST_CONDITIONS:,} conditions",
            "relations that are bound where they are defined",
        )
    taken = {v.name for v in (*variables(rule.head.arguments), *_variables_of(rule.body))}

    def expand(formula: Formula) -> Formula:
        match formula:
            case Atom() if formula.key in macros:
                return macros[formula.key].call(formula, taken)
            case GdlNot(part):
                return replace(formula, part=expand(part))
            case GdlAnd(parts) | GdlOr(parts):
                return replace(formula, parts=tuple(map(expand, parts)))
        return formula

    return replace(rule, body=tuple(map(expand, rule.body)))


def _put(formula: Formula, values: Mapping[Variable, Term]) -> Formula:
    def term(one: Term) -> Term:
        if isinstance(one, Variable):
            return values.get(one, one)
        return (one[0], *map(term, one[1:])) if isinstance(one, tuple) else one

    match formula:
        case Atom(_, arguments):
            return replace(formula, arguments=tuple(map(term, arguments)))
        case Distinct(left, right):
            return replace(formula, left=term(left), right=term(right))
        case GdlNot(part):
            return replace(formula, part=_put(part, values))
        case GdlAnd(parts) | GdlOr(parts):
            return replace(formula, parts=tuple(_put(part, values) for part in parts))


# Reads game descriptions: KIF with the words of GDL


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
