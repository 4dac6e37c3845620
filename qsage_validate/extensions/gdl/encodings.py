"""Encodings of games in GDL; what makes them is loaded later."""

from __future__ import annotations

from typing import Final

from qsage_validate.encodings.registry import Encoder

ENCODINGS: Final = tuple(
    Encoder(name, "gdl", text, f"{__package__}.encoders")
    for name, text in (
        (
            "gdl",
            "GE of He, Saffidine and Thielscher 2024: any turn-taking game, moves as variables",
        ),
        (
            "gdl-strict",
            "SE: no codes for rounds in which White cannot choose (strictly turn-taking games)",
        ),
        (
            "gdl-gn",
            "GN: GE in clauses over atoms, atoms innermost",
        ),
        (
            "gdl-gt",
            "GT: GE in clauses over atoms, atoms by time",
        ),
        (
            "gdl-gd",
            "GD: GE in clauses over atoms, atoms as early as what they depend on allows",
        ),
        (
            "gdl-sd",
            "SD: SE in clauses over atoms, atoms as early as what they depend on allows",
        ),
    )
)
