"""The walk through all plays of a solution, and the rules that it takes one by one.

The walk goes ply by ply.  A layer has the positions before one ply that go on, each once; the
winner's reply leads on from each of them, or all moves of the other player.  The claim is proved
if each play ends with the winner's win, and that is so within the plies of the game.  Nothing of
the search is imported here (import-linter holds that).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from qsage_validate.errors import InputError, MalformedMoveError
from qsage_validate.games.protocol import Move, Player, Position, TwoPlayerGame
from qsage_validate.solutions.file import SolutionClaim
from qsage_validate.system.limits import NEVER, Deadline, Progress, Tell, nobody

# The walk through all plays of a strategy: every move of the loser, one reply of the winner


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


# Any game, position by position, by the rules as the protocol has them


@dataclass(frozen=True, slots=True)
class _Reached:
    """A position, the index of one before it, and the move between them."""

    position: Position
    origin: int
    move: Move | None


Layer = Sequence[_Reached]
Answers = Sequence["Move | None"]


class PlainRules:
    """The rules of any game; every position is looked at, symmetric ones too."""

    how = "position by position"

    def __init__(self, game: TwoPlayerGame) -> None:
        self.game = game

    def layer(self, position: Position) -> Layer:
        return [_Reached(position, 0, None)]

    def position(self, layer: Layer, index: int, ply: int) -> Position:
        return layer[index].position

    def text(self, position: Position) -> str:
        return str(position)

    def planes(self, layer: Layer) -> None:
        return None

    def texts(self, layer: Layer, ply: int) -> list[str]:
        return [self.text(each.position) for each in layer]

    def origin(self, layer: Layer, index: int) -> tuple[int, Move]:
        reached = layer[index]
        assert reached.move is not None, "not the initial position"
        return reached.origin, reached.move

    def table(self, solution: SolutionClaim) -> Callable[[int, Layer], Answers]:
        moves: dict[str, Move] = {}
        for replies in solution.replies.values():
            for text in replies.values():
                if text not in moves:
                    moves[text] = move_of(solution, text)

        def replies_in(ply: int, layer: Layer) -> Answers:
            own = solution.replies.get(ply, {})
            texts = (own.get(self.text(each.position)) for each in layer)
            return [None if text is None else moves[text] for text in texts]

        return replies_in

    def chosen(self, moves: Sequence[Move], player: Player) -> Answers:
        return moves

    def reply(self, replies: Answers, index: int, player: Player) -> Move | None:
        return replies[index]

    def all_moves(self, layer: Layer, ply: int) -> SolutionStep[Layer]:
        found: dict[Position, _Reached] = {}
        ended = False
        for index, each in enumerate(layer):
            position = each.position
            for move in position.legal_moves():
                after = position.play(move)
                if after.outcome is None:
                    found.setdefault(after, _Reached(after, index, move))
                elif after.outcome.winner is position.to_move:
                    return SolutionStep([], 0, fault=Fault(index, move, after.outcome.reason))
                else:
                    ended = True
        return SolutionStep(list(found.values()), len(found), ended)

    def replied(self, layer: Layer, ply: int, replies: Answers) -> SolutionStep[Layer]:
        found: dict[Position, _Reached] = {}
        ended = False
        for index, (each, move) in enumerate(zip(layer, replies, strict=True)):
            fault = fault_of(each.position, index, move)
            if fault is not None:
                return SolutionStep([], 0, fault=fault)
            assert move is not None, "else there is a fault"
            after = each.position.play(move)
            if after.outcome is None:
                found.setdefault(after, _Reached(after, index, move))
            else:
                ended = True
        return SolutionStep(list(found.values()), len(found), ended)


def move_of(solution: SolutionClaim, text: str) -> Move:
    """The winner's move that a text of a solution means; raises ``InputError``."""
    try:
        return solution.game.parse_move(text, solution.winner)
    except MalformedMoveError as error:
        raise InputError(
            solution.path, None, None, f"a reply that is no move ({error})", "moves of the game"
        ) from None


def fault_of(position: Position, index: int, move: Move | None) -> Fault | None:
    """The reason why a reply breaks the claim at once, if it does."""
    if move is None:
        player = position.to_move
        return Fault(index, None, f"no reply for {player} in {position.board}, ply {position.ply}")
    illegality = position.illegality(move)
    if illegality is not None:
        return Fault(index, None, f"the reply in ply {position.ply} is illegal: {illegality.text}")
    outcome = position.play(move).outcome
    if outcome is not None and outcome.winner is not position.to_move:
        return Fault(index, move, outcome.reason)
    return None
