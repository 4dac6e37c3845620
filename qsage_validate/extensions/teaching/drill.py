"""Drills, and the teacher of plays: what can be learned at a moment of a play.

A drill has all lines of a strategy one after the other, as puzzles for one side.  For the
certificate's side each puzzle asks for its reply to a move of the opponent's.  For the other side
it asks for a move that lasts longest.

The threats of a position are part of it: moves that would win if the opponent did nothing.

Why a reply was played is told as far as the rules can tell: in one sentence, true by the rules.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Final

from qsage_validate.arena.frame import Frame, Pairs, PlayState, SquareXY
from qsage_validate.arena.lesson import (
    SECONDS,
    DeclaredTeacher,
    Distance,
    DistanceSource,
    Ghost,
    Grades,
    Lesson,
    MoveComparison,
    Purpose,
    Reason,
    Teacher,
    Threat,
    last_reply,
    or_list,
    other_moves,
)
from qsage_validate.arena.program import blocking_pairs
from qsage_validate.arena.strategy_tree import StrategyNode, StrategyTree
from qsage_validate.errors import UndecidedError, UsageError, counted
from qsage_validate.formats.json_text import Json, parse_json
from qsage_validate.formats.source import Source
from qsage_validate.formats.writing import write_atomic
from qsage_validate.games.kernel import Kernel, kernel_of
from qsage_validate.games.protocol import (
    BoardPicture,
    Player,
    Position,
    Square,
    TwoPlayerGame,
    said_move,
)
from qsage_validate.solvers.search import search_for
from qsage_validate.system.limits import Deadline, Limits

# How long a play lasts: by the certificate's answers to every move, or by a search on rules


# Moves of which threats with two moves are looked for: the cost grows with the square.
_MOST_MOVES = 100


class Threats:
    """The threats in the positions of one game.

    None are known in games without the rules on plain values, and where a turn has several plies.
    """

    def __init__(self, game: TwoPlayerGame) -> None:
        self.game = game
        kernel = kernel_of(game)
        can_pass = game.skipped(game.initial) is not None
        self._kernel = kernel if can_pass and kernel is not None and kernel.alternates else None

    def of(self, position: Position, player: Player) -> tuple[Threat, ...]:
        """The threats of ``player``, those that win at once first; else those of two moves.

        Where the player is to move they are what the player can do now.
        """
        kernel = self._kernel
        if kernel is None or position.outcome is not None:
            return ()
        turn = position if position.to_move is player else self.game.skipped(position)
        if turn is None or turn.outcome is not None:
            return ()
        state = kernel.state(turn)
        after = kernel.successors(state, player)
        found = [number for number, _, won in after if won]
        moves = 1
        left = self.game.plies - turn.ply + 1
        if not found and left >= 3 and len(after) <= _MOST_MOVES:
            found = [n for n, state, _ in after if self._unstoppable(kernel, state, player)]
            moves = 2
        return tuple(self._threat(turn, kernel, number, moves) for number in found)

    def wins(self, position: Position, player: Player) -> tuple[Threat, ...]:
        """The threats that would win at once."""
        return tuple(threat for threat in self.of(position, player) if threat.moves == 1)

    def cannot_stop(self, position: Position) -> bool:
        """True if each move of the player to move leaves the other one a move that wins at once."""
        kernel = self._kernel
        if kernel is None or position.outcome is not None:
            return False
        left = self.game.plies - position.ply + 1
        other = position.to_move.other
        return left >= 2 and self._unstoppable(kernel, kernel.state(position), other)

    @staticmethod
    def _unstoppable(kernel: Kernel, state: Hashable, player: Player) -> bool:
        """True if ``player`` wins by the next own move, whatever the opponent answers before it."""
        if not kernel.wins_at_once(state, player):
            return False
        answers = kernel.successors(state, player.other)
        return bool(answers) and all(
            not won and kernel.wins_at_once(after, player) for _, after, won in answers
        )

    def _threat(self, turn: Position, kernel: Kernel, number: int, moves: int) -> Threat:
        player = turn.to_move
        move = kernel.move(number, player)
        before, after = turn.board, turn.play(move).board
        changed = before.differences(after)
        own = Square.BLACK if player is Player.BLACK else Square.WHITE
        taken = [square for square in changed if after[square] is own]
        said = self.game.say(move, player, before)
        return Threat(player, str(move), moves, tuple(taken or changed), said)


# Nodes of the tree that are looked at for one distance, unless told otherwise.
NODES = 20_000


class TreeDistances:
    """Distances by the answers of a certificate, exact, from the tree of its strategy.

    ``nodes`` are looked at, at most, for each of them.
    """

    def __init__(self, tree: StrategyTree, nodes: int = NODES) -> None:
        self.tree = tree
        self._nodes = nodes

    def distance(self, node: StrategyNode, deadline: Deadline) -> Distance | None:
        """The distance at a node; ``None`` where a limit was hit."""
        return self._of(node, node, deadline)

    def grades(self, node: StrategyNode, deadline: Deadline) -> Mapping[str, Distance | None]:
        """The distance after each of the opponent's moves, counted from before it."""
        if node.ended:
            return {}
        children = self.tree.children(node)
        return {str(child.move): self._of(child, node, deadline) for child in children}

    def _of(self, node: StrategyNode, since: StrategyNode, deadline: Deadline) -> Distance | None:
        explored = self.tree.explore(node, self._nodes, cancelled=lambda: deadline.over)
        reach = explored.reach(node)
        if reach is None:
            return None
        if not reach.kept:
            return Distance(None, None, DistanceSource.CERTIFICATE)
        plies = reach.plies - since.state.plies
        known = Distance(self.tree.player, plies, DistanceSource.CERTIFICATE)
        return known if reach.complete else None


