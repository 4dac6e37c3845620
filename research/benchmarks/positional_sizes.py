"""Tables 1 to 4 of Shaik, Mayer-Eichberger, van de Pol and Saffidine 2023, beside ours.

    python research/benchmarks/positional_sizes.py [--table N] [--size WxH] [--depth D]
                                          [--board N] [--depths D,D] [--encoding NAME]
                                          [--written] [--bloqqer SECONDS] [--json]

Tables 1, 3 and 4 are formulas of board and depth: their values for one empty Hex board are shown
(``--size``, ``--depth``), beside the counts of what the encoders write for it.  Table 2 is of the
empty 19x19 board in QDIMACS (``--board``, ``--depths``, ``--encoding`` for others); counts come
from formulas of ``encodings.positional.sizes`` and ``sizes_symbolic``, which tests hold equal to
what is written; with ``--written`` all is written and counted, and the program fails (exit code 1)
where a formula is wrong.  ``--bloqqer`` also preprocesses, within so many seconds each (the paper:
30 minutes).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

if __package__ in (None, ""):  # started as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from qsage_validate.encodings.registry import encode
from qsage_validate.errors import QsageError
from qsage_validate.extensions.bench.experiment import ResultTable
from qsage_validate.formats.qdimacs import clausal_form
from qsage_validate.games.positional.hex import hex_network, transversal_of, with_winning_sets
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.system.limits import Deadline, Limits
from research.benchmarks.clausal_size import size_of
from research.benchmarks.positional_paper import (
    TABLE_1,
    TABLE_2,
    TABLE_2_BLOQQER,
    TABLE_2_DEPTHS,
    TABLE_3,
    Counted,
    Instance,
)
from research.benchmarks.size_formulas import expected_size
from research.benchmarks.symbolic_sizes import circuit_size, paper_size

EXPLICIT: Final = {"ea": "ea", "en": "en-forward", "et": "et"}
"""The rows of Table 3, and the encodings that have their clauses."""
SYMBOLIC: Final = ("la", "ln", "li", "sa", "sn", "si")
UNLISTED: Final = ("en", "et", "ln", "sn", "li", "si")
"""The encodings that list no winning sets, of which large boards have too many."""

# Table 4 leaves its constant c open; with these it gives Table 2's variables.
_CONSTANT: Final = {"la": 17, "ln": 17, "sn": 2}

Row = dict[str, Any]
"""A row by the names of its columns; ``None`` where the paper, or Bloqqer, has no number."""


@dataclass(frozen=True)
class Printed:
    """A table: its number in the paper, its title, rows, and why they differ."""

    number: str
    title: str
    rows: list[Row]
    notes: tuple[str, ...]

    def table(self) -> ResultTable:
        """For a terminal."""
        columns = tuple(self.rows[0])
        rows = tuple(tuple(_text(row[name]) for name in columns) for row in self.rows)
        return ResultTable(f"Table {self.number}: {self.title}", columns, rows, self.notes)

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        return {"table": self.number, "title": self.title, "rows": self.rows, "notes": self.notes}


def _text(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def game_for(board: PositionalModel, encoding: str) -> PositionalModel:
    """What an encoding is of: ET of White's network on the same board."""
    return transversal_of(board) if encoding == "et" else board


def numbers_of(board: PositionalModel, encoding: str) -> Instance:
    """What the paper's formulas take, of a board that is small enough to list its ways."""
    wins = with_winning_sets(board).black_wins
    network = game_for(board, encoding).network
    assert network is not None, "Hex is a network"
    return Instance(
        positions=len(board.positions),
        depth=board.plies,
        wins=len(wins),
        members=sum(win.bit_count() for win in wins),
        edges=sum(row.bit_count() for row in network.neighbours),
        start=network.start.bit_count(),
        end=network.end.bit_count(),
    )


def table_1(board: PositionalModel) -> Printed:
    """Dominant terms beside the counts: alternations, variables, clauses or gates."""
    rows: list[Row] = []
    for encoding, row in TABLE_1.items():
        numbers = numbers_of(board, encoding)
        qbf = encode(game_for(board, encoding), encoding).qbf
        size = size_of(qbf)
        variables = qbf.num_variables if row.of_gates else size.variables
        elements = len(qbf.gates) if row.of_gates else size.clauses
        terms = row.variables(numbers), row.elements(numbers)
        rows.append(
            {
                "encoding": encoding,
                "blocks": len(qbf.merged_scopes()),
                "printed alternations": row.alternations(board.plies),
                "variables": variables,
                "printed variables": round(terms[0]),
                "of": "gates" if row.of_gates else "clauses",
                "number": elements,
                "printed number": round(terms[1]),
                "ratio": round(elements / terms[1], 2),
            }
        )
    notes = (
        "printed: dominant terms only; what they suppress counts for much on small boards",
        "alternations: the paper counts blocks, and one less than there are of LA and LN",
        "EA: d |W| clauses are an upper bound; a set costs (d + 1) / 2 at most",
        "LN: 4 d lg eta gates leave out the constant c of Table 4; SA and SN: d^2 lg eta compares "
        "all pairs of moves, the definition only those whose later move is Black's",
    )
    return Printed("1", f"dominant terms, {board.name}, depth {board.plies}", rows, notes)


