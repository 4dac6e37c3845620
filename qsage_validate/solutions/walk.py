"""The walk through all plays of a strategy: every move of the loser, one reply of the winner.

The walk goes ply by ply.  A layer has the positions before one ply that go on, each once; the
winner's reply leads on from each of them, or all moves of the other player.  The claim is proved
if each play ends with the winner's win, and that is so within the plies of the game.  Nothing of
the search is imported here (import-linter holds that).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from qsage_validate.games.protocol import Move, Player, Position, TwoPlayerGame
from qsage_validate.solutions.file import SolutionClaim
from qsage_validate.system.limits import NEVER, Deadline
from qsage_validate.system.progress import Progress, Tell, nobody

L = TypeVar("L")
A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class Fault:
    """The fault in the position ``index`` of a layer: a ``move``, or its lack."""

    index: int
    move: Move | None
    reason: str


@dataclass(frozen=True, slots=True)
class SolutionStep(Generic[L]):
    """The result of one ply: the ``size`` positions that go on, or what breaks the claim.

    ``ended`` says that some play has ended, with the win that was claimed.
    """

    layer: L
    size: int
    ended: bool = False
    fault: Fault | None = None


class LayerRules(Protocol[L, A]):
    """The rules on layers of positions.

    A layer remembers for each of its positions how it was reached from the layer before.
    ``A`` are the winner's replies in a layer, in the order of its positions.
    """

    @property
    def game(self) -> TwoPlayerGame:
        """The game whose rules they are."""
        ...

    @property
    def how(self) -> str:
        """How the rules are executed, in words."""
        ...

    def layer(self, position: Position) -> L:
        """The layer that has one position and no predecessors."""
        ...

    def position(self, layer: L, index: int, ply: int) -> Position:
        """A position of a layer."""
        ...

    def text(self, position: Position) -> str:
        """The text of a position, as solution files have it."""
        ...

    def planes(self, layer: L) -> tuple[Any, Any] | None:
        """The black and the white squares of all positions, where these are arrays."""
        ...

    def texts(self, layer: L, ply: int) -> list[str]:
        """The texts of all positions of a layer."""
        ...

    def origin(self, layer: L, index: int) -> tuple[int, Move]:
        """The index of a position in the layer before, and the move that leads from there."""
        ...

    def table(self, solution: SolutionClaim) -> Callable[[int, L], A]:
        """The replies of a solution, looked up by ply and layer.

        Raises ``InputError`` for texts that are no positions or no moves of the game.
        """
        ...

    def chosen(self, moves: Sequence[Move], player: Player) -> A:
        """These replies of a player in a layer."""
        ...

    def reply(self, replies: A, index: int, player: Player) -> Move | None:
        """The reply of ``player`` in a position of a layer, legal or not."""
        ...

    def all_moves(self, layer: L, ply: int) -> SolutionStep[L]:
        """All moves of the player of a ply, who is not to win."""
        ...

    def replied(self, layer: L, ply: int, replies: A) -> SolutionStep[L]:
        """The replies of the player of a ply, who is to win."""
        ...


@dataclass(frozen=True, slots=True)
class SolutionRefuted:
    """A play that breaks a claim: its moves, and why it does."""

    moves: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Walked:
    """The result of a walk: ``refuted`` is ``None`` where the claim is proved.

    ``positions`` were met, each once; in ``replies`` of them the winner is to move.
    ``longest`` is the number of plies of the longest play.
    """

    positions: int
    replies: int
    longest: int
    refuted: SolutionRefuted | None = None


def walk(
    rules: LayerRules[L, A],
    winner: Player,
    replies: Callable[[int, L], A],
    *,
    deadline: Deadline = NEVER,
    tell: Tell = nobody,
) -> Walked:
    """Walk through all plays in which ``winner`` plays ``replies``, asked for by ply and layer.

    Raises ``UndecidedError`` at the deadline.
    """
    game = rules.game
    outcome = game.initial.outcome
    if outcome is not None:
        fault = None if outcome.winner is winner else SolutionRefuted((), outcome.reason)
        return Walked(1, 0, 0, fault)
    layers, size = [rules.layer(game.initial)], 1
    positions = own = longest = 0
    for ply in range(1, game.plies + 1):
        if not size:
            break
        deadline.check(f"the plays were walked through ({positions:,} positions)")
        tell(Progress("walking", f"ply {ply}, {positions:,} positions", ply, game.plies))
        layer = layers[-1]
        positions += size
        if game.player_at(ply) is winner:
            own += size
            step = rules.replied(layer, ply, replies(ply, layer))
        else:
            step = rules.all_moves(layer, ply)
        if step.fault is not None:
            moves = _way(rules, layers, step.fault)
            return Walked(positions, own, longest, SolutionRefuted(moves, step.fault.reason))
        if step.ended:
            longest = ply
        layers.append(step.layer)
        size = step.size
    return Walked(positions, own, longest)


def _way(rules: LayerRules[L, A], layers: Sequence[L], fault: Fault) -> tuple[str, ...]:
    """The moves to the position of a fault, and the one that breaks the claim."""
    moves = [] if fault.move is None else [fault.move]
    index = fault.index
    for layer in reversed(layers[1:]):
        index, move = rules.origin(layer, index)
        moves.append(move)
    return tuple(str(move) for move in reversed(moves))
