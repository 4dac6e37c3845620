"""Check solvers' traces and extract functions from them: seconds, memory, and gates.

    python research/benchmarks/traces.py [--case FORMULA ...] [--timeout SECONDS] [--json]
    python research/benchmarks/traces.py --trace FORMULA TRACE [--json]

DepQBF (text and binary) and Qute solve each formula and write a trace, without preprocessing,
which is what makes traces long; ``--trace`` takes one that is there.  Without ``--case`` the
project's own samples are taken, and Q-sage's formulas where ``$QSAGE_SHARED_DATA`` (or
``../shared/data``) has them.  Each job runs in a process of its own, so that peak memory is its
own; seconds are processor time:

- *index*: where each step is, and what the result rests on;
- *read*: all literals of those steps, besides;
- *check*: the trace level of ``qsage validate``, index included;
- *extract*: Skolem or Herbrand functions, index included.

The program fails (exit code 1) when a trace is refuted, or a certificate is when ``--prove``
asks for the proof of each.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from rich.console import Console
from rich.table import Table

from qsage_validate.certificates.by_proof import extract
from qsage_validate.certificates.check import CertificateProved, check
from qsage_validate.certificates.qrp_check import QrpProved, check_qrp
from qsage_validate.errors import QsageError
from qsage_validate.formats.formula import read_formula
from qsage_validate.formats.qrp import read_qrp
from qsage_validate.solvers.backends import get_backend
from qsage_validate.system.limits import Deadline, Limits
from research.benchmarks.load import peak_memory

REPOSITORY: Final = Path(__file__).resolve().parents[2]
OWN: Final = ("evader",)
SHARED: Final = (
    "domineering__4x2_5",
    "httt-3x3_3_domino",
    "hex__hein_12_4x4-07",
    "connect-c-3x3_3_connect2",
)
SOLVERS: Final = (("depqbf", False), ("depqbf", True), ("qute", False))
JOBS: Final = ("index", "read", "check", "extract")


def cases() -> list[str]:
    """The formulas that are there."""
    shared = Path(os.environ.get("QSAGE_SHARED_DATA") or REPOSITORY.parent / "shared" / "data")
    paths = [REPOSITORY / "certificates" / f"{name}.qcir" for name in OWN]
    paths += [shared / "certificates" / "quabs" / f"{name}.qcir" for name in SHARED]
    return [str(path) for path in paths if path.exists()]


# --- The jobs ------------------------------------------------------------------------------


def _index(formula: str, trace: str) -> dict[str, Any]:
    del formula
    read = read_qrp(trace)
    return {"steps": read.num_steps, "needed": len(read.needed())}


def _read(formula: str, trace: str) -> dict[str, Any]:
    del formula
    read = read_qrp(trace)
    runs = read.runs(read.needed())
    return {"literals": sum(len(read.literals(run)[0]) for run in runs)}


def _check(formula: str, trace: str) -> dict[str, Any]:
    result = check_qrp(read_formula(formula), trace)
    return {"answer": str(result), "wrong": not isinstance(result, QrpProved)}


def _extract(formula: str, trace: str) -> dict[str, Any]:
    certificate = extract(read_formula(formula), trace)
    return {"gates": certificate.aig.num_gates, "functions": len(certificate.functions)}


def _prove(formula: str, trace: str) -> dict[str, Any]:
    read = read_formula(formula)
    result = check(read, extract(read, trace))
    return {"answer": str(result), "wrong": not isinstance(result, CertificateProved)}


DO: Final[dict[str, Callable[[str, str], dict[str, Any]]]] = {
    "index": _index,
    "read": _read,
    "check": _check,
    "extract": _extract,
    "prove": _prove,
}


def measure(job: str, formula: str, trace: str) -> dict[str, Any]:
    """One job's figures, with seconds and the peak of the memory in MiB."""
    start = time.process_time()
    result = DO[job](formula, trace)
    return {**result, "seconds": time.process_time() - start, "peak": peak_memory()}


