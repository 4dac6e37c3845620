"""Level 1 of the certificate check: each function reads only variables of its dependency set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from qsage_validate.circuit.aig import Aig, strash
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.kernel.certificate import CircuitCertificate

# Gates of a path that a message shows at each end.
_SHOWN = 4


@dataclass(frozen=True, slots=True)
class Dependency:
    """A function that reads a variable outside of its dependency set: one to its right, mostly.

    The function of ``variable`` reaches the opponent's ``reads`` through the gates ``path``:
    variables of the certificate's graph, from the function down to the gate that has the input.
    """

    variable: int
    reads: int
    path: tuple[int, ...]

    def text(self, formula: Qbf, gate_name: Callable[[int], str] = str) -> str:
        """The fault as a sentence fragment; ``gate_name`` names the graph's variables."""
        gates = [gate_name(gate) for gate in self.path]
        if len(gates) > 2 * _SHOWN:
            gates = [*gates[:_SHOWN], f"… {len(gates) - 2 * _SHOWN} more …", *gates[-_SHOWN:]]
        through = f" (gates {' > '.join(gates)})" if gates else ""
        return (
            f"a function of {formula.name(self.variable)} that reads "
            f"{formula.name(self.reads)}{through}"
        )


def wrong_dependency(certificate: CircuitCertificate, formula: Qbf) -> Dependency | None:
    """The first of :func:`wrong_dependencies`, or ``None``."""
    return next(iter(wrong_dependencies(certificate, formula)), None)


def wrong_dependencies(certificate: CircuitCertificate, formula: Qbf) -> tuple[Dependency, ...]:
    """The functions that read too much, in the certificate's order; linear in the graph.

    The structure counts after constants and equal gates have been simplified away: a function that
    only seems to read a variable (``and(x, false)``) is no error.  Functions of variables that the
    prefix does not have are not looked at.  The path of each is in the certificate's own gates,
    which a reader of the file can follow.
    """
    own, outside = formula.sets()
    functions = {v: f for v, f in certificate.functions.items() if v in own}
    denied = {v: outside(v) for v in certificate.inputs}
    suspects = _violations(certificate.aig, denied, functions, own)
    if not suspects:
        return ()
    aig, moved = strash(certificate.aig, [functions[d.variable] for d in suspects])
    reduced = dict(zip((d.variable for d in suspects), moved, strict=True))
    guilty = {d.variable for d in _violations(aig, denied, reduced, own)}
    return tuple(d for d in suspects if d.variable in guilty)


def _violations(
    aig: Aig, denied: Mapping[int, int], functions: Mapping[int, int], own: Mapping[int, int]
) -> list[Dependency]:
    inputs, reach = list(denied), [0, *denied.values()]
    for a, b in aig.pairs():
        x, y = reach[a >> 1], reach[b >> 1]
        reach.append(x if (z := x | y) == x else y if z == y else z)  # few numbers, often shared
    found = []
    for variable, literal in functions.items():
        gate, bit = literal >> 1, own[variable]
        if reach[gate] & bit:
            path = []
            while gate > aig.num_inputs:
                path.append(gate)
                k = gate - aig.num_inputs - 1
                below = int(aig.fanin0[k]) >> 1, int(aig.fanin1[k]) >> 1
                gate = max(below, key=lambda v: (reach[v] & bit, reach[v]))
            found.append(Dependency(variable, inputs[gate - 1], tuple(path)))
    return found
