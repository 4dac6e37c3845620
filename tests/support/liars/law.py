"""The law: what may be said of a case.

No sentence about formula, game, encoding or functions is printed that brute force denies; what
nobody has changed is not refuted; what is bad input is one line and exit code 2; exit code 0
stands only where something was proved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tests.support.liars import asserted, commands
from tests.support.liars.bdd import TooLargeError
from tests.support.liars.formula import Formula, UnreadableError, read_formula, truth
from tests.support.liars.functions import Judged, read_circuit
from tests.support.liars.product import Answer
from tests.support.liars.recipes import Game, own_game, who

ACCEPTED, PROVED, REFUTED, UNDECIDED, BAD_INPUT = (
    "accepted",
    "proved",
    "refuted",
    "undecided",
    "bad input",
)
OUTCOMES = (ACCEPTED, PROVED, REFUTED, UNDECIDED, BAD_INPUT)
"""What comes of a case: a sentence about formula or game; another one; and so on."""


@dataclass(frozen=True)
class Case:
    """Files, and what is asked: ``qsage validate WORDS``, or another ``command``.

    The first word is the formula's file, also where the command does not name it.  ``given`` is
    the game that an option names; ``harmless`` that nothing may be refuted.
    """

    files: dict[str, str]
    words: tuple[str, ...]
    given: Game | None = None
    harmless: bool = False
    notes: tuple[str, ...] = ()
    command: str = "validate"
    line: tuple[str, ...] = ()

    @property
    def asked(self) -> tuple[str, ...]:
        """All words behind ``qsage``."""
        return self.line or ("validate", *self.words)

    @cached_property
    def facts(self) -> Facts:
        """What brute force knows of it."""
        return Facts(self)


@dataclass(frozen=True)
class Sentence:
    """Something that is said: ``about`` as in the reports of ``--json``."""

    about: str
    text: str
    value: bool | None = None
    black: bool | None = None
    plies: int | None = None


@dataclass(frozen=True)
class Verdict:
    """What came of a case, and which laws it broke."""

    outcome: str
    broken: tuple[str, ...] = ()
    said: tuple[Sentence, ...] = field(default=())


class Facts:
    """The truth of a case; ``None`` where brute force cannot tell."""

    def __init__(self, case: Case) -> None:
        self.case = case

    @cached_property
    def formula(self) -> Formula | None:
        """The formula, if it can be read."""
        try:
            return read_formula(self.case.files[self.case.words[0]])
        except (UnreadableError, ValueError, IndexError):
            return None

    @cached_property
    def truth(self) -> bool | None:
        """The formula's value."""
        if self.formula is None:
            return None
        try:
            return truth(self.formula)
        except (TooLargeError, UnreadableError):
            return None

    @cached_property
    def game(self) -> Game | None:
        """The game that the sentences are about."""
        if self.case.given is not None:
            return self.case.given
        try:
            return None if self.formula is None else own_game(self.formula)
        except (UnreadableError, ValueError, KeyError, IndexError):
            return None

    @cached_property
    def black(self) -> bool | None:
        """Whether Black wins that game."""
        try:
            return None if self.game is None else who(self.game)
        except (UnreadableError, ValueError, KeyError, IndexError):
            return None

    @cached_property
    def judged(self) -> Judged | None:
        """The functions of an AIGER certificate."""
        words = self.case.words
        name = words[words.index("--cert") + 1] if "--cert" in words else ""
        if self.formula is None or not name.endswith(".aag") or "--dialect" in words:
            return None
        try:
            return Judged(self.formula, read_circuit(self.case.files[name]))
        except (UnreadableError, TooLargeError):
            return None


# --- What is said --------------------------------------------------------------------------------

_GAME = re.compile(r"Black (wins|does not win) (.+?) within (\d+) (?:plies|ply|rounds?)\b")
_FORMULA = re.compile(r"the formula is (true|false)(?! exactly)")
_IMPLIED = re.compile(r"if the formula is (true|false), Black (wins|does not win)")


