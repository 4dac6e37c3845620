"""Explanations: small trees that win, proved smallest and proved by their certificates."""

from __future__ import annotations

import shlex
from dataclasses import replace
from functools import cache
from itertools import product

import pytest

from qsage_validate.certificates.check import CertificateProved, check
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import UndecidedError, UsageError
from qsage_validate.extensions.explain.answers import (
    AnswerFork,
    Exactly,
    ExplainVocabulary,
    Leaf,
    Pick,
    Tree,
    chosen,
    depth_of,
    nodes_of,
    vocabulary_of,
)
from qsage_validate.extensions.explain.certificate import certificate_of
from qsage_validate.extensions.explain.explanation import ExplainedProgram, ExplainOptions, explain
from qsage_validate.extensions.explain.finding import (
    AllPlays,
    Finder,
    Winning,
    tried,
    without_idle_forks,
)
from qsage_validate.extensions.explain.shown import explanation_text
from qsage_validate.extensions.explain.situation import PlyAtMost, first_situations
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import Player, Position, TwoPlayerGame
from qsage_validate.games.registry import find_command
from qsage_validate.problems.load import Files, of
from qsage_validate.system.limits import Deadline, Limits
from tests.support.text_player import play_all

DOMINO = "httt --size 3x3 --shape domino --depth 3"
DOMINO_4 = "httt --size 4x4 --shape domino --depth 3"
EL = "httt --size 3x3 --shape el --depth 5"
TIC = "httt --size 4x4 --shape tic --depth 5"
EVADER = "evader-pursuer --size 8x8 --pursuer 3,4 --depth 7"
SECOND = "breakthrough --second --size 2x4 --depth 13"
LONGER = "breakthrough --second --size 2x5 --depth 11"
CONNECT = "connect-c --size 3x3 --connect 3 --depth 9"
HELD = "httt --size 2x2 --shape el --depth 3"
DUAL = "evader-pursuer-dual --size 4x4 --pursuer 2,3 --depth 10"


@cache
def encoded(words: str) -> tuple[Encoding, TwoPlayerGame]:
    made = encode(find_command(shlex.split(words)), None)
    return made, load_game(made.model)


@cache
def explained(words: str, lookahead: int = 3) -> ExplainedProgram:
    made, game = encoded(words)
    # That no smaller tree wins is not asked of the larger game: the proof is most of the time.
    effort = 200 if words == CONNECT else ExplainOptions().effort
    return explain(game, made, ExplainOptions(lookahead=lookahead, effort=effort))


@cache
def wins(position: Position) -> bool:
    """True if Black wins, by plain recursion on the rules."""
    if position.outcome is not None:
        return position.outcome.winner is Player.BLACK
    found = (wins(position.play(move)) for move in position.legal_moves())
    return any(found) if position.to_move is Player.BLACK else all(found)


@pytest.mark.parametrize(
    ("words", "most"),
    [
        (DOMINO, 12),
        (DOMINO_4, 12),
        (TIC, 12),
        (EVADER, 20),
        (SECOND, 20),
        (LONGER, 20),
        (CONNECT, 20),
    ],
)
def test_trees_are_small(words: str, most: int) -> None:
    found = explained(words).found
    assert found.nodes == nodes_of(found.tree) <= most
    assert found.depth == depth_of(found.tree)


@pytest.mark.parametrize("words", [DOMINO, DOMINO_4, TIC, EVADER, SECOND, LONGER, HELD, DUAL])
def test_somebody_who_knows_only_the_text_wins_all_plays(words: str) -> None:
    explanation = explained(words)
    text = explanation_text(explanation)
    plays = play_all(explanation.game, text, explanation.hero)
    assert plays == play_all(
        explanation.game, explanation_text(explanation, boards=False), explanation.hero
    )
    assert plays > 0


def test_without_words_that_look_ahead_the_text_wins_too() -> None:
    explanation = explained(TIC, 1)
    assert "whatever" not in explanation_text(explanation)
    assert play_all(explanation.game, explanation_text(explanation), Player.BLACK) > 100


