"""Level 4 without a certificate: the formula is true exactly when Black wins the game.

``docs/explanation/proved.md`` has the theorem, its hypotheses and the proof.  Of these, (R) is
:mod:`qsage_validate.validation.proofs.prefix`, (V) :meth:`_Script.decisions`, (S)
:class:`_Soundness` and (C) :class:`_Completeness`.

A failed claim is tried ply by ply, so that the play that shows the difference is decided as early
as possible. Such a play, or a place in prefix or layout, refutes the hypotheses: formula and
layout are not this game's.  Where only the suggestions fail, the verdict is undecided.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.arithmetic import width_for
from qsage_validate.encodings.grid.tracker import MoveTracker, Vector
from qsage_validate.encodings.layout.codings import Bits, value_bits
from qsage_validate.encodings.layout.layout import Layout, Ply, StateCode
from qsage_validate.errors import Undecided
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.claims import (
    Claim,
    ClaimsTimeoutError,
    Counterexample,
    evaluate,
    first_failure,
)
from qsage_validate.kernel.fault import FindingKind
from qsage_validate.kernel.game import State
from qsage_validate.kernel.ground import GroundRules
from qsage_validate.kernel.obligation import Obligation, joined
from qsage_validate.kernel.reading import Matcher
from qsage_validate.system.limits import NEVER, Deadline
from qsage_validate.system.progress import Tell, nobody
from qsage_validate.validation.finding import Finding
from qsage_validate.validation.proofs.ground import conjunction, ground_grid
from qsage_validate.validation.proofs.prefix import Prefix, read_prefix
from qsage_validate.validation.proofs.readings import reading_of
from qsage_validate.validation.proofs.strategy import LevelAnswer
from qsage_validate.validation.verdict import Proved, Refuted, Unsupported, Verdict

_MOST_SQUARES = 4096


def prove_encoding(
    formula: Qbf,
    layout: Layout,
    game: BddlGame,
    *,
    deadline: Deadline = NEVER,
    tell: Tell = nobody,
    obligations: bool = False,
) -> LevelAnswer:
    """Prove that the formula is true exactly when Black wins, or say what speaks against it.

    A refutation is a wrong place in prefix or layout, or a scripted play, as short as possible,
    on which formula and rules differ.  With ``obligations`` a proof comes with its claims.
    """
    prefix = read_prefix(formula, layout, game)
    if prefix.findings:
        return LevelAnswer(Refuted(prefix.findings))
    missing = _missing_goals(layout, game)
    if missing:
        return LevelAnswer(Unsupported(f"the layout does not say where {missing} claims a goal"))
    if 1 << len(prefix.square.literals) > _MOST_SQUARES:
        return LevelAnswer(Unsupported(f"more than {_MOST_SQUARES} values of the symbolic square"))
    comparison = _Comparison(prefix, layout, game, deadline, tell)
    try:
        verdict = comparison.verdict()
    except ClaimsTimeoutError as error:
        return LevelAnswer(Undecided(f"time is up: {error}"))
    asked = obligations and isinstance(verdict, Proved)
    return LevelAnswer(verdict, comparison.obligation() if asked else None)


def _missing_goals(layout: Layout, game: BddlGame) -> str:
    """The player whose goal claims cannot be read, or nothing."""
    for player in Player:
        stops = any(m.player is player and m.stop is not None for m in layout.moves)
        # A single goal without parameters needs no bits.
        if stops and not any(layout.goals.claim(player)) and len(game.grounding.goals[player]) > 1:
            return str(player)
    return ""


@dataclass
class _Comparison:
    """Formula and rules on all scripted plays."""

    prefix: Prefix
    layout: Layout
    game: BddlGame
    deadline: Deadline
    tell: Tell
    asked: list[Obligation] = field(default_factory=list)

    @property
    def free(self) -> list[int]:
        """The universal variables without a role that the output needs: others do not matter."""
        return [v for v in self.prefix.free if v in self.prefix.needed]

    def obligation(self) -> Obligation:
        """The claims of both parts, where both have been asked."""
        return joined(self.asked)

    def verdict(self) -> Verdict:
        """Soundness and completeness together."""
        failures: list[tuple[_Script, Counterexample, str]] = []
        doubts: list[str] = []
        sound = _Soundness(self.prefix, self.layout, self.game)
        self.asked.append(Obligation(sound.builder, sound.claims, sound.assumed))
        failure = self._failure(sound)
        if failure is not None and self.free:
            doubts.append(
                f"the formula's universal variables {self._names(self.free)} have no role: with "
                f"value 0 they let a play pass that Black loses: {' '.join(sound.moves(failure))}"
            )
        elif failure is not None:
            failures.append((sound, failure, ""))
        complete = _Completeness(self.prefix, self.layout, self.game)
        self.asked.append(Obligation(complete.builder, complete.claims, complete.assumed))
        failure = self._failure(complete)
        if failure is not None:
            if not complete.rejects(failure):
                failures.append((complete, failure, ""))
            elif self._others_satisfy(complete, failure):
                doubts.append(self._doubt(complete, failure) + self._free_values(complete, failure))
            else:
                failures.append((complete, failure, self._free_values(complete, failure)))
        if failures:
            script, failure, why = min(failures, key=lambda one: one[1].claim.ply)
            claim, moves = failure.claim, script.moves(failure)
            return Refuted((Finding(claim.kind, claim.ply, claim.text + why, moves=moves),))
        if doubts and complete.unknown and not self.free and not complete.early:
            return Unsupported(
                f"{len(complete.unknown)} variables that the layout does not speak of (a formula "
                "in clausal form?): no play is wrongly given to Black; the rest was not proved"
            )
        if doubts:
            return Undecided(doubts[0])
        return Proved(
            f"formula and rules agree on all scripted plays of {self.game.plies} plies, "
            "and the prefix keeps their order"
        )

    def _failure(self, script: _Script) -> Counterexample | None:
        asked = script.builder, script.claims, script.assumed
        return first_failure(*asked, deadline=self.deadline, tell=self.tell)

    def _others_satisfy(self, complete: _Completeness, failure: Counterexample) -> bool:
        """True if other values than the suggested ones satisfy the formula in a failing play."""
        universals = complete.values(self.free, failure)
        other = _Soundness(self.prefix, self.layout, self.game, universals)
        values = complete.values(complete.script, failure)
        fixed = [other.script[v] ^ (not value) for v, value in values.items()]
        claim = Claim(FindingKind.END_DIFFERS, 0, other.builder.and_all(fixed), "")
        failing = first_failure(other.builder, [claim], other.assumed, deadline=self.deadline)
        return failing is not None

    def _free_values(self, script: _Script, failure: Counterexample) -> str:
        """The values of universal variables without a role in a play that differs."""
        values = script.values(self.free, failure).items()
        shown = ", ".join(f"{self.prefix.formula.name(v)} = {int(value)}" for v, value in values)
        return f" when variables without a role are {shown}" if shown else ""

    def _doubt(self, complete: _Completeness, failure: Counterexample) -> str:
        moves = " ".join(complete.moves(failure))
        if complete.early:
            variable, reads = next(iter(complete.early.items()))
            return (
                f"variable {self.prefix.placed((variable,))} stands left of "
                f"{self.prefix.placed(reads)}, on which its value depends by the layout, and 0 "
                f"does not satisfy the formula in a play that Black wins: {moves}"
            )
        return (
            "the values that the rules suggest do not satisfy the formula in a play that "
            f"Black wins, but others do: {moves}"
        )

    def _names(self, variables: Iterable[int]) -> str:
        return " ".join(self.prefix.formula.name(v) for v in variables)


@dataclass(frozen=True, slots=True)
class _Decided:
    """The plays decided at a ply, and those among them that Black wins by the rules.

    ``unsayable`` are the plays in which the mover reaches a goal that the formula's variables
    cannot claim.
    """

    ply: int
    here: int
    black: int
    unsayable: int


class _Script:
    """A scripted play: the rules' value of it, ply by ply, over free choices of both players.

    ``script`` has the input of each variable that a scripted play fixes, ``literals`` the literals
    of all variables of the prefix.
    """

    def __init__(self, prefix: Prefix, layout: Layout, game: BddlGame) -> None:
        self.prefix = prefix
        self.formula = prefix.formula
        self.layout = layout
        self.game = game
        self.builder = AigBuilder()
        self.claims: list[Claim] = []
        self.assumed: list[int] = []
        self.script = {v: self.builder.input() for v in sorted(prefix.scripted)}
        self.literals = dict(self.script)
        # The rules look at no bit without meaning, but want a literal for each.
        self.named = {**{abs(v): FALSE for v in prefix.meaningless}, **self.script}
        self.rules = GroundRules(self.builder, ground_grid(game))
        self.plies = reading_of(layout).plies

    def bits(self, literals: Bits) -> Bits:
        """The graph's literals of the formula's, which a script fixes."""
        return tuple(self.named[abs(v)] ^ (v < 0) for v in literals)

    def _played(self, ply: int, state: State) -> tuple[int, State]:
        """A literal that is true if the bits of a ply say a legal move, and the state after it."""
        reading = self.plies[ply - 1]
        says = Matcher(self.builder, self.bits(reading.literals))
        or_all = self.builder.or_all
        made = [
            self.builder.and_(or_all(map(says, reading.codes.get(name, ()))), legal)
            for name, legal in zip(self.rules.moves(ply), self.rules.legal(state, ply), strict=True)
        ]
        return or_all(made), self.rules.after(state, ply, made)

    def _claimed(self, player: Player, state: State) -> tuple[int, int]:
        """Two literals: the claimed goal of the player holds; a goal that can be claimed holds.

        An axis without bits is one that a claim leaves open.
        """
        grounding, vectors = self.game.grounding, self.layout.goals.claim(player)
        says = Matcher(self.builder, [bit for vector in vectors for bit in self.bits(vector)])
        claimed, sayable = [], []
        for condition, goal in enumerate(self.game.model.problem.goals(player)):
            for x, y in grounding.positions(goal):
                contents = grounding.contents(goal, x, y)
                numbers = (condition, x - 1 if vectors[1] else 0, y - 1 if vectors[2] else 0)
                spoken = list(zip(numbers, map(len, vectors), strict=True))
                if contents is None or any(number >> width for number, width in spoken):
                    continue
                named = says(tuple(bit for one in spoken for bit in value_bits(*one)))
                if named != FALSE:
                    sayable.append(self.rules.holds(state, conjunction(*grounding.pack(contents))))
                    claimed.append(self.builder.and_(named, sayable[-1]))
        return self.builder.or_all(claimed), self.builder.or_all(sayable)

    def decisions(self) -> list[_Decided]:
        """The decisions of scripted plays by the rules: their plies and winners.

        Black's move decides when it is illegal (for White), when Black stops (by the claim) and
        at the last ply (by the claim); White's when it is illegal (for Black), when White stops
        (by the claim) and at the last ply (for White).  A player without a stop variable stops
        when a goal is reached.  A formula may have more plies than the game; they come too late:
        what is not decided by the game's plies is White's.
        """
        builder = self.builder
        state, running = self.rules.initial, TRUE
        decided = []
        for move in self.layout.moves[: self.game.plies]:
            legal, state = self._played(move.ply, state)
            goal = self.rules.goal(state, move.player)
            last = move.ply == self.game.plies
            reached, sayable = self._claimed(move.player, state)
            unsayable = builder.and_all((running, legal, goal, sayable ^ 1))
            if move.stop is not None:
                (stops,) = self.bits((move.stop,))
            elif last:
                stops, reached = TRUE, reached if move.player is Player.BLACK else TRUE
                unsayable = unsayable if move.player is Player.BLACK else FALSE
            else:
                stops = reached = goal
                unsayable = FALSE
            mover_wins = builder.and_(legal, reached)
            ends = builder.or_(legal ^ 1, stops)
            black = mover_wins if move.player is Player.BLACK else mover_wins ^ 1
            here = builder.and_(running, ends)
            decided.append(_Decided(move.ply, here, black, unsayable))
            running = builder.and_(running, ends ^ 1)
        decided.append(_Decided(self.game.plies, running, FALSE, FALSE))
        return decided

    def values(self, variables: Iterable[int], failure: Counterexample) -> dict[int, bool]:
        """The values of variables in a play that differs."""
        return evaluate(self.builder, {v: self.literals[v] for v in variables}, failure.inputs)

    def moves(self, failure: Counterexample) -> tuple[str, ...]:
        """The moves of a play that differs, up to the ply at which it is decided."""
        values = self.values(self.script, failure)
        plies = self.layout.moves[: failure.claim.ply]
        said = (ply.coding.decode(values) for ply in plies)
        return tuple(problem if move is None else move for move, problem in said)


class _Soundness(_Script):
    """No values of the helpers satisfy the matrix on all squares where White has the play.

    ``universals`` are the values of universal variables without a role (0 where it has none).
    """

    def __init__(
        self,
        prefix: Prefix,
        layout: Layout,
        game: BddlGame,
        universals: Mapping[int, bool] | None = None,
    ) -> None:
        super().__init__(prefix, layout, game)
        for variable in prefix.free:
            self.literals[variable] = int((universals or {}).get(variable, False))
        for variable in prefix.helpers:
            if variable in prefix.shared:
                self.literals[variable] = self.builder.input()
        square = prefix.square.variables
        for number in range(1 << len(square)):
            literals = dict(self.literals)
            literals.update(zip(square, map(int, value_bits(number, len(square))), strict=True))
            for variable in prefix.helpers:
                if variable not in literals:
                    literals[variable] = self.builder.input()
            self.assumed.append(self.formula.add_to(self.builder, literals))
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
    """The values that the rules suggest satisfy the matrix where the rules give Black the play.

    ``unknown`` are the helpers that the matrix needs and the layout does not speak of, ``early``
    those whose suggestion reads what stands right of them: both are 0.
    """

    def __init__(self, prefix: Prefix, layout: Layout, game: BddlGame) -> None:
        super().__init__(prefix, layout, game)
        # The variable of each input.
        self.variables = list(self.script)
        for variable in (*prefix.square.variables, *prefix.free):
            self.literals[variable] = self.builder.input()
            self.variables.append(variable)
        suggested = self._suggestions()
        self.early = self._early(suggested)
        self.unknown = [v for v in prefix.helpers if v in prefix.needed and v not in suggested]
        for variable in prefix.helpers:
            value = FALSE if variable in self.early else suggested.get(variable, FALSE)
            self.literals[variable] = value
        matrix = self.formula.add_to(self.builder, dict(self.literals))
        self._rejections: list[int] = []
        for decided in self.decisions():
            wrong = self.builder.and_all((decided.here, decided.black, matrix ^ 1))
            text = "the formula rejects for Black a play that the rules give to Black"
            self.claims.append(Claim(FindingKind.END_DIFFERS, decided.ply, wrong, text))
            self._rejections.append(wrong)
            text = "the formula cannot say that a goal of the rules is reached"
            self.claims.append(Claim(FindingKind.END_DIFFERS, decided.ply, decided.unsayable, text))

    def rejects(self, failure: Counterexample) -> bool:
        """True if a failure is about the matrix, and not about what can be claimed."""
        return any(failure.claim.wrong == wrong for wrong in self._rejections)

    def _early(self, suggested: Mapping[int, int]) -> dict[int, tuple[int, ...]]:
        """The helpers whose suggestion is not known where they stand, and what it reads there."""
        levels = self.prefix.levels
        wanted = {v: suggested[v] for v in self.prefix.helpers if v in levels and v in suggested}
        aig, roots = self.builder.build(list(wanted.values()))
        known = [-1, *map(self.prefix.known_at, self.variables)]
        for left, right in zip(aig.fanin0.tolist(), aig.fanin1.tolist(), strict=True):
            known.append(max(known[left >> 1], known[right >> 1]))
        early = {}
        for variable, root in zip(wanted, roots, strict=True):
            if known[root >> 1] > levels[variable]:
                cone = aig.cone([root])
                fanins = (*aig.fanin0[cone].tolist(), *aig.fanin1[cone].tolist(), root)
                reads = {literal >> 1 for literal in fanins}
                early[variable] = tuple(
                    v
                    for k, v in enumerate(self.variables, start=1)
                    if k in reads and known[k] > levels[variable]
                )
        return early

    def _suggestions(self) -> dict[int, int]:
        """Values for indicators, counter-example and states, by helper.

        Any values would do: that they satisfy the formula is what is proved.  They are built
        like a certificate's (``MoveTracker``), which follows the moves symbolically.  Where the
        layout has bits that a number does not need, the lowest ones are taken.
        """
        layout, goals, problem = self.layout, self.layout.goals, self.game.model.problem
        pairs: list[tuple[int, int]] = []
        tracker = MoveTracker(self.builder, self.game.model)
        for move in layout.moves[: self.game.plies]:
            pairs += self._track(tracker, move)
        if goals.counterexample and problem.white_goals:
            literals = tracker.counterexample(
                problem.white_goals,
                self.bits(goals.white_condition),
                _fit(self.bits(goals.white_x), problem.width),
                _fit(self.bits(goals.white_y), problem.height),
                len(goals.counterexample),
            )
            pairs += zip(goals.counterexample, literals, strict=True)
        x = Vector(_fit(self._square(layout.state.x), problem.width))
        y = Vector(_fit(self._square(layout.state.y), problem.height))
        inverted = layout.state.code is StateCode.OCCUPIED_WHITE
        for time, (first, second) in enumerate(layout.state.states):
            content = tracker.content(min(time, self.game.plies), x, y, frozen=True)
            pairs += ((first, content.is_open ^ inverted), (second, content.is_white))
        helpers = set(self.prefix.helpers)
        # Only helpers are suggested; of two suggestions the later one counts.
        return {abs(v): literal ^ (v < 0) for v, literal in pairs if abs(v) in helpers}

    def _square(self, bits: Bits) -> Bits:
        """The literals of bits of the symbolic square, as far as they mean something."""
        known = set(self.prefix.square.variables)
        return tuple(self.literals[abs(v)] ^ (v < 0) for v in bits if abs(v) in known)

    def _track(self, tracker: MoveTracker, move: Ply) -> Sequence[tuple[int, int]]:
        """Follow a ply; what it suggests for its indicators."""
        problem = self.game.model.problem
        vectors = (
            (self.bits(move.action), len(self.game.model.domain.actions(move.player))),
            (self.bits(move.x), problem.width),
            (self.bits(move.y), problem.height),
        )
        action, x, y = (_fit(bits, values) for bits, values in vectors)
        (stop,) = (FALSE,) if move.stop is None else self.bits((move.stop,))
        tracker.add(move.player, action, x, y, stop)
        indicators = move.indicators
        if indicators is None:
            return ()
        flags = tracker.precondition_flags(move.ply, len(indicators.preconditions))
        pairs = list(zip(indicators.preconditions, flags, strict=True))
        if indicators.bounds is not None:
            # Bits above those that are needed are 0 within the bounds.
            above = (
                bit ^ 1 for bits, values in vectors for bit in bits[: -width_for(values) or None]
            )
            within = self.builder.and_all((tracker.bounds_flag(move.ply), *above))
            pairs.append((indicators.bounds, within))
        return pairs


def _fit(bits: Bits, values: int) -> Bits:
    """The lowest bits of a number, as many as ``values`` need."""
    width = width_for(values)
    return (FALSE,) * (width - len(bits)) + bits[max(len(bits) - width, 0) :]
