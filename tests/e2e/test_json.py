"""What ``--json`` prints is what docs/reference/json.md says: keys, types, nothing else."""

from __future__ import annotations

import io
import json
import re
import shlex
from collections.abc import Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from qsage_validate.cli.app import PROGRAMS
from qsage_validate.cli.commands import commands_below
from qsage_validate.cli.common import SCHEMA
from qsage_validate.formats.qrp_steps import QrpDialect
from qsage_validate.games.registry import find_command, resolve_command
from qsage_validate.solvers.search_solution import find_solution
from tests.conftest import REPOSITORY
from tests.e2e.test_traces import FORMULA
from tests.e2e.test_traces import write as write_trace
from tests.support.commands import run_qsage
from tests.unit.formats.test_formats_pg import SETS

pytestmark = pytest.mark.slow

PAGE = REPOSITORY / "docs" / "reference" / "json.md"
SHARED = "Objects in several commands"
TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "null": (type(None),),
}
SMALL = "httt --size 3x3 --shape domino --depth 3"

# What is printed, by the heading of the page; each line runs after those above it.
RUNS = {
    "`encode`": [
        f"encode {SMALL} -o f.qcir",
        f"encode {SMALL} --format qdimacs -o f.qdimacs",
        "encode f.qcir -o g.qcir",
        f"encode {SMALL} --prepare -o p.qcir",
    ],
    "`certify`": [
        f"certify {SMALL} -o c.aig",
        "certify f.qcir -o d.aig --route bloqqer --formula g.qcir",
        f"certify {SMALL} -o part.aig --blocks 1",
        f"certify {SMALL} -o lifted.aig --prepare",
    ],
    "`certify`: the outermost block, on a solver's word": [
        "certify small.qcir -o o.out --as outer --blocks 1 --solver caqe",
        "certify d.solution -o cut.aig --blocks 1",
    ],
    "`layout`": [
        "layout sample:puzzle sample:puzzle.pg",
        "layout sample:puzzle-wrong sample:puzzle.pg",
    ],
    "`games`": ["games", "games hex"],
    "`games --encodings`": ["games --encodings"],
    "`count`: a game": [f"count {SMALL}"],
    "`count`: a formula": ["count small.qcir"],
    "`hex-strategy`": ["hex-strategy sample:hex-5x5.hexs", "hex-strategy --find 3x3"],
    "`info`: a file": [
        "info f.qcir",
        "info f.qcir --names",
        "info f.qdimacs",
        "info c.aig",
        "info f.qcir c.aig",
        "info f.qcir part.aig",
        "info o.out",
        "info sets.pg",
        "info domain.ig",
        "info problem.ig",
        "info trails.gdl",
        "info t.qrp",
    ],
    "`info`: a game": [
        "info httt --size 3x3",
        "info domain.ig problem.ig",
        "info hex --transversal",
        "info trails --depth 4",
    ],
    "`info --solvers`": ["info --solvers"],
    "`solve`: a game, by search": [
        f"solve {SMALL}",
        f"solve {SMALL} --timeout 0",
        f"solve {SMALL} --first-moves all",
    ],
    "`solve`: a formula, or a game by its formula": [
        f"solve {SMALL} --solver depqbf",
        f"solve {SMALL} --solver depqbf --first-moves all",
        "solve small.qcir --solver caqe --preprocess none",
        "solve f.qcir --solver depqbf --timeout 0",
    ],
    "`solve --depth auto`": [
        "solve httt --size 3x3 --shape domino --depth auto",
        "solve httt --size 3x3 --shape domino --depth auto --first-moves all",
        "solve httt --size 3x3 --shape el --depth auto --max-depth 3",
    ],
    "`solve --depth auto --alternate`": [
        "solve harary --size 3x3 --shape domino --depth auto --alternate",
        "solve harary --size 4x4 --shape fatty --depth auto --alternate --maker-breaker",
    ],
    "`validate --solution`": [
        "validate --solution d.solution",
        "validate --solution wrong.solution",
    ],
    "`validate`": [
        "validate f.qcir c.aig",
        "validate f.qcir",
        "validate f.qcir changed.aag",
        "validate f.qcir c.aig --assert a.txt",
        "validate small.qcir o.out --level formula",
        "validate f.qcir c.aig --timeout 0",
        "validate t.qdimacs --trace t.qrp",
        "validate f.qcir c.aig --proof proofs --level formula --level dependencies",
    ],
    "`verify`": ["verify proofs --checker qsage", "verify proofs --checker qsage --formula g.qcir"],
    "`compare`: one strategy": [
        "compare f.qcir g.qcir --cert c.aig",
        "compare f.qcir short.qcir --cert c.aig",
    ],
    "`compare`: both ways": ["compare f.qcir g.qcir", "compare f.qcir short.qcir"],
    "`compare --exact`": ["compare small.qcir small.qcir --exact"],
    "`compare --encodings`": [f"compare {SMALL} --encodings all"],
    "`export page`": ["export page f.qcir c.aig -o play.html"],
    "`export class`": ["export class sample:hex -o class.html"],
    "`export game`": [f"export game {SMALL} --to gdl -o small"],
    "`export positions`": [f"export positions {SMALL} -o table.csv"],
    "`help`": ["help"],
    "`help`: a page": ["help solving"],
    "`explain`": ["explain f.qcir --cert c.aig", f"explain {SMALL} --max-nodes 1 --lookahead 1"],
    "`explain` of an impartial game": ["explain take-away-3"],
    "`minimise`": ["minimise f.qcir c.aig -o s.aag --timeout 1"],
    "`synthesize`": ["synthesize take-away-3 --strategy", "synthesize take-away-3 --timeout 0"],
    "`synthesize --check`": [
        "synthesize take-away-3 --check 'v % 4 != 0'",
        "synthesize take-away-3 --check 'v % 3 != 0'",
    ],
    "`synthesize --list`": ["synthesize --list 'mark*'"],
    "`bench`": ["bench table2 --only 'httt*3x3*domino*'"],
    "`play`: a script": [
        "play f.qcir --cert c.aig --moves 'occupy(1,1)!'",
        "play f.qcir --cert c.aig --moves 'occupy(9,9)'",
        "play f.qcir --cert c.aig --moves 'occupy(1,2)' --teach",
        "play take-away-3 --state v=5 --moves 'take(1)'",
    ],
    "`play`: a random opponent": [
        "play f.qcir --cert c.aig --white random --games 3 --illegal 0.5",
        "play f.qcir --cert changed.aag --white random --games 30",
    ],
    "`play`: an impartial game, a random opponent": ["play take-away-3 --white random --games 3"],
    "`play`: an impartial game, all states": ["play take-away-3 --white all --bound 5"],
}


