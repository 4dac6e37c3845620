"""What commands tell of games in GDL and of logic programs; their readers are loaded later."""

from typing import Final

from qsage_validate.formats.formula import DeclaredFormat
from qsage_validate.formats.source import Format

FORMATS: Final = (
    DeclaredFormat(Format.GDL, f"{__package__}.told:description", part="gdl"),
    DeclaredFormat(
        Format.QASP,
        f"{__package__}.told:program",
        formula="qsage_validate.extensions.gdl.encodings.qasp:read_qasp",
    ),
)
