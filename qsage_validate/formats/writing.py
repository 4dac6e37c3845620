"""Writing: files, whole or not at all and never over a guarded input; and QCIR and AIGER."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from os import fspath
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from qsage_validate.circuit.aig import Aig, Literals
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.errors import InputError
from qsage_validate.formats.qcir_words import BARE_NAME
from qsage_validate.formats.source import STDIN, Path, check_inside, check_writable
from qsage_validate.system.signals import orderly_termination

if TYPE_CHECKING:
    from qsage_validate.formats.numbers import Column


def write_atomic(path: Path, data: str | bytes, *, continued: bool = False) -> None:
    """Write ``data`` (text as UTF-8) so that ``path`` holds all of it or what it held before.

    A temporary file in the same directory is written and renamed; a link is followed, the
    permissions of a file that is replaced are kept.  ``-`` is standard output; pipes and
    devices are written straight on.  Raises :class:`InputError` when that is impossible, and
    ``UsageError`` for an input that is guarded, unless the file is ``continued``: it was read in
    order to be written anew.
    """
    if not continued:
        check_writable(path)
    content = data.encode() if isinstance(data, str) else data
    name = fspath(path)
    if name == STDIN:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    check_inside(name, writing=True)
    try:
        target = os.path.realpath(name)
        mode = os.stat(target).st_mode if os.path.exists(target) else None
        if mode is not None and stat.S_ISDIR(mode):
            raise InputError(name, None, None, "a directory", "a file that can be written")
        if mode is not None and not stat.S_ISREG(mode):
            with open(target, "wb") as stream:
                stream.write(content)
            return
        _replace(target, content, _permissions(mode))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        found = f"an error: {reason}"
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


# AIGER, ASCII and binary


_WRITE_BLOCK: Final = 1 << 16


def aiger_bytes(
    aig: Aig,
    outputs: Sequence[int] | Literals,
    *,
    binary: bool,
    input_symbols: Mapping[int, str] | None = None,
    output_symbols: Mapping[int, str] | None = None,
    comments: Iterable[str] = (),
    variables: Sequence[int] | Literals | None = None,
) -> bytes:
    """The AIGER file of a graph; the same arguments give the same bytes.

    ``outputs`` are literals of ``aig``; symbols map positions from 0 to names.  ``variables``
    (ASCII only) gives the index to write for each variable of ``aig``, entry 0 being 0; the
    default is the graph's own numbering.  Raises ``ValueError`` for symbols or comments with
    line breaks, symbols without an input or output, and indices that are repeated.
    """
    ins, outs = dict(input_symbols or {}), dict(output_symbols or {})
    literals = np.asarray(outputs, dtype=np.int64).reshape(-1)
    if len(literals) and not 0 <= int(literals.min()) <= int(literals.max()) // 2 * 2 + 1:
        raise ValueError("negative output literals")
    if len(literals) and int(literals.max()) >> 1 > aig.num_variables:
        raise ValueError("an output beyond the graph")
    if any(not 0 <= k < aig.num_inputs for k in ins) or any(
        not 0 <= k < len(literals) for k in outs
    ):
        raise ValueError("a symbol for an input or output that is not there")
    lines = [f"i{k} {ins[k]}" for k in sorted(ins)] + [f"o{k} {outs[k]}" for k in sorted(outs)]
    remarks = list(comments)
    if remarks:
        lines += ["c", *remarks]
    if any("\n" in line or "\r" in line for line in lines):
        raise ValueError("a line break in a symbol or comment")
    tail = "".join(line + "\n" for line in lines).encode()
    if binary:
        if variables is not None:
            raise ValueError("binary AIGER has no indices of its own")
        return b"".join((*_binary_body(aig, literals), tail))
    return b"".join((*_ascii_body(aig, literals, variables), tail))


def _ascii_body(
    aig: Aig, outputs: Column, variables: Sequence[int] | Literals | None
) -> Iterable[bytes]:
    count = aig.num_variables
    if variables is None:
        written: NDArray[np.int64] = np.arange(count + 1, dtype=np.int64)
    else:
        written = np.asarray(variables, dtype=np.int64)
        if written.shape != (count + 1,) or written[0] != 0 or (written[1:] <= 0).any():
            raise ValueError("one positive index is needed for each variable")
        if (np.diff(np.sort(written)) == 0).any():
            raise ValueError("an index is repeated")
    first = aig.num_inputs + 1
    maximum = int(written.max())
    header = f"aag {maximum} {aig.num_inputs} 0 {len(outputs)} {aig.num_gates}\n"

    def literals(values: Column) -> Column:
        moved: Column = 2 * written[values >> 1] + (values & 1)
        return moved

    yield header.encode()
    yield b"".join(b"%d\n" % x for x in (2 * written[1:first]).tolist())
    yield b"".join(b"%d\n" % x for x in literals(outputs).tolist())
    for start in range(0, aig.num_gates, _WRITE_BLOCK):
        stop = min(start + _WRITE_BLOCK, aig.num_gates)
        rows = np.stack(
            (
                2 * written[first + start : first + stop],
                literals(aig.fanin0[start:stop].astype(np.int64)),
                literals(aig.fanin1[start:stop].astype(np.int64)),
            ),
            axis=1,
        )
        yield b"%d %d %d\n" * (stop - start) % tuple(rows.ravel().tolist())


def _binary_body(aig: Aig, outputs: Column) -> Iterable[bytes]:
    count = aig.num_variables
    yield f"aig {count} {aig.num_inputs} 0 {len(outputs)} {aig.num_gates}\n".encode()
    yield b"".join(b"%d\n" % x for x in outputs.tolist())
    larger = np.maximum(aig.fanin0, aig.fanin1).astype(np.int64)
    smaller = np.minimum(aig.fanin0, aig.fanin1).astype(np.int64)
    own = 2 * np.arange(aig.num_inputs + 1, count + 1, dtype=np.int64)
    deltas = np.stack((own - larger, larger - smaller), axis=1).ravel()
    if len(deltas) and (deltas[0::2] < 1).any():
        raise ValueError("the graph is not in topological order")
    for start in range(0, len(deltas), _WRITE_BLOCK):
        yield _varints(deltas[start : start + _WRITE_BLOCK])


def _varints(values: Column) -> bytes:
    """Numbers below 2**35, seven bits a byte, lowest first."""
    lengths = np.ones(len(values), dtype=np.int64)
    for place in range(1, 5):
        lengths += values >= 1 << 7 * place
    ends = np.cumsum(lengths)
    starts = ends - lengths
    raw = np.empty(int(ends[-1]), dtype=np.uint8)
    for place in range(5):
        having = np.flatnonzero(lengths > place)
        more = (lengths[having] > place + 1).astype(np.int64) << 7
        raw[starts[having] + place] = (values[having] >> 7 * place & 127) | more
    return raw.tobytes()
