"""The templates are the paper's games, and the registry finds them."""

from __future__ import annotations

from collections import Counter, deque
from itertools import combinations
from pathlib import Path

import pytest

from qsage_validate.errors import InputError, UndecidedError, UsageError
from qsage_validate.games.bddl.model import Condition, Model, SubCondition
from qsage_validate.games.bddl.parser import read_model
from qsage_validate.games.goals import minimal_chains
from qsage_validate.games.languages import load_game
from qsage_validate.games.library.grid import SHAPES, orientations
from qsage_validate.games.positional.polyominoes import NEIGHBOURS, cells_of
from qsage_validate.games.protocol import Player, TwoPlayerGame
from qsage_validate.games.registry import find_game
from tests.support.by_name import TEMPLATES, resolve_model
from tests.support.perft import PerftRow, perft

Options = dict[str, object]


@pytest.mark.parametrize(
    ("shape", "number"),
    [
        ("domino", 2),
        ("el", 4),
        ("elly", 8),
        ("fatty", 1),
        ("knobby", 4),
        ("skinny", 2),
        ("tic", 2),
        ("tippy", 4),
    ],
)
def test_orientations_of_the_polyominoes(shape: str, number: int) -> None:
    placed = orientations(cells_of(SHAPES[shape]))
    assert len(placed) == number
    assert all(cells[0] == (0, 0) for cells in placed)
    assert len({len(cells) for cells in placed}) == 1


def test_numbers_of_actions() -> None:
    """The paper: 16 in KnightThrough, 18 in Evader-Pursuer and its dual (appendix B)."""
    for name, numbers in (
        ("knightthrough", (8, 8)),
        ("evader-pursuer", (13, 5)),
        ("evader-pursuer-dual", (5, 13)),
        ("breakthrough", (3, 3)),
        ("connect-c", (2, 2)),
        ("httt", (1, 1)),
        ("hex", (1, 1)),
        ("domineering", (1, 1)),
    ):
        domain = resolve_model([name], {}).domain
        assert (len(domain.black_actions), len(domain.white_actions)) == numbers


# -- Hex ------------------------------------------------------------------------------------


def connects(cells: frozenset[tuple[int, int]], height: int) -> bool:
    """Whether some cells connect top and bottom."""
    queue = deque(cell for cell in cells if cell[1] == 1)
    seen = set(queue)
    while queue:
        x, y = queue.popleft()
        if y == height:
            return True
        for dx, dy in NEIGHBOURS:
            cell = (x + dx, y + dy)
            if cell in cells and cell not in seen:
                seen.add(cell)
                queue.append(cell)
    return False


@pytest.mark.parametrize("size", [(1, 1), (3, 1), (1, 3), (2, 2), (3, 3), (4, 3), (3, 4)])
def test_winning_sets_of_hex_are_all_minimal_connections(size: tuple[int, int]) -> None:
    width, height = size
    cells = [(x, y) for x in range(1, width + 1) for y in range(1, height + 1)]
    connecting = [
        frozenset(subset)
        for number in range(1, len(cells) + 1)
        for subset in combinations(cells, number)
        if connects(frozenset(subset), height)
    ]
    minimal = {
        subset
        for subset in connecting
        if not any(connects(subset - {cell}, height) for cell in subset)
    }
    found = list(minimal_chains(width, height, width * height))
    assert len(found) == len(minimal)
    assert {frozenset(chain) for chain in found} == minimal
    short = {chain for chain in minimal if len(chain) <= height}
    assert {frozenset(c) for c in minimal_chains(width, height, height)} == short


def test_hex_on_one_row_is_the_same_game() -> None:
    grid = load_game(resolve_model(["hex"], {"size": "3x3", "depth": 5}))
    row = load_game(resolve_model(["hex"], {"size": "3x3", "depth": 5, "one_row": True}))
    assert (row.model.problem.width, row.model.problem.height) == (9, 1)
    assert perft(grid, 3) == perft(row, 3)


