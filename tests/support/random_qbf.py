"""Small random QBFs, clauses and circuits, and their truth by definition.

Two ways to get one: a ``random.Random`` (campaigns of thousands) or a hypothesis strategy
(failures shrink).  Both go through the text of a file, so that what occurs in files occurs
here: empty and repeated scopes, empty clauses, tautologies, repeated literals, units, free
variables, variables that the matrix does not mention, constants as gates.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from random import Random

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from qsage_validate.circuit.qbf import Connective, Qbf, Quantifier
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.formats.qdimacs import parse_qdimacs

MAX_VARIABLES = 20
"""The truth table of more variables is too large."""

Table = NDArray[np.bool_]

_ARITY = {Connective.XOR: 2, Connective.ITE: 3}
_LETTERS = {Quantifier.EXISTS: "e", Quantifier.FORALL: "a"}


def truth(qbf: Qbf) -> bool:
    """Whether a closed QBF is true: its matrix's truth table, quantified from the inside."""
    order = [v for scope in qbf.scopes for v in scope.variables]
    if len(order) > MAX_VARIABLES:
        raise ValueError(f"{len(order)} variables, expected at most {MAX_VARIABLES}")
    shape = (2,) * len(order)
    values: dict[int, Table] = {
        v: np.broadcast_to(row.astype(np.bool_), shape)
        for v, row in zip(order, np.indices(shape, sparse=True), strict=True)
    }
    evaluate: dict[Connective, Callable[[list[Table]], Table]] = {
        Connective.AND: lambda xs: np.logical_and.reduce([np.ones(shape, np.bool_), *xs]),
        Connective.OR: lambda xs: np.logical_or.reduce([np.zeros(shape, np.bool_), *xs]),
        Connective.XOR: lambda xs: xs[0] ^ xs[1],
        Connective.ITE: lambda xs: np.where(xs[0], xs[1], xs[2]),
    }

    def table(literal: int) -> Table:
        return values[abs(literal)] ^ (literal < 0)

    for gate, meaning in qbf.gates.items():
        values[gate] = evaluate[meaning.connective]([table(x) for x in meaning.inputs])
    matrix = table(qbf.output)
    for scope in reversed(qbf.scopes):
        for _ in scope.variables:
            exists = scope.quantifier is Quantifier.EXISTS
            matrix = np.asarray(matrix.any(axis=-1) if exists else matrix.all(axis=-1))
    return bool(matrix)


# --- Texts from a random number generator --------------------------------------------------


def _prefix(rng: Random, variables: list[int], most: int) -> list[tuple[Quantifier, list[int]]]:
    """Scopes over some permutation; some are empty, neighbours may have one quantifier."""
    rest = rng.sample(variables, len(variables))
    scopes: list[tuple[Quantifier, list[int]]] = []
    quantifier = rng.choice(list(Quantifier))
    while rest:
        last = len(scopes) >= most - 1
        size = len(rest) if last else rng.choice((0, 1, 1, 2, 2, 3))
        scopes.append((quantifier, rest[:size]))
        rest = rest[size:]
        if rng.random() < 0.9:
            quantifier = quantifier.dual
    return scopes


