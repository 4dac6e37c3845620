"""A program by which a player plays, as plays follow and boards list it; and who finds one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from qsage_validate.arena.frame import Frame

if TYPE_CHECKING:
    from qsage_validate.problems.load import Problem


@dataclass(frozen=True, slots=True)
class ProgramLine:
    """A line of a program.

    ``node`` is the number of the node without which it does not lie on the way of a reply;
    ``yes`` is, for a question, the node behind its yes.
    """

    text: str
    node: int
    yes: int | None = None


class PlayedProgram(Protocol):
    """A program whose certificate plays: ``lines`` as its text has them."""

    @property
    def lines(self) -> tuple[ProgramLine, ...]: ...

    @property
    def first_question(self) -> str | None:
        """The question at the root; ``None`` where the program is a single answer."""
        ...

    def told(self, before: Sequence[Frame], reply: Frame) -> Frame:
        """The frame of a reply with its ``way`` and remarks; ``before`` are the frames before it.

        A ply that the certificate did not make, and one behind an illegal move, stays as it is.
        """
        ...


@dataclass(frozen=True, slots=True)
class Programmed:
    """The plays of a program: a problem with its certificate, and the program."""

    problem: Problem
    program: PlayedProgram


@dataclass(frozen=True, slots=True)
class DeclaredExplanation:
    """Who explains strategies as programs; the places are loaded when one is asked for.

    ``strategy`` is behind ``Strategy.explain`` of the library, which it is given with the same
    parameters.  ``formula`` and ``game`` are behind ``qsage play --explain``: see
    ``cli/play/games.py`` for what they take; each returns a :class:`Programmed`.
    """

    strategy: str
    formula: str
    game: str
