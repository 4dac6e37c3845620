"""The words of the library's errors: parameters as Python writes them, not options of commands."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from qsage_validate.errors import QsageError, UndecidedError, UsageError

_P = ParamSpec("_P")
_R = TypeVar("_R")

_OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]*)")
_OTHER_NAMES = {"level": "levels"}


def parameter_words(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """The function, whose errors call its parameters ``route=`` where a command says ``--route``.

    The modules behind library and commands write options.  Options that the function has no
    parameter for stay as they are, unless the function takes any parameter (``**parameters``).
    """

    @wraps(function)
    def called(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return function(*args, **kwargs)
        except (UsageError, UndecidedError) as error:
            _rename(error, function)
            raise

    return called


def _rename(error: QsageError, function: Callable[..., object]) -> None:
    from inspect import Parameter, signature

    known = signature(function).parameters
    takes_any = any(p.kind is Parameter.VAR_KEYWORD for p in known.values())

    def renamed(option: re.Match[str]) -> str:
        name = option[1].replace("-", "_")
        name = _OTHER_NAMES.get(name, name)
        return f"{name}=" if takes_any or name in known else option[0]

    error.args = tuple(
        _OPTION.sub(renamed, arg) if isinstance(arg, str) else arg for arg in error.args
    )
