"""Iterative deepening that asks for Black's win and for White's block in turn.

Section 4 of Boucher and Villemaire 2025: for odd ``k`` whether Black wins within ``k`` plies (COR+
or COVER), for even ``k`` whether White has a pairing after ``k`` plies (PAIRING).  The first that
is so ends the search: the shape is a winner, or a loser, on this board.  White's block may also
be found by search, and so may Black's win, which are independent answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.prepared import pairing_clauses, require_pairing_game
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import UndecidedError, UsageError, one_line
from qsage_validate.formats.json_text import Json
from qsage_validate.formats.source import Path, quoted
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.positional.rules import PositionalGame
from qsage_validate.games.protocol import Player, plies_text
from qsage_validate.solvers.deepening import SEARCH, AnswerFile, DepthAnswer, Fields
from qsage_validate.solvers.maker_maker import BlockingSearch
from qsage_validate.solvers.qbf_solving import Solved
from qsage_validate.solvers.search import search_for
from qsage_validate.solvers.search_engine import time_over
from qsage_validate.system.limits import NEVER, Deadline, Limits, Progress, Tell, nobody, now

BLACK, WHITE = Player.BLACK, Player.WHITE

_FORMAT: Final = "qsage alternation 1"


@dataclass(frozen=True, slots=True)
class DepthTurn(DepthAnswer):
    """An answer for one player: whether that player's strategy of so many plies is there.

    For Black ``truth`` says that Black wins within the plies, for White that White blocks within
    them.  ``conclusive`` says that "no" is an answer about the rules, too.
    """

    player: Player = BLACK
    conclusive: bool = False


Ask = Callable[[PositionalModel, Deadline], DepthTurn]
"""Asks for a number of plies: the model with so many, and when to give up."""

Solve = Callable[[Qbf, Deadline], Solved]
"""Decides a formula, or gives up at the deadline."""


@dataclass(frozen=True, slots=True)
class Alternated:
    """The result of asking both players by turns.

    ``plies`` are those within which the winner's strategy has won, or has its pairing; ``winner``
    and ``plies`` are ``None`` where neither was found.  ``turns`` are the answers that it rests
    on, ``why`` is a sentence for a message.
    """

    model: PositionalModel
    winner: Player | None
    plies: int | None
    why: str
    turns: tuple[DepthTurn, ...]

    @property
    def first_move(self) -> str:
        """A winning first move of Black's; empty when none is known."""
        moves = (t.first_move for t in self.turns if t.player is BLACK and t.truth)
        return next(moves, "")


def alternate(
    model: PositionalModel,
    ask_black: Ask,
    ask_white: Ask,
    *,
    last: int | None = None,
    deadline: Deadline = NEVER,
    file: AlternationFile | None = None,
    tell: Tell = nobody,
) -> Alternated:
    """Ask for White at 0, 2, 4, … plies and for Black at 1, 3, 5, …, until one has a strategy.

    ``last`` is the greatest number of plies, at most the open positions' number; ``deadline`` is
    for all; a question that was not answered stays open and the next one is asked.  Questions that
    ``file`` answers are not asked again, and each new answer is added to it.  ``tell`` hears what
    is about to be asked.  Raises ``UsageError`` for games that PAIRING has no words for.
    """
    most = model.open.bit_count()
    require_pairing_game(model.at_depth(most))
    turns = [] if file is None else list(file.entries)
    known = {(t.player, t.plies) for t in turns}
    found = _conclude(model, turns, most)
    if found is not None:
        return found
    open_questions: list[str] = []
    for plies in range((most if last is None else min(last, most)) + 1):
        player, ask = (BLACK, ask_black) if plies % 2 else (WHITE, ask_white)
        if (player, plies) in known:
            continue
        if deadline.over:
            return _undecided(model, turns, time_over(deadline.seconds))
        what = "wins" if player is BLACK else "blocks"
        tell(Progress(f"{player} {what} within {plies}?", done=plies))
        turn = ask(model.at_depth(plies), deadline)
        turns.append(turn)
        if turn.truth is None:
            open_questions.append(f"{player} at {plies}: {turn.why}")
        elif file is not None:
            file.add(turn)
        found = _conclude(model, turns, most)
        if found is not None:
            return found
    if open_questions:
        return _undecided(model, turns, open_questions[0])
    return _undecided(model, turns, "neither has such a strategy in the plies that were asked for")


