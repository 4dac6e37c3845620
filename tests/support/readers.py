"""Formulas, circuits and games from files whose format a test knows, and what is made of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from qsage_validate.certificates.qrat import QratTrace, introduced_levels
from qsage_validate.circuit.qbf import PrenexOrder, Qbf, Quantifier, Scope
from qsage_validate.formats.aiger import parse_aiger
from qsage_validate.formats.aiger_parts import AigerFile
from qsage_validate.formats.pg import HexFile, PgFile, parse_hex, parse_pg
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.formats.qdimacs import (
    ClausalForm,
    PedantFile,
    parse_pedant,
    parse_qdimacs,
    qbf_to_qdimacs,
)
from qsage_validate.formats.qrp import index_qrp
from qsage_validate.formats.qrp_steps import BytesOf, QrpProof
from qsage_validate.formats.source import Path, Source, label, read_bytes
from qsage_validate.formats.writing import write_atomic


def read_qcir(path: Path, order: PrenexOrder | None = None) -> Qbf:
    source = Source.open(path)
    return parse_qcir(source.text, source.path, order)


def read_qdimacs(path: Path) -> Qbf:
    return parse_qdimacs(read_bytes(path), label(path))


def write_qdimacs(qbf: Qbf, path: Path) -> None:
    write_atomic(path, qbf_to_qdimacs(qbf))


def read_aiger(path: Path) -> AigerFile:
    return parse_aiger(read_bytes(path), label(path))


def read_pedant(path: Path) -> PedantFile:
    return parse_pedant(read_bytes(path), label(path))


def read_hex(path: Path) -> HexFile:
    source = Source.open(path)
    return parse_hex(source.text, source.path)


def read_pg(path: Path) -> PgFile:
    source = Source.open(path)
    return parse_pg(source.text, source.path)


def parse_qrp(data: bytes, path: str | None = None) -> QrpProof:
    return index_qrp(BytesOf(path, len(data), data))


def extended_scopes(scopes: Sequence[Scope], trace: QratTrace) -> tuple[Scope, ...]:
    """``scopes`` with the variables that a trace introduces."""
    added: dict[int, list[int]] = {}
    for variable, level in introduced_levels(scopes, trace).items():
        added.setdefault(level, []).append(variable)
    extended = [
        Scope(scope.quantifier, (*scope.variables, *added.get(level, ())))
        for level, scope in enumerate(scopes)
    ]
    if len(scopes) in added:
        extended.append(Scope(Quantifier.EXISTS, tuple(added[len(scopes)])))
    return tuple(extended)


def output_form(
    form: ClausalForm, trace: QratTrace, clauses: Iterable[tuple[int, ...]]
) -> ClausalForm:
    """What a preprocessor left of ``form``, its clauses under the prefix that the trace implies.

    The variables are those of the clauses.  The formula has the truth of ``form``, which it may
    not have under a prefix that has all new variables innermost.
    """
    kept = tuple(clauses)
    used = {abs(literal) for clause in kept for literal in clause}
    scopes = [
        Scope(scope.quantifier, tuple(v for v in scope.variables if v in used))
        for scope in extended_scopes(form.scopes, trace)
    ]
    merged = Qbf(tuple(scopes), {}, 1).merged_scopes()
    return ClausalForm(merged, kept, max(used, default=0))
