from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from qsage_validate.arena.strategy_tree import (
    Exploration,
    StrategyTree,
    position_key,
    replies,
    tree_of,
)
from qsage_validate.games.languages import load_game
from qsage_validate.play.match import PlayMatch
from qsage_validate.problems.load import Files, load, sorted_out
from qsage_validate.proving.html_report import statistics_of
from qsage_validate.strategies.reader import BoardReading
from tests.support.plays import (
    BREAKTHROUGH,
    CONNECT,
    DOMINEERING,
    DOMINO,
    EL,
    HELD,
    certified,
    match_for,
    play_engine_for,
    with_flipped_fanin,
)

GAMES = (DOMINO, EL, BREAKTHROUGH, CONNECT, HELD, DOMINEERING)


def tree_lines(tree: StrategyTree, *, depth: int, budget: int) -> Iterator[str]:
    """The tree as text, ``depth`` rounds deep, with the sizes of the subtrees."""
    pending = [(tree.root, 0)]
    while pending:
        here, level = pending.pop()
        indent = "  " * level
        yield f"{indent}{here.label}" + ("" if here.ended else f": {tree.size(here, budget).text}")
        yield from (f"{indent}  FINDING {finding.text}" for finding in here.findings)
        if level < depth and not here.ended:
            pending += [(child, level + 1) for child in reversed(tree.children(here))]


def tree_for(words: tuple[str, ...], *, rules: bool = True) -> StrategyTree:
    made = certified(words)
    game = load_game(made.encoding.model) if rules else None
    return StrategyTree(play_engine_for(made.encoding, made.certificate, game, simulate=True))


def all_plays(match: PlayMatch) -> Iterator[PlayMatch]:
    """Every play of a match, one after the other, by going back and forth."""
    if match.over:
        yield match
        return
    for move in list(match.legal_moves()):
        match.push(move)
        yield from all_plays(match)
        assert match.undo()


@pytest.mark.parametrize("words", GAMES, ids=lambda words: words[0])
def test_sizes_are_those_of_all_plays_one_by_one(words: tuple[str, ...]) -> None:
    tree = tree_for(words)
    plays, early, answers = 0, 0, 0
    lengths, positions = set(), set()
    for match in all_plays(match_for(words)):
        plays += 1
        frames = match.frames
        lengths.add(frames[-1].ply)
        outcome = match.outcome
        assert outcome is not None
        early += bool(outcome.promised) and frames[-1].ply < tree.plies
        answers += sum(1 for f in frames if f.by_certificate)
        # The root is the play after the certificate's first move, where it begins.
        begun = tree.root.state.plies
        positions |= {(f.ply, f.board) for f in frames if f.ply >= begun}
    size = tree.size(tree.root, 100_000)
    assert size.exact
    assert (size.plays, size.early, size.lost) == (plays, early, 0)
    assert (size.shortest, size.depth) == (min(lengths), max(lengths))
    assert size.positions == len(positions)


@pytest.mark.parametrize("words", GAMES, ids=lambda words: words[0])
def test_a_budget_gives_lower_bounds_that_grow(words: tuple[str, ...]) -> None:
    tree = tree_for(words)
    exact = tree.size(tree.root, 100_000)
    previous = 0
    for budget in (1, 2, 5, 20, 60):
        exploration = tree.explore(tree.root, budget)
        size = exploration.size
        assert len(exploration.nodes) <= budget
        assert size.exact or size.text.startswith("at least ")
        assert previous <= size.plays <= exact.plays
        assert size.positions <= exact.positions
        assert size.depth <= exact.depth
        assert size.early <= exact.early
        previous = size.plays


def test_nodes_are_made_when_they_are_looked_at() -> None:
    made = certified(EL)
    play_engine = play_engine_for(made.encoding, made.certificate, load_game(made.encoding.model))
    tree = StrategyTree(play_engine)
    assert not tree.root.expanded
    children = tree.children(tree.root)
    assert tree.root.expanded
    assert len(children) == 8
    assert not any(child.expanded for child in children)
    assert tree.children(tree.root) is children


def test_children_are_the_opponents_moves_with_what_a_match_answers() -> None:
    tree = tree_for(EL)
    for child in tree.children(tree.root):
        match = match_for(EL)
        match.push(str(child.move))
        assert child.answer == str(match.frame.move)
        assert child.said == tuple(frame.said for frame in match.frames[-2:])
        assert child.label.startswith(" → ".join(child.said))
        assert [s.shown_board for s in child.play] == [f.board for f in match.frames]


