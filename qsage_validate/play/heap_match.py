"""A play of an impartial game against rules: heaps of tokens, and the rule that fired.

The strategy plays Black and the person White, whoever begins.  A strategy promises to win from
the first time on that its own formula calls the state winning for it; an illegal move that was
let happen takes the promise away.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product

from qsage_validate.arena.frame import (
    Frame,
    Group,
    Hint,
    MatchMove,
    MatchOutcome,
    NamedValue,
    SquareXY,
    WhyNot,
)
from qsage_validate.errors import MalformedMoveError, UsageError
from qsage_validate.games.impartial.heap_game import HeapGame, HeapPosition
from qsage_validate.games.impartial.heap_move import HeapMove
from qsage_validate.games.impartial.legality import state_after
from qsage_validate.games.impartial.moves import State
from qsage_validate.games.protocol import Player
from qsage_validate.play.match import Match
from qsage_validate.strategies.rule_strategy import RuleReply
from qsage_validate.validation.finding import Finding, FindingKind
from qsage_validate.validation.heap_referee import HeapReferee, Objection

# Arguments that are tried when a person asks about a square.
_TRIED = 4096


class HeapMatch(Match):
    """A play from the start of ``game``; its first player makes ply 1."""

    def __init__(
        self, game: HeapGame, referee: HeapReferee, title: str, notes: Iterable[str] = ()
    ) -> None:
        super().__init__()
        self._game = game
        self._referee = referee
        self._strategy = referee.strategy
        self._title = title
        self._notes = tuple(notes)
        start = self._frame(game.initial, None, 0, None, ())
        self._rounds.append(self._answered(start))

    @property
    def title(self) -> str:
        return self._title

    @property
    def certificate_player(self) -> Player:
        return Player.BLACK

    @property
    def answers(self) -> str:
        return "strategy"

    @property
    def plies(self) -> int:
        return self._game.plies

    @property
    def has_board(self) -> bool:
        return self._game.drawable

    @property
    def has_verdict(self) -> bool:
        return False

    @property
    def moves_by_line(self) -> bool:
        return False

    @property
    def has_rules(self) -> bool:
        return True

    @property
    def notes(self) -> tuple[str, ...]:
        return self._notes

    @property
    def first_player(self) -> Player:
        """Who makes ply 1."""
        return self._game.first_player

    @property
    def position(self) -> HeapPosition:
        """The current position by the rules."""
        return _position(self.frame)

    # -- moves ------------------------------------------------------------------------------

    def legal_moves(self) -> Sequence[MatchMove]:
        return () if self.over else self.position.legal_moves()

    def parse_move(self, text: str) -> MatchMove:
        return self._game.parse_move(text, self.person)

    def why_not(self, move: MatchMove) -> WhyNot | None:
        if self.over:
            return None
        illegality = self.position.illegality(self._checked(move))
        if illegality is None:
            return None
        return WhyNot(move, self.person, None, False, (), illegality, asked=False)

    def _checked(self, move: MatchMove) -> HeapMove:
        if not isinstance(move, HeapMove):
            raise MalformedMoveError(f"{move}: expected a move like take(2)")
        return move

    def touched(self, move: MatchMove) -> tuple[SquareXY, ...]:
        """One square a heap: the first token that goes, or the last one that comes."""
        if self.over or not isinstance(move, HeapMove) or not self.has_board:
            return ()
        found = self.position.move(move)
        return () if found is None else self._changes(self.position.state, found.after)

    def _changes(self, before: State, after: State) -> tuple[SquareXY, ...]:
        return tuple(
            (min(new + 1 if new < old else new, self._game.width), row)
            for row, (old, new) in enumerate(zip(before, after, strict=True), start=1)
            if old != new
        )

    def moves_at(self, square: SquareXY) -> tuple[MatchMove, ...]:
        """One move of each action, a legal one if there is one, that changes the heap there."""
        state, variables = self.position.state, self._game.rules.game.variables
        found: list[MatchMove] = []
        for action in self._game.rules.game.actions:
            most = int(_TRIED ** (1 / max(1, len(action.parameters))))
            numbers = range(min(self._game.width + 1, most) + 1)
            fitting = [
                HeapMove(action.name, chosen)
                for chosen in product(numbers, repeat=len(action.parameters))
                if square
                in self._changes(
                    state,
                    state_after(
                        action,
                        variables,
                        state,
                        dict(zip(action.parameters, chosen, strict=True)),
                    ),
                )
            ]
            legal = (move for move in fitting if self.position.is_legal(move))
            first = next(legal, fitting[0] if fitting else None)
            found += [] if first is None else [first]
        return tuple(found)

    def hint(self) -> Hint | None:
        """A move to a state that the formula calls losing, if there is one."""
        if self.over:
            return None
        found = self._strategy.winning_move(self.position.state)
        if found is not None:
            left = self.position.after(found.after).text
            text = f"{found}: leaves {left}, which is losing for {self.certificate_player}"
            return Hint(HeapMove.of(found), text)
        moves = self.position.legal_moves()
        return Hint(moves[0], f"{moves[0]}: no move wins against the strategy")

    # -- playing ----------------------------------------------------------------------------

    def _advance(self, move: MatchMove, why: WhyNot | None, claim: bool) -> tuple[Frame, ...]:
        own = self._checked(move)
        if claim:
            raise UsageError(f"{own}: there is no goal to claim, whoever cannot move is out")
        began = time.perf_counter()
        state = self._after(own, why)
        position = self.position.after(state)
        history = [*self.frames]
        before = None if why is not None else self.position.state
        seconds = time.perf_counter() - began
        frame = self._frame(position, own, seconds, before, history, illegal=why)
        return self._answered(frame, history)

    def _after(self, move: HeapMove, why: WhyNot | None) -> State:
        """The state after the person's move, legal or not; it must be a legal state."""
        legal = self.position.move(move)
        if legal is not None:
            return legal.after
        game = self._game.rules.game
        action = next((a for a in game.actions if a.name == move.action), None)
        if action is None or len(action.parameters) != len(move.arguments):
            raise UsageError(f"{move} cannot be let happen: no move of this game")
        chosen = dict(zip(action.parameters, move.arguments, strict=True))
        after = state_after(action, game.variables, self.position.state, chosen)
        if not self._game.rules.is_legal(after):
            text = self.position.after(after).text
            raise UsageError(f"{move} cannot be let happen: {text} is no legal state")
        return after

    def _answered(self, frame: Frame, history: Sequence[Frame] = ()) -> tuple[Frame, ...]:
        """``frame`` and the strategy's reply to it."""
        position = _position(frame)
        if frame.outcome is not None or position.to_move is self.person:
            return (frame,)
        began = time.perf_counter()
        reply = self._strategy.reply(position.state)
        assert reply is not None, "the play would be over"
        objections = self._referee.reply(position.state, reply)
        seconds = time.perf_counter() - began
        moves = (*_moves([*history, frame]), str(reply.move))
        findings = self._findings(objections, frame.ply + 1, moves)
        said = self._said(position, reply)
        if any(o.kind is FindingKind.ILLEGAL_REPLY for o in objections):
            outcome = MatchOutcome(self.person, f"{reply.move} is illegal", False, None)
            stopped = replace(
                frame,
                ply=frame.ply + 1,
                player=self.certificate_player,
                move=HeapMove.of(reply.move),
                by_certificate=True,
                illegal=None,
                outcome=outcome,
                findings=findings,
                seconds=seconds,
                remarks=said,
            )
            return (frame, stopped)
        answered = self._frame(
            position.after(reply.move.after),
            HeapMove.of(reply.move),
            seconds,
            position.state,
            [*history, frame],
            known=findings,
        )
        return (frame, replace(answered, remarks=said))

    def _said(self, position: HeapPosition, reply: RuleReply) -> tuple[str, ...]:
        """Where the reply comes from, and what it leaves."""
        if reply.rule is not None:
            rule = self._strategy.all_rules[reply.rule].text(self._game.rules.game)
            said = f"rule {reply.rule + 1}: {rule}"
        elif self._strategy.winning(position.state):
            said = "no rule: the winning formula alone"
        else:
            return (f"no rule: {position.text} is losing for {position.to_move}, any move will do",)
        left = position.after(reply.move.after)
        word = "winning" if self._strategy.winning(left.state) else "losing"
        return (f"{said}; leaves {left.text}, {word} for {left.to_move}",)

    def _frame(
        self,
        position: HeapPosition,
        move: HeapMove | None,
        seconds: float,
        before: State | None,
        history: Sequence[Frame],
        *,
        known: tuple[Finding, ...] = (),
        illegal: WhyNot | None = None,
    ) -> Frame:
        """The frame of a position; ``before`` is the state that a legal move has led from."""
        player = None if move is None else position.to_move.other
        moves = (*_moves(history), *([] if move is None else [str(move)]))
        objections = self._referee.state(position.state, before)
        frame = Frame(
            ply=position.ply - 1,
            player=player,
            move=move,
            by_certificate=player is self.certificate_player,
            board=position.board if self._game.drawable else None,
            position=position,
            values=self._values(position.state),
            illegal=illegal,
            findings=known + self._findings(objections, position.ply - 1, moves),
            seconds=seconds,
            state=position.text,
        )
        ending = position.outcome
        if ending is None:
            return frame
        promised = self._promised([*history, frame])
        won = ending.winner is self.certificate_player
        outcome = MatchOutcome(ending.winner, ending.reason, won or not promised, None)
        findings = frame.findings
        if promised and not won:
            detail = f"{ending.winner} wins: {ending.reason}"
            objection = Objection(FindingKind.END_DIFFERS, detail)
            findings += self._findings([objection], frame.ply, moves)
        return replace(frame, outcome=outcome, findings=findings)

    def _promised(self, frames: Sequence[Frame]) -> bool:
        """Whether the formula has called a state winning for the strategy, as last it stood."""
        for frame in reversed(frames):
            position = _position(frame)
            mine = position.to_move is self.certificate_player
            if self._strategy.winning(position.state) is mine and position.outcome is None:
                return True
            if frame.illegal is not None:
                return False
        return False

    def _values(self, state: State) -> tuple[NamedValue, ...]:
        """The formula and the conditions of all rules at ``state``."""
        values = self._game.rules.game.state(state)
        formula = self._strategy.formula
        said = formula.holds(values)
        found = [NamedValue("winning", str(formula), 0, said, Group.FORMULA)]
        for number, rule in enumerate(self._strategy.all_rules, start=1):
            name = f"rule {number}: {rule.action.text(self._game.rules.game)}"
            condition = rule.condition
            fires = condition.holds(values)
            found.append(NamedValue(name, str(condition), 0, fires, Group.RULE))
        return tuple(found)

    def _findings(
        self, objections: Iterable[Objection], ply: int, moves: tuple[str, ...]
    ) -> tuple[Finding, ...]:
        return tuple(
            Finding(
                one.kind,
                ply,
                one.detail,
                player=self.certificate_player,
                move=moves[-1] if moves else None,
                rule=one.rule,
                moves=moves,
            )
            for one in objections
        )


def _position(frame: Frame) -> HeapPosition:
    assert isinstance(frame.position, HeapPosition), "every frame of such a play has one"
    return frame.position


def _moves(frames: Iterable[Frame]) -> list[str]:
    return [str(frame.move) for frame in frames if frame.move is not None]
