"""The family of impartial games; nothing else is loaded."""

from typing import Final

from qsage_validate.games.family import DeclaredFamily

FAMILIES: Final = (
    DeclaredFamily(
        name="impartial",
        about="impartial games (qsage synthesize NAME, qsage play NAME)",
        more="and the games of the benchmark's families (qsage synthesize --list)",
        games=f"{__package__}.families:FAMILY",
        play=f"{__package__}.cli_play:play_heaps",
    ),
)
