"""A game of the library has one name; its encoding or its options say in which language it is."""

from __future__ import annotations

import shlex

import pytest

from qsage_validate.api.formulas import encode
from qsage_validate.api.games import game
from qsage_validate.errors import UsageError
from qsage_validate.extensions.gdl.library import load
from qsage_validate.extensions.gdl.library import names as gdl_names
from qsage_validate.games.library.catalogue import library_games
from qsage_validate.games.registry import find_command, find_game


@pytest.mark.parametrize(
    ("words", "language", "expected"),
    [
        ("httt", None, "bddl"),
        ("httt", "bddl", "bddl"),
        ("httt", "positional", "positional"),
        ("httt", "gdl", "bddl"),  # there is no such form: the encoder says so
        ("harary", None, "positional"),
        ("harary", "bddl", "bddl"),
        ("httt --maker-breaker", None, "bddl"),
        ("httt --torus", None, "positional"),
        ("httt --stones 2", None, "positional"),
        ("httt --size 5x5 --shape XX./.XX", None, "positional"),
        ("httt --size 7 --shape snaky", None, "positional"),
        ("hex", None, "bddl"),
        ("hex --transversal", None, "positional"),
        ("hex-network", None, "positional"),
        ("hex-network --one-row", None, "bddl"),
    ],
)
def test_the_encoding_and_the_options_choose_the_language(
    words: str, language: str | None, expected: str
) -> None:
    assert find_command(shlex.split(words), language).language == expected


@pytest.mark.parametrize(
    ("words", "language", "message"),
    [
        (
            "httt --torus",
            "bddl",
            "found --torus for httt with a grid encoding, expected a positional one, or none",
        ),
        (
            "hex --second",
            "positional",
            "found --second for hex with a positional encoding, expected a grid one, or none",
        ),
        (
            "hex --one-row --transversal",
            None,
            "found --one-row with --transversal for hex, expected one of them",
        ),
        ("httt --shape snaki", None, "found the unknown polyomino 'snaki' (did you mean 'snaky'?)"),
        ("httt --shape snaky", "bddl", "found 'snaky' for --shape, expected one of domino, el,"),
        ("httt --second --depth 1", "positional", "found --depth 1 with --second"),
        ("httt --second --depth x", "positional", "found 'x' for --depth, expected a number"),
        ("httt --size x", "positional", "found 'x' for --size, expected WIDTHxHEIGHT"),
        ("httt --connect 3", None, "found --connect for httt, expected one of --size, --shape, "),
    ],
)
def test_options_of_two_languages_are_told_in_one_line(
    words: str, language: str | None, message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        find_command(shlex.split(words), language)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("words", "plies"),
    [
        ("httt --size 3x3", 9),
        ("httt --size 3x3 --second", 8),
        ("httt --size 3x3 --second --depth 6", 5),
        ("httt --size 4x4 --depth 5", 5),
        ("harary --size 3x3 --second", 9),
        ("harary --size 3x3 --second --depth 6", 6),
        ("hex", 9),
        ("hex-network --depth 7", 7),
    ],
)
def test_the_game_is_the_same_in_each_language(words: str, plies: int) -> None:
    """A name's depth means as many plies, whoever begins, and its defaults are its own."""
    grid, named = (find_command(shlex.split(words), kind) for kind in ("bddl", "positional"))
    assert (grid.language, named.language) == ("bddl", "positional")
    assert grid.plies == named.plies == plies


def test_a_name_has_its_own_defaults() -> None:
    names = {
        word: {find_command([word], kind).name for kind in ("bddl", "positional")}
        for word in ("httt", "harary")
    }
    assert names == {"httt": {"httt 4x4 tic"}, "harary": {"httt 4x4 el"}}


def test_other_names_find_the_game() -> None:
    assert find_game("Hex_Network") is find_game("hex")
    names = [name for each in library_games() for name in each.names]
    assert len(set(names)) == len(names)


def test_a_game_in_python_is_encoded_in_either_language() -> None:
    small = game("httt", size=(2, 2), shape="domino", maker_breaker=True, depth=3)
    assert small.language == "bddl"
    assert {"lifted", "cor-lean", "ea"} <= set(small.encodings)
    for encoding in ("lifted", "ea"):
        assert encode(small, encoding).stats == encode(small.at_depth(3), encoding).stats
    second = game("httt", size=(2, 2), shape="domino", torus=True, second=True, depth=4)
    assert (second.language, second.plies) == ("positional", 3)
    assert second.at_depth(2).for_encoding("cor-lean") == second.model.at_depth(2)


def test_every_gdl_file_of_the_package_is_a_game() -> None:
    assert gdl_names() == ("trails",)
    assert all(load(name).rules for name in gdl_names())


@pytest.mark.parametrize("name", ["take-awa", "take-away-33", "nin-3x3"])
def test_an_unknown_name_is_held_against_impartial_games_too(name: str) -> None:
    with pytest.raises(UsageError, match=r"did you mean '(take-away|nim)"):
        find_game(name)
