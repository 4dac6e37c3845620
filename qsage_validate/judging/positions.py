"""Position by position: the formula's value and the game's after plays of legal moves.

``docs/explanation/proved.md`` has the theorem.  Where the variables of a ply have the quantifier
of the player who makes it, values follow from those of longer plays: a formula that is true after
some move of Black's is true before it, and one that is false after some move of White's is false
before it.  So a position is asked for only where its value must say that no move, legal or not,
changes it: a loss of the player to move.  All plays that have ended, or that the layout has no
more plies for, are asked for, unless the position before has settled them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.encodings.layout.layout import Layout
from qsage_validate.games.protocol import Player
from qsage_validate.judging.residuals import Residuals
from qsage_validate.judging.simulator import GameValues
from qsage_validate.kernel.strategy import constants
from qsage_validate.system.limits import NEVER, Deadline
from qsage_validate.system.progress import Progress, Tell, nobody

BOTH: Final = (True, False)
_REPORT_EVERY: Final = 256


class Codes:
    """The variables of each ply of a formula, and the values that say each move.

    ``owned[k]`` says that all variables of ply ``k + 1`` have the quantifier of its player.
    """

    def __init__(self, formula: Qbf, layout: Layout) -> None:
        self.layout = layout
        self._constants = constants(formula)
        self._known: list[dict[str, Mapping[int, bool] | None]] = [{} for _ in layout.moves]
        quantifiers = formula.quantifiers()
        self.plies = [
            tuple(dict.fromkeys(v for v in map(abs, ply.variables) if v in quantifiers))
            for ply in layout.moves
        ]
        own = {Player.BLACK: Quantifier.EXISTS, Player.WHITE: Quantifier.FORALL}
        self.owned = [
            all(quantifiers[v] is own[ply.player] for v in variables)
            for ply, variables in zip(layout.moves, self.plies, strict=True)
        ]

    def values(self, ply: int, move: str) -> Mapping[int, bool] | None:
        """The values of the variables of a ply, from 1, that say a move, or ``None``."""
        known = self._known[ply - 1]
        if move not in known:
            known[move] = self._encoded(ply, move)
        return known[move]

    def _encoded(self, ply: int, move: str) -> Mapping[int, bool] | None:
        coding = self.layout.moves[ply - 1].coding
        if not coding.can_say(move):
            return None
        values = coding.encode(move)
        if any(self._constants.get(v, x) is not x for v, x in values.items()):
            return None
        return {v: x for v, x in values.items() if v not in self._constants}

    def of_play(self, moves: Sequence[str]) -> dict[int, bool]:
        """The values that say a play, all of whose moves have codes."""
        found: dict[int, bool] = {}
        for ply, move in enumerate(moves[: len(self.plies)], start=1):
            found.update(self.values(ply, move) or {})
        return found


@dataclass(frozen=True, slots=True)
class Difference:
    """A play after which formula and game differ.

    ``game`` is true if Black wins, ``formula`` is the formula's value with the moves fixed, and
    ``None`` where the last move is legal and has no code.  ``word`` names the solver by whose bare
    word the value is known; it is empty for a decided expansion.
    """

    moves: tuple[str, ...]
    game: bool
    formula: bool | None
    word: str = ""


@dataclass
class Tally:
    """What a search for differences has done.

    ``plies`` is the length of the plays up to which all are settled; ``settled`` says that these
    are all plays there are.
    """

    differences: list[Difference] = field(default_factory=list)
    positions: int = 0
    asked: int = 0
    plies: int = -1
    settled: bool = False
    undecided: int = 0


@dataclass(frozen=True, slots=True)
class _Node:
    moves: tuple[str, ...]
    state: Any
    implied: bool | None = None
    """The value that the formula is known to have here by the position before."""


class Positions:
    """The positions of a game, and the formula after each of them.

    ``halves`` are the values of the game that are claimed: with ``True`` the formula is true where
    Black wins, with ``False`` it is false where Black does not.
    """

    def __init__(
        self,
        formula: Qbf,
        layout: Layout,
        values: GameValues,
        *,
        halves: Sequence[bool] = BOTH,
        equal_first: Mapping[str, object] | None = None,
    ) -> None:
        self.codes = Codes(formula, layout)
        self.residuals = Residuals(formula, self.codes.plies)
        self.values = values
        self.halves = frozenset(halves)
        self._equal_first = equal_first or {}
        self._last = len(layout.moves)

    def search(
        self,
        *,
        deadline: Deadline = NEVER,
        most: int = 1,
        most_positions: int | None = None,
        tell: Tell = nobody,
    ) -> Tally:
        """Compare after all plays, the shortest first, until ``most`` differences are found."""
        tally = Tally()
        frontier = [_Node((), self.values.simulator.start())]
        for made in range(self.values.simulator.plies + 1):
            following: list[_Node] = []
            for number, node in enumerate(frontier):
                if deadline.over:
                    return tally
                if number % _REPORT_EVERY == 0:
                    text = f"{made} plies: {number} of {len(frontier)} positions"
                    tell(Progress("positions", text, number, len(frontier)))
                tally.positions += 1
                self._compare(node, made, tally, deadline, following)
                if len(tally.differences) >= most:
                    return tally
                if most_positions is not None and tally.positions >= most_positions:
                    return tally
            tally.plies = made
            frontier = following
            if not frontier:
                break
        tally.settled = not tally.undecided
        return tally

    def _compare(
        self, node: _Node, made: int, tally: Tally, deadline: Deadline, following: list[_Node]
    ) -> None:
        """Compare in one position, and add the positions after it."""
        state, values = node.state, self.values
        black = values.winner(state, made) is Player.BLACK
        over = values.ended(state, made) is not None or made >= self._last
        settled = node.implied
        if black in self.halves and self._asks(node, black, over, made):
            answer = self.residuals.answer(self.codes.of_play(node.moves), made, deadline)
            if answer.truth is None:
                tally.undecided += 1
            else:
                tally.asked += 1
            settled = answer.truth
            if answer.truth is (not black):
                tally.differences.append(Difference(node.moves, black, answer.truth, answer.word))
                return
        if over:
            return
        player = values.simulator.to_move(state)
        implied = (
            settled if settled is (player is Player.WHITE) and self.codes.owned[made] else None
        )
        for move in values.legal(state):
            moves = (*node.moves, move)
            if self.codes.values(made + 1, move) is None:
                if made or move not in self._equal_first:
                    tally.differences.append(Difference(moves, black, None))
                continue
            following.append(_Node(moves, values.simulator.play(state, move), implied))

    def _asks(self, node: _Node, black: bool, over: bool, made: int) -> bool:
        if node.implied is black:
            return False
        if over or not self.codes.owned[made]:
            return True
        mover = self.values.simulator.to_move(node.state)
        return black is (mover is Player.WHITE)

    def fixed_values(
        self, moves: Sequence[str], deadline: Deadline = NEVER
    ) -> Iterator[bool | None]:
        """The formula's values along a play: with none, one, … all of its moves fixed."""
        for made in range(min(len(moves), self._last) + 1):
            yield self.residuals.value(self.codes.of_play(moves[:made]), made, deadline)
