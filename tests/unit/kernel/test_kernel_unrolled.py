"""Ground rules as a circuit: against evaluation by hand, and what is refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.kernel.claims import evaluate
from qsage_validate.kernel.game import State, TooLargeError
from qsage_validate.kernel.player import Player
from qsage_validate.kernel.unrolled import (
    GroundOption,
    GroundProgram,
    GroundRule,
    Stratum,
    UnrolledGame,
    UnrolledRules,
)
from qsage_validate.system.limits import Deadline

BLACK, WHITE = Player.BLACK, Player.WHITE


class Names:
    """Atoms by name, numbered as they come."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def __call__(self, name: str) -> int:
        if name.startswith("-"):
            return -self(name[1:])
        return self.numbers.setdefault(name, len(self.numbers) + 1)

    def rules(self, *texts: str) -> Stratum:
        """Rules such as ``p: q -r``; ``p:`` is a fact."""
        pairs = [text.split(":") for text in texts]
        return tuple(GroundRule(self(head), tuple(map(self, body.split()))) for head, body in pairs)


def program(
    fluents: Sequence[str],
    position: Sequence[Sequence[str]],
    outcome: Sequence[Sequence[str]] = (),
    *,
    black: Sequence[str] = (),
    white: Sequence[str] = (),
    wins: Sequence[str] = ("win",),
    spoilt: Sequence[str] = (),
    following: Sequence[str] = (),
) -> GroundProgram:
    """A round: ``may m`` and ``do m`` of the options, ``end``, ``win``, ``then f`` after it."""
    at = Names()

    def options(player: str, names: Sequence[str]) -> tuple[GroundOption, ...]:
        return tuple(GroundOption(n, at(f"{player}-may-{n}"), at(f"{player}-{n}")) for n in names)

    made = {
        "fluents": {f: at(f) for f in fluents},
        "options": {BLACK: options("b", black), WHITE: options("w", white)},
        "terminal": at("end"),
        "wins": tuple(map(at, wins)),
        "spoilt": tuple(map(at, spoilt)),
        "following": {f: at(f"then-{f}") for f in following},
        "position": tuple(at.rules(*stratum) for stratum in position),
        "outcome": tuple(at.rules(*stratum) for stratum in outcome),
    }
    return GroundProgram(tuple(at.numbers), **made)  # type: ignore[arg-type]  # by name


def game_of(*programs: GroundProgram, rounds: int | None = None, start: str = "") -> UnrolledGame:
    number = len(programs) - 1 if rounds is None else rounds
    return UnrolledGame("test", number, frozenset(start.split()), programs)


def rules_of(*programs: GroundProgram, rounds: int | None = None, start: str = "") -> UnrolledRules:
    return UnrolledRules(AigBuilder(), game_of(*programs, rounds=rounds, start=start))


def values(
    rules: UnrolledRules, state: State, wanted: Sequence[int], inputs: Iterable[bool]
) -> list[bool]:
    """Literals under values of the inputs, in the order in which these were made."""
    given_values = dict(enumerate(inputs, start=1))
    return list(evaluate(rules.builder, dict(enumerate(wanted)), given_values).values())


# -- recursion ----------------------------------------------------------------------------------

NODES = "abc"
EDGES = [f"{x}{y}" for x, y in product(NODES, NODES) if x != y]


def paths(edge: str) -> list[str]:
    """Which node can be reached from which, with ``edge`` before an edge's name."""
    direct = [f"path-{e}: {edge}{e}" for e in EDGES]
    on = [
        f"path-{x}{z}: {edge}{x}{y} path-{y}{z}"
        for x, y, z in product(NODES, NODES, NODES)
        if x != y
    ]
    return direct + on


def reached(edges: Iterable[str], start: str) -> set[str]:
    """What can be reached by one edge or more."""
    edges, found = list(edges), set[str]()
    waiting = [start]
    while waiting:
        node = waiting.pop()
        new = {edge[1] for edge in edges if edge[0] == node} - found
        found |= new
        waiting += new
    return found


