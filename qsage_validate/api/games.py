"""Games by name, from files or from text."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, TypeAlias

from qsage_validate.api.values import (
    FileSource,
    RowTable,
    as_paths,
    of_kind,
    parameter_words,
    shown,
)
from qsage_validate.errors import UsageError, counted
from qsage_validate.games import protocol
from qsage_validate.games.languages import load_game
from qsage_validate.games.model_text import GameModel
from qsage_validate.games.protocol import Player, Position, Square
from qsage_validate.render.svg import board_svg
from qsage_validate.system.limits import Deadline, Limits

if TYPE_CHECKING:
    from qsage_validate.games.library.template import LibraryGame
    from qsage_validate.games.position_table import ValuedPosition
    from qsage_validate.judging.python_rules import Simulator

MOST_POSITIONS = 1_000_000


class GameTable(RowTable):
    """The games by name; iterating gives their rows."""

    @classmethod
    def of(cls, games: Sequence[LibraryGame]) -> GameTable:
        """A row for each game: ``name``, ``parameters``, ``about``."""
        return cls(
            tuple(
                {
                    "name": game.name,
                    "parameters": ", ".join(option.name for option in game.options),
                    "about": game.help,
                }
                for game in games
            )
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names that :func:`game` takes."""
        return tuple(str(row["name"]) for row in self.rows)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __repr__(self) -> str:
        return f"<GameTable {', '.join(self.names)}>"


@dataclass(frozen=True, repr=False)
class ValueTable(RowTable):
    """All positions of a game with their values; iterating gives their rows.

    Made by :meth:`Game.positions`.  A row has ``position``, ``ply``, ``to_move``, ``winner``,
    ``distance`` (plies that are left when the winner hurries and the loser does not) and
    ``best_moves``, separated by semicolons.
    """

    values: tuple[ValuedPosition, ...] = ()

    @classmethod
    def of(cls, values: tuple[ValuedPosition, ...]) -> ValueTable:
        """The table of some positions."""
        return cls(tuple(each.as_row() for each in values), values)

    def save(self, path: str | PathLike[str]) -> None:
        """Write a ``.npz`` file of arrays, else CSV: all of it or nothing."""
        from qsage_validate.formats.writing import write_atomic
        from qsage_validate.games.position_table import table_file

        write_atomic(fspath(path), table_file(fspath(path), self.values))

    def __repr__(self) -> str:
        return f"<ValueTable of {counted(len(self), 'position')}>"


class Board(protocol.BoardPicture):
    """A board with what stands on its squares; ``board[x, y]`` counts from 1, y downwards.

    ``board["b2"]`` is column 2, row 2.  ``str`` is the board in lines, with coordinates; ``rows``
    is one line: ``.B./.../W..``.
    """

    _widget: Callable[[], Any] | None = None

    @classmethod
    def of(cls, board: protocol.BoardPicture, widget: Callable[[], Any] | None = None) -> Board:
        """The same board, which notebooks draw; ``widget`` makes one that can be clicked."""
        made = cls(**{f.name: getattr(board, f.name) for f in fields(protocol.BoardPicture)})
        object.__setattr__(made, "_widget", widget)
        return made

    def __call__(self) -> Any:
        """A widget for a notebook in which the play goes on by clicks (extra ``notebook``).

        Raises ``UsageError`` for a board of no play.
        """
        if self._widget is None:
            raise UsageError("found the board of no play, expected match.board()")
        return self._widget()

    def svg(self) -> str:
        """The board as an SVG drawing."""
        return board_svg(self)

    def __getitem__(self, square: tuple[int, int] | str) -> Square:
        x, y = self.square_at(square) if isinstance(square, str) else square
        if not (1 <= x <= self.width and 1 <= y <= self.height):
            expected = f"expected a square of the {self.width}x{self.height} board"
            raise UsageError(f"found ({x},{y}), {expected}")
        return super().__getitem__((x, y))

    def __str__(self) -> str:
        from qsage_validate.render.board_text import board_lines

        return board_lines(self)

    def __repr__(self) -> str:
        return f"<Board {self.width}x{self.height} {self.rows}>"

    _repr_svg_ = svg


