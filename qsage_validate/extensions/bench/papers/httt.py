"""Harary's Tic-Tac-Toe by asking for Black's win and White's block in turn.

The experiment of Boucher and Villemaire 2025, section 4: the polyominoes that fit on a 4x4 board,
on boards with edges and on tori, by iterative deepening (``solvers/alternation.py``) with
COR+ or COVER for Black and PAIRING for White.

A solver is a QBF solver for both questions, such a one with ``+pairs``, so that White's block is
searched for on the rules, or ``search``: both are.  The solver ``positional`` is the search made
for positional games instead (``solvers/positional_search.py``), which asks no question by
itself.  A run has the answers of all formulas in its data, so that encodings can be
compared formula by formula.

With depths (``--set depth=7,9``) the question is another one.

The experiment of Shaik, Mayer-Eichberger, van de Pol and Saffidine 2023, section 6: eleven
polyominoes on 5x5 in the maker-breaker game, at the depths 7 to 15 in steps of 2, by SN with shapes
(``sn-httt``), Bloqqer and CAQE.  The paper's "Z" is the pentomino N: the authors' file
``test_5_5_Z.pg`` lists its orientations.  The pentomino Z is run besides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from qsage_validate.errors import UsageError, did_you_mean
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
    configuration_names,
    default_tables,
    limits_text,
    seconds_text,
)
from qsage_validate.extensions.bench.solving import (
    BLOQQER,
    SEARCH,
    by_encoding,
    by_search,
    check_preprocessor,
    check_solver,
)

if TYPE_CHECKING:
    from qsage_validate.circuit.qbf import Qbf
    from qsage_validate.games.positional.model import PositionalModel
    from qsage_validate.solvers.alternation import Alternated, Ask
    from qsage_validate.solvers.qbf_solving import Solved


# Polyominoes with implicit goals: does Black win within so many plies, if White only blocks?


DEPTH_ENCODINGS: Final = ("sn-httt",)
# Those of winning sets.  COVER and PAIRING are left out: one of their answers tells nothing here.
_KNOWN: Final = (*DEPTH_ENCODINGS, "ea", "la", "sa", "cor", "cor+", "cor-lean", "cor-ladder")
SHAPES: Final = (
    "domino",
    "tic",
    "el",
    "skinny",
    "fatty",
    "elly",
    "knobby",
    "tippy",
    "n",
    "l",
    "snaky",
    "z",
)
"""The eleven of the paper, and the pentomino whose name the paper gives to N."""


def bounded_runs(
    name: str, selection: Selection, depths: tuple[int, ...], boards: tuple[str, ...]
) -> list[Run]:
    """The runs of the experiment ``name`` at some depths; ``UsageError`` for even ones."""
    even = [depth for depth in depths if depth % 2 == 0]
    if even:
        raise UsageError(f"found the depth {even[0]}, expected odd ones: Black plays last")
    found = []
    for board in boards:
        for shape in SHAPES:
            for depth in depths:
                source = (shape, *board.split())
                options = (("plies", str(depth)),)
                instance = f"{board} {shape}-{depth:02}"
                found.append(Instance(f"{board}, {depth} plies", instance, source, options))
    return selection.runs(name, found, _depth_configurations(selection))


def _depth_configurations(selection: Selection) -> list[Configuration]:
    encodings = selection.encodings or DEPTH_ENCODINGS
    for name in encodings:
        if name not in _KNOWN:
            near, known = did_you_mean(name, _KNOWN), ", ".join(_KNOWN)
            raise UsageError(f"found the encoding {name!r}{near}, expected one of: {known}")
    preprocessors = selection.preprocessors or (BLOQQER,)
    for name in preprocessors:
        check_preprocessor(name)
    configs = []
    for solver in selection.solvers or (SEARCH, "caqe"):
        if solver == SEARCH:
            configs.append(Configuration(solver, NO_ENCODING))
            continue
        check_solver(solver)
        configs += [Configuration(solver, e, p) for e in encodings for p in preprocessors]
    return configs


def bounded_model(run: Run) -> PositionalModel:
    """The maker-breaker game of a run at its depth."""
    from qsage_validate.games.positional.harary import harary_model

    shape, size, *torus = run.source
    width, height = map(int, size.split("x"))
    plies = int(dict(run.options)["plies"])
    return harary_model(shape, width, height, torus=bool(torus), maker_breaker=True, plies=plies)


def execute_bounded(run: Run) -> RunResult:
    """Search on the rules, or encode the game and ask the solver."""
    model = bounded_model(run)
    if run.encoding != NO_ENCODING:
        return by_encoding(run, model, {"plies": model.plies, "sets": len(model.black_wins)})
    from qsage_validate.games.positional.rules import PositionalGame

    return by_search(run, PositionalGame(model))


# Tables of the experiment ``httt``: winners and losers, and COVER beside COR+


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


PAPERS_LIMIT: Final = 2500
"""Seconds that the COVER paper gave each case."""

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
    ("qute", "none"): ("12/60/22", "55356.24", "55265.69"),
    ("qute", "bloqqer"): ("12/60/22", "57134.60", "57095.74"),
    ("qute", "hqspre"): ("12/61/21", "53129.73", "53122.35"),
    ("qute", "qratpre"): ("12/60/22", "55470.14", "55385.08"),
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
        cells = []
        for encoding in ("cor+", "cover"):
            own = [
                r.result
                for r in known
                if (r.run.solver, r.run.preprocessor, r.run.encoding) == (*place, encoding)
            ]
            count = Counter(result.truth for result in own)
            cells.append(f"{count[True]}/{count[False]}/{count[None]}" if own else "")
            cells.append(seconds_text(sum(result.seconds for result in own)) if own else "")
        limit = limits_text(r for r in known if (r.run.solver, r.run.preprocessor) == place)
        solver, preprocessor = place
        printed = _TABLE_1.get((solver.removesuffix("+pairs"), preprocessor), ("", "", ""))
        rows.append((solver, preprocessor, *printed, f"{PAPERS_LIMIT:,}", *cells, limit))
    columns = (
        "solver",
        "preprocessor",
        "paper",
        "paper: COR+ s",
        "paper: COVER s",
        "paper: limit s",
    )
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


# Harary's Tic-Tac-Toe by asking for Black's win and White's block in turn


NAME: Final = "httt"
PAIRS: Final = "+pairs"
POSITIONAL: Final = "positional"
ENCODINGS: Final = ("cor+", "cover")
BOARDS: Final = ("5x5", "5x5 torus", "4x4", "4x4 torus")

_WITHIN: Final = 4
"""The paper's polyominoes fit on a board of this width."""


