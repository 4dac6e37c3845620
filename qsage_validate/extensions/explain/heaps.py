"""Explanations of impartial games: the rules of a synthesis, as a tree for the views of boards.

The winning formula is the first question, the conditions of the rules are the next ones, and a leaf
is the action of a rule.  The last rule needs no question: the strategy is proved to answer every
winning state.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any, ClassVar, Final

from qsage_validate.errors import UndecidedError, counted
from qsage_validate.extensions.explain.explanation import counted_nodes
from qsage_validate.extensions.impartial.model import ImpartialFormula, ImpartialGame, state_text
from qsage_validate.extensions.impartial.report import (
    Synthesis,
    SynthesisOptions,
    proved_strategy,
    python_module,
    smtlib_module,
    synthesise,
)
from qsage_validate.extensions.impartial.rules import ImpartialMove, State
from qsage_validate.extensions.impartial.strategy import ImpartialRule, ImpartialStrategy
from qsage_validate.system.limits import Tell, nobody

LOST: Final = "make any move: none wins"


@dataclass(frozen=True, slots=True)
class HeapWords:
    """A question or an answer about heaps; it is formal as it stands."""

    formal: str

    def __str__(self) -> str:
        return self.formal


@dataclass(frozen=True)
class HeapNode:
    """A node about heaps: ``states`` are those looked at that come here, ``rule`` the leaf's.

    Everything else is as in :class:`~qsage_validate.extensions.explain.shown.ShownNode`.
    """

    game: ImpartialGame
    number: int
    depth: int
    side: bool | None
    question: HeapWords | None
    answer: HeapWords | None
    children: tuple[HeapNode, ...]
    states: Sequence[State]
    rule: ImpartialRule | None

    cut: ClassVar[int] = 0
    drawn: ClassVar[None] = None

    def walk(self) -> Iterator[HeapNode]:
        """The node and those below, depth first."""
        yield self
        for child in self.children:
            yield from child.walk()

    @property
    def count(self) -> str:
        looked = counted(len(self.states), "state")
        return f"{looked} looked at"

    @property
    def weight(self) -> int:
        return len(self.states)

    @property
    def posed(self) -> str | None:
        return None if self._example is None else self._example[0]

    @property
    def rows(self) -> list[str]:
        found = self._example
        if found is None or self.question is not None:
            return []
        before, reply = found
        if reply is None:
            return [before]
        return [f"{before}: {reply}, then {state_text(self.game.variables, reply.after)}"]

    @property
    def data(self) -> Mapping[str, object]:
        found: dict[str, object] = {"states": len(self.states)}
        if self._example is not None:
            before, reply = self._example
            found["example"] = before
            if self.question is None:
                found["reply"] = None if reply is None else str(reply)
        return found

    @property
    def _example(self) -> tuple[str, ImpartialMove | None] | None:
        """The first state that comes here, one with moves if there is one, and the reply."""
        if not self.states:
            return None
        ends = self.game.ending.holds
        going_on = (s for s in self.states if not ends(self.game.state(s)))
        state = next(going_on, self.states[0])
        reply = None if self.rule is None else self.rule.move(self.game, state)
        return state_text(self.game.variables, state), reply


@dataclass(frozen=True)
class HeapExplanation:
    """The winning rules of an impartial game, which are proved, and where they come from."""

    synthesis: Synthesis
    formula: ImpartialFormula
    strategy: ImpartialStrategy

    not_shown: ClassVar[str] = ""
    turn: ClassVar[str] = "Your move"
    unit: ClassVar[str] = "states"
    signs: ClassVar[str] = "Each line with | is an example."
    picture_key: ClassVar[str] = ""

    @property
    def game(self) -> ImpartialGame:
        return self.synthesis.game

    @property
    def title(self) -> str:
        """What the rules are for."""
        play = "misère play" if self.synthesis.options.misere else "normal play"
        return f"To win {self.game.name} ({play})"

    @property
    def measure(self) -> str:
        """The size of the tree."""
        nodes = counted_nodes(self.nodes)
        return f"{nodes}, depth {self.depth}; formula and rules are proved for all states"

    @property
    def footing(self) -> str:
        """How the rules are read."""
        names = ", ".join(self.game.variables)
        return f"A state is the values of {names} before your move."

    @property
    def statements(self) -> tuple[str, ...]:
        """What was proved, with what it rests on."""
        game = self.game.name
        wins = f"in {game} the player to move wins exactly where {self.formula}, and by these rules"
        assert self.synthesis.strategy is not None, "it was proved"
        rests = f"{self.synthesis.formula.reason}; {self.synthesis.strategy.reason}"
        return (f"{wins} ({rests}; {self.synthesis.termination})",)

    @property
    def nodes(self) -> int:
        """Questions and answers together."""
        return sum(1 for _ in self.root.walk())

    @property
    def depth(self) -> int:
        """The largest number of questions before an answer."""
        return max(node.depth for node in self.root.walk())

    @cached_property
    def root(self) -> HeapNode:
        """The first question, with what is below."""
        numbers = count(1)
        labels = self.synthesis.formula.labels
        states = sorted(labels, key=lambda state: (sum(state), state))

        def leaf(
            depth: int, side: bool, met: Sequence[State], rule: ImpartialRule | None
        ) -> HeapNode:
            says = HeapWords(LOST if rule is None else rule.action.text(self.game))
            return HeapNode(self.game, next(numbers), depth, side, None, says, (), met, rule)

        def fork(
            depth: int,
            side: bool | None,
            met: Sequence[State],
            asked: ImpartialFormula,
            rest: Sequence[ImpartialRule],
        ) -> HeapNode:
            number = next(numbers)
            yes, no = list[State](), list[State]()
            for state in met:
                (yes if asked.holds(self.game.state(state)) else no).append(state)
            below = depth + 1
            children = (
                (rules(below, True, yes, rest), leaf(below, False, no, None))
                if side is None
                else (leaf(below, True, yes, rest[0]), rules(below, False, no, rest[1:]))
            )
            question = HeapWords(str(asked))
            return HeapNode(self.game, number, depth, side, question, None, children, met, None)

        def rules(
            depth: int, side: bool, met: Sequence[State], rest: Sequence[ImpartialRule]
        ) -> HeapNode:
            if len(rest) == 1:
                return leaf(depth, side, met, rest[0])
            return fork(depth, side, met, rest[0].condition, rest)

        return fork(0, None, states, self.formula, self.strategy.rules)

    def to_dict(self) -> dict[str, Any]:
        """Everything, as ``qsage explain --json`` writes it."""
        from qsage_validate.extensions.explain.shown import node_data

        asked = [str(node.question) for node in self.root.walk() if node.question is not None]
        return {
            "game": self.game.name,
            "misere": self.synthesis.options.misere,
            "nodes": self.nodes,
            "depth": self.depth,
            "questions": list(dict.fromkeys(asked)),
            "states": len(self.synthesis.formula.labels),
            "seconds": round(self.synthesis.formula_seconds + self.synthesis.strategy_seconds, 3),
            "tree": node_data(self.root),
            "proved": True,
            "statements": list(self.statements),
        }

    def in_form(self, form: str) -> str:
        """The explanation in a form of explanations, or as ``plain`` text or ``lesson``."""
        from qsage_validate.extensions.explain.shown import (
            dot,
            explanation_page,
            explanation_svg,
            explanation_text,
            lesson_page,
        )

        found, rules = self.formula, self.strategy
        misere = self.synthesis.options.misere
        forms = {
            "txt": lambda: explanation_text(self),
            "plain": lambda: explanation_text(self, boards=False),
            "json": lambda: json.dumps(self.to_dict(), ensure_ascii=False, indent=1) + "\n",
            "dot": lambda: dot(self),
            "html": lambda: explanation_page(self),
            "svg": lambda: explanation_svg(self),
            "py": lambda: python_module(self.game, found, rules, misere=misere),
            "smt2": lambda: smtlib_module(self.game, found, rules),
            "lesson": lambda: lesson_page(self),
        }
        return forms[form]()


def explain_heaps(
    game: ImpartialGame, options: SynthesisOptions, tell: Tell = nobody
) -> HeapExplanation:
    """The winning rules of an impartial game, found and proved by a synthesis.

    Raises ``UndecidedError`` where formula, rules or the end of all plays are not proved, and
    ``MissingExtraError`` without z3.
    """
    synthesis = synthesise(game, options, tell)
    rules = proved_strategy(synthesis)
    if synthesis.found is None:
        raise UndecidedError(f"{game.name}: {synthesis.formula.reason}; {synthesis.termination}")
    if rules is None or not rules.rules:
        told = "no rules" if synthesis.strategy is None else synthesis.strategy.reason
        raise UndecidedError(f"{game.name}: {told}")
    return HeapExplanation(synthesis, synthesis.found, rules)
