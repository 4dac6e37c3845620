"""Functions that are tried for a formula's helpers.

They come from the encoders of this package: the layout's model is encoded once more, and the
values that this encoding gives to helpers are tried on the formula at hand; on a grid the lifted
encoding's tracker of moves follows the layout.  Nothing of this is believed.  A formula that no
encoder here makes has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from qsage_validate.circuit.aig import FALSE
from qsage_validate.circuit.decision import first_true
from qsage_validate.encodings.grid_state import MoveTracker, Vector
from qsage_validate.encodings.layout import Bits, Layout, Ply, StateCode, value_bits
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.masks import width_for
from qsage_validate.games.protocol import Player
from qsage_validate.judging.codes import BLACK, WHITE
from qsage_validate.judging.sandwich import Scripts
from qsage_validate.kernel.game import GroundRules
from qsage_validate.kernel.reading import PlyReading, WalkPly
from qsage_validate.validation.proofs import conjunction

NO_CODES: Final[Mapping[int, int]] = {}


class NoSuggestions:
    """Nothing is known of the helpers; ``why`` says for what reason.

    ``script`` is the one that is walked through, from ``begin`` on.
    """

    script: Scripts

    def __init__(self, why: str = "") -> None:
        self.why = why

    def begin(self, script: Scripts) -> None:
        self.script = script

    def renames(self, ply: PlyReading) -> bool:
        return False

    def renamed(self, ply: PlyReading) -> Sequence[int]:
        raise AssertionError("asked only where moves are renamed, and none is here")

    def own(self, ply: PlyReading) -> Mapping[int, int]:
        return NO_CODES

    def step(self, step: WalkPly, won: Mapping[Player, int]) -> None:
        pass

    def functions(self) -> Mapping[int, int]:
        return {}


class GridSuggestions(NoSuggestions):
    """What the rules of a grid game suggest: stops, claims, indicators, counter-example, board.

    A player stops at the ply at which the player's goal is reached, and claims the first goal
    that holds there.  Indicators and states are built like a certificate's (``MoveTracker``).
    Where the layout has bits that a number does not need, the lowest ones are taken.
    """

    def __init__(self, layout: Layout, game: BddlGame, of_listed: bool) -> None:
        super().__init__()
        self.layout = layout
        self.game = game
        self._of_listed = of_listed

    def begin(self, script: Scripts) -> None:
        super().begin(script)
        self.hero = BLACK if script.half else WHITE
        self._tracker = MoveTracker(script.builder, self.game.model)
        self._pairs: list[tuple[int, int]] = []
        self._reached: list[list[tuple[tuple[int, ...], int]]] = []

    def step(self, step: WalkPly, won: Mapping[Player, int]) -> None:
        if step.reading is None:
            return
        script, ply = self.script, self.layout.moves[step.ply - 1]
        if step.player is self.hero:
            goals = self._goals(step, won[self.hero])
            self._reached.append(goals)
            if ply.stop is not None:
                reached = script.builder.or_all(
                    literal for made in self._reached for _, literal in made
                )
                self._pairs.append((ply.stop, reached))
                if script.half:
                    script.literals.setdefault(abs(ply.stop), reached ^ (ply.stop < 0))
        if script.half:
            self._track(step, ply)

    def _goals(self, step: WalkPly, won: int) -> list[tuple[tuple[int, ...], int]]:
        """The goals of the hero that a win at a ply is by, as the numbers that claim them."""
        script = self.script
        assert isinstance(script.rules, GroundRules), "the rules of a grid are ground"
        grounding = self.game.grounding
        found = []
        for condition, goal in enumerate(self.game.model.problem.goals(self.hero)):
            for x, y in grounding.positions(goal):
                contents = grounding.contents(goal, x, y)
                if contents is not None:
                    holds = script.rules.holds(step.after, conjunction(*grounding.pack(contents)))
                    here = script.builder.and_(won, holds)
                    found.append(((condition, x - 1, y - 1), here))
        firsts = first_true(script.builder, [literal for _, literal in found])
        return [(numbers, first) for (numbers, _), first in zip(found, firsts, strict=True)]

    def _claims(self, script: Scripts) -> None:
        """The numbers of the goal that is claimed; an axis without bits is left open."""
        for place, bits in enumerate(self.layout.goals.claim(self.hero)):
            for k, bit in enumerate(reversed(bits)):
                literals = [
                    literal
                    for goals in self._reached
                    for numbers, literal in goals
                    if numbers[place] >> k & 1
                ]
                self._pairs.append((bit, script.builder.or_all(literals)))

    def functions(self) -> Mapping[int, int]:
        script = self.script
        self._claims(script)
        if script.half:
            self._board(script)
        # Of two suggestions the later one counts.
        return {abs(v): literal ^ (v < 0) for v, literal in self._pairs}

    def _board(self, script: Scripts) -> None:
        layout, problem, tracker = self.layout, self.game.model.problem, self._tracker
        goals = layout.goals
        if goals.counterexample and problem.white_goals:
            literals = tracker.counterexample(
                problem.white_goals,
                tuple(script.bits(goals.white_condition)),
                _fit(script.bits(goals.white_x), problem.width),
                _fit(script.bits(goals.white_y), problem.height),
                len(goals.counterexample),
            )
            self._pairs += zip(goals.counterexample, literals, strict=True)
        x = Vector(_fit(script.bits(layout.state.x), problem.width))
        y = Vector(_fit(script.bits(layout.state.y), problem.height))
        inverted = layout.state.code is StateCode.OCCUPIED_WHITE
        for time, (first, second) in enumerate(layout.state.states):
            content = tracker.content(min(time, len(tracker.steps)), x, y, frozen=True)
            self._pairs += ((first, content.is_open ^ inverted), (second, content.is_white))

    def _track(self, step: WalkPly, ply: Ply) -> None:
        """Follow a ply, and suggest its indicators."""
        script, tracker = self.script, self._tracker
        problem = self.game.model.problem
        sizes = len(self.game.model.domain.actions(ply.player)), problem.width, problem.height
        own = ply.vectors if len(ply.vectors) == len(sizes) else None
        numbers = map(script.bits, own) if own else self._said(step, sizes)
        vectors = [*zip(numbers, sizes, strict=True)]
        action, x, y = (_fit(bits, values) for bits, values in vectors)
        (stop,) = (FALSE,) if ply.stop is None else script.bits((ply.stop,))
        tracker.add(ply.player, action, x, y, stop)
        indicators = ply.indicators
        if indicators is None or not (own or self._of_listed):
            return
        count = len(indicators.preconditions)
        flags = tracker.precondition_flags(len(tracker.steps), count, frozen=True)
        self._pairs += zip(indicators.preconditions, flags, strict=True)
        if indicators.bounds is not None:
            # Bits above those that are needed are 0 within the bounds.
            above = (
                bit ^ 1 for bits, values in vectors for bit in bits[: -width_for(values) or None]
            )
            within = script.builder.and_all((tracker.bounds_flag(len(tracker.steps)), *above))
            self._pairs.append((indicators.bounds, within))

    def _said(self, step: WalkPly, sizes: Sequence[int]) -> list[Bits]:
        """The bits of action, column and row of the move that other codes than these say."""
        actions = [action.name for action in self.game.model.domain.actions(step.player)]
        found: list[list[int]] = [[FALSE] * width_for(size) for size in sizes]
        for text, literal in step.codes.items():
            move = self.game.parse_move(text, step.player)
            places = actions.index(move.action), move.x - 1, move.y - 1
            for bits, place in zip(found, places, strict=True):
                for k, one in enumerate(value_bits(place, len(bits))):
                    if one:
                        bits[k] = self.script.builder.or_(bits[k], literal)
        return [*map(tuple, found)]


def _fit(bits: Iterable[int], values: int) -> Bits:
    """The lowest bits of a number, as many as ``values`` need."""
    found = tuple(bits)
    width = width_for(values)
    return (FALSE,) * (width - len(found)) + found[max(len(found) - width, 0) :]
