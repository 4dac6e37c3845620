from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from random import Random

import pytest

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.prepared import pairing_clauses
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import UndecidedError, UsageError
from qsage_validate.formats.qdimacs import clausal_form
from qsage_validate.games.masks import mask_of
from qsage_validate.games.positional.cover_game import Pairing, PairingFinder, open_sets
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.positional.hex import hex_network
from qsage_validate.games.positional.model import PositionalModel, alternating
from qsage_validate.games.positional.rules import PositionalGame
from qsage_validate.games.protocol import Move, Player
from qsage_validate.solvers import maker_maker
from qsage_validate.solvers.backends import get_backend
from qsage_validate.solvers.maker_maker import BlockingSearch
from qsage_validate.solvers.qbf_solving import solve_formula
from qsage_validate.strategies.guesses import PairingStrategy
from qsage_validate.system.limits import Deadline, Limits
from tests.support.pairing import PairingFailsError, check_pairing
from tests.support.positional import random_game, winner

BLACK, WHITE = Player.BLACK, Player.WHITE


@pytest.fixture
def pyqbf_solvers() -> None:
    pytest.importorskip("pyqbf", reason="the solvers come with the extra 'solve'")


def truth(formula: Qbf, solver: str = "depqbf") -> bool:
    limits = Limits(Deadline.after(60))
    found = solve_formula(formula, [get_backend(solver)], limits).truth
    assert found is not None
    return found


def random_whole_game(random: Random, size: int = 6) -> PositionalModel:
    """A random game to the full board that has not been won before it begins."""
    while True:
        model = random_game(random, size)
        model = replace(model, turns=alternating(model.open.bit_count()))
        if model.plies and not model.won_by_white(model.white):
            return model


# --- pairings -------------------------------------------------------------------------------


def has_pairing(model: PositionalModel) -> bool:
    """The same by trying all ways of pairing open positions."""
    free = [v for v in range(len(model.positions)) if model.open >> v & 1]

    def pairings(rest: Sequence[int], chosen: tuple[tuple[int, int], ...]) -> bool:
        if next(open_sets(model, Pairing(chosen), model.black, model.white), None) is None:
            return True
        return any(
            pairings([v for v in rest if v > one and v != other], (*chosen, (one, other)))
            for one, other in combinations(rest, 2)
        )

    return pairings(free, ())


def test_the_finder_finds_a_pairing_exactly_when_there_is_one() -> None:
    random = Random(3)
    found = []
    for _ in range(200):
        model = random_game(random, 7)
        pairing = PairingFinder(model).find(model.black, model.white)
        assert (pairing is not None) is has_pairing(model), model
        if pairing is not None:
            assert not list(open_sets(model, pairing, model.black, model.white))
        found.append(pairing is not None)
    assert 40 < sum(found) < 160


def test_a_stone_and_a_pairing_are_found_together() -> None:
    random = Random(4)
    found = 0
    for _ in range(150):
        model = random_game(random, 7)
        finder = PairingFinder(model)
        moved = finder.find_move(model.black, model.white)
        free = [1 << v for v in range(7) if model.open >> v & 1]
        possible = any(finder.find(model.black, model.white | bit) for bit in free)
        assert (moved is not None) is possible, model
        if moved is not None:
            found += 1
            position, pairing = moved
            assert model.open >> position & 1
            white = model.white | 1 << position
            assert not list(open_sets(model, pairing, model.black, white))
    assert 40 < found < 140


def test_what_is_no_pairing_is_refused() -> None:
    model = harary_model("fatty", 4, 4)
    for pairs in [((0, 1), (1, 2)), ((0, 0),), ((0, 99),)]:
        with pytest.raises(UsageError, match="expected disjoint pairs of open positions"):
            list(open_sets(model, Pairing(pairs), 0, 0))
    with pytest.raises(UsageError, match="expected disjoint pairs"):
        list(open_sets(model, Pairing(((0, 1),)), 1, 0))
    assert list(open_sets(model, Pairing(()), 0, 0)) == list(model.black_wins)


