"""``qsage bench``: runs experiments, shows and compares results."""

from __future__ import annotations

import math
import os
import re
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, TextIO

from qsage_validate.cli.commands import Command, CommandGroup, subcommand
from qsage_validate.cli.common import emit, emit_json, narrate
from qsage_validate.cli.options import JsonOption
from qsage_validate.cli.parameters import OptionGroup, argument, flag, option, output_option
from qsage_validate.errors import Exit, InputError, UsageError, did_you_mean
from qsage_validate.extensions.bench.campaign import (
    RETRY,
    DaskScheduler,
    LocalScheduler,
    disagreements,
    experiments,
    get_experiment,
    latest,
    open_results,
    read_all,
    read_runs,
    reference,
    remaining,
    run_campaign,
)
from qsage_validate.system.signals import orderly_termination

if TYPE_CHECKING:
    from rich.progress import Progress

    from qsage_validate.extensions.bench.campaign import CampaignTally, Results, Scheduler
    from qsage_validate.extensions.bench.experiment import Experiment, Run, RunRecord, Selection


# ``qsage bench table``, ``cactus`` and ``scatter``: what results come to


ResultsArgument = Annotated[
    tuple[str, ...], argument("Files that experiments have written.", "RESULTS...")
]
ProcessorOption = Annotated[bool, flag("Processor time in the place of wall-clock time.")]
OnlyOption = Annotated[
    tuple[str, ...], option("Instances so called: 'httt*'. May be repeated.", "PATTERN")
]
FormulasOption = Annotated[bool, flag("Each formula of a run by itself, where a run asks several.")]
PictureOption = Annotated[
    str | None,
    output_option("Write a picture: .png, .svg or .pdf.", "FILE", "-o", "--output", panel=None),
]


@subcommand(
    "qsage bench table bench-table2.jsonl",
    "qsage bench table bench-table2.jsonl --table runs --csv",
)
def table(
    results: ResultsArgument,
    kind: str | None = option("Which; the experiment's first if not said.", "NAME", "--table"),
    only: OnlyOption = (),
    cpu: ProcessorOption = False,
    markdown: bool = flag("As Markdown, for a document."),
    csv: bool = flag("As CSV, for a spreadsheet or pandas."),
    output: str | None = output_option(
        "Write Markdown, or CSV, to a file.", "FILE", "-o", "--output"
    ),
) -> Exit:
    """Show results as a table: one of the experiment's own, or summary, times, runs.

    Exit code 1: solvers contradict each other.
    """
    from qsage_validate.extensions.bench.experiment import describe
    from qsage_validate.formats.writing import write_atomic

    if markdown and csv:
        raise UsageError("found --markdown with --csv, expected one of them")
    found = _read(results, only, cpu)
    tables = get_experiment(found.experiment).tables
    chosen = next(iter(tables)) if kind is None else kind
    if chosen not in tables:
        names = ", ".join(tables)
        near = did_you_mean(chosen, tables)
        raise UsageError(f"found {chosen!r} for --table{near}, expected one of {names}")
    shown = tables[chosen](found.records)
    if output is not None:
        write_atomic(output, shown.csv() if csv else shown.markdown())
    elif csv or markdown:
        emit((shown.csv() if csv else shown.markdown()).rstrip("\n"))
    else:
        shown.show(sys.stdout)
    used = {record.machine for record in found.records}
    for identifier, facts in found.machines.items():
        if identifier in used:
            narrate(f"made on: {describe(facts)}")
    return exit_code(found.records)


