"""The levels of a validation and what each of them found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Final

from qsage_validate.errors import Undecided, UsageError, did_you_mean
from qsage_validate.system.json_keys import snake_case
from qsage_validate.validation.finding import Finding
from qsage_validate.validation.verdict import (
    Claimed,
    Proved,
    Refuted,
    Sampled,
    Unsupported,
    Verdict,
)

if TYPE_CHECKING:
    from qsage_validate.kernel.obligation import Obligation


class Level(Enum):
    """The levels of a validation; each can fail where the others pass.

    The values are the names in reports and of ``--level``.
    """

    DEPENDENCIES = "dependencies"
    FORMULA = "formula"
    RANDOM = "random plays"
    EXHAUSTIVE = "all plays"
    RULES = "rules"
    BOARDS = "boards"
    ENCODING = "encoding"
    ASSERTIONS = "assertions"
    TRACE = "trace"

    @property
    def number(self) -> int:
        """The level's number in the design: 1 dependencies, 2 formula, 3 plays, 4 rules.

        A trace proves what level 2 proves, of the formula's truth without a certificate.
        """
        return _ABOUT[self][0]

    @property
    def question(self) -> str:
        """The question of the level, for people."""
        return _ABOUT[self][1]


_ABOUT: Final[Mapping[Level, tuple[int, str]]] = {
    Level.DEPENDENCIES: (1, "does each function read only variables left of its own?"),
    Level.FORMULA: (2, "does no choice of the opponent beat the functions?"),
    Level.RANDOM: (3, "are random plays won as promised?"),
    Level.EXHAUSTIVE: (3, "are all legal plays won as promised?"),
    Level.RULES: (4, "does the strategy win every play by the rules? (by SAT)"),
    Level.BOARDS: (4, "are the formula's boards and legality those of the rules? (by SAT)"),
    Level.ENCODING: (4, "is the formula true exactly when Black wins by the rules? (by SAT)"),
    Level.ASSERTIONS: (4, "does what is asserted hold in every play? (by SAT)"),
    Level.TRACE: (2, "does each step of the solver's trace follow?"),
}


LEVELS: Final[Mapping[str, Level]] = {
    {Level.RANDOM: "random", Level.EXHAUSTIVE: "all"}.get(level, level.value): level
    for level in (Level.TRACE, *Level)
}
"""The levels by the names that ``--level`` takes."""


def levels_named(names: Iterable[str]) -> tuple[Level, ...]:
    """The levels of these names, or of one, in the order of a run; raises ``UsageError``."""
    wanted = set()
    for name in (names,) if isinstance(names, str) else names:
        if name not in LEVELS:
            known = ", ".join(LEVELS)
            near = did_you_mean(name, LEVELS)
            raise UsageError(f"found --level {name}{near}, expected one of {known}")
        wanted.add(LEVELS[name])
    return tuple(level for level in Level if level in wanted)


@dataclass(frozen=True)
class LevelResult:
    """One level's verdict, wall-clock seconds, and evidence for ``--json`` and the report.

    ``evidence`` holds JSON values only (counts, names, sizes).  ``obligation`` has the claims that
    a SAT solver has proved, where the level is such a proof.
    """

    level: Level
    verdict: Verdict
    seconds: float
    evidence: Mapping[str, object] = field(default_factory=dict)
    obligation: Obligation | None = field(default=None, compare=False, repr=False)

    @property
    def word(self) -> str:
        return {
            Proved: "proved",
            Refuted: "refuted",
            Sampled: "sampled",
            Claimed: "claimed",
            Undecided: "undecided",
            Unsupported: "not applicable",
        }[type(self.verdict)]

    @property
    def said(self) -> str:
        """The verdict in words, without the one of :attr:`word`."""
        text = str(self.verdict)
        return text if isinstance(self.verdict, Sampled) else text.partition(": ")[2]

    @property
    def findings(self) -> tuple[Finding, ...]:
        return self.verdict.findings if isinstance(self.verdict, Refuted) else ()

    def to_dict(self) -> dict[str, object]:
        """The fields, for ``--json``."""
        return {
            "level": self.level.value,
            "number": self.level.number,
            "verdict": self.word,
            "text": str(self.verdict),
            "seconds": round(self.seconds, 3),
            "findings": [finding.to_dict() for finding in self.findings],
            "evidence": snake_case(self.evidence),
        }

    def __repr__(self) -> str:
        return f"<LevelResult {self.level.value}: {self.word}>"


class LevelInterrupted(KeyboardInterrupt):
    """Ctrl-C in the middle of a level; ``partial`` is its undecided or refuted result so far."""

    def __init__(self, partial: LevelResult) -> None:
        super().__init__(str(partial.verdict))
        self.partial = partial
