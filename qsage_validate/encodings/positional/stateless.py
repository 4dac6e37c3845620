"""The stateless encodings SA and SN: everything is said about the moves themselves.

Sections 3.3 and 4.4 of Shaik, Mayer-Eichberger, van de Pol and Saffidine 2023.  Black's moves
differ from all earlier ones, and the witness consists of Black's moves; what White plays outside
of the board or on an occupied position is ignored.  The step of SN is one disjunction for each
position of the witness and each number, without a gate for the neighbours.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Final

from qsage_validate.encodings.arithmetic import Bits, less_than
from qsage_validate.encodings.completion import Completion, Goals, PlayLiterals, nothing_else
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.positional.open_game import (
    Listing,
    OpenGame,
    assign,
    playable,
    set_members,
    steps_of,
    way_positions,
    with_network,
    with_sets,
    witness_positions,
)
from qsage_validate.encodings.positional.symbolic import EXISTS, SymbolicEncoder
from qsage_validate.errors import UsageError
from qsage_validate.games.masks import mask_of, members
from qsage_validate.games.positional.harary import PolyominoBoard, polyomino_of
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.positional.polyominoes import Cells
from qsage_validate.games.positional.symmetry import sound_first_moves
from qsage_validate.games.protocol import Player


class Stateless(SymbolicEncoder):
    """Black's moves differ from what was claimed before them."""

    def open_claims(self) -> Iterator[int]:
        """Black claims positions of the board that nobody has claimed."""
        yield from self.in_bounds()
        for ply, move in enumerate(self.moves):
            if ply % 2 == 0:
                yield from (-self.equal(move, earlier) for earlier in self.moves[:ply])


class StatelessWitness(Stateless):
    """A list of Black's moves that has to be a winning one (Definition 8)."""

    witness: tuple[Bits, ...]

    def allocate(self) -> None:
        self.witness = self.vectors(self.witness_size())
        self.scope(EXISTS, *self.witness)

    def witness_size(self) -> int:
        """The number of positions of the witness: as many as Black has stones."""
        return self.game.stones

    @abstractmethod
    def goal(self) -> Iterable[int]:
        """The conditions that make the witness a winning one."""

    @abstractmethod
    def listing(self) -> Listing:
        """The witness of a play that is won."""

    def conjuncts(self) -> Iterator[int]:
        goal = self.circuit.and_(*self.goal())
        self.gates["goal"] = goal
        yield goal
        black = self.circuit.and_(*map(self.in_one_of_blacks_moves, self.witness))
        self.gates["witness black"] = black
        yield black
        yield from self.open_claims()

    def completions(self) -> Mapping[Player, Completion]:
        return {Player.BLACK: self._black, Player.WHITE: nothing_else}

    def _black(self, play: PlayLiterals) -> Mapping[int, int]:
        witness = witness_positions(play, self.listing(), len(self.witness), self.moves[0])
        return assign({}, self.witness, witness)


class StatelessSets(StatelessWitness):
    """SA: all minimal winning sets; quadratic in the depth, linear in these sets."""

    name = "sa"

    def goal(self) -> Iterator[int]:
        yield self.circuit.or_(
            *(
                self.circuit.and_(
                    *(self.at(self.witness[i], v) for i, v in enumerate(members(wins)))
                )
                for wins in self.game.inner.black_wins
            )
        )

    def listing(self) -> Listing:
        return set_members(self.game)


class StatelessWay(StatelessWitness):
    """SN: a way of neighbours; quadratic in the depth, linear in depth times positions."""

    name = "sn"

    def __init__(self, game: OpenGame) -> None:
        self.network = game.inner.own_network
        super().__init__(game)

    def goal(self) -> Iterator[int]:
        if self.network.joined:
            return
        yield self.among(self.witness[0], self.network.start)
        yield self.among(self.witness[-1], self.network.end)
        steps = steps_of(self.network)
        for here, following in pairwise(self.witness):
            yield from self.follows(here, following, steps)

    def listing(self) -> Listing:
        return way_positions(self.game)


