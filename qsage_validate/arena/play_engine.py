"""Conducts plays: the certificate's answers, the boards, the rules beside them, the end.

The play engine works on :class:`PlayState` values, many at a time, and keeps what it has seen: a
thousand random plays share their beginnings, and going back and forth costs nothing.  A
person's match and the adversary are both written on top of it.

:class:`Endings` completes the ends of plays by the verdict of the formula.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, TypeVar

from qsage_validate.arena.frame import MatchOutcome, PlayState
from qsage_validate.certificates.oracle import NoAnswerError
from qsage_validate.encodings.layout import IllegalMoves, Layout, UnspecifiedLegality
from qsage_validate.errors import UndecidedError, UsageError
from qsage_validate.games.protocol import Player, Position, TwoPlayerGame
from qsage_validate.kernel.player import FindingKind
from qsage_validate.strategies.reader import (
    Assignment,
    BoardReading,
    CertificateReader,
    LayoutMove,
    Legality,
    StrategyAnswer,
    VerdictReading,
    knows_illegal,
    mover_of,
    plies_of,
)

if TYPE_CHECKING:
    from qsage_validate.strategies.guesses import Guesses
    from qsage_validate.validation.finding import Evidence, Finding
    from qsage_validate.validation.referee import Referee


# Whose turn it is in a play, and which moves there are: by the formula and by the rules


# Plays of which the legality of every move is kept.
_KEPT_PLAYS = 100_000


class Turns:
    """The turns of a certificate's plays, and the moves of each.

    With rules the rules say who moves, what the moves are and when a play has ended; the layout
    says how they are coded.  Where it has no ply any more and the game goes on, each player makes
    any legal move: the certificate's side must win with all of them, so that its opponent may
    choose for it.

    ``name`` gives the file's name of a variable or gate.  Where ``sparing``, codes that name no
    move are left alone: each would cost an answer.
    """

    def __init__(
        self,
        reader: CertificateReader,
        game: TwoPlayerGame | None,
        name: Callable[[int], str],
        sparing: bool,
    ) -> None:
        self.reader = reader
        self.layout: Layout = reader.layout
        self.game = game
        self._name = name
        self._sparing = sparing
        self._legality: dict[tuple[str, ...], Mapping[LayoutMove, Legality] | None] = {}
        self._on_board: Callable[[int], list[LayoutMove]] = cache(self._moves_said)
        self._sayable: Callable[[int], frozenset[str]] = cache(self._texts_said)
        self._says_all: Callable[[int], bool] = cache(self._all_said)

    @cached_property
    def referee(self) -> Referee | None:
        """Holds each ply against the rules, where there are some."""
        if self.game is None:
            return None
        from qsage_validate.validation.referee import Referee

        return Referee(self.game, self.layout, self._name)

    def ruled(self, state: PlayState) -> tuple[Referee, Position] | None:
        """Who holds a play against the rules, and its position by them; ``None`` without rules.

        From an illegal move on there is no position either.
        """
        if state.position is None or self.referee is None:
            return None
        return self.referee, state.position

    @property
    def player(self) -> Player:
        return self.reader.player

    @property
    def promised_verdict(self) -> bool:
        """The value of the verdict that the certificate promises."""
        return self.player is Player.BLACK

    @property
    def knows_legality(self) -> bool:
        """True if the formula can say which of the opponent's moves are legal."""
        return self.reader.knows_legality

    def knows_illegal(self, state: PlayState | None = None) -> bool:
        """True if illegal moves are known (in ``state``), by the formula or by the rules.

        The layout tells the meaning of a formula's silence (``UnspecifiedLegality``).
        """
        if state is None:
            return knows_illegal(self.reader, self.game)
        if self.layout.silence is UnspecifiedLegality.FREE:
            return self.knows_legality and self.legality(state) is not None
        return self.knows_legality or (self.game is not None and state.position is not None)

    @property
    def plies(self) -> int:
        """The largest number of plies of a play."""
        return plies_of(self.layout, self.game)

    def can_claim(self, ply: int) -> bool:
        """True if the opponent can claim a goal with a ply: the ply has a variable for it."""
        if ply > self.layout.plies or self.mover(ply) is self.player:
            return False
        stop = self.layout.moves[ply - 1].stop
        return stop is not None and abs(stop) in self.reader.opponent

    def forget(self) -> None:
        """Forget what was kept of plays so far, when it has become much."""
        if len(self._legality) > _KEPT_PLAYS:
            self._legality.clear()

    def has_won(self, state: PlayState, player: Player) -> bool:
        """True if ``player`` has won by the rules, as far as they are known."""
        outcome = None if state.position is None else state.position.outcome
        return outcome is not None and outcome.winner is player

    def mover(self, ply: int) -> Player:
        """The player of a ply (from 1)."""
        return mover_of(self.layout, self.game, ply)

    def tells(self, state: PlayState) -> bool:
        """True if a play has ended by the rules, or if no rules are known."""
        if self.game is None:
            return True
        return state.position is not None and state.position.outcome is not None

    def to_move(self, state: PlayState) -> Player | None:
        """Whose turn it is; ``None`` when the play has ended.

        Raises ``UsageError`` where the layout gives the ply to the other player than the rules.
        """
        if state.ending is not None:
            return None
        if state.position is None:
            return None if state.plies >= self.layout.plies else self.mover(state.plies + 1)
        player, ply = state.position.to_move, state.plies + 1
        if ply <= self.layout.plies and self.mover(ply) is not player:
            raise UsageError(
                f"the layout ({self.layout.source}) gives ply {ply} after "
                f"{' '.join(state.moves) or 'no move'} to {player.other}, expected {player}"
            )
        return player

    def is_open(self, state: PlayState) -> bool:
        """True if it is the certificate's turn and any legal move will do.

        Its opponent chooses then.  Tell with :meth:`answer_all` first what the certificate says.
        """
        if state.ending is not None or self.to_move(state) is not self.player:
            return False
        return state.replaced is not None or state.plies >= self.layout.plies

    # -- legality ---------------------------------------------------------------------------

    def candidates(self, state: PlayState) -> list[LayoutMove]:
        """Every move that the bits of the next ply can say, those off the board last.

        Where there are no bits it is the legal moves.
        """
        ply = state.plies + 1
        if ply > self.layout.plies:
            return self.legal_moves(state)
        return [*self._on_board(ply), *(() if self._sparing else self.reader.code.no_moves(ply))]

    def legality_all(
        self, states: Sequence[PlayState]
    ) -> list[Mapping[LayoutMove, Legality] | None]:
        """The formula's legality of every move of the opponent, who is to move in all states."""
        if states and states[0].plies >= self.layout.plies:
            return [None] * len(states)
        missing = list({s.moves: s for s in states if s.moves not in self._legality}.values())
        if missing:
            mover = self.mover(missing[0].plies + 1)
            assert mover is self.player.other, "the opponent is to move"
            moves = self.candidates(missing[0])
            found = self.reader.legality([state.assignment for state in missing], moves)
            for k, state in enumerate(missing):
                own = found[k]
                pairs = () if own is None else zip(moves, own, strict=True)
                said = {move: verdict for move, verdict in pairs if verdict is not None}
                self._legality[state.moves] = None if own is None else said
        return [self._legality[state.moves] for state in states]

    def legality(self, state: PlayState) -> Mapping[LayoutMove, Legality] | None:
        """The formula's legality of every move of the opponent, who is to move."""
        return self.legality_all([state])[0]

    def is_legal(self, state: PlayState, move: LayoutMove) -> bool:
        """True if the opponent's ``move`` is legal: by the rules, else by the formula.

        Where neither can tell, every move counts as legal.
        """
        player, ruled = self.to_move(state), self.ruled(state)
        if player is None:
            return False
        if ruled is not None:
            referee, position = ruled
            known = referee.move(move, player)
            return known is not None and referee.is_legal(position, known)
        verdicts = self.legality(state)
        if verdicts is None:
            return True
        verdict = verdicts.get(move)
        return self.reader.code.can_say(state.plies + 1, move) if verdict is None else verdict.legal

    def legal_moves(self, state: PlayState) -> list[LayoutMove]:
        """The opponent's legal moves, in the order of the actions and squares.

        Where the opponent chooses for the certificate, they are the certificate's.  Moves that the
        layout cannot say are not among them: see :meth:`examine_all`.
        """
        player, ruled = self.to_move(state), self.ruled(state)
        if player is None:
            return []
        if self.is_open(state) or state.plies >= self.layout.plies:
            return [] if ruled is None else _moves_by_rules(*ruled)
        if player is self.player:
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

    def find(self, state: PlayState, text: str) -> LayoutMove | None:
        """The move of the next ply whose text this is; ``None`` where there is no such move."""
        if self.is_open(state) or state.plies >= self.layout.plies:
            return next((m for m in self.legal_moves(state) if str(m) == text), None)
        return self.reader.code.find(state.plies + 1, text)

    def unsaid(self, state: PlayState) -> list[str]:
        """The opponent's legal moves, by the rules, for which the layout has no code.

        Without those that stand for others by symmetry.
        """
        ply = state.plies + 1
        if state.position is None or self.referee is None or ply > self.layout.plies:
            return []
        if self.to_move(state) is not self.player.other or self._says_all(ply):
            return []
        return self.referee.unsaid(state.position, self._sayable(ply))

    def _moves_said(self, ply: int) -> list[LayoutMove]:
        """The moves of a ply that have a code, in a fixed order."""
        code = self.reader.code
        return [move for move in code.moves(ply) if code.can_say(ply, move)]

    def _texts_said(self, ply: int) -> frozenset[str]:
        return frozenset(map(str, self._on_board(ply)))

    def _all_said(self, ply: int) -> bool:
        """True if every move of the ply's player has a code."""
        if self.game is None or not self.game.lists_moves:
            return False
        return self._sayable(ply).issuperset(map(str, self.game.moves(self.mover(ply))))

    def is_stuck(self, state: PlayState) -> bool:
        """True if it is the opponent's turn in the formula, and the rules leave it no move."""
        if self.referee is None or state.position is None or state.plies >= self.layout.plies:
            return False
        outcome = state.position.outcome
        opponents = self.mover(state.plies + 1) is not self.player
        return outcome is not None and outcome.stuck and opponents


