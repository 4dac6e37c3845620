"""The referee against formulas that are right for a slightly different game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from qsage_validate.encodings.layout import Layout, StateCode, board_view
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import UsageError
from qsage_validate.games.bddl.model import Action, Anchor, Coordinate, Model, SubCondition
from qsage_validate.games.languages import load_game
from qsage_validate.games.positional.hex import hex_network
from qsage_validate.games.protocol import BoardPicture, Outcome, Player, Square
from qsage_validate.strategies.reader import BoardReading, LayoutMove, Legality, StrategyAnswer
from qsage_validate.validation.finding import Finding, FindingKind
from qsage_validate.validation.fit import check_fit
from qsage_validate.validation.referee import Referee
from tests.support.certifying import certify_game
from tests.support.plays import DOMINO, EL, attack, certified, model_of, play_engine_for
from tests.support.plies import indicators_of

GAME = load_game(model_of(DOMINO))
LAYOUT = certified(DOMINO).encoding.layout


def referee() -> Referee:
    return Referee(GAME, LAYOUT, lambda variable: f"v{variable}")


def with_white_action(model: Model, change: Callable[[Action], Action]) -> Model:
    (action,) = model.domain.white_actions
    return replace(model, domain=replace(model.domain, white_actions=(change(action),)))


def with_black_action(model: Model, change: Callable[[Action], Action]) -> Model:
    (action,) = model.domain.black_actions
    return replace(model, domain=replace(model.domain, black_actions=(change(action),)))


def findings_of(model: Model) -> tuple[Finding, ...]:
    """What random plays find when the formula is ``model``'s and the rules are Domino's."""
    made = certify_game(model)
    return attack(play_engine_for(made.encoding, made.certificate, GAME), 60).findings


def kinds(findings: tuple[Finding, ...]) -> set[FindingKind]:
    return {finding.kind for finding in findings}


# -- formulas of a changed game --------------------------------------------------------------


def test_a_wrong_effect_in_the_formula_is_a_board_that_differs() -> None:
    """White's move leaves the square open in the formula: a damaged transition."""

    def change(action: Action) -> Action:
        (effect,) = action.effect
        return replace(action, effect=(replace(effect, predicate=Square.OPEN),))

    found = findings_of(with_white_action(model_of(DOMINO), change))
    boards = [finding for finding in found if finding.kind is FindingKind.BOARD_DIFFERS]
    assert boards
    finding = boards[0]
    assert finding.ply == 2
    x, y = finding.squares[0]
    assert f"({x},{y}) is open in the formula and white by the rules" in finding.text
    assert finding.evidence[0].meaning == f"open of state 2 at ({x},{y})"
    assert finding.evidence[0].value is True
    assert len(finding.moves) == 2


def with_initial(model: Model, *pieces: tuple[Square, int, int]) -> Model:
    """Other pieces at the beginning; White has no goals, so that they do not win for it."""
    return replace(model, problem=replace(model.problem, initial=pieces, white_goals=()))


def test_moves_that_only_the_formula_accepts() -> None:
    """In the formula White may move onto its own pieces."""
    model = with_initial(model_of(DOMINO), (Square.WHITE, 3, 3))

    def change(action: Action) -> Action:
        (condition,) = action.precondition
        free = replace(condition, predicate=Square.BLACK, negated=True)
        return replace(action, precondition=(free,))

    made = certify_game(with_white_action(model, change))
    assert made.winner is Player.BLACK
    found = attack(play_engine_for(made.encoding, made.certificate, load_game(model)), 20).findings
    assert kinds(found) == {FindingKind.LEGALITY_DIFFERS}
    assert (found[0].ply, found[0].move) == (1, "occupy(3,3)")
    assert found[0].text.startswith(
        "legality differs after ply 1: the formula accepts occupy(3,3), which the rules forbid "
        "(White already holds c3; occupy(3,3): open(?x,?y) is false at (3,3))"
    )
    assert all(e.value for e in found[0].evidence)
    named = {e.literal for e in found[0].evidence}
    ((_, indicators),) = indicators_of(made.encoding.layout)
    assert named >= set(indicators.preconditions)


