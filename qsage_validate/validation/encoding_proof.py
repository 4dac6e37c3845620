"""Level 4 without a certificate: the formula says of every play what the rules say.

A *scripted play* fixes all move bits of both players, their stops and their goal claims.  The
rules say whether Black comes out as the winner of it (:meth:`_Script.value`); the formula says
so when the remaining existential variables (indicators, counter-example, states) can be chosen
such that the matrix holds for every symbolic square.  The two must agree on every scripted
play (bounded model checking of the encoder):

* soundness: no choice of the remaining variables makes the matrix true on all squares in a play
  that the rules give to White; the matrix is copied for every value of the symbolic square;
* completeness: in each play that the rules give to Black, the values that the rules themselves
  suggest make the matrix true on every square.

Both are tried ply by ply, so that a difference is a play that is decided as early as possible.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.encodings.layout import Layout, MoveVariables, StateCode, value_bits
from qsage_validate.encodings.lifted_definitions import MoveTracker, Vector
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.claims import (
    Claim,
    ClaimsTimeoutError,
    Counterexample,
    evaluate,
    first_failure,
)
from qsage_validate.strategies.line import MoveCode
from qsage_validate.validation.finding import Finding, FindingKind
from qsage_validate.validation.rules_circuit import RulesCircuit
from qsage_validate.validation.verdict import Proved, Refuted, Undecided, Unsupported, Verdict

_MOST_SQUARES = 4096


def prove_encoding(
    formula: Qbf,
    layout: Layout,
    game: BddlGame,
    *,
    deadline: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Verdict:
    """Prove that formula and rules agree on all scripted plays, or give a shortest difference."""
    missing = _missing_goals(layout, game)
    if missing:
        return Unsupported(f"the layout does not say where {missing} claims a goal")
    if 1 << len(layout.board.x) + len(layout.board.y) > _MOST_SQUARES:
        return Unsupported(f"more than {_MOST_SQUARES} values of the symbolic square")
    try:
        return _compare(formula, layout, game, deadline, progress)
    except ClaimsTimeoutError as error:
        return Undecided(f"time is up: {error}")


def _missing_goals(layout: Layout, game: BddlGame) -> str:
    """The player whose goal claims cannot be read, or nothing."""
    goals = layout.goals
    claims = {
        Player.BLACK: goals.black_condition + goals.black_x + goals.black_y,
        Player.WHITE: goals.white_condition + goals.white_x + goals.white_y,
    }
    for player, bits in claims.items():
        stops = any(m.player is player and m.stop is not None for m in layout.moves)
        # A single goal without parameters needs no bits.
        if stops and not bits and len(game.grounding.goals[player]) > 1:
            return str(player)
    return ""


def _compare(
    formula: Qbf,
    layout: Layout,
    game: BddlGame,
    deadline: float | None,
    progress: Callable[[int, int], None] | None,
) -> Verdict:
    sound = _Soundness(formula, layout, game)
    complete = _Completeness(formula, layout, game)
    failures: list[tuple[_Soundness | _Completeness, Counterexample]] = []
    doubt = ""
    scripts: tuple[_Soundness | _Completeness, ...] = (sound, complete)
    for script in scripts:
        failure = first_failure(
            script.builder, script.claims, script.assumed, deadline=deadline, progress=progress
        )
        if failure is None:
            continue
        if script is complete and complete.doubtful(failure):
            doubt = (
                "the values that the rules suggest do not satisfy the formula in a play that "
                f"Black wins, but others do: {' '.join(script.moves(failure))}"
            )
        else:
            failures.append((script, failure))
    if failures:
        script, failure = min(failures, key=lambda pair: pair[1].claim.ply)
        claim = failure.claim
        return Refuted((Finding(claim.kind, claim.ply, claim.text, moves=script.moves(failure)),))
    if doubt and complete.unknown:
        return Unsupported(
            f"{len(complete.unknown)} variables that the layout does not speak of (a formula in "
            "clausal form?): no play is wrongly given to Black; the rest was not proved"
        )
    if doubt:
        return Undecided(doubt)
    return Proved(f"formula and rules agree on all scripted plays of {len(layout.moves)} plies")


@dataclass(frozen=True, slots=True)
class _Decided:
    """The plays that are decided at a ply, and those that the rules then give to Black.

    ``unsayable`` are the plays in which the mover reaches a goal that the formula's variables
    cannot claim.
    """

    ply: int
    here: int
    black: int
    unsayable: int


class _Script:
    """A scripted play: the rules' value of it, ply by ply, over free move variables."""

    def __init__(self, formula: Qbf, layout: Layout, game: BddlGame) -> None:
        self.formula = formula
        self.layout = layout
        self.game = game
        self.builder = AigBuilder()
        self.inputs: list[int] = []
        self.literals: dict[int, int] = {}
        self.claims: list[Claim] = []
        self.assumed: list[int] = []
        goals = layout.goals
        existential = set(formula.variables(Quantifier.EXISTS))
        for move in layout.moves:
            vectors = (
                (move.action, len(layout.actions(move.player))),
                (move.x, layout.width),
                (move.y, layout.height),
            )
            for vector, values in vectors:
                for signed in vector:
                    # A bit of a number that can only be 0 means nothing.  Where it is one of
                    # Black's choices, a formula may well insist on 0.
                    if values == 1 and abs(signed) in existential:
                        self.literals[abs(signed)] = FALSE ^ (signed < 0)
                    else:
                        self._free((signed,))
            self._free(() if move.stop is None else (move.stop,))
        self._free(goals.black_condition + goals.black_x + goals.black_y)
        self._free(goals.white_condition + goals.white_x + goals.white_y)
        self.rules = RulesCircuit(self.builder, game, layout, self.literals)

    def _free(self, variables: tuple[int, ...]) -> None:
        for variable in map(abs, variables):
            if variable not in self.literals:
                self.literals[variable] = self.builder.input()
                self.inputs.append(variable)

    def decisions(self) -> list[_Decided]:
        """When and how scripted plays are decided, by the rules.

        Black's move decides when it is illegal (for White), when Black stops (by the claim) and
        at the last ply (by the claim); White's when it is illegal (for Black), when White stops
        (by the claim) and at the last ply (for White).  A player without a stop variable stops
        when a goal is reached.
        """
        builder, layout = self.builder, self.layout
        goals = layout.goals
        claims = {
            Player.BLACK: (goals.black_condition, goals.black_x, goals.black_y),
            Player.WHITE: (goals.white_condition, goals.white_x, goals.white_y),
        }
        state, running = self.rules.initial, TRUE
        decided = []
        # A formula of even depth may have a last ply of Black's that cannot be won.
        for move in layout.moves[: self.game.plies]:
            ply = self.rules.ply(move, state)
            last = move.ply == self.game.plies
            condition, x, y = map(self.rules.bits, claims[move.player])
            reached = self.rules.claimed_goal(ply.after, move.player, condition, x, y)
            sayable = self.rules.claimable_goal(ply.after, move.player, condition, x, y)
            unsayable = builder.and_all((running, ply.legal, ply.goal, sayable ^ 1))
            if move.stop is not None:
                stops = self.literals[abs(move.stop)] ^ (move.stop < 0)
            elif last:
                stops, reached = TRUE, reached if move.player is Player.BLACK else TRUE
                unsayable = unsayable if move.player is Player.BLACK else FALSE
            else:
                stops = reached = ply.goal
                unsayable = FALSE
            mover_wins = builder.and_(ply.legal, reached)
            ends = builder.or_(ply.legal ^ 1, stops)
            black = mover_wins if move.player is Player.BLACK else mover_wins ^ 1
            here = builder.and_(running, ends)
            decided.append(_Decided(move.ply, here, black, unsayable))
            running = builder.and_(running, ends ^ 1)
            state = ply.after
        return decided

    def moves(self, failure: Counterexample) -> tuple[str, ...]:
        """The moves of a play that differs, up to the ply at which it is decided."""
        wanted = {abs(v) for move in self.layout.moves for v in move.literals}
        values = evaluate(self.builder, {v: self.literals[v] for v in wanted}, failure.inputs)
        code = MoveCode(self.layout)
        texts = []
        for move in self.layout.moves[: failure.claim.ply]:
            answer = code.decode(move, values)
            texts.append(str(answer.move) if answer.move is not None else answer.problem)
        return tuple(texts)


