"""Games on a grid: BDDL read and played by the definitions, and small games at random."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from random import Random

from tests.support.liars.formula import UnreadableError

Coordinate = tuple[str, int]  # ("?", offset), ("min", 0), ("max", 0) or ("", number)
Part = tuple[str, bool, Coordinate, Coordinate]  # content, negated, x, y
Condition = tuple[Part, ...]
Board = tuple[str, ...]

CONTENTS = ("open", "black", "white")


@dataclass(frozen=True)
class Action:
    """An action of a player."""

    name: str
    before: Condition
    after: Condition


@dataclass(frozen=True)
class Grid:
    """A game on a grid; ``second`` says that Black is the second player."""

    width: int
    height: int
    black_actions: tuple[Action, ...]
    white_actions: tuple[Action, ...]
    pieces: tuple[tuple[str, int, int], ...]
    depth: int
    black_goals: tuple[Condition, ...]
    white_goals: tuple[Condition, ...]
    second: bool = False

    kind = "bddl"

    # -- Text

    def domain(self) -> str:
        """The domain file."""
        lines: list[str] = []
        for player, actions in (("black", self.black_actions), ("white", self.white_actions)):
            lines.append(f"#{player}actions")
            for action in actions:
                lines += [f":action {action.name}", ":parameters (?x,?y)"]
                lines.append(f":precondition ({_condition(action.before)})")
                lines.append(f":effect ({_condition(action.after)})")
        return "\n".join(lines) + "\n"

    def problem(self) -> str:
        """The problem file."""
        pieces = " ".join(f"{c}({x},{y})" for c, x, y in self.pieces)
        lines = ["#boardsize", f"{self.width} {self.height}", "#init", f"({pieces})", "#depth"]
        lines.append(str(self.depth))
        if self.second:
            lines += ["#blackturn", "second"]
        lines += ["#blackgoals", *(f"({_condition(g)})" for g in self.black_goals)]
        lines += ["#whitegoals", *(f"({_condition(g)})" for g in self.white_goals)]
        return "\n".join(lines) + "\n"

    def files(self, stem: str) -> tuple[dict[str, str], list[str], str]:
        """Files of the game, the words that name it, and the option that takes them."""
        names = [f"{stem}-domain.ig", f"{stem}-problem.ig"]
        files = dict(zip(names, (self.domain(), self.problem()), strict=True))
        return files, names, "--game"

    # -- Play

    @property
    def plies(self) -> int:
        """How many plies the depth leaves."""
        return self.depth - self.second

    def _where(self, part: Part, x: int, y: int) -> int | None:
        column = _place(part[2], x, self.width)
        row = _place(part[3], y, self.height)
        if not (1 <= column <= self.width and 1 <= row <= self.height):
            return None
        return (row - 1) * self.width + column - 1

    def _squares(self, condition: Condition, x: int, y: int) -> list[int] | None:
        squares = [self._where(part, x, y) for part in condition]
        found = [s for s in squares if s is not None]
        return found if len(found) == len(squares) else None

    def _holds(self, board: Board, condition: Condition, x: int, y: int) -> bool:
        squares = self._squares(condition, x, y)
        return squares is not None and all(
            (board[s] == part[0]) != part[1] for s, part in zip(squares, condition, strict=True)
        )

    def start(self) -> Board:
        """The initial board, row by row."""
        board = ["open"] * (self.width * self.height)
        for content, x, y in self.pieces:
            board[(y - 1) * self.width + x - 1] = content
        return tuple(board)

    def actions(self, black: bool) -> tuple[Action, ...]:
        """A player's actions."""
        return self.black_actions if black else self.white_actions

    def moves(self, board: Board, black: bool) -> dict[tuple[int, int, int], Board]:
        """The boards behind the legal moves (number of the action, x, y)."""
        found: dict[tuple[int, int, int], Board] = {}
        for number, action in enumerate(self.actions(black)):
            for y in range(1, self.height + 1):
                for x in range(1, self.width + 1):
                    squares = self._squares(action.after, x, y)
                    if squares is None or not self._holds(board, action.before, x, y):
                        continue
                    after = list(board)
                    for s, part in zip(squares, action.after, strict=True):
                        after[s] = part[0]
                    found[number, x, y] = tuple(after)
        return found

    def won(self, board: Board, black: bool) -> bool:
        """Whether a goal of a player holds somewhere."""
        return any(
            self._holds(board, goal, x, y)
            for goal in (self.black_goals if black else self.white_goals)
            for y in range(1, self.height + 1)
            for x in range(1, self.width + 1)
        )

    def black_to_move(self, ply: int) -> bool:
        """Who makes the ply, from 1."""
        return (ply % 2 == 1) != self.second

    def who(self) -> bool:
        """Whether Black wins, by all plays."""
        known: dict[tuple[Board, int], bool] = {}

        def wins(board: Board, ply: int) -> bool:
            if ply > self.plies:
                return False
            key = (board, ply)
            if key not in known:
                black = self.black_to_move(ply)
                after = self.moves(board, black).values()
                if black:
                    known[key] = any(self.won(b, True) or wins(b, ply + 1) for b in after)
                else:
                    known[key] = all(not self.won(b, False) and wins(b, ply + 1) for b in after)
            return known[key]

        return wins(self.start(), 1)