class SearchDistances:
    """Distances by a search on the rules: who can win, and in how few plies Black can.

    That White cannot move is seen at White's ply, which counts.
    """

    def __init__(self, game: TwoPlayerGame) -> None:
        self._solver = search_for(game)

    def distance(self, position: Position, deadline: Deadline) -> Distance | None:
        """The distance in a position; ``None`` where a limit was hit."""
        if deadline.over:
            return None  # which a short search would not notice
        self._solver.limits = Limits(deadline)
        try:
            plies = self._solver.critical_plies(position)
        except UndecidedError:
            return None
        return Distance(
            Player.WHITE if plies is None else Player.BLACK, plies, DistanceSource.SEARCH
        )

    def grades(self, position: Position, deadline: Deadline) -> Mapping[str, Distance | None]:
        """The distance after each legal move, counted from before it."""
        moves = position.legal_moves()
        return {str(move): self.after(position.play(move), deadline) for move in moves}

    def after(self, position: Position, deadline: Deadline) -> Distance | None:
        """The distance in a position, counted from before the ply that led to it."""
        found = self.distance(position, deadline)
        if found is None or found.plies is None:
            return found
        return Distance(found.winner, found.plies + 1, DistanceSource.SEARCH)


# The teacher: what can be learned at a moment of a play


def reasons(
    threats: Threats,
    before: Position,
    after: Position,
    *,
    last: str | None = None,
    pairs: Pairs | None = None,
) -> tuple[Reason, ...]:
    """The purposes of the ply from ``before`` to ``after``; the most important first.

    ``last`` is the opponent's move before it, and ``pairs`` those of the position before that.
    """
    player = before.to_move
    return tuple(
        Reason(purpose, player, moves, tuple(_words(threats.game, purpose, moves, before, after)))
        for purpose, moves in _purposes(threats, before, after, last, pairs)
    )


_OPPONENTS: Final = (Purpose.BLOCKS, Purpose.PAIRS)
"""Purposes whose (first) moves are the opponent's."""


