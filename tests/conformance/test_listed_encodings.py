"""The level *encoding* of games whose moves are listed: what is sound is proved, faults are not.

An encoding that is registered takes part in all of this; which of the games it takes it says
itself, by ``UsageError`` for the others.  What a faulty formula is worth is asked of DepQBF.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from random import Random

import pytest

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.circuit.rewriting import residual
from qsage_validate.encodings import registry
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.layout_reader import layout_from_comments
from qsage_validate.encodings.registry import encode, encoders
from qsage_validate.errors import UsageError
from qsage_validate.formats.qdimacs import parse_qdimacs, qbf_to_qdimacs
from qsage_validate.games.languages import load_game
from qsage_validate.games.model_text import GameModel
from qsage_validate.games.positional.cover_game import CoverGame
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.positional.hex import hex_network, transversal_of
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.protocol import Player, TwoPlayerGame
from qsage_validate.judging import encoding
from qsage_validate.judging.encoding import judge
from qsage_validate.judging.python_rules import GameValues, simulator_of
from qsage_validate.validation.finding import Finding, Proved, Refuted, Verdict
from qsage_validate.validation.proofs import rules_of
from research.benchmarks.prefix_faults import faulty_prefixes, is_true
from tests.support.formula_faults import some_faults
from tests.support.gdl_heap import heap, heap_with
from tests.support.positional import random_game, random_network_game
from tests.support.search import solve

pytestmark = pytest.mark.slow

BLACK, WHITE = Player.BLACK, Player.WHITE
FAULTS = 25
_PATIENCE = 0.3


@pytest.fixture(autouse=True, scope="module")
def _suggested_once() -> Iterator[None]:
    """The proofs of all faulty formulas of a game ask for the same encoding and the same rules."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "encode", cache(encode))
        patch.setattr(encoding, "rules_of", cache(rules_of))
        yield


def httt(shape: str, size: int, plies: int, *, breaker: bool = True) -> PositionalModel:
    return harary_model(shape, size, size, maker_breaker=breaker, plies=plies)


def second(model: PositionalModel) -> PositionalModel:
    """The same with White to begin."""
    return replace(model, turns=tuple(player.other for player in model.turns))


def with_white(model: PositionalModel, position: str) -> PositionalModel:
    """The same, where White has a position already."""
    return replace(model, white=model.mask([position]), first_moves=0)


GAMES: dict[str, GameModel] = {
    "hex 2x2": hex_network(2, 2, plies=3),
    "hex 2x3, lost": with_white(hex_network(2, 3, plies=5), "a1"),
    "hex 3x3": hex_network(3, 3, plies=5),
    "hex 3x3, lost": with_white(hex_network(3, 3, plies=5), "b2"),
    "hex 4x4": hex_network(4, 4, plies=7),
    "cut 3x3": transversal_of(hex_network(3, 3, plies=5)),
    "el 3x3": httt("el", 3, 5),
    "tic 3x3, lost": httt("tic", 3, 5),
    "tic 3x3, both": httt("tic", 3, 5, breaker=False),
    "el 3x3, both": httt("el", 3, 5, breaker=False),
    "el 3x3, White begins": second(httt("el", 3, 6, breaker=False)),
    "heap 3": heap(3, 4),
    "heap 4": heap(4, 4),
    "heap 4, second": heap(4, 4, "second"),
}
NAMES = {language: tuple(encoders(language)) for language in ("positional", "gdl")}


@cache
def _encoded(game: str, name: str) -> Encoding | None:
    """The encoding of a game; ``None`` of one that the encoding does not take."""
    if name not in NAMES[GAMES[game].language]:
        return None
    try:
        return encode(GAMES[game], name)
    except UsageError:
        return None


@cache
def _game(name: str) -> TwoPlayerGame:
    game: TwoPlayerGame = load_game(GAMES[name])
    return game


def _verdict(encoded: Encoding, formula: Qbf, game: TwoPlayerGame) -> Verdict:
    return judge(formula, encoded.layout, game, patience=_PATIENCE).verdict


@cache
def _black_wins(game: TwoPlayerGame) -> bool:
    return solve(game).winner is BLACK


def _lies(encoded: Encoding, formula: Qbf, game: TwoPlayerGame) -> bool:
    """True if a formula that is proved has a value that says the wrong winner."""
    lies = {value for value in encoded.layout.conclusive if value is not _black_wins(game)}
    return bool(lies) and is_true(formula) in lies


@pytest.mark.parametrize("name", [*NAMES["positional"], *NAMES["gdl"]])
def test_sound_encodings_are_proved(name: str) -> None:
    proved = 0
    for game in GAMES:
        encoded = _encoded(game, name)
        if encoded is None:
            continue
        verdict = _verdict(encoded, encoded.qbf, _game(game))
        assert isinstance(verdict, Proved), (game, str(verdict))
        # Formulas with pairs are hard for the solver that is asked here.
        hard = "4x4" in game or name == "pairing"
        assert hard or not _lies(encoded, encoded.qbf, _game(game))
        proved += 1
    assert proved


