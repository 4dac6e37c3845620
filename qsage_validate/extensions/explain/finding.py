"""From a game to a program: trees are learned, played against all answers, and learned again.

*Smallest trees.*  A tree of ``k`` questions is looked for that plays a winning move in each
situation of a pool that it comes to.  Variables say which question stands at which node, which node
or answer is behind each of its two sides, and which nodes a situation visits; a situation's clauses
hold only where the tree's own answers lead there (*links*).  So an unsatisfiable set of clauses is
a proof that no tree of ``k`` questions of the vocabulary wins, however few situations are in the
pool: all of them hold for every tree that wins.  The nodes are numbered breadth first, as in
Narodytska et al., *Learning optimal decision trees with SAT* (2018); the don't-cares of many right
answers follow Jacobs and others on controllers.

*Plays against a program that meets too many positions to try all of them.*  The plays of all moves
of the opponent are one circuit, with the program in it.  A solver looks for moves, all legal,
against which the program does not win.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, takewhile
from typing import Final

from qsage_validate.circuit.aig import TRUE, AigBuilder
from qsage_validate.circuit.sat import Satisfiable, Solver, TimedOut
from qsage_validate.circuit.simplify import satisfy
from qsage_validate.errors import UndecidedError, UsageError
from qsage_validate.extensions.explain.answers import (
    Answer,
    AnswerFork,
    ExplainVocabulary,
    Leaf,
    Tree,
    chosen,
    depth_of,
    nodes_of,
)
from qsage_validate.extensions.explain.circuits import (
    Played,
    Spot,
    StoneAtoms,
    SymbolicGame,
    Unrolled,
    circuit_of,
    played_by,
)
from qsage_validate.extensions.explain.situation import (
    Choice,
    Question,
    Situation,
    first_situations,
    made,
)
from qsage_validate.games.protocol import Player, Position, TwoPlayerGame
from qsage_validate.system.limits import NEVER, Deadline, Progress, Tell, nobody

_SOLVER: Final = "cadical195"
_LOOK_EVERY: Final = 500


@dataclass
class SituationSample:
    """A situation of the pool: which moves win there, and which samples come after a move.

    ``moves`` has the text of the move of each answer, ``None`` where there is none; ``truths`` the
    value of each question.
    """

    situation: Situation
    winning: frozenset[str]
    truths: tuple[bool, ...]
    moves: tuple[str | None, ...]
    root: bool
    links: dict[str, list[int]] = field(default_factory=dict)


class Pool:
    """The situations that trees are learned from; it grows by counterexamples."""

    def __init__(self, vocabulary: ExplainVocabulary) -> None:
        self.vocabulary = vocabulary
        self.samples: list[SituationSample] = []
        self._number: dict[Situation, int] = {}

    def add(self, situation: Situation, winning: frozenset[str], *, root: bool = False) -> int:
        """The number of a situation, which is taken in if it is new."""
        known = self._number.get(situation)
        if known is not None:
            self.samples[known].root |= root
            return known
        truths = tuple(q.holds(situation) for q in self.vocabulary.questions)
        moves = tuple(_text(a, situation) for a in self.vocabulary.answers)
        self.samples.append(SituationSample(situation, winning, truths, moves, root))
        self._number[situation] = len(self.samples) - 1
        return self._number[situation]

    def link(self, before: int, move: str, after: int) -> None:
        """Record that a winning move in one situation can lead to another situation."""
        found = self.samples[before].links.setdefault(move, [])
        if after not in found:
            found.append(after)

    def distinct_questions(self) -> list[int]:
        """One question, the first, of those that agree, or always disagree, in the pool."""
        seen: dict[tuple[bool, ...], int] = {}
        for number in range(len(self.vocabulary.questions)):
            column = tuple(sample.truths[number] for sample in self.samples)
            if len(set(column)) < 2:
                continue
            if column[0]:
                column = tuple(not value for value in column)
            seen.setdefault(column, number)
        return list(seen.values())

    def distinct_answers(self) -> list[int]:
        """One answer, the first, of those that play alike; none that never plays a winning move.

        Moves that lead to no other sample are alike where both win, or both do not.
        """
        seen: dict[tuple[Hashable, ...], int] = {}
        for number in range(len(self.vocabulary.answers)):
            key = tuple(self._effect(sample, number) for sample in self.samples)
            if any(effect is not None for effect in key):
                seen.setdefault(key, number)
        return list(seen.values())

    def won_by(self, tree: Tree) -> bool:
        """True if a tree plays a winning move in each sample that it comes to."""
        waiting = [k for k, sample in enumerate(self.samples) if sample.root]
        seen = set(waiting)
        while waiting:
            sample = self.samples[waiting.pop()]
            choice = chosen(tree, sample.situation)
            if choice is None or choice.made.text not in sample.winning:
                return False
            new = set(sample.links.get(choice.made.text, ())) - seen
            seen |= new
            waiting += new
        return True

    @staticmethod
    def _effect(sample: SituationSample, number: int) -> Hashable:
        move = sample.moves[number]
        if move is None or move not in sample.winning:
            return None
        return tuple(sample.links.get(move, ()))


def _text(answer: Answer, situation: Situation) -> str | None:
    choice = answer.choose(situation)
    return None if choice is None else choice.made.text


class _Names:
    """Numbers for the variables, made when they are asked for."""

    def __init__(self) -> None:
        self._of: dict[Hashable, int] = {}

    def __call__(self, *name: Hashable) -> int:
        return self._of.setdefault(name, len(self._of) + 1)


@dataclass(frozen=True, slots=True)
class SearchUnknown:
    """The effort or the time was over before an answer was found."""


@dataclass
class SearchEffort:
    """The work that may still be done, in conflicts of the SAT solver: the same on all machines."""

    left: int = 10**12

    def spend(self, conflicts: int) -> None:
        """Note that so much was done."""
        self.left -= conflicts


def smallest(
    pool: Pool, size: int, effort: SearchEffort | None = None, deadline: Deadline = NEVER
) -> Tree | SearchUnknown | None:
    """A tree of ``size`` questions that is right on the pool; ``None`` if there is none.

    What is done is taken from ``effort``.
    """
    return _Search(pool, size).run(effort or SearchEffort(), deadline)


class _Search:
    """The clauses of one size."""

    def __init__(self, pool: Pool, size: int) -> None:
        self.pool = pool
        self.size = size
        self.name = _Names()
        self.questions = pool.distinct_questions()
        self.answers = pool.distinct_answers()
        self.slots = [(node, side) for node in range(size) for side in (True, False)]

    def run(self, effort: SearchEffort, deadline: Deadline) -> Tree | SearchUnknown | None:
        if not self.size:
            return self._leaf_alone()
        with Solver(name=_SOLVER, bootstrap_with=self._clauses()) as solver:
            while effort.left > 0 and not deadline.over:
                solver.conf_budget(_LOOK_EVERY)
                answer = solver.solve_limited()
                if answer is not None:
                    if not answer:
                        return None
                    true = frozenset(x for x in solver.get_model() if x > 0)
                    return self._tree(0, true)
                effort.spend(_LOOK_EVERY)
        return SearchUnknown()

    def _leaf_alone(self) -> Tree | None:
        """The tree of one answer, where one is right everywhere it leads."""
        leaves = (Leaf(self.pool.vocabulary.answers[number]) for number in self.answers)
        return next((leaf for leaf in leaves if self.pool.won_by(leaf)), None)

    def _clauses(self) -> Iterator[list[int]]:
        yield from self._shape()
        for number, sample in enumerate(self.pool.samples):
            yield from self._run_of(number, sample)

    def _shape(self) -> Iterator[list[int]]:
        name = self.name
        for node in range(self.size):
            yield [name("question", node, q) for q in self.questions]
        for slot in self.slots:
            inner = [name("node", slot, child) for child in range(slot[0] + 1, self.size)]
            yield [*inner, *(name("answer", slot, a) for a in self.answers)]
        for child in range(1, self.size):
            parents = [name("node", slot, child) for slot in self.slots if slot[0] < child]
            yield parents
            for one, other in combinations(parents, 2):
                yield [-one, -other]
        # Breadth first: who comes from a later slot has the larger number.
        for slot in self.slots:
            for child in range(slot[0] + 1, self.size):
                for later in self.slots[2 * slot[0] + 1 + (not slot[1]) :]:
                    for smaller in range(later[0] + 1, child):
                        yield [-name("node", slot, child), -name("node", later, smaller)]

    def _run_of(self, number: int, sample: SituationSample) -> Iterator[list[int]]:
        """The clauses of one situation: where it goes, and what is played there."""
        name = self.name
        yield (
            [name("at", 0, number)]
            if sample.root
            else [-name("reached", number), name("at", 0, number)]
        )
        for node in range(self.size):
            at, value = name("at", node, number), name("value", node, number)
            for q in self.questions:
                yield [-name("question", node, q), value if sample.truths[q] else -value]
            for side in (True, False):
                slot, out = (node, side), name("out", node, side, number)
                yield [-at, -value if side else value, out]
                for child in range(node + 1, self.size):
                    yield [-out, -name("node", slot, child), name("at", child, number)]
                for a in self.answers:
                    move = sample.moves[a]
                    played = name("answer", slot, a)
                    if move is None or move not in sample.winning:
                        yield [-out, -played]
                        continue
                    for after in sample.links.get(move, ()):
                        if not self.pool.samples[after].root:
                            yield [-out, -played, name("reached", after)]

    def _tree(self, node: int, true: frozenset[int]) -> Tree:
        name, words = self.name, self.pool.vocabulary
        question: Question = next(
            words.questions[q] for q in self.questions if name("question", node, q) in true
        )
        sides = []
        for side in (True, False):
            slot = (node, side)
            child = next(
                (c for c in range(node + 1, self.size) if name("node", slot, c) in true), None
            )
            if child is not None:
                sides.append(self._tree(child, true))
                continue
            answer = next(a for a in self.answers if name("answer", slot, a) in true)
            sides.append(Leaf(words.answers[answer]))
        return AnswerFork(question, sides[0], sides[1])


def plainer(tree: Tree, vocabulary: ExplainVocabulary) -> Iterator[Tree]:
    """The trees that have an earlier word of the vocabulary in the place of one of a tree's own."""
    yield from tree.with_other_words(
        lambda question: takewhile(lambda other: other != question, vocabulary.questions),
        lambda answer: takewhile(lambda other: other != answer, vocabulary.answers),
    )


