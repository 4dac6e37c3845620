"""The layout inside a formula's file, as comments that other tools skip.

Each line is a comment that begins with ``@`` (``#@ move 1 black …`` in QCIR, ``c @ …`` in
QDIMACS).  ``docs/layout.md`` describes the lines; the first is ``@ qsage-layout 1``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace

from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.encodings.layout.grid import (
    Bits,
    GoalVariables,
    Indicators,
    Layout,
    MoveVariables,
    StateCode,
    SymbolicBoard,
)
from qsage_validate.encodings.layout.lines import LineReader, layout_lines
from qsage_validate.formats.source import quoted
from qsage_validate.games.protocol import Player

VERSION = 1
_KINDS = ("bddl",)
_WORD = re.compile(r"\[[^\]]*\]|\S+")


def layout_comments(layout: Layout) -> tuple[str, ...]:
    """The comment lines for ``layout``, without the format's comment sign."""
    return tuple(f"@ {line}" for line in _lines(layout))


def _bits(bits: Bits) -> str:
    return "[" + " ".join(map(str, bits)) + "]"


def _lines(layout: Layout) -> Iterator[str]:
    yield f"qsage-layout {VERSION}"
    yield f"encoding {layout.encoding}"
    yield f"game {layout.game}"
    yield f"board {layout.width} {layout.height}"
    for player in Player:
        yield " ".join(["actions", player.value, *layout.actions(player)])
    for move in layout.moves:
        line = f"move {move.ply} {move.player.value} action {_bits(move.action)}"
        line += f" x {_bits(move.x)} y {_bits(move.y)}"
        yield line if move.stop is None else f"{line} stop {move.stop}"
    for indicators in layout.indicators:
        bounds = "" if indicators.bounds is None else f" bounds {indicators.bounds}"
        preconditions = _bits(indicators.preconditions)
        yield f"indicators {indicators.ply}{bounds} preconditions {preconditions}"
    for field in fields(GoalVariables):
        bits = getattr(layout.goals, field.name)
        if bits:
            yield f"goal {field.name.replace('_', '-')} {_bits(bits)}"
    board = layout.board
    code = board.code.value.replace(" ", "-")
    yield f"symbolic x {_bits(board.x)} y {_bits(board.y)} code {code}"
    for time, (first, second) in enumerate(board.states):
        yield f"state {time} {first} {second}"
    if layout.verdict is not None:
        yield f"verdict {layout.verdict}"
    for name, literal in layout.gates.items():
        yield f"gate {literal} {name}"
    for part, text in layout.model.items():
        for line in text.splitlines():
            yield f"model {part} | {line}".rstrip()


def layout_from_comments(qbf: Qbf) -> Layout | None:
    """The layout that the comments of ``qbf`` carry, or ``None`` when there is none.

    Raises ``InputError`` with the line of the first comment that is not as described, or that
    names a variable or gate which the formula does not have.
    """
    lines = layout_lines(qbf)
    if not lines or not lines[0][1].startswith("qsage-layout"):
        return None
    return _Reader(qbf).read(lines)


