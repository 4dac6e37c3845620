"""Mutators of certificates: functions, clause sets; and how honest ones are made."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from tests.support.liars.bdd import TooLargeError
from tests.support.liars.draft import Draft, mutator
from tests.support.liars.formula import UnreadableError, solve
from tests.support.liars.functions import Circuit, circuit_of, pedant_of, random_circuit

_NODES = 6_000
"""Where functions that are chosen at random get larger, the usual ones are taken."""


@mutator("make:certify")
def certify(draft: Draft, rng: Random) -> Draft | None:
    """Functions that win, of the formula as it is now."""
    try:
        circuit = circuit_of(draft.formula, solve(draft.formula, rng, _NODES))
    except TooLargeError:
        circuit = circuit_of(draft.formula, solve(draft.formula))
    except UnreadableError:
        return None
    return replace(draft, circuit=circuit, clauses=None)


@mutator("make:clauses")
def clauses(draft: Draft, rng: Random) -> Draft | None:
    """The Skolem functions as clauses in Pedant's manner."""
    if draft.circuit is None or not draft.circuit.skolem or not draft.circuit.outputs:
        return None
    return replace(draft, clauses=pedant_of(draft.formula, draft.circuit))


@mutator("make:random-functions")
def random_functions(draft: Draft, rng: Random) -> Draft | None:
    """Functions that are nobody's."""
    circuit = random_circuit(draft.formula, rng.random() < 0.5, rng)
    return replace(draft, circuit=circuit, clauses=None, harmless=False)


def _set(draft: Draft, circuit: Circuit) -> Draft:
    return replace(draft, circuit=circuit, harmless=False)


@mutator("certificate:swap")
def swap(draft: Draft, rng: Random) -> Draft | None:
    """Two functions change places."""
    circuit = draft.circuit
    if circuit is None or len(circuit.outputs) < 2:
        return None
    outputs = list(circuit.outputs)
    a, b = rng.sample(range(len(outputs)), 2)
    outputs[a], outputs[b] = (outputs[a][0], outputs[b][1]), (outputs[b][0], outputs[a][1])
    return _set(draft, replace(circuit, outputs=tuple(outputs)))


@mutator("certificate:function")
def function(draft: Draft, rng: Random) -> Draft | None:
    """A function is a constant, negated, missing, an input or any gate."""
    circuit = draft.circuit
    if circuit is None or not circuit.outputs:
        return None
    outputs = list(circuit.outputs)
    at = rng.randrange(len(outputs))
    variable, literal = outputs[at]
    way = rng.randrange(5)
    most = len(circuit.inputs) + len(circuit.gates)
    if way == 0:
        outputs[at] = (variable, rng.randint(0, 1))
    elif way == 1:
        outputs[at] = (variable, literal ^ 1)
    elif way == 2:
        del outputs[at]
    elif way == 3 and circuit.inputs:
        # Those of the innermost block are most likely to be to the right.
        k = rng.randrange(len(circuit.inputs))
        k = max(k, rng.randrange(len(circuit.inputs)))
        outputs[at] = (variable, 2 * k + 2 + rng.randint(0, 1))
    else:
        outputs[at] = (variable, rng.randint(0, 2 * most + 1))
    return _set(draft, replace(circuit, outputs=tuple(outputs)))


@mutator("certificate:peek")
def peek(draft: Draft, rng: Random) -> Draft | None:
    """A function is joined with a variable that is chosen later."""
    circuit = draft.circuit
    if circuit is None or not circuit.outputs or not circuit.inputs:
        return None
    outputs = list(circuit.outputs)
    at = rng.randrange(len(outputs))
    variable, literal = outputs[at]
    levels = {v: k for k, (_, b) in enumerate(draft.formula.prefix) for v in b}
    later = [
        k
        for k, v in enumerate(circuit.inputs)
        if levels.get(v, 0) > levels.get(variable, len(levels))
    ]
    if not later:
        return None
    other = 2 * rng.choice(later) + 2 + rng.randint(0, 1)
    gate = (max(literal ^ 1, other), min(literal ^ 1, other))
    new = 2 * (len(circuit.inputs) + len(circuit.gates)) + 2
    outputs[at] = (variable, rng.choice((other, other, new, new + 1)))
    return _set(draft, replace(circuit, outputs=tuple(outputs), gates=(*circuit.gates, gate)))