def _conclude(model: PositionalModel, turns: Sequence[DepthTurn], most: int) -> Alternated | None:
    for turn in turns:
        if turn.truth:
            what = "wins" if turn.player is BLACK else "blocks"
            why = f"{turn.player} {what} within {plies_text(turn.plies)} ({turn.said_by})"
            return Alternated(model, turn.player, turn.plies, why, tuple(turns))
        # The last ply of a full board that Black makes.
        whole = turn.player is BLACK and turn.plies >= most - (most + 1) % 2
        if turn.truth is False and turn.conclusive and whole:
            why = f"{WHITE} holds out until the board is full ({turn.said_by})"
            return Alternated(model, WHITE, most, why, tuple(turns))
    return None


def _undecided(model: PositionalModel, turns: Sequence[DepthTurn], why: str) -> Alternated:
    return Alternated(model, None, None, f"undecided: {why}", tuple(turns))


# --- Who is asked ---------------------------------------------------------------------------


def black_by_formulas(encoding: str, solve: Solve) -> Ask:
    """Asks for Black's win by a formula of an encoding (``cor-lean``, ``cover``, ``ea``, …)."""

    def ask(model: PositionalModel, deadline: Deadline) -> DepthTurn:
        encoded = encode(model, encoding)
        if True not in encoded.layout.conclusive:
            raise UsageError(
                f"found the encoding {encoding}, expected one whose truth is a win of Black's"
            )
        solved = solve(encoded.qbf, deadline)
        move = ""
        if solved.truth and solved.outer is not None and encoded.layout.moves:
            move = encoded.layout.moves[0].coding.decode(solved.outer)[0] or ""
        return _turn(model, encoding, solved, BLACK, move, False in encoded.layout.conclusive)

    return ask


def black_by_search() -> Ask:
    """Asks for the same by search on the rules."""

    def ask(model: PositionalModel, deadline: Deadline) -> DepthTurn:
        found = search_for(PositionalGame(model), limits=Limits(deadline)).solve()
        truth = None if found.winner is None else found.winner is BLACK
        move = str(found.first_moves[0]) if truth and found.first_moves else ""
        plies, seconds = len(model.turns), found.seconds
        return DepthTurn(plies, truth, SEARCH, seconds, found.reason, move, conclusive=True)

    return ask


def white_by_formulas(solve: Solve) -> Ask:
    """Asks for White's block by PAIRING, in clauses in which White is existential."""

    def ask(model: PositionalModel, deadline: Deadline) -> DepthTurn:
        return _turn(model, "pairing", solve(pairing_clauses(model), deadline), WHITE)

    return ask


def _turn(
    model: PositionalModel,
    encoding: str,
    solved: Solved,
    player: Player,
    move: str = "",
    conclusive: bool = False,
) -> DepthTurn:
    by, why, plies = f"{encoding}, {solved.by}", f"{solved.by}: {solved.why}", len(model.turns)
    return DepthTurn(plies, solved.truth, by, solved.seconds, why, move, player, conclusive)


def white_by_search(search: BlockingSearch) -> Ask:
    """Asks for the same by search on the rules, which keeps what it has found out."""

    def ask(model: PositionalModel, deadline: Deadline) -> DepthTurn:
        started = now()
        plies = len(model.turns)
        truth: bool | None = None
        why = ""
        try:
            truth = search.blocks(plies, deadline)
        except UndecidedError as error:
            why = str(error)
        return DepthTurn(plies, truth, "pairs by search", now() - started, why, player=WHITE)

    return ask


# --- What is known, in a file ---------------------------------------------------------------


class AlternationFile(AnswerFile[DepthTurn]):
    """The answers of both players in a file.

    ``encoding`` is how Black's win is asked for (``search`` for a search): "no" does not mean the
    same in all of them.
    """

    required: ClassVar[Fields] = {
        "player": lambda value: Player(value.one_of(*(player.value for player in Player))),
        "plies": Json.integer,
        "truth": Json.boolean,
        "conclusive": Json.boolean,
        "by": Json.line,
        "seconds": Json.number,
        "first_move": Json.line,
    }

    kind = DepthTurn

    def __init__(self, file: Path, model: PositionalModel, encoding: str) -> None:
        model_text = replace(model, turns=model.turns[:1]).fingerprint()
        head = {"format": _FORMAT, "game": model.name, "model": model_text, "encoding": encoding}
        self._model = model
        super().__init__(file, head)

    def check(self, read: DepthTurn, place: Json) -> None:
        if read.first_move and read.first_move not in self._model.positions:
            found = f"the first move {quoted(one_line(read.first_move))}"
            raise place["first_move"].error(found, "a position of the game")

    def to_dict(self, entry: DepthTurn) -> dict[str, Any]:
        return super().to_dict(entry) | {"player": entry.player.value}

    def contradiction(self, entries: list[DepthTurn]) -> str | None:
        winners = {turn.player for turn in entries if turn.truth}
        return "a win of Black's and a block" if len(winners) > 1 else None
