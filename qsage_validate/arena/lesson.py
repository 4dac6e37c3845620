"""What can be learned at a moment of a play, as data and in sentences, and who teaches it.

An extension declares the teacher.  Why a reply was played is told as far as the rules can tell: in
one sentence, true by the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise
from string import ascii_lowercase, ascii_uppercase
from typing import TYPE_CHECKING, Protocol

from qsage_validate.arena.frame import Frame
from qsage_validate.games.protocol import Player, Position, Square, TwoPlayerGame, plies_text
from qsage_validate.problems.load import BoardProblem
from qsage_validate.registry import declared, load
from qsage_validate.strategies.reader import SquareXY

if TYPE_CHECKING:
    from qsage_validate.arena.strategy_tree import StrategyNode, StrategyTree
    from qsage_validate.errors import Exit
    from qsage_validate.problems.load import BoardProblem, Problem
    from qsage_validate.system.limits import Deadline

# Moves that a sentence names.
_LISTED = 4


@dataclass(frozen=True, slots=True)
class Threat:
    """A move of ``player`` that would win if the opponent passed now.

    ``moves`` is 1 where it reaches the goal, and 2 where any answer to it leaves a move that does.
    ``squares`` are those that it takes, or else changes; ``said`` is the move as people say it.
    """

    player: Player
    move: str
    moves: int
    squares: tuple[SquareXY, ...]
    said: str = field(default="", compare=False)

    @property
    def words(self) -> str:
        """The move for people."""
        return self.said or self.move

    @property
    def text(self) -> str:
        """``b3 would win``."""
        if self.moves == 1:
            return f"{self.words} would win"
        return f"{self.words} would win with one move more, whatever is answered"


def letters_of_threats(threats: Iterable[Threat]) -> dict[SquareXY, str]:
    """A letter for each threat, on its squares: capitals for those that win at once."""
    letters: dict[SquareXY, str] = {}
    for number, threat in enumerate(threats):
        signs = ascii_uppercase if threat.moves == 1 else ascii_lowercase
        for square in threat.squares:
            letters.setdefault(square, signs[number % len(signs)])
    return letters


def threats_text(threats: tuple[Threat, ...]) -> str:
    """``Black threatens to win by b3 or c3``; empty without threats."""
    if not threats:
        return ""
    moves = or_list([threat.words for threat in threats])
    first = threats[0]
    if first.moves == 1:
        return f"{first.player} threatens to win by {moves}"
    return f"{first.player} threatens to win in two moves, beginning with {moves}"


def or_list(items: Sequence[str]) -> str:
    """``a, b or c``; of very many only the first."""
    return _list(items, "or")


def and_list(items: Sequence[str]) -> str:
    """``a, b and c``; of very many only the first."""
    return _list(items, "and")


def _list(items: Sequence[str], word: str) -> str:
    shown = list(items)
    if len(shown) > _LISTED:
        shown = [*shown[: _LISTED - 1], f"{len(shown) - _LISTED + 1} others"]
    return f" {word} ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:])))


class DistanceSource(Enum):
    CERTIFICATE = "the certificate's answers"
    SEARCH = "the search"


@dataclass(frozen=True, slots=True)
class Distance:
    """The end of a play from some moment on.

    By the certificate's answers ``winner`` wins each play that may follow, within ``plies`` more
    plies, and one of them takes so many.  By the search ``winner`` can win, Black within
    ``plies`` however White plays; ``plies`` is ``None`` where White wins.  ``winner`` is ``None``
    where some play is not won as promised.
    """

    winner: Player | None
    plies: int | None
    source: DistanceSource

    @property
    def short(self) -> str:
        """The short form, for narrow places: ``Black wins within 3 plies``."""
        return self.text.replace(" more ", " ").removesuffix(", by the search")

    @property
    def text(self) -> str:
        """``Black wins within 3 more plies``."""
        if self.winner is None:
            return "Not every play from here is won as promised"
        more = "" if self.plies is None else _more(self.plies)
        if self.source is DistanceSource.SEARCH:
            return f"{self.winner} can win{f' within {more}' if more else ''}, by the search"
        if self.winner is Player.BLACK:
            return f"Black wins within {more}"
        return f"White holds out: the play ends within {more}"


def _more(plies: int) -> str:
    return plies_text(plies).replace(" ", " more ", 1)


@dataclass(frozen=True)
class Grades:
    """The moves of the player to move by the distance after each; ``None``: not known.

    ``player`` is to move.  Distances count from before the move on.  ``alike`` are moves that do
    what another one does, which is named in their place; ``said`` has moves as people say them.
    """

    player: Player
    distances: Mapping[str, Distance | None]
    alike: frozenset[str] = frozenset()
    said: Mapping[str, str] = field(default_factory=dict, compare=False)

    def words(self, move: str) -> str:
        """A move for people."""
        return self.said.get(move, move)

    @property
    def known(self) -> bool:
        """True if every move's distance is known, so that the longest can be told."""
        return bool(self._told)

    @property
    def _told(self) -> Mapping[str, Distance]:
        """The distances, where all of them are known; else none."""
        told = {move: d for move, d in self.distances.items() if d is not None}
        return told if len(told) == len(self.distances) else {}

    @property
    def lost(self) -> bool:
        """True if every move is known to lose."""
        return self.known and all(d.winner is self.player.other for d in self._told.values())

    @property
    def best(self) -> tuple[str, ...]:
        """The moves that win or, where all lose, those that last longest; none if not known."""
        longest = max(map(self._rank, self._told.values()), default=None)
        return tuple(m for m, d in self._told.items() if self._rank(d) == longest)

    def short(self, move: str) -> int | None:
        """The plies by which a move loses sooner than the longest; 0 for the best moves.

        ``None`` where that is not known, or where another move does not lose.
        """
        told, best = self._told, self.best
        distance = told.get(move)
        if distance is None:
            return None
        longest = told[best[0]]
        if move in best:
            return 0
        if not self.lost or longest.plies is None or distance.plies is None:
            return None
        return longest.plies - distance.plies

    def _rank(self, distance: Distance) -> tuple[bool, int]:
        plies = distance.plies or 0
        wins = distance.winner is not self.player.other
        return wins, -plies if wins else plies

    @property
    def text(self) -> str:
        """Which moves last longest, and that all lose where they do."""
        if not self.known:
            return "How long each move lasts is not known within the limits"
        first = self._told[self.best[0]]
        best = [self.words(move) for move in self.best if move not in self.alike]
        kinds = len(self.distances) - len(self.alike)
        if not self.lost:
            return f"By {first.source.value} {and_list(best)} {_verb(best, 'does', 'do')} not lose"
        if first.plies is None:
            return "All moves lose" if kinds > 1 else "The only move loses"
        longest = _more(first.plies)
        if kinds == 1:
            return f"The only move loses within {longest}"
        if len(best) == kinds:
            return f"All moves lose within {longest}: none lasts longer than another"
        return f"All moves lose; {and_list(best)} {_verb(best, 'lasts', 'last')} longest: {longest}"


