"""What is validated, read from files."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.layout.tables import AnyLayout, inconclusive
from qsage_validate.errors import UsageError
from qsage_validate.games.protocol import Game
from qsage_validate.kernel.certificate import Certificate
from qsage_validate.problems.files import Files
from qsage_validate.problems.load import Problem, load, load_formula
from qsage_validate.problems.provenance import file_facts
from qsage_validate.validation.fit import check_fit


@dataclass(frozen=True, slots=True)
class Unpromised:
    """A game, with its layout, of which it says nothing that the formula has its value; and why."""

    layout: AnyLayout
    game: Game
    why: str


@dataclass(frozen=True)
class Subject:
    """What is validated: a formula, perhaps with a certificate, perhaps with a game's rules.

    Of a certificate that proves nothing about the game there is neither layout nor game, for it
    need not even move; ``unpromised`` is what it may win all the same.
    """

    name: str
    formula: Qbf | None
    certificate: Certificate | None
    layout: AnyLayout | None
    game: Game | None
    problem: Problem | None = None
    facts: Mapping[str, object] = field(default_factory=dict)
    unpromised: Unpromised | None = None

    def without_peeking(self) -> Subject:
        """The same, known to have no function that looks right: replays need not allow it."""
        if self.problem is None:
            return self
        files = replace(self.problem.files, peeking=False)
        return replace(self, problem=replace(self.problem, files=files))


def subject_name(files: Files) -> str:
    """How a report calls what ``files`` hold."""
    named = [path for path in (files.formula, files.certificate) if path is not None]
    return " with ".join(dict.fromkeys(named))


def command_of(files: Files, trace: str | None = None) -> str:
    """The command that validates ``files`` again."""
    command = files.command().replace("qsage-play", "qsage validate", 1)
    return command if trace is None else f"{command} --trace {shlex.quote(trace)}"


def load_subject(files: Files, *, trace: str | None = None) -> Subject:
    """Read ``files``; a certificate may be wrong in any way that a level is there to find.

    Without a certificate a layout and rules are needed, or a solver's ``trace`` (which is not
    read here).  Raises ``InputError``, and ``UsageError`` for what is missing or for a game that
    is not the layout's.
    """
    facts: dict[str, object] = {
        "files": {fact.path: fact.as_json() for fact in file_facts(files, trace)},
        "command": command_of(files, trace),
    }
    name = subject_name(files)
    if files.certificate is None:
        formula, layout, game = load_formula(files)
        if trace is None and (layout is None or game is None):
            layouts, rules = "a layout (--meta FILE)", "rules (--game DOMAIN PROBLEM)"
            missing = layouts if layout is None else rules
            raise UsageError(f"without --cert the encoding is checked, which needs {missing}")
        if game is not None and layout is not None:
            check_fit(game, layout)
        return Subject(name, formula, None, layout, game, facts=facts)
    # Whether functions look to their right is level 1; until it has answered, replays allow it.
    problem = load(replace(files, peeking=True))
    if problem.game is not None and problem.layout is not None:
        check_fit(problem.game, problem.layout)
    facts["kind"] = problem.certificate.kind.value
    facts["dialect"] = problem.certificate.dialect.value
    facts["notes"] = list(problem.notes)
    unpromised = None
    why = inconclusive(problem.layout, problem.certificate.kind.truth)
    if why is not None:
        if problem.layout is not None and problem.unpromised is not None:
            unpromised = Unpromised(problem.layout, problem.unpromised, why)
        problem = replace(problem, files=replace(problem.files, bare=True), layout=None)
    return Subject(
        name,
        problem.formula,
        problem.certificate,
        problem.layout,
        problem.game,
        problem,
        facts,
        unpromised,
    )
