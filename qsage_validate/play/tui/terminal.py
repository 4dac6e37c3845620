"""The terminal's driver, and its bytes as keys.

Textual's driver answers signals in the middle of whatever goes on, begins a second time when a
stopped program continues, and waits for a terminal that nobody reads.
"""

from __future__ import annotations

import asyncio
import codecs
import os
import re
import select
import selectors
import signal
import sys
import termios
import threading
import tty
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from typing import Any, Final

from textual import events
from textual._parser import ParseTimeout
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver
from textual.geometry import Size
from textual.keys import Keys
from textual.message import Message
from textual.messages import InBandWindowResize

from qsage_validate.errors import Exit
from qsage_validate.system.limits import now

# What a terminal sends, as keys: any bytes, of any terminal, and none of them ends the board


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


# The terminal of the board: what ends, stops or continues the board leaves it as it was


_TICK: Final = 0.1
# Keys and reports of the mouse that wait for the board; the rest waits in the terminal.
_MOST_WAITING: Final = 100
# How long the last words may take, in seconds, on a terminal that nobody reads.
_LAST_WORDS: Final = 4.0
_MOST_QUEUED: Final = 30
_READ: Final = 4096
_MOST_READS: Final = 100


class Writer:
    """The thread that writes; whoever writes much faster than it waits.

    What is written to a terminal that is gone is lost, and so are the last words to one that
    nobody reads: see :meth:`hurry`.
    """

    def __init__(self, fileno: int) -> None:
        self._fileno = fileno
        self._texts: deque[str | None] = deque()
        self._changed = threading.Condition()
        self._hurries = False
        # When the write began that goes on.
        self._began: float | None = None
        self._thread = threading.Thread(target=self._run, name="textual-output", daemon=True)
        self._thread.start()

    def hurry(self) -> None:
        """Wait no longer than ``_LAST_WORDS`` for a terminal that nobody reads."""
        self._hurries = True

    @property
    def _late(self) -> bool:
        began = self._began
        return self._hurries and began is not None and now() > began + _LAST_WORDS

    def write(self, text: str) -> None:
        """Write ``text``, when it is its turn."""
        with self._changed:
            # A signal's handler may call ``hurry`` meanwhile, so the wait looks up.
            while len(self._texts) >= _MOST_QUEUED and not self._late:
                self._changed.wait(_TICK)
            if not self._late:
                self._texts.append(text)
                self._changed.notify_all()

    def stop(self) -> None:
        """Wait until all is written, or could not be in time."""
        self.hurry()
        with self._changed:
            self._texts.append(None)
            self._changed.notify_all()
        while self._thread.is_alive() and not self._late:
            self._thread.join(_TICK)

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._texts:
                    self._changed.wait()
                taken, self._texts = self._texts, deque()
                self._changed.notify_all()
            text = "".join(each for each in taken if each is not None)
            self._send(text.encode("utf-8", "replace"))
            if None in taken:
                return

    def _send(self, data: bytes) -> None:
        while data and not self._late:
            self._began = now()
            try:
                data = data[os.write(self._fileno, data) :]
            except OSError:
                break  # SIGHUP tells the app that its terminal is gone.
        self._began = None


def drop_keys(fileno: int) -> bool:
    """Drop what was typed on a terminal and not read; whether Ctrl-C was among it."""
    found = False
    # The terminal may be gone.
    with suppress(termios.error, OSError):
        # Where keys are signals, or lines, a read might wait.
        if termios.tcgetattr(fileno)[tty.LFLAG] & (termios.ISIG | termios.ICANON):
            return False
        # Somebody may send without end.
        for _ in range(_MOST_READS):
            if not select.select([fileno], [], [], 0)[0]:
                break
            data = os.read(fileno, _READ)
            found |= INTERRUPT in data
            if not data:
                break
        termios.tcflush(fileno, termios.TCIFLUSH)
    return found


