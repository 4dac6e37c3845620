"""Level 1 of the certificate check: each function reads only variables left of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from qsage_validate.certificates.certificate import CircuitCertificate
from qsage_validate.circuit.aig import Aig
from qsage_validate.circuit.embed import reduce
from qsage_validate.circuit.qbf import Qbf

# Gates of a path that a message shows at each end.
_SHOWN = 4


@dataclass(frozen=True, slots=True)
class Dependency:
    """A function that looks to its right.

    The function of ``variable`` reaches the opponent's ``reads``, which is quantified to the
    right of it, through the gates ``path``: variables of the certificate's graph, from the
    function down to the gate that has the input.
    """

    variable: int
    reads: int
    path: tuple[int, ...]

    def text(self, formula: Qbf, gate_name: Callable[[int], str] = str) -> str:
        """What is wrong, in a sentence fragment; ``gate_name`` names the graph's variables."""
        gates = [gate_name(gate) for gate in self.path]
        if len(gates) > 2 * _SHOWN:
            gates = [*gates[:_SHOWN], f"… {len(gates) - 2 * _SHOWN} more …", *gates[-_SHOWN:]]
        through = f" (gates {' > '.join(gates)})" if gates else ""
        return (
            f"a function of {formula.name(self.variable)} that reads "
            f"{formula.name(self.reads)}{through}"
        )


def wrong_dependency(certificate: CircuitCertificate, formula: Qbf) -> Dependency | None:
    """The first function that looks to its right, or ``None``; linear in the graph.

    What counts is the structure after constants and equal gates are simplified away: a
    function that only seems to read a variable (``and(x, false)``) is no error.  Functions of
    variables that the prefix does not have are not looked at.
    """
    level = formula.levels()
    functions = {v: f for v, f in certificate.functions.items() if v in level}
    if _first_violation(certificate.aig, certificate.inputs, functions, level) is None:
        return None
    aig, moved = reduce(certificate.aig, list(functions.values()))
    reduced = dict(zip(functions, moved, strict=True))
    violating = _first_violation(aig, certificate.inputs, reduced, level)
    if violating is None:
        return None
    # The path in the certificate's own gates is what a reader of the file can follow.
    variable = violating.variable
    only = {variable: certificate.functions[variable]}
    return _first_violation(certificate.aig, certificate.inputs, only, level)


def _first_violation(
    aig: Aig, inputs: tuple[int, ...], functions: Mapping[int, int], level: Mapping[int, int]
) -> Dependency | None:
    reach = [-1, *(level[variable] for variable in inputs)]
    left, right = (aig.fanin0 >> 1).tolist(), (aig.fanin1 >> 1).tolist()
    for a, b in zip(left, right, strict=True):
        x, y = reach[a], reach[b]
        reach.append(x if x > y else y)  # noqa: FURB136 (max() is three times slower)
    for variable, literal in functions.items():
        gate = literal >> 1
        if reach[gate] > level[variable]:
            path = []
            while gate > aig.num_inputs:
                path.append(gate)
                first, second = left[gate - aig.num_inputs - 1], right[gate - aig.num_inputs - 1]
                gate = first if reach[first] >= reach[second] else second
            return Dependency(variable, inputs[gate - 1], tuple(path))
    return None
