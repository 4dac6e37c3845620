"""Differences between a formula and its game, for people, with gates that are enough.

Each copy of a gate in the expansion is a variable; clauses say what it is as long as the gate is
assumed.  Where the clauses contradict each other, the formula is false whatever all gates that are
not assumed are.  Gates are left out one by one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from qsage_validate.circuit.qbf import Connective, Qbf, Quantifier, tseitin
from qsage_validate.circuit.rewriting import residual
from qsage_validate.circuit.sat import Solver
from qsage_validate.errors import InputError
from qsage_validate.formats.source import STDIN, read_bytes, sample_path
from qsage_validate.games.protocol import Position, TwoPlayerGame
from qsage_validate.kernel.player import FindingKind
from qsage_validate.system.limits import NEVER, Deadline
from qsage_validate.validation.finding import DecidingGate, Finding

if TYPE_CHECKING:
    from qsage_validate.judging.positions import PlayDifference, Positions


# The places of gates in a formula's file, for people: line, and the comment above


_DEFINED: Final = re.compile(rb"\s*([^\s=#]+)\s*=")


def gate_lines(formula: Qbf, gates: Collection[int]) -> Mapping[int, int]:
    """The lines of those ``gates`` that a line of the formula's QCIR file begins with.

    Nothing of a formula in clauses, one without a file, and where the file is gone.
    """
    path = formula.path
    if path is None or path == STDIN or formula.unwritten:
        return {}
    try:
        lines = read_bytes(sample_path(path)).splitlines()
    except InputError:
        return {}  # it was read from there, and is no more
    wanted = {formula.name(gate).encode(): gate for gate in gates}
    found: dict[int, int] = {}
    for number, line in enumerate(lines, 1):
        match = _DEFINED.match(line)
        if match is not None and match[1] in wanted:
            found[wanted[match[1]]] = number
    return found


def comment_above(formula: Qbf, line: int) -> str:
    """The last comment above a line, all lines of it; the layout's lines are none."""
    above: list[tuple[int, str]] = []
    for number, text in formula.comments:
        said = text.strip()
        if number >= line or not said or said.startswith("@"):
            continue
        if above and above[-1][0] != number - 1:
            above = []
        above.append((number, said))
    return " ".join(text for _, text in above).rstrip(":")


# Gates that are enough for a formula to be false: a core of its expansion by SAT


_SOLVER: Final = "cadical195"
_MOST_INPUTS: Final = 100_000
"""Inputs of gates in an expansion: some tenths of a second."""
_SLICE: Final = 500


def deciding_gates(
    formula: Qbf, values: Mapping[int, bool], deadline: Deadline = NEVER
) -> tuple[int, ...]:
    """Gates, none of which can be left out, that make the formula false under ``values``.

    They are gates of what the values leave of the formula, and of all where nothing is left.  At
    the deadline some may be too many.  Nothing where the formula is true, where its expansion is
    too large, or where no core was found in time.
    """
    from qsage_validate.judging.residuals import expansion_size, trimmed

    formula = trimmed(formula)
    left = residual(formula, values)
    undecided = set(left.gates) - {abs(left.output)}
    ask = set(left.gates if undecided else formula.gates)
    if expansion_size(formula, values) > _MOST_INPUTS:
        return ()
    with Solver(_SOLVER) as solver:
        chosen = _load(solver, formula, values)
        of_gate = {literal: gate for gate, literal in chosen.items()}
        sure = [literal for gate, literal in chosen.items() if gate not in ask]
        for literal in sure:
            solver.add_clause([literal])
        asked = [chosen[gate] for gate in formula.gates if gate in ask]
        core = _core(solver, asked, deadline) or ()
        for literal in core:
            if literal in core:
                core = _core(solver, [x for x in core if x != literal], deadline) or core
        kept = {of_gate[literal] for literal in core}
    return tuple(gate for gate in formula.gates if gate in kept)


def _core(solver: Solver, assumed: Sequence[int], deadline: Deadline) -> list[int] | None:
    """Those of ``assumed`` that contradict each other; ``None`` where none were found."""
    while not deadline.over:
        solver.conf_budget(_SLICE)
        answer = solver.solve_limited(assumptions=assumed)
        if answer is not None:
            return None if answer else list(solver.get_core() or ())
    return None


