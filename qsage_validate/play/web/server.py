"""A server of boards: each tab of a browser is a terminal in which a program of its own plays.

The page and its protocol are those of textual-serve. Behind it stands a pseudo-terminal with
``qsage-play`` as a person would start it there, so that the start screen, boards, prompts and
messages come one after the other as they do in a window.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import socket
from collections.abc import Sequence
from contextlib import suppress
from ipaddress import ip_address
from typing import Any, Final

import aiohttp_jinja2
from aiohttp import web
from aiohttp.web_runner import GracefulExit
from textual_serve.app_service import AppService
from textual_serve.server import Server, to_int

from qsage_validate.system.signals import TERMINATING
from qsage_validate.system.terminals import TerminalProgram

MOST_TABS: Final = 16
"""No more plays than this at a time: each is a process."""

_FAREWELL: Final = 10.0  # seconds that a program has for ending by itself: it may save a play
_POLL: Final = 0.02
# The page needs nothing from elsewhere: the font that its template asks for is in textual-serve.
_POLICY: Final = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self' ws: wss:; frame-ancestors 'none'; base-uri 'none'"
)
# The keys go to the terminal from the start, without a click.
_FOCUS: Final = """<script>
  new MutationObserver((_, observer) => {
    const terminal = document.querySelector(".textual-terminal textarea");
    if (document.body.classList.contains("-first-byte") && terminal) {
      observer.disconnect();
      terminal.focus();
    }
  }).observe(document.body, { attributes: true, childList: true, subtree: true });
