"""LA, LN, SA, SN, LI, SI and SN for polyominoes: truth, plays, definitions, layouts, bad input."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsage_validate.circuit.qbf import Quantifier
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.layout import IllegalMoves
from qsage_validate.encodings.registry import encode
from qsage_validate.encodings.symbolic import LiftedBoard
from qsage_validate.errors import UsageError
from qsage_validate.formats.pg import parse_pg, pg_text
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.formats.writing import qcir_text
from qsage_validate.games.masks import mask_of, members
from qsage_validate.games.positional.harary import harary_model, polyomino_of
from qsage_validate.games.positional.hex import (
    hex_network,
    preprocess,
    transversal_of,
    with_winning_sets,
)
from qsage_validate.games.positional.language import model_of_pg, read_positional
from qsage_validate.games.positional.model import PositionalModel, alternating, sound_first_moves
from qsage_validate.games.protocol import Player
from qsage_validate.solvers.backends import BLOQQER
from qsage_validate.solvers.qbf_solving import available, solve_formula
from qsage_validate.system.limits import Deadline, Limits
from tests.support.certifying import certify_game
from tests.support.concrete_play import ConcretePlay
from tests.support.positional import random_game, random_network_game, winner
from tests.support.qbf_truth import qbf_truth

BLACK, WHITE = Player.BLACK, Player.WHITE

SETS = ("la", "sa")
NETWORK = ("ln", "sn", "li", "si")


def encodings(model: PositionalModel) -> list[Encoding]:
    """The model in every encoding of these that takes it."""
    names = [*SETS, *NETWORK] if model.network is not None else [*SETS]
    if model.network is None and polyomino_of(model) is not None:
        names.append("sn-httt")
    return [encode(model, name) for name in names]


def small_game(random: Random) -> PositionalModel:
    """A maker-breaker game with an odd depth of at most 5: sets, a graph, a polyomino, Hex."""
    kind = random.randrange(4)
    size = random.randint(1, 6)
    depth = random.choice((1, 3, 5))
    if kind == 0:
        model = replace(random_game(random, max(size, 4)), white_wins=())
    elif kind == 1:
        model = random_network_game(random, max(size, 2))
    elif kind == 2:
        shape = random.choice(("elam", "domino", "tic", "el", "knobby", "elly"))
        torus = random.random() < 0.5
        model = harary_model(shape, 3, 3, torus=torus, maker_breaker=True, plies=depth)
        if random.random() < 0.5:
            stones = random.sample(range(9), 3)
            model = replace(model, black=1 << stones[0], white=mask_of(stones[1:]), first_moves=0)
    else:
        model = hex_network(random.randint(1, 3), random.randint(1, 3))
    return replace(model, turns=alternating(depth))


def moves_of(random: Random, encoding: Encoding, legal: bool) -> tuple[list[int], int, bool]:
    """Codes of a random play, Black's positions in the end, and whether Black's were legal.

    White plays any number: what is no open position is ignored.
    """
    model = encoding.model
    assert isinstance(model, PositionalModel)
    number = model.number
    black, white = model.black, model.white
    codes: list[int] = []
    for table in encoding.layout.moves:
        code = random.randrange(1 << len(table.variables))
        names = table.moves
        if table.player is BLACK and (legal or random.random() < 0.7):
            taken = black | white
            open_now = [k for k, name in enumerate(names) if not taken >> number[name] & 1]
            code = random.choice(open_now)
        codes.append(code)
        bit = 1 << number[names[code]] if code < len(names) else 0
        illegal = not bit or bool(bit & (black | white))
        if table.player is BLACK:
            if illegal:
                return codes, black, False
            black |= bit
        elif not illegal:
            white |= bit
    return codes, black, True


def completed(random: Random, encoding: Encoding, codes: list[int]) -> list[int]:
    """The codes of the plies that are left, whatever they are."""
    rest = encoding.layout.moves[len(codes) :]
    return codes + [random.randrange(1 << len(table.variables)) for table in rest]


@settings(max_examples=60)
@given(st.randoms(use_true_random=False))
def test_definitions_win_every_play_that_the_rules_call_won(random: Random) -> None:
    model = small_game(random)
    for encoding in encodings(model):
        if not encoding.layout.moves:
            continue
        codes, black, legal = moves_of(random, encoding, random.random() < 0.8)
        codes = completed(random, encoding, codes)
        won = legal and model.won_by_black(black)
        hero = BLACK if won else WHITE
        play = ConcretePlay(encoding, codes, hero, black)
        assert play.keeps_its_promise(), (encoding.layout.encoding, codes)


@settings(max_examples=15)
@given(st.randoms(use_true_random=False))
def test_the_formulas_are_true_where_black_wins(random: Random) -> None:
    model = small_game(random)
    count = model.open.bit_count()
    # Solvers see the larger ones.
    model = replace(model, turns=model.turns[: 5 if count < 5 else 3 if count < 7 else 1])
    black_wins = winner(model) is BLACK
    for encoding in encodings(model):
        assert qbf_truth(encoding.qbf) is black_wins, encoding.layout.encoding


MODELS = {
    "hex 2x2": hex_network(2, 2, 3),
    "hex 3x3 too few": hex_network(3, 3, 3),
    "hex 3x3": hex_network(3, 3, 5),
    "hex 3x3 stones": replace(hex_network(3, 3, 7), black=1 << 3, white=1 << 4),
    **{
        f"{shape} {depth} {board}": harary_model(
            shape, 3, 3, torus=board == "torus", maker_breaker=True, plies=depth
        )
        for shape, depth in (("tic", 5), ("el", 3), ("el", 5), ("elly", 5), ("domino", 3))
        for board in ("edges", "torus")
    },
}


@pytest.mark.parametrize("name", MODELS)
def test_solvers_agree_with_the_rules(name: str) -> None:
    pytest.importorskip("pyqbf", reason="pyqbf (the extra 'solve') is not installed")
    contenders = [b for b in available() if b.name == "depqbf"]
    model = MODELS[name]
    black_wins = winner(model) is BLACK
    # Bloqqer takes longer than DepQBF does, but for the larger models.
    first = BLOQQER if name.startswith("hex 3x3") else None
    for encoding in encodings(model):
        solved = solve_formula(
            encoding.qbf, contenders, Limits(Deadline.after(120)), preprocessor=first
        )
        assert solved.truth is black_wins, encoding.layout.encoding


@pytest.mark.parametrize("name", MODELS)
def test_strategies_become_certificates(name: str) -> None:
    """Of whoever wins; certify_game hands out what the check of the formula has proved."""
    model = MODELS[name]
    for encoding in encodings(model):
        certified = certify_game(model, encoding.layout.encoding)
        assert certified.winner is winner(model), encoding.layout.encoding


def test_puzzles_of_hein_are_certified(shared_data: Path) -> None:
    folder = shared_data / "pg" / "sat2023" / "Hein" / "B-Hex"
    black_wins = {"hein_04_3x3-05", "hein_09_4x4-07", "hein_12_4x4-07"}
    for name in ("hein_04_3x3-03", "hein_09_4x4-05", "hein_12_4x4-05", *sorted(black_wins)):
        model = read_positional(folder / f"{name}.pg")
        for encoding in (*SETS, *NETWORK):
            certified = certify_game(model, encoding)
            assert certified.winner is (BLACK if name in black_wins else WHITE), (name, encoding)


def test_all_puzzles_of_hein_are_encoded(shared_data: Path) -> None:
    puzzles = sorted((shared_data / "pg" / "sat2023" / "Hein" / "B-Hex").glob("*.pg"))
    assert len(puzzles) == 40
    for path in puzzles:
        model = preprocess(read_positional(path))
        for name in (*SETS, *NETWORK):
            tables = encode(model, name).layout.moves
            # What is left may be fewer positions than plies; a last ply of White's is left out.
            assert len(tables) == max(model.plies - 1 + model.plies % 2, 0)
            assert all(table.moves == model.positions for table in tables)


def test_sets_and_network_of_hex_are_the_same_game() -> None:
    model = hex_network(3, 3, 5)
    for name in SETS:
        first, second = encode(model, name), encode(with_winning_sets(model), name)
        assert first.qbf.gates == second.qbf.gates
        assert first.qbf.scopes == second.qbf.scopes


@pytest.mark.parametrize("name", [*SETS, *NETWORK])
def test_the_prefix_is_the_papers(name: str) -> None:
    """Table 1's alternations; squaring adds two a level, where Table 4 counts one."""
    depth, levels = 7, 2
    scopes = encode(hex_network(3, 3, depth), name).qbf.merged_scopes()
    expected = {"la": depth + 1, "ln": depth + 1, "sa": depth - 1, "sn": depth - 1}
    expected |= {"li": depth + 1 + 2 * levels, "si": depth - 1 + 2 * levels}
    assert len(scopes) - 1 == expected[name]
    for first, second in pairwise(scopes):
        assert first.quantifier is second.quantifier.dual
    assert scopes[-1].quantifier is Quantifier.EXISTS


