"""What the commands do with a DQBF: its facts, its value, its certificate."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from qsage_validate.cli.common import SearchLine, emit, emit_json, narrate_file
from qsage_validate.cli.deepening import exit_of, word_of
from qsage_validate.cli.info import formula_facts
from qsage_validate.errors import Exit, UndecidedError, UsageError, counted
from qsage_validate.extensions.dqbf.expansion import dependency_sets, parse_dqbf, read_dqbf
from qsage_validate.formats.source import label

if TYPE_CHECKING:
    from qsage_validate.circuit.qbf import Qbf
    from qsage_validate.cli.options import LimitOptions
    from qsage_validate.extensions.dqbf.expansion import Expanded
    from qsage_validate.kernel.certificate import CircuitCertificate
    from qsage_validate.system.limits import Deadline

# Dependency sets that ``qsage info`` shows, and variables of each.
_SHOWN = 20


def told(data: bytes, name: str) -> dict[str, object]:
    """The facts of a file for ``qsage info``."""
    formula = parse_dqbf(data, name)
    sets = dependency_sets(formula)
    lines = [
        f"{formula.name(v)}: {_names(formula, read)}"
        for v, read in list(sets.items())[:_SHOWN]
        if v in formula.depends
    ]
    return formula_facts(formula) | {
        "gates": len(formula.gates),
        "variables with a dependency set": len(formula.depends),
        "dependency sets": lines,
    }


def _names(formula: Qbf, variables: tuple[int, ...]) -> str:
    more = f" … ({len(variables)})" if len(variables) > _SHOWN else ""
    return " ".join(map(formula.name, variables[:_SHOWN])) + more or "none"


def solve(
    path: str,
    others: Mapping[str, object],
    limits: LimitOptions,
    json_output: bool,
    *,
    competition: bool = False,
    output: str | None = None,
) -> Exit:
    """Decide a DQBF by expansion; with ``output`` write a proved certificate there.

    Raises ``UsageError`` for ``others``, options that need a prefix, where one has a value.
    """
    from qsage_validate.extensions.dqbf.expansion import expand
    from qsage_validate.system.limits import Stopwatch, memory_within

    for option in (name for name, value in others.items() if value):
        raise UsageError(f"found {option} with dependency sets, which are expanded here")
    watch = Stopwatch()
    deadline = limits.begin().deadline
    with memory_within(limits.memory), SearchLine(sys.stderr) as line:
        formula = read_dqbf(path)
        found = expand(formula, deadline=deadline, tell=line.tell)
        certificate = None if output is None else _certificate(formula, found, deadline)
    if output is not None and certificate is not None:
        _write(output, certificate, formula)
    seconds = round(watch.seconds, 3)
    by = f"expansion: {found.instances:,} of {counted(found.choices, 'assignment')}"
    facts: dict[str, Any] = {
        "formula": label(path),
        "verdict": word_of(found.truth),
        "solver": "expansion",
        "assignments": found.instances,
        "copies": found.copies,
        "seconds": seconds,
    }
    if certificate is not None:
        facts |= {"certificate": output, "kind": certificate.kind.value}
    if json_output:
        emit_json(facts)
    elif competition:
        emit(f"s cnf {found.truth:d}")
    elif certificate is not None and output is not None:
        kind = certificate.kind.value
        narrate_file(
            output, f"{kind} functions of {label(path)}, {facts['verdict']} ({by}), proved"
        )
    else:
        emit(f"{facts['verdict']} ({by}, {seconds:.2f} s)")
    return exit_of(found.truth) if output is None else Exit.FINE


def _certificate(formula: Qbf, found: Expanded, deadline: Deadline) -> CircuitCertificate:
    """Functions that prove the value, checked; raises ``UndecidedError`` where there are none."""
    from dataclasses import replace

    from qsage_validate.certificates import by_expansion
    from qsage_validate.certificates.check import CertificateProved, check

    certificate = found.certificate
    if certificate is None:
        # What no functions of all variables on the left win, no functions of fewer do.
        certificate = by_expansion.expand(replace(formula, depends={}), deadline=deadline)
        if certificate.kind.truth:
            raise UndecidedError(
                "the formula is false, and no functions show it: it would be true if each "
                "existential variable could read all universal ones on its left"
            )
    checked = check(formula, certificate, deadline=deadline)
    if not isinstance(checked, CertificateProved):
        raise UndecidedError(f"the certificate is not proved: {checked.reason}")
    return certificate


def _write(output: str, certificate: CircuitCertificate, formula: Qbf) -> None:
    from qsage_validate.certificates.writer import certificate_bytes, is_ascii_name
    from qsage_validate.formats.writing import write_atomic

    content = certificate_bytes(certificate, formula, binary=not is_ascii_name(output))
    write_atomic(output, content)
