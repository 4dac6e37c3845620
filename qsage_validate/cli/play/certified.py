"""``qsage play GAME``: a game that has no certificate yet is searched and certified first."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from qsage_validate.cli.common import SearchLine, narrate
from qsage_validate.cli.option_groups import OptionGroup, option
from qsage_validate.errors import UsageError

if TYPE_CHECKING:
    from qsage_validate.games.model_text import GameModel
    from qsage_validate.problems.files import Files
    from qsage_validate.problems.load import Problem

_PANEL = "Games without a certificate"


@dataclass(frozen=True)
class GameOptions(OptionGroup):
    """The options of a game that is to be certified."""

    depth: str | None = option("Plies, or rounds.", "N", panel=_PANEL)
    role: str | None = option("In GDL: who is Black.", "NAME", panel=_PANEL)
    win: str | None = option("In GDL: the least goal that is a win.", "N", panel=_PANEL)
    encoding: str | None = option("The game's encoding.", "NAME", panel=_PANEL)

    @property
    def model(self) -> dict[str, str]:
        """Those options that the model has, by name, where they were given."""
        values = {"depth": self.depth, "role": self.role, "win": self.win}
        return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True)
class Uncertified:
    """A game to be certified, and the words of the command line that mean it."""

    model: GameModel
    words: tuple[str, ...]


def uncertified(
    word: str | None, cert: str | None, game: Sequence[str], options: GameOptions
) -> Uncertified | None:
    """The game that is to be certified; ``None`` where formula and certificate were named.

    ``word`` is what stands for the formula, ``game`` the words of ``--game`` or ``--model``.
    Raises ``UsageError`` for words that do not fit together, ``InputError`` for bad files.
    """
    from qsage_validate.games.registry import find_command, find_model

    flags = [part for name, value in options.model.items() for part in (f"--{name}", value)]
    if word is None and cert is None and game:
        flag = ("--game", *game) if len(game) == 2 else ("--model", shlex.join(game))
        return Uncertified(find_command([*game, *flags]), (*flag, *flags))
    if word is None or not _is_model(word):
        for name in (*flags[::2], *(["--encoding"] if options.encoding is not None else [])):
            raise UsageError(f"found {name} with {word or 'no game'}, expected a game to certify")
        return None
    for name, there in (("--cert", cert is not None), ("--game or --model", bool(game))):
        if there:
            raise UsageError(f"found {name} with {word}, a game: expected it with a formula")
    return Uncertified(find_model([word], options.model), (word, *flags))


def _is_model(word: str) -> bool:
    """Whether a word is a game by name, or a file with one (PG, ``.hex``, GDL)."""
    from qsage_validate.games.languages import language_of
    from qsage_validate.games.registry import TEMPLATES

    if word == "-":
        return False
    if os.path.exists(word):
        return language_of(word) is not None
    return any(template.name == word.lower() for template in TEMPLATES)


def certified(game: Uncertified, encoding: str | None, files: Files) -> Problem:
    """The play of a game's formula and its certificate, made and proved now.

    ``files`` say how it is played.  Raises ``UsageError`` for an encoding that is not one of the
    game's, ``UndecidedError`` where nothing could be proved.
    """
    from qsage_validate.certificates.routes.routes import RouteOptions, certify_formula
    from qsage_validate.encodings.registry import encode
    from qsage_validate.problems.load import of

    with SearchLine(sys.stderr) as line:
        encoded = encode(game.model, encoding)
        proved = certify_formula(
            encoded.qbf,
            RouteOptions(route="search"),
            encoding=encoded,
            layout=encoded.layout,
            tell=line.tell,
        )
    kind = proved.certificate.kind
    narrate(f"{game.model.name}: a {kind.value} certificate for {kind.player} was made and proved")
    words = (*game.words, *(() if encoding is None else ("--encoding", encoding)))
    named = replace(files, formula=None, certificate=None, game=(), made_from=words)
    return of(encoded, proved.certificate, named)


def solved(files: Files, game: Uncertified | None, encoding: str | None) -> Problem:
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