</script>"""
_HEADERS: Final = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


def is_loopback(host: str) -> bool:
    """True for the names and addresses of this machine that no other one reaches."""
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


class _Tab(AppService):
    """The program behind one tab, in a terminal of its own."""

    def __init__(self, words: Sequence[str], **options: Any) -> None:
        super().__init__(shlex.join(words), **options)
        self._words = words
        self._program: TerminalProgram | None = None
        self._output: asyncio.Task[None] | None = None

    async def start(self, width: int, height: int) -> None:
        environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")}
        environment |= {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
        self._program = TerminalProgram.begin(self._words, environment, width, height)
        os.set_blocking(self._program.terminal, False)
        self._output = asyncio.create_task(self._show())

    async def _show(self) -> None:
        """Send what the program shows, until it ends; an error stays to be read.

        What it shows after the tab was closed is read as well: a program whose terminal nobody
        reads waits for ever with its last words, and does not save its play.
        """
        program = self._program
        assert program is not None, "it was started"
        while True:
            try:
                data = os.read(program.terminal, 1 << 16)
            except BlockingIOError:
                await self._readable(program.terminal)
                continue
            except OSError:
                break  # the program has closed its side
            if not data:
                break
            with suppress(ConnectionError):
                await self.remote_write_bytes(data)
        while program.process.poll() is None:
            await asyncio.sleep(_POLL)
        code = program.process.returncode
        with suppress(ConnectionError):
            if code:
                await self.remote_write_bytes(f"\r\nended with exit code {code}\r\n".encode())
            else:
                await self.remote_close()

    async def _readable(self, terminal: int) -> None:
        loop = asyncio.get_running_loop()
        ready = loop.create_future()
        loop.add_reader(terminal, ready.cancel)
        try:
            await asyncio.wait([ready])
        finally:
            loop.remove_reader(terminal)

    async def send_bytes(self, data: bytes) -> bool:
        program = self._program
        while data and program is not None and program.process.poll() is None:
            try:
                data = data[os.write(program.terminal, data) :]
            except BlockingIOError:
                await asyncio.sleep(_POLL)
            except OSError:
                return False
        return not data

    async def set_terminal_size(self, width: int, height: int) -> None:
        if self._program is not None:
            self._program.resize(width, height)

    async def focus(self) -> None:
        """Nothing: a program in a terminal does not ask where the focus is."""

    async def blur(self) -> None:
        """Nothing, as with the focus."""

    async def stop(self) -> None:
        """End the program as a closed window does, by force where it does not hear."""
        program, self._program = self._program, None
        if program is None:
            return
        program.hang_up()
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._ended(program), _FAREWELL)
        program.kill()
        program.process.wait()
        if self._output is not None:
            self._output.cancel()
            with suppress(asyncio.CancelledError):
                await self._output
        os.close(program.terminal)

    @staticmethod
    async def _ended(program: TerminalProgram) -> None:
        while program.process.poll() is None:
            await asyncio.sleep(_POLL)


class BoardServer(Server):
    """Serves the board that ``words``, a program and its arguments, shows in a terminal.

    ``ended_by`` is the number of the signal that ended it.
    """

    def __init__(self, words: Sequence[str], listening: socket.socket, host: str) -> None:
        port = listening.getsockname()[1]
        super().__init__(shlex.join(words), host, port, title="qsage-play")
        self.ended_by: int | None = None
        self._words = words
        self._listening = listening
        self._tabs: dict[_Tab, web.WebSocketResponse] = {}

    @property
    def address(self) -> str:
        """The address that a browser opens."""
        host = "127.0.0.1" if self.host in ("0.0.0.0", "::") else self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    def run(self) -> None:
        """Serve until a signal ends it."""
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        for number in (signal.SIGINT, *TERMINATING):
            loop.add_signal_handler(number, self._end, number)
        web.run_app(
            self._make_app(),
            sock=self._listening,
            handle_signals=False,
            shutdown_timeout=_FAREWELL,
            access_log=None,
            print=None,
            loop=loop,
        )

    def _end(self, number: int) -> None:
        self.ended_by = number
        raise GracefulExit

    async def _make_app(self) -> web.Application:
        app = await super()._make_app()
        app.on_response_prepare.append(_with_headers)
        return app

    async def on_startup(self, app: web.Application) -> None:
        """Nothing: who starts the server says where it is."""

    async def on_shutdown(self, app: web.Application) -> None:
        for tab, socket_ in list(self._tabs.items()):
            await tab.stop()
            await socket_.close()

    async def handle_index(self, request: web.Request) -> web.Response:
        """The page; its addresses are those by which the browser has come."""
        self._check_host(request)
        scheme, host = request.scheme, request.host
        page = aiohttp_jinja2.render_template(
            "app_index.html",
            request,
            {
                "font_size": to_int(request.query.get("fontsize", "16"), 16),
                "app_websocket_url": f"{'wss' if scheme == 'https' else 'ws'}://{host}/ws",
                "config": {"static": {"url": f"{scheme}://{host}/static/"}},
                "application": {"name": self.title},
            },
        )
        assert page.text is not None, "it was rendered"
        page.text = page.text.replace("</body>", f"{_FOCUS}</body>")
        return page

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """A tab: begins a play, and ends it when the tab is closed."""
        self._check_host(request)
        origin = request.headers.get("Origin")
        if origin is not None and origin.partition("://")[2] != request.host:
            raise web.HTTPForbidden(text=f"found the origin {origin}, expected {request.host}")
        if len(self._tabs) >= MOST_TABS:
            raise web.HTTPServiceUnavailable(text=f"{MOST_TABS} plays are open")
        socket_ = web.WebSocketResponse(heartbeat=15)
        await socket_.prepare(request)
        tab = _Tab(
            self._words,
            write_bytes=socket_.send_bytes,
            write_str=socket_.send_str,
            close=socket_.close,
            download_manager=self.download_manager,
        )
        self._tabs[tab] = socket_
        try:
            size = request.query
            await tab.start(to_int(size.get("width", ""), 80), to_int(size.get("height", ""), 24))
            await self._process_messages(socket_, tab)
        finally:
            await tab.stop()
            del self._tabs[tab]
        return socket_

    def _check_host(self, request: web.Request) -> None:
        """Refuse names that are not ours, so that no other site's page can reach the board."""
        name = request.host.rsplit(":", 1)[0] if request.host.count(":") == 1 else request.host
        bare = name.partition("]")[0].strip("[") if name.startswith("[") else name
        if is_loopback(self.host) and not is_loopback(bare):
            raise web.HTTPForbidden(text=f"found the host {request.host}, expected this machine")


async def _with_headers(_request: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(_HEADERS)
