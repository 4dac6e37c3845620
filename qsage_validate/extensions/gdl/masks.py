"""Games in GDL grounded: for the kernel's circuit, and on masks of bits for search.

*Masks.*  A state is an integer, a bit for each fluent that matters.  What is terminal, won and
legal is a disjunction of conditions on the state; the effect of a joint move is a mask of fluents
that stay, one of fluents that hold afterwards, and a disjunction for each fluent that depends on
more.  The ground rules of all rounds together are made by the bounds of the
:func:`~qsage_validate.extensions.gdl.machine.horizon`.

*Ground rules.*  The executable rules ground themselves: each clause is compiled (``machine.py``)
with all atoms that matter as what it derives, and is run on bounds in the place of a position.
Its ground instances are those that it derives: every instance that can apply in some play, and
few others.  Nothing here is shared with the encodings, which ground by clingo.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import Final, TypeAlias

from qsage_validate.errors import UndecidedError, UsageError
from qsage_validate.extensions.gdl.machine import (
    ACTION,
    DOES,
    STATE,
    STATIC,
    TRUE,
    Derive,
    Fact,
    GdlBounds,
    LayerFacts,
    State,
    horizon,
)
from qsage_validate.extensions.gdl.model import (
    Atom,
    Clause,
    Ground,
    Key,
    Term,
    components,
    goal_value,
    term_order,
    term_text,
)
from qsage_validate.extensions.gdl.rules import GdlGrid, GdlMove, RoundsGame, RoundsPosition
from qsage_validate.games.bddl.kernel import BitPermutation
from qsage_validate.games.kernel import Kernel
from qsage_validate.games.kernel import State as KernelState
from qsage_validate.games.protocol import Move, Player, Position, TwoPlayerGame, board_maps
from qsage_validate.kernel.game import TooLargeError
from qsage_validate.kernel.unrolled import (
    GroundOption,
    GroundProgram,
    GroundRule,
    Stratum,
    UnrolledGame,
    UnrolledRules,
)
from qsage_validate.system.limits import NEVER, Deadline
from qsage_validate.system.signals import alarm
from qsage_validate.validation.proofs import RulesIn

# The ground rules of a game in GDL, round by round, for the kernel's circuit


MAX_RULES: Final = 1_000_000
"""No game with more ground rules than this is unrolled (about 1 GB)."""

# Rules between two looks at the clock.
_SLICE: Final = 4096

_LEGAL: Final[Key] = ("legal", 2)
_NEXT: Final[Key] = ("next", 1)
_TERMINAL: Final[Key] = ("terminal", 0)
_GOAL: Final[Key] = ("goal", 2)

Named: TypeAlias = "tuple[Ground, ...]"
"""A ground atom: the relation's name with its arguments."""


def unrolled(
    game: RoundsGame, *, max_rules: int = MAX_RULES, deadline: Deadline = NEVER
) -> UnrolledGame:
    """The ground rules of all rounds.

    Raises ``TooLargeError`` for more than ``max_rules`` of them, and when the deadline passes.
    """
    try:
        with alarm(deadline, "the rules are grounded"):
            return _Grounder(game, max_rules, deadline).game()
    except UndecidedError as error:
        raise TooLargeError(str(error)) from None


def program_of(game: RoundsGame, bounds: GdlBounds) -> GroundProgram:
    """The ground rules of all rounds that have these bounds; raises ``TooLargeError``."""
    grounder = _Grounder(game, MAX_RULES, NEVER)
    try:
        return _Round(grounder, bounds, last=False).program()
    except UndecidedError as error:
        raise TooLargeError(str(error)) from None


@dataclass(frozen=True, slots=True)
class _Compiled:
    """A clause that derives its instances: the head, then the literals of ``positive`` signs."""

    derive: Derive
    positive: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class _Component:
    """Relations that depend on each other, mostly just one, with their clauses."""

    layer: int
    recursive: bool
    clauses: tuple[_Compiled, ...]


Instance: TypeAlias = "tuple[Named, tuple[tuple[Named, bool], ...]]"
"""A head and its literals; ``False`` for one that must not hold."""


