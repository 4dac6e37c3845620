"""Decides boards that the papers leave open, and larger ones, and proves each answer by a walk.

    python research/experiments/discoveries.py [--timeout SECONDS] [--only WORDS]
    python research/experiments/discoveries.py --blocks [--timeout SECONDS] [--only WORDS]
    python research/experiments/discoveries.py --openings 7x7 [--timeout SECONDS] [--only CELL]

Each board is solved with a solution file, which ``qsage validate --solution`` proves; a line of
``discoveries.jsonl`` has both answers.  The files are kept in ``build/discoveries``, their digests
and sizes in the line.  Boards that have a line are left out, unless ``--only`` names them.

``--blocks`` looks for White's stones to a pairing, as ``qsage solve --depth auto --alternate``
does, and plays every move of Black's against them (``tests/support/pairing.py``).

``--openings`` looks for a strategy of Hex after each first move, one of each two that a half turn
exchanges, with ``qsage hex-strategy --find``.  Its limit is processor time, of each opening.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Final

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from qsage_validate.errors import UndecidedError
from qsage_validate.formats.grid_names import cell_name
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.registry import find_command
from qsage_validate.solvers.maker_maker import BlockingSearch
from qsage_validate.strategies.guesses import PairingStrategy
from qsage_validate.system.limits import Deadline, worked
from tests.support.pairing import check_pairing

FOLDER: Final = Path(__file__).resolve().parent
RESULTS: Final = FOLDER / "discoveries.jsonl"
PROOFS: Final = FOLDER.parents[1] / "build" / "discoveries"

BDDL: Final = "open in Table 2"
UNCLEAR: Final = "typeface lost in Table 2"
BREUKER: Final = "Breuker, Uiterwijk, van den Herik 2000"


@dataclass(frozen=True)
class Asked:
    """A board by its words, where it is asked, and the winner in the literature."""

    words: str
    where: str
    literature: str = ""
    """The winner, as ``Black`` or ``White``, where the literature has one."""
    source: str = ""


BOARDS: Final = (
    Asked("httt --size 4x4 --shape knobby", BDDL),
    Asked("httt --size 4x4 --shape skinny", BDDL),
    Asked("httt --size 4x4 --shape fatty", UNCLEAR),
    Asked("breakthrough --size 2x5", BDDL),
    Asked("breakthrough --size 2x6 --second", BDDL),
    Asked("breakthrough --size 3x5", BDDL),
    Asked("breakthrough --size 3x5 --second", BDDL),
    Asked("breakthrough --size 3x6", BDDL),
    Asked("breakthrough --size 3x6 --second", BDDL),
    Asked("breakthrough --size 4x5", "larger board"),
    Asked("breakthrough --size 3x7", "larger board"),
    Asked("breakthrough --size 5x5", "larger board", "White", "the second player wins"),
    Asked("connect-c --size 3x3 --connect 3 --depth 9", UNCLEAR),
    Asked("connect-c --size 5x5 --connect 4 --depth 25", BDDL),
    Asked("connect-c --size 6x5 --connect 4", "larger board"),
    Asked("connect-c --size 6x6 --connect 4", BDDL, "White", "the second player does not lose"),
    Asked("domineering --size 6x4", UNCLEAR),
    Asked("domineering --size 4x6", UNCLEAR),
    Asked("domineering --size 5x5", UNCLEAR, "White", BREUKER),
    Asked("domineering --size 6x5", BDDL),
    Asked("domineering --size 5x6", BDDL),
    Asked("domineering --size 6x6", BDDL, "Black", BREUKER),
    Asked("domineering --size 7x7", "larger board", "Black", BREUKER),
)


def recorded() -> dict[str, dict[str, Any]]:
    """The lines of the file, by the words of their boards; later ones replace earlier ones."""
    if not RESULTS.exists():
        return {}
    lines = (json.loads(line) for line in RESULTS.read_text(encoding="utf-8").splitlines())
    return {line["words"]: line for line in lines}


def _run(command: Sequence[str]) -> tuple[dict[str, Any] | None, float]:
    """What a command prints as JSON, and its processor seconds."""
    before = os.times()
    program = [str(Path(sys.executable).with_name("qsage")), *command, "--json"]
    done = subprocess.run(program, check=False, stdout=subprocess.PIPE, text=True)
    after = os.times()
    used = after.children_user + after.children_system
    used -= before.children_user + before.children_system
    return (json.loads(done.stdout) if done.stdout else None), round(used, 1)


def decide(asked: Asked, timeout: float) -> dict[str, Any] | None:
    """Solve a board and prove the answer; ``None`` where it stays open."""
    PROOFS.mkdir(parents=True, exist_ok=True)
    name = asked.words.replace("--", "").replace(" ", "-").replace(",", "-") + ".gz"
    file = PROOFS / name
    file.unlink(missing_ok=True)
    words = asked.words.split()
    if "--depth" not in words:
        words += ["--depth", "auto"]
    solve = ["solve", *words, "--timeout", str(timeout), "--solution", str(file)]
    found, seconds = _run(solve)
    if found is None or found["verdict"] == "undecided" or not file.exists():
        return None
    checked, walk = _run(["validate", "--solution", str(file)])
    assert checked is not None, "a file that was written is read"
    data = file.read_bytes()
    return {
        "words": asked.words,
        "command": f"qsage solve {' '.join(words)} --solution {name}",
        "winner": str(checked["winner"]).capitalize(),
        "critical": found.get("critical_depth", found.get("critical_plies")),
        "reason": found["reason"],
        "seconds": seconds,
        "file": name,
        "sha256": hashlib.sha256(data).hexdigest(),
        "bytes": len(data),
        "verdict": checked["reason"],
        "hypotheses": checked["hypotheses"],
        "positions": checked["positions"],
        "walk seconds": walk,
        "date": datetime.now(timezone.utc).date().isoformat(),
    }


BLOCKS: Final = (Asked("httt --size 8x8 --shape snaky", "larger board"),)


def block(asked: Asked, timeout: float) -> dict[str, Any] | None:
    """Find White's block, and play against it; ``None`` where none is found in time."""
    model = find_command(asked.words.split())
    assert isinstance(model, PositionalModel), "polyominoes on a board"
    model = model.at_depth(model.open.bit_count())
    search = BlockingSearch(model)
    deadline = Deadline.after(timeout)
    started = worked()
    try:
        plies = next(
            plies for plies in range(0, len(model.positions), 2) if search.blocks(plies, deadline)
        )
    except UndecidedError:
        return None
    found = worked()
    checked = check_pairing(PairingStrategy(model, plies, search=search))
    return {
        "words": asked.words,
        "command": f"qsage solve {asked.words} --depth auto --alternate",
        "winner": "White",
        "plies": plies,
        "seconds": round(found - started, 1),
        "positions": checked.positions,
        "pairings": checked.pairings,
        "walk seconds": round(worked() - found, 1),
        "date": datetime.now(timezone.utc).date().isoformat(),
    }


