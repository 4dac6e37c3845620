"""Any game, position by position, by the rules as the protocol has them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from qsage_validate.errors import InputError, MalformedMoveError
from qsage_validate.games.protocol import Move, Player, Position, TwoPlayerGame
from qsage_validate.solutions.file import SolutionClaim
from qsage_validate.solutions.walk import Fault, SolutionStep


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
