"""Decides boards that the papers leave open, and larger ones, and proves each answer by a walk.

    python research/experiments/discoveries.py [--timeout SECONDS] [--only WORDS]

Each board is solved with a solution file, which ``qsage validate --solution`` proves; a line of
``discoveries.jsonl`` has both answers.  The files are kept in ``build/discoveries``, their digests
and sizes in the line.  Boards that have a line are left out, unless ``--only`` names them.
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


def main() -> int:
    """Decide the boards that have no answer."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--timeout", type=float, default=100, help="seconds for each board")
    parser.add_argument("--only", help="boards whose words begin so, again too")
    arguments = parser.parse_args()
    known = recorded()
    refuted = 0
    for asked in BOARDS:
        wanted = arguments.only is not None and asked.words.startswith(arguments.only)
        if not wanted and (arguments.only is not None or asked.words in known):
            continue
        line = decide(asked, arguments.timeout)
        said = "open" if line is None else line["verdict"]
        sys.stderr.write(f"{asked.words}: {said}\n")
        if line is not None:
            refuted += not line["verdict"].startswith("proved")
            with RESULTS.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
    return 1 if refuted else 0


if __name__ == "__main__":
    sys.exit(main())