def tables() -> dict[str, dict[str, str]]:
    """The types of the keys by heading, as the page has them."""
    found: dict[str, dict[str, str]] = {}
    heading = ""
    for line in PAGE.read_text("utf-8").splitlines():
        if match := re.fullmatch(r"##+ (.*)", line):
            heading = match[1]
        elif match := re.fullmatch(r"\| `(\w+\??)` \| ([^|]+) \| [^|]+ \|", line):
            assert match[1] not in found.setdefault(heading, {}), (heading, match[1])
            found[heading][match[1]] = match[2]
    return found


TABLES = tables()


def wrong(value: object, kind: str, place: str) -> Iterator[str]:
    """Where ``value`` is not of a type of the page."""
    problems = [list(_wrong(value, one, place)) for one in kind.split(" or ")]
    if all(problems):
        yield from min(problems, key=len)


def _wrong(value: object, kind: str, place: str) -> Iterator[str]:
    if kind.startswith("list of "):
        if not isinstance(value, list):
            yield f"{place}: {value!r} is no list"
            return
        for each in value:
            yield from wrong(each, kind.removeprefix("list of "), f"{place}[]")
    elif kind in TYPES:
        if not isinstance(value, TYPES[kind]) or (kind != "boolean" and isinstance(value, bool)):
            yield f"{place}: {value!r} is no {kind}"
    elif not isinstance(value, dict):
        yield f"{place}: {value!r} is no {kind}"
    else:
        yield from keys_wrong(value, TABLES[kind], place)


