"""Adversaries: random plays in batches against a strategy, with counts and a report.

How plays are made is for those who make them: on a board many in lock step, in the bare game all
values at once, heaps one play after the other, on arrays whole layers.

:class:`EngineAdversary` plays against anything that answers: one play after the other, legal moves
only.

Random numbers belong to a play.  The generator is SplitMix64 (Steele, Lea and Flood, *Fast
splittable pseudorandom number generators*, OOPSLA 2014).  Its state is one machine word, so that a
million plays have a generator each (:class:`Draws`), and numpy draws for all of them in a few
operations (:class:`ManyDraws`).  A play's numbers depend on the seed and the play's number alone.

Each play has its own random numbers, made from the seed and the play's number, so that the
same seed gives the same plays however many run at a time.  Plays that have begun alike are one
play until they part: a question is asked once for all of them.

In the bare game of blocks :class:`BlockAdversary` gives the opponent's variables random values.
"""

from __future__ import annotations

import hashlib
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from qsage_validate.arena.open import open_play_engine, replies_of
from qsage_validate.certificates.choose_oracle import OracleKind
from qsage_validate.certificates.oracle import NoAnswerError, Oracle, ask
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.errors import UndecidedError, UsageError, counted
from qsage_validate.games.protocol import Player, TwoPlayerGame
from qsage_validate.kernel.certificate import Certificate
from qsage_validate.problems.load import BoardProblem, Problem
from qsage_validate.strategies.reader import CertificateReader, LayoutMove, Legality, knows_illegal
from qsage_validate.validation.finding import Evidence, Finding, FindingKind

if TYPE_CHECKING:
    from qsage_validate.arena.board_engine import Engine
    from qsage_validate.arena.frame import Frame, MatchOutcome, PlayState
    from qsage_validate.arena.play_engine import PlayEngine
    from qsage_validate.validation.assertions import Asserted


# Adversaries: random plays, what is counted of them, and the report


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
        return f"<PlayResults of {counted(len(self.promised), 'play')}>"


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
        return f"<AdversaryReport {counted(self.games, 'game')}, {self.losses} lost>"


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
            frames, outcome = self._play(Draws(self.seed, number))
            results.texts.append(" ".join(str(frame.move) for frame in frames if frame.changed))
            if outcome.winner is not None and outcome.promised is None:
                results.given += 1
            else:
                results.promised.append(outcome.promised)
            own = [str(f.move) for f in frames if f.changed and not f.by_certificate]
            found = [finding for frame in frames for finding in frame.findings]
            results.findings.add(replace(f, replay=self._replay(own)) for f in found)
        return results

    def _play(self, draws: Draws) -> tuple[list[Frame], MatchOutcome]:
        """The frames of a whole play, and its end."""
        from qsage_validate.arena.board_engine import answered

        frames = [*answered(self._engine, self._engine.start())]
        while (outcome := frames[-1].outcome) is None:
            move = draws.choice(self._engine.legal(frames[-1]))
            frames += answered(self._engine, self._engine.push(frames[-1], move, None, claim=False))
        return frames, outcome


# Random adversaries of a certificate: on a board, many plays in lock step, and in the bare game


class LeastSeen:
    """Chooses what was chosen least: at this history first, then at this ply at all."""

    def __init__(self) -> None:
        self._here: dict[Hashable, list[int]] = {}
        self._at_ply: Counter[tuple[int, Hashable]] = Counter()

    def choose(self, history: Hashable, ply: int, moves: Sequence[Hashable], start: int) -> int:
        """The index of the chosen one of ``moves``, which ``history`` determines.

        Among equals it takes the first from ``start`` on, cyclically.
        """
        here = self._here.setdefault(history, [0] * len(moves))
        best = min(
            (here[k], self._at_ply[ply, moves[k]], (k - start) % len(moves), k)
            for k in range(len(moves))
        )[3]
        here[best] += 1
        self._at_ply[ply, moves[best]] += 1
        return best


