"""How options and arguments are declared, alone and in groups.

A parameter of a command or a field of a group has an :func:`option`, a :func:`flag` or an
:func:`argument` in the place of its default.  What several commands have is declared once, as an
annotation: ``JsonOption = Annotated[bool, flag("…", "--json")]``.  A group is a frozen dataclass of
options: a command names it as one parameter, and its options stand in the help in that place.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from enum import Enum
from functools import cache
from types import NoneType
from typing import Annotated, Any, ClassVar, Final, Protocol, get_args, get_origin, get_type_hints

import click
from click.types import FloatParamType, IntParamType

from qsage_validate.errors import UsageError

REQUIRED: Final = MISSING
"""The default of an option that must be given."""

Complete = Callable[[str], list[str]]
"""The words that the shell offers for the begin of one."""


class Option(click.Option):
    """An option, with what a command is to know of it.

    ``panel`` is the heading of the help that it stands under; one that ``comes_last`` stands behind
    all others there; ``is_output`` says that it names what is written.
    """

    panel: str | None = None
    comes_last = False
    is_output = False


class Argument(click.Argument):
    """An argument, whose metavar in the help has no brackets."""

    panel: str | None = None
    comes_last = False
    is_output = False

    def get_usage_pieces(self, ctx: click.Context) -> list[str]:
        (piece,) = super().get_usage_pieces(ctx)
        return [piece if self.required else f"[{piece}]"]


Parameter = Option | Argument


class _Words(click.Choice[str]):
    """The values of an enumeration."""

    def __init__(self, kind: type[Enum]) -> None:
        super().__init__([member.value for member in kind])
        self._kind = kind

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        return self._kind(super().convert(value, param, ctx))


def _offers(complete: Complete | str) -> Complete:
    """What completes a word; the module of names is loaded when the key is pressed."""
    if not isinstance(complete, str):
        return complete
    from qsage_validate.cli import completion

    offers: Complete = getattr(completion, complete)
    return offers


@dataclass(frozen=True)
class _Declared:
    """What an option or an argument is, but for its name and its type."""

    kind: type[Option] | type[Argument]
    text: str
    metavar: str | None
    names: tuple[str, ...] = ()
    panel: str | None = None
    is_output: bool = False
    min: float | None = None
    max: float | None = None
    complete: Complete | str | None = None
    callback: Callable[[Any], Any] | None = None

    def parameter(self, name: str, annotation: Any, default: Any, panel: str | None) -> Parameter:
        """The parameter of a command that is called ``name``; ``panel`` is its group's."""
        names = [name]
        if self.kind is Option:
            names += self.names or [f"--{name.replace('_', '-')}"]
        settings = self._typed(annotation)
        if self.metavar is not None:
            settings["metavar"] = self.metavar
        if self.kind is Argument and settings.pop("multiple", False):
            settings["nargs"] = -1
        required = default is REQUIRED
        if not required:
            settings["default"] = default.value if isinstance(default, Enum) else default
        if self.kind is Option:
            settings["show_default"] = default not in (REQUIRED, None, "", ())
        complete, callback = self.complete, self.callback
        if complete is not None:
            settings["shell_complete"] = lambda ctx, param, incomplete: _offers(complete)(
                incomplete
            )
        if callback is not None:
            settings["callback"] = lambda ctx, param, value: callback(value)
        made: Parameter = self.kind(names, required=required, help=self.text, **settings)
        made.panel, made.is_output = self.panel or panel, self.is_output
        return made

    def _typed(self, annotation: Any) -> dict[str, Any]:
        """What Click is told of a type: ``tuple[str, ...]`` may be given several times."""
        inner = get_args(annotation)
        if NoneType in inner:
            (annotation,) = (kind for kind in inner if kind is not NoneType)
            inner = get_args(annotation)
        if get_origin(annotation) is tuple:
            if inner[-1] is Ellipsis:
                return {"multiple": True, **self._typed(inner[0])}
            return {"type": inner}
        if annotation is bool:
            return {"is_flag": True}
        if issubclass(annotation, Enum):
            return {"type": _Words(annotation)}
        if annotation is str:
            return {"type": str}
        kind: click.ParamType[Any] = IntParamType() if annotation is int else FloatParamType()
        if (self.min, self.max) != (None, None):  # Click's help would have the range "x<=None"
            limited = click.IntRange if annotation is int else click.FloatRange
            kind = limited(self.min, self.max)  # type: ignore[arg-type]
        # Click's own names are ranges of integers and floats.
        kind.name = "whole number" if annotation is int else "number"
        return {"type": kind, "metavar": "N"}