def _words(
    game: TwoPlayerGame, purpose: Purpose, moves: Sequence[str], before: Position, after: Position
) -> Iterator[str]:
    """The moves of a reason as people say them."""
    player = before.to_move
    for number, text in enumerate(moves):
        if purpose is Purpose.ENDS:
            yield text
        elif purpose in _OPPONENTS and (purpose is Purpose.BLOCKS or not number):
            yield game.say(game.parse_move(text, player.other), player.other, before.board)
        else:
            board = before.board if purpose is Purpose.PAIRS else after.board
            yield game.say(game.parse_move(text, player), player, board)


def _purposes(
    threats: Threats, before: Position, after: Position, last: str | None, pairs: Pairs | None
) -> Iterator[tuple[Purpose, tuple[str, ...]]]:
    player, other = before.to_move, before.to_move.other
    outcome = after.outcome
    if outcome is not None:
        if outcome.winner is player and outcome.stuck:
            yield Purpose.STUCK, ()
        elif outcome.winner is player:
            reached = threats.game.witnesses(after, player)
            yield (Purpose.COMPLETES, ()) if reached else (Purpose.ENDS, (outcome.reason,))
        return
    was = {threat.move for threat in threats.wins(before, other)}
    still = {threat.move for threat in threats.wins(after, other)}
    blocked = tuple(sorted(was - still))
    if blocked:
        yield Purpose.BLOCKS, blocked
    own = threats.of(after, player)
    at_once = tuple(threat.move for threat in own if threat.moves == 1)
    if at_once and threats.cannot_stop(after):
        yield Purpose.FORKS, at_once
    elif len(at_once) > 1:
        yield Purpose.TWO_THREATS, at_once
    elif at_once:
        yield Purpose.THREATENS, at_once
    elif own:
        yield Purpose.PREPARES, tuple(threat.move for threat in own)
    pair = _kept(before, after, last, pairs)
    if pair:
        yield Purpose.PAIRS, pair
    if len(before.legal_moves()) == 1:
        yield Purpose.ONLY, ()
    if before.board == after.board:
        yield Purpose.WAITS, ()


def _kept(
    before: Position, after: Position, last: str | None, pairs: Pairs | None
) -> tuple[str, str] | None:
    """The opponent's move and the reply, where they are the two of a pair."""
    taken = before.board.differences(after.board)
    for one, other in pairs or ():
        for first, second in ((one, other), (other, one)):
            if str(first) == last and taken == [second.square]:
                return str(first), str(second)
    return None


