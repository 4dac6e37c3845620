"""Lies about small games: nothing false is called proved, and nothing true is refuted.

``tests/support/liars`` makes the files, changes them at random and knows the truth by brute force
that shares nothing with the product.  ``research/benchmarks/liars.py`` does the same 100,000 times
(``docs/explanation/liars.md``); set ``QSAGE_LIARS`` for more cases here.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from random import Random

import pytest

from research.benchmarks import liars as benchmark
from tests.support.liars.campaign import CLASSES, Counts, from_json, run, table, told
from tests.support.liars.claims import Claims
from tests.support.liars.described import Described
from tests.support.liars.formula import (
    Formula,
    UnreadableError,
    plain_truth,
    read_formula,
    solve,
    truth,
)
from tests.support.liars.functions import (
    Circuit,
    Judged,
    circuit_of,
    random_circuit,
    read_circuit,
)
from tests.support.liars.grid import read_grid
from tests.support.liars.law import ACCEPTED, REFUTED, UNDECIDED, Case, Verdict, judge
from tests.support.liars.product import Answer
from tests.support.liars.recipes import Game, encoded, model_lines, random_game
from tests.support.random_qbf import random_qcir, random_qdimacs

SEEDS = int(os.environ.get("QSAGE_LIARS", "30"))
"""Seeds of each class; refused files are asked about again, so that there are more cases."""

SHARD = 30

GATE = (
    "honest",
    "prefix",
    "matrix",
    "layout",
    "certificate",
    "clauses",
    "model",
    "encoding",
    "mixed",
    "stranger",
    "text",
    "trace",
    "formula",
    "meta",
    "commands",
    "assertions",
)
"""The classes of the gate."""

TABLE_LEVELS = ("dependencies", "formula", "random", "all", "rules")


@pytest.mark.parametrize("first", range(0, SEEDS, SHARD))
@pytest.mark.parametrize("name", GATE)
def test_no_lie_is_believed(name: str, first: int) -> None:
    if "gdl" in CLASSES[name].kinds:
        pytest.importorskip("clingo", reason="games in GDL need the extra 'gdl'")
    if name == "commands":
        pytest.importorskip("pyqbf", reason="the solvers of the extra 'solve' are not there")
    counts = run(name, range(first, min(first + SHARD, SEEDS)))
    assert [(s.name, s.seed, s.attempt, s.broken) for s in counts.slips] == []
    assert sum(counts.outcomes.values()) >= min(SHARD, SEEDS - first)


# --- The judges ----------------------------------------------------------------------------------


def _formulas(count: int) -> list[str]:
    rng = Random(1)
    return [
        random_qcir(rng, most=6, named=False) if k % 2 else random_qdimacs(rng, most=6)
        for k in range(count)
    ]


def test_the_judge_of_formulas_agrees_with_the_definition() -> None:
    values = []
    for text in _formulas(200):
        formula = read_formula(text)
        values.append(truth(formula))
        assert values[-1] is plain_truth(formula), text
        assert truth(read_formula(formula.text())) is values[-1], text
    assert {True, False} == set(values)


def test_the_functions_of_the_judge_win() -> None:
    rng = Random(2)
    for text in _formulas(100):
        formula = read_formula(text)
        solved = solve(formula, rng)
        circuit = circuit_of(formula, solved)
        assert read_circuit(circuit.text()) == circuit
        judged = Judged(formula, circuit)
        assert judged.wins(), text
        assert not judged.peeks()
        assert not judged.mentions_right()


def test_functions_at_random_are_judged_by_all_assignments() -> None:
    rng = Random(3)
    seen = set()
    for text in _formulas(100):
        formula = read_formula(text)
        circuit = random_circuit(formula, rng.random() < 0.5, rng)
        judged = Judged(formula, circuit)
        if judged.wins() and not judged.mentions_right():
            assert truth(formula) is circuit.skolem, text
        seen.add((judged.wins(), judged.peeks()))
    assert len(seen) == 4


def test_a_literal_of_nothing_cannot_be_read() -> None:
    formula = read_formula("#QCIR-G14\nexists(1)\noutput(2)\n2 = and(1)\n")
    for gates, output in (((), 2), (((4, 2),), 2)):
        with pytest.raises(UnreadableError, match="of nothing before it"):
            Judged(formula, Circuit((), ((1, output),), gates, skolem=True))


@pytest.mark.parametrize("kind", ["bddl", "positional", "gdl"])
def test_both_players_win_games_at_random(kind: str) -> None:
    rng = Random(4)
    winners = [random_game(kind, rng).who() for _ in range(12)]
    assert {True, False} == set(winners)


def test_what_cannot_be_read_is_no_formula() -> None:
    cycle = "exists(1)\noutput(2)\n2 = and(1, 3)\n3 = and(2)\n"
    for text in ("", "output(1)\n", "exists(1)\noutput(2)\n", "p cnf 1 1\nx 0\n", cycle):
        with pytest.raises(UnreadableError):
            read_formula(text)


# --- The law -------------------------------------------------------------------------------------

_TRUE = {"f.qcir": "#QCIR-G14\nexists(1)\noutput(1)\n"}


def _report(**fields: object) -> Answer:
    report = {"levels": [], "verdict": "valid", "statements": [], **fields}
    return Answer(0, json.dumps(report), "")


def _formula(value: bool) -> dict[str, object]:
    return {"about": "formula", "text": f"the formula is {str(value).lower()}", "value": value}


def test_the_law_knows_a_lie() -> None:
    case = Case(_TRUE, ("f.qcir",))
    assert judge(case, _report(statements=[_formula(True)])).broken == ()
    assert judge(case, _report(statements=[_formula(False)])).broken != ()
    assert judge(case, _report()).broken == ("exit code 0, and nothing is said",)
    said = Answer(0, "f.qcir: valid: the formula is false (dependencies, formula)\n", "")
    assert judge(case, said).broken != ()
    game = {"about": "game", "text": "Black wins g within 3 plies", "winner": "black", "plies": 3}
    assert judge(case, _report(statements=[game])).broken != ()


@pytest.mark.parametrize("value", ["true", "false"])
def test_the_law_knows_a_difference_that_is_none(value: str) -> None:
    text = (
        f"end is no win at the start: the formula is {value}, and Black does not win by the rules"
    )
    level = {"level": "encoding", "verdict": "refuted", "findings": [{"text": text}]}
    refuted = _report(verdict="refuted", levels=[level])
    broken = judge(Case(_TRUE, ("f.qcir",)), Answer(1, refuted.out, "")).broken
    assert (broken == ()) is (value == "true")


def test_the_law_knows_bad_manners() -> None:
    case = Case(_TRUE, ("f.qcir",), harmless=True)
    assert judge(case, Answer(70, "", "qsage: internal error: KeyError: 1\n")).broken != ()
    assert judge(case, Answer(2, "", "Traceback\nKeyError\n")).broken != ()
    refused = Answer(2, "", "f.qcir:1:1: found 'x', expected 'y'\n")
    assert judge(case, refused).broken != ()
    assert judge(Case(_TRUE, ("f.qcir",)), refused).broken == ()
    refuted = _report(verdict="refuted", statements=[])
    assert judge(case, Answer(1, refuted.out, "")).broken != ()


def test_a_campaign_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint"
    first = benchmark.campaign(["formula"], 5, checkpoint=path)
    again = benchmark.campaign(["formula"], 5, checkpoint=path)
    assert benchmark.campaign(["formula"], 5, checkpoint=path, page=True) == first
    nothing = benchmark.campaign(["formula"], 5, seed=1, checkpoint=path, page=True)
    assert nothing == {"formula": Counts()}
    assert first["formula"].outcomes == again["formula"].outcomes
    assert path.read_text(encoding="utf-8").count("\n") == 1
    assert table(again).count("\n") == 4


def test_counts_survive_a_checkpoint() -> None:
    line = (
        '{"outcomes": {"accepted": 2}, "untrue": 1, "slips": [["layout", 3, 0, ["lie"], ["step"]]]}'
    )
    counts = from_json(line)
    total = Counts()
    total.add(counts)
    assert total.slips[0].seed == 3
    assert total.outcomes["accepted"] == 2


# --- Lies that were once believed ----------------------------------------------------------------


def _pg(turns: str, positions: str, black: Sequence[str], white: Sequence[str] = ()) -> Claims:
    sets = [tuple(frozenset(row.split()) for row in rows) for rows in (black, white)]
    return Claims(tuple(positions.split()), turns, sets[0], sets[1])


def _table(game: Claims | Described, prefix: str, matrix: str, *layout: str) -> str:
    """A formula whose matrix is one literal or gate, with the layout of a table of moves."""
    lines = ["qsage-layout", f"game {game.kind}", *layout, *model_lines(game)]
    return "\n".join(["#QCIR-G14", *(f"#@ {x}" for x in lines), prefix, matrix]) + "\n"


def _asked(text: str, *words: str, given: Game | None = None) -> Case:
    """The case of a formula with functions that win it, by brute force."""
    formula = read_formula(text)
    files = {"f.qcir": text, "c.aag": circuit_of(formula, solve(formula)).text()}
    named: list[str] = []
    if given is not None:
        more, names, option = given.files("other")
        files |= more
        named = [option, *names] if option == "--game" else [option, " ".join(names)]
    return Case(files, ("f.qcir", "--cert", "c.aag", *named, *words, "--json"), given)


def _not_believed(case: Case) -> Verdict:
    facts = case.facts
    assert facts.truth is not None
    assert facts.black is not None
    assert facts.truth is not facts.black, "there is nothing to lie about"
    verdict = told(case)
    assert verdict.broken == ()
    return verdict


_ONE_STONE = _pg("BW", "a b", ["a b"])
_TWO_PLIES = (
    "list 1 a b",
    "move 1 black list 1 code [1]",
    "move 2 white list 1 code [2]",
    "verdict 3",
    "illegal ignored",
)
_ALWAYS = "output(3)\n3 = or(1, -1)"
_NEVER = "output(3)\n3 = and(1, -1)"


@pytest.mark.parametrize("levels", [x for n in (1, 2, 5) for x in combinations(TABLE_LEVELS, n)])
def test_a_formula_that_is_true_is_no_win(levels: tuple[str, ...]) -> None:
    # Black has one stone and needs two; the formula is true whatever is played.
    text = _table(_ONE_STONE, "exists(1)\nforall(2)", _ALWAYS, *_TWO_PLIES)
    _not_believed(_asked(text, *(word for level in levels for word in ("--level", level))))


def test_a_move_of_the_opponent_that_the_table_lacks_is_played() -> None:
    game = _pg("BWB", "a b c", ["a b", "a c"], ["b"])
    layout = ["list 1 a", "list 2 c", "list 3 b", "move 1 black list 1 code []"]
    layout += ["move 2 white list 2 code []", "move 3 black list 3 code []", "verdict output"]
    assert _not_believed(_asked(_table(game, "exists(1)", "output(1)", *layout))).outcome == REFUTED


def test_a_table_that_ends_before_the_game_is_no_defence() -> None:
    game = _pg("BWB", "a b c", ["a b", "a c"])
    layout = ["list 1 a b c", "move 1 black list 1 code [1 2]", "move 2 white list 1 code [3 4]"]
    layout += ["verdict output", "illegal ignored"]
    text = _table(game, "exists(1, 2)\nforall(3, 4)", "output(5)\n5 = and(1, -1)", *layout)
    _not_believed(_asked(text))


def test_a_game_that_is_given_is_longer_than_the_table() -> None:
    short = _pg("B", "a b c", ["a b"])
    layout = ["list 1 a b c", "move 1 black list 1 code [1 2]", "verdict output"]
    layout += ["conclusive true", "illegal ignored"]
    text = _table(short, "exists(1, 2)", "output(3)\n3 = and(1, -1)", *layout)
    _not_believed(_asked(text, given=_pg("BB", "a b c", ["a c", "b c"])))


@pytest.mark.parametrize("lie", ["stop", "stop of White", "legal", "passes", "replaced", "Black"])
def test_a_layout_is_not_believed(lie: str) -> None:
    change = {
        "stop": ("code [1]", "code [1] stop 3"),
        "stop of White": ("code [2]", "code [2] stop 3"),
        "legal": ("code [2]", "code [2] legal [-3 -3]"),
        "passes": ("illegal ignored", "illegal ignored black-passes"),
        "replaced": ("illegal ignored", "illegal replaced"),
        "Black": ("move 2 white list 1 code [2]", "move 2 black list 1 code []"),
    }[lie]
    layout = [line.replace(*change) for line in _TWO_PLIES]
    _not_believed(_asked(_table(_ONE_STONE, "exists(1)\nforall(2)", _ALWAYS, *layout)))


@pytest.mark.parametrize("value", ["true", "false"])
def test_what_is_conclusive_is_not_believed(value: str) -> None:
    layout = [*_TWO_PLIES, f"conclusive {value}"]
    game = _pg("BW", "a b", ["a"])
    _not_believed(_asked(_table(game, "exists(1)\nforall(2)", _NEVER, *layout)))
    _not_believed(_asked(_table(_ONE_STONE, "exists(1)\nforall(2)", _ALWAYS, *layout)))


def test_samples_prove_nothing() -> None:
    # White wins one play in four: one play may not show it.
    game = _pg("WBW", "a b c", ["b"], ["a"])
    layout = ["list 1 a b c", "move 1 white list 1 code [1 2]", "move 2 black list 1 code [3 4]"]
    layout += ["move 3 white list 1 code [5 6]", "verdict output", "illegal ignored"]
    prefix = "forall(1, 2)\nexists(3, 4)\nforall(5, 6)"
    text = _table(game, prefix, "output(7)\n7 = or(1, -1)", *layout)
    for seed in range(8):
        words = ("--level", "random", "--games", "1", "--seed", str(seed))
        assert _not_believed(_asked(text, *words)).outcome in (REFUTED, UNDECIDED)


_WALK = Described(
    "(role black) (role white) (init (step 1))\n"
    "(base (step 1)) (base (step 2)) (input black go) (input black wait) (input white wait)\n"
    "(<= (legal black go) (true (step 1))) (<= (legal black wait) (true (step 1)))\n"
    "(legal white wait) (<= (legal black wait) (true (step 2)))\n"
    "(<= (next (step 2)) (does black wait)) (<= (next (step 2)) (does black go))\n"
    "(<= terminal (true (step 2))) (<= (goal black 0) (true (step 2)))\n"
    "(<= (goal black 0) (true (step 1))) (goal white 100)\n",
    1,
)


def test_a_game_in_gdl_is_compared_with_its_rules() -> None:
    pytest.importorskip("clingo", reason="games in GDL need the extra 'gdl'")
    layout = ["list 1 go wait", "list 2 wait", "move 1 black list 1 code [1]"]
    layout += ["move 2 white list 2 code []", "verdict output", "illegal replaced"]
    _not_believed(_asked(_table(_WALK, "exists(1)", "output(1)", *layout)))
    _not_believed(_asked(_table(_WALK, "exists(1)", "output(1)", *layout), "--level", "formula"))


_PAIR = read_grid(
    """#blackactions
