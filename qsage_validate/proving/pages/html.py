"""A validation as one HTML page that needs nothing else: no script, no font, no other file.

The page is a function of its arguments: the same validation gives the same bytes, but for the
seconds in it.  Everything that comes from files is escaped.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence

from qsage_validate.errors import Exit, one_line
from qsage_validate.games.protocol import Game
from qsage_validate.problems.load import Problem
from qsage_validate.problems.provenance import FileFact, facts_from_json, file_facts, versions
from qsage_validate.proving.levels import Level, LevelResult
from qsage_validate.proving.pages.refuted_play import RefutedPlay, first_refuted_play
from qsage_validate.proving.pages.statistics import PlyRow, Statistics
from qsage_validate.proving.report import Report
from qsage_validate.render.bar_chart import Bar, bar_chart
from qsage_validate.render.board_svg import Marks, board_svg
from qsage_validate.render.markup import escape
from qsage_validate.render.page_style import PAGE_STYLE
from qsage_validate.render.steps import Step, diagram

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
    report: Report,
    problem: Problem | None = None,
    statistics: Statistics | None = None,
    *,
    game: Game | None = None,
) -> str:
    """The page.

    ``problem`` has the files and replays the first play that refutes something; ``game`` shows
    it where there is no certificate; without ``statistics`` (of
    :func:`~qsage_validate.proving.pages.statistics.statistics_of`) these sections are left out.
    """
    page = _Page()
    played = first_refuted_play(report, problem, game)
    word, tone = _verdict(report)
    body = [
        *_head(report, problem, word, tone),
        *_levels(report),
        *_wrong(report),
        *([] if played is None else _refuted(page, played)),
        *([] if statistics is None else _positions(page, statistics)),
        *([] if statistics is None else _numbers(page, statistics)),
        *_origin(report, problem),
        *_reproduce(report, problem),
        *_legend(),
    ]
    title = f"{word}: {report.subject}"
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<meta name="generator" content="{escape(f"qsage-validate {_version(report)}")}">',
            f"<title>{escape(one_line(title))}</title>",
            f"<style>{PAGE_STYLE}</style>",
            "</head>",
            "<body>",
            "<main>",
            *body,
            "</main>",
            "</body>",
            "</html>",
            "",
        ]
    )


class _Page:
    """Names for the drawings of a page, each used once."""

    def __init__(self) -> None:
        self._drawings = 0

    def name(self) -> str:
        """A name that was not used before."""
        self._drawings += 1
        return f"drawing-{self._drawings}"


def _verdict(report: Report) -> tuple[str, str]:
    tones = {Exit.FINE: "good", Exit.REFUTED: "bad"}
    return report.word, tones.get(report.exit_code, "open")


def _version(report: Report) -> str:
    found = report.facts.get("version")
    return found if isinstance(found, str) else versions()["qsage-validate"]


# -- what is claimed, and what came out -------------------------------------------------------


def _head(report: Report, problem: Problem | None, word: str, tone: str) -> Iterator[str]:
    yield "<header>"
    yield f'<p class="over">Validation by qsage-validate {escape(_version(report))}</p>'
    yield f"<h1>{escape(report.subject if problem is None else problem.title)}</h1>"
    proved = _sentence(report.claim) if report.claim else "Nothing is proved"
    yield f'<p class="claim">{escape(proved)}.</p>'
    blame = f"; {report.blame}" if report.blame else ""
    yield f'<p>Verdict: <span class="verdict {tone}">{word}</span>{escape(blame)}.</p>'
    yield f'<blockquote class="{tone}"><p>{escape(report.last_line)}</p></blockquote>'
    if problem is not None:
        notes = "; ".join(problem.notes)
        yield f'<p class="note">{escape(notes[:1].upper() + notes[1:])}.</p>'
    yield "</header>"


def _nested(value: object) -> bool:
    """Whether a value is for programs only: a table of tables."""
    return isinstance(value, Mapping) and any(isinstance(v, Mapping) for v in value.values())


def _levels(report: Report) -> Iterator[str]:
    yield "<section>"
    yield "<h2>Levels of the validation</h2>"
    yield from _table_head(("", "Level", "Verdict", "Seconds", "Evidence"), numbers={3})
    for result in report.results:
        yield from _level_row(result)
    yield "</tbody></table></div>"
    # Few validations have a solver's trace: no reader misses it.
    missing = [x for x in Level if report.result(x) is None and x is not Level.TRACE]
    if missing:
        names = ", ".join(level.value for level in missing)
        why = " (the validation was interrupted)" if report.interrupted else ""
        yield f'<p class="note">Not checked: {escape(names)}{why}.</p>'
    yield "</section>"


def _level_row(result: LevelResult) -> Iterator[str]:
    tone, sign = _TONES[result.word], _SIGNS[result.word]
    yield f"<tr><td>{result.level.number}</td>"
    yield f'<th scope="row">{escape(result.level.value)}<br>'
    yield f'<span class="note">{escape(_sentence(result.level.question))}</span></th>'
    yield f'<td><span class="verdict {tone}">{sign}&nbsp;{escape(result.word)}</span></td>'
    yield f'<td class="number">{result.seconds:.2f}</td>'
    yield f"<td>{escape(_sentence(result.said))}"
    if result.evidence:
        items = "".join(
            f"<li>{escape(str(key))}: {escape(_value(value))}</li>"
            for key, value in result.evidence.items()
            if not _nested(value)
        )
        yield f'<ul class="evidence">{items}</ul>'
    yield "</td></tr>"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _value(value: object) -> str:
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


# -- what is wrong ----------------------------------------------------------------------------


def _wrong(report: Report) -> Iterator[str]:
    warnings = report.facts.get("model warnings")
    told = [str(w) for w in warnings] if isinstance(warnings, (list, tuple)) else []
    found = [(result, finding) for result in report.results for finding in result.findings]
    if not found and not told:
        return
    yield "<section>"
    if found:
        yield "<h2>What is wrong</h2>"
        if report.blame:
            yield f"<p>Conclusion: <strong>{escape(report.blame)}</strong>.</p>"
        yield from _table_head(("Level", "Finding"))
        for result, finding in found[:_MOST_FINDINGS]:
            yield f'<tr><th scope="row">{escape(result.level.value)}</th>'
            yield f"<td>{escape(_sentence(finding.text))}"
            if finding.rule:
                yield f'<br><span class="note">Rule: {escape(finding.rule)}</span>'
            if finding.moves:
                moves = " ".join(finding.moves)
                yield f'<br><span class="note">Play: <code>{escape(moves)}</code></span>'
            yield "</td></tr>"
        yield "</tbody></table></div>"
        if len(found) > _MOST_FINDINGS:
            rest = len(found) - _MOST_FINDINGS
            yield f'<p class="note">And {rest:,} more, all of them in --json.</p>'
    if told:
        yield "<h2>What is doubtful about the model</h2>"
        yield "<ul>" + "".join(f"<li>{escape(text)}</li>" for text in told) + "</ul>"
    yield "</section>"


def _refuted(page: _Page, played: RefutedPlay) -> Iterator[str]:
    yield "<section>"
    yield "<h2>The first refuted play</h2>"
    level = played.result.level.value
    yield f"<p>Found by the level “{escape(level)}”; {escape(played.source)}.</p>"
    yield f"<p>{escape(_sentence(played.finding.text))}.</p>"
    if played.steps:
        yield from _boards(page, played.steps)
    else:
        moves = "".join(f"<li><code>{escape(move)}</code></li>" for move in played.finding.moves)
        yield f"<ol>{moves}</ol>"
    if played.finding.replay:
        yield f"<pre>{escape(played.finding.replay)}</pre>"
    yield "</section>"


# -- boards -----------------------------------------------------------------------------------


def _positions(page: _Page, statistics: Statistics) -> Iterator[str]:
    other = statistics.player.other
    main, deepest = statistics.main_line, statistics.deepest_line
    so_far = "" if statistics.exact else ", as far as plays were looked at"
    yield "<section>"
    yield "<h2>Key positions</h2>"
    yield "<h3>Start and main line</h3>"
    also = " It is also the longest." if _moves(main) == _moves(deepest) else ""
    yield (
        f"<p>In the main line {other} always leaves as many plays open as possible{so_far}; "
        f"{statistics.player} answers as the certificate does.{also}</p>"
    )
    yield from _boards(page, main)
    if _moves(main) != _moves(deepest):
        yield "<h3>Deepest line</h3>"
        yield (
            f"<p>One of the plays in which {other} holds out longest{so_far}: "
            f"{deepest[-1].ply} plies.</p>"
        )
        yield from _boards(page, deepest)
    yield from _diagrams(page, statistics)
    yield "</section>"


def _diagrams(page: _Page, statistics: Statistics) -> Iterator[str]:
    lines = {"Main line": statistics.main_line}
    if _moves(statistics.main_line) != _moves(statistics.deepest_line):
        lines["Deepest line"] = statistics.deepest_line
    found = {name: diagram(steps) for name, steps in lines.items()}
    shown = {name: drawn for name, drawn in found.items() if drawn is not None}
    if not shown:
        return
    yield "<h3>The same in one diagram</h3>"
    yield "<p>A number is the ply that gave the square its content.</p>"
    yield '<div class="boards">'
    for name, (board, marks) in shown.items():
        drawing = board_svg(board, marks, title=name, identifier=page.name(), standalone=False)
        yield f"<figure>{drawing}<figcaption>{name}</figcaption></figure>"
    yield "</div>"


def _moves(steps: Sequence[Step]) -> tuple[str, ...]:
    return tuple(step.move for step in steps)


def _boards(page: _Page, steps: Sequence[Step]) -> Iterator[str]:
    yield '<div class="boards">'
    for step in steps:
        yield "<figure>"
        if step.board is not None and step.rules_board is not None:
            rules = Marks(wrong=step.marks.wrong)
            titles = (f"{step.caption}: formula", f"{step.caption}: rules")
            names = (page.name(), page.name())
            ours = board_svg(
                step.board, step.marks, title=titles[0], identifier=names[0], standalone=False
            )
            theirs = board_svg(
                step.rules_board, rules, title=titles[1], identifier=names[1], standalone=False
            )
            yield f'<div class="pair"><div><span>formula</span>{ours}</div>'
            yield f"<div><span>rules</span>{theirs}</div></div>"
        elif step.board is not None:
            yield board_svg(
                step.board,
                step.marks,
                title=step.caption,
                identifier=page.name(),
                standalone=False,
            )
        yield f"<figcaption>{escape(step.caption)}"
        yield from (f'<span class="wrong">{escape(text)}</span>' for text in step.remarks)
        if step.ending:
            yield f'<span class="remark">{escape(step.ending)}</span>'
        yield "</figcaption></figure>"
    yield "</div>"


# -- numbers ----------------------------------------------------------------------------------


def _numbers(page: _Page, statistics: Statistics) -> Iterator[str]:
    player, other = statistics.player, statistics.player.other
    yield "<section>"
    yield "<h2>The strategy in numbers</h2>"
    if not statistics.exact:
        yield (
            f"<p>The strategy is too large to be counted: {statistics.seen:,} rounds were looked "
            "at, the nearest first. Counts are lower bounds.</p>"
        )
    lower = "" if statistics.exact else "≥ "
    shortest = "–" if statistics.shortest is None else f"{statistics.shortest} plies"
    rows = [
        ("Plays (different sequences of moves)", f"{lower}{statistics.plays:,}"),
        ("Positions in them, the start included", f"{lower}{statistics.positions:,}"),
        (f"Positions in which {player} answers", f"{lower}{statistics.answered:,}"),
        ("… of these answered in several ways", f"{lower}{statistics.ambiguous:,}"),
        ("Different replies", f"{lower}{statistics.different:,}"),
        (
            "Longest play",
            f"{lower}{statistics.depth} plies of at most {statistics.bound}",
        ),
        ("Shortest play", shortest),
        (f"Plays won by {player} before the last ply", f"{lower}{statistics.early:,}"),
        (f"Plays not won by {player}", f"{lower}{statistics.lost:,}"),
    ]
    yield '<div class="scroll"><table class="narrow"><tbody>'
    for name, value in rows:
        yield (
            f'<tr><th scope="row">{escape(name)}</th><td class="number">{escape(value)}</td></tr>'
        )
    yield "</tbody></table></div>"
    yield from _lengths(page, statistics.by_ply, str(player))
    if statistics.replies:
        yield "<h3>Most frequent replies</h3>"
        yield (
            f"<p>How often {player} gives an answer to {other}, each beginning of a play counted "
            f"once; {len(statistics.replies)} of {statistics.different:,} different ones.</p>"
        )
        yield from _table_head(("Reply", "Times"), numbers={1}, narrow=True)
        for move, times in statistics.replies:
            yield (
                f'<tr><th scope="row"><code>{escape(move)}</code></th>'
                f'<td class="number">{times:,}</td></tr>'
            )
        yield "</tbody></table></div>"
    yield "</section>"


def _lengths(page: _Page, rows: Sequence[PlyRow], player: str) -> Iterator[str]:
    yield "<h3>How long plays last</h3>"
    bars = [Bar(str(row.ply), row.won, row.lost) for row in rows if row.ply]
    if 0 < len(bars) <= _MOST_BARS:
        yield bar_chart(
            bars,
            title=f"Plays that end after each ply, won by {player} (not won: hatched)",
            axis="plays that end after this many plies",
            identifier=page.name(),
        )
    unclear = any(row.unclear for row in rows)
    columns = ["Ply", "Made by", "Positions", f"Ends won by {player}", "Ends not won"]
    columns += ["Ends unclear"] if unclear else []
    yield from _table_head(columns, numbers={0, 2, 3, 4, 5}, narrow=True)
    for row in rows:
        mover = "start" if row.player is None else str(row.player)
        numbers = [row.won, row.lost, *([row.unclear] if unclear else [])]
        texts = [f"{row.positions:,}" if row.positions else "–", *(f"{n:,}" for n in numbers)]
        cells = "".join(f'<td class="number">{text}</td>' for text in texts)
        yield f'<tr><th scope="row" class="number">{row.ply}</th><td>{mover}</td>{cells}</tr>'
    yield "</tbody></table></div>"


# -- where it comes from ----------------------------------------------------------------------


def _origin(report: Report, problem: Problem | None) -> Iterator[str]:
    files = _files(report, problem)
    yield "<section>"
    yield "<h2>Files and versions</h2>"
    if files:
        yield from _table_head(("File", "Bytes", "SHA-256"), numbers={1})
        for fact in files:
            yield f'<tr><th scope="row"><code>{escape(fact.path)}</code></th>'
            yield f'<td class="number">{fact.size:,}</td>'
            yield f'<td><code class="hash">{escape(fact.sha256)}</code></td></tr>'
        yield "</tbody></table></div>"
    used = {**versions(), "qsage-validate": _version(report)}
    listed = ", ".join(f"{name} {number}" for name, number in used.items())
    yield f"<p>Made with {escape(listed)}.</p>"
    rest = {key: value for key, value in report.facts.items() if key not in _PLACED}
    if rest:
        yield from _definitions(rest)
    yield "</section>"


def _files(report: Report, problem: Problem | None) -> tuple[FileFact, ...]:
    """The files as they were when they were read, if the report says so, else as they are."""
    told = facts_from_json(report.facts.get("files"))
    return told or (() if problem is None else file_facts(problem.files))


def _definitions(facts: Mapping[str, object]) -> Iterator[str]:
    yield '<div class="scroll"><table class="narrow"><tbody>'
    for key, value in facts.items():
        yield f'<tr><th scope="row">{escape(str(key))}</th><td>{escape(_value(value))}</td></tr>'
    yield "</tbody></table></div>"


def _reproduce(report: Report, problem: Problem | None) -> Iterator[str]:
    yield "<section>"
    yield "<h2>How to reproduce</h2>"
    files = _files(report, problem)
    if files:
        sums = "\n".join(f"{fact.sha256}  {fact.path}" for fact in files)
        yield "<p>The files are these (for <code>sha256sum --check</code>):</p>"
        yield f"<pre>{escape(sums)}</pre>"
    command = report.facts.get("command")
    validate = command if isinstance(command, str) else _validate_command(problem)
    if validate:
        yield "<p>The validation again, its numbers as JSON with <code>--json</code>:</p>"
        yield f"<pre>{escape(validate)}</pre>"
    if problem is not None:
        yield "<p>A play against the certificate, each step compared with the rules:</p>"
        yield f"<pre>{escape(problem.files.command())}</pre>"
    replays = [f.replay for result in report.results for f in result.findings if f.replay]
    if replays:
        yield "<p>The plays that refute it:</p>"
        shown = "\n".join(dict.fromkeys(replays[:_MOST_FINDINGS]))
        yield f"<pre>{escape(shown)}</pre>"
    yield "</section>"


def _validate_command(problem: Problem | None) -> str:
    if problem is None:
        return ""
    words = shlex.split(problem.files.command())
    return shlex.join(["qsage", "validate", *words[1:]])


def _legend() -> Iterator[str]:
    yield "<footer>"
    yield "<h2>Reading the boards</h2>"
    yield (
        '<p class="note">Black’s stones are solid, White’s are open. Squares that a move has '
        "changed are tinted, the square that it names has a ring. A dashed frame with a cross "
        "marks a square on which the formula and the rules differ. Columns are numbered from "
        "the left, rows from the top. Black is the player whose win the formula states; a Skolem "
        "certificate plays Black, a Herbrand certificate White.</p>"
    )
    yield "</footer>"


def _table_head(
    columns: Iterable[str], *, numbers: Iterable[int] = (), narrow: bool = False
) -> Iterator[str]:
    right = set(numbers)
    cells = "".join(
        f'<th scope="col" class="number">{escape(name)}</th>'
        if k in right
        else f'<th scope="col">{escape(name)}</th>'
        for k, name in enumerate(columns)
    )
    shape = ' class="narrow"' if narrow else ""
    yield f'<div class="scroll"><table{shape}><thead><tr>{cells}</tr></thead><tbody>'
