"""The opponents of ``qsage play``: who answers, told by the command line, and how it is loaded.

Each is a frozen dataclass whose ``play`` loads what answers and plays against it.  What does not
go together on a command line is data: :data:`_NOT_WITH` and :data:`_NOT_BOTH`.
"""

from __future__ import annotations

import shlex
import sys
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from qsage_validate.cli.common import SearchLine, narrate, was_interrupt
from qsage_validate.cli.model_arguments import formula_path
from qsage_validate.cli.play.play_options import SEARCH, Asked, GameSide, HeapOptions, PlayOptions
from qsage_validate.errors import Exit, UndecidedError, UsageError
from qsage_validate.registry import declared
from qsage_validate.registry import load as load_place
from qsage_validate.system.limits import Progress, nobody, watching

if TYPE_CHECKING:
    from qsage_validate.arena.program import Programmed
    from qsage_validate.cli.model_arguments import ModelArguments
    from qsage_validate.games.family import DeclaredFamily
    from qsage_validate.games.model_text import GameModel
    from qsage_validate.problems.load import Files, Problem
    from qsage_validate.problems.searched import RulesProblem, SearchedProblem, SolutionProblem


@dataclass(frozen=True)
class NamedGame:
    """A game without a formula, and the words of the command line that mean it.

    ``named`` are the arguments of which these are the words, if they name a game of the library.
    """

    model: GameModel
    words: tuple[str, ...]
    named: ModelArguments | None = None

    def to_certify(self, encoding: str | None) -> NamedGame:
        """The same at its critical depth, where it is a game by name without a depth."""
        if self.named is None:
            return self
        model, named = self.named.at_critical_depth(self.model, encoding)
        return NamedGame(model, (*named.words, *named.flags), named)

    @property
    def text(self) -> str:
        return " ".join(self.words)

    def encoded_by(self, encoding: str | None) -> tuple[str, ...]:
        """The words of the game and of the encoding of its formula."""
        return (*self.words, *(() if encoding is None else ("--encoding", encoding)))


@dataclass(frozen=True)
class _OfFormula(ABC):
    """Who plays by a formula: one in ``files``, or that of a game by an encoding."""

    files: Files
    game: NamedGame | None
    encoding: str | None

    @property
    def what(self) -> str:
        """What is played, while it is loaded."""
        return self.files.name if self.game is None else self.game.text

    @abstractmethod
    def load(self) -> Any: ...

    def play(self, options: PlayOptions, json_output: bool) -> Exit:
        from qsage_validate.cli.play.modes import play_problem

        return play_problem(self.load, self.what, options, json_output)


@dataclass(frozen=True)
class CertificateOpponent(_OfFormula):
    """A certificate: of files, or made of a game; who interrupts that plays against the search."""

    def play(self, options: PlayOptions, json_output: bool) -> Exit:
        from qsage_validate.cli.play.modes import play_problem
        from qsage_validate.cli.play.play_options import PlayMode

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
        return SearchOpponent(self.game, None, None).play(plain, json_output)

    def load(self) -> Problem:
        """The play against it; raises ``InputError``, and ``UndecidedError`` if none is proved."""
        from qsage_validate.problems.load import load, sorted_out

        return load(sorted_out(self.files)) if self.game is None else self._certified(self.game)

    def _certified(self, game: NamedGame) -> Problem:
        """The play against a certificate that is made first."""
        from qsage_validate.certificates.routes import RouteOptions, certify_formula
        from qsage_validate.encodings.registry import encode
        from qsage_validate.games.library.catalogue import name_of
        from qsage_validate.problems.load import of
        from qsage_validate.system.limits import NEVER, Limits

        task = watching()
        deadline = NEVER if task is None else task.deadline(None)
        game = game.to_certify(self.encoding)
        with SearchLine(sys.stderr) as line:
            encoded = encode(game.model, self.encoding)
            proved = certify_formula(
                encoded.qbf,
                RouteOptions(route="search", limits=Limits(deadline)),
                encoding=encoded,
                layout=encoded.layout,
                tell=line.tell,
            )
        kind = proved.certificate.kind
        narrate(
            f"{name_of(game.model)}: a {kind.value} certificate for {kind.player} was made and "
            "proved"
        )
        words = game.encoded_by(self.encoding)
        named = replace(self.files, formula=None, certificate=None, game=(), made_from=words)
        return of(encoded, proved.certificate, named)


