"""GDL encodings as they are registered: formula, layout, and what follows from the moves.

``gdl`` and ``gdl-strict`` are GE and SE as circuits over moves alone.  ``gdl-gn``, ``gdl-gt``,
``gdl-gd`` and ``gdl-sd`` are the paper's formulas: clauses over atoms, in a prefix by Definitions
6, 7 and 9 of He, Saffidine and Thielscher 2024 (:func:`clausal` makes them of the circuits).

A round is two plies, Black's part and White's.  Once the play has ended no move of Black's is
made.  Games of more roles are those of one role against all others (``paranoid.py``).

In the clauses a gate's variable is existential and depends on its inputs alone, so it may stand in
any block from that of its inputs on; the definitions differ in how far to the left.  Constraints
are clauses of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import partial
from typing import Final

from qsage_validate.circuit.aig import AigBuilder
from qsage_validate.circuit.qbf import (
    Connective,
    Gate,
    Qbf,
    Quantifier,
    Scope,
    clause_gates,
    tseitin,
)
from qsage_validate.encodings.encoding import (
    Completion,
    Encoding,
    PlayLiterals,
    PlyLiterals,
    ReferencePlay,
    nothing_else,
)
from qsage_validate.encodings.layout import IllegalMoves, Layout, Ply, StateView, listed
from qsage_validate.extensions.gdl.encodings.formula import (
    GdlEncoding,
    RoundVariables,
    Variant,
    encode_gdl,
)
from qsage_validate.extensions.gdl.model import term_order, term_text
from qsage_validate.extensions.gdl.paranoid import GdlModel
from qsage_validate.extensions.gdl.rules import rounds_game
from qsage_validate.formats.qdimacs import ClausalForm
from qsage_validate.games.protocol import Player


class Quantification(Enum):
    """The place of atoms in the prefix; the values are the paper's names."""

    NAIVE = "GN"
    TIME = "GT"
    DEPENDENCY = "GD"


def gdl_clauses(
    encoding: GdlEncoding,
    quantification: Quantification = Quantification.DEPENDENCY,
    *,
    also: Iterable[int] = (),
) -> ClausalForm:
    """The clauses of an encoding; its variables keep their numbers, gates too.

    Gates that no constraint needs are left out, except those in ``also``.
    """
    qbf = encoding.qbf
    constraints = _asserted(qbf)
    needed = _needed(qbf, (*also, *(abs(x) for clause in constraints for x in clause)))
    clauses = [
        tuple(clause)
        for number in qbf.gates
        if number in needed
        for clause in tseitin(number, qbf.gates[number])
    ]
    levels = _levels(qbf, quantification, encoding.times)
    blocks: dict[int, list[int]] = {}
    for scope, block in zip(qbf.scopes, encoding.blocks, strict=True):
        blocks.setdefault(block, []).extend(scope.variables)
    places = {v: block for block, numbers in blocks.items() for v in numbers}
    for number, gate in qbf.gates.items():
        inner = max((places[abs(x)] for x in gate.inputs), default=0)
        # A universal block is followed by an existential one.
        places[number] = max(inner + inner % 2, levels.get(number, 0))
        if number in needed:
            blocks.setdefault(places[number], []).append(number)
    scopes = tuple(
        Scope(Quantifier.FORALL if block % 2 else Quantifier.EXISTS, tuple(blocks[block]))
        for block in sorted(blocks)
    )
    prefix = Qbf(scopes, {}, qbf.output).merged_scopes()
    return ClausalForm(prefix, tuple(clauses) + tuple(constraints), qbf.max_variable)


def _levels(qbf: Qbf, quantification: Quantification, times: Mapping[int, int]) -> dict[int, int]:
    """The block in which a gate stands at least."""
    last = 2 * max(times.values(), default=0)
    if quantification is Quantification.NAIVE:
        return dict.fromkeys(qbf.gates, last)
    if quantification is Quantification.TIME:
        return {gate: 2 * time for gate, time in times.items()}
    return {}


def _asserted(qbf: Qbf) -> list[tuple[int, ...]]:
    """The clauses that say that the output is true, over variables and gates."""
    clauses: list[tuple[int, ...]] = []
    waiting = [qbf.output]
    while waiting:
        literal = waiting.pop()
        gate = qbf.gates.get(abs(literal))
        kind = None if gate is None else (gate.connective, literal > 0)
        if gate is not None and kind == (Connective.AND, True):
            waiting += gate.inputs
        elif gate is not None and kind == (Connective.OR, False):
            waiting += (-x for x in gate.inputs)
        elif gate is not None and kind == (Connective.OR, True):
            clauses.append(tuple(gate.inputs))
        elif gate is not None and kind == (Connective.AND, False):
            clauses.append(tuple(-x for x in gate.inputs))
        else:
            clauses.append((literal,))
    return list(dict.fromkeys(reversed(clauses)))


