"""Differences between a formula and its game, for people."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from qsage_validate.circuit.qbf import Connective, Qbf
from qsage_validate.games.protocol import Position, TwoPlayerGame
from qsage_validate.kernel.fault import FindingKind
from qsage_validate.system.limits import NEVER, Deadline
from qsage_validate.validation.finding import DecidingGate, Finding

if TYPE_CHECKING:
    from qsage_validate.judging.positions import PlayDifference, Positions

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
    from qsage_validate.formats.gate_lines import gate_lines
    from qsage_validate.judging.deciding import deciding_gates

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
    from qsage_validate.formats.gate_lines import comment_above

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
