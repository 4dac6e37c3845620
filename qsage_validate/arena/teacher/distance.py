"""How long a play lasts: by the certificate's answers to every move, or by a search on rules.

The threats of a position are part of it: moves that would win if the opponent did nothing.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from string import ascii_lowercase, ascii_uppercase

from qsage_validate.arena.strategy_tree import Node, StrategyTree
from qsage_validate.errors import UndecidedError
from qsage_validate.games.protocol import Game, Kernel, Player, Position, Square, plies_text
from qsage_validate.solvers.search.solver import search_for
from qsage_validate.strategies.readings import SquareXY
from qsage_validate.system.limits import Deadline, Limits

# Moves of which threats with two moves are looked for: the cost grows with the square.
_MOST_MOVES = 100
# Moves that a sentence names.
_LISTED = 4


@dataclass(frozen=True, slots=True)
class Threat:
    """A move of ``player`` that would win if the opponent passed now.

    ``moves`` is 1 where it reaches the goal, and 2 where any answer to it leaves a move that does.
    ``squares`` are those that it takes, or else changes.
    """

    player: Player
    move: str
    moves: int
    squares: tuple[SquareXY, ...]

    @property
    def text(self) -> str:
        """``occupy(2,3) would win``."""
        if self.moves == 1:
            return f"{self.move} would win"
        return f"{self.move} would win with one move more, whatever is answered"


class Threats:
    """The threats in the positions of one game.

    None are known in games without the rules on plain values, and where a turn has several plies.
    """

    def __init__(self, game: Game) -> None:
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


def letters_of_threats(threats: Iterable[Threat]) -> dict[SquareXY, str]:
    """A letter for each threat, on its squares: capitals for those that win at once."""
    letters: dict[SquareXY, str] = {}
    for number, threat in enumerate(threats):
        signs = ascii_uppercase if threat.moves == 1 else ascii_lowercase
        for square in threat.squares:
            letters.setdefault(square, signs[number % len(signs)])
    return letters


def threats_text(threats: tuple[Threat, ...]) -> str:
    """``Black threatens to win by occupy(2,3) or occupy(3,3)``; empty without threats."""
    if not threats:
        return ""
    moves = or_list([threat.move for threat in threats])
    first = threats[0]
    if first.moves == 1:
        return f"{first.player} threatens to win by {moves}"
    return f"{first.player} threatens to win in two moves, beginning with {moves}"


def or_list(items: Sequence[str]) -> str:
    """``a, b or c``; of very many only the first."""
    return _list(items, "or")


def and_list(items: Sequence[str]) -> str:
    """``a, b and c``; of very many only the first."""
    return _list(items, "and")


def _list(items: Sequence[str], word: str) -> str:
    shown = list(items)
    if len(shown) > _LISTED:
        shown = [*shown[: _LISTED - 1], f"{len(shown) - _LISTED + 1} others"]
    return f" {word} ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:])))


# Nodes of the tree that are looked at for one distance, unless told otherwise.
NODES = 20_000


class Source(Enum):
    """The source of a distance."""

    CERTIFICATE = "the certificate's answers"
    SEARCH = "the search"


@dataclass(frozen=True, slots=True)
class Distance:
    """The end of a play from some moment on.

    By the certificate's answers ``winner`` wins each play that may follow, within ``plies`` more
    plies, and one of them takes so many.  By the search ``winner`` can win, Black within
    ``plies`` however White plays; ``plies`` is ``None`` where White wins.  ``winner`` is ``None``
    where some play is not won as promised.
    """

    winner: Player | None
    plies: int | None
    source: Source

    @property
    def short(self) -> str:
        """The same where there is little room: ``Black wins within 3 plies``."""
        return self.text.replace(" more ", " ").removesuffix(", by the search")

    @property
    def text(self) -> str:
        """``Black wins within 3 more plies``."""
        if self.winner is None:
            return "Not every play from here is won as promised"
        more = "" if self.plies is None else _more(self.plies)
        if self.source is Source.SEARCH:
            return f"{self.winner} can win{f' within {more}' if more else ''}, by the search"
        if self.winner is Player.BLACK:
            return f"Black wins within {more}"
        return f"White holds out: the play ends within {more}"


def _more(plies: int) -> str:
    return plies_text(plies).replace(" ", " more ", 1)


@dataclass(frozen=True)
class Grades:
    """The moves of the player to move by the distance after each; ``None``: not known.

    ``player`` is to move.  Distances count from before the move on.  ``alike`` are moves that do
    what another one does, which is named in their place.
    """

    player: Player
    distances: Mapping[str, Distance | None]
    alike: frozenset[str] = frozenset()

    @property
    def known(self) -> bool:
        """True if every move's distance is known, so that the longest can be told."""
        return bool(self.distances) and None not in self.distances.values()

    @property
    def lost(self) -> bool:
        """True if every move is known to lose."""
        all_known = [d for d in self.distances.values() if d is not None]
        return self.known and all(d.winner is self.player.other for d in all_known)

    @property
    def best(self) -> tuple[str, ...]:
        """The moves that win or, where all lose, those that last longest; none if not known."""
        if not self.known:
            return ()
        longest = max(map(self._rank, self.distances.values()))
        return tuple(m for m, d in self.distances.items() if self._rank(d) == longest)

    def short(self, move: str) -> int | None:
        """The plies by which a move loses sooner than the longest; 0 for the best moves.

        ``None`` where that is not known, or where another move does not lose.
        """
        distance = self.distances.get(move)
        if not self.known or distance is None:
            return None
        best = self.best
        longest = self.distances[best[0]]
        if move in best:
            return 0
        if not self.lost or longest is None or longest.plies is None or distance.plies is None:
            return None
        return longest.plies - distance.plies

    def _rank(self, distance: Distance | None) -> tuple[bool, int]:
        assert distance is not None, "all are known"
        plies = distance.plies or 0
        wins = distance.winner is not self.player.other
        return wins, -plies if wins else plies

    @property
    def text(self) -> str:
        """Which moves last longest, and that all lose where they do."""
        if not self.known:
            return "How long each move lasts is not known within the limits"
        first = self.distances[self.best[0]]
        best = [move for move in self.best if move not in self.alike]
        kinds = len(self.distances) - len(self.alike)
        assert first is not None, "all are known"
        if not self.lost:
            return f"By {first.source.value} {and_list(best)} {_verb(best, 'does', 'do')} not lose"
        if first.plies is None:
            return "All moves lose" if kinds > 1 else "The only move loses"
        longest = _more(first.plies)
        if kinds == 1:
            return f"The only move loses within {longest}"
        if len(best) == kinds:
            return f"All moves lose within {longest}: none lasts longer than another"
        return f"All moves lose; {and_list(best)} {_verb(best, 'lasts', 'last')} longest: {longest}"


