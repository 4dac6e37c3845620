"""What commands tell of games in GDL and of logic programs; their readers are loaded later."""

from __future__ import annotations

from typing import Final

from qsage_validate.formats.formula import DeclaredFormat
from qsage_validate.formats.source import Format

FORMATS: Final = (
    DeclaredFormat(Format.GDL, f"{__package__}.language:description", part="gdl"),
    DeclaredFormat(
        Format.QASP,
        f"{__package__}.language:program",
        formula="qsage_validate.extensions.gdl.qasp:read_qasp",
    ),
)
