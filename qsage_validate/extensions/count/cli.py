"""What is counted: of a game by its rules, of a formula by a decision diagram of its matrix.

A strategy is a tree: it has one move of its player in each position that it leads to, which may
depend on the whole play so far, and wins every play.  Of a formula it is a tuple of Skolem
functions that satisfies the matrix (of Herbrand functions that falsify it, where the formula is
false); each function reads all of the opponent's variables to its left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from math import log2
from typing import Any, Final

from qsage_validate.circuit.qbf import Connective, Gate, Qbf, Quantifier, Scope
from qsage_validate.cli.commands import subcommand
from qsage_validate.cli.common import emit, emit_json
from qsage_validate.cli.encode import load_formula
from qsage_validate.cli.model_arguments import ModelArguments, formula_path, model_words
from qsage_validate.cli.options import FormulaOptions, JsonOption, TimeoutOption
from qsage_validate.cli.parameters import OptionGroup, option
from qsage_validate.errors import Exit, MissingExtraError, UndecidedError, counted
from qsage_validate.formats.source import label
from qsage_validate.games.protocol import Player, Position, TwoPlayerGame
from qsage_validate.system.limits import Deadline, Limits

MOST_BITS: Final = 1 << 13
"""Larger numbers are known by bounds alone: Python writes no integer of more than 4,300 digits."""

_WRITTEN: Final = 10**15


def bounded(number: int) -> int:
    """The number, or where it is too large the largest one: a bound from below."""
    return min(number, (1 << MOST_BITS) - 1)


@dataclass(frozen=True, slots=True)
class Amount:
    """A number, or bounds of it: ``least``, and 2 to the power of ``most_bits``.

    It is exact where ``most_bits`` is ``None``.
    """

    least: int
    most_bits: int | None = None

    @property
    def exact(self) -> bool:
        """True if the number is ``least``."""
        return self.most_bits is None

    def to_dict(self) -> dict[str, object]:
        """The number, or its bounds, for JSON."""
        if self.most_bits is None:
            return {"exact": True, "number": self.least}
        bits = self.most_bits
        most = bits if bits < _WRITTEN else f"2^{bits.bit_length()}"
        return {"exact": False, "least": self.least, "most_log2": most}

    def __str__(self) -> str:
        if self.most_bits is None:
            return _number(self.least)
        bits = self.most_bits
        most = f"2^{bits:,}" if bits < _WRITTEN else f"2^(2^{bits.bit_length():,})"
        return f"from {_number(self.least)} to {most}"


def _number(number: int) -> str:
    return f"{number:,}" if number < _WRITTEN else f"about 2^{log2(number):,.1f}"


def amount(number: int, most_bits: int) -> Amount:
    """A number that was added and multiplied with :func:`bounded`, and its bound from above."""
    return Amount(number) if number < bounded(1 << MOST_BITS) else Amount(number, most_bits)


_EVERY: Final = 256  # positions or gates between two looks at the clock


# Games, by their rules


@dataclass(frozen=True, slots=True)
class GameCount:
    """Who wins a game, by which of the first player's moves, and in how many ways.

    ``first_moves`` are those of the player to move at the start that win for that player, of
    ``legal`` ones; ``strategies`` are the winner's.
    """

    winner: Player
    first_moves: tuple[str, ...]
    legal: int
    strategies: Amount


def count_game(game: TwoPlayerGame, limits: Limits) -> GameCount:
    """Count by all positions that the rules lead to, from the last plies back.

    Raises ``UndecidedError`` at the deadline, and where there are more positions than ``limits``
    allow.
    """
    after: dict[Position, tuple[Position, ...]] = {}
    waiting, seen = [game.initial], {game.initial}
    for number, position in enumerate(waiting):  # it grows: ply by ply
        if number % _EVERY == 0:
            limits.deadline.check(f"positions were listed ({number:,} so far)")
        moves = () if position.outcome is not None else position.legal_moves()
        after[position] = tuple(map(position.after, moves))
        new = [each for each in dict.fromkeys(after[position]) if each not in seen]
        seen.update(new)
        waiting += new
        if limits.positions is not None and len(waiting) > limits.positions:
            raise UndecidedError(f"there are more than {counted(limits.positions, 'position')}")
    # Strategies of each player from a position, and all trees of moves as bits, won or not.
    ways: dict[Position, dict[Player, int]] = {}
    bits: dict[Position, dict[Player, int]] = {}
    for position in reversed(waiting):
        below = after[position]
        ways[position] = {p: _ways(position, p, [ways[each][p] for each in below]) for p in Player}
        bits[position] = {p: _bits(position, p, [bits[each][p] for each in below]) for p in Player}
    start = game.initial
    winner = next(player for player in Player if ways[start][player])
    moves = () if start.outcome is not None else start.legal_moves()
    won = [str(m) for m, p in zip(moves, after[start], strict=True) if ways[p][start.to_move]]
    strategies = amount(ways[start][winner], bits[start][winner])
    return GameCount(winner, tuple(won), len(moves), strategies)


def _ways(position: Position, player: Player, below: list[int]) -> int:
    if position.outcome is not None:
        return int(position.outcome.winner is player)
    return bounded(sum(below) if position.to_move is player else _product(below))


def _bits(position: Position, player: Player, below: list[int]) -> int:
    """The binary logarithm of the number of trees, rounded up: of a sum that of the most."""
    if position.outcome is not None:
        return 0
    if position.to_move is player:
        return max(below) + (len(below) - 1).bit_length()
    return sum(below)


def _product(numbers: list[int]) -> int:
    if 0 in numbers:
        return 0
    found = 1
    for number in numbers:
        found = bounded(found * number)
    return found


# Formulas, by a decision diagram


@dataclass(frozen=True, slots=True)
class FormulaCount:
    """The value of a formula, and in how many ways it has that value.

    ``outermost`` are the assignments of the outermost block, of so many ``variables``, after which
    the player of that block wins.  ``strategies`` are the tuples of Skolem functions (of Herbrand
    functions, where ``truth`` is false).  Where the diagram is too large, ``truth`` and
    ``outermost`` are ``None``, ``why`` says so, and ``strategies`` are bounds for either player.
    """

    truth: bool | None
    outer: Quantifier
    variables: int
    outermost: int | None
    strategies: Amount
    why: str = ""


class _TooLargeError(Exception):
    """The diagram has more nodes than it may have."""


def count_formula(formula: Qbf, limits: Limits, nodes: int) -> FormulaCount:
    """Count by a decision diagram of the matrix of at most ``nodes`` nodes (the package dd).

    Raises ``UndecidedError`` at the deadline.
    """
    scopes = formula.merged_scopes()
    outer = scopes[0] if scopes else Scope(Quantifier.EXISTS, ())
    size = len(outer.variables)
    try:
        diagram = _Diagram(formula, scopes, limits, nodes)
        won = diagram.won_by_outer()
    except _TooLargeError:
        most = max(_function_bits(scopes, quantifier) for quantifier in Quantifier)
        why = f"its decision diagram has more than {nodes:,} nodes"
        return FormulaCount(None, outer.quantifier, size, None, Amount(0, most), why)
    truth = (outer.quantifier is Quantifier.EXISTS) == (won > 0)
    own = Quantifier.EXISTS if truth else Quantifier.FORALL
    strategies = amount(diagram.strategies(own), _function_bits(scopes, own))
    return FormulaCount(truth, outer.quantifier, size, won, strategies)


def _function_bits(scopes: tuple[Scope, ...], own: Quantifier) -> int:
    """The binary logarithm of the number of tuples of functions, good ones or not."""
    bits = read = 0
    for scope in scopes:
        if scope.quantifier is own:
            bits += len(scope.variables) << read
        else:
            read += len(scope.variables)
    return bits


class _Diagram:
    """The matrix as a decision diagram whose order is that of the prefix."""

    def __init__(self, formula: Qbf, scopes: tuple[Scope, ...], limits: Limits, nodes: int) -> None:
        from dd import bdd
        from dd.autoref import BDD

        self._limits = limits
        self._nodes = nodes
        self._scopes = scopes
        self._quantifiers = [s.quantifier for s in scopes for _ in s.variables]
        # Its check when it is deleted fails after a limit that came in the middle of an operation.
        if hasattr(bdd.BDD, "__del__"):
            del bdd.BDD.__del__
        self._bdd: Any = BDD()
        self._bdd.configure(reordering=False)
        self._bdd.declare(*(_name(v) for s in scopes for v in s.variables))
        self._root = self._built(formula)

    def _built(self, formula: Qbf) -> Any:
        held = {v: self._bdd.var(_name(v)) for s in self._scopes for v in s.variables}
        for number, (variable, gate) in enumerate(formula.gates.items()):
            if number % _EVERY == 0:
                self._limits.deadline.check("a decision diagram was built")
            held[variable] = self._gate(gate, held)
        root = held[abs(formula.output)]
        return root if formula.output > 0 else ~root

    def _gate(self, gate: Gate, held: Mapping[int, Any]) -> Any:
        inputs = [held[x] if x > 0 else ~held[-x] for x in gate.inputs]
        if gate.connective is Connective.ITE:
            return self._checked(self._bdd.ite(*inputs))
        if gate.connective is Connective.XOR:
            return self._checked(self._bdd.apply("xor", *inputs))
        conjunction = gate.connective is Connective.AND
        found = self._bdd.true if conjunction else self._bdd.false
        for each in inputs:
            found = self._checked(found & each if conjunction else found | each)
        return found

    def _checked(self, node: Any) -> Any:
        if len(self._bdd) > self._nodes:
            self._bdd.collect_garbage()
            if len(self._bdd) > self._nodes:
                raise _TooLargeError
        return node

    def won_by_outer(self) -> int:
        """The assignments of the outermost block after which its player wins."""
        node = self._root
        for scope in reversed(self._scopes[1:]):
            self._limits.deadline.check("the inner blocks were decided")
            names = [_name(v) for v in scope.variables]
            quantify = (
                self._bdd.exist if scope.quantifier is Quantifier.EXISTS else self._bdd.forall
            )
            node = self._checked(quantify(names, node))
        if not self._scopes:
            return int(node == self._bdd.true)
        outer = self._scopes[0]
        won = node if outer.quantifier is Quantifier.EXISTS else ~node
        return int(self._bdd.count(won, nvars=len(outer.variables)))

    def strategies(self, own: Quantifier) -> int:
        """The tuples of functions by which the player of ``own`` wins, bounded from below."""
        won = self._bdd.true if own is Quantifier.EXISTS else self._bdd.false
        depth = len(self._quantifiers)
        found: dict[int, int] = {}
        order = sorted(self._reached(), key=self._level, reverse=True)
        for number, node in enumerate(order):
            if number % _EVERY == 0:
                self._limits.deadline.check("strategies were counted")
            level = self._level(node)
            if level == depth:
                found[int(node)] = int(node == won)
                continue
            low, high = (self._from(level + 1, b, found, own) for b in self._children(node))
            mine = self._quantifiers[level] is own
            found[int(node)] = bounded(low + high) if mine else _product([low, high])
        return self._from(0, self._root, found, own)

    def _from(self, level: int, node: Any, found: Mapping[int, int], own: Quantifier) -> int:
        """The number at a level above the node, whose variables the node does not read."""
        number = found[int(node)]
        for quantifier in reversed(self._quantifiers[level : self._level(node)]):
            if number == 0:
                break
            number = bounded(2 * number if quantifier is own else number * number)
        return number

    def _reached(self) -> Iterator[Any]:
        waiting, seen = [self._root], {int(self._root)}
        while waiting:
            node = waiting.pop()
            yield node
            for below in self._children(node):
                if int(below) not in seen:
                    seen.add(int(below))
                    waiting.append(below)

    def _level(self, node: Any) -> int:
        constant = node in (self._bdd.true, self._bdd.false)
        return len(self._quantifiers) if constant else int(node.level)

    def _children(self, node: Any) -> tuple[Any, ...]:
        if node in (self._bdd.true, self._bdd.false):
            return ()
        # An edge may be complemented: its node's children then are, too.
        return (~node.low, ~node.high) if node.negated else (node.low, node.high)


def _name(variable: int) -> str:
    return f"v{variable}"


# ``qsage count``: in how many ways a game or a formula is won


@dataclass(frozen=True)
class GameCountOptions(OptionGroup):
    """The limits of counting by the rules."""

    positions: int = option("The most positions of a game.", "N", min=1, default=1_000_000)


@dataclass(frozen=True)
class FormulaCountOptions(FormulaOptions):
    """How a formula is read, and the limits of counting in it."""

    nodes: int = option(
        "The most nodes of a formula's decision diagram.", "N", min=1, default=300_000
    )


@subcommand("qsage count httt --size 3x3 --shape el --depth 5", "qsage count f.qcir")
def command(
    *,
    model: ModelArguments = model_words(or_formula=True),
    of_formula: FormulaCountOptions,
    timeout: TimeoutOption = None,
    of_game: GameCountOptions,
    json_output: JsonOption = False,
) -> Exit:
    """Count winning first moves, assignments, strategies.

    Of a game: how many first moves win for the player who makes them, and how many strategies the
    winner has. Of a formula: how many assignments of the outermost block win for its player, and
    how many tuples of Skolem functions (Herbrand functions, where it is false) there are. A
    strategy is a tree of replies, which may depend on the whole play.

    The numbers are exact, or bounds where they are too large to be written. Exit code 10: true
    (Black wins), 20: false (White wins), 3: undecided within the limits.
    """
    limits = Limits(Deadline.after(timeout), positions=of_game.positions)
    path = formula_path(model)
    if path is None:
        from qsage_validate.games.languages import load_game

        of_formula.refuse("a game, expected a formula")
        game = load_game(model.resolve())
        return _show_game(game, count_game(game, limits), json_output)
    of_game.refuse("a formula, expected a game")
    if find_spec("dd") is None:
        raise MissingExtraError("counting in a formula", "count")
    formula = load_formula(path, model, of_formula).qbf
    found = count_formula(formula, limits, of_formula.nodes)
    return _show_formula(label(path), found, json_output)


def _show_game(game: TwoPlayerGame, found: GameCount, json_output: bool) -> Exit:
    from qsage_validate.cli.deepening import said_at_start

    name, won = game.name, found.first_moves
    if json_output:
        emit_json(
            {
                "game": name,
                "winner": found.winner.value,
                "first_moves": list(won),
                "legal_first_moves": found.legal,
                "strategies": found.strategies.to_dict(),
            }
        )
    else:
        moves = f": {', '.join(said_at_start(won, game))}" if won else ""
        emit(f"{found.winner} wins {name}")
        emit(f"first moves that win: {len(won)} of {found.legal}{moves}")
        emit(f"strategies of {found.winner} that win: {found.strategies}")
    return Exit.TRUE if found.winner.value == "black" else Exit.FALSE


def _show_formula(name: str, found: FormulaCount, json_output: bool) -> Exit:
    word = {True: "true", False: "false", None: "undecided"}[found.truth]
    kind = {True: "Skolem ", False: "Herbrand ", None: ""}[found.truth]
    if json_output:
        emit_json(
            {
                "formula": name,
                "verdict": word,
                "outermost": found.outermost,
                "outermost_variables": found.variables,
                "quantifier": found.outer.value,
                "strategies": found.strategies.to_dict(),
                "reason": found.why,
            }
        )
    else:
        emit(f"{name}: {word}" + (f": {found.why}" if found.why else ""))
        if found.outermost is not None:
            block = f"assignments of the outermost block ({found.outer.value}) that win"
            emit(f"{block}: {found.outermost:,} of 2^{found.variables}")
        emit(f"tuples of {kind}functions: {found.strategies}")
    return {True: Exit.TRUE, False: Exit.FALSE, None: Exit.UNDECIDED}[found.truth]