class _Limits:
    """The limits of grounding: a number of rules and a deadline."""

    def __init__(self, max_rules: int, deadline: Deadline) -> None:
        self._max_rules = max_rules
        self._deadline = deadline
        self._kept = 0
        self._added = 0

    def check(self, number: int = 0) -> None:
        """Check the limits for ``number`` rules besides those that are kept."""
        if self._kept + number > self._max_rules:
            raise TooLargeError(f"the game has more than {self._max_rules:,} ground rules")
        if self._deadline.over:
            raise TooLargeError("time is up while the rules are grounded")

    def keep(self, number: int) -> None:
        """Count ``number`` more rules as kept; raises ``TooLargeError`` as :meth:`check` does."""
        self.check(number)
        self._kept += number

    def adder(self, found: dict[Fact, None], others: int) -> Callable[[Fact], None]:
        """A function that adds facts to ``found``; ``others`` count towards the limits, too."""

        def add(fact: Fact) -> None:
            found[fact] = None
            self._added += 1
            if not self._added % _SLICE:
                self.check(len(found) + others)

        return add


class _Grounder:
    def __init__(self, game: RoundsGame, max_rules: int, deadline: Deadline) -> None:
        self.gdl = game
        self.machine = game.machine
        self.program = game.machine.program
        self.limits = _Limits(max_rules, deadline)
        graph = self.program.graph
        wanted = graph.below({_LEGAL, _NEXT, _TERMINAL, _GOAL})
        self.components: list[_Component] = []
        for keys in graph.components:
            if keys <= wanted and keys.isdisjoint({TRUE, DOES}) and self.layer(min(keys)) != STATIC:
                self.components.append(self.component(sorted(keys)))
        self._known: dict[object, GroundProgram] = {}

    def layer(self, key: Key) -> int:
        """The layer of a relation; a relation that is in no clause depends on nothing."""
        number = self.program.joins.numbers.get(key)
        return STATIC if number is None else self.program.layers[number]

    def component(self, keys: Sequence[Key]) -> _Component:
        clauses = [clause for key in keys for clause in self.program.clauses_of(key)]
        recursive = self.program.graph.is_recursive(keys[0])
        return _Component(self.layer(keys[0]), recursive, tuple(map(self.compiled, clauses)))

    def compiled(self, clause: Clause) -> _Compiled:
        """The clause with a head that tells all atoms of an instance which are not static.

        Static ones hold as they are asked to, in every instance that is derived.
        """
        parts: list[Term] = [(clause.head.relation, *clause.head.arguments)]
        positive: list[bool] = []
        for literal in clause.body:
            atom = literal.atom
            if isinstance(atom, Atom) and self.layer(atom.key) != STATIC:
                parts.append((atom.relation, *atom.arguments))
                positive.append(literal.positive)
        instance = Clause(Atom("instance", tuple(parts)), clause.body, clause.rule)
        return _Compiled(self.program.joins.compile(instance), tuple(positive))

    # -- rounds ------------------------------------------------------------------------------

    def game(self) -> UnrolledGame:
        rounds = self.gdl.rounds
        programs = []
        for number, step in enumerate(horizon(self.machine, rounds + 1)):
            self.limits.check()
            programs.append(self.round(step, last=number == rounds or step.ended))
        initial = frozenset(map(term_text, self.machine.initial))
        return UnrolledGame(self.gdl.name, rounds, initial, tuple(programs))

    def round(self, step: GdlBounds, *, last: bool) -> GroundProgram:
        """The program of a round; in the last one nothing is played."""
        key = (step.possible, step.certain, tuple(step.moves.items()), last)
        if key not in self._known:
            program = self._known[key] = _Round(self, step, last=last).program()
            self.limits.keep(program.num_rules)
        return self._known[key]


