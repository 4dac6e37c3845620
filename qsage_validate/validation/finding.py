"""What was found: differences of a play, and verdicts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from qsage_validate.errors import Conclusion, Exit, Proof, Refutation, Undecided, counted, one_line
from qsage_validate.games.protocol import BoardPicture, Player
from qsage_validate.kernel.player import FindingKind as FindingKind  # noqa: PLC0414 (re-exported)

# Findings: what the referee saw that should not be, in a form that can be replayed


# Findings that are seen without playing, and those that may be of a play as well.
_BY_LOOKING: Final = frozenset(
    (FindingKind.LOOKS_RIGHT, FindingKind.TRACE_WRONG, FindingKind.PART_LOSES)
)
_AT_ONCE: Final = frozenset((FindingKind.LAYOUT_DIFFERS,))


@dataclass(frozen=True, slots=True)
class Evidence:
    """A variable or gate and its value: ``name`` is the file's, ``meaning`` the layout's.

    ``value`` is ``None`` when it differs from square to square or is not known.
    """

    literal: int
    name: str
    value: bool | None
    meaning: str = ""

    def __str__(self) -> str:
        shown = "?" if self.value is None else str(int(self.value))
        meaning = f" ({self.meaning})" if self.meaning else ""
        return f"{self.name}{meaning} = {shown}"

    def to_dict(self) -> dict[str, object]:
        """The fields, for ``--json``."""
        return {"name": self.name, "value": self.value, "meaning": self.meaning}


@dataclass(frozen=True, slots=True)
class DecidingGate:
    """One of the gates that are enough to decide a formula: its name, or its clause.

    ``line`` is the one of the file where the gate is defined, ``comment`` the last one above it.
    """

    name: str
    line: int | None = None
    comment: str = ""

    @property
    def place(self) -> str:
        """The name, and the line where it is known."""
        return self.name if self.line is None else f"{self.name} (line {self.line})"

    def to_dict(self) -> dict[str, object]:
        """The fields, for ``--json``."""
        return {"name": self.name, "line": self.line, "comment": self.comment}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong.

    ``ply`` is the number of plies played when it was seen (0 for the initial board);
    ``squares`` are 1-based; ``evidence`` holds the variables and gates concerned; ``rule`` is
    the rule in the model's own words; ``moves`` are all moves up to there, in their text form;
    ``replay`` is the command that shows it again (empty until the caller knows the files).
    ``guessed`` are variables on whose values, which no play gives, the replies up to there rest:
    with other values there may be no such play.  ``position`` and ``board`` show where a
    formula has not the game's value; ``gates`` are enough to make it false there,
    and ``without_gates`` says why there are none.
    """

    kind: FindingKind
    ply: int
    detail: str
    player: Player | None = None
    move: str | None = None
    squares: tuple[tuple[int, int], ...] = ()
    evidence: tuple[Evidence, ...] = ()
    rule: str | None = None
    moves: tuple[str, ...] = ()
    replay: str = ""
    guessed: tuple[int, ...] = ()
    position: str = ""
    board: BoardPicture | None = None
    gates: tuple[DecidingGate, ...] = ()
    without_gates: str = ""

    @property
    def text(self) -> str:
        """The finding in one line."""
        where = " at the start" if self.ply == 0 else f" after ply {self.ply}"
        if self.kind in _BY_LOOKING or (self.kind in _AT_ONCE and self.ply == 0):
            where = ""
        line = f"{self.kind.value}{where}: {self.detail}"
        if self.evidence:
            line += "; " + ", ".join(str(e) for e in self.evidence)
        return one_line(line)

    def with_replay(self, command: str) -> Finding:
        return replace(self, replay=command)

    def to_dict(self) -> dict[str, object]:
        """The fields, for ``--json``; of a difference in value, position and gates as well."""
        compared: dict[str, object] = {}
        if self.position:
            gates = [gate.to_dict() for gate in self.gates]
            compared = {
                "position": self.position,
                "gates": gates,
                "without_gates": self.without_gates,
            }
        return compared | {
            "kind": self.kind.value,
            "ply": self.ply,
            "text": self.text,
            "player": None if self.player is None else self.player.value,
            "move": self.move,
            "squares": [list(square) for square in self.squares],
            "evidence": [e.to_dict() for e in self.evidence],
            "rule": self.rule,
            "moves": list(self.moves),
            "replay": self.replay,
            "guessed": list(self.guessed),
        }

    def __repr__(self) -> str:
        return f"<Finding {self.kind.value}, ply {self.ply}>"


@dataclass(frozen=True, slots=True)
class SimilarFindings:
    """Findings whose plays have one length and one last move."""

    plies: int
    player: Player | None
    move: str | None
    findings: tuple[Finding, ...]

    def __str__(self) -> str:
        last = "" if self.move is None else f", {self.player}'s last move {self.move}"
        return f"{self.plies} plies{last}: {len(self.findings)}"

    def to_dict(self) -> dict[str, object]:
        """The fields, for ``--json``."""
        return {
            "plies": self.plies,
            "player": None if self.player is None else self.player.value,
            "move": self.move,
            "plays": [list(finding.moves) for finding in self.findings],
        }


def grouped(findings: Iterable[Finding]) -> tuple[SimilarFindings, ...]:
    """Findings by the length of their plays, the player and the last move; large groups first."""
    found: dict[tuple[int, Player | None, str | None], list[Finding]] = {}
    for finding in findings:
        found.setdefault((len(finding.moves), finding.player, finding.move), []).append(finding)
    groups = (SimilarFindings(*key, tuple(own)) for key, own in found.items())
    return tuple(sorted(groups, key=lambda group: (group.plies, -len(group.findings))))


# Verdicts of a validation: six types, so that none can be mistaken for another


@dataclass(frozen=True, slots=True)
class Proved(Proof):
    """The claim holds; ``reason`` says which check established it."""

    reason: str


@dataclass(frozen=True, slots=True)
class Refuted(Refutation):
    """The claim fails: ``findings`` (at least one) say where and how to replay it."""

    findings: tuple[Finding, ...]

    def __post_init__(self) -> None:
        if not self.findings:
            raise ValueError("a refutation needs a finding")

    @property
    def reason(self) -> str:
        more = len(self.findings) - 1
        return self.findings[0].text + (f" (and {more} more)" if more else "")

    def __repr__(self) -> str:
        return f"<Refuted: {counted(len(self.findings), 'finding')}>"


@dataclass(frozen=True, slots=True)
class Sampled(Conclusion):
    """Some cases were tried and nothing was wrong with them; ``reason`` says how many of what.

    Nothing is proved by that.
    """

    word = "no fault found"
    exit_code = Exit.UNDECIDED

    reason: str

    def __str__(self) -> str:
        return f"{self.word} in {self.reason}"


@dataclass(frozen=True, slots=True)
class Claimed(Conclusion):
    """A solver, or a file, says that the claim holds; ``reason`` says who says what, unchecked.

    Nothing is proved by that.
    """

    word = "claimed"
    exit_code = Exit.UNDECIDED

    reason: str


@dataclass(frozen=True, slots=True)
class Unsupported(Conclusion):
    """The question cannot be asked of these files; ``reason`` says what is missing."""

    word = "unsupported"
    exit_code = Exit.BAD_INPUT

    reason: str


Verdict = Proved | Refuted | Sampled | Claimed | Undecided | Unsupported