def test_moves_that_only_the_formula_forbids() -> None:
    """In the formula White cannot move while there is a piece in the corner."""
    model = with_initial(model_of(DOMINO), (Square.WHITE, 3, 3))

    def change(action: Action) -> Action:
        corner = Coordinate(Anchor.ABSOLUTE, 3)
        condition = SubCondition(Square.OPEN, corner, corner)
        return replace(action, precondition=(*action.precondition, condition))

    made = certify_game(with_white_action(model, change))
    found = attack(play_engine_for(made.encoding, made.certificate, load_game(model)), 20).findings
    forbidden = [f for f in found if f.kind is FindingKind.LEGALITY_DIFFERS]
    assert "the formula forbids occupy(2,1), occupy(3,1)" in forbidden[0].text
    assert "and 1 more, which the rules allow" in forbidden[0].text
    assert [e.value for e in forbidden[0].evidence] == [False]


def test_a_move_of_blacks_that_the_rules_forbid_is_an_illegal_reply() -> None:
    """In the formula Black may take white pieces, and wins by it at once."""
    words = ("httt", "--size=3x3", "--shape=domino", "--depth=1")
    model = with_initial(model_of(words), (Square.BLACK, 1, 1), (Square.WHITE, 2, 1))

    def change(action: Action) -> Action:
        (condition,) = action.precondition
        return replace(action, precondition=(replace(condition, predicate=Square.WHITE),))

    made = certify_game(with_black_action(model, change))
    assert made.winner is Player.BLACK
    found = attack(play_engine_for(made.encoding, made.certificate, load_game(model)), 1).findings
    assert kinds(found) == {FindingKind.ILLEGAL_REPLY}
    assert found[0].detail == "White already holds b1; occupy(2,1): open(?x,?y) is false at (2,1)"
    assert (found[0].ply, found[0].squares) == (1, ((2, 1),))
    assert {e.meaning for e in found[0].evidence} == {"move bit"}


def test_another_first_board_is_found_before_the_first_ply() -> None:
    model = model_of(DOMINO)
    problem = replace(model.problem, initial=((Square.WHITE, 3, 3),))
    found = findings_of(replace(model, problem=problem))
    assert found[0].kind is FindingKind.BOARD_DIFFERS
    assert (found[0].ply, found[0].squares, found[0].moves) == (0, ((3, 3),), ())
    assert "at the start" in found[0].text
    # Reported once: the square stays wrong.
    later = [f for f in found[1:] if f.kind is FindingKind.BOARD_DIFFERS]
    assert all(set(finding.squares) > {(3, 3)} for finding in later)


def test_a_goal_that_the_rules_do_not_have_is_a_false_claim() -> None:
    """Black stops the play with two pieces in a row; by the rules that is no goal yet."""
    made = certify_game(model_of(("httt", "--size=3x3", "--shape=domino", "--depth=5")))
    report = attack(play_engine_for(made.encoding, made.certificate, load_game(model_of(EL))), 60)
    claims = [f for f in report.findings if f.kind is FindingKind.FALSE_CLAIM]
    assert claims
    assert claims[0].evidence[0].literal == made.encoding.layout.moves[2].stop
    assert report.losses == 60


# -- single comparisons ----------------------------------------------------------------------


def test_equal_boards_and_legal_moves_are_no_findings() -> None:
    position = GAME.initial
    judge = referee()
    assert judge.position(position, BoardReading(position.board, {}), 0, ()) is None
    assert (
        judge.answer(position, StrategyAnswer(LayoutMove.on_grid("occupy", 1, 1), False, {}), ())
        is None
    )
    squares = [(x, y) for x in (1, 2, 3) for y in (1, 2, 3)]
    every: dict[LayoutMove, Legality] = {
        LayoutMove.on_grid("occupy", *square): Legality(True) for square in squares
    }
    assert judge.legality(position, every, ()) == []
    assert judge.end(Outcome(Player.BLACK, "reached its goal"), Player.BLACK, 3, ()) is None


