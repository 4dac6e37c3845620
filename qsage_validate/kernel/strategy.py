"""The levels *rules* and *boards*: what holds in every play by the rules along a certificate.

*The rules level*: the strategy that one reads off a certificate wins every play by the rules.
**Theorem.**  Let G be a game of d plies (:class:`~qsage_validate.kernel.game.Rules`), C the
functions of a certificate for the player *hero*, and L a reading of its variables as moves.  If
all claims made here hold, then hero has a strategy in G that wins every play: Black reaches a
goal within d plies, or White keeps Black from it for d plies.

*The strategy.*  At a ply of hero's, the variables of that ply in L are evaluated by C under the
opponent's moves so far, and read as a move.  All other variables of the opponent's have a fixed
value, or one that follows from the moves so far (:class:`_Values`): any choice gives a
strategy, for nothing of it depends on what the opponent does later.  A function that reads a
variable which has no value yet fails here (``LOOKS_RIGHT``).

*Every play.*  Each of the opponent's variables at a ply in L is one that C leaves to the
opponent, is free when the play comes to it, and stands in no other ply.  So each code of a move can
be chosen in every play.  A move without a code must not be legal in any play that comes to the
ply; the exception are first moves that a symmetry of G exchanges with one that has a code.  Where
L has no ply and G has one, the opponent's legal moves are all tried, and so are hero's.

*By the rules.*  Who moves, which moves are legal, what they do and who has won is asked of G.
From the formula nothing is taken but the quantifiers of its prefix; from L nothing but the
variables of moves, and in which of the sound ways a reply is read that is no move
(:class:`~qsage_validate.kernel.reading.IllegalReplies`).

*The boards level*: what the formula says along the strategy is what the rules say.  **Theorem.**
Let G, C and L be as above, the hero Black, and F the formula.  If all claims made here hold, then
in every play of G in which Black follows C, as F has it, and White makes legal moves: F's
literals for the position, read by L, are what the rules say of it at every time that the play
reaches; F's indicators flag White's move as legal exactly when it is; and Black claims to have
won only when that is so.

Nothing is said about who wins.  A certificate for White is not compared: there position and
legality are Black's to state, and the formula's clauses punish what is false.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder, strash
from qsage_validate.circuit.qbf import Connective, Qbf
from qsage_validate.kernel.certificate import CircuitCertificate, opponent_variables
from qsage_validate.kernel.claims import Claim, evaluate, first_failure
from qsage_validate.kernel.composition import Composition, compose
from qsage_validate.kernel.game import Rules
from qsage_validate.kernel.player import FindingKind, Player
from qsage_validate.kernel.reading import PlyReading, Reading, Walk, WalkPly, assignments
from qsage_validate.system.limits import NEVER, Deadline, Tell, nobody

# The rules level: the strategy that one reads off a certificate wins every play by the rules


NO_MOVE: Final = "no move"
"""The word that a play shows in the place of a reply that is no move."""


@dataclass(frozen=True, slots=True)
class Won:
    """The strategy wins every play; ``claims`` were proved of ``plies`` plies."""

    claims: int
    plies: int


@dataclass(frozen=True, slots=True)
class Lost:
    """A fault, and a play that shows it; ``moves`` may be empty if no play is needed.

    ``guessed`` are variables of the opponent's that are no moves, whose value was fixed and was
    read by a reply: with another value the strategy may be another one.
    """

    kind: FindingKind
    ply: int
    text: str
    moves: tuple[str, ...] = ()
    guessed: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Undefined:
    """The rules do not say what happens after ``moves``: nothing is claimed about the game."""

    moves: tuple[str, ...]


class LooksRightError(Exception):
    """A reply at ``ply`` reads a variable that has no value yet."""

    def __init__(self, variable: int, ply: int) -> None:
        super().__init__(variable, ply)
        self.variable = variable
        self.ply = ply


class MisreadError(Exception):
    """The layout names something that cannot be what it says; the text says what."""


class _Values:
    """The functions of a certificate, evaluated as far as the opponent's variables are known.

    ``known`` has the graph's literal of each of the opponent's variables that has a value.  A
    variable of ``early`` gets the value there when it is read before it has another one.
    """

    def __init__(
        self, builder: AigBuilder, certificate: CircuitCertificate, wanted: Sequence[int]
    ) -> None:
        self._builder = builder
        outputs = [certificate.functions[v] for v in wanted]
        aig, moved = strash(certificate.aig, outputs)
        self._functions = dict(zip(wanted, moved, strict=True))
        self._inputs = certificate.inputs
        self._first = aig.num_inputs + 1
        self._left, self._right = aig.fanin0.tolist(), aig.fanin1.tolist()
        self._gates: dict[int, int] = {0: FALSE}
        self.known: dict[int, int] = {}
        self.early: dict[int, int] = {}
        self.read: set[int] = set()
        self.guessed: set[int] = set()

    def literal(self, variable: int, ply: int) -> int:
        """The value of a function at a ply; raises ``LooksRightError``."""
        function = self._functions[variable]
        blocked: dict[int, int] = {}
        value = self._gate(function >> 1, blocked)
        if value is None:
            raise LooksRightError(blocked[function >> 1], ply)
        return value ^ (function & 1)

    def _gate(self, root: int, blocked: dict[int, int]) -> int | None:
        """The literal of a variable of the graph; ``None`` with the culprit in ``blocked``."""
        stack = [root]
        while stack:
            gate = stack[-1]
            if gate in self._gates or gate in blocked:
                stack.pop()
            elif gate < self._first:
                variable = self._inputs[gate - 1]
                if variable in self.early and variable not in self.known:
                    self.known[variable] = self.early[variable]
                    self.guessed.add(variable)
                if variable in self.known:
                    self._gates[gate] = self.known[variable]
                    self.read.add(variable)
                else:
                    blocked[gate] = variable
            else:
                sides = (self._left[gate - self._first], self._right[gate - self._first])
                unseen = [
                    side >> 1
                    for side in sides
                    if side >> 1 not in self._gates and side >> 1 not in blocked
                ]
                if unseen:
                    stack += unseen
                else:
                    self._conjunction(gate, sides, blocked)
        return self._gates.get(root)

    def _conjunction(self, gate: int, sides: tuple[int, int], blocked: dict[int, int]) -> None:
        values = [self._gates[s >> 1] ^ (s & 1) for s in sides if s >> 1 in self._gates]
        if len(values) == 2:
            self._gates[gate] = self._builder.and_(*values)
        elif FALSE in values:
            self._gates[gate] = FALSE
        else:
            blocked[gate] = next(blocked[s >> 1] for s in sides if s >> 1 in blocked)


@dataclass
class StrategyProof:
    """The claims of the theorem, built for one certificate, reading and game.

    ``formula`` gives the quantifiers of the variables; without one the certificate's inputs are
    the opponent's.  ``guess`` is the value of what nothing else gives one.  Raises
    :class:`MisreadError` where the layout cannot be what it says, :class:`LooksRightError` where
    a reply is no function of earlier moves.
    """

    formula: Qbf | None
    certificate: CircuitCertificate
    reading: Reading
    rules: Rules
    guess: bool = False
    asked: int = field(default=0, init=False)
    claims: list[Claim] = field(default_factory=list, init=False)
    undefined: list[Claim] = field(default_factory=list, init=False)
    mirrored: list[str] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self.hero = self.certificate.kind.player
        self.builder = self.rules.builder
        self.opponent = frozenset(opponent_variables(self.certificate, self.formula))
        self._missing: dict[int, str] = {}
        self._steps: list[WalkPly] = []
        self._constants = {} if self.formula is None else constants(self.formula)
        self._check_plies()
        functions = {
            abs(v)
            for ply in self.reading.plies
            if ply.player is self.hero
            for v in ply.literals
            if abs(v) in self.certificate.functions
        }
        self.values = _Values(self.builder, self.certificate, sorted(functions))
        self._fixed = self._fix()
        self._traverse()

    # -- what the opponent's variables are ---------------------------------------------------

    def _check_plies(self) -> None:
        for number, ply in enumerate(self.reading.plies, start=1):
            if ply.ply != number:
                raise MisreadError(f"ply {ply.ply} stands in the place of ply {number}")
            if number <= self.rules.plies and ply.player is not self.rules.mover(number):
                raise MisreadError(
                    f"ply {number} is {ply.player}'s, by the rules it is {ply.player.other}'s"
                )

    def _moves_of_opponent(self) -> dict[int, int]:
        """The ply at which each of the opponent's move variables is chosen."""
        plies = [p for p in self.reading.plies if p.player is not self.hero]
        counts = Counter(v for p in plies for v in {abs(x) for x in p.literals})
        chosen: dict[int, int] = {}
        for ply in plies:
            for variable in {abs(x) for x in ply.literals}:
                if variable in self._constants:
                    continue
                if variable not in self.opponent:
                    raise MisreadError(
                        f"the variable {self._name(variable)} of ply {ply.ply} is not one that "
                        f"{ply.player} chooses"
                    )
                if counts[variable] == 1:
                    chosen[variable] = ply.ply
        shared = {v for v, count in counts.items() if count > 1} - self._constants.keys()
        self._constants.update(self._same_in_all(shared, plies))
        return chosen

    def _same_in_all(self, shared: set[int], plies: Sequence[PlyReading]) -> dict[int, bool]:
        """The value of variables that stand in several plies: one that every code asks for."""
        asked: dict[int, set[bool]] = {v: set() for v in shared}
        for ply in plies:
            own = shared.intersection(abs(x) for x in ply.literals)
            for _, values in assignments(ply) if own else ():
                for variable in own & values.keys():
                    asked[variable].add(values[variable])
        for variable, found in asked.items():
            if len(found) > 1:
                raise MisreadError(f"the variable {self._name(variable)} stands in two plies")
        return {v: True in found for v, found in asked.items()}

    def _fix(self) -> frozenset[int]:
        """Give all that is no move and does not tell the position its value.

        Returns the variables whose value is a guess.
        """
        known = self.values.known
        self._chosen = self._moves_of_opponent()
        told = {abs(literal) for _, _, literal in self.reading.told}
        for literal in self.reading.granted:
            if abs(literal) in self.opponent and abs(literal) not in self._chosen:
                known[abs(literal)] = TRUE if literal > 0 else FALSE
        stops = [p.stop for p in self.reading.plies if p.stop is not None]
        for literal in stops:
            if abs(literal) in self.opponent and abs(literal) not in self._chosen:
                known.setdefault(abs(literal), FALSE if literal > 0 else TRUE)
        rest = self.opponent - known.keys() - self._chosen.keys() - told
        for variable in rest:
            known[variable] = TRUE if self._constants.get(variable, self.guess) else FALSE
        for name in self.certificate.inputs:
            # Choices that a clause certificate leaves open: any value serves.
            if name not in self.opponent:
                known.setdefault(name, FALSE)
        value = TRUE if self.guess else FALSE
        waiting = (told & self.opponent) - known.keys() - self._chosen.keys()
        self.values.early = dict.fromkeys(waiting, value)
        return frozenset(rest - self._constants.keys())

    def _name(self, variable: int) -> str:
        return str(variable) if self.formula is None else self.formula.name(variable)

    # -- the play ----------------------------------------------------------------------------

    def _literals(self, ply: PlyReading) -> list[int]:
        if ply.player is not self.hero:
            for variable in {abs(v) for v in ply.literals}:
                if self._chosen.get(variable) == ply.ply:
                    self.values.known[variable] = self.builder.input()
        return [self._literal(v, ply) for v in ply.literals]

    def _literal(self, signed: int, ply: PlyReading) -> int:
        variable, sign = abs(signed), int(signed < 0)
        if variable in self._constants:
            return (TRUE if self._constants[variable] else FALSE) ^ sign
        if variable in self.certificate.functions:
            return self.values.literal(variable, ply.ply) ^ sign
        if variable in self.opponent:
            if variable not in self.values.known:
                raise LooksRightError(variable, ply.ply)
            return self.values.known[variable] ^ sign
        if self.formula is not None and variable not in self.formula.quantifiers():
            raise MisreadError(f"{self._name(variable)} at ply {ply.ply} is no variable")
        return FALSE ^ sign  # a function that the certificate leaves out is false

    def _traverse(self) -> None:
        walk = Walk(self.rules, self.reading, self.hero, self._literals)
        self._tell(walk)
        self._position(walk)
        for step in walk.steps():
            if step.player is self.hero:
                self._hero(step)
            else:
                self._opponent(step)
            self._steps.append(step)
            self._tell(walk)
            self._position(walk)
        self._last(walk)

    def _last(self, walk: Walk) -> None:
        if self.hero is Player.BLACK:
            self._claim(
                FindingKind.END_DIFFERS,
                walk.time,
                walk.playing,
                "all plies are played and Black has not reached a goal",
            )

    def _claim(self, kind: FindingKind, ply: int, wrong: int, text: str) -> None:
        self.asked += 1
        if wrong != FALSE:  # else the graph itself has shown that it holds
            self.claims.append(Claim(kind, ply, wrong, text))

    def _position(self, walk: Walk) -> None:
        self._claim(
            FindingKind.END_DIFFERS,
            walk.time,
            walk.won[self.hero.other],
            f"{self.hero.other} wins although the certificate says that "
            + ("Black wins" if self.hero is Player.BLACK else "Black does not"),
        )

    def _tell(self, walk: Walk) -> None:
        """Give the variables that tell the position at this time the value of the rules."""
        if not self.reading.told or self.hero is Player.BLACK:
            return
        atoms = self.rules.atoms(walk.state, walk.time)
        for time, atom, literal in self.reading.told:
            variable = abs(literal)
            if time == walk.time and variable in self.opponent and variable not in self._chosen:
                value = atoms.get(atom, FALSE) ^ (literal < 0)
                self.values.known.setdefault(variable, value)

    def _hero(self, step: WalkPly) -> None:
        and_ = self.builder.and_
        undefined = self.rules.undefined(step.before, step.ply)
        self._rules_silent(step, undefined)
        self._claim(
            FindingKind.ILLEGAL_REPLY,
            step.ply,
            and_(step.playing, step.failed),
            f"{self.hero}'s move is illegal by the rules",
        )

    def _opponent(self, step: WalkPly) -> None:
        self._rules_silent(step, self.rules.undefined(step.before, step.ply))
        if step.reading is None:
            return
        sayable = {
            move
            for move, values in assignments(step.reading)
            if all(self._constants.get(v, value) == value for v, value in values.items())
        }
        for name, legal in zip(step.names, step.legal, strict=True):
            # An answer to a first move answers its mirror image in the mirror.
            mirrored = step.ply == 1 and not sayable.isdisjoint(self.rules.as_good(name))
            if name not in sayable and mirrored:
                self.mirrored.append(name)
            elif name not in sayable:
                wrong = self.builder.and_(step.playing, legal)
                if wrong != FALSE:
                    self._missing[len(self.claims)] = name
                    self._claim(
                        FindingKind.LEGALITY_DIFFERS,
                        step.ply,
                        wrong,
                        f"{step.player}'s move {name} is legal by the rules, and "
                        f"{self.reading.source} has no code for it",
                    )

    def _rules_silent(self, step: WalkPly, undefined: int) -> None:
        wrong = self.builder.and_(step.playing, undefined)
        if wrong != FALSE:
            text = f"the rules do not say how the play goes on at ply {step.ply}"
            self.undefined.append(Claim(FindingKind.RULES_SILENT, step.ply, wrong, text))

    # -- the answer --------------------------------------------------------------------------

    def prove(
        self,
        *,
        deadline: Deadline = NEVER,
        tell: Tell = nobody,
    ) -> Won | Lost | Undefined:
        """Ask for each claim; raises ``ClaimsTimeoutError`` at the deadline."""
        claims = [*self.undefined, *self.claims]
        failure = first_failure(self.builder, claims, deadline=deadline, tell=tell)
        if failure is None:
            return Won(self.asked, self.rules.plies)
        claim = failure.claim
        missing = next((self._missing[k] for k in self._missing if self.claims[k] is claim), None)
        steps = self._steps[: claim.ply - (missing is not None)]
        moves = played(self.builder, steps, failure.inputs)
        if claim.kind is FindingKind.RULES_SILENT:
            return Undefined(moves[: claim.ply - 1])
        if missing is not None:
            moves = (*moves, missing)
        return Lost(claim.kind, claim.ply, claim.text, moves, self.guessed)

    @property
    def guessed(self) -> tuple[int, ...]:
        """The variables with a guessed value that some reply reads."""
        return tuple(sorted((self._fixed & self.values.read) | self.values.guessed))


