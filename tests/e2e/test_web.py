"""``qsage-play --web``: the board in a browser, from outside and in a Chromium."""

from __future__ import annotations

import asyncio
import base64
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pyte
import pytest

from qsage_validate.cli.play import serving
from qsage_validate.errors import Exit
from tests.support.chromium import Chromium, chromium
from tests.support.opened import NEEDS_CHROMIUM

from .conftest import Qsage

pytest.importorskip("textual_serve", reason="the extra web is not installed")
import aiohttp

COLUMNS, LINES = 100, 30
STONES = {"#0c0c0e", "#fbf9f4"}  # of Black and of White


@contextmanager
def served(
    folder: Path, *words: str, host: str = "127.0.0.1"
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server, which is ended if it still runs, and its address with the token."""
    command = [sys.executable, "-m", "qsage_validate", "play", *words, "--web", "--port", "0"]
    command += ["--host", host] if host != "127.0.0.1" else []
    process = subprocess.Popen(
        command, cwd=folder, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )  # fmt: skip
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        if line.startswith("qsage: warning"):
            line = process.stderr.readline()
        told = re.fullmatch(
            r"the board is at (http://127\.0\.0\.1:\d+/\?token=[0-9a-f]{48}) \(Ctrl-C ends it\)\n",
            line,
        )
        assert told is not None, line
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


def bare(url: str) -> str:
    """The address without the token."""
    return url.partition("/?")[0]


@asynccontextmanager
async def tab(url: str, columns: int = COLUMNS, lines: int = LINES) -> AsyncIterator[Any]:
    """A tab of a browser that has opened the address: the web socket of its board."""
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        page = await session.get(url)
        assert page.status == 200
        assert str(page.url) == bare(url) + "/", "the token is not in the address any more"
        size = f"width={columns}&height={lines}"
        headers = {"Origin": bare(url)}
        async with session.ws_connect(f"{bare(url)}/ws?{size}", headers=headers) as opened:
            yield opened


async def play(url: str, steps: list[tuple[str, str]]) -> Screen:
    """In a tab, wait for each text and then type the keys behind it; the screen at the end."""
    screen = Screen()
    async with tab(url) as opened:
        for awaited, keys in steps:
            await until(opened, screen, awaited)
            await opened.send_json(["stdin", keys])
        return screen


async def until(opened: Any, screen: Screen, awaited: str) -> None:
    """Read until a text is on the screen; a cursor that blinks sends for ever."""
    over = time.monotonic() + 120
    while awaited not in screen.text:
        message = await opened.receive(timeout=60)
        if time.monotonic() > over or message.type is not aiohttp.WSMsgType.BINARY:
            raise AssertionError(f"{awaited!r} did not come:\n{screen.text}")
        screen.feed(message.data)


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
        async with tab(url) as opened:
            await opened.receive(timeout=60)
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


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_other_sites_and_users_do_not_reach_the_board(tmp_path: Path, host: str) -> None:
    """Not under another name, from another page, or without the token; nothing is listed."""

    async def answers(url: str) -> dict[str, int]:
        found = {}
        jar = aiohttp.CookieJar(unsafe=True)
        origin = {"Origin": bare(url)}
        async with aiohttp.ClientSession() as stranger:
            for path in (
                "/",
                "/?token=",
                "/?token=" + "0" * 48,
                "/static/",
                "/static/js/textual.js",
            ):
                found[path] = (await stranger.get(bare(url) + path)).status
            for cookie in ({}, {f"qsage-{bare(url).rpartition(':')[2]}": url[-48:]}):
                with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                    await stranger.ws_connect(
                        f"{bare(url)}/ws",
                        headers={**origin, "Cookie": "; ".join(map("=".join, cookie.items()))},
                    )
                found[f"ws {len(cookie)}"] = refused.value.status
        async with aiohttp.ClientSession(cookie_jar=jar) as session:
            page = await session.get(url)
            text = await page.text()
            assert "default-src 'self'" in page.headers["Content-Security-Policy"]
            assert f"{bare(url).replace('http', 'ws')}/ws" in text
            (cookie,) = jar
            assert cookie["httponly"]
            assert url[-48:] not in cookie.value
            found["page"] = page.status
            found["script"] = (await session.get(bare(url) + "/static/js/textual.js")).status
            found["list"] = (await session.get(bare(url) + "/static/")).status
            found["local"] = (await session.get(bare(url), headers={"Host": "localhost:1"})).status
            for name in ("evil.example:80", "127.0.0.1.evil.example", "[::1].evil.example", ""):
                found[f"host {name}"] = (await session.get(url, headers={"Host": name})).status
            for own in ("http://evil.example", "null", bare(url).replace("http", "https"), ""):
                with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                    await session.ws_connect(
                        f"{bare(url)}/ws", headers={"Origin": own} if own else {}
                    )
                found[f"origin {own}"] = refused.value.status
        return found

    with served(tmp_path, "sample:tic", "--no-state", host=host) as (process, url):
        found = asyncio.run(answers(url))
        assert {name for name, status in found.items() if status == 200} == {
            "page", "script", "local",
        }  # fmt: skip
        assert set(found.values()) == {200, 403}
        assert not children(process.pid)


def test_a_tab_that_is_closed_ends_its_program_at_once(tmp_path: Path) -> None:
    """A megabyte of keys that nobody has read kept one for 25 seconds, and took 700 MB."""

    async def keys(url: str, process: subprocess.Popen[str]) -> None:
        screen = Screen()
        async with tab(url) as opened:
            await until(opened, screen, "Your move, White: ply 2 of 5")
            await opened.send_json(["stdin", ":occupy(1,1)\r"])
            await until(opened, screen, "Your move, White: ply 4 of 5")
            for _ in range(20):
                await opened.send_json(["stdin", "34" * 25_000])
            for said in ("{", "[]", "null", '["stdin", 3]', '["resize", {}]', '["resize", 1]'):
                await opened.send_str(said)
            await opened.send_json(["ping", 1])
            while (message := await opened.receive(timeout=30)).type is aiohttp.WSMsgType.BINARY:
                pass
            assert message.json() == ["pong", 1]
            (pid,) = children(process.pid)
            pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
            assert pages * os.sysconf("SC_PAGE_SIZE") < 300e6

    with served(tmp_path, "sample:tic", "--no-state") as (process, url):
        asyncio.run(keys(url, process))
        until_ = time.monotonic() + 8
        while children(process.pid) and time.monotonic() < until_:
            time.sleep(0.02)
        assert not children(process.pid)
        (saved,) = tmp_path.iterdir()
        assert "2 white occupy(1,1)" in saved.read_text()


def test_a_browser_opens_and_saves_in_one_folder(tmp_path: Path) -> None:
    """Nor does it hear what a file of another kind has in it."""
    here, elsewhere = tmp_path / "here", tmp_path / "private"
    here.mkdir()
    elsewhere.mkdir()
    (elsewhere / "secret.play").write_text("hunter2 is the password\n")
    (here / "key.play").write_text("hunter2 is the password\n")
    (here / "link.play").symlink_to(elsewhere / "secret.play")
    elsewhere.chmod(0o700)

    async def tried(url: str) -> str:
        screen, said = Screen(160, 40), ""
        async with tab(url, 160, 40) as opened:
            await until(opened, screen, "Your move, White: ply 2 of 5")
            for key, title, name, expected in (
                ("o", "Open a transcript", "../private/secret.play", "secret.play: found a file"),
                ("o", "Open a transcript", "link.play", "link.play: found a file elsewhere"),
                ("o", "Open a transcript", "/etc/passwd", "passwd: found a file elsewhere"),
                ("o", "Open a transcript", "nosuch.play", "found no such file"),
                ("o", "Open a transcript", "key.play", "key.play:1:1: found something else"),
                ("s", "Save the transcript", "../private/a.play", "a.play: found a file elsewhere"),
                ("s", "Save the transcript", "../b.play", "../b.play: found a file elsewhere"),
                ("e", "Export the play", "../private/c.svg", "c.svg: found a file elsewhere"),
                ("s", "Save the transcript", "new.play", "Saved to new.play"),
            ):
                await opened.send_json(["stdin", key])
                await until(opened, screen, title)
                await opened.send_json(["stdin", "\x15"])
                await until(opened, screen, "file name")
                await opened.send_json(["stdin", f"{name}\r"])
                await until(opened, screen, expected)
                said += screen.text
        return said

    with served(here, "sample:tic", "--no-state") as (_, url):
        said = asyncio.run(tried(url))
    assert "hunter2" not in said
    assert sorted(path.name for path in here.iterdir()) == ["key.play", "link.play", "new.play"]
    assert [path.name for path in elsewhere.iterdir()] == ["secret.play"]


@pytest.mark.skipif(
    os.name == "nt" or os.getuid() != 0 or shutil.which("setpriv") is None,
    reason="only root with setpriv can be another user",
)
def test_another_user_of_the_machine_is_refused(tmp_path: Path) -> None:
    """A program of the user ``nobody`` tries the page, the board and the files."""
    attack = (
        "import http.client, sys\n"
        "host, port = sys.argv[1].split(':')\n"
        "upgrade = {'Upgrade': 'websocket', 'Connection': 'Upgrade',\n"
        "           'Sec-WebSocket-Version': '13',\n"
        "           'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ=='}\n"
        "own = {'Origin': 'http://' + sys.argv[1]}\n"
        "for path, headers in (('/', {}), ('/?token=x', {}), ('/static/', {}), ('/ws', upgrade),\n"
        "                      ('/ws', {**upgrade, **own}),\n"
        "                      ('/ws', {**upgrade, **own, 'Cookie': 'qsage-' + port + '=x'})):\n"
        "    connection = http.client.HTTPConnection(host, int(port), timeout=20)\n"
        "    connection.request('GET', path, headers=headers)\n"
        "    print(connection.getresponse().status)\n"
    )
    with served(tmp_path, "sample:tic", "--no-state") as (process, url):
        run = subprocess.run(
            ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/env",
             "python3", "-c", attack, bare(url).removeprefix("http://")],
            capture_output=True, text=True, check=False, timeout=60, cwd="/",
            env={"PATH": "/usr/bin:/bin"},
        )  # fmt: skip
        if run.returncode == 127:
            pytest.skip("there is no Python for other users")
        assert run.stdout.split() == ["403"] * 6, run.stderr
        assert not children(process.pid)
        assert url[-48:] not in Path(f"/proc/{process.pid}/cmdline").read_text()


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
    monkeypatch.setattr(serving, "find_spec", lambda _: None)
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
    assert serving.own_words(line.split()) == words


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
        tab.wait_for("Your move, White: ply 8 of 11")
        seen: set[str] = set()
        until = time.monotonic() + 30
        while not seen >= STONES and time.monotonic() < until:
            tab.page.picture(tmp_path / "seen.png")
            seen = colours(tmp_path / "seen.png")
        asked = [e for e in browser.events if e.get("method") == "Network.requestWillBeSent"]
        elsewhere = {
            e["params"]["requestId"]
            for e in asked
            if not e["params"]["request"]["url"].startswith(bare(url))
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
