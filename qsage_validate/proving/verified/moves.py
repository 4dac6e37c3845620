"""A strategy's moves as functions of the opponent's: a certificate for the verified unrolling.

The functions are taken from a certificate of any encoding by its layout, as the level *rules*
reads them (``kernel/strategy.py``).  Nothing rests on this: the functions have to win by the rules
in Coq.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from qsage_validate.circuit.aig import FALSE, Aig, AigBuilder
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.kernel.certificate import CircuitCertificate, Dialect
from qsage_validate.kernel.game import Rules, State
from qsage_validate.kernel.player import Player
from qsage_validate.kernel.reading import Matcher, PlyReading, Reading, assignments
from qsage_validate.kernel.strategy import StrategyProof
from qsage_validate.proving.verified.unrolling import VerifiedUnrolling


class UncodedMoveError(Exception):
    """The opponent has a move by the rules that the formula has no code for; the text says it."""


@dataclass
class _Moves(StrategyProof):
    """The play by the rules under the unrolling's variables instead of the formula's.

    ``inputs`` are the unrolling's variables of the opponent's, in the order of the graph's inputs;
    ``replies`` has the literal of each of the hero's.
    """

    unrolling: VerifiedUnrolling = field(kw_only=True)
    inputs: list[int] = field(default_factory=list, init=False)
    replies: dict[int, int] = field(default_factory=dict, init=False)

    def _traverse(self) -> None:
        rules = self.rules
        state: State = rules.initial
        for ply, block in enumerate(self.unrolling.blocks, start=1):
            self._tell_state(state, ply - 1)
            legal = dict(zip(rules.moves(ply), rules.legal(state, ply), strict=True))
            # The unrolling may list moves that are never legal, and that the rules leave out.
            names = [m.name for m in self.unrolling.rules.moves[rules.mover(ply)]]
            reading = self.reading.ply(ply)
            if rules.mover(ply) is self.hero:
                made = self._reply(reading, legal)
                self.replies.update(
                    (v, made.get(name, FALSE)) for v, name in zip(block, names, strict=True)
                )
            else:
                made = self._choice(ply, reading, block, names, legal)
            state = rules.after(state, ply, [made.get(name, FALSE) for name in rules.moves(ply)])
        self._tell_state(state, rules.plies)

    def _reply(self, reading: PlyReading | None, legal: dict[str, int]) -> dict[str, int]:
        """Hero's move: what the certificate says if that is legal, else the first legal one."""
        builder = self.builder
        said: dict[str, int] = {}
        if reading is not None:
            match = Matcher(builder, [self._literal(v, reading) for v in reading.literals])
            said = {
                move: builder.or_all(map(match, patterns))
                for move, patterns in reading.codes.items()
            }
        made = {move: builder.and_(said.get(move, FALSE), can) for move, can in legal.items()}
        free = builder.or_all(made.values()) ^ 1
        for move, can in legal.items():
            if free == FALSE:
                break
            made[move] = builder.or_(made[move], builder.and_(free, can))
            free = builder.and_(free, can ^ 1)
        return made

    def _choice(
        self,
        ply: int,
        reading: PlyReading | None,
        block: Sequence[int],
        names: Sequence[str],
        legal: dict[str, int],
    ) -> dict[str, int]:
        """The opponent's move, the first true one of the block, put into the formula's code."""
        builder = self.builder
        chosen: dict[str, int] = {}
        seen = FALSE
        for variable, name in zip(block, names, strict=True):
            literal = builder.input()
            self.inputs.append(variable)
            chosen[name] = builder.and_(literal, seen ^ 1)
            seen = builder.or_(seen, literal)
        if reading is not None:
            codes: dict[str, dict[int, bool]] = {}
            for move, values in assignments(reading):
                if all(self._constants.get(v, value) == value for v, value in values.items()):
                    codes.setdefault(move, values)
            for name, can in legal.items():
                if name not in codes and can != FALSE:
                    raise UncodedMoveError(
                        f"the formula has no code for {name} at ply {ply}: it may be illegal "
                        "there, or as good as another move, which the rules in Coq do not say"
                    )
            for variable in {abs(v) for v in reading.literals}:
                if self._chosen.get(variable) == ply:
                    self.values.known[variable] = builder.or_all(
                        chosen.get(move, FALSE)
                        for move, values in codes.items()
                        if values.get(variable)
                    )
        return {name: builder.and_(chosen.get(name, FALSE), can) for name, can in legal.items()}

    def _tell_state(self, state: State, time: int) -> None:
        """As in ``StrategyProof``: what tells the position has the value of the rules."""
        if not self.reading.told or self.hero is Player.BLACK:
            return
        atoms = self.rules.atoms(state, time)
        for at, atom, literal in self.reading.told:
            variable = abs(literal)
            if at == time and variable in self.opponent and variable not in self._chosen:
                self.values.known.setdefault(variable, atoms.get(atom, FALSE) ^ (literal < 0))


def moves_certificate(
    formula: Qbf | None,
    certificate: CircuitCertificate,
    reading: Reading,
    rules: Rules,
    unrolling: VerifiedUnrolling,
    *,
    guess: bool = False,
) -> CircuitCertificate:
    """The functions of hero's variables of the unrolling.

    Raises as ``StrategyProof`` does, and ``UncodedMoveError``.
    """
    play = _Moves(formula, certificate, reading, rules, guess, unrolling=unrolling)
    builder: AigBuilder = play.builder
    variables = list(play.replies)
    built, outputs = builder.build([play.replies[v] for v in variables])
    # As a binary AIGER file has them: the clauses of a gate come in this order.
    left, right = built.fanin0, built.fanin1
    aig = Aig(built.num_inputs, np.maximum(left, right), np.minimum(left, right))
    return CircuitCertificate(
        kind=certificate.kind,
        aig=aig,
        inputs=tuple(play.inputs),
        functions=dict(zip(variables, outputs, strict=True)),
        dialect=Dialect.CAQE,
    )