def _place(coordinate: Coordinate, value: int, most: int) -> int:
    kind, offset = coordinate
    return {"?": value + offset, "min": 1, "max": most, "": offset}[kind]


def _coordinate(coordinate: Coordinate, axis: str) -> str:
    kind, offset = coordinate
    if kind == "?":
        return f"?{axis}" + (f"{offset:+d}" if offset else "")
    return str(offset) if kind == "" else f"{axis}{kind}"


def _condition(condition: Condition) -> str:
    parts = []
    for content, negated, x, y in condition:
        text = f"{content}({_coordinate(x, 'x')},{_coordinate(y, 'y')})"
        parts.append(f"NOT({text})" if negated else text)
    return " ".join(parts)


# --- Reading -------------------------------------------------------------------------------------

_PART = re.compile(r"(NOT\s*\(\s*)?\b(open|black|white)\s*\(\s*([^,()]+?)\s*,\s*([^,()]+?)\s*\)")


def _read_coordinate(text: str) -> Coordinate:
    text = text.replace(" ", "")
    if match := re.fullmatch(r"\?[xy]([+-]\d+)?", text):
        return ("?", int(match[1] or 0))
    if match := re.fullmatch(r"[xy](min|max)", text):
        return (match[1], 0)
    if re.fullmatch(r"\d+", text):
        return ("", int(text))
    raise UnreadableError(f"the coordinate {text!r}")


def _read_condition(text: str) -> Condition:
    found = tuple(
        (m[2], m[1] is not None, _read_coordinate(m[3]), _read_coordinate(m[4]))
        for m in _PART.finditer(text)
    )
    rest = re.sub(r"[\s()]", "", _PART.sub("", text))
    if rest:
        raise UnreadableError(f"the condition {text!r}")
    return found


def read_grid(domain: str, problem: str) -> Grid:
    """The game of two files."""
    actions: dict[str, list[Action]] = {"black": [], "white": []}
    player = ""
    for block in re.split(r"(?=^#|^:action)", domain, flags=re.M):
        if match := re.match(r"#(black|white)actions\s*\Z", block):
            player = match[1]
        elif match := re.match(
            r":action\s+(\S+)\s+:parameters\s*\(\?x,\s*\?y\)\s*:precondition(.*):effect(.*)",
            block,
            re.S,
        ):
            if not player:
                raise UnreadableError("an action of nobody")
            actions[player].append(
                Action(match[1], _read_condition(match[2]), _read_condition(match[3]))
            )
        elif block.strip():
            raise UnreadableError(f"the block {block!r}")
    sections: dict[str, list[str]] = {}
    name = ""
    for line in problem.splitlines():
        if line.startswith("#"):
            name = line[1:].strip()
            if name in sections:
                raise UnreadableError(f"a second #{name}")
            sections[name] = []
        elif line.strip():
            sections.setdefault(name, []).append(line.strip())
    try:
        width, height = map(int, " ".join(sections["boardsize"]).split())
        (depth,) = map(int, " ".join(sections["depth"]).split())
        pieces = tuple(
            (part[0], part[2][1], part[3][1])
            for part in _read_condition(" ".join(sections.get("init", [])))
        )
        goals = [
            tuple(
                _read_condition(line)
                for line in sections.get(f"{p}goals", sections.get(f"{p}goal", []))
                if line.strip("() ") != "False" and line.strip("() ")
            )
            for p in ("black", "white")
        ]
    except (KeyError, ValueError):
        raise UnreadableError("a problem that is not ours") from None
    second = sections.get("blackturn", ["first"]) == ["second"]
    return Grid(
        width,
        height,
        tuple(actions["black"]),
        tuple(actions["white"]),
        pieces,
        depth,
        goals[0],
        goals[1],
        second,
    )


# --- At random -----------------------------------------------------------------------------------

HERE: Coordinate = ("?", 0)


def _part(content: str, dx: int = 0, dy: int = 0, negated: bool = False) -> Part:
    return (content, negated, ("?", dx), ("?", dy))


def _actions(rng: Random, own: str, other: str, step: int) -> tuple[Action, ...]:
    occupy = Action("occupy", (_part("open"),), (_part(own),))
    up = Action("up", (_part(own), _part("open", 0, step)), (_part("open"), _part(own, 0, step)))
    side = Action("side", (_part(own), _part("open", 1)), (_part("open"), _part(own, 1)))
    take = Action("take", (_part(own), _part(other, 1)), (_part("open"), _part(own, 1)))
    turn = Action("turn", (_part(other), _part(own, 0, step)), (_part("open"),))
    domino = Action("domino", (_part("open"), _part("open", 1)), (_part(own), _part(own, 1)))
    upright = Action(
        "upright", (_part("open"), _part("open", 0, 1)), (_part(own), _part(own, 0, 1))
    )
    drop = Action("drop", (_part("open"), _part("open", 0, 1, negated=True)), (_part(own),))
    floor = Action("floor", (("open", False, HERE, ("max", 0)),), ((own, False, HERE, ("max", 0)),))
    sets = [
        (occupy,), (occupy,), (occupy,), (up, side), (up, take), (domino,), (upright,),
        (drop, floor), (occupy, take), (occupy, turn), (up,),
    ]  # fmt: skip
    return rng.choice(sets)


