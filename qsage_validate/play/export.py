"""Plays as files: text, JSON, SVG, SGF.

In this format Black connects top and bottom and cells are ``a1``, column first
(https://www.red-bean.com/sgf/hex.html).  A board on which Black connects left and right is written
mirrored, columns for rows; a comment says so.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from pathlib import Path

from qsage_validate.arena.board_engine import Facts
from qsage_validate.arena.frame import Frame, FrameValue, MatchOutcome, SquareXY, WhyNot
from qsage_validate.errors import UsageError
from qsage_validate.formats.source import unpacked_name
from qsage_validate.formats.writing import write_atomic
from qsage_validate.games.protocol import BoardPicture, Player, Shape, Square
from qsage_validate.play.match import PlayMatch, Round
from qsage_validate.play.transcript import transcript_of
from qsage_validate.render.board_text import board_lines
from qsage_validate.render.svg import (
    FONT,
    STYLE,
    RenderedStep,
    drawing,
    escape,
    number,
    paint,
    size,
    steps_of_frames,
)

# Plays as JSON data


def match_json(match: PlayMatch, refused: WhyNot | None = None) -> dict[str, object]:
    """The whole play; ``refused`` is the illegal move at which a script stopped."""
    return {
        "title": match.facts.title,
        "goal": match.facts.goal,
        "certificate_player": match.facts.certificate_player.value,
        "person": match.person.value,
        "rules": match.facts.has_rules,
        "notes": list(match.facts.notes),
        "frames": [frame_json(frame) for frame in match.frames],
        "over": match.over,
        "outcome": None if match.outcome is None else outcome_json(match.outcome),
        "refused": None if refused is None else why_json(refused),
        "findings": [finding.to_dict() for finding in match.findings],
        "transcript": transcript_of(match).to_dict(),
    }


def frame_json(frame: Frame) -> dict[str, object]:
    # Where the position is told in words alone, its board is cut off.
    cut = frame.board is None and bool(frame.state)
    return {
        "ply": frame.ply,
        "player": None if frame.player is None else frame.player.value,
        "move": None if frame.move is None else str(frame.move),
        "said": frame.said or None,
        "by_certificate": frame.by_certificate,
        "board": None if frame.board is None else str(frame.board),
        "board_by_rules": frame.board_by_rules,
        "state": frame.state or None,
        "remarks": list(frame.remarks),
        "rules_board": None if frame.position is None or cut else str(frame.position.board),
        "stopped": frame.stopped,
        "illegal": None if frame.illegal is None else why_json(frame.illegal),
        "values": [value_json(value) for value in frame.values],
        "seconds": round(frame.seconds, 6),
    }


def value_json(value: FrameValue) -> dict[str, object]:
    return {
        "name": value.name,
        "variable": value.variable,
        "value": value.value,
        "group": value.group.value,
        "false_at": [list(square) for square in value.false_at],
    }


def why_json(why: WhyNot) -> dict[str, object]:
    """The reasons why a move is illegal, for JSON."""
    return {
        "move": str(why.move),
        "said": why.move.words,
        "formula_legal": why.formula_legal,
        "rules_legal": why.rules_legal,
        "evidence": [value_json(value) for value in why.evidence],
        "rule": None if why.illegality is None else why.illegality.rule,
        "sentence": None if why.illegality is None else why.illegality.lines[0],
        "text": str(why),
    }


def outcome_json(outcome: MatchOutcome) -> dict[str, object]:
    return {
        "winner": None if outcome.winner is None else outcome.winner.value,
        "reason": outcome.reason,
        "promised": outcome.promised,
        "verdict": outcome.verdict,
        "verdict_note": outcome.verdict_note,
    }


# Plays of Hex as SGF (FF[4], GM[11]), with all that was tried as variations


_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_SIGNS = {Player.BLACK: "B", Player.WHITE: "W"}
_SETUP = {Square.BLACK: "AB", Square.WHITE: "AW"}


def is_hex(facts: Facts, start: BoardPicture | None) -> bool:
    """True if plays can be written as SGF: a board of hexagons whose sides have owners."""
    return facts.top_owner is not None and start is not None and start.shape is Shape.HEXAGONS


def export_sgf(match: PlayMatch) -> str:
    """All rounds of the play's history as one game tree; what redo plays is the main line.

    Raises ``UsageError`` for a play of another game than Hex.
    """
    start = match.frames[0].board
    if start is None or not is_hex(match.facts, start):
        raise UsageError("found a play of another game, expected one of Hex for an SGF")
    mirrored = match.facts.top_owner is Player.WHITE

    def cell(square: SquareXY) -> str:
        x, y = reversed(square) if mirrored else square
        return f"{_column(x)}{y}"

    root = match.history.root
    about = (match.facts.title, *match.facts.notes)
    if mirrored:
        about = (*about, "mirrored: Black connects left and right on the board that was played on")
    head = f"(;{_root(match, start, mirrored, cell)}C[{_text(chr(10).join(about))}]\n"
    parts = [head]
    # A stack, not calls: a long play would nest too deep.
    waiting: list[Round | str] = [")\n", root]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            parts.append(item)
            continue
        parts += [
            _node(frame, frame.player, cell) for frame in item.frames if frame.player is not None
        ]
        if len(item.children) > 1:
            beside = [child for child in item.children if child is not item.onward]
            for child in reversed([item.onward or beside[0], *beside]):
                waiting += [")\n", child, "("]
        else:
            waiting += item.children
    return "".join(parts)


def _root(
    match: PlayMatch, board: BoardPicture, mirrored: bool, cell: Callable[[SquareXY], str]
) -> str:
    wide, high = board.width, board.height
    if mirrored:
        wide, high = high, wide
    size = f"{wide}" if wide == high else f"{wide}:{high}"
    first = next((f.player for f in match.frames if f.player is not None), match.person)
    names = {match.person: "person", match.person.other: match.facts.answers}
    line = match.history.line[-1].frames[-1].outcome
    fields = [
        "FF[4]GM[11]CA[UTF-8]AP[qsage-validate]",
        f"SZ[{size}]",
        f"PB[{_text(names[Player.BLACK])}]PW[{_text(names[Player.WHITE])}]",
        "" if line is None or line.winner is None else f"RE[{_SIGNS[line.winner]}+]",
        f"PL[{_SIGNS[first]}]",
        *_stones(board, cell),
    ]
    return "".join(fields)


def _stones(board: BoardPicture, cell: Callable[[SquareXY], str]) -> Iterator[str]:
    """The stones on the board before the first ply."""
    squares = [(x, y) for y in range(1, board.height + 1) for x in range(1, board.width + 1)]
    for content, name in _SETUP.items():
        placed = [cell(square) for square in squares if board[square] is content]
        if placed:
            yield name + "".join(f"[{each}]" for each in placed)


def _node(frame: Frame, player: Player, cell: Callable[[SquareXY], str]) -> str:
    """The node of a ply; a ply on no cell, or one that was let happen, has a comment."""
    square = getattr(frame.move, "square", None)
    said = [] if frame.illegal is None else [f"let happen: {frame.illegal}"]
    said += [f"finding: {finding.text}" for finding in frame.findings]
    if square is None:
        said.insert(0, f"{player} {frame.said}")
    if frame.outcome is not None:
        said.append(frame.outcome.text)
    move = "" if square is None else f"{_SIGNS[player]}[{cell(square)}]"
    comment = f"C[{_text(chr(10).join(said))}]" if said else ""
    return f";{move}{comment}\n"


def _column(x: int) -> str:
    """The letters of a column, from 1: ``a`` to ``z``, then ``aa``."""
    letters = ""
    while x > 0:
        x, digit = divmod(x - 1, len(_LETTERS))
        letters = _LETTERS[digit] + letters
    return letters


def _text(text: str) -> str:
    """A text as a value: with the signs escaped that end it."""
    return text.replace("\\", "\\\\").replace("]", "\\]")


# A play as a file: text and JSON, which read back to the same play, SVG, and SGF for Hex


# An average letter of the captions, in units of the drawing; wide enough for every common font.
_LETTER = 7.6
_LINE = 17.0
_GAP = 22.0
_MARGIN = 20.0
_MOST_REMARKS = 4


class ExportFormat(Enum):
    """The formats in which a play can be written; the values are the names of options."""

    TEXT = "text"
    JSON = "json"
    SVG = "svg"
    SGF = "sgf"

    @property
    def suffix(self) -> str:
        """The end of the names of such files."""
        return ".txt" if self is ExportFormat.TEXT else f".{self.value}"

    @classmethod
    def of(cls, path: str) -> ExportFormat:
        """The format that a file's name asks for; raises ``UsageError``."""
        suffix = Path(unpacked_name(path)).suffix.lower()
        for own in cls:
            if suffix == own.suffix:
                return own
        known = ", ".join(own.suffix for own in cls)
        raise UsageError(f"found the file name {path!r}, expected one that ends in {known}")


