"""Solution files, and the walk through all plays of a solution.

The walk goes ply by ply.  A layer has the positions before one ply that go on, each once; the
winner's reply leads on from each of them, or all moves of the other player.  The claim is proved
if each play ends with the winner's win, and that is so within the plies of the game.  Nothing of
the search is imported here (import-linter holds that).

*The file* is a text, compressed by gzip (docs/reference/formats.md).  The second line is the
SHA-256 of all behind it, so that a cut or changed file is told from a wrong one.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from os import fspath
from typing import Any, Final, Generic, NoReturn, Protocol, TypeVar

from qsage_validate.errors import InputError, MalformedMoveError, UsageError, counted
from qsage_validate.formats.source import PACKED, Path, label, quoted, read_bytes
from qsage_validate.formats.writing import write_atomic
from qsage_validate.games.languages import LANGUAGES, load_game, model_from_parts
from qsage_validate.games.model_text import GameModel, ModelParts, PartLine, has_rules, parts_of
from qsage_validate.games.protocol import Move, Player, Position, TwoPlayerGame
from qsage_validate.system.limits import NEVER, Deadline, Progress, Tell, nobody

# The solution file: the winner's reply in each position that the winner meets, with the model


_MAGIC: Final = "qsage solution"
_VERSION: Final = "1"

Replies = Mapping[int, Mapping[str, str]]
"""For each ply of the winner's, from 1, the texts of the positions with those of the replies."""


@dataclass(frozen=True)
class SolutionClaim:
    """A claim: ``winner`` wins ``model`` within its plies by ``replies``.

    That White wins says that Black does not win within the plies.  ``path`` is the file that it
    was read from, ``lines`` has the line of each ply's first reply in it, ``game`` are the rules of
    the model.
    """

    model: GameModel
    winner: Player
    replies: Replies = field(repr=False)
    path: str | None = None
    lines: Mapping[int, int] = field(default_factory=dict, repr=False, compare=False)
    game: TwoPlayerGame = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "game", load_game(self.model))

    @property
    def positions(self) -> int:
        """The number of positions that have a reply."""
        return sum(map(len, self.replies.values()))

    @property
    def claim(self) -> str:
        does = "wins" if self.winner is Player.BLACK else "does not win"
        return f"Black {does} {self.game.name} within {self.game.length}"

    def malformed(self, text: str, found: str, expected: str) -> InputError:
        """The error at the first position or reply that is this ``text``."""
        for ply, line in self.lines.items():
            for at, (position, reply) in enumerate(self.replies[ply].items(), line):
                if text in (position, reply):
                    column = 1 if text == position else len(position) + 2
                    return InputError(self.path, at, column, found, expected)
        return InputError(self.path, None, None, found, expected)

    def save(self, path: Path) -> None:
        """Write the file, whole or not at all; raises ``InputError``.

        It is compressed by gzip, unless its name asks for another compression.
        """
        data = as_bytes(self)
        other = fspath(path).endswith(PACKED)
        write_atomic(path, gzip.decompress(data) if other else data)

    def __repr__(self) -> str:
        return f"<SolutionClaim {self.winner} wins {self.model.name}>"


def as_bytes(solution: SolutionClaim) -> bytes:
    """The content of a solution's file; equal solutions give equal bytes."""
    model = solution.model
    lines = [
        f"game {model.language}",
        f"winner {solution.winner.value}",
        f"plies {solution.game.plies}",
    ]
    for name, text in model.parts().items():
        part = text.split("\n")
        lines += [f"part {name} {len(part)}", *part]
    for ply, replies in sorted(solution.replies.items()):
        lines.append(f"ply {ply} {len(replies)}")
        lines += (f"{position}\t{reply}" for position, reply in sorted(replies.items()))
    return sealed("\n".join([*lines, "end", ""]).encode())


def sealed(rest: bytes) -> bytes:
    """A file with this content behind its first two lines."""
    head = f"{_MAGIC} {_VERSION}\nsha256 {hashlib.sha256(rest).hexdigest()}\n".encode()
    return gzip.compress(head + rest, mtime=0)


def read_solution(path: Path) -> SolutionClaim:
    """The solution in a file.

    Raises ``InputError`` for a file that is none, of another version, cut or changed, and for what
    is wrong in it, with its place.  Its replies are a claim: nothing of them is looked up here.
    """
    return parse_solution(read_bytes(path), label(path))


def parse_solution(data: bytes, name: str) -> SolutionClaim:
    """The solution in the unpacked content of the file ``name``; errors as by the file."""
    return _Reader(name, data).solution()


