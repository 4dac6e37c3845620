"""Positional games from PG and ``.hex`` files: a depth, many encodings, one solver after another.

The experiment of Shaik, Mayer-Eichberger, van de Pol and Saffidine 2023, section 5.2: is there a
win of Black's within the depth?  Every formula is made of the game that the paper's preprocessing
(section 4.1) leaves of the file's; ``search`` asks the rules, of the game as it stands in the file.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Final

from qsage_validate.errors import UsageError, did_you_mean
from qsage_validate.extensions.bench import solving
from qsage_validate.extensions.bench.campaign import latest
from qsage_validate.extensions.bench.experiment import (
    NO_ENCODING,
    NO_PREPROCESSOR,
    Configuration,
    Experiment,
    Instance,
    ResultTable,
    Run,
    RunRecord,
    RunResult,
    Selection,
)
from qsage_validate.extensions.bench.plots import (
    by_instance,
    comparison,
    configuration_names,
    default_tables,
    limits_text,
    seconds_text,
)
from qsage_validate.extensions.bench.solving import (
    BLOQQER,
    by_encoding,
    by_search,
    content_sum,
    files_in,
)
from qsage_validate.system.limits import Stopwatch

if TYPE_CHECKING:
    from qsage_validate.games.positional.model import PositionalModel


# Tables of the experiment ``positional``: solved within so long, answers, sizes, and twins


MARKS: Final = (1.0, 10.0, 60.0, 600.0)
"""Seconds within which instances are counted."""

_TWINS: Final = (
    ("en", "ea", "implicit goal, explicit board"),
    ("et", "ea", "implicit goal, explicit board"),
    ("ln", "la", "implicit goal, lifted board"),
    ("sn", "sa", "implicit goal, stateless"),
    ("en", "ln", "explicit board, not lifted"),
    ("ea", "la", "explicit board, not lifted"),
    ("en", "sn", "explicit board, not stateless"),
    ("ea", "sa", "explicit board, not stateless"),
    ("sn", "ln", "stateless, not lifted"),
    ("sa", "la", "stateless, not lifted"),
    ("et", "en", "transversal, not neighbours"),
    ("en", "cor", "explicit board, not corrective"),
    ("la", "cor", "lifted board, not corrective"),
    ("ln", "cor", "lifted board, not corrective"),
    ("sa", "cor", "stateless, not corrective"),
    ("sn", "cor", "stateless, not corrective"),
    ("en", "en-forward", "steps backward too"),
    ("cor", "cor-ladder", "as published"),
)
"""The pairs of encodings that section 5.2 of the paper compares, and their variants here."""

_NEARLY = 0.9


PAPERS_LIMIT: Final = 10_800
"""Seconds that the paper gave each formula: three hours."""


def solved(records: Sequence[RunRecord]) -> ResultTable:
    """A configuration a row: how many instances it decided within so many seconds (figure 2)."""
    known = latest(records)
    rows = []
    for config in configuration_names(known):
        own = [r for r in known if r.run.configuration == config]
        decided = [r for r in own if r.result.decided]
        spent = sum(r.result.seconds for r in decided)
        rows.append(
            (
                config,
                str(len(own)),
                *(_within(own, mark) for mark in MARKS),
                str(sum(r.result.truth is True for r in decided)),
                str(sum(r.result.truth is False for r in decided)),
                seconds_text(spent),
                limits_text(own),
                "" if config == solving.SEARCH else f"{PAPERS_LIMIT:,}",
            )
        )
    columns = ("way", "instances", *(f"{mark:g} s" for mark in MARKS))
    notes = (
        "+: some runs ended before so many seconds without an answer, so that it may be more",
        "seconds: those of the decided ones; of formulas with preprocessing, without encoding",
    )
    names = (*columns, "true", "false", "seconds", "limit s", "paper: limit s")
    return ResultTable("Decided within", names, tuple(rows), notes)


def _within(own: Sequence[RunRecord], mark: float) -> str:
    count = sum(r.result.decided and r.result.seconds <= mark for r in own)
    cut = any(not r.result.decided and _patience(r) < mark for r in own)
    return f"{count}{'+' if cut else ''}"


def _patience(record: RunRecord) -> float:
    """The seconds within which a run is known to have had no answer.

    Its limit, if it used that up but for what writing the formula took; else what it used.
    """
    used, limit = record.result.seconds, record.run.seconds
    return limit if limit is not None and used >= _NEARLY * limit else used


def combinations(records: Sequence[RunRecord]) -> ResultTable:
    """A solver with a preprocessor a row: instances decided by encoding (appendix B)."""
    known = [r for r in latest(records) if r.run.encoding != NO_ENCODING]
    encodings = tuple(dict.fromkeys(r.run.encoding for r in known))
    rows = []
    for way in dict.fromkeys((r.run.preprocessor, r.run.solver) for r in known):
        own = [r for r in known if (r.run.preprocessor, r.run.solver) == way]
        cells = []
        for encoding in encodings:
            made = [r.result for r in own if r.run.encoding == encoding]
            count = sum(result.decided for result in made)
            cells.append(f"{count} of {len(made)}" if made else "-")
        spent = seconds_text(sum(r.result.seconds for r in own))
        decided = str(sum(r.result.decided for r in own))
        rows.append((way[1], way[0], *cells, decided, spent, limits_text(own)))
    columns = ("solver", "preprocessor", *encodings, "decided", "seconds", "limit s")
    notes = ("seconds: of all runs, those without an answer too",)
    return ResultTable("Solvers and preprocessors", columns, tuple(rows), notes, left=2)


def times(records: Sequence[RunRecord]) -> ResultTable:
    """An instance a row, by name, and its seconds by each way; the limit where there is no answer.

    ``> 60``: no answer within 60 seconds; ``memory`` and the like as they are.
    """
    ordered = sorted(latest(records), key=lambda r: (r.run.configuration, r.run.instance))
    limits = {id(r.result): r.run.seconds for r in ordered}
    # The search comes first, as it tells the answer.
    ordered.sort(key=lambda r: r.run.encoding != NO_ENCODING)

    def time(result: RunResult) -> tuple[str]:
        limit = limits[id(result)]
        if result.decided:
            return (seconds_text(result.seconds),)
        return (f"> {limit:g}" if result.status == "timeout" and limit else result.status,)

    return by_instance("Seconds", ordered, [""], time)


def answers(records: Sequence[RunRecord]) -> ResultTable:
    """An instance a row: the answer by the rules, all other answers, and whether they agree."""
    known = latest(records)
    rows = []
    agreeing = compared = 0
    for instance in dict.fromkeys(r.run.instance for r in known):
        own = [r for r in known if r.run.instance == instance]
        searched = [r for r in own if r.run.encoding == NO_ENCODING]
        formulas = [r for r in own if r.run.encoding != NO_ENCODING]
        truths = {r.result.truth for r in own} - {None}
        open_positions = {r.result.data["open"] for r in formulas if "open" in r.result.data}
        counts = [sum(r.result.truth is truth for r in formulas) for truth in (True, False, None)]
        compared += len(truths) > 0
        agreeing += len(truths) == 1
        rows.append(
            (
                instance,
                dict(own[0].run.options).get("plies", ""),
                " or ".join(map(str, sorted(open_positions))),
                _said(searched),
                *map(str, counts),
                "no" if len(truths) > 1 else "yes" if truths else "",
            )
        )
    columns = ("instance", "plies", "open", "rules", "true", "false", "no answer", "agree")
    notes = (
        "true: Black wins within the plies; the columns true, false and no answer count formulas",
        f"all answers agree on {agreeing} of the {compared} instances that have one",
    )
    return ResultTable("Answers", columns, tuple(rows), notes)


def _said(searched: Iterable[RunRecord]) -> str:
    return " / ".join(dict.fromkeys(r.result.status for r in searched))


def sizes(records: Sequence[RunRecord]) -> ResultTable:
    """By encoding: clauses and variables as QDIMACS, gates and blocks, median and largest."""
    records_of: dict[str, dict[str, RunRecord]] = {}
    for record in latest(records):
        if "clauses" in record.result.data:
            # Solvers and preprocessors get the same formula.
            records_of.setdefault(record.run.encoding, {})[record.run.instance] = record
    rows = []
    for encoding, of_encoding in records_of.items():
        own = [record.result.data for record in of_encoding.values()]
        cells = []
        for name in ("scopes", "variables", "clauses", "gates"):
            numbers = [int(data[name]) for data in own]
            cells += [f"{median(numbers):,.0f}", f"{max(numbers):,}"]
        slowest = max(float(data["encode_seconds"]) for data in own)
        rows.append((encoding, str(len(own)), *cells, seconds_text(slowest)))
    columns = [f"{name}{most}" for name in ("blocks", "variables", "clauses", "gates")
               for most in ("", ", most")]  # fmt: skip
    notes = (
        "medians, and of the largest formula; clauses and variables are those of QDIMACS, after "
        "Tseitin's transformation for circuits",
        "seconds: the longest time for preparing and encoding one instance",
    )
    return ResultTable("Sizes", ("encoding", "instances", *columns, "seconds"), tuple(rows), notes)


def twins(records: Sequence[RunRecord]) -> ResultTable:
    """Pairs of encodings on the instances that both were run on, solver by solver."""
    known = [r for r in latest(records) if r.run.encoding != NO_ENCODING]
    rows = []
    for solver, preprocessor in dict.fromkeys((r.run.solver, r.run.preprocessor) for r in known):
        own = [r for r in known if (r.run.solver, r.run.preprocessor) == (solver, preprocessor)]
        configs = {r.run.encoding: r.run.configuration for r in own}
        for one, other, what in _TWINS:
            if one not in configs or other not in configs:
                continue
            found = comparison(own, configs[one], configs[other])
            both = [(p.x, p.y) for p in found.points if p.x is not None and p.y is not None]
            rows.append(
                (
                    f"{one} and {other}",
                    what,
                    solver if preprocessor == NO_PREPROCESSOR else f"{preprocessor}+{solver}",
                    str(len(both)),
                    str(sum(p.x is not None and p.y is None for p in found.points)),
                    str(sum(p.x is None and p.y is not None for p in found.points)),
                    f"{sum(x < y for x, y in both)}",
                    "" if found.ratio is None else f"{found.ratio:.2f}",
                )
            )
    columns = ("pair", "difference", "by", "both", "first only", "second only", "first sooner",
               "ratio")  # fmt: skip
    notes = (
        "decided by both, by one only; how often the first was sooner where both decided, and the "
        "geometric mean of the second's seconds over the first's",
    )
    return ResultTable("Pairs of encodings", columns, tuple(rows), notes, left=3)


# Positional games from PG and ``.hex`` files: a depth, many encodings, one solver after another


NAME: Final = "positional"

ENCODINGS: Final = ("ea", "en", "et", "la", "ln", "sa", "sn", "cor")
"""Those of the paper's figure 2(a)."""

