"""QRP traces: what a QBF solver derived on its way to the answer, step by step.

Three dialects, told by the content:

- ``qrp`` (Niemetz, Preiner, Lonsing, Seidl and Biere, *Resolution-based certificate extraction
  for QBF*, SAT 2012; DepQBF's ``--trace=qrp``): a header ``p qrp VARIABLES STEPS``, the prefix,
  one line ``id literals 0 antecedents 0`` a step, and ``r SAT`` or ``r UNSAT``.  A step without
  antecedents is a clause of the formula or an initial cube, one antecedent is a reduction, two
  are a resolution; the literals are those after reduction.
- ``bqrp``, the same in bytes (``formats/qrp_binary.py``).
- Qute's ``--trace``: no header and no result; behind the id stands 0 for a clause or 1 for a
  cube; a step may have any number of antecedents, which are resolved in that order.

Of steps that no proof needs only the alphabet of the literals is checked.
"""

from __future__ import annotations

from qsage_validate.errors import InputError
from qsage_validate.formats.bytes_of import BytesOf, bytes_of
from qsage_validate.formats.qrp_binary import index_binary
from qsage_validate.formats.qrp_steps import QrpDialect, QrpProof
from qsage_validate.formats.qrp_text import index_text
from qsage_validate.formats.source import Format, Path, sniff_bytes


def read_qrp(path: Path) -> QrpProof:
    """Index a trace (compressed or not, ``-`` for standard input).

    A file that is not compressed is read piece by piece and must stay where it is while the
    trace is used.  Raises :class:`InputError` with the line (of text) or the byte (of ``bqrp``)
    for what is malformed, ends too early, or proves nothing.
    """
    return index_qrp(bytes_of(path))


def index_qrp(file: BytesOf) -> QrpProof:
    """Index the trace in ``file``; errors as in :func:`read_qrp`."""
    found = sniff_bytes(file.read(0, 1 << 16))
    if found is Format.BQRP:
        return index_binary(file)
    if found not in (Format.QRP, Format.QUTE):
        kind = "an empty file" if not file.size else "a file that is no trace"
        if file.size and found is not Format.UNKNOWN:
            kind = f"a file in the format {found.value}"
        raise InputError(file.path, 1, 1, kind, "a QRP trace (of DepQBF or Qute)")
    return index_text(file, QrpDialect.QRP if found is Format.QRP else QrpDialect.QUTE)
