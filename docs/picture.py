"""Draws ``tui.svg``, the interface in the middle of a play, for the README.

With ``--check`` nothing is written: the exit code is 1 when the picture is not what the
interface looks like.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from pathlib import Path

from textual.pilot import Pilot

from qsage_validate.arena.open import open_engine
from qsage_validate.cli.play.prover import prover
from qsage_validate.errors import Exit
from qsage_validate.formats.source import write_atomic
from qsage_validate.play.match import Match
from qsage_validate.play.tui.app import PlayApp
from qsage_validate.play.tui.model.services import Services
from qsage_validate.problems.files import Files
from qsage_validate.problems.load import load

FOLDER = Path(__file__).resolve().parent
PICTURE = FOLDER / "tui.svg"
SIZE = (100, 30)
# White takes a corner, and then tries a square that Black has.
MOVES = ("occupy(1,1)", "occupy(2,2)")
KEYS = {"(": "left_parenthesis", ")": "right_parenthesis", ",": "comma"}


async def draw() -> str:
    """The SVG of the screen after ``MOVES``."""
    samples = FOLDER.parent / "certificates"
    problem = load(Files(str(samples / "tic.qcir"), str(samples / "tic.aig")))
    app = PlayApp(Match(open_engine(problem)), services=Services.of(problem, prover(problem)))
    async with app.run_test(size=SIZE) as pilot:
        await _settle(app, pilot)
        for move in MOVES:
            await pilot.press("colon", *(KEYS.get(sign, sign) for sign in move), "enter")
            await _settle(app, pilot)
        return app.export_screenshot(title="qsage-play tic.qcir --cert tic.aig")


async def _settle(app: PlayApp, pilot: Pilot[Exit]) -> None:
    """Wait until the app has shown the answers to all questions."""
    await pilot.pause()
    while app.view.busy is not None:
        await app.workers.wait_for_complete()
        await pilot.pause()
    await pilot.pause()


def main() -> int:
    """Draw or compare; returns the exit code."""
    parser = argparse.ArgumentParser(description="Draw the picture of the interface.")
    parser.add_argument("--check", action="store_true", help="only compare")
    arguments = parser.parse_args()
    # Neither the terminal nor its colours may show in the picture.
    for name in ("NO_COLOR", "COLORTERM", "TEXTUAL_THEME"):
        os.environ.pop(name, None)
    drawn = asyncio.run(draw())
    if not arguments.check:
        write_atomic(PICTURE, drawn)
    elif not PICTURE.exists() or PICTURE.read_text(encoding="utf-8") != drawn:
        print(f"{PICTURE.relative_to(FOLDER.parent)}: differs")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
