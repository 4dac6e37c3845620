"""Makes the pack for authors of solvers: formulas of every encoding, values, certificates.

    python3 dev.py pack [-o FILE]
    python3 dev.py pack --measure SOLVER ...    seconds of solvers, into difficulty.csv

In the archive: QCIR and QDIMACS of each encoding at three sizes, a certificate of each that was
checked, ``manifest.csv`` with values, sizes and hashes, and for BenchExec a task of each formula,
a definition and a module.  The same versions make the same bytes.  How hard the formulas are was
measured once: ``difficulty.csv`` beside this file.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import gzip
import hashlib
import io
import json
import os
import shutil
import sys
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from qsage_validate import __version__
from qsage_validate.cli.app import PROGRAMS, run
from qsage_validate.encodings.registry import encoders
from qsage_validate.errors import Exit, InputError, counted
from qsage_validate.formats.writing import check_output, write_atomic
from qsage_validate.system.limits import count_processor_time

HERE: Final = Path(__file__).resolve().parent
NAME: Final = f"qsage-validate-{__version__}-pack"
SECONDS: Final = 20
"""The limit of ``--measure`` for each formula, of processor time."""

_COMPILED: Final = shutil.ignore_patterns("__pycache__")
_HEX: Final = tuple(f"--size {n}x{n} --depth {d}" for n, d in ((2, 3), (3, 5), (4, 7)))
_EL: Final = tuple(f"--size {n}x{n} --shape el --depth 5" for n in (3, 4, 5))
_TRAILS: Final = tuple(f"--role red --depth {d}" for d in (4, 7, 10))
GAMES: Final[Mapping[str, tuple[str, Sequence[str]]]] = {
    **dict.fromkeys(("lifted", "lifted-guarded"), ("httt", _EL)),
    **dict.fromkeys(("cor-lean", "cor-ladder", "cor", "cor+", "ea", "la", "sa"), ("hex", _HEX)),
    **dict.fromkeys(
        ("en", "en-forward", "et", "ln", "sn", "li", "si", "pairing"), ("hex-network", _HEX)
    ),
    **dict.fromkeys(("cover", "cover-played"), ("httt", _EL)),
    "sn-httt": ("httt --maker-breaker", _EL),
    **dict.fromkeys(
        ("gdl", "gdl-strict", "gdl-gn", "gdl-gt", "gdl-gd", "gdl-sd"), ("trails", _TRAILS)
    ),
}
"""The game of each encoding, and its three sizes."""


@dataclass(frozen=True)
class Instance:
    """A formula: the encoding, and the words of its game."""

    encoding: str
    game: str

    @property
    def name(self) -> str:
        """As in the evaluations of QBF solvers: family, sizes, encoding; no blanks."""
        words = [word.removeprefix("--") for word in self.game.split()]
        sizes = [word for word in words[1:] if word not in ("size", "shape", "role")]
        numbers = "_".join(sizes).replace("depth_", "d").replace("maker-breaker", "mb")
        return f"{words[0]}_{numbers}_{self.encoding.replace('+', 'plus')}"


def instances() -> Iterator[Instance]:
    """All of the pack; an encoding without a game is an error of this file."""
    for encoding in encoders():
        game, sizes = GAMES[encoding]
        for size in sizes:
            yield Instance(encoding, f"{game} {size}")


def qsage(*words: str) -> dict[str, object]:
    """What a command says in JSON; its exit code is 0, 10 or 20."""
    out, said = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
        code = run(PROGRAMS["qsage"], list(words), "qsage")
    if code not in (Exit.FINE, Exit.TRUE, Exit.FALSE, Exit.UNDECIDED):
        raise SystemExit(f"qsage {' '.join(words)}: {said.getvalue().strip()}")
    facts: dict[str, object] = json.loads(out.getvalue() or "{}")
    return facts


def made(instance: Instance) -> dict[str, object]:
    """Write the files of a formula into the current folder; returns its line of the manifest."""
    name = instance.name
    circuit, clauses, certificate = f"{name}.qcir", f"{name}.qdimacs", f"{name}.aig"
    qsage("encode", *instance.game.split(), "--encoding", instance.encoding, "-o", circuit)
    qsage("encode", circuit, "-o", clauses)
    said = qsage("certify", circuit, "-o", certificate, "--json")
    proved = ("--level", "dependencies", "--level", "formula", "--json")
    checked = qsage("validate", circuit, "--cert", certificate, *proved)
    if checked["verdict"] != "valid":
        raise SystemExit(f"{name}: the certificate is {checked['verdict']}")
    value = checked["claim"] == "the formula is true"
    facts = [qsage("info", file, "--json") for file in (circuit, clauses)]
    scopes = facts[0]["scopes"]
    assert isinstance(scopes, list), "a list of quantifiers with the number of their variables"
    write_atomic(Path(f"{name}.yml"), _task(clauses, value).encode())
    row: dict[str, object] = {
        "name": name,
        "game": instance.game,
        "encoding": instance.encoding,
        "value": str(value).lower(),
        "certificate": said["kind"],
        "scopes": len(scopes),
        "variables": facts[0]["variables"],
        "gates": facts[0]["gates"],
        "clauses": facts[1]["clauses"],
    }
    for file in (circuit, clauses, certificate):
        row[f"sha256 {Path(file).suffix[1:]}"] = hashlib.sha256(Path(file).read_bytes()).hexdigest()
    return row


def _task(formula: str, value: bool) -> str:
    """The task of BenchExec: the formula and its value."""
    return (
        "format_version: '2.0'\n"
        f"input_files: {formula}\n"
        "properties:\n"
        "  - property_file: value.prp\n"
        f"    expected_verdict: {str(value).lower()}\n"
    )


def fill(folder: Path, chosen: Sequence[Instance]) -> None:
    """Put everything into ``folder``."""
    with _chdir(folder):
        rows = [made(instance) for instance in chosen]
    with (HERE / "difficulty.csv").open(encoding="utf-8") as file:
        known = {row.pop("name"): row for row in csv.DictReader(file)}
    table = io.StringIO()
    columns = [*rows[0], *next(iter(known.values()), {})]
    writer = csv.DictWriter(table, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(row | known.get(str(row["name"]), {}) for row in rows)
    (folder / "manifest.csv").write_text(table.getvalue(), "utf-8")
    shutil.copytree(HERE / "benchexec", folder, dirs_exist_ok=True, ignore=_COMPILED)
    for name in ("README.md", "check.py"):
        shutil.copy(HERE / name, folder)


@contextlib.contextmanager
def _chdir(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def archive(folder: Path) -> bytes:
    """The files of a folder as a compressed archive: no times, no names of people, in order."""
    data = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=data, mode="wb", mtime=0, filename="") as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = tarfile.TarInfo(f"{NAME}/{path.relative_to(folder).as_posix()}")
            entry.size = path.stat().st_size
            entry.mode = 0o644
            tar.addfile(entry, io.BytesIO(path.read_bytes()))
    return data.getvalue()


def measure(solvers: Sequence[str]) -> None:
    """Time solvers on the clauses, and write ``difficulty.csv``."""
    count_processor_time()
    rows = []
    with TemporaryDirectory() as name, _chdir(Path(name)):
        for instance in instances():
            row = {"name": instance.name}
            words = instance.game.split()
            qsage("encode", *words, "--encoding", instance.encoding, "-o", "f.qdimacs")
            limits = ("--preprocess", "none", "--timeout", str(SECONDS))
            for solver in solvers:
                said = qsage("solve", "f.qdimacs", "--solver", solver, *limits, "--json")
                # A solver that the limit ends leaves a line on standard error alone.
                decided = said.get("verdict", "undecided") != "undecided"
                seconds = f"{said['cpu_seconds']:.1f}" if decided else f"> {SECONDS}"
                row[f"{solver} seconds"] = seconds
            rows.append(row)
            print(row, file=sys.stderr, flush=True)
    table = io.StringIO()
    writer = csv.DictWriter(table, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_atomic(HERE / "difficulty.csv", table.getvalue().encode())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("-o", "--output", type=Path, default=Path("dist") / f"{NAME}.tar.gz")
    parser.add_argument("--only", metavar="WORD", default="", help="formulas with WORD in the name")
    parser.add_argument("--measure", metavar="SOLVER", nargs="+", help="time solvers instead")
    arguments = parser.parse_args()
    if arguments.measure:
        measure(arguments.measure)
        return 0
    chosen = [each for each in instances() if arguments.only in each.name]
    if not chosen:
        parser.error(f"found no formula with {arguments.only!r} in its name, expected one")
    try:
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        check_output(str(arguments.output), "FILE")
    except (OSError, InputError) as error:
        parser.error(str(error))
    with TemporaryDirectory() as name:
        fill(Path(name), chosen)
        data = archive(Path(name))
    write_atomic(arguments.output, data)
    made = f"{counted(len(chosen), 'formula')}, SHA-256 {hashlib.sha256(data).hexdigest()}"
    print(f"{arguments.output}: {made}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
