"""Clauses in DIMACS: QDIMACS formulas, and the files of solvers in the same syntax.

These have Skolem functions as a set of clauses.  Variables are the formula's; what is above them
helps to define the functions.  A comment ``c Model for variable N.`` stands before the clauses of
each function.

Format: the QBF solver evaluations' QDIMACS 1.1.  Choices where files differ from it:

- Comments are allowed everywhere, and clauses may span lines.
- Variables of the matrix that the prefix lacks are existential and outermost, as the standard
  says; quantified variables need not occur in the matrix; empty scopes are allowed.
- Neighbouring blocks of one quantifier are kept as separate scopes.
- Literals that a clause repeats are dropped; tautologies are kept when reading.
- A header with wrong numbers is told of, and the file is read: debuggers that shorten files leave
  the header as it was.  So is a file that was cut off, which only the warning shows.

DepQBF and CAQE (``--qdo``) print QDIMACS's result, ``s cnf 1 4 3`` or ``s cnf 0 4 3`` with the
formula's numbers of variables and clauses, and a line ``V 1 0`` for each variable; RAReQS one line
``V +1 -2`` and the result behind it.  QuAbS (``--partial-assignment``) prints ``V 1 -2 0`` and
``r SAT`` or ``r UNSAT``, Qute ``SAT`` or ``UNSAT`` and a line ``v 1 -2 0``, Quantor
``s SATISFIABLE`` or ``s UNSATISFIABLE`` and such lines.  Variables that have no value may have any.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope
from qsage_validate.circuit.rewriting import conjuncts
from qsage_validate.errors import InputError, counted
from qsage_validate.formats.numbers import NotANumberError, parse_integers
from qsage_validate.formats.policy import put_up_with
from qsage_validate.formats.source import BOM, LETTER_C, Source, byte_error, decoded_comment, quoted

# DIMACS: what QDIMACS and plain files share, and Pedant's model files (``--cnf``)


_COMMENT: Final = re.compile(rb"^[ \t]*c([^\r\n]*)", re.MULTILINE)
_PROBLEM: Final = re.compile(
    rb"[ \t]*p[ \t]+cnf[ \t]+([0-9]{1,18})[ \t]+([0-9]{1,18})[ \t]*\r?(?:\n|\Z)"
)
_HEADER: Final = "a header 'p cnf VARIABLES CLAUSES'"
# Tables and solvers are sized by the largest variable: it may exceed the number of bytes in
# the file by this.
_SPARE_VARIABLES: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Dimacs:
    """A DIMACS text with its comments cut out.

    ``code`` has blanks in their place, so that offsets agree with the file; ``header`` is the
    offset of the problem line, ``start`` that behind it.  ``variables`` and ``clauses`` are the
    numbers there, which may be wrong.  ``comments`` are ``(offset, text behind the c)``.
    """

    data: bytes
    code: bytes
    path: str | None
    variables: int
    clauses: int
    header: int
    start: int
    comments: tuple[tuple[int, str], ...]

    def error(self, offset: int, found: str, expected: str) -> InputError:
        """The error at a byte of the file."""
        return byte_error(self.path, self.data, offset, found, expected)

    def line_of(self, offset: int) -> int:
        """The line, from 1, of a byte."""
        return self.data.count(b"\n", 0, offset) + 1

    @property
    def limit(self) -> int:
        """The largest variable that a file of this size may have."""
        return len(self.data) + _SPARE_VARIABLES

    def numbers(
        self, start: int, end: int, what: str, most: int
    ) -> tuple[NDArray[np.int32], list[int]]:
        """The numbers of ``code[start:end]`` and their offsets: variables up to ``most``, or 0."""
        try:
            values, offsets = parse_integers(self.code, start, end, signed=True)
        except NotANumberError as error:
            raise self.error(error.offset, quoted(error.token), what) from None
        wrong = np.flatnonzero(np.abs(values) > most)
        if len(wrong):
            k = int(wrong[0])
            why = "the header" if most == self.variables else "in a file of this size"
            found = f"variable {abs(int(values[k]))}"
            raise self.error(int(offsets[k]), found, f"at most {most} ({why})")
        return values.astype(np.int32), offsets.tolist()

    def clause_literals(self, start: int, most: int) -> NDArray[np.int32]:
        """All clauses from ``start`` to the end, each ended by 0."""
        what = "a literal, or 0 to end a clause"
        literals, _ = self.numbers(start, len(self.code), what, most)
        if len(literals) and literals[-1] != 0:
            end = len(self.data.rstrip())
            raise self.error(end, "the end of the file", "a 0 that ends the last clause")
        return literals

    def fault(self, variables: int, clauses: int) -> InputError | None:
        """The error in the header, where the file has so many of either."""
        said: list[str] = []
        there: list[str] = []
        if not variables <= self.variables <= self.limit:
            said.append(counted(self.variables, "variable"))
            there.append(f"{variables:,}")
        if clauses != self.clauses:
            said.append(counted(self.clauses, "clause"))
            there.append(f"{clauses:,}")
        if not said:
            return None
        found, expected = f"a header of {' and '.join(said)}", " and ".join(there)
        return self.error(self.header, found, f"{expected}, as in the file")


def split_dimacs(data: bytes, path: str | None) -> Dimacs:
    """Cut out the comments and read the problem line.

    Raises :class:`InputError` for what is no text, and for a header that is missing or malformed.
    """
    Source.decode(data, path, LETTER_C).check_not_empty(_HEADER)
    data = data.removeprefix(BOM)
    comments: list[tuple[int, str]] = []
    pieces: list[bytes] = []
    at = 0
    for match in _COMMENT.finditer(data):
        start, end = match.span()
        comments.append((start, decoded_comment(match.group(1))))
        pieces += (data[at:start], b" " * (end - start))
        at = end
    pieces.append(data[at:])
    code = b"".join(pieces)
    blank = re.match(rb"\s*", code)
    begin = blank.end() if blank else 0
    if begin == len(code):
        raise byte_error(path, data, len(data.rstrip()), "the end of the file", _HEADER)
    begin = code.rfind(b"\n", 0, begin) + 1
    header = _PROBLEM.match(code, begin)
    if header is None:
        end = code.find(b"\n", begin)
        line = code[begin : end if end >= 0 else len(code)].strip()
        found = quoted(line[:60].decode("utf-8", "replace"))
        raise byte_error(path, data, begin, found, _HEADER)
    return Dimacs(
        data=data,
        code=code,
        path=path,
        variables=int(header.group(1)),
        clauses=int(header.group(2)),
        header=header.start(),
        start=header.end(),
        comments=tuple(comments),
    )


_MODEL: Final = re.compile(r"\s*Model for variable\s+(\S+?)\.?\s*")


@dataclass(frozen=True, eq=False)
class PedantFile:
    """The clauses of a model file.

    ``literals`` are all clauses in the order of the file, each ended by 0; ``defined`` the
    variables that the file announces models for; ``max_variable`` the header's number of
    variables.
    """

    literals: NDArray[np.int32]
    defined: frozenset[int]
    max_variable: int
    path: str | None = None

    @property
    def num_clauses(self) -> int:
        return int(np.count_nonzero(self.literals == 0))


def parse_pedant(data: bytes, path: str | None = None) -> PedantFile:
    """The model in ``data``.

    Raises :class:`InputError` with line and column for malformed or truncated files, numbers
    that the header excludes, and a CNF without any ``c Model for variable N.``, which is no
    certificate.
    """
    dimacs = split_dimacs(data, path)
    most = min(dimacs.variables, dimacs.limit)
    defined: set[int] = set()
    for offset, text in dimacs.comments:
        match = _MODEL.fullmatch(text)
        if match is None:
            continue
        word = match.group(1)
        if not re.fullmatch(r"[0-9]{1,10}", word) or not 1 <= int(word) <= most:
            expected = f"a variable from 1 to {most}"
            raise dimacs.error(offset, f"a model for variable {word}", expected)
        defined.add(int(word))
    literals = dimacs.clause_literals(dimacs.start, most)
    fault = dimacs.fault(0, int(np.count_nonzero(literals == 0)))
    if fault is not None:
        raise fault  # a certificate is cut off then
    if not defined:
        found = "a CNF without a comment 'c Model for variable N.'"
        raise dimacs.error(0, found, "a model that Pedant wrote with --cnf")
    return PedantFile(literals, frozenset(defined), dimacs.variables, path)


# QDIMACS: prenex formulas in conjunctive normal form; and any circuit as such a formula


_BLOCK: Final = re.compile(rb"[ \t]*([ae])(?![^ \t\r\n])([^\n]*)")
# A name is no number: those are the variables' in the file.
_NAME_OF: Final = re.compile(r" name ([1-9][0-9]{0,9}) ((?![0-9]+\Z)[^\s#(),;=-][^\s#(),;=]*)")
_QUANTIFIERS: Final = {b"a": Quantifier.FORALL, b"e": Quantifier.EXISTS}
_LETTERS: Final = {Quantifier.FORALL: "a", Quantifier.EXISTS: "e"}

Placement = Literal["innermost", "early"]
"""The place where :func:`clausal_form` quantifies the variables of gates."""


def clause_gates(clauses: Iterable[tuple[int, ...]], first: int) -> tuple[dict[int, Gate], int]:
    """Clauses as gates numbered from ``first`` on, one for each that is no unit, and the last one.

    That is the output, the conjunction of all of them; QDIMACS has them as just these clauses.
    """
    gates: dict[int, Gate] = {}
    conjuncts: list[int] = []
    for clause in clauses:
        if len(clause) == 1:
            conjuncts.append(clause[0])
            continue
        conjuncts.append(first + len(gates))
        gates[conjuncts[-1]] = Gate(Connective.OR, clause)
    output = first + len(gates)
    gates[output] = Gate(Connective.AND, tuple(conjuncts))
    return gates, output


def parse_qdimacs(data: bytes | str, path: str | None = None) -> Qbf:
    """The formula in ``data``; raises :class:`InputError` with line and column.

    The matrix becomes one ``and`` gate over an ``or`` gate for each clause that is no unit;
    variables keep their numbers, gates are numbered from the largest on, or from the header's
    number of variables where that is larger and the file not far too short for it.
    Comments ``c name 1 row`` are a table of names.  Others are kept; ``c #text`` becomes the
    comment ``text`` of a circuit, as :func:`qdimacs_text` writes it.
    """
    raw = data.encode() if isinstance(data, str) else data
    dimacs = split_dimacs(raw, path)
    scopes, matrix_start = _prefix(dimacs)
    literals = dimacs.clause_literals(matrix_start, dimacs.limit)
    quantified = [v for scope in scopes for v in scope.variables]
    largest = max(int(np.abs(literals).max(initial=0)), max(quantified, default=0))
    fault = dimacs.fault(largest, int(np.count_nonzero(literals == 0)))
    if fault is not None:
        put_up_with(fault)
    if dimacs.variables <= dimacs.limit:
        largest = max(largest, dimacs.variables)
    free_variables = np.zeros(largest + 1, dtype=np.bool_)
    free_variables[np.abs(literals)] = True
    free_variables[[0, *quantified]] = False
    free = tuple(np.flatnonzero(free_variables).tolist())
    if free:
        scopes.insert(0, Scope(Quantifier.EXISTS, free))
    first = largest + 1
    names, comments = _names(_comments(dimacs), {*free, *quantified})
    gates, output = clause_gates(_clauses(literals.tolist()), first)
    return Qbf(
        scopes=tuple(scopes),
        gates=gates,
        output=output,
        names=names,
        comments=comments,
        path=path,
        unwritten=range(first, output + 1),
        free=free,
    )


def _clauses(literals: list[int]) -> Iterator[tuple[int, ...]]:
    start = 0
    while start < len(literals):
        end = literals.index(0, start)
        yield tuple(dict.fromkeys(literals[start:end]))
        start = end + 1


def _comments(dimacs: Dimacs) -> Iterator[tuple[int, str]]:
    line, counted = 1, 0
    for offset, text in dimacs.comments:
        line += dimacs.data.count(b"\n", counted, offset)
        counted = offset
        yield line, text.removeprefix(" #") if text.startswith(" #") else text


def _names(
    comments: Iterable[tuple[int, str]], known: Collection[int]
) -> tuple[dict[int, str], tuple[tuple[int, str], ...]]:
    """The table of names, and the other comments.

    A line that is none of the table's, for a number without a variable or with a name that is
    taken, is a comment like others.
    """
    names: dict[int, str] = {}
    taken: set[str] = set()
    others: list[tuple[int, str]] = []
    for line, text in comments:
        match = _NAME_OF.fullmatch(text)
        number, name = (0, "") if match is None else (int(match[1]), match[2])
        if number not in known or number in names or name in taken:
            others.append((line, text))
            continue
        names[number] = name
        taken.add(name)
    return names, tuple(others)


def _prefix(dimacs: Dimacs) -> tuple[list[Scope], int]:
    """The scopes, and where the matrix begins."""
    scopes: list[Scope] = []
    seen: dict[int, int] = {}
    at = dimacs.start
    while at < len(dimacs.code):
        blank = re.compile(rb"[ \t\r\n]*").match(dimacs.code, at)
        start = blank.end() if blank else at
        block = _BLOCK.match(dimacs.code, start)
        if block is None:
            break
        what = "the variables of a block, ended by 0"
        variables, offsets = dimacs.numbers(block.start(2), block.end(2), what, dimacs.limit)
        numbers = variables.tolist()
        if not numbers or numbers[-1] != 0:
            raise dimacs.error(len(dimacs.code[: block.end()].rstrip()), "the end of a line", what)
        for offset, variable in zip(offsets, numbers[:-1], strict=False):
            if variable <= 0:
                raise dimacs.error(offset, str(variable), "a variable")
            if variable in seen:
                found = (
                    f"variable {variable} again (it is in line {dimacs.line_of(seen[variable])})"
                )
                raise dimacs.error(offset, found, "each variable once in the prefix")
            seen[variable] = offset
        scopes.append(Scope(_QUANTIFIERS[block.group(1)], tuple(numbers[:-1])))
        at = block.end()
    return scopes, at


@dataclass(frozen=True, slots=True)
class ClausalForm:
    """A prefix of alternating scopes and clauses over the same numbering as the circuit's."""

    scopes: tuple[Scope, ...]
    clauses: tuple[tuple[int, ...], ...]
    max_variable: int


