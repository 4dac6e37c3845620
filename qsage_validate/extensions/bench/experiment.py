"""Experiments: a name, a list of runs, the work of a run, and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from qsage_validate.errors import UsageError
from qsage_validate.extensions.bench.run import NO_PREPROCESSOR, Run, RunRecord, RunResult
from qsage_validate.extensions.bench.table import ResultTable


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