_OF_NETWORKS: Final = ("en", "en-forward", "ln", "li", "sn", "si")
_OF_MAKER_BREAKER: Final = ("ea", "la", "sa")
_OF_ALL: Final = ("cor", "cor+", "cor-lean", "cor-ladder")
# COVER and PAIRING are left out: one of their answers says nothing about the winner.
_KNOWN: Final = tuple(dict.fromkeys((*ENCODINGS, *_OF_NETWORKS, *_OF_MAKER_BREAKER, *_OF_ALL)))


def _instances(selection: Selection) -> list[Instance]:
    from qsage_validate.games.positional.language import is_positional_file, read_positional

    prepare = selection.options.get("prepared", "yes")
    if prepare not in ("yes", "no"):
        raise UsageError(f"found {prepare!r} for prepared, expected yes or no")
    found = []
    files = files_in(selection.inputs, is_positional_file, selection.note)
    paths = list(dict.fromkeys(map(os.path.abspath, files)))
    names = [os.path.basename(path) for path in paths]
    for path, base in zip(paths, names, strict=True):
        stem = os.path.splitext(base)[0]
        if names.count(base) > 1:
            stem = f"{os.path.basename(os.path.dirname(path))}/{stem}"
        as_written = read_positional(path)
        digest = content_sum(path)
        # None is a file's own depth.
        for depth in selection.depths() or (None,):
            model = as_written.at_depth(_odd(as_written) if depth is None else depth)
            plies = len(model.turns)
            options = (("sum", digest), ("plies", str(plies)), ("prepared", prepare))
            name = stem if depth is None else f"{stem}-{depth:02}"
            fits = partial(_suits, model)
            found.append(Instance(f"{plies} plies", name, (path,), options, fits))
    return found


