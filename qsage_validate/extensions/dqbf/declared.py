"""The formats of DQBFs; nothing else is loaded."""

from typing import Final

from qsage_validate.formats.formula import DeclaredFormat
from qsage_validate.formats.source import Format

FORMATS: Final = tuple(
    DeclaredFormat(
        own,
        f"{__package__}.command:told",
        formula=f"{__package__}.reader:read_dqbf",
        solve=f"{__package__}.command:solve",
    )
    for own in (Format.DQDIMACS, Format.DQCIR)
)
