"""From a game to a program: trees are learned, played against all answers, and learned again."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from qsage_validate.errors import UndecidedError, UsageError
from qsage_validate.explaining.learning import Effort, Pool, Unknown, plainer, smallest
from qsage_validate.explaining.program import Tree, chosen, depth_of, nodes_of
from qsage_validate.explaining.refuting import AllPlays
from qsage_validate.explaining.situation import Choice, Situation, first_situations, made
from qsage_validate.explaining.vocabulary import Vocabulary
from qsage_validate.games.protocol import Game, Player, Position
from qsage_validate.system.limits import NEVER, Deadline
from qsage_validate.system.progress import Progress, Tell, nobody


@dataclass
class Winning:
    """The winning moves of a situation; ``wins`` says of a position that goes on whether it is won.

    ``first_moves`` are the texts of the first moves that may be played, where not all may: formulas
    leave some out for symmetry.
    """

    hero: Player
    wins: Callable[[Position], bool]
    first_moves: frozenset[str] | None = None
    _known: dict[Position, bool] = field(default_factory=dict)

    def keeps(self, at: Situation, choice: Choice) -> bool:
        """True if a move wins."""
        first = self.first_moves if at.position.ply == 1 else None
        if first is not None and choice.made.text not in first:
            return False
        after = choice.after
        if after.outcome is not None:
            return after.outcome.winner is self.hero
        found = self._known.get(after)
        if found is None:
            found = self._known[after] = self.wins(after)
        return found

    def moves(self, at: Situation) -> frozenset[str]:
        """The texts of the moves that win."""
        return frozenset(c.made.text for c in at.choices if self.keeps(at, c))


EFFORT: Final = 20_000
"""Conflicts of the SAT solver for the proof that no tree of a size wins."""

# How many counterexamples are taken in after a play against all answers.
_BATCH: Final = 12
# How many trees with plainer words are played against all answers, one by one or at once.
_POLISH: Final = 60
_POLISH_BY_SAT: Final = 12
# How many situations of a program are looked at where all of them are too many.
_SAMPLE: Final = 2_000


@dataclass(frozen=True, slots=True)
class Failure:
    """A situation in which a tree plays no winning move, and how it came there."""

    path: tuple[tuple[Situation, str], ...]
    situation: Situation
    played: Choice | None


@dataclass(frozen=True)
class Found:
    """A program that wins all plays; ``refuted`` says that no tree of so many questions does.

    ``situations`` are those that the program meets, or where these are too many, and ``whole`` is
    false, the first of them.  ``lower_bound`` is a number of nodes below which no tree of the
    vocabulary wins.
    """

    tree: Tree
    situations: Sequence[Situation]
    whole: bool
    samples: int
    rounds: int
    refuted: int

    @property
    def nodes(self) -> int:
        """Questions and answers."""
        return nodes_of(self.tree)

    @property
    def depth(self) -> int:
        """The longest way of questions."""
        return depth_of(self.tree)

    @property
    def lower_bound(self) -> int:
        """No tree of the vocabulary with fewer nodes wins."""
        return 2 * (self.refuted + 1) + 1

    @property
    def smallest(self) -> bool:
        """True if no smaller tree of the vocabulary wins."""
        return self.nodes <= self.lower_bound


@dataclass
class Tried:
    """The result of a play of a tree against all answers; not all were tried unless ``whole``."""

    situations: list[Situation]
    failures: list[Failure]
    whole: bool = True


def tried(
    tree: Tree,
    game: Game,
    hero: Player,
    winning: Winning,
    *,
    failures: int = _BATCH,
    most: int | None = None,
    deadline: Deadline = NEVER,
) -> Tried:
    """Play a tree against all moves of the opponent, the shortest plays first.

    No more than ``most`` situations are looked at.  Raises ``UndecidedError`` at the deadline.
    """
    parents: dict[Situation, tuple[Situation, str] | None] = {}
    waiting: deque[Situation] = deque()
    for first in first_situations(game, hero):
        parents[first] = None
        waiting.append(first)
    found = Tried([], [])
    while waiting:
        deadline.check("the plays of the explanation were tried")
        if most is not None and len(found.situations) >= most:
            found.whole = False
            break
        at = waiting.popleft()
        found.situations.append(at)
        choice = chosen(tree, at)
        if choice is None or not winning.keeps(at, choice):
            found.failures.append(Failure(_path(at, parents), at, choice))
            if len(found.failures) >= failures:
                break
            continue
        for after in at.after(choice):
            if after not in parents:
                parents[after] = (at, choice.made.text)
                waiting.append(after)
    return found


def _path(
    at: Situation, parents: dict[Situation, tuple[Situation, str] | None]
) -> tuple[tuple[Situation, str], ...]:
    path, step = [], parents[at]
    while step is not None:
        path.append(step)
        step = parents[step[0]]
    return tuple(reversed(path))


class TooManyPositionsError(UndecidedError):
    """A program meets more positions than are looked at one by one."""


@dataclass
class Finder:
    """Looks for the smallest tree, by sizes from the bottom up.

    ``effort`` is what the SAT solver may do, in conflicts, for the first size for which it is not
    soon known whether a tree wins; then the next size is tried, with twice the effort, and the
    result need not be the smallest.
    """

    game: Game
    hero: Player
    vocabulary: Vocabulary
    winning: Winning
    deadline: Deadline = NEVER
    effort: int = EFFORT
    positions: int | None = None
    by_sat: bool = True
    tell: Tell = nobody
    pool: Pool = field(init=False)
    rounds: int = 0
    _by_sat: bool = False

    def __post_init__(self) -> None:
        self.pool = Pool(self.vocabulary)

    def run(self) -> Found:
        """The program.

        Where it meets more than ``positions``, all plays are tried at once ``by_sat``.  Raises
        ``UndecidedError`` at a limit, :class:`TooManyPositionsError` where SAT is not to try, and
        ``UsageError`` where no play has a turn of the winner's, so that there is no position from
        which a program could be learned.
        """
        for first in first_situations(self.game, self.hero):
            self.pool.add(first, self.winning.moves(first), root=True)
        if not self.pool.samples:
            raise UsageError(
                f"{self.game.name}: {self.hero} wins without a turn, nothing is to explain"
            )
        size, refuted, doubts = 0, -1, 0
        while True:
            found = self._of_size(size, Effort(self.effort * 2**doubts))
            if found is None:
                if not doubts:
                    refuted = size
            elif isinstance(found, Unknown):
                self.deadline.check("an explanation was found")
                doubts += 1
            else:
                tree, met = self._plainer(*found)
                samples = len(self.pool.samples)
                return Found(tree, met.situations, met.whole, samples, self.rounds, refuted)
            size += 1

    def _of_size(self, size: int, effort: Effort) -> tuple[Tree, Tried] | Unknown | None:
        while True:
            self.rounds += 1
            self.tell(
                Progress("learning", f"{2 * size + 1} nodes, {len(self.pool.samples)} positions")
            )
            tree = smallest(self.pool, size, effort, self.deadline)
            if tree is None or isinstance(tree, Unknown):
                return tree
            result = self._tried(tree)
            if not result.failures:
                return tree, result
            for failure in result.failures:
                self._learn(failure)

    def _tried(self, tree: Tree, failures: int = _BATCH) -> Tried:
        most = self.positions
        if self._by_sat:
            most = min(_SAMPLE, most or _SAMPLE)
        found = tried(
            tree,
            self.game,
            self.hero,
            self.winning,
            failures=failures,
            most=most,
            deadline=self.deadline,
        )
        if found.whole or found.failures:
            return found
        if not self.by_sat:
            raise TooManyPositionsError(
                f"undecided: the explanation meets more than {most:,} positions"
            )
        self._by_sat = True
        self.tell(Progress("learning", f"{nodes_of(tree)} nodes, all plays at once"))
        try:
            plays = AllPlays(tree, self.game, self.hero, found.situations, self.deadline)
        except UsageError as error:
            raise UndecidedError(
                f"undecided: the explanation meets more than {most:,} positions, and {error}; "
                "--positions raises the limit"
            ) from None
        while len(found.failures) < failures:
            line = plays.refutation()
            if line is None:
                break
            failure, moves = self._failure(tree, line)
            plays.leave_out(line[:moves])
            found.failures.append(failure)
        return found

    def _failure(self, tree: Tree, line: Sequence[str]) -> tuple[Failure, int]:
        """Where the program fails when the opponent makes these moves, and after how many."""
        path: list[tuple[Situation, str]] = []
        position, theirs, ours = self.game.initial, None, None
        made_moves = 0
        while True:
            mover = position.to_move
            if mover is self.hero:
                at = Situation(self.game, position, theirs, ours)
                choice = chosen(tree, at)
                if choice is None or not self.winning.keeps(at, choice):
                    return Failure(tuple(path), at, choice), made_moves
                path.append((at, choice.made.text))
                position, ours = choice.after, choice.made
            else:
                move = self.game.parse_move(line[made_moves], mover)
                after = position.play(move)
                theirs = made(self.game, position.board, move, after.board, mover)
                position = after
                made_moves += 1

    def _plainer(self, tree: Tree, met: Tried) -> tuple[Tree, Tried]:
        """The tree with plainer words for its own, one by one, as long as it wins all plays."""
        left, better = _POLISH if met.whole else _POLISH_BY_SAT, True
        while better:
            better = False
            for other in plainer(tree, self.vocabulary):
                self.deadline.check("plainer words were tried")
                if left == 0 or not self.pool.won_by(other):
                    continue
                left -= 1
                result = self._tried(other, failures=1)
                if not result.failures:
                    tree, met, better = other, result, True
                    break
        return tree, met

    def _learn(self, failure: Failure) -> None:
        """Take a failure and the way to it into the pool."""
        way = [*failure.path, (failure.situation, "")]
        numbers = [self.pool.add(at, self.winning.moves(at)) for at, _ in way]
        for (_, move), before, after in zip(way, numbers, numbers[1:], strict=False):
            self.pool.link(before, move, after)