def test_a_path_is_found_in_every_graph() -> None:
    pairs = [f"{x}{y}" for x, y in product(NODES, NODES)]
    made = program(
        EDGES,
        [
            paths(""),
            [f"b-may-{p}: path-{p}" for p in pairs],
            [f"w-may-{p}: -path-{p}" for p in pairs],
        ],
        black=pairs,
        white=pairs,
    )
    rules = rules_of(made, made_last(EDGES), rounds=1)
    state = tuple(rules.builder.input() for _ in EDGES)
    black, white = rules.legal(state, 1), rules.legal((*state, *[FALSE] * len(pairs)), 2)
    for chosen in product((False, True), repeat=len(EDGES)):
        edges = [e for e, value in zip(EDGES, chosen, strict=True) if value]
        found = values(rules, state, [*black, *white], chosen)
        expected = [pair[1] in reached(edges, pair[0]) for pair in pairs]
        assert found == [*expected, *(not value for value in expected)], edges


def made_last(fluents: Sequence[str]) -> GroundProgram:
    return program(fluents, [])


def test_a_path_through_what_is_done_is_found() -> None:
    made = program(
        EDGES,
        [[f"b-may-{e}: -{e}" for e in EDGES], [f"w-may-{e}: -{e}" for e in EDGES]],
        [
            [f"edge-{e}: {by}" for e in EDGES for by in (e, f"b-{e}", f"w-{e}")],
            paths("edge-"),
            [f"then-{e}: edge-{e}" for e in EDGES]
            + [f"then-to-{x}{y}: path-{x}{y}" for x, y in product(NODES, NODES)],
        ],
        black=EDGES,
        white=EDGES,
        following=[*EDGES, *(f"to-{x}{y}" for x, y in product(NODES, NODES))],
    )
    after = [*EDGES, *(f"to-{x}{y}" for x, y in product(NODES, NODES))]
    rules = rules_of(made, made_last(after))
    state = tuple(rules.builder.input() for _ in EDGES)
    for black, white in [("ab", "bc"), ("ca", "ca")]:
        middle = rules.after(state, 1, [TRUE if e == black else FALSE for e in EDGES])
        end = rules.after(middle, 2, [TRUE if e == white else FALSE for e in EDGES])
        atoms = rules.atoms(end, 2)
        for chosen in product((False, True), repeat=len(EDGES)):
            edges = {e for e, value in zip(EDGES, chosen, strict=True) if value} | {black, white}
            found = values(rules, end, list(atoms.values()), chosen)
            holds = {name for name, value in zip(atoms, found, strict=True) if value}
            far = {f"to-{x}{y}" for x in NODES for y in reached(edges, x)}
            assert holds == edges | far


def test_what_rests_on_itself_alone_is_false() -> None:
    made = program(["f"], [["p: q", "q: p", "q: f"], ["b-may-p: p", "b-may-q: q"]], black="pq")
    for value in (FALSE, TRUE):
        rules = rules_of(made, made_last([]), rounds=1)
        assert list(rules.legal((value,), 1)) == [value, value]


def test_an_atom_without_rules_is_false() -> None:
    made = program([], [["b-may-p: none", "b-may-q: -none"]], black="pq")
    assert list(rules_of(made, made_last([]), rounds=1).legal((), 1)) == [FALSE, TRUE]


ATOMS = 3
LEVELS = 3
FLUENTS = ["f0", "f1", "f2"]


@st.composite
def strata(draw: st.DrawFn) -> list[list[str]]:
    """Random rules in levels; of the own level only positive atoms, of those below any."""
    found = []
    below = list(FLUENTS)
    for level in range(LEVELS):
        own = [f"p{level}{k}" for k in range(ATOMS)]
        literals = [*own, *below, *(f"-{atom}" for atom in below)]
        bodies = st.lists(st.sampled_from(literals), max_size=3).map(" ".join)
        rules = st.builds("{}: {}".format, st.sampled_from(own), bodies)
        found.append(draw(st.lists(rules, max_size=7)))
        below += own
    return found


