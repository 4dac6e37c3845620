from __future__ import annotations

from dataclasses import replace
from math import comb, factorial

import pytest

from qsage_validate.encodings.explicit import require_alternating
from qsage_validate.errors import (
    AmbiguousMoveError,
    IllegalMoveError,
    MalformedMoveError,
    UsageError,
)
from qsage_validate.formats.grid_names import cell_name, named_cell
from qsage_validate.formats.pg import parse_pg, pg_text
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.positional.hex import hex_network, with_winning_sets
from qsage_validate.games.positional.language import model_of_pg
from qsage_validate.games.positional.model import (
    Network,
    PositionalModel,
    alternating,
    find_symmetries,
    is_hex_board,
    orbits,
    representatives,
)
from qsage_validate.games.positional.rules import PositionalGame, PositionalPosition
from qsage_validate.games.protocol import Player, Shape
from tests.support.perft import perft
from tests.support.position_text import parse_position

BLACK, WHITE = Player.BLACK, Player.WHITE


def path(*, white_wins: tuple[int, ...] = (), plies: int = 3) -> PositionalModel:
    """Three positions in a row, not named as cells; Black needs the first two."""
    return PositionalModel(
        "three", ("left", "Middle", "right"), alternating(plies), (0b011,), white_wins
    )


def play(game: PositionalGame, moves: str) -> PositionalPosition:
    position = game.initial
    for move in moves.split():
        position = position.play(game.parse_move(move, position.to_move))
    return position


def winner_of(position: PositionalPosition) -> Player:
    outcome = position.outcome
    assert outcome is not None
    return outcome.winner


def test_names_of_cells() -> None:
    for x, name in ((1, "a7"), (26, "z7"), (27, "aa7"), (52, "az7"), (703, "aaa7")):
        assert cell_name(x, 7) == name
        assert named_cell(name) == (x, 7)
    for name in ("a0", "a", "7", "A1", "a01", "left", "a1x", ""):
        assert named_cell(name) is None


def test_a_play_and_its_text_forms() -> None:
    game = PositionalGame(hex_network(3, 3))
    position = game.initial
    assert str(position) == ".../.../... ply 1"
    assert position.board.shape is Shape.HEXAGONS
    for move in ("b1", "a2", "b2", "a3", "b3"):
        assert position.outcome is None
        assert parse_position(game, str(position)) == position
        assert [str(m) for m in position.legal_moves()].count(move) == 1
        position = position.play(game.parse_move(f" {move.upper()} ", position.to_move))
    assert str(position) == ".B./WB./WB. ply 6"
    outcome = position.outcome
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (BLACK, "reached its goal")
    assert position.winning_squares() == ((2, 1), (2, 2), (2, 3))
    assert position.legal_moves() == ()
    illegality = position.illegality(game.parse_move("c1", BLACK))
    assert illegality is not None
    assert illegality.text == "c1: the play has ended: Black has won"


def test_a_position_may_be_called_as_a_move_on_a_grid() -> None:
    """`qsage-play hex --certify --moves "occupy(1,1)"` was refused, as other encodings call it."""
    game = PositionalGame(hex_network(3, 3))
    assert str(game.parse_move("occupy(1,2)", BLACK)) == "a2"
    assert str(game.parse_move(" Occupy( 3 , 1 )", BLACK)) == "c1"
    for wrong in ("occupy(4,1)", "occupy(1)", "occupy(x)"):
        with pytest.raises(MalformedMoveError, match="occupy"):
            game.parse_move(wrong, BLACK)


def test_illegal_and_malformed_moves() -> None:
    game = PositionalGame(path(plies=3))
    position = game.initial.play(game.parse_move("middle", BLACK))
    illegality = position.illegality(game.parse_move("Middle", WHITE))
    assert illegality is not None
    assert illegality.text == "Middle: Black has claimed it"
    assert illegality.square == (1, 2)
    with pytest.raises(IllegalMoveError, match="Middle: Black has claimed it"):
        position.play(game.parse_move("Middle", WHITE))
    with pytest.raises(MalformedMoveError, match="'top', expected one of the positions left, Mid"):
        game.parse_move("top", WHITE)
    other = PositionalGame(hex_network(2, 2)).claims[0]
    with pytest.raises(IllegalMoveError, match="a1: no position of the positional game of 3"):
        position.play(other)
    twins = PositionalModel("twins", ("p", "P"), alternating(1), (1,))
    assert str(PositionalGame(twins).parse_move("P", BLACK)) == "P"
    twins = PositionalModel("twins", ("Po", "pO"), alternating(1), (1,))
    with pytest.raises(AmbiguousMoveError, match="'po' fits Po and pO"):
        PositionalGame(twins).parse_move("po", BLACK)


