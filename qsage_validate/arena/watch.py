"""Assertions in plays: each position is looked at, and each end.

Assertions about variables and gates are checked at the end of a play, under its values: all that
it leaves open of the opponent's variables is false, and where these are few they have all other
values, too.

``broken_promise``, ``broken_when_stuck`` and ``broken_by`` are findings about the verdict: illegal
moves and claims of a goal that the certificate should beat and does not.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, product
from typing import TYPE_CHECKING, Final

from qsage_validate.certificates.oracle import NoAnswerError, Oracle, ask
from qsage_validate.encodings.layout import Layout
from qsage_validate.errors import UndecidedError
from qsage_validate.games.protocol import Player, Square, TwoPlayerGame
from qsage_validate.kernel.certificate import CertificateKind, opponent_variables
from qsage_validate.kernel.player import FindingKind
from qsage_validate.problems.load import Problem
from qsage_validate.strategies.reader import BoardReading, LayoutMove

if TYPE_CHECKING:
    from qsage_validate.arena.frame import PlayState
    from qsage_validate.arena.play_engine import PlayEngine
    from qsage_validate.validation.assertions import Asserted
    from qsage_validate.validation.finding import Evidence, Finding

# Values of what a play leaves open that its end is looked at under.
_MOST_VALUES: Final = 64
# Names whose values a finding tells.
_NAMED: Final = 6

Truth = Callable[[str], bool | None]


class Watch:
    """Looks at the plays of one certificate on a board.

    ``replies`` are variables that ``oracle`` must be asked for before anything at an end, where it
    has no functions for them; what is left open is false then.
    """

    def __init__(
        self,
        asserted: Sequence[Asserted],
        oracle: Oracle,
        game: TwoPlayerGame | None,
        replies: Sequence[int] = (),
    ) -> None:
        self._positions = [(k, one) for k, one in enumerate(asserted) if one.literals is None]
        self._ends = [(k, one) for k, one in enumerate(asserted) if one.literals is not None]
        self._oracle = oracle
        self._game = game
        self._replies = tuple(replies)
        self._most = 1 if replies else _MOST_VALUES
        named = (x for _, one in self._ends for x in (one.literals or {}).values())
        self._wanted = tuple(dict.fromkeys(map(abs, named)))

    def __call__(self, states: Sequence[PlayState]) -> list[PlayState]:
        """The states, with a finding where an assertion is broken that was not before."""
        return [self._looked(state) for state in states]

    def _looked(self, state: PlayState) -> PlayState:
        broken = list(self._broken_positions(state))
        try:
            broken += self._broken_ends(state)
        except (NoAnswerError, UndecidedError) as error:
            reason = f"{state.end.reason}; assertions were not looked at: {error}"
            state = replace(state, ending=replace(state.end, reason=reason, by_rules=False))
        new = [(k, one, said) for k, one, said in broken if k not in state.broken]
        if not new:
            return state
        found = finding([(one, said) for _, one, said in new], state.plies, state.moves)
        found = replace(found, guessed=state.guessed)
        numbers = state.broken.union(k for k, _, _ in new)
        return replace(state, findings=(*state.findings, found), broken=numbers)

    # -- positions --------------------------------------------------------------------------

    def _broken_positions(self, state: PlayState) -> Iterator[tuple[int, Asserted, Truth]]:
        from qsage_validate.formats.assertions import value

        own = [pair for pair in self._positions if self._speaks(pair[1], state)]
        truth = self._truth(state) if own else None
        for k, one in own:
            if truth is not None and value(one.assertion.condition, truth) is False:
                yield k, one, truth

    def _speaks(self, one: Asserted, state: PlayState) -> bool:
        if one.assertion.end:
            return self._is_end(state)
        # A goal that is claimed before a ply is no ply.
        made = state.plies if state.last is not None or not state.plies else None
        return one.assertion.ply in (None, made)

    def _is_end(self, state: PlayState) -> bool:
        if self._game is not None:
            return state.position is not None and state.position.outcome is not None
        return state.ending is not None and not state.illegal and not state.undecided

    def _truth(self, state: PlayState) -> Truth | None:
        """The values of names: by the rules, else as far as the formula tells them."""
        from qsage_validate.formats.assertions import GOAL

        if self._game is None:
            return None if state.illegal else _told(state.reading)
        position = state.position
        if position is None:
            return None
        atoms, outcome = self._game.atoms(position), position.outcome
        won = outcome is not None and outcome.winner is Player.BLACK
        return lambda name: won if name == GOAL else name in atoms

    # -- variables and gates ----------------------------------------------------------------

    def _broken_ends(self, state: PlayState) -> Iterator[tuple[int, Asserted, Truth]]:
        """The assertions that are broken under some values; raises what the oracle raises."""
        from qsage_validate.formats.assertions import value

        if not self._ends or state.ending is None or state.undecided:
            return
        choice = state.assignment.choice
        rest = [v for v in self._oracle.opponent if v not in choice]
        # The last variables change the quickest: what is cut off has the first ones false.
        every = islice(product((False, True), repeat=len(rest)), self._most)
        choices = [{**choice, **dict(zip(rest, bits, strict=True))} for bits in every]
        table = ask(self._oracle, choices, (*self._replies, *self._wanted)).tolist()
        rows = [dict(zip(self._wanted, row[len(self._replies) :], strict=True)) for row in table]
        for k, one in self._ends:
            truths = (valued(one, row) for row in rows)
            wrong = next((t for t in truths if value(one.assertion.condition, t) is False), None)
            if wrong is not None:
                yield k, one, wrong


def valued(one: Asserted, values: Mapping[int, bool]) -> Truth:
    """The values of the names of an assertion about the formula."""
    literals = one.literals or {}
    return lambda name: values[abs(literals[name])] != (literals[name] < 0)


def broken_by_values(
    asserted: Sequence[Asserted], values: Mapping[int, bool], plies: int, moves: tuple[str, ...]
) -> tuple[Finding, ...]:
    """The finding that values of all variables and gates break assertions, where they do."""
    from qsage_validate.formats.assertions import value

    ends = [(one, valued(one, values)) for one in asserted if one.literals is not None]
    broken = [(one, truth) for one, truth in ends if value(one.assertion.condition, truth) is False]
    return (finding(broken, plies, moves),) if broken else ()


def finding(
    broken: Sequence[tuple[Asserted, Truth]], plies: int, moves: tuple[str, ...]
) -> Finding:
    """The finding that assertions do not hold after some moves."""
    from qsage_validate.formats.assertions import names
    from qsage_validate.validation.finding import Evidence, Finding, FindingKind

    told: dict[str, Evidence] = {}
    for one, truth in broken:
        for name in names(one.assertion.condition):
            literal = 0 if one.literals is None else one.literals[name.text]
            known, shown = truth(name.text), name.text.rstrip("!")
            if known is not None:
                told.setdefault(shown, Evidence(literal, shown, known))
    return Finding(
        FindingKind.ASSERTION_BROKEN,
        plies,
        "; ".join(map(str, (one for one, _ in broken))),
        evidence=tuple(told.values())[:_NAMED],
        moves=moves,
    )


def _told(reading: BoardReading) -> Truth:
    """The truth of names in a position as the formula has it: of squares, or of its atoms."""
    if reading.atoms is not None:
        atoms = reading.atoms
        return lambda name: name in atoms.true if name in atoms.known else None
    if reading.board is None:
        return lambda name: None
    board = reading.board
    held = {
        f"{square.name.lower()} ({k % board.width + 1},{k // board.width + 1})"
        for k, square in enumerate(board.squares)
        if square is not Square.OPEN
    }
    return lambda name: name in held


def coverage(
    asserted: Sequence[Asserted], *, board: bool, told: Collection[str] | None = None
) -> str:
    """The assertions that plays look at, in words; empty without any.

    ``told`` are the names of positions that the formula tells; ``None`` where the rules do.
    """
    from qsage_validate.formats.assertions import names

    if not asserted:
        return ""
    ends = sum(one.literals is not None for one in asserted)
    positions = [one.assertion.condition for one in asserted if one.literals is None]
    parts = []
    if positions and not board:
        parts.append(f"not the {len(positions)} about positions, for values are played, no moves")
    elif positions and told is None:
        parts.append(f"{len(positions)} about positions (by the rules)")
    elif positions:
        known = sum(all(n.text in (told or ()) for n in names(own)) for own in positions)
        missing = len(positions) - known
        parts += [f"{known} about positions (as far as the formula tells them)"] * bool(known)
        parts += [f"not the {missing} about positions that no rules tell"] * bool(missing)
    if ends:
        rest = ", under some values of what they leave open" if board else ""
        parts.append(f"{ends} about variables and gates (where plays end{rest})")
    return f"assertions looked at: {'; '.join(parts)}"


def watched(problem: Problem) -> str:
    """The assertions that plays of a problem look at, in words; empty without any."""
    if not problem.assertions:
        return ""
    layout = problem.layout
    told = None if layout is None or problem.game is not None else _told_by_formula(problem, layout)
    return coverage(problem.assertions, board=layout is not None, told=told)


def _told_by_formula(problem: Problem, layout: Layout) -> frozenset[str]:
    """The names of positions that the formula tells at some time; not what the opponent chooses."""
    from qsage_validate.validation.assertions import AssertionVocabulary

    state, certificate = layout.state, problem.answering
    if state.is_board:
        return frozenset(AssertionVocabulary(problem.formula, layout, None).words)
    skolem = certificate.kind is CertificateKind.SKOLEM
    free = set(opponent_variables(certificate, problem.formula)) if skolem else set()
    rows = (zip(state.kinds, row, strict=False) for row in state.states)
    kinds = {kind for row in rows for kind, x in row if x and abs(x) not in free}
    return frozenset({f"{k} {p}" for k in kinds for p in state.places} if state.axes else kinds)


def broken_promise(
    play_engine: PlayEngine, state: PlayState, move: LayoutMove
) -> tuple[Finding, ...]:
    """The finding that the verdict is wrong when an illegal ``move`` is let happen in ``state``.

    After it the certificate has won, whatever follows: the rest of the opponent's variables is
    false here.  There is none where the verdict is right, or the certificate has no answer: that
    is a finding of its own when it is asked.
    """
    assignment = play_engine.reader.with_move(state.assignment, move)
    try:
        (reading,) = play_engine.reader.verdicts([assignment])
    except NoAnswerError:
        return ()
    if reading.value is not (not play_engine.promised_verdict):
        return ()
    return (broken_by(play_engine, state, move, "!", reading.note),)


def broken_when_stuck(play_engine: PlayEngine, state: PlayState) -> tuple[Finding, ...]:
    """The first such finding of an opponent who has no legal move, in a play that has ended.

    The formula has more plies than the play: there any move of the opponent's is an illegal one.
    """
    found = (broken_promise(play_engine, state, move) for move in play_engine.candidates(state))
    return next(filter(None, found), ())


def broken_by(
    play_engine: PlayEngine, state: PlayState, move: LayoutMove, mark: str, note: str
) -> Finding:
    """The finding that the verdict is wrong after a move that is illegal or claims a goal.

    ``mark`` is how a script says so: ``!`` or ``!stop``.
    """
    from qsage_validate.problems.script_moves import marked
    from qsage_validate.validation.finding import Evidence, Finding

    literal = play_engine.layout.verdict or 0
    names = frozenset(text for ply in play_engine.layout.moves for text in ply.moves)
    what = "the illegal move" if mark == "!" else "a goal claimed with"
    return Finding(
        FindingKind.VERDICT_DIFFERS,
        state.plies + 1,
        f"after {what} {move} the verdict is not what was promised {note}".rstrip(),
        player=play_engine.player.other,
        move=str(move),
        squares=() if move.square is None else (move.square,),
        evidence=(Evidence(literal, str(literal), not play_engine.promised_verdict, "verdict"),),
        moves=(*state.moves, marked(str(move), mark, names)),
    )
