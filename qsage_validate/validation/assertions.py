"""Assertions about one problem: what their names mean in its game, or in its formula.

An assertion in words is about the position: by the rules where they are known, else as the layout
reads it off the formula.  A clause, and a condition at the end whose names are the formula's, is
about variables and gates.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.layout import Layout
from qsage_validate.errors import InputError, did_you_mean
from qsage_validate.formats.assertions import (
    GOAL,
    Assertion,
    Assertions,
    Condition,
    Join,
    Name,
    Not,
    names,
    read_assertions,
    spellings,
)
from qsage_validate.formats.source import Source
from qsage_validate.games.protocol import Player, TwoPlayerGame

_FREE: Final = re.compile(r"(open|occupied) (.+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Asserted:
    """An assertion whose names are atoms of the game, or else keys of ``literals``.

    ``literals`` are signed variables and gates of the formula; ``None`` where it is about the
    position.  ``place`` is the file and its line.
    """

    assertion: Assertion
    place: str
    literals: Mapping[str, int] | None = None

    def __str__(self) -> str:
        return f"{self.place}: {self.assertion.text}"


@dataclass(frozen=True)
class AssertionVocabulary:
    """The names for assertions about a problem with a layout, a formula, or both."""

    formula: Qbf | None
    layout: Layout | None
    game: TwoPlayerGame | None

    @cached_property
    def words(self) -> Mapping[str, None]:
        """The atoms that positions are made of, in an order; none without a layout."""
        return {} if self.layout is None else dict.fromkeys(self._atoms(self.layout))

    @cached_property
    def _in_any_case(self) -> Mapping[str, Sequence[str]]:
        """The atoms by their lower case: the names of positions may differ by case alone."""
        found: dict[str, list[str]] = {}
        for word in self.words:
            found.setdefault(word.lower(), []).append(word)
        return found

    def _word(self, spelling: str) -> str | None:
        """The atom that is spelt so; in other case where that is no other atom."""
        kind, space, rest = spelling.partition(" ")
        for exact in (spelling, f"{kind.lower()}{space}{rest}"):
            if exact in self.words:
                return exact
        alike = self._in_any_case.get(spelling.lower(), ())
        return alike[0] if len(alike) == 1 else None

    def _atoms(self, layout: Layout) -> Iterable[str]:
        state = layout.state
        if self.game is not None:
            return self.game.words
        kinds = [player.value for player in Player] if state.is_board else state.kinds
        return [f"{k} {p}" for k in kinds for p in state.places] if state.axes else kinds

    @cached_property
    def literals(self) -> Mapping[str, int]:
        """The formula's variables and gates as its file calls them, and as the layout does."""
        if self.formula is None:
            return {}
        own = self.formula.by_text()
        if self.layout is None:
            return own
        verdict = {} if self.layout.verdict is None else {"verdict": self.layout.verdict}
        return {**verdict, **self.layout.gates, **own}

    @property
    def plies(self) -> int:
        """The largest number of plies of a play."""
        if self.game is not None:
            return self.game.moves_made
        return 0 if self.layout is None else self.layout.plies

    def atom(self, name: str) -> Condition | None:
        """The condition of a position that a name stands for; ``None`` if it stands for none."""
        for spelling in (*spellings(name), f"({name})"):
            word = self._word(spelling)
            if word is not None:
                return Name(word, 0)
            if spelling.lower() == "goal" and self.game is not None:
                return Name(GOAL, 0)
            free = _FREE.fullmatch(spelling)
            if free is None:
                continue
            held = [self._word(f"{player.value} {free[2]}") for player in Player]
            stones = tuple(Name(atom, 0) for atom in held if atom is not None)
            if len(stones) == len(held):
                if free[1].lower() == "occupied":
                    return Join(conjunction=False, parts=stones)
                # No complement, which would be a part of a guard.
                return Join(conjunction=True, parts=tuple(map(Not, stones)))
        return None

    def literal(self, name: str) -> int | None:
        """The formula's variable or gate of that name, in any parentheses."""
        found = (self.literals.get(spelling) for spelling in spellings(name))
        return next((literal for literal in found if literal is not None), None)

    # -- assertions -------------------------------------------------------------------------

    def bound(self, read: Assertions) -> list[Asserted]:
        """The assertions of a file; raises ``InputError`` for what the problem does not have."""
        return [self._bound(read.source, one) for one in read.all]

    def _bound(self, source: Source, one: Assertion) -> Asserted:
        place = f"{source.path}:{one.line}"
        own = list(names(one.condition))
        found = {name.text: self.atom(name.text) for name in own}
        atoms = {name: atom for name, atom in found.items() if atom is not None}
        if not one.clause and len(atoms) == len(found):
            if one.ply is not None and one.ply > self.plies:
                expected = f"a ply from 0 to {self.plies}"
                raise source.error(one.offset, f"ply {one.ply}", expected)
            return Asserted(replace(one, condition=_in_atoms(one.condition, atoms)), place)
        literal = self.literals.get if one.clause else self.literal
        literals = {name.text: number for name in own if (number := literal(name.text)) is not None}
        if len(literals) < len(found) or not one.end:
            raise self._refusal(source, one, own)
        return Asserted(one, place, literals)

    def _refusal(self, source: Source, one: Assertion, own: Sequence[Name]) -> InputError:
        """The error of an assertion whose names do not belong together, or mean nothing."""
        no_formula = "a condition on positions: there is no formula"
        if one.clause:
            name = next((n for n in own if n.text not in self.literals), own[0])
            number = "the number of a variable or gate of the formula"
            return source.error(name.offset, name.text, number if self.formula else no_formula)
        for name in own:
            if self.atom(name.text) is None and self.literal(name.text) is None:
                return source.error(name.offset, repr(name.text), self._expected(name, one))
        name = next(n for n in own if self.atom(n.text) is None)
        if not one.end:
            expected = "it behind 'end:', for variables and gates have their values there"
        else:
            expected = "names of one kind: this one is the formula's, others are a position's"
        return source.error(name.offset, repr(name.text), expected)

    def _expected(self, name: Name, one: Assertion) -> str:
        """The names that could stand in the place of a name that means nothing."""
        alike = self._in_any_case.get(name.text.lower(), ())
        if len(alike) > 1:
            return f"one of {', '.join(map(repr, alike))}, which differ by case"
        known = [*self.words, *(self.literals if one.end else ())]
        hint = did_you_mean(name.text, known)
        if not self.words:
            return f"a variable or gate of the formula, for no layout tells positions{hint}"
        if name.text.lower() == "goal":
            return "a name of the position, for no rules are known that say who has won"
        return f"a name of the position like {next(iter(self.words))!r}{hint}"


def _in_atoms(condition: Condition, atoms: Mapping[str, Condition]) -> Condition:
    """The condition with what its names mean in their place."""
    match condition:
        case Name(text):
            return atoms[text]
        case Not(part):
            return Not(_in_atoms(part, atoms))
        case Join(_, parts):
            return replace(condition, parts=tuple(_in_atoms(part, atoms) for part in parts))


def read_asserted(
    paths: Sequence[str], formula: Qbf | None, layout: Layout | None, game: TwoPlayerGame | None
) -> tuple[Asserted, ...]:
    """The assertions of all files; of positions by the rules of the layout's game."""
    known = AssertionVocabulary(formula, layout, game)
    return tuple(one for path in paths for one in known.bound(read_assertions(path)))
