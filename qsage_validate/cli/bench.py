"""``qsage bench``: experiments that leave evidence, and tables and plots of it."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from qsage_validate.bench.experiments import experiments
from qsage_validate.cli.common import JsonOption, emit, emit_json, narrate
from qsage_validate.errors import Exit, UsageError

if TYPE_CHECKING:
    from qsage_validate.bench.experiment import Selection
    from qsage_validate.bench.record import Record
    from qsage_validate.bench.results import Results
    from qsage_validate.bench.run import Run
    from qsage_validate.bench.scheduling import Scheduler
    from qsage_validate.bench.table import Table


class _Group(TyperGroup):
    """Names the experiments when a name is unknown."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and not args[0].startswith("-") and args[0] not in self.commands:
            names = ", ".join(self.commands)
            raise UsageError(f"found the unknown experiment {args[0]!r}, expected one of {names}")
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=_Group,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
    help="Run experiments, and make tables and plots of their results.",
)

ResultsArgument = Annotated[
    list[str], typer.Argument(metavar="RESULTS...", help="Files that experiments have written.")
]
ProcessorOption = Annotated[
    bool, typer.Option("--cpu", help="Processor time in the place of wall-clock time.")
]
OnlyOption = Annotated[
    list[str] | None,
    typer.Option(metavar="PATTERN", help="Instances so called: 'httt*'. May be repeated."),
]
OutputOption = Annotated[
    str | None,
    typer.Option("-o", "--output", metavar="FILE", help="Write a picture: .png, .svg or .pdf."),
]


# --- Experiments ----------------------------------------------------------------------------


def _command_for(name: str) -> Callable[..., Exit]:
    def command(
        inputs: Annotated[
            list[str] | None,
            typer.Argument(metavar="[FILES]...", help="Files and folders, if it takes any."),
        ] = None,
        results: Annotated[
            str | None,
            typer.Option(
                "-o",
                "--results",
                metavar="FILE",
                help="Where results go, and are continued; else bench-NAME.jsonl.",
            ),
        ] = None,
        models: Annotated[
            list[str] | None,
            typer.Option(metavar="DIR", help="A folder of BDDL files. May be repeated."),
        ] = None,
        solver: Annotated[
            list[str] | None,
            typer.Option(
                metavar="NAME",
                help="search, a QBF solver, or certify:ROUTE. May be repeated.",
            ),
        ] = None,
        preprocessor: Annotated[
            list[str] | None,
            typer.Option(metavar="NAME", help="none or bloqqer. May be repeated."),
        ] = None,
        encoding: Annotated[
            list[str] | None, typer.Option(metavar="NAME", help="An encoding. May be repeated.")
        ] = None,
        only: OnlyOption = None,
        setting: Annotated[
            list[str] | None,
            typer.Option("--set", metavar="NAME=VALUE", help="An option of the experiment."),
        ] = None,
        timeout: Annotated[
            float, typer.Option(metavar="SECONDS", help="The time limit of a run.")
        ] = 60.0,
        memory: Annotated[
            int | None, typer.Option(metavar="MB", help="The memory limit of each process.")
        ] = None,
        jobs: Annotated[int, typer.Option(metavar="N", help="Runs at a time.")] = 1,
        scheduler: Annotated[
            str | None,
            typer.Option(metavar="ADDRESS", help="Run on a Dask cluster: tcp://host:8786."),
        ] = None,
        retry: Annotated[
            str | None,
            typer.Option(metavar="WHICH", help="Run again: undecided, or all."),
        ] = None,
        dry: Annotated[
            bool, typer.Option("--list", help="Only list the runs that are still to be made.")
        ] = False,
        json_output: JsonOption = False,
    ) -> Exit:
        from qsage_validate.bench.experiment import Selection

        _check_limits(timeout, memory, jobs, retry, scheduler)
        selection = Selection(
            solvers=tuple(solver) if solver else None,
            preprocessors=tuple(preprocessor) if preprocessor else None,
            encodings=tuple(encoding) if encoding else None,
            inputs=(*(inputs or ()), *(models or ())),
            only=tuple(only or ()),
            seconds=timeout,
            memory_mb=memory,
            options=_settings(setting or []),
        )
        path = results or f"bench-{name}.jsonl"
        if dry:
            return _list(name, selection, path, retry)
        # The cluster's library is looked for before anything is started.
        return _run(name, selection, path, retry, _scheduler(jobs, scheduler), json_output)

    command.__doc__ = (
        f"{experiments()[name][0].upper()}{experiments()[name][1:]}.\n\n"
        "Each run is a process with limits of its own; its result is appended to the file of "
        "results as one line. Runs that have a result there are not repeated, so that the same "
        "command continues what was interrupted. Exit code 1: solvers contradict each other."
    )
    return command


