"""Certificates of prepared games, lifted to the whole game."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from qsage_validate.certificates.check import CertificateProved, CertificateRefuted, check
from qsage_validate.certificates.compiler import NotCompiledError
from qsage_validate.certificates.lemmas import lift
from qsage_validate.certificates.routes import (
    CheckFailedError,
    RouteOptions,
    certify_formula,
    certify_prepared,
)
from qsage_validate.circuit.aig import AigBuilder
from qsage_validate.circuit.qbf import Quantifier
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.prepared import prepare
from qsage_validate.encodings.registry import encode, encoders
from qsage_validate.errors import UsageError
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.positional.hex import hex_network
from qsage_validate.games.positional.model import PositionalModel, alternating
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate, Dialect
from tests.support.positional import random_game, random_network_game, winner

pytestmark = pytest.mark.slow

BLACK, WHITE = Player.BLACK, Player.WHITE

ENCODINGS = [
    name
    for name in encoders("positional")
    if name not in ("sn-httt", "cover", "cover-played", "pairing")
]


def both(model: PositionalModel, encoding: str) -> tuple[Encoding, Encoding] | None:
    """The game's encoding and that of what is left; nothing where the encoding is of others."""
    try:
        whole = encode(model, encoding)
    except UsageError:
        return None
    return whole, encode(prepare(model, encoding), encoding)


def without_hint(model: PositionalModel) -> PositionalModel:
    return replace(model, first_moves=0)


# White moves twice last: a position is left out because there is time for White to claim it.
_TIME = PositionalModel("time", ("a", "b"), (WHITE, BLACK), black_wins=(0b01,))

GAMES: dict[str, PositionalModel] = {
    "el 3x3": harary_model("el", 3, 3, maker_breaker=True, plies=5),
    "fatty 3x3": without_hint(harary_model("fatty", 3, 3, maker_breaker=True, plies=5)),
    "tic 3x3": without_hint(harary_model("tic", 3, 3, maker_breaker=True, plies=5)),
    "el maker-maker 3x3": without_hint(harary_model("el", 3, 3, maker_breaker=False, plies=5)),
    "hex 3x3": hex_network(3, 3, 5),
    "hex 3x3, too few": hex_network(3, 3, 3),
    "hex 2x2, nothing left": hex_network(2, 2, 1),
    "hex 4x4": hex_network(4, 4, 7),
    "White has time": _TIME,
    "a set of nothing": PositionalModel("nothing", ("a",), alternating(1), black_wins=(0,)),
    **{f"sets {seed}": random_game(Random(seed)) for seed in range(1, 42)},
    **{f"network {seed}": random_network_game(Random(seed)) for seed in range(42, 62)},
}


@pytest.mark.parametrize("name", GAMES)
def test_lifted_certificates_are_proved_on_the_whole_game(name: str) -> None:
    model = GAMES[name]
    made = 0
    # Of a large board the encodings with the most and the fewest variables.
    encodings = ENCODINGS if len(model.positions) <= 9 else ("cor-lean", "sn")
    for encoding in encodings:
        pair = both(model, encoding)
        if pair is None:
            continue
        whole, left = pair
        found = certify_formula(left.qbf, RouteOptions("search"), encoding=left)
        if len(model.positions) <= 9:
            assert found.certificate.kind.player is winner(model), encoding
        lifted = lift(found.certificate, left, whole)
        checked = check(whole.qbf, lifted)
        assert isinstance(checked, CertificateProved), (encoding, checked)
        assert set(lifted.functions) == set(whole.qbf.variables(lifted.kind.decides))
        made += 1
    assert made


@pytest.mark.parametrize("encoding", ["cor", "cor-ladder", "ea", "la", "sa"])
def test_certificates_of_expansion_are_lifted_too(encoding: str) -> None:
    """These claim what is taken, and White's read Black's board."""
    kinds = set()
    for seed in range(1, 160, 6):
        model = random_game(Random(seed), size=5)
        pair = both(model, encoding)
        if pair is None:
            continue
        whole, left = pair
        found = certify_formula(left.qbf, RouteOptions("expansion"))
        checked = check(whole.qbf, lift(found.certificate, left, whole))
        assert isinstance(checked, CertificateProved), (seed, checked)
        kinds.add(found.certificate.kind)
    assert kinds == set(CertificateKind)