def test_a_play_leads_to_its_node() -> None:
    tree = tree_for(EL)
    first = tree.children(tree.root)[2]
    second = tree.children(first)[1]
    assert tree.at([]) is tree.root
    assert tree.at([str(first.move), str(second.move)]) is second
    assert second.path == (tree.root, first, second)
    taken = tree.root.state.moves[0]
    assert tree.at([taken]) is None


def test_the_main_line_has_most_plays_and_the_deepest_most_plies() -> None:
    tree = tree_for(DOMINEERING)
    exploration = tree.explore(tree.root, 100_000)
    deepest = exploration.deepest_line()
    assert deepest.ended
    assert deepest.state.plies == exploration.size.depth
    main = exploration.main_line()
    assert main.ended
    for node, following in zip(main.path, main.path[1:], strict=False):
        sizes = [tree.size(child, 100_000).plays for child in tree.children(node)]
        assert tree.size(following, 100_000).plays == max(sizes)


def test_the_formula_alone_gives_the_same_tree() -> None:
    for words in (EL, CONNECT):
        by_rules, alone = tree_for(words), tree_for(words, rules=False)
        moves = [str(child.move) for child in by_rules.children(by_rules.root)]
        assert [str(child.move) for child in alone.children(alone.root)] == moves


def test_a_damaged_certificate_has_lost_plays_and_findings() -> None:
    made = certified(EL)
    game = load_game(made.encoding.model)
    lost = found = 0
    for gate in range(0, made.certificate.aig.num_gates, 6):
        damaged = with_flipped_fanin(made.certificate, gate)
        tree = StrategyTree(play_engine_for(made.encoding, damaged, game, simulate=True))
        exploration = tree.explore(tree.root, 5_000)
        assert exploration.exact
        lost += exploration.size.lost
        found += sum(len(node.findings) for node in exploration.nodes)
    assert lost > 0
    assert found > 0


def test_looking_can_be_cancelled_and_says_how_far_it_is() -> None:
    made = certified(EL)
    game = load_game(made.encoding.model)
    tree = StrategyTree(play_engine_for(made.encoding, made.certificate, game, simulate=True))
    seen: list[int] = []
    part = tree.explore(tree.root, 100_000, cancelled=lambda: bool(seen), progress=seen.append)
    assert not part.exact
    assert part.frontier
    assert seen == sorted(seen)
    # What was cancelled is not taken for the answer to the same question later on.
    assert tree.explore(tree.root, 100_000).exact


def test_the_tree_as_text() -> None:
    tree = tree_for(EL)
    lines = list(tree_lines(tree, depth=2, budget=10_000))
    assert "positions, to ply 5" in lines[0]
    assert len([line for line in lines if line.startswith("  ") and line[2] != " "]) == 8
    assert any(line.startswith("    ") and line.endswith("Black wins") for line in lines)


def test_replies_are_counted() -> None:
    tree = tree_for(EL)
    counts = replies(tree.explore(tree.root, 10_000).nodes)
    assert sum(counts.values()) == sum(
        1 for node in tree.explore(tree.root, 10_000).nodes if node.answer is not None
    )


def test_a_setup_gives_its_tree(repository: Path) -> None:
    formula = str(repository / "certificates" / "tic.qcir")
    tree = tree_of(load(sorted_out(Files(formula))).on_board)
    assert tree.size(tree.root, 10_000).text == "195 plays, 283 positions, to ply 5"


def test_positions_that_nobody_describes_are_not_counted() -> None:
    tree = tree_for(EL)
    exploration = tree.explore(tree.root, 10_000)
    before = exploration.size.positions
    leaves = [node for node in exploration.nodes if node.ended]
    blank = [replace(n.state, reading=BoardReading(None, {}), position=None) for n in leaves]
    assert {position_key(state) for state in blank} == {None}
    described = len({position_key(node.state) for node in leaves})
    for node, state in zip(leaves, blank, strict=True):
        node.states = (*node.states[:-1], state)
    again = Exploration(exploration.nodes, frozenset(), tree.plies)
    assert again.size.positions == before - described


def test_a_certificate_of_another_tool_may_answer_a_position_in_several_ways(
    shared_data: Path,
) -> None:
    folder = shared_data / "certificates" / "quabs"
    formula, certificate = (str(folder / f"httt-4x4_5_tic.{end}") for end in ("qcir", "aig"))
    found = statistics_of(load(Files(formula, certificate)).on_board)
    assert (found.exact, found.plays, found.lost, found.depth) == (True, 195, 0, 5)
    assert found.ambiguous > 0
