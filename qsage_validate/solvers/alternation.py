"""Iterative deepening that asks for Black's win and for White's block in turn.

Section 4 of Boucher and Villemaire 2025: for odd ``k`` whether Black wins within ``k`` plies (COR+
or COVER), for even ``k`` whether White has a pairing after ``k`` plies (PAIRING).  The first that
is so ends the search: the shape is a winner, or a loser, on this board.  White's block may also
be found by search, and so may Black's win, which are independent answers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from os import fspath, path
from time import monotonic
from typing import Any, Final

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.encoding import encode
from qsage_validate.encodings.positional.pairing import pairing_clauses, require_pairing_game
from qsage_validate.errors import InputError, UndecidedError, UsageError
from qsage_validate.formats.source import Path, Source, write_atomic
from qsage_validate.games.positional.model import PositionalModel, at_plies
from qsage_validate.games.positional.rules import PositionalGame
from qsage_validate.games.protocol import Player
from qsage_validate.solvers.blocking import BlockingSearch
from qsage_validate.solvers.deepening import SEARCH
from qsage_validate.solvers.deepening_state import Answer, fingerprint
from qsage_validate.solvers.search import Limits, Solver
from qsage_validate.solvers.solving import Solved

BLACK, WHITE = Player.BLACK, Player.WHITE

_FORMAT: Final = "qsage alternation 1"


@dataclass(frozen=True, slots=True)
class Turn:
    """An answer for one player: whether that player's strategy of so many plies is there.

    For Black ``answer.truth`` says that Black wins within the plies, for White that White blocks
    within them.  ``conclusive`` says that "no" is an answer about the rules, too.
    """

    player: Player
    answer: Answer
    conclusive: bool = False


Ask = Callable[[PositionalModel, float | None], Turn]
"""Asks for a number of plies: the model with so many, and the seconds that are left."""

Solve = Callable[[Qbf, float | None], Solved]
"""Decides a formula within some seconds."""


@dataclass(frozen=True, slots=True)
class Alternated:
    """What came of it.

    ``plies`` are those within which the winner's strategy has won, or has its pairing; ``winner``
    and ``plies`` are ``None`` where neither was found.  ``turns`` are the answers that it rests
    on, ``why`` is a sentence for people.
    """

    model: PositionalModel
    winner: Player | None
    plies: int | None
    why: str
    turns: tuple[Turn, ...]

    @property
    def first_move(self) -> str:
        """A winning first move of Black's; empty when none is known."""
        moves = (t.answer.first_move for t in self.turns if t.player is BLACK and t.answer.truth)
        return next(moves, "")


def alternate(
    model: PositionalModel,
    ask_black: Ask,
    ask_white: Ask,
    *,
    last: int | None = None,
    seconds: float | None = None,
    formula_seconds: float | None = None,
    file: AlternationFile | None = None,
    say: Callable[[Player, int], None] | None = None,
) -> Alternated:
    """Ask for White at 0, 2, 4, … plies and for Black at 1, 3, 5, …, until one has a strategy.

    ``last`` is the greatest number of plies, at most the open positions' number; ``seconds``
    the time for all, ``formula_seconds`` for each question; one that takes longer stays open and
    the next one is asked.  What ``file`` knows is not asked again, and what is answered is added
    to it.  ``say`` hears what is about to be asked.  Raises ``UsageError`` for games that PAIRING
    has no words for.
    """
    most = model.open.bit_count()
    require_pairing_game(at_plies(model, most))
    deadline = None if seconds is None else monotonic() + seconds
    turns = [] if file is None else list(file.turns)
    known = {(t.player, t.answer.plies) for t in turns}
    found = _conclude(model, turns, most)
    if found is not None:
        return found
    open_questions: list[str] = []
    for plies in range((most if last is None else min(last, most)) + 1):
        player, ask = (BLACK, ask_black) if plies % 2 else (WHITE, ask_white)
        if (player, plies) in known:
            continue
        left = None if deadline is None else deadline - monotonic()
        if left is not None and left <= 0:
            return _undecided(model, turns, f"{seconds:g} seconds are over")
        if say is not None:
            say(player, plies)
        limits = [x for x in (left, formula_seconds) if x is not None]
        turn = ask(at_plies(model, plies), min(limits, default=None))
        turns.append(turn)
        if turn.answer.truth is None:
            open_questions.append(f"{player} at {plies}: {turn.answer.why}")
        elif file is not None:
            file.add(turn)
        found = _conclude(model, turns, most)
        if found is not None:
            return found
    if open_questions:
        return _undecided(model, turns, open_questions[0])
    return _undecided(model, turns, "neither has such a strategy in the plies that were asked for")


