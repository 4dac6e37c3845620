"""A player who knows the rules of a game and the printed text of an explanation, and no more.

The text is read here anew, line by line and phrase by phrase; none of our code for it is used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from qsage_validate.games.protocol import BoardPicture, Player, Position, Square, TwoPlayerGame

Place = tuple[int, int]
STONES = {"open": Square.OPEN, "black": Square.BLACK, "white": Square.WHITE}


@dataclass(frozen=True)
class Seen:
    """A move as somebody who watches the board notes it."""

    text: str
    to: Place | None
    off: Place | None
    captures: bool


@dataclass(frozen=True)
class Memory:
    """The position, and the last move of each player."""

    position: Position
    last: tuple[tuple[Player, Seen], ...]

    def of(self, name: str) -> Seen | None:
        return next((seen for player, seen in self.last if str(player) == name), None)


def seen(before: BoardPicture, text: str, after: BoardPicture, mover: Player) -> Seen:
    own = STONES[str(mover).lower()]
    come = [place for place in places(after) if after[place] is own and before[place] is not own]
    gone = [place for place in places(after) if before[place] is own and after[place] is not own]
    captures = any(before[place] is STONES[str(mover.other).lower()] for place in come)
    named = re.search(r"\((\d+),(\d+)\)", text)
    stays = (int(named[1]), int(named[2])) if named else None
    return Seen(text, come[0] if come else stays, gone[0] if gone else None, captures)


def places(board: BoardPicture) -> Iterator[Place]:
    for y in range(1, board.height + 1):
        for x in range(1, board.width + 1):
            yield x, y


class TextPlayer:
    """Plays by the text."""

    def __init__(self, text: str, hero: Player) -> None:
        self.hero = hero
        kept = [line for line in text.splitlines() if line.strip() and "|" not in line]
        found = re.search(r"the other square of the pair of \w+'s last move: (.+)", text)
        self.pairs = [] if found is None else [p.split("-") for p in found[1].split(", ")]
        self.lines = [(len(line) - len(line.lstrip()), line.strip()) for line in kept[1:]]

    def reply(self, memory: Memory) -> tuple[Position, Seen]:
        """The move that the text says, with the position after it."""
        number, indent = 0, 0
        while True:
            depth, line = self.lines[number]
            assert depth == indent, line
            if not line.startswith("if "):
                return self._play(line, memory)
            yes = self.holds(line.removeprefix("if ").removesuffix(":"), memory)
            if not yes:
                number = next(
                    k
                    for k in range(number + 1, len(self.lines))
                    if self.lines[k] == (indent, "else:")
                )
            number, indent = number + 1, indent + 2

    # -- moves ----------------------------------------------------------------------------------

    def moves(self, memory: Memory) -> list[tuple[Position, Seen]]:
        """The legal moves in the order that the text explains."""
        position = memory.position
        found = []
        for move in position.legal_moves():
            after = position.play(move)
            found.append((after, seen(position.board, str(move), after.board, self.hero)))

        def order(one: tuple[Position, Seen]) -> tuple[Place, Place, str]:
            to, off = one[1].to or (0, 0), one[1].off or (0, 0)
            return (to[1], to[0]), (off[1], off[0]), one[1].text

        return sorted(found, key=order)

    def having(self, clause: str, memory: Memory) -> list[tuple[Position, Seen]]:
        """The moves with a property in words."""
        foe, hero = self.hero.other, self.hero
        own = memory.of(str(hero))
        theirs = memory.of(str(foe))
        tests: dict[str, Callable[[Position, Seen], bool]] = {
            "": lambda after, move: True,
            "that wins at once": lambda after, move: won(after, hero),
            f"after which {hero} can win at the next turn, whatever {foe} plays": lambda after, m: (
                won(after, hero)
                if after.outcome
                else all(won(x, hero) or can_win(x, hero) for x in following(after))
            ),
            f"after which {foe} cannot win at once": lambda after, move: (
                won(after, hero) if after.outcome else not can_win(after, foe)
            ),
            "that captures": lambda after, move: move.captures,
            f"that captures, and after which {foe} cannot win at once": lambda after, move: (
                move.captures and (won(after, hero) if after.outcome else not can_win(after, foe))
            ),
            f"that captures the piece that {foe} has just moved": lambda after, move: (
                move.captures and theirs is not None and move.to == theirs.to
            ),
            f"of the piece that {hero} moved last": lambda after, move: (
                own is not None and own.to is not None and move.off == own.to
            ),
            f"of another piece than {hero} moved last": lambda after, move: (
                own is not None and move.off is not None and move.off != own.to
            ),
        }
        return [one for one in self.moves(memory) if tests[clause](*one)]

    def _play(self, line: str, memory: Memory) -> tuple[Position, Seen]:
        found = self.answered(line, memory)
        assert found, (line, str(memory.position))
        return found[0]

    def answered(self, line: str, memory: Memory) -> list[tuple[Position, Seen]]:
        """The moves that a line names, the one to be played first."""
        match = re.fullmatch(r"play the (first|last) move(?: '([\w-]+)')?(?: (.+))?", line)
        if match is not None:
            order, kind, clause = match.groups()
            found = self.having(clause or "", memory)
            found = [one for one in found if kind in (None, one[1].text.partition("(")[0])]
            return found if order == "first" else found[::-1]
        match = re.fullmatch(r"play the other square of the pair of (\w+)'s last move: .+", line)
        if match is not None:
            partner = self._partner(memory.of(match[1]), memory)
            return [
                one for one in self.moves(memory) if partner is not None and one[1].to == partner
            ]
        if line.startswith("play the other square of the bridge of "):
            hero, foe = str(self.hero), str(self.hero.other)
            assert line == (
                f"play the other square of the bridge of {foe}'s last move: an open neighbour that "
                f"touches the same two stones of {hero}'s, or the same stone and {hero}'s side"
            )
            return self.in_bridge(memory)
        match = re.fullmatch(r"play (.+) of (\w+)'s last move", line)
        if match is not None:
            last = memory.of(match[2])
            to = None if last is None or last.to is None else self._goal(match[1], last.to, memory)
            return [one for one in self.moves(memory) if to is not None and one[1].to == to]
        text = line.removeprefix("play ")
        return [one for one in self.moves(memory) if one[1].text == text]

    def _goal(self, words: str, place: Place, memory: Memory) -> Place:
        board = memory.position.board
        (x, y), width, height = place, board.width, board.height
        mirrors = {
            "the mirror image, left for right,": (width + 1 - x, y),
            "the mirror image, top for bottom,": (x, height + 1 - y),
            "the image under a half turn": (width + 1 - x, height + 1 - y),
            "the mirror image in the diagonal through (1,1)": (y, x),
            "the mirror image in the other diagonal": (height + 1 - y, width + 1 - x),
            "the image under a quarter turn": (height + 1 - y, x),
            "the image under a three-quarter turn": (y, width + 1 - x),
        }
        return mirrors[words] if words in mirrors else shifted(place, words)

    def _partner(self, last: Seen | None, memory: Memory) -> Place | None:
        """The other square of the pair of a move, by the names of squares."""
        board = memory.position.board
        named = {
            board.square_name((x, y)): (x, y)
            for x in range(1, board.width + 1)
            for y in range(1, board.height + 1)
        }
        for one, other in self.pairs:
            if last is not None and last.to in (named[one], named[other]):
                return named[other] if last.to == named[one] else named[one]
        return None

    def in_bridge(self, memory: Memory) -> list[tuple[Position, Seen]]:
        """Open neighbours of the last move whose two common neighbours with it are the hero's."""
        last, board = memory.of(str(self.hero.other)), memory.position.board
        if last is None or last.to is None:
            return []
        own = STONES[str(self.hero).lower()]

        def around(x: int, y: int) -> list[Place]:
            steps = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))
            return [(x + dx, y + dy) for dx, dy in steps]

        def held(x: int, y: int) -> bool:
            if 1 <= x <= board.width and 1 <= y <= board.height:
                return board[x, y] is own
            if board.top is self.hero:
                return 1 <= x <= board.width
            return 1 <= y <= board.height

        near = around(*last.to)
        return [
            one
            for place in near
            for one in self.moves(memory)
            if one[1].to == place and all(held(*end) for end in set(around(*place)) & set(near))
        ]

    # -- questions ------------------------------------------------------------------------------

    def holds(self, words: str, memory: Memory) -> bool:
        """The answer to a question; fails for words that the text does not explain."""
        position, board = memory.position, memory.position.board
        hero, foe = str(self.hero), str(self.hero.other)
        turn = (position.ply + 1) // 2
        if words == f"it is {hero}'s first move":
            return turn == 1
        if match := re.fullmatch(rf"it is one of {hero}'s first (\d+) moves", words):
            return turn <= int(match[1])
        if match := re.fullmatch(r"\((\d+),(\d+)\) is (open|black|white)", words):
            return board[int(match[1]), int(match[2])] is STONES[match[3]]
        if words == f"{foe}'s last move is in a bridge of {hero}'s":
            return bool(self.in_bridge(memory))
        if words == f"{hero} can win at once":
            return bool(self.having("that wins at once", memory))
        if words == f"{hero} can capture":
            return bool(self.having("that captures", memory))
        if words == f"some move of {hero}'s lets {foe} win at once":
            safe = self.having(f"after which {foe} cannot win at once", memory)
            return len(safe) < len(self.moves(memory))
        if match := re.fullmatch(rf"{hero} has a move(?: '([\w-]+)')?(?: (.+))?", words):
            found = self.having(match[2] or "", memory)
            return any(match[1] in (None, one[1].text.partition("(")[0]) for one in found)
        if match := re.fullmatch(r"(.+) can be played", words):
            pairs = ": as said" if match[1].startswith("the other square of the pair") else ""
            return bool(self.answered(f"play {match[1]}{pairs}", memory))
        if match := re.fullmatch(r"the square (.+) of (\w+)'s last move is (.+)", words):
            last = memory.of(match[2])
            if last is None or last.to is None:
                return False
            x, y = shifted(last.to, match[1])
            there = board[x, y] if 1 <= x <= board.width and 1 <= y <= board.height else None
            return there is STONES.get(match[3])
        if match := re.fullmatch(rf"({hero}|{foe})'s last move was (.+)", words):
            last = memory.of(match[1])
            return last is not None and self._was(last, match[2], memory)
        raise AssertionError(f"the text does not explain {words!r}")

    def _was(self, last: Seen, words: str, memory: Memory) -> bool:
        board, own = memory.position.board, memory.of(str(self.hero))
        if match := re.fullmatch(r"a '(.+)'", words):
            return last.text.partition("(")[0] == match[1]
        if last.to is None:
            return False
        x, y = last.to
        if match := re.fullmatch(r"to \((\d+),(\d+)\)", words):
            return (x, y) == (int(match[1]), int(match[2]))
        if match := re.fullmatch(r"in (row|column) (\d+)", words):
            return int(match[2]) == (y if match[1] == "row" else x)
        middle = (board.width + 1) / 2, (board.height + 1) / 2
        halves = {
            "in the left half": x < middle[0],
            "in the right half": x > middle[0],
            "in the top half": y < middle[1],
            "in the bottom half": y > middle[1],
            "in a corner": x in (1, board.width) and y in (1, board.height),
            "in a square of the edge": x in (1, board.width) or y in (1, board.height),
            "in a square of the colour of (1,1)": (x + y) % 2 == 0,
        }
        if words in halves:
            return halves[words]
        phrase, of, _ = words.rpartition(f" {self.hero}'s last move")
        assert of, f"the text does not explain {words!r}"
        if own is None or own.to is None:
            return False
        u, v = own.to
        relations = {
            "in the row of": y == v,
            "in the column of": x == u,
            "on a diagonal of": abs(x - u) == abs(y - v),
            "next to": max(abs(x - u), abs(y - v)) == 1,
            "above": y < v,
            "to the left of": x < u,
        }
        if phrase in relations:
            return relations[phrase]
        return (x, y) == shifted((u, v), phrase.removesuffix(" of"))


