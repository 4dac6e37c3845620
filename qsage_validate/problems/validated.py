"""The inputs of a validation, read from files."""

from __future__ import annotations

import shlex
from dataclasses import replace

from qsage_validate.encodings.layout.layout import inconclusive
from qsage_validate.errors import UsageError
from qsage_validate.kernel.certificate import dont_cares
from qsage_validate.problems.files import Files
from qsage_validate.problems.load import BoardProblem, Problem, load
from qsage_validate.problems.provenance import file_facts
from qsage_validate.validation.fit import check_fit


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