def test_pairs_are_drawn_on_the_board() -> None:
    model = harary_model("fatty", 3, 3)
    names = model.number
    pairing = Pairing(((names["a2"], names["b2"]), (names["c1"], names["c2"])))
    black, white = mask_of([names["a1"]]), mask_of([names["c3"]])
    assert pairing.text(model, black, white) == "B . b\na a b\n. . W"
    assert pairing.partner(names["b2"]) == names["a2"]
    assert pairing.partner(names["a1"]) is None
    listed = PositionalModel("list", ("p", "q", "r"), alternating(3), black_wins=(0b011,))
    assert Pairing(((0, 1),)).text(listed, 0, 0) == "p - q"


# --- the formula ----------------------------------------------------------------------------


@pytest.mark.usefixtures("pyqbf_solvers")
def test_formula_search_and_rules_agree_on_random_games() -> None:
    random = Random(8)
    holds = 0
    for _ in range(16):
        model = random_whole_game(random)
        whole = model.plies
        search = BlockingSearch(model)
        blocked = False
        for plies in range(0, whole + 1, 2):
            found = truth(pairing_clauses(model.at_depth(plies)))
            assert found is search.blocks(plies), (model, plies)
            assert found or not blocked, "a pairing does not get lost"
            blocked = found
            assert truth(encode(model.at_depth(plies), "pairing").qbf, "qute") is not found
        if whole % 2 == 0:
            assert blocked is (winner(model) is WHITE), model
        elif blocked:
            assert winner(model) is WHITE, model
        holds += blocked
    assert 2 < holds < 14


@pytest.mark.usefixtures("pyqbf_solvers")
@pytest.mark.parametrize(
    ("shape", "size", "torus", "plies", "blocks"),
    [
        ("fatty", 4, False, 0, True),
        ("tippy", 3, False, 8, False),
        ("tic", 4, True, 4, False),
        ("fatty", 5, True, 0, False),
        ("fatty", 5, True, 2, True),
        ("skinny", 5, False, 2, False),
        ("skinny", 5, False, 4, True),
    ],
)
def test_polyominoes(shape: str, size: int, torus: bool, plies: int, blocks: bool) -> None:
    model = harary_model(shape, size, size, torus=torus, plies=plies)
    assert BlockingSearch(harary_model(shape, size, size, torus=torus)).blocks(plies) is blocks
    assert truth(pairing_clauses(model)) is blocks


def test_the_clauses_are_clauses_and_the_encoding_is_their_negation() -> None:
    model = harary_model("el", 3, 3, plies=4)
    clauses = replace(model, first_moves=0)
    ours, theirs = pairing_clauses(clauses), encode(model, "pairing")
    form = clausal_form(ours)
    assert form.max_variable == ours.num_variables
    assert theirs.qbf.output == -ours.output
    assert theirs.qbf.gates == ours.gates
    assert theirs.layout.conclusive == (False,)
    hinted = pairing_clauses(model)
    assert len(hinted.scopes[0].variables) == 2, "three first moves"
    assert len(ours.scopes[0].variables) == 4, "nine first moves"