def without_idle_forks(tree: Tree, situations: Sequence[Situation]) -> Tree:
    """The tree without questions that all of these situations that come to them answer alike."""
    if isinstance(tree, Leaf):
        return tree
    yes = [at for at in situations if tree.question.holds(at)]
    no = [at for at in situations if not tree.question.holds(at)]
    if not yes or not no:
        return without_idle_forks(tree.yes if yes else tree.no, situations)
    return AnswerFork(
        tree.question, without_idle_forks(tree.yes, yes), without_idle_forks(tree.no, no)
    )


class AllPlays:
    """The plays of a program of ``hero``'s against all moves of the opponent.

    ``situations`` are some of the game, whose boards are held against the circuit's.  Raises
    ``UsageError`` for a game whose rules are no circuit, and ``UndecidedError`` at a limit.
    """

    def __init__(
        self,
        tree: Tree,
        game: TwoPlayerGame,
        hero: Player,
        situations: Sequence[Situation],
        deadline: Deadline = NEVER,
    ) -> None:
        self._builder = builder = AigBuilder()
        self._deadline = deadline
        # The opponent's moves, ply by ply: the bits of a number, and the text of each number.
        self._given: list[tuple[Sequence[int], Sequence[str]]] = []
        rules = circuit_of(game, builder, deadline)
        table = SymbolicGame(rules, StoneAtoms.of_rules(game, rules, situations), deadline)
        plays = Unrolled(table, hero)
        while plays.goes_on:
            deadline.check("all plays of the explanation were tried")
            own = plays.spot.mover is hero
            plays.play(played_by(tree, plays.view) if own else self._free(plays.spot))
        self._wanted = builder.and_(plays.legal, plays.wins ^ 1)

    def _free(self, spot: Spot) -> Played:
        """A move of the opponent's, which is an input."""
        builder, steps = self._builder, spot.steps
        bits = [builder.input() for _ in range(max(len(steps) - 1, 0).bit_length())]
        self._given.append((bits, [step.text for step in steps]))
        return {
            step.number: builder.and_(self._is(bits, number), step.legal)
            for number, step in enumerate(steps)
        }

    def _is(self, bits: Sequence[int], number: int) -> int:
        ones = (bit ^ (number >> k & 1 ^ 1) for k, bit in enumerate(bits))
        return self._builder.and_all(ones)

    def refutation(self) -> Sequence[str] | None:
        """Moves of the opponent against which the program does not win; ``None``: there are none.

        Behind the end of the play they mean nothing.  Raises ``UndecidedError`` at the deadline.
        """
        aig, (wanted,) = self._builder.build([self._wanted])
        answer = satisfy(aig, wanted, deadline=self._deadline)
        if isinstance(answer, TimedOut):
            self._deadline.check("all plays of the explanation were tried")
        if not isinstance(answer, Satisfiable):
            return None
        values = iter(answer.inputs)
        moves = []
        for bits, texts in self._given:
            number = sum(next(values) << k for k, _ in enumerate(bits))
            if number < len(texts):
                moves.append(texts[number])
        return moves

    def leave_out(self, moves: Sequence[str]) -> None:
        """Look for plays that do not begin with these moves of the opponent's."""
        together = TRUE
        for (bits, texts), move in zip(self._given, moves, strict=False):
            together = self._builder.and_(together, self._is(bits, texts.index(move)))
        self._wanted = self._builder.and_(self._wanted, together ^ 1)


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
class TreeFailure:
    """A situation in which a tree plays no winning move, and how it came there."""

    path: tuple[tuple[Situation, str], ...]
    situation: Situation
    played: Choice | None


