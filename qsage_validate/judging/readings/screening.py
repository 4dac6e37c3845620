"""Readings of a formula, screened by its values after plays of the game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from math import inf
from typing import Final

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.games.protocol import Player
from qsage_validate.judging.readings.codes import MoveStyle, styles
from qsage_validate.judging.readings.places import WindowPlaces, Windows, places
from qsage_validate.judging.readings.sketch import PLAYS, Sketch
from qsage_validate.judging.readings.values import FixedValues, Pattern
from qsage_validate.system.limits import NEVER, Deadline

_MOST_READINGS: Final = 4000
# How many plays a round of the screening takes, and how many readings it leaves.
_ROUNDS: Final = ((6, 120), (20, 24), (60, 12))


@dataclass(frozen=True)
class ReadingGuess:
    """A guess: the variables of each ply, in the formula's order, and how moves are written."""

    style: MoveStyle
    windows: Windows
    cost: int

    @property
    def key(self) -> tuple[str, Windows]:
        """What tells readings of one search apart."""
        return self.style.words, self.windows

    def fixed(self, movers: Sequence[Player], moves: Sequence[str]) -> dict[int, bool] | None:
        """The values that say ``moves``; ``None`` where a move has no code."""
        values: dict[int, bool] = {}
        for player, variables, move in zip(movers, self.windows, moves, strict=False):
            code = self.style.codes[player]
            if move not in code.patterns:
                return None
            values |= code.fixed(variables, move)
        return values


@dataclass(frozen=True)
class Screened:
    """A reading with the plays after which formula and game agree, of those won by each player."""

    reading: ReadingGuess
    agreed: Mapping[bool, int]
    asked: Mapping[bool, int]

    @property
    def share(self) -> float:
        """The mean of the two shares of agreement, from 0 to 1."""
        shares = [self.agreed[won] / n for won, n in self.asked.items() if n]
        return sum(shares) / len(shares) if shares else 0.0

    @property
    def fits(self) -> bool:
        """True if no play speaks against the reading."""
        return self.share == 1.0

    @property
    def words(self) -> str:
        """``58 of 60 plays``."""
        return f"{sum(self.agreed.values())} of {sum(self.asked.values())} plays"