def _conclude(model: PositionalModel, turns: Sequence[Turn], most: int) -> Alternated | None:
    for turn in turns:
        answer = turn.answer
        if answer.truth:
            what = "wins" if turn.player is BLACK else "blocks"
            why = f"{turn.player} {what} within {_plies(answer.plies)} ({answer.by})"
            return Alternated(model, turn.player, answer.plies, why, tuple(turns))
        # The last ply of a full board that Black makes.
        whole = turn.player is BLACK and answer.plies >= most - (most + 1) % 2
        if answer.truth is False and turn.conclusive and whole:
            why = f"{WHITE} holds out until the board is full ({answer.by})"
            return Alternated(model, WHITE, most, why, tuple(turns))
    return None


def _undecided(model: PositionalModel, turns: Sequence[Turn], why: str) -> Alternated:
    return Alternated(model, None, None, f"undecided: {why}", tuple(turns))


def _plies(number: int) -> str:
    return f"{number} {'ply' if number == 1 else 'plies'}"


# --- Who is asked ---------------------------------------------------------------------------


def black_by_formulas(encoding: str, solve: Solve) -> Ask:
    """Asks for Black's win by a formula of an encoding (``cor+``, ``cover``, ``ea``, …)."""

    def ask(model: PositionalModel, seconds: float | None) -> Turn:
        encoded = encode(model, encoding)
        if True not in encoded.conclusive:
            raise UsageError(
                f"found the encoding {encoding}, expected one whose truth is a win of Black's"
            )
        solved = solve(encoded.qbf, seconds)
        move = ""
        if solved.truth and solved.outer is not None and encoded.layout.moves:
            move = encoded.layout.moves[0].chosen(solved.outer) or ""
        answer = Answer(
            len(model.turns),
            solved.truth,
            f"{encoding}, {solved.by}",
            solved.seconds,
            f"{solved.by}: {solved.why}",
            move,
        )
        return Turn(BLACK, answer, False in encoded.conclusive)

    return ask


def black_by_search() -> Ask:
    """Asks for the same by search on the rules."""

    def ask(model: PositionalModel, seconds: float | None) -> Turn:
        found = Solver(PositionalGame(model), limits=Limits(seconds)).solve()
        truth = None if found.winner is None else found.winner is BLACK
        move = str(found.first_moves[0]) if truth and found.first_moves else ""
        answer = Answer(len(model.turns), truth, SEARCH, found.seconds, found.reason, move)
        return Turn(BLACK, answer, conclusive=True)

    return ask


def white_by_formulas(solve: Solve) -> Ask:
    """Asks for White's block by PAIRING, in clauses in which White is existential."""

    def ask(model: PositionalModel, seconds: float | None) -> Turn:
        solved = solve(pairing_clauses(model), seconds)
        answer = Answer(
            len(model.turns),
            solved.truth,
            f"pairing, {solved.by}",
            solved.seconds,
            f"{solved.by}: {solved.why}",
        )
        return Turn(WHITE, answer)

    return ask


