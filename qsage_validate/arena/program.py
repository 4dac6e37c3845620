"""What a player plays by, as boards show it: a program, or pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from string import ascii_letters, digits
from typing import TYPE_CHECKING, Protocol

from qsage_validate.arena.frame import Frame, Pairs
from qsage_validate.games.protocol import Player, Position, TwoPlayerGame
from qsage_validate.strategies.reader import LayoutMove, SquareXY

if TYPE_CHECKING:
    from qsage_validate.games.positional.model import PositionalModel
    from qsage_validate.games.positional.rules import PositionalGame
    from qsage_validate.problems.load import Problem


# A program by which a player plays, as plays follow and boards list it; and who finds one


@dataclass(frozen=True, slots=True)
class ProgramLine:
    """A line of a program.

    ``node`` is the number of the node without which it does not lie on the way of a reply;
    ``yes`` is, for a question, the node behind its yes.
    """

    text: str
    node: int
    yes: int | None = None


class PlayedProgram(Protocol):
    """A program whose certificate plays: ``lines`` as its text has them."""

    @property
    def lines(self) -> tuple[ProgramLine, ...]: ...

    @property
    def first_question(self) -> str | None:
        """The question at the root; ``None`` where the program is a single answer."""
        ...

    def told(self, before: Sequence[Frame], reply: Frame) -> Frame:
        """The frame of a reply with its ``way`` and remarks; ``before`` are the frames before it.

        A ply that the certificate did not make, and one behind an illegal move, stays as it is.
        """
        ...


@dataclass(frozen=True, slots=True)
class Programmed:
    """The plays of a program: a problem with its certificate, and the program."""

    problem: Problem
    program: PlayedProgram


@dataclass(frozen=True, slots=True)
class DeclaredExplanation:
    """Who explains strategies as programs; the places are loaded when one is asked for.

    ``strategy`` is behind ``Strategy.explain`` of the library, which it is given with the same
    parameters.  ``formula`` and ``game`` are behind ``qsage play --explain``: see
    ``cli/play/opponents.py`` for what they take; each returns a :class:`Programmed`.
    """

    strategy: str
    formula: str
    game: str


# The pairs by which White blocks from some position of a play on


# A pairing is looked for while the user waits: conflicts of the SAT solver, about a second.
_CONFLICTS = 20_000


class BlockingPairs:
    """Pairings in the positions of one game, each looked for once."""

    def __init__(self, game: PositionalGame) -> None:
        from qsage_validate.games.positional.cover_game import PairingFinder

        self._game = game
        self._finder = PairingFinder(game.model)
        self._found: dict[tuple[int, int], Pairs | None] = {}

    def of(self, position: Position | None) -> Pairs | None:
        """The pairs in a position in which Black is to move.

        None, but a pairing, where White has a stone in each winning set already.  ``None``
        without a pairing, and where none is found in a reasonable time.
        """
        from qsage_validate.games.positional.rules import PositionalPosition

        if not isinstance(position, PositionalPosition) or position.outcome is not None:
            return None
        if position.to_move is not Player.BLACK:
            return None
        key = position.black, position.white
        if key not in self._found:
            pairing = self._finder.find(*key, conflicts=_CONFLICTS)
            names = None if pairing is None else pairing.names(self._game.model)
            self._found[key] = None if names is None else tuple(map(self._pair, names))
        return self._found[key]

    def _pair(self, names: tuple[str, str]) -> tuple[LayoutMove, LayoutMove]:
        one, other = (LayoutMove(name, self._game.square_of(name)) for name in names)
        return one, other


def blocking_pairs(game: TwoPlayerGame | None, player: Player) -> BlockingPairs | None:
    """The pairs of a game, where ``player`` is White and pairs can block in it.

    That is where Black has winning sets, and the players claim one position by turns.
    """
    if player is not Player.WHITE or game is None or game.language != "positional":
        return None
    from qsage_validate.games.positional.rules import PositionalGame

    if not isinstance(game, PositionalGame):  # COVER and PAIRING play otherwise
        return None
    return BlockingPairs(game) if _can_block(game.model) else None


def _can_block(model: PositionalModel) -> bool:
    by_turns = all(player is not following for player, following in pairwise(model.turns))
    return model.network is None and bool(model.black_wins) and by_turns


def letters_of(pairs: Pairs) -> dict[SquareXY, str]:
    # More than 62 pairs would share letters: they are boards of more than 11x11.
    signs = ascii_letters + digits
    return {
        position.square: signs[number % len(signs)]
        for number, pair in enumerate(pairs)
        for position in pair
        if position.square is not None
    }


def pairs_text(pairs: Pairs | None) -> str:
    if pairs is None:
        return "No pairing is known here."
    if not pairs:
        return "White has a stone in every winning set: Black cannot win any more."
    return (
        "By these pairs White could block: answering in the pair that Black plays in; each winning "
        "set open to Black has one (the certificate may answer otherwise)."
    )
