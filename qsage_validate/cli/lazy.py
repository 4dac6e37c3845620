"""Commands that are loaded when they run: a name, the first paragraph of the help, a loader.

To list the commands, to suggest one and to complete its name takes no more than that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from importlib import import_module
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand
from typer.main import get_command

_Run = TypeVar("_Run", bound=Callable[..., Any])


class Command(TyperCommand):
    """A command that takes the earlier spellings of its options, which its help leaves out."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        spellings: Mapping[str, str] = getattr(self.callback, "spellings", {})
        options = args[: args.index("--")] if "--" in args else args
        now = [_spelled_now(word, spellings) for word in options]
        return super().parse_args(ctx, now + args[len(now) :])


def _spelled_now(word: str, spellings: Mapping[str, str]) -> str:
    name, equals, value = word.partition("=")
    return f"{spellings.get(name, name)}{equals}{value}"


def earlier(**spellings: str) -> Callable[[_Run], _Run]:
    """Earlier spellings of a command's options, by what they are called now.

    ``earlier(dialect="--as")`` takes ``--dialect`` as ``--as``.
    """

    def spelled(command: _Run) -> _Run:
        command.__dict__["spellings"] = {f"--{old}": now for old, now in spellings.items()}
        return command

    return spelled


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
        program.command(name, cls=Command)(found.command)
        return get_command(program)

    return LazyCommand(name, summary, load)
