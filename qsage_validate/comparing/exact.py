"""What two formulas have in common; small ones move by move: which moves win in each.

A move wins when the formula in which the variables of the play so far have their values has the
value of the player who made it. Where there are no moves, what is chosen are values of the shared
variables of the first two blocks. Every value is asked of a solver; inferred is only that nothing
wins in a formula for the player who has lost it.

:class:`Wins` and :class:`Loses` are the results of putting the strategy of one into the other.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from math import inf
from typing import Final

from qsage_validate.certificates.by_expansion import expand
from qsage_validate.certificates.routes import RouteOptions
from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.circuit.rewriting import residual
from qsage_validate.encodings.layout import Layout
from qsage_validate.errors import (
    Exit,
    InputError,
    MalformedMoveError,
    Proof,
    Refutation,
    Undecided,
    UndecidedError,
    UsageError,
    counted,
)
from qsage_validate.formats.source import Source, quoted
from qsage_validate.games.protocol import Move, Player, Symmetry, TwoPlayerGame
from qsage_validate.kernel.certificate import CircuitCertificate
from qsage_validate.solvers.backend import Missing, SolverFormat
from qsage_validate.solvers.backends import BLOQQER, get_backend
from qsage_validate.solvers.qbf_solving import PATIENCE, available, constant_value, solve_formula
from qsage_validate.strategies.reader import LayoutMove, PlyCode, SquareOf
from qsage_validate.system.limits import Progress, Tell, nobody

# What two formulas have in common: variables, or moves in the words of each layout


_ITEM = re.compile(r"[^\s,]+")


@dataclass(frozen=True, slots=True)
class Shared:
    """The first formula's variable for each shared one of the second; ``source`` says why."""

    first_of: Mapping[int, int]
    source: str

    def reversed(self) -> Shared:
        """The shared variables with the formulas exchanged."""
        return Shared({a: b for b, a in self.first_of.items()}, self.source)


def read_shared(path: str, first: Qbf, second: Qbf) -> Shared:
    """The variables that a file lists: names that mean one in both, or pairs ``5=17``.

    Blanks and commas separate them; what follows ``#`` on a line is a comment.  Raises
    ``InputError`` for names that a formula does not quantify, for variables of one player in the
    first and of the other in the second, and for variables that are listed twice.
    """
    source = Source.open(path)
    source.check_not_empty("shared variables")
    numbers = [_numbers(first), _numbers(second)]
    quantifiers = [first.quantifiers(), second.quantifiers()]
    found: dict[int, int] = {}
    for offset, text in _items(source):
        names = text.split("=")
        if len(names) > 2 or "" in names:
            raise source.error(offset, quoted(text), "a variable or a pair, 5=17")
        pair: list[int] = []
        ends, formulas = (names[0], names[-1]), ("first", "second")
        for name, known, which in zip(ends, numbers, formulas, strict=True):
            if name not in known:
                expected = f"a variable that the {which} formula quantifies"
                raise source.error(offset, quoted(name), expected)
            pair.append(known[name])
        sides = [of[v].value for of, v in zip(quantifiers, pair, strict=True)]
        if sides[0] != sides[1]:
            what = f"{quoted(text)}, which is of {sides[0]} in the first formula and of {sides[1]}"
            raise source.error(offset, f"{what} in the second", "a variable of one player in both")
        if pair[1] in found or pair[0] in found.values():
            raise source.error(offset, f"{quoted(text)} again", "each variable once")
        found[pair[1]] = pair[0]
    if not found:
        raise InputError(source.path or path, 1, 1, "no variable", "shared variables")
    noun = "variable" if len(found) == 1 else "variables"
    return Shared(found, f"{len(found)} {noun} of {source.path or path}")


def shared_names(first: Qbf, second: Qbf) -> Shared:
    """The variables of one player that have one name in both formulas; raises ``UsageError``."""
    known, quantifiers = _numbers(first), first.quantifiers()
    own = second.quantifiers()
    found = {
        v: known[name]
        for name, v in _numbers(second).items()
        if name in known and quantifiers[known[name]] is own[v]
    }
    if not found:
        raise UsageError("the formulas share no names: list the variables in a file (--shared)")
    noun = "variable of equal name" if len(found) == 1 else "variables of equal names"
    return Shared(found, f"{len(found)} {noun}")