class TerminalDriver(LinuxDriver):
    """Textual's driver, but for signals, threads, and bytes that mean nothing.

    ``hung_up`` is called, in the app's loop, when the terminal is gone.
    """

    hung_up: Callable[[], None] | None = None

    def __init__(self, app: Any, **options: Any) -> None:
        super().__init__(app, **options)
        self._host: Any = app  # a LeavableApp
        self._writer: Writer | None = None
        self._original: list[Any] | None = None
        self._restored = True
        self._stopping: asyncio.TimerHandle | None = None
        # Whether a SIGCONT has come that is not answered yet.
        self._continued = False
        # Between two steps of the app, not in the middle of one.
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTSTP, self._stop)
        loop.add_signal_handler(signal.SIGCONT, self._go_on)
        # The loop hears of it all the same, but later.
        signal.signal(signal.SIGCONT, self._note_continued)

    # Beginning and ending

    def start_application_mode(self) -> None:
        """Take the terminal: its screen, its keys and its mouse."""
        if not self._restored:
            return
        self._restored = False
        self._original = self._attributes()
        self._writer = Writer(sys.__stderr__.fileno() if sys.__stderr__ else self.fileno)
        signal.signal(signal.SIGWINCH, self._resized)
        self._resized()
        self._take()
        self.exit_event.clear()
        self._key_thread = threading.Thread(
            target=self._run_input_thread, name="textual-input", daemon=True
        )
        self._key_thread.start()
        self._request_terminal_sync_mode_support()
        if self._must_signal_resume:
            self._must_signal_resume = False
            self.send_message(self.SignalResume())

    def _take(self) -> None:
        """Make the modes of the terminal those of an app."""
        self.write("\x1b[?1049h")
        self._enable_mouse_support()
        wanted = self._attributes()
        if wanted is not None:
            wanted[tty.LFLAG] = self._patch_lflag(wanted[tty.LFLAG])
            wanted[tty.IFLAG] = self._patch_iflag(wanted[tty.IFLAG])
            wanted[tty.CC][termios.VMIN] = 1
            self._set(wanted)
        self.write("\x1b[?25l\x1b[?1004h\x1b[>25u")
        self._enable_bracketed_paste()
        self._disable_line_wrap()

    def stop_application_mode(self) -> None:
        """Give the terminal back, as it was; a second time does nothing."""
        if self._restored:
            return
        self._restored = True
        if self._writer is not None and self._host.is_ending:
            self._writer.hurry()
        signal.signal(signal.SIGWINCH, signal.SIG_DFL)
        self.exit_event.set()
        if self._key_thread is not None:
            self._key_thread.join()
        self._disable_bracketed_paste()
        self._enable_line_wrap()
        self._disable_mouse_support()
        # The keyboard's protocol is told before the screen is left.
        self.write("\x1b[<u\x1b[?1049l\x1b[?25h\x1b[?1004l")
        if self._writer is not None:
            self._writer.stop()
            self._writer = None
        if self._original is not None:
            if drop_keys(self.fileno):
                self._host.exit(Exit.INTERRUPTED)
            self._set(self._original)

    def disable_input(self) -> None:
        """Nothing: :meth:`stop_application_mode` does it."""

    def close(self) -> None:
        """Give the terminal back, if it was not, and the signals."""
        self.stop_application_mode()
        if self._stopping is not None:
            self._stopping.cancel()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTSTP, signal.SIGCONT):
            loop.remove_signal_handler(number)

    def suspend_application_mode(self) -> None:
        self.stop_application_mode()

    def write(self, data: str) -> None:
        if self._writer is not None:
            self._writer.write(data)

    def hurry(self) -> None:
        """Wait for the terminal no longer; the app is to end."""
        if self._writer is not None:
            self._writer.hurry()

    def _attributes(self) -> list[Any] | None:
        try:
            return termios.tcgetattr(self.fileno)
        except termios.error:
            return None  # it is gone

    def _set(self, attributes: list[Any]) -> None:
        try:
            termios.tcsetattr(self.fileno, termios.TCSANOW, attributes)
        except termios.error:
            return  # it is gone

    # Signals

    def _stop(self) -> None:
        """Stop soon, as Ctrl-Z does, unless a SIGCONT comes meanwhile: later nobody wakes us."""
        if self._stopping is None:
            self._stopping = asyncio.get_running_loop().call_later(_TICK / 5, self._give_back)

    def _give_back(self) -> None:
        """Give the terminal to the shell, and stop when what came meanwhile is answered."""
        self._stopping = None
        if self._host.is_ending:
            return
        self.suspend_application_mode()
        self._must_signal_resume = True
        self._stopping = asyncio.get_running_loop().call_later(_TICK / 5, self._stop_now)

    def _stop_now(self) -> None:
        """Stop; the shell's ``fg`` goes on."""
        self._stopping = None
        if not (self._continued or self._host.is_ending):
            os.kill(os.getpid(), signal.SIGSTOP)

    def _note_continued(self, *_: object) -> None:
        self._continued = True

    def _go_on(self) -> None:
        """Take the terminal again: from the shell, or from who has had it since a SIGSTOP."""
        self._continued = False
        if self._stopping is not None:
            self._stopping.cancel()
            self._stopping = None
        if self._host.is_ending:
            return
        if self._restored:
            self.resume_application_mode()
            return
        self._take()
        self._resized()
        self.send_message(self.SignalResume())

    def _sigtstp_application(self, *_: object) -> None:
        """Nothing: :meth:`_stop` answers the signal."""

    def _sigcont_application(self, *_: object) -> None:
        """Nothing: :meth:`_go_on` answers the signal."""

    def _resized(self, *_: object) -> None:
        size = Size(*self._get_terminal_size())
        self.send_message(events.Resize(size, size))

    # Keys

    def run_input_thread(self) -> None:
        """Read until the app ends, or the terminal does."""
        reader = KeyReader(self._debug)
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if self._host.input_waiting > _MOST_WAITING:
                    # What is typed faster than it is answered stays in the terminal.
                    self.exit_event.wait(_TICK / 10)
                    continue
                messages = reader.tick()
                if selector.select(_TICK):
                    data = self._read()
                    if not data:
                        self._hang_up()
                        return
                    messages = reader.read(data)
                for message in messages:
                    self.process_message(message)

    def _read(self) -> bytes:
        """The bytes that were typed; empty when the terminal is gone."""
        try:
            return os.read(self.fileno, _READ)
        except OSError:
            return b""

    def _hang_up(self) -> None:
        if self.hung_up is not None:
            try:
                self._loop.call_soon_threadsafe(self.hung_up)
            except RuntimeError:
                return  # the loop has ended, and so has the app

    def process_message(self, message: Message) -> None:
        if isinstance(message, events.Key) and message.key == "ctrl+c":
            # An app that is being left, perhaps for another one, may not hear of it.
            self._host.interrupted = True
        # Sizes come from the system; a terminal that tells them could tell anything.
        if not isinstance(message, InBandWindowResize | events.Resize):
            super().process_message(message)
