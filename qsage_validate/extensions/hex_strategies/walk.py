"""Plays of a strategy of Hex on the board: the walk, the replies of a play, the winning plan.

What Black holds at a moment are *live* links.  A reply of White's in the carrier of one is
answered by its pattern, and the link is replaced by those of the answer; a reply in no carrier
changes none of them, and Black plays ahead in the first.  So stones of White's outside of the
carriers need not be told apart, which is why the walk has few situations.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Final

from qsage_validate.certificates.oracle import NoAnswerError
from qsage_validate.certificates.plan import Plan, PlanNode
from qsage_validate.errors import UndecidedError, counted
from qsage_validate.extensions.hex_strategies.strategy import (
    SIDES,
    End,
    HexLink,
    HexStrategy,
    PatternAnswer,
    PatternFault,
    Placement,
    ends_text,
    parse_strategy,
    read_strategy,
)
from qsage_validate.formats.grid_names import Cell, cell_name
from qsage_validate.formats.source import HASH, Source
from qsage_validate.games.languages import load_game
from qsage_validate.games.masks import flood, members
from qsage_validate.games.positional.hex import hex_network
from qsage_validate.games.positional.rules import PositionalGame, PositionalPosition
from qsage_validate.games.protocol import Move, Player, Position, TwoPlayerGame
from qsage_validate.problems.searched import DeclaredStrategies
from qsage_validate.solvers.search_solution import SearchReply
from qsage_validate.system.limits import Limits
from qsage_validate.system.task import Task

Live = tuple[HexLink, ...]

POSITIONS: Final = 100_000
"""The limit of situations and of decisions, where none is given."""


class BrokenStrategyError(Exception):
    """A play in which the strategy has no answer, or none that it can play."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(text)
        self.fault = PatternFault(line, text)


@dataclass(frozen=True, slots=True)
class PatternReply:
    """Black's answer to a reply of White's: the cell, what is live after it, and in which link.

    ``ahead`` says that White's reply is in no carrier.
    """

    cell: Cell
    live: Live
    link: HexLink
    ahead: bool

    def why(self, white: Cell) -> str:
        """The answer with the name of the pattern that gives it."""
        said = f"{cell_name(*white)} is in no carrier, so Black plays ahead:"
        if not self.ahead:
            said = f"White took {cell_name(*white)}, so"
        return f"{self.link}: {said} {cell_name(*self.cell)}"


def _unplayable(step: PatternReply, white: Cell) -> BrokenStrategyError:
    said = f"{step.why(white)}: Black cannot play it, or needs a cell that White may have"
    return BrokenStrategyError(step.link.pattern.line, said)


