"""Strategies that are no certificates: guessed values, and pairs.

For some plies White plays the moves that ``solvers/maker_maker.py`` found; from then
on there is a pairing, and White answers in the pair that Black plays in.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from qsage_validate.circuit.aig import FALSE, AigBuilder
from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.encodings.layout import Layout, variables_of
from qsage_validate.errors import UsageError, counted
from qsage_validate.games.masks import members
from qsage_validate.games.positional.cover_game import Pairing
from qsage_validate.games.positional.model import PositionalModel, representatives
from qsage_validate.games.positional.rules import ClaimMove, PositionalGame, PositionalPosition
from qsage_validate.games.protocol import Move, Player, TwoPlayerGame
from qsage_validate.kernel.certificate import Certificate, CircuitCertificate
from qsage_validate.solvers.maker_maker import BlockingSearch
from qsage_validate.strategies.reader import Assignment
from qsage_validate.system.limits import NEVER, Deadline

if TYPE_CHECKING:
    from qsage_validate.certificates.simulation_oracle import SimulationOracle
    from qsage_validate.circuit.simulate import GraphSimulator


# Replies that rest on a guess: on the value of a variable to which a play gives none


class Guesses:
    """Evaluates replies in three values: ``unassigned`` variables have none.

    Variables that tell the position, ``told`` with the time at which they do, have none before.

    Kleene's logic in two rails, as in :mod:`qsage_validate.strategies.herbrand`.  A reply that has
    a value then has it whatever the variables are; one that has none may still not depend on them.
    """

    def __init__(
        self,
        layout: Layout,
        oracle: SimulationOracle,
        unassigned: Collection[int],
        told: Mapping[int, int] | None = None,
    ) -> None:
        self._layout = layout
        self._oracle = oracle
        self._unassigned = frozenset(unassigned)
        self._told = told or {}
        self._columns = {v: k for k, v in enumerate(oracle.opponent)}
        self._ply = cache(self._simulator)

    def of(self, plays: Sequence[Assignment]) -> list[tuple[int, ...]]:
        """The unassigned variables that the next reply may depend on, for each play.

        All plays have the same number of plies.  The result has all variables that the
        ply's functions read, or none.
        """
        from qsage_validate.circuit.simulate import pack, unpack

        if not plays:
            return []
        read, simulator = self._ply(plays[0].plies + 1)
        if not read:
            return [()] * len(plays)
        given = np.zeros((len(plays), len(self._columns)), dtype=np.bool_)
        for row, play in zip(given, plays, strict=True):
            for variable, value in play.choice.items():
                row[self._columns[variable]] = value
        words = simulator.run(pack(given))
        rows = unpack(words, len(plays)).tolist()
        return [() if all(known) else read for known in rows]

    def _simulator(self, ply: int) -> tuple[tuple[int, ...], GraphSimulator]:
        """Unassigned variables that a ply's replies read; a simulator of which bits are known."""
        from qsage_validate.circuit.simulate import GraphSimulator

        later = {variable for variable, time in self._told.items() if time >= ply}
        unassigned = self._unassigned | later
        aig, outputs = self._oracle.graph(variables_of(self._layout.moves[ply - 1]))
        cone = aig.cone(outputs)
        used = {literal >> 1 for literal in outputs}
        used.update((aig.fanin0[cone] >> 1).tolist(), (aig.fanin1[cone] >> 1).tolist())
        builder = AigBuilder()
        rails: dict[int, tuple[int, int]] = {0: (FALSE, FALSE ^ 1)}
        for number, variable in enumerate(self._oracle.opponent, start=1):
            given = builder.input()
            is_open = variable in unassigned
            rails[number] = (FALSE, FALSE) if is_open else (given, given ^ 1)

        def rail(literal: int) -> tuple[int, int]:
            true, false = rails[literal >> 1]
            return (false, true) if literal & 1 else (true, false)

        first = aig.num_inputs + 1
        gates = zip(aig.fanin0.tolist(), aig.fanin1.tolist(), cone.tolist(), strict=True)
        for number, (left, right, needed) in enumerate(gates, start=first):
            if needed:
                (a, not_a), (b, not_b) = rail(left), rail(right)
                rails[number] = (builder.and_(a, b), _either(builder, not_a, not_b))
        known = [_either(builder, *rail(literal)) for literal in outputs]
        read = tuple(v for v in sorted(unassigned) if self._columns.get(v, -1) + 1 in used)
        return read, GraphSimulator(*builder.build(known))


def _either(builder: AigBuilder, a: int, b: int) -> int:
    return builder.and_(a ^ 1, b ^ 1) ^ 1


def variables_read_at(layout: Layout, player: Player, oracle: SimulationOracle) -> frozenset[int]:
    """The opponent's variables that the replies of a player depend on, as the graph is built."""
    wanted = [v for ply in layout.moves if ply.player is player for v in variables_of(ply)]
    aig, outputs = oracle.graph(list(dict.fromkeys(wanted)))
    cone = aig.cone(outputs)
    used = {literal >> 1 for literal in outputs}
    used.update((aig.fanin0[cone] >> 1).tolist(), (aig.fanin1[cone] >> 1).tolist())
    return frozenset(v for k, v in enumerate(oracle.opponent, start=1) if k in used)


