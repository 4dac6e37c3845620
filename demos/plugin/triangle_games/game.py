"""The triangle game: the players claim edges of a complete graph, and Black wants a triangle."""

from itertools import combinations

from qsage_validate.games.library.template import (
    LibraryGame,
    NumberKind,
    Template,
    TemplateOption,
    Values,
)
from qsage_validate.games.positional.model import PositionalModel
from qsage_validate.games.protocol import Player


def build(values: Values) -> PositionalModel:
    """The maker-breaker game on the edges of K_n; an edge is called by its two vertices."""
    vertices, depth = values.number("vertices"), values.number("depth")
    edges = [frozenset(edge) for edge in combinations(range(1, vertices + 1), 2)]
    triangles = combinations(range(1, vertices + 1), 3)
    return PositionalModel(
        name=f"triangle on {vertices} vertices",
        positions=tuple("e" + "".join(map(str, sorted(edge))) for edge in edges),
        turns=tuple(Player.WHITE if ply % 2 else Player.BLACK for ply in range(depth)),
        black_wins=tuple(
            sum(1 << k for k, edge in enumerate(edges) if edge <= set(triangle))
            for triangle in triangles
        ),
    )


GAMES = (
    LibraryGame(
        Template(
            name="triangle",
            help="Triangle: Black wants three edges of a triangle, White hinders",
            options=(
                TemplateOption("vertices", NumberKind(3, 9), "vertices of the graph", 5),
                TemplateOption("depth", NumberKind(1, 36), "number of plies", 7),
            ),
            language="positional",
            construct=build,
            examples=({"vertices": "4", "depth": "5"},),
        )
    ),
)
