"""Models of every kind keep all that they are in the text of their parts."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from qsage_validate.encodings.layout_reader import layout_from_comments
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import InputError
from qsage_validate.extensions.gdl import library
from qsage_validate.extensions.gdl.model import GdlModel
from qsage_validate.extensions.gdl.parser import read_description
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.formats.qdimacs import parse_qdimacs, qbf_to_qdimacs
from qsage_validate.formats.writing import qcir_text
from qsage_validate.games.languages import load_game, model_from_parts
from qsage_validate.games.model_text import GameModel
from qsage_validate.games.positional.harary import harary_model
from qsage_validate.games.positional.hex import hex_network, preprocess, transversal_of
from qsage_validate.games.positional.model import Network, PositionalModel
from qsage_validate.games.protocol import Player
from tests.conftest import REPOSITORY
from tests.support.positional import random_game, random_network_game


def again(kind: str, model: GameModel) -> GameModel:
    """The model of a model's parts, which are lines that comments can carry."""
    parts = model.parts()
    assert not any("\r" in text or text.endswith("\n") for text in parts.values())
    return model_from_parts(kind, parts)


def test_random_positional_games_come_back_equal() -> None:
    random = Random(5)
    for _ in range(150):
        for model in (
            random_game(random),
            random_network_game(random),
            random_network_game(random, short=Player.WHITE),
        ):
            # Equal networks, turns, stones, sets and name: dataclasses compare all of it.
            assert again("positional", model) == model
            assert again("positional", preprocess(model)) == preprocess(model)


def test_drawn_hexagons_first_moves_and_several_stones_come_back() -> None:
    hexes = hex_network(4, 3)
    models = [
        hexes,
        transversal_of(hexes),
        harary_model("el", 4, 4, stones=2, first_stones=1, first=Player.WHITE),
        replace(harary_model("tic", 3, 3, maker_breaker=True, torus=True), first_moves=0b10011),
        replace(hexes, name='a "name" with | signs', black=1, white=2),
    ]
    for model in models:
        assert again("positional", model) == model


def test_goals_that_are_reached_before_the_first_stone_come_back() -> None:
    won = PositionalModel("won", ("a", "b"), (Player.BLACK,), (1, 0), (0, 2))
    joined = replace(won, black_wins=(), network=Network((2, 1), 1, 2, joined=True))
    cut = replace(joined, network=Network((0, 0), 1, 2))
    for model in (won, joined, cut):
        assert again("positional", model) == model


def test_own_games_in_gdl_come_back() -> None:
    for name in library.names():
        model = GdlModel(library.load(name), 5)
        assert again("gdl", model) == model


def test_games_in_gdl_come_back(shared_data: Path) -> None:
    files = sorted((shared_data / "gdl").glob("*.gdl"))
    assert files
    for number, file in enumerate(files):
        role = None if number % 2 else "xplayer"
        model = GdlModel(read_description(file), number, role, 100 - number)
        read = again("gdl", model)
        assert read == model
        assert read.name == model.name


@pytest.mark.parametrize(
    ("kind", "parts", "found"),
    [
        ("chess", {}, "the kind of game 'chess'"),
        ("positional", {"name": "x"}, "a model with the parts name"),
        ("bddl", {}, "a model with the parts none"),
        ("gdl", {"gdl": "(role a)", "rounds": "two"}, "'two'"),
        ("gdl", {"gdl": "(role a", "rounds": "2"}, "'(' that is not closed"),
        ("positional", {"pg": "#positions\na a"}, "model (pg):2:4: found the end of the file"),
        ("positional", {"pg": ""}, "model (pg):1:1: found "),
    ],
)
def test_parts_that_do_not_fit_are_one_line(kind: str, parts: dict[str, str], found: str) -> None:
    with pytest.raises(InputError) as caught:
        model_from_parts(kind, parts)
    assert found in str(caught.value)
    assert "\n" not in str(caught.value).split("\n    ")[0]


@pytest.mark.parametrize("note", ["won black 4", "won nobody 1", "squares", "won black 0"])
def test_notes_that_do_not_fit_are_told_by_their_line(note: str) -> None:
    parts = PositionalModel("x", ("a", "b"), (Player.BLACK,), (1,)).parts()
    parts["notes"] = f"hexagons\n{note}"
    with pytest.raises(InputError, match=r"model \(notes\):2:1"):
        model_from_parts("positional", parts)