@pytest.mark.parametrize("name", [*NAMES["positional"], *NAMES["gdl"]])
def test_a_clausal_file_is_proved_as_well(name: str) -> None:
    games = ("heap 3", "hex 2x2", "el 3x3")
    game, encoded = next((g, e) for g in games if (e := _encoded(g, name)) is not None)
    formula = parse_qdimacs(qbf_to_qdimacs(encoded.qbf))
    layout = layout_from_comments(formula)
    assert layout is not None
    verdict = judge(formula, layout, _game(game)).verdict
    assert isinstance(verdict, Proved), str(verdict)


@cache
def _some_games(name: str) -> list[str]:
    """A game that Black wins and one that Black does not win, which the encoding takes."""
    found: dict[Player, str] = {}
    for game in GAMES:
        if "4x4" not in game and _encoded(game, name) is not None:
            winner = solve(_game(game)).winner
            assert winner is not None
            found.setdefault(winner, game)
    return list(found.values())


FAMILIES = (*NAMES["positional"], *NAMES["gdl"])


def _shows_a_difference(
    encoded: Encoding, formula: Qbf, game: TwoPlayerGame, refuted: Refuted
) -> bool:
    """True if the play that is shown is one of the game, and the formula has another value then."""
    finding = refuted.findings[0]
    fixed: dict[int, bool] = {}
    position = game.initial
    for ply, move in zip(encoded.layout.moves, finding.moves, strict=False):
        parsed = game.parse_move(move, ply.player)
        assert parsed in position.legal_moves()
        said = move
        if not ply.coding.can_say(move):
            assert isinstance(encoded.model, PositionalModel)
            cover = CoverGame(encoded.model, played=False).around(_first_stones(encoded, finding))
            inside = encoded.model.mask([move]) & cover
            said = f"{move} in the cover" if inside else "out of cover"
        fixed |= ply.coding.encode(said)
        position = position.after(parsed)
    winner = GameValues(simulator_of(game)).winner(position, len(finding.moves))
    value = is_true(residual(formula, fixed))
    return value in encoded.layout.conclusive and value is not (winner is BLACK)


def _first_stones(encoded: Encoding, finding: Finding) -> int:
    assert isinstance(encoded.model, PositionalModel)
    return encoded.model.black | encoded.model.mask(finding.moves[:1])


@pytest.mark.parametrize("name", FAMILIES)
def test_no_faulty_matrix_is_proved_that_has_another_value(name: str) -> None:
    counts: Counter[str] = Counter()
    for number, game in enumerate(_some_games(name)):
        encoded = encode(GAMES[game], name)
        # In one direction: what makes the formula say less often who wins is no fault.
        one_sided = len(encoded.layout.conclusive) == 1
        many = 8 * FAULTS if one_sided and not number else FAULTS
        faults = some_faults(encoded.qbf, many, seed=3)
        for fault, formula in faults:
            verdict = _verdict(encoded, formula, _game(game))
            counts[type(verdict).__name__] += 1
            if isinstance(verdict, Proved):
                assert not _lies(encoded, formula, _game(game)), (game, fault)
            if isinstance(verdict, Refuted):
                assert _shows_a_difference(encoded, formula, _game(game), verdict), (game, fault)
    assert counts["Refuted"] + counts["Undecided"] >= 20, counts
    assert counts["Refuted"] >= 15, counts


@pytest.mark.parametrize("name", FAMILIES)
def test_no_faulty_prefix_is_proved_that_gives_another_value(name: str) -> None:
    noticed, least = 0, 5
    for game in _some_games(name):
        encoded = encode(GAMES[game], name)
        if len(encoded.layout.conclusive) == 1:
            least = 3  # where one value claims nothing, more faults are none, and are proved
        faults = list(faulty_prefixes(encoded.qbf, Random(3), 20))
        for fault, formula in Random(3).sample(faults, min(FAULTS, len(faults))):
            verdict = _verdict(encoded, formula, _game(game))
            if isinstance(verdict, Proved):
                assert not _lies(encoded, formula, _game(game)), (game, fault)
            else:
                noticed += 1
    assert noticed >= least


def _others(game: str) -> Sequence[str]:
    """Games on the same positions that the other player wins."""
    model = GAMES[game]
    return [
        other
        for other, one in GAMES.items()
        if isinstance(model, PositionalModel)
        and isinstance(one, PositionalModel)
        and one.positions == model.positions
        and solve(_game(other)).winner is not solve(_game(game)).winner
    ]


@pytest.mark.parametrize("name", ["cor", "cor+", "cor-lean", "ea", "la", "sa", "sn", "cover"])
def test_the_formula_of_another_game_is_not_proved(name: str) -> None:
    asked = 0
    for game in GAMES:
        encoded = _encoded(game, name)
        if encoded is None:
            continue
        for other in _others(game):
            value = solve(_game(game)).winner is BLACK
            if value not in encoded.layout.conclusive:
                continue
            verdict = _verdict(encoded, encoded.qbf, _game(other))
            assert not isinstance(verdict, Proved), (game, other)
            asked += 1
    assert asked


