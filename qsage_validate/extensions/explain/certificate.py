"""Explanations: strategies as programs that people can read, proved as certificates.

What a program plays becomes a plan, and the plan functions.  The plan is made on a game in which
the hero has one move, the program's.  So positions may share decisions, as in every plan, but
nothing else than the program's moves can come into it.  Where the program meets too many
positions, its questions become gates over the formula's moves instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from os import PathLike, fspath
from typing import TYPE_CHECKING, Final

from qsage_validate.api.formulas import Formula, encode, subject_of
from qsage_validate.api.games import Game as NamedGame
from qsage_validate.api.reports import Report
from qsage_validate.arena.program import DeclaredExplanation
from qsage_validate.certificates.compiler import (
    ChosenMove,
    HeroPlays,
    NotCompiledError,
    bits_for,
    compile_plan,
    require_completion,
)
from qsage_validate.certificates.plan import Planner
from qsage_validate.certificates.routes import CheckFailedError, check_compiled
from qsage_validate.circuit.aig import FALSE, TRUE, AigBuilder
from qsage_validate.encodings.encoding import Encoding, Goals
from qsage_validate.encodings.layout import Bits, Ply
from qsage_validate.errors import Exit, InputError, QsageError, UndecidedError, UsageError, counted
from qsage_validate.extensions.explain import explanation
from qsage_validate.extensions.explain.answers import Tree, chosen
from qsage_validate.extensions.explain.circuits import (
    Spot,
    StoneAtoms,
    SymbolicGame,
    Unrolled,
    circuit_of,
    played_by,
)
from qsage_validate.extensions.explain.explanation import ExplainOptions, Followed
from qsage_validate.extensions.explain.explanation import explain as explain_game
from qsage_validate.extensions.explain.finding import FoundProgram, TooManySituationsError
from qsage_validate.extensions.explain.language import parse_predicates
from qsage_validate.extensions.explain.situation import Made, Situation, made
from qsage_validate.formats.source import Source, unpacked_name
from qsage_validate.games.bddl.rules import BddlGame, GoalInstance
from qsage_validate.games.masks import members
from qsage_validate.games.positional.cover_game import PlanningGame
from qsage_validate.games.positional.rules import PositionalGame
from qsage_validate.games.protocol import (
    BoardPicture,
    Illegality,
    Move,
    Outcome,
    Player,
    Position,
    TwoPlayerGame,
    Witness,
)
from qsage_validate.kernel.certificate import CircuitCertificate, dont_cares
from qsage_validate.kernel.game import GroundRules
from qsage_validate.problems.load import Problem, certified_by
from qsage_validate.problems.validated import encoding_of
from qsage_validate.system.limits import NEVER, Deadline, Limits, Progress, Tell, nobody
from qsage_validate.validation.proofs import conjunction

if TYPE_CHECKING:
    from qsage_validate.api.matches import Match
    from qsage_validate.api.strategies import Strategy


# A program as a certificate: what it plays becomes a plan, and the plan functions


class ProgramGame(PlanningGame):
    """A game in which ``hero`` plays what a program says."""

    def __init__(self, game: TwoPlayerGame, tree: Tree, hero: Player) -> None:
        self.game = game
        self.tree = tree
        self.hero = hero

    @property
    def plies(self) -> int:
        return self.game.plies

    @property
    def initial(self) -> ProgramPosition:
        return ProgramPosition(self, self.game.initial, None, None)

    def witnesses(self, position: Position, player: Player) -> frozenset[Witness]:
        assert isinstance(position, ProgramPosition), "a position of this game"
        return self.game.witnesses(position.position, player)


@dataclass(frozen=True, eq=False)
class ProgramPosition(Position):
    """A position of the game, with the last moves that the program may speak of."""

    program: ProgramGame
    position: Position
    theirs: Made | None
    ours: Made | None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ProgramPosition):
            return NotImplemented
        return self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[Position, Made | None, Made | None]:
        return self.position, self.theirs, self.ours

    @property
    def ply(self) -> int:  # type: ignore[override]
        return self.position.ply

    @property
    def to_move(self) -> Player:
        return self.position.to_move

    @property
    def outcome(self) -> Outcome | None:
        return self.position.outcome

    @property
    def board(self) -> BoardPicture:
        return self.position.board

    def legal_moves(self) -> Sequence[Move]:
        if self.position.outcome is not None:
            return ()
        return self._moves

    @cached_property
    def _moves(self) -> Sequence[Move]:
        if self.to_move is not self.program.hero:
            return self.position.legal_moves()
        at = Situation(self.program.game, self.position, self.theirs, self.ours)
        choice = chosen(self.program.tree, at)
        return () if choice is None else (choice.move,)

    def after(self, move: Move) -> ProgramPosition:
        after = self.position.after(move)
        shown = made(self.program.game, self.position.board, move, after.board, self.to_move)
        own = self.to_move is self.program.hero
        return ProgramPosition(
            self.program, after, self.theirs if own else shown, shown if own else self.ours
        )

    def illegality(self, move: Move) -> Illegality | None:
        if move in self.legal_moves():
            return None
        return self.position.illegality(move) or Illegality(
            "the program", f"{move}: the program plays something else"
        )


class ProgramPlays(HeroPlays):
    """All plays of a program in the literals of a formula: its certificate, without a plan.

    Raises :class:`NotCompiledError` for a formula whose plies are not those of the rules, and where
    it asks for a goal of which the rules do not tell whether it holds.
    """

    def __init__(
        self,
        encoding: Encoding,
        game: TwoPlayerGame,
        found: FoundProgram,
        hero: Player,
        deadline: Deadline,
    ) -> None:
        super().__init__(encoding, hero, AigBuilder(), None)
        self._tree, self._game, self._deadline = found.tree, game, deadline
        rules = circuit_of(game, self.builder, deadline)
        stones = StoneAtoms.of_rules(game, rules, found.situations)
        self._plays = Unrolled(SymbolicGame(rules, stones, deadline), hero)
        movers = [ply.player for ply in self.layout.moves]
        if movers != [rules.mover(ply) for ply in range(1, rules.plies + 1)]:
            raise NotCompiledError(
                f"found the encoding {self.layout.encoding}, whose plies are not those of the rules"
            )

    def _choose(self, ply: Ply) -> ChosenMove:
        self._deadline.check("the program was compiled")
        coding, plays = ply.coding, self._plays
        texts = plays.table.rules.moves(plays.spot.time + 1)
        played = played_by(self._tree, plays.view)
        by_text = {texts[number]: literal for number, literal in played.items()}
        made = [by_text.get(str(move), FALSE) for move in coding.moves]
        going = plays.play(played)
        after = plays.spot
        if coding.numbers:
            numbers = [
                self._bits(made, [coding.place(move)[index] for move in coding.moves], number.size)
                for index, number in enumerate(coding.numbers)
            ]
        else:
            numbers = [self.encoded(made)]
        won = self.builder.and_(going, self._reached(after))
        return ChosenMove(
            numbers, lambda: won, lambda value, width: self._goal(after, value, width)
        )

    def _reached(self, spot: Spot) -> int:
        """The hero's goal holds: it is claimed, and that the opponent is stuck is not."""
        rules = spot.table.rules
        if isinstance(rules, GroundRules):
            return rules.goal(spot.state, self.hero)
        return spot.won[self.hero]

    def _bits(self, made: Sequence[int], places: Sequence[int], size: int) -> Bits:
        return tuple(
            self.builder.or_all(one for one, k in zip(made, places, strict=True) if k >> bit & 1)
            for bit in reversed(range(bits_for(size)))
        )

    def _goal(self, spot: Spot, value: Callable[[Goals], int], width: int) -> Bits:
        none, found = TRUE, [FALSE] * width
        for witness, holds in self._goals(spot):
            number = value(frozenset([witness]))
            first = self.builder.and_(none, holds)
            none = self.builder.and_(none, holds ^ 1)
            for k in range(width):
                if number >> (width - 1 - k) & 1:
                    found[k] = self.builder.or_(found[k], first)
        return tuple(found)

    def _goals(self, spot: Spot) -> Iterator[tuple[Witness, int]]:
        """The hero's goals, and whether they hold."""
        if isinstance(self._game, BddlGame):
            for goal in self._game.grounding.goals[self.hero]:
                bits = conjunction(goal.care, goal.value)
                holds = (spot.state[abs(bit) - 1] ^ (bit < 0) for bit in bits)
                yield GoalInstance(goal.condition, goal.x, goal.y), self.builder.and_all(holds)
        elif isinstance(self._game, PositionalGame) and self._game.model.network is None:
            stones, model = spot.board[self.hero], self._game.model
            number = {place: k for k, place in enumerate(spot.table.places)}
            squares = self._game.arrangement.squares
            for wins in model.black_wins if self.hero is Player.BLACK else model.white_wins:
                held = (stones[number[squares[v]]] for v in members(wins))
                yield wins, self.builder.and_all(held)
        else:
            raise NotCompiledError(
                f"found the encoding {self.layout.encoding}, which asks for the goal that is "
                f"reached in {self._game.name}"
            )

    def _replied(
        self, ply: Ply, numbers: Sequence[Bits], made: Callable[[], Sequence[int]]
    ) -> None:
        plays = self._plays
        literals = dict(zip(map(str, ply.coding.moves), made(), strict=True))
        plays.play(
            {
                step.number: self.builder.and_(literals.get(step.text, FALSE), step.legal)
                for step in plays.spot.steps
            }
        )


