"""Checkpoints of the exhaustive adversary: what was done and what is still to be done."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from qsage_validate.encodings.layout.comments import layout_comments
from qsage_validate.errors import InputError, UsageError
from qsage_validate.formats.source import write_atomic
from qsage_validate.kernel.certificate import CircuitCertificate
from qsage_validate.problems.load import Problem

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
    hashed = hashlib.sha256()

    def add(value: object) -> None:
        hashed.update(f"{value!r}\n".encode())

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


def save(path: str, digest: str, covered: Covered) -> None:
    """Write a checkpoint, whole or not at all; raises ``InputError``."""
    data = {name: getattr(covered, name) for name in covered.__slots__}
    text = json.dumps({"format": _FORMAT, "files": digest} | data, indent=None)
    write_atomic(path, text + "\n", continued=True)


def restore(path: str, digest: str, plies: int) -> Covered | None:
    """The progress in a checkpoint; ``None`` when there is no such file yet.

    Raises ``InputError`` for other files, and ``UsageError`` for the checkpoint of another
    certificate, formula, layout or game.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "bytes that are no text"
        raise InputError(path, None, None, reason, "a checkpoint") from None
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        line, column = getattr(error, "lineno", None), getattr(error, "colno", None)
        found = getattr(error, "msg", "no JSON")
        raise InputError(path, line, column, f"no JSON ({found})", "a checkpoint") from None
    if not isinstance(data, dict) or data.get("format") != _FORMAT:
        raise InputError(path, 1, 1, "other JSON", f"a file with the format {_FORMAT!r}")
    if data.get("files") != digest:
        raise UsageError(
            f"the checkpoint {path} is of other files: its certificate, formula, layout or game "
            "is not the one given"
        )
    try:
        return _covered(data, plies)
    except (KeyError, TypeError, ValueError) as error:
        found = f"a field that does not fit ({error})"
        raise InputError(path, 1, 1, found, "a checkpoint as it was written") from None


def _covered(data: dict[str, Any], plies: int) -> Covered:
    """The fields, each of what it has to be; raises ``ValueError`` with the name of another."""

    def count(value: Any) -> bool:
        return type(value) is int and value >= 0

    def column(value: Any) -> bool:
        return isinstance(value, list) and len(value) == plies + 1 and all(map(count, value))

    def layer(value: Any) -> bool:
        if not isinstance(value, list):
            return False
        return all(isinstance(t, str) and type(n) is int and n > 0 for t, n in value)

    fine: dict[str, Callable[[Any], bool]] = {
        "plies": lambda value: count(value) and value == plies,
        "ply": lambda value: count(value) and value <= plies,
        **dict.fromkeys(("todo", "later"), layer),
        **dict.fromkeys(("positions", "merged", "ended"), column),
        **dict.fromkeys(("replies", "unknown"), count),
        "sampled": lambda value: isinstance(value, bool),
        "seconds": lambda value: isinstance(value, (int, float)),
    }
    for name, is_fine in fine.items():
        if not is_fine(data[name]):
            raise ValueError(name)
    layers = {name: [(text, plays) for text, plays in data[name]] for name in ("todo", "later")}
    return Covered(**{name: data[name] for name in fine} | layers)
