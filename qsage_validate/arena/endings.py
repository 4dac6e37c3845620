"""The results of plays that have ended, with the verdict of the formula."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from qsage_validate.arena.play_state import (
    Final,
    PlayState,
    ask_each,
    is_undecided,
    resting_on,
    undecided,
)
from qsage_validate.arena.turns import Turns
from qsage_validate.certificates.oracles.oracle import NoAnswerError
from qsage_validate.errors import UndecidedError
from qsage_validate.strategies.readings import Assignment, VerdictReading
from qsage_validate.validation.finding import Evidence, Finding, FindingKind


class Endings:
    """Says how plays have ended; ``name`` gives the file's name of a variable or gate."""

    def __init__(self, turns: Turns, name: Callable[[int], str]) -> None:
        self._turns = turns
        self._name = name

    def of(self, states: Sequence[PlayState]) -> list[Final]:
        """The results of plays that have ended, with the verdict evaluated.

        Where the opponent cannot move by the rules, the formula may accept no move either.
        """
        decided = [state for state in states if not is_undecided(state)]
        readings = ask_each(
            self._turns.reader.verdicts, [self._claimed(state) for state in decided]
        )
        accepted = self._accepted_when_stuck(decided)
        finals = iter(
            self._ended(state, reading, accepted)
            for state, reading in zip(decided, readings, strict=True)
        )
        return [undecided(state) if is_undecided(state) else next(finals) for state in states]

    def _ended(
        self,
        state: PlayState,
        reading: VerdictReading | NoAnswerError | UndecidedError,
        accepted: Mapping[tuple[str, ...], tuple[Finding, ...]],
    ) -> Final:
        if isinstance(reading, UndecidedError):
            return replace(undecided(state), note=str(reading))
        if isinstance(reading, NoAnswerError):
            return self._final(state, None, str(reading), accepted)
        return self._final(state, reading.value, reading.note, accepted)

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
                assert self._turns.referee is not None, "it is stuck"
                assert state.position is not None, "by the rules"
                # A formula need not say here that moves are illegal which no position allows: it
                # has a constant for them.
                if verdicts is not None and self._turns.referee.game.can_ever_move(
                    self._turns.player.other
                ):
                    own = self._turns.referee.legality(state.position, verdicts, state.moves)
                    found[state.moves] = tuple(own)
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

    def _final(
        self,
        state: PlayState,
        verdict: bool | None,
        note: str,
        accepted: Mapping[tuple[str, ...], tuple[Finding, ...]],
    ) -> Final:
        ending = state.ending
        assert ending is not None, "the play has ended"
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
        resting = resting_on(state.guessed, findings)
        return Final(winner, ending.reason, promised, verdict, note, resting)

    def _verdict_finding(self, state: PlayState, note: str, expected: bool) -> Finding:
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
