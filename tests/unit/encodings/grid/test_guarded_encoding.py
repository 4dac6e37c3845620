"""The variant with guards says what the lifted encoding says, and decides the guards early."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

from qsage_validate.certificates.check import CertificateProved, check
from qsage_validate.certificates.smaller import rebuild
from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.layout_reader import layout_from_comments
from qsage_validate.encodings.registry import encode
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.formats.qdimacs import clausal_form, parse_qdimacs, qdimacs_text
from qsage_validate.formats.writing import qcir_text
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.protocol import Player
from qsage_validate.games.registry import resolve_command
from tests.support.certifying import certify_game
from tests.support.minimax import minimax
from tests.support.models import models
from tests.support.plies import indicators_of
from tests.support.qbf_truth import qbf_truth

GAMES = [
    "httt --shape tic --size 4x4 --depth 5",
    "breakthrough --size 2x4 --second --depth 9",
    "domineering --size 3x3 --depth 4",
]


def guarded(words: str) -> Encoding:
    return encode(resolve_command(words.split()), "lifted-guarded")


@settings(max_examples=60)
@given(models(max_side=2, max_depth=3))
def test_truth_equals_minimax_on_random_games(model: Model) -> None:
    """Black wins by the rules exactly when the formula is true (Definition 10)."""
    formula = encode(model, "lifted-guarded").qbf
    assert qbf_truth(formula) == (minimax(BddlGame(model)) is Player.BLACK)


@settings(max_examples=40)
@given(models())
def test_the_variables_are_those_of_the_lifted_encoding(model: Model) -> None:
    """Same prefix, same meaning of each variable; only the gates differ."""
    nested, flat = encode(model, "lifted"), encode(model, "lifted-guarded")
    assert flat.qbf.scopes == nested.qbf.scopes
    mine, theirs = flat.layout, nested.layout
    same = replace(mine, gates=theirs.gates, verdict=theirs.verdict, encoding=theirs.encoding)
    assert same == theirs
    assert flat.layout.encoding == "lifted-guarded"
    assert layout_from_comments(parse_qcir(qcir_text(flat.qbf))) == flat.layout


@pytest.mark.parametrize("words", GAMES)
def test_the_matrix_is_flat(words: str) -> None:
    """No ply is nested in another: a gate that reads states reads those of one move, or ends."""
    encoding = guarded(words)
    qbf, layout = encoding.qbf, encoding.layout
    reads = {v: {k} for k, state in enumerate(layout.state.states) for v in state}
    last = len(layout.state.states) - 1
    for number, gate in qbf.gates.items():
        reads[number] = set().union(*(reads.get(abs(x), set()) for x in gate.inputs))
        early, late = min(reads[number], default=0), max(reads[number], default=0)
        assert number == qbf.output or late - early <= 1 or reads[number] == {early, last}
    assert "black 1 ply" not in layout.gates
    assert "initial state" in layout.gates


@pytest.mark.parametrize("words", GAMES)
def test_guards_stand_left_of_the_square_when_placed_early(words: str) -> None:
    """Whether a ply is reached is known before the squares; nested it is known after them."""
    encoding = guarded(words)

    def inner_gates(qbf: Qbf) -> int:
        form = clausal_form(qbf, polarity=True, placement="early")
        return len([v for v in form.scopes[-1].variables if v in qbf.gates])

    form = clausal_form(encoding.qbf, polarity=True, placement="early")
    levels = parse_qdimacs(qdimacs_text(form)).levels()
    square = levels[encoding.layout.state.x[0]]
    assert form.scopes[square].quantifier is Quantifier.FORALL
    early = [gate for v, gate in encoding.qbf.gates.items() if levels.get(v, square) < square]
    inputs = {abs(x) for gate in early for x in gate.inputs}
    for ply, indicators in indicators_of(encoding.layout):
        legal = abs(encoding.layout.gates[f"white {ply} legal"])
        assert {legal, *indicators.preconditions} & inputs
    nested = encode(encoding.model, "lifted").qbf
    assert inner_gates(encoding.qbf) < inner_gates(nested)


@pytest.mark.parametrize("words", GAMES[::2])
def test_functions_follow_from_the_moves(words: str) -> None:
    """Minimising may define indicators and states anew, as for the lifted encoding."""
    certified = certify_game(resolve_command(words.split()), "lifted-guarded")
    encoding = certified.encoding
    rebuilt = rebuild(encoding.qbf, encoding.layout, certified.certificate)
    assert rebuilt is not None
    assert isinstance(check(encoding.qbf, rebuilt), CertificateProved)
