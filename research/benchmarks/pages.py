"""Pages in which a certificate plays, in a headless Chromium: size, load time, time per move.

    python research/benchmarks/pages.py [--data FOLDER] [--gates N] [--loads N] [--moves N] [--json]

Each page is that of ``qsage export page``.  It is loaded when its first moves are shown, counted
from the begin of the navigation.  A move is the click on a random legal move until the reply, the
next legal moves and the board are there and laid out.  Plays that are over begin again; the
formula has to be true for each, else the program fails (exit code 1).

``--data`` adds QuAbS's certificate for Tic, from ``FOLDER/certificates/quabs``.  ``--gates`` adds
the sample for Tic joined with so many gates that are always false.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from rich.console import Console
from rich.table import Table

from qsage_validate.api.games import game
from qsage_validate.api.strategies import Strategy, certify, load
from research.benchmarks.circuits import SAMPLE, padded
from tests.support.chromium import PROGRAM, Chromium, chromium

# Set in each new page: the milliseconds from its begin until moves are shown.
WATCH: Final = """
new MutationObserver((_, watch) => {
  if (!document.querySelector("#moves button")) return;
  document.body.offsetHeight;
  window.loaded = performance.now();
  watch.disconnect();
}).observe(document, { childList: true, subtree: true });
"""
# The milliseconds of each of so many moves, and the plays that were over and not won.
PLAY: Final = """((count, seed) => {
  const times = [], moves = () => document.querySelectorAll("#moves button");
  let lost = 0, over = 0;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  while (times.length < count) {
    if (!moves().length) {
      over++;
      lost += !document.getElementById("status").textContent.includes("the formula is true");
      document.getElementById("again").click();
    }
    const button = moves()[Math.floor(random() * moves().length)];
    const began = performance.now();
    button.click();
    document.body.offsetHeight;
    times.push(performance.now() - began);
  }
  return { times, over, lost };
})"""


@dataclass(frozen=True)
class Measured:
    """A page: gates of the certificate, gates that the page evaluates, bytes; milliseconds."""

    name: str
    certificate: int
    gates: int
    size: int
    load: float
    move: float
    longest: float
    plays: int
    lost: int


def strategies(data: Path | None, gates: int, folder: Path) -> Iterator[tuple[str, Strategy]]:
    """The strategies that are measured, by their names."""
    for name, title in (("tic", "Tic 4x4 d5"), ("hex", "Hex 3x3 d5")):
        stem = SAMPLE.with_name(name)
        yield title, load(f"{stem}.qcir", f"{stem}.aig")
    yield "Breakthrough 2x6 d15", certify(game("breakthrough", size=(2, 6), depth=15))
    if data is not None:
        stem = data / "certificates" / "quabs" / "httt-4x4_5_tic"
        yield "Tic 4x4 d5, QuAbS's", load(f"{stem}.qcir", f"{stem}.aig", meta=f"{stem}.meta")
    if gates:
        wide = folder / "wide.aig"
        wide.write_bytes(padded(gates, "wide"))
        yield f"Tic 4x4 d5 with {gates:,} gates", load(f"{SAMPLE}.qcir", str(wide))


def measure(
    browser: Chromium, name: str, strategy: Strategy, path: Path, *, loads: int, moves: int
) -> Measured:
    """The figures of one page, which is left in a file."""
    strategy.save_page(path)
    times = []
    for _ in range(loads):
        page = browser.page()
        page.send("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        page.open(path.as_uri())
        times.append(page.wait("window.loaded || 0", 120))
    found = page.run(f"{PLAY}({moves}, 1)")
    gates = page.run("JSON.parse(document.getElementById('data').textContent).gates")
    return Measured(
        name=name,
        certificate=strategy.gates or 0,
        gates=gates,
        size=path.stat().st_size,
        load=statistics.median(times),
        move=statistics.median(found["times"]),
        longest=max(found["times"]),
        plays=found["over"],
        lost=found["lost"],
    )


def show(rows: Sequence[Measured]) -> None:
    """Print a table."""
    table = Table("page", title="pages in Chromium")
    for heading in ("gates", "in the page", "kB", "load ms", "move ms", "longest ms"):
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(
            row.name,
            f"{row.certificate:,}",
            f"{row.gates:,}",
            f"{row.size / 1000:,.0f}",
            f"{row.load:,.0f}",
            f"{row.move:,.1f}",
            f"{row.longest:,.1f}",
        )
    Console(width=110).print(table)


def main() -> int:
    """Measure, print a table, and look at the ends of the plays."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--gates", type=int, default=0)
    parser.add_argument("--loads", type=int, default=5)
    parser.add_argument("--moves", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if PROGRAM is None:
        print("no Chromium is installed: there is nothing to measure with", file=sys.stderr)
        return 3
    with tempfile.TemporaryDirectory() as name, chromium() as browser:
        folder = Path(name)
        rows = [
            measure(
                browser, title, strategy, folder / "play.html",
                loads=options.loads, moves=options.moves,
            )
            for title, strategy in strategies(options.data, options.gates, folder)
        ]  # fmt: skip
    if options.json:
        print(json.dumps(list(map(asdict, rows))))
    else:
        show(rows)
    if any(row.lost for row in rows):
        print("a play is not won", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