class _Round:
    """The bounds of a round, and the instances of clauses that can apply within them."""

    def __init__(self, grounder: _Grounder, step: GdlBounds, *, last: bool) -> None:
        self.grounder = grounder
        self.step = step
        self.last = last
        machine = grounder.machine
        # As in ``horizon``: each view looks at the other for what is negated.
        program, static = machine.program, machine.static
        self.upper = LayerFacts(program, STATE, {TRUE: {(f,) for f in step.possible}}, static)
        lower = LayerFacts(program, STATE, {TRUE: {(f,) for f in step.certain}}, static)
        self.upper.negated, lower.negated = lower, self.upper
        legal: set[Fact] = {(role, m) for role, moves in step.moves.items() for m in moves}
        forced: set[Fact] = {(role, own[0]) for role, own in step.moves.items() if len(own) == 1}
        self.above = LayerFacts(program, ACTION, {DOES: legal}, self.upper)
        below = LayerFacts(program, ACTION, {DOES: forced}, lower)
        self.above.negated, below.negated = below, self.above

    def program(self) -> GroundProgram:
        options = self.options()
        following = [] if self.last else sorted(self.above.facts(_NEXT), key=_text)
        goals = [
            (("goal", *fact), goal_value(fact[1]))
            for fact in sorted(self.upper.facts(_GOAL), key=_text)
            if fact[0] == self.grounder.gdl.roles[Player.BLACK]
        ]
        wins = [a for a, value in goals if value is not None and value >= self.grounder.gdl.win]
        spoilt = [a for a, value in goals if value is None]
        roots: list[Named] = [("terminal",), *wins, *spoilt]
        roots += [("next", *fact) for fact in following]
        roots += [("legal", *option) for own in options.values() for option in own]
        strata = self.needed(self.strata(roots), roots)
        numbers = _numbers(self.base(options), roots, strata)
        number = numbers.__getitem__
        fluents = sorted((term_text(f), ("true", f)) for f in self.step.possible)
        return GroundProgram(
            atoms=tuple(map(_text, numbers)),
            fluents={text: number(atom) for text, atom in fluents},
            options={
                player: tuple(
                    GroundOption(
                        term_text(move), number(("legal", role, move)), number(("does", role, move))
                    )
                    for role, move in own
                )
                for player, own in options.items()
            },
            terminal=number(("terminal",)),
            wins=tuple(map(number, wins)),
            spoilt=tuple(map(number, spoilt)),
            following={term_text(fact[0]): number(("next", *fact)) for fact in following},
            position=tuple(_numbered(s, numbers) for layer, s in strata if layer != ACTION),
            outcome=tuple(_numbered(s, numbers) for layer, s in strata if layer == ACTION),
        )

    def options(self) -> Mapping[Player, list[tuple[Ground, Ground]]]:
        """The moves that each player can make, with the role, in the order of the bounds."""
        roles = self.grounder.gdl.roles
        if self.last:
            return {player: [] for player in Player}
        return {p: [(role, move) for move in self.step.moves[role]] for p, role in roles.items()}

    def base(self, options: Mapping[Player, Iterable[tuple[Ground, Ground]]]) -> Iterator[Named]:
        yield from (("true", fluent) for fluent in self.step.possible)
        yield from (("does", *option) for own in options.values() for option in own)

    # -- instances ---------------------------------------------------------------------------

    def strata(self, roots: Iterable[Named]) -> list[tuple[int, list[Instance]]]:
        """The instances by components, in an order that defines before it uses.

        The roots that depend on nothing come first, as facts.
        """
        grounder = self.grounder
        static: list[Instance] = [
            (atom, ())
            for atom in roots
            if grounder.layer(key := (str(atom[0]), len(atom) - 1)) == STATIC
            and atom[1:] in self.upper.facts(key)
        ]
        found: list[tuple[int, list[Instance]]] = [(STATIC, static)]
        total = len(static)
        for component in grounder.components:
            if component.layer == ACTION and self.last:
                continue
            instances = self.instances(component, total)
            total += len(instances)
            parts = _components(instances) if component.recursive else [instances]
            found += [(component.layer, part) for part in parts]
        return found

    def instances(self, component: _Component, others: int) -> list[Instance]:
        """The ground instances of a component's clauses; ``others`` of the limit are used up."""
        view = self.above if component.layer == ACTION else self.upper
        instances: dict[Instance, None] = {}
        for clause in component.clauses:
            found: dict[Fact, None] = {}
            adder = self.grounder.limits.adder(found, others + len(instances))
            clause.derive(view, adder)
            for fact in found:
                head, *body = fact
                assert isinstance(head, tuple), "an atom"
                signed = tuple(zip(body, clause.positive, strict=True))
                instances[head, signed] = None  # type: ignore[index]  # atoms are tuples
        return list(instances)

    def needed(
        self, strata: list[tuple[int, list[Instance]]], roots: Iterable[Named]
    ) -> list[tuple[int, list[Instance]]]:
        """The instances that the roots depend on; a stratum is kept whole or rule by rule."""
        wanted = set(roots)
        kept: list[tuple[int, list[Instance]]] = []
        for layer, stratum in reversed(strata):
            own = {head for head, _ in stratum}
            inner = any(atom in own for _, body in stratum for atom, _ in body)
            part = [rule for rule in stratum if rule[0] in wanted or (inner and own & wanted)]
            wanted.update(atom for _, body in part for atom, _ in body)
            if part:
                kept.append((layer, part))
        return kept[::-1]