@pytest.mark.parametrize("words", [DOMINO, TIC, HELD, SECOND, CONNECT])
def test_the_certificate_is_proved_and_plays_the_program(words: str) -> None:
    from qsage_validate.arena.strategy_tree import tree_of

    explanation = explained(words)
    made, game = encoded(words)
    certificate = certificate_of(explanation.found, made, game, explanation.hero)
    tree = tree_of(of(made, certificate, Files()).on_board)
    waiting = [(tree.root, at) for at in first_situations(game, explanation.hero)]
    if game.first_player is not explanation.hero:
        children = {str(node.move): node for node in tree.children(tree.root)}
        waiting = [
            (children[at.theirs.text], at)
            for _, at in waiting
            if at.theirs is not None and at.theirs.text in children
        ]
    seen = 0
    while waiting:
        node, at = waiting.pop()
        choice = chosen(explanation.tree, at)
        assert choice is not None
        assert node.answer == choice.made.text
        seen += 1
        children = {str(child.move): child for child in tree.children(node)}
        for after in at.after(choice):
            assert after.theirs is not None
            waiting.append((children[after.theirs.text], after))
    assert seen > 1


def small_vocabulary(game: TwoPlayerGame, hero: Player) -> ExplainVocabulary:
    """Few words, so that all trees of two questions can be listed."""
    words = vocabulary_of(game, hero, lookahead=1)
    questions = [q for q in words.questions if "last move was in" in str(q) or "first" in str(q)]
    return ExplainVocabulary(questions[:14], words.answers[:14])


def test_no_smaller_tree_wins_where_it_says_so() -> None:
    _, game = encoded("httt --size 3x3 --shape el --depth 5")
    words = small_vocabulary(game, Player.BLACK)
    winning = Winning(Player.BLACK, wins)
    found = Finder(game, Player.BLACK, words, winning, deadline=Deadline.after(60)).run()
    assert found.smallest
    assert not tried(found.tree, game, Player.BLACK, winning).failures
    assert found.lower_bound == found.nodes
    size = (found.nodes - 1) // 2
    assert size >= 2
    leaves: list[Tree] = [Leaf(answer) for answer in words.answers]
    ones: list[Tree] = [AnswerFork(q, a, b) for q, a, b in product(words.questions, leaves, leaves)]
    for smaller in (*leaves, *ones):
        assert tried(smaller, game, Player.BLACK, winning, failures=1).failures


def test_questions_that_all_positions_answer_alike_are_left_out() -> None:
    explanation = explained(EL)
    tree, situations = explanation.tree, explanation.found.situations
    assert isinstance(tree, AnswerFork)
    asked = AnswerFork(tree.question, tree.yes, tree)
    twice = AnswerFork(tree.question, AnswerFork(tree.question, tree.yes, tree.no), asked)
    assert without_idle_forks(twice, situations) == tree
    assert without_idle_forks(tree, situations) == tree


def test_the_winning_moves_are_those_of_the_rules() -> None:
    explanation = explained(TIC)
    winning = Winning(Player.BLACK, wins)
    for at in explanation.found.situations:
        choice = chosen(explanation.tree, at)
        assert choice is not None
        assert winning.keeps(at, choice)


def test_a_tree_that_plays_legally_and_loses_fails() -> None:
    _, game = encoded(DOMINO)
    winning = Winning(Player.BLACK, wins)
    # Black's second stone goes to the far corner, beside nothing.
    careless = Leaf(Pick("any", "", Player.BLACK, last=True))
    legal = AnswerFork(PlyAtMost(1, 1, Player.BLACK), Leaf(Exactly("occupy(1,1)")), careless)
    found = tried(legal, game, Player.BLACK, winning)
    assert found.failures
    for failure in found.failures:
        assert failure.played is not None
        assert failure.path[0][1] == "occupy(1,1)"


def test_limits_end_undecided() -> None:
    made, game = encoded(TIC)
    with pytest.raises(UndecidedError):
        explain(game, made, ExplainOptions(Limits(Deadline.after(0.0))))


@pytest.mark.parametrize("words", [EL, "httt --size 3x3 --shape fatty", "hex --size 3x3"])
def test_programs_of_too_many_positions_are_found_and_proved_by_sat(words: str) -> None:
    """The certificate is of gates, and the program as small as one made from all positions."""
    made, game = encoded(words)
    every = explain(game, made)
    some = explain(game, made, ExplainOptions(Limits(positions=6)))
    assert every.found.whole
    assert not some.found.whole
    assert some.found.nodes == every.found.nodes
    winner = some.hero
    winning = Winning(winner, lambda position: wins(position) is (winner is Player.BLACK))
    assert not tried(some.tree, game, winner, winning).failures
    certificate = certificate_of(some.found, made, game, some.hero)
    assert isinstance(check(made.qbf, certificate), CertificateProved)
    assert certificate.kind.player is some.hero
    assert "at least" in explanation_text(some)
    assert "at least" not in explanation_text(every)


