"""Options that belong together, as one typed value: a frozen dataclass with a field for each.

Typer knows options as parameters of a function only. A command names a group as one parameter,
and its options stand in the help where that parameter stands.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, fields
from typing import Any, get_type_hints

from qsage_validate.errors import Exit

Command = Callable[..., Exit]


class OptionGroup:
    """The base of the dataclasses whose fields are options, each annotated as Typer wants it."""


def takes_groups(command: Command) -> Command:
    """``command`` with the options of its groups in the place of the parameters that are groups."""
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
        parameters += [parameter] if group is None else _parameters(group)
    return with_parameters(run, command.__doc__, parameters)


def with_parameters(
    command: Command, doc: str | None, parameters: Sequence[inspect.Parameter]
) -> Command:
    """``command``, with a signature and a help text that Typer reads in the place of its own."""
    named = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in parameters]
    command.__signature__ = inspect.Signature(named)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in named}
    command.__doc__ = doc
    return command


def _is_group(annotation: object) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, OptionGroup)


def _parameters(group: type[Any]) -> list[inspect.Parameter]:
    annotations = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=_default(field),
            annotation=annotations[field.name],
        )
        for field in fields(group)
    ]


def _default(field: Field[Any]) -> object:
    return inspect.Parameter.empty if field.default is MISSING else field.default
