"""Positional games of others: read, rebuilt by the project's own generators, and solved."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from qsage_validate.formats.pg import parse_hex, parse_pg, pg_text
from qsage_validate.games.languages import load_game
from qsage_validate.games.masks import mask_of, minimal
from qsage_validate.games.positional.cover_game import PairingFinder
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.positional.hex import (
    contracted,
    preprocess,
    transversal_of,
    with_all_winning_sets,
    with_useless_white,
    with_winning_sets,
    without_larger_sets,
)
from qsage_validate.games.positional.language import model_of_hex, read_positional
from qsage_validate.games.positional.model import (
    Arrangement,
    PositionalModel,
    find_symmetries,
    orbits,
    without_dead_sets,
    without_long_sets,
)
from qsage_validate.games.positional.rules import PositionalGame
from qsage_validate.games.protocol import Player
from qsage_validate.solvers.search import SearchResult, SearchSolver, search_for
from tests.support.by_name import find_template
from tests.support.position_text import parse_position
from tests.support.positional import hex_text
from tests.support.readers import read_hex, read_pg

BLACK, WHITE = Player.BLACK, Player.WHITE

# Puzzles of the paper and two depths: at the first Black does not win yet, at the second Black
# does.  Those that plain Python searches at once.
HEIN = (
    "hein_04_3x3 03 05",
    "hein_07_4x4 07 09",
    "hein_09_4x4 05 07",
    "hein_12_4x4 05 07",
    "hein_13_5x5 07 09",
    "hein_14_5x5 07 09",
    "hein_19_5x5 09 11",
)


@pytest.fixture(scope="module")
def pg(shared_data: Path) -> Path:
    """The folder of positional games."""
    return shared_data / "pg"


def solved(model: PositionalModel) -> SearchResult:
    return SearchSolver(PositionalGame(model)).solve()


def test_every_file_is_read_as_it_is_written(pg: Path) -> None:
    files = [path for path in sorted(pg.rglob("*.pg")) if path.stat().st_size < 8_000][::4]
    assert len(files) > 120
    for path in files:
        content = read_pg(path)
        assert parse_pg(pg_text(content)) == replace(content, path=None), path
        game = PositionalGame(read_positional(path))
        assert parse_position(game, str(game.initial)) == game.initial
        hexagons = path.parent.name in ("B-Hex", "hex-hein")
        assert not hexagons or game.model.hexagons, path
    boards = list(pg.rglob("*.hex"))
    assert len(boards) == 20
    for path in boards:
        board = read_hex(path)
        assert parse_hex(hex_text(board)) == replace(board, path=None)


def test_winning_sets_of_hex_are_the_minimal_paths(pg: Path) -> None:
    """The files list all of them, whatever Black has stones for."""
    checked = 0
    for path in sorted((pg / "hein-hex").glob("*.hex")):
        board = replace(model_of_hex(read_hex(path)), name="board")
        everything = board.at_depth(2 * len(board.positions))
        paths = set(with_winning_sets(replace(everything, white=board.white)).black_wins)
        for file in sorted((pg / "hex-hein").glob(f"{path.stem}-*.pg")):
            if file.stat().st_size > 20_000:
                continue
            model = read_positional(file)
            assert (model.black, model.white) == (board.black, board.white)
            # Full boards leave Black fewer stones than the longest paths need.
            within = without_long_sets(replace(model, turns=everything.turns))
            assert set(within.black_wins) == paths, file
            checked += 1
    assert checked > 20


@pytest.mark.parametrize("puzzle", HEIN)
def test_heins_puzzles_are_won_at_the_depth_of_the_paper(pg: Path, puzzle: str) -> None:
    name, not_yet, depth = puzzle.split()
    folder = pg / "sat2023" / "Hein"
    for plies in (not_yet, depth):
        file = f"{name}-{plies}.pg"
        network = read_positional(folder / "B-Hex" / file)
        result = solved(network)
        assert result.winner is (BLACK if plies == depth else WHITE)
        if plies == depth:
            assert result.critical_plies == int(depth)
        forms = {
            "winning sets": read_positional(pg / "hex-hein" / file),
            "reduced sets": read_positional(folder / "PG-format" / file),
            "contracted": read_positional(folder / "Gex" / "Gex-format" / file),
            "edges": read_positional(folder / "Gex" / "EGF-format" / file),
            "preprocessed": preprocess(network),
            "preprocessed sets": preprocess(with_winning_sets(network)),
        }
        for form, model in forms.items():
            assert solved(model).winner is result.winner, form


def test_heins_puzzle_3_is_won_within_17_plies(pg: Path) -> None:
    puzzle = read_positional(pg / "sat2023" / "Hein" / "B-Hex" / "hein_03_6x6-15.pg")
    found = search_for(PositionalGame(puzzle.at_depth(17))).solve()
    assert (found.winner, found.critical_plies) == (BLACK, 17)


def test_heins_puzzle_18_is_blocked_by_pairs(pg: Path) -> None:
    puzzle = read_positional(pg / "sat2023" / "Hein" / "B-Hex" / "hein_18_7x7-15.pg")
    pairing = PairingFinder(with_all_winning_sets(puzzle)).find(puzzle.black, puzzle.white)
    assert pairing is not None
    # By the network: whichever of each pair White has, and nothing else but her first stones.
    for chosen in product((0, 1), repeat=len(pairing.pairs)):
        white = mask_of(pair[k] for pair, k in zip(pairing.pairs, chosen, strict=True))
        assert not puzzle.won_by_black(puzzle.all & ~(white | puzzle.white))


@pytest.mark.parametrize("puzzle", ["hein_04_3x3-05", "hein_09_4x4-07", "hein_12_4x4-07"])
def test_the_transversal_games_have_the_same_winner(pg: Path, puzzle: str) -> None:
    folder = pg / "sat2023" / "Hein"
    network = read_positional(folder / "B-Hex" / f"{puzzle}.pg")
    winner = solved(network).winner
    assert winner is BLACK
    cut = transversal_of(network)
    # The flipped files have the colours exchanged and White's borders.
    flipped = read_positional(folder / "White_flipped" / "B-Hex" / f"{puzzle}.pg")
    assert (flipped.black, flipped.white) == (network.white, network.black)
    assert flipped.network is not None
    assert cut.network == replace(flipped.network, short=WHITE)
    contracted_file = folder / "White_flipped" / "Gex_EGF-format" / f"{puzzle}.pg"
    for model in (cut, preprocess(cut), read_positional(contracted_file, short=WHITE)):
        assert solved(model).winner is winner


def test_preprocessing_does_as_much_as_that_of_others(pg: Path) -> None:
    """Their reduced winning sets are ours, but for larger ones that they keep."""
    folder = pg / "sat2023" / "Hein"
    checked = further = 0
    for path in sorted((folder / "B-Hex").glob("*.pg")):
        model = with_winning_sets(read_positional(path))
        theirs = read_positional(folder / "PG-format" / path.name)
        once = without_larger_sets(contracted(without_dead_sets(without_long_sets(model))))
        ours = {frozenset(once.names(wins)) for wins in once.black_wins}
        assert ours == {frozenset(theirs.names(wins)) for wins in minimal(theirs.black_wins)}
        again = preprocess(model)
        used = frozenset[str]().union(*ours)
        assert set(again.positions) <= used
        further += set(again.positions) < used
        # Without listing paths a few positions more are kept.
        network = contracted(with_useless_white(read_positional(path)))
        assert set(again.positions) <= set(network.positions)
        checked += 1
    assert checked == 40
    assert further == 2


NAMES = re.compile(r"gttt_(\d)_(\d)_\d+_(\d)x\d(_torus)?_([bw])\.pg")


def rebuilt(path: Path) -> PositionalModel:
    """The game that a file's name and first comment describe, by the project's own generator."""
    match = NAMES.fullmatch(path.name)
    shape = re.search(r"shape:(\w+)", path.read_text().split("\n", 1)[0])
    assert match is not None
    assert shape is not None
    side = int(match[3])
    return harary_model(
        shape[1],
        side,
        side,
        torus=bool(match[4]),
        stones=int(match[1]),
        first_stones=int(match[2]),
        first=WHITE if match[5] == "w" else BLACK,
    )


@pytest.mark.parametrize("folder", ["gttt-3x3", "gttt-4x4"])
def test_polyomino_games_are_those_that_we_generate(pg: Path, folder: str) -> None:
    files = sorted((pg / folder).glob("*.pg"))
    assert len(files) == {"gttt-3x3": 84, "gttt-4x4": 96}[folder]
    for path in files[:: 1 if folder == "gttt-3x3" else 5]:
        model, own = read_positional(path), rebuilt(path)
        assert model.positions == own.positions
        assert model.turns == own.turns
        assert set(model.black_wins) == set(own.black_wins), path
        assert set(model.white_wins) == set(own.white_wins), path
        # Their first moves are some of each of our classes; one, unless ours are larger.
        found = find_symmetries(model, Arrangement.of(model.positions))
        counts = [(model.first_moves & orbit).bit_count() for orbit in orbits(model, found)]
        assert all(counts)
        more = ("tic" in own.name and "3x3" in own.name) or "skinny" in own.name
        assert more or max(counts) == 1, path


def test_polyomino_games_have_the_winners_that_their_bddl_models_have(pg: Path) -> None:
    compared = []
    for path in sorted((pg / "gttt-3x3").glob("gttt_1_1_*.pg")):
        own = rebuilt(path)
        if "torus" in own.name:
            continue
        white_first = own.turns[0] is WHITE
        shape = own.name.split()[-1]
        options = {"size": "3x3", "shape": shape, "second": white_first}
        other = SearchSolver(load_game(find_template("httt").build(options))).solve()
        result = solved(read_positional(path))
        assert result.winner is other.winner, path
        assert result.critical_plies == other.critical_plies, path
        compared.append(result.winner)
    assert len(compared) == 14
    assert set(compared) == {BLACK, WHITE}


def test_polyomino_games_with_turns_of_two_stones(pg: Path) -> None:
    """How many of 3x3 Black wins; every one of them with the search's own first moves."""
    wins = {"1_1": 0, "2_1": 0, "2_2": 0}
    for path in sorted((pg / "gttt-3x3").glob("*.pg")):
        model = read_positional(path)
        result = solved(model)
        if result.winner is BLACK:
            wins[path.name[5:8]] += 1
            if model.turns[0] is BLACK:
                (move,) = result.first_moves
                after = PositionalGame(model).initial.play(move)
                assert SearchSolver(PositionalGame(model)).winner(after) is BLACK
    assert sum(wins.values()) == 24


