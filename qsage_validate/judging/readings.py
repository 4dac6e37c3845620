"""The search for the reading of a formula, from the first guess to the layout."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import islice
from typing import Final

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.circuit.rewriting import recovered
from qsage_validate.encodings.layout import FOUND, Layout, Ply, UnspecifiedLegality
from qsage_validate.encodings.list_codings import NumberedCoding
from qsage_validate.errors import UndecidedError, UsageError, counted
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.masks import width_for
from qsage_validate.games.protocol import Player, TwoPlayerGame
from qsage_validate.judging.boards import with_board, with_legality
from qsage_validate.judging.encoding import OnScripts, judge, try_scripts
from qsage_validate.judging.move_codes import (
    QUANTIFIER,
    MoveStyle,
    Sketch,
    Windows,
    passed_over,
    sketch_of,
)
from qsage_validate.judging.positions import Positions, described
from qsage_validate.judging.python_rules import GameValues
from qsage_validate.judging.residuals import Residuals, ResidualsOf
from qsage_validate.judging.screening import (
    ReadingGuess,
    ReadingKey,
    Screened,
    Screening,
    in_order,
    order_key,
    rearranged,
    recoded,
    shuffled,
)
from qsage_validate.judging.tables import tabled, whole_scopes
from qsage_validate.system.limits import NEVER, Deadline, Progress, Tell, nobody
from qsage_validate.validation.finding import Claimed, Proved, Refuted, Verdict
from qsage_validate.validation.proofs import LevelAnswer

# How many readings are screened together: the likely ones first, and alone.
_BATCHES: Final = (8, 40, 160, 800, 4000)
_LIKELY: Final = 2
_SECONDS: Final = 60.0
"""The time of a search where none was set."""
SEARCH_PART: Final = 0.85
"""The part of the time in which a layout is looked for, where the formula is judged by it."""
# Values that are asked for, in questions to an expansion: some thousand take a second.
_LIKELY_EFFORT: Final = 30_000
_ORDERED_EFFORT: Final = 12_000
_NEAR_EFFORT: Final = 8_000
_SHUFFLED_EFFORT: Final = 30_000
_RECODED_EFFORT: Final = 12_000
_TABLED_EFFORT: Final = 30_000
_TABLED_SECONDS: Final = 6.0
_TABLED_PART: Final = 0.2
# Other codes cast doubt where they agree with nearly all plays.
_NEAR: Final = 0.95
_STARTS: Final = 2
_ROOT_SECONDS: Final = 10.0
# A reading that fits alone is held against so many positions, in this part of the time.
_SHORT_PART: Final = 0.1
_SHORT_SECONDS: Final = 10.0
_SHORT_POSITIONS: Final = 200
# Several that fit are judged by turns, for longer and longer.
_JUDGE_SECONDS: Final = (4.0, 16.0, 60.0)
# The board of a grid, whose values help to prove the formula, is looked for in so many.
_BOARD_SECONDS: Final = 10.0
# Of so many likely readings of a kind the board is looked for before plays are, in this part of
# the time.  Where there is one the formula may be proved in that part; in the last one, while no
# play speaks against it.
_BOARDED: Final = 3
_BOARDED_PART: Final = 0.2
_PROOFS_PART: Final = 0.6
_HOPEFUL_PART: Final = 0.85
# So many plays must not speak against a reading with a board where the formula is not proved.
_BOARD_PLAYS: Final = 6
# What speaks for a reading under which a formula is wrong: agreement, and illegal moves that lose.
_LEAST_SHARE: Final = 0.65
_LEAST_LOSSES: Final = 0.75
_SURE_LOSSES: Final = 0.9
_FEW: Final = 8
# An unusual trait of a reading weighs as much as so many plays of 60.
_WEIGHT: Final = 2.0
_MARGIN: Final = 6.0
_UNLIKELY: Final = 4
_RENAMED: Final = re.compile(r"ren (\d+) -> \d+")
# So many variables that a preprocessor took away are named.
_NAMED: Final = 8
_NO_MODEL: Final[Mapping[str, str]] = {}


class Standing(Enum):
    """How well a reading is supported.

    ``PROVED``: under it the formula is the game's. ``FITS``: no play speaks against it.
    ``ANY``: the formula differs from the game under this reading and all others.
    ``BOARD``: literals of the formula are the board of the game at all times of plays, and goals
    are claimed by their places.
    ``BEST``: the formula differs under it, and no other one is nearly as good.  ``OPEN``: none of
    these.
    """

    PROVED = "proved"
    FITS = "fits"
    ANY = "any"
    BOARD = "board"
    BEST = "best"
    OPEN = "open"


@dataclass(frozen=True)
class FoundReadings:
    """The readings of a formula for a game, the best first.

    ``also`` are other readings that no play speaks against; ``tried`` is the number of readings
    that were screened by ``plays`` plays; ``why`` says what ``standing`` rests on.
    """

    game: TwoPlayerGame
    standing: Standing
    readings: tuple[Screened, ...]
    also: tuple[Screened, ...]
    tried: int
    plays: int
    why: str
    sketch: Sketch
    model: Mapping[str, str] = field(default_factory=dict)
    answer: LevelAnswer | None = None
    """What the level *encoding* says by the first reading, where the search has asked it."""
    doubt: str = ""
    """Why a difference under the first reading refutes nothing; empty where it does."""
    scripts: OnScripts | None = None
    """What a proof on whole scripts came to, by the first reading with its board."""
    board: Layout | None = None
    """The layout of the first reading with its board, where that helps to prove the formula."""
    telling: bool = False
    """True if the codes of legal first moves, and no others, can make the formula true."""
    residuals: ResidualsOf | None = None
    """What the search knows of the formula's values."""

    @property
    def stands_out(self) -> bool:
        """True if the formula is to be judged by the first reading."""
        return self.standing is not Standing.OPEN

    @property
    def layout(self) -> Layout:
        """The layout of the best reading: moves, and the board of a game on a grid."""
        found = self.moves_alone
        if self.board is None:
            return found
        return replace(self.board, model=found.model, source=found.source)

    @property
    def moves_alone(self) -> Layout:
        """The layout of the best reading without a board."""
        return self.layout_of(self.readings[0].reading)

    def whole_layout(self, formula: Qbf, deadline: Deadline = NEVER) -> Layout:
        """The layout with the board and the gates of legality that the formula has besides."""
        search = formula, self.sketch, self.game, deadline
        layout = self.layout if self.board is not None else with_board(self.layout, *search)
        return with_legality(layout, *search)

    @property
    def best_words(self) -> str:
        """The three best readings with their agreement."""
        held = [one for one in self.readings[:3] if any(one.asked.values())]
        return (
            "; ".join(f"{one.words} agree with moves as {one.reading.style.words}" for one in held)
            or "no reading was held against a play in time"
        )

    def layout_of(self, reading: ReadingGuess) -> Layout:
        """The layout of a reading: moves alone, and the rules."""
        layout = layout_of(reading, self.sketch, self.game)
        if reading.style.guessed:
            layout = replace(layout, source=f"{layout.source}: codes that its values alone tell")
        if self.residuals is not None and not stands_as_in(self.residuals.formula, reading):
            layout = replace(layout, source=f"{layout.source}, with variables of a ply exchanged")
        return replace(layout, model=dict(self.model))


