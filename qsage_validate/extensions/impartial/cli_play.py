"""``qsage play`` on an impartial game, against rules; and the opponents that attack these.

Rules answer by the state alone, so that all plays are covered by looking at each state once:
the reply to it, and every move against that reply.
"""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from qsage_validate.arena.adversary import Adversary, AdversaryReport, Findings, PlayResults
from qsage_validate.cli.common import narrate
from qsage_validate.cli.play.attacks import (
    by_hand,
    finding_lines,
    random_lines,
    run_adversary,
    show,
    tell_random,
)
from qsage_validate.cli.play.modes import script
from qsage_validate.cli.play.play_options import (
    GAMES,
    HeapOptions,
    PlayMode,
    PlayOptions,
    PlayTable,
)
from qsage_validate.errors import Exit, UsageError, counted, one_line
from qsage_validate.extensions.impartial.problem import (
    HeapProblem,
    HeapReferee,
    Objection,
    bounded_states,
    random_state,
)
from qsage_validate.extensions.impartial.rules import (
    ImpartialMove,
    ImpartialRules,
    State,
    illegality,
)
from qsage_validate.extensions.impartial.strategy import search_check
from qsage_validate.games.protocol import Player
from qsage_validate.system.limits import Deadline, Progress
from qsage_validate.validation.finding import Finding, FindingKind

if TYPE_CHECKING:
    from qsage_validate.extensions.impartial.model import ImpartialGame


# Opponents of rules for impartial games: many random plays, and all states up to a bound


MAX_PLIES: Final = 5_000
"""A random play that goes on for longer than this, and than a play could go on in which each
move takes a token, is left undecided."""

REPETITIONS: Final = 3
"""A random play that is in a state for the third time, with the same player to move, is left
undecided: a strategy that looks at the state alone does the same each time."""

SEARCHED: Final = 200
"""The number of the smallest states that are searched as well."""

_SEARCH_SECONDS = 10.0
_TELL_EVERY = 64


def _fact(finding: Finding) -> Hashable:
    """Rules answer by the state: what is wrong with a state or reply is one thing in all plays."""
    return finding.kind, finding.detail, finding.rule


def heaps_json(report: AdversaryReport) -> dict[str, object]:
    """The summary of random plays, for ``--json``."""
    return {
        "games": report.games,
        "seed": report.seed,
        "won": report.wins,
        "lost": report.losses,
        "given": report.results.given,
        "undecided": report.undecided,
        "plies": report.results.plies,
        "illegal_tried": report.results.tried,
        "illegal_flagged": report.results.flagged,
        "seconds": round(report.seconds, 3),
        **_found_json(report.results.findings),
    }


def _found_json(found: Findings) -> dict[str, object]:
    return {"findings": [finding.to_dict() for finding in found.kept], "findings_total": len(found)}


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
    found: Findings = field(default_factory=lambda: Findings(_fact))

    def to_dict(self) -> dict[str, object]:
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
            **_found_json(self.found),
        }


PlaysCounted = Callable[[int, int], None]


