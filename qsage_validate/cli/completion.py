"""The shell's completions behind a command, names and files; and the scripts that ask for them.

Completion runs with each press of the key: each function loads what it needs, and nothing heavy.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Final

import click
from click.shell_completion import get_completion_class

from qsage_validate.errors import UsageError

# The modules that define these names load NumPy and PySAT; a test holds one to the other.
DIALECTS: Final = ("caqe", "outer", "pedant", "qaiger", "qbfcert-ascii", "qbfcert-binary")
SOLVERS: Final = (
    *("depqbf", "qute", "caqe", "rareqs", "qfun"),
    *("quabs", "cqesto", "qesto", "qubi"),
)
PREPROCESSORS: Final = ("bloqqer", "hqspre", "qratpre", "none")


def like(incomplete: str, names: Iterable[str]) -> list[str]:
    """The names that begin so."""
    return [name for name in names if name.startswith(incomplete)]


def files(incomplete: str) -> list[str]:
    """Files, folders and samples; hidden files where the word begins with a dot."""
    import os

    from qsage_validate.formats.source import sample_words

    samples = like(incomplete, sample_words()) if incomplete else []
    folder, begin = os.path.split(incomplete)
    try:
        entries = sorted(os.scandir(folder or "."), key=lambda entry: entry.name)
    except OSError:
        return samples
    return samples + [
        os.path.join(folder, entry.name) + ("/" if entry.is_dir() else "")
        for entry in entries
        if entry.name.startswith(begin) and (begin or not entry.name.startswith("."))
    ]


def games(incomplete: str) -> list[str]:
    from qsage_validate.games.library import catalogue

    return like(incomplete, (game.name for game in catalogue.library_games()))


def models(incomplete: str) -> list[str]:
    """Games, and files."""
    return [*games(incomplete), *files(incomplete)]


def shapes(incomplete: str) -> list[str]:
    """The polyominoes that have names."""
    from qsage_validate.games.positional.harary import named

    return like(incomplete, named())


def encodings(incomplete: str) -> list[str]:
    """The encodings of all kinds of games."""
    from qsage_validate.encodings.registry import encoders

    return like(incomplete, encoders())


def solvers(incomplete: str) -> list[str]:
    """The search, and the QBF solvers that the program knows."""
    from qsage_validate.registry import declares

    if not declares("solvers"):
        return like(incomplete, ("search", *SOLVERS))
    from qsage_validate.solvers.backends import backends

    return like(incomplete, ("search", *backends()))


def preprocessors(incomplete: str) -> list[str]:
    return like(incomplete, PREPROCESSORS)


def levels(incomplete: str) -> list[str]:
    from qsage_validate.proving.levels import LEVELS

    return like(incomplete, LEVELS)


def dialects(incomplete: str) -> list[str]:
    return like(incomplete, DIALECTS)


# Scripts by which shells complete words: printed, or installed


# Where a script is written below the home folder, and how the shell's own file loads it, where it
# does not look there by itself.
_PLACES: Final = {
    "bash": (".bash_completions/{}.sh", ".bashrc", "source ~/.bash_completions/{}.sh"),
    "zsh": (".zfunc/_{}", ".zshrc", "fpath+=~/.zfunc; autoload -Uz compinit; compinit"),
    "fish": (".config/fish/completions/{}.fish", None, ""),
}


def show(context: click.Context, option: str, shell: str, variable: str) -> None:
    """Print the script by which a ``shell`` asks for words, through an environment ``variable``.

    Raises ``UsageError`` with the ``option`` for a shell that is not known.
    """
    print(_script(context, option, shell, variable, (*_PLACES, "powershell")))


def install(context: click.Context, option: str, shell: str, variable: str) -> None:
    """Write the script where the shell finds it; raises as :func:`show`."""
    script, program = _script(context, option, shell, variable, _PLACES), context.command_path
    place, start, line = _PLACES[shell]
    path = Path.home() / place.format(program)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{script}\n", "utf-8")
    if start is not None:
        own = Path.home() / start
        text = own.read_text("utf-8") if own.exists() else ""
        if (wanted := line.format(program)) not in text:
            own.write_text(f"{text.rstrip()}\n{wanted}\n".lstrip(), "utf-8")
    print(f"{shell} completion installed in {path}: it takes effect in the next {shell}")


def _script(
    context: click.Context, option: str, shell: str, variable: str, known: Collection[str]
) -> str:
    """The script for the program that is running."""
    made = get_completion_class(shell) if shell in known else None
    if made is None:
        raise UsageError(f"found {option} {shell}, expected one of {', '.join(known)}")
    return made(context.command, {}, context.command_path, variable).source().strip()
