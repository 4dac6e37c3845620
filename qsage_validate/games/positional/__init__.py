"""Positional games: each move claims an open position for good (Hex, polyominoes, PG files)."""
