"""Commands that are loaded when they run: a name, the first paragraph of the help, a loader.

To list the commands, to suggest one and to complete its name takes no more than that.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand
from typer.main import get_command


class LazyCommand(TyperCommand):
    """A command or a group of commands whose ``load`` is called when it runs or shows its help."""

    def __init__(self, name: str, summary: str, load: Callable[[], Any]) -> None:
        super().__init__(name, help=summary, rich_markup_mode=None)
        self._load = load

    @cached_property
    def loaded(self) -> Any:
        """The command itself."""
        return self._load()

    def make_context(self, info_name: str | None, args: list[str], *rest: Any, **extra: Any) -> Any:
        # The context is of the command itself, so all that follows is as if this one was not there.
        return self.loaded.make_context(info_name, args, *rest, **extra)

    def invoke(self, ctx: Any) -> Any:
        return ctx.command.invoke(ctx)


def typer_program(*, completion: bool = False, **settings: Any) -> typer.Typer:
    """An empty Typer program with the settings of all of ours."""
    return typer.Typer(
        add_completion=completion,
        context_settings={"help_option_names": ["-h", "--help"]},
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        **settings,
    )


def in_module(name: str, summary: str, module: str, *, completion: bool = False) -> LazyCommand:
    """The command that is ``command`` in a module, or the Typer group that is ``app`` there."""

    def load() -> Any:
        found = import_module(module)
        if (app := getattr(found, "app", None)) is not None:
            return get_command(app)
        program = typer_program(completion=completion)
        program.command(name)(found.command)
        return get_command(program)

    return LazyCommand(name, summary, load)
