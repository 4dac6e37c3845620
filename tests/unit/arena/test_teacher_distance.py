"""Distances and grades, against every play of the certificate and every play by the rules."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from qsage_validate.arena.lesson import Distance, DistanceSource, Grades
from qsage_validate.arena.strategy_tree import StrategyTree
from qsage_validate.errors import UsageError
from qsage_validate.extensions.teaching.drill import (
    SearchDistances,
    StrategyTeacher,
    TreeDistances,
)
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import Player, Position, TwoPlayerGame
from qsage_validate.play.match import PlayMatch
from qsage_validate.system.limits import NEVER, Deadline
from tests.support.plays import (
    BREAKTHROUGH,
    CONNECT,
    DOMINEERING,
    DOMINO,
    EL,
    HELD,
    certified,
    match_for,
    model_of,
    play_engine_for,
    with_function,
)

GAMES = [DOMINO, EL, CONNECT, BREAKTHROUGH, HELD, DOMINEERING]
BLACK, WHITE = Player.BLACK, Player.WHITE


@cache
def teacher_for(
    words: tuple[str, ...], *, rules: bool = True, tree: bool = True
) -> StrategyTeacher:
    """The teacher of a game's certificate; its tree is simulated, while matches ask SAT."""
    made = certified(words)
    game = load_game(made.encoding.model)
    play_engine = play_engine_for(made.encoding, made.certificate, game, simulate=True)
    known = StrategyTree(play_engine) if tree else None
    return StrategyTeacher(made.certificate.kind.player, known, game if rules else None)


def longest(match: PlayMatch) -> int:
    """The plies of the longest play from here, by playing all of them."""
    if match.over:
        return 0
    found = []
    before = match.frame.ply
    for move in match.legal_moves():
        match.push(move)
        found.append(match.frame.ply - before + longest(match))
        match.undo()
    return max(found)


def moments(match: PlayMatch, depth: int) -> Iterator[PlayMatch]:
    """The match at every moment up to ``depth`` rounds on."""
    yield match
    if depth and not match.over:
        for move in match.legal_moves():
            match.push(move)
            yield from moments(match, depth - 1)
            match.undo()


@pytest.mark.parametrize("words", GAMES, ids=str)
def test_distances_and_grades_are_those_of_all_plays(words: tuple[str, ...]) -> None:
    teacher, seen = teacher_for(words), 0
    for match in moments(match_for(words), 1):
        lesson = teacher.lesson(match.frames, NEVER)
        assert lesson.distance == Distance(
            match.facts.certificate_player, longest(match), DistanceSource.CERTIFICATE
        )
        before = match.frame.ply
        lasts: dict[str, int] = {}
        for move in () if match.over else match.legal_moves():
            match.push(move)
            lasts[str(move)] = match.frame.ply - before + longest(match)
            match.undo()
        grades = lesson.grades
        assert {m: d.plies for m, d in grades.distances.items() if d is not None} == lasts
        if lasts:
            assert grades.lost
            assert set(grades.best) == {m for m, n in lasts.items() if n == max(lasts.values())}
            for text, plies in lasts.items():
                assert grades.short(text) == max(lasts.values()) - plies
            seen += 1
    assert seen


@cache
def fewest(game: TwoPlayerGame, position: Position) -> int | None:
    """The plies in which Black wins, by trying everything; ``None`` where White does not lose."""
    outcome = position.outcome
    if outcome is not None:
        return int(outcome.stuck) if outcome.winner is BLACK else None
    after = [fewest(game, position.play(move)) for move in position.legal_moves()]
    won = [plies for plies in after if plies is not None]
    if position.to_move is BLACK:
        return min(won) + 1 if won else None
    return max(won) + 1 if len(won) == len(after) else None


@pytest.mark.parametrize("words", [DOMINO, EL, BREAKTHROUGH, HELD, CONNECT], ids=str)
def test_without_a_tree_the_search_tells(words: tuple[str, ...]) -> None:
    game = load_game(model_of(words))
    teacher = teacher_for(words, tree=False)
    for match in moments(match_for(words), 1):
        lesson, position = teacher.lesson(match.frames, NEVER), match.frame.position
        assert position is not None
        assert lesson.distance is not None
        plies = fewest(game, position)
        winner = WHITE if plies is None else BLACK
        assert lesson.distance == Distance(winner, plies, DistanceSource.SEARCH)
        for move in position.legal_moves():
            known = lesson.grades.distances[str(move)]
            assert known is not None
            after = fewest(game, position.play(move))
            assert known.plies == (None if after is None else after + 1)


