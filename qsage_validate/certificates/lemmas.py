"""Compiled certificates that take more, loaded for these alone: lemmas, and lifts to a game.

*Lemmas* of a compiled certificate of a grid game, in a larger graph.  The lemmas are invariants
of the plan's plays.  The plan knows for each of its nodes which pieces stand where whenever it is
in force.  :class:`Invariants` says so to the checker: it builds the board square by square as
gates beside the certificate's (they are in no function of it), and clauses about them, ply by
ply:

* what the certificate reads on a square of the formula is what stands there;
* while a node is in force, certain squares have certain contents (an abstract interpretation of
  the plan: what holds in all plays that lead to the node);
* the moves are legal, and the opponent's goals are not reached;
* gates of the matrix that say so are true.

Nothing depends on these being right (``circuit/simplify.py``).

*Lifts* from a prepared positional game to a formula of the whole game.  Section 4.1 of Shaik,
Mayer-Eichberger, van de Pol and Saffidine 2023 leaves out positions that matter to nobody, and
first moves as good as others.  Whoever wins what is left wins the whole game by the same
strategy: the winner has a play of the prepared game in mind.

* A move of the opponent's that the play in mind does not know, or that it takes for illegal, is
  another one in mind, the first open position of the list.  So in mind the opponent has at least
  the stones that the opponent has, and the winner has the same.
* Black's first move, where the prepared formula has another one of its class under the symmetries
  of the whole game only, is turned to that one; so are all moves from then on, and replies are
  turned back.
* A formula ends with Black's last ply, and where few positions are left that may be early.  Behind
  it White claims what is left, as in mind, and then what was left out last (``claims_in_time``).

The functions of the prepared certificate are put behind the moves in mind.  They may read what
the opponent decides besides moves in the prepared formula; that follows from the moves, as the
prepared encoding says.  Nothing here is believed: the result is checked on the whole formula.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

from qsage_validate.certificates.check import Lemma, LemmaStep
from qsage_validate.certificates.compiler import Compiler, PlayInLiterals, require_completion
from qsage_validate.certificates.plan import Plan, PlanNode
from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder, embed, strash
from qsage_validate.circuit.decision import first_true
from qsage_validate.encodings.encoding import Encoding, Goals, PlyLiterals, completed, held
from qsage_validate.encodings.grid import grid_play
from qsage_validate.encodings.grid_state import Content, MoveTracker
from qsage_validate.encodings.layout import Bits, Layout, Ply
from qsage_validate.encodings.list_codings import listed
from qsage_validate.encodings.prepared import claims_in_time
from qsage_validate.games.bddl.ground import GroundAction
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.masks import members
from qsage_validate.games.positional.hex import with_winning_sets
from qsage_validate.games.positional.language import POSITIONAL
from qsage_validate.games.positional.model import (
    Arrangement,
    PositionalModel,
    find_symmetries,
    keeping_stones,
)
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.certificate import CircuitCertificate

# A compiled certificate of a grid game in a larger graph, with lemmas about that one


Key = tuple[str, int]
"""A step: what its lemmas are about, and the ply."""


@dataclass(frozen=True, slots=True)
class Known:
    """Bits of ``Grounding``'s states that are 1, and such that are 0, in all of some states."""

    ones: int
    zeros: int

    def meet(self, other: Known) -> Known:
        """The facts that hold in the states of both."""
        return Known(self.ones & other.ones, self.zeros & other.zeros)

    def after(self, action: GroundAction) -> Known:
        """The facts that hold after a legal action."""
        ones, zeros = self.ones | action.value, self.zeros | (action.care & ~action.value)
        return Known(
            ones & action.keep | action.put, zeros & action.keep | ~(action.keep | action.put)
        )


def known_after(plan: Plan, game: BddlGame) -> dict[PlanNode, Known]:
    """For each node what holds after its move, whatever way the play came to it."""
    grounding = game.grounding
    full = (1 << 3 * grounding.squares) - 1
    initial = Known(grounding.initial, full & ~grounding.initial)

    before: dict[PlanNode, Known] = {}
    opponent = plan.hero.other

    def arrive(node: PlanNode, known: Known) -> None:
        before[node] = before[node].meet(known) if node in before else known

    if plan.root is not None:
        arrive(plan.root, initial)
    for move, node in plan.replies.items():
        arrive(node, initial.after(game.action_of(move, opponent)))
    after: dict[PlanNode, Known] = {}
    for node in plan.nodes():
        after[node] = known = before[node].after(game.action_of(node.move, plan.hero))
        for move, child in node.table.items():
            arrive(child, known.after(game.action_of(move, opponent)))
    return after


