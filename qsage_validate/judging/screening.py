"""Readings of a formula, screened by its values after plays of the game.

Where no order of the bits can be taken from the file, each ply's is guessed by how often Black
wins: the share of true values with a code at a ply is held against the share of random plays that
Black wins with a move there.  Then ply after ply is arranged anew as long as more plays agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, islice, pairwise, permutations, product
from math import factorial, inf, prod, sqrt
from random import Random
from typing import Final

from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.games.protocol import Player
from qsage_validate.judging.move_codes import (
    LSB,
    PLAYS,
    MoveStyle,
    Sketch,
    WindowPlaces,
    Windows,
    places,
    sequences,
    styles,
    views,
)
from qsage_validate.judging.residuals import ExpandedFormula, Residuals, trimmed
from qsage_validate.system.limits import NEVER, Deadline

# Values of a formula with any variables fixed, whatever the plies are


_MOST_INPUTS: Final = 300_000
# Inputs of gates in all expansions that are kept: some hundred megabytes.
_MOST_KEPT: Final = 15_000_000
_MOST_RESIDUALS: Final = 48
_MOST_UNIVERSAL: Final = 24
_MOST_EXPANDED_BITS: Final = 9
Pattern = tuple[bool, ...]

# Inputs of gates that are expanded in the time of a question, and questions in a solver's time.
_EFFORT: Final = 200
_SOLVER_EFFORT: Final = 100
# What a QBF solver is given for one value.
_SECONDS: Final = 5.0


class FixedValues:
    """The truth of ``formula`` with some variables fixed, the others in their places.

    One expansion serves all choices that fix the same universal variables: an existential one
    that stands left of all that are expanded has one copy, and may be assumed or not.
    ``asked`` counts the values that were made, and ``effort`` what they took: one for a question
    to an expansion that is there, which takes a fraction of a millisecond, and as much as the
    time that it takes for an expansion or a solver's answer.
    """

    def __init__(self, formula: Qbf, deadline: Deadline = NEVER) -> None:
        self.formula = trimmed(formula)
        self.asked = 0
        self.effort = 0
        self._deadline = deadline
        self._quantifiers = self.formula.quantifiers()
        self._order = [v for scope in self.formula.scopes for v in scope.variables]
        self._universal = self.formula.variables(Quantifier.FORALL)
        self._size = 1 + sum(len(gate.inputs) for gate in self.formula.gates.values())
        self._kept = 0
        self._expansions: dict[tuple[frozenset[int], frozenset[int]], ExpandedFormula] = {}
        self._residuals: dict[frozenset[int], Residuals] = {}
        self._free: dict[frozenset[int], frozenset[int]] = {}
        self._known: dict[frozenset[tuple[int, bool]], bool | None] = {}

    def value(self, fixed: Mapping[int, bool], deadline: Deadline = NEVER) -> bool | None:
        """The truth; ``None`` where a limit came first."""
        needed = {v: value for v, value in fixed.items() if v in self._quantifiers}
        key = frozenset(needed.items())
        if key not in self._known:
            self.asked += 1
            self.effort += 1
            self._known[key] = self._decide(needed, deadline)
        return self._known[key]

    def live(self, windows: Sequence[Sequence[int]], ply: int) -> frozenset[Pattern] | None:
        """The values of the window ``ply`` that leave a formula which some others make true.

        The others are the values of the other windows; the rest of the formula keeps its
        quantifiers.  ``None`` where that is too much to ask.
        """
        universal = frozenset(
            v for window in windows for v in window if self._quantifiers.get(v) is Quantifier.FORALL
        )
        own = windows[ply]
        if len(own) > _MOST_EXPANDED_BITS or not self._expands(universal):
            return None
        late = {v for window in windows for v in window if v in self._quantifiers}
        expansion = self._expansion(universal, frozenset(late - self._early(universal)))
        found: list[Pattern] = []
        for bits in product((False, True), repeat=len(own)):
            value = expansion.value(dict(zip(own, bits, strict=True)), self._deadline)
            if value is None:
                return None
            if value:
                found.append(bits)
        return frozenset(found)

    def _expands(self, universal: frozenset[int]) -> bool:
        left = len(self._universal) - len(universal)
        return left <= _MOST_UNIVERSAL and self._size << left <= _MOST_INPUTS

    def _expansion(self, universal: frozenset[int], late: frozenset[int]) -> ExpandedFormula:
        key = universal, late
        if key not in self._expansions:
            size = self._size << len(self._universal) - len(universal)
            if self._kept + size > _MOST_KEPT:
                self._expansions.clear()
                self._kept = 0
            self._kept += size
            self.effort += size // _EFFORT
            early = self._early(universal)
            free = [v for v in self._order if v in early or v in late]
            self._expansions[key] = ExpandedFormula(self.formula, free)
        return self._expansions[key]

    def _decide(self, fixed: Mapping[int, bool], deadline: Deadline) -> bool | None:
        universal = frozenset(v for v in fixed if self._quantifiers[v] is Quantifier.FORALL)
        if self._expands(universal):
            late = frozenset(v for v in fixed if v not in self._early(universal))
            return self._expansion(universal, late).value(fixed, self._deadline)
        self.effort += _SOLVER_EFFORT
        variables = frozenset(fixed)
        if variables not in self._residuals:
            if len(self._residuals) >= _MOST_RESIDUALS:
                self._residuals.pop(next(iter(self._residuals)))
            own = [v for v in self._order if v in variables]
            self._residuals[variables] = Residuals(self.formula, [own])
        sooner = min(self._deadline.sooner_by_work(_SECONDS), deadline, key=Deadline.left)
        return self._residuals[variables].value(fixed, 1, sooner)

    def _early(self, universal: frozenset[int]) -> frozenset[int]:
        """The fixed universal variables, and the existential ones that are copied once."""
        if universal not in self._free:
            found = set(universal)
            for v in self._order:
                if self._quantifiers[v] is Quantifier.EXISTS:
                    found.add(v)
                elif v not in universal:
                    break
            self._free[universal] = frozenset(found)
        return self._free[universal]


# Readings of a formula, screened by its values after plays of the game


_MOST_READINGS: Final = 4000
# How many plays a round of the screening takes, and how many readings it leaves.
_ROUNDS: Final = ((6, 120), (20, 24), (60, 12))


_Codes = tuple[tuple[str, Pattern], ...]
ReadingKey = tuple[str, Windows, _Codes]
"""Words, the variables of each ply, and the codes where the words do not say them."""


@dataclass(frozen=True)
class ReadingGuess:
    """A guess: the variables of each ply, in the formula's order, and how moves are written."""

    style: MoveStyle
    windows: Windows
    cost: int

    @property
    def key(self) -> ReadingKey:
        """What tells readings of one search apart."""
        return self.style.words, self.windows, _codes_of(self.style) if self.style.guessed else ()

    def fixed(self, movers: Sequence[Player], moves: Sequence[str]) -> dict[int, bool] | None:
        """The values that say ``moves``; ``None`` where a move has no code."""
        values: dict[int, bool] = {}
        for ply, (player, variables, move) in enumerate(
            zip(movers, self.windows, moves, strict=False)
        ):
            code = self.style.code(ply, player)
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
        code = reading.style.code(0, self.sketch.movers[0])
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


