from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import stat
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from qsage_validate.errors import InputError
from qsage_validate.formats import source, unpacking
from qsage_validate.formats.source import Format, Source, open_input, read_bytes, sniff, sniff_bytes
from qsage_validate.formats.writing import write_atomic

COMPRESSORS = [gzip.compress, bz2.compress, lzma.compress]


def message(error: pytest.ExceptionInfo[InputError], path: Path) -> str:
    return str(error.value).replace(str(path), "FILE")


@pytest.mark.parametrize("compress", [lambda data: data, *COMPRESSORS])
def test_content_decides_how_a_file_is_unpacked(
    tmp_path: Path, compress: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "misnamed.txt"
    path.write_bytes(compress(b"exists(1)\noutput(1)\n"))
    assert read_bytes(path) == b"exists(1)\noutput(1)\n"
    assert sniff(path) is Format.QCIR


@pytest.mark.parametrize("compress", COMPRESSORS)
def test_members_that_follow_each_other_are_joined(
    tmp_path: Path, compress: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "file"
    path.write_bytes(compress(b"one\n") + compress(b"two\n") + bytes(512))
    assert read_bytes(path) == b"one\ntwo\n"


@pytest.mark.parametrize("compress", COMPRESSORS)
@pytest.mark.parametrize(
    "damage",
    [lambda z: z[:-3], lambda z: z[: len(z) // 2], lambda z: z + b"rubbish", lambda z: z[:9]],
    ids=["end missing", "half", "rubbish", "head only"],
)
def test_damaged_compression_is_one_line(
    tmp_path: Path, compress: Callable[[bytes], bytes], damage: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "file"
    path.write_bytes(damage(compress(os.urandom(5000))))
    with pytest.raises(InputError, match=r"found damaged (gzip|bzip2|xz) data"):
        read_bytes(path)


@pytest.mark.parametrize("compress", COMPRESSORS)
def test_a_decompression_bomb_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compress: Callable[[bytes], bytes]
) -> None:
    monkeypatch.setattr(unpacking, "_BOMB_BYTES", 1 << 20)
    path = tmp_path / "file"
    path.write_bytes(compress(bytes(10 << 20)))
    with pytest.raises(InputError, match="unpacks to more than"):
        read_bytes(path)


def test_what_is_no_file(tmp_path: Path) -> None:
    missing = tmp_path / "missing.qcir"
    with pytest.raises(InputError) as error:
        read_bytes(missing)
    assert message(error, missing) == "FILE: found no such file, expected a readable file"
    with pytest.raises(InputError) as error:
        read_bytes(tmp_path)
    assert message(error, tmp_path) == "FILE: found a directory, expected a file"
    with pytest.raises(InputError, match="found a device, expected a file"):
        read_bytes("/dev/null")
    with pytest.raises(InputError, match="null"):
        read_bytes("a\0b")


def test_a_pipe_can_be_sniffed_and_read(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: path.write_bytes(b"aag 0 0 0 0 0\n"))
    writer.start()
    assert sniff(path) is Format.AIGER_ASCII
    writer.join()
    assert read_bytes(path) == b"aag 0 0 0 0 0\n"


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "_streams", {})
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(b"text\n"))))
    assert read_bytes("-") == b"text\n"
    assert Source.open("-").path == "<stdin>"


def test_closed_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "_streams", {})
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="<stdin>: found closed standard input"):
        read_bytes("-")
    closed = io.TextIOWrapper(io.BytesIO(b""))
    closed.close()
    monkeypatch.setattr(sys, "stdin", closed)
    with pytest.raises(InputError, match="<stdin>: found"):
        read_bytes("-")


@pytest.mark.parametrize(
    ("data", "line", "column", "found"),
    [
        (b"ab\nc\xffd", 2, 2, "byte 0xff"),
        (b"\xef\xbb\xbfab\n\xe4", 2, 1, "byte 0xe4"),
        (b"a\n\nbc\0\xff", 3, 3, "a NUL byte"),
        (b"a\xff\0", 1, 2, "byte 0xff"),
        (b"\xe2\x82", 1, 1, "byte 0xe2"),
    ],
)
def test_undecodable_bytes_are_placed(data: bytes, line: int, column: int, found: str) -> None:
    with pytest.raises(InputError) as error:
        Source.decode(data, "file")
    assert (error.value.line, error.value.column) == (line, column)
    assert error.value.found.startswith(found)


