"""The report of a validation as a page: findings in groups, the refuted play, statistics.

The page is a function of its arguments: the same validation gives the same bytes, but for the
seconds in it.  Everything that comes from files is escaped.  Without its script, and in print, all
steps of its plays stand side by side.
"""

from __future__ import annotations

import base64
import hashlib
import json
import shlex
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import count
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from qsage_validate.arena.board_engine import answered
from qsage_validate.arena.open import open_engine
from qsage_validate.arena.strategy_tree import (
    Exploration,
    StrategyTree,
    position_key,
    replies,
    tree_of,
)
from qsage_validate.errors import Exit, QsageError, counted, one_line
from qsage_validate.games.protocol import BoardPicture, Player, TwoPlayerGame
from qsage_validate.problems.load import BoardProblem, Problem
from qsage_validate.problems.script_moves import scripted
from qsage_validate.problems.validated import facts_from_json, file_facts, versions
from qsage_validate.proving.levels import Level
from qsage_validate.proving.report import ValidationReport
from qsage_validate.proving.run import LevelResult
from qsage_validate.render.svg import (
    STYLE,
    Bar,
    Marks,
    RenderedStep,
    bar_chart,
    board_svg,
    diagram,
    escape,
    steps_by_rules,
    steps_of_frames,
    steps_of_states,
)
from qsage_validate.validation.finding import Finding, FindingKind, Proved

# What all pages have in common: their templates, and a policy that lets nothing else run


_TONES_OF_VERDICTS: Final = {Exit.FINE: "good", Exit.REFUTED: "bad"}


def tone(report: ValidationReport) -> str:
    """The class of a verdict: ``good``, ``bad``, or ``open``."""
    return _TONES_OF_VERDICTS.get(report.exit_code, "open")


def page(template: str, scripts: Sequence[str], values: Mapping[str, object]) -> str:
    """The page of a template in this folder; ``scripts`` are the names of its scripts.

    All that is shown is escaped, but for drawings. ``steps.js`` stands before them. The page
    asks the network for nothing: its content security policy allows its own scripts alone.
    """
    text = script(scripts)
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    policy = f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'"
    more = {"script": Markup(text), "policy": Markup(policy), "board_style": Markup(STYLE)}
    return filled(template, {**values, **more})


def script(names: Sequence[str]) -> str:
    """The text of ``steps.js`` and of other scripts of ``pages/``."""
    here = files(__package__) / "pages"
    return "\n".join(here.joinpath(name).read_text("utf-8") for name in ("steps.js", *names))


def filled(template: str, values: Mapping[str, object]) -> str:
    """The text of a template in ``pages/``; all that it shows is escaped, but for drawings."""
    return _environment().get_template(template).render(**values)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("qsage_validate.proving", "pages"),
        autoescape=True,
        finalize=lambda value: value if isinstance(value, Markup) else Markup(escape(str(value))),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"count": "{:,}".format, "sentence": _sentence}
    return environment


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


# Statistics of a strategy: numbers of positions and plays, lengths of plays, the replies


# Rounds that are looked at; a strategy with more is described by its shorter plays.
BUDGET = 20_000
_NAMED_REPLIES = 12


