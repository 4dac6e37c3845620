"""Games solved: winners, replies, and solution files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Final

from qsage_validate.api.formulas import Formula, encode, subject_of
from qsage_validate.api.games import Game, game_of
from qsage_validate.api.matches import Match
from qsage_validate.api.values import (
    FileSource,
    as_paths,
    html_table,
    of_kind,
    parameter_words,
    shown,
)
from qsage_validate.errors import MissingExtraError, UndecidedError, UsageError, counted
from qsage_validate.games.protocol import Player
from qsage_validate.solutions import check as checking
from qsage_validate.solutions import walk
from qsage_validate.system.limits import Deadline, Limits, Progress, Stopwatch, Tell, nobody

if TYPE_CHECKING:
    from qsage_validate.circuit.qbf import Qbf
    from qsage_validate.encodings.layout import Layout
    from qsage_validate.solvers.qbf_solving import Solved


# The winner of a game, and the value of a formula


FOR_SOLVERS: Final[Mapping[str, str]] = {"gdl": "gdl-gd"}
"""The encodings that solvers like, by language where it is not the first.

They like atoms as early as they can stand (Table 2 of the GDL paper).
"""


@dataclass(frozen=True)
class Result:
    """The answer about a game or a formula.

    ``winner`` is ``None`` where a limit came first, and where the formula is no encoding that is
    known.  ``truth`` is the value of the formula, which says whether Black wins.  ``plies`` is the
    critical depth, the fewest plies within which Black wins, where a search has found it.
    ``first_moves`` are winning first moves of the winner: one, or all where they were asked for.
    ``by`` names who answered, ``seconds`` is wall time.
    """

    truth: bool | None
    winner: Player | None
    reason: str
    plies: int | None
    first_moves: tuple[str, ...]
    by: str
    seconds: float

    def to_dict(self) -> dict[str, object]:
        """The fields, as JSON has them."""
        return {
            "truth": self.truth,
            "winner": None if self.winner is None else self.winner.value,
            "reason": self.reason,
            "plies": self.plies,
            "first_moves": list(self.first_moves),
            "by": self.by,
            "seconds": self.seconds,
        }

    def __repr__(self) -> str:
        value = {True: "true", False: "false", None: "undecided"}[self.truth]
        winner = "" if self.winner is None else f", {self.winner} wins"
        return f"<Result {value}{winner}, by {self.by} in {self.seconds:.2f} s>"

    def _repr_html_(self) -> str:
        return html_table(["", ""], self.to_dict().items())


@parameter_words
def solve(
    subject: Game | Formula | str,
    *,
    solver: str | None = None,
    all_first_moves: bool = False,
    timeout: float | None = None,
    memory: int | None = None,
    tell: Tell = nobody,
    **parameters: object,
) -> Result:
    """Find the winner of a game within its depth, or the value of a formula.

    A game may be given by its name and ``parameters``, as :func:`game` takes them, and both by a
    file: ``solve("hex", size=3)``, ``solve("f.qcir")``, ``solve("sample:hex")``.
    A game is searched on its rules.  With ``solver`` a game's first encoding, and a formula always,
    is given to a QBF solver (``qsage info --solvers`` lists them), after Bloqqer where that is
    there.  ``timeout`` is in seconds of wall time, ``memory`` in megabytes; a limit makes the
    result undecided.  Raises ``UsageError`` for a solver that is not known, and
    ``MissingExtraError`` where no solver is installed.
    """
    limits = Limits(Deadline.after(timeout), memory)
    subject = subject_of(subject, parameters)
    if isinstance(subject, Game) and solver in (None, "search"):
        return _searched(subject, limits, all_first_moves, tell)
    if isinstance(subject, Game):
        subject = encode(subject, FOR_SOLVERS.get(subject.language))
    return _solved(subject, solver, limits, tell)


def _searched(game: Game, limits: Limits, all_first_moves: bool, tell: Tell) -> Result:
    from qsage_validate.solvers.search import search_for

    found = search_for(game.rules, limits=limits, tell=tell).solve(all_first_moves=all_first_moves)
    plies = found.critical_plies
    return Result(
        truth=None if found.winner is None else found.winner is Player.BLACK,
        winner=found.winner,
        reason=found.reason,
        plies=None if plies is None else game.rules.count(plies),
        first_moves=tuple(map(str, found.first_moves)),
        by="search",
        seconds=found.seconds,
    )


def _solved(formula: Formula, solver: str | None, limits: Limits, tell: Tell) -> Result:
    from qsage_validate.encodings.layout import inconclusive

    solved = ask_solvers(formula.qbf, limits, solver=solver, tell=tell)
    truth, layout = solved.truth, formula.layout
    winner, reason, moves = None, solved.why, []
    # A layout is a claim of the file's: who wins follows from an encoding alone.
    if truth is not None and formula.encoding is not None:
        why_not = inconclusive(layout, truth)
        reason = why_not or reason
        if why_not is None:
            winner = Player.BLACK if truth else Player.WHITE
            moves = [move for move in [first_move(layout, solved.outer, winner)] if move]
    return Result(truth, winner, reason, None, tuple(moves), solved.by, solved.seconds)


def ask_solvers(
    formula: Qbf,
    limits: Limits,
    *,
    solver: str | None = None,
    preprocessor: str | None = None,
    portfolio: bool = False,
    tell: Tell = nobody,
) -> Solved:
    """Decide a formula by a QBF solver, by default the first one that is installed.

    ``preprocessor`` names what it goes through first, or is ``none``; by default it is Bloqqer,
    where that is there and the solver takes clauses; then and without a limit of time, Bloqqer is
    given up after some seconds.
    A ``portfolio`` has as many solvers as there are processors, or two.  Where no solver is
    installed, and none is asked for, a small formula is decided by expansion, as by
    ``qsage certify``; its certificate is checked.

    Raises ``UsageError`` for a solver that is not known or takes no clauses from a preprocessor,
    ``SolverMissingError`` and ``MissingExtraError``.
    """
    from qsage_validate.solvers.backend import Missing, SolverFormat
    from qsage_validate.solvers.backends import BLOQQER, get_backend, preprocessor_named
    from qsage_validate.solvers.qbf_solving import PATIENCE, available, solve_formula

    first = None if preprocessor is None else preprocessor_named(preprocessor)
    if solver is not None:
        contenders = [get_backend(solver)]
    else:
        most = max(2, os.cpu_count() or 1) if portfolio else 1
        try:
            contenders = available(circuit=first is None)[:most]
        except MissingExtraError:
            if first is not None or portfolio:
                raise
            expanded = _expanded(formula, limits, tell)
            if expanded is None:
                raise
            return expanded
    takes_clauses = any(SolverFormat.QDIMACS in backend.accepts for backend in contenders)
    if first is not None and not takes_clauses:
        raise UsageError(
            f"found --preprocess {first.name} with {contenders[0].name}, which takes circuits only"
        )
    patience = inf
    if preprocessor is None and takes_clauses and not isinstance(BLOQQER.availability(), Missing):
        patience = PATIENCE if limits.deadline.at == inf else inf
        first = BLOQQER
    names = ", ".join(backend.name for backend in contenders)
    tell(Progress(f"solving with {names}{f' after {first.title}' if first else ''}"))
    return solve_formula(formula, contenders, limits, preprocessor=first, patience=patience)


# Seconds for the expansion of a formula where no solver is installed.
_EXPANDING: Final = 10.0


def _expanded(formula: Qbf, limits: Limits, tell: Tell) -> Solved | None:
    """The value of a formula by expansion; ``None`` where that takes more than some seconds."""
    from qsage_validate.certificates.routes import EXPANSION, RouteOptions, certify_formula
    from qsage_validate.solvers.backend import SolverStatus
    from qsage_validate.solvers.qbf_solving import Solved

    watch, soon = Stopwatch(), replace(limits, deadline=limits.deadline.sooner(_EXPANDING))
    try:
        made = certify_formula(formula, RouteOptions(EXPANSION, limits=soon), tell=tell)
    except UndecidedError:
        return None
    status = SolverStatus.TRUE if made.truth else SolverStatus.FALSE
    return Solved(status, "", EXPANSION, "", None, watch.seconds, 0.0, watch.seconds, 0.0)


def first_move(layout: Layout | None, outer: Mapping[int, bool] | None, winner: Player) -> str:
    """The move of ply 1 as text; empty where it is the loser's, or is not known."""
    if layout is None or outer is None or not layout.moves:
        return ""
    ply = layout.moves[0]
    if ply.player is not winner or not all(abs(v) in outer for v in ply.variables):
        return ""
    return ply.coding.decode(outer)[0] or ""


