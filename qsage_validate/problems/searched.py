"""Plays that no certificate answers: a search, a solution file, or a QBF solver does."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, Protocol

from qsage_validate.certificates.oracle import NoAnswerError, Oracle
from qsage_validate.certificates.sat_oracle import SatOracle
from qsage_validate.certificates.solving_oracle import SolvingOracle
from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.layout import Layout
from qsage_validate.errors import InputError, UndecidedError, UsageError
from qsage_validate.formats.writing import qcir_text
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import Player, Position, TwoPlayerGame
from qsage_validate.games.registry import find_command
from qsage_validate.kernel.certificate import CertificateKind, CircuitCertificate, Dialect
from qsage_validate.solutions.check import Lookup
from qsage_validate.solvers.backend import Backend, Missing, SolverFormat
from qsage_validate.solvers.backends import BLOQQER, backends
from qsage_validate.solvers.qbf_solving import Reply, SolverReplies, ValueChangedError, available
from qsage_validate.solvers.search_solution import SearchReplies, SearchReply
from qsage_validate.system.limits import Task

if TYPE_CHECKING:
    from qsage_validate.solutions.walk import SolutionClaim


# The rules that the words behind ``--game`` or ``--model`` mean


def rules_of_words(
    words: Sequence[str], language: str | None = None
) -> tuple[TwoPlayerGame, Mapping[str, str]]:
    """The game that words mean, and its model's text by part, which rules in Python do not have.

    Words are files, a name with options, a file of rules in Python, or ``openspiel:NAME``.
    ``language`` chooses among the languages of a game by name.  Raises ``UsageError`` and
    ``InputError``.
    """
    from qsage_validate.judging.python_rules import names_python_rules, python_game

    if names_python_rules(words):
        return python_game(words), {}
    model = find_command(words, language)
    return load_game(model), model.parts()


# Plays of a game without a formula: a search answers


class GameReplies(Protocol):
    """Whatever answers in the positions of a play on the rules."""

    task: Task

    def reply(self, position: Position) -> SearchReply:
        """The reply in a position; raises ``UndecidedError`` where there is none."""
        ...


class RulesProblem(Protocol):
    """A game without a formula, one side of which is answered."""

    answers: ClassVar[str]
    """What answers, in words."""
    hints: ClassVar[bool]
    """True if there are replies for the person's side too."""

    @property
    def game(self) -> TwoPlayerGame: ...

    @property
    def player(self) -> Player: ...

    @property
    def promised(self) -> bool: ...

    @property
    def title(self) -> str: ...

    @property
    def notes(self) -> tuple[str, ...]: ...

    @property
    def replies(self) -> GameReplies: ...

    def replay(self, moves: Sequence[str]) -> str: ...


@dataclass(frozen=True, slots=True)
class DeclaredStrategies:
    """Who plays by a strategy's file: ``problem`` is the place of a function from its path.

    That returns a :class:`RulesProblem`, and raises ``InputError``.
    """

    problem: str


@dataclass(frozen=True)
class SearchedProblem:
    """A game whose side ``player`` a search plays; ``words`` mean it on a command line.

    ``promised`` says that the search has found that its side wins.
    """

    answers: ClassVar[str] = "search"
    hints: ClassVar[bool] = True

    words: tuple[str, ...]
    replies: SearchReplies
    player: Player
    promised: bool

    @property
    def game(self) -> TwoPlayerGame:
        return self.replies.game

    @property
    def title(self) -> str:
        """The name of the game, and the side that the search plays."""
        return f"{self.game.name}: the search plays {self.player}"

    @property
    def notes(self) -> tuple[str, ...]:
        """Facts worth telling at the start of a play."""
        game, top = self.game, self.game.initial.board.top
        black_wins = self.promised is (self.player is Player.BLACK)
        said = "wins" if black_wins else "does not win"
        who = f"Black {said} within {game.length}: the search plays {self.player}"
        if not self.promised:
            who = f"the search plays {self.player}, whoever wins"
        sides = f"{top} connects top and bottom, {top.other} left and right" if top else ""
        return tuple(filter(None, (f"{who}, and nothing is proved", sides)))

    def replay(self, moves: Sequence[str]) -> str:
        """The command that replays a play with these moves of the person's."""
        between = "; " if any(" " in move for move in moves) else " "
        side = () if self.promised else ("--side", self.player.value)
        return shlex.join(["qsage-play", *self.words, *side, "--moves", between.join(moves)])


