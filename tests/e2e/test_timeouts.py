"""Every command with --timeout ends about then, on inputs that need a minute or more."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from qsage_validate.errors import Exit
from tests.support.command_tree import leaves

from .conftest import Qsage

pytestmark = pytest.mark.slow

# Seconds of processor time of a command with --timeout 1: the start, the second, and what a command
# may take to end, or to be ended.
MOST_SECONDS = 7.0

RACE = ("race.qcir", "--cert", "race.aag")
COMMANDS = {
    "solve, search, GDL": ("solve", "many.gdl", "--depth", "5"),
    "solve, machine code, GDL": ("solve", "many.gdl", "--depth", "auto", "--engine", "auto"),
    "solve, encoding, GDL": ("solve", "many.gdl", "--depth", "5", "--encoding", "gdl-strict"),
    "solve, first moves": ("solve", "many.gdl", "--depth", "5", "--role", "b"),
    "solve, Hex": ("solve", "hex", "--size", "6x6", "--depth", "35"),
    "solve, Hex, encoding": ("solve", "hex", "--size", "6x6", "--encoding", "ea", "--depth", "35"),
    "solve, formula": ("solve", "hex.qcir"),
    "solve, formulas": (
        *("solve", "hex", "--size", "7x7", "--depth", "auto", "--encoding", "cor"),
        *("--solver", "depqbf"),
    ),
    "certify, GDL": ("certify", "many.gdl", "--depth", "5", "-o", "out.aag"),
    "certify, Hex": ("certify", "hex", "--size", "6x6", "--depth", "35", "-o", "out.aag"),
    "certify, formula": ("certify", "plain.qcir", "-o", "out.aag"),
    "layout": ("layout", "plain.qcir", "hex", "--size", "4x4", "--depth", "15"),
    "validate, formula": ("validate", "large.qcir"),
    "validate, layout": (
        *("validate", "stranger.qcir", "--model"),
        "hex --size 6x6 --depth 35",
    ),
    "validate, plays": ("validate", *RACE, "--games", "500000000"),
    "validate, proof": ("validate", *RACE, "--proof", "out"),
    "compare, exact": ("compare", "hex.qcir", "hex.qcir", "--exact"),
    "count, formula": ("count", "hex.qcir"),
    "hex-strategy": ("hex-strategy", "--find", "9x9"),
    "explain, certificate": ("explain", *RACE),
    "explain, GDL": ("explain", "many.gdl", "--depth", "5"),
    "synthesize": ("synthesize", "wythoff"),
    "verify": ("verify", "bundle"),
    "minimise": ("minimise", *RACE, "-o", "out.aag"),
    "export page": ("export", "page", *RACE, "-o", "out.html"),
    "export class": ("export", "class", RACE[0], "-o", "class.html"),
}
OTHER_MEANING = {"play", "qsage-play", "bench"}
"""Where --timeout is that of a reply, or of a run."""
SOON = {"verify", "synthesize"}
"""Commands whose inputs here need less than a second: they may end by themselves."""


def many_joins(size: int) -> str:
    """A game in GDL with as many moves as the fourth power of ``size``."""
    numbers = range(1, size + 1)
    cells = [f"(init (cell {i} {j} b))" for i in numbers for j in numbers if (i + j) % 3]
    indices = " ".join(f"(index ?{name})" for name in "abcd")
    return "\n".join(
        [
            "(role a) (role b) (init (control a))",
            *(f"(index {number})" for number in numbers),
            *cells,
            "(<= (legal ?p noop) (role ?p) (not (true (control ?p))))",
            f"(<= (legal ?p (move ?a ?b ?c ?d)) (true (control ?p)) {indices} "
            "(true (cell ?a ?b b)))",
            "(<= (next (cell ?a ?b b)) (does ?p (move ?c ?d ?a ?b)))",
            "(<= (next (cell ?a ?b ?x)) (true (cell ?a ?b ?x)) (does ?p (move ?c ?d ?e ?f))"
            " (or (distinct ?a ?c) (distinct ?b ?d)))",
            "(<= (next (control b)) (true (control a)))",
            "(<= (next (control a)) (true (control b)))",
            "(<= (line ?a ?b ?c) (true (cell ?a ?b b)) (true (cell ?b ?c b))"
            " (true (cell ?c ?a b)))",
            "(<= terminal (line 1 2 3) (line 3 2 1) (line 4 4 4))",
            "(<= (goal a 100) (line 1 2 3)) (<= (goal b 100) (not (goal a 100)))",
        ]
    )


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inputs")
    (folder / "many.gdl").write_text(many_joins(8))
    race = ("breakthrough", "--size", "2x6", "--depth", "15")
    for words in (
        ("encode", "hex", "--size", "4x4", "--encoding", "ea", "--depth", "15", "-o", "hex.qcir"),
        ("encode", "hex", "--size", "6x6", "--encoding", "ea", "--depth", "35", "-o", "large.qcir"),
        ("certify", *race, "-o", "race.aag", "--formula", "race.qcir"),
        ("certify", "httt", "--size", "3x3", "--shape", "el", "--depth", "5", "-o", "el.aag",
         "--formula", "el.qcir"),
        ("validate", "el.qcir", "el.aag", "--proof", "bundle"),
    ):  # fmt: skip
        assert run(words, folder)[0] == Exit.FINE
    # Without a layout nothing but the formula is there: no search on the rules is quicker.
    for name, without in (("hex.qcir", "plain.qcir"), ("large.qcir", "stranger.qcir")):
        lines = (folder / name).read_text().splitlines(keepends=True)
        (folder / without).write_text("".join(x for x in lines if not x.startswith("#@")))
    return folder


def run(words: tuple[str, ...], folder: Path) -> tuple[int, str, float]:
    """The exit code of a command, its standard error and its seconds of processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "qsage_validate", *words], cwd=folder, check=False, text=True,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.returncode, done.stderr, used


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_end_in_time(name: str, inputs: Path) -> None:
    files = set(inputs.iterdir())
    code, err, seconds = run((*COMMANDS[name], "--timeout", "1"), inputs)
    assert code == Exit.UNDECIDED or (name in SOON and code == Exit.FINE), err
    assert "Traceback" not in err
    assert seconds < MOST_SECONDS
    made = {path for path in inputs.iterdir() if path not in files}
    # A page says what was not proved.
    assert {path.name for path in made} <= {"out.html", "class.html"}
    for path in made:
        path.unlink()


def test_every_command_with_a_timeout_is_here(qsage: Qsage) -> None:
    named = {words[0] for words in COMMANDS.values()}
    for leaf in leaves():
        timeout = any(parameter.name == "timeout" for parameter in leaf.command.params)
        if timeout and leaf.words[0] not in OTHER_MEANING:
            assert leaf.words[0] in named, leaf.words
