"""Reading of files: opening, decoding, positions, formats; which files must not be written over.

Every reader gets its bytes from :func:`read_bytes` (or its text from :meth:`Source.open`) and
reports through :meth:`Source.error`, so that each position in a message is computed in one
place.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import re
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache
from os import PathLike, fspath
from typing import IO, Final, TextIO

from qsage_validate.errors import InputError
from qsage_validate.formats.policy import check_inside
from qsage_validate.system.reading import reading

Path = str | PathLike[str]

BOM: Final = b"\xef\xbb\xbf"
"""The byte-order mark with which some editors begin a text in UTF-8."""

Comment = re.Pattern[bytes]
"""What a comment in a line begins with."""
HASH: Final = re.compile(rb"#")
PERCENT: Final = re.compile(rb"%")
SEMICOLON: Final = re.compile(rb";")
LETTER_C: Final = re.compile(rb"\A[ \t]*c")
HASH_OR_C: Final = re.compile(rb"\A[ \t]*(?:#|c\b)")

STDIN: Final = "-"
"""The path that means standard input."""

_SAMPLE: Final = "sample:"

_COMPRESSED: Final = re.compile(rb"\x1f\x8b|\xfd7zXZ\0|BZh[1-9]")

MAX_BYTES: Final = 1 << 32
"""No input larger than this (after decompression) is read: 4 GiB."""

_BLOCK: Final = 1 << 24
_MAX_EXCERPT: Final = 160


class Format(Enum):
    """The format of a file, by its content."""

    QCIR = "QCIR"
    QDIMACS = "QDIMACS"
    DQCIR = "DQCIR"
    DQDIMACS = "DQDIMACS"
    AIGER_ASCII = "AIGER (ASCII)"
    AIGER_BINARY = "AIGER (binary)"
    PEDANT = "Pedant CNF"
    OUTER_BLOCK = "outermost block"
    META = "Q-sage meta file"
    BDDL = "BDDL"
    PG = "positional game"
    GDL = "GDL"
    SGF = "SGF"
    QASP = "quantified logic program"
    QRP = "QRP trace"
    BQRP = "binary QRP trace"
    QUTE = "Qute's trace"
    SOLUTION = "solution file"
    HEX_STRATEGY = "Hex strategy"
    UNKNOWN = "unknown"


_PREFIXED: Final = (Format.QCIR, Format.QDIMACS, Format.DQCIR, Format.DQDIMACS)
FORMULAS: Final = (*_PREFIXED, Format.AIGER_ASCII, Format.AIGER_BINARY)
"""The formats of formulas; AIGER is one of certificates, too."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a file; line and column count from 1."""

    file: str | None
    line: int
    column: int

    def error(self, found: str, expected: str) -> InputError:
        return InputError(self.file, self.line, self.column, found, expected)


