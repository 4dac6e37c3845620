"""The page of ``strangers.py``: tables of its rows, and what is said of each wrong encoding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from research.benchmarks.strangers import Row

_HEAD: Final = """\
# What published encodings say

Formulas that others' tools wrote were held against their games, position by position: has the
formula, with the moves of a play fixed, the value that the game has after that play? Nothing was
known but the formula and the game; the layout was found each time. Measured from 2026-11-26 to 29
with CPython 3.11; while it ran the program was mended, so that rows are of several versions.
Seconds are a processor's, of those that a formula was given; a search or a program may end a little
later.

```sh
python research/benchmarks/strangers.py DATA --processor-time -o strangers.jsonl
python research/benchmarks/strangers.py DATA --processor-time --groups hex --only 3x3-03 \\
    --forms renamed permuted tseitin polarity moved "permuted clauses" -o strangers.jsonl
python research/benchmarks/strangers.py DATA --processor-time --groups hex --only 3x3-03 \\
    --faults 500 -o strangers.jsonl
python research/benchmarks/strangers.py DATA --processor-time --groups own --faults 420 \\
    --seconds 20 -o strangers.jsonl
python research/benchmarks/strangers.py DATA --processor-time --groups positional bwnib \\
    -o strangers.jsonl
python research/benchmarks/strangers.py -o research/benchmarks/strangers.jsonl.xz --page \\
    > docs/results/strangers.md
```

A run goes on where it stopped, and each row is one run. DATA is a folder with `strangers/hex`
(`ENCODING_PUZZLE.qcir` and `PUZZLE.pg`), `strangers/grid` (`ENCODING_GAME.qcir` and its BDDL
files), archives of reference files, and `sqval`. The formulas are those of their authors and are
not part of this project.

The first difference is a play of legal moves after which formula and game differ, a shortest one
where all shorter plays were compared. The value is that of the whole formula, by the data's own
judgement, and often the game's even where the formula is wrong. A verdict *claimed* rests on the
word of a QBF solver in some positions, *no fault found* on those that were compared in time. A
question mark marks what was held against the data's judgement, and not against brute force.
"""

WITH_META: Final = "with its meta file"
"""The form of a row whose layout is Q-sage's own."""
_GROUPS: Final = {
    "hex": "Hex: Q-sage's encodings of Hein's puzzles",
    "grid": "Grid games, without their meta files",
    "sqval": "SQval's formulas",
    "own": "Formulas of this project, their layouts taken away",
    "gdl": "Games in GDL: formulas of this project, their layouts taken away",
}
_REFERENCE: Final = {
    "positional": ("positional games", 120),
    "bwnib": ("grid games", 102),
    "hqspre": ("grid games after HQSpre", 102),
}

_FAULTY: Final = {
    "hex": "Q-sage's formulas of Hex, 3x3 at 3 plies,",
    "grid": "Q-sage's formulas of grid games",
    "own": "formulas of this project, on boards of 2x2,",
}

_CAUSES: Final = """\
## The wrong encodings, one by one

The smallest instance is Hein's puzzle 4 on 3x3 (`hein_04_3x3-03`: Black has a stone on a1, White on
b1 and c2; Black connects row 1 with row 3). Moves are numbers of `#positions`, the most significant
bit first. What is said of causes was tried: the game was changed, and the formula compared with
the changed game after all complete plays (120 at 3 plies, 720 at 5).

- **`cp`, `iw`: black stones of the start are left out.** After a2 b2 Black to move wins by a3 (a1,
  a2, a3), and the formula is false. The comment "Witness positions can only have the black moves"
  says the cause: a step of the witness is one of Black's moves, and `#blackinitials` are none. If
  a1 counts as taken and not as black, the formulas agree with the game after all 120 and 720
  complete plays. The `cp` files of Q-sage's successor (among the reference files) are proved on
  the same two puzzles.
- **`gg`, `ggt`: the disjunction of winning configurations is empty.** At 5 plies the formula is
  false, and Black wins. Below the comment "Atleast one of the winning configurations to be true"
  stands a gate `or()`. The configurations seem to come from `#blackwins`, which is empty where a
  game is given by its borders; the formula is false whatever is played. At 3 plies Black needs the
  stone on a1, and the first difference is a2 b2 as above.
- **`nt`, `pgt`: Black connects the other two sides.** At 5 plies the formula is false, and Black
  wins. It agrees with the game in which Black connects column a with column c after all 120 and
  720 complete plays. The goal's comments are "start boarder vars reachable" and "constraining end
  vars unreachable": squares that are not black are reached from the start border, and the end
  border must not be; so Black cuts these two borders from each other. It is the goal of a game
  whose borders are White's.
- **`cgcp`: wins are claimed that are not made, and others denied.** At 3 plies the formula is true,
  and White wins: after a3 a2 b2 it is true, while Black's stones a1, a3, b2 connect nothing. 19 of
  120 complete plays differ, all of them accepted for Black. At 5 plies 124 of 720 differ, and there
  are plays that Black wins and the formula denies (b3 a2 b2 a3 c1). The formula looks for chains at
  both borders ("First two chain start boarder clauses"); which gate is at fault the file does not
  show.
- **`ib` of a game in which White begins (`ib_bsp24`, Breakthrough second player on 2x4): Black makes a
  move before White's first one.** In `nib`, `dnib` and `bwnib` the variables of Black's first ply have to
  be 0 ("Dummy black move at time step 0"); in `ib` they are a move like all others, which changes the
  board. After right-diagonal(1,2) forward(1,3) left-diagonal(2,3)
  White has reached the last row, and the formula is true, by DepQBF too. With its meta file it is refuted
  there; without, no reading of its variables stands out, for it differs from the game under each. The
  formula's own value is the game's.
- **`httt/4x4_15_fatty_bwnib`: Black need not give a reason.** White claims a 2x2 square by its corner, and
  Black names a stone of it that is missing, or says that the square lies beyond the border. The gates
  that should ask whether it does (759 to 764, beside the codes of variables 113 to 115) are inputs of
  nothing: Black may always say so, and White's squares never count. White completes a square, Black one
  later, and the formula is true. On 3x3 all squares share the centre, and so nothing is wrong there; the
  formulas of the other shapes, and of Connect-4, ask.
"""

