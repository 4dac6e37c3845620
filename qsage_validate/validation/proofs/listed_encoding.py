"""Level 4 without a certificate, of games whose moves are listed: positional games, games in GDL.

``docs/explanation/proved.md`` has the theorem, its hypotheses and the proof.  Of these, (R) is
:class:`Roles`, (S) :class:`Soundness` and (C) :class:`Completeness`.

From an encoder come suggestions and nothing else: the layout's model is encoded once more, and the
values that this encoding gives to helpers are tried on the formula at hand.  A formula that no
encoder here makes has none; then (S) alone can be shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.layout.layout import Layout, Ply
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import InputError, Undecided, UsageError
from qsage_validate.games.languages import model_from_parts
from qsage_validate.games.protocol import Game
from qsage_validate.kernel.claims import (
    Claim,
    ClaimsTimeoutError,
    Counterexample,
    first_failure,
)
from qsage_validate.kernel.fault import FindingKind
from qsage_validate.kernel.game import TooLargeError
from qsage_validate.kernel.obligation import Obligation, joined
from qsage_validate.system.limits import NEVER, Deadline
from qsage_validate.system.progress import Tell, nobody
from qsage_validate.validation.finding import Finding
from qsage_validate.validation.proofs.ground import RulesIn, rules_of
from qsage_validate.validation.proofs.listed_roles import Roles
from qsage_validate.validation.proofs.listed_scripts import Completeness, Scripts, Soundness
from qsage_validate.validation.proofs.strategy import LevelAnswer
from qsage_validate.validation.verdict import Proved, Refuted, Unsupported, Verdict

_MOST_VALUES: Final = 4096
"""So many values of universal variables behind all moves are written out."""


def prove_listed_encoding(
    formula: Qbf,
    layout: Layout,
    game: Game,
    *,
    deadline: Deadline = NEVER,
    tell: Tell = nobody,
    obligations: bool = False,
) -> LevelAnswer:
    """Prove that the formula is true exactly when Black wins, or say what speaks against it.

    Of an encoding one of whose values says nothing of the game (``Layout.conclusive``) the other
    direction is proved.  With ``obligations`` a proof comes with its claims.
    """
    rules_in = rules_of(game, deadline=deadline)
    if rules_in is None:
        return LevelAnswer(Unsupported(f"the rules of {game.name} are no circuit"))
    try:
        comparison = _Comparison(formula, layout, rules_in, deadline, tell)
        verdict = comparison.verdict()
    except TooLargeError as error:
        return LevelAnswer(Undecided(str(error)))
    except ClaimsTimeoutError as error:
        return LevelAnswer(Undecided(f"time is up: {error}"))
    kept = joined(comparison.asked) if obligations and isinstance(verdict, Proved) else None
    return LevelAnswer(verdict, kept, implies=layout.conclusive)


@dataclass
class _Comparison:
    """Formula and rules on all scripted plays."""

    formula: Qbf
    layout: Layout
    rules_in: RulesIn
    deadline: Deadline
    tell: Tell
    asked: list[Obligation] = field(default_factory=list)

    @cached_property
    def suggested(self) -> Encoding | str:
        """The encoding of the layout's model, for suggestions; or why there is none."""
        layout = self.layout
        try:
            found = encode(model_from_parts(layout.game, layout.model), layout.encoding)
        except (InputError, UsageError) as error:
            return f"no encoder here makes {layout.encoding}: {error}"
        if [*map(_written, found.layout.moves)] != [*map(_written, layout.moves)]:
            return f"the encoder of {layout.encoding} writes moves otherwise"
        return found

    def verdict(self) -> Verdict:
        """Both directions, or the one that the encoding is for."""
        prefix = Roles(self.formula, self.layout, self.rules_in(AigBuilder()))
        if prefix.findings:
            return Refuted(prefix.findings)
        if 1 << len(prefix.late) > _MOST_VALUES:
            return Unsupported(f"more than {_MOST_VALUES} values of the symbolic position")
        failures: list[tuple[Scripts, Counterexample, str]] = []
        doubts: list[str] = []
        if True in self.layout.conclusive:
            sound = Soundness(prefix, self.layout, self.rules_in, self.suggested)
            failure = self._failure(sound)
            if failure is not None and _is_silent(failure):
                doubts.append(_silence(sound, failure))
            elif failure is not None and prefix.free:
                names = " ".join(map(self.formula.name, prefix.free))
                doubts.append(
                    f"the formula's universal variables {names} have no role: with value 0 they "
                    f"let a play pass that Black loses: {' '.join(sound.moves(failure))}"
                )
            elif failure is not None:
                failures.append((sound, failure, ""))
        if False in self.layout.conclusive:
            self._complete(prefix, failures, doubts)
        if failures:
            script, failure, why = min(failures, key=lambda one: one[1].claim.ply)
            claim = failure.claim
            found = Finding(claim.kind, claim.ply, claim.text + why, moves=script.moves(failure))
            return Refuted((found,))
        if doubts:
            return Undecided(doubts[0])
        return Proved(self._agreement(len(self.layout.moves)))

    def _agreement(self, plies: int) -> str:
        if self.layout.conclusive == (True, False):
            return (
                f"formula and rules agree on all scripted plays of {plies} plies, and the prefix "
                "keeps their order"
            )
        if True in self.layout.conclusive:
            return (
                f"no scripted play of {plies} plies that the rules give to White satisfies the "
                "formula, and Black's choices see none that comes later"
            )
        return (
            f"each scripted play of {plies} plies that the rules give to Black satisfies the "
            "formula, and Black's choices see all earlier ones"
        )

    def _complete(
        self,
        prefix: Roles,
        failures: list[tuple[Scripts, Counterexample, str]],
        doubts: list[str],
    ) -> None:
        suggested = self.suggested
        complete = Completeness(prefix, self.layout, self.rules_in, suggested)
        failure = self._failure(complete)
        if failure is None:
            return
        if _is_silent(failure):
            doubts.insert(0, _silence(complete, failure))
            failures.clear()
            return
        if not complete.rejects(failure):
            failures.append((complete, failure, ""))
            return
        universals = complete.values((*prefix.late, *prefix.free), failure)
        if not self._others_satisfy(prefix, complete, failure, universals):
            shown = ", ".join(f"{self.formula.name(v)} = {int(x)}" for v, x in universals.items())
            why = f" when variables without a role are {shown}" if shown else ""
            failures.append((complete, failure, why))
            return
        moves = " ".join(complete.moves(failure))
        if isinstance(suggested, str):
            doubts.append(
                f"no play is wrongly given to Black; the rest was not proved: {suggested}"
            )
        elif complete.unknown:
            doubts.append(
                "no play is wrongly given to Black; the rest was not proved: "
                f"{len(complete.unknown)} variables are not the encoder's of {self.layout.encoding}"
            )
        elif complete.early:
            name = self.formula.name(complete.early[0])
            doubts.append(
                f"variable {name} stands left of what its value depends on, and 0 does not satisfy "
                f"the formula in a play that Black wins: {moves}"
            )
        else:
            doubts.append(
                "the values that the encoder suggests do not satisfy the formula in a play that "
                f"Black wins, but others do: {moves}"
            )

    def _failure(self, script: Scripts) -> Counterexample | None:
        self.asked.append(Obligation(script.builder, script.claims, script.assumed))
        return first_failure(
            script.builder, script.claims, script.assumed, deadline=self.deadline, tell=self.tell
        )

    def _others_satisfy(
        self,
        prefix: Roles,
        complete: Completeness,
        failure: Counterexample,
        universals: Mapping[int, bool],
    ) -> bool:
        """True if some values of the helpers satisfy the matrix in a play."""
        builder = AigBuilder()
        values = {**complete.values(prefix.roles, failure), **universals}
        literals = {v: TRUE if value else FALSE for v, value in values.items()}
        for variable in self.formula.levels():
            if variable not in literals:
                literals[variable] = builder.input()
        matrix = self.formula.add_to(builder, literals)
        claim = Claim(FindingKind.END_DIFFERS, 0, matrix, "")
        return first_failure(builder, [claim], deadline=self.deadline) is not None


def _written(ply: Ply) -> tuple[object, ...]:
    """What suggestions read of a ply: who moves, and which values stand for which move."""
    numbers = tuple(number.bits for number in ply.coding.numbers)
    return ply.player, ply.moves, ply.variables, numbers, ply.stop


def _is_silent(failure: Counterexample) -> bool:
    """True if the rules do not say how a play goes on."""
    return failure.claim.kind is FindingKind.RULES_SILENT


def _silence(script: Scripts, failure: Counterexample) -> str:
    shown = " ".join(script.moves(failure)) or "the beginning"
    return f"the rules do not say how the play goes on after {shown}"
