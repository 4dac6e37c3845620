"""A drill: all lines of a strategy one after the other, as puzzles for one side.

For the certificate's side each puzzle asks for its reply to a move of the opponent's.  For the
other side it asks for a move that lasts longest.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum

from qsage_validate.arena.frame import PlayState, SquareXY
from qsage_validate.arena.lesson import SECONDS, Teacher, or_list
from qsage_validate.arena.strategy_tree import StrategyNode
from qsage_validate.errors import UsageError
from qsage_validate.extensions.teaching.teacher import NODES
from qsage_validate.formats.json_text import Json, parse_json
from qsage_validate.formats.source import Source
from qsage_validate.formats.writing import write_atomic
from qsage_validate.games.protocol import BoardPicture, Player, Position, TwoPlayerGame, said_move
from qsage_validate.system.limits import Deadline

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
        answers = f"{self.wrong} wrong answer{'s' * (self.wrong != 1)}"
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
