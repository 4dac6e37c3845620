"""The rules that the words behind ``--game`` or ``--model`` mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from qsage_validate.games.languages import load_game
from qsage_validate.games.protocol import TwoPlayerGame
from qsage_validate.games.registry import find_command


def rules_of_words(
    words: Sequence[str], language: str | None = None
) -> tuple[TwoPlayerGame, Mapping[str, str]]:
    """The game that words mean, and its model's text by part, which rules in Python do not have.

    Words are files, a name with options, a file of rules in Python, or ``openspiel:NAME``.
    ``language`` chooses among the languages of a game by name.  Raises ``UsageError`` and
    ``InputError``.
    """
    from qsage_validate.judging.python_rules import names_python_rules, python_game

    if names_python_rules(words):
        return python_game(words), {}
    model = find_command(words, language)
    return load_game(model), model.parts()