:action occupy
:parameters (?x,?y)
:precondition (open(?x,?y))
:effect (black(?x,?y))
#whiteactions
:action occupy
:parameters (?x,?y)
:precondition (open(?x,?y))
:effect (white(?x,?y))
""",
    """#boardsize
2 2
#init
()
#depth
3
#blackgoals
(black(?x,?y) black(?x+1,?y))
#whitegoals
""",
)


def _lifted(game: Game) -> Formula:
    formula = encoded(game, "lifted", nodes=40_000)
    assert formula is not None
    return formula


@pytest.mark.parametrize("depth", [3, 2])
@pytest.mark.parametrize("way", ["white first", "black last"])
def test_moves_in_another_order_are_another_game(depth: int, way: str) -> None:
    game = replace(_PAIR, depth=depth)
    formula = _lifted(game)
    blocks = formula.prefix
    first = [b for b in blocks if b[0] is (way == "white first")]
    other = replace(formula, prefix=(*first, *(b for b in blocks if b not in first)))
    case = Case({"f.qcir": other.text()}, ("f.qcir", "--json"))
    assert told(case).broken == ()
    assert told(_asked(other.text())).broken == ()
    assert told(Case({"f.qcir": formula.text()}, ("f.qcir", "--json"))).outcome == ACCEPTED


def test_a_spare_ply_on_a_grid_is_no_ply() -> None:
    formula = _lifted(_PAIR)
    for depth in (1, 2, 4):
        assert told(_asked(formula.text(), given=replace(_PAIR, depth=depth))).broken == ()


def test_a_player_without_a_move_is_no_internal_error() -> None:
    # Nobody can move in the game that is given.
    formula = _lifted(_PAIR)
    full = [("white", x, y) for y in (1, 2) for x in (1, 2)]
    stuck = replace(_PAIR, pieces=tuple(full))
    assert told(_asked(formula.text(), given=stuck)).broken == ()


def test_states_that_are_new_variables_are_no_internal_error() -> None:
    formula = _lifted(_PAIR)
    top = formula.largest
    prefix = (*formula.prefix, (False, (top + 1, top + 2)))
    lines = [re.sub(r"^state 1 .*", f"state 1 {top + 1} {top + 2}", x) for x in formula.layout()]
    other = replace(formula, prefix=prefix).with_layout(lines)
    assert told(_asked(other.text())).broken == ()
    hoisted = replace(other, prefix=tuple(sorted(prefix, key=lambda b: not b[0])))
    assert told(_asked(hoisted.text())).broken == ()


def test_functions_that_peek_prove_nothing() -> None:
    # True for each 2 when 1 may know it, and false as it stands.
    text = "#QCIR-G14\nexists(1)\nforall(2)\noutput(3)\n3 = xor(1, -2)\n"
    peek = Circuit((2,), ((1, 2),), (), True)
    for levels in (("formula",), ("dependencies",), ("dependencies", "formula"), ()):
        words = [word for level in levels for word in ("--level", level)]
        files = {"f.qcir": text, "c.aag": peek.text()}
        verdict = told(Case(files, ("f.qcir", "--cert", "c.aag", *words, "--json")))
        assert verdict.broken == ()
        assert verdict.outcome == (UNDECIDED if levels == ("formula",) else REFUTED)


def test_clauses_that_contradict_prove_nothing() -> None:
    text = "#QCIR-G14\nforall(1)\nexists(2)\noutput(3)\n3 = and(1, 2)\n"
    model = "p cnf 2 2\nc Model for variable 2.\n2 0\n-2 0\n"
    case = Case({"f.qcir": text, "c.cnf": model}, ("f.qcir", "--cert", "c.cnf", "--json"))
    verdict = told(case)
    assert verdict.broken == ()
    assert verdict.outcome != ACCEPTED