def _components(instances: Sequence[Instance]) -> list[list[Instance]]:
    """The rules of recursive relations in groups of atoms that depend on each other."""
    heads = {head: number for number, head in enumerate(dict.fromkeys(h for h, _ in instances))}
    rules: list[list[Instance]] = [[] for _ in heads]
    edges: dict[int, list[int]] = {number: [] for number in heads.values()}
    for rule in instances:
        number = heads[rule[0]]
        rules[number].append(rule)
        edges[number] += [heads[atom] for atom, _ in rule[1] if atom in heads]
    return [
        [rule for number in sorted(component) for rule in rules[number]]
        for component in components(edges)
    ]


def _numbers(
    base: Iterable[Named], roots: Iterable[Named], strata: Sequence[tuple[int, Sequence[Instance]]]
) -> dict[Named, int]:
    """The atoms from 1, in the order of their texts: the same in every run."""
    atoms = {*base, *roots}
    for _, stratum in strata:
        for head, body in stratum:
            atoms.add(head)
            atoms.update(atom for atom, _ in body)
    return {atom: number for number, atom in enumerate(sorted(atoms, key=_text), start=1)}


def _numbered(stratum: Sequence[Instance], numbers: Mapping[Named, int]) -> Stratum:
    """The rules with atoms as numbers, in a fixed order."""
    rules = sorted(
        (
            numbers[head],
            tuple(sorted(numbers[atom] if positive else -numbers[atom] for atom, positive in body)),
        )
        for head, body in stratum
    )
    return tuple(GroundRule(head, body) for head, body in rules)


def _text(atom: Fact) -> str:
    """An atom as in a description: ``(true (cell 1 1 b))``, ``terminal``."""
    return term_text(atom) if len(atom) > 1 else term_text(atom[0])


# A game in GDL as the kernel has it: its rules as a circuit


def rounds_rules(game: TwoPlayerGame, deadline: Deadline) -> RulesIn | None:
    """The rules of a game in GDL as a circuit, grounded when it is first made."""
    if not isinstance(game, RoundsGame):
        return None
    ground = cache(partial(unrolled, game, deadline=deadline))
    return lambda builder: UnrolledRules(builder, ground(), deadline=deadline)


# The rules of a game in GDL as bit masks over its fluents, for search


Condition = tuple[int, int]
"""Bits to look at, and those of them that are set."""

Cases = tuple[Condition, ...]
"""A disjunction of conditions; none of them implies another."""

MAX_CASES: Final = 4096
"""No disjunction has more conditions than this."""

_ALWAYS: Final[Cases] = ((0, 0),)
_NEVER: Final[Cases] = ()
_PLAYERS: Final = (Player.BLACK, Player.WHITE)


@dataclass(frozen=True, slots=True)
class MaskEffect:
    """What a joint move does to a state that has not ended.

    ``depends`` has the further fluents, each a bit with the cases of the state before in which it
    holds afterwards.  ``ends`` are conditions on the state after: the play has ended just if one
    of them holds.
    """

    keep: int
    put: int
    depends: tuple[tuple[int, Cases], ...]
    ends: Cases

    def apply(self, state: int) -> int:
        after = state & self.keep | self.put
        for bit, cases in self.depends:
            if holds(cases, state):
                after |= bit
        return after


