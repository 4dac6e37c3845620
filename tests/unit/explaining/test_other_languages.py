"""Programs in Python and in SMT-LIB play what the certificate plays, and every word means the same.

The Python module runs in a process without the package; the script is read by a small reader of
the tests', and by z3 where that is installed.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from qsage_validate.arena.strategy_tree import StrategyNode, tree_of
from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.registry import encode
from qsage_validate.errors import UndecidedError, UsageError
from qsage_validate.extensions.explain import standalone
from qsage_validate.extensions.explain.answers import AnswerFork, Exactly, Leaf, Pick, vocabulary_of
from qsage_validate.extensions.explain.certificate import certificate_of
from qsage_validate.extensions.explain.circuits import (
    Case,
    SituationGates,
    Spot,
    StoneAtoms,
    SymbolicGame,
    circuit_of,
)
from qsage_validate.extensions.explain.explanation import ExplainedProgram, ExplainOptions, explain
from qsage_validate.extensions.explain.shown import PythonWords, python_module, smtlib_module
from qsage_validate.extensions.explain.situation import Made, PlyAtMost, Situation, first_situations
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import Player, TwoPlayerGame
from qsage_validate.games.registry import find_command
from qsage_validate.problems.load import Files, of
from tests.support.smt_reader import Script

DOMINO = "httt --size 3x3 --shape domino --depth 3"
DOMINO_4 = "httt --size 4x4 --shape domino --depth 3"
EVADER = "evader-pursuer --size 8x8 --pursuer 3,4 --depth 7"
LONGER = "breakthrough --second --size 2x5 --depth 11"
TIC = "httt --size 4x4 --shape tic --depth 5"
SECOND = "breakthrough --second --size 2x4 --depth 13"
HELD = "httt --size 2x2 --shape el --depth 3"
PAIRS = "httt --size 3x3 --shape fatty --depth 9"
HEX = "hex --size 3x3 --depth 5"
DUAL = "evader-pursuer-dual --size 4x4 --pursuer 2,3 --depth 10"
CONNECT = "connect-c --size 3x3 --connect 3 --depth 9"
TRAILS = "trails --depth 3"

# The larger games of the page of explanations; its others are in PLAYED.
PAGE = [(EVADER, 3), (LONGER, 3), (DUAL, 3)]
PLAYED = [
    (DOMINO, 1),
    (DOMINO_4, 3),
    (TIC, 1),
    (TIC, 3),
    (HELD, 3),
    (PAIRS, 0),
    (HEX, 3),
    (TRAILS, 3),
]

MOST = 400


@cache
def encoded(words: str) -> tuple[Encoding, TwoPlayerGame]:
    made = encode(find_command(shlex.split(words)), None)
    return made, load_game(made.model)


@cache
def explained(words: str, lookahead: int) -> ExplainedProgram:
    made, game = encoded(words)
    return explain(game, made, ExplainOptions(lookahead=lookahead))


@cache
def certificate_plays(words: str, lookahead: int) -> list[tuple[tuple[str, ...], str]]:
    """All moves of the opponent's with the last reply of the program's certificate.

    Of a game with more than ``MOST`` of them the first ones.
    """
    made, game = encoded(words)
    explanation = explained(words, lookahead)
    certificate = certificate_of(explanation.found, made, game, explanation.hero)
    tree = tree_of(of(made, certificate, Files()).on_board)
    found = list[tuple[tuple[str, ...], str]]()
    waiting: list[tuple[tuple[str, ...], StrategyNode]] = [((), tree.root)]
    while waiting and len(found) < MOST:
        given, node = waiting.pop()
        if node.answer is not None:
            found.append((given, node.answer))
        waiting += [((*given, str(child.move)), child) for child in tree.children(node)]
    return found


DRIVER = """
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("program", sys.argv[1])
program = importlib.util.module_from_spec(spec)
sys.modules["program"] = program
spec.loader.exec_module(program)
replies = [program.reply(moves) for moves in json.load(sys.stdin)]
foreign = [name for name in sys.modules if name.partition(".")[0] == "qsage_validate"]
json.dump([replies, foreign], sys.stdout)
"""


@pytest.mark.parametrize(("words", "lookahead"), [*PLAYED, (SECOND, 3), *PAGE])
def test_the_python_module_replies_as_the_certificate_does(
    words: str, lookahead: int, tmp_path: Path
) -> None:
    module = tmp_path / "program.py"
    module.write_text(python_module(explained(words, lookahead)))
    plays = certificate_plays(words, lookahead)
    run = subprocess.run(
        [sys.executable, "-I", "-S", "-c", DRIVER, str(module)],
        input=json.dumps([given for given, _ in plays]),
        capture_output=True,
        text=True,
        check=True,
    )
    replies, foreign = json.loads(run.stdout)
    assert not foreign
    assert len(plays) > 2
    for (given, answer), reply in zip(plays, replies, strict=True):
        assert reply == [answer], given


def test_the_python_module_is_a_command(tmp_path: Path) -> None:
    module = tmp_path / "program.py"
    module.write_text(python_module(explained(TIC, 1)))

    def run(*moves: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-I", "-S", str(module), *moves]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    first = run()
    assert first.stdout.splitlines()[-1] == "reply: occupy(2,2)"
    assert (first.returncode, first.stderr) == (0, "")
    won = run("occupy(1,1)", "occupy(1,3)")
    assert won.stdout.endswith("Black has won\n")
    for moves, found in (
        (("occupy(2,2)",), "found 'occupy(2,2)' as move 1, expected occupy("),
        (
            ("occupy(1,1)", "occupy(1,3)", "occupy(4,4)"),
            "found 'occupy(4,4)' as move 3, expected no move, for the play is over",
        ),
    ):
        refused = run(*moves)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert refused.stderr.startswith(found)
        assert refused.stderr.count("\n") == 1


def replies_of(script: Script, given: tuple[str, ...], hero_first: bool) -> tuple[str, bool]:
    """The reply to some moves of the opponent's, and whether all of these are legal."""
    moves = {
        name: f"|{move}|" for name, move in zip(script.constants, given, strict=False)
    } | dict.fromkeys(script.constants[len(given) :], "|no move|")
    values = script.values(moves)
    reply = values[f"|reply {2 * len(given) + (1 if hero_first else 0)}|"]
    assert isinstance(reply, str)
    return reply, bool(values["wins"])