@pytest.mark.parametrize(
    "words", ["hex-network --size 3x3", "breakthrough --size 2x4 --second --depth 13", CONNECT]
)
def test_certificates_of_gates_are_those_of_other_games_too(words: str) -> None:
    made, game = encoded(words)
    some = explain(game, made, ExplainOptions(Limits(positions=3)))
    certificate = certificate_of(replace(some.found, whole=False), made, game, some.hero)
    assert isinstance(check(made.qbf, certificate), CertificateProved)


def test_memory_bounds_the_positions_that_are_looked_at() -> None:
    made, game = encoded("hex --size 3x3")
    assert explain(game, made, ExplainOptions(Limits(positions=50_000))).found.whole
    found = explain(game, made, ExplainOptions(Limits(memory_mb=1, positions=50_000))).found
    assert not found.whole
    assert len(found.situations) == 1_000_000 // 12_000


def test_all_plays_at_once_find_what_loses() -> None:
    _, game = encoded(DOMINO)
    careless = Leaf(Pick("any", "", Player.BLACK, last=True))
    legal = AnswerFork(PlyAtMost(1, 1, Player.BLACK), Leaf(Exactly("occupy(1,1)")), careless)
    plays = AllPlays(legal, game, Player.BLACK, first_situations(game, Player.BLACK))
    lines = set()
    while (line := plays.refutation()) is not None:
        assert line[0] not in lines, "the same play again"
        lines.add(line[0])
        plays.leave_out(line[:1])
    assert lines


def test_the_loser_has_no_strategy() -> None:
    made, game = encoded(TIC)
    with pytest.raises(UsageError, match="which Black wins"):
        explain(game, made, hero=Player.WHITE)


@pytest.mark.parametrize(
    ("words", "most", "depth", "shown", "all_nodes"),
    [(EL, 3, None, 3, 5), (EL, None, 1, 3, 5), (TIC, 5, 2, 5, 7)],
)
def test_a_part_says_what_the_rest_costs(
    words: str, most: int | None, depth: int | None, shown: int, all_nodes: int
) -> None:
    made, game = encoded(words)
    part = explain(game, made, ExplainOptions(lookahead=1, max_nodes=most, depth_limit=depth))
    assert not part.whole
    nodes, positions = part.cut
    assert nodes == all_nodes - shown
    assert positions == sum(len(node.met) for node in part.root.walk() if node.cut) > 0
    assert f"Not shown: {nodes} of {all_nodes} nodes" in explanation_text(part)
    assert nodes_of(part.tree) == all_nodes


def test_whites_gates_are_proved_on_an_explicit_board() -> None:
    """Under the lifted encoding's symbolic position the check did not end within minutes."""
    import qsage_validate as qs

    game = qs.game("httt", size="3x4", shape="fatty", maker_breaker=True)
    found = qs.explain(game, positions=50)
    assert found.problem.layout is not None
    assert found.problem.layout.encoding == "ea"
    assert found.nodes == 3
    assert found.proved
    assert "--encoding ea" in found.problem.replay(())


def test_a_game_that_the_explicit_board_does_not_take_keeps_its_encoding() -> None:
    import qsage_validate as qs

    found = qs.explain(qs.game("httt", size="3x3", shape="fatty"), positions=6)
    assert found.problem.layout is not None
    assert found.problem.layout.encoding == "lifted"
    assert found.proved
    assert "--encoding" not in found.problem.replay(())


def test_a_formula_that_was_asked_for_keeps_its_encoding() -> None:
    import qsage_validate as qs

    game = qs.game("httt", size="3x3", shape="fatty", maker_breaker=True, depth=7)
    blacks = qs.game("httt", size="3x3", shape="el", maker_breaker=True, depth=5)
    encodings = [
        found.problem.layout.encoding
        for subject, encoding in (
            (qs.encode(game), None),
            (game, "lifted"),
            (game, None),
            (blacks, None),
        )
        for found in [qs.explain(subject, encoding=encoding, positions=3)]
        if found.problem.layout is not None
    ]
    assert encodings == ["lifted", "lifted", "ea", "lifted"]
    # The certificate's player has a formula.
    strategy = qs.certify(game).explain(positions=3)
    assert strategy.problem.layout is not None
    assert strategy.problem.layout.encoding == "lifted"
