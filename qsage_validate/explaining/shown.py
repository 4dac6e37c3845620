"""What the views of explanations show: a tree of questions and answers, whatever it is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from qsage_validate.games.protocol import Board
from qsage_validate.render.board_svg import Marks


class Worded(Protocol):
    """A question or an answer: ``str`` is for people, ``formal`` is read back."""

    @property
    def formal(self) -> str:
        """The words that a program reads."""


class ShownNode(Protocol):
    """A node: a fork has a ``question`` and children, yes first; a leaf has an ``answer``."""

    @property
    def number(self) -> int:
        """The number of the node from 1, depth first."""

    @property
    def side(self) -> bool | None:
        """The answer, to the question above, that leads here."""

    @property
    def question(self) -> Worded | None:
        """The question of a fork."""

    @property
    def answer(self) -> Worded | None:
        """The answer of a leaf."""

    @property
    def children(self) -> Sequence[ShownNode]:
        """What is below yes and below no."""

    @property
    def cut(self) -> int:
        """The number of nodes below that are not shown."""

    @property
    def count(self) -> str:
        """How much comes here, in words."""

    @property
    def rows(self) -> Sequence[str]:
        """An example of what comes here, as lines of text."""

    @property
    def data(self) -> Mapping[str, object]:
        """What comes here, and an example, for JSON."""

    @property
    def weight(self) -> int:
        """How much comes here, as a number."""

    @property
    def posed(self) -> tuple[Board, Marks] | str | None:
        """The example without its reply, drawn or in words; ``None`` where there is none."""

    @property
    def drawn(self) -> tuple[Board, Marks, str] | None:
        """The board of an example with its marks, and the reply; ``None`` where none is drawn."""

    def walk(self) -> Iterator[ShownNode]:
        """The node and those below, depth first."""


class Shown(Protocol):
    """An explanation."""

    @property
    def title(self) -> str:
        """What it explains."""

    @property
    def turn(self) -> str:
        """Whose turn it is in the examples, in words."""

    @property
    def unit(self) -> str:
        """What comes to a node: positions, or states."""

    @property
    def measure(self) -> str:
        """The size of the tree, and what is known of it."""

    @property
    def root(self) -> ShownNode:
        """The first node."""

    @property
    def not_shown(self) -> str:
        """What is left out, in a sentence; empty where all is shown."""

    @property
    def footing(self) -> str:
        """How the text is read."""

    @property
    def signs(self) -> str:
        """The meaning of the signs in examples of the text."""

    @property
    def picture_key(self) -> str:
        """The meaning of the signs on drawn boards."""