def test_the_layout_says_where_moves_and_states_are() -> None:
    model = replace(hex_network(3, 3, 5), black=1 << 3, white=1 << 4)
    encoding = encode(model, "ln")
    layout = encoding.layout
    assert encoding.layout.illegal is IllegalMoves.IGNORED
    assert [table.player for table in layout.moves] == [BLACK, WHITE] * 2 + [BLACK]
    for table in layout.moves:
        assert table.moves == model.names(model.open)
        assert len(table.variables) == 3
    assert layout.state.places == model.names(model.open)
    assert layout.state.kinds == ("black", "white")
    assert len(layout.state.states) == len(layout.moves) + 1
    assert abs(layout.verdict or 0) in encoding.qbf.gates
    assert {abs(x) for x in layout.gates.values()} <= set(encoding.qbf.gates)
    assert parse_qcir(qcir_text(encoding.qbf)).scopes == encoding.qbf.scopes


@settings(max_examples=20)
@given(st.randoms(use_true_random=False))
def test_states_are_the_boards_of_the_rules(random: Random) -> None:
    model = small_game(random)
    for encoding in encodings(model):
        state = encoding.layout.state
        if not state.position or not encoding.layout.moves:
            continue
        codes, _, _ = moves_of(random, encoding, legal=True)
        play = ConcretePlay(encoding, codes, BLACK, 0)
        for place, name in enumerate(state.places):
            text = f"{place:0{len(state.position)}b}"
            literals = {v: int(b) for v, b in zip(state.position, text, strict=True)}
            play.fix(literals)
            encoder = getattr(encoding.completions[BLACK], "__self__", None)
            assert isinstance(encoder, LiftedBoard)
            # What the goal is does not matter for the states.
            values = {**encoder.define_states(play), **literals}
            black, white = model.black, model.white
            for time, row in enumerate(state.states):
                if time:
                    code, names = codes[time - 1], encoding.layout.moves[0].moves
                    bit = 1 << model.number[names[code]] if code < len(names) else 0
                    if time % 2:
                        black |= bit
                    elif not bit & black:
                        white |= bit
                said = [_value(encoding, values, literal) for literal in row]
                here = model.number[name]
                assert said == [bool(black >> here & 1), bool(white >> here & 1)]


