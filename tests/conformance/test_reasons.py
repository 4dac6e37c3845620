"""Each sentence on an illegal move is true of the board, read here from its text alone."""

from __future__ import annotations

import re
from functools import cache
from random import Random

import pytest

from qsage_validate.arena.frame import HeapMove
from qsage_validate.extensions.impartial import families
from qsage_validate.extensions.impartial.heap_game import HeapGame
from qsage_validate.extensions.impartial.parser import parse_formula
from qsage_validate.extensions.impartial.rules import ImpartialRules
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import BoardPicture, Position, TwoPlayerGame
from tests.support.by_name import find_template
from tests.support.playthrough import examples

EXAMPLES = {file: (name, options) for file, name, options in examples()}
_MOVES = 300
_PLACE = r"([a-z]+)(\d+)"
_INSTEAD = r"(?:; the (\w+) pieces? (?:is|are) on (.*)|; there is no (\w+) piece on the board|)"


def rows_of(board: BoardPicture) -> list[str]:
    """The board as its text has it: ``.``, ``B`` and ``W``."""
    return str(board).split("/")


def letter(board: BoardPicture, x: str, y: str) -> str:
    return rows_of(board)[int(y) - 1][column(x) - 1]


def column(name: str) -> int:
    """The number of a column, from 1, of a board with at most 26 of them."""
    assert len(name) == 1, name
    return "abcdefghijklmnopqrstuvwxyz".index(name) + 1


def places(board: BoardPicture, sign: str) -> list[tuple[int, int]]:
    return [
        (x, y)
        for y, row in enumerate(rows_of(board), start=1)
        for x, here in enumerate(row, start=1)
        if here == sign
    ]


def is_true_on(board: BoardPicture, said: str) -> bool:
    """True if a sentence has a known form and what it says holds on the board."""
    if match := re.fullmatch(rf"(Black|White) already holds {_PLACE}", said):
        return letter(board, match[2], match[3]) == match[1][0]
    if match := re.fullmatch(rf"{_PLACE} is empty, and a piece has to stand there", said):
        return letter(board, match[1], match[2]) == "."
    no_piece = rf"(Black|White) holds {_PLACE}, where no (black|white) piece may stand"
    if match := re.fullmatch(no_piece, said):
        return letter(board, match[2], match[3]) == match[1][0] == match[4][0].upper()
    if match := re.fullmatch(rf"no (black|white) piece stands on {_PLACE}{_INSTEAD}", said):
        return letter(board, match[2], match[3]) == "." and _instead(board, match[1], match, 4)
    other = rf"(Black|White) holds {_PLACE}, where a (black|white) piece has to stand{_INSTEAD}"
    if match := re.fullmatch(other, said):
        holds = letter(board, match[2], match[3]) == match[1][0] != match[4][0].upper()
        return holds and _instead(board, match[4], match, 5)
    rows = rows_of(board)
    line = r"the move needs row (-?\d+), and the rows of the board are 1 to (\d+)"
    if match := re.fullmatch(line, said):
        return int(match[2]) == len(rows) and not 1 <= int(match[1]) <= len(rows)
    line = (
        r"the move needs (column [a-z]|a column left of a), and the columns of the board are a to "
    )
    if match := re.fullmatch(rf"{line}([a-z])", said):
        beyond = match[1].startswith("a ") or column(match[1][-1]) > len(rows[0])
        return beyond and column(match[2]) == len(rows[0])
    return False


def _instead(board: BoardPicture, colour: str, match: re.Match[str], group: int) -> bool:
    found = places(board, colour[0].upper())
    if match[group + 2] is not None:
        return match[group + 2] == colour and not found
    if match[group] is not None:
        named = [(column(x), int(y)) for x, y in re.findall(_PLACE, match[group + 1])]
        return match[group] == colour and sorted(named) == sorted(found)
    return len(found) > 3


@cache
def sampled(file: str) -> tuple[TwoPlayerGame, list[Position]]:
    """Positions of four random plays that go on."""
    name, options = EXAMPLES[file]
    game = load_game(find_template(name).build(options))
    found: list[Position] = []
    for seed in range(4):
        random, position = Random(seed), game.initial
        while position.outcome is None:
            found.append(position)
            position = position.play(random.choice(position.legal_moves()))
    return game, found


def illegal_moves(file: str) -> list[tuple[TwoPlayerGame, Position, str, tuple[str, ...]]]:
    game, positions = sampled(file)
    found = []
    for number, position in enumerate(positions):
        moves = list(game.moves(position.to_move))
        legal = set(position.legal_moves())
        for move in Random(number).sample(moves, min(_MOVES, len(moves))):
            if move not in legal:
                illegality = position.illegality(move)
                assert illegality is not None
                found.append((game, position, str(move), illegality.lines))
    return found


def of_language(language: str) -> list[str]:
    return [file for file in EXAMPLES if sampled(file)[0].language == language]


def test_every_language_has_examples() -> None:
    assert {sampled(file)[0].language for file in EXAMPLES} == {"bddl", "gdl", "positional"}


