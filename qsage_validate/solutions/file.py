"""The solution file: the winner's reply in each position that the winner meets, with the model.

A text, compressed by gzip (docs/reference/formats.md).  The second line is the SHA-256 of all
behind it, so that a cut or changed file is told from a wrong one.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NoReturn

from qsage_validate.errors import InputError, UsageError
from qsage_validate.formats.source import Path, label, quoted, read_bytes
from qsage_validate.formats.writing import write_atomic
from qsage_validate.games.languages import LANGUAGES, load_game, model_from_parts
from qsage_validate.games.model_text import GameModel, ModelParts, PartLine, has_rules, parts_of
from qsage_validate.games.protocol import Player, TwoPlayerGame

_MAGIC: Final = "qsage solution"
_VERSION: Final = "1"

Replies = Mapping[int, Mapping[str, str]]
"""For each ply of the winner's, from 1, the texts of the positions with those of the replies."""


@dataclass(frozen=True)
class SolutionClaim:
    """A claim: ``winner`` wins ``model`` within its plies by ``replies``.

    That White wins says that Black does not win within the plies.  ``path`` is the file that it
    was read from, ``game`` the rules of the model.
    """

    model: GameModel
    winner: Player
    replies: Replies = field(repr=False)
    path: str | None = None
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

    def save(self, path: Path) -> None:
        """Write the file, whole or not at all; raises ``InputError``."""
        write_atomic(path, as_bytes(self))

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
    name, data = label(path), read_bytes(path)
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
        try:
            solution = SolutionClaim(model, Player(winner), replies, self._name)
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
            text = (self.line(f"{size} lines of the part {name}") for _ in range(size))
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
            line = self.line(f"{size} replies of ply {ply}")
            position, tab, reply = line.partition("\t")
            if not tab or not position or not reply:
                self.fail(quoted(line), "a position, a tab and a reply")
            if position in own:
                self.fail(f"{quoted(position)} a second time", "each position of a ply once")
            own[position] = reply
        return ply, own
