"""Scripted plays of games whose moves are listed: (S) and (C) of the level *encoding*.

A script fixes the choices of both players.  The rules are the kernel's circuit of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.circuit.qbf import Quantifier
from qsage_validate.encodings.completion import Goals, PlayLiterals, PlyLiterals
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.layout.codings import Bits, value_bits
from qsage_validate.encodings.layout.layout import Layout, Ply
from qsage_validate.encodings.positional.in_mind import completed, first_true
from qsage_validate.games.masks import members
from qsage_validate.games.positional.cover_game import OUT_OF_COVER, in_the_cover, shapes_of
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.positional.paths import with_winning_sets
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.claims import (
    Claim,
    Counterexample,
    evaluate,
)
from qsage_validate.kernel.fault import FindingKind
from qsage_validate.kernel.game import State
from qsage_validate.kernel.reading import Matcher, PlyReading, Reading, Replies
from qsage_validate.kernel.strategy import played
from qsage_validate.kernel.walk import Step, Walk
from qsage_validate.validation.proofs.ground import RulesIn
from qsage_validate.validation.proofs.listed_roles import BLACK, LEFT, WHITE, Roles

_NOWHERE: Final = 1 << 40
"""A level right of every prefix: of choices at plies that the formula has not."""


class Scripts:
    """Scripted plays: the choices of both players are inputs of a graph.

    ``literals`` has the graph's literal of each variable of the prefix, ``known`` the level of the
    prefix such that what stands right of it may depend on an input of the graph.
    """

    claims: list[Claim]
    assumed: list[int]

    def __init__(self, prefix: Roles, layout: Layout, rules_in: RulesIn) -> None:
        self.prefix = prefix
        self.formula = prefix.formula
        self.layout = layout
        self.builder = AigBuilder()
        self.rules = rules_in(self.builder)
        self.claims = []
        self.assumed = []
        self.known: dict[int, int] = {}
        self.literals: dict[int, int] = {
            v: TRUE if value else FALSE for v, value in prefix.constants.items()
        }
        self.steps: list[Step] = []

    def input(self, known: int = _NOWHERE) -> int:
        """A new input of the graph."""
        literal = self.builder.input()
        self.known[literal] = known
        return literal

    def said(self, ply: PlyReading) -> list[int]:
        """The graph's literals of a ply's."""
        return [self.literals[abs(v)] ^ (v < 0) for v in ply.literals]

    def missing(
        self,
        ply: int,
        names: Sequence[str],
        legal: Sequence[int],
        codes: Mapping[str, object],
        playing: int,
    ) -> None:
        """Claim that moves without a code are legal in no play that comes to the ply."""
        for name, can in zip(names, legal, strict=True):
            if name in codes:
                continue
            if ply == 1 and not self.rules.as_good(name).isdisjoint(codes):
                continue
            wrong = self.builder.and_(playing, can)
            player = self.rules.mover(ply)
            text = f"{player}'s move {name} is legal by the rules, and has no code"
            claim = Claim(FindingKind.LEGALITY_DIFFERS, ply - 1, wrong, text)
            self.claims.append(claim)

    def silent(self, ply: int, state: State, playing: int) -> None:
        """Claim that the rules say how the play goes on."""
        wrong = self.builder.and_(playing, self.rules.undefined(state, ply))
        self.claims.append(Claim(FindingKind.RULES_SILENT, ply - 1, wrong, "the rules are silent"))

    def values(
        self, variables: Sequence[int] | Mapping[int, object], failure: Counterexample
    ) -> dict[int, bool]:
        """The values of variables in a play that differs."""
        return evaluate(self.builder, {v: self.literals[v] for v in variables}, failure.inputs)

    def moves(self, failure: Counterexample) -> tuple[str, ...]:
        """The moves of a play that differs, up to the ply at which it is decided."""
        return played(self.builder, self.steps[: failure.claim.ply], failure.inputs)


class Soundness(Scripts):
    """No values of the helpers satisfy the matrix where the rules give the play to White.

    White makes legal moves.  A move of Black's that is not legal is a pass where that is known to
    be no better than any move; elsewhere it loses.  Universal variables without a role are 0, but
    for those behind all choices of Black's: the matrix has to be true for each of their values,
    and a helper may have another value for each choice of those that stand left of it.
    """

    def __init__(
        self,
        prefix: Roles,
        layout: Layout,
        rules_in: RulesIn,
        suggested: Encoding | str,
    ) -> None:
        super().__init__(prefix, layout, rules_in)
        self.literals.update(dict.fromkeys(prefix.free, FALSE))
        self._suggested = suggested
        self._first_black: Sequence[int] = ()
        replies = {BLACK: Replies.PASS, WHITE: Replies.ILLEGAL}
        reading = Reading(tuple(map(self._ply, prefix.reading.plies)), replies=replies)
        self._walk = Walk(self.rules, reading, BLACK, self._chosen)
        self._plays()
        self.assumed += self._matrices()

    def _outside(self, ply: int) -> bool:
        """True if a ply's moves are White's in the encoding COVER, which are none of the rules."""
        return OUT_OF_COVER in self.layout.moves[ply - 1].moves

    def _ply(self, ply: PlyReading) -> PlyReading:
        """The ply itself; in COVER one whose codes are the numbers of the rules' moves."""
        if not self._outside(ply.ply):
            return ply
        names = self.rules.moves(ply.ply)
        width = max(len(names) - 1, 0).bit_length()
        codes = {name: (value_bits(k, width),) for k, name in enumerate(names)}
        return PlyReading(ply.ply, ply.player, (0,) * width, codes)

    def _chosen(self, ply: PlyReading) -> Sequence[int]:
        """The values of a ply's literals: inputs of the graph."""
        if self._outside(ply.ply):
            return self._in_the_cover(ply)
        for variable in map(abs, ply.literals):
            if variable not in self.literals:
                self.literals[variable] = self.input()
        return self.said(ply)

    def _in_the_cover(self, ply: PlyReading) -> Sequence[int]:
        """Choose a move of the rules; the formula's variables say what COVER calls it.

        What is said is a function of the play so far, as any strategy of White's is.
        """
        bits = [self.input() for _ in ply.literals]
        coding = self.layout.moves[ply.ply - 1].coding
        match = Matcher(self.builder, bits)
        cover = self._cover()
        for variable in coding.variables:
            self.literals[abs(variable)] = FALSE
        for name, (pattern,) in ply.codes.items():
            chosen = match(pattern)
            inside = cover.get(name, FALSE)
            for text, so in ((in_the_cover(name), inside), (OUT_OF_COVER, inside ^ 1)):
                here = self.builder.and_(chosen, so)
                for variable, value in coding.encode(text).items() if coding.can_say(text) else ():
                    if value:
                        self.literals[variable] = self.builder.or_(self.literals[variable], here)
        return bits

    def _cover(self) -> Mapping[str, int]:
        """For each position the literal that it is in the cover of Black's first stones."""
        model = None if isinstance(self._suggested, str) else self._suggested.model
        if not isinstance(model, PositionalModel):
            return {}
        if not self._first_black:
            atoms = self.rules.atoms(self._walk.state, self._walk.time)
            self._first_black = [atoms[f"black {name}"] for name in model.positions]
        around: dict[str, list[int]] = {name: [] for name in model.positions}
        for shape in shapes_of(model):
            touched = self.builder.or_all(self._first_black[v] for v in members(shape))
            for v in members(shape):
                around[model.positions[v]].append(touched)
        return {name: self.builder.or_all(touched) for name, touched in around.items()}

    def _plays(self) -> None:
        """Claim that no play is White's; the matrices, which are assumed, decide otherwise."""
        walk, and_ = self._walk, self.builder.and_
        text = "the formula accepts for Black a play that the rules give to White"

        def white(ply: int, literal: int) -> None:
            self.claims.append(Claim(FindingKind.END_DIFFERS, ply, literal, text))

        white(0, walk.won[WHITE])
        for step in walk.steps():
            self.steps.append(step)
            self.silent(step.ply, step.before, step.playing)
            if step.player is BLACK:
                white(step.ply, and_(step.playing, step.failed))
            elif step.reading is not None:
                self.missing(step.ply, step.names, step.legal, step.reading.codes, step.playing)
            white(walk.time, walk.won[WHITE])
        white(walk.time, walk.playing)

    def _matrices(self) -> Iterator[int]:
        """The matrix for each value of the universal variables behind Black's choices."""
        levels, late = self.prefix.levels, self.prefix.late
        # What no play has come to, the end of the play being known: any values.
        for variable in self.prefix.roles:
            if variable not in self.literals:
                self.literals[variable] = self.input()
        copies: dict[tuple[int, tuple[int, ...]], int] = {}
        for number in range(1 << len(late)):
            chosen = dict(zip(late, map(int, value_bits(number, len(late))), strict=True))
            literals = {**self.literals, **chosen}
            for variable in self.formula.levels():
                if variable in literals:
                    continue
                level = levels.get(variable, LEFT)
                seen = tuple(value for v, value in chosen.items() if levels[v] < level)
                key = variable, seen
                if key not in copies:
                    copies[key] = self.input() if variable in levels else FALSE
                literals[variable] = copies[key]
            yield self.formula.add_to(self.builder, literals)


