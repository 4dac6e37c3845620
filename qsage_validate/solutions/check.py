"""The check of a solution file, and its replies in plays.

The masks are those of the grounding, which is the paper's section 3.3 (``games/bddl/ground.py``);
how a play ends is what ``BddlPosition`` says, and a test holds the two walks equal.  Symmetric
positions are looked at once.  A reflection or rotation of the board counts as a symmetry where it
maps the grounded actions and goals of both players onto themselves, which is checked here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from qsage_validate.errors import Exit, InputError, Proof, Refutation, counted
from qsage_validate.formats.source import quoted
from qsage_validate.games.bddl.arrays import WORD, ArrayRules, Flags, Words, holds
from qsage_validate.games.bddl.ground import GroundAction, Grounding
from qsage_validate.games.bddl.rules import BddlGame, BddlPosition
from qsage_validate.games.protocol import Move, Player, Position, TwoPlayerGame, board_maps
from qsage_validate.solutions.walk import (
    Fault,
    LayerRules,
    PlainRules,
    SolutionClaim,
    SolutionStep,
    Walked,
    fault_of,
    move_of,
    walk,
)
from qsage_validate.system.limits import NEVER, Deadline, Stopwatch, Tell, nobody

# Grid games on arrays: a layer's positions as two words each, an action as masks on all of them


Numbers = NDArray[np.int64]

MOST_SQUARES: Final = WORD
"""A position of a board with more squares does not fit into two words."""

_NO_REPLY: Final = -1
# The positions whose moves are made at once: so many times the moves fit into the memory.
_CHUNK: Final = 1 << 15


@dataclass(frozen=True, slots=True)
class GridLayer:
    """Positions: black squares, white squares, the position before each and the action."""

    black: Words
    white: Words
    origin: Numbers
    action: Numbers
    player: Player | None = None
    """Who made the actions."""

    def __len__(self) -> int:
        return len(self.black)

    @property
    def columns(self) -> tuple[Words, Words, Words]:
        """The positions as the rules on arrays take them."""
        return self.black, self.white, self.black | self.white

    def at(self, chosen: Flags | Numbers | slice) -> GridLayer:
        return GridLayer(
            self.black[chosen],
            self.white[chosen],
            self.origin[chosen],
            self.action[chosen],
            self.player,
        )


class GridRules:
    """The rules of a grid game of at most ``MOST_SQUARES`` squares.

    Without ``symmetric`` each position is looked at, symmetric ones too.
    """

    def __init__(self, game: BddlGame, *, symmetric: bool = True) -> None:
        self.game = game
        self._grounding = grounding = game.grounding
        assert grounding.squares <= MOST_SQUARES, "the caller has looked"
        self._arrays = ArrayRules(grounding)
        self._moves = {
            player: [game.move_table[player][a.number] for a in grounding.actions[player]]
            for player in Player
        }
        self._number: dict[Player, dict[Move, int]] = {
            player: {move: number for number, move in enumerate(moves)}
            for player, moves in self._moves.items()
        }
        self._symmetries = list(_symmetries(grounding)) if symmetric else []
        # Moves of a solution that are possible in no position: a reply with one is illegal.
        self._impossible: list[Move] = []
        count = len(self._symmetries)
        up_to = f", up to {counted(count, 'symmetry', 'symmetries')}"
        self.how = f"on arrays{up_to if count else ''}"

    # -- layers -----------------------------------------------------------------------------

    def layer(self, position: Position) -> GridLayer:
        black, white, _ = self._arrays.columns([self._grounding.state_of(position.board)])
        none = np.zeros(1, np.int64)
        return GridLayer(black, white, none, none)

    def position(self, layer: GridLayer, index: int, ply: int) -> BddlPosition:
        black, white = int(layer.black[index]), int(layer.white[index])
        size = self._grounding.squares
        state = black | white << size | (black | white) << 2 * size
        return BddlPosition(self.game, state, ply)

    def text(self, position: Position) -> str:
        return str(position.board)

    def planes(self, layer: GridLayer) -> tuple[Words, Words]:
        return layer.black, layer.white

    def texts(self, layer: GridLayer, ply: int) -> list[str]:
        width, height = self._grounding.width, self._grounding.height
        rows = np.full((len(layer), height, width + 1), ord("."), np.uint8)
        for square in range(self._grounding.squares):
            y, x = divmod(square, width)
            bit = np.uint64(1 << square)
            rows[layer.black & bit != 0, y, x] = ord("B")
            rows[layer.white & bit != 0, y, x] = ord("W")
        rows[:, :, width] = ord("/")
        length = height * (width + 1)
        text = rows.tobytes().decode()
        return [text[at : at + length - 1] for at in range(0, len(text), length)]

    def origin(self, layer: GridLayer, index: int) -> tuple[int, Move]:
        assert layer.player is not None, "not the initial position"
        return int(layer.origin[index]), self._moves[layer.player][layer.action[index]]

    # -- replies ----------------------------------------------------------------------------

    def table(self, solution: SolutionClaim) -> Callable[[int, GridLayer], Numbers]:
        numbers: dict[str, int] = {}
        self._impossible.clear()

        def number(text: str) -> int:
            if text not in numbers:
                move = move_of(solution, text)
                found = self._number[solution.winner].get(move)
                if found is None:
                    self._impossible.append(move)
                    found = _NO_REPLY - len(self._impossible)
                numbers[text] = found
            return numbers[text]

        turned = [self._turned(solution.winner, permute) for permute in self._symmetries]
        back = [np.argsort(moved) for moved in turned]

        def canonical(own: Mapping[str, str]) -> tuple[Words, Words, Numbers]:
            black, white, by = self._canonical(*self._read(list(own), solution))
            known = np.array([number(text) for text in own.values()], np.int64)
            for k, moved in enumerate(turned, 1):
                chosen = (by == k) & (known >= 0)
                known[chosen] = moved[known[chosen]]
            return black, white, known

        # All of the file is read before any of it is asked for: what is malformed is no reply.
        read = {ply: canonical(own) for ply, own in solution.replies.items()}
        nothing = canonical({})

        def replies_in(ply: int, layer: GridLayer) -> Numbers:
            known_black, known_white, known = read.get(ply, nothing)
            black, white, by = self._canonical(layer.black, layer.white)
            rows = _look_up((known_black, known_white), (black, white))
            result = np.full(len(layer), _NO_REPLY, np.int64)
            result[rows >= 0] = known[rows[rows >= 0]]
            for k, undone in enumerate(back, 1):
                chosen = (by == k) & (result >= 0)
                result[chosen] = undone[result[chosen]]
            return result

        return replies_in

    def chosen(self, moves: Sequence[Move], player: Player) -> Numbers:
        return np.array([self._number[player][move] for move in moves], np.int64)

    def reply(self, replies: Numbers, index: int, player: Player) -> Move | None:
        return self._move(int(replies[index]), player)

    def _move(self, reply: int, player: Player) -> Move | None:
        if reply == _NO_REPLY:
            return None
        return self._moves[player][reply] if reply >= 0 else self._impossible[_NO_REPLY - reply - 1]

    def _read(self, texts: Sequence[str], solution: SolutionClaim) -> tuple[Words, Words]:
        """The squares of boards, rows ending with ``/``; raises ``InputError``."""
        width, size = self._grounding.width, self._grounding.squares
        length = size + self._grounding.height - 1
        for text in texts:
            if len(text) != length or not text.isascii():
                self._no_board(text, solution)
        if not texts:
            return np.zeros(0, np.uint64), np.zeros(0, np.uint64)
        cells = np.frombuffer("".join(texts).encode(), np.uint8).reshape(len(texts), length)
        places = np.arange(length) % (width + 1) != width
        board, ends = cells[:, places], cells[:, ~places]
        wrong = ~np.isin(board, list(b".BW")).all(1) | (ends != ord("/")).any(1)
        if wrong.any():
            self._no_board(texts[int(np.argmax(wrong))], solution)
        bits = np.uint64(1) << np.arange(size, dtype=np.uint64)
        black, white = ((board == ord(c)).astype(np.uint64) @ bits for c in "BW")
        return black, white

    def _no_board(self, text: str, solution: SolutionClaim) -> None:
        width, height = self._grounding.width, self._grounding.height
        expected = f"boards of {width}x{height} squares '.', 'B' and 'W'"
        raise solution.malformed(text, f"the position {quoted(text)}", expected)

    # -- plies ------------------------------------------------------------------------------

    def all_moves(self, layer: GridLayer, ply: int) -> SolutionStep[GridLayer]:
        player = self.game.player_at(ply)
        found: GridLayer | None = None
        ended = False
        for first in range(0, len(layer), _CHUNK):
            part = layer.at(slice(first, first + _CHUNK))
            made = []
            for number, action in enumerate(self._arrays.actions[player]):
                (legal,) = np.nonzero(holds(action, part.columns))
                made.append(self._played(part, legal, first, number, player))
            step = self._finish(_joined(made), ply, loses=True)
            if step.fault is not None:
                return step
            ended |= step.ended
            layers = [step.layer] if found is None else [found, step.layer]
            found = self._once(_joined(layers)) if len(layers) > 1 else step.layer
        assert found is not None, "a layer has positions"
        return SolutionStep(found, len(found), ended)

    def _played(
        self, layer: GridLayer, chosen: Numbers, first: int, action: int, player: Player
    ) -> GridLayer:
        """The positions after an action in the ``chosen`` ones, counted from ``first``."""
        keep, put = self._arrays.keep[player][:, action], self._arrays.put[player][:, action]
        return GridLayer(
            layer.black[chosen] & keep[0] | put[0],
            layer.white[chosen] & keep[1] | put[1],
            chosen + first,
            np.full(len(chosen), action, np.int64),
            player,
        )

    def replied(self, layer: GridLayer, ply: int, replies: Numbers) -> SolutionStep[GridLayer]:
        player = self.game.player_at(ply)
        actions, columns = self._arrays.actions[player], layer.columns
        made, legal = [], np.zeros(len(layer), bool)
        for number in np.unique(replies[replies >= 0]).tolist():
            (own,) = np.nonzero(replies == number)
            own = own[holds(actions[number], [column[own] for column in columns])]
            legal[own] = True
            made.append(self._played(layer, own, 0, number, player))
        if not legal.all():
            index = int(np.argmin(legal))
            return SolutionStep(layer, 0, fault=self._fault(layer, index, ply, int(replies[index])))
        return self._finish(_joined(made), ply, loses=False)

    def _fault(self, layer: GridLayer, index: int, ply: int, reply: int) -> Fault:
        """The words of the rules for a reply that is missing or illegal."""
        move = self._move(reply, self.game.player_at(ply))
        fault = fault_of(self.position(layer, index, ply), index, move)
        assert fault is not None, "the arrays and the rules say the same of a move"
        return fault

    def _finish(self, made: GridLayer, ply: int, *, loses: bool) -> SolutionStep[GridLayer]:
        """The positions that go on after moves of a ply.

        ``loses`` says that the player of the ply is not to win: a play that this player wins is a
        fault.  For the other player every play that ends otherwise is a win.
        """
        player = self.game.player_at(ply)
        won = self._arrays.wins(made.columns, player)
        if loses and won.any():
            return self._ended_wrong(made, won, f"{player} reached the goal")
        going = made.at(~won)
        ended = bool(won.any())
        if ply == self.game.plies:
            # White has held out.
            if len(going) and (player is Player.WHITE) is loses:
                wrong = np.ones(len(going), bool)
                return self._ended_wrong(going, wrong, f"held out for {self.game.length}")
            return SolutionStep(going.at(np.zeros(len(going), bool)), 0, bool(len(made)))
        going = self._once(going)
        other = self.game.player_at(ply + 1)
        stuck = ~self._arrays.can_move(going.columns, other)
        if stuck.any():
            # The player who cannot move has lost.
            if (other is player) is not loses:
                return self._ended_wrong(going, stuck, f"{other} has no legal move")
            going, ended = going.at(~stuck), True
        return SolutionStep(going, len(going), ended)

    def _ended_wrong(self, made: GridLayer, wrong: Flags, reason: str) -> SolutionStep[GridLayer]:
        first = int(np.argmax(wrong))
        index, move = self.origin(made, first)
        return SolutionStep(made, 0, fault=Fault(index, move, reason))

    # -- symmetric positions ------------------------------------------------------------------

    def _once(self, layer: GridLayer) -> GridLayer:
        """The first position of each class of equal or symmetric ones."""
        black, white, _ = self._canonical(layer.black, layer.white)
        order = np.lexsort((white, black))
        first = np.ones(len(order), bool)
        first[1:] = (np.diff(black[order]) != 0) | (np.diff(white[order]) != 0)
        return layer.at(np.sort(order[first]))

    def _canonical(self, black: Words, white: Words) -> tuple[Words, Words, Numbers]:
        """The least image of each position, and the number of the symmetry; 0 is the identity."""
        least_black, least_white = black.copy(), white.copy()
        by = np.zeros(len(black), np.int64)
        for number, permute in enumerate(self._symmetries, 1):
            image_black, image_white = permute(black), permute(white)
            less = (image_black < least_black) | (
                (image_black == least_black) & (image_white < least_white)
            )
            least_black[less], least_white[less] = image_black[less], image_white[less]
            by[less] = number
        return least_black, least_white, by

    def _turned(self, player: Player, permute: _Permutation) -> Numbers:
        """For each action of a player the action that a symmetry makes of it."""
        actions = self._grounding.actions[player]
        numbers = {action.meaning: number for number, action in enumerate(actions)}
        images = [numbers[permute.meaning(action.meaning)] for action in actions]
        # Actions that mean the same have one image; for the way back there has to be one each.
        if len(set(images)) == len(images):
            return np.array(images, np.int64)
        return np.array(_one_each(actions, permute), np.int64)


def _one_each(actions: Sequence[GroundAction], permute: _Permutation) -> list[int]:
    """Actions that mean the same, mapped in their order."""
    left: dict[tuple[int, ...], list[int]] = {}
    for number, action in enumerate(actions):
        left.setdefault(action.meaning, []).append(number)
    return [left[permute.meaning(action.meaning)].pop(0) for action in actions]


def _joined(layers: Sequence[GridLayer]) -> GridLayer:
    if not layers:
        words, numbers = np.zeros(0, np.uint64), np.zeros(0, np.int64)
        return GridLayer(words, words, numbers, numbers)
    return GridLayer(
        np.concatenate([layer.black for layer in layers]),
        np.concatenate([layer.white for layer in layers]),
        np.concatenate([layer.origin for layer in layers]),
        np.concatenate([layer.action for layer in layers]),
        layers[0].player,
    )


def _look_up(table: tuple[Words, Words], wanted: tuple[Words, Words]) -> Numbers:
    """For each wanted pair its row in a table of pairs; -1 where it is not there."""
    size = len(table[0])
    black, white = (np.concatenate(pair) for pair in zip(table, wanted, strict=True))
    order = np.lexsort((white, black))
    new = np.ones(len(order), bool)
    new[1:] = (np.diff(black[order]) != 0) | (np.diff(white[order]) != 0)
    group = np.empty(len(order), np.int64)
    group[order] = np.cumsum(new) - 1
    row = np.full(len(order), -1, np.int64)
    # The first of equal rows counts.
    row[group[:size][::-1]] = np.arange(size)[::-1]
    return row[group[size:]]


# -- symmetries ------------------------------------------------------------------------------


class _Permutation:
    """A permutation of the squares, on words and on masks of three planes."""

    def __init__(self, images: Sequence[int]) -> None:
        self._images = images
        self._tables = []
        for start in range(0, len(images), 8):
            values = [0]
            for image in images[start : start + 8]:
                values += [value | 1 << image for value in values]
            table = np.zeros(256, np.uint64)
            table[: len(values)] = np.array(values, np.uint64)
            self._tables.append((np.uint64(start), table))

    def __call__(self, words: Words) -> Words:
        """The images of sets of squares."""
        result = np.zeros_like(words)
        for shift, table in self._tables:
            result |= table[(words >> shift & np.uint64(255)).astype(np.intp)]
        return result

    def mask(self, mask: int) -> int:
        """The image of a mask of three planes."""
        size = len(self._images)
        return sum(
            1 << plane * size + self._images[square]
            for plane in range(3)
            for square in range(size)
            if mask >> plane * size + square & 1
        )

    def meaning(self, masks: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
        """The image of what an action asks and does."""
        care, value, keep, put = map(self.mask, masks)
        return care, value, keep, put


def _symmetries(grounding: Grounding) -> Iterator[_Permutation]:
    """The reflections and rotations, without the identity, that keep actions and goals."""
    seen = [list(range(grounding.squares))]
    for _, function in board_maps(grounding.width, grounding.height):
        images = [
            grounding.square(*function(x, y))
            for y in range(1, grounding.height + 1)
            for x in range(1, grounding.width + 1)
        ]
        if images in seen:
            continue
        seen.append(images)
        permute = _Permutation(images)
        if all(_keeps(grounding, permute, player) for player in Player):
            yield permute


def _keeps(grounding: Grounding, permute: _Permutation, player: Player) -> bool:
    actions = [action.meaning for action in grounding.actions[player]]
    goals = [(goal.care, goal.value) for goal in grounding.goals[player]]
    return sorted(map(permute.meaning, actions)) == sorted(actions) and sorted(
        (permute.mask(care), permute.mask(value)) for care, value in goals
    ) == sorted(goals)


# The proof of a solution: a theorem with its hypotheses, or a play that breaks the claim


def _grid(game: Any) -> LayerRules[Any, Any]:

    return GridRules(game) if game.grounding.squares <= MOST_SQUARES else PlainRules(game)


_RULES: Final[Mapping[str, Callable[[Any], LayerRules[Any, Any]]]] = {"bddl": _grid}


def rules_for(game: TwoPlayerGame) -> LayerRules[Any, Any]:
    """The rules of a game as the walk asks for them: on arrays where it can be."""
    return _RULES.get(game.language, PlainRules)(game)


@dataclass(frozen=True, slots=True)
class CheckedSolution:
    """The result of a walk through a solution's plays; ``seconds`` are of wall time."""

    solution: SolutionClaim
    how: str
    walked: Walked
    seconds: float

    @property
    def proved(self) -> bool:
        """True if the claim holds, false if a play breaks it."""
        return self.walked.refuted is None

    @property
    def word(self) -> str:
        """``proved`` or ``refuted``."""
        return Proof.word if self.proved else Refutation.word

    @property
    def exit_code(self) -> Exit:
        """The exit code that says the same."""
        return Proof.exit_code if self.proved else Refutation.exit_code

    @property
    def play(self) -> tuple[str, ...]:
        """The moves of a play that breaks the claim; none where it is proved."""
        return () if self.walked.refuted is None else self.walked.refuted.moves

    @property
    def text(self) -> str:
        """The verdict in a sentence."""
        if self.walked.refuted is not None:
            return f"refuted: {self.walked.refuted.reason}"
        count = counted(self.walked.positions, "position")
        return f"proved by exhaustive walk, {count}: {self.solution.claim}"

    @property
    def hypotheses(self) -> str:
        """The hypotheses of the proof: what was walked through, and by which rules."""
        game, winner = self.solution.game, self.solution.winner
        language = _SAID[game.language]
        end = "Black's win" if winner is Player.BLACK else "no win of Black's"
        return (
            f"{winner}'s {counted(self.walked.replies, 'reply')} and every move of {winner.other}, "
            f"by the rules of the model in the file ({language}, {self.how}); the longest play has "
            f"{counted(self.walked.longest, 'ply')}, and each ends with {end}"
        )

    def to_dict(self) -> dict[str, object]:
        """The fields of the result."""
        refuted = self.walked.refuted
        return {
            "game": self.solution.game.name,
            "winner": self.solution.winner.value,
            "plies": self.solution.game.plies,
            "verdict": self.word,
            "reason": self.text,
            "hypotheses": self.hypotheses if self.proved else None,
            "positions": self.walked.positions,
            "replies": self.walked.replies,
            "replies_in_file": self.solution.positions,
            "longest": self.walked.longest,
            "play": None if refuted is None else list(refuted.moves),
            "seconds": round(self.seconds, 3),
        }


