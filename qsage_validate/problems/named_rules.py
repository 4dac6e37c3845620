"""The rules that the words behind ``--game`` or ``--model`` mean, and layouts found by them."""

from __future__ import annotations

from collections.abc import Sequence

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.layout.layout import Layout
from qsage_validate.errors import UndecidedError
from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import Game
from qsage_validate.games.registry import find_command
from qsage_validate.judging.python_rules import names_python_rules, python_game
from qsage_validate.system.limits import NEVER, Deadline
from qsage_validate.system.progress import Tell, nobody


def game_of_words(words: Sequence[str], language: str | None = None) -> Game:
    """The game that words mean: files, a name with options, rules in Python, or OpenSpiel's.

    ``language`` chooses among the languages of a game by name.  Raises ``UsageError`` and
    ``InputError``.
    """
    if names_python_rules(words):
        return python_game(words)
    return load_game(find_command(words, language))


def found_layout(
    formula: Qbf, game: Game, *, deadline: Deadline = NEVER, tell: Tell = nobody
) -> Layout:
    """The layout of a formula that has none, for a game that is known.

    Raises ``UsageError`` where the game cannot be the formula's, and ``UndecidedError`` where no
    reading of its variables stands out.
    """
    from qsage_validate.judging.readings.find import find_layout

    found = find_layout(formula, game, deadline=deadline, tell=tell)
    if not found.stands_out:
        raise UndecidedError(
            f"no layout was found: {found.why}; 'qsage layout' shows the best readings"
        )
    return found.layout
