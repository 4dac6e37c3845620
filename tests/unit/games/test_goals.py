"""The goals of games in words, and the squares that won, against readings of their own."""

from __future__ import annotations

import random
import re

import pytest

from qsage_validate.arena.board_engine import goal_line
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.goals import words_of
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import Player, Shape, Square, TwoPlayerGame
from qsage_validate.games.registry import find_command
from tests.support import naive_rules

Held = set[tuple[int, int]]
_NUMBERS = ["", "one", "two", "three", "four", "five"]

BDDL = {
    "httt --size 4x4 --shape tic --depth 5": "three in a row or column",
    "httt --size 3x3 --shape domino --depth 3": "two in a row or column",
    "httt --size 4x4 --shape elly --depth 7": "the shape X./X./XX in any place, turned or mirrored",
    "hex --size 3x3 --depth 5": "a chain from top to bottom",
    "hex --size 4x4 --depth 13": "a chain from top to bottom",
    "connect-c --size 4x4 --connect 3 --depth 9": "three in a row, column or diagonal",
    "breakthrough --size 2x4 --depth 7": "a piece on row 1",
}


def game(words: str, language: str = "bddl") -> TwoPlayerGame:
    return load_game(find_command(words.split(), language))


def read(words: str, held: Held, width: int, height: int) -> bool:
    """True if the words are true of the pieces: a reading by scanning rows of text."""
    if words == "a chain from top to bottom":
        reached = {(x, y) for x, y in held if y == 1}
        while (
            more := {
                (x + dx, y + dy)
                for x, y in reached
                for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))
            }
            & held - reached
        ):
            reached |= more
        return any(y == height for _, y in reached)
    if found := re.fullmatch(r"a piece on row (\d+)", words):
        return any(y == int(found[1]) for _, y in held)
    grids = [
        [
            ["X" if (x, y) in held else "." for x in range(1, width + 1)]
            for y in range(1, height + 1)
        ]
    ]
    for _ in range(3):
        grids.append([list(row) for row in zip(*grids[-1][::-1], strict=True)])
    grids += [[row[::-1] for row in grid] for grid in grids]
    if found := re.fullmatch(r"the shape ([X./]+) in any place, turned or mirrored", words):
        shape = found[1].split("/")
        return any(
            all(
                mark == "." or grid[top + y][left + x] == "X"
                for y, row in enumerate(shape)
                for x, mark in enumerate(row)
            )
            for grid in grids
            for top in range(len(grid) + 1 - len(shape))
            for left in range(len(grid[0]) + 1 - len(shape[0]))
        )
    found = re.fullmatch(r"(\w+) in a (.+)", words)
    assert found is not None
    run, kinds = "X" * _NUMBERS.index(found[1]), re.split(r", | or ", found[2])
    lines: list[str] = []
    for kind, chosen in (("row", grids[0]), ("column", grids[1])):
        lines += ["".join(row) for row in chosen if kind in kinds]
    if "diagonal" in kinds:
        for grid in grids[:2]:
            for shift in range(-height - width, height + width):
                cells = [(x, x + shift) for x in range(len(grid[0])) if 0 <= x + shift < len(grid)]
                lines.append("".join(grid[y][x] for x, y in cells))
    return any(run in line for line in lines)


