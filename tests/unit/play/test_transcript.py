"""Transcripts read back what they print, and say where they cannot be read."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsage_validate.errors import InputError
from qsage_validate.games.protocol import Player
from qsage_validate.play.transcript import Transcript, TranscriptPly
from qsage_validate.problems.script_moves import is_transcript

LINES = st.text(st.characters(blacklist_categories=("C", "Z")), max_size=20)
MOVES = st.one_of(
    st.from_regex(r"[a-z-]{1,8}\([0-9]{1,2},[0-9]{1,2}\)", fullmatch=True),
    st.from_regex(r"[a-z]=[01]( [a-z]=[01]){0,3}", fullmatch=True),
    st.just("?"),
)
PLIES = st.builds(
    TranscriptPly,
    st.integers(1, 10**6),
    st.sampled_from(Player),
    MOVES,
    st.booleans(),
    st.booleans(),
)
TRANSCRIPTS = st.builds(
    Transcript,
    LINES,
    st.sampled_from(Player),
    st.lists(PLIES, max_size=6).map(tuple),
    st.one_of(st.none(), LINES),
)


@given(TRANSCRIPTS)
def test_the_text_reads_back(transcript: Transcript) -> None:
    assert Transcript.parse(str(transcript)) == transcript
    assert is_transcript(str(transcript))


@given(TRANSCRIPTS)
def test_the_json_reads_back(transcript: Transcript) -> None:
    text = json.dumps(transcript.to_dict())
    assert Transcript.parse(text) == transcript
    assert is_transcript(text)


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_in_one_line(text: str) -> None:
    message = "t.txt"
    try:
        Transcript.parse(text, "t.txt")
    except InputError as error:
        message = str(error)
    assert "\n" not in message
    assert message.startswith("t.txt")


@given(
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5)),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.dictionaries(
                st.sampled_from(["title", "person", "plies", "ply", "player", "move", "result"]),
                inner,
                max_size=5,
            ),
        ),
        max_leaves=12,
    )
)
def test_any_json_is_read_or_refused(data: object) -> None:
    message = ""
    try:
        Transcript.from_json(json.dumps(data))
    except InputError as error:
        message = str(error)
    assert "\n" not in message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "t:1:1: found '', expected 'qsage transcript 1'"),
        ("qsage transcript 2\n", "t:1:1: found 'qsage transcript 2', expected"),
        ("qsage transcript 1\nnonsense\n", "t:2:1: found 'nonsense', expected 'PLY black"),
        ("qsage transcript 1\ntitle: x\n", "t: found person '', expected 'person: black'"),
        (
            "{",
            "t:1:2: found no JSON (Expecting property name",
        ),
        ("{}", "t:1:1: found no 'title', expected a transcript with it"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        Transcript.parse(text, "t")
    assert str(error.value).startswith(message)


def test_comments_and_marks() -> None:
    text = "# mine\nqsage transcript 1\nperson: white\n\n# now\n2 White hop(1,1) !stop !illegal\n"
    (ply,) = Transcript.parse(text).plies
    assert (ply.ply, ply.player, ply.move, ply.line) == (2, Player.WHITE, "hop(1,1)", 6)
    assert ply.illegal
    assert ply.stopped
