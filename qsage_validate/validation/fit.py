"""Whether a game is the one that a layout is about."""

from __future__ import annotations

from qsage_validate.encodings.layout.grid import Layout
from qsage_validate.encodings.layout.tables import AnyLayout, TableLayout
from qsage_validate.errors import AmbiguousMoveError, MalformedMoveError, UsageError
from qsage_validate.games.protocol import Game, Player


def check_fit(game: Game, layout: AnyLayout) -> None:
    """Raise ``UsageError`` naming the difference when a game is not the one of a layout."""
    if isinstance(layout, TableLayout):
        _check_tables(game, layout)
    else:
        _check_grid(game, layout)


def has_words_of(game: Game, layout: AnyLayout) -> bool:
    """Whether the moves of a layout are moves of a game.

    Some encodings name moves by what they do in the formula: the rules say nothing of these.
    """
    if not isinstance(layout, TableLayout):
        return True
    tables = {(table.player, table.moves) for table in layout.moves}
    try:
        for player, moves in tables:
            for text in moves:
                _checked(game, text, player, "")
    except UsageError:
        return False
    return True


def _check_tables(game: Game, layout: TableLayout) -> None:
    """The same for tables of moves: players, moves and plies.

    The game may have a last ply that the formula does not need, or any number of White's.  What
    happens there is up to the rules: the opponent makes any legal move, and so does the
    certificate's side.
    """
    source = f"the game {game.name} does not fit the layout ({layout.source})"
    if game.language != layout.game:
        raise UsageError(f"{source}: it is a {game.language} game, expected a {layout.game} game")
    more = range(layout.plies + 1, game.plies + 1)
    idle = len(more) <= 1 or all(game.player_at(ply) is Player.WHITE for ply in more)
    if game.plies < layout.plies or not idle:
        raise UsageError(f"{source}: it has {game.plies} plies, expected {layout.plies}")
    known: dict[Player, set[str]] = {player: set() for player in Player}
    for ply, table in enumerate(layout.moves, start=1):
        player = game.player_at(ply)
        if player is not table.player:
            raise UsageError(f"{source}: {player} makes ply {ply}, expected {table.player}")
        for text in table.moves:
            if text not in known[player]:
                known[player].add(_checked(game, text, player, source))


def _checked(game: Game, text: str, player: Player, source: str) -> str:
    try:
        found = str(game.parse_move(text, player))
    except (MalformedMoveError, AmbiguousMoveError) as error:
        raise UsageError(f"{source}: {error}") from None
    if found != text:
        raise UsageError(f"{source}: its move is {found}, expected {text}")
    return text


def _check_grid(game: Game, layout: Layout) -> None:
    """The same for grids.

    Formulas of even depth may have one ply more than the rules: a last one of Black's with a
    goal that cannot be reached (so Q-sage writes Domineering).
    """
    board = game.initial.board
    source = f"the layout ({layout.source})"
    if (board.width, board.height) != (layout.width, layout.height):
        raise UsageError(
            f"the game {game.name} does not fit {source}: its board is "
            f"{board.width}x{board.height}, expected {layout.width}x{layout.height}"
        )
    if layout.moves and game.first_player is not layout.moves[0].player:
        raise UsageError(
            f"the game {game.name} does not fit {source}: {game.first_player} begins, "
            f"expected {layout.moves[0].player}"
        )
    for ply, variables in enumerate(layout.moves, start=1):
        player = game.player_at(ply)
        if player is not variables.player:
            raise UsageError(
                f"the game {game.name} does not fit {source}: {player} makes ply {ply}, "
                f"expected {variables.player}"
            )
    spare = layout.plies - game.plies
    if spare and not (spare == 1 and layout.moves[-1].player is Player.BLACK):
        raise UsageError(
            f"the game {game.name} does not fit {source}: it has {game.plies} plies, "
            f"expected {layout.plies}"
        )
    for player in Player:
        named = sorted({str(move).partition("(")[0] for move in game.moves(player)})
        expected = sorted(set(layout.actions(player)))
        if named != expected:
            raise UsageError(
                f"the game {game.name} does not fit {source}: the actions of {player} are "
                f"{', '.join(named) or 'none'}, expected {', '.join(expected) or 'none'}"
            )