class _Reader(LineReader):
    """Reads layout lines one by one into the parts of a layout."""

    def __init__(self, qbf: Qbf) -> None:
        super().__init__(qbf)
        self.layout = Layout(0, 0, (), SymbolicBoard((), (), (), StateCode.OPEN_WHITE), (), ())
        self.moves: list[MoveVariables] = []
        self.states: list[tuple[int, int]] = []
        self.indicators: list[Indicators] = []
        self.gates: dict[str, int] = {}
        self.at: dict[str, int] = {}

    def read(self, lines: Sequence[tuple[int, str]]) -> Layout:
        readers: dict[str, Callable[[list[str], str], None]] = {
            "qsage-layout": self._version,
            "encoding": self._encoding,
            "game": self._game,
            "board": self._board,
            "actions": self._actions,
            "move": self._move,
            "indicators": self._indicators,
            "goal": self._goal,
            "symbolic": self._symbolic,
            "state": self._state,
            "verdict": self._verdict,
            "gate": self._gate,
            "model": self._model,
        }
        for self.line, text in lines:
            keyword, _, rest = text.partition(" ")
            reader = readers.get(keyword)
            if reader is None:
                raise self.fail(f"layout keyword {quoted(keyword)}", f"one of {', '.join(readers)}")
            words = _WORD.findall(rest)
            self.once(self.at, self._what(keyword, words, rest))
            reader(words, rest)
        self._check()
        return replace(
            self.layout,
            moves=tuple(self.moves),
            board=replace(self.layout.board, states=tuple(self.states)),
            indicators=tuple(self.indicators),
            gates=self.gates,
            model=self.model_parts(self.layout.game),
        )

    def _what(self, keyword: str, words: Sequence[str], rest: str) -> str:
        """What a line speaks of, which no other line may."""
        match keyword:
            case "gate" if len(words) > 1:
                return f"gate {rest.split(maxsplit=1)[1]}"
            case "model":
                return f"model {rest}, line {self.line}"
            case "actions" | "goal" | "move" | "indicators" | "state":
                return " ".join([keyword, *words[:1]])
        return keyword

    # -- what single lines cannot tell ------------------------------------------------------

    def _check(self) -> None:
        layout = self.layout
        for what in ("board", "symbolic"):
            if what not in self.at:
                raise self.fail(f"a layout without a line {quoted(what)}", "one")
        self._axes("symbolic", layout.board.x, layout.board.y)
        for move in self.moves:
            self._check_move(move)
        for name in ("black", "white"):
            goals = {axis: getattr(layout.goals, f"{name}_{axis}") for axis in "xy"}
            for axis, bits in goals.items():
                if bits:
                    line = self.at[f"goal {name}-{axis}"]
                    self._width(line, bits, layout.width if axis == "x" else layout.height, axis)
        if len(self.states) not in (len(self.moves), len(self.moves) + 1):
            raise self.fail(
                f"{len(self.states)} states for {len(self.moves)} moves",
                "a state before every move and perhaps one after the last",
                self.at[f"state {len(self.states) - 1}"] if self.states else None,
            )
        self._check_indicators()

    def _check_move(self, move: MoveVariables) -> None:
        line = self.at[f"move {move.ply}"]
        names = self.layout.actions(move.player)
        if not names:
            expected = f"a line 'actions {move.player.value}' with names"
            raise self.fail(f"a {move.player.value} ply", expected, line)
        self._width(line, move.action, len(names), "actions")
        self._axes(f"move {move.ply}", move.x, move.y)
        if move.stop is not None and move.ply == len(self.moves):
            raise self.fail("'stop' in the last ply", "it where another ply follows", line)

    def _axes(self, what: str, x: Bits, y: Bits) -> None:
        self._width(self.at[what], x, self.layout.width, "columns")
        self._width(self.at[what], y, self.layout.height, "rows")

    def _width(self, line: int, bits: Bits, count: int, what: str) -> None:
        """A list has just as many bits as numbers from 0 to ``count`` - 1 need."""
        needed = (count - 1).bit_length()
        if len(bits) != needed:
            what = {"x": "columns", "y": "rows"}.get(what, what)
            bit = "bit" if len(bits) == 1 else "bits"
            raise self.fail(f"{len(bits)} {bit} for {count} {what}", str(needed), line)

    def _check_indicators(self) -> None:
        """They belong to White's plies, and to all of them if to any."""
        players = {move.ply: move.player for move in self.moves}
        for indicators in self.indicators:
            line = self.at[f"indicators {indicators.ply}"]
            if players.get(indicators.ply) is not Player.WHITE:
                raise self.fail(f"indicators of ply {indicators.ply}", "a White ply", line)
        for ply, player in players.items():
            if player is Player.WHITE and self.indicators and f"indicators {ply}" not in self.at:
                found = f"a White ply {ply} without a line 'indicators'"
                expected = "indicators of all White plies, or of none"
                raise self.fail(found, expected, self.at[f"move {ply}"])

    # -- words ------------------------------------------------------------------------------

    def _vector(self, word: str) -> Bits:
        if not (word.startswith("[") and word.endswith("]")):
            raise self.fail(quoted(word), "a bit list such as [3 4]")
        return tuple(self.literal(part) for part in word[1:-1].split())

    def _chosen(self, word: str, chooser: Quantifier) -> Bits:
        """The bits of a move, a goal or the symbolic square, which ``chooser`` decides."""
        bits = self._vector(word)
        for literal in bits:
            self.place(literal, chooser)
        return bits

    def _pairs(
        self, words: list[str], required: Sequence[str], optional: Sequence[str] = ()
    ) -> dict[str, str]:
        """``key value`` pairs; all of ``required`` must be there, once, and nothing unknown."""
        if len(words) % 2:
            raise self.fail(quoted(" ".join(words)), "pairs of a key and a value")
        keys = words[::2]
        pairs = dict(zip(keys, words[1::2], strict=True))
        missing = [key for key in required if key not in pairs]
        unknown = [key for key in pairs if key not in (*required, *optional)]
        if missing or unknown or len(pairs) < len(keys):
            expected = f"keys {', '.join((*required, *optional))}"
            raise self.fail(f"keys {', '.join(keys) or 'none'}", expected)
        return pairs

    def _count(self, words: list[str], count: int, expected: str) -> list[str]:
        if len(words) != count:
            raise self.fail(f"{len(words)} values", expected)
        return words

    # -- lines ------------------------------------------------------------------------------

    def _version(self, words: list[str], _: str) -> None:
        if words != [str(VERSION)]:
            found = f"layout version {quoted(' '.join(words))}"
            raise self.fail(found, f"version {VERSION}")

    def _encoding(self, words: list[str], _: str) -> None:
        (name,) = self._count(words, 1, "the name of the encoding")
        self.layout = replace(self.layout, encoding=name)

    def _game(self, words: list[str], _: str) -> None:
        self.layout = replace(self.layout, game=self.kind_of_game(words, _KINDS))

    def _board(self, words: list[str], _: str) -> None:
        width, height = map(self.number, self._count(words, 2, "width and height"))
        if not width or not height:
            raise self.fail(f"a board of {width}x{height}", "width and height from 1")
        self.layout = replace(self.layout, width=width, height=height)

    def _actions(self, words: list[str], _: str) -> None:
        player = self.player(words[0] if words else "")
        names = tuple(words[1:])
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise self.fail(f"the action {quoted(twice)} twice", "each action once")
        if player is Player.BLACK:
            self.layout = replace(self.layout, black_actions=names)
        else:
            self.layout = replace(self.layout, white_actions=names)

    def _move(self, words: list[str], _: str) -> None:
        if len(words) < 2:
            raise self.fail(f"{len(words)} values", "ply, player and bits")
        ply = self.number(words[0])
        if ply != len(self.moves) + 1:
            raise self.fail(f"ply {ply}", f"ply {len(self.moves) + 1}")
        pairs = self._pairs(words[2:], ("action", "x", "y"), ("stop",))
        player = self.player(words[1])
        chooser = Quantifier.EXISTS if player is Player.BLACK else Quantifier.FORALL
        self.moves.append(
            MoveVariables(
                ply,
                player,
                self._chosen(pairs["action"], chooser),
                self._chosen(pairs["x"], chooser),
                self._chosen(pairs["y"], chooser),
                self._chosen(f"[{pairs['stop']}]", chooser)[0] if "stop" in pairs else None,
            )
        )

    def _indicators(self, words: list[str], _: str) -> None:
        if not words:
            raise self.fail("0 values", "ply and literals")
        pairs = self._pairs(words[1:], ("preconditions",), ("bounds",))
        bounds = self.literal(pairs["bounds"]) if "bounds" in pairs else None
        preconditions = self._vector(pairs["preconditions"])
        for literal in (*preconditions, *(() if bounds is None else (bounds,))):
            # A gate may say the same; a variable that White chooses, or of a move, may not.
            if abs(literal) in self.quantifiers:
                self.place(literal, Quantifier.EXISTS)
        self.indicators.append(Indicators(self.number(words[0]), bounds, preconditions))

    def _goal(self, words: list[str], _: str) -> None:
        name, bits = self._count(words, 2, "the name of the goal variables and their bits")
        names = {field.name.replace("_", "-"): field.name for field in fields(GoalVariables)}
        if name not in names:
            raise self.fail(quoted(name), f"one of {', '.join(names)}")
        # Black says which goal she has reached, White which one he has, and Black what it lacks.
        chooser = Quantifier.FORALL if name.startswith("white") else Quantifier.EXISTS
        goals = replace(self.layout.goals, **{names[name]: self._chosen(bits, chooser)})
        self.layout = replace(self.layout, goals=goals)

    def _symbolic(self, words: list[str], _: str) -> None:
        pairs = self._pairs(words, ("x", "y", "code"))
        codes = {code.value.replace(" ", "-"): code for code in StateCode}
        if pairs["code"] not in codes:
            raise self.fail(quoted(pairs["code"]), f"one of {', '.join(codes)}")
        board = SymbolicBoard(
            self._chosen(pairs["x"], Quantifier.FORALL),
            self._chosen(pairs["y"], Quantifier.FORALL),
            (),
            codes[pairs["code"]],
        )
        self.layout = replace(self.layout, board=board)

    def _state(self, words: list[str], _: str) -> None:
        time, first, second = self._count(words, 3, "the step and two literals")
        if self.number(time) != len(self.states):
            raise self.fail(f"state {time}", f"state {len(self.states)}")
        state = self.literal(first), self.literal(second)
        for literal in state:
            # A gate may say the same, and of a board that never changes a bit of the square.
            if self.quantifiers.get(abs(literal)) is Quantifier.EXISTS:
                self.place(literal, Quantifier.EXISTS)
        self.states.append(state)

    def _verdict(self, words: list[str], _: str) -> None:
        (literal,) = self._count(words, 1, "one literal")
        self.layout = replace(self.layout, verdict=self.literal(literal))

    def _gate(self, words: list[str], rest: str) -> None:
        if len(words) < 2:
            raise self.fail(quoted(rest), "a literal and a name")
        self.gates[rest.split(maxsplit=1)[1]] = self.literal(words[0])

    def _model(self, words: list[str], rest: str) -> None:
        self.add_model(rest)
