"""Lessons as the interface shows them: notes on plies, letters, ghosts.  Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from qsage_validate.arena.frame import Frame, LayoutMove, SquareXY
from qsage_validate.arena.lesson import DistanceSource, Ghost, Lesson
from qsage_validate.games.protocol import Player
from qsage_validate.play.picking import Picks


def ply_notes(line: Sequence[Frame], lessons: Mapping[int, Lesson]) -> dict[int, str]:
    """The facts about the plies of a line, by the indices of its frames.

    After a ply of the certificate's: within how many more plies it wins; after one of the
    person's: by how many plies another move lasts longer.
    """
    notes: dict[int, str] = {}
    for index, lesson in lessons.items():
        distance, frame = lesson.distance, line[index]
        by_tree = distance is not None and distance.source is DistanceSource.CERTIFICATE
        if distance is not None and by_tree and distance.plies and frame.outcome is None:
            word = "wins" if distance.winner is Player.BLACK else "ends"
            notes[index] = f"{word} within {distance.plies}"
        if index + 1 < len(line):
            after = line[index + 1]
            short = None if after.by_certificate else lesson.grades.short(str(after.move))
            best = len(lesson.grades.best) == len(lesson.grades.distances)
            if short is not None and not best:
                notes[index + 1] = "lasts longest" if not short else f"{short} shorter"
    return notes


def ghosts_at(picks: Picks, lesson: Lesson, selected: SquareXY | None) -> Mapping[SquareXY, Ghost]:
    """The reply that would come if a square were picked, where one click means one reply."""
    found: dict[SquareXY, dict[str, Ghost]] = {}
    for move, area in picks.areas.items():
        ghost = lesson.ghosts.get(str(move))
        if ghost is None or not isinstance(move, LayoutMove):
            continue
        squares = area if selected is None else area - {selected}
        if len(squares) == 1 and (selected is None or selected in area):
            for square in squares:
                found.setdefault(square, {})[ghost.reply] = ghost
    return {s: next(iter(g.values())) for s, g in found.items() if len(g) == 1}
