"""Plans of positional games compiled for encodings: an own tiny one, which says everything.

The tiny encoding has what none of the registered ones has: a literal for each move, and stop
variables, in a formula that reads the rules off the moves.  Both players' illegal moves lose.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from itertools import pairwise
from random import Random

import pytest

from qsage_validate.certificates.compiler import NotCompiledError
from qsage_validate.certificates.must_play import must_play_plan
from qsage_validate.certificates.plan import NoWinError, Plan
from qsage_validate.certificates.routes import RouteOptions, certify_encoding, certify_formula
from qsage_validate.circuit.builder import CircuitBuilder
from qsage_validate.circuit.qbf import Qbf, Quantifier, Scope
from qsage_validate.encodings.encoding import (
    ClaimsInMind,
    Encoding,
    PlayLiterals,
    nothing_else,
    one_of,
)
from qsage_validate.encodings.layout import IllegalMoves, Layout, Ply
from qsage_validate.encodings.list_codings import listed
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import UndecidedError
from qsage_validate.games.masks import members
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.positional.hex import hex_network
from qsage_validate.games.positional.model import PositionalModel, alternating
from qsage_validate.games.positional.rules import PositionalGame
from qsage_validate.games.protocol import Player, Witness
from qsage_validate.kernel.certificate import CertificateKind
from qsage_validate.solvers.search import SearchSolver
from qsage_validate.system.limits import Deadline
from tests.support.certificate_truth import falsifying_choice
from tests.support.certifying import certify_game
from tests.support.plies import relisted
from tests.support.position_text import parse_position
from tests.support.positional import random_game, random_network_game, winner
from tests.support.search import WinningStrategy
from tests.support.table_plays import lost_plays

BLACK, WHITE = Player.BLACK, Player.WHITE


def tiny(model: PositionalModel, *, stops: bool = True) -> Encoding:
    """Moves as literals; Black names the winning set that is complete, in binary.

    From the last ply back: whoever moves illegally has lost; a player may stop before a ply and
    has won if a goal of the player's is reached by then.
    """
    size, plies = len(model.positions), len(model.turns)
    width = max(len(model.black_wins) - 1, 0).bit_length()
    variable = iter(range(1, 10_000))
    scopes: list[Scope] = []
    tables: list[Ply] = []
    for ply, player in enumerate(model.turns, start=1):
        own = tuple(next(variable) for _ in range(size))
        stop = next(variable) if stops and ply > 1 else None
        quantifier = Quantifier.EXISTS if player is BLACK else Quantifier.FORALL
        scopes.append(Scope(quantifier, own if stop is None else (*own, stop)))
        tables.append(listed(ply, player, model.positions, literals=own, stop=stop))
    claim = tuple(next(variable) for _ in range(width))
    scopes.append(Scope(Quantifier.EXISTS, claim))
    builder = CircuitBuilder(next(variable))
    held = {p: [builder.false] * size for p in Player}
    for p, mask in ((BLACK, model.black), (WHITE, model.white)):
        for k in members(mask):
            held[p][k] = builder.true
    boards = [{p: list(held[p]) for p in Player}]
    legal = []
    for table in tables:
        board = boards[-1]
        pairs = [(a, b) for k, a in enumerate(table.variables) for b in table.variables[:k]]
        right = [
            builder.or_(-x, -board[p][k]) for k, x in enumerate(table.variables) for p in Player
        ]
        right += [builder.or_(-a, -b) for a, b in pairs]
        legal.append(builder.and_(builder.or_(*table.variables), *right))
        after = {p: list(board[p]) for p in Player}
        after[table.player] = [
            builder.or_(*x) for x in zip(board[table.player], table.variables, strict=True)
        ]
        boards.append(after)

    def claimed(board: Mapping[Player, list[int]]) -> int:
        cases = []
        for number, mask in enumerate(model.black_wins):
            said = [x if number >> (width - 1 - k) & 1 else -x for k, x in enumerate(claim)]
            cases.append(builder.and_(*said, *(board[BLACK][k] for k in members(mask))))
        return builder.or_(*cases)

    def reached(board: Mapping[Player, list[int]]) -> int:
        return builder.or_(
            *(builder.and_(*(board[WHITE][k] for k in members(m))) for m in model.white_wins)
        )

    # White cannot stop before Black's last ply, so that is where this is asked.
    value = builder.and_(claimed(boards[-1]), -reached(boards[-2]))
    for number in reversed(range(plies)):
        table = tables[number]
        if table.player is BLACK:
            value = builder.and_(legal[number], value)
        else:
            value = builder.or_(-legal[number], value)
        if table.stop is not None:
            won = claimed(boards[number]) if table.player is BLACK else -reached(boards[number])
            stop = table.stop
            value = builder.and_(builder.or_(-stop, won), builder.or_(stop, value))

    def black(play: PlayLiterals) -> Mapping[int, int]:
        number: dict[Witness, int] = {mask: k for k, mask in enumerate(model.black_wins)}
        bits = play.witness(lambda goals: number[one_of(goals)], width)
        return dict(zip(claim, bits, strict=True))

    return Encoding(
        Qbf(tuple(scopes), builder.gates, value),
        Layout(tuple(tables), encoding="tiny", verdict=value, illegal=IllegalMoves.LOSES),
        model,
        {BLACK: black, WHITE: nothing_else},
        partial(ClaimsInMind, model),
    )


def test_stop_variables_literals_and_witnesses_of_random_games() -> None:
    """Both players' wins, White's by sets of White's own among them, are proved and played."""
    random = Random(3)
    seen = set()
    for _ in range(60):
        model = replace(random_game(random, 4), turns=alternating(random.choice((1, 3, 3))))
        if model.won_by_black(model.black) and model.won_by_white(model.white):
            continue  # Who was first is more than the formula can tell.
        made = certify_encoding(tiny(model))
        assert made.winner is winner(model)
        assert falsifying_choice(made.encoding.qbf, made.certificate) is None
        assert made.encoding.layout.encoding == "tiny"
        if PositionalGame(model).initial.outcome is None:
            assert isinstance(made.encoding, Encoding)
            assert lost_plays(made.encoding.layout, made.certificate, PositionalGame(model)) == []
        seen.add((made.winner, bool(model.white_wins)))
    assert len(seen) == 4


