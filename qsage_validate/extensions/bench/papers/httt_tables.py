"""Tables of the experiment ``httt``: winners and losers, and COVER beside COR+."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from qsage_validate.extensions.bench.campaign import latest
from qsage_validate.extensions.bench.run import RunRecord, RunResult
from qsage_validate.extensions.bench.summaries import configuration_names, seconds_text
from qsage_validate.extensions.bench.table import ResultTable

_PRINTED: Final = "14/64/16"
_FASTER: Final = {0.01: "61 % (336/547)", 0.1: "70 % (248/355)", 1.0: "74 % (136/183)",
                  10.0: "76 % (74/98)"}  # fmt: skip


def winners(records: Sequence[RunRecord]) -> ResultTable:
    """By board: the polyominoes that Black wins, that White blocks, and that are undecided."""
    known = latest(records)
    configs = configuration_names(known)
    boards = list(dict.fromkeys(r.run.family for r in known))
    rows = [(board, *(_counts(known, [board], config) for config in configs)) for board in boards]
    fives = [board for board in boards if board in ("5x5", "5x5 torus")]
    if len(fives) > 1:
        cells = (_counts(known, fives, config, printed=True) for config in configs)
        rows.append(("5x5, both, shapes of the paper", *cells))
    notes = ["Black wins / White blocks / unknown"]
    if fives:
        notes.append(
            f"Boucher and Villemaire 2025, Table 1: {_PRINTED} with QESTO, for COR+ and COVER "
            "alike, in 2,500 s a case, for 47 polyominoes that fit on 4x4 on both boards of 5x5 "
            "(here: all 48 such of two to six cells)"
        )
    return ResultTable("Winners, losers, unknown", ("board", *configs), tuple(rows), tuple(notes))


def _counts(
    records: Sequence[RunRecord], boards: Sequence[str], config: str, *, printed: bool = False
) -> str:
    own = [r for r in records if r.run.family in boards and r.run.configuration == config]
    if printed:
        own = [r for r in own if dict(r.run.options).get("printed") == "yes"]
    count = Counter(r.result.truth for r in own)
    return f"{count[True]}/{count[False]}/{count[None]}" if own else ""


def shapes(records: Sequence[RunRecord]) -> ResultTable:
    """A row for each polyomino: winner and plies on each board, by any solver."""
    known = latest(records)
    boards = list(dict.fromkeys(r.run.family for r in known))
    names = list(dict.fromkeys(r.run.source[0] for r in known))
    rows = []
    for name in names:
        cells = []
        for board in boards:
            own = [r for r in known if r.run.family == board and r.run.source[0] == name]
            cells.append(_outcome(own))
        rows.append((name, *cells))
    notes = ("B 7: Black wins within 7 plies; W 4: White has a pairing after 4 plies, or has won",)
    return ResultTable("Polyominoes", ("polyomino", *boards), tuple(rows), notes)


def _outcome(records: Sequence[RunRecord]) -> str:
    decided = [r for r in records if r.result.decided]
    if not decided:
        return "?" if records else ""
    parts = []
    for truth, letter in ((True, "B"), (False, "W")):
        plies = [r.result.data["plies"] for r in decided if r.result.truth is truth]
        if plies:
            parts.append(f"{letter} {min(plies)}")
    return " and ".join(parts)


def formulas(records: Sequence[RunRecord]) -> list[RunRecord]:
    """The questions for Black's win as records of their own: the points of the paper's Figure 2."""
    found = []
    for record in latest(records):
        for answer in record.result.data.get("answers", ()):
            if answer["player"] == "black":
                run = replace(
                    record.run, instance=f"{record.run.instance}, {answer['plies']} plies"
                )
                truth = answer["truth"]
                status = "timeout" if truth is None else str(truth).lower()
                result = RunResult(status, truth is not None, answer["seconds"])
                found.append(replace(record, run=run, result=result))
    return found


def cover(records: Sequence[RunRecord]) -> ResultTable:
    """The share of formulas of COVER answered sooner than those of COR+ for the same question."""
    places: dict[tuple[str, str, str], dict[str, RunResult]] = {}
    for record in formulas(records):
        run = record.run
        place = (run.instance, run.solver, run.preprocessor)
        places.setdefault(place, {})[run.encoding] = record.result
    # Where one of them ran out of time, its limit counts as its time.
    pairs = [
        (own["cor+"].seconds, own["cover"].seconds)
        for own in places.values()
        if {"cor+", "cover"} <= own.keys() and (own["cor+"].decided or own["cover"].decided)
    ]
    rows = []
    for least, printed in _FASTER.items():
        harder = [(c, v) for c, v in pairs if max(c, v) > least]
        sooner = sum(v < c for c, v in harder)
        share = f"{100 * sooner / len(harder):.0f} % ({sooner}/{len(harder)})" if harder else ""
        rows.append((f"over {least:g} s", share, printed))
    notes = (
        "formulas that one of the two encodings needs so long for, and at least one is answered",
        "printed: with all solvers and preprocessors of the paper, 2,500 s",
    )
    return ResultTable(
        "COVER sooner than COR+", ("formulas", "COVER sooner", "printed"), tuple(rows), notes
    )


# Table 1: by solver and preprocessor Black's wins, White's blocks and unknown cases, and the
# seconds of all cases with COR+ and with COVER.
_TABLE_1: Final[Mapping[tuple[str, str], tuple[str, str, str]]] = {
    ("caqe", "none"): ("13/62/19", "48466.13", "48397.52"),
    ("caqe", "bloqqer"): ("14/62/18", "45665.90", "45308.02"),
    ("caqe", "hqspre"): ("13/62/19", "50256.66", "50248.72"),
    ("caqe", "qratpre"): ("14/62/18", "46024.13", "45530.75"),
    ("depqbf", "none"): ("14/62/18", "46669.55", "45903.58"),
    ("depqbf", "bloqqer"): ("14/62/18", "47591.13", "46078.10"),
    ("depqbf", "hqspre"): ("14/62/18", "47491.20", "46655.83"),
    ("depqbf", "qratpre"): ("14/62/18", "47175.92", "46455.84"),
    ("qesto", "none"): ("14/64/16", "44035.47", "44911.54"),
    ("qesto", "bloqqer"): ("14/64/16", "41270.15", "41196.53"),
    ("qesto", "hqspre"): ("12/64/18", "48757.67", "48756.93"),
    ("qesto", "qratpre"): ("14/64/16", "41868.17", "41834.90"),
}


def deepening(records: Sequence[RunRecord]) -> ResultTable:
    """The paper's Table 1: a solver and preprocessor a row, both encodings, theirs and ours."""
    known = [
        r
        for r in latest(records)
        if r.run.family in ("5x5", "5x5 torus") and dict(r.run.options).get("printed") == "yes"
    ]
    rows = []
    for place in dict.fromkeys((r.run.solver, r.run.preprocessor) for r in known):
        cells, limit = [], ""
        for encoding in ("cor+", "cover"):
            own = [
                r.result
                for r in known
                if (r.run.solver, r.run.preprocessor, r.run.encoding) == (*place, encoding)
            ]
            count = Counter(result.truth for result in own)
            cells.append(f"{count[True]}/{count[False]}/{count[None]}" if own else "")
            cells.append(seconds_text(sum(result.seconds for result in own)) if own else "")
        limits = {r.run.seconds for r in known if (r.run.solver, r.run.preprocessor) == place}
        limit = ", ".join("none" if s is None else f"{s:g}" for s in sorted(limits, key=str))
        solver, preprocessor = place
        printed = _TABLE_1.get((solver.removesuffix("+pairs"), preprocessor), ("", "", ""))
        rows.append((solver, preprocessor, *printed, *cells, limit))
    columns = ("solver", "preprocessor", "paper", "paper: COR+ s", "paper: COVER s")
    names = (*columns, "COR+", "COR+ s", "COVER", "COVER s", "limit s")
    notes = (
        "Black wins / White blocks / unknown on both boards of 5x5, and the seconds of all cases; "
        "the paper: 47 polyominoes, 2,500 s a case; here 48",
        "+pairs: White's block is searched for on the rules, where the paper asks PAIRING formulas",
    )
    return ResultTable("Iterative deepening", names, tuple(rows), notes, left=2)


