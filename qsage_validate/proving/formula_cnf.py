"""A formula with its certificate as clauses, and their refutation as an LRAT proof.

CaDiCaL writes LRAT itself when its option ``lrat`` is set before the first clause.  Its proof is
read back, so that steps of ours can stand before it and steps that nothing uses are left out.

The CNF is the plain one: every gate of matrix and certificate with its clauses, so that a reader
can compare it with the files.  The proof is an LRAT proof in three parts:

1. equal gates: for each gate that constants or another gate of the same inputs make
   superfluous, what it equals;
2. the clauses of the other gates, over what their inputs equal;
3. what CaDiCaL derives from the clauses of part 2 alone.

Without parts 1 and 2, which cost a moment, solver and checker would take twenty times as long
on certificates like those of QuAbS, which repeat their gates.
"""

from __future__ import annotations

import os
import tempfile
from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, Final

import pysolvers  # type: ignore[import-not-found]  # the part of PySAT that is not Python

from qsage_validate.circuit.qbf import Connective, Qbf, tseitin
from qsage_validate.circuit.sat import Solver
from qsage_validate.errors import Exit, InputError, QsageError, UndecidedError
from qsage_validate.kernel.certificate import (
    Certificate,
    CertificateKind,
    CircuitCertificate,
    ClauseCertificate,
    dont_cares,
)
from qsage_validate.kernel.obligation import Clause, Cnf, Span, spans, tidy
from qsage_validate.system.limits import NEVER, Deadline

# LRAT proofs: derivations with hints, CaDiCaL's steps, and the removal of unused ones


_SOLVER: Final = "cadical195"
# Conflicts between two looks at the clock and at pending signals.
_SLICE: Final = 1000
# Numbers in one line that forgets clauses.
_FORGOTTEN: Final = 1000


class NotProvedError(QsageError):
    """There is no proof, because the clauses can be satisfied."""

    exit_code = Exit.REFUTED


@dataclass(slots=True)
class Derivation:
    """Clauses that follow, one after the other, from ``given`` numbered ones.

    Step ``k`` has the number ``given + 1 + k``; ``hints[k]`` are numbers of earlier clauses, in
    the order in which unit propagation uses them.
    """

    given: int
    clauses: list[Clause] = field(default_factory=list)
    hints: list[Sequence[int]] = field(default_factory=list)

    def add(self, clause: Clause, hints: Sequence[int]) -> int:
        self.clauses.append(clause)
        self.hints.append(hints)
        return self.given + len(self.clauses)

    def trimmed(self) -> Derivation:
        """The steps that the last one needs.  The last one must be the empty clause."""
        assert not self.clauses[-1], "a refutation ends with the empty clause"
        needed = bytearray(len(self.clauses))
        needed[-1] = 1
        for k in range(len(self.clauses) - 1, -1, -1):
            if needed[k]:
                for hint in self.hints[k]:
                    if hint > self.given:
                        needed[hint - self.given - 1] = 1
        number = array("i", bytes(4 * len(self.clauses)))
        result = Derivation(self.given)
        for k, wanted in enumerate(needed):
            if wanted:
                hints = array("i", self.hints[k])
                for at, hint in enumerate(hints):
                    if hint > self.given:
                        hints[at] = number[hint - self.given - 1]
                number[k] = result.add(self.clauses[k], hints)
        return result

    def lines(self) -> Iterator[str]:
        """The lines of the proof; each clause is forgotten behind the last step that uses it.

        The literals of a step are in the order of their variables, as ACL2's checker wants.
        """
        last = array("i", bytes(4 * (self.given + len(self.clauses) + 1)))
        for k, hints in enumerate(self.hints):
            for hint in hints:
                last[hint] = k + 1
        unused = [n for n in range(1, self.given + 1) if not last[n]]
        for at in range(0, len(unused), _FORGOTTEN):
            yield _deletion(self.given, unused[at : at + _FORGOTTEN])
        for k, (clause, hints) in enumerate(zip(self.clauses, self.hints, strict=True)):
            number = self.given + k + 1
            words = [number, *sorted(clause, key=abs), 0, *hints, 0]
            yield f"{' '.join(map(str, words))}\n"
            done = [hint for hint in hints if last[hint] == k + 1]
            if done and clause:
                yield _deletion(number, done)


def _deletion(number: int, forgotten: Sequence[int]) -> str:
    return f"{number} d {' '.join(map(str, forgotten))} 0\n"


def refutation(cnf: Cnf, *, deadline: Deadline = NEVER) -> Derivation:
    """A trimmed proof that ``cnf`` is unsatisfiable.

    Raises ``NotProvedError`` when it is satisfiable, and ``UndecidedError`` at the deadline.
    """
    derivation = Derivation(len(cnf.clauses))
    numbers = range(1, len(cnf.clauses) + 1)
    search(derivation, cnf.clauses, numbers, deadline=deadline)
    return derivation.trimmed()


