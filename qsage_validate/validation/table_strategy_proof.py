"""Level 4 for positional games: a strategy's plays are plays of the rules, and won, by SAT.

The certificate's functions drive the claims of ``positional_rules_circuit.py`` with the same move
variables that the formula has.  For all plays of the opponent's legal moves at once it is shown
that

* each move of the certificate is legal, or claims nothing, where the formula ignores what is not,
* each move of White's that the formula says something about is legal for it exactly when it is by
  the rules,
* what the formula keeps of the position is the rules' position, at every time that the play
  reaches,
* the end is the promised one: Black has reached a goal within the plies, or never does.

Where the certificate is for White, legality and the position are Black's to say and not compared;
it is enough that White wins where Black says of the position what holds in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.table_layout import (
    IllegalMoves,
    MoveTable,
    TableLayout,
    illegal_replies,
)
from qsage_validate.games.positional.rules import PositionalGame
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.certificate import CircuitCertificate
from qsage_validate.kernel.claims import Claim, ClaimsTimeoutError, evaluate, first_failure
from qsage_validate.kernel.composition import compose
from qsage_validate.strategies.table_code import TableCode
from qsage_validate.validation.finding import Finding, FindingKind
from qsage_validate.validation.positional_rules_circuit import (
    Claimed,
    PositionalPly,
    PositionalRulesCircuit,
)
from qsage_validate.validation.verdict import Proved, Refuted, Undecided, Verdict


def prove_table_strategy(
    formula: Qbf | None,
    layout: TableLayout,
    certificate: CircuitCertificate,
    game: PositionalGame,
    *,
    deadline: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Verdict:
    """Prove that the certificate's plays are won by the rules, or give a shortest that is not.

    What comes after an illegal move of the opponent's is not looked at: the formula level has
    shown that it does not help.
    """
    proof = _Proof(formula, layout, certificate, game)
    try:
        failure = first_failure(proof.builder, proof.claims, deadline=deadline, progress=progress)
    except ClaimsTimeoutError as error:
        return Undecided(f"time is up: {error} of {len(proof.claims)}")
    if failure is None:
        return Proved(f"{len(proof.claims)} claims about all plays hold")
    claim = failure.claim
    moves = proof.moves(failure.inputs, claim.ply)
    return Refuted((Finding(claim.kind, claim.ply, claim.text, moves=moves),))


class _Proof:
    """Builds the claims for all plies."""

    def __init__(
        self,
        formula: Qbf | None,
        layout: TableLayout,
        certificate: CircuitCertificate,
        game: PositionalGame,
    ) -> None:
        self.layout = layout
        self.game = game
        self.hero = certificate.kind.player
        # What is no move does nothing for the formula: a pass, the worst that one can do.
        self.passes = illegal_replies(layout, self.hero) is IllegalMoves.IGNORED
        composition = compose(certificate, formula)
        self.builder: AigBuilder = composition.builder
        self.literals = dict(composition.literals)
        self.opponent = frozenset(composition.opponent)
        self.rules = PositionalRulesCircuit(self.builder, game.model, self.literals)
        self.claims: list[Claim] = []
        self._traverse()

    def _claim(self, kind: FindingKind, ply: int, wrong: int, text: str) -> None:
        if wrong != FALSE:
            self.claims.append(Claim(kind, ply, wrong, text))

    def _traverse(self) -> None:
        and_, claimed = self.builder.and_, self.rules.initial
        self._compare_states(0, claimed, TRUE)
        # A goal that the first stones reach ends the play before it begins.
        playing = TRUE if self.game.initial.outcome is None else FALSE
        for table in self.layout.moves:
            ply = self.rules.ply(table, claimed)
            stop = FALSE if table.stop is None else self.rules.literal(table.stop)
            if table.player is self.hero:
                playing = self._hero_ply(table, ply, playing, stop)
            else:
                playing = self._opponent_ply(table, ply, claimed, and_(playing, stop ^ 1))
            claimed = ply.after
            self._compare_states(table.ply, claimed, playing)
            if self.hero is Player.WHITE:
                playing = and_(playing, self._told(table.ply, claimed))
            playing = and_(playing, ply.goal ^ 1)
        plies, outcome = self.layout.plies, self.game.initial.outcome
        lost = TRUE if outcome is not None and outcome.winner is not self.hero else FALSE
        if self.hero is Player.BLACK:
            lost = self.builder.or_(lost, playing)
        self._claim(
            FindingKind.END_DIFFERS,
            plies,
            lost,
            "all plies are played and Black has not reached a goal"
            if self.hero is Player.BLACK
            else "Black has reached a goal before ply 1",
        )

    def _hero_ply(self, table: MoveTable, ply: PositionalPly, playing: int, stop: int) -> int:
        and_ = self.builder.and_
        self._claim(
            FindingKind.FALSE_CLAIM,
            table.ply,
            and_(playing, stop),
            f"{self.hero} claims a goal that is not reached",
        )
        playing = and_(playing, stop ^ 1)
        if self.passes:
            return playing  # ``ply.after`` are the claims before an illegal one
        self._claim(
            FindingKind.ILLEGAL_REPLY,
            table.ply,
            and_(playing, ply.legal ^ 1),
            f"{self.hero}'s move is illegal by the rules",
        )
        return and_(playing, ply.legal)

    def _opponent_ply(
        self, table: MoveTable, ply: PositionalPly, before: Claimed, playing: int
    ) -> int:
        self._compare_legality(table, before, playing)
        legal = self.builder.and_(playing, ply.legal)
        self._claim(
            FindingKind.END_DIFFERS,
            table.ply,
            self.builder.and_(legal, ply.goal),
            f"{table.player} reaches a goal although the certificate says that {self.hero} wins",
        )
        return legal

    def _compare_legality(self, table: MoveTable, before: Claimed, playing: int) -> None:
        if self.hero is Player.WHITE or not any(table.legal):
            return
        builder, made = self.builder, self.rules.made(table)
        for name, literal in zip(table.moves, table.legal, strict=True):
            if not literal:
                continue
            by_formula = self.rules.literal(literal)
            by_rules = self.rules.open(before, self.game.model.number[name])
            chosen = builder.and_(playing, made[name])
            for wrong, text in (
                (builder.and_(by_formula, by_rules ^ 1), "legal for the formula and illegal"),
                (builder.and_(by_formula ^ 1, by_rules), "illegal for the formula and legal"),
            ):
                self._claim(
                    FindingKind.LEGALITY_DIFFERS,
                    table.ply,
                    builder.and_(chosen, wrong),
                    f"White's move {name} is {text} by the rules",
                )

    def _compare_states(self, time: int, claimed: Claimed, reached: int) -> None:
        state = self.layout.state
        if self.hero is Player.WHITE or time >= len(state.states) or not state.states[time]:
            return
        builder, rules = self.builder, self.rules
        atoms = self._atoms(claimed)
        position = [rules.literal(v) for v in state.position]
        for kind, signed in zip(state.atoms, state.states[time], strict=True):
            # What the opponent chooses freely it may choose falsely.
            if not signed or abs(signed) in self.opponent:
                continue
            by_formula = rules.literal(signed)
            places = enumerate(state.places) if state.position else ((0, ""),)
            for number, place in places:
                atom = f"{kind} {place}" if place else kind
                if atom not in atoms:
                    continue
                here = rules.equals(position, number) if state.position else TRUE
                wrong = builder.or_all(
                    builder.and_(by_formula ^ said, atoms[atom] ^ said ^ 1)
                    for said in (0, 1)
                    if state.wrong(atom, by_formula=not said)
                )
                self._claim(
                    FindingKind.BOARD_DIFFERS,
                    time,
                    builder.and_all((reached, here, wrong)),
                    f"'{atom}' is not for the formula what it is by the rules",
                )

    def _told(self, time: int, claimed: Claimed) -> int:
        """Whether Black says of the position what holds in it, in variables of her own.

        A solver's functions of White's may read them; who says something else is not in a play.
        """
        state = self.layout.state
        if state.position or time >= len(state.states) or not state.states[time]:
            return TRUE
        builder, atoms, told = self.builder, self._atoms(claimed), TRUE
        for atom, signed in zip(state.atoms, state.states[time], strict=True):
            if abs(signed) in self.opponent and atom in atoms:
                said, true = self.rules.literal(signed), atoms[atom]
                same = builder.or_(builder.and_(said, true), builder.and_(said ^ 1, true ^ 1))
                told = builder.and_(told, same)
        return told

    def _atoms(self, claimed: Claimed) -> dict[str, int]:
        """The rules' literal of each atom of a positional game."""
        found: dict[str, int] = {}
        for number, name in enumerate(self.game.model.positions):
            is_open = self.rules.open(claimed, number)
            found[f"black {name}"] = claimed.black[number]
            found[f"white {name}"] = claimed.white[number]
            found[f"open {name}"] = is_open
            found[f"occupied {name}"] = is_open ^ 1
        return found

    def moves(self, inputs: Mapping[int, bool], plies: int) -> tuple[str, ...]:
        """The texts of the first ``plies`` moves under values of the opponent's variables."""
        tables = self.layout.moves[:plies]
        wanted = {abs(v) for table in tables for v in table.variables}
        values = evaluate(self.builder, {v: self.literals[v] for v in wanted}, inputs)
        code = TableCode(self.layout)
        answers = [code.decode(table.ply, values) for table in tables]
        return tuple(a.problem if a.move is None else str(a.move) for a in answers)