def find_layout(
    formula: Qbf,
    game: TwoPlayerGame,
    *,
    model: Mapping[str, str] = _NO_MODEL,
    deadline: Deadline = NEVER,
    tell: Tell = nobody,
) -> FoundReadings:
    """Find out which variables of ``formula`` are the moves of ``game``.

    ``model`` are the parts of the game's model, which the layouts then carry.

    Raises ``UsageError`` with a count that does not fit where the formula has no place for moves,
    and ``UndecidedError`` where the time is up before any reading was screened.
    """
    return _ReadingSearch(formula, game, model, deadline.or_after_work(_SECONDS), tell).run()


def stands_as_in(formula: Qbf, reading: ReadingGuess) -> bool:
    """True if the variables of each ply stand in the order of the formula's prefix."""
    place = {v: k for k, v in enumerate(v for s in formula.scopes for v in s.variables)}
    return all(list(w) == sorted(w, key=lambda v: place.get(v, 0)) for w in reading.windows)


def layout_of(reading: ReadingGuess, sketch: Sketch, game: TwoPlayerGame) -> Layout:
    """The layout of a reading: moves alone.

    Plies that no play comes to have no moves; those that the formula leaves out are left out.
    """
    plies = [
        Ply(k, player, reading.style.code(k - 1, player).coding(variables))
        for k, (player, variables) in enumerate(
            zip(sketch.movers, reading.windows, strict=True), start=1
        )
    ]
    if len(plies) == len(sketch.choices):
        beyond = range(len(plies) + 1, game.plies + 1)
        plies += [Ply(k, game.player_at(k), NumberedCoding(())) for k in beyond]
    actions = {
        player: code.grid[0]
        for player, code in reading.style.codes.items()
        if code.grid is not None
    }
    return Layout(
        moves=tuple(plies),
        actions=actions,
        game=game.language,
        source=f"{FOUND}moves as {reading.style.words}",
        silence=UnspecifiedLegality.UNSAID,
    )


