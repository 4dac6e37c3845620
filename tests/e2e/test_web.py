"""``qsage-play --web``: the board in a browser, from outside and in a Chromium."""

from __future__ import annotations

import asyncio
import base64
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyte
import pytest

from qsage_validate.cli.play import web
from qsage_validate.errors import Exit
from tests.support.chromium import Chromium, chromium
from tests.support.opened import NEEDS_CHROMIUM

from .conftest import Qsage

pytest.importorskip("textual_serve", reason="the extra web is not installed")
import aiohttp

COLUMNS, LINES = 100, 30
STONES = {"#0c0c0e", "#fbf9f4"}  # of Black and of White


@contextmanager
def served(folder: Path, *words: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server, which is ended if it still runs, and its address."""
    command = [sys.executable, "-m", "qsage_validate", "play", *words, "--web", "--port", "0"]
    process = subprocess.Popen(
        command, cwd=folder, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )  # fmt: skip
    try:
        assert process.stderr is not None
        told = re.fullmatch(
            r"the board is at (http://127\.0\.0\.1:\d+) \(Ctrl-C ends it\)\n",
            process.stderr.readline(),
        )
        assert told is not None
        yield process, told[1]
    finally:
        process.kill()
        process.communicate()


def ended(process: subprocess.Popen[str], number: signal.Signals) -> tuple[int, str]:
    """The exit code and the last words of a server after a signal."""
    process.send_signal(number)
    _, err = process.communicate(timeout=30)
    return process.returncode, err


def children(pid: int) -> list[int]:
    """The processes that this one has started and that still run."""
    listed = subprocess.run(
        ["ps", "-o", "pid=,stat=", "--ppid", str(pid)], capture_output=True, text=True, check=False
    ).stdout
    return [int(line.split()[0]) for line in listed.splitlines() if "Z" not in line.split()[1]]


class Screen:
    """What a tab shows: a terminal that is fed what the browser receives."""

    def __init__(self, columns: int = COLUMNS, lines: int = LINES) -> None:
        self._screen = pyte.Screen(columns, lines)
        self._stream = pyte.ByteStream(self._screen)

    def feed(self, data: bytes) -> None:
        self._stream.feed(data)

    @property
    def text(self) -> str:
        return "\n".join(self._screen.display)


async def play(url: str, steps: list[tuple[str, str]]) -> Screen:
    """In a tab, wait for each text and then type the keys behind it; the screen at the end."""
    screen = Screen()
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{url}/ws?width={COLUMNS}&height={LINES}") as tab,
    ):
        for awaited, keys in steps:
            while awaited not in screen.text:
                message = await tab.receive(timeout=60)
                if message.type is not aiohttp.WSMsgType.BINARY:
                    raise AssertionError(f"{awaited!r} did not come:\n{screen.text}")
                screen.feed(message.data)
            await tab.send_json(["stdin", keys])
        return screen


def test_a_play_through_the_protocol_and_ctrl_c(tmp_path: Path) -> None:
    """The session begins at the start screen and goes on to the board, in one tab."""
    steps = [
        ("choose what to play", "\r"),
        ("Your move, White: ply 2 of 5", ":occupy(1,1)\r"),
        # The tab is closed while the help is drawn: more than a terminal holds that nobody reads.
        ("Your move, White: ply 4 of 5", "?"),
    ]
    with served(tmp_path) as (process, url):
        screen = asyncio.run(play(url, steps))
        assert "httt 4x4 tic" in screen.text
        # The tab is closed, so the program behind it ends, and saves the play in the folder.
        until = time.monotonic() + 20
        while children(process.pid) and time.monotonic() < until:
            time.sleep(0.05)
        assert not children(process.pid)
        (saved,) = tmp_path.iterdir()
        assert "2 white occupy(1,1)" in saved.read_text()
        assert ended(process, signal.SIGINT) == (Exit.INTERRUPTED, "qsage: interrupted\n")


def test_signals_end_the_tabs_too(tmp_path: Path) -> None:
    async def both(process: subprocess.Popen[str], url: str) -> tuple[int, str, list[int]]:
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(f"{url}/ws?width=80&height=24") as tab,
        ):
            await tab.receive(timeout=60)
            behind = children(process.pid)
            code, err = await asyncio.to_thread(ended, process, signal.SIGTERM)
            return code, err, behind

    with served(tmp_path, "sample:tic", "--no-state") as (process, url):
        code, err, behind = asyncio.run(both(process, url))
    assert (code, err) == (128 + signal.SIGTERM, "")
    assert behind
    for pid in behind:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_an_error_stays_on_the_page(tmp_path: Path) -> None:
    with served(tmp_path, "missing.qcir", "--no-state") as (_, url):
        screen = asyncio.run(play(url, [("ended with exit code 2", "")]))
    assert "missing.qcir: found no such file" in screen.text


def test_other_sites_do_not_reach_the_board(tmp_path: Path) -> None:
    async def answers(url: str) -> list[int]:
        named = {"Host": "evil.example:80"}
        from_elsewhere = {"Origin": "http://evil.example"}
        async with aiohttp.ClientSession() as session:
            page = await session.get(url)
            text = await page.text()
            assert "default-src 'self'" in page.headers["Content-Security-Policy"]
            assert f"{url.replace('http', 'ws')}/ws" in text
            local = await session.get(url, headers={"Host": "localhost:1"})
            found = [page.status, local.status]
            found.append((await session.get(url, headers=named)).status)
            for headers in (named, from_elsewhere):
                with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                    await session.ws_connect(f"{url}/ws", headers=headers)
                found.append(refused.value.status)
            return found

    with served(tmp_path, "sample:tic", "--no-state") as (process, url):
        assert asyncio.run(answers(url)) == [200, 200, 403, 403, 403]
        assert not children(process.pid)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--port", "8123"], "found --port without --web, expected both"),
        (["--host", "localhost"], "found --host without --web, expected both"),
        (["--web", "--moves", "occupy(1,1)"], "found --web with a play that needs no board"),
        (["--web", "--plain"], "found --web with a play that needs no board"),
        (["--web", "--json"], "--json goes with --moves"),
        (["--web", "--host", "no.such.name.invalid"], "which has no address"),
    ],
)
def test_what_does_not_fit_is_one_line(qsage: Qsage, words: list[str], expected: str) -> None:
    done = qsage("play", "sample:tic", *words)
    assert done.code == Exit.BAD_INPUT
    assert expected in done.err
    assert done.err.count("\n") == 1


def test_a_port_that_is_taken(qsage: Qsage) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = qsage("play", "sample:tic", "--web", "--port", str(port))
    assert done.code == Exit.BAD_INPUT
    assert f"cannot listen on 127.0.0.1 port {port}: Address already in use" in done.err


def test_without_the_extra_its_line_is_told(qsage: Qsage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "find_spec", lambda _: None)
    done = qsage("play", "sample:tic", "--web")
    assert done.code == Exit.BAD_INPUT
    assert "the board in a browser needs the extra 'web': " in done.err


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("qsage-play --web", []),
        ("bin/qsage-play hex --size 3x3 --web --port 1", ["hex", "--size", "3x3"]),
        ("qsage play --web --host=::1 tic.qcir --cert c", ["tic.qcir", "--cert", "c"]),
        ("__main__.py play --port=3 --host x -- --web", ["--", "--web"]),
    ],
)
def test_the_words_of_the_play_are_those_without_the_browser(line: str, words: list[str]) -> None:
    assert web.own_words(line.split()) == words


class Watched:
    """A tab in a Chromium, with the screen that its terminal draws."""

    def __init__(self, browser: Chromium, url: str) -> None:
        self.browser, self.page = browser, browser.page()
        self.page.send("Network.enable")
        self.page.size(1100, 700)
        self.page.open(url)
        self._seen = 0
        self._screen: Screen | None = None

    def text(self) -> str:
        """What is on the screen now."""
        self.page.run("0")  # brings the events that have come since
        for event in self.browser.events[self._seen :]:
            self._look(event)
        self._seen = len(self.browser.events)
        return "" if self._screen is None else self._screen.text

    def _look(self, event: dict[str, Any]) -> None:
        kind, params = event.get("method"), event.get("params", {})
        if kind == "Network.webSocketCreated":
            width, height = re.findall(r"(?:width|height)=(\d+)", params["url"])
            self._screen = Screen(int(width), int(height))
        elif kind == "Network.webSocketFrameReceived" and params["response"]["opcode"] == 2:
            assert self._screen is not None
            self._screen.feed(base64.b64decode(params["response"]["payloadData"]))

    def wait_for(self, awaited: str) -> None:
        until = time.monotonic() + 60
        while awaited not in self.text():
            assert time.monotonic() < until, f"{awaited!r} did not come:\n{self.text()}"
            time.sleep(0.05)

    def type(self, keys: str) -> None:
        for key in keys:
            self.page.press("Enter" if key == "\r" else key)


def colours(path: Path) -> set[str]:
    """The colours of a picture, as ``#rrggbb``, that fill some area of it."""
    from PIL import Image

    with Image.open(path) as image:
        found = image.convert("RGB").getcolors(1 << 24) or []
    return {"#{:02x}{:02x}{:02x}".format(*c) for number, c in found if number > 500}  # type: ignore[misc]


@NEEDS_CHROMIUM
def test_three_moves_in_a_browser(tmp_path: Path) -> None:
    """Without a click: the keys go to the board from the start, and the stones are drawn."""
    pytest.importorskip("PIL", reason="Pillow, which looks at the picture, is not installed")
    words = ("hex", "--size", "4x4", "--depth", "11", "--no-state")
    with served(tmp_path, *words) as (_, url), chromium() as browser:
        tab = Watched(browser, url)
        tab.wait_for("Your move, White: ply 2 of 11")
        assert tab.page.wait("document.activeElement.tagName === 'TEXTAREA'")
        for ply in (2, 4, 6):
            tab.wait_for(f"Your move, White: ply {ply} of 11")
            tab.type("x")
        tab.wait_for("7    ● Black")
        seen: set[str] = set()
        until = time.monotonic() + 30
        while not seen >= STONES and time.monotonic() < until:
            tab.page.picture(tmp_path / "seen.png")
            seen = colours(tmp_path / "seen.png")
        asked = [e for e in browser.events if e.get("method") == "Network.requestWillBeSent"]
        elsewhere = {
            e["params"]["requestId"]
            for e in asked
            if not e["params"]["request"]["url"].startswith(url)
        }
        blocked = {
            e["params"]["requestId"]
            for e in browser.events
            if e.get("method") == "Network.loadingFailed"
            and e["params"].get("blockedReason") == "csp"
        }
        assert asked
        assert elsewhere == blocked, "nothing comes from elsewhere"
    assert seen >= STONES
