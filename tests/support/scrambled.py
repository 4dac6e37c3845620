"""Formulas in which a researcher's file looks otherwise and means the same, and small encoders.

The encoders are in the styles of published ones: numbers of positions, a variable for each move,
coordinates with flags, a first ply that does nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from qsage_validate.circuit.builder import CircuitBuilder
from qsage_validate.circuit.qbf import Gate, Qbf, Quantifier, Scope
from qsage_validate.formats.qdimacs import Placement, clausal_form, parse_qdimacs, qdimacs_text
from qsage_validate.games.masks import width_for
from qsage_validate.games.protocol import Player

EXISTS, FORALL = Quantifier.EXISTS, Quantifier.FORALL


# --- The same formula in another file -----------------------------------------------------------


def renamed(formula: Qbf, rng: Random, *, within: bool = False) -> Qbf:
    """Other numbers for variables and gates; with ``within`` scopes are shuffled inside."""
    numbers = list(range(1, formula.max_variable + 1))
    rng.shuffle(numbers)
    new = dict(enumerate(numbers, start=1))

    def literal(x: int) -> int:
        return new[abs(x)] if x > 0 else -new[abs(x)]

    scopes = []
    for scope in formula.scopes:
        variables = [new[v] for v in scope.variables]
        if within:
            rng.shuffle(variables)
        scopes.append(Scope(scope.quantifier, tuple(variables)))
    gates = {
        new[number]: Gate(gate.connective, tuple(map(literal, gate.inputs)))
        for number, gate in formula.gates.items()
    }
    return Qbf(tuple(scopes), gates, literal(formula.output))


def clausified(formula: Qbf, *, polarity: bool = False, placement: Placement = "innermost") -> Qbf:
    """The formula as QDIMACS: neighbouring scopes are merged, and gates are variables."""
    return parse_qdimacs(
        qdimacs_text(clausal_form(formula, polarity=polarity, placement=placement))
    )


# --- Encoders of a small game -------------------------------------------------------------------


@dataclass(frozen=True)
class Claiming:
    """A game in which players claim positions by turns, Black first; Black wants one of the lines.

    ``plies`` is odd.  ``lines`` are sets of positions; the rest is won by White.
    """

    positions: tuple[str, ...]
    lines: tuple[frozenset[str], ...]
    plies: int

    def pg(self) -> str:
        """The game as a PG file."""
        times = [f"t{k}" for k in range(1, self.plies + 1)]
        lines = [" ".join(sorted(line)) for line in self.lines]
        return "\n".join(
            [
                "#times",
                " ".join(times),
                "#blackturns",
                " ".join(times[::2]),
                "#positions",
                " ".join(self.positions),
                "#blackwins",
                *lines,
                "",
            ]
        )

    def player(self, ply: int) -> Player:
        """The player of a ply, from 0."""
        return Player.WHITE if ply % 2 else Player.BLACK


Chosen = Sequence[Mapping[str, int]]
"""For each ply the literal that says that a position is claimed."""


def numbered(
    game: Claiming,
    *,
    order: Sequence[str] | None = None,
    whites: Sequence[str] | None = None,
    first: int = 0,
    lsb: bool = False,
    flags: int = 0,
    dummy: bool = False,
    hidden_white: bool = False,
    wrong: Callable[[CircuitBuilder, Chosen], int] | None = None,
) -> Qbf:
    """Moves are numbers of positions in ``order``, from ``first``; White's in ``whites``, if given.

    ``flags`` variables that must be false stand in front of each of Black's moves in its scope; a
    ``dummy`` ply of Black's and White's stands first, and does nothing; with ``hidden_white`` a
    variable that must be false, existential, stands before each of White's moves.  ``wrong`` is
    one more condition for Black.
    """
    listed = list(order or game.positions)
    width = width_for(len(listed) + first)
    variables = iter(range(1, 1000))
    scopes: list[Scope] = []
    moves: list[tuple[int, ...]] = []
    idle: list[int] = []

    def take(count: int) -> tuple[int, ...]:
        return tuple(next(variables) for _ in range(count))

    if dummy:
        idle.extend(take(width))
        scopes += [Scope(EXISTS, tuple(idle)), Scope(FORALL, take(width))]
    for ply in range(game.plies):
        if game.player(ply) is Player.BLACK:
            extra, own = take(flags), take(width)
            idle.extend(extra)
            scopes.append(Scope(EXISTS, extra + own))
        else:
            if hidden_white:
                extra = take(1)
                idle.extend(extra)
                scopes.append(Scope(EXISTS, extra))
            own = take(width)
            scopes.append(Scope(FORALL, own))
        moves.append(own[::-1] if lsb else own)
    circuit = CircuitBuilder(next(variables))

    def equals(bits: Sequence[int], number: int) -> int:
        signs = [number >> k & 1 for k in range(width - 1, -1, -1)]
        return circuit.and_(*(b if s else -b for b, s in zip(bits, signs, strict=True)))

    lists = {Player.BLACK: listed, Player.WHITE: whites or listed}
    chosen = [
        {p: equals(bits, k + first) for k, p in enumerate(lists[game.player(ply)])}
        for ply, bits in enumerate(moves)
    ]
    return _formula(game, circuit, scopes, chosen, idle, wrong)


def by_tables(
    game: Claiming,
    tables: Sequence[Mapping[str, str]],
    *,
    wrong: Callable[[CircuitBuilder, Chosen], int] | None = None,
) -> Qbf:
    """Each ply's table has the bits of its positions, ``0`` and ``1`` from left to right.

    ``wrong`` is one more condition for Black.
    """
    variables = iter(range(1, 1000))
    scopes: list[Scope] = []
    for ply, table in enumerate(tables):
        own = tuple(next(variables) for _ in next(iter(table.values())))
        scopes.append(Scope(EXISTS if game.player(ply) is Player.BLACK else FORALL, own))
    circuit = CircuitBuilder(next(variables))
    chosen = [
        {
            position: circuit.and_(
                *(v if bit == "1" else -v for v, bit in zip(scope.variables, bits, strict=True))
            )
            for position, bits in table.items()
        }
        for scope, table in zip(scopes, tables, strict=True)
    ]
    return _formula(game, circuit, scopes, chosen, [], wrong)


def one_hot(game: Claiming) -> Qbf:
    """A variable for each position and ply, exactly one of which is true."""
    count = len(game.positions)
    scopes, chosen = [], []
    for ply in range(game.plies):
        own = tuple(range(1 + ply * count, 1 + (ply + 1) * count))
        quantifier = EXISTS if game.player(ply) is Player.BLACK else FORALL
        scopes.append(Scope(quantifier, own))
        chosen.append(own)
    circuit = CircuitBuilder(1 + game.plies * count)
    exactly = [
        {
            p: circuit.and_(own[k], *(-x for x in own if x != own[k]))
            for k, p in enumerate(game.positions)
        }
        for own in chosen
    ]
    return _formula(game, circuit, scopes, exactly, [], None)


def _formula(
    game: Claiming,
    circuit: CircuitBuilder,
    scopes: list[Scope],
    chosen: Chosen,
    idle: Sequence[int],
    wrong: Callable[[CircuitBuilder, Chosen], int] | None,
) -> Qbf:
    """Black wins: the first illegal move loses, else a line is Black's."""
    black = [chosen[k] for k in range(game.plies) if game.player(k) is Player.BLACK]
    won = circuit.or_(
        *(
            circuit.and_(*(circuit.or_(*(own[p] for own in black)) for p in line))
            for line in game.lines
        )
    )
    if wrong is not None:
        won = circuit.and_(won, wrong(circuit, chosen))
    for ply in range(game.plies - 1, -1, -1):
        legal = circuit.or_(
            *(
                circuit.and_(chosen[ply][p], *(-chosen[k][p] for k in range(ply)))
                for p in chosen[ply]
            )
        )
        if game.player(ply) is Player.BLACK:
            won = circuit.and_(legal, won)
        else:
            won = circuit.or_(-legal, won)
    output = circuit.and_(won, *(-x for x in idle))
    return Qbf(tuple(scopes), circuit.gates, output)
