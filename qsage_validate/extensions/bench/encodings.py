"""The experiment ``encodings``: which formulas of a folder are those of a game."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Sequence
from typing import Final

from qsage_validate.errors import UsageError
from qsage_validate.extensions.bench.experiment import (
    Configuration,
    Experiment,
    Instance,
    Selection,
)
from qsage_validate.extensions.bench.files import content_sum, files_in
from qsage_validate.extensions.bench.run import NO_ENCODING, Run, RunRecord, RunResult
from qsage_validate.extensions.bench.summaries import default_tables, seconds_text
from qsage_validate.extensions.bench.table import ResultTable
from qsage_validate.formats.source import Format, read_bytes, sniff_bytes

_JUDGE: Final = "judge"
_DECIDED: Final = ("proved", "refuted")


def _runs(selection: Selection) -> list[Run]:
    if not selection.inputs:
        raise UsageError("found no files for encodings, expected formulas or folders")
    if len(selection.models) > 1:
        raise UsageError(f"found {len(selection.models)} games for encodings, expected one")
    words = _words(selection.models[0]) if selection.models else ()
    found = list(_instances(selection.inputs, words, selection.note))
    if not found:
        raise UsageError(f"found no formula in {', '.join(selection.inputs)}")
    return selection.runs("encodings", found, [Configuration(_JUDGE, NO_ENCODING)])


def _words(text: str) -> tuple[str, ...]:
    """The words of a game, its files by their whole path; raises ``UsageError`` for no game."""
    from qsage_validate.problems.named_rules import rules_of_words

    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"found {text!r} for --model: {error}, expected words") from None
    rules_of_words(words)
    return tuple(os.path.abspath(word) if os.path.exists(word) else word for word in words)


def _instances(
    inputs: Sequence[str], words: tuple[str, ...], note: Callable[[str], None]
) -> list[Instance]:
    files = [word for word in words if os.path.isfile(word)]
    found = []
    for path in files_in(inputs, note=note):
        if sniff_bytes(read_bytes(path)) not in (Format.QCIR, Format.QDIMACS):
            if path in inputs:
                raise UsageError(f"found {path}, expected a QCIR or QDIMACS file or a folder")
            continue
        family = os.path.basename(os.path.dirname(os.path.abspath(path)))
        facts = (("sum", content_sum(path, *files)), ("game", shlex.join(words)))
        found.append(Instance(family, path, (os.path.abspath(path), *words), facts))
    return found


def execute(run: Run) -> RunResult:
    """Judge one formula by its layout, its meta file, or the layout that is found."""
    from qsage_validate.judging.judged import judge_formula
    from qsage_validate.problems.files import Files
    from qsage_validate.problems.load import load
    from qsage_validate.problems.named_rules import rules_of_words
    from qsage_validate.system.clock import Stopwatch
    from qsage_validate.system.limits import Deadline
    from qsage_validate.validation.verdict import Refuted

    watch = Stopwatch()
    path, *words = run.source
    problem = load(Files(formula=path))
    game = rules_of_words(words)[0] if words else problem.game
    if game is None:
        raise UsageError(f"found no rules in {path}, expected --game or --model")
    deadline = Deadline.after(run.seconds)
    judged = judge_formula(problem.qbf, game, problem.layout, deadline=deadline)
    verdict = judged.verdict
    data = {"text": verdict.reason, "layout": "" if judged.layout is None else judged.layout.source}
    if isinstance(verdict, Refuted):
        data["play"] = " ".join(verdict.findings[0].moves) or "the start"
    word = verdict.word
    return RunResult(word, word in _DECIDED, watch.seconds, data=data)


def verdicts(records: Sequence[RunRecord]) -> ResultTable:
    """A formula a row: the verdict, the layout by which it was judged, the first difference."""
    latest = {record.run.question: record for record in records}
    rows = [
        (
            record.run.instance,
            record.result.status,
            str(record.result.data.get("layout", "")),
            str(record.result.data.get("play", record.result.why)),
            seconds_text(record.result.seconds),
        )
        for record in latest.values()
    ]
    counts: dict[str, int] = {}
    for row in rows:
        counts[row[1]] = counts.get(row[1], 0) + 1
    shown = ", ".join(f"{number} {word}" for word, number in sorted(counts.items()))
    columns = ("formula", "verdict", "layout", "first difference", "seconds")
    return ResultTable("Formulas and their game", columns, tuple(rows), (shown,), left=4)


EXPERIMENT: Final = Experiment(
    name="encodings",
    runs=_runs,
    execute=execute,
    tables={"verdicts": verdicts, **default_tables()},
    inputs="QCIR and QDIMACS files, or folders with such",
    by_name=True,
)
