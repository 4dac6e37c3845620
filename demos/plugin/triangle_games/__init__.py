"""What this package declares: places by kind, each loaded when the kind is asked for."""

DECLARES = {
    "games": "triangle_games.game:GAMES",
    "encodings": "triangle_games.encoding:ENCODINGS",
    "solvers": "triangle_games.solver:SOLVERS",
}
