"""Positional games on plain integers, for search: black positions, and white ones above them.

The moves that a search need not look at: in these games an own position more never hurts, winning
sets with an opponent's position in them are dead, and a set that misses more positions than its
player has stones left cannot be completed in time.  So only positions of sets count that one of
the players can still complete; and where turns are of one stone and the opponent misses one
position of a set, only that position.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Sequence

from qsage_validate.errors import UsageError
from qsage_validate.games.positional.keys import CanonicalKeys
from qsage_validate.games.positional.masks import bits, flood, spread
from qsage_validate.games.positional.model import Network, PositionalModel
from qsage_validate.games.positional.symmetry import Permutation
from qsage_validate.games.protocol import Kernel, Move, Player, Position

BLACK, WHITE = Player.BLACK, Player.WHITE

Successor = tuple[int, Hashable, bool]


class PositionalKernel(Kernel):
    """The common part of the kernels for networks and for winning sets."""

    def __init__(
        self, model: PositionalModel, moves: Sequence[Move], symmetries: Sequence[Permutation]
    ) -> None:
        self.model = model
        self._moves = moves
        self._size = len(model.positions)
        self._all = model.all
        self.initial = model.black | model.white << self._size
        self._stones = self.initial.bit_count()
        self._turns = model.turns
        self.alternates = model.alternates
        self._keys = CanonicalKeys(self._size, symmetries)

    def player_to_move(self, state: Hashable) -> Player:
        assert isinstance(state, int)
        ply = state.bit_count() - self._stones
        return self._turns[ply] if ply < len(self._turns) else self._turns[-1].other

    def key(self, state: Hashable) -> int:
        assert isinstance(state, int)
        return self._keys.key(state)[0]

    def move(self, number: int, player: Player) -> Move:
        return self._moves[number]

    def state(self, position: Position) -> int:
        black, white = getattr(position, "black", None), getattr(position, "white", None)
        model = getattr(getattr(position, "game", None), "model", None)
        if not isinstance(black, int) or not isinstance(white, int) or model != self.model:
            raise UsageError(f"found {position}, expected a position of {self.model.name}")
        state = black | white << self._size
        placed = state.bit_count() - self._stones
        if not self.alternates and position.ply != placed + 1:
            # Here the stones tell whose turn it is.
            raise UsageError(f"found {position}, expected {placed + 1} as the ply")
        if self._size - state.bit_count() < self.model.plies - position.ply + 1:
            raise UsageError(f"found {position}, expected an open position for each ply")
        return state

    def _pieces(self, state: int) -> tuple[int, int]:
        return state & self._all, state >> self._size

    def _claim(self, state: int, player: Player, squares: int) -> list[Successor]:
        """The successors by claiming one of ``squares``; none of these claims wins."""
        shift = 0 if player is BLACK else self._size
        return [(bit.bit_length() - 1, state | bit << shift, False) for bit in bits(squares)]

    def _moves_left(self, state: int, player: Player, plies: int) -> tuple[int, int]:
        """The numbers of the player's and of the opponent's plies among the next ``plies``."""
        if self.alternates:
            return (plies + 1) // 2, plies // 2
        ply = state.bit_count() - self._stones
        own = self._turns[ply : ply + plies].count(player)
        return own, plies - own

    def successors(self, state: Hashable, player: Player) -> list[Successor]:
        assert isinstance(state, int)
        black, white = self._pieces(state)
        own, shift = (black, 0) if player is BLACK else (white, self._size)
        result: list[Successor] = []
        for bit in bits(self._all & ~(black | white)):
            won = self._wins(own | bit, player, bit)
            result.append((bit.bit_length() - 1, state | bit << shift, won))
        return result

    @abstractmethod
    def _wins(self, own: int, player: Player, bit: int) -> bool:
        """True if the player has reached a goal by claiming ``bit``, one of ``own``."""


class SetsKernel(PositionalKernel):
    """Games of winning sets."""

    def __init__(
        self, model: PositionalModel, moves: Sequence[Move], symmetries: Sequence[Permutation]
    ) -> None:
        super().__init__(model, moves, symmetries)
        self._goals = {BLACK: model.black_wins, WHITE: model.white_wins}
        self._with: dict[Player, dict[int, list[int]]] = {}
        for player, goals in self._goals.items():
            by_bit = self._with[player] = {bit: [] for bit in bits(model.all)}
            for goal in goals:
                for bit in bits(goal):
                    by_bit[bit].append(goal)

    def _wins(self, own: int, player: Player, bit: int) -> bool:
        return any(own & goal == goal for goal in self._with[player][bit])

    def wins_at_once(self, state: Hashable, player: Player) -> bool:
        assert isinstance(state, int)
        black, white = state & self._all, state >> self._size
        own, other = (black, white) if player is BLACK else (white, black)
        missing = ~own
        for goal in self._goals[player]:
            if not goal & other:
                rest = goal & missing
                if not rest & (rest - 1):
                    return True
        return False

    def candidates(self, state: Hashable, player: Player, plies: int) -> list[Successor] | None:
        assert isinstance(state, int)
        black, white = state & self._all, state >> self._size
        free = self._all & ~(black | white)
        own_left, other_left = self._moves_left(state, player, plies)
        own, other = (black, white) if player is BLACK else (white, black)
        relevant = 0
        not_other = ~other
        single = self.alternates and other_left
        for goal in self._goals[player.other]:
            if not goal & own:
                rest = goal & not_other
                if single and not rest & (rest - 1):
                    return self._claim(state, player, rest)
                if rest.bit_count() <= other_left:
                    relevant |= rest
        hopeful = relevant if player is WHITE else 0
        not_own = ~own
        for goal in self._goals[player]:
            if not goal & other:
                rest = goal & not_own
                if rest.bit_count() <= own_left:
                    relevant |= rest
                    if player is BLACK:
                        hopeful |= rest
        if not hopeful:
            # Black can complete no set in time, whatever White does.
            return [] if player is BLACK else self._claim(state, player, free & -free)
        return self._claim(state, player, relevant)


class ConnectionKernel(PositionalKernel):
    """Generalized Hex with Black as Short; White has no winning sets."""

    def __init__(
        self, model: PositionalModel, moves: Sequence[Move], symmetries: Sequence[Permutation]
    ) -> None:
        super().__init__(model, moves, symmetries)
        assert model.network is not None
        self._network: Network = model.network

    def _wins(self, own: int, player: Player, bit: int) -> bool:
        return player is BLACK and self._network.connects(own)

    def wins_at_once(self, state: Hashable, player: Player) -> bool:
        assert isinstance(state, int)
        if player is WHITE:
            return False
        black, white = self._pieces(state)
        free = self._all & ~(black | white)
        network = self._network
        near = []
        for border in (network.start, network.end):
            reached = flood(border, black, network.neighbours)
            near.append(border | spread(reached, network.neighbours))
        return bool(near[0] & near[1] & free)

    def candidates(self, state: Hashable, player: Player, plies: int) -> list[Successor] | None:
        assert isinstance(state, int)
        black, white = self._pieces(state)
        free = self._all & ~(black | white)
        own_left, other_left = self._moves_left(state, player, plies)
        stones = own_left if player is BLACK else other_left
        start = self._network.distance_layers(self._network.start, black, free, stones)
        end = self._network.distance_layers(self._network.end, black, free, stones)
        # Positions on a way with at most so many open ones: these count from both borders.
        relevant = 0
        for k, layer in enumerate(start):
            within = 0
            for behind in end[: stones - k]:
                within |= behind
            relevant |= layer & within
        if not relevant:
            return [] if player is BLACK else self._claim(state, player, free & -free)
        if player is WHITE and self.alternates and start and end and (at_once := start[0] & end[0]):
            # One stone completes a connection: there, or with two such places anywhere.
            return self._claim(state, player, at_once & -at_once)
        return self._claim(state, player, relevant)


class CutKernel(PositionalKernel):
    """Generalized Hex with Black as Cut: Black wins when no way is left for White."""

    def _wins(self, own: int, player: Player, bit: int) -> bool:
        assert self.model.network is not None
        return player is BLACK and self.model.network.won_by_black(own)

    def wins_at_once(self, state: Hashable, player: Player) -> bool:
        assert isinstance(state, int)
        if player is WHITE:
            return False
        black, white = self._pieces(state)
        free = self._all & ~(black | white)
        network = self.model.network
        assert network is not None
        if not network.connects(self._all & ~black):
            return bool(free)
        return any(network.won_by_black(black | bit) for bit in bits(free))


def make_kernel(
    model: PositionalModel, moves: Sequence[Move], symmetries: Sequence[Permutation]
) -> PositionalKernel:
    """The kernel that suits a model."""
    if model.network is None:
        return SetsKernel(model, moves, symmetries)
    if model.white_wins:
        return _MixedKernel(model, moves, symmetries)
    if model.network.short is BLACK:
        return ConnectionKernel(model, moves, symmetries)
    return CutKernel(model, moves, symmetries)


class _MixedKernel(CutKernel):
    """A network for Black and winning sets for White: no knowledge, only the rules."""

    def _wins(self, own: int, player: Player, bit: int) -> bool:
        if player is BLACK:
            return super()._wins(own, player, bit)
        return self.model.won_by_white(own)

    def wins_at_once(self, state: Hashable, player: Player) -> bool:
        assert isinstance(state, int)
        if player is BLACK:
            return super().wins_at_once(state, player)
        black, white = self._pieces(state)
        free = self._all & ~(black | white)
        return any(self.model.won_by_white(white | bit) for bit in bits(free))
