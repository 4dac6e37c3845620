"""Models in BDDL: parsed, and checked for what cannot be meant.

Errors are models whose rules cannot be executed or encoded; ``read_model`` raises the first.
Warnings are sound: what is called impossible is impossible.  (What is possible may still be
impossible for deeper reasons.)

The common part of the two is read here as one language: ``%`` begins a comment; sections may be
called ``#blackgoal`` or ``#blackgoals``; a goal is what stands on one line, or in one pair of
parentheses over several lines, and further parentheses mean nothing; ``False`` is no goal at all;
``#blackturn second`` says that Black's first move is dropped.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from os import PathLike
from pathlib import Path
from typing import NoReturn

from qsage_validate.errors import InputError, UsageError, one_line, visible
from qsage_validate.formats.source import PERCENT, Place, Source, quoted, unpacked_name
from qsage_validate.games.bddl.ground import MAX_SQUARES, Grounding
from qsage_validate.games.bddl.model import (
    Action,
    Anchor,
    BddlProblem,
    Condition,
    Coordinate,
    Domain,
    Model,
    ProblemPlaces,
    SubCondition,
)
from qsage_validate.games.protocol import Player, Square

# Semantic checks of BDDL models: what parses but makes no sense, or less than was meant


_NAME = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_]|-(?=[A-Za-z0-9_]))*")


class Severity(Enum):
    """The severity of a diagnostic; a model with an error cannot be used."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """Something found in a model; ``place`` is ``None`` for models that come from no file."""

    severity: Severity
    found: str
    expected: str
    place: Place | None = None

    def __str__(self) -> str:
        """``file:line:column: warning: found X, expected Y``."""
        place = self.place
        before = "" if place is None else f"{place.file or '<input>'}:{place.line}:{place.column}: "
        return one_line(
            f"{before}{self.severity.value}: found {self.found}, expected {self.expected}"
        )

    def error(self) -> InputError:
        if self.place is None:
            return InputError(None, None, None, self.found, self.expected)
        return self.place.error(self.found, self.expected)


def require_valid(model: Model) -> None:
    """Raises the first error of a model as ``InputError``."""
    for diagnostic in local_checks(model)[0]:
        if diagnostic.severity is Severity.ERROR:
            raise diagnostic.error()


def local_checks(model: Model) -> tuple[list[Diagnostic], Grounding | None]:
    """All checks that can find errors, and the grounded model unless that is not possible."""
    found = [*_check_board(model), *_check_actions(model), *_check_coordinates(model)]
    broken = any(d.severity is Severity.ERROR for d in found)
    if broken or model.problem.width * model.problem.height > MAX_SQUARES:
        return found, None
    grounding = Grounding(model)
    return found + list(_check_conflicts(model, grounding)), grounding


def _error(found: str, expected: str, place: Place | None) -> Diagnostic:
    return Diagnostic(Severity.ERROR, found, expected, place)


def warning(found: str, expected: str, place: Place | None) -> Diagnostic:
    return Diagnostic(Severity.WARNING, found, expected, place)


# -- the board ------------------------------------------------------------------------------


def _check_board(model: Model) -> Iterator[Diagnostic]:
    problem = model.problem
    places = problem.places
    board = f"{problem.width}x{problem.height}"
    if problem.width < 1 or problem.height < 1:
        yield _error(f"a board of {board}", "sides from 1", places.size if places else None)
    if problem.plies < 1:
        yield _error(
            f"depth {problem.depth}"
            + (" without Black's first move" if problem.first_player is Player.WHITE else ""),
            "at least one ply to play",
            places.depth if places else None,
        )
    taken: dict[tuple[int, int], str] = {}
    for number, (content, x, y) in enumerate(problem.initial):
        piece = f"{content.name.lower()}({x},{y})"
        place = places.initial[number] if places else None
        if not (1 <= x <= problem.width and 1 <= y <= problem.height):
            yield _error(piece, f"a square of the {board} board", place)
        elif (x, y) in taken:
            yield _error(f"{piece} besides {taken[x, y]}", "one piece a square", place)
        else:
            taken[x, y] = piece


# -- actions by themselves ------------------------------------------------------------------


def _check_actions(model: Model) -> Iterator[Diagnostic]:
    for player in Player:
        actions = model.domain.actions(player)
        if not actions:
            yield warning(
                f"no actions of {player}", f"at least one: {player} loses by not moving", None
            )
        count = Counter[str]()
        for action in actions:
            count[action.name] += 1
            if count[action.name] == 2:
                yield _error(
                    f"a second action {action.name} of {player}",
                    "different names: moves are told apart by them",
                    action.place,
                )
            if not _NAME.fullmatch(action.name):
                yield _error(
                    f"an action called {action.name!r}",
                    "letters, digits, underscores and inner hyphens",
                    action.place,
                )
            for part in action.effect:
                if part.negated:
                    yield _error(
                        f"the effect {part} of {action.name}",
                        "what stands on the square afterwards",
                        part.place,
                    )


def _check_coordinates(model: Model) -> Iterator[Diagnostic]:
    for player in Player:
        for action in model.domain.actions(player):
            yield from _absolute(
                model, action.precondition + action.effect, f"of {action.name}", in_domain=True
            )
    for player in Player:
        for goal in model.problem.goals(player):
            yield from _absolute(model, goal, f"in a goal of {player}", in_domain=False)


def _absolute(
    model: Model, condition: Condition, where: str, *, in_domain: bool
) -> Iterator[Diagnostic]:
    problem = model.problem
    for part in condition:
        axes = ((part.x, problem.width), (part.y, problem.height))
        numbers = [(c.offset, size) for c, size in axes if c.anchor is Anchor.ABSOLUTE]
        if any(not 1 <= number <= size for number, size in numbers):
            yield _error(
                f"{part} {where}",
                f"squares of the {problem.width}x{problem.height} board",
                part.place,
            )
        elif numbers and in_domain:
            yield warning(
                f"the absolute position {part} {where}",
                "positions relative to (?x,?y) or to the edges, as a domain has no board size",
                part.place,
            )


def _check_conflicts(model: Model, grounding: Grounding) -> Iterator[Diagnostic]:
    for player in Player:
        for action in model.domain.actions(player):
            for x, y in grounding.positions(action.precondition, action.effect):
                if grounding.contents(action.precondition, x, y) is None:
                    continue
                if grounding.contents(action.effect, x, y) is None:
                    yield _error(
                        f"effects of {action.name} that put two contents on one square when it "
                        f"is played at ({x},{y})",
                        "one content a square",
                        action.effect[0].place or action.place,
                    )
                    break


# Reads BDDL: the paper's grammar (Listings 1 to 3) and the dialect of Q-sage's files


MAX_NUMBER = 999_999
"""The largest number in a file; larger ones are a mistake, and would be slow to compute with."""

_TOKEN = re.compile(
    r"(?P<blank>[ \t\r\f\v]+|%[^\n]*)"
    r"|(?P<newline>\n)"
    r"|(?P<word>[#:?]?[A-Za-z0-9_](?:[A-Za-z0-9_]|-(?=[A-Za-z0-9_]))*)"
    r"|(?P<sign>[(),+-])"
)
_SECTION = re.compile(r"^[^%\n]*?(#[A-Za-z]+)", re.MULTILINE)
_NUMBER = re.compile(r"[0-9]+")
_PREDICATES = {square.name.lower(): square for square in Square}
_PREDICATE_NAMES = "open, white or black"


@dataclass(frozen=True, slots=True)
class _BddlToken:
    text: str
    offset: int
    kind: str

    def __str__(self) -> str:
        match self.kind:
            case "newline":
                return "the end of the line"
            case "end":
                return "the end of the file"
        return quoted(self.text)


class _Tokens:
    """The tokens of a text, with a look-ahead of one."""

    def __init__(self, text: str, file: str | None) -> None:
        self.source = Source(text, file)
        self._stream = self._scan(text)
        self._line = 1
        self._counted = 0
        self.now = next(self._stream)

    def _scan(self, text: str) -> Iterator[_BddlToken]:
        offset = 0
        while offset < len(text):
            match = _TOKEN.match(text, offset)
            if match is None:
                raise self.source.error(
                    offset, f"the character {quoted(text[offset])}", "BDDL (letters, digits, (),+-)"
                )
            word = match.group()
            # "?x-1" is a parameter, a sign and a number; "left-diagonal" is one name.
            if word.startswith("?") and "-" in word:
                word = word[: word.index("-")]
            kind = str(match.lastgroup)
            if kind != "blank":
                yield _BddlToken(word, offset, kind)
            offset += len(word)
        yield _BddlToken("", len(text), "end")

    def take(self) -> _BddlToken:
        """The token at hand, which is passed over."""
        token = self.now
        if token.kind != "end":
            self.now = next(self._stream)
        return token

    def skip_newlines(self) -> None:
        while self.now.kind == "newline":
            self.take()

    def place(self, token: _BddlToken) -> Place:
        """The place of a token; cheap when asked for in the order of the text."""
        text = self.source.text
        if token.offset < self._counted:
            self._line, self._counted = 1, 0
        self._line += text.count("\n", self._counted, token.offset)
        self._counted = token.offset
        column = token.offset - text.rfind("\n", 0, token.offset)
        return Place(self.source.path, self._line, column)

    def fail(self, expected: str, token: _BddlToken | None = None) -> NoReturn:
        token = token or self.now
        if token.kind == "end":
            raise self.source.end_error(expected)
        raise self.source.error(token.offset, str(token), expected)

    def expect(self, text: str, expected: str | None = None) -> _BddlToken:
        self.skip_newlines()
        if self.now.text.lower() != text:
            self.fail(expected or f"'{text}'")
        return self.take()

    def number(self, expected: str) -> int:
        self.skip_newlines()
        token = self.now
        if not _NUMBER.fullmatch(token.text):
            self.fail(expected)
        if len(token.text.lstrip("0")) > len(str(MAX_NUMBER)):
            self.fail(f"a number of at most {MAX_NUMBER}")
        self.take()
        return int(token.text)

    # -- conditions, which both kinds of file have ------------------------------------------

    def coordinate(self, axis: str) -> Coordinate:
        expected = f"?{axis}, {axis}min, {axis}max or a number as {axis} coordinate"
        self.skip_newlines()
        word = self.now.text.lower()
        if word == f"?{axis}":
            self.take()
            self.skip_newlines()
            if self.now.text not in ("+", "-"):
                return Coordinate(Anchor.PARAMETER)
            sign = -1 if self.take().text == "-" else 1
            return Coordinate(Anchor.PARAMETER, sign * self.number("a number"))
        if word == f"{axis}min":
            self.take()
            return Coordinate(Anchor.MINIMUM)
        if word == f"{axis}max":
            self.take()
            return Coordinate(Anchor.MAXIMUM)
        return Coordinate(Anchor.ABSOLUTE, self.number(expected))

    def atom(self, expected: str) -> SubCondition:
        """A sub-condition, possibly negated and with needless parentheses."""
        first = self.now
        negated = first.text.upper() == "NOT"
        depth = 0
        if negated:
            self.take()
            self.skip_newlines()
            while self.now.text == "(":
                depth += 1
                self.take()
                self.skip_newlines()
            if not depth:
                self.fail("'(' after NOT")
        name = self.now
        predicate = _PREDICATES.get(name.text)
        if predicate is None:
            if name.kind == "word" and _starts_atom(name.text):
                raise self.source.error(
                    name.offset, f"the unknown predicate {name}", _PREDICATE_NAMES
                )
            self.fail(_PREDICATE_NAMES if negated else expected)
        self.take()
        self.expect("(")
        x = self.coordinate("x")
        self.expect(",")
        y = self.coordinate("y")
        self.expect(")")
        for _ in range(depth):
            self.expect(")", "')' that closes NOT")
        return SubCondition(predicate, x, y, negated, self.place(first))

    def condition(self, *, by_line: bool) -> Condition:
        """Sub-conditions up to the end: of the line, or of what the parentheses hold.

        ``by_line`` says that an end of line outside of parentheses ends the condition;
        otherwise only the next section or key does.
        """
        parts: list[SubCondition] = []
        open_at: list[_BddlToken] = []
        while True:
            token = self.now
            if token.kind == "newline" and not (by_line and not open_at):
                self.take()
            elif token.text == "(":
                open_at.append(self.take())
            elif token.text == ")" and open_at:
                open_at.pop()
                self.take()
            elif token.kind in ("newline", "end") or token.text[:1] in ("#", ":"):
                if open_at:
                    place = self.place(open_at[-1])
                    self.fail(f"')' for the '(' in line {place.line}, column {place.column}")
                return tuple(parts)
            else:
                parts.append(self.atom(f"a condition with {_PREDICATE_NAMES}"))


def _starts_atom(word: str) -> bool:
    return word[:1].isalpha() and word.lower() not in ("not", "false")


# -- domains --------------------------------------------------------------------------------

_DOMAIN_SECTIONS = {"#blackactions": Player.BLACK, "#whiteactions": Player.WHITE}


def parse_domain(text: str, file: str | None = None) -> Domain:
    """The domain in ``text``; ``file`` names it in messages.

    Raises ``InputError`` at the first thing that is no BDDL.  ``checks`` finds errors of meaning
    (squares off the board, names given twice).
    """
    tokens = _Tokens(text, file)
    tokens.source.check_not_empty("a BDDL domain: #blackactions")
    actions: dict[Player, tuple[Action, ...]] = {}
    while True:
        tokens.skip_newlines()
        token = tokens.now
        missing = [name for name, player in _DOMAIN_SECTIONS.items() if player not in actions]
        if token.kind == "end" and not missing:
            break
        player = _DOMAIN_SECTIONS.get(token.text.lower())
        if player is None:
            if token.text.lower() in _PROBLEM_SECTIONS:
                tokens.fail("a domain (#blackactions, #whiteactions); this is a problem file")
            tokens.fail(" or ".join([":action"] * bool(actions) + (missing or ["nothing more"])))
        if player in actions:
            tokens.fail(f"one section {token.text} only")
        tokens.take()
        actions[player] = tuple(_actions(tokens))
    return Domain(actions[Player.BLACK], actions[Player.WHITE])


def _actions(tokens: _Tokens) -> Iterator[Action]:
    while True:
        tokens.skip_newlines()
        if tokens.now.text.lower() != ":action":
            return
        tokens.take()
        tokens.skip_newlines()
        name = tokens.now
        if name.kind != "word" or name.text[0] in "#:?":
            tokens.fail("the action's name (letters, digits, underscores, hyphens)")
        tokens.take()
        yield _action(tokens, name)


def _action(tokens: _Tokens, name: _BddlToken) -> Action:
    parts: dict[str, Condition] = {}
    parameters = False
    while True:
        tokens.skip_newlines()
        key = tokens.now.text.lower()
        if key == ":parameters" and not parameters:
            tokens.take()
            for sign in ("(", "?x", ",", "?y", ")"):
                tokens.expect(sign, f"'{sign}' of (?x,?y)")
            parameters = True
        elif key in (":precondition", ":effect") and key not in parts:
            tokens.take()
            parts[key] = tokens.condition(by_line=False)
        else:
            missing = [k for k in (":precondition", ":effect") if k not in parts]
            missing = [":parameters"] * (not parameters) + missing
            if missing:
                tokens.fail(f"{' or '.join(missing)} of action {name.text}")
            place = tokens.place(name)
            return Action(name.text, parts[":precondition"], parts[":effect"], place)


# -- problems -------------------------------------------------------------------------------

_PROBLEM_SECTIONS = {
    "#boardsize": "#boardsize",
    "#init": "#init",
    "#depth": "#depth",
    "#blackgoal": "#blackgoals",
    "#blackgoals": "#blackgoals",
    "#whitegoal": "#whitegoals",
    "#whitegoals": "#whitegoals",
    "#blackturn": "#blackturn",
}
_REQUIRED = ("#boardsize", "#init", "#depth", "#blackgoals", "#whitegoals")


@dataclass(slots=True)
class _ProblemParts:
    """The parts of a problem that have been read so far."""

    size: tuple[int, int] = (0, 0)
    depth: int = 0
    first_player: Player = Player.BLACK
    initial: tuple[tuple[Square, int, int], ...] = ()
    initial_places: tuple[Place, ...] = ()


def parse_problem(text: str, file: str | None = None) -> BddlProblem:
    """The problem in ``text``; ``file`` names it in messages.

    Raises ``InputError`` like ``parse_domain``.
    """
    tokens = _Tokens(text, file)
    tokens.source.check_not_empty("a BDDL problem: #boardsize")
    seen: dict[str, Place] = {}
    goals: dict[Player, tuple[Condition, ...]] = {}
    goal_places: dict[Player, tuple[Place, ...]] = {}
    parts = _ProblemParts()
    while True:
        tokens.skip_newlines()
        token = tokens.now
        missing = [name for name in _REQUIRED if name not in seen]
        if token.kind == "end" and not missing:
            break
        section = _PROBLEM_SECTIONS.get(token.text.lower())
        if section is None:
            if token.text.lower() in _DOMAIN_SECTIONS:
                tokens.fail("a problem (#boardsize, #init, …); this is a domain file")
            tokens.fail(" or ".join(missing) or "#blackturn or nothing more")
        if section in seen:
            tokens.fail(f"one section {section} only")
        tokens.take()
        tokens.skip_newlines()
        seen[section] = tokens.place(tokens.now)
        match section:
            case "#boardsize":
                expected = "the board's width and height (from 1)"
                parts.size = _positive(tokens, expected), _positive(tokens, expected)
            case "#depth":
                parts.depth = _positive(tokens, "a depth (from 1)")
            case "#init":
                parts.initial, parts.initial_places = _initial(tokens)
            case "#blackturn":
                parts.first_player = _first_player(tokens)
            case _:
                player = Player.BLACK if section == "#blackgoals" else Player.WHITE
                goals[player], goal_places[player] = _goals(tokens)
    return BddlProblem(
        width=parts.size[0],
        height=parts.size[1],
        initial=parts.initial,
        depth=parts.depth,
        black_goals=goals[Player.BLACK],
        white_goals=goals[Player.WHITE],
        first_player=parts.first_player,
        places=ProblemPlaces(
            seen["#boardsize"],
            seen["#depth"],
            parts.initial_places,
            goal_places[Player.BLACK],
            goal_places[Player.WHITE],
        ),
    )


def _positive(tokens: _Tokens, expected: str) -> int:
    tokens.skip_newlines()
    token = tokens.now
    number = tokens.number(expected)
    if number < 1:
        tokens.fail(expected, token)
    return number


def _first_player(tokens: _Tokens) -> Player:
    word = tokens.now.text.lower()
    if word not in ("first", "second"):
        tokens.fail("first or second")
    tokens.take()
    return Player.BLACK if word == "first" else Player.WHITE


def _initial(tokens: _Tokens) -> tuple[tuple[tuple[Square, int, int], ...], tuple[Place, ...]]:
    pieces: list[tuple[Square, int, int]] = []
    places: list[Place] = []
    for part in tokens.condition(by_line=False):
        place = part.place
        assert place is not None
        coordinates = (part.x, part.y)
        if part.negated or part.predicate is Square.OPEN:
            found, expected = f"'{part}'", "black(x,y) or white(x,y)"
        elif any(c.anchor is not Anchor.ABSOLUTE for c in coordinates):
            found, expected = f"'{part}'", "a piece on a square given by numbers"
        else:
            pieces.append((part.predicate, part.x.offset, part.y.offset))
            places.append(place)
            continue
        raise tokens.source.line_error(place.line, found, expected, place.column)
    return tuple(pieces), tuple(places)


def _goals(tokens: _Tokens) -> tuple[tuple[Condition, ...], tuple[Place, ...]]:
    goals: list[Condition] = []
    places: list[Place] = []
    while True:
        tokens.skip_newlines()
        token = tokens.now
        if token.kind == "end" or token.text.startswith("#"):
            return tuple(goals), tuple(places)
        if token.text.startswith(":"):
            tokens.fail("a goal or the next section")
        if token.text.lower() == "false":
            tokens.take()
            if tokens.now.kind not in ("newline", "end"):
                tokens.fail("the end of the line after False")
            continue
        place = tokens.place(token)
        goals.append(tokens.condition(by_line=True))
        places.append(place)


def file_kind(text: str) -> str | None:
    """``"domain"`` or ``"problem"``, by the first section in ``text``; ``None``: neither."""
    match = _SECTION.search(text)
    word = match[1].lower() if match else ""
    if word in _DOMAIN_SECTIONS:
        return "domain"
    return "problem" if word in _PROBLEM_SECTIONS else None


# -- files ----------------------------------------------------------------------------------


def read_model(
    domain: str | PathLike[str], problem: str | PathLike[str], depth: int | None = None
) -> Model:
    """The model in two files; ``depth`` takes the place of ``#depth`` and means the same.

    Raises ``InputError`` for what cannot be read or parsed, and for the first error that the
    semantic checks find; their warnings are to be had from ``checks.check_model``.
    """
    if depth is not None and depth < 1:
        raise UsageError(f"found the depth {depth}, expected a depth from 1")
    domain_source, problem_source = (Source.open(path, PERCENT) for path in (domain, problem))
    parsed_domain = parse_domain(domain_source.text, domain_source.path)
    parsed_problem = parse_problem(problem_source.text, problem_source.path)
    if depth is not None:
        parsed_problem = replace(parsed_problem, depth=depth)
    model = Model(parsed_domain, parsed_problem, _name(Path(domain), Path(problem)))
    require_valid(model)
    return model


def _name(domain: Path, problem: Path) -> str:
    """``httt 4x4_5_tic`` for ``httt/domain.ig`` and ``httt/4x4_5_tic.ig``."""
    of_domain, of_problem = (Path(unpacked_name(file.name)).stem for file in (domain, problem))
    family = of_domain if of_domain != "domain" else domain.absolute().parent.name
    return visible(f"{family} {of_problem}".strip())
