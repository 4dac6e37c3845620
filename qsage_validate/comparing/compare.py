"""Two formulas compared, and the first moves by which a formula is won.

Where both formulas have layouts, what they share are moves: those of one ply.  The strategy is
asked for its reply after every play of the opponent's by the rules (:class:`Unrolling`).  The tree
of its replies is compiled where the second formula's encoding is known, which says how all else
follows from the moves.  Else, and where the compiled functions do not win, the tree is a
constraint: in the plays by the rules the player makes these moves, all other values are open, and
solvers decide.  So it does not matter how either formula writes its moves.

A move that the strategy's formula does not have is reflected: an encoding may leave out first moves
that a symmetry of the game exchanges with others.

A choice wins when the formula in which its variables have their values has the value of the player
who made it.  Every value is asked of a solver.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from itertools import permutations, product
from typing import Final

from qsage_validate.certificates.check import circuit_of
from qsage_validate.certificates.routes import CheckFailedError, RouteOptions, certify_formula
from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.circuit.rewriting import residual
from qsage_validate.comparing.exact import (
    ByBlocks,
    ByMoves,
    ExactChoice,
    ExactComparison,
    ExactOption,
    Loses,
    Shared,
    SharedChoices,
    Transfer,
    Wins,
    check_length,
    compare_exactly,
    read_shared,
    shared_names,
    value_by_solver,
)
from qsage_validate.comparing.plays import ComparedSide, transfer, transfer_by_plays
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.layout import inconclusive
from qsage_validate.encodings.registry import encode, encoders
from qsage_validate.errors import Exit, QsageError, Undecided, UndecidedError, UsageError
from qsage_validate.formats.grid_names import named_cell
from qsage_validate.games.conversion import Conversion, conversion
from qsage_validate.games.languages import load_game, model_from_parts
from qsage_validate.games.model_text import GameModel
from qsage_validate.games.protocol import Move, Outcome, Player, Position
from qsage_validate.problems import load as problems
from qsage_validate.problems.load import BoardProblem, Files, Problem
from qsage_validate.system.limits import Progress, Tell, nobody
from qsage_validate.validation.fit import foreign_move

# Strategies of two formulas, each in the other formula; and of all encodings of a game


class FormulaRelation(Enum):
    """The relation of two formulas that two transfers show; the values are sentences."""

    EQUIVALENT = "equivalent: each strategy wins in the other formula"
    STRONGER = "stronger: the first strategy wins in the second formula, not the reverse"
    WEAKER = "weaker: the second strategy wins in the first formula, not the reverse"
    DIFFERENT = "different: neither strategy wins in the other formula"
    UNDECIDED = "undecided"

    @property
    def exit_code(self) -> Exit:
        """0 for formulas that are equivalent, 1 for others that are told apart."""
        if self is FormulaRelation.EQUIVALENT:
            return Exit.FINE
        return Exit.UNDECIDED if self is FormulaRelation.UNDECIDED else Exit.REFUTED


def relation(there: Transfer, back: Transfer) -> FormulaRelation:
    if isinstance(there, Undecided) or isinstance(back, Undecided):
        return FormulaRelation.UNDECIDED
    if isinstance(there, Wins):
        return FormulaRelation.EQUIVALENT if isinstance(back, Wins) else FormulaRelation.STRONGER
    return FormulaRelation.WEAKER if isinstance(back, Wins) else FormulaRelation.DIFFERENT


@dataclass(frozen=True, slots=True)
class ComparedStrategy:
    """One strategy in another formula; ``shared`` says over what, ``replays`` repeat the play."""

    outcome: Transfer
    shared: str
    replays: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<ComparedStrategy {self.outcome.word}>"


def compared(
    first: Problem,
    second: Problem,
    shared: Callable[[Qbf, Qbf], Shared] | None,
    options: RouteOptions,
) -> ComparedStrategy:
    """The result of using the strategy of ``first``, which has a certificate, in ``second``.

    The formulas share the variables that ``shared`` gives.  Without it they share the moves, if
    both have a layout and one of them has rules, else the variables of equal names.
    """
    certificate = first.whole
    side = None if shared is not None else _side(first, second)
    if side is not None and isinstance(first, BoardProblem):
        outcome: Transfer = transfer_by_plays(first, side, options)
        over = "moves of one ply"
    else:
        pairs = (shared or shared_names)(first.qbf, second.qbf)
        circuit = circuit_of(certificate, first.qbf)
        outcome, over = transfer(circuit, second.qbf, pairs, options), pairs.source
    if not isinstance(outcome, Loses) or side is None or first.files.certificate is None:
        return ComparedStrategy(outcome, over)
    return ComparedStrategy(outcome, over, (first.replay(outcome.asked),))


def compared_both(
    one: Problem,
    two: Problem,
    shared: Callable[[Qbf, Qbf], Shared] | None,
    options: RouteOptions,
) -> tuple[ComparedStrategy, ComparedStrategy]:
    """The result of using each strategy in the formula of the other, as in :func:`compared`."""
    there = compared(one, two, shared, options)
    if shared is None:
        return there, compared(two, one, None, options)
    exchanged = shared(one.qbf, two.qbf).reversed()
    return there, compared(two, one, lambda *_: exchanged, options)


def _side(first: Problem, second: Problem) -> ComparedSide | None:
    """The second formula with the moves of a game, where it has a layout and there are rules.

    ``None`` where there are none, or the first formula has no layout.
    """
    if first.layout is None:
        return None
    encoding = encoding_for(second)
    if encoding is not None:
        return ComparedSide.of(encoding, second.qbf)
    game, layout = second.game or first.game, second.layout
    if layout is None or game is None or foreign_move(game, layout) is not None:
        return None
    return ComparedSide(second.qbf, layout, game)


def moves_in(problem: Problem) -> ByMoves | None:
    """The moves that a formula can say; ``None`` where it has no layout or there are no rules."""
    return _moves_in_both(problem, problem)


def _moves_in_both(first: Problem, second: Problem) -> ByMoves | None:
    side = _side(first, second)
    if side is None or first.layout is None:
        return None
    check_length(first.layout, first.game, side.game)
    check_length(side.layout, second.game, side.game)
    square_of = named_cell if first.game is None else first.game.square_of
    formulas = first.qbf, second.qbf
    return ByMoves(formulas, (first.layout, side.layout), side.game, square_of)


def compared_exactly(
    first: Problem,
    second: Problem,
    shared: Callable[[Qbf, Qbf], Shared] | None,
    options: RouteOptions,
    *,
    questions: int,
    tell: Tell = nobody,
) -> ExactComparison:
    """The first moves and replies that win in each formula; variables as in ``compared``."""
    formulas = first.qbf, second.qbf
    by_moves = None if shared is not None else _moves_in_both(first, second)
    choices: SharedChoices = by_moves or ByBlocks(formulas, (shared or shared_names)(*formulas))
    value = value_by_solver(options)
    return compare_exactly(formulas, choices, value, questions=questions, tell=tell)


def encoding_for(problem: Problem) -> Encoding | None:
    """The encoding that a formula's layout names, where its moves have the same variables.

    The formula itself may be another one: what is compiled is checked on it.
    """
    layout, formula = problem.layout, problem.formula
    if formula is None or layout is None or problem.game is None or not layout.model:
        return None
    model = model_from_parts(layout.game, layout.model)
    if layout.encoding not in encoders(model.language):
        return None
    made = encode(model, layout.encoding)
    same = made.layout.moves == layout.moves and made.qbf.quantifiers() == formula.quantifiers()
    return made if same else None


def certified_problem(problem: Problem, options: RouteOptions) -> Problem:
    """The problem with a certificate that is made for it; errors as in ``certify_formula``."""
    encoding = encoding_for(problem)
    if encoding is not None and encoding.qbf.gates != problem.qbf.gates:
        encoding = None
    made = certify_formula(problem.qbf, options, encoding=encoding, layout=problem.layout)
    return replace(problem, certificate=made.certificate)


# --- All encodings of a game ------------------------------------------------------------------


@dataclass(frozen=True)
class EncodingTable:
    """The result of the first encoding's strategy in the second's formula, for each pair.

    ``left_out`` says of encodings why they have no strategy, ``undecided`` of those for which
    none was found in time; ``wrong`` are those whose formula contradicts the rules.
    """

    names: tuple[str, ...]
    cells: dict[tuple[str, str], Transfer]
    left_out: dict[str, str]
    undecided: dict[str, str]
    wrong: dict[str, str]

    @property
    def exit_code(self) -> Exit:
        """0 when every strategy wins in every formula."""
        if self.wrong or any(isinstance(cell, Loses) for cell in self.cells.values()):
            return Exit.REFUTED
        cells = any(isinstance(cell, Undecided) for cell in self.cells.values())
        undecided = cells or self.undecided or len(self.names) < 2
        return Exit.UNDECIDED if undecided else Exit.FINE


def compare_encodings(
    models: Mapping[str, GameModel], options: RouteOptions, tell: Tell = nobody
) -> EncodingTable:
    """A strategy of each encoding of a game, made for it, in every other encoding's formula.

    ``models`` has the game by the names of its encodings, in the language of each.
    Each step has an equal share of the time that is left, so that one which takes without end
    leaves time for the others.
    """
    made: dict[str, tuple[Encoding, Problem]] = {}
    left_out: dict[str, str] = {}
    undecided: dict[str, str] = {}
    wrong: dict[str, str] = {}
    for rank, (name, model) in enumerate(models.items()):
        tell(Progress(f"a strategy for {name}"))
        try:
            encoding = encode(model, name)
            if foreign_move(load_game(model), encoding.layout) is not None:
                left_out[name] = "its moves are not those of the game"
                continue
            one = _share(options, len(models) - rank + 1)  # comparisons are one step more
            proved = certify_formula(encoding.qbf, one, encoding=encoding)
            why = inconclusive(encoding.layout, proved.truth)
            if why is not None:
                left_out[name] = why
                continue
        except CheckFailedError as error:
            wrong[name] = str(error)
        except UndecidedError as error:
            undecided[name] = str(error)
        except QsageError as error:
            left_out[name] = str(error)
        else:
            made[name] = (encoding, problems.of(encoding, proved.certificate, Files()))
    cells: dict[tuple[str, str], Transfer] = {}
    pairs = list(permutations(made, 2))
    for rank, (row, column) in enumerate(pairs):
        tell(Progress(f"{row} in {column}"))
        one, side = _share(options, len(pairs) - rank), ComparedSide.of(made[column][0])
        cells[row, column] = transfer_by_plays(made[row][1].on_board, side, one)
    return EncodingTable(tuple(made), cells, left_out, undecided, wrong)


def _share(options: RouteOptions, steps: int) -> RouteOptions:
    """The options with an equal part of the time that is left."""
    deadline = options.limits.deadline.share(1 / steps)
    return replace(options, limits=replace(options.limits, deadline=deadline))


def read_from(path: str) -> Callable[[Qbf, Qbf], Shared]:
    """A function that reads the shared variables of two formulas from a file."""

    def read(first: Qbf, second: Qbf) -> Shared:
        return read_shared(path, first, second)

    return read


def replay_in_second(second: Problem, written: str, outcome: Loses) -> str:
    """The command that plays a lost play against the strategy as it was written for it."""
    files = replace(second.files, certificate=written)
    return replace(second, files=files).replay(outcome.replies) if outcome.replies else ""


# All winning first choices of one formula: each move of ply 1, or each value of the first block


MOST_VARIABLES: Final = 12
"""A first block of more variables, without moves, has too many values to be listed."""


@dataclass(frozen=True, slots=True)
class FirstMoves:
    """The first choices by name: whether each wins for ``player``, ``None`` where that is open.

    ``why`` says why some are open, else it is empty.
    """

    player: Player
    wins: Mapping[str, bool | None]
    why: str = ""

    @property
    def winning(self) -> tuple[str, ...]:
        return tuple(name for name, wins in self.wins.items() if wins)


def first_moves(
    problem: Problem, truth: bool, value: Callable[[Qbf], bool], tell: Tell = nobody
) -> FirstMoves:
    """The first choices in a formula that has the value ``truth``.

    Nothing wins for the player who has lost.  ``value`` may raise ``UndecidedError``.  Raises
    ``UsageError`` where there is no first choice, or where there are too many.
    """
    formula = problem.qbf
    choices = moves_in(problem)
    turn = _first_values(formula) if choices is None else choices.first()
    wanted = turn.player is Player.BLACK
    if truth is not wanted:
        return FirstMoves(turn.player, {option.name: False for option in turn.options})
    wins: dict[str, bool | None] = {}
    why = ""
    for number, option in enumerate(turn.options, start=1):
        tell(Progress("first moves", option.name, number, len(turn.options)))
        said = option.said[0]
        try:
            wins[option.name] = said is not None and value(residual(formula, said)) is wanted
        except UndecidedError as error:
            wins[option.name] = None
            why = why or str(error)
    return FirstMoves(turn.player, wins, why)


def _first_values(formula: Qbf) -> ExactChoice:
    """The values of the first block, named as clauses are: ``a -b``."""
    scopes = formula.merged_scopes()
    if not scopes:
        raise UsageError("found a formula without variables, expected a first block")
    variables = scopes[0].variables
    if len(variables) > MOST_VARIABLES:
        raise UsageError(
            f"found {len(variables)} variables in the first block, expected a layout with moves or "
            f"at most {MOST_VARIABLES}"
        )
    options = []
    for row in product((True, False), repeat=len(variables)):
        values = dict(zip(variables, row, strict=True))
        name = " ".join(f"{'' if x else '-'}{formula.name(v)}" for v, x in values.items())
        options.append(ExactOption(name, (values, values)))
    exists = scopes[0].quantifier is Quantifier.EXISTS
    return ExactChoice(Player.BLACK if exists else Player.WHITE, ({}, {}), options)


# A game beside the same game in another language, position by position


def walk(first: GameModel, second: GameModel, most: int) -> tuple[int, bool]:
    """Compare two games position by position; how many there were, and whether these are all.

    ``second`` is ``first`` converted.  After ``most`` positions the walk ends.  Raises
    ``AssertionError`` for a position with other moves, another end or another winner.
    """
    way = conversion(first.language, second.language)
    assert way is not None, "the second game was converted"
    games = load_game(first), load_game(second)
    seen = {games[0].initial}
    waiting: list[tuple[Position, Position]] = [(games[0].initial, games[1].initial)]
    while waiting:
        here, there = waiting.pop()
        for move, after in _pairs(way, first, here, there):
            position = here.after(move)
            if position not in seen:
                if len(seen) >= most:
                    return len(seen), False
                seen.add(position)
                waiting.append((position, after))
    return len(seen), True


def _pairs(
    way: Conversion, model: GameModel, here: Position, there: Position
) -> Iterator[tuple[Move, Position]]:
    """Each move with the position behind it in the second game, once both agree."""
    ends = _winner(here.outcome), _winner(there.outcome)
    if ends[0] != ends[1]:
        raise AssertionError(f"{here}: {ends[0]} in one game, {ends[1]} in the other")
    behind = dict(_behind(there, way.plies))
    words = {move: way.said(model, move, here.to_move) for move in here.legal_moves()}
    if set(words.values()) != behind.keys():
        found = ", ".join(" ".join(w) for w in sorted(set(words.values()) ^ behind.keys()))
        raise AssertionError(f"{here}: moves of one game only: {found}")
    for move, own in words.items():
        yield move, behind[own]


def _winner(outcome: Outcome | None) -> str:
    return "nobody has won" if outcome is None else f"{outcome.winner} has won"


def _behind(position: Position, plies: int) -> Iterator[tuple[tuple[str, ...], Position]]:
    """What can be played in so many plies."""
    for move in position.legal_moves():
        after = position.after(move)
        if plies == 1:
            yield (str(move),), after
            continue
        for said, behind in _behind(after, plies - 1):
            yield (str(move), *said), behind
