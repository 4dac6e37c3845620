"""The rules of a game in GDL grounded: each fact that may hold, and the rules as a circuit.

The executable rules ground themselves: each clause is compiled (``machine.py``) with all atoms that
matter as what it derives, and is run on bounds in the place of a position.  Its ground instances
are those that it derives: every instance that can apply in some play, and few others.  Nothing here
is shared with the encodings, which ground by clingo.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Final, TypeAlias

from qsage_validate.errors import UndecidedError
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
    term_text,
)
from qsage_validate.extensions.gdl.rules import RoundsGame
from qsage_validate.games.protocol import Player, TwoPlayerGame
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
