"""Questions and answers as gates: a program over all plays at once.

A :class:`SituationGates` is a situation whose position is a state of literals, so that it stands
for all situations of a ply.  What a question or an answer says of it becomes a literal.

The rules of a game and its boards are gates too (:class:`StoneAtoms`): what programs in other
languages are made of.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.errors import UndecidedError, UsageError
from qsage_validate.extensions.explain.answers import Leaf, Tree
from qsage_validate.extensions.explain.situation import (
    OWN,
    Place,
    Situation,
    Words,
    in_region,
    is_related,
    places,
    shifted,
)
from qsage_validate.games.protocol import Player, Square, TwoPlayerGame
from qsage_validate.kernel.game import Rules, State, TooLargeError
from qsage_validate.system.limits import NEVER, Deadline
from qsage_validate.validation.proofs import rules_of


def circuit_of(game: TwoPlayerGame, builder: AigBuilder, deadline: Deadline = NEVER) -> Rules:
    """The rules inside a graph.

    Raises ``UsageError`` for a game that has none, and ``UndecidedError`` at a limit.
    """
    make = rules_of(game, deadline=deadline)
    if make is None:
        raise UsageError(f"{game.name}: rules of this kind are no circuit")
    try:
        return make(builder)
    except TooLargeError as error:
        raise UndecidedError(f"undecided: {error}") from None


@dataclass(frozen=True)
class StoneAtoms:
    """Which atoms put a stone on which square."""

    game: TwoPlayerGame
    shown: Mapping[str, tuple[tuple[Place, Square], ...]]

    @classmethod
    def of_rules(
        cls, game: TwoPlayerGame, rules: Rules, situations: Sequence[Situation]
    ) -> StoneAtoms:
        """The stones of each atom of the rules.

        Raises ``UsageError`` where the board of a situation is not that of its atoms one by one.
        """
        empty = game.board_of(())
        shown = {}
        times = range(rules.plies)
        for atom in {atom for time in times for atom in rules.atoms(rules.initial, time)}:
            board = game.board_of((atom,))
            found = [(place, board[place]) for place in empty.differences(board)]
            shown[atom] = tuple(one for one in found if one[1] is not Square.OPEN)
        stones = cls(game, shown)
        for at in situations:
            if stones.squares(game.atoms(at.position)) != at.board.squares:
                raise UsageError(
                    f"found the board of {game.name}, whose stones are several atoms each, "
                    "expected one whose atoms are stones"
                )
        return stones

    def squares(self, atoms: Iterable[str]) -> tuple[Square, ...]:
        """The squares in reading order where some atoms hold."""
        found = {one for atom in atoms for one in self.shown.get(atom, ())}
        all_places = places(self.game.initial.board)
        return tuple(
            next((what for what in OWN.values() if (place, what) in found), Square.OPEN)
            for place in all_places
        )

    def literals(self, rules: Rules, state: State, time: int, player: Player) -> list[int]:
        """A literal for each square in reading order: a stone of a player's stands there."""
        held: dict[Place, list[int]] = {}
        for atom, literal in rules.atoms(state, time).items():
            if literal != FALSE:
                for place, what in self.shown.get(atom, ()):
                    if what is OWN[player]:
                        held.setdefault(place, []).append(literal)
        board = self.game.initial.board
        return [rules.builder.or_all(held.get(place, ())) for place in places(board)]


def gates_below(
    builder: AigBuilder, literals: Iterable[int], inputs: Collection[int]
) -> dict[int, tuple[int, int] | None]:
    """The gates and inputs below some literals, with their sides, in topological order.

    The keys are positive literals; inputs have no sides.
    """
    waiting = [literal & ~1 for literal in literals if literal > TRUE]
    found: dict[int, tuple[int, int] | None] = {}
    while waiting:
        literal = waiting.pop()
        if literal in found or literal <= TRUE:
            continue
        sides = found[literal] = None if literal in inputs else builder.fanins(literal)
        waiting += (side & ~1 for side in sides or ())
    # A gate is made behind its sides.
    return dict(sorted(found.items()))


