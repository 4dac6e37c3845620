"""The state machine of a game: Definition 1 of He, Saffidine and Thielscher 2024, executed.

A state is the set of fluents that are true; a joint move says what each role does.  Nothing here
is shared with the encodings, which are checked against it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Final, TypeAlias

from qsage_validate.errors import IllegalMoveError, QsageError
from qsage_validate.games.gdl.checks import check_description, goal_value, role_names
from qsage_validate.games.gdl.datalog import ACTION, DOES, STATE, STATIC, TRUE, Program, View
from qsage_validate.games.gdl.joins import Facts
from qsage_validate.games.gdl.model import Description, Ground, Key, term_order, term_text

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
        self.program = Program(description.clauses)
        self.static = View(self.program, STATIC)
        self._views: OrderedDict[State, View] = OrderedDict()

    @property
    def initial(self) -> State:
        """The state before the first move."""
        return frozenset(fact[0] for fact in self.static.facts(("init", 1)))

    def view(self, state: State) -> View:
        """What holds in a state, whatever is done; the last few are remembered."""
        view = self._views.get(state)
        if view is None:
            view = View(self.program, STATE, {TRUE: {(f,) for f in state}}, self.static)
            self._views[state] = view
            if len(self._views) > _KEPT_VIEWS:
                self._views.popitem(last=False)
        return view

    def facts(self, state: State, key: Key) -> Facts:
        """The facts of a relation that does not depend on moves."""
        return self.view(state).facts(key)

    def terminal(self, state: State) -> bool:
        """Whether the play has ended."""
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
        view = View(self.program, ACTION, given, self.view(state))
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