def option(
    text: str,
    metavar: str | None = None,
    *names: str,
    default: Any = None,
    **settings: Any,
) -> Any:
    """An option with this help, called ``names`` or else as its parameter is.

    Further settings: ``panel``, the heading that it stands under; ``min`` and ``max`` of a number;
    ``complete``, the shell's offers, or their name in the module ``completion``; ``callback``, what
    is done with its value when it is read.
    """
    return _field(_Declared(Option, text, metavar, names, **settings), default)


def output_option(
    text: str, metavar: str, *names: str, panel: str | None = "Output", **settings: Any
) -> Any:
    """An option that names what is written, a file or a folder: no input is overwritten by it."""
    return option(text, metavar, *names, panel=panel, is_output=True, **settings)


def flag(text: str, *names: str, **settings: Any) -> Any:
    """An option without a value, false where it is not given."""
    return option(text, None, *names, default=False, **settings)


def argument(text: str, metavar: str, default: Any = REQUIRED, **settings: Any) -> Any:
    """An argument without a name; ``settings`` as those of :func:`option`."""
    return _field(_Declared(Argument, text, metavar, **settings), default)


def _field(declared: _Declared, default: Any) -> Any:
    return field(default=default, metadata={"declared": declared})


class Gathered(Protocol):
    """What a command takes as one value, of several parameters."""

    def parameters(self) -> Sequence[Parameter]:
        """These parameters."""

    def gather(self, values: dict[str, Any]) -> Any:
        """The value; what belongs to it is taken out of ``values``."""


@dataclass(frozen=True)
class OptionGroup:
    """The base of the dataclasses whose fields are options.

    They stand under the heading ``panel``, but for those that have one of their own.
    """

    panel: ClassVar[str | None] = None

    def given_options(self) -> Iterator[str]:
        """The options that were given, by name."""
        given = (f.name for f in fields(self) if getattr(self, f.name) != f.default)
        return (f"--{name.replace('_', '-')}" for name in given)

    def refuse(self, beside: str) -> None:
        """Raise ``UsageError`` for an option that was given ``beside`` what has no use for it."""
        for name in self.given_options():
            raise UsageError(f"found {name} with {beside}")

    @classmethod
    def parameters(cls) -> Sequence[Parameter]:
        return cls._own()[0]

    @classmethod
    def gather(cls, values: dict[str, Any]) -> Any:
        return cls(**_gathered(cls._own()[1], [f.name for f in fields(cls)], values))

    @classmethod
    @cache
    def _own(cls) -> _Read:
        hints = get_type_hints(cls, include_extras=True)
        return _read(((f.name, hints[f.name], f) for f in fields(cls)), cls.panel)


_Read = tuple[list[Parameter], dict[str, Gathered]]
"""Parameters one by one, and the groups that some of them are gathered in, by their names."""


def _read(declared: Iterable[tuple[str, Any, Any]], panel: str | None = None) -> _Read:
    """What is ``declared`` by names, annotations and defaults."""
    parameters: list[Parameter] = []
    groups: dict[str, Gathered] = {}
    for name, annotation, default in declared:
        group = annotation if _is_group(annotation) else getattr(default, "default", default)
        if hasattr(group, "gather"):
            groups[name] = group
            parameters += group.parameters()
        else:
            parameters.append(parameter(name, annotation, default, panel))
    return parameters, groups


def _gathered(
    groups: Mapping[str, Gathered], names: Sequence[str], values: dict[str, Any]
) -> dict[str, Any]:
    """The values of ``names``, which are taken out of ``values``."""
    # A group may be called as an option of another one is: all groups are gathered first.
    found = {name: group.gather(values) for name, group in groups.items()}
    return found | {name: values.pop(name) for name in names if name not in groups}


def read(run: Callable[..., Any]) -> tuple[list[Parameter], Callable[..., Any]]:
    """The parameters of a function, and the function that takes their values one by one."""
    own = inspect.signature(run, eval_str=True).parameters
    parameters, groups = _read((p.name, p.annotation, p.default) for p in own.values())
    parameters.sort(key=lambda made: made.comes_last)
    names = [made.name for made in parameters]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"duplicate parameter name: {name!r}")
    return parameters, lambda **values: run(**_gathered(groups, [*own], values))


def _is_group(annotation: object) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, OptionGroup)


def parameter(name: str, annotation: Any, default: Any, panel: str | None = None) -> Parameter:
    """The parameter of a command that a function or a group declares so."""
    declared: Any = default
    if get_origin(annotation) is Annotated:
        annotation, declared = get_args(annotation)
    found: _Declared = declared.metadata["declared"]
    if default is inspect.Parameter.empty:
        default = REQUIRED
    elif isinstance(default, Field):
        default = default.default
    return found.parameter(name, annotation, default, panel)