def random_qdimacs(rng: Random, *, most: int = 9, odd: float = 0.15) -> str:
    """The text of a QDIMACS file of at most ``most`` variables.

    ``odd`` is how probable each of the oddities of the module's first lines is.  About half of
    the formulas are true.
    """
    count = rng.randint(1, most)
    variables = list(range(1, count + 1))
    free = {v for v in variables if rng.random() < odd / 4}
    absent = rng.randint(1, 3) if rng.random() < odd else 0
    quantified = [v for v in variables if v not in free]
    unused = list(range(count + 1, count + absent + 1))
    scopes = _prefix(rng, quantified + unused, rng.randint(1, 5))
    universal = {v for q, vs in scopes if q is Quantifier.FORALL for v in vs}
    clauses = []
    for _ in range(rng.randint(1, max(2, round(count * rng.uniform(0.6, 2.2))))):
        size = min(count, rng.choice((2, 2, 3, 3, 3, 4)))
        chosen = rng.sample(variables, size)
        # A clause of universals alone makes a formula false, which would be most of them.
        existential = [v for v in variables if v not in universal]
        if existential and universal.issuperset(chosen) and rng.random() < 0.95:
            chosen[0] = rng.choice(existential)
        clauses.append([v * rng.choice((1, -1)) for v in chosen])
    if rng.random() < odd / 3:
        clauses.append([])
    if rng.random() < odd:
        clauses.append([rng.choice(variables) * rng.choice((1, -1))])
    if rng.random() < odd:
        v = rng.choice(variables)
        clauses.append([v, *rng.choice(clauses), -v])
    if rng.random() < odd:
        clauses.append(rng.choice(clauses) * 2)
    if rng.random() < odd / 2:
        clauses.clear()
    lines = [f"p cnf {count + absent} {len(clauses)}"]
    lines += [f"{_LETTERS[q]} {' '.join(map(str, (*vs, 0)))}" for q, vs in scopes]
    lines += [" ".join(map(str, (*clause, 0))) for clause in clauses]
    return "\n".join(lines) + "\n"


def random_dense_qdimacs(rng: Random) -> str:
    """The text of a QDIMACS file that unit and pure literals say little about.

    Three or four blocks by turns, 15 variables, the innermost existential; each clause has one
    universal and three existentials, near the number of clauses at which half of the formulas
    are true (Chen and Interian, *A model for generating random quantified Boolean formulas*,
    IJCAI 2005).
    """
    sizes = rng.choice(((3, 4, 8), (3, 4, 3, 5), (4, 3, 8), (2, 5, 2, 6)))
    universal: list[int] = []
    existential: list[int] = []
    lines: list[str] = []
    following = 1
    for place, size in enumerate(sizes):
        block = list(range(following, following + size))
        following += size
        exists = (len(sizes) - place) % 2 == 1
        (existential if exists else universal).extend(block)
        lines.append(f"{'e' if exists else 'a'} {' '.join(map(str, block))} 0")
    count = round(len(existential) * rng.uniform(3.5, 8))
    for _ in range(count):
        chosen = [rng.choice(universal), *rng.sample(existential, 3)]
        lines.append(" ".join(str(v * rng.choice((1, -1))) for v in chosen) + " 0")
    return "\n".join([f"p cnf {following - 1} {count}", *lines]) + "\n"


def random_qcir(rng: Random, *, most: int = 8, named: bool | None = None) -> str:
    """The text of a QCIR file of at most ``most`` variables, with every connective.

    ``named`` says whether variables and gates have names that are no numbers (default: some
    files do).  About half of the formulas are true.
    """
    count = rng.randint(1, most)
    scopes = _prefix(rng, list(range(1, count + 1)), rng.randint(1, 5))
    quantifier_of = {v: q for q, vs in scopes for v in vs}
    prefix = "v" if (rng.random() < 0.3 if named is None else named) else ""

    def text(literal: int) -> str:
        return f"{'-' if literal < 0 else ''}{prefix}{abs(literal)}"

    gates: list[tuple[int, Connective, list[int]]] = []
    following = count + 1
    for _ in range(rng.randint(1, 2 * count + 2)):
        connective = rng.choice(list(Connective))
        arity = _ARITY.get(connective) or rng.choice((0, 1, 2, 2, 2, 3, 3, 4))
        # Late gates are preferred, so that the output depends on much.
        low = 1 if rng.random() < 0.6 else max(1, following - 5)
        inputs = [rng.randint(low, following - 1) * rng.choice((1, -1)) for _ in range(arity)]
        gates.append((following, connective, inputs))
        following += 1
    # The output: often one that hands the existential player a way out.
    existential = [v for v, q in quantifier_of.items() if q is Quantifier.EXISTS]
    last = gates[-1][0]
    if existential and rng.random() < 0.5:
        kind = rng.choice((Connective.XOR, Connective.OR, Connective.AND))
        way_out = rng.choice(existential) * rng.choice((1, -1))
        gates.append((following, kind, [last, way_out]))
        last = following
    output = rng.choice((last, -last, rng.randint(1, last)))
    lines = ["#QCIR-G14"]
    lines += [f"{q.value}({', '.join(map(text, vs))})" for q, vs in scopes]
    lines.append(f"output({text(output)})")
    lines += [f"{text(g)} = {c.value}({', '.join(map(text, xs))})" for g, c, xs in gates]
    return "\n".join(lines) + "\n"


