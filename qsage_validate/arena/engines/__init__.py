"""Engines reply in a play: on a board, in blocks of variables, with heaps."""
