"""Plays against a program, by SAT: for programs that meet too many positions to try all of them.

The plays of all moves of the opponent are one circuit, with the program in it.  A solver looks for
moves, all legal, against which the program does not win.
"""

from __future__ import annotations

from collections.abc import Sequence

from qsage_validate.circuit.aig import TRUE, AigBuilder
from qsage_validate.circuit.sat_solver import Satisfiable, TimedOut, satisfy
from qsage_validate.explaining.circuits import Played, Spot, Table, Unrolled, played_by
from qsage_validate.explaining.gates import Stones, circuit_of
from qsage_validate.explaining.program import Tree
from qsage_validate.explaining.situation import Situation
from qsage_validate.games.protocol import Game, Player
from qsage_validate.system.limits import NEVER, Deadline


class AllPlays:
    """The plays of a program of ``hero``'s against all moves of the opponent.

    ``situations`` are some of the game, whose boards are held against the circuit's.  Raises
    ``UsageError`` for a game whose rules are no circuit, and ``UndecidedError`` at a limit.
    """

    def __init__(
        self,
        tree: Tree,
        game: Game,
        hero: Player,
        situations: Sequence[Situation],
        deadline: Deadline = NEVER,
    ) -> None:
        self._builder = builder = AigBuilder()
        self._deadline = deadline
        # The opponent's moves, ply by ply: the bits of a number, and the text of each number.
        self._given: list[tuple[Sequence[int], Sequence[str]]] = []
        rules = circuit_of(game, builder, deadline)
        table = Table(rules, Stones.of_rules(game, rules, situations), deadline)
        plays = Unrolled(table, hero)
        while plays.goes_on:
            deadline.check("all plays of the explanation were tried")
            own = plays.spot.mover is hero
            plays.play(played_by(tree, plays.view) if own else self._free(plays.spot))
        self._wanted = builder.and_(plays.legal, plays.wins ^ 1)

    def _free(self, spot: Spot) -> Played:
        """A move of the opponent's, which is an input."""
        builder, steps = self._builder, spot.steps
        bits = [builder.input() for _ in range(max(len(steps) - 1, 0).bit_length())]
        self._given.append((bits, [step.text for step in steps]))
        return {
            step.number: builder.and_(self._is(bits, number), step.legal)
            for number, step in enumerate(steps)
        }

    def _is(self, bits: Sequence[int], number: int) -> int:
        ones = (bit ^ (number >> k & 1 ^ 1) for k, bit in enumerate(bits))
        return self._builder.and_all(ones)

    def refutation(self) -> Sequence[str] | None:
        """Moves of the opponent against which the program does not win; ``None``: there are none.

        Behind the end of the play they mean nothing.  Raises ``UndecidedError`` at the deadline.
        """
        aig, (wanted,) = self._builder.build([self._wanted])
        answer = satisfy(aig, wanted, deadline=self._deadline)
        if isinstance(answer, TimedOut):
            self._deadline.check("all plays of the explanation were tried")
        if not isinstance(answer, Satisfiable):
            return None
        values = iter(answer.inputs)
        moves = []
        for bits, texts in self._given:
            number = sum(next(values) << k for k, _ in enumerate(bits))
            if number < len(texts):
                moves.append(texts[number])
        return moves

    def leave_out(self, moves: Sequence[str]) -> None:
        """Look for plays that do not begin with these moves of the opponent's."""
        together = TRUE
        for (bits, texts), move in zip(self._given, moves, strict=False):
            together = self._builder.and_(together, self._is(bits, texts.index(move)))
        self._wanted = self._builder.and_(self._wanted, together ^ 1)
