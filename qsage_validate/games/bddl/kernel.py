"""The rules of a BDDL model on plain integers, for search.

The same grounded actions and goals as the rules', arranged for speed: actions are found by the
mover's own piece that they need, goals are looked at only where an action can complete them.

A candidate is taken when it permutes the grounded actions of each player among themselves and
the goals of each player likewise, so that actions may change their names (``left-diagonal``
becomes ``right-diagonal``) and their places.

A grid game is positional when both players may occupy any open square, for good, and goals ask
for own pieces only.  Its grounded rules tell; nothing is known of its name.  The squares become
positions in their own order, so that a state of the grid without its third plane is a state of the
positional game.  Up to the full board the plays are the same.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from qsage_validate.errors import UsageError
from qsage_validate.formats.grid_names import cell_name
from qsage_validate.games.bddl.ground import Grounding
from qsage_validate.games.kernel import Kernel
from qsage_validate.games.positional.model import PositionalModel, alternating
from qsage_validate.games.protocol import Move, Player, Position, Symmetry, board_maps

if TYPE_CHECKING:
    from qsage_validate.games.bddl.bounds import GroundBounds, Packing, RaceBound
    from qsage_validate.games.positional.rules import SetsKernel


# Symmetries of a grounded model: reflections and rotations that keep its rules and goals


SquareMap = dict[tuple[int, int], tuple[int, int]]


def _candidates(width: int, height: int) -> Iterator[tuple[str, SquareMap]]:
    squares = [(x, y) for y in range(1, height + 1) for x in range(1, width + 1)]
    # On boards of one row or column several of them are the same, or the identity.
    seen: list[SquareMap] = [{square: square for square in squares}]
    for name, function in board_maps(width, height):
        square_map = {square: function(*square) for square in squares}
        if square_map not in seen:
            seen.append(square_map)
            yield name, square_map


class BitPermutation:
    """Permutes the squares of every plane of a mask, a byte at a time."""

    def __init__(self, squares: Sequence[int], planes: int = 3) -> None:
        size = len(squares)
        images = [1 << (plane * size + to) for plane in range(planes) for to in squares]
        self.tables: list[list[int]] = []
        for start in range(0, len(images), 8):
            table = [0]
            for image in images[start : start + 8]:
                table += [entry | image for entry in table]
            self.tables.append(table)

    def __call__(self, mask: int) -> int:
        """The image of ``mask``."""
        image = 0
        for table in self.tables:
            image |= table[mask & 255]
            mask >>= 8
        return image


def permutation(
    grounding: Grounding, squares: Mapping[tuple[int, int], tuple[int, int]]
) -> list[int]:
    """A map of squares as a list: where the square with each number goes."""
    result = [0] * grounding.squares
    for square, image in squares.items():
        result[grounding.square(*square)] = grounding.square(*image)
    return result


def find_symmetries(
    grounding: Grounding, moves: Mapping[Player, Sequence[Move]]
) -> Iterator[Symmetry]:
    """The symmetries of the board, without the identity, that are symmetries of the game."""
    for name, squares in _candidates(grounding.width, grounding.height):
        permute = BitPermutation(permutation(grounding, squares))
        if not _keeps_goals(grounding, permute):
            continue
        move_map = _move_map(grounding, permute, moves)
        if move_map is not None:
            kept = permute(grounding.initial) == grounding.initial
            yield Symmetry(name, squares, move_map, kept)


def _keeps_goals(grounding: Grounding, permute: BitPermutation) -> bool:
    for player in Player:
        goals = {(goal.care, goal.value) for goal in grounding.goals[player]}
        if any((permute(care), permute(value)) not in goals for care, value in goals):
            return False
    return True


def _move_map(
    grounding: Grounding, permute: BitPermutation, moves: Mapping[Player, Sequence[Move]]
) -> dict[Move, Move] | None:
    """The image of each move; ``None`` when the actions are not permuted."""
    full = (1 << 3 * grounding.squares) - 1
    result: dict[Move, Move] = {}
    for player in Player:
        actions = grounding.actions[player]
        by_meaning: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for action in actions:
            by_meaning[action.meaning].append(action.number)
        used: Counter[tuple[int, ...]] = Counter()
        for action in actions:
            image = (
                permute(action.care),
                permute(action.value),
                full & ~permute(full & ~action.keep),
                permute(action.put),
            )
            # Moves that mean the same are mapped in their order, so that none is hit twice.
            same = by_meaning.get(image, [])
            if used[image] >= len(same):
                return None
            result[moves[player][action.number]] = moves[player][same[used[image]]]
            used[image] += 1
    return result


# The rules of a BDDL model on plain integers, for search


Condition = tuple[int, int]
# care, value, keep, put, number, conditions on the next state one of which is a win (or True).
Entry = tuple[int, int, int, int, int, "tuple[Condition, ...] | bool"]
# For an action's number the conditions on the next state of which each lets the opponent win at
# once, as far as the action has to do with it.
_Opened = dict[int, tuple[Condition, ...]]


class BddlKernel(Kernel):
    """States are the integers of ``Grounding``."""

    def __init__(
        self,
        grounding: Grounding,
        moves: Mapping[Player, Sequence[Move]],
        symmetries: Sequence[Symmetry],
    ) -> None:

        self.grounding = grounding
        self._same: tuple[Grounding, ...] = (grounding,)
        self.initial = grounding.initial
        self._moves = moves
        self._planes = (1 << 2 * grounding.squares) - 1
        self.square_maps = [permutation(grounding, symmetry.squares) for symmetry in symmetries]
        """The symmetries: where the square with each number goes."""
        self._permutations = [BitPermutation(places, planes=2) for places in self.square_maps]
        self._pieces: dict[Player, int] = {}
        self._by_piece: dict[Player, dict[int, list[Entry]]] = {}
        self._free: dict[Player, list[Entry]] = {}
        self._threats: dict[Player, list[Condition]] = {}
        for player in Player:
            self._prepare(player)
        self._opened: dict[Player, _Opened] = {player: {} for player in Player}

    def _prepare(self, player: Player) -> None:
        grounding = self.grounding
        full = (1 << 3 * grounding.squares) - 1
        # Where the goals of the player come true by own moves only, a move has to touch the
        # goal that it completes.
        own_only = grounding.only_own_moves_win(player)
        goals = [(goal.care, goal.value) for goal in grounding.goals[player]]
        own_plane = grounding.plane << (0 if player is Player.BLACK else grounding.squares)
        by_piece: dict[int, list[Entry]] = {}
        free: list[Entry] = []
        threats: dict[Condition, None] = {}
        meanings = set()
        for action in grounding.actions[player]:
            if action.meaning in meanings:
                continue
            meanings.add(action.meaning)
            changed = full & ~action.keep
            wins: dict[Condition, None] = {}
            for care, value in goals:
                if (value ^ action.put) & care & changed or (own_only and not care & changed):
                    continue
                rest = (care & ~changed, value & ~changed)
                wins[rest] = None
                if not (rest[1] ^ action.value) & rest[0] & action.care:
                    threats[action.care | rest[0], action.value | rest[1]] = None
            entry = (
                action.care,
                action.value,
                action.keep,
                action.put,
                action.number,
                True if (0, 0) in wins else tuple(wins),
            )
            own = action.value & own_plane
            if own:
                by_piece.setdefault(own & -own, []).append(entry)
            else:
                free.append(entry)
        self._pieces[player] = sum(by_piece)
        self._by_piece[player] = by_piece
        self._free[player] = free
        self._threats[player] = list(threats)

    @cached_property
    def packing(self) -> Packing | None:
        """The bounds of a game of filling, where it is one."""
        from qsage_validate.games.bddl.bounds import Packing

        return Packing.of(self.grounding)

    @cached_property
    def race(self) -> RaceBound | None:
        """The bounds by lines, distances and stuck players, where they hold."""
        from qsage_validate.games.bddl.bounds import RaceBound

        return RaceBound.of(self.grounding)

    @cached_property
    def _bounds(self) -> GroundBounds | None:
        return self.packing or self.race

    def entries(self, player: Player) -> Iterator[tuple[int, Entry]]:
        """A player's actions, each with the own piece that it needs (a bit, 0 for none)."""
        yield from ((0, entry) for entry in self._free[player])
        for piece, entries in self._by_piece[player].items():
            yield from ((piece, entry) for entry in entries)

    def threats(self, player: Player) -> Sequence[Condition]:
        """The conditions of which each lets ``player``, to move, win at once."""
        return self._threats[player]

    def opened_by(self, player: Player, entry: Entry) -> tuple[Condition, ...]:
        """Conditions of the opponent, who moves next, that an action may fulfil."""
        care, value, keep, put = entry[:4]
        changed = ((1 << 3 * self.grounding.squares) - 1) & ~keep
        found: dict[Condition, None] = {}
        for asked, expected in self._threats[player.other]:
            if (
                asked & changed
                and not (expected ^ put) & asked & changed
                and not (expected ^ value) & asked & care & keep
            ):
                rest = asked & keep & ~care
                found[rest, expected & rest] = None
        return tuple(found)

    def _entries(self, state: int, player: Player) -> list[Entry]:
        """The actions for which the player has a piece, or which need none."""
        entries = self._free[player]
        pieces = state & self._pieces[player]
        if pieces:
            by_piece = self._by_piece[player]
            entries = list(entries)
            while pieces:
                low = pieces & -pieces
                entries += by_piece[low]
                pieces ^= low
        return entries

    def bounds(self, state: Hashable, player: Player) -> tuple[int, int] | None:
        assert isinstance(state, int)
        return None if self._bounds is None else self._bounds.bounds(state, player)

    def quiet_successors(self, state: Hashable, player: Player) -> list[tuple[int, Hashable, bool]]:
        assert isinstance(state, int)
        standing = [(c, v) for c, v in self._threats[player.other] if state & c == v]
        opened = self._opened[player]
        result: list[tuple[int, Hashable, bool]] = []
        for entry in self._entries(state, player):
            care, value, keep, put, number, _ = entry
            if state & care == value:
                after = state & keep | put
                if number not in opened:
                    opened[number] = self.opened_by(player, entry)
                for asked, expected in standing:
                    if after & asked == expected:
                        break
                else:
                    for rest, expected in opened[number]:
                        if after & rest == expected:
                            break
                    else:
                        result.append((number, after, False))
        return result

    def successors(self, state: Hashable, player: Player) -> list[tuple[int, Hashable, bool]]:
        assert isinstance(state, int)
        result: list[tuple[int, Hashable, bool]] = []
        for care, value, keep, put, number, wins in self._entries(state, player):
            if state & care == value:
                after = state & keep | put
                won = False
                if wins is True:
                    won = True
                elif wins:
                    for rest, expected in wins:
                        if after & rest == expected:
                            won = True
                            break
                result.append((number, after, won))
        return result

    def wins_at_once(self, state: Hashable, player: Player) -> bool:
        assert isinstance(state, int)
        threats = self._threats[player]
        for care, value in threats:  # noqa: SIM110 (a generator costs twice as much)
            if state & care == value:
                return True
        return False

    def key(self, state: Hashable) -> int:
        assert isinstance(state, int)
        if not self._permutations:
            return state
        # The third plane follows from the other two.
        least = plain = state & self._planes
        for permute in self._permutations:
            image = permute(plain)
            if image < least:  # noqa: PLR1730 (quicker than a call of min)
                least = image
        return least

    def move(self, number: int, player: Player) -> Move:
        return self._moves[player][number]

    def state(self, position: Position) -> int:
        grounding = getattr(getattr(position, "game", None), "grounding", None)
        state = getattr(position, "state", None)
        if not isinstance(grounding, Grounding) or not isinstance(state, int):
            raise UsageError(f"found {position}, expected a position of a BDDL game")
        if grounding not in self._same:
            # With another depth it is the same game: a state does not know the ply.
            if grounding.model.fingerprint() != self.grounding.model.fingerprint():
                raise UsageError(f"found {position} of another game")
            self._same = (self.grounding, grounding)
        return state