def _numbers(formula: Qbf) -> dict[str, int]:
    quantified = formula.quantifiers()
    return {text: v for text, v in formula.by_text().items() if v in quantified}


def _items(source: Source) -> Iterator[tuple[int, str]]:
    for _, start, line in source.lines():
        for match in _ITEM.finditer(line.partition("#")[0]):
            yield start + match.start(), match.group()


@dataclass(frozen=True, slots=True)
class Wins(Proof):
    """The strategy wins in the other formula.

    ``certificate`` is one of that formula, it plays the strategy and passed the check; ``reason``
    says where the functions come from that the strategy does not have.
    """

    word = "wins"

    reason: str
    certificate: CircuitCertificate

    def __repr__(self) -> str:
        return f"<Wins {self.certificate!r}>"


@dataclass(frozen=True, slots=True)
class Loses(Refutation):
    """The strategy does not win in the other formula, ``why`` says in what it fails.

    ``play`` has the moves of both players up to there, or the values block by block where there is
    no layout; ``replies`` are those of the opponent's alone, which a replay needs, and ``asked``
    the same in the words of the strategy's own formula, as far as it has any.  ``values`` are
    those of the variables that the play decides.  ``certificate`` is the strategy in the other
    formula, as far as it could be written down.
    """

    word = "loses"

    why: str
    play: tuple[str, ...] = ()
    replies: tuple[str, ...] = ()
    values: Mapping[int, bool] = field(default_factory=dict)
    certificate: CircuitCertificate | None = None
    asked: tuple[str, ...] = ()

    @property
    def reason(self) -> str:
        return self.why


Transfer = Wins | Loses | Undecided


class SharedWords:
    """The names that a formula has for the moves of a game: by text, else by square.

    With a ``mirror`` the formula means the image of each move.
    """

    def __init__(self, code: PlyCode, game: TwoPlayerGame, mirror: Symmetry | None = None) -> None:
        self._code = code
        self._game = game
        self._images = {} if mirror is None else mirror.moves
        self._origins = {image: move for move, image in self._images.items()}
        self._by_square: dict[Player, Mapping[object, Move | None]] = {}

    def say(self, ply: int, move: Move) -> LayoutMove | None:
        """The formula's name for a move at a ply; ``None`` where it cannot say it."""
        text = str(self._images.get(move, move))
        found = self._code.find(ply, text)
        square = self._game.square_of(text)
        if found is not None or square is None:
            return found
        same = [m for m in self._code.moves(ply) if m.square == square]
        return same[0] if len(same) == 1 else None

    def read(self, move: LayoutMove, player: Player) -> Move | None:
        """The move of the game that the formula's move means."""
        found = parsed(self._game, str(move), player)
        if found is None and move.square is not None:
            found = self._at(player).get(move.square)
        return None if found is None else self._origins.get(found, found)

    def _at(self, player: Player) -> Mapping[object, Move | None]:
        if player not in self._by_square:
            by_square: dict[object, Move | None] = {}
            for each in self._game.moves(player):
                square = self._game.square_of(str(each))
                by_square[square] = None if square in by_square else each
            self._by_square[player] = by_square
        return self._by_square[player]


class Mirrors:
    """The words in which a formula can be told of first moves, in a mirror where it has no code.

    A mirror is a symmetry of the game that keeps the first position.
    """

    def __init__(self, code: PlyCode, game: TwoPlayerGame) -> None:
        self._code = code
        self._game = game
        self.plain = SharedWords(code, game)

    @cached_property
    def others(self) -> list[SharedWords]:
        symmetries = self._game.symmetries()
        return [SharedWords(self._code, self._game, s) for s in symmetries if s.keeps_initial]

    def telling(self, first: Move) -> SharedWords:
        """The words for a play that begins with ``first``; the plain ones where there are none."""
        if self.plain.say(1, first) is not None:
            return self.plain
        return next((words for words in self.others if words.say(1, first)), self.plain)


