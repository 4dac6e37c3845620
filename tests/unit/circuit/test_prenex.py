"""Quantifier gates: the prenex form means what the file means."""

from __future__ import annotations

from random import Random

import pytest

from qsage_validate.circuit import rewriting
from qsage_validate.circuit.qbf import PrenexOrder, Qbf, Quantifier
from qsage_validate.errors import InputError
from qsage_validate.formats.qcir import parse_qcir
from qsage_validate.formats.writing import qcir_text
from tests.support.nested_truth import nested_truth, random_nested_qcir
from tests.support.random_qbf import truth

E, A = Quantifier.EXISTS, Quantifier.FORALL
UP, DOWN = PrenexOrder.UP, PrenexOrder.DOWN


def prefix(qbf: Qbf) -> list[tuple[Quantifier, tuple[str, ...]]]:
    return [(s.quantifier, tuple(map(qbf.name, s.variables))) for s in qbf.merged_scopes()]


def test_random_formulas_keep_their_truth() -> None:
    rng = Random(15)
    found = {True: 0, False: 0}
    copied = compared = differing = 0
    while compared < 500:
        text = random_nested_qcir(rng)
        forms = {order: parse_qcir(text, order=order) for order in (None, UP, DOWN)}
        if any(form.num_variables > 14 for form in forms.values()):
            continue
        compared += 1
        expected = nested_truth(text)
        found[expected] += 1
        for order, form in forms.items():
            assert truth(form) == expected, (order, text)
            assert form.prenexed is not None
            assert form.prenexed.scopes[form.prenexed.order] == len(form.merged_scopes())
            assert form.prenexed.order is order or order is None
            # What is written is prenex, and the same.
            written = parse_qcir(qcir_text(form))
            assert written.prenexed is None
            assert qcir_text(written) == qcir_text(form)
        best = forms[None].prenexed
        assert best is not None
        assert best.scopes[best.order] == min(best.scopes.values())
        copied += bool(best.copies)
        differing += forms[UP].scopes != forms[DOWN].scopes
    # None of what is asked for is rare.
    assert min(found.values()) > 100
    assert copied > 100
    assert differing > 13


def test_the_two_orders() -> None:
    text = (
        "#QCIR-G14\nexists(a)\noutput(o)\n"
        "p = or(u, x, a)\nq = exists(x; p)\nr = forall(u; q)\n"
        "s = or(y, a)\nt = exists(y; s)\no = and(r, t)\n"
    )
    assert prefix(parse_qcir(text, order=UP)) == [(E, ("a", "y")), (A, ("u",)), (E, ("x",))]
    assert prefix(parse_qcir(text, order=DOWN)) == [(E, ("a",)), (A, ("u",)), (E, ("x", "y"))]


@pytest.mark.parametrize("output", ["and(r, s)", "and(s, r)"])
def test_a_shared_gate_stands_inside_of_all_that_it_is_below(output: str) -> None:
    """Outside of 'u' the formula would mean the same; going out, it stays where it is nested."""
    text = (
        "#QCIR-G14\nexists(a)\noutput(o)\n"
        "p = or(x, a)\ng = exists(x; p)\n"
        "q = and(g, u)\nr = forall(u; q)\n"
        "t = and(g, y)\ns = exists(y; t)\n"
        f"o = {output}\n"
    )
    made = parse_qcir(text, order=UP)
    assert made.prenexed is not None
    assert made.prenexed.copies == 0
    assert prefix(made) == [(E, ("a", "y")), (A, ("u",)), (E, ("x",))]


def test_the_default_has_fewer_scopes() -> None:
    # Going in, 'forall v' stands beside 'forall u' only behind the whole of the other branch.
    text = (
        "#QCIR-G14\nforall(w)\noutput(o)\n"
        "a = and(u, x)\nb = exists(x; a)\nc = forall(u; b)\n"
        "d = or(v, w)\ne = forall(v; d)\no = or(c, e)\n"
    )
    made = parse_qcir(text).prenexed
    assert made is not None
    assert made.scopes == {UP: 2, DOWN: 2}
    assert made.order is UP


def test_a_quantifier_gate_in_one_polarity_is_shared() -> None:
    text = "#QCIR-G14\nforall(z)\noutput(o)\na = or(x, z)\ng = exists(x; a)\no = and(g, g, z)\n"
    made = parse_qcir(text)
    assert made.prenexed is not None
    assert made.prenexed.copies == 0
    assert prefix(made) == [(A, ("z",)), (E, ("x",))]


def test_negation_turns_a_quantifier_round() -> None:
    text = "#QCIR-G14\noutput(-g)\na = or(x, -y)\nh = forall(y; a)\ng = exists(x; -h)\n"
    assert prefix(parse_qcir(text)) == [(A, ("x", "y"))]


def test_below_xor_both_polarities_are_copied() -> None:
    text = "#QCIR-G14\nforall(z)\noutput(o)\na = and(x, z)\ng = exists(x; a)\no = xor(g, z)\n"
    made = parse_qcir(text)
    assert made.prenexed is not None
    assert made.prenexed.copies == 1
    assert {name for _, names in prefix(made) for name in names} == {"z", "x", "x_2"}
    assert truth(made) is nested_truth(text) is False


def test_a_formula_that_grows_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    # Every quantifier gate stands below an xor of the next one: copies double.
    lines = ["#QCIR-G14", "exists(z)", "output(g20)", "g0 = exists(x0; a0)"]
    lines.append(f"a0 = or(z, {', '.join(f'x{k}' for k in range(21))})")
    for k in range(1, 21):
        lines.append(f"a{k} = xor(g{k - 1}, x{k})")
        lines.append(f"g{k} = exists(x{k}; a{k})")
    monkeypatch.setattr(rewriting, "MAX_COPIES", 1000)
    with pytest.raises(InputError, match="copies have become more than") as error:
        parse_qcir("\n".join(lines), "deep.qcir")
    assert error.value.line is not None


def test_deep_formulas_need_no_stack() -> None:
    lines = ["#QCIR-G14", "forall(z)", "output(g5000)", "g0 = or(z, -z)"]
    for k in range(1, 5001):
        lines.append(f"a{k} = or(g{k - 1}, x{k})")
        lines.append(f"g{k} = {'forall' if k % 2 else 'exists'}(x{k}; a{k})")
    made = parse_qcir("\n".join(lines))
    assert len(made.merged_scopes()) == 5001
