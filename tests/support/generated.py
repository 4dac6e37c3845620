"""Small circuits and formulas for property tests, and valid files damaged at random."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from qsage_validate.circuit.aig import Aig
from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope


@st.composite
def aigs(draw: st.DrawFn) -> tuple[Aig, list[int]]:
    """Graphs with outputs; constants, repetitions, equal fan-ins and dead gates included."""
    num_inputs = draw(st.integers(0, 5))
    gates: list[tuple[int, int]] = []
    for k in range(draw(st.integers(0, 25))):
        literal = st.integers(0, 2 * (num_inputs + k) + 1)
        gates.append((draw(literal), draw(literal)))
    outputs = draw(st.lists(st.integers(0, 2 * (num_inputs + len(gates)) + 1), max_size=6))
    columns = np.array(gates, dtype=np.int32).reshape(-1, 2)
    return Aig(num_inputs, columns[:, 0].copy(), columns[:, 1].copy()), outputs


def values(aig: Aig, inputs: list[bool]) -> list[bool]:
    """The value of each variable of a graph, by the definition, gate by gate."""
    result = [False, *inputs]
    for a, b in zip(aig.fanin0.tolist(), aig.fanin1.tolist(), strict=True):
        result.append(result[a >> 1] != bool(a & 1) and result[b >> 1] != bool(b & 1))
    return result


_ARITY = {Connective.XOR: (2, 2), Connective.ITE: (3, 3)}
# One line, printing, without the surrogates that UTF-8 cannot hold.
LINES = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Zl", "Zp")), max_size=12)


@st.composite
def qbfs(draw: st.DrawFn, *, named: bool = False, connectives: bool = True) -> Qbf:
    """Closed prenex formulas: empty scopes, neighbouring scopes of one quantifier, any gates."""
    scopes: list[Scope] = []
    count = 0
    for size in draw(st.lists(st.integers(0, 3), max_size=5)):
        variables = tuple(range(count + 1, count + size + 1))
        scopes.append(Scope(draw(st.sampled_from(Quantifier)), variables))
        count += size
    kinds = list(Connective) if connectives else [Connective.AND, Connective.OR]
    gates: dict[int, Gate] = {}
    for k in range(draw(st.integers(0 if count else 1, 8))):
        literals = st.integers(1, count + k).flatmap(lambda v: st.sampled_from((v, -v)))
        usable = [c for c in kinds if c not in _ARITY] if count + k == 0 else kinds
        connective = draw(st.sampled_from(usable))
        least, most = _ARITY.get(connective, (0, 4 if count + k else 0))
        inputs = draw(st.lists(literals, min_size=least, max_size=most)) if most else []
        gates[count + k + 1] = Gate(connective, tuple(inputs))
    output = draw(st.integers(1, count + len(gates)))
    names: dict[int, str] = {}
    if named:
        total = count + len(gates)
        word = st.from_regex(r"[A-Za-z_][A-Za-z_0-9]{0,6}", fullmatch=True)
        texts = draw(st.lists(word, min_size=total, max_size=total, unique=True))
        names = dict(enumerate(texts, start=1))
    comments = draw(st.lists(st.tuples(st.integers(0, 30), LINES), max_size=4))
    return Qbf(
        scopes=tuple(scopes),
        gates=gates,
        output=draw(st.sampled_from((output, -output))),
        names=names,
        comments=tuple((line, text.rstrip()) for line, text in comments),
    )


_NUMBERS = (b"0", b"1", b"-1", b"7", b"255", b"2147483648", b"4000000000", b"9" * 30, b"")


@st.composite
def damaged(draw: st.DrawFn, files: list[bytes]) -> bytes:
    """One of ``files`` after a few mutations: bytes, lines, numbers, truncation, splices."""
    data = draw(st.sampled_from(files))
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(("byte", "cut", "drop", "lines", "number", "splice")))
        at = draw(st.integers(0, len(data)))
        if kind == "byte":
            data = data[:at] + draw(st.binary(min_size=1, max_size=2)) + data[at + 1 :]
        elif kind == "cut":
            data = data[:at]
        elif kind == "drop":
            data = data[:at] + data[at + draw(st.integers(1, 20)) :]
        elif kind == "splice":
            other = draw(st.sampled_from(files))
            data = data[:at] + other[draw(st.integers(0, len(other))) :]
        elif kind == "lines":
            lines = data.split(b"\n")
            i, j = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
            lines[i], lines[j] = lines[j], lines[i]
            data = b"\n".join(lines)
        else:
            start = next((k for k in range(at, len(data)) if data[k : k + 1].isdigit()), None)
            if start is not None:
                end = start
                while data[end : end + 1].isdigit():
                    end += 1
                data = data[:start] + draw(st.sampled_from(_NUMBERS)) + data[end:]
    return data
