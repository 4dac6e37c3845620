"""An encoding: a formula together with its layout, and the registry of encoders."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from importlib import import_module
from typing import Any, Final, TypeAlias, overload

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.completion import Definitions
from qsage_validate.encodings.layout.grid import Layout
from qsage_validate.encodings.layout.table_comments import (
    is_clausal,
    only_variables,
    with_table_layout,
)
from qsage_validate.encodings.layout.tables import TableLayout
from qsage_validate.errors import UsageError
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.gdl.task import GdlModel
from qsage_validate.games.model_text import model_parts
from qsage_validate.games.models import GameModel
from qsage_validate.games.planning_game import PlanningGame
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.protocol import Player


@dataclass(frozen=True)
class Encoding:
    """A QBF that says "Black wins within the depth", and what its variables mean.

    Of the lifted encodings of grid games, whose layout has the symbolic square.
    """

    qbf: Qbf
    layout: Layout
    model: Model


@dataclass(frozen=True)
class TableEncoding:
    """The same for encodings that list the moves of a ply.

    ``definitions`` complete a strategy's moves to a certificate, by the player who has the
    strategy; a player who is missing there cannot have a certificate compiled.
    ``planned_on`` makes, for a player whose strategies the formula does not have all, the game
    on which those are planned that it has; the others are planned on the rules.
    """

    qbf: Qbf
    layout: TableLayout
    model: PositionalModel | GdlModel
    definitions: Mapping[Player, Definitions]
    planned_on: Mapping[Player, Callable[[], PlanningGame]] = field(default_factory=dict)


AnyEncoding: TypeAlias = Encoding | TableEncoding


class Kind(Enum):
    """The kinds of models, by what ``qsage games`` calls them."""

    GRID = "grid"
    POSITIONAL = "positional"
    GDL = "gdl"


_KINDS: Final[Mapping[type, Kind]] = {
    Model: Kind.GRID,
    PositionalModel: Kind.POSITIONAL,
    GdlModel: Kind.GDL,
}


def kind_of(model: GameModel) -> Kind:
    """The kind of a model."""
    return _KINDS[type(model)]


@dataclass(frozen=True, slots=True)
class Registered:
    """An encoder that there is: what it encodes, where it is, a line of help."""

    kind: Kind
    module: str
    function: str
    help: str


# The first of a kind is what is taken when none is named; imported when asked for.
_ENCODERS: Final[Mapping[str, Registered]] = {
    "lifted": Registered(
        Kind.GRID,
        "qsage_validate.encodings.grid.lifted",
        "encode_lifted",
        "symbolic board, one copy of moves and goals (Shaik and van de Pol 2023)",
    ),
    "lifted-guarded": Registered(
        Kind.GRID,
        "qsage_validate.encodings.grid.lifted_guarded",
        "encode_guarded",
        "the lifted encoding, plies side by side behind guards instead of nested",
    ),
    "cor+": Registered(
        Kind.POSITIONAL,
        "qsage_validate.encodings.positional.corrective_plus",
        "encode_cor_plus",
        "COR+: the polished corrective encoding, of all positional games (2023)",
    ),
    "cor": Registered(
        Kind.POSITIONAL,
        "qsage_validate.encodings.positional.corrective",
        "encode_cor",
        "COR: the corrective encoding (Mayer-Eichberger and Saffidine 2020)",
    ),
    "ea": Registered(
        Kind.POSITIONAL,
        "qsage_validate.encodings.positional.explicit",
        "encode_ea",
        "EA: explicit board, all winning sets (Shaik et al. 2023, 3.1)",
    ),
    "en": Registered(
        Kind.POSITIONAL,
        "qsage_validate.encodings.positional.explicit_neighbours",
        "encode_en",
        "EN: explicit board, a way by neighbours (4.2)",
    ),
    "et": Registered(
        Kind.POSITIONAL,
        "qsage_validate.encodings.positional.explicit_transversal",
        "encode_et",
        "ET: explicit board, no way for White in the transversal game (4.5)",
    ),
    "la": Registered(
        Kind.POSITIONAL,
        "qsage_validate.encodings.positional.lifted",
        "encode_la",
        "LA: lifted board, all minimal winning sets (3.2)",
    ),
    "ln": Registered(
        Kind.POSITIONAL,
        "qsage_validate.encodings.positional.lifted",
        "encode_ln",
        "LN: lifted board, a way by neighbours (4.3)",
    ),
    "sa": Registered(
        Kind.POSITIONAL,
        "qsage_validate.encodings.positional.stateless",
        "encode_sa",
        "SA: no board, all minimal winning sets (3.3)",
    ),
    "sn": Registered(
        Kind.POSITIONAL,
        "qsage_validate.encodings.positional.stateless",
        "encode_sn",
        "SN: no board, a way by neighbours (4.4)",
    ),
    "li": Registered(
        Kind.POSITIONAL,
        "qsage_validate.encodings.positional.squaring",
        "encode_li",
        "LI: lifted board, a way by iterative squaring (appendix C)",
    ),
    "si": Registered(
        Kind.POSITIONAL,
        "qsage_validate.encodings.positional.squaring",
        "encode_si",
        "SI: no board, a way by iterative squaring (appendix C)",
    ),
    "sn-httt": Registered(
        Kind.POSITIONAL,
        "qsage_validate.encodings.positional.stateless_shapes",
        "encode_sn_httt",
        "SN for polyominoes: cells by their neighbours to the right and up (section 6)",
    ),
    "cover": Registered(
        Kind.POSITIONAL,
        "qsage_validate.encodings.positional.cover",
        "encode_cover",
        "COVER: Black keeps to the shapes around her first stone (true: a win; false: nothing)",
    ),
    "cover-played": Registered(
        Kind.POSITIONAL,
        "qsage_validate.encodings.positional.cover",
        "encode_cover_played",
        "COVER with a number of White's for each position, for certificates and play",
    ),
    "pairing": Registered(
        Kind.POSITIONAL,
        "qsage_validate.encodings.positional.pairing",
        "encode_pairing",
        "PAIRING: White has a pairing after the plies (false: White holds; true: nothing)",
    ),
    "gdl": Registered(
        Kind.GDL,
        "qsage_validate.encodings.gdl.encoders",
        "encode_general",
        "GE of He, Saffidine and Thielscher 2024: any turn-taking game, moves as variables",
    ),
    "gdl-strict": Registered(
        Kind.GDL,
        "qsage_validate.encodings.gdl.encoders",
        "encode_strict",
        "SE: no codes for rounds in which White cannot choose (strictly turn-taking games)",
    ),
    "gdl-gn": Registered(
        Kind.GDL,
        "qsage_validate.encodings.gdl.encoders",
        "encode_naive",
        "GN: GE in clauses over atoms, atoms innermost",
    ),
    "gdl-gt": Registered(
        Kind.GDL,
        "qsage_validate.encodings.gdl.encoders",
        "encode_timed",
        "GT: GE in clauses over atoms, atoms by time",
    ),
    "gdl-gd": Registered(
        Kind.GDL,
        "qsage_validate.encodings.gdl.encoders",
        "encode_dependent",
        "GD: GE in clauses over atoms, atoms as early as what they depend on allows",
    ),
    "gdl-sd": Registered(
        Kind.GDL,
        "qsage_validate.encodings.gdl.encoders",
        "encode_strict_dependent",
        "SD: SE in clauses over atoms, atoms as early as what they depend on allows",
    ),
}


def encoders(kind: Kind | None = None) -> dict[str, str]:
    """The registered encodings (of a kind of models) with a line of help each."""
    return {
        name: entry.help for name, entry in _ENCODERS.items() if kind is None or entry.kind is kind
    }


def default_encoding(model: GameModel) -> str:
    """The encoding that is taken for a model when none is named."""
    return next(iter(encoders(kind_of(model))))


@overload
def encode(model: Model, encoding: str | None = None) -> Encoding: ...
@overload
def encode(model: PositionalModel | GdlModel, encoding: str | None = None) -> TableEncoding: ...
@overload
def encode(model: GameModel, encoding: str | None = None) -> AnyEncoding: ...
def encode(model: GameModel, encoding: str | None = None) -> AnyEncoding:
    """Encode ``model``, as named or in the way that is usual for its kind.

    Raises ``UsageError`` with the choices for a name that is unknown or of another kind.
    """
    kind = kind_of(model)
    if encoding is None:
        encoding = default_encoding(model)
    entry = _ENCODERS.get(encoding)
    if entry is None:
        choices = ", ".join(_ENCODERS)
        raise UsageError(f"unknown encoding {encoding!r}, expected one of: {choices}")
    if entry.kind is not kind:
        raise UsageError(
            f"found the encoding {encoding} for {model.name}, a {kind.value} game, expected one "
            f"of: {', '.join(encoders(kind))}"
        )
    encoder: Callable[[Any], AnyEncoding] = getattr(import_module(entry.module), entry.function)
    made = encoder(model)
    return made if isinstance(made, Encoding) else _self_describing(made)


def _self_describing(made: TableEncoding) -> TableEncoding:
    """The same with the model's text in the layout, and the layout in the formula's comments.

    A layout tells variables by their numbers, so they are called by these in the file as well;
    names that an encoder gave them move to the layout.
    """
    gates = {**made.layout.gates, **{name: v for v, name in made.qbf.names.items()}}
    layout = replace(made.layout, model=model_parts(made.model), gates=gates)
    if is_clausal(made.qbf):
        layout = only_variables(layout, made.qbf.levels(), made.qbf.output)
    return replace(made, qbf=with_table_layout(made.qbf, layout), layout=layout)