def search(
    derivation: Derivation,
    clauses: Collection[Clause],
    numbers: Sequence[int],
    *,
    deadline: Deadline = NEVER,
) -> None:
    """Add CaDiCaL's refutation of ``clauses``, whose numbers in ``derivation`` are ``numbers``.

    Errors as those of :func:`refutation`.
    """
    try:
        temporary = tempfile.TemporaryFile()  # noqa: SIM115 (below)
    except OSError as error:
        raise _full(error.strerror or str(error)) from None
    with temporary as file, Solver(name=_SOLVER) as solver:
        _trace(solver, file)
        solver.append_formula(list(map(list, clauses)))
        if _satisfiable(solver, deadline):
            raise NotProvedError("no proof is written: the clauses can be satisfied")
        pysolvers.flushpr(solver.solver.prfp)
        file.seek(0)
        _read(derivation, file, numbers)
        # Else PySAT would close it once more.
        solver.solver.prfile = None


def _trace(solver: Any, file: IO[bytes]) -> None:
    """Let CaDiCaL write LRAT, as text, to ``file``; to be called before the first clause."""
    cadical = solver.solver
    cadical.configure({"lrat": 1, "binary": 0})
    cadical.prfile = file
    cadical.prfp = pysolvers.cadical195_tracepr(cadical.cadical, file)


def _full(reason: str) -> InputError:
    folder = os.environ.get("TMPDIR") or tempfile.gettempdir()
    expected = "a folder for temporary files (TMPDIR) with room for the solver's proof"
    return InputError(folder, None, None, f"an error: {reason}", expected)


def _satisfiable(solver: Solver, deadline: Deadline) -> bool:
    while True:
        if deadline.over:
            raise UndecidedError("no proof is written: time is up")
        solver.conf_budget(_SLICE)
        answer = solver.solve_limited()
        if answer is not None:
            return bool(answer)


def _read(derivation: Derivation, file: IO[bytes], numbers: Sequence[int]) -> None:
    """Add the steps of a proof.

    CaDiCaL numbers clauses as they come: one that it simplifies at once has a step between it
    and the next given one.  So the given clauses are the numbers that no step has.
    """
    steps: list[tuple[int, Clause, array[int]]] = []
    for line in file:
        if not line.endswith(b"\n"):
            break  # CaDiCaL does not tell that it could not write
        words = line.split()
        if words[1] == b"d":
            continue
        middle = words.index(b"0")
        clause = tuple(map(int, words[1:middle]))
        steps.append((int(words[0]), clause, array("i", map(int, words[middle + 1 : -1]))))
        if not clause:
            break
    if not steps or steps[-1][1]:
        raise _full("the proof that the solver writes is cut")
    own = {name for name, _, _ in steps}
    number: dict[int, int] = {}
    name = 0
    for each in numbers:
        name += 1
        while name in own:
            name += 1
        number[name] = each
    for name, clause, hints in steps:
        number[name] = derivation.add(clause, array("i", (number[hint] for hint in hints)))


# The formula level as clauses in the formula's own numbering, and their refutation


def formula_cnf(formula: Qbf, certificate: Certificate) -> Cnf:
    """Clauses that are unsatisfiable exactly when no choice of the opponent beats the certificate.

    For a clause set they state that no solution of its clauses loses; that there is a solution
    under each choice is no matter of this CNF, nor is what a function reads.
    """
    return _Problem(formula, certificate).cnf


def formula_proof(
    formula: Qbf, certificate: Certificate, *, deadline: Deadline = NEVER
) -> tuple[Cnf, Derivation]:
    """The CNF and its refutation.

    Raises ``NotProvedError`` when the certificate is beaten, and ``UndecidedError`` when
    the deadline passes.
    """
    problem = _Problem(formula, certificate)
    if problem.graph is None:
        return problem.cnf, refutation(problem.cnf, deadline=deadline)
    reduction = _Reduction(formula, certificate.kind, problem.graph, problem.free, problem.cnf)
    derivation, kept = reduction.derivation, reduction.kept
    if () not in kept:
        search(derivation, kept.keys(), list(kept.values()), deadline=deadline)
    return problem.cnf, derivation.trimmed()


