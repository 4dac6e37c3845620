"""Bounds of games of simultaneous moves: who chooses first, held against the plain definition."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from qsage_validate.certificates.routes import RouteOptions, certify_formula
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import Exit
from qsage_validate.extensions.gdl.language import STEPS, RoundBound, in_turn
from qsage_validate.extensions.gdl.machine import State, StateMachine
from qsage_validate.extensions.gdl.model import (
    Description,
    GdlModel,
    Ground,
    against_all,
    role_names,
)
from qsage_validate.extensions.gdl.parser import parse_description
from qsage_validate.extensions.gdl.rules import NotTurnTakingError
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import Player
from qsage_validate.solvers.search import search_for
from tests.support.commands import run_qsage

PENNIES = """
(role x) (role o) (init (round 0))
(<= (legal ?p (show head)) (role ?p))
(<= (legal ?p (show tail)) (role ?p))
(<= (next (round 1)) (true (round 0)))
(<= (next same) (does x (show ?s)) (does o (show ?s)))
(<= terminal (true (round 1)))
(<= (goal x 100) (true same)) (<= (goal x 0) (not (true same)))
(<= (goal o 100) (not (true same))) (<= (goal o 0) (true same))
"""


def random_game(seed: int, roles: int = 2) -> Description:
    """Three rounds of a table: each pair of moves leads from a number to a number; some win."""
    rng = random.Random(seed)
    players, moves, places = ["x", "o", "y"][:roles], ["p", "q", "r"], 4
    rules = [f"(role {player})" for player in players] + ["(init (at 0))"]
    for player in players:
        for place in range(places):
            for move in rng.sample(moves, rng.randint(1, 3)):
                rules.append(f"(<= (legal {player} {move}) (true (at {place})))")
    for place in range(places):
        for first in moves:
            for second in moves:
                body = f"(true (at {place})) (does x {first}) (does o {second})"
                place_behind = rng.choice([places, rng.randrange(places)])
                rules.append(f"(<= (next (at {place_behind})) {body})")
    rules.append(f"(<= terminal (true (at {places})))")
    won = rng.choice(["", "(not (true to_and_fro))"])
    rules.append("(<= (next to_and_fro) (does x p) (does o q))")
    rules.append(f"(<= (goal x 100) (true (at {places})) {won})")
    rules.append(f"(<= (goal x 0) (not (true (at {places}))))")
    return parse_description("\n".join(rules))


def wins(machine: StateMachine, state: State, rounds: int, bound: RoundBound) -> bool:
    """Whether x wins, by the definition: one choice after the other, both made at once."""
    x, *others = machine.roles
    assert len(others) == 1
    if machine.terminal(state):
        return 100 in machine.goals(state, x)
    if rounds == 0:
        return False
    own, against = machine.legal(state, x), machine.legal(state, others[0])

    def behind(a: Ground, b: Ground) -> bool:
        after = machine.successor(state, {x: a, others[0]: b})
        return wins(machine, after, rounds - 1, bound)

    if bound is RoundBound.MAXIMIN:
        return any(all(behind(a, b) for b in against) for a in own)
    return all(any(behind(a, b) for a in own) for b in against)


@pytest.mark.parametrize("bound", RoundBound)
@pytest.mark.parametrize("roles", [2, 3])
def test_bounds_are_those_of_the_definition(bound: RoundBound, roles: int) -> None:
    found = set()
    for seed in range(12):
        given = random_game(seed, roles)
        expected = wins(StateMachine(against_all(given, "x")), _initial(given), 3, bound)
        model = GdlModel(in_turn(given, "x", bound), 3 * STEPS, "x")
        assert (search_for(load_game(model)).solve().winner is Player.BLACK) is expected, seed
        if seed < 3:
            # The formula, by a certificate that is compiled and checked.
            proved = certify_formula(
                (made := encode(model, "gdl")).qbf, RouteOptions("search"), encoding=made
            )
            assert proved.truth is expected
        found.add(expected)
    assert found == {False, True}


def _initial(given: Description) -> State:
    return StateMachine(against_all(given, "x")).initial


TAKE = """
(role x) (role o) (init a) (init (n 0))
(<= (legal x (take ?f)) (true ?f))
(legal o left) (legal o right)
(<= (next won) (does x (take ?f)) (distinct ?f a) (distinct ?f (n 0)))
(<= (next a) (true a))
(<= terminal (not (true (n 0))))
(<= (goal x 100) (true won)) (<= (goal x 0) (not (true won)))
"""

KEEP = """
(role x) (role o) (init (n 0)) (start (lit a)) (succ 0 1) (succ 1 2)
(<= (init ?f) (start ?f))
(<= (legal ?p (press a)) (role ?p)) (<= (legal ?p (press b)) (role ?p))
(<= (gone (n ?k)) (true (n ?k)))
(<= (next ?f) (true ?f) (not (gone ?f)))
(<= (next (n ?j)) (true (n ?k)) (succ ?k ?j))
(<= (next (lit ?b)) (does x (press ?b)) (not (does o (press ?b))))
(<= terminal (true (n 2)))
(<= (goal x 100) (true (lit b))) (<= (goal x 0) (not (true (lit b))))
"""


@pytest.mark.parametrize("bound", RoundBound)
@pytest.mark.parametrize(
    "text",
    [TAKE, KEEP, KEEP.replace("(not (does o (press ?b))))", "(true (n 0)))")],
    ids=["take", "keep", "keep, won"],
)
def test_open_fluents_are_those_of_the_game(text: str, bound: RoundBound) -> None:
    """Whose turn it is was a fluent to keep, or to take, too."""
    given = parse_description(text)
    expected = wins(StateMachine(given), _initial(given), 2, bound)
    model = GdlModel(in_turn(given, "x", bound), 2 * STEPS, "x")
    assert (search_for(load_game(model)).solve().winner is Player.BLACK) is expected


def test_between_the_bounds_nothing_is_said() -> None:
    given = parse_description(PENNIES)
    with pytest.raises(NotTurnTakingError, match="--at-once maximin"):
        search_for(load_game(GdlModel(given, 1))).solve()
    answers = {
        (role, bound): search_for(load_game(GdlModel(in_turn(given, role, bound), 2, role)))
        .solve()
        .winner
        for role in ("x", "o")
        for bound in RoundBound
    }
    # Who has to choose first loses.
    for role in ("x", "o"):
        assert answers[role, RoundBound.MAXIMIN] is Player.WHITE
        assert answers[role, RoundBound.MINIMAX] is Player.BLACK


def test_words_of_the_game_are_not_taken() -> None:
    text = PENNIES.replace("same", "to_choose").replace("head", "wait").replace("tail", "chosen")
    given = in_turn(parse_description(text), None, RoundBound.MINIMAX)
    assert list(map(str, role_names(given))) == ["x", "o"]
    assert search_for(load_game(GdlModel(given, 2))).solve().winner is Player.BLACK
    # What is written is read again.
    again = parse_description(given.text())
    assert search_for(load_game(GdlModel(again, 2))).solve().winner is Player.BLACK


def test_the_option_doubles_the_rounds(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(str(tmp_path))
    with open("pennies.gdl", "w", encoding="utf-8") as file:
        file.write(PENNIES)
    assert run_qsage(["solve", "pennies.gdl", "--depth", "1"]) == 2
    assert "--at-once maximin" in capsys.readouterr().err
    assert run_qsage(["solve", "pennies.gdl", "--depth", "1", "--at-once", "minimax"]) == 10
    assert "Black wins within 2 rounds" in capsys.readouterr().out
    assert run_qsage(["solve", "pennies.gdl", "--depth", "1", "--at-once", "maximin"]) == 20


def test_a_theorem_about_a_bound_says_which_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both sentences are true of pennies' bounds, and were said of pennies, which nobody wins."""
    monkeypatch.chdir(tmp_path)
    Path("pennies.gdl").write_text(PENNIES)
    for bound, claim in (("maximin", "Black does not win"), ("minimax", "Black wins")):
        game = ["pennies.gdl", "--depth", "1", "--at-once", bound]
        name = f'{claim} the game in GDL labelled "pennies --at-once {bound}" within 2 rounds'
        assert run_qsage(["encode", *game, "-o", "p.qcir"]) == Exit.FINE
        assert run_qsage(["certify", *game, "-o", "p.aag"]) == Exit.FINE
        capsys.readouterr()
        assert run_qsage(["validate", "p.qcir", "--cert", "p.aag"]) == Exit.FINE
        assert f"p.qcir with p.aag: valid: {name}" in " ".join(capsys.readouterr().out.split())
        run_qsage(["solve", *game, "--solution", "p.solution"])
        capsys.readouterr()
        words = ["validate", "--solution", "p.solution", "--model"]
        assert run_qsage([*words, " ".join(game)]) == Exit.FINE
        assert name in " ".join(capsys.readouterr().out.split())
        assert run_qsage([*words, "pennies.gdl --depth 1"]) == Exit.BAD_INPUT
