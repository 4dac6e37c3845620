"""Semantic checks: each is triggered, and what they call impossible is impossible."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings

from qsage_validate.errors import InputError
from qsage_validate.games.bddl.checks import check_model, sanity_violations
from qsage_validate.games.bddl.ground import Grounding
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.bddl.parser import (
    Diagnostic,
    Severity,
    parse_domain,
    parse_problem,
    read_model,
    require_valid,
)
from qsage_validate.games.bddl.rules import BddlGame, BddlPosition
from qsage_validate.games.protocol import Player, Square
from tests.support import naive_rules as naive
from tests.support.by_name import grid_templates, resolve_model
from tests.support.wild_models import wild_models
from tests.unit.games.bddl.test_bddl_parser import shared_models


def action(name: str, precondition: str, effect: str) -> str:
    return (
        f":action {name}\n:parameters (?x,?y)\n:precondition ({precondition})\n:effect ({effect})\n"
    )


FINE = action("occupy", "open(?x,?y)", "black(?x,?y)")
WHITE = action("occupy", "open(?x,?y)", "white(?x,?y)")


def model(
    black: str = FINE,
    white: str = WHITE,
    *,
    initial: str = "",
    depth: str = "3",
    black_goals: str = "(black(?x,?y)black(?x+1,?y))",
    white_goals: str = "",
    more: str = "",
) -> Model:
    domain = f"#blackactions\n{black}#whiteactions\n{white}"
    problem = (
        f"#boardsize 2 2\n#init\n{initial}\n#depth {depth}\n#blackgoals\n{black_goals}\n"
        f"#whitegoals\n{white_goals}\n{more}\n"
    )
    return Model(parse_domain(domain, "d"), parse_problem(problem, "p"))


ERRORS = [
    (model(initial="black(3,1)"), "p:3:1: error: found black(3,1), expected a sq"),
    (model(initial="black(0,1)"), "found black(0,1)"),
    (
        model(initial="black(1,1) white(1,1)"),
        "p:3:12: error: found white(1,1) besides black(1,1), expected one piece a square",
    ),
    (model(initial="black(1,1) black(1,1)"), "besides black(1,1)"),
    (
        model(depth="1", more="#blackturn second"),
        "p:4:8: error: found depth 1 without Black's first move, expected at least one ply",
    ),
    (model(FINE + FINE), "d:6:9: error: found a second action occupy of B"),
    (
        model(action("a", "", "NOT(open(?x,?y))")),
        "d:5:10: error: found the effect NOT(open(?x,?y)) of a, expected what stands on the squ",
    ),
    (
        model(action("a", "", "black(?x,?y) white(xmin,?y)")),
        "d:5:10: error: found effects of a that put two contents on one square when it is played "
        "at (1,1)",
    ),
    (model(black_goals="(black(3,?y))"), "p:6:2: error: found black(3,?y) in a go"),
    (
        model(action("a", "open(?x,3)", "black(?x,?y)")),
        "d:4:16: error: found open(?x,3) of a, expected squares of the 2x2 board",
    ),
]

WARNINGS = [
    (model(white=""), "warning: found no actions of White, expected at least one"),
    (
        model(action("a", "open(?x,2)", "black(?x,?y)")),
        "d:4:16: warning: found the absolute position open(?x,2) of a",
    ),
    (
        model(FINE + action("a", "open(?x,?y)", "black(?x+2,?y)")),
        "d:6:9: warning: found action a of Black, which can never be played: its bounds are empt",
    ),
    (
        model(FINE + action("a", "open(?x,?y) NOT(open(?x,?y))", "black(?x,?y)")),
        "its preconditions contradict each other",
    ),
    (
        model(
            FINE
            + action("a", "NOT(open(?x,?y)) NOT(white(?x,?y)) NOT(black(?x,?y))", "black(?x,?y)")
        ),
        "its preconditions contradict each other",
    ),
    (
        model(FINE + action("a", "white(?x,?y)", "black(?x,?y)"), action("stay", "", "")),
        "no play brings about what its preconditions ask for",
    ),
    (
        model(black_goals="(black(?x,?y)black(?x+2,?y))"),
        "p:6:1: warning: found goal 1 of Black, which can never hold: its bounds are empty on th",
    ),
    (
        model(black_goals="(black(?x,?y))\n(black(?x,?y)open(?x,?y))"),
        "p:7:1: warning: found goal 2 of Black, which can never hold: its conditions contradict",
    ),
    (
        model(white=action("stay", "", ""), white_goals="(white(?x,?y))"),
        "p:8:1: warning: found goal 1 of White, which can never hold: no play brings about what",
    ),
    (
        model(initial="black(1,1)black(2,1)"),
        "p:6:1: warning: found goal 1 of Black that holds at (1,1) on the initial board",
    ),
    (
        model(FINE + action("give", "open(?x,?y)", "white(?x,?y)"), white_goals="(white(1,2))"),
        "p:8:1: warning: found goal 1 of White that comes true at (1,1) by Black's give(1,2) on ",
    ),
]


@pytest.mark.parametrize(("bad", "message"), ERRORS)
def test_errors(bad: Model, message: str) -> None:
    found = check_model(bad)
    assert found[0].severity is Severity.ERROR
    assert message in str(found[0])
    with pytest.raises(InputError) as caught:
        require_valid(bad)
    assert str(caught.value) == str(found[0]).replace("error: ", "")


@pytest.mark.parametrize(("odd", "message"), WARNINGS)
def test_warnings(odd: Model, message: str) -> None:
    found = [d for d in check_model(odd) if message in str(d)]
    assert len(found) == 1
    assert found[0].severity is Severity.WARNING
    assert "\n" not in str(found[0])
    require_valid(odd)


def test_names_that_no_file_could_have() -> None:
    fine = model()
    for name in ("two words", "", "a-", "ümlaut", "a(1,1)"):
        odd = replace(fine.domain.black_actions[0], name=name)
        bad = replace(fine, domain=replace(fine.domain, black_actions=(odd,)))
        (found,) = check_model(bad)
        assert found.found == f"an action called {name!r}"


def test_a_board_that_is_too_large_is_said_to_be_unchecked() -> None:
    fine = model()
    large = replace(fine, problem=replace(fine.problem, width=1000, height=1000))
    (found,) = check_model(large)
    assert "too large to look for" in found.found
    require_valid(large)


def test_a_diagnostic_without_a_file() -> None:
    diagnostic = Diagnostic(Severity.ERROR, "a", "b")
    assert str(diagnostic) == "error: found a, expected b"
    assert str(diagnostic.error()) == "<input>: found a, expected b"


def test_nothing_is_wrong_with_the_templates() -> None:
    for template in grid_templates():
        for options in ({}, *template.examples):
            assert check_model(resolve_model([template.name], options)) == []


def test_nothing_is_wrong_with_the_papers_models(shared_data: Path) -> None:
    for domain, problem in shared_models(shared_data / "bddl"):
        assert check_model(read_model(domain, problem)) == []


# -- against the definitions ----------------------------------------------------------------


def breaks_definition_9(model: Model, mover: Player) -> bool:
    """Whether some move on some board makes a goal of the other player come true."""
    squares = list(naive.initial(model))
    for contents in product(Square, repeat=len(squares)):
        state = dict(zip(squares, contents, strict=True))
        if naive.won(model, state, mover.other):
            continue
        for after in naive.transitions(model, state, mover).values():
            if naive.won(model, after, mover.other):
                return True
    return False


@settings(max_examples=60)
@given(wild_models(max_side=2))
def test_sanity_is_decided_exactly(model: Model) -> None:
    grounding = Grounding(model)
    found = {violation.mover: violation for violation in sanity_violations(grounding)}
    for mover in Player:
        assert (mover in found) == breaks_definition_9(model, mover)
        if grounding.only_own_moves_win(mover.other):
            assert mover not in found
    game = BddlGame(model)
    for mover, violation in found.items():
        # The witness is one: before the move the goal did not hold, afterwards it does.
        ply = 1 if game.player_at(1) is mover else 2
        before = BddlPosition(game, violation.state, ply)
        assert not game.witnesses(before, mover.other)
        move = game.move_table[mover][violation.action.number]
        state = naive.initial(model) | {(x, y): before.board[x, y] for x, y in naive.initial(model)}
        after = naive.transitions(model, state, mover)[move.action, move.x, move.y]
        assert naive.won(model, after, mover.other)


PAIR = "(black(?x,?y)open(?x+1,?y))"
LEAVE = action("leave", "white(?x,?y)", "open(?x,?y)")


@pytest.mark.parametrize(
    ("odd", "own"),
    [
        (model(black_goals=PAIR), True),
        # White leaves a square beside Black's stone, which stays.
        (model(white=LEAVE, black_goals=PAIR), False),
        (model(initial="black(1,1)", black_goals=PAIR), False),
        (model(white=LEAVE), True),
    ],
)
def test_goals_come_true_by_own_moves_only(odd: Model, own: bool) -> None:
    assert Grounding(odd).only_own_moves_win(Player.BLACK) is own


@settings(max_examples=60)
@given(wild_models(max_depth=5))
def test_what_is_never_playable_is_never_played(model: Model) -> None:
    """And goals that never hold do not hold on any board that plays lead to."""
    diagnostics = check_model(model)
    if any(d.severity is Severity.ERROR for d in diagnostics):
        return
    texts = [d.found for d in diagnostics]
    useless = {
        (player, action.name)
        for player in Player
        for action in model.domain.actions(player)
        if any(t.startswith(f"action {action.name} of {player}, which") for t in texts)
    }
    hopeless = {
        (player, index)
        for player in Player
        for index in range(len(model.problem.goals(player)))
        if any(t.startswith(f"goal {index + 1} of {player}, which") for t in texts)
    }
    game = BddlGame(model)
    level = {game.initial}
    for _ in range(game.plies + 1):
        for position in level:
            for player in Player:
                for goal in game.witnesses(position, player):
                    assert (player, goal.condition) not in hopeless
            for move in position.legal_moves():
                assert (position.to_move, move.action) not in useless
        level = {p.play(move) for p in sorted(level, key=str)[:50] for move in p.legal_moves()}
