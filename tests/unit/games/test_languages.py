"""Each language reads its files, makes its rules, and owns its models alone."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from qsage_validate.encodings.registry import encoders
from qsage_validate.errors import UsageError
from qsage_validate.games.languages import LANGUAGES, language_of, load_game, model_from_parts
from qsage_validate.games.model_text import GameModel, has_rules, languages, parts_of
from qsage_validate.games.registry import find_model
from qsage_validate.solvers.deepening import depths_of

MODELS: Mapping[str, GameModel] = {
    "bddl": find_model(["httt"], {"size": "3x3", "shape": "el", "depth": 5}),
    "positional": find_model(["harary"], {"size": "3x3", "shape": "el", "depth": 5}),
    "gdl": find_model(["trails"], {"depth": 5}),
}


def files_of(model: GameModel, folder: Path) -> list[str]:
    """A model's text as files."""
    texts = [text for part, text in model.parts().items() if part in ("domain", "problem", "pg")]
    texts = texts or [model.parts()["gdl"]]
    for number, text in enumerate(texts):
        (folder / f"part{number}").write_text(text)
    return [str(folder / f"part{number}") for number in range(len(texts))]


def test_every_language_has_a_model_encodings_and_depths() -> None:
    assert LANGUAGES.keys() == MODELS.keys() == languages().keys()
    for name, model in MODELS.items():
        assert model.language == name
        assert load_game(model).language == name
        assert encoders(name)
        assert depths_of(model).depth(5) == model.depth == 5


@pytest.mark.parametrize("name", LANGUAGES)
def test_a_model_is_read_again_from_its_files(name: str, tmp_path: Path) -> None:
    model, language = MODELS[name], LANGUAGES[name]
    files = files_of(model, tmp_path)
    assert all(language_of(file) is language for file in files)
    read = find_model(files, {"depth": "5"})
    # Files have names of their own.
    again = model_from_parts(name, {**read.parts(), "name": model.name})
    assert again.fingerprint() == model.fingerprint()
    assert again.at_depth(3).depth == 3
    assert again.at_depth(3).fingerprint() == model.fingerprint()


@pytest.mark.parametrize("name", LANGUAGES)
def test_a_language_owns_its_models_alone(name: str) -> None:
    language: Any = LANGUAGES[name]
    for other, model in MODELS.items():
        if other == name:
            assert language.own(model) is model
            continue
        with pytest.raises(
            UsageError, match=re.escape(f"found {model.name}, expected a {language.games}")
        ):
            language.own(model)


@pytest.mark.parametrize("name", LANGUAGES)
def test_parts_are_those_that_layouts_may_carry(name: str) -> None:
    parts = MODELS[name].parts()
    assert parts.keys() <= set(parts_of(name))
    assert has_rules(name, parts)
    assert not has_rules(name, {"name": parts["name"]})
    assert not has_rules("chess", parts)
