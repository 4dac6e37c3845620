"""Random plays against a certificate, one by one or many at once on arrays.

The same seed gives the same plays, results and findings as there.  Plays that have begun alike
are one until they part; a suspect play is given to the adversary that works play by play, which
says what is wrong with it.

Plays are made in slices of a fixed size.  A slice is played by one process from its numbers
alone, so that the results are the same however many processes there are.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING, Final

import numpy as np

from qsage_validate.arena.adversary import (
    KEPT_FINDINGS,
    Adversary,
    BoardAdversary,
    LeastSeen,
    ManyDraws,
    PlayResults,
    check_illegal,
    open_adversary,
    open_board_adversary,
)
from qsage_validate.arena.open import open_reader
from qsage_validate.certificates.choose_oracle import OracleKind
from qsage_validate.errors import Undecided, UsageError, counted
from qsage_validate.games.bddl.arrays import Flags, Indices
from qsage_validate.problems.load import BoardProblem, Problem
from qsage_validate.proving.levels import Level
from qsage_validate.proving.run import NO_FUNCTIONS, LevelInterrupted, LevelResult, unsupported
from qsage_validate.proving.vector_walk import LayerStep, PlayLayer, VectorWalk, vector_walk, walks
from qsage_validate.strategies.reader import knows_illegal, split_moves
from qsage_validate.system.limits import NEVER, Deadline, Progress, Stopwatch, Tell, nobody
from qsage_validate.validation.finding import Finding, Refuted, Sampled, Verdict

if TYPE_CHECKING:
    from qsage_validate.proving.run import ValidationRun


# The random adversary on arrays: the plays of the one on a board


# Claims are told apart by one number where they have at most so many variables.
_CLAIM_BITS: Final = 30


class VectorAdversary(Adversary):
    """Plays batches of random plays: those of the adversary that ``reference`` makes for suspects.

    ``seed``, ``illegal`` and ``bias`` are that adversary's.  ``tick`` is called at every ply.
    Without ``merge`` every play is asked about on its own, however alike they are: so much slower,
    for measurements.
    """

    def __init__(
        self,
        walk: VectorWalk,
        reference: Callable[[], BoardAdversary],
        *,
        seed: int,
        illegal: float = 0.0,
        bias: bool = False,
        merge: bool = True,
        tick: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(seed)
        self._walk = walk
        self._illegal, self._bias = illegal, bias
        self._reference = cache(reference)
        self._merge = merge
        self._tick = tick

    def with_replays(self, findings: Iterable[Finding]) -> list[Finding]:
        known = list(findings)
        return self._reference().with_replays(known) if known else known

    def play(self, numbers: Sequence[int]) -> PlayResults:
        bias = self._bias
        batch = _Batch(self._walk, self.seed, self._illegal, bias, self._merge, numbers)
        batch.run(self._tick)
        # Where moves depend on what other plays did, all are played anew.
        doubtful = batch.suspect if not (bias and batch.suspect.any()) else ~batch.none
        rows = np.flatnonzero(doubtful).tolist()
        if not rows:
            return batch.results
        again = self._reference().play([numbers[row] for row in rows])
        if len(rows) == len(numbers):
            return again
        for row, text, promised in zip(rows, again.texts, again.promised, strict=True):
            batch.results.texts[row] = text
            batch.results.promised[row] = promised
        batch.results.tried += again.tried
        batch.results.flagged += again.flagged
        batch.results.findings.add(again.findings)
        return batch.results


class _Batch:
    """Plays side by side: ``at[k]`` is where in the layer the play ``running[k]`` is."""

    def __init__(
        self,
        walk: VectorWalk,
        seed: int,
        illegal: float,
        bias: bool,
        merge: bool,
        numbers: Sequence[int],
    ) -> None:
        count = len(numbers)
        self._walk = walk
        self._illegal = illegal
        self._merge = merge
        self._least = LeastSeen() if bias else None
        self._draws = ManyDraws(seed, numbers)
        self.none: Flags = np.zeros(count, dtype=np.bool_)
        self.suspect: Flags = self.none.copy()
        self._texts = np.empty(count, dtype=np.object_)
        self._tried = np.zeros(count, dtype=np.int64)
        self._flagged = np.zeros(count, dtype=np.int64)
        self._running: Indices = np.arange(count)
        self._at: Indices = np.zeros(count, dtype=np.intp)

    @property
    def results(self) -> PlayResults:
        """The results of the plays that are no suspects; the places of the others are empty."""
        return self._results

    def run(self, tick: Callable[[], None]) -> None:
        walk = self._walk
        step = walk.start()
        if not self._merge:
            rows = np.zeros(len(self._running), dtype=np.intp)
            step = LayerStep(step.layer.take(rows), step.suspect[rows], step.ended[rows])
            self._at = np.arange(len(rows))
        layer = self._settle(step)
        while len(layer):
            tick()
            if walk.to_move(layer.plies) is walk.player:
                layer = self._settle(walk.answer(layer))
            else:
                layer = self._move(layer)
        clean = ~self.suspect
        texts: list[str] = self._texts.tolist()
        promised: list[bool | None] = [True] * len(texts)
        self._results = PlayResults(
            texts, promised, int(self._tried[clean].sum()), int(self._flagged[clean].sum())
        )

    def _settle(self, step: LayerStep) -> PlayLayer:
        """Record the plays that have ended or are suspects; returns the layer of the others."""
        ended = step.ended[self._at]
        self._texts[self._running[ended]] = step.layer.text[self._at[ended]]
        self.suspect[self._running[step.suspect[self._at]]] = True
        return self._keep(step.layer, step.running)

    def _keep(self, layer: PlayLayer, kept: Flags) -> PlayLayer:
        """Only the plays of the layer that are ``kept``."""
        if kept.all():
            return layer
        new = np.cumsum(kept) - 1
        own = kept[self._at]
        self._running, self._at = self._running[own], new[self._at[own]]
        return layer.take(kept)

    def _move(self, layer: PlayLayer) -> PlayLayer:
        walk = self._walk
        legal, agree = walk.legality(layer)
        self.suspect[self._running[~agree[self._at]]] = True
        legal = legal[agree]
        layer = self._keep(layer, agree)
        if not len(layer):
            return layer
        counts = legal.sum(axis=1)
        # The numbers of the legal moves first, then those of the illegal ones.
        order = np.argsort(~legal, axis=1, kind="stable")
        if self._illegal and walk.knows_legality:
            self._try_illegal(layer, order, counts)
        drawn = self._draws.below(self._running, counts[self._at])
        if self._least is not None:
            drawn = self._least_seen(self._least, layer, order, counts, drawn)
        chosen = order[self._at, drawn]
        if self._merge:
            keys, self._at = np.unique(self._at * legal.shape[1] + chosen, return_inverse=True)
            rows, moves = np.divmod(keys, legal.shape[1])
        else:
            rows, moves = self._at, chosen
            self._at = np.arange(len(rows))
        layer = self._settle(walk.move(layer, rows, moves))
        if len(layer) and walk.can_claim(layer.plies):
            self._claim(layer)
            # Claims concern single plays: their beginnings go on for the others.
            own = ~self.suspect[self._running]
            self._running, self._at = self._running[own], self._at[own]
            used = np.zeros(len(layer), dtype=np.bool_)
            used[self._at] = True
            layer = self._keep(layer, used)
        return layer

    def _least_seen(
        self, least: LeastSeen, layer: PlayLayer, order: Indices, counts: Indices, drawn: Indices
    ) -> Indices:
        moves = [row[:count] for row, count in zip(order.tolist(), counts.tolist(), strict=True)]
        histories = layer.text.tolist()
        chosen = [
            least.choose(histories[at], layer.plies, moves[at], start)
            for at, start in zip(self._at.tolist(), drawn.tolist(), strict=True)
        ]
        return np.asarray(chosen, dtype=np.intp)

    def _try_illegal(self, layer: PlayLayer, order: Indices, counts: Indices) -> None:
        size = order.shape[1]
        can = np.flatnonzero(counts[self._at] < size)
        wants = self._draws.random(self._running[can]) < self._illegal
        tries = can[wants]
        if not len(tries):
            return
        at, plays = self._at[tries], self._running[tries]
        drawn = self._draws.below(plays, size - counts[at])
        keys, which = np.unique(at * size + order[at, counts[at] + drawn], return_inverse=True)
        rows, moves = np.divmod(keys, size)
        kept = self._walk.illegal_keeps_promise(layer, rows, moves)
        self._tried[plays] += 1
        # Rules and formula agree here about what is legal, and these are illegal by the rules.
        self._flagged[plays] += 1
        self.suspect[plays[~kept[which]]] = True

    def _claim(self, layer: PlayLayer) -> None:
        columns = self._walk.claim_variables(layer)
        goals = np.empty((len(self._at), len(columns)), dtype=np.bool_)
        for k in range(len(columns)):
            goals[:, k] = self._draws.random(self._running) < 0.5
        if self._merge and len(columns) <= _CLAIM_BITS:
            weights = 1 << np.arange(len(columns), dtype=np.intp)
            keys = (self._at << len(columns)) + goals @ weights
            _, first, which = np.unique(keys, return_index=True, return_inverse=True)
        else:
            first = which = np.arange(len(self._at))
        refuted = self._walk.sampled_claim_refuted(layer, self._at[first], goals[first])
        self.suspect[self._running[~refuted[which]]] = True


# Level 3, random plays: each play depends on the seed and on its number alone


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


@dataclass(frozen=True, slots=True)
class _Slices:
    """The slices of all parts by their numbers, made when asked for: there may be billions."""

    parts: Sequence[RandomPart]
    size: int

    def counts(self) -> list[int]:
        return [-(-part.games // self.size) for part in self.parts]

    def slice(self, number: int) -> tuple[RandomPart, range]:
        """The part and the numbers of its plays."""
        for part, count in zip(self.parts, self.counts(), strict=True):
            if number < count:
                return part, range(number * self.size, min((number + 1) * self.size, part.games))
            number -= count
        raise IndexError(number)


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

    def __init__(self, problem: Problem, seed: int, slices: _Slices, deadline: Deadline) -> None:
        self._problem = problem
        self._seed = seed
        self._slices = slices
        self._deadline = deadline
        self._walk: VectorWalk | None = None
        self._adversaries: dict[RandomPart, Adversary] = {}

    def play(self, number: int) -> _Tally | None:
        """Play a slice; ``None`` when time is up."""
        part, numbers = self._slices.slice(number)
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
        check_illegal(self._walk.reader, problem.game, illegal)
        reference = partial(
            open_board_adversary, problem, seed=self._seed, illegal=illegal, bias=bias
        )
        return VectorAdversary(
            self._walk, reference, seed=self._seed, illegal=illegal, bias=bias, tick=self._tick
        )

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
    slices = _Slices(parts, size)
    run = _Run(problem, seed, slices, deadline, tell)
    return run.play(min(jobs, sum(slices.counts())))


def _parts(problem: Problem, games: int, illegal: float, bias: bool | None) -> list[RandomPart]:
    if not isinstance(problem, BoardProblem):
        return [RandomPart("random values", games, 0.0, bias=False)]
    if bias is not None:
        return [RandomPart("biased" if bias else "random", games, illegal, bias)]
    reader = open_reader(problem, problem.oracle(OracleKind.SIMULATION))
    tells = knows_illegal(reader, problem.game)
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
        self, problem: Problem, seed: int, slices: _Slices, deadline: Deadline, tell: Tell
    ) -> None:
        self._problem = problem
        self._seed = seed
        self._slices = slices
        self._games = sum(part.games for part in slices.parts)
        self._tell = tell
        self._watch = Stopwatch()
        self._deadline = deadline
        self._total = _Tally()
        self._parts = {part: _Tally() for part in slices.parts}

    def play(self, jobs: int) -> LevelResult:
        count = sum(self._slices.counts())
        players = _Players(self._problem, self._seed, self._slices, self._deadline)
        try:
            if jobs > 1:
                return self._result(self._by_processes(players, count, jobs))
            self._add_up(map(players.play, range(count)))
        except KeyboardInterrupt:
            raise LevelInterrupted(self._result("interrupted")) from None
        return self._result("time is up")

    def _by_processes(self, players: _Players, count: int, jobs: int) -> str:
        """Play in processes; why some plays were not made, if so."""
        from qsage_validate.system.pool import WorkerFailedError, ordered_map

        try:
            with closing(
                ordered_map(_Players.play, players, count, jobs, deadline=self._deadline)
            ) as tallies:
                self._add_up(tallies)
        except WorkerFailedError as error:
            if not error.killed:
                raise
            return "a process was killed (is there too little memory?)"
        return "time is up"

    def _add_up(self, tallies: Iterable[_Tally | None]) -> None:
        for number, tally in enumerate(tallies):
            if tally is None:
                return
            part, _ = self._slices.slice(number)
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
        return Sampled(counted(total.plays, "random play"))


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
