"""The start screen and the plays that begin there, one after the other in one program."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from qsage_validate.cli.common import narrate
from qsage_validate.cli.play.board import not_lost, play_on
from qsage_validate.cli.play.waiting import AnotherPlay, BoardSession
from qsage_validate.errors import Exit, InputError, MissingExtraError, QsageError, one_line
from qsage_validate.play.state import State, Store

if TYPE_CHECKING:
    from qsage_validate.play.tui.model.entries import StartEntry

Play = Callable[[Sequence[str]], Exit]
"""Plays what the words of a command line say; raises as the command does."""

# The requests that an entry of the state may make: a play by hand, and nothing that writes.
_REFUSED: Final = frozenset(
    {"--export", "--resume", "--moves", "--moves-file", "--white", "--black", "--drill", "--json"}
)
# Whether a play has been begun from the start screen of this process.
_begun: Final[list[bool]] = []


def in_session() -> bool:
    """Whether the start screen has begun the play that is going on."""
    return bool(_begun)


def from_the_start(
    play: Play, *, theme: str | None, kept: bool, behind: BoardSession | None = None
) -> Exit:
    """Show the start screen, play what is chosen, and come back when another play is wanted.

    ``behind`` is the play that one came from, and may go back to.
    """
    store = behind.store if behind is not None else Store.usual() if kept else Store(None)
    message: str | None = None
    _begun.append(True)
    try:
        while True:
            try:
                words, theme, message = _chosen(store, theme, message, behind)
            except BaseException:
                if behind is not None:
                    not_lost(behind)
                raise
            try:
                if words is not None:
                    return play(_with_options(words, theme, kept=store.folder is not None))
                if behind is None:
                    return Exit.FINE
                behind.theme = theme
                return play_on(behind)
            except AnotherPlay as wish:
                behind, theme, message = wish.behind, wish.behind.theme, None
            except QsageError as error:
                message = one_line(str(error))
    finally:
        _begun.pop()


def _with_options(words: Sequence[str], theme: str | None, *, kept: bool) -> list[str]:
    shown = [] if theme is None else ["--theme", theme]
    return [*words, *shown, *([] if kept else ["--no-state"])]


def _chosen(
    store: Store, theme: str | None, message: str | None, behind: BoardSession | None
) -> tuple[tuple[str, ...] | None, str, str | None]:
    """The person's choice, and the theme at the end."""
    from qsage_validate.play.tui.base import check_terminal, run_app
    from qsage_validate.play.tui.start import StartApp

    state, complaint = store.read_or_put_aside()
    first = theme or state.theme or "dark"
    check_terminal(first)
    waiting = None if behind is None else behind.match.facts.title
    app = StartApp(_entries(state), first, message or complaint, waiting)
    found = run_app(app)
    last = app.word_of_theme
    if last != state.theme and (theme is None or last != first):
        try:
            store.write(replace(state, theme=last))
        except InputError as error:
            narrate(f"qsage: not remembered: {error}")
    words = found if isinstance(found, tuple) else None
    return words, last, None


def _entries(state: State) -> tuple[StartEntry, ...]:
    from qsage_validate.play.tui.model import entries
    from qsage_validate.problems.files import beside
    from qsage_validate.solvers.qbf.solving import available

    try:
        solvers = [solver.name for solver in available()]
    except MissingExtraError:
        solvers = []
    plays = [p for p in state.recent if not _REFUSED.intersection(_flags(p.words))]
    return (
        *entries.recent(plays),
        *entries.samples(),
        *entries.formulas(os.curdir, beside, solvers),
        *entries.games(solvers),
        entries.any_file(solvers),
    )


def _flags(words: Sequence[str]) -> set[str]:
    return {word.partition("=")[0] for word in words if word.startswith("--")}