_SOLVED: Final = "solved in 10 s"
_SECTION6: Final[Mapping[str, str]] = {
    **dict.fromkeys(("domino", "tic", "el", "skinny", "elly", "knobby", "tippy"), _SOLVED),
    "fatty": "no win; open at 15",
    "n": "as Z: true at 11, 8 min",
    "l": "open at 15",
    "snaky": "open at 15",
    "z": "not run",
}


def depths(records: Sequence[RunRecord]) -> ResultTable:
    """A polyomino a row: the answer of each way at each depth, and how long it took."""
    known = [r for r in latest(records) if "plies" in dict(r.run.options)]
    plies = sorted({int(dict(r.run.options)["plies"]) for r in known})
    rows = []
    for shape in dict.fromkeys(r.run.source for r in known):
        for config in configuration_names(known):
            own = {
                int(dict(r.run.options)["plies"]): r.result
                for r in known
                if (r.run.source, r.run.configuration) == (shape, config)
            }
            cells = (_answer(own[depth]) if depth in own else "" for depth in plies)
            name = shape[0] if shape[1:] == ("5x5",) else " ".join(shape)
            rows.append((name, _SECTION6.get(name, ""), config, *cells))
    columns = ("polyomino", "the paper", "way", *(f"{depth} plies" for depth in plies))
    notes = (
        "true: Black wins within so many plies if White only blocks, and seconds; -: no answer",
        "the paper: section 6, with Bloqqer and CAQE, 3 hours an instance",
    )
    return ResultTable("Polyominoes by depth", columns, tuple(rows), notes, left=3)


def _answer(result: RunResult) -> str:
    return f"{result.status} {seconds_text(result.seconds)}" if result.decided else "-"