def _moves_by_rules(referee: Referee, position: Position) -> list[LayoutMove]:
    """The legal moves of the player to move, whether or not the layout can say them."""
    texts = [str(move) for move in position.legal_moves()]
    return [LayoutMove(text, referee.game.square_of(text)) for text in texts]


# Conducts plays: the certificate's answers, the boards, the rules beside them, the end


_Answer = TypeVar("_Answer")


class Endings:
    """Asks the formula how plays have ended; ``name`` is the file's of a variable or gate."""

    def __init__(self, turns: Turns, name: Callable[[int], str]) -> None:
        self._turns = turns
        self._name = name

    def of(self, states: Sequence[PlayState]) -> list[PlayState]:
        """Plays that have ended, with the verdict evaluated and what is found at the end.

        Where the opponent cannot move by the rules, the formula may accept no move either.
        """
        decided = [state for state in states if not state.undecided]
        readings = _ask_each(
            self._turns.reader.verdicts, [self._claimed(state) for state in decided]
        )
        accepted = self._accepted_when_stuck(decided)
        ended = iter(
            self._ended(state, reading, accepted)
            for state, reading in zip(decided, readings, strict=True)
        )
        return [state if state.undecided else next(ended) for state in states]

    def _ended(
        self,
        state: PlayState,
        reading: VerdictReading | NoAnswerError | UndecidedError,
        accepted: Mapping[tuple[str, ...], tuple[Finding, ...]],
    ) -> PlayState:
        if isinstance(reading, UndecidedError):
            unknown = replace(state.end, winner=None, verdict_note=str(reading))
            return replace(state, ending=unknown)
        if isinstance(reading, NoAnswerError):
            return self._judged(state, None, str(reading), accepted)
        return self._judged(state, reading.value, reading.note, accepted)

    def _accepted_when_stuck(
        self, states: Sequence[PlayState]
    ) -> Mapping[tuple[str, ...], tuple[Finding, ...]]:
        """The findings for plays in which the opponent is stuck but the formula accepts moves."""
        found: dict[tuple[str, ...], tuple[Finding, ...]] = {}
        by_plies: dict[int, list[PlayState]] = {}
        for state in states:
            if self._turns.is_stuck(state):
                by_plies.setdefault(state.plies, []).append(state)
        for stuck in by_plies.values():
            for state, verdicts in zip(stuck, self._turns.legality_all(stuck), strict=True):
                ruled = self._turns.ruled(state)
                # A formula need not say here that moves are illegal which no position allows: it
                # has a constant for them.
                if ruled is None or verdicts is None:
                    continue
                referee, position = ruled
                if referee.game.can_ever_move(self._turns.player.other):
                    found[state.moves] = tuple(referee.legality(position, verdicts, state.moves))
        return found

    def _claimed(self, state: PlayState) -> Assignment:
        """The assignment with the opponent's game-stop set where the rules say that it has won."""
        outcome = None if state.position is None else state.position.outcome
        if outcome is None or outcome.winner is self._turns.player or not state.plies:
            return state.assignment
        literal = next(
            (
                ply.stop
                for ply in self._turns.layout.moves[state.plies - 1 :]
                if ply.player is not self._turns.player
                and ply.stop is not None
                and abs(ply.stop) in self._turns.reader.opponent
                # A claim goes with the ply that wins, or takes the place of one after it.
                and (ply.ply > state.plies if ply.stop_instead else ply.ply == state.plies)
            ),
            None,
        )
        if literal is None:
            return state.assignment
        stop = {abs(literal): literal > 0}
        return replace(state.assignment, choice={**state.assignment.choice, **stop})

    def _judged(
        self,
        state: PlayState,
        verdict: bool | None,
        note: str,
        accepted: Mapping[tuple[str, ...], tuple[Finding, ...]],
    ) -> PlayState:
        ending = state.end
        expected = self._turns.promised_verdict
        kept = None if verdict is None else verdict is expected
        winner = ending.winner
        if winner is None and kept is not None:
            winner = self._turns.player if kept else self._turns.player.other
        findings = list(accepted.get(state.moves, ()))
        outcome = None if state.position is None else state.position.outcome
        if outcome is not None and self._turns.referee is not None:
            finding = self._turns.referee.end(outcome, self._turns.player, state.plies, state.moves)
            findings += [] if finding is None else [finding]
        if kept is False:
            findings.append(self._verdict_finding(state, note, expected))
        promised = None if winner is None else winner is self._turns.player and kept is not False
        if promised and not ending.by_rules:
            promised = None
        return replace(
            state,
            ending=replace(
                ending, winner=winner, promised=promised, verdict=verdict, verdict_note=note
            ),
            findings=state.findings + _resting_on(state.guessed, findings),
        )

    def _verdict_finding(self, state: PlayState, note: str, expected: bool) -> Finding:
        from qsage_validate.validation.finding import Evidence, Finding

        literal = self._turns.layout.verdict
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