@mutator("certificate:gate")
def gate(draft: Draft, rng: Random) -> Draft | None:
    """A gate has another input, or a negated one."""
    circuit = draft.circuit
    if circuit is None or not circuit.gates:
        return None
    gates = list(circuit.gates)
    at = rng.randrange(len(gates))
    left, right = gates[at]
    most = 2 * (len(circuit.inputs) + at) + 1
    way = rng.randrange(3)
    if way == 0:
        gates[at] = (left ^ 1, right)
    elif way == 1:
        gates[at] = (left, right ^ 1)
    else:
        gates[at] = (left, rng.randint(0, most))
    return _set(draft, replace(circuit, gates=tuple(gates)))


@mutator("certificate:kind", rare=True)
def kind(draft: Draft, rng: Random) -> Draft | None:
    """The certificate says that it is of the other kind."""
    circuit = draft.circuit
    if circuit is None:
        return None
    return _set(draft, replace(circuit, skolem=not circuit.skolem))


@mutator("certificate:names", rare=True)
def names(draft: Draft, rng: Random) -> Draft | None:
    """An input or a function has the name of another variable, or of a gate."""
    circuit = draft.circuit
    if circuit is None:
        return None
    name = rng.choice([*draft.formula.literals, draft.formula.largest + 1])
    if circuit.inputs and rng.random() < 0.5:
        inputs = list(circuit.inputs)
        inputs[rng.randrange(len(inputs))] = name
        return _set(draft, replace(circuit, inputs=tuple(inputs)))
    if not circuit.outputs:
        return None
    outputs = list(circuit.outputs)
    at = rng.randrange(len(outputs))
    outputs[at] = (name, outputs[at][1])
    return _set(draft, replace(circuit, outputs=tuple(outputs)))


@mutator("clauses:change")
def change_clauses(draft: Draft, rng: Random) -> Draft | None:
    """A clause goes, comes, loses or negates a literal, or contradicts."""
    if draft.clauses is None:
        return None
    lines = draft.clauses.splitlines()
    places = [k for k, x in enumerate(lines) if k and (x.endswith(" 0") or x == "0")]
    if not places:
        return None
    header = lines[0].split()
    k = rng.choice(places)
    literals = lines[k].split()[:-1]
    way = rng.randrange(7)
    most = int(header[2])
    some = str(rng.randint(1, max(1, most)) * rng.choice((1, -1)))
    if way == 0:
        del lines[k]
    elif way == 1 and literals:
        literals[rng.randrange(len(literals))] = some
        lines[k] = " ".join((*literals, "0"))
    elif way == 2 and literals:
        at = rng.randrange(len(literals))
        literals[at] = str(-int(literals[at]))
        lines[k] = " ".join((*literals, "0"))
    elif way == 3 and literals:
        literals.pop(rng.randrange(len(literals)))
        lines[k] = " ".join((*literals, "0"))
    elif way == 4:
        lines.insert(k + 1, f"{some} 0")
    elif way == 5:
        lines.insert(k + 1, "0")
    else:
        lines[k] = " ".join((*literals, some, "0"))
    count = sum(x.endswith(" 0") or x == "0" for x in lines[1:])
    lines[0] = f"p cnf {most} {count}"
    return replace(draft, clauses="\n".join(lines) + "\n", harmless=False)


@mutator("clauses:model")
def model_comment(draft: Draft, rng: Random) -> Draft | None:
    """A variable's model is announced no more, or for another variable."""
    if draft.clauses is None:
        return None
    lines = draft.clauses.splitlines()
    places = [k for k, x in enumerate(lines) if x.startswith("c Model")]
    if not places:
        return None
    k = rng.choice(places)
    if rng.random() < 0.5:
        del lines[k]
    else:
        lines[k] = f"c Model for variable {rng.choice(draft.formula.variables)}."
    return replace(draft, clauses="\n".join(lines) + "\n", harmless=False)
