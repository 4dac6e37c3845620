"""Formats that extensions read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from qsage_validate.formats.source import Format
from qsage_validate.registry import declared, load

if TYPE_CHECKING:
    from collections.abc import Mapping

    from qsage_validate.circuit.qbf import Qbf


@dataclass(frozen=True, slots=True)
class DeclaredFormat:
    """A format that is told by its content, and who reads it.

    ``part`` is what layouts call the part of a model that is such a text.  Places are loaded when
    they are asked for: ``told`` makes the facts for ``qsage info`` of bytes and a name, ``formula``
    the formula in a file, where the format has formulas.
    """

    format: Format
    told: str
    part: str | None = None
    formula: str | None = None

    def facts(self, data: bytes, name: str) -> dict[str, object]:
        """What a file says, for ``qsage info``; raises ``InputError`` for what is wrong in it."""
        found: Mapping[str, object] = load(self.told)(data, name)
        return dict(found)


@lru_cache(maxsize=1)
def formats() -> tuple[DeclaredFormat, ...]:
    """Formats that extensions declare; loaded when they are asked for."""
    return declared("formats", DeclaredFormat)


def formula_in(path: str, own: Format) -> Qbf | None:
    """The formula in a file of a format that an extension reads; ``None`` for another one."""
    place = next((one.formula for one in formats() if one.format is own), None)
    found: Qbf | None = None if place is None else load(place)(path)
    return found
