"""The questions and answers that are tried for a game: the plainest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from qsage_validate.explaining.answers import (
    QUALITIES,
    Answer,
    Exactly,
    From,
    Mirrored,
    Paired,
    Pick,
    Possible,
    bridged,
    mirrored,
)
from qsage_validate.explaining.questions import (
    REGIONS,
    RELATIONS,
    Ahead,
    Apart,
    Beside,
    Kind,
    Last,
    Odd,
    Question,
    Related,
    Stands,
    Threatened,
    Turn,
    Went,
    WentIn,
    WentLike,
    classes_of,
)
from qsage_validate.explaining.situation import places
from qsage_validate.games.protocol import Game, Player, Square, board_maps

# How far from a last move questions look, and answers go.
_NEAR = 2
_FAR = 3
# A text lists no more squares that symmetries exchange; there are no more in a class of a grid.
_MOST_ALIKE = 8


@dataclass(frozen=True)
class Vocabulary:
    """Questions and answers, in the order in which they are preferred."""

    questions: Sequence[Question]
    answers: Sequence[Answer]


def vocabulary_of(
    game: Game,
    hero: Player,
    *,
    lookahead: int = 3,
    extra: Sequence[Question] = (),
    pairs: Paired | None = None,
) -> Vocabulary:
    """The vocabulary of a game, with words that look no more than ``lookahead`` plies ahead.

    ``extra`` are questions of the user's, which come first.
    """
    kinds = {player: _kinds(game, player) for player in (hero, hero.other)}
    picks = tuple(_picks(hero, kinds[hero], lookahead))
    mirrors = tuple(_mirrors(game, hero))
    pairing = () if pairs is None else (pairs,)
    in_bridges = bridged(hero, game.initial.board)
    bridges = () if in_bridges is None else (in_bridges,)
    answers = (
        *(pick for pick in picks if pick.quality == "win" and not pick.last and not pick.kind),
        *pairing,
        *bridges,
        *mirrors,
        *(Exactly(str(move)) for move in game.moves(hero)),
        *_from(hero),
        *picks,
    )
    asked = (
        *extra,
        *(Possible(answer, f"{str(answer)[5:]} can be played") for answer in (*mirrors,)),
        *(
            Possible(
                answer, f"the other square of the pair of {hero.other}'s last move can be played"
            )
            for answer in pairing
        ),
        *(answer.question for answer in bridges),
        *_turns(game, hero),
        *(pick.question for pick in picks if pick.quality == "win" and not pick.last),
        *_questions(game, hero, kinds[hero.other], lookahead),
        *(pick.question for pick in picks if pick.quality != "win" and not pick.last),
    )
    return Vocabulary(asked, tuple(dict.fromkeys(answers)))


def _kinds(game: Game, player: Player) -> list[str]:
    """The kinds of moves of a player."""
    return list(dict.fromkeys(str(move).partition("(")[0] for move in game.moves(player)))


def _picks(hero: Player, kinds: Sequence[str], lookahead: int) -> Iterator[Pick]:
    several = kinds if 1 < len(kinds) <= 12 else []
    for kind in ("", *several):
        for name, quality in QUALITIES.items():
            if quality.lookahead <= lookahead:
                yield Pick(name, kind, hero)
                yield Pick(name, kind, hero, last=True)


def _mirrors(game: Game, hero: Player) -> Iterator[Mirrored]:
    board = game.initial.board
    for name, _ in board_maps(board.width, board.height)[1:]:
        yield mirrored(name, hero, board)


def _from(hero: Player) -> Iterator[From]:
    for theirs in (True, False):
        last = Last(theirs, hero)
        for shift in _shifts(_FAR):
            yield From(last, shift)


def _shifts(most: int) -> list[tuple[int, int]]:
    """The shifts up to so many lines, the nearest first."""
    span = range(-most, most + 1)
    found = [(dx, dy) for dx in span for dy in span if (dx, dy) != (0, 0)]
    return sorted(found, key=lambda s: (abs(s[0]) + abs(s[1]), s))


def _turns(game: Game, hero: Player) -> Iterator[Turn]:
    own = [ply for ply in range(1, game.plies + 1) if game.player_at(ply) is hero]
    for turn, ply in enumerate(own, 1):
        yield Turn(ply, turn, hero)


def _questions(
    game: Game, hero: Player, kinds: Sequence[str], lookahead: int
) -> Iterator[Question]:
    board = game.initial.board
    theirs, ours = Last(True, hero), Last(False, hero)
    squares = places(board)
    if lookahead > 1:
        yield Threatened(hero)
    for place in squares:
        for what in Square:
            yield Stands(place, what, board.square_name(place))
    for region in REGIONS:
        yield WentIn(theirs, region)
    for y in range(1, board.height + 1):
        yield WentIn(theirs, "row", y)
    for x in range(1, board.width + 1):
        yield WentIn(theirs, "column", x)
    for alike in classes_of(game):
        if 1 < len(alike) <= _MOST_ALIKE and len(alike) < len(squares):
            yield WentLike(theirs, alike, tuple(map(board.square_name, alike)))
    for place in squares:
        yield Went(theirs, place, board.square_name(place))
    if len(kinds) > 1:
        yield from (Kind(theirs, kind) for kind in kinds)
    yield from (Related(relation, hero) for relation in RELATIONS)
    yield from (Apart(shift, hero) for shift in _shifts(_NEAR))
    for last in (theirs, ours):
        for shift in _shifts(_NEAR):
            for what in (*Square, None):
                yield Beside(last, shift, what)
    yield Odd()
    for player in (hero, hero.other):
        for by in (1, 2):
            yield Ahead(player, by)