def _verb(items: list[str], one: str, many: str) -> str:
    return one if len(items) == 1 else many


class Purpose(Enum):
    """The purpose of a reply; ``moves`` of a :class:`Reason` are named behind each."""

    COMPLETES = "reaches the goal"
    STUCK = "leaves the opponent without a legal move"
    ENDS = "ends the play in another way"
    BLOCKS = "takes away the opponent's moves that would win at once"
    FORKS = "makes threats of which each answer leaves one"
    TWO_THREATS = "makes two threats or more"
    THREATENS = "makes a threat"
    PREPARES = "threatens to win in two moves"
    PAIRS = "answers in the pair of the opponent's move"
    ONLY = "is the only legal move"
    WAITS = "changes nothing on the board"


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing that a reply of ``player`` does; ``moves`` are what it is about.

    ``said`` are these moves as people say them.
    """

    purpose: Purpose
    player: Player
    moves: tuple[str, ...] = ()
    said: tuple[str, ...] = field(default=(), compare=False)

    @property
    def clause(self) -> str:
        """The end of a sentence that begins with the move."""
        player, other = self.player, self.player.other
        said = self.said or self.moves
        moves, both = or_list(said), and_list(said)
        return {
            Purpose.COMPLETES: f"reaches {player}'s goal",
            Purpose.STUCK: f"leaves {other} without a legal move",
            Purpose.ENDS: f"ends the play: {player} {moves}",
            Purpose.BLOCKS: f"blocks {both}, where {other} would have won",
            Purpose.FORKS: f"threatens to win by {moves}, and {other} cannot stop it",
            Purpose.TWO_THREATS: f"makes {len(self.moves)} threats: {both}",
            Purpose.THREATENS: f"threatens to win by {moves}",
            Purpose.PREPARES: f"threatens to win in two moves, beginning with {moves}",
            Purpose.PAIRS: f"answers {' with '.join(said)}, the other one of a pair",
            Purpose.ONLY: "is the only legal move",
            Purpose.WAITS: "waits: nothing changes on the board",
        }[self.purpose]


def sentence(move: str, found: tuple[Reason, ...]) -> str:
    """``b3 blocks a1, where White would have won, and makes 2 threats: …``.

    Empty without a reason.
    """
    if not found:
        return ""
    return f"{move} {', and '.join(reason.clause for reason in found[:2])}"


# Seconds for one lesson, unless told otherwise.
SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Ghost:
    """A reply that would come: its move, and the squares that it changes with what it leaves."""

    reply: str
    squares: Mapping[SquareXY, Square]


@dataclass(frozen=True)
class Lesson:
    """The lesson of a moment at which the person is to move, or the play has ended.

    ``threats`` are those of the certificate's side, ``reasons`` say why its last ply ``reply`` was
    played, ``ghosts`` are its replies to each move of the person.  ``distance`` is ``None`` where
    it is not known.
    """

    distance: Distance | None
    grades: Grades
    threats: tuple[Threat, ...] = ()
    reply: str = ""
    reasons: tuple[Reason, ...] = ()
    ghosts: Mapping[str, Ghost] = field(default_factory=dict)

    @property
    def reason(self) -> str:
        """Why the last reply was played, in one sentence; empty where nothing is known."""
        return sentence(self.reply, self.reasons)

    @property
    def lines(self) -> tuple[str, ...]:
        """The sentences: why it was answered so, what is threatened, how long it lasts."""
        far = self.distance
        # The threats of a reply are those in the position after it.
        said = any(reason.moves == tuple(t.move for t in self.threats) for reason in self.reasons)
        threats = "" if said else threats_text(self.threats)
        distance = "" if far is None or far.plies == 0 else far.text
        return tuple(filter(None, (self.reason, threats, distance)))

    def to_dict(self) -> dict[str, object]:
        return {
            "distance": None if self.distance is None else _distance_json(self.distance),
            "grades": [
                {"move": move, "distance": None if d is None else _distance_json(d)}
                | {"short": self.grades.short(move)}
                for move, d in self.grades.distances.items()
            ],
            "best": list(self.grades.best),
            "threats": [
                {"move": t.move, "moves": t.moves, "squares": [list(s) for s in t.squares]}
                for t in self.threats
            ],
            "reasons": [
                {"purpose": r.purpose.name.lower(), "moves": list(r.moves)} for r in self.reasons
            ],
            "text": list(self.lines),
        }


def _distance_json(distance: Distance) -> dict[str, object]:
    return {
        "winner": None if distance.winner is None else distance.winner.value,
        "plies": distance.plies,
        "source": distance.source.name.lower(),
    }


@dataclass(frozen=True, slots=True)
class MoveComparison:
    """Another move in the place of a reply; both by the search, counted from after the move.

    ``own`` is the distance by the certificate's own answers after ``reply``.
    """

    move: str
    distance: Distance | None
    reply: str
    best: Distance | None
    own: Distance | None
    player: Player

    @property
    def text(self) -> str:
        """Whether the other move still wins, and how long each takes."""
        if self.distance is None:
            return f"{self.move}: not known within the limits who wins"
        wins = self.distance.winner is self.player
        word = "still wins" if wins else f"loses the win: {self.distance.winner} wins"
        text = f"{self.move} {word}{_within(self.distance)}"
        if self.best is None or self.best.winner is not self.player:
            known = "not known" if self.best is None else f"no win for {self.player} either"
            return f"{text}; {self.reply}, which was played: {known}"
        text = f"{text}; {self.reply}, which was played, wins{_within(self.best)}"
        if self.own is not None and self.own.plies not in (None, self.best.plies):
            text = f"{text} ({self.own.plies} by the certificate's own answers)"
        return text


def _within(distance: Distance) -> str:
    if distance.plies is None or distance.winner is not Player.BLACK:
        return ""
    if not distance.plies:
        return " at once"
    return f" within {distance.plies} more {'ply' if distance.plies == 1 else 'plies'}"


def last_reply(frames: Sequence[Frame], player: Player) -> tuple[Position, Frame, Position] | None:
    """The last reply of ``player``: the position before it, its frame, the position after it."""
    for before, frame in reversed(list(pairwise(frames))):
        if frame.player is player and frame.by_certificate:
            if before.position is None or frame.position is None:
                return None
            return before.position, frame, frame.position
    return None


def other_moves(frames: Sequence[Frame], player: Player) -> tuple[str, ...]:
    """The other moves of ``player`` at the last reply in ``frames``; empty if not known."""
    found = last_reply(frames, player)
    if found is None:
        return ()
    before, reply, _ = found
    own = str(reply.move)
    return tuple(text for move in before.legal_moves() if (text := str(move)) != own)


class Teacher(Protocol):
    """Lessons about the plays of one certificate, or of a search; one thread at a time.

    ``player`` answers.  The ``tree`` of the strategy and the ``game`` are ``None`` where they are
    not known.
    """

    player: Player
    tree: StrategyTree | None
    game: TwoPlayerGame | None

    def lesson(self, frames: Sequence[Frame], deadline: Deadline | None = None) -> Lesson:
        """The lesson after ``frames``, from the start on.

        Facts that are unknown at the ``deadline`` (of :data:`SECONDS` without one) are left out.
        """
        ...

    def compare(
        self, frames: Sequence[Frame], move: str, deadline: Deadline | None = None
    ) -> MoveComparison:
        """Try ``move`` in the place of the last reply among ``frames``.

        Raises ``UsageError`` where no rules are known, or it is no other move there.
        """
        ...

    def tree_grades(self, node: StrategyNode, deadline: Deadline | None = None) -> Grades:
        """The opponent's moves at a node by how long they last, by the certificate's answers."""
        ...

    def winner(self, position: Position, deadline: Deadline) -> Player | None:
        """The winner in a position by the search; ``None`` where that is not known in time."""
        ...


@dataclass(frozen=True, slots=True)
class DeclaredTeacher:
    """Who teaches; the places are loaded when something is to be learnt.

    ``teacher`` makes a :class:`Teacher` of the player that answers, the tree of its strategy and
    the game, both ``None`` where they are not known.  ``prompt`` and ``board`` are a
    :class:`PromptDrill` and a :class:`BoardDrill`.
    """

    teacher: str
    prompt: str
    board: str


class PromptDrill(Protocol):
    """Asks for the moves of ``side`` at a prompt, until all is done or the person leaves.

    The progress of the drill ``title`` is kept in the file ``path``, if there is one.  Raises
    ``InputError`` for a file of another drill.
    """

    def __call__(self, teacher: Teacher, title: str, side: Player, path: str | None) -> Exit: ...


class BoardDrill(Protocol):
    """Asks for the moves of ``side`` on a board in ``theme``; returns the theme at the end.

    ``make`` makes the teacher, in a thread.  ``path`` names the file in which the progress of a
    side is kept, if it is; with ``both`` a person may change the side.
    """

    def __call__(
        self,
        make: Callable[[], Teacher],
        title: str,
        side: Player,
        path: Callable[[Player], str | None],
        *,
        both: bool,
        theme: str,
    ) -> str: ...


def teachers() -> DeclaredTeacher | None:
    """The teacher that is installed; ``None`` where there is none."""
    return next(iter(declared("teachers", DeclaredTeacher)), None)


def make_teacher(
    player: Player, tree: StrategyTree | None, game: TwoPlayerGame | None
) -> Teacher | None:
    """The teacher for plays in which ``player`` answers; ``None`` where none is installed."""
    found = teachers()
    if found is None:
        return None
    make: Callable[..., Teacher] = load(found.teacher)
    return make(player, tree, game)


def teacher_of(problem: Problem) -> Teacher | None:
    """The teacher for the plays of a problem; ``None`` for the game of blocks.

    A solver's play has no tree: each of its answers would be solved.
    """
    if not isinstance(problem, BoardProblem):
        return None
    from qsage_validate.arena.strategy_tree import tree_of

    tree = None if problem.solving is not None else tree_of(problem)
    return make_teacher(problem.answering.kind.player, tree, problem.game)