def _by_gates(
    found: FoundProgram, encoded: Encoding, game: TwoPlayerGame, hero: Player, deadline: Deadline
) -> CircuitCertificate:
    """The certificate of a program that meets too many positions to make a plan of them."""
    require_completion(encoded, hero)
    plays = ProgramPlays(encoded, game, found, hero, deadline)
    plays.run()
    certificate, _ = plays.certificate()
    return certificate


def certificate_of(
    found: FoundProgram,
    encoded: Encoding,
    game: TwoPlayerGame,
    hero: Player,
    deadline: Deadline = NEVER,
) -> CircuitCertificate:
    """The certificate that plays a program; one of gates is still to be proved.

    Raises ``UsageError`` for encodings whose strategies are others than those of the rules,
    ``UndecidedError`` at the deadline and ``CheckFailedError`` where the proof fails.
    """
    if hero in encoded.planned_on:
        raise UsageError(
            f"found the encoding {encoded.layout.encoding}, whose formula asks {hero} for more "
            "than moves, expected one that is about the rules alone"
        )
    if not found.whole:
        try:
            return _by_gates(found, encoded, game, hero, deadline)
        except NotCompiledError as error:
            raise UndecidedError(
                f"undecided: the program meets more than "
                f"{counted(len(found.situations), 'position')}, "
                f"and {error}; --positions raises the limit"
            ) from None
    program = ProgramGame(game, found.tree, hero)
    plan = Planner(program, hero, lambda _: True, deadline=deadline).build()
    initial = game.initial
    ended = game.witnesses(initial, hero) if initial.outcome else None
    made_of_it = compile_plan(encoded, plan, ended)
    # Its check makes a large one smaller.
    _, certificate = check_compiled(encoded, plan, made_of_it, deadline)
    return certificate