@dataclass(frozen=True)
class SolverOpponent(_OfFormula):
    """The QBF solver that ``files`` name, on their formula or on that of a game."""

    def load(self) -> Problem:
        """The play against it; raises as solvers do.

        Who plays whom follows from the formula's value, which is found out first.
        """
        from qsage_validate.encodings.registry import encode
        from qsage_validate.problems.load import against_solver, load

        files = self.files
        with SearchLine(sys.stderr) as line:
            if files.status is None and files.certificate is None:
                line.tell(Progress(f"{files.solver}", "the value of the formula (see --status)"))
            if self.game is None:
                return load(files)
            words = self.game.encoded_by(self.encoding)
            encoded = encode(self.game.model, self.encoding)
            return against_solver(encoded, replace(files, formula=None, game=(), made_from=words))


@dataclass(frozen=True)
class SearchOpponent:
    """The search on the rules of a game, within ``seconds`` for each reply; see ``--side``."""

    game: NamedGame
    side: GameSide | None
    seconds: float | None

    def play(self, options: PlayOptions, json_output: bool) -> Exit:
        from qsage_validate.cli.play.searched import play_searched

        return play_searched(self.load, self.game.text, options, json_output)

    def load(self) -> SearchedProblem:
        """The play against it; raises ``UndecidedError`` where it is not known who wins."""
        from qsage_validate.games.languages import load_game
        from qsage_validate.games.protocol import Player
        from qsage_validate.problems.searched import SearchedProblem
        from qsage_validate.solvers.search_solution import SearchReplies

        words, replies = self.game.words, SearchReplies(load_game(self.game.model), self.seconds)
        if self.side is not None:
            return SearchedProblem(words, replies, Player(self.side.value), promised=False)
        with SearchLine(sys.stderr) as line:
            replies.task.hears = line.tell
            try:
                return SearchedProblem(words, replies, replies.winner(), promised=True)
            except UndecidedError as error:
                why = f"{error}; --side black or --side white needs no answer"
                raise UndecidedError(why) from None
            finally:
                replies.task.hears = nobody


@dataclass(frozen=True)
class SolutionOpponent:
    """The replies in a solution file."""

    path: str

    def play(self, options: PlayOptions, json_output: bool) -> Exit:
        from qsage_validate.cli.play.searched import play_searched

        return play_searched(self.load, self.path, options, json_output)

    def load(self) -> SolutionProblem:
        """The play against them; raises ``InputError``."""
        from qsage_validate.problems.searched import SolutionProblem, SolutionReplies
        from qsage_validate.solutions.walk import read_solution

        return SolutionProblem(SolutionReplies(read_solution(self.path)))


@dataclass(frozen=True)
class StrategyOpponent:
    """The strategy in a file of local patterns."""

    path: str

    def play(self, options: PlayOptions, json_output: bool) -> Exit:
        from qsage_validate.cli.play.searched import play_searched

        return play_searched(self.load, self.path, options, json_output)

    def load(self) -> RulesProblem:
        """The play against it; raises ``InputError``, ``UsageError`` where nobody reads it."""
        from qsage_validate.problems.searched import DeclaredStrategies

        found = next(iter(declared("strategies", DeclaredStrategies)), None)
        if found is None:
            raise UsageError("found --strategy, expected an installed package that reads it")
        problem: RulesProblem = load_place(found.problem)(self.path)
        return problem


