"""A plan's decisions as circuits over the opponent's move bits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from qsage_validate.certificates.compile.plan import Plan, PlanNode
from qsage_validate.circuit.aig import AigBuilder
from qsage_validate.circuit.decision import synthesise
from qsage_validate.encodings.layout.codings import Bits
from qsage_validate.games.protocol import Move

Column = Callable[[Callable[[PlanNode], int | None], int], Bits]
"""Makes the circuit of a number that each node of a ply determines, in so many bits."""


@dataclass(frozen=True)
class Arrival:
    """One way to come to a decision: the class before, the opponent's move, the node."""

    code: int
    reply: Move | None
    node: PlanNode


class Decisions:
    """The hero's decisions, ply by ply.

    The *class* of a ply is the number of the plan node that is in force, in binary; it is a
    function of the class before and of the opponent's move in between.  ``numbers`` turns a
    move of the opponent into the numbers that its bit vectors stand for.
    """

    def __init__(
        self,
        builder: AigBuilder,
        plan: Plan,
        numbers: Callable[[Move], Sequence[int]],
    ) -> None:
        self.builder = builder
        self.numbers = numbers
        self._class: Bits = ()
        if plan.root is not None:
            self._arrivals = [Arrival(0, None, plan.root)]
        else:
            self._arrivals = [Arrival(0, move, node) for move, node in plan.replies.items()]
        self._inputs: Bits = ()
        self._groups: list[int] = []
        # The nodes that are in force after each of the hero's plies: their codes, the class.
        self.left: list[tuple[dict[PlanNode, int], Bits]] = []
        self._keys: list[tuple[int, PlanNode]] = []

    @property
    def nodes(self) -> list[PlanNode]:
        """The nodes that can be in force at the current ply."""
        return list(dict.fromkeys(arrival.node for arrival in self._arrivals))

    def arrive(self, opponent: Sequence[Bits]) -> None:
        """Come to the hero's next ply; ``opponent`` are the vectors of the move before it."""
        self._inputs = self._class + tuple(bit for vector in opponent for bit in vector)
        self._groups = [len(self._class), *map(len, opponent)]
        self._keys = [(self._key(arrival, opponent), arrival.node) for arrival in self._arrivals]

    def _key(self, arrival: Arrival, opponent: Sequence[Bits]) -> int:
        key = arrival.code
        if arrival.reply is not None:
            for vector, number in zip(opponent, self.numbers(arrival.reply), strict=True):
                key = key << len(vector) | number
        return key

    def column(self, value: Callable[[PlanNode], int | None], width: int) -> Bits:
        """A number that each node determines, as ``width`` bits; ``None`` is a don't-care."""
        return self.at_this_ply()(value, width)

    def at_this_ply(self) -> Column:
        """:meth:`column` for the current ply, also when the decisions have gone on."""
        inputs, keys, groups = self._inputs, self._keys, self._groups

        def column(value: Callable[[PlanNode], int | None], width: int) -> Bits:
            values = [(key, value(node)) for key, node in keys]
            return tuple(
                synthesise(
                    self.builder,
                    inputs,
                    {key: None if number is None else number >> bit & 1 for key, number in values},
                    groups,
                )
                for bit in range(width - 1, -1, -1)
            )

        return column

    def leave(self) -> None:
        """Go on from the hero's ply: the class bits of the nodes in force become inputs."""
        lasting = [node for node in self.nodes if node.table]
        weight = dict.fromkeys(lasting, 0)
        for arrival in self._arrivals:
            if arrival.node in weight:
                weight[arrival.node] += 1
        # Nodes with many arrivals get the small codes: their bits are false most of the time.
        lasting.sort(key=lambda node: -weight[node])
        codes = {node: code for code, node in enumerate(lasting)}
        self._class = self.column(codes.get, max(len(lasting) - 1, 0).bit_length())
        self.left.append((codes, self._class))
        self._arrivals = [
            Arrival(codes[node], reply, child)
            for node in lasting
            for reply, child in node.table.items()
        ]
