"""Models as text, part by part, and back: what travels in a layout's lines ``model``.

Every kind has a part ``name``.  The others are

* of grid games ``domain`` and ``problem``, in BDDL;
* of positional games ``pg``, a PG file, and ``notes`` where there is something that PG has no
  words for: ``short white`` (White connects in the network), ``hexagons`` (how the board is
  drawn), ``won black 2`` and ``won white 1`` (the winning set of this number, from 1, is empty);
* of games in GDL ``gdl``, the description, ``rounds``, ``win``, and ``role`` where one was named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final

from qsage_validate.errors import InputError
from qsage_validate.formats.pg import parse_pg, pg_text
from qsage_validate.formats.source import Source, quoted
from qsage_validate.games.bddl.checks import require_valid
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.bddl.parser import parse_domain, parse_problem
from qsage_validate.games.bddl.printer import domain_text, problem_text
from qsage_validate.games.gdl.parser import parse_description
from qsage_validate.games.gdl.printer import description_text
from qsage_validate.games.gdl.task import GdlModel
from qsage_validate.games.models import GameModel
from qsage_validate.games.positional.convert import model_of_pg, pg_of_model
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.protocol import Player

_NEEDED: Final[Mapping[str, set[str]]] = {
    "bddl": {"domain", "problem"},
    "positional": {"pg"},
    "gdl": {"gdl", "rounds"},
}
_PARTS: Final[Mapping[str, tuple[str, ...]]] = {
    "bddl": ("name", "domain", "problem"),
    "positional": ("name", "pg", "notes"),
    "gdl": ("name", "rounds", "win", "role", "gdl"),
}
KINDS: Final = tuple(_NEEDED)
"""What layouts call the kinds of games."""

_WON: Final = re.compile(r"won (black|white) ([0-9]{1,9})")
_NUMBER: Final = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class PartLine:
    """A line of a part: its text, and how far down and to the right it stands in its file."""

    text: str
    line: int
    indent: int


class ModelParts(dict[str, str]):
    """The text of a model by part, with the file and the lines that it was read from.

    It equals the plain dictionary.  Messages about such a model name the place in its file.
    """

    def __init__(
        self,
        parts: Mapping[str, str],
        file: str | None = None,
        lines: Mapping[str, Sequence[PartLine]] | None = None,
    ) -> None:
        super().__init__(parts)
        self.file = file
        self.lines = {part: tuple(own) for part, own in (lines or {}).items()}

    @classmethod
    def at_lines(cls, lines: Mapping[str, Sequence[PartLine]], file: str | None) -> ModelParts:
        """The parts that stand in these lines of a file."""
        texts = {part: "\n".join(line.text for line in own) for part, own in lines.items()}
        return cls(texts, file, lines)

    def in_place(self, part: str) -> str:
        """The text of a part, moved to where it stands in its file by blank lines and blanks."""
        pieces: list[str] = []
        for line in self.lines.get(part, ()):
            pieces += [""] * (line.line - 1 - len(pieces))
            pieces.append(" " * line.indent + line.text if line.text else "")
        return "\n".join(pieces) if pieces else self[part]

    @property
    def first_line(self) -> int | None:
        """The line in which the model begins."""
        return min((line.line for own in self.lines.values() for line in own), default=None)


@dataclass(frozen=True)
class _PartSource(Source):
    """The text of a part in its place, under the model's name; errors name the formula's file."""

    file: str | None = None

    def error(self, offset: int, found: str, expected: str) -> InputError:
        """The error at the character ``offset``."""
        error = super().error(offset, found, expected)
        return InputError(
            self.file, error.line, error.column, found, expected, excerpt=error.excerpt
        )


def parts_of(kind: str) -> tuple[str, ...]:
    """The parts that models of a kind may have."""
    return _PARTS[kind]


def model_parts(model: GameModel) -> dict[str, str]:
    """The text of a model by part; no text ends with a line break."""
    parts = {"name": model.name}
    if isinstance(model, Model):
        parts |= {"domain": domain_text(model.domain), "problem": problem_text(model.problem)}
    elif isinstance(model, PositionalModel):
        parts |= _positional_parts(model)
    else:
        parts |= {"rounds": str(model.rounds), "win": str(model.win)}
        parts |= {} if model.role is None else {"role": model.role}
        parts["gdl"] = description_text(model.description)
    return {part: text.rstrip("\n") for part, text in parts.items()}


def model_from_parts(kind: str, parts: Mapping[str, str]) -> GameModel:
    """The model whose :func:`model_parts` are ``parts``; ``kind`` is one of :data:`KINDS`.

    Raises ``InputError`` for parts that are missing or not understood, at their place in the
    formula's file where ``parts`` know it (:class:`ModelParts`), else naming the part.
    """
    given = parts if isinstance(parts, ModelParts) else ModelParts(parts)
    if kind not in KINDS:
        found, expected = f"the kind of game {quoted(kind)}", f"one of {', '.join(KINDS)}"
        raise InputError(given.file, given.first_line, _column(given.first_line), found, expected)
    if kind == "bddl":
        domain = parse_domain(_part(given, "domain"), _file(given, "domain"))
        problem = parse_problem(_part(given, "problem"), _file(given, "problem"))
        model = Model(domain, problem, given.get("name", "game").strip())
        require_valid(model)
        return model
    if kind == "positional":
        return _positional_model(given)
    path = f"{given.get('name', 'game')}.gdl"
    text = _part(given, "gdl")
    with _in_file(_file(given, "gdl")):
        description = parse_description(text, path)
    source = _PartSource(text, path, _file(given, "gdl"))
    description = replace(description, source=source)
    rounds, win = _number(given, "rounds"), _number(given, "win", "100")
    role = given.get("role")
    return GdlModel(description, rounds, None if role is None else role.strip(), win)


def _column(line: int | None) -> int | None:
    return None if line is None else 1


@contextmanager
def _in_file(file: str) -> Iterator[None]:
    """Errors of what is read inside are errors of ``file``."""
    try:
        yield
    except InputError as error:
        error.file = file
        raise


def has_rules(kind: str, parts: Mapping[str, str]) -> bool:
    """Whether there are the parts that :func:`model_from_parts` needs."""
    return kind in _NEEDED and _NEEDED[kind] <= parts.keys()


def _file(parts: ModelParts, part: str) -> str:
    """What messages call a part, or the file that it stands in."""
    return parts.file or f"the formula's model ({part})"


def _part(parts: ModelParts, part: str) -> str:
    """The text of a part, in its place."""
    if part not in parts:
        line, names = parts.first_line, ", ".join(parts) or "none"
        found = f"a model with the parts {names}"
        raise InputError(parts.file, line, _column(line), found, f"a part {part}")
    return parts.in_place(part)


def _number(parts: ModelParts, part: str, default: str | None = None) -> int:
    if part not in parts and default is not None:
        return int(default)
    text = _part(parts, part)
    if not _NUMBER.fullmatch(text.strip()):
        source = Source(text, _file(parts, part))
        at = len(text) - len(text.lstrip()) if text.strip() else len(text)
        raise source.error(at, quoted(text.strip()), "a number")
    return int(text)


def _positional_parts(model: PositionalModel) -> dict[str, str]:
    notes = ["hexagons"] if model.hexagons else []
    if model.network is not None and model.network.short is Player.WHITE:
        notes.append("short white")
        model = replace(model, network=replace(model.network, short=Player.BLACK))
    for player, wins in ((Player.BLACK, model.black_wins), (Player.WHITE, model.white_wins)):
        notes += [f"won {player.value} {k}" for k, mask in enumerate(wins, start=1) if not mask]
    model = replace(
        model,
        black_wins=tuple(filter(None, model.black_wins)),
        white_wins=tuple(filter(None, model.white_wins)),
    )
    parts = {"pg": pg_text(pg_of_model(model))}
    return parts | ({"notes": "\n".join(notes)} if notes else {})


def _positional_model(parts: ModelParts) -> PositionalModel:
    source = Source(parts.in_place("notes") if "notes" in parts else "", _file(parts, "notes"))
    lines = [(offset, line) for _, offset, line in source.lines() if line.strip()]
    notes = [line.strip() for _, line in lines]
    pg = parse_pg(_part(parts, "pg"), _file(parts, "pg"))
    by_neighbours = "neighbours" in pg.present and not pg.black_goal
    if "short white" in notes and pg.source is None and not by_neighbours:
        offset, line = lines[notes.index("short white")]
        offset += len(line) - len(line.lstrip())
        raise source.error(offset, "'short white'", "it in games with a network only")
    short = Player.WHITE if "short white" in notes else Player.BLACK
    model = model_of_pg(pg, short=short, may_be_cut=True)
    wins = {Player.BLACK: list(model.black_wins), Player.WHITE: list(model.white_wins)}
    seen: set[str] = set()
    for (offset, line), note in zip(lines, notes, strict=True):
        offset += len(line) - len(line.lstrip())
        match = _WON.fullmatch(note)
        if note in seen:
            raise source.error(offset, f"{quoted(note)} once more", "each note once")
        seen.add(note)
        if match is not None:
            own = wins[Player(match[1])]
            if not 1 <= int(match[2]) <= len(own) + 1:
                found, most = f"the winning set {match[2]}", len(own) + 1
                raise source.error(offset, found, f"one of 1 to {most}")
            own.insert(int(match[2]) - 1, 0)
        elif note not in ("hexagons", "short white"):
            expected = "'hexagons', 'short white' or 'won PLAYER NUMBER'"
            raise source.error(offset, quoted(note), expected)
    return replace(
        model,
        name=parts.get("name", model.name),
        black_wins=tuple(wins[Player.BLACK]),
        white_wins=tuple(wins[Player.WHITE]),
        hexagons="hexagons" in notes,
    )