for _name in experiments():
    app.command(_name)(_command_for(_name))


def _check_limits(
    timeout: float, memory: int | None, jobs: int, retry: str | None, scheduler: str | None
) -> None:
    from qsage_validate.bench.campaign import RETRY

    if not (timeout > 0 and math.isfinite(timeout)):
        raise UsageError(f"found {timeout:g} for --timeout, expected more than 0 seconds")
    if memory is not None and memory < 1:
        raise UsageError(f"found {memory} for --memory, expected 1 MB or more")
    if jobs < 1:
        raise UsageError(f"found {jobs} for --jobs, expected 1 or more")
    if scheduler is not None and jobs != 1:
        raise UsageError("found --jobs with --scheduler: its workers say how many run at a time")
    if retry is not None and retry not in RETRY:
        raise UsageError(f"found {retry!r} for --retry, expected one of {', '.join(RETRY)}")


def _settings(words: Sequence[str]) -> dict[str, str]:
    found = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not name or not equals:
            raise UsageError(f"found {word!r} for --set, expected NAME=VALUE")
        found[name] = value
    return found


def _scheduler(jobs: int, address: str | None) -> Scheduler:
    from qsage_validate.bench.scheduling import DaskScheduler, LocalScheduler

    return LocalScheduler(jobs) if address is None else DaskScheduler(address)


def _list(name: str, selection: Selection, path: str, retry: str | None) -> Exit:
    from qsage_validate.bench.campaign import remaining
    from qsage_validate.bench.experiments import get_experiment
    from qsage_validate.bench.results import read_results

    runs = get_experiment(name).select(selection)
    if os.path.exists(path):
        found = read_results(path)
        _check_experiment(found, name)
        runs = remaining(runs, found.records, retry)
    for run in runs:
        emit(str(run))
    return Exit.FINE


def _run(
    name: str,
    selection: Selection,
    path: str,
    retry: str | None,
    scheduler: Scheduler,
    json_output: bool,
) -> Exit:
    from qsage_validate.bench.campaign import remaining, run_campaign
    from qsage_validate.bench.experiments import get_experiment, reference
    from qsage_validate.bench.results import open_results
    from qsage_validate.cli.bench_progress import CampaignProgress

    experiment = get_experiment(name)
    wanted = experiment.select(selection)
    with open_results(path, name) as file:
        if file.results.warning is not None:
            narrate(f"{file.results.warning} and is made again")
        earlier = list(file.results.records)
        runs = remaining(wanted, earlier, retry)
        if len(runs) < len(wanted):
            narrate(f"{path}: {len(wanted) - len(runs)} of {len(wanted)} runs have results")
        made: list[Record] = []

        with CampaignProgress(sys.stderr, len(runs), name) as progress:

            def tell(record: Record, tally: Any) -> None:
                made.append(record)
                progress.tell(record, tally)

            try:
                run_campaign(reference(name), runs, file, scheduler, tell)
            except KeyboardInterrupt:
                narrate(
                    f"{path}: {len(made)} of {len(runs)} runs were made; the same command continues"
                )
                raise
    return _conclude(name, path, _concerning(wanted, [*earlier, *made]), len(made), json_output)


def _concerning(wanted: Sequence[Run], records: Sequence[Record]) -> list[Record]:
    """The records of questions that were asked now."""
    questions = {run.question for run in wanted}
    return [record for record in records if record.run.question in questions]


def _conclude(
    name: str, path: str, records: Sequence[Record], made: int, json_output: bool
) -> Exit:
    """Show the experiment's first table, and what does not fit together."""
    from qsage_validate.bench.campaign import disagreements, latest
    from qsage_validate.bench.experiments import get_experiment

    if json_output:
        known = latest(records)
        decided = sum(record.result.decided for record in known)
        found = [str(d) for d in disagreements(records)]
        emit_json(
            {
                "experiment": name,
                "results": path,
                "made": made,
                "questions": len(known),
                "decided": decided,
                "disagreements": found,
            }
        )
    else:
        tables = get_experiment(name).tables
        _show(next(iter(tables.values()))(records), None, None)
    return _exit_code(records)


def _exit_code(records: Sequence[Record]) -> Exit:
    from qsage_validate.bench.campaign import disagreements

    found = disagreements(records)
    for disagreement in found:
        narrate(f"solvers contradict each other on {disagreement}")
    return Exit.REFUTED if found else Exit.FINE


# --- Tables and plots -----------------------------------------------------------------------


