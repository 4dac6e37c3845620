"""Pedant's model files (``--cnf``): Skolem functions as a set of clauses.

Variables are the formula's; what is above them helps to define the functions.  A comment
``c Model for variable N.`` stands before the clauses of each function.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from qsage_validate.formats.dimacs import split_dimacs

_MODEL: Final = re.compile(r"\s*Model for variable\s+(\S+?)\.?\s*")


@dataclass(frozen=True, eq=False)
class PedantFile:
    """The clauses of a model file.

    ``literals`` are all clauses in the order of the file, each ended by 0; ``defined`` the
    variables that the file announces models for; ``max_variable`` the header's number of
    variables.
    """

    literals: NDArray[np.int32]
    defined: frozenset[int]
    max_variable: int
    path: str | None = None

    @property
    def num_clauses(self) -> int:
        """The number of clauses."""
        return int(np.count_nonzero(self.literals == 0))


def parse_pedant(data: bytes, path: str | None = None) -> PedantFile:
    """The model in ``data``.

    Raises :class:`InputError` with line and column for malformed or truncated files, numbers
    that the header excludes, and a CNF without any ``c Model for variable N.``, which is no
    certificate.
    """
    dimacs = split_dimacs(data, path)
    defined: set[int] = set()
    for offset, text in dimacs.comments:
        match = _MODEL.fullmatch(text)
        if match is None:
            continue
        word = match.group(1)
        if not re.fullmatch(r"[0-9]{1,10}", word) or not 1 <= int(word) <= dimacs.variables:
            expected = f"a variable from 1 to {dimacs.variables}"
            raise dimacs.error(offset, f"a model for variable {word}", expected)
        defined.add(int(word))
    literals = dimacs.clause_literals(dimacs.start)
    if not defined:
        found = "a CNF without a comment 'c Model for variable N.'"
        raise dimacs.error(0, found, "a model that Pedant wrote with --cnf")
    return PedantFile(literals, frozenset(defined), dimacs.variables, path)
