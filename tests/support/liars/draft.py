"""A case under construction: files as the judges know them, until they become texts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from tests.support.liars.formula import Formula
from tests.support.liars.functions import Circuit
from tests.support.liars.recipes import Game, Subject


@dataclass(frozen=True)
class Draft:
    """What mutators change.

    ``circuit``, ``clauses`` and ``trace`` are certificates (the clauses as text); ``given`` is
    the game that an option names, ``asserted`` a file of assertions.  ``edits`` damage the text
    of a file, each by its own seed.
    ``harmless`` says that nothing has been changed that anybody could be wrong about.
    """

    subject: Subject | None
    formula: Formula
    circuit: Circuit | None = None
    clauses: str | None = None
    trace: str | None = None
    meta: str | None = None
    asserted: str | None = None
    given: Game | None = None
    command: str = "validate"
    levels: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    edits: tuple[tuple[str, str, int], ...] = ()
    harmless: bool = True


Mutator = Callable[[Draft, Random], Draft | None]
"""Changes a draft; ``None`` where it cannot be applied."""

MUTATORS: dict[str, Mutator] = {}


RARE: set[str] = set()
"""Mutators whose cases are mostly refused by the readers."""


def mutator(name: str, *, rare: bool = False) -> Callable[[Mutator], Mutator]:
    """Register a mutator as ``name`` (``class:what``)."""

    def register(function: Mutator) -> Mutator:
        assert name not in MUTATORS, name
        MUTATORS[name] = function
        if rare:
            RARE.add(name)
        return function

    return register


def names_of(kind: str) -> list[str]:
    """The mutators of a class; those that are not rare come four times."""
    own = [name for name in MUTATORS if name.startswith(kind + ":")]
    return own + 3 * [name for name in own if name not in RARE]
