"""Plays that no certificate answers: a search, a solution file, or a QBF solver does.

Where a solver answers, the strategy is made while it is played. When the values of a block of the
certificate's side are asked for, the formula in which all earlier blocks have their values is
handed to the solver, and what it answers is kept: the same choice is answered in the same way
again.  Blocks whose turn has not come stay open; the variables of the innermost block, and gates,
follow by one SAT call under the values chosen so far. Its model keeps the formula's value, so that
variables which are functions of earlier blocks (states) have the values that any certificate gives
them.

A block may have variables that follow from earlier blocks (indicators) beside a move that has to be
chosen.  These are read before the move is known: a variable whose other value falsifies the matrix
under some values of the opponent's later variables has this value in every winning strategy.
"""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from qsage_validate.certificates.oracle import Choice, NoAnswerError, Oracle
from qsage_validate.certificates.sat_oracle import SatOracle
from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.circuit.qbf import Qbf, Scope
from qsage_validate.circuit.rewriting import residual
from qsage_validate.circuit.sat import Solver
from qsage_validate.encodings.layout import Layout
from qsage_validate.errors import InputError, UndecidedError, UsageError
from qsage_validate.formats.writing import qcir_text
from qsage_validate.games.languages import load_game
from qsage_validate.games.library.catalogue import library_games
from qsage_validate.games.protocol import Player, Position, TwoPlayerGame
from qsage_validate.games.registry import (
    find_command,
    find_model,
    is_game_name,
    words_and_options,
)
from qsage_validate.kernel.certificate import (
    Certificate,
    CertificateKind,
    CircuitCertificate,
    Dialect,
)
from qsage_validate.solutions.check import Lookup
from qsage_validate.solvers.backend import Backend, Missing, SolverFormat
from qsage_validate.solvers.backends import BLOQQER, backends
from qsage_validate.solvers.qbf_solving import Reply, SolverReplies, ValueChangedError, available
from qsage_validate.solvers.search_solution import SearchReplies, SearchReply
from qsage_validate.system.limits import stage
from qsage_validate.system.reading import reading_deadline
from qsage_validate.system.task import Task

if TYPE_CHECKING:
    from qsage_validate.judging.readings import FoundReadings
    from qsage_validate.solutions.walk import SolutionClaim


# An oracle without a certificate, or with a part of one: a QBF solver answers the rest


AskBlock = Callable[[Qbf], Mapping[int, bool]]
"""Winning values of the outermost block of a residual formula."""

Decide = Callable[[Qbf], bool]
"""The value of a formula."""