def blocks_table() -> list[str]:
    """The lines of the table of blocks by pairs."""
    known = recorded()
    head = ("board", "answer", "search, s", "checked by all plays of Black", "check, s")
    lines = [f"| {' | '.join(head)} |", "|---|---|--:|---|--:|"]
    for asked in BLOCKS:
        line = known.get(asked.words)
        if line is not None:
            cells = (
                f"`{asked.words}`",
                f"**White blocks within {line['plies']} plies**",
                f"{line['seconds']}",
                f"{line['positions']:,} positions, {line['pairings']:,} pairings",
                f"{line['walk seconds']}",
            )
            lines.append(f"| {' | '.join(cells)} |")
    return lines


def openings(size: str) -> list[str]:
    """The first moves of Hex on a square board, one of each two that a half turn exchanges."""
    width, height = map(int, size.split("x"))
    cells = [(x, y) for y in range(1, height + 1) for x in range(1, width + 1)]
    cells = cells[: (len(cells) + 1) // 2]
    # Those near the middle first, where Black's wins are short.
    cells.sort(key=lambda cell: (2 * cell[0] - width - 1) ** 2 + (2 * cell[1] - height - 1) ** 2)
    return [cell_name(*cell) for cell in cells]


def opening_words(size: str, cell: str) -> str:
    """What a line of an opening is known by."""
    return f"hex-strategy --find {size} --opening {cell}"


def open_with(size: str, cell: str, seconds: float) -> dict[str, Any]:
    """Look for a strategy of Black's after an opening, and prove it, in so much processor time."""
    import resource  # of Unix alone, and the tables are made elsewhere too

    PROOFS.mkdir(parents=True, exist_ok=True)
    file = PROOFS / f"hex-{size}-{cell}.hexs"
    file.unlink(missing_ok=True)
    words = opening_words(size, cell)
    # A second thread of linear algebra would only wait for the first.
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    program = str(Path(sys.executable).with_name("qsage"))
    before = os.times()
    with subprocess.Popen(
        [program, *words.split(), "--save", str(file)],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        limit = int(seconds)
        resource.prlimit(child.pid, resource.RLIMIT_CPU, (limit, limit))
        _, said = child.communicate()
    after = os.times()
    used = after.children_user + after.children_system
    used -= before.children_user + before.children_system
    line: dict[str, Any] = {
        "words": words,
        "command": f"qsage {words} --save {file.name}",
        "winner": None,
        "limit": limit,
        "seconds": round(used, 1),
        "date": datetime.now(timezone.utc).date().isoformat(),
    }
    if child.returncode == 0:
        found, walk = _run(["hex-strategy", str(file)])
        assert found is not None, "a file that was written is read"
        assert found["proved"], "a file is written when it is proved"
        data = file.read_bytes()
        line |= {
            "winner": "Black",
            "file": file.name,
            "sha256": hashlib.sha256(data).hexdigest(),
            "bytes": len(data),
            "patterns": found["patterns"],
            "plies": found["plies"],
            "verdict": found["walk"],
            "walk seconds": walk,
        }
    elif f"opening {cell}, with which White wins" in said:
        line["winner"] = "White"
    elif child.returncode not in (3, -9, -24):  # undecided, or the limit of processor time
        raise SystemExit(f"{words}: exit code {child.returncode}: {said}")
    return line


def openings_table(size: str) -> list[str]:
    """The lines of the table of a board's openings."""
    known = recorded()
    head = (
        "opening",
        "winner",
        "seconds",
        "patterns",
        "within plies",
        "checked by a walk, s",
        "file",
    )
    lines = [f"| {' | '.join(head)} |", "|---|---|--:|--:|--:|--:|---|"]
    for cell in openings(size):
        line = known.get(opening_words(size, cell))
        if line is None:
            continue
        if line["winner"] == "Black":
            cells = (
                "**Black**",
                f"{line['seconds']}",
                f"{line['patterns']:,}",
                f"{line['plies']}",
                f"{line['walk seconds']}",
                f"{line['bytes']:,} bytes, `{line['sha256'][:12]}`",
            )
        else:
            winner = "White, by the search" if line["winner"] else "open"
            seconds = f"{'' if line['winner'] else '> '}{line['seconds']}"
            cells = (winner, seconds, "", "", "", "")
        lines.append(f"| `{cell}` | {' | '.join(cells)} |")
    return lines


def table() -> list[str]:
    """The lines of the table of the page."""
    known = recorded()
    head = (
        "board",
        "asked",
        "answer",
        "solve, s",
        "checker's verdict",
        "walk, s",
        "file",
        "literature",
    )
    lines = [f"| {' | '.join(head)} |", "|---|---|---|--:|---|--:|---|---|"]
    for asked in BOARDS:
        line = known.get(asked.words)
        if line is None:
            said = f"{asked.literature} ({asked.source})" if asked.literature else ""
            lines.append(f"| `{asked.words}` | {asked.where} | no file yet |  |  |  |  | {said} |")
            continue
        verdict, _, _ = line["verdict"].partition(":")
        size = f"{line['bytes']:,} bytes, `{line['sha256'][:12]}`"
        cells = (
            f"`{asked.words}`",
            asked.where,
            answer(line),
            f"{line['seconds']}",
            f"{verdict}",
            f"{line['walk seconds']}",
            size,
            literature(asked, line),
        )
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def answer(line: dict[str, Any]) -> str:
    """The answer in words."""
    if line["critical"] is not None and line["winner"] == "Black":
        return f"**Black wins, critical depth {line['critical']}**"
    reason: str = line["reason"]
    return reason


def literature(asked: Asked, line: dict[str, Any]) -> str:
    """The literature's winner beside the one that was found."""
    if not asked.literature:
        return "none known here"
    if asked.literature == line["winner"]:
        return f"the same ({asked.source})"
    return f"**DISAGREES: {asked.literature} ({asked.source})**"


def _append(line: dict[str, Any]) -> None:
    with RESULTS.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def main() -> int:
    """Decide the boards that have no answer."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--timeout", type=float, default=100, help="seconds for each board")
    parser.add_argument("--only", help="boards whose words begin so, or an opening, again too")
    parser.add_argument("--blocks", action="store_true", help="White's pairs on larger boards")
    parser.add_argument("--openings", metavar="WxH", help="the first moves of Hex on a board")
    arguments = parser.parse_args()
    known = recorded()
    if arguments.openings is not None:
        for cell in openings(arguments.openings):
            if arguments.only == cell or (
                arguments.only is None and opening_words(arguments.openings, cell) not in known
            ):
                line = open_with(arguments.openings, cell, arguments.timeout)
                sys.stderr.write(f"{cell}: {line['winner'] or 'open'}, {line['seconds']} s\n")
                _append(line)
        return 0
    refuted = 0
    for asked in BLOCKS if arguments.blocks else BOARDS:
        wanted = arguments.only is not None and asked.words.startswith(arguments.only)
        if not wanted and (arguments.only is not None or asked.words in known):
            continue
        made = (block if arguments.blocks else decide)(asked, arguments.timeout)
        said = "open" if made is None else made.get("verdict", "a block, played against")
        sys.stderr.write(f"{asked.words}: {said}\n")
        if made is not None:
            refuted += not made.get("verdict", "proved").startswith("proved")
            _append(made)
    return 1 if refuted else 0


if __name__ == "__main__":
    sys.exit(main())
