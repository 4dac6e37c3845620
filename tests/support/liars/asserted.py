"""Files of assertions: made at random, and judged by diagrams and by what holds in any game.

A clause is judged with the functions of an AIGER certificate.  Of positions some sentences are
known without a play: no place has two stones, and none has both at the start.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from tests.support.liars.bdd import FALSE, TRUE, TooLargeError
from tests.support.liars.claims import Claims
from tests.support.liars.draft import Draft, mutator
from tests.support.liars.formula import Matrix, UnreadableError
from tests.support.liars.functions import Judged
from tests.support.liars.grid import Grid

_CLAUSE = re.compile(r"-?\d+( -?\d+)*")
_TWO_STONES = re.compile(r"always not \(black (.+) and white (.+)\)")
_BOTH = re.compile(r"ply 0: black (.+) and white (.+)")
_HOSTILE = (
    "# the formula is true",
    "# Black wins chess within 3 plies (rules)",
    "c f.qcir: valid: the formula is false (dependencies, formula)",
)


@mutator("assert:any")
def any_assertions(draft: Draft, rng: Random) -> Draft | None:
    """Clauses over the formula, and sentences about positions where the game has places."""
    lines = [rng.choice(_HOSTILE)] if rng.random() < 0.5 else []
    places = _places(draft)
    for _ in range(rng.randint(1, 4)):
        words = rng.random() < 0.5 and bool(places)
        lines.append(_words(places, rng) if words else _clause(draft.formula.literals, rng))
    return replace(draft, asserted="\n".join(lines) + "\n", harmless=False)


@mutator("assert:damage")
def damaged_assertions(draft: Draft, rng: Random) -> Draft | None:
    """A fault in the file."""
    way = rng.choice(("drop", "double", "swap", "number", "character", "cut"))
    return replace(draft, edits=(*draft.edits, ("a.txt", way, rng.getrandbits(32))))


def _places(draft: Draft) -> list[str]:
    game = None if draft.subject is None else draft.given or draft.subject.game
    if isinstance(game, Claims):
        return list(game.positions)
    if isinstance(game, Grid):
        return [f"({x},{y})" for y in range(1, game.height + 1) for x in range(1, game.width + 1)]
    return []


def _words(places: Sequence[str], rng: Random) -> str:
    place, other = rng.choice(places), rng.choice(places)
    return rng.choice(
        (
            f"always not (black {place} and white {place})",
            f"ply 0: black {place} and white {place}",
            f"always black {place} implies not white {other}",
            f"ply {rng.randint(0, 3)}: open {place}",
            "end: goal",
            "end: not goal",
            f"always goal implies occupied {place}",
        )
    )


def _clause(literals: Sequence[int], rng: Random) -> str:
    if not literals:
        return "0"
    chosen = [rng.choice(literals) * rng.choice((1, -1)) for _ in range(rng.randint(1, 3))]
    return " ".join(map(str, [*chosen, 0]))


# --- The law -------------------------------------------------------------------------------------


def lies(report: dict[str, Any], judged: Judged | None) -> Iterator[str]:
    """What is said of assertions and is not so."""
    levels = [level for level in report.get("levels", []) if level["level"] == "assertions"]
    for level in levels:
        answers = level["evidence"].get("assertions", [])
        words = {answer["verdict"] for answer in answers}
        if level["verdict"] == "proved" and not words <= {"holds", "vacuous"}:
            yield f"calls assertions proved of which some are {words}"
        for answer in answers:
            yield from _lie(answer["text"], answer["verdict"], judged)


def _lie(text: str, word: str, judged: Judged | None) -> Iterator[str]:
    two, both = _TWO_STONES.fullmatch(text), _BOTH.fullmatch(text)
    if two is not None and two[1] == two[2] and word == "broken":
        yield f"calls {text!r} broken"
    if both is not None and both[1] == both[2] and word in ("holds", "vacuous"):
        yield f"says that {text!r} {word}"
    if judged is None or not _CLAUSE.fullmatch(text):
        return
    try:
        known = _truth([int(x) for x in text.split()[:-1]], judged)
    except (TooLargeError, UnreadableError):
        return
    if word in ("holds", "vacuous", "broken") and word != known:
        yield f"says that {text!r} is {word}; it is {known}"


def _truth(clause: Sequence[int], judged: Judged) -> str:
    matrix, diagrams = Matrix(judged.formula, judged.diagrams, judged.replaced), judged.diagrams
    if diagrams.any_of(map(matrix.literal, clause)) != TRUE:
        return "broken"
    negative = [-x for x in clause if x < 0]
    if not negative or len(negative) == len(clause):
        return "holds"
    return "vacuous" if diagrams.all_of(map(matrix.literal, negative)) == FALSE else "holds"
