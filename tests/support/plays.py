"""Certified games, damaged certificates, and what plays need, for the tests of plays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from qsage_validate.arena.adversary import AdversaryReport, BoardAdversary
from qsage_validate.arena.board_engine import BoardEngine
from qsage_validate.arena.frame import Names
from qsage_validate.arena.play_engine import PlayEngine
from qsage_validate.certificates.oracle import Oracle
from qsage_validate.certificates.routes import Certified
from qsage_validate.certificates.sat_oracle import SatOracle
from qsage_validate.certificates.simulation_oracle import SimulationOracle
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import TwoPlayerGame
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate
from qsage_validate.play.match import PlayMatch
from qsage_validate.strategies.herbrand import HerbrandReader
from qsage_validate.strategies.reader import CertificateReader
from qsage_validate.strategies.skolem import SkolemReader
from tests.support.by_name import resolve_model
from tests.support.certifying import certify_game

DOMINO = ("httt", "--size=3x3", "--shape=domino", "--depth=3")
EL = ("httt", "--size=3x3", "--shape=el", "--depth=5")
BREAKTHROUGH = ("breakthrough", "--size=2x4", "--second", "--depth=9")
CONNECT = ("connect-c", "--size=3x3", "--connect=2", "--depth=3")
# White holds out: Herbrand certificates.
HELD = ("httt", "--size=3x3", "--shape=el", "--depth=3")
DOMINEERING = ("domineering", "--size=4x2", "--depth=5")


def model_of(words: Sequence[str]) -> Model:
    """The model that command-line words mean (``--name=value`` for options)."""
    options: dict[str, object] = {}
    for word in words[1:]:
        name, _, value = word.removeprefix("--").partition("=")
        options[name] = value or True
    return resolve_model([words[0]], options)


@cache
def certified(words: tuple[str, ...]) -> Certified:
    """Formula and certificate of a game of the library."""
    return certify_game(model_of(words))


def reader_for(
    encoding: Encoding, certificate: CircuitCertificate, *, simulate: bool = False
) -> CertificateReader:
    """The reader of a certificate's plays."""
    oracle: Oracle
    if simulate:
        oracle = SimulationOracle(certificate, encoding.qbf)
    else:
        oracle = SatOracle(certificate, encoding.qbf)
    if certificate.kind is CertificateKind.SKOLEM:
        return SkolemReader(encoding.layout, oracle)
    return HerbrandReader(certificate, encoding.qbf, encoding.layout, oracle)


def play_engine_for(
    encoding: Encoding,
    certificate: CircuitCertificate,
    game: TwoPlayerGame | None,
    *,
    simulate: bool = False,
) -> PlayEngine:
    """Plays of a certificate, compared with ``game``."""
    names = Names(encoding.layout, encoding.qbf)
    reader = reader_for(encoding, certificate, simulate=simulate)
    return PlayEngine(reader, game, name=names.variable)


def match_for(
    words: tuple[str, ...],
    *,
    rules: bool = True,
    certificate: CircuitCertificate | None = None,
    game: TwoPlayerGame | None = None,
) -> PlayMatch:
    """A person's play against the certificate of a game of the library."""
    made = certified(words)
    if game is None and rules:
        game = load_game(made.encoding.model)
    names = Names(made.encoding.layout, made.encoding.qbf)
    reader = reader_for(made.encoding, certificate or made.certificate)
    play_engine = PlayEngine(reader, game, name=names.variable, gates=names.at_ply)
    return PlayMatch(BoardEngine(play_engine, names, "a play"))


def attack(
    play_engine: PlayEngine,
    games: int = 100,
    *,
    seed: int = 1,
    illegal: float = 0.0,
    batch: int = 64,
) -> AdversaryReport:
    """Random plays against a certificate."""
    return BoardAdversary(play_engine, seed=seed, illegal=illegal).run(games, batch=batch)


def with_flipped_fanin(certificate: CircuitCertificate, gate: int) -> CircuitCertificate:
    """The certificate with the first input of AND gate ``gate`` (from 0) complemented."""
    left = np.array(certificate.aig.fanin0)
    left[gate] ^= 1
    return replace(certificate, aig=replace(certificate.aig, fanin0=left))


def with_function(
    certificate: CircuitCertificate, variable: int, literal: int
) -> CircuitCertificate:
    """The certificate with another function for ``variable``."""
    return replace(certificate, functions={**certificate.functions, variable: literal})
