"""The modules of the package that run in the walks of the page on architecture.

    python research/benchmarks/walks.py [--modules]

The walks are those of a grid (Harary's Tic-Tac-Toe on 3x3) and of a list of moves (Hex on 2x2).  A
module runs when one of its functions does; what loads it does not count, nor what runs in other
processes.  With ``--modules`` their names are printed too.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import FrameType
from typing import Any, Final

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from rich.console import Console
from rich.table import Table

import qsage_validate as qs
from qsage_validate.arena.open import open_engine
from qsage_validate.cli import app
from qsage_validate.play.match import PlayMatch

PACKAGE: Final = f"{Path(qs.__file__).parent}{os.sep}"
GAMES: Final = {
    "grid": ("harary", "--size", "3x3", "--shape", "el", "--depth", "5", "--encoding", "lifted"),
    "list": ("hex", "--size", "2x2", "--depth", "3", "--encoding", "cor"),
}
WALKS: Final = (
    "a literal becomes a stone",
    "an illegal move is explained",
    "certify",
    "validate",
    "validate, one level",
)


@contextmanager
def _running() -> Iterator[set[str]]:
    """The files of the package whose functions run while inside."""
    seen: set[str] = set()

    def look(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        # The bodies of modules and classes, which run when a module is loaded, have no such flag.
        runs = event == "call" and code.co_flags & CO_OPTIMIZED
        if runs and code.co_filename.startswith(PACKAGE):
            seen.add(code.co_filename.removeprefix(PACKAGE))

    threading.setprofile(look)
    sys.setprofile(look)
    try:
        yield seen
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def _command(*words: str) -> None:
    with open(os.devnull, "w") as nothing, redirect_stdout(nothing), redirect_stderr(nothing):
        code = app.run(app.PROGRAMS["qsage"], list(words), "qsage")
    if code:
        raise SystemExit(f"qsage {' '.join(words)} ended with exit code {code}")


def _walks(words: tuple[str, ...], folder: Path) -> Iterator[tuple[str, set[str]]]:
    formula, certificate = str(folder / "f.qcir"), str(folder / "f.aig")
    with _running() as certify:
        _command("certify", *words, "-o", certificate, "--formula", formula)
    with _running() as validate:
        _command("validate", formula, certificate)
    with _running() as level:
        _command("validate", formula, certificate, "--level", "formula")
    engine = open_engine(qs.load(formula, certificate).problem)
    with _running() as stone:
        match = PlayMatch(engine)
    with _running() as illegal:
        move = str(match.frames[-1].move)
        match.why_not(match.parse_move(move))
        match.push(move, force=True)
    yield from zip(WALKS, (stone, illegal, certify, validate, level), strict=True)


def main(arguments: list[str] | None = None) -> int:
    """Count, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--modules", action="store_true", help="print their names")
    options = parser.parse_args(arguments)
    ran: dict[str, dict[str, set[str]]] = {name: {} for name in WALKS}
    for kind, words in GAMES.items():
        with tempfile.TemporaryDirectory() as folder:
            for walk, modules in _walks(words, Path(folder)):
                ran[walk][kind] = modules
    table = Table("walk", *GAMES)
    for walk, kinds in ran.items():
        table.add_row(walk, *(str(len(kinds[kind])) for kind in GAMES))
    Console().print(table)
    if options.modules:
        for walk, kinds in ran.items():
            for kind, modules in kinds.items():
                print(f"{walk}, {kind}: {' '.join(sorted(modules))}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
