"""Certificates that are clauses or a solver's ``V`` lines, loaded for these alone."""

from __future__ import annotations

import re
from typing import Final

from qsage_validate.certificates.definitions import definitions
from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.errors import InputError
from qsage_validate.formats.qdimacs import parse_outer_block, parse_pedant
from qsage_validate.formats.source import quoted
from qsage_validate.kernel.certificate import (
    CertificateKind,
    CircuitCertificate,
    ClauseCertificate,
    Dialect,
    wrong_dependency,
)
from qsage_validate.kernel.composition import NotDefinitionalError

_MODEL = re.compile(rb"c\s*Model for variable\s+([0-9]+)")
_WHOSE: Final = {Quantifier.EXISTS: "existential", Quantifier.FORALL: "universal"}


def read_outer_block(data: bytes, formula: Qbf | None, path: str | None) -> CircuitCertificate:
    """The values in ``data`` as functions of the outermost block of ``formula``.

    The other blocks are left open; in a formula with one block of the player's, nothing is.
    Raises :class:`InputError` for malformed text, and for a result or a value that is not one of
    the formula's: values are those of the player who wins, of variables of the outermost block.
    """
    file = parse_outer_block(data, path)
    if formula is None:
        found = "values of an outermost block without their formula"
        raise InputError(path, None, None, found, "the formula, which has the block")
    scopes = formula.merged_scopes()
    prefix = f"the prefix of {formula.path or 'the formula'}"
    if not scopes:
        raise file.source.error(0, "values", f"none: there is no variable in {prefix}")
    outermost = scopes[0].quantifier
    kind = CertificateKind.SKOLEM if outermost is Quantifier.EXISTS else CertificateKind.HERBRAND
    if file.truth is not None and file.truth is not kind.truth:
        value, whose = str(kind.truth).lower(), _WHOSE[outermost]
        found = f"the result {str(file.truth).lower()}"
        expected = f"{value}: the outermost block is {whose}, and its values win a {value} formula"
        raise file.source.error(file.result, found, expected)
    level = formula.levels()
    numbers = formula.by_text()
    values: dict[int, bool] = {}
    for each in file.values:
        variable = numbers.get(each.name)
        if variable is None:
            expected = f"a variable of {prefix}"
            raise file.source.error(each.offset, f"a value of {quoted(each.name)}", expected)
        if level.get(variable, 0):
            expected = "a variable of the outermost block"
            found = f"a value of {each.name}, which stands in block {level[variable] + 1}"
            raise file.source.error(each.offset, found, expected)
        if variable in values:
            raise file.source.error(each.offset, f"a value of {each.name} once more", "only one")
        values[variable] = each.value
    functions = {v: TRUE if value else FALSE for v, value in values.items() if v in level}
    if not functions:
        raise file.source.end_error("a value of a variable of the outermost block")
    opponent = formula.variables(outermost.dual)
    return CircuitCertificate(
        kind,
        AigBuilder(len(opponent)).build([])[0],
        opponent,
        functions,
        Dialect.OUTER,
        path,
        # The clausal form's, whose outermost block may have variables of the circuit's gates.
        extra={v: TRUE if value else FALSE for v, value in values.items() if v not in level},
        recognised="a solver's result or lines 'V'",
        first_blocks=1 if len(formula.blocks(kind.decides)) > 1 else None,
    )


def read_clauses(
    data: bytes, formula: Qbf | None, path: str | None, *, dependencies: bool
) -> ClauseCertificate:
    """The clauses in ``data``; errors as in ``read_certificate``."""
    file = parse_pedant(data, path)
    certificate = ClauseCertificate(
        literals=file.literals,
        max_variable=file.max_variable,
        defined=file.defined,
        path=file.path,
        blocks=_blocks(data),
        recognised="a CNF with comments 'Model for variable'",
    )
    if formula is not None:
        _check_clauses(certificate, formula, dependencies=dependencies)
    return certificate


def _blocks(data: bytes) -> tuple[tuple[int, int], ...]:
    """The variable of each run of clauses and where among the literals the run begins."""
    blocks: list[tuple[int, int]] = []
    count = 0
    for line in data.split(b"\n"):
        if line.startswith(b"c"):
            match = _MODEL.match(line)
            if match is not None:
                blocks.append((int(match.group(1)), count))
        elif not line.startswith(b"p"):
            count += len(line.split())
    return tuple(blocks)


def _check_clauses(certificate: ClauseCertificate, formula: Qbf, *, dependencies: bool) -> None:
    quantifiers = formula.quantifiers()
    last = max(quantifiers, default=0)
    prefix = f"the prefix of {formula.path or 'the formula'}"

    def error(found: str, expected: str) -> InputError:
        return InputError(certificate.path, None, None, found, expected)

    for variable in quantifiers:
        if formula.name(variable) != str(variable):
            found = f"the variable {quoted(formula.name(variable))} in {prefix}"
            raise error(found, "variables that are numbers, as the clauses have")
    for variable in sorted(certificate.variables | certificate.defined):
        quantifier = quantifiers.get(variable)
        if quantifier is None and variable <= last:
            raise error(f"the variable {variable}", f"a variable of {prefix} or one above {last}")
        if variable in certificate.defined and quantifier is Quantifier.FORALL:
            expected = "an existential variable: these are Skolem functions"
            raise error(f"a model for {variable}, which is universal", expected)
    if formula.variables(Quantifier.EXISTS) and certificate.defined.isdisjoint(quantifiers):
        raise error("no model of any variable", f"models of variables of {prefix}")
    try:
        circuit = definitions(certificate, formula).circuit
    except NotDefinitionalError:
        return  # what the functions read is not known; the check says so
    wrong = wrong_dependency(circuit, formula) if dependencies else None
    if wrong is not None:
        raise error(
            f"a model of {wrong.variable} that depends on {wrong.reads}",
            f"one that reads only {formula.readable}",
        )
