"""The encodings by one solver after one preprocessor, beside Q-sage's encodings of the same models.

    python research/benchmarks/solving.py [--long] [--data FOLDER] [--formulas] [--models WORD]
                                 [--solvers NAMES] [--preprocessors NAMES] [--ways NAMES]
                                 [--repeat N] [--timeout SECONDS] [--exp-mini] [--json]

A way to write a model down is an encoding and a clausal form: ``lifted`` (Tseitin's, both
directions of each definition), ``lifted:polarity`` (those that are needed), ``lifted:early`` (the
same, each gate's variable where its inputs are).  With ``--data``, a folder with
``baselines.csv``, models in ``bddl/`` and formulas in ``certificates/quabs/``, the models are
those of the folder, and Q-sage's own formula of one is written in the same ways where it is there;
``--formulas`` leaves out the others.

All ways of one model are run by turns in one run, each solver on what the same preprocessor with
the same options leaves of each.  Times are the processor's, medians of the repetitions, which
other load on the machine disturbs less; the time limit of one run is wall time.  ``baseline`` is
the figure of ``baselines.csv``, which is of Tseitin's form with Bloqqer's default options and of
a machine without other load: ``--exp-mini`` sets these options (Bloqqer's "false" is no answer
then).  Geometric means are of the models that both sides solve.  The program fails (exit code 1)
when two answers contradict each other.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from rich.console import Console
from rich.table import Table

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.registry import encode, encoders
from qsage_validate.formats.formula import read_formula
from qsage_validate.formats.qdimacs import ClausalForm, clausal_form
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.bddl.parser import read_model
from qsage_validate.solvers.backend import SolverStatus
from qsage_validate.solvers.backends import get_backend
from qsage_validate.solvers.bloqqer import preprocess
from qsage_validate.system.limits import Deadline, Limits
from qsage_validate.system.programs import workspace
from research.benchmarks.models import Case

FOREIGN: Final = "Q-sage"

STYLES: Final[Mapping[str, Callable[[Qbf], ClausalForm]]] = {
    "": clausal_form,
    "polarity": lambda qbf: clausal_form(qbf, polarity=True),
    "early": lambda qbf: clausal_form(qbf, polarity=True, placement="early"),
}
"""Clausal forms by the word behind the encoding's name."""


@dataclass(frozen=True)
class Instance:
    """A model: by a family and a file of the data folder, or by the words of a template.

    ``family`` and ``file`` also find the baseline; ``formula`` is Q-sage's own, if it is there.
    The order of a model's goals differs between the two, and with it the formula.
    """

    name: str
    family: str
    file: str
    words: str = ""
    formula: str = ""
    long: bool = False

    def model(self, data: Path | None) -> Model | None:
        """The model, that of the data folder if there is one; ``None`` without either."""
        if data is not None:
            folder = data / "bddl" / self.family
            return read_model(folder / "domain.ig", folder / self.file)
        return Case(self.name, self.words).model() if self.words else None


def _httt(shape: str, size: str, depth: int, formula: str = "", long: bool = False) -> Instance:
    words = f"httt --shape {shape} --size {size} --depth {depth}"
    name = f"{shape.capitalize()} {size} d{depth}"
    return Instance(name, "httt", f"{size}_{depth}_{shape}.ig", words, formula, long)


def _domineering(size: str, depth: int, formula: str = "", long: bool = False) -> Instance:
    words = f"domineering --size {size} --depth {depth}"
    name = f"Domineering {size} d{depth}"
    return Instance(name, "domineering", f"{size}_{depth}.ig", words, formula, long)


def _hein(file: str, formula: str = "", long: bool = False) -> Instance:
    return Instance(f"Hex {file}", "hex", f"{file}.pg", "", formula, long)