class Cells:
    """One board: for each bit of ``Grounding``'s states a literal."""

    def __init__(self, builder: AigBuilder, bits: Sequence[int]) -> None:
        self.builder = builder
        self.bits = tuple(bits)

    def holds(self, care: int, value: int) -> int:
        """The literal that ``state & care == value``."""
        return self.builder.and_all(
            literal ^ 1 ^ (value >> bit & 1)
            for bit, literal in enumerate(self.bits)
            if care >> bit & 1
        )

    def after(self, chosen: Iterable[tuple[int, GroundAction]]) -> Cells:
        """The board after the action whose literal is true (of at most one)."""
        touched: dict[int, list[int]] = {}
        put: dict[int, list[int]] = {}
        for literal, action in chosen:
            for bit in members(((1 << len(self.bits)) - 1) & ~action.keep):
                touched.setdefault(bit, []).append(literal)
                if action.put >> bit & 1:
                    put.setdefault(bit, []).append(literal)
        or_all, and_ = self.builder.or_all, self.builder.and_
        bits = list(self.bits)
        for bit, literals in touched.items():
            kept = and_(bits[bit], or_all(literals) ^ 1)
            bits[bit] = self.builder.or_(or_all(put.get(bit, ())), kept)
        return Cells(self.builder, bits)


@dataclass
class PlyFacts:
    """A ply: the literals that say what is in play around it.

    ``before``: the play goes on, all moves of the opponent up to here were legal.  ``after``:
    this one, too.  ``going``: and no player stopped.  ``nodes`` are the hero's nodes that go on,
    each with a literal that says that it is in force.
    """

    move: Ply
    before: int
    in_bounds: int
    flags: tuple[int, ...]
    bounds: int | None
    after: int
    going: int
    nodes: dict[PlanNode, int]


