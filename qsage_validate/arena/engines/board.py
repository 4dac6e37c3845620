"""A play on a board: the layout says what the formula's variables mean."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from qsage_validate.arena.engines.engine import Engine, Facts
from qsage_validate.arena.frame import (
    Frame,
    FrameValue,
    Hint,
    LayoutMove,
    MatchMove,
    Pairs,
    PlayState,
    SquareXY,
    WhyNot,
)
from qsage_validate.arena.move_words import goal_line, squares_of, words_of
from qsage_validate.arena.names import Names
from qsage_validate.arena.play_engine import PlayEngine, broken_promise, broken_when_stuck
from qsage_validate.errors import AmbiguousMoveError, MalformedMoveError, UsageError
from qsage_validate.games.protocol import Illegality, Player
from qsage_validate.strategies.readings import Legality

if TYPE_CHECKING:
    from qsage_validate.arena.pairs import BlockingPairs

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
            from qsage_validate.arena.pairs import blocking_pairs

            self._pairs = blocking_pairs(play_engine.game, play_engine.player)
        game, notes = play_engine.game, tuple(notes)
        top = None if game is None else game.initial.board.top
        if top is not None:
            notes = (*notes, f"{top} connects top and bottom, {top.other} left and right")
        self.facts = Facts(
            title=title,
            certificate_player=play_engine.player,
            plies=play_engine.plies,
            has_board=True,
            has_rules=game is not None,
            notes=notes,
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
        return self._play_engine.legal_moves(frame.play)

    def parse(self, frame: Frame, text: str) -> LayoutMove:
        # A square alone may be a move because no other one there is legal.
        legal = () if frame.over else self.legal(frame)
        if self._is_by_rules(frame):
            return self._parse_by_rules(frame, text, legal)
        try:
            return self._words.parse(text, self._next_ply(frame), legal)
        except MalformedMoveError:
            self._explain_unsaid(frame, text)
            raise

    def _parse_by_rules(self, frame: Frame, text: str, legal: Sequence[LayoutMove]) -> LayoutMove:
        """A move that the layout need not know, of either player."""
        assert self._play_engine.game is not None, "the rules go on"
        name = str(self._play_engine.game.parse_move(text, self.mover(frame)))
        return next((m for m in legal if str(m) == name), LayoutMove(name))

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
            return tuple(move for move in own if move.square == square)
        return self._words.at(square, self._next_ply(frame))

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
        return WhyNot(
            own, self.mover(frame), formula_legal, rules_legal, tuple(evidence), illegality
        )

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
                best = score, Hint(move, f"{move}: {text}")
        return None if best is None else best[1]

    def _outlook(self, state: PlayState) -> tuple[int, str]:
        play_engine = self._play_engine
        if play_engine.to_move(state) is play_engine.player:
            (state,) = play_engine.answer_all([state])
        if state.ending is not None:
            if state.ending.winner is self._person:
                return 1 << 30, f"wins: {state.ending.reason}"
            return -1, f"the play ends: {state.ending.reason}"
        if play_engine.is_open(state):
            return 1 << 29, state.remark
        count = len(play_engine.legal_moves(state))
        answer = f"{play_engine.player} answers {state.last}"
        return count, f"{answer} and leaves {count} {'move' if count == 1 else 'moves'}"

    # -- playing ----------------------------------------------------------------------------

    def can_claim(self, frame: Frame) -> bool:
        if frame.over or self._is_by_rules(frame):
            return False
        return self._play_engine.can_claim(frame.play.plies + 1)

    def start(self) -> Frame:
        began = time.perf_counter()
        return self._frame(self._play_engine.start(), None, began, "")

    def push(self, frame: Frame, move: MatchMove, why: WhyNot | None, *, claim: bool) -> Frame:
        own, state = self._checked(frame, move), frame.play
        sayable = not self._is_by_rules(frame)
        if sayable and not self._play_engine.reader.code.can_say(state.plies + 1, own):
            raise UsageError(f"{own} cannot be let happen: the formula has no bits for it")
        if not sayable and not self._play_engine.is_legal(state, own):
            raise UsageError(f"{own} cannot be let happen: the formula does not know this ply")
        if claim and not self.can_claim(frame):
            raise UsageError(f"{own}: no goal can be claimed at ply {state.plies + 1}")
        began = time.perf_counter()
        after = self._play_engine.play(state, own, stop=claim)
        if after.illegal and after.ending is None:
            broken = broken_promise(self._play_engine, state, own)
            after = replace(after, findings=after.findings + broken)
        return self._frame(after, why, began, _squares(state, after))

    def reply(self, frame: Frame) -> Frame | None:
        play_engine = self._play_engine
        if frame.play.asked or play_engine.to_move(frame.play) is not play_engine.player:
            return None
        began = time.perf_counter()
        (after,) = play_engine.answer_all([frame.play])
        if after.plies > frame.play.plies:
            return self._frame(after, None, began, _squares(frame.play, after))
        # There is no answer: the play has ended, or the person goes on in its place.
        return self._frame(after, frame.illegal, began, frame.squares)

    def _frame(self, state: PlayState, why: WhyNot | None, began: float, squares: str) -> Frame:
        play_engine = self._play_engine
        if play_engine.to_move(state) is self._person:
            (state,) = play_engine.examine_all([state])
        seconds = time.perf_counter() - began
        player = play_engine.mover(state.plies) if state.plies else None
        if state.ending is not None:
            (state,) = play_engine.finish_all([state])
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
            squares=squares,
        )

    def _won(self, state: PlayState) -> tuple[SquareXY, ...]:
        game = self._play_engine.game
        if game is None or state.position is None or state.ending is None:
            return ()
        return game.winning_squares(state.position)


def _squares(before: PlayState, after: PlayState) -> str:
    return squares_of(before.shown_board, after.shown_board, after.last)
