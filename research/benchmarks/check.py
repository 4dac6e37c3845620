"""Check certificates at levels 1 and 2: the project's way beside the plain way, and the proofs.

    python research/benchmarks/check.py [--case FORMULA CERTIFICATE ...] [--jobs N] [--json]
    python research/benchmarks/check.py --generated GATES --memory MB

Without ``--case`` the project's own samples are checked.  Where ``$QSAGE_SHARED_DATA`` (or
``../shared/data``) has them: all circuits of QuAbS and in QBFcert's dialect, and those of DepQBF
and QBFcert that are published with SQval.  Where DepQBF is there: Herbrand certificates of clausal
formulas, made of its traces on the spot, of empty Hex boards and of puzzles of the shared data.

The plain way is what one writes first: each gate of certificate and matrix with its Tseitin
clauses, and one call of CaDiCaL 1.5.3.  Each way runs in a process of its own, so that peak
memory is its own; seconds are processor time from the files to the answer, those of other
processes (``--jobs``) included, wall-clock time beside them.  The program fails (exit code 1)
when two ways give different answers.

``--generated`` checks a certificate with that many gates in each shape of ``circuits.py``,
whose formula says that it equals a copy of itself, within ``--memory``: it must end with an
answer or undecided.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
from pysat.solvers import Solver
from rich.console import Console
from rich.table import Table

from qsage_validate.certificates.reader import read_certificate
from qsage_validate.certificates.routes import RouteOptions, certify_formula
from qsage_validate.certificates.writer import certificate_bytes
from qsage_validate.circuit.aig import Aig, Literals
from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import QsageError
from qsage_validate.formats.formula import read_formula
from qsage_validate.formats.qdimacs import clausal_form, qdimacs_text
from qsage_validate.games.model_text import GameModel
from qsage_validate.games.positional.hex import hex_network
from qsage_validate.games.registry import find_command
from qsage_validate.kernel.certificate import (
    CertificateKind,
    CircuitCertificate,
    Dialect,
    dont_cares,
)
from qsage_validate.proving.formula_cnf import formula_proof
from qsage_validate.proving.formula_level import check_dependencies, check_formula
from qsage_validate.proving.run import LevelResult
from qsage_validate.solvers.backend import Missing
from qsage_validate.solvers.backends import get_backend
from qsage_validate.system.limits import Limits
from qsage_validate.system.pool import Send, run_job
from research.benchmarks.circuits import INPUTS, SHAPES
from research.benchmarks.load import peak_memory

REPOSITORY: Final = Path(__file__).resolve().parents[2]
OWN: Final = ("tic", "hex", "connect3", "breakthrough", "evader", "domineering")
CLAUSAL: Final = ((4, 7), (5, 7))
"""The sizes and depths of the boards whose Herbrand certificates are made on the spot."""
PUZZLES: Final = (
    ("hein_12_4x4-05", "ln"),
    ("hein_19_5x5-09", "et"),
    ("hein_19_5x5-09", "en"),
    ("hein_19_5x5-09", "sn"),
    ("hein_19_5x5-09", "cor"),
    ("hein_08_5x5-09", "et"),
    ("hein_08_5x5-09", "en"),
    ("hein_08_5x5-09", "cor"),
)
"""The puzzles and encodings whose Herbrand certificates are made on the spot."""


def shared() -> Path:
    """The folder of files that others made."""
    return Path(os.environ.get("QSAGE_SHARED_DATA") or REPOSITORY.parent / "shared" / "data")


def cases() -> list[tuple[str, str]]:
    """Formula and certificate of all samples that are there."""
    found = [
        (str(formula), str(file))
        for file in sorted((shared() / "certificates").glob("*/*.a[ai]g"))
        for formula in (file.with_suffix(".qcir"), file.with_suffix(".qdimacs"))
        if formula.exists()
    ]
    for file in sorted((shared() / "sqval").glob("*/*certificate.aag*")):
        name = file.name.partition("certificate")[0].rstrip("_") or "qbf"
        found.append((str(file.with_name(f"{name}.qdimacs")), str(file)))
    stems = [REPOSITORY / "certificates" / name for name in OWN]
    return found + [(f"{stem}.qcir", f"{stem}.aig") for stem in stems]


def herbrand(folder: Path) -> list[tuple[str, str]]:
    """Formulas that are false, and functions from DepQBF's traces.

    The functions are what extraction gives, for White, of the clauses; nothing is minimised.
    """
    made = []
    asked: list[tuple[str, GameModel, str]] = [
        (f"hex-{size}x{size}_{depth}_et", hex_network(size, size, depth), "et")
        for size, depth in CLAUSAL
    ]
    puzzles = shared() / "pg" / "sat2023" / "Hein" / "B-Hex"
    for puzzle, encoding in PUZZLES:
        if (puzzles / f"{puzzle}.pg").exists():
            read = find_command([str(puzzles / f"{puzzle}.pg")])
            asked.append((f"{puzzle}_{encoding}", read, encoding))
    for name, model, encoding in asked:
        stem = folder / name
        clauses = clausal_form(encode(model, encoding).qbf)
        Path(f"{stem}.qdimacs").write_text(qdimacs_text(clauses), encoding="ascii")
        formula = read_formula(f"{stem}.qdimacs")
        found = certify_formula(formula, RouteOptions("trace", solver="depqbf")).certificate
        Path(f"{stem}.aig").write_bytes(certificate_bytes(found, formula))
        made.append((f"{stem}.qdimacs", f"{stem}.aig"))
    return made


# --- The ways ------------------------------------------------------------------------------


def plain(formula_path: str, certificate_path: str, jobs: int) -> dict[str, Any]:
    """Naive clauses of everything, one call of CaDiCaL 1.5.3."""
    del jobs
    formula = read_formula(formula_path)
    certificate = read_certificate(certificate_path, formula, dependencies=False)
    if not isinstance(certificate, CircuitCertificate):
        raise QsageError(f"{certificate_path}: found clauses, expected a circuit")
    aig = certificate.aig
    following = formula.max_variable + 1
    variable = [following, *certificate.inputs]
    variable += range(following + 1, following + 1 + aig.num_gates)

    def sat(literal: int) -> int:
        return -variable[literal >> 1] if literal & 1 else variable[literal >> 1]

    clauses = [[-following]]
    pairs = zip(aig.fanin0.tolist(), aig.fanin1.tolist(), strict=True)
    for gate, (left, right) in enumerate(pairs, start=aig.num_inputs + 1):
        g, a, b = variable[gate], sat(left), sat(right)
        clauses += [[-g, a], [-g, b], [g, -a, -b]]
    for decided, literal in certificate.functions.items():
        clauses += [[-decided, sat(literal)], [decided, -sat(literal)]]
    clauses += [[-v] for v in dont_cares(certificate, formula)]
    clauses += formula.clauses()
    clauses.append(
        [-formula.output if certificate.kind is CertificateKind.SKOLEM else formula.output]
    )
    with Solver(name="cadical153", bootstrap_with=clauses) as solver:
        beaten = solver.solve()
    return {"answer": "refuted" if beaten else "proved", "gates": aig.num_gates}


def levels(formula_path: str, certificate_path: str, jobs: int) -> dict[str, Any]:
    """Level 1 (which the plain way leaves out) and level 2."""
    formula = read_formula(formula_path)
    certificate = read_certificate(certificate_path, formula, dependencies=False)
    first = check_dependencies(formula, certificate)
    second = check_formula(formula, certificate, jobs=jobs)
    evidence = second.evidence
    return {
        "answer": second.word,
        "dependencies": first.word,
        "gates": evidence["certificate gates"],
        "hashed": evidence["gates after hashing"],
        "conflicts": evidence["conflicts"],
    }


def proof(formula_path: str, certificate_path: str, jobs: int) -> dict[str, Any]:
    """CNF and proof, written."""
    del jobs
    formula = read_formula(formula_path)
    certificate = read_certificate(certificate_path, formula, dependencies=False)
    _, derivation = formula_proof(formula, certificate)
    with tempfile.TemporaryFile("w+", encoding="ascii") as file:
        file.writelines(derivation.lines())
        size = file.tell()
    return {"answer": "proved", "steps": len(derivation.clauses), "bytes": size}


WAYS: Final[dict[str, Callable[[str, str, int], dict[str, Any]]]] = {
    "plain": plain,
    "levels 1 and 2": levels,
    "proof": proof,
}


def measure(way: str, formula: str, certificate: str, jobs: int) -> dict[str, Any]:
    """One way's answer, with seconds and memory."""
    wall, start = time.perf_counter(), _processor()
    result = WAYS[way](formula, certificate, jobs)
    return {
        **result,
        "seconds": _processor() - start,
        "wall": time.perf_counter() - wall,
        "peak": peak_memory(),
    }