def _needed(qbf: Qbf, roots: Iterable[int]) -> set[int]:
    """The gates that the values of some literals depend on."""
    needed = {root for root in roots if root in qbf.gates}
    waiting = list(needed)
    while waiting:
        for literal in qbf.gates[waiting.pop()].inputs:
            if abs(literal) in qbf.gates and abs(literal) not in needed:
                needed.add(abs(literal))
                waiting.append(abs(literal))
    return needed


_NAMES: Final[Mapping[Variant, str]] = {Variant.GENERAL: "gdl", Variant.STRICT: "gdl-strict"}
_CLAUSAL: Final[Mapping[tuple[Variant, Quantification], str]] = {
    (Variant.GENERAL, Quantification.NAIVE): "gdl-gn",
    (Variant.GENERAL, Quantification.TIME): "gdl-gt",
    (Variant.GENERAL, Quantification.DEPENDENCY): "gdl-gd",
    (Variant.STRICT, Quantification.NAIVE): "gdl-sn",
    (Variant.STRICT, Quantification.TIME): "gdl-st",
    (Variant.STRICT, Quantification.DEPENDENCY): "gdl-sd",
}


@dataclass(frozen=True)
class GdlTables(Encoding):
    """An encoding with what it was made of: ``inner`` has the circuit."""

    inner: GdlEncoding = field(kw_only=True)


def clausal(
    encoding: GdlTables, quantification: Quantification = Quantification.DEPENDENCY
) -> GdlTables:
    """The same encoding with clauses for its formula, for solvers that read such.

    Variables and gates keep their numbers.  Gates that no constraint needs are left out, of the
    layout too, the constants apart.
    """
    inner = encoding.inner
    constant = [n for n, gate in inner.qbf.gates.items() if not gate.inputs]
    form = gdl_clauses(inner, quantification, also=constant)
    gates, output = clause_gates(form.clauses, form.max_variable + 1)
    qbf = Qbf(form.scopes, gates, output, inner.qbf.names)
    known = qbf.quantifiers()
    layout = replace(
        _layout(inner, lambda literal: literal if abs(literal) in known else 0),
        verdict=qbf.output,
        encoding=_CLAUSAL[inner.variant, quantification],
    )
    kept = [number for number in inner.qbf.gates if number in known]
    completions = {Player.BLACK: black_completion(inner, kept), Player.WHITE: nothing_else}
    return replace(encoding, qbf=qbf, layout=layout, completions=completions)


def tables(model: GdlModel, variant: Variant = Variant.GENERAL) -> GdlTables:
    """GE, rules (1) to (10), or SE, with rule (11).

    Raises as ``encode_gdl`` does, and ``NotTurnTakingError`` where a few random plays show that
    both roles have a choice (the formula would give White's moves the advantage to know Black's).
    """
    description = model.two_roles
    rounds_game(model).check_turns()
    inner = encode_gdl(description, model.rounds, black=model.role, win=model.win, variant=variant)
    return GdlTables(
        inner.qbf,
        _layout(inner, lambda literal: literal),
        model,
        {Player.BLACK: black_completion(inner, ()), Player.WHITE: nothing_else},
        partial(GdlInMind, inner),
        inner=inner,
    )


def _layout(inner: GdlEncoding, known: Callable[[int], int]) -> Layout:
    """The layout; ``known`` gives 0 for literals that the formula does not have."""
    moves: list[Ply] = []
    for number, variables in enumerate(inner.rounds):
        moves += _plies(inner, 2 * number + 1, variables, known)
    fluents = sorted({f for state in inner.fluents for f in state}, key=term_order)
    states: list[tuple[int, ...]] = []
    false = _false(inner.qbf)
    for state in inner.fluents:
        states += [tuple(known(state.get(f, false)) for f in fluents), ()]
    gates = {}
    for name, literals in (("ended", inner.ended), ("won", inner.won)):
        for time, literal in enumerate(literals):
            if known(literal):
                gates[f"{name} after {time}"] = known(literal)
    return Layout(
        tuple(moves),
        StateView(tuple(map(term_text, fluents)), tuple(states[:-1])),
        verdict=inner.qbf.output,
        gates=gates,
        encoding=_NAMES[inner.variant],
        game="gdl",
        illegal=IllegalMoves.REPLACED,
    )


def _plies(
    inner: GdlEncoding, ply: int, variables: RoundVariables, known: Callable[[int], int]
) -> list[Ply]:
    (white,) = variables.others
    return [
        listed(
            ply,
            Player.BLACK,
            tuple(map(term_text, variables.black)),
            literals=tuple(variables.black.values()),
            legal=tuple(map(known, variables.legal[inner.black].values())),
        ),
        listed(
            ply + 1,
            Player.WHITE,
            tuple(map(term_text, variables.others[white])),
            code=variables.codes.get(white, ())[::-1],
            legal=tuple(map(known, variables.legal[white].values())),
        ),
    ]


def _false(qbf: Qbf) -> int:
    """The literal of the constant false; 0 where the formula has no constant."""
    return next((-n for n, gate in qbf.gates.items() if not gate.inputs), 0)