def clausal_form(
    qbf: Qbf, *, polarity: bool = False, placement: Placement = "innermost"
) -> ClausalForm:
    """An equivalent formula in conjunctive normal form.

    A matrix that is a conjunction of clauses already stays as it is.  Any other goes through
    Tseitin's transformation: gate ``g`` becomes the variable ``g``, existential and innermost.
    Repeated literals and tautologies are dropped.

    With ``polarity`` only those directions of a gate's definition are kept that its uses need
    (Plaisted and Greenbaum, *A structure-preserving clause form translation*, 1986): about half
    of the clauses, under which a gate's variable need not equal the gate.  Gates that the
    output does not need are left out then, also from the prefix; numbers stay.

    With ``placement="early"`` a gate's variable stands as far left as what it depends on
    allows: in the scope of its innermost input, or in the existential scope after it when that
    input is universal.  Solvers then know a gate as soon as its inputs are decided.
    """
    clauses = conjuncts(qbf)
    scopes = qbf.merged_scopes()
    if clauses is None:
        needed = _needed_directions(qbf) if polarity else None
        gates = [g for g in qbf.gates if needed is None or g in needed]
        scopes = _with_gates(qbf, gates, placement)
        defining = (tuple(clause) for clause in qbf.clauses())
        if needed is not None:
            # A definition's clauses begin with the gate: negated, they are "gate implies".
            defining = (c for c in defining if -c[0] in needed.get(abs(c[0]), ()))
        clauses = [*defining, (qbf.output,)]
        largest = qbf.max_variable
    else:
        largest = max((max(s.variables) for s in scopes), default=0)
    unique = (tuple(dict.fromkeys(clause)) for clause in clauses)
    kept = tuple(c for c in unique if set(c).isdisjoint([-x for x in c]))
    return ClausalForm(scopes, kept, largest)


