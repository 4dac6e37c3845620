"""From a game to its explanation: search, vocabulary, learning.

Pairs of squares by which a player wins from the start are an answer of explanations (Hales and
Jewett 1963): where each winning set of Black's contains one of some disjoint pairs, White answers
in the pair that Black plays in.  Black's pairs, behind a first stone, are those of which any choice
completes a set.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from qsage_validate.encodings.encoding import Encoding
from qsage_validate.errors import UndecidedError, UsageError
from qsage_validate.extensions.explain.answers import Paired, vocabulary_of
from qsage_validate.extensions.explain.explanation import ExplainedProgram
from qsage_validate.extensions.explain.finding import EFFORT, Finder, Winning
from qsage_validate.extensions.explain.questions import Question
from qsage_validate.extensions.explain.situation import Place, places
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.positional.pairing import Pairing, PairingFinder, maker_pairing
from qsage_validate.games.positional.paths import with_winning_sets
from qsage_validate.games.protocol import Player, TwoPlayerGame
from qsage_validate.solvers.search.solver import search_for
from qsage_validate.system.clock import Stopwatch
from qsage_validate.system.limits import Limits
from qsage_validate.system.progress import Progress, Tell, nobody

_CONFLICTS: Final = 20_000
_MOST_SETS: Final = 5_000


def _positional(game: Any) -> tuple[PositionalModel, list[Place]]:
    return game.model, list(game.arrangement.squares)


def _grid(game: Any) -> tuple[PositionalModel, list[Place]]:
    from qsage_validate.solvers.search.positional.grid_games import positional_model_of

    return positional_model_of(game), places(game.initial.board)


_MODELS: Final[Mapping[str, Callable[[TwoPlayerGame], tuple[PositionalModel, list[Place]]]]] = {
    "positional": _positional,
    "bddl": _grid,
}
"""By language the positional model of a game, with the square of each position."""


def _white_pairs(model: PositionalModel) -> Pairing | None:
    return PairingFinder(model).find(model.black, model.white, conflicts=_CONFLICTS)


def _black_pairs(model: PositionalModel) -> Pairing | None:
    begins = model.turns[0] is Player.BLACK
    listed = with_winning_sets(model, _MOST_SETS)
    found = maker_pairing(listed, model.black, model.white, begins=begins)
    if found is None or not found.pairing.pairs:
        return None
    # A shorter play ends before all pairs are answered.
    stones = len(found.pairing.pairs) + int(begins)
    return found.pairing if stones <= model.moves_of(Player.BLACK) else None


_FINDERS: Final = {Player.WHITE: _white_pairs, Player.BLACK: _black_pairs}


def pairs_of(game: TwoPlayerGame, hero: Player) -> Paired | None:
    """A player's pairs in the initial position; ``None`` where none are found soon."""
    model_of = _MODELS.get(game.language)
    if model_of is None:
        return None
    try:
        model, squares = model_of(game)
        found = _FINDERS[hero](model) if model.turns else None
    except UsageError:
        # No positional game, or one whose winning sets are not listed.
        return None
    if found is None:
        return None
    board = game.initial.board
    partners: dict[Place, Place] = {}
    for one, other in found.pairs:
        partners |= {squares[one]: squares[other], squares[other]: squares[one]}
    names = (
        (board.square_name(squares[one]), board.square_name(squares[other]))
        for one, other in found.pairs
    )
    return Paired(partners, hero, tuple(names))


LOOKAHEAD: Final = 3

# A position of a program with its moves, as measured on CPython.
_BYTES_A_SITUATION: Final = 12_000


@dataclass(frozen=True, slots=True)
class ExplainOptions:
    """Options of an explanation.

    ``lookahead`` is how many plies the words may look ahead, ``effort`` the conflicts of the SAT
    solver for a proof that no smaller tree wins, ``questions`` gives the user's own for a game and
    its winner; the positions of ``limits`` are those of the program's plays, and programs that meet
    more are tried by SAT where their winner is one of ``by_sat``.
    """

    limits: Limits = Limits(positions=50_000)  # noqa: RUF009 (frozen)
    lookahead: int = LOOKAHEAD
    effort: int = EFFORT
    questions: Callable[[TwoPlayerGame, Player], Sequence[Question]] = lambda game, hero: ()
    depth_limit: int | None = None
    max_nodes: int | None = None
    by_sat: frozenset[Player] = frozenset(Player)


def _positions(limits: Limits) -> int | None:
    """How many positions of a program are looked at one by one: as many as the memory has room."""
    if limits.memory_mb is None:
        return limits.positions
    room = max(1, limits.memory_mb * 1_000_000 // _BYTES_A_SITUATION)
    return room if limits.positions is None else min(room, limits.positions)


def explain(
    game: TwoPlayerGame,
    encoded: Encoding | None,
    options: ExplainOptions = ExplainOptions(),
    *,
    hero: Player | None = None,
    tell: Tell = nobody,
) -> ExplainedProgram:
    """The smallest program by which the winner of ``game`` wins.

    ``encoded`` is the formula that it will be proved of, which may leave out first moves; ``hero``
    the player who is said to win.  Raises ``UndecidedError`` at a limit, ``UsageError`` where
    ``hero`` does not win or no move is made.
    """
    watch = Stopwatch()
    tell(Progress("search"))
    limits = options.limits
    search = search_for(game, limits=Limits(limits.deadline, limits.memory_mb), tell=tell)
    result = search.solve()
    winner = result.winner
    if winner is None:
        raise UndecidedError(result.reason)
    if hero is not None and hero is not winner:
        raise UsageError(
            f"found a strategy of {hero}'s for {game.name}, which {winner} wins: {result.reason}"
        )
    if game.initial.outcome is not None:
        raise UsageError(
            f"{game.name}: the play is over before the first move, nothing is to explain"
        )
    first_moves = None
    if encoded is not None and game.first_player is winner and encoded.layout.moves:
        first_moves = frozenset(encoded.layout.moves[0].moves)
    winning = Winning(winner, lambda position: search.winner(position) is winner, first_moves)
    words = vocabulary_of(
        game,
        winner,
        lookahead=options.lookahead,
        extra=options.questions(game, winner),
        pairs=pairs_of(game, winner),
    )
    finder = Finder(
        game,
        winner,
        words,
        winning,
        deadline=limits.deadline,
        effort=options.effort,
        positions=_positions(limits),
        by_sat=winner in options.by_sat,
        tell=tell,
    )
    found = finder.run()
    return ExplainedProgram(
        game,
        winner,
        found,
        options.lookahead,
        watch.seconds,
        options.depth_limit,
        options.max_nodes,
    )
