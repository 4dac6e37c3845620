"""Draws ``tui.svg``, a short play in the interface, for the README: an SVG with a few frames.

With ``--check`` nothing is written: the exit code is 1 when the picture is not what the
interface looks like.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

from textual.pilot import Pilot

from qsage_validate.arena.open import open_engine
from qsage_validate.cli.play.board import prover
from qsage_validate.errors import Exit
from qsage_validate.formats.writing import write_atomic
from qsage_validate.play.match import PlayMatch
from qsage_validate.play.tui.app import PlayApp
from qsage_validate.play.tui.model.situation import Services
from qsage_validate.problems.load import Files, load

FOLDER = Path(__file__).resolve().parent
PICTURE = FOLDER / "tui.svg"
SIZE = (100, 30)
TITLE = "qsage-play tic.qcir --cert tic.aig"
# White takes a corner, tries a square that Black has, takes another corner, and has lost.
MOVES = ("a1", "b2", "c3")
SECONDS = 3  # that a frame is shown
STILL = 2  # the frame that is shown where pictures do not move
SVG = "{http://www.w3.org/2000/svg}"


async def draw() -> list[str]:
    """The SVG of the screen at the start and after each of ``MOVES``."""
    samples = FOLDER.parent / "certificates"
    problem = load(Files(str(samples / "tic.qcir"), str(samples / "tic.aig")))
    app = PlayApp(PlayMatch(open_engine(problem)), services=Services.of(problem, prover(problem)))
    async with app.run_test(size=SIZE) as pilot:
        await _settle(app, pilot)
        frames = [app.export_screenshot(title=TITLE)]
        for move in MOVES:
            await pilot.press("colon", *move, "enter")
            await _settle(app, pilot)
            frames.append(app.export_screenshot(title=TITLE))
        return frames


async def _settle(app: PlayApp, pilot: Pilot[Exit]) -> None:
    """Wait until the app has shown the answers to all questions."""
    await pilot.pause()
    while app.view.busy is not None:
        await app.workers.wait_for_complete()
        await pilot.pause()
    await pilot.pause()


class Film:
    """Frames in one SVG: what all have in common is drawn once, the rest is shown in turn."""

    def __init__(self, frames: list[str]) -> None:
        self.rules: dict[str, str] = {}  # declarations to the class that has them
        drawn = [self._elements(frame) for frame in frames]
        self.first = frames[0]
        self.layers = [[layers[kind] for layers in drawn] for kind in ("rect", "text")]

    def _elements(self, frame: str) -> dict[str, list[str]]:
        """Backgrounds and texts of a frame, with classes that all frames share."""
        rules = dict(re.findall(r"\.([\w-]+-r\d+) \{ (.*?) \}", frame))
        (screen,) = (
            group
            for group in ElementTree.fromstring(frame).iter(f"{SVG}g")
            if group.get("clip-path", "").endswith("-clip-terminal)")
        )
        found: dict[str, list[str]] = {"rect": [], "text": []}
        for element in screen.iter():
            kind = element.tag.removeprefix(SVG)
            if kind in found:
                element.attrib.pop("clip-path", None)
                if name := element.get("class"):
                    element.set("class", self.rules.setdefault(rules[name], f"r{len(self.rules)}"))
                written = ElementTree.tostring(element, encoding="unicode")
                found[kind].append(written.replace(' xmlns:ns0="http://www.w3.org/2000/svg"', ""))
        return found

    def __str__(self) -> str:
        width, height = 1238, 782
        body = []
        for frames in self.layers:
            shared = set(frames[0]).intersection(*frames[1:])
            body += [element for element in frames[0] if element in shared]
            for number, frame in enumerate(frames):
                own = "\n".join(element for element in frame if element not in shared)
                body.append(f'<g class="f f{number}">\n{own}\n</g>')
        screen = "\n".join(body).replace("ns0:", "").replace("\xa0", "&#160;")
        return f"""<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
text {{ font: 20px "Fira Code", monospace; white-space: pre }}
{self._styles()}
</style>
<rect fill="#292929" stroke="#fff" stroke-opacity="0.35" x="1" y="1" width="{width - 2}" \
height="{height - 2}" rx="8"/>
<text x="{width // 2}" y="27" text-anchor="middle" fill="#c5c8c6" font-weight="bold">{TITLE}</text>
<g transform="translate(26,22)">
<circle cx="0" cy="0" r="7" fill="#ff5f57"/>
<circle cx="22" cy="0" r="7" fill="#febc2e"/>
<circle cx="44" cy="0" r="7" fill="#28c840"/>
</g>
<g transform="translate(9, 41)">
{screen}
</g>
</svg>
"""

    def _styles(self) -> str:
        count = len(self.layers[0])
        lines = [f".{name} {{ {declared} }}" for declared, name in self.rules.items()]
        lines += [
            f".f {{ visibility: hidden; animation: f {count * SECONDS}s step-end infinite }}",
            "@keyframes f { 0% { visibility: visible } "
            f"{100 / count:g}% {{ visibility: hidden }} }}",
            # Negative: all begin at once, each at its own place in the round.
            *(f".f{n} {{ animation-delay: {(n - count) * SECONDS}s }}" for n in range(count)),
            f".f{STILL} {{ visibility: visible }}",
            "@media (prefers-reduced-motion: reduce) { .f { animation: none } }",
        ]
        return "\n".join(lines)


def main() -> int:
    """Draw or compare; returns the exit code."""
    parser = argparse.ArgumentParser(description="Draw the picture of the interface.")
    parser.add_argument("--check", action="store_true", help="only compare")
    arguments = parser.parse_args()
    # Neither the terminal nor its colours may show in the picture.
    for name in ("NO_COLOR", "COLORTERM", "TEXTUAL_THEME"):
        os.environ.pop(name, None)
    drawn = str(Film(asyncio.run(draw())))
    if not arguments.check:
        write_atomic(PICTURE, drawn)
    elif not PICTURE.exists() or PICTURE.read_text(encoding="utf-8") != drawn:
        print(f"{PICTURE.relative_to(FOLDER.parent)}: differs")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