def _odd(model: PositionalModel) -> int:
    """A game's plies without a last one of White's, which undoes nothing that Black has."""
    from qsage_validate.games.protocol import Player

    plies = len(model.turns)
    last_is_white = model.turns[-1:] == (Player.WHITE,)
    return plies - 1 if last_is_white and model.maker_breaker and model.alternates else plies


def _suits(model: PositionalModel, config: Configuration) -> bool:
    """True if an encoding can express the goal of a game."""
    from qsage_validate.games.positional.model import is_hex_board
    from qsage_validate.games.protocol import Player

    network = model.network
    if config.encoding == "et":
        return network is not None and (network.short is Player.WHITE or is_hex_board(model))
    if config.encoding in _OF_NETWORKS:
        return network is not None and network.short is Player.BLACK
    return config.encoding not in _OF_MAKER_BREAKER or model.maker_breaker


def _runs(selection: Selection) -> list[Run]:
    if not selection.inputs:
        raise UsageError(f"found no files for {NAME}, expected PG or .hex files, or folders")
    encodings = selection.encodings or ENCODINGS
    for name in encodings:
        if name not in _KNOWN:
            near, known = did_you_mean(name, _KNOWN), ", ".join(_KNOWN)
            raise UsageError(f"found the encoding {name!r}{near}, expected one of: {known}")
    solvers = selection.solvers or (solving.SEARCH, "caqe")
    for name in solvers:
        if name.startswith(solving.CERTIFY):
            raise UsageError(f"found the solver {name!r}, expected search or a QBF solver")
    preprocessors = selection.preprocessors or (BLOQQER,)
    chosen = replace(selection, encodings=encodings, solvers=solvers, preprocessors=preprocessors)
    configs = solving.configurations(chosen, games=True)
    instances = _instances(selection)
    if not instances:
        raise UsageError(f"found no positional game in {', '.join(selection.inputs)}")
    runs = selection.runs(NAME, instances, configs)
    if not runs:
        raise UsageError(f"found no network in the files, which {', '.join(encodings)} need")
    return runs


