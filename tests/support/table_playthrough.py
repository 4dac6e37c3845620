"""Plays against certificates of formulas with tables of moves, as a person at the prompt sees them.

``python -m tests.support.table_playthrough`` writes them anew into ``tests/golden/tables``; the
difference to the committed ones is what changed in encodings, certificates or words.
"""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path

from rich.console import Console

from qsage_validate.extensions.gdl.model import GdlModel
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.play.console import PlainPlay
from tests.support.table_matches import HEX, TRAILS_WON, table_match

GOLDEN = Path(__file__).resolve().parent.parent / "golden" / "tables"
COMMAND = "python -m tests.support.table_playthrough"

# Illegal moves are asked about, refused and let happen; White intrudes where one reply is left.
EXAMPLES: dict[str, tuple[PositionalModel | GdlModel, str, tuple[str, ...]]] = {
    "hex-3x3-en": (HEX, "en", ("moves", "b2", "c1", "why c1", "@12", "a3", "undo", "force c1")),
    "el-4x4-la": (
        harary_model("el", 4, 4, maker_breaker=True, plies=5),
        "la",
        ("why b2", "a1", "why a1", "hint", "d4"),
    ),
    "trails-gdl": (
        TRAILS_WON,
        "gdl",
        ("wait", "why (go 3 3)", "go 1 2", "", "go 1 3", "", "go 1 4"),
    ),
}

_SECONDS = re.compile(r"  \(\d+\.\d\d s\)$", re.MULTILINE)
# Numbers of variables say nothing to a reader, and change with every gate.
_LITERALS = re.compile(r"\[-?\d+( -?\d+)*\]")


def table_playthrough(name: str) -> str:
    """The text of one play."""
    model, encoding, commands = EXAMPLES[name]
    text = StringIO()
    console = Console(file=text, width=100, color_system=None)
    play = PlainPlay(table_match(model, encoding), console)
    console.print(f"# Written by: {COMMAND}")
    console.print(f"{model.name} in {encoding}", highlight=False)
    play.begin()
    for command in commands:
        console.print(f"\n{play.question}{command}", markup=False, highlight=False)
        play.do(command)
    shown = _LITERALS.sub("[…]", _SECONDS.sub("", text.getvalue()))
    return "".join(f"{line.rstrip()}\n" for line in shown.splitlines())


def write_all() -> None:
    """Write all golden files."""
    GOLDEN.mkdir(parents=True, exist_ok=True)
    for name in EXAMPLES:
        path = GOLDEN / f"{name}.txt"
        path.write_text(table_playthrough(name), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write_all()
