"""A game with heaps and its strategy as a problem, the referee of its plays, and their engine.

Where no rule fires the player to move is lost, says the strategy; it then makes the first legal
move.  A winning formula without rules is a strategy too: any move to a state that it calls
losing.

A strategy's moves are compared with the rules of the game: each reply must be legal and leave a
state that is losing.  Losing is what backward induction says where the states are few enough, and
what the winning formula says everywhere; the two must agree.

The strategy plays Black and the person White, whoever begins.  A strategy promises to win from
the first time on that its own formula calls the state winning for it; an illegal move that was
let happen takes the promise away.
"""

from __future__ import annotations

import os
import random
import shlex
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import product
from typing import Final

from qsage_validate.arena.board_engine import Engine, Facts
from qsage_validate.arena.frame import (
    Frame,
    FrameValue,
    HeapMove,
    Hint,
    MatchMove,
    MatchOutcome,
    NamedGroup,
    PlayState,
    SquareXY,
    WhyNot,
)
from qsage_validate.errors import (
    InputError,
    MalformedMoveError,
    UndecidedError,
    UsageError,
    counted,
)
from qsage_validate.extensions.impartial.heap_game import HeapGame, HeapPosition, heap_move
from qsage_validate.extensions.impartial.model import (
    ImpartialFormula,
    ImpartialGame,
    disjunction,
    state_text,
)
from qsage_validate.extensions.impartial.parser import parse_formula
from qsage_validate.extensions.impartial.report import (
    SynthesisOptions,
    Verdict,
    proved_rules,
    reason,
    synthesise,
)
from qsage_validate.extensions.impartial.rules import (
    EndlessGameError,
    ImpartialMove,
    ImpartialRules,
    State,
    illegality,
    intervals,
    state_after,
)
from qsage_validate.extensions.impartial.strategy import (
    ImpartialRule,
    ImpartialStrategy,
    parse_strategy,
)
from qsage_validate.formats.json_text import Json, parse_json
from qsage_validate.formats.source import Source
from qsage_validate.games.protocol import Player
from qsage_validate.strategies.reader import Assignment
from qsage_validate.system.limits import Deadline, Tell
from qsage_validate.validation.finding import Finding, FindingKind

# The strategy of synthesised rules: the rule that fires says what to play


@dataclass(frozen=True, slots=True)
class RuleReply:
    """A move and where it comes from.

    ``rule`` is the number, from 0, of the rule that fired; ``None`` when the formula alone
    chose the move or none wins.  The move of a wrong rule need not be legal.
    """

    move: ImpartialMove
    rule: int | None


@dataclass(frozen=True)
class RuleStrategy:
    """Rules with the winning formula that they belong to; ``strategy`` may be missing.

    With ``ends_win`` states without a move are winning whatever the formula says of them.
    """

    rules: ImpartialRules
    formula: ImpartialFormula
    strategy: ImpartialStrategy | None
    ends_win: bool = False

    @classmethod
    def of_rules(cls, rules: ImpartialRules, strategy: ImpartialStrategy) -> RuleStrategy:
        """Rules alone: a state is winning where one of them fires.

        In misère play states without a move are winning as well, though there is no rule.
        """
        parts = [rule.condition for rule in strategy.rules]
        return cls(rules, disjunction(parts), strategy, ends_win=rules.misere)

    @property
    def all_rules(self) -> Sequence[ImpartialRule]:
        """The rules in their order; none where there is a formula only."""
        return () if self.strategy is None else self.strategy.rules

    def winning(self, state: State) -> bool:
        """True if the player to move wins, as the formula says."""
        if self.formula.holds(self.rules.game.state(state)):
            return True
        return self.ends_win and next(self.rules.moves(state), None) is None

    def reply(self, state: State) -> RuleReply:
        """The move in ``state``, in which the player to move has one."""
        if self.strategy is not None:
            fired = self.strategy.fires(self.rules.game, state)
            if fired is not None:
                return RuleReply(fired[1], fired[0])
        elif self.winning(state):
            found = self.winning_move(state)
            if found is not None:
                return RuleReply(found, None)
        return RuleReply(next(self.rules.moves(state)), None)

    def winning_move(self, state: State) -> ImpartialMove | None:
        """A legal move to a state that the formula calls losing; ``None``: there is none."""
        return next((m for m in self.rules.moves(state) if not self.winning(m.after)), None)


