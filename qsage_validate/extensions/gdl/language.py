"""GDL among the languages of games, and what ``qsage info`` tells of its files.

Source: He, Saffidine and Thielscher 2024, section 5.  Where both roles choose at once, a formula in
which one chooses first gives a bound only.  A role that wins although the other one knows its
choice (*maximin*) wins the game.  A role that does not win although it knows the other's choice
(*minimax*) has no strategy that is sure to win.  Between the two bounds only mixed strategies
decide, about which a formula says nothing.

The description is rewritten.  Each round becomes two: in the first one a role chooses, in the
second one the other role does, and then the given rules take both choices.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING, ClassVar, Final

from qsage_validate.extensions.gdl.library import OPTIONS, load
from qsage_validate.extensions.gdl.model import (
    Atom,
    Description,
    GdlModel,
    GdlRule,
    Ground,
    RelationNames,
    Term,
    Variable,
    against_all,
    arguments_of,
    check_description,
    fresh_name,
    role_names,
    term_text,
    words_of,
)
from qsage_validate.extensions.gdl.parser import parse_description, read_description
from qsage_validate.formats.source import PERCENT, SEMICOLON, Format, Source, quoted, sniff
from qsage_validate.games.languages import Language
from qsage_validate.games.library.template import Values, option_values
from qsage_validate.games.model_text import ModelParts, errors_in

if TYPE_CHECKING:
    from qsage_validate.extensions.gdl.rules import RoundsGame


# Games in GDL by name: those that come with the project


# Games of simultaneous moves as games in turn


class RoundBound(Enum):
    """Who chooses first in each round."""

    MAXIMIN = "maximin"
    """Black, and White knows Black's choice: a bound from below."""
    MINIMAX = "minimax"
    """White, and Black knows White's choice: a bound from above."""


STEPS: Final = 2
"""The rounds that take the place of one."""

_RENAMED: Final = ("legal", "next", "does", "terminal", "true")


def in_turn(description: Description, role: str | None, bound: RoundBound) -> Description:
    """The game of ``role`` (default: the first) against all others, one choice after the other.

    The roles choose in the order of the bound.  Raises ``InputError`` for a description that is
    not valid, and ``UsageError`` for a role that there is not.
    """
    whole = against_all(description, role)
    roles = role_names(whole)
    wanted = term_text(roles[0]) if role is None else role.lower()
    black = next(r for r in roles if term_text(r).lower() == wanted)
    (white,) = (r for r in roles if r != black)
    first, second = (black, white) if bound is RoundBound.MAXIMIN else (white, black)
    return _InTurn(whole, first, second).description()


class _InTurn(RelationNames):
    def __init__(self, given: Description, first: Ground, second: Ground) -> None:
        self.given, self.first, self.second = given, first, second
        words = {word for rule in given.rules for word in words_of(rule)}
        self.names = {name: fresh_name(f"{name}_at_once", words) for name in _RENAMED}
        self.turn = fresh_name("to_choose", words)
        self.chosen = fresh_name("chosen", words)
        self.wait = fresh_name("wait", words)

    def description(self) -> Description:
        offset = self.given.rules[0].offset
        added = (GdlRule(rule.head, rule.body, offset) for rule in self.added())
        return Description((*map(self.rule, self.given.rules), *added), self.given.source)

    def atom(self, atom: Atom) -> Atom:
        """The atom with its name; an open fluent is one of the given game's."""
        closed = atom.relation == "true" and not isinstance(atom.arguments[0], Variable)
        return atom if closed else super().atom(atom)

    def added(self) -> Iterator[GdlRule]:
        """Whose turn it is, what is chosen, and what both choices do."""
        move, first, second = Variable("m"), self.first, self.second
        begins, ends = (Atom("true", ((self.turn, role),)) for role in (first, second))
        legal, after, does, over, holds = (self.names[name] for name in _RENAMED)
        yield GdlRule(Atom("init", ((self.turn, first),)))
        yield GdlRule(Atom("next", ((self.turn, second),)), (begins,))
        yield GdlRule(Atom("next", ((self.turn, first),)), (ends,))
        for role, own, other in ((first, begins, ends), (second, ends, begins)):
            yield GdlRule(Atom("legal", (role, move)), (own, Atom(legal, (role, move))))
            yield GdlRule(Atom("legal", (role, self.wait)), (other,))
        yield GdlRule(Atom("next", ((self.chosen, move),)), (begins, Atom("does", (first, move))))
        yield GdlRule(Atom(does, (first, move)), (Atom("true", ((self.chosen, move),)),))
        yield GdlRule(Atom(does, (second, move)), (ends, Atom("does", (second, move))))
        for fluent in self.fluents():
            yield GdlRule(Atom(holds, (fluent,)), (Atom("true", (fluent,)),))
            yield GdlRule(Atom("next", (fluent,)), (begins, Atom(holds, (fluent,))))
            yield GdlRule(Atom("next", (fluent,)), (ends, Atom(after, (fluent,))))
        # The play ends between rounds only.
        yield GdlRule(Atom("terminal"), (begins, Atom(over)))

    def fluents(self) -> Iterator[Term]:
        """A term for each kind of fluent, its functor with variables; of an open one each kind."""
        heads: list[Term] = [
            rule.head.arguments[0]
            for rule in self.given.rules
            if rule.head.relation in ("init", "next")
        ]
        if any(isinstance(head, Variable) for head in heads):
            clauses = self.given.clauses
            atoms = (a for c in clauses for a in (c.head, *(literal.atom for literal in c.body)))
            heads = [term for atom in atoms for term in _parts(arguments_of(atom))]
        kinds = dict.fromkeys(
            (term[0], len(term) - 1) if isinstance(term, tuple) else (term, 0)
            for term in heads
            if not isinstance(term, Variable)
        )
        for name, count in kinds:
            arguments = (Variable(f"x{number}") for number in range(1, count + 1))
            yield (name, *arguments) if count else name