def told(layout: Layout, game: TwoPlayerGame | None) -> dict[int, int]:
    """The variables that tell the position in a play, each with the first time at which it does."""
    found: dict[int, int] = {}
    if game is not None and layout.state.lists_atoms:
        for time, literals in enumerate(layout.state.states):
            for literal in literals:
                found.setdefault(abs(literal), time)
    return found


# White's strategy by pairs, as an object that plays, and its check by the rules


BLACK, WHITE = Player.BLACK, Player.WHITE


def read_unassigned(
    certificate: Certificate, formula: Qbf, layout: Layout, game: TwoPlayerGame | None
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The variables that White's moves depend on and to which a play gives no value; with a note.

    The note is for people, where there are any.
    """
    if not isinstance(certificate, CircuitCertificate):
        return (), ()
    from qsage_validate.certificates.parts import variables_read
    from qsage_validate.certificates.simulation_oracle import SimulationOracle

    played = {v for ply in layout.moves if ply.player is Player.BLACK for v in variables_of(ply)}
    for ply in layout.moves:
        if ply.indicators is not None:
            played.update(map(abs, ply.indicators.literals))
    played.update(told(layout, game))
    replies = {v for ply in layout.moves if ply.player is Player.WHITE for v in variables_of(ply)}
    if replies <= certificate.functions.keys() and variables_read(certificate) <= played:
        return (), ()
    oracle = SimulationOracle(certificate, formula)
    read = variables_read_at(layout, Player.WHITE, oracle) - played
    found = tuple(v for v in formula.variables(Quantifier.EXISTS) if v in read)
    if not found:
        return (), ()
    return found, (
        f"White's functions read {_listed(formula, found)}, which are no moves: they are "
        "false in a play, and White's replies may be wrong",
    )


def _listed(formula: Qbf, variables: Sequence[int]) -> str:
    """``4 variables (7, 8, 9, 10)``."""
    names = ", ".join(formula.name(v) for v in variables[:8])
    more = ", …" if len(variables) > 8 else ""
    return f"{counted(len(variables), 'variable')} of Black's ({names}{more})"


class PairingStrategy:
    """White's moves within ``plies`` to a pairing, and its pairs from then on.

    The game is one to whose last ply White is to hold out, at most the open positions' number.
    Raises ``UsageError`` where White has no such strategy, ``UndecidedError`` when that
    is not known at the deadline.
    """

    def __init__(
        self,
        model: PositionalModel,
        plies: int,
        *,
        search: BlockingSearch | None = None,
        deadline: Deadline = NEVER,
    ) -> None:
        self.game = PositionalGame(model)
        self.model = model
        self.plies = plies
        self._search = BlockingSearch(model) if search is None else search
        if not self._search.blocks(plies, deadline):
            raise UsageError(
                f"{self.game.name}: White has no pairing within {plies} plies, expected more plies "
                "or another game"
            )

    @property
    def player(self) -> Player:
        return WHITE

    def pairing(self, history: Sequence[Move]) -> Pairing | None:
        """The pairs that White plays by after ``history``; ``None`` before there is a pairing.

        Pairs in which both positions have been claimed are left out.
        """
        position, pairing, _ = self._follow(history)
        if pairing is None:
            return None
        claimed = position.black | position.white
        return Pairing(tuple(p for p in pairing.pairs if not all(claimed >> v & 1 for v in p)))

    def answers(self) -> Iterator[tuple[ClaimMove, ClaimMove, Pairing | None]]:
        """Black's first moves, one of each class of symmetric ones, with White's answers.

        The pairing is that after both, where there is one by then.
        """
        firsts = representatives(self.model)
        for position in members(firsts):
            first = self.game.claims[position]
            answer = self.reply([first])
            yield first, answer, self.pairing([first, answer])

    def reply(self, history: Sequence[Move]) -> ClaimMove:
        """White's move; raises ``UsageError`` when it is not White's turn.

        Off the strategy's plays White answers as well as is known: in pairs, else anywhere.
        """
        position, pairing, stones = self._follow(history)
        if position.outcome is not None or position.to_move is not WHITE:
            raise UsageError(f"found {position}, expected White to move")
        black, white, free = position.black, position.white, position.open
        if pairing is None:
            block = self._search.reply(black, white, stones)
            if block is not None:
                return self.game.claims[block.position]
        else:
            last = self._last(history)
            partner = None if last is None else pairing.partner(last)
            if partner is not None and free >> partner & 1:
                return self.game.claims[partner]
            # A position outside the pairs, to keep these whole.
            free = free & ~pairing.mask or free
        return self.game.claims[next(members(free))]

    def _last(self, history: Sequence[Move]) -> int | None:
        move = history[-1] if history else None
        return self.model.number.get(move.name) if isinstance(move, ClaimMove) else None

    def _follow(self, history: Sequence[Move]) -> tuple[PositionalPosition, Pairing | None, int]:
        """The position after some moves, the pairing that holds there, and White's stones left."""
        position = self.game.initial
        stones = self.plies // 2
        pairing: Pairing | None = None
        for move in (*history, None):
            if pairing is None and position.to_move is BLACK:
                pairing = self._search.pairing(position.black, position.white)
            if move is None:
                break
            stones -= position.to_move is WHITE
            position = position.play(move)
        return position, pairing, max(stones, 0)
