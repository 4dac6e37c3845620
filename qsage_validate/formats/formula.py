"""A formula in whatever format its file has."""

from __future__ import annotations

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
        from qsage_validate.formats.qaiger import parse_qaiger

        return parse_qaiger(data, label(path))
    if found is Format.UNKNOWN:
        raise unknown_format(data, label(path), "a formula (QCIR, QDIMACS or QAIGER)")
    raise InputError(label(path), 1, 1, f"a file of another kind ({found.value})", "a formula")
