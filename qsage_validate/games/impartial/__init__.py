"""Impartial games on integer states: language, model and rules."""
