"""Level 3, random plays: each play depends on the seed and on its number alone.

Plays are made in slices of a fixed size.  A slice is played by one process from its numbers
alone, so that the results are the same however many processes there are.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from qsage_validate.arena.adversary import KEPT_FINDINGS, Adversary, PlayResults
from qsage_validate.arena.open import open_adversary, open_board_adversary, open_play_engine
from qsage_validate.certificates.oracles.choose import OracleKind
from qsage_validate.errors import Undecided, UsageError
from qsage_validate.problems.load import BoardProblem, Problem
from qsage_validate.proving.levels import Level
from qsage_validate.proving.plays.vector_plays import VectorAdversary
from qsage_validate.proving.plays.vector_walk import VectorWalk, vector_walk, walks
from qsage_validate.proving.run import NO_FUNCTIONS, LevelInterrupted, LevelResult, unsupported
from qsage_validate.strategies.readings import split_moves
from qsage_validate.system.limits import NEVER, Deadline, Stopwatch
from qsage_validate.system.progress import Progress, Tell, nobody
from qsage_validate.validation.finding import Finding
from qsage_validate.validation.verdict import Refuted, Sampled, Verdict

if TYPE_CHECKING:
    from qsage_validate.proving.run import ValidationRun

# Plays of a slice, on arrays and otherwise.
_SLICE_ON_ARRAYS: Final = 8192
_SLICE: Final = 256


@dataclass(frozen=True, slots=True)
class RandomPart:
    """One way of playing: its name in reports, and its parameters."""

    name: str
    games: int
    illegal: float
    bias: bool


_Slice = tuple[RandomPart, range]


@dataclass(slots=True)
class _Tally:
    """The results of some slices; ``keys`` tell different findings apart."""

    plays: int = 0
    won: int = 0
    lost: int = 0
    tried: int = 0
    flagged: int = 0
    plies: Counter[int] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)
    keys: set[bytes] = field(default_factory=set)
    digests: list[bytes] = field(default_factory=list)

    def add(self, other: _Tally) -> None:
        self.plays += other.plays
        self.won += other.won
        self.lost += other.lost
        self.tried += other.tried
        self.flagged += other.flagged
        self.plies += other.plies
        known = {_key(finding) for finding in self.findings}
        self.findings += [f for f in other.findings if _key(f) not in known]
        self.findings = sorted(self.findings, key=_order)[:KEPT_FINDINGS]
        self.keys |= other.keys
        self.digests += other.digests

    def to_dict(self) -> dict[str, object]:
        return {
            "plays": self.plays,
            "won": self.won,
            "lost": self.lost,
            "undecided": self.plays - self.won - self.lost,
            "illegal moves tried": self.tried,
            "illegal moves flagged": self.flagged,
            "findings": len(self.keys),
            "plays by plies": {str(n): self.plies[n] for n in sorted(self.plies)},
            "digest": hashlib.sha256(b"".join(self.digests)).hexdigest(),
        }


def _key(finding: Finding) -> bytes:
    text = "\n".join((finding.kind.value, *finding.moves))
    return hashlib.blake2b(text.encode(), digest_size=12).digest()


def _order(finding: Finding) -> tuple[int, str, tuple[str, ...]]:
    return finding.ply, finding.kind.value, finding.moves


class _LateError(Exception):
    """Time was up in the middle of a slice."""


class _Players:
    """The adversaries of a problem, one for each part, made when they are first needed.

    Until then it is picklable, so that each process can have its own.
    """

    def __init__(
        self, problem: Problem, seed: int, slices: Sequence[_Slice], deadline: Deadline
    ) -> None:
        self._problem = problem
        self._seed = seed
        self._slices = slices
        self._deadline = deadline
        self._walk: VectorWalk | None = None
        self._adversaries: dict[RandomPart, Adversary] = {}

    def play(self, number: int) -> _Tally | None:
        """Play a slice; ``None`` when time is up."""
        part, numbers = self._slices[number]
        try:
            self._tick()
            if part not in self._adversaries:
                self._adversaries[part] = self._opened(part)
            adversary = self._adversaries[part]
            return self._tally(adversary, adversary.play(numbers))
        except _LateError:
            return None

    def _tick(self) -> None:
        if self._deadline.over:
            raise _LateError

    def _opened(self, part: RandomPart) -> Adversary:
        problem, illegal, bias = self._problem, part.illegal, part.bias
        if not walks(problem):
            return open_adversary(problem, seed=self._seed, illegal=illegal, bias=bias)
        if self._walk is None:
            self._walk = vector_walk(problem)
        reference = open_board_adversary(problem, seed=self._seed, illegal=illegal, bias=bias)
        return VectorAdversary(self._walk, reference, tick=self._tick)

    def _tally(self, adversary: Adversary, results: PlayResults) -> _Tally:
        digest = hashlib.sha256()
        for text in results.texts:
            digest.update(text.encode() + b"\n")
        found = sorted(results.findings, key=_order)
        texts = [] if self._problem.layout is None else results.texts
        return _Tally(
            len(results.texts),
            results.promised.count(True),
            results.promised.count(False),
            results.tried,
            results.flagged,
            Counter(len(split_moves(text)) for text in texts),
            adversary.with_replays(found[:KEPT_FINDINGS]),
            {_key(finding) for finding in found},
            [digest.digest()],
        )


def attack(
    problem: Problem,
    *,
    games: int,
    seed: int = 0,
    illegal: float = 0.0,
    bias: bool | None = None,
    jobs: int = 1,
    deadline: Deadline = NEVER,
    tell: Tell = nobody,
) -> LevelResult:
    """Play ``games`` random plays against a certificate and compare each with the rules.

    ``illegal`` is the probability with which an illegal move is tried at each ply, and ``bias``
    says whether moves that were made least are preferred.  With ``bias=None`` the plays are
    divided: legal moves only, with illegal moves, biased with illegal moves (as far as the
    layout tells what is illegal).  The same seed gives the same plays and results for any number
    of ``jobs``.

    Raises ``UsageError`` for numbers out of range, and :class:`LevelInterrupted`, a
    ``KeyboardInterrupt``, on Ctrl-C.
    """
    if games < 1:
        raise UsageError(f"found {games} games, expected 1 or more")
    if jobs < 1:
        raise UsageError(f"found {jobs} jobs, expected 1 or more")
    if not 0 <= illegal <= 1:
        raise UsageError(f"found the probability {illegal}, expected 0 to 1")
    parts = _parts(problem, games, illegal, bias)
    size = _SLICE_ON_ARRAYS if walks(problem) else _SLICE
    slices = [
        (part, range(first, min(first + size, part.games)))
        for part in parts
        for first in range(0, part.games, size)
    ]
    run = _Run(problem, seed, parts, slices, games, deadline, tell)
    return run.play(min(jobs, len(slices)))


def _parts(problem: Problem, games: int, illegal: float, bias: bool | None) -> list[RandomPart]:
    if not isinstance(problem, BoardProblem):
        return [RandomPart("random values", games, 0.0, bias=False)]
    if bias is not None:
        return [RandomPart("biased" if bias else "random", games, illegal, bias)]
    tells = open_play_engine(problem, problem.oracle(OracleKind.SIMULATION)).knows_illegal()
    chance = illegal if tells else 0.0
    ways = [("legal moves", 0.0, False), ("least seen moves", chance, True)]
    if chance:
        ways.insert(1, ("with illegal moves", chance, False))
    shares = [games // len(ways) + (k < games % len(ways)) for k in range(len(ways))]
    return [
        RandomPart(n, share, i, b) for (n, i, b), share in zip(ways, shares, strict=True) if share
    ]


class _Run:
    """Plays slices, here or in processes, and adds up in their order."""

    def __init__(
        self,
        problem: Problem,
        seed: int,
        parts: Sequence[RandomPart],
        slices: Sequence[_Slice],
        games: int,
        deadline: Deadline,
        tell: Tell,
    ) -> None:
        self._problem = problem
        self._seed = seed
        self._slices = slices
        self._games = games
        self._tell = tell
        self._watch = Stopwatch()
        self._deadline = deadline
        self._total = _Tally()
        self._parts = {part: _Tally() for part in parts}

    def play(self, jobs: int) -> LevelResult:
        players = _Players(self._problem, self._seed, self._slices, self._deadline)
        try:
            if jobs > 1:
                return self._result(self._by_processes(players, jobs))
            self._add_up(map(players.play, range(len(self._slices))))
        except KeyboardInterrupt:
            raise LevelInterrupted(self._result("interrupted")) from None
        return self._result("time is up")

    def _by_processes(self, players: _Players, jobs: int) -> str:
        """Play in processes; why some plays were not made, if so."""
        from qsage_validate.system.pool import WorkerFailedError, ordered_map

        count, deadline = len(self._slices), self._deadline
        try:
            with closing(
                ordered_map(_Players.play, players, count, jobs, deadline=deadline)
            ) as tallies:
                self._add_up(tallies)
        except WorkerFailedError as error:
            if not error.killed:
                raise
            return "a process was killed (is there too little memory?)"
        return "time is up"

    def _add_up(self, tallies: Iterable[_Tally | None]) -> None:
        for (part, _), tally in zip(self._slices, tallies, strict=False):
            if tally is None:
                return
            self._total.add(tally)
            self._parts[part].add(tally)
            done, total = self._total.plays, self._games
            self._tell(Progress(Level.RANDOM.value, f"{done:,} of {total:,} plays", done, total))

    def _result(self, why_stopped: str) -> LevelResult:
        seconds, total = self._watch.seconds, self._total
        evidence = total.to_dict() | {
            "seed": self._seed,
            "plays per second": round(total.plays / seconds) if seconds > 0 else None,
            "on arrays": walks(self._problem),
            "parts": {part.name: tally.to_dict() for part, tally in self._parts.items()},
        }
        return LevelResult(Level.RANDOM, self._verdict(why_stopped), seconds, evidence)

    def _verdict(self, why_stopped: str) -> Verdict:
        total = self._total
        if total.findings:
            return Refuted(tuple(total.findings))
        if total.plays < self._games:
            return Undecided(
                f"{why_stopped} after {total.plays:,} of {self._games:,} plays, "
                f"{total.won:,} of them won as promised"
            )
        if total.won < total.plays:
            rest = total.plays - total.won
            return Undecided(f"of {rest:,} of {total.plays:,} plays nobody can tell who won")
        return Sampled(f"{total.plays:,} random plays")


def random_level(run: ValidationRun) -> LevelResult | None:
    if run.problem.certificate is None:
        return None
    problem, options = run.whole, run.options
    if problem is None:
        return unsupported(Level.RANDOM, NO_FUNCTIONS)
    result = attack(
        problem,
        games=options.games,
        seed=options.seed,
        illegal=options.illegal,
        jobs=options.jobs,
        deadline=run.deadline,
        tell=run.begin(Level.RANDOM),
    )
    return run.playable(result, problem)