def test_moves_that_are_looked_at_first_are_not_the_last_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where the order of moves is the worst, the first one does not block, and all of them do."""
    weights = BlockingSearch._weights

    def reversed_weights(search: BlockingSearch, *position: int) -> dict[int, float]:
        return {bit: -worth for bit, worth in weights(search, *position).items()}

    monkeypatch.setattr(BlockingSearch, "_weights", reversed_weights)
    monkeypatch.setattr(maker_maker, "_NARROW", 1)
    model = harary_model("knobby", 4, 4)
    search = BlockingSearch(model)
    search._width = 1
    assert not search._black_to_move(model.black, model.white, 5), "within 10 plies, one move alone"
    search = BlockingSearch(model)
    assert not search.blocks(8)
    assert search.blocks(10)


def blocks_by_trying(model: PositionalModel, black: int, white: int, stones: int) -> bool:
    """What ``BlockingSearch.holds`` says, by trying every move and every way of pairing."""
    if model.won_by_black(black):
        return False
    here = replace(model, black=black, white=white)
    if has_pairing(here):
        return True
    moves = [1 << v for v in range(len(model.positions)) if here.open >> v & 1]
    return stones > 0 and all(
        not model.won_by_black(black | move)
        and any(
            model.won_by_white(white | reply)
            or blocks_by_trying(model, black | move, white | reply, stones - 1)
            for reply in moves
            if reply != move
        )
        for move in moves
    )


def test_what_is_kept_of_one_question_does_not_answer_another() -> None:
    """Questions about fewer stones come behind those about more, and the other way round."""
    random = Random(5)
    asked = held = 0
    while asked < 400:
        model = random_whole_game(random)
        search = BlockingSearch(model)
        questions = [*range(4), *range(4)]
        random.shuffle(questions)
        for stones in questions:
            found = search.holds(model.black, model.white, stones)
            assert found is blocks_by_trying(model, model.black, model.white, stones), model
            asked, held = asked + 1, held + found
    assert 50 < held < 350
    # These boards need five stones of White's, and two.
    for shape, size, fewest in (("knobby", 4, 10), ("skinny", 5, 4)):
        search = BlockingSearch(harary_model(shape, size, size))
        assert search.blocks(fewest)
        assert not search.blocks(fewest - 2), "not what was found for more stones"


# --- the strategy ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "size", "torus", "plies"),
    [("fatty", 4, False, 0), ("fatty", 5, True, 2), ("knobby", 4, False, 10)],
)
def test_the_strategy_blocks_every_play(shape: str, size: int, torus: bool, plies: int) -> None:
    model = harary_model(shape, size, size, torus=torus)
    checked = check_pairing(PairingStrategy(model, plies))
    assert checked.longest <= plies
    assert checked.pairings > 0


def fewest_plies(search: BlockingSearch, last: int) -> int | None:
    """The fewest plies, up to ``last``, within which White blocks; ``None``: in none of them."""
    return next((plies for plies in range(0, last + 1, 2) if search.blocks(plies)), None)


def test_the_strategy_holds_out_to_the_end_of_random_games() -> None:
    random = Random(21)
    played = 0
    while played < 30:
        model = random_whole_game(random, 7)
        search = BlockingSearch(model)
        plies = next((k for k in range(0, model.plies + 1, 2) if search.blocks(k)), None)
        if plies is None:
            continue
        strategy = PairingStrategy(model, plies, search=search)
        check_pairing(strategy)
        game = PositionalGame(model)
        for _ in range(10):
            history: list[Move] = []
            position = game.initial
            while position.outcome is None:
                black = position.to_move is BLACK
                moves = position.legal_moves()
                history.append(random.choice(moves) if black else strategy.reply(history))
                position = position.play(history[-1])
            assert position.outcome.winner is WHITE, (model, history)
        played += 1


def test_answers_to_first_moves_come_with_their_pairs() -> None:
    torus = PairingStrategy(harary_model("fatty", 5, 5, torus=True), 2)
    ((first, answer, pairing),) = torus.answers()
    assert pairing is not None
    stones = mask_of([torus.model.number[first.name]]), mask_of([torus.model.number[answer.name]])
    assert not list(open_sets(torus.model, pairing, *stones))
    skinny = PairingStrategy(harary_model("skinny", 5, 5), 4)
    assert len(list(skinny.answers())) == 6


class _Wrong(PairingStrategy):
    """Forgets a pair, or plays a wrong move in front of the pairing."""

    forget = False

    def pairing(self, history: Sequence[Move]) -> Pairing | None:
        found = super().pairing(history)
        return Pairing(found.pairs[1:]) if found is not None and self.forget else found


def test_the_check_notices_a_missing_pair_and_a_missing_move() -> None:
    strategy = _Wrong(harary_model("fatty", 5, 5, torus=True), 2)
    check_pairing(strategy)
    strategy.forget = True
    with pytest.raises(PairingFailsError, match=r"after [a-e][1-5] [a-e][1-5]: no pair in "):
        check_pairing(strategy)
    strategy.forget = False
    strategy.plies = 0
    with pytest.raises(PairingFailsError, match="after no move: no pairing in 0 plies"):
        check_pairing(strategy)


def test_without_a_block_there_is_no_strategy() -> None:
    with pytest.raises(UsageError, match="White has no pairing within 8 plies"):
        PairingStrategy(harary_model("tippy", 3, 3), 8)
    with pytest.raises(UndecidedError, match="the time for White's block is over"):
        BlockingSearch(harary_model("y", 5, 5, torus=True)).blocks(24, Deadline.after(0))


# --- bad input ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (harary_model("el", 3, 3, stones=2), "expected one stone"),
        (harary_model("el", 3, 3, first=WHITE), "White begins"),
        (hex_network(9, 9), "more than 20,000 winning sets"),
    ],
)
def test_wrong_games_are_refused_in_one_line(model: PositionalModel, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        encode(model, "pairing")
