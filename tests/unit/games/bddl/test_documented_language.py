"""The examples of the language reference are of the language."""

from __future__ import annotations

import re

from qsage_validate.games.bddl.checks import check_model
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.bddl.parser import parse_domain, parse_problem
from tests.conftest import REPOSITORY
from tests.support.by_name import grid_templates

TEXT = (REPOSITORY / "docs" / "reference" / "bddl.md").read_text("utf-8")


def example(part: str) -> str:
    """The block of the page that is marked as ``part``."""
    (block,) = re.findall(rf"^```bddl {part}\n(.*?)^```$", TEXT, re.M | re.S)
    assert isinstance(block, str)
    return block


def test_the_example_is_a_model_without_a_diagnostic() -> None:
    model = Model(parse_domain(example("domain")), parse_problem(example("problem")))
    assert check_model(model) == []
    assert (model.problem.width, model.problem.plies) == (4, 5)


def test_all_games_by_name_are_mentioned() -> None:
    plain = " ".join(TEXT.lower().replace("-", " ").split())
    plain = plain.replace("harary's tic tac toe", "httt")
    for template in grid_templates():
        words = template.name.removesuffix("-dual").replace("-", " ").split()
        assert all(word in plain for word in words), template.name
