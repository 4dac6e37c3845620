"""The formula level as a CNF and a proof of its unsatisfiability, for checkers of other people.

The CNF is the plain one: every gate of matrix and certificate with its clauses, so that a reader
can compare it with the files.  The proof is made of steps that unit propagation confirms (DRUP,
which every checker of DRAT accepts), in three parts:

1. equal gates: for each gate that constants or another gate of the same inputs make
   superfluous, what it equals;
2. the clauses of the other gates, over what their inputs equal;
3. what CaDiCaL learnt and deleted on the clauses of part 2 alone.

Without parts 1 and 2, which cost a moment, solver and checker would take twenty times as long
on certificates like those of QuAbS, which repeat their gates.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Final

from qsage_validate.circuit.qbf import Connective, Qbf, tseitin
from qsage_validate.circuit.sat_solver import Solver
from qsage_validate.errors import Exit, InputError, QsageError, UndecidedError, UsageError, one_line
from qsage_validate.formats.source import write_atomic
from qsage_validate.kernel.certificate import (
    Certificate,
    CircuitCertificate,
    ClauseCertificate,
    Kind,
    dont_cares,
)

Clause = tuple[int, ...]

_SOLVER: Final = "cadical195"
# Conflicts between two looks at the clock and at pending signals.
_SLICE: Final = 1000


class NotProvedError(QsageError):
    """There is no proof, because the certificate is beaten."""

    exit_code = Exit.REFUTED


@dataclass(frozen=True, slots=True)
class ProofFiles:
    """The files that were written, and their sizes: clauses, and steps without deletions."""

    cnf: str
    drat: str
    clauses: int
    steps: int
    seconds: float


def proof_paths(stem: str, formula: Qbf, certificate: Certificate) -> tuple[str, str]:
    """``<stem>.cnf`` and ``<stem>.drat``, after a look at whether they can be written.

    Raises ``InputError`` when they cannot, and ``UsageError`` when one of them is the formula
    or the certificate: to be called before long work.
    """
    paths = (f"{stem}.cnf", f"{stem}.drat")
    inputs = [os.path.realpath(p) for p in (formula.path, certificate.path) if p is not None]
    for path in paths:
        target = os.path.realpath(path)
        if target in inputs:
            raise UsageError(f"found {path} as a proof file, which is an input")
        try:
            if os.path.isdir(target):
                raise InputError(path, None, None, "a directory", "a file that can be written")
            if os.path.exists(target):
                with open(target, "ab"):
                    pass
            with tempfile.TemporaryFile(dir=os.path.dirname(target)):
                pass
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            found = f"an error: {reason}"
            raise InputError(path, None, None, found, "a file that can be written") from None
    return paths


def write_proof(
    formula: Qbf, certificate: Certificate, stem: str, *, deadline: float | None = None
) -> ProofFiles:
    """Write ``<stem>.cnf`` and ``<stem>.drat``, each whole or not at all.

    The CNF is unsatisfiable exactly when no choice of the opponent beats the certificate.  Of
    a clause set it says that no solution of the clauses loses; that they have one under each
    choice is for the check.  What a function reads is no matter of a CNF.

    Raises as :func:`proof_paths` does, ``NotProvedError`` when the certificate is beaten, and
    ``UndecidedError`` when ``deadline`` (``time.monotonic``) passes.
    """
    start = monotonic()
    cnf, drat = proof_paths(stem, formula, certificate)
    problem = _problem(formula, certificate)
    learnt = _refute(problem.kept, deadline)
    lemmas = [_line(clause) for clause in problem.lemmas]
    text = [*problem.header, f"p cnf {problem.last} {len(problem.clauses)}"]
    text += map(_line, problem.clauses)
    write_atomic(cnf, "\n".join([*text, ""]))
    write_atomic(drat, "\n".join([*lemmas, *learnt, ""]))
    steps = len(lemmas) + sum(not line.startswith("d") for line in learnt)
    return ProofFiles(cnf, drat, len(problem.clauses), steps, monotonic() - start)


def _line(clause: Sequence[int]) -> str:
    return " ".join(map(str, (*clause, 0)))


def _refute(clauses: Iterable[Clause], deadline: float | None) -> list[str]:
    """The steps of CaDiCaL on ``clauses``, deletions included."""
    with Solver(name=_SOLVER, with_proof=True) as solver:
        solver.append_formula([list(clause) for clause in clauses])
        while True:
            if deadline is not None and monotonic() > deadline:
                raise UndecidedError("no proof is written: time is up")
            solver.conf_budget(_SLICE)
            answer = solver.solve_limited()
            if answer:
                raise NotProvedError("no proof is written: the certificate is beaten")
            if answer is not None:
                return list(solver.get_proof())


# -- The problem -----------------------------------------------------------------------------


@dataclass(slots=True)
class _Problem:
    """The CNF as it is written, and what was made of it.

    ``lemmas`` follow from ``clauses`` one after the other by unit propagation; ``kept`` are
    lemmas and clauses that are unsatisfiable on their own, each once.
    """

    header: list[str]
    clauses: list[Clause]
    lemmas: list[Clause]
    kept: list[Clause]
    last: int


def _problem(formula: Qbf, certificate: Certificate) -> _Problem:
    header = [
        "c No choice of the opponent beats the certificate: this CNF is unsatisfiable.",
        f"c formula: {one_line(formula.path or 'not from a file')}",
        f"c certificate: {one_line(certificate.path or 'not from a file')}",
        f"c It is a {certificate.kind.value} certificate.",
        "c Variables and gates of the formula keep their numbers:",
    ]
    header += [
        f"c   {scope.quantifier.value} {' '.join(map(str, scope.variables))}"
        for scope in formula.merged_scopes()
    ]
    named = [(v, name) for v, name in formula.names.items() if name != str(v)]
    header += [f"c   {v} is called {one_line(name)}" for v, name in named]
    clauses: list[Clause] = []

    def section(text: str, more: Iterable[Sequence[int]]) -> None:
        first = len(clauses) + 1
        clauses.extend(_distinct(clause) for clause in more)
        if len(clauses) >= first:
            header.append(f"c clauses {first} to {len(clauses)}: {text}")

    section("the gates of the formula", formula.clauses())
    graph: _Graph | None = None
    last = formula.max_variable
    if isinstance(certificate, CircuitCertificate):
        graph = _Graph(formula, certificate)
        last = graph.last
        section(f"the gates of the certificate, numbered from {graph.first}", graph.gates())
        section("the functions", graph.functions())
    else:
        own, last = _clause_set(formula, certificate)
        section("the clauses of the certificate, its helpers renumbered", own)
    free = dont_cares(certificate, formula)
    section("variables without a function are false", ([-v] for v in free))
    output = formula.output if certificate.kind is Kind.HERBRAND else -formula.output
    value = "true" if certificate.kind is Kind.HERBRAND else "false"
    section(f"the formula's output is {value}: the certificate loses", [[output]])
    if graph is None:
        kept = list(dict.fromkeys(clause for clause in clauses if not _tautology(clause)))
        return _Problem(header, clauses, [], kept, last)
    reduction = _Reduction(formula, certificate.kind, graph, free)
    given = {_key(clause) for clause in clauses}
    # What is a clause of the CNF already needs no lemma.
    lemmas = [c for c in (*reduction.equal, *reduction.kept) if _key(c) not in given]
    return _Problem(header, clauses, lemmas, reduction.kept, last)


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
        self._functions = {v: f for v, f in certificate.functions.items() if v in quantified}
        aig, outputs = certificate.aig.restrict_to_cone(list(self._functions.values()))
        self.aig = aig
        self.outputs = dict(zip(self._functions, outputs, strict=True))
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
        """The DIMACS literal of one of the graph."""
        variable = self._number[aig_literal >> 1]
        return -variable if aig_literal & 1 else variable

    def gates(self) -> Iterator[Clause]:
        """The clauses of the constant false and of all gates."""
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

    ``equal`` are clauses that say so, each by unit propagation from the CNF and the ones
    before it; ``kept`` the clauses that remain, over representatives.
    """

    def __init__(self, formula: Qbf, kind: Kind, graph: _Graph, free: Sequence[int]) -> None:
        self.equal: list[Clause] = []
        self._true = -graph.constant
        # What a variable equals, where that is not itself.
        self._equals: dict[int, int] = dict.fromkeys(free, graph.constant)
        self._hash: dict[Clause, int] = {}
        self._kept: dict[Clause, None] = {}
        for gate, a, b in graph.pairs:
            self._conjunction(gate, (a, b))
        for variable, output in graph.outputs.items():
            self._equals[variable] = self._of(graph.literal(output))
        for variable, each in formula.gates.items():
            if each.connective is Connective.AND:
                self._conjunction(variable, each.inputs)
            elif each.connective is Connective.OR:
                self._conjunction(-variable, [-x for x in each.inputs])
            else:
                for clause in tseitin(variable, each):
                    self._keep(clause)
        self._keep([formula.output if kind is Kind.HERBRAND else -formula.output])

    @property
    def kept(self) -> list[Clause]:
        return list(self._kept)

    def _of(self, literal: int) -> int:
        found = self._equals.get(abs(literal))
        if found is None:
            return literal
        return found if literal > 0 else -found

    def _conjunction(self, gate: int, inputs: Sequence[int]) -> None:
        """``gate``, a literal, is the conjunction of ``inputs``."""
        literals = {self._of(x) for x in inputs}
        literals.discard(self._true)
        if -self._true in literals or any(-x in literals for x in literals):
            self._equate(gate, -self._true)
        elif len(literals) <= 1:
            self._equate(gate, literals.pop() if literals else self._true)
        else:
            key = tuple(sorted(literals))
            found = self._hash.setdefault(key, gate)
            if found != gate:
                self._equate(gate, found)
                return
            for x in key:
                self._keep([-gate, x])
            self._keep([gate, *(-x for x in key)])

    def _equate(self, gate: int, literal: int) -> None:
        self._equals[abs(gate)] = literal if gate > 0 else -literal
        if abs(literal) == abs(self._true):
            self.equal.append((gate if literal == self._true else -gate,))
        else:
            self.equal += [(-gate, literal), (gate, -literal)]

    def _keep(self, clause: Sequence[int]) -> None:
        literals = [self._of(x) for x in clause]
        kept = tuple(sorted({x for x in literals if x != -self._true}))
        if self._true not in kept and not _tautology(kept):
            self._kept[kept] = None


def _tautology(clause: Sequence[int]) -> bool:
    literals = set(clause)
    return any(-x in literals for x in literals)


def _distinct(clause: Sequence[int]) -> Clause:
    return tuple(dict.fromkeys(clause))


def _key(clause: Clause) -> Clause:
    return tuple(sorted(set(clause)))
