"""Tables of the experiment ``positional``: solved within so long, answers, sizes, and twins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median
from typing import Final

from qsage_validate.extensions.bench.campaign import latest
from qsage_validate.extensions.bench.run import NO_ENCODING, NO_PREPROCESSOR, RunRecord, RunResult
from qsage_validate.extensions.bench.series import comparison
from qsage_validate.extensions.bench.summaries import by_instance, configuration_names, seconds_text
from qsage_validate.extensions.bench.table import ResultTable

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
    ("sa", "cor", "stateless, not corrective"),
)
"""The pairs of encodings that section 5.2 of the paper compares."""

_NEARLY = 0.9


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
            )
        )
    columns = ("way", "instances", *(f"{mark:g} s" for mark in MARKS))
    notes = (
        "+: some runs ended before so many seconds without an answer, so that it may be more",
        "seconds: those of the decided ones; of formulas with preprocessing, without encoding",
    )
    return ResultTable("Decided within", (*columns, "true", "false", "seconds"), tuple(rows), notes)


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
