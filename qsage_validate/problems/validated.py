"""The inputs of a validation: files, with their origin; and the encoding behind a formula."""

from __future__ import annotations

import hashlib
import os
import platform
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib import metadata
from math import inf
from typing import TYPE_CHECKING

from qsage_validate import __version__
from qsage_validate.encodings.layout import inconclusive
from qsage_validate.errors import UsageError
from qsage_validate.formats.source import open_input
from qsage_validate.kernel.certificate import dont_cares
from qsage_validate.problems.load import BoardProblem, Files, Problem, load
from qsage_validate.validation.fit import check_fit

if TYPE_CHECKING:
    from qsage_validate.encodings.encoding import Encoding

# The inputs of a validation: files by their content, programs by their versions


_BLOCK = 1 << 20
_PROGRAMS = ("python-sat", "numpy")


@dataclass(frozen=True, slots=True)
class FileFact:
    """A file: its name as it was given, its size in bytes, its SHA-256 in hexadecimal digits."""

    path: str
    size: int
    sha256: str

    def to_dict(self) -> dict[str, object]:
        """The fields but the name."""
        return {"bytes": self.size, "sha256": self.sha256}


def file_facts(files: Files, trace: str | None = None) -> tuple[FileFact, ...]:
    """The files that a problem was read from; streams and names of library games are left out."""
    named = (files.formula, files.certificate, files.meta, *files.game, trace)
    return tuple(file_fact(p) for p in dict.fromkeys(named) if p and os.path.isfile(p))


def file_fact(path: str) -> FileFact:
    """Read a file in blocks and sum it up; raises ``InputError``."""
    digest, size = hashlib.sha256(), 0
    with open_input(path, pipes=False, most=inf) as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
            size += len(block)
    return FileFact(path, size, digest.hexdigest())


def facts_from_json(data: object) -> tuple[FileFact, ...]:
    """The files among a report's facts: ``{name: {"bytes": …, "sha256": …}}``.

    Other entries are left out.
    """
    if not isinstance(data, Mapping):
        return ()
    return tuple(_facts(data.items()))


def _facts(items: Iterable[tuple[object, object]]) -> Iterable[FileFact]:
    for path, value in items:
        if not isinstance(path, str) or not isinstance(value, Mapping):
            continue
        size, digest = value.get("bytes"), value.get("sha256")
        if isinstance(size, int) and isinstance(digest, str):
            yield FileFact(path, size, digest)


def versions() -> dict[str, str]:
    """The versions of what a verdict rests on."""
    found = {"qsage-validate": __version__, "Python": platform.python_version()}
    for name in _PROGRAMS:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "unknown"
    return found


# The inputs of a validation, read from files


def command_of(files: Files, trace: str | None = None) -> str:
    """The command that validates ``files`` again."""
    command = files.command().replace("qsage-play", "qsage validate", 1)
    return command if trace is None else f"{command} --trace {shlex.quote(trace)}"


def load_to_validate(files: Files, *, trace: str | None = None) -> Problem:
    """Read ``files``; a certificate may be wrong in any way that a level is there to find.

    Without a certificate a layout and rules are needed, or a solver's ``trace`` (which is not
    read here).  Raises ``InputError``, and ``UsageError`` for what is missing or for a game that
    is not the layout's.
    """
    facts: dict[str, object] = {
        "files": {fact.path: fact.to_dict() for fact in file_facts(files, trace)},
        "command": command_of(files, trace),
    }
    if files.certificate is not None:
        # Whether functions look to their right is level 1; until it has answered, replays allow it.
        problem = to_validate(load(replace(files, unchecked_dependencies=True)))
        return replace(problem, facts={**facts, **_prenexed(problem), **problem.facts})
    if files.solver is not None or files.blocks is not None:
        raise UsageError("found --solver or --blocks without --cert, whose rest a solver answers")
    problem = load(files)
    if trace is None and (problem.layout is None or problem.claimed_game is None):
        layouts = "a layout (--meta FILE, or the game with --game or --model, to find one)"
        rules = "rules (--game DOMAIN PROBLEM)"
        missing = layouts if problem.layout is None else rules
        raise UsageError(f"without --cert the encoding is checked, which needs {missing}")
    return replace(to_validate(problem), facts={**facts, **_prenexed(problem), **problem.facts})


def _prenexed(problem: Problem) -> dict[str, object]:
    prenexed = None if problem.formula is None else problem.formula.prenexed
    return {} if prenexed is None else {"prenex": str(prenexed)}


def to_validate(problem: Problem) -> Problem:
    """A problem that is there, as it is validated.

    A certificate that proves nothing about the game gets neither layout nor game, for it need not
    even move.  Raises ``UsageError`` for a game that is not the layout's.
    """
    if problem.layout is not None and problem.game is not None:
        check_fit(problem.game, problem.layout)
    certificate, formula = problem.certificate, problem.formula
    if certificate is None:
        return problem
    if formula is not None and not dont_cares(certificate, formula):
        problem = replace(problem, solving=None)  # nothing is left to a solver
    facts = {
        **problem.facts,
        "kind": certificate.kind.value,
        "dialect": certificate.dialect.value,
        "notes": list(problem.notes),
    }
    problem = replace(problem, facts=facts)
    truth = certificate.kind.truth
    if isinstance(problem, BoardProblem) and inconclusive(problem.layout, truth) is not None:
        return problem.blocks()
    return problem


# The encoding behind a formula that was read


def encoding_of(problem: Problem) -> Encoding | None:
    """The game's encoding, when the formula is just what its own model is encoded as.

    That goes for the layout too: one that says other things of the same formula is a lie.
    """
    from qsage_validate.encodings.registry import encode, encoders
    from qsage_validate.games.languages import model_from_parts

    layout, own = problem.layout, problem.formula
    if own is None or layout is None or problem.game is None or not layout.model:
        return None
    model = model_from_parts(layout.game, layout.model)
    if layout.encoding not in encoders(model.language):
        return None
    encoded = encode(model, layout.encoding)
    if replace(encoded.layout, source=layout.source) != layout:
        return None
    same = (encoded.qbf.scopes, encoded.qbf.output) == (own.scopes, own.output)
    return encoded if same and encoded.qbf.gates == own.gates else None