def test_a_byte_order_mark_is_dropped() -> None:
    assert Source.decode(b"\xef\xbb\xbfexists(1)").text == "exists(1)"


def test_positions_and_excerpts() -> None:
    text = Source("first\n  sécond line\r\nthird", "file")
    error = text.error(text.text.index("line"), "'line'", "a word")
    assert (error.line, error.column) == (2, 10)
    assert error.excerpt == "  sécond line"
    assert text.position(0) == (1, 1)
    assert text.position(len(text.text)) == (3, 6)
    assert text.line_error(3, "x", "y").column == 1
    assert [line for line, _, _ in text.lines()] == [1, 2, 3]
    assert [text.text[at : at + len(line)] for _, at, line in text.lines()] == [
        "first",
        "  sécond line",
        "third",
    ]
    assert Source("x" * 1000).error(500, "x", "y").excerpt is None


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"aag 0 0 0 0 0\n", Format.AIGER_ASCII),
        (b"aig 0 0 0 0 0\n", Format.AIGER_BINARY),
        (b"c comment\np cnf 1 1\na 1 0\n1 0\n", Format.QDIMACS),
        (b"p cnf 1 1\nc Model for variable 1.\n1 0\n", Format.PEDANT),
        (b"c CAQE { x }\n\ns cnf 1 4 3\nV 1 0\n\nc Satisfiable\n", Format.OUTER_BLOCK),
        (b"V x1 -x2 0\r\nr SAT\r\n", Format.OUTER_BLOCK),
        (b"Values\n", Format.UNKNOWN),
        (b"# no header\n\n  EXISTS (1)\noutput(1)\n", Format.QCIR),
        (b"#QCIR-G14 3\n", Format.QCIR),
        (b"#boardsize\n2 2\n#depth\n1\n#actionvars\n", Format.META),
        (b"#boardsize\n2 2\n#init\n#depth\n1\n", Format.BDDL),
        (b"#blackactions\n:action occupy\n", Format.BDDL),
        (b"#blackinitials\n#whiteinitials\n#times\nt1\n", Format.PG),
        (b"", Format.UNKNOWN),
        (b"\x7fELF\x02\x01", Format.UNKNOWN),
        (b"exists a tale\n", Format.UNKNOWN),
    ],
)
def test_sniffing(data: bytes, expected: Format) -> None:
    assert sniff_bytes(data) is expected


@pytest.mark.parametrize("line", [b"c #@ state 1 [2 3]\n", b"c\n", b"c text\r\n"])
def test_comments_longer_than_what_is_looked_at_hide_no_header(line: bytes) -> None:
    comments = line * (1 + (1 << 17) // len(line))
    assert sniff_bytes(comments + b"p cnf 2 1\n1 2 0\n") is Format.QDIMACS
    assert sniff_bytes(comments + b"p cnf 1 1\nc Model for variable 1.\n1 0\n") is Format.PEDANT
    # Commented out: it is no formula.
    assert sniff_bytes(comments + b"c p cnf 2 1\n1 2 0\n") is Format.UNKNOWN


def test_sniffing_real_files(shared_data: Path) -> None:
    expected = {
        ".qcir": Format.QCIR,
        ".qdimacs": Format.QDIMACS,
        ".aag": Format.AIGER_ASCII,
        ".aig": Format.AIGER_BINARY,
        ".cnf": Format.PEDANT,
        ".meta": Format.META,
        ".ig": Format.BDDL,
        ".pg": Format.PG,
    }
    # Impartial games are no BDDL, and assertions are clauses without a header.
    others = {"impartial", "11-impartial", "no-format"}
    files = [
        path
        for path in shared_data.rglob("*")
        if path.suffix in expected
        and path.name != "assertion.cnf"
        and others.isdisjoint(path.parts)
    ]
    assert files
    # The BDDL problems of Hex are named like positional games.
    hex_problems = {path for path in shared_data.rglob("hex") if "bddl" in path.parts}
    wrong = [
        path
        for path in files
        if sniff(path)
        is not (Format.BDDL if path.parent in hex_problems else expected[path.suffix])
    ]
    assert wrong == []


def test_writing_replaces_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "out"
    write_atomic(path, "one\n")
    assert path.read_text() == "one\n"
    path.chmod(0o640)
    link = tmp_path / "link"
    link.symlink_to(path)
    write_atomic(link, b"two\n")
    assert link.is_symlink()
    assert path.read_bytes() == b"two\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link", "out"]


