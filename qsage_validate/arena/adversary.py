"""Adversaries: random plays, what is counted of them, and the report.

How plays are made is for those who make them: on a board many in lock step, in the bare game all
values at once, heaps one play after the other, on arrays whole layers.
"""

from __future__ import annotations

import hashlib
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from qsage_validate.errors import UsageError
from qsage_validate.validation.finding import Finding

# Findings that are kept; all of them are counted.
KEPT_FINDINGS = 100


def _play(finding: Finding) -> Hashable:
    """Findings of one kind in one play are the same."""
    return finding.kind, finding.moves


@dataclass(slots=True)
class Findings:
    """Findings without repetitions; ``same`` says whether two findings are one."""

    same: Callable[[Finding], Hashable] = _play
    _found: dict[Hashable, Finding] = field(default_factory=dict)

    def add(self, findings: Iterable[Finding]) -> None:
        """Take note of findings, unless they are known."""
        for finding in findings:
            self._found.setdefault(self.same(finding), finding)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._found.values())

    def __len__(self) -> int:
        return len(self._found)

    @property
    def kept(self) -> list[Finding]:
        """The first of them, as many as are kept."""
        return list(self)[:KEPT_FINDINGS]


@dataclass(slots=True)
class Results:
    """The results of some plays, in their order.

    ``texts`` are their moves, ``promised`` whether each ended as promised (``None``: it is
    unknown).  ``given`` counts plays that were lost without a promise to win them, which are not
    among ``promised``; ``plies`` are counted where plays may go on for ever.  ``tried`` counts
    attempts at illegal moves, ``flagged`` those that were recognised.
    """

    texts: list[str] = field(default_factory=list)
    promised: list[bool | None] = field(default_factory=list)
    tried: int = 0
    flagged: int = 0
    given: int = 0
    plies: int = 0
    findings: Findings = field(default_factory=Findings)

    def add(self, other: Results) -> None:
        """Count ``other``, which comes after these."""
        self.texts += other.texts
        self.promised += other.promised
        self.tried += other.tried
        self.flagged += other.flagged
        self.given += other.given
        self.plies += other.plies
        self.findings.add(other.findings)


@dataclass(frozen=True, slots=True)
class AdversaryReport:
    """The summary of a run; ``digest`` is a hash of all plays: equal for equal plays."""

    games: int
    seed: int
    results: Results
    findings: tuple[Finding, ...]
    seconds: float
    digest: str

    @property
    def wins(self) -> int:
        """The plays that the certificate's side won as promised."""
        return self.results.promised.count(True)

    @property
    def losses(self) -> int:
        """The plays that it did not win as promised."""
        return self.results.promised.count(False)

    @property
    def undecided(self) -> int:
        """The plays for which neither rules nor formula tell."""
        return self.results.promised.count(None)

    @property
    def findings_total(self) -> int:
        """The number of findings; only the first ones are kept."""
        return len(self.results.findings)

    @property
    def plays_per_second(self) -> float:
        """Plays in a second, loading not counted."""
        return self.games / self.seconds if self.seconds > 0 else 0.0

    @property
    def clean(self) -> bool:
        """Every play was won as promised and nothing was found."""
        return self.wins == self.games and not self.findings_total

    def as_json(self) -> dict[str, object]:
        """The summary, for ``--json``."""
        return {
            "games": self.games,
            "wins": self.wins,
            "losses": self.losses,
            "undecided": self.undecided,
            "illegal_tried": self.results.tried,
            "illegal_flagged": self.results.flagged,
            "findings": [finding.as_json() for finding in self.findings],
            "findings_total": self.findings_total,
            "seed": self.seed,
            "plays_per_second": round(self.plays_per_second, 1),
            "seconds": round(self.seconds, 3),
            "digest": self.digest,
        }


class Adversary(ABC):
    """Plays at random; each play depends on the seed and its number alone.

    ``batch`` plays are made at a time; more than that are made in several passes.
    """

    batch = 4096

    def __init__(self, seed: int) -> None:
        self.seed = seed

    @abstractmethod
    def play(self, numbers: Sequence[int]) -> Results:
        """Play the plays of these numbers."""

    def with_replays(self, findings: Iterable[Finding]) -> list[Finding]:
        """The findings with the commands that replay them, where they have none yet."""
        return list(findings)

    def run(
        self,
        games: int,
        *,
        batch: int | None = None,
        progress: Callable[[int], None] = lambda done: None,
    ) -> AdversaryReport:
        """Play ``games`` plays; ``progress`` is called with the number of plays done."""
        if games < 1:
            raise UsageError(f"found {games} games, expected 1 or more")
        began, digest = time.perf_counter(), hashlib.sha256()
        results: Results | None = None
        for first in range(0, games, batch or self.batch):
            numbers = range(first, min(first + (batch or self.batch), games))
            part = self.play(numbers)
            digest.update("".join(f"{text}\n" for text in part.texts).encode())
            part.texts.clear()
            if results is None:
                results = part
            else:
                results.add(part)
            progress(numbers.stop)
        assert results is not None, "there is a play"
        findings = tuple(self.with_replays(results.findings.kept))
        seconds = time.perf_counter() - began
        return AdversaryReport(games, self.seed, results, findings, seconds, digest.hexdigest())
