"""How options are declared, alone and in groups: a group is a frozen dataclass of options.

A parameter of a command or a field of a group has an :func:`option` or an :func:`argument` in the
place of its default.  Typer knows options as parameters of a function only: a command names a
group as one parameter, and its options stand in the help where that parameter stands.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Annotated, Any, ClassVar, Final, get_args, get_type_hints

import typer

from qsage_validate.errors import Exit

Command = Callable[..., Exit]

REQUIRED: Final = MISSING
"""The default of an option that must be given."""


@dataclass(frozen=True)
class OptionGroup:
    """The base of the dataclasses whose fields are options.

    They stand under the heading ``panel``, but for those that have one of their own.
    """

    panel: ClassVar[str | None] = None

    def given_options(self) -> Iterator[str]:
        """The options that were given, by name."""
        return (f"--{f.name}" for f in fields(self) if getattr(self, f.name) != f.default)


def option(
    text: str,
    metavar: str | None = None,
    *names: str,
    default: Any = None,
    panel: str | None = None,
    **settings: Any,
) -> Any:
    """An option with this help, called ``names`` or else as its parameter is.

    ``panel`` is the heading that it stands under, ``settings`` are those of ``typer.Option``.
    """
    info = typer.Option(*names, help=text, metavar=metavar, rich_help_panel=panel, **settings)
    return _declared(info, default)


def output_option(
    text: str, metavar: str, *names: str, panel: str | None = "Output", **settings: Any
) -> Any:
    """An option that names what is written, a file or a folder: no input is overwritten by it."""
    declared = option(text, metavar, *names, panel=panel, **settings)
    declared.metadata["typer"].is_output = True
    return declared


def flag(text: str, *names: str, **settings: Any) -> Any:
    """An option without a value, false where it is not given."""
    return option(text, None, *names, default=False, **settings)


def argument(text: str, metavar: str, default: Any = REQUIRED, **settings: Any) -> Any:
    """An argument without a name; ``settings`` are those of ``typer.Argument``."""
    return _declared(typer.Argument(help=text, metavar=metavar, **settings), default)


def _declared(info: object, default: Any) -> Any:
    return field(default=default, metadata={"typer": info})


def takes_options(command: Command) -> Command:
    """``command`` as Typer reads it, with the options of its groups in the groups' place."""
    own = inspect.signature(command, eval_str=True).parameters.values()
    groups: dict[str, type[Any]] = {p.name: p.annotation for p in own if _is_group(p.annotation)}

    def run(**values: Any) -> Exit:
        # A group may be called as an option of another one is: all are gathered first.
        gathered = {
            name: group(**{f.name: values.pop(f.name) for f in fields(group)})
            for name, group in groups.items()
        }
        return command(**gathered, **values)

    parameters: list[inspect.Parameter] = []
    for parameter in own:
        group = groups.get(parameter.name)
        if group is None:
            parameters.append(_parameter(parameter.name, parameter.annotation, parameter.default))
        else:
            hints = get_type_hints(group, include_extras=True)
            parameters += [_parameter(f.name, hints[f.name], f, group.panel) for f in fields(group)]
    return with_parameters(run, command.__doc__, parameters)


def with_parameters(
    command: Command, doc: str | None, parameters: Sequence[inspect.Parameter]
) -> Command:
    """``command``, with a signature and a help text that Typer reads in the place of its own."""
    named = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in parameters]
    command.__signature__ = inspect.Signature(named)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in named}
    command.__doc__ = doc
    command.__dict__["outputs"] = tuple(p.name for p in named if _is_output(p.annotation))
    return command


def _is_output(annotation: Any) -> bool:
    return any(getattr(info, "is_output", False) for info in get_args(annotation))


def _is_group(annotation: object) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, OptionGroup)


def _parameter(
    name: str, annotation: Any, default: object, panel: str | None = None
) -> inspect.Parameter:
    """A parameter for Typer; the option of a declared one becomes part of its annotation."""
    if isinstance(default, Field):
        info = default.metadata.get("typer")
        annotation = annotation if info is None else Annotated[annotation, info]
        default = inspect.Parameter.empty if default.default is REQUIRED else default.default
    if panel is not None and annotation.__metadata__[0].rich_help_panel is None:
        info = copy(annotation.__metadata__[0])
        info.rich_help_panel = panel
        annotation = Annotated[annotation.__origin__, info]
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=annotation)