@dataclass
class _ReadingSearch:
    formula: Qbf
    game: TwoPlayerGame
    model: Mapping[str, str]
    deadline: Deadline
    tell: Tell
    best: list[Screened] = field(default_factory=list)
    refuted: set[ReadingKey] = field(default_factory=set)
    answers: dict[ReadingKey, LevelAnswer] = field(default_factory=dict)
    boards: dict[ReadingKey, Layout | None] = field(default_factory=dict)
    scripts: dict[ReadingKey, OnScripts] = field(default_factory=dict)
    recoded: dict[ReadingKey, bool] = field(default_factory=dict)
    """Of readings that stand out, whether others agree better that have other codes."""
    tabled: set[tuple[frozenset[int], ...]] = field(default_factory=set)
    """Sets of variables for which tables of codes were looked for."""
    root: str | None = None
    residuals: ResidualsOf = field(init=False)

    def __post_init__(self) -> None:
        self.residuals = ResidualsOf(self.formula)

    def run(self) -> FoundReadings:
        self.sketch = sketch_of(self.game, deadline=self.deadline)
        if not self.sketch.movers:
            return self._without_moves()
        # Plies that no play comes to are read too, where the formula has them.
        every = self.sketch.with_plies(self.game)
        if next(in_order(self.formula, every), None) is not None:
            self.sketch = every
        try:
            check_size(self.formula, self.sketch)
        except UsageError:
            # Encoders may leave out White's moves behind Black's last one: they decide nothing.
            if self.sketch.without_last_whites is self.sketch:
                raise
            self.sketch = self.sketch.without_last_whites
            check_size(self.formula, self.sketch)
        circuit = recovered(self.formula)
        for found in self._in_order(circuit):
            if found is not None:
                return found
        # A variable of a move may look like a gate where only one side of it is used.
        definitions = recovered(self.formula, definitions_only=True)
        if definitions.scopes != circuit.scopes:
            for found in self._in_order(definitions):
                if found is not None:
                    return found
        if not self.best:
            raise _no_place(self.formula, self.sketch)
        effort = self.screening.values.effort + _SHUFFLED_EFFORT
        likely = min(self.best, key=lambda one: one.reading.cost).reading
        return (
            self._rearranged(shuffled(self.screening, effort))
            or self._recoded(self.best[0])
            or self._tabled(likely, *whole_scopes(circuit, self.sketch.movers))
            or self._judged(sure=False)
            or self._found(Standing.OPEN, "no reading stands out")
        )

    def _without_moves(self) -> FoundReadings:
        """The reading in which no variable is a move: there are no moves in the game."""
        self.screening = Screening(self.formula, self.sketch, self.deadline)
        nothing = ReadingGuess(MoveStyle("nothing, for none is ever legal", {}), (), 0)
        self.best = [self.screening.ask(nothing)]
        return self._found(Standing.ANY, "the game ends before its first ply")

    def _tabled(self, start: ReadingGuess, *others: Windows) -> FoundReadings | None:
        """A reading whose codes are found by the formula's values, if one fits."""
        for windows in (start.windows, *others):
            key = tuple(map(frozenset, windows))
            if key not in self.tabled and not self.deadline.over:
                self.tabled.add(key)
                text = f"{counted(self.screening.tried, 'reading')}, and codes by the values"
                self.tell(Progress("readings", text, self.screening.tried, None))
                effort = self.screening.values.effort + _TABLED_EFFORT
                limit = self.deadline.share(_TABLED_PART).sooner_by_work(_TABLED_SECONDS)
                found = self._rearranged(
                    tabled(self.screening, self.game, windows, start.style, effort, limit)
                )
                if found is not None:
                    return found
        return None

    def _rearranged(self, others: Iterable[Screened]) -> FoundReadings | None:
        """A reading that fits with the variables of plies in another order, if there is one."""
        for found in others:
            self.best.append(found)
            if found.fits:
                fitting = self._fitting()
                if fitting is not None:
                    return fitting
        self.best.sort(key=lambda one: -self._weight(one))
        return None

    def _in_order(self, formula: Qbf) -> Iterator[FoundReadings | None]:
        """Screen the readings whose bits stand together, the likely ones first."""
        self.screening = Screening(formula, self.sketch, self.deadline)
        self.best = []
        every = [*in_order(formula, self.sketch)]
        if every:
            yield self._by_board(every)
        readings = iter(every)
        for number, size in enumerate(_BATCHES):
            batch = list(islice(readings, size))
            if not batch:
                break
            text = counted(self.screening.tried, "reading")
            self.tell(Progress("readings", text, self.screening.tried, None))
            effort = self.screening.values.effort + _LIKELY_EFFORT
            if number >= _LIKELY:
                effort = _ORDERED_EFFORT
            self.best += self.screening.screen(batch, effort)
            self.best.sort(key=lambda one: -self._weight(one))
            yield self._fitting()
            if number == 1:
                yield self._beyond_codes()
                effort = self.screening.values.effort + _NEAR_EFFORT
                starts = self.best[:_STARTS]
                yield self._rearranged(rearranged(self.screening, x, effort) for x in starts)
                yield self._judged(sure=True)
            if number + 1 >= _LIKELY and self.screening.is_over(_ORDERED_EFFORT):
                break

    def _by_board(self, readings: Sequence[ReadingGuess]) -> FoundReadings | None:
        """The first of the likeliest readings with a board, if there is one.

        A wrong reading has hardly ever a board, and to find one takes less than values after plays.
        Formulas with a board mostly write moves as its columns and rows.
        """
        if self.game.language != "bddl":
            return None
        likely: list[ReadingGuess] = []
        for grid in (True, False):
            own = (
                x for x in readings if (x.style.codes[self.sketch.movers[0]].grid is None) ^ grid
            )
            likely += islice(own, _BOARDED)
        limit, proofs = self.deadline.share(_BOARDED_PART), self.deadline.share(_PROOFS_PART)
        hopeful = self.deadline.share(_HOPEFUL_PART)
        first: ReadingGuess | None = None
        for reading in likely:
            layout = None if limit.over else self._board(reading, limit)
            self.screening.tried += 1
            if layout is None:
                continue
            first = first or reading
            tried = try_scripts(self.formula, layout, self.game, deadline=proofs, hopeful=hopeful)
            if isinstance(tried.verdict, Proved):
                # The proof says that the formula agrees with the game after every play.
                plays = Counter(play.black_wins for play in self.sketch.plays)
                self.best = [Screened(reading, plays, plays)]
                self.answers[reading.key] = LevelAnswer(tried.verdict, implies=layout.conclusive)
                return self._found(Standing.PROVED, f"it is {tried.verdict.word}")
            self.scripts.setdefault(reading.key, tried)
        if first is None or not self._tells_goals(first):
            return None
        one = self.screening.ask(first, _BOARD_PLAYS)
        if any(one.asked.values()) and one.share < _LEAST_SHARE:
            return None
        self.best = [one]
        return self._found(Standing.BOARD, "literals of the formula are the board and the goals")

    def _tells_goals(self, reading: ReadingGuess) -> bool:
        """True if the variables in which goals are claimed are known, of each player who has goals.

        A board alone is the same where the squares are numbered in another order.
        """
        board = self.boards.get(reading.key)
        if board is None or not isinstance(self.game, BddlGame):
            return False
        problem = self.game.model.problem
        return all(
            any(map(len, board.goals.claim(player))) or not problem.goals(player)
            for player in Player
        )

    def _weight(self, one: Screened) -> float:
        return 60 * one.share - _WEIGHT * one.reading.cost

    def _fitting(self) -> FoundReadings | None:
        """The reading that is proved, or the likeliest of those that nothing speaks against."""
        fitting = [one for one in self.best if one.fits and one.reading.key not in self.refuted]
        telling = [one for one in fitting if self.screening.tells_first_moves(one.reading)]
        left = telling or fitting
        alone = len(left) == 1
        for seconds in (_SHORT_SECONDS,) if alone else _JUDGE_SECONDS:
            for one in tuple(left):
                limit = self.deadline.sooner_by_work(seconds)
                verdict = self._verdict(one.reading, limit, alone=alone)
                if isinstance(verdict, Refuted):
                    self.refuted.add(one.reading.key)
                    left.remove(one)
                elif isinstance(verdict, Proved | Claimed):
                    self._prefer(one)
                    return self._found(Standing.PROVED, f"it is {verdict.word}")
        if not left:
            return None
        if len(left) > 1:
            # The level may refute one of them, and prove another one.
            self._prefer(left[0])
            return self._found(Standing.OPEN, f"{len(left)} readings fit, and none is proved")
        self._prefer(left[0])
        why = ", and the codes of legal first moves, and no others, can win" if telling else ""
        return self._found(Standing.FITS, f"no play speaks against it{why}")

    def _verdict(self, reading: ReadingGuess, limit: Deadline, *, alone: bool) -> Verdict | None:
        """What is said of the formula under a reading; ``None`` if nothing speaks against it.

        A reading that is ``alone`` is held against short plays only: the whole level comes later.
        """
        if not alone:
            layout = self._board(reading) or self._layout(reading)
            answer = judge(
                self.formula,
                layout,
                self.game,
                deadline=limit,
                cores=False,
                residuals=self.residuals,
            )
            if not isinstance(answer.verdict, Refuted):
                self.answers[reading.key] = answer
            return answer.verdict
        limit = limit.sooner_by_work(_SHORT_PART * self.deadline.left())
        layout = self._layout(reading)
        values = GameValues.of_game(self.game, deadline=limit)
        try:
            tally = Positions(self.formula, layout, values, residuals=self.residuals).search(
                deadline=limit, most_positions=_SHORT_POSITIONS
            )
        except UndecidedError:
            return None
        found = [described(x, self.game) for x in tally.differences]
        return Refuted(tuple(found)) if found else None

    def _layout(self, reading: ReadingGuess) -> Layout:
        """The layout of a reading: moves alone, and the rules."""
        return replace(layout_of(reading, self.sketch, self.game), model=dict(self.model))

    def _board(self, reading: ReadingGuess, deadline: Deadline | None = None) -> Layout | None:
        """The layout of a reading with its board, for games on a grid: it helps to prove them."""
        if self.game.language != "bddl":
            return None
        if reading.key not in self.boards:
            layout = self._layout(reading)
            limit = (deadline or self.deadline).sooner_by_work(_BOARD_SECONDS)
            found = with_board(layout, self.formula, self.sketch, self.game, limit)
            board = found if found.state.is_board else None
            if board is None and limit is deadline and limit.over:
                return None  # there may be more time for it later
            self.boards[reading.key] = board
        return self.boards[reading.key]

    def _prefer(self, one: Screened) -> None:
        self.best = [one, *(other for other in self.best if other is not one)]

    def _differs_at_once(self) -> str:
        """What is said where the formula has not the game's value as it stands, else nothing."""
        limit = self.deadline.sooner_by_work(_ROOT_SECONDS)
        try:
            values = GameValues.of_game(self.game, deadline=limit)
            black = values.value(())
        except UndecidedError:
            return ""
        windows = min(self.best, key=lambda one: one.reading.cost).reading.windows
        truth = self.residuals.plies(windows).value({}, 0, limit)
        if truth is None or truth is black:
            return ""
        who = "Black wins" if black else "Black does not win"
        return f"the formula is {str(truth).lower()}, and {who}, whatever its variables mean"

    def _beyond_codes(self) -> FoundReadings | None:
        """The likeliest reading, where the formula differs from the game in whatever code."""
        if self.root is None:
            self.root = self._differs_at_once()
        if self.root:
            return self._found(Standing.ANY, self.root)
        first = min(self.best, key=lambda one: one.reading.cost)
        if self.screening.is_dead(first.reading):
            live = [one for one in self.best if not self.screening.is_dead(one.reading)]
            unlikely = min((one.reading.cost for one in live), default=100) - first.reading.cost
            if unlikely >= _UNLIKELY and self._margin(first, live) >= -_MARGIN:
                self._prefer(first)
                why = "no values of these variables make the formula true"
                return self._found(Standing.BEST, why, by_codes=True)
        return None

    def _judged(self, *, sure: bool) -> FoundReadings | None:
        """The reading by which a formula is judged that none fits, if one stands out.

        ``sure`` asks for more, before all readings were looked at: the scopes of the plies have
        just the variables that a move needs, and illegal moves lose.
        """
        found = self._beyond_codes()
        if found is not None:
            return found
        if not sure:
            found = self._telling()
            if found is not None:
                return found
        first, *others = self.best
        if not self._is_settled(first.reading):
            return None
        lost, tried = self.screening.illegal_loses(first.reading)
        if sure and first.reading.cost > first.reading.style.rank:
            return None
        keeps_rules = tried >= _FEW and lost >= (_SURE_LOSSES if sure else _LEAST_LOSSES) * tried
        if (
            self._margin(first, others) >= _MARGIN
            and first.share >= _LEAST_SHARE
            and (keeps_rules or first.fits)
        ):
            why = "no other reading is nearly as good"
            if keeps_rules:
                why += f", and {lost} of {tried} illegal moves lose"
            return self._unless_recoded(why)
        return None

    def _unless_recoded(self, why: str, *, by_codes: bool = False) -> FoundReadings | None:
        """The best reading, unless the formula may number the moves in another order.

        Where other codes agree with every play, the reading with them, if it is proved or nothing
        speaks against it. ``None`` where they agree with more plays, or the time is up.
        """
        first = self.best[0]
        found = self._recoded(first)
        if found is not None:
            return found
        if self.recoded[first.reading.key]:
            return None
        return self._found(Standing.BEST, why, by_codes=by_codes)

    def _recoded(self, first: Screened) -> FoundReadings | None:
        """The reading with other codes than ``first`` has, if one is proved, or fits."""
        if first.reading.key in self.recoded:
            return None
        best = self.best
        self.best = [*best]
        effort = self.screening.values.effort + _RECODED_EFFORT
        found = self._rearranged(recoded(self.screening, first, effort))
        others = [one.share for one in self.best if not any(one is old for old in best)]
        near = max(others, default=0.0)
        cut = near > first.share and near >= _NEAR and self.screening.is_over(effort)
        found = found or self._tabled(first.reading)
        if found is None:
            self.best = best
            self.recoded[first.reading.key] = cut or self.deadline.over
        return found

    def _is_settled(self, reading: ReadingGuess) -> bool:
        """True if a difference cannot come from the order of the bits.

        They stand as in the file, or no order of them fits.
        """
        tried = self.screening.orders_tried
        return (
            stands_as_in(self.formula, reading)
            or order_key(reading.style, reading.windows) in tried
        )

    def _telling(self) -> FoundReadings | None:
        """The likeliest reading, if under it alone just the legal first moves can win."""
        likely = min(self.best, key=lambda one: one.reading.cost)
        telling = [one for one in self.best if self.screening.tells_first_moves(one.reading)]
        if likely not in telling or {one.reading.style.words for one in telling} != {
            likely.reading.style.words
        }:
            return None
        key = order_key(likely.reading.style, likely.reading.windows)
        better = any(one.share > likely.share for one in self.best)
        if better and key not in self.screening.orders_tried:
            # Another order of the bits may have the same codes for first moves, and fit.
            return None
        self._prefer(likely)
        why = "the codes of legal first moves, and no others, can win"
        return self._unless_recoded(why, by_codes=True)

    def _margin(self, first: Screened, others: Sequence[Screened]) -> float:
        return self._weight(first) - max(map(self._weight, others), default=-60.0)

    def _doubt(self, standing: Standing, *, by_codes: bool) -> str:
        """Why a difference under the first reading may be the reading's fault.

        Where ``by_codes`` the reading rests on which codes can win, not on its agreement.
        """
        if standing in (Standing.ANY, Standing.BOARD):
            return ""
        if self.deadline.over:
            return "the time was up before other readings were tried"
        first, *others = self.best
        if first.reading.style.guessed:
            return "the codes of its moves are guessed"
        if not by_codes and not self._is_settled(first.reading):
            return "its bits may stand in another order"
        if not by_codes and self._margin(first, others) < _MARGIN:
            return "another reading agrees with the game nearly as well"
        windows = first.reading.windows
        passed = None if first.fits else passed_over(self.formula, windows)
        if passed is not None:
            names = ", ".join(map(self.formula.name, passed[: len(windows[0])]))
            return f"variables {names} could be a move too, and stand left of those of a ply"
        return ""

    def _found(self, standing: Standing, why: str, *, by_codes: bool = False) -> FoundReadings:
        return FoundReadings(
            game=self.game,
            standing=standing,
            readings=tuple(self.best[:8]),
            also=tuple(
                one for one in self.best[1:] if one.fits and one.reading.key not in self.refuted
            ),
            tried=self.screening.tried,
            plays=len(self.sketch.plays),
            why=why,
            sketch=self.sketch,
            model=self.model,
            answer=self.answers.get(self.best[0].reading.key)
            if standing is Standing.PROVED
            else None,
            scripts=self.scripts.get(self.best[0].reading.key),
            board=self._board(self.best[0].reading) if standing is not Standing.OPEN else None,
            doubt=self._doubt(standing, by_codes=by_codes),
            telling=self.screening.tells_first_moves(self.best[0].reading),
            residuals=self.residuals,
        )


