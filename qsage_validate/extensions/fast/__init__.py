"""Searches that are quicker: in machine code that numba compiles, and by many processes."""

from typing import Final

DECLARES: Final = {"engines": "qsage_validate.extensions.fast.declared:ENGINES"}