class HeapAdversary(Adversary):
    """Plays against the strategy of ``problem``, which plays Black, with a referee beside it.

    Plays begin in ``start`` or in random states up to ``bound``; ``first`` begins, or who lets
    the strategy win.  ``illegal`` is how often White tries an illegal move first.  A play is lost
    where the formula had promised a win; without such a promise it is given: White began in a
    winning state and made no mistake.
    """

    batch = 64

    def __init__(
        self,
        problem: HeapProblem,
        *,
        seed: int,
        bound: int,
        start: State | None = None,
        first: Player | None = None,
        illegal: float = 0.0,
    ) -> None:
        super().__init__(seed)
        self._problem = problem
        self._rules = problem.rules
        self._strategy = problem.strategy
        self._referee = HeapReferee(problem.strategy)
        self._bound = bound
        self._start = start
        self._first = first
        self._illegal = illegal

    def play(self, numbers: Sequence[int]) -> PlayResults:
        results = PlayResults(findings=Findings(_fact))
        for number in numbers:
            generator = random.Random(f"{self.seed} {number}")
            state = self._start or random_state(self._rules, self._bound, generator)
            moves: list[str] = []
            self._play(results, state, moves, generator)
            results.texts.append(" ".join(moves))
        return results

    def _play(
        self, results: PlayResults, start: State, moves: list[str], generator: random.Random
    ) -> None:
        """One play; ``moves`` are noted."""
        first = self._first or self._problem.begins(start)
        replay = self._problem.replay(start, first)
        state, mover, before = start, first, None
        own: list[str] = []
        promised = False

        def find(objections: Iterable[Objection]) -> None:
            played = tuple(moves)
            results.findings.add(_finding(x, len(moves), played, replay(own)) for x in objections)

        visits: Counter[tuple[State, Player]] = Counter()
        longest = max(MAX_PLIES, sum(map(abs, start)) + 1)
        while len(moves) < longest:
            visits[state, mover] += 1
            if visits[state, mover] == REPETITIONS:
                break
            find(self._referee.state(state, before))
            legal = list(self._rules.moves(state))
            if not legal:
                loser = mover.other if self._rules.misere else mover
                results.plies += len(moves)
                if loser is not Player.BLACK:
                    results.promised.append(True)
                elif promised:
                    results.promised.append(False)
                    rule = ", which wins in misère play" if self._rules.misere else ""
                    detail = f"White wins: {mover} cannot move{rule}"
                    find([Objection(FindingKind.END_DIFFERS, detail)])
                else:
                    results.given += 1
                return
            promised |= self._strategy.winning(state) is (mover is Player.BLACK)
            if mover is Player.WHITE:
                if generator.random() < self._illegal:
                    find(self._try_illegal(results, state, legal, generator))
                move = generator.choice(legal)
                own.append(str(move))
                moves.append(str(move))
            else:
                reply = self._strategy.reply(state)
                objections = self._referee.reply(state, reply)
                move = reply.move
                moves.append(str(move))
                find(objections)
                if any(o.kind is FindingKind.ILLEGAL_REPLY for o in objections):
                    results.promised.append(False)
                    return
            state, before, mover = move.after, state, mover.other
        results.promised.append(None)
        results.plies += len(moves)

    def _try_illegal(
        self,
        results: PlayResults,
        state: State,
        legal: Sequence[ImpartialMove],
        generator: random.Random,
    ) -> list[Objection]:
        """Try a random action; what the preconditions and the list of moves say must agree."""
        action = generator.choice(self._rules.game.actions)
        most = max(map(abs, state)) + 2
        chosen = tuple(generator.randint(-1, most) for _ in action.parameters)
        listed = any(m.name == action.name and m.arguments == chosen for m in legal)
        problem = illegality(self._rules, state, action.name, chosen)
        results.tried += not listed
        results.flagged += problem is not None
        if listed is (problem is None):
            return []
        shown = f"{action.name}({','.join(map(str, chosen))})"
        detail = f"{shown} is {'' if listed else 'not '}listed as legal, but " + (
            "no precondition fails" if problem is None else problem.text
        )
        return [Objection(FindingKind.LEGALITY_DIFFERS, detail)]


def exhaust(
    problem: HeapProblem, bound: int, *, progress: PlaysCounted = lambda done, of: None
) -> ExhaustiveReport:
    """Check reply and moves in every state whose variables are at most ``bound``."""
    return _HeapExhaustion(problem, bound).run(progress)


class _HeapExhaustion:
    """A look at each state once."""

    def __init__(self, problem: HeapProblem, bound: int) -> None:
        self._problem = problem
        self._rules = problem.rules
        self._strategy = problem.strategy
        self._referee = HeapReferee(problem.strategy)
        self._report = ExhaustiveReport(bound)

    def run(self, progress: PlaysCounted) -> ExhaustiveReport:
        report = self._report
        began = time.perf_counter()
        found = bounded_states(self._rules, report.bound)
        states = sorted(found, key=lambda s: (sum(map(abs, s)), s))
        for number, state in enumerate(states):
            self._look_at(state)
            if not number % _TELL_EVERY:
                progress(number, len(states))
        said = ((s, self._strategy.winning(s)) for s in states[:SEARCHED])
        deadline = Deadline.after(_SEARCH_SECONDS)
        report.searched, wrong = search_check(self._rules, said, deadline)
        if wrong is not None and not self._referee.state(wrong):
            detail = "a search finds the other winner of this state than the formula"
            self._note(wrong, Player.WHITE, [Objection(_DIFFERS, detail)])
        report.seconds = time.perf_counter() - began
        return report

    def _look_at(self, state: State) -> None:
        report = self._report
        report.states += 1
        report.winning += self._strategy.winning(state)
        report.labelled += self._referee.truth(state) is not None
        self._note(state, Player.WHITE, self._referee.state(state))
        if next(self._rules.moves(state), None) is None:
            return
        reply = self._strategy.reply(state)
        report.replies += 1
        objections = self._referee.reply(state, reply)
        self._note(state, Player.BLACK, objections, str(reply.move))
        if any(one.kind is FindingKind.ILLEGAL_REPLY for one in objections):
            return
        after = reply.move.after
        for move in self._rules.moves(after):
            report.answers += 1
            wrong = self._referee.state(move.after, after)
            self._note(state, Player.BLACK, wrong, str(reply.move), str(move))

    def _note(
        self, state: State, first: Player, objections: Iterable[Objection], *moves: str
    ) -> None:
        """Findings in a play from ``state``; Black has made the first of ``moves``."""
        command = self._problem.replay(state, first)
        self._report.found.add(
            _finding(one, len(moves), moves, command(moves[1:])) for one in objections
        )


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


# ``qsage play`` on an impartial game: against rules, read or synthesised on the spot


_BOUND: Final = 20
_SECONDS: Final = 60.0
# Random starts that are looked at for one in which the person has a move.
_STARTS: Final = 100