# Plays of an impartial game, from the game's file and rules that are read or synthesised


MAX_STATES: Final = 1_000_000
"""The largest number of states that an exhaustive opponent looks at."""

REPORT: Final = "report.json"
"""The file of a synthesis' folder that has the formula and the rules."""

# How many states are drawn before there seems to be none with a move.
_DRAWS = 20_000


@dataclass(frozen=True)
class HeapProblem:
    """Everything that plays of a game against a strategy need.

    ``words`` are those of the command line that name game and rules; ``origin`` says where the
    rules come from.
    """

    words: tuple[str, ...]
    strategy: RuleStrategy
    origin: str

    @property
    def rules(self) -> ImpartialRules:
        return self.strategy.rules

    @property
    def game(self) -> ImpartialGame:
        return self.strategy.rules.game

    def begins(self, start: State) -> Player:
        """The player who begins unless told otherwise: the side with which the strategy wins."""
        return Player.BLACK if self.strategy.winning(start) else Player.WHITE

    def notes(self, game: HeapGame) -> tuple[str, ...]:
        """Facts worth telling at the start of a play."""
        word = "winning" if self.strategy.winning(game.start) else "losing"
        play = "misère play: whoever cannot move wins" if self.rules.misere else "normal play"
        rules = [
            f"rule {number}: {rule.text(self.game)}"
            for number, rule in enumerate(self.strategy.all_rules, start=1)
        ]
        return (
            f"{self.origin}; {play}",
            f"winning formula: {self.strategy.formula}",
            *rules,
            f"{game.first_player} begins; the start is {word} for {game.first_player}",
            *self._endless(game),
        )

    def _endless(self, game: HeapGame) -> Iterator[str]:
        if game.endless is not None:
            state = state_text(self.game.variables, game.endless)
            yield (
                f"play need not end: it can come back to {state}; all that is said of winning and "
                "losing holds if plays end"
            )

    def replay(self, start: State, first: Player) -> Callable[[Sequence[str]], str]:
        """Makes the command that plays White's moves again from ``start``."""
        state = state_text(self.game.variables, start).replace(" = ", "=").replace(",", "")

        def command(moves: Sequence[str]) -> str:
            words = [*self.words, "--state", state, "--begins", first.value]
            return shlex.join(["qsage-play", *words, "--moves", " ".join(moves)])

        return command


def load_heaps(
    game: ImpartialGame,
    words: Sequence[str],
    path: str | None,
    *,
    misere: bool,
    seconds: float,
    tell: Tell,
) -> HeapProblem:
    """The play of ``game`` against the rules in ``path``, or against synthesised ones.

    Raises ``InputError`` for rules that cannot be read, ``UsageError`` for a game without a
    winning formula, ``UndecidedError`` when none is found in ``seconds``.
    """
    if path is not None:
        strategy, origin = load_rules(game, path, misere=misere)
        words = [*words, "--rules", path]
    else:
        strategy, origin = synthesised(game, misere=misere, seconds=seconds, tell=tell)
    words = [*words, "--misere"] if misere else words
    return HeapProblem(tuple(words), strategy, origin)


