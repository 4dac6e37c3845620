"""The net holds: what the commands make and say is what it was, byte by byte.

A case that fails names its topic, encoder and model.  Where the change is meant, the files are
written anew by the command that the message names, and the difference is looked at.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache

import pytest

from tests.support.net import COMMAND, GOLDEN, TOPICS, Case, Value, encoders, golden

# Read from the files, so that to collect the tests runs no command.
CASES = [(topic, name) for topic in TOPICS for name in golden(topic)]


@cache
def cases(topic: str) -> Mapping[str, Case]:
    return TOPICS[topic]()


def differences(found: Value, known: Value, where: str = "") -> Iterator[str]:
    """What differs, a line each, by the keys that lead to it."""
    if isinstance(found, dict) and isinstance(known, dict):
        for key in sorted(found.keys() | known.keys()):
            inner = f"{where}{key}: "
            yield from differences(found.get(key), known.get(key), inner)
    elif found != known:
        yield f"{where}found {json.dumps(found, ensure_ascii=False)}, known is {json.dumps(known)}"


@pytest.mark.parametrize(("topic", "name"), CASES, ids=[": ".join(case) for case in CASES])
def test_nothing_has_changed(topic: str, name: str) -> None:
    case = cases(topic).get(name)
    assert case is not None, f"no such case any more: {COMMAND} {topic}"
    found = json.loads(json.dumps(case()))
    lines = list(differences(found, golden(topic)[name]))
    assert not lines, "\n".join([f"{topic}: {name} ({COMMAND} {topic})", *lines])


@pytest.mark.parametrize("topic", TOPICS)
def test_the_file_has_each_case(topic: str) -> None:
    """A new encoder, command or example is part of the net as well."""
    missing = cases(topic).keys() - golden(topic).keys()
    assert not missing, f"not in the net: {sorted(missing)} ({COMMAND} {topic})"


def test_no_file_without_a_topic() -> None:
    assert {file.stem for file in GOLDEN.glob("*.json")} == set(TOPICS)


def test_every_encoder_encodes_something() -> None:
    """A net of refusals alone would hold nothing."""
    for names in encoders().values():
        for encoding in names:
            made = [
                value
                for name, value in golden("encoders").items()
                if name.startswith(f"{encoding}: ") and "qcir" in value
            ]
            assert made, encoding