class Masks:
    """The rules of ``game``; raises ``TooLargeError`` for rules that are no masks of useful size.

    ``fluents`` are those that matter, the bits in order; ``moves`` those of each player, in order.
    """

    def __init__(self, game: RoundsGame) -> None:
        self.game = game
        self._steps = tuple(horizon(game.machine, game.rounds + 1))
        whole = _whole(self._steps)
        self.moves: Mapping[Player, tuple[Ground, ...]] = {
            player: whole.moves[game.roles[player]] for player in _PLAYERS
        }
        program = program_of(game, whole)
        if program.spoilt:
            raise TooLargeError("a goal may have no value")
        rules = _Rules(program)
        terms = {term_text(fluent): fluent for fluent in whole.possible}
        names = [name for name in program.fluents if name in rules.relevant]
        self.fluents = tuple(terms[name] for name in names)
        self._bits = {terms[name]: 1 << number for number, name in enumerate(names)}
        rules.number({program.fluents[name]: 1 << n for n, name in enumerate(names)})
        self._rules = rules
        self._names = names
        self.terminal = rules.cases(program.terminal)
        self.wins = _any(rules.cases(atom) for atom in program.wins)
        self.legal: Mapping[Player, tuple[Cases, ...]] = {
            player: tuple(rules.cases(option.legal) for option in program.options[player])
            for player in _PLAYERS
        }
        self._known: dict[tuple[int, int], MaskEffect] = {}

    def state(self, fluents: State) -> int:
        return sum(self._bits.get(fluent, 0) for fluent in fluents)

    @cached_property
    def pairs(self) -> frozenset[tuple[int, int]] | None:
        """The joint moves of a game whose order of turns the bounds show; else ``None``."""
        found: set[tuple[int, int]] = set()
        for step in self._steps:
            if step.ended:
                break
            black, white = (self._options(step, player) for player in _PLAYERS)
            if len(black) > 1 and len(white) > 1:
                return None
            found.update((i, j) for i in black for j in white)
        return frozenset(found)

    def _options(self, step: GdlBounds, player: Player) -> list[int]:
        numbers = {move: number for number, move in enumerate(self.moves[player])}
        return [numbers[move] for move in step.moves[self.game.roles[player]]]

    @cached_property
    def symmetries(self) -> tuple[tuple[int, ...], ...]:
        """Reflections and rotations of the grid that keep the rules: where each bit goes.

        A candidate is taken when it maps ends, wins, the conditions of each player's moves and the
        effects of the joint moves among themselves.  So states and their images have equal values.
        None are looked for where the joint moves are not known beforehand.
        """
        if self.pairs is None or self.game.grid is None:
            return ()
        same = tuple(range(len(self.fluents)))
        rules = self._image(same)
        found = dict.fromkeys(_candidates(self.fluents, self.game.grid))
        return tuple(p for p in found if p != same and self._image(p) == rules)

    def _image(self, places: Sequence[int]) -> tuple[object, ...]:
        """The rules with each bit at its place, without the names of moves."""

        def mask(bits: int) -> int:
            return sum(1 << to for number, to in enumerate(places) if bits >> number & 1)

        def image(cases: Cases) -> frozenset[Condition]:
            return frozenset((mask(care), mask(value)) for care, value in cases)

        legal = {player: [image(cases) for cases in self.legal[player]] for player in _PLAYERS}
        joint: Counter[object] = Counter()
        for black, white in self.pairs or ():
            effect = self.effect(black, white)
            depends = frozenset((mask(bit), image(cases)) for bit, cases in effect.depends)
            moves = legal[_PLAYERS[0]][black], legal[_PLAYERS[1]][white]
            joint[(*moves, mask(effect.keep), mask(effect.put), depends, image(effect.ends))] += 1
        conditions = tuple(Counter(legal[player]) for player in _PLAYERS)
        return image(self.terminal), image(self.wins), conditions, joint

    def effect(self, black: int, white: int) -> MaskEffect:
        """The effect of a joint move, by the numbers of the moves."""
        effect = self._known.get((black, white))
        if effect is None:
            effect = self._known[black, white] = self._effect(black, white)
        return effect

    def _effect(self, black: int, white: int) -> MaskEffect:
        true, false = self._given(black, white)
        following = self._rules.outcome(black, white)
        keep = put = unsure = 0
        depends: list[tuple[int, Cases]] = []
        for number, name in enumerate(self._names):
            bit = 1 << number
            cases = _under(following(name), true, false)
            if cases == _ALWAYS:
                put |= bit
            elif cases == ((bit, bit),):
                keep |= bit
            elif cases:
                depends.append((bit, cases))
                unsure |= bit
        true, false = true & keep | put, false & keep | ~(keep | put | unsure)
        changed = ~keep
        ends = tuple(
            (care, value)
            for care, value in self.terminal
            # An end that has nothing to do with the move would have ended the play before.
            if care & changed and not value & false and not (care & ~value) & true
        )
        return MaskEffect(keep, put, tuple(depends), ends)

    def _given(self, black: int, white: int) -> tuple[int, int]:
        """The fluents that hold, and those that do not, wherever a joint move is legal."""
        pair = [(self.legal[p][n]) for p, n in zip(_PLAYERS, (black, white), strict=True)]
        true, false = _common(pair[0])
        more = _common(pair[1])
        true, false = true | more[0], false | more[1]
        full = (1 << len(self.fluents)) - 1
        certain, impossible = full, full
        for step in self._steps:
            options = [self._options(step, player) for player in _PLAYERS]
            if not step.ended and black in options[0] and white in options[1]:
                certain &= self.state(step.certain)
                impossible &= full & ~self.state(step.possible)
        return true | certain, false | impossible


