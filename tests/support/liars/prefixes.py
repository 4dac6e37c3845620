"""Mutators of formulas: their prefix, and their matrix."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from tests.support.liars.draft import Draft, mutator
from tests.support.liars.formula import Formula, Gates, Prefix


def _with(draft: Draft, prefix: list[tuple[bool, tuple[int, ...]]]) -> Draft:
    kept: Prefix = tuple((kind, block) for kind, block in prefix if block)
    return replace(draft, formula=replace(draft.formula, prefix=kept), harmless=False)


@mutator("prefix:hoist")
def hoist(draft: Draft, rng: Random) -> Draft | None:
    """All blocks of a player come first."""
    first = rng.random() < 0.6
    blocks = draft.formula.prefix
    ahead = [b for b in blocks if b[0] is first]
    return _with(draft, [*ahead, *(b for b in blocks if b[0] is not first)])


@mutator("prefix:hoist-one")
def hoist_one(draft: Draft, rng: Random) -> Draft | None:
    """One block comes first."""
    blocks = list(draft.formula.prefix)
    block = blocks.pop(rng.randrange(len(blocks)))
    return _with(draft, [block, *blocks])


@mutator("prefix:sink")
def sink(draft: Draft, rng: Random) -> Draft | None:
    """The first existential block comes last, or any other."""
    blocks = list(draft.formula.prefix)
    exists = [k for k, b in enumerate(blocks) if not b[0]] or [0]
    at = exists[0] if rng.random() < 0.6 else rng.randrange(len(blocks))
    block = blocks.pop(at)
    return _with(draft, [*blocks, block])


@mutator("prefix:swap")
def swap(draft: Draft, rng: Random) -> Draft | None:
    """Two blocks change places, often neighbours."""
    blocks = list(draft.formula.prefix)
    if len(blocks) < 2:
        return None
    at = rng.randrange(len(blocks) - 1)
    other = at + 1 if rng.random() < 0.6 else rng.randrange(len(blocks))
    blocks[at], blocks[other] = blocks[other], blocks[at]
    return _with(draft, blocks)


@mutator("prefix:flip-block")
def flip_block(draft: Draft, rng: Random) -> Draft | None:
    """A block gets the other quantifier."""
    blocks = list(draft.formula.prefix)
    at = rng.randrange(len(blocks))
    blocks[at] = (not blocks[at][0], blocks[at][1])
    return _with(draft, blocks)


@mutator("prefix:flip")
def flip(draft: Draft, rng: Random) -> Draft | None:
    """A variable gets the other quantifier, where it stands."""
    variable = rng.choice(draft.formula.variables)
    blocks: list[tuple[bool, tuple[int, ...]]] = []
    for kind, block in draft.formula.prefix:
        if variable in block:
            at = block.index(variable)
            blocks += [(kind, block[:at]), (not kind, (variable,)), (kind, block[at + 1 :])]
        else:
            blocks.append((kind, block))
    return _with(draft, blocks)


@mutator("prefix:move")
def move(draft: Draft, rng: Random) -> Draft | None:
    """A variable goes to another block, with that block's quantifier or its own."""
    variable = rng.choice(draft.formula.variables)
    universal = draft.formula.universal[variable]
    blocks = [(kind, tuple(v for v in b if v != variable)) for kind, b in draft.formula.prefix]
    at = rng.randrange(len(blocks))
    if rng.random() < 0.5:
        blocks[at] = (blocks[at][0], (*blocks[at][1], variable))
    else:
        blocks.insert(at, (universal, (variable,)))
    return _with(draft, blocks)


@mutator("prefix:drop")
def drop(draft: Draft, rng: Random) -> Draft | None:
    """A variable is free: outermost in QDIMACS, an error in QCIR."""
    variable = rng.choice(draft.formula.variables)
    blocks = [(kind, tuple(v for v in b if v != variable)) for kind, b in draft.formula.prefix]
    if draft.formula.clauses is not None:
        blocks.insert(0, (False, (variable,)))
    return _with(draft, blocks)


@mutator("neutral:shuffle-block")
def shuffle_block(draft: Draft, rng: Random) -> Draft | None:
    """The variables of a block stand in another order, which says nothing."""
    blocks = list(draft.formula.prefix)
    at = rng.randrange(len(blocks))
    blocks[at] = (blocks[at][0], tuple(rng.sample(blocks[at][1], len(blocks[at][1]))))
    return replace(draft, formula=replace(draft.formula, prefix=tuple(blocks)))


@mutator("neutral:split-block")
def split_block(draft: Draft, rng: Random) -> Draft | None:
    """A block is written as two of the same quantifier, which says nothing."""
    blocks = list(draft.formula.prefix)
    at = rng.randrange(len(blocks))
    kind, block = blocks[at]
    cut = rng.randint(0, len(block))
    parts = [(kind, part) for part in (block[:cut], block[cut:]) if part]
    blocks[at : at + 1] = parts
    return replace(draft, formula=replace(draft.formula, prefix=tuple(blocks)))


# --- Matrices ------------------------------------------------------------------------------------


