"""SN for Harary's Tic-Tac-Toe: the cells of a polyomino by the relations "right" and "up".

Section 6 of Shaik, Mayer-Eichberger, van de Pol and Saffidine 2023.  The witness has a position for
each cell; each cell but the first is the neighbour of an earlier one, in a direction that depends
on the reflection or rotation.  These are alternatives; a relation between two cells is one gate
for all of them.  The first move is one of the model's ``first_moves``, where these stand for all
others; they have the lowest numbers.

The board's cells stay where they are, so stones to begin with are not contracted away: nobody can
claim them, and the witness may contain Black's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from qsage_validate.encodings.arithmetic import Bits, less_than
from qsage_validate.encodings.completion import Goals
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.positional.open_game import OpenGame, playable
from qsage_validate.encodings.positional.stateless import StatelessWitness
from qsage_validate.encodings.positional.witness import Listing
from qsage_validate.errors import UsageError
from qsage_validate.games.positional.harary import PolyominoBoard, polyomino_of
from qsage_validate.games.positional.masks import mask_of, members
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.positional.polyominoes import Cells
from qsage_validate.games.positional.symmetry import sound_first_moves

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
