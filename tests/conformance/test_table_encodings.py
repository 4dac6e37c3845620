"""Every encoding of positional games and of games in GDL, against the rules.

An encoding that is registered takes part in all of this; which of the instances it takes it says
itself, by ``UsageError`` for the others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from random import Random

import pytest

from qsage_validate.arena.adversary import AdversaryReport, open_adversary
from qsage_validate.certificates.compiler import NotCompiledError
from qsage_validate.certificates.routes import Certified
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.layout_reader import layout_from_comments
from qsage_validate.encodings.registry import encode, encoders
from qsage_validate.errors import UsageError
from qsage_validate.extensions.gdl import library
from qsage_validate.extensions.gdl.model import GdlModel
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.formats.qdimacs import parse_qdimacs, qbf_to_qdimacs
from qsage_validate.formats.writing import qcir_text
from qsage_validate.games.languages import load_game, model_from_parts
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.positional.hex import hex_network, transversal_of
from qsage_validate.games.positional.model import Network, PositionalModel, alternating
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.certificate import CertificateKind
from qsage_validate.problems.load import BoardProblem, Files
from tests.support.certificate_truth import falsifying_choice
from tests.support.certifying import certify_game
from tests.support.gdl_heap import heap
from tests.support.minimax import minimax
from tests.support.positional import random_game, random_network_game
from tests.support.search import solve
from tests.support.table_plays import lost_plays

BLACK, WHITE = Player.BLACK, Player.WHITE
TableModel = PositionalModel | GdlModel

# What the formula of these says when it is true, or false; the other value says nothing.
TRUE_SAYS = {"cover": BLACK, "cover-played": BLACK}
FALSE_SAYS = {"pairing": WHITE}

# White's moves are told apart by what they do in the formula, so no play can be read from these.
OTHER_WORDS = {"cover"}


def httt(shape: str, size: int, plies: int, *, breaker: bool = True) -> PositionalModel:
    """Harary's Tic-Tac-Toe, maker-breaker unless said."""
    return harary_model(shape, size, size, maker_breaker=breaker, plies=plies)


def with_stones(model: PositionalModel, black: str = "", white: str = "") -> PositionalModel:
    """A game that has begun."""
    stones = model.mask(black.split()), model.mask(white.split())
    return replace(model, black=stones[0], white=stones[1], first_moves=0)


def turns(model: PositionalModel, players: str) -> PositionalModel:
    """A game with other turns, a letter a ply."""
    return replace(model, turns=tuple(BLACK if player == "B" else WHITE for player in players))


def sets(
    count: int, plies: int, black: tuple[int, ...], white: tuple[int, ...] = ()
) -> PositionalModel:
    """A game of winning sets on positions without a picture."""
    names = tuple(f"p{k}" for k in range(count))
    return PositionalModel("sets", names, alternating(plies), black, white)


# Random plays of a certificate.
PLAYS = 8


INSTANCES: dict[str, Callable[[], TableModel]] = {
    "domino 2x2 1": lambda: httt("domino", 2, 1),
    "domino 3x3 3": lambda: httt("domino", 3, 3),
    "el 3x3 5": lambda: httt("el", 3, 5),
    "el 3x3 3": lambda: httt("el", 3, 3),
    "tic 3x3 5": lambda: httt("tic", 3, 5),
    "el 3x3 begun 3": lambda: with_stones(httt("el", 3, 3), "b2", "c1"),
    "tic 3x3 begun 3": lambda: with_stones(httt("tic", 3, 3), "b2", "c1 a3"),
    "domino maker-maker 3x3 3": lambda: httt("domino", 3, 3, breaker=False),
    "el maker-maker 3x3 7": lambda: httt("el", 3, 7, breaker=False),
    "tic maker-maker 3x3 5": lambda: httt("tic", 3, 5, breaker=False),
    "White is quicker": lambda: sets(4, 3, (0b1111,), (0b0001, 0b0010, 0b0100, 0b1000)),
    "Black wins before White": lambda: sets(5, 5, (0b00011, 0b00101), (0b11000,)),
    "hex 2x2 3": lambda: hex_network(2, 2, 3),
    "hex 2x2 1": lambda: hex_network(2, 2, 1),
    "hex 3x3 5": lambda: hex_network(3, 3, 5),
    "hex 3x3 begun 5": lambda: with_stones(hex_network(3, 3, 5), white="b2"),
    "hex 3x3 contracted 3": lambda: with_stones(hex_network(3, 3, 3), "b2", "a1"),
    "hex transversal 2x2 3": lambda: transversal_of(hex_network(2, 2, 3)),
    "hex transversal 3x3 begun 5": lambda: transversal_of(
        with_stones(hex_network(3, 3, 5), white="b2")
    ),
    "a graph 3": lambda: PositionalModel(
        "graph",
        ("a", "b", "c", "d"),
        alternating(3),
        network=Network((0b0110, 0b1001, 0b1001, 0b0110), 0b0001, 0b1000),
    ),
    "domino two stones a turn 3x3": lambda: turns(httt("domino", 3, 5), "BWWBB"),
    "petals, two stones a turn": lambda: turns(sets(7, 5, (7, 25, 97)), "BWWBB"),
    "domino maker-maker White begins 3x3": lambda: turns(
        httt("domino", 3, 5, breaker=False), "WBBWB"
    ),
    "hex two stones a turn 2x2": lambda: turns(hex_network(2, 2, 3), "BWB"),
    "heap 4": lambda: heap(4, 4),
    "heap 4, 2 rounds": lambda: heap(4, 2),
    "heap 3": lambda: heap(3, 3),
    "heap 3, second": lambda: heap(3, 3, "second"),
    "heap 4, second": lambda: heap(4, 4, "second"),
    "trails 5": lambda: GdlModel(library.load("trails"), 5),
}

