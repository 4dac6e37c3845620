"""Deepening: the depths of a game whose answers can differ, and the file of the answers so far.

The formula of depth k says that Black wins within k plies, so deeper formulas are implied by
shallower ones.  A win that needs exactly k plies comes about at ply k: by a goal of Black's, if
Black makes that ply, or by White's having no legal move at it (``games/bddl/rules.py``).  Where
neither is possible the formula says the same as the one before, and need not be asked about.

The critical depth of a game is proved by two answers: the formula of that depth is true, and
that of the greatest smaller depth that could differ is false.  Where no depth beyond
a bound gives Black anything more, "Black wins at no depth" is an answer as well.
"""

from __future__ import annotations

import hashlib
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import fspath, path
from typing import Any, ClassVar, Final, Generic, TypeVar

from qsage_validate.errors import UsageError, counted, one_line
from qsage_validate.formats.json_text import Json, parse_json
from qsage_validate.formats.source import Path, Source, quoted
from qsage_validate.formats.writing import write_atomic
from qsage_validate.games.bddl.bounds import (
    BLACK_PIECE,
    OPEN_SQUARE,
    changes,
    filled,
    stuck_without,
)
from qsage_validate.games.bddl.ground import Grounding
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.languages import load_game
from qsage_validate.games.model_text import GameModel, languages
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.protocol import Player, plies_text
from qsage_validate.registry import load
from qsage_validate.solvers.search import SearchSolver, search_for
from qsage_validate.solvers.search_engine import MAX_PLIES, time_over
from qsage_validate.system.limits import NEVER, Deadline, Limits, Progress, Tell, nobody, now

# Answers in a small JSON file that a later run goes on from


Fields = Mapping[str, Callable[[Json], Any]]


@dataclass(frozen=True, slots=True)
class Farm:
    """Who searches: ``jobs`` processes here, or a Dask scheduler's workers at ``address``.

    ``split`` is the number of plies before the positions that are searched apart, ``resume`` a
    file that keeps what is known of them.
    """

    jobs: int = 1
    address: str | None = None
    split: int | None = None
    resume: str | None = None


@dataclass(frozen=True, slots=True)
class DepthAnswer:
    """The answer whether Black wins within ``plies``, its source, and the time it took.

    ``truth`` is ``None`` where the answer is unknown; ``why`` gives the reason then.
    ``first_move`` is a winning move of Black's at ply 1, where one is known.  ``taken_from`` is the
    file that the answer was read from, of which nothing was checked again.
    """

    plies: int
    truth: bool | None
    by: str
    seconds: float
    why: str = ""
    first_move: str = ""
    taken_from: str = field(default="", kw_only=True, compare=False)

    @property
    def said_by(self) -> str:
        """The source of the answer; what a file says is the source is quoted."""
        if not self.taken_from:
            return self.by
        return f"{quoted(one_line(self.by), 60)} as {self.taken_from} says, not checked again"


def rests_on(path: str) -> str:
    """The words behind a result that rests on answers in a file."""
    return f"; this rests on answers in {one_line(path)}, which are not checked again"


Entry = TypeVar("Entry", bound=DepthAnswer)


