"""The encodings by name: what each encodes, and how it is found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from typing import Final

from qsage_validate.encodings.encoding import Encoding
from qsage_validate.encodings.layout_lines import is_clausal, only_variables, with_layout
from qsage_validate.errors import UsageError, did_you_mean
from qsage_validate.games.model_text import GameModel, kind_of, languages
from qsage_validate.registry import declared
from qsage_validate.system.reading import in_time


@dataclass(frozen=True, slots=True)
class Encoder:
    """The declaration of an encoding: of a language's games, by a module's ``ENCODERS[name]``.

    That function makes an :class:`Encoding` of a model; the module is imported when it is asked
    for.  The first encoding of a language is taken when none is named.
    """

    name: str
    language: str
    help: str
    module: str


def _in_module(language: str, module: str, *named: tuple[str, str]) -> tuple[Encoder, ...]:
    return tuple(Encoder(name, language, text, module) for name, text in named)


_ENCODINGS: Final = (
    *_in_module(
        "bddl",
        "qsage_validate.encodings.grid",
        ("lifted", "symbolic board, one copy of moves and goals (Shaik and van de Pol 2023)"),
        ("lifted-guarded", "the lifted encoding, plies side by side behind guards, not nested"),
    ),
    *_in_module(
        "positional",
        "qsage_validate.encodings.corrective",
        ("cor-lean", "COR+ with the mover's stones alone after each ply, of all positional games"),
        ("cor-ladder", "COR with a variable for each of Black's moves, and the exact board"),
        ("cor", "COR: the corrective encoding as published (Mayer-Eichberger and Saffidine 2023)"),
        ("cor+", "COR+: COR with symmetry breaking, as COVER is compared with it"),
    ),
    *_in_module(
        "positional",
        "qsage_validate.encodings.explicit",
        ("ea", "EA: explicit board, all winning sets (Shaik et al. 2023, 3.1)"),
        ("en", "EN: explicit board, a way by neighbours (4.2), as published"),
        ("en-forward", "EN with the equations of 4.2 alone: a way from start to end"),
        ("et", "ET: explicit board, no way for White in the transversal game (4.5)"),
    ),
    *_in_module(
        "positional",
        "qsage_validate.encodings.symbolic",
        ("la", "LA: lifted board, all minimal winning sets (3.2)"),
        ("ln", "LN: lifted board, a way by neighbours (4.3)"),
    ),
    *_in_module(
        "positional",
        "qsage_validate.encodings.symbolic",
        ("sa", "SA: no board, all minimal winning sets (3.3)"),
        ("sn", "SN: no board, a way by neighbours (4.4)"),
        (
            "sn-httt",
            "SN for polyominoes: cells by their neighbours to the right and up (section 6)",
        ),
    ),
    *_in_module(
        "positional",
        "qsage_validate.encodings.symbolic",
        ("li", "LI: lifted board, a way by iterative squaring (appendix C)"),
        ("si", "SI: no board, a way by iterative squaring (appendix C)"),
    ),
    *_in_module(
        "positional",
        "qsage_validate.encodings.explicit",
        (
            "cover",
            "COVER: Black keeps to the shapes around her first stone (true: a win; false: nothing)",
        ),
        (
            "cover-played",
            "COVER with a number of White's for each position, for certificates and play",
        ),
    ),
    *_in_module(
        "positional",
        "qsage_validate.encodings.prepared",
        (
            "pairing",
            "PAIRING: White has a pairing after the plies (false: White holds; true: nothing)",
        ),
    ),
)


@lru_cache(maxsize=1)
def _encodings() -> Mapping[str, Encoder]:
    """All encodings by name: this package's, then those of extensions that have other names."""
    found: dict[str, Encoder] = {}
    for encoder in (*_ENCODINGS, *declared("encodings", Encoder)):
        found.setdefault(encoder.name, encoder)
    return found


def encoders(language: str | None = None) -> dict[str, str]:
    """The registered encodings (of a language) with a line of help each."""
    known = _encodings().values()
    return {e.name: e.help for e in known if language in (None, e.language)}


def language_of_encoding(encoding: str | None) -> str | None:
    """The language of the games that ``encoding`` takes; ``None`` if not given or not known."""
    found = _encodings().get(encoding or "")
    return None if found is None else found.language


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

    An encoding of another language's games encodes the game as it is in that language, where there
    is a conversion; the encoding's ``model`` is of that language then.  Raises ``UsageError`` with
    the choices for a name that is unknown or of another kind, and ``UndecidedError`` where the
    time of a command is over.
    """
    known = encoders(model.language)
    encoding = encoding or next(iter(known))
    require_known(encoding, model.language)
    target = language_of_encoding(encoding)
    if encoding not in known and target and model.language in languages()[target].conversions:
        from qsage_validate.games.conversion import converted

        return encode(converted(model, target), encoding)
    if encoding not in known:
        raise UsageError(
            f"found the encoding {encoding} for {model.name}, a {kind_of(model.language)} game, "
            f"expected one of: {', '.join(known)}"
        )
    with in_time("the game is encoded"):
        encoded: Encoding = import_module(_encodings()[encoding].module).ENCODERS[encoding](model)
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
