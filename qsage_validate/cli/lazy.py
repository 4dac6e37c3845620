"""Commands that are loaded when they run: a name, the first paragraph of the help, a loader.

To list the commands, to suggest one and to complete its name takes no more than that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

# The seconds, and the part of a command's time, after which a command ends that did not end itself.
_GRACE_SECONDS = 2.0
_GRACE_PART = 0.1

_Run = TypeVar("_Run", bound=Callable[..., Any])


class _Helped:
    """Help that begins with examples, and has its options in groups."""

    callback: Any
    examples: tuple[str, ...] = ()

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        examples = getattr(self.callback, "examples", self.examples)
        if examples:
            with formatter.section("Examples"):
                for line in examples:
                    formatter.write(f"{' ' * formatter.current_indent}{line}\n")
        super().format_help_text(ctx, formatter)  # type: ignore[misc]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        for heading, records in records_of(self, ctx).items():
            with formatter.section(heading):
                formatter.write_dl(records)


def records_of(command: Any, ctx: Any) -> dict[str, list[tuple[str, str]]]:
    """The entries of the help, by its headings: how a parameter is written, and what it means."""
    found: dict[str, list[tuple[str, str]]] = {"Arguments": []}
    for parameter in command.get_params(ctx):
        record = parameter.get_help_record(ctx)
        if record is not None:
            kind = "Options" if parameter.param_type_name == "option" else "Arguments"
            heading = getattr(parameter, "rich_help_panel", None) or kind
            found.setdefault(heading, []).append(record)
    return {heading: records for heading, records in found.items() if records}


@dataclass(frozen=True, slots=True)
class DeclaredCommand:
    """A command: its name, a line of help, and the module that has it (see :func:`in_module`)."""

    name: str
    help: str
    module: str


class CommandGroup(_Helped, TyperGroup):
    """A group of commands."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        super().format_options(ctx, formatter)
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        # Typer's own cuts a summary that is longer than one line.
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, _summary(c)) for name, c in commands if c is not None and not c.hidden]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


class Root(CommandGroup):
    """All commands; those of extensions are looked for where no other has the name."""

    @cached_property
    def declared(self) -> Mapping[str, Any]:
        """The commands of extensions that have other names."""
        from qsage_validate.registry import declared

        others = (c for c in declared("commands", DeclaredCommand) if c.name not in self.commands)
        return {c.name: in_module(c.name, c.help, c.module) for c in others}

    def list_commands(self, ctx: Any) -> list[str]:
        return [*super().list_commands(ctx), *self.declared]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return super().get_command(ctx, cmd_name) or self.declared.get(cmd_name)


def commands_below(command: Any) -> dict[str, Any]:
    """The commands of a group by their names, none of another command; none is loaded."""
    if not isinstance(command, TyperGroup):
        return {}
    context: Any = None
    return {name: command.get_command(context, name) for name in command.list_commands(context)}


def _summary(command: Any) -> str:
    """The first paragraph of a command's help, on one line."""
    return " ".join((command.help or "").partition("\n\n")[0].split())


class GuardedCommand(_Helped, TyperCommand):
    """A command that overwrites no input, and reads its inputs within its limits.

    It takes the earlier spellings of its options, which its help leaves out.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        spellings: Mapping[str, str] = getattr(self.callback, "spellings", {})
        options = args[: args.index("--")] if "--" in args else args
        now = [_spelled_now(word, spellings) for word in options]
        return super().parse_args(ctx, now + args[len(now) :])

    def invoke(self, ctx: Any) -> Any:
        limits = {
            parameter.name: parameter
            for parameter in self.params
            if getattr(parameter, "rich_help_panel", None) == "Limits"
        }
        timeout, memory = (
            ctx.params[name] if name in limits else None for name in ("timeout", "memory")
        )
        if timeout is None and memory is None:
            return self._invoke(ctx)
        from qsage_validate.system.alarm import alarm
        from qsage_validate.system.limits import Deadline
        from qsage_validate.system.reading import reads_within

        # What looks at the clock itself ends before, and tells more.  A time that is there without
        # being asked for is one of a part of the work.
        last = None
        if timeout is not None and limits["timeout"].default is None:
            last = timeout + _GRACE_SECONDS + _GRACE_PART * timeout
        whole = alarm(Deadline.after(last), "the command was at work")
        with reads_within(Deadline.after(timeout), memory), whole:
            return self._invoke(ctx)

    def _invoke(self, ctx: Any) -> Any:
        outputs: Sequence[str] = getattr(self.callback, "outputs", ())
        if not outputs:
            return super().invoke(ctx)
        from qsage_validate.cli.common import protect_inputs
        from qsage_validate.formats.source import inputs_guarded

        written = [ctx.params[name] for name in outputs]
        protect_inputs(written, [v for name, v in ctx.params.items() if name not in outputs])
        with inputs_guarded():
            return super().invoke(ctx)


def _spelled_now(word: str, spellings: Mapping[str, str]) -> str:
    name, equals, value = word.partition("=")
    return f"{spellings.get(name, name)}{equals}{value}"


def examples(*lines: str) -> Callable[[_Run], _Run]:
    """The command lines that a command's help begins with."""

    def shown(command: _Run) -> _Run:
        command.__dict__["examples"] = lines
        return command

    return shown


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
        program.command(name, cls=GuardedCommand)(found.command)
        return get_command(program)

    return LazyCommand(name, summary, load)
