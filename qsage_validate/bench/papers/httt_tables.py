"""Tables of the experiment ``httt``: winners and losers, and COVER beside COR+."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from qsage_validate.bench.campaign import latest
from qsage_validate.bench.run import Record
from qsage_validate.bench.summaries import configuration_names
from qsage_validate.bench.table import Table

_PRINTED: Final = "14/64/16"
_FASTER: Final = {0.01: "61 % (336/547)", 0.1: "70 % (248/355)", 1.0: "74 % (136/183)",
                  10.0: "76 % (74/98)"}  # fmt: skip


def winners(records: Sequence[Record]) -> Table:
    """By board: the polyominoes that Black wins, that White blocks, and that are undecided."""
    known = latest(records)
    configs = configuration_names(known)
    boards = list(dict.fromkeys(r.run.family for r in known))
    rows = [(board, *(_counts(known, [board], config) for config in configs)) for board in boards]
    fives = [board for board in boards if board.startswith("5x5")]
    if len(fives) > 1:
        cells = (_counts(known, fives, config, printed=True) for config in configs)
        rows.append(("5x5, both, shapes of the paper", *cells))
    notes = (
        "Black wins / White blocks / unknown",
        f"Boucher and Villemaire 2025, Table 1: {_PRINTED} with QESTO, for COR+ and COVER alike, "
        "in 2,500 s a case, for 47 polyominoes that fit on 4x4 on both boards of 5x5 (here: all "
        "48 such of two to six cells)",
    )
    return Table("Winners, losers, unknown", ("board", *configs), tuple(rows), notes)


def _counts(
    records: Sequence[Record], boards: Sequence[str], config: str, *, printed: bool = False
) -> str:
    own = [r for r in records if r.run.family in boards and r.run.configuration == config]
    if printed:
        own = [r for r in own if dict(r.run.options).get("printed") == "yes"]
    count = Counter(r.result.truth for r in own)
    return f"{count[True]}/{count[False]}/{count[None]}" if own else ""


def shapes(records: Sequence[Record]) -> Table:
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
    return Table("Polyominoes", ("polyomino", *boards), tuple(rows), notes)


def _outcome(records: Sequence[Record]) -> str:
    decided = [r for r in records if r.result.decided]
    if not decided:
        return "?" if records else ""
    parts = []
    for truth, letter in ((True, "B"), (False, "W")):
        plies = [r.result.data["plies"] for r in decided if r.result.truth is truth]
        if plies:
            parts.append(f"{letter} {min(plies)}")
    return " and ".join(parts)


def cover(records: Sequence[Record]) -> Table:
    """The share of formulas of COVER answered sooner than those of COR+ for the same question."""
    pairs: list[tuple[float, float]] = []
    times = {"cor+": _black_times(records, "cor+"), "cover": _black_times(records, "cover")}
    for place, (seconds, answered) in times["cor+"].items():
        other = times["cover"].get(place)
        # Where one of them ran out of time, its limit counts as its time.
        if other is not None and (answered or other[1]):
            pairs.append((seconds, other[0]))
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
    return Table(
        "COVER sooner than COR+", ("formulas", "COVER sooner", "printed"), tuple(rows), notes
    )


def _black_times(
    records: Sequence[Record], encoding: str
) -> dict[tuple[str, str, str, int], tuple[float, bool]]:
    """Seconds, and whether there was an answer, by instance, solver, preprocessor and plies."""
    found = {}
    for record in latest(records):
        run = record.run
        if run.encoding != encoding:
            continue
        for answer in record.result.data.get("answers", ()):
            if answer["player"] == "black":
                place = (run.instance, run.solver, run.preprocessor, answer["plies"])
                found[place] = (answer["seconds"], answer["truth"] is not None)
    return found
