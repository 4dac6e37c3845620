"""Plays without people: play engine, adversaries, tree of a strategy, gate inspector."""
