"""Conducts plays: the certificate's answers, the boards, the rules beside them, the end.

The conductor works on :class:`PlayState` values, many at a time, and keeps what it has seen: a
thousand random plays share their beginnings, and going back and forth costs nothing.  A
person's match and the adversary are both written on top of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TypeVar

from qsage_validate.certificates.oracle import NoAnswerError
from qsage_validate.encodings.table_layout import (
    AnyLayout,
    IllegalMoves,
    TableLayout,
    illegal_replies,
)
from qsage_validate.games.atoms import AtomGame
from qsage_validate.games.positional.rules import PositionalPosition
from qsage_validate.games.protocol import Board, Game, Player, Position
from qsage_validate.strategies.line import Answer, BoardReading, LayoutMove, Legality, Line
from qsage_validate.strategies.reader import CertificateReader
from qsage_validate.validation.finding import Evidence, Finding, FindingKind
from qsage_validate.validation.referee import Referee, unreadable

# Plays of which the legality of every move is kept.
_KEPT_PLAYS = 100_000


@dataclass(frozen=True, slots=True)
class Ending:
    """Why a play has ended and who won; ``None`` when only the verdict can tell.

    ``by_rules`` is false where the rules were left before the end: what the verdict says is then
    no win by them.
    """

    winner: Player | None
    reason: str
    by_rules: bool = True


@dataclass(frozen=True, slots=True)
class PlayState:
    """A play after some plies, as formula and rules see it.

    ``position`` is ``None`` without rules and from an illegal move on; ``illegal`` says that
    one was let happen; ``findings`` are those first seen in this state; ``stopped`` that the
    last ply claimed the goal; ``remark`` is a sentence about a reply that the formula lets be.
    """

    line: Line
    moves: tuple[str, ...] = ()
    position: Position | None = None
    reading: BoardReading = field(default_factory=lambda: BoardReading(None, {}))
    ending: Ending | None = None
    findings: tuple[Finding, ...] = ()
    illegal: bool = False
    stopped: bool = False
    last: LayoutMove | None = None
    known_differences: frozenset[object] = frozenset()
    remark: str = ""

    @property
    def board(self) -> Board | None:
        """The board as decoded from the formula."""
        return self.reading.board

    @property
    def shown_board(self) -> Board | None:
        """The decoded board, or the rules' board where the formula does not describe it."""
        if self.board is None and self.position is not None:
            return self.position.board
        return self.board

    @property
    def plies(self) -> int:
        """The number of plies made."""
        return self.line.plies


@dataclass(frozen=True, slots=True)
class Final:
    """The result of a finished play; see :class:`~qsage_validate.play.frame.MatchOutcome`."""

    winner: Player | None
    reason: str
    promised: bool | None
    verdict: bool | None
    note: str
    findings: tuple[Finding, ...] = field(default=())


