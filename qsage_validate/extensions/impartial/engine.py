"""A play of an impartial game against rules: heaps of tokens, and the rule that fired.

The strategy plays Black and the person White, whoever begins.  A strategy promises to win from
the first time on that its own formula calls the state winning for it; an illegal move that was
let happen takes the promise away.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product

from qsage_validate.arena.engines.engine import Engine, Facts, Step
from qsage_validate.arena.frame import (
    Frame,
    FrameValue,
    HeapMove,
    Hint,
    MatchMove,
    MatchOutcome,
    NamedGroup,
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
from qsage_validate.validation.finding import Finding, FindingKind

# Arguments that are tried when a person asks about a square.
_TRIED = 4096


@dataclass(frozen=True)
class HeapStep(Step):
    """``moves`` are those of the play; ``promised`` whether the strategy has promised to win."""

    position: HeapPosition
    moves: tuple[str, ...]
    promised: bool


class HeapEngine(Engine[HeapStep]):
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

    def legal(self, step: HeapStep) -> Sequence[MatchMove]:
        return step.position.legal_moves()

    def parse(self, step: HeapStep, text: str) -> MatchMove:
        return self._game.parse_move(text, self.facts.person)

    def why_not(self, step: HeapStep, move: MatchMove) -> WhyNot | None:
        if step.over:
            return None
        illegality = step.position.illegality(self._checked(move))
        if illegality is None:
            return None
        return WhyNot(move, self.facts.person, None, False, (), illegality, asked=False)

    def _checked(self, move: MatchMove) -> HeapMove:
        if not isinstance(move, HeapMove):
            raise MalformedMoveError(f"{move}: expected a move like take(2)")
        return move

    def touched(self, step: HeapStep, move: MatchMove) -> tuple[SquareXY, ...]:
        """One square for each changed heap: the first token removed, or the last one added."""
        if step.over or not isinstance(move, HeapMove) or not self.facts.has_board:
            return ()
        found = step.position.move(move)
        return () if found is None else self._changes(step.position.state, found.after)

    def _changes(self, before: State, after: State) -> tuple[SquareXY, ...]:
        return tuple(
            (min(new + 1 if new < old else new, self._game.width), row)
            for row, (old, new) in enumerate(zip(before, after, strict=True), start=1)
            if old != new
        )

    def at(self, step: HeapStep, square: SquareXY) -> tuple[MatchMove, ...]:
        """One move of each action, a legal one if there is one, that changes the heap there."""
        state, variables = step.position.state, self._game.rules.game.variables
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
            legal = (move for move in fitting if step.position.is_legal(move))
            first = next(legal, fitting[0] if fitting else None)
            found += [] if first is None else [first]
        return tuple(found)

    def hint(self, step: HeapStep) -> Hint | None:
        """A move to a state that the formula calls losing, if there is one."""
        position = step.position
        found = self._strategy.winning_move(position.state)
        if found is not None:
            left = position.moved(found.after).text
            text = f"{found}: leaves {left}, which is losing for {self.facts.certificate_player}"
            return Hint(heap_move(found), text)
        moves = position.legal_moves()
        return Hint(moves[0], f"{moves[0]}: no move wins against the strategy")

    # -- playing ----------------------------------------------------------------------------

    def start(self) -> HeapStep:
        return self._step(None, self._game.initial, None, 0)

    def push(self, step: HeapStep, move: MatchMove, why: WhyNot | None, *, claim: bool) -> HeapStep:
        own = self._checked(move)
        if claim:
            raise UsageError(f"{own}: there is no goal to claim, whoever cannot move is out")
        began = time.perf_counter()
        position = step.position.moved(self._after(step.position, own, why))
        return self._step(step, position, own, time.perf_counter() - began, illegal=why)

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

    def reply(self, step: HeapStep) -> HeapStep | None:
        position, player = step.position, self.facts.certificate_player
        if step.over or position.to_move is not player:
            return None
        began = time.perf_counter()
        reply = self._strategy.reply(position.state)
        assert reply is not None, "the play would be over"
        objections = self._referee.reply(position.state, reply)
        seconds = time.perf_counter() - began
        moves = (*step.moves, str(reply.move))
        findings = self._findings(objections, step.frame.ply + 1, moves)
        said = self._said(position, reply)
        if any(o.kind is FindingKind.ILLEGAL_REPLY for o in objections):
            outcome = MatchOutcome(player.other, f"{reply.move} is illegal", False, None)
            stopped = replace(
                step.frame,
                ply=step.frame.ply + 1,
                player=player,
                move=heap_move(reply.move),
                by_certificate=True,
                illegal=None,
                outcome=outcome,
                findings=findings,
                seconds=seconds,
                remarks=said,
            )
            return HeapStep(stopped, position, moves, step.promised)
        after = position.moved(reply.move.after)
        answer = self._step(step, after, heap_move(reply.move), seconds, known=findings)
        return replace(answer, frame=replace(answer.frame, remarks=said))

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

    def _step(
        self,
        before: HeapStep | None,
        position: HeapPosition,
        move: HeapMove | None,
        seconds: float,
        *,
        known: tuple[Finding, ...] = (),
        illegal: WhyNot | None = None,
    ) -> HeapStep:
        """The play at a position, to which ``move`` has led from ``before``."""
        player = None if move is None else position.to_move.other
        hero = self.facts.certificate_player
        moves = () if before is None or move is None else (*before.moves, str(move))
        legal = before is not None and illegal is None
        came_from = before.position.state if before is not None and legal else None
        objections = self._referee.state(position.state, came_from)
        frame = Frame(
            ply=position.ply - 1,
            player=player,
            move=move,
            by_certificate=player is hero,
            board=position.board if self._game.drawable else None,
            position=position,
            values=self._values(position.state),
            illegal=illegal,
            findings=known + self._findings(objections, position.ply - 1, moves),
            seconds=seconds,
            state=position.text,
        )
        ending = position.outcome
        # An illegal move that was let happen takes an earlier promise away.
        promised = before is not None and legal and before.promised
        if ending is None:
            wins = self._strategy.winning(position.state) is (position.to_move is hero)
            return HeapStep(frame, position, moves, promised or wins)
        won = ending.winner is hero
        outcome = MatchOutcome(ending.winner, ending.reason, won or not promised, None)
        findings = frame.findings
        if promised and not won:
            detail = f"{ending.winner} wins: {ending.reason}"
            objection = Objection(FindingKind.END_DIFFERS, detail)
            findings += self._findings([objection], frame.ply, moves)
        return HeapStep(
            replace(frame, outcome=outcome, findings=findings), position, moves, promised
        )

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


def open_heaps(problem: HeapProblem, start: State, first: Player) -> HeapEngine:
    """Plays from ``start`` on; ``first`` begins."""
    game = HeapGame(problem.rules, start, first)
    title = f"{game.name}: rules for Black"
    return HeapEngine(game, HeapReferee(problem.strategy), title, problem.notes(game))
