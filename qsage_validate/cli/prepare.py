"""``--prepare``: a positional game without what cannot matter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from qsage_validate.cli.common import narrate
from qsage_validate.cli.model_arguments import ModelArguments
from qsage_validate.errors import UsageError

if TYPE_CHECKING:
    from qsage_validate.games.model_text import GameModel


@dataclass(frozen=True)
class Prepared:
    """A game and what preparation leaves of it; in a line for people, and by keys."""

    whole: GameModel
    left: GameModel
    line: str
    facts: dict[str, object]

    def tell(self) -> None:
        """Say what is left, once nothing speaks against the work that follows."""
        narrate(self.line)


def prepare_model(model: ModelArguments, encoding: str | None, *, encodes: bool) -> Prepared:
    """The model of a command, prepared for an encoding, or for a search.

    Without a name it is the usual encoding of positional games.  Raises ``UsageError`` for other
    games and encodings.
    """
    from qsage_validate.encodings.prepared import prepare, said
    from qsage_validate.encodings.registry import encoders, require_known
    from qsage_validate.games.positional.language import POSITIONAL

    known = encoders(POSITIONAL.name)
    wanted = encoding or next(iter(known))
    require_known(wanted, POSITIONAL.name)
    if wanted not in known:
        raise UsageError(
            f"found --prepare with the encoding {wanted}, expected one of positional games: "
            f"{', '.join(known)}"
        )
    whole = POSITIONAL.own(model.resolve(wanted), "--prepare with ")
    left = prepare(whole, wanted if encodes else None)
    return Prepared(whole, left, *said(whole, left))
