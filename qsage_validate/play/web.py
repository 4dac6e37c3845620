"""A server of boards: each tab of a browser is a terminal in which a program of its own plays.

The page and its protocol are those of textual-serve. Behind it stands a pseudo-terminal with
``qsage-play`` as a person would start it there, so that the start screen, boards, prompts and
messages come one after the other as they do in a window.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import os
import secrets
import shlex
import signal
import socket
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from ipaddress import ip_address
from typing import Any, Final

import aiohttp_jinja2
import jinja2
from aiohttp import WSMsgType, web
from aiohttp.web_runner import GracefulExit
from textual_serve.app_service import AppService
from textual_serve.server import Server, to_int

from qsage_validate.system.programs import TerminalProgram
from qsage_validate.system.signals import TERMINATING

MOST_TABS: Final = 16
"""No more plays than this at a time: each is a process."""

_FAREWELL: Final = 10.0  # seconds that a program has for ending by itself: it may save a play
_POLL: Final = 0.02
# Keys that a program has not read; whoever sends more has no fingers.
_MOST_KEYS: Final = 1 << 16
# The page and its files come once; only the board's own messages come in at length.
_MOST_MESSAGE: Final = 1 << 20
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
_NO_TOKEN: Final = "found no token, expected the address that the server has printed"
_HEADERS: Final = {
    "Cache-Control": "no-store",
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


Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class _Tab(AppService):
    """The program behind one tab, in a terminal of its own."""

    def __init__(self, words: Sequence[str], variables: Mapping[str, str], **options: Any) -> None:
        super().__init__(shlex.join(words), **options)
        self._words = words
        self._variables = variables
        self._keys = bytearray()
        self._typing: asyncio.Task[None] | None = None
        self._program: TerminalProgram | None = None
        self._output: asyncio.Task[None] | None = None

    async def start(self, width: int, height: int) -> None:
        environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")}
        environment |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", **self._variables}
        program = TerminalProgram.begin(self._words, environment, width, height)
        os.set_blocking(program.terminal, False)
        self._program = program
        self._output = asyncio.create_task(self._show(program))

    async def _show(self, program: TerminalProgram) -> None:
        """Send what the program shows, until it ends; an error stays to be read.

        What it shows after the tab was closed is read as well: a program whose terminal nobody
        reads waits for ever with its last words, and does not save its play.
        """
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
        """Type ``data``, without a wait: a tab whose keys are not read can be closed.

        Keys that do not fit are lost, which is false.
        """
        fits = len(self._keys) + len(data) <= _MOST_KEYS
        if fits:
            self._keys += data
        if self._typing is None or self._typing.done():
            self._typing = asyncio.create_task(self._type())
        return fits

    async def _type(self) -> None:
        """Hand the keys to the program, as it reads them."""
        program = self._program
        while self._keys and program is not None and program.process.poll() is None:
            try:
                del self._keys[: os.write(program.terminal, self._keys)]
            except BlockingIOError:
                await asyncio.sleep(_POLL)
            except OSError:
                return

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
        self._keys.clear()
        if self._typing is not None:
            self._typing.cancel()
            with suppress(asyncio.CancelledError):
                await self._typing
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

    Only who knows the token of its address can use it.  The program is started with ``variables``
    in its environment.  ``ended_by`` is the number of the signal that ended it.
    """

    def __init__(
        self,
        words: Sequence[str],
        listening: socket.socket,
        host: str,
        variables: Mapping[str, str],
    ) -> None:
        port = listening.getsockname()[1]
        super().__init__(shlex.join(words), host, port, title="qsage-play")
        self.ended_by: int | None = None
        self._words = words
        self._variables = variables
        self._listening = listening
        self._tabs: dict[_Tab, web.WebSocketResponse] = {}
        # The token is in the address, and what a browser keeps is not: it goes to no history.
        self._token, self._secret = secrets.token_hex(24), secrets.token_hex(24)
        self._cookie = f"qsage-{port}"
        self._names = _names_of(listening, host)

    @property
    def address(self) -> str:
        """The address that a browser opens, with the token."""
        host = "127.0.0.1" if self.host in ("0.0.0.0", "::") else self.host
        bracketed = f"[{host}]" if ":" in host else host
        return f"http://{bracketed}:{self.port}/?token={self._token}"

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
        app = web.Application(middlewares=[self._guard])
        loader = jinja2.FileSystemLoader(self.templates_path)
        aiohttp_jinja2.setup(app, loader=loader)
        app.add_routes(
            [
                web.get("/", self.handle_index),
                web.get("/ws", self.handle_websocket),
                web.static("/static", self.statics_path),
            ]
        )
        app.on_shutdown.append(self.on_shutdown)
        app.on_response_prepare.append(_with_headers)
        return app

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse whoever does not come by our address, or does not know the token."""
        if _bare(request.host) not in self._names and not self._by_number(request.host):
            raise web.HTTPForbidden(text="found another host's name, expected this machine's")
        token = request.query.get("token")
        if request.path == "/" and token is not None:
            if not _equal(token, self._token):
                raise web.HTTPForbidden(text=_NO_TOKEN)
            # The token leaves the address line, and the browser's history.
            entrance = web.HTTPFound("/")
            entrance.set_cookie(self._cookie, self._secret, httponly=True, samesite="Lax", path="/")
            raise entrance
        if not _equal(request.cookies.get(self._cookie, ""), self._secret):
            raise web.HTTPForbidden(text=_NO_TOKEN)
        return await handler(request)

    def _by_number(self, host: str) -> bool:
        """True for an address of numbers, where we listen on all: no other site's name is one."""
        if self.host not in ("0.0.0.0", "::"):
            return False
        with suppress(ValueError):
            ip_address(_bare(host))
            return True
        return False

    async def on_startup(self, app: web.Application) -> None:
        """Nothing: who starts the server says where it is."""

    async def on_shutdown(self, app: web.Application) -> None:
        for tab, socket_ in list(self._tabs.items()):
            await tab.stop()
            await socket_.close()

    async def handle_index(self, request: web.Request) -> web.Response:
        """The page; its addresses are those by which the browser has come."""
        scheme, host = request.scheme, request.host
        page = aiohttp_jinja2.render_string(
            "app_index.html",
            request,
            {
                "font_size": to_int(request.query.get("fontsize", "16"), 16),
                "app_websocket_url": f"{'wss' if scheme == 'https' else 'ws'}://{host}/ws",
                "config": {"static": {"url": f"{scheme}://{host}/static/"}},
                "application": {"name": self.title},
            },
        )
        text = page.replace("</body>", f"{_FOCUS}</body>")
        return web.Response(text=text, content_type="text/html", charset="utf-8")

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """A tab: begins a play, and ends it when the tab is closed."""
        # Every browser says from which page it comes.
        if request.headers.get("Origin") != f"{request.scheme}://{request.host}":
            raise web.HTTPForbidden(text=f"found another origin, expected {request.host}")
        if len(self._tabs) >= MOST_TABS:
            raise web.HTTPServiceUnavailable(text=f"{MOST_TABS} plays are open")
        socket_ = web.WebSocketResponse(heartbeat=15, max_msg_size=_MOST_MESSAGE)
        await socket_.prepare(request)
        tab = _Tab(
            self._words,
            self._variables,
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

    async def _process_messages(
        self, websocket: web.WebSocketResponse, app_service: AppService
    ) -> None:
        """Hand on what a tab sends until it is closed; it may send anything."""
        async for message in websocket:
            if message.type is not WSMsgType.TEXT:
                continue
            match _parsed(message.data):
                case ["stdin", str(keys)]:
                    await app_service.send_bytes(keys.encode("utf-8", "replace"))
                case ["resize", {"width": int(width), "height": int(height)}]:
                    await app_service.set_terminal_size(width, height)
                case ["ping", data]:
                    await websocket.send_json(["pong", data])


def _parsed(text: str) -> object:
    """The JSON value of a message; ``None`` where it has none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _equal(given: str, own: str) -> bool:
    """Whether both are equal, in a time that does not say how far they are."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), own.encode())


def _bare(host: str) -> str:
    """The name or address in a ``Host``, without port and brackets."""
    name = host.rsplit(":", 1)[0] if host.count(":") == 1 or "]:" in host else host
    return name.strip("[]").casefold()


def _names_of(listening: socket.socket, host: str) -> frozenset[str]:
    """The names under which a server may be asked for: those of where it listens."""
    address = str(listening.getsockname()[0])
    names = {host.strip("[]"), address}
    if is_loopback(host):
        names |= {"localhost", "127.0.0.1", "::1"}
    elif host in ("0.0.0.0", "::"):
        names |= {"localhost", socket.gethostname(), socket.getfqdn()}
    return frozenset(map(str.casefold, names))


async def _with_headers(_request: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(_HEADERS)
