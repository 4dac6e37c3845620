"""The sandwich: a formula between two readings of the rules that are made total.

``docs/explanation/proved.md`` has the theorem.  A script has a code for each ply, legal or not.
:class:`Lower` gives Black the scripts in which Black makes legal moves and wins; there the matrix
has to be true for functions of the existential helpers.  :class:`Upper` gives White the scripts in
which White makes legal moves and Black does not win; there the matrix has to be false for functions
of the universal helpers, or for one of all their values.  An illegal code of the other player is a
pass where that is never better than a move; elsewhere it stands for the first legal move, or
``decides`` the play.  All these readings have the game's value after each play of legal moves.

Functions are suggestions: whatever they are, a claim that holds is a proof.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby, islice
from typing import Final, Protocol

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder, embed, signed
from qsage_validate.circuit.decision import first_true
from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope, add_gates
from qsage_validate.circuit.sat import Solver
from qsage_validate.encodings.layout import value_bits
from qsage_validate.errors import UndecidedError
from qsage_validate.games.protocol import Player
from qsage_validate.judging.codes import BLACK, LEFT, WHITE, Codes
from qsage_validate.kernel.certificate import CertificateKind
from qsage_validate.kernel.claims import Claim, Counterexample, evaluate, first_failure
from qsage_validate.kernel.game import State
from qsage_validate.kernel.player import FindingKind
from qsage_validate.kernel.reading import Matcher, PlyReading, WalkPly
from qsage_validate.kernel.strategy import played
from qsage_validate.system.limits import Deadline
from qsage_validate.validation.proofs import RulesIn

_SOLVER: Final = "cadical195"
_MOST_GATES: Final = 60_000
"""The size of a step of the elimination."""


def completion(
    script: Scripts, wrong: int, helpers: Mapping[int, int], deadline: Deadline
) -> dict[int, int]:
    """For each helper a literal of the script's graph, such that ``wrong`` is never true.

    ``helpers`` has the input of each.  Nothing where none is found in time, in graphs of some size.
    """
    from qsage_validate.certificates.by_expansion import expand

    if wrong in (FALSE, TRUE):
        return {}  # no functions change what is constant
    side = CertificateKind.SKOLEM
    formula, tried = _claim(script, wrong, helpers)
    try:
        found = expand(formula, deadline=deadline, max_gates=_MOST_GATES, of=side, tried=tried)
    except UndecidedError:
        return {}
    if found.kind is not CertificateKind.SKOLEM:
        return {}
    inputs = [script.builder.inputs[v - 1] for v in found.inputs]
    variables = {literal: v for v, literal in helpers.items()}
    functions = {
        variables[script.builder.inputs[k - 1]]: literal for k, literal in found.functions.items()
    }
    literals = embed(script.builder, found.aig, inputs, list(functions.values()))
    return dict(zip(functions, literals, strict=True))


def _claim(
    script: Scripts, wrong: int, helpers: Mapping[int, int]
) -> tuple[Qbf, dict[int, list[int]]]:
    """The formula that is true if some functions of the helpers keep ``wrong`` from being true.

    Its variables are the numbers of the graph's inputs, from 1, and its gates those of the graph.
    With it, for each helper between moves, the gates that may be its function (`Scripts.told`).
    """
    moves = {v: script.told(v) for v in helpers}
    wanted = [literal for own in moves.values() for literal in own]
    aig, (root, *told) = script.builder.build([wrong ^ 1, *wanted])
    rest = iter(told)
    number = {literal: k for k, literal in enumerate(script.builder.inputs, start=1)}
    tried = {
        number[helpers[v]]: [x >> 1 for x in islice(rest, len(own)) if x >> 1]
        for v, own in moves.items()
        if own
    }
    places = {literal: script.codes.levels[v] for v, literal in helpers.items()}
    order = sorted(
        (places.get(literal, script.known.get(literal, 0)), literal in places, number)
        for number, literal in enumerate(script.builder.inputs, start=1)
    )
    scopes = tuple(
        Scope(
            Quantifier.EXISTS if helper else Quantifier.FORALL,
            tuple(number for _, _, number in block),
        )
        for (_, helper), block in groupby(order, lambda one: one[:2])
    )
    gates = {
        number: Gate(Connective.AND, (signed(left), signed(right)))
        for number, (left, right) in enumerate(aig.pairs(), start=aig.num_inputs + 1)
    }
    return Qbf(scopes, gates, signed(root)), tried


_NOWHERE: Final = 1 << 40
"""A level right of every prefix: of choices at plies that the formula has not."""
_MOST_VALUES: Final = 4096
"""So many values of universal helpers are written out."""
_NO_GUESSES: Final[Mapping[int, bool]] = {}
_MOST_INNER: Final = 6
"""So many existential helpers of the innermost block get all their values."""


class Suggestions(Protocol):
    """What is tried for the variables that are no moves."""

    def begin(self, script: Scripts) -> None:
        """A new script is about to be walked through."""
        ...

    def renames(self, ply: PlyReading) -> bool:
        """True if the formula's names of White's moves at a ply depend on the play so far."""
        ...

    def renamed(self, ply: PlyReading) -> Sequence[int]:
        """Literals that choose a move of the rules; the ply's variables follow from it."""
        ...

    def own(self, ply: PlyReading) -> Mapping[int, int]:
        """Functions of a ply's variables where the strategy has its own ones behind the end.

        With none, the player goes on with legal moves.
        """
        ...

    def step(self, step: WalkPly, won: Mapping[Player, int]) -> None:
        """A ply has been made; ``won`` says who has won by it."""
        ...

    def functions(self) -> Mapping[int, int]:
        """The functions of helpers, at the end of the script."""
        ...


