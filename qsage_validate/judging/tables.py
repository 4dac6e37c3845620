"""Tables of codes that explain a formula's values, by SAT and counterexamples.

Encoders number moves as they like: in an order of their own, in one for each player, or in another
one at some ply.  A table says which values of a ply's variables, its *codes*, stand for which move.
What an unknown table says are variables of a SAT problem.  Each value of the formula after codes of
all plies is a constraint on them: where the codes are a play, the value names its winner, and the
first code that is no legal move of Black's loses.  A solution is held against further plays; those
that differ are new constraints, until a table explains them all, or none does.  This is inductive
synthesis guided by counterexamples (Solar-Lezama and others, ASPLOS 2006).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from random import Random
from typing import Final

import numpy as np

from qsage_validate.circuit.aig import FALSE, AigBuilder
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.circuit.sat import CircuitClauses, Solver, circuit_clauses, load
from qsage_validate.games.protocol import Player, TwoPlayerGame
from qsage_validate.judging.move_codes import (
    QUANTIFIER,
    Code,
    MoveStyle,
    Pattern,
    Sketch,
    Windows,
    views,
)
from qsage_validate.judging.screening import COST, ReadingGuess, Screened, Screening, changes
from qsage_validate.kernel.game import TooLargeError
from qsage_validate.kernel.reading import PlyReading, Reading, Walk, WalkPly
from qsage_validate.system.limits import Deadline
from qsage_validate.validation.proofs import rules_of

_SOLVER: Final = "cadical195"
_SLICE: Final = 500
_FALSE: Final = 1
"""The SAT variable that is false."""
_MOST_BITS: Final = 7
# Pairs of a code and a move in all tables: their number tells how long the SAT problem takes.
_MOST_PAIRS: Final = 1000
# Plays that a table is held against, and those that differ of which constraints are made at once:
# few constraints have many solutions, which are slower to find.
_PLAYS: Final = 600
_MOST_NEW: Final = 200
# How often a play has a code of Black's that is no move there.
_ODD: Final = 0.4
# Tables that fit, and are refuted, before the search for others is given up.
_MOST_FITTING: Final = 3
_MOST_TEXTS: Final = 16
_MOST_CHANGES: Final = 4
# Seconds for each sharing of tables, by turns.
_PATIENCE: Final = (0.5, 1.5, 6.0)

_Sharing = tuple[int, ...]
"""For each ply the number of its table: plies with one number share one.  Below 0 it is known."""

_Table = dict[tuple[int, Pattern], str]
"""The move of a code, by the number of the table."""


def tabled(
    screening: Screening,
    game: TwoPlayerGame,
    windows: Windows,
    start: MoveStyle,
    effort: float,
    deadline: Deadline,
) -> Iterator[Screened]:
    """Readings with the variables of ``windows`` whose codes are found by the formula's values.

    All of them fit.  First one player's table, or one ply's, is another one than in ``start``;
    then plies share a table as far as some table explains what is asked.
    """
    sketch = screening.sketch
    widths = set(map(len, windows))
    if not widths or 0 in widths or max(widths) > _MOST_BITS:
        return
    if min(map(len, sketch.moves.values())) << min(widths) > _MOST_PAIRS:
        return
    try:
        plays = _Plays.of(game, sketch, deadline)
    except TooLargeError:
        return
    yield from _Search(screening, plays, windows, start, effort, deadline).run()


def whole_scopes(formula: Qbf, movers: Sequence[Player]) -> Iterator[Windows]:
    """The scopes of the prefix as windows, where there is one for each ply."""
    for view in views(formula):
        own = view[: len(movers)]
        fits = [scope.quantifier is QUANTIFIER[p] for scope, p in zip(own, movers, strict=False)]
        if len(own) == len(movers) and all(fits):
            yield tuple(scope.variables for scope in own)


@dataclass
class _Plays:
    """The rules as a circuit: inputs say, for each ply and move, that the codes stand for it."""

    names: list[Sequence[str]] = field(default_factory=list)
    differ: list[tuple[int, int]] = field(default_factory=list)
    """After so many plies: what is wrong where the formula is false, and where it is true."""
    builder: AigBuilder = field(default_factory=AigBuilder)
    _made: dict[int, CircuitClauses] = field(default_factory=dict)

    @classmethod
    def of(cls, game: TwoPlayerGame, sketch: Sketch, deadline: Deadline) -> _Plays:
        """Raises ``TooLargeError`` where the rules are too large, or have no circuit."""
        plays = cls()
        builder = plays.builder
        rules_in = rules_of(game, deadline=deadline)
        if rules_in is None:
            raise TooLargeError("the rules have no circuit")
        rules = rules_in(builder)
        readings: list[PlyReading] = []
        for ply in range(1, min(sketch.plies, rules.plies) + 1):
            names = rules.moves(ply)
            plays.names.append(names)
            every = range(len(names))
            codes = {
                name: [tuple(True if k == own else None for k in every)]
                for own, name in enumerate(names)
            }
            readings.append(PlyReading(ply, rules.mover(ply), tuple(k + 1 for k in every), codes))
        walk = Walk(
            rules,
            Reading(tuple(readings)),
            Player.BLACK,
            lambda ply: [builder.input() for _ in ply.literals],
        )
        lost = FALSE
        plays._look(walk, lost, len(readings))
        for step in walk.steps():
            lost = builder.or_(lost, plays._failed(step))
            plays._look(walk, lost, len(readings))
            if step.ply == len(readings):
                break
        # Plies that no play comes to have no inputs.
        made = len(plays.differ) - 1
        plays.names[made:] = [()] * (len(readings) - made)
        return plays

    def _failed(self, step: WalkPly) -> int:
        if step.player is not Player.BLACK:
            return FALSE
        return self.builder.and_(step.playing, step.failed)

    def _look(self, walk: Walk, lost: int, last: int) -> None:
        white = walk.won[Player.WHITE]
        if walk.time == last:
            white = self.builder.or_(white, walk.playing)
        self.differ.append((walk.won[Player.BLACK], self.builder.or_(white, lost)))

    def clauses(self, plies: int, value: bool) -> CircuitClauses | None:
        """The clauses of what is wrong after ``plies`` where the formula has a value.

        ``None`` where it cannot be wrong.
        """
        root = self.differ[plies][value] if plies < len(self.differ) else FALSE
        if root == FALSE:
            return None
        if root not in self._made:
            aig, (moved,) = self.builder.build([root])
            made = circuit_clauses(aig, keep=[moved])
            ended = np.array([-made.literal(moved), 0], dtype=np.int32)
            literals = np.concatenate((made.literals, ended))
            self._made[root] = CircuitClauses(literals, made.sat_of, made.max_variable)
        return self._made[root]


_Value = tuple[tuple[Pattern, ...], bool]
"""Codes of the first plies, and the value of the formula after them."""


class _Tables:
    """The SAT problem: tables that explain some values."""

    def __init__(
        self,
        plays: _Plays,
        sharing: _Sharing,
        windows: Windows,
        needed: Sequence[set[str]],
        known: Sequence[Mapping[str, Pattern]],
    ) -> None:
        """``known`` has for each ply the table that it has where its number is below 0."""
        self.sharing = sharing
        self.held = 0
        self.solver = Solver(_SOLVER)
        self.solver.add_clause([-_FALSE])
        self._last = _FALSE
        self._says: dict[tuple[int, Pattern, str], int] = {}
        self._plays = plays
        for number in dict.fromkeys(sharing):
            own = [k for k, table in enumerate(sharing) if table == number]
            names = dict.fromkeys(name for k in own for name in plays.names[k])
            codes = [*product((False, True), repeat=len(windows[own[0]]))]
            for code, name in product(codes, names):
                self._last += 1
                self._says[number, code, name] = self._last
            if number < 0:
                table = known[own[0]]
                for code, name in product(codes, names):
                    says = self._says[number, code, name]
                    self.solver.add_clause([says if table.get(name) == code else -says])
                continue
            for code in codes:
                self._at_most_one([self._says[number, code, name] for name in names])
            for name in names:
                literals = [self._says[number, code, name] for code in codes]
                # Encoders give a move one code; without this tables are found later.
                self._at_most_one(literals)
                if any(name in needed[k] for k in own):
                    self.solver.add_clause(literals)

    def _at_most_one(self, literals: Sequence[int]) -> None:
        for a, b in combinations(literals, 2):
            self.solver.add_clause([-a, -b])

    def _add(self, value: _Value) -> None:
        """Whatever the tables are, they explain this value."""
        codes, true = value
        clauses = self._plays.clauses(len(codes), true)
        if clauses is None:
            return
        inputs: list[int] = []
        for k, (number, names) in enumerate(zip(self.sharing, self._plays.names, strict=True)):
            if k < len(codes):
                inputs += (self._says[number, codes[k], name] for name in names)
            else:
                inputs += [_FALSE] * len(names)
        new = np.zeros(clauses.max_variable + 1, dtype=np.int32)
        new[1 : len(inputs) + 1] = inputs
        rest = len(new) - 1 - len(inputs)
        new[len(inputs) + 1 :] = np.arange(self._last + 1, self._last + 1 + rest)
        self._last += rest
        literals = clauses.literals
        load(self.solver, np.sign(literals) * new[np.abs(literals)])

    def solution(self, values: Sequence[_Value], deadline: Deadline) -> _Table | None:
        """Tables that explain ``values``; empty if there are none, ``None`` at the deadline.

        Values that were given before stand first in the list.
        """
        for value in values[self.held :]:
            self._add(value)
        self.held = len(values)
        while not deadline.over:
            self.solver.conf_budget(_SLICE)
            answer = self.solver.solve_limited()
            if answer is not None:
                true = {x for x in self.solver.get_model() or () if x > 0}
                said = [key for key, v in self._says.items() if v in true]
                return {(number, code): name for number, code, name in said} if answer else {}
        return None


class _Search:
    def __init__(
        self,
        screening: Screening,
        plays: _Plays,
        windows: Windows,
        start: MoveStyle,
        effort: float,
        deadline: Deadline,
    ) -> None:
        self.screening, self.sketch = screening, screening.sketch
        self.plays, self.windows, self.start = plays, windows, start
        self.effort, self.deadline = effort, deadline
        self.needed = [set(rates) for rates in self.sketch.rates]
        for play in self.sketch.plays:
            for own, move in zip(self.needed, play.moves, strict=False):
                own.add(move)
        widths = [self.start.code(k, p).width for k, p in enumerate(self.sketch.movers)]
        self.as_usual = widths == [*map(len, windows)]
        """True if the first style may be right for some plies."""
        self.values: list[_Value] = []
        self.rng = Random(1)
        self.fitting = 0

    @property
    def over(self) -> bool:
        """True if the search is to end."""
        tired = self.screening.is_over(self.effort) or self.deadline.over
        return tired or self.fitting >= _MOST_FITTING

    def run(self) -> Iterator[Screened]:
        movers = self.sketch.movers
        if len(self.plays.names) != len(self.windows):
            return
        known = [self.start.code(k, player).patterns for k, player in enumerate(movers)]
        left = list(self._sharings())
        begun: dict[_Sharing, _Tables] = {}
        for seconds in _PATIENCE:
            for sharing in tuple(left):
                limit = self.deadline.sooner_by_work(seconds)
                if sharing not in begun:
                    begun[sharing] = _Tables(self.plays, sharing, self.windows, self.needed, known)
                yield from self._explained(begun[sharing], limit)
                if self.over:
                    return
                if not limit.over:
                    left.remove(sharing)
                    del begun[sharing]

    def _sharings(self) -> Iterator[_Sharing]:
        """What plies may have in common, the usual ones first."""
        movers = self.sketch.movers
        plies = range(len(movers))
        one = tuple(0 for _ in plies)
        own = tuple(int(player is Player.WHITE) for player in movers)
        ways: list[_Sharing] = []
        if self.as_usual:
            before = tuple(-1 - k for k in own)
            ways += [
                tuple(k if k == n else b for k, b in zip(own, before, strict=True)) for n in (0, 1)
            ]
            ways += [(*before[:k], 2, *before[k + 1 :]) for k in plies]
        ways += [one, own, tuple(plies)]
        seen: set[object] = set()
        for way in ways:
            groups = {n: [k for k in plies if way[k] == n] for n in way}
            key = frozenset((n < 0, *group) for n, group in groups.items())
            alike = all(
                len({len(self.windows[k]) for k in group}) == 1 for group in groups.values()
            )
            if alike and key not in seen and self._pairs(groups) <= _MOST_PAIRS:
                seen.add(key)
                yield way

    def _pairs(self, groups: Mapping[int, Sequence[int]]) -> int:
        """The number of pairs of a code and a move in tables that are not known."""
        return sum(
            len({name for k in group for name in self.plays.names[k]})
            << len(self.windows[group[0]])
            for n, group in groups.items()
            if n >= 0
        )

    def _explained(self, tables: _Tables, limit: Deadline) -> Iterator[Screened]:
        """Tables of one sharing that fit all plays that they are held against."""
        while not self.over:
            table = tables.solution(self.values, limit)
            if not table:
                return
            new = self._differences(tables.sharing, table)
            if not new:
                one = self.screening.ask(self._reading(tables.sharing, table))
                if not one.fits:
                    return
                self.fitting += 1
                yield one
                # A difference was found in it, that other plays may show.
                new = self._differences(tables.sharing, table)
                if not new:
                    return
            self.values += new

    def _differences(self, sharing: _Sharing, table: _Table) -> list[_Value]:
        """Values that differ from the game's under a table."""
        found: dict[_Value, None] = {}
        code_of = {(number, move): code for (number, code), move in table.items()}
        for play in self.sketch.plays:
            codes = [
                code_of.get((number, move))
                for number, move in zip(sharing, play.moves, strict=False)
            ]
            whole = [code for code in codes if code is not None]
            if len(whole) == len(codes):
                self._hold(whole, play.black_wins, found)
        for _ in range(_PLAYS):
            if self.over or len(found) >= _MOST_NEW:
                break
            drawn = self._drawn(sharing, table)
            if drawn is not None:
                self._hold(*drawn, found)
        return [*found]

    def _hold(self, codes: Sequence[Pattern], wanted: bool, found: dict[_Value, None]) -> None:
        """Note the value after ``codes`` where it is not the one that is wanted."""
        fixed: dict[int, bool] = {}
        for window, code in zip(self.windows, codes, strict=False):
            fixed.update(zip(window, code, strict=True))
        value = self.screening.values.value(fixed, self.deadline)
        if value is (not wanted):
            found.setdefault((tuple(codes), value))

    def _drawn(self, sharing: _Sharing, table: _Table) -> tuple[list[Pattern], bool] | None:
        """The codes of a play that is drawn, and whether Black wins it.

        ``None`` where no legal move has a code.  In some plays one code of Black's is no legal
        move, and those behind it mean nothing.
        """
        simulator, movers, rng = self.sketch.simulator, self.sketch.movers, self.rng
        state = simulator.start()
        codes: list[Pattern] = []
        blacks = [k for k, player in enumerate(movers) if player is Player.BLACK]
        odd = rng.choice(blacks) if blacks and rng.random() < _ODD else None
        for ply, number in enumerate(sharing):
            winner = simulator.winner(state)
            legal: set[str | None] = set()
            if winner is None:
                legal.update(simulator.legal_moves(state))
            if not legal:
                return codes, winner is Player.BLACK
            own = {True: list[Pattern](), False: list[Pattern]()}
            for code in product((False, True), repeat=len(self.windows[ply])):
                own[table.get((number, code)) in legal].append(code)
            if ply == odd and own[False]:
                codes.append(rng.choice(own[False]))
                rest = self.windows[ply + 1 :]
                codes += (tuple(rng.random() < 0.5 for _ in window) for window in rest)
                return codes, False
            if not own[True]:
                return None
            codes.append(rng.choice(own[True]))
            state = simulator.play(state, table[number, codes[-1]])
        return codes, simulator.winner(state) is Player.BLACK

    def _reading(self, sharing: _Sharing, table: _Table) -> ReadingGuess:
        """The reading that a table says."""
        made = {
            number: _code(table, number, len(window))
            for number, window in zip(sharing, self.windows, strict=True)
        }
        total = Counter(sharing)
        usual: dict[Player, int] = {}
        for player in dict.fromkeys(self.sketch.movers):
            own = Counter(
                number
                for mover, number in zip(self.sketch.movers, sharing, strict=True)
                if mover is player
            )
            usual[player] = max(own, key=lambda number: (own[number], total[number]))
        codes = {player: made[number] for player, number in usual.items()}
        plies = {
            (ply, player): made[number]
            for ply, (player, number) in enumerate(zip(self.sketch.movers, sharing, strict=True))
            if number != usual[player]
        }
        style = MoveStyle("", codes, guessed=True, plies=plies)
        return ReadingGuess(self._in_words(style), self.windows, COST)

    def _in_words(self, style: MoveStyle) -> MoveStyle:
        """The style with words for what differs from the first one, or else for all numbers."""
        if self.as_usual:
            changed = changes(style, self.start)
            if not changed:
                return self.start
            if len(changed) <= _MOST_CHANGES:
                return replace(style, words=f"{self.start.words}, but {', '.join(changed)}")
        orders = {player: _order(code) for player, code in style.codes.items()}
        if len(set(orders.values())) == 1:
            words = f"numbers {next(iter(orders.values()))}"
        else:
            own = (f"{player}'s {order}" for player, order in orders.items())
            words = f"numbers, {', '.join(own)}"
        for k, ((ply, _), code) in enumerate(style.plies.items()):
            words += f",{' but' * (not k)} at ply {ply + 1} {_order(code)}"
        return replace(style, words=words)


def _code(table: _Table, number: int, width: int) -> Code:
    patterns = {move: code for (own, code), move in table.items() if own == number}
    return Code("", patterns, tuple(range(width))).with_patterns(patterns)


def _order(code: Code) -> str:
    """The moves by their numbers, ``-`` for a number without one; or each with its number."""
    numbers = {text: number for number, text in enumerate(code.texts) if text is not None}
    if len(code.texts) > 2 * len(numbers):
        texts = [f"{text}={number}" for text, number in numbers.items()]
    else:
        texts = ["-" if text is None else text for text in code.texts]
    more = len(texts) - _MOST_TEXTS
    shown = " ".join(texts[:_MOST_TEXTS]) + (f" ... ({more} more)" if more > 0 else "")
    return shown if len(texts) < len(code.texts) else f"in the order {shown}"
