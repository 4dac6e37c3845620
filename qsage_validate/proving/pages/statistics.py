"""Statistics of a strategy: numbers of positions and plays, lengths of plays, the replies."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from qsage_validate.arena.strategy_tree import (
    Exploration,
    StrategyTree,
    position_key,
    replies,
    tree_of,
)
from qsage_validate.games.protocol import Player
from qsage_validate.problems.load import BoardProblem
from qsage_validate.render.steps import RenderedStep, steps_of_states

# Rounds that are looked at; a strategy with more is described by its shorter plays.
BUDGET = 20_000
_NAMED_REPLIES = 12


@dataclass(frozen=True, slots=True)
class PlyRow:
    """The numbers of the plays after ``ply`` plies.

    ``positions`` are the different ones (0 where neither rules nor formula describe them);
    ``won`` and ``lost`` count the plays that end here
    with and without the promised win, ``unclear`` those of which neither rules nor formula tell
    who won.  ``player`` made the ply (``None`` at the start).
    """

    ply: int
    player: Player | None
    positions: int
    won: int
    lost: int
    unclear: int = 0


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts over all plays against a strategy.

    ``plays`` are different sequences of moves, ``positions`` the different positions in them
    (the start included) as far as they are described, ``answered`` those in which the
    certificate had to answer, ``answers`` how often it did so in all plays, each beginning of a
    play counted once; ``ambiguous`` are the positions that it answers differently depending on
    how they came about.  ``bound`` is
    the number of plies within which the play must end, ``depth`` that of the longest play,
    ``shortest`` of the shortest one.  ``early`` plays are won before the last ply, ``lost`` ones
    not at all.  ``replies`` are the most frequent answers, of ``different`` ones.  Unless
    ``exact`` only ``seen`` rounds were looked at, and the numbers are lower bounds.
    """

    player: Player
    exact: bool
    seen: int
    bound: int
    plays: int
    positions: int
    answered: int
    answers: int
    ambiguous: int
    depth: int
    shortest: int | None
    early: int
    lost: int
    by_ply: tuple[PlyRow, ...]
    replies: tuple[tuple[str, int], ...]
    different: int
    main_line: tuple[RenderedStep, ...]
    deepest_line: tuple[RenderedStep, ...]

    def to_dict(self) -> dict[str, object]:
        """The numbers, for ``--json``."""
        return {
            "player": self.player.value,
            "exact": self.exact,
            "plays": self.plays,
            "positions": self.positions,
            "positions_answered": self.answered,
            "answers": self.answers,
            "positions_answered_in_several_ways": self.ambiguous,
            "plies": self.bound,
            "longest": self.depth,
            "shortest": self.shortest,
            "won_early": self.early,
            "not_won": self.lost,
            "by_ply": [
                {"ply": r.ply, "positions": r.positions}
                | {"won": r.won, "not_won": r.lost, "unclear": r.unclear}
                for r in self.by_ply
            ],
            "replies": dict(self.replies),
            "different_replies": self.different,
            "main_line": [step.move for step in self.main_line if step.ply],
            "deepest_line": [step.move for step in self.deepest_line if step.ply],
        }


def statistics_of(problem: BoardProblem, budget: int = BUDGET) -> Statistics:
    """The statistics of a problem's strategy.

    Looks at no more than ``budget`` rounds (an opponent's move and its answer), nearest first.
    """
    tree = tree_of(problem)
    return statistics(tree, tree.explore(tree.root, budget))


def statistics(tree: StrategyTree, exploration: Exploration) -> Statistics:
    size = exploration.size
    positions: dict[int, set[Hashable]] = {}
    answers: dict[Hashable, set[str]] = {}
    count = 0
    for node in exploration.nodes:
        # The certificate's plies of a node: the states before and after each.
        for before, state in zip(node.states, node.states[1:], strict=False):
            count += 1
            key = position_key(before)
            answers.setdefault(before.moves if key is None else key, set()).add(state.moves[-1])
        for state in node.states:
            own, key = positions.setdefault(state.plies, set()), position_key(state)
            if key is not None:
                own.add(key)
    rows = []
    ends = [node for node in exploration.nodes if node.ended]
    for ply in sorted(positions):
        here = [node for node in ends if node.state.plies == ply]
        won, lost = (sum(1 for n in here if n.kept is kept) for kept in (True, False))
        player = tree.mover(ply) if ply else None
        unclear = len(here) - won - lost
        rows.append(PlyRow(ply, player, len(positions[ply]), won, lost, unclear))
    named = replies(exploration.nodes)
    return Statistics(
        player=tree.player,
        exact=exploration.exact,
        seen=len(exploration.nodes),
        bound=tree.plies,
        plays=size.plays,
        positions=sum(row.positions for row in rows),
        answered=len(answers),
        answers=count,
        ambiguous=sum(1 for own in answers.values() if len(own) > 1),
        depth=size.depth,
        shortest=size.shortest,
        early=size.early,
        lost=size.lost,
        by_ply=tuple(rows),
        replies=tuple(named.most_common(_NAMED_REPLIES)),
        different=len(named),
        main_line=steps_of_states(exploration.main_line().play, tree.mover),
        deepest_line=steps_of_states(exploration.deepest_line().play, tree.mover),
    )