# Explanations: strategies as programs that people can read, proved again


LEVELS: Final = ("dependencies", "formula", "rules")
_POSITIONS: Final = 50_000

# The encoding of positional games with an explicit board.
_EXPLICIT: Final = "ea"


class RefutedStrategyError(QsageError):
    """A strategy that was to be explained does not win."""

    exit_code = Exit.REFUTED


@dataclass(frozen=True)
class Explanation:
    """A program, a decision tree over the board, by which a player wins; and what proves it.

    Made by :func:`explain` and ``Strategy.explain``.  ``problem`` has the program's certificate,
    ``report`` what was proved of it.
    """

    whole: explanation.ExplainedProgram = field(repr=False)
    problem: Problem = field(repr=False)
    report: Report = field(repr=False)

    @property
    def certificate(self) -> CircuitCertificate:
        certificate = self.problem.certificate
        assert isinstance(certificate, CircuitCertificate), "it was compiled"
        return certificate

    @property
    def gates(self) -> int:
        """The number of AND gates of the program's certificate."""
        return self.certificate.aig.num_gates

    @property
    def nodes(self) -> int:
        """The number of nodes of the tree, questions and answers."""
        return self.whole.found.nodes

    @property
    def depth(self) -> int:
        """The largest number of questions before an answer."""
        return self.whole.found.depth

    @property
    def smallest(self) -> bool:
        """True if no smaller tree of the same words wins."""
        return self.whole.found.smallest

    @property
    def player(self) -> Player:
        """The player who wins by it."""
        return self.whole.hero

    @property
    def proved(self) -> bool:
        """True if its certificate is proved, against the formula and against the rules."""
        return self.report.ok

    @cached_property
    def text(self) -> str:
        """The program as indented text, with a small board at each answer."""
        from qsage_validate.extensions.explain.shown import explanation_text

        return explanation_text(self.whole)

    def plain(self) -> str:
        """The text without boards."""
        from qsage_validate.extensions.explain.shown import explanation_text

        return explanation_text(self.whole, boards=False)

    def to_dict(self) -> dict[str, object]:
        """Everything, as ``qsage explain --json`` writes it."""
        from qsage_validate.extensions.explain.shown import explanation_data

        levels = {name: result.word for name, result in self.report.levels.items()}
        return {
            **explanation_data(self.whole),
            "proved": self.proved,
            "levels": levels,
            "statements": list(self.report.statements),
            "gates": self.gates,
        }

    def dot(self) -> str:
        """The tree in the language of Graphviz."""
        from qsage_validate.extensions.explain.shown import dot

        return dot(self.whole)

    def html(self) -> str:
        """One page that folds, with a drawn board at each answer."""
        from qsage_validate.extensions.explain.shown import explanation_page

        return explanation_page(self.whole)

    def svg(self) -> str:
        """The tree as one drawing, with a board at each answer."""
        from qsage_validate.extensions.explain.shown import explanation_svg

        return explanation_svg(self.whole)

    def python(self, deadline: Deadline = NEVER) -> str:
        """A Python module that needs no other: ``reply(moves)`` says what is played.

        Raises ``UsageError`` where only a part is shown, ``UndecidedError`` at the deadline.
        """
        from qsage_validate.extensions.explain.shown import python_module

        return python_module(self.whole, deadline)

    def smtlib(self, deadline: Deadline = NEVER) -> str:
        """An SMT-LIB script: the replies as functions of the opponent's moves, and a claim.

        A solver answers the claim, that the program wins, with ``unsat``.  Raises ``UsageError``
        where only a part is shown, and ``UndecidedError`` at the deadline and where words look at
        too many positions.
        """
        from qsage_validate.extensions.explain.shown import smtlib_module

        return smtlib_module(self.whole, deadline)

    def _repr_svg_(self) -> str:
        return self.svg()

    def lesson(self) -> str:
        """One page of exercises: what to play on a board, the key positions first."""
        from qsage_validate.extensions.explain.shown import lesson_page

        return lesson_page(self.whole)

    def play(self) -> Match:
        """A play against the program's certificate.

        Each of its frames has the questions that led to the reply as ``remarks``, and the numbers
        of the program's nodes as ``way``.
        """
        from qsage_validate.api.matches import Match
        from qsage_validate.arena.lesson import teacher_of
        from qsage_validate.arena.open import open_engine

        problem = self.problem
        return Match(
            open_engine(problem),
            teacher=lambda: teacher_of(problem),
            program=Followed(replace(self.whole, depth_limit=None, max_nodes=None)),
        )

    def save_certificate(
        self, path: str | PathLike[str], formula: str | PathLike[str] | None = None
    ) -> None:
        """Write the program's certificate: AIGER, in ASCII where the name ends in ``.aag``.

        With ``formula`` the formula is written too, in QCIR.
        """
        from qsage_validate.certificates.writer import certificate_bytes, is_ascii_name
        from qsage_validate.formats.writing import qcir_text, write_atomic

        qbf = self.problem.qbf
        name = fspath(path)
        content = certificate_bytes(self.certificate, qbf, binary=not is_ascii_name(name))
        if formula is not None:
            write_atomic(fspath(formula), qcir_text(qbf))
        write_atomic(name, content)

    def save(self, path: str | PathLike[str]) -> None:
        """Write it in the form that the name's ending says: see ``FORMS``.

        Raises ``UsageError`` for another ending.
        """
        from qsage_validate.formats.writing import write_atomic

        write_atomic(fspath(path), self.in_form(form_of(fspath(path))))

    def in_form(self, form: str, deadline: Deadline = NEVER) -> str:
        """The explanation in one of ``FORMS``, or as ``plain`` text or ``lesson``."""
        import json

        forms = {
            "txt": lambda: self.text,
            "plain": self.plain,
            "json": lambda: json.dumps(self.to_dict(), ensure_ascii=False, indent=1) + "\n",
            "dot": self.dot,
            "html": self.html,
            "svg": self.svg,
            "py": lambda: self.python(deadline),
            "smt2": lambda: self.smtlib(deadline),
            "lesson": self.lesson,
        }
        return forms[form]()

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Explanation {self.whole.title}: {self.whole.measure}>"


