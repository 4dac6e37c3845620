"""A play's board as a widget of anywidget: the script and the board of the exported page.

What is clicked, or set as ``widget.moves``, is in the play.  What is pushed to the play afterwards
stands on the board that the next ``match.board()`` makes.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup

from qsage_validate.api.matches import DeclaredBoard
from qsage_validate.arena.board_engine import goal_line
from qsage_validate.errors import MissingExtraError, UsageError, one_line
from qsage_validate.proving.html_report import filled, script
from qsage_validate.proving.play_page import SCRIPTS, board_values
from qsage_validate.render.svg import STYLE

if TYPE_CHECKING:
    from qsage_validate.api.matches import Match

BOARDS: Final = (DeclaredBoard("qsage_validate.extensions.notebook.widget:widget_of"),)


def widget_of(match: Match) -> Any:
    """A board that can be clicked, and that plays on where ``match`` stands.

    Raises ``MissingExtraError`` without anywidget, and ``UsageError`` for what a page cannot play
    and for a play with a move that was let happen.
    """
    problem = match.problem
    if problem is None or problem.layout is None:
        raise UsageError("found a play without a certificate and a layout, expected one of a game")
    person = match.person
    goal = "" if problem.game is None else goal_line(problem.game, person)
    values = {
        "title": one_line(f"{problem.play_title}. You are {person}"),
        "goal": goal,
        "board_style": Markup(STYLE),
        **board_values(problem),
    }
    table = str(values.pop("data"))
    return _widget_class()(match, html=filled("play_widget.html.jinja", values), table=table)


def script_text() -> str:
    """The widget's module: the page's scripts, and the function by which a notebook begins."""
    own = files(__package__).joinpath("widget.js").read_text("utf-8")
    page = script([name for name in SCRIPTS if name != "begin.js"])
    # A module is strict by itself, and is no module of node.
    return f"{page}\n{own}"


@cache
def _widget_class() -> Any:
    try:
        import anywidget  # type: ignore[import-not-found,unused-ignore]
        import traitlets
    except ImportError:
        raise MissingExtraError("a board that can be clicked", "notebook") from None

    class PlayWidget(anywidget.AnyWidget):  # type: ignore[misc,unused-ignore]
        """A play on a board; ``moves`` are the opponent's, as text."""

        _esm = script_text()
        html = traitlets.Unicode().tag(sync=True)
        table = traitlets.Unicode().tag(sync=True)
        moves = traitlets.List(traitlets.Unicode()).tag(sync=True)

        def __init__(self, match: Match, **given: str) -> None:
            super().__init__(moves=list(match.pushed), **given)
            self.match = match
            self.observe(self._follow, names="moves")

        def _follow(self, change: Any) -> None:
            """The play with the moves that stand on the board; of a bad one nothing is played."""
            moves, made = list(change["new"]), list(self.match.pushed)
            stood = self.match.history.here.number
            try:
                if moves[: len(made)] != made:
                    self.match.restart()
                    made = []
                for move in moves[len(made) :]:
                    self.match.push(move)
            except BaseException:  # an interrupt, too, leaves the play that was there
                self.match.go(stood)
                raise
            finally:
                # The script knows a move by the formula's name alone: a1 is occupy(1,1) there.
                self.moves = list(self.match.pushed)

    return PlayWidget
