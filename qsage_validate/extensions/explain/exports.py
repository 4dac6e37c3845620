"""Programs for others: a strategy in Python and in SMT-LIB.

Each ply of the opponent's is a constant, each reply a ``define-fun`` over them that has the form of
the tree.  The rules and what the questions ask are gates.  At the end stands the claim that the
program wins, as a question that a solver must answer with ``unsat``.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import wrap
from typing import Final

from qsage_validate.circuit.aig import TRUE, AigBuilder
from qsage_validate.errors import UndecidedError, one_line
from qsage_validate.extensions.explain import standalone
from qsage_validate.extensions.explain.answers import AnswerFork, Tree
from qsage_validate.extensions.explain.circuits import (
    Played,
    SituationGates,
    Spot,
    StoneAtoms,
    SymbolicGame,
    Unrolled,
    circuit_of,
    either,
    gates_below,
    numbered,
)
from qsage_validate.extensions.explain.explanation import ExplainedProgram
from qsage_validate.extensions.explain.situation import OWN, Place, Words
from qsage_validate.games.protocol import Player, Square
from qsage_validate.kernel.game import Rules, State, TooLargeError
from qsage_validate.system.limits import NEVER, Deadline

# An explanation as a Python module that needs nothing but Python


_SIGN: Final = {player: square.value for player, square in OWN.items()}
_WIDTH: Final = 99


class PythonWords(Words[str, str]):
    """Questions and answers as expressions about ``at``, an ``At`` of ``standalone``."""

    def stands(self, place: Place, what: Square) -> str:
        return f"at.stands({place}) == {_quoted(what.value)}"

    def went(self, theirs: bool, place: Place) -> str:
        return f"at.went({_last(theirs)}, {place})"

    def went_in(self, theirs: bool, region: str, number: int) -> str:
        rest = f", {number}" if number else ""
        return f"at.went_in({_last(theirs)}, {_quoted(region)}{rest})"

    def was(self, theirs: bool, kind: str) -> str:
        return f"at.was({_last(theirs)}, {_quoted(kind)})"

    def beside(self, theirs: bool, shift: Place, what: Square | None) -> str:
        there = "" if what is None else what.value
        return f"at.beside({_last(theirs)}, {shift[0]}, {shift[1]}, {_quoted(there)})"

    def apart(self, shift: Place) -> str:
        return f"at.apart({shift[0]}, {shift[1]})"

    def related(self, relation: str) -> str:
        return f"at.related({_quoted(relation)})"

    def by_ply(self, ply: int) -> str:
        return f"at.by_ply({ply})"

    def threatened(self) -> str:
        return "at.threatened()"

    def odd(self) -> str:
        return "at.odd()"

    def ahead(self, player: Player, by: int) -> str:
        return f"at.ahead({_quoted(_SIGN[player])}, {by})"

    def possible(self, answer: str) -> str:
        return f"{answer} is not None"

    def joined(self, word: str, parts: Sequence[str]) -> str:
        return f"not ({parts[0]})" if word == "not" else f" {word} ".join(f"({p})" for p in parts)

    def exactly(self, text: str) -> str:
        return f"at.exactly({_quoted(text)})"

    def shifted(self, theirs: bool, shift: Place) -> str:
        return f"at.shifted({_last(theirs)}, {shift[0]}, {shift[1]})"

    def first_of(self, cases: Sequence[tuple[str, str]]) -> str:
        chosen = "".join(f"{answer} if {asked} else " for asked, answer in cases)
        return f"({chosen}None)"

    def mapped(self, squares: Mapping[Place, Place]) -> str:
        return f"at.mapped({dict(squares)})"

    def pick(self, quality: str, kind: str, last: bool) -> str:
        rest = f", {_quoted(kind)}" if kind else ""
        return f"at.pick({_quoted(quality)}{rest}{', last=True' if last else ''})"


def _last(theirs: bool) -> str:
    return "at.theirs" if theirs else "at.ours"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def python_module(explanation: ExplainedProgram, deadline: Deadline = NEVER) -> str:
    """The module: the tree as ``choose``, and ``reply`` from the opponent's moves to one's own.

    Raises ``UsageError`` for a game whose rules are no circuit and for a part of a program, and
    ``UndecidedError`` at the deadline.
    """
    explanation.check_whole(".py")
    try:
        return "".join(f"{line}\n" for line in _module(explanation, deadline))
    except TooLargeError as error:
        raise UndecidedError(f"undecided: {error}") from None


def _module(explanation: ExplainedProgram, deadline: Deadline) -> Iterator[str]:
    hero, foe = explanation.hero, explanation.hero.other
    text = one_line(f"{explanation.title}: {explanation.measure}.").replace("\\", " ")
    yield '"""' + "\n".join(wrap(text.replace('"', "'"), _WIDTH - 3))
    yield ""
    yield f"reply(MOVES) says what {hero} plays after the list MOVES of {foe}'s moves, as does"
    yield "'python FILE MOVE ...'. The tree is the function choose, below the words that it uses."
    yield '"""'
    own = inspect.getsource(standalone)
    yield own[own.index("\nfrom __future__") :].rstrip("\n")
    yield ""
    yield ""
    yield "def choose(at: At) -> Move | None:"
    yield f'    """What {hero} plays."""'
    yield from _tree(explanation.tree, "    ")
    yield ""
    yield ""
    yield "def reply(moves: Sequence[str]) -> list[str]:"
    yield f'    """{hero}\'s moves after the last of {foe}\'s, mostly one; none after the end.'
    yield ""
    yield f"    ``moves`` are all of {foe}'s moves so far, such as {_example(explanation)}. Raises"
    yield "    ``ValueError`` for an illegal one."
    yield '    """'
    yield f'    return played(GAME, "{_SIGN[hero]}", choose, moves).replies'
    yield ""
    yield ""
    yield from _rules(explanation, deadline)
    yield ""
    yield 'if __name__ == "__main__":'
    yield f'    sys.exit(run(GAME, "{_SIGN[hero]}", choose))'


