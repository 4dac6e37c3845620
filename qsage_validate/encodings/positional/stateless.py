"""The stateless encodings SA and SN: everything is said about the moves themselves.

Sections 3.3 and 4.4 of Shaik, Mayer-Eichberger, van de Pol and Saffidine 2023.  Black's moves
differ from all earlier ones, and the witness consists of Black's moves; what White plays outside
of the board or on an occupied position is ignored.  The step of SN is one disjunction for each
position of the witness and each number, without a gate for the neighbours.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from qsage_validate.encodings.arithmetic import Bits
from qsage_validate.encodings.completion import Completion, PlayLiterals, nothing_else
from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.positional.open_game import (
    OpenGame,
    steps_of,
    with_network,
    with_sets,
)
from qsage_validate.encodings.positional.symbolic import EXISTS, SymbolicEncoder
from qsage_validate.encodings.positional.witness import (
    Listing,
    assign,
    set_members,
    way_positions,
    witness_positions,
)
from qsage_validate.games.positional.masks import members
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.protocol import Player


def encode_sa(model: PositionalModel) -> Encoding:
    """SA: no board, all minimal winning sets.

    Size: quadratic in the depth, linear in the winning sets.  Raises ``UsageError`` for a game
    that is not maker-breaker with an odd depth, and for more winning sets than are listed.
    """
    return StatelessSets(with_sets(model)).encode()


def encode_sn(model: PositionalModel) -> Encoding:
    """SN: no board, a way of neighbours as the goal.

    Size: quadratic in the depth, linear in depth times positions.  Raises ``UsageError`` as
    :func:`encode_sa` does, and for a game without a network of Black's.
    """
    return StatelessWay(with_network(model, "SN")).encode()


class Stateless(SymbolicEncoder):
    """Black's moves differ from what was claimed before them."""

    def open_claims(self) -> Iterator[int]:
        """Black's moves are positions, and new ones."""
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
        """How many positions the witness has: as many as Black has stones."""
        return self.game.stones

    @abstractmethod
    def goal(self) -> Iterable[int]:
        """What makes the witness a winning one."""

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
    """SA."""

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
    """SN."""

    name = "sn"

    def __init__(self, game: OpenGame) -> None:
        assert game.inner.network is not None, "a game with a network"
        self.network = game.inner.network
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
