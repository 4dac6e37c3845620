"""Adversaries: random plays, what is counted of them, and the report.

How plays are made is for those who make them: on a board many in lock step, in the bare game all
values at once, heaps one play after the other, on arrays whole layers.

:class:`EngineAdversary` plays against anything that answers: one play after the other, legal moves
only.

Random numbers belong to a play.  The generator is SplitMix64 (Steele, Lea and Flood, *Fast
splittable pseudorandom number generators*, OOPSLA 2014).  Its state is one machine word, so that a
million plays have a generator each (:class:`Draws`), and numpy draws for all of them in a few
operations (:class:`ManyDraws`).  A play's numbers depend on the seed and the play's number alone.
"""

from __future__ import annotations

import hashlib
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from qsage_validate.errors import UsageError
from qsage_validate.validation.finding import Finding

if TYPE_CHECKING:
    from qsage_validate.arena.engines.engine import Engine
    from qsage_validate.arena.frame import Frame

_GAMMA: Final = 0x9E3779B97F4A7C15
_FIRST: Final = 0xBF58476D1CE4E5B9
_SECOND: Final = 0x94D049BB133111EB
_MASK: Final = (1 << 64) - 1

_Item = TypeVar("_Item")


def _mix(z: int) -> int:
    z = (z ^ z >> 30) * _FIRST & _MASK
    z = (z ^ z >> 27) * _SECOND & _MASK
    return z ^ z >> 31


def _mix_all(z: NDArray[np.uint64]) -> NDArray[np.uint64]:
    z = (z ^ z >> np.uint64(30)) * np.uint64(_FIRST)
    z = (z ^ z >> np.uint64(27)) * np.uint64(_SECOND)
    mixed: NDArray[np.uint64] = z ^ z >> np.uint64(31)
    return mixed


def _key(seed: int) -> int:
    """A word for a seed of any size."""
    return int.from_bytes(hashlib.sha256(str(seed).encode()).digest()[:8], "little")


class Draws:
    """Random numbers of one play: its moves do not depend on the other plays of a batch."""

    __slots__ = ("_state",)

    def __init__(self, seed: int, play: int) -> None:
        self._state = _key(seed) ^ _mix(play & _MASK)

    def _word(self) -> int:
        self._state = self._state + _GAMMA & _MASK
        return _mix(self._state)

    def random(self) -> float:
        """A number from 0 to 1, without 1."""
        return (self._word() >> 11) * 2.0**-53

    def below(self, bound: int) -> int:
        """A number from 0 to ``bound`` - 1; ``bound`` is at least 1 and below 2**32."""
        return (self._word() >> 32) * bound >> 32

    def choice(self, items: Sequence[_Item]) -> _Item:
        """One of ``items``."""
        return items[self.below(len(items))]


class ManyDraws:
    """Random numbers for many plays at once: ``plays[k]`` draws as :class:`Draws` does.

    ``rows`` are the indices of those plays that draw, each at most once.
    """

    def __init__(self, seed: int, plays: Sequence[int]) -> None:
        numbers = np.fromiter((play & _MASK for play in plays), np.uint64, len(plays))
        self._states = np.uint64(_key(seed)) ^ _mix_all(numbers)

    def _words(self, rows: NDArray[np.intp]) -> NDArray[np.uint64]:
        states = self._states[rows] + np.uint64(_GAMMA)
        self._states[rows] = states
        return _mix_all(states)

    def random(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """A number from 0 to 1, without 1, for each of ``rows``."""
        drawn = (self._words(rows) >> np.uint64(11)).astype(np.float64)
        drawn *= 2.0**-53
        return drawn

    def below(self, rows: NDArray[np.intp], bounds: NDArray[np.intp]) -> NDArray[np.intp]:
        """A number from 0 to ``bounds[k]`` - 1 for each of ``rows``."""
        half = np.uint64(32)
        drawn = (self._words(rows) >> half) * bounds.astype(np.uint64) >> half
        return drawn.astype(np.intp)


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
class PlayResults:
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

    def add(self, other: PlayResults) -> None:
        """Count ``other``, which comes after these."""
        self.texts += other.texts
        self.promised += other.promised
        self.tried += other.tried
        self.flagged += other.flagged
        self.given += other.given
        self.plies += other.plies
        self.findings.add(other.findings)

    def __repr__(self) -> str:
        return f"<PlayResults of {len(self.promised)} plays>"


@dataclass(frozen=True, slots=True)
class AdversaryReport:
    """The summary of a run; ``digest`` is a hash of all plays: equal for equal plays."""

    games: int
    seed: int
    results: PlayResults
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

    def to_dict(self) -> dict[str, object]:
        """The summary, for ``--json``."""
        return {
            "games": self.games,
            "wins": self.wins,
            "losses": self.losses,
            "undecided": self.undecided,
            "illegal_tried": self.results.tried,
            "illegal_flagged": self.results.flagged,
            "findings": [finding.to_dict() for finding in self.findings],
            "findings_total": self.findings_total,
            "seed": self.seed,
            "plays_per_second": round(self.plays_per_second, 1),
            "seconds": round(self.seconds, 3),
            "digest": self.digest,
        }

    def __repr__(self) -> str:
        return f"<AdversaryReport {self.games} games, {self.losses} lost>"


class Adversary(ABC):
    """Plays at random; each play depends on the seed and its number alone.

    ``batch`` plays are made at a time; more than that are made in several passes.
    """

    batch = 4096

    def __init__(self, seed: int) -> None:
        self.seed = seed

    @abstractmethod
    def play(self, numbers: Sequence[int]) -> PlayResults: ...

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
        results = PlayResults()
        for first in range(0, games, batch or self.batch):
            numbers = range(first, min(first + (batch or self.batch), games))
            part = self.play(numbers)
            digest.update("".join(f"{text}\n" for text in part.texts).encode())
            part.texts.clear()
            results.add(part)
            progress(numbers.stop)
        findings = tuple(self.with_replays(results.findings.kept))
        seconds = time.perf_counter() - began
        return AdversaryReport(games, self.seed, results, findings, seconds, digest.hexdigest())


class EngineAdversary(Adversary):
    """Plays random legal moves against ``engine``; ``replay`` makes commands for findings."""

    batch = 64

    def __init__(
        self, engine: Engine, replay: Callable[[Sequence[str]], str], *, seed: int
    ) -> None:
        super().__init__(seed)
        self._engine = engine
        self._replay = replay

    def play(self, numbers: Sequence[int]) -> PlayResults:
        results = PlayResults()
        for number in numbers:
            frames = self._play(Draws(self.seed, number))
            outcome = frames[-1].outcome
            assert outcome is not None, "the play has ended"
            results.texts.append(" ".join(str(frame.move) for frame in frames if frame.changed))
            if outcome.winner is not None and outcome.promised is None:
                results.given += 1
            else:
                results.promised.append(outcome.promised)
            own = [str(f.move) for f in frames if f.changed and not f.by_certificate]
            found = [finding for frame in frames for finding in frame.findings]
            results.findings.add(replace(f, replay=self._replay(own)) for f in found)
        return results

    def _play(self, draws: Draws) -> list[Frame]:
        from qsage_validate.arena.engines.engine import answered

        frames = [*answered(self._engine, self._engine.start())]
        while not frames[-1].over:
            move = draws.choice(self._engine.legal(frames[-1]))
            frames += answered(self._engine, self._engine.push(frames[-1], move, None, claim=False))
        return frames
