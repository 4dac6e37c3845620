"""An experiment, and its tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TextIO

from qsage_validate.errors import UsageError, visible
from qsage_validate.extensions.bench.run import NO_PREPROCESSOR, Run, RunRecord, RunResult

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
