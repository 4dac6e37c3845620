"""How long a play lasts: by the certificate's answers to every move, or by a search on rules.

The threats of a position are part of it: moves that would win if the opponent did nothing.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from qsage_validate.arena.lesson import Distance, DistanceSource, Threat
from qsage_validate.arena.strategy_tree import StrategyNode, StrategyTree
from qsage_validate.errors import UndecidedError
from qsage_validate.games.protocol import Kernel, Player, Position, Square, TwoPlayerGame
from qsage_validate.solvers.search.solver import search_for
from qsage_validate.system.limits import Deadline, Limits

# Moves of which threats with two moves are looked for: the cost grows with the square.
_MOST_MOVES = 100


class Threats:
    """The threats in the positions of one game.

    None are known in games without the rules on plain values, and where a turn has several plies.
    """

    def __init__(self, game: TwoPlayerGame) -> None:
        self.game = game
        kernel = game.kernel()
        can_pass = game.skipped(game.initial) is not None
        self._kernel = kernel if can_pass and kernel is not None and kernel.alternates else None

    def of(self, position: Position, player: Player) -> tuple[Threat, ...]:
        """The threats of ``player``, those that win at once first; else those of two moves.

        Where the player is to move they are what the player can do now.
        """
        kernel = self._kernel
        if kernel is None or position.outcome is not None:
            return ()
        turn = position if position.to_move is player else self.game.skipped(position)
        if turn is None or turn.outcome is not None:
            return ()
        state = kernel.state(turn)
        after = kernel.successors(state, player)
        found = [number for number, _, won in after if won]
        moves = 1
        left = self.game.plies - turn.ply + 1
        if not found and left >= 3 and len(after) <= _MOST_MOVES:
            found = [n for n, state, _ in after if self._unstoppable(kernel, state, player)]
            moves = 2
        return tuple(self._threat(turn, kernel, number, moves) for number in found)

    def wins(self, position: Position, player: Player) -> tuple[Threat, ...]:
        """The threats that would win at once."""
        return tuple(threat for threat in self.of(position, player) if threat.moves == 1)

    def cannot_stop(self, position: Position) -> bool:
        """True if each move of the player to move leaves the other one a move that wins at once."""
        kernel = self._kernel
        if kernel is None or position.outcome is not None:
            return False
        left = self.game.plies - position.ply + 1
        other = position.to_move.other
        return left >= 2 and self._unstoppable(kernel, kernel.state(position), other)

    @staticmethod
    def _unstoppable(kernel: Kernel, state: Hashable, player: Player) -> bool:
        """True if ``player`` wins by the next own move, whatever the opponent answers before it."""
        if not kernel.wins_at_once(state, player):
            return False
        answers = kernel.successors(state, player.other)
        return bool(answers) and all(
            not won and kernel.wins_at_once(after, player) for _, after, won in answers
        )

    def _threat(self, turn: Position, kernel: Kernel, number: int, moves: int) -> Threat:
        player = turn.to_move
        move = kernel.move(number, player)
        before, after = turn.board, turn.play(move).board
        changed = before.differences(after)
        own = Square.BLACK if player is Player.BLACK else Square.WHITE
        taken = [square for square in changed if after[square] is own]
        return Threat(player, str(move), moves, tuple(taken or changed))


# Nodes of the tree that are looked at for one distance, unless told otherwise.
NODES = 20_000


class TreeDistances:
    """Distances by the answers of a certificate, exact, from the tree of its strategy.

    ``nodes`` are looked at, at most, for each of them.
    """

    def __init__(self, tree: StrategyTree, nodes: int = NODES) -> None:
        self.tree = tree
        self._nodes = nodes

    def distance(self, node: StrategyNode, deadline: Deadline) -> Distance | None:
        """The distance at a node; ``None`` where a limit was hit."""
        return self._of(node, node, deadline)

    def grades(self, node: StrategyNode, deadline: Deadline) -> Mapping[str, Distance | None]:
        """The distance after each of the opponent's moves, counted from before it."""
        if node.ended:
            return {}
        children = self.tree.children(node)
        return {str(child.move): self._of(child, node, deadline) for child in children}

    def _of(self, node: StrategyNode, since: StrategyNode, deadline: Deadline) -> Distance | None:
        explored = self.tree.explore(node, self._nodes, cancelled=lambda: deadline.over)
        reach = explored.reach(node)
        if reach is None:
            return None
        if not reach.kept:
            return Distance(None, None, DistanceSource.CERTIFICATE)
        plies = reach.plies - since.state.plies
        known = Distance(self.tree.player, plies, DistanceSource.CERTIFICATE)
        return known if reach.complete else None


class SearchDistances:
    """Distances by a search on the rules: who can win, and in how few plies Black can.

    That White cannot move is seen at White's ply, which counts.
    """

    def __init__(self, game: TwoPlayerGame) -> None:
        self._solver = search_for(game)

    def distance(self, position: Position, deadline: Deadline) -> Distance | None:
        """The distance in a position; ``None`` where a limit was hit."""
        if deadline.over:
            return None  # which a short search would not notice
        self._solver.limits = Limits(deadline)
        try:
            plies = self._solver.critical_plies(position)
        except UndecidedError:
            return None
        return Distance(
            Player.WHITE if plies is None else Player.BLACK, plies, DistanceSource.SEARCH
        )

    def grades(self, position: Position, deadline: Deadline) -> Mapping[str, Distance | None]:
        """The distance after each legal move, counted from before it."""
        moves = position.legal_moves()
        return {str(move): self.after(position.play(move), deadline) for move in moves}

    def after(self, position: Position, deadline: Deadline) -> Distance | None:
        """The distance in a position, counted from before the ply that led to it."""
        found = self.distance(position, deadline)
        if found is None or found.plies is None:
            return found
        return Distance(found.winner, found.plies + 1, DistanceSource.SEARCH)
