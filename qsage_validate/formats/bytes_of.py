"""Files that are too large to be held in memory, read piece by piece."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from math import inf
from os import fspath
from typing import Final

from qsage_validate.errors import InputError
from qsage_validate.formats.source import STDIN, Path, label, open_input, read_bytes
from qsage_validate.formats.unpacking import compression

_BLOCK: Final = 1 << 22


@dataclass(frozen=True, eq=False)
class BytesOf:
    """The bytes of a file by offset.

    ``data`` are all of them where they had to be read at once (pipes, compressed files); else
    the file is opened again for each piece, so that nothing has to be closed.
    """

    path: str | None
    size: int
    data: bytes | None = field(default=None, repr=False)

    def read(self, start: int, end: int) -> bytes:
        """The bytes from ``start`` up to ``end`` or the end of the file.

        Raises :class:`InputError` when the file cannot be read or has become shorter.
        """
        stop = min(end, self.size)
        if self.data is not None:
            return self.data[start:stop]
        assert self.path is not None, "only what is in memory has no path"
        with open_input(self.path, pipes=False, most=inf) as file:
            try:
                file.seek(start)
                found = file.read(stop - start)
            except OSError as error:
                raise InputError(
                    self.path, None, None, f"an error: {error.strerror}", "a readable file"
                ) from None
        if len(found) < stop - start:
            raise InputError(
                self.path, None, None, "a file that has become shorter", f"{self.size:,} bytes"
            )
        return found

    def line_of(self, offset: int) -> int:
        """The line, from 1, of a byte."""
        counted = 0
        for start in range(0, offset, _BLOCK):
            counted += self.read(start, min(start + _BLOCK, offset)).count(b"\n")
        return counted + 1


def bytes_of(path: Path) -> BytesOf:
    """The bytes of ``path``, decompressed when they are compressed; ``-`` is standard input.

    Raises :class:`InputError` as :func:`~qsage_validate.formats.source.read_bytes` does.
    """
    name = fspath(path)
    if name != STDIN and os.path.isfile(name):
        with open_input(name, pipes=False, most=inf) as file:
            size = os.fstat(file.fileno()).st_size
            if compression(file.read(8)) is None:
                return BytesOf(name, size)
    data = read_bytes(path)
    return BytesOf(label(path), len(data), data)