class Spelling:
    """The values by which a formula says the moves of a game.

    ``square_of`` is that of the game whose words the layout has, where that is another one.
    """

    def __init__(
        self, layout: Layout, game: TwoPlayerGame, square_of: SquareOf | None = None
    ) -> None:
        self.plies = layout.moves
        self.code = PlyCode(layout, square_of or game.square_of)
        self.mirrors = Mirrors(self.code, game)
        self.words = self.mirrors.plain
        self._patterns = [dict(ply.coding.patterns()) for ply in self.plies]

    def literals(self, ply: int, move: Move, words: SharedWords | None = None) -> list[int] | None:
        """The literals that are true where a move is said at a ply, from 1, if it can be said.

        Bits that mean nothing are left out.
        """
        if ply > len(self.plies):
            return None
        said = (words or self.words).say(ply, move)
        pattern = None if said is None else self._patterns[ply - 1].get(str(said))
        if pattern is None:
            return None
        pairs = zip(self.plies[ply - 1].variables, pattern, strict=True)
        return [literal if bit else -literal for literal, bit in pairs if bit is not None]


def check_length(layout: Layout, own: TwoPlayerGame | None, game: TwoPlayerGame) -> None:
    """Raise ``UsageError`` where the layout's game, ``own``, is not as long as ``game``.

    A formula may leave out last plies of its game that decide nothing.
    """
    plies = layout.plies if own is None else own.plies
    if plies != game.plies:
        raise UsageError(
            f"found a formula of a game of {plies} plies beside one of {game.plies}, "
            "expected games of one length"
        )


def values_of(literals: Iterable[int]) -> dict[int, bool]:
    return {abs(x): x > 0 for x in literals}


def parsed(game: TwoPlayerGame, text: str, player: Player) -> Move | None:
    """The move that a text names, if it names one."""
    try:
        return game.parse_move(text, player)
    except MalformedMoveError:
        return None


# Small formulas move by move: which first moves win in each, and which replies after each


QUESTIONS: Final = 2_000
"""The largest number of questions, unless told otherwise."""

MOST_SHARED: Final = 16
"""Blocks that share more variables have too many values to be listed."""

# Expansion of so small formulas is quicker than the start of a solver.
_SMALL_VARIABLES: Final = 24
_SMALL_GATES: Final = 2_000

Values = Mapping[int, bool]
Said = tuple[Values | None, Values | None]
"""The values that say a play in each of two formulas; ``None`` where it cannot be said."""

Pair = tuple[bool | None, bool | None]
"""True if a choice wins, for each of two formulas; ``None`` where that is undecided."""


@dataclass(frozen=True, slots=True)
class ExactOption:
    """One of the choices of a turn, and the values of the play with it."""

    name: str
    said: Said


@dataclass(frozen=True, slots=True)
class ExactChoice:
    """The player to choose, the values of the play so far, and the choices."""

    player: Player
    said: Said
    options: Sequence[ExactOption]


@dataclass(frozen=True, slots=True)
class ExactTurn:
    """The choices by name that win for ``player`` after ``play``, in each formula."""

    play: tuple[str, ...]
    player: Player
    wins: Mapping[str, Pair]

    @property
    def different(self) -> list[str]:
        """The choices that win in one formula alone."""
        return [name for name, pair in self.wins.items() if {True, False} == {*pair}]

    @property
    def open(self) -> int:
        """The number of choices that are undecided in a formula, and may be different."""
        return sum(None in pair for pair in self.wins.values())

    def winning(self, which: int) -> list[str]:
        """The choices that win in the first (0) or second (1) formula."""
        return [name for name, pair in self.wins.items() if pair[which]]


@dataclass(frozen=True, slots=True)
class ExactComparison:
    """The winning choices in each of two formulas: in the first turn, and after each choice.

    ``questions`` were asked; ``why`` something is undecided, else empty.
    """

    turns: tuple[ExactTurn, ...]
    questions: int
    why: str

    @property
    def exit_code(self) -> Exit:
        """1 where something wins in one formula alone; else 3 where something is undecided."""
        if any(turn.different for turn in self.turns):
            return Exit.REFUTED
        return Exit.UNDECIDED if self.why else Exit.FINE

    @property
    def relation(self) -> str:
        """``equal``, ``different`` or ``undecided``."""
        return self.sentence.partition(":")[0]

    def to_dict(self) -> dict[str, object]:
        """The relation, and for each turn what wins in the formulas, as JSON has them."""
        turns = [
            {
                "play": [*t.play],
                "player": str(t.player),
                "wins": {k: [*v] for k, v in t.wins.items()},
            }
            for t in self.turns
        ]
        told = {"relation": self.relation, "sentence": self.sentence, "questions": self.questions}
        return {**told, "turns": turns}

    @property
    def sentence(self) -> str:
        names = [" ".join((*turn.play, name)) for turn in self.turns for name in turn.different]
        if names:
            more = f" and {len(names) - 5} more" if len(names) > 5 else ""
            return f"different: in one formula alone win {', '.join(names[:5])}{more}"
        first, *replies = self.turns
        choices = counted(len(first.wins), "first choice")
        answers = counted(sum(len(turn.wins) for turn in replies), "reply")
        if self.why:
            known = len(first.wins) - first.open
            answered = sum(len(turn.wins) - turn.open for turn in replies)
            return (
                f"undecided: {known} of {choices} and {answered} of {answers} win or lose in both "
                f"alike, the rest is open: {self.why}"
            )
        return (
            f"equal: of {choices} and {answers} the same win in both "
            f"({counted(self.questions, 'question')})"
        )


