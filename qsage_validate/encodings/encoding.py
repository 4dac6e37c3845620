"""An encoding: a formula together with its layout, and the registry of encoders."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.layout import Layout
from qsage_validate.errors import UsageError
from qsage_validate.games.bddl.model import Model


@dataclass(frozen=True)
class Encoding:
    """A QBF that says "Black wins within the depth", and what its variables mean."""

    qbf: Qbf
    layout: Layout
    model: Model


Encoder = Callable[[Model], Encoding]

# Name -> (module, function, one line of help); imported when asked for.
_ENCODERS: Mapping[str, tuple[str, str, str]] = {
    "lifted": (
        "qsage_validate.encodings.lifted",
        "encode_lifted",
        "symbolic board, one copy of moves and goals (Shaik and van de Pol 2023)",
    ),
    "lifted-guarded": (
        "qsage_validate.encodings.lifted_guarded",
        "encode_guarded",
        "the lifted encoding, plies side by side behind guards instead of nested",
    ),
}


def encoders() -> dict[str, str]:
    """The registered encodings with a line of help each."""
    return {name: text for name, (_, _, text) in _ENCODERS.items()}


def encode(model: Model, encoding: str = "lifted") -> Encoding:
    """Encode ``model``; raises ``UsageError`` with the choices for an unknown name."""
    try:
        module, function, _ = _ENCODERS[encoding]
    except KeyError:
        choices = ", ".join(_ENCODERS)
        raise UsageError(f"unknown encoding {encoding!r}, expected one of: {choices}") from None
    encoder: Encoder = getattr(import_module(module), function)
    return encoder(model)
