"""A formula in any format, those of extensions among them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from qsage_validate.circuit.qbf import PrenexOrder, Qbf
from qsage_validate.errors import InputError
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.formats.source import (
    Format,
    Path,
    label,
    read_bytes,
    sniff_bytes,
    unknown_format,
)
from qsage_validate.registry import declared, load

if TYPE_CHECKING:
    from collections.abc import Mapping


# Formats that extensions read


_READ_HERE: Final = (Format.QCIR, Format.QDIMACS, Format.AIGER_ASCII, Format.AIGER_BINARY)


@dataclass(frozen=True, slots=True)
class DeclaredFormat:
    """A format that is told by its content, and who reads it.

    ``part`` is what layouts call the part of a model that is such a text.  Places are loaded when
    they are asked for: ``told`` makes the facts for ``qsage info`` of bytes and a name, ``formula``
    the formula in a file, where the format has formulas, ``solve`` what 'qsage solve' and 'qsage
    certify' do with a file where QBF solvers do not.
    """

    format: Format
    told: str
    part: str | None = None
    formula: str | None = None
    solve: str | None = None

    def facts(self, data: bytes, name: str) -> dict[str, object]:
        """What a file says, for ``qsage info``; raises ``InputError`` for what is wrong in it."""
        found: Mapping[str, object] = load(self.told)(data, name)
        return dict(found)


@lru_cache(maxsize=1)
def formats() -> tuple[DeclaredFormat, ...]:
    """Those that are installed, in the order of the extensions' names."""
    return declared("formats", DeclaredFormat)


def formula_in(path: str, own: Format) -> Qbf | None:
    """The formula in a file of a format that an extension reads; ``None`` for another one."""
    if own in _READ_HERE:
        return None
    place = next((one.formula for one in formats() if one.format is own), None)
    found: Qbf | None = None if place is None else load(place)(path)
    return found


# A formula in whatever format its file has


def read_formula(path: Path, order: PrenexOrder | None = None) -> Qbf:
    """Read a QCIR, QDIMACS or QAIGER file, recognised by its content (``-`` is standard input).

    ``order`` is for quantifier gates, see ``parse_qcir``.  Raises :class:`InputError`, also for a
    file of another format or of none.
    """
    data = read_bytes(path)
    found = sniff_bytes(data)
    if found is Format.QDIMACS:
        from qsage_validate.formats.qdimacs import parse_qdimacs

        return parse_qdimacs(data, label(path))
    if found is Format.QCIR:
        return parse_qcir(data, label(path), order)
    if found in (Format.AIGER_ASCII, Format.AIGER_BINARY):
        from qsage_validate.formats.qcir_bulk import parse_qaiger

        return parse_qaiger(data, label(path))
    if found is Format.UNKNOWN:
        raise unknown_format(data, label(path), "a formula (QCIR, QDIMACS or QAIGER)")
    takes = {Format.SOLUTION: ", or --solution FILE", Format.HEX_STRATEGY: ", or --strategy FILE"}
    expected = "a formula" + takes.get(found, "")
    raise InputError(label(path), 1, 1, f"a file of another kind ({found.value})", expected)