# --- Models in the comments of formulas ---------------------------------------------------------


def text_of(formula: str, suffix: str) -> str:
    """A formula with a layout, as QCIR or QDIMACS."""
    qbf = parse_qcir(formula)
    return qcir_text(qbf) if suffix == "qcir" else qbf_to_qdimacs(qbf)


def model_in(text: str, suffix: str) -> GameModel:
    """The game of a formula's comments."""
    parse = parse_qcir if suffix == "qcir" else parse_qdimacs
    layout = layout_from_comments(parse(text, f"f.{suffix}"))
    assert layout is not None
    model = model_from_parts(layout.game, layout.model)
    load_game(model)
    return model


FORMULAS = {
    "tic": (REPOSITORY / "certificates" / "tic.qcir").read_text("utf-8"),
    "hex": qcir_text(encode(hex_network(2, 2, 3), "la").qbf),
    "trails": qcir_text(encode(GdlModel(library.load("trails"), 1), "gdl").qbf),
}


@pytest.mark.parametrize("suffix", ["qcir", "qdimacs"])
@pytest.mark.parametrize(
    ("name", "old", "new", "found"),
    [
        # The parser, the checks of what it has read, and the rules made of it.
        ("tic", ":effect (white(?x,?y))", ":effect (red(?x,?y))", "the unknown predicate 'red'"),
        ("tic", "| 5\n", "| five\n", "'five', expected a depth"),
        ("tic", "| #init\n", "| #init black(9,9)\n", "black(9,9)"),
        ("tic", "| :action occupy", "| :action", "':parameters', expected the action's name"),
        ("hex", "#startboarder", "#startborder", "section '#startborder'"),
        ("hex", "| t1 t3\n", "| t1 t4\n", "'t4', expected a time"),
        ("hex", "notes | hexagons", "notes | octagons", "'octagons', expected"),
        ("trails", "rounds | 1", "rounds | one", "'one', expected a number"),
        ("trails", "win | 100", "win | 1 0 0", "'1 0 0', expected a number"),
        ("trails", "gdl | (role red)", "gdl | (role red", "'(' that is not closed"),
        ("trails", "gdl | (role red)", "gdl | (<= (role ?x) (true ?x))", "a rule for role"),
    ],
)
def test_what_is_wrong_with_a_model_is_told_at_the_line_of_the_formula(
    name: str, old: str, new: str, found: str, suffix: str
) -> None:
    text = text_of(FORMULAS[name], suffix)
    assert old in text
    changed = text.replace(old, new, 1)
    with pytest.raises(InputError) as caught:
        model_in(changed, suffix)
    assert re.match(rf"f\.{suffix}:[0-9]+:[0-9]+: found ", str(caught.value)), caught.value
    assert found in str(caught.value)
    assert caught.value.line is not None
    assert caught.value.column is not None
    line = changed.split("\n")[caught.value.line - 1]
    assert "@ model" in line
    # The column is the file's: quoted words stand there.
    if caught.value.found.startswith("'") and "'" in caught.value.found[1:]:
        word = caught.value.found.split("'")[1]
        assert line[caught.value.column - 1 :].startswith(word.rstrip("…"))


@pytest.mark.parametrize(
    ("gone", "found"),
    [("model gdl |", "found a model with the parts"), ("model rounds |", "expected a part rounds")],
)
def test_a_part_that_is_missing_is_told_at_the_model(gone: str, found: str) -> None:
    text = "\n".join(line for line in FORMULAS["trails"].split("\n") if gone not in line)
    with pytest.raises(InputError, match=rf"f\.qcir:[0-9]+:1: .*{found}"):
        model_in(text, "qcir")


def test_short_white_needs_a_network() -> None:
    parts = PositionalModel("x", ("a", "b"), (Player.BLACK,), (1,)).parts()
    parts["notes"] = "short white"
    with pytest.raises(InputError, match=r"model \(notes\):1:1: found 'short white'"):
        model_from_parts("positional", parts)
    parts["notes"] = "hexagons\nhexagons"
    with pytest.raises(InputError, match=r"model \(notes\):2:1: found 'hexagons' once more"):
        model_from_parts("positional", parts)
