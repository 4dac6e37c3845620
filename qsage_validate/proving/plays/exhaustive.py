"""Level 3, all plays: every legal move of the opponent, ply by ply, with transpositions merged.

A layer holds the different beginnings with the same number of plies, each with the number of
plays that have begun so or have been merged into it (see ``merging.py``).  Ply by ply means that
what is found first is found in the fewest plies.
"""

from __future__ import annotations

import os
from collections.abc import Hashable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Generic

from qsage_validate.arena.adversary import KEPT_FINDINGS
from qsage_validate.errors import InputError, Undecided, UsageError, one_line
from qsage_validate.problems.load import BoardProblem, Problem
from qsage_validate.proving.levels import Level
from qsage_validate.proving.plays.array_walker import walker
from qsage_validate.proving.plays.checkpoint import Covered, digest_of, restore, save
from qsage_validate.proving.plays.walkers import Nodes, PlayExpansion, Walker
from qsage_validate.proving.run import NO_FUNCTIONS, LevelInterrupted, LevelResult, unsupported
from qsage_validate.system.limits import Limits, Stopwatch
from qsage_validate.system.progress import Progress, Tell, nobody
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
    from qsage_validate.proving.run import ValidationRun

# A checkpoint is written after so many seconds, and whenever the work ends unfinished.
_SAVE_SECONDS: Final = 10.0
# Beginnings that are restored at a time.
_RESTORED: Final = 4096
# From here on numbers of plays are rounded, for people.
_MANY: Final = 10**9


def exhaust(
    problem: Problem,
    *,
    limits: Limits = Limits(),  # noqa: B008 (frozen)
    tell: Tell = nobody,
    checkpoint: str | None = None,
) -> LevelResult:
    """Play all legal moves of the opponent against a certificate, comparing with the rules.

    It is proved that the certificate wins when each play that the rules allow has been played to
    its end, with each legal move of the opponent's at each ply; where the certificate may make any
    legal move, with each of these too.  Without rules nothing is proved: only the formula, which
    may be wrong, says then what is legal and who has won.

    At a limit (time; positions: beginnings after merging) the result is undecided and says
    what was covered.  With a file ``checkpoint`` the work goes on from what the file holds;
    it is written now and then, at limits and on Ctrl-C, and removed when the work is done.  Anyone
    can write such a file, and what it says is done is not done again: then nothing is proved.

    Raises ``InputError`` and ``UsageError`` for a checkpoint that cannot be used or written, and
    :class:`LevelInterrupted`, a ``KeyboardInterrupt``, on Ctrl-C.
    """
    if limits.positions is not None and limits.positions < 1:
        raise UsageError(f"found a limit of {limits.positions} positions, expected 1 or more")
    if not isinstance(problem, BoardProblem):
        why = "all plays: no layout says what the moves are (give --meta FILE)"
        return LevelResult(Level.EXHAUSTIVE, Unsupported(why), 0.0)
    # Which kind of beginnings the walker has is its own affair.
    own: Walker[Any] = walker(problem)
    return _Exhaustion(problem, own, limits, tell, checkpoint).run()