def test_new_files_have_the_usual_permissions(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("")
    write_atomic(tmp_path / "atomic", "")
    assert (tmp_path / "atomic").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_an_interrupted_write_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out"
    path.write_text("before")

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomic(path, "after")
    assert path.read_text() == "before"
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_what_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a directory, expected a file that can be written"):
        write_atomic(tmp_path, "")
    with pytest.raises(InputError, match="No such file"):
        write_atomic(tmp_path / "missing" / "out", "")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="Not a directory"):
        write_atomic(tmp_path / "file" / "out", "")


def test_standard_output(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    write_atomic("-", "text\n")
    assert capsysbinary.readouterr().out == b"text\n"


@pytest.mark.parametrize("compress", COMPRESSORS)
def test_many_small_members_are_unpacked_in_one_pass(
    compress: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = 0

    class Counting:
        def __init__(self, make: Callable[[], Any]) -> None:
            self.inner = make()

        def __getattr__(self, name: str) -> Any:
            return getattr(self.inner, name)

        def decompress(self, data: bytes, most: int) -> bytes:
            nonlocal given
            given += len(data)
            unpacked: bytes = self.inner.decompress(data, most)
            return unpacked

    # What a member is given beyond its end is copied: that grew with all that was to come.
    monkeypatch.setattr(
        unpacking,
        "_COMPRESSIONS",
        tuple(
            (magic, name, partial(Counting, make)) for magic, name, make in unpacking._COMPRESSIONS
        ),
    )
    for count in (500, 4000):
        given, data = 0, compress(b"c\n") * count
        assert unpacking.unpacked(data, "file", 1 << 32) == b"c\n" * count
        assert len(data) <= given < 30 * len(data)
    padded = compress(b"c\n") + bytes(9) + compress(b"d\n") + bytes(3)
    assert unpacking.unpacked(padded, "file", 1 << 32) == b"c\nd\n"


@pytest.mark.parametrize(
    ("ending", "unpack"),
    [(".gz", gzip.decompress), (".xz", lzma.decompress), (".bz2", bz2.decompress)],
)
def test_what_is_written_is_packed_as_its_name_says(
    ending: str, unpack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    path = tmp_path / f"f.qcir{ending}"
    write_atomic(path, "output(1)\n")
    assert unpack(path.read_bytes()) == b"output(1)\n" == read_bytes(path)
    before = path.read_bytes()
    write_atomic(path, before)
    assert path.read_bytes() == before
    # What is continued is read as it is: a checkpoint is not packed.
    write_atomic(path, "plain\n", continued=True)
    assert path.read_bytes() == b"plain\n"


def test_a_link_to_a_pipe_without_a_path_is_written(tmp_path: Path) -> None:
    read, write = os.pipe()
    link = tmp_path / "stdout"
    link.symlink_to(f"/proc/self/fd/{write}")
    if not link.exists():
        pytest.skip("no /proc")
    write_atomic(link, "text\n")
    os.close(write)
    with open(read, "rb") as stream:
        assert stream.read() == b"text\n"
    assert link.is_symlink()


def test_a_file_that_is_too_large_is_refused_by_its_size(tmp_path: Path) -> None:
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.truncate(60 * 10**9)
    with pytest.raises(InputError) as error:
        read_bytes(path)
    expected = "found 60,000,000,000 bytes, expected a file of at most 4,294,967,296 bytes"
    assert message(error, path) == f"FILE: {expected}"


def test_a_file_that_becomes_a_pipe_holds_nothing_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, pipe = tmp_path / "file", tmp_path / "pipe"
    path.write_bytes(b"x")
    os.mkfifo(pipe)
    regular = os.stat(path)
    monkeypatch.setattr("os.stat", lambda name: regular)
    with pytest.raises(InputError, match="found no file any more"):
        read_bytes(pipe)


def test_only_files_where_pipes_are_not_wanted(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="found a pipe, expected a file"):
        open_input(tmp_path / "pipe", pipes=False)