class Scripts(ABC):
    """All scripts at once: the codes are inputs of a graph.

    ``literals`` has the graph's literal of each variable of the prefix, ``known`` for each input
    the level such that what stands right of it may depend on the input.  ``early`` are helpers
    whose suggestion reads what is not known where they stand, ``unknown`` those without one,
    ``zero`` universal ones that are given the value 0; ``guesses`` are tried for the unknown ones.
    What is suggested for helpers ``without`` a function is not taken.
    ``over`` says that ``player``, whose strategy it is, has won.  With ``going_on`` the plays are
    those in which nobody stops before the last move: where the other player stops, the position
    stays as it is, and who has not won by then has lost.  Without ``claims_wins`` the strategy's
    player never stops, not even where the game is won.
    """

    half: bool
    player: Player
    helpers: Quantifier

    def __init__(
        self,
        codes: Codes,
        rules_in: RulesIn,
        suggestions: Suggestions,
        *,
        decides: bool = False,
        going_on: bool = False,
        claims_wins: bool = True,
        guesses: Mapping[int, bool] = _NO_GUESSES,
        without: Collection[int] = (),
    ) -> None:
        self.codes = codes
        self._without = without
        self._guesses = guesses
        self.decides = decides
        self._stops = codes.stops_seen_by(self.player) if going_on else {}
        self._playing_at: list[int] = []
        self._going_on = going_on
        self._claims_wins = claims_wins
        self._fallen = self._stopped = FALSE
        self.formula = codes.formula
        self.builder = AigBuilder()
        self.rules = rules_in(self.builder)
        self.suggestions = suggestions
        self.claims: list[Claim] = []
        self.assumed: list[int] = []
        self.known: dict[int, int] = {}
        self.literals = {v: TRUE if value else FALSE for v, value in codes.constants.items()}
        self.steps: list[WalkPly] = []
        self.early: list[int] = []
        self.unknown: list[int] = []
        self.zero: list[int] = []
        suggestions.begin(self)
        self._claim()

    def failure(self, deadline: Deadline) -> Counterexample | None:
        """The first claim that fails in some script; all claims are asked at once.

        Raises ``ClaimsTimeoutError`` at the deadline.
        """
        wrong = self.builder.or_all(claim.wrong for claim in self.claims)
        any_of_them = Claim(FindingKind.END_DIFFERS, 0, wrong, "")
        found = first_failure(self.builder, [any_of_them], self.assumed, deadline=deadline)
        if found is None:
            return None
        fails = evaluate(self.builder, {c: c.wrong for c in self.claims}, found.inputs)
        first = min((claim for claim in self.claims if fails[claim]), key=lambda claim: claim.ply)
        return Counterexample(first, found.inputs)

    @abstractmethod
    def _claim(self) -> None:
        """Walk through the scripts, and make the claims."""

    @abstractmethod
    def _conclude(self) -> None:
        """Claim that the matrix has its value, with the functions that the helpers have now."""

    @abstractmethod
    def _wrong(self, literals: Mapping[int, int]) -> int:
        """That the matrix has the other value in a script of the strategy's."""

    def complete(self, deadline: Deadline) -> bool:
        """Look for functions of the helpers that have none, and claim again with these.

        Where some are ``without`` one on purpose the others that have none keep their constants.
        False, and nothing has changed, where none were found.
        """
        left = [v for v in self.unknown if v in self._without or not self._without]
        left += self.early
        if not left:
            return False
        for ply in self.codes.readings:
            self.code(ply)  # of plies that no script comes to: any values
        known = {v: literal for v, literal in self.literals.items() if v not in left}
        inputs = {v: self.input(self._level(v)) for v in left}
        found = completion(self, self._wrong({**known, **inputs}), inputs, deadline)
        if not found:
            return False
        self.literals, self.early, self._without = known, [], ()
        self.adopt(found)
        self._conclude()
        return True

    def satisfying(self, failure: Counterexample) -> dict[int, bool]:
        """Constants for the helpers without a suggestion that do in a script that failed, if any.

        The other variables keep their values.
        """
        return {}

    def misled(self, failure: Counterexample) -> set[int]:
        """Helpers whose suggested values are to blame for a script that failed."""
        return set()

    # -- variables --------------------------------------------------------------------------

    def input(self, known: int = _NOWHERE) -> int:
        literal = self.builder.input()
        self.known[literal] = known
        return literal

    def code(self, ply: PlyReading) -> list[int]:
        """The graph's literals of a ply's: new inputs, but for what has a value."""
        strategys = ply.player is self.player
        for variable in map(abs, ply.literals):
            if variable not in self.literals:
                level = self.known_after(variable) if strategys else self._level(variable)
                self.literals[variable] = self.input(level)
        return self.bits(ply.literals)

    def known_after(self, variable: int) -> int:
        """The level such that what stands right of it may depend on a choice of the strategy's."""
        return self.codes.known_after(variable, self._stops)

    def bits(self, literals: Iterable[int]) -> list[int]:
        """The graph's literals of some of the formula's; what has none yet is false."""
        return [self.literals.get(abs(v), FALSE) ^ (v < 0) for v in literals]

    def _level(self, variable: int) -> int:
        return self.codes.levels.get(variable, LEFT)

    def others(self, quantifier: Quantifier) -> list[int]:
        """The helpers with a quantifier that the output needs, in the order of the prefix."""
        moves, needed = self.codes.ply_of, self.codes.levels
        return [v for v in self.formula.variables(quantifier) if v in needed and v not in moves]

    def adopt(self, suggested: Mapping[int, int]) -> None:
        """Give the helpers of the side their functions, as far as these may be used.

        Some have got one along the script, which is looked at as well.
        """
        own = self.others(self.helpers)
        found = {
            v: self.literals[v] if v in self.literals else suggested[v]
            for v in own
            if v in self.literals or (v in suggested and v not in self._without)
        }
        goes_on: dict[int, int] = {}
        for variable, going, playing in self._own_stops():
            if variable in own:
                goes_on[variable] = going
                other = found.get(variable, going) if self._claims_wins else going
                found[variable] = self.builder.ite(playing, going, other)
        self.unknown = [v for v in own if v not in found]
        aig, roots = self.builder.build(list(found.values()))
        known = [LEFT, *(self.known[literal] for literal in self.builder.inputs)]
        for left, right in zip(aig.fanin0.tolist(), aig.fanin1.tolist(), strict=True):
            known.append(max(known[left >> 1], known[right >> 1]))
        for variable, root in zip(found, roots, strict=True):
            self.literals[variable] = found[variable]
            if known[root >> 1] <= self._level(variable):
                continue
            if variable in goes_on:
                self.literals[variable] = goes_on[variable]
            else:
                self.early.append(variable)
                del self.literals[variable]

    def _own_stops(self) -> Iterator[tuple[int, int, int]]:
        """The side's own stops, each with its value of going on, and that the play goes on.

        In these scripts nobody stops before the play is over, and so the stops have these values.
        """
        goes_on = self._going_on or not self._claims_wins
        for at, stops in enumerate(self.codes.stops if goes_on else ()):
            playing = self._playing_at[at] if at < len(self._playing_at) else TRUE
            for variable, going in stops.items():
                if self.codes.quantifiers[variable] is self.helpers:
                    yield variable, TRUE if going else FALSE, playing

    def told(self, helper: int) -> list[int]:
        """Three literals about the other player's last move left of a helper.

        They say that the code was that of a legal move, that of a move, and that it was not that of
        an illegal move.  Nothing for helpers left of all of these, or right of all moves.
        """
        found: list[int] = []
        place = {v: k for k, v in enumerate(v for s in self.formula.scopes for v in s.variables)}
        or_all = self.builder.or_all
        for step in self.steps:
            if step.reading is None:
                break
            if any(place[abs(x)] > place[helper] for x in step.reading.literals):
                return found
            if step.player is not self.player:
                said = (step.codes.get(name, FALSE) for name in step.names)
                legal = or_all(map(self.builder.and_, said, step.legal))
                move = or_all(step.codes.values())
                found = [legal, move, self.builder.implies(move, legal)]
        return []

    # -- claims -----------------------------------------------------------------------------

    def missing(self, step: WalkPly) -> None:
        """Claim that moves without a code are legal in no play that comes to a ply."""
        if step.reading is None:
            return
        for name, can in zip(step.names, step.legal, strict=True):
            if name in step.reading.codes:
                continue
            if step.ply == 1 and not self.rules.as_good(name).isdisjoint(step.reading.codes):
                continue
            wrong = self.builder.and_(step.playing, can)
            text = f"{step.player}'s move {name} is legal by the rules, and has no code"
            self.claims.append(Claim(FindingKind.LEGALITY_DIFFERS, step.ply - 1, wrong, text))

    def silent(self, step: WalkPly) -> None:
        """Claim that the rules say how the play goes on."""
        undefined = self.rules.undefined(step.before, step.ply)
        wrong = self.builder.and_all((step.playing, self._stopped ^ 1, undefined))
        self.claims.append(
            Claim(FindingKind.RULES_SILENT, step.ply - 1, wrong, "the rules are silent")
        )

    def values(
        self, variables: Sequence[int] | Mapping[int, object], failure: Counterexample
    ) -> dict[int, bool]:
        return evaluate(self.builder, {v: self.literals[v] for v in variables}, failure.inputs)

    def moves(self, failure: Counterexample) -> tuple[str, ...]:
        """The moves of a script that differs, up to the ply at which it is decided."""
        return played(self.builder, self.steps[: failure.claim.ply], failure.inputs)

    # -- the walk ---------------------------------------------------------------------------

    def walk(self) -> None:
        """Go through all scripts at once, and find those that the strategy's player has won."""
        self._state: State = self.rules.initial
        self._playing, self.over = TRUE, FALSE
        self._kept: list[tuple[int, int]] = []
        self._decided: list[tuple[int, int]] = []
        self._look(0)
        for ply in range(1, self.rules.plies + 1):
            if ply > len(self.codes.readings) and self._playing == FALSE:
                break
            step = self._step(ply)
            self.steps.append(step)
            self.suggestions.step(step, self._look(ply))
        # Who stops and has not won has lost.
        self._decided.append((len(self.steps), self.builder.and_(self._playing, self._stopped)))

    def decided(self) -> Iterator[tuple[int, int]]:
        """The scripts that the strategy's player has won, and the ply at which.

        Behind the end of a play this player goes on with legal moves as long as there are some.
        """
        for ply, literal in self._decided:
            later = (kept for at, kept in self._kept if at > ply)
            yield ply, self.builder.and_all((literal, *later))

    def _look(self, time: int) -> Mapping[Player, int]:
        won = {
            player: self.builder.and_all((self._playing, self._stopped ^ 1, literal))
            for player, literal in self.rules.won(self._state, time).items()
        }
        own = won[self.player]
        self._decided.append((time, own))
        self.over = self.builder.or_(self.over, own)
        for literal in won.values():
            self._playing = self.builder.and_(self._playing, literal ^ 1)
        for literal in (literal for literal, at in self._stops.items() if at == time):
            variable = abs(literal)
            if variable not in self.literals:
                self.literals[variable] = self.input(self._level(variable))
            (stop,) = self.bits([literal])
            self._stopped = self.builder.or_(self._stopped, stop)
        self._playing_at.append(self._playing)
        return won

    def _step(self, ply: int) -> WalkPly:
        rules, and_, or_all = self.rules, self.builder.and_, self.builder.or_all
        ite = self.builder.ite
        names, legal = rules.moves(ply), rules.legal(self._state, ply)
        playing, before, player = self._playing, self._state, rules.mover(ply)
        codes: Mapping[str, int] = {}
        reading = None
        passed: State | None = None
        kept = TRUE
        if ply > len(self.codes.readings):
            made = first_true(self.builder, [and_(can, self.input()) for can in legal])
        else:
            reading = self._plain(self.codes.readings[ply - 1])
            functions = self.suggestions.own(reading) if player is self.player else {}
            self.literals.update(functions)
            codes = self._codes(reading)
            made = [and_(codes.get(n, FALSE), can) for n, can in zip(names, legal, strict=True)]
            if player is self.player:
                coded = [can for n, can in zip(names, legal, strict=True) if n in codes]
                if not functions:
                    # Where no move is legal any code is as good: one that says a move is taken.
                    said = or_all(codes.values())
                    none = and_(or_all(coded) ^ 1, TRUE if said == FALSE else said)
                    kept = or_all((or_all(made), none, self._fallen))
                    self._kept.append((ply, kept))
            else:
                passed = rules.passed(before, ply)
                if passed is None and not self.decides:
                    made = self._replaced(reading, names, legal, made)
        moved = or_all(made)
        if self.decides and passed is None and player is not self.player:
            fallen = and_(moved ^ 1, self._stopped ^ 1)
            self._fallen = self.builder.or_(self._fallen, fallen)
            self._decided.append((ply, and_(playing, fallen)))
        state = rules.after(before, ply, made)
        if passed is not None:
            state = tuple(ite(moved, a, b) for a, b in zip(state, passed, strict=True))
        go_on = moved if passed is None else TRUE
        if self._stopped != FALSE:
            state = tuple(ite(self._stopped, a, b) for a, b in zip(before, state, strict=True))
            go_on = ite(self._stopped, kept, go_on)
        self._playing = and_(playing, go_on)
        self._state = state
        step = WalkPly(
            ply=ply,
            player=player,
            reading=reading,
            playing=playing,
            codes=codes,
            names=names,
            legal=legal,
            made=made,
            moved=moved,
            failed=moved ^ 1 if passed is None else FALSE,
            before=before,
            after=state,
        )
        self.silent(step)
        if player is self.player:
            self.missing(step)
        return step

    def _plain(self, ply: PlyReading) -> PlyReading:
        """The ply itself; with its own code of the rules' moves where the formula's depends."""
        if not self.suggestions.renames(ply):
            return ply
        names = self.rules.moves(ply.ply)
        width = max(len(names) - 1, 0).bit_length()
        codes = {name: (value_bits(k, width),) for k, name in enumerate(names)}
        return PlyReading(ply.ply, ply.player, (0,) * width, codes)

    def _codes(self, ply: PlyReading) -> dict[str, int]:
        """For each move the literal that the ply's variables say it."""
        renamed = self.suggestions.renames(ply)
        said = self.suggestions.renamed(ply) if renamed else self.code(ply)
        match = Matcher(self.builder, said)
        or_all = self.builder.or_all
        return {move: or_all(map(match, patterns)) for move, patterns in ply.codes.items()}

    def _replaced(
        self, reading: PlyReading, names: Sequence[str], legal: Sequence[int], made: Sequence[int]
    ) -> list[int]:
        """The moves made, where no legal one is said the first legal one of the layout's list."""
        free = self.builder.or_all(made) ^ 1
        can = dict(zip(names, legal, strict=True))
        order = list(dict.fromkeys((*reading.codes, *names)))
        firsts = first_true(self.builder, [can.get(move, FALSE) for move in order])
        first = dict(zip(order, firsts, strict=True))
        return [
            self.builder.or_(own, self.builder.and_(free, first[n]))
            for n, own in zip(names, made, strict=True)
        ]


