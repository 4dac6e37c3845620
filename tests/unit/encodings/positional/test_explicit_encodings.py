"""Explicit and corrective encodings: truth, plays, definitions, certificates, text, bad input."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pysat.solvers import Solver as SatSolver

from qsage_validate.certificates.routes import certify_encoding
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.explicit import FALSE_LITERAL, TRUE, ClauseSet
from qsage_validate.encodings.layout import IllegalMoves
from qsage_validate.encodings.layout_reader import layout_from_comments
from qsage_validate.encodings.prepared import prepared
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import UsageError
from qsage_validate.formats.qdimacs import clausal_form, parse_qdimacs, qbf_to_qdimacs
from qsage_validate.games.masks import mask_of
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.positional.hex import hex_network, transversal_of
from qsage_validate.games.positional.language import read_positional
from qsage_validate.games.positional.model import Network, PositionalModel, alternating
from qsage_validate.games.positional.rules import PositionalGame
from qsage_validate.games.protocol import Player
from qsage_validate.solvers.search import SearchSolver
from tests.support.claimed_play import ClaimedPlay, random_play, truth_of
from tests.support.depqbf import depqbf_truth
from tests.support.positional import random_game, random_network_game, targets_on, winner

BLACK, WHITE = Player.BLACK, Player.WHITE

CORRECTIVE = ("cor", "cor+", "cor-lean", "cor-ladder")
EXPLICIT = ("ea", "en", "en-forward", "et")
ALL = (*CORRECTIVE, *EXPLICIT)


def searched(model: PositionalModel) -> bool:
    """Whether Black wins, by search on the rules."""
    found = SearchSolver(PositionalGame(model)).solve().winner
    assert found is not None
    return found is BLACK


def encodings(model: PositionalModel, names: tuple[str, ...] = ALL) -> dict[str, Encoding]:
    """The model in all of these encodings that take it."""
    taken = set(CORRECTIVE)
    alternate = model.alternates and model.turns[0] is BLACK and len(model.turns) % 2
    if model.maker_breaker and alternate:
        taken.add("ea")
        if model.network is not None:
            taken |= {"en", "en-forward"} if model.network.short is BLACK else {"et"}
            taken |= {"et"} if model.hexagons else set()
    return {name: encode(model, name) for name in names if name in taken}


def any_game(random: Random) -> PositionalModel:
    """Sets or a graph, with any turns, or in turns of one stone that Black begins."""
    makes: tuple[Callable[[Random], PositionalModel], ...] = (
        random_game,
        random_network_game,
        lambda r: random_network_game(r, short=WHITE),
    )
    model = random.choice(makes)(random)
    if random.random() < 0.6:
        model = replace(model, turns=alternating(random.choice((1, 3, 5, 7))))
    return model


# -- truth ---------------------------------------------------------------------------------------


def test_formulas_are_true_where_black_wins_random_games() -> None:
    random = Random(11)
    seen: Counter[tuple[str, bool]] = Counter()
    for _ in range(90):
        model = any_game(random)
        wins = winner(model) is BLACK
        for name, encoding in encodings(model).items():
            assert depqbf_truth(encoding.qbf) is wins, (name, model)
            seen[name, wins] += 1
    assert all(seen[name, wins] >= 5 for name in ALL for wins in (True, False)), seen


@pytest.mark.parametrize("shape", sorted(targets_on(3, 3, most=9)))
def test_polyominoes_on_a_small_board(shape: str) -> None:
    for depth in (3, 5, 9):
        for maker_breaker in (True, False):
            model = harary_model(shape, 3, 3, maker_breaker=maker_breaker, plies=depth)
            wins = searched(model)
            for name, encoding in encodings(model).items():
                assert depqbf_truth(encoding.qbf) is wins, (name, depth, maker_breaker)


def hex_positions() -> list[PositionalModel]:
    """Small boards, empty and with some stones, at odd depths."""
    random = Random(3)
    models = [hex_network(2, 2, depth) for depth in (1, 3)]
    models += [hex_network(3, 3, depth) for depth in (3, 5, 7)]
    models += [hex_network(4, 2, 5), hex_network(2, 4, 5)]
    for _ in range(15):
        stones = random.sample(range(9), random.randint(1, 4))
        cut = random.randint(0, len(stones))
        board = hex_network(3, 3, random.choice((1, 3, 5)))
        models.append(replace(board, black=mask_of(stones[:cut]), white=mask_of(stones[cut:])))
    return models


def test_hex_in_all_encodings() -> None:
    answers = []
    for model in hex_positions():
        answers.append(searched(model))
        assert answers[-1] is searched(transversal_of(model))
        made = encodings(model)
        assert set(made) == set(ALL)
        for name, encoding in made.items():
            assert depqbf_truth(encoding.qbf) is answers[-1], (name, model)
            smaller = prepared(model, name)
            if not smaller.positions:
                continue
            assert depqbf_truth(encode(smaller, name).qbf) is answers[-1], (name, model)
    assert 3 < sum(answers) < len(answers) - 3


def test_games_of_others(shared_data: Path) -> None:
    files = sorted((shared_data / "pg" / "gttt-3x3").glob("*.pg"))
    if not files:
        pytest.skip("no PG files of 3x3 boards")
    answers = []
    for file in files[::8]:
        model = read_positional(file)
        answers.append(searched(model))
        for name, encoding in encodings(model, CORRECTIVE).items():
            assert depqbf_truth(encoding.qbf) is answers[-1], (name, file)
    assert len(set(answers)) == 2


def test_puzzles_are_prepared_as_by_their_authors(shared_data: Path) -> None:
    folder = shared_data / "pg" / "sat2023" / "Hein"
    boards = sorted((folder / "B-Hex").glob("*.pg"))
    if not boards:
        pytest.skip("no puzzles of Hein's")
    differences = []
    for file in boards:
        board = read_positional(file)
        theirs = read_positional(folder / "R-Gex" / "Gex-format" / file.name)
        sizes = set()
        for name in EXPLICIT:
            model = prepared(board, name)
            sizes.add(len(model.positions))
            assert bool(encode(model, name).layout.moves) is bool(model.positions)
        # The same positions are useful to winning sets, to ways and to cuts.
        assert len(sizes) == 1
        differences.append(len(theirs.positions) - sizes.pop())
    assert min(differences) == 0
    assert differences.count(0) >= 30


# -- single plays --------------------------------------------------------------------------------


def wrong_stones(play: ClaimedPlay, values: Mapping[int, bool]) -> list[str]:
    """The atoms that a layout vouches for, before the play is won, and that are not the play's."""
    layout = play.encoding.layout
    assert layout is not None
    wrong = []
    states = zip(play.stones, layout.state.states, strict=True)
    for (black, white), literals in list(states)[: play.won_after + 1] if values else ():
        stones = {f"black {name}" for name in play.model.names(black)}
        stones |= {f"white {name}" for name in play.model.names(white)}
        for atom, x in zip(layout.state.kinds, literals, strict=False):
            # Variables of unused moves need not be in the clauses.
            says = values.get(abs(x), x > 0) != (x < 0) if x else atom in stones
            if says is not (atom in stones) and layout.state.wrong(atom, says):
                wrong.append(f"{atom}: {says}")
    return wrong


