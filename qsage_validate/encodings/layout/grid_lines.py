"""Version 1 of the lines of a layout: grids, whose moves have an action and coordinates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace

from qsage_validate.circuit.qbf import Qbf, Quantifier
from qsage_validate.encodings.layout.codings import Bits, GridCoding, Number
from qsage_validate.encodings.layout.layout import (
    GoalVariables,
    Indicators,
    Layout,
    Ply,
    Silence,
    StateCode,
    board_view,
    on_grid,
)
from qsage_validate.encodings.layout.line_reader import CHOOSERS, FIRST, LineReader
from qsage_validate.formats.source import quoted
from qsage_validate.games.protocol import Player


def grid_lines(layout: Layout) -> Iterator[str]:
    """The lines of a layout whose state is a board."""
    yield f"{FIRST} 1"
    yield f"encoding {layout.encoding}"
    yield f"game {layout.game}"
    state = layout.state
    yield " ".join(map(str, ("board", *state.size)))
    for player in Player:
        yield " ".join(["actions", player.value, *layout.actions.get(player, ())])
    for ply in layout.moves:
        action, x, y = map(_plain, ply.vectors)
        line = f"move {ply.ply} {ply.player.value} action {action} x {x} y {y}"
        yield line if ply.stop is None else f"{line} stop {ply.stop}"
    for ply in layout.moves:
        if ply.indicators is not None:
            bounds = "" if ply.indicators.bounds is None else f" bounds {ply.indicators.bounds}"
            preconditions = _plain(ply.indicators.preconditions)
            yield f"indicators {ply.ply}{bounds} preconditions {preconditions}"
    for field in fields(GoalVariables):
        bits = getattr(layout.goals, field.name)
        if bits:
            yield f"goal {field.name.replace('_', '-')} {_plain(bits)}"
    assert state.code is not None, "the lines of a grid"
    x, y = _plain(state.x), _plain(state.y)
    yield f"symbolic x {x} y {y} code {state.code.value.replace(' ', '-')}"
    for time, literals in enumerate(state.states):
        yield " ".join(map(str, ("state", time, *literals)))
    if layout.verdict is not None:
        yield f"verdict {layout.verdict}"
    for name, literal in layout.gates.items():
        yield f"gate {literal} {name}"
    for part, text in layout.model.items():
        for line in text.splitlines():
            yield f"model {part} | {line}".rstrip()


def _plain(bits: Bits) -> str:
    return "[" + " ".join(map(str, bits)) + "]"


@dataclass(frozen=True, slots=True)
class _Move:
    """A line ``move`` of a grid before the line with the board is read."""

    ply: int
    player: Player
    action: Bits
    x: Bits
    y: Bits
    stop: int | None


class GridReader(LineReader):
    """Reads version 1; errors as in ``layout_from_comments``."""

    keywords = (
        *("encoding", "game", "board", "actions", "move", "indicators", "goal"),
        *("symbolic", "state", "verdict", "gate", "model"),
    )
    games = ("bddl",)

    def __init__(self, qbf: Qbf) -> None:
        super().__init__(qbf)
        self.game = "bddl"
        self.size = (0, 0)
        self.actions: dict[Player, tuple[str, ...]] = dict.fromkeys(Player, ())
        self.moves: list[_Move] = []
        self.position: tuple[Bits, Bits] = ((), ())
        self.code = StateCode.OPEN_WHITE
        self.goals = GoalVariables()
        self.indicators: dict[int, Indicators] = {}

    def read(self, lines: Sequence[tuple[int, str]]) -> Layout:
        """The layout of all lines."""
        self.parse(lines)
        self._check()
        return Layout(
            moves=tuple(map(self._ply, self.moves)),
            state=board_view(*self._square(*self.position), tuple(self.states), self.code),
            actions=self.actions,
            goals=self.goals,
            verdict=self.verdict,
            gates=self.gates,
            encoding=self.encoding,
            game=self.game,
            model=self.model_parts(),
            silence=Silence.FREE,
        )

    def _square(self, x: Bits, y: Bits) -> tuple[Number, Number]:
        width, height = self.size
        return Number(x, width), Number(y, height)

    def _ply(self, move: _Move) -> Ply:
        coding = GridCoding(self.actions[move.player], move.action, *self._square(move.x, move.y))
        return on_grid(move.ply, move.player, coding, move.stop, self.indicators.get(move.ply))

    def what(self, keyword: str, words: Sequence[str]) -> str:
        if keyword == "model":
            return ""
        keyed = keyword in ("actions", "goal", "move", "indicators", "state")
        return " ".join([keyword, *words[:1]]) if keyed else keyword

    # -- what single lines cannot tell ------------------------------------------------------

    def _check(self) -> None:
        for what in ("board", "symbolic"):
            if what not in self.at:
                raise self.fail(f"a layout without a line {quoted(what)}", "one")
        self._axes("symbolic", *self.position)
        for move in self.moves:
            self._check_move(move)
        for name in ("black", "white"):
            for axis, size in zip("xy", self.size, strict=True):
                bits = getattr(self.goals, f"{name}_{axis}")
                if bits:
                    self._width(self.at[f"goal {name}-{axis}"], bits, size, axis)
        if len(self.states) not in (len(self.moves), len(self.moves) + 1):
            raise self.fail(
                f"{len(self.states)} states for {len(self.moves)} moves",
                "a state before every move and perhaps one after the last",
                self.at[f"state {len(self.states) - 1}"] if self.states else None,
            )
        self._check_indicators()

    def _check_move(self, move: _Move) -> None:
        line = self.at[f"move {move.ply}"]
        names = self.actions[move.player]
        if not names:
            expected = f"a line 'actions {move.player.value}' with names"
            raise self.fail(f"a {move.player.value} ply", expected, line)
        self._width(line, move.action, len(names), "actions")
        self._axes(f"move {move.ply}", move.x, move.y)
        if move.stop is not None and move.ply == len(self.moves):
            raise self.fail("'stop' in the last ply", "it where another ply follows", line)

    def _axes(self, what: str, x: Bits, y: Bits) -> None:
        self._width(self.at[what], x, self.size[0], "columns")
        self._width(self.at[what], y, self.size[1], "rows")

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
        for ply in self.indicators:
            if players.get(ply) is not Player.WHITE:
                line = self.at[f"indicators {ply}"]
                raise self.fail(f"indicators of ply {ply}", "a White ply", line)
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

    # -- lines ------------------------------------------------------------------------------

    def read_version(self, words: list[str], _: str) -> None:
        if words != ["1"]:
            found = f"layout version {quoted(' '.join(words))}"
            raise self.fail(found, "version 1")

    def read_board(self, words: list[str], _: str) -> None:
        width, height = map(self.number, self.count(words, 2, "width and height"))
        if not width or not height:
            raise self.fail(f"a board of {width}x{height}", "width and height from 1")
        self.size = width, height

    def read_actions(self, words: list[str], _: str) -> None:
        player = self.player(words[0] if words else "")
        names = tuple(words[1:])
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise self.fail(f"the action {quoted(twice)} twice", "each action once")
        self.actions[player] = names

    def read_move(self, words: list[str], _: str) -> None:
        if len(words) < 2:
            raise self.fail(f"{len(words)} values", "ply, player and bits")
        ply = self.number(words[0])
        if ply != len(self.moves) + 1:
            raise self.fail(f"ply {ply}", f"ply {len(self.moves) + 1}")
        pairs = self._pairs(words[2:], ("action", "x", "y"), ("stop",))
        player = self.player(words[1])
        chooser = CHOOSERS[player]
        action, x, y = (self.chosen(self._vector(pairs[k]), chooser) for k in ("action", "x", "y"))
        stop = self.literal(pairs["stop"]) if "stop" in pairs else None
        if stop is not None:
            self.place(stop, chooser)
        self.moves.append(_Move(ply, player, action, x, y, stop))

    def read_indicators(self, words: list[str], _: str) -> None:
        if not words:
            raise self.fail("0 values", "ply and literals")
        pairs = self._pairs(words[1:], ("preconditions",), ("bounds",))
        bounds = self.literal(pairs["bounds"]) if "bounds" in pairs else None
        preconditions = self._vector(pairs["preconditions"])
        for literal in (*preconditions, *(() if bounds is None else (bounds,))):
            # A gate may say the same; a variable that White chooses, or of a move, may not.
            if abs(literal) in self.quantifiers:
                self.place(literal, Quantifier.EXISTS)
        self.indicators[self.number(words[0])] = Indicators(bounds, preconditions)

    def read_goal(self, words: list[str], _: str) -> None:
        name, bits = self.count(words, 2, "the name of the goal variables and their bits")
        names = {field.name.replace("_", "-"): field.name for field in fields(GoalVariables)}
        if name not in names:
            raise self.fail(quoted(name), f"one of {', '.join(names)}")
        # Black chooses the goal that Black has reached, and the part that White's goal lacks;
        # White chooses the goal that White has reached.
        chooser = Quantifier.FORALL if name.startswith("white") else Quantifier.EXISTS
        chosen = self.chosen(self._vector(bits), chooser)
        self.goals = replace(self.goals, **{names[name]: chosen})

    def read_symbolic(self, words: list[str], _: str) -> None:
        pairs = self._pairs(words, ("x", "y", "code"))
        codes = {code.value.replace(" ", "-"): code for code in StateCode}
        if pairs["code"] not in codes:
            raise self.fail(quoted(pairs["code"]), f"one of {', '.join(codes)}")
        x, y = (self.chosen(self._vector(pairs[k]), Quantifier.FORALL) for k in ("x", "y"))
        self.position, self.code = (x, y), codes[pairs["code"]]

    def read_state(self, words: list[str], _: str) -> None:
        time, first, second = self.count(words, 3, "the step and two literals")
        if self.number(time) != len(self.states):
            raise self.fail(f"state {time}", f"state {len(self.states)}")
        state = self.literal(first), self.literal(second)
        for literal in state:
            # A gate may say the same, and of a board that never changes a bit of the square.
            if self.quantifiers.get(abs(literal)) is Quantifier.EXISTS:
                self.place(literal, Quantifier.EXISTS)
        self.states.append(state)

    def read_verdict(self, words: list[str], _: str) -> None:
        (literal,) = self.count(words, 1, "one literal")
        self.verdict = self.literal(literal)
