"""What the main commands load of this package: a budget that may only fall.

``pytest -s`` on this file prints the figures.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
SAMPLE = REPOSITORY / "certificates" / "tic"
TIC = (f"{SAMPLE}.qcir", "--cert", f"{SAMPLE}.aig")
COUNT = """
import atexit, json, sys
from qsage_validate.cli import start

def tell():
    files = [m.__file__ for n, m in list(sys.modules.items()) if n.startswith("qsage_validate")]
    lines = 0
    for name in files:
        with open(name, encoding="utf-8") as file:
            lines += sum(1 for _ in file)
    with open("loaded.json", "w", encoding="utf-8") as file:
        json.dump([len(files), lines], file)

atexit.register(tell)
start.play_main() if sys.argv[0] == "qsage-play" else start.main()
"""


@pytest.mark.parametrize(
    ("command", "most"),
    [
        (("qsage-play", *TIC, "--moves", "occupy(1,1) occupy(3,3)"), 18_000),
        (("qsage", "validate", *TIC, "--games", "10"), 24_000),
        (
            ("qsage", "certify", "httt", "--size", "3x3", "--shape", "domino", "--depth", "3"),
            17_000,
        ),
    ],
    ids=["play", "validate", "certify"],
)
def test_a_command_loads_no_more_lines_than_its_budget(
    command: tuple[str, ...], most: int, tmp_path: Path
) -> None:
    if command[1] == "certify":
        command += ("-o", "domino.aag", "--formula", "domino.qcir")
    program = f"import sys; sys.argv = {list(command)!r}\n{COUNT}"
    subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    modules, lines = json.loads((tmp_path / "loaded.json").read_text("utf-8"))
    print(f"{' '.join(command[:2])}: {modules} modules, {lines:,} of at most {most:,} lines")
    assert lines <= most
