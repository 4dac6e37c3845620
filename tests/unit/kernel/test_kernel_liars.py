"""Layouts that lie, certificates that peek, games with another end: the rules level notices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from qsage_validate.circuit.aig import Aig
from qsage_validate.circuit.qbf import Connective, Gate, Qbf
from qsage_validate.encodings.layout import IllegalMoves, Layout
from qsage_validate.games.languages import load_game
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.positional.model import PositionalModel, alternating
from qsage_validate.games.positional.rules import PositionalGame
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.certificate import CircuitCertificate
from qsage_validate.validation.finding import FindingKind, Proved, Refuted, Unsupported, Verdict
from qsage_validate.validation.proofs import ground_positional, prove_boards, prove_rules
from tests.support.plays import with_function
from tests.support.plies import relisted
from tests.support.table_matches import EL, HELD, certified

BLACK, WHITE = Player.BLACK, Player.WHITE
# Three cells in a row, of which Black gets two neighbours: by the middle at once.
ROW = PositionalModel("row", ("a", "b", "c"), alternating(3), (0b011, 0b110))


def rules(
    model: PositionalModel,
    *,
    formula: Qbf | None = None,
    layout: Layout | None = None,
    certificate: CircuitCertificate | None = None,
    game: PositionalModel | None = None,
    encoding: str = "ea",
) -> Verdict:
    made = certified(model, encoding)
    return prove_rules(
        formula or made.encoding.qbf,
        layout or made.encoding.layout,
        certificate or made.certificate,
        load_game(game or model),
    ).verdict


def kinds(verdict: Verdict) -> set[FindingKind]:
    assert isinstance(verdict, Refuted), str(verdict)
    return {finding.kind for finding in verdict.findings}


def with_ply(model: PositionalModel, ply: int, **changes: object) -> Layout:
    layout = certified(model, "ea").encoding.layout
    moves = list(layout.moves)
    moves[ply - 1] = relisted(moves[ply - 1], **changes)
    return replace(layout, moves=tuple(moves))


def losing(model: PositionalModel) -> CircuitCertificate:
    """A certificate whose first reply is always the first cell, and the later ones as well."""
    made = certified(model, "ea")
    certificate = made.certificate
    for table in made.encoding.layout.moves:
        if table.player is certificate.kind.player:
            for number, variable in enumerate(table.variables):
                value = 0 if table.coding.numbers else int(number == 0)
                certificate = with_function(certificate, abs(variable), value ^ (variable < 0))
    return certificate


@pytest.mark.parametrize("model", [EL, HELD, ROW], ids=lambda model: model.name)
def test_honest_files_are_proved(model: PositionalModel) -> None:
    assert isinstance(rules(model), Proved)


def test_a_stop_that_is_always_true_stops_nothing() -> None:
    """White's stop names a constant gate: no play would be left, and everything would hold."""
    made = certified(ROW, "ea")
    gate = made.encoding.qbf.max_variable + 1
    always = replace(
        made.encoding.qbf, gates={**made.encoding.qbf.gates, gate: Gate(Connective.AND, ())}
    )
    layout = with_ply(ROW, 2, stop=gate)
    assert isinstance(rules(ROW, formula=always, layout=layout), Proved)
    found = rules(ROW, formula=always, layout=layout, certificate=losing(ROW))
    assert kinds(found) <= {FindingKind.ILLEGAL_REPLY, FindingKind.END_DIFFERS}


def test_plies_that_are_given_to_another_player() -> None:
    found = rules(ROW, layout=with_ply(ROW, 2, player=BLACK))
    assert kinds(found) == {FindingKind.LAYOUT_DIFFERS}


def test_plies_that_are_numbered_wrongly() -> None:
    layout = certified(ROW, "ea").encoding.layout
    *first, last = layout.moves
    found = rules(ROW, layout=replace(layout, moves=(*first, replace(last, ply=4))))
    assert kinds(found) == {FindingKind.LAYOUT_DIFFERS}


def test_a_move_of_whites_that_the_table_lacks() -> None:
    table = certified(ROW, "ea").encoding.layout.moves[1]
    changes: dict[str, object] = {"moves": table.moves[:-1], "legal": ()}
    if not table.coding.numbers:
        changes["literals"] = table.variables[:-1]
    found = rules(ROW, layout=with_ply(ROW, 2, **changes))
    assert kinds(found) == {FindingKind.LEGALITY_DIFFERS}
    assert isinstance(found, Refuted)
    assert found.findings[0].moves == ("b", "c")


def test_a_move_that_is_legal_in_no_play_needs_no_code() -> None:
    """Black begins in the middle, so that White can never move there."""
    table = certified(ROW, "ea").encoding.layout.moves[1]
    number = table.moves.index("b")
    moves = [f"none {k}" if k == number else move for k, move in enumerate(table.moves)]
    changes: dict[str, object] = {"moves": tuple(moves), "legal": ()}
    assert isinstance(rules(ROW, layout=with_ply(ROW, 2, **changes)), Proved)