def shifted(place: Place, words: str) -> Place:
    """The square so far away, in words: ``1 left and 2 up``."""
    x, y = place
    for part in words.split(" and "):
        match = re.fullmatch(r"(\d+) (left|right|up|down)", part)
        assert match is not None, f"the text does not explain {words!r}"
        many = int(match[1])
        x += {"left": -many, "right": many}.get(match[2], 0)
        y += {"up": -many, "down": many}.get(match[2], 0)
    return x, y


def won(position: Position, player: Player) -> bool:
    return position.outcome is not None and position.outcome.winner is player


def following(position: Position) -> list[Position]:
    return [position.play(move) for move in position.legal_moves()]


def can_win(position: Position, player: Player) -> bool:
    return position.to_move is player and any(won(after, player) for after in following(position))


def play_all(game: TwoPlayerGame, text: str, hero: Player) -> int:
    """Play by the text against all moves; fails for a play that is lost. The number of plays."""
    player = TextPlayer(text, hero)
    plays = 0
    waiting = [Memory(game.initial, ())]
    known = set[Memory]()
    while waiting:
        memory = waiting.pop()
        position = memory.position
        if position.outcome is not None:
            assert position.outcome.winner is hero, str(position)
            plays += 1
            continue
        last = dict(memory.last)
        if position.to_move is hero:
            after, made = player.reply(memory)
            next_ones = [(after, made)]
        else:
            next_ones = []
            for move in position.legal_moves():
                after = position.play(move)
                made = seen(position.board, str(move), after.board, position.to_move)
                next_ones.append((after, made))
        for after, made in next_ones:
            new = Memory(after, tuple(sorted({**last, position.to_move: made}.items(), key=str)))
            if new not in known:
                known.add(new)
                waiting.append(new)
    return plays