def test_a_first_move_alone_stands_for_its_mirror_images() -> None:
    """Later on there is no symmetry to be sure of: each legal move has to have a code."""
    model = hex_network(3, 3, 5)
    game = load_game(model)
    judge = Referee(game, encode(model, "cor-ladder").layout)
    names = set(model.positions)
    assert game.exchanged_first_moves(names - {"a1"}) == {"a1": "c3"}
    assert judge.unsaid(game.initial, names - {"a1"}) == []
    assert judge.unsaid(game.initial, names - {"a1", "c3"}) == ["a1", "c3"]
    # The board is as symmetric as before, and its middle is taken.
    after = game.initial.play(game.parse_move("b2", Player.BLACK))
    assert judge.unsaid(after, names - {"a1"}) == ["a1"]
    assert judge.unsaid(after, names) == []


def test_state_evidence_names_the_variables_of_the_layout() -> None:
    board = BoardPicture(3, 3, (Square.WHITE,) + (Square.OPEN,) * 8)
    finding = referee().position(GAME.initial, BoardReading(board, {}), 0, ())
    assert finding is not None
    first, second = LAYOUT.state.states[0]
    assert [(e.name, e.value) for e in finding.evidence] == [
        (f"v{first}", False),
        (f"v{second}", True),
    ]
    x, y = LAYOUT.state.axes
    state = board_view(x, y, LAYOUT.state.states, StateCode.OCCUPIED_WHITE)
    foreign = replace(LAYOUT, state=state)
    finding = Referee(GAME, foreign).position(GAME.initial, BoardReading(board, {}), 0, ())
    assert finding is not None
    assert finding.evidence[0].meaning == "occupied of state 0 at (1,1)"
    assert finding.evidence[0].value is True


def test_a_move_that_the_rules_do_not_know() -> None:
    finding = referee().answer(
        GAME.initial, StrategyAnswer(LayoutMove.on_grid("hop", 1, 1), False, {4: True}), ()
    )
    assert finding is not None
    assert finding.kind is FindingKind.ILLEGAL_REPLY
    assert finding.detail == "hop(1,1): no move of Black"
    assert [str(e) for e in finding.evidence] == ["v4 (move bit) = 1"]


def test_a_move_off_the_board_that_the_formula_accepts() -> None:
    found = referee().legality(
        GAME.initial, {LayoutMove.on_grid("occupy", 4, 1): Legality(True)}, ()
    )
    assert [f.kind for f in found] == [FindingKind.LEGALITY_DIFFERS]
    assert "not on the 3x3 board" in found[0].text


def test_a_lost_play_names_winner_and_reason() -> None:
    outcome = Outcome(Player.WHITE, "held out for 3 plies")
    finding = referee().end(outcome, Player.BLACK, 3, ("occupy(1,1)",))
    assert finding is not None
    assert finding.kind is FindingKind.END_DIFFERS
    assert finding.detail == "White wins (held out for 3 plies), the certificate promised Black"


# -- games that do not fit -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "difference"),
    [
        (("httt", "--size=4x4", "--shape=domino", "--depth=3"), "its board is 4x4, expected 3x3"),
        (("httt", "--size=3x3", "--shape=el", "--depth=5"), "it has 5 plies, expected 3"),
        (
            ("httt", "--size=3x3", "--shape=el", "--depth=4", "--second"),
            "White begins, expected Black",
        ),
        (
            ("connect-c", "--size=3x3", "--connect=2", "--depth=3"),
            "the actions of Black are ",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_game_that_does_not_fit_is_told_with_the_difference(
    words: tuple[str, ...], difference: str
) -> None:
    with pytest.raises(UsageError) as error:
        check_fit(load_game(model_of(words)), LAYOUT)
    assert difference in str(error.value)
    assert str(error.value).startswith("the game ")


def test_a_formula_may_have_one_ply_of_blacks_more() -> None:
    """As Q-sage writes even depths; a missing ply is a difference all the same."""
    game = load_game(model_of(("domineering", "--size=2x2", "--depth=2")))
    longer: Layout = encode(model_of(("domineering", "--size=2x2", "--depth=3"))).layout
    check_fit(game, longer)
    shorter = replace(longer, moves=longer.moves[:1])
    with pytest.raises(UsageError, match="it has 2 plies, expected 1"):
        check_fit(game, shorter)
