"""Scripts by which shells complete words, loaded for these alone: printed, or installed."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Final

import click
from click.shell_completion import get_completion_class

from qsage_validate.errors import UsageError

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
