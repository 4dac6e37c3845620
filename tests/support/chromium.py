"""A headless Chromium of the system, driven through its debugging pipe (standard library alone)."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

_NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PROGRAM: Final = next(filter(None, map(shutil.which, _NAMES)), None)

_PATIENCE: Final = 30.0
_KEYS: Final = {
    "Enter": (13, "\r"),
    "Tab": (9, ""),
    "Escape": (27, ""),
    "ArrowUp": (38, ""),
    "ArrowDown": (40, ""),
    "ArrowLeft": (37, ""),
    "ArrowRight": (39, ""),
    "Home": (36, ""),
    "End": (35, ""),
    " ": (32, " "),
}


class BrowserError(AssertionError):
    """The browser refused a command, or a script failed, or a page was not there in time."""


class Page:
    """One tab. Commands are those of the Chrome DevTools Protocol."""

    def __init__(self, browser: Chromium, session: str) -> None:
        self._browser, self._session = browser, session
        for domain in ("Page", "Runtime", "Accessibility"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """The result of a command."""
        return self._browser.send(method, self._session, **params)

    def size(self, width: int, height: int, *, mobile: bool = False) -> None:
        """Set the size of the window, in CSS pixels."""
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=mobile,
        )  # fmt: skip

    def media(self, **features: str) -> None:
        """Set media features, as ``prefers_color_scheme="dark"``."""
        named = [{"name": n.replace("_", "-"), "value": value} for n, value in features.items()]
        self.send("Emulation.setEmulatedMedia", features=named)

    def open(self, url: str) -> None:
        """Load a page, and wait until it is loaded."""
        found = self.send("Page.navigate", url=url)
        if "errorText" in found:
            raise BrowserError(f"{url}: {found['errorText']}")
        self.wait("document.readyState === 'complete'")

    def run(self, script: str) -> Any:
        """The value of a JavaScript expression; a promise is awaited."""
        found = self.send(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in found:
            details = found["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description", str(details)))
        return found["result"].get("value")

    def wait(self, script: str, seconds: float = _PATIENCE) -> Any:
        """The value of an expression as soon as it is true."""
        until = time.monotonic() + seconds
        while not (value := self.run(script)):
            if time.monotonic() > until:
                raise BrowserError(f"not true within {seconds:g} s: {script}")
            time.sleep(0.02)
        return value

    def press(self, key: str) -> None:
        """Press a key: a character, or its name (``Enter``, ``ArrowUp``)."""
        code, text = _KEYS.get(key, (ord(key.upper()) if len(key) == 1 else 0, key))
        named = {"key": key, "windowsVirtualKeyCode": code, "code": key if len(key) > 1 else ""}
        self.send("Input.dispatchKeyEvent", type="keyDown", text=text, **named)
        self.send("Input.dispatchKeyEvent", type="keyUp", **named)

    def click(self, x: float, y: float) -> None:
        """Click at a point of the window."""
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def picture(self, path: Path) -> None:
        """Write what is seen as a PNG."""
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot")["data"]))

    def accessible(self) -> list[dict[str, Any]]:
        """The nodes of the accessibility tree that a screen reader is told of."""
        nodes: list[dict[str, Any]] = self.send("Accessibility.getFullAXTree")["nodes"]
        return [node for node in nodes if not node.get("ignored")]


class Chromium:
    """A running browser."""

    def __init__(self, write: int, read: int) -> None:
        self._write, self._read = write, read
        self._number = 0
        self._waiting = b""
        self.events: list[dict[str, Any]] = []

    def send(self, method: str, session: str | None = None, **params: Any) -> dict[str, Any]:
        """The result of a command; messages in between are kept as ``events``."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._write, data) :]
        until = time.monotonic() + _PATIENCE
        while True:
            answer = self._receive(method, until)
            if answer.get("id") != self._number:
                self.events.append(answer)
            elif "error" in answer:
                raise BrowserError(f"{method}: {answer['error']['message']}")
            else:
                found: dict[str, Any] = answer["result"]
                return found

    def _receive(self, method: str, until: float) -> dict[str, Any]:
        while b"\0" not in self._waiting:
            ready, _, _ = select.select([self._read], [], [], max(0.0, until - time.monotonic()))
            data = os.read(self._read, 1 << 16) if ready else b""
            if not data:
                raise BrowserError(f"{method}: the browser has not answered")
            self._waiting += data
        message, _, self._waiting = self._waiting.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        return found

    def page(self) -> Page:
        """A new tab."""
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        return Page(self, attached["sessionId"])


@contextmanager
def chromium(*flags: str) -> Iterator[Chromium]:
    """A browser with a profile of its own, closed at the end."""
    assert PROGRAM is not None, "nobody asks for a browser that there is not"
    here_read, there_write = os.pipe()
    there_read, here_write = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:

        def ends() -> None:
            """The browser reads its commands from 3 and writes to 4."""
            copies = os.dup(there_read), os.dup(there_write)
            os.dup2(copies[0], 3)
            os.dup2(copies[1], 4)

        process = subprocess.Popen(
            [
                PROGRAM, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
                "--disable-dev-shm-usage", "--remote-debugging-pipe", "--hide-scrollbars",
                f"--user-data-dir={profile}", *flags, "about:blank",
            ],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=ends,  # noqa: PLW1509 (no threads yet)
            close_fds=False, start_new_session=True,
        )  # fmt: skip
        os.close(there_read)
        os.close(there_write)
        try:
            browser = Chromium(here_write, here_read)
            yield browser
            with suppress(BrowserError, OSError):
                browser.send("Browser.close")
        finally:
            os.close(here_write)
            os.close(here_read)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