def table_2(
    size: int,
    depths: Sequence[int],
    encodings: Sequence[str] = UNLISTED,
    *,
    written: bool,
    seconds: float | None,
) -> Printed:
    """An empty board in QDIMACS, in thousands; and what Bloqqer leaves of it."""
    rows: list[Row] = []
    for encoding in encodings:
        for depth in depths:
            board = game_for(hex_network(size, size, depth), encoding)
            if encoding in SYMBOLIC:
                circuit = circuit_size(board, encoding)
                counted = circuit.clausal_variables, circuit.clauses
            else:
                counted = expected_size(board, encoding)
            row: Row = {"encoding": encoding, "depth": depth}
            row |= {"variables": counted[0], "clauses": counted[1]}
            paper = _printed(TABLE_2, encoding, size, depth)
            row["printed, thousands"] = paper and f"{paper.variables}/{paper.clauses}"
            row["agrees"] = _agrees(counted, paper)
            if written:
                made = _written(board, encoding)
                if made != counted:
                    raise SystemExit(f"{encoding}, depth {depth}: {made} written, not {counted}")
            if seconds is not None:
                row |= _preprocessed(board, encoding, seconds)
                left = _printed(TABLE_2_BLOQQER, encoding, size, depth)
                row["printed after"] = left and f"{left.variables}/{left.clauses}"
            rows.append(row)
    notes = (
        "printed thousands are cut off behind the thousand; agrees: variables, clauses, both",
        "EN: with the generator's backward steps, 342 a step on 19x19, which neither section 4.2 "
        "nor Table 3 has",
        "LN: a ply takes 2 (b + 4) gates here; with c = 17 Table 4 gives the printed variables",
        "SN: only pairs whose later move is Black's are compared here, half of all; LI and SI are "
        "not printed",
    )
    how = "written and counted" if written else "by formulas"
    return Printed("2", f"empty {size}x{size} Hex board in QDIMACS, {how}", rows, notes)


def _printed(
    table: dict[str, tuple[Counted, ...]] | dict[str, tuple[Counted | None, ...]],
    encoding: str,
    size: int,
    depth: int,
) -> Counted | None:
    if size != 19 or depth not in TABLE_2_DEPTHS or encoding not in table:
        return None
    return table[encoding][TABLE_2_DEPTHS.index(depth)]


def _agrees(counted: tuple[int, int], paper: Counted | None) -> str | None:
    if paper is None:
        return None
    same = counted[0] // 1000 == paper.variables, counted[1] // 1000 == paper.clauses
    words = {(True, True): "both", (True, False): "variables", (False, True): "clauses"}
    return words.get(same, "no")


def _written(board: PositionalModel, encoding: str) -> tuple[int, int]:
    size = size_of(encode(board, encoding).qbf)
    return size.variables, size.clauses


def _preprocessed(board: PositionalModel, encoding: str, seconds: float) -> Row:
    """Variables and clauses that Bloqqer leaves, its CPU seconds, or why nothing is left."""
    from qsage_validate.solvers.bloqqer import preprocess
    from qsage_validate.system.programs import workspace

    form = clausal_form(encode(board, encoding).qbf)
    with workspace() as folder:
        done = preprocess(form, Limits(Deadline.after(seconds), None), workdir=folder)
    left: Row = {"variables left": None, "clauses left": None}
    if done.form is not None:
        used = {abs(literal) for clause in done.form.clauses for literal in clause}
        left = {"variables left": len(used), "clauses left": len(done.form.clauses)}
    ended = done.status.name.lower() if done.form is None else "simplified"
    return left | {"Bloqqer": ended, "CPU s": round(done.cpu_seconds, 2)}


