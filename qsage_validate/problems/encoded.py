"""The encoding behind a formula that was read."""

from __future__ import annotations

from dataclasses import replace

from qsage_validate.encodings.encoding import Encoding
from qsage_validate.problems.load import Problem


def encoding_of(problem: Problem) -> Encoding | None:
    """The game's encoding, when the formula is just what its own model is encoded as.

    That goes for the layout too: one that says other things of the same formula is a lie.
    """
    from qsage_validate.encodings.registry import encode, encoders
    from qsage_validate.games.languages import model_from_parts

    layout, own = problem.layout, problem.formula
    if own is None or layout is None or problem.game is None or not layout.model:
        return None
    model = model_from_parts(layout.game, layout.model)
    if layout.encoding not in encoders(model.language):
        return None
    encoded = encode(model, layout.encoding)
    if replace(encoded.layout, source=layout.source) != layout:
        return None
    same = (encoded.qbf.scopes, encoded.qbf.output) == (own.scopes, own.output)
    return encoded if same and encoded.qbf.gates == own.gates else None
