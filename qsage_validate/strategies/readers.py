"""The choice of the reader that a certificate's plays need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qsage_validate.certificates.oracles.oracle import Oracle
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.layout.layout import Layout
from qsage_validate.formats.grid_names import named_cell
from qsage_validate.games.protocol import TwoPlayerGame
from qsage_validate.kernel.certificate import Certificate, CertificateKind, CircuitCertificate
from qsage_validate.strategies.reader import CertificateReader
from qsage_validate.strategies.skolem import SkolemReader

if TYPE_CHECKING:
    from qsage_validate.certificates.oracles.sat import Refutes


def reader_of(
    layout: Layout,
    certificate: Certificate,
    formula: Qbf | None,
    oracle: Oracle,
    game: TwoPlayerGame | None = None,
    refuter: Refutes | None = None,
) -> CertificateReader:
    """The reader of a certificate's plays; a Herbrand certificate needs its formula.

    The game says where moves are drawn whose texts have no coordinates; ``refuter`` gives the
    verdicts of a Herbrand certificate that lacks functions.
    """
    square_of = named_cell if game is None else game.square_of
    if certificate.kind is CertificateKind.SKOLEM:
        return SkolemReader(layout, oracle, square_of)
    assert isinstance(certificate, CircuitCertificate), "clause sets are Skolem"
    assert formula is not None, "checked when loading"
    from qsage_validate.strategies.herbrand import HerbrandReader

    return HerbrandReader(certificate, formula, layout, oracle, square_of, refuter=refuter)