def test_positions_without_coordinates_are_a_list() -> None:
    game = PositionalGame(path())
    board = game.initial.board
    assert (board.width, board.height, board.names) == (1, 3, ("left", "Middle", "right"))
    assert board.row_name(2) == "Middle"
    # Cells of no rectangle are a list too, and no positions at all an empty one.
    holes = PositionalModel("holes", ("a1", "b2"), alternating(2), (1,))
    assert PositionalGame(holes).initial.board.names == ("a1", "b2")
    none = PositionalGame(PositionalModel("none", (), alternating(3)))
    assert none.plies == 0
    outcome = none.initial.outcome
    assert outcome is not None
    assert outcome.winner is WHITE
    assert parse_position(none, str(none.initial)) == none.initial


def test_whoever_is_first_wins_in_maker_maker() -> None:
    model = PositionalModel("both", tuple("pqrs"), alternating(4), (0b0011,), (0b1100,))
    game = PositionalGame(model)
    position = play(game, "p r q")
    assert winner_of(position) is BLACK
    white = play(PositionalGame(model.at_depth(4)), "p r")
    assert white.outcome is None
    swapped = PositionalModel("both", tuple("pqrst"), alternating(5), (0b0111,), (0b11000,))
    ended = play(PositionalGame(swapped), "p s q t")
    assert winner_of(ended) is WHITE
    assert ended.winning_squares() == ((1, 4), (1, 5))


def test_first_stones_that_win_and_plies_that_run_out() -> None:
    won = PositionalModel("won", tuple("pq"), alternating(1), (1,), (), black=1)
    outcome = PositionalGame(won).initial.outcome
    assert outcome is not None
    assert outcome.winner is BLACK
    out = play(PositionalGame(path(plies=1)), "left").outcome
    assert out is not None
    assert (out.winner, out.reason) == (WHITE, "held out for 1 ply")
    # More turns than positions: the play ends with the full board.
    assert path(plies=9).plies == 3


def test_turns_of_several_stones() -> None:
    model = harary_model("tic", 3, 3, stones=2, first_stones=1)
    assert "".join(str(p)[0] for p in model.turns) == "BWWBBWWBB"
    assert not model.alternates
    game = PositionalGame(model)
    position = game.initial
    for move, mover in zip(("a1", "b1", "b2", "a2", "a3"), "BWWBB", strict=True):
        assert str(position.to_move)[0] == mover
        position = position.play(game.parse_move(move, position.to_move))
    assert str(position.board) == "BW./BW./B.."
    assert position.outcome is not None
    assert position.outcome.winner is BLACK


def word(turns: tuple[Player, ...]) -> str:
    return "".join(str(player)[0] for player in turns)


def test_turns_that_go_on() -> None:
    model = harary_model("tic", 3, 3, stones=2, first_stones=1, plies=5)
    assert word(model.at_depth(9).turns) == "BWWBBWWBB"
    assert word(model.at_depth(2).turns) == "BW"
    assert word(harary_model("tic", 3, 3, plies=1).at_depth(5).turns) == "BWBWB"
    assert word(harary_model("tic", 3, 3, plies=3, first=WHITE).at_depth(5).turns) == "WBWBW"
    assert word(harary_model("tic", 3, 3, stones=2, plies=4).at_depth(7).turns) == "BBWWBBW"


@pytest.mark.parametrize(
    ("turns", "message"),
    [
        ((WHITE, BLACK), "White begins, expected Black"),
        ((BLACK, BLACK, WHITE), "Black moves again at ply 2, expected one stone"),
        ((BLACK, WHITE), "found the depth 2, expected an odd one"),
    ],
)
def test_what_the_encodings_cannot_take(turns: tuple[Player, ...], message: str) -> None:
    model = PositionalModel("odd", tuple("pqr"), turns, (1,))
    with pytest.raises(UsageError, match=message):
        require_alternating(model)
    require_alternating(hex_network(3, 3))


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: PositionalModel("x", ("p", "p"), (), ()), "the position 'p' twice"),
        (lambda: PositionalModel("x", ("p",), (), (2,)), "not one of the 1"),
        (lambda: PositionalModel("x", ("p",), (), (), (), 1, 1), "p black and white"),
        (
            lambda: PositionalModel("x", ("p",), (), (1,), network=Network((0,), 1, 1)),
            "winning sets besides a network",
        ),
        (lambda: PositionalModel("x", ("p",), (), network=Network((), 0, 0)), "neighbours of 0"),
        (lambda: hex_network(0, 3), "found a 0x3 board"),
        (lambda: hex_network(50, 50), "expected one of 1 to 1600 cells"),
        (lambda: harary_model("skinny", 3, 3), "not too small for skinny"),
        (lambda: harary_model("domino", 1, 1, torus=True), "not too small for domino"),
        (lambda: harary_model("tic", 3, 3, stones=2, first_stones=3), "found 3 stones"),
        (lambda: with_winning_sets(hex_network(6, 6), 100), "more than 100 winning sets"),
    ],
)
def test_models_that_do_not_fit_together(build: object, message: str) -> None:
    assert callable(build)
    with pytest.raises(UsageError, match=message):
        build()