def _goal(rng: Random, own: str, other: str, width: int, height: int) -> Condition:
    line = [_part(own), _part(own, 1)] if rng.random() < 0.5 else [_part(own), _part(own, 0, 1)]
    choices: list[Condition] = [
        tuple(line),
        tuple(line),
        (_part(own), _part(own, 1), _part(own, 0, 1)),
        (_part(own), _part(own, 1, 1)),
        ((own, False, HERE, ("min", 0)),),
        ((own, False, ("max", 0), ("max", 0)),),
        ((own, False, ("", rng.randint(1, width)), ("", rng.randint(1, height))),),
        (_part(own), _part(other, 1, 0, negated=rng.random() < 0.5)),
    ]
    return rng.choice(choices)


def random_grid(rng: Random) -> Grid:
    """A small game on a grid, of one of some kinds."""
    width, height = rng.choice([(2, 1), (1, 2), (2, 2), (2, 2), (3, 1), (3, 2), (2, 3), (1, 3)])
    squares = [(x, y) for y in range(1, height + 1) for x in range(1, width + 1)]
    pieces: list[tuple[str, int, int]] = []
    for x, y in rng.sample(squares, rng.randint(0, len(squares) // 2)):
        pieces.append((rng.choice(("black", "white")), x, y))
    second = rng.random() < 0.25
    depth = rng.choice((1, 2, 3, 3, 3, 4)) + second
    black = _actions(rng, "black", "white", -1)
    white = _actions(rng, "white", "black", 1)
    if rng.random() < 0.3:
        white = tuple(_swapped_action(a) for a in black)
    return Grid(
        width,
        height,
        black,
        white,
        tuple(sorted(pieces, key=lambda p: (p[2], p[1]))),
        depth,
        tuple(_goal(rng, "black", "white", width, height) for _ in range(rng.choice((0, 1, 1, 2)))),
        tuple(_goal(rng, "white", "black", width, height) for _ in range(rng.choice((0, 0, 1, 1)))),
        second,
    )


_OTHER = {"black": "white", "white": "black", "open": "open"}


def _swapped(condition: Condition) -> Condition:
    return tuple((_OTHER[c], negated, x, y) for c, negated, x, y in condition)


def _swapped_action(action: Action) -> Action:
    return Action(action.name, _swapped(action.before), _swapped(action.after))


def changed_grid(game: Grid, rng: Random) -> Grid:
    """A game that differs a little."""

    def goals(own: str, other: str, old: tuple[Condition, ...]) -> tuple[Condition, ...]:
        way = rng.randrange(3)
        if way == 0 and old:
            gone = rng.randrange(len(old))
            return old[:gone] + old[gone + 1 :]
        if way == 1 and old:
            at = rng.randrange(len(old))
            shorter = old[at][:-1]
            return (*old[:at], *((shorter,) if shorter else ()), *old[at + 1 :])
        return (*old, _goal(rng, own, other, game.width, game.height))

    way = rng.randrange(10)
    if way == 0:
        return replace(game, black_goals=goals("black", "white", game.black_goals))
    if way == 1:
        return replace(game, white_goals=goals("white", "black", game.white_goals))
    if way in (2, 3):
        least = 2 if game.second else 1
        return replace(game, depth=max(least, game.depth + rng.choice((-2, -1, 1, 2))))
    if way == 4:
        return replace(game, second=not game.second, depth=max(2, game.depth))
    if way == 5:
        return replace(game, black_actions=_actions(rng, "black", "white", rng.choice((-1, 1))))
    if way == 6:
        return replace(game, white_actions=_actions(rng, "white", "black", rng.choice((-1, 1))))
    if way == 7:
        return replace(
            game,
            black_actions=tuple(map(_swapped_action, game.white_actions)),
            white_actions=tuple(map(_swapped_action, game.black_actions)),
            black_goals=tuple(map(_swapped, game.white_goals)),
            white_goals=tuple(map(_swapped, game.black_goals)),
            pieces=tuple((_OTHER[c], x, y) for c, x, y in game.pieces),
        )
    if way == 8:
        x, y = rng.randint(1, game.width), rng.randint(1, game.height)
        others = tuple(p for p in game.pieces if p[1:] != (x, y))
        piece = (rng.choice(("black", "white")), x, y)
        pieces = others if len(others) < len(game.pieces) else (*others, piece)
        return replace(game, pieces=tuple(sorted(pieces, key=lambda p: (p[2], p[1]))))
    action = Action("extra", (_part("open"),), (_part("white"),))
    if rng.random() < 0.5 and len(game.white_actions) > 1:
        return replace(game, white_actions=game.white_actions[:-1])
    return replace(game, white_actions=(*game.white_actions[:3], action))
