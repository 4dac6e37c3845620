"""GDL: what is read, printed, and refused in one line with its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from qsage_validate.errors import InputError
from qsage_validate.extensions.gdl.model import (
    Atom,
    Description,
    Distinct,
    Formula,
    GdlAnd,
    GdlNot,
    GdlOr,
    GdlRule,
    Ground,
    Term,
    Variable,
    check_description,
    term_order,
)
from qsage_validate.extensions.gdl.parser import (
    parse_description,
    parse_ground,
    read_description,
    split_by_constants,
    unfolded,
)
from qsage_validate.formats.source import Format, sniff_bytes

VALID = """; a game of one move
(role a) (ROLE b)
(init start)
(<= (legal ?r go) (role ?r))
(<= (next done) (does a go))
(<= terminal (true done))
(<= (goal ?r 100) (role ?r) (True done))
(<= (goal ?r 0) (role ?r) (not (true done)))
"""

words = st.sampled_from(["a", "b", "cell", "1", "22", "Box_x", "x"])
names = st.sampled_from(["p", "q", "r_2"])
terms: st.SearchStrategy[Term] = st.recursive(
    words | words.map(Variable),
    lambda inner: st.lists(inner, min_size=1, max_size=3).flatmap(
        lambda parts: words.map(lambda functor: (functor, *parts))
    ),
    max_leaves=4,
)
atoms = st.builds(Atom, names, st.lists(terms, max_size=3).map(tuple))
formulas: st.SearchStrategy[Formula] = st.recursive(
    atoms | st.builds(Distinct, terms, terms),
    lambda inner: (
        st.builds(GdlNot, inner)
        | st.builds(GdlAnd, st.lists(inner, min_size=1, max_size=3).map(tuple))
        | st.builds(GdlOr, st.lists(inner, min_size=1, max_size=3).map(tuple))
    ),
    max_leaves=5,
)
rules = st.builds(GdlRule, atoms, st.lists(formulas, max_size=4).map(tuple))


@given(st.lists(rules, min_size=1, max_size=5))
@example([GdlRule(Atom("p", ("a",)), (GdlNot(Atom("p", ("b",))),))])  # reading splits it
def test_what_is_printed_parses_back(parts: list[GdlRule]) -> None:
    description = Description(tuple(parts))
    expected = split_by_constants(unfolded(description))
    assert parse_description(description.text()) == expected
    if expected.rules:  # a relation that is unfolded and never called leaves nothing
        assert parse_description(expected.text()) == expected


def test_names_keep_their_first_spelling_and_keywords_are_small() -> None:
    description = parse_description(
        "(Role xPlayer)\n(<= (NEXT (cellEmpty ?X)) (True (CELLEMPTY ?x)))"
    )
    assert str(description.rules[0]) == "(role xPlayer)"
    assert str(description.rules[1]) == "(<= (next (cellEmpty ?X)) (true (cellEmpty ?X)))"


def test_atoms_without_arguments_may_have_parentheses() -> None:
    assert parse_description("(<= (terminal) (open))") == parse_description("(<= terminal open)")


def test_nested_or_becomes_clauses() -> None:
    text = "(<= p (or (and q (or r s)) (not (and t (distinct ?x ?y)))) (u ?x ?y))"
    clauses = parse_description(text).clauses
    assert [" ".join(map(str, clause.body)) for clause in clauses] == [
        "q r (u ?x ?y)",
        "q s (u ?x ?y)",
        "(not t) (u ?x ?y)",
        "(not (distinct ?x ?y)) (u ?x ?y)",
    ]


def test_a_rule_that_stands_for_too_many_clauses_is_refused() -> None:
    many = "(<= p " + "(or a b) " * 13 + ")"
    with pytest.raises(InputError, match=r"^g:2:1: found a rule that stands for more than 4,096"):
        assert parse_description("(role a)\n" + many, "g").clauses


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "g:1:1: found an empty file, expected a game description"),
        ("; only this", "g:1:12: found the end of the file, expected a game description"),
        ("(role a)\n (<= p (q)\n(role b)\n", "g:2:2: found '\\(' that is not closed by .* line 3"),
        ("(role a))", "g:1:9: found '\\)' without a '\\(' before it"),
        ("(role a b)", "g:1:1: found 'role' with 2, expected 1 argument"),
        ("(<= terminal (not p q))", "g:1:21: found 'q', expected '\\)': '\\(not ...\\)' has 1"),
        ("(<= terminal (distinct a))", "g:1:25: found '\\)', expected two terms"),
        ("(<= p (or))", "g:1:10: found '\\)', expected a condition"),
        ("(<=)", "g:1:4: found '\\)', expected the head of the rule"),
        ("(<= (not p) q)", "g:1:5: found '\\(not ...\\)', expected a fact or the head"),
        ("(p ())", "g:1:5: found '\\)', expected a function's name"),
        ("(p ((f) a))", "g:1:5: found '\\(f ...\\)', expected a function's name"),
        ("(?p a)", "g:1:2: found '\\?p', expected a relation"),
        ("(p ?)", "g:1:4: found '\\?', expected a variable's name"),
        ("(<= (sees a b) p)", "g:1:5: found 'sees', expected a game of perfect information"),
        ("(" * 200, "g:1:151: found more than 150 nested parentheses"),
    ],
)
def test_errors_have_a_place(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_description(text, "g")


def test_the_little_game_is_valid() -> None:
    check_description(parse_description(VALID))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(<= p (not q))\n(<= q p)", "9:1: found p that depends on its own negation through"),
        ("(<= (next ?x) (does a go))", r"9:1: found \?x in the head \(next \?x\)"),
        ("(p ?x)", r"9:1: found \?x in the head \(p \?x\)"),
        (
            "(<= p (role ?y)\n (not (q ?x)))",
            r"10:7: found \?x in \(not \(q \?x\)\) \(rule for p, line 9\)",
        ),
        ("(<= p (distinct ?x a))", r"9:7: found \?x in \(distinct \?x a\)"),
        ("(<= (role c) p)", "9:1: found a rule for role"),
        ("(<= (true p) q)", "9:5: found true in a head"),
        ("(<= p (next q))", "9:7: found next in a body"),
        ("(<= p (init q))", "9:7: found init in a body"),
        ("(<= (init p) (true q))", r"9:1: found init that depends on true \(init <- true\)"),
        (
            "(<= terminal p)\n(<= p (does a go))",
            r"9:1: found terminal that depends on does \(terminal <- p <- does\)",
        ),
        ("(<= (p (f ?x)) (p ?x))", r"9:1: found the recursion through \(p \?x\) with '\?x'"),
        ("(legal c go)", "9:1: found the role 'c' in .* expected one of the roles a, b"),
        ("(goal a 101)", "9:1: found the goal value '101', expected a number from 0 to 100"),
    ],
)
def test_what_is_not_valid_is_named_with_its_rule(text: str, message: str) -> None:
    with pytest.raises(InputError, match=f"^g:{message}"):
        check_description(parse_description(VALID + text, "g"))


@pytest.mark.parametrize("relation", ["role", "legal", "goal", "terminal"])
def test_what_is_missing_is_named(relation: str) -> None:
    rules = parse_description(VALID, "g").rules
    kept = [str(rule) for rule in rules if rule.head.relation != relation]
    with pytest.raises(InputError, match=f"expected a rule or fact for {relation}$"):
        check_description(parse_description("\n".join(kept), "g"))


def test_recursion_over_a_finite_relation_is_valid() -> None:
    text = "(succ 1 2)(<= (gt ?h ?l) (succ ?m ?h) (gt ?m ?l))(<= (gt ?h ?l) (succ ?l ?h))"
    check_description(parse_description(VALID + text))


@pytest.mark.parametrize("text", ["(mark 1 (at 2 b))", "noop"])
def test_ground_terms_parse_back(text: str) -> None:
    term = parse_ground(text)
    assert str(Atom("p", (term,))) == f"(p {text})"


@pytest.mark.parametrize("text", ["", "?x", "(mark ?x)", "a b", "("])
def test_what_is_no_ground_term_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_ground(text)


def test_numbers_are_ordered_by_value() -> None:
    terms: list[Ground] = ["b", "10", "9", ("f", "1")]
    assert sorted(terms, key=term_order) == ["9", "10", "b", ("f", "1")]


def test_very_long_numbers_are_words() -> None:
    assert sorted(["9" * 5000, "10"], key=term_order) == ["10", "9" * 5000]


def test_descriptions_are_told_by_their_content() -> None:
    assert sniff_bytes(VALID.encode()) is Format.GDL
    assert sniff_bytes(b"\n;; c\n(index 1)\n( ROLE a)\n") is Format.GDL
    assert sniff_bytes(b"(define (domain d) (:init a))") is Format.UNKNOWN
    assert sniff_bytes(b"(set-logic QF_LIA)\n(assert (<= a b))") is Format.UNKNOWN


def test_the_files_of_other_tools_are_valid_and_round_trip(shared_data: Path) -> None:
    files = sorted((shared_data / "gdl").rglob("*.gdl"))
    assert len(files) >= 26
    for file in files:
        description = read_description(file)
        check_description(description)
        assert parse_description(description.text()) == description, file.name
        assert sniff_bytes(file.read_bytes()) is Format.GDL
