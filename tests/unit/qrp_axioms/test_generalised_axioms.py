"""Generalised axioms against brute force: all Skolem models, and proofs of an own making."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from random import Random

import pytest

from qsage_validate.certificates.by_proof import extract
from qsage_validate.certificates.check import CertificateProved, check
from qsage_validate.certificates.qrp_check import (
    Literals,
    PrefixBits,
    QrpProved,
    QrpRefuted,
    as_form,
    check_qrp,
)
from qsage_validate.circuit.aig import values_of
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.errors import Exit, InputError, UndecidedError
from qsage_validate.extensions.qrp_axioms.axioms import GeneralisedAxioms
from qsage_validate.formats.qdimacs import parse_qdimacs, qbf_to_qdimacs
from qsage_validate.solvers.backends import get_backend
from qsage_validate.system.limits import NEVER
from tests.support.commands import run_qsage
from tests.support.random_qbf import random_dense_qdimacs
from tests.support.readers import parse_qrp
from tests.support.tracing import require_solvers

Values = dict[int, bool]
Table = Mapping[tuple[bool, ...], bool]


class Small:
    """Clauses over variables 1, 2, …, in the order of the prefix; truth by trying all values."""

    def __init__(self, rng: Random) -> None:
        size = rng.randint(3, 6)
        self.order = list(range(1, size + 1))
        self.universal = {v for v in self.order if rng.random() < 0.4}
        count = rng.randint(2, 2 * size)
        self.clauses = [self._clause(rng) for _ in range(count)]

    def _clause(self, rng: Random) -> tuple[int, ...]:
        chosen = rng.sample(self.order, rng.randint(1, min(3, len(self.order))))
        return tuple(v * rng.choice((1, -1)) for v in chosen)

    def qbf(self) -> Qbf:
        lines = "".join(f"{'a' if v in self.universal else 'e'} {v} 0\n" for v in self.order)
        matrix = "".join(" ".join(map(str, c)) + " 0\n" for c in self.clauses)
        return parse_qdimacs(f"p cnf {len(self.order)} {len(self.clauses)}\n{lines}{matrix}")

    def value(self, fixed: Mapping[int, bool], at: int = 0) -> bool:
        if at == len(self.order):
            return all(any(fixed[abs(x)] == (x > 0) for x in c) for c in self.clauses)
        v = self.order[at]
        if v in fixed:
            return self.value(fixed, at + 1)
        both = (self.value({**fixed, v: value}, at + 1) for value in (False, True))
        return all(both) if v in self.universal else any(both)

    def _strategies(self, of_universal: bool) -> Iterator[dict[int, Table]]:
        """All functions of a player's variables, of the other's to their left."""
        own = [v for v in self.order if (v in self.universal) is of_universal]
        tables = []
        for v in own:
            left = [u for u in self.order if u < v and u not in own]
            rows = list(product((False, True), repeat=len(left)))
            tables.append(
                [dict(zip(rows, t, strict=True)) for t in product((False, True), repeat=len(rows))]
            )
        for chosen in product(*tables):
            yield dict(zip(own, chosen, strict=True))

    def plays(self, strategy: Mapping[int, Table]) -> Iterator[Values]:
        others = [v for v in self.order if v not in strategy]
        for chosen in product((False, True), repeat=len(others)):
            values: Values = dict(zip(others, chosen, strict=True))
            for v, table in strategy.items():
                values[v] = table[tuple(values[u] for u in others if u < v)]
            yield values

    def holds_in_all_models(self, literals: Sequence[int], cubes: bool) -> bool:
        """A clause is satisfied by every model in every play; a cube by no counter-model."""
        for strategy in self._strategies(cubes):
            plays = [*self.plays(strategy)]
            wins = all(self.value(play) is not cubes for play in plays)
            meets = any(all(p[abs(x)] == (x > 0) for x in literals) for p in plays)
            fails = any(all(p[abs(x)] != (x > 0) for x in literals) for p in plays)
            if wins and (meets if cubes else fails):
                return False
        return True


def _few_functions(small: Small) -> bool:
    size = 1
    for kind in (True, False):
        own = [v for v in small.order if (v in small.universal) is kind]
        rows = [2 ** sum(u < v and u not in own for u in small.order) for v in own]
        size = max(size, 2 ** sum(rows))
    return size <= 512


def test_an_axiom_holds_in_all_models_and_a_whole_assignment_is_decided() -> None:
    rng = Random(7)
    held = closed = left = strategies = 0
    while held < 150 or left < 20:
        small = Small(rng)
        if not _few_functions(small):
            continue
        bits = PrefixBits(as_form(small.qbf()))
        for cubes in (False, True):
            axioms = GeneralisedAxioms(bits, cubes=cubes)
            chosen = rng.sample(small.order, rng.randint(0, len(small.order)))
            literals = tuple(v * rng.choice((1, -1)) for v in chosen)
            told = axioms.check(bits.literals(literals), NEVER)
            assigned = {abs(x): (x > 0) is cubes for x in literals}
            pivots = small.universal if cubes else set(small.order) - small.universal
            last = max((v for v in assigned if v in pivots), default=0)
            whole = all(v in assigned or v in pivots for v in small.order if v < last)
            if whole:
                closed += 1
                # What the rules drop, right of all pivots, may be needed or in the way.
                below = {v: value for v, value in assigned.items() if v <= last}
                right = cubes in (small.value(assigned), small.value(below))
                assert (told is None) is right, (small.clauses, literals)
            wins = _wins(small, bits, axioms, literals, cubes=cubes)
            assert wins is (told is None), (small.clauses, literals)
            strategies += wins
            if told is None:
                held += 1
                left += not whole
                assert small.holds_in_all_models(literals, cubes), (small.clauses, literals)
            elif told.startswith("is no axiom"):
                assert small.value(assigned) is not cubes
    assert closed > 100
    assert strategies > 100


def _wins(
    small: Small,
    bits: PrefixBits,
    axioms: GeneralisedAxioms,
    literals: tuple[int, ...],
    *,
    cubes: bool,
) -> bool:
    """Whether there is a strategy, which then wins however what stands left of it was played."""
    try:
        found = axioms.strategy(bits.literals(literals), NEVER)
    except UndecidedError:
        return False

    def values(step: Literals) -> Values:
        signs = dict.fromkeys(bits.names(step[0]), cubes)
        return signs | dict.fromkeys(bits.names(step[1]), not cubes)

    beaten, own, functions = values(found.rest), values(found.own), found.functions
    owns = set(small.order) - small.universal if cubes else small.universal
    last = max((v for v in beaten if v not in owns), default=0)
    answered = {v for v in owns if v > last} if functions is not None else set(own)
    others = [v for v in small.order if v not in beaten and v not in answered]
    for chosen in product((False, True), repeat=len(others)):
        play = {**beaten, **dict(zip(others, chosen, strict=True)), **own}
        if functions is not None:
            inputs = [play.get(v, False) for v in functions.inputs]
            told = values_of(functions.aig, inputs, [*functions.functions.values()])
            answers = dict(zip(functions.functions, told, strict=True))
            play |= {v: answers.get(v, False) for v in answered - own.keys()}
        assert small.value(play) is cubes, (small.clauses, literals, play)
    return True


def proof(small: Small, rng: Random) -> list[tuple[list[int], list[int]]]:
    """A tree of resolutions over axioms under assignments of leading variables."""
    true = small.value({})
    pivot = small.universal if true else set(small.order) - small.universal
    steps: list[tuple[list[int], list[int]]] = []

    def reduced(literals: Sequence[int]) -> list[int]:
        last = max((abs(x) for x in literals if abs(x) in pivot), default=0)
        return sorted((x for x in literals if abs(x) in pivot or abs(x) < last), key=abs)

    def add(literals: Sequence[int], below: list[int]) -> int:
        steps.append((reduced(literals), below))
        return len(steps)

    def derive(values: Values) -> int:
        v = len(values) + 1
        if v > len(small.order) or rng.random() < 0.3:
            return add([u if value is true else -u for u, value in values.items()], [])
        if v not in pivot:
            value = next(x for x in (False, True) if small.value({**values, v: x}) is true)
            return derive({**values, v: value})
        two = [derive({**values, v: value}) for value in (False, True)]
        for one, value in zip(two, (False, True), strict=True):
            if (v if value is true else -v) not in steps[one - 1][0]:
                return one
        union = {x for one in two for x in steps[one - 1][0]} - {v, -v}
        return add(sorted(union), two)

    last = derive({})
    if steps[last - 1][0] or last != len(steps):
        steps.append(([], [last]))
    return steps


def text(small: Small, steps: Sequence[tuple[list[int], list[int]]], true: bool) -> bytes:
    lines = [f"p qrp {len(small.order)} {len(steps)}"]
    lines += [f"{'a' if v in small.universal else 'e'} {v} 0" for v in small.order]
    for k, (literals, below) in enumerate(steps, start=1):
        lines.append(" ".join(map(str, [k, *literals, 0, *below, 0])))
    return ("\n".join([*lines, f"r {'SAT' if true else 'UNSAT'}"]) + "\n").encode()


def test_proofs_by_generalised_axioms_are_proofs_and_damaged_ones_prove_nothing_false() -> None:
    rng = Random(11)
    general = refused = 0
    for _ in range(250):
        small = Small(rng)
        formula, truth = small.qbf(), small.value({})
        steps = proof(small, rng)
        trace = parse_qrp(text(small, steps, truth))
        result = check_qrp(formula, trace, generalised=True)
        assert isinstance(result, QrpProved), (small.clauses, steps, result)
        assert result.true is truth
        certificate = extract(formula, trace, generalised=NEVER)
        assert isinstance(check(formula, certificate), CertificateProved), (small.clauses, steps)
        general += result.generalised > 0
        if result.generalised:
            assert isinstance(check_qrp(formula, trace), QrpRefuted)
        for _ in range(4):
            damaged = [(list(a), list(b)) for a, b in steps]
            literals, _below = rng.choice(damaged)
            if literals and rng.random() < 0.5:
                literals.remove(rng.choice(literals))
            elif literals:
                at = rng.randrange(len(literals))
                literals[at] = -literals[at]
            claimed = truth if rng.random() < 0.7 else not truth
            told = check_qrp(formula, parse_qrp(text(small, damaged, claimed)), generalised=True)
            assert not isinstance(told, QrpProved) or told.true is truth, (small.clauses, damaged)
            refused += not isinstance(told, QrpProved)
            if not isinstance(told, QrpProved):
                with pytest.raises((InputError, UndecidedError)):
                    extract(formula, parse_qrp(text(small, damaged, claimed)), generalised=NEVER)
    assert general > 100
    assert refused > 100


def test_the_command_checks_them_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    formula = parse_qdimacs("p cnf 3 4\ne 1 0\na 2 0\ne 3 0\n1 2 3 0\n1 2 -3 0\n-1 3 0\n-1 -3 0\n")
    Path("f.qdimacs").write_text(qbf_to_qdimacs(formula))
    prefix = "p qrp 3 3\ne 1 0\na 2 0\ne 3 0\n"
    # A solver was asked for 1 false, and for 1 true, and learned from its answers.
    Path("f.qrp").write_text(f"{prefix}1 1 0 0\n2 -1 0 0\n3 0 1 2 0\nr UNSAT\n")
    words = ["validate", "f.qdimacs", "--trace", "f.qrp"]
    assert run_qsage(words) == Exit.REFUTED
    assert "step 1 (line 5) has no antecedents" in capsys.readouterr().out
    general = [*words, "--axioms", "general"]
    assert run_qsage(general) == Exit.FINE
    told = " ".join(capsys.readouterr().out.split())
    assert "3 clauses prove the formula false, 2 of them axioms that were decided here" in told
    # Nothing says that an assignment to 3 alone is a solver's: 2 is left of it.
    Path("f.qrp").write_text(f"{prefix}1 3 0 0\n2 0 1 0\nr UNSAT\n")
    assert run_qsage(general) == Exit.UNDECIDED
    told = " ".join(capsys.readouterr().out.split())
    assert "step 1 (line 5) may be an axiom: its assignment leaves out 2" in told
    Path("f.qdimacs").write_text("p cnf 3 1\ne 1 0\na 2 0\ne 3 0\n1 3 0\n")
    Path("f.qrp").write_text(f"{prefix}1 1 0 0\n2 0 1 0\nr UNSAT\n")
    assert run_qsage(general) == Exit.UNDECIDED
    told = " ".join(capsys.readouterr().out.split())
    assert "step 1 (line 5) is no axiom that is known: the formula is true under its" in told


def test_what_follows_by_propagation_may_have_others_to_its_left() -> None:
    """3 follows from 1 whatever 2 is: an assignment that leaves 2 out is a solver's."""
    lines = "p cnf 4 4\ne 1 0\na 2 0\ne 3 0\na 4 0\n-1 3 4 0\n-1 -3 2 0\n-1 -3 -2 4 0\n1 2 0\n"
    bits = PrefixBits(as_form(parse_qdimacs(lines)))
    axioms = GeneralisedAxioms(bits, cubes=False)
    assert axioms.check(bits.literals((-1, -3)), NEVER) is None


