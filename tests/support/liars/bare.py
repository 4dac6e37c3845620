"""Mutators that take the layout away: formulas as others write them, right ones and wrong ones.

What a reader of the formula has is the game that an option names.  The changes of this module keep
a right formula right, position by position: moves fixed, formula and game have one value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

from tests.support.liars.draft import Draft, mutator
from tests.support.liars.formula import Formula, Gates, Prefix
from tests.support.liars.texts import has_files

ONE_SIDED = ("cover", "cover-played", "pairing")
"""Encodings that leave moves out or mean something else, which only their layouts say."""


@mutator("bare:strip")
def strip(draft: Draft, rng: Random) -> Draft | None:
    """All comments go; an option names the game."""
    if draft.subject is None or not has_files(draft.subject.game):
        return None
    return replace(
        draft,
        formula=replace(draft.formula, comments=()),
        given=draft.subject.game,
        harmless=draft.harmless and draft.subject.encoding not in ONE_SIDED,
        options=(*draft.options, "--timeout", "10"),
    )


def _with(draft: Draft, formula: Formula) -> Draft:
    return replace(draft, formula=formula)


def _inserted(rng: Random, prefix: Prefix, universal: bool, block: tuple[int, ...]) -> Prefix:
    at = rng.randint(0, len(prefix))
    return (*prefix[:at], (universal, block), *prefix[at:])


@mutator("bare:rename")
def rename(draft: Draft, rng: Random) -> Draft | None:
    """Variables and gates have other numbers."""
    formula = draft.formula
    free = (abs(x) for clause in formula.clauses or () for x in clause)
    old = list(dict.fromkeys((*formula.literals, *free)))
    numbers = rng.sample(range(1, len(old) + 10), len(old))
    new = dict(zip(old, numbers, strict=True))

    def literal(x: int) -> int:
        return new[x] if x > 0 else -new[-x]

    clauses = formula.clauses
    return _with(
        draft,
        replace(
            formula,
            prefix=tuple((kind, tuple(map(literal, block))) for kind, block in formula.prefix),
            gates={new[g]: (n, tuple(map(literal, xs))) for g, (n, xs) in formula.gates.items()},
            output=formula.output if clauses is not None else literal(formula.output),
            clauses=None
            if clauses is None
            else tuple(tuple(map(literal, clause)) for clause in clauses),
            size=max(numbers, default=0),
            comments=(),
        ),
    )


@mutator("bare:shuffle")
def shuffle(draft: Draft, rng: Random) -> Draft | None:
    """The inputs of gates and the clauses stand in another order."""
    formula = draft.formula

    def mixed(literals: Sequence[int]) -> tuple[int, ...]:
        return tuple(rng.sample(literals, len(literals)))

    if formula.clauses is not None:
        clauses = rng.sample(formula.clauses, len(formula.clauses))
        return _with(draft, replace(formula, clauses=tuple(map(mixed, clauses))))
    gates: Gates = {
        gate: (name, inputs if name == "ite" else mixed(inputs))
        for gate, (name, inputs) in formula.gates.items()
    }
    return _with(draft, replace(formula, gates=gates))


@mutator("bare:clausify")
def clausify(draft: Draft, rng: Random) -> Draft | None:
    """Clauses by Tseitin or by Plaisted and Greenbaum; the gates' variables stand innermost."""
    formula = draft.formula
    if formula.clauses is not None:
        return None
    polarity = rng.random() < 0.5
    signs: dict[int, set[bool]] = {gate: set() for gate in formula.gates}
    if abs(formula.output) in signs:
        signs[abs(formula.output)].add(formula.output > 0)
    for gate in reversed(list(formula.gates)):
        name, inputs = formula.gates[gate]
        for x in inputs:
            if abs(x) in signs:
                both = name in ("xor", "ite")
                signs[abs(x)] |= {True, False} if both else {s == (x > 0) for s in signs[gate]}
    clauses: list[tuple[int, ...]] = [(formula.output,)]
    for gate, (name, inputs) in formula.gates.items():
        for clause in _clauses(gate, name, inputs):
            if not polarity or (clause[0] < 0) in signs[gate]:
                clauses.append(clause)
    prefix = (*formula.prefix, (False, tuple(formula.gates)))
    return _with(
        draft,
        Formula(
            tuple((kind, block) for kind, block in prefix if block),
            {},
            0,
            tuple(clauses),
            formula.comments,
            formula.largest,
        ),
    )


def _clauses(g: int, name: str, inputs: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The clauses that make ``g`` the gate; each begins with ``g`` or its negation."""
    if name in ("and", "or"):
        s = 1 if name == "and" else -1
        for x in inputs:
            yield -s * g, s * x
        yield (s * g, *(-s * x for x in inputs))
    elif name == "xor":
        a, b = inputs
        yield from ((-g, a, b), (-g, -a, -b), (g, -a, b), (g, a, -b))
    else:
        c, a, b = inputs
        yield from ((-g, -c, a), (-g, c, b), (g, -c, -a), (g, c, -b))


@mutator("bare:merge")
def merge(draft: Draft, rng: Random) -> Draft | None:
    """Neighbouring blocks of a quantifier are one."""
    prefix: list[tuple[bool, tuple[int, ...]]] = []
    for kind, block in draft.formula.prefix:
        if prefix and prefix[-1][0] is kind:
            prefix[-1] = (kind, (*prefix[-1][1], *block))
        else:
            prefix.append((kind, block))
    return _with(draft, replace(draft.formula, prefix=tuple(prefix)))


@mutator("bare:dummy")
def dummy(draft: Draft, rng: Random) -> Draft | None:
    """A block of variables that nothing reads, of either quantifier, stands anywhere."""
    formula = draft.formula
    first = formula.largest + 1
    block = tuple(range(first, first + rng.randint(1, 3)))
    prefix = _inserted(rng, formula.prefix, rng.random() < 0.5, block)
    return _with(draft, replace(formula, prefix=prefix, size=max(formula.size, block[-1])))


@mutator("bare:forced")
def forced(draft: Draft, rng: Random) -> Draft | None:
    """An existential variable with one value that is allowed, as Q-sage's ``ib`` has in moves.

    There it is White's only action; it stands in a block of its own, or in one of Black's.
    """
    formula = draft.formula
    new = formula.largest + 1
    own = [k for k, (universal, _) in enumerate(formula.prefix) if not universal]
    if own and rng.random() < 0.5:
        at = rng.choice(own)
        block = list(formula.prefix[at][1])
        block.insert(rng.choice((0, len(block))), new)
        prefix = (*formula.prefix[:at], (False, tuple(block)), *formula.prefix[at + 1 :])
    else:
        prefix = _inserted(rng, formula.prefix, False, (new,))
    sign = rng.choice((1, -1))
    if formula.clauses is not None:
        clauses = (*formula.clauses, (sign * new,))
        changed = replace(formula, prefix=prefix, clauses=clauses, size=max(new, formula.size))
    else:
        gates: Gates = {**formula.gates, new + 1: ("and", (sign * new, formula.output))}
        changed = replace(formula, prefix=prefix, gates=gates, output=new + 1)
    return _with(draft, changed)