def _instances(boards: tuple[str, ...]) -> list[Instance]:
    """The paper's polyominoes, and with them those of five cells and Snaky that are longer."""
    from qsage_validate.games.positional.harary import fits, named

    shapes = {n: c for n, c in named().items() if n != "elam"}
    wanted = {n: c for n, c in shapes.items() if fits(c, _WITHIN, _WITHIN)}
    wanted |= {n: c for n, c in shapes.items() if len(c) == 5 or n == "snaky"}
    found = []
    for board in boards:
        width, height = map(int, board.split()[0].split("x"))
        for name, cells in wanted.items():
            if fits(cells, width, height):
                printed = "yes" if fits(cells, _WITHIN, _WITHIN) else "no"
                source = (name, *board.split())
                found.append(Instance(board, f"{board} {name}", source, (("printed", printed),)))
    return found


def _runs(selection: Selection) -> list[Run]:
    board = selection.options.get("board")
    if board is not None and board not in BOARDS:
        raise UsageError(f"found the board {board!r}, expected one of: {', '.join(BOARDS)}")
    depths = selection.depths()
    if depths is not None:
        return bounded_runs(NAME, selection, depths, (board or BOARDS[0],))
    instances = _instances(BOARDS if board is None else (board,))
    return selection.runs(NAME, instances, _configurations(selection))


