"""AIGER in ASCII (``aag``), loaded for such files alone: gates in any order, errors by line."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qsage_validate.circuit.aig import Aig, Literals
from qsage_validate.formats.aiger_parts import AigerFile, AigerReader, moved_literals
from qsage_validate.formats.numbers import Column


class AsciiReader(AigerReader):
    def read(self) -> AigerFile:
        header = self.header
        total = header.inputs + header.outputs + header.gates
        starts = self.lines(header.length, total, "lines")
        first_gate = header.inputs + header.outputs
        inputs, _ = self.columns(starts[: header.inputs + 1], 1, "an input")
        outputs, _ = self.columns(starts[header.inputs : first_gate + 1], 1, "an output")
        gates, end = self.columns(starts[first_gate:], 3, "a gate")
        self.input_starts, self.gate_starts = starts, starts[first_gate:]
        output_starts = starts[header.inputs :]
        self.check_range(inputs[:, 0], starts, "input")
        self.check_range(outputs[:, 0], output_starts, "output")
        for which in range(3):
            self.check_range(gates[:, which], self.gate_starts, "literal")
        place = self._definitions(inputs[:, 0], gates[:, 0])
        left, right = gates[:, 1], gates[:, 2]
        for column in (left, right):
            self._check_defined(place, column, self.gate_starts, "a gate of")
        self._check_defined(place, outputs[:, 0], output_starts, "an output")
        order = self._order(place, left, right)
        literal_of = np.full(header.maximum + 1, -1, dtype=np.int32)
        literal_of[0] = 0
        literal_of[inputs[:, 0] >> 1] = 2 * np.arange(1, header.inputs + 1)
        variables = 2 * np.arange(header.inputs + 1, header.inputs + header.gates + 1)
        if order is None:
            literal_of[gates[:, 0] >> 1] = variables
        else:
            literal_of[gates[order, 0] >> 1] = variables
            left, right = left[order], right[order]
        aig = Aig(
            header.inputs, moved_literals(literal_of, left), moved_literals(literal_of, right)
        )
        input_symbols, output_symbols, comments = self.tail(end)
        return AigerFile(
            aig=aig,
            inputs=(inputs[:, 0] >> 1).astype(np.int32),
            outputs=moved_literals(literal_of, outputs[:, 0]),
            output_literals=outputs[:, 0].astype(np.int32),
            literal_of=literal_of,
            input_symbols=input_symbols,
            output_symbols=output_symbols,
            comments=comments,
            binary=False,
            path=self.path,
        )

    def _definitions(self, inputs: Column, gates: Column) -> Literals:
        """For each index: -1 undefined, 0 constant or input, else 1 + the gate's position."""
        for literals, starts, what in (
            (inputs, self.input_starts, "input"),
            (gates, self.gate_starts, "gate"),
        ):
            wrong = np.flatnonzero((literals < 2) | (literals & 1 == 1))
            if len(wrong):
                k = int(wrong[0])
                found = f"{what} {int(literals[k])}"
                raise self.error(int(starts[k]), found, "an even literal of at least 2")
        place = np.full(self.header.maximum + 1, -1, dtype=np.int32)
        place[0] = 0
        # The last definition of an index finds its own number there; an earlier one does not.
        defined = np.concatenate((inputs, gates)) >> 1
        numbers = np.arange(len(defined), dtype=np.int32)
        place[defined] = numbers
        twice = np.flatnonzero(place[defined] != numbers)
        if len(twice):
            variable = int(defined[twice[0]])
            again = int(np.flatnonzero(defined == variable)[1])
            where = self.input_starts if again < len(inputs) else self.gate_starts
            offset = int(where[again if again < len(inputs) else again - len(inputs)])
            found = f"a second definition of {2 * variable}"
            raise self.error(offset, found, "each input or gate defined once")
        place[inputs >> 1] = 0
        place[gates >> 1] = np.arange(1, len(gates) + 1, dtype=np.int32)
        return place

    def _check_defined(self, place: Literals, used: Column, starts: Column, what: str) -> None:
        wrong = np.flatnonzero(place[used >> 1] < 0)
        if len(wrong):
            k = int(wrong[0])
            found = f"{what} {int(used[k])}, which is not defined"
            raise self.error(int(starts[k]), found, "an input or a gate")

    def _order(self, place: Literals, left: Column, right: Column) -> NDArray[np.int64] | None:
        """A topological order of the gates; ``None`` when the file's is one."""
        before_left = place[left >> 1] - 1
        before_right = place[right >> 1] - 1
        own = np.arange(len(left), dtype=np.int32)
        if (before_left < own).all() and (before_right < own).all():
            return None
        return self._sorted(before_left.tolist(), before_right.tolist())

    def _sorted(self, left: list[int], right: list[int]) -> NDArray[np.int64]:
        """Depth-first, without recursion; ``left`` and ``right`` are gates, -1 for none."""
        state = bytearray(len(left))  # 0 untouched, 1 on the path, 2 done
        order: list[int] = []
        for root in range(len(left)):
            if state[root]:
                continue
            path = [root]
            while path:
                gate = path[-1]
                state[gate] = 1
                below = left[gate]
                if below < 0 or state[below] == 2:
                    below = right[gate]
                    if below < 0 or state[below] == 2:
                        state[gate] = 2
                        order.append(gate)
                        path.pop()
                        continue
                if state[below] == 1:
                    offset = int(self.gate_starts[below])
                    found = "a gate that depends on itself"
                    raise self.error(offset, found, "gates without a cycle")
                path.append(below)
        return np.asarray(order, dtype=np.int64)
