"""A moment of a play for people, and names of a formula's variables and gates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from qsage_validate.circuit.qbf import Qbf
from qsage_validate.encodings.layout import Layout, Ply
from qsage_validate.games.protocol import BoardPicture, Illegality, Player, Position
from qsage_validate.strategies.reader import (
    Assignment,
    BoardReading,
    LayoutMove,
    NamedGroup,
    SquareXY,
    StrategyAnswer,
)

if TYPE_CHECKING:
    from qsage_validate.validation.finding import Evidence, Finding


# A play at one moment: how formula and rules see it, and what is shown of it; all is frozen


@dataclass(frozen=True, slots=True)
class BlockMove:
    """Values for the variables of one block of the prefix; ``str`` is ``7=1 8=0``.

    ``names`` are the file's names of ``variables``, in the order of the prefix.
    """

    variables: tuple[int, ...]
    values: tuple[bool, ...]
    names: tuple[str, ...]

    def __str__(self) -> str:
        pairs = zip(self.names, self.values, strict=True)
        return " ".join(f"{name}={int(value)}" for name, value in pairs) or "-"

    @property
    def words(self) -> str:
        return str(self)

    def assignment(self) -> dict[int, bool]:
        return dict(zip(self.variables, self.values, strict=True))


@dataclass(frozen=True, slots=True)
class HeapMove:
    """An action with numbers, as games with heaps have them; ``str`` is ``take(2)``."""

    action: str
    arguments: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.action}({','.join(map(str, self.arguments))})"

    @property
    def words(self) -> str:
        return str(self)


MatchMove: TypeAlias = LayoutMove | BlockMove | HeapMove


def told_once(moves: Iterable[MatchMove]) -> list[MatchMove]:
    """The first of the moves that are said alike, which do the same, and all others."""
    found: dict[str, MatchMove] = {}
    for move in moves:
        found.setdefault(move.words, move)
    return list(found.values())


Pairs: TypeAlias = tuple[tuple[LayoutMove, LayoutMove], ...]
"""Disjoint pairs of open positions by which White blocks."""


@dataclass(frozen=True, slots=True)
class FrameValue:
    """A variable or gate at this step.

    ``name`` is the layout's (``"white 2 bounds"``), ``variable`` the file's with its sign
    (``"12"``, ``"-g7"``).  A gate that reads the symbolic position has one value for each
    square: ``value`` is then ``None`` unless they agree, and ``false_at`` lists the squares,
    1-based, on which it is false.
    """

    name: str
    variable: str
    literal: int
    value: bool | None
    group: NamedGroup
    false_at: tuple[SquareXY, ...] = ()

    def __str__(self) -> str:
        if self.value is None:
            places = ", ".join(f"({x},{y})" for x, y in self.false_at)
            shown = f"false at {places}" if places else "?"
        else:
            shown = "true" if self.value else "false"
        return f"{self.name} [{self.variable}]: {shown}"

    def evidence(self) -> Evidence:
        from qsage_validate.validation.finding import Evidence

        return Evidence(self.literal, self.variable, self.value, self.name)


@dataclass(frozen=True, slots=True)
class WhyNot:
    """The reasons why a move is illegal: by the formula and by the rules.

    ``formula_legal`` is ``None`` where the formula cannot tell (no indicators are known);
    ``rules_legal`` is ``None`` where no rules are known.  ``evidence`` are the indicators and
    gates that are false; ``illegality`` is the rule that fails.  ``asked`` says whether there is
    a formula to ask at all.
    """

    move: MatchMove
    player: Player
    formula_legal: bool | None
    rules_legal: bool | None
    evidence: tuple[FrameValue, ...] = ()
    illegality: Illegality | None = None
    asked: bool = True

    @property
    def lines(self) -> tuple[str, ...]:
        """The explanation, one sentence a line, the rules' sentence first."""
        said: list[str] = []
        if self.illegality is not None:
            said += self.illegality.lines
        for value in self.evidence:
            said.append(f"formula: {value}")
        if not self.evidence and self.formula_legal:
            said.append("formula: every indicator accepts the move")
        if self.formula_legal is None and self.asked:
            said.append("formula: says nothing about legality")
        return tuple(said)

    def __str__(self) -> str:
        words = self.move.words
        return f"{words} is illegal: {'; '.join(self.lines).removeprefix(f'{words}: ')}"

    def __repr__(self) -> str:
        return f"<WhyNot {self.move}: {len(self.lines)} reasons>"


