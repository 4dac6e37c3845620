"""Strategies of positional games proved by the rules as a circuit, and the circuit by the rules."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from qsage_validate.circuit.aig import AigBuilder
from qsage_validate.encodings.table_layout import MoveTable
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.positional.hex import hex_network, transversal_of
from qsage_validate.games.positional.model import Network, PositionalModel, alternating
from qsage_validate.games.positional.rules import PositionalGame, PositionalPosition
from qsage_validate.games.protocol import Player
from qsage_validate.games.registry import load_game
from qsage_validate.kernel.claims import evaluate
from qsage_validate.validation.finding import FindingKind
from qsage_validate.validation.positional_rules_circuit import PositionalRulesCircuit
from qsage_validate.validation.table_strategy_proof import prove_table_strategy
from qsage_validate.validation.verdict import Proved, Refuted, Undecided, Verdict
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


@pytest.mark.parametrize("model", GAMES, ids=lambda model: model.name)
def test_the_circuit_says_what_the_rules_say(model: PositionalModel) -> None:
    game, size = PositionalGame(model), len(model.positions)
    width = max(1, (size - 1).bit_length())
    builder = AigBuilder(width * model.plies)
    inputs = list(builder.inputs)
    tables = [
        MoveTable(
            ply,
            game.player_at(ply),
            model.positions,
            tuple(range((ply - 1) * width + 1, ply * width + 1)),
        )
        for ply in range(1, model.plies + 1)
    ]
    rules = PositionalRulesCircuit(builder, model, dict(enumerate(inputs, start=1)))
    claimed, wanted = rules.initial, {}
    for table in tables:
        ply = rules.ply(table, claimed)
        claimed = ply.after
        wanted[table.ply] = (ply.legal, ply.goal, *claimed.black, *claimed.white)
    names = {(k, i): x for k, row in wanted.items() for i, x in enumerate(row)}
    chance = random.Random(7)
    for _ in range(40):
        numbers = [chance.randrange(1 << width) for _ in tables]
        bits = [bool(n >> (width - 1 - k) & 1) for n in numbers for k in range(width)]
        codes = {key: number for number, key in enumerate(names)}
        values = evaluate(
            builder, {codes[k]: x for k, x in names.items()}, dict(enumerate(bits, start=1))
        )
        black, white = model.black, model.white
        for table, number in zip(tables, numbers, strict=True):
            legal = number < size and not (black | white) >> number & 1
            if legal and table.player is BLACK:
                black |= 1 << number
            elif legal:
                white |= 1 << number
            after = PositionalPosition(game, black, white, table.ply + 1)
            said = [values[codes[table.ply, i]] for i in range(2 + 2 * size)]
            assert said[0] == legal
            assert said[1] == after.reached(table.player)
            assert said[2 : 2 + size] == [bool(black >> k & 1) for k in range(size)]
            assert said[2 + size :] == [bool(white >> k & 1) for k in range(size)]


# -- proofs -------------------------------------------------------------------------------------


def prove(model: PositionalModel, encoding: str, **changes: object) -> Verdict:
    made = certified(model, encoding)
    values = {
        "formula": made.encoding.qbf,
        "layout": made.encoding.layout,
        "certificate": made.certificate,
        "game": load_game(model),
    } | changes
    return prove_table_strategy(**values)  # type: ignore[arg-type]


@pytest.mark.parametrize("encoding", ["ea", "la", "sa", "pairing"])
def test_a_win_of_blacks_is_proved_for_every_play(encoding: str) -> None:
    assert isinstance(prove(EL, encoding), Proved)


@pytest.mark.parametrize("encoding", ["en", "et", "ln", "sn"])
def test_a_connection_is_proved_for_every_play(encoding: str) -> None:
    assert isinstance(prove(HEX, encoding), Proved)


@pytest.mark.parametrize("encoding", ["ea", "la", "sa"])
def test_whites_holding_out_is_proved_for_every_play(encoding: str) -> None:
    assert isinstance(prove(HELD, encoding), Proved)


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
    assert "Black reaches a goal although" in verdict.findings[0].detail


@pytest.mark.parametrize("ply", [3, 5])
def test_an_illegal_reply_is_found_with_its_play(ply: int) -> None:
    made = certified(EL, "sa")
    certificate = made.certificate
    # Always b2, which Black has claimed at ply 1.
    number = EL.number["b2"]
    code = made.encoding.layout.moves[ply - 1].code
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
    wrong = replace(state, atoms=tuple(reversed(state.atoms)))
    verdict = prove(EL, encoding, layout=replace(layout, state=wrong))
    assert isinstance(verdict, Refuted)
    assert verdict.findings[0].kind is FindingKind.BOARD_DIFFERS


def test_a_legality_that_the_formula_tells_wrongly_is_found() -> None:
    layout = certified(EL, "ea").encoding.layout
    moves = list(layout.moves)
    black = layout.state.states[1][0]
    moves[1] = replace(moves[1], legal=(black, *(0 for _ in moves[1].moves[1:])))
    verdict = prove(EL, "ea", layout=replace(layout, moves=tuple(moves)))
    assert isinstance(verdict, Refuted)
    (finding,) = verdict.findings
    assert finding.kind is FindingKind.LEGALITY_DIFFERS
    assert finding.moves[-1] == "a1"


def test_no_time_is_undecided() -> None:
    verdict = prove(EL, "ea", deadline=0.0)
    assert isinstance(verdict, Undecided)
    assert "time is up" in verdict.why


def test_a_game_that_is_over_before_it_begins() -> None:
    begun = replace(SETS, black=0b0011)
    verdict = prove(SETS, "ea", game=load_game(begun))
    assert isinstance(verdict, Proved | Refuted)
    kinds = [f.kind for f in verdict.findings] if isinstance(verdict, Refuted) else []
    # Only what the formula keeps of the position may differ: nothing is played any more.
    assert set(kinds) <= {FindingKind.BOARD_DIFFERS}