def _example(explanation: ExplainedProgram) -> str:
    theirs = (at.theirs for at in explanation.found.situations)
    return next((_quoted(move.text) for move in theirs if move is not None), "none")


def _tree(tree: Tree, indent: str) -> Iterator[str]:
    words = PythonWords()
    if isinstance(tree, AnswerFork):
        yield from (f"{indent}# {line}" for line in wrap(one_line(str(tree.question)), 80))
        yield f"{indent}if {tree.question.said(words)}:"
        yield from _tree(tree.yes, indent + "    ")
        yield f"{indent}else:"
        yield from _tree(tree.no, indent + "    ")
        return
    yield from (f"{indent}# {line}" for line in wrap(one_line(str(tree.answer)), 80))
    yield f"{indent}return {tree.answer.said(words)}"


def _rules(explanation: ExplainedProgram, deadline: Deadline) -> Iterator[str]:
    """The rules as data, ply by ply."""
    game = explanation.game
    board = game.initial.board
    rules = circuit_of(game, AigBuilder(), deadline)
    stones = StoneAtoms.of_rules(game, rules, explanation.found.situations)
    yield "# The rules as gates, ply by ply."
    yield "PLIES = ["
    state = rules.initial
    for ply in range(1, rules.plies + 1):
        deadline.check("the rules were written")
        lines, state = _ply(rules, stones, ply, state)
        yield from lines
    yield "]"
    yield "NAMED: dict[str, Place] = {"
    for text in dict.fromkeys(str(move) for player in Player for move in game.moves(player)):
        place = game.square_of(text)
        if place is not None:
            yield f"    {_quoted(text)}: {place},"
    yield "}"
    squares = "".join(square.value for square in board.squares)
    yield f'GAME = Game({board.width}, {board.height}, "{squares}", PLIES, NAMED)'


