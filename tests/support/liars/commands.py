"""The other commands: what they say of formulas and games, and the certificates that they make."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from random import Random

from tests.support.liars.bdd import TooLargeError
from tests.support.liars.draft import Draft, mutator
from tests.support.liars.formula import UnreadableError, read_formula, truth
from tests.support.liars.functions import Judged, read_circuit
from tests.support.liars.product import Answer
from tests.support.liars.recipes import Game, who


def _command(name: str) -> None:
    @mutator(f"command:{name}")
    def asked(draft: Draft, rng: Random) -> Draft | None:
        """Another command than validate is asked."""
        return replace(draft, command=name)


COMMANDS = ("solve", "certify", "minimise", "info", "play", "solve-game", "certify-game")
for _name in COMMANDS:
    _command(_name)


def words_of(
    name: str, formula: str, certificate: str | None, game: tuple[list[str], str] | None
) -> list[str] | None:
    """The words of a command about some files; ``None`` where it lacks one."""
    if name in ("solve-game", "certify-game"):
        if game is None:
            return None
        named = list(game[0])
        if name == "solve-game":
            return ["solve", *named]
        return ["certify", *named, "-o", "made.aag", "--formula", "made.qcir"]
    if name == "solve":
        return ["solve", formula, "--timeout", "10"]
    if name == "certify":
        return ["certify", formula, "--route", "expansion", "-o", "made.aag", "--timeout", "10"]
    if certificate is None:
        return None
    if name == "minimise":
        return ["minimise", formula, certificate, "-o", "made.aag", "--timeout", "0.5"]
    if name == "info":
        return ["info", certificate]
    return ["play", formula, "--cert", certificate, "--moves", "a b c occupy(1,1) take(a) noop"]


_VALUE = {10: True, 20: False}
_SAYS = re.compile(r"Black (wins|does not win)\b[^;\n]*? within (\d+)")


def broken(
    name: str, files: dict[str, str], words: tuple[str, ...], answer: Answer, game: Game | None
) -> Iterator[str]:
    """The laws that an answer breaks."""
    if answer.code not in (0, 1, 2, 3, 10, 20):
        yield f"exit code {answer.code}: {answer.err.strip()[-300:]}"
    if answer.code == 2 and len(answer.faults) != 1:
        yield f"bad input in other than one line: {answer.err[:300]!r}"
    black = None if game is None else _who(game)
    if answer.code in _VALUE:
        true = black if name == "solve-game" else _truth(files.get(words[1]))
        if true is not None and true is not _VALUE[answer.code]:
            yield f"exit code {answer.code}; by brute force: {true}"
    if name in ("solve", "certify", "solve-game", "certify-game"):
        for match in _SAYS.finditer(answer.out):
            if black is not None and black != (match[1] == "wins"):
                yield f"says {match[0]!r}; by brute force Black wins: {black}"
    if answer.code == 0 and "made.aag" in answer.made:
        formula = answer.made.get("made.qcir", files.get(words[1], ""))
        yield from _made(formula, answer.made["made.aag"])


def _who(game: Game) -> bool | None:
    try:
        return who(game)
    except UnreadableError:
        return None


def _truth(text: str | None) -> bool | None:
    try:
        return None if text is None else truth(read_formula(text))
    except (UnreadableError, TooLargeError, ValueError):
        return None


def _made(formula: str, certificate: str) -> Iterator[str]:
    try:
        judged = Judged(read_formula(formula), read_circuit(certificate))
        if judged.peeks():
            yield "makes a certificate that peeks"
        if not judged.wins():
            yield "makes a certificate that does not win"
        if truth(judged.formula) is not judged.circuit.skolem:
            yield "makes a certificate of the wrong kind"
    except (UnreadableError, TooLargeError, ValueError):
        return