class StrategyTeacher:
    """Lessons about the plays of one certificate, or of a search.

    ``player`` answers.  The ``tree`` is asked for how the certificate answers, and the rules of
    ``game`` for threats and reasons; what neither tells is left out.  One thread at a time.
    """

    def __init__(
        self, player: Player, tree: StrategyTree | None, game: TwoPlayerGame | None
    ) -> None:
        self.player = player
        self.game = game
        self.tree = tree
        self._by_tree = None if tree is None else TreeDistances(tree)
        self._pairs = blocking_pairs(game, player)

    @cached_property
    def _threats(self) -> Threats | None:
        return None if self.game is None else Threats(self.game)

    @cached_property
    def _by_search(self) -> SearchDistances | None:
        return None if self.game is None else SearchDistances(self.game)

    # -- lessons ----------------------------------------------------------------------------

    def lesson(self, frames: Sequence[Frame], deadline: Deadline | None = None) -> Lesson:
        """The lesson after ``frames``, from the start on.

        Facts that are unknown at the ``deadline`` (of :data:`SECONDS` without one) are left out.
        """
        deadline = Deadline.after(SECONDS) if deadline is None else deadline
        last = frames[-1]
        node = self._node(frames)
        distance, grades = self._distances(node, last, deadline)
        reply, found = self._reasons(frames)
        position = last.position
        threats: tuple[Threat, ...] = ()
        if position is not None and self._threats is not None and last.outcome is None:
            threats = self._threats.of(position, self.player)
        ghosts = {} if node is None else self._ghosts(node)
        return Lesson(distance, grades, threats, reply, found, ghosts)

    def _node(self, frames: Sequence[Frame]) -> StrategyNode | None:
        """The tree's node after a play; ``None`` where it is not a play of the tree."""
        if self.tree is None:
            return None
        for frame in frames:
            chosen = frame.player is self.player and not frame.by_certificate
            if frame.illegal is not None or frame.stopped or chosen:
                return None
        own = [str(f.move) for f in frames if f.player is self.player.other]
        return self.tree.at(own)

    def _distances(
        self, node: StrategyNode | None, last: Frame, deadline: Deadline
    ) -> tuple[Distance | None, Grades]:
        person = self.player.other
        distance: Distance | None = None
        known: Mapping[str, Distance | None] = {}
        if node is not None and self._by_tree is not None:
            # Half of the time is left for the search.
            half = deadline.share(0.5)
            distance = self._by_tree.distance(node, half)
            known = self._by_tree.grades(node, half)
        position, search = last.position, self._by_search
        lacks = distance is None or None in known.values()
        if lacks and position is not None and search is not None:
            found = search.distance(position, deadline)
            distance = found if distance is None else distance
            if position.outcome is None and position.to_move is person and found is not None:
                known = search.grades(position, deadline)
        return distance, Grades(person, known, self._alike(node), self._said(position, known))

    def _said(self, position: Position | None, moves: Iterable[str]) -> Mapping[str, str]:
        """Moves in a position as people say them; none where no rules are known."""
        game = self.game
        if game is None or position is None or position.outcome is not None:
            return {}
        known = {str(move): move for move in position.legal_moves()}
        player, board = position.to_move, position.board
        return {text: game.say(known[text], player, board) for text in moves if text in known}

    def _alike(self, node: StrategyNode | None) -> frozenset[str]:
        """The moves at ``node`` that lead to the board of another one before them."""
        if node is None or node.ended or self.tree is None:
            return frozenset()
        first: dict[BoardPicture, str] = {}
        children = self.tree.children(node)
        boards = [(str(child.move), child.states[0].shown_board) for child in children]
        known = [(move, board) for move, board in boards if board is not None]
        return frozenset(m for m, board in known if first.setdefault(board, m) != m)

    def _reasons(self, frames: Sequence[Frame]) -> tuple[str, tuple[Reason, ...]]:
        """The last reply among ``frames``, and why it was played."""
        played = [k for k, f in enumerate(frames) if f.player is self.player and f.by_certificate]
        if not played or self._threats is None:
            return "", ()
        k = played[-1]
        reply, before = frames[k], frames[k - 1]
        if reply.position is None or before.position is None or reply.move is None:
            return "", ()
        last, pairs = None, None
        if k >= 2 and before.player is self.player.other:
            last = str(before.move)
            pairs = self._pairs_of(frames[k - 2].position)
        found = reasons(self._threats, before.position, reply.position, last=last, pairs=pairs)
        return reply.said, found

    def _pairs_of(self, position: Position | None) -> Pairs | None:
        return None if self._pairs is None else self._pairs.of(position)

    def _ghosts(self, node: StrategyNode) -> Mapping[str, Ghost]:
        if node.ended or self.tree is None:
            return {}
        found = {}
        for child in self.tree.children(node):
            if child.answer is None or len(child.states) < 2:
                continue
            before, after = child.states[-2].shown_board, child.states[-1].shown_board
            if before is not None and after is not None:
                changed = {square: after[square] for square in before.differences(after)}
                position = child.states[-2].position
                said = self._said(position, [child.answer]).get(child.answer, child.answer)
                found[str(child.move)] = Ghost(said, changed)
        return found

    def tree_grades(self, node: StrategyNode, deadline: Deadline | None = None) -> Grades:
        """The opponent's moves at a node by how long they last, by the certificate's answers."""
        if self._by_tree is None:
            return Grades(self.player.other, {}, self._alike(node))
        position = node.state.position
        deadline = Deadline.after(SECONDS) if deadline is None else deadline
        known = self._by_tree.grades(node, deadline)
        said = self._said(position, known)
        return Grades(self.player.other, known, self._alike(node), said)

    def winner(self, position: Position, deadline: Deadline) -> Player | None:
        """The winner in a position by the search; ``None`` where that is not known in time."""
        found = None if self._by_search is None else self._by_search.distance(position, deadline)
        return None if found is None else found.winner

    # -- alternatives -----------------------------------------------------------------------

    def alternatives(self, frames: Sequence[Frame]) -> tuple[str, ...]:
        """The other moves that the certificate's side had at its last ply among ``frames``."""
        return other_moves(frames, self.player)

    def compare(
        self, frames: Sequence[Frame], move: str, deadline: Deadline | None = None
    ) -> MoveComparison:
        """Try ``move`` in the place of the last reply among ``frames``.

        Raises ``UsageError`` where no rules are known, or it is no other move there.
        """
        deadline = Deadline.after(SECONDS) if deadline is None else deadline
        found = last_reply(frames, self.player)
        if found is None or self._by_search is None:
            raise UsageError("found no reply whose rules are known, expected one to compare with")
        before, reply, after = found
        others = self.alternatives(frames)
        if move not in others:
            raise UsageError(f"found {move!r}, expected one of {', '.join(others) or 'none'}")
        other = next(m for m in before.legal_moves() if str(m) == move)
        at = next(k for k, frame in enumerate(frames) if frame is reply)
        node = self._node(frames[: at + 1])
        own = None
        if node is not None and self._by_tree is not None and node.state.plies == reply.ply:
            own = self._by_tree.distance(node, deadline.share(0.3))
        best = self._by_search.distance(after, deadline)
        distance = self._by_search.distance(before.play(other), deadline)
        said = self._said(before, [move]).get(move, move)
        return MoveComparison(said, distance, reply.said, best, own, self.player)


