"""Writing graphs as AIGER, and circuit certificates in the dialects of other tools.

The same input has the same bytes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from qsage_validate.circuit.aig import FALSE, TRUE, Aig, Literals
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.errors import UsageError
from qsage_validate.formats.source import unpacked_name
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate, Dialect

if TYPE_CHECKING:
    from qsage_validate.formats.numbers import Column


def is_ascii_name(path: str) -> bool:
    """Whether a certificate that is written to ``path`` becomes ASCII AIGER; else binary."""
    return unpacked_name(path).endswith(".aag")


def check_name(path: str, dialect: Dialect | None) -> None:
    """Raise ``UsageError`` where ``path`` ends as AIGER of another form than the dialect's."""
    forms = {Dialect.QBFCERT_ASCII: ".aag", Dialect.QBFCERT_BINARY: ".aig", Dialect.OUTER: ""}
    end = os.path.splitext(unpacked_name(path))[1]
    if dialect in forms and end in (".aag", ".aig") and end != forms[dialect]:
        form = forms[dialect]
        expected = f"a name in {form}" if form else "another name: it has values, and no AIGER"
        raise UsageError(f"found {path} for the dialect {dialect.value}, expected {expected}")


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


# AIGER, ASCII and binary


_WRITE_BLOCK: Final = 1 << 16


def aiger_bytes(
    aig: Aig,
    outputs: Sequence[int] | Literals,
    *,
    binary: bool,
    input_symbols: Mapping[int, str] | None = None,
    output_symbols: Mapping[int, str] | None = None,
    comments: Iterable[str] = (),
    variables: Sequence[int] | Literals | None = None,
) -> bytes:
    """The AIGER file of a graph; the same arguments give the same bytes.

    ``outputs`` are literals of ``aig``; symbols map positions from 0 to names.  ``variables``
    (ASCII only) gives the index to write for each variable of ``aig``, entry 0 being 0; the
    default is the graph's own numbering.  Raises ``ValueError`` for symbols or comments with
    line breaks, symbols without an input or output, and indices that are repeated.
    """
    ins, outs = dict(input_symbols or {}), dict(output_symbols or {})
    literals = np.asarray(outputs, dtype=np.int64).reshape(-1)
    if len(literals) and not 0 <= int(literals.min()) <= int(literals.max()) // 2 * 2 + 1:
        raise ValueError("negative output literals")
    if len(literals) and int(literals.max()) >> 1 > aig.num_variables:
        raise ValueError("an output beyond the graph")
    if any(not 0 <= k < aig.num_inputs for k in ins) or any(
        not 0 <= k < len(literals) for k in outs
    ):
        raise ValueError("a symbol for an input or output that is not there")
    lines = [f"i{k} {ins[k]}" for k in sorted(ins)] + [f"o{k} {outs[k]}" for k in sorted(outs)]
    remarks = list(comments)
    if remarks:
        lines += ["c", *remarks]
    if any("\n" in line or "\r" in line for line in lines):
        raise ValueError("a line break in a symbol or comment")
    tail = "".join(line + "\n" for line in lines).encode()
    if binary:
        if variables is not None:
            raise ValueError("binary AIGER has no indices of its own")
        return b"".join((*_binary_body(aig, literals), tail))
    return b"".join((*_ascii_body(aig, literals, variables), tail))


def _ascii_body(
    aig: Aig, outputs: Column, variables: Sequence[int] | Literals | None
) -> Iterable[bytes]:
    count = aig.num_variables
    if variables is None:
        written: NDArray[np.int64] = np.arange(count + 1, dtype=np.int64)
    else:
        written = np.asarray(variables, dtype=np.int64)
        if written.shape != (count + 1,) or written[0] != 0 or (written[1:] <= 0).any():
            raise ValueError("one positive index is needed for each variable")
        if (np.diff(np.sort(written)) == 0).any():
            raise ValueError("an index is repeated")
    first = aig.num_inputs + 1
    maximum = int(written.max())
    header = f"aag {maximum} {aig.num_inputs} 0 {len(outputs)} {aig.num_gates}\n"

    def literals(values: Column) -> Column:
        moved: Column = 2 * written[values >> 1] + (values & 1)
        return moved

    yield header.encode()
    yield b"".join(b"%d\n" % x for x in (2 * written[1:first]).tolist())
    yield b"".join(b"%d\n" % x for x in literals(outputs).tolist())
    for start in range(0, aig.num_gates, _WRITE_BLOCK):
        stop = min(start + _WRITE_BLOCK, aig.num_gates)
        rows = np.stack(
            (
                2 * written[first + start : first + stop],
                literals(aig.fanin0[start:stop].astype(np.int64)),
                literals(aig.fanin1[start:stop].astype(np.int64)),
            ),
            axis=1,
        )
        yield b"%d %d %d\n" * (stop - start) % tuple(rows.ravel().tolist())


def _binary_body(aig: Aig, outputs: Column) -> Iterable[bytes]:
    count = aig.num_variables
    yield f"aig {count} {aig.num_inputs} 0 {len(outputs)} {aig.num_gates}\n".encode()
    yield b"".join(b"%d\n" % x for x in outputs.tolist())
    larger = np.maximum(aig.fanin0, aig.fanin1).astype(np.int64)
    smaller = np.minimum(aig.fanin0, aig.fanin1).astype(np.int64)
    own = 2 * np.arange(aig.num_inputs + 1, count + 1, dtype=np.int64)
    deltas = np.stack((own - larger, larger - smaller), axis=1).ravel()
    if len(deltas) and (deltas[0::2] < 1).any():
        raise ValueError("the graph is not in topological order")
    for start in range(0, len(deltas), _WRITE_BLOCK):
        yield _varints(deltas[start : start + _WRITE_BLOCK])


def _varints(values: Column) -> bytes:
    """Numbers below 2**35, seven bits a byte, lowest first."""
    lengths = np.ones(len(values), dtype=np.int64)
    for place in range(1, 5):
        lengths += values >= 1 << 7 * place
    ends = np.cumsum(lengths)
    starts = ends - lengths
    raw = np.empty(int(ends[-1]), dtype=np.uint8)
    for place in range(5):
        having = np.flatnonzero(lengths > place)
        more = (lengths[having] > place + 1).astype(np.int64) << 7
        raw[starts[having] + place] = (values[having] >> 7 * place & 127) | more
    return raw.tobytes()