ENCODINGS = sorted([*encoders("positional"), *encoders("gdl")])


@cache
def model_of(name: str) -> TableModel:
    return INSTANCES[name]()


@cache
def winner_of(name: str) -> Player:
    return minimax(load_game(model_of(name)))


@cache
def encoded(name: str, encoding: str) -> Encoding | str:
    """The instance, or why the encoding does not take it."""
    if encoding not in encoders(model_of(name).language):
        return "another kind"
    try:
        return encode(model_of(name), encoding)
    except UsageError as error:
        return str(error)


def attacked(name: str, encoding: str) -> AdversaryReport | None:
    """A random adversary against the certificate, if there is one.

    Every third of its plies begins with an attempt at an illegal move, where one is known.
    """
    made = certified(name, encoding)
    if made is None:
        return None
    layout, game = made.encoding.layout, load_game(made.encoding.model)
    by_rules = encoding not in OTHER_WORDS
    problem = BoardProblem(
        Files(),
        made.encoding.qbf,
        made.certificate,
        layout,
        game if by_rules else None,
    )
    # Without rules nothing is known to be illegal in these formulas.
    return open_adversary(problem, seed=len(name), illegal=1 / 3 if by_rules else 0).run(PLAYS)


@cache
def certified(name: str, encoding: str) -> Certified | None:
    """The instance certified by search; ``None`` where the encoding cannot."""
    try:
        return certify_game(model_of(name), encoding)
    except NotCompiledError:
        return None


def made_of(pair: tuple[str, str]) -> Encoding:
    made = encoded(*pair)
    assert isinstance(made, Encoding)
    return made


@cache
def pairs(encoding: str) -> tuple[tuple[str, str], ...]:
    """The instances that an encoding takes, each with its name."""
    return tuple((n, encoding) for n in INSTANCES if not isinstance(encoded(n, encoding), str))


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_encoding_has_instances_that_either_player_wins(encoding: str) -> None:
    assert {winner_of(name) for name, _ in pairs(encoding)} == set(Player)


@pytest.mark.parametrize("name", INSTANCES)
def test_search_finds_the_winner(name: str) -> None:
    assert solve(load_game(model_of(name))).winner is winner_of(name)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_what_an_encoding_does_not_take_is_one_line(encoding: str) -> None:
    for name in INSTANCES:
        made = encoded(name, encoding)
        if isinstance(made, str) and made != "another kind":
            assert "\n" not in made
            assert "found" in made or ":" in made
            assert "expected" in made


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_an_encoding_is_right_about_every_instance(encoding: str) -> None:
    """One test, so that what is certified here is certified once."""
    checks = (truth_and_certificate, wins_by_the_rules, file_describes_itself, moves_of_the_rules)
    for pair in pairs(encoding):
        for check in checks:
            try:
                check(pair)
            except AssertionError as error:
                raise AssertionError(f"{pair[0]}: {check.__name__}: {error}") from error
    attacked_by_anything(encoding)


