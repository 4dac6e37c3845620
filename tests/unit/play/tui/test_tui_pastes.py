"""Whatever a terminal sends is read: pastes as text, bytes of any value, keys without a meaning."""

from __future__ import annotations

from random import Random

import pytest
from textual import events

pytest.importorskip("termios", reason="another driver reads there")
from qsage_validate.play.tui.terminal import KeyReader

_PASTE = b"\x1b[200~occ\x1bq\x1b[31mupy\x1b\x1b[201~"


def _keys(*parts: bytes) -> list[str]:
    reader = KeyReader()
    messages = [message for part in parts for message in reader.read(part)]
    return [message.key for message in messages if isinstance(message, events.Key)]


@pytest.mark.parametrize("cut", range(len(_PASTE)))
def test_an_escape_character_in_a_paste_is_no_key(cut: int) -> None:
    reader = KeyReader()
    told = []
    for part in (_PASTE[:cut], _PASTE[cut:], b"q"):
        told += list(reader.read(part))
    paste, key = told
    assert isinstance(paste, events.Paste)
    assert paste.text == "occ␛q␛[31mupy␛"
    assert isinstance(key, events.Key)
    assert key.key == "q"


def test_keys_are_read_as_before() -> None:
    assert _keys(b"a\x1b[A\x1b[Bb") == ["a", "up", "down", "b"]


@pytest.mark.parametrize("sent", [b"\xe9", b"\xff", b"\xc3", b"\x80\x81", b"\xed\xa0\x80"])
def test_bytes_that_are_not_utf8_end_nothing(sent: bytes) -> None:
    assert _keys(sent, b"ab")[-2:] == ["a", "b"]


@pytest.mark.parametrize("place", [b" q!", b" \x80\xff", b"#\xc3\xa9", b" qq"])
@pytest.mark.parametrize("cut", range(6))
def test_old_reports_of_the_mouse_are_no_keys(place: bytes, cut: int) -> None:
    """Beyond column 95 their bytes are no UTF-8, or make one character of two; ``q`` leaves."""
    sent = b"\x1b[M" + place
    assert _keys(sent[:cut], sent[cut:], b"a") == ["a"]


ODD = (
    b"\x1b[999999999999B",
    b"\x1b[1114112u",
    b"\x1b[55296u",
    b"\x1b[97;1;55296u",
    b"\x1b[97;1;99999999u",
    b"\x1b[" + b"9" * 25 + b"~",
    b"\x1b[48;0;0;0;0t\x1b[<0;3;3M\x1b[<0;3;3m",
    b"\x1b[" + b"9" * 60 + b"~",
    b"\x1b[12;34;56X",
    b"\x1b[?1;2c",
    b"\x1b]11;rgb:0/0/0\x07",
    b"\x1bP1$r0m\x1b\\",
    b"\x1b[12y",
    b"\x1b[5;5M",
    b"\x1b[1;2\x1b[I",
)


@pytest.mark.parametrize("sent", ODD)
def test_a_key_without_a_character_is_no_key(sent: bytes) -> None:
    assert _keys(sent, b"a") == ["a"]


@pytest.mark.parametrize(
    "sent", [*ODD, b"\x1b[1;5C", b"\x1b[8$", b"\x1b[[A", b"\x1bOP", b"\x1b[<35;1;9M"]
)
def test_a_sequence_may_come_in_pieces(sent: bytes) -> None:
    """Behind a pause its rest was keys: ``u`` takes back, and ``r`` begins anew."""
    wanted = [str(message) for message in KeyReader().read(sent)]
    for cut in range(2, len(sent)):
        reader, told = KeyReader(), list[str]()
        for part in (sent[:cut], sent[cut:]):
            told += map(str, reader.read(part))
            if cut > 2 and sent.count(b"\x1b[") < 2:  # Esc, or the beginning of a sequence
                told += map(str, reader.tick())
        assert told == wanted, cut
    reader = KeyReader()
    one_by_one = [str(m) for k in range(len(sent)) for m in reader.read(sent[k : k + 1])]
    assert one_by_one == wanted


def test_escape_and_alt_are_keys_after_a_tick_and_what_broke_off_is_nothing() -> None:
    reader = KeyReader()
    assert not list(reader.read(b"\x1b"))
    assert [str(m) for m in reader.tick()] == [str(events.Key("escape", "\x1b"))]
    assert not list(reader.read(b"\x1b["))
    assert len(list(reader.tick())) == 1
    assert not list(reader.read(b"\x1b[111"))
    for _ in range(20):
        assert not list(reader.tick())
    assert _keys(b"\x1b[111\x1b[A\x1b]11;r\x1b[A") == ["up", "up"]
    assert [m.key for m in reader.read(b"a") if isinstance(m, events.Key)] == ["a"]


def test_the_mouse_is_read_in_columns_and_rows() -> None:
    """Also behind a terminal that says its size in pixels."""
    sent = b"\x1b[48;24;80;480;800t\x1b[<0;33;9M\x1b[<0;33;9m\x1b[<35;4;5M"
    told = [m for m in KeyReader().read(sent) if isinstance(m, events.MouseEvent)]
    assert [type(m) for m in told] == [events.MouseDown, events.MouseUp, events.MouseMove]
    assert [(m.x, m.y) for m in told] == [(32, 8), (32, 8), (3, 4)]


def test_random_bytes_end_nothing() -> None:
    reader, random = KeyReader(), Random(7)
    for _ in range(300):
        list(reader.read(random.randbytes(40)))
        list(reader.read(b"\x1b[" + random.randbytes(6)))
        list(reader.tick())


BEGUN = (
    b"\x1b",
    b"\x1b[",
    b"\x1b[1;",
    b"\x1b[[",
    b"\x1bO",
    b"\x1b[M",
    b"\x1b[M #",
    b"\x1b]11;rgb",
    b"\x1bP1$r",
    b"\x1b[<35;1",
    b"\xc3",
)


@pytest.mark.parametrize("begun", BEGUN)
@pytest.mark.parametrize("at_once", [True, False])
def test_ctrl_c_is_heard_behind_whatever_was_begun(begun: bytes, at_once: bool) -> None:
    """Behind Esc, in one read, it was another key, and behind the rest it was nothing."""
    parts = (begun + b"\x03",) if at_once else (begun, b"\x03")
    assert _keys(*parts)[-1:] == ["ctrl+c"]
