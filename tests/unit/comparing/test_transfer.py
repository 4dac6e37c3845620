"""Transfer over variables against the truth of the residual formula, by definition."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from qsage_validate.certificates.by_expansion import expand
from qsage_validate.certificates.check import CertificateProved, check
from qsage_validate.certificates.parts import left_by
from qsage_validate.certificates.rest import evaluate
from qsage_validate.certificates.routes import RouteOptions
from qsage_validate.circuit.qbf import Scope
from qsage_validate.comparing.exact import Loses, Shared, Wins
from qsage_validate.comparing.plays import transfer
from qsage_validate.kernel.certificate import wrong_dependencies
from tests.support.random_qbf import random_qbf, truth

EXPANSION = RouteOptions(route="expansion")


def test_random_strategies_win_where_the_residual_formula_says_so() -> None:
    rng = Random(4)
    wins = loses = peeks = 0
    while wins < 25 or loses < 25 or peeks < 10:
        first = random_qbf(rng, most=6)
        second = random_qbf(rng, most=6)
        certificate = expand(first)
        own, other = first.quantifiers(), second.quantifiers()
        shared = Shared({v: v for v in other if own.get(v) is other[v]}, "equal numbers")
        decided = [v for v in shared.first_of if other[v] is certificate.kind.decides]
        if not decided:
            continue
        found = transfer(certificate, second, shared, EXPANSION)
        if isinstance(found, Wins):
            wins += 1
            # What is handed out is a certificate, also of the formula without the extra block.
            assert truth(second) is certificate.kind.truth or found.certificate.inputs
            part = {v: f for v, f in found.certificate.functions.items() if v in decided}
            kept = replace(found.certificate, functions=part)
        else:
            assert isinstance(found, Loses)
            if "chosen later" in found.why:
                peeks += 1
                continue
            loses += 1
            assert found.certificate is not None
            kept = found.certificate
        # The functions are those of the first certificate, and decide as the outcome says.
        known = second.quantifiers()
        unshared = tuple(v for v in kept.inputs if v not in known)
        block = Scope(certificate.kind.decides.dual, unshared)
        formula = replace(second, scopes=(block, *second.scopes))
        assert not wrong_dependencies(kept, formula)
        left = left_by(formula, kept)
        assert (truth(left) is certificate.kind.truth) is isinstance(found, Wins)
        for _ in range(4):
            values = {v: rng.random() < 0.5 for v in kept.inputs}
            if not unshared:
                expected = evaluate(certificate, values)
                assert {v: expected.get(v, False) for v in decided} == evaluate(kept, values)
        if isinstance(found, Wins):
            assert isinstance(check(formula, found.certificate), CertificateProved)
