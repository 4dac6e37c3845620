"""The referee: what the formula says of a play, compared with the game's rules at every step.

It knows the rules only as a :class:`~qsage_validate.games.protocol.TwoPlayerGame` and the formula
only as decoded boards, moves and indicator values; a difference becomes a
:class:`~qsage_validate.validation.finding.Finding`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from qsage_validate.encodings.layout import Layout
from qsage_validate.errors import AmbiguousMoveError, MalformedMoveError, UsageError
from qsage_validate.games.protocol import (
    BoardPicture,
    Move,
    Outcome,
    Player,
    Position,
    Square,
    TwoPlayerGame,
)
from qsage_validate.strategies.reader import (
    Atoms,
    BoardReading,
    LayoutMove,
    Legality,
    SquareXY,
    StrategyAnswer,
)
from qsage_validate.validation.fit import check_fit

if TYPE_CHECKING:
    from qsage_validate.validation.finding import Evidence, Finding

# At most so many moves are named in one finding about legality.
_NAMED_MOVES = 6


class Referee:
    """Compares the steps of plays with a game's rules.

    ``name`` gives the file's name of a variable or gate.
    """

    def __init__(
        self, game: TwoPlayerGame, layout: Layout, name: Callable[[int], str] = str
    ) -> None:
        check_fit(game, layout)
        self.game = game
        self.layout = layout
        self._name = name
        self._moves: dict[tuple[Player, LayoutMove], Move | None] = {}

    def move(self, move: LayoutMove, player: Player) -> Move | None:
        """The rules' move for a decoded one; ``None`` when the rules have no such move."""
        key = (player, move)
        if key not in self._moves:
            try:
                found: Move | None = self.game.parse_move(str(move), player)
            except (MalformedMoveError, AmbiguousMoveError):
                found = None
            self._moves[key] = found
        return self._moves[key]

    def play(self, position: Position, move: LayoutMove, player: Player) -> Position:
        """The position after a decoded move; raises ``UsageError`` where the rules have none."""
        known = self.move(move, player)
        if known is None:
            raise UsageError(f"found {move}, expected a move of {player}'s by the rules")
        return position.play(known)

    def evidence(self, literal: int, value: bool | None, meaning: str) -> Evidence:
        """A literal of the formula with its value, as a part of a finding."""
        from qsage_validate.validation.finding import Evidence

        sign = "-" if literal < 0 else ""
        return Evidence(literal, sign + self._name(abs(literal)), value, meaning)

    # -- the board --------------------------------------------------------------------------

    def drawn(self, position: Position | None, reading: BoardReading) -> BoardReading:
        """The reading with a board as the rules draw it, also where the formula keeps atoms.

        Atoms that the formula does not have are taken from the rules.
        """
        if reading.atoms is None:
            board = reading.board
            return reading if board is None else replace(reading, board=self.game.drawn(board))
        true = reading.atoms.true
        if position is not None:
            true |= self.game.atoms(position) - reading.atoms.known
        return replace(reading, board=self.game.board_of(true))

    def differences(
        self, position: Position, reading: BoardReading
    ) -> tuple[tuple[int, int], ...] | tuple[str, ...]:
        """The differences between formula and rules: squares of the board, or atoms, sorted.

        Only atoms that the formula has are compared, and it may leave them open.
        """
        if reading.atoms is not None:
            return self._wrong_atoms(position, reading.atoms)
        board = reading.board
        return () if board is None else tuple(position.board.differences(board))

    def _wrong_atoms(self, position: Position, atoms: Atoms) -> tuple[str, ...]:
        state = self.layout.state
        differ = (self.game.atoms(position) & atoms.known) ^ atoms.true
        return tuple(sorted(atom for atom in differ if state.wrong(atom, atom in atoms.true)))

    def position(
        self, position: Position, reading: BoardReading, plies: int, moves: tuple[str, ...]
    ) -> Finding | None:
        """A finding if the formula's position after ``plies`` plies is not that of the rules."""
        text, rule = "", f"the rules' board is {position.board}"
        said: list[tuple[str, tuple[Evidence, ...]]] = []
        if reading.atoms is not None:
            atoms = self._wrong_atoms(position, reading.atoms)
            named = atoms[:_NAMED_MOVES]
            said = [self._atom_said(atom, atom in reading.atoms.true, plies) for atom in named]
            rest = len(atoms) - len(said)
            text = f" and {rest} more" if rest else ""
            rule = f"the rules' position is {position}"
        elif reading.board is not None:
            squares = position.board.differences(reading.board)[:_NAMED_MOVES]
            said = [self._square_said(xy, position, reading.board, plies) for xy in squares]
        if not said:
            return None
        text = ", ".join(shown for shown, _ in said) + text
        board = self.drawn(position, reading).board
        differ = position.board.differences(board) if board and position.board.squares else ()
        from qsage_validate.validation.finding import Finding, FindingKind

        return Finding(
            FindingKind.BOARD_DIFFERS,
            plies,
            text,
            player=position.to_move.other if plies else None,
            move=moves[-1] if moves else None,
            squares=tuple(differ),
            evidence=said[0][1],
            rule=rule,
            moves=moves,
        )

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

    # -- moves ------------------------------------------------------------------------------

    def answer(
        self, position: Position, answer: StrategyAnswer, moves: tuple[str, ...]
    ) -> Finding | None:
        """A finding if the certificate's move is illegal; ``moves`` are those before it."""
        if answer.move is None:
            return None  # Unreadable with or without rules: see ``unreadable``.
        player = position.to_move
        move = self.move(answer.move, player)
        illegality = None if move is None else position.illegality(move)
        if move is not None and illegality is None:
            return None
        text = f"{answer.move}: no move of {player}" if illegality is None else illegality.reason
        from qsage_validate.validation.finding import Finding, FindingKind

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

    def legality(
        self, position: Position, verdicts: Mapping[LayoutMove, Legality], moves: tuple[str, ...]
    ) -> list[Finding]:
        """Findings if the formula does not accept exactly the legal moves of the player to move."""
        player = position.to_move
        wrong_yes: list[LayoutMove] = []
        wrong_no: list[LayoutMove] = []
        for move, verdict in verdicts.items():
            known = self.move(move, player)
            legal = known is not None and self.is_legal(position, known)
            if verdict.legal and not legal:
                wrong_yes.append(move)
            elif legal and not verdict.legal:
                wrong_no.append(move)
        findings = []
        if wrong_yes:
            findings.append(self._legality(position, wrong_yes, verdicts, moves, accepts=True))
        if wrong_no:
            findings.append(self._legality(position, wrong_no, verdicts, moves, accepts=False))
        return findings

    def is_legal(self, position: Position, move: Move) -> bool:
        """True if the rules allow ``move``; also asked when no player can move any more."""
        return position.outcome is None and position.illegality(move) is None

    def unsaid(self, position: Position, sayable: Collection[str]) -> list[str]:
        """The legal moves of the player to move that have no code.

        Left out are first moves that a symmetry of the game exchanges with one that can be said:
        what a strategy answers to one of them it answers to the other.
        """
        missing = [text for move in position.legal_moves() if (text := str(move)) not in sayable]
        if missing and position == self.game.initial:
            others = self.game.exchanged_first_moves(sayable)
            missing = [text for text in missing if text not in others]
        return missing

    def no_code(
        self, position: Position, missing: Sequence[str], moves: tuple[str, ...]
    ) -> Finding:
        """Moves that are legal by the rules and that the layout cannot say."""
        player, first = position.to_move, missing[0]
        more = missing[1:_NAMED_MOVES]
        rest = len(missing) - 1 - len(more)
        others = f" (nor for {', '.join(more)}" + (f" and {rest} more)" if rest else ")")
        from qsage_validate.validation.finding import Finding, FindingKind

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

    def _legality(
        self,
        position: Position,
        wrong: Sequence[LayoutMove],
        verdicts: Mapping[LayoutMove, Legality],
        moves: tuple[str, ...],
        *,
        accepts: bool,
    ) -> Finding:
        player, first = position.to_move, wrong[0]
        named = ", ".join(str(move) for move in wrong[:_NAMED_MOVES])
        more = f" and {len(wrong) - _NAMED_MOVES} more" if len(wrong) > _NAMED_MOVES else ""
        known = self.move(first, player)
        illegality = None if known is None else position.illegality(known)
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
        from qsage_validate.validation.finding import Finding, FindingKind

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

    # -- the end ----------------------------------------------------------------------------

    def end(
        self, outcome: Outcome, promised: Player, plies: int, moves: tuple[str, ...]
    ) -> Finding | None:
        """A finding if the play did not end with the win that the certificate promised."""
        if outcome.winner is promised:
            return None
        from qsage_validate.validation.finding import Finding, FindingKind

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
        from qsage_validate.validation.finding import Finding, FindingKind

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
    from qsage_validate.validation.finding import Finding, FindingKind

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
