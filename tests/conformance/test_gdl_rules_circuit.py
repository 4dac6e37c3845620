"""The rules of games in GDL as a circuit: against the executable rules, clingo and brute force.

The circuit is asked in two ways.  Position by position with constants, where every literal must
come out as one; and for all plays at once, with an input for each move, simulated afterwards.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from qsage_validate.certificates.routes import Certified
from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.circuit.simulate import GraphSimulator, pack, unpack
from qsage_validate.errors import InputError, QsageError, Undecided
from qsage_validate.extensions.gdl import library
from qsage_validate.extensions.gdl.language import GDL
from qsage_validate.extensions.gdl.machine import StateMachine
from qsage_validate.extensions.gdl.masks import unrolled
from qsage_validate.extensions.gdl.model import Description, GdlModel, Ground, term_text
from qsage_validate.extensions.gdl.parser import parse_description, read_description
from qsage_validate.extensions.gdl.rules import GdlMove, RoundsGame, RoundsPosition
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import Move, Player
from qsage_validate.kernel.game import State, TooLargeError
from qsage_validate.kernel.unrolled import UnrolledRules
from qsage_validate.system.limits import Deadline
from qsage_validate.validation.finding import FindingKind, Proved, Refuted, Unsupported, Verdict
from qsage_validate.validation.proofs import prove_boards, prove_rules
from tests.support.certifying import certify_game
from tests.support.gdl_reference import ClingoReference
from tests.support.table_plays import lost_plays

BLACK, WHITE = Player.BLACK, Player.WHITE

# Small games, with the rounds that they are unrolled for.
SMALL = {
    "trails": 8,
    "tic-tac-toe": 9,
    "connect-3-4x4": 7,
    "gttt-4x4-1-1-tippy": 4,
    "gttt-4x4-2-2-elly": 4,
    "break-through-2x5": 9,
    "dots-and-boxes-2x2": 12,
    "number-tic-tac-toe": 5,
    "traffic-3x3": 4,
    "multiplayer/tic-tac-toe-3player-3x3": 9,
    "multiplayer/connect-3-3player-4x4": 8,
}


def description_of(shared_data: Path, name: str) -> Description:
    if name == "trails":
        return library.load(name)
    return read_description(shared_data / "gdl" / f"{name}.gdl")


def game_of(description: Description | str, rounds: int, **asked: Any) -> RoundsGame:
    if isinstance(description, str):
        description = parse_description(description)
    return GDL.rules(GdlModel(description, rounds, **asked))


# -- the circuit, position by position ----------------------------------------------------------


class Pair:
    """A position of the executable rules, and the same one as constants of the circuit."""

    def __init__(self, rules: UnrolledRules, position: RoundsPosition, state: State) -> None:
        self.rules = rules
        self.position = position
        self.state = state
        self.time = position.ply - 1

    @classmethod
    def initial(cls, game: RoundsGame) -> Pair:
        rules = UnrolledRules(AigBuilder(), unrolled(game))
        assert rules.plies == game.plies
        return cls(rules, game.initial, rules.initial)

    def checked(self) -> list[Move]:
        """The legal moves, after all that is said of the position has been compared."""
        rules, position, ply = self.rules, self.position, self.time + 1
        atoms = rules.atoms(self.state, self.time)
        assert set(atoms.values()) <= {FALSE, TRUE}
        holds = {text for text, literal in atoms.items() if literal == TRUE}
        game = position.game
        assert holds == game.atoms(position)
        try:
            outcome = position.outcome
            legal = list(position.legal_moves())
        except QsageError:
            assert rules.undefined(self.state, ply) == TRUE
            assert set(rules.won(self.state, self.time).values()) == {FALSE}
            return []
        won = rules.won(self.state, self.time)
        assert won == {p: TRUE if outcome and outcome.winner is p else FALSE for p in Player}
        if outcome is not None:
            return []
        assert rules.undefined(self.state, ply) == FALSE
        assert rules.mover(ply) is position.to_move
        texts = rules.moves(ply)
        assert len(set(texts)) == len(texts)
        literals = rules.legal(self.state, ply)
        assert set(literals) <= {FALSE, TRUE}
        able = {text for text, literal in zip(texts, literals, strict=True) if literal == TRUE}
        assert able == {str(move) for move in legal}
        return list(legal)

    def after(self, move: Move) -> Pair:
        made = [TRUE if t == str(move) else FALSE for t in self.rules.moves(self.time + 1)]
        state = self.rules.after(self.state, self.time + 1, made)
        return Pair(self.rules, self.position.play(move), state)


def explore(game: RoundsGame, most: int) -> int:
    """Positions breadth first, each once at each time; how many were compared."""
    waiting, seen = [Pair.initial(game)], set()
    for pair in waiting:
        for move in pair.checked():
            after = pair.after(move)
            key = (after.time, after.position.state, after.position.chosen)
            if key not in seen and len(waiting) < most:
                seen.add(key)
                waiting.append(after)
    assert waiting[0].rules.builder.num_gates == 0, "constants need no gates"
    return len(waiting)


def play(pair: Pair, rng: random.Random) -> Iterator[Pair]:
    """The positions of a random play, each compared."""
    while True:
        moves = pair.checked()
        yield pair
        if not moves:
            return
        pair = pair.after(rng.choice(moves))


@pytest.mark.parametrize("name", SMALL)
def test_small_games_are_the_same_breadth_first(shared_data: Path, name: str) -> None:
    game = game_of(description_of(shared_data, name), SMALL[name])
    assert explore(game, 120) == 120


def test_random_plays_of_all_games_are_the_same(shared_data: Path) -> None:
    files = sorted((shared_data / "gdl").rglob("*.gdl"))
    assert len(files) == 49
    for file in files:
        description = read_description(file)
        rng = random.Random(file.name)
        role = rng.choice([term_text(r) for r in StateMachine(description).roles])
        start = Pair.initial(game_of(description, 40, role=role))
        *_, last = play(start, rng)
        assert last.position.outcome is not None, file.name
        assert last.time < last.rules.plies - 1, f"{file.name} ends by itself"


def test_clingo_says_the_same_of_random_plays(shared_data: Path) -> None:
    """Grounder and executable rules evaluate clauses by the same code, clingo by its own."""
    clingo = pytest.importorskip("clingo", reason="the reference needs clingo")
    for name, rounds in SMALL.items():
        description = description_of(shared_data, name)
        game = game_of(description, rounds)
        reference = ClingoReference(clingo, game.description)
        roles = game.roles
        for pair in play(Pair.initial(game), random.Random(name)):
            rules, position, state = pair.rules, pair.position, pair.state
            if position.chosen is not None:
                continue
            facts = reference.facts(position.state)
            over = ("terminal", ()) in facts
            won = over and ("goal", (roles[BLACK], "100")) in facts
            ended = over or pair.time == 2 * rounds
            assert rules.won(state, pair.time) == {BLACK: int(won), WHITE: int(ended and not won)}
            if ended:
                continue
            moves: dict[Player, list[Ground]] = {}
            for player, role in roles.items():
                able = [f[1][1] for f in facts if f[0] == "legal" and f[1][0] == role]
                moves[player] = sorted(able, key=term_text)
            black = moves[BLACK][-1]
            middle = pair.after(GdlMove(black))
            for at, player in ((pair, BLACK), (middle, WHITE)):
                texts = rules.moves(at.time + 1)
                legal = zip(texts, rules.legal(at.state, at.time + 1), strict=True)
                assert {t for t, x in legal if x} == {term_text(m) for m in moves[player]}
            after = middle.after(GdlMove(moves[WHITE][0]))
            joint = {roles[BLACK]: black, roles[WHITE]: moves[WHITE][0]}
            following = reference.facts(position.state, joint)
            holds = {t for t, x in rules.atoms(after.state, after.time).items() if x == TRUE}
            assert holds == {term_text(f[1][0]) for f in following if f[0] == "next"}


# -- the circuit, all plays at once -------------------------------------------------------------


class Unrolling:
    """The circuit with an input for each move of each ply."""

    def __init__(self, game: RoundsGame) -> None:
        self.game = game
        self.rules = rules = UnrolledRules(AigBuilder(), unrolled(game))
        builder = rules.builder
        self.place: dict[tuple[int, str], int] = {}
        self.wanted: dict[tuple[int, str, str], int] = {}
        state = rules.initial
        for ply in range(1, rules.plies + 1):
            self.look(state, ply - 1)
            texts, legal = rules.moves(ply), rules.legal(state, ply)
            made = []
            for text, literal in zip(texts, legal, strict=True):
                self.wanted[ply - 1, "legal", text] = literal
                self.place[ply, text] = len(self.place)
                made.append(builder.and_(builder.input(), literal))
            self.wanted[ply - 1, "undefined", ""] = rules.undefined(state, ply)
            state = rules.after(state, ply, made)
        aig, outputs = builder.build(list(self.wanted.values()))
        self.simulator = GraphSimulator(aig, outputs)

    def look(self, state: State, time_: int) -> None:
        for player, literal in self.rules.won(state, time_).items():
            self.wanted[time_, "won", str(player)] = literal
        for text, literal in self.rules.atoms(state, time_).items():
            self.wanted[time_, "atom", text] = literal

    def check(self, plays: int, rng: random.Random) -> None:
        """Random plays by the executable rules; each says what the circuit has to say."""
        choices = np.zeros((plays, len(self.place)), dtype=np.bool_)
        expected: list[dict[int, set[tuple[str, str]]]] = []
        for number in range(plays):
            position, said = self.game.initial, dict[int, set[tuple[str, str]]]()
            while True:
                outcome, moves = position.outcome, position.legal_moves()
                true = {("atom", text) for text in self.game.atoms(position)}
                true |= {("legal", str(move)) for move in moves}
                if outcome is not None and outcome.winner is not None:
                    true.add(("won", str(outcome.winner)))
                said[position.ply - 1] = true
                if outcome is not None:
                    break
                move = rng.choice(moves)
                choices[number, self.place[position.ply, str(move)]] = True
                position = position.play(move)
            expected.append(said)
        values = unpack(self.simulator.run(pack(choices)), plays)
        for said, row in zip(expected, values.tolist(), strict=True):
            found: dict[int, set[tuple[str, str]]] = {time_: set() for time_ in said}
            for (time_, kind, text), value in zip(self.wanted, row, strict=True):
                # What is legal when a play is over is nobody's question.
                if value and time_ in said and (kind != "legal" or time_ != max(said)):
                    found[time_].add((kind, text))
            assert found == said


@pytest.mark.parametrize("name", SMALL)
def test_plays_of_small_games_are_the_same_all_at_once(shared_data: Path, name: str) -> None:
    unrolling = Unrolling(game_of(description_of(shared_data, name), SMALL[name]))
    unrolling.check(25, random.Random(name))


# -- what descriptions can say ------------------------------------------------------------------

TURNS = """(role a) (role b) (init (turn a)) (succ 1 2) (succ 2 3)
(<= (next (turn b)) (true (turn a))) (<= (next (turn a)) (true (turn b)))
(<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
"""

ODD = {
    # A way over the board is recursive over what is done, and over the position.
    "recursion": TURNS
    + """(cell 1) (cell 2) (cell 3)
    (<= (legal ?r (join ?x ?y)) (true (turn ?r)) (cell ?x) (cell ?y) (not (joined ?x ?y)))
    (<= (next (edge ?x ?y)) (true (edge ?x ?y)))
    (<= (next (edge ?x ?y)) (does ?r (join ?x ?y)))
    (<= (joined ?x ?y) (true (edge ?x ?y)))
    (<= (joined ?x ?z) (joined ?x ?y) (true (edge ?y ?z)) (cell ?y))
    (<= (new ?x ?y) (does ?r (join ?x ?y)))
    (<= (new ?x ?y) (true (edge ?x ?y)))
    (<= (new ?x ?z) (new ?x ?y) (new ?y ?z) (cell ?y))
    (<= (next (round)) (new 1 2) (new 2 1))
    (<= terminal (joined 1 3) (not (joined 3 1)))
    (<= terminal (true (round)))
    (<= (goal a 100) (joined 1 3)) (<= (goal b 100) (not (joined 1 3)))""",
    # Negation and difference of what is done, constants, disjunctions.
    "negation": TURNS
    + """(<= (legal ?r (take ?n)) (true (turn ?r)) (or (succ ?n ?m) (succ ?m ?n)))
    (<= (next (taken ?n)) (or (does a (take ?n)) (and (does b (take ?m)) (succ ?m ?n))))
    (<= (next calm) (not (does a (take 1))) (not (does b (take 1))))
    (<= (next (last ?r ?n)) (does ?r (take ?n)) (distinct ?n 2))
    (<= terminal (true (taken 3)) (true calm))
    (<= (goal ?r 100) (role ?r) (true (last ?r 3))) (<= (goal b 0) (true calm))""",
    # What a role may do does not depend on the position, nor does what comes after.
    "static": """(role a) (role b) (init s) (legal a x) (legal a y) (legal b z)
    (next s) (next t) (<= terminal (true u)) (<= (next u) (does a y))
    (goal a 100) (goal b 0)""",
    "ends at once": "(role a) (role b) (legal a x) (legal b x) terminal (goal a 100) (goal b 0)",
    "ends at once, lost": "(role a) (role b) (legal a x) (legal b x) terminal (goal a 99)",
    "no goal": TURNS
    + "(<= (legal ?r (go ?n)) (true (turn ?r)) (succ ?n ?m)) (<= terminal (true (turn b)))"
    + "(<= (goal a 100) (true (turn a)))",
    "many goals": TURNS
    + """(<= (legal ?r (go ?n)) (true (turn ?r)) (succ ?n ?m))
    (<= (next (at ?n)) (does a (go ?n))) (<= terminal (true (turn b)))
    (goal a 0) (<= (goal a 70) (true (at 1))) (<= (goal a 100) (true (at 2)))""",
    # The same fluents can hold in both first rounds, and are certain in the first alone.
    "certain at first": """(role a) (role b) (init p) (init q)
    (legal a x) (legal a y) (legal b z) (<= (next p) (does a x)) (<= (next q) (does a y))
    (<= (next r) (not (true p))) (<= (next (s t)) (true r) (not (true q)))
    (<= terminal (true (s t))) (<= (goal a 100) (true p)) (<= (goal b 100) (not (true p)))""",
    # The clause for nobody's moves is none for these roles.
    "strangers": TURNS
    + """(stranger c) (<= (legal ?r (go ?n)) (true (turn ?r)) (succ ?n ?m))
    (<= (legal ?c (go 1)) (stranger ?c)) (<= (next (gone ?r)) (does ?r (go 1)))
    (<= terminal (true (gone c))) (<= (goal a 100) (true (gone c)))""",
}

# What the executable rules refuse to play on in some position.
SILENT = {
    "both": """(role a) (role b) (init s) (legal a left) (legal a right)
    (<= (legal b ?m) (legal a ?m)) (<= (next t) (does a ?m) (does b ?m))
    (<= terminal (not (true s))) (<= (goal ?r 100) (role ?r) (true t))""",
    "both later": TURNS
    + """(<= (legal ?r (go ?n)) (true (turn ?r)) (succ ?n ?m))
    (<= (legal a jump) (true (turn b)) (true free)) (<= (next free) (does a (go 1)))
    (<= terminal (true never)) (goal a 100)""",
    "stuck": TURNS
    + """(<= (legal a (go ?n)) (true (turn a)) (succ ?n ?m)) (<= (next (at ?n)) (does a (go ?n)))
    (<= (legal b go) (true (turn b)) (not (true (at 1))))
    (<= terminal (true never)) (goal a 100)""",
    "stuck at once": """(role a) (role b) (init s) (legal a x)
    (<= (legal b x) (true t)) (<= terminal (true t)) (goal a 100)""",
    "no number": TURNS
    + """(<= (legal ?r (go ?n)) (true (turn ?r)) (succ ?n ?m))
    (value 1 100) (value 2 lots) (<= (next (at ?n)) (does a (go ?n)))
    (<= terminal (true (at ?n))) (<= (goal a ?v) (true (at ?n)) (value ?n ?v))""",
    "too high": TURNS
    + """(<= (legal ?r (go ?n)) (true (turn ?r)) (succ ?n ?m)) (value 101)
    (<= terminal (true (turn b))) (<= (goal a ?v) (value ?v))""",
}


@pytest.mark.parametrize("name", [*ODD, *SILENT])
@pytest.mark.parametrize("role", ["a", "b"])
def test_odd_descriptions_are_the_same(name: str, role: str) -> None:
    text = (ODD | SILENT)[name]
    for rounds, win in ((0, 100), (1, 100), (3, 50), (4, 71)):
        explore(game_of(text, rounds, role=role, win=win), 150)
    if name in ODD:
        Unrolling(game_of(text, 4, role=role)).check(30, random.Random(name))


@pytest.mark.parametrize("name", SILENT)
def test_where_the_rules_are_silent_is_found(name: str) -> None:
    waiting = [Pair.initial(game_of(SILENT[name], 3))]
    silent = 0
    for pair in waiting:
        waiting += [pair.after(move) for move in pair.checked()]
        silent += pair.rules.undefined(pair.state, pair.time + 1) == TRUE
    assert silent


VARIABLES = ("?x", "?y")
POSITION = [
    "(true (on ?x))",
    "(not (true (on ?x)))",
    "(true (on ?y))",
    "(true (edge ?x ?y))",
    "(not (true (edge ?x ?y)))",
    "(path ?x ?y)",
    "(not (path ?x ?y))",
    "(p ?x)",
    "(not (p ?x))",
    "(q ?x ?y)",
    "(distinct ?x ?y)",
    "(not (distinct ?x ?y))",
    "(true flag)",
    "(not (true flag))",
    "(or (true flag) (true (on ?x)))",
    "(succ ?x ?y)",
]
DONE = [
    "(does a (do ?x))",
    "(not (does a (do ?x)))",
    "(does b (do ?y))",
    "(does ?r (do ?x))",
    "(not (does b wait))",
    "(made ?x)",
    "(not (made ?x))",
    "(way ?x ?y)",
]
HEADS = ["(next (on ?x))", "(next (edge ?x ?y))", "(next flag)", "(next flag)"]


@st.composite
def wild_descriptions(draw: st.DrawFn) -> str:
    """Valid descriptions without any sense: turns may be lost, ends may be missing."""

    def some(choice: list[str], least: int = 0, most: int = 3) -> str:
        size = st.lists(st.sampled_from(choice), min_size=least, max_size=most)
        return " ".join(draw(size))

    def rule(head: str, body: str) -> str:
        role = " (role ?r)" if "?r" in head + body else ""
        return f"(<= {head} (c ?x) (c ?y){role} {body})"

    simple = [x for x in POSITION if "path" not in x and "(p " not in x and "(q " not in x]
    lines = ["(role a) (role b) (c 1) (c 2) (succ 1 2)"]
    lines += [f"(init {f})" for f in sorted(draw(st.sets(st.sampled_from(FLUENTS), max_size=3)))]
    lines += [rule("(p ?x)", some(simple)), rule("(q ?x ?y)", some([*simple, "(not (p ?x))"]))]
    lines += [rule("(path ?x ?y)", some([*simple, "(q ?x ?y)"]))]
    lines += ["(<= (path ?x ?z) (path ?x ?y) (path ?y ?z) (c ?y))"]
    lines += [rule("(made ?x)", some(DONE[:5] + POSITION))]
    lines += [rule("(way ?x ?y)", some(["(made ?x)", "(not (made ?y))", *POSITION], 1))]
    lines += ["(<= (way ?x ?z) (way ?x ?y) (true (edge ?y ?z)))"]
    turn = draw(st.sampled_from(["(true flag)", "(true (on 1))", "(p 1)", "(path 1 2)"]))
    lines += [rule("(legal a (do ?x))", f"{turn} {some(POSITION, 0, 1)}")]
    lines += [rule("(legal b (do ?x))", f"(not {turn}) {some(POSITION, 0, 1)}")]
    lines += [f"(<= (legal a wait) (not {turn}))", f"(<= (legal b wait) {turn})"]
    lines += [rule("(legal ?r (do ?x))", some(POSITION, 3)) for _ in range(draw(st.integers(0, 1)))]
    lines += [
        rule(draw(st.sampled_from(HEADS)), some(POSITION + DONE, 0, 2))
        for _ in range(draw(st.integers(3, 7)))
    ]
    late = draw(st.sampled_from(["(true (edge 1 1))", "(path 2 2)", "(not (p ?x)) (true (on ?x))"]))
    lines += [rule("terminal", f"{late} {some(POSITION)}")]
    lines += [rule("(goal a 100)", some(POSITION)), rule("(goal b 60)", some(POSITION))]
    return "\n".join(lines)


FLUENTS = ["flag", "(on 1)", "(on 2)", "(edge 1 2)", "(edge 2 1)", "(edge 1 1)"]


@settings(max_examples=40)
@given(wild_descriptions(), st.sampled_from("ab"), st.integers(1, 4))
def test_wild_descriptions_are_the_same(text: str, role: str, rounds: int) -> None:
    try:
        game = game_of(text, rounds, role=role, win=60)
    except InputError:
        assume(False)
    explore(game, 40)


# -- limits -------------------------------------------------------------------------------------


def test_what_is_too_large_is_said(shared_data: Path) -> None:
    game = game_of(description_of(shared_data, "tic-tac-toe"), 9)
    rules = sum(p.num_rules for p in {id(p): p for p in unrolled(game).programs}.values())
    assert unrolled(game, max_rules=rules).rounds == 9
    with pytest.raises(TooLargeError, match=f"more than {rules - 1:,} ground rules"):
        unrolled(game, max_rules=rules - 1)
    with pytest.raises(TooLargeError, match="time is up while the rules are grounded"):
        unrolled(game, deadline=Deadline.after(-1))


def test_a_grounding_that_explodes_is_stopped_on_the_way() -> None:
    """A rule with six places to choose from: 64 million instances, which are never all made."""
    cells = " ".join(f"(c {k})" for k in range(20))
    body = " ".join(f"(c ?{n}) (true (on ?{n}))" for n in "abdefg")
    text = (
        f"(role a) (role b) {cells} (<= (init (on ?x)) (c ?x)) (legal a x) (legal b x)"
        f"(<= far {body}) (<= terminal far (true done)) (next done) (goal a 100)"
    )
    with pytest.raises(TooLargeError, match="more than 50,000 ground rules"):
        unrolled(game_of(text, 2), max_rules=50_000)
    with pytest.raises(TooLargeError, match="time is up while the rules are grounded"):
        unrolled(game_of(text, 2), max_rules=10**9, deadline=Deadline.after(0.3))


def test_the_same_game_is_grounded_the_same_each_time(shared_data: Path) -> None:
    description = description_of(shared_data, "break-through-2x5")
    assert unrolled(game_of(description, 5)) == unrolled(game_of(description, 5))


# -- strategies ---------------------------------------------------------------------------------

# Small questions with the answer: the rounds, who is Black, who wins.
QUESTIONS = [
    ("trails", 8, "red", WHITE),
    ("trails", 10, "red", BLACK),
    ("trails", 4, "blue", WHITE),
    ("connect-3-4x4", 5, "xplayer", WHITE),
    ("tic-tac-toe", 4, "oplayer", WHITE),
]


@pytest.fixture(scope="module")
def certified(shared_data: Path) -> Any:
    pytest.importorskip("clingo", reason="grounding needs clingo")
    known: dict[object, Certified] = {}

    def make(name: str, rounds: int, role: str, encoding: str) -> Certified:
        key = (name, rounds, role, encoding)
        if key not in known:
            model = GdlModel(description_of(shared_data, name), rounds, role)
            known[key] = certify_game(model, encoding)
        return known[key]

    return make


def verdict(made: Certified, game: RoundsGame) -> Verdict:
    encoding = made.encoding
    return prove_rules(encoding.qbf, encoding.layout, made.certificate, game).verdict


@pytest.mark.parametrize(("name", "rounds", "role", "winner"), QUESTIONS)
@pytest.mark.parametrize("encoding", ["gdl", "gdl-strict", "gdl-sd"])
def test_the_winners_strategy_is_proved(
    certified: Any, name: str, rounds: int, role: str, winner: Player, encoding: str
) -> None:
    made = certified(name, rounds, role, encoding)
    assert made.winner is winner
    game = load_game(made.encoding.model)
    assert isinstance(verdict(made, game), Proved)
    boards = prove_boards(made.encoding.qbf, made.encoding.layout, made.certificate, game)
    assert isinstance(boards.verdict, Proved if winner is BLACK else Unsupported)


def test_a_strategy_is_proved_of_its_own_game_alone(certified: Any) -> None:
    """Fewer rounds for Black, more for White, another role: none of these is won so."""
    black = certified("trails", 10, "red", "gdl")
    white = certified("trails", 8, "red", "gdl")
    description = black.encoding.model.description
    others = [
        (black, game_of(description, 8, role="red")),
        (black, game_of(description, 0, role="red")),
        (white, game_of(description, 10, role="red")),
        (black, game_of(description, 10, role="blue")),
    ]
    for made, game in others:
        assert isinstance(verdict(made, game), Refuted | Undecided), (made.winner, game.plies)


def test_a_move_that_only_the_model_has_is_played(certified: Any) -> None:
    """The strategy of one game beside the description of another, where White can do more."""
    made = certified("trails", 10, "red", "gdl")
    text = made.encoding.model.description.source.text
    more = game_of(text + "(<= (legal blue stay) (true (control blue)))", 10, role="red")
    answer = verdict(made, more)
    assert isinstance(answer, Refuted)
    (finding,) = answer.findings
    assert finding.kind is FindingKind.LEGALITY_DIFFERS
    assert finding.moves == ("wait", "stay")
    same = game_of(text + "(<= (legal blue stay) (true (control red)) (true (control blue)))", 10)
    assert isinstance(verdict(made, game_of(same.description, 10, role="red")), Proved)


def test_a_formula_that_is_wrong_about_a_fluent_is_found(certified: Any) -> None:
    """At any time; of a fluent that can hold, and of one that never does."""
    made = certified("trails", 10, "red", "gdl")
    game, layout = load_game(made.encoding.model), made.encoding.layout
    table = layout.state
    known = table.kinds.index("(cell 3 4 red)")
    columns = [list(literals) for literals in table.states]
    for time_ in (0, 2, 8):
        negated = [row.copy() for row in columns]
        negated[time_][known] *= -1
        added = [
            [*row, row[known] if t == time_ else 0] if row else [] for t, row in enumerate(columns)
        ]
        for atoms, rows in ((table.kinds, negated), ((*table.kinds, "(cell 9 9 red)"), added)):
            state = replace(table, kinds=atoms, states=tuple(map(tuple, rows)))
            lie = replace(layout, state=state)
            boards = prove_boards(made.encoding.qbf, lie, made.certificate, game).verdict
            assert isinstance(boards, Refuted), (time_, len(atoms))
            rules = prove_rules(made.encoding.qbf, lie, made.certificate, game).verdict
            assert isinstance(rules, Proved), "the strategy is none the worse"


def test_certificates_with_a_wrong_gate_win_or_are_refuted(certified: Any) -> None:
    """What is proved wins each play that ends by legal moves; what wins them all is proved."""
    proved = refuted = 0
    for name, rounds, role, _ in QUESTIONS[:4]:
        made = certified(name, rounds, role, "gdl")
        game, layout = load_game(made.encoding.model), made.encoding.layout
        rng = random.Random(name + role)
        functions = made.certificate.functions
        moves = {abs(v) for table in layout.moves for v in table.variables}
        own = sorted(moves & functions.keys())
        for _ in range(8):
            wrong = rng.choice(own)
            changed = dict(functions)
            changed[wrong] = rng.choice([functions[wrong] ^ 1, functions[rng.choice(own)]])
            certificate = replace(made.certificate, functions=changed)
            answer = prove_rules(made.encoding.qbf, layout, certificate, game).verdict
            try:
                lost = lost_plays(layout, certificate, game, most=100_000)
            except AssertionError as error:
                if "no move" not in str(error):
                    raise
                lost = [f"{error}: illegal"]
            if isinstance(answer, Proved):
                proved += 1
                assert all(text.endswith(": illegal") for text in lost)
            else:
                refuted += 1
                assert isinstance(answer, Refuted)
                assert lost
    assert proved
    assert refuted


def test_nothing_is_proved_where_the_rules_are_silent(shared_data: Path) -> None:
    """The formula of a game is taken for one whose rules say nothing of some position."""
    pytest.importorskip("clingo", reason="grounding needs clingo")
    text = SILENT["stuck"]
    fine = text.replace("(not (true (at 1)))", "")
    for role in "ab":
        made = certify_game(GdlModel(parse_description(fine), 3, role), "gdl")
        assert isinstance(verdict(made, game_of(fine, 3, role=role)), Proved)
        answer = verdict(made, game_of(text, 3, role=role))
        assert isinstance(answer, Undecided | Refuted)