class BoardAdversary(Adversary):
    """Plays random legal moves, and now and then tries an illegal one.

    ``illegal`` is the probability, at each of the adversary's plies, that an illegal move is
    tried first: the formula must flag it, and a play in which it is let happen must not break
    the promise.  At each ply with a game-stop variable the adversary also claims a random goal
    on the side, which must be refuted as long as it has not reached one.  With ``bias`` it
    chooses the moves that it has chosen least in the same batch.  ``replay`` makes the command
    that replays a finding.
    """

    def __init__(
        self,
        play_engine: PlayEngine,
        *,
        seed: int,
        illegal: float = 0.0,
        bias: bool = False,
        replay: Callable[[Sequence[str]], str] = " ".join,
    ) -> None:
        if not 0 <= illegal <= 1:
            raise UsageError(f"found the probability {illegal}, expected 0 to 1")
        super().__init__(seed)
        self.illegal = illegal
        self.bias = bias
        self._play_engine = play_engine
        self._replay = replay

    def with_replays(self, findings: Iterable[Finding]) -> list[Finding]:
        own = self._play_engine.opponent_moves
        return [replace(f, replay=self._replay(own(f.moves))) for f in findings]

    def play(self, numbers: Sequence[int]) -> PlayResults:
        results = PlayResults()
        least = LeastSeen() if self.bias else None
        start = self._play_engine.start()
        plays = [_Play(Draws(self.seed, n), start) for n in numbers]
        results.findings.add(start.findings)
        while running := [play for play in plays if play.state.ending is None]:
            # All plays that go on have the same number of plies.
            if self._play_engine.to_move(running[0].state) is self._play_engine.player:
                self._answer(running)
            else:
                self._move(running, results, least)
            for state in _distinct(running):
                results.findings.add(state.findings)
        ended = {s.moves: s for s in self._play_engine.finish_all(_distinct(plays))}
        for state in ended.values():
            results.findings.add(state.findings)
        for play in plays:
            ending = ended[play.state.moves].ending
            assert ending is not None, "all plays have ended"
            results.texts.append(" ".join(play.state.moves))
            results.promised.append(ending.promised)
        self._play_engine.forget()
        return results

    def _answer(self, plays: list[_Play]) -> None:
        states = _distinct(plays)
        answered = self._play_engine.answer_all(states)
        after = dict(zip((s.moves for s in states), answered, strict=True))
        for play in plays:
            play.state = after[play.state.moves]
        self._choose([play for play in plays if self._play_engine.is_open(play.state)])

    def _choose(self, plays: list[_Play]) -> None:
        """Random legal moves where the certificate may make any."""
        legal = {s.moves: self._play_engine.legal_moves(s) for s in _distinct(plays)}
        wanted: dict[tuple[str, ...], tuple[PlayState, LayoutMove]] = {}
        keys = []
        for play in plays:
            move = play.draws.choice(legal[play.state.moves])
            keys.append((*play.state.moves, str(move)))
            wanted[keys[-1]] = (play.state, move)
        played = dict(zip(wanted, self._play_engine.play_all(list(wanted.values())), strict=True))
        for play, key in zip(plays, keys, strict=True):
            play.state = played[key]

    def _move(self, plays: list[_Play], results: PlayResults, least: LeastSeen | None) -> None:
        states = _distinct(plays)
        examined = self._play_engine.examine_all(states)
        legality = self._play_engine.legality_all(states)
        chances = {
            state.moves: _Chances(state, verdicts, self._play_engine)
            for state, verdicts in zip(examined, legality, strict=True)
        }
        wanted: dict[tuple[str, ...], tuple[PlayState, LayoutMove]] = {}
        moved: list[tuple[_Play, tuple[str, ...]]] = []
        tried: dict[tuple[str, ...], tuple[PlayState, LayoutMove]] = {}
        for play in plays:
            chance = chances[play.state.moves]
            play.state = chance.state
            if chance.state.ending is not None:
                continue
            if self.illegal and chance.illegal and play.draws.random() < self.illegal:
                attempt = play.draws.choice(chance.illegal)
                tried_line = (*play.state.moves, str(attempt))
                tried[tried_line] = (play.state, attempt)
                results.tried += 1
                results.flagged += chance.flags(attempt)
            chosen = play.draws.below(len(chance.legal))
            if least is not None:
                state = play.state
                chosen = least.choose(state.moves, state.plies, chance.legal, chosen)
            move = chance.legal[chosen]
            key = (*play.state.moves, str(move))
            wanted[key] = (play.state, move)
            moved.append((play, key))
        results.findings.add(
            finding for chance in chances.values() for finding in chance.state.findings
        )
        played = dict(zip(wanted, self._play_engine.play_all(list(wanted.values())), strict=True))
        for play, key in moved:
            play.state = played[key]
        self._claim([(play, *wanted[key]) for play, key in moved], results)
        self._forces(list(tried.values()), results)

    def _claim(
        self, moved: list[tuple[_Play, PlayState, LayoutMove]], results: PlayResults
    ) -> None:
        """Claims of a goal with the moves that were made; the plays themselves go on."""
        from qsage_validate.arena.watch import broken_by

        if not moved or not self._play_engine.can_claim(moved[0][1].plies + 1):
            return
        opponent = self._play_engine.player.other
        claimed = [
            (play, before, move)
            for play, before, move in moved
            if not self._play_engine.has_won(play.state, opponent)
        ]
        with_move = self._play_engine.reader.with_move
        claims = [with_move(before.assignment, move, stop=True) for _, before, move in claimed]
        readings = self._play_engine.reader.sample_verdicts(
            claims, [p.draws for p, _, _ in claimed]
        )
        for (_, before, move), reading in zip(claimed, readings, strict=True):
            if reading.value is (not self._play_engine.promised_verdict):
                results.findings.add(
                    [broken_by(self._play_engine, before, move, "!stop", reading.note)]
                )

    def _forces(self, tried: list[tuple[PlayState, LayoutMove]], results: PlayResults) -> None:
        """Plays with an illegal move keep the promise: it is void, whatever follows."""
        from qsage_validate.arena.watch import broken_by

        if not tried:
            return
        claims = [self._play_engine.reader.with_move(s.assignment, move) for s, move in tried]
        expected = self._play_engine.promised_verdict
        for (state, move), reading in zip(
            tried, self._play_engine.reader.verdicts(claims), strict=True
        ):
            if reading.value is not None and reading.value is not expected:
                results.findings.add([broken_by(self._play_engine, state, move, "!", reading.note)])


