"""The claims that a level's proof consists of, as clauses that other provers can check.

*The formula level* is one such claim.  **Theorem.**  Let F be a formula and C functions of the
variables that one player decides, each of which reads only its dependency set
(:mod:`~qsage_validate.kernel.certificate`).  If no values of the other player's variables make
the matrix of F false under C (Skolem; true, Herbrand), then F is true (false).

The check by which the tool is quick merges equal gates, proves lemmas and splits into cases
(``certificates/check.py``).  This one does not: ``--trust minimal`` asks it instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from qsage_validate.circuit.aig import FALSE, AigBuilder, embed
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.circuit.sat import circuit_clauses
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate
from qsage_validate.kernel.claims import Claim, first_failure
from qsage_validate.kernel.composition import compose
from qsage_validate.kernel.player import FindingKind
from qsage_validate.system.limits import NEVER, Deadline, Tell, nobody

# The claims that a level's proof consists of, as clauses that other provers can check


Clause = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """The meaning of the variables or clauses from ``first`` to ``last``."""

    first: int
    last: int
    meaning: str


@dataclass(frozen=True, slots=True)
class Cnf:
    """Clauses over the variables 1 to ``variables``; spans say what variables and clauses are.

    No clause has a literal twice or with its negation.
    """

    variables: int
    clauses: Sequence[Clause]
    variable_spans: tuple[Span, ...]
    clause_spans: tuple[Span, ...]

    def lines(self) -> Iterator[str]:
        """The lines of the DIMACS file, without comments."""
        yield f"p cnf {self.variables} {len(self.clauses)}\n"
        for clause in self.clauses:
            yield f"{' '.join(map(str, clause))} 0\n" if clause else "0\n"


@dataclass(frozen=True)
class Obligation:
    """No claim of ``claims`` is ever wrong while all literals of ``assumed`` hold.

    ``builder`` is the graph of the literals.
    """

    builder: AigBuilder
    claims: Sequence[Claim]
    assumed: Sequence[int] = ()

    def cnf(self) -> Cnf:
        """Clauses that are unsatisfiable exactly when the obligation is met.

        The clauses of the graph; each assumed literal; last the clause that some claim is wrong,
        claims in the order of their plies.  Input ``k`` of the graph is variable ``k``.  Without
        claims, the last clause is the constant false.
        """
        wrong = [claim.wrong for claim in self.in_order()] or [FALSE]
        aig, moved = self.builder.build([*wrong, *self.assumed])
        graph = circuit_clauses(aig, keep=moved)
        literals = [graph.literal(x) for x in moved]
        clauses = list(tidy(_split(graph.literals.tolist())))
        sections = [("the gates of the graph", len(clauses))]
        clauses += tidy((literal,) for literal in literals[len(wrong) :])
        sections.append(("what is assumed", len(clauses)))
        clauses += tidy([literals[: len(wrong)]])
        sections.append(("some claim is wrong", len(clauses)))
        inputs = Span(1, aig.num_inputs, "the inputs of the graph, in their order")
        gates = Span(aig.num_inputs + 1, graph.max_variable, "gates of the graph, and a constant")
        return Cnf(
            graph.max_variable,
            clauses,
            tuple(each for each in (inputs, gates) if each.first <= each.last),
            spans(sections),
        )

    def in_order(self) -> list[Claim]:
        """The claims in the order of their plies, as in the last clause of :meth:`cnf`."""
        return sorted(self.claims, key=lambda claim: claim.ply)


def joined(obligations: Iterable[Obligation]) -> Obligation:
    """One obligation that is met exactly when all are, each with inputs of its own.

    The inputs of the first come first.  Nothing is assumed: a claim is wrong where it was and all
    that was assumed of it holds.
    """
    builder = AigBuilder()
    claims: list[Claim] = []
    for each in obligations:
        wrong = [claim.wrong for claim in each.claims]
        aig, moved = each.builder.build([*wrong, *each.assumed])
        inputs = [builder.input() for _ in range(aig.num_inputs)]
        built = embed(builder, aig, inputs, moved)
        assumed = builder.and_all(built[len(wrong) :])
        claims += [
            replace(claim, wrong=builder.and_(literal, assumed))
            for claim, literal in zip(each.claims, built, strict=False)
        ]
    return Obligation(builder, claims)


def spans(sections: Iterable[tuple[str, int]]) -> tuple[Span, ...]:
    """Spans from meanings and the numbers that they reach to; empty ones are left out."""
    found: list[Span] = []
    start = 1
    for meaning, end in sections:
        if end >= start:
            found.append(Span(start, end, meaning))
            start = end + 1
    return tuple(found)


def tidy(clauses: Iterable[Sequence[int]]) -> Iterator[Clause]:
    """``clauses`` without repeated literals, and without those that are always true."""
    for clause in clauses:
        literals = dict.fromkeys(clause)
        if not any(-x in literals for x in literals):
            yield tuple(literals)


def _split(flat: Iterable[int]) -> Iterator[list[int]]:
    clause: list[int] = []
    for literal in flat:
        if literal:
            clause.append(literal)
        else:
            yield clause
            clause = []


# The formula level with nothing but the kernel: one graph, one set of clauses, one SAT call


@dataclass(frozen=True, slots=True)
class BeatenFunctions:
    """Values of the opponent's variables under which the functions lose."""

    choice: Mapping[int, bool]


def formula_obligation(
    formula: Qbf, certificate: CircuitCertificate, doubts: Sequence[int] = ()
) -> tuple[Obligation, tuple[int, ...]]:
    """The obligation, and the variables of the graph's first inputs; no doubt may be true."""
    composition = compose(certificate, formula, doubts, rewrite=False)
    lost = composition.matrix ^ (certificate.kind is CertificateKind.SKOLEM)
    wrong = composition.builder.or_all([lost, *composition.also])
    claim = Claim(FindingKind.CERTIFICATE_BEATEN, 0, wrong, "the functions lose")
    return Obligation(composition.builder, (claim,)), composition.opponent


def prove_formula(
    formula: Qbf,
    certificate: CircuitCertificate,
    doubts: Sequence[int] = (),
    *,
    deadline: Deadline = NEVER,
    tell: Tell = nobody,
) -> BeatenFunctions | None:
    """``None``: proved, of the ``doubts`` too.  Raises ``ClaimsTimeoutError`` at the deadline."""
    made, opponent = formula_obligation(formula, certificate, doubts)
    failure = first_failure(made.builder, made.claims, made.assumed, deadline=deadline, tell=tell)
    if failure is None:
        return None
    return BeatenFunctions({v: failure.inputs[k] for k, v in enumerate(opponent, start=1)})
