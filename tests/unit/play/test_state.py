"""What is kept between plays: written whole, and read or refused in one line."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qsage_validate.errors import InputError
from qsage_validate.play.state import Recent, State, Store, is_a_play, words_of
from qsage_validate.play.transcript import transcript_of
from tests.support.toy_match import toy_match

TIC = Recent(("sample:tic",), "httt 4x4 tic")
LEFT = Recent(("httt", "--size", "3x3"), "httt 3x3", "/tmp/left.play")


def test_it_is_kept_where_the_tests_say_and_read_back(state_folder: Path) -> None:
    store = Store.usual()
    assert store.folder == str(state_folder)
    assert store.read() == State()
    state = State("light", ()).with_recent(TIC).with_recent(LEFT)
    store.write(state)
    assert Store.usual().read() == state
    assert state.recent == (LEFT, TIC)
    assert state.with_recent(TIC).recent == (TIC, LEFT)
    assert not (state_folder.stat().st_mode & 0o077)


def test_without_the_variable_it_is_where_the_platform_keeps_such_things(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("QSAGE_STATE")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "xdg"))
    folder = Store.usual().folder
    assert folder is not None
    assert folder.startswith(str(tmp_path))
    assert not os.path.exists(folder)


def test_a_store_of_nothing_keeps_nothing(state_folder: Path) -> None:
    store = Store(None)
    store.write(State("light", (TIC,)))
    assert store.read() == State()
    assert not state_folder.exists()


def test_only_the_last_plays_are_kept() -> None:
    state = State()
    for number in range(50):
        state = state.with_recent(Recent((f"game-{number}",), "a game"))
    assert [r.words[0] for r in state.recent] == [f"game-{k}" for k in range(49, 37, -1)]


def test_a_play_that_is_kept_stands_in_the_place_of_its_beginning() -> None:
    begun = Recent(TIC.words, TIC.title)
    kept = Recent(TIC.words, TIC.title, "/tmp/tic.play", 3)
    assert State().with_recent(begun).with_recent(kept).recent == (kept,)
    # A new beginning of the same game is another play.
    assert State().with_recent(kept).with_recent(begun).recent == (begun, kept)


def test_a_play_that_is_left_is_a_transcript_and_old_ones_go(tmp_path: Path) -> None:
    store, match = Store(str(tmp_path)), toy_match()
    assert not is_a_play(transcript_of(match))
    match.push("occupy(3,3)")
    assert is_a_play(transcript_of(match))
    first = store.keep_play(match, "toy.play")
    assert Path(first).read_text() == str(transcript_of(match))
    assert store.keep_play(match, "toy.play", first) == first
    assert store.keep_play(match, "toy.play") != first
    for _ in range(30):
        store.keep_play(match, "toy.play")
    assert len(os.listdir(tmp_path / "plays")) == 20


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "1:1"),
        ("{", "1:2"),
        ("[]", "expected an object"),
        ('{"recent": []}', "no 'state'"),
        ('{"state": 2, "recent": []}', "found 2, expected 1"),
        ('{"state": 1, "recent": [], "theme": "pink"}', "one of dark, light"),
        ('{"state": 1, "recent": [{"words": [], "title": "x"}]}', "found 0 words"),
        ('{"state": 1, "recent": [{"words": ["a\\nb"], "title": "x"}]}', "one line"),
        ('{"state": 1, "recent": [{"words": ["a\\u0000"], "title": "x"}]}', "a zero in it"),
        ('{"state": 1, "recent": [{"words": [7], "title": "x"}]}', "expected a text"),
    ],
)
def test_a_state_that_does_not_fit_is_one_line_and_put_aside(
    tmp_path: Path, text: str, found: str
) -> None:
    file = tmp_path / "state.json"
    file.write_text(text)
    store = Store(str(tmp_path))
    with pytest.raises(InputError, match=r"state\.json:\d+:\d+: found .*, expected "):
        store.read()
    state, complaint = store.read_or_put_aside()
    assert state == State()
    assert complaint is not None
    assert found in complaint
    assert len(complaint.splitlines()) == 1
    assert not file.exists()
    assert (tmp_path / "state.json.unreadable").read_text() == text
    assert store.read_or_put_aside() == (State(), None)


@pytest.mark.parametrize("kind", ["folder", "link", "pipe"])
def test_a_state_that_is_no_file_is_ignored(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "state.json"
    if kind == "folder":
        file.mkdir()
    elif kind == "link":
        file.symlink_to("/dev/zero")
    else:
        os.mkfifo(file)
    state, complaint = Store(str(tmp_path)).read_or_put_aside()
    assert state == State()
    assert complaint is not None
    assert "state.json" in complaint


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = Store(str(tmp_path / "file" / "below"))
    with pytest.raises(InputError, match="expected a folder that can be made"):
        store.write(State("dark"))
    with pytest.raises(InputError, match="expected a folder that can be made"):
        store.keep_play(toy_match(), "toy.play")


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=12,
)
_ENTRIES = st.fixed_dictionaries({"words": _VALUES, "title": _VALUES}, optional={"play": _VALUES})
_STATES = st.fixed_dictionaries(
    {"state": st.just(1) | _VALUES, "recent": st.lists(_ENTRIES, max_size=3) | _VALUES},
    optional={"theme": _VALUES},
)


@given(st.binary(max_size=200) | _STATES.map(lambda data: json.dumps(data).encode()))
@settings(max_examples=25)
def test_whatever_the_file_has_it_is_a_state_or_one_line(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    folder = tmp_path_factory.mktemp("fuzz")
    (folder / "state.json").write_bytes(data)
    store = Store(str(folder))
    state, complaint = store.read_or_put_aside()
    if complaint is None:
        store.write(state)
        assert store.read() == state
    else:
        assert state == State()
        assert len(complaint.splitlines()) == 1
        assert complaint.isprintable()


def test_words_are_those_before_the_moves_with_whole_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.qcir").write_text("")
    command = "qsage-play f.qcir --cert sample:tic.aig --moves 'occupy(1,1)'"
    assert words_of(command) == (str(tmp_path / "f.qcir"), "--cert", "sample:tic.aig")
    assert words_of("") == ()