@dataclass(slots=True)
class _Play:
    draws: Draws
    state: PlayState


class _Chances:
    """The choices of the adversary in a state."""

    def __init__(
        self,
        state: PlayState,
        verdicts: Mapping[LayoutMove, Legality] | None,
        play_engine: PlayEngine,
    ) -> None:
        self.legal = [] if state.ending is not None else play_engine.legal_moves(state)
        self._verdicts = verdicts
        self.state = state
        legal = set(self.legal)
        known = verdicts is not None or play_engine.knows_illegal(state)
        self.illegal = [m for m in play_engine.candidates(state) if m not in legal] if known else []
        if state.ending is None and not self.legal:
            raise AssertionError("a play that goes on has a legal move")

    def flags(self, move: LayoutMove) -> bool:
        """True if the formula says that ``move`` is illegal."""
        verdict = None if self._verdicts is None else self._verdicts.get(move)
        return verdict is not None and not verdict.legal


def _distinct(plays: Iterable[_Play]) -> list[PlayState]:
    """The different states of plays, in the order of their first appearance."""
    return list({play.state.moves: play.state for play in plays}.values())


# Random plays of values, block by block, without a board


class BlockAdversary(Adversary):
    """Gives random values to all of the opponent's variables, play after play.

    The certificate's functions look only to their left, so that it makes no difference that
    the values of all blocks are drawn at once.
    """

    def __init__(
        self,
        formula: Qbf,
        certificate: Certificate,
        oracle: Oracle,
        *,
        seed: int,
        replay: Callable[[Sequence[str]], str],
        replies: Sequence[int] = (),
        asserted: Sequence[Asserted] = (),
    ) -> None:
        """``replies`` are asked for, where the oracle that solves has no function for them.

        Assertions about variables and gates (``asserted``) are checked in every play.
        """
        super().__init__(seed)
        self._formula = formula
        self._player = certificate.kind.player
        self._blocks = [
            scope.variables
            for scope in formula.merged_scopes()
            if scope.quantifier is not certificate.kind.decides
        ]
        self._oracle = oracle
        self._plies = len(formula.merged_scopes())
        named = (x for one in asserted for x in (one.literals or {}).values())
        self._asserted = asserted
        self._asked = tuple(dict.fromkeys((*replies, *map(abs, named), abs(formula.output))))
        self._replay = replay

    def play(self, numbers: Sequence[int]) -> PlayResults:
        """Play the plays of these numbers side by side; findings have their replay commands."""
        results = PlayResults()
        choices = [self._draw(number) for number in numbers]
        for choice, found in zip(choices, self._values(choices), strict=True):
            moves = self._moves(choice)
            results.texts.append("; ".join(moves))
            won = None if isinstance(found, UndecidedError) else self._won(found)
            results.promised.append(won)
            if won is False:
                results.findings.add([self._finding(moves, found)])
            if isinstance(found, Mapping):
                from qsage_validate.arena.watch import broken_by_values

                broken = broken_by_values(self._asserted, found, self._plies, moves)
                results.findings.add(f.with_replay(self._replay(moves)) for f in broken)
        return results

    def _draw(self, number: int) -> dict[int, bool]:
        draws = Draws(self.seed, number)
        return {v: draws.random() < 0.5 for block in self._blocks for v in block}

    def _values(
        self, choices: Sequence[dict[int, bool]]
    ) -> list[Mapping[int, bool] | NoAnswerError | UndecidedError]:
        """The values of each play that are asked for, or the reason why there is no answer."""
        try:
            rows = ask(self._oracle, choices, self._asked).tolist()
        except (NoAnswerError, UndecidedError) as error:
            if len(choices) == 1:
                return [error]
            return [found for choice in choices for found in self._values([choice])]
        return [dict(zip(self._asked, row, strict=True)) for row in rows]

    def _won(self, found: Mapping[int, bool] | NoAnswerError) -> bool:
        if isinstance(found, NoAnswerError):
            return False
        output = self._formula.output
        return (found[abs(output)] != (output < 0)) is (self._player is Player.BLACK)

    def _moves(self, choice: dict[int, bool]) -> tuple[str, ...]:
        name = self._formula.name
        return tuple(
            " ".join(f"{name(v)}={int(choice[v])}" for v in block) for block in self._blocks
        )

    def _finding(self, moves: tuple[str, ...], lost: object) -> Finding:
        plies, replay = self._plies, self._replay(moves)
        if isinstance(lost, NoAnswerError):
            from qsage_validate.problems.searched import ContradictionError

            detail = "the certificate has no answer to these values"
            if isinstance(lost, ContradictionError):
                detail = str(lost)
            kind = FindingKind.CERTIFICATE_SILENT
            return Finding(kind, plies, detail, player=self._player, moves=moves, replay=replay)
        output, value = self._formula.output, self._player is not Player.BLACK
        name = ("-" if output < 0 else "") + self._formula.name(abs(output))
        return Finding(
            FindingKind.VERDICT_DIFFERS,
            plies,
            f"the matrix is {str(value).lower()}",
            player=self._player.other,
            evidence=(Evidence(output, name, value, "output"),),
            moves=moves,
            replay=replay,
        )