def _gates(draft: Draft, gates: Gates, output: int | None = None) -> Draft:
    formula = draft.formula
    out = formula.output if output is None else output
    return replace(draft, formula=replace(formula, gates=gates, output=out), harmless=False)


def _earlier(formula: Formula, gate: int, rng: Random) -> int:
    known = [*formula.variables]
    for g in formula.gates:
        if g == gate:
            break
        known.append(g)
    return rng.choice(known) * rng.choice((1, -1))


@mutator("matrix:connective")
def connective(draft: Draft, rng: Random) -> Draft | None:
    """An and becomes an or, or the reverse; or a constant."""
    gates = dict(draft.formula.gates)
    if not gates:
        return None
    gate = rng.choice(list(gates))
    name, inputs = gates[gate]
    if rng.random() < 0.2:
        gates[gate] = (rng.choice(("and", "or")), ())
    elif name in ("and", "or"):
        gates[gate] = ("or" if name == "and" else "and", inputs)
    else:
        gates[gate] = ("and", inputs)
    return _gates(draft, gates)


@mutator("matrix:input")
def gate_input(draft: Draft, rng: Random) -> Draft | None:
    """An input of a gate is negated, dropped, replaced or added."""
    gates = dict(draft.formula.gates)
    if not gates:
        return None
    gate = rng.choice(list(gates))
    name, inputs = gates[gate]
    at = rng.randrange(len(inputs)) if inputs else 0
    way = rng.randrange(4)
    if way == 0 and inputs:
        inputs = (*inputs[:at], -inputs[at], *inputs[at + 1 :])
    elif way == 1 and inputs and name in ("and", "or"):
        inputs = (*inputs[:at], *inputs[at + 1 :])
    elif way == 2 and inputs:
        inputs = (*inputs[:at], _earlier(draft.formula, gate, rng), *inputs[at + 1 :])
    elif name in ("and", "or"):
        inputs = (*inputs, _earlier(draft.formula, gate, rng))
    gates[gate] = (name, inputs)
    return _gates(draft, gates)


@mutator("matrix:output")
def other_output(draft: Draft, rng: Random) -> Draft | None:
    """The output is negated, another gate, or joined with a literal."""
    formula = draft.formula
    if formula.clauses is not None:
        return None
    way = rng.randrange(4)
    if way == 0:
        return _gates(draft, dict(formula.gates), -formula.output)
    if way == 1:
        return _gates(draft, dict(formula.gates), rng.choice(formula.literals))
    new = formula.largest + 1
    extra = rng.choice(formula.literals) * rng.choice((1, -1))
    gate = ("or" if way == 2 else "and", (formula.output, extra))
    return _gates(draft, {**formula.gates, new: gate}, new)


@mutator("matrix:fresh")
def fresh(draft: Draft, rng: Random) -> Draft | None:
    """A new variable in some block decides more than it should."""
    formula = draft.formula
    if formula.clauses is not None:
        return None
    new = formula.largest + 1
    blocks = list(formula.prefix)
    blocks.insert(rng.randint(0, len(blocks)), (rng.random() < 0.5, (new,)))
    name = rng.choice(("or", "and", "xor"))
    gates = {**formula.gates, new + 1: (name, (formula.output, new * rng.choice((1, -1))))}
    changed = replace(formula, prefix=tuple(blocks), gates=gates, output=new + 1)
    return replace(draft, formula=changed, harmless=False)


@mutator("matrix:fresh-moves")
def fresh_inside(draft: Draft, rng: Random) -> Draft | None:
    """A new variable is an alternative to a literal somewhere inside."""
    formula = draft.formula
    gates = dict(formula.gates)
    if not gates:
        return None
    new = formula.largest + 1
    blocks = list(formula.prefix)
    blocks.insert(rng.randint(0, len(blocks)), (rng.random() < 0.5, (new,)))
    gate = rng.choice(list(gates))
    name, inputs = gates[gate]
    if name not in ("and", "or"):
        return None
    gates[gate] = (name, (*inputs, new * rng.choice((1, -1))))
    changed = replace(formula, prefix=tuple(blocks), gates=gates)
    return replace(draft, formula=changed, harmless=False)


@mutator("matrix:clause")
def clause(draft: Draft, rng: Random) -> Draft | None:
    """A clause loses, gets or negates a literal, goes, or comes."""
    clauses = list(draft.formula.clauses or ())
    if not clauses:
        return None
    at = rng.randrange(len(clauses))
    old = clauses[at]
    extra = rng.choice(draft.formula.variables) * rng.choice((1, -1))
    way = rng.randrange(5)
    if way == 0 and old:
        k = rng.randrange(len(old))
        clauses[at] = (*old[:k], *old[k + 1 :])
    elif way == 1 and old:
        k = rng.randrange(len(old))
        clauses[at] = (*old[:k], -old[k], *old[k + 1 :])
    elif way == 2:
        clauses[at] = (*old, extra)
    elif way == 3:
        del clauses[at]
    else:
        other = rng.choice(draft.formula.variables) * rng.choice((1, -1))
        clauses.append((extra, other))
    changed = replace(draft.formula, clauses=tuple(clauses))
    return replace(draft, formula=changed, harmless=False)
