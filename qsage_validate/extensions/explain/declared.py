"""Where strategies are explained, for the library and for plays; nothing else is loaded."""

from typing import Final

from qsage_validate.arena.program import DeclaredExplanation

EXPLANATIONS: Final = (
    DeclaredExplanation(
        f"{__package__}.certificate:explain_strategy",
        f"{__package__}.cli:formula",
        f"{__package__}.cli:game",
    ),
)
