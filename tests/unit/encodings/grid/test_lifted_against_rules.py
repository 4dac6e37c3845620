"""The lifted encoding of small games: every scripted play ends in it as by the rules."""

from __future__ import annotations

import shlex

import pytest

from qsage_validate.encodings.grid import encode_lifted
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.bddl.rules import BddlGame
from qsage_validate.games.registry import find_command
from qsage_validate.judging.encoding import judge
from qsage_validate.validation.finding import Proved


@pytest.mark.parametrize(
    "words", ["httt --shape domino --size 2x2 --depth 3", "breakthrough --size 2x4 --depth 3"]
)
def test_formula_and_rules_agree_on_every_play(words: str) -> None:
    model = find_command(tuple(shlex.split(words)))
    assert isinstance(model, Model)
    encoding = encode_lifted(model)
    assert isinstance(judge(encoding.qbf, encoding.layout, BddlGame(model)).verdict, Proved)