FORMS: Final = ("txt", "json", "dot", "html", "svg", "py", "smt2")
"""The forms of explanations, which are the endings of their files."""

LESSON: Final = ".lesson.html"
"""The ending of a page of exercises."""


def form_of(path: str) -> str:
    """The form of a file by its ending, text for ``-``; raises ``UsageError`` for another one."""
    name = ".txt" if path == "-" else unpacked_name(path).lower()
    if name.endswith(LESSON):
        return "lesson"
    ending = name.rpartition(".")[2]
    if ending not in FORMS:
        endings = ", ".join((*(f".{form}" for form in FORMS), LESSON))
        raise UsageError(f"found the file name {path!r}, expected one that ends in {endings}")
    return ending


def explain(
    subject: NamedGame | Formula | str,
    *,
    encoding: str | None = None,
    lookahead: int = 3,
    depth_limit: int | None = None,
    max_nodes: int | None = None,
    positions: int = 50_000,
    effort: int = 20_000,
    predicates: str | PathLike[str] | None = None,
    timeout: float | None = None,
    memory: int | None = None,
    tell: Tell = nobody,
) -> Explanation:
    """A small program by which the winner of a game wins, proved of the game's formula.

    The parameters are those of ``Strategy.explain``; ``encoding`` is that of the formula.  Without
    it a program of White's that meets more than ``positions`` is proved on EA, where that has the
    game.
    """
    subject = subject_of(subject, {})
    any_encoding = isinstance(subject, NamedGame) and encoding is None
    if isinstance(subject, NamedGame):
        subject = encode(subject, encoding)
    elif encoding is not None:
        raise UsageError("found encoding= with a formula, expected a game")
    limits = Limits(Deadline.after(timeout), memory, positions=positions)
    options = ExplainOptions(
        limits, lookahead, effort, depth_limit=depth_limit, max_nodes=max_nodes
    )
    return explained(subject, options, tell=tell, predicates=predicates, any_encoding=any_encoding)


