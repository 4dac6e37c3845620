"""The lifted encoding with a flat matrix: each constraint behind a guard, in place of nesting.

The prefix and the circuits of moves, indicators, goals and states are those of
:mod:`qsage_validate.encodings.grid.lifted`, and so is the meaning.  In the paper ply k is nested in
ply k - 1 (section 4.2), so that in clausal form the gate "ply k holds" depends on the symbolic
square and the states, which are innermost.  Here the matrix is one conjunction.  What ply k asks
for is asked for unless the play is over before it, which depends on earlier stops and indicators
alone: a solver knows that as soon as those are decided, if the clausal form leaves the gates
where their inputs are (``placement="early"`` of :func:`formats.qdimacs.clausal_form`).

Black's goal, and that White's is refuted, occur once instead of at every ply at which a play
may end.
"""

from __future__ import annotations

from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.grid.lifted import LiftedEncoder
from qsage_validate.encodings.layout.layout import Ply
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.protocol import Player


def encode_guarded(model: Model) -> Encoding:
    """The QBF that is true if and only if Black wins ``model`` within its plies.

    The size is that of the lifted encoding, with a few gates a ply more for the guards.
    """
    return _GuardedEncoder(model).encode()


class _GuardedEncoder(LiftedEncoder):
    """Builds the matrix from the first ply to the last."""

    name = "lifted-guarded"

    def matrix(self) -> int:
        """The output: the initial state, and what each ply asks for behind its guard."""
        initial = self._initial_state()
        self.gates["initial state"] = initial
        if not self.moves:
            # Without a single ply Black cannot have won.
            return self.circuit.false
        self._note_goals()
        self._parts = [initial]
        self._claims: dict[Player, list[int]] = {player: [] for player in Player}
        running = self.circuit.true
        for move in self.moves:
            build = self._black if move.player is Player.BLACK else self._white
            running = build(move, running)
        for player, goal in (
            (Player.BLACK, self.black_goal),
            (Player.WHITE, self.white_refuted),
        ):
            if self._claims[player]:
                self._demand(self.circuit.or_(*self._claims[player]), goal)
        return self.circuit.and_(*self._parts)

    def _demand(self, condition: int, *alternatives: int) -> None:
        """Ask for one of ``alternatives`` under ``condition``."""
        self._parts.append(self.circuit.or_(-condition, *alternatives))

    def _stopped(self, move: Ply, running: int) -> int:
        """Close the plays that are stopped after ``move``; the literal that a play goes on.

        What was reached is the last state then, where the goals are looked at.
        """
        if move.stop is None:
            return running
        ended = self.circuit.and_(running, move.stop)
        self._claims[move.player].append(ended)
        self._demand(ended, self._same(self.states[move.ply], self.states[-1]))
        return self.circuit.and_(running, -move.stop)

    def _black(self, move: Ply, running: int) -> int:
        legal = self._black_move(move)
        self.gates[f"black {move.ply} move"] = legal
        self._demand(running, legal)
        if move.ply == len(self.moves):
            self._claims[Player.BLACK].append(running)
        return self._stopped(move, running)

    def _white(self, move: Ply, running: int) -> int:
        definitions, legal = self._white_indicators(move)
        self.gates[f"white {move.ply} indicators"] = definitions
        self.gates[f"white {move.ply} legal"] = legal
        self._demand(running, definitions)
        if move.ply == len(self.moves):
            self._demand(running, -legal)
            return self.circuit.false
        effects = self._white_effects(move)
        self.gates[f"white {move.ply} move"] = effects
        going = self.circuit.and_(running, legal)
        self._demand(going, effects)
        return self._stopped(move, going)