_DIFFERS = re.compile(r"at the start: the formula is (true|false), and Black (wins|does not win)")


_LABEL = re.compile(r'labelled "(?:[^"\\]|\\.)*"')


def _own(text: str) -> str:
    """A text without the labels in quotes, which are the files': what the product says itself."""
    return _LABEL.sub("labelled", text)


def _of_text(text: str) -> Iterator[Sentence]:
    """The sentences about formula and game in a line for people."""
    text = _own(text)
    both_ways = "the formula is true exactly when" in text or "says of every play what" in text
    if both_ways or _IMPLIED.search(text):
        yield Sentence("encoding", text)
        return
    for match in _GAME.finditer(text):
        yield Sentence("game", match[0], black=match[1] == "wins", plies=int(match[3]))
    for match in _FORMULA.finditer(text):
        yield Sentence("formula", match[0], value=match[1] == "true")


def sentences(answer: Answer) -> tuple[Sentence, ...]:
    """All that is said for true, in a report or in the last line for people."""
    report = answer.json()
    if report is None:
        lines = answer.out.strip().splitlines()
        last = lines[-1] if lines else ""
        proved = ": valid: " in last or ": proved: " in last
        return tuple(_of_text(last)) if proved or answer.code == 0 else ()
    if "statements" not in report:
        return tuple(_of_text(str(report.get("claim", "")))) if answer.code == 0 else ()
    return tuple(map(_of_json, report["statements"]))


def _of_json(said: dict[str, Any]) -> Sentence:
    winner = said.get("winner")
    return Sentence(
        said["about"],
        _own(said["text"]),
        said.get("value"),
        None if winner is None else winner == "black",
        said.get("plies"),
    )


# --- The law -------------------------------------------------------------------------------------


def judge(case: Case, answer: Answer) -> Verdict:
    """What came of a case by the law."""
    if case.command != "validate":
        slips = commands.broken(case.command, case.files, case.line, answer, case.facts.game)
        return Verdict(_of_command(answer), tuple(dict.fromkeys(slips)))
    said = sentences(answer)
    broken = [
        *_manners(answer),
        *(text for one in said for text in _lies(case.facts, one)),
        *_refutations(case, answer),
        *asserted.lies(answer.json() or {}, case.facts.judged),
    ]
    if case.harmless and answer.code == 2:
        broken.append(f"refuses what nobody has changed: {answer.err.strip()}")
    return Verdict(_outcome(answer, said), tuple(dict.fromkeys(broken)), said)


def _of_command(answer: Answer) -> str:
    names = {0: ACCEPTED, 1: REFUTED, 2: BAD_INPUT, 10: ACCEPTED, 20: ACCEPTED}
    return names.get(answer.code, UNDECIDED)


def _outcome(answer: Answer, said: tuple[Sentence, ...]) -> str:
    if answer.code == 0:
        weighty = any(one.about in ("formula", "game", "encoding") for one in said)
        return ACCEPTED if weighty else PROVED
    return {1: REFUTED, 2: BAD_INPUT}.get(answer.code, UNDECIDED)


def _manners(answer: Answer) -> Iterator[str]:
    if answer.code not in (0, 1, 2, 3):
        yield f"exit code {answer.code}: {answer.err.strip()[-300:]}"
    if answer.code == 2:
        if len(answer.faults) != 1 or answer.out:
            yield f"bad input in {len(answer.faults)} lines: {answer.err[:300]!r}"
        elif "Traceback" in answer.err or "bug" in answer.err:
            yield f"no words for bad input: {answer.err[:300]!r}"
    if "please report it" in answer.out:
        yield "calls itself a bug"
    report = answer.json()
    if report is not None and "statements" in report:
        word = report["verdict"]
        expected = {0: ("valid", "proved"), 1: ("refuted",), 3: ("undecided", "sampled")}
        if word not in expected.get(answer.code, ()):
            yield f"the verdict {word} with exit code {answer.code}"
        real = [s for s in report["statements"] if s["about"] != "sample"]
        if answer.code == 0 and not real:
            yield "exit code 0, and nothing is said"


