"""An experiment: its runs, what they gave, the machine that they ran on, and its tables.

A field has a type in an experiment, so that a file of results is known to fit
the tables when it is read; what a table needs and a result lacks is an error at the result's place.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cache, partial
from importlib import metadata
from pathlib import Path
from typing import Any, Final, TextIO

from qsage_validate import __version__
from qsage_validate.errors import InputError, UsageError, visible
from qsage_validate.formats.json_text import Json as JsonValue
from qsage_validate.system.limits import Deadline
from qsage_validate.system.programs import run_program

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
        run["processor_time"].boolean(),
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
    """Processor, cores, memory (MiB), system, Python, versions, and the commit of a checkout."""
    commit = _commit()
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count() or 1,
        "memory_mb": _memory_mb(),
        "system": f"{platform.system()} {platform.release()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "versions": {"qsage-validate": __version__} | _versions(),
    } | ({"commit": commit} if commit else {})


def machine_id(facts: Json) -> str:
    """A short identifier that is equal for equal facts."""
    text = json.dumps(facts, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def describe(facts: Json) -> str:
    versions = facts.get("versions")
    named = ", ".join(f"{n} {v}" for n, v in versions.items()) if isinstance(versions, dict) else ""
    memory = facts.get("memory_mb")
    gib = f"{memory / 1024:.0f} GiB, " if isinstance(memory, int) else ""
    commit = facts.get("commit")
    return (
        f"{facts.get('cpu')}, {facts.get('cores')} cores, {gib}{facts.get('system')}, "
        f"{facts.get('python')}; {named}" + (f"; commit {commit}" if commit else "")
    )


def _versions() -> dict[str, str]:
    found = {}
    for name in _DISTRIBUTIONS:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _commit() -> str:
    """The commit of the checkout that this package is imported from; empty where there is none.

    ``+`` behind it says that files of the checkout differ from the commit.
    """
    root = Path(__file__).resolve().parents[3]
    if not (root / ".git").exists():
        return ""
    words = ["git", "-C", str(root), "describe", "--always", "--dirty=+", "--abbrev=12"]
    try:
        done = run_program([*words, "--exclude=*"], deadline=Deadline.after(10))
    except UsageError:
        # A system without limits runs no program; results are read there all the same.
        return ""
    return done.stdout.decode().strip() if done.returncode == 0 else ""


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


# A table of words and numbers, as it is shown in a terminal and in a document


@dataclass(frozen=True)
class ResultTable:
    """A title, names of columns, rows of cells, and remarks below.

    The first ``left`` columns are aligned to the left, the others to the right.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    left: int = 1

    def __post_init__(self) -> None:
        assert all(len(row) == len(self.columns) for row in self.rows)

    def markdown(self) -> str:
        lines = [f"**{self.title}**", ""] if self.title else []
        lines.append(_line(map(_cell, self.columns)))
        lines.append("|" + "|".join("---" if k < self.left else "--:" for k in self._places) + "|")
        lines += [_line(map(_cell, row)) for row in self.rows]
        lines += ["", *(f"- {visible(note)}" for note in self.notes)] if self.notes else []
        return "\n".join(lines) + "\n"

    def csv(self) -> str:
        """Columns and rows as RFC 4180 has them, with line feeds; title and notes are left out."""
        import csv
        import io

        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(
            [visible(cell) for cell in row] for row in (self.columns, *self.rows)
        )
        return text.getvalue()

    def show(self, stream: TextIO, width: int | None = None) -> None:
        """Print the table; colours and the width are those of the terminal that it goes to."""
        from rich import box
        from rich.table import Table as Shown
        from rich.text import Text

        from qsage_validate.render.console import PlainConsole

        console = PlainConsole(file=stream, width=width, highlight=False)
        if width is None and not console.is_terminal:
            console = PlainConsole(file=stream, width=max(80, self._width()), highlight=False)
        shown = Shown(title=Text(self.title), box=box.SIMPLE, title_justify="left")
        for k, name in enumerate(self.columns):
            shown.add_column(Text(name), justify="left" if k < self.left else "right")
        for row in self.rows:
            shown.add_row(*map(Text, row))
        console.print(shown)
        for note in self.notes:
            console.print(Text(f"  {note}"), soft_wrap=not console.is_terminal)

    @property
    def _places(self) -> range:
        return range(len(self.columns))

    def _width(self) -> int:
        widest = [max(map(len, column)) for column in zip(self.columns, *self.rows, strict=True)]
        return sum(widest) + 3 * len(widest) + 4