_NOTES: Final = {
    "sqval": """\
The games are the puzzles as Q-sage preprocesses them, of which these formulas are: White's stones
are taken off, Black's stones join their neighbours, and positions are left out that are on no
connection with as few positions as Black has plies. Of puzzle 4 on 3x3 at 3 plies a2 and a3
are left, at 5 plies a2, a3, b2, b3 and c1, and of puzzle 9 on 4x4 c1, c2, c3 and d3.
""",
}


def page(rows: Sequence[Row]) -> Iterator[str]:
    """The page in Markdown."""
    yield _HEAD
    plain = [row for row in rows if not row.fault and row.form == "as it is"]
    for group, title in _GROUPS.items():
        own = [row for row in plain if row.group == group]
        if own:
            yield f"## {title}\n"
            yield f"{_sentence(own)}\n"
            if group in _NOTES:
                yield _NOTES[group]
            yield from _table(own)
            yield ""
    yield from _references(plain)
    yield from _forms([row for row in rows if not row.fault and row.form != "as it is"])
    yield _CAUSES
    yield from _faults([row for row in rows if row.fault])
    yield from _missing(rows)


def _sentence(rows: Sequence[Row]) -> str:
    counts = Counter(row.verdict for row in rows)
    told = ", ".join(f"{n} {verdict}" for verdict, n in counts.most_common())
    return f"Of {len(rows)} formulas: {told}. {_lies(rows)}"


def _lies(rows: Sequence[Row]) -> str:
    lies = sum(bool(row.lie) for row in rows)
    return "No answer is false." if not lies else f"{lies} answers are false."


def _held(rows: Sequence[Row]) -> str:
    """How many proofs were held against something."""
    proved = [row for row in rows if row.verdict == "proved"]
    held = sum(row.truth != "not judged" for row in proved)
    return (
        f"Of {len(proved)} proofs {held} were held against brute force, after 40 complete plays each"
        " that were drawn at random."
    )


def _unfit(rows: Sequence[Row]) -> Iterator[str]:
    """What HQSpre has left of formulas, by the sentences that say so."""
    constant = sum("it is the constant" in row.text for row in rows)
    taken = sum("a preprocessor took away" in row.text for row in rows)
    if constant or taken:
        yield (
            f"HQSpre has decided {constant} of its files: they are constants, and say nothing of a"
            f" play. In {taken} some ply has no place for its moves, and the comments in the file"
            " (`ren 3 -> 2`) say that variables were taken away. A formula that has lost bits of"
            " moves, however true its value is, says nothing of single plays.\n"
        )


def _table(rows: Sequence[Row], *, forms: bool = False) -> Iterator[str]:
    heads = ["formula", *["form"] * forms, "game", "reading", "value", "verdict"]
    yield f"| {' | '.join(heads)} | first difference | seconds | of |"
    yield f"|{'---|' * len(heads)}---|--:|--:|"
    for row in sorted(rows, key=lambda row: (row.name, row.form)):
        value = {True: "true", False: "false", None: ""}[row.value]
        cells = [row.name.partition("/")[2], *[row.form] * forms, row.game]
        cells += [_reading(row), value, row.verdict, row.difference]
        yield f"| {' | '.join(cells)} | {row.seconds:.1f} | {row.limit.partition(' ')[0]} |"


def _reading(row: Row) -> str:
    return row.layout.rpartition("/")[2].removeprefix("found: moves as ")


