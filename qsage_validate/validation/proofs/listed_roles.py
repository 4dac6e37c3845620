"""The prefix of a formula whose moves are listed: hypothesis (R) of the level *encoding*.

1. The layout is this game's: no more plies, each made by the same player.
2. Each literal of a ply is a variable of its own, Black's existential, White's universal, or a
   constant.
3. Black's choices of ply i stand left of White's of each later ply: Black does not see what White
   will do.  Soundness needs this.
4. Black's choices stand right of White's of all earlier plies.  Completeness needs this.

A variable that no gate of the output needs can stand anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.encodings.layout.layout import Layout
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.fault import FindingKind
from qsage_validate.kernel.game import Rules
from qsage_validate.kernel.reading import PlyReading
from qsage_validate.kernel.strategy import constants
from qsage_validate.validation.finding import Finding
from qsage_validate.validation.proofs.prefix import needed_variables
from qsage_validate.validation.proofs.readings import reading_of

BLACK, WHITE = Player.BLACK, Player.WHITE

LEFT: Final = -1
"""A level left of the whole prefix."""


class Roles:
    """The roles that the layout claims, and where their variables stand.

    ``findings`` say what cannot be so.  ``late`` are universal variables without a role that stand
    behind all choices of Black's, ``free`` the others; ``helpers`` are the existential variables
    without a role.  Only variables that the matrix needs are looked at.
    """

    def __init__(self, formula: Qbf, layout: Layout, rules: Rules) -> None:
        self.formula = formula
        self.constants = constants(formula)
        self.reading = reading_of(layout)
        needed = needed_variables(formula)
        self.levels = {v: level for v, level in formula.levels().items() if v in needed}
        self._quantifiers = formula.quantifiers()
        self.roles: dict[int, PlyReading] = {}
        self.findings = tuple(self._misread(rules))
        if self.findings:
            return
        self.findings = tuple(self._disorder(layout.conclusive))
        black = [self.levels[v] for v, ply in self.roles.items() if self._ordered(v, ply, BLACK)]
        last = max(black, default=LEFT)
        universal, helpers = (
            [v for v in formula.variables(q) if v in needed and v not in self.roles]
            for q in (Quantifier.FORALL, Quantifier.EXISTS)
        )
        self.helpers = tuple(helpers)
        self.late = tuple(v for v in universal if self.levels[v] > last)
        self.free = tuple(v for v in universal if self.levels[v] <= last)

    def _ordered(self, variable: int, ply: PlyReading, player: Player) -> bool:
        return ply.player is player and variable in self.levels

    def _misread(self, rules: Rules) -> Iterator[Finding]:
        plies = self.reading.plies
        if len(plies) > rules.plies:
            yield _differs(f"the layout has {len(plies)} plies, the game {rules.plies}")
            return
        for number, ply in enumerate(plies, start=1):
            mover = rules.mover(number)
            if ply.ply != number:
                yield _differs(f"the layout calls ply {number} ply {ply.ply}")
            if ply.player is not mover:
                yield _differs(
                    f"the layout gives ply {number} to {ply.player}, the rules to {mover}"
                )
            for variable in map(abs, ply.literals):
                if variable not in self.constants:
                    yield from self._role(variable, ply)

    def _role(self, variable: int, ply: PlyReading) -> Iterator[Finding]:
        name, what = self.formula.name(variable), f"{ply.player}'s ply {ply.ply}"
        if variable in self.roles:
            other = self.roles[variable]
            yield _differs(
                f"variable {name} is {other.player}'s ply {other.ply}, and {what} as well"
            )
        self.roles[variable] = ply
        found = self._quantifiers.get(variable)
        expected = Quantifier.EXISTS if ply.player is BLACK else Quantifier.FORALL
        if found is None:
            yield _differs(f"{what} ({name}) is a gate, which nobody chooses")
        elif found is not expected and variable in self.levels:
            kinds = {Quantifier.EXISTS: "existential", Quantifier.FORALL: "universal"}
            text = f"{what} ({name}) is {kinds[found]}, expected {kinds[expected]}"
            yield Finding(FindingKind.PREFIX_DIFFERS, 0, text)

    def _disorder(self, conclusive: Sequence[bool]) -> Iterator[Finding]:
        """Choices of Black's that see too much, or too little."""
        for mine, own in self.roles.items():
            if not self._ordered(mine, own, BLACK):
                continue
            for theirs, other in self.roles.items():
                if not self._ordered(theirs, other, WHITE):
                    continue
                right = self.levels[mine] > self.levels[theirs]
                if right and other.ply > own.ply and True in conclusive:
                    yield self._order(
                        mine, own, "right", theirs, other, "sees a choice that comes later"
                    )
                elif not right and other.ply < own.ply and False in conclusive:
                    yield self._order(
                        mine, own, "left", theirs, other, "does not see an earlier choice"
                    )

    def _order(
        self, mine: int, own: PlyReading, side: str, theirs: int, other: PlyReading, so: str
    ) -> Finding:
        black, white = (
            f"{ply.player}'s ply {ply.ply} ({self.formula.name(v)} in block {self.levels[v] + 1})"
            for v, ply in ((mine, own), (theirs, other))
        )
        text = f"{black} stands {side} of {white}: the formula's Black {so}"
        return Finding(FindingKind.PREFIX_DIFFERS, 0, text)

    def known_after(self, ply: int) -> int:
        """The level such that what stands right of it knows White's choices before a ply."""
        seen = (
            self.levels[v]
            for v, p in self.roles.items()
            if self._ordered(v, p, WHITE) and p.ply < ply
        )
        return max(seen, default=LEFT)


def _differs(text: str) -> Finding:
    return Finding(FindingKind.LAYOUT_DIFFERS, 0, text)