@subcommand(
    "qsage bench cactus bench-table2.jsonl -o cactus.svg",
    "qsage bench cactus hein.jsonl --by seconds --by memory --split -o answers.svg",
)
def cactus(
    results: ResultsArgument,
    only: OnlyOption = (),
    cpu: ProcessorOption = False,
    by: tuple[str, ...] = option(
        "seconds (default) or memory; may be repeated.", "WHAT", default=()
    ),
    split: bool = flag("False answers and true ones apart."),
    formulas: FormulasOption = False,
    output: PictureOption = None,
    title: str = option("The picture's title.", default=""),
) -> Exit:
    """Show how many instances each way decides within how many seconds, or MB, each."""
    from qsage_validate.extensions.bench.plots import (
        MEASURES,
        SECONDS,
        cactus_table,
        check_picture,
        panels,
        write_cactus,
    )

    if output is not None:
        check_picture(output)
    unknown = [name for name in by if name not in MEASURES]
    if unknown:
        near, known = did_you_mean(unknown[0], MEASURES), " or ".join(MEASURES)
        raise UsageError(f"found {unknown[0]!r} for --by{near}, expected {known}")
    measures = [MEASURES[name] for name in dict.fromkeys(by or (SECONDS.name,))]
    found = _read(results, only, cpu)
    rows = panels(_formulas(found, formulas), measures, split=split)
    for row in rows:
        for panel in row:
            cactus_table(panel).show(sys.stdout)
    if output is not None:
        write_cactus(rows, output, title or found.experiment)
        narrate(f"{output}: written")
    return Exit.FINE


@subcommand(
    "qsage bench scatter results.jsonl -x caqe -y depqbf",
    "qsage bench scatter results.jsonl -x caqe -y depqbf -o scatter.svg",
)
def scatter(
    results: ResultsArgument,
    x: str | None = option("Such as bloqqer+depqbf.", "WAY", "-x"),
    y: str | None = option("The way to compare with.", "WAY", "-y"),
    only: OnlyOption = (),
    cpu: ProcessorOption = False,
    formulas: FormulasOption = False,
    output: PictureOption = None,
    title: str = option("The picture's title.", default=""),
) -> Exit:
    """Compare two ways on the instances that both were run on."""
    from qsage_validate.extensions.bench.plots import (
        check_picture,
        comparison,
        comparison_notes,
        configuration_names,
        scatter_text,
        write_scatter,
    )

    if output is not None:
        check_picture(output)
    found = _read(results, only, cpu)
    records = _formulas(found, formulas)
    configs = configuration_names(records)
    if (x is None or y is None) and len(configs) != 2:
        raise UsageError(f"expected -x and -y, two of {', '.join(configs)}")
    x_name = x or next(config for config in configs if config != y)
    compared = comparison(
        records, x_name, y or next(config for config in configs if config != x_name)
    )
    emit(scatter_text(compared) + "\n" + "\n".join(comparison_notes(compared)))
    if output is not None:
        write_scatter(compared, output, title or found.experiment)
        narrate(f"{output}: written")
    return Exit.FINE


def _formulas(found: Results, apart: bool) -> Sequence[RunRecord]:
    """The records, or those of their formulas; ``UsageError`` where runs have one formula each."""
    if not apart:
        return found.records
    take_apart = get_experiment(found.experiment).formulas
    if take_apart is None:
        raise UsageError(f"found --formulas with {found.experiment}, whose runs ask one thing each")
    return take_apart(found.records)


def _read(paths: Sequence[str], only: Sequence[str], cpu: bool) -> Results:
    from dataclasses import replace

    from qsage_validate.extensions.bench.experiment import Selection
    from qsage_validate.extensions.bench.plots import by_processor

    found = read_all(paths)
    if found.warning is not None:
        narrate(found.warning)
    selection = Selection(only=tuple(only))
    records = [record for record in found.records if selection.takes(record.run.instance)]
    if not records:
        called = f" of {', '.join(map(repr, only))}" if only and found.records else ""
        raise InputError(found.path, None, None, f"no runs{called}", "results of qsage bench")
    return replace(found, records=tuple(by_processor(records) if cpu else records))


def exit_code(records: Sequence[RunRecord]) -> Exit:
    """Name the contradictions between solvers on standard error; refuted when there are any."""
    found = disagreements(records)
    for disagreement in found:
        narrate(f"solvers contradict each other on {disagreement}")
    return Exit.REFUTED if found else Exit.FINE


