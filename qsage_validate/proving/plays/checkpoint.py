"""Checkpoints of the exhaustive adversary: what was done and what is still to be done."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass, field, fields, is_dataclass
from typing import TYPE_CHECKING, Any, Final

from qsage_validate.errors import UsageError
from qsage_validate.formats.source import Source
from qsage_validate.kernel.certificate import CircuitCertificate
from qsage_validate.problems.load import Problem

if TYPE_CHECKING:
    from qsage_validate.formats.json_text import Json

_FORMAT: Final = "qsage exhaustive checkpoint 3"


@dataclass(slots=True)
class Covered:
    """The state of a walk through all plays.

    ``ply`` is the number of plies of the beginnings in ``todo``; those in ``later`` have one
    more.  Both have the moves of each beginning and the number of plays that have begun so or
    merged into it.  The lists by ply: beginnings that were put into the layer, those that were
    merged into others, plays that ended after so many plies; ``unknown`` are plays of which
    the winner is unknown.
    """

    plies: int
    ply: int = 0
    todo: list[tuple[str, int]] = field(default_factory=list)
    later: list[tuple[str, int]] = field(default_factory=list)
    positions: list[int] = field(default_factory=list)
    merged: list[int] = field(default_factory=list)
    ended: list[int] = field(default_factory=list)
    replies: int = 0
    unknown: int = 0
    sampled: bool = False
    seconds: float = 0.0

    def __post_init__(self) -> None:
        for column in (self.positions, self.merged, self.ended):
            column += [0] * (self.plies + 1 - len(column))


def digest_of(problem: Problem) -> str:
    """A digest of everything that the results depend on: certificate, formula, layout, rules."""
    from qsage_validate.encodings.layout.lines import layout_comments

    hashed = hashlib.sha256()

    def add(value: object) -> None:
        hashed.update(f"{_spelled(value)!r}\n".encode())

    certificate, formula = problem.answering, problem.formula
    add((certificate.kind, certificate.dialect))
    if isinstance(certificate, CircuitCertificate):
        add((certificate.aig.num_inputs, certificate.inputs))
        hashed.update(certificate.aig.fanin0.tobytes() + certificate.aig.fanin1.tobytes())
        add((sorted(certificate.functions.items()), sorted(certificate.extra.items())))
    else:
        hashed.update(certificate.literals.tobytes())
        add((sorted(certificate.defined), certificate.max_variable))
    if formula is not None:
        add((formula.scopes, formula.output))
        add([(v, gate.connective, gate.inputs) for v, gate in formula.gates.items()])
    layout = problem.layout
    if layout is not None:
        add(layout_comments(layout))
    game = problem.game
    add(None if game is None else game.identity)
    add([(one.assertion, one.literals) for one in problem.assertions])
    return hashed.hexdigest()


def _spelled(value: object) -> object:
    """The value with the fields of dataclasses written out: their ``repr`` leaves some away."""
    if isinstance(value, (tuple, list)):
        return [_spelled(part) for part in value]
    if is_dataclass(value) and not isinstance(value, type):
        compared = (f.name for f in fields(value) if f.compare)
        return [type(value).__name__, *(_spelled(getattr(value, name)) for name in compared)]
    return value


def save(path: str, digest: str, covered: Covered) -> None:
    """Write a checkpoint, whole or not at all; raises ``InputError``."""
    from qsage_validate.formats.writing import write_atomic

    data = {name: getattr(covered, name) for name in covered.__slots__}
    text = json.dumps({"format": _FORMAT, "files": digest} | data, indent=None)
    write_atomic(path, text + "\n", continued=True)


def restore(path: str, digest: str, plies: int) -> Covered | None:
    """The progress in a checkpoint; ``None`` when there is no such file yet.

    Raises ``InputError`` for other files, and ``UsageError`` for the checkpoint of another
    certificate, formula, layout or game.
    """
    from qsage_validate.formats.json_text import parse_json

    if not os.path.lexists(path):
        return None
    data = parse_json(Source.plain(path), "a checkpoint")
    data["format"].one_of(_FORMAT)
    if data["files"].text() != digest:
        raise UsageError(
            f"the checkpoint {path} is of other files: its certificate, formula, layout or game "
            "is not the one given"
        )
    return _covered(data, plies)


def _covered(data: Json, plies: int) -> Covered:
    """The fields, each of what it has to be; raises ``InputError`` for another."""

    def column(name: str) -> list[int]:
        found = data[name].each(_is_count, "a number of plays")
        if len(found) != plies + 1:
            raise data[name].error(f"{len(found)} numbers", f"{plies + 1}")
        return list(found)

    def layer(name: str) -> list[tuple[str, int]]:
        return [(text, plays) for text, plays in data[name].each(_is_beginning, "[MOVES, PLAYS]")]

    return Covered(
        data["plies"].integer(plies, plies),
        data["ply"].integer(most=plies),
        layer("todo"),
        layer("later"),
        column("positions"),
        column("merged"),
        column("ended"),
        data["replies"].integer(),
        data["unknown"].integer(),
        data["sampled"].boolean(),
        data["seconds"].number(),
    )


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_beginning(value: Any) -> bool:
    match value:
        case [str(), int(plays)]:
            return not isinstance(plays, bool) and plays > 0
    return False
