"""The claims that a level's proof consists of, as clauses that other provers can check."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from qsage_validate.circuit.aig import FALSE, AigBuilder, embed
from qsage_validate.circuit.sat import circuit_clauses
from qsage_validate.kernel.claims import Claim

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