def child(*arguments: str) -> dict[str, Any]:
    """The result of :func:`measure` from a new process."""
    command = [sys.executable, str(Path(__file__).resolve()), "--child", json.dumps(arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    if done.returncode:
        sys.exit(done.returncode)  # the child has said why
    found: dict[str, Any] = json.loads(done.stdout)
    return found


# --- Rows ----------------------------------------------------------------------------------


def row(formula: str, trace: str, solver: str, prove: bool) -> dict[str, Any]:
    """All figures of one trace."""
    figures: dict[str, Any] = {
        "formula": Path(formula).stem,
        "solver": solver,
        "bytes": Path(trace).stat().st_size,
    }
    for job in (*JOBS, "prove") if prove else JOBS:
        found = child(job, formula, trace)
        figures |= {k: v for k, v in found.items() if k not in ("seconds", "peak", "answer")}
        figures |= {f"{job} seconds": found["seconds"], f"{job} peak": found["peak"]}
        if found.get("wrong"):
            sys.exit(f"{formula}, {solver}: {found['answer']}")
    return figures


def rows(formulas: list[str], timeout: float, prove: bool) -> Iterator[dict[str, Any]]:
    """The figures of the traces that the solvers write within the limit."""
    for formula in formulas:
        for name, binary in SOLVERS:
            with tempfile.TemporaryDirectory() as folder:
                trace = Path(folder) / "trace"
                limits = Limits(Deadline.after(timeout))
                outcome = get_backend(name).solve(
                    read_formula(formula),
                    limits,
                    workdir=Path(folder),
                    trace=trace,
                    binary_trace=binary,
                )
                title = f"{name}, binary" if binary else name
                if outcome.trace is None:
                    print(f"{formula}, {title}: {outcome.why}", file=sys.stderr)
                    continue
                yield row(formula, str(trace), title, prove) | {"solve seconds": outcome.seconds}


def show(found: list[dict[str, Any]]) -> None:
    """The table of all rows."""
    table = Table(title="Traces: processor seconds, and peak memory in MiB")
    for heading in ("formula", "solver", "MB", "steps", "needed", "literals"):
        table.add_column(heading)
    for heading in ("index", "MB/s", "read", "check", "extract"):
        table.add_column(heading, justify="right")
    table.add_column("gates", justify="right")
    table.add_column("gates/step", justify="right")
    for each in found:
        seconds = {job: each[f"{job} seconds"] for job in JOBS}
        megabytes = each["bytes"] / 1e6
        table.add_row(
            each["formula"],
            each["solver"],
            f"{megabytes:,.1f}",
            *(f"{each[key]:,}" for key in ("steps", "needed", "literals")),
            f"{seconds['index']:.2f}",
            f"{megabytes / seconds['index']:,.0f}",
            f"{seconds['read']:.2f}",
            *(f"{seconds[job]:.1f} ({each[f'{job} peak']:,.0f})" for job in ("check", "extract")),
            f"{each['gates']:,}",
            f"{each['gates'] / each['needed']:.2f}",
        )
    # In a pipe there is no width to be kept.
    console = Console()
    (console if console.is_terminal else Console(width=160)).print(table)


def main() -> int:
    """Run from the command line."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--case", action="append", metavar="FORMULA")
    parser.add_argument("--trace", nargs=2, metavar=("FORMULA", "TRACE"))
    parser.add_argument("--timeout", type=float, default=60.0)
    parser.add_argument("--prove", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    try:
        if options.child:
            print(json.dumps(measure(*json.loads(options.child))))
            return 0
        if options.trace:
            formula, trace = options.trace
            found = [row(formula, trace, "given", options.prove)]
        else:
            found = list(rows(options.case or cases(), options.timeout, options.prove))
    except QsageError as error:
        print(error, file=sys.stderr)
        return int(error.exit_code)
    if options.json:
        print(json.dumps(found))
    else:
        show(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
