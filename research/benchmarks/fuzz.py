"""Damaged and hostile files, by reader and by command: whatever comes in, one line or a value.

``python -m benchmarks.fuzz --cases 100000 --seed 1 --state fuzz.json`` goes through as many cases;
the same command continues what was interrupted.  A case is a number: the same seed and number make
the same bytes.  A fault is an internal error, an exit code that is not in the table, a traceback,
bad input without an error line, a character that commands a terminal, or more than ``SECONDS`` of
processor time.
"""

from __future__ import annotations

import argparse
import bz2
import contextlib
import gzip
import io
import json
import lzma
import os
import random
import re
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from qsage_validate.cli.app import PROGRAMS, run
from qsage_validate.errors import Exit
from qsage_validate.solutions.walk import sealed

SECONDS = 20.0
_GAME = ["httt", "--size", "3x3", "--shape", "el", "--depth", "3"]
_DQBFS = (
    b"p cnf 6 2\na 1 2 0\ne 3 0\na 4 0\ne 5 0\nd 6 1 4 0\n-1 6 3 5 0\n-2 -4 5 0\n",
    b"#QCIR-G14\nforall(1, 2)\nexists(3)\ndepend(6, 1)\noutput(7)\n8 = or(-1, 6, 3)\n7 = and(8)\n",
)
_BYTES = (b"\0", b"\x1b]0;x\x07", b"\xff\xfe", b"\xef\xbb\xbf", b"\r\n", b"9" * 5000, b"-", b"(", b"{", b"[",
          b'"', b"\xe2\x80\xae", b"\n\n", b" ", b"1e999", b"NaN", b"null", b"~x/", b"%", b"#", b"$\\frac$")  # fmt: skip


@dataclass(frozen=True)
class Kind:
    """A reader, by the commands that come to it: ``FILE`` stands for the damaged file."""

    name: str
    seeds: tuple[bytes, ...]
    commands: tuple[tuple[str, ...], ...]
    finish: Callable[[bytes], bytes] = bytes
    """What makes a file of the damaged bytes: for one with a sum the bytes are those behind it."""


def kinds(folder: Path) -> list[Kind]:
    """The readers, with files that they read."""
    (folder / "good").mkdir(exist_ok=True)
    good = folder / "good"
    quiet(
        ["certify", *_GAME[:-1], "5", "-o", str(good / "c.aig"), "--formula", str(good / "f.qcir")]
    )
    quiet(["certify", *_GAME[:-1], "5", "-o", str(good / "c.aag")])
    quiet(["encode", str(good / "f.qcir"), "-o", str(good / "f.qdimacs")])
    play = ["play", str(good / "f.qcir"), str(good / "c.aig"), "--white", "random", "--games", "1"]
    for name in ("t.json", "t.txt"):
        quiet([*play, "--export", str(good / name)])
    quiet(["synthesize", "take-away-3", "--strategy", "-o", str(good / "report")])
    quiet(["solve", *_GAME[:-1], "auto", "--max-depth", "2", "--resume", str(good / "s.json")])
    checked = ["validate", str(good / "f.qcir"), str(good / "c.aig"), "--level", "all"]
    quiet([*checked, "--positions", "3", "--checkpoint", str(good / "k.json")])
    formula, certificate = str(good / "f.qcir"), str(good / "c.aig")

    quiet(["solve", *_GAME[:-1], "5", "--solution", str(good / "w.solution")])
    solution = (good / "w.solution").read_bytes()
    replies = (("validate", "--solution", "FILE", "--timeout", "5"),
               ("play", "--solution", "FILE", "--moves", "occupy(1,1)"))  # fmt: skip

    def read(*names: str) -> tuple[bytes, ...]:
        # With the seconds that a reply took, a case would be damaged at another place each time.
        found = ((good / name).read_bytes() for name in names)
        return tuple(re.sub(rb'"seconds": [-+.e0-9]+', b'"seconds": 0.5', data) for data in found)

    results = Path(__file__).parents[2] / "research/experiments/httt-5x5.jsonl"
    records = b"".join(results.read_bytes().splitlines(keepends=True)[:6])
    take = b"take-away-3"
    return [
        Kind("QCIR", read("f.qcir"), (("info", "FILE", "--names"), ("solve", "FILE", "--timeout", "1"))),
        Kind("QDIMACS", read("f.qdimacs"), (("info", "FILE"),)),
        Kind("DQBF", _DQBFS, (("info", "FILE"), ("solve", "FILE", "--timeout", "1"),
                              ("validate", "FILE", certificate, "--level", "dependencies"))),
        Kind("layout", read("f.qcir"), (("validate", "FILE", certificate, "--level", "dependencies"),)),
        Kind("AIGER", read("c.aig", "c.aag"),
             (("info", "FILE"), ("validate", formula, "FILE", "--level", "formula"))),
        Kind("transcript", read("t.json", "t.txt"), (("play", formula, certificate, "--moves-file", "FILE"),)),
        Kind("report", read("report/report.json"),
             (("play", take.decode(), "--rules", "FILE", "--moves", "take(1)", "--state", "v=5"),)),
        Kind("resume", read("s.json"),
             (("solve", *_GAME[:-1], "auto", "--max-depth", "2", "--resume", "FILE"),)),
        Kind("checkpoint", read("k.json"), ((*checked, "--positions", "3", "--checkpoint", "FILE"),)),
        Kind("results", (records,),
             (("bench", "table", "FILE"), ("bench", "table", "FILE", "--table", "runs", "--csv"),
              ("bench", "cactus", "FILE"), ("bench", "table", "FILE", "--json"))),
        Kind("game", tuple(_games()), (("info", "FILE"), ("solve", "FILE", "--timeout", "1"))),
        Kind("solution", (solution, gzip.decompress(solution)), replies),
        Kind("solution behind its sum", (gzip.decompress(solution).split(b"\n", 2)[2],), replies, sealed),
        Kind("solvers", (b"[mine]\nkind = generic\nprogram = /bin/true\nformats = qcir, qdimacs\n",),
             (("info", "--solvers"),)),
    ]  # fmt: skip