class SolvingOracle:
    """Implements :class:`~qsage_validate.certificates.oracle.Oracle` by solving.

    ``kind`` is that of the certificate that would be played: ``SKOLEM`` for a true formula.
    ``ask`` finds winning values of an outermost block and raises what it likes when there are
    none; the error goes to the caller.  ``decide`` gives the value of what a play leaves.
    ``part`` answers the variables ``known``: a certificate with functions for some of them.
    ``follows`` are variables that may follow from earlier blocks; ``probes`` are values of later
    variables of the opponent's under which that is looked at.
    """

    def __init__(
        self,
        formula: Qbf,
        kind: CertificateKind,
        ask: AskBlock,
        *,
        decide: Decide,
        part: Oracle | None = None,
        known: frozenset[int] = frozenset(),
        follows: frozenset[int] = frozenset(),
        probes: Sequence[Choice] = ({},),
    ) -> None:
        self._formula = formula
        self._kind = kind
        # A play and its inspector ask from threads of their own.  A SAT solver serves one at a
        # time; a QBF solver takes long, and other questions do not wait for it.
        self._lock, self._asking = Lock(), Lock()
        self._ask = ask
        self._decide = decide
        self._part = part
        self._known = known
        self._follows = follows
        self._probes = tuple(probes)
        self._implied: dict[tuple[int, tuple[bool, ...]], Mapping[int, bool]] = {}
        self._scopes = formula.merged_scopes()
        self._level = formula.levels()
        self.opponent = formula.variables(kind.decides.dual)
        self._replies: dict[tuple[int, tuple[bool, ...]], Mapping[int, bool]] = {}
        self._prefix = tuple(self._level)
        # The choices in the whole prefix, a byte for a variable; gates follow from it.
        self._chosen: dict[bytes, bytes] = {}

    def values(self, choice: Choice, wanted: Iterable[int]) -> dict[int, bool]:
        names = tuple(wanted)
        fixed = self._fixed(self._total(choice), names)
        if all(name in fixed for name in names):
            return {name: fixed[name] for name in names}
        with self._lock:
            true = self._model(fixed)
        found: dict[int, bool] = {}
        for name in names:
            if name not in self._level and name not in self._formula.gates:
                raise KeyError(name)
            found[name] = name in true
        return found

    def many(self, choices: Sequence[Choice], wanted: Sequence[int]) -> NDArray[np.bool_]:
        rows = np.zeros((len(choices), len(wanted)), dtype=np.bool_)
        for row, choice in zip(rows, choices, strict=True):
            values = self.values(choice, wanted)
            row[:] = [values[name] for name in wanted]
        return rows

    def refutation(
        self, fixed: Mapping[int, bool], reply: Mapping[int, bool]
    ) -> dict[int, bool] | None:
        """The opponent's values ``fixed`` where the formula loses its value by them, else ``None``.

        ``reply`` are the answers that were played; all other variables are open.
        """
        left = residual(self._formula, {**fixed, **reply})
        return None if self._decide(left) is self._kind.truth else dict(fixed)

    def _total(self, choice: Choice) -> dict[int, bool]:
        total = dict.fromkeys(self.opponent, False)
        for variable, value in choice.items():
            if variable not in total:
                raise KeyError(variable)
            total[variable] = value
        return total

    def _deepest(self, names: Iterable[int]) -> int:
        """The innermost level that needs a solver; -1 if none does."""
        last = len(self._scopes) - 1
        levels = (self._level[v] for v in names if v in self._level and v not in self._known)
        return max((level for level in levels if self._is_own(level) and level < last), default=-1)

    def _is_own(self, level: int) -> bool:
        return self._scopes[level].quantifier is self._kind.decides

    def _fixed(self, total: Mapping[int, bool], names: tuple[int, ...]) -> dict[int, bool]:
        """All of the opponent's values, and the own ones that are known or wanted."""
        fixed, deepest = dict(total), self._deepest(names)
        if self._part is not None:
            with self._lock:
                fixed.update(self._part.values(total, self._known))
        before: list[bool] = []
        for level, scope in enumerate(self._scopes):
            if not self._is_own(level):
                before.extend(total[v] for v in scope.variables)
                continue
            if level == len(self._scopes) - 1:
                break
            key = (level, tuple(before))
            if key not in self._replies:
                if level >= deepest:
                    fixed.update(self._implied_at(key, scope, fixed))
                    here = (v for v in names if self._level.get(v) == level)
                    if level > deepest or all(v in fixed for v in here):
                        break
                with self._asking:
                    if key not in self._replies:
                        self._replies[key] = self._reply(level, scope, fixed)
            fixed.update(self._replies[key])
        return fixed

    def _implied_at(
        self, key: tuple[int, tuple[bool, ...]], scope: Scope, fixed: Mapping[int, bool]
    ) -> Mapping[int, bool]:
        """The values of variables of a block that follow from the blocks before it."""
        if key in self._implied:
            return self._implied[key]
        open_ = {v for v in scope.variables if v in self._follows}
        found: dict[int, bool] = {}
        # Later functions of a part may depend on what is probed.
        given = {v: x for v, x in fixed.items() if v not in self._known or self._level[v] <= key[0]}
        for probe in self._probes if open_ else ():
            later = {v: x for v, x in probe.items() if self._level[v] > key[0]}
            assumed = [v if value else -v for v, value in {**given, **later}.items()]
            with self._lock:
                if not self._solver.solve(assumptions=[*assumed, self._keeps]):
                    break  # The value is lost: there is no winning strategy.
                model = frozenset(self._solver.get_model() or ())
                for name in tuple(open_):
                    other = -name if name in model else name
                    if not self._solver.solve(assumptions=[*assumed, self._keeps, other]):
                        found[name] = name in model
                        open_.discard(name)
            if not open_:
                break
        self._implied[key] = found
        return found

    @property
    def _keeps(self) -> int:
        """The literal that says that the formula keeps its value."""
        return self._formula.output if self._kind.truth else -self._formula.output

    def _reply(self, level: int, scope: Scope, fixed: Mapping[int, bool]) -> Mapping[int, bool]:
        open_ = [v for v in scope.variables if v not in self._known]
        if not open_:
            return {}
        earlier = {
            v: fixed[v]
            for v, own in self._level.items()
            if own < level or (own == level and v in self._known)
        }
        values = self._ask(residual(self._formula, earlier))
        return {v: values[v] for v in open_}

    @cached_property
    def _solver(self) -> Solver:
        solver = Solver(name="minisat22")
        solver.append_formula(list(self._formula.clauses()))
        solver.add_clause([self._formula.max_variable + 1])  # declares every variable
        # Undecided variables are false, as in a certificate's don't-cares.
        solver.set_phases([-v for v in range(1, self._formula.max_variable + 1)])
        return solver

    def _model(self, fixed: Mapping[int, bool]) -> frozenset[int]:
        """The variables and gates that are true, under the same values the same ones again."""
        key = bytes(fixed.get(v, 2) for v in self._prefix)
        chosen = self._chosen.get(key)
        if chosen is None:
            assumed = [v if value else -v for v, value in fixed.items()]
            # Where the value cannot be kept, the gates show it: the verdict is wrong.
            found = self._solver.solve(assumptions=[*assumed, self._keeps])
        else:
            assumed = [v if bit else -v for v, bit in zip(self._prefix, chosen, strict=True)]
            found = False
        if not found:
            assert self._solver.solve(assumptions=assumed), "gates are defined"
        true = frozenset(x for x in self._solver.get_model() or () if x > 0)
        if chosen is None:
            self._chosen[key] = bytes(v in true for v in self._prefix)
        return true


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


