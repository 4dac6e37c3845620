"""Plays without people: conductor, adversaries, the tree of a strategy, the gate inspector."""