@dataclass(frozen=True, slots=True)
class PlyRow:
    """The numbers of the plays after ``ply`` plies.

    ``positions`` are the different ones (0 where neither rules nor formula describe them);
    ``won`` and ``lost`` count the plays that end here
    with and without the promised win, ``unclear`` those of which neither rules nor formula tell
    who won.  ``player`` made the ply (``None`` at the start).
    """

    ply: int
    player: Player | None
    positions: int
    won: int
    lost: int
    unclear: int = 0


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts over all plays against a strategy.

    ``plays`` are different sequences of moves, ``positions`` the different positions in them
    (the start included) as far as they are described, ``answered`` those in which the
    certificate had to answer, ``answers`` how often it did so in all plays, each beginning of a
    play counted once; ``ambiguous`` are the positions that it answers differently depending on
    how they came about.  ``bound`` is
    the number of plies within which the play must end, ``depth`` that of the longest play,
    ``shortest`` of the shortest one.  ``early`` plays are won before the last ply, ``lost`` ones
    not at all.  ``replies`` are the most frequent answers, of ``different`` ones.  Unless
    ``exact`` only ``seen`` rounds were looked at, and the numbers are lower bounds.
    """

    player: Player
    exact: bool
    seen: int
    bound: int
    plays: int
    positions: int
    answered: int
    answers: int
    ambiguous: int
    depth: int
    shortest: int | None
    early: int
    lost: int
    by_ply: tuple[PlyRow, ...]
    replies: tuple[tuple[str, int], ...]
    different: int
    main_line: tuple[RenderedStep, ...]
    deepest_line: tuple[RenderedStep, ...]

    def to_dict(self) -> dict[str, object]:
        """The numbers, for ``--json``."""
        return {
            "player": self.player.value,
            "exact": self.exact,
            "plays": self.plays,
            "positions": self.positions,
            "positions_answered": self.answered,
            "answers": self.answers,
            "positions_answered_in_several_ways": self.ambiguous,
            "plies": self.bound,
            "longest": self.depth,
            "shortest": self.shortest,
            "won_early": self.early,
            "not_won": self.lost,
            "by_ply": [
                {"ply": r.ply, "positions": r.positions}
                | {"won": r.won, "not_won": r.lost, "unclear": r.unclear}
                for r in self.by_ply
            ],
            "replies": dict(self.replies),
            "different_replies": self.different,
            "main_line": [step.move for step in self.main_line if step.ply],
            "deepest_line": [step.move for step in self.deepest_line if step.ply],
        }


def statistics_of(problem: BoardProblem, budget: int = BUDGET) -> Statistics:
    """The statistics of a problem's strategy.

    Looks at no more than ``budget`` rounds (an opponent's move and its answer), nearest first.
    """
    tree = tree_of(problem)
    return statistics(tree, tree.explore(tree.root, budget))


def statistics(tree: StrategyTree, exploration: Exploration) -> Statistics:
    size = exploration.size
    positions: dict[int, set[Hashable]] = {}
    answers: dict[Hashable, set[str]] = {}
    count = 0
    for node in exploration.nodes:
        # The certificate's plies of a node: the states before and after each.
        for before, state in zip(node.states, node.states[1:], strict=False):
            count += 1
            key = position_key(before)
            answers.setdefault(before.moves if key is None else key, set()).add(state.moves[-1])
        for state in node.states:
            own, key = positions.setdefault(state.plies, set()), position_key(state)
            if key is not None:
                own.add(key)
    rows = []
    ends = [node for node in exploration.nodes if node.ended]
    for ply in sorted(positions):
        here = [node for node in ends if node.state.plies == ply]
        won, lost = (sum(1 for n in here if n.kept is kept) for kept in (True, False))
        player = tree.mover(ply) if ply else None
        unclear = len(here) - won - lost
        rows.append(PlyRow(ply, player, len(positions[ply]), won, lost, unclear))
    named = replies(exploration.nodes)
    return Statistics(
        player=tree.player,
        exact=exploration.exact,
        seen=len(exploration.nodes),
        bound=tree.plies,
        plays=size.plays,
        positions=sum(row.positions for row in rows),
        answered=len(answers),
        answers=count,
        ambiguous=sum(1 for own in answers.values() if len(own) > 1),
        depth=size.depth,
        shortest=size.shortest,
        early=size.early,
        lost=size.lost,
        by_ply=tuple(rows),
        replies=tuple(named.most_common(_NAMED_REPLIES)),
        different=len(named),
        main_line=steps_of_states(exploration.main_line().play, tree.mover),
        deepest_line=steps_of_states(exploration.deepest_line().play, tree.mover),
    )


# A validation as one HTML page that needs nothing else: no font, no other file, no network


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
    :func:`~qsage_validate.proving.html_report.statistics_of`) these sections are left out.
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
    shortest = "–" if statistics.shortest is None else counted(statistics.shortest, "ply")
    numbers = [
        ("Plays (different sequences of moves)", f"{lower}{statistics.plays:,}"),
        ("Positions in them, the start included", f"{lower}{statistics.positions:,}"),
        (f"Positions in which {player} answers", f"{lower}{statistics.answered:,}"),
        ("… of these answered in several ways", f"{lower}{statistics.ambiguous:,}"),
        ("Different replies", f"{lower}{statistics.different:,}"),
        (
            "Longest play",
            f"{lower}{counted(statistics.depth, 'ply')} of at most {statistics.bound}",
        ),
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


# -- the play of a finding: as the formula sees it, else by the rules alone ------------------


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
            finding = min(findings, key=_plainness)
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


def _plainness(finding: Finding) -> tuple[bool, int]:
    """Plays of legal moves come before others, and short ones before long ones."""
    return any(" !" in move for move in finding.moves), len(finding.moves)


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


# -- findings that are alike -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FindingGroup:
    """All findings of one kind.

    ``levels`` are the levels that found them, each with its number; ``findings`` are the different
    ones, the shortest play first: what several levels found alike is one.
    """

    kind: FindingKind
    levels: tuple[tuple[str, int], ...]
    findings: tuple[Finding, ...]


def groups_of(found: Iterable[tuple[LevelResult, Finding]]) -> tuple[FindingGroup, ...]:
    """The findings by their kinds, in the order in which the kinds were first seen."""
    levels: dict[FindingKind, Counter[str]] = {}
    different: dict[FindingKind, dict[tuple[str, tuple[str, ...]], Finding]] = {}
    for result, finding in found:
        levels.setdefault(finding.kind, Counter())[result.level.value] += 1
        own = different.setdefault(finding.kind, {})
        own.setdefault((finding.text, finding.moves), finding)
    return tuple(
        FindingGroup(
            kind,
            tuple(number.items()),
            # Findings without a play are about all of it.
            tuple(sorted(different[kind].values(), key=lambda own: len(own.moves))),
        )
        for kind, number in levels.items()
    )