@dataclass(frozen=True)
class FoundProgram:
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
    failures: list[TreeFailure]
    whole: bool = True


def tried(
    tree: Tree,
    game: TwoPlayerGame,
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
            found.failures.append(TreeFailure(_path(at, parents), at, choice))
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


class TooManySituationsError(UndecidedError):
    """A program meets more positions than are looked at one by one."""


@dataclass
class Finder:
    """Looks for the smallest tree, by sizes from the bottom up.

    ``effort`` is what the SAT solver may do, in conflicts, for the first size for which it is not
    soon known whether a tree wins; then the next size is tried, with twice the effort, and the
    result need not be the smallest.
    """

    game: TwoPlayerGame
    hero: Player
    vocabulary: ExplainVocabulary
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

    def run(self) -> FoundProgram:
        """The program.

        Where it meets more than ``positions``, all plays are tried at once ``by_sat``.  Raises
        ``UndecidedError`` at a limit, :class:`TooManySituationsError` where SAT is not to try, and
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
            found = self._of_size(size, SearchEffort(self.effort * 2**doubts))
            if found is None:
                if not doubts:
                    refuted = size
            elif isinstance(found, SearchUnknown):
                self.deadline.check("an explanation was found")
                doubts += 1
            else:
                tree, met = self._plainer(*found)
                if met.whole:  # what is not the smallest may ask what is known
                    tree = without_idle_forks(tree, met.situations)
                samples = len(self.pool.samples)
                return FoundProgram(tree, met.situations, met.whole, samples, self.rounds, refuted)
            size += 1

    def _of_size(
        self, size: int, effort: SearchEffort
    ) -> tuple[Tree, Tried] | SearchUnknown | None:
        while True:
            self.rounds += 1
            self.tell(
                Progress("learning", f"{2 * size + 1} nodes, {len(self.pool.samples)} positions")
            )
            tree = smallest(self.pool, size, effort, self.deadline)
            if tree is None or isinstance(tree, SearchUnknown):
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
            raise TooManySituationsError(
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

    def _failure(self, tree: Tree, line: Sequence[str]) -> tuple[TreeFailure, int]:
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
                    return TreeFailure(tuple(path), at, choice), made_moves
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

    def _learn(self, failure: TreeFailure) -> None:
        """Take a failure and the way to it into the pool."""
        way = [*failure.path, (failure.situation, "")]
        numbers = [self.pool.add(at, self.winning.moves(at)) for at, _ in way]
        for (_, move), before, after in zip(way, numbers, numbers[1:], strict=False):
            self.pool.link(before, move, after)