TEACHERS: Final = (
    DeclaredTeacher(
        f"{__name__}:StrategyTeacher",
        f"{__package__}.prompt:drill_at_prompt",
        f"{__package__}.board:drill_on_board",
    ),
)


# A drill: all lines of a strategy one after the other, as puzzles for one side


# Seconds for the question if a move that is not the strategy's would win, too.
_SECONDS = 5.0


@dataclass(frozen=True)
class DrillQuestion:
    """A puzzle: ``player`` is to move after ``moves``.

    ``answers`` are right; ``legal`` are all moves, none where they are not known.  ``last`` are
    the squares that the last ply changed.
    """

    moves: tuple[str, ...]
    player: Player
    board: BoardPicture | None
    position: Position | None
    answers: frozenset[str]
    legal: tuple[str, ...]
    last: frozenset[SquareXY] = frozenset()

    def said(self, move: str) -> str:
        """A legal move of the question as people say it."""
        return move if self.position is None else said_move(self.position, move)

    @property
    def right(self) -> str:
        """The right answers as people say them."""
        return or_list(sorted(map(self.said, self.answers)))

    @property
    def line(self) -> tuple[str, ...]:
        """The moves before the question as people say them."""
        if self.position is None:
            return self.moves
        position: Position = self.position.game.initial
        found = []
        for move in self.moves:
            found.append(said_move(position, move))
            position = position.play(move)
        return tuple(found)


class DrillMark(Enum):
    """The verdict on an answer."""

    RIGHT = "right"
    ALSO_WINS = "also wins"
    WRONG = "wrong"