def _processor() -> float:
    """Processor seconds of this process and of those that it has waited for."""
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def child(*arguments: object) -> Any:
    """The result of :func:`measure` from a new process."""
    command = [sys.executable, str(Path(__file__).resolve()), "--child", json.dumps(arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    if done.returncode:
        sys.exit(done.returncode)  # the child has said why
    return json.loads(done.stdout)


# --- A generated certificate ---------------------------------------------------------------


def copy_of_itself(shape: str, gates: int) -> tuple[Qbf, CircuitCertificate]:
    """A certificate of ``gates`` gates for "each variable equals its twin"."""
    aig, outputs = SHAPES[shape](gates // 2, 15_000, 1)
    inputs = tuple(range(1, INPUTS + 1))
    first = INPUTS + 1
    left = tuple(range(first, first + len(outputs)))
    right = tuple(range(first + len(outputs), first + 2 * len(outputs)))
    following = first + 2 * len(outputs)
    matrix = {
        following + k: Gate(Connective.XOR, pair)
        for k, pair in enumerate(zip(left, right, strict=True))
    }
    last = following + len(matrix)
    matrix[last] = Gate(Connective.AND, tuple(-gate for gate in matrix))
    scopes = (Scope(Quantifier.FORALL, inputs), Scope(Quantifier.EXISTS, left + right))
    twin = twice(aig)
    shift = 2 * aig.num_gates
    functions = dict(zip(left, outputs, strict=True))
    functions |= {
        v: x + shift if x >> 1 > INPUTS else x for v, x in zip(right, outputs, strict=True)
    }
    return Qbf(scopes, matrix, last), CircuitCertificate(
        CertificateKind.SKOLEM, twin, inputs, functions, Dialect.CAQE
    )


def twice(aig: Aig) -> Aig:
    """The graph with a second copy of all its gates behind the first."""

    def behind(column: Literals) -> Literals:
        moved = np.where(column >> 1 > INPUTS, column + 2 * aig.num_gates, column)
        return np.concatenate((column, moved.astype(np.int32)))

    return Aig(INPUTS, behind(aig.fanin0), behind(aig.fanin1))


def generated(send: Send, shape: str, gates: int) -> dict[str, Any]:
    """Both levels on a generated certificate."""
    formula, certificate = copy_of_itself(shape, gates)
    results: list[LevelResult] = []
    for level in (check_dependencies, check_formula):
        results.append(level(formula, certificate))
        send(results[-1])
    return {"gates": certificate.aig.num_gates, "peak": peak_memory()}


def within(gates: int, memory: int) -> int:
    """Check a generated certificate of each shape within ``memory`` MB; the exit code."""
    table = Table(title=f"{gates:,} gates within {memory:,} MB")
    for heading in ("shape", "level 1", "level 2", "wall s", "peak MiB"):
        table.add_column(heading)
    for shape in SHAPES:
        words: list[str] = []

        def receive(result: object, words: list[str] = words) -> None:
            assert isinstance(result, LevelResult)
            words.append(f"{result.word} ({result.seconds:.1f} s)")

        start = time.perf_counter()
        done = run_job(generated, shape, gates, limits=Limits(memory_mb=memory), receive=receive)
        words += [str(done)] * (2 - len(words))
        peak = f"{done['peak'] / 2**20:,.0f}" if isinstance(done, dict) else ""
        table.add_row(shape, *words, f"{time.perf_counter() - start:.1f}", peak)
    Console(width=None if sys.stdout.isatty() else 140).print(table)
    return 0


# --- Report --------------------------------------------------------------------------------


def report(rows: list[dict[str, Any]]) -> Table:
    """A line for each case and way; the ratio is the plain way's processor time over it."""
    table = Table(title="Certificate checks: processor seconds from the files to the answer")
    for heading in ("certificate", "way", "answer"):
        table.add_column(heading)
    for heading in ("seconds", "×", "wall s", "peak MiB", "remarks"):
        table.add_column(heading, justify="right")
    for row in rows:
        for index, way in enumerate(WAYS):
            result = row[way]
            remarks = f"{result['gates']:,} gates" if way == "plain" else ""
            if "hashed" in result:
                remarks = f"{result['hashed']:,} gates, {result['conflicts']:,} conflicts"
            if "steps" in result:
                remarks = f"{result['steps']:,} steps, {result['bytes'] / 2**20:.1f} MiB"
            table.add_row(
                "" if index else row["name"],
                way,
                result["answer"],
                f"{result['seconds']:.3f}",
                f"{row['plain']['seconds'] / result['seconds']:.1f}",
                f"{result['wall']:.3f}",
                f"{result['peak'] / 2**20:,.0f}",
                remarks,
                end_section=index == len(WAYS) - 1,
            )
    return table


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument(
        "--case", action="append", nargs=2, metavar=("FORMULA", "CERTIFICATE"), default=[]
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes of the project's way")
    parser.add_argument("--generated", type=int, metavar="GATES", help="check a generated one")
    parser.add_argument("--memory", type=int, metavar="MB", default=4000, help="its limit")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.child:
        try:
            print(json.dumps(measure(*json.loads(options.child))))
        except QsageError as error:
            print(error, file=sys.stderr)
            return error.exit_code
        return 0
    if options.generated:
        return within(options.generated, options.memory)
    narration = Console(stderr=True)
    rows: list[dict[str, Any]] = []
    same = True
    with tempfile.TemporaryDirectory() as folder:
        asked = [*options.case]
        if not asked:
            asked = cases()
            if not isinstance(get_backend("depqbf").availability(), Missing):
                asked += herbrand(Path(folder))
        for formula, certificate in asked:
            path = Path(certificate)
            name = path.name
            if "certificate" in name:
                name = f"{path.parent.name} {name.partition('_')[0]}".removesuffix(" " + name)
            name += " (clauses)" if formula.endswith("dimacs") else ""
            row: dict[str, Any] = {"name": name, "file": certificate}
            for way in WAYS:
                narration.print(f"{row['name']}: {way}")
                row[way] = child(way, formula, certificate, options.jobs)
            same &= len({row[way]["answer"] for way in WAYS}) == 1
            rows.append(row)
    if options.json:
        print(json.dumps(rows))
    else:
        Console(width=None if sys.stdout.isatty() else 140).print(report(rows))
    if not same:
        narration.print("two ways give different answers", style="red")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
