"""The rules of a game as gates, and its boards: what programs in other languages are made of."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.errors import UndecidedError, UsageError
from qsage_validate.explaining.situation import OWN, Place, Situation, places
from qsage_validate.games.protocol import Game, Player, Square
from qsage_validate.kernel.game import Rules, State, TooLargeError
from qsage_validate.system.limits import NEVER, Deadline
from qsage_validate.validation.proofs.ground import rules_of


def circuit_of(game: Game, builder: AigBuilder, deadline: Deadline = NEVER) -> Rules:
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
class Stones:
    """Which atoms put a stone on which square."""

    game: Game
    shown: Mapping[str, tuple[tuple[Place, Square], ...]]

    @classmethod
    def of_rules(cls, game: Game, rules: Rules, situations: Sequence[Situation]) -> Stones:
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
