"""All commands with their parameters, so that a test holds for commands to come, too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from qsage_validate.cli.app import PROGRAMS
from qsage_validate.cli.commands import commands_below


class Leaf(NamedTuple):
    """A command that runs: its words, ``("bench", "table")``, and what is behind them."""

    words: tuple[str, ...]
    command: Any

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of the parameters that say what is written."""
        return self.command.outputs  # type: ignore[no-any-return]

    def takes_text(self) -> list[Any]:
        """The parameters whose values are words, as names of files are."""
        return [p for p in self.command.params if "text" in p.type.name]

    def line(self, **values: str) -> list[str]:
        """A command line with these values by parameter, and a word for each that is required."""
        options, arguments = list[str](), list[str]()
        for parameter in self.command.params:
            value = values.get(parameter.name, "x" if parameter.required else None)
            if value is None:
                continue
            if parameter.param_type_name == "argument":
                arguments.append(value)
            else:
                options += [parameter.opts[0], *[value] * parameter.nargs]
        return [*self.words, *options, *arguments]

    def __str__(self) -> str:
        return " ".join(self.words)


def leaves() -> list[Leaf]:
    """The commands that run, under their first names."""
    return list(_leaves((), PROGRAMS["qsage"]))


def _leaves(words: tuple[str, ...], command: Any) -> Iterator[Leaf]:
    whole = getattr(command, "loaded", command)
    inner = commands_below(whole)
    if not inner:
        yield Leaf(words, whole)
        return
    for name, each in inner.items():
        if not each.hidden:
            yield from _leaves((*words, name), each)
