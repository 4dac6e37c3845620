"""The dialect of an AIGER certificate (a tool's conventions), found by the file and the formula."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.errors import InputError, UsageError, did_you_mean
from qsage_validate.formats.source import quoted
from qsage_validate.kernel.certificate import Dialect

if TYPE_CHECKING:
    from qsage_validate.formats.aiger_parts import AigerFile

RESULT: Final = "result"
"""The symbol of the last output in CAQE's dialect: the constant that tells the kind."""

PART: Final = "part of a certificate"
"""The beginning of the comment that says to which blocks the functions belong."""

_PART: Final = re.compile(rf"{PART}: the first ([1-9][0-9]{{0,8}}) of ([1-9][0-9]{{0,8}}) blocks")
_LEVEL_AND_NAME: Final = re.compile(r"[0-9]+[ \t]+\S+")


DESCRIPTIONS: Final = {
    Dialect.QBFCERT_ASCII: "ASCII AIGER as QBFcert writes it",
    Dialect.QBFCERT_BINARY: "binary AIGER as QBFcert writes it",
    Dialect.CAQE: "AIGER with names, as CAQE and QuAbS write it",
    Dialect.QAIGER: "AIGER with levels and names (QAIGER)",
    Dialect.PEDANT: "clauses as Pedant writes them",
    Dialect.OUTER: "values of the outermost block",
}
"""The format and the tools that write it, for people."""


@dataclass(frozen=True, slots=True)
class Recognition:
    """A dialect and the reason for which it was recognised."""

    dialect: Dialect
    reason: str


def dialect_named(name: str, option: str = "--dialect") -> Dialect:
    """The dialect of that name, given by ``option``; raises ``UsageError`` with the names."""
    try:
        return Dialect(name.lower())
    except ValueError:
        names = [dialect.value for dialect in Dialect]
        near = did_you_mean(name, names)
        raise UsageError(
            f"found {name!r} for {option}{near}, expected one of {', '.join(names)}"
        ) from None


def recognise(file: AigerFile, formula: Qbf | None) -> Recognition:
    """The dialect of an AIGER file.

    Symbols decide where there are any.  An ASCII file whose symbols name nothing in the
    formula, while its indices do, is read by the indices.  Raises :class:`InputError` for a
    binary file without symbols, whose indices mean nothing.
    """
    count = len(file.outputs)
    if count and file.output_symbols.get(count - 1) == RESULT:
        return Recognition(Dialect.CAQE, f"the last output is called {RESULT!r}")
    symbols = [file.input_symbols.get(k) for k in range(len(file.inputs))]
    if symbols and all(s is not None and _LEVEL_AND_NAME.fullmatch(s) for s in symbols):
        return Recognition(Dialect.QAIGER, "the symbols of the inputs are levels with names")
    missing = _missing_symbol(file)
    if missing is None and (len(file.inputs) or count):
        if not file.binary and formula is not None and _indices_fit_better(file, formula):
            reason = "the indices are variables of the formula and the symbols are not"
            return Recognition(Dialect.QBFCERT_ASCII, reason)
        return Recognition(Dialect.QBFCERT_BINARY, "all inputs and outputs have symbols")
    if not file.binary:
        some = "in which not all inputs and outputs have symbols"
        what = some if file.input_symbols or file.output_symbols else "without symbols"
        return Recognition(Dialect.QBFCERT_ASCII, f"an ASCII file {what}")
    if missing is None:
        return Recognition(Dialect.QBFCERT_BINARY, "there are neither inputs nor outputs")
    raise InputError(
        file.path,
        None,
        None,
        f"a binary certificate without a symbol for {missing}",
        "symbols that name the variables of all inputs and outputs",
    )


def part_comment(blocks: int, all_blocks: int) -> str:
    """The comment of a file with the functions of the first ``blocks`` of its player's blocks."""
    return f"{PART}: the first {blocks} of {all_blocks} blocks"


def said_blocks(file: AigerFile) -> tuple[int, int] | None:
    """The blocks of a part by its comment, as (number, all); ``None`` for a whole certificate.

    Raises :class:`InputError` for a comment that begins like one of a part and is malformed.
    """
    for comment in file.comments:
        if comment.startswith(PART):
            match = _PART.fullmatch(comment)
            if match is None or int(match.group(1)) >= int(match.group(2)):
                found, expected = (quoted(x, 80) for x in (comment, part_comment(1, 2)))
                raise InputError(file.path, None, None, found, f"a comment like {expected}")
            return int(match.group(1)), int(match.group(2))
    return None


def input_names(file: AigerFile, dialect: Dialect) -> list[str]:
    """The dialect's names of the input variables, one for each input."""
    if dialect is Dialect.QBFCERT_ASCII:
        return [str(index) for index in file.inputs.tolist()]
    return _symbol_names(file, "input", file.input_symbols, len(file.inputs), dialect)


def output_names(file: AigerFile, dialect: Dialect) -> list[str]:
    """The dialect's names of the functions' variables; CAQE's ``result`` is left out."""
    if dialect is Dialect.QBFCERT_ASCII:
        for k, literal in enumerate(file.output_literals.tolist()):
            if literal & 1 or not literal:
                raise InputError(
                    file.path,
                    None if file.binary else 2 + len(file.inputs) + k,
                    None,
                    f"the output {literal}",
                    "an even literal, whose index is the variable that it decides",
                )
        return [str(literal >> 1) for literal in file.output_literals.tolist()]
    count = len(file.outputs) - (dialect is Dialect.CAQE)
    return _symbol_names(file, "output", file.output_symbols, count, dialect)


def _symbol_names(
    file: AigerFile, what: str, symbols: Mapping[int, str], count: int, dialect: Dialect
) -> list[str]:
    names = []
    for k in range(count):
        if k not in symbols:
            expected = f"a symbol with the variable's name (dialect {dialect.value})"
            raise InputError(file.path, None, None, f"no symbol for {what} {k}", expected)
        name = symbols[k].strip()
        # QAIGER puts the level of the scope before the name.
        names.append(name.split()[-1] if dialect is Dialect.QAIGER and name else name)
    return names


def _missing_symbol(file: AigerFile) -> str | None:
    for what, symbols, count in (
        ("input", file.input_symbols, len(file.inputs)),
        ("output", file.output_symbols, len(file.outputs)),
    ):
        for k in range(count):
            if k not in symbols:
                return f"{what} {k}"
    return None


def _indices_fit_better(file: AigerFile, formula: Qbf) -> bool:
    quantified = formula.quantifiers()
    prefix = {text for text, v in formula.by_text().items() if v in quantified}
    symbols = {name.strip() for name in (*file.input_symbols.values(),)}
    indices = {str(index) for index in file.inputs.tolist()}
    if not indices:
        symbols = {name.strip() for name in file.output_symbols.values()}
        indices = {str(literal >> 1) for literal in file.output_literals.tolist()}
    return not symbols <= prefix and indices <= prefix
