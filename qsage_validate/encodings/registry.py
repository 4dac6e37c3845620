"""The encodings by name: what each encodes, and how it is found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, Final

from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.layout.comments import is_clausal, only_variables, with_layout
from qsage_validate.errors import UsageError
from qsage_validate.games.bddl.model import Model
from qsage_validate.games.gdl.task import GdlModel
from qsage_validate.games.models import GameModel
from qsage_validate.games.positional.model import PositionalModel

BDDL, POSITIONAL, GDL = Model.language, PositionalModel.language, GdlModel.language

KINDS: Final[Mapping[str, str]] = {BDDL: "grid", POSITIONAL: "positional", GDL: "gdl"}
"""What ``qsage games`` calls the games of each language."""


@dataclass(frozen=True, slots=True)
class Registered:
    """An encoder that there is: the language that it encodes, where it is, a line of help."""

    language: str
    module: str
    function: str
    help: str


# The first of a language is what is taken when none is named; imported when asked for.
_ENCODERS: Final[Mapping[str, Registered]] = {
    "lifted": Registered(
        BDDL,
        "qsage_validate.encodings.grid.lifted",
        "encode_lifted",
        "symbolic board, one copy of moves and goals (Shaik and van de Pol 2023)",
    ),
    "lifted-guarded": Registered(
        BDDL,
        "qsage_validate.encodings.grid.lifted_guarded",
        "encode_guarded",
        "the lifted encoding, plies side by side behind guards instead of nested",
    ),
    "cor+": Registered(
        POSITIONAL,
        "qsage_validate.encodings.positional.corrective_plus",
        "encode_cor_plus",
        "COR+: the polished corrective encoding, of all positional games (2023)",
    ),
    "cor": Registered(
        POSITIONAL,
        "qsage_validate.encodings.positional.corrective",
        "encode_cor",
        "COR: the corrective encoding (Mayer-Eichberger and Saffidine 2020)",
    ),
    "ea": Registered(
        POSITIONAL,
        "qsage_validate.encodings.positional.explicit",
        "encode_ea",
        "EA: explicit board, all winning sets (Shaik et al. 2023, 3.1)",
    ),
    "en": Registered(
        POSITIONAL,
        "qsage_validate.encodings.positional.explicit_neighbours",
        "encode_en",
        "EN: explicit board, a way by neighbours (4.2)",
    ),
    "et": Registered(
        POSITIONAL,
        "qsage_validate.encodings.positional.explicit_transversal",
        "encode_et",
        "ET: explicit board, no way for White in the transversal game (4.5)",
    ),
    "la": Registered(
        POSITIONAL,
        "qsage_validate.encodings.positional.lifted",
        "encode_la",
        "LA: lifted board, all minimal winning sets (3.2)",
    ),
    "ln": Registered(
        POSITIONAL,
        "qsage_validate.encodings.positional.lifted",
        "encode_ln",
        "LN: lifted board, a way by neighbours (4.3)",
    ),
    "sa": Registered(
        POSITIONAL,
        "qsage_validate.encodings.positional.stateless",
        "encode_sa",
        "SA: no board, all minimal winning sets (3.3)",
    ),
    "sn": Registered(
        POSITIONAL,
        "qsage_validate.encodings.positional.stateless",
        "encode_sn",
        "SN: no board, a way by neighbours (4.4)",
    ),
    "li": Registered(
        POSITIONAL,
        "qsage_validate.encodings.positional.squaring",
        "encode_li",
        "LI: lifted board, a way by iterative squaring (appendix C)",
    ),
    "si": Registered(
        POSITIONAL,
        "qsage_validate.encodings.positional.squaring",
        "encode_si",
        "SI: no board, a way by iterative squaring (appendix C)",
    ),
    "sn-httt": Registered(
        POSITIONAL,
        "qsage_validate.encodings.positional.stateless_shapes",
        "encode_sn_httt",
        "SN for polyominoes: cells by their neighbours to the right and up (section 6)",
    ),
    "cover": Registered(
        POSITIONAL,
        "qsage_validate.encodings.positional.cover",
        "encode_cover",
        "COVER: Black keeps to the shapes around her first stone (true: a win; false: nothing)",
    ),
    "cover-played": Registered(
        POSITIONAL,
        "qsage_validate.encodings.positional.cover",
        "encode_cover_played",
        "COVER with a number of White's for each position, for certificates and play",
    ),
    "pairing": Registered(
        POSITIONAL,
        "qsage_validate.encodings.positional.pairing",
        "encode_pairing",
        "PAIRING: White has a pairing after the plies (false: White holds; true: nothing)",
    ),
    "gdl": Registered(
        GDL,
        "qsage_validate.encodings.gdl.encoders",
        "encode_general",
        "GE of He, Saffidine and Thielscher 2024: any turn-taking game, moves as variables",
    ),
    "gdl-strict": Registered(
        GDL,
        "qsage_validate.encodings.gdl.encoders",
        "encode_strict",
        "SE: no codes for rounds in which White cannot choose (strictly turn-taking games)",
    ),
    "gdl-gn": Registered(
        GDL,
        "qsage_validate.encodings.gdl.encoders",
        "encode_naive",
        "GN: GE in clauses over atoms, atoms innermost",
    ),
    "gdl-gt": Registered(
        GDL,
        "qsage_validate.encodings.gdl.encoders",
        "encode_timed",
        "GT: GE in clauses over atoms, atoms by time",
    ),
    "gdl-gd": Registered(
        GDL,
        "qsage_validate.encodings.gdl.encoders",
        "encode_dependent",
        "GD: GE in clauses over atoms, atoms as early as what they depend on allows",
    ),
    "gdl-sd": Registered(
        GDL,
        "qsage_validate.encodings.gdl.encoders",
        "encode_strict_dependent",
        "SD: SE in clauses over atoms, atoms as early as what they depend on allows",
    ),
}


def encoders(language: str | None = None) -> dict[str, str]:
    """The registered encodings (of a language) with a line of help each."""
    return {
        name: entry.help
        for name, entry in _ENCODERS.items()
        if language is None or entry.language == language
    }


def encode(model: GameModel, encoding: str | None = None) -> Encoding:
    """Encode ``model``, as named or in the way that is usual for its kind.

    Raises ``UsageError`` with the choices for a name that is unknown or of another kind.
    """
    known = encoders(model.language)
    encoding = encoding or next(iter(known))
    entry = _ENCODERS.get(encoding)
    if entry is None:
        choices = ", ".join(_ENCODERS)
        raise UsageError(f"unknown encoding {encoding!r}, expected one of: {choices}")
    if encoding not in known:
        raise UsageError(
            f"found the encoding {encoding} for {model.name}, a {KINDS[model.language]} game, "
            f"expected one of: {', '.join(known)}"
        )
    encoder: Callable[[Any], Encoding] = getattr(import_module(entry.module), entry.function)
    encoded = encoder(model)
    # Comments are the layout already.
    return encoded if encoded.qbf.comments else _self_describing(encoded)


def _self_describing(encoded: Encoding) -> Encoding:
    """The same with the model's text in the layout, and the layout in the formula's comments.

    A layout tells variables by their numbers, so they are called by these in the file as well;
    names that an encoder gave them move to the layout.
    """
    gates = {**encoded.layout.gates, **{name: v for v, name in encoded.qbf.names.items()}}
    layout = replace(encoded.layout, model=encoded.model.parts(), gates=gates)
    if is_clausal(encoded.qbf):
        layout = only_variables(layout, encoded.qbf.levels(), encoded.qbf.output)
    return replace(encoded, qbf=with_layout(encoded.qbf, layout), layout=layout)