def numbered(
    builder: AigBuilder, inputs: Sequence[int], outputs: Sequence[int]
) -> tuple[list[tuple[int, int]], list[int]]:
    """The gates of ``outputs`` over ``inputs``, and the outputs, in AIGER's numbers.

    Input ``k`` (from 0) is variable ``k + 1``; gate ``n`` is the variable ``n`` behind them.
    """
    number = {0: 0, **{literal >> 1: k for k, literal in enumerate(inputs, 1)}}
    gates = []
    for literal, sides in gates_below(builder, outputs, set(inputs)).items():
        if sides is not None:
            left, right = sides
            gates.append((2 * number[left >> 1] | left & 1, 2 * number[right >> 1] | right & 1))
            number[literal >> 1] = len(inputs) + len(gates)
    return gates, [2 * number[literal >> 1] | literal & 1 for literal in outputs]


Played = Mapping[int, int]
"""For each move that an answer may play, by its number, the literal that it does."""

MOST_STATES = 100_000
"""The positions that words that look ahead may look at, as states of literals."""


@dataclass(frozen=True, slots=True)
class Case:
    """A move that may have been made: ``holds`` where it was, and is drawn on these squares."""

    holds: int
    number: int
    kind: str
    to: Place | None
    off: Place | None


@dataclass
class SymbolicGame:
    """The game as gates, and how many states may still be looked at."""

    rules: Rules
    stones: StoneAtoms
    deadline: Deadline = NEVER
    left: int = MOST_STATES

    @property
    def builder(self) -> AigBuilder:
        return self.rules.builder

    @cached_property
    def places(self) -> list[Place]:
        """The squares in reading order."""
        return places(self.stones.game.initial.board)


class Spot:
    """A position as literals; ``time`` plies are played, and ``alive`` says that it goes on."""

    def __init__(self, table: SymbolicGame, state: State, time: int) -> None:
        self.table, self.state, self.time = table, state, time
        self.builder = table.builder
        self._counts: dict[Player, Sequence[int]] = {}
        self._can_win: dict[Player, int] = {}

    @cached_property
    def won(self) -> Mapping[Player, int]:
        rules = self.table.rules
        won = dict(rules.won(self.state, self.time))
        if self.time == rules.plies:
            won[Player.WHITE] = won[Player.BLACK] ^ 1
        return won

    @cached_property
    def over(self) -> int:
        """The play has ended."""
        return self.builder.or_all(self.won.values())

    @property
    def mover(self) -> Player | None:
        rules = self.table.rules
        return rules.mover(self.time + 1) if self.time < rules.plies else None

    @property
    def to_move(self) -> Player:
        """The player of the next ply; there must be one."""
        return self.table.rules.mover(self.time + 1)

    @cached_property
    def board(self) -> Mapping[Player, Sequence[int]]:
        """A literal for each stone of each player."""
        rules, stones = self.table.rules, self.table.stones
        return {p: stones.literals(rules, self.state, self.time, p) for p in Player}

    def count(self, player: Player) -> Sequence[int]:
        """Literals ``k``: the player has at least ``k`` stones; the last one is false."""
        if player not in self._counts:
            builder, found = self.builder, [TRUE]
            for stone in self.board[player]:
                if stone != FALSE:
                    one_more = [builder.and_(few, stone) for few in found]
                    found = [TRUE, *map(builder.or_, [*found[1:], FALSE], one_more)]
            self._counts[player] = [*found, FALSE]
        return self._counts[player]

    def more(self, one: Sequence[int], other: Sequence[int], by: int) -> int:
        """Counted stones are so many more than others."""
        builder = self.builder
        return builder.or_all(
            builder.and_(one[k + by], other[k + 1] ^ 1)
            for k in range(len(other) - 1)
            if k + by < len(one)
        )

    @cached_property
    def steps(self) -> Sequence[SymbolicMove]:
        """The moves that may be legal, in the order of the rules."""
        rules = self.table.rules
        if self.mover is None:
            return ()
        legal = rules.legal(self.state, self.time + 1)
        alive = self.over ^ 1
        found = []
        for number, literal in enumerate(legal):
            allowed = self.builder.and_(literal, alive)
            if allowed != FALSE:
                found.append(SymbolicMove(self, number, allowed, len(legal)))
        return found

    @cached_property
    def cases(self) -> Sequence[tuple[SymbolicMove, Case]]:
        """The legal moves with the squares that they are drawn on, the first of several first."""
        found = [(step, case) for step in self.steps for case in step.cases()]
        return sorted(found, key=lambda one: _order(one[1], one[0].text))

    def can_win(self, player: Player) -> int:
        """A move of this player's wins at once."""
        if self.mover is not player:
            return FALSE
        if player not in self._can_win:
            builder = self.builder
            wins = [builder.and_(step.legal, step.after.won[player]) for step in self.steps]
            self._can_win[player] = builder.or_all(wins)
        return self._can_win[player]


