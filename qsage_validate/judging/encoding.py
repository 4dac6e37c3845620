"""The level *encoding*: the formula has the game's value after each play of legal moves.

``docs/explanation/proved.md`` has the theorems.  The sandwich is tried first, with what an encoder
here suggests; its failure refutes nothing.  Then positions are compared, one by one: as far as
they are all of them this is a proof as well, and a difference is a refutation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any, Final

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.layout import UNKNOWN, Layout, Ply
from qsage_validate.errors import InputError, MissingExtraError, Undecided, UsageError, counted
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.languages import model_from_parts
from qsage_validate.games.protocol import TwoPlayerGame
from qsage_validate.judging.codes import Codes
from qsage_validate.judging.sandwich import Lower, Scripts, Suggestions, Upper
from qsage_validate.judging.suggestions import GridSuggestions, NoSuggestions
from qsage_validate.kernel.claims import ClaimsTimeoutError, Counterexample, failures
from qsage_validate.kernel.game import TooLargeError
from qsage_validate.kernel.obligation import Obligation, joined
from qsage_validate.kernel.player import FindingKind
from qsage_validate.system.limits import NEVER, Deadline, Progress, Tell, nobody
from qsage_validate.validation.finding import Proved, Refuted, Verdict
from qsage_validate.validation.fit import foreign_move
from qsage_validate.validation.proofs import LevelAnswer, RulesIn, rules_of

if TYPE_CHECKING:
    from qsage_validate.judging.positions import PositionsCompared
    from qsage_validate.judging.residuals import ResidualsOf

_PATIENCE: Final = 60.0
"""The seconds that positions get where no time was set."""
_MOST_GUESSES: Final = 4
"""So many constants are tried for helpers of which nothing is known."""
_ON_SCRIPTS: Final = 0.6
"""The part of the time in which a proof on whole scripts is tried."""
_CHECKED: Final = 0.9
"""The part of the time that is left in which functions that were found for the last half are
checked: with them it holds, unless the search for them is wrong."""
_CORRECTED: Final = 0.5
"""The part of that time in which functions are looked for instead of wrong suggestions alone."""
_LATE: Final = 4
"""Scripts that fail at one of so many plies before the last one are looked for as well,"""
_LATE_PART: Final = 0.1
"""in this part of that time."""
_COMPLETION_SECONDS: Final = 30.0
"""The time to find functions of helpers of which nothing is known."""
_CORE_SECONDS: Final = 2.0
"""The time for the gates that decide the differences that are shown."""


def judge(
    formula: Qbf,
    layout: Layout,
    game: TwoPlayerGame,
    *,
    deadline: Deadline = NEVER,
    tell: Tell = nobody,
    obligations: bool = False,
    most_differences: int = 1,
    patience: float = _PATIENCE,
    cores: bool = True,
    residuals: ResidualsOf | None = None,
    tried: OnScripts | None = None,
) -> LevelAnswer:
    """Decide whether a formula has the game's value after each play of legal moves.

    Of an encoding one of whose values says nothing of the game (``Layout.conclusive``) the other
    direction is decided.  With ``obligations`` a proof on whole scripts comes with its claims.
    Where the deadline never comes, positions are compared for ``patience`` seconds; functions of
    helpers are looked for no longer than that.  Without
    ``cores`` a difference comes without the gates that decide it.  ``residuals`` may know values
    of the formula already, and what was ``tried`` on scripts is not tried again.
    """
    judgement = _Judgement(
        formula, layout, game, deadline, tell, most_differences, patience, cores, residuals
    )
    verdict = judgement.verdict(tried)
    kept = None
    if obligations and isinstance(verdict, Proved) and not judgement.by_positions:
        kept = joined(judgement.asked)
    return LevelAnswer(
        verdict,
        kept,
        implies=judgement.proved_values if not isinstance(verdict, Proved) else layout.conclusive,
    )


@dataclass(frozen=True)
class OnScripts:
    """What a proof on whole scripts came to in so many ``seconds``.

    It is refuted where the layout cannot be.  ``shown`` are the halves that hold, ``failing`` the
    plays of scripts that fail, each with its half; ``doubts`` say why the others were not shown.
    ``cut`` says that more time may show more.
    """

    verdict: Proved | Refuted | Undecided
    shown: frozenset[bool]
    failing: Sequence[tuple[bool, tuple[str, ...]]]
    doubts: Sequence[str]
    seconds: float
    cut: bool


def try_scripts(
    formula: Qbf,
    layout: Layout,
    game: TwoPlayerGame,
    *,
    deadline: Deadline = NEVER,
    hopeful: Deadline | None = None,
) -> OnScripts:
    """Decide on whole scripts alone whether a formula has the game's value.

    While no script is known that fails, the search goes on until the deadline ``hopeful``.
    """
    judgement = _Judgement(formula, layout, game, deadline, nobody, 1, _PATIENCE, False, None)
    return judgement.on_scripts(Codes(formula, layout, game.plies), deadline, hopeful)


@dataclass
class _Judgement:
    formula: Qbf
    layout: Layout
    game: TwoPlayerGame
    deadline: Deadline
    tell: Tell
    most: int
    patience: float
    cores: bool
    residuals: ResidualsOf | None
    asked: list[Obligation] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    shown: set[bool] = field(default_factory=set)
    cut: bool = False
    by_positions: bool = False
    going_on: bool = False
    """True if some half is shown of plays in which nobody stops before the last move."""

    @property
    def halves(self) -> tuple[bool, ...]:
        """The values of the game that are claimed: a true formula is one that Black wins."""
        return tuple(not value for value in self.layout.conclusive)

    @property
    def proved_values(self) -> tuple[bool, ...]:
        """The values of the formula of which the winner was shown to follow."""
        return tuple(value for value in (True, False) if (not value) in self.shown)

    def verdict(self, tried: OnScripts | None) -> Verdict:
        codes = Codes(self.formula, self.layout, self.game.plies)
        limit = self.deadline.share(_ON_SCRIPTS)
        if tried is None or (tried.cut and limit.left() > tried.seconds):
            tried = self.on_scripts(codes, limit)
        self.shown, self.doubts = {*tried.shown}, [*tried.doubts]
        if not isinstance(tried.verdict, Undecided):
            return tried.verdict
        return self._by_positions(codes, tried.failing)

    # -- on whole scripts -------------------------------------------------------------------

    def on_scripts(
        self, codes: Codes, deadline: Deadline, hopeful: Deadline | None = None
    ) -> OnScripts:
        hopeful = hopeful or deadline
        seconds = hopeful.left()
        failing: list[tuple[bool, tuple[str, ...]]] = []
        movers = [self.game.player_at(ply) for ply in range(1, self.game.plies + 1)]
        wrong = tuple(codes.misread(movers))
        if wrong:
            return OnScripts(Refuted(wrong), frozenset(), failing, (), seconds, cut=False)
        try:
            rules_in = rules_of(self.game, deadline=hopeful)
            if rules_in is not None:
                for number, half in enumerate(self.halves):
                    part = 1 / (len(self.halves) - number)
                    limits = deadline.share(part), hopeful.share(part)
                    failing += self._half(half, codes, rules_in, *limits)
        except TooLargeError as error:
            self.doubts.append(str(error))
        verdict: Proved | Undecided = Undecided([*self.doubts, "no proof on scripts was tried"][0])
        if self.shown.issuperset(self.halves):
            verdict = Proved(self._agreement(len(codes.readings)))
        return OnScripts(verdict, frozenset(self.shown), failing, self.doubts, seconds, self.cut)

    def _half(
        self, half: bool, codes: Codes, rules_in: RulesIn, deadline: Deadline, hopeful: Deadline
    ) -> list[tuple[bool, tuple[str, ...]]]:
        """Show one half on all scripts, or give the play of a script that fails."""
        disorder = codes.disorder(half)
        if disorder:
            self.doubts.append(disorder)
            return []
        kind: type[Scripts] = Lower if half else Upper

        def scripts(*, of_listed: bool = True, **how: Any) -> Scripts:
            suggestions = _suggestions_of(self.layout, self.game, of_listed=of_listed)
            return kind(codes, rules_in, suggestions, **how)

        failing: list[tuple[str, tuple[str, ...]]] = []
        late: list[tuple[bool, tuple[str, ...]]] = []
        wrong: set[int] = set()
        going_ons = (False, True) if codes.stops_seen_by(kind.player) else (False,)
        claims_wins = (True, False) if any(codes.stops) else (True,)
        for claims, going_on, decides in product(claims_wins, going_ons, (False, True)):
            how = {"decides": decides, "going_on": going_on, "claims_wins": claims}
            guesses: dict[int, bool] = {}
            for _ in range(_MOST_GUESSES):
                script = scripts(**how, guesses=guesses)
                try:
                    failure = self._failure(script, deadline if failing else hopeful)
                except ClaimsTimeoutError:
                    self.doubts.append("time is up: the claims about all scripts are open")
                    return [*late, *((half, moves) for _, moves in failing)]
                if failure is None:
                    self.going_on |= going_on
                    return []
                if not failing:
                    late = self._late(script, failure, deadline)
                failing.append((self._doubt(script, failure), script.moves(failure)))
                following = script.satisfying(failure)
                if not following and not wrong:
                    wrong = script.misled(failure)
                    if self._corrected(wrong, scripts, deadline.share(_CORRECTED)):
                        return []
                if not following or following == guesses:
                    break
                guesses = following
        try:
            if self._completed(scripts(of_listed=False), deadline):
                return []
            self.doubts.append(failing[0][0])
        except ClaimsTimeoutError:
            self.doubts.append("time is up: functions of its helpers were found, and not checked")
        return [*late, *((half, moves) for _, moves in failing)]

    def _failure(self, script: Scripts, deadline: Deadline) -> Counterexample | None:
        """``Scripts.failure``; where there is none, the script's half is shown."""
        self.tell(Progress("claims", f"{counted(len(script.claims), 'claim')} at once"))
        try:
            failure = script.failure(deadline)
        except ClaimsTimeoutError:
            self.cut = True
            raise
        if failure is None:
            self.asked.append(Obligation(script.builder, script.claims, script.assumed))
            self.shown.add(script.half)
        return failure

    def _late(
        self, script: Scripts, failure: Counterexample, deadline: Deadline
    ) -> list[tuple[bool, tuple[str, ...]]]:
        """The plays of scripts that fail at one of the last plies.

        Behind these few moves are left, and so the formula's values there are found soon.
        """
        last = max(claim.ply for claim in script.claims) - _LATE
        claims = [c for c in script.claims if c.ply >= max(last, failure.claim.ply + 1)]
        asked = script.builder, claims, script.assumed
        found: list[tuple[bool, tuple[str, ...]]] = []
        with suppress(ClaimsTimeoutError):
            for one in failures(*asked, deadline=deadline.share(_LATE_PART), tell=self.tell):
                found.append((script.half, script.moves(one)))
        return found

    def _corrected(
        self, wrong: set[int], scripts: Callable[..., Scripts], deadline: Deadline
    ) -> bool:
        """True if a half holds with other functions of helpers whose suggestion is wrong.

        ``wrong`` are some of them; what else is wrong in a play is added.
        """
        with suppress(ClaimsTimeoutError):
            while wrong:
                script = scripts(without=wrong)
                failure = self._failure(script, deadline)
                if failure is None:
                    return True
                more = script.misled(failure)
                if more <= wrong:
                    return self._completed(script, deadline)
                wrong |= more
        return False

    def _completed(self, script: Scripts, deadline: Deadline) -> bool:
        """True if the claims hold with functions that are found for helpers of all kinds.

        Raises ``ClaimsTimeoutError`` where they are found and not checked in time.
        """
        if not script.complete(deadline.sooner_by_work(min(_COMPLETION_SECONDS, self.patience))):
            self.cut |= deadline.over
            return False
        if self.shown.union({script.half}).issuperset(self.halves):
            deadline = self.deadline.share(_CHECKED)
        return self._failure(script, deadline) is None

    def _doubt(self, script: Scripts, failure: Counterexample) -> str:
        moves = " ".join(script.moves(failure)) or "the beginning"
        if failure.claim.kind is FindingKind.RULES_SILENT:
            return f"the rules do not say how the play goes on after {moves}"
        if failure.claim.kind is FindingKind.LEGALITY_DIFFERS:
            return f"{failure.claim.text} (after {moves})"
        if not script.half:
            names = " ".join(map(self.formula.name, script.zero[:8]))
            zero = f", with value 0 of {names}" if names else ""
            return f"a play that Black loses satisfies the formula{zero}: {moves}"
        why = suggestions_why(script)
        if script.early:
            name = self.formula.name(script.early[0])
            why = f"variable {name} stands left of what its value depends on"
        elif not why and script.unknown:
            why = f"{counted(len(script.unknown), 'variable has', 'variables have')} no suggestion"
        why = why or "the values that are suggested do not satisfy the formula"
        return f"{why}, in a play that Black wins: {moves}"

    def _agreement(self, plies: int) -> str:
        going_on = ", with nobody stopping before the last move of a play" if self.going_on else ""
        if len(self.halves) == 2:
            return f"formula and rules agree on all scripts of {counted(plies, 'ply')}{going_on}"
        if self.halves == (False,):
            scripts = f"no script of {counted(plies, 'ply')} that the rules give to White"
            return f"{scripts} satisfies the formula{going_on}"
        scripts = f"each script of {counted(plies, 'ply')} that the rules give to Black"
        return f"{scripts} satisfies the formula{going_on}"

    # -- position by position ---------------------------------------------------------------

    def _by_positions(
        self, codes: Codes, failing: Sequence[tuple[bool, tuple[str, ...]]]
    ) -> Verdict:
        if not codes.depend_on_the_play and foreign_move(self.game, self.layout) is not None:
            return Undecided(self.doubts[0])
        silent = [doubt for doubt in self.doubts if doubt.startswith("the rules do not say")]
        if silent:
            return Undecided(silent[0])
        deadline = self.deadline.or_after_work(self.patience)
        try:
            alone = self._compared(failing, deadline.share(0.5 if any(codes.stops) else 1.0))
            if not any(codes.stops) or alone.agrees:
                return self._told(alone)
            # Who stops may know the moves behind it where these are fixed: it says nothing of plays
            # in which nobody stops.
            going_on = self._compared(failing, deadline, going_on=True)
            differs = alone.differs and going_on.differs
            return self._told(alone if differs or going_on.is_less_than(alone) else going_on)
        except MissingExtraError as error:
            return Undecided(f"{self.doubts[0] if self.doubts else 'positions are open'}; {error}")

    def _compared(
        self,
        failing: Sequence[tuple[bool, tuple[str, ...]]],
        deadline: Deadline,
        *,
        going_on: bool = False,
    ) -> PositionsCompared:
        """Compare positions: all, or drawn ones."""
        from qsage_validate.judging.positions import IN_ORDER, Positions, compared
        from qsage_validate.judging.python_rules import GameValues

        # A symmetry of the game exchanges them with one that has a code.
        first = self.layout.moves[0].moves if self.layout.moves else ()
        positions = Positions(
            self.formula,
            self.layout,
            GameValues.of_game(self.game, deadline=deadline.share(IN_ORDER)),
            residuals=self.residuals,
            halves=tuple(half for half in self.halves if half not in self.shown),
            equal_first=self.game.exchanged_first_moves(first),
            going_on=going_on,
        )
        return compared(
            positions, self.game, failing, deadline, self.tell, self.most, self.patience
        )

    def _told(self, compared: PositionsCompared) -> Verdict:
        if compared.differs:
            from qsage_validate.judging.positions import shown

            limit = self.deadline.sooner_by_work(_CORE_SECONDS if self.cores else 0.0)
            told = self.game, self.formula, compared.positions, limit
            return Refuted(tuple(shown(one, *told) for one in compared.tally.differences))
        self.by_positions = compared.tally.settled
        found = compared.agreement()
        why = self.doubts[0] if self.doubts else "no position was decided in time"
        return Undecided(why) if found is None else found


