"""The test if a game is the one that a layout is about."""

from __future__ import annotations

from qsage_validate.encodings.layout import ANY_GAME, Layout
from qsage_validate.errors import AmbiguousMoveError, MalformedMoveError, UsageError, counted
from qsage_validate.games.protocol import Player, TwoPlayerGame


def check_fit(game: TwoPlayerGame, layout: Layout) -> None:
    """Raise ``UsageError`` naming the difference when a game is not the one of a layout."""
    source = f"the game {game.name} does not fit the layout ({layout.source})"
    if layout.state.is_board:
        _check_board(game, layout, source)
        _check_players(game, layout, source)
        _check_fewer(game, layout, source)
        _check_actions(game, layout, source)
        return
    if layout.game not in (ANY_GAME, game.language):
        raise UsageError(f"{source}: it is a {game.language} game, expected a {layout.game} game")
    _check_more(game, layout, source)
    _check_players(game, layout, source)
    for player, texts in _texts(layout).items():
        for text in texts:
            _checked(game, text, player, source)


def foreign_move(game: TwoPlayerGame, layout: Layout) -> str | None:
    """A move of a layout that is no move of a game; ``None`` where there is none.

    Some encodings name moves by what they do in the formula: the rules say nothing of these.
    """
    if layout.actions:
        return None
    for player, texts in _texts(layout).items():
        for text in texts:
            try:
                _checked(game, text, player, "")
            except UsageError:
                return text
    return None


def _texts(layout: Layout) -> dict[Player, dict[str, None]]:
    """The texts of each player's moves, without repetitions."""
    return {
        player: dict.fromkeys(
            text
            for ply in layout.of(player)
            for text in ply.moves
            if text not in ply.coding.no_moves
        )
        for player in Player
    }


def _checked(game: TwoPlayerGame, text: str, player: Player, source: str) -> None:
    try:
        found = str(game.parse_move(text, player))
    except (MalformedMoveError, AmbiguousMoveError) as error:
        raise UsageError(f"{source}: {error}") from None
    if found != text:
        raise UsageError(f"{source}: its move is {found}, expected {text}")


def _check_players(game: TwoPlayerGame, layout: Layout, source: str) -> None:
    for ply, own in enumerate(layout.moves, start=1):
        player = game.player_at(ply)
        if player is not own.player:
            raise UsageError(f"{source}: {player} makes ply {ply}, expected {own.player}")


def _check_more(game: TwoPlayerGame, layout: Layout, source: str) -> None:
    """The game may have a last ply that the formula does not need, or any number of White's.

    The rules decide there: the opponent makes any legal move, and so does the certificate's side.
    """
    more = range(layout.plies + 1, game.plies + 1)
    idle = len(more) <= 1 or all(game.player_at(ply) is Player.WHITE for ply in more)
    if game.plies < layout.plies or not idle:
        raise UsageError(f"{source}: it has {counted(game.plies, 'ply')}, expected {layout.plies}")


def _check_fewer(game: TwoPlayerGame, layout: Layout, source: str) -> None:
    """Formulas of even depth may have one ply more than the rules.

    This is a last ply of Black's with a goal that cannot be reached (Q-sage writes Domineering
    this way).
    """
    spare = layout.plies - game.plies
    if spare and not (spare == 1 and layout.moves[-1].player is Player.BLACK):
        raise UsageError(f"{source}: it has {counted(game.plies, 'ply')}, expected {layout.plies}")


def _check_board(game: TwoPlayerGame, layout: Layout, source: str) -> None:
    board, (width, height) = game.initial.board, layout.state.size
    if (board.width, board.height) != (width, height):
        raise UsageError(
            f"{source}: its board is {board.width}x{board.height}, expected {width}x{height}"
        )
    if layout.moves and game.first_player is not layout.moves[0].player:
        raise UsageError(f"{source}: {game.first_player} begins, expected {layout.moves[0].player}")


def _check_actions(game: TwoPlayerGame, layout: Layout, source: str) -> None:
    for player, actions in layout.actions.items():
        named = sorted({str(move).partition("(")[0] for move in game.moves(player)})
        expected = sorted(set(actions))
        if named != expected:
            raise UsageError(
                f"{source}: the actions of {player} are "
                f"{', '.join(named) or 'none'}, expected {', '.join(expected) or 'none'}"
            )
