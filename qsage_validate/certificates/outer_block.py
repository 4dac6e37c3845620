"""Values of the outermost block as a certificate, loaded for a solver's ``V`` lines alone."""

from __future__ import annotations

from typing import Final

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.errors import InputError
from qsage_validate.formats.qdimacs import parse_outer_block
from qsage_validate.formats.source import quoted
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate, Dialect

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
