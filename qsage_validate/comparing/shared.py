"""What two formulas have in common: variables, or moves in the words of each layout.

:class:`Wins` and :class:`Loses` are the results of putting the strategy of one into the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.layout import Layout
from qsage_validate.errors import (
    InputError,
    MalformedMoveError,
    Proof,
    Refutation,
    Undecided,
    UsageError,
)
from qsage_validate.formats.source import Source, quoted
from qsage_validate.games.protocol import Move, Player, Symmetry, TwoPlayerGame
from qsage_validate.kernel.certificate import CircuitCertificate
from qsage_validate.strategies.reader import LayoutMove, PlyCode, SquareOf

_ITEM = re.compile(r"[^\s,]+")


@dataclass(frozen=True, slots=True)
class Shared:
    """The first formula's variable for each shared one of the second; ``source`` says why."""

    first_of: Mapping[int, int]
    source: str

    def reversed(self) -> Shared:
        """The shared variables with the formulas exchanged."""
        return Shared({a: b for b, a in self.first_of.items()}, self.source)


def read_shared(path: str, first: Qbf, second: Qbf) -> Shared:
    """The variables that a file lists: names that mean one in both, or pairs ``5=17``.

    Blanks and commas separate them; what follows ``#`` on a line is a comment.  Raises
    ``InputError`` for names that a formula does not quantify, for variables of one player in the
    first and of the other in the second, and for variables that are listed twice.
    """
    source = Source.open(path)
    source.check_not_empty("shared variables")
    numbers = [_numbers(first), _numbers(second)]
    quantifiers = [first.quantifiers(), second.quantifiers()]
    found: dict[int, int] = {}
    for offset, text in _items(source):
        names = text.split("=")
        if len(names) > 2 or "" in names:
            raise source.error(offset, quoted(text), "a variable or a pair, 5=17")
        pair: list[int] = []
        ends, formulas = (names[0], names[-1]), ("first", "second")
        for name, known, which in zip(ends, numbers, formulas, strict=True):
            if name not in known:
                expected = f"a variable that the {which} formula quantifies"
                raise source.error(offset, quoted(name), expected)
            pair.append(known[name])
        sides = [of[v].value for of, v in zip(quantifiers, pair, strict=True)]
        if sides[0] != sides[1]:
            what = f"{quoted(text)}, which is of {sides[0]} in the first formula and of {sides[1]}"
            raise source.error(offset, f"{what} in the second", "a variable of one player in both")
        if pair[1] in found or pair[0] in found.values():
            raise source.error(offset, f"{quoted(text)} again", "each variable once")
        found[pair[1]] = pair[0]
    if not found:
        raise InputError(source.path or path, 1, 1, "no variable", "shared variables")
    noun = "variable" if len(found) == 1 else "variables"
    return Shared(found, f"{len(found)} {noun} of {source.path or path}")


def shared_names(first: Qbf, second: Qbf) -> Shared:
    """The variables of one player that have one name in both formulas; raises ``UsageError``."""
    known, quantifiers = _numbers(first), first.quantifiers()
    own = second.quantifiers()
    found = {
        v: known[name]
        for name, v in _numbers(second).items()
        if name in known and quantifiers[known[name]] is own[v]
    }
    if not found:
        raise UsageError("the formulas share no names: list the variables in a file (--shared)")
    noun = "variable of equal name" if len(found) == 1 else "variables of equal names"
    return Shared(found, f"{len(found)} {noun}")


def _numbers(formula: Qbf) -> dict[str, int]:
    quantified = formula.quantifiers()
    return {text: v for text, v in formula.by_text().items() if v in quantified}


def _items(source: Source) -> Iterator[tuple[int, str]]:
    for _, start, line in source.lines():
        for match in _ITEM.finditer(line.partition("#")[0]):
            yield start + match.start(), match.group()


@dataclass(frozen=True, slots=True)
class Wins(Proof):
    """The strategy wins in the other formula.

    ``certificate`` is one of that formula, it plays the strategy and passed the check; ``reason``
    says where the functions come from that the strategy does not have.
    """

    word = "wins"

    reason: str
    certificate: CircuitCertificate

    def __repr__(self) -> str:
        return f"<Wins {self.certificate!r}>"


@dataclass(frozen=True, slots=True)
class Loses(Refutation):
    """The strategy does not win in the other formula, ``why`` says in what it fails.

    ``play`` has the moves of both players up to there, or the values block by block where there is
    no layout; ``replies`` are those of the opponent's alone, which a replay needs, and ``asked``
    the same in the words of the strategy's own formula, as far as it has any.  ``values`` are
    those of the variables that the play decides.  ``certificate`` is the strategy in the other
    formula, as far as it could be written down.
    """

    word = "loses"

    why: str
    play: tuple[str, ...] = ()
    replies: tuple[str, ...] = ()
    values: Mapping[int, bool] = field(default_factory=dict)
    certificate: CircuitCertificate | None = None
    asked: tuple[str, ...] = ()

    @property
    def reason(self) -> str:
        return self.why


