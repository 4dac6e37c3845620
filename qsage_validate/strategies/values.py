"""Many questions about signed literals at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from qsage_validate.certificates.oracles.oracle import Oracle


def ask(
    oracle: Oracle, choices: Sequence[Mapping[int, bool]], literals: Sequence[int]
) -> NDArray[np.bool_]:
    """The values of signed ``literals`` under each choice.

    Shape ``(len(choices), len(literals))``; errors as for ``Oracle.values``.
    """
    variables = list(dict.fromkeys(abs(literal) for literal in literals))
    if not choices or not variables:
        return np.zeros((len(choices), len(literals)), dtype=np.bool_)
    table = oracle.many(choices, variables)
    column = {variable: k for k, variable in enumerate(variables)}
    chosen: NDArray[np.bool_] = table[:, [column[abs(literal)] for literal in literals]]
    return chosen ^ np.asarray([literal < 0 for literal in literals], dtype=np.bool_)