def check_size(formula: Qbf, sketch: Sketch) -> None:
    """Raise ``UsageError`` with the count that shows that no reading can tell the moves apart."""
    for player in sorted(set(sketch.movers), key=sketch.movers.index):
        plies = sketch.movers.count(player)
        has = len(formula.variables(QUANTIFIER[player]))
        least = sum(width for mover, width in _least_widths(sketch) if mover is player)
        if has < least:
            kind = "existential" if player is Player.BLACK else "universal"
            raise UsageError(
                f"no reading of the formula has the moves of {sketch.name}: {player} makes "
                f"{counted(plies, 'ply')}, which need {least} {kind} variables, and it has {has}"
                f"{_taken_away(formula)}"
            )


def _least_widths(sketch: Sketch) -> list[tuple[Player, int]]:
    """For each ply its player, and the bits that tell what moves in one position lead to."""
    return [(mover, width_for(n)) for mover, n in zip(sketch.movers, sketch.choices, strict=False)]


def _no_place(formula: Qbf, sketch: Sketch) -> UsageError | UndecidedError:
    """The message where no reading has a place for each ply.

    A count shows why there is none, or else nothing does.
    """
    turns: list[tuple[Player, int]] = []
    for player, width in _least_widths(sketch):
        if width and turns and turns[-1][0] is player:
            turns[-1] = player, max(width, turns[-1][1])
        elif width:
            turns.append((player, width))
    made = 0
    for scope in formula.merged_scopes():
        if made == len(turns):
            break
        player, width = turns[made]
        made += len(scope.variables) >= width and scope.quantifier is QUANTIFIER[player]
    if made == len(turns):
        text = "no reading of the variables has a place for each ply's moves"
        return UndecidedError(text + _taken_away(formula))
    return UsageError(
        f"no reading of the formula has the plies of {sketch.name} in their order: its "
        f"{len(turns)} turns need as many scopes by turns with enough variables for a move, and "
        f"the formula has {made}{_taken_away(formula)}"
    )


def _taken_away(formula: Qbf) -> str:
    """What the formula shows of a preprocessor that has taken variables away, else nothing.

    HQSpre leaves a comment ``ren 3 -> 2`` for each variable that is left.
    """
    if not formula.scopes:
        return f": it is the constant {str(Residuals(formula, ()).value({}, 0)).lower()}"
    renamed = (_RENAMED.fullmatch(text.strip()) for _, text in formula.comments)
    left = {int(match[1]) for match in renamed if match is not None}
    gone = [str(v) for v in range(1, max(left, default=0)) if v not in left]
    if not gone:
        return ""
    names = ", ".join(gone[:_NAMED])
    more = f" and {len(gone) - _NAMED} more" if len(gone) > _NAMED else ""
    return f"; by its comments (ren ... -> ...) a preprocessor took away variables {names}{more}"
