"""Damaged files through every reader, and QCIR through both of its readers.

    python research/benchmarks/readers.py --minutes 20 --seed 1

A reader gives a value or one line that says what is wrong; whatever QCIR file is read in bulk is
read alike by the careful reader.  A case is a number: the same seed and number make the same bytes.
What went wrong is printed with its case, and makes the exit code 1.
"""

from __future__ import annotations

import argparse
import random
import sys
import traceback
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from qsage_validate.formats import qcir_bulk
from qsage_validate.formats.pg import parse_hex_sgf
from qsage_validate.formats.qcir import read_carefully
from qsage_validate.formats.qcir_bulk import parse_qaiger
from qsage_validate.formats.source import Source, sniff_bytes
from qsage_validate.system.limits import Deadline
from tests.unit.formats.test_fuzz_readers import READERS, refused_or_read
from tests.unit.formats.test_hex_sgf import GOLEM, HEXGUI
from tests.unit.formats.test_qaiger import QUABS
from tests.unit.formats.test_qcir_bulk import ORDINARY, WORDS, compared, large

# Bytes that mean something in one format or another.
_WORDS = (
    *WORDS, "p cnf 3 2\n", "aag", "\xef\xbb\xbf", "\0", "c ", "%", "[", "]", "\\", "e 1 0\n", "V",
    "v 1 0\n", "SAT\n", "#positions\n", "i0 1 x\n", "999999999999", "c name 1 a\n", "free(", " ;",
)  # fmt: skip
_PIECES = tuple(word.encode("latin-1") for word in _WORDS)


def damaged(chosen: random.Random, files: Sequence[bytes]) -> bytes:
    """One of ``files`` after some mutations."""
    data = chosen.choice(files)
    for _ in range(chosen.choice((1, 1, 1, 2, 3))):
        at = chosen.randint(0, len(data))
        end = min(len(data), at + chosen.choice((0, 0, 1, 1, 2, 5, 20)))
        kind = chosen.randrange(6)
        if kind == 0:
            data = data[:at] + chosen.choice(_PIECES) + data[end:]
        elif kind == 1:
            data = data[:at] + chosen.randbytes(chosen.randint(0, 2)) + data[end:]
        elif kind == 2:
            data = data[:at]
        elif kind == 3:
            data = data[:at] + data[end:]
        elif kind == 4:
            other = chosen.choice(files)
            data = data[:at] + other[chosen.randint(0, len(other)) :]
        else:
            lines = data.split(b"\n")
            i, j = (chosen.randrange(len(lines)) for _ in range(2))
            lines[i], lines[j] = lines[j], lines[i]
            data = b"\n".join(lines)
    return data


def main(arguments: Sequence[str] | None = None) -> int:
    """Go through cases until the time is over."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    both = (False, True)
    gates = ["\n".join(large(names, mixed, 130)).encode() for names in both for mixed in both]
    qcir = [*ORDINARY, *next(files for name, _, files in READERS if name == "qcir"), *gates]
    sgf = [HEXGUI.encode(), GOLEM.encode()]
    kinds = [*READERS, ("QAIGER", parse_qaiger, [QUABS]), ("SGF", _sgf, sgf)]
    counts: Counter[str] = Counter()
    faults = 0
    deadline = Deadline.after(60 * options.minutes)
    while not deadline.over:
        case = sum(counts[name] for name in (*(name for name, _, _ in kinds), "QCIR, both"))
        chosen = random.Random(f"{options.seed}:{case}")
        data = b""
        try:
            if chosen.random() < 0.5:
                counts["QCIR, both"] += 1
                data = damaged(chosen, qcir)
                qcir_bulk._BLOCK = chosen.choice((1, 5, 17, 60, 400, 1 << 20))
                counts["read in bulk"] += compared(data)
                refused_or_read(read_carefully, data)
            else:
                name, parse, files = chosen.choice(kinds)
                counts[name] += 1
                data = damaged(chosen, files)
                sniff_bytes(data)
                refused_or_read(parse, data)
        except Exception:  # noqa: BLE001 - that is what is looked for
            faults += 1
            print(f"case {options.seed}:{case}: {data!r}")
            traceback.print_exc(limit=-4, file=sys.stdout)
            sys.stdout.flush()
    for name, count in counts.items():
        print(f"{name:12} {count:9,}")
    print(f"faults       {faults:9,}")
    return 1 if faults else 0


def _sgf(data: bytes) -> None:
    parse_hex_sgf(Source.decode(data, "file"))


if __name__ == "__main__":
    sys.exit(main())
