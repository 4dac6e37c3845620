"""Pasted text as text: Textual takes an escape character in it for keys, of which ``q`` leaves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from textual import constants
from textual._xterm_parser import XTermParser
from textual.message import Message

_ESCAPE: Final = "\x1b"
_BEGIN: Final = "\x1b[200~"
_END: Final = "\x1b[201~"
# What stands for an escape character in a pasted text: no move and no name has it.
_SHOWN: Final = "␛"


class PlainPastes(XTermParser):
    """The reader of a terminal's bytes, for which an escape character in a paste begins nothing."""

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._pasting = False
        self._before = ""
        self._held = ""

    def feed(self, data: str) -> Iterable[Message]:
        """The messages of more characters; none ends the input."""
        if not data:
            return super().feed(data)
        plain = self._plain(self._held + data)
        # Without characters the reader would take the input as ended.
        return super().feed(plain) if plain else ()

    def _plain(self, data: str) -> str:
        self._held, told = "", list[str]()
        for place, character in enumerate(data):
            if self._pasting and character == _ESCAPE:
                rest = data[place : place + len(_END)]
                if _END.startswith(rest) and rest != _END:
                    self._held = rest  # The end may come with the next characters.
                    break
                self._pasting = rest != _END
                told.append(_SHOWN if self._pasting else character)
                self._before = ""
                continue
            told.append(character)
            self._before = (self._before + character)[-len(_BEGIN) :]
            if self._before == _BEGIN:
                self._pasting = True
        return "".join(told)


def read_pastes_as_text() -> None:
    """Let the drivers of this process, of terminals and of tabs, read by :class:`PlainPastes`.

    Systems without ``termios`` have another driver, which is left as it is.
    """
    try:
        from textual.drivers import linux_driver
    except ImportError:
        return
    # The drivers make their readers by this name, and have no other way in.
    setattr(linux_driver, "XTermParser", PlainPastes)  # noqa: B010 (a name that mypy knows as a class)
    if "web_driver" in (constants.DRIVER or ""):
        from textual.drivers import web_driver

        setattr(web_driver, "XTermParser", PlainPastes)  # noqa: B010