INSTANCES: Final = (
    _httt("domino", "3x3", 3, "httt-3x3_3_domino"),
    _httt("tic", "4x4", 5, "httt-4x4_5_tic"),
    _httt("el", "3x3", 5, "httt-3x3_5_el"),
    _httt("el", "4x4", 5),
    Instance(
        "Connect-2 3x3 d3",
        "connect-c",
        "3x3_3_connect2.ig",
        "connect-c --connect 2 --size 3x3 --depth 3",
        "connect-c-3x3_3_connect2",
    ),
    _domineering("4x2", 5, "domineering__4x2_5"),
    _domineering("3x6", 6),
    _domineering("4x4", 8),
    _domineering("5x3", 8),
    Instance(
        "Breakthrough 2nd 2x4",
        "breakthrough-second-player",
        "2x4_8.ig",
        "breakthrough --size 2x4 --second --depth 9",
    ),
    _hein("hein_12_4x4-07", "hex__hein_12_4x4-07"),
    _hein("hein_13_5x5-07"),
    _hein("browne_5x5_07"),
    _hein("hein_09_4x4-07"),
    _hein("hein_14_5x5-07", long=True),
    _hein("hein_07_4x4-07", long=True),
    _hein("hein_19_5x5-09", long=True),
    _domineering("3x5", 8, long=True),
    _domineering("5x4", 10, long=True),
    _domineering("6x3", 10, long=True),
    _httt("fatty", "3x3", 9, long=True),
    _httt("knobby", "3x3", 9, long=True),
    _httt("tippy", "3x3", 9, long=True),
    _httt("elly", "4x4", 7, long=True),
    Instance(
        "Breakthrough 2x4 d13",
        "breakthrough",
        "2x4_13.ig",
        "breakthrough --size 2x4 --depth 13",
        long=True,
    ),
)


_Way = dict[str, Any]
_Row = dict[str, Any]


@dataclass
class Runs:
    """What the repetitions of one way gave; times in CPU seconds."""

    answers: set[str] = field(default_factory=set)
    preprocessing: list[float] = field(default_factory=list)
    solving: list[float] = field(default_factory=list)
    clauses: int = 0

    def row(self) -> _Way:
        """Medians; ``seconds`` is of the solver alone, ``None`` where it gave no answer."""
        solved = self.answers <= {"true", "false"}
        seconds = statistics.median(self.solving) if self.solving and solved else None
        return {
            "answer": "/".join(sorted(self.answers)),
            "preprocessing": round(statistics.median(self.preprocessing), 4),
            "seconds": None if seconds is None else round(seconds, 4),
            "clauses": self.clauses,
        }


@dataclass(frozen=True)
class Options:
    """What is run."""

    data: Path | None
    ways: tuple[str, ...]
    solvers: tuple[str, ...]
    preprocessors: tuple[str, ...]
    repeat: int
    seconds: float
    exp_mini: bool


def forms(instance: Instance, model: Model, options: Options) -> dict[str, tuple[Qbf, ClausalForm]]:
    """The clausal form of each way, with the formula that it is of."""
    found = {}
    for way in options.ways:
        encoding, _, style = way.partition(":")
        if encoding != FOREIGN:
            qbf = encode(model, encoding).qbf
        elif options.data is not None and instance.formula:
            qbf = read_formula(options.data / "certificates" / "quabs" / f"{instance.formula}.qcir")
        else:
            continue
        found[way] = (qbf, STYLES[style](qbf))
    return found


def measure(instance: Instance, model: Model, options: Options) -> Iterator[_Row]:
    """One row for each preprocessor and solver."""
    written = forms(instance, model, options)
    for preprocessor in options.preprocessors:
        runs = {(solver, way): Runs() for solver in options.solvers for way in written}
        for turn in range(options.repeat):
            # By turns, and the other way round every second time.
            ways = list(written)[:: 1 if turn % 2 == 0 else -1]
            for way in ways:
                _run(
                    *written[way], preprocessor, {s: runs[s, way] for s in options.solvers}, options
                )
        for solver in options.solvers:
            yield {
                "model": instance.name,
                "preprocessor": preprocessor,
                "solver": solver,
                "ways": {way: runs[solver, way].row() for way in written},
            }


