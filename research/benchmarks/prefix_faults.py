"""Faults of a formula's prefix and of its layout.

Each is a formula, or lines of a layout, that differs from a sound one in the order or kind of
quantifiers, in a variable more, or in what a line of the layout says.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope
from qsage_validate.encodings.layout import Layout
from qsage_validate.encodings.layout_lines import layout_comments

_NUMBER = re.compile(r"-?\d+")
_BITS = re.compile(r"\[[^\]]*\]")
_PLAYERS = {"black": "white", "white": "black"}


def is_true(qbf: Qbf) -> bool:
    """The value of a formula, by DepQBF (the extra 'solve')."""
    from pyqbf.formula import PCNF
    from pyqbf.solvers import Solver

    pcnf = PCNF(auto_generate_prefix=False)
    for scope in qbf.merged_scopes():
        add = pcnf.exists if scope.quantifier is Quantifier.EXISTS else pcnf.forall
        add(*scope.variables)
    if qbf.gates:
        pcnf.exists(*qbf.gates)
    for clause in (*qbf.clauses(), [qbf.output]):
        pcnf.append(list(clause))
    with Solver(name="depqbf", bootstrap_with=pcnf) as solver:
        return bool(solver.solve())


def faulty_prefixes(qbf: Qbf, rng: random.Random, moved: int = 60) -> Iterator[tuple[str, Qbf]]:
    """The formula with blocks moved, swapped and flipped, variables moved, flipped and added.

    ``moved`` is how many of the moves of one variable to another block are tried.
    """
    blocks = qbf.merged_scopes()
    yield from _moved_blocks(qbf, blocks)
    for number, block in enumerate(blocks):
        flipped = replace(block, quantifier=block.quantifier.dual)
        changed = (*blocks[:number], flipped, *blocks[number + 1 :])
        yield f"block {number + 1} flipped", replace(qbf, scopes=changed)
    for number, block in enumerate(blocks):
        for variable in block.variables:
            rest = _without(block, variable)
            alone = Scope(block.quantifier.dual, (variable,))
            for side, pair in (("before", (alone, rest)), ("behind", (rest, alone))):
                changed = (*blocks[:number], *pair, *blocks[number + 1 :])
                text = f"variable {variable} flipped, {side} its block"
                if rest.variables or side == "before":
                    yield text, replace(qbf, scopes=changed)
    choices = [
        (variable, number, target)
        for number, block in enumerate(blocks)
        for variable in block.variables
        for target in range(len(blocks))
        if target != number and blocks[target].quantifier is block.quantifier
    ]
    for variable, number, target in sorted(rng.sample(choices, min(moved, len(choices)))):
        scopes = list(blocks)
        scopes[number] = _without(blocks[number], variable)
        there = scopes[target]
        scopes[target] = replace(there, variables=(*there.variables, variable))
        text = f"variable {variable} of block {number + 1} in block {target + 1}"
        yield text, replace(qbf, scopes=tuple(scopes))
    yield from _added(qbf, blocks)


def _moved_blocks(qbf: Qbf, blocks: tuple[Scope, ...]) -> Iterator[tuple[str, Qbf]]:
    universal = [b for b in blocks if b.quantifier is Quantifier.FORALL]
    existential = [b for b in blocks if b.quantifier is Quantifier.EXISTS]
    if universal:
        yield "universal blocks first", replace(qbf, scopes=(*universal, *existential))
    if existential:
        yield "existential blocks first", replace(qbf, scopes=(*existential, *universal))
    for number, block in enumerate(blocks):
        rest = (*blocks[:number], *blocks[number + 1 :])
        for target in range(len(blocks)):
            if target != number:
                changed = (*rest[:target], block, *rest[target:])
                text = f"block {number + 1} as block {target + 1}"
                yield text, replace(qbf, scopes=changed)


def _without(block: Scope, variable: int) -> Scope:
    return replace(block, variables=tuple(v for v in block.variables if v != variable))


def _added(qbf: Qbf, blocks: tuple[Scope, ...]) -> Iterator[tuple[str, Qbf]]:
    """The formula with a variable more, which the output needs or not."""
    variable = qbf.max_variable + 1
    output = variable + 1
    for quantifier in Quantifier:
        kind = "a universal" if quantifier is Quantifier.FORALL else "an existential"
        alone = Scope(quantifier, (variable,))
        for place, scopes in (("first", (alone, *blocks)), ("last", (*blocks, alone))):
            yield f"{kind} variable more, {place}", replace(qbf, scopes=scopes)
            for connective in (Connective.AND, Connective.OR, Connective.XOR):
                gate = Gate(connective, (qbf.output, variable))
                yield (
                    f"{kind} variable more, {place}, {connective.value} the output",
                    replace(qbf, scopes=scopes, gates={**qbf.gates, output: gate}, output=output),
                )


def faulty_layouts(
    qbf: Qbf, layout: Layout, rng: random.Random
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The lines of a layout, one of them dropped, doubled, renumbered, given away or shortened.

    The model's lines are left out: the game is the user's.
    """
    lines = tuple(line for line in layout_comments(layout) if not line.startswith("@ model "))
    literals = [*qbf.levels(), *qbf.gates]
    for number, line in enumerate(lines):
        name = " ".join(line.split()[1:4])
        before, after = lines[:number], lines[number + 1 :]
        yield f"'{name}' dropped", (*before, *after)
        yield f"'{name}' doubled", (*before, line, line, *after)
        if after:
            yield f"'{name}' behind the next line", (*before, after[0], line, *after[1:])
        for text, changed in _changed_lines(line, literals, rng):
            yield f"'{name}' {text}", (*before, changed, *after)
    for number, line in enumerate(lines):
        others = [k for k in range(number) if lines[k].split()[1] == line.split()[1]]
        for other in others if line.split()[1] in ("move", "goal", "state") else ():
            swapped = list(lines)
            swapped[number], swapped[other] = (
                _numbers_of(lines[other], line),
                _numbers_of(line, lines[other]),
            )
            name, partner = (" ".join(x.split()[1:4]) for x in (line, lines[other]))
            yield f"'{name}' with the numbers of '{partner}'", tuple(swapped)