@dataclass
class Screening:
    """The values of a formula after the plays of a sketch, under readings."""

    formula: Qbf
    sketch: Sketch
    deadline: Deadline = NEVER
    tried: int = 0
    values: FixedValues = field(init=False)
    orders_tried: set[tuple[str, tuple[frozenset[int], ...]]] = field(default_factory=set)
    """Styles and sets of variables of which no order of the bits fits."""
    rates: dict[Windows, list[dict[Pattern, float]]] = field(default_factory=dict)
    _known_live: dict[tuple[Windows, int], frozenset[Pattern] | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.values = FixedValues(self.formula, self.deadline)

    def screen(self, readings: Iterable[ReadingGuess], effort: float = inf) -> list[Screened]:
        """The best of ``readings`` by more and more plays, best first.

        Where the values have taken so much ``effort`` no new reading is looked at.
        """
        left: list[Screened] = []
        for reading in readings:
            if left and self.is_over(effort):
                break
            left.append(self.ask(reading, _ROUNDS[0][0]))
            self.tried += 1
        for (_, most), (plays, _) in pairwise((*_ROUNDS, _ROUNDS[-1])):
            left.sort(key=lambda one: (-one.share, one.reading.cost))
            worst = left[0].share - 0.34 if left else 0.0
            left = [one for one in left[:most] if one.share >= worst]
            left = [self.ask(one.reading, plays) for one in left]
        left.sort(key=lambda one: (-one.share, one.reading.cost))
        return left

    def is_dead(self, reading: ReadingGuess) -> bool:
        """True if no values of the windows' variables, with the rest in place, satisfy F.

        Then the formula is false after every complete play, however moves are written there.
        """
        return self._live(reading, 0) == frozenset()

    def tells_first_moves(self, reading: ReadingGuess) -> bool:
        """True if the codes of legal first moves, and no others, can make the formula true.

        Of some codes nothing follows where all can, or none.
        """
        if not self.sketch.movers:
            return False
        live = self._live(reading, 0)
        code = reading.style.codes[self.sketch.movers[0]]
        start = self.sketch.simulator.legal_moves(self.sketch.simulator.start())
        legal = frozenset(code.patterns.get(move) for move in start)
        return live is not None and live == legal and len(live) < 1 << code.width

    def _live(self, reading: ReadingGuess, ply: int) -> frozenset[Pattern] | None:
        key = reading.windows, ply
        if key not in self._known_live:
            self._known_live[key] = self.values.live(reading.windows, ply)
        return self._known_live[key]

    def illegal_loses(self, reading: ReadingGuess, plays: int = 60) -> tuple[int, int]:
        """How often an illegal last move of Black's takes a win away, of how often it was tried.

        In plays that the formula gives to Black, each last move of Black's is replaced by one that
        the rules forbid there.
        """
        simulator = self.sketch.simulator
        lost = tried = 0
        for play in self.sketch.plays[:plays]:
            last = max(
                (
                    k
                    for k in range(min(len(play.moves), self.sketch.plies))
                    if self.sketch.movers[k] is Player.BLACK
                ),
                default=None,
            )
            fixed = reading.fixed(self.sketch.movers, play.moves)
            if last is None or fixed is None or not self.values.value(fixed):
                continue
            state = simulator.start()
            for move in play.moves[:last]:
                state = simulator.play(state, move)
            legal = set(simulator.legal_moves(state))
            taken = [move for move in play.moves[:last] if move not in legal]
            for move in taken:
                other = reading.fixed(
                    self.sketch.movers, (*play.moves[:last], move, *play.moves[last + 1 :])
                )
                value = None if other is None else self.values.value(other)
                if value is not None:
                    tried += 1
                    lost += not value
        return lost, tried

    def is_over(self, effort: float) -> bool:
        """True at the deadline, and where the values have taken so much effort."""
        return self.values.effort >= effort or self.deadline.over

    def agrees(self, reading: ReadingGuess, plays: int) -> bool:
        """True if none of the first ``plays`` plays speaks against a reading."""
        for play in self.sketch.plays[:plays]:
            fixed = reading.fixed(self.sketch.movers, play.moves)
            if fixed is None or self.values.value(fixed) is (not play.black_wins):
                return False
        return True

    def ask(self, reading: ReadingGuess, plays: int = PLAYS) -> Screened:
        """The agreement of formula and game after the first ``plays`` plays of the sketch."""
        movers = self.sketch.movers
        agreed, asked = {True: 0, False: 0}, {True: 0, False: 0}
        for play in self.sketch.plays[:plays]:
            if self.deadline.over:
                break
            fixed = reading.fixed(movers, play.moves)
            value = None if fixed is None else self.values.value(fixed)
            if fixed is not None and value is None:
                continue
            asked[play.black_wins] += 1
            agreed[play.black_wins] += value is play.black_wins
        return Screened(reading, agreed, asked)


def in_order(formula: Qbf, sketch: Sketch) -> Iterator[ReadingGuess]:
    """The readings in which the bits of a move stand together, the usual ones first."""
    known: dict[tuple[tuple[Player, int], ...], list[WindowPlaces]] = {}
    found: list[ReadingGuess] = []
    for style in styles(sketch):
        widths = {player: code.width for player, code in style.codes.items()}
        key = tuple(widths.items())
        if key not in known:
            known[key] = list(islice(places(formula, sketch.movers, widths), _MOST_READINGS))
        found += [
            ReadingGuess(style, place.windows, place.cost + style.rank) for place in known[key]
        ]
    yield from sorted(found, key=lambda reading: reading.cost)