ENCODERS: Final[Mapping[str, Callable[[GdlModel], Encoding]]] = {
    "gdl": tables,
    "gdl-strict": partial(tables, variant=Variant.STRICT),
    "gdl-gn": lambda model: clausal(tables(model), Quantification.NAIVE),
    "gdl-gt": lambda model: clausal(tables(model), Quantification.TIME),
    "gdl-gd": lambda model: clausal(tables(model), Quantification.DEPENDENCY),
    "gdl-sd": lambda model: clausal(tables(model, Variant.STRICT), Quantification.DEPENDENCY),
}


# -- What follows from a play: White's moves behind the codes, and all gates -------------------
#
# The general encoding lets a code name a move that is not legal, or none; Black's side then
# chooses a legal move for White (rules (3), (4) and (7) of the paper).  Here that choice is fixed:
# the first move of the table that is legal, as the formula's own gates say.


class GdlGates:
    """The gates of an encoding in a graph, round by round.

    ``literals`` maps the formula's variables to literals of the graph as far as they are known;
    :meth:`white` adds those of White's moves.
    """

    def __init__(
        self, encoding: GdlEncoding, builder: AigBuilder, literals: MutableMapping[int, int]
    ) -> None:
        self.encoding = encoding
        self.builder = builder
        self.literals = literals
        (self.role,) = encoding.rounds[0].others
        self._gates: Final[Mapping[int, Gate]] = encoding.qbf.gates

    def literal(self, formula: int) -> int:
        """The literal of a formula's literal all of whose variables are known."""
        self._build(abs(formula))
        return self.literals[abs(formula)] ^ (formula < 0)

    def _build(self, number: int) -> None:
        waiting = [number]
        while waiting:
            gate = waiting[-1]
            if gate in self.literals:
                waiting.pop()
                continue
            inputs = self._gates[gate].inputs
            missing = [abs(x) for x in inputs if abs(x) not in self.literals]
            if missing:
                waiting += missing
                continue
            waiting.pop()
            known = [self.literals[abs(x)] ^ (x < 0) for x in inputs]
            conjunction = self._gates[gate].connective is Connective.AND
            build = self.builder.and_all if conjunction else self.builder.or_all
            self.literals[gate] = build(known)

    def white(self, time: int, named: Sequence[int]) -> list[int]:
        """White's move in round ``time`` (from 1): a literal for each move of the table.

        ``named`` has for each move the literal that the code names it.  No literal of the result
        is true once the play has ended.
        """
        builder, variables = self.builder, self.encoding.rounds[time - 1]
        legal = variables.legal[self.role]
        going = self.literal(-self.encoding.ended[time - 1])
        allowed = [builder.and_(going, self.literal(x)) for x in legal.values()]
        said = [builder.and_(a, b) for a, b in zip(named, allowed, strict=True)]
        free = builder.or_all(said) ^ 1
        made = []
        for literal, possible in zip(said, allowed, strict=True):
            made.append(builder.or_(literal, builder.and_(free, possible)))
            free = builder.and_(free, possible ^ 1)
        free_variables = variables.free[self.role]
        for move, value in zip(legal, made, strict=True):
            if move in free_variables:
                self.literals[free_variables[move]] = value
        return made


def black_completion(encoding: GdlEncoding, extra: Sequence[int]) -> Completion:
    """The completion for Black: the functions of White's moves and of the gates ``extra``."""

    def define(play: PlayLiterals) -> Mapping[int, int]:
        literals = dict(play.literals)
        completion = GdlGates(encoding, play.builder, literals)
        for time in range(1, len(encoding.rounds) + 1):
            completion.white(time, play.plies[2 * time - 1].made)
        return everything_else(completion, extra)

    return define


def everything_else(completion: GdlGates, extra: Sequence[int]) -> dict[int, int]:
    """White's moves and the gates ``extra``, after the last round."""
    encoding = completion.encoding
    moves = [v for one in encoding.rounds for v in one.free[completion.role].values()]
    found = {v: completion.literals[v] for v in moves}
    found.update((gate, completion.literal(gate)) for gate in extra)
    return found


class GdlInMind(ReferencePlay):
    """A game in GDL: the formula's own gates say what is legal and when the play has ended."""

    def __init__(self, encoding: GdlEncoding, builder: AigBuilder, hero: Player) -> None:
        self._known: dict[int, int] = {}
        self._variables = frozenset(encoding.qbf.levels())
        self._inner = encoding
        self._gates = GdlGates(encoding, builder, self._known)

    def over(self, ply: Ply) -> int | None:
        return self._gates.literal(self._inner.ended[(ply.ply - 1) // 2])

    def replaced(self, ply: Ply, made: Sequence[int]) -> Sequence[int]:
        return self._gates.white(ply.ply // 2, made)

    def decides(self, variable: int) -> bool:
        return variable in self._variables

    def play(self, ply: Ply, played: PlyLiterals, known: Mapping[int, int]) -> None:
        self._known.update((v, x) for v, x in known.items() if v in self._variables)