class SharedChoices(ABC):
    """The choices that two formulas share in their first two turns."""

    @abstractmethod
    def first(self) -> ExactChoice:
        """The first turn."""

    @abstractmethod
    def replies(self, option: ExactOption) -> ExactChoice | None:
        """The turn after an option that both formulas can say; ``None`` where there is none."""


def compare_exactly(
    formulas: tuple[Qbf, Qbf],
    choices: SharedChoices,
    value: Callable[[Qbf], bool],
    *,
    questions: int,
    tell: Tell = nobody,
) -> ExactComparison:
    """The first turn and, for each of its options, the second one, in both formulas.

    ``value`` may raise ``UndecidedError``.  At most ``questions`` are asked of it.
    """
    asking = _Asking(formulas, value, questions)
    first = choices.first()
    turns = [asking.turn((), first)]
    for number, option in enumerate(first.options, start=1):
        tell(Progress("replies", option.name, number, len(first.options)))
        following = None if None in option.said else choices.replies(option)
        if following is not None and following.options:
            turns.append(asking.turn((option.name,), following))
    return ExactComparison(tuple(turns), asking.asked, asking.why)


def value_by_solver(options: RouteOptions) -> Callable[[Qbf], bool]:
    """Values of formulas, by expansion of small ones, else by a solver.

    Raises ``MissingExtraError``, ``SolverMissingError`` and ``UsageError`` where there is none.
    """
    contenders = available()[:1] if options.solver is None else [get_backend(options.solver)]
    clauses = any(SolverFormat.QDIMACS in backend.accepts for backend in contenders)
    there = clauses and not isinstance(BLOQQER.availability(), Missing)
    preprocessor = BLOQQER if there else None
    limits = options.limits
    patience = PATIENCE if limits.deadline.at == inf else inf

    def value(formula: Qbf) -> bool:
        constant = constant_value(formula)
        if constant is not None:
            return constant
        limits.deadline.check("all questions were asked")
        if formula.num_variables <= _SMALL_VARIABLES:
            with suppress(UndecidedError):
                found = expand(formula, deadline=limits.deadline, max_gates=_SMALL_GATES)
                return found.kind.truth
        solved = solve_formula(
            formula, contenders, limits, preprocessor=preprocessor, patience=patience
        )
        if solved.truth is None:
            raise UndecidedError(f"{solved.by}: {solved.why}")
        return solved.truth

    return value


class _Asking:
    """The questions, each asked once, and at most ``questions`` of them."""

    def __init__(
        self, formulas: tuple[Qbf, Qbf], value: Callable[[Qbf], bool], questions: int
    ) -> None:
        self._formulas = formulas
        self._value = value
        self._most = questions
        self.asked = 0
        self.why = ""

    def turn(self, play: tuple[str, ...], choice: ExactChoice) -> ExactTurn:
        lost = [self._wins(which, choice, choice.said[which]) is False for which in (0, 1)]
        wins: dict[str, Pair] = {}
        for option in choice.options:
            first, second = (
                False if lost[which] else self._wins(which, choice, option.said[which])
                for which in (0, 1)
            )
            wins[option.name] = first, second
        return ExactTurn(play, choice.player, wins)

    def _wins(self, which: int, choice: ExactChoice, values: Values | None) -> bool | None:
        """True if the player wins a formula given a play's values; ``None`` if undecided."""
        if values is None:
            return False
        wanted = choice.player is Player.BLACK
        try:
            if self.asked >= self._most:
                raise UndecidedError(
                    counted(self._most, "question was asked", "questions were asked")
                )
            self.asked += 1
            return self._value(residual(self._formulas[which], values)) is wanted
        except UndecidedError as error:
            self.why = self.why or str(error)
            return None