@dataclass(frozen=True)
class _Play:
    """A play in literals, as completions see it (``PlayLiterals``)."""

    builder: AigBuilder
    plies: Sequence[PlyLiterals]
    literals: Mapping[int, int]
    goals: Callable[[], Sequence[tuple[Goals, int]]]
    hero: Player = BLACK

    def witness(self, value: Callable[[Goals], int], width: int) -> Bits:
        """The number about the first goal that Black has reached in the end."""
        bits: list[int] = [FALSE] * width
        for goals, first in self.goals():
            for place, one in enumerate(value_bits(value(goals), width)):
                if one:
                    bits[place] = self.builder.or_(bits[place], first)
        return tuple(bits)


class Completeness(Scripts):
    """The values that the encoder suggests satisfy the matrix where the rules give Black the play.

    Black makes legal moves, until the rules say that Black has won; what follows is the encoding's
    to suggest.  A move of White's that is not legal is a pass where that is known to be no better
    than any move; elsewhere White makes the first legal move of the layout's list in its place.

    ``unknown`` are the helpers without a suggestion, ``early`` those whose suggestion reads what
    is not known where they stand: both are 0.
    """

    def __init__(
        self,
        prefix: Roles,
        layout: Layout,
        rules_in: RulesIn,
        suggested: Encoding | str,
    ) -> None:
        super().__init__(prefix, layout, rules_in)
        for variable in (*prefix.late, *prefix.free):
            self.literals[variable] = self.input(prefix.levels[variable])
        self._plies: list[PlyLiterals] = []
        self._state: State = self.rules.initial
        self._playing, self._over = TRUE, FALSE
        self._won: list[tuple[int, int]] = []
        self._look(0)
        for ply in range(1, self.rules.plies + 1):
            if ply > len(layout.moves) and self._playing == FALSE:
                break
            self._step(ply)
            self._look(ply)
        values = self._suggestions(suggested)
        self.unknown = [v for v in prefix.helpers if v not in values]
        self.early = self._early({v: values[v] for v in prefix.helpers if v in values})
        for variable in self.formula.levels():
            if variable not in self.literals:
                known = variable in values and variable not in self.early
                self.literals[variable] = values[variable] if known else FALSE
        matrix = self.formula.add_to(self.builder, dict(self.literals))
        self._rejections: list[int] = []
        text = "the formula rejects for Black a play that the rules give to Black"
        for time, won in self._won:
            wrong = self.builder.and_(won, matrix ^ 1)
            self.claims.append(Claim(FindingKind.END_DIFFERS, time, wrong, text))
            self._rejections.append(wrong)

    def rejects(self, failure: Counterexample) -> bool:
        """True if a failure is about the matrix, and not about a move without a code."""
        return failure.claim.wrong in self._rejections

    def _look(self, time: int) -> None:
        won = self.rules.won(self._state, time)
        black = self.builder.and_(self._playing, won[BLACK])
        self._won.append((time, black))
        self._over = self.builder.or_(self._over, black)
        for literal in won.values():
            self._playing = self.builder.and_(self._playing, literal ^ 1)

    def _step(self, ply: int) -> None:
        and_, or_all = self.builder.and_, self.builder.or_all
        names, legal = self.rules.moves(ply), self.rules.legal(self._state, ply)
        playing, before = self._playing, self._state
        self.silent(ply, before, playing)
        codes: Mapping[str, int] = {}
        reading = None
        if ply > len(self.layout.moves):
            made = [and_(can, self.input()) for can in legal]
            made = first_true(self.builder, made)
            self._playing = and_(playing, or_all(made))
        else:
            reading = self.prefix.reading.plies[ply - 1]
            choose = self._black if reading.player is BLACK else self._white
            codes, made = choose(ply, reading, names, legal)
            passing = reading.player is WHITE and self.rules.passed(before, ply) is not None
            if not passing:
                self._playing = and_(playing, or_all(made))
        self._state = self.rules.after(before, ply, made)
        moved = or_all(made)
        self.steps.append(
            Step(
                ply=ply,
                player=self.rules.mover(ply),
                reading=reading,
                playing=playing,
                codes=codes,
                names=names,
                legal=legal,
                made=made,
                moved=moved,
                failed=moved ^ 1,
                before=before,
                after=self._state,
            )
        )

    def _codes(self, reading: PlyReading) -> dict[str, int]:
        """For each move the literal that the ply's variables say it."""
        match = Matcher(self.builder, self.said(reading))
        or_all = self.builder.or_all
        return {move: or_all(map(match, patterns)) for move, patterns in reading.codes.items()}

    def _white(
        self, ply: int, reading: PlyReading, names: Sequence[str], legal: Sequence[int]
    ) -> tuple[Mapping[str, int], list[int]]:
        for variable in map(abs, reading.literals):
            if variable not in self.literals:
                self.literals[variable] = self.input(self.prefix.levels.get(variable, LEFT))
        codes = self._codes(reading)
        one = self.layout.moves[ply - 1]
        written = [codes.get(move, FALSE) for move in one.moves]
        numbers = [self._bits(number.bits) for number in one.coding.numbers]
        self._plies.append(PlyLiterals(WHITE, numbers, FALSE, self._known(one), lambda: written))
        and_ = self.builder.and_
        made = [and_(codes.get(n, FALSE), can) for n, can in zip(names, legal, strict=True)]
        if self.rules.passed(self._state, ply) is None:
            free = self.builder.or_all(made) ^ 1
            can = dict(zip(names, legal, strict=True))
            order = list(dict.fromkeys((*one.moves, *names)))
            allowed = [can.get(move, FALSE) for move in order]
            first = dict(zip(order, first_true(self.builder, allowed), strict=True))
            made = [
                self.builder.or_(own, and_(free, first[n]))
                for n, own in zip(names, made, strict=True)
            ]
        return codes, made

    def _black(
        self, ply: int, reading: PlyReading, names: Sequence[str], legal: Sequence[int]
    ) -> tuple[Mapping[str, int], list[int]]:
        """Black's choice; after a win what certificates that are compiled have there."""
        one = self.layout.moves[ply - 1]
        known = self.prefix.known_after(ply)
        own = {
            v: self.input(known)
            for v in dict.fromkeys(map(abs, reading.literals))
            if v not in self.literals
        }
        going = self._over ^ 1
        if one.stop is None and one.coding.numbers and self._over != FALSE:
            can = dict(zip(names, legal, strict=True))
            instead = first_true(self.builder, [can.get(move, FALSE) for move in one.moves])
            fallback = self._written(one, instead)
            own = {
                v: self.builder.ite(self._over, fallback.get(v, FALSE), x) for v, x in own.items()
            }
        elif not one.coding.numbers:
            own = {v: self.builder.and_(x, going) for v, x in own.items()}
        self.literals.update(own)
        codes = self._codes(reading)
        self.missing(ply, names, legal, reading.codes, self._playing)
        stop = FALSE
        if one.stop is not None:
            stop = self._over
            self.literals.setdefault(abs(one.stop), stop ^ (one.stop < 0))
            codes = {move: self.builder.and_(said, going) for move, said in codes.items()}
        written = [codes.get(move, FALSE) for move in one.moves]
        numbers = [self._bits(number.bits) for number in one.coding.numbers]
        self._plies.append(PlyLiterals(BLACK, numbers, stop, self._known(one), lambda: written))
        made = [
            self.builder.and_(codes.get(n, FALSE), can) for n, can in zip(names, legal, strict=True)
        ]
        return codes, made

    def _written(self, ply: Ply, made: Sequence[int]) -> dict[int, int]:
        """The values of a ply's variables that say the one move which is made."""
        found: dict[int, list[int]] = {}
        for move, literal in zip(ply.moves, made, strict=True):
            for variable, value in ply.coding.encode(move).items():
                found.setdefault(variable, []).extend([literal] * value)
        return {v: self.builder.or_all(literals) for v, literals in found.items()}

    def _bits(self, bits: Bits) -> Bits:
        return tuple(self.literals[abs(v)] ^ (v < 0) for v in bits)

    def _known(self, ply: Ply) -> dict[int, int]:
        return {abs(v): self.literals[abs(v)] for v in ply.all_variables if abs(v) in self.literals}

    def _goals(self, model: PositionalModel) -> list[tuple[Goals, int]]:
        """Black's winning sets, each with the literal that it is the first that Black has."""
        wins = with_winning_sets(model).black_wins
        atoms = self.rules.atoms(self._state, self.rules.plies)
        held = [atoms[f"black {name}"] for name in model.positions]
        found = first_true(self.builder, completed(self.builder, wins, held))
        return [(frozenset({win}), first) for win, first in zip(wins, found, strict=True)]

    def _suggestions(self, suggested: Encoding | str) -> Mapping[int, int]:
        """The encoder's values for everything that Black decides besides the moves.

        Any values would do: that they satisfy the formula is what is proved.
        """
        if isinstance(suggested, str):
            return {}
        model = suggested.model

        def goals() -> Sequence[tuple[Goals, int]]:
            return self._goals(model) if isinstance(model, PositionalModel) else ()

        other = suggested.qbf.variables(Quantifier.FORALL)
        literals = {**dict.fromkeys(other, FALSE), **self.literals}
        play: PlayLiterals = _Play(self.builder, self._plies, literals, goals)
        values = suggested.completions[BLACK](play)
        # In clausal form gates are variables, with the numbers of the gates.
        gates = {**literals, **values}
        suggested.qbf.add_to(self.builder, gates)
        return {**gates, **values}

    def _early(self, values: Mapping[int, int]) -> list[int]:
        """The helpers whose suggestion is not known where they stand."""
        aig, roots = self.builder.build(list(values.values()))
        known = [LEFT, *(self.known[literal] for literal in self.builder.inputs)]
        for left, right in zip(aig.fanin0.tolist(), aig.fanin1.tolist(), strict=True):
            known.append(max(known[left >> 1], known[right >> 1]))
        levels = self.prefix.levels
        return [v for v, root in zip(values, roots, strict=True) if known[root >> 1] > levels[v]]
