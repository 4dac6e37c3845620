"""``qsage play GAME``: against a search, or a certificate or solver of the game's formula."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from qsage_validate.cli.common import SearchLine, narrate
from qsage_validate.cli.model_arguments import ModelArguments
from qsage_validate.cli.parameters import OptionGroup, flag, option
from qsage_validate.errors import UndecidedError, UsageError
from qsage_validate.system.progress import nobody

if TYPE_CHECKING:
    from qsage_validate.arena.program import Programmed
    from qsage_validate.games.model_text import GameModel
    from qsage_validate.problems.files import Files
    from qsage_validate.problems.load import Problem
    from qsage_validate.problems.searched import SearchedProblem
    from qsage_validate.problems.solved import SolutionProblem

_PANEL = "Games without a formula"


class GameSide(str, Enum):
    """A side of a game."""

    BLACK = "black"
    WHITE = "white"


@dataclass(frozen=True)
class GameOptions(OptionGroup):
    """Options for a game without a formula."""

    side: GameSide | None = option(
        "Which side the search plays; else the one that wins.", panel=_PANEL
    )
    certify: bool = flag(
        "Make and prove the winner's certificate first, and play against that.",
        panel=_PANEL,
    )
    encoding: str | None = option(
        "The encoding of the formula that is certified, or given to --solver.", "NAME", panel=_PANEL
    )

    solution: str | None = option(
        "Play against a solution file ('qsage solve --solution'), in the place of a game.",
        "FILE",
        panel=_PANEL,
    )

    @property
    def needs_formula(self) -> bool:
        """Whether a certificate is to be made."""
        return self.certify or self.encoding is not None


@dataclass(frozen=True)
class NamedGame:
    """A game without a formula, and the words of the command line that mean it.

    ``by_name`` says that these are the name of a game of the library and its options.
    """

    model: GameModel
    words: tuple[str, ...]
    by_name: bool = False


def named_game(
    subject: ModelArguments, cert: str | None, rules: Sequence[str], options: GameOptions
) -> NamedGame | None:
    """The game that is meant; ``None`` where there is a formula, or a certificate.

    ``rules`` are the words of ``--game`` or ``--model``.  Raises ``UsageError`` for words that do
    not fit together, ``InputError`` for bad files.
    """
    from qsage_validate.cli.formula import formula_path

    if not subject.words and cert is None and rules:
        from qsage_validate.encodings.registry import language_of_encoding
        from qsage_validate.games.registry import find_command

        language = language_of_encoding(options.encoding)
        model = find_command([*rules, *subject.flags], language)
        words = ("--game", *rules) if len(rules) == 2 else ("--model", shlex.join(rules))
        return NamedGame(model, (*words, *subject.flags))
    shown = " ".join(subject.words)
    if not subject.words or formula_path(subject) is not None:
        for name in (*subject.flags[:1], *options.given_options()):
            raise UsageError(f"found {name} with {shown or 'no game'}, expected a game")
        return None
    for name, there in (("--cert", cert is not None), ("--game or --model", bool(rules))):
        if there:
            raise UsageError(f"found {name} with {shown}, a game: expected it with a formula")
    model, words = subject.resolve(options.encoding), (*subject.words, *subject.flags)
    return NamedGame(model, words, by_name=not subject.files)


def explained(game: NamedGame | None, encoding: str | None, files: Files) -> Programmed:
    """The program by which the winner wins, of a game or of a formula's files; found and proved.

    ``files`` say how it is played; a certificate among them is proved first.  Raises
    ``UsageError`` and ``UndecidedError`` as ``qsage explain`` does, and ``UsageError`` where no
    installed package explains.
    """
    from qsage_validate.arena.program import DeclaredExplanation
    from qsage_validate.registry import declared, load

    found = next(iter(declared("explanations", DeclaredExplanation)), None)
    if found is None:
        raise UsageError("found --explain, expected an installed package that explains")
    if game is None:
        made: Programmed = load(found.formula)(files)
        return made
    named = replace(files, game=(), explained=True)
    made = load(found.game)(game.model, game.words, encoding, by_name=game.by_name, files=named)
    return made


def certified(game: NamedGame, encoding: str | None, files: Files) -> Problem:
    """The play of a game's formula and its certificate, made and proved now.

    ``files`` say how it is played.  Raises ``UsageError`` for an encoding that is not one of the
    game's, ``UndecidedError`` where nothing could be proved.
    """
    from qsage_validate.certificates.routes.routes import RouteOptions, certify_formula
    from qsage_validate.encodings.registry import encode
    from qsage_validate.games.naming import name_of
    from qsage_validate.problems.load import of
    from qsage_validate.system.limits import NEVER, Limits
    from qsage_validate.system.task import watching

    task = watching()
    deadline = NEVER if task is None else task.deadline(None)
    with SearchLine(sys.stderr) as line:
        encoded = encode(game.model, encoding)
        proved = certify_formula(
            encoded.qbf,
            RouteOptions(route="search", limits=Limits(deadline)),
            encoding=encoded,
            layout=encoded.layout,
            tell=line.tell,
        )
    kind = proved.certificate.kind
    narrate(
        f"{name_of(game.model)}: a {kind.value} certificate for {kind.player} was made and proved"
    )
    words = (*game.words, *(() if encoding is None else ("--encoding", encoding)))
    named = replace(files, formula=None, certificate=None, game=(), made_from=words)
    return of(encoded, proved.certificate, named)


def solved(files: Files, game: NamedGame | None, encoding: str | None) -> Problem:
    """The play against the solver that ``files`` name, of their formula or of a game's.

    Who plays whom follows from the formula's value, which is found out first.  Raises
    ``UsageError`` for an encoding that is not one of the game's, and as solvers do.
    """
    from qsage_validate.encodings.registry import encode
    from qsage_validate.problems.load import against_solver, load
    from qsage_validate.system.progress import Progress

    with SearchLine(sys.stderr) as line:
        if files.status is None and files.certificate is None:
            line.tell(Progress(f"{files.solver}", "the value of the formula (see --status)"))
        if game is None:
            return load(files)
        words = (*game.words, *(() if encoding is None else ("--encoding", encoding)))
        encoded = encode(game.model, encoding)
        return against_solver(encoded, replace(files, formula=None, game=(), made_from=words))


def from_solution(path: str) -> SolutionProblem:
    """The play against a solution file; raises ``InputError``."""
    from qsage_validate.problems.solved import SolutionProblem, SolutionReplies
    from qsage_validate.solutions.file import read_solution

    return SolutionProblem(SolutionReplies(read_solution(path)))


def searched(game: NamedGame, side: GameSide | None, seconds: float | None) -> SearchedProblem:
    """The play of a game against a search: it plays ``side``, or whoever wins.

    Raises ``UndecidedError`` where it is not known in time who wins.
    """
    from qsage_validate.games.languages import load_game
    from qsage_validate.games.protocol import Player
    from qsage_validate.problems.searched import SearchedProblem
    from qsage_validate.solvers.search.replies import SearchReplies

    replies = SearchReplies(load_game(game.model), seconds)
    if side is not None:
        return SearchedProblem(game.words, replies, Player(side.value), promised=False)
    with SearchLine(sys.stderr) as line:
        replies.task.hears = line.tell
        try:
            return SearchedProblem(game.words, replies, replies.winner(), promised=True)
        except UndecidedError as error:
            why = f"{error}; --side black or --side white needs no answer"
            raise UndecidedError(why) from None
        finally:
            replies.task.hears = nobody
