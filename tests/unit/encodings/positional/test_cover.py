from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from qsage_validate.certificates.routes import RouteOptions, certify_formula
from qsage_validate.certificates.simulation_oracle import SimulationOracle
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import UsageError
from qsage_validate.formats.qdimacs import clausal_form
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.positional.hex import hex_network
from qsage_validate.games.positional.model import PositionalModel, alternating
from qsage_validate.games.positional.rules import PositionalGame, PositionalPosition
from qsage_validate.games.protocol import Move, Player
from qsage_validate.solvers.backends import get_backend
from qsage_validate.solvers.qbf_solving import solve_formula
from qsage_validate.strategies.skolem import SkolemReader
from qsage_validate.system.limits import Deadline, Limits
from tests.support.certificate_strategy import CertificateStrategy
from tests.support.positional import random_game, winner
from tests.support.search import solve

BLACK, WHITE = Player.BLACK, Player.WHITE

needs_solver = pytest.mark.usefixtures("pyqbf_solvers")


@pytest.fixture
def pyqbf_solvers() -> None:
    pytest.importorskip("pyqbf", reason="the solvers come with the extra 'solve'")


def truth(formula: Qbf) -> bool:
    limits = Limits(Deadline.after(60))
    found = solve_formula(formula, [get_backend("depqbf")], limits).truth
    assert found is not None
    return found


def black_wins(model: PositionalModel) -> bool:
    return solve(PositionalGame(model)).winner is BLACK


# --- truth ----------------------------------------------------------------------------------


@needs_solver
@pytest.mark.parametrize(
    ("shape", "torus", "plies"),
    [
        ("domino", False, 3),
        ("el", False, 3),
        ("el", False, 5),
        ("tic", False, 5),
        ("tic", True, 5),
        ("tippy", False, 7),
        ("tippy", False, 9),
        ("knobby", True, 7),
    ],
)
def test_cover_and_the_rules_agree_on_3x3(shape: str, torus: bool, plies: int) -> None:
    model = harary_model(shape, 3, 3, torus=torus, plies=plies)
    expected = black_wins(model)
    assert truth(encode(model, "cover").qbf) is expected
    assert truth(encode(model, "cover-played").qbf) is expected


@needs_solver
@pytest.mark.parametrize(("shape", "plies"), [("tic", 5), ("el", 5), ("elly", 7), ("knobby", 5)])
def test_cover_and_the_rules_agree_on_4x4(shape: str, plies: int) -> None:
    model = harary_model(shape, 4, 4, plies=plies)
    assert truth(encode(model, "cover").qbf) is black_wins(model)
    assert truth(encode(model.at_depth(plies - 2), "cover").qbf) is False


@needs_solver
def test_a_true_cover_is_a_win_and_both_forms_agree() -> None:
    random = Random(11)
    answers: list[bool] = []
    while len(answers) < 40:
        model = random_game(random, 6)
        plies = model.open.bit_count() - (model.open.bit_count() + 1) % 2
        # The rules end a play that is won before it begins, which a formula cannot.
        if plies < 1 or model.won_by_white(model.white) or model.won_by_black(model.black):
            continue
        model = replace(model, turns=alternating(plies))
        found = truth(encode(model, "cover").qbf)
        assert truth(encode(model, "cover-played").qbf) is found, model
        if found:
            assert winner(model) is BLACK, model
        answers.append(found)
    assert 10 < sum(answers) < 35


@needs_solver
def test_cover_does_not_find_a_win_that_leaves_the_cover() -> None:
    # Black has to begin with y, which is in no set of Black's, and then has two forks.
    names = ("a", "b", "c", "d", "e", "f", "x", "y")
    model = PositionalModel(
        "far",
        names,
        alternating(5),
        black_wins=(0b000011, 0b000101, 0b011000, 0b101000),
        white_wins=(0b11000000,),
        white=0b01000000,
    )
    assert winner(model) is BLACK
    assert truth(encode(model, "cover").qbf) is False
    assert truth(encode(model, "cover-played").qbf) is False
    safe = replace(model, white=0)
    assert truth(encode(safe, "cover").qbf) is True


# --- the formula ----------------------------------------------------------------------------


def test_the_formula_has_the_variables_and_clauses_of_the_paper() -> None:
    size, sets, cells, end = 9, 16, 3, 5
    encoding = encode(harary_model("el", 3, 3, plies=end), "cover")
    black_turns, white_turns = 3, 2
    bits = 4
    variables = (
        (end + 1) * (1 + 2 * size)  # time, black, white
        + (black_turns + white_turns) * bits  # moves; ten of White's need four bits as well
        + sets
        + size  # the cover
        + white_turns * (cells + 1)  # out of cover
        + sets  # win
    )
    assert encoding.qbf.num_variables == variables
    form = clausal_form(encoding.qbf)
    assert form.max_variable == variables, "Tseitin's transformation had something to do"
    clauses = (
        2 * size  # (3.27)
        + end * (1 + 5 * size + size)  # (3.26), (3.28) to (3.31); (3.32) or (3.33)
        + sets * (cells + 1)  # (3.34)
        + size * 2
        + sets * cells
        - size  # (3.35), (3.36): one each for a position, one for each of its shapes
        + size
        + black_turns * size * bits  # (3.37), (3.38)
        + 1  # (3.40)
        + white_turns * size  # (3.41)
        + (1 + cells)  # (3.42): at the first move only one has been counted
        + white_turns  # (3.43)
        + (cells + 1)  # (3.44)
        + sets * (cells + 1)
        + 1  # (3.45), (3.46)
        + sets * 2**cells  # (3.47)
    )
    assert len(form.clauses) == clauses


@needs_solver
def test_a_certificate_of_the_played_form_wins_every_play_of_the_rules() -> None:
    model = harary_model("tic", 4, 4, plies=5)
    game = PositionalGame(model)
    encoding = encode(model, "cover-played")
    made = certify_formula(
        encoding.qbf, RouteOptions("trace", limits=Limits(Deadline.after(60))), encoding=None
    )
    assert made.truth
    oracle = SimulationOracle(made.certificate)
    strategy = CertificateStrategy(SkolemReader(encoding.layout, oracle), game)
    ends: list[Player] = []

    def play(history: tuple[Move, ...], position: PositionalPosition) -> None:
        if position.outcome is not None:
            ends.append(position.outcome.winner)
            return
        black = position.to_move is BLACK
        for move in [strategy.reply(history)] if black else position.legal_moves():
            play((*history, move), position.play(move))

    play((), game.initial)
    assert set(ends) == {BLACK}
    assert len(ends) > 100


def test_white_cannot_say_the_moves_of_the_rules_in_the_form_of_the_paper() -> None:
    model = harary_model("el", 3, 3, plies=3)
    table = encode(model, "cover").layout.moves[1]
    assert table.moves[-1] == "out of cover"
    assert set(table.moves).isdisjoint(model.positions)
    assert encode(model, "cover-played").layout.moves[1].moves == model.positions


# --- bad input ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (harary_model("el", 3, 3, plies=4), "found the depth 4, expected an odd one"),
        (harary_model("el", 3, 3, stones=2, plies=5), "expected one stone"),
        (hex_network(9, 9), "more than 20,000 winning sets"),
        (
            PositionalModel(
                "wide",
                tuple(f"p{k}" for k in range(13)),
                alternating(3),
                black_wins=(1,),
                white_wins=((1 << 13) - 1,),
            ),
            "a winning set of 13 positions",
        ),
    ],
)
def test_wrong_games_are_refused_in_one_line(model: PositionalModel, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        encode(model, "cover")
    assert "\n" not in str(caught.value)