def played(
    builder: AigBuilder, steps: Sequence[WalkPly], inputs: Mapping[int, bool]
) -> tuple[str, ...]:
    """The moves of some steps under values of the graph's inputs.

    Where no legal move is made it is the move that the variables say, if they say one.
    """
    wanted: dict[tuple[int, bool, str], int] = {}
    for step in steps:
        named = zip(step.names, step.made, strict=True)
        wanted.update(((step.ply, True, name), literal) for name, literal in named)
        wanted.update(((step.ply, False, n), literal) for n, literal in step.codes.items())
    values = evaluate(builder, wanted, inputs)
    texts = {step.ply: NO_MOVE for step in steps}
    for made in (False, True):  # what is made goes before what is only said
        texts.update((k, n) for (k, how, n), value in values.items() if value and how is made)
    return tuple(texts.values())


def constants(formula: Qbf) -> dict[int, bool]:
    """The gates without inputs, and their values."""
    found = {}
    for number, gate in formula.gates.items():
        if not gate.inputs and gate.connective in (Connective.AND, Connective.OR):
            found[number] = gate.connective is Connective.AND
    return found


# The boards level: what the formula says along the strategy is what the rules say


@dataclass(frozen=True, slots=True)
class Agrees:
    """All claims hold; ``claims`` is how many there were (0: the formula says nothing).

    ``position`` and ``legality`` say whether claims were about these.
    """

    claims: int
    position: bool
    legality: bool


