"""The strategy of synthesised rules: the rule that fires says what to play.

Where no rule fires the player to move is lost, says the strategy; it then makes the first legal
move.  A winning formula without rules is a strategy too: any move to a state that it calls
losing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qsage_validate.extensions.impartial.formula import ImpartialFormula, disjunction
from qsage_validate.extensions.impartial.moves import State
from qsage_validate.extensions.impartial.rules import ImpartialMove, ImpartialRules
from qsage_validate.extensions.impartial.synthesis.strategy import ImpartialRule, ImpartialStrategy


@dataclass(frozen=True, slots=True)
class RuleReply:
    """A move and where it comes from.

    ``rule`` is the number, from 0, of the rule that fired; ``None`` when the formula alone
    chose the move or none wins.  The move of a wrong rule need not be legal.
    """

    move: ImpartialMove
    rule: int | None


@dataclass(frozen=True)
class RuleStrategy:
    """Rules with the winning formula that they belong to; ``strategy`` may be missing.

    With ``ends_win`` states without a move are winning whatever the formula says of them.
    """

    rules: ImpartialRules
    formula: ImpartialFormula
    strategy: ImpartialStrategy | None
    ends_win: bool = False

    @classmethod
    def of_rules(cls, rules: ImpartialRules, strategy: ImpartialStrategy) -> RuleStrategy:
        """Rules alone: a state is winning where one of them fires.

        In misère play states without a move are winning as well, though there is no rule.
        """
        parts = [rule.condition for rule in strategy.rules]
        return cls(rules, disjunction(parts), strategy, ends_win=rules.misere)

    @property
    def all_rules(self) -> Sequence[ImpartialRule]:
        """The rules in their order; none where there is a formula only."""
        return () if self.strategy is None else self.strategy.rules

    def winning(self, state: State) -> bool:
        """True if the player to move wins, as the formula says."""
        if self.formula.holds(self.rules.game.state(state)):
            return True
        return self.ends_win and next(self.rules.moves(state), None) is None

    def reply(self, state: State) -> RuleReply | None:
        """The move in ``state``; ``None`` when the player to move has none."""
        if next(self.rules.moves(state), None) is None:
            return None
        if self.strategy is not None:
            fired = self.strategy.fires(self.rules.game, state)
            if fired is not None:
                return RuleReply(fired[1], fired[0])
        elif self.winning(state):
            found = self.winning_move(state)
            if found is not None:
                return RuleReply(found, None)
        return RuleReply(next(self.rules.moves(state)), None)

    def winning_move(self, state: State) -> ImpartialMove | None:
        """A legal move to a state that the formula calls losing; ``None``: there is none."""
        return next((m for m in self.rules.moves(state) if not self.winning(m.after)), None)
