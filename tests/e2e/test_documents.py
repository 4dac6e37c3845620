"""Every command of README, docs and demos runs and prints what the document says."""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from qsage_validate.proving.theorems import find_program
from tests.conftest import REPOSITORY
from tests.support.console import run_step, sandbox, steps, variables_of
from tests.support.forks import forking

DOCUMENTS = sorted(
    path.relative_to(REPOSITORY).as_posix()
    for pattern in ("README.md", "docs/**/*.md", "demos/*.md", "certificates/README.md")
    for path in REPOSITORY.glob(pattern)
)

# What shows that an extra is installed; "verified" is the program that is verified in Coq.
MODULES = {"solve": "pyqbf", "impartial": "z3", "gdl": "clingo", "count": "dd"}


def is_there(extra: str) -> bool:
    if extra == "verified":
        return find_program() is not None
    return importlib.util.find_spec(MODULES[extra]) is not None


@pytest.fixture(scope="module")
def server() -> Iterator[Path]:
    """The socket of a process in which the commands are loaded."""
    # The path of a socket must be short.
    with TemporaryDirectory() as name:
        address = Path(name, "socket")
        with forking(address, variables_of(Path(name), REPOSITORY)):
            yield address


@pytest.mark.skipif(os.name == "nt", reason="the commands are for a POSIX shell")
@pytest.mark.parametrize("document", DOCUMENTS)
def test_commands_print_what_the_document_says(document: str, tmp_path: Path, server: Path) -> None:
    variables = sandbox(tmp_path, REPOSITORY, server)
    text = (REPOSITORY / document).read_text(encoding="utf-8")
    missing = set()
    for step in steps(text):
        if step.extra and not is_there(step.extra):
            missing.add(step.extra)
            continue
        wrong = run_step(step, tmp_path, variables)
        assert wrong is None, f"{document}, {wrong}"
    if missing:
        pytest.skip(f"not all of {document} was run: no extra {', '.join(sorted(missing))}")


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_somewhere(document: str) -> None:
    path = REPOSITORY / document
    text = path.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if "://" not in target:
            assert (path.parent / target).exists(), f"{document} links to {target}"


def test_console_blocks_are_split_into_commands() -> None:
    text = "x\n```console\n$ one | two\na\nb\n$ three <<E\n> four\n> E\nc\n```\n"
    text += "```sh\n$ not this\n```\n```console solve\n$ five\n```\n"
    found = list(steps(text))
    assert [(s.line, s.command, s.expected, s.extra) for s in found] == [
        (3, "one | two", "a\nb\n", ""),
        (6, "three <<E\nfour\nE", "c\n", ""),
        (15, "five", "", "solve"),
    ]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_no_console_is_overlooked(document: str) -> None:
    """A block that is indented, or has other fences, would not be run."""
    text = (REPOSITORY / document).read_text(encoding="utf-8")
    blocks = re.findall(r"^```console(?: \w+)?$", text, re.M)
    assert len(re.findall(r"[`~]{3,}[{ ]*console", text)) == len(blocks)


def test_a_wrong_output_is_seen(tmp_path: Path) -> None:
    (step,) = steps("```console\n$ echo right\nwrong\n```\n")
    assert run_step(step, tmp_path, dict(os.environ)) is not None
