"""The product, asked as a person asks it: by its command line, in this process."""

from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Answer:
    """What a command has said; ``made`` are the texts of files that it has written."""

    code: int
    out: str
    err: str
    made: Mapping[str, str] = field(default_factory=dict)

    @property
    def faults(self) -> list[str]:
        """The lines on standard error but for faults that a reader puts up with."""
        lines = self.err.strip().splitlines()
        return [line for line in lines if not line.startswith("warning: ")]

    def json(self) -> dict[str, Any] | None:
        """The report of ``--json``, if there is one."""
        try:
            found = json.loads(self.out)
        except ValueError:
            return None
        return found if isinstance(found, dict) else None


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """A folder for the files of a case; gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="liars-") as path:
        yield Path(path)


def put(where: Path, files: Mapping[str, str]) -> None:
    """Write files."""
    for name, text in files.items():
        (where / name).write_text(text, encoding="utf-8", newline="")


def ask(words: Sequence[str], where: Path) -> Answer:
    """``qsage WORDS`` in a folder; nothing that it raises gets out, as with the program."""
    from tests.support.commands import run_qsage

    out, err = io.StringIO(), io.StringIO()
    before = os.getcwd()
    os.chdir(where)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run_qsage(words)
    finally:
        os.chdir(before)
    made = {
        path.name: path.read_text(encoding="utf-8")
        for path in sorted(where.glob("made.*"))
        if path.is_file()
    }
    return Answer(code, out.getvalue(), err.getvalue(), made)
