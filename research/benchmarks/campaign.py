"""Random QBFs through every solver and every way to a certificate, against brute force.

    python research/benchmarks/campaign.py [--count N] [--seed S] [--jobs J] [--only WAY] [--json]

Formulas, circuits and clauses of two kinds by turns, are those of
``tests/support/random_qbf.py``; the truth is that of their truth tables.  A way may say nothing
(a limit, a solver that crashes), which is counted; what it says must be right, and a certificate
must pass the project's check and a second one, a SAT call that shares nothing with it.  Each
formula that goes wrong is written to a file in ``--keep FOLDER``, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from rich.console import Console
from rich.table import Table

from qsage_validate.certificates.by_proof import tracers
from qsage_validate.certificates.routes import RouteOptions, certify_formula
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.errors import QsageError
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.formats.qdimacs import clausal_form, parse_qdimacs
from qsage_validate.solvers.backend import Missing, SolverFormat
from qsage_validate.solvers.backends import backends, get_backend
from qsage_validate.solvers.bloqqer import preprocess
from qsage_validate.solvers.qbf_solving import solve_formula, with_outermost
from qsage_validate.system.limits import Deadline, Limits
from qsage_validate.system.pool import ordered_map
from qsage_validate.system.programs import workspace
from tests.support.certificate_truth import falsifying_choice
from tests.support.random_qbf import (
    random_dense_qdimacs,
    random_qcir,
    random_qdimacs,
    truth,
)

SECONDS = 20.0
"""The limit of each way, with each formula."""

_NO_ELIMINATION: Final = {"exp": 0, "ve": 0}
WEAK: Final[tuple[dict[str, int], ...]] = (
    {**_NO_ELIMINATION, "bce": 0},
    {**_NO_ELIMINATION, "bce": 0, "cce": 0, "hte": 0, "eq": 0, "ble": 0, "hbce": 0},
    _NO_ELIMINATION,
    {"exp": 0, "bce": 0},
    {"ve": 0, "bce": 0, "eq": 0},
)
"""Options of Bloqqer, by turns, with which it decides less: then there is something to lift."""


@dataclass(frozen=True)
class Said:
    """What a way says of a formula.

    ``certified`` where a certificate came along, ``solved`` where a solver's trace is behind it.
    """

    truth: bool | None
    certified: bool = False
    why: str = ""
    solved: bool = False


Way = Callable[[Qbf], Said]


@dataclass
class Count:
    """The answers of one way."""

    right: Counter[bool] = field(default_factory=Counter)
    certified: int = 0
    solved: int = 0
    silent: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0.0


# --- Ways -----------------------------------------------------------------------------------


def ways(only: Sequence[str] = ()) -> dict[str, Way]:
    """Every way that there is here, or those whose names contain one of ``only``."""
    found: dict[str, Way] = {}
    here = [n for n, b in backends().items() if not isinstance(b.availability(), Missing)]
    for name in here:
        formats = get_backend(name).accepts
        found[name] = _solve(name)
        if formats >= {SolverFormat.QCIR, SolverFormat.QDIMACS}:
            found[f"{name}, clauses"] = _solve_clauses(name)
        if SolverFormat.QDIMACS in formats:
            found[f"bloqqer + {name}"] = _solve_preprocessed(name)
    for backend in tracers():
        for route in ("trace", "bloqqer"):
            found[f"certify: {route}, {backend.name}"] = _certify(route, backend.name)
        found[f"certify: bloqqer, weak, {backend.name}"] = _certify("bloqqer", backend.name, WEAK)
    if "quabs" in here:
        found["certify: tool, quabs"] = _certify("tool", "quabs")
    found["certify: expansion"] = _certify("expansion", None)
    found["certify: auto"] = _certify("auto", None)
    return {n: way for n, way in found.items() if not only or any(part in n for part in only)}


def _solve(name: str) -> Way:
    """The formula as the solver likes it best; what it says of the outermost block must win."""

    def way(formula: Qbf) -> Said:
        limits = Limits(Deadline.after(SECONDS))
        solved = solve_formula(formula, [get_backend(name)], limits)
        if solved.outer is not None and solved.truth is not None:
            block = {v for scope in formula.merged_scopes()[:1] for v in scope.variables}
            if solved.outer.keys() != block:
                return Said(not solved.truth, why=f"the block {block} is {solved.outer}")
            if truth(with_outermost(formula, solved.outer)) is not solved.truth:
                return Said(not solved.truth, why=f"{solved.outer} does not win")
        return Said(solved.truth, why=solved.why)

    return way


def _solve_clauses(name: str) -> Way:
    """The clausal form, for solvers that read circuits as well."""

    def way(formula: Qbf) -> Said:
        form = clausal_form(formula)
        with workspace() as folder:
            outcome = get_backend(name).solve(
                formula, Limits(Deadline.after(SECONDS)), workdir=folder, form=form
            )
        return Said(outcome.truth, why=outcome.why)

    return way


def _solve_preprocessed(name: str) -> Way:
    def way(formula: Qbf) -> Said:
        with workspace() as folder:
            done = preprocess(
                clausal_form(formula), Limits(Deadline.after(SECONDS)), workdir=folder
            )
            if done.form is None:
                return Said(done.status.truth, why=done.why)
            outcome = get_backend(name).solve(
                formula, Limits(Deadline.after(SECONDS)), workdir=folder, form=done.form
            )
            return Said(outcome.truth, why=outcome.why)

    return way


def _certify(route: str, solver: str | None, bloqqer: Sequence[Mapping[str, int]] = ({},)) -> Way:
    def way(formula: Qbf) -> Said:
        # Which options it are depends on the formula alone, so that a failure can be repeated.
        chosen = bloqqer[len(formula.gates) % len(bloqqer)]
        options = RouteOptions(
            route=route, solver=solver, limits=Limits(Deadline.after(SECONDS)), bloqqer=chosen
        )
        made = certify_formula(formula, options)
        beaten = falsifying_choice(formula, made.certificate)
        if beaten is not None:
            return Said(None, certified=True, why=f"the second check says {beaten}")
        solved = any(name == "extract" for name, _ in made.stages)
        return Said(made.truth, certified=True, solved=solved)

    return way


# --- The campaign ---------------------------------------------------------------------------


def texts(count: int, seed: int) -> Iterator[str]:
    """The formulas of a campaign."""
    rng = Random(seed)
    for number in range(count):
        yield (random_qcir, random_qdimacs, random_dense_qdimacs)[number % 3](rng)


def read(text: str) -> Qbf:
    """The formula of a text of :func:`texts`."""
    return parse_qdimacs(text) if text.startswith("p cnf") else parse_qcir(text)


@dataclass(frozen=True)
class Work:
    """What every process of a campaign knows."""

    texts: tuple[str, ...]
    only: tuple[str, ...]


Row = tuple[str, Said, bool, float]


def examine(work: Work, number: int) -> list[Row]:
    """One formula in every way: way, what it said, whether that is right, seconds."""
    formula = read(work.texts[number])
    expected = truth(formula)
    rows = []
    for name, way in ways(work.only).items():
        started = time.monotonic()
        try:
            said = way(formula)
        except QsageError as error:
            said = Said(None, why=f"{type(error).__name__}: {error}")
        failed = said.certified and said.truth is None
        right = not failed and (said.truth is None or said.truth is expected)
        seconds = time.monotonic() - started
        rows.append((name, said, right, seconds))
    return rows


def campaign(
    count: int,
    seed: int,
    *,
    jobs: int = 1,
    only: Sequence[str] = (),
    say: Callable[[int], None] | None = None,
) -> tuple[dict[str, Count], dict[str, str]]:
    """The counts by way, and the texts of formulas that went wrong by a name for each."""
    work = Work(tuple(texts(count, seed)), tuple(only))
    counts: dict[str, Count] = {}
    failures: dict[str, str] = {}
    examined: Iterable[list[Row]]
    if jobs == 1:
        examined = (examine(work, number) for number in range(count))
    else:
        examined = ordered_map(examine, work, count, jobs=jobs)
    for number, rows in enumerate(examined):
        for name, said, right, seconds in rows:
            found = counts.setdefault(name, Count())
            found.seconds += seconds
            if not right:
                found.wrong.append(f"formula {number}: {said.truth}, {said.why}")
                failures[f"{seed}-{number}"] = work.texts[number]
            elif said.truth is None:
                found.silent[said.why] += 1
            else:
                found.right[said.truth] += 1
                found.certified += said.certified
                found.solved += said.solved
        if say is not None:
            say(number + 1)
    return counts, failures


def _table(counts: Mapping[str, Count]) -> Table:
    table = Table(
        "way", "true", "false", "certified", "by a trace", "no answer", "wrong", "ms each"
    )
    for name, count in counts.items():
        silent, wrong = sum(count.silent.values()), len(count.wrong)
        right = sum(count.right.values())
        each = 1000 * count.seconds / max(1, right + silent + wrong)
        path = name.startswith("certify")
        certified, solved = (f"{n:,}" if path else "" for n in (count.certified, count.solved))
        numbers = (count.right[True], count.right[False])
        table.add_row(
            name,
            *(f"{n:,}" for n in numbers),
            certified,
            solved,
            f"{silent:,}",
            f"{wrong:,}",
            f"{each:.0f}",
        )
    return table


def main() -> int:
    """Run the campaign; 1 when something is wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--count", type=int, default=1000, help="how many formulas")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument(
        "--only", action="append", default=[], metavar="PART", help="of a way's name"
    )
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="for formulas that go wrong")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()

    def say(done: int) -> None:
        if sys.stderr.isatty():
            print(f"\r{done} of {arguments.count}", end="", file=sys.stderr, flush=True)

    counts, failures = campaign(
        arguments.count, arguments.seed, jobs=arguments.jobs, only=arguments.only, say=say
    )
    if arguments.json:
        facts = {
            name: {
                "true": count.right[True],
                "false": count.right[False],
                "certified": count.certified,
                "by a trace": count.solved,
                "silent": dict(count.silent),
                "wrong": count.wrong,
                "seconds": round(count.seconds, 3),
            }
            for name, count in counts.items()
        }
        print(json.dumps({"count": arguments.count, "seed": arguments.seed, "ways": facts}))
    else:
        console = Console()
        console.print(_table(counts))
        for name, count in counts.items():
            for why, number in count.silent.most_common(5):
                console.print(f"{name}: no answer {number} times: {why}", markup=False)
            for line in count.wrong[:5]:
                console.print(f"{name}: WRONG: {line}", markup=False)
    if arguments.keep is not None:
        arguments.keep.mkdir(parents=True, exist_ok=True)
        for name, text in failures.items():
            suffix = "qdimacs" if text.startswith("p cnf") else "qcir"
            (arguments.keep / f"{name}.{suffix}").write_text(text)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
