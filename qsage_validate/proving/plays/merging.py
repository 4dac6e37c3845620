"""The test if two beginnings of plays may be taken for one: nothing asked later can differ.

A certificate answers the opponent's history, not the position, so that equal boards are not
enough.  Two beginnings are merged when the rules' positions are equal and what is left of the
certificate and the matrix is the same: of the replies, boards and indicators of the plies to
come and of the verdict, as functions of the variables that the opponent has still to choose.
The symbolic position is taken value by value, for then the boards are constants.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from functools import cache
from itertools import product
from typing import Final

import numpy as np

from qsage_validate.certificates.oracles.simulation import SimulationOracle
from qsage_validate.circuit.simulate import Cofactors, pack
from qsage_validate.encodings.layout.layout import Layout
from qsage_validate.games.bddl.arrays import Flags
from qsage_validate.games.protocol import Player

# With more variables the symbolic position is left open: less is merged, and still rightly.
_POSITION_BITS: Final = 6
_ALL: Final = np.uint64(0xFFFF_FFFF_FFFF_FFFF)


def merging_for(
    layout: Layout, oracle: SimulationOracle, also: Collection[int] = ()
) -> Merging | None:
    """The rule by which beginnings are merged; ``None`` if none may be.

    ``also`` are further variables and gates that are looked at where plays end.
    A variable that has two roles in the layout gets two values in a play, so that what is left
    under the first of them says nothing of what comes after the second.
    """
    symbolic = set(map(abs, layout.state.position))
    roles = Counter(symbolic)
    for move in layout.moves:
        roles.update(set(map(abs, move.all_variables)))
    shared = any(roles[variable] > 1 for variable in oracle.opponent)
    return None if shared else Merging(layout, oracle, also)


class Merging:
    """Keys of beginnings of plays against a Skolem certificate that is a circuit.

    The roles of the opponent's variables must be disjoint: see :func:`merging_for`.
    """

    def __init__(
        self, layout: Layout, oracle: SimulationOracle, also: Collection[int] = ()
    ) -> None:
        self._layout = layout
        self._also = also
        self._oracle = oracle
        self._column = {variable: k for k, variable in enumerate(oracle.opponent)}
        position = dict.fromkeys(map(abs, layout.state.position))
        columns = [self._column[v] for v in position if v in self._column]
        self._position = columns if len(columns) <= _POSITION_BITS else []
        self._remainders = cache(self._make)

    def keys(self, plies: int, choice: Flags) -> list[bytes]:
        """Equal keys for beginnings of ``plies`` plies after which nothing can differ.

        ``choice`` has the opponent's variables, shape ``(beginnings, variables)``.
        """
        plays = pack(choice)
        values = list(product((np.uint64(0), _ALL), repeat=len(self._position)))
        inputs = np.repeat(plays[:, None, :], len(values), axis=1)
        for k, column in enumerate(self._position):
            inputs[column] = np.asarray([own[k] for own in values], dtype=np.uint64)[:, None]
        return self._remainders(plies).digests(inputs, len(choice))

    def _make(self, plies: int) -> Cofactors:
        chosen_before = {abs(v) for ply in self._layout.moves[:plies] for v in ply.all_variables}
        fixed = {self._column[v] for v in chosen_before if v in self._column} | set(self._position)
        wanted = list(dict.fromkeys(abs(literal) for literal in self._to_come(plies)))
        return Cofactors(*self._oracle.graph(wanted), sorted(fixed))

    def _to_come(self, plies: int) -> Iterator[int]:
        """The literals that may be asked for after ``plies`` plies."""
        layout = self._layout
        yield from self._also
        for ply in layout.moves[plies:]:
            yield from ply.all_variables if ply.player is Player.BLACK else ply.says_legal
        # Where a board is told it was looked at; atoms may also say what is legal next.
        first = plies + 1 if layout.state.is_board else plies
        for state in layout.state.states[first:]:
            yield from filter(None, state)
        if layout.verdict is not None:
            yield layout.verdict
