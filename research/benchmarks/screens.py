"""Pictures of all screens of the board, as a real terminal shows them, on sheets to look at.

    python research/benchmarks/screens.py -o FOLDER [--size 80x24 ...] [--colours 16 ...] [--theme dark ...]

``qsage-play`` runs in a pseudo-terminal whose bytes a terminal emulator reads; keys lead from
screen to screen.  There is a sheet for each size, number of colours (``16``, ``256`` or ``full``)
and theme: one SVG file, and a PNG file where ``rsvg-convert`` is installed.  A screen that does
not come is named at the end, with what was there instead (exit code 1).
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from pyte.screens import Char

from research.benchmarks.circuits import SAMPLE
from tests.support.terminal import Terminal

SIZES: Final = ("80x24", "120x40", "200x60")
COLOURS: Final[Mapping[str, Mapping[str, str]]] = {
    "16": {"TERM": "xterm", "COLORTERM": ""},
    "256": {"TERM": "xterm-256color", "COLORTERM": ""},
    "full": {"TERM": "xterm-256color", "COLORTERM": "truecolor"},
}
THEMES: Final = ("dark", "light")
CELL: Final = (7.0, 14.0)
GAP: Final = 12.0
LABEL: Final = 16.0
# The colours that xterm gives to the names of pyte.
PALETTE: Final[Mapping[str, str]] = {
    "black": "000000", "red": "cd0000", "green": "00cd00", "brown": "cdcd00",
    "blue": "0000ee", "magenta": "cd00cd", "cyan": "00cdcd", "white": "e5e5e5",
    "brightblack": "7f7f7f", "brightred": "ff0000", "brightgreen": "00ff00",
    "brightbrown": "ffff00", "brightblue": "5c5cff", "brightmagenta": "ff00ff",
    "bfightmagenta": "ff00ff", "brightcyan": "00ffff", "brightwhite": "ffffff",
}  # fmt: skip


@dataclass(frozen=True)
class Step:
    """Keys, what is on the screen then, and the name of the picture; none is no picture."""

    keys: str
    text: str
    name: str = ""


TIC: Final = (
    Step("", "Your move", "board"),
    Step(":occupy(2,2)\r", "already holds", "refused move"),
    Step("g", "false", "gates"),
    Step("\x1b", "Undo"),
    Step("\x1b", "Undo"),
    Step("m", "type to narrow", "menu"),
    Step("\x1b", "Undo"),
    Step("T", "tree", "tree"),
    Step("\x1b", "Undo"),
    Step("s", "Cancel", "save"),
    Step("\x1b", "Undo"),
    Step("e", "as .json", "export"),
    Step("\x1b", "Undo"),
    Step("?", "Up and down scroll", "help"),
    Step("\x1b", "Undo"),
    Step("\x10", "Search", "palette"),
    Step("\x1b", "Undo"),
    Step("h", "int", "hint"),
    Step(":occupy(1,1)\r", "White", "second move"),
    Step("b", "type to narrow", "another reply"),
    Step("\x1b", "Undo"),
    Step("P", "Verdict", "prove"),
    Step("\x1b", "Esc"),
    Step("\x1b", "Undo"),
    Step("X", "wins", "end of the play"),
    Step("q", "Leave", "leaving"),
    Step("\t\x1b", "Undo"),
)
WAY_IN: Final = (Step("", "choose what to play", "start"), Step("\r", "F5", "fields"))
DRILL: Final = (Step("", "right", "drill"),)
PLAYS: Final[tuple[tuple[tuple[str, ...], tuple[Step, ...]], ...]] = (
    ((), WAY_IN),
    (("sample:tic", "--no-state"), TIC),
    (("sample:hex",), (Step("", "Undo", "Hex"),)),
    (("sample:domineering",), (Step("", "Undo", "Domineering"),)),
    (("sample:breakthrough",), (Step("", "Undo", "Breakthrough"),)),
    (("sample:tic", "--drill", "black"), DRILL),
)


def _colour(name: str, default: str) -> str:
    return "#" + (default if name == "default" else PALETTE.get(name, name))


def svg_rows(rows: Sequence[Sequence[Char]], dark: bool) -> Iterator[str]:
    """The cells of a screen: a rectangle and a text for each run of one style."""
    ink, ground = ("e5e5e5", "000000") if dark else ("000000", "ffffff")
    width, height = CELL
    for number, row in enumerate(rows):
        column = 0
        for style, cells in groupby(row, lambda c: (c.fg, c.bg, c.bold, c.reverse, c.underscore)):
            run = [c.data for c in cells]
            fore, back = _colour(style[0], ink), _colour(style[1], ground)
            if style[3]:
                fore, back = back, fore
            x, y = column * width, number * height
            yield (
                f'<rect x="{x:g}" y="{y:g}" width="{len(run) * width:g}" height="{height + 0.3:g}"'
                f' fill="{back}"/>'
            )
            look = ' font-weight="bold"' * style[2] + ' text-decoration="underline"' * style[4]
            for word in re.finditer(r"\S+", "".join(run)):
                at = x + word.start() * width
                yield (
                    f'<text x="{at:g}" y="{y + 11:g}" fill="{fore}"{look}>{escape(word[0])}</text>'
                )
            column += len(run)


def sheet(pictures: Mapping[str, Sequence[Sequence[Char]]], dark: bool, columns: int) -> str:
    """All pictures of one terminal on a sheet."""
    rows = next(iter(pictures.values()))
    wide, high = len(rows[0]) * CELL[0], len(rows) * CELL[1]
    parts = []
    for number, (name, cells) in enumerate(pictures.items()):
        x = GAP + number % columns * (wide + GAP)
        y = LABEL + number // columns * (high + LABEL + GAP)
        parts.append(f'<g transform="translate({x:g} {y:g})"><text y="-4">{escape(name)}</text>')
        parts += [*svg_rows(cells, dark), "</g>"]
    lines = -(-len(pictures) // columns)
    total = columns * (wide + GAP) + GAP, lines * (high + LABEL + GAP)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total[0]:g}" height="{total[1]:g}"'
        ' font-family="DejaVu Sans Mono, monospace" font-size="11.6">'
        '<rect width="100%" height="100%" fill="#888"/>' + "\n".join(parts) + "</svg>\n"
    )


def pictures(
    size: str, colours: str, theme: str, folder: Path, missing: list[str]
) -> dict[str, Sequence[Sequence[Char]]]:
    """The cells of all screens, by their names; ``missing`` gets what did not come."""
    columns, lines = map(int, size.split("x"))
    found: dict[str, Sequence[Sequence[Char]]] = {}
    for end in (".qcir", ".aig"):
        shutil.copy(f"{SAMPLE}{end}", folder)
    variables = {**COLOURS[colours], "QSAGE_STATE": str(folder / "state")}
    for words, steps in PLAYS:
        command = ["qsage-play", *words, *(("--theme", theme) if words or theme == "light" else ())]
        with Terminal(
            command, folder=folder, columns=columns, lines=lines, variables=variables
        ) as terminal:
            for step in steps:
                terminal.send(step.keys)
                terminal.settle(0.25, 3)
                try:
                    terminal.wait_for(step.text, seconds=15)
                except AssertionError as error:
                    missing.append(f"{size} {colours} {theme}: {step.name or step.text!r}: {error}")
                terminal.settle(0.4 if step.name else 0.1, 2)
                if step.name:
                    found[step.name] = terminal.cells
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the sheets."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--size", action="append", choices=SIZES)
    parser.add_argument("--colours", action="append", choices=list(COLOURS))
    parser.add_argument("--theme", action="append", choices=THEMES)
    options = parser.parse_args(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    missing: list[str] = []
    for size in options.size or SIZES:
        for colours in options.colours or COLOURS:
            for theme in options.theme or THEMES:
                with tempfile.TemporaryDirectory() as folder:
                    found = pictures(size, colours, theme, Path(folder), missing)
                columns = 4 if size == SIZES[0] else 3
                path = options.output / f"{size}-{colours}-{theme}.svg"
                path.write_text(sheet(found, theme == "dark", columns), encoding="utf-8")
                if shutil.which("rsvg-convert"):
                    png = os.fspath(path.with_suffix(".png"))
                    subprocess.run(["rsvg-convert", "-o", png, os.fspath(path)], check=True)
                print(path, flush=True)
    for line in missing:
        print(line, file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