def synthesised(
    game: ImpartialGame, *, misere: bool, seconds: float, tell: Tell
) -> tuple[RuleStrategy, str]:
    """A strategy that is found, proved and cross-checked now, and a note about it.

    Where it is not proved that every play ends, the note says so.
    """
    result = synthesise(game, SynthesisOptions(strategy=True, misere=misere, seconds=seconds), tell)
    if result.verdict is Verdict.IMPOSSIBLE:
        raise UsageError(
            f"{game.name}: found no winning formula ({result.formula.reason}), expected a game "
            "that has one, or --rules FILE"
        )
    formula = result.found or result.found_if_plays_end
    if formula is None:
        raise UndecidedError(f"{game.name}: no winning formula ({reason(result)})")
    rules = ImpartialRules(game, misere=misere)
    known = "synthesised and proved"
    if result.found is None:
        known = f"synthesised, right if plays end ({result.termination})"
    found = proved_rules(result)
    if found is None:
        return RuleStrategy(rules, formula, None), f"formula {known}, no rules"
    count = counted(len(found.rules), "rule")
    return RuleStrategy(rules, formula, found), f"{count} {known}"


def load_rules(game: ImpartialGame, path: str, *, misere: bool) -> tuple[RuleStrategy, str]:
    """The strategy of a file of rules, or of a report of ``qsage synthesize -o``.

    ``path`` may be the report's folder.  Rules without a report are their own formula: a state
    is winning where one of them fires.
    """
    rules = ImpartialRules(game, misere=misere)
    if os.path.isdir(path):
        path = os.path.join(path, REPORT)
    source = Source.open(path)
    if not source.text.lstrip().startswith("{"):
        strategy = parse_strategy(source.text, game, source.path)
        return RuleStrategy.of_rules(rules, strategy), _read(strategy, path)
    formula, found = _report(game, source, misere)
    return RuleStrategy(rules, formula, found), _read(found, path)


def _read(strategy: ImpartialStrategy | None, path: str) -> str:
    count = 0 if strategy is None else len(strategy.rules)
    return f"{count or 'no'} rule{'s' * (count != 1)} of {path}, which nothing has proved here"


def _report(
    game: ImpartialGame, source: Source, misere: bool
) -> tuple[ImpartialFormula, ImpartialStrategy | None]:
    """The formula and the rules of a report in JSON."""
    data = parse_json(source, "a report")
    variables = data["variables"].each(lambda name: isinstance(name, str), "a name")
    if list(variables) != list(game.variables):
        found = f"a report on the variables {', '.join(variables)}"
        raise data["variables"].error(found, ", ".join(game.variables))
    mark = data.given("misere")
    if (mark is not None and mark.boolean()) is not misere:
        found, wanted = ("normal", "misère") if misere else ("misère", "normal")
        raise (mark or data).error(f"a report on {found} play", f"{wanted} play")
    text = data.given("formula") or data.given("formula_if_plays_end")
    if text is None:
        raise data.error("a report without a formula", "a proved formula")
    with _in_report(text):
        formula = parse_formula(text.text(), game.variables)
    strategy = data.given("strategy")
    rules = None if strategy is None else strategy.given("rules")
    read: list[ImpartialRule] = []
    for rule in [] if rules is None else rules.items():
        line = f"{rule['condition'].line()} -> {rule['action'].line()}"
        with _in_report(rule):
            read += parse_strategy(line, game).rules
    return formula, ImpartialStrategy(tuple(read)) if read else None


@contextmanager
def _in_report(part: Json) -> Iterator[None]:
    """Errors in the words of a report are told at the place of ``part``."""
    try:
        yield
    except InputError as error:
        raise part.error(error.found, error.expected) from None


# -- states ---------------------------------------------------------------------------------


def _ranges(game: ImpartialGame, bound: int) -> list[range]:
    """The values from 0, or from where the constraint begins, up to ``bound``."""
    found = []
    for name, one in intervals(game).items():
        assert name in game.variables
        low = one.lower if one.lower is not None else min(0, one.upper or 0)
        high = bound if one.upper is None else min(bound, one.upper)
        found.append(range(low, high + 1))
    return found


def bounded_states(rules: ImpartialRules, bound: int) -> list[State]:
    """All legal states with variables up to ``bound``; raises ``UsageError`` for too many."""
    ranges = _ranges(rules.game, bound)
    count = 1
    for one in ranges:
        count *= len(one)
    if count > MAX_STATES:
        raise UsageError(f"found {count:,} states up to {bound}, expected at most {MAX_STATES:,}")
    return [state for state in product(*ranges) if rules.is_legal(state)]