class StrategyBoard:
    """The moves of a strategy on the product's board."""

    def __init__(self, strategy: HexStrategy, plies: int | None = None) -> None:
        self.strategy = strategy
        model = hex_network(strategy.width, strategy.height, plies)
        game = load_game(model)
        assert isinstance(game, PositionalGame), "a network is a positional game"
        self.game, self.model = game, model
        self._steps: dict[tuple[Live, Cell], PatternReply] = {}
        self._answers: dict[HexLink, tuple[PatternAnswer, ...]] = {}
        self._masks: dict[HexLink, tuple[int, int]] = {}

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        return tuple(self.game.arrangement.squares)

    @cached_property
    def _bits(self) -> dict[Cell, int]:
        return {cell: 1 << number for number, cell in enumerate(self.cells)}

    def bit(self, cell: Cell) -> int:
        if cell not in self._bits:
            line = self.strategy.opening.line
            raise BrokenStrategyError(line, f"{cell_name(*cell)} is outside of the board")
        return self._bits[cell]

    def masks(self, link: HexLink) -> tuple[int, int]:
        """The carrier of a link, and its stones."""
        found = self._masks.get(link)
        if found is None:
            found = sum(map(self.bit, link.carrier)), sum(map(self.bit, link.stones))
            self._masks[link] = found
        return found

    def answers(self, link: HexLink) -> tuple[PatternAnswer, ...]:
        if link not in self._answers:
            own = link.pattern.answers
            self._answers[link] = tuple(answer.placed(link.placement) for answer in own)
        return self._answers[link]

    def answer(self, link: HexLink, white: Cell) -> PatternAnswer:
        """The first answer of a link that fits White's reply; raises ``BrokenStrategyError``."""
        for own in self.answers(link):
            if own.fits(white):
                return own
        said = f"{link}: White at {cell_name(*white)} has no answer"
        raise BrokenStrategyError(link.pattern.line, said)

    def live(self, links: Live) -> Live:
        """The links with those in the place of each AND; each has answers then."""
        found: list[HexLink] = []
        waiting = list(links[::-1])
        while waiting:
            link = waiting.pop()
            if link.pattern.answers:
                found.append(link)
                if len(found) > len(self.cells):
                    raise BrokenStrategyError(link.pattern.line, "more links than cells")
            else:
                waiting += [own.placed(link.placement) for own in link.pattern.links[::-1]]
        return tuple(sorted(found, key=_order))

    @cached_property
    def opened(self) -> Live:
        return self.live(self.strategy.opening.links)

    def step(self, live: Live, white: Cell) -> PatternReply:
        """Black's answer to White's reply; raises ``BrokenStrategyError`` where there is none."""
        key = live, white
        found = self._steps.get(key)
        if found is None:
            bit = self.bit(white)
            hit = next((link for link in live if self.masks(link)[0] & bit), None)
            if hit is None and not live:
                raise BrokenStrategyError(self.strategy.opening.line, "no link is live")
            link = live[0] if hit is None else hit
            answer = self.answers(link)[0] if hit is None else self.answer(link, white)
            rest = tuple(own for own in live if own is not link)
            found = PatternReply(answer.move, self.live((*rest, *answer.links)), link, hit is None)
            self._steps[key] = found
        return found


def _order(link: HexLink) -> tuple[str, Placement]:
    return link.pattern.name, link.placement


@dataclass(frozen=True, slots=True)
class StrategyWalk:
    """The walk has met no fault: how much it has looked at.

    ``apart`` says that links were walked one by one, since whole boards were too many.
    """

    situations: int
    replies: int
    apart: bool

    def __str__(self) -> str:
        what = "links apart" if self.apart else "situations"
        return f"all {counted(self.replies, 'reply')} of White's in {self.situations:,} {what}"


def walk(strategy: HexStrategy, limits: Limits) -> StrategyWalk | PatternFault:
    """Play a strategy against all of White's replies, by the rules of the product's Hex.

    Whole boards up to the limit of positions; beyond it each link apart, on the board where only
    its own stones are: links whose carriers are apart do not disturb each other.  Raises
    ``UndecidedError`` at the time limit, and where even links apart are too many.
    """
    play = StrategyBoard(strategy)
    try:
        whole = _walk_boards(play, limits)
        return _walk_links(play, limits) if whole is None else whole
    except BrokenStrategyError as broken:
        return broken.fault


def _walk_boards(play: StrategyBoard, limits: Limits) -> StrategyWalk | None:
    """The walk over whole boards; ``None`` where they are more than the limit."""
    most = limits.positions or POSITIONS
    first = play.bit(play.strategy.opening.move)
    waiting = [(first, play.opened)]
    seen = set(waiting)
    replies = 0
    while waiting:
        black, live = waiting.pop()
        limits.deadline.check("the strategy was walked through")
        if play.model.won_by_black(black):
            continue
        carriers = _carriers(play, black, live)
        if not live:
            raise BrokenStrategyError(
                play.strategy.opening.line,
                f"Black has no more to play with {_named(play, black)}, and has not connected",
            )
        for number, cell in enumerate(play.cells):
            bit = 1 << number
            if bit & black:
                continue
            replies += 1
            step = play.step(live, cell)
            own = play.bit(step.cell)
            left = _carriers(play, black | own, step.live)
            if own & (black | bit) or not own & carriers or left & bit or left & ~carriers:
                raise _unplayable(step, cell)
            key = black | own, step.live
            if key not in seen:
                if len(seen) >= most:
                    return None
                seen.add(key)
                waiting.append(key)
    return StrategyWalk(len(seen), replies, apart=False)