class _Reader:
    """The lines of one file, read from the first to the last."""

    def __init__(self, name: str, data: bytes) -> None:
        self._name = name
        head, _, rest = data.partition(b"\n")
        kind, _, version = head[:80].decode("ascii", "replace").rpartition(" ")
        if kind != _MAGIC:
            found = "an empty file" if not data else quoted(head[:40].decode("ascii", "replace"))
            raise InputError(name, 1, 1, found, f"a solution file ('{_MAGIC} {_VERSION}')")
        if version != _VERSION:
            column = len(_MAGIC) + 2
            raise InputError(name, 1, column, f"version {quoted(version)}", f"version {_VERSION}")
        said, _, rest = rest.partition(b"\n")
        digest = hashlib.sha256(rest).hexdigest()
        if said != f"sha256 {digest}".encode():
            found = quoted(said[:80].decode("ascii", "replace"), 80)
            expected = f"sha256 {digest}: the file was cut or changed"
            raise InputError(name, 2, 1, found, expected)
        try:
            self._lines = rest.decode().split("\n")
        except UnicodeDecodeError as error:
            line = rest.count(b"\n", 0, error.start) + 3
            found = f"byte 0x{rest[error.start]:02x} that is not UTF-8"
            raise InputError(name, line, 1, found, "UTF-8 text") from None
        self._at = 0

    def fail(self, found: str, expected: str, column: int = 1) -> NoReturn:
        """Raise the error at the line that was read last."""
        raise InputError(self._name, self._at + 2, column, found, expected)

    def line(self, expected: str) -> str:
        if self._at == len(self._lines):
            self.fail("the end of the file", expected)
        self._at += 1
        return self._lines[self._at - 1]

    def words(self, key: str, count: int) -> Sequence[str]:
        """The words behind ``key`` in the next line."""
        line = self.line(f"a line '{key} …'")
        words = line.split(" ")
        if words[0] != key or len(words) != count + 1:
            self.fail(quoted(line), f"a line '{key} …' with {count + 1} words")
        return words[1:]

    def number(self, word: str, most: int) -> int:
        if not (word.isascii() and word.isdigit() and len(word) < 12 and 1 <= int(word) <= most):
            self.fail(quoted(word), f"a number from 1 to {most}")
        return int(word)

    def solution(self) -> SolutionClaim:
        (language,) = self.words("game", 1)
        if language not in LANGUAGES:
            self.fail(quoted(language), f"one of {', '.join(LANGUAGES)}", 6)
        (winner,) = self.words("winner", 1)
        if winner not in [player.value for player in Player]:
            self.fail(quoted(winner), "black or white", 8)
        (plies,) = self.words("plies", 1)
        place = self._at
        model = model_from_parts(language, self._parts(language))
        replies: dict[int, dict[str, str]] = {}
        lines: dict[int, int] = {}
        try:
            solution = SolutionClaim(model, Player(winner), replies, self._name, lines)
        except UsageError as error:
            raise InputError(self._name, None, None, f"a model whose {error}", "a game") from None
        if plies != str(solution.game.plies):
            self._at = place
            self.fail(quoted(plies), f"{solution.game.plies}, the plies of the model", 7)
        while self._lines[min(self._at, len(self._lines) - 1)] != "end":
            ply, own = self._ply(solution.game.plies)
            if ply in replies:
                self.fail(f"ply {ply} a second time", "each ply once")
            replies[ply] = own
            lines[ply] = self._at + 3 - len(own)
        self._at += 1
        if self._lines[self._at :] != [""]:
            self._at += 1
            self.fail("a line behind the end", "nothing")
        return solution

    def _parts(self, language: str) -> ModelParts:
        found: dict[str, list[PartLine]] = {}
        while self._at < len(self._lines) and self._lines[self._at].startswith("part "):
            name, count = self.words("part", 2)
            if name not in parts_of(language) or name in found:
                self.fail(quoted(name), f"one of {', '.join(parts_of(language))}, each once", 6)
            size = self.number(count, len(self._lines))
            text = (self.line(f"{counted(size, 'line')} of the part {name}") for _ in range(size))
            found[name] = [PartLine(line, self._at + 2, 0) for line in text]
        if not has_rules(language, dict.fromkeys(found, "")):
            self.line(f"the parts of a game of {language}")
            self.fail(f"the parts {', '.join(found) or 'none'}", f"those of a {language} game")
        return ModelParts.at_lines(found, self._name)

    def _ply(self, plies: int) -> tuple[int, dict[str, str]]:
        word, count = self.words("ply", 2)
        ply = self.number(word, plies)
        size = self.number(count, len(self._lines))
        own: dict[str, str] = {}
        for _ in range(size):
            line = self.line(f"{counted(size, 'reply of', 'replies of')} ply {ply}")
            position, tab, reply = line.partition("\t")
            if not tab or not position or not reply:
                self.fail(quoted(line), "a position, a tab and a reply")
            if position in own:
                self.fail(f"{quoted(position)} a second time", "each position of a ply once")
            own[position] = reply
        return ply, own


