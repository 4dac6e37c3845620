"""The experiment ``impartial``: winning formulas and strategies of impartial games.

Instances are files of the published benchmark, or any others of that language, or with no files
the families that come along.  A run looks for the formula and then for the strategy, within one
limit for both.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from qsage_validate.bench.experiment import Configuration, Experiment, Instance, Selection
from qsage_validate.bench.files import content_sum, files_in
from qsage_validate.bench.papers.impartial_tables import MALFORMED, OPTIONS, TABLES, WRONG
from qsage_validate.bench.run import NO_ENCODING, Run, RunResult
from qsage_validate.errors import InputError, UsageError
from qsage_validate.formats.source import quoted
from qsage_validate.system.clock import Stopwatch

if TYPE_CHECKING:
    from qsage_validate.games.impartial.model import ImpartialGame

NAME: Final = "impartial"
FILE: Final = "file"
FAMILY: Final = "family"
DEFECTIVE: Final = "defective"
"""The published variants of the games that have a repaired one."""

SUFFIXES: Final = (".pddl", ".ig")

_MAX_TEXT: Final = 2000


def _runs(selection: Selection) -> list[Run]:
    from qsage_validate.synthesis.smt.session import Method

    options = {name: _option(selection, name) for name in OPTIONS}
    methods = [method.value for method in Method]
    for solver in selection.solvers or ():
        if solver not in methods:
            raise UsageError(
                f"found the unknown method {quoted(solver)} for --solver, expected one of "
                f"{', '.join(methods)}"
            )
    for given in (selection.preprocessors, selection.encodings):
        if given:
            raise UsageError(f"found {given[0]!r} for {NAME}, which has methods alone (--solver)")
    configs = [Configuration(name, NO_ENCODING) for name in selection.solvers or methods[:1]]
    if selection.inputs:
        instances = list(_files(selection))
        if not instances:
            names = ", ".join(selection.inputs)
            raise UsageError(f"found no {' or '.join(SUFFIXES)} file in {names}")
    else:
        instances = list(_families(options["variant"]))
    strategy = (("strategy", options["strategy"]),)
    chosen = [
        replace(one, options=one.options + strategy) for one in instances[:: int(options["every"])]
    ]
    return selection.runs(NAME, chosen, configs)


def _option(selection: Selection, name: str) -> str:
    known = {"strategy": ("yes", "no"), "variant": ("repaired", "published", DEFECTIVE)}
    value = selection.options.get(name)
    if name == "every":
        if value is not None and not (value.isascii() and value.isdigit() and int(value)):
            raise UsageError(f"found {value!r} for every, expected a positive number")
        return value or "1"
    if value is not None and value not in known[name]:
        raise UsageError(f"found {value!r} for {name}, expected {' or '.join(known[name])}")
    return value or known[name][0]


def _files(selection: Selection) -> Iterator[Instance]:
    """The files among the inputs, and those of the language in folders, sorted in each folder.

    Names are relative to the folder that was given; the family is the file's folder.
    """
    for given in selection.inputs:
        for path in files_in([given], lambda path: path.endswith(SUFFIXES), selection.note):
            name = path if path == given else os.path.relpath(path, given)
            family = os.path.basename(os.path.dirname(os.path.abspath(path)))
            facts = (("sum", content_sum(path)),)
            yield Instance(family, name, (FILE, os.path.abspath(path)), facts)


def _families(variant: str) -> Iterator[Instance]:
    from qsage_validate.games.impartial.families.catalogue import families

    for family in families():
        for game in family.games:
            made = "published" if variant == DEFECTIVE else variant
            if made == "published" and not game.published:
                continue  # what was published under this name is no game
            if variant == DEFECTIVE and not game.repaired:
                continue  # the two variants are one game
            source = (FAMILY, game.name, made)
            facts = (("variant", made),)
            yield Instance(f"{family.number} {family.title}", game.name, source, facts)


def game_of(source: Sequence[str]) -> ImpartialGame:
    """The game that an instance's source names; raises ``InputError`` for a malformed file."""
    if source[0] == FILE:
        from qsage_validate.games.impartial.parser import read_game

        return read_game(source[1])
    from qsage_validate.games.impartial.families.catalogue import by_name

    return by_name()[source[1]].make(source[2])


def execute(run: Run) -> RunResult:
    """Synthesise, prove and cross-check; a run is decided by its formula, not by its strategy."""
    from qsage_validate.synthesis.report import as_json
    from qsage_validate.synthesis.smt.session import Method, Options, Verdict, synthesise

    watch = Stopwatch()
    try:
        game = game_of(run.source)
        options = Options(
            Method(run.solver),
            strategy=dict(run.options)["strategy"] == "yes",
            seconds=run.seconds,
            memory_mb=run.memory_mb,
            together=True,
        )
        synthesis = synthesise(game, options)
    except InputError as error:
        return RunResult(MALFORMED, decided=True, seconds=watch.seconds, why=str(error))
    data = _short(as_json(synthesis))
    verdict = synthesis.verdict
    status, why = verdict.value, "" if verdict is Verdict.PROVED else data["reason"]
    if verdict is Verdict.CONTRADICTED:
        # A formula that z3 has proved and backward induction refutes: a fault of ours.
        status = WRONG
    elif verdict in (Verdict.IF_PLAYS_END, Verdict.ENDLESS):
        why = str(synthesis.termination)
    decided = verdict in (Verdict.PROVED, Verdict.IMPOSSIBLE, Verdict.ENDLESS)
    used = synthesis.formula_seconds + synthesis.strategy_seconds
    return RunResult(status, decided, used, why, data=data)


def _short(data: dict[str, Any]) -> dict[str, Any]:
    """The part of a report that is kept: numbers, and texts that are not too long."""
    strategy = data.get("strategy")
    if strategy is not None:
        data["strategy"] = {
            **{name: strategy[name] for name in ("outcome", "reason", "size", "seconds")},
            "rules": len(strategy["rules"]),
        }
    for name in ("formula", "formula_if_plays_end", "candidate"):
        if data[name] is not None and len(data[name]) > _MAX_TEXT:
            data[name] = f"{data[name][:_MAX_TEXT]} ..."
    data["warnings"] = data["warnings"][:5]
    del data["termination"]["reason"]
    return data


EXPERIMENT: Final = Experiment(
    name=NAME,
    runs=_runs,
    execute=execute,
    tables=TABLES,
    inputs=f"files of impartial games ({', '.join(SUFFIXES)}) and folders with such; "
    "none: the families that come along",
    options=OPTIONS,
    processor_time=False,
)