def by_reason(whys: Iterable[WhyNot]) -> tuple[tuple[WhyNot, ...], ...]:
    """The reasons in groups that begin with one and the same sentence, in the given order."""
    groups: dict[object, list[WhyNot]] = {}
    for number, why in enumerate(whys):
        known = why.illegality is not None and why.illegality.sentence
        groups.setdefault(known or number, []).append(why)
    return tuple(map(tuple, groups.values()))


@dataclass(frozen=True, slots=True)
class MatchOutcome:
    """The end of a play: what the rules say of it, and what formula and certificate do.

    ``winner`` is by the rules where they are known, else by the formula (``None`` when neither
    says, or before the formula was asked); ``promised`` is whether the certificate's side won as it
    promised (``None`` when that cannot be said); ``verdict`` is the value of the verdict gate for
    this play: a Skolem certificate promises true, a Herbrand certificate false, and ``None`` means
    that there is no verdict to evaluate, or that it was not evaluated.  ``verdict_note`` says where
    it was evaluated, or where it fails.  ``by_rules`` is false where the rules were left before the
    end: the formula's verdict is then no win by them.  ``undecided`` says that a limit ended the
    play: the winner is unknown.
    """

    winner: Player | None
    reason: str
    promised: bool | None = None
    verdict: bool | None = None
    verdict_note: str = ""
    by_rules: bool = True
    undecided: bool = False

    @property
    def text(self) -> str:
        line = f"{self.winner} wins: {self.reason}" if self.winner else self.reason
        if self.verdict is not None:
            line += f"; verdict {'true' if self.verdict else 'false'}"
            if self.verdict_note:
                line += f" ({self.verdict_note})"
        return line

    @property
    def line(self) -> str:
        """The outcome, and whether it is what the certificate promised."""
        if self.promised is None:
            return f"{self.text}; whether this is the promised win is not known"
        return f"{self.text}; {'as promised' if self.promised else 'NOT as promised'}"


@dataclass(frozen=True, slots=True)
class PlayState:
    """A play after some plies, as formula and rules see it.

    ``position`` is ``None`` without rules and from an illegal move on; ``illegal`` says that
    one was let happen; ``findings`` are those first seen in this state; ``stopped`` that the
    last ply claimed the goal; ``remark`` is a sentence about a reply that the formula lets be.
    ``asked`` says that the certificate has left the next ply to the opponent; ``replaced`` is the
    reply for which a legal move is then to be chosen, if there is one, and ``chosen`` says that the
    last ply was chosen so.  ``guessed`` are variables that the replies so far may depend on, and to
    which the play gives a value without knowing it.  ``broken`` are the numbers of assertions that
    some position so far has broken.
    """

    assignment: Assignment
    moves: tuple[str, ...] = ()
    position: Position | None = None
    reading: BoardReading = field(default_factory=lambda: BoardReading(None, {}))
    ending: MatchOutcome | None = None
    findings: tuple[Finding, ...] = ()
    illegal: bool = False
    stopped: bool = False
    last: MatchMove | None = None
    known_differences: frozenset[object] = frozenset()
    remark: str = ""
    asked: bool = False
    replaced: StrategyAnswer | None = None
    chosen: bool = False
    guessed: tuple[int, ...] = ()
    broken: frozenset[int] = frozenset()

    def __repr__(self) -> str:
        last = self.moves[-1] if self.moves else "start"
        return f"<PlayState {self.assignment.plies}: {last}>"

    @property
    def end(self) -> MatchOutcome:
        """How the play has ended; raises ``ValueError`` while it goes on."""
        if self.ending is None:
            raise ValueError("the play goes on")
        return self.ending

    @property
    def board(self) -> BoardPicture | None:
        """The board as decoded from the formula."""
        return self.reading.board

    @property
    def shown_board(self) -> BoardPicture | None:
        """The decoded board, or the rules' board where the formula does not describe it."""
        if self.board is None and self.position is not None:
            return self.position.board
        return self.board

    @property
    def plies(self) -> int:
        return self.assignment.plies

    @property
    def undecided(self) -> bool:
        """True if a limit ended the play."""
        return self.ending is not None and self.ending.undecided


