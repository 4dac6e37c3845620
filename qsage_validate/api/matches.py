"""A play against a strategy, move by move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from os import PathLike, fspath

from qsage_validate.api.games import Board
from qsage_validate.arena.frame import Frame, MatchMove, WhyNot
from qsage_validate.formats.source import Source
from qsage_validate.play import match
from qsage_validate.play.export import export_svg, write_play
from qsage_validate.play.transcript import Transcript


class Match(match.PlayMatch):
    """A play against a strategy, with its history; you play the other side.

    ``push("occupy(1,1)")`` plays a move and has it answered; ``board``, ``findings``, ``outcome``
    and ``legal_moves()`` tell where the play stands; ``undo()`` takes back your move with its
    answer, ``transcript()`` is the play as text.  Iterating gives the frames, from the start on:
    each has ``ply``, ``player``, ``move`` and ``board``.
    """

    @property
    def board(self) -> Board | None:
        """The board now, as the formula has it; ``None`` in a play without a layout."""
        board = super().board
        return None if board is None else Board.of(board)

    def __iter__(self) -> Iterator[Frame]:
        for frame in self.frames:
            board = frame.board
            yield frame if board is None else replace(frame, board=Board.of(board))

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves of both sides so far, as text."""
        return tuple(str(frame.move) for frame in self.frames if frame.move is not None)

    @property
    def result(self) -> str | None:
        """The end of the play in a sentence; ``None`` while it goes on."""
        return None if self.outcome is None else self.outcome.text

    def legal_moves(self) -> Sequence[MatchMove]:
        """Your legal moves now; ``str(move)`` is what ``push`` takes."""
        return super().legal_moves()

    def why_not(self, move: MatchMove | str) -> WhyNot | None:
        """Why a move is illegal now, or ``None`` where it is legal.

        ``str`` of the answer is the explanation: the rule that fails, and the formula's gate.
        """
        return super().why_not(self.parse_move(move) if isinstance(move, str) else move)

    def svg(self) -> str:
        """The boards of the whole play in one SVG drawing; ``UsageError`` where there are none."""
        return export_svg(self)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the play to a ``.txt``, ``.json`` or ``.svg`` file, all of it or nothing."""
        write_play(self, fspath(path))

    def replay(self, path: str | PathLike[str]) -> None:
        """Play what :meth:`save` has written to a ``.txt`` or ``.json`` file, in this play's place.

        Raises ``InputError``, with the line, for what does not fit: another side, an illegal move
        that is not marked as let happen, another answer of the certificate.  The play is then as it
        was before.
        """
        source = Source.open(fspath(path))
        self.load(Transcript.parse(source.text, source.path))

    def __repr__(self) -> str:
        stands = self.result or f"{self.mover} to move"
        return f"<Match {self.facts.title}: {len(self.moves)} moves, {stands}>"

    def _repr_svg_(self) -> str | None:
        return None if self.board is None else self.svg()
