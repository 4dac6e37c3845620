"""A positional game without what cannot matter, for whoever encodes or searches it."""

from __future__ import annotations

from typing import Final

from qsage_validate.encodings.positional.open_game import prepared, preparing
from qsage_validate.errors import UsageError
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.positional.preprocessing import preprocess
from qsage_validate.games.positional.symmetry import with_first_moves
from qsage_validate.games.protocol import Player

_WHOLE: Final = {
    "sn-httt": "shapes on a whole board",
    "cover": "shapes on a whole board",
    "cover-played": "shapes on a whole board",
    "pairing": "pairs of all positions",
}
"""The encodings whose subject is lost where positions are left out."""


def prepare(model: PositionalModel, encoding: str | None = None) -> PositionalModel:
    """What section 4.1 of Shaik et al. 2023 leaves of a game, with the same winner.

    Winning sets that are complete too late, or contain another one, go; positions that are in none
    any more are White's; positions that are claimed are contracted.  Of Black's first moves
    one of each class under the symmetries of the board is kept, for encodings that ask; first moves
    that the game has already stay as they are.  ``encoding`` is what the game is prepared
    for, ``None`` for a search.

    Raises ``UsageError`` for an encoding that needs the whole board, and for too many winning sets.
    """
    if encoding in _WHOLE:
        raise UsageError(
            f"found --prepare with the encoding {encoding}, which is about {_WHOLE[encoding]}, "
            "expected another encoding"
        )
    if not model.first_moves and model.turns[:1] == (Player.BLACK,):
        model = with_first_moves(model)
    return preprocess(model) if encoding is None else prepared(model, encoding)


def claims_in_time(model: PositionalModel, encoding: str) -> tuple[str, ...]:
    """The open positions of a game, those first that its preparation leaves longest.

    What is left out last may be so because there is time to claim it: White, who wins the
    prepared game, wins the whole one if White claims positions in this order behind it.
    """
    rounds = dict.fromkeys(model.names(model.open), 0)
    for number, left in enumerate(preparing(model, encoding), start=1):
        rounds.update(dict.fromkeys(left.names(left.open), number))
    return tuple(sorted(rounds, key=lambda name: -rounds[name]))


def said(whole: PositionalModel, left: PositionalModel) -> tuple[str, dict[str, object]]:
    """What preparation has left of a game, in a line for people and by keys."""
    parts = [f"{whole.open.bit_count()} open positions, {left.open.bit_count()} left"]
    if whole.black_wins or whole.white_wins:
        before, after = (len(m.black_wins) + len(m.white_wins) for m in (whole, left))
        parts.append(f"{before} winning sets, {after} left")
    if left.first_moves:
        parts.append(f"{left.first_moves.bit_count()} first moves left")
    facts = {"open_positions": whole.open.bit_count(), "positions_left": left.open.bit_count()}
    return f"{whole.name} prepared: {'; '.join(parts)}", dict(facts)