def model_of(run: Run) -> PositionalModel:
    """The game of a run, as the file has it, at the run's depth."""
    from qsage_validate.games.positional.language import read_positional

    return read_positional(run.source[0], int(dict(run.options)["plies"]))


def execute(run: Run) -> RunResult:
    """Search on the rules, or encode the prepared game and ask the solver."""
    model = model_of(run)
    if run.encoding != NO_ENCODING:
        return _solved(run, model)
    from qsage_validate.games.positional.rules import PositionalGame

    return by_search(run, PositionalGame(model))


def _solved(run: Run, model: PositionalModel) -> RunResult:
    """The answer of the solver; seconds are those of preprocessing and solving together."""
    from qsage_validate.encodings.prepared import prepared

    watch = Stopwatch()
    if dict(run.options)["prepared"] == "yes":
        model = prepared(model, run.encoding)
    data = {"open": model.open.bit_count(), "sets": len(model.black_wins)}
    return by_encoding(run, model, data, watch.seconds)


EXPERIMENT: Final = Experiment(
    name=NAME,
    runs=_runs,
    execute=execute,
    inputs="PG and .hex files, or folders with such",
    options={
        "depth": "so many plies in the place of a file's own; several: 5,7,9",
        "prepared": "no: encode the games as they are, without the preprocessing of section 4.1",
    },
    tables={
        "solved": solved,
        "combinations": combinations,
        "answers": answers,
        "sizes": sizes,
        "twins": twins,
        **default_tables(),
        "times": times,
    },
)
