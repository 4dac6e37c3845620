"""A play on a board: the layout says what the formula's variables mean."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from qsage_validate.arena.engines.engine import Engine, Facts, Step
from qsage_validate.arena.frame import (
    Frame,
    FrameValue,
    Hint,
    LayoutMove,
    MatchMove,
    Pairs,
    SquareXY,
    WhyNot,
)
from qsage_validate.arena.move_words import goal_line, squares_of, words_of
from qsage_validate.arena.names import Names
from qsage_validate.arena.play_engine import PlayEngine, broken_promise, broken_when_stuck
from qsage_validate.arena.play_state import PlayState
from qsage_validate.errors import AmbiguousMoveError, MalformedMoveError, UsageError
from qsage_validate.games.protocol import Illegality, Player
from qsage_validate.strategies.readings import Legality

if TYPE_CHECKING:
    from qsage_validate.arena.pairs import BlockingPairs

# How many moves a hint looks at.
_HINT_MOVES = 64


@dataclass(frozen=True)
class BoardStep(Step):
    """``asked`` says that the certificate has left the next ply to the person."""

    play: PlayState
    asked: bool = False


class BoardEngine(Engine[BoardStep]):
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

    def mover(self, step: BoardStep) -> Player:
        mover = None if step.over else self._play_engine.to_move(step.play)
        return self._person if mover is None else mover

    # -- moves ------------------------------------------------------------------------------

    def legal(self, step: BoardStep) -> Sequence[LayoutMove]:
        return self._play_engine.legal_moves(step.play)

    def parse(self, step: BoardStep, text: str) -> LayoutMove:
        # A square alone may be a move because no other one there is legal.
        legal = () if step.over else self.legal(step)
        if self._is_by_rules(step):
            return self._parse_by_rules(step, text, legal)
        try:
            return self._words.parse(text, self._next_ply(step), legal)
        except MalformedMoveError:
            self._explain_unsaid(step, text)
            raise

    def _parse_by_rules(
        self, step: BoardStep, text: str, legal: Sequence[LayoutMove]
    ) -> LayoutMove:
        """A move that the layout need not know, of either player."""
        assert self._play_engine.game is not None, "the rules go on"
        name = str(self._play_engine.game.parse_move(text, self.mover(step)))
        return next((m for m in legal if str(m) == name), LayoutMove(name))

    def _explain_unsaid(self, step: BoardStep, text: str) -> None:
        """Raise ``MalformedMoveError`` where a move is known to the rules, but has no code."""
        game = self._play_engine.game
        if game is None or step.over:
            return
        try:
            name = str(game.parse_move(text, self.mover(step)))
        except (MalformedMoveError, AmbiguousMoveError):
            return
        if self._play_engine.find(step.play, name) is None:
            raise MalformedMoveError(
                f"found {name}, a move for which the layout ({self._layout.source}) has no code at "
                f"ply {step.play.plies + 1}, expected one that has"
            )

    def _is_by_rules(self, step: BoardStep) -> bool:
        """True if the next ply is the person's and the formula knows nothing of it."""
        if step.over:
            return False
        return self.mover(step) is not self._person or step.play.plies >= self._layout.plies

    def at(self, step: BoardStep, square: SquareXY) -> tuple[MatchMove, ...]:
        if self._is_by_rules(step):
            own = self._play_engine.legal_moves(step.play)
            return tuple(move for move in own if move.square == square)
        return self._words.at(square, self._next_ply(step))

    def _next_ply(self, step: BoardStep) -> int:
        return min(step.play.plies + 1, self._layout.plies)

    def why_not(self, step: BoardStep, move: MatchMove) -> WhyNot | None:
        if step.over:
            return None
        state, own = step.play, self._checked(step, move)
        verdicts = None if self._is_by_rules(step) else self._play_engine.legality(state)
        verdict = None if verdicts is None else verdicts.get(own)
        formula_legal = None if verdict is None else verdict.legal
        illegality = self._illegality(step, own)
        rules_legal = None if state.position is None else illegality is None
        if formula_legal is not False and illegality is None:
            return None
        evidence: list[FrameValue] = []
        if verdict is not None and not verdict.legal:
            evidence = self._evidence(state, own, verdict)
        return WhyNot(
            own, self.mover(step), formula_legal, rules_legal, tuple(evidence), illegality
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

    def _checked(self, step: BoardStep, move: MatchMove) -> LayoutMove:
        if self._is_by_rules(step) and isinstance(move, LayoutMove):
            return move
        return self._words.checked(move, self._next_ply(step))

    def _illegality(self, step: BoardStep, move: LayoutMove) -> Illegality | None:
        """The rule that ``move`` breaks, if any; the board's size is a rule always known."""
        state, referee = step.play, self._play_engine.referee
        if state.position is not None and referee is not None:
            known = referee.move(move, self.mover(step))
            if known is None:
                by_rules = self._is_by_rules(step)
                missing = None if by_rules else self._words.illegality(move, state.plies + 1)
                mover = self.mover(step)
                return missing or Illegality("unknown move", f"{move}: no move of {mover}")
            return state.position.illegality(known)
        return self._words.illegality(move, state.plies + 1)

    def touched(self, step: BoardStep, move: MatchMove) -> tuple[SquareXY, ...]:
        if step.over or not isinstance(move, LayoutMove):
            return ()
        state, referee = step.play, self._play_engine.referee
        if not self._play_engine.is_legal(state, move):
            return ()
        if state.position is not None and referee is not None:
            known = referee.move(move, self.mover(step))
            assert known is not None, "a legal move is known to the rules"
            return tuple(state.position.board.differences(state.position.play(known).board))
        before, after = state.board, self._play_engine.play(state, move).board
        return () if before is None or after is None else tuple(before.differences(after))

    def hint(self, step: BoardStep) -> Hint | None:
        """The move that leaves the most moves after the certificate's answer."""
        moves = self.legal(step)[: self._hint_moves]
        played = self._play_engine.play_all([(step.play, move) for move in moves])
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

    def can_claim(self, step: BoardStep) -> bool:
        if step.over or self._is_by_rules(step):
            return False
        return self._play_engine.can_claim(step.play.plies + 1)

    def start(self) -> BoardStep:
        began = time.perf_counter()
        return self._step(self._play_engine.start(), None, began, "")

    def push(
        self, step: BoardStep, move: MatchMove, why: WhyNot | None, *, claim: bool
    ) -> BoardStep:
        own, state = self._checked(step, move), step.play
        sayable = not self._is_by_rules(step)
        if sayable and not self._play_engine.reader.code.can_say(state.plies + 1, own):
            raise UsageError(f"{own} cannot be let happen: the formula has no bits for it")
        if not sayable and not self._play_engine.is_legal(state, own):
            raise UsageError(f"{own} cannot be let happen: the formula does not know this ply")
        if claim and not self.can_claim(step):
            raise UsageError(f"{own}: no goal can be claimed at ply {state.plies + 1}")
        began = time.perf_counter()
        after = self._play_engine.play(state, own, stop=claim)
        if after.illegal and after.ending is None:
            broken = broken_promise(self._play_engine, state, own)
            after = replace(after, findings=after.findings + broken)
        return self._step(after, why, began, _squares(state, after))

    def reply(self, step: BoardStep) -> BoardStep | None:
        play_engine = self._play_engine
        if step.asked or play_engine.to_move(step.play) is not play_engine.player:
            return None
        began = time.perf_counter()
        (after,) = play_engine.answer_all([step.play])
        if after.plies > step.play.plies:
            return self._step(after, None, began, _squares(step.play, after))
        # There is no answer: the play has ended, or the person goes on in its place.
        why, asked = step.frame.illegal, play_engine.is_open(after)
        return replace(self._step(after, why, began, step.frame.squares), asked=asked)

    def _step(self, state: PlayState, why: WhyNot | None, began: float, squares: str) -> BoardStep:
        if self._play_engine.to_move(state) is self._person:
            (state,) = self._play_engine.examine_all([state])
        seconds = time.perf_counter() - began
        return BoardStep(replace(self._frame(state, why, seconds), squares=squares), state)

    def _frame(self, state: PlayState, why: WhyNot | None, seconds: float) -> Frame:
        player = self._play_engine.mover(state.plies) if state.plies else None
        ending, findings = None, state.findings
        if state.ending is not None:
            (final,) = self._play_engine.finish_all([state])
            ending = final.ending
            findings = final.findings + broken_when_stuck(self._play_engine, state)
        squares = self._play_engine.reader.places
        return Frame(
            ply=state.plies,
            player=player,
            move=state.last if state.plies else None,
            by_certificate=player is self._play_engine.player and not state.chosen,
            board=state.shown_board,
            position=state.position,
            values=tuple(
                self._names.value(literal, values, squares, state.plies)
                for literal, values in state.reading.at.items()
            ),
            illegal=why,
            stopped=state.stopped,
            outcome=ending,
            findings=findings,
            seconds=seconds,
            choice=state.assignment.choice,
            reply=state.assignment.reply,
            board_by_rules=state.board is None and state.position is not None,
            won=self._won(state),
            remarks=(state.remark,) if state.remark else (),
        )

    def _won(self, state: PlayState) -> tuple[SquareXY, ...]:
        game = self._play_engine.game
        if game is None or state.position is None or state.ending is None:
            return ()
        return game.winning_squares(state.position)


def _squares(before: PlayState, after: PlayState) -> str:
    return squares_of(before.shown_board, after.shown_board, after.last)