def _lies(facts: Facts, one: Sentence) -> Iterator[str]:
    if one.about == "formula":
        if facts.truth is None:
            yield from _unknown(facts.formula is None, one)
        elif facts.truth is not one.value:
            yield f"says {one.text!r}; the formula is {facts.truth}"
    elif one.about == "game":
        if facts.black is None:
            yield f"says {one.text!r} of a game that nobody has given"
        elif facts.black is not one.black:
            yield f"says {one.text!r}; by brute force Black wins: {facts.black}"
        elif facts.game is not None and _depth(one) not in (None, facts.game.plies):
            yield f"says {one.text!r}; the game has {facts.game.plies} plies"
    elif one.about == "encoding":
        implied = _IMPLIED.search(one.text)
        if implied is not None and (implied[1] == "true") is not (implied[2] == "wins"):
            yield f"says {one.text!r}, which no encoding means"
        asked = implied is None or facts.truth is (implied[1] == "true")
        known = None not in (facts.truth, facts.black)
        if asked and known and facts.truth is not facts.black:
            yield (f"says {one.text!r}; the formula is {facts.truth}, Black wins: {facts.black}")
    elif one.about == "functions" and facts.judged is not None:
        yield from _lies_of_functions(facts.judged, one)


def _depth(one: Sentence) -> int | None:
    """The depth that a sentence names: plies, in GDL rounds."""
    match = _GAME.search(_own(one.text))
    return one.plies if match is None else int(match[3])


def _unknown(unreadable: bool, one: Sentence) -> Iterator[str]:
    if unreadable:
        yield f"says {one.text!r} of a formula that cannot be read"


def _lies_of_functions(judged: Judged, one: Sentence) -> Iterator[str]:
    try:
        if "reads only" in one.text and judged.peeks():
            yield f"says {one.text!r}; a function depends on a later variable"
        if "beats the functions" in one.text and not judged.wins():
            yield f"says {one.text!r}; some choice does"
    except (TooLargeError, UnreadableError):
        return


def _refutations(case: Case, answer: Answer) -> Iterator[str]:
    report = answer.json()
    if answer.code != 1:
        return
    if case.harmless:
        yield f"refutes what nobody has changed: {_findings(report)}"
    if report is None:
        return
    yield from _differences(case.facts, report)
    if case.facts.judged is None:
        return
    judged = case.facts.judged
    levels = {level["level"]: level["verdict"] for level in report["levels"]}
    try:
        if levels.get("dependencies") == "refuted" and not judged.mentions_right():
            yield "refutes dependencies; no function reaches a later variable"
        if levels.get("formula") == "refuted" and judged.wins():
            yield "refutes the functions; no choice beats them"
    except (TooLargeError, UnreadableError):
        return


def _differences(facts: Facts, report: dict[str, Any]) -> Iterator[str]:
    """What is false of a formula that is said to differ from the game before the first move."""
    for level in report["levels"]:
        for finding in level["findings"]:
            match = _DIFFERS.search(finding["text"])
            if match is None:
                continue
            if facts.truth is not None and facts.truth is not (match[1] == "true"):
                yield f"refutes by {match[0]!r}; the formula is {facts.truth}"
            if facts.black is not None and facts.black is not (match[2] == "wins"):
                yield f"refutes by {match[0]!r}; by brute force Black wins: {facts.black}"


def _findings(report: dict[str, Any] | None) -> str:
    if report is None:
        return "(no report)"
    texts = [
        f"{level['level']}: {finding.get('text', finding)}"
        for level in report["levels"]
        for finding in level["findings"][:1]
    ]
    texts += [str(c.get("text", c)) for c in report.get("contradictions", [])]
    return "; ".join(texts)[:400]
