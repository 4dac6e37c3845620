"""The experiment ``gdl``: games in GDL at the depths of the paper's Table 2, in four encodings.

The paper is He, Saffidine and Thielscher 2024.  Its descriptions are files of their authors', so
the folder with them is an input; other descriptions there (``--set depth=N``) are taken as well.
Where a game is one of this project's models in BDDL too, the lifted encoding of that is another
instance (the paper's column BL).  ``search`` is the minimax with a table of positions on the state
machine (the paper's Minx, but in Python).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from qsage_validate.errors import UsageError
from qsage_validate.extensions.bench import solving
from qsage_validate.extensions.bench.answers import BLOQQER, answered
from qsage_validate.extensions.bench.experiment import (
    Configuration,
    Experiment,
    Instance,
    Selection,
)
from qsage_validate.extensions.bench.files import content_sum
from qsage_validate.extensions.bench.papers.gdl_tables import TABLES, in_bddl, table2
from qsage_validate.extensions.bench.run import Run, RunResult
from qsage_validate.formats.source import quoted
from qsage_validate.system.clock import Stopwatch

if TYPE_CHECKING:
    from qsage_validate.formats.qdimacs import ClausalForm

NAME: Final = "gdl"
SUFFIX: Final = ".gdl"
LIFTED: Final = "lifted"

_ENCODINGS: Final = ("gdl-gn", "gdl-gt", "gdl-gd", "gdl-sd", LIFTED)
_SOLVERS: Final = ("depqbf", "caqe", solving.SEARCH)
_ROLE: Final = "xplayer"


def _runs(selection: Selection) -> list[Run]:
    files = {os.path.basename(p).removesuffix(SUFFIX): p for p in _files(selection.inputs)}
    if not files:
        raise UsageError(
            f"found no {SUFFIX} file in {', '.join(selection.inputs) or 'no folder'}, expected a "
            "folder with descriptions"
        )
    instances = [*_published(files), *_further(files, selection.options.get("depth"))]
    if not instances:
        names = ", ".join(cell.file for cell in table2()[:3])
        raise UsageError(f"found none of the paper's games ({names}, ...), expected --set depth=N")
    chosen = replace(
        selection,
        solvers=selection.solvers or _SOLVERS,
        preprocessors=selection.preprocessors or (BLOQQER,),
        encodings=selection.encodings or _ENCODINGS,
    )
    return selection.runs(NAME, instances, solving.configurations(chosen, games=True))


def _files(inputs: Sequence[str]) -> Iterator[str]:
    for given in inputs:
        if os.path.isdir(given):
            names = sorted(name for name in os.listdir(given) if name.endswith(SUFFIX))
            yield from (os.path.join(given, name) for name in names)
        else:
            yield given


def _published(files: dict[str, str]) -> Iterable[Instance]:
    for cell in table2():
        if cell.file not in files:
            continue
        yield _instance(cell.family, cell.name, files[cell.file], cell.depth, cell.strict)
        if cell.words:
            words = (*cell.words, "--depth", str(cell.depth))
            yield Instance(cell.family, in_bddl(cell), words, fits=lambda c: c.encoding == LIFTED)


def _further(files: dict[str, str], depth: str | None) -> Iterable[Instance]:
    if depth is None:
        return
    if not (depth.isascii() and depth.isdigit() and 0 < int(depth) < 1000):
        raise UsageError(f"found {quoted(depth)} for depth, expected a number of rounds")
    known = {cell.file for cell in table2()}
    for name, path in files.items():
        if name not in known:
            yield _instance("other", name, path, int(depth), None)


def _instance(family: str, name: str, path: str, depth: int, strict: bool | None) -> Instance:
    def fits(config: Configuration) -> bool:
        if config.solver == solving.SEARCH:
            return True
        return config.encoding != LIFTED and not (strict is False and config.encoding == "gdl-sd")

    words = [os.path.abspath(path), "--depth", str(depth)]
    if strict is not None:
        words += ["--role", _ROLE]
    return Instance(family, name, tuple(words), (("sum", content_sum(path)),), fits)


def execute(run: Run) -> RunResult:
    """Solve, with sizes before and after the preprocessor; seconds are those of both programs."""
    if run.solver == solving.SEARCH or run.solver.startswith(solving.CERTIFY):
        return solving.execute(run)
    return _solve(run)


def _sizes(form: ClausalForm) -> dict[str, int]:
    from qsage_validate.circuit.qbf import Quantifier

    used = {abs(x) for clause in form.clauses for x in clause}
    universals = {v for s in form.scopes if s.quantifier is Quantifier.FORALL for v in s.variables}
    return {
        "variables": len(used),
        "universals": len(universals & used),
        "clauses": len(form.clauses),
        "blocks": len(form.scopes),
    }


def _solve(run: Run) -> RunResult:
    from qsage_validate.encodings.registry import encode
    from qsage_validate.formats.qdimacs import clausal_form
    from qsage_validate.games.registry import find_command
    from qsage_validate.solvers.qbf.backends import get_backend
    from qsage_validate.solvers.qbf.preprocessors import preprocessor_named
    from qsage_validate.system.limits import Deadline, Limits
    from qsage_validate.system.programs import workspace

    watch = Stopwatch()
    formula = encode(find_command(run.source), run.encoding).qbf
    form = clausal_form(formula)
    data: dict[str, Any] = {"formula_seconds": round(watch.seconds, 4), "plain": _sizes(form)}
    limits = Limits(Deadline.after(run.seconds), run.memory_mb)
    seconds = cpu = peak = 0.0
    with workspace() as folder:
        first = preprocessor_named(run.preprocessor)
        if first is not None:
            done = first.run(form, limits, folder)
            seconds, cpu, peak = done.seconds, done.cpu_seconds, done.peak_mb
            data["preprocess_seconds"] = round(done.cpu_seconds, 4)
            if done.form is None:
                data |= {"by": first.name, "solve_seconds": 0.0}
                return answered(done.status, done.why, (seconds, cpu, peak), data)
            form = done.form
            data["preprocessed"] = _sizes(form)
        backend = get_backend(run.solver)
        outcome = backend.solve(formula, limits, workdir=folder, form=form, outer=False)
    data |= {"by": f"{outcome.solver} {outcome.version}"}
    data["solve_seconds"] = round(outcome.cpu_seconds, 4)
    seconds, cpu = seconds + outcome.seconds, cpu + outcome.cpu_seconds
    return answered(outcome.status, outcome.why, (seconds, cpu, max(peak, outcome.peak_mb)), data)


EXPERIMENT: Final = Experiment(
    name=NAME,
    runs=_runs,
    execute=execute,
    tables={**TABLES, **solving.tables()},
    inputs=f"a folder with the authors' descriptions ({SUFFIX}), or such files",
    options={"depth": "N: also descriptions that are not in Table 2, for N rounds"},
)
