"""From a game to its explanation: search, vocabulary, learning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from qsage_validate.encodings.encoding import Encoding
from qsage_validate.errors import UndecidedError, UsageError
from qsage_validate.explaining.explanation import Explanation
from qsage_validate.explaining.finding import EFFORT, Finder, Winning
from qsage_validate.explaining.pairs import pairs_of
from qsage_validate.explaining.questions import Question
from qsage_validate.explaining.vocabulary import vocabulary_of
from qsage_validate.games.protocol import Game, Player
from qsage_validate.solvers.search.solver import search_for
from qsage_validate.system.clock import Stopwatch
from qsage_validate.system.limits import Limits
from qsage_validate.system.progress import Progress, Tell, nobody

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
    questions: Callable[[Game, Player], Sequence[Question]] = lambda game, hero: ()
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
    game: Game,
    encoded: Encoding | None,
    options: ExplainOptions = ExplainOptions(),
    *,
    hero: Player | None = None,
    tell: Tell = nobody,
) -> Explanation:
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
    return Explanation(
        game,
        winner,
        found,
        options.lookahead,
        watch.seconds,
        options.depth_limit,
        options.max_nodes,
    )