def test_first_moves_that_a_symmetry_exchanges_need_one_code() -> None:
    """Encodings number one first move of each class; the class is checked, not believed."""
    made = certified(HELD, "cor-ladder")
    assert len(made.encoding.layout.moves[0].moves) < len(HELD.positions)
    assert isinstance(rules(HELD, encoding="cor-ladder"), Proved)
    # With a black stone in a corner the board has fewer symmetries.
    begun = replace(HELD, black=1)
    found = rules(HELD, encoding="cor-ladder", game=begun)
    assert not isinstance(found, Proved)


def test_a_permutation_that_does_not_keep_the_game_is_not_believed() -> None:
    game = ground_positional(PositionalGame(HELD))
    size = len(HELD.positions)
    exchanged = [2, 1, *range(3, size + 1)]  # the first two cells
    wrong = (*exchanged, *(size + k for k in exchanged))
    assert game.images(wrong) is None
    assert game.images((1,) * 2 * size) is None
    assert all(game.images(symmetry) for symmetry in game.symmetries)
    assert len(game.symmetries) == 7


def test_one_variable_for_two_plies_of_the_opponents() -> None:
    second = certified(EL, "ea").encoding.layout.moves[1]
    changes = {"code": second.variables, "legal": ()}
    assert kinds(rules(EL, layout=with_ply(EL, 4, **changes))) == {FindingKind.LAYOUT_DIFFERS}


def test_moves_of_whites_that_are_blacks_variables() -> None:
    first = certified(EL, "ea").encoding.layout.moves[0]
    changes = {"code": first.variables, "legal": ()}
    assert kinds(rules(EL, layout=with_ply(EL, 2, **changes))) == {FindingKind.LAYOUT_DIFFERS}


def test_a_reply_that_knows_what_white_will_do() -> None:
    made = certified(ROW, "ea")
    first, second = made.encoding.layout.moves[:2]
    certificate = made.certificate
    later = certificate.inputs.index(abs(second.variables[0])) + 1
    certificate = with_function(certificate, abs(first.variables[0]), 2 * later)
    assert kinds(rules(ROW, certificate=certificate)) == {FindingKind.LOOKS_RIGHT}


@pytest.mark.parametrize("value", [False, True])
def test_a_reply_that_reads_the_position_before_it_is_told(value: bool) -> None:
    """Any value serves, as long as no play gives the variable another one before the reply."""
    made = certified(HELD, "ea")
    certificate, aig = made.certificate, made.certificate.aig
    later = abs(made.encoding.layout.state.states[3][0])
    read = 2 * (certificate.inputs.index(later) + 1) + (not value)
    longer = Aig(
        aig.num_inputs,
        np.append(aig.fanin0, np.int32(read)),
        np.append(aig.fanin1, np.int32(certificate.functions[23])),
    )
    changed = replace(
        certificate,
        aig=longer,
        functions={**certificate.functions, 23: 2 * longer.num_variables},
    )
    answer = prove_rules(made.encoding.qbf, made.encoding.layout, changed, load_game(HELD))
    assert isinstance(answer.verdict, Proved)


@pytest.mark.parametrize("plies", [4, 5])
def test_a_table_that_is_shorter_than_the_game(plies: int) -> None:
    """White holds out for three plies; with five Black wins."""
    longer = harary_model("el", 3, 3, maker_breaker=True, plies=plies)
    verdict = rules(HELD, game=longer)
    # Ply 4 is White's: the goal is reached at ply 5 alone.
    assert isinstance(verdict, Proved) == (plies == 4)
    if plies == 5:
        assert kinds(verdict) == {FindingKind.END_DIFFERS}


def test_a_table_that_is_longer_than_the_game() -> None:
    shorter = harary_model("el", 3, 3, maker_breaker=True, plies=3)
    assert kinds(rules(EL, game=shorter)) == {FindingKind.END_DIFFERS}


def test_what_is_no_move_may_be_a_pass_where_that_never_helps() -> None:
    """With a layout that lets Black pass, a strategy that passes must win all the same."""
    layout = replace(
        certified(ROW, "ea").encoding.layout, illegal=IllegalMoves.IGNORED, black_passes=True
    )
    assert isinstance(rules(ROW, layout=layout), Proved)
    found = rules(ROW, layout=layout, certificate=losing(ROW))
    assert kinds(found) == {FindingKind.END_DIFFERS}


def test_replies_that_may_be_any_move_win_with_each_of_them() -> None:
    layout = replace(certified(HELD, "ea").encoding.layout, illegal=IllegalMoves.REPLACED)
    assert isinstance(rules(HELD, layout=layout), Proved)
    # Two in a row within three plies: White must answer next to Black's first stone.
    pair = PositionalModel("pair", ("a", "b", "c", "d"), alternating(3), (0b0011,))
    layout = replace(certified(pair, "ea").encoding.layout, illegal=IllegalMoves.REPLACED)
    assert isinstance(rules(pair, layout=layout), Proved)
    assert kinds(rules(pair, layout=layout, certificate=losing(pair))) == {FindingKind.END_DIFFERS}


def test_boards_of_a_certificate_for_white_are_not_compared() -> None:
    made = certified(HELD, "ea")
    answer = prove_boards(
        made.encoding.qbf, made.encoding.layout, made.certificate, load_game(HELD)
    )
    assert isinstance(answer.verdict, Unsupported)