class AnswerFile(ABC, Generic[Entry]):
    """Answers in a file, behind a head that says what they are about.

    ``head`` are texts by name, the format first; each of them has to be the same in a file that is
    gone on with.  A digest of the answers tells a change by accident; whoever makes it anew can
    say anything, so that answers know the file that they are from.  An answer that is added is
    written whole at once, or not at all; unknown answers are not kept.  A file that does not exist
    yet is begun.  What another run has added to the file meanwhile stays in it.  Raises
    :class:`InputError` for one that is no such file, damaged, about something else, or contradicts
    itself.

    ``required`` are the fields of an answer that are kept, ``optional`` those that are kept where
    they say something, each with its reader.
    """

    required: ClassVar[Fields]
    optional: ClassVar[Fields] = {}
    kind: type[Entry]

    def __init__(self, file: Path, head: Mapping[str, str]) -> None:
        self._file = fspath(file)
        self._head = dict(head)
        self.entries: list[Entry] = []
        if path.exists(self._file):
            self._seen = self._state()
            self.entries = self._read()
        else:
            self._write()  # a file that cannot be written is an error now, not in an hour

    def to_dict(self, entry: Entry) -> dict[str, Any]:
        """An answer as an object of JSON."""
        fields = {name: getattr(entry, name) for name in (*self.required, *self.optional)}
        fields["seconds"] = round(entry.seconds, 3)
        return {name: x for name, x in fields.items() if name in self.required or x}

    def from_json(self, fields: Mapping[str, Any]) -> Entry:
        """The answer behind an object whose fields have the right names and types."""
        return self.kind(**{**fields, "seconds": float(fields["seconds"])})

    @abstractmethod
    def contradiction(self, entries: list[Entry]) -> str | None:
        """The text of two entries that contradict each other, or ``None``."""

    def add(self, entry: Entry) -> None:
        if entry.truth is not None:
            state = self._state()
            if state not in (None, self._seen):
                others = self._read()
                self.entries = [*others, *(x for x in self.entries if x not in others)]
            self.entries.append(entry)
            self._write()

    def _state(self) -> tuple[int, ...] | None:
        """Which file there is now, and as of when."""
        try:
            status = os.stat(self._file)
        except FileNotFoundError:
            return None
        return status.st_ino, status.st_mtime_ns, status.st_size

    def _write(self) -> None:
        answers = [self.to_dict(entry) for entry in self.entries]
        content = {**self._head, "sha256": _digest(answers), "answers": answers}
        text = json.dumps(content, ensure_ascii=False, indent=1)
        write_atomic(self._file, text + "\n", continued=True)
        self._seen = self._state()

    @property
    def fields(self) -> Fields:
        return {**self.required, **self.optional}

    def _read(self) -> list[Entry]:
        own = self._head["format"]
        read = parse_json(Source.plain(self._file), own)
        read["format"].one_of(own)
        if read["model"].text() != self._head["model"]:
            other = read.get("game")
            about = "" if other is None else f" ({other.text()})"
            raise read["model"].error(f"answers about another game{about}", self._head["game"])
        for name in self._head.keys() - {"format", "model", "game"}:
            if read[name].text() != self._head[name]:
                found = f"answers for the {name} {read[name].text()}"
                raise read[name].error(found, self._head[name])
        entries = [self._entry(each) for each in read["answers"].items()]
        seal, said = _digest([self.to_dict(entry) for entry in entries]), read.get("sha256")
        if said is None or said.text() != seal:
            found = "no 'sha256'" if said is None else quoted(said.text(), 80)
            raise (said or read).error(found, f"{seal}: the answers were cut or changed")
        contradiction = self.contradiction(entries)
        if contradiction is not None:
            raise read["answers"].error(contradiction, "answers that agree")
        return entries

    def _entry(self, entry: Json) -> Entry:
        fields = entry.fields()
        for name, each in fields.items():
            if name not in self.fields:
                raise each.error(f"the field {name!r}", f"one of {', '.join(self.fields)}")
        for name in self.required:
            entry[name]  # raises the error where it is not there
        read = self.from_json({name: self.fields[name](x) for name, x in fields.items()})
        self.check(read, entry)
        return replace(read, taken_from=self._file)

    def check(self, read: Entry, place: Json) -> None:
        """Raise ``InputError`` for an answer that this game cannot have."""


def _digest(answers: list[dict[str, Any]]) -> str:
    return hashlib.sha256(json.dumps(answers, sort_keys=True).encode()).hexdigest()


_FORMAT: Final = "qsage deepening 1"


class DeepeningFile(AnswerFile[DepthAnswer]):
    """The answers about a game's depths in a file."""

    required: ClassVar[Fields] = {
        "plies": Json.integer,
        "truth": Json.boolean,
        "by": Json.line,
        "seconds": Json.number,
    }
    optional: ClassVar[Fields] = {"first_move": Json.line}
    kind = DepthAnswer

    def __init__(self, file: Path, model: GameModel) -> None:
        head = {"format": _FORMAT, "game": model.name, "model": model.fingerprint()}
        self._model = model
        super().__init__(file, head)

    def check(self, read: DepthAnswer, place: Json) -> None:
        if read.first_move:
            legal = set(map(str, load_game(self._model).initial.legal_moves()))
            for move in read.first_move.split(", ") if read.first_move not in legal else ():
                if move not in legal:
                    found = f"the first move {quoted(one_line(move))}"
                    raise place["first_move"].error(found, "a legal move")

    def contradiction(self, entries: list[DepthAnswer]) -> str | None:
        true = min((a.plies for a in entries if a.truth), default=None)
        false = max((a.plies for a in entries if not a.truth), default=None)
        if true is not None and false is not None and true <= false:
            return f"a win within {true} plies and none within {false}"
        return None


# The depths of a game whose answers can differ, and the bound beyond which no answer differs