def keys_wrong(value: dict[str, Any], table: Mapping[str, str], place: str) -> Iterator[str]:
    """Keys that the table has not, or has and the object has not, and values of other types."""
    types = {key.rstrip("?"): kind for key, kind in table.items()}
    yield from (f"{place}.{key}: not on the page" for key in value.keys() - types.keys())
    for key in table:
        if not key.endswith("?") and key not in value:
            yield f"{place}.{key}: missing"
    for key in value.keys() & types.keys():
        assert re.fullmatch(r"[a-z0-9_]+", key), key
        yield from wrong(value[key], types[key], f"{place}.{key}")


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """The objects of all runs by heading."""
    folder = tmp_path_factory.mktemp("json")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        _write_inputs(folder)
        return {heading: [_object(line) for line in lines] for heading, lines in RUNS.items()}


def _write_inputs(folder: Path) -> None:
    model = resolve_command(shlex.split(SMALL))
    library = REPOSITORY / "qsage_validate" / "extensions" / "gdl" / "library"
    for name, text in {
        "sets.pg": SETS,
        "domain.ig": str(model.domain),
        "problem.ig": str(model.problem),
        "trails.gdl": (library / "trails.gdl").read_text(),
        "t.qdimacs": FORMULA,
        "a.txt": "always not (black (1,1) and white (1,1))\nend: black (1,1)\n",
    }.items():
        (folder / name).write_text(text)
    Path(write_trace(folder, QrpDialect.QRP)).rename(folder / "t.qrp")
    _object(f"certify {SMALL} -o whole.aag --formula f.qcir")
    _object("encode httt --size 3x3 --shape el --depth 3 -o short.qcir")
    _object("encode httt --size 2x2 --shape domino --depth 3 -o small.qcir")
    # The other answer of one function.
    lines = (folder / "whole.aag").read_text().split("\n")
    first = 1 + int(lines[0].split()[2])
    lines[first] = str(int(lines[first]) ^ 1)
    (folder / "changed.aag").write_text("\n".join(lines))
    found = find_solution(find_command(SMALL.split()))
    found.save(folder / "d.solution")
    replace(found, replies={}).save(folder / "wrong.solution")


def _object(line: str) -> dict[str, Any]:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        run_qsage([*shlex.split(line), "--json"])
    assert out.getvalue().count("\n") == 1, (line, out.getvalue(), err.getvalue())
    found = json.loads(out.getvalue())
    assert isinstance(found, dict), line
    return found


@pytest.mark.parametrize("heading", RUNS)
def test_what_is_printed_is_what_the_page_says(
    heading: str, printed: dict[str, list[dict[str, Any]]]
) -> None:
    for line, found in zip(RUNS[heading], printed[heading], strict=True):
        assert next(iter(found)) == "schema", line
        assert found.pop("schema") == SCHEMA
        assert not list(keys_wrong(found, TABLES[heading], line))


def test_every_heading_has_a_run_and_every_command_a_heading() -> None:
    shared = PAGE.read_text("utf-8").partition(f"## {SHARED}")[2]
    types = set(re.findall(r"^### (\w+)$", shared, re.M))
    assert TABLES.keys() == RUNS.keys() | types
    used = {word for table in TABLES.values() for kind in table.values() for word in kind.split()}
    assert types <= used
    assert used <= types | TYPES.keys() | {"or", "list", "of"}
    documented = {re.split(r"[` ]", heading)[1] for heading in RUNS}
    commands = commands_below(PROGRAMS["qsage"])
    assert documented == commands.keys() - {"demo", "lsp", "mcp"}  # servers print no object


def test_the_page_catches_what_is_not_on_it() -> None:
    """A missing key, another key and another type are told of."""
    table = {"a": "integer", "b?": "list of string or null", "c?": "stage"}
    assert not list(keys_wrong({"a": 1, "b": None}, table, "x"))
    assert not list(keys_wrong({"a": 1, "b": ["y"]}, table, "x"))
    for bad in ({}, {"a": "1"}, {"a": True}, {"a": 1, "b": [1]}, {"a": 1, "d": 1}):
        assert list(keys_wrong(bad, table, "x")), bad
    assert list(keys_wrong({"a": 1, "c": {"stage": "s"}}, table, "x")) == ["x.c.seconds: missing"]
