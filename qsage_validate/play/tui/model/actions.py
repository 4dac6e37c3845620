"""The one table of what a person can do: key bindings, bar, palette and help are made from it."""

from __future__ import annotations

from dataclasses import dataclass


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
        "maximise", "z", "", "Maximise", "Give the pane chosen last all room beside the board"
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