def test_without_stop_variables_black_goes_on_legally() -> None:
    """A win after one ply of five: the rest is claimed in the order of the table."""
    model = PositionalModel("quick", ("a", "b", "c", "d", "e"), alternating(5), (1 << 2,))
    made = certify_encoding(tiny(model, stops=False))
    assert made.winner is BLACK
    assert made.decisions == 1


def test_an_encoding_without_definitions_has_no_certificate_by_search() -> None:
    made = replace(tiny(harary_model("domino", 2, 2, maker_breaker=True, plies=3)), completions={})
    with pytest.raises(NotCompiledError, match="found the encoding tiny for a win of Black's"):
        certify_encoding(made)
    # The other routes are tried then, and none of them needs any definition.
    found = certify_formula(made.qbf, RouteOptions("expansion"), encoding=made, layout=made.layout)
    assert found.certificate.kind is CertificateKind.SKOLEM


@pytest.mark.parametrize("encoding", ["cor", "cor+", "cor-lean", "cor-ladder"])
def test_turns_of_several_plies_and_games_that_white_begins(encoding: str) -> None:
    """Plies in any order: a reply is all of the opponent's plies in a row, or none of them."""
    random = Random(8)
    # White can hinder two of the three sets around p0.
    petals = PositionalModel(
        "petals", tuple(f"p{k}" for k in range(7)), (BLACK, WHITE, WHITE, BLACK, BLACK), (7, 25, 97)
    )
    models = [petals]
    for number in range(50):
        model = random_game(random, 5) if number % 3 else random_network_game(random, 5)
        models.append(replace(model, turns=tuple(random.choice((BLACK, WHITE)) for _ in range(5))))
    seen = set()
    for model in models:
        if model.won_by_black(model.black) and model.won_by_white(model.white):
            continue  # Who was first is more than the formula can tell.
        made = certify_game(model, encoding)
        assert isinstance(made.encoding.model, PositionalModel)
        game = PositionalGame(made.encoding.model)
        assert made.winner is winner(model)
        assert falsifying_choice(made.encoding.qbf, made.certificate) is None
        assert lost_plays(made.encoding.layout, made.certificate, game) == []
        players = [game.player_at(ply) for ply in range(1, game.plies + 1)]
        twice = {one for one, other in pairwise(players) if one is other}
        seen |= {(made.winner, player) for player in twice if made.decisions > 1}
    assert seen == {(hero, player) for hero in Player for player in Player}


