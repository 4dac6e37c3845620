from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsage_validate.encodings.layout_reader import layout_from_comments
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import InputError, UsageError
from qsage_validate.formats.pg import CellRelation, HexFile, growing, parse_hex, parse_pg, pg_text
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.formats.writing import qcir_text
from qsage_validate.games.languages import load_game, model_from_parts
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.positional.hex import contracted, hex_network
from qsage_validate.games.positional.language import model_of_hex, model_of_pg, read_positional
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.positional.rules import PositionalGame
from qsage_validate.games.protocol import Outcome, Player, Shape
from qsage_validate.solvers.search import SearchSolver
from tests.support.generated import damaged
from tests.support.positional import hex_text, random_game, random_network_game
from tests.support.readers import read_hex, read_pg

SETS = """\
%%  size:2x2 GTTT(2,1) torus:false swap:false
#version
PG 1.0
#times
t1 t2 t3 % three
#blackturns
t1
#positions
a1 a2 b1 b2
#blackwins
a1 b1
a2 b2
#whitewins
a1 a2
#blackinitials
a1
#whiteinitials
b2
#firstmoves
a2
"""
NETWORK = """\
#times
t1 t2 t3
#blackturns
t1 t3
#positions
p q r
#neighbours
p q
q p r
r q
#startboarder
p
#endboarder
r
"""
EDGES = """\
#times
t1
#blackturns
t1
#positions
p q
#edges
S p
p q
q T
#source
S
#target
T
#distances
p 2 1
#unreachablepairs
p q
"""
SHAPES = """\
#times
t1 t2 t3
#blackturns
t1 t3
#positions
a1 a2 b1 b2
#neighbours
a1 a2 b1
a2 na b2
b1 b2 na
b2 na na
#blackgoal
up(p0,p1) side( p1 , p2 )
up(p0,p1)side(p0,p2)
"""


def test_winning_sets() -> None:
    pg = parse_pg(SETS)
    assert (pg.times, pg.black_turns, pg.version) == (("t1", "t2", "t3"), ("t1",), "PG 1.0")
    assert pg.black_wins == (("a1", "b1"), ("a2", "b2"))
    assert pg.white_wins == (("a1", "a2"),)
    assert (pg.black_initials, pg.white_initials, pg.first_moves) == (("a1",), ("b2",), ("a2",))
    model = model_of_pg(pg)
    assert model.turns == (Player.BLACK, Player.WHITE, Player.WHITE)
    assert model.plies == 2
    assert model.names(model.black_wins[0]) == ("a1", "b1")


def test_networks() -> None:
    model = model_of_pg(parse_pg(NETWORK))
    network = model.network
    assert network is not None
    assert (network.neighbours, network.start, network.end) == ((0b010, 0b101, 0b010), 1, 4)
    assert network.edges() == [(0, 1), (1, 2)]
    pg = parse_pg(EDGES)
    assert (pg.source, pg.target, pg.distances) == ("S", "T", (("p", "2", "1"),))
    by_edges = model_of_pg(pg).network
    assert by_edges is not None
    assert (by_edges.neighbours, by_edges.start, by_edges.end) == ((2, 1), 1, 2)
    assert not by_edges.joined
    joined = model_of_pg(parse_pg(EDGES.replace("S p", "S p\nS T")))
    assert joined.won_by_black(0)
    cut = model_of_pg(pg, short=Player.WHITE)
    assert cut.won_by_black(1)
    assert not model_of_pg(pg).won_by_black(1)


def test_shapes() -> None:
    pg = parse_pg(SHAPES)
    assert pg.black_goal[0] == (CellRelation("up", "p0", "p1"), CellRelation("side", "p1", "p2"))
    model = model_of_pg(pg)
    # From a1 up to a2 and right to b2; from a1 up to a2 and right to b1.
    assert {model.names(w) for w in model.black_wins} == {("a1", "a2", "b2"), ("a1", "a2", "b1")}


