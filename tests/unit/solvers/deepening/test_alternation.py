from __future__ import annotations

import json
from itertools import combinations, product
from pathlib import Path

import pytest

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.errors import Exit, InputError, UsageError
from qsage_validate.games.masks import mask_of, members
from qsage_validate.games.positional.cover_game import PairingFinder
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.positional.hex import hex_network, with_all_winning_sets
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.positional.rules import PositionalGame
from qsage_validate.games.protocol import Player
from qsage_validate.solvers.alternation import (
    Alternated,
    AlternationFile,
    DepthTurn,
    alternate,
    black_by_formulas,
    black_by_search,
    white_by_formulas,
    white_by_search,
)
from qsage_validate.solvers.backends import get_backend
from qsage_validate.solvers.maker_maker import BlockingSearch
from qsage_validate.solvers.qbf_solving import Solved, solve_formula
from qsage_validate.system.limits import Deadline, Limits, Progress
from tests.support.answer_files import resealed
from tests.support.commands import run_qsage
from tests.support.positional import targets_on
from tests.support.search import solve, winning_first_moves

BLACK, WHITE = Player.BLACK, Player.WHITE

# Harary 1982, and for the smallest boards Gardner 1979.
WINNERS_ON_4X4 = {"domino": 3, "el": 5, "tic": 5, "elly": 7, "tippy": 9}


@pytest.fixture
def pyqbf_solvers() -> None:
    pytest.importorskip("pyqbf", reason="the solvers come with the extra 'solve'")


def by_search(model: PositionalModel, **options: object) -> Alternated:
    search = BlockingSearch(model)
    return alternate(model, black_by_search(), white_by_search(search), **options)  # type: ignore[arg-type]


def decide(formula: Qbf, deadline: Deadline) -> Solved:
    backend = get_backend("depqbf")
    return solve_formula(formula, [backend], Limits(deadline))


def test_the_winners_on_a_4x4_board_are_those_that_are_known() -> None:
    winners = {}
    for name in targets_on(4, 4):
        if name == "elam":
            continue
        found = by_search(harary_model(name, 4, 4))
        assert found.winner is not None
        if found.winner is BLACK:
            assert found.plies is not None
            winners[name] = found.plies
    assert winners == WINNERS_ON_4X4


@pytest.mark.usefixtures("pyqbf_solvers")
@pytest.mark.parametrize("encoding", ["cor-lean", "cover"])
@pytest.mark.parametrize(
    ("shape", "size", "torus"),
    [("el", 3, False), ("tippy", 3, False), ("fatty", 5, True)],
)
def test_formulas_say_what_the_rules_say(encoding: str, shape: str, size: int, torus: bool) -> None:
    model = harary_model(shape, size, size, torus=torus)
    asked: list[Progress] = []
    found = alternate(
        model,
        black_by_formulas(encoding, decide),
        white_by_formulas(decide),
        tell=asked.append,
    )
    expected = by_search(model)
    assert found.winner is expected.winner
    assert found.plies == expected.plies
    what = {BLACK: "wins", WHITE: "blocks"}
    assert list(map(str, asked)) == [
        f"{t.player} {what[t.player]} within {t.plies}?" for t in found.turns
    ]
    assert [question.done for question in asked] == list(range(len(asked)))
    if found.winner is BLACK:
        game = PositionalGame(model)
        first = winning_first_moves(game)
        assert game.parse_move(found.first_move, BLACK) in first


def test_answers_are_kept_in_a_file_and_not_asked_for_again(tmp_path: Path) -> None:
    model = harary_model("elly", 4, 4)
    path = tmp_path / "elly.json"
    first = by_search(model, last=5, file=AlternationFile(path, model, "search"))
    assert first.winner is None
    assert first.why == "undecided: neither has such a strategy in the plies that were asked for"
    asked: list[Progress] = []
    again = by_search(
        model,
        file=AlternationFile(path, model, "search"),
        tell=asked.append,
    )
    assert list(map(str, asked)) == ["White blocks within 6?", "Black wins within 7?"]
    assert again.why == "Black wins within 7 plies (search)"
    settled = by_search(
        model,
        file=AlternationFile(path, model, "search"),
        tell=lambda _: pytest.fail("asked again"),
    )
    assert (settled.winner, settled.plies) == (BLACK, 7)
    assert settled.first_move == again.first_move != ""


def test_a_question_that_stays_open_does_not_end_the_deepening() -> None:
    model = harary_model("el", 3, 3)

    def lost(game: PositionalModel, deadline: Deadline) -> DepthTurn:
        return DepthTurn(len(game.turns), None, "nobody", 0.0, "lost", player=WHITE)

    found = alternate(model, black_by_search(), lost)
    assert (found.winner, found.plies) == (BLACK, 5)
    found = alternate(model, black_by_search(), lost, last=4)
    assert (found.winner, found.why) == (None, "undecided: White at 0: lost")
    found = alternate(model, black_by_search(), lost, deadline=Deadline.after(0))
    assert (found.winner, found.turns) == (None, ())