@app.command("table")
def table(
    results: ResultsArgument,
    kind: Annotated[
        str | None,
        typer.Option("--table", metavar="NAME", help="Which; the experiment's first if not said."),
    ] = None,
    only: OnlyOption = None,
    cpu: ProcessorOption = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="As Markdown, for a document.")
    ] = False,
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", metavar="FILE", help="Write Markdown to a file."),
    ] = None,
) -> Exit:
    """Show results as a table: one of the experiment's own, or summary, times, runs.

    Exit code 1: solvers contradict each other.
    """
    from qsage_validate.bench.experiments import get_experiment
    from qsage_validate.bench.machine import describe
    from qsage_validate.cli.common import protect_inputs

    protect_inputs([output], results)
    found = _read(results, only, cpu)
    tables = get_experiment(found.experiment).tables
    chosen = next(iter(tables)) if kind is None else kind
    if chosen not in tables:
        names = ", ".join(tables)
        raise UsageError(f"found {chosen!r} for --table, expected one of {names}")
    shown = tables[chosen](found.records)
    _show(shown, output, True if markdown else None)
    used = {record.machine for record in found.records}
    for identifier, facts in found.machines.items():
        if identifier in used:
            narrate(f"made on: {describe(facts)}")
    return _exit_code(found.records)


@app.command("cactus")
def cactus(
    results: ResultsArgument,
    only: OnlyOption = None,
    cpu: ProcessorOption = False,
    output: OutputOption = None,
    title: Annotated[str, typer.Option(help="The picture's title.")] = "",
) -> Exit:
    """Show how many instances each way decides within how many seconds each."""
    from qsage_validate.bench.plots import check_picture, write_cactus
    from qsage_validate.bench.series import curves
    from qsage_validate.bench.text_plots import cactus_table

    if output is not None:
        check_picture(output)
    found = _read(results, only, cpu)
    lines = curves(found.records)
    cactus_table(lines).show(sys.stdout)
    if output is not None:
        write_cactus(lines, output, title or found.experiment)
        narrate(f"{output}: written")
    return Exit.FINE


@app.command("scatter")
def scatter(
    results: ResultsArgument,
    x: Annotated[
        str | None, typer.Option("-x", metavar="WAY", help="Such as bloqqer+depqbf.")
    ] = None,
    y: Annotated[
        str | None, typer.Option("-y", metavar="WAY", help="The way to compare with.")
    ] = None,
    only: OnlyOption = None,
    cpu: ProcessorOption = False,
    output: OutputOption = None,
    title: Annotated[str, typer.Option(help="The picture's title.")] = "",
) -> Exit:
    """Compare two ways on the instances that both were run on."""
    from qsage_validate.bench.plots import check_picture, write_scatter
    from qsage_validate.bench.series import comparison
    from qsage_validate.bench.summaries import way_names
    from qsage_validate.bench.text_plots import comparison_notes, scatter_text

    if output is not None:
        check_picture(output)
    found = _read(results, only, cpu)
    ways = way_names(found.records)
    if (x is None or y is None) and len(ways) != 2:
        raise UsageError(f"expected -x and -y, two of {', '.join(ways)}")
    x_way = x or next(way for way in ways if way != y)
    compared = comparison(found.records, x_way, y or next(way for way in ways if way != x_way))
    emit(scatter_text(compared) + "\n" + "\n".join(comparison_notes(compared)))
    if output is not None:
        write_scatter(compared, output, title or found.experiment)
        narrate(f"{output}: written")
    return Exit.FINE


def _read(paths: Sequence[str], only: Sequence[str] | None, cpu: bool) -> Results:
    from dataclasses import replace

    from qsage_validate.bench.experiment import Selection
    from qsage_validate.bench.results import read_all
    from qsage_validate.bench.summaries import by_processor
    from qsage_validate.errors import InputError

    found = read_all(paths)
    if found.warning is not None:
        narrate(found.warning)
    selection = Selection(only=tuple(only or ()))
    records = [record for record in found.records if selection.takes(record.run.instance)]
    if not records:
        called = f" of {', '.join(map(repr, only))}" if only and found.records else ""
        raise InputError(found.path, None, None, f"no runs{called}", "results of qsage bench")
    return replace(found, records=tuple(by_processor(records) if cpu else records))


def _check_experiment(found: Results, name: str) -> None:
    if found.experiment != name:
        raise UsageError(
            f"{found.path} has results of {found.experiment!r}, expected {name!r}: "
            "choose another file"
        )


def _show(shown: Table, output: str | None, markdown: bool | None) -> None:
    from qsage_validate.formats.source import write_atomic

    if output is not None:
        write_atomic(output, shown.markdown())
    elif markdown:
        emit(shown.markdown())
    else:
        shown.show(sys.stdout)