@pytest.mark.parametrize(("words", "lookahead"), PLAYED)
def test_the_script_replies_as_the_certificate_does(words: str, lookahead: int) -> None:
    explanation = explained(words, lookahead)
    script = Script(smtlib_module(explanation))
    first = explanation.game.first_player is explanation.hero
    plays = certificate_plays(words, lookahead)
    for given, answer in plays[:: max(1, len(plays) // 150)]:
        if len(given) > len(script.constants):
            continue
        assert replies_of(script, given, first)[0] == f"|{answer}|", given


def test_the_script_says_which_plays_are_won() -> None:
    script = Script(smtlib_module(explained(TIC, 1)))
    moves = dict(zip(script.constants, ("|occupy(1,1)|", "|occupy(1,2)|"), strict=True))
    values = script.values(moves)
    assert (values["legal"], values["wins"]) == (True, True)
    taken = script.values({**moves, script.constants[0]: "|occupy(2,2)|"})
    assert (taken["legal"], taken["wins"]) == (False, False)
    assert taken["|reply 5|"] == "|no move|"


def claimed(text: str) -> str:
    """What z3 answers to a script."""
    z3 = pytest.importorskip("z3", reason="z3 (the extra 'impartial') is not installed")
    context = z3.Context()
    return str(z3.Z3_eval_smtlib2_string(context.ref(), text)).strip()


@pytest.mark.parametrize(("words", "lookahead"), [*PLAYED, (SECOND, 3), (EVADER, 3), (DUAL, 3)])
def test_z3_proves_that_the_program_wins(words: str, lookahead: int) -> None:
    assert claimed(smtlib_module(explained(words, lookahead))) == "unsat"


def test_z3_refutes_a_program_that_does_not_win() -> None:
    """A tree that plays legally, and beside nothing; and one that has no legal move."""
    explanation = explained(DOMINO, 1)
    turn = PlyAtMost(1, 1, Player.BLACK)
    for answer in (Pick("any", "", Player.BLACK, last=True), Exactly("occupy(1,1)")):
        tree = AnswerFork(turn, Leaf(Exactly("occupy(1,1)")), Leaf(answer))
        liar = replace(explanation, found=replace(explanation.found, tree=tree))
        assert claimed(smtlib_module(liar)) == "sat"


def test_a_part_and_a_large_program_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    part = replace(explained(TIC, 1), max_nodes=3)
    for write, ending in ((python_module, "py"), (smtlib_module, "smt2")):
        with pytest.raises(UsageError, match=rf"ends in \.{ending}, expected the whole program"):
            write(part)
    monkeypatch.setattr("qsage_validate.extensions.explain.circuits.MOST_STATES", 50)
    monkeypatch.setattr(SymbolicGame, "__init__", limited(SymbolicGame.__init__))
    with pytest.raises(UndecidedError, match="look at more than 50 positions"):
        smtlib_module(explained(TIC, 3))


def limited(init: object) -> object:
    def made(self: SymbolicGame, *words: object) -> None:
        init(self, *words)  # type: ignore[operator]
        self.left = 50

    return made


# -- every word ------------------------------------------------------------------------------------


def situations(
    game: TwoPlayerGame, hero: Player, most: int
) -> Iterator[tuple[Situation, tuple[str, ...]]]:
    """Situations of plays in which the hero's moves change from one to the next, with all moves."""
    waiting = [
        (at, () if at.theirs is None else (at.theirs.text,)) for at in first_situations(game, hero)
    ]
    for number in range(most):
        if not waiting:
            return
        at, moves = waiting.pop(number * 7 % len(waiting))
        yield at, moves
        choice = at.choices[number * 5 % len(at.choices)]
        for after in at.after(choice):
            assert after.theirs is not None
            waiting.append((after, (*moves, choice.made.text, after.theirs.text)))


def view_of(table: SymbolicGame, at: Situation, moves: tuple[str, ...]) -> SituationGates:
    """The situation as constants: the play is made in the rules as gates."""
    rules = table.rules
    spot = Spot(table, rules.initial, 0)
    for text in moves:
        made = [TRUE if text == move else FALSE for move in rules.moves(spot.time + 1)]
        assert TRUE in made
        spot = Spot(table, rules.after(spot.state, spot.time + 1, made), spot.time + 1)

    def cases(move: Made | None) -> list[Case]:
        return [] if move is None else [Case(TRUE, 0, move.kind, move.to, move.off)]

    return SituationGates(spot, cases(at.theirs), cases(at.ours))


def alone(game: TwoPlayerGame, text: str) -> standalone.Game:
    """The rules of a written module."""
    names: dict[str, object] = {"__name__": "program"}
    exec(compile(text, "program.py", "exec", dont_inherit=True), names)
    found = names["GAME"]
    assert (found.width, found.height) == (game.initial.board.width, game.initial.board.height)  # type: ignore[attr-defined]
    return found  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("words", "hero"),
    [
        (TIC, Player.BLACK),
        (SECOND, Player.BLACK),
        (SECOND, Player.WHITE),
        (DUAL, Player.WHITE),
        (CONNECT, Player.BLACK),
        (HEX, Player.WHITE),
        (TRAILS, Player.BLACK),
    ],
)
def test_every_word_means_the_same_in_python_and_as_gates(words: str, hero: Player) -> None:
    _, game = encoded(words)
    lookahead = 2 if words == DUAL else 3
    vocabulary = vocabulary_of(game, hero, lookahead=lookahead)
    answer = Leaf(vocabulary.answers[0])
    explanation = explained(words, 3)
    text = python_module(replace(explanation, found=replace(explanation.found, tree=answer)))
    own_game = alone(game, text)
    rules = circuit_of(game, AigBuilder())
    stones = StoneAtoms.of_rules(game, rules, explanation.found.situations)
    theirs, ours = "BW"[hero is Player.BLACK], "WB"[hero is Player.BLACK]
    python = PythonWords()
    asked = [compile(q.said(python), "question", "eval") for q in vocabulary.questions]
    answers = [compile(a.said(python), "answer", "eval") for a in vocabulary.answers]
    seen = [set[bool]() for _ in asked]
    for at, moves in situations(game, hero, 8 if words == DUAL else 30):
        view = view_of(SymbolicGame(rules, stones), at, moves)
        position, last = own_game.first(), dict[str, standalone.Move]()
        for move in moves:
            (found,) = [one for one in position.moves() if one.text == move]
            last[position.mover] = found
            position = found.after
        mine = standalone.At(position, last.get(theirs), last.get(ours))
        for number, question in enumerate(vocabulary.questions):
            holds = question.holds(at)
            seen[number].add(holds)
            assert eval(asked[number], {"at": mine}) is holds, (str(question), moves)
            assert question.said(view) == (TRUE if holds else FALSE), (str(question), moves)
        for number, one in enumerate(vocabulary.answers):
            choice = one.choose(at)
            expected = None if choice is None else choice.made.text
            reply = eval(answers[number], {"at": mine})
            assert (None if reply is None else reply.text) == expected, (str(one), moves)
            played = [rules.moves(view.spot.time + 1)[k] for k, v in one.said(view).items() if v]
            assert played == ([] if expected is None else [expected]), (str(one), moves)
    # Words that are never, or always, true would be no test of what they mean.
    assert sum(len(values) == 2 for values in seen) > len(seen) / 4