def random_state(rules: ImpartialRules, bound: int, generator: random.Random) -> State:
    """A legal state with a move, its variables up to ``bound``; raises ``UsageError``."""
    ranges = _ranges(rules.game, bound)
    for _ in range(_DRAWS if all(ranges) else 0):
        state = tuple(generator.choice(one) for one in ranges)
        if rules.is_legal(state) and next(rules.moves(state), None) is not None:
            return state
    raise UsageError(f"found no state up to {bound} with a move, expected another --bound")


# The referee of impartial games: rules, formula and strategy side by side, state by state


SECONDS: Final = 2.0
"""The time that backward induction may take for a state."""

LISTED: Final = 10_000
"""The largest sum of a state's values up to which all legal moves are listed for a reply."""

# After a state that took too long none is tried whose values have more than this part of its sum.
_SMALLER: Final = 4


@dataclass(frozen=True, slots=True)
class Objection:
    """Something that is wrong: the kind of finding, what it is, and the rule concerned."""

    kind: FindingKind
    detail: str
    rule: str | None = None


class HeapReferee:
    """Compares a strategy with the rules; labels of states are kept from call to call."""

    def __init__(self, strategy: RuleStrategy, *, seconds: float = SECONDS) -> None:
        """``seconds`` is the time for the backward induction of one state; 0 is none."""
        self.strategy = strategy
        # Rules of its own: their labels share nothing with those that a synthesis has used.
        self.rules = ImpartialRules(strategy.rules.game, misere=strategy.rules.misere)
        self._seconds = seconds
        self._too_large: int | None = None if seconds else 0

    def truth(self, state: State) -> bool | None:
        """True if the player to move wins, by backward induction.

        ``None``: too many states, or plays that come back to a state.
        """
        size = sum(map(abs, state))
        if self._too_large is not None and size >= self._too_large:
            return self.rules.labels.get(state)
        self.rules.deadline = Deadline.after(self._seconds)
        try:
            return self.rules.winning(state)
        except EndlessGameError:
            return None
        except UndecidedError:
            self._too_large = size // _SMALLER
            return None

    def state(self, state: State, before: State | None = None) -> list[Objection]:
        """The objections to the formula at ``state``, to which ``before`` has a legal move."""
        said, truth = self.strategy.winning(state), self.truth(state)
        if truth is not None and said != truth:
            who = "wins" if truth else "loses"
            detail = f"it says that {self._shown(state)} is {_word(said)}, but by the rules the "
            return [Objection(FindingKind.FORMULA_DIFFERS, f"{detail}player to move {who}")]
        if next(self.rules.moves(state), None) is None:
            if said is not self.rules.misere:
                detail = f"it says that {self._shown(state)} is {_word(said)}, where nobody can "
                return [Objection(FindingKind.FORMULA_DIFFERS, f"{detail}move")]
            return []
        if before is not None and not said and not self.strategy.winning(before):
            detail = f"it says that {self._shown(before)} is losing, but a move leads from there "
            detail += f"to {self._shown(state)}, which it says is losing too"
            return [Objection(FindingKind.FORMULA_DIFFERS, detail)]
        return []

    def reply(self, state: State, reply: RuleReply) -> list[Objection]:
        """The objections to the strategy's ``reply`` in ``state``, where there is a move.

        An objection of the kind ``ILLEGAL_REPLY`` comes alone: nothing follows such a reply.
        """
        rule = None if reply.rule is None else self._rule(reply.rule)
        move, winning = reply.move, self.strategy.winning(state)
        problem = illegality(self.rules, state, move.name, move.arguments)
        listed = sum(map(abs, state)) <= LISTED
        if problem is None and listed and not self.rules.allows(state, move):
            text = f"{move} is not among the legal moves, but no precondition forbids it"
            return [Objection(FindingKind.LEGALITY_DIFFERS, text, rule)]
        if problem is not None:
            return [Objection(FindingKind.ILLEGAL_REPLY, problem.text, rule)]
        found: list[Objection] = []
        if move.after != self._after(state, reply):
            detail = f"{move} leads to {self._shown(self._after(state, reply))}"
            found.append(Objection(FindingKind.BOARD_DIFFERS, detail, rule))
        if not winning:
            if rule is not None:
                detail = f"{self._shown(state)} is losing, says the formula"
                found.append(Objection(FindingKind.RULE_MISFIRES, detail, rule))
            return found
        if rule is None and self.strategy.strategy is not None:
            detail = f"{self._shown(state)} is winning, says the formula"
            found.append(Objection(FindingKind.RULES_SILENT, detail))
        elif self.strategy.winning(move.after) or self.truth(move.after):
            who = "the formula says" if self.strategy.winning(move.after) else "by the rules"
            detail = f"{move} leaves {self._shown(move.after)}, which is winning, {who}"
            found.append(Objection(FindingKind.REPLY_FAILS, detail, rule))
        return found

    def _after(self, state: State, reply: RuleReply) -> State:
        game = self.rules.game
        action = game.actions[reply.move.action]
        chosen = dict(zip(action.parameters, reply.move.arguments, strict=True))
        return state_after(action, game.variables, state, chosen)

    def _rule(self, number: int) -> str:
        return self.strategy.all_rules[number].text(self.rules.game)

    def _shown(self, state: State) -> str:
        return state_text(self.rules.game.variables, state)


