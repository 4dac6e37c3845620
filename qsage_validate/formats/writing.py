"""Writing: files, whole or not at all and never over a guarded input; and formulas in QCIR."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from os import fspath
from types import SimpleNamespace
from typing import Any, Final

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.errors import InputError, UsageError
from qsage_validate.formats.policy import check_inside
from qsage_validate.formats.source import BARE_NAME, PACKED, STDIN, Path, guarded, unpacked_name
from qsage_validate.system.signals import orderly_termination

_DIRECTORY: Final = "a directory", "a file that can be written"


def write_atomic(path: Path, data: str | bytes, *, continued: bool = False) -> None:
    """Write ``data`` (text as UTF-8) so that ``path`` holds all of it or what it held before.

    A temporary file in the same directory is written and renamed; a link is followed, the
    permissions of a file that is replaced are kept.  A name that ends in .gz, .xz or .bz2
    asks for a compressed file, unless it is ``continued``.  ``-`` is standard output; pipes and
    devices are written straight on.  Raises :class:`InputError` when that is impossible, and
    ``UsageError`` for an input that is guarded, unless the file is ``continued``: it was read in
    order to be written anew.
    """
    if not continued:
        check_writable(path)
    content = data.encode() if isinstance(data, str) else data
    name = fspath(path)
    if not continued and name.endswith(PACKED):
        from qsage_validate.formats.unpacking import packed

        content = packed(content, name)
    if name == STDIN:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    check_inside(name, writing=True)
    with _writing(name):
        # /dev/stdout is a link to a pipe, say, which has no path: such a name is opened as it is.
        target = os.path.realpath(name)
        mode = os.stat(name).st_mode if os.path.exists(name) else None
        if mode is not None and stat.S_ISDIR(mode):
            raise InputError(name, None, None, *_DIRECTORY)
        if mode is not None and not stat.S_ISREG(mode):
            with open(name, "wb") as stream:
                stream.write(content)
            return
        _replace(target, content, _permissions(mode))


def check_writable(path: Path) -> None:
    """Raise ``UsageError`` when writing ``path`` would overwrite an input that is guarded."""
    if not guarded or fspath(path) == STDIN:
        return
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return  # it is not there, or writing says what is the matter
    other = guarded[-1].get((status.st_dev, status.st_ino))
    if other is not None:
        raise UsageError(f"writing {fspath(path)} would overwrite {other}: choose another file")


@contextlib.contextmanager
def _writing(name: str) -> Iterator[None]:
    """What the system says of a file that cannot be written becomes an ``InputError``."""
    try:
        yield
    except (OSError, ValueError) as error:
        found = f"an error: {getattr(error, 'strerror', None) or error}"
        raise InputError(name, None, None, found, "a file that can be written") from None


def _permissions(mode: int | None) -> int:
    if mode is not None:
        return stat.S_IMODE(mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _replace(target: str, content: bytes, permissions: int) -> None:
    with orderly_termination():
        handle, temporary = tempfile.mkstemp(
            dir=os.path.dirname(target) or ".", prefix=f".{os.path.basename(target)[:100]}."
        )
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.chmod(temporary, permissions)
            os.replace(temporary, target)
        except BaseException:
            # Also on Ctrl-C: no half file, no litter; it may come just after the renaming.
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)
            raise


def check_output(path: str, kind: str) -> None:
    """Raise ``InputError`` for what cannot be written: before the work, not after it.

    ``kind`` is what is named: ``DIR`` or ``FOLDER``, ``NAME`` (of several files), else a file.
    """
    if not path:
        raise UsageError("found '' for a file that is written, expected its name")
    if kind in ("DIR", "FOLDER"):
        if path == STDIN or os.path.isfile(path):
            raise InputError(path, None, None, "a file", "a folder that can be written")
        return
    with _writing(path):
        folder = os.path.join(os.path.dirname(os.path.realpath(path)), "")
        os.stat(folder)
        is_renamed = path != STDIN and (os.path.isfile(path) or not os.path.exists(path))
        if is_renamed and not os.access(folder, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    if os.path.isdir(path) and (kind != "NAME" or os.path.basename(path) in ("", ".", "..")):
        raise InputError(path, None, None, *_DIRECTORY)


@contextlib.contextmanager
def files_first(told: Callable[[str], object] | None = None) -> Iterator[None]:
    """Let files be written though standard output is closed or full: that is raised at the end.

    What is printed goes to ``told`` where that is given, for a file is on standard output.
    """
    late: list[OSError] = []

    @contextlib.contextmanager
    def waits() -> Iterator[None]:
        try:
            yield
        except OSError as error:
            late.append(error)

    out, flush = sys.stdout, waits()(sys.stdout.flush)
    stream: Any = SimpleNamespace(write=told or waits()(out.write), flush=flush)
    if told is None:
        vars(stream).update((n, getattr(out, n, None)) for n in ("encoding", "fileno", "isatty"))
    else:
        stream.buffer = SimpleNamespace(write=waits()(out.buffer.write), flush=flush)
    with contextlib.redirect_stdout(stream):
        yield
        flush()
    if late:
        raise late[0]


def is_clausal_name(path: str) -> bool:
    """Whether a formula that is written to ``path`` becomes QDIMACS, by the name; else QCIR."""
    return unpacked_name(path).endswith((".qdimacs", ".dimacs", ".cnf"))


# QCIR-14


# Lines that are written at one time.
_LINES: Final = 1 << 14


def qcir_text(qbf: Qbf, *, cleansed: bool = False) -> str:
    """The formula as QCIR-14 text: header, comments, prefix, output, gates, one a line.

    Comments go back to their lines as far as that is possible, which makes writing what was
    read from such a text reproduce it.  Identifiers are ``Qbf.names`` where there are any;
    with ``cleansed`` they are the numbers.  Raises ``ValueError`` for a formula that has no
    such text (a name that is no identifier or stands for two things, a line break in a
    comment).
    """
    names = {} if cleansed else _names(qbf)
    header = "#QCIR-G14" if names else f"#QCIR-G14 {qbf.max_variable}"
    lines = chain([header], _with_comments(_lines(qbf, names), qbf.comments), [""])
    # A million lines are not texts of their own all at once.
    return "\n".join(map("\n".join, iter(lambda: list(islice(lines, _LINES)), [])))


def _lines(qbf: Qbf, names: Mapping[int, str]) -> Iterator[str]:
    def literals(xs: Iterable[int]) -> str:
        if not names:
            return ", ".join(map(str, xs))
        return ", ".join(("-" if x < 0 else "") + names.get(abs(x), str(abs(x))) for x in xs)

    for s in qbf.scopes:
        yield f"{s.quantifier.value}({literals(s.variables)})"
    yield f"output({literals((qbf.output,))})"
    for g, gate in qbf.gates.items():
        yield f"{literals((g,))} = {gate.connective.value}({literals(gate.inputs)})"


def _names(qbf: Qbf) -> dict[int, str]:
    """The names of variables and gates that are not their numbers; each stands for one thing."""
    if not qbf.names:
        return {}
    used = {v for scope in qbf.scopes for v in scope.variables}.union(qbf.gates)
    names = {v: text for v, text in qbf.names.items() if v in used and text != str(v)}
    numbers = {str(v) for v in used.difference(names)}
    if len(set(names.values())) != len(names) or not numbers.isdisjoint(names.values()):
        raise ValueError("two variables or gates have one name")
    for text in names.values():
        if not BARE_NAME.fullmatch(text):
            raise ValueError(f"{text!r} is no QCIR identifier")
    return names


def _with_comments(queue: Iterator[str], comments: tuple[tuple[int, str], ...]) -> Iterator[str]:
    line = 2
    for wanted, text in comments:
        if "\n" in text or "\r" in text:
            raise ValueError(f"a line break in the comment {text!r}")
        while line < wanted and (statement := next(queue, None)) is not None:
            yield statement
            line += 1
        yield f"#{text}"
        line += 1
    yield from queue