class _Soundness(_Script):
    """No remaining values satisfy the matrix on all squares where the rules give White the play."""

    def __init__(self, formula: Qbf, layout: Layout, game: BddlGame) -> None:
        super().__init__(formula, layout, game)
        board = layout.board
        symbolic = tuple(map(abs, board.x + board.y))
        # Variables right of the symbolic square have their own value on each square.
        levels = formula.levels()
        inner = max((levels[v] for v in symbolic if v in levels), default=-1)
        for variable, level in levels.items():
            if variable not in symbolic and (level <= inner or not symbolic):
                self._free((variable,))
        for number in range(1 << len(symbolic)):
            literals = dict(self.literals)
            literals.update(zip(symbolic, map(int, value_bits(number, len(symbolic))), strict=True))
            for variable in levels:
                if variable not in literals:
                    literals[variable] = self.builder.input()
            self.assumed.append(formula.add_to(self.builder, literals))
        self.claims = [
            Claim(
                FindingKind.END_DIFFERS,
                decided.ply,
                self.builder.and_(decided.here, decided.black ^ 1),
                "the formula accepts for Black a play that the rules give to White",
            )
            for decided in self.decisions()
        ]


class _Completeness(_Script):
    """The values that the rules suggest satisfy the matrix where the rules give Black the play."""

    def __init__(self, formula: Qbf, layout: Layout, game: BddlGame) -> None:
        super().__init__(formula, layout, game)
        self._free(layout.board.x + layout.board.y)
        self._suggest()
        # What the layout does not speak of means nothing, and is 0; unless it is a gate of a
        # formula in clausal form, of which nothing is known here.
        self.unknown = [v for v in formula.levels() if v not in self.literals]
        self.literals.update(dict.fromkeys(self.unknown, FALSE))
        matrix = formula.add_to(self.builder, dict(self.literals))
        self._rejections: list[int] = []
        for decided in self.decisions():
            wrong = self.builder.and_all((decided.here, decided.black, matrix ^ 1))
            text = "the formula rejects for Black a play that the rules give to Black"
            self.claims.append(Claim(FindingKind.END_DIFFERS, decided.ply, wrong, text))
            self._rejections.append(wrong)
            text = "the formula cannot say that a goal of the rules is reached"
            self.claims.append(Claim(FindingKind.END_DIFFERS, decided.ply, decided.unsayable, text))

    def _put(self, signed: int, literal: int) -> None:
        self.literals[abs(signed)] = literal ^ (signed < 0)

    def _suggest(self) -> None:
        """Values for indicators, counter-example and states.

        Any values would do: that they satisfy the formula is what is proved.  They are built
        like a certificate's (``MoveTracker``), which follows the moves symbolically.
        """
        layout, goals = self.layout, self.layout.goals
        tracker = MoveTracker(self.builder, self.game.model)
        for move in layout.moves:
            self._track(tracker, move)
        if goals.counterexample:
            literals = tracker.counterexample(
                self.game.model.problem.white_goals,
                self.rules.bits(goals.white_condition),
                self.rules.bits(goals.white_x),
                self.rules.bits(goals.white_y),
                len(goals.counterexample),
            )
            for signed, literal in zip(goals.counterexample, literals, strict=True):
                self._put(signed, literal)
        x, y = Vector(self.rules.bits(layout.board.x)), Vector(self.rules.bits(layout.board.y))
        for time, (first, second) in enumerate(layout.board.states):
            content = tracker.content(min(time, len(layout.moves)), x, y, frozen=True)
            inverted = layout.board.code is StateCode.OCCUPIED_WHITE
            self._put(first, content.is_open ^ inverted)
            self._put(second, content.is_white)

    def _track(self, tracker: MoveTracker, move: MoveVariables) -> None:
        stop = FALSE if move.stop is None else self.rules.bits((move.stop,))[0]
        tracker.add(
            move.player,
            self.rules.bits(move.action),
            self.rules.bits(move.x),
            self.rules.bits(move.y),
            stop,
        )
        indicators = self.layout.indicator(move.ply)
        if indicators is not None:
            flags = tracker.precondition_flags(move.ply, len(indicators.preconditions))
            for signed, literal in zip(indicators.preconditions, flags, strict=True):
                self._put(signed, literal)
            if indicators.bounds is not None:
                self._put(indicators.bounds, tracker.bounds_flag(move.ply))

    def doubtful(self, failure: Counterexample) -> bool:
        """Whether other values than the suggested ones satisfy the formula in a failing play."""
        if not self._rejected(failure):
            return False
        other = _Soundness(self.formula, self.layout, self.game)
        scripted = set(_Script(self.formula, self.layout, self.game).inputs)
        values = evaluate(self.builder, {v: self.literals[v] for v in scripted}, failure.inputs)
        fixed = [other.literals[v] ^ (not value) for v, value in values.items()]
        claim = Claim(FindingKind.END_DIFFERS, 0, other.builder.and_all(fixed), "")
        return first_failure(other.builder, [claim], other.assumed) is not None

    def _rejected(self, failure: Counterexample) -> bool:
        """Whether a failure is about the matrix, and not about what can be claimed."""
        return any(failure.claim.wrong == wrong for wrong in self._rejections)
