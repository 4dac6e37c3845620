"""The games of the library as data: names, options and examples; and games by name.

The functions that build the models are imported when they are called. Completion and help need
nothing but this module.

A model carries a name, which is whatever its file says.  Only a game that has the very rules of
the library's game of this name is called so; any other is described, and the name is its label.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from itertools import product
from typing import TYPE_CHECKING

from qsage_validate.errors import UsageError, one_line
from qsage_validate.games.library.template import (
    MAX_DEPTH,
    BoardSize,
    ChoiceKind,
    Flag,
    LibraryGame,
    NumberKind,
    Size,
    SquareName,
    Template,
    TemplateOption,
    Values,
    WordKind,
)
from qsage_validate.games.model_text import GameModel
from qsage_validate.registry import declared

if TYPE_CHECKING:
    from qsage_validate.games.model_text import GameModel


SHAPES = ("domino", "el", "elly", "fatty", "knobby", "skinny", "tic", "tippy")
"""The polyominoes of grid games by Harary's names (and Tic, the straight one of three)."""


def _built_by(module: str, function: str, **settings: object) -> Callable[[Values], GameModel]:
    def build(values: Values) -> GameModel:
        found = import_module(f"{__package__}.{module}")
        model: GameModel = getattr(found, function)(values, **settings)
        return model

    return build


# -- options --------------------------------------------------------------------------------


def size_option(width: int = 1, height: int = 1, default: Size = (4, 4)) -> TemplateOption:
    """``--size``, from so many columns and rows."""
    return TemplateOption("size", BoardSize(width, height), "the board", default)


def depth_option(default: Callable[[Values], int]) -> TemplateOption:
    """``--depth``: the number behind ``#depth``."""
    text = "number of plies; where White begins one more, for Black's dropped first move"
    return TemplateOption(
        "depth", NumberKind(1, MAX_DEPTH), text, lambda values: min(default(values), MAX_DEPTH)
    )


BREAKER = TemplateOption("maker_breaker", Flag(), "White only hinders: no goals for White", False)
SECOND = TemplateOption("second", Flag(), "Black is the second player: White moves first", False)


