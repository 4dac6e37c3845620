"""Traces of Q-resolution: written by brute force, and changed at random."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from tests.support.liars.draft import Draft, mutator
from tests.support.liars.formula import Formula

_MOST = 9


@mutator("make:trace")
def make_qrp(draft: Draft, rng: Random) -> Draft | None:
    """A proof of what the formula is, in the dialect QRP."""
    if draft.formula.clauses is None or len(draft.formula.variables) > _MOST:
        return None
    return replace(draft, trace=trace_of(draft.formula))


def trace_of(formula: Formula) -> str:
    """The trace of a small formula in clauses, by trying all assignments."""
    assert formula.clauses is not None
    clauses = formula.clauses
    order = formula.variables
    universal = formula.universal
    steps: list[tuple[tuple[int, ...], tuple[int, ...]]] = []

    def add(literals: frozenset[int], *antecedents: int) -> tuple[int, frozenset[int]]:
        steps.append((tuple(sorted(literals, key=abs)), antecedents))
        return len(steps), literals

    def search(chosen: tuple[int, ...]) -> tuple[bool, int, frozenset[int]]:
        """(true, step, its literals): a cube that holds here, or a clause that does not."""
        if len(chosen) == len(order):
            for clause in clauses:
                if not set(clause) & set(chosen):
                    number, literals = add(frozenset(clause))
                    return False, number, literals
            number, literals = add(frozenset(chosen))
            return True, number, literals
        variable = order[len(chosen)]
        found: list[tuple[int, frozenset[int]]] = []
        for literal in (variable, -variable):
            true, number, literals = search((*chosen, literal))
            mine = literal if true else -literal
            if mine not in literals:
                return true, number, literals
            if true is not universal[variable]:
                return true, *add(literals - {mine}, number)
            found.append((number, literals))
        (first, left), (second, right) = found
        both = (left | right) - {variable, -variable}
        return universal[variable], *add(both, first, second)

    true, _, literals = search(())
    assert not literals, "all variables are resolved or reduced"
    lines = [f"p qrp {formula.largest} {len(steps)}"]
    lines += [
        f"{'a' if kind else 'e'} {' '.join(map(str, block))} 0"
        for kind, block in formula.prefix
        if block
    ]
    for number, (own, antecedents) in enumerate(steps, start=1):
        lines.append(" ".join(map(str, (number, *own, 0, *antecedents, 0))))
    lines.append("r SAT" if true else "r UNSAT")
    return "\n".join(lines) + "\n"


@mutator("trace:step")
def step(draft: Draft, rng: Random) -> Draft | None:
    """A step has another literal or antecedent, one less, or goes."""
    if draft.trace is None:
        return None
    lines = draft.trace.splitlines()
    places = [k for k, x in enumerate(lines) if x[:1].isdigit()]
    if not places:
        return None  # earlier changes have left no step
    k = rng.choice(places)
    words = lines[k].split()
    way = rng.randrange(5)
    numbers = [j for j in range(1, len(words)) if words[j] != "0"]
    if way == 0:
        del lines[k]
    elif way == 1 and numbers:
        j = rng.choice(numbers)
        words[j] = str(-int(words[j]))
    elif way == 2 and numbers:
        del words[rng.choice(numbers)]
    elif way == 3 and numbers:
        words[rng.choice(numbers)] = str(rng.randint(1, len(places) + 1))
    else:
        words.insert(1, str(rng.choice(draft.formula.variables) * rng.choice((1, -1))))
    if way:
        lines[k] = " ".join(words)
    return replace(draft, trace="\n".join(lines) + "\n", harmless=False)


@mutator("trace:claim")
def claim(draft: Draft, rng: Random) -> Draft | None:
    """A step without antecedents claims whatever it likes; or the result is the other one."""
    if draft.trace is None:
        return None
    lines = draft.trace.splitlines()
    if rng.random() < 0.5:
        lines[-1] = "r UNSAT" if lines[-1] == "r SAT" else "r SAT"
    else:
        places = [k for k, x in enumerate(lines) if x[:1].isdigit()]
        if not places:
            return None
        k = rng.choice(places) if rng.random() < 0.5 else places[-1]
        literals = lines[k].split()[1:]
        own = literals[: literals.index("0")] if "0" in literals else []
        own = rng.sample(own, max(0, len(own) - rng.randint(0, 2)))
        lines[k] = " ".join((lines[k].split()[0], *own, "0", "0"))
    return replace(draft, trace="\n".join(lines) + "\n", harmless=False)


@mutator("trace:prefix")
def prefix(draft: Draft, rng: Random) -> Draft | None:
    """The prefix of the trace is another one."""
    if draft.trace is None:
        return None
    lines = draft.trace.splitlines()
    places = [k for k, x in enumerate(lines) if x[:1] in "ae"]
    if not places:
        return None
    k = rng.choice(places)
    way = rng.randrange(3)
    if way == 0:
        lines[k] = ("e" if lines[k][0] == "a" else "a") + lines[k][1:]
    elif way == 1:
        del lines[k]
    else:
        other = rng.choice(places)
        lines[k], lines[other] = lines[other], lines[k]
    return replace(draft, trace="\n".join(lines) + "\n", harmless=False)
