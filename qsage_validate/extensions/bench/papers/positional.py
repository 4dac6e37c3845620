"""Positional games from PG and ``.hex`` files: a depth, many encodings, one solver after another.

The experiment of Shaik, Mayer-Eichberger, van de Pol and Saffidine 2023, section 5.2: is there a
win of Black's within the depth?  Every formula is made of the game that the paper's preprocessing
(section 4.1) leaves of the file's; ``search`` asks the rules, of the game as it stands in the file.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from qsage_validate.errors import UsageError, did_you_mean
from qsage_validate.extensions.bench import solving
from qsage_validate.extensions.bench.answers import BLOQQER, by_encoding, by_search
from qsage_validate.extensions.bench.experiment import (
    Configuration,
    Experiment,
    Instance,
    Selection,
)
from qsage_validate.extensions.bench.files import content_sum, files_in
from qsage_validate.extensions.bench.papers import positional_tables
from qsage_validate.extensions.bench.run import NO_ENCODING, Run, RunResult
from qsage_validate.extensions.bench.summaries import default_tables
from qsage_validate.system.clock import Stopwatch

if TYPE_CHECKING:
    from qsage_validate.games.positional.model import PositionalModel

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
    from qsage_validate.games.positional.hex import is_hex_board
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
    from qsage_validate.encodings.positional.open_game import prepared

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
        "solved": positional_tables.solved,
        "answers": positional_tables.answers,
        "sizes": positional_tables.sizes,
        "twins": positional_tables.twins,
        **default_tables(),
        "times": positional_tables.times,
    },
)