def _references(rows: Sequence[Row]) -> Iterator[str]:
    yield "## The reference files\n"
    verdicts = ("proved", "claimed", "refuted", "no fault found", "undecided", "does not fit")
    yield f"| files | of | {' | '.join(verdicts)} | not run |"
    yield f"|---|{'--:|' * (len(verdicts) + 2)}"
    every: list[Row] = []
    for group, (title, number) in _REFERENCE.items():
        own = [row for row in rows if row.group == group]
        every += own
        counts = Counter(row.verdict for row in own)
        cells = [counts[verdict] for verdict in verdicts]
        cells.append(number - len(own))
        yield f"| {title} | {number} | {' | '.join(map(str, cells))} |"
    yield ""
    if every:
        yield f"{_lies(every)} {_held(every)}\n"
        yield from _unfit(every)
        yield from _table(every)
        yield ""


def _forms(rows: Sequence[Row]) -> Iterator[str]:
    if not rows:
        return
    yield "## Other forms\n"
    yield (
        "Numbers changed (*renamed*), and the order inside of blocks as well (*permuted*); clauses by"
        " Tseitin, by polarity, by Tseitin with definitions as far left as they may stand (*moved*),"
        " and by polarity and permuted.\n"
    )
    yield f"{_sentence(rows)}\n"
    yield (
        "The first run of these forms refuted two right formulas, `ibign` and `ntpg` permuted, by readings"
        " with their bits in a wrong order. The search was mended, and the permuted forms were run again.\n"
    )
    yield from _table(rows, forms=True)
    yield ""


def _faults(rows: Sequence[Row]) -> Iterator[str]:
    if not rows:
        return
    yield "## Faults\n"
    yield (
        "Right formulas with a fault each: a gate, a literal, an input, a neighbour, a constant in"
        " the place of a gate, a conjunct that is lost, a quantifier, or a variable in the next"
        " scope. Brute force says which ones are wrong with the moves where they were; a fault in a code may"
        " give another one, by which the formula is right.\n"
    )
    heads = ("wrong and refuted", "right and proved", "proved by another reading")
    more = ("decided, and too large for brute force", "undecided", "against the truth")
    yield f"| kind | of | {' | '.join((*heads, *more))} |"
    yield f"|---|{'--:|' * 7}"
    kinds = sorted({row.fault.partition(" ")[0] for row in rows})
    for kind in [*kinds, ""]:
        own = [row for row in rows if row.fault.startswith(kind)]
        pairs = Counter((row.truth, row.verdict) for row in own)
        lies = sum(bool(row.lie) for row in own)
        refuted, proved = pairs["wrong", "refuted"], pairs["right", "proved"]
        open_ones = sum(row.verdict not in ("refuted", "proved") for row in own)
        unknown = sum(
            row.truth == "not judged" and row.verdict in ("refuted", "proved") for row in own
        )
        cells = [len(own), refuted, proved, pairs["wrong", "proved"], unknown, open_ones, lies]
        yield f"| {kind or 'all'} | {' | '.join(map(str, cells))} |"
    yield ""
    for group, title in _FAULTY.items():
        own = [row for row in rows if row.group == group]
        left = sum(row.verdict not in ("refuted", "proved") for row in own)
        if own:
            yield f"- Of {len(own)} faults in {title} {left} are undecided ({left / len(own):.0%})."
    yield (
        "\nMost that is undecided has several readings under which the formula differs, and none that"
        " agrees far better: the fewer plays a game has, the less they tell readings apart. In some, the"
        " fault leaves too few variables for a move, and the program says that this is not the game.\n"
    )
    for row in rows:
        if row.lie:
            yield f"- {row.name}, {row.fault}: {row.lie}. {row.text}"


def _missing(rows: Sequence[Row]) -> Iterator[str]:
    """What the page does not have."""
    yield "## What was not run\n"
    grid = sum(row.group == "grid" and row.form == "as it is" for row in rows)
    faults = sum(bool(row.fault) for row in rows)
    plain = [row for row in rows if not row.fault and row.form == "as it is"]
    for group, (title, number) in _REFERENCE.items():
        ran = sum(row.group == group for row in plain)
        if ran < number:
            yield f"- Of the {number} reference files of {title}, {number - ran} were not run."
    if grid < 24:
        yield f"- Of the 24 formulas of grid games, {24 - grid} were not run."
    if faults < 500:
        yield f"- Of the 500 faults that are asked for, {500 - faults} were not run."
    others = [row for row in rows if not row.fault and row.form not in ("as it is", WITH_META)]
    forms = sum(row.group == "hex" and "3x3-03" in row.name for row in others)
    if forms < 72:
        yield f"- Of the 72 other forms of the Hex formulas at 3 plies, {72 - forms} were not run."
    yield "- Other forms were made of small games only, and none with meta files."
    yield "- The data has no formulas by the positional games' generator, only its games."