def suggestions_why(script: Scripts) -> str:
    """Why nothing is suggested for a script, where that is so."""
    return str(getattr(script.suggestions, "why", ""))


def _suggestions_of(
    layout: Layout, game: TwoPlayerGame | None, *, of_listed: bool = True
) -> Suggestions:
    """What is tried on a formula of a game; ``why`` of it says where there is nothing to try.

    ``of_listed`` asks for indicators of moves on a grid that are numbers in a list, too.
    """
    if layout.state.is_board and isinstance(game, BddlGame):
        return GridSuggestions(layout, game, of_listed)
    if layout.encoding == UNKNOWN:
        return NoSuggestions("nothing is known of its helpers, and no functions of them were found")
    from qsage_validate.encodings.registry import encode

    try:
        found = encode(model_from_parts(layout.game, layout.model), layout.encoding)
    except (InputError, UsageError) as error:
        return NoSuggestions(f"no encoder here makes {layout.encoding}: {error}")
    if [*map(_written, found.layout.moves)] != [*map(_written, layout.moves)]:
        return NoSuggestions(f"the encoder of {layout.encoding} writes moves otherwise")
    from qsage_validate.judging.encoders_suggestions import EncodersSuggestions

    return EncodersSuggestions(layout, found)


def _written(ply: Ply) -> tuple[object, ...]:
    """What suggestions read of a ply: who moves, and which values stand for which move."""
    numbers = tuple(number.bits for number in ply.coding.numbers)
    return ply.player, ply.moves, ply.variables, numbers, ply.stop
