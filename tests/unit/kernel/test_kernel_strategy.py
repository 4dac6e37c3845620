"""Strategies of positional games proved by the rules as a circuit, and the circuit by the rules."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pytest

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.errors import Undecided
from qsage_validate.games.languages import load_game
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.positional.hex import hex_network, transversal_of
from qsage_validate.games.positional.model import Network, PositionalModel, alternating
from qsage_validate.games.positional.rules import PositionalGame
from qsage_validate.games.protocol import Player, Square, TwoPlayerGame
from qsage_validate.games.registry import find_command
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate, Dialect
from qsage_validate.kernel.game import Rules, State
from qsage_validate.kernel.reading import PlyReading, Reading
from qsage_validate.kernel.strategy import Lost, StrategyProof, Won
from qsage_validate.system.limits import Deadline
from qsage_validate.validation.finding import FindingKind, Proved, Refuted, Verdict
from qsage_validate.validation.proofs import LevelAnswer, prove_boards, prove_rules, rules_of
from tests.support.plays import with_function
from tests.support.table_matches import EL, HELD, HEX, SETS, certified

BLACK, WHITE = Player.BLACK, Player.WHITE


# -- the circuit is the rules -------------------------------------------------------------------

GAMES = [
    EL,
    HEX,
    SETS,
    harary_model("domino", 2, 2, plies=4),
    transversal_of(hex_network(3, 2, 5)),
    replace(hex_network(3, 3, 5), black=1 << 4, white=1 << 0),
    PositionalModel(
        "graph",
        ("a", "b", "c", "d"),
        alternating(3),
        network=Network((0b0110, 0b1001, 0b1001, 0b0110), 0b0001, 0b1000),
    ),
    PositionalModel("two stones", ("a", "b", "c"), (BLACK, WHITE, WHITE), (0b011,), (0b110,)),
]


GRID_WORDS = [
    ["httt", "--size", "3x3", "--shape", "tic", "--depth", "5"],
    ["breakthrough", "--size", "2x4", "--depth", "8"],
    ["connect-c", "--size", "3x3", "--depth", "7"],
    ["domineering", "--size", "3x3", "--depth", "6"],
    ["evader-pursuer", "--size", "4x4", "--depth", "5"],
    ["hex", "--size", "2x2", "--depth", "3"],
]


def games() -> list[TwoPlayerGame]:
    return [
        *map(PositionalGame, GAMES),
        *(load_game(find_command(words)) for words in GRID_WORDS),
    ]


@pytest.mark.parametrize("game", games(), ids=lambda game: game.name)
def test_the_circuit_says_what_the_rules_say(game: TwoPlayerGame) -> None:
    make = rules_of(game)
    assert make is not None
    chance = random.Random(7)
    for _ in range(30):
        rules = make(AigBuilder())
        position, state = game.initial, rules.initial
        for time in range(game.plies + 1):
            outcome = position.outcome
            won = {player for player, literal in rules.won(state, time).items() if literal}
            held_out = time == game.plies and outcome is not None and outcome.winner is WHITE
            assert won == (set() if outcome is None else {outcome.winner}) or (held_out and not won)
            for name, literal in rules.atoms(state, time).items():
                kind, _, place = name.partition(" ")
                square = position.board[square_of(game, place)]
                assert bool(literal) == (
                    square is Square.OPEN
                    if kind == "open"
                    else square is not Square.OPEN
                    if kind == "occupied"
                    else square.name.lower() == kind
                )
            if outcome is not None:
                break
            assert rules.mover(time + 1) is position.to_move
            names, legal = rules.moves(time + 1), rules.legal(state, time + 1)
            allowed = {str(move) for move in position.legal_moves()}
            assert {n for n, can in zip(names, legal, strict=True) if can} == allowed
            move = chance.choice(sorted(allowed))
            state = rules.after(state, time + 1, [int(name == move) for name in names])
            position = position.play(game.parse_move(move, position.to_move))


def square_of(game: TwoPlayerGame, place: str) -> tuple[int, int]:
    if isinstance(game, PositionalGame):
        found = game.square_of(place)
        assert found is not None
        return found
    x, y = place.strip("()").split(",")
    return int(x), int(y)


# -- proofs -------------------------------------------------------------------------------------


def prove(
    model: PositionalModel,
    encoding: str,
    ask: Callable[..., LevelAnswer] = prove_rules,
    **changes: object,
) -> Verdict:
    made = certified(model, encoding)
    values = {
        "formula": made.encoding.qbf,
        "layout": made.encoding.layout,
        "certificate": made.certificate,
        "game": load_game(model),
    } | changes
    return ask(**values).verdict


@pytest.mark.parametrize("encoding", ["ea", "la", "sa", "pairing"])
def test_a_win_of_blacks_is_proved_for_every_play(encoding: str) -> None:
    assert isinstance(prove(EL, encoding), Proved)


@pytest.mark.parametrize("encoding", ["en", "et", "ln", "sn"])
def test_a_connection_is_proved_for_every_play(encoding: str) -> None:
    assert isinstance(prove(HEX, encoding), Proved)


@pytest.mark.parametrize("encoding", ["ea", "la", "sa"])
def test_whites_holding_out_is_proved_for_every_play(encoding: str) -> None:
    assert isinstance(prove(HELD, encoding), Proved)


def test_a_function_that_is_left_out_is_false() -> None:
    certificate = certified(EL, "ea").certificate
    first, *_ = certified(EL, "ea").encoding.layout.moves
    chosen = [v for v in first.variables if certificate.functions[v] == TRUE]
    others = [v for v in first.variables if certificate.functions[v] == FALSE]
    assert (len(chosen), len(others)) == (1, 3)

    def without(variables: list[int]) -> Verdict:
        kept = {v: x for v, x in certificate.functions.items() if v not in variables}
        return prove(EL, "ea", certificate=replace(certificate, functions=kept))

    assert isinstance(without(others), Proved)
    assert isinstance(without(chosen), Refuted)


def test_another_goal_is_not_reached() -> None:
    other = load_game(harary_model("tic", 3, 3, maker_breaker=True, plies=5))
    verdict = prove(EL, "ea", game=other)
    assert isinstance(verdict, Refuted)
    (finding,) = verdict.findings
    assert finding.kind is FindingKind.END_DIFFERS
    assert finding.detail == "all plies are played and Black has not reached a goal"
    game, position = other, other.initial
    for text in finding.moves:
        position = position.play(game.parse_move(text, position.to_move))
    assert position.outcome is not None
    assert position.outcome.winner is WHITE


def test_black_winning_against_whites_certificate_is_found() -> None:
    other = load_game(harary_model("domino", 3, 3, maker_breaker=True, plies=3))
    verdict = prove(HELD, "ea", game=other)
    assert isinstance(verdict, Refuted)
    assert verdict.findings[0].kind is FindingKind.END_DIFFERS
    assert len(verdict.findings[0].moves) == 3
    assert "Black wins although" in verdict.findings[0].detail


@pytest.mark.parametrize("ply", [3, 5])
def test_an_illegal_reply_is_found_with_its_play(ply: int) -> None:
    made = certified(EL, "sa")
    certificate = made.certificate
    # Always b2, which Black has claimed at ply 1.
    number = EL.number["b2"]
    code = made.encoding.layout.moves[ply - 1].variables
    for place, variable in enumerate(code):
        literal = number >> (len(code) - 1 - place) & 1
        certificate = with_function(certificate, variable, literal)
    verdict = prove(EL, "sa", certificate=certificate)
    assert isinstance(verdict, Refuted)
    (finding,) = verdict.findings
    assert finding.kind is FindingKind.ILLEGAL_REPLY
    assert finding.ply == ply
    assert finding.moves[-1] == "b2"
    assert finding.moves[0] == "b2"


@pytest.mark.parametrize("encoding", ["ea", "la"])
def test_a_position_that_the_formula_tells_wrongly_is_found(encoding: str) -> None:
    layout = certified(EL, encoding).encoding.layout
    state = layout.state
    wrong = replace(state, kinds=tuple(reversed(state.kinds)))
    changed = replace(layout, state=wrong)
    assert isinstance(prove(EL, encoding, layout=changed), Proved)
    verdict = prove(EL, encoding, prove_boards, layout=changed)
    assert isinstance(verdict, Refuted)
    assert verdict.findings[0].kind is FindingKind.BOARD_DIFFERS


def test_a_legality_that_the_formula_tells_wrongly_is_found() -> None:
    layout = certified(EL, "ea").encoding.layout
    moves = list(layout.moves)
    black = layout.state.states[1][0]
    moves[1] = replace(moves[1], legal=(black, *(0 for _ in moves[1].moves[1:])))
    verdict = prove(EL, "ea", prove_boards, layout=replace(layout, moves=tuple(moves)))
    assert isinstance(verdict, Refuted)
    (finding,) = verdict.findings
    assert finding.kind is FindingKind.LEGALITY_DIFFERS
    assert finding.moves[-1] == "a1"


def test_no_time_is_undecided() -> None:
    verdict = prove(EL, "ea", deadline=Deadline.after(0))
    assert isinstance(verdict, Undecided)
    assert "time is up" in verdict.why


def test_a_game_that_is_over_before_it_begins() -> None:
    begun = replace(SETS, black=0b0011)
    assert isinstance(prove(SETS, "ea", game=load_game(begun)), Proved)


class Twins(Rules):
    """Two moves, each as good as the other at the start; Black wins behind the last ply."""

    def __init__(self, *players: Player) -> None:
        self.builder, self.plies = AigBuilder(), len(players)
        self._players = players

    def mover(self, ply: int) -> Player:
        return self._players[ply - 1]

    def moves(self, ply: int) -> Sequence[str]:
        return "a", "b"

    @property
    def initial(self) -> State:
        return ()

    def legal(self, state: State, ply: int) -> Sequence[int]:
        return TRUE, TRUE

    def after(self, state: State, ply: int, made: Sequence[int]) -> State:
        return state

    def won(self, state: State, time: int) -> Mapping[Player, int]:
        return {BLACK: TRUE if time == self.plies else FALSE, WHITE: FALSE}

    def atoms(self, state: State, time: int) -> Mapping[str, int]:
        return {}

    def as_good(self, first: str) -> frozenset[str]:
        return frozenset("ab") - {first}


@pytest.mark.parametrize(("players", "missing"), [((WHITE, BLACK), None), ((BLACK, WHITE), 2)])
def test_a_mirror_image_answers_first_moves_alone(
    players: tuple[Player, Player], missing: int | None
) -> None:
    """White's b has no code: what answers a answers it at ply 1, and nothing does at ply 2."""
    both = {"a": [(False,)], "b": [(True,)]}
    one = {"a": [(False,)]}
    plies = tuple(
        PlyReading(ply, player, (ply,), both if player is BLACK else one)
        for ply, player in enumerate(players, start=1)
    )
    aig, _ = AigBuilder(1).build([])
    black, white = (players.index(player) + 1 for player in (BLACK, WHITE))
    certificate = CircuitCertificate(
        CertificateKind.SKOLEM, aig, (white,), {black: FALSE}, Dialect.CAQE
    )
    answer = StrategyProof(None, certificate, Reading(plies), Twins(*players)).prove()
    if missing is None:
        assert isinstance(answer, Won)
    else:
        assert isinstance(answer, Lost)
        assert (answer.kind, answer.ply) == (FindingKind.LEGALITY_DIFFERS, missing)
        assert answer.moves == ("a", "b")