@dataclass(frozen=True)
class Source:
    """A text with the path it came from; turns offsets into positions.

    Lines end at line feeds; lines and columns count from 1, columns in characters.  A text that is
    a part of a file begins in its ``first_line``.
    """

    text: str
    path: str | None = None
    first_line: int = 1

    @classmethod
    def open(cls, path: Path, comment: Comment | None = None) -> Source:
        """Read, decompress and decode ``path`` (``-`` is standard input).

        Raises :class:`InputError` when it cannot be read, is not UTF-8 outside of comments (a
        byte-order mark is dropped) or has a NUL byte; then the position is that of the first
        offending byte.
        """
        return cls.decode(read_bytes(path), label(path), comment)

    @classmethod
    def plain(cls, path: Path, *, most: float = MAX_BYTES) -> Source:
        """Like :meth:`open`, for a file that is no pipe and not compressed."""
        with open_input(path, pipes=False, most=most) as file:
            return cls.decode(file.read(), label(path))

    @classmethod
    def decode(
        cls,
        data: bytes,
        path: str | None = None,
        comment: Comment | None = None,
        first_line: int = 1,
    ) -> Source:
        """The text of ``data``, with the errors of :meth:`open`.

        ``comment`` finds what comments begin with; in them, bytes that are not UTF-8 are
        characters of Latin-1.
        """
        data = data.removeprefix(BOM)
        nul = data.find(b"\0")
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            text, start = ("", error.start) if comment is None else _with_comments(data, comment)
            if start >= 0 and not 0 <= nul < start:
                found = f"byte 0x{data[start]:02x} that is not UTF-8"
                raise byte_error(path, data, start, found, "UTF-8 text", first_line) from None
        if nul >= 0:
            raise byte_error(path, data, nul, "a NUL byte (a binary file?)", "text", first_line)
        return cls(text, path, first_line)

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of the character at ``offset``."""
        return self.line_of(offset), offset - self.text.rfind("\n", 0, offset)

    def line_of(self, offset: int) -> int:
        """The line of the character at ``offset``."""
        return self.text.count("\n", 0, offset) + self.first_line

    def error(self, offset: int, found: str, expected: str) -> InputError:
        """The error at the character ``offset`` (the text's length means its end)."""
        line, column = self.position(offset)
        start = offset - column + 1
        end = self.text.find("\n", offset)
        excerpt = self.text[start : end if end >= 0 else len(self.text)].rstrip("\r")
        return InputError(
            self.path,
            line,
            column,
            found,
            expected,
            excerpt=excerpt if len(excerpt) <= _MAX_EXCERPT else None,
        )

    def line_error(self, line: int, found: str, expected: str, column: int = 1) -> InputError:
        """The error in line ``line`` (from 1), at a column of it."""
        return self.error(self.line_start(line) + column - 1, found, expected)

    def line_start(self, line: int) -> int:
        """The offset at which line ``line`` (from 1) begins."""
        start = 0
        for _ in range(line - self.first_line):
            start = self.text.index("\n", start) + 1
        return start

    def lines(self) -> Iterator[tuple[int, int, str]]:
        """All lines as ``(number from 1, offset, text without the line end)``."""
        start = 0
        for number, line in enumerate(self.text.split("\n"), start=self.first_line):
            yield number, start, line.removesuffix("\r")
            start += len(line) + 1

    def end_error(self, expected: str) -> InputError:
        """The error that the text ends too early; placed behind its last printing character."""
        return self.error(len(self.text.rstrip()), "the end of the file", expected)

    def check_not_empty(self, expected: str) -> None:
        """Raise the error for a text of nothing but white space."""
        if not self.text.strip():
            raise InputError(self.path, 1, 1, "an empty file", expected)


def _latin(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError), "nothing is encoded with it"
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error("qsage-latin-1", _latin)


def decoded_comment(data: bytes) -> str:
    """The text of a comment; bytes that are not UTF-8 are characters of Latin-1."""
    return data.decode(errors="qsage-latin-1")


def _with_comments(data: bytes, comment: Comment) -> tuple[str, int]:
    """The text, and the offset of the first byte outside of comments that is not UTF-8, or -1."""
    pieces: list[str] = []
    for line in re.finditer(rb"[^\r\n]+|[\r\n]+", data):
        sign = comment.search(line.group())
        cut = len(line.group()) if sign is None else sign.end()
        try:
            pieces.append(line.group()[:cut].decode())
        except UnicodeDecodeError as error:
            return "", line.start() + error.start
        pieces.append(decoded_comment(line.group()[cut:]))
    return "".join(pieces), -1


def byte_error(
    path: str | None, data: bytes, offset: int, found: str, expected: str, first_line: int = 1
) -> InputError:
    """The error at a byte of a text that is not decoded; columns count bytes here."""
    line = data.count(b"\n", 0, offset) + first_line
    start = data.rfind(b"\n", 0, offset) + 1
    end = data.find(b"\n", offset, start + _MAX_EXCERPT + 1)
    raw = data[start : end if end >= 0 else start + _MAX_EXCERPT + 1].rstrip(b"\r")
    # Bytes are characters only in ASCII, and a caret must stand under the right one.
    excerpt = raw.decode() if len(raw) <= _MAX_EXCERPT and raw.isascii() else None
    return InputError(path, line, offset - start + 1, found, expected, excerpt=excerpt)


def quoted(text: str, limit: int = 40) -> str:
    """``text`` in quotes for a message, shortened in the middle of nowhere when it is long."""
    return f"'{text if len(text) <= limit else text[: limit - 1] + '…'}'"


PACKED: Final = (".gz", ".xz", ".bz2")
"""The endings of the names of compressed files."""


def unpacked_name(path: str) -> str:
    """``path`` without an ending that says that the file is compressed."""
    return next((path.removesuffix(ending) for ending in PACKED if path.endswith(ending)), path)


def label(path: Path) -> str:
    """The name of ``path`` in messages: for a sample the name that :func:`sample_path` takes."""
    folder, file = os.path.split(fspath(path))
    if folder == _samples() and file in os.listdir(folder):
        return _SAMPLE + file
    return "<stdin>" if fspath(path) == STDIN else fspath(path) or "''"


# --- Words of QCIR, which its readers and its writer share -------------------------------

_HEADER: Final = re.compile(r"#QCIR(?:-G?[0-9]+)?(?:\s+[0-9]+)?\s*", re.IGNORECASE)
NAME: Final = r"[^\s#(),;=-][^\s#(),;=]*"
BARE_NAME: Final = re.compile(NAME)

FREE: Final = "free"
OUTPUT: Final = "output"
GATE: Final = "gate"
"""Kinds of statements, beside the quantifiers of the prefix."""

# Identifiers that are numbers keep them up to here, or up to this times their count.
DENSE: Final = 1_000_000
SPARSITY: Final = 8


def is_comment(line: int, text: str) -> bool:
    """True if ``#text`` in ``line`` (from 1) is a comment: the header is none."""
    return line > 1 or not _HEADER.fullmatch("#" + text)


def largest_kept(identifiers: int) -> int:
    """The largest number that stays one, in a file with so many identifiers."""
    return max(DENSE, SPARSITY * identifiers)


# --- Samples -------------------------------------------------------------------------------


@cache
def _samples() -> str:
    """The folder of the samples: in the package when it is installed, else in the checkout."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    installed = os.path.join(package, "samples")
    if os.path.isdir(installed):
        return installed
    return os.path.join(os.path.dirname(package), "certificates")


def sample_words() -> list[str]:
    """The words ``sample:NAME`` of all samples."""
    there = sorted(os.listdir(_samples())) if os.path.isdir(_samples()) else []
    return [_SAMPLE + file.removesuffix(".qcir") for file in there if file.endswith(".qcir")]


def sample_path(word: str) -> str:
    """The file that ``sample:NAME`` means, of those that come with the package; else ``word``.

    ``sample:tic.aig`` is a certificate, ``sample:tic`` the formula.  Raises :class:`InputError`
    with the names that there are.
    """
    if not word.startswith(_SAMPLE):
        return word
    name = word.removeprefix(_SAMPLE)
    file = name if os.path.splitext(name)[1] else f"{name}.qcir"
    if file not in os.listdir(_samples()):
        raise InputError(word, None, None, "no such sample", f"one of {', '.join(sample_words())}")
    return os.path.join(_samples(), file)


# --- Reading -------------------------------------------------------------------------------

# Pipes can be read only once, but a file is first sniffed and then read.
_streams: dict[str, bytes] = {}


@reading()
def read_bytes(path: Path) -> bytes:
    """The content of ``path``, decompressed when it is gzip, xz or bzip2 (recognised by its bytes).

    ``-`` is standard input; pipes are read once and remembered.  Raises :class:`InputError`
    for what is missing, unreadable, no file, damaged, or unreasonably large once unpacked.
    """
    data = _read_raw(path)
    if not _COMPRESSED.match(data):
        return data
    from qsage_validate.formats.unpacking import unpacked

    return unpacked(data, label(path), MAX_BYTES)


def _read_raw(path: Path) -> bytes:
    name = fspath(path)
    if name in _streams:
        return _streams[name]
    try:
        with _standard_input() if name == STDIN else open_input(path) as file:
            data = _read_limited(file, label(path))
            again = name != STDIN and stat.S_ISREG(os.fstat(file.fileno()).st_mode)
    except (OSError, ValueError) as error:
        # ValueError: standard input was closed under us.
        raise _unreadable(path, error) from None
    if not again:
        _streams[name] = data
    return data


def open_input(path: Path, *, pipes: bool = True, most: float = MAX_BYTES) -> IO[bytes]:
    """The file ``path``, open for reading; the only way in which input files are opened.

    Raises :class:`InputError` for what is missing, unreadable, a directory, a device, without
    ``pipes`` a pipe, or a file of more than ``most`` bytes, before anything of it is read.
    """
    name = fspath(path)
    check_inside(name, also=_samples())
    try:
        mode = os.stat(name).st_mode
        if stat.S_ISFIFO(mode) and pipes:
            return open(name, "rb")
        if stat.S_ISDIR(mode):
            raise InputError(name, None, None, "a directory", "a file")
        if not stat.S_ISREG(mode):
            found = "a pipe" if stat.S_ISFIFO(mode) else "a device"
            raise InputError(name, None, None, found, "a file")
        # What has become a pipe since then must not hold us up until somebody writes into it.
        file = open(name, "rb", opener=_open_at_once)  # noqa: SIM115 - the caller closes it
    except (OSError, ValueError) as error:
        # ValueError: a NUL in the path.
        raise _unreadable(path, error) from None
    status = os.fstat(file.fileno())
    if not stat.S_ISREG(status.st_mode) or status.st_size > most:
        file.close()
        found = f"{status.st_size:,} bytes" if stat.S_ISREG(status.st_mode) else "no file any more"
        raise InputError(name, None, None, found, f"a file of at most {most:,} bytes")
    if guarded:
        guarded[-1][status.st_dev, status.st_ino] = name
    return file


def _open_at_once(name: str, flags: int) -> int:
    return os.open(name, flags | getattr(os, "O_NONBLOCK", 0))


def _unreadable(path: Path, error: Exception) -> InputError:
    reason = getattr(error, "strerror", None) or str(error)
    found = "no such file" if isinstance(error, FileNotFoundError) else f"an error: {reason}"
    return InputError(label(path), None, None, found, "a readable file")


@contextlib.contextmanager
def _standard_input() -> Iterator[IO[bytes]]:
    # A program that is started with standard input closed has no such object.
    stream: TextIO | None = sys.stdin
    if stream is None:
        raise InputError("<stdin>", None, None, "closed standard input", "a file")
    yield stream.buffer


def _read_limited(file: IO[bytes], name: str) -> bytes:
    # Not read(MAX_BYTES + 1), which would reserve all of that at once.
    blocks: list[bytes] = []
    size = 0
    while block := file.read(_BLOCK):
        size += len(block)
        if size > MAX_BYTES:
            raise InputError(name, None, None, "more than 4 GiB", "a smaller file")
        blocks.append(block)
    return b"".join(blocks)


# --- Sniffing ------------------------------------------------------------------------------

_META: Final = re.compile(rb"^#(actionvars|symbolicpos|statevars|goalvar)\b", re.MULTILINE)
_BDDL: Final = re.compile(
    rb"^[ \t]*(?:#(?:black|white)(?:actions|goals?|turn)\b|#init\b|:action\b)", re.MULTILINE
)
_PG: Final = re.compile(rb"^#(times|positions)\b", re.MULTILINE)
# Facts of any kind may stand before the roles, comments before everything.
_GDL: Final = re.compile(rb"^[ \t]*\([ \t]*(?:role|init|<=)[ \t(]", re.MULTILINE | re.IGNORECASE)
_SGF: Final = re.compile(rb"\s*\(\s*;\s*[A-Za-z]+\s*\[")
_GDL_START: Final = re.compile(rb"(?:\s|;[^\n]*\n)*\(")
# Facts and rules of a logic program that give the prefix.
_QASP: Final = re.compile(
    rb"^[^%\n]*?\b_(?:exists|forall|quantify)[ \t]*\([^\n]*\.[ \t\r]*(?:%[^\n]*)?$", re.MULTILINE
)
_QCIR: Final = re.compile(
    rb"\A#QCIR|^[ \t]*(?:exists|forall|free|output)[ \t]*\(|"
    rb"^[ \t]*[^\s#=(),]+[ \t]*=[ \t]*(?:and|or|xor|ite|exists|forall)[ \t]*\(",
    re.MULTILINE | re.IGNORECASE,
)
_DIMACS_COMMENTS: Final = re.compile(rb"(?:c(?:[ \t#][^\n]*)?\r?\n)+")
_DIMACS: Final = re.compile(rb"^p[ \t]+cnf\b", re.MULTILINE)
# A solver's result or a line of values, behind comments.
_OUTER_BLOCK: Final = re.compile(
    rb"(?:[ \t]*(?:c(?:[ \t][^\n]*|\r)?|\r)?\n)*"
    rb"[ \t]*(?:s[ \t]+cnf[ \t]|s[ \t]+(?:UN)?SATISFIABLE\b|(?:r[ \t]+)?(?:UN)?SAT[ \t\r]*(?:\n|\Z)"
    rb"|V[ \t]|v[ \t]+[+-]?[^\s(),=#-]+[ \t\r\n])"
)
# Lines of numbers that end in 0, or a header behind blanks.
_CLAUSES: Final = re.compile(
    rb"(?:[ \t]*(?:c[^\n]*)?\r?\n)*[ \t]*"
    rb"(?:p[ \t]+cnf\b|(?:[ae][ \t]+)?(?:-?[0-9]+[ \t]+)*0[ \t\r]*(?:\n|\Z))"
)
_MODEL: Final = re.compile(rb"^c[ \t]*Model for variable\b", re.MULTILINE)
# A dependency set in a prefix that is none otherwise.
_D_LINE: Final = re.compile(rb"(?:\s*(?:c[^\n]*|p[ \t]+cnf[^\n]*|[ae][ \t][^\n]*)\n)*\s*d[ \t]")
_DEPEND: Final = re.compile(
    rb"(?:\s*(?:#[^\n]*\n|(?:free|forall|exists)\s*\([^()=]*\)))*\s*depend\s*\(", re.IGNORECASE
)


_QRP: Final = re.compile(rb"\A(?:[c#][^\n]*\n)*p[ \t]+(b?)qrp[ \t]")
# Qute has no header: its prefix, or where there is none a step with its kind.
_QUTE: Final = re.compile(
    rb"\A(?:[ae][ \t]+[1-9][ \t0-9]*(?:\r?\n|\Z)|[1-9][0-9]*[ ][01][ ](?:-?[0-9]+[ ])*0\r?\n)"
)
_HEX_STRATEGY: Final = re.compile(rb"(?:\s|#[^\n]*\n)*hex[ \t]+[0-9]+x[0-9]+\s")


def sniff(path: Path) -> Format:
    """The format of a file, recognised by its content; compressed files are looked into.

    Raises :class:`InputError` when the file cannot be read.
    """
    return sniff_bytes(read_bytes(path))


def sniff_bytes(data: bytes) -> Format:
    """The format of ``data`` (already decompressed), recognised by its first 64 KiB.

    In a file that begins with DIMACS comments, 64 KiB behind them are read as well.
    """
    data = data if not data.startswith(BOM) else data[len(BOM) :]
    head = data[: 1 << 16]
    if head.startswith(b"qsage solution "):
        return Format.SOLUTION  # it has a model inside, whose marks come later
    if re.match(rb"aag\s", head):
        return Format.AIGER_ASCII
    if re.match(rb"aig\s", head):
        return Format.AIGER_BINARY
    if trace := _QRP.match(head):
        return Format.BQRP if trace.group(1) else Format.QRP
    comments = _DIMACS_COMMENTS.match(data)
    if comments is not None and comments.end() >= len(head):
        # A layout may be longer than what is looked at.
        head += b"\n" + data[comments.end() : comments.end() + (1 << 16)]
    if _OUTER_BLOCK.match(data):
        return Format.OUTER_BLOCK
    if _DIMACS.search(head):
        if _MODEL.search(head):
            return Format.PEDANT
        return Format.DQDIMACS if _D_LINE.match(data) else Format.QDIMACS
    if _DEPEND.match(data):
        return Format.DQCIR
    if _QCIR.search(head):
        return Format.QCIR
    if _SGF.match(head):
        return Format.SGF
    if _QUTE.match(head):
        return Format.QUTE
    if _META.search(head):
        return Format.META
    if _PG.search(head):
        return Format.PG
    if _HEX_STRATEGY.match(head):
        return Format.HEX_STRATEGY
    if _QASP.search(head):
        return Format.QASP
    if _GDL_START.match(head) and _GDL.search(head):
        return Format.GDL
    return Format.BDDL if _BDDL.search(head) else Format.UNKNOWN


def unknown_format(data: bytes, path: str | None, expected: str) -> InputError:
    """The error for a file that is nothing that can be read, where ``expected`` is wanted."""
    if not data.strip():
        return InputError(path, 1, 1, "an empty file", expected)
    head = data[: 1 << 16].removeprefix(BOM)
    if _CLAUSES.match(head):
        expected += "; clauses have a line 'p cnf VARIABLES CLAUSES' before them, not indented"
    return InputError(path, 1, 1, "a file of no known format", expected)


# --- Guarding ------------------------------------------------------------------------------

# The files that were read, by device and number; a dictionary for each guard around the other.
guarded: Final[list[dict[tuple[int, int], str]]] = []


@contextlib.contextmanager
def inputs_guarded() -> Iterator[None]:
    """While inside, no file is written over that was read inside, unless it is to be continued."""
    guarded.append({})
    try:
        yield
    finally:
        guarded.pop()