def test_a_cube_under_which_the_formula_is_false_is_none() -> None:
    bits = PrefixBits(as_form(parse_qdimacs("p cnf 2 2\na 1 0\ne 2 0\n1 2 0\n1 -2 0\n")))
    axioms = GeneralisedAxioms(bits, cubes=True)
    assert (
        axioms.check((0, 0b01), NEVER) == "is no axiom that is known: the formula is false under it"
    )
    assert (
        axioms.check((0b10, 0b01), NEVER)
        == "is no axiom that is known: the formula is false under it"
    )


def test_a_literal_that_the_rules_drop_may_be_wrong() -> None:
    """So are cubes under blocked clause elimination: 2 must differ from 1, and the cube says 2."""
    bits = PrefixBits(as_form(parse_qdimacs("p cnf 2 2\na 1 0\ne 2 0\n1 2 0\n-1 -2 0\n")))
    assert GeneralisedAxioms(bits, cubes=True).check((0b10, 0), NEVER) is None


def test_depqbf_need_not_be_crippled(tmp_path: Path) -> None:
    """Its traces with Nenofex and SAT calls are proofs, and give functions."""
    require_solvers()
    program = get_backend("depqbf").program().path
    rng = Random(7)
    general = 0
    for k in range(24):
        formula = parse_qdimacs(random_dense_qdimacs(rng))
        file = tmp_path / f"{k}.qdimacs"
        file.write_text(qbf_to_qdimacs(formula))
        words = [program, "--dep-man=simple", "--no-lazy-qpup", "--no-qbce-dynamic"]
        words += ["--trace=qrp", str(file)]
        done = subprocess.run(words, capture_output=True, check=False)
        trace = parse_qrp(done.stdout)
        result = check_qrp(formula, trace, generalised=True)
        assert isinstance(result, QrpProved), (k, result)
        certificate = extract(formula, trace, generalised=NEVER)
        assert isinstance(check(formula, certificate), CertificateProved), k
        general += result.generalised > 0
    assert general > 5


