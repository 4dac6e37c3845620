"""What a terminal sends, as keys: any bytes, of any terminal, and none of them ends the board."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from typing import Final

from textual import events
from textual._xterm_parser import XTermParser
from textual.keys import Keys
from textual.message import Message

_ESCAPE: Final = 0x1B
_BEGIN: Final = b"\x1b[200~"
_END: Final = b"\x1b[201~"
# A place of the mouse as old terminals report it: three bytes behind this, of any value.
_OLD_MOUSE: Final = b"\x1b[M"
# What a terminal answers when it is asked for its colours, its name or its settings, which we do
# not; and oversized sequences.  Whole in one read, for Alt with a key begins like it.
_ANSWERS: Final = re.compile(
    rb"\x1b[PX\]^_][^\x07\x1b]{0,2000}(?:\x07|\x1b\\)|\x1b\[[0-?]{29,2000}[ -/]*[@-~]"
)
# A whole sequence, but for reports of the mouse and of modes, and the keys of the Linux console.
_WHOLE: Final = re.compile(r"\x1b\[[0-?]*[ -/]*[@-LN-Z\\-ln-xz-~]")
# What stands for an escape character in a pasted text: no move and no name has it.
_SHOWN: Final = "␛".encode()


class KeyReader(XTermParser):
    """The reader of a terminal's bytes.

    An escape character in a paste begins nothing: Textual takes it for keys, of which ``q``
    leaves.  Bytes that are not UTF-8 are read as ``�``, old reports of the mouse as nothing, and
    keys without a meaning, such as those of an oversized code, as nothing either.
    """

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._pasting = False
        self._before = b""
        self._held = b""
        self._coordinates = 0

    @property
    def mouse_pixels(self) -> bool:
        """False: places of the mouse are columns and rows, whatever a terminal says."""
        return False

    @mouse_pixels.setter
    def mouse_pixels(self, _: bool) -> None:
        """Nothing."""

    def read(self, data: bytes) -> Iterable[Message]:
        """The messages of more bytes."""
        if not self._pasting and _BEGIN not in data:
            data = _ANSWERS.sub(b"", data)
        text = self._decode(self._plain(self._held + data))
        # Without characters the reader would take the input as ended.
        return self.feed(text) if text else ()

    def _plain(self, data: bytes) -> bytes:
        self._held, told = b"", bytearray()
        for place, byte in enumerate(data):
            if self._coordinates:
                self._coordinates -= 1
                told += b"!"
                continue
            if self._pasting and byte == _ESCAPE:
                rest = data[place : place + len(_END)]
                if _END.startswith(rest) and rest != _END:
                    self._held = rest  # The end may come with the next bytes.
                    break
                self._pasting = rest != _END
                told += _SHOWN if self._pasting else bytes([byte])
                self._before = b""
                continue
            told.append(byte)
            self._before = (self._before + bytes([byte]))[-len(_BEGIN) :]
            if self._before == _BEGIN:
                self._pasting = True
            elif not self._pasting and self._before.endswith(_OLD_MOUSE):
                self._coordinates = 3
        return bytes(told)

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[events.Key]:
        try:
            keys = list(super()._sequence_to_key_events(sequence, alt))
        except (ValueError, OverflowError):  # no character has that number
            keys = [events.Key(Keys.Ignore, sequence)]
        if not keys and _WHOLE.fullmatch(sequence):
            # Textual would wait for more of it, and take that for keys.
            keys = [events.Key(Keys.Ignore, sequence)]
        for key in keys:
            # Half of a character can be shown nowhere, and saved nowhere.
            is_half = any("\ud800" <= c <= "\udfff" for c in key.character or "")
            yield events.Key(Keys.Ignore, sequence) if is_half else key
