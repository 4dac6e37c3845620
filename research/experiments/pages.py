"""Makes the tables and pictures of the pages of results from the files of results beside this one.

    python research/experiments/pages.py            all of them, into the pages
    python research/experiments/pages.py --check    exit code 1 where a page has another table

A page names what it has in a comment, in words of ``qsage bench``; files are those of this folder:

    <!-- experiments: table httt-depths.jsonl --table depths -->

The table below the comment is replaced.  ``discoveries``, ``blocks`` and ``openings SIZE`` are
those of ``discoveries.py``,
``coverage`` that of ``coverage.py``, and ``rows FILE COLUMN ...`` are columns of what a benchmark
wrote with ``--json``.  A picture (``cactus`` and ``scatter``) is written beside its page;
``--check`` wants it to be there, since other versions of matplotlib draw it otherwise.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from qsage_validate.cli.app import PROGRAMS, run
from qsage_validate.errors import Exit
from qsage_validate.formats.writing import write_atomic
from research.experiments import coverage, discoveries

FOLDER: Final = Path(__file__).resolve().parent
PAGES: Final = FOLDER.parents[1] / "docs"
_COMMENT: Final = re.compile(r"<!-- experiments: (.+?) -->\n(?:\|.*\n)*")


def commands(text: str) -> Iterator[tuple[str, list[str]]]:
    """What a page has by experiments: each piece of text, comment and table, with its words."""
    for found in _COMMENT.finditer(text):
        yield found[0], shlex.split(found[1])


def made(words: list[str], page: Path) -> str:
    """The lines of a table, or none where a picture is written beside the page."""
    if words == ["discoveries"]:
        return "".join(f"{line}\n" for line in discoveries.table())
    if words == ["blocks"]:
        return "".join(f"{line}\n" for line in discoveries.blocks_table())
    if words[0] == "openings":
        return "".join(f"{line}\n" for line in discoveries.openings_table(words[1]))
    if words == ["coverage"]:
        return "".join(f"{line}\n" for line in coverage.table())
    if words[0] == "rows":
        return rows(FOLDER / words[1], words[2:])
    command = ["bench", *words]
    if words[0] == "table":
        command.append("--markdown")
    elif "-o" in words:
        place = command.index("-o") + 1
        command[place] = str(page.parent / command[place])
    out = io.StringIO()
    here = Path.cwd()
    try:
        os.chdir(FOLDER)
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()) as said:
            code = run(PROGRAMS["qsage"], command, "qsage")
    finally:
        os.chdir(here)
    if code != Exit.FINE:
        raise SystemExit(f"{page}: {shlex.join(words)}: {said.getvalue().strip()}")
    if words[0] != "table":
        return ""
    # Titles and remarks of a table are the page's own.
    return "".join(line for line in out.getvalue().splitlines(True) if line.startswith("|"))


def rows(file: Path, columns: list[str]) -> str:
    """Some columns of the tables that a benchmark wrote; ``-`` where there is nothing."""
    found = [row for table in json.loads(file.read_text("utf-8")) for row in table["rows"]]
    cells = [[_cell(row[name]) for name in columns] for row in found]
    lines = [columns, ["--:" if _is_number(found, name) else "---" for name in columns], *cells]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _is_number(found: list[dict[str, object]], name: str) -> bool:
    return all(isinstance(row[name], int | float | None) for row in found)


def _cell(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else str(value)


def with_tables(page: Path, *, pictures: bool) -> str:
    """The text of a page with its tables made anew, and its pictures written if they are asked for.

    Without ``pictures`` they only have to be there.
    """
    text = page.read_text(encoding="utf-8")
    for piece, words in commands(text):
        comment = piece.splitlines(keepends=True)[0]
        if "-o" in words and not pictures:
            picture = page.parent / words[words.index("-o") + 1]
            if not picture.exists():
                raise SystemExit(f"{page}: found no {picture.name}, expected the picture")
            continue
        text = text.replace(piece, comment + made(words, page))
    return text


def main() -> int:
    """Make, or check, all pages."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    wrong = 0
    for page in sorted(PAGES.rglob("*.md")):
        before = page.read_text(encoding="utf-8")
        after = with_tables(page, pictures=not check)
        if after == before:
            continue
        if check:
            sys.stderr.write(f"{page}: tables are not those of their results\n")
            wrong += 1
        else:
            write_atomic(str(page), after)
            sys.stderr.write(f"{page}: written\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