@dataclass(frozen=True, slots=True)
class Hint:
    """A suggestion for the person: a move and why (``text`` is one sentence)."""

    move: MatchMove
    text: str


@dataclass(frozen=True, slots=True)
class Frame:
    """A play after some plies as it is shown, and as its engine goes on from it.

    ``player`` made the last ply (``None`` at the start).  ``board`` is what the formula's state
    variables say (``None`` in the game of blocks); where the formula does not describe it (the last
    ply of some), it is the rules' board, and ``board_by_rules`` is set.  ``values`` are the
    variables and gates that mean something at this step; ``illegal`` is set when this ply's move
    was illegal and let happen; ``seconds`` is the time the answer took.  ``state`` is the position
    in words where the board alone does not say it (``v1 = 3, v2 = 0``), ``remarks`` are sentences
    about this step: the rule that a reply comes from.  ``won`` are the squares that reached the
    winner's goal.  ``way`` are the nodes of a program that led to a reply, from its first
    question to its answer.  ``promised`` says, of a search or rules that answer, that they have
    said they win.
    """

    play: PlayState
    player: Player | None = None
    by_certificate: bool = False
    board: BoardPicture | None = None
    values: tuple[FrameValue, ...] = ()
    illegal: WhyNot | None = None
    seconds: float = 0.0
    board_by_rules: bool = False
    state: str = ""
    remarks: tuple[str, ...] = ()
    won: tuple[SquareXY, ...] = ()
    way: tuple[int, ...] = ()
    promised: bool = False

    @property
    def ply(self) -> int:
        """The number of plies of the play."""
        return self.play.plies

    @property
    def move(self) -> MatchMove | None:
        """The last ply's move; ``None`` at the start, and for a reply that is none."""
        return self.play.last

    @property
    def said(self) -> str:
        """The last ply's move as people say it; empty at the start."""
        if self.player is None:
            return ""
        return "an unreadable move" if self.move is None else self.move.words

    @property
    def position(self) -> Position | None:
        """The rules' position; ``None`` without rules, and after an illegal move."""
        return self.play.position

    @property
    def stopped(self) -> bool:
        """True if the player of the last ply claimed the goal with it."""
        return self.play.stopped

    @property
    def outcome(self) -> MatchOutcome | None:
        """The end of the play, if it is over here."""
        return self.play.ending

    @property
    def over(self) -> bool:
        return self.play.ending is not None

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings first seen here."""
        return self.play.findings

    @property
    def choice(self) -> Mapping[int, bool]:
        """The opponent's variables fixed so far."""
        return self.play.assignment.choice

    @property
    def reply(self) -> Mapping[int, bool]:
        """The certificate's variables fixed so far."""
        return self.play.assignment.reply

    @property
    def changed(self) -> bool:
        """True if a ply was made (false only for the start)."""
        return self.move is not None

    def ended(self, outcome: MatchOutcome, *findings: Finding) -> Frame:
        """The frame with the end of the play, and what is found there."""
        found = self.play.findings + findings
        return replace(self, play=replace(self.play, ending=outcome, findings=found))

    def __repr__(self) -> str:
        made = "start" if self.player is None else f"{self.player} {self.move}"
        board = "" if self.board is None else f", {self.board.rows}"
        return f"<Frame {self.ply}: {made}{board}>"


__all__ = [
    "BlockMove",
    "Frame",
    "FrameValue",
    "Hint",
    "LayoutMove",
    "MatchMove",
    "MatchOutcome",
    "NamedGroup",
    "Pairs",
    "PlayState",
    "SquareXY",
    "WhyNot",
    "by_reason",
]


# Names of a formula's variables and gates, for people


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