def _verb(items: list[str], one: str, many: str) -> str:
    return one if len(items) == 1 else many


class TreeDistances:
    """Distances by the answers of a certificate, exact, from the tree of its strategy.

    ``nodes`` are looked at, at most, for each of them.
    """

    def __init__(self, tree: StrategyTree, nodes: int = NODES) -> None:
        self.tree = tree
        self._nodes = nodes

    def distance(self, node: Node, deadline: Deadline) -> Distance | None:
        """The distance at a node; ``None`` where a limit was hit."""
        return self._of(node, node, deadline)

    def grades(self, node: Node, deadline: Deadline) -> Mapping[str, Distance | None]:
        """The distance after each of the opponent's moves, counted from before it."""
        if node.ended:
            return {}
        children = self.tree.children(node)
        return {str(child.move): self._of(child, node, deadline) for child in children}

    def _of(self, node: Node, since: Node, deadline: Deadline) -> Distance | None:
        explored = self.tree.explore(node, self._nodes, cancelled=lambda: deadline.over)
        reach = explored.reach(node)
        if reach is None:
            return None
        if not reach.kept:
            return Distance(None, None, Source.CERTIFICATE)
        plies = reach.plies - since.state.plies
        known = Distance(self.tree.player, plies, Source.CERTIFICATE)
        return known if reach.complete else None


class SearchDistances:
    """Distances by a search on the rules: who can win, and in how few plies Black can.

    That White cannot move is seen at White's ply, which counts.
    """

    def __init__(self, game: Game) -> None:
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
        return Distance(Player.WHITE if plies is None else Player.BLACK, plies, Source.SEARCH)

    def grades(self, position: Position, deadline: Deadline) -> Mapping[str, Distance | None]:
        """The distance after each legal move, counted from before it."""
        moves = position.legal_moves()
        return {str(move): self.after(position.play(move), deadline) for move in moves}

    def after(self, position: Position, deadline: Deadline) -> Distance | None:
        """The distance in a position, counted from before the ply that led to it."""
        found = self.distance(position, deadline)
        if found is None or found.plies is None:
            return found
        return Distance(found.winner, found.plies + 1, Source.SEARCH)