def holds(cases: Cases, state: int) -> bool:
    return any(state & care == value for care, value in cases)


def _whole(steps: Sequence[GdlBounds]) -> GdlBounds:
    possible = frozenset[Ground]().union(*(step.possible for step in steps))
    certain = possible.intersection(*(step.certain for step in steps))
    moves = {
        role: tuple(sorted({m for step in steps for m in step.moves[role]}, key=term_order))
        for role in steps[0].moves
    }
    return GdlBounds(possible, certain, moves, False)


def _candidates(fluents: Sequence[Ground], grid: GdlGrid) -> Iterator[tuple[int, ...]]:
    """Where the bits go when the grid is reflected or rotated, and its fluents with it."""
    numbers = {fluent: number for number, fluent in enumerate(fluents)}
    width, height = len(grid.columns), len(grid.rows)
    for _, function in board_maps(width, height):
        places = []
        for fluent in fluents:
            image = fluent
            if isinstance(fluent, tuple) and len(fluent) == 4 and fluent[0] == grid.functor:
                x, y = grid.columns.index(fluent[1]), grid.rows.index(fluent[2])
                to_x, to_y = function(x + 1, y + 1)
                image = (fluent[0], grid.columns[to_x - 1], grid.rows[to_y - 1], fluent[3])
            places.append(numbers.get(image, -1))
        if len(set(places)) == len(places) and -1 not in places:
            yield tuple(places)


# -- rules as disjunctions -------------------------------------------------------------------