@pytest.mark.parametrize(
    ("text", "old", "new", "line", "column", "message"),
    [
        (SETS, SETS, " ", 1, 1, "an empty file, expected a positional game"),
        (SETS, "#version", "x\n#version", 2, 1, "'x', expected a section such as '#positions'"),
        (SETS, "#version", "#versions", 2, 1, "section '#versions', expected one of #version"),
        (SETS, "#version\nPG 1.0", "#version", 2, 1, "no version in #version"),
        (SETS, "#firstmoves", "#times", 19, 1, "a second #times"),
        (SETS, "#firstmoves", "#firstmoves a2", 19, 13, "'a2', expected the end of the line"),
        (SETS, "#times\nt1 t2 t3 % three\n", "", 18, 3, "the end of the file, expected a"),
        (SETS, "t1 t2 t3", "", 4, 1, "no time in #times, expected one for each"),
        (SETS, "t1 t2 t3", "t1 t2 t2", 5, 7, "'t2', expected each time once"),
        (SETS, "a1 a2 b1 b2", "a1 a2 b1 b2 a1", 9, 13, "'a1', expected each position once"),
        (SETS, "a1 a2 b1 b2", "a1 a2 b1 b,2", 9, 10, "'b,2', expected the name of a position"),
        (SETS, "t1\n#pos", "t4\n#pos", 7, 1, "'t4', expected a time of #times"),
        (SETS, "t1\n#pos", "t2 t1\n#pos", 7, 4, "'t1', expected Black's turns once each, in"),
        (SETS, "t1\n#pos", "t2\n#pos", 5, 1, "'t1' as a turn of White, expected the other"),
        (SETS, "swap:false", "swap:true", 5, 1, "as GTTT(2,1) with swap:true declares"),
        (SETS, "a1 b1\n", "a1 b3\n", 11, 4, "'b3', expected a position of #positions"),
        (SETS, "a1 b1\n", "a1 a1\n", 11, 4, "'a1', expected each position once in a winning"),
        (SETS, "#whiteinitials\nb2", "#whiteinitials\na1", 18, 1, "a position that Black does"),
        (SETS, "#whiteinitials\nb2", "#whiteinitials\nb2 b2", 18, 4, "that White does not own"),
        (SETS, "moves\na2", "moves\na1", 20, 1, "'a1', expected an open position"),
        (SETS, "moves\na2", "moves\na2 a2", 20, 4, "'a2', expected each position once"),
        (SETS, "#blackwins", "#edges", 20, 3, "a section '#source' to go with #edges"),
        (NETWORK, "#endboarder\nr\n", "", 12, 2, "the end of the file, expected a section '#endb"),
        (NETWORK, "r q", "r q\nr q", 11, 1, "'r', expected one line of neighbours"),
        (NETWORK, "r q", "r p q", 10, 3, "'p', expected only neighbours of r that have r"),
        (NETWORK, "r q", "r r", 10, 3, "'r', expected other positions than r, each once"),
        (NETWORK, "r q", "r x", 10, 3, "'x', expected a position of #positions"),
        (NETWORK, "q p r\nr q", "q p", 12, 1, "borders that no way connects"),
        (NETWORK, "#times", "#blackwins\np q\n#times", 9, 1, "#neighbours besides #blackwins"),
        (NETWORK, "#neigh", "#edges\n#neigh", 8, 1, "#neighbours besides #edges"),
        (EDGES, "#edges\nS p\np q\nq T\n", "#blackwins\np\n", 9, 1, "#source without #edges"),
        (EDGES, "\nT\n", "\nT U\n", 13, 1, "2 words in #target, expected one"),
        (EDGES, "\nT\n", "\np\n", 14, 1, "'p', expected a name of its own"),
        (EDGES, "q T", "q T q", 10, 5, "'q', expected two ends a line"),
        (EDGES, "q T", "q q", 10, 3, "'q', expected each edge once"),
        (EDGES, "q T", "q U", 10, 3, "'U', expected a position of #positions, S or T"),
        (EDGES, "p 2 1", "p 2 x", 16, 5, "'x', expected a distance"),
        (EDGES, "pairs\np q", "pairs\np", 18, 1, "'p', expected two positions a line"),
        (SHAPES, "a1 a2 b1\n", "a1 a2\n", 8, 4, "'a2', expected a1, the position above it and"),
        (SHAPES, "up(p0,p1)side", "up(p0,p0)side", 14, 1, "'up(p0,p0)', expected two different"),
        (SHAPES, "up(p0,p1)side", "down(p0,p1)side", 14, 1, "expected a relation such as"),
        (SHAPES, "up(p0,p1)side(p0,p2)", "up(p0,p1) up(p2,p3)", 14, 11, "a shape in pieces at up"),
        (SHAPES, SHAPES[-47:], "up(p0,p1) up(p1,p2)\n", 12, 1, "expected a board that is not too"),
        (SHAPES, "#blackgoal", "#startboarder\na1\n#blackgoal", 12, 1, "besides #blackgoal"),
        (SHAPES, SHAPES[-47:], "", 12, 1, "no shape in #blackgoal"),
    ],
)  # fmt: skip
def test_errors(text: str, old: str, new: str, line: int, column: int, message: str) -> None:
    assert text.count(old) >= 1
    with pytest.raises(InputError) as caught:
        model_of_pg(parse_pg(text.replace(old, new, 1), "game.pg"))
    place = f"game.pg:{line}:{column}: found "
    assert str(caught.value).startswith(place), str(caught.value)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_are_read_as_they_are_written(tmp_path: Path) -> None:
    for number, text in enumerate((SETS, NETWORK, EDGES, SHAPES)):
        pg = parse_pg(text)
        assert parse_pg(pg_text(pg, ["drawn", "", "by hand"])) == pg
        file = tmp_path / f"{number}.pg"
        file.write_text(pg_text(pg))
        assert replace(read_pg(file), path=None) == pg
        assert replace(model_of_pg(read_pg(file)), name="positional game") == model_of_pg(pg)


