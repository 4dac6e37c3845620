"""The interface that a person plays on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qsage_validate.arena.engines.engine import Engine
    from qsage_validate.arena.lesson import Teacher
    from qsage_validate.arena.program import PlayedProgram
    from qsage_validate.play.tui.model.notes import Replay
    from qsage_validate.play.tui.model.services import Services
    from qsage_validate.system.progress import Task

    MakeTeacher = Callable[[], Teacher | None]


@dataclass(frozen=True)
class PlayTable:
    """The engine that answers, and what the interface can use beside it.

    Answers that are a ``task`` may take long: on the board they come apart.  ``program`` is
    what they come from, where that is known.
    """

    engine: Engine
    replay: Replay
    services: Callable[[], Services] | None = None
    task: Task | None = None
    teacher: MakeTeacher | None = None
    program: PlayedProgram | None = None