def test_counts_of_plays() -> None:
    """Without a win on the way, plays are the ways to claim positions in turn."""
    rows = perft(PositionalGame(hex_network(3, 3)), 4)
    for row in rows:
        assert row.plays == factorial(9) // factorial(9 - row.ply)
        assert row.positions == comb(9, row.ply) * comb(row.ply, row.ply // 2)
    # The first wins are Black's columns, diagonals and bends of three cells, the last stone last.
    ways = with_winning_sets(hex_network(3, 3, 5)).black_wins
    fifth = perft(PositionalGame(hex_network(3, 3)), 5)[5]
    assert {w.bit_count() for w in ways} == {3}
    assert fifth.black == len(ways) * factorial(3) * 6 * 5


def test_counts_of_tic_tac_toe() -> None:
    """With rows, columns and diagonals, these are the well-known 255,168 games."""
    names = [cell_name(x, y) for x in (1, 2, 3) for y in (1, 2, 3)]
    lines = [0b111, 0b111000, 0b111000000, 0b1001001, 0b10010010, 0b100100100]
    lines += [0b100010001, 0b1010100]
    model = PositionalModel("ttt", tuple(names), alternating(9), tuple(lines), tuple(lines))
    rows = perft(PositionalGame(model))
    assert [row.black + row.white for row in rows] == [
        0,
        0,
        0,
        0,
        0,
        1440,
        5328,
        47952,
        72576,
        127872,
    ]
    assert sum(row.black for row in rows) == 131184
    # White's 77,904 wins, and the 46,080 draws, in which White has held out.
    assert sum(row.white for row in rows) == 77904 + 46080


def test_hex_boards_are_known_by_their_sets() -> None:
    for width, height in ((2, 2), (3, 3), (3, 4), (5, 3)):
        network = hex_network(width, height)
        assert is_hex_board(network)
        assert is_hex_board(hex_network(width, height, transversal=True))
        assert is_hex_board(with_winning_sets(network))
    assert not is_hex_board(harary_model("tic", 3, 3, maker_breaker=True))
    assert not is_hex_board(path())


@pytest.mark.parametrize(
    ("model", "count", "classes"),
    [
        # Its rows and columns are kept by translations as well.
        (harary_model("tic", 3, 3), 71, 1),
        (harary_model("el", 3, 3), 7, 3),
        (harary_model("tic", 5, 5), 7, 6),
        (harary_model("el", 4, 3), 3, 4),
        (harary_model("tic", 4, 4, torus=True), 127, 1),
        (hex_network(4, 4), 1, 8),
        (hex_network(3, 3), 1, 5),
        (path(), 0, 3),
    ],
)
def test_symmetries_and_first_moves(model: PositionalModel, count: int, classes: int) -> None:
    game = PositionalGame(model)
    found = find_symmetries(model, game.arrangement)
    assert len(found) == count
    assert len(orbits(model, found)) == classes
    assert representatives(model).bit_count() == classes
    assert len(game.symmetries()) == count
    for symmetry in game.symmetries():
        assert symmetry.keeps_initial
        # A play and its image end alike.
        position, image = game.initial, game.initial
        while position.outcome is None:
            move = position.legal_moves()[-1]
            position, image = position.play(move), image.play(symmetry.moves[move])
            assert symmetry.board(position.board).squares == image.board.squares
            assert (position.outcome is None) is (image.outcome is None)


@pytest.mark.parametrize(("held", "exchanged"), [(0, {}), (4, {"c2": "a2"})])
def test_a_symmetry_of_first_moves_keeps_whites_pieces(
    held: int, exchanged: dict[str, str]
) -> None:
    game = PositionalGame(replace(hex_network(3, 3, 5), white=1 << held))
    assert game.exchanged_first_moves({"a2"}) == exchanged


def test_a_game_without_turns_is_written_as_a_file_that_reads_back() -> None:
    """Encodings leave out the last turns of White's, which may be all."""
    text = "#times\nt1 t2\n#blackturns\n#positions\na b\n#blackwins\na b\n"
    model = replace(model_of_pg(parse_pg(text)), turns=())
    assert model_of_pg(parse_pg(pg_text(model.pg()))) == model
