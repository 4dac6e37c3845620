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

from qsage_validate.arena.engines.engine import Engine, Facts
from qsage_validate.arena.frame import (
    Frame,
    FrameValue,
    HeapMove,
    Hint,
    MatchMove,
    MatchOutcome,
    NamedGroup,
    PlayState,
    SquareXY,
    WhyNot,
)
from qsage_validate.errors import MalformedMoveError, UsageError
from qsage_validate.extensions.impartial.heap_game import HeapGame, HeapPosition, heap_move
from qsage_validate.extensions.impartial.moves import State
from qsage_validate.extensions.impartial.problem import (
    HeapProblem,
    HeapReferee,
    Objection,
    RuleReply,
)
from qsage_validate.extensions.impartial.rules import state_after
from qsage_validate.games.protocol import Player
from qsage_validate.strategies.readings import Assignment
from qsage_validate.validation.finding import Finding, FindingKind

# Arguments that are tried when a person asks about a square.
_TRIED = 4096


class HeapEngine(Engine):
    """Plays from the start of ``game``; its first player makes ply 1."""

    def __init__(
        self, game: HeapGame, referee: HeapReferee, title: str, notes: Iterable[str] = ()
    ) -> None:
        self._game = game
        self._referee = referee
        self._strategy = referee.strategy
        self.facts = Facts(
            title=title,
            certificate_player=Player.BLACK,
            plies=game.plies,
            has_board=game.drawable,
            has_rules=True,
            notes=tuple(notes),
            goal=f"The player who cannot move {'wins' if game.rules.misere else 'loses'}.",
            answers="strategy",
            has_verdict=False,
        )

    # -- moves ------------------------------------------------------------------------------

    def legal(self, frame: Frame) -> Sequence[MatchMove]:
        return _position(frame).legal_moves()

    def parse(self, frame: Frame, text: str) -> MatchMove:
        return self._game.parse_move(text, self.facts.person)

    def why_not(self, frame: Frame, move: MatchMove) -> WhyNot | None:
        if frame.over:
            return None
        illegality = _position(frame).illegality(self._checked(move))
        if illegality is None:
            return None
        return WhyNot(move, self.facts.person, None, False, (), illegality, asked=False)

    def _checked(self, move: MatchMove) -> HeapMove:
        if not isinstance(move, HeapMove):
            raise MalformedMoveError(f"{move}: expected a move like take(2)")
        return move

    def touched(self, frame: Frame, move: MatchMove) -> tuple[SquareXY, ...]:
        """One square for each changed heap: the first token removed, or the last one added."""
        if frame.over or not isinstance(move, HeapMove) or not self.facts.has_board:
            return ()
        found = _position(frame).move(move)
        return () if found is None else self._changes(_position(frame).state, found.after)

    def _changes(self, before: State, after: State) -> tuple[SquareXY, ...]:
        return tuple(
            (min(new + 1 if new < old else new, self._game.width), row)
            for row, (old, new) in enumerate(zip(before, after, strict=True), start=1)
            if old != new
        )

    def at(self, frame: Frame, square: SquareXY) -> tuple[MatchMove, ...]:
        """One move of each action, a legal one if there is one, that changes the heap there."""
        state, variables = _position(frame).state, self._game.rules.game.variables
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
                        action, variables, state, dict(zip(action.parameters, chosen, strict=True))
                    ),
                )
            ]
            legal = (move for move in fitting if _position(frame).is_legal(move))
            first = next(legal, fitting[0] if fitting else None)
            found += [] if first is None else [first]
        return tuple(found)

    def hint(self, frame: Frame) -> Hint | None:
        """A move to a state that the formula calls losing, if there is one."""
        position = _position(frame)
        found = self._strategy.winning_move(position.state)
        if found is not None:
            left = position.moved(found.after).text
            text = f"{found}: leaves {left}, which is losing for {self.facts.certificate_player}"
            return Hint(heap_move(found), text)
        moves = position.legal_moves()
        return Hint(moves[0], f"{moves[0]}: no move wins against the strategy")

    # -- playing ----------------------------------------------------------------------------

    def start(self) -> Frame:
        return self._frame(None, self._game.initial, None, 0)

    def push(self, frame: Frame, move: MatchMove, why: WhyNot | None, *, claim: bool) -> Frame:
        own = self._checked(move)
        if claim:
            raise UsageError(f"{own}: there is no goal to claim, whoever cannot move is out")
        began = time.perf_counter()
        position = _position(frame).moved(self._after(_position(frame), own, why))
        return self._frame(frame, position, own, time.perf_counter() - began, illegal=why)

    def _after(self, position: HeapPosition, move: HeapMove, why: WhyNot | None) -> State:
        """The state after the person's move, legal or not; it must be a legal state."""
        legal = position.move(move)
        if legal is not None:
            return legal.after
        game = self._game.rules.game
        action = next((a for a in game.actions if a.name == move.action), None)
        if action is None or len(action.parameters) != len(move.arguments):
            raise UsageError(f"{move} cannot be let happen: no move of this game")
        chosen = dict(zip(action.parameters, move.arguments, strict=True))
        after = state_after(action, game.variables, position.state, chosen)
        if not self._game.rules.is_legal(after):
            text = position.moved(after).text
            raise UsageError(f"{move} cannot be let happen: {text} is no legal state")
        return after

    def reply(self, frame: Frame) -> Frame | None:
        position, player = _position(frame), self.facts.certificate_player
        if frame.over or position.to_move is not player:
            return None
        began = time.perf_counter()
        reply = self._strategy.reply(position.state)
        assert reply is not None, "the play would be over"
        objections = self._referee.reply(position.state, reply)
        seconds = time.perf_counter() - began
        moves = (*frame.play.moves, str(reply.move))
        findings = self._findings(objections, frame.ply + 1, moves)
        said = self._said(position, reply)
        if any(o.kind is FindingKind.ILLEGAL_REPLY for o in objections):
            play = replace(
                frame.play,
                assignment=Assignment(frame.ply + 1),
                moves=moves,
                last=heap_move(reply.move),
                ending=MatchOutcome(player.other, f"{reply.move} is illegal", False),
                findings=findings,
            )
            return replace(
                frame,
                play=play,
                player=player,
                by_certificate=True,
                illegal=None,
                seconds=seconds,
                remarks=said,
            )
        after = position.moved(reply.move.after)
        answer = self._frame(frame, after, heap_move(reply.move), seconds, known=findings)
        return replace(answer, remarks=said)

    def _said(self, position: HeapPosition, reply: RuleReply) -> tuple[str, ...]:
        """The source of the reply, and the heaps after it."""
        if reply.rule is not None:
            rule = self._strategy.all_rules[reply.rule].text(self._game.rules.game)
            said = f"rule {reply.rule + 1}: {rule}"
        elif self._strategy.winning(position.state):
            said = "no rule: the winning formula alone"
        else:
            return (f"no rule: {position.text} is losing for {position.to_move}, any move will do",)
        left = position.moved(reply.move.after)
        word = "winning" if self._strategy.winning(left.state) else "losing"
        return (f"{said}; leaves {left.text}, {word} for {left.to_move}",)

    def _frame(
        self,
        before: Frame | None,
        position: HeapPosition,
        move: HeapMove | None,
        seconds: float,
        *,
        known: tuple[Finding, ...] = (),
        illegal: WhyNot | None = None,
    ) -> Frame:
        """The play at a position, to which ``move`` has led from ``before``."""
        player = None if move is None else position.to_move.other
        hero = self.facts.certificate_player
        moves = () if before is None or move is None else (*before.play.moves, str(move))
        legal = before is not None and illegal is None
        came_from = _position(before).state if before is not None and legal else None
        objections = self._referee.state(position.state, came_from)
        findings = known + self._findings(objections, position.ply - 1, moves)
        # An illegal move that was let happen takes an earlier promise away.
        promised = before is not None and legal and before.promised
        ending = position.outcome
        wins = ending is None and self._strategy.winning(position.state) is (
            position.to_move is hero
        )
        frame = Frame(
            PlayState(Assignment(position.ply - 1), moves, position, findings=findings, last=move),
            player=player,
            by_certificate=player is hero,
            board=position.board if self._game.drawable else None,
            values=self._values(position.state),
            illegal=illegal,
            seconds=seconds,
            state=position.text,
            promised=promised or wins,
        )
        if ending is None:
            return frame
        won = ending.winner is hero
        outcome = MatchOutcome(ending.winner, ending.reason, won or not promised)
        if not promised or won:
            return frame.ended(outcome)
        detail = f"{ending.winner} wins: {ending.reason}"
        objection = Objection(FindingKind.END_DIFFERS, detail)
        return frame.ended(outcome, *self._findings([objection], frame.ply, moves))

    def _values(self, state: State) -> tuple[FrameValue, ...]:
        """The formula and the conditions of all rules at ``state``."""
        values = self._game.rules.game.state(state)
        formula = self._strategy.formula
        said = formula.holds(values)
        found = [FrameValue("winning", str(formula), 0, said, NamedGroup.FORMULA)]
        for number, rule in enumerate(self._strategy.all_rules, start=1):
            name = f"rule {number}: {rule.action.text(self._game.rules.game)}"
            condition = rule.condition
            fires = condition.holds(values)
            found.append(FrameValue(name, str(condition), 0, fires, NamedGroup.RULE))
        return tuple(found)

    def _findings(
        self, objections: Iterable[Objection], ply: int, moves: tuple[str, ...]
    ) -> tuple[Finding, ...]:
        return tuple(
            Finding(
                one.kind,
                ply,
                one.detail,
                player=self.facts.certificate_player,
                move=moves[-1] if moves else None,
                rule=one.rule,
                moves=moves,
            )
            for one in objections
        )


def _position(frame: Frame) -> HeapPosition:
    assert isinstance(frame.position, HeapPosition), "the heaps are known"
    return frame.position


def open_heaps(problem: HeapProblem, start: State, first: Player) -> HeapEngine:
    """Plays from ``start`` on; ``first`` begins."""
    game = HeapGame(problem.rules, start, first)
    title = f"{game.name}: rules for Black"
    return HeapEngine(game, HeapReferee(problem.strategy), title, problem.notes(game))