def full_board_depth(values: Values) -> int:
    """A depth at which Black has had each chance to move before the board is full.

    Black's plies are the odd ones, also in the count of ``#depth`` for a second player.
    """
    width, height = values.size()
    squares = width * height
    # With White first, ply k of the play is number k + 1 in the count of #depth.
    if values.on("second"):
        return max(squares // 2 * 2 + 1, 3)
    return squares - 1 + squares % 2 if squares > 1 else 1


def _jumped_out(values: Values) -> int:
    """The ply at which, at the latest, somebody cannot jump: each jump takes a stone or more."""
    width, height = values.size()
    return width * height - 2 + values.on("second")


def _all_tipped(values: Values) -> int:
    """The ply behind that which tips the last stack."""
    return values.word("stacks").count("X") + 1 + values.on("second")


def _last_ply(values: Values) -> int:
    """The ply at which, at the latest, somebody cannot move: the board is full before it."""
    width, height = values.size()
    return width * height // 2 + 1 + values.on("second")


def _longest_breakthrough(values: Values) -> int:
    """4mn - 10m + 1: no play is longer (section 5), whoever begins; on three rows too."""
    width, height = values.size()
    return 4 * width * height - 10 * width + 1


def _shortest_knightthrough(values: Values) -> int:
    """The fewest plies in which Black's front row can jump to the far side."""
    _, height = values.size()
    return 2 * ((height - 2 + 1) // 2) - 1 + 2 * values.on("second")


def _crossing(values: Values) -> int:
    """The fewest plies in which the evader can reach the target."""
    width, _ = values.size()
    return 2 * (width // 2) - 1


def _interception(values: Values) -> int:
    """The fewest plies in which the pursuer can reach the target, in the count of ``#depth``."""
    x, y = values.size("pursuer")
    return 2 * (x + y - 2) + 1


def _odd_depth(values: Values) -> int:
    """All plies, without a last one of White's."""
    width, height = values.size()
    return max(width * height - (width * height + 1) % 2, 1)


# -- the games ------------------------------------------------------------------------------

HTTT = Template(
    name="httt",
    help="Harary's Tic-Tac-Toe: occupy squares; whoever first forms the polyomino has won",
    options=(
        size_option(),
        TemplateOption("shape", ChoiceKind(SHAPES), "the polyomino", "tic"),
        BREAKER,
        SECOND,
        depth_option(full_board_depth),
    ),
    construct=_built_by("grid", "harary"),
    examples=(
        {"size": "4x4", "shape": "tic", "depth": "5"},
        {"size": "3x3", "shape": "domino", "depth": "3"},
        {"size": "3x3", "shape": "el", "depth": "5"},
        {"size": "4x4", "shape": "elly", "depth": "7"},
        {"size": "3x3", "shape": "fatty", "maker_breaker": True},
        {"size": "4x3", "shape": "knobby", "depth": "9"},
        {"size": "4x3", "shape": "skinny", "second": True, "depth": "9"},
        {"size": "3x3", "shape": "tippy", "depth": "9"},
    ),
)
CONNECT = Template(
    name="connect-c",
    help="Connect-c: pieces fall to the bottom; whoever first has c in a line has won",
    options=(
        size_option(),
        TemplateOption("connect", NumberKind(2, 100), "how many make a line", 3),
        BREAKER,
        SECOND,
        depth_option(full_board_depth),
    ),
    construct=_built_by("pieces", "connect"),
    examples=(
        {"size": "4x4", "connect": "3", "depth": "9"},
        {"size": "2x2", "connect": "2", "depth": "3"},
        {"size": "3x3", "connect": "3", "maker_breaker": True},
        {"size": "4x3", "connect": "3", "second": True},
    ),
)
GOMOKU = Template(
    name="gomoku",
    help="Gomoku: occupy squares; whoever first has a line of so many or more has won",
    options=(
        size_option(),
        TemplateOption(
            "connect", NumberKind(2, 100), "how many make a line (five in the game of clubs)", 3
        ),
        BREAKER,
        SECOND,
        depth_option(full_board_depth),
    ),
    construct=_built_by("pieces", "gomoku"),
    examples=(
        {"size": "4x4", "connect": "3", "depth": "5"},
        {"size": "4x3", "connect": "3", "maker_breaker": True, "depth": "7"},
        {"size": "3x3", "connect": "3", "second": True},
    ),
)
HEX = Template(
    name="hex",
    help="Hex: Black connects the top and the bottom row; every minimal chain is a goal",
    options=(
        size_option(default=(3, 3)),
        TemplateOption("one_row", Flag(), "number the squares along a board of one row", False),
        TemplateOption("limit", NumberKind(1, 10_000_000), "how many winning sets at most", 20_000),
        SECOND,
        depth_option(full_board_depth),
    ),
    construct=_built_by("pieces", "hex_chains"),
    examples=(
        {"size": "3x3"},
        {"size": "3x3", "one_row": True, "depth": "5"},
        {"size": "3x4", "limit": "100", "second": True, "depth": "9"},
    ),
)
DOMINEERING = Template(
    name="domineering",
    help="Domineering: Black places dominoes upright, White flat; who cannot move has lost",
    options=(size_option(1, 1), SECOND, depth_option(_last_ply)),
    construct=_built_by("pieces", "domineering"),
    examples=(
        {"size": "4x4", "depth": "8"},
        {"size": "2x2", "depth": "2"},
        {"size": "3x3", "second": True},
    ),
)
KONANE = Template(
    name="konane",
    help="Konane: jump over stones of the opponent, which are taken; who cannot jump has lost",
    options=(size_option(2, 1), SECOND, depth_option(_jumped_out)),
    construct=_built_by("pieces", "konane"),
    examples=({"size": "4x4"}, {"size": "5x4", "second": True}, {"size": "6x2", "depth": "7"}),
)
CROSS_PURPOSES = Template(
    name="cross-purposes",
    help="Cross Purposes: tip stacks, Black up or down, White sideways; who cannot has lost",
    options=(
        TemplateOption(
            "stacks",
            WordKind("a drawing of the board with its stacks, like X..X/..../X..X"),
            "the board",
            "X...X/...../..X../...../X...X",
        ),
        SECOND,
        depth_option(_all_tipped),
    ),
    construct=_built_by("pieces", "cross_purposes"),
    examples=(
        {},
        {"stacks": "X..X/..../..../X..X", "depth": "5"},
        {"stacks": ".X../X..X/..../..X.", "second": True},
    ),
)
_PURSUER = TemplateOption("pursuer", SquareName(), "where the pursuer starts", (2, 3))

BREAKTHROUGH = Template(
    name="breakthrough",
    help="Breakthrough: pawns step ahead and capture diagonally; the first on the far side wins",
    options=(size_option(2, 3, (2, 4)), SECOND, depth_option(_longest_breakthrough)),
    construct=_built_by("pieces", "breakthrough", knights=False),
    examples=({"size": "2x4"}, {"size": "2x4", "second": True, "depth": "9"}),
)
KNIGHTTHROUGH = Template(
    name="knightthrough",
    help="KnightThrough: all pieces jump like knights; the first on the far side wins",
    options=(size_option(2, 4, (3, 4)), SECOND, depth_option(_shortest_knightthrough)),
    construct=_built_by("pieces", "breakthrough", knights=True),
    examples=({"size": "3x4"}, {"size": "4x6", "second": True, "depth": "7"}),
)
EVADER_PURSUER = Template(
    name="evader-pursuer",
    help="Evader and Pursuer: Black wants to reach the corner (1,1) past White, who captures",
    options=(size_option(3, 3), _PURSUER, depth_option(_crossing)),
    construct=_built_by("pieces", "evader_pursuer", colour="black"),
    examples=({"size": "4x4", "pursuer": "2,3", "depth": "3"}, {"size": "8x8", "pursuer": "3,4"}),
)
EVADER_PURSUER_DUAL = Template(
    name="evader-pursuer-dual",
    help="Pursuer and Evader: Black is the pursuer and moves second; White wants to reach (1,1)",
    options=(size_option(3, 3), _PURSUER, depth_option(_interception)),
    construct=_built_by("pieces", "evader_pursuer", colour="white"),
    examples=({"size": "4x4", "pursuer": "1,2", "depth": "3"}, {"size": "8x8", "pursuer": "2,3"}),
)
_DEPTH = TemplateOption("depth", NumberKind(1, MAX_DEPTH), "number of plies", _odd_depth)

HARARY = Template(
    name="harary",
    help="Harary's Tic-Tac-Toe as a positional game: any polyomino, on a board or a torus",
    options=(
        size_option(),
        TemplateOption(
            "shape",
            WordKind("a name such as tippy, snaky or 6-01, or a drawing like XX/X."),
            "the polyomino",
            "el",
        ),
        TemplateOption("torus", Flag(), "the board's edges meet", False),
        BREAKER,
        TemplateOption("stones", NumberKind(1, 99), "stones a turn", 1),
        TemplateOption(
            "first_stones", NumberKind(0, 99), "stones in the first turn; 0: as many", 0
        ),
        SECOND,
        _DEPTH,
    ),
    language="positional",
    construct=_built_by("pieces", "harary"),
    examples=(
        {"size": "3x3", "shape": "el", "depth": "5"},
        {"size": "3x3", "shape": "tic", "torus": True},
        {"size": "3x3", "shape": "XX", "maker_breaker": True, "second": True},
        {"size": "3x3", "shape": "tic", "stones": "2", "first_stones": "1"},
    ),
)

HEX_NETWORK = Template(
    name="hex-network",
    help="Hex as a positional game: Black connects the top and the bottom row of a network",
    options=(
        size_option(default=(3, 3)),
        TemplateOption("transversal", Flag(), "White connects left and right; Black cuts", False),
        _DEPTH,
    ),
    language="positional",
    construct=_built_by("pieces", "hexagons"),
    examples=({"size": "3x3"}, {"size": "2x3", "transversal": True, "depth": "5"}),
    # Grids list every chain, and others prove their certificates several times as long.
    certified_by="en-forward",
    not_certified_by=frozenset({"transversal"}),
)

_GAMES = (
    LibraryGame(HTTT, HARARY),
    LibraryGame(GOMOKU),
    LibraryGame(CONNECT),
    LibraryGame(BREAKTHROUGH),
    LibraryGame(KNIGHTTHROUGH),
    LibraryGame(EVADER_PURSUER),
    LibraryGame(EVADER_PURSUER_DUAL),
    LibraryGame(DOMINEERING),
    LibraryGame(KONANE),
    LibraryGame(CROSS_PURPOSES),
    LibraryGame(HEX, HEX_NETWORK),
)
"""The games of this package, in the order in which they are listed."""


@lru_cache(maxsize=1)
def library_games() -> tuple[LibraryGame, ...]:
    """All games: those of this package, then those of extensions that have other names."""
    taken = {name for game in _GAMES for name in game.names}
    others = declared("games", LibraryGame)
    return (*_GAMES, *(game for game in others if taken.isdisjoint(game.names)))


# Names of games for sentences


_LONGEST = 60


def name_of(model: GameModel) -> str:
    """The name of a game for a sentence: ``httt 3x3 tic``, ``hex 3x3 --second``.

    For a game that is none of the library ``the 3x3 grid game labelled "hex 4x4"``.
    """
    found = next(_as_in_library(model), None)
    named = f"the {model.in_words} {labelled(model.name)}" if found is None else found
    return " ".join([named, *(f"--{option} {value}" for option, value in model.question.items())])


def labelled(name: str) -> str:
    """``labelled "NAME"``: the quotes show where the label ends, whatever it contains."""
    shown = one_line(" ".join(name.split()), _LONGEST).replace("\\", "\\\\").replace('"', '\\"')
    return f'labelled "{shown}"'


def _as_in_library(model: GameModel) -> Iterator[str]:
    """The name with the flags that it does not tell, for each way to build the same model."""
    tokens = model.name.split()
    if " ".join(tokens) != model.name:
        return
    for game in library_games():
        if not set(game.names) & set(tokens):
            continue
        for template in game.templates:
            if template.language != model.language:
                continue
            for values in _values(template, model, [t for t in tokens if t not in game.names]):
                try:
                    built = template.build(values)
                except UsageError:
                    continue
                if built.name == model.name and _rules(built) == _rules(model):
                    untold = [
                        option.flag
                        for option in template.options
                        if values.get(option.name) is True and _word(option) not in tokens
                    ]
                    yield " ".join([model.name, *untold])


def _values(
    template: Template, model: GameModel, tokens: Sequence[str]
) -> Iterator[Mapping[str, object]]:
    """The options that the words of a name may mean; each flag that no word tells is tried."""
    told: dict[str, object] = {"depth": model.depth, **model.question}
    flags = [option for option in template.options if isinstance(option.kind, Flag)]
    words = {_word(option) for option in template.options}
    told |= {option.name: True for option in flags if _word(option) in tokens}
    for token in tokens:
        if token in words:
            continue
        fitting = (
            option
            for option in template.options
            if option.name not in told and option.kind.read(token) is not None
        )
        option = next(fitting, None)
        if option is None:
            return
        value = option.kind.read(token)
        size = value if isinstance(option.kind, BoardSize) and isinstance(value, tuple) else None
        if size is not None and size[0] * size[1] != model.squares:
            return  # spares the making of a large board
        told[option.name] = token
    untold = [option.name for option in flags if option.name not in told]
    for chosen in product((False, True), repeat=len(untold)):
        yield told | dict(zip(untold, chosen, strict=True))


def _word(option: TemplateOption) -> str:
    """The word that tells a flag, or that stands before a number, in a name."""
    return option.name.replace("_", "-")


def _rules(model: GameModel) -> Mapping[str, str]:
    """The text of a model without its name."""
    return {part: text for part, text in model.parts().items() if part != "name"}
