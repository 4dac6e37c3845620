"""Small random formulas with random certificates, and what they mean by definition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

import numpy as np
from hypothesis import strategies as st

from qsage_validate.circuit.aig import Aig
from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate, Dialect

_ARITY = {Connective.XOR: 2, Connective.ITE: 3}


@st.composite
def formulas(draw: st.DrawFn) -> Qbf:
    """One to four scopes, at most seven variables, up to six gates of every connective."""
    quantifier = draw(st.sampled_from(Quantifier))
    scopes = []
    following = 1
    for _ in range(draw(st.integers(1, 4))):
        size = draw(st.integers(0, 2))
        scopes.append(Scope(quantifier, tuple(range(following, following + size))))
        following += size
        quantifier = quantifier.dual
    gates: dict[int, Gate] = {}
    for _ in range(draw(st.integers(1, 6))):
        connective = draw(st.sampled_from(Connective))
        arity = _ARITY.get(connective) or draw(st.integers(0, 3 if following > 1 else 0))
        if following == 1 and arity:
            connective, arity = Connective.AND, 0
        inputs = tuple(
            draw(st.integers(1, following - 1)) * draw(st.sampled_from((1, -1)))
            for _ in range(arity)
        )
        gates[following] = Gate(connective, inputs)
        following += 1
    output = draw(st.sampled_from(sorted(gates))) * draw(st.sampled_from((1, -1)))
    return Qbf(tuple(scopes), gates, output)


def random_aig(draw: st.DrawFn, num_inputs: int, most: int = 12) -> Aig:
    """A graph in which constants, repetitions and dead gates occur."""
    left, right = [], []
    for k in range(draw(st.integers(0, most))):
        literal = st.integers(0, 2 * (num_inputs + k) + 1)
        left.append(draw(literal))
        right.append(draw(literal))
    return Aig(num_inputs, np.array(left, dtype=np.int32), np.array(right, dtype=np.int32))


@st.composite
def certified(draw: st.DrawFn) -> tuple[Qbf, CircuitCertificate]:
    """A formula and functions of both kinds, right or wrong, looking anywhere; some missing."""
    formula = draw(formulas())
    kind = draw(st.sampled_from(CertificateKind))
    inputs = formula.variables(kind.decides.dual)
    inputs = tuple(draw(st.permutations([v for v in inputs if draw(st.booleans())])))
    aig = random_aig(draw, len(inputs))
    literal = st.integers(0, 2 * aig.num_variables + 1)
    functions = {
        v: draw(literal) for v in formula.variables(kind.decides) if draw(st.integers(0, 5))
    }
    last = formula.max_variable
    extra = {last + k: draw(literal) for k in range(1, 1 + draw(st.integers(0, 2)))}
    return formula, CircuitCertificate(kind, aig, inputs, functions, Dialect.CAQE, extra=extra)


def evaluate_aig(aig: Aig, inputs: list[bool]) -> list[bool]:
    """The value of every literal, gate by gate."""
    values = [False, True]
    for value in inputs:
        values += (value, not value)
    for a, b in zip(aig.fanin0.tolist(), aig.fanin1.tolist(), strict=True):
        value = values[a] and values[b]
        values += (value, not value)
    return values


def meaning(
    formula: Qbf, certificate: CircuitCertificate, choice: Mapping[int, bool]
) -> dict[int, bool]:
    """All values in the play in which the opponent makes ``choice``, by definition."""
    kind = certificate.kind
    values = {v: choice.get(v, False) for v in formula.variables(kind.decides.dual)}
    literals = evaluate_aig(certificate.aig, [values[v] for v in certificate.inputs])
    decided = dict.fromkeys(formula.variables(kind.decides), False)
    decided |= {v: literals[f] for v, f in certificate.functions.items()}
    extra = {v: literals[f] for v, f in certificate.extra.items()}
    return extra | formula.evaluate(values | decided)


def all_choices(variables: tuple[int, ...]) -> Iterator[dict[int, bool]]:
    """Every assignment of ``variables``."""
    for bits in product((False, True), repeat=len(variables)):
        yield dict(zip(variables, bits, strict=True))


def pedant_text(certificate: CircuitCertificate, first_helper: int) -> str:
    """The clauses of a circuit certificate in Pedant's manner."""
    helper = {0: first_helper, **dict(enumerate(certificate.inputs, start=1))}
    gates = certificate.aig.num_inputs + 1
    helper |= {gates + k: first_helper + 1 + k for k in range(certificate.aig.num_gates)}

    def dimacs(literal: int) -> int:
        return -helper[literal >> 1] if literal & 1 else helper[literal >> 1]

    clauses: list[str] = []
    pairs = zip(certificate.aig.fanin0.tolist(), certificate.aig.fanin1.tolist(), strict=True)
    definitions = [[-first_helper]]
    for k, (a, b) in enumerate(pairs):
        g, x, y = helper[gates + k], dimacs(a), dimacs(b)
        definitions += [[-g, x], [-g, y], [g, -x, -y]]
    for number, (variable, literal) in enumerate(certificate.functions.items()):
        clauses.append(f"c Model for variable {variable}.")
        own = [[dimacs(literal), -variable], [-dimacs(literal), variable]]
        clauses += [" ".join(map(str, (*c, 0))) for c in (*(() if number else definitions), *own)]
    count = sum(not line.startswith("c") for line in clauses)
    last = max((*helper.values(), *certificate.functions), default=0)
    return "\n".join([f"p cnf {last} {count}", *clauses]) + "\n"