class Invariants:
    """The lemmas about a compiled plan, in steps.

    ``flags`` say by ply that a move is legal: its preconditions, its bounds (``None``: not
    known).  ``left`` are codes of nodes and class bits after each of the hero's plies.
    """

    def __init__(
        self,
        builder: AigBuilder,
        layout: Layout,
        tracker: MoveTracker,
        plan: Plan,
        flags: Mapping[int, tuple[Sequence[int], int | None]],
        left: Sequence[tuple[dict[PlanNode, int], Bits]],
    ) -> None:
        self.builder = builder
        self.layout = layout
        self.tracker = tracker
        self.plan = plan
        self.game = BddlGame(tracker.model)
        self.grounding = self.game.grounding
        self.known = known_after(plan, self.game)
        initial = self.grounding.initial
        bits = [initial >> k & 1 for k in range(3 * self.grounding.squares)]
        self.boards = [Cells(builder, bits)]
        self.plies: list[PlyFacts] = []
        self.steps: list[LemmaStep] = []
        self._step_of: dict[tuple[str, int], int] = {}
        self._left = iter(left)
        # Gates that say what coordinates are: never cut, whatever else they may mean.
        self._decoded: set[int] = set()
        self._class_bits: dict[int, Bits] = {}
        for move in layout.moves:
            self._add(move, flags.get(move.ply, ((), None)))
        # The tracker's readings, by time: the squares' bits and what is there.
        self.read: list[list[tuple[Bits, Bits, Content, Content | None]]] = [
            [] for _ in range(len(self.boards))
        ]
        for (time, x, y, frozen), content in list(tracker.contents.items()):
            earlier = tracker.contents[time - 1, x, y, frozen] if time else None
            self.read[time].append(
                (tracker.sum(x), tracker.sum(y), content, earlier if frozen else None)
            )
        self._prove_plies()

    # -- what is spoken of -------------------------------------------------------------------

    def _add(self, move: Ply, legal: tuple[Sequence[int], int | None]) -> None:
        """Build the board after a ply and what is in play there."""
        builder, equals = self.builder, self.tracker.equals_constant
        step = self.tracker.steps[move.ply - 1]
        names = self.layout.actions[move.player]
        actions = self.game.model.domain.actions(move.player)
        columns = [equals(step.x.bits, x) for x in range(self.grounding.width)]
        rows = [equals(step.y.bits, y) for y in range(self.grounding.height)]
        named = [equals(step.action, names.index(action.name)) for action in actions]
        chosen = [
            (builder.and_(named[a.action], builder.and_(columns[a.x - 1], rows[a.y - 1])), a)
            for a in self.grounding.actions[move.player]
        ]
        board = self.boards[-1]
        self.boards.append(board.after(chosen))
        in_bounds = builder.or_all(literal for literal, _ in chosen)
        self._decoded.update(columns, rows, named, (literal for literal, _ in chosen))
        before = self.plies[-1].going if self.plies else TRUE
        flags, bounds = legal
        nodes: dict[PlanNode, int] = {}
        after = before
        if move.player is self.plan.hero:
            codes, bits = next(self._left)
            nodes = {node: equals(bits, code) for node, code in codes.items()}
            self._class_bits[move.ply] = bits
            # The hero's move is legal on this board: what is read later takes it for granted.
            in_bounds = builder.or_all(
                builder.and_(literal, board.holds(action.care, action.value))
                for literal, action in chosen
            )
            after = builder.and_(before, in_bounds)
        else:
            after = builder.and_all((before, in_bounds, *flags))
        steps = self.tracker.steps
        running = steps[move.ply].running if move.ply < len(steps) else self.tracker.running
        going = builder.and_(after, running)
        self.plies.append(
            PlyFacts(move, before, in_bounds, tuple(flags), bounds, after, going, nodes)
        )

    def cuts(self, time: int) -> set[int]:
        """The gates to stop at, known at a time: the node in force and the contents read."""
        if not time:
            return set()
        return {
            *self.read_cuts(time),
            *self._class_bits.get(time, ()),
            self.tracker.steps[time - 1].running,
        }

    def squares(self, x: Bits, y: Bits) -> list[int]:
        """For each square of the board the literal that (x, y) is that one."""
        equals = self.tracker.equals_constant
        columns = [equals(x, k) for k in range(self.grounding.width)]
        rows = [equals(y, k) for k in range(self.grounding.height)]
        here = [self.builder.and_(column, row) for row in rows for column in columns]
        self._decoded.update(columns, rows, here)
        return here

    def on(self, time: int, square: int) -> Content:
        """The content of a square of the board after ``time`` plies."""
        bits, squares = self.boards[time].bits, self.grounding.squares
        return Content(bits[2 * squares + square] ^ 1, bits[squares + square])

    def same(self, left: Content, right: Content) -> int:
        """The literal that two contents are equal."""
        eq = self.builder.eq
        return self.builder.and_(eq(left.is_open, right.is_open), eq(left.is_white, right.is_white))

    # -- steps -------------------------------------------------------------------------------

    def prove(
        self,
        key: Key,
        lemmas: Iterable[Lemma],
        attempts: Iterable[tuple[Iterable[int], Iterable[Key]]] = (((), ()),),
    ) -> None:
        """Add a step, with cuts and used steps of each attempt; the latter may be missing."""
        said = tuple(lemma for lemma in lemmas if TRUE not in lemma.graph)
        kept = {FALSE, *(x & ~1 for x in self._decoded)}
        tried = tuple(
            (
                Lemma(tuple(sorted({x & ~1 for x in cuts} - kept))),
                tuple(dict.fromkeys(self._step_of[u] for u in uses if u in self._step_of)),
            )
            for cuts, uses in attempts
        )
        self._step_of[key] = len(self.steps)
        self.steps.append(LemmaStep(said, tried))

    def _prove_plies(self) -> None:
        moves = {x for ply in self.plies for x in self._moves(ply.move.ply)}
        self.prove(("read", 0), self._reading(0), [(moves, ())])
        for ply in self.plies:
            time = ply.move.ply
            self.prove(
                ("read", time),
                self._reading(time),
                [(self.cuts(past) | moves, [("read", past)]) for past in (time - 1,)]
                + [((), [("read", time - 1)])],
            )
            running = self.tracker.steps[time - 1].running
            stops = self.read_cuts(time - 1) | self._moves(time) | {running}
            self.prove(("frozen", time), self._freezing(time), [(stops, ()), ((), ())])
            hero = ply.move.player is self.plan.hero
            attempts = []
            uses: list[Key] = [("read", time - 1)]
            for last in range(time - (2 if hero else 1), -2, -2):
                past = max(last, 0)
                uses += [("read", past), ("nodes", past), ("bounds", past + 1)]
                attempts.append((self.cuts(past), list(uses)))
            if hero:
                self.prove(("nodes", time), self._nodes(ply), attempts)
            else:
                if ply.bounds is not None:
                    said = Lemma((self.builder.eq(ply.bounds, ply.in_bounds),))
                    self.prove(("bounds", time), [said])
                self.prove(("unwon", time), self._unwon(ply), attempts)

    def _moves(self, ply: int) -> set[int]:
        step = self.tracker.steps[ply - 1]
        return {*step.action, *step.x.bits, *step.y.bits}

    def _reading(self, time: int) -> Iterator[Lemma]:
        """Lemmas: the content that the tracker reads on a square is the content of the board."""
        after = self.plies[time - 1].after if time else TRUE
        for x, y, content, _ in self.read[time]:
            for square, here in enumerate(self.squares(x, y)):
                same = self.same(content, self.on(time, square))
                yield Lemma((after ^ 1, here ^ 1, same))

    def _freezing(self, time: int) -> Iterator[Lemma]:
        """Lemmas: the content that is read of the end does not change once the play has stopped."""
        running = self.tracker.steps[time - 1].running
        for _, _, content, earlier in self.read[time]:
            if earlier is not None:
                yield Lemma((running, self.same(content, earlier)))

    def read_cuts(self, time: int) -> set[int]:
        """The gates of the contents read at a time, to stop at; none at time 0, which is known."""
        if not time:
            return set()
        return {x for _, _, c, _ in self.read[time] for x in (c.is_open, c.is_white)}

    def _unwon(self, ply: PlyFacts) -> Iterator[Lemma]:
        """The opponent has not reached a goal."""
        board = self.boards[ply.move.ply]
        for goal in self.grounding.goals[ply.move.player]:
            yield Lemma((ply.after ^ 1, board.holds(goal.care, goal.value) ^ 1))

    def _nodes(self, ply: PlyFacts) -> Iterator[Lemma]:
        """The hero's move is legal; each node that goes on knows its squares; there is one."""
        for literal in (ply.in_bounds, *ply.flags):
            yield Lemma((ply.before ^ 1, literal))
        board = self.boards[ply.move.ply]
        for node, chosen in ply.nodes.items():
            known = self.known[node]
            holds = board.holds(known.ones | known.zeros, known.ones)
            yield Lemma((ply.going ^ 1, chosen ^ 1, holds))
        if ply.nodes:
            yield Lemma((ply.going ^ 1, *ply.nodes.values()))