def _value(encoding: Encoding, values: dict[int, int], literal: int) -> bool:
    gate = encoding.qbf.gates.get(abs(literal))
    if gate is None:
        return bool(values[abs(literal)]) != (literal < 0)
    return all(_value(encoding, values, x) for x in gate.inputs) != (literal < 0)


def test_one_open_position_has_a_variable() -> None:
    model = replace(hex_network(1, 1), turns=alternating(1))
    for encoding in encodings(model):
        assert len(encoding.layout.moves[0].variables) == 1
        assert qbf_truth(encoding.qbf)


@pytest.mark.parametrize("black", [True, False])
def test_no_ply_at_all(black: bool) -> None:
    model = replace(hex_network(1, 1), turns=alternating(1), black=int(black), white=int(not black))
    for encoding in encodings(model):
        assert encoding.layout.moves == ()
        assert qbf_truth(encoding.qbf) is black


# --- Polyominoes ------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", ["elam", "domino", "tic", "el", "fatty", "tippy", "snaky", "y"])
@pytest.mark.parametrize("torus", [False, True])
def test_polyominoes_are_recognised(shape: str, torus: bool) -> None:
    model = harary_model(shape, 5, 4, torus=torus, maker_breaker=True)
    board = polyomino_of(model)
    assert board is not None
    assert (board.width, board.height) == (5, 4)
    # On a board of which it cannot go over the edges a torus is no different.
    assert board.torus is (torus and shape != "elam")
    placed = {mask_of(place) for form in board.forms() for place in board.places(form)}
    assert placed == set(model.black_wins)


