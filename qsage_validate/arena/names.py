"""Names of a formula's variables and gates, for people."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.layout.layout import Layout, Ply
from qsage_validate.games.protocol import Player
from qsage_validate.strategies.readings import NamedGroup, SquareXY

if TYPE_CHECKING:
    from qsage_validate.arena.frame import FrameValue

_INITIAL = "initial state"
_PLY = re.compile(r"\b(?:black|white) (\d+)\b")


class Names:
    """Names and groups of the literals that a layout speaks about."""

    def __init__(self, layout: Layout, qbf: Qbf | None) -> None:
        self.layout = layout
        self._qbf = qbf
        # Several plies may share a literal: a constant, or a gate that is built once.
        self._meanings: dict[int, dict[str, NamedGroup]] = {}
        for literal, name, group in self._entries():
            self._meanings.setdefault(literal, {}).setdefault(name, group)

    @property
    def literals(self) -> Mapping[str, int]:
        """The literals that have a meaning, by all of its names; the first one of a name."""
        found: dict[str, int] = {}
        for literal, names in self._meanings.items():
            for name in names:
                found.setdefault(name, literal)
        return found

    def variable(self, variable: int) -> str:
        """The name of a variable or gate in the file."""
        return str(variable) if self._qbf is None else self._qbf.name(variable)

    def meaning(
        self, literal: int, ply: int | None = None, move: str = ""
    ) -> tuple[str, NamedGroup]:
        """The name and group of a literal; gates without a name are just gates.

        Of several names that of ``move`` at ply ``ply`` is preferred, then one of the ply, then
        one of the state after it (before it, where a move is given); then the first.
        """
        for own, prefix in (
            (self._meanings.get(literal), ""),
            (self._meanings.get(-literal), "not "),
        ):
            if own:
                name = _fitting(list(own), ply, move)
                return f"{prefix}{name}", own[name]
        return "gate", NamedGroup.GATE

    def value(
        self,
        literal: int,
        values: Sequence[bool | None],
        squares: Sequence[SquareXY],
        ply: int | None = None,
    ) -> FrameValue:
        """A literal with its values on the squares, one value when all agree.

        Without squares there is one value; ``ply`` is the ply just made.
        """
        from qsage_validate.arena.frame import FrameValue

        name, group = self.meaning(literal, ply)
        agreed = values[0] if values and len(set(values)) == 1 else None
        false_at = tuple(
            square
            for square, value in zip(squares, values, strict=bool(squares))
            if value is False and agreed is None
        )
        return FrameValue(name, self._signed(literal), literal, agreed, group, false_at)

    def false_value(
        self, literal: int, at: Sequence[SquareXY] = (), *, ply: int | None = None, move: str = ""
    ) -> FrameValue:
        """A literal that is false: everywhere, or at the squares ``at``.

        That a stone is not missing is said as it is: the literal of the stone is true.  ``move``
        of ``ply`` is what is explained; a literal of the symbolic position is read at its place.
        """
        from qsage_validate.arena.frame import FrameValue

        stone, group = self.meaning(-literal, ply, move)
        if group is NamedGroup.STATE and not at and -literal in self._meanings:
            state = self.layout.state
            if state.position and not state.is_board:
                stone += f" {move}"
            return FrameValue(stone, self._signed(-literal), -literal, True, group)
        name, group = self.meaning(literal, ply, move)
        value = None if at else False
        return FrameValue(name, self._signed(literal), literal, value, group, tuple(at))

    def move_made(
        self, player: Player, ply: int, move: str, values: Mapping[int, bool]
    ) -> FrameValue:
        """The named value of an earlier ply that is ``move``, by the values of its variables."""
        from qsage_validate.arena.frame import FrameValue

        own = self.layout.moves[ply - 1]
        held = [abs(v) if values.get(abs(v)) else -abs(v) for v in own.variables]
        if not own.coding.numbers:
            held = [v for v in held if v > 0]
        shown = " ".join(self._signed(v) for v in held)
        name = f"{player.value} {ply} is {move}"
        return FrameValue(name, shown, held[0] if held else 0, True, NamedGroup.MOVE)

    def _signed(self, literal: int) -> str:
        return ("-" if literal < 0 else "") + self.variable(abs(literal))

    # -- which literals -------------------------------------------------------------------

    def at_ply(self, ply: int) -> tuple[int, ...]:
        """The literals that mean something after ``ply`` plies (0: at the start)."""
        literals = [x for name, x in self.layout.gates.items() if _ply_of(name) == ply]
        if ply == 0:
            literals = [x for name, x in self.layout.gates.items() if name == _INITIAL]
        if 1 <= ply <= self.layout.plies:
            own = self.layout.moves[ply - 1]
            indicators = () if own.indicators is None else own.indicators.literals
            literals = [*own.all_variables, *indicators, *literals]
        state = self.layout.state
        if not state.is_board and ply < len(state.states):
            literals += [literal for literal in state.states[ply] if literal]
        if ply == self.layout.plies:
            literals += [x for name, x in self.layout.gates.items() if "goal" in name]
        return tuple(dict.fromkeys(literals))

    def legal_gate(self, ply: int) -> int | None:
        """The gate that says that a White ply is legal, where the layout names one."""
        return self.layout.gates.get(f"white {ply} legal")

    def _entries(self) -> Iterator[tuple[int, str, NamedGroup]]:
        layout = self.layout
        for ply in layout.moves:
            yield from _ply_entries(ply)
        for ply in layout.moves:
            yield from _indicator_entries(ply)
        for name, literal in layout.gates.items():
            yield literal, name, NamedGroup.GOAL if "goal" in name else NamedGroup.GATE
        for number, row in enumerate(layout.state.states):
            for kind, literal in zip(layout.state.kinds, row, strict=False):
                if literal:
                    yield literal, f"state {number} {kind}", NamedGroup.STATE
        if self.layout.verdict is not None:
            yield self.layout.verdict, "verdict", NamedGroup.VERDICT


def _ply_entries(ply: Ply) -> Iterator[tuple[int, str, NamedGroup]]:
    prefix = f"{ply.player.value} {ply.ply}"
    for literal, label in ply.coding.labels():
        yield literal, f"{prefix} {label}", NamedGroup.MOVE
    for text, literal in zip(ply.moves, ply.legal, strict=False):
        if literal:
            yield literal, f"{prefix} {text} legal", NamedGroup.INDICATOR
    if ply.stop is not None:
        yield ply.stop, f"{prefix} stop", NamedGroup.STOP


def _indicator_entries(ply: Ply) -> Iterator[tuple[int, str, NamedGroup]]:
    if ply.indicators is None:
        return
    prefix = f"{ply.player.value} {ply.ply}"
    if ply.indicators.bounds is not None:
        yield ply.indicators.bounds, f"{prefix} in bounds", NamedGroup.INDICATOR
    for number, literal in enumerate(ply.indicators.preconditions, start=1):
        yield literal, f"{prefix} precondition {number}", NamedGroup.INDICATOR


def _ply_of(name: str) -> int | None:
    match = _PLY.search(name)
    return None if match is None else int(match[1])


def _fitting(names: Sequence[str], ply: int | None, move: str) -> str:
    """The name that says the most about a ply; the first one without a ply."""
    if ply is None or len(names) == 1:
        return names[0]
    state = f"state {ply - 1 if move else ply} "

    def rank(name: str) -> int:
        if _ply_of(name) != ply:
            return int(name.startswith(state) or (ply == 0 and name == _INITIAL))
        return 3 if move and f" {move} " in f"{name} " else 2

    return max(names, key=rank)