def _ply(rules: Rules, stones: StoneAtoms, ply: int, state: State) -> tuple[list[str], State]:
    """A ply from a state, and the next state, whose literals are constants or new inputs."""
    builder, mover = rules.builder, rules.mover(ply)
    legal = list(rules.legal(state, ply))
    made = [builder.input() for _ in legal]
    done = [builder.and_(*pair) for pair in zip(made, legal, strict=True)]
    after = rules.after(state, ply, done)
    kept = [literal for literal in after if literal > TRUE]
    black, white = (stones.literals(rules, after, ply, player) for player in Player)
    won = rules.won(after, ply)
    ended = [won[Player.BLACK], won[Player.WHITE]]
    inputs = [literal for literal in state if literal > TRUE]
    parts = [legal, kept, black, white, ended]
    gates, outputs = numbered(builder, [*inputs, *made], [one for part in parts for one in part])
    text = [f"    Ply(  # {ply}", f'        "{_SIGN[mover]}",']
    text += _numbers([_quoted(move) for move in rules.moves(ply)])
    text += _numbers([str(literal) for gate in gates for literal in gate])
    rest = iter(outputs)
    for part in parts[:-1]:
        text += _numbers([str(next(rest)) for _ in part])
    text += [f"        ({next(rest)}, {next(rest)}),", "    ),"]
    return text, tuple(literal if literal <= TRUE else builder.input() for literal in after)


def _numbers(items: Sequence[str]) -> list[str]:
    lines, line = list[str](), "        ["
    for item in items:
        if len(line) + len(item) > _WIDTH - 3:
            lines.append(line.rstrip())
            line = "         "
        line += f"{item}, "
    return [*lines, f"{line.removesuffix(', ')}],"]


# An explanation in SMT-LIB: the replies as functions of the opponent's moves


_TAKEN: Final = (
    "true", "false", "not", "and", "or", "xor", "ite", "=", "=>", "distinct", "let", "forall",
    "exists", "match", "par", "as", "is", "Bool", "Move", "legal", "wins",
)  # fmt: skip


def smtlib_module(explanation: ExplainedProgram, deadline: Deadline = NEVER) -> str:
    """The script: definitions, and the claim that the program wins.

    Raises ``UsageError`` for a game whose rules are no circuit and for a part of a program, and
    ``UndecidedError`` at a limit.
    """
    explanation.check_whole(".smt2")
    try:
        return _Script(explanation, deadline).text()
    except TooLargeError as error:
        raise UndecidedError(f"undecided: {error}") from None


@dataclass
class _SmtNames:
    """Symbols of SMT-LIB, each for one thing."""

    known: set[str] = field(default_factory=lambda: set(_TAKEN))

    def new(self, text: str) -> str:
        """A symbol for a text, in bars."""
        name = one_line(text).replace("|", "!").replace("\\", "/")
        while name in self.known:
            name += "'"
        self.known.add(name)
        return f"|{name}|"