def table_3(board: PositionalModel) -> Printed:
    """The explicit board with its goals: variables, and clauses by length."""
    rows: list[Row] = []
    for printed, encoding in EXPLICIT.items():
        numbers = numbers_of(board, printed)
        size = size_of(encode(game_for(board, encoding), encoding).qbf)
        base, goal = TABLE_3["board"], TABLE_3[printed]
        row: Row = {"encoding": encoding, "variables": size.variables}
        row["printed variables"] = round(base.variables(numbers) + goal.variables(numbers))
        total = 0
        for kind, counted in (
            ("binary", size.binary),
            ("ternary", size.ternary),
            ("long", size.long),
        ):
            paper = round(getattr(base, kind)(numbers) + getattr(goal, kind)(numbers))
            row |= {kind: counted, f"printed {kind}": paper}
            total += paper
        row |= {"units": size.units, "clauses": size.clauses, "printed clauses": total}
        row["difference"] = size.clauses - total - size.units
        rows.append(row)
    notes = (
        "difference: clauses here but units, less those printed; the table has no column for "
        "units (14) of EN and (18) of ET",
        "EN: by its equations alone (en-forward); clauses (13) at corners with two neighbours are "
        "ternary, and printed as long",
    )
    return Printed("3", f"explicit boards, {board.name}, depth {board.plies}", rows, notes)


def table_4(board: PositionalModel) -> Printed:
    """The circuits: quantified variables and gates."""
    numbers = numbers_of(board, "ln")
    rows: list[Row] = []
    for encoding in SYMBOLIC:
        qbf = encode(board, encoding).qbf
        paper = paper_size(
            encoding,
            numbers.positions,
            numbers.depth,
            wins=numbers.wins,
            constant=_CONSTANT.get(encoding, 0),
        )
        rows.append(
            {
                "encoding": encoding,
                "blocks": len(qbf.merged_scopes()),
                "variables": qbf.num_variables,
                "printed variables": paper[0],
                "difference": qbf.num_variables - paper[0],
                "gates": len(qbf.gates),
                "printed gates": paper[1],
            }
        )
    notes = (
        "printed gates with c = 17 for LA and LN and c = 2 a number and step for SN, with which "
        "Table 2's variables come out; none are printed for LI and SI",
        "LA, LN, LI: d + 1 states of two variables, as in the prefix in 3.2, not d",
        "LI, SI: a level of squaring less where (d - 1) / 2 is a power of two: steps are halved",
        "gates: a ply takes 2 (b + 4) here; half as many pairs of moves; a gate for each equality",
    )
    return Printed("4", f"implicit boards, {board.name}, depth {board.plies}", rows, notes)


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    if not (width.isdigit() and height.isdigit()):
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a size such as 5x5")
    return int(width), int(height)


def _depths(text: str) -> tuple[int, ...]:
    words = text.split(",")
    if not all(word.isdigit() and int(word) % 2 for word in words):
        raise argparse.ArgumentTypeError(f"found {text!r}, expected odd depths such as 45,91")
    return tuple(map(int, words))


def tables(chosen: argparse.Namespace) -> list[Printed]:
    """The tables that are wanted."""
    width, height = chosen.size
    board = replace(hex_network(width, height, chosen.depth), name=f"{width}x{height} Hex")
    wanted = chosen.table or [1, 2, 3, 4]
    found = []
    for number, make in ((1, table_1), (3, table_3), (4, table_4)):
        if number in wanted:
            found.append(make(board))
    if 2 in wanted:
        found.append(
            table_2(
                chosen.board,
                chosen.depths,
                chosen.encoding or UNLISTED,
                written=chosen.written,
                seconds=chosen.bloqqer,
            )
        )
    return sorted(found, key=lambda table: table.number)


def main(arguments: Sequence[str] | None = None) -> int:
    """The program; returns its exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--table", type=int, action="append", choices=(1, 2, 3, 4))
    parser.add_argument("--size", type=_size, default=(4, 4), metavar="WxH")
    parser.add_argument("--depth", type=int, default=9, metavar="D")
    parser.add_argument("--board", type=int, default=19, metavar="N", help="of table 2")
    parser.add_argument("--depths", type=_depths, default=TABLE_2_DEPTHS, help="of table 2")
    parser.add_argument("--encoding", action="append", choices=UNLISTED, help="of table 2")
    parser.add_argument("--written", action="store_true", help="write table 2's formulas")
    parser.add_argument("--bloqqer", type=float, metavar="SECONDS", help="and preprocess them")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args(arguments)
    try:
        made = tables(chosen)
    except QsageError as error:
        print(error, file=sys.stderr)
        return int(error.exit_code)
    if chosen.json:
        print(json.dumps([table.to_dict() for table in made], indent=1))
        return 0
    for table in made:
        table.table().show(sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
