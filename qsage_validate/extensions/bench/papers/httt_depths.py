"""Polyominoes with implicit goals: does Black win within so many plies, if White only blocks?

The experiment of Shaik, Mayer-Eichberger, van de Pol and Saffidine 2023, section 6: eleven
polyominoes on 5x5 in the maker-breaker game, at the depths 7 to 15 in steps of 2, by SN with shapes
(``sn-httt``), Bloqqer and CAQE.  The paper's "Z" is the pentomino N: the authors' file
``test_5_5_Z.pg`` lists its orientations.  The pentomino Z is run besides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from qsage_validate.errors import UsageError, did_you_mean
from qsage_validate.extensions.bench.answers import (
    BLOQQER,
    by_encoding,
    by_search,
    check_preprocessor,
    check_solver,
)
from qsage_validate.extensions.bench.experiment import Configuration, Instance, Selection
from qsage_validate.extensions.bench.run import NO_ENCODING, Run, RunResult
from qsage_validate.extensions.bench.solving import SEARCH

if TYPE_CHECKING:
    from qsage_validate.games.positional.model import PositionalModel

ENCODINGS: Final = ("sn-httt",)
# Those of winning sets.  COVER and PAIRING are left out: one of their answers tells nothing here.
_KNOWN: Final = (*ENCODINGS, "ea", "la", "sa", "cor", "cor+", "cor-lean", "cor-ladder")
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
    return selection.runs(name, found, _configurations(selection))


def _configurations(selection: Selection) -> list[Configuration]:
    encodings = selection.encodings or ENCODINGS
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