@dataclass
class DrillProgress:
    """How far a drill is: ``done`` questions, ``right`` of them at the first try.

    ``wrong`` counts wrong answers, ``missed`` are the plays of the questions that had one;
    ``tried`` says that the next question has been answered wrongly before.  ``key`` names the
    strategy, so that another one's progress is not taken for it.
    """

    key: str
    side: Player
    done: int = 0
    right: int = 0
    wrong: int = 0
    missed: list[str] = field(default_factory=list)
    tried: bool = False

    def to_dict(self) -> dict[str, object]:
        """The progress as JSON data; :meth:`from_json` reads it back."""
        return {
            "drill": 1,
            "key": self.key,
            "side": self.side.value,
            "done": self.done,
            "right": self.right,
            "wrong": self.wrong,
            "missed": self.missed,
            "tried": self.tried,
        }

    @classmethod
    def from_json(cls, data: Json, key: str, side: Player) -> DrillProgress:
        """Read the progress of the drill ``key`` for ``side``; raises ``InputError``."""
        found = data["key"].line()
        if found != key:
            raise data["key"].error(f"the drill of {found!r}", f"that of {key!r}")
        if Player(data["side"].one_of(*(player.value for player in Player))) is not side:
            raise data["side"].error("a drill for the other side", f"one for {side}")
        done, right = data["done"].integer(), data["right"].integer()
        if not 0 <= right <= done:
            raise data["right"].error(f"{right} right of {done}", "no more than were done")
        missed = [play.line() for play in data["missed"].items()]
        wrong = data["wrong"].integer()
        return cls(key, side, done, right, max(wrong, 0), missed, data["tried"].boolean())

    @property
    def text(self) -> str:
        """``3 done, 2 right at the first try, 1 wrong answer``."""
        answers = counted(self.wrong, "wrong answer")
        return f"{self.done} done, {self.right} right at the first try, {answers}"


class Drill:
    """The puzzles of a teacher's strategy for the side of ``progress``, from where that is.

    ``called_off`` ends what takes long, from another thread.
    """

    def __init__(
        self,
        teacher: Teacher,
        progress: DrillProgress,
        called_off: Callable[[], bool] = lambda: False,
    ) -> None:
        if teacher.tree is None:
            raise UsageError("found no certificate with a board, expected one to drill")
        self._teacher = teacher
        self._tree, self._root = teacher.tree, teacher.tree.root
        self._called_off = called_off
        self.progress = progress
        self._questions = self._all()
        for _ in range(progress.done):
            if next(self._questions, None) is None or called_off():
                break
        self.question = next(self._questions, None)

    @property
    def asks_for_replies(self) -> bool:
        """True if the questions are for the certificate's own moves."""
        return self.progress.side is self._teacher.player

    @property
    def wanted(self) -> str:
        """The question that all puzzles have, without its question mark."""
        own = self.asks_for_replies
        return "What does the strategy answer" if own else "Which move lasts longest"

    @property
    def over(self) -> bool:
        """True if all questions are done."""
        return self.question is None

    @property
    def game(self) -> TwoPlayerGame | None:
        """The rules, where they are known."""
        return self._teacher.game

    def total(self) -> int | None:
        """The number of questions; ``None`` for the other side, and where there are too many."""
        if not self.asks_for_replies:
            return None
        explored = self._tree.explore(self._root, NODES, cancelled=self._called_off)
        return sum(map(_asks, explored.nodes)) if explored.exact else None

    def touched(self, question: DrillQuestion, move: str) -> tuple[SquareXY, ...]:
        """The squares that a legal move of a question changes; none where rules are not known."""
        if question.position is None or self.game is None:
            return ()
        after = question.position.play(self.game.parse_move(move, question.player))
        return tuple(question.position.board.differences(after.board))

    def answer(self, text: str) -> DrillMark:
        """Mark an answer; a right one, or one that also wins, leads to the next question.

        Raises ``UsageError`` for what is no legal move, which is not counted.
        """
        question = self._asked
        move = self._move(question, text)
        if move in question.answers:
            self._go_on()
            return DrillMark.RIGHT
        if self._also_wins(question, move):
            self._go_on()
            return DrillMark.ALSO_WINS
        self._miss()
        return DrillMark.WRONG

    def give_up(self) -> frozenset[str]:
        """The right answers; the question is missed."""
        answers = self._asked.answers
        self._miss()
        self._go_on()
        return answers

    @property
    def _asked(self) -> DrillQuestion:
        if self.question is None:
            raise UsageError("the drill is over: all lines were asked")
        return self.question

    def _miss(self) -> None:
        if not self.progress.tried:
            self.progress.missed.append(" ".join(self._asked.moves) or "start")
        self.progress.wrong += 1
        self.progress.tried = True

    def _go_on(self) -> None:
        progress = self.progress
        progress.done += 1
        progress.right += not progress.tried
        progress.tried = False
        self.question = next(self._questions, None)

    def _move(self, question: DrillQuestion, text: str) -> str:
        wanted = text.strip()
        if self._teacher.game is not None:
            position = question.position
            wanted = str(
                self._teacher.game.parse_move(wanted, question.player)
                if position is None
                else position.named(wanted)
            )
        if question.legal and wanted not in question.legal:
            raise UsageError(f"found {wanted}, expected a legal move")
        return wanted

    def _also_wins(self, question: DrillQuestion, move: str) -> bool:
        """True if the rules are known, and the certificate's side wins by ``move`` as well."""
        position, game = question.position, self._teacher.game
        if question.player is not self._teacher.player or position is None or game is None:
            return False
        after = position.play(game.parse_move(move, question.player))
        winner = self._teacher.winner(after, Deadline.after(_SECONDS, self._called_off))
        return winner is self._teacher.player

    # -- questions --------------------------------------------------------------------------

    def _all(self) -> Iterator[DrillQuestion]:
        """All questions, line after line: each asks for what the lines before it have not."""
        own = self.asks_for_replies
        if own:
            yield from self._reply(self._root)
        waiting = [self._root]
        while waiting and not self._called_off():
            node = waiting.pop()
            if node.ended:
                continue
            children = self._tree.children(node)
            if own:
                for child in children:
                    yield from self._reply(child)
            else:
                yield from self._defence(node)
            waiting += reversed(children)

    def _reply(self, node: StrategyNode) -> Iterator[DrillQuestion]:
        """The question for the certificate's reply in ``node``, where there is one."""
        if node.answer is None or not _asks(node):
            return
        before = node.states[-2]
        legal: tuple[str, ...] = ()
        if before.position is not None:
            legal = tuple(map(str, before.position.legal_moves()))
        yield DrillQuestion(
            before.moves,
            self._teacher.player,
            before.shown_board,
            before.position,
            frozenset({node.answer}),
            legal,
            _last_squares(node.play[:-1]),
        )

    def _defence(self, node: StrategyNode) -> Iterator[DrillQuestion]:
        """The question for a move that lasts longest; none where all last equally long."""
        grades = self._teacher.tree_grades(node, Deadline.after(SECONDS, self._called_off))
        if not grades.best or len(grades.best) == len(grades.distances):
            return
        state = node.state
        yield DrillQuestion(
            state.moves,
            self._teacher.player.other,
            state.shown_board,
            state.position,
            frozenset(grades.best),
            tuple(grades.distances),
            _last_squares(node.play),
        )


