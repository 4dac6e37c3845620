"""The history of a play: the tree of all rounds that were played, and the place in it.

A *round* is what one move of the person adds: the person's ply and the answers.  What is played
after an earlier round branches off from it; nothing that was played is lost.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from qsage_validate.arena.frame import Frame, MatchMove


class Round:
    """A round and those that were played after it; ``number`` counts the rounds of a history.

    ``frames`` are those of its plies (at the start: the start first).
    ``onward`` is the one of ``children`` that was visited last.  The first round of a history
    begins with the start.
    """

    __slots__ = ("children", "frames", "number", "onward", "parent")

    def __init__(self, number: int, parent: Round | None, frames: tuple[Frame, ...]) -> None:
        self.number = number
        self.parent = parent
        self.frames = frames
        self.children: list[Round] = []
        self.onward: Round | None = None

    @property
    def path(self) -> tuple[Round, ...]:
        rounds = [self]
        while (parent := rounds[-1].parent) is not None:
            rounds.append(parent)
        return tuple(reversed(rounds))

    @property
    def ahead(self) -> tuple[Round, ...]:
        """The rounds after this one that were visited last, up to an end."""
        rounds = [self]
        while (onward := rounds[-1].onward) is not None:
            rounds.append(onward)
        return tuple(rounds[1:])

    @property
    def others(self) -> tuple[Round, ...]:
        """The other rounds that were played instead of this one, in the order of their numbers."""
        if self.parent is None:
            return ()
        return tuple(each for each in self.parent.children if each is not self)


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """A ply of the tree as a list shows it.

    ``level`` counts the branches off the line on the board (0: it is on the line), ``index`` is
    the number of the frame on that line, and ``number`` that of its round.
    """

    frame: Frame
    level: int
    number: int
    index: int | None


class History:
    """The rounds of a play, and ``here``, the one that the board shows."""

    def __init__(self, frames: tuple[Frame, ...]) -> None:
        self.root = self.here = Round(0, None, frames)
        self._rounds = {0: self.root}
        self._numbers = 1

    def copy(self) -> History:
        """The same tree with the same place in it; frames are frozen and shared."""
        copied = History(self.root.frames)
        rounds = {0: copied.root}
        for number, each in self._rounds.items():
            if each.parent is not None:
                rounds[number] = Round(number, rounds[each.parent.number], each.frames)
        for number, each in self._rounds.items():
            rounds[number].children = [rounds[child.number] for child in each.children]
            rounds[number].onward = None if each.onward is None else rounds[each.onward.number]
        copied._rounds, copied._numbers = rounds, self._numbers
        copied.here = rounds[self.here.number]
        return copied

    def add(self, frames: tuple[Frame, ...]) -> None:
        new = Round(self._numbers, self.here, frames)
        self._numbers += 1
        self._rounds[new.number] = new
        self.here.children.append(new)
        self.go(new)

    def drop(self) -> None:
        """Take the round that the board shows out of the tree, and go back."""
        gone, parent = self.here, self.here.parent
        assert parent is not None, "the start stays"
        parent.children.remove(gone)
        parent.onward = parent.children[-1] if parent.children else None
        del self._rounds[gone.number]
        self.go(parent)

    def go(self, there: Round) -> None:
        """Have the board show a round of the tree."""
        for parent, each in pairwise(there.path):
            parent.onward = each
        self.here = there

    def find(self, number: int) -> Round | None:
        """The round with a number; ``None`` where there is none."""
        return self._rounds.get(number)

    def tried(self, move: MatchMove, *, claim: bool) -> Round | None:
        """The round that began with ``move`` here before, claiming the goal or not."""
        for each in self.here.children:
            first = each.frames[0]
            if first.move == move and first.stopped is claim:
                return each
        return None

    @property
    def line(self) -> tuple[Round, ...]:
        """The rounds up to the board, and those after it that were visited last."""
        return (*self.here.path, *self.here.ahead)

    @property
    def branches(self) -> int:
        """The number of rounds beside the line on the board."""
        return len(self._rounds) - len(self.line)

    def rows(self) -> tuple[HistoryRow, ...]:
        """All plies: those of the line on the board, each round followed by its alternatives."""
        rows: list[HistoryRow] = []
        index = 0
        for each in self.line:
            frames = each.frames
            for offset, frame in enumerate(frames):
                rows.append(HistoryRow(frame, 0, each.number, index + offset))
            index += len(frames)
            rows += _aside(each.others)
        return tuple(rows)

    def __repr__(self) -> str:
        return f"<History of {len(self._rounds)} rounds>"


def _aside(rounds: Sequence[Round]) -> Iterator[HistoryRow]:
    """The rows of rounds beside a line, each with all that was played after it."""
    # A stack, not calls: a long play would nest too deep.
    waiting = [(each, 1, False) for each in reversed(rounds)]
    while waiting:
        each, level, first_choice = waiting.pop()
        yield from (HistoryRow(frame, level, each.number, None) for frame in each.frames)
        if each.onward is not None:
            waiting.append((each.onward, level, True))
        if first_choice:
            waiting += ((other, level + 1, False) for other in reversed(each.others))
