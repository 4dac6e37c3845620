"""The play of a finding, step by step: as the formula sees it, else by the rules alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from qsage_validate.arena.engines.engine import answered
from qsage_validate.arena.open import open_engine
from qsage_validate.errors import QsageError
from qsage_validate.games.protocol import Player, TwoPlayerGame
from qsage_validate.problems.load import Problem
from qsage_validate.problems.script_moves import scripted
from qsage_validate.proving.report import ValidationReport
from qsage_validate.proving.run import LevelResult
from qsage_validate.render.steps import RenderedStep, steps_by_rules, steps_of_frames
from qsage_validate.validation.finding import Finding


@dataclass(frozen=True, slots=True)
class RefutedPlay:
    """The play of ``finding``; ``source`` says whose boards the steps show.

    Without a layout and rules the steps have no boards.
    """

    result: LevelResult
    finding: Finding
    steps: tuple[RenderedStep, ...]
    source: str


def first_refuted_play(
    report: ValidationReport, problem: Problem | None = None, game: TwoPlayerGame | None = None
) -> RefutedPlay | None:
    """The shortest play of the first level that found one; ``None`` without such a level."""
    for result in report.results:
        findings = [finding for finding in result.findings if finding.moves]
        if findings:
            finding = min(findings, key=lambda own: len(own.moves))
            steps, source = steps_of_finding(finding, problem, game)
            return RefutedPlay(result, finding, steps, source)
    return None


def steps_of_finding(
    finding: Finding, problem: Problem | None = None, game: TwoPlayerGame | None = None
) -> tuple[tuple[RenderedStep, ...], str]:
    """The steps of a finding's play, and whose boards they show.

    The certificate replays it where there is one and it answers as in the finding.
    """
    if problem is not None:
        steps = _replayed(problem, finding.moves)
        if steps is not None:
            return _pointed_out(steps, finding), "the boards are decoded from the formula"
    rules = game if game is not None or problem is None else problem.game
    if rules is not None:
        listed = [m for p in Player for m in rules.moves(p)] if rules.lists_moves else []
        names = frozenset(map(str, listed))
        moves = [scripted(move, names).text for move in finding.moves]
        return _pointed_out(steps_by_rules(rules, moves), finding), "the boards are the rules'"
    return (), "the formula has no layout: there are no boards to show"


def _replayed(problem: Problem, moves: Sequence[str]) -> tuple[RenderedStep, ...] | None:
    """The play against the certificate; ``None`` when it goes another way than ``moves``."""
    engine, names = open_engine(problem), problem.move_names
    played = [*answered(engine, engine.start())]
    while not played[-1].over and played[-1].ply < len(moves):
        here, said = played[-1], scripted(moves[played[-1].ply], names)
        try:
            move = engine.parse(here, said.text)
            # A legal move is simply made; an illegal one is let happen.
            why = engine.why_not(here, move)
            claim = said.claim and engine.can_claim(here)
            played += answered(engine, engine.push(here, move, why, claim=claim))
        except QsageError:
            return None
    replayed = [str(frame.move) for frame in played if frame.move is not None]
    expected = [scripted(move, names).text for move in moves]
    length = min(len(replayed), len(expected))
    if replayed[:length] != expected[:length] or len(replayed) < len(expected) - 1:
        return None
    # The answer after the last move is shown, too, if it was made.
    return tuple(step for step in steps_of_frames(played) if step.ply <= len(expected) + 1)


def _pointed_out(steps: tuple[RenderedStep, ...], finding: Finding) -> tuple[RenderedStep, ...]:
    """The steps with the finding told at the ply at which it was seen."""
    shown = []
    for step in steps:
        if step.ply == finding.ply and finding.text not in step.remarks:
            step = replace(step, remarks=(*step.remarks, finding.text))
        shown.append(step)
    return tuple(shown)
