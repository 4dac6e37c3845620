"""The language of predicates: the questions of explanations, and those that users give.

A file has one predicate a line, ``CONDITION`` or ``NAME: CONDITION``; ``#`` begins a comment.  A
condition joins the formal names of questions (``qsage explain --json`` shows them) by ``and``,
``or``, ``not`` and parentheses::

    near the corner: theirs at (1,1) or theirs at (1,2)
    threatened and not theirs in row(2)
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from qsage_validate.extensions.explain.answers import (
    QUALITIES,
    Answer,
    Exactly,
    From,
    Pick,
    Possible,
    bridged,
    mirrored,
)
from qsage_validate.extensions.explain.situation import (
    REGIONS,
    RELATIONS,
    WORDS,
    Ahead,
    Apart,
    Beside,
    Last,
    MovedByKind,
    MovedTo,
    Odd,
    Place,
    PlyAtMost,
    Q,
    Question,
    Related,
    Situation,
    Stands,
    Threatened,
    WentIn,
    WentLike,
    Words,
    classes_of,
)
from qsage_validate.formats.source import Path, Source, quoted
from qsage_validate.games.protocol import Player, TwoPlayerGame, board_maps

EXPECTED: Final = (
    "a question such as 'open(1,2)', 'theirs at (1,2)', 'theirs in row(2)', 'ply <= 3' or "
    "'threatened'"
)
_MOST_LINES: Final = 1_000
_DEEPEST: Final = 50
_TOKEN: Final = re.compile(
    r"\s*(?:(?P<shift>\([+-]\d{1,4},[+-]\d{1,4}\))|(?P<place>\(\d{1,4},\d{1,4}\))"
    r"|(?P<quoted>'[^']*')|(?P<word>[^\W\d][\w-]*)|(?P<number>\d{1,6})|(?P<sign><=|[(),]))"
)
_WHAT: Final = {word: square for square, word in WORDS.items()}
_NUMBERED: Final = ("row", "column")


@dataclass(frozen=True, slots=True)
class Joined(Question):
    """Questions joined by ``and`` or ``or``, or one question denied; ``name`` is the user's."""

    word: str
    parts: tuple[Question, ...]
    name: str = ""

    def holds(self, at: Situation) -> bool:
        if self.word == "not":
            return not self.parts[0].holds(at)
        return (all if self.word == "and" else any)(part.holds(at) for part in self.parts)

    def said(self, words: Words[Q, Any]) -> Q:
        return words.joined(self.word, [part.said(words) for part in self.parts])

    @property
    def formal(self) -> str:
        if self.word == "not":
            return f"not {self._inner(self.parts[0].formal, self.parts[0])}"
        inner = (self._inner(part.formal, part) for part in self.parts)
        return f" {self.word} ".join(inner)

    def __str__(self) -> str:
        if self.name:
            return self.name
        if self.word == "not":
            return f"it is not so that {self.parts[0]}"
        return f" {self.word} ".join(self._inner(str(part), part) for part in self.parts)

    @staticmethod
    def _inner(text: str, part: Question) -> str:
        return f"({text})" if isinstance(part, Joined) else text


def read_predicates(path: Path, game: TwoPlayerGame, hero: Player) -> tuple[Question, ...]:
    """The predicates of a file; raises ``InputError`` with the place of the first mistake."""
    return parse_predicates(Source.open(path), game, hero)