def part_to_complete(
    certificate: Certificate, formula: Qbf | None, status: bool | None, blocks: int | None
) -> CircuitCertificate:
    """The part that is used of a certificate whose open variables are a solver's.

    ``status`` is the formula's value, where it is known; ``blocks`` is how many first ones are
    used, where not all are.  Raises ``UsageError`` for what no solver completes.
    """
    from qsage_validate.certificates.parts import check_outermost, first_blocks

    if formula is None:
        raise UsageError("found --solver without a formula, expected one to solve")
    if formula.depends:
        raise UsageError("found a part of a certificate with dependency sets, expected a whole one")
    if not isinstance(certificate, CircuitCertificate):
        raise UsageError(
            "found --solver with a clause set, expected a certificate with a function for each "
            "variable that it decides"
        )
    if status is not None and status is not certificate.kind.truth:
        given = str(status).lower()
        raise UsageError(f"found --status {given} with a {certificate.kind.value} certificate")
    if blocks is not None:
        certificate = first_blocks(certificate, formula, blocks)
    check_outermost(certificate, formula)
    return certificate


def found_readings(words: Sequence[str], formula: Qbf) -> FoundReadings:
    """The layout that is found out from the formula's values and the rules that ``words`` name.

    Raises ``UndecidedError`` where no reading stands out.
    """
    from qsage_validate.judging.readings import SEARCH_PART, find_layout

    stage("finding out what the variables mean")
    game, parts = rules_of_words(words)
    deadline = reading_deadline().share(SEARCH_PART)
    found = find_layout(formula, game, model=parts, deadline=deadline)
    if not found.stands_out:
        raise UndecidedError(
            f"no reading of the variables stands out ({found.best_words}): "
            "'qsage layout' has the lines"
        )
    return found


def game_words(word: str) -> list[str]:
    """The words of a game with its options in one word (``'hex --size 3x3'``); else the word."""
    if " " not in word or os.path.exists(word):
        return [word]
    try:
        words = shlex.split(word)
    except ValueError:
        return [word]
    return words if len(words) > 1 and is_game_name(words[0]) else [word]


def check_no_option_of_games(name: str) -> None:
    """Raise ``UsageError`` for an option of games, where a game and its options are one word."""
    if any(name == option.flag for game in library_games() for option in game.options):
        raise UsageError(
            f"found {name}, an option of games, expected it with its game as one word: "
            "--model 'hex --size 3x3'"
        )


def taken_apart(
    words: Sequence[str], given: Mapping[str, object]
) -> tuple[list[str], Mapping[str, object]]:
    """Words and options, those of a game in one word among them; ``given`` options come first.

    Raises ``UsageError`` and ``InputError`` as :func:`find_model`.
    """
    found, options = list[str](), dict(given)
    for word in words:
        parts = game_words(word)
        if len(parts) == 1:
            found.append(word)
            continue
        names, own = words_and_options(parts)
        if not options.keys() >= own.keys():
            find_model(names, own)  # which says what is wrong with them
        options |= {name: value for name, value in own.items() if options[name] in (None, False)}
        found += names
    return found, options


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

    That returns a :class:`RulesProblem`, and raises ``InputError``.  ``told`` is that of one from
    the bytes of a file and its name to the facts for ``qsage info``.
    """

    problem: str
    told: str


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
        black_wins = self.promised is (self.player is Player.BLACK)
        said = "wins" if black_wins else "does not win"
        who = f"Black {said} within {self.game.length}: the search plays {self.player}"
        if not self.promised:
            who = f"the search plays {self.player}, whoever wins"
        return (f"{who}, and nothing is proved",)

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
        solution = self.replies.solution
        proof = f"qsage validate --solution {shlex.quote(str(solution.path))} proves it"
        return (f"{solution.claim}, says {solution.path}: {proof}",)

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
