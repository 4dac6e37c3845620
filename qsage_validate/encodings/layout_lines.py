"""What the layouts in a formula's comments have in common, whatever their version: their words."""

from __future__ import annotations

import re

from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.errors import InputError
from qsage_validate.formats.source import quoted
from qsage_validate.games.protocol import Player


def layout_lines(qbf: Qbf) -> list[tuple[int, str]]:
    """The comments of ``qbf`` that begin with ``@``, without that: (line, text)."""
    return [
        (number, text.strip().removeprefix("#").strip()[1:].strip())
        for number, text in qbf.comments
        if text.strip().removeprefix("#").strip().startswith("@")
    ]


class LineReader:
    """Reads the words of layout lines; ``line`` is the number of the one at hand.

    ``known`` are the formula's variables and gates, ``placed`` the variables that have a meaning
    already.
    """

    def __init__(self, qbf: Qbf) -> None:
        self.qbf = qbf
        self.line = 0
        self.quantifiers = qbf.quantifiers()
        self.known = set(self.quantifiers) | set(qbf.gates)
        self.placed: set[int] = set()
        self.model: dict[str, list[str]] = {}

    def fail(self, found: str, expected: str) -> InputError:
        """The error of the line at hand."""
        return InputError(self.qbf.path, self.line, 1, found, expected)

    def number(self, word: str) -> int:
        """A word that is a number."""
        if not re.fullmatch(r"[0-9]{1,9}", word):
            raise self.fail(quoted(word), "a number")
        return int(word)

    def literal(self, word: str) -> int:
        """A word that is a literal of the formula."""
        if not re.fullmatch(r"-?[0-9]{1,9}", word):
            raise self.fail(quoted(word), "a literal")
        return self.known_literal(int(word))

    def known_literal(self, literal: int) -> int:
        """A literal, if the formula has it."""
        if abs(literal) not in self.known:
            raise self.fail(f"literal {literal}", "a variable or gate of the formula")
        return literal

    def player(self, word: str) -> Player:
        """A word that is a player."""
        if word not in ("black", "white"):
            raise self.fail(quoted(word), "'black' or 'white'")
        return Player(word)

    def decided_by(self, variable: int, chooser: Quantifier) -> None:
        """Raise the error for a variable that the other player decides."""
        if self.quantifiers.get(variable, chooser) is not chooser:
            kinds = {Quantifier.EXISTS: "existential", Quantifier.FORALL: "universal"}
            raise self.fail(
                f"the {kinds[chooser.dual]} variable {variable}", f"{kinds[chooser]} variables"
            )

    def add_model(self, rest: str) -> None:
        """The line ``model PART | TEXT``."""
        part, bar, line = rest.partition("|")
        if not bar or len(part.split()) != 1:
            raise self.fail(quoted(rest), "'model PART | TEXT'")
        self.model.setdefault(part.strip(), []).append(line.removeprefix(" "))

    @property
    def model_parts(self) -> dict[str, str]:
        """The text of the model by part."""
        return {part: "\n".join(lines) for part, lines in self.model.items()}