class _Exhaustion(Generic[Nodes]):
    """The work: ``todo`` is what is left of the layer, ``later`` the next one so far."""

    def __init__(
        self,
        problem: BoardProblem,
        walker: Walker[Nodes],
        limits: Limits,
        tell: Tell,
        checkpoint: str | None,
    ) -> None:
        self._problem = problem
        self._walker = walker
        self._limits = limits
        self._tell = tell
        self._checkpoint = checkpoint
        self._watch, self._since_saved = Stopwatch(), Stopwatch()
        # The seconds of earlier runs, of which a checkpoint tells.
        self._before = 0.0
        self._taken: int | None = None
        self._findings: list[Finding] = []
        self._halfway = False
        self._rest: Nodes | None = None
        self._done = Covered(walker.play_engine.plies)
        self._todo: list[Nodes] = []
        self._todo_plays: list[int] = []
        self._later: list[Nodes] = []
        self._later_plays: list[int] = []
        self._index: dict[Hashable, int] = {}
        self._digest = "" if checkpoint is None else digest_of(problem)

    def run(self) -> LevelResult:
        try:
            self._halfway = True
            self._begin()
            self._halfway = False
            stopped = self._work()
        except KeyboardInterrupt:
            if not self._halfway:  # else the last checkpoint stays
                self._save()
            raise LevelInterrupted(self._result("interrupted")) from None
        if stopped:
            self._save()
        elif self._checkpoint is not None:
            with suppress(FileNotFoundError):
                os.unlink(self._checkpoint)
        return self._result(stopped)

    # -- the work ---------------------------------------------------------------------------

    def _begin(self) -> None:
        path, known = self._checkpoint, None
        if path is not None:
            known = restore(path, self._digest, self._done.plies)
        if path is None or known is None:
            start = self._walker.start()
            self._add(start, [1], 0)
            self._next_layer(0)
            return
        try:
            todo = self._restored(known.todo, known.ply)
            later = self._restored(known.later, known.ply + 1)
        except ValueError as error:
            found = f"plays that are none ({error})"
            raise InputError(path, 1, 1, found, "a checkpoint as written") from None
        self._todo, self._todo_plays = todo, [plays for _, plays in known.todo]
        self._later, self._later_plays = later, [plays for _, plays in known.later]
        for nodes in later:
            for key in self._walker.keys(nodes):
                self._index[key] = len(self._index)
        known.todo, known.later = [], []
        self._done = known
        self._before = known.seconds
        self._taken = sum(known.positions)

    def _restored(self, beginnings: list[tuple[str, int]], plies: int) -> list[Nodes]:
        texts = [text for text, _ in beginnings]
        parts = [texts[k : k + _RESTORED] for k in range(0, len(texts), _RESTORED)]
        return [self._walker.restore(part, plies) for part in parts]

    def _work(self) -> str:
        """Go on to the end; returns why it was stopped, or nothing."""
        done = self._done
        while self._todo:
            self._tell(Progress(Level.EXHAUSTIVE.value, self._where()))
            if self._limits.deadline.over:
                return "time is up"
            most = self._limits.positions
            if most is not None and sum(done.positions) >= most:
                return f"the limit of {most:,} positions is reached"
            batch, plays = self._next_batch()
            found = self._walker.expand(batch)
            self._halfway = True
            self._add(found, plays, done.ply + 1)
            if not self._todo:
                self._next_layer(done.ply + 1)
            self._halfway = False
            if self._since_saved.seconds > _SAVE_SECONDS:
                self._save()
        return ""

    def _next_batch(self) -> tuple[Nodes, list[int]]:
        """The next beginnings of the layer; they are done when they have been expanded."""
        first, size = self._todo[0], self._walker.batch
        count = self._walker.size(first)
        batch = self._walker.take(first, range(min(size, count)))
        self._rest = self._walker.take(first, range(size, count)) if count > size else None
        return batch, self._todo_plays[: min(size, count)]

    def _add(self, found: PlayExpansion[Nodes], plays: list[int], ply: int) -> None:
        """Store the continuations of a batch."""
        done = self._done
        fresh: list[int] = []
        merged = 0
        later, index = self._later_plays, self._index
        for number, (parent, key) in enumerate(zip(found.parent, found.keys, strict=True)):
            place = index.setdefault(key, len(later))
            if place == len(later):
                later.append(plays[parent])
                fresh.append(number)
            else:
                later[place] += plays[parent]
                merged += 1
        if fresh:
            self._later.append(self._walker.take(found.children, fresh))
        done.positions[ply] += len(fresh)
        done.merged[ply] += merged
        done.ended[ply] += sum(plays[parent] for parent in found.ended)
        done.unknown += sum(plays[parent] for parent in found.unknown)
        done.sampled |= found.sampled
        self._findings += found.findings
        if ply:
            play_engine = self._walker.play_engine
            done.replies += len(plays) if play_engine.mover(ply) is play_engine.player else 0
            del self._todo_plays[: len(plays)]
            self._todo[:1] = [] if self._rest is None else [self._rest]

    def _next_layer(self, ply: int) -> None:
        self._done.ply = ply
        # The fault found has the fewest plies: the rest can wait.
        self._todo = [] if self._findings else self._later
        self._todo_plays = [] if self._findings else self._later_plays
        self._later, self._later_plays, self._index = [], [], {}

    def _save(self) -> None:
        if self._checkpoint is None or self._findings:
            return
        done = self._done
        done.seconds = self._before + self._watch.seconds
        done.todo = self._beginnings(self._todo, self._todo_plays)
        done.later = self._beginnings(self._later, self._later_plays)
        save(self._checkpoint, self._digest, done)
        done.todo, done.later = [], []
        self._since_saved = Stopwatch()

    def _beginnings(self, parts: list[Nodes], plays: list[int]) -> list[tuple[str, int]]:
        texts = [text for nodes in parts for text in self._walker.texts(nodes)]
        return list(zip(texts, plays, strict=True))

    # -- the result -------------------------------------------------------------------------

    def _plays_begun(self) -> int:
        """The plays that have ended, and the beginnings of others, each with its multiplicity."""
        own = sum(self._todo_plays) + sum(self._later_plays)
        return own + sum(self._done.ended) + self._done.unknown

    def _where(self) -> str:
        done = self._done
        return (
            f"ply {done.ply + 1} of {done.plies}: {sum(done.positions):,} positions, "
            f"{rounded(self._plays_begun())} plays begun"
        )

    def _result(self, stopped: str) -> LevelResult:
        done = self._done
        seconds = self._before + self._watch.seconds
        plays = sum(done.ended) + done.unknown
        evidence: dict[str, object] = {
            "positions": sum(done.positions),
            "plays": plays,
            "plays begun": self._plays_begun(),
            "plies": done.plies,
            "replies": done.replies,
            "transpositions": sum(done.merged),
            "positions by ply": list(done.positions),
            "plays ended by ply": list(done.ended),
            "early wins": sum(done.ended[:-1]),
            "merged": self._walker.merges,
            "claims": self._claims(),
            "finished": not stopped and not self._findings,
        }
        if self._taken is not None:
            evidence["taken from"] = self._checkpoint
        return LevelResult(Level.EXHAUSTIVE, self._verdict(stopped), seconds, evidence)

    def _claims(self) -> str:
        """The extent to which claims of goals not reached by the opponent were tried."""
        if self._problem.layout.verdict is None:
            return "none: there is no verdict"
        return "sampled" if self._done.sampled else "all"

    def _verdict(self, stopped: str) -> Verdict:
        done = self._done
        if self._findings:
            return Refuted(self._shortest())
        if stopped:
            return Undecided(f"{stopped}: {self._where()}, all won so far")
        plays = sum(done.ended) + done.unknown
        if done.unknown:
            return Undecided(
                f"of {rounded(done.unknown)} of {rounded(plays)} plays nobody can tell who won"
            )
        if self._problem.game is None:
            what = "all that are legal for the formula, and no rules are known"
            return Sampled(f"{rounded(plays)} plays: {what}")
        if not plays:
            return Undecided("no play was seen to its end")
        reason = (
            f"all {rounded(plays)} plays of the opponent's legal moves are won as promised "
            f"({sum(done.positions):,} positions)"
        )
        if self._taken is None:
            return Proved(reason)
        return Claimed(
            f"{reason}, as far as what {one_line(str(self._checkpoint))} says is right: "
            f"{self._taken:,} positions are taken from it, and not checked again"
        )

    def _shortest(self) -> tuple[Finding, ...]:
        """The findings of the fewest plies, with the commands that replay them."""
        fewest = min(finding.ply for finding in self._findings)
        found = {(f.kind.value, f.moves): f for f in self._findings if f.ply == fewest}
        own = self._walker.play_engine.opponent_moves
        return tuple(
            found[key].with_replay(self._problem.replay(own(found[key].moves)))
            for key in sorted(found)[:KEPT_FINDINGS]
        )


def rounded(number: int) -> str:
    """A number of plays for people: exact as long as it is not too long."""
    if number < _MANY:
        return f"{number:,}"
    power = len(str(number)) - 1
    return f"{number / 10**power:.1f}e{power}"


def exhaustive_level(run: ValidationRun) -> LevelResult | None:
    if run.problem.layout is None or run.problem.certificate is None:
        return None
    problem, options = run.whole, run.options
    if problem is None:
        return unsupported(Level.EXHAUSTIVE, NO_FUNCTIONS)
    tell = run.begin(Level.EXHAUSTIVE)
    result = exhaust(problem, limits=options.limits, tell=tell, checkpoint=options.checkpoint)
    return run.playable(result, problem)
