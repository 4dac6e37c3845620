"""Run PyQBF's Bloqqer through its C interface; a program of its own, started by path.

``python bloqqer_child.py LIBRARY FORMULA OUTPUT TRACE [NAME=VALUE ...]`` preprocesses the
QDIMACS file FORMULA (as this project writes it) and writes what is left to OUTPUT, and the QRAT
trace to TRACE unless that is empty.  The exit code is Bloqqer's: 10 true, 20 false, 0 neither.

PyQBF's own interface multiplies variables of neighbouring blocks by zero when it returns the
prefix, so that their names are lost; the C function that prints the formula keeps them.

Only the standard library's lightest parts are used, and nothing of this package: a run takes
milliseconds, and no import of ours is needed to be on the path of the child.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading

_PIECE = 1 << 16


def main(arguments: list[str]) -> int:
    """Preprocess; returns the exit code."""
    library, formula, output, trace, *options = arguments
    # Bound now: a missing symbol is an error before anything is done.
    bloqqer = ctypes.CDLL(library, mode=os.RTLD_NOW)
    c = ctypes.CDLL(None)
    for option in options:
        name, _, value = option.partition("=")
        if not bloqqer.bloqqer_set_option_val(name.encode(), int(value)):
            sys.stderr.write(f"Bloqqer has no option {name} with the value {value}\n")
            return 2
    with open(formula, encoding="ascii") as file:
        lines = file.readlines()
    _load(bloqqer, lines)
    tracing = Tracing(trace) if trace else None
    if tracing is not None:
        bloqqer.pyqbf_bloqqer_open_qrat(tracing.path.encode())
    code = bloqqer.bloqqer_preprocess()
    if tracing is not None:
        bloqqer.pyqbf_bloqqer_close_qrat()
        failed = tracing.finish()
        if failed is not None:
            sys.stderr.write(f"the trace could not be written: {failed}\n")
            return 3
    # Bloqqer prints on C's standard output only.
    descriptor = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    c.fflush(None)
    os.dup2(descriptor, 1)
    bloqqer.bloqqer_print()
    if c.fflush(None) != 0:
        sys.stderr.write("no space left for the preprocessed formula\n")
        return 3
    return int(code)


class Tracing:
    """A trace on its way to its file, through a pipe.

    Bloqqer does not look whether writing goes well, so that on a full disk its trace would just
    lack lines.
    """

    def __init__(self, file: str) -> None:
        self._file = open(file, "wb", buffering=0)  # noqa: SIM115 (closed by finish)
        self._reader, self._writer = os.pipe()
        self._failed: str | None = None
        self._thread = threading.Thread(target=self._copy)
        self._thread.start()
        self.path = f"/dev/fd/{self._writer}"

    def _copy(self) -> None:
        while data := os.read(self._reader, _PIECE):
            if self._failed is None:
                try:
                    left = memoryview(data)
                    while left:
                        left = left[self._file.write(left) :]
                except OSError as error:
                    self._failed = error.strerror

    def finish(self) -> str | None:
        """Wait for the end; returns what failed, if anything did."""
        os.close(self._writer)
        self._thread.join()
        self._file.close()
        return self._failed


def _load(bloqqer: ctypes.CDLL, lines: list[str]) -> None:
    """Hand over a formula: header, prefix, clauses."""
    add, declare = bloqqer.bloqqer_add, bloqqer.bloqqer_decl_var
    for line in lines:
        if line[0] == "p":
            _, _, variables, clauses = line.split()
            bloqqer.bloqqer_init(int(variables), int(clauses))
        elif line[0] in "ae":
            sign = 1 if line[0] == "e" else -1
            for word in line[1:].split()[:-1]:
                declare(sign * int(word))
        elif line[0] != "c":
            for word in line.split():
                add(int(word))


if __name__ == "__main__":
    # Nothing is torn down: Bloqqer's memory is the system's to free.
    code = main(sys.argv[1:])
    sys.stderr.flush()
    os._exit(code)
