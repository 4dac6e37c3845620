"""Certified positional games and games in GDL, and plays against their certificates."""

from __future__ import annotations

from functools import cache

from qsage_validate.arena.board_engine import BoardEngine
from qsage_validate.arena.frame import Names
from qsage_validate.arena.play_engine import PlayEngine
from qsage_validate.certificates.routes import Certified
from qsage_validate.certificates.simulation_oracle import SimulationOracle
from qsage_validate.encodings.layout import Layout
from qsage_validate.extensions.gdl import library
from qsage_validate.extensions.gdl.model import GdlModel
from qsage_validate.games.languages import load_game
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.positional.hex import hex_network
from qsage_validate.games.positional.model import PositionalModel, alternating
from qsage_validate.games.protocol import TwoPlayerGame
from qsage_validate.kernel.certificate import CircuitCertificate
from qsage_validate.play.match import PlayMatch
from qsage_validate.strategies.skolem import reader_of
from tests.support.certifying import certify_game

EL = harary_model("el", 3, 3, maker_breaker=True, plies=5)
# White holds out: Herbrand certificates.
HELD = harary_model("el", 3, 3, maker_breaker=True, plies=3)
# White has a pairing from the start.
BLOCKED = harary_model("fatty", 4, 4, maker_breaker=True, plies=5)
HEX = hex_network(3, 3, 5)
TRAILS = GdlModel(library.load("trails"), 5)
# Black wins, and both have to wait now and then.
TRAILS_WON = GdlModel(library.load("trails"), 10, role="red")
# Positions whose names are no cells of a grid.
SETS = PositionalModel(
    "sets",
    ("left", "right", "top", "bottom"),
    alternating(3),
    (0b0011, 0b0101, 0b1001),
)


@cache
def certified(model: PositionalModel | GdlModel, encoding: str) -> Certified:
    """Formula and certificate, from the search on the rules."""
    return certify_game(model, encoding)


def table_play_engine(
    model: PositionalModel | GdlModel,
    encoding: str,
    *,
    certificate: CircuitCertificate | None = None,
    layout: Layout | None = None,
    game: TwoPlayerGame | None = None,
    rules: bool = True,
) -> PlayEngine:
    """Plays of a certificate; another one, or another layout or game, where they are given."""
    made = certified(model, encoding)
    qbf, chosen = made.encoding.qbf, certificate or made.certificate
    meant = layout or made.encoding.layout
    names = Names(meant, qbf)
    known = game or load_game(model) if rules else None
    reader = reader_of(meant, chosen, qbf, SimulationOracle(chosen, qbf), known)
    return PlayEngine(reader, known, name=names.variable, gates=names.at_ply)


def table_match(
    model: PositionalModel | GdlModel, encoding: str, *, rules: bool = True
) -> PlayMatch:
    """A person's play against the certificate of a game."""
    play_engine = table_play_engine(model, encoding, rules=rules)
    names = Names(play_engine.layout, certified(model, encoding).encoding.qbf)
    return PlayMatch(BoardEngine(play_engine, names, "a play"))