@settings(max_examples=70)
@given(st.randoms(use_true_random=False))
def test_plays_are_won_in_the_formula_as_by_the_rules(random: Random) -> None:
    model = any_game(random)
    if random.random() < 0.2:
        model = hex_network(3, 3, random.choice((3, 5)))
    for name, encoding in encodings(model).items():
        play = random_play(random, encoding, black_legal=name in ("cor+", "cor-ladder"))
        wins = play.winner is BLACK
        # Whatever else Black decides, stops among it, the clauses hold exactly for a won play.
        clauses = clausal_form(encoding.qbf).clauses
        with SatSolver("minisat22", bootstrap_with=[list(c) for c in clauses]) as solver:
            solvable = all(clauses) and solver.solve(assumptions=play.moves)
            found = {abs(x): x > 0 for x in solver.get_model() or ()} if solvable else {}
        assert solvable is wins, (name, model, play.numbers)
        assert not wrong_stones(play, found), (name, model, play.numbers)
        if wins:
            assert truth_of(play.defined(), encoding), (name, model, play.numbers)


@settings(max_examples=40)
@given(st.randoms(use_true_random=False))
def test_definitions_lay_the_stones_of_the_play(random: Random) -> None:
    model = replace(any_game(random), black_wins=(), white_wins=(), network=None)
    names = CORRECTIVE if random.random() < 0.5 else ("ea", *CORRECTIVE)
    for encoding in encodings(model, names).values():
        play = random_play(random, encoding, black_legal=True)
        values = play.defined()
        assert set(values) == {v for s in encoding.qbf.scopes for v in s.variables}
        state = encoding.layout.state
        for (black, white), literals in zip(play.stones, state.states, strict=True):
            stones = {f"black {name}" for name in model.names(black)}
            stones |= {f"white {name}" for name in model.names(white)}
            for atom, literal in zip(state.kinds, literals, strict=False):
                if literal:
                    assert (values[abs(literal)] != (literal < 0)) is (atom in stones)


