"""An explanation in SMT-LIB: the replies as functions of the opponent's moves.

Each ply of the opponent's is a constant, each reply a ``define-fun`` over them that has the form of
the tree.  The rules and what the questions ask are gates.  At the end stands the claim that the
program wins, as a question that a solver must answer with ``unsat``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from textwrap import wrap
from typing import Final

from qsage_validate.circuit.aig import TRUE, AigBuilder
from qsage_validate.errors import UndecidedError, one_line
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
)
from qsage_validate.extensions.explain.explanation import ExplainedProgram
from qsage_validate.kernel.game import TooLargeError
from qsage_validate.system.limits import NEVER, Deadline

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