def _games() -> Iterator[bytes]:
    yield (
        b"#blackinitials\n#whiteinitials\n#times\nt1 t2 t3\n#blackturns\nt1 t3\n#positions\na b c d\n"
        b"#blackwins\na b\nb c d\n#whitewins\nc d\n"
    )
    yield (
        b"(role b) (role w) (init (on 1))\n(<= (legal ?r take) (role ?r))\n(<= (next (off 2)) (does w "
        b"take))\n(<= terminal (true (off 2)))\n(<= (goal b 100) terminal)\n(<= (goal w 0) terminal)\n"
    )
    yield (
        b"(define (domain take)\n (:objects ?v)\n (:action take :parameters (?k) :precondition (and (> ?k "
        b"0) (<= ?k 3) (<= ?k ?v)) :effect (assign ?v (- ?v ?k))))\n"
    )


def quiet(words: Sequence[str]) -> tuple[int, str, str]:
    """Run ``qsage``; its exit code and what it wrote."""
    raw = io.BytesIO(), io.BytesIO()
    out, err = (io.TextIOWrapper(each, "utf-8", "backslashreplace") for each in raw)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(PROGRAMS["qsage"], words, "qsage")
        out.flush()
        err.flush()
    out_bytes, err_bytes = raw[0].getvalue(), raw[1].getvalue()
    return code, out_bytes.decode("utf-8", "replace"), err_bytes.decode("utf-8", "replace")


def damaged(data: bytes, draw: random.Random) -> bytes:
    """``data`` with one to four damages."""
    for _ in range(draw.randint(1, 4)):
        at, end = sorted(draw.randint(0, len(data)) for _ in range(2))
        end = min(end, at + draw.choice((1, 2, 8, 200)))
        match draw.randrange(9):
            case 0:
                data = data[:at] + data[end:]
            case 1:
                data = data[:at] + draw.choice(_BYTES) + data[at:]
            case 2:
                data = data[:at] + draw.choice(_BYTES) + data[end:]
            case 3:
                data = data[:at] + draw.randbytes(end - at) + data[end:]
            case 4:
                data = data[:end] + data[at:end] * draw.randint(1, 50) + data[end:]
            case 5:
                data = data[:at]
            case 6:
                digits = b"%d" % draw.choice((-1, 0, 1, 2**31, 2**63, 10**19, 10**100))
                data = data[:at] + digits + data[end:]
            case 7:
                data = draw.choice((gzip.compress, bz2.compress, lzma.compress))(data)
            case _:
                data = data.replace(b"\n", draw.choice((b"\r\n", b"\r", b"\n\n", b" ")))
    return data


