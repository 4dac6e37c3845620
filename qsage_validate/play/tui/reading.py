"""What a terminal sends, as keys: any bytes, of any terminal, and none of them ends the board."""

from __future__ import annotations

import codecs
import re
from collections.abc import Generator, Iterable, Iterator
from typing import Final

from textual import events
from textual._parser import ParseTimeout
from textual._xterm_parser import XTermParser
from textual.keys import Keys
from textual.message import Message

INTERRUPT: Final = b"\x03"
"""Ctrl-C, which ends what is under way: outside of a paste it is part of nothing."""
_BEGIN: Final = b"\x1b[200~"
_END: Final = b"\x1b[201~"
# What may go on with the next bytes.  Alt with a key begins like a sequence, and Esc like all.
_BEGUN: Final = re.compile(
    rb"\x1b(?:\[(?:M[^\x03\x1b]{0,2}|\[|(?!\d+\$)[0-?]*[ -/]*)|O"
    rb"|[PX\]^_][^\x03\x07\x1b]{0,2000}\x1b?)?\Z"
)
# An answer of a terminal that is asked for its colours, its name or its settings, which we do not;
# an old report of the mouse, whose place is three bytes of any value; the keys of rxvt and of the
# Linux console, which no standard has; the standard's sequences; what broke off; and the rest.
_PIECE: Final = re.compile(
    rb"(?P<answer>\x1b[PX\]^_][^\x03\x07\x1b]{0,2000}(?:\x07|\x1b\\))"
    rb"|(?P<old_mouse>\x1b\[M[^\x03\x1b]{0,3})"
    rb"|(?P<sequence>\x1b(?:\[\[[^\x03\x1b]|\[\d+\$(?!y)|\[[0-?]*[ -/]*[@-~]|O[^\x03\x1b]))"
    rb"|(?P<broken>\x1b(?:\[[0-?]*[ -/]*|[PX\]^_][^\x03\x07\x1b]{1,2000}))"
    rb"|(?P<plain>\x1b(?:[\x00-\x02\x04-\x1a\x1c-\x7f]|[\xc2-\xf4][\x80-\xbf]+)?|[^\x1b]+)"
)
# Textual takes longer sequences for keys.
_LONGEST: Final = 30
# What stands for an escape character in a pasted text: no move and no name has it.
_SHOWN: Final = "␛".encode()
# For how many ticks the rest of a sequence is waited for.
_MOST_TICKS: Final = 10


class KeyReader(XTermParser):
    """The reader of a terminal's bytes, which may come in any pieces.

    Textual takes for keys what it does not know, and what comes late, of which ``q`` leaves and
    ``u`` takes back.  So it is given whole sequences only; one without a meaning, such as that of
    an oversized key code, is read as nothing, and so are old reports of the mouse and answers.
    An escape character in a paste begins nothing, and bytes that are not UTF-8 are ``�``.
    """

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._pasting = False
        self._held = b""
        self._ticks = 0

    @property
    def mouse_pixels(self) -> bool:
        """False: places of the mouse are columns and rows, whatever a terminal says."""
        return False

    @mouse_pixels.setter
    def mouse_pixels(self, _: bool) -> None: ...

    def read(self, data: bytes) -> Iterator[Message]:
        data, self._held = self._held + data, b""
        place = 0
        while place < len(data):
            if self._pasting:
                place = yield from self._paste(data, place)
            elif _BEGUN.match(data, place):
                self._held = data[place:]
                return
            else:
                piece = _PIECE.match(data, place)
                assert piece is not None, "any byte is some piece"
                place, self._ticks = piece.end(), 0
                if piece.lastgroup == "plain":
                    yield from self._keys(piece[0])
                elif piece.lastgroup == "sequence" and len(piece[0]) < _LONGEST:
                    yield from self._feed(piece[0])
                    self._forget()
                    self._pasting = piece[0] == _BEGIN

    def tick(self) -> Iterator[Message]:
        """The messages of what is not gone on with, a tenth of a second after the last byte.

        Esc, and Alt with a key, are whole by then; other sequences may still be under way.
        """
        self._ticks += 1
        if self._held and not self._pasting:
            is_key = len(self._held) <= 2
            if is_key or self._ticks >= _MOST_TICKS:
                held, self._held, self._ticks = self._held, b"", 0
                if is_key:
                    yield from self._keys(held)

    def _paste(self, data: bytes, place: int) -> Generator[Message, None, int]:
        """Read on in a paste; where it goes on."""
        escape = data.find(b"\x1b", place)
        if escape != place:
            end = len(data) if escape < 0 else escape
            yield from self._feed(data[place:end])
            return end
        rest = data[place : place + len(_END)]
        if rest == _END:
            self._pasting = False
            yield from self._feed(rest)
            return place + len(rest)
        if _END.startswith(rest):
            self._held = rest  # The end may come with the next bytes.
            return len(data)
        yield from self._feed(_SHOWN)
        return place + 1

    def _feed(self, data: bytes) -> Iterator[Message]:
        text = self._decode(data)
        if text:  # Without characters the reader would take the input as ended.
            yield from self.feed(text)

    def _keys(self, data: bytes) -> Iterator[Message]:
        yield from self._feed(data)
        if self._timeout_time is not None:
            self._timeout_time = 0.0  # Esc, or Alt with a key: nothing more belongs to it.
            yield from super().tick()

    def _forget(self) -> None:
        """Take a sequence as ended, of which Textual waits for more."""
        if self._awaiting.timeout is not None:
            self._timeout_time = None
            self._awaiting = self._gen.throw(ParseTimeout())
            self._tokens.clear()

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[events.Key]:
        try:
            keys = list(super()._sequence_to_key_events(sequence, alt))
        except (ValueError, OverflowError):  # no character has that number
            keys = [events.Key(Keys.Ignore, sequence)]
        for key in keys:
            # Half of a character can be shown nowhere, and saved nowhere.
            is_half = any("\ud800" <= c <= "\udfff" for c in key.character or "")
            yield events.Key(Keys.Ignore, sequence) if is_half else key