def _with_gates(qbf: Qbf, gates: list[int], placement: Placement) -> tuple[Scope, ...]:
    """The merged prefix with the variables of ``gates`` in it."""
    scopes = qbf.merged_scopes()
    level = qbf.levels()
    # One list for each scope, which stays empty for the universal ones, and one after the last.
    own: list[list[int]] = [[] for _ in range(len(scopes) + 1)]
    if placement == "early":
        for number, gate in qbf.gates.items():
            at = max((level[abs(x)] for x in gate.inputs), default=0)
            universal = at < len(scopes) and scopes[at].quantifier is Quantifier.FORALL
            level[number] = at + 1 if universal else at
        for number in gates:
            own[level[number]].append(number)
    else:
        own[-1] = gates
    prefix = [
        Scope(scope.quantifier, (*scope.variables, *mine))
        for scope, mine in zip(scopes, own[:-1], strict=True)
    ]
    last = Scope(Quantifier.EXISTS, tuple(own[-1]))
    return Qbf((*prefix, last), {}, qbf.output).merged_scopes()


def _needed_directions(qbf: Qbf) -> dict[int, set[int]]:
    """For each gate that the output needs, the literals of it that have to imply something."""
    needed: dict[int, set[int]] = {abs(qbf.output): {qbf.output}} if qbf.gates else {}
    for number in reversed(list(qbf.gates)):
        gate = qbf.gates[number]
        for sign in [1 if literal > 0 else -1 for literal in needed.get(number, ())]:
            for position, literal in enumerate(gate.inputs):
                both = gate.connective is Connective.XOR
                both = both or (gate.connective is Connective.ITE and position == 0)
                uses = {literal, -literal} if both else {sign * literal}
                needed.setdefault(abs(literal), set()).update(uses)
    return {number: literals for number, literals in needed.items() if number in qbf.gates}