def random_clausal(rng: Random, *, most: int = 9, odd: float = 0.15) -> Qbf:
    """The formula of :func:`random_qdimacs`."""
    return parse_qdimacs(random_qdimacs(rng, most=most, odd=odd))


def random_circuit(rng: Random, *, most: int = 8, named: bool | None = None) -> Qbf:
    """The formula of :func:`random_qcir`."""
    return parse_qcir(random_qcir(rng, most=most, named=named))


def random_qbf(rng: Random, *, most: int = 9) -> Qbf:
    """One of either kind."""
    make = random_clausal if rng.random() < 0.5 else random_circuit
    return make(rng, most=most)


# --- Strategies ----------------------------------------------------------------------------


@st.composite
def _scopes(draw: st.DrawFn, variables: int) -> list[tuple[Quantifier, list[int]]]:
    quantifiers = [draw(st.sampled_from(Quantifier)) for _ in range(variables)]
    order = draw(st.permutations(range(1, variables + 1)))
    scopes = [
        (quantifier, [v for _, v in run])
        for quantifier, run in groupby(zip(quantifiers, order, strict=True), key=lambda p: p[0])
    ]
    if draw(st.integers(0, 4)) == 4:
        at = draw(st.integers(0, len(scopes)))
        scopes.insert(at, (draw(st.sampled_from(Quantifier)), []))
    return scopes


@st.composite
def qbfs(draw: st.DrawFn, most: int = 7, clauses: int = 10) -> Qbf:
    """Formulas in conjunctive normal form, as read from a QDIMACS file."""
    count = draw(st.integers(1, most))
    scopes = draw(_scopes(count))
    if draw(st.integers(0, 7)) == 7:
        scopes = [(q, [v for v in vs if v != count]) for q, vs in scopes]
    literal = st.integers(1, count).flatmap(lambda v: st.sampled_from((v, -v)))
    # Short clauses shrink well, and three literals are what makes solvers work.
    clause = st.one_of(
        st.lists(literal, min_size=3, max_size=3),
        st.lists(literal, min_size=2, max_size=3),
        st.lists(literal, max_size=4),
    )
    matrix = draw(st.lists(clause, max_size=clauses))
    lines = [f"p cnf {count} {len(matrix)}"]
    lines += [f"{_LETTERS[q]} {' '.join(map(str, (*vs, 0)))}" for q, vs in scopes]
    lines += [" ".join(map(str, (*c, 0))) for c in matrix]
    return parse_qdimacs("\n".join(lines) + "\n")


@st.composite
def circuits(draw: st.DrawFn, most: int = 6, gates: int = 10) -> Qbf:
    """Circuits with every connective, as read from a QCIR file."""
    count = draw(st.integers(1, most))
    scopes = draw(_scopes(count))
    prefix = draw(st.sampled_from(("", "v")))

    def text(literal: int) -> str:
        return f"{'-' if literal < 0 else ''}{prefix}{abs(literal)}"

    lines = ["#QCIR-G14"]
    lines += [f"{q.value}({', '.join(map(text, vs))})" for q, vs in scopes]
    body = []
    following = count + 1
    for _ in range(draw(st.integers(1, gates))):
        connective = draw(st.sampled_from(Connective))
        arity = _ARITY.get(connective) or draw(st.integers(0, 4))
        inputs = [
            draw(st.integers(1, following - 1)) * draw(st.sampled_from((1, -1)))
            for _ in range(arity)
        ]
        body.append(f"{text(following)} = {connective.value}({', '.join(map(text, inputs))})")
        following += 1
    output = draw(st.integers(1, following - 1)) * draw(st.sampled_from((1, -1)))
    return parse_qcir("\n".join([*lines, f"output({text(output)})", *body]) + "\n")