def test_hex_has_limits() -> None:
    with pytest.raises(UsageError, match="more than 10 winning sets: choose a smaller board"):
        resolve_model(["hex"], {"size": "3x3", "limit": "10"})
    with pytest.raises(UsageError, match="needs a depth of 5 or more"):
        resolve_model(["hex"], {"size": "3x3", "depth": 4})
    with pytest.raises(UsageError, match="needs a depth of 6 or more"):
        resolve_model(["hex"], {"size": "3x3", "depth": 4, "second": True})
    with pytest.raises(UsageError, match="needs a depth of 2 or more"):
        resolve_model(["hex"], {"size": "1x1", "depth": 1, "second": True})
    with pytest.raises(UsageError, match="more than 20000 winning sets"):
        resolve_model(["hex"], {"size": "11x11"})


# -- against the models of the benchmark ----------------------------------------------------


def normal(condition: Condition) -> frozenset[SubCondition]:
    """A conjunction, without order and repetitions."""
    return frozenset(condition)


def shifted(goals: tuple[Condition, ...]) -> set[frozenset[tuple[object, ...]]]:
    """Goals up to the place that they are measured from."""
    result: set[frozenset[tuple[object, ...]]] = set()
    for goal in goals:
        xs = [part.x.offset for part in goal]
        ys = [part.y.offset for part in goal]
        result.add(
            frozenset(
                (p.predicate, p.x.anchor, p.x.offset - min(xs), p.y.anchor, p.y.offset - min(ys))
                for p in goal
            )
        )
    return result


def same_actions(one: Model, other: Model) -> bool:
    """Whether the actions mean the same, in any order and under any names."""

    def meanings(model: Model, player: Player) -> Counter[tuple[frozenset[SubCondition], ...]]:
        actions = model.domain.actions(player)
        return Counter((normal(a.precondition), normal(a.effect)) for a in actions)

    return all(meanings(one, player) == meanings(other, player) for player in Player)


HTTT = "3x3_3_domino 3x3_5_el 3x3_9_elly 3x3_9_fatty 3x3_9_knobby 3x3_9_tic 3x3_9_tippy"
HTTT += " 4x4_11_knobby 4x4_13_skinny 4x4_15_fatty 4x4_3_domino 4x4_5_el 4x4_5_tic 4x4_7_elly"
HTTT += " 4x4_9_tippy"


def counterparts() -> list[tuple[str, list[str], Options]]:
    """Files of the benchmark with the templates that should say the same."""
    result: list[tuple[str, list[str], Options]] = []
    for stem in HTTT.split():
        size, depth, shape = stem.split("_")
        options: Options = {"size": size, "depth": depth, "shape": shape}
        result.append((f"httt/{stem}", ["httt"], options))
    for n, c, number in (
        [(2, 2, 3), (3, 2, 3), (3, 3, 9), (4, 2, 3), (4, 3, 9), (4, 4, 15)]
        + [(5, c, d) for c, d in ((2, 3), (3, 9), (4, 11))]
        + [(6, c, d) for c, d in ((2, 3), (3, 9), (4, 11))]
    ):
        options = {"size": f"{n}x{n}", "connect": c, "depth": number}
        result.append((f"connect-c/{n}x{n}_{number}_connect{c}", ["connect-c"], options))
    for stem in ["2x4_13", "2x5_17", "2x6_15", "3x4_19", "3x5_11", "3x6_9"]:
        size, depth = stem.split("_")
        result.append((f"breakthrough/{stem}", ["breakthrough"], {"size": size, "depth": depth}))
    for stem in ["2x4_8", "2x5_10", "2x6_14", "3x4_12", "3x5_12", "3x6_10"]:
        size, plies = stem.split("_")
        options = {"size": size, "depth": int(plies) + 1, "second": True}
        result.append((f"breakthrough-second-player/{stem}", ["breakthrough"], options))
    for stem in ["4x4_21_1-2", "4x4_3_2-3", "8x8_11_2-3", "8x8_7_3-4"]:
        size, depth, pursuer = stem.split("_")
        options = {"size": size, "depth": depth, "pursuer": pursuer.replace("-", ",")}
        file = f"evader_pursuer/{size}_{depth}_e-{size[0]}-1_p-{pursuer}"
        result.append((file, ["evader-pursuer"], options))
    for stem in ["4x4_10_2-3", "4x4_2_1-2", "8x8_10_3-4", "8x8_6_2-3"]:
        size, plies, pursuer = stem.split("_")
        options = {"size": size, "depth": int(plies) + 1, "pursuer": pursuer.replace("-", ",")}
        file = f"evader_pursuer_dual/{size}_{plies}_e-{size[0]}-1_p-{pursuer}"
        result.append((file, ["evader-pursuer-dual"], options))
    for m in range(2, 7):
        for n in range(2, 7):
            result.append((f"domineering/{m}x{n}", ["domineering"], {"size": f"{m}x{n}"}))
    return result


