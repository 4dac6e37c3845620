"""Groups of options: a command's help shows their options, and the command gets them as values."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Annotated

import pytest
import typer

from qsage_validate.cli.app import run
from qsage_validate.cli.option_groups import (
    REQUIRED,
    OptionGroup,
    argument,
    flag,
    option,
    takes_options,
)
from qsage_validate.errors import Exit


@dataclass(frozen=True)
class Colours(OptionGroup):
    back: str = option("Behind.", default=REQUIRED)
    fore: str | None = option("Before.")


@dataclass(frozen=True)
class Sizes(OptionGroup):
    width: Annotated[int, typer.Option(min=1)] = 3
    colours: bool = flag("As many as there are.", "--many")


given: list[tuple[Colours, Sizes, bool, str | None]] = []


@takes_options
def draw(
    *,
    name: str | None = argument("What.", "NAME", None),
    colours: Colours,
    quick: Annotated[bool, typer.Option("--quick")] = False,
    sizes: Sizes,
) -> Exit:
    """Draw."""
    given.append((colours, sizes, quick, name))
    return Exit.FINE


@pytest.fixture
def program() -> typer.Typer:
    given.clear()
    program = typer.Typer(rich_markup_mode=None, add_completion=False)
    program.command("draw")(draw)
    return program


def test_options_stand_where_their_group_stands() -> None:
    names = ["name", "back", "fore", "quick", "width", "colours"]
    assert list(inspect.signature(draw).parameters) == names
    assert draw.__doc__ == "Draw."


def test_the_command_gets_the_values_of_each_group(program: typer.Typer) -> None:
    assert run(program, ["--back", "red", "--width", "5", "--many", "a"], "draw") == 0
    assert run(program, ["--back", "red", "--fore", "blue", "--quick"], "draw") == 0
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
    program: typer.Typer, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(program, arguments, "draw") == Exit.BAD_INPUT
    assert said in capsys.readouterr().err
    assert not given


def test_two_groups_with_an_option_of_one_name_are_refused() -> None:
    def twice(*, one: Colours, other: Colours) -> Exit:
        raise NotImplementedError

    with pytest.raises(ValueError, match="duplicate parameter name: 'back'"):
        takes_options(twice)