def write_play(match: PlayMatch, path: str, form: ExportFormat | None = None) -> None:
    """Write the play so far to ``path`` (``-``: standard output), all of it or nothing.

    Without ``form`` the name of the file says which.  Raises ``UsageError`` and ``InputError``.
    """
    chosen = ExportFormat.of(path) if form is None else form
    write_atomic(Path(path), export(match, chosen))


def formats_of(facts: Facts, start: BoardPicture | None) -> tuple[ExportFormat, ...]:
    """The formats in which a play can be written that begins so: SGF is for Hex only."""
    cannot = {ExportFormat.SVG: not facts.has_board, ExportFormat.SGF: not is_hex(facts, start)}
    return tuple(form for form in ExportFormat if not cannot.get(form))


def export(match: PlayMatch, form: ExportFormat) -> str:
    """The play so far in one of the formats.

    Text and JSON are transcripts: ``qsage-play`` replays them.  Raises ``UsageError`` for an
    SVG of a play without boards, and for an SGF of another game than Hex.
    """
    writers = {
        ExportFormat.TEXT: export_text,
        ExportFormat.JSON: export_json,
        ExportFormat.SVG: export_svg,
        ExportFormat.SGF: export_sgf,
    }
    return writers[form](match)


def export_text(match: PlayMatch) -> str:
    """The transcript with the boards and remarks between its lines, as comments."""
    steps = {step.ply: step for step in steps_of_frames(match.frames)}
    lines = []
    transcript = transcript_of(match)
    plies = {ply.ply: str(ply) for ply in transcript.plies}
    head, _, foot = str(transcript).partition("\n\n")
    lines += [head, *_comments(match.facts.notes), "", *_commented(steps[0])]
    for ply, text in plies.items():
        lines += ["", text, *_commented(steps[ply])]
    for variation in transcript.variations:
        lines += ["", *variation.lines]
    result = [line for line in foot.splitlines() if line.startswith("result: ")]
    return "\n".join([*lines, *([""] if result else []), *result, ""])


