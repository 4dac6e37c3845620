"""A certificate of a game rebuilt from its moves: all else as the encoding defines it.

In the project's own encodings every other variable of Black's follows from the moves
(``encodings/grid/completion.py``): what the indicators say, what stands on the symbolic
square, which part of White's goal is missing.  So of a certificate that a solver made, only the
functions of the moves and of the goal that Black claims are kept.
"""

from __future__ import annotations

from dataclasses import replace

from qsage_validate.circuit.aig import FALSE, AigBuilder
from qsage_validate.circuit.embed import embed
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.grid.completion import MoveTracker, Vector
from qsage_validate.encodings.layout.codings import Bits
from qsage_validate.encodings.layout.layout import Layout
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.bddl.parser import parse_domain, parse_problem
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.certificate import CircuitCertificate, Kind

_ENCODINGS = frozenset({"lifted", "lifted-guarded"})


def rebuild(
    formula: Qbf, layout: Layout, certificate: CircuitCertificate
) -> CircuitCertificate | None:
    """The certificate with its moves and claims kept and everything else defined anew.

    ``None`` where nobody says how the rest follows: for encodings of other tools, for layouts
    without a model, and for Herbrand certificates, whose other functions are themselves choices.
    Whether the result holds is the caller's to check: a certificate may do what the definitions
    do not, where the formula lets it.
    """
    parts = layout.model
    if layout.encoding not in _ENCODINGS or not {"domain", "problem"} <= parts.keys():
        return None
    if certificate.kind is not Kind.SKOLEM:
        return None
    model = Model(
        parse_domain(parts["domain"], "the formula's model (domain)"),
        parse_problem(parts["problem"], "the formula's model (problem)"),
        parts.get("name", "game").strip(),
    )
    return _Rebuilding(formula, layout, certificate, model).certificate()


class _Rebuilding:
    def __init__(
        self, formula: Qbf, layout: Layout, certificate: CircuitCertificate, model: Model
    ) -> None:
        self.formula = formula
        self.layout = layout
        self.original = certificate
        self.model = model
        opponent = formula.variables(certificate.kind.decides.dual)
        self.builder = AigBuilder(len(opponent))
        self.inputs = opponent
        self.literals = dict(zip(opponent, self.builder.inputs, strict=True))
        self.functions: dict[int, int] = {}
        self.tracker = MoveTracker(self.builder, model)

    def certificate(self) -> CircuitCertificate:
        """Built in one pass over the plies."""
        self._keep()
        layout = self.layout
        for move in layout.moves:
            stop = FALSE if move.stop is None else self._bits((move.stop,))[0]
            action, x, y = map(self._bits, (move.action, move.x, move.y))
            self.tracker.add(move.player, action, x, y, stop)
            indicators = move.indicators
            if move.player is Player.WHITE and indicators is not None:
                self.functions |= self.tracker.indicator_functions(move.ply, indicators)
        self._define_counterexample()
        self._define_states()
        decided = self.formula.variables(self.original.kind.decides)
        functions = {v: self.functions.get(v, self.literals.get(v, FALSE)) for v in decided}
        aig, outputs = self.builder.build(list(functions.values()))
        return replace(
            self.original,
            aig=aig,
            inputs=self.inputs,
            functions=dict(zip(functions, outputs, strict=True)),
            extra={},
        )

    def _keep(self) -> None:
        """Take over the functions of Black's moves and claims."""
        goals = self.layout.goals
        named = {*goals.black_condition, *goals.black_x, *goals.black_y}
        for move in self.layout.moves:
            named |= {*move.all_variables}
        kept = sorted({abs(v) for v in named} & set(self.original.functions))
        built = embed(
            self.builder,
            self.original.aig,
            [self.literals[v] for v in self.original.inputs],
            [self.original.functions[v] for v in kept],
        )
        self.literals |= zip(kept, built, strict=True)

    def _bits(self, bits: Bits) -> Bits:
        # What a certificate leaves open is false.
        return tuple(self.literals.get(abs(v), FALSE) ^ (v < 0) for v in bits)

    def _define_counterexample(self) -> None:
        goals = self.layout.goals
        if goals.counterexample:
            numbers = self.tracker.counterexample(
                self.model.problem.white_goals,
                self._bits(goals.white_condition),
                self._bits(goals.white_x),
                self._bits(goals.white_y),
                len(goals.counterexample),
            )
            self.functions |= zip(goals.counterexample, numbers, strict=True)

    def _define_states(self) -> None:
        board, plies = self.layout.state, len(self.layout.moves)
        x, y = Vector(self._bits(board.x)), Vector(self._bits(board.y))
        last = len(board.states) - 1
        for time, state in enumerate(board.states):
            # The last state is the goal copy: it keeps the board at the stop.
            at = time if time < last else min(plies, time)
            content = self.tracker.content(at, x, y, frozen=True)
            self.functions |= zip(state, (content.is_open, content.is_white), strict=True)