@pytest.mark.parametrize("encoding", ["cor", "cor-lean"])
def test_a_formula_of_a_game_in_which_black_has_no_turn_is_read_back(encoding: str) -> None:
    """White's last turns are left out, which are all."""
    text = "#times\nt1\n#blackturns\n#positions\na b c\n#blackwins\na b\n"
    made = encode(model_of_pg(parse_pg(text)), encoding)
    layout = layout_from_comments(parse_qcir(qcir_text(made.qbf)))
    assert layout is not None
    again = model_from_parts(layout.game, layout.model)
    assert again == made.model
    assert load_game(again).initial.outcome == Outcome(Player.WHITE, "held out for 0 plies")


def test_models_are_read_as_they_are_written() -> None:
    random = Random(3)
    models = [hex_network(3, 4), harary_model("el", 3, 3, torus=True, stones=2)]
    models += [random_game(random) for _ in range(40)]
    for _ in range(60):
        model = random_network_game(random)
        models.append(model if model.network and model.network.connects(model.all) else models[0])
        small = contracted(models[-1])
        assert small.network is not None
        if small.network.connects(small.all):
            models.append(small)
    seen_joined = False
    for model in models:
        seen_joined |= model.network is not None and model.network.joined
        again = model_of_pg(parse_pg(pg_text(model.pg())))
        assert replace(again, name=model.name) == model
    assert seen_joined
    with pytest.raises(UsageError, match="expected a game in which Black does"):
        hex_network(2, 2, transversal=True).pg()
    with pytest.raises(UsageError, match="expected one for White as Short"):
        model_of_pg(parse_pg(SETS), short=Player.WHITE)


@given(st.data())
def test_no_damage_is_a_crash(data: st.DataObject) -> None:
    files = [text.encode() for text in (SETS, NETWORK, EDGES, SHAPES)]
    broken = data.draw(damaged(files)).decode("latin-1")
    try:
        model = model_of_pg(parse_pg(broken))
    except InputError as error:
        assert "\n" not in str(error)  # noqa: PT017
        return
    assert isinstance(PositionalGame(model).initial.board.height, int)


