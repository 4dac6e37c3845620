"""What a formula with tables of moves says of its legality: by literals, or by earlier plies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, cached_property
from typing import TypeAlias

from qsage_validate.encodings.layout.tables import TableLayout
from qsage_validate.games.protocol import Player
from qsage_validate.strategies.readings import LayoutMove, Legality, Line
from qsage_validate.strategies.table_code import TableCode

Values = Mapping[int, bool]
Literals: TypeAlias = tuple[tuple[int, Values], ...]
"""Literals, each with the values of the symbolic position at which it is read."""


class TableLegality:
    """Which literals tell whether a move of White's is legal, and what their values mean.

    The table of a ply may have a literal for each move; then that is all there is to ask.  In a
    positional game a position that somebody has claimed cannot be claimed:

    - a board that the formula keeps exactly says whether it is claimed;
    - of a board that is bound from one side, a black stone is never wrong, while all other
      literals may be: they are evidence, but do not decide;
    - an earlier ply whose variables say the position has claimed it, in formulas without a
      board too.

    ``kinds`` are the literals of the atoms after so many plies, ``at`` the values of the symbolic
    position for each of its places.
    """

    def __init__(
        self,
        layout: TableLayout,
        code: TableCode,
        kinds: Callable[[int], Mapping[str, int]],
        at: Mapping[str, Values],
    ) -> None:
        self._layout = layout
        self._code = code
        self._kinds: Callable[[int], Mapping[str, int]] = cache(kinds)
        self._at = at
        self._exact: Callable[[int], tuple[Literals, ...]] = cache(self._exact_of)

    def tells(self, ply: int) -> bool:
        """Whether something is said of some moves of a ply."""
        return self._claims or any(self._exact(ply))

    @cached_property
    def _claims(self) -> bool:
        """Whether moves are positions, which nobody claims twice.

        There are encodings of positional games in which moves are something else; they have
        other words for each player.
        """
        if self._layout.game != "positional":
            return False
        by_player: dict[Player, set[str]] = {player: set() for player in Player}
        for table in self._layout.moves:
            by_player[table.player] |= set(table.moves)
        return by_player[Player.WHITE] <= by_player[Player.BLACK]

    def literals(self, ply: int, move: LayoutMove) -> Literals:
        """The literals that are true when ``move`` is legal; they need not decide it."""
        number = self._code.number(ply, move)
        exact = self._exact(ply)
        if number is None or number >= len(exact):
            return ()
        return exact[number] or self._stones(ply, str(move))

    def _exact_of(self, ply: int) -> tuple[Literals, ...]:
        """For each move the literals that are all true exactly when it is legal; or none."""
        table = self._layout.moves[ply - 1]
        if table.legal:
            return tuple(((literal, {}),) if literal else () for literal in table.legal)
        if self._layout.state.one_sided:
            return ((),) * len(table.moves)
        stones = (self._stones(ply, name) for name in table.moves)
        return tuple(own if len(own) == len(Player) else () for own in stones)

    def _stones(self, ply: int, name: str) -> Literals:
        """That a position is not black and not white, as far as there are literals."""
        if self._layout.game != "positional":
            return ()
        kinds = self._kinds(ply - 1)
        if self._layout.state.position:
            at = self._at.get(name)
            texts = [] if at is None else [player.value for player in Player]
        else:
            at, texts = {}, [f"{player.value} {name}" for player in Player]
        return tuple((-kinds[text], at or {}) for text in texts if text in kinds)

    def earlier(self, line: Line) -> Mapping[str, int]:
        """The positions that the variables of the plies so far claim, with the first such ply."""
        found: dict[str, int] = {}
        if self._claims:
            values = {**line.choice, **line.reply}
            for ply in range(1, line.plies + 1):
                made = self._code.decode(ply, values)
                if made.move is not None and not made.stop:
                    found.setdefault(str(made.move), ply)
        return found

    def verdict(
        self, ply: int, move: LayoutMove, false: tuple[int, ...], earlier: Mapping[str, int]
    ) -> Legality | None:
        """What is said of ``move``, of whose literals those in ``false`` are false.

        ``None``: nothing. A number behind the last move is no move for any formula.
        """
        number = self._code.number(ply, move)
        exact = self._exact(ply)
        if number is None or number >= len(exact):
            return Legality(False)
        if exact[number]:
            return Legality(not false, false)
        claimed = earlier.get(str(move))
        is_black = any(x in false for x in self._black(ply, str(move)))
        if claimed is None and not is_black:
            return None
        return Legality(False, false, earlier=claimed)

    def _black(self, ply: int, name: str) -> tuple[int, ...]:
        """The literal that says that a position is not black, where there is one."""
        black = Player.BLACK.value
        literal = self._kinds(ply - 1).get(
            black if self._layout.state.position else f"{black} {name}"
        )
        return () if literal is None else (-literal,)