# The adversary of a problem


def open_adversary(problem: Problem, *, seed: int, illegal: float, bias: bool = False) -> Adversary:
    """A random adversary; ``illegal`` is how often it tries an illegal move.

    With ``bias`` it prefers the moves that it has made least (on a board only).  Raises
    ``UsageError`` where illegal moves are asked for and nothing tells them.
    """
    if isinstance(problem, BoardProblem):
        return open_board_adversary(problem, seed=seed, illegal=illegal, bias=bias)
    if illegal:
        raise UsageError("found --illegal, but no layout says which moves are illegal")
    oracle = problem.oracle(OracleKind.SIMULATION)
    return BlockAdversary(
        problem.qbf,
        problem.answering,
        oracle,
        seed=seed,
        replay=problem.replay,
        replies=replies_of(problem),
        asserted=problem.assertions,
    )


def open_board_adversary(
    problem: BoardProblem, *, seed: int, illegal: float, bias: bool = False
) -> BoardAdversary:
    play_engine = open_play_engine(problem, problem.oracle(OracleKind.SIMULATION))
    check_illegal(play_engine.reader, problem.game, illegal)
    return BoardAdversary(play_engine, seed=seed, illegal=illegal, bias=bias, replay=problem.replay)


def check_illegal(reader: CertificateReader, game: TwoPlayerGame | None, illegal: float) -> None:
    """Raise ``UsageError`` where illegal moves are asked for and nothing tells them."""
    if illegal and not knows_illegal(reader, game):
        raise UsageError(
            f"found --illegal, but {reader.layout.source} does not say where the formula "
            "keeps what is legal"
        )