# Solution files: found by a search, proved by a walk, played


@dataclass(frozen=True)
class SolutionReport:
    """The result of a walk through all plays of a solution.

    ``text`` is the verdict in a sentence, ``hypotheses`` what a proof rests on.  ``play`` has the
    moves of a play that breaks the claim; none where it is proved.  ``positions`` were met,
    ``longest`` is the number of plies of the longest play, ``seconds`` are of wall time.
    """

    proved: bool
    text: str
    hypotheses: str
    positions: int
    longest: int
    play: tuple[str, ...]
    seconds: float
    fields: Mapping[str, object] = field(repr=False)

    def to_dict(self) -> dict[str, object]:
        """The fields of ``qsage validate --solution --json``."""
        return dict(self.fields)

    def __repr__(self) -> str:
        return f"<SolutionReport {self.text}>"

    def _repr_html_(self) -> str:
        return html_table(["", ""], self.fields.items())


@dataclass(frozen=True)
class Solution:
    """The winner's reply in each position that the winner meets, of a game at a depth.

    It is a claim until :meth:`validate` has proved it.
    """

    solution: walk.SolutionClaim = field(repr=False)

    @property
    def game(self) -> Game:
        """The game that is solved."""
        return Game(self.solution.model)

    @property
    def winner(self) -> Player:
        """The player whose replies these are; White's say that Black does not win in time."""
        return self.solution.winner

    @property
    def plies(self) -> int:
        """The number of plies within which Black wins or does not win."""
        return self.solution.game.plies

    @property
    def positions(self) -> int:
        """The number of positions that have a reply."""
        return self.solution.positions

    @property
    def replies(self) -> Mapping[int, Mapping[str, str]]:
        """For each ply of the winner's, from 1, the positions with the replies, as text."""
        return self.solution.replies

    def validate(self, *, timeout: float | None = None, tell: Tell = nobody) -> SolutionReport:
        """Walk through all plays, by the rules: every move of the loser against the replies.

        ``timeout`` is in seconds of wall time.  Raises ``UndecidedError`` when it is over, and
        ``InputError`` for replies that are no moves of the game.
        """
        found = checking.check(self.solution, deadline=Deadline.after(timeout), tell=tell)
        walked = found.walked
        return SolutionReport(
            found.proved,
            found.text,
            found.hypotheses if found.proved else "",
            walked.positions,
            walked.longest,
            found.play,
            found.seconds,
            found.to_dict(),
        )

    def play(self) -> Match:
        """A play against the replies, with you on the other side."""
        from qsage_validate.arena.blocks import SearchedEngine
        from qsage_validate.arena.lesson import make_teacher
        from qsage_validate.problems.searched import SolutionProblem, SolutionReplies

        problem = SolutionProblem(SolutionReplies(self.solution))
        engine: Any = SearchedEngine(problem)
        return Match(engine, teacher=lambda: make_teacher(problem.player, None, problem.game))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the file, all of it or nothing."""
        self.solution.save(fspath(path))

    def __repr__(self) -> str:
        return (
            f"<Solution {self.solution.claim}: {counted(self.positions, 'reply')} of {self.winner}>"
        )


def load_solution(source: FileSource) -> Solution:
    """A solution from its file: a path, bytes or an open file.

    Raises ``InputError`` for what is no solution file, or was cut or changed.
    """
    with as_paths(solution=source) as paths:
        read = walk.read_solution(of_kind(paths["solution"], str, "a path, bytes or an open file"))
    return Solution(replace(read, path=shown("solution", source)))


def find_solution(
    game: Game | str,
    *,
    timeout: float | None = None,
    memory: int | None = None,
    tell: Tell = nobody,
) -> Solution:
    """Search a game at its depth, and make the winner's solution.

    ``timeout`` is in seconds of wall time, ``memory`` in megabytes.  Raises ``UndecidedError``
    when a limit is reached.
    """
    from qsage_validate.solvers import search_solution

    model, limits = game_of(game, {}).model, Limits(Deadline.after(timeout), memory)
    return Solution(search_solution.find_solution(model, limits, tell))
