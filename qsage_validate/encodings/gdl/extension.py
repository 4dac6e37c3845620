"""The temporal extension Ext(G) of a game description, as a program for clingo.

Source: He, Saffidine and Thielscher 2024, Definition 2 (after Thielscher 2009).  Relations that
depend on ``true`` or ``does`` get the time as their last argument, ``next`` speaks of the time
after, ``init`` of time 1.  Keywords keep their names; other relations are called ``t_name`` with
the time and ``s_name`` without, so that no name can meet another.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Final

from qsage_validate.games.gdl.dependencies import Dependencies
from qsage_validate.games.gdl.model import (
    KEYWORDS,
    Atom,
    Clause,
    Description,
    Ground,
    Key,
    Literal,
    Term,
    Variable,
)

_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}", re.ASCII)
_IDENTIFIER = re.compile(r"[a-z][A-Za-z0-9_]*", re.ASCII)

_TIMED: Final = frozenset({"legal", "goal", "terminal", "true", "does"})
_UNUSED: Final = frozenset({"base", "input"})


class Extension:
    """Ext(G) and the names in it; the description must be valid."""

    def __init__(self, description: Description) -> None:
        self.description = description
        graph = Dependencies(description.clauses)
        self._timed = graph.above({("true", 1), ("does", 2)})
        self._constants: dict[str, str] = {}

    @cached_property
    def text(self) -> str:
        """The rules; ``tdom`` and ``mtdom`` are to be added."""
        rules = (self.rule(clause) for clause in self.description.clauses)
        return "\n".join(rule for rule in rules if rule)

    def rule(self, clause: Clause) -> str:
        """A clause of the description as a rule; empty for those that no play needs."""
        head = clause.head
        if head.relation in _UNUSED and head.key == (head.relation, KEYWORDS[head.relation]):
            return ""
        body = [self.literal(literal) for literal in clause.body]
        if head.key == ("next", 1):
            text = f"true({self.term(head.arguments[0])},T+1)"
            body.append("mtdom(T)")
        elif head.key == ("init", 1):
            text = f"true({self.term(head.arguments[0])},1)"
        else:
            text = self.atom(head)
            if self.is_timed(head.key):
                body.append("tdom(T)")
        return f"{text} :- {', '.join(body)}." if body else f"{text}."

    def is_timed(self, key: Key) -> bool:
        """Whether a relation depends on the time."""
        return key in self._timed or (key[0] in _TIMED and KEYWORDS.get(key[0]) == key[1])

    def literal(self, literal: Literal) -> str:
        """A condition; comparisons are clingo's own."""
        atom = literal.atom
        if isinstance(atom, Atom):
            return ("" if literal.positive else "not ") + self.atom(atom)
        sign = "!=" if literal.positive else "="
        return f"{self.term(atom.left)} {sign} {self.term(atom.right)}"

    def atom(self, atom: Atom) -> str:
        """An atom, at time ``T`` if it depends on the time."""
        timed = self.is_timed(atom.key)
        if KEYWORDS.get(atom.relation) == len(atom.arguments):
            name = atom.relation
        else:
            name = ("t_" if timed else "s_") + _name(atom.relation)
        arguments = [self.term(term) for term in atom.arguments] + ["T"] * timed
        return f"{name}({','.join(arguments)})" if arguments else name

    def term(self, term: Term) -> str:
        """A term; numbers stay numbers, what clingo could misread becomes a string."""
        if isinstance(term, Variable):
            return "V" + _name(term.name)
        if isinstance(term, tuple):
            functor = _functor(str(term[0]))
            return f"{functor}({','.join(map(self.term, term[1:]))})"
        if _NUMBER.fullmatch(term) or (_IDENTIFIER.fullmatch(term) and term != "not"):
            return term
        return '"' + term.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _functor(name: str) -> str:
    plain = _IDENTIFIER.fullmatch(name) and name != "not" and not name.startswith("f_")
    return name if plain else f"f_{_name(name)}"


def _name(name: str) -> str:
    """Letters, digits and underscores; other characters as their numbers between underscores."""
    return "".join(c if c.isascii() and c.isalnum() else f"_{ord(c):x}_" for c in name)


class Reader:
    """Terms of the description behind clingo's symbols; built from its own words."""

    def __init__(self, description: Description) -> None:
        words: dict[str, str] = {}
        for clause in description.clauses:
            for atom in (clause.head, *(x.atom for x in clause.body)):
                terms = atom.arguments if isinstance(atom, Atom) else (atom.left, atom.right)
                for term in terms:
                    _collect(term, words)
        self._functors: Mapping[str, str] = words

    def ground(self, symbol: object) -> Ground:
        """The ground term of a ``clingo.Symbol``."""
        arguments = getattr(symbol, "arguments", None) if _is_function(symbol) else None
        if arguments:
            name = str(getattr(symbol, "name", ""))
            return (self._functors.get(name, name), *map(self.ground, arguments))
        text = str(symbol)
        return _unquoted(text) if text.startswith('"') else text


def _is_function(symbol: object) -> bool:
    return str(getattr(symbol, "type", "")).endswith("Function")


def _unquoted(text: str) -> str:
    return text[1:-1].replace('\\"', '"').replace("\\\\", "\\")


def _collect(term: Term, words: dict[str, str]) -> None:
    if isinstance(term, tuple):
        words[_functor(str(term[0]))] = str(term[0])
        for part in term[1:]:
            _collect(part, words)