@pytest.mark.parametrize(("file", "words", "options"), counterparts())
def test_templates_say_what_the_benchmark_says(
    shared_data: Path, file: str, words: list[str], options: Options
) -> None:
    problem = next((shared_data / "bddl").glob(f"{file}*"))
    theirs = read_model(problem.with_name("domain.ig"), problem)
    if words == ["domineering"]:
        options = {**options, "depth": theirs.problem.depth}
    ours = resolve_model(words, options)
    assert same_actions(ours, theirs)
    a, b = ours.problem, theirs.problem
    assert (a.width, a.height, a.depth) == (b.width, b.height, b.depth)
    assert a.first_player is b.first_player
    assert sorted(map(str, a.initial)) == sorted(map(str, b.initial))
    for player in Player:
        expected = shifted(b.goals(player))
        if file == "evader_pursuer_dual/8x8_6_e-8-1_p-2-3" and player is Player.WHITE:
            # This file has no goal for the evader, unlike its three siblings and the paper.
            assert expected == set()
            continue
        if words == ["connect-c"] or words == ["httt"]:
            # Lines that have no room on the board are left out by the templates.
            expected = {goal for goal in expected if has_room(goal, a.width, a.height)}
        assert shifted(a.goals(player)) == expected


def has_room(goal: frozenset[tuple[object, ...]], width: int, height: int) -> bool:
    xs = [part[2] for part in goal]
    ys = [part[4] for part in goal]
    return all(isinstance(x, int) and x < width for x in xs) and all(
        isinstance(y, int) and y < height for y in ys
    )


PERFT = [
    ("httt/4x4_5_tic", ["httt"], {"size": "4x4", "shape": "tic", "depth": 5}, 4),
    ("connect-c/4x4_9_connect3", ["connect-c"], {"size": "4x4", "connect": 3, "depth": 9}, 7),
    ("breakthrough/2x4_13", ["breakthrough"], {"size": "2x4"}, 13),
    (
        "breakthrough-second-player/3x4_12",
        ["breakthrough"],
        {"size": "3x4", "second": True, "depth": 13},
        5,
    ),
    ("domineering/4x4_8", ["domineering"], {"size": "4x4", "depth": 8}, 8),
    (
        "evader_pursuer/4x4_21_e-4-1_p-1-2",
        ["evader-pursuer"],
        {"size": "4x4", "pursuer": "1,2", "depth": 21},
        6,
    ),
]


@pytest.mark.parametrize(("file", "words", "options", "plies"), PERFT)
def test_templates_have_as_many_plays_as_the_benchmark(
    shared_data: Path, file: str, words: list[str], options: Options, plies: int
) -> None:
    problem = shared_data / "bddl" / f"{file}.ig"
    theirs: TwoPlayerGame = load_game(read_model(problem.with_name("domain.ig"), problem))
    assert perft(load_game(resolve_model(words, options)), plies) == perft(theirs, plies)


def test_hex_chains_count_like_the_benchmarks_puzzles(shared_data: Path) -> None:
    """Hein's puzzles are hex positions reduced to winning sets: same rules, other sets."""
    problem = shared_data / "bddl" / "hex" / "hein_04_3x3-05.pg"
    theirs = read_model(problem.with_name("domain.ig"), problem)
    ours = resolve_model(["hex"], {"size": "3x3", "one_row": True, "depth": 5})
    assert same_actions(ours, theirs)
    assert all(len(goal) <= 3 for goal in theirs.problem.black_goals + ours.problem.black_goals)