# Grid games that are positional


def as_positional(grounding: Grounding) -> PositionalModel:
    """The positional game that a grid game is up to the full board; it must be one."""
    assert grounding.is_positional, "the caller has looked"
    problem, goals = grounding.model.problem, grounding.goals
    black_wins, white_wins = (
        tuple(dict.fromkeys(grounding.own(goal.value, player) for goal in goals[player]))
        for player in (Player.BLACK, Player.WHITE)
    )
    return PositionalModel(
        name=grounding.model.name,
        positions=tuple(
            cell_name(x, y)
            for y in range(1, grounding.height + 1)
            for x in range(1, grounding.width + 1)
        ),
        turns=alternating(problem.plies, problem.first_player),
        black_wins=black_wins,
        white_wins=white_wins,
        black=grounding.own(grounding.initial, Player.BLACK),
        white=grounding.own(grounding.initial, Player.WHITE),
    )


class PositionalKernel(BddlKernel):
    """Looks only at the moves that the kernel of the positional game calls worth a look.

    Goals may hold here without an end: whoever has one wins by any move.
    """

    def __init__(
        self,
        grounding: Grounding,
        moves: Mapping[Player, Sequence[Move]],
        symmetries: Sequence[Symmetry],
    ) -> None:
        super().__init__(grounding, moves, symmetries)
        self._occupied = 2 * grounding.squares
        self._entry = {
            player: {
                (action.put >> self._occupied).bit_length() - 1: (action.number, action.put)
                for action in grounding.actions[player]
            }
            for player in Player
        }

    @cached_property
    def _sets(self) -> SetsKernel:
        from qsage_validate.games.positional.rules import SetsKernel

        return SetsKernel(as_positional(self.grounding), (), ())

    def wins_at_once(self, state: Hashable, player: Player) -> bool:
        assert isinstance(state, int)
        if state >> self._occupied == self.grounding.plane:
            return False
        return self._sets.wins_at_once(state & self._planes, player)

    def bounds(self, state: Hashable, player: Player) -> None:
        """None: the candidates say what can be reached in time."""

    def candidates(
        self, state: Hashable, player: Player, plies: int
    ) -> list[tuple[int, Hashable, bool]] | None:
        assert isinstance(state, int)
        if self.grounding.squares - (state >> self._occupied).bit_count() < plies:
            # A player may be unable to move in time.
            return None
        entries = self._entry[player]
        chosen = self._sets.candidates(state & self._planes, player, plies) or ()
        found: list[tuple[int, Hashable, bool]] = []
        for square, _, _ in chosen:
            number, put = entries[square]
            found.append((number, state | put, False))
        return found
