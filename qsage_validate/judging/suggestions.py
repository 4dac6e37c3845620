"""Functions that are tried for a formula's helpers.

They come from the encoders of this package: the layout's model is encoded once more, and the
values that this encoding gives to helpers are tried on the formula at hand; on a grid the lifted
encoding's tracker of moves follows the layout.  Nothing of this is believed.  A formula that no
encoder here makes has none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from qsage_validate.circuit.aig import FALSE, AigBuilder
from qsage_validate.circuit.qbf import Quantifier
from qsage_validate.encodings.encoding import (
    Goals,
    PlayLiterals,
    PlyLiterals,
    completed,
    first_true,
    width_for,
)
from qsage_validate.encodings.grid_state import MoveTracker, Vector
from qsage_validate.encodings.layout.codings import Bits, value_bits
from qsage_validate.encodings.layout.layout import Layout, Ply, StateCode
from qsage_validate.errors import InputError, UsageError
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.languages import model_from_parts
from qsage_validate.games.protocol import Player, TwoPlayerGame
from qsage_validate.judging.codes import BLACK, WHITE
from qsage_validate.judging.sandwich import Scripts, Suggestions
from qsage_validate.kernel.ground import GroundRules
from qsage_validate.kernel.reading import Matcher, PlyReading
from qsage_validate.kernel.walk import WalkPly
from qsage_validate.validation.proofs import conjunction

if TYPE_CHECKING:
    from qsage_validate.encodings.encoding import Encoding
    from qsage_validate.games.positional.model import PositionalModel

_NO_CODES: Final[Mapping[int, int]] = {}


def suggestions_of(
    layout: Layout, game: TwoPlayerGame | None, *, of_listed: bool = True
) -> Suggestions:
    """What is tried on a formula of a game; ``why`` of it says where there is nothing to try.

    ``of_listed`` asks for indicators of moves on a grid that are numbers in a list, too.
    """
    if layout.state.is_board and isinstance(game, BddlGame):
        return GridSuggestions(layout, game, of_listed)
    from qsage_validate.encodings.registry import encode

    try:
        found = encode(model_from_parts(layout.game, layout.model), layout.encoding)
    except (InputError, UsageError) as error:
        return NoSuggestions(f"no encoder here makes {layout.encoding}: {error}")
    if [*map(_written, found.layout.moves)] != [*map(_written, layout.moves)]:
        return NoSuggestions(f"the encoder of {layout.encoding} writes moves otherwise")
    return EncodersSuggestions(layout, found)


def _written(ply: Ply) -> tuple[object, ...]:
    """What suggestions read of a ply: who moves, and which values stand for which move."""
    numbers = tuple(number.bits for number in ply.coding.numbers)
    return ply.player, ply.moves, ply.variables, numbers, ply.stop


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
        return _NO_CODES

    def step(self, step: WalkPly, won: Mapping[Player, int]) -> None:
        pass

    def functions(self) -> Mapping[int, int]:
        return {}


@dataclass(frozen=True)
class _LiteralPlay:
    """A play in literals, as completions see it (``PlayLiterals``)."""

    builder: AigBuilder
    plies: Sequence[PlyLiterals]
    literals: Mapping[int, int]
    goals: Callable[[], Sequence[tuple[Goals, int]]]
    hero: Player = BLACK

    def witness(self, value: Callable[[Goals], int], width: int) -> Bits:
        """The number about the first goal that Black has reached in the end."""
        bits: list[int] = [FALSE] * width
        for goals, first in self.goals():
            for place, one in enumerate(value_bits(value(goals), width)):
                if one:
                    bits[place] = self.builder.or_(bits[place], first)
        return tuple(bits)


class EncodersSuggestions(NoSuggestions):
    """The values that an encoder of this package gives to Black's helpers.

    In COVER, White names positions of the cover only, or none: the script chooses a move of the
    rules, and the formula's variables are given what COVER calls it, a function of the play so far.
    """

    def __init__(self, layout: Layout, encoding: Encoding) -> None:
        super().__init__()
        self.layout = layout
        self.encoding = encoding

    def begin(self, script: Scripts) -> None:
        super().begin(script)
        self._plies: list[PlyLiterals] = []
        self._first_black: Mapping[str, int] = {}
        self._last: WalkPly | None = None

    def own(self, ply: PlyReading) -> Mapping[int, int]:
        """After a win what certificates that are compiled have there."""
        script, one = self.script, self.layout.moves[ply.ply - 1]
        over = script.over
        if not script.half:
            return _NO_CODES
        fresh = [v for v in dict.fromkeys(map(abs, ply.literals)) if v not in script.literals]
        own = {v: script.input(script.codes.known_after(v)) for v in fresh}
        builder = script.builder
        if one.stop is None and one.coding.numbers and over != FALSE:
            state = script.rules.initial if self._last is None else self._last.after
            can = dict(
                zip(script.rules.moves(ply.ply), script.rules.legal(state, ply.ply), strict=True)
            )
            instead = first_true(builder, [can.get(move, FALSE) for move in one.moves])
            fallback = self._code(one, instead)
            own = {v: builder.ite(over, fallback.get(v, FALSE), x) for v, x in own.items()}
        elif not one.coding.numbers:
            own = {v: builder.and_(x, over ^ 1) for v, x in own.items()}
        if one.stop is not None and abs(one.stop) not in script.literals:
            own[abs(one.stop)] = over ^ (one.stop < 0)
        return own

    def _code(self, ply: Ply, made: Sequence[int]) -> dict[int, int]:
        """The values of a ply's variables that say the one move which is made."""
        found: dict[int, list[int]] = {}
        for move, literal in zip(ply.moves, made, strict=True):
            for variable, value in ply.coding.encode(move).items():
                found.setdefault(variable, []).extend([literal] * value)
        return {v: self.script.builder.or_all(literals) for v, literals in found.items()}

    def step(self, step: WalkPly, won: Mapping[Player, int]) -> None:
        self._last = step
        if step.reading is None or not self.script.half:
            return
        script, one = self.script, self.layout.moves[step.ply - 1]
        stops = step.player is BLACK and one.stop is not None
        stop = script.bits([one.stop])[0] if stops and one.stop is not None else FALSE
        said = [script.builder.and_(step.codes.get(m, FALSE), stop ^ 1) for m in one.moves]
        numbers = [tuple(script.bits(number.bits)) for number in one.coding.numbers]
        known = {
            abs(v): script.literals[abs(v)] for v in one.all_variables if abs(v) in script.literals
        }
        self._plies.append(PlyLiterals(step.player, numbers, stop, known, lambda: said))

    def _goals(self, model: PositionalModel) -> list[tuple[Goals, int]]:
        """Black's winning sets, each with the literal that it is the first that Black has."""
        from qsage_validate.games.positional.hex import with_winning_sets

        builder, rules = self.script.builder, self.script.rules
        wins = with_winning_sets(model).black_wins
        state = rules.initial if self._last is None else self._last.after
        atoms = rules.atoms(state, rules.plies)
        stones = [atoms[f"black {name}"] for name in model.positions]
        found = first_true(builder, completed(builder, wins, stones))
        return [(frozenset({win}), first) for win, first in zip(wins, found, strict=True)]

    def functions(self) -> Mapping[int, int]:
        from qsage_validate.games.positional.model import PositionalModel

        script, model = self.script, self.encoding.model
        if not script.half:
            return {}

        def goals() -> Sequence[tuple[Goals, int]]:
            return self._goals(model) if isinstance(model, PositionalModel) else ()

        other = self.encoding.qbf.variables(Quantifier.FORALL)
        literals = {**dict.fromkeys(other, FALSE), **script.literals}
        play: PlayLiterals = _LiteralPlay(script.builder, self._plies, literals, goals)
        values = self.encoding.completions[BLACK](play)
        # In clausal form gates are variables, with the numbers of the gates.
        gates = {**literals, **values}
        self.encoding.qbf.add_to(script.builder, gates)
        return {**gates, **values}

    # -- COVER ------------------------------------------------------------------------------

    def renames(self, ply: PlyReading) -> bool:
        from qsage_validate.games.positional.cover_game import OUT_OF_COVER

        return not self.script.half and OUT_OF_COVER in self.layout.moves[ply.ply - 1].moves

    def renamed(self, ply: PlyReading) -> Sequence[int]:
        from qsage_validate.games.positional.cover_game import OUT_OF_COVER, in_the_cover

        script, one = self.script, self.layout.moves[ply.ply - 1]
        bits = [script.input() for _ in ply.literals]
        match = Matcher(script.builder, bits)
        cover = self._covered()
        for variable in one.coding.variables:
            script.literals[abs(variable)] = FALSE
        for name, (pattern,) in ply.codes.items():
            chosen = match(pattern)
            inside = cover.get(name, FALSE)
            for text, so in ((in_the_cover(name), inside), (OUT_OF_COVER, inside ^ 1)):
                here = script.builder.and_(chosen, so)
                code = one.coding.encode(text) if one.coding.can_say(text) else {}
                for variable in (v for v, value in code.items() if value):
                    own = script.literals[variable]
                    script.literals[variable] = script.builder.or_(own, here)
        return bits

    def _covered(self) -> Mapping[str, int]:
        """For each position the literal that it is in the cover of Black's first stones."""
        from qsage_validate.games.positional.model import PositionalModel
        from qsage_validate.judging.codes import Cover

        script, model = self.script, self.encoding.model
        if not isinstance(model, PositionalModel):
            return {}
        if not self._first_black:
            last = self._last
            state = script.rules.initial if last is None else last.after
            atoms = script.rules.atoms(state, 0 if last is None else last.ply)
            self._first_black = {name: atoms[f"black {name}"] for name in model.positions}
        return Cover(model).around(self._first_black, script.builder.or_all)


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
                reached = script.builder.or_all(literal for _, literal in goals)
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
        flags = tracker.precondition_flags(len(tracker.steps), len(indicators.preconditions))
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
