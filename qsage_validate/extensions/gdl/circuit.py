"""A game in GDL as the kernel has it: its rules as a circuit."""

from __future__ import annotations

from functools import cache, partial

from qsage_validate.extensions.gdl.ground import unrolled
from qsage_validate.extensions.gdl.rules import RoundsGame
from qsage_validate.games.protocol import TwoPlayerGame
from qsage_validate.kernel.unrolled import UnrolledRules
from qsage_validate.system.limits import Deadline
from qsage_validate.validation.proofs.ground import RulesIn


def rounds_rules(game: TwoPlayerGame, deadline: Deadline) -> RulesIn | None:
    """The rules of a game in GDL as a circuit, grounded when it is first made."""
    if not isinstance(game, RoundsGame):
        return None
    ground = cache(partial(unrolled, game, deadline=deadline))
    return lambda builder: UnrolledRules(builder, ground(), deadline=deadline)
