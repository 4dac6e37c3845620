"""Small plays for the interface to drive: toy rules, no formula, an obliging certificate."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from qsage_validate.arena.board_engine import Engine, Facts
from qsage_validate.arena.frame import (
    BlockMove,
    Frame,
    FrameValue,
    Hint,
    LayoutMove,
    MatchMove,
    MatchOutcome,
    NamedGroup,
    PlayState,
    SquareXY,
    WhyNot,
)
from qsage_validate.errors import MalformedMoveError, UsageError
from qsage_validate.games.protocol import BoardPicture, Illegality, Player, Square
from qsage_validate.play.match import PlayMatch
from qsage_validate.strategies.reader import Assignment
from qsage_validate.validation.finding import Evidence, Finding, FindingKind
from tests.support.position_text import board_of

B, W, O = Square.BLACK, Square.WHITE, Square.OPEN  # noqa: E741


@dataclass(frozen=True)
class Condition:
    """What an action asks of the square (dx, dy) away, and what it leaves there."""

    dx: int
    dy: int
    before: Square
    after: Square


Actions = Mapping[str, tuple[Condition, ...]]


@dataclass(frozen=True)
class Toy:
    """Rules in which every action is a list of conditions."""

    title: str
    start: BoardPicture
    black: Actions
    white: Actions
    plies: int = 5
    wins: Callable[[BoardPicture], bool] = lambda board: False

    def actions(self, player: Player) -> Actions:
        return self.black if player is Player.BLACK else self.white


def place(square: Square) -> tuple[Condition, ...]:
    return (Condition(0, 0, O, square),)


def step(square: Square, dx: int, dy: int, target: Square = O) -> tuple[Condition, ...]:
    return (Condition(0, 0, square, O), Condition(dx, dy, target, square))


def three_in_a_row(board: BoardPicture) -> bool:
    return any(
        all(board[x + k, y] is B for k in range(3))
        for y in range(1, board.height + 1)
        for x in range(1, board.width - 1)
    )


TIC = Toy(
    "tic 4x4",
    board_of("..../..../..../...."),
    {"occupy": place(B)},
    {"occupy": place(W)},
    wins=three_in_a_row,
)
PAWNS = Toy(
    "pawns 3x4",
    board_of("WWW/.../.../BBB"),
    {"up": step(B, 0, -1), "left": step(B, -1, -1, W), "right": step(B, 1, -1, W)},
    {"down": step(W, 0, 1), "left": step(W, -1, 1), "right": step(W, 1, 1), "kick": step(W, 1, 1)},
    plies=6,
)
DOMINOES = Toy(
    "dominoes 4x3",
    board_of("..../..../...."),
    {"vertical": (Condition(0, 0, O, B), Condition(0, 1, O, B))},
    {"horizontal": (Condition(0, 0, O, W), Condition(1, 0, O, W))},
    plies=6,
)


class ToyEngine(Engine):
    """Toy rules; the certificate makes its first legal move."""

    def __init__(
        self,
        toy: Toy = TIC,
        *,
        person: Player = Player.WHITE,
        finding_at: int | None = None,
        broken: type[Exception] | None = None,
        gate: threading.Event | None = None,
        claims: bool = False,
    ) -> None:
        self.toy = toy
        self._person = person
        self._finding_at = finding_at
        self._broken = broken
        self._gate = gate
        self._claims = claims
        self.facts = Facts(
            title=toy.title,
            certificate_player=person.other,
            plies=toy.plies,
            has_board=True,
            has_rules=True,
            notes=("Layout from comments in the formula.",),
            actions=tuple(toy.actions(person)),
        )

    def start(self) -> Frame:
        board = self.toy.start
        return Frame(PlayState(Assignment()), board=board, values=self._values(0, board))

    def legal(self, frame: Frame) -> Sequence[LayoutMove]:
        return self._legal(self._person, _board(frame))

    def _legal(self, player: Player, board: BoardPicture) -> list[LayoutMove]:
        return [
            move
            for action in self.toy.actions(player)
            for y in range(1, board.height + 1)
            for x in range(1, board.width + 1)
            if self._failing(move := LayoutMove.on_grid(action, x, y), player, board) is None
        ]

    def _conditions(self, move: LayoutMove, player: Player) -> list[tuple[SquareXY, Condition]]:
        assert move.square is not None
        x, y = move.square
        return [((x + c.dx, y + c.dy), c) for c in self.toy.actions(player)[move.action]]

    def _failing(
        self, move: LayoutMove, player: Player, board: BoardPicture
    ) -> tuple[int, SquareXY, Condition] | None:
        for index, ((x, y), condition) in enumerate(self._conditions(move, player)):
            inside = 1 <= x <= board.width and 1 <= y <= board.height
            if not inside or board[x, y] is not condition.before:
                return (index, (x, y), condition)
        return None

    def at(self, frame: Frame, square: SquareXY) -> tuple[MatchMove, ...]:
        return tuple(LayoutMove.on_grid(name, *square) for name in self.facts.actions)

    def parse(self, frame: Frame, text: str) -> MatchMove:
        name, _, rest = text.strip().partition("(")
        try:
            x, y = (int(part) for part in rest.rstrip(")").split(","))
        except ValueError:
            raise MalformedMoveError(f"{text!r} is no move: write occupy(2,3)") from None
        if name not in self.facts.actions:
            raise MalformedMoveError(f"no action {name!r}: {', '.join(self.facts.actions)}")
        return LayoutMove.on_grid(name, x, y)

    def why_not(self, frame: Frame, move: MatchMove) -> WhyNot | None:
        assert isinstance(move, LayoutMove)
        failing = self._failing(move, self._person, _board(frame))
        if failing is None:
            return None
        index, (x, y), condition = failing
        rule = f"{condition.before.name.lower()}(?x{condition.dx:+d},?y{condition.dy:+d})"
        text = f"{move}: {rule} is false at ({x},{y})"
        name = f"white {frame.ply + 1} precondition {index + 1}"
        return WhyNot(
            move,
            self._person,
            False,
            False,
            (FrameValue(name, f"-{30 + index}", -30 - index, False, NamedGroup.INDICATOR),),
            Illegality(rule, text, (x, y), index),
        )

    def touched(self, frame: Frame, move: MatchMove) -> tuple[SquareXY, ...]:
        assert isinstance(move, LayoutMove)
        return tuple(square for square, _ in self._conditions(move, self._person))

    def hint(self, frame: Frame) -> Hint | None:
        moves = self.legal(frame)
        return Hint(moves[-1], "It holds out longest.") if moves else None

    def can_claim(self, frame: Frame) -> bool:
        return self._claims and not frame.over

    def _values(self, ply: int, board: BoardPicture) -> tuple[FrameValue, ...]:
        stones = tuple(
            (i % board.width + 1, i // board.width + 1)
            for i, square in enumerate(board.squares)
            if square is not O
        )
        return (
            FrameValue(f"black {ply} action 1", "3", 3, False, NamedGroup.MOVE),
            FrameValue(f"black {ply} x 1", "4", 4, True, NamedGroup.MOVE),
            FrameValue(f"white {ply} bounds", "-g12", -12, True, NamedGroup.INDICATOR),
            FrameValue(f"state {ply} open", "51", 51, None, NamedGroup.STATE, stones),
            FrameValue("verdict", "99", 99, True, NamedGroup.VERDICT),
        )

    def _after(self, board: BoardPicture, move: LayoutMove, player: Player) -> BoardPicture:
        squares = list(board.squares)
        for (x, y), condition in self._conditions(move, player):
            if 1 <= x <= board.width and 1 <= y <= board.height:
                squares[(y - 1) * board.width + x - 1] = condition.after
        return replace(board, squares=tuple(squares))

    def _ply(
        self, ply: int, player: Player, move: LayoutMove, before: BoardPicture, why: WhyNot | None
    ) -> Frame:
        board = self._after(before, move, player)
        outcome = None
        if self.toy.wins(board):
            outcome = MatchOutcome(Player.BLACK, "reached its goal", True, True, "at every square")
        elif ply == self.toy.plies:
            outcome = MatchOutcome(Player.WHITE, "all plies are played", False, False)
        elif not self._legal(player.other, board):
            promised = player is not self._person
            outcome = MatchOutcome(player, f"{player.other} has no legal move", promised, True)
        findings: tuple[Finding, ...] = ()
        if ply == self._finding_at:
            evidence = (Evidence(51, "51", True, f"state {ply} open"),)
            findings = (
                Finding(
                    FindingKind.BOARD_DIFFERS,
                    ply,
                    f"the formula has {move.square} open, the rules black",
                    squares=() if move.square is None else (move.square,),
                    evidence=evidence,
                    moves=("occupy(1,1)",),
                    replay="qsage-play toy.qcir --cert toy.aig --moves 'occupy(1,1)'",
                ),
            )
        play = PlayState(Assignment(ply), last=move, ending=outcome, findings=findings)
        by_certificate = player is not self._person
        return Frame(play, player, by_certificate, board, self._values(ply, board), illegal=why)

    def reply(self, frame: Frame) -> Frame | None:
        ply, player = frame.ply + 1, self._person.other
        if frame.over or (ply % 2 == 1) is (self._person is Player.BLACK):
            return None
        move = self._legal(player, _board(frame))[0]
        return self._ply(ply, player, move, _board(frame), None)

    def push(self, frame: Frame, move: MatchMove, why: WhyNot | None, *, claim: bool) -> Frame:
        assert isinstance(move, LayoutMove)
        if self._gate is not None and not self._gate.wait(10):
            raise UsageError("the test forgot to open the gate")
        if self._broken is not None:
            raise self._broken("the certificate broke")
        mine = self._ply(frame.ply + 1, self._person, move, _board(frame), why)
        if claim:
            outcome = MatchOutcome(self._person.other, "the goal is not reached", True, True)
            mine = replace(mine, play=replace(mine.play, stopped=True, ending=outcome))
        return mine


def _board(frame: Frame) -> BoardPicture:
    assert frame.board is not None
    return frame.board


class BitsEngine(Engine):
    """A bare game: three blocks, the second one is the person's; the answer copies its bits."""

    facts = Facts(
        title="bare formula",
        certificate_player=Player.BLACK,
        plies=3,
        has_board=False,
        has_rules=False,
        notes=("No layout: blocks of variables.",),
        moves_by_line=True,
    )

    def start(self) -> Frame:
        return Frame(PlayState(Assignment()))

    def reply(self, frame: Frame) -> Frame | None:
        if frame.ply == 0:
            first = BlockMove((1, 2), (True, False), ("1", "2"))
            return _bits(1, Player.BLACK, first, _named(first))
        if frame.ply != 2:
            return None
        move = frame.move
        assert isinstance(move, BlockMove)
        answer = BlockMove((6, 7, 8), move.values, ("6", "7", "8"))
        outcome = MatchOutcome(Player.BLACK, "the matrix is true", True, True)
        values = frame.values + _named(answer)
        return _bits(3, Player.BLACK, answer, values).ended(outcome)

    def legal(self, frame: Frame) -> Sequence[MatchMove]:
        return [
            BlockMove((3, 4, 5), tuple(bool(n >> k & 1) for k in (2, 1, 0)), ("3", "4", "x5"))
            for n in range(8)
        ]

    def parse(self, frame: Frame, text: str) -> MatchMove:
        for move in self.legal(frame):
            if str(move) == text:
                return move
        raise MalformedMoveError(f"{text!r} is no move: write 3=1 4=0 x5=0")

    def why_not(self, frame: Frame, move: MatchMove) -> WhyNot | None:
        return None

    def hint(self, frame: Frame) -> Hint | None:
        return Hint(self.legal(frame)[5], "Two bits are better than one.")

    def push(self, frame: Frame, move: MatchMove, why: WhyNot | None, *, claim: bool) -> Frame:
        assert isinstance(move, BlockMove)
        return _bits(2, Player.WHITE, move, _named(move))


def _bits(ply: int, player: Player, move: BlockMove, values: tuple[FrameValue, ...]) -> Frame:
    play = PlayState(Assignment(ply), last=move)
    return Frame(play, player, player is Player.BLACK, values=values)


def _named(move: BlockMove) -> tuple[FrameValue, ...]:
    return tuple(
        FrameValue(name, name, variable, value, NamedGroup.BLOCK)
        for name, variable, value in zip(move.names, move.variables, move.values, strict=True)
    )


def toy_match(
    toy: Toy = TIC,
    *,
    person: Player = Player.WHITE,
    finding_at: int | None = None,
    broken: type[Exception] | None = None,
    gate: threading.Event | None = None,
    claims: bool = False,
) -> PlayMatch:
    """A play by toy rules, in which something may go wrong."""
    engine = ToyEngine(
        toy, person=person, finding_at=finding_at, broken=broken, gate=gate, claims=claims
    )
    return PlayMatch(engine)


def bare_match() -> PlayMatch:
    """A play of bits."""
    return PlayMatch(BitsEngine())