def fault_of(code: int, out: str, err: str, seconds: float) -> str:
    """What is wrong with how a command ended; empty: nothing."""
    if code not in {int(x) for x in Exit} - {Exit.INTERNAL, Exit.INTERRUPTED, Exit.BROKEN_PIPE}:
        return f"exit code {code}: {err.strip()[-200:]}"
    if "Traceback" in err:
        return f"a traceback: {err.strip()[-200:]}"
    if code == Exit.BAD_INPUT and ": found " not in err and "error: " not in err:
        return f"no error line: {err[-200:]!r}"
    wild = [c for c in out + err if not c.isprintable() and c != "\n"]
    if wild:
        return f"characters that do not print: {wild[:5]!r}"
    return f"{seconds:.0f} s of processor time" if seconds > SECONDS else ""


def cases(seed: int, numbers: range, folder: Path) -> Iterator[tuple[int, str, int, str]]:
    """Number, reader, exit code and fault of each case."""
    known = kinds(folder)
    path = folder / "file"

    def ring(number: int, frame: FrameType | None) -> None:
        raise RuntimeError("it does not end")

    before = signal.signal(signal.SIGVTALRM, ring)
    try:
        for number in numbers:
            draw = random.Random(f"{seed} {number}")
            kind = known[number % len(known)]
            path.write_bytes(kind.finish(damaged(draw.choice(kind.seeds), draw)))
            words = [str(path) if word == "FILE" else word for word in draw.choice(kind.commands)]
            if kind.name == "solvers":
                os.environ["QSAGE_SOLVERS"] = str(path)
            signal.setitimer(signal.ITIMER_VIRTUAL, 2 * SECONDS)
            began = time.process_time()
            try:
                code, out, err = quiet(words)
                fault = fault_of(code, out, err, time.process_time() - began)
            except BaseException as error:
                if isinstance(error, KeyboardInterrupt):
                    raise
                code, fault = -1, f"{type(error).__name__}: {error}"
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
                os.environ.pop("QSAGE_SOLVERS", None)
            yield number, kind.name, code, fault
    finally:
        signal.signal(signal.SIGVTALRM, before)


def table(counts: Counter[tuple[str, int]], faults: Counter[str]) -> str:
    """Cases by reader and exit code, as Markdown."""
    codes = sorted({code for _, code in counts})
    lines = [
        f"| reader | cases | {' | '.join(map(str, codes))} | faults |",
        "|---|--:|" + "--:|" * (len(codes) + 1),
    ]
    for name in dict.fromkeys(name for name, _ in counts):
        own = [counts[name, code] for code in codes]
        lines.append(
            f"| {name} | {sum(own):,} | {' | '.join(f'{n:,}' for n in own)} | {faults[name]} |"
        )
    return "\n".join(lines)


def main(words: Sequence[str] | None = None, show: Callable[[str], None] = print) -> int:
    """Run the cases; 1 when there was a fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--state", type=Path, help="a file that keeps what was done, to go on from it"
    )
    options = parser.parse_args(words)
    counts: Counter[tuple[str, int]] = Counter()
    faults: Counter[str] = Counter()
    begin = 0
    if options.state is not None and options.state.exists():
        kept = json.loads(options.state.read_text())
        if kept["seed"] != options.seed:
            sys.exit(f"{options.state} is of the seed {kept['seed']}")
        begin = kept["next"]
        counts.update({(name, code): n for name, code, n in kept["counts"]})
        faults.update(kept["faults"])
    with tempfile.TemporaryDirectory() as folder:
        for number, name, code, fault in cases(
            options.seed, range(begin, options.cases), Path(folder)
        ):
            counts[name, code] += 1
            if fault:
                faults[name] += 1
                show(f"case {number} ({name}): {fault}")
            if options.state is not None and (number % 500 == 499 or number + 1 == options.cases):
                rows = [[name, code, n] for (name, code), n in counts.items()]
                kept = {"seed": options.seed, "next": number + 1, "counts": rows, "faults": faults}
                options.state.write_text(json.dumps(kept))
    show(table(counts, faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