def test_random_games_are_proved() -> None:
    random = Random(11)
    proved = 0
    for number in range(40):
        model = random_game(random, 6) if number % 2 else random_network_game(random, 6)
        for name in ("cor", "cor+", "cor-lean", "ea", "en", "la", "sa", "sn", "cover-played"):
            try:
                encoded = encode(model, name)
            except UsageError:
                continue
            game = load_game(model)
            verdict = _verdict(encoded, encoded.qbf, game)
            assert isinstance(verdict, Proved), (number, name, str(verdict))
            assert not _lies(encoded, encoded.qbf, game)
            proved += 1
    assert proved > 100


def test_first_moves_that_no_symmetry_exchanges_are_missed() -> None:
    """Tic on 3x3 is not as good from the middle as from the corner, for all a layout may say."""
    model = httt("el", 3, 5)
    game = load_game(model)
    corner = replace(model, first_moves=1)
    encoded = encode(corner, "cor-lean")
    verdict = _verdict(encoded, encoded.qbf, game)
    assert isinstance(verdict, Refuted)
    assert "has no code" in verdict.findings[0].text


TAKES = [(role, have, k) for role in ("first", "second") for have in (1, 2, 3, 4) for k in (1, 2)]


@pytest.mark.parametrize("name", NAMES["gdl"])
@pytest.mark.parametrize("known", [True, False])
def test_a_move_of_blacks_that_the_rules_forbid_loses(name: str, known: bool) -> None:
    """Black wins the formula's game by a move that is not legal in the other one."""
    encoded = encode(heap(4, 4), name)
    layout = encoded.layout if known else replace(encoded.layout, encoding="mine")
    game = load_game(heap_with([one for one in TAKES if one != ("first", 4, 1)], 4, 4))
    assert (solve(load_game(heap(4, 4))).winner, solve(game).winner) == (BLACK, WHITE)
    verdict = judge(encoded.qbf, layout, game).verdict
    assert isinstance(verdict, Refuted), str(verdict)


@pytest.mark.parametrize("name", NAMES["gdl"])
@pytest.mark.parametrize("known", [True, False])
def test_a_move_of_whites_without_a_code_is_missed(name: str, known: bool) -> None:
    """Black wins the formula's game, in which White never takes two; White wins the other one."""
    model = heap_with([one for one in TAKES if one[::2] != ("second", 2)], 3, 4)
    encoded = encode(model, name)
    layout = encoded.layout if known else replace(encoded.layout, encoding="mine")
    game = load_game(heap(3, 4))
    assert (solve(load_game(model)).winner, solve(game).winner) == (BLACK, WHITE)
    verdict = judge(encoded.qbf, layout, game).verdict
    assert isinstance(verdict, Refuted), str(verdict)
    assert "White's move (take 2) is legal by the rules, and has no code" in str(verdict)


def test_a_formula_that_no_encoder_makes_is_proved_by_functions_that_are_found() -> None:
    encoded = encode(GAMES["hex 2x2"], "cor")
    layout = replace(encoded.layout, encoding="mine")
    verdict = judge(encoded.qbf, layout, _game("hex 2x2")).verdict
    assert isinstance(verdict, Proved), str(verdict)
    assert "on all scripts" in verdict.reason


def test_half_of_a_proof_stands_where_the_other_half_is_open() -> None:
    """Without suggestions for Black's helpers: no play is wrongly given to Black."""
    encoded = encode(GAMES["el 3x3"], "cor")
    layout = replace(encoded.layout, encoding="mine")
    answer = judge(encoded.qbf, layout, _game("el 3x3"), patience=0.1)
    assert not isinstance(answer.verdict, Proved | Refuted), str(answer.verdict)
    assert answer.implies == (True,)


def test_plies_of_a_layout_beyond_the_game_are_no_moves() -> None:
    """They are helpers: that the layout has more plies than the game is no fault of the formula."""
    encoded = encode(GAMES["hex 2x2"], "cor")
    moves = encoded.layout.moves
    more = (*moves, *(replace(ply, ply=ply.ply + len(moves)) for ply in moves))
    verdict = judge(encoded.qbf, replace(encoded.layout, moves=more), _game("hex 2x2")).verdict
    assert isinstance(verdict, Proved), str(verdict)


@pytest.mark.parametrize("change", ["the other player", "one variable twice"])
def test_a_layout_that_cannot_be_is_refuted(change: str) -> None:
    encoded = encode(GAMES["el 3x3"], "cor")
    moves = encoded.layout.moves
    if change == "the other player":
        moves = (replace(moves[0], player=WHITE), *moves[1:])
    else:
        moves = (*moves[:2], replace(moves[0], ply=3), *moves[3:])
    layout = replace(encoded.layout, moves=moves)
    verdict = judge(encoded.qbf, layout, _game("el 3x3")).verdict
    assert isinstance(verdict, Refuted)
    assert verdict.findings[0].kind.name == "LAYOUT_DIFFERS"
