"""gzip, xz and bzip2: unpacking within limits, and packing."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import zlib
from collections.abc import Callable
from typing import Final, Protocol

from qsage_validate.errors import InputError, counted

# A file that unpacks to more than this, and to more than so many times its own size, is no
# formula (real ones shrink five- to fifteenfold) but a decompression bomb.
_BOMB_BYTES: Final = 1 << 26

_BOMB_RATIO: Final = 200
_XZ_MEMORY: Final = 1 << 28
_CHUNK: Final = 1 << 20
_FIRST_BLOCK: Final = 1 << 9


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    @property
    def needs_input(self) -> bool: ...

    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


class _Gzip:
    """:mod:`zlib` behind the interface that :mod:`bz2` and :mod:`lzma` have."""

    def __init__(self) -> None:
        self._zlib = zlib.decompressobj(wbits=31)

    @property
    def eof(self) -> bool:
        return self._zlib.eof

    @property
    def unused_data(self) -> bytes:
        return self._zlib.unused_data

    @property
    def needs_input(self) -> bool:
        return not self._zlib.unconsumed_tail

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        return self._zlib.decompress(self._zlib.unconsumed_tail + data, max_length)


_Magic = tuple[re.Pattern[bytes], str, Callable[[], _Decompressor]]

_COMPRESSIONS: Final[tuple[_Magic, ...]] = (
    (re.compile(rb"\x1f\x8b"), "gzip", _Gzip),
    (
        re.compile(rb"\xfd7zXZ\0"),
        "xz",
        lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY),
    ),
    (re.compile(rb"BZh[1-9]"), "bzip2", bz2.BZ2Decompressor),
)


def compression(data: bytes) -> str | None:
    """The name of the compression that ``data`` begins with, if any."""
    return next((name for magic, name, _ in _COMPRESSIONS if magic.match(data)), None)


def packed(data: bytes, name: str) -> bytes:
    """``data`` compressed as the end of the file's name says; itself where it is so already."""
    if compression(data) is not None:
        return data
    if name.endswith(".gz"):
        return gzip.compress(data, mtime=0)
    return lzma.compress(data) if name.endswith(".xz") else bz2.compress(data)


def unpacked(data: bytes, name: str, most: int) -> bytes:
    """What ``data`` of the file ``name`` unpacks to; itself where it is not compressed.

    Raises :class:`InputError` for damaged data, and for more than ``most`` bytes.
    """
    for magic, kind, make in _COMPRESSIONS:
        if magic.match(data):
            try:
                return _unpack(data, magic, make, name, kind, most)
            except (zlib.error, lzma.LZMAError, OSError, EOFError) as error:
                found = f"damaged {kind} data ({error})"
                raise InputError(name, None, None, found, f"a complete {kind} file") from None
    return data


def _unpack(
    data: bytes,
    magic: re.Pattern[bytes],
    make: Callable[[], _Decompressor],
    name: str,
    kind: str,
    most: int,
) -> bytes:
    """All members of a compressed file; zero padding between and behind them is allowed."""
    limit = min(most, max(_BOMB_BYTES, _BOMB_RATIO * len(data)))
    unpacked = io.BytesIO()
    at = 0
    while at < len(data):
        if not magic.match(data, at):
            raise EOFError("rubbish behind the end")
        decompressor = make()
        # What is given beyond the end of a member is copied: little at first, for there may be
        # a hundred thousand members.
        size = _FIRST_BLOCK
        while not decompressor.eof:
            block = data[at : at + size] if decompressor.needs_input else b""
            at += len(block)
            size = min(2 * size, _CHUNK)
            chunk = decompressor.decompress(block, 8 * _CHUNK)
            unpacked.write(chunk)
            if unpacked.tell() > limit:
                found = f"{kind} data that unpacks to more than {counted(limit, 'byte')}"
                raise InputError(name, None, None, found, "a formula or certificate")
            if not chunk and not block and not decompressor.eof:
                raise EOFError("it ends too early")
        at -= len(decompressor.unused_data)
        while data.startswith(b"\0", at):
            at += 1
    return unpacked.getvalue()
