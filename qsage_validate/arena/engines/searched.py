"""A play of a game without a formula: a search answers, and the rules say what is legal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from qsage_validate.arena.engines.engine import Engine, Facts, Step
from qsage_validate.arena.frame import (
    Frame,
    Hint,
    LayoutMove,
    MatchMove,
    MatchOutcome,
    SquareXY,
    WhyNot,
)
from qsage_validate.arena.move_words import goal_line, squares_of
from qsage_validate.certificates.oracles.oracle import NoAnswerError
from qsage_validate.errors import (
    AmbiguousMoveError,
    MalformedMoveError,
    UndecidedError,
    UsageError,
)
from qsage_validate.games.protocol import Move, Player, Position
from qsage_validate.problems.searched import RulesProblem
from qsage_validate.system.limits import Stopwatch
from qsage_validate.validation.finding import Finding, FindingKind

_SQUARE = re.compile(r"\s*\(?\s*(\d{1,6})\s*[, ]\s*(\d{1,6})\s*\)?\s*")


@dataclass(frozen=True)
class SearchedStep(Step):
    """``moves`` are those of the play; ``promised`` whether the search has said that it wins."""

    position: Position
    moves: tuple[str, ...] = ()
    promised: bool = False


class SearchedEngine(Engine[SearchedStep]):
    """Plays against the search of ``problem``, or whatever else answers on the rules."""

    def __init__(self, problem: RulesProblem) -> None:
        self._problem = problem
        self._game = game = problem.game
        self.facts = Facts(
            title=problem.title,
            certificate_player=problem.player,
            plies=game.moves_made,
            has_board=True,
            has_rules=True,
            notes=problem.notes,
            answers=problem.answers,
            has_verdict=False,
            by_rules=True,
            moves_by_line=any(" " in str(move) for p in Player for move in game.moves(p)),
            goal=goal_line(game, problem.player.other),
            falls=game.falls,
            target=game.target,
            top_owner=game.initial.board.top,
        )

    # -- moves ------------------------------------------------------------------------------

    def _shown(self, move: Move) -> LayoutMove:
        return LayoutMove(str(move), self._game.square_of(str(move)))

    @cached_property
    def _moves(self) -> tuple[LayoutMove, ...]:
        return tuple(map(self._shown, self._game.moves(self.facts.person)))

    def legal(self, step: SearchedStep) -> Sequence[MatchMove]:
        return [self._shown(move) for move in step.position.legal_moves()]

    def parse(self, step: SearchedStep, text: str) -> MatchMove:
        try:
            return self._shown(self._game.parse_move(text, self.facts.person))
        except MalformedMoveError:
            named = _SQUARE.fullmatch(text)
            square = None if named is None else (int(named[1]), int(named[2]))
            here = () if square is None else self.at(step, square)
            legal = [move for move in here if self.why_not(step, move) is None]
            fitting = legal or here
            if len(fitting) > 1:
                several = ", ".join(map(str, fitting))
                raise AmbiguousMoveError(f"found {text!r}, expected one of {several}") from None
            if not fitting:
                raise
            return fitting[0]

    def at(self, step: SearchedStep, square: SquareXY) -> tuple[MatchMove, ...]:
        return tuple(move for move in self._moves if move.square == square)

    def why_not(self, step: SearchedStep, move: MatchMove) -> WhyNot | None:
        player = self.facts.person
        illegality = step.position.illegality(self._game.parse_move(str(move), player))
        if step.over or illegality is None:
            return None
        return WhyNot(move, player, None, False, (), illegality, asked=False)

    def touched(self, step: SearchedStep, move: MatchMove) -> tuple[SquareXY, ...]:
        known = self._game.parse_move(str(move), self.facts.person)
        if step.over or not step.position.is_legal(known):
            return ()
        return tuple(step.position.board.differences(step.position.play(known).board))

    def hint(self, step: SearchedStep) -> Hint | None:
        if not self._problem.hints:
            return None
        reply = self._problem.replies.reply(step.position)
        span = self._game.span(reply.plies)
        if reply.winner is reply.player:
            text = "a winning move" if reply.plies is None else f"wins within {span}"
        else:
            text = "every move loses" if reply.plies is None else f"holds out longest, {span}"
        return Hint(self._shown(reply.move), f"{reply.move}: {text}")

    # -- playing ----------------------------------------------------------------------------

    def start(self) -> SearchedStep:
        initial = SearchedStep(
            Frame(0, None, None, False, None, None), self._game.initial, (), self._problem.promised
        )
        return self._step(initial, self._game.initial, None, None, Stopwatch())

    def push(
        self, step: SearchedStep, move: MatchMove, why: WhyNot | None, *, claim: bool
    ) -> SearchedStep:
        if why is not None:
            raise UsageError(f"{move} cannot be let happen: there is no formula to tell it")
        if claim:
            raise UsageError(f"{move}: no goal can be claimed, for the rules see it")
        watch, player = Stopwatch(), step.position.to_move
        known = self._game.parse_move(str(move), player)
        return self._step(step, step.position.play(known), known, player, watch)

    def reply(self, step: SearchedStep) -> SearchedStep | None:
        player = self.facts.certificate_player
        if step.over or step.position.to_move is not player:
            return None
        watch = Stopwatch()
        try:
            reply = self._problem.replies.reply(step.position)
        except UndecidedError as error:
            outcome = MatchOutcome(None, f"no answer in time: {error}", None, None)
            return replace(step, frame=replace(step.frame, outcome=outcome))
        except NoAnswerError as error:
            finding = self._finding(FindingKind.REPLY_FAILS, step, str(error))
            reason = f"the {self._problem.answers} has no legal reply"
            outcome = MatchOutcome(player.other, reason, False, None)
            return replace(step, frame=replace(step.frame, outcome=outcome, findings=(finding,)))
        wins = reply.winner is player
        before = replace(step, promised=step.promised or wins)
        after = self._step(before, step.position.play(reply.move), reply.move, player, watch)
        left = 0 if reply.plies is None or after.over else reply.plies - 1
        remark = f"Black wins within {self._game.span(left)} from here" if left else ""
        findings = after.frame.findings
        if step.promised and not wins:
            said = f"the {self._problem.answers} has said that {player} wins"
            text = f"{said}, and says now that {player} does not"
            findings = (self._finding(FindingKind.REPLY_FAILS, after, text), *findings)
        frame = replace(after.frame, remarks=(remark,) if remark else (), findings=findings)
        return replace(after, frame=frame)

    def _step(
        self,
        before: SearchedStep,
        position: Position,
        move: Move | None,
        player: Player | None,
        watch: Stopwatch,
    ) -> SearchedStep:
        """The play at a position, to which ``move`` has led from ``before``."""
        moves = before.moves if move is None else (*before.moves, str(move))
        shown = None if move is None else self._shown(move)
        frame = Frame(
            ply=len(moves),
            player=player,
            move=shown,
            by_certificate=player is self.facts.certificate_player,
            board=position.board,
            position=position,
            seconds=watch.seconds,
            won=() if position.outcome is None else self._game.winning_squares(position),
            squares="" if shown is None else squares_of(before.frame.board, position.board, shown),
        )
        after = SearchedStep(frame, position, moves, before.promised)
        if position.outcome is None:
            return after
        kept = position.outcome.winner is self.facts.certificate_player
        promised = kept if before.promised else True if kept else None
        outcome = MatchOutcome(position.outcome.winner, position.outcome.reason, promised, None)
        findings: tuple[Finding, ...] = ()
        if before.promised and not kept:
            ruled_out = f"which the {self._problem.answers} has ruled out"
            text = f"{outcome.winner} wins, {ruled_out}: {outcome.reason}"
            findings = (self._finding(FindingKind.END_DIFFERS, after, text),)
        return replace(after, frame=replace(frame, outcome=outcome, findings=findings))

    def _finding(self, kind: FindingKind, step: SearchedStep, text: str) -> Finding:
        player = self.facts.certificate_player
        return Finding(kind, step.frame.ply, text, player=player, moves=step.moves)
