"""Opponents of rules for impartial games: many random plays, and all states up to a bound.

Rules answer by the state alone, so that all plays are covered by looking at each state once:
the reply to it, and every move against that reply.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from qsage_validate.arena.adversary import KEPT_FINDINGS
from qsage_validate.games.impartial.legality import illegality
from qsage_validate.games.impartial.moves import State
from qsage_validate.games.impartial.rules import Move
from qsage_validate.games.protocol import Player
from qsage_validate.problems.heaps import HeapProblem, bounded_states, random_state
from qsage_validate.synthesis.checks.search_check import search_check
from qsage_validate.system.limits import Deadline
from qsage_validate.validation.finding import Finding, FindingKind
from qsage_validate.validation.heap_referee import HeapReferee, Objection

MAX_PLIES: Final = 5_000
"""A random play that goes on for longer than this, and than a play could go on in which each
move takes a token, is left undecided."""

REPETITIONS: Final = 3
"""A random play that is in a state for the third time, with the same player to move, is left
undecided: a strategy that looks at the state alone does the same each time."""

SEARCHED: Final = 200
"""So many of the smallest states are searched as well."""

_SEARCH_SECONDS = 10.0
_TELL_EVERY = 64


@dataclass
class Findings:
    """What was found, each thing once; all are counted, the first ones kept."""

    total: int = 0
    kept: list[Finding] = field(default_factory=list)
    _seen: set[tuple[FindingKind, str, str | None]] = field(default_factory=set)

    def add(self, finding: Finding) -> None:
        """Take note of a finding, unless it is known."""
        key = (finding.kind, finding.detail, finding.rule)
        if key in self._seen:
            return
        self._seen.add(key)
        self.total += 1
        if len(self.kept) < KEPT_FINDINGS:
            self.kept.append(finding)

    def as_json(self) -> dict[str, object]:
        """The findings and their number."""
        return {
            "findings": [finding.as_json() for finding in self.kept],
            "findings_total": self.total,
        }


@dataclass
class RandomReport:
    """Random plays against the strategy, which plays Black.

    ``won`` are those that Black won; ``lost`` those that Black lost although the formula had
    promised a win, ``given`` those lost without such a promise: White began in a winning state
    and made no mistake.  ``undecided`` did not end.
    """

    games: int
    seed: int
    won: int = 0
    lost: int = 0
    given: int = 0
    undecided: int = 0
    plies: int = 0
    illegal_tried: int = 0
    illegal_flagged: int = 0
    seconds: float = 0.0
    found: Findings = field(default_factory=Findings)

    def as_json(self) -> dict[str, object]:
        """The summary, for ``--json``."""
        return {
            "games": self.games,
            "seed": self.seed,
            "won": self.won,
            "lost": self.lost,
            "given": self.given,
            "undecided": self.undecided,
            "plies": self.plies,
            "illegal_tried": self.illegal_tried,
            "illegal_flagged": self.illegal_flagged,
            "seconds": round(self.seconds, 3),
            **self.found.as_json(),
        }


@dataclass
class ExhaustiveReport:
    """All states up to a bound, the reply to each and all moves against the reply.

    ``labelled`` are the states for which backward induction has an answer, ``searched`` those
    for which a search was asked as well.
    """

    bound: int
    states: int = 0
    winning: int = 0
    replies: int = 0
    answers: int = 0
    labelled: int = 0
    searched: int = 0
    seconds: float = 0.0
    found: Findings = field(default_factory=Findings)

    def as_json(self) -> dict[str, object]:
        """The summary, for ``--json``."""
        return {
            "bound": self.bound,
            "states": self.states,
            "winning": self.winning,
            "replies": self.replies,
            "opponent_moves": self.answers,
            "labelled": self.labelled,
            "searched": self.searched,
            "seconds": round(self.seconds, 3),
            **self.found.as_json(),
        }


Progress = Callable[[int, int], None]


class HeapAdversary:
    """Plays against the strategy of ``problem``, with a referee beside it."""

    def __init__(self, problem: HeapProblem) -> None:
        self.problem = problem
        self.rules = problem.rules
        self.strategy = problem.strategy
        self.referee = HeapReferee(problem.strategy)

    # -- random plays -----------------------------------------------------------------------

    def run(
        self,
        games: int,
        *,
        seed: int,
        bound: int,
        start: State | None = None,
        first: Player | None = None,
        illegal: float = 0.0,
        progress: Progress = lambda done, of: None,
    ) -> RandomReport:
        """Many plays with a random White, each with random numbers of its own.

        They begin in ``start`` or in random states up to ``bound``; ``first`` begins, or who
        lets the strategy win.  ``illegal`` is how often White tries an illegal move first.
        """
        report = RandomReport(games, seed)
        began = time.perf_counter()
        for number in range(games):
            generator = random.Random(f"{seed} {number}")
            state = start or random_state(self.rules, bound, generator)
            self._play(report, state, first or self.problem.begins(state), generator, illegal)
            if not number % _TELL_EVERY:
                progress(number, games)
        report.seconds = time.perf_counter() - began
        return report

    def _play(
        self,
        report: RandomReport,
        start: State,
        first: Player,
        generator: random.Random,
        illegal: float,
    ) -> None:
        replay = self.problem.replay(start, first)
        state, mover, before = start, first, None
        own: list[str] = []
        moves: list[str] = []
        promised = False

        def find(objections: Iterable[Objection]) -> None:
            for one in objections:
                report.found.add(_finding(one, len(moves), moves, replay(own)))

        visits: Counter[tuple[State, Player]] = Counter()
        longest = max(MAX_PLIES, sum(map(abs, start)) + 1)
        while len(moves) < longest:
            visits[state, mover] += 1
            if visits[state, mover] == REPETITIONS:
                break
            find(self.referee.state(state, before))
            legal = list(self.rules.moves(state))
            if not legal:
                loser = mover.other if self.rules.misere else mover
                report.plies += len(moves)
                if loser is not Player.BLACK:
                    report.won += 1
                elif promised:
                    report.lost += 1
                    rule = ", which wins in misère play" if self.rules.misere else ""
                    detail = f"White wins: {mover} cannot move{rule}"
                    find([Objection(FindingKind.END_DIFFERS, detail)])
                else:
                    report.given += 1
                return
            promised |= self.strategy.winning(state) is (mover is Player.BLACK)
            if mover is Player.WHITE:
                if generator.random() < illegal:
                    find(self._try_illegal(report, state, legal, generator))
                move = generator.choice(legal)
                own.append(str(move))
            else:
                reply = self.strategy.reply(state)
                assert reply is not None, "there is a legal move"
                objections = self.referee.reply(state, reply)
                move = reply.move
                moves.append(str(move))
                find(objections)
                moves.pop()
                if any(o.kind is FindingKind.ILLEGAL_REPLY for o in objections):
                    report.lost += 1
                    return
            moves.append(str(move))
            state, before, mover = move.after, state, mover.other
        report.undecided += 1
        report.plies += len(moves)

    def _try_illegal(
        self,
        report: RandomReport,
        state: State,
        legal: Sequence[Move],
        generator: random.Random,
    ) -> list[Objection]:
        """Try a random action; what the preconditions and the list of moves say must agree."""
        action = generator.choice(self.rules.game.actions)
        most = max(map(abs, state)) + 2
        chosen = tuple(generator.randint(-1, most) for _ in action.parameters)
        listed = any(m.name == action.name and m.arguments == chosen for m in legal)
        problem = illegality(self.rules, state, action.name, chosen)
        report.illegal_tried += not listed
        report.illegal_flagged += problem is not None
        if listed is (problem is None):
            return []
        shown = f"{action.name}({','.join(map(str, chosen))})"
        detail = f"{shown} is {'' if listed else 'not '}listed as legal, but " + (
            "no precondition fails" if problem is None else problem.text
        )
        return [Objection(FindingKind.LEGALITY_DIFFERS, detail)]

    # -- all states -------------------------------------------------------------------------

    def exhaust(
        self, bound: int, *, progress: Progress = lambda done, of: None
    ) -> ExhaustiveReport:
        """Every state with variables up to ``bound``, every reply, every move against it."""
        report = ExhaustiveReport(bound)
        began = time.perf_counter()
        states = sorted(bounded_states(self.rules, bound), key=lambda s: (sum(map(abs, s)), s))
        for number, state in enumerate(states):
            self._look_at(report, state)
            if not number % _TELL_EVERY:
                progress(number, len(states))
        said = ((s, self.strategy.winning(s)) for s in states[:SEARCHED])
        report.searched, wrong = search_check(self.rules, said, Deadline.after(_SEARCH_SECONDS))
        if wrong is not None and not self.referee.state(wrong):
            detail = "a search finds the other winner of this state than the formula"
            self._note(report, wrong, Player.WHITE, [Objection(_DIFFERS, detail)])
        report.seconds = time.perf_counter() - began
        return report

    def _look_at(self, report: ExhaustiveReport, state: State) -> None:
        report.states += 1
        report.winning += self.strategy.winning(state)
        report.labelled += self.referee.truth(state) is not None
        self._note(report, state, Player.WHITE, self.referee.state(state))
        reply = self.strategy.reply(state)
        if reply is None:
            return
        report.replies += 1
        objections = self.referee.reply(state, reply)
        self._note(report, state, Player.BLACK, objections, str(reply.move))
        if any(one.kind is FindingKind.ILLEGAL_REPLY for one in objections):
            return
        after = reply.move.after
        for move in self.rules.moves(after):
            report.answers += 1
            wrong = self.referee.state(move.after, after)
            self._note(report, state, Player.BLACK, wrong, str(reply.move), str(move))

    def _note(
        self,
        report: ExhaustiveReport,
        state: State,
        first: Player,
        objections: Iterable[Objection],
        *moves: str,
    ) -> None:
        """Findings in a play from ``state``; Black has made the first of ``moves``."""
        for one in objections:
            command = self.problem.replay(state, first)(moves[1:])
            report.found.add(_finding(one, len(moves), moves, command))


_DIFFERS = FindingKind.FORMULA_DIFFERS


def _finding(one: Objection, ply: int, moves: Sequence[str], replay: str) -> Finding:
    return Finding(
        one.kind,
        ply,
        one.detail,
        player=Player.BLACK,
        move=moves[-1] if moves else None,
        rule=one.rule,
        moves=tuple(moves),
        replay=replay,
    )