def explain_strategy(
    strategy: Strategy,
    *,
    lookahead: int,
    depth_limit: int | None,
    max_nodes: int | None,
    positions: int,
    effort: int,
    predicates: str | PathLike[str] | None,
    timeout: float | None,
    memory: int | None,
    tell: Tell,
) -> Explanation:
    """See ``Strategy.explain``."""
    limits = Limits(Deadline.after(timeout), memory, positions=positions)
    options = ExplainOptions(
        limits, lookahead, effort, depth_limit=depth_limit, max_nodes=max_nodes
    )
    hero = check_winning(strategy.problem, limits.deadline)
    formula = strategy.formula or Formula(strategy.problem)
    return explained(formula, options, hero, tell, predicates)


def explained(
    formula: Formula,
    options: ExplainOptions,
    hero: Player | None = None,
    tell: Tell = nobody,
    predicates: str | PathLike[str] | None = None,
    *,
    any_encoding: bool = False,
) -> Explanation:
    """The proved explanation of the winner of a formula's game; ``hero`` is said to be that.

    With ``any_encoding`` another encoding of the game may take the place of the formula.
    ``predicates`` is a file of questions (see ``language.py``).  Raises
    ``UndecidedError`` at a limit, ``UsageError`` for a formula without rules and where ``hero``
    does not win, and ``InputError`` for a predicate that is not understood.
    """
    problem, game, encoded = _encoded(formula)
    if predicates is not None:
        source = Source.open(predicates)
        # A mistake is told before the search, whoever wins.
        _readable(source, game, hero)
        options = replace(options, questions=partial(parse_predicates, source))
    other = _for_gates(formula) if any_encoding else None
    try:
        first = options if other is None else replace(options, by_sat=frozenset([Player.BLACK]))
        whole = explain_game(game, encoded, first, hero=hero, tell=tell)
    except TooManySituationsError:
        if other is None:
            raise
        return explained(other(), options, hero, tell, predicates)
    deadline = options.limits.deadline
    tell(Progress("compile"))
    certificate = certificate_of(whole.found, encoded, game, whole.hero, deadline)
    proved = certified_by(problem, certificate)
    report = validated(proved, LEVELS, deadline, tell)
    if report.whole.exit_code is Exit.REFUTED:
        raise CheckFailedError(f"the certificate of the program does not hold: {report.summary}")
    return Explanation(whole, proved, report)


