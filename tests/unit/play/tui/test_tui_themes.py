"""What can be told apart on terminals with many colours and with few."""

from __future__ import annotations

from itertools import product

import pytest
from rich.color import Color, ColorSystem

from qsage_validate.play.tui.base import THEMES, themes
from qsage_validate.play.tui.board_view import BoardView
from qsage_validate.play.tui.model.view import SquareMark
from tests.support.pilot import Driver, drive
from tests.support.table_matches import HEX, table_match

SYSTEMS = {
    "truecolor": ColorSystem.TRUECOLOR,
    "256": ColorSystem.EIGHT_BIT,
    "standard": ColorSystem.STANDARD,
}
WOOD = "wood", "wood-alt"
GROUNDS = *WOOD, *(f"mark-{mark.value}" for mark in SquareMark if mark is not SquareMark.LEGAL)


def luminance(colour: str, system: ColorSystem) -> float:
    """That of the colour that the terminal shows (WCAG 2.1)."""
    shown = Color.parse(colour).downgrade(system).get_truecolor()
    parts = [value / 255 for value in shown]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("theme", THEMES)
def test_signs_and_stones_stand_out(system: str, theme: str) -> None:
    """A contrast of three to one, of signs on every ground and of White's stones on the wood."""
    colours = themes(system)[theme].variables
    pairs = [
        *product(GROUNDS, ("mark-cursor", "mark-legal", "stone-black", "wood-dot")),
        *product(WOOD, ("stone-white",)),
    ]
    low = {}
    for ground, sign in pairs:
        low_one, high = sorted(luminance(colours[c], SYSTEMS[system]) for c in (ground, sign))
        contrast = (high + 0.05) / (low_one + 0.05)
        if contrast < 3:
            low[ground, sign] = round(contrast, 2)
    assert low == {}


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("theme", THEMES)
def test_the_sides_of_a_board_are_seen_on_every_screen(system: str, theme: str) -> None:
    """White's are white on the wood of the lines: a light screen is nearly white, too."""
    colours = themes(system)[theme].variables
    shown = [luminance(colours[name], SYSTEMS[system]) for name in ("wood-line", "stone-white")]
    assert (max(shown) + 0.05) / (min(shown) + 0.05) >= 4.5

    async def scenario(driver: Driver) -> None:
        board = driver.app.query_one(BoardView)
        white, black = board._side(top=False), board._side(top=True)
        assert (white.color, white.bgcolor) == (
            board.get_component_rich_style("board--white").color,
            board.get_component_rich_style("board--line").color,
        )
        assert black.bgcolor == board.get_component_rich_style("board--wood").bgcolor

    drive(table_match(HEX, "en"), scenario, theme=theme)


# The 16 colours of xterm, by number: its yellow (3) is much brighter than the one that Rich has.
XTERM = (
    *("000000", "cd0000", "00cd00", "cdcd00", "0000ee", "cd00cd", "00cdcd", "e5e5e5"),
    *("7f7f7f", "ff0000", "00ff00", "ffff00", "5c5cff", "ff00ff", "00ffff", "ffffff"),
)


@pytest.mark.parametrize("theme", THEMES)
def test_texts_can_be_read_with_the_16_colours_of_xterm(theme: str) -> None:
    chosen = themes("standard")[theme]

    def shown(colour: str) -> float:
        number = Color.parse(colour).downgrade(ColorSystem.STANDARD).number
        assert number is not None
        return luminance(f"#{XTERM[number]}", ColorSystem.TRUECOLOR)

    ground = shown(chosen.background or "")
    texts = {
        "accent": chosen.accent,
        "warning": chosen.warning,
        "error": chosen.error,
        "quiet": chosen.variables["quiet"],
        "dim": chosen.variables["text-disabled"],
    }
    contrasts = {}
    for name, colour in texts.items():
        low, high = sorted((shown(colour or ""), ground))
        contrasts[name] = (high + 0.05) / (low + 0.05)
    assert {name: c for name, c in contrasts.items() if c < 3} == {}


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("greys", [False, True])
def test_hints_in_a_field_can_be_read_with_16_colours(theme: str, greys: bool) -> None:
    """With ``NO_COLOR`` too, where both the hint and its field become greys."""
    chosen = themes("standard")[theme]

    def shown(colour: str) -> int | None:
        red, green, blue = Color.parse(colour).get_truecolor()
        grey = round(red * 0.299 + green * 0.587 + blue * 0.114)
        seen = f"#{grey:02x}{grey:02x}{grey:02x}" if greys else colour
        return Color.parse(seen).downgrade(ColorSystem.STANDARD).number

    assert shown(chosen.variables["text-disabled"]) != shown(chosen.panel or "")