@dataclass(frozen=True)
class Game:
    """A game of two players, Black and White: Black wins within its depth, or White does.

    Made by :func:`game`, :func:`game_from_files` and :func:`game_from_text`.
    """

    model: GameModel = field(repr=False)
    words: tuple[str, ...] = field(repr=False, compare=False, default=())
    by_name: bool = field(repr=False, default=False)

    @property
    def name(self) -> str:
        """The name in the library; of other games what they are, with the label in quotes."""
        from qsage_validate.games.library.catalogue import name_of

        return name_of(self.model)

    @property
    def language(self) -> str:
        """The language of the game: ``bddl``, ``positional`` or ``gdl``."""
        return self.model.language

    @property
    def depth(self) -> int:
        """The number that its language gives for the depth: plies in all but GDL, rounds there."""
        return self.model.depth

    @property
    def plies(self) -> int:
        """The largest number of moves of a play, of both players together."""
        return self.model.plies

    def at_depth(self, depth: int) -> Game:
        """The same game with another depth; raises ``UsageError`` for a depth below 1."""
        if depth < 1:
            raise UsageError(f"found the depth {depth}, expected 1 or more")
        words = (*self.words, "--depth", str(depth))
        return Game(self.model.at_depth(depth), words, self.by_name)

    def for_encoding(self, encoding: str | None) -> GameModel:
        """The game in the language that ``encoding`` takes, where the library has it in that.

        The same model for all other encodings, and for those that there are not.
        """
        from qsage_validate.encodings.registry import language_of_encoding
        from qsage_validate.games.registry import find_command

        language = language_of_encoding(encoding)
        if not self.by_name or language in (None, self.language):
            return self.model
        return find_command(self.words, language)

    @property
    def encodings(self) -> tuple[str, ...]:
        """The names of its encodings; the first is what :func:`encode` takes."""
        from qsage_validate.encodings.registry import encoders
        from qsage_validate.games.registry import find_game

        languages = [self.language]
        if self.by_name:
            languages += [t.language for t in find_game(self.words[0]).templates]
        return tuple(name for language in dict.fromkeys(languages) for name in encoders(language))

    @cached_property
    def rules(self) -> protocol.TwoPlayerGame:
        """The executable rules: positions, legal moves, and how a play ends."""
        return load_game(self.model)

    @property
    def initial(self) -> Position:
        """The position before the first move.

        It has ``to_move``, ``legal_moves()``, ``play(move)``, ``outcome`` and ``board``.
        """
        return self.rules.initial

    @property
    def board(self) -> Board:
        """The board before the first move."""
        return Board.of(self.initial.board)

    @parameter_words
    def positions(
        self, *, positions: int = MOST_POSITIONS, timeout: float | None = None
    ) -> ValueTable:
        """Every position with its winner, the plies that are left, and the best moves.

        ``positions`` is the largest number of them, ``timeout`` in seconds; raises
        ``UndecidedError`` at either.
        """
        from qsage_validate.games.position_table import valued_positions

        limits = Limits(Deadline.after(timeout), positions=positions)
        return ValueTable.of(valued_positions(self.rules, limits))

    def to_openspiel(self) -> Any:
        """The game as a ``pyspiel.Game`` (extra ``openspiel``); player 0 is Black.

        Its actions are the numbers of the moves, Black's first; their texts are ours.
        """
        from qsage_validate.api.openspiel import spiel_game

        return spiel_game(self.rules)

    @property
    def first_player(self) -> Player:
        """The player of the first move."""
        return self.rules.first_player

    def __repr__(self) -> str:
        return f"<Game {self.name}, depth {self.depth}>"

    def _repr_svg_(self) -> str:
        return self.board.svg()


Rules: TypeAlias = "Game | protocol.TwoPlayerGame | Simulator | str"
"""A game: of this library, an object with the methods of a simulator, or ``openspiel:NAME``."""


