"""Commands: the form of their help, the care of all of them, and how they are loaded.

A command of :class:`Root` is loaded when it runs or shows its help: to list the commands, to
suggest one and to complete its name takes no more than a name and a line of help.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import cached_property, partial
from typing import Any

import click

from qsage_validate.cli.parameters import Argument, read
from qsage_validate.cli.streams import say
from qsage_validate.errors import Exit, UsageError
from qsage_validate.registry import DeclaredCommand, declared, load

# The seconds, and the part of a command's time, after which a command ends that did not end itself.
_GRACE_SECONDS = 2.0
_GRACE_PART = 0.1

_SETTINGS: Mapping[str, Any] = {"help_option_names": ["-h", "--help"]}


class _Helped(click.Command):
    """Help that begins with examples, and has its parameters under headings."""

    examples: tuple[str, ...] = ()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            # Click's parser does not say for which command a value is missing.
            error.ctx = error.ctx or ctx
            named = any("--model" in parameter.opts for parameter in self.params)
            if named and isinstance(error, click.NoSuchOption):
                from qsage_validate.problems.searched import check_no_option_of_games

                check_no_option_of_games(error.option_name)
            raise

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self.examples:
            with formatter.section("Examples"):
                for line in self.examples:
                    formatter.write(f"{' ' * formatter.current_indent}{line}\n")
        super().format_help_text(ctx, formatter)

    def format_arguments(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        pass  # they are the first of the headings below

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for heading, records in records_of(self, ctx).items():
            with formatter.section(heading):
                formatter.write_dl(records)


def records_of(command: click.Command, ctx: click.Context) -> dict[str, list[tuple[str, str]]]:
    """The entries of the help, by its headings: how a parameter is written, and what it means."""
    found: dict[str, list[tuple[str, str]]] = {"Arguments": []}
    for parameter in command.get_params(ctx):
        record = parameter.get_help_record(ctx)
        if record is not None:
            kind = "Arguments" if isinstance(parameter, Argument) else "Options"
            heading = getattr(parameter, "panel", None) or kind
            found.setdefault(heading, []).append(record)
    return {heading: records for heading, records in found.items() if records}


class Command(_Helped):
    """A command that overwrites no input, and reads its inputs within its limits."""

    def __init__(self, run: Callable[..., Exit], examples: tuple[str, ...]) -> None:
        parameters, callback = read(run)
        name = run.__name__.rstrip("_")  # a keyword of Python is a name with an underscore
        super().__init__(name, dict(_SETTINGS), callback, [*parameters], help=run.__doc__)
        self.examples = examples

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of the parameters that say what is written."""
        return tuple(p.name for p in self.params if getattr(p, "is_output", False))

    def invoke(self, ctx: click.Context) -> Any:
        limits = {p.name: p for p in self.params if getattr(p, "panel", None) == "Limits"}
        timeout, memory = (
            ctx.params[name] if name in limits else None for name in ("timeout", "memory")
        )
        if timeout is None and memory is None:
            return self._invoke(ctx)
        from qsage_validate.system.limits import Deadline
        from qsage_validate.system.reading import reads_within
        from qsage_validate.system.signals import alarm

        # What looks at the clock itself ends before, and tells more.  A time that is there without
        # being asked for is one of a part of the work.
        last = None
        if timeout is not None and limits["timeout"].default is None:
            last = timeout + _GRACE_SECONDS + _GRACE_PART * timeout
        whole = alarm(Deadline.after(last), "the command was at work")
        with reads_within(Deadline.after(timeout), memory), whole:
            return self._invoke(ctx)

    def _invoke(self, ctx: click.Context) -> Any:
        kinds = {p.name: p.metavar or "" for p in self.params if p.name in self.outputs}
        if not kinds:
            return super().invoke(ctx)
        from qsage_validate.cli.common import protect_inputs
        from qsage_validate.formats.source import inputs_guarded

        written = {n: ctx.params[n] for n in kinds if ctx.params[n] is not None}
        protect_inputs(written.values(), [v for n, v in ctx.params.items() if n not in kinds])
        streams: Any = nullcontext()
        for name, path in written.items():
            from qsage_validate.formats.writing import check_output, files_first

            check_output(path, kinds[name])
            streams = files_first()
        if "-" in written.values():
            if ctx.params.get("json_output"):
                raise UsageError("found --json with output to '-', expected one of them")
            # A file is alone on standard output: what is printed goes to standard error.
            streams = files_first(partial(say, sys.stderr))
        with inputs_guarded(), streams:
            return super().invoke(ctx)


