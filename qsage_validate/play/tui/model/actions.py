"""The one table of what a person can do: key bindings, bar, palette and help are made from it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BindableAction:
    """Something that a key, a click in the bar and the command palette can start.

    ``name`` is the method ``action_<name>`` of the app, ``keys`` Textual's names of the keys,
    ``key`` what a person reads, ``label`` the word in the bar (empty: not in the bar) and
    ``help`` the sentence in the palette and on the help screen.  The bar leaves ``minor``
    actions out, the highest first, where it has no room for all.
    """

    name: str
    keys: str
    key: str
    label: str
    title: str
    help: str
    minor: int = 0


# The order makes the labels fit two lines of 80 columns.
ACTIONS = (
    BindableAction("undo", "u", "u", "Undo", "Undo", "Take back the last round"),
    BindableAction("redo", "y", "y", "Redo", "Redo", "Play a round that was taken back again"),
    BindableAction("restart", "r", "r", "Start", "Restart", "Go back to the start", 2),
    BindableAction(
        "look_back",
        "left_square_bracket",
        "[",
        "Back",
        "Look back",
        "Look at the ply before",
        1,
    ),
    BindableAction(
        "look_forward",
        "right_square_bracket",
        "]",
        "Fwd",
        "Look forward",
        "Look at the next ply",
        1,
    ),
    BindableAction("hint", "h", "h", "Hint", "Hint", "Ask for a good move"),
    BindableAction(
        "why_not", "w", "w", "Why", "Why not?", "Say why the moves at the cursor are illegal"
    ),
    BindableAction("menu", "m", "m", "Moves", "Legal moves", "Choose from all legal moves"),
    BindableAction("type", "colon,slash", ":", "Type", "Type a move", "Go to the prompt"),
    BindableAction(
        "run",
        "X",
        "X",
        "Run",
        "Random to the end",
        "Let a random player play on; again, Esc or any move stops it",
    ),
    BindableAction(
        "random", "x", "x", "Random", "Random move", "Let a random player make this move", 3
    ),
    BindableAction(
        "let_happen",
        "i",
        "i",
        "Illegal",
        "Let illegal moves happen",
        "Play illegal moves into the formula instead of refusing them (on/off)",
    ),
    BindableAction(
        "claim",
        "c",
        "c",
        "Claim",
        "Claim the goal",
        "Set the game-stop variable with the next move: the play ends there (on/off)",
    ),
    BindableAction(
        "pairs",
        "p",
        "p",
        "Pairs",
        "Pairs of White's",
        "Letter the pairs by which White could block: she claims one when Black claims the other",
        3,
    ),
    BindableAction("save", "s", "s", "Save", "Save transcript", "Write the play to a file"),
    BindableAction(
        "export", "e", "e", "Export", "Export the play", "Write the play as text, JSON or SVG"
    ),
    BindableAction(
        "findings",
        "f",
        "f",
        "Finds",
        "Findings",
        "List what was found, and jump to the step",
    ),
    BindableAction(
        "gates",
        "g",
        "g",
        "Gates",
        "Gate inspector",
        "Show why gates have their values at this step: their inputs, as a tree",
    ),
    BindableAction(
        "tree",
        "T",
        "T",
        "Tree",
        "Strategy tree",
        "Show what is answered to each move, with the sizes of the subtrees",
    ),
    BindableAction(
        "prove",
        "P",
        "P",
        "Prove",
        "Prove",
        "Prove and attack the certificate, level by level; Esc stops it",
    ),
    BindableAction("load", "o", "o", "Open", "Open transcript", "Replay a play from a file"),
    BindableAction("theme", "t", "t", "Theme", "Theme", "Switch between dark and light", 4),
    BindableAction("help", "question_mark,f1", "?", "Help", "Help", "Explain the screen"),
    BindableAction(
        "command_palette", "ctrl+p", "^p", "All", "Palette", "Search all commands by name"
    ),
    BindableAction("quit", "q,ctrl+q", "q", "Quit", "Quit", "Leave the play"),
    BindableAction("zoom(1)", "plus,equals_sign", "+", "", "Larger board", "Draw the board larger"),
    BindableAction("zoom(-1)", "minus", "-", "", "Smaller board", "Draw the board smaller"),
    BindableAction("board", "0", "0", "", "Board", "Go to the board"),
    BindableAction("pane('moves')", "1", "1", "", "Pane: moves", "Show the moves so far"),
    BindableAction("pane('why')", "2", "2", "", "Pane: why not", "Show why a move is illegal"),
    BindableAction(
        "pane('values')", "3", "3", "", "Pane: values", "Show variables and gates with their values"
    ),
    BindableAction("pane('messages')", "4", "4", "", "Pane: messages", "Show what was said"),
)


def key_of(name: str) -> str:
    """The key that a person presses for an action."""
    return next(action.key for action in ACTIONS if action.name == name)