def impartial_game(name: str) -> ImpartialGame:
    """The impartial game in the file ``name``, or the one of that name.

    Raises ``InputError`` for a file that begins like such a game and is none.
    """
    from qsage_validate.extensions.impartial import families
    from qsage_validate.extensions.impartial.parser import read_game

    return read_game(name) if os.path.isfile(name) else families.load(name)


def play_heaps(name: str, options: HeapOptions, play: PlayOptions, json_output: bool) -> Exit:
    """Play the impartial game that is called ``name``, or is in the file ``name``."""
    from qsage_validate.extensions.impartial.problem import load_heaps, open_heaps

    _check(options, play)
    game = impartial_game(name)
    start = _start(game, options)  # before rules are looked for, which may take a minute
    problem = load_heaps(
        game, [name], options.rules, misere=options.misere, seconds=_SECONDS, tell=_told
    )
    first = None if options.begins is None else Player(options.begins)
    if play.mode is PlayMode.RANDOM:
        return _attack(problem, start, first, options, play, json_output)
    # A script is for one state: the same one each time.
    seed = 0 if play.seed is None and play.mode is PlayMode.SCRIPT else play.seed
    if start is None:
        start = _random_start(problem, first, options.bound or _BOUND, random.Random(seed))
    first = first or problem.begins(start)
    table = PlayTable(open_heaps(problem, start, first), problem.replay(start, first))
    if play.mode is PlayMode.SCRIPT:
        return script(table, play, json_output)
    return by_hand(lambda: table, name, play)


def _random_start(
    problem: HeapProblem, first: Player | None, bound: int, generator: random.Random
) -> State:
    """A state in which the person has a move, also after the rules' first one, where one is found.

    Raises ``UsageError`` where no state up to ``bound`` has a move.
    """
    from qsage_validate.arena.board_engine import answered
    from qsage_validate.extensions.impartial.problem import open_heaps

    for _ in range(_STARTS):
        start = random_state(problem.rules, bound, generator)
        engine = open_heaps(problem, start, first or problem.begins(start))
        if not answered(engine, engine.start())[-1].over:
            break
    return start


def _told(progress: Progress) -> None:
    narrate(one_line(str(progress), 160))


def _check(options: HeapOptions, play: PlayOptions) -> None:
    if play.mode is PlayMode.DRILL:
        raise UsageError("found --drill with an impartial game, expected a certificate on a board")
    if play.black is not None:
        raise UsageError("found --black: the rules play Black, expected --white")
    if options.begins not in (None, "black", "white"):
        raise UsageError(f"found --begins {options.begins}, expected black or white")
    if play.white == "all":
        wrong = {
            "--state": options.state is not None,
            "--begins": options.begins is not None,
            "--games": play.games is not None,
            "--seed": play.seed is not None,
            "--illegal": bool(play.illegal),
        }
        for option, given in wrong.items():
            if given:
                raise UsageError(f"found {option} with --white all, which looks at all states")
    if options.bound is not None and options.state is not None:
        raise UsageError("found --bound with --state, expected one of them")


def _start(game: ImpartialGame, options: HeapOptions) -> State | None:
    from qsage_validate.extensions.impartial.heap_game import parse_state

    return None if options.state is None else parse_state(ImpartialRules(game), options.state)


# -- opponents ------------------------------------------------------------------------------


def _attack(
    problem: HeapProblem,
    start: State | None,
    first: Player | None,
    options: HeapOptions,
    play: PlayOptions,
    json_output: bool,
) -> Exit:

    bound = _BOUND if options.bound is None else options.bound
    narrate(problem.origin)
    if play.white == "all":
        return _all(problem, bound, json_output)
    games, seed = play.games or GAMES, play.seed or 0
    adversary = HeapAdversary(
        problem, seed=seed, bound=bound, start=start, first=first, illegal=play.illegal
    )
    report = run_adversary(adversary, games)
    lines = random_lines(report, Player.WHITE, "the preconditions", rules=True)
    length = f"{report.results.plies / max(games, 1):.1f} plies a game"
    return tell_random(report, heaps_json(report), [*lines, length], json_output)


def _all(problem: HeapProblem, bound: int, json_output: bool) -> Exit:

    report = exhaust(problem, bound)
    show(report.to_dict(), _exhaustive_lines(report), json_output)
    if report.found:
        return Exit.REFUTED
    return Exit.FINE if report.labelled == report.states else Exit.UNDECIDED


def _exhaustive_lines(report: ExhaustiveReport) -> Iterator[str]:
    yield (
        f"all {counted(report.states, 'state')} up to {report.bound}: {report.winning:,} winning, "
        f"{report.states - report.winning:,} losing"
    )
    yield f"{counted(report.replies, 'reply')}, {counted(report.answers, 'move')} against them"
    yield (
        f"compared with backward induction: {counted(report.labelled, 'state')}, with search: "
        f"{report.searched:,}"
    )
    yield from finding_lines(report.found.kept, len(report.found), rules=True)