def compile_with_lemmas(
    encoding: Encoding, plan: Plan
) -> tuple[CircuitCertificate, CircuitCertificate, tuple[LemmaStep, ...]]:
    """The certificate of ``compile_plan`` for a grid game, the same in a larger graph, and lemmas.

    The functions of both are the same gate by gate; the larger graph has more gates, about which
    the lemmas are.
    """
    compiler = Compiler(encoding, plan, rewrite=False)
    compiler.run()
    certificate, _ = compiler.certificate()
    larger, lemmas = _Lemmas(compiler).larger()
    return certificate, larger, lemmas


class _Lemmas:
    """The steps that lead from what holds in the plays to the formula's output."""

    def __init__(self, compiler: Compiler) -> None:
        model, layout = compiler.encoding.model, compiler.layout
        assert isinstance(model, Model), "invariants are those of grids"
        self.compiler = compiler
        self.layout = layout
        self.builder = compiler.builder
        self.literals = compiler.literals | compiler.functions
        # The same once more, gate by gate: what was read where, and the flags of legality.
        play = grid_play(layout, model, compiler.hero, compiler.builder)
        play.completed(compiler)
        self.found = Invariants(
            compiler.builder,
            layout,
            play.tracker,
            compiler.plan,
            play.flags,
            compiler.decisions.left,
        )

    def larger(self) -> tuple[CircuitCertificate, tuple[LemmaStep, ...]]:
        """The certificate in a graph with the gates of the lemmas, and these in its literals."""
        (self._of_black if self.compiler.hero is Player.BLACK else self._of_white)(self.found)
        steps = self.found.steps
        used = sorted({x for step in steps for part in step.parts for x in part.graph})
        made, moved = self.compiler.certificate(used)
        place = dict(zip(used, moved, strict=True))

        def placed(part: Lemma) -> Lemma:
            return Lemma(tuple(place[x] for x in part.graph), part.formula)

        return made, tuple(
            LemmaStep(
                tuple(map(placed, step.lemmas)),
                tuple((placed(cuts), uses) for cuts, uses in step.attempts),
            )
            for step in steps
        )

    def _of_black(self, found: Invariants) -> None:
        plies, times = found.plies, range(len(found.boards))
        for ply in plies:
            number = ply.move.ply
            stop = FALSE
            if ply.move.stop is not None:
                stop = self.literals[ply.move.stop]
            if ply.move.player is Player.BLACK:
                said = [
                    self._said(f"black {number} move", ply.before),
                    self._said(f"black {number} wins", ply.before, stop),
                ]
                if ply is plies[-1]:
                    said.append(self._said("black goal", ply.before))
                last = max(number - 2, 0)
            else:
                said = [
                    self._said(f"white {number} indicators", ply.before),
                    self._said(f"white {number} move", ply.after),
                    self._said(f"white {number} has not won", ply.after, stop),
                ]
                last = number - 1
            uses = [("read", last), ("read", number - 1), ("read", number)]
            uses += [("nodes", last), ("bounds", last + 1), ("unwon", number)]
            uses += [("frozen", time) for time in times if time > number]
            found.prove(("matrix", number), chain(*said), [((), uses)])
        for ply in reversed(plies):
            number = ply.move.ply
            said = [self._said(f"{ply.move.player.value} {number} ply", ply.before)]
            uses = [("nodes", number), ("matrix", number), ("ply", number + 1)]
            found.prove(("ply", number), chain(*said), [((), uses)])

    def _of_white(self, found: Invariants) -> None:
        board, lost = self.layout.state, (-self.compiler.qbf.output,)
        x = tuple(self.literals[v] for v in board.x)
        y = tuple(self.literals[v] for v in board.y)
        lemmas: list[Lemma] = []
        cuts: set[int] = set()
        for time, ply in enumerate(found.plies):
            cuts |= found.cuts(time)
            move = ply.move
            if time < len(board.states):
                first, second = (self.literals[v] for v in board.states[time])
                said = Content(first, self.builder.and_(first ^ 1, second))
                for square, here in enumerate(found.squares(x, y)):
                    same = found.same(said, found.on(time, square))
                    lemmas.append(Lemma((ply.before ^ 1, here ^ 1, same), lost))
            indicators = move.indicators
            if move.player is Player.BLACK:
                lemmas += [
                    Lemma((ply.before ^ 1, literal), lost)
                    for literal in (ply.in_bounds, *ply.flags)
                ]
            elif indicators is not None:
                for flag, variable in zip(ply.flags, indicators.preconditions, strict=True):
                    same = self.builder.eq(flag, self.literals[variable])
                    lemmas.append(Lemma((ply.before ^ 1, same), lost))
                if indicators.bounds is not None:
                    lemmas.append(Lemma((ply.before ^ 1, self.literals[indicators.bounds]), lost))
            if move.stop is not None:
                stop = self.literals[move.stop]
                lemmas.append(Lemma((ply.after ^ 1, stop ^ 1), lost))
        uses = [
            (name, time)
            for time in range(len(found.boards))
            for name in ("read", "frozen", "nodes", "unwon")
        ]
        found.prove(("matrix", 0), lemmas, [(cuts, uses), ((), uses)])

    def _said(self, name: str, *conditions: int) -> list[Lemma]:
        """The gate of a name is true under conditions, where the formula has that gate."""
        gate = self.layout.gates.get(name)
        return [] if gate is None else [Lemma(tuple(x ^ 1 for x in conditions), (gate,))]


