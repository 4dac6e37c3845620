"""The referee: what the formula says of a play, compared with the game's rules at every step.

It knows the rules only as a :class:`~qsage_validate.games.protocol.Game` and the formula only
as boards, moves and indicator values that somebody decoded; a difference becomes a
:class:`~qsage_validate.validation.finding.Finding`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from qsage_validate.encodings.layout.layout import Layout
from qsage_validate.errors import AmbiguousMoveError, MalformedMoveError
from qsage_validate.games.protocol import Board, Game, Move, Outcome, Player, Position, Square
from qsage_validate.strategies.readings import Answer, Atoms, LayoutMove, Legality
from qsage_validate.validation.finding import Evidence, Finding, FindingKind
from qsage_validate.validation.fit import check_fit

# At most so many moves are named in one finding about legality.
_NAMED_MOVES = 6


class Referee:
    """Compares the steps of plays with a game's rules.

    ``name`` gives the file's name of a variable or gate.
    """

    def __init__(self, game: Game, layout: Layout, name: Callable[[int], str] = str) -> None:
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

    def evidence(self, literal: int, value: bool | None, meaning: str) -> Evidence:
        """A literal of the formula with its value, as a part of a finding."""
        sign = "-" if literal < 0 else ""
        return Evidence(literal, sign + self._name(abs(literal)), value, meaning)

    # -- the board --------------------------------------------------------------------------

    def board(
        self, position: Position, board: Board, plies: int, moves: tuple[str, ...]
    ) -> Finding | None:
        """Whether the decoded board after ``plies`` plies is the rules' board."""
        expected = position.board
        squares = tuple(expected.differences(board))
        if not squares:
            return None
        first = squares[0]
        shown = ", ".join(
            f"({x},{y}) is {_content(board[x, y])} in the formula and "
            f"{_content(expected[x, y])} by the rules"
            for x, y in squares[:_NAMED_MOVES]
        )
        return Finding(
            FindingKind.BOARD_DIFFERS,
            plies,
            shown,
            player=position.to_move.other if plies else None,
            move=moves[-1] if moves else None,
            squares=squares,
            evidence=self._state_evidence(board, first, plies),
            rule=f"the rules' board is {expected}",
            moves=moves,
        )

    def _state_evidence(
        self, board: Board, square: tuple[int, int], plies: int
    ) -> tuple[Evidence, ...]:
        code = self.layout.state.code
        assert code is not None, "the board was read from state variables"
        first, second = self.layout.state.states[plies]
        is_open, is_white = code.encode(board[square])
        names = self.layout.state.kinds
        place = f"of state {plies} at ({square[0]},{square[1]})"
        found = [self.evidence(first, is_open, f"{names[0]} {place}")]
        if is_white is not None:
            found.append(self.evidence(second, is_white, f"{names[1]} {place}"))
        return tuple(found)

    def wrong_atoms(self, position: Position, atoms: Atoms) -> list[str]:
        """The atoms, of those that the formula has, that the rules see differently; sorted."""
        differ = (self.game.atoms(position) & atoms.known) ^ atoms.true
        state = self.layout.state
        return sorted(atom for atom in differ if state.wrong(atom, atom in atoms.true))

    def atoms(
        self, position: Position, atoms: Atoms, plies: int, moves: tuple[str, ...]
    ) -> Finding | None:
        """Whether the formula's atoms after ``plies`` plies are those of the rules."""
        wrong = self.wrong_atoms(position, atoms)
        if not wrong:
            return None
        shown = ", ".join(
            f"'{atom}' is {str(atom in atoms.true).lower()} in the formula and "
            f"{str(atom not in atoms.true).lower()} by the rules"
            for atom in wrong[:_NAMED_MOVES]
        )
        more = f" and {len(wrong) - _NAMED_MOVES} more" if len(wrong) > _NAMED_MOVES else ""
        board = position.board
        squares: tuple[tuple[int, int], ...] = ()
        if board.squares:
            other = self.game.board_of(atoms.true | (self.game.atoms(position) - atoms.known))
            squares = tuple(board.differences(other))
        return Finding(
            FindingKind.BOARD_DIFFERS,
            plies,
            f"{shown}{more}",
            player=position.to_move.other if plies else None,
            move=moves[-1] if moves else None,
            squares=squares,
            evidence=tuple(self._atom_evidence(wrong[0], plies, atoms)),
            rule=f"the rules' position is {position}",
            moves=moves,
        )

    def _atom_evidence(self, atom: str, plies: int, atoms: Atoms) -> Iterator[Evidence]:
        state = self.layout.state
        for kind, literal in zip(state.kinds, state.states[plies], strict=True):
            if literal and (atom == kind or (state.position and atom.startswith(f"{kind} "))):
                yield self.evidence(literal, atom in atoms.true, f"{atom}, state {plies}")

    # -- moves ------------------------------------------------------------------------------

    def answer(self, position: Position, answer: Answer, moves: tuple[str, ...]) -> Finding | None:
        """Whether the certificate's move is legal; ``moves`` are those before it."""
        if answer.move is None:
            return None  # Unreadable with or without rules: see ``unreadable``.
        player = position.to_move
        move = self.move(answer.move, player)
        illegality = None if move is None else position.illegality(move)
        if move is not None and illegality is None:
            return None
        text = f"{answer.move}: no move of {player}" if illegality is None else illegality.text
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
        """Whether the formula accepts exactly the legal moves of the player to move."""
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
        """Whether the rules allow ``move``; also asked when nobody can move any more."""
        return position.outcome is None and position.illegality(move) is None

    def unsaid(self, position: Position, sayable: Collection[str]) -> list[str]:
        """The legal moves of the player to move that are not among those that can be said.

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
            reason = f"{first}: no move of {player}" if illegality is None else illegality.text
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

    # -- the end ----------------------------------------------------------------------------

    def end(
        self, outcome: Outcome, promised: Player, plies: int, moves: tuple[str, ...]
    ) -> Finding | None:
        """Whether the play ended with the win that the certificate promised."""
        if outcome.winner is promised:
            return None
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
    answer: Answer, player: Player, referee_evidence: tuple[Evidence, ...], moves: tuple[str, ...]
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