def parse_predicates(source: Source, game: TwoPlayerGame, hero: Player) -> tuple[Question, ...]:
    """The predicates of a text, each once, in its order; errors as :func:`read_predicates`."""
    found: list[Question] = []
    for number, _, line in source.lines():
        text = line.partition("#")[0]
        if not text.strip():
            continue
        if len(found) == _MOST_LINES:
            raise source.line_error(number, "one predicate more", f"at most {_MOST_LINES:,}")
        name, colon, condition = text.rpartition(":")
        start = len(name) + len(colon)
        parser = _Parser(source, number, start, condition, game, hero)
        question = parser.whole()
        if colon:
            if not name.strip():
                raise source.line_error(number, "no name before ':'", "NAME: CONDITION")
            question = Joined("and", (question,), " ".join(name.split()))
        found.append(question)
    if not found:
        raise source.end_error(EXPECTED)
    return tuple(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    at: int


class _Parser:
    """Parses one condition: ``or`` of ``and`` of denials of questions."""

    def __init__(
        self, source: Source, line: int, start: int, text: str, game: TwoPlayerGame, hero: Player
    ) -> None:
        self.source, self.line, self.start, self.text = source, line, start, text
        self.game, self.hero = game, hero
        self.board = game.initial.board
        self.tokens = self._tokens()
        self.place = 0
        self.depth = 0

    def _tokens(self) -> list[_Token]:
        found, at = list[_Token](), 0
        end = len(self.text.rstrip())
        while at < end:
            match = _TOKEN.match(self.text, at)
            if match is None:
                at += len(self.text[at:]) - len(self.text[at:].lstrip())
                raise self._error(at, quoted(self.text[at : at + 1]), EXPECTED)
            kind = match.lastgroup or ""
            found.append(_Token(kind, match[kind], match.start(kind)))
            at = match.end()
        return found

    def _error(self, at: int, found: str, expected: str) -> Exception:
        return self.source.line_error(self.line, found, expected, self.start + at + 1)

    def fail(self, expected: str) -> Exception:
        """The error at the next token."""
        token = self.peek
        if token is None:
            return self._error(len(self.text.rstrip()), "the end of the line", expected)
        return self._error(token.at, quoted(token.text), expected)

    @property
    def peek(self) -> _Token | None:
        return self.tokens[self.place] if self.place < len(self.tokens) else None

    def take(self, *texts: str) -> str | None:
        """The next token's text, if it is one of ``texts``."""
        token = self.peek
        if token is None or token.text not in texts:
            return None
        self.place += 1
        return token.text

    def need(self, expected: str, *texts: str) -> str:
        """The next token's text, which must be one of ``texts``."""
        found = self.take(*texts)
        if found is None:
            raise self.fail(expected)
        return found

    def of_kind(self, kind: str, expected: str) -> str:
        """The next token's text, which must be of a kind."""
        return self.token(kind, expected).text

    def token(self, kind: str, expected: str) -> _Token:
        """The next token, which must be of a kind."""
        token = self.peek
        if token is None or token.kind != kind:
            raise self.fail(expected)
        self.place += 1
        return token

    def whole(self) -> Question:
        question = self.condition()
        if self.peek is not None:
            raise self.fail("'and', 'or' or the end of the line")
        return question

    def condition(self) -> Question:
        return self._joined("or", lambda: self._joined("and", self.denial))

    def _joined(self, word: str, part: Callable[[], Question]) -> Question:
        parts = [part()]
        while self.take(word):
            parts.append(part())
        return parts[0] if len(parts) == 1 else Joined(word, tuple(parts))

    def denial(self) -> Question:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self.fail(f"at most {_DEEPEST} levels")
        try:
            if self.take("not"):
                return Joined("not", (self.denial(),))
            if self.take("("):
                question = self.condition()
                self.need("')'", ")")
                return question
            return self.question()
        finally:
            self.depth -= 1

    # -- questions ---------------------------------------------------------------------------------

    def question(self) -> Question:
        if self.take("threatened"):
            return Threatened(self.hero)
        if self.take("odd"):
            self.need("'open' behind 'odd'", "open")
            return Odd()
        if self.take("ply"):
            self.need("'<=' behind 'ply'", "<=")
            return self.turn()
        if self.take("ahead"):
            return self.ahead()
        if self.take("can"):
            answer = self.answer()
            return Possible(answer, f"Black can {answer}".replace("Black", str(self.hero)))
        what = self.take(*_WHAT, "off")
        if what is not None:
            return self.square(what)
        last = self.last()
        return self.of_last(last)

    def turn(self) -> Question:
        ply = int(self.of_kind("number", "the number of a ply"))
        own = [p for p in range(1, self.game.plies + 1) if self.game.player_at(p) is self.hero]
        return PlyAtMost(ply, sum(p <= ply for p in own), self.hero)

    def ahead(self) -> Question:
        self.need("'(' behind 'ahead'", "(")
        player = self.need("'black' or 'white'", "black", "white")
        self.need("','", ",")
        by = int(self.of_kind("number", "a number of stones"))
        self.need("')'", ")")
        return Ahead(Player(player), by)

    def square(self, what: str) -> Question:
        token = self.peek
        if token is not None and token.kind == "place" and what != "off":
            place = self.on_board()
            return Stands(place, _WHAT[what], self.board.square_name(place))
        shift = self.shift("a square such as (1,2), or a shift such as (+1,-2)")
        self.need("'of' behind the shift", "of")
        return Beside(self.last(), shift, _WHAT.get(what))

    def last(self) -> Last:
        word = self.need(EXPECTED, "theirs", "ours")
        return Last(word == "theirs", self.hero)

    def of_last(self, last: Last) -> Question:
        token = self.peek
        if self.take("at"):
            place = self.on_board()
            return MovedTo(last, place, self.board.square_name(place))
        if self.take("like"):
            place = self.on_board()
            alike = next(alike for alike in classes_of(self.game) if place in alike)
            return WentLike(last, alike, tuple(map(self.board.square_name, alike)))
        if self.take("in"):
            return self.region(last)
        if self.take("is"):
            return MovedByKind(last, self.of_kind("word", "the name of an action"))
        if token is not None and token.kind == "shift" and last.theirs:
            shift = self.shift("")
            self.need("'of'", "of")
            self.need("'ours'", "ours")
            return Apart(shift, self.hero)
        relation = self.take(*RELATIONS) if last.theirs else None
        if relation is None:
            raise self.fail(
                "'at', 'like', 'in', 'is'" + (", a shift or a relation" if last.theirs else "")
            )
        self.need("'ours'", "ours")
        return Related(relation, self.hero)

    def region(self, last: Last) -> Question:
        region = self.need(f"one of {', '.join((*_NUMBERED, *REGIONS))}", *_NUMBERED, *REGIONS)
        if region not in _NUMBERED:
            return WentIn(last, region)
        self.need(f"'(' behind {quoted(region)}", "(")
        most = self.board.height if region == "row" else self.board.width
        token = self.peek
        number = int(self.of_kind("number", f"a number from 1 to {most}"))
        if token is not None and not 1 <= number <= most:
            self.place -= 1
            raise self.fail(f"a number from 1 to {most}")
        self.need("')'", ")")
        return WentIn(last, region, number)

    def answer(self) -> Answer:
        self.need("'play' behind 'can'", "play")
        if self.take("mirror"):
            token = self.token("quoted", "a symmetry in quotes")
            name = token.text.strip("'")
            maps = board_maps(self.board.width, self.board.height)[1:]
            known = [symmetry for symmetry, _ in maps]
            if name not in known:
                raise self._error(token.at, quoted(name), f"one of {', '.join(known)}")
            return mirrored(name, self.hero, self.board)
        if self.take("bridge"):
            found = bridged(self.hero, self.board)
            if found is None:
                at = self.tokens[self.place - 1].at
                raise self._error(at, "'bridge'", "another answer, for the game is not Hex")
            return found
        order = self.take("first", "last")
        if order is not None:
            words = " ".join(iter(lambda: self.take("safe", "win", *QUALITIES) or "", ""))
            if words not in QUALITIES:
                raise self.fail(f"one of {', '.join(QUALITIES)}")
            kind = self.of_kind("word", "the name of an action") if self.take("of") else ""
            return Pick(words, kind, self.hero, last=order == "last")
        shifted = self.peek
        if shifted is not None and shifted.kind == "shift":
            shift = self.shift("")
            self.need("'of'", "of")
            return From(self.last(), shift)
        return Exactly(self.move())

    def move(self) -> str:
        """A move of the game: a word and its arguments."""
        token = self.token("word", "a move, 'first', 'last', 'mirror' or a shift")
        name = token.text
        arguments = self.peek
        text = name
        if arguments is not None and arguments.kind == "place":
            self.place += 1
            text += arguments.text
        if text not in {str(move) for move in self.game.moves(self.hero)}:
            raise self._error(token.at, quoted(text), f"a move of {self.hero}'s")
        return text

    def shift(self, expected: str) -> Place:
        x, y = self.of_kind("shift", expected).strip("()").split(",")
        return int(x), int(y)

    def on_board(self) -> Place:
        token = self.token("place", "a square such as (1,2)")
        x, y = map(int, token.text.strip("()").split(","))
        board = self.board
        if not (1 <= x <= board.width and 1 <= y <= board.height):
            raise self._error(
                token.at,
                quoted(token.text),
                f"a square from (1,1) to ({board.width},{board.height})",
            )
        return x, y