def _order(case: Case, text: str) -> tuple[Place, Place, str]:
    to, off = case.to or (0, 0), case.off or (0, 0)
    return to[::-1], off[::-1], text


class SymbolicMove:
    """A move of a position: the literal that it is legal, and the position after it if so."""

    def __init__(self, spot: Spot, number: int, legal: int, moves: int) -> None:
        self.spot, self.number, self.legal = spot, number, legal
        self._moves = moves
        self.text = spot.table.rules.moves(spot.time + 1)[number]
        self.kind = self.text.partition("(")[0]

    @cached_property
    def after(self) -> Spot:
        table = self.spot.table
        table.left -= 1
        if table.left < 0:
            raise UndecidedError(
                f"undecided: words that look ahead look at more than {MOST_STATES:,} positions of "
                "literals; --lookahead lets them look less far"
            )
        table.deadline.check("the program was written as gates")
        made = [self.legal if k == self.number else FALSE for k in range(self._moves)]
        ply = self.spot.time + 1
        return Spot(table, table.rules.after(self.spot.state, ply, made), ply)

    def cases(self) -> Iterator[Case]:
        """The squares that the move came to and left, for each way in which the board changes."""
        spot, after = self.spot, self.after
        builder, mover = spot.builder, spot.to_move
        before, then = spot.board[mover], after.board[mover]
        come = [builder.and_(new, old ^ 1) for old, new in zip(before, then, strict=True)]
        gone = [builder.and_(old, new ^ 1) for old, new in zip(before, then, strict=True)]
        named = spot.table.stones.game.square_of(self.text)
        for came, to in self._first(come, self.legal, named):
            for left, off in self._first(gone, came, None):
                yield Case(left, self.number, self.kind, to, off)

    def _first(
        self, changed: Sequence[int], rest: int, otherwise: Place | None
    ) -> Iterator[tuple[int, Place | None]]:
        """The first square that changed, with the literal for that."""
        builder = self.spot.builder
        for place, literal in zip(self.spot.table.places, changed, strict=True):
            here = builder.and_(rest, literal)
            if here != FALSE:
                yield here, place
                rest = builder.and_(rest, literal ^ 1)
        if rest != FALSE:
            yield rest, otherwise