# Lifts a certificate of a prepared positional game to a formula of the whole game


def lift(
    certificate: CircuitCertificate, prepared: Encoding, whole: Encoding
) -> CircuitCertificate:
    """The certificate of ``whole`` that plays as ``certificate`` of ``prepared`` does.

    Both are encodings of one name, of a positional game and of what preparation leaves of it.
    The result is not checked here.  Raises ``NotCompiledError`` for an encoding that says nothing
    about certificates of the winner, and ``UsageError`` where a goal has to be named and there
    are too many ways of a network to list them.
    """
    require_completion(whole, certificate.kind.player)
    lifting = _Lifting(certificate, prepared, whole)
    lifting.run()
    return lifting.certificate()[0]


@dataclass(frozen=True)
class _View:
    """What positions are called in mind where the literal ``taken`` holds."""

    taken: int
    in_mind: Mapping[str, str]

    @cached_property
    def really(self) -> Mapping[str, str]:
        """What a position in mind is called on the board."""
        return {there: here for here, there in self.in_mind.items()}


class _Lifting(PlayInLiterals):
    """The play of the whole game, with the one in mind beside it."""

    def __init__(
        self, certificate: CircuitCertificate, prepared: Encoding, whole: Encoding
    ) -> None:
        super().__init__(whole, certificate.kind.player, AigBuilder())
        self.make_inputs()
        self.inner = _Inner(certificate, prepared, self.builder)
        self.model = POSITIONAL.own(whole.model)
        size = len(self.model.positions)
        self.black, self.white = held(self.model.black, size), held(self.model.white, size)
        self._views = [_View(TRUE, {name: name for name in self.model.positions})]
        self._stopped = FALSE

    def run(self) -> None:
        """Find the functions of all variables that the certificate decides."""
        inner = self.inner.layout.moves
        for index, ply in enumerate(self.layout.moves):
            in_mind = inner[index] if index < len(inner) else None
            if ply.player is self.hero:
                self._hero_ply(ply, in_mind)
            else:
                self._opponent_ply(ply, in_mind)
        self.complete()

    # -- plies ---------------------------------------------------------------------------------

    def _opponent_ply(self, ply: Ply, in_mind: Ply | None) -> None:
        written = self.written(ply)
        self.plies.append(written)
        taken = self.mind.replaced(ply, written.made)
        self.mind.play(ply, replace(written, moves=lambda: taken), self.literals)
        self._lay(ply, taken)
        made = dict(zip(ply.moves, written.made, strict=True))
        if ply.ply == 1 and in_mind is not None:
            self._choose_view(made, in_mind)
        known = self.inner.behind(ply) if in_mind is None else in_mind
        there = self._by_view([(view.taken, view.really) for view in self._views], made, known)
        if in_mind is None:
            self.inner.go_on(known, there)
        else:
            self.inner.opponent(in_mind, there)

    def _hero_ply(self, ply: Ply, in_mind: Ply | None) -> None:
        coding = ply.coding
        if in_mind is None:
            made = self._behind(ply)
        else:
            own = dict(zip(in_mind.moves, self.inner.hero_move(in_mind), strict=True))
            made = self._by_view([(view.taken, view.in_mind) for view in self._views], own, ply)
        if ply.stop is not None:
            self._stopped = self.builder.or_(self._stopped, self._stops(in_mind))
            made = [self.builder.and_(literal, self._stopped ^ 1) for literal in made]
            self.define([ply.stop], [self._stopped])
        numbers = [self.encoded(made)] if coding.numbers else []
        for number, bits in zip(coding.numbers, numbers, strict=True):
            padding = (FALSE,) * (len(number.bits) - len(bits))
            self.define(number.bits, padding + bits if number.bits else ())
        if not coding.numbers:
            self.define(coding.variables, made)
        played = self.played(ply, numbers, self._stopped, lambda: made)
        self.mind.play(ply, played, self.literals)
        self.plies.append(played)
        self._lay(ply, made)

    def _lay(self, ply: Ply, made: Sequence[int]) -> None:
        """Lay stones where they may be laid: a certificate may claim what is taken."""
        own, other = self.black, self.white
        if ply.player is Player.WHITE:
            own, other = other, own
        for name, literal in zip(ply.moves, made, strict=True):
            v = self.model.number[name]
            own[v] = self.builder.or_(own[v], self.builder.and_(literal, other[v] ^ 1))

    def _behind(self, ply: Ply) -> list[int]:
        """The move at a ply that the prepared formula does not have."""
        own = self.inner.any_open(ply)
        left = self._by_view([(view.taken, view.in_mind) for view in self._views], own, ply)
        order = [name for name in self._order if name in set(ply.moves)]
        others = dict(zip(order, self.mind.fallback(_listed(ply, order)), strict=True))
        none = self.builder.or_all(own.values()) ^ 1
        return [
            self.builder.or_(literal, self.builder.and_(none, others.get(name, FALSE)))
            for name, literal in zip(ply.moves, left, strict=True)
        ]

    @cached_property
    def _order(self) -> tuple[str, ...]:
        return claims_in_time(self.model, self.layout.encoding)

    def _stops(self, in_mind: Ply | None) -> int:
        """The literal that Black stops before a ply: Black has won by then, here or in mind."""
        if in_mind is None:
            return TRUE
        won = self.builder.or_all(completed(self.builder, self._sets.black_wins, self.black))
        return self.builder.or_(won, self.inner.stop(in_mind))

    @cached_property
    def _sets(self) -> PositionalModel:
        return with_winning_sets(self.model)

    # -- symmetries ----------------------------------------------------------------------------

    def _by_view(
        self, views: Sequence[tuple[int, Mapping[str, str]]], made: Mapping[str, int], ply: Ply
    ) -> list[int]:
        """For each move of a ply the literal that it is made, under its name in the view taken."""
        builder = self.builder
        return [
            builder.or_all(
                builder.and_(taken, made.get(names[move], FALSE)) for taken, names in views
            )
            for move in ply.moves
        ]

    def _choose_view(self, made: Mapping[str, int], in_mind: Ply) -> None:
        """Turn a first move that is not one of the prepared formula's to one that is."""
        names, known = self.model.positions, frozenset(in_mind.moves)
        left = frozenset(POSITIONAL.own(self.inner.encoding.model).positions)
        missing = [name for name in made if name in left and name not in known]
        if not missing:
            return
        found = find_symmetries(self.model, Arrangement.of(names))
        turned = FALSE
        for symmetry in keeping_stones(self.model, found):
            in_mind_of = {name: names[symmetry.images[k]] for k, name in enumerate(names)}
            fits = [name for name in missing if in_mind_of[name] in known]
            missing = [name for name in missing if name not in fits]
            if fits:
                taken = self.builder.or_all(made[name] for name in fits)
                turned = self.builder.or_(turned, taken)
                self._views.append(_View(taken, in_mind_of))
        self._views[0] = replace(self._views[0], taken=turned ^ 1)

    # -- goals ---------------------------------------------------------------------------------

    def witness(self, value: Callable[[Goals], int], width: int) -> Bits:
        """A number about one of the goals that preparation left, with Black's first stones."""
        if self.hero is Player.WHITE:
            return (FALSE,) * width
        numbers = [value(frozenset({goal | self.model.black})) for goal in self._goals]
        first = first_true(self.builder, completed(self.builder, self._goals, self.black))
        return tuple(
            self.builder.or_all(
                literal for literal, n in zip(first, numbers, strict=True) if n >> bit & 1
            )
            for bit in reversed(range(width))
        )

    @cached_property
    def _goals(self) -> list[int]:
        """The goals that are left, in the numbers of the whole game."""
        left = with_winning_sets(POSITIONAL.own(self.inner.encoding.model))
        return [self.model.mask(left.names(goal)) for goal in left.black_wins]


