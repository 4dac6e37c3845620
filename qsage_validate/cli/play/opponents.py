"""The opponents of ``qsage play``: who answers, told by the command line, and how it is loaded.

Each is a frozen dataclass whose ``play`` loads what answers and plays against it.  What does not
go together on a command line is data: :data:`_NOT_WITH` and :data:`_NOT_BOTH`.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from qsage_validate.cli.common import narrate
from qsage_validate.cli.model_arguments import formula_path
from qsage_validate.cli.play.modes import NamedGame, OfFormula, Opponent, play_problem
from qsage_validate.cli.play.play_options import (
    SEARCH,
    Asked,
    PlayMode,
    PlayOptions,
)
from qsage_validate.cli.streams import was_interrupt
from qsage_validate.errors import Exit, UsageError
from qsage_validate.formats.source import FORMULAS, sniff

if TYPE_CHECKING:
    from qsage_validate.games.family import DeclaredFamily
    from qsage_validate.problems.load import Problem


@dataclass(frozen=True)
class CertificateOpponent(OfFormula):
    """A certificate: of files, or made of a game; who interrupts that plays against the search."""

    def play(self, options: PlayOptions, json_output: bool) -> Exit:
        loaded: list[Problem] = []

        def load() -> Problem:
            loaded.append(self.load())
            return loaded[0]

        try:
            return play_problem(load, self.what, options, json_output)
        except BaseException as error:
            if self.game is None or loaded or not was_interrupt(error):
                raise
            if options.mode not in (PlayMode.BOARD, PlayMode.PLAIN):
                narrate("the certificate was not finished: without --certify the search plays")
                raise
            narrate("the certificate was not finished: the search plays, and nothing is proved")
        # What lets illegal moves happen is the formula, which is not there.
        plain = replace(options, force=False)
        from qsage_validate.cli.play.searched import SearchOpponent

        return SearchOpponent(self.game, None, None).play(plain, json_output)

    def load(self) -> Problem:
        """The play against it; raises ``InputError``, and ``UndecidedError`` if none is proved."""
        from qsage_validate.problems.load import load, sorted_out

        if self.game is None:
            return load(sorted_out(self.files))
        from qsage_validate.cli.play.searched import certified

        return certified(self.game, self.encoding, self.files)


_FORMULA: Final = (
    *("--cert", "--meta", "--dialect", "--prenex", "--strict", "--sat", "--simulation", "--bare"),
    *("--peeking", "--status", "--blocks", "--assert"),
)
_HEAPS: Final = ("--rules", "--state", "--begins", "--misere", "--bound")
_RULES: Final = ("--game", "--model")
_ALONE: Final = (
    *(*_FORMULA, *_HEAPS, *_RULES),
    *("--side", "--certify", "--encoding", "--solver", "--explain"),
)
# The options that an opponent has no use for, by its class.
_NOT_WITH: Final[Mapping[str, Collection[str]]] = {
    "SolutionOpponent": (*_ALONE, "--strategy"),
    "StrategyOpponent": _ALONE,
    "HeapOpponent": (
        *(*_FORMULA, *_RULES),
        *("--side", "--certify", "--encoding", "--solution", "--strategy", "--solver"),
        "--explain",
    ),
    "SearchOpponent": _FORMULA,
}
# Two options, and what is expected in their place.
_NOT_BOTH: Final = (
    ("--sat", "--simulation", "one of them"),
    ("--certify", "--solver", "one of them"),
    ("--explain", "--solver", "one of them"),
    ("--explain", "--bare", "a board"),
)


def opponent(asked: Asked) -> Opponent:
    """Who answers in the play that is asked for.

    Raises ``UsageError`` for what does not go together, and ``InputError`` for bad files.
    """
    given = tuple(asked.given())
    asked, behind = asked.taken_apart()
    if behind and not {*_RULES}.isdisjoint(given):
        raise UsageError(f"found {' '.join(behind)} with --game or --model, expected one game")
    subject, formula = asked.subject, asked.formula
    named = (*subject.words, *subject.flags)
    if asked.game.solution is not None:
        from qsage_validate.cli.play.searched import SolutionOpponent

        _check("SolutionOpponent", given, "--solution, which has its game", named)
        return SolutionOpponent(asked.game.solution)
    if asked.game.strategy is not None:
        from qsage_validate.cli.play.searched import StrategyOpponent

        _check("StrategyOpponent", given, "--strategy, which has its game", named)
        return StrategyOpponent(asked.game.strategy)
    family = _family(formula)
    if family is not None:
        what = f"an {family.name} game, which has no formula"
        from qsage_validate.cli.play.searched import HeapOpponent

        _check("HeapOpponent", given, what, subject.flags)
        return HeapOpponent(family, str(formula), asked.heaps)
    for name in asked.heaps.given_options():
        raise UsageError(f"found {name}, but {formula or 'nothing'} is no impartial game")
    if asked.play.white == "all":
        raise UsageError("found --white all, expected --white random: that is no impartial game")
    if "-" in (formula, asked.cert, asked.rules.meta, *asked.assertions):
        raise UsageError("a play needs its files by name, not '-'")
    files = asked.files()
    if behind:
        from qsage_validate.problems.load import beside

        files = replace(files, game=behind)
        if asked.cert is None and files.solver is None and beside(str(formula)) is None:
            files = replace(files, solver="auto")
    side, encoding = asked.game.side, asked.game.encoding
    if asked.game.certify and not asked.play.explain:
        encoding = encoding or subject.certified_by()
    game = _named_game(asked, files.game, encoding)
    made = asked.game.certify or encoding is not None or asked.play.explain
    if game is not None and not made and files.solver is None:
        what = "a game that is searched, which has no formula (see --certify)"
        from qsage_validate.cli.play.searched import SearchOpponent

        _check("SearchOpponent", given, what)
        return SearchOpponent(game, side, files.seconds)
    if side is not None:
        raise UsageError("found --side, which is for a search: a formula's value says who wins")
    _check_both((*given, "--solver") if behind and files.solver is not None else given)
    if asked.solving.solver == SEARCH:
        raise UsageError("found --solver search with a formula, expected a QBF solver")
    if files.solver is not None:
        from qsage_validate.cli.play.searched import SolverOpponent

        return SolverOpponent(files, game, encoding)
    for name in ("--timeout", "--status", "--blocks"):
        if name in given:
            raise UsageError(f"found {name} without --solver, expected a solver that answers")
    if asked.play.explain:
        from qsage_validate.cli.play.searched import ProgramOpponent

        return ProgramOpponent(files, game, encoding)
    return CertificateOpponent(files, game, encoding)


def _family(name: str | None) -> DeclaredFamily | None:
    """The family of games without formulas of which ``name`` is a game."""
    if name is None or (os.path.isfile(name) and sniff(name) in FORMULAS):
        return None
    from qsage_validate.games.family import families

    return next((own for own in families() if own.has(name)), None)


def _check(kind: str, given: Iterable[str], what: str, more: Iterable[str] = ()) -> None:
    """Raise ``UsageError`` for an option that an opponent has no use for, or ``more`` words."""
    for name in (*(own for own in given if own in _NOT_WITH[kind]), *more):
        raise UsageError(f"found {name} with {what}")


def _check_both(given: Collection[str]) -> None:
    for one, other, expected in _NOT_BOTH:
        if one in given and other in given:
            raise UsageError(f"found {one} with {other}, expected {expected}")


def _named_game(asked: Asked, rules: tuple[str, ...], encoding: str | None) -> NamedGame | None:
    """The game that is meant; ``None`` where there is a formula, or a certificate.

    ``rules`` are the words of ``--game`` or ``--model``.
    """
    subject = asked.subject
    if not subject.words and asked.cert is None and rules:
        from qsage_validate.encodings.registry import language_of_encoding
        from qsage_validate.games.registry import find_command

        model = find_command([*rules, *subject.flags], language_of_encoding(encoding))
        named = ["--game", *rules] if len(rules) == 2 else ["--model", shlex.join(rules)]
        return NamedGame(model, (*named, *subject.flags))
    shown = " ".join(subject.words)
    if not subject.words or formula_path(subject) is not None:
        for name in (*subject.flags[:1], *asked.game.given_options()):
            raise UsageError(f"found {name} with {shown or 'no game'}, expected a game")
        return None
    given = ["--cert"] * (asked.cert is not None) + ["--game or --model"] * bool(rules)
    for name in (*given, *asked.read.given_options()):
        raise UsageError(f"found {name} with {shown}, a game: expected it with a formula")
    model, words = subject.resolve(encoding), (*subject.words, *subject.flags)
    return NamedGame(model, words, None if subject.files else subject)
