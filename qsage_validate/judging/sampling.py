"""Positions of a game that is too large for all of them, drawn from plays.

Moves are drawn at random, or one player follows a winning strategy and the other one moves at
random.  Formula and game are compared from the end of a play backwards: where most moves are made,
both values are quickly known.  How far back is learnt from the time that plays take.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count, cycle
from random import Random
from typing import Any, Final

from qsage_validate.errors import UndecidedError
from qsage_validate.games.protocol import Player
from qsage_validate.judging.positions import ALONG_SECONDS, PlayDifference, Positions
from qsage_validate.system.limits import Deadline, now
from qsage_validate.system.progress import Progress, Tell, nobody

_QUICK: Final = 0.1
"""Where a play takes less seconds, the next ones are compared a ply further back."""
_IDLE: Final = 100
"""After so many plays without a new position there are hardly any more."""
_FREE: Final = 20
"""So many positions of a winner are compared whatever the other one has; then twice as many."""


@dataclass
class PositionSample:
    """The positions that were compared, by their winner, and the differences among them."""

    black: int = 0
    white: int = 0
    differences: list[PlayDifference] = field(default_factory=list)

    @property
    def positions(self) -> int:
        """How many positions were compared."""
        return self.black + self.white


def sample(
    positions: Positions,
    deadline: Deadline,
    *,
    beyond: int = -1,
    most: int = 1,
    seed: int = 0,
    tell: Tell = nobody,
) -> PositionSample:
    """Compare in drawn positions until the deadline, or until ``most`` differences are found.

    Plays of at most ``beyond`` plies are known already.
    """
    drawing = _Drawing(positions, deadline, beyond, Random(seed))
    idle = 0
    for number, hero in zip(count(), cycle((None, Player.BLACK, Player.WHITE))):
        before = drawing.found.positions
        if deadline.over or idle >= _IDLE or len(drawing.found.differences) >= most:
            break
        tell(Progress("positions", f"{before} positions are drawn", number))
        started = now()
        try:
            drawing.compare(hero)
        except UndecidedError:
            break  # the game's value was not found in time
        if now() - started < _QUICK:
            drawing.reach += 1
        idle = 0 if drawing.found.positions > before else idle + 1
    return drawing.found


class _Drawing:
    def __init__(
        self, positions: Positions, deadline: Deadline, beyond: int, random: Random
    ) -> None:
        self.positions = positions
        self.found = PositionSample()
        self.reach = 1
        self._deadline = deadline
        self._beyond = beyond
        self._random = random
        self._seen: set[tuple[str, ...]] = set()

    def compare(self, hero: Player | None) -> None:
        """Draw a play, and compare along its last moves; the shortest difference is kept."""
        moves, states = self._play(hero)
        values = self.positions.values
        difference: PlayDifference | None = None
        for made, state in enumerate(states):
            missing = self.positions.missing(state, moves[:made])
            if missing is not None:
                black = values.winner(state, made) is Player.BLACK
                self._differs(PlayDifference((*moves[:made], missing), black, None))
                return
        for made in range(len(moves), max(self._beyond, len(moves) - self.reach), -1):
            play = moves[:made]
            if play in self._seen:
                continue
            black = values.winner(states[made], made) is Player.BLACK
            if black not in self.positions.halves or self._is_enough(black):
                continue
            self._seen.add(play)
            limit = self._deadline.sooner(ALONG_SECONDS)
            answer = self.positions.residuals.answer(
                self.positions.codes.of_play(play), made, limit
            )
            if answer.truth is None:
                break
            self.found.black += black
            self.found.white += not black
            if answer.truth is not black:
                difference = PlayDifference(play, black, answer.truth, answer.word)
        if difference is not None:
            self._differs(difference)

    def _differs(self, difference: PlayDifference) -> None:
        if difference not in self.found.differences:
            self.found.differences.append(difference)

    def _is_enough(self, black: bool) -> bool:
        """True if one winner has many more positions than the other one, who counts as well."""
        own, other = (self.found.black, self.found.white)[:: 1 if black else -1]
        return len(self.positions.halves) > 1 and own >= _FREE + 2 * other

    def _play(self, hero: Player | None) -> tuple[tuple[str, ...], list[Any]]:
        """The moves of a play, and the states from its start to its end."""
        values, codes = self.positions.values, self.positions.codes
        simulator, last = values.simulator, len(codes.readings)
        moves: list[str] = []
        states = [simulator.start()]
        while len(moves) < last and values.ended(states[-1], len(moves)) is None:
            state, made = states[-1], len(moves)
            coded = [m for m in values.legal(state) if codes.values(moves, m) is not None]
            if not coded:
                break
            self._random.shuffle(coded)
            chosen = coded[0]
            if simulator.to_move(state) is hero and made >= last - self.reach:
                won = (
                    m for m in coded if values.winner(simulator.play(state, m), made + 1) is hero
                )
                chosen = next(won, chosen)
            moves.append(chosen)
            states.append(simulator.play(state, chosen))
        return tuple(moves), states