def _run(
    qbf: Qbf, form: ClausalForm, preprocessor: str, runs: Mapping[str, Runs], options: Options
) -> None:
    """One repetition of one way: the preprocessor once, all solvers on what it leaves."""
    with workspace() as folder:
        left: ClausalForm | None = form
        spent, answer = 0.0, SolverStatus.UNKNOWN
        if preprocessor == "bloqqer":
            limits = Limits(Deadline.after(options.seconds))
            own = {"exp-mini": 1} if options.exp_mini else None
            done = preprocess(form, limits, workdir=folder, options=own)
            left, spent, answer = done.form, done.cpu_seconds, done.status
        for solver, run in runs.items():
            run.preprocessing.append(spent)
            run.clauses = 0 if left is None else len(left.clauses)
            if left is None:
                run.answers.add(answer.value)
                run.solving.append(0.0)
                continue
            limits = Limits(Deadline.after(options.seconds))
            outcome = get_backend(solver).solve(qbf, limits, workdir=folder, form=left, outer=False)
            run.answers.add(outcome.status.value)
            run.solving.append(outcome.cpu_seconds)


def baselines(data: Path | None) -> dict[tuple[str, str], dict[str, str]]:
    """The rows of ``baselines.csv`` by family and model."""
    if data is None:
        return {}
    with (data / "baselines.csv").open(encoding="utf-8", newline="") as file:
        return {(row["family"], row["model"]): row for row in csv.DictReader(file)}


def add_baseline(row: _Row, figures: Mapping[str, str]) -> None:
    """Put the figures of ``baselines.csv`` beside a row's ways, if they are numbers."""
    if row["preprocessor"] != "bloqqer":
        return
    try:
        seconds = float(figures.get(f"{row['solver']}_after_bloqqer_s", ""))
        before = float(figures["bloqqer_s"])
    except ValueError:  # not solved there, or by the preprocessor alone
        return
    row["ways"]["baseline"] = {
        "answer": figures["result"],
        "preprocessing": before,
        "seconds": seconds,
        "clauses": int(figures["bloqqer_clauses"]),
    }


def contradiction(row: _Row) -> bool:
    """Whether a row has both answers."""
    answers = {a for way in row["ways"].values() for a in str(way["answer"]).split("/")}
    return {"true", "false"} <= answers


def means(rows: Sequence[_Row]) -> list[dict[str, object]]:
    """Geometric means of the CPU seconds of each way over those of Q-sage's formulas.

    Each is compared with Q-sage's formula in the same clausal form, and with the baseline.
    ``total`` is with the preprocessing; models that the preprocessor decides for one of the two
    count there only.  "Here only" are the models that this side alone solves.
    """
    groups: dict[tuple[str, str, str, str], list[tuple[_Way, _Way]]] = {}
    for row in rows:
        ways: dict[str, _Way] = row["ways"]
        for way, mine in ways.items():
            for reference in (f"{FOREIGN}{way.removeprefix(way.partition(':')[0])}", "baseline"):
                if way != reference and reference in ways and not way.startswith("baseline"):
                    key = (row["preprocessor"], row["solver"], way, reference)
                    groups.setdefault(key, []).append((mine, ways[reference]))
    found: list[dict[str, object]] = []
    for (preprocessor, solver, way, reference), pairs in groups.items():
        both = [(a, b) for a, b in pairs if a["seconds"] is not None and b["seconds"] is not None]
        alone = [a["seconds"] / b["seconds"] for a, b in both if a["seconds"] and b["seconds"]]
        found.append(
            {
                "preprocessor": preprocessor,
                "solver": solver,
                "way": way,
                "over": reference,
                "solver's time": _mean(alone),
                "total": _mean([_total(a) / _total(b) for a, b in both]),
                "models": len(both),
                "here only": sum(b["seconds"] is None for _, b in pairs)
                - sum(a["seconds"] is None and b["seconds"] is None for a, b in pairs),
                "there only": sum(a["seconds"] is None for a, _ in pairs)
                - sum(a["seconds"] is None and b["seconds"] is None for a, b in pairs),
            }
        )
    return found


def _total(way: _Way) -> float:
    return float(way["seconds"] + way["preprocessing"])