@pytest.mark.parametrize("file", EXAMPLES)
def test_each_sentence_is_true_of_the_board(file: str) -> None:
    for game, position, move, lines in illegal_moves(file):
        assert lines[-1].startswith(f"{move}: "), lines
        if game.language == "bddl":
            said, _ = lines
            assert is_true_on(position.board, said), (str(position), move, said)
        elif game.language == "positional":
            (text,) = lines
            match = re.fullmatch(r"(.+): (Black|White) has claimed it", text)
            assert match is not None, text
            assert f"{match[2].lower()} {move}" in game.atoms(position)
        elif len(lines) == 2:
            assert fluents_agree(game.atoms(position), lines[0]), (str(position), lines)


def fluents_agree(fluents: frozenset[str], said: str) -> bool:
    """True if a sentence on fluents is true where just ``fluents`` are."""
    if match := re.fullmatch(r"(.+) is not true here(?:, but (.+) is)?", said):
        asked = re.sub(r"\\\?\w+", r"[^ ()]+", re.escape(match[1]))
        none = not any(re.fullmatch(asked, fluent) for fluent in fluents)
        return none and (match[2] is None or match[2] in fluents)
    match = re.fullmatch(r"(.+) is true here", said)
    return match is not None and match[1] in fluents


def test_a_piece_that_is_elsewhere_is_pointed_at() -> None:
    said = [lines[0] for *_, lines in illegal_moves("evader-pursuer-1")]
    assert any(re.search(r"^no black piece stands on .*; the black piece is on ", s) for s in said)


def test_contents_that_exclude_each_other_are_told_apart() -> None:
    """The check of this file sees a false sentence of each form."""
    board = sampled("breakthrough-1")[0].initial.board
    assert rows_of(board) == ["WW", "WW", "BB", "BB"]
    for said in (
        "Black already holds a1",
        "a1 is empty, and a piece has to stand there",
        "White holds a3, where no white piece may stand",
        "no black piece stands on a3",
        "no black piece stands on a1",
        "White holds a1, where a black piece has to stand; the black piece is on a3",
        "White holds a1, where a black piece has to stand; there is no black piece on the board",
        "the move needs row 4, and the rows of the board are 1 to 4",
        "the move needs column b, and the columns of the board are a to b",
        "anything else",
    ):
        assert not is_true_on(board, said), said
    assert is_true_on(board, "White holds a1, where a black piece has to stand")


# -- heaps ----------------------------------------------------------------------------------

_NUMBERS = re.compile(
    r"(?P<left>.+) is (?P<value>-?\d+), and it has to be "
    r"(?P<sign>at most |at least |less than |more than |other than |)"
    r"(?:(?P<bound>-?\d+)|(?P<name>.+), which is (?P<known>-?\d+))"
)


def amount(expression: str, values: dict[str, int]) -> int:
    """The value of a sum such as ``2*v1 - k + 1``, by Python."""
    written = re.sub(r"[A-Za-z?]\w*", lambda name: f"({values[name[0]]})", expression)
    assert re.fullmatch(r"[\d()*+ -]+", written), written
    return int(eval(written))


@pytest.mark.parametrize("name", families.names())
def test_each_sentence_on_heaps_is_true_of_them(name: str) -> None:
    rules = ImpartialRules(families.load(name))
    variables, told = rules.game.variables, 0
    for state in ([5, 3, 2], [1, 1, 1], [3, 0, 4]):
        start = tuple(state[: len(variables)])
        if not rules.game.constraint.holds(rules.game.state(start)):
            continue
        position = HeapGame(rules, start).initial
        for action in rules.game.actions:
            for number in range(8):
                arguments = (number,) * len(action.parameters)
                found = position.illegality(HeapMove(action.name, arguments))
                if found is None or not found.sentence:
                    continue
                told += 1
                values = rules.game.state(start) | dict(
                    zip(action.parameters, arguments, strict=True)
                )
                match = _NUMBERS.fullmatch(found.sentence)
                assert match is not None, found.sentence
                left = amount(match["left"], dict(values))
                bound = int(match["bound"] or match["known"])
                assert left == int(match["value"])
                assert match["name"] is None or amount(match["name"], dict(values)) == bound
                broken = {
                    "at most ": left > bound,
                    "at least ": left < bound,
                    "less than ": left >= bound,
                    "more than ": left <= bound,
                    "other than ": left == bound,
                    "": left != bound,
                }
                assert broken[match["sign"]], found.sentence
    assert told


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("3 <= k", "k is 2, and it has to be at least 3"),
        ("3 < k", "k is 2, and it has to be more than 3"),
        ("1 >= k", "k is 2, and it has to be at most 1"),
        ("k = v + 1 and v = 9", "k is 2, and it has to be v + 1, which is 10"),
        ("k = 1 or k = 4", ""),
    ],
)
def test_a_comparison_says_what_it_wants(text: str, said: str) -> None:
    formula, values = parse_formula(text, ("k", "v")), {"k": 2, "v": 9}
    assert not formula.holds(values)
    assert formula.fault(values) == said
