"""The protocol of engines, which boards, blocks and heaps implement.

An engine keeps nothing of a play: it makes frames from frames, so that going back and forth, or
looking ahead, costs nothing and changes nothing.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from qsage_validate.arena.frame import Frame, Hint, MatchMove, Pairs, SquareXY, WhyNot
from qsage_validate.errors import visible
from qsage_validate.games.protocol import Player


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts that do not change during a play.

    ``title`` names game and certificate in a header; ``certificate_player`` is the side that
    answers (Black for Skolem, White for Herbrand); ``plies`` is how many a play has at most
    (or blocks), 0 if that is not known.  With ``has_board`` frames have boards and
    moves are moves of a board; with ``has_rules`` each step is compared with the game's rules, or
    made by them alone where the play is ``by_rules``, without a formula; with ``has_verdict`` a
    formula's verdict is evaluated at the end.  ``answers`` says in a word what answers.
    With ``moves_by_line`` blanks are parts of moves, so that scripts separate them by lines only.
    ``actions`` are the person's, in the order of their numbers (none for blocks);
    ``goal`` says in a sentence what the game is about, where there are plain words for it;
    ``falls`` says that pieces fall, so that an open square stands for its column;
    ``target`` is the shape to be formed, drawn row by row, where the game is about one;
    ``top_owner`` connects top and bottom of the board, where the players connect opposite sides.
    With ``has_pairs`` pairs by which White could block may be known: the certificate plays White.
    ``notes`` are worth telling at the start (where the layout came from, don't-cares, …).
    """

    title: str
    certificate_player: Player
    plies: int
    has_board: bool
    has_rules: bool
    notes: tuple[str, ...] = ()
    answers: str = "certificate"
    has_verdict: bool = True
    by_rules: bool = False
    moves_by_line: bool = False
    actions: tuple[str, ...] = ()
    goal: str = ""
    falls: bool = False
    target: tuple[str, ...] = ()
    top_owner: Player | None = None
    has_pairs: bool = False

    def __post_init__(self) -> None:
        # Names of files and games stand in these.
        object.__setattr__(self, "title", visible(self.title))
        object.__setattr__(self, "notes", tuple(map(visible, self.notes)))

    @property
    def person(self) -> Player:
        return self.certificate_player.other

    def __repr__(self) -> str:
        return f"<Facts {self.title}>"


class Engine(Protocol):
    """Replies to the person's moves; optional features have a default here."""

    facts: Facts

    def start(self) -> Frame:
        """The play before ply 1."""

    def mover(self, frame: Frame) -> Player:
        """Whose ply the person makes next.

        The certificate's, where it may make any legal move: the person chooses that then.
        """
        return self.facts.person

    def legal(self, frame: Frame) -> Sequence[MatchMove]:
        """The person's legal moves in a play that goes on, in a fixed order.

        By the formula's indicators where they are known, else by the rules, else every move
        that can be written.  In the game of blocks every assignment is legal; a block of more than
        six variables gives only the first 64 of them.
        """

    def parse(self, frame: Frame, text: str) -> MatchMove:
        """The move that ``text`` names, legal or not.

        Raises ``MalformedMoveError`` (quotes the text and says what a move looks like),
        ``AmbiguousMoveError``.
        """

    def why_not(self, frame: Frame, move: MatchMove) -> WhyNot | None:
        """The reasons why ``move`` is illegal now; ``None`` if formula and rules accept it."""

    def push(self, frame: Frame, move: MatchMove, why: WhyNot | None, *, claim: bool) -> Frame:
        """The play after the person's ``move``, let happen where ``why`` says it is illegal.

        ``claim`` claims the goal with it.  Raises ``UsageError`` for what cannot be done.
        """

    def reply(self, frame: Frame) -> Frame | None:
        """The play after the certificate's next ply; ``None`` where it is not its turn.

        A frame with as many plies takes the place of ``frame``: the certificate has no answer
        there, or the person is to choose for it.
        """

    def can_claim(self, frame: Frame) -> bool:
        """True if the person can claim a goal with the next ply: it has a game-stop variable."""
        return False

    def at(self, frame: Frame, square: SquareXY) -> tuple[MatchMove, ...]:
        """The moves, legal or not, that a person may mean by ``square``: one for each action."""
        return ()

    def touched(self, frame: Frame, move: MatchMove) -> tuple[SquareXY, ...]:
        """The squares whose content a legal ``move`` changes.

        With it, an interface lets one click a piece and then its target.
        """
        return ()

    def hint(self, frame: Frame) -> Hint | None:
        """A suggestion for the person in a play that goes on, where one is known."""
        return None

    def random(self, frame: Frame, generator: random.Random) -> MatchMove | None:
        """A legal move chosen by ``generator``; ``None`` when there is none."""
        moves = self.legal(frame)
        return generator.choice(moves) if moves else None

    def pairs(self, frame: Frame) -> Pairs | None:
        """The pairs by which White could block from a frame on; ``None`` where none are known."""
        return None


def answered(engine: Engine, frame: Frame) -> tuple[Frame, ...]:
    """``frame`` and the certificate's answers to it, until the person's turn or the end."""
    frames = [frame]
    while (reply := engine.reply(frames[-1])) is not None:
        if reply.ply == frames[-1].ply:
            frames.pop()
        frames.append(reply)
    return tuple(frames)
