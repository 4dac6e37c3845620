"""A formula in whatever format its file has."""

from __future__ import annotations

from qsage_validate.circuit.qbf import PrenexOrder, Qbf
from qsage_validate.errors import InputError
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.formats.qdimacs import parse_qdimacs
from qsage_validate.formats.source import Format, Path, label, read_bytes, sniff_bytes


def read_formula(path: Path, order: PrenexOrder | None = None) -> Qbf:
    """Read a QCIR or QDIMACS file, recognised by its content (``-`` is standard input).

    A file that looks like neither is read as QCIR, so that the message says where it stops
    being one.  ``order`` is for quantifier gates, see ``parse_qcir``.  Raises
    :class:`InputError`, also for a file that is plainly something else.
    """
    data = read_bytes(path)
    found = sniff_bytes(data)
    if found is Format.QDIMACS:
        return parse_qdimacs(data, label(path))
    if found in (Format.QCIR, Format.UNKNOWN):
        return parse_qcir(data, label(path), order)
    raise InputError(label(path), 1, 1, f"a file of another kind ({found.value})", "a formula")