# Plays against a solution file: its replies answer


class SolutionReplies:
    """The replies of a solution in the positions of plays; nothing is searched."""

    def __init__(self, solution: SolutionClaim) -> None:
        self.solution = solution
        self.game: TwoPlayerGame = solution.game
        self.task = Task()
        self._lookup = Lookup(solution)

    def reply(self, position: Position) -> SearchReply:
        """The winner's reply; its plies are those that are left, where the winner is Black.

        Raises ``NoAnswerError`` where the solution has no legal reply.
        """
        winner = self.solution.winner
        try:
            move = self._lookup.reply(position)
        except InputError as error:
            raise NoAnswerError(str(error)) from None
        left = self.game.plies - position.ply + 1
        return SearchReply(move, winner, left if winner is Player.BLACK else None)


@dataclass(frozen=True)
class SolutionProblem:
    """The game of a solution; the winner plays its replies."""

    answers: ClassVar[str] = "solution file"
    hints: ClassVar[bool] = False

    replies: SolutionReplies
    promised: bool = True

    @property
    def game(self) -> TwoPlayerGame:
        return self.replies.game

    @property
    def player(self) -> Player:
        """The winner, who is played by the solution."""
        return self.replies.solution.winner

    @property
    def title(self) -> str:
        """The name of the game, and the side that the solution plays."""
        return f"{self.game.name}: the solution file plays {self.player}"

    @property
    def notes(self) -> tuple[str, ...]:
        """Facts worth telling at the start of a play."""
        solution, top = self.replies.solution, self.game.initial.board.top
        proof = f"qsage validate --solution {shlex.quote(str(solution.path))} proves it"
        sides = f"{top} connects top and bottom, {top.other} left and right" if top else ""
        said = f"{solution.claim}, says {solution.path}: {proof}"
        return tuple(filter(None, (said, sides)))

    def replay(self, moves: Sequence[str]) -> str:
        """The command that replays a play with these moves of the person's."""
        between = "; " if any(" " in move for move in moves) else " "
        path = str(self.replies.solution.path)
        return shlex.join(["qsage-play", "--solution", path, "--moves", between.join(moves)])


# Plays that a QBF solver answers, in the place of a certificate or of the part that it lacks


AUTO = "auto"
"""The name that stands for whatever solver is there: several at once."""

_RACERS = 2


class ContradictionError(NoAnswerError):
    """Solver contradicts solver: the value of a formula changed during a play."""