def test_a_first_move_that_the_encoding_leaves_out_is_not_played() -> None:
    model = replace(harary_model("domino", 3, 3, maker_breaker=True, plies=3), first_moves=0)
    whole = tiny(model)
    for kept in ("a1", "b2", "c2"):
        first = whole.layout.moves[0]
        number = first.moves.index(kept)
        table = relisted(first, moves=(kept,), literals=(first.variables[number],))
        layout = replace(whole.layout, moves=(table, *whole.layout.moves[1:]))
        others = {v: 0 for v in first.variables if v != first.variables[number]}
        inner = whole.completions[BLACK]
        made = certify_encoding(
            replace(
                whole,
                layout=layout,
                completions={BLACK: lambda play, o=others, i=inner: {**i(play), **o}},  # type: ignore[misc]
            )
        )
        assert made.certificate.functions[first.variables[number]] == 1


def planned(model: PositionalModel) -> Plan:
    game = PositionalGame(model)
    solver = SearchSolver(game)
    plan = must_play_plan(game, WinningStrategy(solver, BLACK).is_win, solver.best_move)
    assert plan is not None, "White has no goal"
    return plan


def test_plans_by_must_play_win_random_games() -> None:
    """Every legal reply of White's has an answer, and every play ends with a win of Black's."""
    random = Random(8)
    done = 0
    while done < 60:
        if random.random() < 0.5:
            model = replace(random_game(random, 6), white_wins=())
        else:
            model = random_network_game(random, 6, short=random.choice((BLACK, WHITE)))
        first = random.choice((BLACK, WHITE))
        model = replace(model, turns=alternating(random.randint(1, 6), first))
        initial = PositionalGame(model).initial
        if winner(model) is WHITE:
            with pytest.raises(NoWinError):
                planned(model)
            continue
        plan = planned(model)
        done += 1
        todo = [(initial, plan.root)] if plan.root is not None else []
        if plan.root is None and initial.outcome is None:
            todo = [(initial.play(m), plan.replies[m]) for m in initial.legal_moves()]
        while todo:
            position, node = todo.pop()
            assert node is not None
            assert node.ply == position.ply
            after = position.play(node.move)
            assert node.stop == (after.outcome is not None)
            if after.outcome is not None:
                assert after.outcome.winner is BLACK
                assert all(
                    mask & ~after.black == 0 for mask in node.witnesses if isinstance(mask, int)
                )
                continue
            todo += [(after.play(m), node.table[m]) for m in after.legal_moves()]


def test_must_play_makes_few_decisions() -> None:
    """White has 2,800 lines against a tic on 4x4; a handful of decisions answers them all."""
    plan = planned(replace(harary_model("tic", 4, 4, maker_breaker=True, plies=9), first_moves=0))
    assert len(list(plan.nodes())) < 20


def test_a_plan_by_must_play_keeps_to_its_time() -> None:
    game = PositionalGame(hex_network(3, 3, 5))
    solver = SearchSolver(game)
    with pytest.raises(UndecidedError, match="time is up"):
        must_play_plan(
            game,
            WinningStrategy(solver, BLACK).is_win,
            solver.best_move,
            deadline=Deadline.after(0),
        )


def test_witnesses_are_what_reaches_the_goal() -> None:
    game = PositionalGame(hex_network(3, 3, 5))
    position = parse_position(game, "BB./.B./WB. ply 6")
    (way,) = game.witnesses(position, BLACK)
    assert isinstance(way, int)
    assert sorted(game.model.names(way)) == ["b1", "b2", "b3"]
    assert game.witnesses(position, WHITE) == frozenset()
    assert game.witnesses(game.initial, BLACK) == frozenset()


def test_an_encoding_by_name_is_certified_by_the_route_that_searches() -> None:
    made = encode(hex_network(2, 2, 3), "sn")
    found = certify_formula(made.qbf, RouteOptions("search"), encoding=made, layout=made.layout)
    assert (found.route, found.truth) == ("search", True)
