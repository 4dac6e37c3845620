"""Console blocks of documents: commands with what they print, run as they stand."""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.support.forks import client

_BLOCK = re.compile(r"^```console(?: (\w+))?\n(.*?)^```$", re.M | re.S)
_COMMAND = re.compile(r".*(?:\n> .*)*")
_PROGRAMS = ".programs"
_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Step:
    """A command of a document, and what it prints; ``...`` stands for anything.

    ``extra`` is the extra of the package that the command needs, as the block's opening says.
    """

    line: int
    command: str
    expected: str
    extra: str = ""


def steps(text: str) -> Iterator[Step]:
    """The commands of all console blocks of a document.

    A command is what stands behind ``$ `` and in the lines after it that begin with ``> ``.
    """
    for block in _BLOCK.finditer(text):
        line = text.count("\n", 0, block.start(2)) + 1
        for part in re.split(r"^\$ ", block.group(2), flags=re.M):
            if part.strip():
                match = _COMMAND.match(part)
                assert match is not None
                command, expected = match.group().replace("\n> ", "\n"), part[match.end() + 1 :]
                yield Step(line, command, expected, block.group(1) or "")
            line += part.count("\n")


def variables_of(folder: Path, repository: Path) -> dict[str, str]:
    """The environment of commands in ``folder``."""
    # "python" is the one that runs the tests, whatever the shell has that started them.
    own = (str(folder / _PROGRAMS), os.path.dirname(sys.executable))
    path = os.pathsep.join((*own, os.environ.get("PATH", os.defpath)))
    home = {
        "HOME": str(folder),
        "COLUMNS": "100",
        "LC_ALL": "C.UTF-8",
        "PYTHONPATH": str(repository),
    }
    return {**os.environ, **home, "PATH": path}


def sandbox(folder: Path, repository: Path, address: Path) -> dict[str, str]:
    """Make ``folder`` look like a checkout's root; returns the variables for commands in it.

    The commands are forked by the server at ``address``.
    """
    shutil.copytree(repository / "certificates", folder / "certificates")
    programs = folder / _PROGRAMS
    programs.mkdir()
    for name in ("qsage", "qsage-play"):
        program = programs / name
        program.write_text(client(name, address))
        program.chmod(0o755)
    return variables_of(folder, repository)


def run_step(step: Step, folder: Path, variables: dict[str, str]) -> str | None:
    """Run a command; returns what is wrong with its output, or ``None``."""
    done = subprocess.run(
        ["bash", "-c", step.command],
        cwd=folder,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    if doctest.OutputChecker().check_output(step.expected, done.stdout, _FLAGS):
        return None
    return f"line {step.line}: $ {step.command}\nexpected:\n{step.expected}\nfound:\n{done.stdout}"
