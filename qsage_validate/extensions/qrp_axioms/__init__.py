"""Generalised axioms of Q-resolution: initial clauses and cubes that a solver found otherwise."""

from typing import Final

DECLARES: Final = {"axioms": "qsage_validate.extensions.qrp_axioms.axioms:AXIOMS"}