class PlayEngine(Turns):
    """Plays of one certificate, step by step, by the turns of :class:`Turns`.

    ``gates`` gives the literals to be read on every square after a ply; ``guesses`` tells which
    replies rest on values that no play gives; ``watch`` looks at new states, and adds what it
    finds.
    """

    def __init__(
        self,
        reader: CertificateReader,
        game: TwoPlayerGame | None = None,
        *,
        name: Callable[[int], str] = str,
        gates: Callable[[int], Sequence[int]] = lambda plies: (),
        guesses: Guesses | None = None,
        watch: Callable[[Sequence[PlayState]], list[PlayState]] = list,
        sparing: bool = False,
    ) -> None:
        super().__init__(reader, game, name, sparing)
        self._name = name
        self._gates = gates
        self._guesses = guesses
        self._watch = watch
        self._illegal_replies = self.layout.illegal_replies(self.player)
        self._endings = Endings(self, name)

    def opponent_moves(self, moves: Sequence[str]) -> list[str]:
        """The moves that the opponent chooses, among all moves of a play from ply 1 on.

        These are its own moves, and those that it chooses for the certificate.
        """
        own = [
            ply > self.layout.plies or self.mover(ply) is not self.player
            for ply in range(1, len(moves) + 1)
        ]
        if self._illegal_replies is IllegalMoves.REPLACED and self.game is not None:
            own = self._own(moves, own)
        return [move for move, is_own in zip(moves, own, strict=True) if is_own]

    def _own(self, moves: Sequence[str], own: Sequence[bool]) -> list[bool]:
        """The same where illegal replies are replaced: the play is played to know."""
        state, found = self.start(), list(own)
        for number, text in enumerate(moves):
            if state.ending is None and self.to_move(state) is self.player:
                (state,) = self.answer_all([state])
                if not self.is_open(state):
                    continue
                found[number] = True
            move = None if state.ending is not None else self.find(state, text)
            if move is None:
                break  # What is let happen, or claimed, comes last.
            state = self.play(state, move)
        return found

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
        Moves that the opponent chooses for the certificate must be legal.
        """
        return self._look([self._after(state, move, stop) for state, move in moves])

    def branches(
        self, plays: Iterable[tuple[int, PlayState]]
    ) -> list[tuple[int, LayoutMove, PlayState]]:
        """The opponent's legal moves in numbered plays: number, move and state after each.

        Where the opponent chooses for the certificate, they are the certificate's.
        """
        tries = [(k, state, move) for k, state in plays for move in self.legal_moves(state)]
        after = self.play_all([(state, move) for _, state, move in tries])
        return [(k, move, new) for (k, _, move), new in zip(tries, after, strict=True)]

    def _after(self, state: PlayState, move: LayoutMove, stop: bool) -> PlayState:
        player, ruled = self.to_move(state), self.ruled(state)
        if player is None:
            raise UsageError(f"found {move}, expected no move: the play has ended")
        if player is self.player or state.plies >= self.layout.plies:
            return self._by_rules(state, move, player)
        illegal = state.illegal or not self.is_legal(state, move)
        position = None
        if ruled is not None and not illegal:
            referee, before = ruled
            position = referee.play(before, move, player)
        assignment = self._told(self.reader.with_move(state.assignment, move, stop=stop), position)
        after = _moved(state, assignment, move, stopped=stop)
        return replace(after, position=position, illegal=illegal)

    def _by_rules(self, state: PlayState, move: LayoutMove, player: Player) -> PlayState:
        """The state after a legal move for which the formula has no code."""
        ruled = self.ruled(state)
        if ruled is None or not self.is_legal(state, move):
            raise UsageError(f"{move} is no legal move of {player}, and the formula cannot say it")
        referee, before = ruled
        position = referee.play(before, move, player)
        if state.replaced is None:
            assignment = replace(state.assignment, plies=state.assignment.plies + 1)
        else:
            assignment = self.reader.with_answer(state.assignment, state.replaced)
        after = _moved(state, self._told(assignment, position), move)
        return replace(after, position=position, replaced=None, chosen=player is self.player)

    def answer_all(self, states: Sequence[PlayState]) -> list[PlayState]:
        """The states after the certificate's ply; it is its turn in all of them.

        Where any legal move will do (:meth:`is_open`) there is no ply yet.
        """
        asked = iter(self._ask([state for state in states if not self.is_open(state)]))
        return [self._any_will_do(s) if self.is_open(s) else next(asked) for s in states]

    def _any_will_do(self, state: PlayState) -> PlayState:
        why = f"The layout has no ply {state.plies + 1}: any legal move of {self.player}'s will do."
        return replace(state, remark=why, asked=True) if state.replaced is None else state

    def _ask(self, states: Sequence[PlayState]) -> list[PlayState]:
        answers = _ask_each(self.reader.answers, [state.assignment for state in states])
        if self._guesses is not None:
            states = self._guessed(self._guesses, states)
        after = [
            self._silent(state, answer)
            if isinstance(answer, (NoAnswerError, UndecidedError))
            else self._answered(state, answer)
            for state, answer in zip(states, answers, strict=True)
        ]
        moved = [new.plies > old.plies for new, old in zip(after, states, strict=True)]
        looked = iter(
            self._look([new for new, is_made in zip(after, moved, strict=True) if is_made])
        )
        return [next(looked) if m else state for state, m in zip(after, moved, strict=True)]

    @staticmethod
    def _guessed(guesses: Guesses, states: Sequence[PlayState]) -> list[PlayState]:
        """The states, in which is noted whether the next reply rests on a guess."""
        found = guesses.of([state.assignment for state in states])
        pairs = zip(states, found, strict=True)
        return [replace(s, guessed=tuple(sorted({*s.guessed, *more}))) for s, more in pairs]

    def _silent(self, state: PlayState, error: NoAnswerError | UndecidedError) -> PlayState:
        """There is no answer: the play ends where it is, refuted unless a limit was reached."""
        from qsage_validate.validation.finding import Finding

        if isinstance(error, UndecidedError):
            ending = MatchOutcome(None, f"no answer in time: {error}", undecided=True)
            return replace(state, ending=ending, position=None, last=None)
        finding = Finding(
            FindingKind.CERTIFICATE_SILENT,
            state.plies,
            str(error),
            player=self.player,
            moves=state.moves,
        )
        ending = MatchOutcome(self.player.other, "the certificate has no answer")
        return replace(state, ending=ending, findings=(finding,), position=None, last=None)

    def _answered(self, state: PlayState, answer: StrategyAnswer) -> PlayState:
        if answer.stop and self.layout.moves[state.plies].stop_instead:
            return self._claims(state, answer)
        finding = self._judge(state, answer)
        if finding is not None and self._may_let_be(state):
            return self._let_be(state, answer, finding)
        after = self._replied(state, answer)
        if finding is not None:
            reason = f"the certificate's reply {after.moves[-1]} is no legal move"
            ending = MatchOutcome(self.player.other, reason)
            return replace(after, position=None, findings=(finding,), ending=ending)
        ruled = self.ruled(state)
        if ruled is None or answer.move is None:
            return replace(after, position=None)
        referee, before = ruled
        position = referee.play(before, answer.move, self.player)
        return replace(after, assignment=self._told(after.assignment, position), position=position)

    def _replied(self, state: PlayState, answer: StrategyAnswer) -> PlayState:
        """The state after a reply, with the position before it."""
        assignment = self.reader.with_answer(state.assignment, answer)
        return _moved(state, assignment, answer.move, stopped=answer.stop)

    def _told(self, assignment: Assignment, position: Position | None) -> Assignment:
        """The assignment in which Black tells the position, where White's replies read it."""
        if position is None or not self.reader.reads_atoms or self.game is None:
            return assignment
        return self.reader.with_atoms(assignment, self.game.atoms(position))

    def _may_let_be(self, state: PlayState) -> bool:
        """True if the layout lets a play go on after a reply that is no legal move.

        A layout that says ``IGNORED`` is believed if the game has a pass that is never better than
        a move.  Positional games have such a pass, other games have none.
        """
        if self._illegal_replies is IllegalMoves.IGNORED:
            return state.position is None or self._passed(state) is not None
        return self._illegal_replies is IllegalMoves.REPLACED

    def _passed(self, state: PlayState) -> Position | None:
        """The position after a ply that did nothing; ``None`` where the game has no such ply."""
        if self.game is None or state.position is None:
            return None
        return self.game.passed(state.position)

    def _let_be(self, state: PlayState, answer: StrategyAnswer, finding: Finding) -> PlayState:
        """The state after a reply that is no legal move, which the formula does not mind."""
        passes = self._illegal_replies is IllegalMoves.IGNORED
        if not passes and state.position is not None:
            what = f"any legal move of {self.player}'s will do in its place"
            remark = f"{finding.detail}: {what}."
            return replace(state, replaced=answer, asked=True, remark=remark)
        after = self._replied(state, answer)
        if not passes:
            reason = f"{self.player} may make any legal move, for the formula replaces its reply"
            ending = MatchOutcome(None, f"{reason} ({finding.detail})", by_rules=False)
            return replace(after, ending=ending, remark=state.remark)
        remark = f"It claims nothing, and any claim will do: {finding.detail}."
        passed = self._passed(state)
        assignment = self._told(after.assignment, passed)
        return replace(after, assignment=assignment, remark=remark, position=passed)

    def _claims(self, state: PlayState, answer: StrategyAnswer) -> PlayState:
        """The certificate claims to have won before its ply, which then does not happen."""
        after = _moved(state, self.reader.with_answer(state.assignment, answer), None, stopped=True)
        return replace(after, moves=(*state.moves, "stop"))

    def _judge(self, state: PlayState, answer: StrategyAnswer) -> Finding | None:
        if state.illegal:
            return None  # The certificate has won already: it may answer anything.
        if answer.move is None:
            from qsage_validate.validation.differences import unreadable
            from qsage_validate.validation.finding import Evidence

            evidence = tuple(
                Evidence(v, self._name(v), value, "move bit") for v, value in answer.values.items()
            )
            return unreadable(answer, self.player, evidence, state.moves)
        ruled = self.ruled(state)
        if ruled is None:
            return None
        referee, position = ruled
        return referee.answer(position, answer, state.moves)

    # -- looking at the board and the end ---------------------------------------------------

    def _look(self, states: list[PlayState]) -> list[PlayState]:
        """Read the boards of states with the same number of plies; find ends and differences."""
        if not states:
            return []
        wanted = self._gates(states[0].plies)
        readings = _ask_each(
            lambda plays: self.reader.boards(plays, wanted), [state.assignment for state in states]
        )
        return self._watch(
            [
                self._silent(state, reading)
                if isinstance(reading, (NoAnswerError, UndecidedError))
                else self._compare(replace(state, reading=self._drawn(state, reading)))
                for state, reading in zip(states, readings, strict=True)
            ]
        )

    def _drawn(self, state: PlayState, reading: BoardReading) -> BoardReading:
        return reading if self.referee is None else self.referee.drawn(state.position, reading)

    def _differences(self, state: PlayState) -> tuple[Finding | None, frozenset[object]]:
        """The differences between the formula's position and that of the rules."""
        referee, position, reading = self.referee, state.position, state.reading
        told = reading.atoms is not None or reading.board is not None
        if referee is None or position is None or not told:
            return None, state.known_differences
        finding = referee.position(position, reading, state.plies, state.moves)
        return finding, frozenset(referee.differences(position, reading))

    def _compare(self, state: PlayState) -> PlayState:
        findings = list(state.findings)
        finding, differences = self._differences(state)
        # A fault persists: it is reported when it first occurs.
        if finding is not None and not differences <= state.known_differences:
            findings.append(finding)
        ending = state.ending or self._ending(state)
        if ending is not None and state.stopped and state.position is not None:
            findings += self._false_claim(state)
        return replace(
            state,
            ending=ending,
            findings=_resting_on(state.guessed, findings),
            known_differences=differences,
        )

    def _ending(self, state: PlayState) -> MatchOutcome | None:
        mover = self.mover(state.plies) if state.plies else None
        if state.position is not None and state.position.outcome is not None:
            outcome = state.position.outcome
            return MatchOutcome(outcome.winner, outcome.reason)
        if state.stopped and mover is not None:
            if state.position is None:
                return MatchOutcome(None, f"{mover} claims the goal")
            return MatchOutcome(mover.other, f"{mover} claims a goal that is not reached")
        vanished = state.board is None and self.layout.state.is_board
        if state.illegal and vanished and mover is self.player.other:
            return MatchOutcome(self.player, f"{mover}'s illegal move leaves no state")
        if state.position is None and state.plies >= self.layout.plies:
            after = f" after {self.player.other}'s illegal move" if state.illegal else ""
            return MatchOutcome(None, f"all plies are played{after}")
        return None

    def _false_claim(self, state: PlayState) -> list[Finding]:
        mover, ruled = self.mover(state.plies), self.ruled(state)
        if mover is not self.player or ruled is None or self.has_won(state, mover):
            return []
        stop = self.layout.moves[state.plies - 1].stop
        return [ruled[0].said.claim(mover, stop, state.plies, state.moves)]

    # -- the opponent's moves, looked at -----------------------------------------------------

    def examine_all(self, states: Sequence[PlayState]) -> list[PlayState]:
        """States in which the opponent is to move, with its moves looked at.

        Adds the moves for which the layout has no code, and the differences between formula and
        rules; without rules, ends the play of an opponent who cannot move.
        """
        verdicts = self.legality_all(states)
        return [self._examined(s, v) for s, v in zip(states, verdicts, strict=True)]

    def _examined(
        self, state: PlayState, verdicts: Mapping[LayoutMove, Legality] | None
    ) -> PlayState:
        ruled = self.ruled(state)
        if ruled is not None:
            return self._compared(state, verdicts, *ruled)
        if not self.legal_moves(state):
            reason = f"{self.player.other} has no legal move"
            return self._watch([replace(state, ending=MatchOutcome(self.player, reason))])[0]
        return state

    def _compared(
        self,
        state: PlayState,
        verdicts: Mapping[LayoutMove, Legality] | None,
        referee: Referee,
        position: Position,
    ) -> PlayState:
        found: list[Finding] = []
        unsaid = self.unsaid(state)
        if unsaid:
            found.append(referee.said.no_code(position, unsaid, state.moves))
        if verdicts is not None:
            found += referee.legality(position, verdicts, state.moves)
        if not found:
            return state
        findings = (*state.findings, *_resting_on(state.guessed, found))
        ending = None
        if unsaid and not self.legal_moves(state):
            reason = f"no legal move of {self.player.other}'s has a code"
            ending = MatchOutcome(None, reason, by_rules=False)
        return replace(state, findings=findings, ending=ending)

    # -- the end ----------------------------------------------------------------------------

    def finish_all(self, states: Sequence[PlayState]) -> list[PlayState]:
        """Plays that have ended, with the verdict evaluated: see :meth:`Endings.of`."""
        return self._endings.of(states)


def _moved(
    state: PlayState, assignment: Assignment, move: LayoutMove | None, *, stopped: bool = False
) -> PlayState:
    """A play after one ply more, which ``?`` stands for where it is no move."""
    return replace(
        state,
        assignment=assignment,
        moves=(*state.moves, "?" if move is None else str(move)),
        findings=(),
        stopped=stopped,
        last=move,
        remark="",
        asked=False,
        chosen=False,
    )


def _resting_on(guessed: tuple[int, ...], findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings of a play that rests on guesses.

    That the matrix has the wrong value after such moves of the opponent's is no guess.
    """
    if not guessed:
        return tuple(findings)
    return tuple(
        f if f.kind is FindingKind.VERDICT_DIFFERS else replace(f, guessed=guessed)
        for f in findings
    )


def _ask_each(
    ask: Callable[[Sequence[Assignment]], list[_Answer]], assignments: Sequence[Assignment]
) -> list[_Answer | NoAnswerError | UndecidedError]:
    """The answers to a batch; an error takes the place of an answer that failed."""
    try:
        return list(ask(assignments))
    except (NoAnswerError, UndecidedError) as error:
        if len(assignments) == 1:
            return [error]
    return [answer for assignment in assignments for answer in _ask_each(ask, [assignment])]
