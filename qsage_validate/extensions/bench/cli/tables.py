"""``qsage bench table``, ``cactus`` and ``scatter``: what results come to."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from qsage_validate.cli.commands import subcommand
from qsage_validate.cli.common import emit, narrate
from qsage_validate.cli.parameters import argument, flag, option, output_option
from qsage_validate.errors import Exit, UsageError, did_you_mean

if TYPE_CHECKING:
    from qsage_validate.extensions.bench.results import Results
    from qsage_validate.extensions.bench.run import RunRecord

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
    from qsage_validate.extensions.bench.experiments import get_experiment
    from qsage_validate.extensions.bench.machine import describe
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
    from qsage_validate.extensions.bench.plots import check_picture, write_cactus
    from qsage_validate.extensions.bench.series import MEASURES, SECONDS, panels
    from qsage_validate.extensions.bench.text_plots import cactus_table

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
    from qsage_validate.extensions.bench.plots import check_picture, write_scatter
    from qsage_validate.extensions.bench.series import comparison
    from qsage_validate.extensions.bench.summaries import configuration_names
    from qsage_validate.extensions.bench.text_plots import comparison_notes, scatter_text

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
    from qsage_validate.extensions.bench.experiments import get_experiment

    if not apart:
        return found.records
    take_apart = get_experiment(found.experiment).formulas
    if take_apart is None:
        raise UsageError(f"found --formulas with {found.experiment}, whose runs ask one thing each")
    return take_apart(found.records)


def _read(paths: Sequence[str], only: Sequence[str], cpu: bool) -> Results:
    from dataclasses import replace

    from qsage_validate.errors import InputError
    from qsage_validate.extensions.bench.experiment import Selection
    from qsage_validate.extensions.bench.results import read_all
    from qsage_validate.extensions.bench.summaries import by_processor

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
    from qsage_validate.extensions.bench.campaign import disagreements

    found = disagreements(records)
    for disagreement in found:
        narrate(f"solvers contradict each other on {disagreement}")
    return Exit.REFUTED if found else Exit.FINE
