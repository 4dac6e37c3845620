"""Explanations beside dtControl's decision trees, and their certificates' gates beside others'.

    python research/benchmarks/explanations.py [--dtcontrol PROGRAM] [--timeout SECONDS] [--json]

Each game's program is found and proved.  The table for dtControl has the positions that the
program meets, with the squares, the last moves and the ply as features, and every winning move as
an allowed action, so that both may choose freely among the same moves.  dtControl (``pip install
dtcontrol`` in an environment of its own: it needs pandas before 2.2) runs with each of ``PRESETS``,
and its smallest tree counts.  Without ``--dtcontrol`` its columns are empty.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from rich.console import Console
from rich.table import Table

import qsage_validate as qs
from qsage_validate.certificates.smaller import minimised
from qsage_validate.extensions.explain.finding import Winning
from qsage_validate.extensions.explain.situation import Made, Situation
from qsage_validate.games.protocol import Square
from qsage_validate.games.registry import find_command
from qsage_validate.kernel.certificate import CircuitCertificate
from qsage_validate.solvers.search import search_for
from qsage_validate.system.limits import Deadline

GAMES = (
    ("httt --size 4x4 --shape tic --depth 5", 1),
    ("httt --size 4x4 --shape tic --depth 5", 3),
    ("httt --size 3x3 --shape domino --depth 3", 3),
    ("httt --size 4x4 --shape domino --depth 3", 3),
    ("httt --size 3x3 --shape fatty --depth 9", 0),
    ("evader-pursuer --size 8x8 --pursuer 3,4 --depth 7", 3),
    ("breakthrough --second --size 2x4 --depth 13", 3),
    ("breakthrough --second --size 2x5 --depth 11", 3),
    ("connect-c --size 4x4 --connect 3 --depth 9", 3),
)
PRESETS = ("default", "cart", "maxfreq", "minnorm", "mlentropy")
_SECONDS = 20.0
"""The time of each minimisation."""

_STONES = {Square.OPEN: 0, Square.BLACK: 1, Square.WHITE: 2}


@dataclass(frozen=True)
class Row:
    """A game's program: its size and gates, and the smallest tree of dtControl's."""

    game: str
    lookahead: int
    positions: int
    nodes: int
    depth: int
    smallest: bool
    seconds: float
    gates: int
    search_gates: int
    minimised_search_gates: int
    minimised_gates: int
    dtcontrol_nodes: int | None
    dtcontrol_preset: str
    dtcontrol_seconds: float | None


def features(at: Situation) -> list[int]:
    """The squares, the squares of the last moves, and the ply."""

    def place(move: Made | None) -> list[int]:
        return [0, 0] if move is None or move.to is None else list(move.to)

    squares = [_STONES[square] for square in at.board.squares]
    return [*squares, *place(at.theirs), *place(at.ours), at.position.ply]


def table(situations: Sequence[Situation], winning: Winning) -> str:
    """The table in dtControl's form for controllers with several allowed actions."""
    moves: dict[str, int] = {}
    lines = []
    for at in situations:
        row = ",".join(map(str, features(at)))
        for text in sorted(winning.moves(at)):
            lines.append(f"{row},{moves.setdefault(text, len(moves))}")
    width = len(features(situations[0]))
    return "\n".join(["#PERMISSIVE", f"#BEGIN {width} 1", *lines, ""])


def smallest_tree(program: str, text: str, timeout: float) -> tuple[int | None, str, float | None]:
    """The nodes of dtControl's smallest tree, its preset and the seconds of that run."""
    best: tuple[int | None, str, float | None] = None, "", None
    for preset in PRESETS:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "table.csv").write_text(text)
            words = [program, "--input", "table.csv", "--use-preset", preset, "-b", "out.json"]
            started = monotonic()
            try:
                subprocess.run(words, cwd=folder, timeout=timeout, capture_output=True, check=True)
            except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
                continue
            seconds = monotonic() - started
            result = json.loads(Path(folder, "out.json").read_text())
            stats = result["table"]["classifiers"][preset].get("stats", {})
            nodes = stats.get("nodes")
            if nodes is not None and (best[0] is None or nodes < best[0]):
                best = nodes, preset, round(seconds, 2)
    return best


def measured(words: str, lookahead: int, program: str | None, timeout: float) -> Row:
    """A game's program, proved, beside the others."""
    game = qs.Game(find_command(shlex.split(words)), tuple(shlex.split(words)))
    found = qs.explain(game, lookahead=lookahead, timeout=timeout)
    assert found.proved, words
    searched = qs.certify(game).problem
    assert searched.formula is not None
    assert isinstance(searched.certificate, CircuitCertificate)
    assert found.problem.formula is not None
    own = found.problem
    assert own.formula is not None
    until = Deadline.after
    small = (
        minimised(
            searched.formula, searched.certificate, layout=searched.layout, deadline=until(_SECONDS)
        ).gates,
        minimised(
            own.formula, found.certificate, layout=own.layout, deadline=until(_SECONDS)
        ).gates,
    )
    solver = search_for(game.rules)
    solver.solve()
    hero = found.player
    winning = Winning(hero, lambda position: solver.winner(position) is hero)
    nodes, preset, seconds = None, "", None
    if program is not None:
        nodes, preset, seconds = smallest_tree(
            program, table(found.whole.found.situations, winning), timeout
        )
    return Row(
        words,
        lookahead,
        len(found.whole.found.situations),
        found.nodes,
        found.depth,
        found.smallest,
        round(found.whole.seconds, 2),
        found.gates,
        searched.certificate.aig.num_gates,
        *small,
        nodes,
        preset,
        seconds,
    )


def printed(rows: Sequence[Row]) -> Table:
    """The rows for people."""
    titles = {
        "game": "game",
        "lookahead": "looks ahead",
        "positions": "positions",
        "nodes": "nodes",
        "depth": "depth",
        "smallest": "smallest",
        "seconds": "seconds",
        "gates": "gates: program",
        "search_gates": "search",
        "minimised_search_gates": "search, minimised",
        "minimised_gates": "program, minimised",
        "dtcontrol_nodes": "dtControl: nodes",
        "dtcontrol_preset": "preset",
        "dtcontrol_seconds": "seconds",
    }
    table = Table(*titles.values())
    for row in rows:
        values = asdict(row)
        cells = ("" if values[name] is None else str(values[name]) for name in titles)
        table.add_row(*cells)
    return table


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print the table as it grows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dtcontrol", help="dtControl's program")
    parser.add_argument("--timeout", type=float, default=300.0)
    parser.add_argument("--only", default="")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args(arguments)
    rows = []
    for words, lookahead in GAMES:
        if chosen.only in words:
            rows.append(measured(words, lookahead, chosen.dtcontrol, chosen.timeout))
            print(f"{words}: {rows[-1].nodes} nodes", file=sys.stderr)
    if chosen.json:
        print(json.dumps([asdict(row) for row in rows], indent=1))
    else:
        Console(width=200).print(printed(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