class Upper(Scripts):
    """Black wins no more: where White has a script, some values of the helpers break the matrix.

    Universal helpers without a function are expanded where they stand right of Black's choices
    and are few; the others are 0.  An existential helper has a copy for each choice of the
    expanded ones on its left.
    """

    half = False
    player = WHITE
    helpers = Quantifier.FORALL

    def _claim(self) -> None:
        self.walk()
        text = "the formula accepts for Black a play that the rules give to White"
        # Who cannot move has lost or passes, or else the rules are silent, which is claimed.
        self._whites = [*self.decided(), (len(self.steps), self._playing)]
        for ply, white in self._whites:
            self.claims.append(Claim(FindingKind.END_DIFFERS, ply, white, text))
        self.adopt(self.suggestions.functions())
        self._conclude()

    def _conclude(self) -> None:
        self.assumed = [*self._matrices()]

    def _wrong(self, literals: Mapping[int, int]) -> int:
        levels = self.codes.levels
        others = (v for v in self.formula.levels() if v not in literals)
        copies = {v: self.input(levels[v]) if v in levels else FALSE for v in others}
        white = self.builder.or_all(literal for _, literal in self._whites)
        return self.builder.and_(white, self.formula.add_to(self.builder, {**literals, **copies}))

    def _matrices(self) -> Iterator[int]:
        """The matrix for each value of the universal helpers that are expanded."""
        for ply in self.codes.readings:
            self.code(ply)  # of plies that no script comes to: any values
        levels = self.codes.levels
        blacks = [v for v in self.codes.ply_of if self._is_blacks(v)]
        blacks += map(abs, self._stops)
        last = max((levels[v] for v in blacks if v in levels), default=LEFT)
        others = [v for v in self.others(Quantifier.FORALL) if v not in self.literals]
        late = [v for v in others if levels[v] > last]
        late = late[-(_MOST_VALUES.bit_length() - 1) :]
        self.literals.update((v, FALSE) for v in others if v not in late)
        self.zero = [v for v in others if v not in late]
        copies: dict[tuple[int, tuple[int, ...]], int] = {}
        for number in range(1 << len(late)):
            chosen = dict(zip(late, map(int, value_bits(number, len(late))), strict=True))
            literals = {**self.literals, **chosen}
            for variable in self.formula.levels():
                if variable in literals:
                    continue
                level = self._level(variable)
                seen = tuple(value for v, value in chosen.items() if levels[v] < level)
                key = variable, seen
                if key not in copies:
                    copies[key] = self.input() if variable in levels else FALSE
                literals[variable] = copies[key]
            yield self.formula.add_to(self.builder, literals)

    def _is_blacks(self, variable: int) -> bool:
        return self.codes.readings[self.codes.ply_of[variable] - 1].player is BLACK


