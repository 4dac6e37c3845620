"""Plays against a certificate: the way that the options ask for; by a script, step by step."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from qsage_validate.cli.common import emit, emit_json, narrate
from qsage_validate.cli.play.play_options import PlayMode, PlayOptions, PlayTable, check_teacher
from qsage_validate.errors import Exit
from qsage_validate.registry import declares

if TYPE_CHECKING:
    from qsage_validate.arena.frame import Frame
    from qsage_validate.arena.lesson import Teacher
    from qsage_validate.arena.program import Programmed
    from qsage_validate.cli.model_arguments import ModelArguments
    from qsage_validate.cli.play.play_options import PlayTable
    from qsage_validate.games.model_text import GameModel
    from qsage_validate.play.match import PlayMatch
    from qsage_validate.play.tui.model.situation import Services
    from qsage_validate.problems.load import Files, Problem


@dataclass(frozen=True)
class NamedGame:
    """A game without a formula, and the words of the command line that mean it.

    ``named`` are the arguments of which these are the words, if they name a game of the library.
    """

    model: GameModel
    words: tuple[str, ...]
    named: ModelArguments | None = None

    def to_certify(self, encoding: str | None) -> NamedGame:
        """The same at its critical depth, where it is a game by name without a depth."""
        if self.named is None or not self.named.lacks_depth:
            return self
        from qsage_validate.cli.deepening import with_critical_depth

        model, named = with_critical_depth(self.named, self.model, encoding)
        return NamedGame(model, (*named.words, *named.flags), named)

    @property
    def text(self) -> str:
        return " ".join(self.words)

    def encoded_by(self, encoding: str | None) -> tuple[str, ...]:
        """The words of the game and of the encoding of its formula."""
        return (*self.words, *(() if encoding is None else ("--encoding", encoding)))


class Opponent(Protocol):
    """Who answers in a play; ``play`` loads what answers, and plays against it."""

    def play(self, options: PlayOptions, json_output: bool) -> Exit: ...


@dataclass(frozen=True)
class OfFormula(ABC):
    """Who plays by a formula: one in ``files``, or that of a game by an encoding."""

    files: Files
    game: NamedGame | None
    encoding: str | None

    @property
    def what(self) -> str:
        """What is played, while it is loaded."""
        return self.files.name if self.game is None else self.game.text

    @abstractmethod
    def load(self) -> Any: ...

    def play(self, options: PlayOptions, json_output: bool) -> Exit:
        return play_problem(self.load, self.what, options, json_output)


def play_problem(
    make: Callable[[], Problem], what: str, options: PlayOptions, json_output: bool
) -> Exit:
    """Play against the certificate of the problem that ``make`` loads of ``what``."""
    if options.mode is PlayMode.RANDOM:
        from qsage_validate.cli.play.attacks import play_random

        return play_random(make(), options, json_output)
    if options.mode is PlayMode.SCRIPT:
        return script(_table(make()), options, json_output)
    from qsage_validate.cli.play.attacks import by_hand, play_drill

    if options.drill is not None:
        from qsage_validate.games.protocol import Player

        return play_drill(make, what, Player(options.drill), options)
    return by_hand(lambda: _table(make()), what, options)


def play_explained(
    make: Callable[[], Programmed], what: str, options: PlayOptions, json_output: bool
) -> Exit:
    """Play against the certificate of the program that ``make`` finds of ``what``."""

    def table() -> PlayTable:
        found = make()
        return replace(_table(found.problem), program=found.program)

    if options.mode is PlayMode.SCRIPT:
        return script(table(), options, json_output)
    from qsage_validate.cli.play.attacks import by_hand

    return by_hand(table, what, options)


def _table(problem: Problem) -> PlayTable:
    from qsage_validate.arena.open import open_engine

    def teacher() -> Teacher | None:
        from qsage_validate.arena.lesson import teacher_of

        return teacher_of(problem)

    def services() -> Services:
        from qsage_validate.cli.play.board import prover
        from qsage_validate.play.tui.model.situation import Services

        # A solver's play has nothing to prove, and its tree would be solved move by move.
        if problem.solving is not None:
            return Services(gates=Services.of(problem).gates)
        return Services.of(problem, prover(problem))

    return PlayTable(
        open_engine(problem),
        problem.replay,
        services,
        None if problem.solving is None else problem.solving.replies.task,
        teacher if problem.layout is not None and declares("teachers") else None,
    )


# -- scripts --------------------------------------------------------------------------------


def script(table: PlayTable, options: PlayOptions, json_output: bool) -> Exit:
    """Play by a script, and show each step."""
    check_teacher(table, options)
    from qsage_validate.formats.source import Source
    from qsage_validate.play.match import PlayMatch
    from qsage_validate.play.report import (
        exit_code,
        frame_lines,
        lesson_lines,
        run_script,
        too_few_moves,
    )

    match = PlayMatch(table.engine, teacher=table.teacher, program=table.program)
    text, path = options.moves or "", None
    if options.moves_file is not None:
        source = Source.open(options.moves_file)
        text, path = source.text, source.path

    def tell(frame: Frame) -> None:
        if not json_output:
            emit("\n".join(frame_lines(match, frame)))

    if options.white is None and options.black is None:
        refused = run_script(match, text, path, show=tell)
    else:
        refused = None
        options.tell_opponent(match.person, "certificate")
        _draw_moves(match, random.Random(options.seed or 0), tell)
    if json_output:
        lesson = {"lesson": match.lesson().to_dict()} if options.teach else {}
        from qsage_validate.play.export import match_json

        emit_json(match_json(match, refused) | lesson)
    elif options.teach:
        emit("\n".join(lesson_lines(match.lesson())))
    if refused is not None:
        if not json_output:
            emit(f"{refused.move.words} is illegal:")
            emit("\n".join(f"  {line}" for line in refused.lines))
        way = "" if match.facts.by_rules else f" ({refused.move.words}! lets it happen)"
        words, first = refused.move.words, next(iter(refused.lines), "no reason is known")
        narrate(f"qsage: error: {words} is illegal: {first.removeprefix(f'{words}: ')}{way}")
        return Exit.BAD_INPUT
    if options.export is not None:
        from qsage_validate.play.export import write_play

        write_play(match, options.export)
        narrate(f"{options.export}: the play")
    if not match.over:
        narrate(too_few_moves(match))
    return exit_code(match)


def _draw_moves(match: PlayMatch, generator: random.Random, tell: Callable[[Frame], None]) -> None:
    """Play to the end by moves that are drawn."""
    for frame in match.frames:
        tell(frame)
    while (move := match.random_move(generator)) is not None:
        for frame in match.push(move):
            tell(frame)