class _Inner(PlayInLiterals):
    """The play in mind, in the literals of the graph of the whole game's."""

    def __init__(
        self, certificate: CircuitCertificate, prepared: Encoding, builder: AigBuilder
    ) -> None:
        super().__init__(prepared, certificate.kind.player, builder)
        self.strategy = certificate

    def witness(self, value: Callable[[Goals], int], width: int) -> Bits:
        return (FALSE,) * width

    def opponent(self, ply: Ply, made: Sequence[int]) -> None:
        """Go on by a move of the opponent's, one of the ply's moves or none of them."""
        taken = self.mind.replaced(ply, made)
        self._enter(ply, taken)
        self.go_on(ply, taken)

    def hero_move(self, ply: Ply) -> Sequence[int]:
        """Go on by the certificate's move; returns a literal for each of the ply's moves."""
        self._read(ply.all_variables)
        if ply.coding.numbers:
            numbers = [tuple(map(self.value, number.bits)) for number in ply.coding.numbers]
            made = self.decoded(ply.coding, numbers)
        else:
            made = [self.value(literal) for literal in ply.coding.variables]
        self.go_on(ply, made)
        return made

    def behind(self, ply: Ply) -> Ply:
        return _listed(ply, POSITIONAL.own(self.encoding.model).positions)

    def any_open(self, ply: Ply) -> Mapping[str, int]:
        """Go on behind the last ply by the first open position that is left, if any."""
        behind = self.behind(ply)
        made = self.mind.fallback(behind)
        self.go_on(behind, made)
        return dict(zip(behind.moves, made, strict=True))

    def stop(self, ply: Ply) -> int:
        """The literal that the hero stops instead of the ply."""
        return FALSE if ply.stop is None else self.value(ply.stop)

    def go_on(self, ply: Ply, made: Sequence[int]) -> None:
        """Go on by a move: a literal for each of the ply's moves."""
        numbers = [tuple(map(self.value, number.bits)) for number in ply.coding.numbers]
        played = self.played(ply, numbers, self.stop(ply), lambda: made)
        self.mind.play(ply, played, self.literals)
        self.plies.append(played)

    def _enter(self, ply: Ply, made: Sequence[int]) -> None:
        """Write a move of the opponent's, who never stops, to its variables."""
        vectors = [number.bits for number in ply.coding.numbers] or [ply.coding.variables]
        bits = self.encoded(made) if ply.coding.numbers else tuple(made)
        for variables in vectors:
            padding = (FALSE,) * (len(variables) - len(bits))
            for variable, bit in zip(variables, padding + bits if variables else (), strict=True):
                self.literals[abs(variable)] = bit ^ (variable < 0)
        if ply.stop is not None:
            self.literals[abs(ply.stop)] = FALSE ^ (ply.stop < 0)

    def _read(self, variables: Sequence[int]) -> None:
        """The values of some of the hero's variables by the certificate."""
        names = [abs(v) for v in variables if abs(v) not in self.qbf.gates]
        functions = {v: self.strategy.functions.get(v, FALSE) for v in names}
        aig = self.strategy.aig
        # What is not known yet stands further right in the prefix.
        known = self._known() if self._asks_for_more(list(functions.values())) else self.literals
        inputs = [known.get(v, FALSE) for v in self.strategy.inputs]
        self.literals.update(
            zip(names, embed(self.builder, aig, inputs, list(functions.values())), strict=True)
        )

    def _asks_for_more(self, functions: Sequence[int]) -> bool:
        """True if functions read a variable of the opponent's that is no move."""
        small, moved = strash(self.strategy.aig, functions)
        reached = {literal >> 1 for literal in moved}
        reached.update((small.fanin0 >> 1).tolist(), (small.fanin1 >> 1).tolist())
        inputs = enumerate(self.strategy.inputs, start=1)
        return any(k in reached and v not in self.literals for k, v in inputs)

    def _known(self) -> Mapping[int, int]:
        """The literals of all that the opponent decides, as far as the play has gone."""
        opponent = self.hero.other
        if opponent not in self.encoding.completions:
            return self.literals
        rest = self.layout.moves[len(self.plies) :]
        return _SoFar(self, rest, opponent).known()