# The walk through all plays of a strategy: every move of the loser, one reply of the winner


L = TypeVar("L")
A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class Fault:
    """The fault in the position ``index`` of a layer: a ``move``, or its lack."""

    index: int
    move: Move | None
    reason: str


@dataclass(frozen=True, slots=True)
class SolutionStep(Generic[L]):
    """The result of one ply: the ``size`` positions that go on, or what breaks the claim.

    ``ended`` says that some play has ended, with the win that was claimed.
    """

    layer: L
    size: int
    ended: bool = False
    fault: Fault | None = None


class LayerRules(Protocol[L, A]):
    """The rules on layers of positions.

    A layer remembers for each of its positions how it was reached from the layer before.
    ``A`` are the winner's replies in a layer, in the order of its positions.
    """

    @property
    def game(self) -> TwoPlayerGame: ...

    @property
    def how(self) -> str:
        """How the rules are executed, in words."""
        ...

    def layer(self, position: Position) -> L:
        """The layer that has one position and no predecessors."""
        ...

    def position(self, layer: L, index: int, ply: int) -> Position: ...

    def text(self, position: Position) -> str:
        """The text of a position, as solution files have it."""
        ...

    def planes(self, layer: L) -> tuple[Any, Any] | None:
        """The black and the white squares of all positions, where these are arrays."""
        ...

    def texts(self, layer: L, ply: int) -> list[str]: ...

    def origin(self, layer: L, index: int) -> tuple[int, Move]:
        """The index of a position in the layer before, and the move that leads from there."""
        ...

    def table(self, solution: SolutionClaim) -> Callable[[int, L], A]:
        """The replies of a solution, looked up by ply and layer.

        Raises ``InputError`` for texts that are no positions or no moves of the game.
        """
        ...

    def chosen(self, moves: Sequence[Move], player: Player) -> A:
        """These replies of a player in a layer."""
        ...

    def reply(self, replies: A, index: int, player: Player) -> Move | None:
        """The reply of ``player`` in a position of a layer, legal or not."""
        ...

    def all_moves(self, layer: L, ply: int) -> SolutionStep[L]:
        """All moves of the player of a ply, who is not to win."""
        ...

    def replied(self, layer: L, ply: int, replies: A) -> SolutionStep[L]:
        """The replies of the player of a ply, who is to win."""
        ...


@dataclass(frozen=True, slots=True)
class SolutionRefuted:
    """A play that breaks a claim: its moves, and why it does."""

    moves: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Walked:
    """The result of a walk: ``refuted`` is ``None`` where the claim is proved.

    ``positions`` were met, each once; in ``replies`` of them the winner is to move.
    ``longest`` is the number of plies of the longest play.
    """

    positions: int
    replies: int
    longest: int
    refuted: SolutionRefuted | None = None


def walk(
    rules: LayerRules[L, A],
    winner: Player,
    replies: Callable[[int, L], A],
    *,
    deadline: Deadline = NEVER,
    tell: Tell = nobody,
) -> Walked:
    """Walk through all plays in which ``winner`` plays ``replies``, asked for by ply and layer.

    Raises ``UndecidedError`` at the deadline.
    """
    game = rules.game
    outcome = game.initial.outcome
    if outcome is not None:
        fault = None if outcome.winner is winner else SolutionRefuted((), outcome.reason)
        return Walked(1, 0, 0, fault)
    layers, size = [rules.layer(game.initial)], 1
    positions = own = longest = 0
    for ply in range(1, game.plies + 1):
        if not size:
            break
        deadline.check(f"the plays were walked through ({counted(positions, 'position')})")
        tell(Progress("walking", f"ply {ply}, {counted(positions, 'position')}", ply, game.plies))
        layer = layers[-1]
        positions += size
        if game.player_at(ply) is winner:
            own += size
            step = rules.replied(layer, ply, replies(ply, layer))
        else:
            step = rules.all_moves(layer, ply)
        if step.fault is not None:
            moves = _way(rules, layers, step.fault)
            return Walked(positions, own, longest, SolutionRefuted(moves, step.fault.reason))
        if step.ended:
            longest = ply
        layers.append(step.layer)
        size = step.size
    return Walked(positions, own, longest)


