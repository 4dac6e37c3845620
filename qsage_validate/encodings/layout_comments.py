"""The layout inside a formula's file, as comments that other tools skip.

Each line is a comment that begins with ``@`` (``#@ move 1 black …`` in QCIR, ``c @ …`` in
QDIMACS).  ``docs/layout.md`` describes the lines; the first is ``@ qsage-layout 1``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace

from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.encodings.layout import (
    Bits,
    GoalVariables,
    Indicators,
    Layout,
    MoveVariables,
    StateCode,
    SymbolicBoard,
)
from qsage_validate.encodings.layout_lines import LineReader, layout_lines
from qsage_validate.formats.source import quoted
from qsage_validate.games.protocol import Player

VERSION = 1
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
            reader(_WORD.findall(rest), rest)
        self._check()
        return replace(
            self.layout,
            moves=tuple(self.moves),
            board=replace(self.layout.board, states=tuple(self.states)),
            indicators=tuple(self.indicators),
            gates=self.gates,
            model=self.model_parts,
        )

    def _check(self) -> None:
        """What single lines cannot tell: plies and states are numbered without a gap."""
        if not self.layout.width or not self.layout.height:
            raise self.fail("a layout without a board", "a line 'board WIDTH HEIGHT'")
        if [move.ply for move in self.moves] != list(range(1, len(self.moves) + 1)):
            raise self.fail("plies out of order", "moves 1, 2, 3, …")
        if len(self.states) not in (len(self.moves), len(self.moves) + 1):
            raise self.fail(
                f"{len(self.states)} states for {len(self.moves)} moves",
                "a state before every move and perhaps one after the last",
            )
        needed = (1 << len(self.layout.board.x), 1 << len(self.layout.board.y))
        if needed[0] < self.layout.width or needed[1] < self.layout.height:
            raise self.fail("too few symbolic bits", "enough bits for every column and row")

    # -- words ------------------------------------------------------------------------------

    def _vector(self, word: str) -> Bits:
        if not (word.startswith("[") and word.endswith("]")):
            raise self.fail(quoted(word), "a bit list such as [3 4]")
        return tuple(self.literal(part) for part in word[1:-1].split())

    def _chosen(self, word: str, chooser: Quantifier) -> Bits:
        """The bits of a move or of the symbolic square, which ``chooser`` decides."""
        bits = self._vector(word)
        for variable in map(abs, bits):
            if variable in self.placed:
                raise self.fail(f"variable {variable} once more", "each variable in one place")
            self.placed.add(variable)
            self.decided_by(variable, chooser)
        return bits

    def _pairs(
        self, words: list[str], required: Sequence[str], optional: Sequence[str] = ()
    ) -> dict[str, str]:
        """``key value`` pairs; all of ``required`` must be there and nothing unknown."""
        if len(words) % 2:
            raise self.fail(quoted(" ".join(words)), "pairs of a key and a value")
        pairs = dict(zip(words[::2], words[1::2], strict=True))
        missing = [key for key in required if key not in pairs]
        unknown = [key for key in pairs if key not in (*required, *optional)]
        if missing or unknown:
            raise self.fail(
                f"keys {', '.join(pairs) or 'none'}", f"keys {', '.join((*required, *optional))}"
            )
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
        (name,) = self._count(words, 1, "the kind of game")
        self.layout = replace(self.layout, game=name)

    def _board(self, words: list[str], _: str) -> None:
        width, height = map(self.number, self._count(words, 2, "width and height"))
        self.layout = replace(self.layout, width=width, height=height)

    def _actions(self, words: list[str], _: str) -> None:
        player = self.player(words[0] if words else "")
        names = tuple(words[1:])
        if player is Player.BLACK:
            self.layout = replace(self.layout, black_actions=names)
        else:
            self.layout = replace(self.layout, white_actions=names)

    def _move(self, words: list[str], _: str) -> None:
        if len(words) < 2:
            raise self.fail(f"{len(words)} values", "ply, player and bits")
        pairs = self._pairs(words[2:], ("action", "x", "y"), ("stop",))
        player = self.player(words[1])
        chooser = Quantifier.EXISTS if player is Player.BLACK else Quantifier.FORALL
        self.moves.append(
            MoveVariables(
                self.number(words[0]),
                player,
                self._chosen(pairs["action"], chooser),
                self._chosen(pairs["x"], chooser),
                self._chosen(pairs["y"], chooser),
                self.literal(pairs["stop"]) if "stop" in pairs else None,
            )
        )

    def _indicators(self, words: list[str], _: str) -> None:
        pairs = self._pairs(words[1:], ("preconditions",), ("bounds",))
        self.indicators.append(
            Indicators(
                self.number(words[0]),
                self.literal(pairs["bounds"]) if "bounds" in pairs else None,
                self._vector(pairs["preconditions"]),
            )
        )

    def _goal(self, words: list[str], _: str) -> None:
        name, bits = self._count(words, 2, "the name of the goal variables and their bits")
        names = {field.name.replace("_", "-"): field.name for field in fields(GoalVariables)}
        if name not in names:
            raise self.fail(quoted(name), f"one of {', '.join(names)}")
        goals = replace(self.layout.goals, **{names[name]: self._vector(bits)})
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
        self.states.append((self.literal(first), self.literal(second)))

    def _verdict(self, words: list[str], _: str) -> None:
        (literal,) = self._count(words, 1, "one literal")
        self.layout = replace(self.layout, verdict=self.literal(literal))

    def _gate(self, words: list[str], rest: str) -> None:
        if len(words) < 2:
            raise self.fail(quoted(rest), "a literal and a name")
        self.gates[rest.split(maxsplit=1)[1]] = self.literal(words[0])

    def _model(self, words: list[str], rest: str) -> None:
        self.add_model(rest)