@dataclass(frozen=True)
class ProgramOpponent(_OfFormula):
    """The program by which the winner of a formula or of a game wins, found and proved first."""

    def play(self, options: PlayOptions, json_output: bool) -> Exit:
        from qsage_validate.cli.play.modes import play_explained

        return play_explained(self.load, self.what, options, json_output)

    def load(self) -> Programmed:
        """The program; raises as ``qsage explain`` does, a certificate among the files is proved.

        Raises ``UsageError`` where no installed package explains.
        """
        from qsage_validate.arena.program import DeclaredExplanation

        found = next(iter(declared("explanations", DeclaredExplanation)), None)
        if found is None:
            raise UsageError("found --explain, expected an installed package that explains")
        if self.game is None:
            of_formula: Programmed = load_place(found.formula)(self.files)
            return of_formula
        game, files = self.game, replace(self.files, game=(), explained=True)
        own = partial(load_place(found.game), by_name=game.named is not None, files=files)
        made: Programmed = own(game.model, game.words, self.encoding)
        return made


@dataclass(frozen=True)
class HeapOpponent:
    """The winning rules of a game of a family that has no formulas."""

    family: DeclaredFamily
    name: str
    heaps: HeapOptions

    def play(self, options: PlayOptions, json_output: bool) -> Exit:
        code: Exit = load_place(self.family.play)(self.name, self.heaps, options, json_output)
        return code


Opponent = (
    CertificateOpponent
    | SolverOpponent
    | SearchOpponent
    | SolutionOpponent
    | StrategyOpponent
    | ProgramOpponent
    | HeapOpponent
)

_FORMULA: Final = (
    *("--cert", "--meta", "--dialect", "--sat", "--simulation", "--bare", "--peeking"),
    *("--status", "--blocks", "--assert"),
)
_HEAPS: Final = ("--rules", "--state", "--begins", "--misere", "--bound")
_RULES: Final = ("--game", "--model")
_ALONE: Final = (
    *(*_FORMULA, *_HEAPS, *_RULES),
    *("--side", "--certify", "--encoding", "--solver", "--explain"),
)
# The options that an opponent has no use for.
_NOT_WITH: Final[Mapping[type, Collection[str]]] = {
    SolutionOpponent: (*_ALONE, "--strategy"),
    StrategyOpponent: _ALONE,
    HeapOpponent: (
        *(*_FORMULA, *_RULES),
        *("--side", "--certify", "--encoding", "--solution", "--strategy", "--solver"),
        "--explain",
    ),
    SearchOpponent: _FORMULA,
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
    from qsage_validate.games.family import families

    given = tuple(asked.given())
    asked, behind = asked.taken_apart()
    if behind and not {*_RULES}.isdisjoint(given):
        raise UsageError(f"found {' '.join(behind)} with --game or --model, expected one game")
    subject, formula = asked.subject, asked.formula
    named = (*subject.words, *subject.flags)
    if asked.game.solution is not None:
        _check(SolutionOpponent, given, "--solution, which has its game", named)
        return SolutionOpponent(asked.game.solution)
    if asked.game.strategy is not None:
        _check(StrategyOpponent, given, "--strategy, which has its game", named)
        return StrategyOpponent(asked.game.strategy)
    family = next((own for own in families() if own.has(formula)), None)
    if family is not None:
        what = f"an {family.name} game, which has no formula"
        _check(HeapOpponent, given, what, subject.flags)
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
        _check(SearchOpponent, given, what)
        return SearchOpponent(game, side, files.seconds)
    if side is not None:
        raise UsageError("found --side, which is for a search: a formula's value says who wins")
    _check_both((*given, "--solver") if behind and files.solver is not None else given)
    if asked.solving.solver == SEARCH:
        raise UsageError("found --solver search with a formula, expected a QBF solver")
    if files.solver is not None:
        return SolverOpponent(files, game, encoding)
    for name in ("--timeout", "--status", "--blocks"):
        if name in given:
            raise UsageError(f"found {name} without --solver, expected a solver that answers")
    return (ProgramOpponent if asked.play.explain else CertificateOpponent)(files, game, encoding)


def _check(kind: type, given: Iterable[str], what: str, more: Iterable[str] = ()) -> None:
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
    for name, there in (("--cert", asked.cert is not None), ("--game or --model", bool(rules))):
        if there:
            raise UsageError(f"found {name} with {shown}, a game: expected it with a formula")
    model, words = subject.resolve(encoding), (*subject.words, *subject.flags)
    return NamedGame(model, words, None if subject.files else subject)
