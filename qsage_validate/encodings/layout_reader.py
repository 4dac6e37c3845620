"""The layout inside a formula's file, as comments that other tools skip: they are read here.

Each line of a layout is a comment that begins with ``@`` (``#@ move 1 black …`` in QCIR, ``c @
…`` in QDIMACS).  ``docs/reference/layout.md`` describes the lines; ``layout_lines`` writes them.
Each is read by the method that is called like its keyword.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, replace
from itertools import repeat
from typing import Final

from qsage_validate.circuit.qbf import Connective, Qbf, Quantifier
from qsage_validate.encodings.layout import (
    ANY_GAME,
    FIRST,
    OUTPUT,
    UNKNOWN,
    Bits,
    GoalVariables,
    GridCoding,
    IllegalMoves,
    Indicators,
    Layout,
    MoveCoding,
    Number,
    Ply,
    StateCode,
    StateView,
    UnspecifiedLegality,
    board_view,
)
from qsage_validate.errors import InputError, counted
from qsage_validate.formats.source import quoted
from qsage_validate.games.model_text import ModelParts, PartLine, parts_of
from qsage_validate.games.protocol import Player

# Words of a layout's lines: numbers, literals, bit lists, the one place of each variable


CHOOSERS: Final = {Player.BLACK: Quantifier.EXISTS, Player.WHITE: Quantifier.FORALL}
"""How the variables of a player's moves are quantified."""

_WORD: Final = re.compile(r"\[[^\]]*\]|\S+")
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,8}")
_LITERAL: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,8})")
_SIGNED: Final = r"(0|-?[1-9][0-9]{0,8})"
_RANGE: Final = re.compile(rf"{_SIGNED}\.\.{_SIGNED}(?:/([1-9][0-9]{{0,8}}))?")
_TIMES: Final = re.compile(rf"{_SIGNED}\*([1-9][0-9]{{0,8}})")
_QUANTIFIED: Final = {Quantifier.EXISTS: "existential", Quantifier.FORALL: "universal"}


def words_of(text: str) -> list[str]:
    """The words of a line; a bit list is one."""
    return _WORD.findall(text)


