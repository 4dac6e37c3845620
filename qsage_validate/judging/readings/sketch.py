"""What the finder of readings knows of a game: who moves, which moves there are, some plays."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final

from qsage_validate.errors import UsageError
from qsage_validate.games.protocol import Player, TwoPlayerGame
from qsage_validate.judging.simulator import GameValues, Simulator, simulator_of
from qsage_validate.system.limits import NEVER, Deadline

PLAYS: Final = 60
"""The plays that readings are screened by: half of them won by each player, where there are."""
_TRIES: Final = 4000
_MOST_MOVES: Final = 4096

_GRID: Final = re.compile(r"([^\s(]*)\((\d{1,4}),(\d{1,4})\)")
_SQUARE: Final = re.compile(r"([a-z])(\d{1,3})")


@dataclass(frozen=True, slots=True)
class SketchedPlay:
    """A play to its end, with the winner."""

    moves: tuple[str, ...]
    black_wins: bool


@dataclass(frozen=True, slots=True)
class Parts:
    """A move as an action on a square, both coordinates from 0."""

    action: str
    x: int
    y: int


@dataclass(frozen=True)
class Sketch:
    """A game as the finder sees it.

    ``movers`` has the player of each ply that some play came to, ``choices`` the largest number of
    legal moves that was seen there.  ``moves`` are each player's moves in the game's own
    order, ``seen`` those that some play has made legal; ``open_moves`` those that are legal for
    somebody in the first position.
    """

    name: str
    movers: tuple[Player, ...]
    choices: tuple[int, ...]
    moves: Mapping[Player, tuple[str, ...]]
    open_moves: frozenset[str]
    plays: tuple[SketchedPlay, ...]
    simulator: Simulator
    rates: tuple[Mapping[str, float], ...] = ()
    """For each ply, how often Black wins after a move there, in random plays."""

    @property
    def without_last_whites(self) -> Sketch:
        """The same plays for formulas that leave out White's moves behind Black's last one."""
        last = max(
            (k for k, mover in enumerate(self.movers, 1) if mover is Player.BLACK), default=0
        )
        return self if last == len(self.movers) else replace(self, movers=self.movers[:last])

    @property
    def plies(self) -> int:
        """The largest number of plies of a play."""
        return len(self.movers)

    def with_plies(self, game: TwoPlayerGame) -> Sketch:
        """The sketch with all plies that the rules count, those too that no play comes to."""
        more = range(self.plies + 1, game.plies + 1)
        return replace(
            self,
            movers=(*self.movers, *map(game.player_at, more)),
            rates=(*self.rates, *({} for _ in more)),
        )

    def parts(self, player: Player) -> dict[str, Parts] | None:
        """Each move as an action on a square; ``None`` where some move is no such thing."""
        found: dict[str, Parts] = {}
        for move in self.moves[player]:
            parts = parts_of(move)
            if parts is None:
                return None
            found[move] = parts
        return found


def parts_of(move: str) -> Parts | None:
    """The action and the square of ``occupy(2,3)`` or ``b3``; ``None`` for other texts."""
    match = _GRID.fullmatch(move)
    if match is not None:
        return Parts(match[1], int(match[2]) - 1, int(match[3]) - 1)
    match = _SQUARE.fullmatch(move)
    return None if match is None else Parts("", ord(match[1]) - ord("a"), int(match[2]) - 1)


def sketch_of(
    game: TwoPlayerGame | Simulator,
    *,
    seed: int = 1,
    plays: int = PLAYS,
    deadline: Deadline = NEVER,
) -> Sketch:
    """Play at random, and take plays of both winners, the longer ones first.

    Raises ``UsageError`` where the player who makes a ply depends on the play.
    """
    simulator: Simulator = simulator_of(game) if isinstance(game, TwoPlayerGame) else game
    values = GameValues(simulator, deadline=deadline)
    rng = Random(seed)
    movers: dict[int, Player] = {}
    choices: dict[int, int] = {}
    seen: dict[Player, dict[str, None]] = {player: {} for player in Player}
    found: dict[bool, dict[tuple[str, ...], None]] = {True: {}, False: {}}
    counts: list[dict[str, list[int]]] = []
    for _ in range(_TRIES):
        moves, winner = _random_play(values, rng, movers, choices, seen)
        for k, move in enumerate(moves):
            if k == len(counts):
                counts.append({})
            count = counts[k].setdefault(move, [0, 0])
            count[0] += winner is Player.BLACK
            count[1] += 1
        found[winner is Player.BLACK].setdefault(moves)
        if min(map(len, found.values())) >= 4 * plays or deadline.over:
            break
    chosen = [_some(found[won], plays // 2, rng) for won in (True, False)]
    mixed = [
        SketchedPlay(moves, won) for pair in _zipped(chosen[0], chosen[1]) for won, moves in pair
    ]
    start = simulator.start()
    at_start = set(values.legal(start))
    if isinstance(game, TwoPlayerGame):
        own = {player: tuple(map(str, game.moves(player))) for player in Player}
        other = game.passed(game.initial)
        if other is not None and other.outcome is None:
            at_start |= {str(move) for move in other.legal_moves()}
    else:
        own = {player: tuple(texts) for player, texts in seen.items()}
    return Sketch(
        name=game.name if isinstance(game, TwoPlayerGame) else type(simulator).__name__,
        movers=tuple(movers[k] for k in range(len(movers))),
        choices=tuple(choices[k] for k in range(len(choices))),
        moves={player: texts[:_MOST_MOVES] for player, texts in own.items()},
        open_moves=frozenset(at_start),
        plays=tuple(mixed),
        simulator=simulator,
        rates=tuple({m: won / n for m, (won, n) in count.items()} for count in counts),
    )


def _random_play(
    values: GameValues,
    rng: Random,
    movers: dict[int, Player],
    choices: dict[int, int],
    seen: Mapping[Player, dict[str, None]],
) -> tuple[tuple[str, ...], Player]:
    state: Any = values.simulator.start()
    moves: list[str] = []
    while True:
        winner = values.ended(state, len(moves))
        if winner is not None:
            return tuple(moves), winner
        player = values.simulator.to_move(state)
        if movers.setdefault(len(moves), player) is not player:
            raise UsageError(
                f"found ply {len(moves) + 1} made by either player, expected a game in which the "
                "number of the ply says who moves"
            )
        legal = values.legal(state)
        choices[len(moves)] = max(len(legal), choices.get(len(moves), 0))
        for move in legal:
            seen[player].setdefault(move)
        moves.append(rng.choice(legal))
        state = values.simulator.play(state, moves[-1])


def _some(plays: Iterable[tuple[str, ...]], count: int, rng: Random) -> list[tuple[str, ...]]:
    """Some plays: those of full length first, for the formula's values after them are quick."""
    mixed = list(plays)
    rng.shuffle(mixed)
    return sorted(mixed, key=len, reverse=True)[:count]


def _zipped(
    black: Sequence[tuple[str, ...]], white: Sequence[tuple[str, ...]]
) -> list[list[tuple[bool, tuple[str, ...]]]]:
    """Plays of both winners by turns."""
    longest = max(len(black), len(white))
    return [
        [(won, plays[k]) for won, plays in ((True, black), (False, white)) if k < len(plays)]
        for k in range(longest)
    ]
