"""Plays without a certificate's board: in blocks of variables, or answered by a search alone.

The blocks are the merged scopes of the prefix.  The verdict is the matrix under all values.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice, product
from typing import TYPE_CHECKING

from qsage_validate.arena.board_engine import Engine, Facts, goal_line, roles, spoken
from qsage_validate.arena.frame import (
    BlockMove,
    Frame,
    FrameValue,
    Hint,
    LayoutMove,
    MatchMove,
    MatchOutcome,
    NamedGroup,
    PlayState,
    SquareXY,
    WhyNot,
)
from qsage_validate.arena.watch import broken_by_values
from qsage_validate.certificates.oracle import NoAnswerError, Oracle
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.errors import AmbiguousMoveError, MalformedMoveError, UndecidedError, UsageError
from qsage_validate.formats.grid_names import square_named
from qsage_validate.games.protocol import Move, Player, Position
from qsage_validate.kernel.certificate import Certificate, CircuitCertificate
from qsage_validate.problems.searched import RulesProblem
from qsage_validate.strategies.reader import Assignment
from qsage_validate.system.limits import Stopwatch
from qsage_validate.validation.assertions import Asserted
from qsage_validate.validation.finding import Evidence, Finding, FindingKind

# A play without any layout: the person and the certificate give values, block by block

if TYPE_CHECKING:
    from qsage_validate.strategies.herbrand import Refuter


# How many assignments of a block are listed as moves.
_LISTED = 64
_PAIR = re.compile(r"(.+?)\s*=\s*([01]|true|false)", re.IGNORECASE)


class BlockEngine(Engine):
    """The game of variables: any prenex formula and any certificate for it."""

    def __init__(
        self,
        formula: Qbf,
        certificate: Certificate,
        oracle: Oracle,
        title: str,
        notes: Iterable[str] = (),
        *,
        solves: bool = False,
        asserted: Sequence[Asserted] = (),
    ) -> None:
        """An engine that ``solves`` gives no hints: they come from the certificate's functions.

        Assertions about variables and gates (``asserted``) are checked at the end of a play.
        """
        self._hints = not solves
        self._asserted = asserted
        self._formula = formula
        self._certificate = certificate
        self._player = certificate.kind.player
        self._oracle = oracle
        self._blocks = formula.merged_scopes()
        name = formula.name
        sets = formula.depends.items()
        sees = [
            f"{name(v)} sees {' '.join(map(name, sorted(s))) or 'nothing'}"
            for v, s in islice(sets, _LISTED)
        ]
        self.facts = Facts(
            title=title,
            certificate_player=self._player,
            plies=len(self._blocks),
            has_board=False,
            has_rules=False,
            notes=(*notes, *sees),
            answers="solver" if solves else "certificate",
            moves_by_line=True,
        )

    # -- moves ------------------------------------------------------------------------------

    def _block(self, frame: Frame) -> tuple[int, ...]:
        """The variables that the person gives values to now; empty when the play is over."""
        return () if frame.over else self._blocks[frame.ply].variables

    def legal(self, frame: Frame) -> Sequence[MatchMove]:
        # The first variables change the quickest.
        every = product((False, True), repeat=len(self._block(frame)))
        return tuple(self._move(bits[::-1], frame.ply) for bits in islice(every, _LISTED))

    def random(self, frame: Frame, generator: random.Random) -> MatchMove | None:
        values = tuple(generator.random() < 0.5 for _ in self._block(frame))
        return self._move(values, frame.ply)

    def _move(self, values: tuple[bool, ...], ply: int) -> BlockMove:
        variables = self._blocks[ply].variables
        names = tuple(self._formula.name(v) for v in variables)
        return BlockMove(variables, values, names)

    def parse(self, frame: Frame, text: str) -> MatchMove:
        """The values that ``text`` gives; variables that it does not name are 0.

        ``7=1 8=0``, signed names (``7 -8``), or one digit for each variable (``10``), where
        the block has more than one variable.
        """
        variables, ply = self._block(frame), frame.ply
        names = {text: v for text, v in self._formula.by_text().items() if v in variables}
        words = text.replace(",", " ").split()
        if len(words) == 1 and words[0] not in names and re.fullmatch("[01]+", words[0]):
            if len(words[0]) != len(variables):
                raise MalformedMoveError(
                    f"found {len(words[0])} digits, expected {len(variables)}, one for each of "
                    f"{self._names_text(frame)}"
                )
            return self._move(tuple(digit == "1" for digit in words[0]), ply)
        values = dict.fromkeys(variables, False)
        for word in re.sub(r"\s*=\s*", "=", " ".join(words)).split():
            if word == "-":
                continue
            pair = _PAIR.fullmatch(word)
            name, value = word.removeprefix("-"), not word.startswith("-")
            if pair is not None:
                name, value = pair[1], pair[2].lower() in ("1", "true")
            if name not in names:
                raise MalformedMoveError(
                    f"found {word!r}, expected values for {self._names_text(frame)}, like "
                    f"{next(iter(names), 'x')}=1"
                )
            values[names[name]] = value
        return self._move(tuple(values.values()), ply)

    def _names_text(self, frame: Frame) -> str:
        names = [self._formula.name(v) for v in self._block(frame)]
        return ", ".join(names[:8]) + (", …" if len(names) > 8 else "")

    def why_not(self, frame: Frame, move: MatchMove) -> WhyNot | None:
        """Every assignment is legal; raises ``MalformedMoveError`` for one of another block."""
        if not isinstance(move, BlockMove) or move.variables != self._block(frame):
            raise MalformedMoveError(f"{move}: expected values for {self._names_text(frame)}")
        return None

    @cached_property
    def _refuter(self) -> Refuter | None:
        if not self._hints or not isinstance(self._certificate, CircuitCertificate):
            return None
        from qsage_validate.strategies.herbrand import Refuter

        return Refuter(self._certificate, self._formula)

    def hint(self, frame: Frame) -> Hint | None:
        """Winning values if there are any, by SAT; ``None`` for certificates made of clauses."""
        if self._refuter is None:
            return None
        found, block = self._refuter.refutation(frame.choice, {}), self._block(frame)
        if found is None:
            move = self._move((False,) * len(block), frame.ply)
            return Hint(move, "no values win any more: the certificate answers all of them")
        move = self._move(tuple(found[v] for v in block), frame.ply)
        return Hint(move, f"{move} refutes the certificate")

    # -- playing ----------------------------------------------------------------------------

    def start(self) -> Frame:
        return self._step(Frame(PlayState(Assignment())))

    def push(self, frame: Frame, move: MatchMove, why: WhyNot | None, *, claim: bool) -> Frame:
        assert isinstance(move, BlockMove), "checked by why_not"
        choice = {**frame.choice, **move.assignment()}
        return self._step(self._frame(frame, move, choice, frame.reply))

    def reply(self, frame: Frame) -> Frame | None:
        last = frame
        if last.over or self._blocks[last.ply].quantifier is not self._certificate.kind.decides:
            return None
        block = self._blocks[last.ply].variables
        began = time.perf_counter()
        try:
            found = self._answers(last.choice, block)
        except NoAnswerError as error:
            return self._silent(last, error)
        except UndecidedError as error:
            return last.ended(MatchOutcome(None, f"no answer in time: {error}", undecided=True))
        move = self._move(tuple(found[v] for v in block), last.ply)
        frame = self._frame(last, move, last.choice, {**last.reply, **found}, by_certificate=True)
        return self._step(replace(frame, seconds=time.perf_counter() - began))

    def _answers(self, choice: Mapping[int, bool], block: Sequence[int]) -> dict[int, bool]:
        """The values of a block; functions with a dependency set (DQBF) are shown that alone."""
        asked: dict[frozenset[int] | None, list[int]] = {}
        for variable in block:
            asked.setdefault(self._formula.depends.get(variable), []).append(variable)
        found: dict[int, bool] = {}
        for own, variables in asked.items():
            shown = {v: x for v, x in choice.items() if own is None or v in own}
            found |= self._oracle.values(shown, variables)
        return found

    def _frame(
        self,
        before: Frame,
        move: BlockMove,
        choice: Mapping[int, bool],
        reply: Mapping[int, bool],
        *,
        by_certificate: bool = False,
    ) -> Frame:
        assignment = Assignment(before.ply + 1, choice, reply)
        return Frame(
            PlayState(assignment, moves=(*before.play.moves, str(move)), last=move),
            player=self._player if by_certificate else self._player.other,
            by_certificate=by_certificate,
            values=self._values(move),
        )

    def _step(self, frame: Frame) -> Frame:
        return self._finished(frame) if frame.ply == len(self._blocks) else frame

    def _values(self, move: BlockMove) -> tuple[FrameValue, ...]:
        return tuple(
            FrameValue(name, name, variable, value, NamedGroup.BLOCK)
            for variable, name, value in zip(move.variables, move.names, move.values, strict=True)
        )

    def _finished(self, frame: Frame) -> Frame:
        formula = self._formula
        values = formula.evaluate({**frame.choice, **frame.reply})
        verdict = values[abs(formula.output)] != (formula.output < 0)
        promised = verdict is (self._player is Player.BLACK)
        winner = self._player if promised else self._player.other
        name = formula.name(abs(formula.output))
        signed = f"-{name}" if formula.output < 0 else name
        value = FrameValue("verdict", signed, formula.output, verdict, NamedGroup.VERDICT)
        reason = f"the matrix is {'true' if verdict else 'false'}"
        findings: tuple[Finding, ...] = ()
        if not promised:
            evidence = Evidence(formula.output, signed, verdict, "output")
            findings = (self._finding(FindingKind.VERDICT_DIFFERS, frame, reason, (evidence,)),)
        findings += broken_by_values(self._asserted, values, frame.ply, frame.play.moves)
        outcome = MatchOutcome(winner, reason, promised, verdict, f"output {signed}")
        return replace(frame, values=(*frame.values, value)).ended(outcome, *findings)

    def _silent(self, frame: Frame, error: NoAnswerError) -> Frame:
        finding = self._finding(FindingKind.CERTIFICATE_SILENT, frame, str(error))
        reason = "the certificate has no answer"
        return frame.ended(MatchOutcome(self._player.other, reason, False), finding)

    def _finding(
        self, kind: FindingKind, frame: Frame, detail: str, evidence: tuple[Evidence, ...] = ()
    ) -> Finding:
        return Finding(kind, frame.ply, detail, evidence=evidence, moves=frame.play.moves)


# A play of a game without a formula: a search answers, and the rules say what is legal


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
            notes=(*problem.notes, *roles(game.initial.board)),
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
        remark = f"Black wins within {self._game.span(left)} from here" if left else reply.why
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