def _parts(terms: Iterable[Term]) -> Iterator[Term]:
    """Terms with all that they are made of."""
    for term in terms:
        yield term
        if isinstance(term, tuple):
            yield from _parts(term[1:])


def with_options(description: Description, values: Values) -> GdlModel:
    """The model of a description with the options ``role``, ``depth``, ``win`` and ``at_once``."""
    role, rounds, at_once = values.word("role") or None, values.number("depth"), ""
    if values.word("at_once") in {bound.value for bound in RoundBound}:
        at_once = values.word("at_once")
        description = in_turn(description, role, RoundBound(at_once))
        rounds *= STEPS
    return GdlModel(description, rounds, role, values.number("win"), at_once)


def of_library(values: Values, name: str) -> GdlModel:
    """The game called ``name`` of those that come with the project."""
    return with_options(load(name), values)


# GDL among the languages of games


_NUMBER: Final = re.compile(r"[0-9]{1,9}")


class Gdl(Language[GdlModel]):
    """General games, in one file."""

    name: ClassVar[str] = "gdl"
    games: ClassVar[str] = "game in GDL"
    model = GdlModel

    def owns(self, path: str) -> bool:
        return sniff(path) is Format.GDL

    def read(self, files: Sequence[str], options: Mapping[str, object]) -> GdlModel:
        (file,) = files
        values = option_values(OPTIONS, options, f"{file}, a game in GDL")
        description = read_description(file)
        # A game that is not valid is told now.
        against_all(description, values.word("role") or None)
        return with_options(description, values)

    def from_parts(self, parts: ModelParts) -> GdlModel:
        path = f"{parts.get('name', 'game')}.gdl"
        source = parts.source("gdl", path)
        with errors_in(parts.file_of("gdl")):
            description = parse_description(source.text, path)
        description = replace(description, source=source)
        win = _number(parts, "win") if "win" in parts else 100
        role = parts.get("role")
        role = None if role is None else role.strip()
        return GdlModel(description, _number(parts, "rounds"), role, win)

    def rules(self, model: GdlModel) -> RoundsGame:
        """Each round is two plies, Black's part and White's."""
        from qsage_validate.extensions.gdl.rules import rounds_game

        return rounds_game(model)


def _number(parts: ModelParts, part: str) -> int:
    text = parts.text(part)
    if not _NUMBER.fullmatch(text.strip()):
        source = Source(text, parts.file_of(part))
        at = len(text) - len(text.lstrip()) if text.strip() else len(text)
        raise source.error(at, quoted(text.strip()), "a number")
    return int(text)


GDL: Final = Gdl()


# What ``qsage info`` tells of games in GDL and of quantified logic programs


def description(data: bytes, name: str) -> dict[str, object]:
    """The facts of a game's description."""
    found = parse_description(Source.decode(data, name, SEMICOLON).text, name)
    check_description(found)
    return {
        "game": found.name,
        "roles": [str(role) for role in role_names(found)],
        "rules": len(found.rules),
    }


def program(data: bytes, name: str) -> dict[str, object]:
    """The facts of a quantified logic program, as the formula that it is."""
    from qsage_validate.cli.info import formula_facts
    from qsage_validate.extensions.gdl.qasp import parse_qasp

    qbf = parse_qasp(Source.decode(data, name, PERCENT))
    return formula_facts(qbf) | {"gates": len(qbf.gates)}