def _way(rules: LayerRules[L, A], layers: Sequence[L], fault: Fault) -> tuple[str, ...]:
    """The moves to the position of a fault, and the one that breaks the claim."""
    moves = [] if fault.move is None else [fault.move]
    index = fault.index
    for layer in reversed(layers[1:]):
        index, move = rules.origin(layer, index)
        moves.append(move)
    return tuple(str(move) for move in reversed(moves))


# Any game, position by position, by the rules as the protocol has them


@dataclass(frozen=True, slots=True)
class _Reached:
    """A position, the index of one before it, and the move between them."""

    position: Position
    origin: int
    move: Move | None


Layer = Sequence[_Reached]
Answers = Sequence["Move | None"]


class PlainRules:
    """The rules of any game; every position is looked at, symmetric ones too."""

    how = "position by position"

    def __init__(self, game: TwoPlayerGame) -> None:
        self.game = game

    def layer(self, position: Position) -> Layer:
        return [_Reached(position, 0, None)]

    def position(self, layer: Layer, index: int, ply: int) -> Position:
        return layer[index].position

    def text(self, position: Position) -> str:
        return str(position)

    def planes(self, layer: Layer) -> None:
        return None

    def texts(self, layer: Layer, ply: int) -> list[str]:
        return [self.text(each.position) for each in layer]

    def origin(self, layer: Layer, index: int) -> tuple[int, Move]:
        reached = layer[index]
        assert reached.move is not None, "not the initial position"
        return reached.origin, reached.move

    def table(self, solution: SolutionClaim) -> Callable[[int, Layer], Answers]:
        moves: dict[str, Move] = {}
        for replies in solution.replies.values():
            for text in replies.values():
                if text not in moves:
                    moves[text] = move_of(solution, text)

        def replies_in(ply: int, layer: Layer) -> Answers:
            own = solution.replies.get(ply, {})
            texts = (own.get(self.text(each.position)) for each in layer)
            return [None if text is None else moves[text] for text in texts]

        return replies_in

    def chosen(self, moves: Sequence[Move], player: Player) -> Answers:
        return moves

    def reply(self, replies: Answers, index: int, player: Player) -> Move | None:
        return replies[index]

    def all_moves(self, layer: Layer, ply: int) -> SolutionStep[Layer]:
        found: dict[Position, _Reached] = {}
        ended = False
        for index, each in enumerate(layer):
            position = each.position
            for move in position.legal_moves():
                after = position.play(move)
                if after.outcome is None:
                    found.setdefault(after, _Reached(after, index, move))
                elif after.outcome.winner is position.to_move:
                    return SolutionStep([], 0, fault=Fault(index, move, after.outcome.reason))
                else:
                    ended = True
        return SolutionStep(list(found.values()), len(found), ended)

    def replied(self, layer: Layer, ply: int, replies: Answers) -> SolutionStep[Layer]:
        found: dict[Position, _Reached] = {}
        ended = False
        for index, (each, move) in enumerate(zip(layer, replies, strict=True)):
            fault = fault_of(each.position, index, move)
            if fault is not None:
                return SolutionStep([], 0, fault=fault)
            assert move is not None, "else there is a fault"
            after = each.position.play(move)
            if after.outcome is None:
                found.setdefault(after, _Reached(after, index, move))
            else:
                ended = True
        return SolutionStep(list(found.values()), len(found), ended)


def move_of(solution: SolutionClaim, text: str) -> Move:
    """The winner's move that a text of a solution means; raises ``InputError``."""
    try:
        return solution.game.parse_move(text, solution.winner)
    except MalformedMoveError as error:
        found = f"a reply that is no move ({error})"
        raise solution.malformed(text, found, "moves of the game") from None


def fault_of(position: Position, index: int, move: Move | None) -> Fault | None:
    """The reason why a reply breaks the claim at once, if it does."""
    if move is None:
        player = position.to_move
        return Fault(index, None, f"no reply for {player} in {position.board}, ply {position.ply}")
    illegality = position.illegality(move)
    if illegality is not None:
        said = f"the reply in ply {position.ply} is illegal: {illegality.reason}"
        return Fault(index, None, said)
    outcome = position.play(move).outcome
    if outcome is not None and outcome.winner is not position.to_move:
        return Fault(index, move, outcome.reason)
    return None