def _load(solver: Solver, formula: Qbf, values: Mapping[int, bool]) -> dict[int, int]:
    """Add the clauses of the expansion; the result is the literal that assumes each gate."""
    from qsage_validate.judging.residuals import stages_of

    stages, gates = stages_of(formula, values)
    chosen = {gate: number for number, gate in enumerate(formula.gates, 2)}
    last = len(formula.gates) + 1
    solver.add_clause([1])
    known = {v: 1 if value else -1 for v, value in values.items()}

    def new() -> int:
        nonlocal last
        last += 1
        return last

    def copies(stage: int) -> None:
        if stage == len(stages):
            sign = 1 if formula.output > 0 else -1
            solver.add_clause([sign * known[abs(formula.output)]])
            return
        quantifier, variables = stages[stage]
        for value in (-1, 1) if quantifier is Quantifier.FORALL else (0,):
            known.update((v, value or new()) for v in variables)
            for number, gate in gates[stage].items():
                known[number] = new()
                inputs = [known[abs(x)] * (1 if x > 0 else -1) for x in gate.inputs]
                for clause in tseitin(known[number], replace(gate, inputs=tuple(inputs))):
                    solver.add_clause([-chosen[number], *clause])
            copies(stage + 1)

    copies(0)
    return chosen


# Differences between a formula and its game, for people


_MOST_LITERALS: Final = 8


def described(difference: PlayDifference, game: TwoPlayerGame) -> Finding:
    moves = difference.moves
    player = game.player_at(len(moves)) if moves else None
    last = moves[-1] if moves else None
    if difference.formula is None:
        text = f"{player}'s move {last} is legal by the rules, and has no code"
        kind, ply = FindingKind.LEGALITY_DIFFERS, len(moves) - 1
        return Finding(kind, ply, text, player, last, moves=moves)
    by = f" (by the word of {difference.word})" if difference.word else ""
    shown = " ".join(moves)
    fixed = f"with the moves {shown} fixed " if moves else ""
    winner = "Black wins" if difference.game else "Black does not win"
    value = "true" if difference.formula else "false"
    text = f"{fixed}the formula is {value}{by}, and {winner} by the rules"
    return Finding(FindingKind.END_DIFFERS, len(moves), text, player, last, moves=moves)


def shown(
    difference: PlayDifference,
    game: TwoPlayerGame,
    formula: Qbf,
    positions: Positions,
    deadline: Deadline = NEVER,
) -> Finding:
    """The same with the position, and gates that are enough where the formula is false.

    A formula that is true has no such gates: its existential variables make all of them true.
    """
    finding = described(difference, game)
    if difference.formula is None:
        return finding
    state = positions.values.after(difference.moves)
    board = state.board if isinstance(state, Position) else None
    gates: tuple[DecidingGate, ...] = ()
    why = "it is true by its own choices, and no gates alone decide that"
    if not difference.formula:
        values = positions.codes.of_play(difference.moves)
        found = deciding_gates(formula, values, deadline)
        lines = gate_lines(formula, found)
        gates = tuple(_placed(formula, gate, lines.get(gate)) for gate in found)
        why = "" if found else "no gates that are enough were found: too large, or time was up"
    return replace(finding, position=str(state), board=board, gates=gates, without_gates=why)


def _placed(formula: Qbf, gate: int, line: int | None) -> DecidingGate:

    if gate in formula.unwritten:
        return DecidingGate(_clause(formula, gate))
    comment = "" if line is None else comment_above(formula, line)
    return DecidingGate(formula.name(gate), line, comment)


def _clause(formula: Qbf, gate: int) -> str:
    """A gate that the file has no number for: a clause, or the conjunction of all clauses."""
    own = formula.gates[gate]
    if own.connective is Connective.AND and len(own.inputs) != 1:
        return "the conjunction of the clauses"
    literals = [("-" if x < 0 else "") + formula.name(abs(x)) for x in own.inputs]
    more = ["..."] if len(literals) > _MOST_LITERALS else []
    return f"the clause {' '.join(literals[:_MOST_LITERALS] + more)}"