class Conductor:
    """Plays of one certificate, step by step.

    ``name`` gives the file's name of a variable or gate; ``gates`` the literals to be read on
    every square after a ply.
    """

    def __init__(
        self,
        reader: CertificateReader,
        game: Game | None = None,
        *,
        name: Callable[[int], str] = str,
        gates: Callable[[int], Sequence[int]] = lambda plies: (),
    ) -> None:
        self.reader = reader
        self.layout: AnyLayout = reader.layout
        self.game = game
        self.referee = None if game is None else Referee(game, self.layout, name)
        self._name = name
        self._gates = gates
        self._legality: dict[tuple[str, ...], Mapping[LayoutMove, Legality] | None] = {}
        self._illegal_replies = illegal_replies(self.layout, self.player)
        self._on_board: Callable[[int], list[LayoutMove]] = cache(reader.code.moves)

    @property
    def player(self) -> Player:
        """The certificate's side."""
        return self.reader.player

    @property
    def promised_verdict(self) -> bool:
        """The value of the verdict that the certificate promises."""
        return self.player is Player.BLACK

    @property
    def knows_legality(self) -> bool:
        """Whether the formula can say which of the opponent's moves are legal."""
        return self.reader.knows_legality

    def knows_illegal(self, state: PlayState | None = None) -> bool:
        """Whether illegal moves are known (in ``state``), by the formula or by the rules.

        Many formulas with tables of moves say nothing of legality, stateless ones for example:
        there the rules say what is illegal, and the verdict whether the promise is kept.  On a
        grid a formula that tells nothing of a ply (Black's last one) lets every move be made.
        """
        if not isinstance(self.layout, TableLayout):
            known = self.knows_legality
            return known if state is None else known and self.legality(state) is not None
        by_rules = self.game is not None and (state is None or state.position is not None)
        return self.knows_legality or by_rules

    def opponent_moves(self, moves: Sequence[str]) -> list[str]:
        """The opponent's among all moves of a play, from ply 1 on."""
        players = [ply.player for ply in self.layout.moves]
        pairs = zip(players, moves, strict=False)
        return [move for player, move in pairs if player is not self.player]

    def forget(self) -> None:
        """Forget what was kept of plays so far, when it has become much."""
        if len(self._legality) > _KEPT_PLAYS:
            self._legality.clear()

    def has_won(self, state: PlayState, player: Player) -> bool:
        """Whether ``player`` has won by the rules, as far as they are known."""
        outcome = None if state.position is None else state.position.outcome
        return outcome is not None and outcome.winner is player

    def to_move(self, state: PlayState) -> Player | None:
        """Whose turn it is; ``None`` when the play has ended."""
        if state.ending is not None or state.plies >= self.layout.plies:
            return None
        return self.layout.moves[state.plies].player

    # -- steps ------------------------------------------------------------------------------

    def start(self) -> PlayState:
        """The play before ply 1."""
        position = None if self.game is None else self.game.initial
        return self._look([PlayState(self.reader.start(), position=position)])[0]

    def play(self, state: PlayState, move: LayoutMove, *, stop: bool = False) -> PlayState:
        """The state after the opponent's ``move``; see :meth:`play_all`."""
        return self.play_all([(state, move)], stop=stop)[0]

    def play_all(
        self, moves: Sequence[tuple[PlayState, LayoutMove]], *, stop: bool = False
    ) -> list[PlayState]:
        """The states after moves of the opponent's, which may be illegal.

        ``stop`` claims the goal.  From an illegal move on there is no position by the rules.
        """
        return self._look([self._made(state, move, stop) for state, move in moves])

    def _made(self, state: PlayState, move: LayoutMove, stop: bool) -> PlayState:
        player = self.to_move(state)
        assert player is not None, "the play has ended"
        illegal = state.illegal or not self.is_legal(state, move)
        position = None
        if state.position is not None and self.referee is not None and not illegal:
            known = self.referee.move(move, player)
            assert known is not None, "a legal move is known to the rules"
            position = state.position.play(known)
        return replace(
            state,
            line=self._told(self.reader.with_move(state.line, move, stop=stop), position),
            moves=(*state.moves, str(move)),
            position=position,
            findings=(),
            illegal=illegal,
            stopped=stop,
            last=move,
            remark="",
        )

    def answer_all(self, states: Sequence[PlayState]) -> list[PlayState]:
        """The states after the certificate's ply; it is its turn in all of them."""
        answers = _each(self.reader.answers, [state.line for state in states])
        pairs = list(zip(states, answers, strict=True))
        answered = [self._answered(s, a) for s, a in pairs if not isinstance(a, NoAnswerError)]
        looked = iter(self._look(answered))
        return [
            self._silent(s, a) if isinstance(a, NoAnswerError) else next(looked) for s, a in pairs
        ]

    def _silent(self, state: PlayState, error: NoAnswerError) -> PlayState:
        """The certificate has no answer: the play ends where it is, and is refuted."""
        finding = Finding(
            FindingKind.CERTIFICATE_SILENT,
            state.plies,
            str(error),
            player=self.player,
            moves=state.moves,
        )
        ending = Ending(self.player.other, "the certificate has no answer")
        return replace(state, ending=ending, findings=(finding,), position=None, last=None)

    def _answered(self, state: PlayState, answer: Answer) -> PlayState:
        if answer.stop and isinstance(self.layout, TableLayout):
            return self._claims(state, answer)
        finding = self._judge(state, answer)
        if finding is not None and self._illegal_replies is not IllegalMoves.LOSES:
            return self._let_be(state, answer, finding)
        line = self.reader.with_answer(state.line, answer)
        shown = "?" if answer.move is None else str(answer.move)
        after = replace(
            state,
            line=line,
            moves=(*state.moves, shown),
            position=None,
            findings=() if finding is None else (finding,),
            stopped=answer.stop,
            last=answer.move,
            remark="",
        )
        if finding is not None:
            reason = f"the certificate's reply {shown} is no legal move"
            return replace(after, ending=Ending(self.player.other, reason))
        if state.position is None or self.referee is None or answer.move is None:
            return after
        known = self.referee.move(answer.move, self.player)
        assert known is not None, "a legal move is known to the rules"
        position = state.position.play(known)
        return replace(after, line=self._told(line, position), position=position)

    def _told(self, line: Line, position: Position | None) -> Line:
        """The line in which Black says what holds in the position, where White's replies ask."""
        if position is None or not self.reader.reads_atoms or not isinstance(self.game, AtomGame):
            return line
        return self.reader.with_atoms(line, self.game.atoms(position))

    def _let_be(self, state: PlayState, answer: Answer, finding: Finding) -> PlayState:
        """The state after a reply that is no legal move, which the formula does not mind."""
        shown = "?" if answer.move is None else str(answer.move)
        after = replace(
            state,
            line=self.reader.with_answer(state.line, answer),
            moves=(*state.moves, shown),
            position=None,
            findings=(),
            stopped=answer.stop,
            last=answer.move,
        )
        if self._illegal_replies is IllegalMoves.REPLACED:
            reason = f"{self.player} may make any legal move, for the formula replaces its reply"
            ending = Ending(None, f"{reason} ({finding.detail})", by_rules=False)
            return replace(after, ending=ending)
        remark = f"It claims nothing, and any claim will do: {finding.detail}."
        passed = state.position
        if isinstance(passed, PositionalPosition):
            passed = passed.passed()
        line = self._told(after.line, passed)
        return replace(after, line=line, remark=remark, position=passed)

    def _claims(self, state: PlayState, answer: Answer) -> PlayState:
        """The certificate claims to have won before its ply, which then does not happen."""
        line = self.reader.with_answer(state.line, answer)
        moves = (*state.moves, "stop")
        return replace(
            state, line=line, moves=moves, findings=(), stopped=True, last=None, remark=""
        )

    def _judge(self, state: PlayState, answer: Answer) -> Finding | None:
        if state.illegal:
            return None  # The certificate has won already: it may answer anything.
        if answer.move is None:
            evidence = tuple(
                Evidence(v, self._name(v), value, "move bit") for v, value in answer.values.items()
            )
            return unreadable(answer, self.player, evidence, state.moves)
        if state.position is None or self.referee is None:
            return None
        return self.referee.answer(state.position, answer, state.moves)

    # -- looking at the board and the end ---------------------------------------------------

    def _look(self, states: list[PlayState]) -> list[PlayState]:
        """Read the boards of states with the same number of plies; find ends and differences."""
        if not states:
            return []
        wanted = self._gates(states[0].plies)
        readings = _each(
            lambda lines: self.reader.boards(lines, wanted), [state.line for state in states]
        )
        return [
            self._silent(state, reading)
            if isinstance(reading, NoAnswerError)
            else self._compare(replace(state, reading=self._drawn(state, reading)))
            for state, reading in zip(states, readings, strict=True)
        ]

    def _drawn(self, state: PlayState, reading: BoardReading) -> BoardReading:
        """The reading with a board, where the game can draw the formula's atoms.

        Atoms that the formula does not have are taken from the rules.
        """
        if reading.atoms is None or not isinstance(self.game, AtomGame):
            return reading
        true = reading.atoms.true
        if state.position is not None:
            true |= self.game.atoms(state.position) - reading.atoms.known
        return replace(reading, board=self.game.board_of(true))

    def _differences(self, state: PlayState) -> tuple[Finding | None, frozenset[object]]:
        """What is wrong with the board, or with the atoms where the formula has such."""
        referee, position, reading = self.referee, state.position, state.reading
        if referee is None or position is None:
            return None, state.known_differences
        if reading.atoms is not None:
            finding = referee.atoms(position, reading.atoms, state.plies, state.moves)
            wrong = referee.wrong_atoms(position, reading.atoms)
            return finding, frozenset(wrong)
        if reading.board is None:
            return None, state.known_differences
        finding = referee.board(position, reading.board, state.plies, state.moves)
        return finding, frozenset(() if finding is None else finding.squares)

    def _compare(self, state: PlayState) -> PlayState:
        findings = list(state.findings)
        finding, differences = self._differences(state)
        # What is wrong stays wrong: it is reported when it becomes so.
        if finding is not None and not differences <= state.known_differences:
            findings.append(finding)
        ending = state.ending or self._ending(state)
        if ending is not None and state.stopped and state.position is not None:
            findings += self._false_claim(state)
        return replace(
            state,
            ending=ending,
            findings=tuple(findings),
            known_differences=differences,
        )

    def _ending(self, state: PlayState) -> Ending | None:
        mover = self.layout.moves[state.plies - 1].player if state.plies else None
        if state.position is not None and state.position.outcome is not None:
            outcome = state.position.outcome
            return Ending(outcome.winner, outcome.reason)
        if state.stopped and mover is not None:
            if state.position is None:
                return Ending(None, f"{mover} claims the goal")
            return Ending(mover.other, f"{mover} claims a goal that is not reached")
        vanished = state.board is None and not isinstance(self.layout, TableLayout)
        if state.illegal and vanished and mover is self.player.other:
            return Ending(self.player, f"{mover}'s illegal move leaves no state")
        if state.plies >= self.layout.plies:
            after = f" after {self.player.other}'s illegal move" if state.illegal else ""
            return Ending(None, f"all plies are played{after}")
        return None

    def _false_claim(self, state: PlayState) -> list[Finding]:
        assert state.position is not None
        mover = self.layout.moves[state.plies - 1].player
        outcome = state.position.outcome
        if mover is not self.player or self.referee is None:
            return []
        if outcome is not None and outcome.winner is mover:
            return []
        stop = self.layout.moves[state.plies - 1].stop
        return [self.referee.claim(mover, stop, state.plies, state.moves)]

    # -- legality ---------------------------------------------------------------------------

    def candidates(self, state: PlayState) -> list[LayoutMove]:
        """Every move that the bits of the next ply can say, those off the board last."""
        ply = state.plies + 1
        return [*self._on_board(ply), *self.reader.code.no_moves(ply)]

    def legality_all(
        self, states: Sequence[PlayState]
    ) -> list[Mapping[LayoutMove, Legality] | None]:
        """What the formula says of every move of the opponent, who is to move in all states."""
        missing = list({s.moves: s for s in states if s.moves not in self._legality}.values())
        if missing:
            mover = self.layout.moves[missing[0].plies].player
            assert mover is self.player.other, "the opponent is to move"
            moves = self.candidates(missing[0])
            found = self.reader.legality([state.line for state in missing], moves)
            for k, state in enumerate(missing):
                own = found[k]
                pairs = () if own is None else zip(moves, own, strict=True)
                said = {move: verdict for move, verdict in pairs if verdict is not None}
                self._legality[state.moves] = None if own is None else said
        return [self._legality[state.moves] for state in states]

    def legality(self, state: PlayState) -> Mapping[LayoutMove, Legality] | None:
        """What the formula says of every move of the opponent, who is to move."""
        return self.legality_all([state])[0]

    def is_legal(self, state: PlayState, move: LayoutMove) -> bool:
        """Whether the opponent's ``move`` is legal: by the rules, else by the formula.

        Where neither can tell, every move counts as legal.
        """
        player = self.to_move(state)
        assert player is not None, "the play has ended"
        if state.position is not None and self.referee is not None:
            known = self.referee.move(move, player)
            return known is not None and self.referee.is_legal(state.position, known)
        verdicts = self.legality(state)
        if verdicts is None:
            return True
        verdict = verdicts.get(move)
        return self.reader.code.can_say(state.plies + 1, move) if verdict is None else verdict.legal

    def legal_moves(self, state: PlayState) -> list[LayoutMove]:
        """The opponent's legal moves, in the order of the actions and squares."""
        player = self.to_move(state)
        if player is not self.player.other:
            return []
        if state.position is not None:
            names = {str(move) for move in state.position.legal_moves()}
            return [move for move in self._on_board(state.plies + 1) if str(move) in names]
        verdicts = self.legality(state)
        if verdicts is None:
            return list(self._on_board(state.plies + 1))
        return [
            move for move in self.candidates(state) if move not in verdicts or verdicts[move].legal
        ]

    def examine_all(self, states: Sequence[PlayState]) -> list[PlayState]:
        """States in which the opponent is to move, with its legality looked at.

        Adds the differences between formula and rules; without rules, ends the play of an
        opponent who cannot move.
        """
        verdicts = self.legality_all(states)
        return [self._examined(s, v) for s, v in zip(states, verdicts, strict=True)]

    def _examined(
        self, state: PlayState, verdicts: Mapping[LayoutMove, Legality] | None
    ) -> PlayState:
        if verdicts is None:
            return state
        if state.position is not None and self.referee is not None:
            found = self.referee.legality(state.position, verdicts, state.moves)
            return replace(state, findings=(*state.findings, *found))
        if not self.legal_moves(state):
            reason = f"{self.player.other} has no legal move"
            return replace(state, ending=Ending(self.player, reason))
        return state

    # -- the verdict ------------------------------------------------------------------------

    def finish_all(self, states: Sequence[PlayState]) -> list[Final]:
        """The results of plays that have ended, with the verdict evaluated.

        Where the opponent cannot move by the rules, the formula may accept no move either.
        """
        lines = [self._claimed(state) for state in states]
        readings = _each(self.reader.verdicts, lines)
        accepted = self._accepted_when_stuck(states)
        return [
            self._final(state, None, str(reading), accepted)
            if isinstance(reading, NoAnswerError)
            else self._final(state, reading.value, reading.note, accepted)
            for state, reading in zip(states, readings, strict=True)
        ]

    def _accepted_when_stuck(
        self, states: Sequence[PlayState]
    ) -> Mapping[tuple[str, ...], tuple[Finding, ...]]:
        """The findings where the opponent is stuck and the formula accepts moves all the same."""
        found: dict[tuple[str, ...], tuple[Finding, ...]] = {}
        by_plies: dict[int, list[PlayState]] = {}
        for state in states:
            if self.is_stuck(state):
                by_plies.setdefault(state.plies, []).append(state)
        for stuck in by_plies.values():
            for state, verdicts in zip(stuck, self.legality_all(stuck), strict=True):
                assert self.referee is not None, "it is stuck"
                assert state.position is not None, "by the rules"
                if verdicts is not None:
                    own = self.referee.legality(state.position, verdicts, state.moves)
                    found[state.moves] = tuple(own)
        return found

    def is_stuck(self, state: PlayState) -> bool:
        """Whether it is the opponent's turn in the formula, and the rules leave it no move."""
        if self.referee is None or state.position is None or state.plies >= self.layout.plies:
            return False
        outcome = state.position.outcome
        mover = self.layout.moves[state.plies].player
        return outcome is not None and outcome.stuck and mover is self.player.other

    def _claimed(self, state: PlayState) -> Line:
        """The line with the opponent's game-stop set where the rules say that it has won."""
        outcome = None if state.position is None else state.position.outcome
        if outcome is None or outcome.winner is self.player or not state.plies:
            return state.line
        # In a table a claim takes the place of the ply after the win.
        plies = self.layout.moves[state.plies - 1 : state.plies]
        if isinstance(self.layout, TableLayout):
            plies = self.layout.moves[state.plies :]
        own = (v.stop for v in plies if v.player is not self.player and v.stop is not None)
        literal = next(own, None)
        if literal is None:
            return state.line
        stop = {abs(literal): literal > 0}
        return replace(state.line, choice={**state.line.choice, **stop})

    def _final(
        self,
        state: PlayState,
        verdict: bool | None,
        note: str,
        accepted: Mapping[tuple[str, ...], tuple[Finding, ...]],
    ) -> Final:
        ending = state.ending
        assert ending is not None, "the play has ended"
        expected = self.promised_verdict
        kept = None if verdict is None else verdict is expected
        winner = ending.winner
        if winner is None and kept is not None:
            winner = self.player if kept else self.player.other
        findings = list(accepted.get(state.moves, ()))
        outcome = None if state.position is None else state.position.outcome
        if outcome is not None and self.referee is not None:
            finding = self.referee.end(outcome, self.player, state.plies, state.moves)
            findings += [] if finding is None else [finding]
        if kept is False:
            findings.append(self._verdict_finding(state, note, expected))
        promised = None if winner is None else winner is self.player and kept is not False
        if promised and not ending.by_rules:
            promised = None
        return Final(winner, ending.reason, promised, verdict, note, tuple(findings))

    def _verdict_finding(self, state: PlayState, note: str, expected: bool) -> Finding:
        literal = self.layout.verdict
        evidence: tuple[Evidence, ...] = ()
        if literal is not None:
            name = ("-" if literal < 0 else "") + self._name(abs(literal))
            evidence = (Evidence(literal, name, not expected, "verdict"),)
        value = "true" if not expected else "false"
        return Finding(
            FindingKind.VERDICT_DIFFERS,
            state.plies,
            f"the verdict is {value} {note}".rstrip(),
            evidence=evidence,
            moves=state.moves,
        )


_Answer = TypeVar("_Answer")


def _each(
    ask: Callable[[Sequence[Line]], list[_Answer]], lines: Sequence[Line]
) -> list[_Answer | NoAnswerError]:
    """The answers to a batch; where the certificate has none, the error in its place."""
    try:
        return list(ask(lines))
    except NoAnswerError as error:
        if len(lines) == 1:
            return [error]
    return [answer for line in lines for answer in _each(ask, [line])]