def _changed_lines(
    line: str, literals: Sequence[int], rng: random.Random
) -> Iterator[tuple[str, str]]:
    """One line with a number, a player or a bit list that is another one."""
    for count, found in enumerate(_NUMBER.finditer(line), start=1):
        old = int(found.group())
        for text, new in (
            ("negated", -old),
            ("one more", old + 1),
            ("one less", old - 1),
            ("another", rng.choice(literals)),
        ):
            changed = line[: found.start()] + str(new) + line[found.end() :]
            yield f"number {count} {text} ({new})", changed
    for word, other in _PLAYERS.items():
        if re.search(rf"\b{word}\b", line):
            yield f"given to {other}", re.sub(rf"\b{word}\b", other, line)
    for count, found in enumerate(_BITS.finditer(line), start=1):
        bits = found.group()[1:-1].split()
        for text, changed_bits in (
            ("shortened in front", bits[1:]),
            ("shortened behind", bits[:-1]),
            ("reversed", bits[::-1]),
            ("doubled", [*bits, *bits]),
            ("longer", [*bits, str(rng.choice(literals))]),
            ("longer in front", [str(rng.choice(literals)), *bits]),
        ):
            if changed_bits != bits:
                changed = f"{line[: found.start()]}[{' '.join(changed_bits)}]{line[found.end() :]}"
                yield f"bits {count} {text}", changed
    if " stop " in line:
        yield "without stop", line[: line.index(" stop ")]


def _numbers_of(source: str, target: str) -> str:
    """``target`` with the numbers of ``source`` behind its third word, as far as both have them."""
    numbers = iter(_NUMBER.findall(" ".join(source.split()[3:])))
    head, rest = " ".join(target.split()[:3]), " ".join(target.split()[3:])
    return f"{head} " + _NUMBER.sub(lambda found: next(numbers, found.group()), rest)
