"""Groups of options: a command's help shows their options, and the command gets them as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest

from qsage_validate.cli.app import run
from qsage_validate.cli.commands import subcommand
from qsage_validate.cli.parameters import (
    REQUIRED,
    OptionGroup,
    argument,
    flag,
    option,
)
from qsage_validate.errors import Exit


@dataclass(frozen=True)
class Colours(OptionGroup):
    back: str = option("Behind.", default=REQUIRED)
    fore: str | None = option("Before.")


@dataclass(frozen=True)
class Sizes(OptionGroup):
    width: Annotated[int, option("How wide.", min=1)] = 3
    colours: bool = flag("As many as there are.", "--many")


given: list[tuple[Colours, Sizes, bool, str | None]] = []


@subcommand("draw --quick")
def draw(
    *,
    name: str | None = argument("What.", "NAME", None),
    colours: Colours,
    quick: Annotated[bool, flag("In a hurry.")] = False,
    sizes: Sizes,
) -> Exit:
    """Draw."""
    given.append((colours, sizes, quick, name))
    return Exit.FINE


@pytest.fixture(autouse=True)
def nothing_given() -> None:
    given.clear()


def test_options_stand_where_their_group_stands() -> None:
    names = ["name", "back", "fore", "quick", "width", "colours"]
    assert [parameter.name for parameter in draw.params] == names
    assert draw.help == "Draw."


def test_the_command_gets_the_values_of_each_group() -> None:
    assert run(draw, ["--back", "red", "--width", "5", "--many", "a"], "draw") == 0
    assert run(draw, ["--back", "red", "--fore", "blue", "--quick"], "draw") == 0
    assert given == [
        (Colours("red"), Sizes(5, colours=True), False, "a"),
        (Colours("red", "blue"), Sizes(), True, None),
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Missing option '--back'"),
        (["--back", "red", "--width", "0"], "Invalid value for '--width'"),
    ],
)
def test_what_is_wrong_is_told_as_for_any_option(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(draw, arguments, "draw") == Exit.BAD_INPUT
    assert said in capsys.readouterr().err
    assert not given


def test_two_groups_with_an_option_of_one_name_are_refused() -> None:
    def twice(*, one: Colours, other: Colours) -> Exit:
        raise NotImplementedError

    with pytest.raises(ValueError, match="duplicate parameter name: 'back'"):
        subcommand()(twice)