BLACK, WHITE = Player.BLACK, Player.WHITE


@dataclass(frozen=True, slots=True)
class Bound:
    """No depth beyond ``plies`` gives Black anything more; ``why`` is a clause in words."""

    plies: int
    why: str


class Depths(ABC):
    """The depths of a game, in plies (rounds in GDL), whatever depth its model has."""

    model: GameModel
    bound: Bound | None

    def at(self, plies: int) -> GameModel:
        return self.model.at_depth(self.depth(plies))

    @abstractmethod
    def relevant(self, first: int = 1, last: int | None = None) -> Iterator[int]:
        """The depths from ``first`` to ``last`` or the bound that can differ from the one before.

        Endless when there is neither.
        """

    def depth(self, plies: int) -> int:
        """The number that ``--depth`` gives for so many plies."""
        return plies

    def count(self, plies: int) -> str:
        return plies_text(plies)

    def without_goal(self, plies: int) -> str:
        """What a shortest win in so many plies comes from, in words: ``""`` for a goal."""
        return ""

    def searched(self, plies: int) -> int:
        """The number of these plies that a number of plies of the executable rules amounts to."""
        return plies

    def last(self, last: int | None = None) -> int | None:
        """The smaller one of ``last`` and the bound, as far as there are any."""
        ends = [] if last is None else [last]
        if self.bound is not None:
            ends.append(self.bound.plies)
        return min(ends, default=None)


class GridDepths(Depths):
    """The depths of a grid game.

    Raises ``UsageError`` for models whose rules cannot be executed.
    """

    def __init__(self, model: Model) -> None:
        self.model = self._grid = model
        self._grounding = Grounding(model)
        self._fills_board = not _stuck_with_an_open_square(self._grounding)
        self.bound = self._find_bound()

    def depth(self, plies: int) -> int:
        return self._grid.at_plies(plies).depth

    def without_goal(self, plies: int) -> str:
        return self._grounding.stuck_words(self._grid.player_at(plies))

    def relevant(self, first: int = 1, last: int | None = None) -> Iterator[int]:
        end = self.last(last)
        plies = first
        while end is None or plies <= end:
            if self._may_win_at(plies):
                yield plies
            plies += 1

    def _may_win_at(self, ply: int) -> bool:
        if self._grid.player_at(ply) is BLACK:
            return bool(self._grounding.goals[BLACK])
        return not (self._fills_board and self._open_before(ply) > 0)

    def _open_before(self, ply: int) -> int:
        """A lower bound of the number of squares that are open before a ply."""
        grounding = self._grounding
        count = grounding.squares - (grounding.initial >> 2 * grounding.squares).bit_count()
        most = {
            p: max((filled(grounding, a)[1] for a in grounding.actions[p]), default=0)
            for p in Player
        }
        return count - sum(max(0, most[self._grid.player_at(k)]) for k in range(1, ply))

    def _find_bound(self) -> Bound | None:
        grounding = self._grounding
        longest = self._longest_filling_play()
        if longest is not None and self._fills_board and grounding.goals[BLACK]:
            # White to move on the full board has lost, at one ply more.
            stuck = self._grid.player_at(longest + 1) is WHITE
            return Bound(longest + stuck, f"the board is full after {plies_text(longest)}")
        if longest is None:
            plays = [_longest_advance(grounding, axis, sign) for axis in "yx" for sign in (1, -1)]
            longest = min((play for play in plays if play is not None), default=None)
        if longest is None:
            return None
        return Bound(longest + 1, f"no play has more than {plies_text(longest)}")

    def _longest_filling_play(self) -> int | None:
        """The most plies of a play, where each one fills an open square for good."""
        grounding = self._grounding
        least = {
            p: min((filled(grounding, a)[0] for a in grounding.actions[p]), default=1)
            for p in Player
        }
        if min(least.values()) < 1:
            return None
        count = grounding.squares - (grounding.initial >> 2 * grounding.squares).bit_count()
        plies = 0
        while (count := count - least[self._grid.player_at(plies + 1)]) >= 0:
            plies += 1
        return plies


