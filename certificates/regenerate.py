"""Makes the samples of this folder anew, by the commands in its README and by ``puzzle.py``.

With ``--check`` nothing is written: the exit code is 1 when a file differs from what its command
makes, is missing, or is made by no command.
"""

from __future__ import annotations

import argparse
import os
import runpy
import shlex
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from qsage_validate.cli.app import PROGRAMS, run
from qsage_validate.formats.writing import write_atomic

FOLDER = Path(__file__).resolve().parent
SUFFIXES = (".qcir", ".aig", ".pg")


def commands() -> list[list[str]]:
    """The words of each ``qsage certify`` command in the README, without the program's name."""
    lines = (FOLDER / "README.md").read_text(encoding="utf-8").splitlines()
    return [shlex.split(line)[1:] for line in lines if line.startswith("qsage certify ")]


def make() -> dict[str, bytes]:
    """The samples, by the name of the file."""
    puzzle = runpy.run_path(str(FOLDER / "puzzle.py"))
    texts = {
        "puzzle.pg": puzzle["game"](),
        "puzzle.qcir": puzzle["encode"](),
        "puzzle-wrong.qcir": puzzle["encode"](right=False),
    }
    return _certified() | {name: text.encode() for name, text in texts.items()}


def _certified() -> dict[str, bytes]:
    """What the commands write."""
    before = Path.cwd()
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for words in commands():
                if code := run(PROGRAMS["qsage"], words, "qsage"):
                    sys.exit(code)
            return {path.name: path.read_bytes() for path in sorted(Path().iterdir())}
        finally:
            os.chdir(before)


def differences(made: dict[str, bytes]) -> list[str]:
    """What is not as the commands make it, a line each."""
    here = {p.name: p.read_bytes() for p in FOLDER.iterdir() if p.suffix in SUFFIXES}
    return [
        f"{name}: "
        + (
            "is missing"
            if name not in here
            else "no command makes it"
            if name not in made
            else "differs"
        )
        for name in sorted(made.keys() | here.keys())
        if made.get(name) != here.get(name)
    ]


def main() -> int:
    """Regenerate or compare; returns the exit code."""
    parser = argparse.ArgumentParser(description="Make the sample certificates anew.")
    parser.add_argument("--check", action="store_true", help="only compare")
    arguments = parser.parse_args()
    made = make()
    if arguments.check:
        wrong = differences(made)
        for line in wrong:
            print(f"certificates/{line}")
        return 1 if wrong else 0
    for name, content in made.items():
        write_atomic(FOLDER / name, content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
