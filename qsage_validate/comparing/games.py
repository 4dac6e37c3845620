"""A game beside the same game in another language, position by position."""

from __future__ import annotations

from collections.abc import Iterator

from qsage_validate.games.conversion import Conversion, conversion
from qsage_validate.games.languages import load_game
from qsage_validate.games.model_text import GameModel
from qsage_validate.games.protocol import Move, Outcome, Position


def walk(first: GameModel, second: GameModel, most: int) -> tuple[int, bool]:
    """Compare two games position by position; how many there were, and whether these are all.

    ``second`` is ``first`` converted.  After ``most`` positions the walk ends.  Raises
    ``AssertionError`` for a position with other moves, another end or another winner.
    """
    way = conversion(first.language, second.language)
    assert way is not None, "the second game was converted"
    games = load_game(first), load_game(second)
    seen = {games[0].initial}
    waiting: list[tuple[Position, Position]] = [(games[0].initial, games[1].initial)]
    while waiting:
        here, there = waiting.pop()
        for move, after in _pairs(way, first, here, there):
            position = here.after(move)
            if position not in seen:
                if len(seen) >= most:
                    return len(seen), False
                seen.add(position)
                waiting.append((position, after))
    return len(seen), True


def _pairs(
    way: Conversion, model: GameModel, here: Position, there: Position
) -> Iterator[tuple[Move, Position]]:
    """Each move with the position behind it in the second game, once both agree."""
    ends = _winner(here.outcome), _winner(there.outcome)
    if ends[0] != ends[1]:
        raise AssertionError(f"{here}: {ends[0]} in one game, {ends[1]} in the other")
    behind = dict(_behind(there, way.plies))
    words = {move: way.said(model, move, here.to_move) for move in here.legal_moves()}
    if set(words.values()) != behind.keys():
        found = ", ".join(" ".join(w) for w in sorted(set(words.values()) ^ behind.keys()))
        raise AssertionError(f"{here}: moves of one game only: {found}")
    for move, own in words.items():
        yield move, behind[own]


def _winner(outcome: Outcome | None) -> str:
    return "nobody has won" if outcome is None else f"{outcome.winner} has won"


def _behind(position: Position, plies: int) -> Iterator[tuple[tuple[str, ...], Position]]:
    """What can be played in so many plies."""
    for move in position.legal_moves():
        after = position.after(move)
        if plies == 1:
            yield (str(move),), after
            continue
        for said, behind in _behind(after, plies - 1):
            yield (str(move), *said), behind
