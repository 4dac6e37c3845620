"""Comparisons of small random formulas against a judge that tries all strategies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from random import Random

import pytest

from qsage_validate.certificates.by_expansion import expand
from qsage_validate.certificates.check import CertificateProved, check
from qsage_validate.certificates.rest import evaluate
from qsage_validate.certificates.routes import RouteOptions
from qsage_validate.circuit.aig import AigBuilder
from qsage_validate.circuit.qbf import Qbf, Scope
from qsage_validate.comparing.exact import Loses, Shared, Transfer, Wins
from qsage_validate.comparing.plays import transfer
from qsage_validate.kernel.certificate import CircuitCertificate, Dialect
from tests.support.random_qbf import random_qbf, truth

Row = tuple[bool, ...]


def test_outcomes_are_those_of_all_strategies() -> None:
    rng = Random(15)
    seen = {"wins": 0, "loses": 0, "peeks": 0, "unshared": 0, "rest": 0}
    while min(seen.values()) < 25:
        first, second = random_qbf(rng, most=5), random_qbf(rng, most=5)
        certificate = _some_strategy(rng, first)
        shared = _sharing(rng, first, second)
        judge = _Judge(certificate, second, shared)
        if not judge.decided or judge.bits > 12:
            continue
        found = transfer(certificate, second, shared, RouteOptions())
        if judge.peeks:
            seen["peeks"] += 1
            assert isinstance(found, Loses)
            assert "chosen later" in found.why
            continue
        wins = judge.wins()
        assert isinstance(found, Wins if wins else Loses), (first, second, shared, found)
        seen["wins" if wins else "loses"] += 1
        seen["unshared"] += bool(judge.unshared)
        seen["rest"] += bool(judge.rest)
        judge.check(found)


@pytest.mark.parametrize("seed", range(4))
def test_given_functions_are_kept_by_expansion(seed: int) -> None:
    """Some functions of a strategy that wins or not, and what is left decided by expansion."""
    rng = Random(seed)
    for _ in range(60):
        formula = random_qbf(rng, most=7)
        whole = _some_strategy(rng, formula)
        kept = {v: f for v, f in whole.functions.items() if rng.random() < 0.6}
        part = CircuitCertificate(whole.kind, whole.aig, whole.inputs, kept, Dialect.CAQE)
        found = expand(formula, part)
        # The whole is one way to complete its part.
        if isinstance(check(formula, whole), CertificateProved):
            assert found.kind is whole.kind
        if found.kind is whole.kind:
            assert isinstance(check(formula, found), CertificateProved)
            for values in _rows(whole.inputs):
                assert evaluate(found, values).items() >= evaluate(part, values).items()


def _rows(variables: Sequence[int]) -> Iterator[dict[int, bool]]:
    for row in product((False, True), repeat=len(variables)):
        yield dict(zip(variables, row, strict=True))


def _some_strategy(rng: Random, formula: Qbf) -> CircuitCertificate:
    """A certificate, or by chance functions that win nothing: transfer does not ask."""
    proved = expand(formula)
    if rng.random() < 0.4:
        return proved
    builder = AigBuilder(len(proved.inputs))
    left = formula.levels()
    functions: dict[int, int] = {}
    for variable in proved.functions:
        pool = [0, 1]
        for k, x in enumerate(proved.inputs):
            if left[x] < left[variable]:
                pool += [builder.inputs[k], builder.inputs[k] ^ 1]
        a, b = rng.choice(pool), rng.choice(pool)
        functions[variable] = rng.choice((builder.and_, builder.xor, builder.or_))(a, b)
    aig, moved = builder.build(list(functions.values()))
    decided = dict(zip(functions, moved, strict=True))
    return CircuitCertificate(proved.kind, aig, proved.inputs, decided, Dialect.CAQE)


def _sharing(rng: Random, first: Qbf, second: Qbf) -> Shared:
    """Some variables of the second formula, each with one of the same player's in the first."""
    own = first.quantifiers()
    left = rng.sample(list(own), len(own))
    pairs: dict[int, int] = {}
    for variable, quantifier in second.quantifiers().items():
        same = [v for v in left if own[v] is quantifier]
        if same and rng.random() < 0.8:
            pairs[variable] = same[0]
            left.remove(same[0])
    return Shared(pairs, "by chance")


