"""Keys, bytes, clicks, sizes and signals on the board: what ends it is to, and it ends well.

    python -m benchmarks.board [--events N] [--seed S] [--each N] [--verbose]

The board runs in a pseudo-terminal.  A session has ``--each`` events and one end: a signal at any
time, the terminal that hangs up, or a key.  A fault is an internal error, a board that goes on
after its end, a terminal that is not as it was before, and a play that is lost.  Half of the
sessions send nothing that plays or saves, and there the play of one move has to be in a file; in
half of these its folder is one that is not there.  Exit code 1 when there was a fault.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import signal
import sys
import tempfile
import termios
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.support.terminal import LEAVES_SCREEN, SHOWS_CURSOR, Terminal

ENTERS_SCREEN: Final = b"\x1b[?1049h"
ENDS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

# The keys of the board; those that leave it come as ends.
KEYS: Final = (
    *"uyrhw?mxXicpdbsefgTPoDtz0Z1234+-<>/:. ",
    "\r", "\t", "\x1b", "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[H", "\x1b[F", "\x1b[5~",
    "\x1b[6~", "\x1bOP", "\x1b[15~", "\x7f", "\x10", "\x0c", "\x1b[Z", "\x1b[1;5C", "\x1b[97;5u",
)  # fmt: skip
# Nothing of this plays, takes back or saves.
NOISE: Final = (
    "\x1b[A",
    "\x1b[B",
    "\x1b[C",
    "\x1b[D",
    "1",
    "2",
    "3",
    "4",
    "+",
    "-",
    "z",
    "t",
    "\x10",
    "?",
    "\x1b",
)
ODD: Final = (
    b"\xe9", b"\xff\xfe", b"\xc3", b"\x80", b"\xed\xa0\x80", b"\x00", b"\x1b[999999999999B", b"\x1b[1114112u",
    b"\x1b[55296u", b"\x1b[97;1;55296u", b"\x1b[48;0;0;0;0t", b"\x1b[48;9999;9999;0;0t", b"\x1b[?2048;2$y",
    b"\x1b[?2026;2$y", b"\x1b[I", b"\x1b[O", b"\x1b[24;80R", b"\x1b[200~a\x1bqb\n:c\x1b[201~", b"\x1b[<0;-4;-9M",
    b"\x1b[<64;5;5M", b"\x1b[<65;5;5M", b"\x1b[<0;99999999;1M", b"\x1b]11;rgb:0/0/0\x07", b"\x1bP1$r0m\x1b\\",
)  # fmt: skip
# What stands on the terminal behind an exception that nobody wanted.
BUGS: Final = (b"internal error", b"Exception ignored", b"Exception in thread", b"never retrieved")
# What a terminal does not show.
_SEQUENCE: Final = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*\x07?|.)|[\x00-\x08\x0b-\x1f]"
)
# A fault is told with so many lines of the end of its screen.
_MOST_LINES: Final = 60
# A machine with other work takes its time; what goes on after that has not heard its end.
SECONDS: Final = 180.0


@dataclass
class Seen:
    """What the sessions had: events and ends by kind, and the faults."""

    events: Counter[str] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


class Session:
    """A board with random events; ``strict`` ones send nothing that plays."""

    def __init__(
        self, terminal: Terminal, dice: random.Random, seen: Seen, *, strict: bool
    ) -> None:
        self._terminal, self._dice, self._seen, self._strict = terminal, dice, seen, strict
        self.columns, self.lines = 80, 24

    def event(self) -> bytes:
        """The bytes of one event; a signal or a size has none."""
        dice = self._dice
        kinds: dict[str, tuple[int, Callable[[], bytes]]] = {
            "key": (12, lambda: dice.choice(NOISE if self._strict else KEYS).encode()),
            "odd": (4, lambda: dice.choice(ODD)),
            "bytes": (0 if self._strict else 2, self._bytes),
            "mouse": (5, self._mouse),
            "old mouse": (1, lambda: b"\x1b[M" + bytes(dice.randrange(32, 256) for _ in range(3))),
            "size": (1, self._size),
            "stop": (1, self._stop),
        }
        names = list(kinds)
        (name,) = dice.choices(names, [kinds[n][0] for n in names])
        self._seen.events[name] += 1
        return kinds[name][1]()

    def _bytes(self) -> bytes:
        found = bytes(self._dice.randrange(256) for _ in range(self._dice.randrange(1, 12)))
        # Ctrl-C, Ctrl-Q, Ctrl-Z and q are ends, and n leads to searches of minutes.
        return found.translate(None, b"\x03\x11\x1aqn")

    def _mouse(self) -> bytes:
        dice = self._dice
        place = f"{dice.randrange(1, self.columns + 9)};{dice.randrange(1, self.lines + 9)}"
        if self._strict:
            return f"\x1b[<35;{place}M".encode()
        button = dice.choice((0, 0, 0, 2, 32, 35, 64, 65))
        # Two clicks in one read had closed the palette twice.
        return f"\x1b[<{button};{place}M\x1b[<{button};{place}m".encode() * dice.randrange(1, 3)

    def _size(self) -> bytes:
        self.columns = self._dice.choice((1, 20, 40, 60, 80, 120, 200))
        self.lines = self._dice.choice((1, 10, 16, 24, 40, 60))
        self._terminal.resize(self.columns, self.lines)
        return b""

    def _stop(self) -> bytes:
        kill = self._terminal.child.kill
        kill(self._dice.choice((signal.SIGSTOP, signal.SIGSTOP, signal.SIGTSTP)))
        time.sleep(0.01)
        kill(signal.SIGCONT)
        return b""

    def run(self, events: int) -> None:
        """Send the events, some of them in one write."""
        while events > 0 and self._terminal.child.isalive():
            count = min(events, self._dice.randrange(1, 12))
            sent = b"".join(self.event() for _ in range(count))
            events -= count
            if self._dice.random() < 0.1:
                sent = self._begin(sent)
            self._terminal.send_bytes(sent)
            self._terminal.settle(0.002, 0.02)

    def _begin(self, sent: bytes) -> bytes:
        """Send a part, and pause; what is still to come.  Esc before a pause is a key."""
        cut = self._dice.randrange(len(sent) + 1)
        if b"\x1b" not in sent[max(cut - 2, 0) : cut]:
            self._terminal.send_bytes(sent[:cut])
            self._terminal.settle(0.15, 0.2)
            sent = sent[cut:]
        return sent

    def end(self) -> str:
        """End the board in one way; its name."""
        if not self._terminal.child.isalive():
            return "by itself"
        end = self._dice.choice((*ENDS, *ENDS, "Ctrl-C", "two signals"))
        if end == "Ctrl-C":
            self._terminal.send_bytes(b"\x03")
        elif end == "two signals":
            self._terminal.child.kill(signal.SIGTERM)
            self._terminal.child.kill(signal.SIGINT)
        else:
            assert isinstance(end, signal.Signals)
            self._terminal.child.kill(end)
            return end.name
        return str(end)


def session(seed: int, events: int, seen: Seen, folder: Path) -> None:
    """One board; its faults are added to ``seen``."""
    dice = random.Random(seed)
    strict = dice.random() < 0.5
    here, state = folder / "here", folder / "state"
    here.mkdir()
    words = ["qsage-play", dice.choice(["sample:tic", "sample:hex", "sample:connect3"])]
    # A fault that depends on the machine's time is not seen twice, so its traceback is wanted.
    variables = {"QSAGE_STATE": str(state), "QSAGE_DEBUG": "1"}
    with Terminal(words, folder=here, variables=variables) as terminal:
        # Of its own, for the modes are read when the program has ended.
        device = os.dup(terminal.child.child_fd)
        before = termios.tcgetattr(device)
        opened = not strict and dice.random() < 0.2
        if opened:
            terminal.settle(0.01, dice.random() * 1.5)  # The end comes while the screen opens.
        else:
            terminal.wait_for("Your move", seconds=SECONDS)
            terminal.send("x")
            terminal.wait_for("3    ●", "2    ●", seconds=SECONDS)
        gone = strict and dice.random() < 0.5
        if gone:
            terminal.send("s")
            terminal.wait_for("Save the transcript", seconds=SECONDS)
            terminal.send("\x15")
            terminal.wait_for("file name", seconds=SECONDS)
            terminal.send("nowhere/a.play\r")
            terminal.wait_for("nowhere/a.play: found", seconds=SECONDS)
        own = Session(terminal, dice, seen, strict=strict)
        if not opened:
            own.run(events)
        name = own.end()
        seen.ends[name] += 1
        try:
            code: int | str = terminal.exit_code(SECONDS)
        except AssertionError as error:
            code = str(error).partition("\n")[0]
        at = f"--seed {seed} --events 1 ({words[1]}, {name}{', strict' if strict else ''})"
        faults = [f"exit code {code}"] if code not in (0, 1, 130, 129, 143) else []
        if opened and str(code).startswith("killed by signal"):
            faults = []  # Nothing of ours was there yet.
        output = terminal.output
        if any(mark in output for mark in BUGS):
            faults.append("an internal error")
        if termios.tcgetattr(device) != before:
            faults.append("the terminal has other modes than before")
        os.close(device)
        left = output.rfind(LEAVES_SCREEN)
        if left < output.rfind(ENTERS_SCREEN) or (left >= 0 and SHOWS_CURSOR not in output[left:]):
            faults.append("the screen is not left")
        if strict and not [*here.glob("*.play"), *state.glob("plays/*.play")]:
            faults.append("the play is lost")
        if faults:
            faults[-1] += f"\nThe end of the screen:\n{_last_lines(terminal)}"
        seen.faults += [f"{at}: {fault}" for fault in faults]


def _last_lines(terminal: Terminal) -> str:
    """What is written behind the board, or the screen of a board that is still there."""
    output = terminal.output
    left = output.rfind(LEAVES_SCREEN)
    behind = output[left:] if left > output.rfind(ENTERS_SCREEN) else terminal.text.encode()
    lines = _SEQUENCE.sub("", behind.decode(errors="replace")).splitlines()
    return "\n".join([line.rstrip() for line in lines if line.strip()][-_MOST_LINES:])


def main(words: Sequence[str] | None = None) -> int:
    """Run the sessions, and print what there was; 1 when there was a fault."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--events", type=int, default=5000)
    parser.add_argument("--each", type=int, default=250, help="events of a session")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--verbose", action="store_true", help="tell each session")
    options = parser.parse_args(words)
    seen, seed = Seen(), options.seed
    while sum(seen.events.values()) < options.events:
        with tempfile.TemporaryDirectory() as name:
            session(seed, options.each, seen, Path(name))
        if options.verbose:
            print(seed, sum(seen.events.values()), len(seen.faults), flush=True)
        seed += 1
    for title, counts in (("events", seen.events), ("ends", seen.ends)):
        print(f"{title}: " + ", ".join(f"{n} {k}" for k, n in sorted(counts.items())))
    print(f"faults: {len(seen.faults) or 'none'}")
    for fault in seen.faults:
        print(fault)
    return 1 if seen.faults else 0


if __name__ == "__main__":
    sys.exit(main())
