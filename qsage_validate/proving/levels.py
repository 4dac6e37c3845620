"""The levels of a validation and what each of them found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from qsage_validate.errors import Exit
from qsage_validate.validation.finding import Finding
from qsage_validate.validation.verdict import Proved, Refuted, Undecided, Unsupported, Verdict


class Level(Enum):
    """What is checked; each can fail where the others pass.

    The values are the names in reports and of ``--level``.
    """

    DEPENDENCIES = "dependencies"
    FORMULA = "formula"
    RANDOM = "random plays"
    EXHAUSTIVE = "all plays"
    RULES = "rules"
    ENCODING = "encoding"
    TRACE = "trace"

    @property
    def number(self) -> int:
        """The level's number in the design: 1 dependencies, 2 formula, 3 plays, 4 rules.

        A trace proves what level 2 proves, of the formula's truth without a certificate.
        """
        return {
            Level.TRACE: 2,
            Level.DEPENDENCIES: 1,
            Level.FORMULA: 2,
            Level.RANDOM: 3,
            Level.EXHAUSTIVE: 3,
            Level.RULES: 4,
            Level.ENCODING: 4,
        }[self]

    @property
    def question(self) -> str:
        """What the level asks, for people."""
        return {
            Level.TRACE: "does each step of the solver's trace follow?",
            Level.DEPENDENCIES: "does each function read only variables left of its own?",
            Level.FORMULA: "does no choice of the opponent beat the functions?",
            Level.RANDOM: "are random plays won as promised?",
            Level.EXHAUSTIVE: "are all legal plays won as promised?",
            Level.RULES: "are the strategy's plays those of the rules? (by SAT)",
            Level.ENCODING: "does the formula say of every play what the rules say? (by SAT)",
        }[self]


@dataclass(frozen=True)
class LevelResult:
    """One level's verdict, wall-clock seconds, and evidence for ``--json`` and the report.

    ``evidence`` holds JSON values only (counts, names, sizes).
    """

    level: Level
    verdict: Verdict
    seconds: float
    evidence: Mapping[str, object] = field(default_factory=dict)

    @property
    def word(self) -> str:
        """The verdict in a word."""
        return {
            Proved: "proved",
            Refuted: "refuted",
            Undecided: "undecided",
            Unsupported: "not applicable",
        }[type(self.verdict)]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is wrong, when something is."""
        return self.verdict.findings if isinstance(self.verdict, Refuted) else ()

    def as_json(self) -> dict[str, object]:
        """The fields, for ``--json``."""
        return {
            "level": self.level.value,
            "number": self.level.number,
            "verdict": self.word,
            "text": str(self.verdict),
            "seconds": round(self.seconds, 3),
            "findings": [finding.as_json() for finding in self.findings],
            "evidence": dict(self.evidence),
        }


@dataclass(frozen=True)
class Report:
    """A validation: what was checked, what came out, and who is to blame.

    ``blame`` is a sentence fragment that names model, encoding, solver's answer or certificate,
    empty when nothing is wrong; ``interrupted`` says that levels are missing.
    """

    subject: str
    claim: str
    results: tuple[LevelResult, ...]
    blame: str = ""
    interrupted: bool = False
    facts: Mapping[str, object] = field(default_factory=dict)

    def result(self, level: Level) -> LevelResult | None:
        """The result of one level, if it was run."""
        return next((r for r in self.results if r.level is level), None)

    @property
    def exit_code(self) -> Exit:
        """Refuted before undecided before fine; nothing applicable counts as undecided."""
        if self.interrupted:
            return Exit.INTERRUPTED
        verdicts = [r.verdict for r in self.results]
        if any(isinstance(v, Refuted) for v in verdicts):
            return Exit.REFUTED
        if any(isinstance(v, Undecided) for v in verdicts):
            return Exit.UNDECIDED
        if any(isinstance(v, Proved) for v in verdicts):
            return Exit.FINE
        return Exit.UNDECIDED

    @property
    def last_line(self) -> str:
        """One line that a person can quote."""
        proved = [r.level.value for r in self.results if isinstance(r.verdict, Proved)]
        if self.interrupted:
            done = ", ".join(proved) or "nothing"
            return f"{self.subject}: interrupted; proved so far: {done}"
        refuted = [r for r in self.results if isinstance(r.verdict, Refuted)]
        if refuted:
            levels = ", ".join(r.level.value for r in refuted)
            blame = f": {self.blame}" if self.blame else ""
            return f"{self.subject}: refuted ({levels}){blame}"
        open_ = [r for r in self.results if isinstance(r.verdict, Undecided)]
        if open_:
            levels = ", ".join(r.level.value for r in open_)
            return f"{self.subject}: undecided ({levels}); proved: {', '.join(proved) or 'nothing'}"
        if not proved:
            return f"{self.subject}: nothing could be checked"
        return f"{self.subject}: valid: {self.claim} ({', '.join(proved)})"

    def as_json(self) -> dict[str, object]:
        """Everything, for ``--json``."""
        return {
            "subject": self.subject,
            "claim": self.claim,
            "verdict": {0: "valid", 1: "refuted", 3: "undecided", 130: "interrupted"}[
                int(self.exit_code)
            ],
            "summary": self.last_line,
            "blame": self.blame,
            "levels": [result.as_json() for result in self.results],
            "facts": dict(self.facts),
        }
