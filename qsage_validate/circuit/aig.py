"""And-inverter graphs.

A literal is AIGER's: twice a variable, plus one when negated; 0 is false and 1 is true.
:class:`AigBuilder` makes graphs gate by gate with structural hashing; :class:`Aig` is the
frozen result, two numpy columns in topological order, which is what is fast to simulate, to
hand to a SAT solver and to write.  numpy is loaded for graphs only: formulas, which can be built
as graphs, import this module too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FALSE: Final = 0
TRUE: Final = 1

Literals: TypeAlias = "NDArray[np.int32]"

# Gates that are Python numbers at one time: a million of them take 80 MB.
_BLOCK: Final = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class Aig:
    """An and-inverter graph in topological order.

    Variables ``1 .. num_inputs`` are the inputs; gate ``k`` (from 0) is variable
    ``num_inputs + 1 + k`` and is the AND of the literals ``fanin0[k]`` and ``fanin1[k]``,
    both of smaller variables.  The columns have shape ``(num_gates,)``.
    """

    num_inputs: int
    fanin0: Literals
    fanin1: Literals

    @property
    def num_gates(self) -> int:
        return int(self.fanin0.shape[0])

    @property
    def num_variables(self) -> int:
        """Inputs and gates together; the largest variable."""
        return self.num_inputs + self.num_gates

    def pairs(self) -> Iterator[tuple[int, int]]:
        """The two fan-in literals of each gate, in topological order, as Python numbers."""
        from qsage_validate.system.limits import go_on

        for start in range(0, self.num_gates, _BLOCK):
            go_on()
            part = slice(start, start + _BLOCK)
            yield from zip(self.fanin0[part].tolist(), self.fanin1[part].tolist(), strict=True)

    def cone(
        self, outputs: Sequence[int], beyond: NDArray[np.bool_] | None = None
    ) -> NDArray[np.bool_]:
        """The mask of the gates that the literals ``outputs`` depend on; shape ``(num_gates,)``.

        ``beyond``, of the same shape, marks gates at which the search stops: they and what
        only they need are left out.
        """
        import numpy as np

        from qsage_validate.system.limits import go_on

        needed = bytearray(self.num_variables + 1)
        for literal in outputs:
            needed[literal >> 1] = 1
        base = self.num_inputs + 1
        known = bytes(self.num_gates) if beyond is None else beyond.tobytes()
        # (Gates are many: whoever waits for them may have called the work off.)
        for start in range((self.num_gates - 1) // _BLOCK * _BLOCK, -1, -_BLOCK):
            go_on()
            part = slice(start, start + _BLOCK)
            left, right = (self.fanin0[part] >> 1).tolist(), (self.fanin1[part] >> 1).tolist()
            for gate in range(len(left) - 1, -1, -1):
                if needed[base + start + gate]:
                    if known[start + gate]:
                        needed[base + start + gate] = 0
                        continue
                    needed[left[gate]] = 1
                    needed[right[gate]] = 1
        found: NDArray[np.bool_] = np.frombuffer(needed, dtype=np.bool_)[base:].copy()
        return found

    def restrict_to_cone(self, outputs: Sequence[int]) -> tuple[Aig, list[int]]:
        """This graph with only the gates that ``outputs`` need, and the outputs renumbered.

        Inputs keep their variables.
        """
        import numpy as np

        keep = self.cone(outputs)
        renumber = np.zeros(self.num_variables + 1, dtype=np.int32)
        renumber[: self.num_inputs + 1] = np.arange(self.num_inputs + 1, dtype=np.int32)
        first = self.num_inputs + 1
        renumber[first:][keep] = np.arange(
            first, first + int(np.count_nonzero(keep)), dtype=np.int32
        )

        def move(literals: Literals) -> Literals:
            moved: Literals = renumber[literals >> 1] * 2 + (literals & 1)
            return moved

        smaller = Aig(self.num_inputs, move(self.fanin0[keep]), move(self.fanin1[keep]))
        return smaller, [int(x) for x in move(np.asarray(outputs, dtype=np.int32))]


class AigBuilder:
    """Builds a graph with structural hashing and local simplification.

    Inputs may be added at any time.  :meth:`build` gives the frozen graph.
    """

    __slots__ = ("_hash", "_inputs", "_left", "_rewrite", "_right")

    def __init__(self, num_inputs: int = 0, *, rewrite: bool = True) -> None:
        """Without ``rewrite`` a gate is what was asked for, equal gates and constants apart."""
        self._rewrite = rewrite
        # Entry 0 is the constant; an input has a left side of -1.
        self._left: list[int] = [-1]
        self._right: list[int] = [-1]
        self._hash: dict[tuple[int, int], int] = {}
        self._inputs: list[int] = []
        for _ in range(num_inputs):
            self.input()

    @property
    def num_gates(self) -> int:
        """AND gates made so far, whether an output needs them or not."""
        return len(self._left) - 1 - len(self._inputs)

    @property
    def inputs(self) -> list[int]:
        """The literals of the inputs, in the order in which they were added."""
        return [2 * variable for variable in self._inputs]

    def input(self) -> int:
        """Add an input; returns its positive literal."""
        variable = len(self._left)
        self._left.append(-1)
        self._right.append(-1)
        self._inputs.append(variable)
        return 2 * variable

    def and_(self, a: int, b: int) -> int:
        """The conjunction of two literals."""
        if a > b:
            a, b = b, a
        if a == FALSE or a == (b ^ 1):
            return FALSE
        if a == TRUE or a == b:
            return b
        found = self._hash.get((a, b))
        if found is not None:
            return found
        simpler = None
        if self._rewrite:
            simpler = self._two_level(a, b)
            if simpler is None:
                simpler = self._two_level(b, a)
        if simpler is None:
            simpler = 2 * len(self._left)
            self._left.append(a)
            self._right.append(b)
        self._hash[(a, b)] = simpler
        return simpler

    def _two_level(self, a: int, b: int) -> int | None:
        """Rewrites ``a & b`` when ``b`` is a gate whose fan-in meets ``a`` (else ``None``).

        Brummayer and Biere, *Local two-level and-inverter graph minimization without
        blowup*: contradiction, idempotence, subsumption, substitution.
        """
        left = self._left[b >> 1]
        if left < 0:
            return None
        right = self._right[b >> 1]
        if b & 1:
            if a == left ^ 1 or a == right ^ 1:
                return a
            if a == left:
                return self.and_(a, right ^ 1)
            if a == right:
                return self.and_(a, left ^ 1)
        else:
            if a == left or a == right:
                return b
            if a == left ^ 1 or a == right ^ 1:
                return FALSE
        return None

    def or_(self, a: int, b: int) -> int:
        """The disjunction of two literals."""
        return self.and_(a ^ 1, b ^ 1) ^ 1

    def xor(self, a: int, b: int) -> int:
        return self.and_(self.and_(a, b) ^ 1, self.and_(a ^ 1, b ^ 1) ^ 1)

    def eq(self, a: int, b: int) -> int:
        """Equivalence of two literals."""
        return self.xor(a, b) ^ 1

    def implies(self, a: int, b: int) -> int:
        """``a -> b``."""
        return self.and_(a, b ^ 1) ^ 1

    def ite(self, condition: int, then: int, otherwise: int) -> int:
        if then == otherwise:
            return then
        if then == otherwise ^ 1:
            return self.xor(condition, otherwise)
        return self.or_(self.and_(condition, then), self.and_(condition ^ 1, otherwise))

    def and_all(self, literals: Iterable[int]) -> int:
        """Conjunction of any number of literals, as a balanced tree of the sorted set."""
        return self._tree(literals, TRUE)

    def or_all(self, literals: Iterable[int]) -> int:
        return self._tree([literal ^ 1 for literal in literals], TRUE) ^ 1

    def _tree(self, literals: Iterable[int], neutral: int) -> int:
        layer = [*literals]
        if len(layer) == 2:
            return self.and_(*layer)
        layer = sorted(set(layer))
        while len(layer) > 1:
            odd = layer[-1:] if len(layer) % 2 else []
            layer = [*map(self.and_, layer[0::2], layer[1::2]), *odd]
        return layer[0] if layer else neutral

    def eq_all(self, left: Sequence[int], right: Sequence[int]) -> int:
        """Equality of two bit vectors of the same length."""
        return self.and_all(self.eq(a, b) for a, b in zip(left, right, strict=True))

    def fanins(self, literal: int) -> tuple[int, int] | None:
        """The two fan-ins of the gate of ``literal``; ``None`` for inputs and constants."""
        left = self._left[literal >> 1]
        return None if left < 0 else (left, self._right[literal >> 1])

    def build(self, outputs: Sequence[int]) -> tuple[Aig, list[int]]:
        """The frozen graph of the cone of ``outputs`` and the outputs in its numbering.

        The inputs come first, in the order in which they were added, all of them.
        """
        import numpy as np

        renumber = [-1] * len(self._left)
        renumber[0] = 0
        for position, variable in enumerate(self._inputs, start=1):
            renumber[variable] = position
        needed = bytearray(len(self._left))
        for literal in outputs:
            needed[literal >> 1] = 1
        for variable in range(len(self._left) - 1, 0, -1):
            if needed[variable] and self._left[variable] >= 0:
                needed[self._left[variable] >> 1] = 1
                needed[self._right[variable] >> 1] = 1
        left: list[int] = []
        right: list[int] = []
        following = len(self._inputs) + 1
        for variable in range(1, len(self._left)):
            if needed[variable] and self._left[variable] >= 0:
                a, b = self._left[variable], self._right[variable]
                left.append(2 * renumber[a >> 1] + (a & 1))
                right.append(2 * renumber[b >> 1] + (b & 1))
                renumber[variable] = following
                following += 1
        aig = Aig(
            len(self._inputs), np.asarray(left, dtype=np.int32), np.asarray(right, dtype=np.int32)
        )
        return aig, [2 * renumber[literal >> 1] + (literal & 1) for literal in outputs]


def values_of(aig: Aig, inputs: Sequence[bool], literals: Sequence[int]) -> list[bool]:
    """The values of ``literals`` for one value of each input, in the order of the inputs."""
    values = [0, *map(int, inputs)]
    for left, right in aig.pairs():
        values.append((values[left >> 1] ^ left) & (values[right >> 1] ^ right) & 1)
    return [bool(values[literal >> 1] ^ (literal & 1)) for literal in literals]


def signed(literal: int) -> int:
    """The variable of a literal, negative where the literal is its complement."""
    return -(literal >> 1) if literal & 1 else literal >> 1


def embed(
    builder: AigBuilder, aig: Aig, inputs: Sequence[int], outputs: Sequence[int]
) -> list[int]:
    """Build the cone of ``outputs`` inside ``builder``; returns their literals there.

    ``inputs[k]`` is the literal in ``builder`` that stands for input ``k + 1`` of ``aig``.
    One linear pass; the builder's rules apply to every gate.
    """
    if len(inputs) != aig.num_inputs:
        raise ValueError(f"{len(inputs)} literals for {aig.num_inputs} inputs")
    cone = aig.cone(outputs)
    literals = [FALSE, TRUE]
    for literal in inputs:
        literals += (literal, literal ^ 1)
    and_ = builder.and_
    for needed, (left, right) in zip(cone.tobytes(), aig.pairs(), strict=True):
        literal = and_(literals[left], literals[right]) if needed else FALSE
        literals += (literal, literal ^ 1)
    return [literals[output] for output in outputs]


def strash(aig: Aig, outputs: Sequence[int]) -> tuple[Aig, list[int]]:
    """An equivalent graph of the cone of ``outputs`` and the outputs in its numbering.

    Inputs keep their variables.  Certificates of QuAbS shrink to a tenth, for they repeat
    gates and keep constants.
    """
    builder = AigBuilder(aig.num_inputs)
    return builder.build(embed(builder, aig, builder.inputs, outputs))