_SAID: Final[Mapping[str, str]] = {
    "bddl": "BDDL",
    "positional": "a positional game",
    "gdl": "GDL",
}


def check(
    solution: SolutionClaim, *, deadline: Deadline = NEVER, tell: Tell = nobody
) -> CheckedSolution:
    """Walk through all plays of a solution's replies.

    Raises ``UndecidedError`` at the deadline, ``InputError`` for replies that are no moves.
    """
    watch = Stopwatch()
    rules = rules_for(solution.game)
    walked = walk(rules, solution.winner, rules.table(solution), deadline=deadline, tell=tell)
    return CheckedSolution(solution, rules.how, walked, watch.seconds)


# The reply of a solution in one position


class Lookup:
    """The replies of a solution by position; nothing of them is proved."""

    def __init__(self, solution: SolutionClaim) -> None:
        self.solution = solution
        self._rules: Any = rules_for(solution.game)
        self._table = self._rules.table(solution)

    def reply(self, position: Position) -> Move:
        """The winner's reply; raises ``InputError`` where there is none that is legal."""
        layer = self._rules.layer(position)
        answers = self._table(position.ply, layer)
        move: Move | None = self._rules.reply(answers, 0, self.solution.winner)
        fault = fault_of(position, 0, move)
        if move is None or (fault is not None and fault.move is None):
            reason = "" if fault is None else fault.reason
            raise InputError(self.solution.path, None, None, reason, "a legal reply")
        return move