RIGHT, UP = (1, 0), (0, 1)


def encode_sn_httt(model: PositionalModel) -> Encoding:
    """SN with shapes: no board, the cells of a polyomino by their neighbours.

    Size: quadratic in the depth, linear in cells times positions.  Raises ``UsageError`` for a
    game that is not maker-breaker with an odd depth, or not about a polyomino.
    """
    model = playable(model)
    inner = _first_moves_first(model)
    board = polyomino_of(inner)
    if board is None:
        raise UsageError(
            f"{model.name}: found winning sets that are not all placements of one polyomino on "
            "a board or torus, expected such a game for the encoding sn-httt"
        )
    return StatelessShapes(OpenGame(model, inner), board).encode()


def _first_moves_first(model: PositionalModel) -> PositionalModel:
    """The model with other numbers: first moves before all others."""
    first = sound_first_moves(model)
    order = [*members(first), *members(model.all & ~first)]
    number = {old: new for new, old in enumerate(order)}

    def renumbered(mask: int) -> int:
        return mask_of(number[k] for k in members(mask))

    return replace(
        model,
        positions=tuple(model.positions[k] for k in order),
        black_wins=tuple(map(renumbered, model.black_wins)),
        black=renumbered(model.black),
        white=renumbered(model.white),
        first_moves=renumbered(first),
        network=None,
    )


class StatelessShapes(StatelessWitness):
    """SN with the relations "right" and "up"."""

    name = "sn-httt"

    def __init__(self, game: OpenGame, board: PolyominoBoard) -> None:
        self.board = board
        self.relations = {step: board.neighbours(*step) for step in (RIGHT, UP)}
        super().__init__(game)

    def witness_size(self) -> int:
        return len(self.board.cells)

    def related(self, first: Bits, second: Bits, relation: tuple[int, int]) -> int:
        """``second`` is the neighbour of ``first`` to the right, or upwards."""
        steps = [0 if to is None else 1 << to for to in self.relations[relation]]
        return self.circuit.and_(*self.follows(first, second, steps))

    def _form(self, form: Cells) -> int:
        parts = []
        for number, (x, y) in enumerate(form[1:], start=1):
            for earlier in reversed(range(number)):
                step = x - form[earlier][0], y - form[earlier][1]
                ends = self.witness[earlier], self.witness[number]
                if step in self.relations:
                    parts.append(self.related(*ends, step))
                    break
                back = -step[0], -step[1]
                if back in self.relations:
                    parts.append(self.related(*ends[::-1], back))
                    break
        return self.circuit.and_(*parts)

    def goal(self) -> Iterator[int]:
        yield self.circuit.or_(*map(self._form, self.board.forms()))

    def in_one_of_blacks_moves(self, bits: Bits) -> int:
        stone = self.among(bits, self.game.inner.black)
        return self.circuit.or_(stone, *(self.equal(bits, move) for move in self.moves[::2]))

    def moves_at(self, ply: int) -> tuple[str, ...]:
        count = self.game.inner.first_moves.bit_count() if ply == 1 else 0
        return self.game.names[: count or None]

    def open_claims(self) -> Iterator[int]:
        inner = self.game.inner
        yield from super().open_claims()
        if inner.first_moves:
            yield less_than(self.circuit, self.moves[0], inner.first_moves.bit_count())
        for move in self.moves[::2]:
            yield from (-self.at(move, k) for k in members(inner.black | inner.white))

    def listing(self) -> Listing:
        places = {
            mask_of(place): place
            for form in self.board.forms()
            for place in self.board.places(form)
        }

        def of(goals: Goals) -> tuple[int, ...]:
            owned = self.game.claimed(goals) | self.game.inner.black
            return next(place for mask, place in places.items() if mask & owned == mask)

        return of


ENCODERS: Final[Mapping[str, Callable[[PositionalModel], Encoding]]] = {
    "sa": lambda model: StatelessSets(with_sets(model)).encode(),
    "sn": lambda model: StatelessWay(with_network(model, "SN")).encode(),
    "sn-httt": encode_sn_httt,
}
