"""A validation as one HTML page that needs nothing else: no font, no other file, no network.

The page is a function of its arguments: the same validation gives the same bytes, but for the
seconds in it.  Everything that comes from files is escaped.  Without its script, and in print, all
steps of its plays stand side by side.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from itertools import count

from markupsafe import Markup

from qsage_validate.errors import one_line
from qsage_validate.games.protocol import BoardPicture, TwoPlayerGame
from qsage_validate.problems.load import Problem
from qsage_validate.problems.provenance import facts_from_json, file_facts, versions
from qsage_validate.proving.levels import Level
from qsage_validate.proving.pages.finding_groups import groups_of
from qsage_validate.proving.pages.refuted_play import first_refuted_play
from qsage_validate.proving.pages.statistics import Statistics
from qsage_validate.proving.pages.templates import page, tone
from qsage_validate.proving.report import ValidationReport
from qsage_validate.render.steps import diagram
from qsage_validate.render.svg import Bar, Marks, bar_chart, board_svg
from qsage_validate.validation.verdict import Proved

_SIGNS = {"proved": "✓", "refuted": "✗", "sampled": "≈", "undecided": "?", "not applicable": "–"}
_TONES = {
    "proved": "good",
    "refuted": "bad",
    "sampled": "open",
    "undecided": "open",
    "not applicable": "none",
}
# Facts that have a place of their own in the page.
_PLACED = {"files", "command", "notes", "version", "model warnings"}
_MOST_FINDINGS = 20
_MOST_BARS = 40


def html_report(
    report: ValidationReport,
    problem: Problem | None = None,
    statistics: Statistics | None = None,
    *,
    game: TwoPlayerGame | None = None,
) -> str:
    """The page.

    ``problem`` has the files and replays the first play that refutes something; ``game`` shows
    it where there is no certificate; without ``statistics`` (of
    :func:`~qsage_validate.proving.pages.statistics.statistics_of`) these sections are left out.
    """
    dependencies = report.result(Level.DEPENDENCIES)
    if (
        problem is not None
        and dependencies is not None
        and isinstance(dependencies.verdict, Proved)
    ):
        problem = problem.with_checked_dependencies()
    facts, findings = report.facts, [(r, f) for r in report.results for f in r.findings]
    version, warnings = facts.get("version"), facts.get("model warnings")
    version = version if isinstance(version, str) else versions()["qsage-validate"]
    # The files as they were when they were read, if the report says so, else as they are.
    own = () if problem is None else file_facts(problem.files)
    command = facts.get("command")
    if not isinstance(command, str) and problem is not None:
        words = shlex.split(problem.files.command())
        command = shlex.join(["qsage", "validate", *words[1:]])
    replays = [finding.replay for _, finding in findings if finding.replay]
    # Few validations have a solver's trace, or assertions: no reader misses them.
    rare = (Level.TRACE, Level.ASSERTIONS)
    missing = [x.value for x in Level if report.result(x) is None and x not in rare]
    drawings = _Drawings()
    values = {
        **({} if statistics is None else _numbers(statistics, drawings)),
        "report": report,
        "problem": problem,
        "statistics": statistics,
        "title": one_line(f"{report.word}: {report.subject}"),
        "version": version,
        "tone": tone(report),
        "tones": _TONES,
        "signs": _SIGNS,
        "missing": missing,
        "groups": groups_of(findings),
        "most_findings": _MOST_FINDINGS,
        "warnings": [str(w) for w in warnings] if isinstance(warnings, (list, tuple)) else [],
        "played": first_refuted_play(report, problem, game),
        "files": facts_from_json(facts.get("files")) or own,
        "used": [
            f"{name} {number}" for name, number in {**versions(), "qsage-validate": version}.items()
        ],
        "rest": [(str(key), _said(value)) for key, value in facts.items() if key not in _PLACED],
        "command": command if isinstance(command, str) else "",
        "replays": list(dict.fromkeys(replays[:_MOST_FINDINGS])),
        "draw": drawings.board,
        "rules_marks": lambda step: Marks(wrong=step.marks.wrong),
        "values": _values,
    }
    return page("page.html.jinja", ["report.js"], values)


class _Drawings:
    """The drawings of a page, each with a name of its own."""

    def __init__(self) -> None:
        self._names = map("drawing-{}".format, count(1))

    def board(self, board: BoardPicture, marks: Marks, title: str) -> Markup:
        name = next(self._names)
        return Markup(board_svg(board, marks, title=title, identifier=name, standalone=False))

    def chart(self, statistics: Statistics) -> Markup:
        """The lengths of plays, as bars and a line's end; empty for too many bars."""
        bars = [Bar(str(row.ply), row.won, row.lost) for row in statistics.by_ply if row.ply]
        if not 0 < len(bars) <= _MOST_BARS:
            return Markup("")
        title = f"Plays that end after each ply, won by {statistics.player} (not won: hatched)"
        axis = "plays that end after this many plies"
        return Markup(bar_chart(bars, title=title, axis=axis, identifier=next(self._names)) + "\n")


def _numbers(statistics: Statistics, drawings: _Drawings) -> dict[str, object]:
    """The numbers of a strategy that the template shows."""
    player = statistics.player
    lower = "" if statistics.exact else "≥ "
    lines = {"Main line": statistics.main_line, "Deepest line": statistics.deepest_line}
    main, deepest = ([step.move for step in steps] for steps in lines.values())
    if main == deepest:
        del lines["Deepest line"]
    shortest = "–" if statistics.shortest is None else f"{statistics.shortest} plies"
    numbers = [
        ("Plays (different sequences of moves)", f"{lower}{statistics.plays:,}"),
        ("Positions in them, the start included", f"{lower}{statistics.positions:,}"),
        (f"Positions in which {player} answers", f"{lower}{statistics.answered:,}"),
        ("… of these answered in several ways", f"{lower}{statistics.ambiguous:,}"),
        ("Different replies", f"{lower}{statistics.different:,}"),
        ("Longest play", f"{lower}{statistics.depth} plies of at most {statistics.bound}"),
        ("Shortest play", shortest),
        (f"Plays won by {player} before the last ply", f"{lower}{statistics.early:,}"),
        (f"Plays not won by {player}", f"{lower}{statistics.lost:,}"),
    ]
    drawn = [(name, diagram(steps)) for name, steps in lines.items()]
    return {
        "lines": lines,
        "diagrams": [(name, found) for name, found in drawn if found is not None],
        "numbers": numbers,
        "chart": lambda: drawings.chart(statistics),
    }


def _nested(value: object) -> bool:
    """True if a value is for programs only: a table of tables."""
    return isinstance(value, Mapping) and any(isinstance(v, Mapping) for v in value.values())


def _values(value: object) -> Iterator[str]:
    """A value of a level's evidence; of a list of tables one line for each."""
    if isinstance(value, list) and value and all(isinstance(each, Mapping) for each in value):
        for each in value:
            yield ", ".join(f"{name}: {_said(own)}" for name, own in each.items())
    elif not _nested(value):
        yield _said(value)


def _said(value: object) -> str:
    """A value of ``--json`` for people."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}" if abs(value) >= 10_000 else str(value)
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    if isinstance(value, str):
        return one_line(value)
    if value is None:
        return "unknown"
    return one_line(json.dumps(value, ensure_ascii=False, default=str))