def test_cor_says_what_is_legal() -> None:
    encoding = encode(hex_network(2, 3, 5), "cor-ladder")
    play = ClaimedPlay(encoding, [1, 4, 0, 4, 2])
    values = play.defined()
    for table, (black, white) in zip(encoding.layout.moves, play.stones, strict=False):
        taken = set(play.model.names(black | white)) if table.ply > 1 else set()
        legal = [values[abs(x)] != (x < 0) for x in table.legal]
        assert legal == [name not in taken for name in table.moves][: len(legal)]
        assert bool(legal) is (table.ply > 1)


# -- certificates --------------------------------------------------------------------------------


def test_certificates_are_proved_for_both_sides() -> None:
    random = Random(8)
    seen: Counter[tuple[str, Player]] = Counter()
    models = [hex_network(3, 3, 3), hex_network(3, 3, 5), *(any_game(random) for _ in range(40))]
    for model in models:
        if not model.alternates:
            continue
        for name, encoding in encodings(model).items():
            seen[name, certify_encoding(encoding).winner] += 1
    assert all(seen[name, player] for name in ALL for player in Player), seen


@pytest.mark.parametrize("name", CORRECTIVE)
@pytest.mark.parametrize(("shape", "depth"), [("tic", 5), ("el", 5), ("tippy", 7), ("tippy", 9)])
def test_certificates_begin_with_a_first_move_of_the_hint(
    name: str, shape: str, depth: int
) -> None:
    model = harary_model(shape, 3, 3, plies=depth)
    certified = certify_encoding(encode(model, name))
    assert (certified.winner is BLACK) is searched(model)
    (first, *_) = certified.encoding.layout.moves
    # COR alone has no symmetry breaking.
    expected = model.open if name == "cor" else model.first_moves
    assert first.moves == model.names(expected)
    assert len(model.names(model.first_moves)) <= 3


# -- what the formulas are like -------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_clauses_are_written_as_they_are(name: str) -> None:
    encoding = encode(hex_network(3, 3, 5), name)
    text = qbf_to_qdimacs(encoding.qbf)
    again = parse_qdimacs(text)
    assert clausal_form(again) == clausal_form(encoding.qbf)
    assert (
        again.num_variables == encoding.qbf.num_variables == encoding.qbf.scopes[-1].variables[-1]
    )
    header = next(line for line in text.splitlines() if line.startswith("p cnf"))
    assert header.split()[2] == str(encoding.qbf.num_variables)


@pytest.mark.parametrize("name", ALL)
def test_layouts_say_which_boards_are_one_sided(name: str) -> None:
    encoding = encode(hex_network(3, 3, 5), name)
    layout = layout_from_comments(parse_qdimacs(qbf_to_qdimacs(encoding.qbf)))
    assert layout is not None
    assert layout.state == encoding.layout.state
    assert layout.state.one_sided is (name != "cor-ladder")
    sides = {(f"{player.value} a1", says) for player in Player for says in (True, False)}
    wrong = {side for side in sides if layout.state.wrong(*side)}
    kept = {("black a1", True), ("white a1", False)}
    assert wrong == (sides if name == "cor-ladder" else kept)


