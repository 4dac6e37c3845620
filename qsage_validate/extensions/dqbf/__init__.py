"""Dependency-quantified Boolean formulas (DQBF): their formats, their expansion, certificates."""

from typing import Final

DECLARES: Final = {"formats": "qsage_validate.extensions.dqbf.declared:FORMATS"}