# ``qsage bench``: experiments that leave evidence, and tables and plots of it


class _Group(CommandGroup):
    """Names the experiments when a name is unknown."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and not args[0].startswith("-") and args[0] not in self.commands:
            names = ", ".join(self.commands)
            near = did_you_mean(args[0], self.commands)
            raise UsageError(
                f"found the unknown experiment {args[0]!r}{near}, expected one of {names}"
            )
        return super().resolve_command(ctx, args)


command = _Group(
    "qsage bench table2 --only 'httt*3x3*' --timeout 10",
    "qsage bench table bench-table2.jsonl",
    help="Run experiments, and make tables and plots of their results.",
)


# --- Experiments ----------------------------------------------------------------------------


@dataclass(frozen=True)
class WhatOptions(OptionGroup):
    """The runs to make: on which games, by which solvers."""

    panel = "What is run"

    model: tuple[str, ...] = option(
        "Of the experiment 'models': a game by name and options, 'httt --size 4x4 --depth 5'. "
        "May be repeated. Of 'encodings': the game of the formulas, by name or one file.",
        "'MODEL'",
        default=(),
    )
    game: tuple[str, str] | None = option(
        "Of the experiment 'encodings': the game of the formulas (BDDL).", "DOMAIN PROBLEM"
    )
    models: tuple[str, ...] = option("A folder of BDDL files. May be repeated.", "DIR", default=())
    solver: tuple[str, ...] = option(
        "search, a QBF solver, or certify:ROUTE. May be repeated.",
        "NAME",
        complete="solvers",
        default=(),
    )
    preprocess: tuple[str, ...] = option(
        "none, bloqqer, hqspre or qratpre. May be repeated.", "NAME", default=()
    )
    encoding: tuple[str, ...] = option("An encoding. May be repeated.", "NAME", default=())
    only: OnlyOption = ()
    setting: tuple[str, ...] = option(
        "An option of the experiment.", "NAME=VALUE", "--set", default=()
    )


@dataclass(frozen=True)
class RunOptions(OptionGroup):
    """The limits of each run, and where the runs are made."""

    panel = "Limits, and where runs are made"

    timeout: float = option("The time limit of a run.", "SECONDS", default=60.0)
    processor_time: bool = flag("Count processor time: a busy machine changes little.")
    memory: int | None = option("The memory limit of each process.", "MB")
    jobs: int = option("Runs at a time.", "N", default=1)
    scheduler: str | None = option("Run on a Dask cluster: tcp://host:8786.", "ADDRESS")
    scheduler_file: str | None = option(
        "Run on the Dask cluster whose scheduler wrote FILE.", "FILE"
    )
    shard: str | None = option(
        "Make only every N-th run, from the K-th on: for jobs that share the work.", "K/N"
    )
    retry: str | None = option("Run again: undecided, or all.", "WHICH")

    def check(self) -> None:
        """Raise ``UsageError`` for limits that are none, and for options that do not fit."""
        timeout, memory, jobs, retry = self.timeout, self.memory, self.jobs, self.retry
        if not (timeout > 0 and math.isfinite(timeout)):
            raise UsageError(f"found {timeout:g} for --timeout, expected more than 0 seconds")
        if memory is not None and memory < 1:
            raise UsageError(f"found {memory} for --memory, expected 1 MB or more")
        if jobs < 1:
            raise UsageError(f"found {jobs} for --jobs, expected 1 or more")
        cluster = self.scheduler or self.scheduler_file
        if self.scheduler is not None and self.scheduler_file is not None:
            raise UsageError("found --scheduler with --scheduler-file, expected one of them")
        if cluster is not None and jobs != 1:
            raise UsageError(
                "found --jobs with --scheduler: its workers say how many run at a time"
            )
        self.part()
        if retry is not None and retry not in RETRY:
            raise UsageError(f"found {retry!r} for --retry, expected one of {', '.join(RETRY)}")

    def runs_on(self) -> Scheduler:
        file = self.scheduler_file
        from qsage_validate.cli.deepening import address_in

        address = self.scheduler if file is None else address_in(file)
        return LocalScheduler(self.jobs) if address is None else DaskScheduler(address)

    def part(self) -> tuple[int, int]:
        """The K and N of ``--shard``; (1, 1) without it; raises ``UsageError`` for others."""
        match = re.fullmatch(r"([1-9][0-9]{0,5})/([1-9][0-9]{0,5})", self.shard or "1/1")
        if match is None or int(match[1]) > int(match[2]):
            raise UsageError(f"found {self.shard!r} for --shard, expected K/N with K from 1 to N")
        return int(match[1]), int(match[2])

    def runs(self, experiment: Experiment, selection: Selection) -> Sequence[Run]:
        """The runs that are wanted, or this shard of them: they are dealt out like cards."""
        first, step = self.part()
        return experiment.select(selection)[first - 1 :: step]


def _selection(what: WhatOptions, runs: RunOptions, inputs: Sequence[str]) -> Selection:
    from qsage_validate.extensions.bench.experiment import Selection

    return Selection(
        solvers=what.solver or None,
        preprocessors=what.preprocess or None,
        encodings=what.encoding or None,
        inputs=(*inputs, *what.models),
        models=(*what.model, *([] if what.game is None else [shlex.join(what.game)])),
        only=what.only,
        seconds=runs.timeout,
        memory_mb=runs.memory,
        options=_settings(what.setting),
        processor_time=runs.processor_time,
        note=narrate,
    )


# The files that an experiment is run on, where it needs any.
_FILES = {
    "models": "games/ ",
    "formulas": "*.qcir ",
    "encodings": "*.qcir --model puzzle.pg ",
    "positional": "*.pg ",
}


def _command_for(name: str) -> Command:
    def run(
        *,
        inputs: tuple[str, ...] = argument(
            "Files and folders, if it takes any.", "FILES", default=()
        ),
        results: str | None = output_option(
            "Where results go, and are continued; else bench-NAME.jsonl.",
            "FILE",
            "-o",
            "--results",
        ),
        what: WhatOptions,
        runs: RunOptions,
        dry: bool = flag("Only list the runs that are still to be made.", "--list"),
        json_output: JsonOption = False,
    ) -> Exit:
        runs.check()
        if results == "-":
            raise UsageError("found '-' for the results, expected a file, which can be continued")
        selection = _selection(what, runs, inputs)
        shard = "" if runs.shard is None else "-{}-of-{}".format(*runs.part())
        path = results or f"bench-{name}{shard}.jsonl"
        if dry:
            return _list(name, selection, path, runs)
        return _run(name, selection, path, runs, json_output)

    run.__doc__ = (
        f"{experiments()[name][0].upper()}{experiments()[name][1:]}.\n\n"
        "Each run is a process with limits of its own; its result is appended to the file of "
        "results as one line. Runs that have a result there are not repeated, so that the same "
        "command continues what was interrupted. Exit code 1: solvers contradict each other."
    )
    lines = (
        f"qsage bench {name} {_FILES.get(name, '')}--list",
        f"qsage bench {name} {_FILES.get(name, '')}--timeout 60 -o results.jsonl",
    )
    return subcommand(*lines)(run)


for _name in experiments():
    command.add_command(_command_for(_name), _name)


def _settings(words: Sequence[str]) -> dict[str, str]:
    found = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not name or not equals:
            raise UsageError(f"found {word!r} for --set, expected NAME=VALUE")
        found[name] = value
    return found


def _list(name: str, selection: Selection, path: str, options: RunOptions) -> Exit:
    runs = options.runs(get_experiment(name), selection)
    if os.path.exists(path):
        found = read_runs(path)
        _check_experiment(found, name)
        runs = remaining(runs, found.records, options.retry)
    for run in runs:
        emit(str(run))
    return Exit.FINE


def _run(
    name: str, selection: Selection, path: str, options: RunOptions, json_output: bool
) -> Exit:
    wanted = options.runs(get_experiment(name), selection)
    # The cluster is looked for before anything is written.
    scheduler = options.runs_on()
    with open_results(path, name) as file:
        if file.results.warning is not None:
            narrate(f"{file.results.warning} and is made again")
        earlier = list(file.results.records)
        runs = remaining(wanted, earlier, options.retry)
        if len(runs) < len(wanted):
            narrate(f"{path}: {len(wanted) - len(runs)} of {len(wanted)} runs have results")
        new: list[RunRecord] = []

        with orderly_termination(), CampaignProgress(sys.stderr, len(runs), name) as progress:

            def tell(record: RunRecord, tally: Any) -> None:
                new.append(record)
                progress.tell(record, tally)

            try:
                run_campaign(reference(name), runs, file, scheduler, tell)
            except KeyboardInterrupt:
                narrate(
                    f"{path}: {len(new)} of {len(runs)} runs were made; the same command continues"
                )
                raise
    return _conclude(name, path, _concerning(wanted, [*earlier, *new]), len(new), json_output)


def _concerning(wanted: Sequence[Run], records: Sequence[RunRecord]) -> list[RunRecord]:
    """The records of questions that were asked now."""
    questions = {run.question for run in wanted}
    return [record for record in records if record.run.question in questions]


def _conclude(
    name: str, path: str, records: Sequence[RunRecord], new: int, json_output: bool
) -> Exit:
    """Show the experiment's first table and the contradictions."""
    if json_output:
        known = latest(records)
        decided = sum(record.result.decided for record in known)
        emit_json(
            {
                "experiment": name,
                "results": path,
                "made": new,
                "questions": len(known),
                "decided": decided,
                "disagreements": disagreements(records),
            }
        )
    else:
        tables = get_experiment(name).tables
        if records:
            next(iter(tables.values()))(records).show(sys.stdout)
    return exit_code(records)


