"""Games in which one piece hunts another one: a pursuer and a fugitive, by their rules alone."""

from __future__ import annotations

from enum import Enum

from qsage_validate.games.bddl.model import Action, Model, SubCondition
from qsage_validate.games.protocol import BoardPicture, Player, Square


class Piece(Enum):
    """The form of a player's pieces; the values are their letters in text, but for stones."""

    STONE = ""
    FUGITIVE = "E"
    PURSUER = "P"


def piece_of(board: BoardPicture, content: Square) -> Piece:
    """The form of the pieces of one colour."""
    if board.pursuer is None or content is Square.OPEN:
        return Piece.STONE
    return Piece.PURSUER if content is _own(board.pursuer) else Piece.FUGITIVE


def said_of(pursuer: Player) -> str:
    """What the players do, with the signs of their pieces."""
    signs = {Player.BLACK: "◆■", Player.WHITE: "◇□"}
    evader = pursuer.other
    flees = f"{evader} evades ({signs[evader][0]}, {Piece.FUGITIVE.value} in text)"
    return f"{flees}, {pursuer} pursues ({signs[pursuer][1]}, {Piece.PURSUER.value} in text)"


def pursuer_of(model: Model) -> Player | None:
    """The player whose only piece may take the other player's only piece.

    ``None`` where a player has more pieces or gets more, and where both or none of them may take.
    """
    begin = sorted(content.value for content, _, _ in model.problem.initial)
    if begin != [Square.BLACK.value, Square.WHITE.value]:
        return None
    actions = {player: model.domain.actions(player) for player in Player}
    if not all(_moves_one(action, player) for player in Player for action in actions[player]):
        return None
    taking = [p for p in Player if any(_may_take(action, p) for action in actions[p])]
    return taking[0] if len(taking) == 1 else None


def _own(player: Player) -> Square:
    return Square(player.value[0].upper())


def _moves_one(action: Action, player: Player) -> bool:
    """True if the player's piece leaves its square, or stays there, and nothing else is put."""
    put = [part for part in action.effect if part.predicate is not Square.OPEN]
    left = [p for p in action.precondition if p.predicate is _own(player) and not p.negated]
    return [part.predicate for part in put] == [_own(player)] and len(left) == 1


def _may_take(action: Action, player: Player) -> bool:
    """True if the piece may come to a square that the other player's piece stands on."""
    own, other = _own(player), _own(player.other)

    def keeps_away(part: SubCondition) -> bool:
        return part.predicate is other if part.negated else part.predicate in (Square.OPEN, own)

    return any(
        effect.predicate is own
        and not any(
            (part.x, part.y) == (effect.x, effect.y) and keeps_away(part)
            for part in action.precondition
        )
        for effect in action.effect
    )
