"""A play against a strategy, move by move, and as a bot of OpenSpiel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from os import PathLike, fspath
from typing import Any

from qsage_validate.api.games import Board
from qsage_validate.api.openspiel import PLAYERS, pyspiel
from qsage_validate.arena.frame import Frame, MatchMove, WhyNot
from qsage_validate.errors import UsageError, counted
from qsage_validate.formats.source import Source
from qsage_validate.games.protocol import Player
from qsage_validate.play import match
from qsage_validate.play.export import export_svg, write_play
from qsage_validate.play.transcript import Transcript, play_transcript, transcript_of
from qsage_validate.problems.load import Problem
from qsage_validate.registry import declared
from qsage_validate.registry import load as load_place

# A play against a strategy, move by move


@dataclass(frozen=True)
class DeclaredBoard:
    """Who shows the board of a :class:`Match` in a notebook; the place is loaded then."""

    place: str


class Match(match.PlayMatch):
    """A play against a strategy, with its history; you play the other side.

    ``push("occupy(1,1)")`` plays a move and has it answered; ``board``, ``findings``, ``outcome``
    and ``legal_moves()`` tell where the play stands; ``undo()`` takes back your move with its
    answer, ``transcript()`` is the play as text.  Iterating gives the frames, from the start on:
    each has ``ply``, ``player``, ``move`` and ``board``.
    """

    problem: Problem | None = None
    """The files of the play, where a certificate answers."""

    @property
    def board(self) -> Board | None:
        """The board now, as the formula has it; ``None`` in a play without a layout.

        ``match.board()`` is one that can be clicked in a notebook (extra ``notebook``).
        """
        board = super().board
        return None if board is None else Board.of(board, self._clickable)

    def _clickable(self) -> Any:
        found = next(iter(declared("boards", DeclaredBoard)), None)
        if found is None:
            raise UsageError("found board(), expected an installed package with boards to click")
        return load_place(found.place)(self)

    @property
    def pushed(self) -> tuple[str, ...]:
        """Your moves so far, as text: what :meth:`push` was given."""
        return tuple(
            str(f.move) for f in self.frames if f.move is not None and f.player is self.person
        )

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

    def transcript(self) -> Transcript:
        """The play so far, and what else was tried as its variations; ``str`` is its text."""
        return transcript_of(self)

    def load(self, transcript: Transcript) -> None:
        """Replay a transcript in this play's place; errors as :meth:`replay` has them."""
        play_transcript(self, transcript)

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
        moves = counted(len(self.moves), "move")
        return f"<Match {self.facts.title}: {moves}, {stands}>"

    def _repr_svg_(self) -> str | None:
        return None if self.board is None else self.svg()


# A strategy as a bot of OpenSpiel


def spiel_bot(match: Match, player: Player) -> Any:
    """A ``pyspiel.Bot`` that answers as the strategy of a play does, for ``player``.

    It plays states whose actions have the texts of our moves.  Its ``step`` raises ``UsageError``
    for another state, and for one that the strategy does not lead to.
    """
    return _bot_class()(match, player)


@cache
def _bot_class() -> Any:
    spiel = pyspiel()

    class SpielBot(spiel.Bot):  # type: ignore[misc,name-defined]
        """A strategy; what it has answered once is kept."""

        def __init__(self, match: Match, player: Player) -> None:
            super().__init__()
            self._match = match
            self._player = PLAYERS.index(player)

        def player_id(self) -> int:
            return self._player

        def provides_policy(self) -> bool:
            return True

        def restart_at(self, state: Any) -> None:
            """Nothing to do: each step looks at the whole play."""

        def inform_action(self, state: Any, player: int, action: int) -> None:
            """Nothing to do: each step looks at the whole play."""

        def step(self, state: Any) -> int:
            reply = self._reply(_texts_of(state))
            texts = {state.action_to_string(self._player, a): a for a in state.legal_actions()}
            if reply not in texts:
                raise UsageError(f"found no action {reply} in the state, which the strategy plays")
            return int(texts[reply])

        def step_with_policy(self, state: Any) -> tuple[list[tuple[int, float]], int]:
            action = self.step(state)
            return [(each, float(each == action)) for each in state.legal_actions()], action

        def _reply(self, made: list[tuple[int, str]]) -> str:
            match = self._match
            match.restart()
            for number, (player, text) in enumerate(made):
                if player != self._player:
                    match.push(text)
                elif match.moves[number : number + 1] != (text,):
                    shown = " ".join(text for _, text in made)
                    raise UsageError(f"found the play {shown}, expected one against this strategy")
            if len(match.moves) <= len(made):
                raise UsageError("found a state in which the strategy makes no move")
            return match.moves[len(made)]

    return SpielBot


def _texts_of(state: Any) -> list[tuple[int, str]]:
    """The moves that led to a state, each with its player."""
    walked, found = state.get_game().new_initial_state(), list[tuple[int, str]]()
    for action in state.history():
        player = walked.current_player()
        found.append((player, walked.action_to_string(player, action)))
        walked.apply_action(action)
    return found
