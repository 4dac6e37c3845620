"""The referee: what the formula says of a play, compared with the game's rules at every step.

It knows the rules only as a :class:`~qsage_validate.games.protocol.TwoPlayerGame` and the formula
only as decoded boards, moves and indicator values; a difference becomes a
:class:`~qsage_validate.validation.finding.Finding`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from qsage_validate.encodings.layout import Layout
from qsage_validate.errors import AmbiguousMoveError, MalformedMoveError, UsageError
from qsage_validate.games.protocol import (
    Move,
    Outcome,
    Player,
    Position,
    TwoPlayerGame,
)
from qsage_validate.strategies.reader import (
    Atoms,
    BoardReading,
    LayoutMove,
    Legality,
    StrategyAnswer,
)
from qsage_validate.validation.fit import check_fit

if TYPE_CHECKING:
    from qsage_validate.validation.differences import RefereeFindings
    from qsage_validate.validation.finding import Finding


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

    @cached_property
    def said(self) -> RefereeFindings:
        """Says what was found, in findings."""
        from qsage_validate.validation.differences import RefereeFindings

        return RefereeFindings(self.layout, self._name)

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
        wrong = self.differences(position, reading)
        if not wrong:
            return None
        drawn = self.drawn(position, reading).board
        return self.said.position(position, reading, wrong, drawn, plies, moves)

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
        return self.said.answer(player, answer, illegality, moves)

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
        for wrong, accepts in ((wrong_yes, True), (wrong_no, False)):
            if wrong:
                known = self.move(wrong[0], player)
                fault = None if known is None else position.illegality(known)
                found = self.said.legality(position, wrong, fault, verdicts, moves, accepts=accepts)
                findings.append(found)
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

    # -- the end ----------------------------------------------------------------------------

    def end(
        self, outcome: Outcome, promised: Player, plies: int, moves: tuple[str, ...]
    ) -> Finding | None:
        """A finding if the play did not end with the win that the certificate promised."""
        if outcome.winner is promised:
            return None
        return self.said.end(outcome, promised, plies, moves)
