"""Random small DQBFs, decided and certified, against brute force over all functions.

``python -m research.benchmarks.dqbf --formulas 500 --seed 1`` makes as many formulas, in DQDIMACS
and DQCIR by turns.  Brute force tries every table of every existential variable over its dependency
set: what it finds is the truth.  Of each formula it is asked whether

- the expansion has the right value, and its functions are proved;
- random functions over the dependency sets, in every dialect that a file may have, are proved
  exactly when their tables win, and refuted otherwise;
- functions that win and depend on a variable outside of their sets are refuted;
- universal functions, where the formula with a prefix in the place of the sets has some, are proved
  only of formulas that are false.

Nothing of brute force is shared with the package but the text of the formula.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from qsage_validate.certificates import by_expansion
from qsage_validate.certificates.check import (
    CertificateProved,
    CertificateRefuted,
    check,
)
from qsage_validate.certificates.reader import parse_certificate
from qsage_validate.certificates.writer import aiger_bytes
from qsage_validate.circuit.aig import AigBuilder
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.extensions.dqbf.expansion import expand, parse_dqbf

# The bits of all tables of a formula: brute force tries 2 ** _BITS choices of functions at most.
_BITS = 12
_CERTIFICATES = 6

Table = Mapping[tuple[bool, ...], bool]


@dataclass(frozen=True)
class Instance:
    """A formula: universal variables, dependency sets in the order of the file, and clauses."""

    prefix: tuple[tuple[str, int, tuple[int, ...]], ...]
    clauses: tuple[tuple[int, ...], ...]

    @property
    def universal(self) -> tuple[int, ...]:
        return tuple(v for letter, v, _ in self.prefix if letter == "a")

    @property
    def sets(self) -> dict[int, tuple[int, ...]]:
        return {v: read for letter, v, read in self.prefix if letter != "a"}

    def dqdimacs(self) -> str:
        lines = [f"p cnf {len(self.prefix)} {len(self.clauses)}"]
        for letter, v, read in self.prefix:
            words = (letter, v, *read, 0) if letter == "d" else (letter, v, 0)
            lines.append(" ".join(map(str, words)))
        lines += [" ".join(map(str, (*clause, 0))) for clause in self.clauses]
        return "\n".join(lines) + "\n"

    def dqcir(self) -> str:
        """The same; the matrix is the negation of a disjunction of conjunctions."""
        lines = ["#QCIR-G14"]
        words = {"a": "forall", "e": "exists", "d": "depend"}
        for letter, v, read in self.prefix:
            names = (v, *read) if letter == "d" else (v,)
            lines.append(f"{words[letter]}({', '.join(map(str, names))})")
        lines.append("output(-all)")
        for k, clause in enumerate(self.clauses):
            lines.append(f"g{k} = and({', '.join(str(-x) for x in clause)})")
        lines.append(f"all = or({', '.join(f'g{k}' for k in range(len(self.clauses)))})")
        return "\n".join(lines) + "\n"

    def holds(self, values: Mapping[int, bool]) -> bool:
        return all(any(values[abs(x)] == (x > 0) for x in clause) for clause in self.clauses)

    def choices(self) -> Iterator[dict[int, bool]]:
        for bits in product((False, True), repeat=len(self.universal)):
            yield dict(zip(self.universal, bits, strict=True))

    def wins(self, tables: Mapping[int, Table], sets: Mapping[int, tuple[int, ...]]) -> bool:
        return all(
            self.holds({**c, **{v: t[tuple(c[u] for u in sets[v])] for v, t in tables.items()}})
            for c in self.choices()
        )

    def winning(self) -> list[Mapping[int, Table]]:
        """All Skolem functions."""
        keys = [
            (v, key) for v, read in self.sets.items()
            for key in product((False, True), repeat=len(read))
        ]  # fmt: skip
        found: list[Mapping[int, Table]] = []
        for bits in product((False, True), repeat=len(keys)):
            tables: dict[int, dict[tuple[bool, ...], bool]] = {v: {} for v in self.sets}
            for (v, key), bit in zip(keys, bits, strict=True):
                tables[v][key] = bit
            if self.wins(tables, self.sets):
                found.append(dict(tables))
        return found


def drawn(draw: random.Random) -> Instance:
    """A formula of two to four universal variables and one to four existential ones."""
    while True:
        letters = ["a"] * draw.randint(2, 4) + ["e"] * draw.randint(1, 4)
        draw.shuffle(letters)
        prefix: list[tuple[str, int, tuple[int, ...]]] = []
        names = draw.sample(range(1, len(letters) + 1), len(letters))
        for letter, v in zip(letters, names, strict=True):
            left = [u for other, u, _ in prefix if other == "a"]
            read = tuple(left)
            if letter == "e" and draw.random() < 0.8:
                letter = "d"
                read = tuple(sorted(draw.sample(left, draw.randint(0, len(left)))))
            prefix.append((letter, v, read))
        bits = sum(1 << len(read) for letter, _, read in prefix if letter != "a")
        if bits <= _BITS and any(letter == "d" for letter, *_ in prefix):
            break
    bare = Instance(tuple(prefix), ())
    # Of one half of the formulas some functions of all variables on the left win: where those of the
    # dependency sets do not, the formula is false and the one with a prefix is true.
    planted = _tables(_left(bare), draw) if draw.random() < 0.5 else None
    clauses: list[tuple[int, ...]] = []
    for _ in range(draw.randint(6, 60) if planted else draw.randint(1, 9)):
        clause = draw.sample(names, min(len(names), draw.choice((2, 2, 3, 3, 4))))
        signed = tuple(v if draw.random() < 0.5 else -v for v in clause)
        one = Instance(bare.prefix, (signed,))
        if planted is None or one.wins(planted, _left(bare)):
            clauses.append(signed)
    return Instance(bare.prefix, tuple(clauses or [(names[0], -names[0])]))


def _left(instance: Instance) -> dict[int, tuple[int, ...]]:
    """All universal variables left of each existential one."""
    found: dict[int, tuple[int, ...]] = {}
    left: tuple[int, ...] = ()
    for letter, v, _ in instance.prefix:
        if letter == "a":
            left = (*left, v)
        else:
            found[v] = left
    return found


def certificates(
    instance: Instance, tables: Mapping[int, Table], sets: Mapping[int, tuple[int, ...]]
) -> dict[str, bytes]:
    """The functions as a file in each dialect."""
    builder = AigBuilder(len(instance.universal))
    inputs = dict(zip(instance.universal, builder.inputs, strict=True))
    roots = [
        builder.or_all(
            builder.and_all(inputs[u] ^ (not x) for u, x in zip(sets[v], key, strict=True))
            for key, value in table.items()
            if value
        )
        for v, table in tables.items()
    ]
    aig, outputs = builder.build([*roots, 1])
    into = {k: str(u) for k, u in enumerate(instance.universal)}
    out = {k: str(v) for k, v in enumerate(tables)}
    named = out | {len(tables): "result"}
    files = {
        "caqe aag": aiger_bytes(
            aig, outputs, binary=False, input_symbols=into, output_symbols=named
        ),
        "pedant aag": aiger_bytes(
            aig, outputs[:-1], binary=False, input_symbols=into, output_symbols=out
        ),
        "pedant aig": aiger_bytes(
            aig, outputs[:-1], binary=True, input_symbols=into, output_symbols=out
        ),
    }
    models: list[str] = []
    count = 0
    for v, table in tables.items():
        models.append(f"c Model for variable {v}.")
        for key, value in table.items():
            literals = [-u if x else u for u, x in zip(sets[v], key, strict=True)]
            models.append(" ".join(map(str, (*literals, v if value else -v, 0))))
            count += 1
    header = f"p cnf {len(instance.prefix)} {count}"
    files["pedant cnf"] = "\n".join([header, *models, ""]).encode()
    return files


def faults(
    instance: Instance, draw: random.Random, *, circuit: bool, counts: Counter[str]
) -> Iterator[str]:
    """What is wrong with the answers about a formula; nothing, mostly."""
    text = instance.dqcir() if circuit else instance.dqdimacs()
    formula = parse_dqbf(text.encode())
    winning = instance.winning()
    counts["true" if winning else "false"] += 1
    expanded = expand(formula)
    if expanded.truth is not bool(winning):
        yield f"the expansion says {expanded.truth}"
    own = expanded.certificate
    if own is not None and not isinstance(check(formula, own), CertificateProved):
        yield "the functions of the expansion are not proved"
    tried = draw.sample(winning, min(len(winning), _CERTIFICATES))
    tried += [_tables(instance.sets, draw) for _ in range(_CERTIFICATES)]
    for tables in tried:
        right = instance.wins(tables, instance.sets)
        yield from _answers(formula, instance, tables, instance.sets, right, counts)
    every = dict.fromkeys(instance.sets, instance.universal)
    for tables in _peeking(instance, draw):
        yield from _answers(formula, instance, tables, every, False, counts, peeking=True)
    relaxed = by_expansion.expand(replace(formula, depends={}))
    if relaxed.kind.truth and not winning:
        counts["false, but true with a prefix"] += 1
    if not relaxed.kind.truth:
        counts["false, with Herbrand functions"] += 1
        if winning or not isinstance(check(formula, relaxed), CertificateProved):
            yield "the Herbrand functions are wrong"


def _answers(
    formula: Qbf,
    instance: Instance,
    tables: Mapping[int, Table],
    sets: Mapping[int, tuple[int, ...]],
    right: bool,
    counts: Counter[str],
    *,
    peeking: bool = False,
) -> Iterator[str]:
    for dialect, data in certificates(instance, tables, sets).items():
        certificate = parse_certificate(data, formula, dependencies=False)
        kind = CertificateProved if right else CertificateRefuted
        counts[f"{dialect}, {'proved' if right else 'peeking' if peeking else 'refuted'}"] += 1
        found = check(formula, certificate)
        if not isinstance(found, kind):
            yield f"{dialect}: {found.reason}, expected {kind.__name__}"
        if peeking and isinstance(found, CertificateRefuted) and found.dependency is None:
            yield f"{dialect}: refuted by a choice, expected a dependency"


def _tables(sets: Mapping[int, tuple[int, ...]], draw: random.Random) -> dict[int, Table]:
    return {
        v: {key: draw.random() < 0.5 for key in product((False, True), repeat=len(read))}
        for v, read in sets.items()
    }


def _peeking(instance: Instance, draw: random.Random) -> Iterator[dict[int, Table]]:
    """Functions of all universal variables that win, one of which depends on what it may not see."""
    tables: dict[int, dict[tuple[bool, ...], bool]] = {v: {} for v in instance.sets}
    for choice in instance.choices():
        values = [
            dict(zip(instance.sets, bits, strict=True))
            for bits in product((False, True), repeat=len(instance.sets))
        ]
        good = [each for each in values if instance.holds({**choice, **each})]
        if not good:
            return
        own = draw.choice(good)
        for v, value in own.items():
            tables[v][tuple(choice.values())] = value
    for v, read in instance.sets.items():
        places = [instance.universal.index(u) for u in read]
        seen: dict[tuple[bool, ...], bool] = {}
        for key, value in tables[v].items():
            if seen.setdefault(tuple(key[k] for k in places), value) is not value:
                yield dict(tables)
                return


def main(words: Sequence[str] | None = None, show: Callable[[str], None] = print) -> int:
    """Run the formulas; 1 when there was a fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--formulas", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(words)
    counts: Counter[str] = Counter()
    wrong = 0
    for number in range(options.formulas):
        draw = random.Random(f"{options.seed} {number}")
        instance = drawn(draw)
        for fault in faults(instance, draw, circuit=number % 2 == 1, counts=counts):
            wrong += 1
            show(f"formula {number}: {fault}\n{instance.dqdimacs()}")
    for name, count in sorted(counts.items()):
        show(f"{name}: {count:,}")
    show(f"faults: {wrong}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