@pytest.mark.parametrize(
    ("shape", "depth"),
    [("domino", 3), ("el", 5), ("tic", 5), ("elly", 7), ("knobby", 7), ("tippy", 7), ("Z", 11)],
)
def test_implicit_shapes(pg: Path, shape: str, depth: int) -> None:
    """The games of section 6: Z is won at depth 11, the others within fewer plies.

    What is called Z there is the pentomino that is usually called N.
    """
    path = pg / "sat2023" / "GTTT" / f"test_5_5_{shape}.pg"
    model = read_positional(path, depth)
    own = harary_model("n" if shape == "Z" else shape, 5, 5, maker_breaker=True)
    assert set(model.black_wins) == set(own.black_wins)
    result = solved(model)
    assert (result.winner, result.critical_plies) == (BLACK, depth)
    assert solved(model.at_depth(depth - 2)).winner is WHITE


@pytest.mark.parametrize(
    ("folder", "file", "winner"),
    [
        ("sat", "depth_9_2291873_move_182", BLACK),
        ("sat", "depth_11_2291873_move_182", BLACK),
        ("unsat", "depth_13_2291873_move_136", WHITE),
        ("unsat", "depth_15_2291869_move_66", WHITE),
        ("unsat", "depth_17_2291880_move_71", WHITE),
    ],
)
def test_championship_positions(pg: Path, folder: str, file: str, winner: Player) -> None:
    """Positions of 19x19 games, with the answers that their folders tell."""
    games = pg / "sat2023" / "Hex-Championship-2023-little-golem" / folder / "Gex"
    model = read_positional(games / "Gex-format" / f"{file}.pg")
    assert solved(preprocess(model)).winner is winner
