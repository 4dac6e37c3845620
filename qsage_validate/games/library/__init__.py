"""The project's own models of the paper's games, as templates over board size and depth."""
