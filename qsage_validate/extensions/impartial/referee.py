"""The referee of impartial games: rules, formula and strategy side by side, state by state.

A strategy's moves are compared with the rules of the game: each reply must be legal and leave a
state that is losing.  Losing is what backward induction says where the states are few enough, and
what the winning formula says everywhere; the two must agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from qsage_validate.errors import UndecidedError
from qsage_validate.extensions.impartial.model import state_text
from qsage_validate.extensions.impartial.moves import State
from qsage_validate.extensions.impartial.rule_strategy import RuleReply, RuleStrategy
from qsage_validate.extensions.impartial.rules import (
    EndlessGameError,
    ImpartialRules,
    illegality,
    state_after,
)
from qsage_validate.system.limits import Deadline
from qsage_validate.validation.finding import FindingKind

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