def _commented(step: RenderedStep) -> Iterator[str]:
    if step.board is not None:
        yield from _comments(board_lines(step.board).splitlines())
    yield from _comments(step.remarks)
    yield from _comments([step.ending])


def _comments(lines: Sequence[str]) -> Iterator[str]:
    """Lines that a reader of transcripts skips."""
    return (f"# {part}".rstrip() for line in lines for part in line.splitlines())


def export_json(match: PlayMatch) -> str:
    """The transcript with every step's board, values and findings, as one JSON object."""
    data: dict[str, object] = {
        **transcript_of(match).to_dict(),
        "certificate_player": match.facts.certificate_player.value,
        "rules": match.facts.has_rules,
        "notes": list(match.facts.notes),
        "outcome": None if match.outcome is None else outcome_json(match.outcome),
        "findings": [finding.to_dict() for finding in match.findings],
        "frames": [frame_json(frame) for frame in match.frames],
    }
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def export_svg(match: PlayMatch) -> str:
    """All boards of the play in one drawing."""
    outcome = match.outcome
    result = "The play goes on." if outcome is None else outcome.text
    return play_svg(steps_of_frames(match.frames), match.facts.title, result)


def play_svg(
    steps: Sequence[RenderedStep], title: str, result: str = "", *, columns: int | None = None
) -> str:
    """The boards of a play side by side, ``columns`` to a row, captions below.

    Raises ``UsageError`` when no step has a board.
    """
    shown = [step for step in steps if step.board is not None]
    if not shown:
        raise UsageError("found a play without boards, expected one with a layout for an SVG")
    boards = [step.board for step in shown if step.board is not None]
    width = max(size(board)[0] for board in boards)
    width = max(width, *(len(step.caption) * _LETTER for step in shown))
    height = max(size(board)[1] for board in boards)
    fitting = max(1, int(960 // (width + _GAP)))
    per_row = min(len(shown), fitting if columns is None else max(columns, 1))
    texts = [_captions(step, width) for step in shown]
    page_width = 2 * _MARGIN + per_row * width + (per_row - 1) * _GAP
    page_width = max(page_width, 2 * _MARGIN + 260)
    letters = max(20, int((page_width - 2 * _MARGIN) / _LETTER))
    titles = textwrap.wrap(title, letters - letters // 5)
    results = textwrap.wrap(result, letters)

    parts = []
    y = _MARGIN
    for line in titles:
        y += 20
        parts.append(_line(_MARGIN, y, line, "caption", 17, bold=True))
    y += _GAP
    for first in range(0, len(shown), per_row):
        row = range(first, min(first + per_row, len(shown)))
        for column, k in enumerate(row):
            x = _MARGIN + column * (width + _GAP)
            parts.append(
                f'<g transform="translate({number(x)} {number(y)})">'
                f"<title>{escape(shown[k].caption)}</title>"
                f"{drawing(boards[k], shown[k].marks)}</g>"
            )
            for below, (text, kind) in enumerate(texts[k], start=1):
                baseline = y + height + _LINE * below
                parts.append(_line(x, baseline, text, kind, 13, bold=kind == "caption"))
        y += height + _LINE * max(len(texts[k]) for k in row) + _GAP
    for line in results:
        y += _LINE
        parts.append(_line(_MARGIN, y, line, "caption", 14))
    page_height = y + _MARGIN
    box = f"{number(page_width)} {number(page_height)}"
    description = ". ".join([*(step.caption.rstrip(".") for step in shown), result])
    return "".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{number(page_width)}" '
            f'height="{number(page_height)}" viewBox="0 0 {box}" role="img" '
            f'aria-labelledby="play-t play-d" font-family="{escape(FONT)}">',
            f'<title id="play-t">{escape(title)}</title>',
            f'<desc id="play-d">{escape(description)}</desc>',
            f"<style>{STYLE}</style>",
            f'<rect width="100%" height="100%" {paint("page")}/>',
            *parts,
            "</svg>\n",
        ]
    )


def _captions(step: RenderedStep, width: float) -> list[tuple[str, str]]:
    """The lines below a board: the move, then a few lines of remarks."""
    letters = max(12, int(width / (_LETTER * 0.9)))
    remarks = [line for remark in step.remarks for line in textwrap.wrap(remark, letters)]
    if len(remarks) > _MOST_REMARKS:
        remarks = [*remarks[: _MOST_REMARKS - 1], remarks[_MOST_REMARKS - 1][: letters - 1] + "…"]
    return [(step.caption, "caption"), *((line, "remark") for line in remarks)]


def _line(x: float, y: float, text: str, kind: str, height: int, *, bold: bool = False) -> str:
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text x="{number(x)}" y="{number(y)}" font-size="{height}"{weight} '
        f"{paint(kind)}>{escape(text)}</text>"
    )
