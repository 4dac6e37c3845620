"""One run of an experiment, and its result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

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
        """The same with other limits."""
        return replace(self, seconds=seconds, memory_mb=memory_mb)

    def as_json(self) -> Json:
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

    def as_json(self) -> Json:
        """The fields; :func:`result_from_json` reads them."""
        fields = asdict(self) | {"why": self.why[:_MAX_WHY]}
        measured = ("seconds", "cpu_seconds", "peak_mb")
        return fields | {n: round(fields[n], 4) for n in measured if fields[n] is not None}


def run_from_json(data: object) -> Run:
    """The run of :meth:`Run.as_json`; raises ``ValueError`` with what was expected."""
    fields = _object(data, "a run")
    options = _object(fields.get("options"), "the options of a run")
    source = fields.get("source")
    if not isinstance(source, list) or not all(isinstance(word, str) for word in source):
        raise ValueError("a list of words as source")
    if not all(isinstance(value, str) for value in options.values()):
        raise ValueError("words as options")
    memory = _number(fields, "memory_mb")
    processor_time = fields.get("processor_time", False)  # older results do not say
    if not isinstance(processor_time, bool):
        raise ValueError("true or false for processor_time")
    return Run(
        _text(fields, "experiment"),
        _text(fields, "family"),
        _text(fields, "instance"),
        tuple(source),
        _text(fields, "solver"),
        _text(fields, "encoding"),
        _text(fields, "preprocessor"),
        _number(fields, "seconds"),
        None if memory is None else int(memory),
        tuple(options.items()),
        processor_time,
    )


def result_from_json(data: object) -> RunResult:
    """The result of :meth:`RunResult.as_json`; raises ``ValueError`` with what was expected."""
    fields = _object(data, "a result")
    decided, seconds = fields.get("decided"), _number(fields, "seconds")
    if not isinstance(decided, bool):
        raise ValueError("true or false for decided")
    if seconds is None:
        raise ValueError("a number of seconds")
    return RunResult(
        _text(fields, "status"),
        decided,
        seconds,
        _text(fields, "why"),
        _number(fields, "cpu_seconds"),
        _number(fields, "peak_mb"),
        _object(fields.get("data"), "the data of a result"),
    )


def _object(data: object, what: str) -> Json:
    if not isinstance(data, dict):
        raise ValueError(f"{what} as an object")
    return data


def _text(fields: Json, name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str):
        raise ValueError(f"a text for {name!r}")
    return value


def _number(fields: Json, name: str) -> float | None:
    value = fields.get(name)
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        return value
    raise ValueError(f"a number or null for {name!r}")


@dataclass(frozen=True, slots=True)
class Record:
    """A run that was made: on which machine (an identifier), when (UTC, ISO 8601)."""

    run: Run
    result: RunResult
    machine: str
    when: str

    def as_json(self) -> Json:
        """The fields of the line."""
        return {
            "kind": "run",
            "run": self.run.as_json(),
            "result": self.result.as_json(),
            "machine": self.machine,
            "when": self.when,
        }


def record_from_json(fields: Json) -> Record:
    """The record of :meth:`Record.as_json`; raises ``ValueError`` with what was expected."""
    machine, when = fields.get("machine"), fields.get("when")
    if not isinstance(machine, str) or not isinstance(when, str):
        raise ValueError("texts for 'machine' and 'when'")
    run, result = run_from_json(fields.get("run")), result_from_json(fields.get("result"))
    return Record(run, result, machine, when)