def test_functions_of_a_trace_by_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    prefix = "p qrp 3 3\ne 1 0\na 2 0\ne 3 0\n"
    Path("f.qdimacs").write_text("p cnf 3 3\ne 1 0\na 2 0\ne 3 0\n-1 2 3 0\n-1 2 -3 0\n1 2 0\n")
    Path("f.qrp").write_text(f"{prefix}1 1 0 0\n2 -1 0 0\n3 0 1 2 0\nr UNSAT\n")
    words = ["certify", "f.qdimacs", "--trace", "f.qrp", "-o", "f.aag"]
    assert run_qsage(words) == Exit.FINE
    assert "by the trace f.qrp" in capsys.readouterr().err
    assert run_qsage(["validate", "f.qdimacs", "f.aag", "--level", "formula"]) == Exit.FINE
    assert run_qsage([*words, "--solver", "depqbf"]) == Exit.BAD_INPUT
    assert "found --trace with" in capsys.readouterr().err
    Path("f.qdimacs").write_text("p cnf 3 1\ne 1 0\na 2 0\ne 3 0\n1 3 0\n")
    Path("f.aag").unlink()
    assert run_qsage(words) == Exit.UNDECIDED
    assert "the initial clause 1 is no axiom that is known" in capsys.readouterr().err
    assert not Path("f.aag").exists()
