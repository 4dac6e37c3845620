"""Claims are asked for in the order of the plies, and one that holds does not hide another."""

from __future__ import annotations

from qsage_validate.circuit.aig import AigBuilder
from qsage_validate.kernel.claims import Claim, first_failure
from qsage_validate.kernel.player import FindingKind


def claim(ply: int, wrong: int) -> Claim:
    return Claim(FindingKind.END_DIFFERS, ply, wrong, "")


def test_of_several_claims_that_fail_the_first_ply_is_found() -> None:
    builder = AigBuilder()
    a, b, c = (builder.input() for _ in range(3))
    late, early, latest = claim(2, a), claim(1, b), claim(3, c)
    found = first_failure(builder, [late, early, latest])
    assert found is not None
    assert found.claim is early
    assert found.inputs[2]
    later = first_failure(builder, [latest, late], [b])
    assert later is not None
    assert later.claim is late
    assert later.inputs[1]
    assert later.inputs[2]


def test_a_claim_that_holds_leaves_the_later_ones_as_they_are() -> None:
    builder = AigBuilder()
    a, b = builder.input(), builder.input()
    holds, fails = claim(1, builder.and_(a, b)), claim(2, b)
    assumed = [builder.and_(a, b) ^ 1]
    assert first_failure(builder, [holds], assumed) is None
    found = first_failure(builder, [holds, fails], assumed)
    assert found is not None
    assert found.claim is fails
    assert dict(found.inputs) == {1: False, 2: True}