class ByMoves(SharedChoices):
    """The legal moves of the second formula's game, in the words of both layouts.

    ``square_of`` says where the moves are that the first layout names.  First moves that a formula
    leaves out for symmetry are said in the mirror.  Raises ``UsageError`` where one can say no
    first move.
    """

    def __init__(
        self,
        formulas: tuple[Qbf, Qbf],
        layouts: tuple[Layout, Layout],
        game: TwoPlayerGame,
        square_of: SquareOf | None = None,
    ) -> None:
        self._quantified = tuple(frozenset(formula.quantifiers()) for formula in formulas)
        self._sides = Spelling(layouts[0], game, square_of), Spelling(layouts[1], game)
        self._initial = game.initial
        self._first: dict[str, Move] = {}

    def first(self) -> ExactChoice:
        if self._initial.outcome is not None:
            raise UsageError(f"there is no first move: {self._initial.outcome.reason}")
        legal = self._initial.legal_moves()
        self._first = {str(move): move for move in legal}
        options = [ExactOption(str(move), self._said([move])) for move in legal]
        for which, name in enumerate(("first", "second")):
            if all(option.said[which] is None for option in options):
                raise UsageError(f"the {name} formula can say no first move, as {options[0].name}")
        return ExactChoice(self._initial.to_move, ({}, {}), options)

    def replies(self, option: ExactOption) -> ExactChoice | None:
        move = self._first[option.name]
        position = self._initial.play(move)
        if position.outcome is not None:
            return None
        options = [
            ExactOption(str(reply), self._said([move, reply])) for reply in position.legal_moves()
        ]
        return ExactChoice(position.to_move, self._said([move], goes_on=True), options)

    def _said(self, moves: Sequence[Move], *, goes_on: bool = False) -> Said:
        first, second = (self._values(which, moves, goes_on) for which in (0, 1))
        return first, second

    def _values(self, which: int, moves: Sequence[Move], goes_on: bool) -> Values | None:
        """The values of a play; no player claims a win before its end, or instead of a move."""
        side = self._sides[which]
        words, literals = side.mirrors.telling(moves[0]), list[int]()
        for ply, move in zip(side.plies, moves, strict=False):
            said = side.literals(ply.ply, move, words)
            if said is None:
                return None
            literals += said
            if ply.stop is not None and (ply.stop_instead or goes_on or ply.ply < len(moves)):
                literals.append(-ply.stop)
        known = self._quantified[which]
        return {v: value for v, value in values_of(literals).items() if v in known}


class ByBlocks(SharedChoices):
    """The values of the shared variables of the first two blocks."""

    def __init__(self, formulas: tuple[Qbf, Qbf], shared: Shared) -> None:
        first, second = (formula.merged_scopes()[:2] for formula in formulas)
        if not first or not second or first[0].quantifier is not second[0].quantifier:
            raise UsageError("the formulas begin with blocks of different players")
        self._names = formulas[0].name
        self._blocks = [
            [(v, w) for w, v in shared.first_of.items() if v in a.variables and w in b.variables]
            for a, b in zip(first, second, strict=False)
        ]
        self._scopes = first
        if not self._blocks[0]:
            raise UsageError("the outermost blocks share no variable")
        most = max(map(len, self._blocks))
        if most > MOST_SHARED:
            raise UsageError(f"found {most} shared variables in a block, expected {MOST_SHARED}")

    def first(self) -> ExactChoice:
        return self._choice(0, ({}, {}))

    def replies(self, option: ExactOption) -> ExactChoice | None:
        return self._choice(1, option.said) if len(self._blocks) > 1 else None

    def _choice(self, block: int, before: Said) -> ExactChoice:
        exists = self._scopes[block].quantifier is Quantifier.EXISTS
        pairs = self._blocks[block]
        options: list[ExactOption] = []
        for row in product((True, False), repeat=len(pairs)) if pairs else ():
            chosen = list(zip(pairs, row, strict=True))
            name = " ".join(f"{'' if value else '-'}{self._names(v)}" for (v, _), value in chosen)
            first = {**(before[0] or {}), **{v: value for (v, _), value in chosen}}
            second = {**(before[1] or {}), **{w: value for (_, w), value in chosen}}
            options.append(ExactOption(name, (first, second)))
        return ExactChoice(Player.BLACK if exists else Player.WHITE, before, options)