def white_by_search(search: BlockingSearch) -> Ask:
    """Asks for the same by search on the rules, which keeps what it has found out."""

    def ask(model: PositionalModel, seconds: float | None) -> Turn:
        started = monotonic()
        plies = len(model.turns)
        truth: bool | None = None
        why = ""
        try:
            truth = search.blocks(plies, seconds)
        except UndecidedError as error:
            why = str(error)
        return Turn(WHITE, Answer(plies, truth, "pairs by search", monotonic() - started, why))

    return ask


# --- What is known, in a file ---------------------------------------------------------------


class AlternationFile:
    """The answers in a file, from which a later run goes on; each is there at once, or not at all.

    ``encoding`` is how Black's win is asked for (``search`` for a search): "no" does not mean the
    same in all of them.  A file that does not exist yet is begun.  Raises :class:`InputError` for
    one that is no such file, damaged, or about another game or encoding.
    """

    def __init__(self, file: Path, model: PositionalModel, encoding: str) -> None:
        self._file = fspath(file)
        plain = replace(model, turns=model.turns[:1])
        self._head = {
            "format": _FORMAT,
            "game": model.name,
            "model": fingerprint(plain),
            "encoding": encoding,
        }
        self.turns: list[Turn] = []
        if path.exists(self._file):
            self.turns = self._read()
        else:
            self._write()

    def add(self, turn: Turn) -> None:
        """Keep an answer; those that nobody knows are not kept."""
        if turn.answer.truth is not None:
            self.turns.append(turn)
            self._write()

    def _write(self) -> None:
        answers = [
            {
                "player": t.player.value,
                "plies": t.answer.plies,
                "truth": t.answer.truth,
                "conclusive": t.conclusive,
                "by": t.answer.by,
                "seconds": round(t.answer.seconds, 3),
                "first_move": t.answer.first_move,
            }
            for t in self.turns
        ]
        text = json.dumps({**self._head, "answers": answers}, ensure_ascii=False, indent=1)
        write_atomic(self._file, text + "\n")

    def _read(self) -> list[Turn]:
        source = Source.open(self._file)
        try:
            read = json.loads(source.text)
        except json.JSONDecodeError as error:
            raise source.error(error.pos, f"no JSON ({error.msg})", _FORMAT) from None
        if not isinstance(read, dict) or read.get("format") != _FORMAT:
            raise InputError(self._file, None, None, "another file", f"a file of {_FORMAT!r}")
        if read.get("model") != self._head["model"]:
            found = f"answers about another game ({read.get('game')})"
            raise InputError(self._file, None, None, found, self._head["game"])
        if read.get("encoding") != self._head["encoding"]:
            found = f"answers for the encoding {read.get('encoding')}"
            raise InputError(self._file, None, None, found, self._head["encoding"])
        entries = read.get("answers")
        if not isinstance(entries, list):
            raise InputError(self._file, None, None, "no answers", "a list of them")
        turns = [self._turn(entry) for entry in entries]
        winners = {t.player for t in turns if t.answer.truth}
        if len(winners) > 1:
            raise InputError(
                self._file, None, None, "a win of Black's and a block", "answers that agree"
            )
        return turns

    def _turn(self, entry: Any) -> Turn:
        expected = {
            "player": (str,),
            "plies": (int,),
            "truth": (bool,),
            "conclusive": (bool,),
            "by": (str,),
            "seconds": (int, float),
            "first_move": (str,),
        }
        if (
            not isinstance(entry, dict)
            or entry.keys() != expected.keys()
            or not all(type(value) in expected[key] for key, value in entry.items())
            or entry["player"] not in {p.value for p in Player}
            or entry["plies"] < 0
        ):
            found = f"the entry {json.dumps(entry)[:60]}"
            raise InputError(self._file, None, None, found, "player, plies, truth, by and so on")
        answer = Answer(
            entry["plies"],
            entry["truth"],
            entry["by"],
            float(entry["seconds"]),
            first_move=entry["first_move"],
        )
        return Turn(Player(entry["player"]), answer, entry["conclusive"])
