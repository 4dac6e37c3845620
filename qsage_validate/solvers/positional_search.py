"""The engine for positional games, and for games on a grid that are such.

It answers as the general search does, by what holds in positional games only: threats
and zones, pairing strategies, the sum of Erdős and Selfridge, and for maker-maker games the
maker-breaker game of Black's sets (``maker_breaker`` and ``maker_maker``).  Black's stones are
counted instead of plies, for nothing happens in White's last ply.

In games of connection a search in machine code may tell who wins on the full board
(``extensions/fast/engine.py``), once the one in Python takes long.

For grid games that are positional see :mod:`qsage_validate.games.bddl.kernel`.  The winning
sets of a connection game are its chains, and are searched like those of a network.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from qsage_validate.errors import UsageError
from qsage_validate.games.bddl.kernel import as_positional
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.kernel import Kernel, State
from qsage_validate.games.library.catalogue import name_of
from qsage_validate.games.masks import minimal
from qsage_validate.games.positional.model import (
    Arrangement,
    CanonicalKeys,
    PositionalModel,
    alternating,
    key_symmetries,
    without_dead_sets,
    without_long_sets,
)
from qsage_validate.games.protocol import Player
from qsage_validate.solvers.maker_breaker import MakerBreaker, WinningSets
from qsage_validate.solvers.search_engine import (
    NEVER,
    NOT_WITHIN,
    WIN,
    ManyReplies,
    SearchEngine,
    unwatched,
)

if TYPE_CHECKING:
    from qsage_validate.games.positional.rules import PositionalGame
    from qsage_validate.solvers.maker_maker import MakerMaker


# Search made for positional games in which the players claim one position a turn


BLACK, WHITE = Player.BLACK, Player.WHITE

MOST_SETS = 5_000
"""With more winning sets, listing and moving them costs more than the search gains."""

# How often the clock is looked at: a node takes longer than one of the general search.
_TICK = 256


class FullBoard(Protocol):
    """The winner if a position is played until the board is full."""

    @property
    def nodes(self) -> int:
        """The number of positions that were visited."""
        ...

    @property
    def positions(self) -> int: ...

    def black_wins(self, black: int, white: int, player: Player) -> bool: ...

    def known(self, black: int, white: int, player: Player) -> bool | None:
        """The answer if the table has the position, else ``None``; nothing is searched."""
        ...


class _LongError(Exception):
    """The search in Python has looked at as many nodes as it should."""


class SearchStage(Protocol):
    """The search of full boards that begins after some nodes of the one in Python."""

    def after(self) -> int:
        """The number of these nodes."""
        ...

    def make(self, watch: Callable[[], None]) -> FullBoard:
        """The search, which calls ``watch`` now and then."""
        ...


class _GeneralSearch:
    """The general search of a game: loaded for the first position that is left to it."""

    def __init__(self, game: Callable[[], PositionalGame | BddlGame]) -> None:
        self._make = game
        self._begun: SearchEngine | None = None
        self._watch = unwatched

    @cached_property
    def game(self) -> PositionalGame | BddlGame:
        return self._make()

    @property
    def engine(self) -> SearchEngine:
        if self._begun is None:
            from qsage_validate.solvers.general_search import Bounds

            self._begun = Bounds(self.game)
            self._begun.watch = self._watch
        return self._begun

    @property
    def watch(self) -> Callable[[], None]:
        return self._watch

    @watch.setter
    def watch(self, watch: Callable[[], None]) -> None:
        self._watch = watch
        if self._begun is not None:
            self._begun.watch = watch

    @property
    def nodes(self) -> int:
        return 0 if self._begun is None else self._begun.nodes

    @property
    def positions(self) -> int:
        return 0 if self._begun is None else self._begun.positions


class PositionalEngine:
    """The search of one positional game with its tables (a ``SearchEngine``).

    Positions that do not arise from the first stones are left to the general search, of ``game``
    where that is there already.  ``stage`` is for games of connection.  Raises ``UsageError`` for
    games with turns of several stones, and for more than ``MOST_SETS`` winning sets or minimal
    ways of a network, unless there is a stage that begins some time.
    """

    many: ManyReplies | None = None
    replaces = False

    def __init__(
        self,
        model: PositionalModel,
        stage: SearchStage | None = None,
        game: PositionalGame | None = None,
    ) -> None:
        self._stage = stage
        self._last: int | None = None
        self._full_board: FullBoard | None = None
        if not model.alternates:
            raise UsageError(f"{name_of(model)}: found turns of several stones, expected of one")
        self._model = model
        self._size = len(model.positions)
        self._general = _GeneralSearch(lambda: game or _rules_of(model))
        self._looked_at = 0
        self.for_ever = False
        try:
            self._by_sets: MakerBreaker | MakerMaker | None = self._search_of_sets(model)
        except UsageError:
            if stage is None or stage.after() == sys.maxsize:
                raise
            self._by_sets = None

    def _search_of_sets(self, model: PositionalModel) -> MakerBreaker | MakerMaker:
        # The sets that the first stones leave, and that the stones of the play are enough for.
        listed = model
        if model.network is not None:
            from qsage_validate.games.positional.hex import with_winning_sets

            listed = with_winning_sets(model, MOST_SETS)
        short = without_long_sets(without_dead_sets(listed))
        if max(len(short.black_wins), len(short.white_wins)) > MOST_SETS:
            raise UsageError(f"{name_of(model)}: found more than {MOST_SETS:,} winning sets")
        arrangement = Arrangement.of(model.positions, hexagons=model.hexagons)
        keys = CanonicalKeys(self._size, key_symmetries(short, arrangement))
        # Left out are sets that more stones could complete: what holds for ever holds without them.
        self.for_ever = model.network is None and len(short.black_wins) >= len(
            without_dead_sets(model).black_wins
        )
        sets = WinningSets(minimal(short.black_wins), self._size)
        if not short.white_wins:
            return MakerBreaker(sets, keys, self._count)
        from qsage_validate.solvers.maker_maker import MakerMaker

        whites = WinningSets(minimal(short.white_wins), self._size)
        return MakerMaker(sets, whites, keys, self._count)

    @property
    def kernel(self) -> Kernel:
        return self._general.game.kernel()

    @property
    def at_once(self) -> bool:
        """In a game of connection the winner is known before the critical depth."""
        return self._stage is not None

    @property
    def deepens(self) -> bool:
        """Until full boards are searched."""
        return self._full_board is None

    @property
    def watch(self) -> Callable[[], None]:
        """Called every so many nodes, by both searches."""
        return self._general.watch

    @watch.setter
    def watch(self, watch: Callable[[], None]) -> None:
        self._general.watch = watch

    @property
    def nodes(self) -> int:
        """The number of positions that were visited."""
        full_board = self._full_board.nodes if self._full_board else 0
        return self._looked_at + full_board + self._general.nodes

    @property
    def name(self) -> str:
        """``"compiled"`` once machine code has searched full boards."""
        return "pure" if self._full_board is None else "compiled"

    @property
    def positions(self) -> int:
        full_board = self._full_board.positions if self._full_board else 0
        by_sets = self._by_sets.positions if self._by_sets else 0
        return by_sets + full_board + self._general.positions

    def _watched(self) -> None:
        self.watch()

    def _count(self) -> None:
        self._looked_at += 1
        if not self._looked_at & (_TICK - 1):
            self._watched()
        if self._stage is not None and self._full_board is None:
            if self._last is None:
                self._last = self._stage.after()
            if self._looked_at > self._last:
                raise _LongError

    def frames(self, plies: int) -> int:
        """A ply may take a step of each of the searches that are made of one another."""
        return 4 * plies + 400

    def depths(self, player: Player, last: int) -> Iterator[int]:
        """The depths at which the player has one stone more than at the depth before, and the last.

        Another ply of the opponent's changes no answer.
        """
        for plies in range(1, last + 1):
            if plies == last or _stones(player, plies) != _stones(player, plies - 1):
                yield plies

    def _fits(self, state: State, stones: int) -> bool:
        """True if a position arises from the first stones, as the sets at hand expect."""
        model = self._model
        black, white = self._pieces(state)
        placed = (black & ~model.black).bit_count(), (white & ~model.white).bit_count()
        kept = not model.black & ~black and not model.white & ~white
        return (
            kept
            and placed[0] + stones <= model.moves_of(BLACK)
            and placed[1] + stones <= model.moves_of(WHITE) + 1
        )

    def _pieces(self, state: State) -> tuple[int, int]:
        assert isinstance(state, int)
        return state & self._model.all, state >> self._size

    def search(self, state: State, player: Player, plies: int) -> int:
        """``WIN``, ``NOT_WITHIN`` so many plies or ``NEVER``."""
        stones = _stones(player, plies)
        if not self._fits(state, stones):
            return self._general.engine.search(state, player, plies)
        if not stones:
            return NOT_WITHIN
        black, white = self._pieces(state)
        by_sets = self._by_sets
        if self._full_board is None and by_sets is not None:
            try:
                return _search_sets(by_sets, black, white, player, stones)
            except _LongError:
                pass
        if not self._full_boards.black_wins(black, white, player):
            return NEVER
        if self._fills(black | white, player, plies):
            return WIN
        if by_sets is None:
            return self._general.engine.search(state, player, plies)
        return _search_sets(by_sets, black, white, player, stones)

    @property
    def _full_boards(self) -> FullBoard:
        if self._full_board is None:
            assert self._stage is not None, "the search of sets is there where no other one is"
            self._full_board = self._stage.make(self._watched)
        return self._full_board

    def _fills(self, claimed: int, player: Player, plies: int) -> bool:
        """True if so many plies are all that Black has on the board."""
        return _stones(player, plies) >= _stones(player, self._size - claimed.bit_count())

    def known(self, state: State, player: Player, plies: int) -> bool | None:
        """True if Black wins within so many plies; ``None`` if the tables do not tell."""
        stones = _stones(player, plies)
        if not self._fits(state, stones):
            return self._general.engine.known(state, player, plies)
        black, white = self._pieces(state)
        if self._full_board is not None:
            wins = self._full_board.known(black, white, player)
            if wins is False or (wins and self._fills(black | white, player, plies)):
                return wins
        if self._by_sets is None:
            return self._general.engine.known(state, player, plies)
        return self._by_sets.known(black, white, stones, blacks_turn=player is BLACK)

    def hint(self, state: State, player: Player, plies: int) -> int | None:
        """The number of a move that decided a search; ``None`` when none is known."""
        stones = _stones(player, plies)
        if not self._fits(state, stones) or self._by_sets is None:
            return None
        black, white = self._pieces(state)
        hint = self._by_sets.hint(black, white, stones, blacks_turn=player is BLACK)
        return hint.bit_length() - 1 if hint else None


def _rules_of(model: PositionalModel) -> PositionalGame:
    from qsage_validate.games.positional.rules import PositionalGame

    return PositionalGame(model)


def _stones(player: Player, plies: int) -> int:
    """The number of Black's plies among the next ``plies``."""
    return (plies + 1) // 2 if player is BLACK else plies // 2


