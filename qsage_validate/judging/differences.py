"""Differences between a formula and its game, for people."""

from __future__ import annotations

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.games.protocol import Game
from qsage_validate.judging.positions import Difference
from qsage_validate.kernel.fault import FindingKind
from qsage_validate.validation.finding import Finding


def described(difference: Difference, formula: Qbf, game: Game) -> Finding:
    """A difference as a finding."""
    moves = difference.moves
    if difference.formula is None:
        text = f"the move {moves[-1]} is legal by the rules, and has no code"
        return Finding(FindingKind.LEGALITY_DIFFERS, len(moves) - 1, text, moves=moves)
    by = f" (by the word of {difference.word})" if difference.word else ""
    shown = " ".join(moves)
    fixed = f"with the moves {shown} fixed " if moves else ""
    winner = "Black wins" if difference.game else "Black does not win"
    value = "true" if difference.formula else "false"
    text = f"{fixed}the formula is {value}{by}, and {winner} by the rules"
    return Finding(FindingKind.END_DIFFERS, len(moves), text, moves=moves)