Transfer = Wins | Loses | Undecided


class SharedWords:
    """The names that a formula has for the moves of a game: by text, else by square.

    With a ``mirror`` the formula means the image of each move.
    """

    def __init__(self, code: PlyCode, game: TwoPlayerGame, mirror: Symmetry | None = None) -> None:
        self._code = code
        self._game = game
        self._images = {} if mirror is None else mirror.moves
        self._origins = {image: move for move, image in self._images.items()}
        self._by_square: dict[Player, Mapping[object, Move | None]] = {}

    def say(self, ply: int, move: Move) -> LayoutMove | None:
        """The formula's name for a move at a ply; ``None`` where it cannot say it."""
        text = str(self._images.get(move, move))
        found = self._code.find(ply, text)
        square = self._game.square_of(text)
        if found is not None or square is None:
            return found
        same = [m for m in self._code.moves(ply) if m.square == square]
        return same[0] if len(same) == 1 else None

    def read(self, move: LayoutMove, player: Player) -> Move | None:
        """The move of the game that the formula's move means."""
        found = parsed(self._game, str(move), player)
        if found is None and move.square is not None:
            found = self._at(player).get(move.square)
        return None if found is None else self._origins.get(found, found)

    def _at(self, player: Player) -> Mapping[object, Move | None]:
        if player not in self._by_square:
            by_square: dict[object, Move | None] = {}
            for each in self._game.moves(player):
                square = self._game.square_of(str(each))
                by_square[square] = None if square in by_square else each
            self._by_square[player] = by_square
        return self._by_square[player]


class Mirrors:
    """The words in which a formula can be told of first moves, in a mirror where it has no code.

    A mirror is a symmetry of the game that keeps the first position.
    """

    def __init__(self, code: PlyCode, game: TwoPlayerGame) -> None:
        self._code = code
        self._game = game
        self.plain = SharedWords(code, game)

    @cached_property
    def others(self) -> list[SharedWords]:
        symmetries = self._game.symmetries()
        return [SharedWords(self._code, self._game, s) for s in symmetries if s.keeps_initial]

    def telling(self, first: Move) -> SharedWords:
        """The words for a play that begins with ``first``; the plain ones where there are none."""
        if self.plain.say(1, first) is not None:
            return self.plain
        return next((words for words in self.others if words.say(1, first)), self.plain)


class Spelling:
    """The values by which a formula says the moves of a game.

    ``square_of`` is that of the game whose words the layout has, where that is another one.
    """

    def __init__(
        self, layout: Layout, game: TwoPlayerGame, square_of: SquareOf | None = None
    ) -> None:
        self.plies = layout.moves
        self.code = PlyCode(layout, square_of or game.square_of)
        self.mirrors = Mirrors(self.code, game)
        self.words = self.mirrors.plain
        self._patterns = [dict(ply.coding.patterns()) for ply in self.plies]

    def literals(self, ply: int, move: Move, words: SharedWords | None = None) -> list[int] | None:
        """The literals that are true where a move is said at a ply, from 1, if it can be said.

        Bits that mean nothing are left out.
        """
        if ply > len(self.plies):
            return None
        said = (words or self.words).say(ply, move)
        pattern = None if said is None else self._patterns[ply - 1].get(str(said))
        if pattern is None:
            return None
        pairs = zip(self.plies[ply - 1].variables, pattern, strict=True)
        return [literal if bit else -literal for literal, bit in pairs if bit is not None]


def check_length(layout: Layout, own: TwoPlayerGame | None, game: TwoPlayerGame) -> None:
    """Raise ``UsageError`` where the layout's game, ``own``, is not as long as ``game``.

    A formula may leave out last plies of its game that decide nothing.
    """
    plies = layout.plies if own is None else own.plies
    if plies != game.plies:
        raise UsageError(
            f"found a formula of a game of {plies} plies beside one of {game.plies}, "
            "expected games of one length"
        )


def values_of(literals: Iterable[int]) -> dict[int, bool]:
    return {abs(x): x > 0 for x in literals}


def parsed(game: TwoPlayerGame, text: str, player: Player) -> Move | None:
    """The move that a text names, if it names one."""
    try:
        return game.parse_move(text, player)
    except MalformedMoveError:
        return None