def test_a_whole_game_that_black_does_not_win_is_whites() -> None:
    model = harary_model("tic", 3, 3)

    def never(game: PositionalModel, deadline: Deadline) -> DepthTurn:
        return DepthTurn(len(game.turns), False, "nobody", 0.0, player=WHITE)

    found = alternate(model, black_by_search(), never)
    assert found.winner is solve(PositionalGame(model)).winner
    fatty = harary_model("fatty", 3, 3)
    found = alternate(fatty, black_by_search(), never)
    assert found.why == "White holds out until the board is full (search)"
    assert found.winner is WHITE


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "no JSON"),
        ("[]", "1:1: found a list, expected an object"),
        ('{"format": "qsage alternation 1", "model": "?"}', "answers about another game"),
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "state.json"
    path.write_text(content)
    with pytest.raises(InputError, match=words):
        AlternationFile(path, harary_model("el", 3, 3), "search")


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"plies": "3"}, "found a text for 'plies', expected a whole number"),
        ({"player": "red"}, "found 'red', expected one of black, white"),
        ({"truth": None}, "found null for 'truth', expected true or false"),
        ({"more": 1}, "found the field 'more', expected one of player, plies"),
        ({"player": "white", "truth": True}, "a win of Black's and a block"),
    ],
)
def test_wrong_answers_in_a_file_are_refused(
    tmp_path: Path, entry: dict[str, object], words: str
) -> None:
    path = tmp_path / "state.json"
    model = harary_model("el", 3, 3)
    AlternationFile(path, model, "search").add(DepthTurn(5, True, "search", 0.1))
    content = json.loads(path.read_text())
    content["answers"].append({**content["answers"][0], **entry})
    path.write_text(json.dumps(resealed(content)))
    with pytest.raises(InputError, match=words):
        AlternationFile(path, model, "search")


def test_a_file_is_for_one_encoding(tmp_path: Path) -> None:
    model = harary_model("el", 3, 3)
    AlternationFile(tmp_path / "state.json", model, "cover")
    with pytest.raises(InputError, match="for the encoding cover, expected cor-lean"):
        AlternationFile(tmp_path / "state.json", model, "cor-lean")


def test_an_encoding_that_says_nothing_about_wins_is_refused() -> None:
    model = harary_model("el", 3, 3)
    with pytest.raises(UsageError, match="found the encoding pairing, expected one whose truth"):
        alternate(
            model, black_by_formulas("pairing", decide), white_by_search(BlockingSearch(model))
        )


# --- the command ----------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(2, 2), (3, 3), (4, 3), (4, 4)])
def test_black_connects_a_network_within_as_many_plies_as_the_rules_say(
    size: tuple[int, int],
) -> None:
    network = hex_network(*size)
    found = by_search(with_all_winning_sets(network))
    assert found.winner is BLACK
    assert found.plies == solve(PositionalGame(network)).critical_plies


@pytest.mark.parametrize("size", [(1, 2), (2, 3), (3, 4), (3, 5), (4, 5)])
def test_pairs_keep_the_sides_of_hex_apart_that_are_further_from_each_other(
    size: tuple[int, int],
) -> None:
    network = hex_network(*size)
    listed = with_all_winning_sets(network)
    found = by_search(listed)
    assert (found.winner, found.plies) == (WHITE, 0)
    pairing = PairingFinder(listed).find(0, 0)
    assert pairing is not None
    assert network.network is not None
    # By the network, not the sets: one of each pair, and other cells, as many as Black claims.
    others = [1 << v for v in members(network.all & ~pairing.mask)]
    for chosen in product((0, 1), repeat=len(pairing.pairs)):
        black = mask_of(pair[k] for pair, k in zip(pairing.pairs, chosen, strict=True))
        for more in combinations(others, network.moves_of(BLACK) - len(chosen)):
            assert not network.won_by_black(black | sum(more))


def command(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = run_qsage(["solve", "harary", *words, "--depth", "auto", "--alternate"])
    return code, capsys.readouterr().out


def test_the_command_shows_a_pairing_of_the_empty_board(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out = command(capsys, "--size", "4x4", "--shape", "fatty")
    assert code == Exit.FALSE
    head, words, *rows = out.splitlines()
    assert head == "White blocks within 0 plies (pairs by search)"
    assert words == "White answers in the pair that Black plays in:"
    letters = [sign for row in rows for sign in row.split() if sign != "."]
    assert len(letters) > 8
    assert all(letters.count(sign) == 2 for sign in letters)


def test_the_command_draws_pairs_on_hexagons(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["hex-network", "--size", "2x3", "--depth", "auto", "--alternate"]
    assert run_qsage(["solve", *words]) == Exit.FALSE
    *_, top, middle, bottom = capsys.readouterr().out.splitlines()
    assert len(top.split()) == 2
    assert [len(row) - len(row.lstrip()) for row in (top, middle, bottom)] == [0, 1, 2]
    letters = [*top.split(), *middle.split(), *bottom.split()]
    assert sorted(set(letters) - {"."}) == ["a", "b", "c"][: len(set(letters) - {"."})]
    assert run_qsage(["solve", "hex-network", "--size", "11x11", *words[3:]]) == 2
    assert "more than 20,000 winning sets" in capsys.readouterr().err


def test_the_command_shows_answers_to_first_moves(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--size", "5x5", "--torus", "--shape", "fatty")
    code, out = command(capsys, *words)
    assert code == Exit.FALSE
    head, answer, *rows = out.splitlines()
    assert head == "White blocks within 2 plies (pairs by search)"
    signs = [sign for row in rows for sign in row.split()]
    assert (signs.count("B"), signs.count("W")) == (1, 1)
    _, out = command(capsys, *words, "--json")
    (reply,) = json.loads(out)["replies"]
    assert answer == f"to {reply['to']} White answers {reply['move']}:"
    assert 2 * len(reply["pairs"]) + 2 == len([sign for sign in signs if sign != "."])


def test_the_command_goes_on_from_a_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ("--size", "4x4", "--shape", "tic", "--resume", str(tmp_path / "tic.json"))
    first = command(capsys, *words)
    assert first[0] == Exit.TRUE
    assert first[1].startswith("Black wins within 5 plies (search); first move ")
    code, out = command(capsys, *words)
    said = f"'search' as {tmp_path / 'tic.json'} says, not checked again"
    assert (code, out) == (first[0], first[1].replace("(search)", f"({said})"))