def test_a_limit_leaves_a_distance_unknown() -> None:
    made = certified(EL)
    game = load_game(made.encoding.model)
    tree = StrategyTree(play_engine_for(made.encoding, made.certificate, game, simulate=True))
    few = TreeDistances(tree, nodes=3)
    assert few.distance(tree.root, NEVER) is None
    assert set(few.grades(tree.root, NEVER).values()) == {None}
    # With the search the same is known.
    teacher = StrategyTeacher(BLACK, None, game)
    match = match_for(EL)
    assert teacher.lesson(match.frames, Deadline.after(0.0)).distance is None
    assert not teacher.lesson(match.frames, Deadline.after(0.0)).grades.known
    called_off = Deadline(called_off=lambda: True)
    assert SearchDistances(game).distance(game.initial, called_off) is None
    assert TreeDistances(tree).distance(tree.root, called_off) is None
    assert TreeDistances(tree).distance(tree.root, NEVER) is not None


def test_where_the_certificate_does_not_win_that_is_said() -> None:
    made = certified(EL)
    game = load_game(made.encoding.model)
    # After the first move it is always the same one: most plays are lost.
    bad = made.certificate
    for variable in list(bad.functions)[6:]:
        bad = with_function(bad, variable, 0)
    tree = StrategyTree(play_engine_for(made.encoding, bad, game, simulate=True))
    distance = TreeDistances(tree).distance(tree.root, NEVER)
    assert distance is not None
    assert distance.winner is None
    assert distance.text == "Not every play from here is won as promised"


def lost(plies: int | None) -> Distance:
    return Distance(BLACK, plies, DistanceSource.CERTIFICATE)


@pytest.mark.parametrize(
    ("distances", "text"),
    [
        ({"a": lost(2), "b": lost(4)}, "All moves lose; b lasts longest: 4 more plies"),
        ({"a": lost(4), "b": lost(4), "c": lost(2)}, "All moves lose; a and b last longest: 4 mor"),
        ({"a": lost(1), "b": lost(1)}, "All moves lose within 1 more ply: none lasts longer"),
        ({"a": lost(2)}, "The only move loses within 2 more plies"),
        ({"a": lost(2), "b": None}, "How long each move lasts is not known within the limits"),
        (
            {"a": lost(2), "b": Distance(WHITE, None, DistanceSource.SEARCH)},
            "By the search b does not lose",
        ),
    ],
)
def test_grades_in_words(distances: dict[str, Distance | None], text: str) -> None:
    assert Grades(WHITE, distances).text.startswith(text)


def test_moves_that_do_the_same_are_named_once() -> None:
    grades = teacher_for(CONNECT).lesson(match_for(CONNECT).frames).grades
    assert grades.alike
    assert not any(move in grades.text for move in grades.alike)


@pytest.mark.parametrize("words", [EL, BREAKTHROUGH, HELD], ids=str)
def test_another_move_is_compared_by_the_rules(words: tuple[str, ...]) -> None:
    game, teacher = load_game(model_of(words)), teacher_for(words)
    match = match_for(words)
    if match.frame.ply == 0:
        match.push(match.legal_moves()[0])
    before, reply = match.frames[-2].position, match.frames[-1].position
    assert before is not None
    assert reply is not None
    moves = teacher.alternatives(match.frames)
    assert {*moves, str(match.frame.move)} == set(map(str, before.legal_moves()))
    hero = teacher.player
    for move in moves:
        found = teacher.compare(match.frames, move, NEVER)
        plies = fewest(game, before.play(game.parse_move(move, hero)))
        assert found.distance == Distance(
            WHITE if plies is None else BLACK, plies, DistanceSource.SEARCH
        )
        best = fewest(game, reply)
        assert found.best == Distance(WHITE if best is None else BLACK, best, DistanceSource.SEARCH)
        assert found.own is not None
        assert found.own.plies == longest(match)
        wins = found.distance.winner is hero
        assert ("still wins" in found.text) is wins
        assert ("loses the win" in found.text) is not wins
    with pytest.raises(UsageError, match="expected one of"):
        teacher.compare(match.frames, str(match.frame.move))
    with pytest.raises(UsageError, match="no reply whose rules are known"):
        teacher_for(words, rules=False).compare(match.frames, moves[0])


def test_ghosts_are_the_replies_that_come() -> None:
    for words in (EL, BREAKTHROUGH, HELD):
        match = match_for(words)
        ghosts = teacher_for(words).lesson(match.frames).ghosts
        for move in match.legal_moves():
            frames = match.push(move)
            if len(frames) == 2:
                ghost = ghosts[str(move)]
                assert ghost.reply == frames[1].said
                before, after = frames[0].board, frames[1].board
                assert before is not None
                assert after is not None
                assert set(ghost.squares) == set(before.differences(after))
                assert all(after[s] is content for s, content in ghost.squares.items())
            match.undo()


def test_off_the_strategy_the_search_goes_on() -> None:
    match = match_for(EL)
    taken = match.frames[1].move
    assert taken is not None
    match.push(taken, force=True)
    lesson = teacher_for(EL).lesson(match.frames)
    assert (lesson.distance, lesson.ghosts, lesson.grades.distances) == (None, {}, {})