def test_other_games_are_no_polyominoes() -> None:
    model = harary_model("el", 4, 4, maker_breaker=True)
    assert polyomino_of(replace(model, black_wins=model.black_wins[1:])) is None
    assert polyomino_of(with_winning_sets(hex_network(3, 3))) is None
    assert polyomino_of(replace(model, black_wins=())) is None


def test_relations_follow_the_cells() -> None:
    model = harary_model("tippy", 4, 4, maker_breaker=True)
    board = polyomino_of(model)
    assert board is not None
    right, up = board.neighbours(1, 0), board.neighbours(0, 1)
    names = model.positions
    assert [
        names[k] for k in (right[model.number["a1"]], up[model.number["a1"]]) if k is not None
    ] == [
        "b1",
        "a2",
    ]
    assert right[model.number["d1"]] is None
    assert up[model.number["a4"]] is None


def test_first_moves_that_do_not_stand_for_all_are_not_taken() -> None:
    """Published files of 5x5 boards have the first moves of 4x4 boards; c3 is none of them."""
    model = harary_model("tippy", 5, 5, maker_breaker=True, plies=7)
    for hint, count in ((model.first_moves, 6), (model.mask(["a1", "a2", "b2"]), 25), (0, 25)):
        hinted = replace(model, first_moves=hint)
        assert sound_first_moves(hinted) == (hint if count == 6 else 0)
        assert len(encode(hinted, "sn-httt").layout.moves[0].moves) == count
        again = model_of_pg(parse_pg(pg_text(hinted.pg())))
        assert again.first_moves == (hint if count == 6 else 0)


# --- Bad input --------------------------------------------------------------------------------


def test_what_is_not_encoded_is_said_in_one_line() -> None:
    tic = harary_model("tic", 3, 3, maker_breaker=True, plies=5)
    hexagons = hex_network(3, 3, 5)
    for name in NETWORK:
        with pytest.raises(UsageError, match="found winning sets, expected Black's network"):
            encode(tic, name)
        with pytest.raises(UsageError, match="found a network of White's"):
            encode(transversal_of(hexagons), name)
    for name in (*SETS, *NETWORK):
        with pytest.raises(UsageError, match="found the depth 4, expected an odd one"):
            encode(replace(hexagons, turns=alternating(4)), name)
        with pytest.raises(UsageError, match="White begins"):
            encode(replace(hexagons, turns=alternating(5, WHITE)), name)
    with pytest.raises(UsageError, match="winning sets of White's, expected a maker-breaker game"):
        encode(harary_model("tic", 3, 3, plies=5), "sa")
    with pytest.raises(UsageError, match="expected such a game for the encoding sn-httt"):
        encode(with_winning_sets(hexagons), "sn-httt")
    with pytest.raises(UsageError, match="more than 20,000 winning sets"):
        encode(hex_network(9, 9, 41), "la")


def test_white_as_short_is_encoded_by_its_cuts() -> None:
    model = replace(transversal_of(hex_network(2, 3, 3)), black=1 << 3)
    black_wins = winner(model) is BLACK
    assert [qbf_truth(encode(model, name).qbf) for name in SETS] == [black_wins] * 2


def test_members_of_a_set_are_in_the_witness() -> None:
    encoding = encode(harary_model("tic", 3, 3, maker_breaker=True, plies=5), "sa")
    # a1, b1, c1 are the numbers 0, 3 and 6.
    play = ConcretePlay(encoding, [0, 1, 3, 2, 6], BLACK, mask_of([0, 3, 6]))
    defined = encoding.completions[BLACK](play)
    bits = [defined[v] for v in sorted(defined)]
    numbers = [int("".join(map(str, bits[k : k + 4])), 2) for k in range(0, 12, 4)]
    assert numbers == list(members(mask_of([0, 3, 6])))