class _Script:
    def __init__(self, explanation: ExplainedProgram, deadline: Deadline) -> None:
        self.explanation, self.deadline = explanation, deadline
        self.game, self.hero = explanation.game, explanation.hero
        self.rules = circuit_of(self.game, AigBuilder(), deadline)
        self.builder = self.rules.builder
        stones = StoneAtoms.of_rules(self.game, self.rules, explanation.found.situations)
        self.table = SymbolicGame(self.rules, stones, deadline)
        self.names = _SmtNames()
        self.none = self.names.new("no move")
        texts = (t for ply in range(1, self.rules.plies + 1) for t in self.rules.moves(ply))
        self.symbols = {text: self.names.new(text) for text in dict.fromkeys(texts)}
        self.consts = list[str]()
        self.inputs = dict[int, str]()
        self.used = set[int]()
        self.program = list[str]()

    # -- the play ---------------------------------------------------------------------------------

    def text(self) -> str:
        plays = Unrolled(self.table, self.hero)
        while plays.goes_on:
            self.deadline.check("the program was written in SMT-LIB")
            if plays.spot.mover is self.hero:
                plays.play(self._reply(plays.view, plays.alive))
            else:
                plays.play(self._given(plays.spot))
        claims = [
            f"(define-fun legal () Bool {self._literal(plays.legal)})",
            f"(define-fun wins () Bool {self._literal(plays.wins)})",
        ]
        lines = [*self._head(), *self._gates(), *self.program, *self._claim(claims)]
        return "".join(f"{line}\n" for line in lines)

    def _given(self, spot: Spot) -> Played:
        """A move of the opponent's: a constant."""
        const = self.names.new(f"move {spot.time + 1}")
        self.consts.append(const)
        found = {}
        for step in spot.steps:
            literal = self.builder.input()
            self.inputs[literal] = f"(= {const} {self.symbols[step.text]})"
            found[step.number] = self.builder.and_(literal, step.legal)
        return found

    def _reply(self, view: SituationGates, alive: int) -> Played:
        """A move of the program's: a function that has the form of the tree."""
        ply = view.spot.time + 1
        term, played = self._tree(self.explanation.tree, view, ply)
        if alive != TRUE:
            term = f"(ite {self._literal(alive)}\n  {term}\n  {self.none})"
        self.program += ["", f"(define-fun {self.names.new(f'reply {ply}')} () Move", f"  {term})"]
        return played

    def _tree(self, tree: Tree, view: SituationGates, ply: int) -> tuple[str, Played]:
        builder = self.builder
        if isinstance(tree, AnswerFork):
            asked = tree.question.said(view)
            if asked <= TRUE:
                return self._tree(tree.yes if asked else tree.no, view, ply)
            name = self._defined(f"ply {ply}: {tree.question}", "Bool", self._literal(asked))
            yes, played = self._tree(tree.yes, view, ply)
            no, other = self._tree(tree.no, view, ply)
            both = either(builder, asked, played, other)
            return f"(ite {name} {yes} {no})", both
        played = tree.answer.said(view)
        moves = self.rules.moves(ply)
        if list(played.values()) == [TRUE]:
            return self.symbols[moves[next(iter(played))]], played
        lines = [
            f"  (ite {self._literal(holds)} {self.symbols[moves[number]]}"
            for number, holds in played.items()
        ]
        term = "\n".join(["", *lines, f"  {self.none}{')' * len(lines)}"])
        return self._defined(f"ply {ply}: {tree.answer}", "Move", term), played

    # -- the text ---------------------------------------------------------------------------------

    def _defined(self, text: str, sort: str, term: str) -> str:
        name = self.names.new(text)
        self.program.append(f"(define-fun {name} () {sort} {term})")
        return name

    def _literal(self, literal: int) -> str:
        if literal <= TRUE:
            return "true" if literal else "false"
        self.used.add(literal & ~1)
        name = f"n!{literal >> 1}"
        return f"(not {name})" if literal & 1 else name

    def _head(self) -> Iterator[str]:
        hero, foe = self.hero, self.hero.other
        told = (
            f"{self.explanation.title}: {self.explanation.measure}. {foe}'s moves are the "
            f"constants 'move N', {hero}'s are the functions 'reply N', for ply N. The last "
            f"question is whether {foe} can make legal moves against which {hero} does not win: "
            "unsat. Behind it one may ask for a reply: (assert (= |move 2| ...)) (check-sat) "
            "(get-value (|reply 3|))."
        )
        yield from (f"; {line}" for line in wrap(one_line(told), 97))
        yield "(set-logic QF_DT)"
        symbols = " ".join(f"({symbol})" for symbol in (self.none, *self.symbols.values()))
        yield f"(declare-datatypes ((Move 0)) (({symbols})))"
        yield from (f"(declare-const {const} Move)" for const in self.consts)
        yield ""
        yield "; The rules, and what the questions ask, as gates."

    def _gates(self) -> Iterator[str]:
        for literal, sides in gates_below(self.builder, sorted(self.used), self.inputs).items():
            if sides is None:
                term = self.inputs[literal]
            else:
                term = f"(and {self._literal(sides[0])} {self._literal(sides[1])})"
            yield f"(define-fun n!{literal >> 1} () Bool {term})"
        yield ""
        yield "; The program, ply by ply."

    def _claim(self, claims: Sequence[str]) -> Iterator[str]:
        yield ""
        yield f"; {self.hero} wins against all legal moves."
        yield from claims
        yield "(push 1)"
        yield "(assert legal)"
        yield "(assert (not wins))"
        yield "(check-sat)"
        yield "(pop 1)"
