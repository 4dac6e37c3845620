"""The compiled engine: the general search of grid games in machine code, by numba."""