# Readings of formulas whose variables are in no order inside the scopes


_SAMPLES: Final = 1200
_QUICK_PLAYS: Final = 24
_MOST_COMBINED: Final = 4000
_MOST_ORDERS: Final = 20_000
_MOST_WINDOWS: Final = 5040
_CONTEXTS: Final = 60
_FEW_PLAYS: Final = 16
_MOST_ARRANGEMENTS: Final = 150
_MOST_BITS: Final = 7
_MOST_SEQUENCES: Final = 4
_MOST_STARTS: Final = 4
_SHUFFLED_ROUNDS: Final = 4
# Readings with other codes that are asked about, and climbs in a row that lead to no better one.
_MOST_RECODED: Final = 4000
_MOST_VAIN: Final = 100
# Other variables of a scope that may belong to a move, as far as they are few.
_MOST_SPARE: Final = 4
COST: Final = 8
"""The cost of a reading whose bits or codes are in no order of the file."""


def rearranged(
    screening: Screening, start: Screened, effort: float, pools: Windows | None = None
) -> Screened:
    """The best reading that is reached from ``start`` by arranging one ply after the other anew.

    ``pools`` are the variables that each ply may have; without them it keeps its own.
    """
    best = screening.ask(start.reading, _FEW_PLAYS)
    sets = pools or start.reading.windows
    plies = len(start.reading.windows)
    for _ in range(_SHUFFLED_ROUNDS):
        before = best
        for ply in range(plies):
            for reading in _neighbours(best.reading, ply, sets[ply]):
                if screening.is_over(effort):
                    return screening.ask(best.reading)
                one = screening.ask(reading, _FEW_PLAYS)
                if one.share > best.share:
                    best = one
            if best.fits:
                whole = screening.ask(best.reading)
                if whole.fits:
                    return whole
        if best is before:
            break
    whole = screening.ask(best.reading)
    if whole.fits or best.share < 0.8:
        return whole
    # Few plays leave ties: all of them decide between the last neighbours.
    for ply in range(plies):
        for reading in _neighbours(whole.reading, ply, sets[ply]):
            if screening.is_over(effort):
                return whole
            one = screening.ask(reading)
            if one.share > whole.share:
                whole = one
    return whole