def _for_gates(formula: Formula) -> Callable[[], Formula] | None:
    """What makes the formula that White's certificate of gates is for; ``None``: it is this one.

    White chooses the symbolic position of a lifted formula, and the check of the gates that do so
    may not end.  A game by name gets an explicit board, where the language of such encodings has
    it.
    """
    game, files = formula.game, formula.problem.files
    if game is None or game.language == "positional":
        return None
    if _EXPLICIT not in game.encodings:
        return None
    try:
        game.for_encoding(_EXPLICIT)
    except UsageError:
        return None  # it has options that positional games do not have: goals for White

    def made() -> Formula:
        try:
            found = encode(game, _EXPLICIT)
        except UsageError:
            return formula  # White can win by sets of its own, which that encoding has not
        words = (*files.made_from, "--encoding", _EXPLICIT)
        problem = replace(found.problem, files=replace(files, made_from=words))
        return replace(found, problem=problem)

    return made


def _readable(source: Source, game: TwoPlayerGame, hero: Player | None) -> None:
    """Raise the error of a file of predicates that no player that may win can be asked."""
    errors = []
    for player in (hero,) if hero is not None else tuple(Player):
        try:
            parse_predicates(source, game, player)
        except InputError as error:
            errors.append(error)
        else:
            return
    raise errors[0]


def _encoded(formula: Formula) -> tuple[Problem, TwoPlayerGame, Encoding]:
    """A formula's problem, game and encoding; raises ``UsageError`` where there are no rules."""
    problem = formula.problem
    name = problem.files.name
    if problem.game is None:
        raise UsageError(
            f"found no rules for {name}, expected a game, or a formula with its model in comments"
        )
    encoded = formula.encoding or encoding_of(problem)
    if encoded is None:
        raise UsageError(
            f"found a formula in {name} that is none of our encodings of {problem.game.name}, "
            "expected one that 'qsage encode' writes, or the game itself"
        )
    return problem, problem.game, encoded


def check_winning(problem: Problem, deadline: Deadline = NEVER) -> Player:
    """The player of a problem's certificate, which is proved to win.

    Raises ``UsageError`` for a certificate with functions missing, ``UndecidedError`` at the
    deadline and :class:`RefutedStrategyError` for one that does not win.
    """
    certificate, formula = problem.certificate, problem.formula
    name = problem.files.name
    if certificate is None or formula is None:
        raise UsageError(f"found {name}, expected a formula and its certificate")
    own = formula.variables(certificate.kind.decides)
    # Without a variable of its own a certificate has nothing to decide, and is whole.
    nothing_decided = own and len(dont_cares(certificate, formula)) == len(own)
    if problem.solving is not None or nothing_decided:
        raise UsageError(
            f"found a part of a certificate in {name}, expected a whole one, or the game alone"
        )
    report = validated(problem, LEVELS[:2], deadline)
    if report.whole.exit_code is Exit.REFUTED:
        raise RefutedStrategyError(f"nothing to explain: {report.summary}")
    if not report.ok:
        raise UndecidedError(report.summary)
    return certificate.kind.player


def validated(
    problem: Problem, levels: Sequence[str], deadline: Deadline = NEVER, tell: Tell = nobody
) -> Report:
    """The levels of a validation of a problem; Ctrl-C is raised again."""
    from qsage_validate.problems.validated import to_validate
    from qsage_validate.proving.levels import levels_named
    from qsage_validate.proving.report import validate
    from qsage_validate.proving.run import ValidationOptions

    options = ValidationOptions(
        levels=levels_named(levels), limits=Limits(deadline, positions=_POSITIONS)
    )
    ready = to_validate(problem)
    whole = validate(ready, options, tell=tell)
    if whole.interrupted:
        raise KeyboardInterrupt
    return Report(whole, ready)


EXPLANATIONS: Final = (
    DeclaredExplanation(
        f"{__name__}:explain_strategy", f"{__package__}.cli:formula", f"{__package__}.cli:game"
    ),
)
"""For the library and for plays, which explain at once."""