# -- options and words ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "options", "message"),
    [
        ([], {}, "found no game, expected a file (PG, .hex, SGF, GDL), DOMAIN and PROBLEM"),
        (["a", "b", "c"], {}, "found 3 words, expected a file (PG, .hex, SGF, GDL), DOMAIN and"),
        (["chess"], {}, "found the unknown game 'chess', expected DOMAIN and PROBLEM files or"),
        (["httt"], {"connect": 3}, "found --connect for httt, expected one of --size, --shape"),
        (["httt"], {"shape": "snaky"}, "found a 4x4 board, expected one that is not too small"),
        (["httt"], {"size": "0x4"}, "found '0x4' for --size, expected WIDTHxHEIGHT from 1x1"),
        (["httt"], {"size": "4x"}, "found '4x' for --size, expected WIDTHxHEIGHT"),
        (["httt"], {"size": "4x4x4"}, "found '4x4x4' for --size"),
        (["httt"], {"size": "2x2", "shape": "tic"}, "tic does not fit on a 2x2 board in any ori"),
        (["httt"], {"depth": "0"}, "found '0' for --depth, expected a number from 1 to 9999"),
        (["httt"], {"depth": "five"}, "found 'five' for --depth"),
        (["httt"], {"depth": 1, "second": True}, "found --depth 1 with --second, expected 2 or"),
        (["connect-c"], {"connect": 5}, "a line of 5 does not fit on a 4x4 board"),
        (["breakthrough"], {"size": "2x2"}, "found '2x2' for --size, expected WIDTHxHEIGHT from"),
        (["evader-pursuer"], {"pursuer": "4,1"}, "found 4,1 for --pursuer, expected a square of"),
        (["evader-pursuer"], {"pursuer": "5,1"}, "found 5,1 for --pursuer"),
        (["evader-pursuer"], {"pursuer": "5"}, "found '5' for --pursuer, expected a square X,Y"),
        (["evader-pursuer"], {"second": True}, "found --second for evader-pursuer"),
        (["httt", "connect-c"], {}, "found 'httt' and 'connect-c', expected the name of one game"),
    ],
)
def test_words_and_options_that_do_not_fit(
    words: list[str], options: Options, message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        resolve_model(words, options)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_options_as_text_and_as_values() -> None:
    text = resolve_model(["HTTT"], {"size": "4", "depth": "5", "maker-breaker": True, "x": None})
    value = resolve_model(["httt"], {"size": (4, 4), "depth": 5, "maker_breaker": True})
    assert text == value
    assert text.problem.white_goals == ()
    assert find_game("evader_pursuer").name == "evader-pursuer"
    assert resolve_model(["httt"], {"second": False}).problem.first_player is Player.BLACK


def test_every_template_says_what_its_options_are() -> None:
    names = [template.name for template in TEMPLATES]
    assert len(set(names)) == len(names)
    for template in TEMPLATES:
        assert template.help
        for option in template.options:
            assert option.help
            assert option.kind.expected
            assert option.kind.read(object()) is None
        shown = {name for example in template.examples for name in example}
        assert shown == {option.name for option in template.options}, "an option without example"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    model = resolve_model(["httt"], {"size": "3x3", "shape": "el", "depth": 5})
    domain, problem = tmp_path / "d.ig", tmp_path / "p.ig"
    domain.write_text(str(model.domain))
    problem.write_text(str(model.problem))
    return str(domain), str(problem)


def test_models_from_files(files: tuple[str, str]) -> None:
    domain, problem = files
    assert len(resolve_model([domain, problem], {}).problem.black_goals) == 4
    assert resolve_model([domain, problem], {"depth": "7", "second": None}).problem.depth == 7
    with pytest.raises(UsageError, match="found --size with a game read from files"):
        resolve_model([domain, problem], {"size": "3x3"})
    with pytest.raises(UsageError, match="found 'x' for --depth, expected a number from 1"):
        resolve_model([domain, problem], {"depth": "x"})
    with pytest.raises(UsageError, match="expected the domain first"):
        resolve_model([problem, domain], {})
    with pytest.raises(UsageError, match=r"found one file, .*, expected two: DOMAIN and PROBLEM"):
        resolve_model([domain], {})
    with pytest.raises(InputError, match="no such file"):
        resolve_model([domain, "nowhere.ig"], {})
    with pytest.raises(InputError, match="this is a domain file"):
        resolve_model([domain, domain], {})


def test_perft_counts_ends_and_positions() -> None:
    game = load_game(resolve_model(["domineering"], {"size": "2x2"}))
    assert perft(game) == [
        PerftRow(0, 1, 1, 0, 0),
        PerftRow(1, 2, 2, 2, 0),
    ]
    assert perft(game, 0) == [PerftRow(0, 1, 1, 0, 0)]
    with pytest.raises(UndecidedError, match="more than 3 positions"):
        perft(load_game(resolve_model(["httt"], {})), limit=3)
