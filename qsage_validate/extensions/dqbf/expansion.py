"""DQBFs: DQDIMACS and DQCIR, and small formulas decided by expansion.

Formats: Síč, *Satisfiability of DQBF Using Binary Decision Diagrams* (2020, appendix C), and the
README of DQBDD.  A line ``d 6 1 4 0`` and a statement ``depend(6, 1, 4)`` have an existential
variable and the universal variables that its function may read.  These stand left of it.  ``e`` and
``exists`` mean all universal variables on their left, and variables that nothing quantifies read
none.  Without its dependency set such a variable is one of a scope of its own: the core's readers
read that, with the same offsets.

Formulas are expanded assignment by assignment, until a candidate wins or none can. An existential
variable has a copy for each choice of values of its dependency set. The matrix under a choice of
the universal variables is an *instance* over copies. If no copies satisfy some instances, the
formula is false: its functions would. Else the values of the copies are tables of functions, which
are false elsewhere. A choice that beats them is the next instance, and if none does they are
Skolem functions. There are as many rounds as choices at most.

Fröhlich, Kovásznai, Biere, Veith, *iDQ: instantiation-based DQBF solving* (POS 2014).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.circuit.sat import Satisfiable, Solver, TimedOut, circuit_clauses, load
from qsage_validate.circuit.simplify import satisfy
from qsage_validate.errors import UndecidedError, counted
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.formats.qdimacs import Dimacs, parse_qdimacs, split_dimacs
from qsage_validate.formats.source import (
    HASH,
    NAME,
    Format,
    Path,
    Source,
    label,
    quoted,
    read_bytes,
    sniff_bytes,
)
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate, Dialect
from qsage_validate.kernel.composition import compose
from qsage_validate.system.limits import NEVER, Deadline, Progress, Tell, nobody

_LINE: Final = re.compile(rb"[ \t\r\n]*([aed])(?![^ \t\r\n])([^\n]*)")
_D_LINE: Final = "a variable and its dependency set, ended by 0"
_UNIVERSAL: Final = "a universal variable of a line or statement before this one"

_STATEMENT: Final = re.compile(r"\s*(free|forall|exists|depend)(\s*)\(([^()=]*)\)", re.IGNORECASE)
_NAME: Final = re.compile(rf"\s*({NAME})\s*")
_DEPEND: Final = "a variable and its dependency set"
_BINDS: Final = re.compile(r"=\s*(?:exists|forall)\s*\(", re.IGNORECASE)


def read_dqbf(path: Path) -> Qbf:
    """The formula in a DQDIMACS or DQCIR file; raises :class:`InputError` with line and column."""
    return parse_dqbf(read_bytes(path), label(path))


def parse_dqbf(data: bytes, path: str | None = None) -> Qbf:
    """The formula in ``data``: DQCIR where its content is that, else DQDIMACS."""
    clausal = sniff_bytes(data) is not Format.DQCIR
    return parse_dqdimacs(data, path) if clausal else parse_dqcir(data, path)


def parse_dqdimacs(data: bytes, path: str | None = None) -> Qbf:
    """The formula in ``data``; raises :class:`InputError` with line and column."""
    dimacs = split_dimacs(data, path)
    depends: dict[int, frozenset[int]] = {}
    universal: set[int] = set()
    seen: dict[int, int] = {}
    plain = bytearray(dimacs.data)
    at = dimacs.start
    while (line := _LINE.match(dimacs.code, at)) is not None:
        at, letter = line.end(), line.group(1)
        if letter == b"d":
            variable, own, end = _d_line(dimacs, *line.span(2), universal, seen)
            depends[variable] = own
            plain[line.start(1)] = ord("e")
            # The set is cut out: "d 6 1 4 0" becomes "e 6     0".
            zero = dimacs.code.rindex(b"0", end, at)
            plain[end:zero] = b" " * (zero - end)
            continue
        numbers, offsets = dimacs.numbers(*line.span(2), "the variables of a block", dimacs.limit)
        for offset, variable in zip(offsets, numbers.tolist(), strict=True):
            seen.setdefault(variable, offset)
            if letter == b"a" and variable > 0:
                universal.add(variable)
    return replace(parse_qdimacs(bytes(plain), path), depends=depends)


def _d_line(
    dimacs: Dimacs, start: int, end: int, universal: set[int], seen: dict[int, int]
) -> tuple[int, frozenset[int], int]:
    """The variable, its dependency set, and the offset behind the variable."""
    numbers, offsets = dimacs.numbers(start, end, _D_LINE, dimacs.limit)
    found = numbers.tolist()
    if not found or found[-1] != 0:
        raise dimacs.error(len(dimacs.code[:end].rstrip()), "the end of a line", _D_LINE)
    for offset, number in zip(offsets, found[:-1], strict=False):
        if number <= 0:
            raise dimacs.error(offset, str(number), "a variable")
    if len(found) == 1:
        raise dimacs.error(offsets[0], "0", _D_LINE)
    variable, first = found[0], offsets[0]
    if variable in seen:
        again = f"variable {variable} again (it is in line {dimacs.line_of(seen[variable])})"
        raise dimacs.error(first, again, "each variable once in the prefix")
    seen[variable] = first
    for offset, read in zip(offsets[1:], found[1:-1], strict=False):
        if read not in universal:
            raise dimacs.error(offset, f"variable {read} in a dependency set", _UNIVERSAL)
    word = re.compile(rb"\S+").match(dimacs.code, first)
    return variable, frozenset(found[1:-1]), first if word is None else word.end()


def parse_dqcir(data: bytes, path: str | None = None) -> Qbf:
    """The formula in ``data``; raises :class:`InputError` with line and column.

    It has to be prenex: dependency sets are not defined in the scope of a quantifier gate.
    """
    source = Source.decode(data, path, HASH)
    code = re.sub(r"#[^\r\n]*", lambda comment: " " * len(comment.group()), source.text)
    sets: dict[str, list[str]] = {}
    universal: set[str] = set()
    pieces: list[str] = []
    at = done = 0
    while (statement := _STATEMENT.match(code, at)) is not None:
        at, keyword = statement.end(), statement.group(1).lower()
        start, end = statement.span(3)
        if keyword == "forall":
            universal.update(name.strip() for name in statement.group(3).split(","))
        if keyword == "depend":
            name, behind, read = _depend(source, code, start, end, universal)
            if name in sets:
                found = f"variable {quoted(name)} again"
                raise source.error(start, found, "each variable once in the prefix")
            sets[name] = read
            pieces += [source.text[done : statement.start(1)], "exists"]
            pieces += [source.text[statement.end(1) : behind], " " * (end - behind)]
            done = end
    binds = _BINDS.search(code, at)
    if binds is not None:
        raise source.error(binds.start(), "a quantifier gate", "gates of a prenex DQCIR formula")
    formula = parse_qcir("".join([*pieces, source.text[done:]]), path)
    numbers = formula.by_text()
    depends = {numbers[v]: frozenset(numbers[u] for u in read) for v, read in sets.items()}
    return replace(formula, depends=depends)


def _depend(
    source: Source, code: str, start: int, end: int, universal: set[str]
) -> tuple[str, int, list[str]]:
    """The variable of ``depend(...)``, the offset behind it, and its dependency set."""
    names: list[str] = []
    behind = start
    while True:
        comma = code.find(",", start, end)
        stop = end if comma < 0 else comma
        match = _NAME.fullmatch(code, start, stop)
        if match is None:
            where = start + len(code[start:stop]) - len(code[start:stop].lstrip())
            raise source.error(where, quoted(code[start:stop].strip() or code[stop]), _DEPEND)
        if names and match.group(1) not in universal:
            found = f"{quoted(match.group(1))} in a dependency set"
            raise source.error(match.start(1), found, _UNIVERSAL)
        behind = behind if names else match.end(1)
        names.append(match.group(1))
        if comma < 0:
            return names[0], behind, names[1:]
        start = comma + 1


def dependency_sets(formula: Qbf) -> dict[int, tuple[int, ...]]:
    """The universal variables that each existential variable's function may read, in order."""
    found: dict[int, tuple[int, ...]] = {}
    universal: tuple[int, ...] = ()
    for scope in formula.scopes:
        if scope.quantifier is Quantifier.FORALL:
            universal += scope.variables
            continue
        for variable in scope.variables:
            own = formula.depends.get(variable)
            found[variable] = universal if own is None else tuple(v for v in universal if v in own)
    return found


