"""A program that a play follows: which of its questions led to a reply, and how it is listed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from qsage_validate.arena.frame import Frame
from qsage_validate.explaining.explanation import Explanation, Node
from qsage_validate.explaining.situation import Made, Situation, made
from qsage_validate.games.protocol import Player


@dataclass(frozen=True, slots=True)
class ProgramLine:
    """A line of a program.

    ``node`` is the number of the node without which it does not lie on the way of a reply;
    ``yes`` is, for a question, the node behind its yes.
    """

    text: str
    node: int
    yes: int | None = None


@dataclass(frozen=True)
class Followed:
    """A program with the plays of its certificate; ``explanation`` shows the whole of it."""

    explanation: Explanation

    @cached_property
    def lines(self) -> tuple[ProgramLine, ...]:
        """The program, line by line, as its text has them."""
        return tuple(_lines(self.explanation.root, ""))

    @property
    def first_question(self) -> str | None:
        """What is asked at each turn first; ``None`` where one answer is all."""
        question = self.explanation.root.question
        return None if question is None else str(question)

    def told(self, before: Sequence[Frame], reply: Frame) -> Frame:
        """The frame of a reply with its ``way`` and remarks; ``before`` are the frames before it.

        A ply that the certificate did not make, and one behind an illegal move, stays as it is.
        """
        at = self._situation(before)
        if at is None or not reply.by_certificate or reply.move is None:
            return reply
        way = tuple(self.explanation.root.way(at))
        asked = [f"{node.question}? {_yes(after)}" for node, after in pairwise(way)]
        answer, played = way[-1].answer, str(reply.move)
        assert answer is not None, "the whole program is followed"
        said, choice = str(answer), answer.choose(at)
        if choice is None or choice.made.text != played:
            said = f"the program says: {said}; the certificate plays {played}"
        numbers = tuple(node.number for node in way)
        return replace(reply, way=numbers, remarks=(*reply.remarks, *asked, said))

    def _situation(self, frames: Sequence[Frame]) -> Situation | None:
        """What the player of the program has before them; ``None`` where the rules were left."""
        game, hero = self.explanation.game, self.explanation.hero
        position = frames[-1].position
        if position is None or position.outcome is not None or position.to_move is not hero:
            return None
        last = dict[Player, Made]()
        for before, after in pairwise(frames):
            if before.position is None or after.position is None or after.move is None:
                return None
            assert after.player is not None, "a ply was made"
            boards = before.position.board, after.position.board
            name = str(after.move)
            move = next(m for m in before.position.legal_moves() if str(m) == name)
            last[after.player] = made(game, boards[0], move, boards[1], after.player)
        return Situation(game, position, last.get(hero.other), last.get(hero))


def _yes(node: Node) -> str:
    return "yes" if node.side else "no"


def _lines(node: Node, indent: str) -> Iterator[ProgramLine]:
    if node.question is None:
        yield ProgramLine(f"{indent}{node.answer}", node.number)
        return
    yes, no = node.children
    yield ProgramLine(f"{indent}if {node.question}:", node.number, yes.number)
    yield from _lines(yes, indent + "  ")
    yield ProgramLine(f"{indent}else:", no.number)
    yield from _lines(no, indent + "  ")
