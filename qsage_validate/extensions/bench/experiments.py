"""The experiments by name; each is imported when it is asked for.

An experiment is added by a line here: ``name: ("module:attribute", "a line of help")``, where the
attribute is an :class:`~qsage_validate.extensions.bench.experiment.Experiment`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from qsage_validate.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from qsage_validate.extensions.bench.experiment import Experiment

_EXPERIMENTS: Final[Mapping[str, tuple[str, str]]] = {
    "table2": (
        "qsage_validate.extensions.bench.papers.table2:EXPERIMENT",
        "the games of the paper's Table 2 at the printed depths, and their critical depths",
    ),
    "models": (
        "qsage_validate.extensions.bench.files:MODELS",
        "games from folders of BDDL files: each problem with the domain beside it",
    ),
    "formulas": (
        "qsage_validate.extensions.bench.files:FORMULAS",
        "formulas from QCIR and QDIMACS files",
    ),
    "encodings": (
        "qsage_validate.extensions.bench.encodings:EXPERIMENT",
        "formulas by any encoder: which of them are those of a game (--game or --model)",
    ),
    "httt": (
        "qsage_validate.extensions.bench.papers.httt:EXPERIMENT",
        "polyominoes on 5x5 and 4x4, Black's win and White's block in turn (COR+, COVER, PAIRING)",
    ),
    "positional": (
        "qsage_validate.extensions.bench.papers.positional:EXPERIMENT",
        "positional games from PG and .hex files: eight encodings, and search on the rules",
    ),
    "gdl": (
        "qsage_validate.extensions.bench.papers.gdl:EXPERIMENT",
        "games in GDL at the depths of their paper's Table 2: four encodings, minimax, and BDDL",
    ),
    "impartial": (
        "qsage_validate.extensions.bench.papers.impartial:EXPERIMENT",
        "winning formulas and strategies of impartial games, from files or of the families",
    ),
}


def experiments() -> dict[str, str]:
    """The names of the experiments with a line of help each."""
    return {name: text for name, (_, text) in _EXPERIMENTS.items()}


def reference(name: str) -> str:
    """The place of an experiment as ``module:attribute``; ``UsageError`` lists the names."""
    try:
        return _EXPERIMENTS[name][0]
    except KeyError:
        names = ", ".join(_EXPERIMENTS)
        raise UsageError(
            f"found the unknown experiment {name!r}{did_you_mean(name, _EXPERIMENTS)}, "
            f"expected one of {names}"
        ) from None


def get_experiment(name: str) -> Experiment:
    """The experiment called ``name``; raises ``UsageError`` with the names that there are."""
    from qsage_validate.extensions.bench.child import find_experiment

    return find_experiment(reference(name))
