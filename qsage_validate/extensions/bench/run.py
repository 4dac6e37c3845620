"""A run of an experiment, what it gave, and the machine that it ran on.

A field has a type in an experiment, so that a file of results is known to fit
the tables when it is read; what a table needs and a result lacks is an error at the result's place.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache, partial
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from qsage_validate import __version__
from qsage_validate.errors import InputError
from qsage_validate.formats.json_text import Json as JsonValue

# The data that experiments write about a run besides its answer, read back for their tables


_Check = Callable[[JsonValue], object]


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


def data_from_json(data: JsonValue, experiment: str) -> RunData:
    """The data of a result; raises ``InputError`` for a field that is not of its type."""
    own = _OWN.get(experiment, {})
    for name, one in data.fields().items():
        check = own.get(name) or _FIELDS.get(name)
        if check is not None and one.value is not None:
            check(one)
    found = RunData(data.mapping())
    found.lacks = partial(_lacking, data)
    return found


def _lacking(data: JsonValue, key: str) -> InputError:
    return data.error(f"no {key!r}", "the data of a result with it")


def _sizes(value: JsonValue) -> None:
    for name in ("variables", "universals", "clauses", "blocks"):
        value[name].integer()


def _answers(value: JsonValue) -> None:
    for answer in value.items():
        answer["player"].one_of("black", "white")
        answer["plies"].integer()
        answer["seconds"].number()
        truth = answer.given("truth")
        _ = truth is None or truth.boolean()


def _strategy(value: JsonValue) -> None:
    proved = value["outcome"].line() == "proved"
    for name in ("seconds", "size"):
        number = value[name] if proved else value.given(name)
        _ = number is None or number.number()
    reason = value.get("reason")
    _ = reason is None or reason.text()


_FIELDS: Final[Mapping[str, _Check]] = {
    **dict.fromkeys(("plies", "refuted_plies", "critical_plies"), lambda v: v.integer(-1)),
    **dict.fromkeys(("certificate_gates", "open", "rounds", "labelled"), JsonValue.integer),
    **dict.fromkeys(("scopes", "variables", "clauses", "gates"), JsonValue.integer),
    **dict.fromkeys(("solve_seconds", "preprocess_seconds", "encode_seconds"), JsonValue.number),
    **dict.fromkeys(("solver_seconds", "seconds", "size"), JsonValue.number),
    "never": JsonValue.boolean,
    "plain": _sizes,
    "preprocessed": _sizes,
    "answers": _answers,
    "strategy": _strategy,
}

# Names with another meaning.
_OWN: Final[Mapping[str, Mapping[str, _Check]]] = {"impartial": {"variables": JsonValue.array}}


# One run of an experiment, and its result


Json = dict[str, Any]
"""An object as ``json`` reads and writes it."""

NO_PREPROCESSOR: Final = "none"
NO_ENCODING: Final = "-"
"""The encoding of a run that needs none, as a search on the rules does."""

_MAX_WHY: Final = 300


@dataclass(frozen=True, slots=True)
class Run:
    """A run: instance, program and limits.

    ``instance`` is a name that is unique within the experiment, ``family`` the group that it is
    counted in.  ``source`` is whatever the experiment makes the instance from: words of a command
    line, names of files.  ``options`` are further facts that make a run another run, such as the
    sum of a file.  Seconds and MiB; ``None`` is no limit.  ``processor_time`` says that the limit
    is one of processor time, else it is of wall-clock time.
    """

    experiment: str
    family: str
    instance: str
    source: tuple[str, ...]
    solver: str
    encoding: str = NO_ENCODING
    preprocessor: str = NO_PREPROCESSOR
    seconds: float | None = None
    memory_mb: int | None = None
    options: tuple[tuple[str, str], ...] = ()
    processor_time: bool = False

    @property
    def question(self) -> tuple[object, ...]:
        """The question without the limits: equal for runs that differ in limits only."""
        how = (self.encoding, self.preprocessor, self.solver, self.options)
        return (self.experiment, self.instance, *how)

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for two runs exactly when the second would only repeat the first."""
        return (*self.question, self.seconds, self.memory_mb, self.processor_time)

    @property
    def configuration(self) -> str:
        """The name of the way to solve: the columns of tables, the curves of plots.

        ``bloqqer+depqbf``, or ``depqbf`` alone; an encoding other than the usual one follows.
        """
        name = self.solver
        if self.preprocessor != NO_PREPROCESSOR:
            name = f"{self.preprocessor}+{name}"
        if self.encoding not in (NO_ENCODING, "lifted"):
            name += f" ({self.encoding})"
        return name

    def within(self, seconds: float | None, memory_mb: int | None) -> Run:
        return replace(self, seconds=seconds, memory_mb=memory_mb)

    def to_dict(self) -> Json:
        """The fields; :func:`run_from_json` reads them."""
        return asdict(self) | {"options": dict(self.options)}

    def __str__(self) -> str:
        return f"{self.instance}: {self.configuration}"


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of a run.

    ``status`` is one word: for a formula ``true`` or ``false``; where there is no answer
    ``timeout``, ``memory``, ``crashed``, ``failed``, …  ``decided`` says whether it is an answer.
    ``seconds`` are time as the experiment counts it, by the clock of the run's limit;
    ``cpu_seconds`` processor time of the run with the programs that it started; ``peak_mb`` the
    most memory that one of these had.  ``data`` is what else the experiment wants to know, fit
    for JSON.
    """

    status: str
    decided: bool
    seconds: float
    why: str = ""
    cpu_seconds: float | None = None
    peak_mb: float | None = None
    data: Mapping[str, Any] = field(default_factory=dict)

    @property
    def truth(self) -> bool | None:
        """The truth of a formula that was decided, else ``None``."""
        return {"true": True, "false": False}.get(self.status) if self.decided else None

    def to_dict(self) -> Json:
        """The fields; :func:`result_from_json` reads them."""
        fields = asdict(self) | {"why": self.why[:_MAX_WHY]}
        measured = ("seconds", "cpu_seconds", "peak_mb")
        return fields | {n: round(fields[n], 4) for n in measured if fields[n] is not None}


def run_from_json(run: JsonValue) -> Run:
    """The run of :meth:`Run.to_dict`; raises ``InputError`` with the place of what is not."""
    memory = run.given("memory_mb")
    processor_time = run.get("processor_time")  # older results do not say
    return Run(
        run["experiment"].text(),
        run["family"].text(),
        run["instance"].text(),
        tuple(word.text() for word in run["source"].items()),
        run["solver"].text(),
        run["encoding"].text(),
        run["preprocessor"].text(),
        _seconds(run.given("seconds")),
        None if memory is None else int(memory.number()),
        tuple((name, value.text()) for name, value in run["options"].fields().items()),
        processor_time is not None and processor_time.boolean(),
    )


def result_from_json(result: JsonValue, experiment: str) -> RunResult:
    """The result of a run of an experiment, as :meth:`RunResult.to_dict` gives it.

    Raises ``InputError`` as ``run_from_json`` does.
    """
    return RunResult(
        result["status"].text(),
        result["decided"].boolean(),
        result["seconds"].number(),
        result["why"].text(),
        _seconds(result.given("cpu_seconds")),
        _seconds(result.given("peak_mb")),
        data_from_json(result["data"], experiment),
    )


def _seconds(value: JsonValue | None) -> float | None:
    return None if value is None else value.number()


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run that was made: on which machine (an identifier), when (UTC, ISO 8601)."""

    run: Run
    result: RunResult
    machine: str
    when: str

    def to_dict(self) -> Json:
        """The fields of the line."""
        return {
            "kind": "run",
            "run": self.run.to_dict(),
            "result": self.result.to_dict(),
            "machine": self.machine,
            "when": self.when,
        }