class _Rules:
    """The disjunctions of a program's atoms."""

    def __init__(self, program: GroundProgram) -> None:
        self._program = program
        self._position = _by_head(program.position)
        self._outcome = _by_head(program.outcome)
        self._made = {option.does for own in program.options.values() for option in own}
        self._bits: Mapping[int, int] = {}
        self._known: dict[int, Cases] = {}
        # The rules of what follows by the move that they need, 0 for those that need none.
        self._by_move: dict[int, dict[int, list[GroundRule]]] = {}
        for head, rules in self._outcome.items():
            groups = self._by_move.setdefault(head, {})
            for rule in rules:
                move = next((atom for atom in rule.body if atom in self._made), 0)
                groups.setdefault(move, []).append(rule)

    @cached_property
    def relevant(self) -> frozenset[str]:
        """The fluents that legal moves, ends and goals depend on, now or later."""
        program = self._program
        fluents = {atom: name for name, atom in program.fluents.items()}
        options = [option for own in program.options.values() for option in own]
        todo = [program.terminal, *program.wins, *(option.legal for option in options)]
        seen = set(todo)
        while todo:
            atom = todo.pop()
            if atom in fluents:
                more = (
                    [program.following[fluents[atom]]] if fluents[atom] in program.following else []
                )
            else:
                rules = (*self._position.get(atom, ()), *self._outcome.get(atom, ()))
                more = [abs(literal) for rule in rules for literal in rule.body]
            fresh = set(more) - seen
            seen |= fresh
            todo += fresh
        return frozenset(name for atom, name in fluents.items() if atom in seen)

    def number(self, bits: Mapping[int, int]) -> None:
        """Give the fluents their bits, by their atoms."""
        self._bits = bits

    def cases(self, atom: int) -> Cases:
        """The cases in which an atom about the position holds."""
        return _Unfolding(self._known, self._bits, lambda a: self._position.get(a, ())).cases(atom)

    def outcome(self, black: int, white: int) -> Callable[[str], Cases]:
        """The cases in which a fluent follows on a joint move, given by its numbers."""
        options, following = self._program.options, self._program.following
        made = {options[_PLAYERS[0]][black].does, options[_PLAYERS[1]][white].does}

        def rules(atom: int) -> Sequence[GroundRule]:
            groups = self._by_move.get(atom)
            if groups is None:
                return self._position.get(atom, ())
            return [rule for move in (0, *made) for rule in groups.get(move, ())]

        # What is known of the position holds for every move; what follows is of this one.
        known = dict(self._known)
        known.update(dict.fromkeys(self._made, _NEVER))
        known.update(dict.fromkeys(made, _ALWAYS))
        unfolding = _Unfolding(known, self._bits, rules)
        return lambda name: unfolding.cases(following[name]) if name in following else _NEVER


def _by_head(strata: Iterable[Sequence[GroundRule]]) -> dict[int, list[GroundRule]]:
    found: dict[int, list[GroundRule]] = {}
    for stratum in strata:
        for rule in stratum:
            found.setdefault(rule.head, []).append(rule)
    return found


class _Unfolding:
    """The cases of atoms by the rules for them; ``known`` are those that are known already."""

    def __init__(
        self,
        known: dict[int, Cases],
        bits: Mapping[int, int],
        rules: Callable[[int], Sequence[GroundRule]],
    ) -> None:
        self._known = known
        self._bits = bits
        self._rules = rules
        self._open: set[int] = set()

    def cases(self, atom: int) -> Cases:
        """The cases in which an atom holds; raises ``TooLargeError``, for recursion too."""
        known = self._known.get(atom)
        if known is not None:
            return known
        bit = self._bits.get(atom)
        if bit is not None:
            return ((bit, bit),)
        if atom in self._open:
            raise TooLargeError("an atom depends on itself")
        self._open.add(atom)
        found = _any(self._body(rule) for rule in self._rules(atom))
        self._open.discard(atom)
        self._known[atom] = found
        return found

    def _body(self, rule: GroundRule) -> Cases:
        found = _ALWAYS
        for literal in rule.body:
            cases = self.cases(abs(literal))
            found = _both(found, cases if literal > 0 else _negated(cases))
            if not found:
                break
        return found


def _any(parts: Iterable[Cases]) -> Cases:
    return _least({case for part in parts for case in part})


def _both(left: Cases, right: Cases) -> Cases:
    if left == _ALWAYS or right == _ALWAYS:
        return right if left == _ALWAYS else left
    return _least(
        {
            (care | other, value | wanted)
            for care, value in left
            for other, wanted in right
            if not (value ^ wanted) & care & other
        }
    )


def _negated(cases: Cases) -> Cases:
    found = _ALWAYS
    for care, value in cases:
        bits = [1 << n for n in range(care.bit_length()) if care >> n & 1]
        found = _both(found, tuple((bit, bit & ~value) for bit in bits))
    return found