def _listed(ply: Ply, moves: Sequence[str]) -> Ply:
    """A ply of the same player's, with other moves."""
    return listed(ply.ply, ply.player, tuple(moves))


class _SoFar:
    """A play that has not ended, as one in which nothing is claimed at the other plies."""

    def __init__(self, play: _Inner, rest: Sequence[Ply], opponent: Player) -> None:
        self.builder = play.builder
        self.hero = opponent
        self._completion = play.encoding.completions[opponent]
        unknown = {abs(v): FALSE for v in play.qbf.levels() if v not in play.literals}
        self.literals: Mapping[int, int] = {**unknown, **play.literals}
        nothing = [
            PlyLiterals(
                ply.player,
                [(FALSE,) * len(number.bits) for number in ply.coding.numbers],
                FALSE,
                {},
                lambda ply=ply: [FALSE] * len(ply.moves),  # type: ignore[misc]
            )
            for ply in rest
        ]
        self.plies = [*play.plies, *nothing]

    def witness(self, value: Callable[[Goals], int], width: int) -> Bits:
        """Zeros: the opponent reaches nothing."""
        return (FALSE,) * width

    def known(self) -> Mapping[int, int]:
        """The literals of all variables: those of moves, and what follows of them."""
        return {**self.literals, **self._completion(self)}