@dataclass
class SituationGates(Words[int, Played]):
    """The situations of a ply: a position, and for each player the moves that were the last."""

    spot: Spot
    theirs: Sequence[Case]
    ours: Sequence[Case]

    def __post_init__(self) -> None:
        self.builder = self.spot.builder
        self.hero = self.spot.to_move
        self.squares = self.spot.table.places

    def last(self, theirs: bool) -> Sequence[Case]:
        return self.theirs if theirs else self.ours

    def _where(self, cases: Sequence[Case], squares: set[Place]) -> int:
        """A last move went to one of these squares."""
        return self.builder.or_all(case.holds for case in cases if case.to in squares)

    # -- questions ------------------------------------------------------------------------------

    def stands(self, place: Place, what: Square | None) -> int:
        if place not in self.squares:
            return TRUE if what is None else FALSE
        number = self.squares.index(place)
        board = self.spot.board
        black, white = board[Player.BLACK][number], board[Player.WHITE][number]
        open_ = self.builder.or_(black, white) ^ 1
        return {Square.BLACK: black, Square.WHITE: white, Square.OPEN: open_, None: FALSE}[what]

    def went(self, theirs: bool, place: Place) -> int:
        return self._where(self.last(theirs), {place})

    def went_in(self, theirs: bool, region: str, number: int) -> int:
        board = self.spot.table.stones.game.initial.board
        inside = {place for place in self.squares if in_region(region, number, place, board)}
        return self._where(self.last(theirs), inside)

    def was(self, theirs: bool, kind: str) -> int:
        return self.builder.or_all(c.holds for c in self.last(theirs) if c.kind == kind)

    def beside(self, theirs: bool, shift: Place, what: Square | None) -> int:
        builder = self.builder
        return builder.or_all(
            builder.and_(case.holds, self.stands(shifted(case.to, shift), what))
            for case in self.last(theirs)
            if case.to is not None
        )

    def _both(self, wanted: Sequence[tuple[Place, Place]]) -> int:
        builder = self.builder
        pairs = set(wanted)
        return builder.or_all(
            builder.and_(one.holds, own.holds)
            for one in self.theirs
            for own in self.ours
            if one.to is not None and own.to is not None and (one.to, own.to) in pairs
        )

    def apart(self, shift: Place) -> int:
        return self._both([(shifted(place, shift), place) for place in self.squares])

    def related(self, relation: str) -> int:
        every = [(one, own) for one in self.squares for own in self.squares]
        return self._both([pair for pair in every if is_related(relation, *pair)])

    def by_ply(self, ply: int) -> int:
        return TRUE if self.spot.time < ply else FALSE

    def threatened(self) -> int:
        builder = self.builder
        return builder.or_all(
            builder.and_(step.legal, self._safe(step) ^ 1) for step in self.spot.steps
        )

    def odd(self) -> int:
        found = FALSE
        for place in self.squares:
            found = self.builder.xor(found, self.stands(place, Square.OPEN))
        return found

    def ahead(self, player: Player, by: int) -> int:
        spot = self.spot
        return spot.more(spot.count(player), spot.count(player.other), by)

    def possible(self, answer: Played) -> int:
        return self.builder.or_all(answer.values())

    def joined(self, word: str, parts: Sequence[int]) -> int:
        builder = self.builder
        if word == "not":
            return parts[0] ^ 1
        return builder.and_all(parts) if word == "and" else builder.or_all(parts)

    # -- answers --------------------------------------------------------------------------------

    def _first(self, wanted: Sequence[tuple[int, int]]) -> Played:
        """The first move of several whose condition holds; pairs of number and condition."""
        builder, none, found = self.builder, TRUE, dict[int, int]()
        for number, holds in wanted:
            chosen = builder.and_(holds, none)
            if chosen != FALSE:
                found[number] = builder.or_(found.get(number, FALSE), chosen)
            none = builder.and_(none, holds ^ 1)
        return found

    def exactly(self, text: str) -> Played:
        return {step.number: step.legal for step in self.spot.steps if step.text == text}

    def _to(self, wanted: Sequence[tuple[int, Place]]) -> Played:
        """The first move to a square, which is one of several; at most one condition holds."""
        builder, found = self.builder, dict[int, int]()
        for holds, place in wanted:
            first = self._first([(c.number, c.holds) for _, c in self.spot.cases if c.to == place])
            for number, literal in first.items():
                both = builder.and_(holds, literal)
                found[number] = builder.or_(found.get(number, FALSE), both)
        return found

    def shifted(self, theirs: bool, shift: Place) -> Played:
        cases = self.last(theirs)
        return self._to([(c.holds, shifted(c.to, shift)) for c in cases if c.to is not None])

    def first_of(self, cases: Sequence[tuple[int, Played]]) -> Played:
        found: Played = {}
        for asked, answer in reversed(cases):
            found = either(self.builder, asked, answer, found)
        return {number: literal for number, literal in found.items() if literal != FALSE}

    def mapped(self, squares: Mapping[Place, Place]) -> Played:
        pairs = [(c.holds, squares.get(c.to)) for c in self.theirs if c.to is not None]
        return self._to([(holds, image) for holds, image in pairs if image is not None])

    def pick(self, quality: str, kind: str, last: bool) -> Played:
        builder = self.builder
        found = [
            (case.number, builder.and_(case.holds, self._has(quality, step, case)))
            for step, case in self.spot.cases
            if not kind or case.kind == kind
        ]
        return self._first(found[::-1] if last else found)

    # -- qualities ------------------------------------------------------------------------------

    def _has(self, quality: str, step: SymbolicMove, case: Case) -> int:
        own = [c for c in self.ours if c.to is not None]
        qualities: Mapping[str, Callable[[], int]] = {
            "win": lambda: step.after.won[self.hero],
            "decide": lambda: self._decides(step),
            "safe": lambda: self._safe(step),
            "capture": lambda: self._captures(step),
            "safe capture": lambda: self.builder.and_(self._captures(step), self._safe(step)),
            "recapture": lambda: self.builder.and_(
                self._captures(step),
                FALSE if case.to is None else self._where(self.theirs, {case.to}),
            ),
            "same": lambda: FALSE if case.off is None else self._where(own, {case.off}),
            "other": lambda: (
                FALSE
                if case.off is None
                else self.builder.or_all(c.holds for c in own if c.to != case.off)
            ),
            "any": lambda: TRUE,
        }
        return qualities[quality]()

    def _captures(self, step: SymbolicMove) -> int:
        foe = self.hero.other
        before, after = self.spot.board[foe], step.after.board[foe]
        if before == after:
            return FALSE
        return self.spot.more(self.spot.count(foe), step.after.count(foe), 1)

    def _safe(self, step: SymbolicMove) -> int:
        after, foe = step.after, self.hero.other
        builder = self.builder
        going = FALSE if after.mover is None else after.can_win(foe) ^ 1
        return builder.or_(after.won[self.hero], builder.and_(after.over ^ 1, going))

    def _decides(self, step: SymbolicMove) -> int:
        after, hero, builder = step.after, self.hero, self.builder
        answered = builder.and_all(
            builder.implies(
                reply.legal, builder.or_(reply.after.won[hero], self._wins_next(reply.after))
            )
            for reply in after.steps
        )
        return builder.or_(after.won[hero], builder.and_(after.over ^ 1, answered))

    def _wins_next(self, spot: Spot) -> int:
        return self.builder.and_(spot.over ^ 1, spot.can_win(self.hero))