def _search_sets(
    by_sets: MakerBreaker | MakerMaker, black: int, white: int, player: Player, stones: int
) -> int:
    return min(by_sets.search(black, white, stones, blacks_turn=player is BLACK), WIN)


# Grid games that are positional, in the search that is made for these


def positional_model_of(game: BddlGame) -> PositionalModel:
    """The positional game that a grid game is; position k is square k of the grounding.

    Raises ``UsageError`` for a game that is not positional, that begins with a goal reached (a
    positional game has ended then, a grid game has not), or in which White may lose because the
    board is full (a positional game is White's then).
    """
    model = _up_to_the_full_board(game)
    if game.plies > model.open.bit_count() and _stuck(model.open, game.first_player) is WHITE:
        raise UsageError(f"{game.name}: White cannot move on the full board, and loses")
    return model


def _stuck(free: int, player: Player) -> Player:
    """The player who is to move on the full board, if nobody wins before; ``free`` are open."""
    return player.other if free.bit_count() % 2 else player


def _up_to_the_full_board(game: BddlGame) -> PositionalModel:
    if not game.grounding.is_positional:
        raise UsageError(f"{game.name} is no positional game")
    model = as_positional(game.grounding)
    if any(game.grounding.wins(game.grounding.initial, player) for player in Player):
        raise UsageError(f"{game.name}: found a goal that is reached at the beginning")
    return model


