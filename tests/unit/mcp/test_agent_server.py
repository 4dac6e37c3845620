"""The server for agents, asked by the package's own client over standard input and output."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra mcp is not installed: no server for agents")

from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client

from qsage_validate.extensions.mcp.server import _confined
from qsage_validate.formats.policy import is_confined
from tests.support.commands import run_qsage
from tests.support.loops import running_loop
from tests.support.places import REPOSITORY

pytestmark = pytest.mark.slow

Call = Callable[..., Any]
DOMINO = {"size": "3x3", "shape": "domino", "depth": 3}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("agent")


@pytest.fixture(scope="module")
def call(folder: Path) -> Iterator[Call]:
    """Calls a tool of one server: the facts of its result, or the text of its error."""
    words = ["-m", "qsage_validate", "mcp", "--folder", str(folder)]
    server = StdioServerParameters(
        command=sys.executable, args=words, env={"PYTHONPATH": str(REPOSITORY)}
    )
    asked: asyncio.Queue[Any] = asyncio.Queue()

    async def session() -> None:
        # A client is entered and left in one task.
        async with Client(stdio_client(server)) as client:
            while (one := await asked.get()) is not None:
                name, arguments, answer = one
                answer.set_result(await client.call_tool(name, arguments))

    async def start() -> asyncio.Task[None]:
        return asyncio.create_task(session())

    async def ask(name: str, arguments: dict[str, object]) -> Any:
        answer = asyncio.get_running_loop().create_future()
        asked.put_nowait((name, arguments, answer))
        await asyncio.wait({answer, task}, return_when=asyncio.FIRST_COMPLETED)
        return answer.result() if answer.done() else task.result()

    async def end() -> None:
        asked.put_nowait(None)
        await task

    with running_loop() as run:
        task = run(start())

        def called(name: str, **arguments: object) -> Any:
            result = run(ask(name, arguments))
            return result.content[0].text if result.is_error else result.structured_content

        yield called
        run(end())


def test_a_game_is_encoded_solved_certified_validated_played_and_explained(
    call: Call, folder: Path
) -> None:
    encoded = call("encode", game="httt", options=DOMINO, output="e.qcir")
    assert (folder / "e.qcir").exists(), encoded
    assert encoded["variables"] == 39
    solved = call("solve", subject="httt", options=DOMINO)
    assert (solved["sentence"], solved["winner"]) == ("Black wins within 3 plies", "black")
    made = call("certify", subject="httt", options=DOMINO, certificate="c.aag", formula="f.qcir")
    assert (made["certificate"], made["player"]) == ("c.aag", "black"), made
    files = {"formula": "f.qcir", "certificate": "c.aag"}
    report = call("validate", **files)
    assert report["verdict"] == "valid"
    assert report["sentence"].startswith("f.qcir with c.aag: valid: Black wins httt 3x3 domino")
    assert report["certificate"] == "c.aag"
    played = call("play", **files, moves=[])
    assert played["you_are"] == "white"
    assert len(played["legal_moves"]) == 8
    over = call("play", **files, moves=[played["legal_moves"][-1]])
    assert over["over"]
    assert "Black wins" in over["sentence"]
    assert not over["findings"]
    explained = call("explain", **files, lookahead=1)
    assert explained["proved"]
    assert "Black wins httt 3x3 domino" in explained["sentence"]


def test_a_wrong_certificate_is_refuted_with_a_play(call: Call, folder: Path) -> None:
    call("certify", subject="httt", options=DOMINO, certificate="r.aag", formula="r.qcir")
    text = (folder / "r.aag").read_text().splitlines()
    numbers = list(map(int, text[0].split()[1:]))
    output = 1 + numbers[1]
    text[output : output + numbers[3]] = ["1"] * numbers[3]
    (folder / "wrong.aag").write_text("\n".join(text) + "\n")
    report = call("validate", formula="r.qcir", certificate="wrong.aag")
    assert report["verdict"] == "refuted"
    assert not report["ok"]
    assert report["findings"]


def test_errors_are_the_lines_of_the_commands(call: Call, folder: Path) -> None:
    (folder / "bad.qcir").write_text("#QCIR-G14\nforall(x)\noutput(y)\n")
    said = call("solve", subject="bad.qcir")
    assert "bad.qcir:3:8: found" in said
    assert "(exit code 2)" in said
    assert "unknown game" in call("solve", subject="hx") or "found" in call("solve", subject="hx")
    illegal = call("play", formula="sample:tic", certificate="sample:tic.aig", moves=["a9"])
    assert "exit code 2" in illegal
    assert "expected a file" in call("solve", subject="-")


def test_files_are_those_of_the_folder(call: Call, folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.qcir"
    outside.write_text("#QCIR-G14\nexists(x)\noutput(x)\n")
    (folder / "link.qcir").symlink_to(outside)
    for name in (str(outside), "link.qcir", "../outside.qcir"):
        assert "a file elsewhere" in call("solve", subject=name)
    written = call("encode", game="httt", options=DOMINO, output=str(tmp_path / "w.qcir"))
    assert "a file elsewhere" in written
    assert not (tmp_path / "w.qcir").exists()
    assert call("validate", formula="sample:tic", certificate="sample:tic.aig")["ok"]


def test_a_limit_ends_in_undecided(call: Call) -> None:
    hard = {"size": "6x6", "depth": 33}
    assert call("solve", subject="hex", options=hard, seconds=0.2)["winner"] is None
    said = call("certify", subject="hex", options=hard, certificate="h.aig", seconds=0.2)
    assert "(exit code 3)" in said


def test_the_program_is_confined_no_longer_than_it_serves(tmp_path: Path) -> None:
    place = Path.cwd()
    with _confined(str(tmp_path)):
        assert is_confined()
        assert Path.cwd() == tmp_path
    assert not is_confined()
    assert Path.cwd() == place


def test_a_folder_that_is_not_there_is_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_qsage(["mcp", "--folder", "/nowhere/at/all"]) == 2
    assert "found no such folder" in capsys.readouterr().err