class Lower(Scripts):
    """Black wins no less: where Black has a script, the helpers' functions satisfy the matrix."""

    half = True
    player = BLACK
    helpers = Quantifier.EXISTS

    def _claim(self) -> None:
        for variable in self.others(Quantifier.FORALL):
            self.literals[variable] = self.input(self._level(variable))
        self.walk()
        self._of_rules = self.claims
        self.adopt(self._with_definitions(self.suggestions.functions()))
        self._conclude()

    def _conclude(self) -> None:
        matrix = self._matrix()
        text = "the formula rejects for Black a play that the rules give to Black"
        self.claims = [*self._of_rules]
        for ply, black in self.decided():
            wrong = self.builder.and_(black, matrix ^ 1)
            self.claims.append(Claim(FindingKind.END_DIFFERS, ply, wrong, text))

    def _wrong(self, literals: Mapping[int, int]) -> int:
        others = {v: FALSE for v in self.formula.levels() if v not in literals}
        black = self.builder.or_all(literal for _, literal in self.decided())
        matrix = self.formula.add_to(self.builder, {**others, **literals})
        return self.builder.and_(black, matrix ^ 1)

    def satisfying(self, failure: Counterexample) -> dict[int, bool]:
        builder = AigBuilder()
        free = {*self.unknown, *self.early}
        fixed = self.values([v for v in self.formula.levels() if v not in free], failure)
        literals = {
            v: TRUE if x else FALSE for v, x in (*self.codes.constants.items(), *fixed.items())
        }
        inputs = {v: builder.input() for v in self.formula.levels() if v in free}
        matrix = self.formula.add_to(builder, {**literals, **inputs})
        found = first_failure(builder, [Claim(FindingKind.END_DIFFERS, 0, matrix, "")])
        if found is None:
            return {}
        return evaluate(builder, inputs, found.inputs)

    def misled(self, failure: Counterexample) -> set[int]:
        """Helpers whose values break the matrix: those of outer ones are kept first.

        With a helper come those that share its scope, for these may be the digits of one number.
        Nothing where no values satisfy the matrix.
        """
        free = {*self.early, *self._without}
        own = [v for v in self.others(self.helpers) if v not in free]
        said = self.values([v for v in self.formula.levels() if v not in free], failure)
        said = {**self.codes.constants, **said}
        literals = {v: v if value else -v for v, value in said.items()}
        wrong: set[int] = set()
        with Solver(_SOLVER, bootstrap_with=self.formula.clauses()) as solver:
            kept = [self.formula.output, *(x for v, x in literals.items() if v not in own)]
            if not solver.solve(assumptions=kept):
                return wrong
            for v in own:
                if solver.solve(assumptions=[*kept, literals[v]]):
                    kept.append(literals[v])
                else:
                    wrong.add(v)
        together = (s.variables for s in self.formula.scopes if not wrong.isdisjoint(s.variables))
        return wrong.union(v for v in chain.from_iterable(together) if v in own)

    def _with_definitions(self, suggested: Mapping[int, int]) -> Mapping[int, int]:
        """The same with helpers that are gates in clauses: as far as their inputs are known."""
        known = {**suggested, **self.literals}
        if known.keys() >= {*self.others(self.helpers)}:
            return suggested
        from qsage_validate.circuit.rewriting import recovered

        circuit = recovered(self.formula, known)
        if circuit is not self.formula:
            for variable, gate in circuit.gates.items():
                if all(abs(x) in known for x in gate.inputs):
                    add_gates(self.builder, {variable: gate}, known)
        return known

    def _matrix(self) -> int:
        """The matrix with the helpers' functions.

        Helpers of the innermost block need none: some values of them have to do.  Where they are
        few, all are written out.
        """
        levels = self.codes.levels
        last = max(levels.values(), default=LEFT)
        inner = [v for v in self.unknown if levels[v] == last][:_MOST_INNER]
        for variable in self.formula.levels():
            self.literals.setdefault(variable, int(self._guesses.get(variable, False)))
        copies = []
        for number in range(1 << len(inner)):
            chosen = dict(zip(inner, map(int, value_bits(number, len(inner))), strict=True))
            copies.append(self.formula.add_to(self.builder, {**self.literals, **chosen}))
        return self.builder.or_all(copies)