@given(st.data())
def test_no_damaged_hex_board_is_a_crash(data: st.DataObject) -> None:
    broken = data.draw(damaged([HEX.encode()])).decode("latin-1")
    try:
        assert parse_hex(hex_text(parse_hex(broken))).rows > 0
    except InputError as error:
        assert "\n" not in str(error)  # noqa: PT017


# --- .hex -------------------------------------------------------------------------------------

HEX = "%puzzle\n3\nb[a1] w[b1]\n\nw[c2] % last\n"


def test_hex_boards(tmp_path: Path) -> None:
    board = parse_hex(HEX)
    assert board == HexFile(3, 3, ("a1",), ("b1", "c2"))
    assert parse_hex(hex_text(board)) == board
    file = tmp_path / "puzzle_4.hex"
    file.write_text(hex_text(board))
    assert replace(read_hex(file), path=None) == board
    model = model_of_hex(board)
    assert (model.plies, model.hexagons, model.name) == (6, True, "hex 3x3")
    game = PositionalGame(read_positional(file, 5))
    assert game.plies == 5
    assert game.name == 'the positional game of 9 positions labelled "puzzle_4"'
    result = SearchSolver(game).solve()
    assert (result.winner, result.critical_plies) == (Player.BLACK, 5)
    assert SearchSolver(PositionalGame(read_positional(file, 3))).solve().winner is Player.WHITE
    assert game.initial.board.shape is Shape.HEXAGONS
    assert parse_hex("1").rows == 1
    assert parse_hex("2 white b[a1]") == HexFile(2, 2, ("a1",), (), white_moves=True)
    assert parse_hex("2\n% puzzle\nblack") == HexFile(2, 2, (), ())


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("% nothing", 1, 10, "the end of the file, expected the size of the board"),
        ("three b[a1]", 1, 1, "'three', expected the size of the board, from 1 to 40"),
        ("41", 1, 1, "'41', expected the size"),
        ("3\nb(a1)", 2, 1, "'b(a1)', expected a stone such as"),
        ("3\nb[a4]", 2, 3, "'a4', expected a cell of the 3x3 board"),
        ("3\nb[d1]", 2, 3, "'d1', expected a cell of the 3x3 board"),
        ("3\nb[a1]\nw[b1] w[a1]", 3, 9, "'a1', expected a cell that Black does not own already"),
    ],
)
def test_errors_of_hex_boards(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_hex(text, "p.hex")
    assert str(caught.value).startswith(f"p.hex:{line}:{column}: found {message}")


def test_what_a_file_is_is_told_by_its_content(tmp_path: Path) -> None:
    file = tmp_path / "a game"
    for text in (SETS, NETWORK, HEX):
        file.write_text(text)
        assert isinstance(read_positional(file), PositionalModel)
    file.write_text("hello")
    with pytest.raises(InputError, match="a game:1:1: found no positional game"):
        read_positional(file)


def test_a_shape_in_pieces_is_told_in_its_line_before_any_shape_is_placed() -> None:
    lines = [*SHAPES.splitlines(), *["up(p0,p1) side(p1,p2)"] * 7_000, "up(p0,p1) side(p2,p3)"]
    with pytest.raises(InputError) as error:
        parse_pg("\n".join(lines))
    assert (error.value.line, error.value.column) == (len(lines), 11)


def test_the_relations_of_a_shape_may_come_in_any_order() -> None:
    chain = [f"up(p{k},p{k + 1})" for k in range(4)]
    pg = parse_pg(SHAPES + " ".join([chain[0], chain[2], chain[3], chain[1]]) + "\n")
    assert " ".join(map(str, pg.black_goal[-1])) == " ".join([chain[0], *chain[2:], chain[1]])
    assert [str(relation) for relation in growing(pg.black_goal[-1])] == chain
