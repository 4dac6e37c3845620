"""Level 4 with a certificate: formula and rules agree along the strategy, by SAT.

The certificate's functions and the matrix drive the explicit board of the rules
(``rules_circuit.py``) with the same move bits.  For all plays of the opponent at once it is
shown that

* each of the opponent's moves is legal for the formula exactly when it is by the rules,
* each move of the certificate is legal,
* the board read from the state variables is the rules' board, on every square and at every
  time that the play reaches,
* the certificate claims a goal only when it is reached, and the end is the promised one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.layout import Layout, MoveVariables, StateCode
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.protocol import Player, Square
from qsage_validate.kernel.certificate import CircuitCertificate
from qsage_validate.kernel.claims import Claim, ClaimsTimeoutError, evaluate, first_failure
from qsage_validate.kernel.composition import compose
from qsage_validate.strategies.line import MoveCode
from qsage_validate.validation.finding import Finding, FindingKind
from qsage_validate.validation.rules_circuit import RulesCircuit, RulesPly, State
from qsage_validate.validation.verdict import Proved, Refuted, Undecided, Verdict


def prove_strategy(
    formula: Qbf | None,
    layout: Layout,
    certificate: CircuitCertificate,
    game: BddlGame,
    *,
    deadline: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Verdict:
    """Prove that the certificate's plays are the rules' plays, or give the shortest that is not.

    The opponent's legal plays are all covered; what comes after an illegal move of the opponent
    is not looked at, because the formula leaves it open.  Without a formula the certificate has
    to define what the layout speaks of by itself (Pedant's do).
    """
    proof = _StrategyProof(formula, layout, certificate, game)
    try:
        failure = first_failure(
            proof.builder, proof.claims, proof.assumed, deadline=deadline, progress=progress
        )
    except ClaimsTimeoutError as error:
        return Undecided(f"time is up: {error} of {len(proof.claims)}")
    if failure is None:
        return Proved(f"{len(proof.claims)} claims about all plays hold")
    moves = proof.moves(failure.inputs, failure.claim.ply)
    return Refuted(
        (Finding(failure.claim.kind, failure.claim.ply, failure.claim.text, moves=moves),)
    )


class _StrategyProof:
    """Builds the claims for all plies."""

    def __init__(
        self, formula: Qbf | None, layout: Layout, certificate: CircuitCertificate, game: BddlGame
    ) -> None:
        self.layout = layout
        self.game = game
        self.kind = certificate.kind
        self.hero = certificate.kind.player
        composition = compose(certificate, formula)
        self.builder: AigBuilder = composition.builder
        self.opponent = composition.opponent
        self.literals = dict(composition.literals)
        self.rules = RulesCircuit(self.builder, game, layout, self.literals)
        self.claims: list[Claim] = []
        self.assumed: list[int] = []
        self._traverse()

    def _claim(self, kind: FindingKind, ply: int, wrong: int, text: str) -> None:
        if wrong != FALSE:
            self.claims.append(Claim(kind, ply, wrong, text))

    def _literal(self, signed: int) -> int:
        return self.literals[abs(signed)] ^ (signed < 0)

    def _traverse(self) -> None:
        builder = self.builder
        state, playing = self.rules.initial, TRUE
        self._compare_boards(0, state, playing)
        if self.hero is Player.WHITE:
            # Indicators are Black's variables here; Black says the truth, that White's moves
            # are legal, or has lost.
            for indicators in self.layout.indicators:
                self.assumed += map(self._literal, indicators.preconditions)
                if indicators.bounds is not None:
                    self.assumed.append(self._literal(indicators.bounds))
        # A formula of even depth may have a last ply of Black's that cannot be won.
        for move in self.layout.moves[: self.game.plies]:
            ply = self.rules.ply(move, state)
            stop = FALSE if move.stop is None else self._literal(move.stop)
            last = move.ply == self.game.plies
            if move.player is self.hero:
                playing = self._hero_ply(move, ply, playing, stop, last=last)
            else:
                playing = self._opponent_ply(move, ply, playing, stop, last=last)
            state = ply.after
            self._compare_boards(move.ply, state, playing)
            # A play that has ended by the rules is over, whether or not the formula goes on.
            playing = builder.and_all((playing, ply.goal ^ 1, stop ^ 1))

    def _hero_ply(
        self, move: MoveVariables, ply: RulesPly, playing: int, stop: int, *, last: bool
    ) -> int:
        and_ = self.builder.and_
        illegal = and_(playing, ply.legal ^ 1)
        self._claim(
            FindingKind.ILLEGAL_REPLY,
            move.ply,
            illegal,
            f"{self.hero}'s move is illegal by the rules",
        )
        playing = and_(playing, ply.legal)
        self._claim(
            FindingKind.FALSE_CLAIM,
            move.ply,
            self.builder.and_all((playing, stop, ply.goal ^ 1)),
            f"{self.hero} claims a goal that is not reached",
        )
        if last and self.hero is Player.BLACK:
            self._claim(
                FindingKind.END_DIFFERS,
                move.ply,
                and_(playing, ply.goal ^ 1),
                "the last ply is played and Black has not reached a goal",
            )
        return playing

    def _opponent_ply(
        self, move: MoveVariables, ply: RulesPly, playing: int, stop: int, *, last: bool
    ) -> int:
        builder = self.builder
        self._compare_legality(move, ply, playing)
        legal = builder.and_(playing, ply.legal)
        if self.hero is Player.WHITE:
            self._claim(
                FindingKind.END_DIFFERS,
                move.ply,
                builder.and_(legal, ply.goal),
                "Black reaches a goal although the certificate says that it cannot",
            )
            return legal
        # White goes on playing: its stop variable is a claim that the certificate must refute.
        legal = builder.and_(legal, stop ^ 1)
        self._claim(
            FindingKind.END_DIFFERS,
            move.ply,
            builder.and_(legal, ply.goal),
            "White reaches a goal although the certificate says that Black wins",
        )
        if last:
            self._claim(
                FindingKind.END_DIFFERS,
                move.ply,
                legal,
                "White still has a legal move at the last ply and Black has not won",
            )
        return legal

    def _compare_legality(self, move: MoveVariables, ply: RulesPly, playing: int) -> None:
        indicators = self.layout.indicator(move.ply)
        if indicators is None or self.hero is Player.WHITE:
            return
        parts = [*indicators.preconditions]
        parts += [] if indicators.bounds is None else [indicators.bounds]
        by_formula = self.builder.and_all(self._literal(part) for part in parts)
        for wrong, text in (
            (self.builder.and_(by_formula, ply.legal ^ 1), "legal for the formula and illegal"),
            (self.builder.and_(by_formula ^ 1, ply.legal), "illegal for the formula and legal"),
        ):
            self._claim(
                FindingKind.LEGALITY_DIFFERS,
                move.ply,
                self.builder.and_(playing, wrong),
                f"White's move is {text} by the rules",
            )

    def _compare_boards(self, time: int, state: State, reached: int) -> None:
        """The board of the formula after ``time`` plies, on the symbolic square, is the rules'."""
        board = self.layout.board
        if self.hero is Player.WHITE or time >= len(board.states):
            return
        first, second = map(self._literal, board.states[time])
        is_open = first if board.code is StateCode.OPEN_WHITE else first ^ 1
        x, y = self.rules.bits(board.x), self.rules.bits(board.y)
        builder = self.builder
        seen = {
            Square.OPEN: is_open,
            Square.WHITE: builder.and_(is_open ^ 1, second),
            Square.BLACK: builder.and_(is_open ^ 1, second ^ 1),
        }
        for content, by_formula in seen.items():
            by_rules = self.rules.lookup(state, x, y, content)
            self._claim(
                FindingKind.BOARD_DIFFERS,
                time,
                builder.and_all((reached, by_rules, by_formula ^ 1)),
                f"a square that is {content.name.lower()} by the rules is not so for the formula",
            )

    def moves(self, inputs: Mapping[int, bool], plies: int) -> tuple[str, ...]:
        """The text of the first ``plies`` moves under values of the opponent's variables."""
        wanted = {abs(v) for move in self.layout.moves[:plies] for v in move.literals}
        by_variable = evaluate(self.builder, {v: self.literals[v] for v in wanted}, inputs)
        code = MoveCode(self.layout)
        texts = []
        for move in self.layout.moves[:plies]:
            answer = code.decode(move, by_variable)
            texts.append(str(answer.move) if answer.move is not None else answer.problem)
        return tuple(texts)
