"""The state machine of a game: Definition 1 of He, Saffidine and Thielscher 2024, executed.

A state is the set of fluents that are true; a joint move says what each role does.  Nothing here
is shared with the encodings, which are checked against it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from qsage_validate.errors import IllegalMoveError, QsageError
from qsage_validate.extensions.gdl.checks import check_description, goal_value, role_names
from qsage_validate.extensions.gdl.joins import (
    ACTION,
    DOES,
    STATE,
    STATIC,
    TRUE,
    Fact,
    Facts,
    JoinProgram,
    LayerFacts,
)
from qsage_validate.extensions.gdl.model import (
    Atom,
    Clause,
    Description,
    GdlLiteral,
    Ground,
    Key,
    Term,
    Variable,
    arguments_of,
    term_order,
    term_text,
    variables,
)

State: TypeAlias = "frozenset[Ground]"
"""The fluents that are true."""

_KEPT_VIEWS: Final = 512


class StateMachine:
    """The semantics of a valid description.

    Raises ``InputError`` for a description that is not valid.
    """

    def __init__(self, description: Description) -> None:
        check_description(description)
        self.description = description
        self.roles = role_names(description)
        self.program = JoinProgram(description.clauses)
        self.static = LayerFacts(self.program, STATIC)
        self._views: OrderedDict[State, LayerFacts] = OrderedDict()

    @property
    def initial(self) -> State:
        """The state before the first move."""
        return frozenset(fact[0] for fact in self.static.facts(("init", 1)))

    def view(self, state: State) -> LayerFacts:
        """The facts of a state that do not depend on moves; the last few views are cached."""
        view = self._views.get(state)
        if view is None:
            view = LayerFacts(self.program, STATE, {TRUE: {(f,) for f in state}}, self.static)
            self._views[state] = view
            if len(self._views) > _KEPT_VIEWS:
                self._views.popitem(last=False)
        return view

    def facts(self, state: State, key: Key) -> Facts:
        """The facts of a relation that does not depend on moves."""
        return self.view(state).facts(key)

    def terminal(self, state: State) -> bool:
        """True if the play has ended."""
        return bool(self.facts(state, ("terminal", 0)))

    def legal(self, state: State, role: Ground) -> tuple[Ground, ...]:
        """The legal moves of a role, in a fixed order."""
        facts = self.facts(state, ("legal", 2))
        return tuple(sorted((move for r, move in facts if r == role), key=term_order))

    def goals(self, state: State, role: Ground) -> tuple[int, ...]:
        """The values of the role's goals that hold: one, in a well-formed description.

        Raises ``QsageError`` for a value that is no number from 0 to 100.
        """
        values = set()
        for r, value in self.facts(state, ("goal", 2)):
            if r == role:
                number = goal_value(value)
                if number is None:
                    raise QsageError(
                        f"found the goal value {term_text(value)} of {term_text(role)}, expected "
                        f"a number from 0 to 100, in {state_text(state)}"
                    )
                values.add(number)
        return tuple(sorted(values))

    def successor(self, state: State, moves: Mapping[Ground, Ground]) -> State:
        """The state after a joint move, whether or not it is legal."""
        given: dict[Key, Facts] = {DOES: set(moves.items())}
        view = LayerFacts(self.program, ACTION, given, self.view(state))
        return frozenset(fact[0] for fact in view.facts(("next", 1)))

    def play(self, state: State, moves: Mapping[Ground, Ground]) -> State:
        """The state after a joint move; raises ``IllegalMoveError`` where it is illegal."""
        if self.terminal(state):
            raise IllegalMoveError("the play has ended")
        for role in self.roles:
            if role not in moves:
                raise IllegalMoveError(f"no move of {term_text(role)}")
            if (role, moves[role]) not in self.facts(state, ("legal", 2)):
                raise IllegalMoveError(
                    f"{term_text(moves[role])} is not legal for {term_text(role)}"
                )
        return self.successor(state, moves)


def state_text(state: State) -> str:
    """A state as text: its fluents in order, ``{(cell 1 1 b) (control xplayer)}``."""
    return "{" + " ".join(term_text(f) for f in sorted(state, key=term_order)) + "}"


# -- What can be true, and be played, at each time step ----------------------------------------
#
# Two views of the same clauses bound the unknown state from above and from below, each looking at
# the other for what is negated.  So a fluent like ``(control xplayer)`` that follows a fixed rhythm
# is known exactly, and with it whose turn it is: this is how section 3.3's order of play is found,
# instead of by a theorem prover.

_LEGAL: Key = ("legal", 2)
_NEXT: Key = ("next", 1)


@dataclass(frozen=True)
class GdlBounds:
    """Bounds at a time step, for plays that have not ended before it.

    ``possible`` are the fluents that can be true, ``certain`` those that are; ``moves`` has for
    each role the moves that can be legal, in a fixed order; ``ended`` says that every play has
    ended by now.
    """

    possible: State
    certain: State
    moves: Mapping[Ground, tuple[Ground, ...]]
    ended: bool


def horizon(machine: StateMachine, steps: int) -> Iterator[GdlBounds]:
    """The bounds at time 1, 2, and so on; fewer than ``steps`` when every play has ended."""
    possible = certain = machine.initial
    for _ in range(steps):
        upper, lower = _states(machine, possible, certain)
        legal = upper.facts(_LEGAL)
        moves = {
            role: tuple(sorted((move for r, move in legal if r == role), key=term_order))
            for role in machine.roles
        }
        ended = bool(lower.facts(("terminal", 0))) or not all(moves.values())
        yield GdlBounds(possible, certain, moves, ended)
        if ended:
            return
        # A role that is known to have one legal move makes it.
        forced: set[Fact] = {(role, one[0]) for role, one in moves.items() if len(one) == 1}
        above = LayerFacts(machine.program, ACTION, {DOES: legal}, upper)
        below = LayerFacts(machine.program, ACTION, {DOES: forced}, lower)
        above.negated, below.negated = below, above
        possible, certain = _fluents(above.facts(_NEXT)), _fluents(below.facts(_NEXT))


def _states(
    machine: StateMachine, possible: State, certain: State
) -> tuple[LayerFacts, LayerFacts]:
    upper = LayerFacts(machine.program, STATE, {TRUE: {(f,) for f in possible}}, machine.static)
    lower = LayerFacts(machine.program, STATE, {TRUE: {(f,) for f in certain}}, machine.static)
    upper.negated, lower.negated = lower, upper
    return upper, lower


def _fluents(facts: Facts) -> State:
    return frozenset(fact[0] for fact in facts)


def turn_order(steps: Sequence[GdlBounds]) -> tuple[Ground | None, ...] | None:
    """The role that can have a choice at each step of a strictly turn-taking game.

    A step at which no role has a choice is ``None``.

    The result is ``None`` when at some step more than one role may have a choice as far as the
    bounds tell: the turn depends on the position, or the game is not turn-taking.
    """
    order: list[Ground | None] = []
    for step in steps:
        choosing = [role for role, moves in step.moves.items() if len(moves) > 1]
        if len(choosing) > 1:
            return None
        order.append(choosing[0] if choosing else None)
    return tuple(order)


def move_domains(steps: Sequence[GdlBounds]) -> dict[Ground, tuple[Ground, ...]]:
    """For each role the moves that can be legal at any of the steps."""
    found: dict[Ground, set[Ground]] = {}
    for step in steps:
        for role, moves in step.moves.items():
            found.setdefault(role, set()).update(moves)
    return {role: tuple(sorted(moves, key=term_order)) for role, moves in found.items()}


# -- Why a move is not legal: the legal rule that comes nearest, and its condition that fails --

Values = dict[Variable, Ground]


@dataclass(frozen=True, slots=True)
class ClauseFailure:
    """A clause whose head fits, the condition at which it fails, and its values there.

    ``index`` is the number, from 0, of the condition among those of the clause.
    """

    clause: Clause
    literal: GdlLiteral
    index: int
    values: Values

    @property
    def shown(self) -> str:
        """The condition with the values put in: ``(columnOpen 2)``."""
        atom = self.literal.atom
        terms = [term_text(replaced(term, self.values)) for term in arguments_of(atom)]
        name = atom.relation if isinstance(atom, Atom) else "distinct"
        text = f"({' '.join([name, *terms])})" if terms else name
        return text if self.literal.positive else f"(not {text})"

    def sentence(self, state: State) -> str:
        """The sentence on what ``state`` holds where the condition asks for a fluent.

        It is empty for a condition on anything else.
        """
        atom = self.literal.atom
        if not isinstance(atom, Atom) or atom.key != TRUE:
            return ""
        fluent = replaced(atom.arguments[0], self.values)
        shown = term_text(fluent)
        if not self.literal.positive:
            return f"{shown} is true here"
        near = sorted((f for f in state if _alike(fluent, f)), key=term_order)
        if len(near) == 1:
            return f"{shown} is not true here, but {term_text(near[0])} is"
        return f"{shown} is not true here"


def _alike(fluent: Term, other: Ground) -> bool:
    """True if two fluents differ in their last word alone: ``(cell 1 1 b)``, ``(cell 1 1 x)``."""
    if not isinstance(fluent, tuple) or not isinstance(other, tuple):
        return False
    return len(fluent) == len(other) and fluent[:-1] == other[:-1]


def why_not(
    view: LayerFacts, clauses: Sequence[Clause], fact: tuple[Ground, ...]
) -> ClauseFailure | None:
    """The failure that comes latest in its clause; ``None`` when no head fits ``fact``.

    ``clauses`` are those of a relation in which ``fact`` does not hold.
    """
    best: ClauseFailure | None = None
    for clause in clauses:
        for values in matches(clause.head.arguments, fact, {}):
            failure = _furthest(view, clause, 0, values)
            if failure is not None and (best is None or failure.index > best.index):
                best = failure
    return best


def replaced(term: Term, values: Values) -> Term:
    """The term with the values that are known put in."""
    if isinstance(term, Variable):
        return values.get(term, term)
    return tuple(replaced(part, values) for part in term) if isinstance(term, tuple) else term


def matches(terms: Sequence[Term], fact: tuple[Ground, ...], values: Values) -> Iterator[Values]:
    found = dict(values)
    if all(_match(term, ground, found) for term, ground in zip(terms, fact, strict=True)):
        yield found


def _match(term: Term, ground: Ground, values: Values) -> bool:
    if isinstance(term, Variable):
        return values.setdefault(term, ground) == ground
    if isinstance(term, tuple):
        return (
            isinstance(ground, tuple)
            and len(term) == len(ground)
            and all(_match(t, g, values) for t, g in zip(term, ground, strict=True))
        )
    return term == ground


def _furthest(view: LayerFacts, clause: Clause, index: int, values: Values) -> ClauseFailure | None:
    """The latest failure from a condition on; ``None`` when the conditions hold."""
    if index == len(clause.body):
        return None
    literal = clause.body[index]
    best = ClauseFailure(clause, literal, index, values)
    for more in _solutions(view, literal, values):
        failure = _furthest(view, clause, index + 1, more)
        if failure is None:
            return None
        if failure.index > best.index:
            best = failure
    return best


def _solutions(view: LayerFacts, literal: GdlLiteral, values: Values) -> Iterator[Values]:
    atom = literal.atom
    terms = [replaced(term, values) for term in arguments_of(atom)]
    free = next(variables(terms), None) is not None
    if not isinstance(atom, Atom):
        # A condition whose values come from a later one is not what fails.
        if free or (terms[0] != terms[1]) is literal.positive:
            yield values
    elif literal.positive:
        for fact in view.facts(atom.key):
            yield from matches(terms, fact, values)
    elif free or tuple(terms) not in view.facts(atom.key):
        yield values