@dataclass(frozen=True)
class Solving:
    """A solver that plays, with its answers so far; ``seconds`` is the limit of each reply."""

    solver: str
    seconds: float | None
    replies: SolverReplies
    answered: list[Reply] = field(default_factory=list, compare=False)

    @classmethod
    def by(cls, solver: str, seconds: float | None) -> Solving:
        """Plays by the solver of that name, or :data:`AUTO`.

        Raises ``UsageError`` for a name that is not known, ``SolverMissingError`` and
        ``MissingExtraError`` for what is not installed.
        """
        contenders: Sequence[Backend]
        if solver == AUTO:
            contenders = [b for b in available() if b.gives_outer][:_RACERS] or available()[:1]
        else:
            known = backends()
            if solver.lower() not in known:
                names = ", ".join(known)
                raise UsageError(f"found the solver {solver!r}, expected {AUTO} or one of {names}")
            contenders = [known[solver.lower()]]
            contenders[0].program()
        clauses = any(SolverFormat.QDIMACS in backend.accepts for backend in contenders)
        there = clauses and not isinstance(BLOQQER.availability(), Missing)
        replies = SolverReplies(contenders, seconds, preprocessor=BLOQQER if there else None)
        return cls(solver, seconds, replies)

    @property
    def name(self) -> str:
        """The name of the player, for a title."""
        return "a portfolio of solvers" if self.solver == AUTO else self.solver

    def outermost(self, formula: Qbf) -> tuple[CircuitCertificate, str]:
        """Winning values of the outermost block, on the solver's word, and the solver's name.

        Raises ``UndecidedError`` when no solver answers in time, and where the side that wins has
        no value to choose there.
        """
        value = self.replies.value(formula)
        kind = CertificateKind.SKOLEM if value else CertificateKind.HERBRAND
        scopes = formula.merged_scopes()
        if not scopes or scopes[0].quantifier is not kind.decides:
            whose = f"the formula is {str(value).lower()}, and its outermost block is"
            raise UndecidedError(f"{whose} not {kind.player}'s, who wins: no value is chosen there")
        reply = self.replies.reply(formula, value)
        empty = without_functions(formula, kind, None)
        functions = {v: TRUE if bit else FALSE for v, bit in reply.values.items()}
        blocks = 1 if len(formula.blocks(kind.decides)) > 1 else None
        return replace(empty, functions=functions, first_blocks=blocks), reply.by

    def oracle(
        self, certificate: CircuitCertificate, formula: Qbf, layout: Layout | None
    ) -> SolvingOracle:
        """Answers by the certificate's functions where it has them, else by the solver."""
        promised = certificate.kind.truth
        known = frozenset(certificate.functions)
        part: Oracle | None = SatOracle(certificate, formula) if known else None

        def ask(left: Qbf) -> Mapping[int, bool]:
            try:
                reply = self.replies.reply(left, promised)
            except ValueChangedError as changed:
                raise _contradiction(changed) from changed
            self.answered.append(reply)
            return reply.values

        follows, probes = _indicators(layout, certificate.kind, formula)
        return SolvingOracle(
            formula,
            certificate.kind,
            ask,
            decide=self.replies.value,
            part=part,
            known=known,
            follows=follows - known,
            probes=probes,
        )


def _indicators(
    layout: Layout | None, kind: CertificateKind, formula: Qbf
) -> tuple[frozenset[int], Sequence[Mapping[int, bool]]]:
    """The variables that may follow from the opponent's moves, with their dependencies.

    The latter are the values of the symbolic position.
    """
    if layout is None:
        return frozenset(), ()
    moves = {abs(x) for ply in layout.of(kind.player) for x in ply.all_variables}
    opponent = frozenset(formula.variables(kind.decides.dual))
    at_places = layout.state.at_places
    probes = [{}, *({v: x for v, x in at.items() if v in opponent} for at in at_places)]
    return frozenset(formula.variables(kind.decides)) - moves, probes


def without_functions(formula: Qbf, kind: CertificateKind, path: str | None) -> CircuitCertificate:
    """The certificate without functions, which leaves every answer to a solver."""
    opponents = formula.variables(kind.decides.dual)
    aig, _ = AigBuilder(len(opponents)).build([])
    return CircuitCertificate(kind, aig, opponents, {}, Dialect.QAIGER, path)


def kept(left: Qbf) -> str:
    """The file, in a new folder, in which a residual formula is kept for other solvers."""
    path = os.path.join(tempfile.mkdtemp(prefix="qsage-left-"), "residual.qcir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(qcir_text(left, cleansed=True))
    return path


def _contradiction(changed: ValueChangedError) -> ContradictionError:
    """The finding that the value has changed; the residual formula is kept."""
    return ContradictionError(f"{changed}; what is left is in {kept(changed.formula)}")
