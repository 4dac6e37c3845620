"""The encodings by name: what each encodes, and how it is found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from typing import Final

from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.layout.comments import is_clausal, only_variables, with_layout
from qsage_validate.errors import UsageError, did_you_mean
from qsage_validate.games.library.template import KINDS
from qsage_validate.games.model_text import GameModel
from qsage_validate.system.reading import in_time

BDDL, POSITIONAL, GDL = KINDS

# The first of a language is what is taken when none is named.
_ENCODERS: Final[Mapping[str, Mapping[str, str]]] = {
    BDDL: {
        "lifted": "symbolic board, one copy of moves and goals (Shaik and van de Pol 2023)",
        "lifted-guarded": "the lifted encoding, plies side by side behind guards instead of nested",
    },
    POSITIONAL: {
        "cor-lean": "COR+ with the mover's stones alone after each ply, of all positional games",
        "cor": "COR: the corrective encoding as published (Mayer-Eichberger and Saffidine 2023)",
        "cor+": "COR+: COR with symmetry breaking, as COVER is compared with it",
        "cor-ladder": "COR with a variable for each of Black's moves, and the exact board",
        "ea": "EA: explicit board, all winning sets (Shaik et al. 2023, 3.1)",
        "en": "EN: explicit board, a way by neighbours (4.2), as published",
        "en-forward": "EN with the equations of 4.2 alone: a way from start to end",
        "et": "ET: explicit board, no way for White in the transversal game (4.5)",
        "la": "LA: lifted board, all minimal winning sets (3.2)",
        "ln": "LN: lifted board, a way by neighbours (4.3)",
        "sa": "SA: no board, all minimal winning sets (3.3)",
        "sn": "SN: no board, a way by neighbours (4.4)",
        "li": "LI: lifted board, a way by iterative squaring (appendix C)",
        "si": "SI: no board, a way by iterative squaring (appendix C)",
        "sn-httt": "SN for polyominoes: cells by their neighbours to the right and up (section 6)",
        "cover": "COVER: Black keeps to the shapes around her first stone "
        "(true: a win; false: nothing)",
        "cover-played": "COVER with a number of White's for each position, "
        "for certificates and play",
        "pairing": "PAIRING: White has a pairing after the plies "
        "(false: White holds; true: nothing)",
    },
    GDL: {
        "gdl": "GE of He, Saffidine and Thielscher 2024: any turn-taking game, moves as variables",
        "gdl-strict": "SE: no codes for rounds in which White cannot choose "
        "(strictly turn-taking games)",
        "gdl-gn": "GN: GE in clauses over atoms, atoms innermost",
        "gdl-gt": "GT: GE in clauses over atoms, atoms by time",
        "gdl-gd": "GD: GE in clauses over atoms, atoms as early as what they depend on allows",
        "gdl-sd": "SD: SE in clauses over atoms, atoms as early as what they depend on allows",
    },
}
"""By language and name a line of help for each."""

_MODULES: Final[Mapping[str, tuple[str, ...]]] = {
    "grid.lifted": ("lifted", "lifted-guarded"),
    "positional.corrective": ("cor", "cor+"),
    "positional.corrective_variants": ("cor-lean", "cor-ladder"),
    "positional.explicit": ("ea", "en", "en-forward", "et"),
    "positional.lifted": ("la", "ln"),
    "positional.stateless": ("sa", "sn", "sn-httt"),
    "positional.squaring": ("li", "si"),
    "positional.cover": ("cover", "cover-played"),
    "positional.pairing": ("pairing",),
    "gdl.encoders": ("gdl", "gdl-strict", "gdl-gn", "gdl-gt", "gdl-gd", "gdl-sd"),
}
"""The names in each module's ``ENCODERS``; a module is imported when one of them is asked for."""


def encoders(language: str | None = None) -> dict[str, str]:
    """The registered encodings (of a language) with a line of help each."""
    wanted = _ENCODERS.values() if language is None else [_ENCODERS[language]]
    return {name: text for helps in wanted for name, text in helps.items()}


def language_of_encoding(encoding: str | None) -> str | None:
    """The language of the games that ``encoding`` takes; ``None`` if not given or not known."""
    return next((language for language, names in _ENCODERS.items() if encoding in names), None)


def require_known(encoding: str, language: str) -> None:
    """Raise ``UsageError`` for a name of no encoding, with those near it of a language."""
    every = encoders()
    if encoding not in every:
        near = did_you_mean(encoding, encoders(language))
        raise UsageError(
            f"unknown encoding {encoding!r}{near}, expected one of: {', '.join(every)}"
        )


def encode(model: GameModel, encoding: str | None = None) -> Encoding:
    """Encode ``model``, as named or in the way that is usual for its kind.

    Raises ``UsageError`` with the choices for a name that is unknown or of another kind, and
    ``UndecidedError`` where the time of a command is over.
    """
    known = encoders(model.language)
    encoding = encoding or next(iter(known))
    require_known(encoding, model.language)
    if encoding not in known:
        raise UsageError(
            f"found the encoding {encoding} for {model.name}, a {KINDS[model.language]} game, "
            f"expected one of: {', '.join(known)}"
        )
    module = next(module for module, names in _MODULES.items() if encoding in names)
    with in_time("the game is encoded"):
        encoded: Encoding = import_module(f"{__package__}.{module}").ENCODERS[encoding](model)
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