def test_the_prefix_alternates_with_the_plies() -> None:
    for name in ALL:
        encoding = encode(hex_network(3, 3, 7), name)
        assert len(encoding.qbf.merged_scopes()) == 7
        assert encoding.layout.illegal is IllegalMoves.IGNORED
        assert encoding.layout.black_passes is (name != "cor-ladder")


def test_white_passes_by_a_number_that_is_no_position() -> None:
    model = harary_model("domino", 3, 1, maker_breaker=True, plies=3)
    encoding = encode(replace(model, first_moves=0), "ea")
    for white, wins in ((0, True), (1, False), (2, True), (3, True)):
        play = ClaimedPlay(encoding, [0, white, 1])
        assert (play.winner is BLACK) is wins
        assert truth_of(play.defined(), encoding) is wins


def test_a_last_white_ply_that_no_position_is_left_for() -> None:
    model = replace(hex_network(2, 2), turns=alternating(5))
    for encoding in encodings(model).values():
        assert len(encoding.layout.moves) == encoding.model.depth == 3
        assert depqbf_truth(encoding.qbf)


def test_no_position_at_all_or_one() -> None:
    alone = replace(harary_model("elam", 1, 1, maker_breaker=True), first_moves=0)
    full = replace(hex_network(2, 1, 1), black=1, white=2)
    for name in (*CORRECTIVE, "ea"):
        assert depqbf_truth(encode(alone, name).qbf)
        assert certify_encoding(encode(alone, name)).winner is BLACK
    for model, wins in ((full, True), (replace(full, black=0, white=3), False)):
        assert searched(model) is wins
        for name, encoding in encodings(model).items():
            assert depqbf_truth(encoding.qbf) is wins, name


def test_joined_borders_are_won_from_the_start() -> None:
    for short in Player:
        network = Network((0,), 0, 0, joined=True, short=short)
        model = PositionalModel("joined", ("a",), (BLACK,), network=network)
        for name, encoding in encodings(model).items():
            assert depqbf_truth(encoding.qbf) is (short is BLACK), name


def test_no_block_of_the_prefix_is_empty() -> None:
    pair = harary_model("domino", 2, 1, maker_breaker=True, plies=1)
    for name in (*CORRECTIVE, "ea", "cover", "cover-played", "pairing"):
        assert all(scope.variables for scope in encode(pair, name).qbf.scopes), name


def test_clause_sets_simplify_constants() -> None:
    clauses = ClauseSet()
    a, b = clauses.exists(2)
    clauses.add(a, TRUE)
    clauses.add(b, FALSE_LITERAL)
    clauses.add(-a, -b, -TRUE)
    assert clauses.clauses == [(b,), (-a, -b)]
    clauses.add(FALSE_LITERAL)
    assert clauses.clauses[-1] == ()
    assert not depqbf_truth(clauses.qbf())


# -- bad input -------------------------------------------------------------------------------------

SETS = harary_model("el", 3, 3, maker_breaker=True, plies=5)
GRAPH = random_network_game(Random(1), turns=False)
WRONG = [
    (harary_model("el", 3, 3, plies=5), "ea", "found winning sets of White's"),
    (SETS.at_depth(4), "ea", "found the depth 4, expected an odd one"),
    (replace(SETS, turns=(WHITE, BLACK, WHITE)), "ea", "White begins"),
    (replace(SETS, turns=(BLACK, BLACK, WHITE)), "ea", "Black moves again at ply 2"),
    (SETS, "en", "found no network, expected a network that Black connects"),
    (SETS, "et", "found no network, expected a network that White connects"),
    (hex_network(3, 3, 5, transversal=True), "en", "found one that White connects"),
    (replace(GRAPH, turns=alternating(3)), "et", "found one that Black connects"),
    (hex_network(9, 9, 41), "ea", "more than"),
    (hex_network(9, 9, 41), "cor-lean", "more than"),
]


@pytest.mark.parametrize(("model", "name", "message"), WRONG)
def test_what_an_encoding_does_not_take(model: PositionalModel, name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        encode(model, name)
    assert "\n" not in str(caught.value)