@dataclass
class BoardsProof:
    """The claims of the theorem; ``rules_in`` makes the rules inside a graph.

    Without ``rewrite`` the graph has the gates as they are, equal ones and constants apart.

    Raises :class:`~qsage_validate.kernel.strategy.MisreadError` where the layout names what the
    game does not have.

    White's stops, where they are White's variables, are false: White goes on playing.
    """

    formula: Qbf | None
    certificate: CircuitCertificate
    reading: Reading
    rules_in: Callable[[AigBuilder], Rules]
    rewrite: bool = True
    asked: int = field(default=0, init=False)
    _positions: bool = field(default=False, init=False)
    _legalities: bool = field(default=False, init=False)
    claims: list[Claim] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        stops = [p.stop for p in self.reading.plies if p.stop and p.player is Player.WHITE]
        composition = compose(
            self.certificate, self.formula, fixed=self._fixed(stops), rewrite=self.rewrite
        )
        self.builder = composition.builder
        self.composition: Composition = composition
        self.opponent = frozenset(composition.opponent)
        self.rules = self.rules_in(self.builder)
        self._steps: list[WalkPly] = []
        self._traverse()

    def _fixed(self, stops: Sequence[int]) -> dict[int, bool]:
        if self.formula is None:
            own = set(self.certificate.inputs)
        else:
            own = set(self.formula.variables(self.certificate.kind.decides.dual))
        moves = {abs(v) for ply in self.reading.plies for v in ply.literals}
        return {abs(v): v < 0 for v in stops if abs(v) in own and abs(v) not in moves}

    def literal(self, signed: int) -> int:
        """The graph's literal of a literal of the formula."""
        return self.composition.literals[abs(signed)] ^ (signed < 0)

    def _all(self, literals: Sequence[int]) -> int:
        return self.builder.and_all(map(self.literal, literals))

    def _claim(self, kind: FindingKind, ply: int, wrong: int, text: str) -> None:
        self.asked += 1
        if wrong != FALSE:  # else the graph itself has shown that it holds
            self.claims.append(Claim(kind, ply, wrong, text))

    def _traverse(self) -> None:
        walk = Walk(
            self.rules,
            self.reading,
            Player.BLACK,
            lambda ply: [self.literal(v) for v in ply.literals],
        )
        self._position(walk)
        for step in walk.steps():
            self._steps.append(step)
            if step.player is Player.WHITE:
                self._legality(step)
            self._stop(step, walk)
            self._position(walk)

    def _stop(self, step: WalkPly, walk: Walk) -> None:
        reading = step.reading
        if reading is None or reading.stop is None or step.player is not Player.BLACK:
            return
        going = step.playing if reading.stop_instead else walk.playing
        self._claim(
            FindingKind.FALSE_CLAIM,
            step.ply,
            self.builder.and_(going, self.literal(reading.stop)),
            "Black claims a goal that is not reached",
        )

    def _legality(self, step: WalkPly) -> None:
        builder = self.builder
        legal = dict(zip(step.names, step.legal, strict=True))
        for flags in self.reading.flags:
            if flags.ply != step.ply:
                continue
            self._legalities = True
            by_formula = self._all(flags.literals)
            if flags.move is None:
                chosen, by_rules, name = step.playing, step.moved, ""
            else:
                chosen = builder.and_(step.playing, step.codes.get(flags.move, FALSE))
                by_rules, name = legal.get(flags.move, FALSE), f" {flags.move}"
            for wrong, text in (
                (builder.and_(by_formula, by_rules ^ 1), "legal for the formula and illegal"),
                (builder.and_(by_formula ^ 1, by_rules), "illegal for the formula and legal"),
            ):
                self._claim(
                    FindingKind.LEGALITY_DIFFERS,
                    step.ply,
                    builder.and_(chosen, wrong),
                    f"White's move{name} is {text} by the rules",
                )

    def _position(self, walk: Walk) -> None:
        builder = self.builder
        wrong: dict[tuple[str, bool], list[int]] = {}
        atoms: Mapping[str, int] | None = None
        for says in self.reading.says:
            if says.time != walk.time or walk.reached == FALSE:
                continue
            # The opponent may choose falsely where it chooses freely.
            if any(abs(v) in self.opponent for v in says.then):
                continue
            atoms = self.rules.atoms(walk.state, walk.time) if atoms is None else atoms
            holds = atoms.get(says.atom)
            if holds is None:
                raise MisreadError(f"nothing in the game is called {says.atom}")
            parts = (walk.reached, holds ^ (not says.value), self._all(says.when))
            bad = builder.and_all((*parts, self._all(says.then) ^ 1))
            wrong.setdefault(
                (says.atom.lstrip("(").partition(" ")[0].rstrip(")"), says.value), []
            ).append(bad)
        for (kind, value), literals in wrong.items():
            self._positions = True
            self._claim(
                FindingKind.BOARD_DIFFERS,
                walk.time,
                builder.or_all(literals),
                f"what is {'' if value else 'not '}{kind} by the rules is not so for the formula",
            )

    def prove(
        self,
        *,
        deadline: Deadline = NEVER,
        tell: Tell = nobody,
    ) -> Agrees | Lost:
        """Ask for each claim; raises ``ClaimsTimeoutError`` at the deadline."""
        failure = first_failure(self.builder, self.claims, deadline=deadline, tell=tell)
        if failure is None:
            return Agrees(self.asked, self._positions, self._legalities)
        claim = failure.claim
        moves = played(self.builder, self._steps[: claim.ply], failure.inputs)
        return Lost(claim.kind, claim.ply, claim.text, moves)