def qdimacs_text(
    form: ClausalForm, comments: Iterable[str] = (), names: Mapping[int, str] | None = None
) -> str:
    """The text of a clausal form; the same form gives the same text.

    A comment ``text`` of a circuit becomes ``c #text``, so that layouts travel along.  ``names``
    of variables of the form become a table, ``c name 1 row``, which ``parse_qdimacs`` reads.
    """
    lines: list[str] = []
    variables = [v for scope in form.scopes for v in scope.variables]
    known = {} if names is None else names
    table = [f" name {v} {known[v]}" for v in variables if v in known]
    comments = (*comments, *(text for text in table if _NAME_OF.fullmatch(text)))
    for text in comments:
        if "\n" in text or "\r" in text:
            raise ValueError(f"a line break in the comment {text!r}")
        plain = text.startswith(" ") and not text.startswith(" #")
        lines.append(f"c{text}" if plain else f"c #{text}")
    lines.append(f"p cnf {form.max_variable} {len(form.clauses)}")
    for scope in form.scopes:
        lines.append(f"{_LETTERS[scope.quantifier]} {' '.join(map(str, scope.variables))} 0")
    lines += [" ".join(map(str, (*clause, 0))) for clause in form.clauses]
    return "\n".join(lines) + "\n"


def qbf_to_qdimacs(qbf: Qbf) -> str:
    """A formula, circuit or clauses, as QDIMACS text (see :func:`clausal_form`)."""
    return qdimacs_text(clausal_form(qbf), (text for _, text in qbf.comments), qbf.names)


