"""A certificate of a game rebuilt from its moves: all else as the encoding completes it.

In the project's own encodings every other variable of Black's follows from the moves
(``encodings/grid/completion.py``): what the indicators say, what stands on the symbolic
square, which part of White's goal is missing.  So of a certificate that a solver made, only the
functions of the moves and of the goal that Black claims are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from qsage_validate.circuit.aig import FALSE, AigBuilder
from qsage_validate.circuit.embed import embed
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.completion import Goals, PlyLiterals
from qsage_validate.encodings.grid.completion import grid_completions, read
from qsage_validate.encodings.layout.codings import Bits
from qsage_validate.encodings.layout.layout import Layout, Ply
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
    play = _Play(formula, layout, certificate)
    completed = grid_completions(layout, model)[Player.BLACK](play)
    decided = formula.variables(certificate.kind.decides)
    functions = {v: play.kept.get(v, completed.get(v, FALSE)) for v in decided}
    aig, outputs = play.builder.build(list(functions.values()))
    return replace(
        certificate,
        aig=aig,
        inputs=formula.variables(certificate.kind.decides.dual),
        functions=dict(zip(functions, outputs, strict=True)),
        extra={},
    )


class _Play:
    """The play of a certificate; ``kept`` are its functions of Black's moves and claims."""

    hero = Player.BLACK

    def __init__(self, formula: Qbf, layout: Layout, certificate: CircuitCertificate) -> None:
        opponent = formula.variables(certificate.kind.decides.dual)
        self.builder = AigBuilder(len(opponent))
        own = dict(zip(opponent, self.builder.inputs, strict=True))
        named = {v for bits in layout.goals.claim(Player.BLACK) for v in bits}
        named |= {v for ply in layout.moves for v in ply.all_variables}
        kept = sorted({abs(v) for v in named} & set(certificate.functions))
        built = embed(
            self.builder,
            certificate.aig,
            [own[v] for v in certificate.inputs],
            [certificate.functions[v] for v in kept],
        )
        self.kept = dict(zip(kept, built, strict=True))
        self.literals: Mapping[int, int] = own | self.kept
        self.plies = [self._ply(ply) for ply in layout.moves]

    def _ply(self, ply: Ply) -> PlyLiterals:
        numbers = [read(self.literals, number.bits) for number in ply.coding.numbers]
        (stop,) = (FALSE,) if ply.stop is None else read(self.literals, (ply.stop,))
        return PlyLiterals(ply.player, numbers, stop, {}, tuple)

    def witness(self, value: Callable[[Goals], int], width: int) -> Bits:
        """Nothing: the claims are the certificate's own."""
        return (FALSE,) * width
