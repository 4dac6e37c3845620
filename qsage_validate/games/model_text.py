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
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from qsage_validate.errors import InputError
from qsage_validate.formats.pg import parse_pg, pg_text
from qsage_validate.formats.source import quoted
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
KINDS: Final = tuple(_NEEDED)
"""What layouts call the kinds of games."""

_WON: Final = re.compile(r"won (black|white) ([0-9]{1,9})")
_NUMBER: Final = re.compile(r"[0-9]{1,9}")


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

    Raises ``InputError`` for parts that are missing or not understood, naming the part.
    """
    if kind not in KINDS:
        raise InputError(
            None, None, None, f"the kind of game {quoted(kind)}", f"one of {', '.join(KINDS)}"
        )
    if kind == "bddl":
        domain = parse_domain(_part(parts, "domain"), _file("domain"))
        problem = parse_problem(_part(parts, "problem"), _file("problem"))
        return Model(domain, problem, parts.get("name", "game").strip())
    if kind == "positional":
        return _positional_model(parts)
    description = parse_description(_part(parts, "gdl"), f"{parts.get('name', 'game')}.gdl")
    role = parts.get("role")
    rounds, win = _number(parts, "rounds"), _number(parts, "win", "100")
    return GdlModel(description, rounds, role, win)


def has_rules(kind: str, parts: Mapping[str, str]) -> bool:
    """Whether there are the parts that :func:`model_from_parts` needs."""
    return kind in _NEEDED and _NEEDED[kind] <= parts.keys()


def _file(part: str) -> str:
    """What messages call a part."""
    return f"the formula's model ({part})"


def _part(parts: Mapping[str, str], part: str) -> str:
    if part not in parts:
        names = ", ".join(parts) or "none"
        raise InputError(None, None, None, f"a model with the parts {names}", f"a part {part}")
    return parts[part]


def _number(parts: Mapping[str, str], part: str, default: str | None = None) -> int:
    text = (_part(parts, part) if default is None else parts.get(part, default)).strip()
    if not _NUMBER.fullmatch(text):
        raise InputError(_file(part), 1, 1, quoted(text), "a number")
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


def _positional_model(parts: Mapping[str, str]) -> PositionalModel:
    notes = [line.strip() for line in parts.get("notes", "").split("\n") if line.strip()]
    short = Player.WHITE if "short white" in notes else Player.BLACK
    pg = parse_pg(_part(parts, "pg"), _file("pg"))
    model = model_of_pg(pg, short=short, may_be_cut=True)
    wins = {Player.BLACK: list(model.black_wins), Player.WHITE: list(model.white_wins)}
    for number, note in enumerate(notes, start=1):
        match = _WON.fullmatch(note)
        if match is not None:
            own = wins[Player(match[1])]
            if not 1 <= int(match[2]) <= len(own) + 1:
                found, most = f"the winning set {match[2]}", len(own) + 1
                raise InputError(_file("notes"), number, 1, found, f"one of 1 to {most}")
            own.insert(int(match[2]) - 1, 0)
        elif note not in ("hexagons", "short white"):
            expected = "'hexagons', 'short white' or 'won PLAYER NUMBER'"
            raise InputError(_file("notes"), number, 1, quoted(note), expected)
    return replace(
        model,
        name=parts.get("name", model.name),
        black_wins=tuple(wins[Player.BLACK]),
        white_wins=tuple(wins[Player.WHITE]),
        hexagons="hexagons" in notes,
    )
