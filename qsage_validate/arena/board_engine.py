"""Engines of plays: the protocol, moves in a person's words, and the engine for plays on a board.

An engine keeps nothing of a play: it makes frames from frames, so that going back and forth, or
looking ahead, costs nothing and changes nothing.

``spoken`` finds the move that a person means.  ``goal_line`` says what a game is about, in a
sentence to the person who plays it.
"""

from __future__ import annotations

import random
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from qsage_validate.arena.frame import (
    Frame,
    FrameValue,
    Hint,
    MatchMove,
    Names,
    Pairs,
    PlayState,
    WhyNot,
)
from qsage_validate.arena.play_engine import PlayEngine
from qsage_validate.encodings.layout import Layout
from qsage_validate.errors import AmbiguousMoveError, MalformedMoveError, UsageError, visible
from qsage_validate.formats.grid_names import square_named
from qsage_validate.games.protocol import BoardPicture, Illegality, Player, TwoPlayerGame
from qsage_validate.strategies.reader import LayoutMove, Legality, PlyCode, SquareXY

if TYPE_CHECKING:
    from qsage_validate.arena.program import BlockingPairs


# The protocol of engines, which boards, blocks and heaps implement


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
    ``notes`` are worth telling (where the layout came from, don't-cares, …); those that are
    ``details`` only where somebody asks.
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
    details: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        # Names of files and games stand in these.
        object.__setattr__(self, "title", visible(self.title))
        object.__setattr__(self, "notes", tuple(map(visible, self.notes)))
        object.__setattr__(self, "details", tuple(map(visible, self.details)))

    @property
    def first_lines(self) -> tuple[str, ...]:
        """What a person reads before the first move: the goal, and notes that are no details."""
        told = (note for note in self.notes if note not in self.details)
        return tuple(filter(None, (self.goal, *told)))

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


# Moves in a person's words, and the possible moves of a click on a square


_MOVE = re.compile(r"\s*([^\s(]+)\s*\(\s*(\d{1,6})\s*,\s*(\d{1,6})\s*\)\s*")
# Moves that are named in an error.
_NAMED = 8


class MoveWords(ABC):
    """Reads the moves of one player."""

    actions: tuple[str, ...] = ()
    has_blanks: bool = False

    @abstractmethod
    def parse(self, text: str, ply: int, legal: Sequence[LayoutMove]) -> LayoutMove:
        """The move of ``ply`` that ``text`` names, legal or not; ``legal`` has the legal ones.

        Raises ``MalformedMoveError`` and ``AmbiguousMoveError``.
        """

    @abstractmethod
    def at(self, square: SquareXY, ply: int) -> tuple[LayoutMove, ...]:
        """The moves, legal or not, that a person may mean by a square."""

    @abstractmethod
    def checked(self, move: object, ply: int) -> LayoutMove:
        """The move, if it is one of the player's; raises ``MalformedMoveError``."""

    @abstractmethod
    def illegality(self, move: LayoutMove, ply: int) -> Illegality | None:
        """The fault of a move in any position: it is off the board, or no move at all."""


def words_of(
    layout: Layout, player: Player, code: PlyCode, game: TwoPlayerGame | None
) -> MoveWords:
    """The words in which ``player`` says moves of a layout."""
    if layout.actions:
        return GridWords(layout, player)
    return TableWords(layout, player, code, game)


class GridWords(MoveWords):
    """``occupy(2,3)``, or the square alone where there is one action that is meant."""

    def __init__(self, layout: Layout, player: Player) -> None:
        self._layout = layout
        self._player = player
        self.actions = layout.actions[player]

    def parse(self, text: str, ply: int, legal: Sequence[LayoutMove]) -> LayoutMove:
        names = self.actions
        match = _MOVE.fullmatch(text)
        if match is None:
            return self._square(text, legal)
        fitting = [n for n in names if n == match[1]]
        fitting = fitting or [n for n in names if n.lower() == match[1].lower()]
        if not fitting:
            raise MalformedMoveError(
                f"found the unknown action {match[1]!r}, expected one of {self._player}: "
                f"{', '.join(names)}"
            )
        return LayoutMove.on_grid(fitting[0], int(match[2]), int(match[3]))

    def _square(self, text: str, legal: Sequence[LayoutMove]) -> LayoutMove:
        """A square alone is a move where there is one action only, or one that is legal."""
        square = square_named(text)
        names, (width, height) = self.actions, self._layout.state.size
        if square is None or not (1 <= square[0] <= width and 1 <= square[1] <= height):
            raise MalformedMoveError(
                f"found {text.strip()!r}, expected a move like {names[0]}(1,1); the actions of "
                f"{self._player}: {', '.join(names)}"
            )
        here = [LayoutMove.on_grid(name, *square) for name in names]
        legal_here = [move for move in legal if move in here]
        if len(here) > 1 and len(legal_here) != 1:
            fitting = ", ".join(str(move) for move in legal_here or here)
            raise AmbiguousMoveError(f"found {text.strip()!r}, expected one of {fitting}")
        return here[0] if len(here) == 1 else legal_here[0]

    def at(self, square: SquareXY, ply: int) -> tuple[LayoutMove, ...]:
        return tuple(LayoutMove.on_grid(name, *square) for name in self.actions)

    def checked(self, move: object, ply: int) -> LayoutMove:
        if not isinstance(move, LayoutMove) or move.action not in self.actions:
            raise MalformedMoveError(f"{move}: no move of {self._player}")
        return move

    def illegality(self, move: LayoutMove, ply: int) -> Illegality | None:
        assert move.square is not None, "checked before"
        (width, height), (x, y) = self._layout.state.size, move.square
        if 1 <= x <= width and 1 <= y <= height:
            return None
        rule = f"({x},{y}) is not on the {width}x{height} board"
        return Illegality(rule, f"{move}: {rule}")


class TableWords(MoveWords):
    """Moves in the game's own words: ``b2``, ``(mark 1 1)``; ``@12`` is a number without a move."""

    def __init__(
        self, layout: Layout, player: Player, code: PlyCode, game: TwoPlayerGame | None
    ) -> None:
        self._layout = layout
        self._player = player
        self._code = code
        self._game = game
        tables = [ply.moves for ply in layout.of(player)]
        self.has_blanks = any(" " in text for moves in set(tables) for text in moves)

    def parse(self, text: str, ply: int, legal: Sequence[LayoutMove]) -> LayoutMove:
        wanted = text.strip()
        found = self._code.find(ply, wanted)
        if found is not None:
            return found
        if self._game is not None:
            try:
                wanted = str(self._game.parse_move(wanted, self._player))
            except MalformedMoveError:
                raise self._unknown(text, ply, legal) from None
        moves = self._code.moves(ply)
        fitting = [m for m in moves if str(m) == wanted]
        fitting = fitting or [m for m in moves if str(m).lower() == wanted.lower()]
        if not fitting:
            raise self._unknown(text, ply, legal)
        if len(fitting) > 1:
            raise AmbiguousMoveError(
                f"found {text.strip()!r}, expected one of {', '.join(map(str, fitting))}"
            )
        return fitting[0]

    def _unknown(self, text: str, ply: int, legal: Sequence[LayoutMove]) -> MalformedMoveError:
        moves = list(legal) or self._code.moves(ply)
        named = ", ".join(map(str, moves[:_NAMED])) + (", …" if len(moves) > _NAMED else "")
        return MalformedMoveError(f"found {text.strip()!r}, expected a move such as {named}")

    def at(self, square: SquareXY, ply: int) -> tuple[LayoutMove, ...]:
        return tuple(move for move in self._code.moves(ply) if move.square == square)

    def checked(self, move: object, ply: int) -> LayoutMove:
        if not isinstance(move, LayoutMove) or not self._code.can_say(ply, move):
            raise MalformedMoveError(f"{move}: no move of {self._player}")
        return move

    def illegality(self, move: LayoutMove, ply: int) -> Illegality | None:
        table = self._layout.moves[ply - 1]
        if str(move) in table.moves:
            return None
        rule = f"there are {len(table.moves)} moves, from 0"
        return Illegality(rule, f"{move}: the number of no move: {rule}")


def goal_line(game: TwoPlayerGame, person: Player) -> str:
    """The goals of both players: ``Black: three in a row or column by ply 5. You stop it.``.

    Empty where the game has no plain words for Black's goal.
    """
    black, white = game.goal_words(Player.BLACK), game.goal_words(Player.WHITE)
    if not black:
        return ""
    if person is Player.BLACK:
        who, stops, has = "You", "White stops", "has"
    else:
        who, stops, has = "Black", "You stop", "have"
    first = f", or {has} it first" if white == black else f", or first {has} {white}"
    return f"{who}: {black} by ply {game.plies}. {stops} it{first if white else ''}."


def roles(board: BoardPicture) -> Iterator[str]:
    """What players do who have sides of the board, or a piece that hunts or flees."""
    if (top := board.top) is not None:
        yield f"{top} connects top and bottom, {top.other} left and right"
    if board.pursuer is not None:
        from qsage_validate.games.bddl.pursuit import said_of

        yield said_of(board.pursuer)


def spoken(
    game: TwoPlayerGame, text: str, mover: Player, legal: Sequence[LayoutMove]
) -> str | None:
    """The text form of the move that a person means: of several the one that is legal.

    ``None`` where the game does not say any move so.  Raises ``AmbiguousMoveError``.
    """
    meant = [str(move) for move in game.meant(text, mover)]
    if not meant:
        return None
    here = [move for move in legal if move.text in meant]
    if len(here) == 1:
        return here[0].text
    # A full column has an illegal move for each of its squares: the first one explains it.
    if len(meant) == 1 or (not here and game.falls):
        return meant[0]
    several = [move.words for move in here] or meant
    named = ", ".join(several[:_NAMED]) + (", …" if len(several) > _NAMED else "")
    raise AmbiguousMoveError(f"found {text.strip()!r}, expected one of {named}")


# A play on a board: the layout says what the formula's variables mean


# How many moves a hint looks at.
_HINT_MOVES = 64


class BoardEngine(Engine):
    """Plays against a certificate for a formula with a layout."""

    def __init__(
        self,
        play_engine: PlayEngine,
        names: Names,
        title: str,
        notes: Iterable[str] = (),
        *,
        details: Iterable[str] = (),
        solves: bool = False,
    ) -> None:
        """An engine that ``solves`` gives no hints: they would cost the replies to all moves."""
        self._hint_moves = 0 if solves else _HINT_MOVES
        self._play_engine = play_engine
        self._layout = play_engine.layout
        self._names = names
        self._person = play_engine.player.other
        self._words = words_of(
            play_engine.layout, self._person, play_engine.reader.code, play_engine.game
        )
        self._pairs: BlockingPairs | None = None
        if play_engine.player is Player.WHITE:  # who alone blocks by pairs
            from qsage_validate.arena.program import blocking_pairs

            self._pairs = blocking_pairs(play_engine.game, play_engine.player)
        game, notes = play_engine.game, tuple(notes)
        board = None if game is None else game.initial.board
        top = None if board is None else board.top
        notes = (*notes, *(() if board is None else roles(board)))
        self.facts = Facts(
            title=title,
            certificate_player=play_engine.player,
            plies=play_engine.plies,
            has_board=True,
            has_rules=game is not None,
            notes=notes,
            details=tuple(details),
            answers="solver" if solves else "certificate",
            moves_by_line=self._words.has_blanks,
            actions=self._words.actions,
            goal="" if game is None else goal_line(game, self._person),
            falls=game is not None and game.falls,
            target=() if game is None else game.target,
            top_owner=top,
            has_pairs=self._pairs is not None,
        )

    def pairs(self, frame: Frame) -> Pairs | None:
        return None if self._pairs is None else self._pairs.of(frame.position)

    def mover(self, frame: Frame) -> Player:
        mover = None if frame.over else self._play_engine.to_move(frame.play)
        return self._person if mover is None else mover

    # -- moves ------------------------------------------------------------------------------

    def legal(self, frame: Frame) -> Sequence[LayoutMove]:
        mover = self.mover(frame)
        legal = self._play_engine.legal_moves(frame.play)
        return [self._said(frame.play, move, mover) for move in legal]

    def _said(self, before: PlayState, move: LayoutMove, mover: Player) -> LayoutMove:
        """The move as people say it, where the rules are known."""
        referee, board = self._play_engine.referee, before.shown_board
        known = None if referee is None or board is None else referee.move(move, mover)
        if referee is None or board is None or known is None:
            return move
        return replace(move, said=referee.game.say(known, mover, board))

    def parse(self, frame: Frame, text: str) -> LayoutMove:
        # A square alone may be a move because no other one there is legal.
        legal = () if frame.over else self.legal(frame)
        game, mover = self._play_engine.game, self.mover(frame)
        meant = None if game is None else spoken(game, text, mover, legal)
        if game is not None and self._is_by_rules(frame):
            # A move that the layout need not know, of either player.
            name = meant or str(game.parse_move(text, mover))
            return next((m for m in legal if str(m) == name), LayoutMove(name))
        try:
            move = self._words.parse(meant or text, self._next_ply(frame), legal)
        except MalformedMoveError:
            self._explain_unsaid(frame, meant or text)
            if legal and "(" not in text and legal[0].said not in ("", legal[0].text):
                like = f"{legal[0].said} or {legal[0].text}"
                found = f"found {text.strip()!r}, expected a move like {like}"
                raise MalformedMoveError(found) from None
            raise
        return self._said(frame.play, move, mover)

    def _explain_unsaid(self, frame: Frame, text: str) -> None:
        """Raise ``MalformedMoveError`` where a move is known to the rules, but has no code."""
        game = self._play_engine.game
        if game is None or frame.over:
            return
        try:
            name = str(game.parse_move(text, self.mover(frame)))
        except (MalformedMoveError, AmbiguousMoveError):
            return
        if self._play_engine.find(frame.play, name) is None:
            raise MalformedMoveError(
                f"found {name}, a move for which the layout ({self._layout.source}) has no code at "
                f"ply {frame.play.plies + 1}, expected one that has"
            )

    def _is_by_rules(self, frame: Frame) -> bool:
        """True if the next ply is the person's and the formula knows nothing of it."""
        if frame.over:
            return False
        return self.mover(frame) is not self._person or frame.play.plies >= self._layout.plies

    def at(self, frame: Frame, square: SquareXY) -> tuple[MatchMove, ...]:
        if self._is_by_rules(frame):
            own = self._play_engine.legal_moves(frame.play)
            found = tuple(move for move in own if move.square == square)
        else:
            found = self._words.at(square, self._next_ply(frame))
        return tuple(self._said(frame.play, move, self.mover(frame)) for move in found)

    def _next_ply(self, frame: Frame) -> int:
        return min(frame.play.plies + 1, self._layout.plies)

    def why_not(self, frame: Frame, move: MatchMove) -> WhyNot | None:
        if frame.over:
            return None
        state, own = frame.play, self._checked(frame, move)
        verdicts = None if self._is_by_rules(frame) else self._play_engine.legality(state)
        verdict = None if verdicts is None else verdicts.get(own)
        formula_legal = None if verdict is None else verdict.legal
        illegality = self._illegality(frame, own)
        rules_legal = None if state.position is None else illegality is None
        if formula_legal is not False and illegality is None:
            return None
        evidence: list[FrameValue] = []
        if verdict is not None and not verdict.legal:
            evidence = self._evidence(state, own, verdict)
        mover = self.mover(frame)
        told = self._said(state, own, mover)
        return WhyNot(told, mover, formula_legal, rules_legal, tuple(evidence), illegality)

    def _evidence(self, state: PlayState, move: LayoutMove, verdict: Legality) -> list[FrameValue]:
        """The literals by which the formula flags a move."""
        ply, names = state.plies + 1, self._names
        evidence = [
            names.false_value(literal, verdict.false_at.get(literal, ()), ply=ply, move=str(move))
            for literal in verdict.false
        ]
        gate = names.legal_gate(ply)
        if gate is not None and gate not in verdict.false:
            evidence.append(names.false_value(gate, ply=ply))
        if verdict.earlier is not None and not evidence:
            values = {**state.assignment.choice, **state.assignment.reply}
            player = self._play_engine.mover(verdict.earlier)
            evidence.append(names.move_made(player, verdict.earlier, str(move), values))
        return evidence

    def _checked(self, frame: Frame, move: MatchMove) -> LayoutMove:
        if self._is_by_rules(frame) and isinstance(move, LayoutMove):
            return move
        return self._words.checked(move, self._next_ply(frame))

    def _illegality(self, frame: Frame, move: LayoutMove) -> Illegality | None:
        """The rule that ``move`` breaks, if any; the board's size is a rule always known."""
        state, referee = frame.play, self._play_engine.referee
        if state.position is not None and referee is not None:
            known = referee.move(move, self.mover(frame))
            if known is None:
                by_rules = self._is_by_rules(frame)
                missing = None if by_rules else self._words.illegality(move, state.plies + 1)
                mover = self.mover(frame)
                return missing or Illegality("unknown move", f"{move}: no move of {mover}")
            return state.position.illegality(known)
        return self._words.illegality(move, state.plies + 1)

    def touched(self, frame: Frame, move: MatchMove) -> tuple[SquareXY, ...]:
        if frame.over or not isinstance(move, LayoutMove):
            return ()
        state, ruled = frame.play, self._play_engine.ruled(frame.play)
        if not self._play_engine.is_legal(state, move):
            return ()
        if ruled is not None:
            referee, position = ruled
            played = referee.play(position, move, self.mover(frame))
            return tuple(position.board.differences(played.board))
        before, after = state.board, self._play_engine.play(state, move).board
        return () if before is None or after is None else tuple(before.differences(after))

    def hint(self, frame: Frame) -> Hint | None:
        """The move that leaves the most moves after the certificate's answer."""
        moves = self.legal(frame)[: self._hint_moves]
        played = self._play_engine.play_all([(frame.play, move) for move in moves])
        best: tuple[int, Hint] | None = None
        for move, state in zip(moves, played, strict=True):
            score, text = self._outlook(state)
            if best is None or score > best[0]:
                best = score, Hint(move, f"{move.words}: {text}")
        return None if best is None else best[1]

    def _outlook(self, state: PlayState) -> tuple[int, str]:
        play_engine, after = self._play_engine, state
        if play_engine.to_move(state) is play_engine.player:
            (state,) = play_engine.answer_all([state])
        if state.ending is not None:
            if state.ending.winner is self._person:
                return 1 << 30, f"wins: {state.ending.reason}"
            return -1, f"the play ends: {state.ending.reason}"
        if play_engine.is_open(state):
            return 1 << 29, state.remark
        count = len(play_engine.legal_moves(state))
        reply = state.last
        if isinstance(reply, LayoutMove):
            reply = self._said(after, reply, play_engine.player)
        answer = f"{play_engine.player} answers {'nothing' if reply is None else reply.words}"
        return count, f"{answer} and leaves {count} {'move' if count == 1 else 'moves'}"

    # -- playing ----------------------------------------------------------------------------

    def can_claim(self, frame: Frame) -> bool:
        if frame.over or self._is_by_rules(frame):
            return False
        return self._play_engine.can_claim(frame.play.plies + 1)

    def start(self) -> Frame:
        began = time.perf_counter()
        return self._frame(self._play_engine.start(), None, began)

    def push(self, frame: Frame, move: MatchMove, why: WhyNot | None, *, claim: bool) -> Frame:
        own, state = self._checked(frame, move), frame.play
        sayable = not self._is_by_rules(frame)
        if sayable and not self._play_engine.reader.code.can_say(state.plies + 1, own):
            raise UsageError(f"{own.words} cannot be let happen: the formula has no bits for it")
        if not sayable and not self._play_engine.is_legal(state, own):
            raise UsageError(
                f"{own.words} cannot be let happen: the formula does not know this ply"
            )
        if claim and not self.can_claim(frame):
            raise UsageError(f"{own.words}: no goal can be claimed at ply {state.plies + 1}")
        began = time.perf_counter()
        after = self._play_engine.play(state, own, stop=claim)
        if after.illegal and after.ending is None:
            from qsage_validate.arena.watch import broken_promise

            broken = broken_promise(self._play_engine, state, own)
            after = replace(after, findings=after.findings + broken)
        return self._frame(self._telling(state, after), why, began)

    def reply(self, frame: Frame) -> Frame | None:
        play_engine = self._play_engine
        if frame.play.asked or play_engine.to_move(frame.play) is not play_engine.player:
            return None
        began = time.perf_counter()
        (after,) = play_engine.answer_all([frame.play])
        if after.plies > frame.play.plies:
            return self._frame(self._telling(frame.play, after), None, began)
        # There is no answer: the play has ended, or the person goes on in its place.
        return self._frame(after, frame.illegal, began)

    def _telling(self, before: PlayState, after: PlayState) -> PlayState:
        """The play after a ply, whose move is told as people say it."""
        if not isinstance(after.last, LayoutMove):
            return after
        mover = self._play_engine.mover(after.plies)
        return replace(after, last=self._said(before, after.last, mover))

    def _frame(self, state: PlayState, why: WhyNot | None, began: float) -> Frame:
        play_engine = self._play_engine
        if play_engine.to_move(state) is self._person:
            (state,) = play_engine.examine_all([state])
        seconds = time.perf_counter() - began
        player = play_engine.mover(state.plies) if state.plies else None
        if state.ending is not None:
            (state,) = play_engine.finish_all([state])
            if play_engine.is_stuck(state):
                from qsage_validate.arena.watch import broken_when_stuck

                stuck = broken_when_stuck(play_engine, state)
                state = replace(state, findings=state.findings + stuck)
        return Frame(
            state,
            player=player,
            by_certificate=player is play_engine.player and not state.chosen,
            board=state.shown_board,
            values=tuple(
                self._names.value(literal, values, play_engine.reader.places, state.plies)
                for literal, values in state.reading.at.items()
            ),
            illegal=why,
            seconds=seconds,
            board_by_rules=state.board is None and state.position is not None,
            remarks=(state.remark,) if state.remark else (),
            won=self._won(state),
        )

    def _won(self, state: PlayState) -> tuple[SquareXY, ...]:
        game = self._play_engine.game
        if game is None or state.position is None or state.ending is None:
            return ()
        return game.winning_squares(state.position)
