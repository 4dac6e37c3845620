"""The variables that the functions of a certificate read."""

from __future__ import annotations

from qsage_validate.kernel.certificate import CircuitCertificate


def variables_read(certificate: CircuitCertificate) -> frozenset[int]:
    """The opponent's variables that some function depends on, as the graph is built.

    One that makes no difference in the end may be among them.
    """
    aig, outputs = certificate.aig, list(certificate.functions.values())
    gates = aig.cone(outputs)
    used = {literal >> 1 for literal in outputs}
    used.update((aig.fanin0[gates] >> 1).tolist())
    used.update((aig.fanin1[gates] >> 1).tolist())
    return frozenset(v for k, v in enumerate(certificate.inputs, start=1) if k in used)
