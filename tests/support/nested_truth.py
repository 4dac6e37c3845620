"""Random QCIR files with quantifier gates, and their truth by the definition alone.

The evaluator reads the text itself and walks down from the output with the values of the variables
that are bound so far; it shares nothing with the reader.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random

_STATEMENT = re.compile(r"(?:(\w+) = )?(\w+)\(([^;)]*);?([^)]*)\)")


def nested_truth(text: str) -> bool:
    """Whether the formula in a QCIR file, one statement a line, is true."""
    prefix: list[tuple[str, str]] = []
    gates: dict[str, tuple[str, list[str], str]] = {}
    output = ""
    for name, keyword, listed, body in _STATEMENT.findall(text):
        arguments = [argument.strip() for argument in listed.split(",") if argument.strip()]
        if name:
            gates[name] = (keyword, arguments, body.strip())
        elif keyword == "output":
            (output,) = arguments
        else:
            prefix += [(keyword, variable) for variable in arguments]

    def quantified(pairs: list[tuple[str, str]], body: str, values: Mapping[str, bool]) -> bool:
        if not pairs:
            return value(body, values)
        (keyword, variable), *rest = pairs
        results = (quantified(rest, body, {**values, variable: bit}) for bit in (False, True))
        return any(results) if keyword == "exists" else all(results)

    def value(literal: str, values: Mapping[str, bool]) -> bool:
        if literal.startswith("-"):
            return not value(literal[1:], values)
        if literal not in gates:
            return values[literal]
        keyword, arguments, body = gates[literal]
        if body:
            return quantified([(keyword, variable) for variable in arguments], body, values)
        bits = [value(argument, values) for argument in arguments]
        if keyword == "ite":
            return bits[1] if bits[0] else bits[2]
        if keyword == "xor":
            return bits[0] != bits[1]
        return all(bits) if keyword == "and" else any(bits)

    return quantified(prefix, output, {})


def random_nested_qcir(rng: Random) -> str:
    """The text of a QCIR file of a few variables and quantifier gates.

    Names are bound again, below each other and side by side; gates are shared, also between
    quantifier gates that bind their variables; all variables are bound where the output reads them.
    """
    numbers = rng.random() < 0.3
    inner = [str(v) if numbers else f"x{v}" for v in range(1, rng.randint(2, 4))]
    outer = [str(v + 5) if numbers else f"z{v}" for v in range(1, rng.randint(1, 4))]
    # Names of the prefix are bound again at times.
    prefix = outer + [x for x in inner if rng.random() < 0.2]
    known = inner + prefix
    lines: list[str] = []
    used: list[str] = []

    def literal(names: list[str]) -> str:
        return rng.choice(("", "-")) + rng.choice(names)

    for k in range(rng.randint(3, 9)):
        gate = str(20 + k) if numbers else f"g{k}"
        late = (used[-3:] or known) if rng.random() < 0.6 else known
        keyword = rng.choice(("and", "or", "xor", "ite", "exists", "forall", "exists", "forall"))
        if keyword in ("exists", "forall"):
            bound = rng.sample(inner, rng.randint(0, len(inner)))
            lines.append(f"{gate} = {keyword}({', '.join(bound)}; {literal(late)})")
        else:
            arity = {"xor": 2, "ite": 3}.get(keyword, rng.choice((0, 1, 2, 2, 2, 3)))
            inputs = [literal(late if i == 0 else known) for i in range(arity)]
            lines.append(f"{gate} = {keyword}({', '.join(inputs)})")
        known = [*known, gate]
        used.append(gate)
    closing = "40" if numbers else "out"
    lines.append(f"{closing} = {rng.choice(('exists', 'forall'))}({', '.join(inner)}; {used[-1]})")
    scopes = [f"{rng.choice(('exists', 'forall'))}({v})" for v in prefix]
    output = f"output({rng.choice(('', '-'))}{closing})"
    return "\n".join(["#QCIR-G14", *scopes, output, *lines]) + "\n"