def _line(cells: Sequence[str] | map[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    return visible(text).replace("|", "\\|").replace("\n", " ")


# Experiments: a name, a list of runs, the work of a run, and tables


def no_note(text: str) -> None:
    """Nobody wants to know what is passed over."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The part of an experiment to run, and its limits.

    ``None`` leaves the choice to the experiment.  ``inputs`` are files and folders, ``models``
    games as words of the command line, ``only`` patterns of which an instance's name has to match
    one, ``options`` those that the experiment declares; ``note`` is told of what is passed over.
    Seconds (of a processor with
    ``processor_time``) and MiB a run.
    """

    solvers: tuple[str, ...] | None = None
    preprocessors: tuple[str, ...] | None = None
    encodings: tuple[str, ...] | None = None
    inputs: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    seconds: float | None = 60.0
    memory_mb: int | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    processor_time: bool = False
    note: Callable[[str], None] = field(default=no_note, compare=False, repr=False)

    def takes(self, instance: str) -> bool:
        """True if an instance of that name is wanted."""
        return not self.only or any(fnmatchcase(instance, pattern) for pattern in self.only)

    def depths(self) -> tuple[int, ...] | None:
        """The numbers of the option ``depth``, ``None`` without it; ``UsageError`` for others."""
        text = self.options.get("depth")
        if text is None:
            return None
        words = text.split(",")
        if not all(word.isascii() and word.isdigit() and int(word) > 0 for word in words):
            raise UsageError(f"found {text!r} for depth, expected numbers of plies such as 5,7")
        return tuple(dict.fromkeys(map(int, words)))

    def runs(
        self, experiment: str, instances: Iterable[Instance], configs: Sequence[Configuration]
    ) -> list[Run]:
        """Every wanted instance in every configuration, one after the other within an instance.

        Raises ``UsageError`` when a pattern leaves nothing over.
        """
        runs = [
            Run(
                experiment,
                instance.family,
                instance.name,
                instance.source,
                config.solver,
                config.encoding,
                config.preprocessor,
                self.seconds,
                self.memory_mb,
                instance.options,
                self.processor_time,
            )
            for instance in instances
            if self.takes(instance.name)
            for config in configs
            if instance.fits is None or instance.fits(config)
        ]
        if not runs and self.only:
            patterns = ", ".join(map(repr, self.only))
            raise UsageError(f"found no instance called {patterns}, expected one (see --list)")
        return runs


@dataclass(frozen=True, slots=True)
class Configuration:
    """A way to solve instances: a column of a table.

    Those that are to be told apart differ in one of these names; a method of a solver is part
    of its name (``certify:search``).
    """

    solver: str
    encoding: str
    preprocessor: str = NO_PREPROCESSOR


@dataclass(frozen=True, slots=True)
class Instance:
    """A question to solve; its name is unique within the experiment.

    ``source`` is what a run makes it from, ``options`` are facts that make it another instance
    (the sum of a file); ``fits`` says which configurations suit it (``None``: all).
    """

    family: str
    name: str
    source: tuple[str, ...]
    options: tuple[tuple[str, str], ...] = ()
    fits: Callable[[Configuration], bool] | None = None


Tabulate = Callable[[Sequence[RunRecord]], ResultTable]


@dataclass(frozen=True)
class Experiment:
    """A set of runs that are independent of each other.

    ``runs`` lists them; it raises ``UsageError`` for what it does not know or a program that is
    not there, before any run starts.  ``execute`` does one in a process of its own, on
    this machine or another one: it keeps the run's time limit by itself and returns its result;
    ``UndecidedError`` means "undecided", ``MemoryError`` "memory", any other exception is the
    result "crashed" or "failed".  ``tables`` are made from records by name; the first is shown
    at the end of a campaign.  ``inputs`` says what files the experiment takes (empty: none),
    ``by_name`` whether it takes games by name, ``options`` what ``--set NAME=VALUE`` may set, with
    a line of help each; ``formulas`` takes records of runs that ask several formulas apart, into a
    record for each; ``processor_time`` whether its runs can keep limits of processor time.
    """

    name: str
    runs: Callable[[Selection], list[Run]]
    execute: Callable[[Run], RunResult]
    tables: Mapping[str, Tabulate]
    inputs: str = ""
    by_name: bool = False
    options: Mapping[str, str] = field(default_factory=dict)
    formulas: Callable[[Sequence[RunRecord]], Sequence[RunRecord]] | None = None
    processor_time: bool = True

    def select(self, selection: Selection) -> list[Run]:
        """The runs that are wanted, each once.

        Raises ``UsageError`` for inputs or options that the experiment does not take.
        """
        if selection.inputs and not self.inputs:
            raise UsageError(f"found {selection.inputs[0]!r} for {self.name}, which takes no files")
        if selection.models and not self.by_name:
            raise UsageError(f"found --model for {self.name}, which takes no games by name")
        if selection.processor_time and not self.processor_time:
            raise UsageError(f"found --processor-time for {self.name}, which keeps wall-clock time")
        for name in selection.options:
            if name not in self.options:
                known = ", ".join(self.options) or "none"
                raise UsageError(f"found the option {name!r} for {self.name}, expected: {known}")
        return list({run.key: run for run in self.runs(selection)}.values())
