"""What parts of certificates leave of a formula, and the functions that complete them."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from qsage_validate.certificates.by_expansion import expand
from qsage_validate.certificates.check import CertificateProved, check
from qsage_validate.certificates.parts import first_blocks, left_by
from qsage_validate.certificates.rest import Beaten, Completed, complete, evaluate
from qsage_validate.certificates.routes import RouteOptions
from qsage_validate.errors import UsageError
from qsage_validate.kernel.certificate import CertificateKind
from tests.support.random_parts import random_part, under
from tests.support.random_qbf import random_qbf, truth

EXPANSION = RouteOptions(route="expansion")


def test_a_part_is_completed_where_what_it_leaves_keeps_the_value() -> None:
    rng = Random(15)
    completed = beaten = 0
    while completed < 60 or beaten < 60:
        formula = random_qbf(rng, most=7)
        kind = rng.choice(list(CertificateKind))
        part = random_part(rng, formula, kind)
        open_ = [v for v in formula.variables(kind.decides) if v not in part.functions]
        keeps = under(formula, part) is kind.truth
        left = left_by(formula, part)
        assert truth(left) is under(formula, part)
        assert set(left.quantifiers()).isdisjoint(part.functions)
        if not open_:
            continue
        found = complete(formula, part, EXPANSION)
        if keeps:
            completed += 1
            assert isinstance(found, Completed)
            assert isinstance(check(formula, found.certificate), CertificateProved)
            for bits in product((False, True), repeat=len(part.inputs)):
                choice = dict(zip(part.inputs, bits, strict=True))
                assert evaluate(part, choice).items() <= evaluate(found.certificate, choice).items()
        else:
            beaten += 1
            assert isinstance(found, Beaten)
            values = {**dict.fromkeys(open_, False), **found.choice}
            values |= evaluate(part, found.choice)
            assert formula.truth(values) is not kind.truth


def test_a_whole_certificate_may_be_cut_anywhere() -> None:
    rng = Random(16)
    cuts = 0
    while cuts < 60:
        formula = random_qbf(rng, most=8)
        whole = expand(formula)
        own = [s for s in formula.merged_scopes() if s.quantifier is whole.kind.decides]
        for blocks in range(1, len(own)):
            cuts += 1
            part = first_blocks(whole, formula, blocks)
            kept = {v for scope in own[:blocks] for v in scope.variables}
            assert part.functions.keys() == whole.functions.keys() & kept
            assert isinstance(complete(formula, part, EXPANSION), Completed)
        with pytest.raises(UsageError, match=f"expected at most {len(own)}"):
            first_blocks(whole, formula, len(own) + 1)
