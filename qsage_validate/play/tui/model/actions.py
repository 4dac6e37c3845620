"""The actions of the interface with their keys, and the layout of its panes.

Small terminals show the board and one pane behind tabs, larger ones all panes side by side.
Regions never overlap and never leave the area.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum

# The one table of what a person can do: key bindings, bar, palette and help are made from it


@dataclass(frozen=True, slots=True)
class BindableAction:
    """Something that a key, a click in the bar and the command palette can start.

    ``name`` is the method ``action_<name>`` of the app, ``key`` what a person reads, ``label`` the
    word in the bar (empty: not in the bar) and ``help`` the sentence in the palette and on the
    help screen.  The bar leaves ``minor`` actions out, the highest first, where it has no room
    for all.  ``keys`` are Textual's names of the keys where ``key`` is none.
    """

    name: str
    key: str
    label: str
    title: str
    help: str
    minor: int = 0
    keys: str = ""


# The order makes the labels fit two lines of 80 columns.
ACTIONS = (
    BindableAction("cancel", "k", "Cancel", "Cancel the reply", "Stop it and take the move back"),
    BindableAction("undo", "u", "Undo", "Undo", "Take back the last round"),
    BindableAction("redo", "y", "Redo", "Redo", "Play a round that was taken back again"),
    BindableAction("restart", "r", "Start", "Restart", "Go back to the start", minor=2),
    BindableAction(
        "look_back",
        "[",
        "Back",
        "Look back",
        "Look at the ply before",
        minor=1,
        keys="left_square_bracket",
    ),
    BindableAction(
        "look_forward",
        "]",
        "Fwd",
        "Look forward",
        "Look at the next ply",
        minor=1,
        keys="right_square_bracket",
    ),
    BindableAction("hint", "h", "Hint", "Hint", "Ask for a good move"),
    BindableAction(
        "why_not", "w", "Why", "Why not?", "Say why the moves at the cursor are illegal"
    ),
    BindableAction("menu", "m", "Moves", "Legal moves", "Choose from all legal moves"),
    BindableAction("type", ":", "Type", "Type a move", "Go to the prompt", keys="colon,slash"),
    BindableAction(
        "run",
        "X",
        "Run",
        "Random to the end",
        "Let a random player play on; again, Esc or any move stops it",
    ),
    BindableAction(
        "random", "x", "Random", "Random move", "Let a random player make this move", minor=3
    ),
    BindableAction(
        "force",
        "i",
        "Illegal",
        "Let illegal moves happen",
        "Play illegal moves into the formula instead of refusing them (on/off)",
    ),
    BindableAction(
        "claim",
        "c",
        "Claim",
        "Claim the goal",
        "Set the game-stop variable with the next move: the play ends there (on/off)",
    ),
    BindableAction(
        "pairs",
        "p",
        "Pairs",
        "Pairs of White's",
        "Letter the pairs by which White could block: she claims one when Black claims the other",
        minor=2,
    ),
    BindableAction(
        "teach",
        "d",
        "Teach",
        "Teach",
        "Show how long moves last, what threatens and why, and the reply at the cursor (on/off)",
        minor=2,
    ),
    BindableAction(
        "other",
        "b",
        "Other",
        "Another reply",
        "Try another move in the place of the last reply, and compare the two",
        minor=3,
    ),
    BindableAction(
        "drill",
        "D",
        "Drill",
        "Drill",
        "Ask for all lines of the strategy as puzzles; q leads back",
        2,
    ),
    BindableAction("save", "s", "Save", "Save transcript", "Write the play to a file"),
    BindableAction(
        "export", "e", "Export", "Export the play", "Write the play as text, JSON, SVG or (Hex) SGF"
    ),
    BindableAction(
        "findings", "f", "Finds", "Findings", "List what was found, and jump to the step"
    ),
    BindableAction(
        "gates",
        "g",
        "Gates",
        "Gate inspector",
        "Show why gates have their values at this step: their inputs, as a tree",
    ),
    BindableAction(
        "tree",
        "T",
        "Tree",
        "Strategy tree",
        "Show what is answered to each move, with the sizes of the subtrees",
    ),
    BindableAction(
        "prove",
        "P",
        "Prove",
        "Prove",
        "Prove and attack the certificate, level by level; Esc stops it",
    ),
    BindableAction(
        "new_game", "n", "New", "New game", "Choose another game, file or play; q leads back", 3
    ),
    BindableAction("load", "o", "Open", "Open transcript", "Replay a play from a file"),
    BindableAction("theme", "t", "Theme", "Theme", "Switch between dark and light", minor=4),
    BindableAction("help", "?", "Help", "Help", "Explain the screen", keys="question_mark,f1"),
    BindableAction(
        "command_palette", "^p", "All", "Palette", "Search all commands by name", keys="ctrl+p"
    ),
    BindableAction("quit", "q", "Quit", "Quit", "Leave the play", keys="q,ctrl+q"),
    BindableAction(
        "zoom(1)", "+", "", "Larger board", "Draw the board larger", keys="plus,equals_sign"
    ),
    BindableAction("zoom(-1)", "-", "", "Smaller board", "Draw the board smaller", keys="minus"),
    BindableAction(
        "widen(4)", ">", "", "Wider board", "Give the board more room", keys="greater_than_sign"
    ),
    BindableAction(
        "widen(-4)", "<", "", "Wider panes", "Give the panes more room", keys="less_than_sign"
    ),
    BindableAction(
        "maximise",
        "z",
        "",
        "Maximise",
        "Show the board alone, as for a projector; in a pane: give it all room beside the board",
    ),
    BindableAction(
        "collapse", "Z", "", "Collapse", "Leave only the title of the pane chosen last, or open it"
    ),
    BindableAction("board", "0", "", "Board", "Go to the board"),
    BindableAction("pane('moves')", "1", "", "Pane: moves", "Show the moves so far"),
    BindableAction("pane('why')", "2", "", "Pane: why not", "Show why a move is illegal"),
    BindableAction(
        "pane('values')", "3", "", "Pane: values", "Show variables and gates with their values"
    ),
    BindableAction("pane('messages')", "4", "", "Pane: messages", "Show what was said"),
)


def key_of(name: str) -> str:
    """The key that a person presses for an action."""
    return next(action.key for action in ACTIONS if action.name == name)


# The places of board and panes on a terminal of a given size: arithmetic, no widgets


PANES = ("moves", "why", "values", "messages")
STAGE = "stage"
TABS = "tabs"

# A terminal below both of these says that it is too small.
SMALLEST_WIDE = (60, 16)
SMALLEST_TALL = (40, 26)

_MIN_PANE = 32
_MIN_STAGE = 26
_MIN_MESSAGES = 7
# The columns of two panes beside each other; a large board leaves room for one.
_TWO_PANES = 92
_ONE_PANE = 46


class PaneMode(Enum):
    """The way in which the panes are shown."""

    TABBED = "tabbed"
    STACKED = "stacked"
    SPREAD = "spread"

    @property
    def tabbed(self) -> bool:
        """True if only one pane is shown at a time."""
        return self in (PaneMode.TABBED, PaneMode.STACKED)


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in characters."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Sizing:
    """A person's changes to the panes, where there is room for all of them.

    ``alone`` shows the board without panes, wherever.  ``columns`` are added to the width of the
    stage; ``maximised`` gives all other room to the
    active pane; of ``collapsed`` panes only the title is left.
    """

    columns: int = 0
    maximised: bool = False
    collapsed: frozenset[str] = frozenset()
    alone: bool = False


NATURAL = Sizing()
# The lines of a pane of which only the title is left: its border.
_COLLAPSED = 2

Measure = Callable[[int, int], tuple[int, int]]


def too_small(width: int, height: int) -> str | None:
    """The line to show instead of the interface, or ``None`` when there is room for it."""
    for least_width, least_height in (SMALLEST_WIDE, SMALLEST_TALL):
        if width >= least_width and height >= least_height:
            return None
    wide, tall = SMALLEST_WIDE, SMALLEST_TALL
    return f"Too small: {width}x{height}, need {wide[0]}x{wide[1]} or {tall[0]}x{tall[1]}"


def mode_for(width: int, height: int) -> PaneMode:
    """The mode for an area of this size."""
    if width >= 104 and height >= 27:
        return PaneMode.SPREAD
    return PaneMode.TABBED if width >= _MIN_PANE + _MIN_STAGE else PaneMode.STACKED


def arrange(
    width: int, height: int, active: str, measure: Measure, sizing: Sizing = NATURAL
) -> Mapping[str, Box]:
    """The boxes of stage, tabs and panes; a pane that is not shown has none.

    ``measure`` gives the size that the stage would take of the size it is offered.
    """
    mode = mode_for(width, height)
    if sizing.alone:
        return {STAGE: Box(0, 0, width, height)}
    if not mode.tabbed and sizing.maximised:
        boxes = _spread(width, height, measure, sizing)
        return _beside(boxes[STAGE].width, width, height, active)
    if mode is PaneMode.STACKED:
        return _stacked(width, height, active, measure)
    if mode is PaneMode.TABBED:
        return _tabbed(width, height, active, measure)
    return _spread(width, height, measure, sizing)


def _stacked(width: int, height: int, active: str, measure: Measure) -> Mapping[str, Box]:
    stage = min(max(measure(width, height - 8)[1], 6), height - 6)
    return {
        STAGE: Box(0, 0, width, stage),
        TABS: Box(0, stage, width, 1),
        active: Box(0, stage + 1, width, height - stage - 1),
    }


def _tabbed(width: int, height: int, active: str, measure: Measure) -> Mapping[str, Box]:
    most = width - _MIN_PANE
    stage = min(max(measure(most, height)[0] + 2, _MIN_STAGE), most)
    return _beside(stage, width, height, active)


def _beside(stage: int, width: int, height: int, active: str) -> Mapping[str, Box]:
    """The stage, ``stage`` columns wide, and one pane with the tabs beside it."""
    rest = width - stage
    return {
        STAGE: Box(0, 0, stage, height),
        TABS: Box(stage, 0, rest, 1),
        active: Box(stage, 1, rest, height - 1),
    }


def _spread(width: int, height: int, measure: Measure, sizing: Sizing) -> dict[str, Box]:
    most = width - _ONE_PANE
    natural = measure(most, height - _MIN_MESSAGES)
    left = min(max(natural[0] + 2, _MIN_STAGE, width // 3), most)
    left = min(max(left + sizing.columns, _MIN_STAGE), most)
    least = _COLLAPSED if "messages" in sizing.collapsed else _MIN_MESSAGES
    # A stage that was made wider may draw its board larger.
    natural = measure(max(left - 2, 1), height - least)
    stage = min(max(natural[1], height // 3), height - least)
    if least == _COLLAPSED:
        stage = height - least
    boxes = {STAGE: Box(0, 0, left, stage), "messages": Box(0, stage, left, height - stage)}
    rest = width - left
    if rest >= _TWO_PANES:
        middle = rest // 2
        boxes |= _stack(left, middle, height, {"moves": 1, "why": 1}, sizing)
        boxes |= _stack(left + middle, rest - middle, height, {"values": 1}, sizing)
    else:
        boxes |= _stack(left, rest, height, {"moves": 3, "why": 3, "values": 4}, sizing)
    return boxes


def _stack(
    x: int, width: int, height: int, parts: Mapping[str, int], sizing: Sizing
) -> dict[str, Box]:
    """Panes below each other, by their ``parts`` of the height; the last open one has the rest."""
    opened = [pane for pane in parts if pane not in sizing.collapsed] or list(parts)[-1:]
    shared = height - _COLLAPSED * (len(parts) - len(opened))
    total = sum(parts[pane] for pane in opened)
    boxes: dict[str, Box] = {}
    y = used = 0
    for pane, part in parts.items():
        size = _COLLAPSED
        if pane in opened:
            size = shared - used if pane == opened[-1] else shared * part // total
            used += size
        boxes[pane] = Box(x, y, width, size)
        y += size
    return boxes