def _mean(ratios: Sequence[float]) -> float | None:
    return round(math.exp(statistics.fmean(map(math.log, ratios))), 3) if ratios else None


def show(rows: Sequence[_Row], averages: Sequence[Mapping[str, object]]) -> None:
    """Print the tables."""
    console = Console()
    table = Table(title="CPU seconds; the ratio is of both stages to Q-sage's in the same form")
    for title in ("model", "solver", "way", "clauses", "before", "solver's", "ratio"):
        left = title in ("model", "solver", "way")
        table.add_column(title, justify="left" if left else "right", no_wrap=title == "way")
    for row in rows:
        ways: dict[str, _Way] = row["ways"]
        head = [row["model"], f"{row['solver']} {row['preprocessor']}".removesuffix(" none")]
        for way, figures in ways.items():
            seconds = figures["seconds"]
            reference = ways.get(f"{FOREIGN}{way.removeprefix(way.partition(':')[0])}")
            ratio = ""
            if seconds is not None and reference is not None and reference["seconds"] is not None:
                ratio = f"{_total(figures) / _total(reference):.2f}"
            table.add_row(
                *head,
                way,
                str(figures["clauses"]),
                f"{figures['preprocessing']:.3f}",
                figures["answer"] if seconds is None else f"{seconds:.3f}",
                ratio,
            )
            head = ["", ""]
    console.print(table)
    if not averages:
        return
    table = Table(title="Geometric means of the ratios (below 1: quicker than Q-sage's)")
    titles = [title for title in averages[0] if title != "preprocessor"]
    for title in titles:
        table.add_column(title, justify="right", no_wrap=title in ("way", "over"))
    for average in averages:
        solver = f"{average['solver']} {average['preprocessor']}".removesuffix(" none")
        shown = {**average, "solver": solver}
        table.add_row(*("" if shown[t] is None else str(shown[t]) for t in titles))
    console.print(table)


def _names(text: str) -> tuple[str, ...]:
    return tuple(word for word in text.split(",") if word)


def main() -> None:
    """Run and print."""
    default = [
        f"{name}:{style}".removesuffix(":")
        for name in (FOREIGN, *encoders("bddl"))
        for style in STYLES
    ]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--long", action="store_true", help="also models that take minutes")
    parser.add_argument("--data", type=Path, help="folder with baselines, models and formulas")
    parser.add_argument("--solvers", type=_names, default=("depqbf", "caqe", "qute", "rareqs"))
    parser.add_argument("--preprocessors", type=_names, default=("bloqqer",))
    parser.add_argument("--ways", type=_names, default=tuple(default))
    parser.add_argument(
        "--formulas", action="store_true", help="only models with a formula of Q-sage's"
    )
    parser.add_argument("--models", default="", help="only models whose name has this in it")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--timeout", type=float, default=30.0, help="wall seconds of one run")
    parser.add_argument("--exp-mini", action="store_true", help="Bloqqer's default options")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    given = parser.parse_args()
    options = Options(
        data=given.data,
        ways=given.ways,
        solvers=given.solvers,
        preprocessors=given.preprocessors,
        repeat=given.repeat,
        seconds=given.timeout,
        exp_mini=given.exp_mini,
    )
    known = baselines(options.data)
    rows: list[_Row] = []
    for instance in INSTANCES:
        if (instance.long and not given.long) or given.models.lower() not in instance.name.lower():
            continue
        if given.formulas and not instance.formula:
            continue
        model = instance.model(options.data)
        if model is None:
            continue
        for row in measure(instance, model, options):
            add_baseline(row, known.get((instance.family, instance.file), {}))
            rows.append(row)
        print(f"{instance.name}: done", file=sys.stderr)
    averages = means(rows)
    if given.json:
        print(json.dumps({"rows": rows, "means": averages}))
    else:
        show(rows, averages)
    wrong = [row for row in rows if contradiction(row)]
    if wrong:
        print(f"contradicting answers: {wrong}", file=sys.stderr)
        raise SystemExit(1)


if __name__ == "__main__":
    main()
