"""The rules of positional games: an executable reading of Definitions 1 to 4 of the paper.

* A move claims an open position; the play ends when a player has all of a winning set, or Black
  has reached the goal of a network, or when all plies are played or all positions claimed: then
  White has held out.
* A goal that the first stones reach ends the play before ply 1 (Definition 3 counts them).  With
  several stones a turn, it ends at the stone that reaches the goal.
* When both players would have reached a goal, whoever did so first has won; a board read from
  text, which tells no order, counts for the player who moved last.

This module shares no code with the encodings, which are checked against it.

The kernels play the same on plain integers, for search: black positions, and white ones above them.
They leave out moves that a search need not look at.  In these games an own position more never
hurts, winning sets with an opponent's position in them are dead, and a set that misses more
positions than its player has stones left cannot be completed in time.  So only positions of sets
count that one of the players can still complete; and where turns are of one stone and the opponent
misses one position of a set, only that position.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from qsage_validate.errors import AmbiguousMoveError, MalformedMoveError, UsageError
from qsage_validate.formats.grid_names import cell_name, square_named
from qsage_validate.formats.source import quoted
from qsage_validate.games.kernel import Kernel
from qsage_validate.games.masks import bits, flood, mask_of, members, spread
from qsage_validate.games.positional.model import (
    Arrangement,
    CanonicalKeys,
    Network,
    Permutation,
    PositionalModel,
    find_symmetries,
    key_symmetries,
)
from qsage_validate.games.protocol import (
    BoardPicture,
    Illegality,
    Move,
    MoveCondition,
    Outcome,
    Player,
    Position,
    Square,
    Symmetry,
    TwoPlayerGame,
)

BLACK, WHITE = Player.BLACK, Player.WHITE

Successor = tuple[int, Hashable, bool]


class PositionalGameKernel(Kernel):
    """The common part of the kernels for networks and for winning sets."""

    def __init__(
        self, model: PositionalModel, moves: Sequence[Move], symmetries: Sequence[Permutation]
    ) -> None:
        self.model = model
        self._moves = moves
        self._size = len(model.positions)
        self._all = model.all
        self.initial = model.black | model.white << self._size
        self._stones = self.initial.bit_count()
        self._turns = model.turns
        self.alternates = model.alternates
        self._keys = CanonicalKeys(self._size, symmetries)

    def player_to_move(self, state: Hashable) -> Player:
        assert isinstance(state, int)
        ply = state.bit_count() - self._stones
        return self._turns[ply] if ply < len(self._turns) else self._turns[-1].other

    def key(self, state: Hashable) -> int:
        assert isinstance(state, int)
        return self._keys.key(state)[0]

    def move(self, number: int, player: Player) -> Move:
        return self._moves[number]

    def state(self, position: Position) -> int:
        black, white = getattr(position, "black", None), getattr(position, "white", None)
        model = getattr(getattr(position, "game", None), "model", None)
        if not isinstance(black, int) or not isinstance(white, int) or model != self.model:
            raise UsageError(f"found {position}, expected a position of {self.model.name}")
        state = black | white << self._size
        placed = state.bit_count() - self._stones
        if not self.alternates and position.ply != placed + 1:
            # Here the stones tell whose turn it is.
            raise UsageError(f"found {position}, expected {placed + 1} as the ply")
        if self._size - state.bit_count() < self.model.plies - position.ply + 1:
            raise UsageError(f"found {position}, expected an open position for each ply")
        return state

    def _pieces(self, state: int) -> tuple[int, int]:
        return state & self._all, state >> self._size

    def _claim(self, state: int, player: Player, squares: int) -> list[Successor]:
        """The successors by claiming one of ``squares``; none of these claims wins."""
        shift = 0 if player is BLACK else self._size
        return [(bit.bit_length() - 1, state | bit << shift, False) for bit in bits(squares)]

    def _moves_left(self, state: int, player: Player, plies: int) -> tuple[int, int]:
        """The numbers of the player's and of the opponent's plies among the next ``plies``."""
        if self.alternates:
            return (plies + 1) // 2, plies // 2
        ply = state.bit_count() - self._stones
        own = self._turns[ply : ply + plies].count(player)
        return own, plies - own

    def successors(self, state: Hashable, player: Player) -> list[Successor]:
        assert isinstance(state, int)
        black, white = self._pieces(state)
        own, shift = (black, 0) if player is BLACK else (white, self._size)
        result: list[Successor] = []
        for bit in bits(self._all & ~(black | white)):
            won = self._wins(own | bit, player, bit)
            result.append((bit.bit_length() - 1, state | bit << shift, won))
        return result

    @abstractmethod
    def _wins(self, own: int, player: Player, bit: int) -> bool:
        """True if the player has reached a goal by claiming ``bit``, one of ``own``."""


class SetsKernel(PositionalGameKernel):
    def __init__(
        self, model: PositionalModel, moves: Sequence[Move], symmetries: Sequence[Permutation]
    ) -> None:
        super().__init__(model, moves, symmetries)
        self._goals = {BLACK: model.black_wins, WHITE: model.white_wins}
        self._with: dict[Player, dict[int, list[int]]] = {}
        for player, goals in self._goals.items():
            by_bit = self._with[player] = {bit: [] for bit in bits(model.all)}
            for goal in goals:
                for bit in bits(goal):
                    by_bit[bit].append(goal)

    def _wins(self, own: int, player: Player, bit: int) -> bool:
        return any(own & goal == goal for goal in self._with[player][bit])

    def wins_at_once(self, state: Hashable, player: Player) -> bool:
        assert isinstance(state, int)
        black, white = state & self._all, state >> self._size
        own, other = (black, white) if player is BLACK else (white, black)
        missing = ~own
        for goal in self._goals[player]:
            if not goal & other:
                rest = goal & missing
                if not rest & (rest - 1):
                    return True
        return False

    def candidates(self, state: Hashable, player: Player, plies: int) -> list[Successor] | None:
        assert isinstance(state, int)
        black, white = state & self._all, state >> self._size
        free = self._all & ~(black | white)
        own_left, other_left = self._moves_left(state, player, plies)
        own, other = (black, white) if player is BLACK else (white, black)
        relevant = 0
        not_other = ~other
        single = self.alternates and other_left
        for goal in self._goals[player.other]:
            if not goal & own:
                rest = goal & not_other
                if single and not rest & (rest - 1):
                    # On a grid a set may be complete already: then every move loses.
                    return self._claim(state, player, rest or free & -free)
                if rest.bit_count() <= other_left:
                    relevant |= rest
        hopeful = relevant if player is WHITE else 0
        not_own = ~own
        for goal in self._goals[player]:
            if not goal & other:
                rest = goal & not_own
                if rest.bit_count() <= own_left:
                    relevant |= rest
                    if player is BLACK:
                        hopeful |= rest
        if not hopeful:
            # Black can complete no set in time, whatever White does.
            return [] if player is BLACK else self._claim(state, player, free & -free)
        return self._claim(state, player, relevant)


class ConnectionKernel(PositionalGameKernel):
    """Generalized Hex with Black as Short; White has no winning sets."""

    def __init__(
        self, model: PositionalModel, moves: Sequence[Move], symmetries: Sequence[Permutation]
    ) -> None:
        super().__init__(model, moves, symmetries)
        self._network: Network = model.own_network

    def _wins(self, own: int, player: Player, bit: int) -> bool:
        return player is BLACK and self._network.connects(own)

    def wins_at_once(self, state: Hashable, player: Player) -> bool:
        assert isinstance(state, int)
        if player is WHITE:
            return False
        black, white = self._pieces(state)
        free = self._all & ~(black | white)
        network = self._network
        near = []
        for border in (network.start, network.end):
            reached = flood(border, black, network.neighbours)
            near.append(border | spread(reached, network.neighbours))
        return bool(near[0] & near[1] & free)

    def candidates(self, state: Hashable, player: Player, plies: int) -> list[Successor] | None:
        assert isinstance(state, int)
        black, white = self._pieces(state)
        free = self._all & ~(black | white)
        own_left, other_left = self._moves_left(state, player, plies)
        stones = own_left if player is BLACK else other_left
        start = self._network.distance_layers(self._network.start, black, free, stones)
        end = self._network.distance_layers(self._network.end, black, free, stones)
        # Positions on a way with at most so many open ones: these count from both borders.
        relevant = 0
        for k, layer in enumerate(start):
            within = 0
            for behind in end[: stones - k]:
                within |= behind
            relevant |= layer & within
        if not relevant:
            return [] if player is BLACK else self._claim(state, player, free & -free)
        if player is WHITE and self.alternates and start and end and (at_once := start[0] & end[0]):
            # One stone completes a connection: there, or with two such places anywhere.
            return self._claim(state, player, at_once & -at_once)
        return self._claim(state, player, relevant)


class CutKernel(PositionalGameKernel):
    """Generalized Hex with Black as Cut: Black wins when no way is left for White."""

    def _wins(self, own: int, player: Player, bit: int) -> bool:
        return player is BLACK and self.model.own_network.won_by_black(own)

    def wins_at_once(self, state: Hashable, player: Player) -> bool:
        assert isinstance(state, int)
        if player is WHITE:
            return False
        black, white = self._pieces(state)
        free = self._all & ~(black | white)
        network = self.model.own_network
        if not network.connects(self._all & ~black):
            return bool(free)
        return any(network.won_by_black(black | bit) for bit in bits(free))


def make_kernel(
    model: PositionalModel, moves: Sequence[Move], symmetries: Sequence[Permutation]
) -> PositionalGameKernel:
    if model.network is None:
        return SetsKernel(model, moves, symmetries)
    if model.white_wins:
        return _MixedKernel(model, moves, symmetries)
    if model.network.short is BLACK:
        return ConnectionKernel(model, moves, symmetries)
    return CutKernel(model, moves, symmetries)


class _MixedKernel(PositionalGameKernel):
    """A network for Black and winning sets for White: no knowledge, only the rules."""

    def _wins(self, own: int, player: Player, bit: int) -> bool:
        model = self.model
        return model.won_by_black(own) if player is BLACK else model.won_by_white(own)

    def wins_at_once(self, state: Hashable, player: Player) -> bool:
        assert isinstance(state, int)
        black, white = self._pieces(state)
        own = black if player is BLACK else white
        free = self._all & ~(black | white)
        return any(self._wins(own | bit, player, bit) for bit in bits(free))


@dataclass(frozen=True, slots=True)
class ClaimMove:
    """A move: the name of the position that is claimed; ``x`` and ``y`` are its square."""

    name: str
    x: int = field(compare=False, default=0)
    y: int = field(compare=False, default=0)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, repr=False)
class PositionalPosition(Position):
    """The claimed positions of both players, and which ply comes next."""

    game: PositionalGame = field(hash=False)
    black: int
    white: int
    ply: int

    def __str__(self) -> str:
        return f"{self.board} ply {self.ply}"

    def __repr__(self) -> str:
        return f"<{self.game.name}: {self}>"

    @property
    def to_move(self) -> Player:
        return self.game.player_at(self.ply)

    @property
    def board(self) -> BoardPicture:
        return self.game.arrangement.board(self.black, self.white)

    def pieces(self, player: Player) -> int:
        """The positions of a player."""
        return self.black if player is Player.BLACK else self.white

    def reached(self, player: Player) -> bool:
        model = self.game.model
        if player is Player.BLACK:
            return model.won_by_black(self.black)
        return model.won_by_white(self.white)

    @cached_property
    def outcome(self) -> Outcome | None:
        game = self.game
        last = game.player_at(self.ply - 1) if self.ply > 1 else Player.BLACK
        for player in (last, last.other):
            if self.reached(player):
                return Outcome(player, "reached its goal")
        if self.ply > game.plies:
            return Outcome(Player.WHITE, f"held out for {game.length}")
        return None

    @property
    def open(self) -> int:
        """The positions that nobody has claimed."""
        return self.game.model.all & ~(self.black | self.white)

    def winning_squares(self) -> tuple[tuple[int, int], ...]:
        """The squares, 1-based (x, y), that reached the goal of the winner; none without one.

        A winning set; in a network a shortest connection, or for Cut the claimed positions.
        """
        outcome = self.outcome
        if outcome is None or not self.reached(outcome.winner):
            return ()
        return tuple(self.game.arrangement.squares[k] for k in members(self._winning(outcome)))

    def _winning(self, outcome: Outcome) -> int:
        model, own = self.game.model, self.pieces(outcome.winner)
        if outcome.winner is Player.BLACK and model.network is not None:
            if model.network.short is Player.WHITE:
                return own
            return mask_of(model.network.shortest_way(own))
        wins = model.black_wins if outcome.winner is Player.BLACK else model.white_wins
        return next(mask for mask in wins if mask & own == mask)

    def legal_moves(self) -> Sequence[ClaimMove]:
        if self.outcome is not None:
            return ()
        return tuple(self.game.claims[k] for k in members(self.open))

    def after(self, move: Move) -> PositionalPosition:
        if isinstance(move, str):
            return self.play(move)
        assert isinstance(move, ClaimMove), "a legal move"
        bit = 1 << self.game.model.number[move.name]
        black, white = self.black, self.white
        if self.to_move is Player.BLACK:
            black |= bit
        else:
            white |= bit
        return PositionalPosition(self.game, black, white, self.ply + 1)

    def is_legal(self, move: Move) -> bool:
        move = self.named(move)
        number = self.game.model.number.get(move.name) if isinstance(move, ClaimMove) else None
        return number is not None and bool(self.open >> number & 1) and self.outcome is None

    def illegality(self, move: Move) -> Illegality | None:
        move = self.named(move)
        if self.is_legal(move):
            return None
        game = self.game
        if self.outcome is not None:
            return Illegality.after_end(move, self.outcome)
        if not isinstance(move, ClaimMove) or move.name not in game.model.number:
            return Illegality("unknown position", f"{move}: no position of {game.name}")
        number = game.model.number[move.name]
        owner = Player.BLACK if self.black >> number & 1 else Player.WHITE
        rule = f"{owner} has claimed it"
        return Illegality(rule, f"{move}: {rule}", game.arrangement.squares[number], 0)


class PositionalGame(TwoPlayerGame):
    """The game that a positional model describes.

    Its atoms are ``black b2``, ``white b2``, ``open b2`` and ``occupied b2``.
    """

    language = "positional"

    def __init__(self, model: PositionalModel) -> None:
        self.model = model
        self.first_player = self.player_at(1)
        arrangement = Arrangement.of(model.positions, hexagons=model.hexagons)
        if model.hexagons:
            from qsage_validate.games.positional.hex import side_owner

            arrangement = replace(arrangement, top=side_owner(model))
        self.arrangement = arrangement
        self.claims = tuple(
            ClaimMove(name, *square)
            for name, square in zip(model.positions, self.arrangement.squares, strict=True)
        )

    @cached_property
    def name(self) -> str:
        from qsage_validate.games.library.catalogue import name_of  # looks through the library

        return name_of(self.model)

    @property
    def identity(self) -> tuple[object, ...]:
        return (self.model,)

    @property
    def plies(self) -> int:
        return self.model.plies

    @property
    def initial(self) -> PositionalPosition:
        return PositionalPosition(self, self.model.black, self.model.white, 1)

    def player_at(self, ply: int) -> Player:
        """The player who makes a ply; after the last ply, the player whose turn would come next."""
        turns = self.model.turns
        if 1 <= ply <= len(turns):
            return turns[ply - 1]
        return turns[-1].other if turns and ply > 1 else Player.BLACK

    def moves(self, player: Player) -> Sequence[ClaimMove]:
        return self.claims

    def atoms(self, position: Position) -> frozenset[str]:
        assert isinstance(position, PositionalPosition), "a position of this game"
        black, white = position.black, position.white
        kinds = (
            ("black", black),
            ("white", white),
            ("occupied", black | white),
            ("open", position.open),
        )
        return frozenset(f"{k} {name}" for k, mask in kinds for name in self.model.names(mask))

    @property
    def words(self) -> Collection[str]:
        return [f"{player.value} {name}" for player in Player for name in self.model.positions]

    def board_of(self, atoms: Collection[str]) -> BoardPicture:
        held = dict.fromkeys(Player, 0)
        for player in Player:
            own = (k for k, n in enumerate(self.model.positions) if f"{player.value} {n}" in atoms)
            held[player] = sum(1 << k for k in own)
        return self.arrangement.board(held[Player.BLACK], held[Player.WHITE])

    def square_of(self, text: str) -> tuple[int, int] | None:
        number = self.model.number.get(text)
        return None if number is None else self.arrangement.squares[number]

    def witnesses(self, position: Position, player: Player) -> frozenset[int]:
        assert isinstance(position, PositionalPosition), "a position of this game"
        return self.model.goals_within(position.pieces(player), player)

    def exchanged_first_moves(self, sayable: Collection[str]) -> Mapping[str, str]:
        exchanged: dict[str, str] = {}
        names = self.model.positions
        for permutation in find_symmetries(self.model, self.arrangement):
            if any(permutation.mask(own) != own for own in (self.model.black, self.model.white)):
                continue
            for name, image in zip(names, permutation.images, strict=True):
                if name not in sayable and names[image] in sayable:
                    exchanged.setdefault(name, names[image])
        return exchanged

    def passed(self, position: Position) -> PositionalPosition:
        """A position of one's own never hurts, so to claim nothing is no better than any claim."""
        assert isinstance(position, PositionalPosition), "a position of this game"
        return replace(position, ply=position.ply + 1)

    def winning_squares(self, position: Position) -> tuple[tuple[int, int], ...]:
        assert isinstance(position, PositionalPosition), "a position of this game"
        return position.winning_squares()

    def goal_words(self, player: Player) -> str:
        from qsage_validate.games.goals import CHAIN, MOST_SETS, words_of

        model, there = self.model, self.arrangement
        if player is Player.BLACK and (top := self.initial.board.top) is not None:
            return CHAIN if top is player else "a chain from left to right"
        wins = model.black_wins if player is Player.BLACK else model.white_wins
        if not there.grid or model.network is not None or len(wins) > MOST_SETS:
            return ""
        sets = {frozenset(there.squares[k] for k in members(mask)) for mask in wins}
        return words_of(sets, there.width, there.height)

    @cached_property
    def target(self) -> tuple[str, ...]:
        """The polyomino whose placements are Black's winning sets."""
        from qsage_validate.games.positional.harary import polyomino_of
        from qsage_validate.games.positional.polyominoes import drawing_of

        found = polyomino_of(self.model)
        return () if found is None else tuple(drawing_of(found.cells).split("/"))

    def conditions(self, move: Move, player: Player) -> Sequence[MoveCondition]:
        assert isinstance(move, ClaimMove), "a move of this game"
        square = self.arrangement.squares[self.model.number[move.name]]
        said = {Square(p.value[0].upper()): f"{p} has claimed it" for p in Player}
        return (MoveCondition(square, "", said),)

    def parse_move(self, text: str, player: Player) -> ClaimMove:
        name = text.strip()
        number = self.model.number.get(name)
        if number is None and name.lower().startswith("occupy("):
            # So a move is called on a grid: the same game is written there too.
            cell = square_named(name[len("occupy") :])
            name = name if cell is None else cell_name(*cell)
        if number is None:
            fitting = [k for k, p in enumerate(self.model.positions) if p.lower() == name.lower()]
            if len(fitting) > 1:
                names = " and ".join(self.model.positions[k] for k in fitting)
                raise AmbiguousMoveError(f"{quoted(text)} fits {names}")
            if not fitting:
                raise MalformedMoveError(
                    f"found {quoted(text)}, expected one of the positions {self._examples()}"
                )
            number = fitting[0]
        return self.claims[number]

    def _examples(self) -> str:
        names = self.model.positions
        return ", ".join(names) if len(names) <= 10 else f"{names[0]}, {names[1]}, … {names[-1]}"

    @cached_property
    def _permutations(self) -> tuple[Permutation, ...]:
        return key_symmetries(self.model, self.arrangement)

    @cached_property
    def _symmetries(self) -> tuple[Symmetry, ...]:
        return tuple(
            s.as_symmetry(self.arrangement, self.claims, self.model) for s in self._permutations
        )

    def symmetries(self) -> Sequence[Symmetry]:
        return self._symmetries

    @cached_property
    def _kernel(self) -> PositionalGameKernel:
        return make_kernel(self.model, self.claims, self._permutations)

    def kernel(self) -> PositionalGameKernel:
        return self._kernel
