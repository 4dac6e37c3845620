"""What the referee found, said in findings; loaded when something was found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from qsage_validate.encodings.layout import Layout
from qsage_validate.games.protocol import (
    BoardPicture,
    Illegality,
    Outcome,
    Player,
    Position,
    Square,
)
from qsage_validate.strategies.reader import (
    BoardReading,
    LayoutMove,
    Legality,
    SquareXY,
    StrategyAnswer,
)
from qsage_validate.validation.finding import Evidence, Finding, FindingKind

# At most so many moves, squares or atoms are named in one finding.
_NAMED: Final = 6


class RefereeFindings:
    """Findings about plays of a layout; ``name`` gives the file's name of a variable or gate."""

    def __init__(self, layout: Layout, name: Callable[[int], str]) -> None:
        self.layout = layout
        self._name = name

    def evidence(self, literal: int, value: bool | None, meaning: str) -> Evidence:
        """A literal of the formula with its value, as a part of a finding."""
        sign = "-" if literal < 0 else ""
        return Evidence(literal, sign + self._name(abs(literal)), value, meaning)

    def position(
        self,
        position: Position,
        reading: BoardReading,
        wrong: Sequence[SquareXY] | Sequence[str],
        drawn: BoardPicture | None,
        plies: int,
        moves: tuple[str, ...],
    ) -> Finding:
        """The formula's position after ``plies`` plies is not that of the rules.

        ``wrong`` are squares of the formula's board or atoms that differ, ``drawn`` is the board
        as the rules draw it.
        """
        rule, rest = f"the rules' board is {position.board}", 0
        if reading.atoms is not None:
            rule, rest = f"the rules' position is {position}", max(0, len(wrong) - _NAMED)
        said = [self._said(each, position, reading, plies) for each in wrong[:_NAMED]]
        differ = position.board.differences(drawn) if drawn and position.board.squares else ()
        return Finding(
            FindingKind.BOARD_DIFFERS,
            plies,
            ", ".join(shown for shown, _ in said) + (f" and {rest} more" if rest else ""),
            player=position.to_move.other if plies else None,
            move=moves[-1] if moves else None,
            squares=tuple(differ),
            evidence=said[0][1],
            rule=rule,
            moves=moves,
        )

    def _said(
        self, wrong: SquareXY | str, position: Position, reading: BoardReading, plies: int
    ) -> tuple[str, tuple[Evidence, ...]]:
        if isinstance(wrong, str):
            true = reading.atoms is not None and wrong in reading.atoms.true
            return self._atom_said(wrong, true, plies)
        return self._square_said(wrong, position, reading.board or position.board, plies)

    def _atom_said(self, atom: str, value: bool, plies: int) -> tuple[str, tuple[Evidence, ...]]:
        """An atom in formula and rules, as text, and the literals that say it."""
        state = self.layout.state
        literals = zip(state.kinds, state.states[plies], strict=True)
        return (
            f"'{atom}' is {str(value).lower()} in the formula and {str(not value).lower()} by "
            "the rules",
            tuple(
                self.evidence(literal, value, f"{atom}, state {plies}")
                for kind, literal in literals
                if literal and (atom == kind or (state.position and atom.startswith(f"{kind} ")))
            ),
        )

    def _square_said(
        self, xy: SquareXY, position: Position, board: BoardPicture, plies: int
    ) -> tuple[str, tuple[Evidence, ...]]:
        """A square in formula and rules, as text, and the state variables that say it."""
        state, square, place = self.layout.state, board[xy], f"({xy[0]},{xy[1]})"
        literals = zip(state.kinds, state.states[plies], strict=True)
        values = () if state.code is None else zip(literals, state.code.encode(square), strict=True)
        return (
            f"{place} is {_content(square)} in the formula and {_content(position.board[xy])} by "
            "the rules",
            tuple(
                self.evidence(literal, value, f"{kind} of state {plies} at {place}")
                for (kind, literal), value in values
                if value is not None
            ),
        )

    def answer(
        self,
        player: Player,
        answer: StrategyAnswer,
        illegality: Illegality | None,
        moves: tuple[str, ...],
    ) -> Finding:
        """The certificate's move is illegal; ``moves`` are those before it."""
        text = f"{answer.move}: no move of {player}" if illegality is None else illegality.reason
        return Finding(
            FindingKind.ILLEGAL_REPLY,
            len(moves) + 1,
            text,
            player=player,
            move=str(answer.move),
            squares=() if illegality is None or illegality.square is None else (illegality.square,),
            evidence=tuple(
                self.evidence(v, value, "move bit") for v, value in answer.values.items()
            ),
            rule=None if illegality is None else illegality.rule,
            moves=(*moves, str(answer.move)),
        )

    def no_code(
        self, position: Position, missing: Sequence[str], moves: tuple[str, ...]
    ) -> Finding:
        """Moves that are legal by the rules and that the layout cannot say."""
        player, first = position.to_move, missing[0]
        more = missing[1:_NAMED]
        rest = len(missing) - 1 - len(more)
        others = f" (nor for {', '.join(more)}" + (f" and {rest} more)" if rest else ")")
        return Finding(
            FindingKind.LEGALITY_DIFFERS,
            len(moves),
            f"{player}'s move {first} is legal by the rules and the layout has no code for it"
            + (others if more else ""),
            player=player,
            move=first,
            rule=f"the rules' position is {position}",
            moves=moves,
        )

    def legality(
        self,
        position: Position,
        wrong: Sequence[LayoutMove],
        illegality: Illegality | None,
        verdicts: Mapping[LayoutMove, Legality],
        moves: tuple[str, ...],
        *,
        accepts: bool,
    ) -> Finding:
        """The formula accepts moves, or forbids some; ``illegality`` is the first one's fault."""
        player, first = position.to_move, wrong[0]
        named = ", ".join(str(move) for move in wrong[:_NAMED])
        more = f" and {len(wrong) - _NAMED} more" if len(wrong) > _NAMED else ""
        if accepts:
            reason = f"{first}: no move of {player}" if illegality is None else illegality.reason
            detail = f"the formula accepts {named}{more}, which the rules forbid ({reason})"
        else:
            detail = f"the formula forbids {named}{more}, which the rules allow"
        legality = verdicts[first]
        indicators = self.layout.moves[position.ply - 1].indicators
        literals: Sequence[int] = legality.false
        if accepts and indicators is not None:
            literals = indicators.literals
        return Finding(
            FindingKind.LEGALITY_DIFFERS,
            len(moves),
            detail,
            player=player,
            move=str(first),
            squares=() if first.square is None else (first.square,),
            evidence=tuple(self.evidence(v, accepts, f"for {first}") for v in literals),
            rule=None if illegality is None else illegality.rule,
            moves=moves,
        )

    def end(
        self, outcome: Outcome, promised: Player, plies: int, moves: tuple[str, ...]
    ) -> Finding:
        """The play did not end with the win that the certificate promised."""
        return Finding(
            FindingKind.END_DIFFERS,
            plies,
            f"{outcome.winner} wins ({outcome.reason}), the certificate promised {promised}",
            player=outcome.winner,
            move=moves[-1] if moves else None,
            rule=outcome.reason,
            moves=moves,
        )

    def claim(
        self, player: Player, stop: int | None, plies: int, moves: tuple[str, ...]
    ) -> Finding:
        """The certificate stopped the play and the rules do not see its goal."""
        evidence = () if stop is None else (self.evidence(stop, True, "game stop"),)
        return Finding(
            FindingKind.FALSE_CLAIM,
            plies,
            f"the certificate stops the play, but {player} has not reached a goal by the rules",
            player=player,
            move=moves[-1],
            evidence=evidence,
            rule="goal",
            moves=moves,
        )


def unreadable(
    answer: StrategyAnswer,
    player: Player,
    referee_evidence: tuple[Evidence, ...],
    moves: tuple[str, ...],
) -> Finding:
    """The bits of a reply name no move."""
    return Finding(
        FindingKind.UNREADABLE_REPLY,
        len(moves) + 1,
        answer.problem,
        player=player,
        evidence=referee_evidence,
        moves=moves,
    )


def _content(square: Square) -> str:
    return square.name.lower()