def _word(winning: bool) -> str:
    return "winning" if winning else "losing"


# A play of an impartial game against rules: heaps of tokens, and the rule that fired


# Arguments that are tried when a person asks about a square.
_TRIED = 4096


class HeapEngine(Engine):
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

    def legal(self, frame: Frame) -> Sequence[MatchMove]:
        return _position(frame).legal_moves()

    def parse(self, frame: Frame, text: str) -> MatchMove:
        return self._game.parse_move(text, self.facts.person)

    def why_not(self, frame: Frame, move: MatchMove) -> WhyNot | None:
        if frame.over:
            return None
        illegality = _position(frame).illegality(self._checked(move))
        if illegality is None:
            return None
        return WhyNot(move, self.facts.person, None, False, (), illegality, asked=False)

    def _checked(self, move: MatchMove) -> HeapMove:
        if not isinstance(move, HeapMove):
            raise MalformedMoveError(f"{move}: expected a move like take(2)")
        return move

    def touched(self, frame: Frame, move: MatchMove) -> tuple[SquareXY, ...]:
        """One square for each changed heap: the first token removed, or the last one added."""
        if frame.over or not isinstance(move, HeapMove) or not self.facts.has_board:
            return ()
        found = _position(frame).move(move)
        return () if found is None else self._changes(_position(frame).state, found.after)

    def _changes(self, before: State, after: State) -> tuple[SquareXY, ...]:
        return tuple(
            (min(new + 1 if new < old else new, self._game.width), row)
            for row, (old, new) in enumerate(zip(before, after, strict=True), start=1)
            if old != new
        )

    def at(self, frame: Frame, square: SquareXY) -> tuple[MatchMove, ...]:
        """One move of each action, a legal one if there is one, that changes the heap there."""
        state, variables = _position(frame).state, self._game.rules.game.variables
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
            legal = (move for move in fitting if _position(frame).is_legal(move))
            first = next(legal, fitting[0] if fitting else None)
            found += [] if first is None else [first]
        return tuple(found)

    def hint(self, frame: Frame) -> Hint | None:
        """A move to a state that the formula calls losing, if there is one."""
        position = _position(frame)
        found = self._strategy.winning_move(position.state)
        if found is not None:
            left = position.moved(found.after).text
            text = f"{found}: leaves {left}, which is losing for {self.facts.certificate_player}"
            return Hint(heap_move(found), text)
        moves = position.legal_moves()
        return Hint(moves[0], f"{moves[0]}: no move wins against the strategy")

    # -- playing ----------------------------------------------------------------------------

    def start(self) -> Frame:
        return self._frame(None, self._game.initial, None, 0)

    def push(self, frame: Frame, move: MatchMove, why: WhyNot | None, *, claim: bool) -> Frame:
        own = self._checked(move)
        if claim:
            raise UsageError(f"{own}: there is no goal to claim, whoever cannot move is out")
        began = time.perf_counter()
        position = _position(frame).moved(self._after(_position(frame), own, why))
        return self._frame(frame, position, own, time.perf_counter() - began, illegal=why)

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

    def reply(self, frame: Frame) -> Frame | None:
        position, player = _position(frame), self.facts.certificate_player
        if frame.over or position.to_move is not player:
            return None
        began = time.perf_counter()
        reply = self._strategy.reply(position.state)
        objections = self._referee.reply(position.state, reply)
        seconds = time.perf_counter() - began
        moves = (*frame.play.moves, str(reply.move))
        findings = self._findings(objections, frame.ply + 1, moves)
        said = self._said(position, reply)
        if any(o.kind is FindingKind.ILLEGAL_REPLY for o in objections):
            play = replace(
                frame.play,
                assignment=Assignment(frame.ply + 1),
                moves=moves,
                last=heap_move(reply.move),
                ending=MatchOutcome(player.other, f"{reply.move} is illegal", False),
                findings=findings,
            )
            return replace(
                frame,
                play=play,
                player=player,
                by_certificate=True,
                illegal=None,
                seconds=seconds,
                remarks=said,
            )
        after = position.moved(reply.move.after)
        answer = self._frame(frame, after, heap_move(reply.move), seconds, known=findings)
        return replace(answer, remarks=said)

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

    def _frame(
        self,
        before: Frame | None,
        position: HeapPosition,
        move: HeapMove | None,
        seconds: float,
        *,
        known: tuple[Finding, ...] = (),
        illegal: WhyNot | None = None,
    ) -> Frame:
        """The play at a position, to which ``move`` has led from ``before``."""
        player = None if move is None else position.to_move.other
        hero = self.facts.certificate_player
        moves = () if before is None or move is None else (*before.play.moves, str(move))
        legal = before is not None and illegal is None
        came_from = _position(before).state if before is not None and legal else None
        objections = self._referee.state(position.state, came_from)
        findings = known + self._findings(objections, position.ply - 1, moves)
        # An illegal move that was let happen takes an earlier promise away.
        promised = before is not None and legal and before.promised
        ending = position.outcome
        wins = ending is None and self._strategy.winning(position.state) is (
            position.to_move is hero
        )
        frame = Frame(
            PlayState(Assignment(position.ply - 1), moves, position, findings=findings, last=move),
            player=player,
            by_certificate=player is hero,
            board=position.board if self._game.drawable else None,
            values=self._values(position.state),
            illegal=illegal,
            seconds=seconds,
            state=position.text,
            promised=promised or wins,
        )
        if ending is None:
            return frame
        won = ending.winner is hero
        outcome = MatchOutcome(ending.winner, ending.reason, won or not promised)
        if not promised or won:
            return frame.ended(outcome)
        detail = f"{ending.winner} wins: {ending.reason}"
        objection = Objection(FindingKind.END_DIFFERS, detail)
        return frame.ended(outcome, *self._findings([objection], frame.ply, moves))

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


def _position(frame: Frame) -> HeapPosition:
    assert isinstance(frame.position, HeapPosition), "the heaps are known"
    return frame.position


def open_heaps(problem: HeapProblem, start: State, first: Player) -> HeapEngine:
    """Plays from ``start`` on; ``first`` begins."""
    game = HeapGame(problem.rules, start, first)
    title = f"{game.name}: rules for Black"
    return HeapEngine(game, HeapReferee(problem.strategy), title, problem.notes(game))
