"""Pasted text reaches the board as text, whatever is in it."""

from __future__ import annotations

import os
from importlib import import_module

import pytest
from textual import constants, events
from textual._xterm_parser import XTermParser

from qsage_validate.play.tui.pastes import PlainPastes, read_pastes_as_text

_PASTE = "\x1b[200~occ\x1bq\x1b[31mupy\x1b\x1b[201~"


@pytest.mark.parametrize("cut", range(len(_PASTE)))
def test_an_escape_character_in_a_paste_is_no_key(cut: int) -> None:
    parser = PlainPastes()
    told = []
    for part in (_PASTE[:cut], _PASTE[cut:], "q"):
        if part:
            told += list(parser.feed(part))
    paste, key = told
    assert isinstance(paste, events.Paste)
    assert paste.text == "occ␛q␛[31mupy␛"
    assert isinstance(key, events.Key)
    assert key.key == "q"


def test_keys_are_read_as_before() -> None:
    read = [m.key for m in PlainPastes().feed("a\x1b[A\x1b[Bb") if isinstance(m, events.Key)]
    assert read == ["a", "up", "down", "b"]


@pytest.mark.skipif(os.name == "nt", reason="another driver reads there")
def test_a_tab_of_a_browser_reads_pastes_as_text_too(monkeypatch: pytest.MonkeyPatch) -> None:
    drivers = [import_module(f"textual.drivers.{name}_driver") for name in ("linux", "web")]
    for driver in drivers:
        monkeypatch.setattr(driver, "XTermParser", XTermParser)
    read_pastes_as_text()
    assert [driver.XTermParser for driver in drivers] == [PlainPastes, XTermParser]
    monkeypatch.setattr(constants, "DRIVER", "textual.drivers.web_driver:WebDriver")
    read_pastes_as_text()
    assert [driver.XTermParser for driver in drivers] == [PlainPastes, PlainPastes]
