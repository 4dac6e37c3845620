"""Experiments on files of formulas and on the encodings of a game.

Files are told apart by their content, and a file that has changed is another instance: the sum
of what it holds belongs to its runs.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from hashlib import sha256
from typing import Final

from qsage_validate.errors import InputError, UsageError
from qsage_validate.extensions.bench import solving
from qsage_validate.extensions.bench.experiment import (
    NO_ENCODING,
    Configuration,
    Experiment,
    Instance,
    ResultTable,
    Run,
    RunRecord,
    RunResult,
    Selection,
    no_note,
)
from qsage_validate.extensions.bench.plots import default_tables, seconds_text
from qsage_validate.formats.source import Format, Source, open_input, read_bytes, sniff_bytes

# The experiments ``models`` and ``formulas``: whatever files there are


_DOMAIN: Final = "domain"


def files_in(
    inputs: Sequence[str],
    wanted: Callable[[str], bool] = lambda path: True,
    note: Callable[[str], None] = no_note,
) -> Iterator[str]:
    """The files among the inputs, and those wanted in the folders among them, sorted in each.

    Entries of a folder that are not readable files (a broken link, a pipe) are skipped, and
    ``note`` is called.
    """

    def passed_over(error: OSError) -> None:
        note(f"{error.filename}: {error.strerror}; passed over")

    for name in inputs:
        if not os.path.isdir(name):
            yield name
            continue
        for folder, folders, files in os.walk(name, onerror=passed_over):
            folders.sort()
            for path in (os.path.join(folder, file) for file in sorted(files)):
                try:
                    open_input(path, pipes=False).close()
                except InputError as error:
                    note(f"{error}; passed over")
                    continue
                if wanted(path):
                    yield path


def content_sum(*paths: str) -> str:
    """16 hexadecimal digits that tell the contents of files apart."""
    return sha256(b"\0".join(map(read_bytes, paths))).hexdigest()[:16]


def models_in(inputs: Sequence[str], note: Callable[[str], None] = no_note) -> Iterator[Instance]:
    """A problem with the domain in its folder is an instance; other files are passed over."""
    problems: dict[str, list[str]] = {}
    domains: dict[str, list[str]] = {}
    for path in files_in(inputs, note=note):
        kind = _bddl_kind(path, read_bytes(path))
        if kind is not None:
            found = domains if kind == _DOMAIN else problems
            found.setdefault(os.path.dirname(path), []).append(path)
    for folder, paths in problems.items():
        # A problem that was named alone has its domain beside it all the same.
        beside = domains.get(folder) or _domains_in(folder)
        if len(beside) != 1:
            where = folder or "."
            raise UsageError(f"found {len(beside)} BDDL domains in {where}, expected one")
        family = os.path.basename(os.path.abspath(folder))
        for path in paths:
            parts = (("sum", content_sum(beside[0], path)),)
            name = f"{family}/{os.path.basename(path)}"
            yield Instance(family, name, (os.path.abspath(beside[0]), os.path.abspath(path)), parts)


def _domains_in(folder: str) -> list[str]:
    names = sorted(entry.path for entry in os.scandir(folder or ".") if entry.is_file())
    return [path for path in names if _bddl_kind(path, read_bytes(path)) == _DOMAIN]


def _bddl_kind(path: str, data: bytes) -> str | None:
    """The kind of a BDDL file, domain or problem; ``None``: no BDDL."""
    from qsage_validate.games.bddl.parser import file_kind

    if sniff_bytes(data) is not Format.BDDL:
        return None
    return file_kind(Source.decode(data, path).text)


def _formulas(inputs: Sequence[str], note: Callable[[str], None]) -> Iterator[Instance]:
    for path in files_in(inputs, note=note):
        if sniff_bytes(read_bytes(path)) not in (Format.QCIR, Format.QDIMACS):
            if path in inputs:
                raise UsageError(f"found {path}, expected a QCIR or QDIMACS file or a folder")
            continue
        family = os.path.basename(os.path.dirname(os.path.abspath(path)))
        source = (solving.FORMULA, os.path.abspath(path))
        yield Instance(family, path, source, (("sum", content_sum(path)),))


def _by_name(text: str) -> Instance:
    """The game that words of the command line mean; raises ``UsageError``."""
    from qsage_validate.games.registry import find_command

    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"found {text!r} for --model: {error}, expected words") from None
    if any(map(os.path.exists, words)):
        raise UsageError(f"found the file {text} for --model, expected the name of a game")
    find_command(words)
    return Instance(words[0], text, words)


def _runs_of_files(selection: Selection, *, name: str, games: bool) -> list[Run]:
    if not selection.inputs and not selection.models:
        raise UsageError(f"found no files for {name}, expected files or folders")
    instances = models_in if games else _formulas
    found = list(instances(selection.inputs, selection.note))
    found += map(_by_name, selection.models)
    if not found:
        what = "BDDL problem" if games else "formula"
        raise UsageError(f"found no {what} in {', '.join(selection.inputs)}")
    return solving.make_runs(selection, name, found, games=games)


MODELS: Final = Experiment(
    name="models",
    runs=partial(_runs_of_files, name="models", games=True),
    execute=solving.execute,
    tables=solving.tables(),
    inputs="folders with BDDL files, or problems",
    by_name=True,
)

FORMULAS: Final = Experiment(
    name="formulas",
    runs=partial(_runs_of_files, name="formulas", games=False),
    execute=solving.execute,
    tables=solving.tables(),
    inputs="QCIR and QDIMACS files, or folders with such",
)


# The experiment ``encodings``: which formulas of a folder are those of a game


_JUDGE: Final = "judge"
_DECIDED: Final = ("proved", "refuted")


def _runs_of_encodings(selection: Selection) -> list[Run]:
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
    from qsage_validate.problems.searched import rules_of_words

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
    from qsage_validate.problems.load import Files, load
    from qsage_validate.problems.searched import rules_of_words
    from qsage_validate.system.limits import Deadline, Stopwatch
    from qsage_validate.validation.finding import Refuted

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
    runs=_runs_of_encodings,
    execute=execute,
    tables={"verdicts": verdicts, **default_tables()},
    inputs="QCIR and QDIMACS files, or folders with such",
    by_name=True,
)
