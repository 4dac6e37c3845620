"""The first plies of a game as a graph, whose last positions, the frontier, are searched apart.

Each position has bounds: Black wins within ``win`` plies, and does not within ``lose``.  The
bounds of the frontier come from searches; those before it follow from them.  Which position of
the frontier is searched next is told by proof numbers (Allis, van der Meulen and van den Herik
1994): a position where the winner moves needs one successor, where the loser moves all.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Set
from dataclasses import dataclass, field
from math import inf
from typing import Final

from qsage_validate.games.protocol import ALWAYS, Kernel, Player, State
from qsage_validate.solvers.search.search_engine import NEVER, NOT_WITHIN, WIN

BLACK, WHITE = Player.BLACK, Player.WHITE

Path = tuple[str, ...]
"""The moves that lead to a position; one way to it, where there are several."""

_BETWEEN: Final = "; "


def text_of(path: Path) -> str:
    return _BETWEEN.join(path)


def path_of(text: str) -> Path:
    return tuple(text.split(_BETWEEN)) if text else ()


@dataclass(slots=True, eq=False)
class FrontierNode:
    """A position of the graph; ``after`` is empty on the frontier and where play has ended."""

    state: State
    player: Player
    path: Path
    after: list[FrontierNode] = field(default_factory=list)
    win: int = ALWAYS
    lose: int = 0
    proof: float = 1
    disproof: float = 1

    def result(self, plies: int) -> int | None:
        """The result of a search of so many plies, where the bounds tell it."""
        if plies >= self.win:
            return WIN
        if plies <= self.lose:
            return NEVER if self.lose == ALWAYS else NOT_WITHIN
        return None

    def learn(self, plies: int, result: int) -> None:
        """Take the result of a search of so many plies."""
        if result == WIN:
            self.win = min(self.win, plies)
        else:
            self.lose = max(self.lose, plies if result == NOT_WITHIN else ALWAYS)

    def follow(self) -> None:
        """Take what follows from the bounds of the positions after this one."""
        choose_win, choose_lose = (min, min) if self.player is BLACK else (max, max)
        win = choose_win(node.win for node in self.after)
        lose = choose_lose(node.lose for node in self.after)
        self.win = min(self.win, win if win == ALWAYS else win + 1)
        self.lose = max(self.lose, lose if lose == ALWAYS else lose + 1)


class Frontier:
    """The graph of the first plies: as many as are ``wanted``, or give so many positions."""

    def __init__(
        self, kernel: Kernel, first_player: Player, most: int, enough: int, wanted: int | None
    ) -> None:
        self._kernel = kernel
        self.root = FrontierNode(kernel.initial, first_player, ())
        self._look(self.root)
        self._layers = [[self.root]]
        while self.depth < (most if wanted is None else min(wanted, most)):
            layer = self._next_layer()
            if not layer:
                break
            self._layers.append(layer)
            if wanted is None and len(layer) >= enough:
                break
        self._by_path = {node.path: node for layer in self._layers for node in layer}
        self._by_state = {
            (depth, node.player, kernel.key(node.state)): node
            for depth, layer in enumerate(self._layers)
            for node in layer
        }
        self.follow()

    @property
    def depth(self) -> int:
        """The number of plies before the frontier."""
        return len(self._layers) - 1

    @property
    def last(self) -> list[FrontierNode]:
        return self._layers[-1]

    @property
    def positions(self) -> int:
        return sum(map(len, self._layers))

    def find(self, path: Path) -> FrontierNode | None:
        """The position that a path leads to, where it is the path of one."""
        return self._by_path.get(path)

    def known(self, state: State, player: Player, plies: int) -> int | None:
        """The result for a state, if a position of the graph tells."""
        key = self._kernel.key(state)
        for depth in range(len(self._layers)):
            node = self._by_state.get((depth, player, key))
            if node is not None and (result := node.result(plies)) is not None:
                return result
        return None

    def _next_layer(self) -> list[FrontierNode]:
        """The positions after those of the last layer, symmetric ones once."""
        found: dict[Hashable, FrontierNode] = {}
        kernel = self._kernel
        for node in self._layers[-1]:
            if node.win <= 1 or node.lose == ALWAYS:
                continue
            for number, state, _ in kernel.successors(node.state, node.player):
                player = node.player.other if kernel.alternates else kernel.player_to_move(state)
                key = player, kernel.key(state)
                if key not in found:
                    path = (*node.path, str(kernel.move(number, node.player)))
                    found[key] = FrontierNode(state, player, path)
                    self._look(found[key])
                node.after.append(found[key])
        return list(found.values())

    def _look(self, node: FrontierNode) -> None:
        """The bounds that need no search, as :mod:`..bounds` has them."""
        kernel, black = self._kernel, node.player is BLACK
        if kernel.wins_at_once(node.state, node.player):
            node.learn(1, WIN if black else NEVER)
        elif not kernel.successors(node.state, node.player):
            node.learn(1, NEVER if black else WIN)
        else:
            node.lose = 1
            bounds = kernel.bounds(node.state, node.player)
            if bounds is not None:
                node.win, node.lose = bounds[0], max(1, bounds[1])

    def follow(self) -> None:
        """Bring the bounds of all positions up to those of the frontier."""
        for layer in reversed(self._layers):
            for node in layer:
                if node.after:
                    node.follow()

    def number(self, plies: int, tries: Mapping[Path, int]) -> None:
        """Set the proof numbers for a search of so many plies from the first position.

        A position of the frontier counts the more, the more searches of it came to no end.
        """
        for depth in range(self.depth, -1, -1):
            for node in self._layers[depth]:
                result = node.result(plies - depth)
                if result is not None:
                    node.proof, node.disproof = (0, inf) if result == WIN else (inf, 0)
                elif not node.after:
                    node.proof = node.disproof = 2 ** tries.get(node.path, 0)
                else:
                    proofs = [after.proof for after in node.after]
                    disproofs = [after.disproof for after in node.after]
                    black = node.player is BLACK
                    node.proof = min(proofs) if black else sum(proofs)
                    node.disproof = sum(disproofs) if black else min(disproofs)

    def urgent(self, plies: int, taken: Set[Path]) -> FrontierNode | None:
        """The most urgent position of the frontier that is open and not taken, if there is one."""
        seen: set[int] = set()

        def search(node: FrontierNode, depth: int) -> FrontierNode | None:
            if id(node) in seen or node.result(plies - depth) is not None:
                return None
            seen.add(id(node))
            if not node.after:
                return None if node.path in taken else node
            black = node.player is BLACK
            for after in sorted(node.after, key=lambda a: a.proof if black else a.disproof):
                found = search(after, depth + 1)
                if found is not None:
                    return found
            return None

        return search(self.root, 0)
