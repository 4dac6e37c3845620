"""The boards level: what the formula says along the strategy is what the rules say.

**Theorem.**  Let G, C and L be as in :mod:`~qsage_validate.kernel.strategy`, the hero Black, and F
the formula.  If all claims made here hold, then in every play of G in which Black follows C, as
F has it, and White makes legal moves: F's literals for the position, read by L, are what the rules
say of it at every time that the play reaches; F's indicators flag White's move as legal exactly
when it is; and Black claims to have won only when that is so.

Nothing is said about who wins.  A certificate for White is not compared: there position and
legality are Black's to state, and the formula's clauses punish what is false.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from qsage_validate.circuit.aig import FALSE, AigBuilder
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.kernel.certificate import CircuitCertificate
from qsage_validate.kernel.claims import Claim, first_failure
from qsage_validate.kernel.composition import Composition, compose
from qsage_validate.kernel.fault import FindingKind
from qsage_validate.kernel.game import Rules
from qsage_validate.kernel.player import Player
from qsage_validate.kernel.reading import Reading
from qsage_validate.kernel.strategy import Lost, MisreadError, played
from qsage_validate.kernel.walk import Walk, WalkPly
from qsage_validate.system.limits import NEVER, Deadline
from qsage_validate.system.progress import Tell, nobody


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