def _longest_advance(grounding: Grounding, axis: str, sign: int) -> int | None:
    """The most plies of a play in which every move brings an own piece ahead for good.

    Black advances along the axis with ``sign``, White against it; pieces may be captured.  What
    all pieces have left to go becomes less with each ply, or there is no such bound.
    """
    width, height = grounding.width, grounding.height

    def left(square: int, content: tuple[int, int, int]) -> int:
        if content == OPEN_SQUARE:
            return 0
        place, side = (square % width, width) if axis == "x" else (square // width, height)
        ascends = (sign > 0) == (content == BLACK_PIECE)
        return side - 1 - place if ascends else place

    for player in Player:
        for action in grounding.actions[player]:
            change = sum(
                left(square, after) - min(left(square, content) for content in before)
                for square, before, after in changes(grounding, action)
            )
            if change >= 0:
                return None
    total = 0
    for square in range(grounding.squares):
        planes = [grounding.initial >> (k * grounding.squares + square) & 1 for k in range(3)]
        total += left(square, (planes[0], planes[1], planes[2]))
    return total


def _stuck_with_an_open_square(grounding: Grounding) -> bool:
    """True if White cannot move on some board with an open square, reachable or not."""
    occupied = range(2 * grounding.squares + 1, 3 * grounding.squares + 1)
    return stuck_without(grounding, WHITE, [[-o for o in occupied]])


# The depths of a game of any kind


class PositionalDepths(Depths):
    """Black wins by a claim of Black's, and the board is full some time."""

    bound: Bound

    def __init__(self, model: PositionalModel) -> None:
        self.model = self._positional = model
        most = model.open.bit_count()
        self.bound = Bound(most, f"the board is full after {counted(most, 'ply')}")

    def relevant(self, first: int = 1, last: int | None = None) -> Iterator[int]:
        end = self.bound.plies if last is None else min(last, self.bound.plies)
        turns = self._positional.at_depth(end).turns
        # What the first stones have won is won within 1 ply, whoever makes it.
        won = self._positional.won_by_black(self._positional.black)
        return (
            k for k in range(first, end + 1) if turns[k - 1] is Player.BLACK or (won and k == 1)
        )


def depths_of(model: GameModel) -> Depths:
    """The depths of a model; raises ``UsageError`` for one whose rules cannot be executed."""
    depths: Depths = load(languages()[model.language].depths)(model)
    return depths


# Iterative deepening: the fewest plies in which Black wins, by search or by any QBF solver


Ask = Callable[[GameModel, Deadline], DepthAnswer]
"""Answers for one depth: the model of that depth, and when to give up."""

Search = Callable[[GameModel], SearchSolver]
"""Makes the search of a model, with its limits and its progress."""

SEARCH = "search"


@dataclass(frozen=True, slots=True)
class Deepened:
    """The result of deepening, in plies; ``depth`` is the number behind ``#depth``.

    ``critical`` is the critical depth, ``None`` when it was not found.  ``refuted`` is the
    greatest number of plies within which Black is known not to win, ``None`` when nothing is
    known.  ``never`` says that Black wins at no depth.  ``within`` are plies in which Black wins,
    where the winner alone was asked for.  ``engine`` is the search's, ``nodes``
    what it looked at.  ``why`` is a sentence for a message, ``answers`` what it rests on.
    """

    depths: Depths
    critical: int | None
    refuted: int | None
    never: bool
    bound: Bound | None
    why: str
    answers: tuple[DepthAnswer, ...]
    within: int | None = None
    engine: str = ""
    nodes: int = 0

    @property
    def taken_from(self) -> str:
        """The file whose answers the result rests on, which were not checked again; or empty."""
        known = (self.refuted, self.critical, self.within)
        return next((a.taken_from for a in self.answers if a.taken_from and a.plies in known), "")

    @property
    def sentence(self) -> str:
        """The result, and what of it was not checked."""
        return self.why + (rests_on(self.taken_from) if self.taken_from else "")

    @property
    def model(self) -> GameModel:
        """The model that was asked about, with the depth that it came with."""
        return self.depths.model

    @property
    def first_move(self) -> str:
        """A winning move of Black's at ply 1; empty when none is known."""
        plies = self.within if self.critical is None else self.critical
        winning = (a for a in self.answers if a.truth and a.plies == plies)
        return next((a.first_move for a in winning), "")

    @property
    def depth(self) -> int | None:
        """The critical depth in the count of ``#depth``."""
        return None if self.critical is None else self.depths.depth(self.critical)

    @property
    def truth(self) -> bool | None:
        """True if Black wins at some depth, false if at none; ``None`` if that is not known."""
        if self.critical is not None or self.within is not None:
            return True
        return False if self.never else None


def deepen(
    model: GameModel,
    ask: Ask,
    *,
    last: int | None = None,
    deadline: Deadline = NEVER,
    file: DeepeningFile | None = None,
) -> Deepened:
    """Ask about greater and greater depths until Black wins or it is known that Black never does.

    ``last`` is the greatest number of plies to ask about, ``deadline`` is for all answers.
    Questions that ``file`` answers are not asked again, and each new answer is added to it. Raises
    ``UsageError`` when an answer contradicts an earlier one.
    """
    depths = depths_of(model)
    answers = [] if file is None else list(file.entries)
    refuted, upper = _known(answers)
    for plies in depths.relevant(1 if refuted is None else refuted + 1, last):
        if upper is not None and plies >= upper:
            break
        if deadline.over:
            return _undecided(depths, answers, time_over(deadline.seconds))
        answer = ask(depths.at(plies), deadline)
        if answer.truth is None:
            return _undecided(depths, answers, answer.why)
        answers.append(answer)
        if file is not None:
            file.add(answer)
        if answer.truth:
            break
    return _conclude(depths, answers, last)


def deepen_by_search(
    model: GameModel,
    search: Search | None = None,
    *,
    last: int | None = None,
    limits: Limits = Limits(),  # noqa: B008 (frozen)
    file: DeepeningFile | None = None,
    tell: Tell = nobody,
    winner_only: bool = False,
) -> Deepened:
    """The same by one search on the rules, which deepens by itself and keeps its table.

    ``search`` makes it; without, it is :func:`~qsage_validate.solvers.search.search_for`.

    Where there is a last depth, it is asked first who wins at that: depths are gone through only
    if Black does, with what is in the table.  A search made for positional games goes through
    them at once, for it sees early that Black wins at none.

    A file's answers are not asked again when they settle the matter; otherwise the search
    begins anew, for it cannot go on without its table.

    With ``winner_only`` the critical depth is left open, and a last ply at which Black wins as
    White is stuck is asked about last; raises ``UsageError`` for a game without a last depth then.
    """
    from qsage_validate.games.library.catalogue import name_of

    depths = depths_of(model)
    end, answers = depths.last(last) or 0, [] if file is None else list(file.entries)
    if winner_only and end > 1 and depths.without_goal(end) and [*depths.relevant(end, end)]:
        found = deepen_by_search(
            model, search, last=end - 1, limits=limits, file=file, tell=tell, winner_only=True
        )
        if found.truth is not None:
            return found
        answers = list(found.answers)
    if winner_only and depths.last(last) is None:
        raise UsageError(
            f"found --winner for {name_of(model)}, of which no last depth is known, "
            "expected a depth"
        )
    known = _conclude(depths, answers, last)
    if known.truth is not None:
        return known
    at_last = depths.at(min(MAX_PLIES, end or MAX_PLIES))
    started = now()

    def add(answer: DepthAnswer) -> None:
        refuted, upper = _known(answers)
        if (answer.truth and (upper is None or answer.plies < upper)) or (
            answer.truth is False and (refuted is None or answer.plies > refuted)
        ):
            answers.append(answer)
            if file is not None:
                file.add(answer)

    def watch(progress: Progress) -> None:
        # The search of so many plies has begun: those before have been refuted.
        refuted = 0 if progress.done is None else depths.searched(progress.done - 1)
        if refuted > 0:
            add(DepthAnswer(refuted, False, SEARCH, now() - started))
        tell(progress)

    if search is None:
        solver = search_for(load_game(at_last), limits=limits, tell=tell)
    else:
        solver = search(at_last)
    found = _searched(depths, answers, last, solver, limits, add, watch, winner_only=winner_only)
    return replace(found, engine=solver.engine.name, nodes=solver.nodes)


def at_critical_depth(
    model: GameModel,
    *,
    limits: Limits = Limits(),  # noqa: B008 (frozen)
    tell: Tell = nobody,
) -> tuple[GameModel, Deepened]:
    """The model at its critical depth, if Black wins within its own depth; else as it is.

    A certificate of the critical depth is smaller and is proved sooner than one of a greater depth,
    and it promises more.
    """
    depths = depths_of(model)
    last = depths.searched(load_game(model).plies)
    found = deepen_by_search(model, last=last, limits=limits, tell=tell)
    return (model if found.critical is None else depths.at(found.critical)), found


def _searched(
    depths: Depths,
    answers: list[DepthAnswer],
    last: int | None,
    solver: SearchSolver,
    limits: Limits,
    add: Callable[[DepthAnswer], None],
    watch: Tell,
    *,
    winner_only: bool,
) -> Deepened:
    """The result of a search, whose answers are added."""
    game = solver.game
    result = None
    if winner_only or (depths.last(last) is not None and solver.engine.at_once):
        # Half of what there is: where it does not suffice, smaller depths are worth an answer.
        solver.limits = limits if winner_only else limits.share(0.5)
        result = solver.solve(winner_only=True)
        solver.limits = limits
        if result.winner is Player.BLACK:
            within = max(depths.searched(game.plies), 1)
            moves = ", ".join(map(str, result.first_moves))
            add(DepthAnswer(within, True, SEARCH, result.seconds, first_move=moves))
            if winner_only:
                known = _conclude(depths, answers, last)
                return known if known.truth else _won(depths, answers)
    if result is None or (result.winner is not Player.WHITE and not winner_only):
        solver.tell = watch
        result = solver.solve()
    if result.winner is None:
        return _undecided(depths, answers, _limit_of(result.reason))
    if result.winner is Player.BLACK:
        assert result.critical_plies is not None
        critical = max(depths.searched(result.critical_plies), 1)
        if critical > 1:
            add(DepthAnswer(critical - 1, False, SEARCH, result.seconds))
        move = str(result.first_moves[0]) if result.first_moves else ""
        add(DepthAnswer(critical, True, SEARCH, result.seconds, first_move=move))
        return _conclude(depths, answers, last)
    plies = depths.searched(game.plies)
    add(DepthAnswer(plies, False, SEARCH, result.seconds))
    if result.never:
        return Deepened(depths, None, plies, True, depths.bound, result.reason, tuple(answers))
    found = _conclude(depths, answers, last)
    if not found.never and game.plies == MAX_PLIES:
        return _undecided(depths, answers, f"the search goes {MAX_PLIES} plies deep")
    return found


def _known(answers: Sequence[DepthAnswer]) -> tuple[int | None, int | None]:
    """The greatest refuted number of plies and the smallest that is a win."""
    refuted = max((a.plies for a in answers if a.truth is False), default=None)
    upper = min((a.plies for a in answers if a.truth), default=None)
    if refuted is not None and upper is not None and upper <= refuted:
        true = next(a for a in answers if a.truth and a.plies == upper)
        false = next(a for a in answers if a.truth is False and a.plies == refuted)
        raise UsageError(
            f"answers contradict each other: a win within {upper} plies ({true.said_by}), "
            f"none within {refuted} ({false.said_by})"
        )
    return refuted, upper


def _conclude(depths: Depths, answers: Sequence[DepthAnswer], last: int | None) -> Deepened:
    refuted, upper = _known(answers)
    bound = depths.bound
    between = depths.relevant(1 if refuted is None else refuted + 1, None)
    if upper is not None:
        # The smallest depth that could differ from what is refuted is the critical one.
        first = next(between)
        if first == upper:
            within = depths.count(upper) + _in_depth(depths, upper)
            ended = depths.without_goal(upper)
            why = f"Black wins within {within}{ended}{',' * bool(ended)} and not in fewer"
            return Deepened(depths, upper, refuted, False, bound, why, tuple(answers))
        return _undecided(depths, answers, f"nothing is known of {depths.count(first)}")
    if bound is not None and next(between, None) is None:
        why = f"Black wins at no depth: {bound.why}"
        return Deepened(depths, None, refuted, True, bound, why, tuple(answers))
    reason = "no greater depth was asked for" if last is not None else "no answer"
    return _undecided(depths, answers, reason)


def _won(depths: Depths, answers: Sequence[DepthAnswer]) -> Deepened:
    refuted, _ = _known(answers)
    upper = min(answer.plies for answer in answers if answer.truth)
    why = f"Black wins within {depths.count(upper)}{_in_depth(depths, upper)}"
    return Deepened(depths, None, refuted, False, depths.bound, why, tuple(answers), upper)


def _undecided(depths: Depths, answers: Sequence[DepthAnswer], why: str) -> Deepened:
    refuted, upper = _known(answers)
    known = []
    if refuted is not None:
        known.append(f"Black does not win within {depths.count(refuted)}")
    if upper is not None:
        known.append(f"Black wins within {depths.count(upper)}")
    text = f"undecided: {why} ({' and '.join(known) or 'nothing is known'})"
    return Deepened(depths, None, refuted, False, depths.bound, text, tuple(answers))


def _limit_of(reason: str) -> str:
    """The limit that a search's message names, without the message's other parts."""
    return reason.removeprefix("undecided: ").partition(" (")[0]


def _in_depth(depths: Depths, plies: int) -> str:
    depth = depths.depth(plies)
    return f" (depth {depth})" if depth != plies else ""
