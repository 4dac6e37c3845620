"""A play on a board: the layout says what the formula's variables mean."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace

from qsage_validate.arena.conductor import Conductor, PlayState
from qsage_validate.arena.frame import (
    Frame,
    Hint,
    LayoutMove,
    MatchMove,
    MatchOutcome,
    NamedValue,
    Pairs,
    SquareXY,
    WhyNot,
)
from qsage_validate.arena.move_words import words_of
from qsage_validate.arena.names import Names
from qsage_validate.arena.pairs import blocking_pairs
from qsage_validate.arena.promise import broken_promise, broken_when_stuck
from qsage_validate.encodings.layout.tables import AnyLayout
from qsage_validate.errors import AmbiguousMoveError, MalformedMoveError, UsageError
from qsage_validate.games.positional.rules import PositionalGame
from qsage_validate.games.protocol import Illegality, Player
from qsage_validate.play.match import Match
from qsage_validate.strategies.readings import BoardMove, Legality, NamedMove

# How many moves a hint looks at.
_HINT_MOVES = 64


class BoardMatch(Match):
    """A play against a certificate for a formula with a layout."""

    def __init__(
        self, conductor: Conductor, names: Names, title: str, notes: Iterable[str] = ()
    ) -> None:
        """Begin a play; the certificate makes its first ply if it begins."""
        super().__init__()
        self._conductor = conductor
        self._names = names
        self._title = title
        self._notes = tuple(notes)
        self._words = words_of(
            conductor.layout, conductor.player.other, conductor.reader.code, conductor.game
        )
        self._pairs = blocking_pairs(conductor.game, conductor.player)
        self._states: dict[tuple[str, ...], PlayState] = {}
        self._rounds.append(self._open())

    @property
    def layout(self) -> AnyLayout:
        """The layout that boards and moves are read with."""
        return self._conductor.layout

    @property
    def title(self) -> str:
        return self._title

    @property
    def certificate_player(self) -> Player:
        return self._conductor.player

    @property
    def plies(self) -> int:
        return self._conductor.plies

    @property
    def mover(self) -> Player:
        mover = None if self.over else self._conductor.to_move(self._state)
        return self.person if mover is None else mover

    @property
    def has_board(self) -> bool:
        return True

    @property
    def has_rules(self) -> bool:
        return self._conductor.game is not None

    @property
    def actions(self) -> tuple[str, ...]:
        return self._words.actions

    @property
    def moves_by_line(self) -> bool:
        return self._words.has_blanks

    @property
    def target(self) -> tuple[str, ...]:
        game = self._conductor.game
        return () if game is None else game.target

    @property
    def top_owner(self) -> Player | None:
        game = self._conductor.game
        return game.arrangement.top if isinstance(game, PositionalGame) else None

    @property
    def has_pairs(self) -> bool:
        return self._pairs is not None

    def pairs(self, frame: Frame) -> Pairs | None:
        return None if self._pairs is None else self._pairs.of(frame.position)

    @property
    def notes(self) -> tuple[str, ...]:
        top = self.top_owner
        if top is None:
            return self._notes
        return (*self._notes, f"{top} connects top and bottom, {top.other} left and right")

    # -- moves ------------------------------------------------------------------------------

    @property
    def _state(self) -> PlayState:
        return self._states[self._key(f.move for f in self.frames if f.player is not None)]

    @staticmethod
    def _key(moves: Iterable[MatchMove | None]) -> tuple[str, ...]:
        """The moves of a play; a reply that is no move has no text."""
        return tuple("?" if move is None else str(move) for move in moves)

    def legal_moves(self) -> Sequence[MatchMove]:
        return () if self.over else self._conductor.legal_moves(self._state)

    def parse_move(self, text: str) -> MatchMove:
        # A square alone may be a move because no other one there is legal.
        legal = [m for m in self.legal_moves() if isinstance(m, (BoardMove, NamedMove))]
        if self._is_by_rules:
            return self._parse_by_rules(text, legal)
        try:
            return self._words.parse(text, self._next_ply, legal)
        except MalformedMoveError:
            self._explain_unsaid(text)
            raise

    def _parse_by_rules(self, text: str, legal: Sequence[LayoutMove]) -> NamedMove:
        """A move that the layout need not know, of either player."""
        assert self._conductor.game is not None, "the rules go on"
        name = str(self._conductor.game.parse_move(text, self.mover))
        found = next((m for m in legal if str(m) == name), NamedMove(name))
        assert isinstance(found, NamedMove), "moves of tables have names"
        return found

    def _explain_unsaid(self, text: str) -> None:
        """Raise ``MalformedMoveError`` where a move is known to the rules, but has no code."""
        game = self._conductor.game
        if game is None or self.over:
            return
        try:
            name = str(game.parse_move(text, self.mover))
        except (MalformedMoveError, AmbiguousMoveError):
            return
        if self._conductor.find(self._state, name) is None:
            raise MalformedMoveError(
                f"found {name}, a move for which the layout ({self.layout.source}) has no code at "
                f"ply {self._state.plies + 1}, expected one that has"
            )

    @property
    def _is_by_rules(self) -> bool:
        """Whether the next ply is the person's and the formula knows nothing of it."""
        if self.over:
            return False
        return self.mover is not self.person or self._state.plies >= self.layout.plies

    def moves_at(self, square: SquareXY) -> tuple[MatchMove, ...]:
        if self._is_by_rules:
            own = self._conductor.legal_moves(self._state)
            return tuple(move for move in own if move.square == square)
        return self._words.at(square, self._next_ply)

    @property
    def _next_ply(self) -> int:
        return min(self._state.plies + 1, self.layout.plies)

    def why_not(self, move: MatchMove) -> WhyNot | None:
        if self.over:
            return None
        state, own = self._state, self._checked(move)
        verdicts = None if self._is_by_rules else self._conductor.legality(state)
        verdict = None if verdicts is None else verdicts.get(own)
        formula_legal = None if verdict is None else verdict.legal
        illegality = self._illegality(state, own)
        rules_legal = None if state.position is None else illegality is None
        if formula_legal is not False and illegality is None:
            return None
        evidence: list[NamedValue] = []
        if verdict is not None and not verdict.legal:
            evidence = self._evidence(state, own, verdict)
        return WhyNot(own, self.mover, formula_legal, rules_legal, tuple(evidence), illegality)

    def _evidence(self, state: PlayState, move: LayoutMove, verdict: Legality) -> list[NamedValue]:
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
            values = {**state.line.choice, **state.line.reply}
            player = self._conductor.mover(verdict.earlier)
            evidence.append(names.made(player, verdict.earlier, str(move), values))
        return evidence

    def _checked(self, move: MatchMove) -> LayoutMove:
        if self._is_by_rules and isinstance(move, NamedMove):
            return move
        return self._words.checked(move, self._next_ply)

    def _illegality(self, state: PlayState, move: LayoutMove) -> Illegality | None:
        """What the rules say; the board's size is a rule that is always known."""
        referee = self._conductor.referee
        if state.position is not None and referee is not None:
            known = referee.move(move, self.mover)
            if known is None:
                by_rules = self._is_by_rules
                missing = None if by_rules else self._words.illegality(move, state.plies + 1)
                return missing or Illegality("unknown move", f"{move}: no move of {self.mover}")
            return state.position.illegality(known)
        return self._words.illegality(move, state.plies + 1)

    def touched(self, move: MatchMove) -> tuple[SquareXY, ...]:
        if self.over or not isinstance(move, (BoardMove, NamedMove)):
            return ()
        state, referee = self._state, self._conductor.referee
        if not self._conductor.is_legal(state, move):
            return ()
        if state.position is not None and referee is not None:
            known = referee.move(move, self.mover)
            assert known is not None, "a legal move is known to the rules"
            return tuple(state.position.board.differences(state.position.play(known).board))
        before, after = state.board, self._conductor.play(state, move).board
        return () if before is None or after is None else tuple(before.differences(after))

    def hint(self) -> Hint | None:
        """The move that leaves the most moves after the certificate's answer."""
        moves = [move for move in self.legal_moves() if isinstance(move, (BoardMove, NamedMove))]
        if not moves:
            return None
        conductor = self._conductor
        played = conductor.play_all([(self._state, move) for move in moves[:_HINT_MOVES]])
        best: tuple[int, Hint] | None = None
        for move, state in zip(moves, played, strict=False):
            score, text = self._outlook(state)
            if best is None or score > best[0]:
                best = score, Hint(move, f"{move}: {text}")
        return None if best is None else best[1]

    def _outlook(self, state: PlayState) -> tuple[int, str]:
        conductor = self._conductor
        if conductor.to_move(state) is self.certificate_player:
            (state,) = conductor.answer_all([state])
        if state.ending is not None:
            if state.ending.winner is self.person:
                return 1 << 30, f"wins: {state.ending.reason}"
            return -1, f"the play ends: {state.ending.reason}"
        if conductor.is_open(state):
            return 1 << 29, state.remark
        count = len(conductor.legal_moves(state))
        answer = f"{self.certificate_player} answers {state.last}"
        return count, f"{answer} and leaves {count} {'move' if count == 1 else 'moves'}"

    # -- playing ----------------------------------------------------------------------------

    def can_claim(self) -> bool:
        """Whether the person's next ply has a game-stop variable: a goal can be claimed."""
        if self.over or self._is_by_rules:
            return False
        return self._conductor.can_claim(self._state.plies + 1)

    def _open(self) -> tuple[Frame, ...]:
        began = time.perf_counter()
        state = self._conductor.start()
        return self._frames_from(state, None, began)

    def _advance(self, move: MatchMove, why: WhyNot | None, claim: bool) -> tuple[Frame, ...]:
        own, state = self._checked(move), self._state
        sayable = not self._is_by_rules
        if sayable and not self._conductor.reader.code.can_say(state.plies + 1, own):
            raise UsageError(f"{own} cannot be let happen: the formula has no bits for it")
        if not sayable and not self._conductor.is_legal(state, own):
            raise UsageError(f"{own} cannot be let happen: the formula does not know this ply")
        if claim and not self.can_claim():
            raise UsageError(f"{own}: no goal can be claimed at ply {state.plies + 1}")
        began = time.perf_counter()
        after = self._conductor.play(state, own, stop=claim)
        if after.illegal and after.ending is None:
            broken = broken_promise(self._conductor, state, own)
            after = replace(after, findings=after.findings + broken)
        return self._frames_from(after, why, began)

    def _frames_from(self, state: PlayState, why: WhyNot | None, began: float) -> tuple[Frame, ...]:
        """The frame of ``state`` and of the certificate's answer to it."""
        frames: list[Frame] = []
        while True:
            mover = self._conductor.to_move(state)
            if mover is self.person:
                (state,) = self._conductor.examine_all([state])
            now = time.perf_counter()
            frames.append(self._frame(state, why, now - began))
            if mover is not self.certificate_player or state.ending is not None:
                return tuple(frames)
            (answered,) = self._conductor.answer_all([state])
            if self._conductor.is_open(answered) and answered.plies == state.plies:
                # The person goes on, in the certificate's place.
                frames[-1] = self._frame(answered, why, now - began)
                return tuple(frames)
            if answered.plies == state.plies:
                # No answer at all: the frame of the person's ply becomes the last one.
                frames.pop()
            else:
                why = None
            state, began = answered, now

    def _frame(self, state: PlayState, why: WhyNot | None, seconds: float) -> Frame:
        self._states[state.moves] = state
        player = self._conductor.mover(state.plies) if state.plies else None
        outcome, findings = None, state.findings
        if state.ending is not None:
            (final,) = self._conductor.finish_all([state])
            findings += final.findings
            findings += broken_when_stuck(self._conductor, state)
            outcome = MatchOutcome(
                final.winner, final.reason, final.promised, final.verdict, final.note
            )
        squares = self._conductor.reader.places
        return Frame(
            ply=state.plies,
            player=player,
            move=state.last if state.plies else None,
            by_certificate=player is self.certificate_player and not state.chosen,
            board=state.shown_board,
            position=state.position,
            values=tuple(
                self._names.value(literal, values, squares, state.plies)
                for literal, values in state.reading.at.items()
            ),
            illegal=why,
            stopped=state.stopped,
            outcome=outcome,
            findings=findings,
            seconds=seconds,
            choice=state.line.choice,
            reply=state.line.reply,
            board_by_rules=state.board is None and state.position is not None,
            won=self._won(state),
            remarks=(state.remark,) if state.remark else (),
        )

    def _won(self, state: PlayState) -> tuple[SquareXY, ...]:
        game = self._conductor.game
        if game is None or state.position is None or state.ending is None:
            return ()
        return game.winning_squares(state.position)