def test_functions_that_read_the_board_are_lifted() -> None:
    """White answers by what is black on the board of the formula, not by the move."""
    names = ("a", "b", "c", "d", "e")
    model = PositionalModel("pairs", names, alternating(3), black_wins=(0b00011, 0b01100))
    pair = both(model, "ea")
    assert pair is not None
    whole, left = pair
    on_board = {v for state in left.layout.state.states for v in state}
    black = dict(zip(left.layout.state.kinds, left.layout.state.states[1], strict=True))
    builder = AigBuilder()
    inputs = left.qbf.variables(Quantifier.EXISTS)
    literals = {v: builder.input() for v in inputs}
    a, _, c, d = (literals[black[f"black {name}"]] for name in ("a", "b", "c", "d"))
    # The other one of the pair, by its number: b for a, a for b, d for c, c for d.
    aig, bits = builder.build([builder.or_(c, d), builder.or_(a, c)])
    functions = dict(zip(left.layout.moves[1].coding.variables, bits, strict=True))
    reads = CircuitCertificate(CertificateKind.HERBRAND, aig, inputs, functions, Dialect.CAQE)
    assert set(inputs) & on_board
    assert isinstance(check(left.qbf, reads), CertificateProved)
    assert isinstance(check(whole.qbf, lift(reads, left, whole)), CertificateProved)


def test_black_begins_with_any_of_a_class() -> None:
    """COR+ of the prepared game has one first move of each class, that of the whole game all."""
    model = without_hint(harary_model("fatty", 3, 3, maker_breaker=True, plies=7))
    pair = both(model, "cor+")
    assert pair is not None
    whole, left = pair
    assert len(whole.layout.moves[0].moves) == 9
    assert prepare(model, "cor+").first_moves.bit_count() == 3
    found = certify_formula(left.qbf, RouteOptions("search"), encoding=left).certificate
    assert found.kind is CertificateKind.HERBRAND
    assert isinstance(check(whole.qbf, lift(found, left, whole)), CertificateProved)


def test_broken_certificates_are_refuted_on_the_whole_game() -> None:
    for name in ("hex 3x3", "el 3x3", "hex 4x4"):
        pair = both(GAMES[name], "cor-lean")
        assert pair is not None
        whole, left = pair
        found = certify_formula(left.qbf, RouteOptions("search"), encoding=left).certificate
        moves = [v for ply in left.layout.of(found.kind.player) for v in ply.variables]
        first = next(v for v in moves if isinstance(found.functions.get(v), int))
        broken = replace(found, functions={**found.functions, first: found.functions[first] ^ 1})
        assert isinstance(check(whole.qbf, lift(broken, left, whole)), CertificateRefuted), name


def test_a_wrong_preparation_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left of another game decides nothing about this one: no certificate comes out."""
    won = harary_model("el", 3, 3, maker_breaker=True, plies=5)
    lost = harary_model("el", 3, 3, maker_breaker=True, plies=3)
    for whole, left in ((won, lost), (lost, won)):
        with pytest.raises(CheckFailedError, match="on the prepared game does not hold"):
            certify_prepared(encode(whole, "cor"), encode(prepare(left, "cor"), "cor"))


def test_certify_prepared_minimises_the_whole_certificate() -> None:
    pair = both(hex_network(3, 3, 5), "en")
    assert pair is not None
    whole, left = pair
    plain = certify_prepared(whole, left)
    small = certify_prepared(whole, left, RouteOptions(minimise=True))
    assert plain.formula is small.formula is whole.qbf
    assert small.certificate.aig.num_gates < plain.certificate.aig.num_gates
    assert [name for name, _ in plain.stages][-2:] == ["lift", "check"]
    assert isinstance(check(whole.qbf, small.certificate), CertificateProved)


def test_an_encoding_without_certificates_of_the_winner() -> None:
    model = harary_model("el", 3, 3, maker_breaker=True, plies=5)
    pair = both(model, "cor")
    assert pair is not None
    whole, left = pair
    found = certify_formula(left.qbf, RouteOptions("search"), encoding=left).certificate
    with pytest.raises(NotCompiledError, match="expected one that has certificates for Black"):
        lift(found, left, replace(whole, completions={}))