def _reversed(model: PositionalModel, plies: int, first: Player) -> PositionalModel:
    """The game with the colours exchanged: does White win within so many plies?"""
    return replace(
        model,
        turns=alternating(plies, first.other),
        black_wins=model.white_wins,
        white_wins=model.black_wins,
        black=model.white,
        white=model.black,
    )


StageOf = Callable[[PositionalModel], SearchStage | None]


def _no_stage(model: PositionalModel) -> None: ...


class GridEngine:
    """The search of a positional game for a grid game (a ``SearchEngine``).

    Who loses on a full board is White: then Black wins if White does not, which the same search
    tells with the colours exchanged.  Raises ``UsageError`` for a game that is not positional,
    begins with a goal reached, or has too many winning sets.
    """

    many: ManyReplies | None = None
    replaces = False

    def __init__(self, game: BddlGame, stage: StageOf = _no_stage) -> None:
        model = _up_to_the_full_board(game)
        self._inner = PositionalEngine(model, stage(model))
        free, first = model.open.bit_count(), game.first_player
        self._beyond = game.plies > free and _stuck(model.open, first) is WHITE
        self._white: PositionalEngine | None = None
        if model.white_wins and self._beyond:
            self._white = PositionalEngine(_reversed(model, free, first))
        self._general = _GeneralSearch(lambda: game)
        reverse = [] if self._white is None else [self._white]
        self._engines: list[PositionalEngine | _GeneralSearch]
        self._engines = [self._inner, self._general, *reverse]
        grounding = game.grounding
        self._size = grounding.squares
        self._planes = (1 << 2 * self._size) - 1
        self._whites = bool(model.white_wins)
        # With more plies White may lose on the full board.
        stuck = _stuck(model.open, game.first_player)
        self.for_ever = self._inner.for_ever and stuck is BLACK
        # The plane of occupied squares, which an action changes whoever moves.
        self._numbers = {
            player: {
                (action.put >> 2 * self._size).bit_length() - 1: action.number
                for action in grounding.actions[player]
            }
            for player in Player
        }

    @property
    def kernel(self) -> Kernel:
        return self._general.game.kernel()

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def at_once(self) -> bool:
        return self._inner.at_once

    @property
    def deepens(self) -> bool:
        return self._inner.deepens

    @property
    def watch(self) -> Callable[[], None]:
        """Called every so many nodes, by all searches."""
        return self._inner.watch

    @watch.setter
    def watch(self, watch: Callable[[], None]) -> None:
        for engine in self._engines:
            engine.watch = watch

    @property
    def nodes(self) -> int:
        """The number of positions that were visited."""
        return sum(engine.nodes for engine in self._engines)

    @property
    def positions(self) -> int:
        return sum(engine.positions for engine in self._engines)

    def frames(self, plies: int) -> int:
        """As many as the search of positional games takes: more than the general one."""
        return self._inner.frames(plies)

    def depths(self, player: Player, last: int) -> Iterable[int]:
        """The depths of the positional game; all depths where the full board may decide."""
        return range(1, last + 1) if self._beyond else self._inner.depths(player, last)

    def search(self, state: State, player: Player, plies: int) -> int:
        """``WIN``, ``NOT_WITHIN`` so many plies or ``NEVER``."""
        free = self._free(state)
        if plies <= free.bit_count() or _stuck(free, player) is BLACK:
            within = min(plies, free.bit_count())
            result = self._inner.search(self._state(state), player, within)
            # What Black does not reach on the board may come when it is full.
            return max(result, NOT_WITHIN) if self._beyond else result
        if self._white is None:
            # White has no goal, or the position is of a longer game.
            return self._general.engine.search(state, player, plies) if self._whites else WIN
        loses = self._white.search(self._mirrored(state), player.other, free.bit_count())
        return NEVER if loses == WIN else WIN

    def known(self, state: State, player: Player, plies: int) -> bool | None:
        """True if Black wins within so many plies; ``None`` if the tables do not tell."""
        free = self._free(state)
        if plies <= free.bit_count() or _stuck(free, player) is BLACK:
            return self._inner.known(self._state(state), player, min(plies, free.bit_count()))
        if self._white is None:
            return self._general.engine.known(state, player, plies) if self._whites else True
        loses = self._white.known(self._mirrored(state), player.other, free.bit_count())
        return None if loses is None else not loses

    def hint(self, state: State, player: Player, plies: int) -> int | None:
        """The number of a move that decided a search; ``None`` when none is known."""
        free = self._free(state)
        if plies > free.bit_count() and _stuck(free, player) is WHITE:
            return None
        within = min(plies, free.bit_count())
        square = self._inner.hint(self._state(state), player, within)
        return None if square is None else self._numbers[player][square]

    def _free(self, state: State) -> int:
        """The open squares."""
        assert isinstance(state, int)
        return ~(state >> 2 * self._size) & (1 << self._size) - 1

    def _state(self, state: State) -> int:
        assert isinstance(state, int)
        return state & self._planes

    def _mirrored(self, state: State) -> int:
        """The state of the game with the colours exchanged."""
        black, white = self._state(state) & (1 << self._size) - 1, self._state(state) >> self._size
        return white | black << self._size