def _check_experiment(found: Results, name: str) -> None:
    if found.experiment != name:
        raise UsageError(
            f"{found.path} has results of {found.experiment!r}, expected {name!r}: "
            "choose another file"
        )


# --- Tables and plots -----------------------------------------------------------------------

for _command in (table, cactus, scatter):
    command.add_command(_command)


class CampaignProgress:
    """A bar with the results so far on a terminal; elsewhere a line for each run."""

    def __init__(self, stream: TextIO | None, wanted: int, name: str) -> None:
        self._stream = stream
        self._wanted = wanted
        self._name = name
        self._bar: Progress | None = None

    def __enter__(self) -> CampaignProgress:
        if self._stream is not None and self._stream.isatty():
            self._bar = self._make_bar()
            self._bar.start()
            self._bar.add_task(self._name, total=self._wanted, so_far="")
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def tell(self, record: RunRecord, tally: CampaignTally) -> None:
        result = record.result
        line = f"{record.run}: {result.status}, {result.seconds:.2f} s"
        if result.why and not result.decided:
            line += f" ({result.why})"
        if self._bar is not None:
            from rich.text import Text

            self._bar.console.print(Text(line))
            task = self._bar.task_ids[0]
            self._bar.update(task, completed=tally.finished, so_far=tally.statuses)
        elif self._stream is not None:
            narrate(f"[{tally.finished}/{tally.wanted}] {line}")

    def _make_bar(self) -> Progress:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn

        from qsage_validate.render.console import PlainConsole

        columns = BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
        console = PlainConsole(file=self._stream, highlight=False)
        shown = ("{task.description}", *columns, "{task.fields[so_far]}")
        return Progress(*shown, console=console, refresh_per_second=2)
