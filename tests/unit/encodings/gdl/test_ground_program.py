"""Ground programs as circuits: their models are clingo's."""

from __future__ import annotations

import random

import pytest

from qsage_validate.circuit.builder import CircuitBuilder
from qsage_validate.circuit.qbf import Qbf, Quantifier, Scope
from qsage_validate.extensions.gdl.qasp import ProgramCircuit, ground

clingo = pytest.importorskip("clingo", reason="grounding needs clingo")


def random_program(rng: random.Random) -> str:
    """Choices, three strata with positive recursion in each, and some constraints."""

    def literal(stratum: int) -> str:
        kind = rng.random()
        if kind < 0.35:
            return rng.choice(("", "", "not ")) + f"c{rng.randrange(4)}"
        if kind < 0.75 or not stratum:
            return f"p{stratum}{rng.randrange(4)}"
        return rng.choice(("", "not ")) + f"p{rng.randrange(stratum)}{rng.randrange(4)}"

    rules = ["{c0; c1; c2; c3}."]
    for _ in range(rng.randint(6, 16)):
        stratum = rng.randrange(3)
        body = ", ".join(literal(stratum) for _ in range(rng.randint(1, 3)))
        rules.append(f"p{stratum}{rng.randrange(4)} :- {body}.")
    for _ in range(rng.randrange(3)):
        sign = rng.choice(("", "not "))
        rules.append(f":- p{rng.randrange(3)}{rng.randrange(4)}, {sign}c{rng.randrange(4)}.")
    return "\n".join(rules)


def stable_models(text: str) -> set[frozenset[str]]:
    control = clingo.Control(["0"], message_limit=0)
    control.add("base", [], text)
    control.ground([("base", [])])
    with control.solve(yield_=True) as models:
        return {frozenset(map(str, model.symbols(atoms=True))) for model in models}


def test_models_of_random_programs_are_clingos() -> None:
    recursive = 0
    for seed in range(150):
        text = random_program(random.Random(seed))
        program = ground(text)
        choices = {a for rule in program.rules if rule.choice for a in rule.head}
        variables = {a: k for k, a in enumerate(sorted(choices & program.symbols.keys()), 1)}
        builder = CircuitBuilder(len(variables) + 1)
        circuit = ProgramCircuit(program, builder, variables)
        recursive += circuit.recursive > 0
        scope = Scope(Quantifier.EXISTS, tuple(variables.values()))
        formula = Qbf((scope,), builder.gates, circuit.verdict())
        found = set()
        for number in range(1 << len(variables)):
            values = formula.evaluate(
                {v: bool(number >> k & 1) for k, v in enumerate(variables.values())}
            )

            def holds(literal: int, values: dict[int, bool] = values) -> bool:
                return values[abs(literal)] == (literal > 0)

            if holds(formula.output):
                named = {str(s) for a, s in program.symbols.items() if holds(circuit.literal(a))}
                found.add(frozenset(named | set(map(str, program.facts))))
        assert found == stable_models(text), text
    assert recursive > 20, "the random programs test recursion too"
