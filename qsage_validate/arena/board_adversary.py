"""Random adversaries of a certificate: on a board, many plays in lock step, and in the bare game.

Each play has its own random numbers, made from the seed and the play's number, so that the
same seed gives the same plays however many run at a time.  Plays that have begun alike are one
play until they part: a question is asked once for all of them.

In the bare game of blocks :class:`BlockAdversary` gives the opponent's variables random values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from qsage_validate.arena.adversary import Adversary, Draws, PlayResults
from qsage_validate.arena.frame import PlayState
from qsage_validate.arena.play_engine import PlayEngine, broken_by
from qsage_validate.errors import UsageError
from qsage_validate.strategies.readings import LayoutMove, Legality
from qsage_validate.validation.finding import Finding

if TYPE_CHECKING:
    pass


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