def rules_of(game: Rules) -> protocol.TwoPlayerGame:
    """The executable rules; raises ``UsageError`` for what is no game."""
    if isinstance(game, Game):
        return game.rules
    if isinstance(game, protocol.TwoPlayerGame):
        return game
    if isinstance(game, str):
        from qsage_validate.problems.searched import rules_of_words

        return rules_of_words([game])[0]
    from qsage_validate.judging.python_rules import SimulatedGame

    return SimulatedGame(game)


@parameter_words
def game(name: str, **parameters: object) -> Game:
    """A game of the library by its name and parameters: those of ``qsage games``.

    ``game("httt", size=(4, 4), shape="tic", depth=5)``.  Values are as on the command line or
    Python's own: ``size="4x4"`` or ``size=(4, 4)``.  The name may have options behind it, as there
    (``"httt --size 4x4"``); parameters come before them.  Raises ``UsageError``, which lists the
    names, for a game or a parameter that there is not, or a value that does not fit.
    """
    from qsage_validate.games.library.template import plain
    from qsage_validate.games.registry import find_game, words_and_options

    if " " in of_kind(name, str, "a game's name"):
        from qsage_validate.problems.searched import game_words

        if len(words := game_words(name)) > 1:
            (name, *_), given = words_and_options(words)
            parameters = {**given, **parameters}
    template, values = find_game(name).choose(plain(name), parameters)
    options = [word for key, value in values.items() for word in _option(key, value)]
    return Game(template.build(values), (template.name, *options), by_name=True)


def game_of(subject: Game | str, parameters: Mapping[str, object]) -> Game:
    """The game, by its name and parameters where it is one; raises ``UsageError`` as `game`."""
    if isinstance(subject, str):
        return game(subject, **parameters)
    found = of_kind(subject, Game, "a game or a game's name")
    if parameters:
        raise UsageError(f"found {next(iter(parameters))}= with a game, expected a game's name")
    return found


def game_names() -> GameTable:
    """The games of the library: for each its name, its parameters and a line of description."""
    from qsage_validate.games.library.catalogue import library_games

    return GameTable.of(library_games())


@parameter_words
def game_from_files(*paths: FileSource, **parameters: object) -> Game:
    """A game from its files: a PG, ``.hex`` or GDL file, or a BDDL domain and its problem.

    Files are paths, bytes or open files.  ``parameters`` are those of the language: ``depth``, and
    ``role`` and ``win`` in GDL.  Raises ``InputError`` for what is wrong in a file, with its place.
    """
    from qsage_validate.games.registry import find_model

    names = ("domain", "problem") if len(paths) == 2 else ("game",) * len(paths)
    if len(paths) not in (1, 2):
        raise UsageError(f"found {len(paths)} files, expected one, or a domain and a problem")
    sources = dict(zip(names, paths, strict=True))
    with as_paths(**sources) as files:
        model = find_model([path for path in files.values() if path is not None], parameters)
    words = [shown(name, source) or "" for name, source in sources.items()]
    given = [w for k, v in parameters.items() if v is not None for w in _option(k, v)]
    return Game(model, (*words, *given))


def game_from_text(*texts: str, **parameters: object) -> Game:
    """A game from the text of its files; see :func:`game_from_files`."""
    checked = [of_kind(text, str, "the text of a file") for text in texts]
    return game_from_files(*(text.encode() for text in checked), **parameters)


def made_from(words: Sequence[str]) -> tuple[str, ...]:
    """The words that make ``qsage-play`` play a game, for the replays of plays."""
    flag = "--game" if len(words) == 2 and not words[1].startswith("--") else "--model"
    return (flag, *words) if flag == "--game" else (flag, shlex.join(words))


def _option(name: str, value: object) -> list[str]:
    flag = "--" + name.replace("_", "-")
    if value is True:
        return [flag]
    return [flag, "x".join(map(str, value)) if isinstance(value, (tuple, list)) else str(value)]
