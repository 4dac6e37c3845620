"""The data that experiments write about a run besides its answer, read back for their tables.

A field has a type in an experiment, so that a file of results is known to fit
the tables when it is read; what a table needs and a result lacks is an error at the result's place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from qsage_validate.errors import InputError
from qsage_validate.formats.json_text import Json

_Check = Callable[[Json], object]


class RunData(dict[str, Any]):
    """The data of a result; a field that is not there, or null, is an error at the result's place.

    Those that :meth:`get` finds may be either.
    """

    lacks: Callable[[str], Exception] = KeyError

    def __getitem__(self, key: str) -> Any:
        found = self.get(key)
        if found is None:
            raise self.lacks(key)
        return found


def data_from_json(data: Json, experiment: str) -> RunData:
    """The data of a result; raises ``InputError`` for a field that is not of its type."""
    own = _OWN.get(experiment, {})
    for name, field in data.fields().items():
        check = own.get(name) or _FIELDS.get(name)
        if check is not None and field.value is not None:
            check(field)
    found = RunData(data.mapping())
    found.lacks = partial(_lacking, data)
    return found


def _lacking(data: Json, key: str) -> InputError:
    return data.error(f"no {key!r}", "the data of a result with it")


def _sizes(value: Json) -> None:
    for name in ("variables", "universals", "clauses", "blocks"):
        value[name].integer()


def _answers(value: Json) -> None:
    for answer in value.items():
        answer["player"].one_of("black", "white")
        answer["plies"].integer()
        answer["seconds"].number()
        truth = answer.given("truth")
        _ = truth is None or truth.boolean()


def _strategy(value: Json) -> None:
    proved = value["outcome"].line() == "proved"
    for name in ("seconds", "size"):
        number = value[name] if proved else value.given(name)
        _ = number is None or number.number()
    reason = value.get("reason")
    _ = reason is None or reason.text()


_FIELDS: Final[Mapping[str, _Check]] = {
    **dict.fromkeys(("plies", "refuted_plies", "critical_plies"), lambda v: v.integer(-1)),
    **dict.fromkeys(("certificate_gates", "open", "rounds", "labelled"), Json.integer),
    **dict.fromkeys(("scopes", "variables", "clauses", "gates"), Json.integer),
    **dict.fromkeys(("solve_seconds", "preprocess_seconds", "encode_seconds"), Json.number),
    **dict.fromkeys(("solver_seconds", "seconds", "size"), Json.number),
    "never": Json.boolean,
    "plain": _sizes,
    "preprocessed": _sizes,
    "answers": _answers,
    "strategy": _strategy,
}

# Names with another meaning.
_OWN: Final[Mapping[str, Mapping[str, _Check]]] = {"impartial": {"variables": Json.array}}