def by_hand(levels: Sequence[Sequence[str]], facts: set[str]) -> set[str]:
    """What follows, by trying all rules of a level again and again."""
    for level in levels:
        while True:
            before = len(facts)
            for rule in level:
                head, body = rule.split(":")
                if all((x[1:] not in facts) if x[0] == "-" else x in facts for x in body.split()):
                    facts.add(head)
            if len(facts) == before:
                break
    return facts


@given(strata())
def test_random_programs_have_their_one_model(levels: list[list[str]]) -> None:
    derived = [f"p{level}{k}" for level in range(LEVELS) for k in range(ATOMS)]
    made = program(FLUENTS, [*levels, [f"b-may-{p}: {p}" for p in derived]], black=derived)
    rules = rules_of(made, made_last([]), rounds=1)
    state = tuple(rules.builder.input() for _ in FLUENTS)
    legal = rules.legal(state, 1)
    for chosen in product((False, True), repeat=len(FLUENTS)):
        facts = {f for f, value in zip(FLUENTS, chosen, strict=True) if value}
        model = by_hand(levels, facts)
        assert values(rules, state, legal, chosen) == [p in model for p in derived]


# -- plays --------------------------------------------------------------------------------------

# Black may put a or b where it is not, White takes one away; with both at the end Black wins.
ROUND = program(
    ["a", "b"],
    [
        ["b-may-a: -a", "b-may-b: -b", "w-may-a: a", "w-may-b: b", "w-may-wait:"],
        ["end: a b"],
        ["win: a b"],
    ],
    [
        ["then-a: a -w-a", "then-a: b-a", "then-b: b -w-b", "then-b: b-b"],
    ],
    black=["a", "b"],
    white=["a", "b", "wait"],
    following=["a", "b"],
)
LAST = program(["a", "b"], [["end: a b"], ["win: a b"]])


def single(number: int, count: int) -> list[int]:
    return [TRUE if k == number else FALSE for k in range(count)]


def test_a_play_goes_by_rounds() -> None:
    rules = rules_of(ROUND, ROUND, LAST)
    assert rules.plies == 5
    assert [rules.mover(ply) for ply in range(1, 6)] == [BLACK, WHITE, BLACK, WHITE, BLACK]
    assert rules.moves(1) == ["a", "b"]
    assert rules.moves(4) == ["a", "b", "wait"]
    assert rules.moves(5) == []
    start = rules.initial
    assert start == (FALSE, FALSE)
    middle = rules.after(start, 1, single(0, 2))
    assert rules.atoms(middle, 1) == {"a": FALSE, "b": FALSE}
    assert list(rules.legal(middle, 2)) == [FALSE, FALSE, TRUE]
    after = rules.after(middle, 2, single(2, 3))
    assert rules.atoms(after, 2) == {"a": TRUE, "b": FALSE}
    assert rules.won(after, 2) == {BLACK: FALSE, WHITE: FALSE}
    assert list(rules.legal(after, 3)) == [FALSE, TRUE]
    middle = rules.after(after, 3, single(1, 2))
    assert rules.won(middle, 3) == {BLACK: FALSE, WHITE: FALSE}
    for number, won in ((2, True), (0, False)):
        end = rules.after(middle, 4, single(number, 3))
        assert rules.won(end, 4) == {BLACK: int(won), WHITE: int(not won)}
        assert list(rules.legal(end, 5)) == []


def test_where_the_rounds_are_over_white_has_won() -> None:
    for rounds in (0, 1):
        rules = rules_of(*[ROUND] * rounds, LAST)
        for a, b in product((FALSE, TRUE), repeat=2):
            won = rules.won((a, b), 2 * rounds)
            assert won == {BLACK: a & b, WHITE: 1 - (a & b)}