def _configurations(selection: Selection) -> list[Configuration]:
    from qsage_validate.encodings.registry import encoders

    encodings = selection.encodings or ENCODINGS
    for name in encodings:
        known = encoders("positional")
        if name not in known:
            near = did_you_mean(name, known)
            raise UsageError(
                f"unknown encoding {name!r}{near}, expected one of: {', '.join(known)}"
            )
    preprocessors = selection.preprocessors or (NO_PREPROCESSOR,)
    for name in preprocessors:
        check_preprocessor(name)
    configs = []
    for solver in selection.solvers or ("depqbf",):
        if solver in (SEARCH, POSITIONAL):
            configs.append(Configuration(solver, NO_ENCODING))
            continue
        check_solver(solver.removesuffix(PAIRS))
        _check_clausal(solver.removesuffix(PAIRS))
        configs += [Configuration(solver, e, p) for e in encodings for p in preprocessors]
    return configs


def _check_clausal(name: str) -> None:
    from qsage_validate.solvers.backend import SolverFormat
    from qsage_validate.solvers.backends import get_backend

    if SolverFormat.QDIMACS not in get_backend(name).accepts:
        raise UsageError(f"found {name!r}, expected a solver that reads clauses")


def model_of(source: tuple[str, ...]) -> PositionalModel:
    """The game of an instance: the name of a polyomino, a size, and ``torus`` or nothing."""
    from qsage_validate.games.positional.harary import harary_model

    shape, size = source[:2]
    width, height = map(int, size.split("x"))
    return harary_model(shape, width, height, torus="torus" in source[2:])


def execute(run: Run) -> RunResult:
    """Deepen until Black wins or White blocks; ``true`` is Black's win, ``false`` the block."""
    from qsage_validate.solvers.alternation import alternate
    from qsage_validate.system.limits import Deadline, now

    if "plies" in dict(run.options):
        return execute_bounded(run)
    started = now()
    model = model_of(run.source)
    if run.solver == POSITIONAL:
        return _by_positional_search(run, model)
    ask_black, ask_white = _asks(run, model)
    found = alternate(model, ask_black, ask_white, deadline=Deadline.after(run.seconds))
    seconds, data = now() - started, _data(found)
    if found.winner is None:
        return RunResult("timeout", False, seconds, found.why, data=data)
    return RunResult(str(found.winner.value == "black").lower(), True, seconds, data=data)


def _by_positional_search(run: Run, model: PositionalModel) -> RunResult:
    from qsage_validate.games.positional.rules import PositionalGame

    found = by_search(run, PositionalGame(model))
    critical = found.data.get("critical_plies")
    plies = model.plies if critical is None else critical
    return replace(found, data={**found.data, "plies": plies})


def _asks(run: Run, model: PositionalModel) -> tuple[Ask, Ask]:
    from qsage_validate.solvers.alternation import (
        black_by_formulas,
        black_by_search,
        white_by_formulas,
        white_by_search,
    )
    from qsage_validate.solvers.backends import get_backend, preprocessor_named
    from qsage_validate.solvers.maker_maker import BlockingSearch
    from qsage_validate.solvers.qbf_solving import solve_formula
    from qsage_validate.system.limits import Deadline, Limits

    if run.solver == SEARCH:
        return black_by_search(), white_by_search(BlockingSearch(model))
    backend = get_backend(run.solver.removesuffix(PAIRS))
    first = preprocessor_named(run.preprocessor)

    def solve(formula: Qbf, deadline: Deadline) -> Solved:
        limits = Limits(deadline, run.memory_mb)
        return solve_formula(formula, [backend], limits, preprocessor=first)

    pairs = run.solver.endswith(PAIRS)
    white = white_by_search(BlockingSearch(model)) if pairs else white_by_formulas(solve)
    return black_by_formulas(run.encoding, solve), white


def _data(found: Alternated) -> dict[str, Any]:
    return {
        "plies": found.plies,
        "first_move": found.first_move,
        "answers": [
            {
                "player": turn.player.value,
                "plies": turn.plies,
                "truth": turn.truth,
                "seconds": round(turn.seconds, 4),
            }
            for turn in found.turns
        ],
    }


EXPERIMENT: Final = Experiment(
    name=NAME,
    runs=_runs,
    execute=execute,
    options={
        "board": f"one board only: {', '.join(BOARDS)}",
        "depth": "within so many plies, if White only blocks (sn-httt): 7,9,11,13,15",
    },
    tables={
        "winners": winners,
        "shapes": shapes,
        "cover": cover,
        "deepening": deepening,
        "depths": depths,
        **default_tables(),
    },
    formulas=formulas,
)
