"""The state of a play at one moment: frames, moves, reasons, outcomes; all are frozen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from qsage_validate.games.protocol import BoardPicture, Illegality, Player, Position
from qsage_validate.strategies.readings import LayoutMove, NamedGroup, SquareXY

if TYPE_CHECKING:
    from qsage_validate.validation.finding import Evidence, Finding


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

    def assignment(self) -> dict[int, bool]:
        return dict(zip(self.variables, self.values, strict=True))


@dataclass(frozen=True, slots=True)
class HeapMove:
    """An action with numbers, as games with heaps have them; ``str`` is ``take(2)``."""

    action: str
    arguments: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.action}({','.join(map(str, self.arguments))})"


MatchMove: TypeAlias = LayoutMove | BlockMove | HeapMove


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
        """The value as evidence of a finding."""
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
        return f"{self.move} is illegal: " + "; ".join(self.lines)

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
    """The end of a play.

    ``winner`` is by the rules where they are known, else by the formula (``None`` when neither
    says); ``promised`` is whether the certificate's side won as it promised (``None`` when
    that cannot be said); ``verdict`` is the value of the verdict gate for this play: a Skolem
    certificate promises true, a Herbrand certificate false, and ``None`` means that there is no
    verdict to evaluate.  ``verdict_note`` says where it was evaluated, or where it fails.
    """

    winner: Player | None
    reason: str
    promised: bool | None
    verdict: bool | None
    verdict_note: str = ""

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
class Hint:
    """A suggestion for the person: a move and why (``text`` is one sentence)."""

    move: MatchMove
    text: str


@dataclass(frozen=True, slots=True)
class Frame:
    """The play after one ply (or before the first: ``ply`` 0, no move, no player).

    ``board`` is what the formula's state variables say (``None`` in the game of blocks); where the
    formula does not describe it (the last ply of some), it is the rules' board, and
    ``board_by_rules`` is set;
    ``position`` what the rules say (``None`` without rules, and from an illegal move that was
    let happen onwards); ``values`` are the variables and gates that mean something at this
    step; ``illegal`` is set when this ply's move was illegal and let happen; ``stopped`` when
    its player set the game-stop variable, claiming the goal; ``outcome`` when the play is over
    here; ``findings`` are those first seen here; ``seconds`` is the time the answer took.
    ``choice`` are the opponent's variables fixed so far and ``reply`` the certificate's, both
    by variable: what is needed to go on.  ``state`` is the position in words where the board
    alone does not say it (``v1 = 3, v2 = 0``), ``remarks`` are sentences about this step: the
    rule that a reply comes from.  ``won`` are the squares that reached the winner's goal.
    ``squares`` is the move by its squares, where they tell more than its name: ``(2,3)-(1,2)``.
    ``way`` are the nodes of a program that led to a reply, from its first question to its answer.
    """

    ply: int
    player: Player | None
    move: MatchMove | None
    by_certificate: bool
    board: BoardPicture | None
    position: Position | None
    values: tuple[FrameValue, ...] = ()
    illegal: WhyNot | None = None
    stopped: bool = False
    outcome: MatchOutcome | None = None
    findings: tuple[Finding, ...] = ()
    seconds: float = 0.0
    choice: Mapping[int, bool] = field(default_factory=dict)
    reply: Mapping[int, bool] = field(default_factory=dict)
    board_by_rules: bool = False
    state: str = ""
    remarks: tuple[str, ...] = ()
    won: tuple[SquareXY, ...] = ()
    squares: str = ""
    way: tuple[int, ...] = ()

    @property
    def changed(self) -> bool:
        """True if a ply was made (false only for the start)."""
        return self.move is not None

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
    "SquareXY",
    "WhyNot",
    "by_reason",
]
