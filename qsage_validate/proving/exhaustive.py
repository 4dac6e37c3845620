"""All plays of a strategy, on arrays where the rules permit it; a walk that stops goes on.

A layer holds the different beginnings with the same number of plies, each with the number of
plays that have begun so or have been merged into it (see ``vector_walk.py``).  Ply by ply means
that what is found first is found in the fewest plies.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, is_dataclass
from typing import TYPE_CHECKING, Any, Final, Generic

import numpy as np

from qsage_validate.arena.adversary import KEPT_FINDINGS
from qsage_validate.arena.open import open_play_engine
from qsage_validate.certificates.choose_oracle import OracleKind
from qsage_validate.certificates.simulation_oracle import SimulationOracle
from qsage_validate.errors import InputError, Undecided, UsageError, counted, one_line
from qsage_validate.formats.source import Source
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate
from qsage_validate.problems.load import BoardProblem, Problem
from qsage_validate.proving.levels import Level
from qsage_validate.proving.run import NO_FUNCTIONS, LevelInterrupted, LevelResult, unsupported
from qsage_validate.proving.vector_walk import (
    LayerStep,
    Nodes,
    PlayExpansion,
    PlayLayer,
    VectorWalk,
    Walker,
    explain,
    merging_for,
    vector_walk,
    walks,
)
from qsage_validate.system.limits import Limits, Progress, Stopwatch, Tell, nobody
from qsage_validate.validation.finding import (
    Claimed,
    Finding,
    Proved,
    Refuted,
    Sampled,
    Unsupported,
    Verdict,
)

if TYPE_CHECKING:
    from qsage_validate.arena.play_engine import PlayEngine
    from qsage_validate.formats.json_text import Json
    from qsage_validate.proving.run import ValidationRun
    from qsage_validate.proving.state_walker import StateWalker


# All plays of a strategy: on arrays where the game has them, else one state after the other


_BATCH_ON_ARRAYS: Final = 2048


def walker(problem: BoardProblem) -> ArrayWalker | StateWalker:
    if walks(problem):
        return ArrayWalker(vector_walk(problem))
    from qsage_validate.proving.state_walker import StateWalker

    oracle = problem.oracle(OracleKind.SIMULATION)
    play_engine, certificate = open_play_engine(problem, oracle), problem.answering
    skolem = certificate.kind is CertificateKind.SKOLEM
    samples = skolem and not isinstance(oracle, SimulationOracle)
    if not (skolem and isinstance(certificate, CircuitCertificate)):
        return StateWalker(play_engine, None, oracle.opponent, samples=samples)
    graph = SimulationOracle(certificate, problem.formula)
    named = {abs(x) for one in problem.assertions for x in (one.literals or {}).values()}
    merging = merging_for(play_engine.layout, graph, sorted(named))
    return StateWalker(play_engine, merging, graph.opponent, samples=samples)


class ArrayWalker(Walker[PlayLayer]):
    """Walks on arrays; what is suspect is explained by the play engine."""

    batch = _BATCH_ON_ARRAYS

    def __init__(self, walk: VectorWalk) -> None:
        self._walk = walk
        self.plies = walk.plies
        self._merging = merging_for(walk.layout, walk.oracle)
        self.merges = self._merging is not None

    @property
    def play_engine(self) -> PlayEngine:
        return self._walk.play_engine

    def replies_at(self, ply: int) -> bool:
        return self._walk.to_move(ply - 1) is self._walk.player

    def start(self) -> PlayExpansion[PlayLayer]:
        return self._expansion(self._walk.start(), np.zeros(1, dtype=np.intp).tolist())

    def expand(self, nodes: PlayLayer) -> PlayExpansion[PlayLayer]:
        walk = self._walk
        if walk.to_move(nodes.plies) is walk.player:
            return self._expansion(walk.answer(nodes), list(range(len(nodes))))
        legal, agree = walk.legality(nodes)
        findings = self._explain(nodes.take(~agree))
        legal &= agree[:, None]
        rows, moves = np.nonzero(legal)
        step = walk.move(nodes, rows, moves)
        claimed, sampled = [], False
        if walk.can_claim(step.layer.plies):
            refuted, complete = walk.claims_refuted(step.layer)
            claimed = self._explain(step.layer.take(~refuted), claim=True)
            sampled = not complete
        result = self._expansion(step, rows.tolist())
        result.findings = findings + result.findings + claimed
        result.sampled = sampled
        return result

    def _expansion(self, step: LayerStep, parent: list[int]) -> PlayExpansion[PlayLayer]:
        running = np.flatnonzero(step.running)
        children = step.layer.take(running)
        return PlayExpansion(
            children,
            [parent[k] for k in running.tolist()],
            self.keys(children),
            [parent[k] for k in np.flatnonzero(step.ended).tolist()],
            findings=self._explain(step.layer.take(step.suspect)),
        )

    def _explain(self, layer: PlayLayer, *, claim: bool = False) -> list[Finding]:
        findings: list[Finding] = []
        for text in layer.text[:KEPT_FINDINGS].tolist():
            found = explain(self.play_engine, text.split(), claim=claim)
            assert found, f"nothing is wrong with the suspect play {text}"
            findings += found
        return findings

    def size(self, nodes: PlayLayer) -> int:
        return len(nodes)

    def take(self, nodes: PlayLayer, numbers: Sequence[int]) -> PlayLayer:
        return nodes.take(np.asarray(numbers, dtype=np.intp))

    def join(self, parts: Sequence[PlayLayer]) -> PlayLayer:
        return PlayLayer.join(parts)

    def texts(self, nodes: PlayLayer) -> list[str]:
        texts: list[str] = nodes.text.tolist()
        return texts

    def restore(self, texts: Sequence[str], plies: int) -> PlayLayer:
        return self._walk.restore(texts, plies)

    def keys(self, nodes: PlayLayer) -> Sequence[Hashable]:
        if not len(nodes):
            return []
        if self._merging is None:
            return self.texts(nodes)
        found = self._merging.keys(nodes.plies, nodes.choice)
        return [row.tobytes() + key for row, key in zip(nodes.position.T, found, strict=True)]


# Checkpoints of the exhaustive adversary: what was done and what is still to be done


_FORMAT: Final = "qsage exhaustive checkpoint 3"


@dataclass(slots=True)
class Covered:
    """The state of a walk through all plays.

    ``ply`` is the number of plies of the beginnings in ``todo``; those in ``later`` have one
    more.  Both have the moves of each beginning and the number of plays that have begun so or
    merged into it.  The lists by ply: beginnings that were put into the layer, those that were
    merged into others, plays that ended after so many plies; ``unknown`` are plays of which
    the winner is unknown.
    """

    plies: int
    ply: int = 0
    todo: list[tuple[str, int]] = field(default_factory=list)
    later: list[tuple[str, int]] = field(default_factory=list)
    positions: list[int] = field(default_factory=list)
    merged: list[int] = field(default_factory=list)
    ended: list[int] = field(default_factory=list)
    replies: int = 0
    unknown: int = 0
    sampled: bool = False
    seconds: float = 0.0

    def __post_init__(self) -> None:
        for column in (self.positions, self.merged, self.ended):
            column += [0] * (self.plies + 1 - len(column))


def digest_of(problem: Problem) -> str:
    """A digest of everything that the results depend on: certificate, formula, layout, rules."""
    from qsage_validate.encodings.layout_lines import layout_comments

    hashed = hashlib.sha256()

    def add(value: object) -> None:
        hashed.update(f"{_spelled(value)!r}\n".encode())

    certificate, formula = problem.answering, problem.formula
    add((certificate.kind, certificate.dialect))
    if isinstance(certificate, CircuitCertificate):
        add((certificate.aig.num_inputs, certificate.inputs))
        hashed.update(certificate.aig.fanin0.tobytes() + certificate.aig.fanin1.tobytes())
        add((sorted(certificate.functions.items()), sorted(certificate.extra.items())))
    else:
        hashed.update(certificate.literals.tobytes())
        add((sorted(certificate.defined), certificate.max_variable))
    if formula is not None:
        add((formula.scopes, formula.output))
        add([(v, gate.connective, gate.inputs) for v, gate in formula.gates.items()])
    layout = problem.layout
    if layout is not None:
        add(layout_comments(layout))
    game = problem.game
    add(None if game is None else game.identity)
    add([(one.assertion, one.literals) for one in problem.assertions])
    return hashed.hexdigest()


def _spelled(value: object) -> object:
    """The value with the fields of dataclasses written out: their ``repr`` leaves some away."""
    if isinstance(value, (tuple, list)):
        return [_spelled(part) for part in value]
    if is_dataclass(value) and not isinstance(value, type):
        compared = (f.name for f in fields(value) if f.compare)
        return [type(value).__name__, *(_spelled(getattr(value, name)) for name in compared)]
    return value


def save(path: str, digest: str, covered: Covered) -> None:
    """Write a checkpoint, whole or not at all; raises ``InputError``."""
    from qsage_validate.formats.writing import write_atomic

    data = {name: getattr(covered, name) for name in covered.__slots__}
    text = json.dumps({"format": _FORMAT, "files": digest} | data, indent=None)
    write_atomic(path, text + "\n", continued=True)


def restore(path: str, digest: str, plies: int) -> Covered | None:
    """The progress in a checkpoint; ``None`` when there is no such file yet.

    Raises ``InputError`` for other files, and ``UsageError`` for the checkpoint of another
    certificate, formula, layout or game.
    """
    from qsage_validate.formats.json_text import parse_json

    if not os.path.lexists(path):
        return None
    data = parse_json(Source.plain(path), "a checkpoint")
    data["format"].one_of(_FORMAT)
    if data["files"].text() != digest:
        raise UsageError(
            f"the checkpoint {path} is of other files: its certificate, formula, layout or game "
            "is not the one given"
        )
    return _covered(data, plies)


def _covered(data: Json, plies: int) -> Covered:
    """The fields, each of what it has to be; raises ``InputError`` for another."""

    def column(name: str) -> list[int]:
        found = data[name].each(_is_count, "a number of plays")
        if len(found) != plies + 1:
            raise data[name].error(counted(len(found), "number"), f"{plies + 1}")
        return list(found)

    def layer(name: str) -> list[tuple[str, int]]:
        return [(text, plays) for text, plays in data[name].each(_is_beginning, "[MOVES, PLAYS]")]

    return Covered(
        data["plies"].integer(plies, plies),
        data["ply"].integer(most=plies),
        layer("todo"),
        layer("later"),
        column("positions"),
        column("merged"),
        column("ended"),
        data["replies"].integer(),
        data["unknown"].integer(),
        data["sampled"].boolean(),
        data["seconds"].number(),
    )


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_beginning(value: Any) -> bool:
    match value:
        case [str(), int(plays)]:
            return not isinstance(plays, bool) and plays > 0
    return False


# Level 3, all plays: every legal move of the opponent, ply by ply, with transpositions merged


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
        self._done = Covered(walker.plies)
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
                return f"the limit of {counted(most, 'position')} is reached"
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
            done.replies += len(plays) if self._walker.replies_at(ply) else 0
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
            f"ply {done.ply + 1} of {done.plies}: {counted(sum(done.positions), 'position')}, "
            f"{_plays(self._plays_begun())} begun"
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
                f"of {rounded(done.unknown)} of {_plays(plays)} nobody can tell who won"
            )
        if self._problem.game is None:
            what = "all that are legal for the formula, and no rules are known"
            return Sampled(f"{_plays(plays)}: {what}")
        if not plays:
            return Undecided("no play was seen to its end")
        those, are = ("the only play", "is") if plays == 1 else (f"all {_plays(plays)}", "are")
        reason = (
            f"{those} of the opponent's legal moves {are} won as promised "
            f"({counted(sum(done.positions), 'position')})"
        )
        if self._taken is None:
            return Proved(reason)
        return Claimed(
            f"{reason}, as far as what {one_line(str(self._checkpoint))} says is right: "
            f"{counted(self._taken, 'position is', 'positions are')} taken from it, and not "
            "checked again"
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


def _plays(number: int) -> str:
    return f"{rounded(number)} play{'s' * (number != 1)}"


def exhaustive_level(run: ValidationRun) -> LevelResult | None:
    if run.problem.layout is None or run.problem.certificate is None:
        return None
    problem, options = run.whole, run.options
    if problem is None:
        return unsupported(Level.EXHAUSTIVE, NO_FUNCTIONS)
    tell = run.begin(Level.EXHAUSTIVE)
    result = exhaust(problem, limits=options.limits, tell=tell, checkpoint=options.checkpoint)
    return run.playable(result, problem)