def _asks(node: StrategyNode) -> bool:
    """True if a question asks for the certificate's answer at a node."""
    return node.answer is not None and len(node.states) > 1


def _last_squares(play: Sequence[PlayState]) -> frozenset[SquareXY]:
    """The squares that the last ply of a play changed."""
    boards = [state.shown_board for state in play[-2:]]
    if len(boards) < 2 or boards[0] is None or boards[1] is None:
        return frozenset()
    return frozenset(boards[0].differences(boards[1]))


# The file in which the progress of a drill is kept


@dataclass(frozen=True, slots=True)
class DrillFile:
    """Keeps a progress in the file ``path``, or nowhere."""

    path: str | None = None

    def read(self, key: str, side: Player) -> DrillProgress:
        """The progress that is kept, a new one where nothing is.

        Raises ``InputError`` for a file of another drill.
        """
        if self.path is None or not os.path.lexists(self.path):
            return DrillProgress(key, side)
        return DrillProgress.from_json(parse_json(Source.plain(self.path), "a drill"), key, side)

    def write(self, progress: DrillProgress) -> None:
        """Keep ``progress``; raises ``InputError`` where the file cannot be written."""
        if self.path is not None:
            text = json.dumps(progress.to_dict(), indent=1) + "\n"
            # The file was read in order to be written anew.
            write_atomic(self.path, text, continued=True)