@pytest.mark.parametrize("words", BDDL)
def test_the_goal_in_words_says_what_the_goal_conditions_say(words: str) -> None:
    """On random fillings of the board, by the definitions of the paper."""
    played = game(words)
    assert isinstance(played, BddlGame)
    goal = played.goal_words(Player.BLACK)
    assert goal == BDDL[words]
    grounding, draw = played.grounding, random.Random(words)
    width, height = grounding.width, grounding.height
    seen = set()
    for _ in range(400):
        many = draw.randint(1, played.plies // 2 + 1)
        places = [(x, y) for x in range(1, width + 1) for y in range(1, height + 1)]
        held = set(draw.sample(places, min(many, len(places))))
        state = {place: Square.BLACK if place in held else Square.OPEN for place in places}
        truth = naive_rules.won(played.model, state, Player.BLACK)
        assert truth == read(goal, held, width, height), held
        seen.add(truth)
    assert seen == {True, False}


@pytest.mark.parametrize(
    ("words", "language", "goal"),
    [
        ("harary --size 4x4 --shape tic --depth 5", "positional", "three in a row or column"),
        ("hex --size 3x3 --depth 5", "positional", "a chain from top to bottom"),
        (
            "httt --size 4x4 --shape elly",
            "positional",
            BDDL["httt --size 4x4 --shape elly --depth 7"],
        ),
        (
            "domineering --size 3x3 --depth 5",
            "bddl",
            "the last move (whoever cannot move has lost)",
        ),
    ],
)
def test_the_same_goal_has_the_same_words_in_every_language(
    words: str, language: str, goal: str
) -> None:
    assert game(words, language).goal_words(Player.BLACK) == goal


def test_the_sentence_names_the_person_and_a_goal_of_whites() -> None:
    tic = game("httt --size 4x4 --shape tic --depth 5")
    assert goal_line(tic, Player.WHITE) == (
        "Black: three in a row or column by ply 5. You stop it, or have it first."
    )
    assert goal_line(tic, Player.BLACK) == (
        "You: three in a row or column by ply 5. White stops it, or has it first."
    )
    network = game("hex --size 3x3 --depth 5", "positional")
    assert goal_line(network, Player.WHITE).endswith("by ply 5. You stop it.")
    race = game("breakthrough --size 2x4 --depth 7")
    assert goal_line(race, Player.WHITE) == (
        "Black: a piece on row 1 by ply 7. You stop it, or first have a piece on row 4."
    )


@pytest.mark.parametrize(
    "sets",
    [
        [{(1, 1), (2, 1), (3, 1)}],  # one row of three, where there are more
        [{(1, 1), (2, 1)}, {(1, 1), (1, 2)}],
        [{(1, 1), (3, 2)}, {(2, 2)}],
        [set()],
        [],
    ],
)
def test_sets_that_no_plain_words_describe_have_none(sets: list[Held]) -> None:
    assert words_of([frozenset(s) for s in sets], 3, 3) == ""


def test_chains_that_are_missing_are_no_hex() -> None:
    """Fewer chains than the pieces suffice for: neither the words nor the board are Hex's."""
    played = game("hex --size 3x3 --depth 5")
    assert isinstance(played, BddlGame)
    assert played.initial.board.shape is Shape.HEXAGONS
    assert played.initial.board.top is Player.BLACK
    longer = game("hex --size 3x3 --depth 9")
    assert isinstance(longer, BddlGame)
    all_sets = longer._winning_sets[Player.BLACK]
    assert words_of(all_sets, 3, 3, 5) == words_of(all_sets, 3, 3) == "a chain from top to bottom"
    short = {s for s in all_sets if len(s) <= 3}
    assert words_of(short, 3, 3, 3) == "a chain from top to bottom"
    assert words_of(short, 3, 3, 4) == ""


@pytest.mark.parametrize("words", [*BDDL, "domineering --size 3x3 --depth 6"])
def test_the_winning_squares_reach_the_goal_by_themselves(words: str) -> None:
    played = game(words)
    assert isinstance(played, BddlGame)
    draw, ends = random.Random(words), 0
    for _ in range(60):
        position = played.initial
        while position.outcome is None and (moves := position.legal_moves()):
            assert played.winning_squares(position) == ()
            position = position.play(draw.choice(list(moves)))
        outcome = position.outcome
        squares = played.winning_squares(position)
        if outcome is None or outcome.stuck or outcome.reason != "reached its goal":
            assert squares == ()
            continue
        ends += 1
        own = Square(outcome.winner.value[0].upper())
        grounding = played.grounding
        state = {
            (x, y): own if (x, y) in squares else Square.OPEN
            for x in range(1, grounding.width + 1)
            for y in range(1, grounding.height + 1)
        }
        assert all(position.board[square] is own for square in squares)
        assert naive_rules.won(played.model, state, outcome.winner)
    assert ends > 0 or words.startswith("domineering")


@pytest.mark.parametrize(
    ("words", "falls"),
    [
        ("connect-c --size 4x4 --connect 3 --depth 9", True),
        ("connect-c --size 3x1 --connect 2 --depth 3", True),
        ("httt --size 4x4 --shape tic --depth 5", False),
        ("breakthrough --size 2x4 --depth 7", False),
        ("domineering --size 3x3 --depth 5", False),
    ],
)
def test_pieces_fall_in_connect_only(words: str, falls: bool) -> None:
    assert game(words).falls is falls