class LineReader:
    """Reads the words of layout lines; ``line`` is the number of the one at hand.

    ``known`` are the variables and gates that the file has numbers for, ``by_name`` those that it
    has names for.  ``placed`` maps the variables that have a meaning already to its line.
    """

    def __init__(self, qbf: Qbf) -> None:
        self.qbf = qbf
        self.line = 0
        self.quantifiers = qbf.quantifiers()
        self.known = (self.quantifiers.keys() | qbf.gates.keys()) - qbf.without_text
        self.by_name = {name: number for number, name in qbf.names.items()}
        self.placed: dict[int, int] = {}

    # -- errors -----------------------------------------------------------------------------

    def fail(self, found: str, expected: str, line: int | None = None) -> InputError:
        """The error of a line, the one at hand unless said."""
        return InputError(self.qbf.path, self.line if line is None else line, 1, found, expected)

    def once(self, seen: dict[str, int], what: str) -> None:
        """Note the line of ``what``; raise the error for a second one."""
        if what in seen:
            raise self.fail(f"a second line {quoted(what)}", f"one (it is in line {seen[what]})")
        seen[what] = self.line

    # -- words ------------------------------------------------------------------------------

    def number(self, word: str) -> int:
        if not _NUMBER.fullmatch(word):
            raise self.fail(quoted(word), "a number")
        return int(word)

    def literal(self, word: str) -> int:
        """A word that is a literal of the file: a number or a name of it, perhaps negated."""
        named = self.named_literal(word)
        if named is not None:
            return named
        if not _LITERAL.fullmatch(word):
            raise self.fail(quoted(word), "a literal")
        return self.known_literal(int(word))

    def named_literal(self, word: str) -> int | None:
        number = self.by_name.get(word.removeprefix("-"))
        return number if number is None or not word.startswith("-") else -number

    def known_literal(self, literal: int) -> int:
        """A literal, if the file has a variable or gate of this number."""
        if abs(literal) not in self.known:
            raise self.fail(f"literal {literal}", "a variable or gate of the file")
        return literal

    def player(self, word: str) -> Player:
        if word not in ("black", "white"):
            raise self.fail(quoted(word), "'black' or 'white'")
        return Player(word)

    def vector(self, word: str, most: int, *, zeros: bool = False) -> Bits:
        """A bit list of at most so many literals; ``zeros`` may stand for missing ones."""
        if not (word.startswith("[") and word.endswith("]")):
            raise self.fail(quoted(word), "a bit list such as [3 4]")
        found: list[int] = []
        for part in word[1:-1].split():
            named = self.named_literal(part)
            for literal in self._run(part) if named is None else (named,):
                if len(found) == most:
                    raise self.fail(f"more than {most} literals", f"at most {most}")
                given = named is not None or (zeros and not literal)
                found.append(literal if given else self.known_literal(literal))
        return tuple(found)

    def _run(self, part: str) -> Iterable[int]:
        if match := _RANGE.fullmatch(part):
            first, last, step = int(match[1]), int(match[2]), int(match[3] or 1)
            if (last - first) % step:
                raise self.fail(quoted(part), f"a run that its steps of {step} end at {last}")
            return range(first, last + 1, step) if first <= last else range(first, last - 1, -step)
        if match := _TIMES.fullmatch(part):
            return repeat(int(match[1]), int(match[2]))
        if not re.fullmatch(_SIGNED, part):
            raise self.fail(quoted(part), "a literal, or a run such as 3..9")
        return [int(part)]

    def count(self, words: Sequence[str], count: int, expected: str) -> Sequence[str]:
        if len(words) != count:
            raise self.fail(counted(len(words), "value"), expected)
        return words

    def pairs(
        self, words: Sequence[str], required: Sequence[str], optional: Sequence[str] = ()
    ) -> dict[str, str]:
        """``key value`` pairs; all of ``required`` must be there, once, and nothing unknown."""
        if len(words) % 2:
            raise self.fail(quoted(" ".join(words)), "pairs of a key and a value")
        keys = words[::2]
        found = dict(zip(keys, words[1::2], strict=True))
        missing = [key for key in required if key not in found]
        unknown = [key for key in found if key not in (*required, *optional)]
        if missing or unknown or len(found) < len(keys):
            expected = f"keys {', '.join((*required, *optional))}"
            raise self.fail(f"keys {', '.join(keys) or 'none'}", expected)
        return found

    # -- places -----------------------------------------------------------------------------

    def place(self, literal: int, chooser: Quantifier) -> None:
        """Give a literal's variable its one meaning, which ``chooser`` decides about.

        Raises the error for a gate, for a variable of the other player and for one that has a
        meaning already.
        """
        variable = abs(literal)
        shown = self.qbf.name(variable)
        found = self.quantifiers.get(variable)
        if variable in self.placed:
            place = f"it is in line {self.placed[variable]}"
            raise self.fail(f"variable {shown} once more", f"each variable in one place ({place})")
        if found is not chooser:
            kind = "gate" if found is None else f"{_QUANTIFIED[found]} variable"
            raise self.fail(f"the {kind} {shown}", f"{_QUANTIFIED[chooser]} variables")
        self.placed[variable] = self.line

    def chosen(self, bits: Bits, chooser: Quantifier) -> Bits:
        """Literals of a move, a goal or the symbolic position, which ``chooser`` decides."""
        for literal in bits:
            self.place(literal, chooser)
        return bits


# Reads the lines of a layout, each by the method that is called like its keyword


KEYWORDS: Final = (
    *("encoding", "game", "board", "actions", "list", "move", "indicators", "goal", "atoms"),
    *("symbolic", "state", "verdict", "conclusive", "illegal", "gate", "model"),
)
"""The keywords of all lines but the first."""