def _named(play: StrategyBoard, black: int) -> str:
    return " ".join(cell_name(*play.cells[k]) for k in members(black))


def _carriers(play: StrategyBoard, black: int, live: Sequence[HexLink]) -> int:
    """The carriers of links that hold at once."""
    taken = 0
    for link in live:
        carrier, stones = play.masks(link)
        if carrier & (taken | black) or stones & ~black:
            why = "needs cells that are not empty, or stones that are not there"
            raise BrokenStrategyError(link.pattern.line, f"{link} {why}")
        taken |= carrier
    return taken


def _walk_links(play: StrategyBoard, limits: Limits) -> StrategyWalk:
    """The walk over links apart, each on a board with its own stones."""
    most = limits.positions or POSITIONS
    opening = play.strategy.opening
    _joined(play, opening.links, play.bit(opening.move), SIDES, opening.line)
    waiting = list(opening.links)
    seen = set(waiting)
    replies = 0
    while waiting:
        link = waiting.pop()
        limits.deadline.check("the strategy was walked through")
        (carrier, stones), line = play.masks(link), link.pattern.line
        following = [own.placed(link.placement) for own in link.pattern.links]
        if following:
            _joined(play, following, stones, link.ends, line)
        for white in members(carrier) if not following else ():
            replies += 1
            cell = play.cells[white]
            answer = play.answer(link, cell)
            own = play.bit(answer.move)
            needed = own | sum(play.masks(part)[0] for part in answer.links)
            if needed & 1 << white or needed & ~carrier or own & stones:
                raise _unplayable(PatternReply(answer.move, (), link, ahead=False), cell)
            _joined(play, answer.links, stones | own, link.ends, line)
            following += answer.links
        for part in following:
            if part not in seen:
                if len(seen) >= most:
                    links = counted(most, "link was", "links were")
                    raise UndecidedError(f"more than {links} to be walked through")
                seen.add(part)
                waiting.append(part)
    return StrategyWalk(len(seen), replies, apart=True)


def _joined(
    play: StrategyBoard, links: Sequence[HexLink], stones: int, ends: Sequence[End], line: int
) -> None:
    """Check that stones connect the ends by links that hold at once.

    The sides are two more positions of the network, and each link makes its ends neighbours.
    """
    _carriers(play, stones, links)
    network, size = play.model.own_network, len(play.cells)
    sides = {"top": (size, network.start), "bottom": (size + 1, network.end)}
    neighbours = [*network.neighbours, 0, 0]

    def node(end: End) -> int:
        return 1 << sides[end][0] if isinstance(end, str) else play.bit(end)

    for number, row in sides.values():
        neighbours[number] |= row
        for cell in members(row):
            neighbours[cell] |= 1 << number
    for link in links:
        whole = sum(map(node, link.ends))
        for number in members(whole):
            neighbours[number] |= whole & ~(1 << number)
    held = stones | sum(node(end) for end in ends if isinstance(end, str))
    reached = flood(node(ends[0]), held, tuple(neighbours))
    if any(not reached & node(end) for end in ends):
        raise BrokenStrategyError(line, f"{ends_text(ends)} are not connected")


# Plays


class PatternReplies:
    """The replies of a strategy in the positions of plays; nothing is searched.

    What is live after a reply is kept by the position.  Two ways to a position may leave
    different links; either are right in it.
    """

    def __init__(self, strategy: HexStrategy) -> None:
        self.board = StrategyBoard(strategy)
        self.game: TwoPlayerGame = self.board.game
        self.strategy = strategy
        self.task = Task()
        self._live: dict[tuple[int, int], Live] = {}

    def reply(self, position: Position) -> SearchReply:
        """Black's reply; raises ``NoAnswerError`` where the strategy has none."""
        assert isinstance(position, PositionalPosition), "a position of Hex"
        board = self.board
        try:
            if not position.black:
                cell, live, why = self.strategy.opening.move, board.opened, "the opening"
            else:
                before, white = self._before(position)
                step = board.step(before, white)
                cell, live, why = step.cell, step.live, step.why(white)
            bit = board.bit(cell)
        except BrokenStrategyError as broken:
            raise NoAnswerError(f"{self.strategy.path}:{broken.fault.line}: {broken}") from None
        if bit & (position.black | position.white):
            raise NoAnswerError(f"{why}: {cell_name(*cell)} is not empty")
        self._live[position.black | bit, position.white] = live
        return SearchReply(board.game.claims[bit.bit_length() - 1], Player.BLACK, None, why)

    def _before(self, position: PositionalPosition) -> tuple[Live, Cell]:
        """What was live before White's last stone, and its cell."""
        for number in members(position.white):
            live = self._live.get((position.black, position.white & ~(1 << number)))
            if live is not None:
                return live, self.board.cells[number]
        raise NoAnswerError(f"{position} is not reached by {self.strategy.path}")