# The values of an outermost block as QBF solvers print them: a result and ``V`` lines


_RESULT: Final = re.compile(
    r"s[ \t]+cnf[ \t]+([01])(?:[ \t]+\d+){0,2}|(?:r[ \t]+)?(UN)?SAT|s[ \t]+(UN)?SATISFIABLE"
)
_OUTER_COMMENT: Final = re.compile(r"c(?:[ \t].*)?")
_LITERAL: Final = re.compile(r"[+-]?([^\s+,()=#-][^\s,()=#]*)")
_LINE: Final = (
    "a result ('s cnf 1', 'r SAT', 'SAT' or 's SATISFIABLE', or of a false formula), a line "
    "'V LITERALS 0' or 'v LITERALS 0', or 'c …'"
)


@dataclass(frozen=True, slots=True)
class OuterValue:
    """The value of a variable, by the name that the file has for it, and where it stands."""

    name: str
    value: bool
    offset: int


@dataclass(frozen=True)
class OuterBlock:
    """The output of a solver: ``truth`` is ``None`` where it has no result line.

    ``result`` is the place of that line.
    """

    values: tuple[OuterValue, ...]
    truth: bool | None
    result: int
    source: Source


def parse_outer_block(data: bytes, path: str | None = None) -> OuterBlock:
    """The values in ``data``.

    Raises :class:`InputError` with line and column for a line of another form, a second result,
    and for a file without lines of values.
    """
    source = Source.decode(data, path, LETTER_C)
    values: list[OuterValue] = []
    truth: bool | None = None
    result, seen = 0, False
    for _, start, line in source.lines():
        text = line.strip()
        at = start + len(line) - len(line.lstrip())
        said = _RESULT.fullmatch(text)
        if said is not None:
            if truth is not None:
                raise source.error(at, "a second result", "one result")
            digit, *negations = said.groups()
            truth = digit == "1" if digit else not any(negations)
            result = at
        elif re.match(r"[Vv](?:\s|$)", text):
            seen = True
            values += _values(source, at + 1, text[1:])
        elif text and not _OUTER_COMMENT.fullmatch(text):
            raise source.error(at, quoted(text), _LINE)
    if not seen:
        raise source.end_error("a line 'V LITERALS 0' with the values of the outermost block")
    return OuterBlock(tuple(values), truth, result, source)


def _values(source: Source, start: int, text: str) -> list[OuterValue]:
    """The literals of one line, whose 0 at the end may be missing."""
    words = [(start + m.start(), m.group()) for m in re.finditer(r"\S+", text)]
    found: list[OuterValue] = []
    for place, (at, word) in enumerate(words):
        if word == "0":
            if place + 1 < len(words):
                behind, more = words[place + 1]
                raise source.error(behind, quoted(more), "the end of the line behind 0")
            return found
        match = _LITERAL.fullmatch(word)
        if match is None:
            raise source.error(at, quoted(word), "a variable, with '-' where it is false")
        found.append(OuterValue(match.group(1), not word.startswith("-"), at))
    return found