def record_from_json(record: JsonValue) -> RunRecord:
    """The record of :meth:`RunRecord.to_dict`; raises ``InputError`` as ``run_from_json`` does."""
    run = run_from_json(record["run"])
    result = result_from_json(record["result"], run.experiment)
    return RunRecord(run, result, record["machine"].text(), record["when"].text())


# The facts that times depend on: the machine, and the versions of programs


# Distributions that runs may rest on; those that are absent are left out.
_DISTRIBUTIONS: Final = ("python-sat", "numpy", "pyqbf", "clingo", "z3-solver", "distributed")


@cache
def machine_facts() -> Json:
    """Processor, cores, memory (MiB), system, Python, and versions of packages."""
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count() or 1,
        "memory_mb": _memory_mb(),
        "system": f"{platform.system()} {platform.release()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "versions": {"qsage-validate": __version__} | _versions(),
    }


def machine_id(facts: Json) -> str:
    """A short identifier that is equal for equal facts."""
    text = json.dumps(facts, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def describe(facts: Json) -> str:
    versions = facts.get("versions")
    named = ", ".join(f"{n} {v}" for n, v in versions.items()) if isinstance(versions, dict) else ""
    memory = facts.get("memory_mb")
    gib = f"{memory / 1024:.0f} GiB, " if isinstance(memory, int) else ""
    return (
        f"{facts.get('cpu')}, {facts.get('cores')} cores, {gib}{facts.get('system')}, "
        f"{facts.get('python')}; {named}"
    )


def _versions() -> dict[str, str]:
    found = {}
    for name in _DISTRIBUTIONS:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _cpu() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        # Not every system tells it so.
        pass
    return platform.processor() or platform.machine() or "unknown"


def _memory_mb() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
    except (AttributeError, ValueError, OSError):
        return None