class _Problem:
    """The CNF with its sources; ``graph`` is ``None`` for a clause certificate."""

    def __init__(self, formula: Qbf, certificate: Certificate) -> None:
        self.graph: _Graph | None = None
        self.free = dont_cares(certificate, formula)
        clauses: list[Clause] = []
        sections: list[tuple[str, int]] = []

        def section(text: str, more: Iterable[Sequence[int]]) -> None:
            clauses.extend(tidy(more))
            sections.append((text, len(clauses)))

        last = formula.max_variable
        variables = [Span(1, last, "variables and gates of the formula, by their own numbers")]
        section("the gates of the formula", formula.clauses())
        if isinstance(certificate, CircuitCertificate):
            self.graph = graph = _Graph(formula, certificate)
            last = graph.last
            variables.append(Span(graph.constant, graph.constant, "the constant false"))
            meaning = "gates of the certificate that functions need, in the order of the file"
            variables.append(Span(graph.first, last, meaning))
            section("the gates of the certificate", graph.gates())
            section("each variable equals its function", graph.functions())
        else:
            own, last = _clause_set(formula, certificate)
            meaning = "helpers of the certificate, in the order of their numbers"
            variables.append(Span(formula.max_variable + 1, last, meaning))
            section("the clauses of the certificate", own)
        section("variables without a function are false", ([-v] for v in self.free))
        output = formula.output if certificate.kind is CertificateKind.HERBRAND else -formula.output
        value = "true" if certificate.kind is CertificateKind.HERBRAND else "false"
        section(f"the formula's output is {value}: the certificate loses", [[output]])
        used = tuple(each for each in variables if each.first <= each.last)
        self.cnf = Cnf(last, clauses, used, spans(sections))


def _clause_set(formula: Qbf, certificate: ClauseCertificate) -> tuple[list[Clause], int]:
    """The clauses with helpers above the formula's numbers, and the largest number."""
    quantified = formula.quantifiers()
    number = {v: v for v in certificate.variables if v in quantified}
    last = formula.max_variable
    for variable in sorted(certificate.variables - quantified.keys()):
        last += 1
        number[variable] = last
    clauses: list[Clause] = []
    clause: list[int] = []
    for literal in certificate.literals.tolist():
        if literal:
            clause.append(number[literal] if literal > 0 else -number[-literal])
        else:
            clauses.append(tuple(clause))
            clause = []
    return clauses, last


class _Graph:
    """The certificate's gates as far as functions need them, numbered above the formula's."""

    def __init__(self, formula: Qbf, certificate: CircuitCertificate) -> None:
        quantified = formula.quantifiers()
        functions = {v: f for v, f in certificate.functions.items() if v in quantified}
        aig, outputs = certificate.aig.restrict_to_cone(list(functions.values()))
        self.outputs = dict(zip(functions, outputs, strict=True))
        self.constant = formula.max_variable + 1
        self.first = self.constant + 1
        self.last = self.constant + aig.num_gates
        base = aig.num_inputs
        self._number = [self.constant, *certificate.inputs]
        self._number += range(self.first, self.first + aig.num_gates)
        self.pairs = [
            (self._number[base + 1 + k], self.literal(a), self.literal(b))
            for k, (a, b) in enumerate(zip(aig.fanin0.tolist(), aig.fanin1.tolist(), strict=True))
        ]

    def literal(self, aig_literal: int) -> int:
        variable = self._number[aig_literal >> 1]
        return -variable if aig_literal & 1 else variable

    def gates(self) -> Iterator[Clause]:
        yield (-self.constant,)
        for gate, a, b in self.pairs:
            yield from ((-gate, a), (-gate, b), (gate, -a, -b))

    def functions(self) -> Iterator[Clause]:
        """The clauses that tie each variable to its function."""
        for variable, output in self.outputs.items():
            literal = self.literal(output)
            yield from ((-variable, literal), (variable, -literal))


# -- Reduction -------------------------------------------------------------------------------


