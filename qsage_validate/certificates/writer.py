"""Writing circuit certificates in the dialects of other tools; the same input, the same bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from qsage_validate.circuit.aig import FALSE, TRUE, Aig
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.errors import UsageError
from qsage_validate.formats.writing import aiger_bytes
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate, Dialect


def certificate_bytes(
    certificate: CircuitCertificate,
    formula: Qbf | None = None,
    *,
    dialect: Dialect | None = None,
    binary: bool = True,
    remarks: Sequence[str] = (),
) -> bytes:
    """The AIGER file of a certificate in QBFcert's or CAQE's dialect (CAQE's by default).

    ``formula`` gives the names of variables, where those are not numbers, and the blocks of a part
    of a certificate, which a comment tells; ``remarks`` are other comments.  In the dialect
    ``outer`` the file has values instead.  Raises :class:`UsageError` for a dialect that is not
    written, for values that are functions, and for QBFcert's ASCII dialect when a variable's name
    is no number, because there the name is the AIGER index.
    """
    if dialect is Dialect.OUTER:
        return _values(certificate, formula, remarks)
    comments = [*_blocks(certificate, formula), *remarks]
    match dialect:
        case None | Dialect.CAQE:
            return _with_symbols(certificate, formula, comments, binary=binary, result=True)
        case Dialect.QBFCERT_BINARY:
            return _with_symbols(certificate, formula, comments, binary=True, result=False)
        case Dialect.QBFCERT_ASCII:
            return _with_indices(certificate, formula, comments)
        case _:
            raise UsageError(
                f"certificates are not written in the dialect {dialect.value!r}; choose one of "
                f"{Dialect.CAQE.value}, {Dialect.OUTER.value}, {Dialect.QBFCERT_ASCII.value}, "
                f"{Dialect.QBFCERT_BINARY.value}"
            )


def _values(certificate: CircuitCertificate, formula: Qbf | None, remarks: Sequence[str]) -> bytes:
    """A solver's result and the values of the outermost block, a line each."""
    constants = {FALSE: "-", TRUE: ""}
    outermost = certificate.functions if formula is None else formula.merged_scopes()[0].variables
    if not (
        certificate.functions.keys() <= set(outermost)
        and constants.keys() >= set(certificate.functions.values())
    ):
        raise UsageError(
            f"found functions of inner blocks for the dialect {Dialect.OUTER.value!r}, expected "
            "values of the outermost block alone (--blocks 1)"
        )
    name: Callable[[int], str] = str if formula is None else formula.name
    signs = {variable: constants[x] for variable, x in certificate.functions.items()}
    lines = [f"c {remark}" for remark in remarks] + [f"s cnf {int(certificate.kind.truth)}"]
    lines += [f"V {sign}{name(variable)} 0" for variable, sign in signs.items()]
    return "".join(f"{line}\n" for line in lines).encode()


def _with_symbols(
    certificate: CircuitCertificate,
    formula: Qbf | None,
    comments: Sequence[str],
    *,
    binary: bool,
    result: bool,
) -> bytes:
    name: Callable[[int], str] = str if formula is None else formula.name
    functions = {**certificate.functions, **certificate.extra}
    outputs = list(functions.values())
    symbols = [name(variable) for variable in functions]
    if result:
        outputs.append(TRUE if certificate.kind is CertificateKind.SKOLEM else FALSE)
        symbols.append("result")
    return aiger_bytes(
        certificate.aig,
        outputs,
        binary=binary,
        input_symbols={k: name(variable) for k, variable in enumerate(certificate.inputs)},
        output_symbols=dict(enumerate(symbols)),
        comments=comments,
    )


def _with_indices(
    certificate: CircuitCertificate, formula: Qbf | None, comments: Sequence[str]
) -> bytes:
    """AIGER indices are the variables: a function is the gate whose index is its variable."""
    aig = certificate.aig
    functions = {**certificate.functions, **certificate.extra}
    for variable in (*certificate.inputs, *functions):
        if formula is not None and formula.name(variable) != str(variable):
            raise UsageError(
                f"the variable {formula.name(variable)!r} is no number, which the dialect "
                f"{Dialect.QBFCERT_ASCII.value!r} needs; choose {Dialect.CAQE.value!r}"
            )
    # A gate takes the variable's index itself when it is the function, unnegated, of only one;
    # otherwise the function is a copy, AND(f, f), as QBFcert writes constants.
    owner: dict[int, int] = {}
    copies: list[tuple[int, int]] = []
    for variable, literal in functions.items():
        gate = literal >> 1
        if literal & 1 == 0 and gate > aig.num_inputs and gate not in owner:
            owner[gate] = variable
        else:
            copies.append((variable, literal))
    last = max((*certificate.inputs, *functions), default=0)
    gates = range(aig.num_inputs + 1, aig.num_variables + 1)
    fresh = iter(range(last + 1, last + 1 + len(gates)))
    indices = [0, *certificate.inputs]
    indices += [owner[gate] if gate in owner else next(fresh) for gate in gates]
    indices += [variable for variable, _ in copies]
    sources = np.array([literal for _, literal in copies], dtype=np.int32)
    whole = Aig(
        aig.num_inputs, np.concatenate((aig.fanin0, sources)), np.concatenate((aig.fanin1, sources))
    )
    place = {variable: gate for gate, variable in owner.items()}
    place |= {variable: aig.num_variables + 1 + k for k, (variable, _) in enumerate(copies)}
    outputs = [2 * place[variable] for variable in functions]
    return aiger_bytes(whole, outputs, binary=False, variables=indices, comments=comments)


def _blocks(certificate: CircuitCertificate, formula: Qbf | None) -> list[str]:
    """The comment about the blocks of a part of a certificate."""
    if certificate.first_blocks is None or formula is None:
        return []

    from qsage_validate.certificates.reader import part_comment

    blocks = len(formula.blocks(certificate.kind.decides))
    return [part_comment(certificate.first_blocks, blocks)]