class _Judge:
    """The definition: is there a strategy of the second formula that plays these functions?"""

    def __init__(self, certificate: CircuitCertificate, second: Qbf, shared: Shared) -> None:
        self.certificate, self.second = certificate, second
        self.kind = certificate.kind
        quantifiers = second.quantifiers()
        self.own = [v for v in quantifiers if quantifiers[v] is self.kind.decides]
        self.opponent = [v for v in quantifiers if quantifiers[v] is self.kind.decides.dual]
        self.first_of = shared.first_of
        self.decided = [v for v in self.own if v in shared.first_of]
        self.rest = [v for v in self.own if v not in shared.first_of]
        second_of = {w: v for v, w in shared.first_of.items()}
        self.levels = second.levels()
        self.peeks = False
        self.unshared: list[int] = []
        for x in certificate.inputs:
            readers = [v for v in self.decided if self._depends(v, x)]
            if readers and x not in second_of:
                self.unshared.append(x)
            elif x in second_of:
                self.peeks |= any(self.levels[second_of[x]] > self.levels[v] for v in readers)
        self.second_of = second_of

    @property
    def bits(self) -> int:
        """The size of the tables of the functions of the rest."""
        return sum(1 << len(self._left_of(v)) for v in self.rest)

    def _left_of(self, variable: int) -> list[int]:
        return [x for x in self.opponent if self.levels[x] < self.levels[variable]]

    def _depends(self, variable: int, x: int) -> bool:
        name = self.first_of[variable]
        return any(
            evaluate(self.certificate, values)[name]
            != evaluate(self.certificate, {**values, x: not values[x]})[name]
            for values in _rows(self.certificate.inputs)
            if name in self.certificate.functions
        )

    def played(self, choice: Mapping[int, bool], hidden: Mapping[int, bool]) -> dict[int, bool]:
        """What the functions make of the opponent's variables of the second formula."""
        read = {
            x: choice[self.second_of[x]] if x in self.second_of else hidden.get(x, False)
            for x in self.certificate.inputs
        }
        values = evaluate(self.certificate, read)
        return {v: values.get(self.first_of[v], False) for v in self.decided}

    def wins(self) -> bool:
        """Whether for each value of what is not shared some functions of the rest win."""
        return all(self._some_rest_wins(hidden) for hidden in _rows(self.unshared))

    def _some_rest_wins(self, hidden: Mapping[int, bool]) -> bool:
        places = [
            (v, row)
            for v in self.rest
            for row in product((False, True), repeat=len(self._left_of(v)))
        ]
        return any(
            self._wins(dict(zip(places, bits, strict=True)), hidden)
            for bits in product((False, True), repeat=len(places))
        )

    def _wins(self, tables: Mapping[tuple[int, Row], bool], hidden: Mapping[int, bool]) -> bool:
        for choice in _rows(self.opponent):
            rest = {v: tables[v, tuple(choice[x] for x in self._left_of(v))] for v in self.rest}
            if not self.holds({**choice, **self.played(choice, hidden), **rest}):
                return False
        return True

    def holds(self, values: Mapping[int, bool]) -> bool:
        """Whether the matrix has the value that the strategy's player wants."""
        return _value(self.second, values) is self.kind.truth

    def check(self, found: Transfer) -> None:
        """What is handed out is what it says."""
        if isinstance(found, Wins):
            block = [v for v in found.certificate.inputs if v not in self.levels]
            scopes = (Scope(self.kind.decides.dual, tuple(block)), *self.second.scopes)
            formula = Qbf(scopes, self.second.gates, self.second.output)
            assert isinstance(check(formula, found.certificate), CertificateProved)
            # Variables that are not shared are numbered anew, in the order of the inputs.
            for hidden, choice in product(_rows(self.unshared), _rows(self.opponent)):
                renamed = dict(zip(block, hidden.values(), strict=True))
                values = evaluate(found.certificate, {**choice, **renamed})
                assert values.items() >= self.played(choice, hidden).items()
            return
        assert isinstance(found, Loses)
        choice = {v: found.values[v] for v in self.opponent}
        lost = [
            self.played(choice, hidden)
            for hidden in _rows(self.unshared)
            if all(found.values[v] is x for v, x in self.played(choice, hidden).items())
        ]
        assert lost, "the play is one of the strategy's"
        outcomes = {self.holds({**choice, **lost[0], **rest}) for rest in _rows(self.rest)}
        if "against some choice" in found.why:
            assert outcomes == {True, False}
            assert not self.holds({**choice, **lost[0], **dict.fromkeys(self.rest, False)})
        else:
            assert outcomes == {False}


def _value(formula: Qbf, values: Mapping[int, bool]) -> bool:
    """The matrix under values of all its variables."""
    output = formula.add_to(AigBuilder(), {v: int(value) for v, value in values.items()})
    assert output in (0, 1)
    return bool(output)


def test_the_judge_knows_the_truth() -> None:
    """Without shared variables of its own, a player wins where the formula has the value."""
    rng = Random(2)
    for _ in range(60):
        formula = random_qbf(rng, most=4)
        certificate = expand(formula)
        judge = _Judge(certificate, formula, Shared({}, "nothing"))
        if judge.bits <= 10:
            assert judge.wins() is (truth(formula) is certificate.kind.truth)