class _Reduction:
    """Equal gates become one, by constants, repetitions and hashing.

    ``kept`` are the clauses that remain, over representatives, with their numbers in
    ``derivation``; ``derivation`` has those of them that the CNF has not, and what is equal.
    """

    def __init__(
        self, formula: Qbf, kind: CertificateKind, graph: _Graph, free: Sequence[int], cnf: Cnf
    ) -> None:
        self.derivation = Derivation(len(cnf.clauses))
        self.kept: dict[Clause, int] = {}
        self._given: dict[Clause, int] = {}
        for number, given in enumerate(cnf.clauses, start=1):
            self._given.setdefault(_key(given), number)
        self._true = -graph.constant
        # What a variable equals, where that is not itself, and the numbers of the clauses that
        # say so: from the variable to its representative, and back.
        self._equals: dict[int, int] = {}
        self._why: dict[int, tuple[int, int]] = {}
        self._hash: dict[Clause, int] = {}
        for variable in free:
            self._equals[variable] = graph.constant
            self._why[variable] = (self._given[(-variable,)], 0)
        for gate, a, b in graph.pairs:
            self._conjunction(gate, (a, b))
        for variable, output in graph.outputs.items():
            literal = graph.literal(output)
            there, back = (-variable, literal), (variable, -literal)
            self._equate(variable, self._of(literal), self._mapped(there), self._mapped(back))
        for variable, each in formula.gates.items():
            if each.connective is Connective.AND:
                self._conjunction(variable, each.inputs)
            elif each.connective is Connective.OR:
                self._conjunction(-variable, [-x for x in each.inputs])
            else:
                for gate_clause in tseitin(variable, each):
                    self._keep(gate_clause)
        self._keep((formula.output if kind is CertificateKind.HERBRAND else -formula.output,))

    def _of(self, literal: int) -> int:
        found = self._equals.get(abs(literal))
        if found is None:
            return literal
        return found if literal > 0 else -found

    def _down(self, literal: int) -> list[int]:
        """The clause by which ``literal`` implies its representative; none for itself."""
        why = self._why.get(abs(literal))
        if why is not None:
            return [why[literal < 0]]
        return [self._given[(self._true,)]] if literal == -self._true else []

    def _conjunction(self, gate: int, inputs: Sequence[int]) -> None:
        """``gate``, a literal, is the conjunction of ``inputs``."""
        of = {self._of(x): x for x in inputs}
        of.pop(self._true, None)
        back = (gate, *(-x for x in inputs))
        if -self._true in of:
            self._never(gate, self._reach(gate, of[-self._true]))
        elif pair := next(((x, of[-r]) for r, x in of.items() if -r in of), None):
            left, right = pair
            if left == -right:
                hints = [self._number(-gate, left), self._number(-gate, right)]
            elif self._of(left) == -right:
                hints = [*self._reach(gate, left), self._number(-gate, right)]
            else:
                hints = [*self._reach(gate, left), *self._reach(gate, right)]
            self._never(gate, hints)
        elif len(of) <= 1:
            representative, first = next(iter(of.items()), (self._true, 0))
            there = self._mapped((-gate, first)) if first else 0
            self._equate(gate, representative, there, self._mapped(back))
        else:
            key = tuple(sorted(of))
            found = self._hash.setdefault(key, gate)
            if found == gate:
                for x in of.values():
                    self._keep((-gate, x))
                self._keep(back)
                return
            there_hints = [hint for x in of.values() for hint in self._reach(gate, x)]
            there_hints.append(self.kept[_key((found, *(-r for r in key)))])
            back_hints = [self.kept[_key((-found, r))] for r in key]
            for x in dict.fromkeys(inputs):
                back_hints += self._down(-x)
            back_hints.append(self._given[_key(back)])
            there = self._step((-gate, found), there_hints)
            self._equate(gate, found, there, self._step((gate, -found), back_hints))

    def _reach(self, gate: int, x: int) -> list[int]:
        """The clauses by which ``gate`` implies its input ``x``, and then what ``x`` equals."""
        return [self._number(-gate, x), *self._down(x)]

    def _number(self, *clause: int) -> int:
        return self._given[_key(clause)]

    def _never(self, gate: int, hints: list[int]) -> None:
        self._equate(gate, -self._true, self._step((-gate,), hints), 0)

    def _equate(self, gate: int, literal: int, there: int, back: int) -> None:
        """``gate`` implies ``literal`` by the clause ``there``, is implied by ``back``."""
        self._equals[abs(gate)] = literal if gate > 0 else -literal
        self._why[abs(gate)] = (there, back) if gate > 0 else (back, there)

    def _step(self, clause: Clause, hints: list[int]) -> int:
        """The number of a clause; a new step unless the CNF has it."""
        return self._given.get(_key(clause)) or self.derivation.add(clause, hints)

    def _mapped(self, clause: Sequence[int]) -> int:
        """The number of a clause of the CNF over representatives; 0 where it is always true."""
        key, hints = self._over_representatives(clause)
        return 0 if key is None else self._step(key, hints)

    def _keep(self, clause: Sequence[int]) -> None:
        key, hints = self._over_representatives(clause)
        if key is not None and key not in self.kept:
            self.kept[key] = self._step(key, hints)

    def _over_representatives(self, clause: Sequence[int]) -> tuple[Clause | None, list[int]]:
        literals: set[int] = set()
        hints: list[int] = []
        for x in dict.fromkeys(clause):
            representative = self._of(x)
            if representative == self._true:
                return None, []
            hints += self._down(x)
            if representative != -self._true:
                literals.add(representative)
        if any(-x in literals for x in literals):
            return None, []
        hints.append(self._given[_key(clause)])
        return tuple(sorted(literals)), hints


def _key(clause: Sequence[int]) -> Clause:
    return tuple(sorted(set(clause)))
