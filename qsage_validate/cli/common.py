"""What the subcommands share: output, narration, option types, protection of inputs."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Iterable
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from qsage_validate.errors import UsageError

if TYPE_CHECKING:
    from qsage_validate.circuit.qbf import PrenexOrder
    from qsage_validate.kernel.certificate import Dialect

JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON object on standard output.")
]
DialectOption = Annotated[
    str | None,
    typer.Option(
        "--dialect",
        metavar="NAME",
        help="How the certificate is to be read, if not as recognised: caqe, pedant, qaiger, "
        "qbfcert-ascii or qbfcert-binary.",
    ),
]


class Prenex(str, Enum):
    """Where the quantifiers of quantifier gates go."""

    UP = "up"
    DOWN = "down"


PrenexOption = Annotated[
    Prenex | None,
    typer.Option(
        "--prenex",
        help="Where quantifier gates (QCIR) go in the prefix: up, as far out as they can, or down; "
        "by default what gives fewer scopes.",
    ),
]
GameOption = Annotated[
    tuple[str, str] | None,
    typer.Option("--game", metavar="DOMAIN PROBLEM", help="The rules (BDDL) to compare with."),
]
MetaOption = Annotated[
    str | None,
    typer.Option("--meta", metavar="FILE", help="Q-sage's meta file; else the one beside FORMULA."),
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="'MODEL'",
        help="The rules by name and options, 'httt --size 4x4 --depth 5', or one file: PG, GDL.",
    ),
]


def game_words(game: tuple[str, str] | None, model: str | None) -> tuple[str, ...]:
    """The words of ``--game`` or ``--model``; raises ``UsageError`` when both were given."""
    if game is not None and model is not None:
        raise UsageError("found --game with --model, expected one of them")
    if model is None:
        return game or ()
    try:
        return tuple(shlex.split(model))
    except ValueError as error:
        raise UsageError(f"found {model!r} for --model: {error}, expected words") from None


def prenex_order(option: Prenex | None) -> PrenexOrder | None:
    """What ``--prenex`` asks for."""
    from qsage_validate.circuit.qbf import PrenexOrder

    return None if option is None else PrenexOrder(option.value)


def parse_dialect(name: str | None) -> Dialect | None:
    """The dialect of that name; raises ``UsageError`` with the names that there are."""
    from qsage_validate.kernel.certificate import Dialect

    if name is None:
        return None
    try:
        return Dialect(name.lower())
    except ValueError:
        names = ", ".join(dialect.value for dialect in Dialect)
        raise UsageError(f"found {name!r} for --dialect, expected one of {names}") from None


def emit(text: str) -> None:
    """Write ``text`` and a newline to standard output: data, for people or programs."""
    print(text, flush=False)


def emit_json(value: Any) -> None:
    """Write ``value`` to standard output as one line of JSON, keys in the order given."""
    print(json.dumps(value, ensure_ascii=False))


def narrate(text: str) -> None:
    """Tell a person on standard error what is going on."""
    print(text, file=sys.stderr, flush=True)


def check_streams(output: str | None, json_output: bool) -> None:
    """Raise ``UsageError`` when a file and the JSON object would both go to standard output."""
    if output == "-" and json_output:
        raise UsageError("found --json with output to '-', expected one of them")


def protect_inputs(outputs: Iterable[str | None], inputs: Iterable[str | None]) -> None:
    """Raise ``UsageError`` when an output would overwrite an input or another output.

    ``None`` stands for a file that was not asked for, ``-`` for a standard stream.
    """
    taken = {_identity(path): path for path in inputs if path not in (None, "-")}
    for path in outputs:
        if path is None or path == "-":
            continue
        other = taken.get(_identity(path))
        if other is not None:
            raise UsageError(f"writing {path} would overwrite {other}: choose another file")
        taken[_identity(path)] = path


def _identity(path: str | None) -> object:
    """Equal for two paths exactly when they lead to the same file, existing or not."""
    name = os.fspath(path or "")
    try:
        status = os.stat(name)
    except OSError:
        return os.path.realpath(name)
    return status.st_dev, status.st_ino
