"""A play of a game without a formula: a search answers, and the rules say what is legal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from qsage_validate.arena.board_engine import Engine, Facts, goal_line, spoken
from qsage_validate.arena.frame import (
    Frame,
    Hint,
    LayoutMove,
    MatchMove,
    MatchOutcome,
    PlayState,
    SquareXY,
    WhyNot,
)
from qsage_validate.certificates.oracles.oracle import NoAnswerError
from qsage_validate.errors import AmbiguousMoveError, MalformedMoveError, UndecidedError, UsageError
from qsage_validate.formats.grid_names import square_named
from qsage_validate.games.protocol import Move, Player, Position
from qsage_validate.problems.searched import RulesProblem
from qsage_validate.strategies.reader import Assignment
from qsage_validate.system.limits import Stopwatch
from qsage_validate.validation.finding import Finding, FindingKind


class SearchedEngine(Engine):
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

    def _shown(self, move: Move, before: Position) -> LayoutMove:
        text = str(move)
        said = self._game.say(move, before.to_move, before.board)
        return LayoutMove(text, self._game.square_of(text), said=said)

    @cached_property
    def _moves(self) -> tuple[LayoutMove, ...]:
        texts = map(str, self._game.moves(self.facts.person))
        return tuple(LayoutMove(text, self._game.square_of(text)) for text in texts)

    def legal(self, frame: Frame) -> Sequence[LayoutMove]:
        position = _position(frame)
        return [self._shown(move, position) for move in position.legal_moves()]

    def parse(self, frame: Frame, text: str) -> MatchMove:
        position = _position(frame)
        meant = spoken(self._game, text, self.facts.person, self.legal(frame))
        try:
            known = self._game.parse_move(meant or text, self.facts.person)
            return self._shown(known, position)
        except (AmbiguousMoveError, MalformedMoveError):
            square = square_named(text)
            here = () if square is None else self.at(frame, square)
            legal = [move for move in here if self.why_not(frame, move) is None]
            fitting = legal or here
            if len(fitting) > 1:
                several = ", ".join(move.words for move in fitting)
                raise AmbiguousMoveError(f"found {text!r}, expected one of {several}") from None
            if not fitting:
                raise
            return fitting[0]

    def at(self, frame: Frame, square: SquareXY) -> tuple[MatchMove, ...]:
        position, player = _position(frame), self.facts.person
        return tuple(
            self._shown(self._game.parse_move(move.text, player), position)
            for move in self._moves
            if move.square == square
        )

    def why_not(self, frame: Frame, move: MatchMove) -> WhyNot | None:
        player = self.facts.person
        illegality = _position(frame).illegality(self._game.parse_move(str(move), player))
        if frame.over or illegality is None:
            return None
        return WhyNot(move, player, None, False, (), illegality, asked=False)

    def touched(self, frame: Frame, move: MatchMove) -> tuple[SquareXY, ...]:
        known = self._game.parse_move(str(move), self.facts.person)
        if frame.over or not _position(frame).is_legal(known):
            return ()
        return tuple(_position(frame).board.differences(_position(frame).play(known).board))

    def hint(self, frame: Frame) -> Hint | None:
        if not self._problem.hints:
            return None
        reply = self._problem.replies.reply(_position(frame))
        span = self._game.span(reply.plies)
        if reply.winner is reply.player:
            text = "a winning move" if reply.plies is None else f"wins within {span}"
        else:
            text = "every move loses" if reply.plies is None else f"holds out longest, {span}"
        move = self._shown(reply.move, _position(frame))
        return Hint(move, f"{move.words}: {text}")

    # -- playing ----------------------------------------------------------------------------

    def start(self) -> Frame:
        start = Frame(PlayState(Assignment()), promised=self._problem.promised)
        return self._frame(start, self._game.initial, None, None, Stopwatch())

    def push(self, frame: Frame, move: MatchMove, why: WhyNot | None, *, claim: bool) -> Frame:
        if why is not None:
            raise UsageError(f"{move.words} cannot be let happen: there is no formula to tell it")
        if claim:
            raise UsageError(f"{move.words}: no goal can be claimed, for the rules see it")
        watch, player = Stopwatch(), _position(frame).to_move
        known = self._game.parse_move(str(move), player)
        return self._frame(frame, _position(frame).play(known), known, player, watch)

    def reply(self, frame: Frame) -> Frame | None:
        player = self.facts.certificate_player
        if frame.over or _position(frame).to_move is not player:
            return None
        watch = Stopwatch()
        try:
            reply = self._problem.replies.reply(_position(frame))
        except UndecidedError as error:
            return frame.ended(MatchOutcome(None, f"no answer in time: {error}", undecided=True))
        except NoAnswerError as error:
            reason = f"the {self._problem.answers} has no legal reply"
            finding = self._finding(FindingKind.REPLY_FAILS, frame.play, str(error))
            silent = replace(frame, play=replace(frame.play, findings=()))
            return silent.ended(MatchOutcome(player.other, reason, False), finding)
        wins = reply.winner is player
        before = replace(frame, promised=frame.promised or wins)
        after = self._frame(before, _position(frame).play(reply.move), reply.move, player, watch)
        left = 0 if reply.plies is None or after.over else reply.plies - 1
        remark = f"Black wins within {self._game.span(left)} from here" if left else ""
        play = after.play
        if frame.promised and not wins:
            said = f"the {self._problem.answers} has said that {player} wins"
            text = f"{said}, and says now that {player} does not"
            finding = self._finding(FindingKind.REPLY_FAILS, play, text)
            play = replace(play, findings=(finding, *play.findings))
        return replace(after, play=play, remarks=(remark,) if remark else ())

    def _frame(
        self,
        before: Frame,
        position: Position,
        move: Move | None,
        player: Player | None,
        watch: Stopwatch,
    ) -> Frame:
        """The play at a position, to which ``move`` has led from ``before``."""
        moves = before.play.moves if move is None else (*before.play.moves, str(move))
        shown = None if move is None else self._shown(move, _position(before))
        frame = Frame(
            PlayState(Assignment(len(moves)), moves, position, last=shown),
            player=player,
            by_certificate=player is self.facts.certificate_player,
            board=position.board,
            seconds=watch.seconds,
            won=() if position.outcome is None else self._game.winning_squares(position),
            promised=before.promised,
        )
        if position.outcome is None:
            return frame
        kept = position.outcome.winner is self.facts.certificate_player
        promised = kept if before.promised else True if kept else None
        outcome = MatchOutcome(position.outcome.winner, position.outcome.reason, promised)
        findings: tuple[Finding, ...] = ()
        if before.promised and not kept:
            ruled_out = f"which the {self._problem.answers} has ruled out"
            text = f"{outcome.winner} wins, {ruled_out}: {outcome.reason}"
            findings = (self._finding(FindingKind.END_DIFFERS, frame.play, text),)
        return frame.ended(outcome, *findings)

    def _finding(self, kind: FindingKind, play: PlayState, text: str) -> Finding:
        player = self.facts.certificate_player
        return Finding(kind, play.plies, text, player=player, moves=play.moves)


def _position(frame: Frame) -> Position:
    assert frame.position is not None, "the rules are known"
    return frame.position