def test_nobody_wins_within_a_round_and_nothing_is_played_after_the_last() -> None:
    rules = rules_of(ROUND, LAST)
    assert rules.won((TRUE, TRUE, TRUE, FALSE), 1) == {BLACK: FALSE, WHITE: FALSE}
    rules = rules_of(ROUND)
    assert rules.plies == 1
    assert rules.moves(1) == []
    assert list(rules.legal(rules.initial, 1)) == []
    assert rules.after(rules.initial, 1, []) == ()


def test_what_is_no_fluent_never_holds() -> None:
    """So that a formula which says that it does is found out."""
    rules = rules_of(ROUND, LAST, start="a")
    atoms = rules.atoms(rules.initial, 0)
    assert list(atoms) == ["a", "b"]
    assert len(atoms) == 2
    assert [atoms.get(text) for text in ("a", "b", "c")] == [TRUE, FALSE, FALSE]


def test_a_play_that_ends_without_a_goal_is_whites() -> None:
    rules = rules_of(program(["a"], [["end: a"]]), made_last([]))
    assert rules.won((TRUE,), 0) == {BLACK: FALSE, WHITE: TRUE}
    assert rules.won((FALSE,), 0) == {BLACK: FALSE, WHITE: FALSE}


def test_a_goal_before_the_end_wins_nothing() -> None:
    rules = rules_of(program(["a"], [["win: a"]]), program(["a"], [["win: a"]]))
    assert rules.won((TRUE,), 0) == {BLACK: FALSE, WHITE: FALSE}
    assert rules.won((TRUE,), 2) == {BLACK: FALSE, WHITE: TRUE}


def test_one_choice_in_a_round_is_defined_and_all_else_is_not() -> None:
    """Each pattern of legal moves: both roles have one, one of them at most has more."""
    blacks, whites = ["bx", "by", "bz"], ["wu", "wx", "wy", "wz"]
    fluents = [*blacks, *whites, "over"]
    made = program(
        fluents,
        [[f"{name[0]}-may-{name}: {name}" for name in blacks + whites], ["end: over"]],
        black=blacks,
        white=whites,
    )
    rules = rules_of(made, made_last([]), rounds=1)
    state = tuple(rules.builder.input() for _ in fluents)
    wanted = [rules.undefined(state, 1), rules.undefined((*state, *[FALSE] * 3), 2)]
    for chosen in product((False, True), repeat=len(fluents)):
        black, white, over = sum(chosen[:3]), sum(chosen[3:7]), chosen[7]
        fine = over or (black > 0 and white > 0 and (black == 1 or white == 1))
        assert values(rules, state, wanted, chosen) == [not fine] * 2


def test_a_goal_that_means_nothing_is_nobodys_win() -> None:
    made = program(
        ["a", "over"],
        [["end: over"], ["win:", "odd: a"], ["b-may-x:", "w-may-x:"]],
        black="x",
        white="x",
        spoilt=["odd"],
    )
    rules = rules_of(made, replace(made, following={}))
    for time_ in (0, 2):
        assert rules.won((TRUE, TRUE), time_) == {BLACK: FALSE, WHITE: FALSE}
        assert rules.undefined((TRUE, TRUE), time_ + 1) == TRUE
        assert rules.undefined((TRUE, FALSE), time_ + 1) == FALSE
        assert rules.won((FALSE, TRUE), time_) == {BLACK: TRUE, WHITE: FALSE}


def test_of_rounds_that_no_play_gets_to_nothing_is_known() -> None:
    """Nobody wins there, Black's default of White's included."""
    rules = rules_of(program(["a"], [["end:"]]), rounds=2, start="a")
    assert rules.plies == 5
    assert rules.initial == (TRUE,)
    assert rules.undefined(rules.initial, 1) == FALSE
    state = rules.after(rules.after(rules.initial, 1, []), 2, [])
    for time_ in (2, 4):
        assert state == ()
        assert rules.moves(time_ + 1) == []
        assert list(rules.legal(state, time_ + 1)) == []
        assert rules.undefined(state, time_ + 1) == TRUE
        assert rules.won(state, time_) == {BLACK: FALSE, WHITE: FALSE}
        assert rules.atoms(state, time_) == {"a": FALSE}
        state = rules.after(rules.after(state, time_ + 1, []), time_ + 2, [])


