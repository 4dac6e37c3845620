"""A compiled certificate of a grid game in a larger graph, with lemmas about that one."""

from __future__ import annotations

from itertools import chain

from qsage_validate.certificates.checker.check import Lemma, LemmaStep
from qsage_validate.certificates.compile.compiler import Compiler
from qsage_validate.certificates.compile.invariants import Invariants
from qsage_validate.certificates.compile.plan import Plan
from qsage_validate.circuit.aig import FALSE
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.grid.completion import grid_play
from qsage_validate.encodings.grid.tracker import Content
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.protocol import Player
from qsage_validate.kernel.certificate import CircuitCertificate


def compile_with_lemmas(
    encoding: Encoding, plan: Plan
) -> tuple[CircuitCertificate, CircuitCertificate, tuple[LemmaStep, ...]]:
    """The certificate of ``compile_plan`` for a grid game, the same in a larger graph, and lemmas.

    The functions of both are the same gate by gate; the larger graph has more gates, about which
    the lemmas are.
    """
    compiler = Compiler(encoding, plan, rewrite=False)
    compiler.run()
    certificate, _ = compiler.certificate()
    larger, lemmas = _Lemmas(compiler).larger()
    return certificate, larger, lemmas


class _Lemmas:
    """The steps that lead from what holds in the plays to the formula's output."""

    def __init__(self, compiler: Compiler) -> None:
        model, layout = compiler.encoding.model, compiler.layout
        assert isinstance(model, Model), "invariants are those of grids"
        self.compiler = compiler
        self.layout = layout
        self.builder = compiler.builder
        self.literals = compiler.literals | compiler.functions
        # The same once more, gate by gate: what was read where, and the flags of legality.
        play = grid_play(layout, model, compiler.hero, compiler.builder)
        play.completed(compiler)
        self.found = Invariants(
            compiler.builder,
            layout,
            play.tracker,
            compiler.plan,
            play.flags,
            compiler.decisions.left,
        )

    def larger(self) -> tuple[CircuitCertificate, tuple[LemmaStep, ...]]:
        """The certificate in a graph with the gates of the lemmas, and these in its literals."""
        (self._of_black if self.compiler.hero is Player.BLACK else self._of_white)(self.found)
        steps = self.found.steps
        used = sorted({x for step in steps for part in step.parts for x in part.graph})
        made, moved = self.compiler.certificate(used)
        place = dict(zip(used, moved, strict=True))

        def placed(part: Lemma) -> Lemma:
            return Lemma(tuple(place[x] for x in part.graph), part.formula)

        return made, tuple(
            LemmaStep(
                tuple(map(placed, step.lemmas)),
                tuple((placed(cuts), uses) for cuts, uses in step.attempts),
            )
            for step in steps
        )

    def _of_black(self, found: Invariants) -> None:
        plies, times = found.plies, range(len(found.boards))
        for ply in plies:
            number = ply.move.ply
            stop = FALSE
            if ply.move.stop is not None:
                stop = self.literals[ply.move.stop]
            if ply.move.player is Player.BLACK:
                said = [
                    self._said(f"black {number} move", ply.before),
                    self._said(f"black {number} wins", ply.before, stop),
                ]
                if ply is plies[-1]:
                    said.append(self._said("black goal", ply.before))
                last = max(number - 2, 0)
            else:
                said = [
                    self._said(f"white {number} indicators", ply.before),
                    self._said(f"white {number} move", ply.after),
                    self._said(f"white {number} has not won", ply.after, stop),
                ]
                last = number - 1
            uses = [("read", last), ("read", number - 1), ("read", number)]
            uses += [("nodes", last), ("bounds", last + 1), ("unwon", number)]
            uses += [("frozen", time) for time in times if time > number]
            found.prove(("matrix", number), chain(*said), [((), uses)])
        for ply in reversed(plies):
            number = ply.move.ply
            said = [self._said(f"{ply.move.player.value} {number} ply", ply.before)]
            uses = [("nodes", number), ("matrix", number), ("ply", number + 1)]
            found.prove(("ply", number), chain(*said), [((), uses)])

    def _of_white(self, found: Invariants) -> None:
        board, lost = self.layout.state, (-self.compiler.qbf.output,)
        x = tuple(self.literals[v] for v in board.x)
        y = tuple(self.literals[v] for v in board.y)
        lemmas: list[Lemma] = []
        cuts: set[int] = set()
        for time, ply in enumerate(found.plies):
            cuts |= found.cuts(time)
            move = ply.move
            if time < len(board.states):
                first, second = (self.literals[v] for v in board.states[time])
                said = Content(first, self.builder.and_(first ^ 1, second))
                for square, here in enumerate(found.squares(x, y)):
                    same = found.same(said, found.on(time, square))
                    lemmas.append(Lemma((ply.before ^ 1, here ^ 1, same), lost))
            indicators = move.indicators
            if move.player is Player.BLACK:
                lemmas += [
                    Lemma((ply.before ^ 1, literal), lost)
                    for literal in (ply.in_bounds, *ply.flags)
                ]
            elif indicators is not None:
                for flag, variable in zip(ply.flags, indicators.preconditions, strict=True):
                    same = self.builder.eq(flag, self.literals[variable])
                    lemmas.append(Lemma((ply.before ^ 1, same), lost))
                if indicators.bounds is not None:
                    lemmas.append(Lemma((ply.before ^ 1, self.literals[indicators.bounds]), lost))
            if move.stop is not None:
                stop = self.literals[move.stop]
                lemmas.append(Lemma((ply.after ^ 1, stop ^ 1), lost))
        uses = [
            (name, time)
            for time in range(len(found.boards))
            for name in ("read", "frozen", "nodes", "unwon")
        ]
        found.prove(("matrix", 0), lemmas, [(cuts, uses), ((), uses)])

    def _said(self, name: str, *conditions: int) -> list[Lemma]:
        """The gate of a name is true under conditions, where the formula has that gate."""
        gate = self.layout.gates.get(name)
        return [] if gate is None else [Lemma(tuple(x ^ 1 for x in conditions), (gate,))]
