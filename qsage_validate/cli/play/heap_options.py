"""The options of plays with heaps, for a family of games that has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from qsage_validate.cli.parameters import OptionGroup, flag, option

_PANEL: Final = "Impartial games"


@dataclass(frozen=True)
class HeapOptions(OptionGroup):
    """The options that are about impartial games."""

    rules: str | None = option(
        "The rules to play against: lines 'CONDITION -> ACTION(E, ...)', or what qsage "
        "synthesize -o has written. Else they are synthesised.",
        "FILE",
        panel=_PANEL,
    )
    state: str | None = option(
        "The state to begin in; else one is drawn by --seed.", "'V=N …'", panel=_PANEL
    )
    begins: str | None = option(
        "Who begins; the rules play Black. Else whoever lets the rules win.",
        "black|white",
        panel=_PANEL,
    )
    misere: bool = flag("Whoever makes the last move loses.", panel=_PANEL)
    bound: int | None = option(
        "The largest value of a variable in states that are drawn or tried (20).",
        "N",
        min=0,
        panel=_PANEL,
    )
