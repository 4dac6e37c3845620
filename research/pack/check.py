"""Has a solver's answers and certificates checked on the pack, formula by formula.

    python3 check.py FOLDER --command 'SOLVER {formula} --aag {certificate}' [--seconds 20]
    python3 check.py FOLDER --solver depqbf

FOLDER is the unpacked archive; ``qsage`` has to be installed.  ``--command`` is the line that runs
your solver: exit code 10 says true, 20 false, as in the evaluations of solvers, others nothing.  A
file that it leaves at ``{certificate}`` is checked: AIGER of any dialect, Pedant's clauses, or a
trace where the file begins as one (QRP, Qute).  ``--solver`` runs one that qsage knows: its
answers, and certificates made of its traces where it writes some.  The exit code is 1 if an answer
or a certificate is wrong.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import shlex
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from qsage_validate.cli.app import PROGRAMS, run
from qsage_validate.errors import Exit, InputError, counted
from qsage_validate.formats.source import Format, sniff
from qsage_validate.formats.writing import check_output, write_atomic
from qsage_validate.system.limits import Deadline, now
from qsage_validate.system.programs import run_program

TRACES: Final = (Format.QRP, Format.BQRP, Format.QUTE)
WRONG: Final = ("wrong", "refuted", "malformed")


@dataclass(frozen=True, slots=True)
class Checked:
    """What a solver gave for a formula.

    ``answer`` is ``right``, ``wrong`` or ``none``; ``certificate`` ``proved``, ``refuted``,
    ``malformed``, ``undecided`` or ``none``; ``why`` the last line of the check.
    """

    name: str
    value: str
    answer: str
    certificate: str
    seconds: str
    why: str


def qsage(*words: str) -> tuple[int, str]:
    """The exit code of a command, and the last line that it writes."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = run(PROGRAMS["qsage"], list(words), "qsage")
    return code, next(reversed(said.getvalue().strip().splitlines()), "")


def answered(code: int | None, value: str) -> str:
    """An exit code compared with the value of the manifest."""
    if code not in (Exit.TRUE, Exit.FALSE):
        return "none"
    return "right" if (code == Exit.TRUE) is (value == "true") else "wrong"


def checked(formula: str, certificate: Path, seconds: float) -> tuple[str, str]:
    """The verdict on a certificate's file or a trace, and why."""
    if not certificate.is_file() or not certificate.stat().st_size:
        return "none", ""
    trace = sniff(certificate) in TRACES
    levels = ["trace"] if trace else ["dependencies", "formula"]
    words = ["--trace" if trace else "--cert", str(certificate), "--timeout", f"{seconds:g}"]
    words += [word for level in levels for word in ("--level", level)]
    code, why = qsage("validate", formula, *words)
    verdicts = {Exit.FINE: "proved", Exit.REFUTED: "refuted", Exit.BAD_INPUT: "malformed"}
    return verdicts.get(Exit(code), "undecided"), why


def by_command(command: str, formula: str, value: str, seconds: float, folder: Path) -> Checked:
    """Run a solver by its command line."""
    certificate = folder / "certificate"
    certificate.unlink(missing_ok=True)
    line = [
        word.replace("{formula}", formula).replace("{certificate}", str(certificate))
        for word in shlex.split(command)
    ]
    done = run_program(line, deadline=Deadline.after(seconds), cwd=folder)
    answer = answered(done.returncode, value)
    verdict, why = checked(formula, certificate, seconds)
    return Checked(Path(formula).stem, value, answer, verdict, f"{done.seconds:.1f}", why)


def by_name(solver: str, formula: str, value: str, seconds: float, folder: Path) -> Checked:
    """Ask a solver that qsage knows, and make a certificate of its trace."""
    limits = ("--solver", solver, "--timeout", f"{seconds:g}")
    began = now()
    code, why = qsage("solve", formula, *limits, "--preprocess", "none")
    took = f"{now() - began:.1f}"
    answer, verdict = answered(code, value), "none"
    if answer == "right":
        certificate = folder / "certificate.aig"
        certificate.unlink(missing_ok=True)
        _, why = qsage("certify", formula, "-o", str(certificate), *limits)
        verdict, said = checked(formula, certificate, seconds)
        why = said or why
    return Checked(Path(formula).stem, value, answer, verdict, took, why)


def rows(folder: Path, only: str) -> Iterator[Mapping[str, str]]:
    """The lines of the manifest for formulas with a word in their name."""
    with (folder / "manifest.csv").open(encoding="utf-8") as file:
        yield from (row for row in csv.DictReader(file) if only in row["name"])


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    who = parser.add_mutually_exclusive_group(required=True)
    who.add_argument("--command", help="your solver: {formula} and {certificate} are put in")
    who.add_argument("--solver", help="one of 'qsage info --solvers'")
    parser.add_argument("--circuits", action="store_true", help="give it QCIR, not QDIMACS")
    parser.add_argument("--seconds", type=float, default=20.0, help="for each run and check")
    parser.add_argument("--only", metavar="WORD", default="", help="formulas with WORD in the name")
    parser.add_argument("-o", "--output", type=Path, help="a table in CSV, a line a formula")
    asked = parser.parse_args(words)
    if not (asked.folder / "manifest.csv").is_file():
        parser.error(f"found no manifest.csv in {asked.folder}, expected the unpacked archive")
    if asked.output is not None:
        try:
            check_output(str(asked.output), "FILE")
        except InputError as error:
            parser.error(str(error))
    suffix = ".qcir" if asked.circuits else ".qdimacs"
    found: list[Checked] = []
    with TemporaryDirectory() as name:
        for row in rows(asked.folder, asked.only):
            formula = str((asked.folder / (row["name"] + suffix)).resolve())
            given = (formula, row["value"], asked.seconds, Path(name))
            one = (
                by_name(asked.solver, *given) if asked.solver else by_command(asked.command, *given)
            )
            found.append(one)
            print(f"{one.name}: answer {one.answer}, certificate {one.certificate}", flush=True)
            if one.certificate in WRONG:
                print(f"  {one.why}")
    if not found:
        parser.error(f"found no formula with {asked.only!r} in its name, expected one")
    if asked.output is not None:
        table = io.StringIO()
        writer = csv.writer(table, lineterminator="\n")
        writer.writerow(Checked.__slots__)
        writer.writerows([getattr(one, field) for field in Checked.__slots__] for one in found)
        write_atomic(asked.output, table.getvalue())
    answers = Counter(one.answer for one in found)
    certificates = Counter(one.certificate for one in found)
    summary = f"answers: {_counted(answers)}; certificates: {_counted(certificates)}"
    print(f"{counted(len(found), 'formula')}; {summary}")
    return 1 if any(kind in WRONG for kind in (*answers, *certificates)) else 0


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))


if __name__ == "__main__":
    sys.exit(main())