# Expansion


MAX_GATES: Final = 1_000_000
"""The instances, and the candidates, may have so many gates."""

_SOLVER: Final = "cadical195"
# Conflicts between two looks at the clock.
_LOOK_EVERY: Final = 500


@dataclass(frozen=True, slots=True)
class Expanded:
    """The value of a formula after ``instances`` of its ``choices``, with ``copies`` of variables.

    ``certificate`` has Skolem functions of a true formula.
    """

    instances: int
    choices: int
    copies: int
    certificate: CircuitCertificate | None

    @property
    def truth(self) -> bool:
        return self.certificate is not None


def expand(formula: Qbf, *, deadline: Deadline = NEVER, tell: Tell = nobody) -> Expanded:
    """Decide a closed DQBF (a QBF is one, too).

    Raises ``UndecidedError`` at the deadline, and with more than ``MAX_GATES`` gates.
    """
    with Solver(name=_SOLVER) as solver:
        return _Expansion(formula, solver, deadline, tell).decided()


class _Expansion:
    def __init__(self, formula: Qbf, solver: Solver, deadline: Deadline, tell: Tell) -> None:
        self.formula = formula
        self.solver = solver
        self.deadline = deadline
        self.tell = tell
        self.universal = formula.variables(Quantifier.FORALL)
        self.sets = dependency_sets(formula)
        # The SAT variable of each copy, by variable and values of its dependency set.
        self.copies: dict[tuple[int, tuple[bool, ...]], int] = {}
        self.variables = 0
        self.instances = self.gates = 0

    def decided(self) -> Expanded:
        choice: Mapping[int, bool] | None = dict.fromkeys(self.universal, False)
        certificate: CircuitCertificate | None = None
        while choice is not None:
            if not self._instance(choice):
                certificate = None
                break
            certificate = self._candidate(self._values())
            choice = self._beaten(certificate)
        return Expanded(self.instances, 1 << len(self.universal), len(self.copies), certificate)

    def _instance(self, choice: Mapping[int, bool]) -> bool:
        """Add the matrix under a choice; whether some values satisfy all instances."""
        self._look(self.gates)
        self.instances += 1
        builder = AigBuilder(len(self.sets))
        literals = {v: TRUE if value else FALSE for v, value in choice.items()}
        literals |= dict(zip(self.sets, builder.inputs, strict=True))
        aig, (output,) = builder.build([self.formula.add_to(builder, literals)])
        self.gates += aig.num_gates
        copies = [self._copy(v, choice) for v in self.sets]
        clauses = circuit_clauses(aig, inputs=copies, keep=[output], first=self.variables + 1)
        self.variables = max(self.variables, clauses.max_variable)
        load(self.solver, clauses.literals)
        self.solver.add_clause([clauses.literal(output)])
        while True:
            self._look(self.gates)
            self.solver.conf_budget(_LOOK_EVERY)
            answer = self.solver.solve_limited()
            if answer is not None:
                return bool(answer)

    def _copy(self, variable: int, choice: Mapping[int, bool]) -> int:
        key = variable, tuple(choice[v] for v in self.sets[variable])
        if key not in self.copies:
            self.variables += 1
            self.copies[key] = self.variables
        return self.copies[key]

    def _values(self) -> list[tuple[int, tuple[bool, ...]]]:
        """The copies that are true."""
        true = {x for x in self.solver.get_model() if x > 0}
        return [key for key, copy in self.copies.items() if copy in true]

    def _candidate(self, true: list[tuple[int, tuple[bool, ...]]]) -> CircuitCertificate:
        """The functions that are true exactly where a copy is."""
        builder = AigBuilder(len(self.universal))
        inputs = dict(zip(self.universal, builder.inputs, strict=True))
        cases: dict[int, list[int]] = {v: [] for v in self.sets}
        for variable, values in true:
            pairs = zip(self.sets[variable], values, strict=True)
            cases[variable].append(builder.and_all(inputs[v] ^ (not x) for v, x in pairs))
        aig, built = builder.build([builder.or_all(own) for own in cases.values()])
        functions = dict(zip(cases, built, strict=True))
        kind = CertificateKind.SKOLEM
        made = "made here"
        return CircuitCertificate(
            kind, aig, self.universal, functions, Dialect.CAQE, recognised=made
        )

    def _beaten(self, candidate: CircuitCertificate) -> Mapping[int, bool] | None:
        """A choice under which the candidate makes the matrix false."""
        composition = compose(candidate, self.formula)
        aig, (lost,) = composition.builder.build([composition.matrix ^ 1])
        self._look(aig.num_gates)
        answer = satisfy(aig, lost, deadline=self.deadline)
        if isinstance(answer, TimedOut):
            raise UndecidedError("the time for the expansion is over")
        if not isinstance(answer, Satisfiable):
            return None
        return dict(zip(composition.opponent, answer.inputs, strict=True))

    def _look(self, gates: int) -> None:
        done = f"{counted(self.instances, 'instance')} with {len(self.copies):,} copied variables"
        if self.deadline.over:
            raise UndecidedError(f"the time for the expansion is over after {done}")
        if gates > MAX_GATES:
            raise UndecidedError(f"the expansion needs more than {MAX_GATES:,} gates: {done}")
        self.tell(Progress("expansion", done))