def _neighbours(reading: ReadingGuess, ply: int, pool: Sequence[int]) -> Iterator[ReadingGuess]:
    """The readings with another arrangement of one ply's variables."""
    window = reading.windows[ply]
    others = [v for v in pool if v not in window]
    if not others and factorial(len(window)) <= _MOST_ARRANGEMENTS:
        arrangements: Iterator[tuple[int, ...]] = permutations(window)
    else:
        arrangements = _exchanged(window, others)
    for arranged in arrangements:
        if arranged != window:
            yield _with(reading, ply, arranged)


def _with(reading: ReadingGuess, ply: int, window: tuple[int, ...]) -> ReadingGuess:
    windows = (*reading.windows[:ply], window, *reading.windows[ply + 1 :])
    return replace(reading, windows=windows, cost=max(reading.cost, COST))


def _exchanged(window: tuple[int, ...], others: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Two variables of a window exchanged, or one of them with a variable outside of it."""
    for i in range(len(window)):
        for j in range(i):
            changed = list(window)
            changed[i], changed[j] = changed[j], changed[i]
            yield tuple(changed)
        for other in others:
            yield (*window[:i], other, *window[i + 1 :])


def recoded(screening: Screening, start: Screened, effort: float) -> Iterator[Screened]:
    """Readings with the variables of ``start`` and other codes: each better one, and all that fit.

    Two codes are exchanged in all plies at once, or two bits of one ply, as long as more plays
    agree; where no exchange is better, some are made at random.
    """
    steps = _steps(start.reading, screening.formula, screening.sketch)
    if not steps:
        return
    rng = Random(1)
    first = best = screening.ask(start.reading)
    found = {(first.reading.windows, _codes_of(first.reading.style))}
    asked = vain = 0

    def ask(reading: ReadingGuess, some: Sequence[_Step]) -> Screened | None:
        nonlocal asked
        asked += 1
        if asked > _MOST_RECODED or screening.is_over(effort):
            return None
        for step in some:
            reading = _stepped(reading, step)
        return screening.ask(reading)

    def climbed(one: Screened) -> Screened:
        climbing = not one.fits
        while climbing:
            climbing = False
            for step in rng.sample(steps, len(steps)):
                other = ask(one.reading, [step])
                if other is None or other.fits:
                    return other or one
                if other.share > one.share:
                    one, climbing = other, True
        return one

    # One exchange may do, and is the likeliest: a climb may lead away from it.
    single: list[Screened] = []
    for step in steps:
        one = ask(first.reading, [step])
        if one is None:
            break
        single.append(one)
        if one.fits:
            break
    single.sort(key=lambda one: one.share)
    while vain < _MOST_VAIN:
        one = single.pop() if single else None
        if one is None:
            one = ask(rng.choice((first, best)).reading, rng.choices(steps, k=rng.randint(2, 4)))
        if one is None:
            return
        one = climbed(one)
        better = one.share > best.share
        vain = 0 if better else vain + 1
        key = one.reading.windows, _codes_of(one.reading.style)
        if better or (one.fits and key not in found):
            found.add(key)
            yield _in_words(one, start)
        best = one if better else best


_Exchange = tuple[tuple[Pattern, Pattern], tuple[Player, ...]]
"""Two codes that change places, and the players whose codes they are."""

_Step = _Exchange | tuple[int, int, int]
"""An exchange of codes; or a ply, a place in its window, and a variable that comes there."""


def _steps(reading: ReadingGuess, formula: Qbf, sketch: Sketch) -> list[_Step]:
    steps: list[_Step] = [*_exchanges(reading.style, sketch)]
    if any(code.one_hot for code in reading.style.codes.values()):
        return steps
    used = {v for window in reading.windows for v in window}
    scope_of = {v: scope.variables for scope in formula.merged_scopes() for v in scope.variables}
    for ply, window in enumerate(reading.windows):
        own = [v for v in scope_of.get(window[0], ()) if v not in used] if window else []
        for i, v in enumerate(window):
            steps += [(ply, i, other) for other in window if other > v]
            steps += [(ply, i, other) for other in own if len(own) <= _MOST_SPARE]
    return steps


def _stepped(reading: ReadingGuess, step: _Step) -> ReadingGuess:
    """The reading after a step; the same one where the variable belongs to another ply by now."""
    if len(step) == 2:
        return replace(reading, style=reading.style.exchanged(*step), cost=COST)
    ply, i, v = step
    window = [*reading.windows[ply]]
    if v in window:
        window[window.index(v)] = window[i]
    elif any(v in other for other in reading.windows):
        return reading
    window[i] = v
    return _with(reading, ply, tuple(window))


def _exchanges(style: MoveStyle, sketch: Sketch) -> list[_Exchange]:
    """Pairs of codes that have a move, at least one of them a move that some play has.

    Where both players write moves alike, first those of both at once, then those of one alone.
    Codes without a move stay so: among many codes some agree with all plays of a short game by
    chance.
    """
    codes = style.codes
    shared = len({tuple(code.patterns.items()) for code in codes.values()}) == 1
    played = {move for play in sketch.plays for move in play.moves}
    found: list[_Exchange] = []
    for players in [tuple(codes)] * shared + [(player,) for player in codes]:
        patterns = codes[players[0]].patterns
        found += [
            ((one, other), players)
            for (move, one), (second, other) in combinations(patterns.items(), 2)
            if move in played or second in played
        ]
    return found


def _codes_of(style: MoveStyle) -> _Codes:
    every = (*style.codes.values(), *style.plies.values())
    return tuple(pair for code in every for pair in sorted(code.patterns.items()))


def _in_words(one: Screened, start: Screened) -> Screened:
    """The reading with words that name each move whose code is another one than in ``start``."""
    style, before = one.reading.style, start.reading.style
    changed = changes(style, before)
    words = f"{before.words}, but {', '.join(changed)}"
    style = replace(style, words=words) if changed else before
    return replace(one, reading=replace(one.reading, style=style))


def changes(style: MoveStyle, before: MoveStyle) -> list[str]:
    """The moves whose codes are other ones than ``before``, each with its number or place."""
    alike = len({_codes_of(replace(style, codes={p: c})) for p, c in style.codes.items()}) == 1
    ways = [("" if alike else f"{p} ", code, before.codes[p]) for p, code in style.codes.items()]
    ways += [(f"at ply {at[0] + 1} ", code, before.code(*at)) for at, code in style.plies.items()]
    changed: dict[str, None] = {}
    for whose, code, usual in ways:
        for move in sorted(code.patterns, key=[*usual.patterns, *code.patterns].index):
            bits = code.patterns[move]
            if bits != usual.patterns.get(move):
                own = bits if before.words.endswith(LSB) else reversed(bits)
                number = sum(bit << k for k, bit in enumerate(own))
                place = 1 + bits.index(True) if code.one_hot else number
                changed[f"{whose}{move} is {place}"] = None
    return [*changed]


def shuffled(screening: Screening, effort: float) -> Iterator[Screened]:
    """Readings from which :func:`rearranged` may go on, the likeliest first."""
    sketch, formula = screening.sketch, screening.formula
    starts: list[tuple[float, MoveStyle, list[list[tuple[int, ...]]], Windows]] = []
    known: dict[tuple[int, ...], list[Windows]] = {}
    for style in styles(sketch, ordered=False):
        widths = {player: code.width for player, code in style.codes.items()}
        key = tuple(widths.values())
        if key not in known:
            known[key] = []
            for view in views(formula):
                found = islice(sequences(view, sketch.movers, widths), _MOST_SEQUENCES)
                for _, chosen in found:
                    pools = tuple(view[scope].variables for scope in chosen)
                    if pools not in known[key] and len(set(chosen)) == len(chosen):
                        known[key].append(pools)
        for pools in known[key]:
            if screening.is_over(effort):
                return
            if max(map(len, pools[:-1]), default=0) > _MOST_BITS:
                continue
            starts.append(_by_rates(screening, style, pools))
    starts.sort(key=lambda start: -start[0])
    likely = starts[:_MOST_STARTS]
    ways: list[tuple[tuple[MoveStyle, Windows] | None, Iterator[ReadingGuess]]] = [
        (None, _combined(style, candidates)) for _, style, candidates, _ in likely
    ]
    all_of = [(style, pools) for _, style, _, pools in likely if _has_few_orders(style, pools)]
    ways += [(one, _every_order(*one)) for one in all_of]
    for every, way in ways:
        for reading in way:
            if screening.is_over(effort):
                return
            screening.tried += 1
            if screening.agrees(reading, _QUICK_PLAYS):
                one = screening.ask(reading)
                if one.fits:
                    yield one
        if every is not None:
            screening.orders_tried.add(order_key(*every))
    for _, style, candidates, pools in starts[:_MOST_STARTS]:
        if screening.is_over(effort):
            return
        reading = ReadingGuess(style, tuple(own[0] for own in candidates), COST)
        yield rearranged(screening, screening.ask(reading, _FEW_PLAYS), effort, pools)


def _combined(
    style: MoveStyle, candidates: Sequence[Sequence[tuple[int, ...]]]
) -> Iterator[ReadingGuess]:
    """One candidate for each ply, those that stand first in their lists first."""
    ranked = (range(len(own)) for own in candidates)
    chosen = sorted(islice(product(*ranked), 50 * _MOST_COMBINED), key=sum)
    for which in chosen[:_MOST_COMBINED]:
        windows = tuple(own[k] for own, k in zip(candidates, which, strict=True))
        yield ReadingGuess(style, windows, COST)


def order_key(style: MoveStyle, windows: Windows) -> tuple[str, tuple[frozenset[int], ...]]:
    """What readings have in common that differ in the order of their bits."""
    return style.words.removesuffix(LSB), tuple(map(frozenset, windows))


def _has_few_orders(style: MoveStyle, pools: Windows) -> bool:
    """True if each scope has the bits of its ply and no more, in orders that can all be tried."""
    widths = {code.width for code in style.codes.values()}
    alike = widths == set(map(len, pools))
    return alike and len(widths) == 1 and prod(map(factorial, map(len, pools))) <= _MOST_ORDERS


def _every_order(style: MoveStyle, pools: Windows) -> Iterator[ReadingGuess]:
    """All orders of the bits of all plies.

    Rates tell little of White's plies where illegal moves of White's do nothing, or lose.
    """
    for windows in product(*map(permutations, pools)):
        yield ReadingGuess(style, windows, COST)


def _by_rates(
    screening: Screening, style: MoveStyle, pools: Windows
) -> tuple[float, MoveStyle, list[list[tuple[int, ...]]], Windows]:
    """Windows for each ply whose codes are true as often as Black wins, the best ones first.

    The first value is the sum of the best correlations of Black's plies.
    """
    sketch = screening.sketch
    rates = _rates(screening, pools)
    candidates: list[list[tuple[int, ...]]] = []
    total = 0.0
    for ply, (player, pool) in enumerate(zip(sketch.movers, pools, strict=True)):
        code = style.codes[player]
        expected = {
            code.patterns[move]: rate
            for move, rate in sketch.rates[ply].items()
            if move in code.patterns
        }
        if not rates[ply]:
            candidates.append([pool[: code.width]])
            continue
        scored: list[tuple[float, tuple[int, ...]]] = []
        for window in islice(permutations(pool, code.width), _MOST_WINDOWS):
            places = [pool.index(v) for v in window]
            scored.append((_correlation(rates[ply], places, expected, player), window))
        scored.sort(key=lambda one: -one[0])
        best = scored[0][0]
        total += best if player is Player.BLACK else min(0.0, best + 1)
        # Of Black's moves the rates tell much, of White's little more than which ones are legal.
        near = 0.25 if player is Player.BLACK else 1.9
        most = 4 if player is Player.BLACK else 24
        candidates.append([window for score, window in scored[:most] if score >= best - near])
    return total, style, candidates, pools


def _rates(screening: Screening, pools: Windows) -> list[dict[Pattern, float]]:
    """For each ply, how often the formula is true with values of its variables; empty if unknown.

    The other plies have random values, Black's those with which the formula can be true at all.
    """
    if pools in screening.rates:
        return screening.rates[pools]
    rng = Random(1)
    choices = _choices(screening, pools, rng)
    counts: list[dict[Pattern, list[int]]] = [{} for _ in pools]
    for _ in range(_SAMPLES):
        fixed = _drawn(pools, choices, rng)
        value = screening.values.value(fixed)
        for count, pool, choice in zip(counts, pools, choices, strict=True):
            if choice is not None and value is not None:
                own = count.setdefault(tuple(fixed[v] for v in pool), [0, 0])
                own[0] += value
                own[1] += 1
    found = [{bits: won / n for bits, (won, n) in count.items()} for count in counts]
    for shares, pool, player in zip(found, pools, screening.sketch.movers, strict=True):
        if shares and player is Player.BLACK:
            for bits in product((False, True), repeat=len(pool)):
                shares.setdefault(bits, 0.0)
    screening.rates[pools] = found
    return found


def _choices(screening: Screening, pools: Windows, rng: Random) -> list[list[Pattern] | None]:
    """The values of each ply's variables that tell something; ``None`` where there are too many.

    Those of Black's with which the formula can be true, and those of White's that differ from the
    others: what the formula makes of illegal moves is one and the same for all of them.
    """
    movers = screening.sketch.movers
    choices: list[list[Pattern] | None] = []
    for ply, pool in enumerate(pools):
        if len(pool) > _MOST_BITS:
            choices.append(None)
            continue
        every = list(product((False, True), repeat=len(pool)))
        live = screening.values.live(pools, ply) if movers[ply] is Player.BLACK else None
        choices.append(sorted(live) if live else every)
    for ply, pool in enumerate(pools):
        choice = choices[ply]
        if movers[ply] is Player.BLACK or choice is None:
            continue
        contexts = [_drawn(pools, choices, rng) for _ in range(_CONTEXTS)]
        alike: dict[tuple[bool | None, ...], list[Pattern]] = {}
        for bits in choice:
            own = dict(zip(pool, bits, strict=True))
            row = tuple(screening.values.value({**context, **own}) for context in contexts)
            alike.setdefault(row, []).append(bits)
        largest = max(alike.values(), key=len)
        if 1 < len(largest) < len(choice):
            choices[ply] = [bits for bits in choice if bits not in largest]
    return choices


def _drawn(
    pools: Windows, choices: Sequence[Sequence[Pattern] | None], rng: Random
) -> dict[int, bool]:
    fixed: dict[int, bool] = {}
    for pool, choice in zip(pools, choices, strict=True):
        if choice is not None:
            fixed.update(zip(pool, rng.choice(choice), strict=True))
    return fixed


def _correlation(
    rates: Mapping[Pattern, float],
    places: Sequence[int],
    expected: Mapping[Pattern, float],
    player: Player,
) -> float:
    """Pearson's correlation of the rates of codes with those of the moves that they would be.

    An illegal code of Black's wins nothing; White's are legal.
    """
    pairs: list[tuple[float, float]] = []
    for bits, rate in rates.items():
        wanted = expected.get(tuple(bits[place] for place in places))
        if wanted is None:
            if player is Player.WHITE:
                return -9.0  # what differs from illegal moves is legal
            wanted = 0.0
        pairs.append((rate, wanted))
    if len(pairs) < 3:
        return 0.0
    n = len(pairs)
    mean = [sum(pair[k] for pair in pairs) / n for k in (0, 1)]
    spread = [sqrt(sum((pair[k] - mean[k]) ** 2 for pair in pairs)) for k in (0, 1)]
    if not spread[0] or not spread[1]:
        return 0.0
    return sum((a - mean[0]) * (b - mean[1]) for a, b in pairs) / (spread[0] * spread[1])