def subcommand(*examples: str) -> Callable[[Callable[..., Exit]], Command]:
    """The command of a function; its help begins with these command lines."""
    return lambda run: Command(run, examples)


@click.pass_context
def _help(context: click.Context) -> None:
    """What a group does without a command."""
    if context.invoked_subcommand is None:
        print(context.get_help())


class CommandGroup(_Helped, click.Group):
    """A group of commands, whose help begins with ``examples``."""

    def __init__(self, *examples: str, **settings: Any) -> None:
        super().__init__(
            context_settings=dict(_SETTINGS),
            callback=_help,
            invoke_without_command=True,
            **settings,
        )
        self.examples = examples

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_options(ctx, formatter)
        # Click's list cuts a summary that is longer than one line.
        with formatter.section("Commands"):
            formatter.write_dl([(n, _summary(c.help)) for n, c in commands_below(self).items()])


class LazyCommand(click.Command):
    """A command or a group at a place, which is loaded when it runs or shows its help.

    The place is one of :func:`qsage_validate.registry.load`.
    """

    def __init__(self, name: str, help: str, place: str) -> None:
        super().__init__(name, help=help)
        self._place = place

    @cached_property
    def loaded(self) -> Any:
        return load(self._place)

    def make_context(self, *given: Any, **extra: Any) -> click.Context:
        # The context is of the command itself, so all that follows is as if this one was not there.
        made: click.Context = self.loaded.make_context(*given, **extra)
        return made

    def invoke(self, ctx: click.Context) -> Any:
        return ctx.command.invoke(ctx)


class Root(CommandGroup):
    """All commands; those of extensions are looked for where no other has the name."""

    @cached_property
    def declared(self) -> Mapping[str, LazyCommand]:
        """The commands of extensions that have other names."""
        others = (c for c in declared("commands", DeclaredCommand) if c.name not in self.commands)
        return {c.name: LazyCommand(c.name, c.help, f"{c.module}:command") for c in others}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*super().list_commands(ctx), *self.declared]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return super().get_command(ctx, cmd_name) or self.declared.get(cmd_name)


def commands_below(command: Any) -> dict[str, Any]:
    """The commands of a group by their names, none of another command; none is loaded."""
    if not isinstance(command, click.Group):
        return {}
    context: Any = None
    return {name: command.get_command(context, name) for name in command.list_commands(context)}


def _summary(help: str | None) -> str:
    """The first paragraph of a help, on one line."""
    return " ".join((help or "").partition("\n\n")[0].split())


def completion_options() -> list[click.Option]:
    """The options of a program that set up its completion."""

    def done(context: click.Context, option: click.Parameter, shell: str | None) -> None:
        if shell is not None:
            from qsage_validate.cli import completion

            work = completion.show if option is shown else completion.install
            work(context, option.opts[0], shell, variable_of(context.command_path))
            context.exit()

    installed, shown = (
        click.Option(
            [f"--{work}-completion"],
            metavar="SHELL",
            help=text,
            callback=done,
            is_eager=True,
            expose_value=False,
            default=None,
        )
        for work, text in (
            ("install", "Let a shell complete words: bash, zsh or fish."),
            ("show", "Print the script for it, also for powershell."),
        )
    )
    return [installed, shown]


def variable_of(program: str) -> str:
    """The environment variable by which a shell asks a program for completions."""
    return f"_{program.replace('-', '_').upper()}_COMPLETE"


def run_words(program: click.Command, words: Sequence[str], name: str) -> int:
    """The exit code of a program; raises what goes wrong."""
    try:
        with program.make_context(name, _with_samples(words)) as context:
            return int(context.command.invoke(context) or 0)
    except click.exceptions.Exit as end:  # help was shown
        return end.exit_code


def _with_samples(arguments: Sequence[str]) -> list[str]:
    """``arguments``, with the file of the package in the place of each ``sample:NAME``."""
    if not any(word.startswith("sample:") for word in arguments):
        return list(arguments)
    from qsage_validate.formats.source import sample_path

    return [sample_path(word) for word in arguments]