# -- what is refused ----------------------------------------------------------------------------


def test_programs_without_one_meaning_are_refused() -> None:
    wrong: Mapping[str, list[list[str]]] = {
        "a rule for f, which is given": [["f: p"]],
        "a rule for b-x, which is given": [["b-x: f"]],
        "p depends on p, which": [["p: -p"]],
        "p depends on q, which": [["p: -q", "q: p"]],
        "p depends on r, which": [["p: r"], ["r: f"]],
        "q depends on b-x, which": [["q: b-x"]],
        "q depends on w-x, which": [["q: -w-x"]],
        "rules for p in two strata": [["p: f"], ["p: -f"]],
    }
    for text, position in wrong.items():
        with pytest.raises(ValueError, match=text):
            program(["f"], position, black="x", white="x")
    with pytest.raises(ValueError, match="then-f depends on p, which"):
        program(["f"], [], [["then-f: -p"], ["p: b-x"]], black="x", following="f")
    with pytest.raises(ValueError, match="p depends on q, which"):
        program(["f"], [["p: q"]], [["q: f"]])


def test_programs_with_ambiguous_parts_are_refused() -> None:
    fine = program(["f"], [["b-may-x: f"]], black="xy")
    first, second = fine.options[BLACK]
    for option, text in (
        (replace(second, text="x"), "two options of one text"),
        (replace(second, does=first.does), "an atom that is two"),
        (replace(second, does=fine.fluents["f"]), "an atom that is two"),
        (replace(second, legal=99), "the atom 99 of"),
        (replace(second, legal=0), "the atom 0 of"),
    ):
        with pytest.raises(ValueError, match=text):
            replace(fine, options={BLACK: (first, option), WHITE: ()})
    with pytest.raises(ValueError, match="the atom 77 of"):
        replace(fine, position=((GroundRule(first.legal, (-77,)),),))


def test_a_fluent_is_not_lost_between_rounds() -> None:
    with pytest.raises(ValueError, match="b can hold and is no fluent"):
        game_of(ROUND, program(["a"], []))
    with pytest.raises(ValueError, match="c can hold and is no fluent"):
        game_of(LAST, start="a c")
    for rounds, programs in ((0, (ROUND, LAST)), (1, ())):
        with pytest.raises(ValueError, match="programs for"):
            game_of(*programs, rounds=rounds)


def test_too_many_gates_and_too_little_time_are_said() -> None:
    made = program(EDGES, [paths(""), ["b-may-go: path-ab path-bc"]], black=["go"])
    game = game_of(made, made_last([]), rounds=1)
    small = UnrolledRules(AigBuilder(), game, max_gates=3)
    with pytest.raises(TooLargeError, match="more than 3 gates"):
        small.legal(tuple(small.builder.input() for _ in EDGES), 1)
    others = AigBuilder(20)
    others.and_all(others.inputs)
    assert UnrolledRules(others, game, max_gates=3).legal((TRUE,) * len(EDGES), 1) == [TRUE]
    late = UnrolledRules(AigBuilder(), game, deadline=Deadline.after(-1))
    with pytest.raises(TooLargeError, match="time is up"):
        late.legal(tuple(late.builder.input() for _ in EDGES), 1)


def test_stages_end_when_nothing_is_new() -> None:
    """A chain of atoms that is known needs no gates, and one that is not a few."""
    length = 60
    chain = [f"p{k}: p{k - 1} f" for k in range(1, length)]
    for value in (FALSE, None):
        rules = rules_of(
            program(["f"], [["p0: f", *chain], [f"b-may-x: p{length - 1}"]], black="x"),
            made_last([]),
            rounds=1,
        )
        state = rules.builder.input() if value is None else value
        assert list(rules.legal((state,), 1)) == [state]
        assert rules.builder.num_gates == 0
