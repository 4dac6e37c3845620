"""Finite instances of impartial games as QBF: does the player win who moves first at a state?

Each ply has a block with the number of a move, existential for the first player and universal
for the other.  The states that can be reached are numbered and written out (one gate says that
the play is at a state after so many plies), so that nothing is compact about this encoding; it
is there to let QBF solvers have a say about a winning formula.
"""

from __future__ import annotations

from typing import Final

from qsage_validate.circuit.builder import CircuitBuilder
from qsage_validate.circuit.qbf import Qbf, Quantifier, Scope
from qsage_validate.encodings.encoding import constant_literals
from qsage_validate.errors import UsageError
from qsage_validate.extensions.impartial.rules import ImpartialRules, State, reach
from qsage_validate.games.masks import width_for

MAX_GATES: Final = 200_000
"""A state for which more moves would be written out is not encoded."""


def encode_heaps(rules: ImpartialRules, start: State) -> Qbf:
    """The QBF that is true exactly when the player to move at ``start`` wins.

    A number that is too large for a state names its last move, so that every assignment is a
    play by the rules.  Raises ``UsageError`` for too many states, ``EndlessGameError`` when
    plays need not end.
    """
    found = reach(rules, start)
    moves = None
    if found is not None:
        moves = {s: list(dict.fromkeys(m.after for m in rules.moves(s))) for s in found.states}
    if found is None or moves is None or found.longest * sum(map(len, moves.values())) > MAX_GATES:
        raise UsageError(f"{rules.game.name}: too many moves from this state to write them out")
    width = width_for(max(map(len, moves.values())))
    scopes = tuple(
        Scope(
            Quantifier.EXISTS if ply % 2 == 0 else Quantifier.FORALL,
            tuple(range(1 + ply * width, 1 + (ply + 1) * width)),
        )
        for ply in range(found.longest)
    )
    circuit = CircuitBuilder(found.longest * width + 1)
    at: dict[State, int] = {start: circuit.true}
    won: list[int] = []
    for ply in range(found.longest + 1):
        # Whoever cannot move after ``ply`` plies: the first player if that is an even number.
        wins = (ply % 2 == 0) is rules.misere
        won += [place for state, place in at.items() if wins and not moves[state]]
        if ply == found.longest:
            break
        bits = scopes[ply].variables
        ways: dict[State, list[int]] = {}
        for state, place in at.items():
            last = len(moves[state]) - 1
            earlier: list[int] = []
            for number, after in enumerate(moves[state]):
                chosen = circuit.and_(*constant_literals(bits, number))
                if number == last:
                    chosen = circuit.and_(*(-other for other in earlier))
                earlier.append(chosen)
                ways.setdefault(after, []).append(circuit.and_(place, chosen))
        at = {state: circuit.or_(*gates) for state, gates in ways.items()}
    return Qbf(scopes, circuit.gates, circuit.or_(*won))