class Unrolled:
    """All plays of a game as gates, for a program of ``hero``'s; the moves are given ply by ply."""

    def __init__(self, table: SymbolicGame, hero: Player) -> None:
        self.table, self.hero, self.builder = table, hero, table.builder
        self.spot = Spot(table, table.rules.initial, 0)
        self._last: dict[Player, Sequence[Case]] = dict.fromkeys(Player, ())
        self._going = TRUE
        self._legal, self._wins = [TRUE], [FALSE]

    @cached_property
    def alive(self) -> int:
        """The play goes on at the next ply."""
        return self.builder.and_(self._going, self.spot.over ^ 1)

    @property
    def goes_on(self) -> bool:
        """False where no play has another ply."""
        if self.spot.mover is None or self.alive == FALSE:
            return False
        return bool(self.table.rules.moves(self.spot.time + 1))

    @property
    def view(self) -> SituationGates:
        """The situation of the player to move, as gates."""
        mover = self.spot.to_move
        return SituationGates(self.spot, self._last[mover.other], self._last[mover])

    def play(self, played: Played) -> int:
        """Go on by the moves whose literals hold; the literal that one of them does."""
        spot, builder = self.spot, self.builder
        mover = spot.to_move
        self._wins.append(builder.and_(self._going, spot.won[self.hero]))
        moved = builder.or_all(played.values())
        if mover is not self.hero:
            self._legal.append(builder.implies(self.alive, moved))
        self._last[mover] = _made(spot, played)
        many = len(self.table.rules.moves(spot.time + 1))
        done = [played.get(number, FALSE) for number in range(many)]
        self._going = builder.and_(self.alive, moved)
        del self.alive
        ply = spot.time + 1
        self.spot = Spot(self.table, self.table.rules.after(spot.state, ply, done), ply)
        return moved

    @property
    def legal(self) -> int:
        """All moves of the opponent were legal."""
        return self.builder.and_all(self._legal)

    @property
    def wins(self) -> int:
        """``hero`` has won."""
        now = self.builder.and_(self._going, self.spot.won[self.hero])
        return self.builder.or_all([*self._wins, now])


def _made(spot: Spot, played: Played) -> list[Case]:
    builder = spot.builder
    found = []
    for _, case in spot.cases:
        holds = builder.and_(case.holds, played.get(case.number, FALSE))
        if holds != FALSE:
            found.append(Case(holds, case.number, case.kind, case.to, case.off))
    return found


def played_by(tree: Tree, view: SituationGates) -> Played:
    """The moves of a program: for each one the literal that it is made."""
    if isinstance(tree, Leaf):
        return tree.answer.said(view)
    asked = tree.question.said(view)
    if asked <= TRUE:
        return played_by(tree.yes if asked else tree.no, view)
    return either(view.builder, asked, played_by(tree.yes, view), played_by(tree.no, view))


def either(builder: AigBuilder, asked: int, yes: Played, no: Played) -> Played:
    """The moves of one side of a fork or the other."""
    return {
        number: builder.ite(asked, yes.get(number, FALSE), no.get(number, FALSE))
        for number in sorted({*yes, *no})
    }
