"""A reader of SMT-LIB scripts of functions without arguments, which works out their values."""

from __future__ import annotations

import re
from collections.abc import Mapping

_TOKEN = re.compile(r";[^\n]*|\|[^|]*\||[()]|[^\s()|;]+|\s+")

Term = str | list["Term"]


def read(text: str) -> list[Term]:
    """The commands of a script; fails for what is no script."""
    stack: list[list[Term]] = [[]]
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        assert match is not None, f"no token at {at}: {text[at : at + 20]!r}"
        at, token = match.end(), match.group()
        if token[0] in "; \n":
            continue
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    assert len(stack) == 1, "a parenthesis is not closed"
    return stack[0]


def symbols(term: Term) -> set[str]:
    """The symbols of a term."""
    if isinstance(term, str):
        return {term}
    return {symbol for part in term for symbol in symbols(part)}


class Script:
    """The definitions of a script."""

    def __init__(self, text: str) -> None:
        self.commands = read(text)
        self.terms: dict[str, Term] = {}
        self.moves: set[str] = set()
        self.constants: list[str] = []
        for command in self.commands:
            assert isinstance(command, list)
            name = command[1] if len(command) > 1 else ""
            if command[0] == "define-fun":
                assert isinstance(name, str)
                assert name not in self.terms, "defined twice"
                self.terms[name] = command[4]
            elif command[0] == "declare-const":
                assert isinstance(name, str)
                self.constants.append(name)
            elif command[0] == "declare-datatypes":
                self.moves = symbols(command[2])

    def values(self, given: Mapping[str, str]) -> dict[str, bool | str]:
        """The values of all functions where the constants have these; in the order of the text."""
        found: dict[str, bool | str] = {"true": True, "false": False}
        found.update({move: move for move in self.moves})
        found.update(given)

        def value(term: Term) -> bool | str:
            if isinstance(term, str):
                return found[term]
            word, *rest = term
            if word == "ite":
                return value(rest[1]) if value(rest[0]) else value(rest[2])
            if word == "=":
                return value(rest[0]) == value(rest[1])
            if word == "not":
                return not value(rest[0])
            assert word == "and", word
            return all(value(part) for part in rest)

        for name, term in self.terms.items():
            found[name] = value(term)
        return found
