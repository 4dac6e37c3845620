"""What commands do with DQBFs; readers and the expansion are loaded later."""

from typing import Final

from qsage_validate.formats.formula import DeclaredFormat
from qsage_validate.formats.source import Format

FORMATS: Final = tuple(
    DeclaredFormat(
        own,
        f"{__package__}.cli:told",
        formula="qsage_validate.extensions.dqbf.expansion:read_dqbf",
        solve=f"{__package__}.cli:solve",
    )
    for own in (Format.DQDIMACS, Format.DQCIR)
)