def truth_and_certificate(pair: tuple[str, str]) -> None:
    """A certificate of whoever wins is proved; where none is compiled, a solver is asked."""
    name, encoding = pair
    winner, made = winner_of(name), certified(name, encoding)
    if made is not None:
        qbf, certificate = made.encoding.qbf, made.certificate
        assert made.winner is winner
        assert (certificate.kind is CertificateKind.SKOLEM) == (winner is BLACK)
        assert falsifying_choice(qbf, certificate) is None
        return
    assert encoding in TRUE_SAYS | FALSE_SAYS, "an encoding that has certificates of both players"
    # Whatever such a formula is about has a certificate: here it says nothing.
    assert _truth(pair) is (encoding in FALSE_SAYS)


def _truth(pair: tuple[str, str]) -> bool:
    pytest.importorskip("pyqbf", reason="asks a QBF solver")
    from qsage_validate.solvers.backends import backends
    from qsage_validate.solvers.qbf_solving import solve_formula
    from qsage_validate.system.limits import Deadline, Limits

    # On these formulas Qute is by far the quickest, as long as nobody preprocesses them.
    qute = backends()["qute"]
    solved = solve_formula(made_of(pair).qbf, [qute], Limits(Deadline.after(60)))
    assert solved.truth is not None, solved.why
    return solved.truth


def wins_by_the_rules(pair: tuple[str, str]) -> None:
    """In all plays with legal moves of the opponent, moves are legal and the end is a win."""
    made = certified(*pair)
    if made is None or pair[1] in OTHER_WORDS:
        return
    game = load_game(made.encoding.model)
    assert lost_plays(made.encoding.layout, made.certificate, game) == []


def attacked_by_anything(encoding: str) -> None:
    """Plays as ``qsage-play`` has them, of the certificate against anything."""
    tried = 0
    for name, _ in pairs(encoding):
        report = attacked(name, encoding)
        if report is not None:
            assert report.findings == (), name
            assert (report.wins, report.losses, report.undecided) == (PLAYS, 0, 0), name
            tried += report.results.tried
    # In many small games nothing illegal is possible, so this is asked of all of them together.
    assert tried > 0 or encoding in OTHER_WORDS


def file_describes_itself(pair: tuple[str, str]) -> None:
    """Layout and model travel inside the file, as QCIR and as QDIMACS."""
    made = made_of(pair)
    assert made.layout.encoding == pair[1]
    for read in (parse_qcir(qcir_text(made.qbf)), parse_qdimacs(qbf_to_qdimacs(made.qbf))):
        layout = layout_from_comments(read)
        assert layout is not None
        if layout.verdict != made.layout.verdict:
            # Clauses have no numbers in QDIMACS, so their conjunction may get another one.
            assert (layout.verdict, made.layout.verdict) == (read.output, made.qbf.output)
        assert replace(layout, verdict=made.layout.verdict) == made.layout
        assert model_from_parts(layout.game, layout.model) == made.model


def moves_of_the_rules(pair: tuple[str, str]) -> None:
    """Players take turns as by the rules; each move's text is one that the rules read."""
    made = made_of(pair)
    game = load_game(made.model)
    named = {player: set(map(str, game.moves(player))) for player in Player}
    for number, table in enumerate(made.layout.moves, start=1):
        assert (table.ply, table.player) == (number, game.player_at(number))
        if pair[1] in OTHER_WORDS and table.player is WHITE:
            continue
        for text in table.moves:
            assert str(game.parse_move(text, table.player)) == text
        # What can be legal in some round of a game in GDL is not known exactly.
        assert isinstance(made.model, GdlModel) or set(table.moves) <= named[table.player]


@pytest.mark.parametrize("seed", range(6))
def test_random_games_are_certified_by_every_encoding_that_takes_them(seed: int) -> None:
    random = Random(seed)
    models = [
        random_game(random, 5),
        replace(random_game(random, 5), white_wins=()),
        random_network_game(random, 5, short=random.choice((BLACK, WHITE))),
    ]
    taken = set()
    for model in models:
        model = replace(model, turns=alternating(random.choice((1, 3, 5))))
        for encoding in encoders("positional"):
            try:
                made = certify_game(model, encoding)
            except (UsageError, NotCompiledError):
                continue
            taken.add(encoding)
            assert made.winner is minimax(load_game(model))
            assert falsifying_choice(made.encoding.qbf, made.certificate) is None
            if encoding in OTHER_WORDS:
                continue
            game = load_game(made.encoding.model)
            assert lost_plays(made.encoding.layout, made.certificate, game) == []
    assert len(taken) > 4
