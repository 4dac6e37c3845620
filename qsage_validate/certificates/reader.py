"""Reading certificates of every dialect, checked against the formula that they are for.

The dialect of an AIGER certificate (a tool's conventions) is found by the file and the formula.

==============  ==========================================  ================================
dialect         variables are named by                      kind is told by
==============  ==========================================  ================================
qbfcert-ascii   AIGER indices                               which quantifier the inputs have
qbfcert-binary  symbols                                     which quantifier the inputs have
caqe            symbols (QuAbS as well)                     the constant of output ``result``
qaiger          symbols ``<level> <name>``                  which quantifier the inputs have
pedant          DIMACS numbers                              always Skolem
outer           a solver's ``V`` lines                      which quantifier is outermost
==============  ==========================================  ================================

Variables of the deciding quantifier without a function are don't-cares: QuAbS leaves some
open in both kinds.  Outputs may name what the prefix does not have: certificates of the
QDIMACS form decide its Tseitin variables as well.

A solver's values of the outermost block are a certificate of constants, for that block alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from qsage_validate.circuit.aig import FALSE, TRUE, strash
from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.errors import InputError, UsageError, counted, did_you_mean
from qsage_validate.formats.aiger import parse_aiger
from qsage_validate.formats.aiger_parts import AigerFile
from qsage_validate.formats.source import (
    Format,
    Path,
    label,
    quoted,
    read_bytes,
    sniff_bytes,
    unknown_format,
)
from qsage_validate.kernel.certificate import (
    Certificate,
    CertificateKind,
    CircuitCertificate,
    Dialect,
    wrong_dependency,
)
from qsage_validate.system.limits import stage

# The dialect of an AIGER certificate (a tool's conventions), found by the file and the formula


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
        unwritten = (Dialect.PEDANT, Dialect.QAIGER) if option == "--as" else ()
        names = [dialect.value for dialect in Dialect if dialect not in unwritten]
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


# Reading certificates of every dialect, checked against the formula that they are for


_ADJECTIVE = {Quantifier.EXISTS: "existential", Quantifier.FORALL: "universal"}


def read_certificate(
    path: Path,
    formula: Qbf | None = None,
    *,
    dialect: Dialect | None = None,
    dependencies: bool = True,
) -> Certificate:
    """Read a certificate (compressed or not, ``-`` for standard input).

    ``dialect`` overrides what the file looks like.  With ``formula``, the certificate is
    checked against its prefix; level 2, whether the functions win, is
    :func:`~qsage_validate.certificates.check.check`.  Without it only CAQE's dialect and
    Pedant's can be read, because the others do not say whose functions they are.

    Raises :class:`InputError` for what is no certificate and for one of another formula:
    inputs or functions of variables that the prefix does not have, or that belong to the other
    player, a variable with two functions, a function that looks to its right, no functions.
    Without ``dependencies`` functions may look to their right: level 1 is then the caller's.
    """
    return parse_certificate(
        read_bytes(path), formula, dialect=dialect, path=label(path), dependencies=dependencies
    )


def parse_certificate(
    data: bytes,
    formula: Qbf | None = None,
    *,
    dialect: Dialect | None = None,
    path: str | None = None,
    dependencies: bool = True,
) -> Certificate:
    """The certificate in ``data``; errors as in :func:`read_certificate`."""
    found = sniff_bytes(data)
    if dialect is Dialect.PEDANT or (dialect is None and found in (Format.PEDANT, Format.QDIMACS)):
        from qsage_validate.certificates.clauses import read_clauses

        return read_clauses(data, formula, path, dependencies=dependencies)
    if dialect is Dialect.OUTER or (dialect is None and found is Format.OUTER_BLOCK):
        from qsage_validate.certificates.clauses import read_outer_block

        return read_outer_block(data, formula, path)
    if found not in (Format.AIGER_ASCII, Format.AIGER_BINARY) and data:
        expected = "a certificate: AIGER ('aag', 'aig'), Pedant's CNF ('p cnf') or 'V' lines"
        if found is Format.UNKNOWN:
            raise unknown_format(data, path, expected)
        kind = found.value if found.value.endswith("file") else f"{found.value} file"
        raise InputError(path, 1, 1, f"a {kind}", expected)
    return _CircuitReader(data, formula, dialect, path).read(dependencies=dependencies)


class _CircuitReader:
    def __init__(
        self, data: bytes, formula: Qbf | None, dialect: Dialect | None, path: str | None
    ) -> None:
        self.data = data
        self.formula = formula
        self.file: AigerFile = parse_aiger(data, path)
        self.path = self.file.path
        self.recognition = (
            recognise(self.file, formula)
            if dialect is None
            else Recognition(dialect, "it was asked for")
        )
        self.dialect = self.recognition.dialect
        self.said = said_blocks(self.file)
        # At which output each decided variable has its function.
        self.position: dict[int, int] = {}

    def read(self, *, dependencies: bool) -> CircuitCertificate:
        ins = input_names(self.file, self.dialect)
        outs = output_names(self.file, self.dialect)
        literals = self.file.outputs.tolist()
        if self.formula is None:
            return self._without_formula(ins, outs, literals)
        quantifiers = self.formula.quantifiers()
        numbers = self.formula.by_text()
        inputs = self._inputs(ins, numbers, quantifiers)
        functions, extra = self._functions(outs, literals, numbers, quantifiers)
        kind = self._kind(self.formula, inputs, functions)
        self._check_sides(self.formula, kind, inputs, functions)
        certificate = self._certificate(kind, inputs, functions, extra)
        stage("looking at what the functions read")
        wrong = wrong_dependency(certificate, self.formula) if dependencies else None
        if wrong is not None:
            text = wrong.text(self.formula, self._gate_name())
            at = self.position[wrong.variable]
            raise self.error("o", at, text, f"one that reads only {self.formula.readable}")
        return certificate

    def _certificate(
        self,
        kind: CertificateKind,
        inputs: Sequence[int],
        functions: Mapping[int, int],
        extra: Mapping[int, int],
    ) -> CircuitCertificate:
        return CircuitCertificate(
            kind=kind,
            aig=self.file.aig,
            inputs=tuple(inputs),
            functions=functions,
            dialect=self.dialect,
            path=self.path,
            extra=extra,
            recognised=self.recognition.reason,
            first_blocks=None if self.said is None else self.said[0],
        )

    # -- Names

    def _inputs(
        self,
        names: Sequence[str],
        numbers: Mapping[str, int],
        quantifiers: Mapping[int, Quantifier],
    ) -> list[int]:
        inputs: list[int] = []
        for k, name in enumerate(names):
            variable = numbers.get(name)
            if variable is None or variable not in quantifiers:
                found = f"an input for {quoted(name)}"
                raise self.error("i", k, found, f"a variable of {self._prefix()}")
            inputs.append(variable)
        self._check_distinct("i", names, "an input")
        return inputs

    def _functions(
        self,
        names: Sequence[str],
        literals: Sequence[int],
        numbers: Mapping[str, int],
        quantifiers: Mapping[int, Quantifier],
    ) -> tuple[dict[int, int], dict[int, int]]:
        functions: dict[int, int] = {}
        extra: dict[int, int] = {}
        for k, (name, literal) in enumerate(zip(names, literals, strict=False)):
            variable = numbers.get(name)
            if variable is not None and variable in quantifiers:
                functions[variable] = literal
                self.position[variable] = k
            elif variable is not None:
                extra[variable] = literal  # a gate, which the clausal form has as a variable
            else:
                found = f"a function for {quoted(name)}"
                raise self.error("o", k, found, f"a variable of {self._prefix()}")
        self._check_distinct("o", names, "a function")
        return functions, extra

    def _check_distinct(self, kind: str, names: Sequence[str], what: str) -> None:
        seen: set[str] = set()
        for k, name in enumerate(names):
            if name in seen:
                raise self.error(kind, k, f"{what} for {quoted(name)} once more", "only one")
            seen.add(name)

    def _without_formula(
        self, ins: Sequence[str], outs: Sequence[str], literals: Sequence[int]
    ) -> CircuitCertificate:
        if self.dialect is not Dialect.CAQE:
            found = f"a certificate in the dialect {self.dialect.value} without its formula"
            raise InputError(self.path, None, None, found, "the formula, which tells the kind")
        for kind, names in (("i", ins), ("o", outs)):
            for k, name in enumerate(names):
                if not _is_number(name):
                    raise self.error(kind, k, quoted(name), "a number, where there is no formula")
        self._check_distinct("i", ins, "an input")
        self._check_distinct("o", outs, "a function")
        inputs = [int(name) for name in ins]
        functions = dict(zip(map(int, outs), literals, strict=False))
        both = functions.keys() & set(inputs)
        if both:
            k = next(k for k, name in enumerate(outs) if int(name) in both)
            raise self.error("o", k, f"a function for the input {outs[k]}", "another variable")
        return self._certificate(self._result(), inputs, functions, {})

    # -- Kind

    def _kind(
        self, formula: Qbf, inputs: Iterable[int], functions: Iterable[int]
    ) -> CertificateKind:
        if self.dialect is Dialect.CAQE:
            return self._result()
        quantifiers = formula.quantifiers()
        asked = {quantifiers[v] for v in inputs}
        decided = {quantifiers[v] for v in functions}
        for kind in CertificateKind:
            if asked == {kind.decides.dual} or (len(asked) != 1 and decided == {kind.decides}):
                return kind
        if not asked and not decided:
            return self._kind_of_nothing(formula)
        what = "inputs" if asked else "functions"
        raise InputError(
            self.path, None, None, f"{what} of both quantifiers", f"{what} of one quantifier"
        )

    def _kind_of_nothing(self, formula: Qbf) -> CertificateKind:
        """The kind of a certificate without inputs and functions: the one that it proves.

        All variables of the player are false then.  Where it proves neither, it is Herbrand.
        """
        from qsage_validate.certificates.check import CertificateProved, check

        skolem = self._certificate(CertificateKind.SKOLEM, (), {}, {})
        proved = isinstance(check(formula, skolem), CertificateProved)
        return CertificateKind.SKOLEM if proved else CertificateKind.HERBRAND

    def _result(self) -> CertificateKind:
        position = len(self.file.outputs) - 1
        if position < 0:
            raise self._no_functions()
        literal = int(self.file.outputs[position])
        # The constant may be written as a gate, and(1, 1).
        _, (constant,) = strash(self.file.aig, [literal])
        if constant not in (FALSE, TRUE):
            found = f"the output {RESULT!r} as a function"
            raise self.error("o", position, found, "the constant 1 (Skolem) or 0 (Herbrand)")
        return CertificateKind.SKOLEM if constant == TRUE else CertificateKind.HERBRAND

    def _check_sides(
        self,
        formula: Qbf,
        kind: CertificateKind,
        inputs: Sequence[int],
        functions: Mapping[int, int],
    ) -> None:
        quantifiers = formula.quantifiers()
        own, other = _ADJECTIVE[kind.decides], _ADJECTIVE[kind.decides.dual]
        for k, variable in enumerate(inputs):
            if quantifiers[variable] is kind.decides:
                name = formula.name(variable)
                found = f"an input for {name}, which is {own}"
                expected = f"{_article(other)} variable: {kind.value} functions decide {own} ones"
                raise self.error("i", k, found, expected)
        for variable in functions:
            if quantifiers[variable] is not kind.decides:
                name = formula.name(variable)
                found = f"a function for {name}, which is {other}"
                expected = f"{_article(own)} variable: these are {kind.value} functions"
                raise self.error("o", self.position[variable], found, expected)
        if self.said is not None:
            self._check_blocks(formula, *self.said, formula.blocks(kind.decides), functions)

    def _check_blocks(
        self,
        formula: Qbf,
        first: int,
        count: int,
        own: Sequence[frozenset[int]],
        functions: Iterable[int],
    ) -> None:
        """Compare what a part says of its blocks with the prefix."""
        if count != len(own):
            found = f"a part of a certificate with {counted(count, 'block')}"
            expected = f"one for the {len(own)} of {self._prefix()}"
            raise InputError(self.path, None, None, found, expected)
        for variable in functions:
            if not any(variable in block for block in own[:first]):
                found = f"a function for {formula.name(variable)}"
                expected = f"a variable of the first {first} of {count} blocks, as a comment says"
                raise self.error("o", self.position[variable], found, expected)

    # -- Messages

    def _prefix(self) -> str:
        path = None if self.formula is None else self.formula.path
        return f"the prefix of {path or 'the formula'}"

    def _no_functions(self) -> InputError:
        expected = "functions of variables of the prefix"
        return InputError(self.path, None, None, "a certificate without any function", expected)

    def _gate_name(self) -> Callable[[int], str]:
        """The index that the file uses for a variable of the graph."""
        literals = enumerate(self.file.literal_of.tolist())
        index = {literal >> 1: index for index, literal in literals if literal >= 0}
        return lambda variable: str(index[variable])

    def error(self, kind: str, k: int, found: str, expected: str) -> InputError:
        """The error at input or output ``k``: where its variable is named."""
        if self.file.binary:
            return InputError(self.path, None, None, found, expected)
        line = 2 + k + (len(self.file.inputs) if kind == "o" else 0)
        if self.dialect is not Dialect.QBFCERT_ASCII:
            match = re.search(rb"^%b%d " % (kind.encode(), k), self.data, re.MULTILINE)
            if match is not None:
                line = self.data.count(b"\n", 0, match.start()) + 1
        return InputError(self.path, line, 1, found, expected)


def _is_number(name: str) -> bool:
    return re.fullmatch(r"[1-9][0-9]{0,9}", name) is not None


def _article(adjective: str) -> str:
    return f"{'an' if adjective[0] in 'aeio' else 'a'} {adjective}"
