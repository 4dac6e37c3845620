"""Quantified logic programs: their truth is Definition 3's, asked of clingo directly."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from pysat.solvers import Solver

from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.errors import InputError, UndecidedError
from qsage_validate.extensions.gdl.qasp import parse_qasp, read_qasp
from qsage_validate.formats.source import Format, Source, sniff_bytes
from qsage_validate.system.limits import memory_within

clingo = pytest.importorskip("clingo", reason="grounding needs clingo")

EXAMPLE = """{a; b; c}.
:- b, not c, a.   :- not b, c, a.
:- b, c, not a.   :- b, not c, not a.
_exists(1, a).  _forall(2, b).  _exists(3, c).
"""


def true(formula: Qbf) -> bool:
    """The value of a small formula: all assignments but for the last scope, then SAT."""
    scopes = list(formula.merged_scopes())
    inner = scopes[-1].quantifier is Quantifier.EXISTS
    outer = scopes[:-1] if inner else scopes
    order = [(v, s.quantifier) for s in outer for v in s.variables]
    with Solver(bootstrap_with=[*formula.clauses(), [formula.output]]) as solver:

        def holds(fixed: list[int]) -> bool:
            if len(fixed) == len(order):
                return bool(solver.solve(assumptions=fixed))
            variable, quantifier = order[len(fixed)]
            ways = (holds([*fixed, x]) for x in (variable, -variable))
            return any(ways) if quantifier is Quantifier.EXISTS else all(ways)

        return holds([])


def satisfiable(program: str, prefix: Sequence[tuple[str, str]]) -> bool:
    """Definition 3: the models of the program that agree with what is fixed so far."""
    control = clingo.Control(["0"], message_limit=0)
    control.add("base", [], program)
    control.ground([("base", [])])
    with control.solve(yield_=True) as models:
        found = {frozenset(map(str, model.symbols(atoms=True))) for model in models}

    def holds(place: int, left: set[frozenset[str]]) -> bool:
        if place == len(prefix):
            return bool(left)
        quantifier, atom = prefix[place]
        ways = ({m for m in left if (atom in m) is value} for value in (False, True))
        wins = [holds(place + 1, way) for way in ways]
        return any(wins) if quantifier == "exists" else all(wins)

    return holds(0, found)


def random_program(rng: random.Random) -> tuple[str, list[tuple[str, str]]]:
    """Loops through negation, positive loops, choices, sums and constraints over six atoms."""
    atoms = [f"p({k})" for k in range(6)]

    def body(most: int) -> str:
        chosen = rng.sample(atoms, rng.randint(0, most))
        return ", ".join(rng.choice(("", "", "not ")) + atom for atom in chosen)

    rules = []
    for _ in range(rng.randint(3, 9)):
        kind, head = rng.random(), rng.choice(atoms)
        if kind < 0.5:
            rules.append(f"{head} :- {body(2)}.".replace(" :- .", "."))
        elif kind < 0.75:
            heads = "; ".join(rng.sample(atoms, 3))
            low, high = rng.choice((("", ""), ("1 ", ""), ("", " 2"), ("1 ", " 1")))
            rules.append(f"{low}{{{heads}}}{high} :- {body(1)}.".replace(" :- .", "."))
        elif kind < 0.85:
            rules.append(f":- {body(3) or 'not ' + head}.")
        else:
            sums = "; ".join(f"{rng.randint(1, 3)},{a}: {a}" for a in rng.sample(atoms, 2))
            rules.append(f"q :- #sum {{{sums}}} >= {rng.randint(1, 4)}.")
    quantified = sorted(rng.sample(atoms, rng.randint(1, 4)))
    prefix, facts, level = [], [], 0
    for atom in quantified:
        level += rng.randrange(1 if level else 0, 3)
        level = max(level, 1)
        quantifier = "exists" if level % 2 else "forall"
        prefix.append((quantifier, atom))
        facts.append(f"_{quantifier}({level},{atom}).")
    return "\n".join([*rules, *facts]), prefix


def test_truth_of_random_programs_is_the_definitions() -> None:
    results = []
    for seed in range(400):
        text, prefix = random_program(random.Random(seed))
        results.append(satisfiable(text, prefix))
        assert true(parse_qasp(Source(text))) is results[-1], text
    assert 40 < sum(results) < 360


def test_positive_loops_support_nothing() -> None:
    # Each atom of the loop would be true by the others alone.
    loop = "a(X) :- a(Y), Y = X \\ 5 + 1, X = 1..5. {c}. a(3) :- c. _exists(1, a(2)). "
    assert true(parse_qasp(Source(loop + ":- not a(2).")))
    assert not true(parse_qasp(Source(loop + ":- not a(2). :- c.")))
    assert true(parse_qasp(Source(loop + ":- a(2).")))


def test_programs_of_the_translator_are_read() -> None:
    assert true(parse_qasp(Source(EXAMPLE)))
    assert not true(parse_qasp(Source(EXAMPLE.replace("_exists(1, a)", "_forall(4, a)"))))
    formula = parse_qasp(Source(EXAMPLE))
    assert [formula.name(s.variables[0]) for s in formula.scopes] == ["a", "b", "c"]


def test_atoms_that_are_nowhere_are_false() -> None:
    assert true(parse_qasp(Source("{a}. _exists(1,b). _forall(2,a).")))
    assert not true(parse_qasp(Source("{a}. _forall(2,b). _exists(1,a).")))


def test_what_is_hidden_is_quantified_all_the_same() -> None:
    assert true(parse_qasp(Source(EXAMPLE + "#show.")))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a.\nb(X :- a.", "game.lp:2:5: found syntax error, unexpected :-, expecting ) or ;"),
        ("q(X) :- not p(X).", "game.lp:1:1: found unsafe variables in q(X):-not p(X)"),
        ("a.", "game.lp: found no quantified atom, expected facts _exists"),
        ("{a}. _exists(2,a).", "found the level 2 in _exists(2,a), expected an odd level"),
        ("{a}. _forall(x,a).", "found the level 'x'"),
        ("{a}. _exists(1,a). _forall(2,a).", "found a at the levels 1 and 2"),
        ("{a}. _exists(1,a) :- a.", "which is no fact"),
        ("{a}. _exists(1,3).", "found '3' in"),
        ("a; b. _exists(1,a).", "found a disjunction in a head"),
        ("{a}. #minimize{1: a}. _exists(1,a).", "found #minimize"),
        ("{b}. a :- 2 #sum {1,a: a; 1,b: b; 1,c: c}. {c}. _exists(1,a).", "found a sum over atoms"),
    ],
)
def test_bad_programs_are_refused_in_a_line(text: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        parse_qasp(Source(text, "game.lp"))
    assert "\n" not in str(caught.value)


def test_a_grounding_that_does_not_end_is_given_up() -> None:
    with (
        memory_within(5),
        pytest.raises(UndecidedError, match="fits into 5 MB"),
    ):
        parse_qasp(Source("n(0). n(X+1) :- n(X). {a}. _exists(1,a)."))


def test_files_are_told_by_their_prefix(tmp_path: Path) -> None:
    assert sniff_bytes(EXAMPLE.encode()) is Format.QASP
    file = tmp_path / "example.lp"
    file.write_text(EXAMPLE)
    assert read_qasp(file).path == str(file)