_GAMES: Final = ("bddl", "positional", "gdl", "python")
_KEYED: Final = frozenset(("actions", "goal", "list", "move", "indicators", "state"))
_ONE_LINE: Final = frozenset(("name", "rounds", "win", "role"))
_MOST_BITS: Final = 64
_TEXT: Final = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[^\s"]+)')


class LayoutReader(LineReader):
    """Reads the lines of one layout; errors as in ``layout_from_comments``."""

    def __init__(self, qbf: Qbf) -> None:
        super().__init__(qbf)
        self.at: dict[str, int] = {}
        self.encoding = UNKNOWN
        self.game: str | None = None
        self.size: tuple[int, int] | None = None
        self.actions: dict[Player, tuple[str, ...]] = {}
        self.lists: dict[int, tuple[str, ...]] = {}
        self.moves: list[Ply] = []
        self.goals = GoalVariables()
        self.view = StateView()
        self.states: list[Bits] = []
        self.verdict: int | None = None
        self.conclusive: tuple[bool, ...] = (True, False)
        self.illegal = IllegalMoves.LOSES
        self.black_passes = False
        self.gates: dict[str, int] = {}
        self.model: dict[str, list[PartLine]] = {}
        self._comments = dict(qbf.comments)
        top = qbf.gates.get(qbf.output)
        conjuncts = top.inputs if top is not None and top.connective is Connective.AND else ()
        self.asserted = {x for x in conjuncts if x in self.quantifiers}
        self.shared: set[int] = set()

    def read(self, lines: Sequence[tuple[int, str]]) -> Layout:
        for self.line, text in lines:
            self._read_line(text)
        self._check_states()
        self._check_stops()
        self._check_indicators()
        game = self._kind()
        return Layout(
            moves=tuple(self.moves),
            state=replace(self.view, states=tuple(self.states)),
            actions=self.actions,
            goals=self.goals,
            verdict=self.verdict,
            gates=self.gates,
            encoding=self.encoding,
            game=game,
            model=self._model_parts(game),
            conclusive=self.conclusive,
            illegal=self.illegal,
            black_passes=self.black_passes,
            silence=UnspecifiedLegality.FREE if self.view.is_board else UnspecifiedLegality.UNSAID,
        )

    def _read_line(self, text: str) -> None:
        keyword, _, rest = text.partition(" ")
        if keyword not in (FIRST, *KEYWORDS):
            expected = f"one of {', '.join((FIRST, *KEYWORDS))}"
            raise self.fail(f"layout keyword {quoted(keyword)}", expected)
        name = "first" if keyword == FIRST else keyword
        reader: Callable[[list[str], str], None] = getattr(self, f"read_{name}")
        words = words_of(rest)
        if keyword == "gate":
            self.once(self.at, " ".join(["gate", *rest.split(maxsplit=1)[1:]]))
        elif keyword != "model":
            own = words[:1] if keyword in _KEYED else []
            self.once(self.at, " ".join([keyword, *own]))
        reader(words, rest)

    # -- what single lines cannot tell ------------------------------------------------------

    def _kind(self) -> str:
        """The kind of game; only games on grids have boards with coordinates."""
        if self.size is None:
            return self.game or ("positional" if self.model else ANY_GAME)
        if self.game not in (None, "bddl"):
            found = f"a board in a game of the kind {self.game}"
            raise self.fail(found, "a line 'game bddl'", self.at["board"])
        return "bddl"

    def _check_states(self) -> None:
        """A board is told before every ply; other states may be missing."""
        most = len(self.moves) + 1
        least = len(self.moves) if self.view.is_board else 0
        if not least <= len(self.states) <= most:
            expected = "a state before every move and perhaps one after the last"
            last = self.at[f"state {len(self.states) - 1}"] if self.states else None
            found = f"{counted(len(self.states), 'state')} for {counted(len(self.moves), 'move')}"
            raise self.fail(found, expected, last)

    def _check_stops(self) -> None:
        """A play that ends with a ply is cut short where another ply follows."""
        if self.moves and self.moves[-1].stop is not None and not self.moves[-1].stop_instead:
            line = self.at[f"move {len(self.moves)}"]
            raise self.fail("'stop' in the last ply", "it where another ply follows", line)

    def _check_indicators(self) -> None:
        """All of White's plies have them, or none."""
        white = [ply for ply in self.moves if ply.player is Player.WHITE]
        without = [ply.ply for ply in white if ply.indicators is None]
        if 0 < len(without) < len(white):
            found = f"a White ply {without[0]} without a line 'indicators'"
            expected = "indicators of all White plies, or of none"
            raise self.fail(found, expected, self.at[f"move {without[0]}"])

    # -- words ------------------------------------------------------------------------------

    def _one_each(self, literals: Bits, chooser: Quantifier) -> Bits:
        """One literal for each move.

        Moves that cannot be made may share a constant that is false: a gate without inputs, or a
        negated variable that the matrix asserts.
        """
        for literal in literals:
            gate = self.qbf.gates.get(abs(literal))
            if gate is not None and not gate.inputs:
                if (gate.connective is Connective.AND) is (literal > 0):
                    raise self.fail(f"the constant {literal}, which is true", "a false one")
                continue
            if -literal in self.asserted and abs(literal) in self.shared:
                continue
            if -literal in self.asserted:
                self.shared.add(abs(literal))
            self.place(literal, chooser)
        return literals

    def _numbered(self, word: str, count: int, what: str, chooser: Quantifier) -> Number:
        """Bits, just as many as the numbers of so many things need."""
        bits = self.chosen(self.vector(word, _MOST_BITS), chooser)
        self._check_width(bits, count, what)
        return Number(bits, count)

    def _check_width(self, bits: Bits, count: int, what: str) -> None:
        needed = (count - 1).bit_length()
        if len(bits) != needed:
            raise self.fail(f"{counted(len(bits), 'bit')} for {count} {what}", str(needed))

    def _square(self, x: str, y: str, chooser: Quantifier) -> tuple[Number, Number]:
        """Column and row of a square of the board."""
        width, height = self._board("coordinates")
        return (
            self._numbered(x, width, "columns", chooser),
            self._numbered(y, height, "rows", chooser),
        )

    def _board(self, what: str) -> tuple[int, int]:
        if self.size is None:
            raise self.fail(what, "a line 'board' above them")
        return self.size

    def _texts(self, word: str) -> tuple[str, ...]:
        number = self.number(word)
        if number not in self.lists:
            raise self.fail(f"list {number}", "a list from a line above")
        return self.lists[number]

    # -- lines ------------------------------------------------------------------------------

    def read_first(self, words: list[str], rest: str) -> None:
        """``qsage-layout``."""
        # There were two versions, which had numbers.
        if words not in ([], ["1"], ["2"]):
            raise self.fail(quoted(f"{FIRST} {rest}"), f"the line '@ {FIRST}'")

    def read_encoding(self, words: list[str], _: str) -> None:
        """``encoding NAME``."""
        (self.encoding,) = self.count(words, 1, "the name of the encoding")

    def read_game(self, words: list[str], _: str) -> None:
        """``game KIND``."""
        if len(words) != 1 or words[0] not in _GAMES:
            found = quoted(" ".join(words))
            raise self.fail(f"the kind of game {found}", " or ".join(map(repr, _GAMES)))
        self.game = words[0]

    def read_board(self, words: list[str], _: str) -> None:
        """``board WIDTH HEIGHT``."""
        width, height = map(self.number, self.count(words, 2, "width and height"))
        if not width or not height:
            raise self.fail(f"a board of {width}x{height}", "width and height from 1")
        self.size = width, height

    def read_actions(self, words: list[str], _: str) -> None:
        """``actions PLAYER NAME...``."""
        player = self.player(words[0] if words else "")
        names = tuple(words[1:])
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise self.fail(f"the action {quoted(twice)} twice", "each action once")
        self.actions[player] = names

    def read_list(self, _words: list[str], rest: str) -> None:
        """``list NUMBER TEXT...``."""
        word, _, texts = rest.rstrip().partition(" ")
        number = self.number(word)
        found: list[str] = []
        at = 0
        while at < len(texts):
            match = _TEXT.match(texts, at)
            if match is None or (match.end() < len(texts) and not texts[match.end()].isspace()):
                raise self.fail(quoted(texts[at:].strip()), "texts, with a blank between them")
            found.append(self._unquoted(match[1]))
            at = match.end()
        if len(set(found)) != len(found):
            twice = next(text for text in found if found.count(text) > 1)
            raise self.fail(f"{quoted(twice)} twice in a list", "each text once")
        self.lists[number] = tuple(found)

    def _unquoted(self, word: str) -> str:
        if not word.startswith('"'):
            return word
        try:
            text = json.loads(word)
        except ValueError:
            raise self.fail(quoted(word), "a text in quotation marks, as in JSON") from None
        assert isinstance(text, str)
        return text

    def read_move(self, words: list[str], rest: str) -> None:
        """``move PLY PLAYER`` and pairs: of a list of moves, or of an action and coordinates."""
        if len(words) < 4 or words[2] not in ("list", "action"):
            raise self.fail(
                quoted(rest), "PLY, PLAYER, then 'list NUMBER ...' or 'action BITS ...'"
            )
        ply = len(self.moves) + 1
        if self.number(words[0]) != ply:
            raise self.fail(f"ply {words[0]}", f"ply {ply}")
        player = self.player(words[1])
        chooser = CHOOSERS[player]
        if words[2] == "action":
            pairs = self.pairs(words[2:], ("action", "x", "y"), ("legal", "stop"))
            coding = self._on_grid(pairs, player)
        else:
            pairs = self.pairs(words[2:], ("list",), ("code", "literals", "legal", "stop"))
            coding = self._listed(pairs, chooser)
        legal = self.vector(pairs.get("legal", "[]"), len(coding.moves), zeros=True)
        self._one_for_each(legal, "legal", coding.moves)
        stop = self.literal(pairs["stop"]) if "stop" in pairs else None
        if stop is not None:
            self.place(stop, chooser)
        # A claim goes with a move on a grid, and stands in the place of one in a list.
        self.moves.append(Ply(ply, player, coding, stop, words[2] == "list", legal))

    def _on_grid(self, pairs: dict[str, str], player: Player) -> MoveCoding:
        names = self.actions.get(player, ())
        if not names:
            found = f"a {player.value} ply"
            raise self.fail(found, f"a line 'actions {player.value}' with names above it")
        chooser = CHOOSERS[player]
        action = self._numbered(pairs["action"], len(names), "actions", chooser)
        return GridCoding(names, action.bits, *self._square(pairs["x"], pairs["y"], chooser))

    def _listed(self, pairs: dict[str, str], chooser: Quantifier) -> MoveCoding:
        moves = self._texts(pairs["list"])
        code = self.vector(pairs.get("code", "[]"), _MOST_BITS)
        literals = self.vector(pairs.get("literals", "[]"), len(moves))
        self._one_for_each(literals, "literals", moves)
        if code and literals:
            raise self.fail("code and literals", "one of them")
        if not literals and len(moves) > 1 << len(code):
            found = f"{counted(len(code), 'bit')} for {counted(len(moves), 'move')}"
            raise self.fail(found, "enough bits for each move")
        code, literals = self.chosen(code, chooser), self._one_each(literals, chooser)
        from qsage_validate.encodings.list_codings import NumberedCoding, OneHotCoding

        return OneHotCoding(moves, literals) if literals else NumberedCoding(moves, code)

    def _one_for_each(self, bits: Bits, what: str, moves: Sequence[str]) -> None:
        if bits and len(bits) != len(moves):
            raise self.fail(f"{len(bits)} {what} for {len(moves)} moves", "one for each move")

    def read_indicators(self, words: list[str], _: str) -> None:
        """``indicators PLY [bounds LITERAL] preconditions BITS``."""
        if not words:
            raise self.fail("0 values", "ply and literals")
        ply = self.number(words[0])
        if not 1 <= ply <= len(self.moves) or self.moves[ply - 1].player is not Player.WHITE:
            raise self.fail(f"indicators of ply {ply}", "a White ply from a line above")
        pairs = self.pairs(words[1:], ("preconditions",), ("bounds",))
        bounds = self.literal(pairs["bounds"]) if "bounds" in pairs else None
        preconditions = self.vector(pairs["preconditions"], _MOST_BITS)
        found = Indicators(bounds, preconditions)
        for literal in found.literals:
            # A gate may say the same; a variable that White chooses, or of a move, may not.
            if abs(literal) in self.quantifiers:
                self.place(literal, Quantifier.EXISTS)
        self.moves[ply - 1] = replace(self.moves[ply - 1], indicators=found)

    def read_goal(self, words: list[str], _: str) -> None:
        """``goal NAME BITS``."""
        name, bits = self.count(words, 2, "the name of the goal variables and their bits")
        names = {field.name.replace("_", "-"): field.name for field in fields(GoalVariables)}
        if name not in names:
            raise self.fail(quoted(name), f"one of {', '.join(names)}")
        # Black chooses the goal that Black has reached, and the part that White's goal lacks;
        # White chooses the goal that White has reached.
        chooser = Quantifier.FORALL if name.startswith("white") else Quantifier.EXISTS
        chosen = self.chosen(self.vector(bits, _MOST_BITS), chooser)
        axis = {"x": 0, "y": 1}.get(name.rpartition("-")[2])
        if axis is not None and chosen:
            count = self._board("the coordinates of a goal")[axis]
            self._check_width(chosen, count, ("columns", "rows")[axis])
        self.goals = replace(self.goals, **{names[name]: chosen})

    def read_atoms(self, words: list[str], rest: str) -> None:
        """``atoms list NUMBER [one-sided]``."""
        one_sided = rest.endswith(" one-sided")
        word, number = self.count(words[: len(words) - one_sided], 2, "'list' and its number")
        if word != "list":
            raise self.fail(quoted(word), "'list'")
        if self.view.is_board:
            raise self.fail("atoms of a board", "them without 'code'")
        self.view = replace(self.view, kinds=self._texts(number), one_sided=one_sided)

    def read_symbolic(self, words: list[str], _: str) -> None:
        """``symbolic BITS list NUMBER``, or ``symbolic x BITS y BITS code CODE`` of a board."""
        if words[:1] == ["x"]:
            self._symbolic_square(words)
            return
        bits, word, number = self.count(words, 3, "bits, 'list' and its number")
        if word != "list":
            raise self.fail(quoted(word), "'list'")
        places = self._texts(number)
        position = self.chosen(self.vector(bits, _MOST_BITS), Quantifier.FORALL)
        if len(places) > 1 << len(position):
            found = f"{counted(len(position), 'bit')} for {counted(len(places), 'place')}"
            raise self.fail(found, "enough bits for each place")
        self.view = replace(self.view, axes=(Number(position, len(places)),), names=places)

    def _symbolic_square(self, words: list[str]) -> None:
        pairs = self.pairs(words, ("x", "y", "code"))
        codes = {code.value.replace(" ", "-"): code for code in StateCode}
        if pairs["code"] not in codes:
            raise self.fail(quoted(pairs["code"]), f"one of {', '.join(codes)}")
        if self.view.kinds:
            raise self.fail("atoms of a board", "them without 'code'", self.at["atoms"])
        square = self._square(pairs["x"], pairs["y"], Quantifier.FORALL)
        self.view = board_view(*square, (), codes[pairs["code"]])

    def read_state(self, words: list[str], _: str) -> None:
        """``state TIME BITS``, or ``state TIME LITERAL LITERAL`` of a board."""
        kinds, board = self.view.kinds, self.view.is_board
        if not kinds and "atoms" not in self.at:
            raise self.fail("a state", "a line 'atoms', or 'symbolic' with a code, above it")
        expected = "the time and two literals" if board else "the time and a bit list"
        time, *rest = self.count(words, 3 if board else 2, expected)
        if self.number(time) != len(self.states):
            raise self.fail(f"state {time}", f"state {len(self.states)}")
        if not board:
            self.states.append(self._atoms(rest[0], len(kinds)))
            return
        literals = tuple(map(self.literal, rest))
        for literal in literals:
            # A gate may say the same, and of a board that never changes a bit of the square.
            if self.quantifiers.get(abs(literal)) is Quantifier.EXISTS:
                self.place(literal, Quantifier.EXISTS)
        self.states.append(literals)

    def _atoms(self, word: str, count: int) -> Bits:
        literals = self.vector(word, count, zeros=True)
        if literals and len(literals) != count:
            found = f"{counted(len(literals), 'literal')}"
            raise self.fail(found, f"one for each of {count} atoms")
        return literals

    def read_verdict(self, words: list[str], _: str) -> None:
        """``verdict LITERAL`` or ``verdict output``."""
        (word,) = self.count(words, 1, f"one literal, or '{OUTPUT}'")
        self.verdict = self.qbf.output if word == OUTPUT else self.literal(word)

    def read_conclusive(self, words: list[str], _: str) -> None:
        """``conclusive VALUE``."""
        (word,) = self.count(words, 1, "'true' or 'false'")
        if word not in ("true", "false"):
            raise self.fail(quoted(word), "'true' or 'false'")
        self.conclusive = (word == "true",)

    def read_illegal(self, words: list[str], rest: str) -> None:
        """``illegal VALUE [black-passes]``."""
        self.black_passes = rest.endswith(" black-passes")
        known = "'loses', 'ignored' or 'replaced'"
        (word,) = self.count(words[: len(words) - self.black_passes], 1, known)
        if word not in (one.value for one in IllegalMoves):
            raise self.fail(quoted(word), known)
        self.illegal = IllegalMoves(word)

    def read_gate(self, words: list[str], rest: str) -> None:
        """``gate LITERAL NAME``."""
        if len(words) < 2:
            raise self.fail(quoted(rest), "a literal and a name")
        self.gates[rest.split(maxsplit=1)[1]] = self.literal(words[0])

    # -- models -----------------------------------------------------------------------------

    def read_model(self, _: list[str], rest: str) -> None:
        """``model PART | TEXT``."""
        part, bar, line = rest.partition("|")
        part = part.strip()
        if not bar or len(part.split()) != 1:
            raise self.fail(quoted(rest), "'model PART | TEXT'")
        if part in _ONE_LINE and part in self.model:
            first = self.model[part][0].line
            raise self.fail(f"a second line of {quoted(part)}", f"one (it is in line {first})")
        text = line.removeprefix(" ")
        if not text.isprintable() and part in _ONE_LINE:
            raise self.fail(f"a control character in {quoted(part)}", "printable text")
        self.model.setdefault(part, []).append(PartLine(text, self.line, self._indent(text)))

    def _indent(self, text: str) -> int:
        """The number of characters before a model's line, in a comment that fills its line."""
        comment = self._comments[self.line]
        clausal = bool(self.qbf.unwritten)
        sign = len("c #") if clausal and not comment.startswith(" ") else 1
        return sign + len(comment.rstrip()) - len(text.rstrip())

    def _model_parts(self, game: str) -> ModelParts:
        """The model by part; raises the error for a part that such games do not have."""
        known = parts_of(game)
        for part, lines in self.model.items():
            if part not in known:
                expected = f"one of {', '.join(known)}"
                raise self.fail(f"the part {quoted(part)} of a model", expected, lines[0].line)
        return ModelParts.at_lines(self.model, self.qbf.path)


# The layout inside a formula's file, as comments that other tools skip


def layout_from_comments(qbf: Qbf) -> Layout | None:
    """The layout that the comments of ``qbf`` carry; ``None`` without one.

    Raises ``InputError`` with the line of the first comment that is not as described, or that
    names a variable or gate which the formula does not have.
    """
    lines = layout_lines(qbf)
    return LayoutReader(qbf).read(lines) if lines else None


def layout_lines(qbf: Qbf) -> list[tuple[int, str]]:
    """The comments of ``qbf`` that begin with ``@``, without that: (line, text).

    There are none in a file of another tool.
    Raises ``InputError`` for a layout that begins with another line: it would count for nothing.
    """
    lines = [(number, content[1:].strip()) for number, content in _contents(qbf)]
    keywords = [(text.split(maxsplit=1) or [""])[0] for _, text in lines]
    if any(k in KEYWORDS or k.startswith(FIRST) for k in keywords):
        if not keywords[0].startswith(FIRST):
            number, text = lines[0]
            raise InputError(qbf.path, number, 1, f"'@ {text}'", f"the line '@ {FIRST}'")
        return lines
    return []


def _contents(qbf: Qbf) -> Iterable[tuple[int, str]]:
    for number, text in qbf.comments:
        content = text.strip().removeprefix("#").strip()
        if content.startswith("@"):
            yield number, content
