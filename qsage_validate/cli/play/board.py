"""A play on the board of the terminal, proofs beside it, and what is left of it.

A process, because a SAT solver holds the interpreter while it runs: a thread could neither show
how far it is nor be stopped.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from qsage_validate.cli.common import narrate
from qsage_validate.cli.play.play_options import AnotherPlay, BoardSession
from qsage_validate.errors import (
    Exit,
    InputError,
    MissingExtraError,
    QsageError,
    Undecided,
    UsageError,
    one_line,
)
from qsage_validate.play.state import Recent, State, Store, is_a_play, words_of
from qsage_validate.system.limits import Progress, Tell, stage
from qsage_validate.system.pool import JobEndedError, Send, run_job

if TYPE_CHECKING:
    from qsage_validate.arena.lesson import BoardDrill, Teacher
    from qsage_validate.cli.play.play_options import PlayTable
    from qsage_validate.games.protocol import Player
    from qsage_validate.play.match import PlayMatch
    from qsage_validate.play.tui.model.entries import StartEntry
    from qsage_validate.play.tui.model.situation import LevelRow, ProofEnd, Prove
    from qsage_validate.play.tui.start import ChosenGame
    from qsage_validate.problems.load import Problem
    from qsage_validate.proving.report import ValidationReport


# The prover that the play's interface is given: the levels, run in a process of their own


def prover(problem: Problem) -> Prove:
    """Runs all levels on ``problem`` when it is called."""

    def prove(
        tell: Tell, done: Callable[[LevelRow], None], cancelled: Callable[[], bool]
    ) -> ProofEnd:
        from qsage_validate.play.tui.model.situation import LevelRow, ProofEnd
        from qsage_validate.proving.run import LevelResult

        finished: list[str] = []
        refuted = False

        def receive(sent: object) -> None:
            nonlocal refuted
            if isinstance(sent, Progress):
                tell(sent)
            elif isinstance(sent, LevelResult):
                name = sent.level.value
                finished.append(f"{name} {sent.word}")
                refuted = refuted or bool(sent.findings)
                done(LevelRow(name, sent.word, sent.seconds, sent.said, sent.findings))

        try:
            report = run_job(_prove, problem, receive=receive, stop=cancelled)
        except JobEndedError as error:
            raise UsageError(f"the proof has no result: {error}; was it killed?") from None
        if isinstance(report, Undecided):
            text = f"Stopped; {', '.join(finished) or 'no level has ended'}."
            return ProofEnd(text, refuted, stopped=True)
        return ProofEnd(report.last_line, report.exit_code is Exit.REFUTED, report.interrupted)

    return prove


def _prove(send: Send, problem: Problem) -> ValidationReport:
    from qsage_validate.problems.validated import to_validate
    from qsage_validate.proving.report import validate
    from qsage_validate.proving.run import ValidationOptions

    return validate(to_validate(problem), ValidationOptions(), tell=send, done=send)


# Plays on the board: prepared while something is on the screen, played, left, and kept


DARK = "dark"


def on_board(
    make: Callable[[], PlayTable],
    what: str,
    *,
    theme: str | None,
    seed: int | None,
    force: bool,
    continued: str | None,
    kept: bool,
) -> Exit:
    """Let a person play on the board of the table that ``make`` makes of ``what``.

    It begins with the play in the file ``continued``; without ``kept`` no state is.  Raises
    :class:`AnotherPlay` when the person goes to the start screen.
    """
    # All of Textual that is needed is there before a second thread loads modules.
    from qsage_validate.play.tui.base import check_terminal
    from qsage_validate.play.tui.start import Background, opened

    store = Store.usual() if kept else Store(None)
    shown = theme or kept_theme(store)
    check_terminal(shown)

    def prepared() -> tuple[PlayTable, PlayMatch]:
        from qsage_validate.play.match import PlayMatch

        table = make()
        match = PlayMatch(table.engine, table.task, teacher=table.teacher, program=table.program)
        if continued is not None:
            go_on_with(match, continued)
        return table, match

    work = Background(prepared)
    table, match = opened(work, what, shown)
    for note in work.task.notes:
        narrate(note)
    board = BoardSession(table, match, store, theme, seed, force)
    if continued is not None:
        board.saved = os.path.abspath(continued)
        # A play that was kept is kept in its file again; other files are the person's own.
        board.path = board.saved if store.keeps(board.saved) else None
    remember(board)
    return play_on(board)


def go_on_with(match: PlayMatch, path: str) -> None:
    """Replay the play in ``path``; raises ``InputError`` where it does not fit."""
    from qsage_validate.formats.source import Source
    from qsage_validate.play.transcript import Transcript

    source = Source.open(path)
    stage(f"replaying {source.path}")
    match.load(Transcript.parse(source.text, source.path))


def play_on(board: BoardSession) -> Exit:
    """Let the person play on the board until it is left; what would be lost is kept."""
    from qsage_validate.play.tui.app import Next, run
    from qsage_validate.system.signals import signals_held_back

    table = board.table
    services = None if table.services is None else table.services()

    # The screen is in use while a play is saved: what went wrong is told behind it.
    complaints = list[str]()

    def saved(path: str) -> None:
        board.saved = os.path.abspath(path)
        complaints.extend(_remembered(board))

    while True:
        # What ends the program waits until the play is kept.
        with signals_held_back():
            left = run(
                board.match,
                theme=board.theme or kept_theme(board.store),
                seed=board.seed,
                force=board.force,
                replay=table.replay,
                services=services,
                asks=board.store.folder is None,
                unsaved=board.unsaved,
                saved=saved,
                refuge=_refuge(board.store),
            )
            board.theme, board.unsaved = left.theme, left.unsaved
            while complaints:
                narrate(complaints.pop(0))
            if left.unsaved:
                _keep(board, left.name)
            remember(board)
        if left.next is Next.ANOTHER:
            raise AnotherPlay(board)
        if left.next is Next.NOTHING:
            return left.code
        _drill(board)


def _refuge(store: Store) -> str | None:
    """The folder for plays that can be saved nowhere else."""
    if store.folder is None:
        return None
    try:
        return store.plays_folder()
    except InputError:
        return None  # which is told when a play is to be kept there


def not_lost(board: BoardSession) -> None:
    """Save a play that waits, and is in no file, when it will not be gone on with."""
    from qsage_validate.play.tui.app import rescue

    if board.unsaved:
        board.unsaved = False
        rescue(board.match, None)


def _drill(board: BoardSession) -> None:
    """Ask for the lines of the strategy of a play, which waits meanwhile."""
    match = board.match
    words = board.table.replay(())

    def teacher() -> Teacher:
        made = match.teacher
        if made is None:
            raise UsageError("found no teacher of this play, expected one that knows its lines")
        return made

    board.theme = _board_drill()(
        teacher,
        match.facts.title,
        match.facts.certificate_player,
        lambda side: board.store.drill_path(words, side),
        both=True,
        theme=board.theme or kept_theme(board.store),
    )


def _board_drill() -> BoardDrill:
    from qsage_validate.arena.lesson import teachers
    from qsage_validate.registry import load

    found = teachers()
    if found is None:
        raise UsageError("found no drill, expected an installed package that teaches")
    drill: BoardDrill = load(found.board)
    return drill


def drill_on_board(
    make: Callable[[], tuple[Problem, Teacher]],
    what: str,
    side: Player,
    path: str | None,
    *,
    theme: str | None,
    kept: bool,
) -> Exit:
    """Drill a side on a board; ``path`` keeps the progress, else the state, where it is ``kept``.

    Raises ``InputError`` for a file of another drill.
    """
    from qsage_validate.play.tui.base import check_terminal
    from qsage_validate.play.tui.start import Background, opened

    store = Store.usual() if kept else Store(None)
    shown = theme or kept_theme(store)
    check_terminal(shown)
    drill = _board_drill()
    problem, teacher = opened(Background(make), what, shown)
    words = problem.replay(())

    def path_of(drilled: Player) -> str | None:
        return store.drill_path(words, drilled) if path is None else path

    drill(lambda: teacher, problem.play_title, side, path_of, both=path is None, theme=shown)
    return Exit.FINE


def kept_theme(store: Store) -> str:
    """The theme that was chosen last; a line says if what is kept cannot be read."""
    state, complaint = store.read_or_put_aside()
    if complaint is not None:
        narrate(f"qsage: {complaint}")
    return state.theme or DARK


def remember(board: BoardSession) -> None:
    """Put the play among the recent ones; where that fails, a line says so."""
    for complaint in _remembered(board):
        narrate(complaint)


def _remembered(board: BoardSession) -> Iterator[str]:
    """Put the play among the recent ones; gives the lines that say what went wrong."""
    store, words = board.store, words_of(board.table.replay(()))
    if store.folder is None or not words:
        return
    state, complaint = store.read_or_put_aside()
    if complaint is not None:
        yield f"qsage: {complaint}"
    kept, match = board.saved or board.path, board.match
    now = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M")
    state = state.with_recent(Recent(words, match.facts.title, kept, match.frame.ply, now))
    try:
        store.write(replace(state, theme=board.theme or state.theme))
    except InputError as error:
        yield f"qsage: not remembered: {error}"


def _keep(board: BoardSession, name: str) -> None:
    """Keep a play that is in no file, and say where."""
    from qsage_validate.play.tui.app import rescue

    if board.store.folder is None or not is_a_play(board.match.transcript()):
        return
    try:
        board.path = board.store.keep_play(board.match, name, board.path)
    except InputError as error:
        narrate(f"qsage: the play is not kept: {error}")
        rescue(board.match, name)
    else:
        board.unsaved, board.saved = False, None
        narrate(f"the play is kept: {board.path} (qsage-play offers it, --continue takes it)")


# The start screen and the plays that begin there, one after the other in one program


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
    chosen: ChosenGame | None = None
    _begun.append(True)
    try:
        while True:
            try:
                words, theme, chosen = _chosen(store, theme, message, behind, chosen)
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
                behind, theme, message, chosen = wish.behind, wish.behind.theme, None, None
            except QsageError as error:
                message = one_line(str(error))
    finally:
        _begun.pop()


def _with_options(words: Sequence[str], theme: str | None, *, kept: bool) -> list[str]:
    shown = [] if theme is None else ["--theme", theme]
    return [*words, *shown, *([] if kept else ["--no-state"])]


def _chosen(
    store: Store,
    theme: str | None,
    message: str | None,
    behind: BoardSession | None,
    before: ChosenGame | None,
) -> tuple[tuple[str, ...] | None, str, ChosenGame]:
    """The words of the person's choice, the theme at the end, and the choice with its fields.

    ``before`` is the choice that went wrong, with ``message``.
    """
    from qsage_validate.play.tui.base import check_terminal, run_app
    from qsage_validate.play.tui.start import StartApp

    state, complaint = store.read_or_put_aside()
    first = theme or state.theme or "dark"
    check_terminal(first)
    waiting = None if behind is None else behind.match.facts.title
    app = StartApp(_entries(state), first, message or complaint, waiting, before)
    found = run_app(app)
    last = app.word_of_theme
    if last != state.theme and (theme is None or last != first):
        try:
            store.write(replace(state, theme=last))
        except InputError as error:
            narrate(f"qsage: not remembered: {error}")
    words = found if isinstance(found, tuple) else None
    return words, last, app.chosen


def _entries(state: State) -> tuple[StartEntry, ...]:
    from qsage_validate.play.tui.model import entries
    from qsage_validate.problems.load import beside
    from qsage_validate.solvers.qbf_solving import available

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