def _least(cases: set[Condition]) -> Cases:
    """The conditions that no other one implies, in a fixed order."""
    if len(cases) > MAX_CASES:
        raise TooLargeError(f"a rule has more than {MAX_CASES:,} cases")
    kept: list[Condition] = []
    for care, value in sorted(cases, key=lambda case: (case[0].bit_count(), case)):
        if not any(care & less == less and value & less == wanted for less, wanted in kept):
            kept.append((care, value))
    return tuple(kept)


def _under(cases: Cases, true: int, false: int) -> Cases:
    """The cases where some bits are known."""
    return _least(
        {
            (care & ~(true | false), value & ~true)
            for care, value in cases
            if not value & false and not care & ~value & true
        }
    )


def _common(cases: Cases) -> tuple[int, int]:
    """The bits that are set in all cases, and those that are not set in any."""
    true = false = -1
    for care, value in cases:
        true &= value
        false &= care & ~value
    return (true, false) if cases else (0, 0)


# The kernel of a game in GDL on bit masks: the states of ``RoundsKernel`` as integers


BLACK, WHITE = Player.BLACK, Player.WHITE


class NoTurnsError(Exception):
    """A state in which both have a choice, or one has no legal move: the rules say which."""


class MaskKernel(Kernel):
    """States are those of ``masks``; with Black's part of the round chosen, a pair with its number.

    Methods raise ``NoTurnsError``.
    """

    def __init__(self, masks: Masks) -> None:
        self.masks = masks
        self.initial = masks.state(masks.game.machine.initial)
        self._numbers: dict[Player, dict[Ground, int]] = {
            player: {move: number for number, move in enumerate(moves)}
            for player, moves in masks.moves.items()
        }
        self._symmetries = [BitPermutation(places, planes=1) for places in masks.symmetries]
        self._choices: tuple[int, tuple[list[int], list[int]]] | None = None

    def legal(self, state: int) -> tuple[list[int], list[int]]:
        """The legal moves of Black and of White in a state that has not ended."""
        if self._choices is not None and self._choices[0] == state:
            return self._choices[1]
        black, white = (
            [number for number, cases in enumerate(self.masks.legal[p]) if holds(cases, state)]
            for p in (BLACK, WHITE)
        )
        if not black or not white or (len(black) > 1 and len(white) > 1):
            raise NoTurnsError
        self._choices = state, (black, white)
        return black, white

    def end(self, state: int) -> Player | None:
        if not holds(self.masks.terminal, state):
            return None
        return BLACK if holds(self.masks.wins, state) else WHITE

    def successors(
        self, state: KernelState, player: Player
    ) -> Sequence[tuple[int, KernelState, bool]]:
        if isinstance(state, int):
            if self.end(state) is not None:
                return []
            return [(number, (state, number), False) for number in self.legal(state)[0]]
        before, black = _pair(state)
        found: list[tuple[int, KernelState, bool]] = []
        for white in self.legal(before)[1]:
            effect = self.masks.effect(black, white)
            after = effect.apply(before)
            lost = holds(effect.ends, after) and not holds(self.masks.wins, after)
            found.append((white, after, lost))
        return found

    def wins_at_once(self, state: KernelState, player: Player) -> bool:
        if isinstance(state, int):
            return self.end(state) is BLACK
        return any(won for _, _, won in self.successors(state, player))

    def key(self, state: KernelState) -> Hashable:
        if not isinstance(state, int):
            return state
        return min([state, *(image(state) for image in self._symmetries)])

    def move(self, number: int, player: Player) -> Move:
        return GdlMove(self.masks.moves[player][number])

    def state(self, position: Position) -> KernelState:
        if not isinstance(position, RoundsPosition):
            raise UsageError(f"found {position}, expected a position by rounds")
        return self.translated(
            position.state if position.chosen is None else (position.state, position.chosen)
        )

    def translated(self, state: KernelState) -> KernelState:
        if isinstance(state, frozenset):
            return self.masks.state(state)
        assert isinstance(state, tuple), "a state with Black's move"
        before, chosen = state
        return self.masks.state(before), self._numbers[BLACK][chosen]


def _pair(state: KernelState) -> tuple[int, int]:
    assert isinstance(state, tuple), "a state with Black's move"
    before, black = state
    return before, black