@dataclass(frozen=True)
class StrategyProblem:
    """The plays of a strategy's file, which answers for Black."""

    answers: ClassVar[str] = "strategy file"
    hints: ClassVar[bool] = False

    replies: PatternReplies
    promised: bool = True
    player: Player = Player.BLACK

    @property
    def game(self) -> TwoPlayerGame:
        return self.replies.game

    @property
    def title(self) -> str:
        return f"{self.game.name}: the strategy file plays Black"

    @property
    def notes(self) -> tuple[str, ...]:
        path = shlex.quote(self.replies.strategy.path)
        return (f"Black wins, says {path}: qsage hex-strategy {path} proves it",)

    def replay(self, moves: Sequence[str]) -> str:
        path = self.replies.strategy.path
        return shlex.join(["qsage-play", "--strategy", path, "--moves", " ".join(moves)])


def strategy_problem(path: str) -> StrategyProblem:
    """The plays of a file; raises ``InputError``."""
    return StrategyProblem(PatternReplies(read_strategy(path)))


def told(data: bytes, name: str) -> dict[str, object]:
    """What a file says, for ``qsage info``; raises ``InputError``."""
    strategy = parse_strategy(Source.decode(data, name, HASH))
    opening = cell_name(*strategy.opening.move)
    game = f"hex {strategy.width}x{strategy.height}"
    return {
        "game": game,
        "plies": strategy.plies,
        "winner": Player.BLACK.value,
        "claim": f"Black wins {game} with {opening} within {counted(strategy.plies, 'ply')}",
        "opening": opening,
        "patterns": len(strategy.patterns),
    }


STRATEGIES: Final = (DeclaredStrategies(f"{__name__}:strategy_problem", f"{__name__}:told"),)
"""For ``qsage play --strategy``, which plays by this module at once."""


# The plan that is compiled into a certificate


def winning_plan(strategy: HexStrategy, limits: Limits) -> Plan:
    """The decisions of a strategy, for a formula of as many plies as it needs.

    Raises ``UndecidedError`` for more decisions than the limit of positions, and
    ``BrokenStrategyError`` in a wrong strategy.
    """
    board = StrategyBoard(strategy, strategy.plies)
    most = limits.positions or POSITIONS
    nodes: dict[tuple[int, Cell, Live, int], PlanNode] = {}
    waiting: list[tuple[PlanNode, int, Live]] = []

    def node(black: int, cell: Cell, live: Live, ply: int) -> PlanNode:
        black |= board.bit(cell)
        key = black, cell, live, ply
        found = nodes.get(key)
        if found is None:
            limits.deadline.check("the plan was made")
            if len(nodes) >= most:
                raise UndecidedError(
                    f"the strategy has more than {counted(most, 'decision')} on the board"
                )
            goals = board.model.goals_within(black, Player.BLACK)
            move = board.game.claims[board.bit(cell).bit_length() - 1]
            found = nodes[key] = PlanNode(ply, move, bool(goals), goals)
            if not goals:
                waiting.append((found, black, live))
        return found

    opening = strategy.opening
    root = node(0, opening.move, board.opened, 1)
    while waiting:
        own, black, live = waiting.pop()
        for number, cell in enumerate(board.cells):
            if black >> number & 1:
                continue
            step = board.step(live, cell)
            claim: Move = board.game.claims[number]
            own.table[claim] = node(black, step.cell, step.live, own.ply + 2)
    return Plan(Player.BLACK, root, {})
